"""A virtual board behind a serial port: a pseudo-terminal that clients open as they open a cable.

A supervisor stands between it and the board's process. It starts the process again at a reset,
as a chip starts its interpreter again, also when the watchdog expires while no code runs that
could notice it, at the prompt for example. It lets nobody block the board: what no client reads
is dropped, as on a serial line.
"""

import os
import pty
import re
import select
import signal
import sys
import termios
import time
import tty
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from host_tools.firmware_files import PROGRAMS
from host_tools.virtual_board.process import (
    POWER_ON,
    SOFT,
    SOFTWARE,
    WATCHDOG,
    Process,
    Start,
    Stop,
    at_rest,
    clear_rtc,
    fill_flash,
    interpreter_command,
)

_CHUNK = 4096
_ROOM = 65536  # bytes that may wait for the client
_PATIENCE_S = 0.2  # for a client that stopped reading, and then what waits is dropped
_LOOK_S = 0.05  # between two looks whether a client came
_INTERRUPT_S = 1.0  # what an interrupted program gets until the prompt
_START_S = 5.0  # until the prompt after power-up
_RESTART_S = 0.5  # at least between two starts
_WATCHDOG_S = 0.1  # real time that a program has to tell that the watchdog was fed
_WATCHDOG_US = 500_000  # virtual time by which it may expire later than was told
_LFLAG = 3  # index of the local modes in the attributes of a terminal

_LEVEL = re.compile(rb"([0-3]?\d) ([01])")
_CTRL_A = b"\x01"
_CTRL_C = b"\x03"
_BANNER = b"MicroPython "  # and its version, before the first prompt
_PROMPT = b">>> "
_RAW_PROMPT = b"raw REPL; CTRL-B to exit\r\n>"
_REBOOTS = {  # what the chip says first when it starts again
    SOFT: b"MPY: soft reboot\r\n",
    SOFTWARE: b"rst:0xc (SW_CPU_RESET)\r\n",
    WATCHDOG: b"rst:0x8 (TG1WDT_SYS_RESET)\r\n",
}


def serve(  # noqa: PLR0913  # facts of a board, one as independent as the other
    *,
    sensors: Iterable[str] = ("pins", "cushions"),
    speed: float | None = 1.0,
    interpreter: str | None = None,
    start_ticks: int = 0,
    flash: Path | None = None,
    chip: str = "esp32",
    inputs: Path | None = None,
) -> None:
    """Run a board until Ctrl-C; print its port, then its interpreter.

    *speed*: how many times faster than real, None for as fast as it goes. *start_ticks*: what
    the chip's 30-bit microseconds say at power-up. *flash*: a folder that keeps the board's
    files; it gets the firmware if it is empty. None takes a temporary one. *chip*: "esp32" or
    "esp32s3". *inputs*: a named pipe that is made, and takes levels of GPIOs: `GPIO LEVEL` a
    line. On CPython there is no REPL: Ctrl-C starts the firmware again.

    Raise ValueError for an unknown sensor or interpreter and for a speed that is not above 0,
    FileNotFoundError for an interpreter that is not installed.
    """
    with ExitStack() as stack:
        command = interpreter_command(interpreter)
        if flash is None:
            flash = Path(stack.enter_context(TemporaryDirectory(prefix="kegli-board-")))
        fill_flash(flash, sensors)
        rtc = Path(stack.enter_context(TemporaryDirectory(prefix="kegli-rtc-")), "rtc")
        clear_rtc(rtc)
        board = _Chip(flash, rtc, command, start_ticks, speed or 0, chip)
        stack.callback(board.end)
        cable = _Cable()
        stack.callback(cable.close)
        hands = stack.enter_context(closing(_Hands(inputs))) if inputs else None
        print(cable.path, board.interpreter, sep="\n", flush=True)
        with suppress(KeyboardInterrupt):
            while True:
                _carry(cable, board, hands)


def _carry(cable: "_Cable", chip: "_Chip", hands: "_Hands | None") -> None:
    """Wait for bytes from either side, or for a moment, and pass on what there is."""
    reading = [chip.fd, chip.answers] if cable.has_room() else [chip.answers]
    if hands and chip.takes_levels():
        reading.append(hands.fd)
    if cable.is_attached() and not chip.is_full():
        reading.append(cable.fd)
    ready, _, _ = select.select(reading, [cable.fd] if cable.waits() else [], [], _LOOK_S)
    if hands and hands.fd in ready:
        for gpio, level in hands.levels():
            chip.drive(gpio, level)
    if cable.fd in ready:
        chip.type(cable.read())
    if chip.fd in ready:
        cable.put(chip.read())
    cable.put(chip.watch())
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


