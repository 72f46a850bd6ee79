"""Every command that needs a board, at ports in every trouble: one sentence, soon, status 1."""

from __future__ import annotations

import errno
import re
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import serial
from click.testing import Result

from host_tools import console, dialogue, hil, link, ports, recording, remote
from host_tools.cli import main
from host_tools.link import Link
from tests.host.at_port import RUBBISH, Cable, board, kegli
from tests.host.test_flash import ESP32, image

ONE = ports.Port("/dev/one", "CP210x", "0001")
TWO = ports.Port("/dev/two", "CH340", "")
LATEST_S = 10
LOG = "# kegli-log 1 sensors=pins,cushions\n1000000 cmd new\n5000000 hit 1 200\n12000000 end\n"

# Each command as it is typed; FILE is one that is not there yet.
COMMANDS = {
    "status": "status",
    "settings": "settings get quiet_ms",
    "selftest": "selftest",
    "selftest --guided": "selftest --guided",
    "calibrate": "calibrate",
    "watch": "watch",
    "console": "console",
    "record": "record FILE",
    "pull": "pull FILE",
    "deploy": "deploy",
    "flash": "flash IMAGE",
    "doctor": "doctor",
    "bundle": "bundle FILE",
    "hil": "hil LOG --wire 'hit 1=Dx_OUTPUT'",
}
SHOWS = {"doctor", "bundle"}  # these show what they can, and the sentence
WAITS = {"record"}  # until Ctrl-C, for a board that says what it waits for


def test_the_table_has_every_command_that_takes_a_port() -> None:
    with_port = {
        name
        for name, command in main.commands.items()
        if any(option.name == "port" for option in command.params)
    }
    assert {name.split()[0] for name in COMMANDS} == with_port


@pytest.fixture(autouse=True)
def bench(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have outputs without an adapter."""
    monkeypatch.setenv("BLINKA_OS_AGNOSTIC", "1")


@pytest.fixture
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let boards in trouble be given up sooner than in life; one test below is in real time."""
    monkeypatch.setattr(link, "_ANSWER_S", 0.4)
    monkeypatch.setattr(link, "_LET_OUT_S", 0.2)
    monkeypatch.setattr(link, "_PROMPT_S", 0.2)
    monkeypatch.setattr(dialogue, "_FIRST_S", 0.4)
    monkeypatch.setattr(console, "_ANSWER_S", 0.4)
    monkeypatch.setattr(hil, "_HEAD_S", 0.4)


def run(name: str, folder: Path, *options: str) -> Result:
    """Run a command of the table in time."""
    (folder / "log").write_text(LOG)
    (folder / "image").write_bytes(image(ESP32))
    words = [word.strip("'") for word in re.findall(r"'[^']*'|\S+", COMMANDS[name])]
    places = {"FILE": "new", "LOG": "log", "IMAGE": "image"}
    words = [str(folder / places[word]) if word in places else word for word in words]
    begins_s = time.monotonic()
    result = kegli(*words, *options, typed="status\n" if name == "console" else "")
    assert time.monotonic() - begins_s < LATEST_S
    return result


def trouble(name: str, result: Result) -> str:
    """Return the sentence in which a command tells its trouble, and nothing else does."""
    assert result.exit_code == 1, result.output
    assert "Traceback" not in result.output
    lines = result.output.splitlines()
    if name == "doctor":
        found = [line for line in lines if line.startswith("!!")]
    elif name in SHOWS | {"console"}:
        found = [line for line in lines if line.startswith("Error: ")]
    else:
        found = lines
    assert len(found) == 1, result.output
    return found[0]


@pytest.fixture
def cable() -> Iterator[Cable]:
    with closing(Cable()) as made:
        yield made


COMMAND = pytest.mark.parametrize("name", COMMANDS)


@COMMAND
def test_no_board(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "boards", list)
    monkeypatch.setattr("host_tools.doctor.boards", list)
    said = trouble(name, run(name, tmp_path))
    assert "plug its USB cable in" in said


@COMMAND
def test_two_boards(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "boards", lambda: [ONE, TWO])
    monkeypatch.setattr("host_tools.doctor.boards", lambda: [ONE, TWO])
    result = run(name, tmp_path)
    assert "--port" in trouble(name, result)
    assert "/dev/one" in result.output
    assert "/dev/two" in result.output


@COMMAND
def test_no_such_port(name: str, tmp_path: Path) -> None:
    path = str(tmp_path / "none")
    said = trouble(name, run(name, tmp_path, "--port", path))
    assert f"There is no {path}: is the cable plugged in?" in said


@COMMAND
def test_a_port_that_is_in_use(name: str, tmp_path: Path, cable: Cable) -> None:
    """A port that is busy was logged and not explained: jeffpiazza/derbynet#272."""
    with Link(cable.path):
        said = trouble(name, run(name, tmp_path, "--port", cable.path))
    assert "is in use: end the program that has it" in said


@COMMAND
def test_a_port_that_one_may_not_use(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(self: serial.Serial) -> None:
        raise serial.SerialException(errno.EACCES, "could not open port")

    monkeypatch.setattr(serial.Serial, "open", denied)
    said = trouble(name, run(name, tmp_path, "--port", "/dev/ttyUSB0"))
    assert "You may not use /dev/ttyUSB0: add yourself to the group" in said


@COMMAND
def test_what_is_no_port(name: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    said = trouble(name, run(name, tmp_path, "--port", str(file)))
    assert " is no serial port: " in said


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in WAITS])
def test_a_board_that_prints_rubbish(
    name: str, tmp_path: Path, cable: Cable, impatience: None
) -> None:
    cable.prints(RUBBISH)
    said = trouble(name, run(name, tmp_path, "--port", cable.path))
    assert cable.path in said
    assert re.search(
        r"kegli board|does not answer|begins no log|is no MicroPython|boot loader", said
    )


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "record"])
def test_a_board_that_says_nothing(
    name: str, tmp_path: Path, cable: Cable, impatience: None
) -> None:
    said = trouble(name, run(name, tmp_path, "--port", cable.path))
    assert re.search(r"does not answer|begins no log|boot loader|No kegli board answers", said)


