"""`kegli pull`, `kegli bundle` and `kegli doctor`, at the virtual board's port."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kegli as firmware
from host_tools import doctor, programs, stored
from host_tools.deploying import started
from host_tools.link import LinkError
from host_tools.ports import Port
from host_tools.remote import Remote
from host_tools.stored import Fetched
from tests.host.at_port import Board, board, kegli, play, score_of, sentence

SERVICES = Path(firmware.__file__).parent


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Board]:
    """Yield a board that keeps a game, and the log of it."""
    with board(tmp_path) as made:
        started(made.path)
        play(made.path, "new a.start=5", "pass", "mark carom", "pass")
        yield made


# -- Pull


def test_what_the_board_keeps_comes_as_one_log_that_replays(played: Board, tmp_path: Path) -> None:
    file = tmp_path / "game.log"
    done = kegli("pull", "--port", played.path, str(file))
    assert done.exit_code == 0, done.output
    told = re.fullmatch(r"(\S+): ([\d,]+) bytes of 1 files\. .*kegli replay \1\n", done.output)
    assert told
    assert int(told[2].replace(",", "")) == file.stat().st_size
    replayed = kegli("replay", str(file))
    assert replayed.exit_code == 0
    assert "playing, 8:0 after 2 strokes" in replayed.output
    assert score_of(played.path) == "8:0"  # and the game goes on
    assert "started by restart" in kegli("status", "--port", played.path).output


def test_logs_of_before_and_after_a_power_cut_are_joined(played: Board, tmp_path: Path) -> None:
    file = tmp_path / "first.log"
    assert kegli("pull", "--port", played.path, str(file)).exit_code == 0
    played.cut()
    played.start()
    kegli("console", "--port", played.path, typed="pass\n")
    both = tmp_path / "both.log"
    done = kegli("pull", "--port", played.path, str(both))
    assert " of 2 files" in done.output or " of 3 files" in done.output
    assert both.read_bytes().startswith(file.read_bytes())
    replayed = kegli("replay", str(both))
    assert replayed.exit_code == 0
    assert "playing, 8:0 after 3 strokes" in replayed.output.splitlines()[-1]


def test_a_file_that_is_there_is_not_written_over(played: Board, tmp_path: Path) -> None:
    file = tmp_path / "game.log"
    file.write_text("precious")
    done = kegli("pull", "--port", played.path, str(file))
    assert done.output.endswith("File exists\n")
    assert file.read_text() == "precious"
    assert "started by power-up" in kegli("status", "--port", played.path).output


def test_a_line_that_a_power_cut_has_halved_is_no_line() -> None:
    logs = {"log/000001.log": b"# kegli-log 1\n1 end\n2 en", "log/000002.log": b"# kegli-log 1\n"}
    assert stored.joined(logs) == b"# kegli-log 1\n1 end\n# cut off: 2 en\n# kegli-log 1\n"
    assert stored.joined({}) == b""


def said(monkeypatch: pytest.MonkeyPatch, lines: list[str]) -> None:
    def run(*_words: str, **options: Any) -> tuple[int, list[str]]:
        for line in lines:
            options["each"](line)
        return 0, lines

    monkeypatch.setattr(programs, "run", run)


DIGEST = "b5d4045c3f466fa91fe2cc6abe79232a1a57cdf104f7a26e716e0a1e2789df78"  # SHA-256 of ABC
SENT = ["total 3", "file log/1.log", "data QUJD", f"end {DIGEST}", "all 1"]


def fetched(lines: list[str], monkeypatch: pytest.MonkeyPatch) -> Fetched:
    said(monkeypatch, lines)
    found = Fetched()
    stored.fetch(Remote("/dev/x"), "paths = []", found)
    return found


def test_what_is_sent_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fetched(SENT, monkeypatch).files == {"log/1.log": b"ABC"}
    some = fetched(
        [*SENT[:-1], "file log/2.log", "data QUJD", "failed log/2.log", "all 2"], monkeypatch
    )
    assert (list(some.files), some.failed) == (["log/1.log"], ["log/2.log"])


@pytest.mark.parametrize("place", range(len(SENT)))
@pytest.mark.parametrize("damage", ["", "data QUJE", "data QUJDRA==", "data !", "end"])
def test_what_comes_damaged_is_refused(
    place: int, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [*SENT[:place], damage, *SENT[place + 1 :]]
    if place == 0 and damage != "end":  # how much it is, is for the progress alone
        assert fetched(lines, monkeypatch).files == {"log/1.log": b"ABC"}
        return
    with pytest.raises(LinkError, match=r"(came damaged|has come) from /dev/x: say it again\."):
        fetched(lines, monkeypatch)


def test_a_file_that_the_board_cannot_read_does_not_keep_the_others(
    played: Board, tmp_path: Path
) -> None:
    assert kegli("pull", "--port", played.path, str(tmp_path / "0")).exit_code == 0
    (played.flash / "log/000009.log").mkdir()  # reading it fails
    file = tmp_path / "game.log"
    done = kegli("pull", "--port", played.path, str(file))
    assert done.exit_code == 1
    assert done.output.endswith("Error: The board could not read log/000009.log.\n")
    assert file.read_bytes().startswith((tmp_path / "0").read_bytes())
    packed = tmp_path / "report.zip"
    done = kegli("bundle", "--port", played.path, str(packed))
    assert "could not read log/000009.log. " in done.output
    with zipfile.ZipFile(packed) as opened:
        assert "board/log/000001.log" in opened.namelist()
    assert started(played.path) == firmware.__version__  # and it plays


def test_a_board_whose_files_come_damaged_plays_on(
    played: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(stored, "_SEND_ALL", "print('all 7')")
        done = kegli("pull", "--port", played.path, str(tmp_path / "x"))
    assert sentence(done) == f"Not all has come from {played.path}: say it again."
    assert started(played.path) == firmware.__version__
    assert score_of(played.path) == "8:0"


# -- Bundle


def test_one_zip_has_all_that_a_report_needs(played: Board, tmp_path: Path) -> None:
    (played.flash / "fault.txt").write_text("1 us, firmware 0\nTraceback\nValueError: x\n")
    file = tmp_path / "report.zip"
    done = kegli("bundle", "--port", played.path, str(file))
    assert done.exit_code == 0, done.output
    assert "hold the names of the players" in done.output
    with zipfile.ZipFile(file) as packed:
        text = {name: packed.read(name).decode() for name in packed.namelist()}
    assert set(text) == {
        *("computer.txt", "status.txt", "settings.txt", "troubles.txt", "firmware.txt"),
        *("game.log", "board/log/000001.log", "board/fault.txt", "board/settings.json"),
    }
    assert f"kegli {firmware.__version__}, Python 3." in text["computer.txt"]
    assert "mpremote 1." in text["computer.txt"]
    assert text["status.txt"].startswith(f"firmware {firmware.__version__}, micropython 1.")
    assert text["settings.txt"].count(" = ") == 17
    assert "> stroke game=1 n=2" in text["game.log"]
    assert text["board/fault.txt"].endswith("ValueError: x\n")
    assert re.search(r"^[0-9a-f]{64}  kegli/app.py$", text["firmware.txt"], re.M)
    assert text["troubles.txt"] == ""
    assert score_of(played.path) == "8:0"


def test_a_board_whose_firmware_does_not_run_still_gives_its_files(
    played: Board, tmp_path: Path
) -> None:
    assert kegli("pull", "--port", played.path, str(tmp_path / "log")).exit_code == 0
    played.cut()
    (played.flash / "main.py").unlink()
    played.start()
    file = tmp_path / "report.zip"
    done = kegli("bundle", "--port", played.path, str(file))
    assert done.exit_code == 1
    assert done.output.splitlines()[-1].startswith(
        f"Error: The board at {played.path} is at MicroPython's prompt"
    )
    assert done.output.endswith(f"{file} has what could be had.\n")
    with zipfile.ZipFile(file) as packed:
        assert b"is at MicroPython's prompt" in packed.read("troubles.txt")
        assert "board/log/000001.log" in packed.namelist()


# -- Doctor


def test_a_board_that_is_well_is_called_well(
    played: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "boards", lambda: [Port(played.path, "CP210x", "0001")])
    done = kegli("doctor")
    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert all(line.startswith("ok  ") for line in lines)
    assert f"ok  port {played.path} (CP210x, 0001)" in lines
    assert lines[-1] == "ok  faults: 0"


def test_each_port_that_one_may_not_use_is_told(
    played: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = [Port(played.path, "CP210x", "0001"), Port("/dev/two", "CH340", "")]
    monkeypatch.setattr(doctor, "boards", lambda: two)
    monkeypatch.setattr("os.access", lambda _path, _mode: False)
    lines = kegli("doctor").output.splitlines()
    denied = f"!!  port {played.path} (CP210x, 0001)  ->  add yourself to the group"
    assert any(line.startswith(denied) for line in lines)
    assert "ok  port /dev/two (CH340)" in lines  # which is not there


@pytest.mark.parametrize(
    ("line", "mend"),
    [
        (f"firmware {firmware.__version__}, micropython 1.29.0, board=esp32", ""),
        ("firmware 0.0.1, micropython 1.29.0, board=esp32", "kegli deploy brings"),
        (f"firmware {firmware.__version__}, micropython 1.22.0, board=esp32", "kegli flash"),
        ("edges: 0 lost", ""),
        ("edges: 12 lost", "kegli watch"),
        (
            "log: 1 bytes in 1 files in log/, at most 65536; 0 bytes wait, 3 lines left out",
            "log_kb",
        ),
        ("flash: 130000 bytes free", "kegli settings set log_kb 64"),
        ("flash: 900000 bytes free", ""),
        ("P3: pin 3 says nothing: it is stuck, or its wire is broken", "kegli selftest --guided"),
        ("C1: cushion 1 hears noise of 90 mV: too much for any threshold", "kegli calibrate"),
        ("CL: the click stays up", "kegli calibrate"),
        ("Zo: the zone makes too many edges", "kegli watch"),
        ("b2: button carom is down", "kegli watch"),
        ("E1: Setting quiet_ms is not known", "kegli settings"),
        ("E9: What another firmware knows", "kegli bundle"),
        ("E4: An exception was survived, kept in fault.txt: ValueError: x", "kegli bundle"),
        ("faults: 1", ""),
        ("up 0:00:17, started by power-up", ""),
    ],
)
def test_each_fault_has_a_command_that_mends_it(line: str, mend: str) -> None:
    found = doctor.of_status(line)
    assert found.what == line
    assert (mend in found.mend) if mend else not found.mend


def test_every_fault_that_the_firmware_knows_has_one() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in SERVICES.glob("*.py"))
    codes = set(re.findall(r'"(E\d)"', text))
    assert len(codes) == 7
    for code in [*codes, "P0", "C3", "CL", "Zo", "b4"]:
        assert doctor.of_status(f"{code}: something").mend


def test_what_is_wrong_makes_a_status_of_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "boards", list)
    done = kegli("doctor")
    assert done.exit_code == 1
    assert done.output.splitlines()[-1] == (
        "!!  no board is plugged in  ->  plug its USB cable in: one that carries data"
    )
