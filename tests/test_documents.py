"""What is generated into documents is current, and what they say of the form is true."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from host_tools import console_views, diagram, picture, settings_table
from host_tools.cli import main
from kegli import match

ROOT = Path(__file__).parents[1]
FIRMWARE_README = (ROOT / "firmware/README.md").read_text(encoding="utf-8")


def test_the_diagram_of_the_stroke_is_current() -> None:
    assert diagram.updated(FIRMWARE_README) == FIRMWARE_README


def test_the_table_of_settings_is_current() -> None:
    assert settings_table.updated(FIRMWARE_README) == FIRMWARE_README


def test_the_views_of_the_console_are_current() -> None:
    assert console_views.updated(FIRMWARE_README) == FIRMWARE_README


def test_every_fault_and_every_word_of_the_console_is_documented() -> None:
    firmware = "".join(path.read_text("utf-8") for path in (ROOT / "firmware/kegli").glob("*.py"))
    codes = set(re.findall(r'"(E\d)"', firmware))
    assert codes == set(re.findall(r"^\| (E\d) \|", FIRMWARE_README, re.M))
    words = re.search(r"_SERVED: .*?{(.*?)}", firmware, re.S)
    assert words
    for word in re.findall(r'"(\w+)": _', words[1]):
        assert re.search(rf"^\| .*`{word}\b", FIRMWARE_README, re.M), word


def test_the_picture_of_the_board_is_current() -> None:
    assert picture.PICTURE.read_text(encoding="utf-8") == picture.drawn()


def form(first: str) -> list[str]:
    """Return the keys of a conclusion line, as the firmware's README documents them."""
    (line,) = re.findall(rf"^    (> {first} .*=\S*)$", FIRMWARE_README, re.M)
    return re.findall(r"(\w+)=", line)


def test_conclusions_have_the_documented_form() -> None:
    runner = CliRunner()
    log = runner.invoke(main, ["simulate", "--strokes", "1"]).output
    for first in ("stroke", "game"):
        line = next(line for line in log.splitlines() if line.startswith(f"> {first} "))
        assert re.findall(r"(\w+)=", line) == form(first)


@pytest.mark.parametrize("flag", match.FLAG_NAMES)
def test_every_flag_is_documented(flag: str) -> None:
    assert f"`{flag}`" in FIRMWARE_README


def test_every_command_is_documented() -> None:
    for name in main.commands:
        assert f"`kegli {name}" in (ROOT / "README.md").read_text(encoding="utf-8")
        assert f"## kegli {name}" in (ROOT / "host_tools/README.md").read_text(encoding="utf-8")


def test_the_changelog_names_the_version_or_is_unreleased() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## \[(Unreleased|\d+\.\d+\.\d+)\]", changelog, re.M)
