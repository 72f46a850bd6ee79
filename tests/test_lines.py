"""Lines of a log: what parses and what does not, the header, and the order of lines."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from host_tools.replay import game_rows, stroke_rows
from kegli.header import parse_header
from kegli.lines import parse
from kegli.referee import Referee
from tests.play import HEADER, script

FAST = settings(deadline=None, derandomize=True, max_examples=200)


# As numbered in the lowest bits of a code.
KINDS = ("pin", "hit", "click", "zone", "btn", "cmd", "lost", "boot", "match", "end")
CLICKS, ZONES = 1, 2  # the mask of optional sensors


def read(text: str) -> tuple[Any, ...] | None:
    """Return time, kind, which, level, what stands above them, and the words, of a line."""
    item = parse(text)
    if item is None:
        return None
    code = item[1]
    return item[0], KINDS[code & 15], code >> 4 & 15, code >> 8 & 1, code >> 9, *item[2:]


# fmt: off
GOOD: list[tuple[str, tuple[Any, ...]]] = [
    # line                          time, kind, which, level, uncertainty or N, words
    ("1 pin 0 1",                   (1, "pin", 0, 1, 0)),
    ("1 pin 4 0",                   (1, "pin", 4, 0, 0)),
    ("1283000 pin 3 1 200",         (1283000, "pin", 3, 1, 200)),
    ("1 pin 3 1 0",                 (1, "pin", 3, 1, 0)),
    ("1 hit 0",                     (1, "hit", 0, 0, 0)),
    ("1 hit 3 7",                   (1, "hit", 3, 0, 7)),
    ("1 click",                     (1, "click", 0, 0, 0)),
    ("1 click 1",                   (1, "click", 0, 0, 1)),
    ("1 zone 1",                    (1, "zone", 1, 0, 0)),
    ("1 zone 0 2200",               (1, "zone", 0, 0, 2200)),
    ("1 btn ok 1",                  (1, "btn", 0, 1, 0)),
    ("1 btn penalty 0",             (1, "btn", 1, 0, 0)),
    ("1 btn carom 1",               (1, "btn", 2, 1, 0)),
    ("1 btn fine 0",                (1, "btn", 3, 0, 0)),
    ("1 btn undo 1",                (1, "btn", 4, 1, 0)),
    ("1 lost 0",                    (1, "lost", 0, 0, 0)),
    ("1 lost 4096",                 (1, "lost", 0, 0, 4096)),
    ("1 boot watchdog",             (1, "boot", 0, 0, 0)),
    ("1 boot software",             (1, "boot", 1, 0, 0)),
    ("1 end",                       (1, "end", 0, 0, 0)),
    ("1 match x",                   (1, "match", 0, 0, 0, ["x"])),
    ("1 cmd new",                   (1, "cmd", 0, 0, 0, ["new"])),
    ("1 cmd new a.target=60 first=b", (1, "cmd", 0, 0, 0, ["new", "a.target=60", "first=b"])),
    # "A `cmd` line with at least one word always parses."
    ("1 cmd frob -1 # > \x01",      (1, "cmd", 0, 0, 0, ["frob", "-1", "#", ">", "\x01"])),
    # "`t_us`: as long as it needs to be"
    ("0 end",                       (0, "end", 0, 0, 0)),
    ("1073741824 end",              (2**30, "end", 0, 0, 0)),
    ("86400000000 end",             (86_400_000_000, "end", 0, 0, 0)),
    ("999999999999999999 end",      (10**18 - 1, "end", 0, 0, 0)),
    ("1 hit 0 999999999999999999",  (1, "hit", 0, 0, 10**18 - 1)),
    # "words separated by one space (more are accepted)", "CR LF is accepted"
    ("1  pin   3 1",                (1, "pin", 3, 1, 0)),
    ("1 pin 3 1 ",                  (1, "pin", 3, 1, 0)),
    ("1 pin 3 1\r",                 (1, "pin", 3, 1, 0)),
    ("1 cmd new \r",                (1, "cmd", 0, 0, 0, ["new"])),
    ("007 pin 03 01",               (7, "pin", 3, 1, 0)),
]

COMMENTS = ["", "\r", "#", "# kegli-log 1", "#1 hit 0", "# \x00\xff", "> stroke", ">", "> \xe9"]

BAD = [
    # line                  what the sentence says
    ("x",                   "needs a time and a kind"),
    ("1",                   "needs a time and a kind"),
    ("1\r\r",               "needs a time and a kind"),
    ("1\tend",              "needs a time and a kind"),
    ("1 \r",                "needs a time and a kind"),
    ("hit 1 0",             "'hit' is not a whole number"),
    ("-1 end",              "'-1' is not a whole number"),
    ("+1 end",              "'+1' is not a whole number"),
    ("1.0 end",             "'1.0' is not a whole number"),
    ("1e3 end",             "'1e3' is not a whole number"),
    ("0x1 end",             "'0x1' is not a whole number"),
    ("1_000 end",           "'1_000' is not a whole number"),
    ("1000000000000000000 end", "'1000000000000000000' is not a whole number"),
    ("\xb2 end",            "'?' is not a whole number"),
    ("1\xb2 end",           "'1?' is not a whole number"),
    ("1 hit \xb2",          "'?' is not a whole number"),
    ("1 hit 0 \xb9",        "'?' is not a whole number"),
    ("1 hit \u0663",        "'?' is not a whole number"),
    ("1 knock",             "there is no kind 'knock'"),
    ("1 PIN 0 1",           "there is no kind 'PIN'"),
    ("1 pin\t0 1",          "there is no kind 'pin?0'"),
    ("1 \xe9",              "there is no kind '?'"),
    ("1 # comment",         "there is no kind '#'"),
    ("1 pin",               "'pin' has the wrong number of arguments"),
    ("1 pin 0",             "'pin' has the wrong number of arguments"),
    ("1 pin 0 1 1 1",       "'pin' has the wrong number of arguments"),
    ("1 pin 5 0",           "5 is more than 4"),
    ("1 pin 0 2",           "2 is more than 1"),
    ("1 pin 0 -1",          "'-1' is not a whole number"),
    ("1 pin king 1",        "'king' is not a whole number"),
    ("1 pin 0 1 ?",         "'?' is not a whole number"),
    ("1 pin 0 1 1000000000000000000", "'1000000000000000000' is not a whole number"),
    ("1 hit",               "'hit' has the wrong number of arguments"),
    ("1 hit 0 1 2",         "'hit' has the wrong number of arguments"),
    ("1 hit 4",             "4 is more than 3"),
    ("1 hit head",          "'head' is not a whole number"),
    ("1 click 1 2",         "'click' has the wrong number of arguments"),
    ("1 click x",           "'x' is not a whole number"),
    ("1 zone",              "'zone' has the wrong number of arguments"),
    ("1 zone 2",            "2 is more than 1"),
    ("1 zone 1 1 1",        "'zone' has the wrong number of arguments"),
    ("1 btn ok",            "'btn' has the wrong number of arguments"),
    ("1 btn ok 1 1",        "'btn' has the wrong number of arguments"),
    ("1 btn ok 2",          "2 is more than 1"),
    ("1 btn cancel 1",      "'cancel' is none of: ok penalty carom fine undo"),
    ("1 btn 0 1",           "'0' is none of: ok penalty carom fine undo"),
    ("1 lost",              "'lost' has the wrong number of arguments"),
    ("1 lost 1 1",          "'lost' has the wrong number of arguments"),
    ("1 lost many",         "'many' is not a whole number"),
    ("1 boot",              "'boot' has the wrong number of arguments"),
    ("1 boot software now", "'boot' has the wrong number of arguments"),
    ("1 boot power",        "'power' is none of: watchdog software"),
    ("1 end 1",             "'end' has the wrong number of arguments"),
    ("1 cmd",               "'cmd' has the wrong number of arguments"),
    ("1 cmd ",              "'cmd' has the wrong number of arguments"),
    ("1 cmd new \xe9",      "it is not ASCII"),
    ("1 cmd \x80",          "it is not ASCII"),
    ("1 match",             "'match' has the wrong number of arguments"),
    ("1 match \xe9",        "it is not ASCII"),
]
# fmt: on


@pytest.mark.parametrize(("text", "expected"), GOOD)
def test_good_lines(text: str, expected: tuple[Any, ...]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize("text", COMMENTS)
def test_comments_and_blank_lines_are_no_input(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(("text", "reason"), BAD)
def test_bad_lines_are_refused_with_one_sentence(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)) as caught:
        parse(text)
    assert str(caught.value).isascii()
    assert str(caught.value).isprintable()


def test_a_sentence_does_not_repeat_a_long_line() -> None:
    with pytest.raises(ValueError, match="there is no kind") as caught:
        parse("1 " + "x" * 1_000_000)
    assert len(str(caught.value)) < 100


# The header


def sensors_of(header: str) -> int:
    """Return the mask of optional sensors."""
    return parse_header(header)[0]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("# kegli-log 1", 0),
        ("# kegli-log 1 sensors=pins,cushions", 0),
        ("# kegli-log 1 sensors=pins,cushions,click", CLICKS),
        ("# kegli-log 1 sensors=zone,cushions,pins", ZONES),
        ("# kegli-log 1 sensors=pins,cushions,click,zone", CLICKS | ZONES),
        ("# kegli-log 1 sensors=click", CLICKS),
        ("# kegli-log 1 sensors=pins,cushions,laser,clicks", 0),
        ("# kegli-log 1 sensors=", 0),
        ("# kegli-log 1 board=click firmware=zone", 0),
    ],
)
def test_sensors_of_the_header(header: str, expected: int) -> None:
    assert sensors_of(header) == expected


def test_settings_of_the_header() -> None:
    """The defaults are those of the contract's table."""
    defaults = {
        "bounce_ms": 60,
        "fall_hold_ms": 150,
        "button_hold_ms": 20,
        "quiet_ms": 6000,
        "ready_ms": 1000,
    }
    assert parse_header("# kegli-log 1")[1] == defaults
    assert parse_header("# kegli-log 1 fine=9")[1] == defaults
    for name in defaults:
        for value in (0, 1, 5000):
            header = f"# kegli-log 1 board=x {name}={value} sensors=click"
            assert parse_header(header)[1] == {**defaults, name: value}


