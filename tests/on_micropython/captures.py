"""100,000 captures through native code, which may not allocate. For MicroPython of 64 bits.

Two units in memory, against a model in whole counts. Within a call of native code nothing can be
put in between; so an edge is put where it makes the same difference: one that lands between
the clearing of a flag and the reading of its count is there before, and has its flag set again
behind. Prints what was handed over, lost and doubled, and how often what wrapped.
"""

from array import array

import micropython
from uctypes import addressof  # type: ignore[attr-defined]  # not of the virtual board

from kegli.capture import Capture

CAPTURES = 100_000
CHANNELS = 6
MHZ = 80
TICKS = 2**30
COUNTS = 2**32
START = 2**45 + 12_345  # in counts; no whole number of us
STEP = 251  # counts between two times at which an edge may land: at any part of a us
OFFSETS = (0, 3_000_000_001)  # of the units' counters

# Words of a unit.
COUNT = 0xFC // 4
RAW = 0x114 // 4
CLEAR = 0x11C // 4
OTHERS = 0x47FFFFF  # flags of the unit's other parts

# How an edge meets the drain.
BEFORE = 1
AGAIN = 2  # over another one, between clearing and reading
BEHIND = 3  # after the flags were read, or the count of another one


class Model:
    """What should come, in ticks, by channel; -1: nothing. And what came."""

    def __init__(self) -> None:
        self.due = [-1] * CHANNELS
        self.delivered = 0
        self.lost = 0
        self.doubled = 0
        self.worst_us = 0

    def put(self, channel: int, ticks: int) -> None:
        """Take an edge. Allocates nothing."""
        due = self.due[channel]
        if due < 0:
            self.doubled += 1
            return
        off_us = abs((due - ticks + TICKS // 2) % TICKS - TICKS // 2)
        self.worst_us = max(self.worst_us, off_us)
        self.due[channel] = -1
        self.delivered += 1


class Random:
    """Numbers that are the same each time."""

    def __init__(self) -> None:
        self.state = 1

    def below(self, limit: int) -> int:
        """Return a number below *limit*."""
        self.state = (self.state * 1_103_515_245 + 12_345) % 2**31
        return (self.state >> 8) % limit


model = Model()
random = Random()
units = [array("I", bytes(0x120)) for _ in OFFSETS]


def ticks_at(time: int) -> int:
    return time // MHZ % TICKS


def latch(channel: int, time: int) -> None:
    unit = units[channel // 3]
    unit[COUNT + channel % 3] = (time + OFFSETS[channel // 3]) % COUNTS
    unit[RAW] |= 1 << 27 + channel % 3


def land(channel: int, time: int) -> None:
    latch(channel, time)
    model.due[channel] = ticks_at(time)


def settle() -> None:
    """Let the units take up what was cleared."""
    for unit in units:
        unit[RAW] &= ~unit[CLEAR]
        unit[CLEAR] = 0


def step(capture: Capture, before: int, now: int, ways: "list[int]") -> None:
    """Let an edge land on each channel in its way between two times, and drain."""
    for channel in range(CHANNELS):
        if ways[channel] in (BEFORE, AGAIN):
            land(channel, before + STEP * random.below((now - before) // STEP))
    micropython.heap_lock()  # type: ignore[attr-defined]  # CPython's small one has none
    capture.take(ticks_at(now))
    micropython.heap_unlock()  # type: ignore[attr-defined]  # the same
    settle()
    for channel in range(CHANNELS):
        if model.due[channel] >= 0:
            model.lost += 1
            model.due[channel] = -1
        if ways[channel] == AGAIN:
            units[channel // 3][RAW] |= 1 << 27 + channel % 3
        elif ways[channel] == BEHIND:
            land(channel, now + random.below(100 * MHZ))


def main() -> None:
    capture = Capture(tuple([addressof(unit) for unit in units]), model.put)
    now = START
    for n in range(len(units)):
        units[n][RAW] = OTHERS
        capture.states[n][0] = ticks_at(now)
        capture.states[n][1] = (now + OFFSETS[n]) % COUNTS
        capture.widths[n] = 1
    placed = 0
    ways = [0] * CHANNELS
    while placed < CAPTURES or any(ways):
        before = now + 100 * MHZ
        now += MHZ * (2000 + random.below(9 if random.below(2) else 4_000_000))
        for channel in range(CHANNELS):
            # What waits already is an edge that came before.
            is_free = ways[channel] != BEHIND and placed < CAPTURES
            ways[channel] = random.below(7) & 3 if is_free else 0
            placed += ways[channel] > 0
        step(capture, before, now, ways)
    print(
        "%d delivered, %d lost, %d doubled, worst error %d us"
        % (model.delivered, model.lost, model.doubled, model.worst_us)
    )
    passed = now - START
    print("%d wraps of ticks, %d of the counter" % (passed // MHZ // TICKS, passed // COUNTS))


main()
