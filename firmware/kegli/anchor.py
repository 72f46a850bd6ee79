"""Sets the capture units up, and anchors their counts to the clock. Imported on demand.

Stock MicroPython has no driver for these units, so they are set up through their registers, as
its manual does. To anchor one, software captures its count between two looks at the clock. The
two run from one crystal: an anchor holds, and setting it anew shows whether it does.
"""

from time import ticks_diff, ticks_us  # type: ignore[attr-defined]  # MicroPython's own

from machine import disable_irq, enable_irq, mem32
from micropython import const

from .capture import CHANNELS, Capture

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    from collections.abc import Callable

    from machine import Pin

# By chip: clock enables, resets, the units, in the GPIO matrix the input of each one's channel 0.
# tests/test_capture.py has the source of each, and of the registers and bits below.
_REGISTERS = {
    "esp32": (0x3FF000C0, 0x3FF000C4, (0x3FF5E000, 0x3FF6C000), (0x3FF442E4, 0x3FF442F0)),
    "esp32s3": (0x600C0018, 0x600C0020, (0x6001E000, 0x6002C000), (0x600043EC, 0x60004410)),
}
_UNIT_BITS = const(1 << 17 | 1 << 20)  # of clock enables and resets
_FROM_GPIO = const(0x80)  # of the matrix
_TIMER = const(0xE8)  # CAP_TIMER_CFG
_CHANNEL = const(0xF0)  # CAP_CH0_CFG, and those of channels 1 and 2 behind it
_ON = const(1)  # both
_RISING = const(1 | 1 << 2)  # CAP_CHn_CFG: on, at rising edges
_NOW = const(1 << 12)  # software captures

# As in capture.py, folded in by the compiler.
_CLEAR = const(0x11C)
_CAP0_BIT = const(27)
_ANCHOR_TICKS = const(0)
_ANCHOR_COUNT = const(1)
_LAST = const(2)
_WORD = const(4)
_MASK = const(0x3FFFFFFF)

_TRIES = const(10)
_SLACK_US = const(1)  # more than this, and half of both brackets, is no rounding
_DEAD = const(-1)


def set_up(chip: str, gpios: "list[int]", put: "Callable[[int, int], None]") -> Capture:
    """Return the units of *chip*, for rising edges at *gpios*, at most six, a channel for each.

    Set up again it does no harm: a soft reset leaves the units as they are.
    """
    clocks, resets, units, inputs = _REGISTERS[chip]
    mem32[clocks] |= _UNIT_BITS
    mem32[resets] |= _UNIT_BITS
    mem32[resets] &= ~_UNIT_BITS
    for n in range(CHANNELS * len(units)):
        offset = n % CHANNELS * _WORD
        edges = _ON  # software can capture on each
        if n < len(gpios):
            mem32[inputs[n // CHANNELS] + offset] = _FROM_GPIO | gpios[n]
            edges = _RISING
        mem32[units[n // CHANNELS] + _CHANNEL + offset] = edges
    for address in units:
        mem32[address + _TIMER] = _ON
        mem32[address + _CLEAR] = 7 << _CAP0_BIT
    return Capture(units, put)


def anchor(capture: Capture, pins: "list[Pin]") -> str:
    """Anchor the units anew; return what is wrong with them, or "".

    *pins*: those that the channels latch. Nothing may call `take` meanwhile. Where an edge is
    about a unit keeps its old anchor.
    """
    for n in range(len(capture.states)):
        before = capture.widths[n]
        off_us = _anchor(capture, n, pins[CHANNELS * n : CHANNELS * (n + 1)])
        if off_us == _DEAD:
            return "capture unit %d does not count" % n
        if not capture.widths[n]:
            return "capture unit %d finds no quiet moment" % n
        if before and off_us > (before + capture.widths[n]) // 2 + _SLACK_US:
            return "capture unit %d is %d us off the clock" % (n, off_us)
    capture.error_us = max(capture.widths) // 2 + 1
    return ""


def _anchor(capture: Capture, n: int, pins: "list[Pin]") -> int:
    """Set a unit's anchor by the best of some tries; return by how much the old one was off.

    *pins*: those of the unit. In us, without a sign; 0 if an edge was about, _DEAD if software
    captures nothing.
    """
    state = capture.states[n]
    best_us = _MASK
    off_us = ticks = count = 0
    for _ in range(_TRIES):
        capture.empty(n, ticks_us(), CHANNELS)
        quiet = [c for c in range(CHANNELS) if not _is_up(pins, c)]
        if not quiet:
            return 0
        ours = quiet[-1]  # where most often nothing is connected
        config = capture.addresses[n] + _CHANNEL + _WORD * ours
        on = mem32[config]
        interrupts = disable_irq()
        before = ticks_us()
        mem32[config] = on | _NOW
        after = ticks_us()
        enable_irq(interrupts)
        predicted = capture.empty(n, after, ours)
        if _is_up(pins, ours):
            # An edge comes behind that of software, or was hidden by it: then its level tells.
            capture.empty(n, after, CHANNELS)
            if capture.widths[n]:
                return 0
            continue
        if predicted < 0:
            return _DEAD
        width_us = ticks_diff(after, before)
        if width_us < best_us:
            best_us = width_us
            ticks = (before + width_us // 2) & _MASK
            count = state[_LAST + ours]
            off_us = abs(ticks_diff(predicted, ticks))
    if best_us < _MASK:
        state[_ANCHOR_TICKS] = ticks
        state[_ANCHOR_COUNT] = count
        capture.widths[n] = best_us + 1
    return off_us


def _is_up(pins: "list[Pin]", channel: int) -> bool:
    return channel < len(pins) and bool(pins[channel].value())
