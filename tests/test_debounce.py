"""Movements of a pin and presses of a button, from raw edges."""

from collections.abc import Callable

import pytest

from kegli.debounce import Button
from kegli.referee import Referee
from tests.play import HEADER, microseconds, play, script

NO, SHORT, LONG = range(3)  # what an edge of a button says


def falls(steps: str, settings: str = "") -> list[tuple[int, list[int]]]:
    """Return t_us and pins of each stroke of a game in which only pins move."""
    header = HEADER + " " + settings
    strokes = play(script("0 new; " + steps + "; 60 end"), header).strokes
    return [(stroke["t_us"], stroke["pins"]) for stroke in strokes]


# fmt: off
MOVEMENTS = [
    # what happens, edges, settings, time of the fall (None: a rock)
    ("a fall",                   "1 fall 3",                                         "", "1"),
    ("no edge",                  "1 stand 3",                                        "", None),
    ("just not long enough",     "1 rock 3 0.149999",                                "", None),
    ("long enough",              "1 rock 3 0.15",                                    "", "1"),
    ("longer",                   "1 rock 3 0.150001",                                "", "1"),
    ("at time 0",                "0 fall 0",                                         "", "0"),
    ("a rock in one movement",   "1 rock 3 0.059999",                                "", None),
    ("tilted again in it",       "1 rock 3 0.059999; 1.119998 fall 3",               "", "1"),
    ("tilted again, just in it", "1 rock 3 0.01; 1.069999 fall 3",                   "", "1"),
    ("tilted again after it",    "1 rock 3 0.01; 1.07 fall 3",                       "", "1.07"),
    ("edges 60 ms apart",        "1 rock 3 0.06; 1.12 fall 3",                       "", "1.12"),
    ("two rocks, then a fall",   "1 rock 3 0.1; 1.2 rock 3 0.1; 1.4 fall 3",         "", "1.4"),
    ("rocks only",               "1 rock 3 0.1; 1.2 rock 3 0.1; 1.4 rock 3 0.1",     "", None),
    ("upright for an instant",   "1 fall 3; 1.14 stand 3; 1.14 fall 3",              "", "1.14"),
    ("a level repeated",         "1 fall 3; 1.05 fall 3; 1.1 fall 3",                "", "1"),
    ("repeated, then upright",   "1 fall 3; 1.1 fall 3; 1.149999 stand 3",           "", None),
    ("repeated, long enough",    "1 fall 3; 1.1 fall 3; 1.15 stand 3",               "", "1"),
    ("bounce makes it later",    "1 rock 3 0.01; 1.02 rock 3 0.149999",              "", None),
    ("and that is long enough",  "1 rock 3 0.01; 1.02 rock 3 0.15",                  "", "1"),
    ("other hold time, shorter", "1 rock 3 0.07",                      "fall_hold_ms=70", "1"),
    ("other hold time, longer",  "1 rock 3 0.299999",                 "fall_hold_ms=300", None),
    ("other hold time, reached", "1 rock 3 0.3",                      "fall_hold_ms=300", "1"),
    ("other bounce time",        "1 rock 3 0.01; 1.039999 fall 3",       "bounce_ms=30", "1"),
    ("other bounce time, over",  "1 rock 3 0.01; 1.04 fall 3",           "bounce_ms=30", "1.04"),
    # Confirmed max(bounce_ms, fall_hold_ms) after the last edge.
    ("long bounces, a rock",     "1 rock 3 0.199999",                   "bounce_ms=200", None),
    ("long bounces, a fall",     "1 rock 3 0.2",                        "bounce_ms=200", "1"),
    ("no hold at all",           "1 rock 3 0.06",                      "fall_hold_ms=0", "1"),
    ("no bounces, a rock",       "1 rock 3 0.149999",                     "bounce_ms=0", None),
    ("no bounces, a fall",       "1 rock 3 0.001; 1.01 fall 3",           "bounce_ms=0", "1.01"),
]
# fmt: on


@pytest.mark.parametrize(
    ("steps", "settings", "expected"),
    [line[1:] for line in MOVEMENTS],
    ids=[line[0].replace(" ", "_") for line in MOVEMENTS],
)
def test_movements(steps: str, settings: str, expected: str | None) -> None:
    pin = 0 if "0 fall 0" in steps else 3
    strokes = [] if expected is None else [(microseconds(expected), [pin])]
    assert falls(steps, settings) == strokes


def bounces(t_us: int, pin: int, level: int, count: int, gap_us: int) -> list[tuple[int, str]]:
    """Return the edges of a pin that goes to *level* with *count* bounces."""
    levels = [level, *[1 - level, level] * count]
    return [(t_us + n * gap_us, f"pin {pin} {to}") for n, to in enumerate(levels)]