def test_unknown_keys_are_ignored() -> None:
    header = "# kegli-log 1 board=esp32 a=%D0%90%D0%BD%D1%8F colour=red started=2026-11-30T18:05"
    sensors, times, others = parse_header(header)
    assert (sensors, times) == parse_header("# kegli-log 1")[:2]
    assert others["a"] == "%D0%90%D0%BD%D1%8F"
    assert others["started"] == "2026-11-30T18:05"


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("", "the first line is not '# kegli-log 1 ...'"),
        ("1 hit 0", "the first line is not '# kegli-log 1 ...'"),
        ("#kegli-log 1", "the first line is not '# kegli-log 1 ...'"),
        ("# kegli 1", "the first line is not '# kegli-log 1 ...'"),
        ("# Kegli-Log 1", "the first line is not '# kegli-log 1 ...'"),
        (" # kegli-log 1", "the first line is not '# kegli-log 1 ...'"),
        ("\ufeff# kegli-log 1", "the first line is not '# kegli-log 1 ...'"),
        ("# kegli-log", "without a version"),
        ("# kegli-log ", "without a version"),
        ("# kegli-log 2", "kegli-log 2"),
        ("# kegli-log 10", "kegli-log 10"),
        ("# kegli-log 1.1", "kegli-log 1.1"),
        ("# kegli-log v1", "kegli-log v1"),
        ("# kegli-log \xe9", "kegli-log ?"),
        ("# kegli-log 1 quiet_ms=x", "quiet_ms"),
        ("# kegli-log 1 quiet_ms=-1", "quiet_ms"),
        ("# kegli-log 1 quiet_ms=", "quiet_ms"),
        ("# kegli-log 1 quiet_ms=\xb2", "quiet_ms"),
        ("# kegli-log 1 ready_ms=999999999999", "ready_ms"),
    ],
)
def test_bad_headers_are_refused_with_one_sentence(header: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)) as caught:
        Referee(header)
    assert str(caught.value).isascii()
    assert str(caught.value).isprintable()


