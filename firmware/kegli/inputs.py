"""Inputs of the chip: every change of level goes into the ring, with its time.

An interrupt is a hint only: whichever input it names, the levels of all are looked at. The
chip queues eight hints and loses the rest without a trace, so a timer looks every 2 ms as well.
What comes and goes between two looks is not seen: the front ends make nothing that short.
One-shots have their time from the chip's capture units, where those work.
"""

from array import array
from time import ticks_diff, ticks_us  # type: ignore[attr-defined]  # MicroPython's own

from machine import Pin, Timer
from micropython import const

from kegli.ring import Ring

# As in board.py, folded in by the compiler.
_MOST_EDGES = const(80)
_MOST_SHOTS = const(12)
_INTERRUPT_ERROR_US = const(200)
_SCAN_MS = const(2)
_SCAN_ERROR_US = const(2200)
_FRONT_END_ERROR_US = const(2000)
_POLLED = const((36, 39))

_SCANS = const(255)
_A_SECOND_US = const(1_000_000)
_A_SHARE = const(8)  # of the most edges: as many are added each second
_MOST_COUNT = const(0x3FFFFFFF)
_MISSES = const(3)  # in a row: with more of them, the units are given up
_MUTED = const(1)  # of `left`: no edge more
# What was seen of a one-shot.
_ROSE = const(1)
_CAPTURED = const(2)


class Inputs:
    """The inputs of *rows*, in the form of `board.inputs`, on *chip*, from now until `close`.

    A source is numbered by its row. `levels` has the level of each as last seen, 1 as the log
    means it; `edges` counts how often it changed. `left` is one more than the edges that it may
    make now; each second adds an eighth of the most. At 1 it is muted: it is broken, and must
    not drown the others; what it makes is counted as lost, until `mute`. `one_shots` has the
    sources that are, one for each channel of the capture units. `scans` counts the timer's
    looks, modulo 256: while it changes the scan is alive. `wrong` says why one-shots have their
    time from interrupts, "" while the capture units work.
    """

    def __init__(
        self, ring: Ring, rows: "list[tuple[str, int, int, int, str, int]]", chip: str
    ) -> None:
        self.rows = rows
        self.ring = ring
        self.scans = 0
        self.start_ticks = ticks_us()  # no edge is older
        self._second_ticks = self.start_ticks  # when the second of `left` began
        self._pins = [Pin(row[1], Pin.IN, Pin.PULL_UP if row[3] else None) for row in self.rows]
        self._inverted = bytes([1 - row[2] for row in self.rows])
        self._one_shot = bytes([row[5] for row in self.rows])
        self._most = bytes([_MOST_SHOTS if row[5] else _MOST_EDGES for row in rows])
        self.left = bytearray(self._most)
        self.edges = array("I", [0] * len(rows))
        self.levels = bytearray(len(self.rows))
        for source in range(len(self.rows)):
            self.levels[source] = self._pins[source].value() ^ self._inverted[source]
        self._is_busy = False  # the loop is where no handler may look
        self._at_work = False
        self._work_ticks = 0
        self.one_shots = bytes([n for n in range(len(rows)) if rows[n][5]])
        self._shots = bytearray(len(rows))  # what was seen of the last one
        self._missed = 0  # in a row, by the capture units
        gpios = [rows[source][1] for source in self.one_shots]
        from kegli.anchor import set_up  # noqa: PLC0415 (on demand: it is rare)

        self.wrong = ""
        self.capture = set_up(chip, gpios, self._on_capture)
        self.anchor()
        for source in range(len(rows)):
            self.listen(source, True)
        self._timer = Timer(0)
        self._timer.init(period=_SCAN_MS, mode=Timer.PERIODIC, callback=self._on_timer)

    def listen(self, source: int, on: bool) -> None:
        """Let interrupts of a source come, or come no more; those of some GPIOs never do."""
        if self.rows[source][1] not in _POLLED:
            handler = self._on_interrupt if on else None
            self._pins[source].irq(handler=handler, trigger=Pin.IRQ_RISING | Pin.IRQ_FALLING)

    def mute(self, source: int) -> None:
        """Leave out a source that is muted: until `unmute` its edges are not even counted."""
        self.left[source] = 0
        self.listen(source, False)

    def unmute(self, source: int) -> None:
        """Take up edges of a source again."""
        self.left[source] = self._most[source]
        self.listen(source, True)

    def close(self) -> None:
        """Take up no more edges."""
        self._timer.deinit()
        for source in range(len(self.rows)):
            self.listen(source, False)

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

    def anchor(self) -> None:
        """Compare the capture units with the clock; where they are wrong, do without them."""
        self.work()
        self._is_busy = True
        if not self.wrong:
            from kegli.anchor import anchor  # noqa: PLC0415 (on demand: it is rare)

            pins = [self._pins[source] for source in self.one_shots]
            self.wrong = anchor(self.capture, pins)
        self._is_busy = False

    def error_us(self) -> int:
        """Return how far the time of a one-shot may be from the truth."""
        return _FRONT_END_ERROR_US + (_INTERRUPT_ERROR_US if self.wrong else self.capture.error_us)

    def _on_interrupt(self, _pin: Pin) -> None:
        self._look(_INTERRUPT_ERROR_US)

    def _on_timer(self, _timer: Timer) -> None:
        self.scans = (self.scans + 1) & _SCANS
        ticks = ticks_us()
        if ticks_diff(ticks, self._second_ticks) >= _A_SECOND_US:
            self._second_ticks = ticks
            left = self.left
            for source in range(len(left)):
                if left[source] > _MUTED:
                    most = self._most[source]
                    left[source] = min(left[source] + most // _A_SHARE, most)
        self._look(_SCAN_ERROR_US)

    def _on_capture(self, channel: int, ticks: int) -> None:
        source = self.one_shots[channel]
        self._shots[source] |= _CAPTURED
        self._missed = 0
        self._put(source, 1, ticks, self.error_us())

    def _look(self, error_us: int) -> None:
        """Put every change of level into the ring. Allocates nothing.

        Levels come first: what is captured but not seen here is seen at the next look, and what
        is seen but not captured was missed.
        """
        if self._is_busy:
            return
        ticks = ticks_us()
        if self._at_work:
            error_us += ticks_diff(ticks, self._work_ticks)
        levels = self.levels
        for source in range(len(levels)):
            level = self._pins[source].value() ^ self._inverted[source]
            if level != levels[source]:
                levels[source] = level
                if not self._one_shot[source]:
                    self._put(source, level, ticks, error_us)
                elif level:
                    self._shots[source] |= _ROSE
        if not self.wrong:
            self.capture.take(ticks)
        self._put_missed(ticks, error_us + _FRONT_END_ERROR_US)

    def _put_missed(self, ticks: int, error_us: int) -> None:
        """Put the one-shots that were seen and not captured into the ring."""
        for source in self.one_shots:
            if self._shots[source] & _ROSE:
                if self._shots[source] == _ROSE:
                    self._missed += 1
                    self._put(source, 1, ticks, error_us)
                self._shots[source] = 0
        if self._missed > _MISSES and not self.wrong:
            self.wrong = "the capture units miss hits"

    def _put(self, source: int, level: int, ticks: int, error_us: int) -> None:
        self.edges[source] = (self.edges[source] + 1) & _MOST_COUNT
        left = self.left[source]
        if left <= _MUTED:
            self.ring.dropped += left
            return
        self.left[source] = left - 1
        if level and left - 1 == _MUTED:
            self.ring.dropped += 1  # so that the last one leaves it at 0
        else:
            self.ring.put(source, level, ticks, error_us)
