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

from host_tools.virtual_board.process import (
    DEAD,
    POWER_ON,
    SOFT,
    SOFTWARE,
    WATCHDOG,
    Process,
    Start,
    Stop,
    clear_rtc,
    fill_flash,
    interpreter_command,
)
from host_tools.virtual_table import Edge
from kegli import board

_CHUNK = 65536
_PULSE_US = 5_000  # of a one-shot: longer than two scans, shorter than any real front end's
_RESETS = 50  # at one instant: more of them will not end


def _wiring(chip: str) -> dict[tuple[str, int], tuple[int, int, int]]:
    """Return GPIO, level for 1 and whether it is a one-shot, by kind and number of an input."""
    wiring: dict[tuple[str, int], tuple[int, int, int]] = {}
    for words, gpio, active, _, _, one_shot in board.inputs(chip):
        kind = words.split()[0]
        which = sum(known == kind for known, _ in wiring)
        wiring[kind, which] = gpio, active, one_shot
    return wiring


class VirtualBoard:
    """The firmware on a virtual chip, from power-up to the end of the `with` block.

    Time stands still but in `run_until`. A reset takes no time, whoever brings it about: the
    firmware, the watchdog, or `reset`. It leaves the flash, the RTC memory, the levels at the
    inputs, the edges to come and the LEDs as they are, and what was typed but not read is lost,
    except in a soft reset.

    sensors: of "pins" "cushions" "click" "zone", written to the board's settings.json; the first
    two are always there. speed: how many times faster than real, None for as fast as it goes.
    interpreter: "micropython", "python", or None for MicroPython where it is installed.
    start_ticks: what the chip's 30-bit microseconds say at power-up. at_power_up: the edges
    that have happened by then, whatever their time: pins that are down, a zone that is occupied.
    flash: a folder that keeps the board's files; it gets the firmware if it is empty. None takes
    a temporary one. chip: "esp32" or "esp32s3".

    Raise ValueError for an unknown sensor, chip or interpreter and a speed that is not above 0,
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
        chip: str = "esp32",
    ) -> None:
        self.interpreter = ""  # such as "MicroPython 1.29.0-preview"
        self.now_us = 0  # since power-up: the time of the log, until the chip is reset
        self.resets: list[str] = []  # "software" for machine.reset, "watchdog", "soft"
        self.is_dead = False  # see die_after
        if not board.chip(chip):
            raise ValueError(f"There is no chip '{chip}': take esp32 or esp32s3.")
        self._chip = chip
        self._wiring = _wiring(chip)
        self._sensors = sensors
        self._speed = speed or 0
        self._command = interpreter_command(interpreter)
        self._start = Start(ticks_at_0=start_ticks)  # how the chip started last
        self._flash = flash
        self._at_power_up = [edge._replace(t_us=0) for edge in at_power_up]
        self._edges: list[tuple[int, int, int, int]] = []  # a heap: t_us, serial, gpio, level
        self._serial = count()  # at one instant edges happen in the order given
        self._levels: dict[int, int] = {}  # by GPIO, as of now_us
        self._has_interrupts = True
        self._moments = 0  # until it dies, counted from its next start
        self._frame = ""  # what the LEDs showed when the chip last stopped
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
            self._folder = flash
            self._rtc = Path(stack.enter_context(TemporaryDirectory(prefix="kegli-rtc-")), "rtc")
            clear_rtc(self._rtc)
            # The console outlives a chip that stops: so the firmware's ends stay open here too.
            self._stdin, self._console_in = os.pipe()
            self._console_out, self._stdout = os.pipe()
            for fd in (self._stdin, self._console_in, self._console_out, self._stdout):
                stack.callback(os.close, fd)
            for fd in (self._console_in, self._console_out):
                os.set_blocking(fd, False)
            for gpio, active, _ in self._wiring.values():
                self._levels[gpio] = 1 - active
            self.inject(self._at_power_up)
            self._happen(self._take_edges(0))
            self._process = self._new_process()
            stack.callback(self._switch_off)
            self._begin(self._start)
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
            if (edge.kind, edge.which) not in self._wiring:
                raise ValueError(f"{edge}: there is no such input")
            gpio, active, one_shot = self._wiring[edge.kind, edge.which]
            if one_shot:
                # A one-shot that still holds falls first: each one that begins is an edge.
                self._schedule(edge.t_us, gpio, 1 - active)
                self._schedule(edge.t_us + _PULSE_US, gpio, 1 - active)
            self._schedule(edge.t_us, gpio, active if edge.level else 1 - active)

    def lose_interrupts(self, lose: bool) -> None:
        """Lose every interrupt from now on, so that only the scan finds edges; or none again."""
        self._has_interrupts = not lose
        self._tell(b"interrupts %d\n" % self._has_interrupts)

    def lose_timer(self) -> None:
        """Let the chip's timer stop: it is not called any more until the chip starts again."""
        self._tell(b"timer 0\n")

    def run_until(self, t_us: int) -> None:
        """Let time pass up to *t_us* exactly; every edge until then has been taken up.

        What time alone brings about (a stroke's end, a lamp) may come up to 0.15 s later.
        Return early where the chip dies, and at once if it is dead.
        """
        if t_us < self.now_us:
            raise ValueError(f"{t_us} is in the past: it is {self.now_us} already")
        stopped: list[int] = []
        while not self.is_dead:
            due = self._take_edges(t_us)
            self._tell(b"run %d %d\n" % (t_us, len(due)))
            self._tell(b"".join(b"edge %d %d %d\n" % (at, *edge) for at, _, *edge in due))
            answer = self._answer()
            stop = Stop.of(answer)
            if stop is None:
                self.now_us = int(answer.removeprefix("at "))
                self._happen(due)
                return
            stopped.append(stop.at_us)
            if stopped.count(stop.at_us) > _RESETS:
                raise RuntimeError(f"The board does nothing but reset: {self._last_words()}")
            self._stop(stop, due)

    def reset(self, cause: str = SOFTWARE) -> None:
        """Reset the chip at this instant, dead or alive; it has printed what it prints at once.

        *cause*: "software", as machine.reset() does, or "watchdog". Raise ValueError for others.
        """
        if cause not in (SOFTWARE, WATCHDOG):
            raise ValueError(f"There is no reset by '{cause}': take {SOFTWARE} or {WATCHDOG}.")
        self._kill()
        self.resets.append(cause)
        self._start_again(cause, 0)
        self.run_until(self.now_us)

    def power_cut(self) -> None:
        """Cut the power and give it back: the flash and the levels at the inputs stay.

        Time begins at 0, and so does a new log. Edges that were to come are forgotten.
        """
        self._kill()
        self._frame = ""
        clear_rtc(self._rtc)
        self._edges.clear()
        self.now_us = 0
        self._start_again(POWER_ON, 0)
        self.run_until(0)

    def die_after(self, moments: int) -> None:
        """Let the chip die after so many more moments, until `reset` or `power_cut`.

        A moment is each call of the chip by the firmware: for the time, a sleep, a frame of the
        LEDs, the watchdog, and so on, but not for the level of a pin. It dies before the last of
        them does anything. A store of the RTC memory is two moments: before it, and when the
        first half of the bytes is there. 0: it dies at once. Nothing of the firmware runs when
        it is dead. Resets by the firmware or the watchdog change nothing of that. If it is dead
        already, moments count from its next start.
        """
        if moments < 0:
            raise ValueError(f"A chip does not die {-moments} moments ago.")
        if self.is_dead:
            self._moments = moments
        elif moments:
            self._tell(b"die %d\n" % moments)
        else:
            self._kill()

    def write(self, text: str) -> None:
        """Type on the console; the board reads it when time passes again."""
        if not self.is_dead:
            self._to_console += text.encode()
            self._send()

    def lines(self) -> list[str]:
        """Return the console's complete lines since the last call."""
        self._receive()
        *lines, self._printed = self._printed.split(b"\n")
        return [line.decode(errors="backslashreplace") for line in lines]

    def pixels(self) -> list[tuple[int, int, int]]:
        """Return red, green and blue of each LED as last written; nothing before the first."""
        frame = bytes.fromhex(self._shown())
        return [(frame[i], frame[i + 1], frame[i + 2]) for i in range(0, len(frame), 3)]

    def outputs(self) -> dict[int, tuple[int, int]]:
        """Return Hz and duty, of 65,535, of what was put out last, by GPIO; 0 Hz: a voltage."""
        outputs = {}
        for word in self._ask("outputs").split():
            gpio, hz, duty = (int(number) for number in word.replace("=", ":").split(":"))
            outputs[gpio] = hz, duty
        return outputs

    def count_at(self, mhz: int) -> None:
        """Let the capture units count so fast, until the chip starts again; 0: not at all."""
        self._tell(b"count %d\n" % mhz)

    def make_noise(self, kind: str, which: int, mv: int) -> None:
        """Let a noise of *mv* be at the input of a cushion or of click, until the next start.

        It is heard 20 times a second while the threshold is lower.
        """
        _, cushions, click, _ = board.outputs(self._chip)
        gpio = self._wiring[kind, which][0]
        self._tell(b"noise %d %d %d\n" % (gpio, click if kind == "click" else cushions, mv))

    def _shown(self) -> str:
        return self._ask("pixels") or self._frame

    def _ask(self, what: str) -> str:
        """Return what the virtual world answers behind that word; nothing if the chip is dead."""
        if self.is_dead:
            return ""
        self._tell(b"%s\n" % what.encode())
        return self._answer().removeprefix(what).strip()

    def _tell(self, command: bytes) -> None:
        if not self.is_dead:
            self._to_world += command

    def _schedule(self, t_us: int, gpio: int, level: int) -> None:
        heappush(self._edges, (t_us, next(self._serial), gpio, level))

    def _take_edges(self, t_us: int) -> list[tuple[int, int, int, int]]:
        """Return the edges up to that time, which are then no longer to come."""
        due = []
        while self._edges and self._edges[0][0] <= t_us:
            due.append(heappop(self._edges))
        return due

    def _happen(self, edges: list[tuple[int, int, int, int]]) -> None:
        for _, _, gpio, level in edges:
            self._levels[gpio] = level

    def _new_process(self) -> Process:
        process = Process(
            self._folder,
            self._command,
            stdin=self._stdin,
            stdout=self._stdout,
            rtc=self._rtc,
            speed=self._speed,
            chip=self._chip,
        )
        for fd in (process.commands, process.answers):
            os.set_blocking(fd, False)
        return process

    def _begin(self, start: Start) -> None:
        """Tell a new process how things stand; its programs begin when time passes."""
        self._to_world = self._answered = b""
        self.interpreter = self._answer()
        levels = sum(level << gpio for gpio, level in self._levels.items())
        self._start = start._replace(levels=levels, moments=self._moments)
        self._moments = 0
        self._tell(self._start.line())
        if not self._has_interrupts:
            self.lose_interrupts(True)

    def _stop(self, stop: Stop, due: list[tuple[int, int, int, int]]) -> None:
        """Take up that the chip stopped by itself, in a run with those edges."""
        self.now_us = stop.at_us
        happened = len(due) - stop.edges
        self._happen(due[:happened])
        for edge in due[happened:]:
            heappush(self._edges, edge)
        self._frame = stop.pixels or self._frame
        self._bury()
        if stop.cause != DEAD:
            self.resets.append(stop.cause)
            self._moments = stop.moments
            self._start_again(stop.cause, stop.watchdog_us)

    def _kill(self) -> None:
        """Stop the chip here and now, if it is not dead."""
        if not self.is_dead:
            self._frame = self._shown()
            self._bury()

    def _bury(self) -> None:
        self._receive()  # what it printed until it stopped
        self._process.kill()
        self.is_dead = True

    def _start_again(self, cause: str, watchdog_us: int) -> None:
        if cause != SOFT:
            self._to_console = b""
            while select.select([self._stdin], [], [], 0)[0]:
                os.read(self._stdin, _CHUNK)
        self._process = self._new_process()
        self.is_dead = False
        self._begin(self._start.again(cause, self.now_us, watchdog_us))

    def _switch_off(self) -> None:
        if not self.is_dead:
            self._process.end()

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
