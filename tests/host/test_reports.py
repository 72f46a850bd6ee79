"""What users of other boards reported, tried on this one; the links are to their reports."""

from __future__ import annotations

from itertools import pairwise

import pytest

from host_tools.virtual_board import VirtualBoard
from host_tools.virtual_table import Edge
from kegli.lines import BUTTONS

PINS = range(5)
ALL = frozenset({"pins", "cushions", "click", "zone"})
WRAP_US = 1 << 32


def fall(pin: int, t_us: int) -> list[Edge]:
    return [Edge(t_us + 2_000 * n, "pin", pin, 1 - n % 2) for n in range(3)]


def press(name: str, t_us: int) -> list[Edge]:
    button = BUTTONS.index(name)
    return [Edge(t_us, "btn", button, 1), Edge(t_us + 100_000, "btn", button, 0)]


def strokes(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("> stroke")]


def test_pins_that_fall_within_20_us_are_all_reported() -> None:
    """Two edges some microseconds apart, the later one lost: espressif/esp-idf#9746."""
    rounds = 400
    edges = []
    for n in range(rounds):
        t_us = 3_000_000 + 100_000 * n
        level = 1 - n % 2
        edges += [Edge(t_us + (n * (pin + 3) + 7 * pin) % 21, "pin", pin, level) for pin in PINS]
    with VirtualBoard() as board:
        board.inject(edges)
        board.run_until(3_000_000 + 100_000 * rounds + 1_000_000)
        said = [line for line in board.lines() if " pin " in line]
    assert len(said) == rounds * len(PINS)


def test_buttons_live_after_a_thousand_hits_at_once() -> None:
    """All interrupts dead after calls at the same time: espressif/esp-idf#6089."""
    edges = [
        Edge(2_000_000 + 2_500_000 * n, kind, which, 1)
        for n in range(1_000)
        for kind, which in (("hit", 0), ("hit", 1), ("hit", 2), ("hit", 3), ("click", 0))
    ]
    end_us = edges[-1].t_us
    with VirtualBoard(sensors=ALL) as board:
        board.write("new\n")
        board.inject(edges)
        board.run_until(end_us + 8_000_000)
        lines = board.lines()
        assert sum(" hit " in line for line in lines) == 4_000
        assert sum(" click" in line and line[0].isdigit() for line in lines) == 1_000
        board.inject(press("penalty", board.now_us + 1_000_000))
        board.run_until(board.now_us + 2_000_000)
        assert any("R4.3" in line or "judged" in line for line in strokes(board.lines()))


@pytest.mark.parametrize("start_us", [WRAP_US - 3_000_000, WRAP_US - 1, WRAP_US + 1])
def test_a_stroke_ends_across_2_to_the_32_us(start_us: int) -> None:
    """A scheduler that slept for 71.6 minutes: micropython/micropython#4795."""
    with VirtualBoard() as board:
        board.run_until(start_us - 1_000_000)
        board.write("new\n")
        board.inject([Edge(start_us, "hit", 1, 1), *fall(3, start_us + 500_000)])
        board.run_until(start_us + 7_000_000)
        (said,) = strokes(board.lines())
    assert f" t={start_us} pins=3 verdict=legal " in said


def test_half_an_hour_between_two_strokes_is_half_an_hour() -> None:
    """A difference of two ticks that overflowed: pycom/pycom-micropython-sigfox#113."""
    starts_us = [2_000_000, 1_802_000_000, 3_702_000_000]  # 30 and 31.7 min: ticks wrap in 17.9
    with VirtualBoard() as board:
        board.write("new\n")
        for start_us in starts_us:
            board.inject([Edge(start_us, "hit", 1, 1)])
        board.run_until(starts_us[-1] + 8_000_000)
        said = strokes(board.lines())
    times_us = [int(line.partition(" t=")[2].split()[0]) for line in said]
    assert times_us == starts_us
    gaps_us = [later - earlier for earlier, later in pairwise(times_us)]
    assert gaps_us == [1_800_000_000, 1_900_000_000]


def test_no_check_of_its_own_makes_the_board_deaf() -> None:
    """A test for the presence of sensors that masked hits in step with it: UC3Music/Shiva#17.

    Hits are swept over the first comparison of capture and clock, 50 ms after the start, over
    the next, five minutes later, and over what is done at rest every ten seconds.
    """
    sweeps_us = (45_000, 300_045_000, 320_000_000)
    edges = [
        Edge(start_us + 150_000 * n + 331 * n, "hit", n % 4, 1)
        for start_us in sweeps_us
        for n in range(40)
    ]
    with VirtualBoard() as board:
        board.inject(edges)
        board.run_until(400_000_000)
        said = [line.split() for line in board.lines() if " hit " in line]
    assert [int(words[0]) for words in said] == [edge.t_us for edge in edges]
    assert {words[3] for words in said} == {"2001"}


def test_a_pin_lights_long_before_the_stroke_is_over() -> None:
    """A light that came only after the lock-out: wnew/fencing_scoring_box#16."""
    with VirtualBoard() as board:
        board.write("new\n")
        board.run_until(1_500_000)
        board.inject([Edge(2_000_000, "hit", 1, 1), *fall(3, 2_500_000)])
        board.run_until(2_400_000)
        before = board.pixels()
        board.run_until(2_504_000 + 300_000)
        assert board.pixels() != before
        assert not strokes(board.lines())  # it still runs
