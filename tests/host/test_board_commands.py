"""Ports, links, status, settings and recordings, at the virtual board's port."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import serial
from click.testing import Result

from host_tools import link as links
from host_tools import ports, recording
from host_tools.link import Link
from host_tools.ports import Port
from tests.host.at_port import Cable, kegli, sentence
from tests.host.test_virtual_board import Client, served

NOON = time.struct_time((2026, 11, 30, 12, 5, 0, 0, 334, 0))
PATIENCE_S = 60  # for a busy machine
ONE = Port("/dev/one", "CP210x", "0001")
TWO = Port("/dev/two", "CH340", "")


@pytest.fixture(scope="module")
def port() -> Iterator[str]:
    with served("micropython", speed=5) as path:
        with closing(Client(path)) as client:  # it has started
            client.read_until(b"match empty")
        yield path


@pytest.fixture
def cable() -> Iterator[Cable]:
    with closing(Cable()) as made:
        yield made


# -- Which port


def test_ports_are_listed_with_what_tells_them_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("host_tools.board_commands.boards", lambda: [ONE, TWO])
    result = kegli("ports")
    assert result.output.splitlines() == ["/dev/one (CP210x, 0001)", "/dev/two (CH340)"]


def test_without_a_board_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("host_tools.board_commands.boards", list)
    assert sentence(kegli("ports")) == "There is no board: plug its USB cable in."


def test_only_bridges_of_boards_are_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    class Found:
        def __init__(self, device: str, vid: int | None, pid: int | None) -> None:
            self.device, self.vid, self.pid, self.serial_number = device, vid, pid, None

    found = [
        Found("/dev/b", 0x10C4, 0xEA60),
        Found("/dev/modem", 1, 2),
        Found("/dev/s", None, None),
    ]
    found.append(Found("/dev/a", 0x303A, 0x1001))
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: found)
    assert [port.path for port in ports.boards()] == ["/dev/a", "/dev/b"]


def test_in_a_terminal_it_asks_which(monkeypatch: pytest.MonkeyPatch, port: str) -> None:
    monkeypatch.setattr(ports, "boards", lambda: [ONE, Port(port, "CH340", "")])
    monkeypatch.setattr(sys.stdin.__class__, "isatty", lambda _self: True, raising=False)
    monkeypatch.setattr("click.prompt", lambda *_words, **_options: 2)
    assert ports.chosen(None) == port


def test_the_only_board_is_taken_and_a_named_one_goes_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ports, "boards", lambda: [ONE])
    assert ports.chosen(None) == "/dev/one"
    assert ports.chosen("/dev/other") == "/dev/other"


# -- A link


def test_characters_that_come_in_pieces_arrive_whole(cable: Cable) -> None:
    text = "кегли ✓"
    with Link(cable.path) as link:
        for byte in text.encode():
            os.write(cable.fd, bytes([byte]))
            assert link.lines(0.0) == []
        os.write(cable.fd, b"\r\n")
        assert link.lines(1.0) == [text]
        os.write(cable.fd, b"a\xffb\n")
        assert link.lines(1.0) == ["a\ufffdb"]


def test_a_link_resets_no_board(cable: Cable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening or closing a port reset the board: micropython#9659, esphome/issues#1382.

    Two transistors reset a board while RTS is on and DTR is off: ESP32-DevKitC's schematic.
    """
    seen: list[tuple[str, bool]] = []
    for name in ("dtr", "rts"):

        def note(self: serial.Serial, line: str = name) -> None:
            seen.append((line, getattr(self, line)))

        monkeypatch.setattr(serial.Serial, f"_update_{name}_state", note)
    with Link(cable.path) as link:
        link.say("status")
    lines = {"dtr": True, "rts": True}  # as the system has them when it has opened a port
    for name, state in seen:
        lines[name] = state
        assert not (lines["rts"] and not lines["dtr"])
    assert lines == {"dtr": False, "rts": False}  # and closing changes nothing more


# -- A board that is well


