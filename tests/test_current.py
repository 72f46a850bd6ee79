"""The currents of the LED board: every screen within its limit, sums by hand, the table."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools import current
from host_tools.diagram import README
from kegli import board, display, sensors
from kegli.leds import Leds
from kegli.referee import Referee
from tests.test_display import Game, Stroke, View
from tests.test_leds import LIGHTS, Frame, Strip, drawn_ma

if TYPE_CHECKING:
    from kegli.display import Lights

SCREENS = current.screens()
LEAST_MA, USUAL_MA, MOST_MA = 200, 2500, 4000  # the settings' table says so
LIMITS = (LEAST_MA, 500, 1000, 2000, USUAL_MA, 3000, MOST_MA)
ENOUGH_MA = 10_000
DARK = (0, 0, 0)
LIT_MS, DARK_MS = 0, 500  # what blinks is lit, and is not
ALL_PINS = 0b11111

# By hand. An LED takes 1 mA, each of its channels 20 mA at full; segments have two LEDs.
LED, CHANNEL, SEGMENT = 1, 20, 2
AMBER = CHANNEL + CHANNEL * 96 / 255
WHITE = 3 * CHANNEL
BOARD = 126 * LED
EIGHTS = 2 * 3 * 7 * SEGMENT * CHANNEL  # 888:888
MODES = 2 * CHANNEL
BY_HAND = {
    "blank": BOARD,
    "power-up: all white, as in the self-test": display.LEDS * (3 * 20 + 1),
    "self-test: all red": 126 * (20 + 1),
    "self-test: all green": 126 * (20 + 1),
    # E 5, r 2, r 2, P 5, 0 6 segments; the king's lamp; the check lamp.
    "a fault: `Err` and its code": BOARD + 20 * SEGMENT * CHANNEL + CHANNEL + AMBER,
    "self-test by hands: a code alone": BOARD + 11 * SEGMENT * CHANNEL + CHANNEL + AMBER,
    # Six bars; five pins that lie; check.
    "before the first game, all pins lie": BOARD + 6 * SEGMENT * CHANNEL + 6 * AMBER,
    # A white 0; five pins that lie, penalty, confirm?, check; whose turn it is.
    "a game after a stroke": BOARD + EIGHTS + 6 * SEGMENT * WHITE + 8 * AMBER + CHANNEL + MODES,
    # Two white bars; five pins that stand again; check; whose turn it is.
    "a stroke runs": BOARD + EIGHTS + 2 * SEGMENT * WHITE + 5 * WHITE + AMBER + CHANNEL + MODES,
    "a game is won": BOARD + EIGHTS + 6 * SEGMENT * WHITE + 8 * AMBER + MODES,
}


def frame(lights: "Lights", brightness: int, limit_ma: int, ms: int = LIT_MS) -> Frame:
    """Return what is written to the LEDs."""
    strip = Strip()
    Leds(strip, brightness, limit_ma).show(lights, ms)
    return strip.frames[0]


def assert_dimmed_as_a_whole(dimmed: Frame, bright: Frame) -> None:
    """Assert that one factor makes all of *dimmed* out of *bright*, rounded down."""
    least, most = 0.0, math.inf
    for new, old in zip(dimmed, bright, strict=True):
        for level, full in zip(new, old, strict=True):
            if full == 0:
                assert level == 0
            else:
                least = max(least, level / full)
                most = min(most, (level + 1) / full)
    assert least < most


@pytest.mark.parametrize("name", SCREENS)
def test_without_a_limit_a_screen_draws_what_it_does_by_hand(name: str) -> None:
    assert drawn_ma(frame(SCREENS[name], 255, ENOUGH_MA)) == pytest.approx(BY_HAND[name])
    assert current.drawn_ma(SCREENS[name], 255, ENOUGH_MA) == math.ceil(BY_HAND[name] - 1e-6)


def test_every_screen_has_a_sum_by_hand() -> None:
    assert list(SCREENS) == list(BY_HAND)
    assert BY_HAND["power-up: all white, as in the self-test"] == 7686


@pytest.mark.parametrize("limit_ma", LIMITS)
@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_at_full_brightness_stays_within_the_limit(name: str, limit_ma: int) -> None:
    for ms in (LIT_MS, DARK_MS):
        assert drawn_ma(frame(SCREENS[name], 255, limit_ma, ms)) <= limit_ma
        assert current.drawn_ma(SCREENS[name], 255, limit_ma, ms) <= limit_ma


@pytest.mark.parametrize("limit_ma", LIMITS)
@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_over_the_limit_is_dimmed_as_a_whole(name: str, limit_ma: int) -> None:
    for ms in (LIT_MS, DARK_MS):
        bright = frame(SCREENS[name], 255, ENOUGH_MA, ms)
        dimmed = frame(SCREENS[name], 255, limit_ma, ms)
        if BY_HAND[name] <= limit_ma:
            assert dimmed == bright
        else:
            assert_dimmed_as_a_whole(dimmed, bright)
            # Nothing lit is lost, not even by the least limit.
            assert [led == DARK for led in dimmed] == [led == DARK for led in bright]


@pytest.mark.parametrize("limit_ma", LIMITS)
@pytest.mark.parametrize("name", SCREENS)
def test_no_screen_is_dimmed_more_than_rounding_demands(name: str, limit_ma: int) -> None:
    """A channel loses less than one of its 255 levels."""
    if BY_HAND[name] > limit_ma:
        bright = frame(SCREENS[name], 255, ENOUGH_MA)
        channels = sum(level > 0 for led in bright for level in led)
        assert drawn_ma(frame(SCREENS[name], 255, limit_ma)) > limit_ma - (channels + 1) * 20 / 255


@pytest.mark.parametrize("limit_ma", LIMITS)
@pytest.mark.parametrize("name", SCREENS)
def test_steady_lights_are_the_same_while_others_are_dark(name: str, limit_ma: int) -> None:
    lit_leds = frame(SCREENS[name], 255, limit_ma, LIT_MS)
    dark_leds = frame(SCREENS[name], 255, limit_ma, DARK_MS)
    for element, _colour, blink in SCREENS[name]:
        for led in range(display.FIRST_LED[element], display.FIRST_LED[element + 1]):
            assert lit_leds[led] != DARK
            assert dark_leds[led] == (DARK if blink else lit_leds[led])


@settings(deadline=None)
@given(
    name=st.sampled_from(list(SCREENS)),
    brightness=st.integers(1, 255),
    limit_ma=st.integers(LEAST_MA, MOST_MA),
)
def test_by_no_settings_is_a_light_lost_or_the_limit_passed(
    name: str, brightness: int, limit_ma: int
) -> None:
    lights = SCREENS[name]
    shown = frame(lights, brightness, limit_ma)
    assert drawn_ma(shown) <= limit_ma
    assert current.drawn_ma(lights, brightness, limit_ma) <= limit_ma
    assert sum(led != DARK for led in shown) == sum(
        display.FIRST_LED[element + 1] - display.FIRST_LED[element] for element, _, _ in lights
    )


@settings(deadline=None)
@given(
    boards=st.lists(st.tuples(LIGHTS, st.integers(0, 2000)), min_size=1, max_size=8),
    brightness=st.integers(1, 255),
    limit_ma=st.integers(LEAST_MA, MOST_MA),
)
def test_whatever_follows_whatever_the_limit_holds(
    boards: "Sequence[tuple[Lights, int]]", brightness: int, limit_ma: int
) -> None:
    """Also from one board to the next, in either half of a blink, and what is told is true."""
    strip = Strip()
    leds = Leds(strip, brightness, limit_ma)
    ms = 0
    for lights, pause_ms in boards:
        ms += pause_ms
        leds.show(lights, ms)
        drawn = drawn_ma(strip.frames[-1])
        assert drawn <= limit_ma
        assert drawn <= leds.current_ma < drawn + 1


def test_a_code_that_the_firmware_shows_is_among_those_tried() -> None:
    inputs = {sensors.code(row[0]) for row in board.inputs()}
    documented = set(re.findall(r"^\| (E\d) \|", README.read_text(encoding="utf-8"), re.M))
    assert set(current.CODES) == inputs | documented


@pytest.mark.parametrize("code", current.CODES)
def test_no_fault_is_brighter_than_the_table_says(code: str) -> None:
    for word, name in (
        ("Err", "a fault: `Err` and its code"),
        ("", "self-test by hands: a code alone"),
    ):
        drawn = drawn_ma(frame(display.fault(code, word), 255, ENOUGH_MA))
        assert drawn <= BY_HAND[name] + 1e-6


# What a stroke may score: its pins, a carom (3), a pocketed white and a fine (10 each at most).
PIN_POINTS = st.sampled_from(
    [
        *[(0b00000, 0), (0b00010, 2), (0b11000, 4), (0b01110, 6), (0b11110, 8)],
        *[(0b00001, 5), (0b00011, 5), (0b00111, 7), (0b01111, 9), (0b11111, 30)],
    ]
)


def stroke(  # noqa: PLR0913, PLR0917 (what the board reads of one)
    pins_points: tuple[int, int],
    added: int,
    player: int,
    certain: bool,
    accepted: bool,
    penalty: bool,
    flags: tuple[str, ...],
) -> Stroke:
    """Return a stroke whose points go to one player."""
    pins, points = pins_points
    award = (points + added, 0) if player == 0 else (0, points + added)
    return Stroke(pins, award, certain, accepted, penalty, flags)


STROKES = st.builds(
    stroke,
    PIN_POINTS,
    st.integers(0, 23),
    st.integers(0, 1),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([(), ("check",), ("lost-edges",), ("judged",)]),
)
PINS = st.integers(0, ALL_PINS)
VIEWS = st.builds(
    View,
    game=st.builds(
        Game,
        score=st.lists(st.integers(0, 1051), min_size=2, max_size=2),
        turn=st.integers(0, 1),
        modes=st.lists(st.sampled_from(["series", "single"]), min_size=2, max_size=2),
    ),
    last=st.none() | STROKES,
    pins_down=PINS,
    pins_felled=PINS,
    pins_absent=PINS,
    tally=st.lists(st.integers(0, 99), min_size=3, max_size=3),
)
# state, winner, result, screen
STATES = (
    ("", None, "playing", "before the first game, all pins lie"),
    ("ready", None, "playing", "a game after a stroke"),
    ("review", None, "playing", "a game after a stroke"),
    ("running", None, "playing", "a stroke runs"),
    ("over", 0, "won", "a game is won"),
    ("over", 1, "won", "a game is won"),
    ("over", None, "drawn", "a game is won"),
)


@settings(deadline=None)
@given(view=VIEWS, state=st.sampled_from(STATES), faulty=st.booleans())
def test_no_game_is_brighter_than_the_table_says(
    view: View, state: tuple[str, int | None, str, str], faulty: bool
) -> None:
    name, winner, result, screen = state
    game = replace(view.game, winner=winner, result=result) if view.game and name else None
    shown = replace(view, state=name, game=game)
    lights = display.lit(cast(Referee, shown), faulty)
    assert drawn_ma(frame(lights, 255, ENOUGH_MA)) <= BY_HAND[screen] + 1e-6


def test_the_brightest_game_can_be_played() -> None:
    """It is no bound out of reach: pins that lie are absent, and a miss lost edges."""
    referee = Referee("# kegli-log 1 board=test sensors=pins,cushions,click")
    log = [
        "0 cmd new a.target=999 b.target=999 a.start=888 b.start=888 fine=0",
        *(f"{1_000_000 + pin} cmd absent {pin}" for pin in range(5)),
        *(f"{2_000_000 + pin} pin {pin} 1 200" for pin in range(5)),
        "5000000 click 200",
        "5100000 hit 0 200",
        "5200000 lost 1",
        *(f"{20_000_000 + pin} cmd present {pin}" for pin in range(5)),
    ]
    for earlier, later in pairwise(int(line.split()[0]) for line in log):
        assert earlier < later
    for line in log:
        referee.feed(line)
    referee.advance(21_000_000)
    lights = display.lit(referee, True)
    drawn = drawn_ma(frame(lights, 255, ENOUGH_MA))
    assert drawn == pytest.approx(BY_HAND["a game after a stroke"])


def test_the_table_is_current() -> None:
    text = README.read_text(encoding="utf-8")
    assert current.updated(text) == text


def test_the_table_says_what_is_drawn() -> None:
    rows = re.findall(r"^\| (.+) \| (\d+) \| (\d+) \| (\d+) \|$", current.table(), re.M)
    assert [row[0] for row in rows] == list(SCREENS)
    for name, usual, full, unlimited in rows:
        drawn = [
            drawn_ma(frame(SCREENS[name], brightness, limit_ma))
            for brightness, limit_ma in ((80, USUAL_MA), (255, USUAL_MA), (255, ENOUGH_MA))
        ]
        assert [int(usual), int(full), int(unlimited)] == [math.ceil(ma - 1e-6) for ma in drawn]
        assert int(usual) <= int(full) <= USUAL_MA
