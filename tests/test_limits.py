"""Limits that the firmware sets itself: what is past them is refused or forgotten, never wrong."""

import struct
from binascii import a2b_base64, b2a_base64, crc32

import pytest

from host_tools.replay import game_rows, stroke_rows
from kegli.history import parse_match
from kegli.position import format_match
from kegli.referee import Referee
from tests.play import HEADER, play, script

CLICK = "# kegli-log 1 sensors=pins,cushions,click"
ZONE = "# kegli-log 1 sensors=pins,cushions,zone"
STROKE = [
    "1000000000 click",
    "1000200000 click",
    "1000500000 hit 1",
    "1001000000 pin 1 1",
    "1009000000 end",
]


@pytest.mark.parametrize("practice", [0, 1, 64, 65, 200])
def test_contacts_heard_before_are_forgotten(practice: int) -> None:
    """Balls knocked about for hours, never two within the quiet time, then a stroke."""
    clicks = [f"{7_000_000 * n} click" for n in range(1, practice + 1)]
    tail = [line.replace("100", "9100", 1) for line in STROKE]
    (stroke,) = play("\n".join([*clicks, "9000000000 cmd new", *tail]), CLICK).strokes
    # One contact after the cue's own, a cushion before the fall: legal, not certain.
    assert (stroke["verdict"], stroke["certain"], stroke["pins"]) == ("legal", False, [1])


@pytest.mark.parametrize("visits", [0, 1, 6, 7, 8, 30])
def test_a_visit_to_the_zone_at_the_fall_is_kept(visits: int) -> None:
    """The cue ball fells a pin, then trembles on the edge of the zone."""
    lines = ["0 cmd new", "1000000 hit 1", "1500000 zone 1", "1510000 pin 1 1", "1600000 zone 0"]
    for n in range(visits):
        lines += [f"{2_000_000 + 100_000 * n} zone 1", f"{2_050_000 + 100_000 * n} zone 0"]
    (stroke,) = play("\n".join([*lines, "30000000 end"]), ZONE).strokes
    assert (stroke["verdict"], stroke["certain"]) == ("cue", True)


@pytest.mark.parametrize("visits", [0, 1, 6, 7, 8, 30])
def test_a_visit_to_the_zone_at_a_rock_is_not_of_the_fall_that_follows(visits: int) -> None:
    """The cue ball only rocks a pin and leaves; a ball fells that pin later (R4.1, R5.6)."""
    lines = ["0 cmd new", "1000000 hit 1", "1500000 zone 1", "1510000 pin 1 1", "1515000 zone 0"]
    for n in range(visits):
        lines += [f"{1_520_000 + 2_000 * n} zone 1", f"{1_521_000 + 2_000 * n} zone 0"]
    lines += ["1590000 pin 1 0", "3000000 pin 1 1", "30000000 end"]
    (stroke,) = play("\n".join(lines), ZONE).strokes
    assert (stroke["verdict"], stroke["certain"], stroke["pins"]) == ("legal", True, [1])


def test_a_full_record_takes_no_more_and_says_so() -> None:
    referee = Referee(HEADER)
    referee.feed("0 cmd new")
    most = 0xFFF0
    for n in range(1, most + 5):
        referee.feed(f"{n} cmd pass")
    referee.feed(f"{30_000_000} hit 1")  # and a stroke that is sensed is suppressed
    referee.feed(f"{31_000_000} pin 1 1")
    referee.feed(f"{60_000_000} end")
    referee.finish()
    said = referee.take()
    assert said.count("> refused 'pass': the record is full") == 5
    assert len(stroke_rows(referee)) == most - 1
    assert game_rows(referee)[0]["errors"] == 5
    referee.feed("61000000 cmd undo")
    referee.finish()
    assert len(stroke_rows(referee)) == most - 2


def forged(text: str, place: int, value: int) -> str:
    """Return a `match` text with one byte changed and a checksum that fits."""
    *people, packed = text.split(" ")
    data = bytearray(a2b_base64(packed))[:-4]
    data[place] = value
    data += struct.pack("<I", crc32(data))
    return " ".join([*people, b2a_base64(data).decode()[:-1]])


def test_a_match_line_that_makes_no_sense_is_refused_or_harmless() -> None:
    steps = "0 new a.target=20 pair=1; 1 stroke 0,3; 6 annul 0; 9 mark touch; 10 turn a; 11 lean 2"
    before = Referee(HEADER)
    for line in script(steps).splitlines():
        before.feed(line)
    before.finish()
    text = format_match(before.match)
    size = len(a2b_base64(text.split(" ")[-1])) - 4
    refused = 0
    for place in range(size):
        for value in (0, 1, 2, 5, 13, 31, 32, 64, 127, 255):
            line = "0 match " + forged(text, place, value)
            referee = Referee(HEADER)
            try:
                referee.feed(line)
            except ValueError:
                refused += 1
                continue
            for after in script(
                "20 stroke 1; 30 mark carom; 31 judge 1 miss; 40 pass"
            ).splitlines():
                referee.feed(after)
            referee.feed("60000000 cmd next")
            referee.finish()
            stroke_rows(referee)
            game_rows(referee)
            parse_match(format_match(referee.match).split(" "))
    assert 0 < refused < size * 10