class _Hands:
    """A named pipe by which others set the levels of GPIOs."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self._path = path
        # Also for writing: so it lives on while others come and go.
        self.fd = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self._begun = b""

    def close(self) -> None:
        """Let go, and leave nothing."""
        os.close(self.fd)
        self._path.unlink()

    def levels(self) -> Iterator[tuple[int, int]]:
        """Yield (gpio, level) for each line that has come; what is none of these is told."""
        self._begun += os.read(self.fd, _CHUNK)
        *lines, self._begun = self._begun.split(b"\n")
        for line in lines:
            found = _LEVEL.fullmatch(line)
            if found:
                yield int(found[1]), int(found[2])
            else:
                shown = line.decode("ascii", "replace")
                print(f"'{shown}' is no level: say GPIO LEVEL.", file=sys.stderr, flush=True)


class _Chip:
    """The board's process on a pseudo-terminal of its own, started again when it ends."""

    def __init__(  # noqa: PLR0913, PLR0917  # facts of a board
        self,
        flash: Path,
        rtc: Path,
        command: list[str],
        start_ticks: int,
        speed: float,
        chip: str,
    ) -> None:
        self._kind = chip
        self._flash = flash
        self._rtc = rtc
        self._has_repl = Path(command[0]).stem == "micropython"
        self._command = [*command, "-i"] if self._has_repl else command  # a REPL after main.py
        self._speed = speed
        self._typed = b""
        self._edges = b""
        self._held_until_s = 0.0  # what is typed waits until an interrupted program has ended
        self._power_up_s = 0.0
        self._now_us = 0  # of the chip, as far as it told
        self._watchdog_us = 0  # when it expires, as far as that was told; 0: it does not
        self._begin = Start(ticks_at_0=start_ticks, levels=at_rest(chip))  # how it started last
        self._run(PROGRAMS, POWER_ON)

    def _run(self, programs: Iterable[str], cause: str) -> None:
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
            rtc=self._rtc,
            speed=self._speed,
            chip=self._kind,
            programs=programs,
        )
        os.close(theirs)
        self.answers = self._process.answers
        self._answered = b""
        self.interpreter = os.read(self.answers, _CHUNK).decode().strip()
        os.set_blocking(self.answers, False)
        # Time begins, or goes on, when it is there to notice.
        if cause == POWER_ON:
            self._power_up_s = time.monotonic()
        else:
            self._begin = self._begin.again(cause, self._time_us(), self._watchdog_us)
        os.write(self._process.commands, self._begin.line() + b"free\n")
        os.set_blocking(self._process.commands, False)
        self._edges = b""  # levels that were not handed over yet

    def _time_us(self) -> int:
        """Return the chip's time; where it is as fast as it goes, the last that it told."""
        if not self._speed:
            return self._now_us
        return int((time.monotonic() - self._power_up_s) * self._speed * 1_000_000)

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
        self._send_edges()
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

    def drive(self, gpio: int, level: int) -> None:
        """Let a GPIO go to a level, which it keeps through resets."""
        levels = self._begin.levels & ~(1 << gpio) | level << gpio
        self._begin = self._begin._replace(levels=levels)
        self._edges += b"edge 0 %d %d\n" % (gpio, level)

    def takes_levels(self) -> bool:
        """Return whether those that came before have been handed over."""
        return not self._edges

    def _send_edges(self) -> None:
        """Hand over levels, as far as the board takes them now."""
        with suppress(OSError):  # it takes none, or has ended: the next start has the levels
            while self._edges:
                self._edges = self._edges[os.write(self._process.commands, self._edges) :]

    def read(self) -> bytes:
        """Return what the board prints. If its program has ended it starts again first."""
        try:
            data = os.read(self.fd, _CHUNK)
        except OSError:
            data = b""
        if not data:
            return self.watch() or self._restart(SOFT)
        self._tail = (self._tail + data)[-len(_RAW_PROMPT) :]
        if self._tail == _RAW_PROMPT:
            self._is_raw = True
        elif self._tail.endswith(_PROMPT):
            self._is_raw = False
        return data

    def watch(self) -> bytes:
        """Start the chip again if it was reset, and return what it printed until then and since.

        It tells so itself, but for a watchdog that expires while none of its code runs.
        """
        with suppress(OSError):  # nothing new
            self._answered += os.read(self.answers, _CHUNK)
        *lines, self._answered = self._answered.split(b"\n")
        for line in lines:
            stop = Stop.of(line.decode())
            if stop:
                self._now_us = stop.at_us
                self._watchdog_us = stop.watchdog_us
                return self._last_words() + self._restart(stop.cause)
            self._watchdog_us = int(line.removeprefix(b"expires "))
        if self._speed and self._watchdog_us:
            late_us = self._time_us() - self._watchdog_us - _WATCHDOG_US
            if late_us > _WATCHDOG_S * self._speed * 1_000_000:
                return self._last_words() + self._restart(WATCHDOG)
        return b""

    def _last_words(self) -> bytes:
        data = b""
        with suppress(OSError):
            while more := os.read(self.fd, _CHUNK):
                data += more
        return data

    def _restart(self, cause: str) -> bytes:
        """Start as a chip does: after a soft reset from the raw REPL without main.py, into it."""
        is_raw = self._is_raw and cause == SOFT
        if cause != SOFT:
            self._typed = b""
            self._watchdog_us = 0
        os.close(self.fd)
        self._process.kill()
        self._held_until_s = 0.0
        time.sleep(max(0.0, self._started_s + _RESTART_S - time.monotonic()))
        if not is_raw:
            self._run(PROGRAMS, cause)
            return _REBOOTS[cause]
        self._run(PROGRAMS[:1], cause)
        printed = self._read_until(_PROMPT)
        os.write(self.fd, _CTRL_A)
        self._read_until(_RAW_PROMPT)
        self._is_raw = True
        return _REBOOTS[cause] + printed.partition(_BANNER)[0] + _RAW_PROMPT

    def _read_until(self, end: bytes) -> bytes:
        """Return what the board prints up to *end*, or until it ends or falls silent."""
        data = b""
        with suppress(OSError):
            while not data.endswith(end) and select.select([self.fd], [], [], _START_S)[0]:
                data += os.read(self.fd, 1)
        return data
