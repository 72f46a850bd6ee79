"""What each command looks like at a board, in host_tools/README.md: from runs at virtual ones.

`python -m tests.host.command_views` runs them and writes it there; a test fails when it is old.
What changes from run to run is left out: bytes as N, times as T, ports and folders by a usual
name.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from click.testing import CliRunner

import host_tools
from host_tools.cli import main
from host_tools.firmware_files import sources
from host_tools.link import Link
from host_tools.ports import Port
from tests.host.at_port import Board, board, forget_blinka, wired
from tests.host.mock_chip import mock_chip
from tests.host.test_flash import ESP32, image

README = Path(host_tools.__file__).with_name("README.md")
_PORT = "/dev/ttyUSB0"
_BEGIN = "<!-- run: {} -->\n"
_END = "<!-- end of the run -->\n"
_SPEED = 12

# What is left out, and what stands there instead.
_CHANGES = (
    (re.compile(r"(?m)^\d+ (?=(pin|hit|cmd|btn|match|end|boot)\b)"), "T "),
    (re.compile(r" t=\d+"), " t=T"),
    (re.compile(r"up \d+:\d\d:\d\d"), "up H:MM:SS"),
    (re.compile(r"\bstarted=\S+"), "started=T"),
    (re.compile(r"\b(heap:?|flash:?) \d+"), r"\1 N"),
    (re.compile(r"[\d,]+ KB free"), "N KB free"),
    (re.compile(r"\d+ at the least"), "N at the least"),
    (re.compile(r"\d+ ms at the worst"), "N ms at the worst"),
    (re.compile(r"to \d+ us"), "to N us"),
    (re.compile(r"at most [\d.]+ ms late, \d+ by"), "at most N ms late, N by"),
    (re.compile(r"\d+ bytes wait"), "N bytes wait"),
    (re.compile(r"[\d,]+ bytes (in|of) \d+ files"), r"N bytes \1 N files"),
    (re.compile(r"State \d+"), "State N"),
    (re.compile(r"state \d+"), "state N"),
    (re.compile(r"Python \d\S+, \S+ \S+$", re.M), "Python 3.11.7, Linux x86_64"),
    (re.compile(r"MicroPython 1\.29\.\S+ on Virtual module with"), "MicroPython 1.29.0 on"),
)


class _Views:
    """Runs commands in a folder of its own, and keeps how they look."""

    def __init__(self, folder: Path) -> None:
        self.views: dict[str, str] = {}
        self._folder = folder

    def run(self, name: str, path: str, words: str, typed: str = "") -> None:
        """Run `kegli WORDS` at the port *path*; *typed* is its standard input."""
        result = CliRunner().invoke(
            main, shlex.split(words), input=typed, env={"KEGLI_PORT": path}
        )
        shown = "kegli " + words
        if typed:
            shown = f"printf '{typed.replace(chr(10), chr(92) + 'n')}' | {shown}"
        text = result.output.replace(path, _PORT).replace(f"{self._folder}/", "")
        for pattern, instead in _CHANGES:
            text = pattern.sub(instead, text)
        lines = [f"$ {shown}", *text.splitlines()]
        if result.exit_code:
            lines.append(f"(status {result.exit_code})")
        self.views[name] = self.views.get(name, "") + "".join(f"    {x}\n" for x in lines)


def views() -> dict[str, str]:
    """Return how each command looks, by the name of its view."""
    with TemporaryDirectory(prefix="kegli-views-") as name:
        folder = Path(name)
        made = _Views(folder)
        here = os.getcwd()
        os.chdir(folder)
        try:
            _flash(made, folder)
            with board(folder, "--inputs", str(folder / "inputs"), speed=_SPEED) as virtual:
                _at_board(made, virtual)
        finally:
            os.chdir(here)
        return made.views


def _flash(made: _Views, folder: Path) -> None:
    (folder / "ESP32_GENERIC.bin").write_bytes(image(ESP32))
    with mock_chip() as chip:
        made.run("flash", chip.path, "flash ESP32_GENERIC.bin")


def _at_board(made: _Views, virtual: Board) -> None:
    path = virtual.path
    with patch("host_tools.board_commands.boards", lambda: [Port(_PORT, "CP210x", "0001")]):
        made.run("ports", path, "ports")
    made.run("status", path, "status")
    (virtual.flash / "kegli/buzzer.py").write_text("# an older one\n")
    (virtual.flash / "kegli/__init__.py").write_bytes(
        sources()["kegli/__init__.py"].replace(b'"0.', b'"0.0.')
    )
    made.run("deploy", path, "deploy")
    made.run("console", path, "console --filter '^>'", "new\npass\nmrak carom\n")
    made.run("settings", path, "settings get quiet_ms")
    made.run("settings", path, "settings set quiet_ms 5500")
    made.run("settings", path, "settings reset quiet_ms")
    made.run("selftest", path, "selftest")
    made.run("calibrate", path, "calibrate", "no\n")
    with _interrupted(" edges, "):
        made.run("watch", path, "watch")
    with _interrupted(" match + "):
        made.run("record", path, "record --a Аня --b Борис game.log")
    made.run("pull", path, "pull stored.log")
    made.run("doctor", path, "doctor")
    made.run("bundle", path, "bundle report.zip")
    _hil(made, virtual)


@contextmanager
def _interrupted(after: str) -> Iterator[None]:
    """Let Ctrl-C come when the board has said all that it says at once after such a line."""
    lines = Link.lines
    is_due = False

    def until(self: Link, for_s: float) -> list[str]:
        nonlocal is_due
        found = lines(self, for_s)
        if is_due and not found:
            raise KeyboardInterrupt
        is_due = is_due or any(after in line for line in found)
        return found

    with patch.object(Link, "lines", until):
        yield


def _hil(made: _Views, virtual: Board) -> None:
    """Wire outputs of Blinka's board that needs no hardware to the virtual board."""
    log = "1000000 cmd new\n3000000 hit 1 200\n3400000 pin 3 1 200\n3403000 pin 3 0 200\n"
    log += "3406000 pin 3 1 200\n11000000 pin 3 0 200\n12000000 end\n"
    Path("bench.log").write_text("# kegli-log 1 sensors=pins,cushions\n" + log)
    wires = {"hit 1": "Dx_OUTPUT", "pin 3": "NEOPIXEL"}
    with patch.dict(os.environ, {"BLINKA_OS_AGNOSTIC": "1"}):
        forget_blinka()
        with wired(virtual.flash.parent / "inputs", wires):
            words = " ".join(f"--wire '{name}={pin}'" for name, pin in wires.items())
            made.run("hil", virtual.path, f"hil --yes --speed {_SPEED} {words} bench.log")
        forget_blinka()


def updated(text: str, found: dict[str, str]) -> str:
    """Return *text* with each view between its two marks."""
    for name, view in found.items():
        before, begin, rest = text.partition(_BEGIN.format(name))
        _old, end, after = rest.partition(_END)
        if not begin or not end:
            raise ValueError(f"There is no place for the view of {name}.")
        text = f"{before}{begin}\n{view}\n{end}{after}"
    return text


if __name__ == "__main__":
    README.write_text(updated(README.read_text(encoding="utf-8"), views()), encoding="utf-8")