def test_status_and_settings(port: str) -> None:
    said = kegli("status", "--port", port)
    assert said.exit_code == 0
    assert said.output.startswith("firmware ")
    assert said.output.splitlines()[-1] == "faults: 0"
    assert kegli("settings", "--port", port).output.count("\n") == 17
    assert kegli("settings", "--port", port, "get", "quiet_ms").output.startswith(
        "quiet_ms = 6000"
    )
    changed = kegli("settings", "--port", port, "set", "ready_ms", "900").output
    assert changed.splitlines()[0] == "ready_ms = 900 ms (100 to 10000; usual: 1000)"
    assert kegli("settings", "--port", port, "reset", "ready_ms").exit_code == 0


@pytest.mark.parametrize("words", [("get", "foo"), ("set", "quiet_ms", "1"), ("set",)])
def test_what_the_board_refuses_is_a_failure(port: str, words: tuple[str, ...]) -> None:
    assert sentence(kegli("settings", "--port", port, *words)).startswith("refused 'settings ")


def test_what_a_board_says_is_not_obeyed(cable: Cable) -> None:
    cable.answers({b"u": b"> \x1b]0;x\x07 firmware\n> faults: 0\n"})
    said = kegli("status", "--port", cable.path)
    assert said.output == "\\x1b]0;x\\x07 firmware\nfaults: 0\n"