# The referee


def seen(referee: Referee) -> tuple[Any, ...]:
    """Return all that can be seen of a referee."""
    return (
        stroke_rows(referee),
        game_rows(referee),
        referee.state,
        referee.pins_down,
        referee.pins_felled,
        referee.evaluated_us,
        referee.take(),
    )


@pytest.mark.parametrize("t_us", [1_000_000, 2**30 + 5, 86_400_000_000])
def test_a_line_may_stand_20_ms_behind(t_us: int) -> None:
    referee = Referee(HEADER)
    referee.feed(f"{t_us} end")
    referee.feed(f"{t_us - 20_000} end")
    with pytest.raises(ValueError, match=f"(?s){t_us - 20_001}.*{t_us}"):
        referee.feed(f"{t_us - 20_001} end")
    # 20 ms behind the latest time, not behind the line before.
    referee.feed(f"{t_us - 20_000} end")
    referee.feed(f"{t_us + 1} end")
    with pytest.raises(ValueError, match=f"(?s){t_us - 20_000}.*{t_us + 1}"):
        referee.feed(f"{t_us - 20_000} end")


def test_time_that_passed_counts_as_seen() -> None:
    referee = Referee(HEADER)
    referee.advance(1_000_000)
    referee.feed("980000 end")
    with pytest.raises(ValueError, match=r"979999.*1000000"):
        referee.feed("979999 end")


