"""A console at a board: what it says, and what people type to it: `kegli console`."""

from __future__ import annotations

import asyncio
import queue
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import click
from prompt_toolkit import PromptSession, print_formatted_text
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.patch_stdout import patch_stdout

from host_tools.link import GoneError, LastingLink, LinkError, is_ours
from kegli.rules import MARKS
from kegli.settings import TABLE

_LOOK_S = 0.02
_WAIT_S = 0.1
_ANSWER_S = 5.0  # what the last words get, when no more are typed
_MOST_ANSWER_S = 60.0
_SILENCE_S = 1.0  # that ends their answer
_PAUSE_S = 0.2  # between what was typed or said, and the next line that is typed

_PLAYERS = ("a", "b")
_PINS = ("0", "1", "2", "3", "4")
_KEYS = tuple(row[0] for row in TABLE)
_TERMS = (
    *("a.target=", "b.target=", "a.mode=", "b.mode=", "a.start=", "b.start=", "first="),
    *("always=", "pair=", "table=", "carom_adds=", "fine=", "pin_fine=", "late_keeps_turn="),
    "pocket_white=",
)

# What a board's console takes: a line of help, and the words that may come next.
WORDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "new": ("start a game: KEY=VALUE terms, the others as usual", _TERMS),
    "next": ("the next game on the same terms", ()),
    "done": ("the stroke is over", ()),
    "ok": ("accept the stroke; or set pins aside that cannot be set up", ()),
    "pass": ("a stroke in which nothing happened", ()),
    "mark": ("say what nobody sensed of the last stroke", tuple(MARKS)),
    "annul": ("that pin fell by itself", _PINS),
    "lean": ("that pin leans on the cue ball", _PINS),
    "absent": ("that pin stays off, in the next games too", _PINS),
    "present": ("that pin is back", _PINS),
    "undo": ("a step back", ()),
    "redo": ("a step forward", ()),
    "judge": ("judge stroke N of this game again: judge N WHAT ...", ()),
    "score": ("set the scores: score a=N b=N", ("a=", "b=")),
    "turn": ("say who plays", _PLAYERS),
    "draw": ("the game is drawn", ()),
    "resign": ("that player gives the game up", _PLAYERS),
    "handicap": ("a `new` with a handicap by its letter: handicap K RECEIVER [POINTS]", ()),
    "status": ("how the board is", ()),
    "selftest": ("look at every part; guided: at each sensor, by hand", ("guided",)),
    "calibrate": ("find the noise, and thresholds above it", ()),
    "watch": ("show every input live, until watch again", ()),
    "log": ("begin a log here, once the table is at rest", ()),
    "settings": ("list them; get KEY, set KEY VALUE, reset [KEY]", ("get", "set", "reset")),
    "restart": ("start again; the game goes on", ()),
    "factory": ("factory reset: forget settings, score and logs", ("reset",)),
    "help": ("what the board says of its words", ()),
}
# What this console takes itself.
OWN: dict[str, tuple[str, tuple[str, ...]]] = {
    "/filter": ("show only lines that match this regular expression; without one, all", ()),
    "/start": ("start the firmware of a board that is at MicroPython's prompt", ()),
    "/help": ("the words, a line each", ()),
    "/quit": ("leave; the board goes on (so does Ctrl-D)", ()),
}

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_STYLES = (
    ("> refused ", "ansired"),
    ("> stroke ", "bold"),
    ("> game ", "bold"),
    (">", ""),
)
_LOG_STYLE = "ansibrightblack"


