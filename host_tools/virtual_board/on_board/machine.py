"""MicroPython's module machine, as much of it as the firmware uses."""

import sys

import world
from memory import Mem32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PWRON_RESET = 1
HARD_RESET = 2
WDT_RESET = 3
DEEPSLEEP_RESET = 4
SOFT_RESET = 5

_RTC_BYTES = 2048
_DAC_GPIOS = (25, 26)
_BYTE = 255
_MOST_DUTY = 65535
_FREQUENCIES = (80_000_000, 160_000_000, 240_000_000)

mem32 = Mem32()


class Pin:
    """A GPIO. It can be read; what is written to it goes nowhere."""

    IN = 1
    OUT = 3
    PULL_UP = 2
    IRQ_RISING = 1
    IRQ_FALLING = 2

    def __init__(self, gpio: int, mode: int = -1, pull: "int | None" = None) -> None:
        self.gpio = gpio
        self._levels = world.current().levels

    def value(self) -> int:
        """Return the level at the pin."""
        return self._levels[self.gpio]

    def irq(self, handler: "Callable[[Pin], None] | None", trigger: int = 3) -> None:
        """Call *handler* with the pin at each edge of *trigger*; None stops it."""
        world.current().watch(self.gpio, handler, trigger, self)


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


class RTC:
    """The memory that a reset leaves alone; it is empty after power-up."""

    def memory(self, data: "bytes | bytearray | memoryview | None" = None) -> "bytes | None":
        """Return what was stored last, or store *data*. A chip may die within a store."""
        if data is None:
            return world.current().load()
        if len(data) > _RTC_BYTES:
            raise ValueError("buffer too long")
        world.current().store(bytes(data))
        return None


class WDT:
    """The watchdog. Once made it runs until a reset; made again it has another time-out."""

    def __init__(self, id: int = 0, timeout: int = 5000) -> None:
        if id != 0 or timeout <= 0:
            raise ValueError("WDT timeout too short")
        world.current().start_watchdog(timeout * 1000)

    def feed(self) -> None:
        """Let the time-out begin anew."""
        world.current().feed_watchdog()


class DAC:
    """An analogue output. The host can look at it. Only the ESP32 has any."""

    def __init__(self, pin: Pin) -> None:
        if pin.gpio not in _DAC_GPIOS:
            raise ValueError("invalid Pin for DAC")
        if reset_cause() == SOFT_RESET:  # which leaves it as it is, and given out
            raise OSError(-259, "ESP_ERR_INVALID_STATE")
        self._gpio = pin.gpio

    def write(self, value: int) -> None:
        """Put out *value*, from 0 to 255."""
        if not 0 <= value <= _BYTE:
            raise ValueError("value out of range")
        world.current().drive(self._gpio, 0, value * _MOST_DUTY // _BYTE)


if world.current().chip != "esp32":
    del DAC


class PWM:
    """A square wave. The host can look at it."""

    def __init__(self, pin: Pin, freq: int, duty_u16: int) -> None:
        self._gpio = pin.gpio
        self.init(freq, duty_u16)

    def init(self, freq: int, duty_u16: int) -> None:
        """Put out *duty_u16* of 65,535, *freq* times a second."""
        if not 1 <= freq <= _FREQUENCIES[0] // 2 or not 0 <= duty_u16 <= _MOST_DUTY:
            raise ValueError("freq or duty out of range")
        world.current().drive(self._gpio, freq, duty_u16)


def freq(hz: int) -> None:
    """Let the processor run at *hz*."""
    if hz not in _FREQUENCIES:
        raise ValueError("frequency must be 80MHz, 160MHz or 240MHz")


def disable_irq() -> bool:
    """Let no interrupt come; here none comes while code runs."""
    return True


def enable_irq(state: bool) -> None:
    """Let interrupts come again."""


def reset_cause() -> int:
    """Return why the chip started: one of the constants above."""
    return world.current().cause


def reset() -> None:
    """Restart the chip, at once: nothing of the program runs any more."""
    world.current().moment()
    world.current().end("software")


def soft_reset() -> None:
    """Restart the interpreter; the program may tidy up first."""
    world.current().moment()
    world.current().is_soft_reset = True
    sys.exit(0)
