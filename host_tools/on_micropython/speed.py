"""Prints how many microseconds of processor time the core needs for game.log, several times.

From opening the file to the last conclusion; the firmware has been imported before.
"""

from gc import collect
from time import clock  # type: ignore[attr-defined]  # MicroPython's own: of the processor

from kegli.referee import Referee

_RUNS = 7
_BLOCK = 4096  # characters: files have no buffer, and all lines at once make the heap slow


def play() -> "list[str]":
    """Return what the core concludes."""
    with open("game.log") as log:
        referee = Referee(log.readline()[:-1])
        feed = referee.feed
        rest = ""
        while text := log.read(_BLOCK):
            lines = (rest + text).split("\n")
            rest = lines.pop()
            for line in lines:
                feed(line)
    referee.finish()
    return referee.take()


for _ in range(_RUNS):
    collect()
    began = clock()
    play()
    print(int((clock() - began) * 1_000_000))
