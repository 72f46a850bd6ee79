"""A serial link to a board: opened without a reset, in lines, troubles told in one sentence."""

from __future__ import annotations

import codecs
import errno
import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

import serial

from host_tools.ports import boards

_BAUD = 115_200  # of MicroPython's console on a bridge; a chip's own USB takes any
_LOOK_S = 0.05
_MOST_LINE = 4096  # characters without an end: then they are a line
_ANSWER_S = 5.0  # to the first line of an answer
_HUSH_S = 0.3  # before it is asked
_LET_OUT_S = 1.0  # at most, for a board that does not fall silent
_MOST_ANSWER_S = 8.0  # to its end: a board may have much else to say
_SILENCE_S = 1.0  # that ends one
_REST_S = 7.0  # in which a table comes to rest
_PROMPT_S = 1.0  # from Ctrl-C to the prompt, a write to the flash aside
_INTERRUPTS = 3
_AGAIN_S = 0.5  # between two tries to open a port that went away
MAY_USE = (
    "add yourself to the group that owns it (often `sudo usermod -a -G dialout $USER`),"
    " and log in again"
)
STATUS_ENDS = "> faults: "  # the last line of a status
LOG_BEGINS = "# kegli-log 1 "  # the first line of a log
_NOT_YET = "> The log begins here as soon as"
_LOG_LINE = re.compile(r"#|>|\d+ [a-z]+")
_PROMPT = ">>> "
_RAW_PROMPT = ("raw REPL; CTRL-B to exit", ">")


class LinkError(Exception):
    """What went wrong with a link, in one sentence."""


class GoneError(LinkError):
    """The port went away: the cable was pulled, or the board lost its power."""


class NotAtRestError(LinkError):
    """A stroke runs at the table: the board is not to be disturbed."""


class ForeignError(LinkError):
    """What comes is not from this firmware."""


class RefusedError(Exception):
    """Why something is not done with a board, in one sentence; nothing was changed."""


class _UntilClosed:
    """What is closed at the end of a `with` block."""

    def close(self) -> None:
        """Close it."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()


class Link(_UntilClosed):
    """A link to the board at *path*, from now to the end of the `with` block.

    It does not reset the board. Boards reset by RTS on and DTR off, which these lines never
    are; one with RTS wired straight to its reset starts anew all the same, since the system
    itself switches both on where a port is opened. Raise LinkError if it cannot be opened; its
    methods raise GoneError if the port goes away.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        port = serial.Serial(baudrate=_BAUD, timeout=_LOOK_S, write_timeout=2, exclusive=True)
        port.port = path
        try:
            port.open()
            with suppress(OSError):  # a pseudo-terminal has no such lines
                port.rts = False  # first: that leaves DTR on, which resets none
                port.dtr = False
        except (OSError, ValueError) as error:
            raise LinkError(_why_closed(path, error)) from error
        self._port = port
        # A character may come in two pieces; what is none is shown as such.
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""  # of a line that is not complete
        self._last = ""  # the line before it

    def close(self) -> None:
        """Leave the port to others."""
        with suppress(OSError):
            self._port.close()

    def say(self, words: str) -> None:
        """Type a line at the board's console."""
        self.type(words.encode() + b"\n")

    def type(self, keys: bytes) -> None:
        """Type what is no line."""
        try:
            self._port.write(keys)
        except serial.SerialTimeoutException as error:
            raise LinkError(f"The board at {self.path} takes nothing.") from error
        except OSError as error:
            raise GoneError(f"{self.path} is gone.") from error

    def lines(self, for_s: float) -> list[str]:
        """Return the lines that are complete, waiting at most *for_s* seconds for the first."""
        until_s = time.monotonic() + for_s
        while True:
            try:
                data = self._port.read(self._port.in_waiting or (1 if for_s else 0))
            except (OSError, TypeError) as error:  # TypeError: pyserial, when it was closed
                raise GoneError(f"{self.path} is gone.") from error
            self._text += self._decoder.decode(data)
            *lines, self._text = self._text.split("\n")
            if len(self._text) > _MOST_LINE:
                lines.append(self._text)
                self._text = ""
            if lines or time.monotonic() >= until_s:
                lines = [line.rstrip("\r") for line in lines]
                self._last = lines[-1] if lines else self._last
                return lines

    @property
    def is_at_prompt(self) -> bool:
        """Say whether MicroPython's prompt was the last that came: no firmware runs there."""
        return self._text.endswith(_PROMPT) or (self._last, self._text) == _RAW_PROMPT


