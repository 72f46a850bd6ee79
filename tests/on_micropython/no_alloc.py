"""From the pin to the ring nothing is allocated. For MicroPython alone, with kegli on its path.

Prints the edges that the ring got and those it dropped. Allocating, it ends with MemoryError.
"""

import sys

import micropython

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

NEAR_WRAP = 2**30 - 20_000  # ticks this large are still small integers, and one more is not

pins: "list[Pin]" = []
timers: "list[Timer]" = []


class Pin:
    """An input that is high until the test says otherwise."""

    IN = PULL_UP = IRQ_RISING = IRQ_FALLING = 1

    def __init__(self, gpio: int, mode: int, pull: object) -> None:
        self.level = 1
        pins.append(self)

    def value(self) -> int:
        """Return the level."""
        return self.level

    def irq(self, handler: "Callable[[Pin], None]", trigger: int) -> None:
        """Keep the handler for the test."""
        self.handler = handler


class Timer:
    """A timer that the test lets go off."""

    PERIODIC = 1

    def __init__(self, number: int) -> None:
        timers.append(self)

    def init(self, period: int, mode: int, callback: "Callable[[Timer], None]") -> None:
        """Keep the callback for the test."""
        self.callback = callback


class Chip:
    """What the firmware takes from the modules machine and time."""

    Pin = Pin
    Timer = Timer
    ticks = NEAR_WRAP

    @staticmethod
    def ticks_us() -> int:
        """Return the time, a little later each time."""
        Chip.ticks += 7
        return Chip.ticks

    @staticmethod
    def ticks_diff(end: int, start: int) -> int:
        """Return end - start, where nothing wraps."""
        return end - start


def put_all(ring: "Ring") -> None:
    for n in range(200):
        ring.put(n & 15, n & 1, NEAR_WRAP + n, 200)


def drive(inputs: "Inputs") -> None:
    timer = timers[0]
    for _ in range(8):
        inputs.work()
        for pin in pins:
            pin.level = 1 - pin.level
            pin.handler(pin)
            pin.level = 1 - pin.level
            timer.callback(timer)
        inputs.rest()


def locked(function: "Callable[[Any], None]", argument: object) -> None:
    micropython.heap_lock()  # type: ignore[attr-defined]  # CPython's small one has none
    function(argument)
    micropython.heap_unlock()  # type: ignore[attr-defined]  # the same


def count(ring: "Ring") -> int:
    edges = 0
    while ring.get():
        edges += 1
    return edges


sys.modules["machine"] = sys.modules["time"] = Chip  # type: ignore[assignment]  # good enough

from kegli import board  # noqa: E402  # its modules come first
from kegli.inputs import Inputs  # noqa: E402  # its modules come first
from kegli.ring import Ring  # noqa: E402  # its modules come first

ring = Ring(64)
locked(put_all, ring)
print("ring", count(ring), ring.dropped)

ring = Ring(64)
inputs = Inputs(ring, list(board.INPUTS))
locked(drive, inputs)
print("inputs", count(ring), ring.dropped)