@pytest.mark.parametrize("name", ["flash", "bundle", "calibrate", "console"])
def test_a_board_that_says_nothing_in_real_time(name: str, tmp_path: Path, cable: Cable) -> None:
    # The longest of each family: a loader, two things in a row, a dialogue, a console.
    trouble(name, run(name, tmp_path, "--port", cable.path))


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "record"])
def test_a_cable_that_is_pulled_in_the_middle(
    name: str, tmp_path: Path, cable: Cable, impatience: None
) -> None:
    cable.pull_when_typed_at()
    said = trouble(name, run(name, tmp_path, "--port", cable.path))
    assert f"{cable.path} is gone." in said


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a board with MicroPython alone."""
    folder = tmp_path_factory.mktemp("bare")
    (folder / "flash" / "kegli").mkdir(parents=True)
    with board(folder) as made:
        yield made.path


# What these do there is their purpose: they have tests of their own.
@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - {"deploy", "flash", "console", *WAITS}))
def test_a_board_without_our_firmware(
    name: str, tmp_path: Path, bare: str, impatience: None
) -> None:
    said = trouble(name, run(name, tmp_path, "--port", bare))
    assert re.search(r"is at MicroPython's prompt|keeps no log|begins no log", said)


@pytest.mark.parametrize("name", ["deploy", "pull FILE", "bundle FILE"])
def test_a_board_that_does_not_enter_the_raw_repl(
    name: str, tmp_path: Path, cable: Cable, impatience: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was at its prompt, and mpremote ended with a traceback: micropython#16142."""
    monkeypatch.setattr(remote, "_SILENCE_S", 2.0)
    cable.answers(
        {
            b"\x03": b"\r\n>>> ",
            b"\n": b"\r\n>>> ",
            b"\x01": b"MicroPython v1.29.0 on 2026-08-24\r\n>>> ",
        }
    )
    said = trouble(
        name.split(maxsplit=1)[0], run(name.split(maxsplit=1)[0], tmp_path, "--port", cable.path)
    )
    assert re.search(r"stopped answering|could not enter raw repl|at MicroPython's prompt", said)


def ended_by(monkeypatch: pytest.MonkeyPatch, when: Callable[[list[str]], bool]) -> list[str]:
    """Let Ctrl-C come when what has been told is enough; return what is told."""
    told: list[str] = []
    lines = Link.lines

    def enough(self: Link, for_s: float) -> list[str]:
        if when(told):
            raise KeyboardInterrupt
        return lines(self, for_s)

    monkeypatch.setattr(Link, "lines", enough)
    monkeypatch.setattr("host_tools.board_commands._tell_person", told.append)
    return told


def test_a_recording_says_that_nothing_begins_and_waits(
    tmp_path: Path, cable: Cable, monkeypatch: pytest.MonkeyPatch
) -> None:
    cable.prints(RUBBISH)
    monkeypatch.setattr(recording, "_LATE_S", 0.2)
    told = ended_by(monkeypatch, bool)
    said = trouble("record", run("record", tmp_path, "--port", cable.path))
    assert told == [f"No log has begun at {cable.path}: it does as soon as the table is at rest."]
    assert said == "Error: Nothing was recorded: no log has begun."
    assert not (tmp_path / "new").exists()


def test_a_recording_tells_a_prompt(
    tmp_path: Path, bare: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = ended_by(monkeypatch, bool)
    trouble("record", run("record", tmp_path, "--port", bare))
    assert told == [f"The board at {bare} is at MicroPython's prompt: `kegli deploy` starts it."]


def test_a_failure_leaves_no_file(tmp_path: Path, cable: Cable, impatience: None) -> None:
    run("pull", tmp_path, "--port", cable.path)
    assert not (tmp_path / "new").exists()
