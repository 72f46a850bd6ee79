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

FIRST_SHOT, SHOTS = 5, 5  # of the inputs
# Of a capture unit.
CONFIG = 0xF8
COUNT = 0xFC
RAW = 0x114
SOFTWARE = 1 << 12

units: "dict[int, bytearray]" = {}
blocks: "list[bytearray]" = []  # the same
waiting = bytearray(SHOTS)  # captures, for what stands in for the units
pins: "list[Pin]" = []
timers: "list[Timer]" = []


def nothing(pin: "Pin") -> None:
    pass


class Pin:
    """An input that is at rest until the test says otherwise."""

    IN = PULL_UP = IRQ_RISING = IRQ_FALLING = 1

    def __init__(self, gpio: int, mode: int, pull: object) -> None:
        self.level = 1 if pull else 0
        self.handler: "Callable[[Pin], None]" = nothing  # a polled input has none
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


class Memory:
    """Words of memory, by address."""

    def __init__(self) -> None:
        self.words: "dict[int, int]" = {}

    def __getitem__(self, address: int) -> int:
        """Return a word."""
        return self.words.get(address, 0)

    def __setitem__(self, address: int, value: int) -> None:
        """Write a word."""
        self.words[address] = value
        if value & SOFTWARE:  # it captures on channel 2, always the same count
            unit = units.get(address - CONFIG)
            if unit:  # 32 bit has none
                count = Chip.ticks * 80 & 0xFFFFFFFF
                unit[COUNT + 8 : COUNT + 12] = count.to_bytes(4, "little")
                unit[RAW + 3] |= 1 << 5


class Chip:
    """What the firmware takes from the modules machine, time and uctypes."""

    mem32 = Memory()
    Pin = Pin
    Timer = Timer
    ticks = NEAR_WRAP

    @staticmethod
    def bytearray_at(address: int, size: int) -> bytearray:
        """Return the memory of a unit."""
        units[address] = bytearray(size)
        blocks.append(units[address])
        return units[address]

    @staticmethod
    def disable_irq() -> int:
        """Do nothing."""
        return 0

    @staticmethod
    def enable_irq(state: int) -> None:
        """Do nothing."""

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


def latch(channel: int) -> None:
    """Let a capture unit do so, or what stands in for it."""
    waiting[channel] = 1
    if blocks:
        block = blocks[channel // 3]
        block[COUNT + 4 * (channel % 3)] ^= 255
        block[RAW + 3] |= 8 << channel % 3


def drive(inputs: "Inputs") -> None:
    timer = timers[0]
    for _ in range(8):
        inputs.work()
        for n in range(len(pins)):
            pin = pins[n]
            pin.level = 1 - pin.level
            if n >= FIRST_SHOT and n < FIRST_SHOT + SHOTS:
                latch(n - FIRST_SHOT)
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


sys.modules["machine"] = sys.modules["time"] = sys.modules["uctypes"] = Chip  # type: ignore[assignment]  # good enough

try:
    import kegli.capture  # noqa: F401  # can it be?
except ValueError:  # native code for the chip, which the 32-bit interpreter cannot run

    class Capture:
        """Stands in for the capture units."""

        CHANNELS = 3

        def __init__(
            self, addresses: "tuple[int, ...]", put: "Callable[[int, int], None]"
        ) -> None:
            self.states = [[0] * 8 for _ in addresses]
            self.addresses = addresses
            self.widths = [0] * len(addresses)
            self.error_us = 0
            self.put = put

        def empty(self, n: int, now: int, ours: int) -> int:
            """Say that software captured just now."""
            return now

        def take(self, now: int) -> None:
            """Hand over what waits."""
            for channel in range(SHOTS):
                if waiting[channel]:
                    waiting[channel] = 0
                    self.put(channel, now)

    Capture.Capture = Capture  # type: ignore[attr-defined]  # a module of itself
    sys.modules["kegli.capture"] = Capture  # type: ignore[assignment]  # good enough

from kegli import board  # noqa: E402  # its modules come first
from kegli.inputs import Inputs  # noqa: E402  # its modules come first
from kegli.ring import Ring  # noqa: E402  # its modules come first

ring = Ring(64)
locked(put_all, ring)
print("ring", count(ring), ring.dropped)

ring = Ring(64)
inputs = Inputs(ring, board.inputs("esp32"), "esp32")
locked(drive, inputs)
print("inputs", count(ring), ring.dropped, inputs.wrong or "captured")
