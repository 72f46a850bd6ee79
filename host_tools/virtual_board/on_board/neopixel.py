"""MicroPython's module neopixel: a chain of LEDs that the host can look at."""

import machine
import world

_LED_US = 30  # a WS2812 takes 24 bits of 1.25 us


class NeoPixel:
    """A chain of *n* LEDs."""

    def __init__(self, pin: machine.Pin, n: int) -> None:
        self._n = n
        self._bytes = bytearray(3 * n)

    def __setitem__(self, led: int, colour: "tuple[int, int, int]") -> None:
        """Set the colour of one LED, (red, green, blue) from 0 to 255."""
        for channel in range(3):
            self._bytes[3 * led + channel] = colour[channel]

    def write(self) -> None:
        """Show the colours. The chip waits for it, and its handlers wait too."""
        world.current().block_us(self._n * _LED_US)
        world.current().pixels = bytes(self._bytes)
