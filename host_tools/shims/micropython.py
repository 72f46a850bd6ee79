"""What the firmware needs of MicroPython's own module, on CPython."""

from typing import TypeVar

T = TypeVar("T")


def const(value: T) -> T:
    """Return *value*; MicroPython's compiler folds it away."""
    return value
