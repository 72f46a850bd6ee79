"""MicroPython's module uctypes, as much of it as the firmware uses. For CPython; see start.py."""

from memory import bytearray_at

__all__ = ["bytearray_at"]
