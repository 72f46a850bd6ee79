"""Time in microseconds, as a count that does not wrap."""

from micropython import const

_HALF = const(0x20000000)
_MASK = const(0x3FFFFFFF)  # ticks_us counts in 30 bits: it wraps after 17 min 54 s


class Clock:
    """Extends the 30-bit ticks of `time.ticks_us` to microseconds, *start_us* at the start.

    `extend` must be called at least every 8 minutes (half a wrap is 8 min 57 s) and from
    one context only. Ticks a little older than the newest are understood too.
    """

    def __init__(self, start_ticks: int, start_us: int = 0) -> None:
        self._ticks = start_ticks
        self._now_us = start_us

    def extend(self, ticks: int) -> int:
        """Return *ticks* (0 to 2**30 - 1) as microseconds since the start."""
        step = ((ticks - self._ticks + _HALF) & _MASK) - _HALF
        if step <= 0:
            return self._now_us + step
        self._ticks = ticks
        self._now_us += step
        return self._now_us
