"""Prints what the core concludes from logs, each under the log's name; first, who it runs on.

In its folder: the names of the logs in logs.txt. Read as `kegli replay --lenient` reads them: one
character a byte, and a line that is refused is skipped; why is printed too.
"""

import gc
import sys

from kegli.referee import Referee

gc.disable()  # host_tools/interpreters.py says why, and why the loops at the end are so small

_AT_ONCE = 50  # lines between two collections


def read(name: str) -> "list[str]":
    """Return the lines of a file without their LF, one character a byte."""
    with open(name, "rb") as file:
        data = file.read()
    # MicroPython takes all bytes for UTF-8, whatever encoding one asks for.
    text = data.decode() if max(data) < 128 else "".join([chr(byte) for byte in data])
    return text.split("\n")[:-1]


class Player:
    """Plays one log, some lines at a time."""

    def __init__(self, name: str) -> None:
        print("#", name)
        self._lines = read(name)
        self._next = 1
        self._referee = Referee(self._lines[0])

    def play_some(self) -> bool:
        """Play a few lines. Return False when the log has ended."""
        for line in self._lines[self._next : self._next + _AT_ONCE]:
            self._feed(line)
        self._next += _AT_ONCE
        goes_on = self._next < len(self._lines)
        if not goes_on:
            self._referee.finish()
        for line in self._referee.take():
            print(line)
        return goes_on

    def _feed(self, line: str) -> None:
        try:
            self._referee.feed(line)
        except ValueError as error:
            print("!", error)
            self._referee.skip()


print(sys.implementation.name, sys.maxsize)
for name in read("logs.txt"):
    player = Player(name)
    while player.play_some():
        gc.collect()
    gc.collect()
