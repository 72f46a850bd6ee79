"""A virtual board behind a serial port: a pseudo-terminal that clients open as they open a cable.

A supervisor stands between it and the board's process. It starts the process again at a soft
reset, as a chip starts its interpreter again, and lets nobody block the board: what no client
reads is dropped, as on a serial line.
"""

import os
import pty
import select
import signal
import termios
import time
import tty
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from host_tools.virtual_board.process import PROGRAMS, Process, fill_flash, interpreter_command

_CHUNK = 4096
_ROOM = 65536  # bytes that may wait for the client
_PATIENCE_S = 0.2  # for a client that stopped reading, and then what waits is dropped
_LOOK_S = 0.05  # between two looks whether a client came
_INTERRUPT_S = 1.0  # what an interrupted program gets until the prompt
_START_S = 5.0  # until the prompt after power-up
_RESTART_S = 0.5  # at least between two starts
_HARD_RESET = 2  # exit status of machine.reset()
_LFLAG = 3  # index of the local modes in the attributes of a terminal

_CTRL_A = b"\x01"
_CTRL_C = b"\x03"
_BANNER = b"MicroPython "  # and its version, before the first prompt
_PROMPT = b">>> "
_RAW_PROMPT = b"raw REPL; CTRL-B to exit\r\n>"
_REBOOT = b"MPY: soft reboot\r\n"


def serve(
    *,
    sensors: Iterable[str] = ("pins", "cushions"),
    speed: float | None = 1.0,
    interpreter: str | None = None,
    start_ticks: int = 0,
    flash: Path | None = None,
) -> None:
    """Run a board until Ctrl-C; print its port, then its interpreter.

    *speed*: how many times faster than real, None for as fast as it goes. *start_ticks*: what
    the chip's 30-bit microseconds say at power-up. *flash*: a folder that keeps the board's
    files; it gets the firmware if it is empty. None takes a temporary one. On CPython there is
    no REPL: Ctrl-C starts the firmware again.

    Raise ValueError for an unknown sensor or interpreter and for a speed that is not above 0,
    FileNotFoundError for an interpreter that is not installed.
    """
    with ExitStack() as stack:
        command = interpreter_command(interpreter)
        if flash is None:
            flash = Path(stack.enter_context(TemporaryDirectory(prefix="kegli-board-")))
        fill_flash(flash, sensors)
        chip = _Chip(flash, command, start_ticks, speed or 0)
        stack.callback(chip.end)
        cable = _Cable()
        stack.callback(cable.close)
        print(cable.path, chip.interpreter, sep="\n", flush=True)
        with suppress(KeyboardInterrupt):
            while True:
                _carry(cable, chip)


def _carry(cable: "_Cable", chip: "_Chip") -> None:
    """Wait for bytes from either side, or for a moment, and pass on what there is."""
    reading = [chip.fd] if cable.has_room() else []
    if cable.is_attached() and not chip.is_full():
        reading.append(cable.fd)
    ready, _, _ = select.select(reading, [cable.fd] if cable.waits() else [], [], _LOOK_S)
    if cable.fd in ready:
        chip.type(cable.read())
    if chip.fd in ready:
        cable.put(chip.read())
    chip.send()
    cable.send()


class _Cable:
    """The client's end: a pseudo-terminal that lives on while clients come and go."""

    def __init__(self) -> None:
        self.fd, theirs = pty.openpty()
        tty.setraw(theirs)
        self.path = os.ttyname(theirs)
        os.close(theirs)  # only clients keep it open: so it shows whether there is one
        os.set_blocking(self.fd, False)
        self._waiting = b""
        self._moved_s = 0.0

    def close(self) -> None:
        """Unplug it."""
        os.close(self.fd)

    def is_attached(self) -> bool:
        """Return whether a client has the port open."""
        poll = select.poll()
        poll.register(self.fd, 0)
        return not poll.poll(0)

    def read(self) -> bytes:
        """Return what the client has written."""
        with suppress(OSError):  # it went away
            return os.read(self.fd, _CHUNK)
        return b""

    def put(self, data: bytes) -> None:
        """Take bytes for the client."""
        if not self._waiting:
            self._moved_s = time.monotonic()
        self._waiting += data

    def waits(self) -> bool:
        """Return whether bytes wait for the client."""
        return bool(self._waiting)

    def has_room(self) -> bool:
        """Return whether more may be put. A client that does not read loses what waits for it."""
        if len(self._waiting) > _ROOM and time.monotonic() - self._moved_s > _PATIENCE_S:
            self._waiting = b""
        return len(self._waiting) <= _ROOM

    def send(self) -> None:
        """Send as much as the client takes; without a client all of it is gone."""
        if not self.is_attached():
            self._waiting = b""
        with suppress(OSError):  # it takes nothing now, or went away
            while self._waiting:
                self._waiting = self._waiting[os.write(self.fd, self._waiting) :]
                self._moved_s = time.monotonic()


