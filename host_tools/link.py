"""A serial link to a board: opened without a reset, in lines, troubles told in one sentence."""

from __future__ import annotations

import codecs
import errno
import re
import time
from contextlib import suppress
from types import TracebackType
from typing import Self

import serial

_BAUD = 115_200  # of MicroPython's console on a bridge; a chip's own USB takes any
_LOOK_S = 0.05
_MOST_LINE = 4096  # characters without an end: then they are a line
_ANSWER_S = 8.0  # to the first line of an answer
_HUSH_S = 0.3  # before it is asked
_LET_OUT_S = 1.0  # at most, for a board that does not fall silent
_SILENCE_S = 1.0  # that ends one
_LOG_LINE = re.compile(r"#|>|\d+ [a-z]+")
_PROMPTS = (">>> ", "raw REPL; CTRL-B to exit")


class LinkError(Exception):
    """What went wrong with a link, in one sentence."""


class GoneError(LinkError):
    """The port went away: the cable was pulled, or the board lost its power."""


class Link:
    """A link to the board at *path*, from now to the end of the `with` block.

    It does not reset the board: DTR and RTS stay off, which most boards reset by.
    Raise LinkError if the port cannot be opened; in use, GoneError.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        port = serial.Serial(baudrate=_BAUD, timeout=_LOOK_S, write_timeout=2, exclusive=True)
        port.dtr = False
        port.rts = False
        port.port = path
        try:
            port.open()
        except (OSError, ValueError) as error:
            raise LinkError(_why_closed(path, error)) from error
        self._port = port
        # A character may come in two pieces; what is none is shown as such.
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""

    def __enter__(self) -> Self:
        """Return the link."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Leave the port to others."""
        with suppress(OSError):
            self._port.close()

    def say(self, words: str) -> None:
        """Type a line at the board's console."""
        try:
            self._port.write(words.encode() + b"\n")
        except serial.SerialTimeoutException as error:
            raise LinkError(f"The board at {self.path} takes nothing.") from error
        except OSError as error:
            raise GoneError(f"{self.path} is gone.") from error

    def lines(self, for_s: float) -> list[str]:
        """Return the lines that are complete, waiting at most *for_s* seconds for the first."""
        until_s = time.monotonic() + for_s
        while True:
            try:
                data = self._port.read(self._port.in_waiting or 1)
            except (OSError, TypeError) as error:  # TypeError: pyserial, when it was closed
                raise GoneError(f"{self.path} is gone.") from error
            self._text += self._decoder.decode(data)
            *lines, self._text = self._text.split("\n")
            if len(self._text) > _MOST_LINE:
                lines.append(self._text)
                self._text = ""
            if lines or time.monotonic() >= until_s:
                return [line.rstrip("\r") for line in lines]

    @property
    def is_at_prompt(self) -> bool:
        """Say whether MicroPython's prompt was the last that came: no firmware runs there."""
        return self._text.lstrip("\r").endswith(_PROMPTS)


def _why_closed(path: str, error: Exception) -> str:
    """Return in one sentence why a port could not be opened, and what to do."""
    number = getattr(error, "errno", None)
    if number == errno.ENOENT:
        return f"There is no {path}: is the cable plugged in?"
    if number in (errno.EACCES, errno.EPERM):
        return (
            f"You may not use {path}: add yourself to the group that owns it"
            " (often `sudo usermod -a -G dialout $USER`), and log in again."
        )
    if number in (errno.EBUSY, errno.EAGAIN) or "lock" in str(error):
        return f"{path} is in use: end the program that has it, a terminal or mpremote."
    return f"{path} is no serial port: {error}"


def ask(link: Link, words: str) -> list[str]:
    """Type a line at the board's console; return the notices that answer it.

    Raise LinkError if none comes within 8 s, or what comes is no kegli board's.
    """
    link.say("")  # ends what somebody may have begun to type
    until_s = time.monotonic() + _LET_OUT_S
    while link.lines(_HUSH_S) and time.monotonic() < until_s:
        continue  # what it says of itself, at a start for example, is no answer
    link.say(words)
    until_s = time.monotonic() + _ANSWER_S
    said: list[str] = []
    others: list[str] = []
    while time.monotonic() < until_s:
        for line in link.lines(_SILENCE_S):
            (said if line.startswith("> ") else others).append(line)
            until_s = time.monotonic() + _SILENCE_S if said else until_s
        if link.is_at_prompt:
            raise LinkError(
                f"The board at {link.path} is at MicroPython's prompt: its firmware does not run."
                " Ctrl-D there starts it, if it has one."
            )
    if not said and others and not any(_LOG_LINE.match(line) for line in others):
        raise LinkError(f"What comes from {link.path} is no kegli board's.")
    if not said:
        raise LinkError(f"The board at {link.path} does not answer: press its reset button.")
    return said
