"""A chip for tests on CPython, in place of MicroPython's modules. Import it before the firmware.

`chip` is what the tests look at: RTC memory, how often the watchdog was fed.
"""

import sys
import traceback
from types import ModuleType
from typing import IO, Any


class Chip:
    """What the modules work on."""

    def __init__(self) -> None:
        self.power_up()

    def power_up(self) -> None:
        """Forget all that does not survive a loss of power."""
        self.rtc = b""
        self.stores = 0  # into RTC memory
        self.watchdog_ms = 0
        self.feeds = 0


chip = Chip()


class ResetError(BaseException):
    """The chip was reset."""


class _Rtc:
    def memory(self, data: bytes | None = None) -> bytes | None:
        if data is None:
            return chip.rtc
        chip.rtc = bytes(data)
        chip.stores += 1
        return None


class _Wdt:
    def __init__(self, timeout: int) -> None:
        chip.watchdog_ms = timeout

    def feed(self) -> None:
        chip.feeds += 1


def _reset() -> None:
    raise ResetError


def _print_exception(error: BaseException, file: IO[str]) -> None:
    traceback.print_exception(error, file=file)


_machine: Any = ModuleType("machine")
_machine.RTC = _Rtc
_machine.WDT = _Wdt
_machine.reset = _reset
sys.modules["machine"] = _machine
sys.print_exception = _print_exception  # type: ignore[attr-defined]  # MicroPython's own
