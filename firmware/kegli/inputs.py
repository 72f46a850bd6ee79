"""Inputs of the chip: every change of level goes into the ring, with its time.

An interrupt is a hint only: whichever input it names, the levels of all are looked at. The
chip queues eight hints and loses the rest without a trace, so a timer looks every 2 ms as well.
What comes and goes between two looks is not seen: the front ends make nothing that short.
"""

from time import ticks_diff, ticks_us  # type: ignore[attr-defined]  # MicroPython's own

from machine import Pin, Timer
from micropython import const

from kegli import board
from kegli.ring import Ring

_SCANS = const(255)


class Inputs:
    """The inputs of *rows*, in the form of `board.INPUTS`, from the making of this until `close`.

    A source is numbered by its row. `levels` has the level of each as last seen, 1 as the log
    means it. `scans` counts the timer's looks, modulo 256: while it changes the scan is alive.
    """

    def __init__(self, ring: Ring, rows: "list[tuple[str, int, int, int, str, int]]") -> None:
        self.rows = rows
        self.ring = ring
        self.scans = 0
        self.start_ticks = ticks_us()  # no edge is older
        self._pins = [Pin(row[1], Pin.IN, Pin.PULL_UP if row[3] else None) for row in self.rows]
        self._inverted = bytes([1 - row[2] for row in self.rows])
        self._one_shot = bytes([row[5] for row in self.rows])
        self.levels = bytearray(len(self.rows))
        for source in range(len(self.rows)):
            self.levels[source] = self._pins[source].value() ^ self._inverted[source]
        self._at_work = False
        self._work_ticks = 0
        for pin in self._pins:
            pin.irq(handler=self._on_interrupt, trigger=Pin.IRQ_RISING | Pin.IRQ_FALLING)
        self._timer = Timer(0)
        self._timer.init(period=board.SCAN_MS, mode=Timer.PERIODIC, callback=self._on_timer)

    def close(self) -> None:
        """Take up no more edges."""
        self._timer.deinit()
        for pin in self._pins:
            pin.irq(handler=None)

    def work(self) -> None:
        """Say that the loop works from now on: a handler may have to wait for it.

        Call it before each thing that may take long; an edge stamped meanwhile is declared as
        uncertain as the time since then.
        """
        self._work_ticks = ticks_us()
        self._at_work = True

    def rest(self) -> None:
        """Say that the loop sleeps: nothing keeps a handler waiting."""
        self._at_work = False

    def _on_interrupt(self, _pin: Pin) -> None:
        self._look(board.INTERRUPT_ERROR_US)

    def _on_timer(self, _timer: Timer) -> None:
        self.scans = (self.scans + 1) & _SCANS
        self._look(board.SCAN_ERROR_US)

    def _look(self, error_us: int) -> None:
        """Put every change of level into the ring. Allocates nothing."""
        ticks = ticks_us()
        if self._at_work:
            error_us += ticks_diff(ticks, self._work_ticks)
        levels = self.levels
        for source in range(len(levels)):
            level = self._pins[source].value() ^ self._inverted[source]
            if level != levels[source]:
                levels[source] = level
                if level or not self._one_shot[source]:
                    self.ring.put(source, level, ticks, error_us)
