"""Talks with a board that take a while: `kegli selftest`, `calibrate` and `watch`."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass

from rich.console import Console
from rich.live import Live
from rich.table import Table

from host_tools.console import Typed, printable
from host_tools.link import Link, LinkError, at_prompt_sentence, hush, is_ours, silent

_LOOK_S = 0.1
_FIRST_S = 5.0  # to the first line of an answer
_NEXT_S = 8.0  # to the next
_MOST_S = 45.0  # to the next where a person is waited for: hands get 20 s, an answer 30
_GUIDED = "selftest guided"
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
_OFF = "> watch: off"
_PROBE = "log ?"  # it is refused at once, and changes nothing
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
    for line in _notices(link, words, typed):
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


def _notices(link: Link, words: str, typed: Typed) -> Iterator[str]:
    """Yield notices from the first that answers on; give each question a line that is typed."""
    is_answered = is_asked = False
    until_s = time.monotonic() + _FIRST_S
    while time.monotonic() < until_s:
        for line in link.lines(_LOOK_S):
            is_answered = is_answered or line.startswith(_ANSWERED)
            if is_answered and line.startswith(_NOTICE):
                is_asked = line.startswith(_ASKS)
                # Hands may take their time: between two questions a pin is set up again.
                is_patient = is_asked or words == _GUIDED
                until_s = time.monotonic() + (_MOST_S if is_patient else _NEXT_S)
                if line == _RESTARTING:
                    until_s = time.monotonic() + _START_S
                yield line
        if link.is_at_prompt:
            raise LinkError(at_prompt_sentence(link.path))
        if is_asked and (word := typed.line()):
            link.say(word)
            is_asked = False
    if not is_answered:
        raise silent(link)
    raise LinkError(f"The board at {link.path} stopped answering.")


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
        elif line.startswith("> watch: ") and line != _OFF:
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
    with closing(_watching(link)) as lines:
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


def _watching(link: Link) -> Generator[str, None, None]:
    """Switch the watch on, and yield its lines, "" where there is none for now; switch it off.

    A board that says nothing is asked whether it is there. Raise LinkError if it is not.
    """
    hush(link)
    link.say("watch")
    heard_s = time.monotonic()
    is_asked = False
    try:
        while True:
            lines = link.lines(_LOOK_S)
            now_s = time.monotonic()
            if any(is_ours(line) for line in lines):
                heard_s, is_asked = now_s, False
            for line in lines:
                if line == _OFF or line.startswith(_TESTED):  # it was on; or it has started anew
                    link.say("watch")
                yield line
            if link.is_at_prompt:
                raise LinkError(at_prompt_sentence(link.path))
            if now_s > heard_s + _FIRST_S / 2 and not is_asked:
                link.say(_PROBE)
                is_asked = True
            if now_s > heard_s + _FIRST_S:
                raise silent(link)
            if not lines:
                yield ""
    finally:
        if not link.is_at_prompt:
            link.say("watch")