def test_every_kind_of_line_may_come_too_late() -> None:
    referee = Referee(HEADER)
    referee.feed("1000000 end")
    for text, expected in GOOD:
        if expected[1] == "match":
            continue  # is refused for another reason until it is read
        with pytest.raises(ValueError, match="is more than 20 ms behind"):
            referee.feed("5 " + text.split(" ", 1)[1])


def test_a_bad_line_moves_no_time() -> None:
    referee = Referee(HEADER)
    referee.feed("10 end")
    with pytest.raises(ValueError, match="5 is more than 4"):
        referee.feed("5000000 pin 5 1")
    referee.feed("5 end")


def test_a_skipped_line_moves_no_time_and_is_counted() -> None:
    referee = Referee(HEADER)
    referee.feed("10 cmd new")
    referee.skip()
    referee.feed("5 end")
    referee.finish()
    assert game_rows(referee)[0]["errors"] == 1
    assert referee.evaluated_us == 10


def test_a_tardy_line_changes_nothing() -> None:
    referee, other = Referee(HEADER), Referee(HEADER)
    for line in script("0 new; 1 stroke 0; 9 hit 0; 9.1 fall 2").splitlines():
        referee.feed(line)
        other.feed(line)
    for text in ("9079999 hit 0", "9000000 cmd undo", "1 pin 3 1", "0 lost 3"):
        with pytest.raises(ValueError, match="is more than 20 ms behind 9100000"):
            referee.feed(text)
    for line in ("9080000 pin 3 1", "30000000 end"):
        referee.feed(line)
        other.feed(line)
    referee.finish()
    other.finish()
    assert seen(referee) == seen(other)


GAME = script(
    "0 new; 1 stroke 0; 9 mark carom; 12 hit 1; 12.4 fall 1,2; 12.5 click; 13 zone 1; 14 ok;"
    "14.5 btn undo 1; 14.7 btn undo 0; 15 stand 1,2; 20 fall 4; 21 lost 2; 28 boot software;"
    "29 stand 4; 33 pass; 34 undo; 35 redo; 40 end"
).splitlines()

WORDS = st.sampled_from(
    [
        *KINDS,
        *("#", ">", "ok", "new", "mark", "0", "1", "2", "4", "5", "20000", "12400000", "-1"),
        *("x", "\xb2", "\xe9", "9999999999", "999999999999999999", "1000000000000000000"),
    ]
)


def spoiled(line: str, place: int, character: str) -> str:
    """Return a line with one character put in or instead of another."""
    place %= 2 * len(line) + 1
    return line[: place // 2] + character + line[(place + 1) // 2 :]


GARBAGE = st.one_of(
    st.text(st.characters(max_codepoint=255, exclude_characters="\n"), max_size=30),
    st.text(max_size=10),
    st.lists(WORDS, max_size=5).map(" ".join),
    st.builds(
        spoiled, st.sampled_from(GAME), st.integers(0, 80), st.sampled_from(" 0159x#\r\t\xb2\xff-")
    ),
)


def refusal(referee: Referee, text: str) -> str:
    """Feed a line. Return why it is refused, "" if it is not."""
    try:
        referee.feed(text)
    except ValueError as error:
        (reason,) = error.args
        return str(reason)
    return ""


@given(st.lists(st.tuples(st.integers(0, len(GAME)), GARBAGE), max_size=12))
@example([(0, "1 end 1"), (3, "0 cmd"), (9, "5 pin 5 5")])
@FAST
def test_a_refused_line_is_as_if_it_had_not_been(spoilt: list[tuple[int, str]]) -> None:
    """Any text at all is taken, or refused with one line, and then it leaves no trace."""
    referee, other = Referee(HEADER + ",click,zone"), Referee(HEADER + ",click,zone")
    texts: list[tuple[str, bool]] = [(line, True) for line in GAME]
    for place, text in sorted(spoilt, reverse=True):
        texts.insert(place, (text, False))
    for text, is_game in texts:
        reason = refusal(referee, text)
        assert "\n" not in reason
        assert len(reason) < 200
        # Lines of the game are refused only after a wild one that is far in the future.
        assert not (is_game and reason) or "is more than 20 ms behind" in reason
        if not reason:
            other.feed(text)
    referee.finish()
    other.finish()
    assert seen(referee) == seen(other)
