"""The chip's registers that the firmware uses: two MCPWM units, their clocks, the GPIO matrix.

A unit counts 80 a microsecond in 32 bits, and wraps five seconds after power-up for the first
time. A channel latches the count at the edges that it is set for, and its flag stays until it is
cleared. As on the chip, memory of these addresses is what native code works on: so what it
clears is taken up when the chip is touched next.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = 4
_MASK = 0xFFFFFFFF
_UNIT_BYTES = 0x124
_TIMER = 0xE8
_CHANNEL = 0xF0
_COUNT = 0xFC
_RAW = 0x114
_CLEAR = 0x11C
_CAP0_BIT = 27
_CHANNELS = 3
_ON, _FALLING, _RISING, _SOFTWARE = 1, 2, 4, 1 << 12
_FROM_GPIO = 0x80
_FIRST_WRAP_US = 5_000_000
_UNIT_BITS = (1 << 17, 1 << 20)

# By chip: clock enables, resets, units, and in the GPIO matrix the inputs of their channels 0.
_ADDRESSES = {
    "esp32": (0x3FF000C0, 0x3FF000C4, (0x3FF5E000, 0x3FF6C000), (0x3FF442E4, 0x3FF442F0)),
    "esp32s3": (0x600C0018, 0x600C0020, (0x6001E000, 0x6002C000), (0x600043EC, 0x60004410)),
}


class Registers:
    """The registers of *chip*. `mhz`: how fast the units count; 0: they stand still."""

    def __init__(self, chip: str) -> None:
        self.mhz = 80
        self._clocks, self._resets, units, self._inputs = _ADDRESSES[chip]
        self.blocks = {address: bytearray(_UNIT_BYTES) for address in units}
        self._units = [self.blocks[address] for address in units]
        self._others: "dict[int, int]" = {}

    def read(self, address: int) -> int:
        """Return the word at *address*."""
        block, offset = self._find(address)
        return _get(block, offset) if block else self._others.get(address, 0)

    def write(self, address: int, value: int, now_us: int) -> None:
        """Write the word at *address*."""
        block, offset = self._find(address)
        if not block:
            self._others[address] = value & _MASK
            return
        channel = (offset - _CHANNEL) // _WORD
        if 0 <= channel < _CHANNELS and value & _SOFTWARE:
            value &= ~_SOFTWARE
            if value & _ON:
                self._latch(self._units.index(block), channel, now_us)
        _put(block, offset, value & _MASK)
        self.settle()

    def settle(self) -> None:
        """Take up what native code has cleared."""
        for block in self._units:
            cleared = _get(block, _CLEAR)
            if cleared:
                _put(block, _RAW, _get(block, _RAW) & ~cleared)
                _put(block, _CLEAR, 0)

    def edge(self, gpio: int, level: int, now_us: int) -> None:
        """Let the channels that listen to a GPIO latch its edge."""
        for n, channel in self._listening(gpio):
            config = _get(self._units[n], _CHANNEL + _WORD * channel)
            if config & _ON and config & (_RISING if level else _FALLING):
                self._latch(n, channel, now_us)

    def _listening(self, gpio: int) -> "Iterator[tuple[int, int]]":
        for n, first in enumerate(self._inputs):
            for channel in range(_CHANNELS):
                if self._others.get(first + _WORD * channel) == _FROM_GPIO | gpio:
                    yield n, channel

    def _latch(self, n: int, channel: int, now_us: int) -> None:
        block = self._units[n]
        is_clocked = self._others.get(self._clocks, 0) & _UNIT_BITS[n]
        is_reset = self._others.get(self._resets, 0) & _UNIT_BITS[n]
        if is_clocked and not is_reset and _get(block, _TIMER) & _ON and self.mhz:
            self.settle()
            count = (now_us - _FIRST_WRAP_US) * self.mhz
            _put(block, _COUNT + _WORD * channel, count & _MASK)
            _put(block, _RAW, _get(block, _RAW) | 1 << (_CAP0_BIT + channel))

    def _find(self, address: int) -> "tuple[bytearray | None, int]":
        for first, block in self.blocks.items():
            if first <= address < first + _UNIT_BYTES:
                return block, address - first
        return None, 0


def _get(block: bytearray, offset: int) -> int:
    return int.from_bytes(block[offset : offset + _WORD], "little")


def _put(block: bytearray, offset: int, value: int) -> None:
    block[offset : offset + _WORD] = value.to_bytes(_WORD, "little")
