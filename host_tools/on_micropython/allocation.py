"""Prints, for logs and kinds of lines, the most bytes that a line allocates in the core.

In its folder: the names of the logs in logs.txt. Time is let pass before each line and after it,
so that a line bears the whole of its own cost and none of what time alone brings about. Lines
with which something is concluded do not count, nor does what is freed at once.
"""

from gc import collect, disable, mem_alloc  # type: ignore[attr-defined]  # MicroPython's own

from kegli.lines import TARDY_US
from kegli.referee import Referee

disable()  # host_tools/interpreters.py says why


def lines(name: str) -> "list[str]":
    """Return the lines of the file *name* without their LF."""
    with open(name) as file:
        return file.read().split("\n")[:-1]


def most_by_kind(log: "list[str]") -> "dict[str, int]":
    """Return the most bytes of a line of each kind in a log."""
    most: "dict[str, int]" = {}
    referee = Referee(log[0])
    for line in log[1:]:
        time, kind = line.split(" ")[:2]
        t_us = int(time)
        decided_us = t_us + TARDY_US  # then nothing can come before the line any more
        referee.advance(t_us - 1)
        referee.take()
        before = mem_alloc()
        referee.feed(line)
        referee.advance(decided_us)
        grown = mem_alloc() - before
        if not referee.take():
            most[kind] = max(most.get(kind, 0), grown)
    return most


def tell(name: str) -> None:
    """Print what the lines of the log *name* allocate."""
    most = most_by_kind(lines(name))
    for kind in sorted(most):
        print(name, kind, most[kind])


for name in lines("logs.txt"):
    tell(name)
    collect()
