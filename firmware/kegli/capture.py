"""Cushions and click in hardware time: the chip's MCPWM units latch the moment of each edge.

A unit has three channels and a counter of 80 MHz, of 32 bits; a channel keeps its last edge
only. So a front end has to make one edge for a hit, and the units are emptied more often than it
can make another. An edge becomes ticks of `time.ticks_us` by an anchor: a count, and the ticks
that belong to it. anchor.py sets units and anchors up.
"""

from array import array

import micropython
from micropython import const
from uctypes import bytearray_at

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    from collections.abc import Callable

    ptr32 = bytearray | array[int]

CHANNELS = const(3)  # of a unit

# Registers of a unit; tests/test_capture.py has the source of each.
_COUNT = const(0xFC)  # CAP_CH0, and those of channels 1 and 2 behind it
_RAW = const(0x114)  # INT_RAW
_CLEAR = const(0x11C)  # INT_CLR
_UNIT_BYTES = const(0x120)
_CAP0_BIT = const(27)  # in INT_RAW and INT_CLR

# What is known of a unit, in words.
_ANCHOR_TICKS = const(0)
_ANCHOR_COUNT = const(1)
_LAST = const(2)  # + channel: the count delivered last
_AGAIN = const(5)  # + channel: it may come again
_STATE_WORDS = const(8)
_WORD = const(4)  # bytes

_MASK = const(0x3FFFFFFF)  # of ticks
_MHZ = const(80)
_MOVE_US = const(10_000_000)  # an anchor moves on after so long; edges may lie 16 s behind it


@micropython.viper
def drain(unit: ptr32, state: ptr32, found: ptr32, now: int) -> int:
    """Put channel and ticks of each edge that waits into *found*; return how many there are.

    *now*: ticks. The flags are cleared before the counts are read, so an edge that comes in
    between is not lost: it is delivered now, its flag stays, and it is dropped the next time.
    All values fit 31 bits, or wrap alike in words of 32 and of 64 bits.
    """
    flags = (int(unit[_RAW >> 2]) >> _CAP0_BIT) & 7
    unit[_CLEAR >> 2] = flags << _CAP0_BIT
    if ((now - int(state[_ANCHOR_TICKS])) & _MASK) > _MOVE_US:  # exact: the counter makes 80 in 1
        state[_ANCHOR_TICKS] = (int(state[_ANCHOR_TICKS]) + _MOVE_US) & _MASK
        state[_ANCHOR_COUNT] = int(state[_ANCHOR_COUNT]) + _MHZ * _MOVE_US
    n = 0
    channel = 0
    while channel < CHANNELS:
        if flags & (1 << channel):
            count = int(unit[(_COUNT >> 2) + channel])
            if not (int(state[_AGAIN + channel]) and count == int(state[_LAST + channel])):
                # Counts from 80 * 2^24 (16.8 s) before the anchor on.
                since = count - int(state[_ANCHOR_COUNT])
                high = ((since >> 16) + 0x5000) & 0xFFFF
                us = (((high % _MHZ) << 16) + (since & 0xFFFF)) // _MHZ + ((high // _MHZ) << 16)
                found[n] = channel
                found[n + 1] = (int(state[_ANCHOR_TICKS]) + us - (1 << 24)) & _MASK
                n += 2
            state[_LAST + channel] = count
        state[_AGAIN + channel] = flags & (1 << channel)
        channel += 1
    return n


class Capture:
    """The units at *addresses*; *put* is called with channel and ticks of each edge.

    Channels are numbered over all units. `error_us`: how far ticks may be from the truth, by
    what the anchors leave open. `states` has an array for each unit, `widths` the width of the
    bracket of its anchor in us and one more, 0 before it has one.
    """

    def __init__(self, addresses: "tuple[int, ...]", put: "Callable[[int, int], None]") -> None:
        self.addresses = addresses
        self.error_us = 0
        self.states = [array("I", bytes(_WORD * _STATE_WORDS)) for _ in addresses]
        self.widths = [0] * len(addresses)
        self._put = put
        self._units = [bytearray_at(address, _UNIT_BYTES) for address in addresses]
        self._found = array("I", bytes(2 * _WORD * CHANNELS))

    def take(self, now: int) -> None:
        """Hand over the edges that wait; it is *now*, in ticks. Allocates nothing."""
        for n in range(len(self._units)):
            self.empty(n, now, CHANNELS)

    def empty(self, n: int, now: int, ours: int) -> int:
        """Hand over what waits in a unit, but for channel *ours*: return its ticks, or -1."""
        ticks_of_ours = -1
        found = drain(self._units[n], self.states[n], self._found, now)
        while found:
            found -= 2
            channel = self._found[found]
            ticks = self._found[found + 1]
            if channel == ours:
                ticks_of_ours = ticks
            elif self.widths[n]:  # else it has no time yet: its level tells
                self._put(CHANNELS * n + channel, ticks)
        return ticks_of_ours
