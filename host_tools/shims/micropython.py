"""What the firmware needs of MicroPython's own module, on CPython."""

import builtins
from array import array
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


def const(value: T) -> T:
    """Return *value*; MicroPython's compiler folds it away."""
    return value


class Words:
    """A buffer as words of 32 bits: what a pointer of viper's is."""

    def __init__(self, buffer: "bytearray | array[int]") -> None:
        self._words = memoryview(buffer).cast("B").cast("I")

    def __getitem__(self, n: int) -> int:
        """Return a word, without a sign."""
        return self._words[n]

    def __setitem__(self, n: int, value: int) -> None:
        """Write a word; what is more than 32 bits is lost."""
        self._words[n] = value & 0xFFFFFFFF


def viper(function: "Callable[..., int]") -> "Callable[..., int]":
    """Return *function* for buffers, which are words to it; MicroPython makes it native code."""

    def on_words(*arguments: "Any") -> int:
        return function(
            *[
                Words(argument) if isinstance(argument, (bytearray, array)) else argument
                for argument in arguments
            ]
        )

    return on_words


# Names of viper's types; MicroPython's compiler knows them.
builtins.ptr32 = Words  # type: ignore[attr-defined]