@pytest.mark.parametrize("gap_us", [0, 1, 1_000, 59_999])
def test_thirty_bounces_are_one_fall_and_one_lift(gap_us: int) -> None:
    edges = bounces(1_000_000, 3, 1, 30, gap_us) + bounces(10_000_000, 3, 0, 30, gap_us)
    lines = ["0 cmd new", *("%d %s" % edge for edge in edges), "60000000 end"]
    played = play("\n".join(lines))
    assert [(stroke["t_us"], stroke["pins"]) for stroke in played.strokes] == [(1_000_000, [3])]
    assert [game["state"] for game in played.games] == ["ready"]


def watch(lines: list[str], times_us: list[int], look: Callable[[Referee], int]) -> list[int]:
    """Return what *look* sees when all up to each time has been decided."""
    referee = Referee(HEADER)
    for line in lines:
        referee.feed(line)
    found = []
    for t_us in times_us:
        referee.advance(t_us + 20_000)
        found.append(look(referee))
    return found


@pytest.mark.parametrize("count", [0, 1, 30])
def test_a_fall_is_confirmed_after_its_last_edge(count: int) -> None:
    """Also when no game is on: the lamp of the pin is lit."""
    edges = bounces(1_000_000, 3, 1, count, 1_000)
    lines = ["%d %s" % edge for edge in edges]
    last_us = edges[-1][0]
    moments = [last_us, last_us + 149_999, last_us + 150_000]
    assert watch(lines, moments, lambda referee: referee.pins_down) == [0, 0, 0b01000]


@pytest.mark.parametrize("count", [0, 1, 30])
def test_a_lift_is_confirmed_after_its_last_edge(count: int) -> None:
    edges = bounces(1_000_000, 4, 1, 0, 0) + bounces(2_000_000, 4, 0, count, 1_000)
    lines = ["%d %s" % edge for edge in edges]
    last_us = edges[-1][0]
    moments = [last_us + 149_999, last_us + 150_000]
    assert watch(lines, moments, lambda referee: referee.pins_down) == [0b10000, 0]


def test_a_pin_lifted_too_shortly_still_lies() -> None:
    lines = script("1 fall 0; 3 stand 0; 3.149999 fall 0").splitlines()
    moments = [3_149_999, 3_300_000, 9_000_000]
    assert watch(lines, moments, lambda referee: referee.pins_down) == [1, 1, 1]


def test_pins_move_on_their_own() -> None:
    """Bounces of one pin are none of another."""
    steps = "1 rock 1 0.03; 1.05 fall 2; 1.08 rock 1 0.03; 1.1 rock 3 0.149; 1.2 fall 0"
    assert falls(steps) == [(1_050_000, [0, 2])]


# fmt: off
PRESSES = [
    # what happens, edges (ms, level), presses (at which edge, how long)
    ("a press",                 [(0, 1), (100, 0)],                            [(1, SHORT)]),
    ("a bounce",                [(0, 1), (19.999, 0)],                         []),
    ("just a press",            [(0, 1), (20, 0)],                             [(1, SHORT)]),
    ("just not long",           [(0, 1), (799.999, 0)],                        [(1, SHORT)]),
    ("long",                    [(0, 1), (800, 0)],                            [(1, LONG)]),
    ("very long",               [(0, 1), (3_600_000, 0)],                      [(1, LONG)]),
    ("held",                    [(0, 1)],                                      []),
    ("let go only",             [(5, 0)],                                      []),
    ("bounces when pressed",    [(0, 1), (5, 0), (8, 1), (100, 0)],            [(3, SHORT)]),
    ("long from the last 1 on", [(0, 1), (5, 0), (8, 1), (807.999, 0)],        [(3, SHORT)]),
    ("long despite bounces",    [(0, 1), (5, 0), (8, 1), (808, 0)],            [(3, LONG)]),
    ("bounces when let go",     [(0, 1), (100, 0), (102, 1), (105, 0)],        [(1, SHORT)]),
    ("two presses",             [(0, 1), (90, 0), (200, 1), (999, 0)], [(1, SHORT), (3, SHORT)]),
    ("a 1 repeated",            [(0, 1), (790, 1), (800, 0)],                  [(2, LONG)]),
    ("a 0 repeated",            [(0, 1), (100, 0), (200, 0)],                  [(1, SHORT)]),
]
# fmt: on


@pytest.mark.parametrize(
    ("edges", "expected"),
    [line[1:] for line in PRESSES],
    ids=[line[0].replace(" ", "_") for line in PRESSES],
)
def test_presses(edges: list[tuple[float, int]], expected: list[tuple[int, int]]) -> None:
    button = Button()
    found = [button.edge(round(ms * 1000), level, 20_000) for ms, level in edges]
    assert [(n, press) for n, press in enumerate(found) if press != NO] == expected


def test_a_forgotten_press_is_none() -> None:
    """The board restarted while the button was held."""
    button = Button()
    assert button.edge(0, 1, 20_000) == NO
    button.level = 0
    assert button.edge(900_000, 0, 20_000) == NO
    assert button.edge(1_000_000, 1, 20_000) == NO
    assert button.edge(1_100_000, 0, 20_000) == SHORT
