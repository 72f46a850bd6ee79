"""A virtual board in lock step: the host says what happens when, and how far time goes."""

import os
import select
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from host_tools.virtual_board.process import Process, fill_flash, interpreter_command
from host_tools.virtual_table import Edge
from kegli import board

_CHUNK = 65536
_PULSE_US = 5_000  # of a one-shot: longer than two scans, shorter than any real front end's


def _wiring() -> dict[tuple[str, int], tuple[int, int, int]]:
    """Return GPIO, level for 1 and whether it is a one-shot, by kind and number of an input."""
    wiring: dict[tuple[str, int], tuple[int, int, int]] = {}
    for words, gpio, active, _, _, one_shot in board.INPUTS:
        kind = words.split()[0]
        which = sum(known == kind for known, _ in wiring)
        wiring[kind, which] = gpio, active, one_shot
    return wiring


_WIRING = _wiring()


class VirtualBoard:
    """The firmware on a virtual chip, from power-up to the end of the `with` block.

    Time stands still but in `run_until`.

    sensors: of "pins" "cushions" "click" "zone", written to the board's settings.json; the first
    two are always there. speed: how many times faster than real, None for as fast as it goes.
    interpreter: "micropython", "python", or None for MicroPython where it is installed.
    start_ticks: what the chip's 30-bit microseconds say at power-up. at_power_up: the edges
    that have happened by then, whatever their time: pins that are down, a zone that is occupied.
    flash: a folder that keeps the board's files; it gets the firmware if it is empty. None takes
    a temporary one.

    Raise ValueError for an unknown sensor or interpreter and for a speed that is not above 0,
    FileNotFoundError for an interpreter that is not installed; in use, RuntimeError if the
    board's program ended.
    """

    def __init__(  # noqa: PLR0913  # facts of a board, one as independent as the other
        self,
        *,
        sensors: frozenset[str] = frozenset({"pins", "cushions"}),
        speed: float | None = None,
        interpreter: str | None = None,
        start_ticks: int = 0,
        at_power_up: Iterable[Edge] = (),
        flash: Path | None = None,
    ) -> None:
        self.interpreter = ""  # such as "MicroPython 1.29.0-preview"
        self.now_us = 0  # since power-up: the time of the log
        self._sensors = sensors
        self._speed = speed or 0
        self._command = interpreter_command(interpreter)
        self._start_ticks = start_ticks
        self._flash = flash
        self._at_power_up = [edge._replace(t_us=0) for edge in at_power_up]
        self._edges: list[tuple[int, int, int, int]] = []  # a heap: t_us, serial, gpio, level
        self._serial = count()  # at one instant edges happen in the order given
        self._printed = b""
        self._answered = b""
        self._to_console = b""
        self._to_world = b""

    def __enter__(self) -> Self:
        """Power up; the board has printed what it prints at once."""
        with ExitStack() as stack:
            flash = self._flash or Path(
                stack.enter_context(TemporaryDirectory(prefix="kegli-board-"))
            )
            fill_flash(flash, self._sensors)
            stdin, self._console_in = os.pipe()
            self._console_out, stdout = os.pipe()
            for fd in (self._console_in, self._console_out):
                stack.callback(os.close, fd)
            try:
                self._process = Process(
                    flash,
                    self._command,
                    stdin=stdin,
                    stdout=stdout,
                    start_ticks=self._start_ticks,
                    speed=self._speed,
                )
            finally:
                os.close(stdin)
                os.close(stdout)
            stack.callback(self._process.end)
            for fd in (self._console_in, self._console_out, *self._pipes()):
                os.set_blocking(fd, False)
            self.interpreter = self._answer()
            for gpio, active, _ in _WIRING.values():
                self._schedule(0, gpio, 1 - active)
            self.inject(self._at_power_up)
            self.run_until(0)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Switch the board off."""
        self._stack.close()

    def inject(self, edges: Iterable[Edge]) -> None:
        """Let edges happen at the inputs, in any order; a "btn" counts in the buttons' order.

        Raise ValueError for an edge that lies in the past, and for an input that does not exist.
        """
        for edge in edges:
            if edge.t_us < self.now_us:
                raise ValueError(f"{edge} is in the past: it is {self.now_us} already")
            if (edge.kind, edge.which) not in _WIRING:
                raise ValueError(f"{edge}: there is no such input")
            gpio, active, one_shot = _WIRING[edge.kind, edge.which]
            if one_shot:
                # A one-shot that still holds falls first: each one that begins is an edge.
                self._schedule(edge.t_us, gpio, 1 - active)
                self._schedule(edge.t_us + _PULSE_US, gpio, 1 - active)
            self._schedule(edge.t_us, gpio, active if edge.level else 1 - active)

    def lose_interrupts(self, lose: bool) -> None:
        """Lose every interrupt from now on, so that only the scan finds edges; or none again."""
        self._to_world += b"interrupts %d\n" % (not lose)

    def run_until(self, t_us: int) -> None:
        """Let time pass up to *t_us* exactly; every edge until then has been taken up.

        What time alone brings about (a stroke's end, a lamp) may come up to 0.15 s later.
        """
        if t_us < self.now_us:
            raise ValueError(f"{t_us} is in the past: it is {self.now_us} already")
        due: list[bytes] = []
        while self._edges and self._edges[0][0] <= t_us:
            at_us, _, gpio, level = heappop(self._edges)
            due.append(b"edge %d %d %d\n" % (at_us, gpio, level))
        self._to_world += b"run %d %d\n" % (t_us, len(due)) + b"".join(due)
        self.now_us = int(self._answer().removeprefix("at "))

    def write(self, text: str) -> None:
        """Type on the console; the board reads it when time passes again."""
        self._to_console += text.encode()
        self._send()

    def lines(self) -> list[str]:
        """Return the console's complete lines since the last call."""
        self._receive()
        *lines, self._printed = self._printed.split(b"\n")
        return [line.decode(errors="backslashreplace") for line in lines]

    def pixels(self) -> list[tuple[int, int, int]]:
        """Return red, green and blue of each LED as last written; nothing before the first."""
        self._to_world += b"pixels\n"
        frame = bytes.fromhex(self._answer().removeprefix("pixels"))
        return [(frame[i], frame[i + 1], frame[i + 2]) for i in range(0, len(frame), 3)]

    def _schedule(self, t_us: int, gpio: int, level: int) -> None:
        heappush(self._edges, (t_us, next(self._serial), gpio, level))

    def _pipes(self) -> tuple[int, int]:
        return self._process.commands, self._process.answers

    def _answer(self) -> str:
        """Return the next line of the virtual world; what the firmware prints is kept."""
        commands, answers = self._pipes()
        while b"\n" not in self._answered:
            self._send()
            sending = [
                fd
                for fd, data in ((commands, self._to_world), (self._console_in, self._to_console))
                if data
            ]
            select.select([answers, self._console_out], sending, [])
            self._receive()
            data = _read(answers)
            if data == b"":
                raise RuntimeError(f"The board's program ended: {self._last_words()}")
            self._answered += data or b""
        line, _, self._answered = self._answered.partition(b"\n")
        return line.decode()

    def _send(self) -> None:
        """Send what waits, as far as the board takes it; first what is typed, then the time."""
        self._to_console = _written(self._console_in, self._to_console)
        self._to_world = _written(self._process.commands, self._to_world)

    def _receive(self) -> None:
        while data := _read(self._console_out):
            self._printed += data

    def _last_words(self) -> str:
        self._receive()
        return self._printed.decode(errors="backslashreplace").strip()[-500:] or "nothing"


def _read(fd: int) -> bytes | None:
    """Return what there is, None for nothing yet, b"" at the end."""
    try:
        return os.read(fd, _CHUNK)
    except BlockingIOError:
        return None


def _written(fd: int, data: bytes) -> bytes:
    """Write *data* and return what the pipe did not take."""
    with suppress(BlockingIOError, BrokenPipeError):  # an ended board shows in its answers
        while data:
            data = data[os.write(fd, data) :]
    return data
