"""What a board prints, as a recording that replays: `kegli record`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TextIO
from urllib.parse import quote

from host_tools.link import LOG_BEGINS, LastingLink, Link, at_prompt_sentence
from kegli.lines import parse

_LOOK_S = 0.2
_DRAIN_S = 2.0
_LATE_S = 8.0  # by then a log has begun


class Recorder:
    """Writes the lines of a board to *out*, from the first header on.

    *names* go into each header, in place of what the board says there, and so does `started`.
    What is no line of a log is kept as a comment. `lines` counts those of the log, `others` the
    comments, `logs` the headers.
    """

    def __init__(self, out: TextIO, names: dict[str, str]) -> None:
        self.lines = self.others = self.logs = 0
        self._out = out
        self._names = names
        self._is_in_log = False

    def take(self, line: str) -> None:
        """Take a line of the board."""
        if line.startswith(LOG_BEGINS):
            self._is_in_log = True
            self.logs += 1
            line = self._header(line)
        elif not self._is_in_log:
            return
        elif not line.startswith((">", "#")) and not _is_input(line):
            self.others += 1
            line = "# no line of a log: " + line
        self.lines += 1
        self._out.write(line + "\n")
        self._out.flush()

    def wait(self) -> None:
        """Write nothing until the next header: what comes before it may lack lines."""
        self._is_in_log = False

    def _header(self, line: str) -> str:
        started = time.strftime("%Y-%m-%dT%H:%M", time.localtime())
        pairs = {"started": started, **self._names}
        words = [word for word in line.split() if word.partition("=")[0] not in pairs]
        return " ".join([*words, *(f"{key}={value}" for key, value in pairs.items())])


def _is_input(line: str) -> bool:
    try:
        return parse(line) is not None
    except ValueError:
        return False


def names(a: str | None, b: str | None) -> dict[str, str]:
    """Return the names of the players as a header has them: percent-encoded UTF-8."""
    return {key: quote(name, safe="") for key, name in (("a", a), ("b", b)) if name}


def record(path: str, recorder: Recorder, tell: Callable[[str], None]) -> None:
    """Record the board at *path* until KeyboardInterrupt, through pulled cables and resets.

    *tell* gets a sentence when the port goes or comes, and when no firmware runs. Raise
    LinkError if the port cannot be opened at first.
    """

    def begin(link: Link) -> None:
        recorder.wait()
        link.say("log")  # where the table is at rest it begins, with header and match

    with LastingLink(path, tell, begin) as link:
        try:
            _follow(link, recorder, tell)
        except KeyboardInterrupt:
            until_s = time.monotonic() + _DRAIN_S
            while (lines := link.lines(_LOOK_S)) and time.monotonic() < until_s:
                _take(recorder, lines)  # what follows from the last line belongs to it
            raise


def _take(recorder: Recorder, lines: list[str]) -> None:
    for line in lines:
        recorder.take(line)


def _follow(link: LastingLink, recorder: Recorder, tell: Callable[[str], None]) -> None:
    was_at_prompt = False
    late_s = time.monotonic() + _LATE_S
    while True:
        if not recorder.logs and time.monotonic() > late_s:
            tell(f"No log has begun at {link.path}: it does as soon as the table is at rest.")
            late_s = float("inf")
        _take(recorder, link.lines(_LOOK_S))
        if link.is_at_prompt and not was_at_prompt:
            recorder.wait()
            tell(at_prompt_sentence(link.path))
        was_at_prompt = link.is_at_prompt