def printable(line: str) -> str:
    """Return a line with control characters shown, which no terminal then obeys."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", line)


class Console:
    """What people see and type at *link*; *show* gets each line that passes the filter.

    *save* gets every line of the board.
    """

    def __init__(
        self, link: LastingLink, show: Callable[[str], None], save: TextIO | None, pattern: str
    ) -> None:
        self._link = link
        self._show = show
        self._save = save
        self._pattern = re.compile(pattern)
        self._was_at_prompt = False
        self.has_sent = False  # a line

    def look(self, for_s: float) -> bool:
        """Show what the board has said; return whether it was a line of this firmware."""
        lines = self._link.lines(for_s)
        for line in lines:
            if self._save:
                self._save.write(line + "\n")
                self._save.flush()
            if self._pattern.search(line):
                self._show(printable(line))
        if self._link.is_at_prompt and not self._was_at_prompt:
            self._show("The board is at MicroPython's prompt: /start starts its firmware.")
        self._was_at_prompt = self._link.is_at_prompt
        return any(is_ours(line) for line in lines)

    def take(self, words: str) -> bool:
        """Take what was typed; return whether the console goes on."""
        verb, _, rest = words.strip().partition(" ")
        if verb == "/quit":
            return False
        if verb == "/help":
            for word, (said, _next) in (WORDS | OWN).items():
                self._show(f"{word:10} {said}")
        elif verb == "/start":
            self._link.type(b"\x02\x04")  # out of a raw REPL
        elif verb == "/filter":
            self._filter(rest)
        elif verb.startswith("/"):
            self._show(f"There is no {verb}: /help tells what there is.")
        elif not words.isascii() or not words.isprintable():
            self._show("Not sent: the board's console takes printable ASCII.")
        elif verb:
            self._link.say(words.strip())
            self.has_sent = True
        return True

    def check(self, was_heard: bool) -> None:
        """Raise LinkError if the port is away, or no answer *was_heard*."""
        if not self._link.is_there:
            raise GoneError(f"{self._link.path} is gone.")
        if not was_heard:
            raise LinkError(f"No kegli board answers at {self._link.path}.")

    def _filter(self, pattern: str) -> None:
        try:
            self._pattern = re.compile(pattern)
        except re.error as error:
            self._show(f"That is no regular expression: {error}.")


class Typed:
    """The lines of *stream*, as they come: reading may block for ever, so a thread does it."""

    def __init__(self, stream: Iterable[str]) -> None:
        self._lines: queue.Queue[str | None] = queue.Queue()
        self.has_ended = False

        def read() -> None:
            with suppress(OSError, ValueError):  # what cannot be read is the end
                for line in stream:
                    self._lines.put(line.rstrip("\r\n"))
            self._lines.put(None)

        threading.Thread(target=read, daemon=True).start()

    def line(self) -> str | None:
        """Return the next that has come, None if there is none."""
        if self._lines.empty():
            return None
        line = self._lines.get()
        self.has_ended = line is None
        return line


def plain(console: Console, stream: Iterable[str]) -> None:
    """Show what the board says, type the lines of *stream*, and end when they are answered.

    Raise LinkError if then the port is away, or nothing ever came.
    """
    typed = Typed(stream)
    was_heard = False
    until_s = latest_s = float("inf")
    next_s = 0.0  # when the next line is typed: a board has little room for what it has not read
    while (now_s := time.monotonic()) < min(until_s, latest_s):
        if console.look(_WAIT_S):
            was_heard = True
            next_s = max(next_s, now_s + _PAUSE_S)
            until_s = min(until_s, now_s + _SILENCE_S) if typed.has_ended else until_s
        if now_s > next_s and (line := typed.line()) is not None:
            next_s = now_s + _PAUSE_S
            if not console.take(line):
                return
        if typed.has_ended and latest_s == float("inf"):
            until_s = now_s + (_ANSWER_S if console.has_sent else _SILENCE_S)
            latest_s = now_s + _MOST_ANSWER_S
    console.check(was_heard or not console.has_sent)


class _Words(Completer):
    """Completes the first word, and those that may follow it."""

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Yield what the word before the cursor may become."""
        *before, begun = document.text_before_cursor.lstrip().split(" ")
        table = WORDS | OWN
        if not before:
            found = [(word, said) for word, (said, _next) in table.items()]
        elif before[0] == "settings" and before[1:] in (["get"], ["set"], ["reset"]):
            found = [(key, "") for key in _KEYS]
        elif before[0] == "judge" and len(before) > 1:
            found = [(mark, "") for mark in MARKS]
        elif before[0] in table and (len(before) == 1 or before[0] in ("new", "score")):
            found = [(word, "") for word in table[before[0]][1]]
        else:
            found = []
        for word, said in found:
            if word.startswith(begun):
                yield Completion(word, -len(begun), display_meta=said)


def help_line(text: str) -> str:
    """Return the line of help for what is being typed."""
    word = text.strip().partition(" ")[0]
    known = (WORDS | OWN).get(word)
    return (
        f"{word}: {known[0]}" if known else "Tab completes, /help lists the words, /quit leaves."
    )


def show_styled(line: str) -> None:
    """Print a line of the board in a terminal: what counts stands out."""
    style = next((style for begins, style in _STYLES if line.startswith(begins)), None)
    if style is None:
        style = _LOG_STYLE if line[:1].isdigit() or line.startswith("#") else ""
    print_formatted_text(FormattedText([(style, line)]))


def interactive(console: Console, history: Path | None) -> None:
    """Let a person at a terminal see and type, until they leave."""
    kept: History = FileHistory(str(history)) if history else InMemoryHistory()
    session: PromptSession[str] = PromptSession(
        "kegli> ",
        history=kept,
        completer=_Words(),
        complete_while_typing=False,
        bottom_toolbar=lambda: help_line(session.default_buffer.text),
    )

    async def watch() -> None:
        while True:
            console.look(0.0)
            await asyncio.sleep(_LOOK_S)

    async def talk() -> None:
        try:
            while console.take(await session.prompt_async()):
                pass
        except (EOFError, KeyboardInterrupt):  # Ctrl-D and Ctrl-C leave
            pass

    async def both() -> None:
        tasks = [asyncio.create_task(watch()), asyncio.create_task(talk())]
        done, others = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in others:
            task.cancel()
        for task in done:
            task.result()  # what went wrong is told, a full disk for example

    with patch_stdout():
        asyncio.run(both())


def history_file() -> Path | None:
    """Return where typed lines are kept, None if that cannot be written."""
    file = Path(click.get_app_dir("kegli")) / "console-history"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.open("a").close()
    except OSError:
        return None
    return file


def is_terminal() -> bool:
    """Say whether a person sits at both ends."""
    return sys.stdin.isatty() and sys.stdout.isatty()
