"""Prints what stays on the heap, in bytes: the firmware's modules, then a game on top of them.

And then the modules that want a chip, with stand-ins for the chip's; without what they make.
In its folder: the names of the modules in modules.txt and on_the_chip.txt, and game.log.
"""

import sys
from gc import collect, disable, mem_alloc  # type: ignore[attr-defined]  # MicroPython's own

disable()  # and small loops at the top level: host_tools/interpreters.py says why

_AT_ONCE = 20  # lines between two collections


class Chip:
    """Stands in for the modules machine, time and neopixel."""

    Pin = Timer = RTC = WDT = NeoPixel = PWM = ticks_us = ticks_ms = ticks_diff = None


def load_modules(file: str) -> None:
    """Import the modules that *file* names."""
    with open(file) as names:
        for name in names.read().split():
            __import__("kegli." + name)


def feed_some() -> bool:
    """Feed a few lines. Return False when the log has ended."""
    for _ in range(_AT_ONCE):
        line = log.readline()  # never the whole text: a stale pointer to it would weigh much
        if not line:
            referee.finish()
            return False
        referee.feed(line[:-1])
    referee.take()
    let_go()  # as the board does between strokes
    return True


collect()
empty = loaded = mem_alloc()
load_modules("modules.txt")
collect()
loaded = mem_alloc()

from kegli import let_go  # noqa: E402 (the same)
from kegli.referee import Referee  # noqa: E402 (all modules have been weighed by now)

with open("game.log") as log:
    referee = Referee(log.readline()[:-1])
    while feed_some():
        collect()
referee.take()
collect()
print("modules", loaded - empty)
played = mem_alloc()
print("game", played - loaded)

for _name in ("machine", "time", "neopixel"):
    sys.modules[_name] = Chip  # type: ignore[assignment]  # good enough
load_modules("on_the_chip.txt")
collect()
print("on-the-chip", mem_alloc() - played)