def test_a_board_that_says_more_than_it_was_asked_is_not_heard_out_for_ever(
    cable: Cable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(links, "_MOST_ANSWER_S", 1.0)
    cable.prints(b"> pin 3 GPIO 21 down\n")
    assert kegli("settings", "--port", cable.path).exit_code == 0


def test_a_raw_prompt_is_a_prompt(tmp_path: Path) -> None:
    with served("micropython", speed=5) as path:
        with closing(Client(path)) as client:
            client.read_until(b"match empty")
            client.type(b"\x03")
            client.read_until(b">>> ")
            client.type(b"\x01")
            client.read_until(b"exit")
        with Link(path) as link:
            link.type(b"\x02\x01")
            until_s = time.monotonic() + PATIENCE_S
            while not link.is_at_prompt or link._text == ">>> ":
                assert time.monotonic() < until_s
                link.lines(0.1)
            assert link._text == ">"


def test_the_environment_may_name_the_port(port: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEGLI_PORT", port)
    assert kegli("status").exit_code == 0


def test_words_that_the_console_does_not_take_are_no_use(port: str) -> None:
    result = kegli("settings", "--port", port, "set", "a.name", "Аня")
    assert result.exit_code == 2
    assert "percent-encode" in result.output


# -- Recordings


def recorded(
    path: str,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    until: Callable[[str], bool],
    *words: str,
) -> Result:
    """Record until what is in the file is enough, and then as by Ctrl-C."""
    lines = Link.lines
    latest_s = time.monotonic() + PATIENCE_S

    def enough(self: Link, for_s: float) -> list[str]:
        if time.monotonic() > latest_s or until(file.read_text(encoding="utf-8")):
            raise KeyboardInterrupt
        return lines(self, for_s)

    with monkeypatch.context() as patched:
        patched.setattr(Link, "lines", enough)
        return kegli("record", "--port", path, str(file), *words)


def test_a_hundred_recordings_of_a_game_disturb_nothing_and_replay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served("micropython", speed=20) as path:
        with Link(path) as link:
            link.say("new")
        for n in range(100):
            if n % 10 == 5:
                with Link(path) as link:
                    link.say("mark repeat" if n == 5 else "pass")
            file = tmp_path / f"{n}.log"
            made = recorded(path, file, monkeypatch, lambda text: " match " in text)
            assert made.exit_code == 0, made.output
            assert kegli("replay", str(file)).exit_code == 0, file.read_text()
        said = kegli("status", "--port", path).output
    # It started once, and nothing was lost: ten strokes by hand. Their `new` is in the first
    # `match` line of the last log, behind which undo does not reach.
    assert "record: steps that undo reaches: 10\n" in said, said
    assert ", started by power-up" in said
    hours, minutes, seconds = map(int, re.findall(r"up (\d+):(\d+):(\d+)", said)[0])
    assert hours or minutes or seconds > 30
    last = kegli("replay", "--json", str(tmp_path / "99.log")).output
    assert '"state": ' in last
    assert '"errors": 0' in last.splitlines()[-1]


def test_a_recording_has_names_and_the_time_and_goes_on_behind_a_reset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.localtime", lambda: NOON)
    file = tmp_path / "game.log"
    to_type = {" match ": b"new\n", "> game ": b"restart\n"}

    def until(text: str) -> bool:
        for said in list(to_type):
            if said in text:
                with closing(Client(path)) as client:
                    client.type(to_type.pop(said))
        return " match 0:0 " in text.rpartition("# kegli-log 1 ")[2] and not to_type

    with served("micropython", speed=5) as path:
        made = recorded(path, file, monkeypatch, until, "--a", "Аня", "--b", "Боб Б")
    assert made.exit_code == 0, made.output
    headers = [line for line in file.read_text().splitlines() if line.startswith("# kegli-log 1 ")]
    assert len(headers) == 2
    for header in headers:
        assert header.endswith(
            " started=2026-11-30T12:05 a=%D0%90%D0%BD%D1%8F b=%D0%91%D0%BE%D0%B1%20%D0%91"
        )
    assert "# no line of a log: rst:0xc (SW_CPU_RESET)" in file.read_text()
    assert "of them no lines of a log" in made.output
    assert kegli("replay", str(file)).exit_code == 0


def test_a_cable_that_is_pulled_and_plugged_in_again_is_told_and_costs_no_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.localtime", lambda: NOON)
    header = "# kegli-log 1 board=esp32\n"
    written = header.strip() + " started=2026-11-30T12:05"
    cables = [Cable(), Cable()]
    plug = tmp_path / "port"
    plug.symlink_to(cables[0].path)
    told: list[str] = []

    def tell(sentence: str) -> None:
        told.append(sentence)
        if "is back" not in sentence:
            plug.unlink()
            plug.symlink_to(cables[1].path)
        else:
            os.write(cables[1].fd, b"4000 hit 1\n" + header.encode() + b"7000 hit 1 200\n")

    monkeypatch.setattr(links, "_AGAIN_S", 0.05)
    file = tmp_path / "game.log"
    with file.open("w", encoding="utf-8") as out:
        recorder = recording.Recorder(out, {})
        lines = Link.lines

        def play(self: Link, for_s: float) -> list[str]:
            text = file.read_text(encoding="utf-8")
            if not text and not told:
                os.write(cables[0].fd, header.encode() + b"\xff\xfe\n1000 hit 1 200\n2000 hi")
            if "1000 hit" in text:
                cables[0].pull()
            if "7000 hit" in text:
                raise KeyboardInterrupt
            return lines(self, for_s)

        monkeypatch.setattr(Link, "lines", play)
        with pytest.raises(KeyboardInterrupt):
            recording.record(str(plug), recorder, tell)
    for cable in cables:
        cable.close()
    assert told == [f"{plug} is gone. Waiting for it.", f"{plug} is back."]
    assert file.read_text(encoding="utf-8").splitlines() == [
        *(written, "# no line of a log: \ufffd\ufffd", "1000 hit 1 200"),
        *(written, "7000 hit 1 200"),  # what was cut off, and what came before it, is none
    ]
    assert kegli("replay", str(file)).exit_code == 0


def test_a_recording_that_is_there_is_not_written_over(tmp_path: Path, port: str) -> None:
    file = tmp_path / "game.log"
    file.write_text("precious")
    assert "File exists" in sentence(kegli("record", "--port", port, str(file)))
    assert file.read_text() == "precious"


def test_nothing_recorded_is_a_failure_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cable: Cable
) -> None:
    file = tmp_path / "game.log"
    made = recorded(cable.path, file, monkeypatch, lambda text: True)
    assert sentence(made) == "Nothing was recorded: no log has begun."
    assert not file.exists()
