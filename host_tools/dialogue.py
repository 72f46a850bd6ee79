"""Talks with a board that take a while: `kegli selftest`, `calibrate` and `watch`."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.live import Live
from rich.table import Table

from host_tools.console import Typed, printable
from host_tools.link import Link, LinkError, hush

_LOOK_S = 0.1
_FIRST_S = 5.0  # to the first line of an answer
_MOST_S = 45.0  # to the next: hands get 20 s, an answer 30
_START_S = 30.0  # from a restart to the self-test that follows

_NOTICE = "> "
_ANSWERED = "> lamps", "> Do what", "> Hands off", "> refused ", "> watch: "
_ASKS = "> Tip ", "> Tap ", "> Say "
_FAULTS = "> faults: "
_RESTARTING = "> Restarting."
_TESTED = "> Self-test: "
_ROW = re.compile(
    r"> (?P<name>\S+(?: \S+)?) +GPIO +(?P<gpio>\d+)  (?P<level>\S+) +(?P<edges>\d+) edges,"
    r" (?:none yet|the last (?P<ago>[\d.]+) s ago)(?P<muted>, left out)?"
)
_FRESH_S = 1.5  # so long what changed stands out


def converse(link: Link, words: str, show: Callable[[str], None]) -> bool:
    """Say *words*, *show* what the board answers, and type what a person does, to the end.

    The end of `selftest` is its list of faults, that of the others a restart. Return whether
    there were no faults. Raise LinkError if the board refuses, or stops answering.
    """
    hush(link)
    link.say(words)
    is_well = True
    typed = Typed(sys.stdin)
    for line in _notices(link, typed):
        if line.startswith("> refused "):
            raise LinkError(line.removeprefix(_NOTICE))
        show(printable(line.removeprefix(_NOTICE)))
        if line.startswith(_FAULTS):
            is_well = line == _FAULTS + "none"
            if words == "selftest":
                return is_well
        if line.startswith(_TESTED):
            return is_well
    return is_well  # not reached: _notices goes on until it raises


def _notices(link: Link, typed: Typed) -> Iterator[str]:
    """Yield notices from the first that answers on; give each question a line that is typed."""
    is_answered = is_asked = False
    until_s = time.monotonic() + _FIRST_S
    while time.monotonic() < until_s:
        for line in link.lines(_LOOK_S):
            is_answered = is_answered or line.startswith(_ANSWERED)
            if is_answered and line.startswith(_NOTICE):
                until_s = time.monotonic() + (_START_S if line == _RESTARTING else _MOST_S)
                is_asked = line.startswith(_ASKS)
                yield line
        if link.is_at_prompt:
            raise LinkError(f"The board at {link.path} is at MicroPython's prompt by now.")
        if is_asked and (word := typed.line()):
            link.say(word)
            is_asked = False
    stopped = "stopped answering" if is_answered else "does not answer: press its reset button"
    raise LinkError(f"The board at {link.path} {stopped}.")


@dataclass
class Input:
    """An input as the board told it last."""

    gpio: str
    level: str
    edges: str
    muted: bool
    last_s: float | None  # on this computer's clock; None: no edge yet
    told_s: float


class Watched:
    """What `watch` has told so far: `inputs` by their names, `lost` edges, the thresholds."""

    def __init__(self) -> None:
        self.inputs: dict[str, Input] = {}
        self.lost = "0 edges"
        self.thresholds = ""

    def take(self, line: str, now_s: float) -> bool:
        """Take a line of the board; return whether it was one of the watch."""
        found = _ROW.fullmatch(line)
        if found:
            ago = found["ago"]
            last_s = now_s - float(ago) if ago else None
            self.inputs[found["name"]] = Input(
                found["gpio"], found["level"], found["edges"], bool(found["muted"]), last_s, now_s
            )
        elif line.startswith("> lost: "):
            self.lost = line.removeprefix("> lost: ")
        elif line.startswith("> watch: "):
            self.thresholds = line.removeprefix("> watch: ")
        else:
            return False
        return True

    def table(self, now_s: float, began_s: float) -> Table:
        """Return it as a table; what changed a moment ago stands out."""
        table = Table(title=f"{self.thresholds}; lost: {self.lost}", title_justify="left")
        table.add_column("input")
        table.add_column("GPIO", justify="right")
        table.add_column("level")
        table.add_column("edges", justify="right")
        table.add_column("last", justify="right")
        for name, told in self.inputs.items():
            last = "-" if told.last_s is None else f"{max(0.0, now_s - told.last_s):.1f} s ago"
            is_fresh = now_s - told.told_s < _FRESH_S and told.told_s - began_s > _FRESH_S
            level = told.level + (", left out" if told.muted else "")
            table.add_row(
                name,
                told.gpio,
                level,
                told.edges,
                last,
                style="red" if told.muted else "bold" if is_fresh else None,
            )
        return table


def watch(link: Link, console: Console) -> None:
    """Show the inputs until KeyboardInterrupt: as a table in a terminal, else as lines."""
    watched = Watched()
    began_s = time.monotonic()
    try:
        lines = _watching(link)
        if not console.is_terminal:
            for line in lines:
                if line and watched.take(line, time.monotonic()):
                    console.print(printable(line.removeprefix(_NOTICE)), soft_wrap=True)
            return
        with Live(console=console, auto_refresh=False) as live:
            for line in lines:
                now_s = time.monotonic()
                if not line or watched.take(line, now_s):
                    live.update(watched.table(now_s, began_s), refresh=not line)
    finally:
        if not link.is_at_prompt:
            link.say("watch")  # ends it


def _watching(link: Link) -> Iterator[str]:
    """Switch the watch on, and yield its lines; "" now and then, when there is none."""
    hush(link)
    link.say("watch")
    until_s = time.monotonic() + _FIRST_S
    while True:
        lines = link.lines(_LOOK_S)
        for line in lines:
            if line == "> watch: off":  # somebody had left it on
                link.say("watch")
            elif line.startswith("> watch: "):
                until_s = float("inf")
                yield line
            else:
                yield line
        if link.is_at_prompt:
            raise LinkError(f"The board at {link.path} is at MicroPython's prompt.")
        if time.monotonic() > until_s:
            raise LinkError(f"The board at {link.path} does not answer: press its reset button.")
        if not lines:
            yield ""
