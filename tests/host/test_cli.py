"""The command line: help, what is refused and how, and a demo from end to end."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

import kegli
from host_tools.cli import main
from host_tools.virtual_table.strokes import PACKAGED

ROOT = Path(__file__).parents[2]
COMMANDS = sorted(main.commands)


def run(*arguments: str | Path) -> Result:
    """Run `kegli` here; anything but an exit is a failure of the test."""
    result = CliRunner().invoke(main, [os.fspath(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def sentence(result: Result) -> str:
    """Return the last line of standard error: one sentence, and before it only how to use it."""
    *usage, last = result.stderr.splitlines()
    assert last.startswith("Error: ")
    assert all(not line or line.startswith(("Usage: ", "Try ")) for line in usage)
    return last


# Help


def test_commands_are_there() -> None:
    assert {"board", "demo", "replay", "simulate"} <= set(COMMANDS)


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("words", [(), *((command,) for command in COMMANDS)])
def test_help(words: tuple[str, ...], flag: str) -> None:
    result = run(*words, flag)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("Usage: ")
    assert max(len(line) for line in result.stdout.splitlines()) <= 80
    if not words:
        for command in COMMANDS:
            assert re.search(rf"^  {command} +\S", result.stdout, re.MULTILINE), command


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_is_for(name: str) -> None:
    command = main.commands[name]
    assert command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.opts


def test_version() -> None:
    result = run("--version")
    assert result.exit_code == 0
    assert kegli.__version__ in result.stdout


def test_without_a_command_it_shows_its_help() -> None:
    result = run()
    assert "Usage: " in result.output
    assert result.exit_code == 2


# What is refused: a line of what to do, one sentence, status 2

AT_THE_TABLE = [
    ("--strokes", "0"),
    ("--strokes", "-1"),
    ("--strokes", "x"),
    ("--strokes", "1.5"),
    ("--strokes", ""),
    ("--seed", "x"),
    ("--seed", ""),
    ("--target", "0"),
    ("--target", "1000"),
    ("--target", "x"),
    ("--players", "nobody"),
    ("--players", ""),
    ("--sensors", "laser"),
    ("--sensors", "pins;cushions"),
    ("--sensors", ""),
    ("--sensors", "click,"),
]
SPEEDS = [
    ("--speed", "0"),
    ("--speed", "-1"),
    ("--speed", "-0"),
    ("--speed", "fast"),
    ("--speed", ""),
    ("--speed", "nan"),
    ("--speed", "inf"),
    ("--speed", "1e300"),
    ("--speed", "10001"),
]
REFUSED = [
    ("frobnicate",),
    ("--frobnicate",),
    ("replay",),
    ("replay", "a.log", "b.log"),
    ("replay", "a.log", "--set"),
    *((command, "--frobnicate") for command in COMMANDS),
    *((command, "one", "two", "three") for command in COMMANDS),
    *((command, *words) for command in ("demo", "simulate") for words in AT_THE_TABLE),
    *(("demo", *words) for words in SPEEDS),
    # A board that takes them would serve until Ctrl-C.
    ("board", "--speed", "fast"),
    ("board", "--sensors", "laser"),
]


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_bad_words_are_one_sentence(words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(sentence(result)) > len("Error: ") + 10


# Files of strokes

FILES = {
    # name: content
    "empty.jsonl": b"",
    "blank.jsonl": b"\n\n",
    "words.jsonl": b"a stroke\n",
    "list.jsonl": b"[]\n",
    "no_events.jsonl": b'{"mode": "player"}\n',
    "bytes.jsonl": b"\xff\xfe\x00\n",
    "deep.jsonl": b"[" * 100_000 + b"\n",
    "number.jsonl": b"1" * 10_000 + b"\n",
    "no_gzip.jsonl.gz": b"{}\n",
    "cut.jsonl.gz": PACKAGED.read_bytes()[:5000],
    "spoilt.jsonl.gz": PACKAGED.read_bytes()[:5000] + b"x" * 5000,
    "two.jsonl": gzip.decompress(PACKAGED.read_bytes()).splitlines()[0] + b"\n{}\n",
}


@pytest.mark.parametrize("command", ["demo", "simulate"])
@pytest.mark.parametrize("name", [*FILES, "missing.jsonl", "folder"])
def test_a_bad_file_of_strokes_is_one_sentence(command: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    if name in FILES:
        (tmp_path / name).write_bytes(FILES[name])
    result = run(command, "--strokes", "1", "--strokes-file", tmp_path / name)
    assert result.exit_code == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ")
    assert name in line


@pytest.mark.parametrize("command", ["demo", "simulate"])
def test_a_file_without_such_players_is_one_sentence(command: str, tmp_path: Path) -> None:
    lines = gzip.decompress(PACKAGED.read_bytes()).splitlines(keepends=True)
    path = tmp_path / "random.jsonl"
    path.write_bytes(b"".join(line for line in lines if b'"random"' in line))
    result = run(command, "--strokes", "1", "--strokes-file", path)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "Error: there are no strokes of a player among them\n"
    assert (
        run("simulate", "--strokes", "1", "--players", "random", "--strokes-file", path).exit_code
        == 0
    )


def test_files_of_strokes_are_taken_together(tmp_path: Path) -> None:
    lines = gzip.decompress(PACKAGED.read_bytes()).splitlines(keepends=True)
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl.gz"
    player = [line for line in lines if b'"player"' in line]
    first.write_bytes(player[0])
    second.write_bytes(gzip.compress(player[1]))
    words = ("simulate", "--strokes", "4", "--strokes-file", first, "--strokes-file", second)
    result = run(*words)
    assert result.exit_code == 0
    truths = [line for line in result.stdout.splitlines() if line.startswith("# truth")]
    assert len(truths) == 4
    assert set(truths[:2]) == set(truths[2:])


# The demo


def test_a_demo(tmp_path: Path) -> None:
    """MicroPython plays ten strokes; one plain line each, a summary, and a log that replays."""
    log = tmp_path / "g.log"
    result = run("demo", "--strokes", "10", "--seed", "7", "--speed", "max", "--log", log)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "\x1b" not in result.stdout
    first, *lines = result.stdout.splitlines()
    assert first.startswith("The firmware runs on MicroPython ")
    strokes = [line for line in lines if re.match(r" *\d+ [ab-] ", line)]
    assert [int(line.split()[0]) for line in strokes] == list(range(1, 11))
    assert all(re.search(r"  (right|WRONG: .+)$", line) for line in strokes)
    assert lines[:10] == strokes
    summary = " ".join(lines[10:])
    right = sum(line.endswith("right") for line in strokes)
    assert f"{right} of 10 strokes" in summary
    assert f"needed {10 - right} time" in summary
    assert str(log) in summary
    replayed = run("replay", log)
    assert (replayed.exit_code, replayed.stderr) == (0, "")
    text = log.read_text(encoding="ascii")
    assert text.count("> stroke game=1 n=") >= 1
    assert text.endswith("\n")
    (score,) = re.findall(r"at a (\d+) : (\d+) b", summary)
    assert f"{score[0]}:{score[1]}" in replayed.stdout.splitlines()[-1]


def test_a_demo_of_several_games_and_all_sensors(tmp_path: Path) -> None:
    log = tmp_path / "g.log"
    words = ("--strokes", "8", "--target", "2", "--sensors", "pins,cushions,click,zone")
    result = run("demo", *words, "--players", "random", "--speed", "max", "--log", log)
    assert result.exit_code == 0
    strokes = re.findall(r"^ *\d+ [ab-] ", result.stdout, re.MULTILINE)
    assert len(strokes) == 8
    assert run("replay", log).exit_code == 0
    header = log.read_text(encoding="ascii").splitlines()[0]
    assert "sensors=pins,cushions,click,zone" in header.split()


def test_a_demo_without_a_number_is_one_game(tmp_path: Path) -> None:
    log = tmp_path / "g.log"
    result = run("demo", "--target", "2", "--speed", "max", "--log", log)
    assert result.exit_code == 0
    assert "The game is over at a " in result.stdout
    assert run("replay", log).stdout.count("game ") == 1


def test_a_demo_without_micropython_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_arguments, **_options: None)
    log = tmp_path / "g.log"
    result = run("demo", "--strokes", "1", "--speed", "max", "--log", log)
    assert result.exit_code == 0
    first = result.stdout.splitlines()[0]
    assert first.startswith("The firmware runs on CPython ")
    assert "MicroPython is not installed" in first
    monkeypatch.undo()
    assert run("replay", log).exit_code == 0


@pytest.mark.parametrize("name", ["folder", "missing/g.log"])
def test_a_demo_that_cannot_write_its_log_is_one_sentence(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    result = run("demo", "--strokes", "1", "--log", tmp_path / name)
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ")
    assert name in line


# As a program


def program(*arguments: str) -> subprocess.Popen[str]:
    """Start it as people do."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "firmware")])
    return subprocess.Popen(
        [sys.executable, "-u", "-m", "host_tools", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def test_the_module_is_the_program() -> None:
    with program("--version") as process:
        stdout, stderr = process.communicate()
    assert (process.returncode, stderr) == (0, "")
    assert kegli.__version__ in stdout


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    """As with `kegli simulate | head -1`."""
    with program("simulate", "--strokes", "300", "--target", "999") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("# kegli-log 1 ")
        process.stdout.close()
        assert process.stderr.read() == ""


def test_ctrl_c_ends_a_demo_cleanly(tmp_path: Path) -> None:
    log = tmp_path / "g.log"
    words = ("--speed", "30", "--strokes", "1000", "--target", "999", "--log", str(log))
    with program("demo", *words) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("The firmware runs on ")
        assert process.stdout.readline().split()[0] == "1"
        process.send_signal(signal.SIGINT)
        rest, stderr = process.communicate()
    assert (process.returncode, stderr) == (0, "")
    assert "The game goes on at a " in rest
    assert run("replay", log).exit_code == 0


def test_ctrl_c_ends_a_demo_in_the_middle_of_a_stroke(tmp_path: Path) -> None:
    log = tmp_path / "g.log"
    # At the speed of life the first stroke has not ended when the first line is printed.
    with program("demo", "--speed", "1", "--log", str(log)) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("The firmware runs on ")
        process.send_signal(signal.SIGINT)
        rest, stderr = process.communicate()
    assert (process.returncode, stderr) == (0, "")
    assert "No stroke was played." in rest
    assert run("replay", log).exit_code == 0
