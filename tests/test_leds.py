"""The LEDs: what is written and when, the current budget; no allocation on MicroPython."""

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kegli import display, settings
from kegli.leds import Leds

if TYPE_CHECKING:
    from kegli.display import Lights

Frame = list[tuple[int, int, int]]

DARK = (0, 0, 0)
LAMP = display.FIRST_LED[display.CONFIRM]  # the only LED of this element
SEGMENT = display.FIRST_LED[display.SCORE_A]  # the first of two
ENOUGH_MA = 10_000


class Strip:
    """A neopixel.NeoPixel that keeps what was written, frame by frame."""

    def __init__(self) -> None:
        self._pixels: Frame = [(9, 9, 9)] * display.LEDS  # an LED keeps what it had
        self.frames: list[Frame] = []

    def __setitem__(self, led: int, colour: tuple[int, int, int]) -> None:
        """Set one LED of the next frame."""
        self._pixels[led] = colour

    def write(self) -> None:
        """Keep the frame."""
        self.frames.append(list(self._pixels))


def drawn_ma(frame: Frame) -> float:
    """Return what a frame draws by the estimate: 1 mA an LED, 20 mA a channel at 255."""
    return len(frame) * 1 + sum(sum(colour) for colour in frame) * 20 / 255


def lamp(colour: int = display.RED, blink: bool = False) -> "Lights":
    return [(display.CONFIRM, colour, blink)]


def test_the_first_board_is_written_also_if_it_is_blank() -> None:
    strip = Strip()
    assert Leds(strip, 255, ENOUGH_MA).show([], 0)
    assert strip.frames == [[DARK] * display.LEDS]


@pytest.mark.parametrize(
    ("colour", "written"),
    [
        (display.RED, (255, 0, 0)),
        (display.GREEN, (0, 255, 0)),
        (display.AMBER, (255, 96, 0)),
        (display.WHITE, (255, 255, 255)),
    ],
)
def test_an_element_is_its_leds_in_its_colour(colour: int, written: tuple[int, int, int]) -> None:
    strip = Strip()
    lights = [(display.SCORE_A, colour, False), (display.CONFIRM, colour, False)]
    Leds(strip, 255, ENOUGH_MA).show(lights, 0)
    lit = {led for led, seen in enumerate(strip.frames[0]) if seen == written}
    assert lit == {SEGMENT, SEGMENT + 1, LAMP}
    assert strip.frames[0].count(DARK) == display.LEDS - 3


@pytest.mark.parametrize(
    ("brightness", "written"), [(255, (255, 96, 0)), (128, (128, 48, 0)), (1, (1, 0, 0))]
)
def test_brightness(brightness: int, written: tuple[int, int, int]) -> None:
    strip = Strip()
    Leds(strip, brightness, ENOUGH_MA).show(lamp(display.AMBER), 0)
    assert strip.frames[0][LAMP] == written


def test_what_did_not_change_is_not_written_again() -> None:
    strip = Strip()
    leds = Leds(strip, 255, ENOUGH_MA)
    steady = lamp()
    assert leds.show(steady, 0)
    assert not leds.show(steady, 1000)
    assert not leds.show(lamp(), 2000)  # another list that looks the same
    assert len(strip.frames) == 1


@pytest.mark.parametrize("start_ms", [0, 123_456, 2**30 - 50, 2**40])
def test_a_change_waits_100_ms_and_the_last_one_counts(start_ms: int) -> None:
    """The chip's milliseconds may begin again at 2^30 meanwhile."""
    strip = Strip()
    leds = Leds(strip, 255, ENOUGH_MA)
    assert leds.show(lamp(display.RED), start_ms)
    for ms, colour, written in [
        (1, display.GREEN, False),
        (99, display.AMBER, False),
        (100, display.AMBER, True),
        (199, display.WHITE, False),
        (200, display.WHITE, True),
    ]:
        wrapped_ms = start_ms + ms if start_ms >= 2**40 else (start_ms + ms) % 2**30
        assert leds.show(lamp(colour), wrapped_ms) is written
    assert [frame[LAMP] for frame in strip.frames] == [
        (255, 0, 0),
        (255, 96, 0),
        (255, 255, 255),
    ]


def test_at_most_ten_writes_a_second() -> None:
    strip = Strip()
    leds = Leds(strip, 255, ENOUGH_MA)
    written_ms = [ms for ms in range(3000) if leds.show(lamp(ms % 2), ms)]
    assert len(written_ms) > 20  # or the limit was not reached
    for first_ms in written_ms:
        assert sum(first_ms <= ms < first_ms + 1000 for ms in written_ms) <= 10


