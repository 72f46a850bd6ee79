"""`kegli deploy`, with the real mpremote at the virtual board's port, cut off anywhere."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import kegli as firmware
from host_tools import deploying, link, programs
from host_tools.deploying import Facts, Plan
from host_tools.firmware_files import compiled, march, sources
from host_tools.interpreters import UNIX, run
from host_tools.link import LinkError, RefusedError
from host_tools.remote import Remote
from tests.host.at_port import Board, Cable, board, kegli, play, score_of, sentence

CUT_UPDATE = Path(__file__).parents[1] / "on_micropython" / "cut_update.py"
NEXT = "0.2.0"


def next_version() -> dict[str, bytes]:
    """Return a firmware of another version: some files differ, one has gone, one is new."""
    files = sources()
    version = firmware.__version__.encode()
    for path in ("kegli/__init__.py", "main.py", "boot.py", "kegli/buzzer.py", "kegli/help.txt"):
        files[path] += b"\n" if path.endswith(".txt") else b"# another\n"
    files["kegli/__init__.py"] = files["kegli/__init__.py"].replace(version, NEXT.encode())
    del files["kegli/handicap.py"]
    files["kegli/extra.py"] = b'"""New."""\n'
    return files


def program_files(flash: Path) -> dict[str, bytes]:
    """Return what a start runs."""
    found = {name: (flash / name).read_bytes() for name in ("boot.py", "main.py")}
    for file in (flash / "kegli").iterdir():
        if file.is_file():
            found[f"kegli/{file.name}"] = file.read_bytes()
    return found


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Board]:
    """Yield a board that keeps a game."""
    with board(tmp_path) as made:
        deploying.started(made.path)
        play(made.path, "new a.start=7", "pass", "mark carom")
        assert score_of(made.path) == "10:0"
        yield made


def test_a_firmware_that_is_the_same_is_left_and_started_again(played: Board) -> None:
    done = kegli("deploy", "--port", played.path)
    assert done.exit_code == 0, done.output
    version = firmware.__version__
    assert f"firmware {version}, sources; MicroPython 1." in done.output
    assert "The firmware is the same, file by file." in done.output
    assert done.output.splitlines()[-1] == f"Firmware {version} -> {version}: it runs."
    assert score_of(played.path) == "10:0"


def test_what_differs_is_brought_and_what_has_gone_goes(
    played: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deploying, "sources", next_version)
    (played.flash / "settings.bad").write_text("kept")
    done = kegli("deploy", "--port", played.path)
    assert done.exit_code == 0, done.output
    assert "6 of 42 files differ, 6 are to be copied." in done.output
    assert done.output.splitlines()[-1] == f"Firmware {firmware.__version__} -> {NEXT}: it runs."
    assert program_files(played.flash) == next_version()
    assert (played.flash / "settings.bad").read_text() == "kept"
    assert score_of(played.path) == "10:0"


def test_compiled_for_the_chip_that_it_is_and_it_stays_in_that_form(played: Board) -> None:
    done = kegli("deploy", "--port", played.path, "--mpy")
    assert done.exit_code == 0, done.output
    files = program_files(played.flash)
    assert {Path(path).suffix for path in files if path.startswith("kegli/")} == {".mpy", ".txt"}
    assert files["kegli/capture.mpy"][:2] == b"M\x06"
    assert score_of(played.path) == "10:0"
    again = kegli("deploy", "--port", played.path)
    assert ", compiled; " in again.output
    assert "The firmware is the same, file by file." in again.output
    back = kegli("deploy", "--port", played.path, "--sources")
    assert back.exit_code == 0, back.output
    assert program_files(played.flash) == sources()
    assert score_of(played.path) == "10:0"


def cut_at_copy(number: int, cut: Callable[[], None]) -> Callable[..., Any]:
    """Return programs.run, but for that *cut* is called when that copy begins."""
    run_program = programs.run

    def run_until_cut(module: str, *words: str, **options: Any) -> Any:
        each = options.pop("each", None)
        copies = 0

        def watch(line: str) -> None:
            nonlocal copies
            copies += line.startswith("cp ")
            if copies == number and line.startswith("cp "):
                cut()
            if each:
                each(line)

        return run_program(module, *words, each=watch, **options)

    return run_until_cut


def test_cut_at_every_file_it_is_the_old_firmware_and_repeated_the_new_one(
    played: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deploying, "sources", next_version)
    files = 7  # the six that differ, and todo.new
    left = []
    for number in range(1, files + 1):
        with monkeypatch.context() as patched:
            # What has come stays: so each time it gets a file further.
            patched.setattr(programs, "run", cut_at_copy(2 if number > 1 else 1, played.cut))
            said = kegli("deploy", "--port", played.path)
        if said.exit_code == 0:  # there was no second copy any more
            break
        assert said.output.splitlines()[-1] == f"Error: {played.path} is gone."
        left.append(said.output.splitlines()[1].split(", ")[1])
        assert program_files(played.flash) == sources()
        played.start()
        assert deploying.started(played.path) == firmware.__version__
        assert score_of(played.path) == "10:0"
    done = kegli("deploy", "--port", played.path)
    assert done.output.splitlines()[-1].endswith(f"-> {NEXT}: it runs.")
    assert program_files(played.flash) == next_version()
    assert score_of(played.path) == "10:0"
    assert left[0] == "6 are to be copied."
    assert len(left) >= files - 1


def test_cut_at_every_operation_of_the_flash_it_is_the_old_firmware_or_the_new(
    tmp_path: Path,
) -> None:
    wanted = {f"kegli/m{n}.mpy": b"x" for n in range(6)}
    wanted |= {"main.py": b"x", "boot.py": b"x"}
    there = {f"kegli/m{n}.py": "" for n in range(6)}
    task = {
        "boot": sources()["boot.py"].decode(),
        "fakes": str(Path(deploying.__file__).parent / "on_micropython"),
        "todo": Plan(wanted, there).todo.decode(),
    }
    (tmp_path / "task.json").write_text(json.dumps(task))
    whole, *counts = run(UNIX, CUT_UPDATE, tmp_path)
    assert whole == "whole new"
    # "False": before the rename that decides. Nothing is there but the old and the new.
    assert [line.split()[::2] for line in counts] == [["False", "old"], ["True", "new"]]
    assert all(int(line.split()[1]) > 50 for line in counts)


def test_a_person_who_stops_it_leaves_a_board_that_plays(
    played: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(deploying, "sources", next_version)
    with monkeypatch.context() as patched:
        patched.setattr(programs, "run", cut_at_copy(3, stop))
        assert kegli("deploy", "--port", played.path).exit_code == 1
    assert deploying.started(played.path) == firmware.__version__
    assert score_of(played.path) == "10:0"
    assert program_files(played.flash) == sources()


def test_no_watchdog_ends_the_work_of_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Ten times as fast as life: the eight seconds of the watchdog are less than one.
    monkeypatch.setattr(deploying, "sources", next_version)
    with board(tmp_path, speed=16) as made:
        up_s = 0
        while up_s < 12:  # from 10 s on it runs
            said = kegli("status", "--port", made.path).output
            up_s = int(said.split("up 0:")[1][3:5]) + 60 * int(said.split("up 0:")[1][:2])
        done = kegli("deploy", "--port", made.path)
        assert done.output.splitlines()[-1].endswith(f"-> {NEXT}: it runs."), done.output
        assert "started by restart" in kegli("status", "--port", made.path).output


def test_the_watchdog_is_stopped_before_anything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, ...]] = []

    def note(module: str, *words: str, **_options: object) -> tuple[int, list[str]]:
        seen.append((module, *words))
        return 0, []

    monkeypatch.setattr(programs, "run", note)
    Remote("/dev/x").run(["soft-reset"], ["exec", "1"])
    watchdog = "import machine; machine.WDT(timeout=600000)"
    connected = ("mpremote", "connect", "/dev/x", "resume")
    assert seen == [(*connected, "exec", watchdog, "+", "soft-reset", "+", "exec", "1")]


def test_what_came_damaged_is_not_put_in_place(
    played: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deploying, "sources", next_version)

    def damage() -> None:
        (played.flash / "update/main.py").write_bytes(b"half")

    with monkeypatch.context() as patched:
        patched.setattr(programs, "run", cut_at_copy(7, damage))
        said = kegli("deploy", "--port", played.path)
    assert said.output.splitlines()[-1] == (
        "Error: What has come is not what was sent: say it again."
    )
    assert deploying.started(played.path) == firmware.__version__
    assert program_files(played.flash) == sources()


# -- What is refused


def plan(**there: str) -> Plan:
    return Plan({"main.py": b"1", "boot.py": b"2", "kegli/a.py": b"3" * 5000}, there)


def facts(**changed: Any) -> Facts:
    told = {"free": 1 << 20, "machine": "Generic ESP32 module with ESP32", "mpy": 0x2B06}
    return Facts(**{**told, **changed})


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (facts(machine="Raspberry Pi Pico with RP2040"), "This firmware is for ESP32 without"),
        (facts(machine="Generic ESP32 module with SPIRAM with ESP32"), "for ESP32 without SPIRAM"),
        (facts(files={"main.py": "0"}), "holds another program, main.py: --replace overwrites"),
        (facts(files={"boot.py": "0"}), "holds another program, boot.py: --replace overwrites"),
        (facts(free=80_000), "has 80,000 bytes free, and 86,016 are needed: keep the logs by"),
    ],
)
def test_a_board_that_is_not_for_it_is_left_as_it_is(found: Facts, said: str) -> None:
    with pytest.raises(RefusedError, match=said):
        deploying.check(found, plan(), replace=False)


def test_another_program_is_overwritten_by_name_only() -> None:
    deploying.check(facts(files={"main.py": "0"}), plan(), replace=True)
    deploying.check(facts(files={"boot.py": "0"}, empty={"boot.py"}), plan(), replace=False)
    deploying.check(facts(files={"main.py": "0", "kegli/a.py": "0"}), plan(), replace=False)


@pytest.mark.parametrize(("mpy", "name"), [(0x2B06, "xtensawin"), (0x0B06, "x64"), (0x0006, "")])
def test_the_board_tells_what_to_compile_for(mpy: int, name: str) -> None:
    assert march(mpy) == name


@pytest.mark.parametrize("mpy", [0, 0x2B05, 0xFF06])
def test_a_board_that_takes_no_such_code_gets_none(mpy: int) -> None:
    with pytest.raises(ValueError, match="deploy the sources"):
        march(mpy)


def test_programs_that_micropython_runs_itself_stay_sources() -> None:
    files = compiled("xtensawin")
    assert files["main.py"] == sources()["main.py"]
    assert files["boot.py"] == sources()["boot.py"]
    assert {path.removesuffix(".mpy") for path in files if path.endswith(".mpy")} == {
        path.removesuffix(".py")
        for path in sources()
        if path.startswith("kegli/") and path.endswith(".py")
    }


def test_boot_goes_first_since_it_does_the_rest() -> None:
    lines = plan(**{"kegli/old.py": "0"}).todo.decode().splitlines()
    assert lines == ["+ boot.py", "+ main.py", "+ kegli/a.py", "- kegli/old.py"]


def test_what_another_deployment_left_is_used_if_it_is_right_and_else_goes() -> None:
    there = {"update/main.py": deploying._sum(b"1"), "update/boot.py": "wrong", "update/x": "?"}
    found = plan(**there)
    assert found.to_copy == ["boot.py", "kegli/a.py"]
    assert found.litter == ["update/x"]


def test_a_firmware_that_does_not_start_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> dict[str, bytes]:
        return {**sources(), "kegli/app.py": b"import nothing\n"}

    monkeypatch.setattr(deploying, "sources", broken)
    monkeypatch.setattr(deploying, "_START_S", 3.0)
    with board(tmp_path) as made:
        said = kegli("deploy", "--port", made.path)
        assert said.exit_code == 1
        assert said.output.splitlines()[-1] == (
            f"Error: The firmware at {made.path} does not start: see what it says by"
            " `kegli console`."
        )
        monkeypatch.undo()
        done = kegli("deploy", "--port", made.path)  # and it is mended by another
        assert done.output.splitlines()[-1].endswith(f"-> {firmware.__version__}: it runs.")


def test_a_board_without_firmware_gets_it(tmp_path: Path) -> None:
    flash = tmp_path / "flash"
    (flash / "kegli").mkdir(parents=True)
    (flash / "boot.py").write_text("# This file is executed on every boot\n#import esp\n")
    with board(tmp_path) as made:
        done = kegli("deploy", "--port", made.path)
        assert done.exit_code == 0, done.output
        assert "no firmware; MicroPython 1." in done.output
        assert done.output.splitlines()[-1] == f"Firmware none -> {firmware.__version__}: it runs."


def test_a_stroke_is_not_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "_REST_S", 0.2)
    pipe = tmp_path / "inputs"
    with board(tmp_path, "--inputs", str(pipe), speed=2) as made:
        kegli("console", "--port", made.path, typed="new\n")
        with pipe.open("w") as hands:
            hands.write("33 1\n33 0\n")  # a ball at cushion 1
        said = sentence(kegli("deploy", "--port", made.path))
        assert said.endswith("is not at rest: say it again when no ball rolls.")
        assert "started by power-up" in kegli("status", "--port", made.path).output


def test_a_table_that_comes_to_rest_at_once_is_at_rest() -> None:
    with closing(Cable()) as cable:
        notice = b"> The log begins here as soon as the table is at rest.\n"
        # What comes in one piece: that it waits, and that it does no more.
        cable.answers({b"g": notice + b"# kegli-log 1 board=esp32\n", b"\x03": b"\r\n>>> "})
        with link.Link(cable.path) as opened:
            link.interrupt(opened)


def test_a_board_that_stops_answering_is_told_with_what_starts_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def silent(*_words: str, **_options: object) -> tuple[int, list[str]]:
        raise programs.SilentError

    monkeypatch.setattr(programs, "run", silent)
    with pytest.raises(LinkError, match="stopped answering"):
        Remote("/dev/x").run(["exec", "1"])


def test_programs_get_none_of_what_would_change_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('not this one')\n")
    shown = tmp_path / "elsewhere"
    shown.mkdir()
    (shown / "shown.py").write_text("import json, os\nprint(sorted(os.environ))\n")
    monkeypatch.chdir(tmp_path)  # a file of a module's name lies here
    monkeypatch.setenv("PYTHONPATH", str(shown))
    monkeypatch.setenv("ESPTOOL_PORT", "/dev/other")
    monkeypatch.setenv("FORCE_COLOR", "1")
    status, said = programs.run("shown", silence_s=20, environment={"MORE": "1"})
    assert status == 0, said
    assert "'MORE'" in said[0]
    assert "ESPTOOL_PORT" not in said[0]
    assert "FORCE_COLOR" not in said[0]


def test_what_a_reader_raises_ends_the_program_quietly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "flood.py").write_text("while True: print('x' * 1000)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def refuse(line: str) -> None:
        raise LinkError(line[:1])

    for _ in range(10):
        with pytest.raises(LinkError, match="x"):
            programs.run("flood", silence_s=20, each=refuse)


def test_a_port_that_leaves_at_a_reset_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "_AGAIN_S", 0.05)
    with closing(Cable()) as cable:
        place = tmp_path / "port"
        threading.Timer(0.3, lambda: place.symlink_to(os.path.realpath(cable.path))).start()
        link.opened(str(place), 20.0).close()
        with pytest.raises(LinkError, match="There is no"):
            link.opened(str(tmp_path / "none"), 0.1)
