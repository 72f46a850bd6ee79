"""The LED board: a list of lights onto a chain of WS2812, within a current budget."""

from micropython import const

from kegli.display import FIRST_LED, LEDS, blink_on

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    from typing import Protocol

    from kegli.display import Lights

    Colours = tuple[tuple[int, int, int], ...]

    class Chain(Protocol):
        """What is needed of neopixel.NeoPixel."""

        def __setitem__(self, led: int, colour: tuple[int, int, int]) -> None: ...  # noqa: D105
        def write(self) -> None: ...  # noqa: D102


# Red, green, blue at full, by the numbers of the colours in display.py; after them, dark.
_PALETTE = const(((255, 0, 0), (0, 255, 0), (255, 96, 0), (255, 255, 255), (0, 0, 0)))
_DARK = const(4)
_FULL = const(255)

# Estimates on the high side; not measured on hardware.
_CHANNEL_MA = const(20)  # one of an LED's three channels at full
_IDLE_MA = const(1)  # an LED that is dark

_WRITE_MS = const(100)  # between two writes: at most ten a second
_MS_MASK = const(0x3FFFFFFF)  # the chip's milliseconds begin again at 2^30


class Leds:
    """The board on *np*, a neopixel.NeoPixel with `display.LEDS` LEDs.

    *brightness*: 1 to 255, of every channel. *limit_ma*: what the whole board may draw, in mA,
    by computation, and more than the dark board draws; one that would draw more is dimmed as a
    whole. `current_ma` is what the last frame written draws.
    """

    def __init__(self, np: "Chain", brightness: int, limit_ma: int) -> None:
        self.current_ma = 0
        self._np = np
        # Sum over all channels.
        self._levels_allowed = (limit_ma - LEDS * _IDLE_MA) * _FULL // _CHANNEL_MA
        self._bright = _scaled(_PALETTE, brightness, _FULL)
        self._colours = self._bright  # dimmed as the lights shown now demand
        self._frame = bytearray(LEDS)  # an index into _colours for each LED
        self._written = bytearray(LEDS)
        self._written_ms: "int | None" = None  # nothing yet, and an LED keeps what it had
        self._lights: "Lights | None" = None
        self._on = False

    def show(self, lights: "Lights", ms: int) -> bool:
        """Show *lights*, a list that does not change, at *ms* milliseconds; return if written.

        Writes when something changed, and not yet if the last write is less than 100 ms ago:
        call it again. Of boards that came and went meanwhile only the last is written.
        """
        on = blink_on(ms)
        if lights is not self._lights or on != self._on:
            self._lights = lights
            self._on = on
            self._compose(lights, on)
        if self._written_ms is not None:
            if self._frame == self._written:
                return False
            if (ms - self._written_ms) & _MS_MASK < _WRITE_MS:
                return False
        self._write()
        self._written_ms = ms
        return True

    def _compose(self, lights: "Lights", on: bool) -> None:
        """Fill the frame, and dim the colours to what all the lights together may draw.

        Blinking ones count when they are dark too, so that the others keep their brightness.
        """
        frame = self._frame
        for led in range(LEDS):
            frame[led] = _DARK
        levels = 0
        for element, colour, blink in lights:
            levels += sum(self._bright[colour]) * (FIRST_LED[element + 1] - FIRST_LED[element])
            if on or not blink:
                for led in range(FIRST_LED[element], FIRST_LED[element + 1]):
                    frame[led] = colour
        if levels > self._levels_allowed:
            self._colours = _scaled(self._bright, self._levels_allowed, levels)
        else:
            self._colours = self._bright

    def _write(self) -> None:
        levels = 0
        for led in range(LEDS):
            colour = self._colours[self._frame[led]]
            self._np[led] = colour
            levels += sum(colour)
        self._np.write()
        self._written[:] = self._frame
        self.current_ma = LEDS * _IDLE_MA - (-levels * _CHANNEL_MA // _FULL)  # rounded up


def _scaled(colours: "Colours", by: int, of: int) -> "Colours":
    """Return *colours* with each channel *by* / *of* as bright, rounded down."""
    return tuple([(r * by // of, g * by // of, b * by // of) for r, g, b in colours])