class _Chip:
    """The board's process on a pseudo-terminal of its own, started again when it ends."""

    def __init__(self, flash: Path, command: list[str], start_ticks: int, speed: float) -> None:
        self._flash = flash
        self._has_repl = Path(command[0]).stem == "micropython"
        self._command = [*command, "-i"] if self._has_repl else command  # a REPL after main.py
        self._start_ticks = start_ticks
        self._speed = speed
        self._typed = b""
        self._held_until_s = 0.0  # what is typed waits until an interrupted program has ended
        self._start(PROGRAMS)

    def _start(self, programs: Iterable[str]) -> None:
        self._started_s = time.monotonic()
        self._is_raw = False  # at the raw REPL
        self._tail = b""
        self.fd, theirs = pty.openpty()
        tty.setraw(theirs)
        modes = termios.tcgetattr(theirs)
        modes[_LFLAG] |= termios.ISIG  # MicroPython's REPL clears it while it reads
        termios.tcsetattr(theirs, termios.TCSANOW, modes)
        os.set_blocking(self.fd, False)
        self._process = Process(
            self._flash,
            self._command,
            stdin=theirs,
            stdout=theirs,
            start_ticks=self._start_ticks,
            speed=self._speed,
            programs=programs,
        )
        os.close(theirs)
        os.write(self._process.commands, b"free\n")
        self.interpreter = os.read(self._process.answers, _CHUNK).decode().strip()

    def end(self) -> None:
        """Switch the board off."""
        os.close(self.fd)
        self._process.end()

    def is_full(self) -> bool:
        """Return whether the client has typed enough for now."""
        return len(self._typed) > _CHUNK

    def type(self, data: bytes) -> None:
        """Take what the client types."""
        self._typed += data

    def send(self) -> None:
        """Hand over what was typed, as far as the program takes it now; Ctrl-C interrupts it."""
        while self._typed:
            is_program = termios.tcgetattr(self.fd)[_LFLAG] & termios.ISIG
            if is_program and time.monotonic() < self._held_until_s:
                return
            if is_program and self._typed.startswith(_CTRL_C):
                self._typed = self._typed[1:]
                self._process.popen.send_signal(signal.SIGINT)
                self._held_until_s = time.monotonic() + _INTERRUPT_S
                return
            until = self._typed.find(_CTRL_C, 1)
            try:
                sent = os.write(self.fd, self._typed if until < 0 else self._typed[:until])
            except OSError:  # it takes nothing now, or has ended
                return
            self._typed = self._typed[sent:]

    def read(self) -> bytes:
        """Return what the board prints. If its program has ended it starts again first."""
        try:
            data = os.read(self.fd, _CHUNK)
        except OSError:
            data = b""
        if not data:
            return self._restart()
        self._tail = (self._tail + data)[-len(_RAW_PROMPT) :]
        if self._tail == _RAW_PROMPT:
            self._is_raw = True
        elif self._tail.endswith(_PROMPT):
            self._is_raw = False
        return data

    def _restart(self) -> bytes:
        """Start as a chip does: after a soft reset from the raw REPL without main.py, into it."""
        self.end()
        if self._process.popen.returncode == _HARD_RESET:
            self._is_raw = False
        is_raw = self._is_raw
        self._held_until_s = 0.0
        time.sleep(max(0.0, self._started_s + _RESTART_S - time.monotonic()))
        if not is_raw:
            self._start(PROGRAMS)
            return _REBOOT
        self._start(PROGRAMS[:1])
        printed = self._read_until(_PROMPT)
        os.write(self.fd, _CTRL_A)
        self._read_until(_RAW_PROMPT)
        self._is_raw = True
        return _REBOOT + printed.partition(_BANNER)[0] + _RAW_PROMPT

    def _read_until(self, end: bytes) -> bytes:
        """Return what the board prints up to *end*, or until it ends or falls silent."""
        data = b""
        with suppress(OSError):
            while not data.endswith(end) and select.select([self.fd], [], [], _START_S)[0]:
                data += os.read(self.fd, 1)
        return data