def test_blinking_follows_the_clock() -> None:
    strip = Strip()
    leds = Leds(strip, 255, ENOUGH_MA)
    lights = [(display.PENALTY, display.RED, False), (display.CONFIRM, display.RED, True)]
    written_ms = [ms for ms in range(0, 2100, 10) if leds.show(lights, ms)]
    assert written_ms == [0, 500, 1000, 1500, 2000]
    assert [frame[LAMP] != DARK for frame in strip.frames] == [True, False, True, False, True]
    assert all(frame[LAMP - 1] == (255, 0, 0) for frame in strip.frames)


def test_no_limit_that_can_be_set_is_less_than_what_the_dark_board_draws() -> None:
    (span,) = [row[2] for row in settings.TABLE if row[0] == "limit_ma"]
    least_ma = int(span[0])
    assert least_ma > display.LEDS * 1  # mA for each
    leds = Leds(Strip(), 255, least_ma)
    leds.show(display.boot(), 0)
    assert display.LEDS < leds.current_ma <= least_ma


def test_within_the_limit_nothing_is_dimmed() -> None:
    strip = Strip()
    leds = Leds(strip, 255, display.LEDS + 7560)  # 126 LEDs of three channels of 20 mA
    leds.show(display.boot(), 0)
    assert strip.frames[0] == [(255, 255, 255)] * display.LEDS
    assert leds.current_ma == display.LEDS + 7560


def test_over_the_limit_the_whole_board_is_dimmed() -> None:
    strip = Strip()
    leds = Leds(strip, 255, display.LEDS + 3780)
    leds.show(display.boot(), 0)
    assert strip.frames[0] == [(127, 127, 127)] * display.LEDS
    leds.show(lamp(display.WHITE), 100)  # and bright again when there is less to light
    assert strip.frames[1][LAMP] == (255, 255, 255)


def test_steady_lights_do_not_pulse_with_blinking_ones() -> None:
    strip = Strip()
    leds = Leds(strip, 255, 1000)
    lights = [(element, display.WHITE, element > display.PIN) for element in range(70)]
    leds.show(lights, 0)
    leds.show(lights, 500)
    assert strip.frames[0][SEGMENT] == strip.frames[1][SEGMENT] != (255, 255, 255)
    assert strip.frames[1][LAMP] == DARK


LIGHTS = st.lists(
    st.tuples(
        st.integers(0, display.ELEMENTS - 1),
        st.integers(display.RED, display.WHITE),
        st.booleans(),
    ),
    unique_by=lambda light: light[0],
).map(sorted)


@given(
    lights=LIGHTS,
    brightness=st.integers(1, 255),
    limit_ma=st.integers(display.LEDS + 1, 8000),
    ms=st.sampled_from([0, 500]),
)
def test_the_current_stays_under_the_limit_and_is_told(
    lights: "Lights", brightness: int, limit_ma: int, ms: int
) -> None:
    strip = Strip()
    leds = Leds(strip, brightness, limit_ma)
    leds.show(lights, ms)
    drawn = drawn_ma(strip.frames[0])
    assert drawn <= limit_ma
    assert drawn <= leds.current_ma < drawn + 1


# The same on MicroPython, where nothing may be allocated either unless the board is dimmed anew.
SCRIPT = """
import sys
sys.path.insert(0, {firmware!r})
import micropython
from kegli import display
from kegli.leds import Leds

class Strip:
    def __init__(self):
        self.sums = bytearray(display.LEDS)
        self.writes = 0
    def __setitem__(self, led, colour):
        self.sums[led] = sum(colour) // 3
    def write(self):
        self.writes += 1

strip = Strip()
leds = Leds(strip, 80, 2500)
boards = [display.boot(), display.fault("P3"), []]

def play():  # a function, because a new global name takes memory
    micropython.heap_lock()
    for ms in range(0, 3000, 50):
        leds.show(boards[ms // 1000], ms)
    micropython.heap_unlock()

play()
print(strip.writes, leds.current_ma, sum(strip.sums))
leds.show(boards[0], 3000)
print(strip.writes, leds.current_ma, sum(strip.sums))
"""


def test_micropython_writes_the_same_and_allocates_nothing() -> None:
    firmware = str(Path(__file__).parents[1] / "firmware")
    micropython = str(Path(sys.executable).with_name("micropython"))
    ran = subprocess.run(
        [micropython, "-c", SCRIPT.format(firmware=firmware)],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert ran.stderr == ""
    # Boot, the fault twice as its lamp blinks, blank; then boot again, all white at 80 of 255.
    assert ran.stdout == "4 126 0\n5 2498 10080\n"
