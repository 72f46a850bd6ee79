"""MicroPython's module machine, as much of it as the firmware uses."""

import sys

import world

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

HARD_RESET = 2  # of MicroPython; here also the exit status that tells it from a soft reset


class Pin:
    """A GPIO. It can be read; what is written to it goes nowhere."""

    IN = 1
    OUT = 3
    PULL_UP = 2
    IRQ_RISING = 1
    IRQ_FALLING = 2

    def __init__(self, gpio: int, mode: int, pull: "int | None" = None) -> None:
        self._gpio = gpio
        self._levels = world.current().levels

    def value(self) -> int:
        """Return the level at the pin."""
        return self._levels[self._gpio]

    def irq(self, handler: "Callable[[Pin], None] | None", trigger: int = 3) -> None:
        """Call *handler* with the pin at each edge of *trigger*; None stops it."""
        world.current().watch(self._gpio, handler, trigger, self)


class Timer:
    """A periodic timer."""

    PERIODIC = 1

    def __init__(self, number: int) -> None:
        pass

    def init(self, period: int, mode: int, callback: "Callable[[Timer], None]") -> None:
        """Call *callback* with the timer every *period* milliseconds."""
        world.current().start_timer(period * 1000, callback, self)

    def deinit(self) -> None:
        """Call it no more."""
        world.current().stop_timer()


def reset() -> None:
    """Restart the chip."""
    sys.exit(HARD_RESET)


def soft_reset() -> None:
    """Restart the interpreter."""
    sys.exit(0)
