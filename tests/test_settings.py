"""Settings: the table, the file that is cut anywhere, and what the console makes of them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import chdir, closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_tools.interpreters import UNIX, run
from kegli import header, settings
from tests.test_app import Bench

SCRIPT = Path(__file__).parent / "on_micropython" / "cut_settings.py"
# What can be set, least and most; from the contract's times and the documentation.
RANGES = {
    "bounce_ms": (5, 500, 60),
    "fall_hold_ms": (20, 2000, 150),
    "button_hold_ms": (5, 500, 20),
    "quiet_ms": (1000, 60000, 6000),
    "ready_ms": (100, 10000, 1000),
    "cushion_mv": (20, 3300, 200),
    "click_mv": (20, 3300, 200),
    "brightness": (1, 255, 80),
    "limit_ma": (200, 4000, 2500),
    "buzzer": (0, 1, 1),
    "log_kb": (0, 1500, 512),
}
WORDS = {"sensors": "pins,cushions", "pins": "0,1,2,3,4", "cushions": "0,1,2,3"}
EMPTY = ("new", "a.name", "b.name")


@pytest.fixture(autouse=True)
def flash(tmp_path: Path) -> Iterator[Path]:
    """Give each test a flash of its own, as the current folder."""
    with chdir(tmp_path):
        yield tmp_path


# -- The table


def test_everything_has_a_unit_a_span_a_usual_value_and_a_reason() -> None:
    assert {row[0] for row in settings.TABLE} == {*RANGES, *WORDS, *EMPTY}
    texts = (Path(settings.__file__).parent / "help.txt").read_text(encoding="utf-8")
    assert re.findall(r"^setting (\S+): .", texts, re.M) == [row[0] for row in settings.TABLE]
    for key, unit, _kind, usual in settings.TABLE:
        assert unit == {"ms": "ms", "mv": "mV", "ma": "mA", "kb": "KB"}.get(key[-2:], "")
        if usual != "":
            assert settings.parse(key, str(usual)) == usual
    times = {key: usual for key, _, _, usual in settings.TABLE if key.endswith("_ms")}
    assert times == dict(header.SETTINGS)


@pytest.mark.parametrize("key", RANGES)
def test_numbers_have_their_ends(key: str) -> None:
    least, most, usual = RANGES[key]
    assert settings.usual()[key] == usual
    assert settings.parse(key, str(least)) == least
    assert settings.parse(key, str(most)) == most
    for text in (str(least - 1), str(most + 1), "", "x", "1.5", "-1", "1e3", "٣"):
        with pytest.raises(ValueError, match=f"^{key}: ") as error:
            settings.parse(key, text)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("sensors", "zone", "pins,cushions,zone"),
        ("sensors", "zone,click,pins", "pins,cushions,click,zone"),
        ("sensors", "laser", None),
        ("sensors", "", "pins,cushions"),
        ("pins", "4,3,2,1,0", "4,3,2,1,0"),
        ("pins", "0,1,2,3", None),
        ("pins", "0,1,2,3,3", None),
        ("pins", "0,1,2,3,5", None),
        ("cushions", "1,0,2,3", "1,0,2,3"),
        ("cushions", "0,1,2,3,4", None),
        ("new", " a.target=60  b.mode=single ", "a.target=60 b.mode=single"),
        ("new", "a.target=0", None),
        ("new", "speed=3", None),
        ("a.name", "%D0%90%D0%BD%D1%8F", "%D0%90%D0%BD%D1%8F"),
        ("a.name", "Anna", "Anna"),
        ("a.name", "A B", None),
        ("a.name", "%D", None),
        ("a.name", "%ZZ", None),
        ("a.name", "x" * 60, "x" * 60),
        ("a.name", "x" * 61, None),
        ("b.name", "é", None),
        ("colour", "red", None),
    ],
)
def test_words_are_what_they_may_be(key: str, text: str, value: str | None) -> None:
    if value is None:
        with pytest.raises(ValueError, match=r"\w"):
            settings.parse(key, text)
    else:
        assert settings.parse(key, text) == value


# -- The file


def written(**values: int | str) -> bytes:
    """Write settings, and return the file."""
    settings.write({**settings.usual(), **{k.replace("__", "."): v for k, v in values.items()}})
    return Path(settings.FILE).read_bytes()


def test_the_file_holds_what_differs_and_its_version() -> None:
    data = written(quiet_ms=5000, a__name="Anna")
    assert json.loads(data) == {"kegli-settings": 1, "quiet_ms": 5000, "a.name": "Anna"}
    values, wrong = settings.read()
    assert wrong == []
    assert values == {**settings.usual(), "quiet_ms": 5000, "a.name": "Anna"}
    assert os.listdir() == [settings.FILE]


def test_without_a_file_everything_is_usual() -> None:
    assert settings.read() == (settings.usual(), [])


def test_what_firmware_0_1_0_wrote_is_read() -> None:
    Path(settings.FILE).write_text('{"sensors": "pins,cushions,click"}\n')
    assert settings.read() == ({**settings.usual(), "sensors": "pins,cushions,click"}, [])


@pytest.mark.parametrize("version", [2, 99, -1, "1", True, None, [1]])
def test_another_version_is_refused_with_a_sentence_and_kept(version: object) -> None:
    text = json.dumps({"kegli-settings": version, "quiet_ms": 5000})
    Path(settings.FILE).write_text(text)
    values, wrong = settings.read()
    assert values == settings.usual()
    assert wrong[0].startswith("settings.json is of another firmware, form ")
    assert wrong[1:] == ["What it was is kept as settings.bad."]
    assert Path("settings.bad").read_text() == text


def test_a_file_cut_at_every_byte_is_told_and_kept_and_the_usual_holds() -> None:
    whole = written(quiet_ms=5000, sensors="pins,cushions,click", a__name="Anna")
    told = 0
    for length in range(len(whole)):
        Path(settings.FILE).write_bytes(whole[:length])
        values, wrong = settings.read()
        if whole[:length] == whole[:-1]:  # but for the LF it is whole
            assert (values["quiet_ms"], wrong) == (5000, [])
            continue
        assert values == settings.usual()
        assert wrong == [
            "settings.json cannot be read: the usual settings hold.",
            "What it was is kept as settings.bad.",
        ]
        assert Path("settings.bad").read_bytes() == whole[:length]
        told += 1
    assert told == len(whole) - 1


def test_a_bad_value_is_named_and_the_others_hold() -> None:
    said = {"quiet_ms": 5, "ready_ms": 2000, "speed": 1, "pins": [0], "click_mv": True, "new": ""}
    Path(settings.FILE).write_text(json.dumps(said))
    values, wrong = settings.read()
    assert values == {**settings.usual(), "ready_ms": 2000}
    assert wrong == [
        "settings.json: click_mv: 'True' is no value: its usual value holds.",
        "settings.json: pins: '...' is no value: its usual value holds.",
        "settings.json: quiet_ms: 5 is less than 1000: its usual value holds.",
        "settings.json: there is no setting 'speed': its usual value holds.",
        "What it was is kept as settings.bad.",
    ]


@given(
    st.binary(max_size=300)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["quiet_ms", "pins", "kegli-settings", "x"]), inner)
        ),
        max_leaves=10,
    ).map(lambda value: json.dumps(value).encode())
)
def test_any_bytes_are_settings_or_told(data: bytes) -> None:
    Path(settings.FILE).write_bytes(data)
    values, wrong = settings.read()
    assert set(values) == set(settings.usual())
    assert all("\n" not in sentence for sentence in wrong)
    for key, value in values.items():
        if value != settings.usual()[key]:
            assert settings.parse(key, str(value)) == value
    Path(settings.FILE).unlink()


def test_a_file_of_megabytes_or_brackets_is_told() -> None:
    for data in (b" " * 5000 + b"{}", b"[" * 4096, b'{"x":' * 800):
        Path(settings.FILE).write_bytes(data)
        assert settings.read()[1][0] == "settings.json cannot be read: the usual settings hold."


def test_micropython_reads_a_cut_file_as_cpython_does(tmp_path: Path) -> None:
    said = run(UNIX, SCRIPT, tmp_path)
    *cuts, lf, whole = [line for line in said if not line.startswith("bad ")]
    assert lf == "-1 False 0"
    assert whole == "0 False 0"
    assert len(cuts) > 40
    assert {line.split(" ", 1)[1] for line in cuts} == {"True 2"}
    bad = said[len(cuts) + 2 :]
    assert len(bad) == 11
    assert set(bad) == {"bad True 2"}


# -- On the console


def typed(*lines: str) -> list[str]:
    """Return what the board answers to lines of the console."""
    with closing(Bench()) as bench:
        bench.start()
        bench.lines()
        bench.type("".join(f"{line}\n" for line in lines).encode())
        return bench.play(200_000)


def test_settings_lists_them_all() -> None:
    printed = typed("settings")
    assert [line.split(" ")[1] for line in printed] == [row[0] for row in settings.TABLE]
    assert "> quiet_ms = 6000 ms (1000 to 60000)" in printed
    assert typed("settings list") == printed


def test_settings_are_got_set_and_reset() -> None:
    assert typed("settings get quiet_ms") == [
        "> quiet_ms = 6000 ms (1000 to 60000)",
        "> silence that ends a stroke: a slow ball needs it",
    ]
    again = "> It holds from the next start: say restart."
    assert typed("settings set quiet_ms 5000", "settings set new a.target=60 b.target=60") == [
        "> quiet_ms = 5000 ms (1000 to 60000; usual: 6000)",
        again,
        "> new = a.target=60 b.target=60 (words of new; usual: nothing)",
        again,
    ]
    assert typed("settings set quiet_ms 5000", "settings reset quiet_ms")[2:] == [
        "> quiet_ms = 6000 ms (1000 to 60000)",
        again,
    ]
    assert typed("settings set quiet_ms 5000", "settings reset")[2:] == [
        "> All settings are the usual ones.",
        again,
    ]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("settings set quiet_ms 5", "quiet_ms: 5 is less than 1000"),
        ("settings set speed 5", "there is no setting 'speed'"),
        ("settings get speed", "there is no setting 'speed'"),
        ("settings reset speed", "there is no setting 'speed'"),
        ("settings set pins 0,0,1,2,3", "pins: '0,0,1,2,3' does not have each number once"),
        (
            "settings set quiet_ms",
            "say settings, settings get KEY, settings set KEY VALUE, settings reset [KEY]",
        ),
        (
            "settings fly",
            "say settings, settings get KEY, settings set KEY VALUE, settings reset [KEY]",
        ),
        (
            "settings get",
            "say settings, settings get KEY, settings set KEY VALUE, settings reset [KEY]",
        ),
        ("status now", "'now' is one word too many"),
        ("log now", "'now' is one word too many"),
        ("restart now", "'now' is one word too many"),
        ("factory", "say 'factory reset': it forgets settings, score and logs"),
        ("factory reset all", "say 'factory reset': it forgets settings, score and logs"),
    ],
)
def test_what_makes_no_sense_is_one_sentence_and_changes_nothing(line: str, sentence: str) -> None:
    with closing(Bench()) as bench:
        bench.start()
        before = os.listdir()
        bench.lines()
        bench.type(f"{line}\n".encode())
        assert bench.play(200_000) == [f"> refused '{line}': {sentence}"]
        assert os.listdir() == before