def _why_closed(path: str, error: Exception) -> str:
    """Return in one sentence why a port could not be opened, and what to do."""
    number = getattr(error, "errno", None)
    said = str(error)  # on Windows it has all that is known
    if number == errno.ENOENT or "FileNotFoundError" in said:
        return f"There is no {path}: is the cable plugged in?"
    if number in (errno.EACCES, errno.EPERM):
        return f"You may not use {path}: {MAY_USE}."
    if number in (errno.EBUSY, errno.EAGAIN) or "lock" in said or "PermissionError" in said:
        return f"{path} is in use: end the program that has it, a terminal or mpremote."
    return f"{path} is no serial port: {error}"


def is_ours(line: str) -> bool:
    """Say whether a line may be this firmware's."""
    return bool(_LOG_LINE.match(line))


def opened(path: str, for_s: float) -> Link:
    """Return a link to a port that may go and come: a chip's own USB does at a reset.

    Raise LinkError if it cannot be opened by then.
    """
    until_s = time.monotonic() + for_s
    while True:
        try:
            return Link(path)
        except LinkError:
            if time.monotonic() > until_s:
                raise
            time.sleep(_AGAIN_S)


def hush(link: Link) -> None:
    """Let the board say what it has to say of itself, at a start for example: it is no answer."""
    link.say("")  # ends what somebody may have begun to type
    _let_out(link)


def _let_out(link: Link) -> None:
    until_s = time.monotonic() + _LET_OUT_S
    while link.lines(_HUSH_S) and time.monotonic() < until_s:
        continue


def silent(link: Link) -> LinkError:
    """Return what is said of a board that does not answer."""
    return LinkError(f"The board at {link.path} does not answer: press its reset button.")


def at_prompt_sentence(path: str) -> str:
    """Return what is said of a board whose firmware does not run."""
    return f"The board at {path} is at MicroPython's prompt: `kegli deploy` starts it."


def is_gone(path: str) -> bool:
    """Say whether a port is there no more, as far as its path tells."""
    return path.startswith("/") and not os.path.exists(path)


def ask(link: Link, words: str, last: str = "") -> list[str]:
    """Type a line at the board's console; return the notices that answer it.

    The answer ends with a notice that begins with *last*, else with a second of silence.
    Raise LinkError if none comes within 5 s, ForeignError if what comes is no kegli board's.
    """
    hush(link)
    link.say(words)
    until_s = time.monotonic() + _ANSWER_S
    latest_s = time.monotonic() + _MOST_ANSWER_S
    said: list[str] = []
    others: list[str] = []
    while time.monotonic() < min(until_s, latest_s):
        for line in link.lines(_SILENCE_S):
            (said if line.startswith("> ") else others).append(line)
            if line.startswith("> "):
                until_s = time.monotonic() + _SILENCE_S
        if last and any(line.startswith(last) for line in said):
            break
        if link.is_at_prompt:
            raise LinkError(at_prompt_sentence(link.path))
    if not said and others and not any(is_ours(line) for line in others):
        raise ForeignError(
            f"What comes from {link.path} is no kegli board's: `kegli deploy` brings its firmware."
        )
    if not said:
        raise silent(link)
    return said


