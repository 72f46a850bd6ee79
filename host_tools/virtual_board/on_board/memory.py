"""Memory by its addresses: what machine.mem32 and uctypes.bytearray_at give."""

import world


class Mem32:
    """Words of memory, by address."""

    def __getitem__(self, address: int) -> int:
        """Return a word."""
        return world.current().registers.read(address)

    def __setitem__(self, address: int, value: int) -> None:
        """Write a word."""
        world.current().registers.write(address, value, world.current().now_us)


def bytearray_at(address: int, _size: int) -> bytearray:
    """Return the memory at *address*, as MicroPython's uctypes does: not a copy."""
    return world.current().registers.blocks[address]
