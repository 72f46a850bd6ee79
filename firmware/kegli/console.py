"""Console: log lines out, words in, over the serial port of the REPL."""

import select

from micropython import const

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    from typing import TextIO

_LONGEST = const(256)  # bytes of a line; `new` with every key has about 230
_GULP = const(128)  # bytes read at a time: a little more than come in 10 ms at 115200 baud
_CR = const(13)
_LF = const(10)
_FIRST = const(32)  # printable ASCII
_LAST = const(126)


class Console:
    """A console over *reader*, with `buffer` the stream of bytes under it, and *writer*."""

    def __init__(self, reader: "TextIO", writer: "TextIO") -> None:
        self._bytes = reader.buffer
        self._writer = writer
        poll = select.poll()
        poll.register(reader, select.POLLIN)
        # MicroPython's ipoll allocates nothing; CPython has none.
        self._poll = poll.ipoll if hasattr(poll, "ipoll") else poll.poll
        self._line = bytearray(_LONGEST)
        self._length = 0
        self._refusal = ""

    def say(self, line: str) -> None:
        """Write a line, *line* without its LF. Waits while the port cannot take it."""
        self._writer.write(line + "\n")

    def ready(self) -> bool:
        """Return whether there is something to read."""
        for _ in self._poll(0):
            return True
        return False

    def lines(self) -> "list[str]":
        """Return the lines that are complete now, without CR or LF, and without empty ones.

        Does not wait, and reads so little at a time that a flood cannot hold up the board.
        A line that is too long or not ASCII is answered by one sentence and left out.
        """
        lines: "list[str]" = []
        for _ in range(_GULP):
            byte = self._bytes.read(1) if self.ready() else b""
            if not byte:
                break
            if self._take(byte[0]):
                lines.append(str(self._line[: self._length], "ascii"))
                self._length = 0
        return lines

    def _take(self, byte: int) -> bool:
        """Take a byte; return whether it completes a line to be returned."""
        if byte in (_CR, _LF):
            if not self._refusal:
                return self._length > 0
            self.say(self._refusal)
            self._refusal = ""
            self._length = 0
        elif not _FIRST <= byte <= _LAST:
            self._refusal = "> A line with bytes that are not printable ASCII was ignored."
        elif self._length == _LONGEST:
            self._refusal = "> A line of more than %d bytes was ignored." % _LONGEST
        else:
            self._line[self._length] = byte
            self._length += 1
        return False