class LastingLink(_UntilClosed):
    """A link to the board at *path* that outlives pulled cables and boards that are off.

    *tell* gets a sentence when the port goes and when it comes, *at_open* is called each time the
    link is there. A board that comes back under another name is known by the number of its bridge.
    Raise LinkError if the port cannot be opened at first.
    """

    def __init__(
        self, path: str, tell: Callable[[str], None], at_open: Callable[[Link], None]
    ) -> None:
        self._tell = tell
        self._at_open = at_open
        self.path = path
        found = boards()
        self._known = next((port for port in found if port.path == path), None)
        self._others = {port.path for port in found if port.path != path}
        self._again_s = 0.0
        self._link: Link | None = Link(path)
        self._begin()

    def close(self) -> None:
        """Leave the port to others."""
        if self._link:
            self._link.close()

    @property
    def is_there(self) -> bool:
        """Say whether the port is."""
        return self._link is not None

    @property
    def is_at_prompt(self) -> bool:
        """Say whether MicroPython's prompt was the last that came."""
        return self._link is not None and self._link.is_at_prompt

    def lines(self, for_s: float) -> list[str]:
        """Return the lines that are complete, waiting at most *for_s* seconds for the first.

        While the port is away there are none.
        """
        if not self._link:
            self._come_back(for_s)
        try:
            return self._link.lines(for_s) if self._link else []
        except LinkError as error:
            self._go(error)
            return []

    def say(self, words: str) -> None:
        """Type a line at the board's console; while the port is away that is told."""
        self.type(words.encode() + b"\n")

    def type(self, keys: bytes) -> None:
        """Type what is no line."""
        if not self._link:
            self._tell(f"Nothing was sent: {self.path} is away.")
            return
        try:
            self._link.type(keys)
        except LinkError as error:
            self._go(error)

    def _begin(self) -> None:
        if self._link:
            try:
                self._at_open(self._link)
            except LinkError as error:
                self._go(error)

    def _go(self, error: LinkError) -> None:
        if self._link:
            self._link.close()
        self._link = None
        self._tell(f"{error} Waiting for it.")

    def _come_back(self, for_s: float) -> None:
        """Try to open the port, not more often than makes sense."""
        time.sleep(min(for_s, max(0.0, self._again_s - time.monotonic())))
        if time.monotonic() < self._again_s:
            return
        self._again_s = time.monotonic() + _AGAIN_S
        path = self._where()
        try:
            self._link = Link(path)
        except LinkError:  # not yet
            return
        self._tell(f"{self.path} is back{'' if path == self.path else f' as {path}'}.")
        self.path = path
        self._begin()

    def _where(self) -> str:
        """Return where the port is by now: elsewhere only if no other board can be meant.

        Many bridges have the same number, so those that were there before do not count.
        """
        if self._known and self._known.serial:
            found = [port for port in boards() if port.path not in self._others]
            same = [port.path for port in found if port.serial == self._known.serial]
            if self.path not in same and len(same) == 1:
                return same[0]
        return self.path


def interrupt(link: Link) -> None:
    """Bring the board to MicroPython's prompt, so that tools can work there.

    Firmware that keeps a game is interrupted when its table is at rest, and stores all. Raise
    LinkError if it is not, within 7 s, or if there is no MicroPython.
    """
    link.say("")
    link.say("log")
    heard = _heard(link, _PROMPT_S, until=(LOG_BEGINS, _NOT_YET))
    waits = [n for n, line in enumerate(heard) if line.startswith(_NOT_YET)]
    if waits and not _begins(heard[waits[-1] :]):  # it may have begun at once
        heard = _heard(link, _REST_S, until=(LOG_BEGINS,))
        if not _begins(heard):
            raise NotAtRestError(
                f"The table of the board at {link.path} is not at rest: say it again when"
                " no ball rolls."
            )
    _let_out(link)  # what it says there has to take effect, before it can be stored
    for tries in range(_INTERRUPTS):
        link.type(b"\r\x02\x03")  # out of a raw REPL, then an interrupt
        heard += _heard(link, _PROMPT_S)
        if link.is_at_prompt:
            return
        if tries and not heard:
            break
    if not heard:
        raise silent(link)
    raise LinkError(
        f"There is no MicroPython at {link.path} that stops for Ctrl-C: `kegli flash` brings it."
    )


def _begins(lines: list[str]) -> bool:
    """Say whether a log begins."""
    return any(line.startswith(LOG_BEGINS) for line in lines)


def _heard(link: Link, for_s: float, until: tuple[str, ...] = ()) -> list[str]:
    """Return what comes in that time, or up to a prompt or a line that begins with *until*."""
    heard: list[str] = []
    until_s = time.monotonic() + for_s
    while time.monotonic() < until_s and not link.is_at_prompt:
        heard += link.lines(_LOOK_S)
        if any(line.startswith(until) for line in heard):
            break
    return heard
