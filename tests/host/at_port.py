"""What tests of the commands at a board's port share: boards, cables, what goes wrong there."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import threading
import time
import tty
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner, Result

from host_tools import replay
from host_tools.cli import main
from host_tools.link import Link
from kegli import board as pin_map
from tests.host.test_virtual_board import Client

RUBBISH = b"\xff\xfe\x80 x\n\x00\x01\nE (123) wifi: no\r\n\xc0\xc1"
_EVERY_S = 0.01
_LOOK_S = 0.2
_PATIENCE_S = 60.0  # for a busy machine


def kegli(*words: str, typed: str | None = None) -> Result:
    """Run a command, with *typed* as its standard input."""
    return CliRunner().invoke(main, words, input=typed)


def sentence(result: Result) -> str:
    """Return the one sentence with which a command failed."""
    assert result.exit_code == 1, result.output
    assert result.output.count("\n") == 1, result.output
    return result.output.removeprefix("Error: ").strip()


class Cable:
    """A port whose other end a test holds.

    Its name is its own: the system gives that of a terminal which is gone to the next one.
    """

    def __init__(self) -> None:
        self.fd, self._theirs = pty.openpty()
        tty.setraw(self._theirs)
        self._folder = TemporaryDirectory(prefix="kegli-cable-")
        self.path = f"{self._folder.name}/port"
        os.symlink(os.ttyname(self._theirs), self.path)
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    def prints(self, data: bytes) -> None:
        """Let the board print that, again and again."""

        def run() -> None:
            while not self._stop.wait(_EVERY_S):
                with suppress(OSError):  # pulled, or full
                    os.write(self.fd, data)

        os.set_blocking(self.fd, False)
        self._start(threading.Thread(target=run))

    def answers(self, answers: dict[bytes, bytes]) -> None:
        """Let the board answer each of these keys."""

        def run() -> None:
            with suppress(OSError):
                while not self._stop.is_set():
                    for key in os.read(self.fd, 1000):
                        os.write(self.fd, answers.get(bytes([key]), b""))

        self._start(threading.Thread(target=run, daemon=True))

    def pull_when_typed_at(self) -> None:
        """Pull it at the first byte that comes."""

        def run() -> None:
            with suppress(OSError):
                os.read(self.fd, 1)
            self.pull()

        self._start(threading.Thread(target=run, daemon=True))

    def _start(self, thread: threading.Thread) -> None:
        self._threads.append(thread)
        thread.start()

    def pull(self) -> None:
        """Pull it, if it is not pulled."""
        with suppress(OSError):
            os.unlink(self.path)
            os.close(self._theirs)
            os.close(self.fd)

    def close(self) -> None:
        """End it."""
        self._stop.set()
        for thread in self._threads:
            if not thread.daemon:
                thread.join()
        self.pull()
        self._folder.cleanup()


class Board:
    """A virtual board whose power can be cut; its port keeps its name."""

    def __init__(self, flash: Path, port: Path, speed: float, *words: str) -> None:
        self.flash = flash
        self.path = str(port)
        self._words = ["board", "--speed", str(speed), "--flash", str(flash), *words]
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Switch it on."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "host_tools", *self._words],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        os.symlink(self._process.stdout.readline().strip(), self.path)
        self._process.stdout.readline()

    def until(self, said: bytes) -> bytes:
        """Return what it says until it says that."""
        with closing(Client(self.path)) as client:
            return client.read_until(said)

    def cut(self) -> None:
        """Cut its power: the port is gone, and what its RTC memory held."""
        if self._process:
            os.unlink(self.path)
            self._process.send_signal(signal.SIGINT)
            self._process.communicate(timeout=20)
            self._process = None


@contextmanager
def board(folder: Path, *words: str, speed: float = 10) -> Iterator[Board]:
    """Run a board, with its flash and the name of its port in *folder*; it may be starting yet."""
    flash = folder / "flash"
    flash.mkdir(exist_ok=True)
    made = Board(flash, folder / "port", speed, *words)
    made.start()
    try:
        yield made
    finally:
        made.cut()


BLINKA = ("board", "digitalio", "microcontroller", "adafruit_blinka", "adafruit_platformdetect")


def forget_blinka() -> None:
    """Let Blinka look again for its board, which it does where it is imported first."""
    for name in [name for name in sys.modules if name.split(".")[0] in BLINKA]:
        del sys.modules[name]


@contextmanager
def wired(pipe: Path, wires: dict[str, str]) -> Iterator[None]:
    """Wire outputs of Blinka's OS-agnostic board, which was chosen, to a board's inputs."""
    outputs, digital = import_module("board"), import_module("digitalio")
    gpios = {row[0]: row[1] for row in pin_map.inputs("esp32")}
    at = {getattr(outputs, pin).id: gpios[name] for name, pin in wires.items()}
    write = digital.Pin.write
    hands = os.open(pipe, os.O_WRONLY)

    def drive(pin: object, level: int) -> None:
        write(pin, level)
        number = pin.id  # type: ignore[attr-defined]  # Blinka has no types
        os.write(hands, b"%d %d\n" % (at[number], level))

    digital.Pin.write = drive
    try:
        yield
    finally:
        digital.Pin.write = write
        os.close(hands)


def play(path: str, *words: str) -> None:
    """Type lines one after the other, each when the last was concluded."""
    with Link(path) as link:
        for line in words:
            link.say(line)
            lines: list[str] = []
            until_s = time.monotonic() + _PATIENCE_S
            while not any(said.startswith(replay.CONCLUSIONS) for said in lines):
                assert time.monotonic() < until_s, lines
                lines += link.lines(_LOOK_S)


def score_of(path: str) -> str:
    """Return the score of the game, as a log that begins now has it."""
    with Link(path) as link:
        link.say("log")
        lines: list[str] = []
        until_s = time.monotonic() + _PATIENCE_S
        while not any(" match " in line for line in _last_log(lines)):
            assert time.monotonic() < until_s, lines
            lines += link.lines(_LOOK_S)
        while more := link.lines(_LOOK_S):
            lines += more
    log = "".join(f"{line}\n" for line in _last_log(lines))
    game = replay.play(log.encode()).referee.game
    return f"{game.score[0]}:{game.score[1]}" if game else "none"


def _last_log(lines: list[str]) -> list[str]:
    """Return the lines from the last first line of a log on."""
    begins = [n for n, line in enumerate(lines) if line.startswith("# kegli-log 1 ")]
    return lines[begins[-1] :] if begins else []
