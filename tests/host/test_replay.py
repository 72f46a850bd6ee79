"""`kegli replay`: what it prints, its status, and that no file whatever breaks it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from host_tools import replay
from host_tools.cli import main
from tests.play import HEADER, script
from tests.play import play as feed

ROOT = Path(__file__).parents[2]

# The stroke of the contract's own example, and the end of a game.
STEPS = (
    "0 new a.target=12; 1.283 hit 0; 1.4 fall 0,3; 4 stand 0,3; 10 stroke; 20 stroke 1; 26 undo;"
    "30 stroke 3; 38 mark cue; 42 stroke 0,1,2,3,4; 50 end"
)
GAME = f"{HEADER}\n{script(STEPS)}\n"


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    """Run `kegli replay` here; anything but an exit is a failure of the test."""
    words = ["replay", *(os.fspath(argument) for argument in arguments)]
    result = CliRunner().invoke(main, words, input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def play(log: str | bytes, *options: str) -> Result:
    """Run `kegli replay` on the text of a log, from standard input."""
    return run("-", *options, stdin=log if isinstance(log, bytes) else log.encode("latin-1"))


def rows(result: Result) -> list[dict[str, Any]]:
    """Return the objects of --json; standard output holds nothing else."""
    return [json.loads(line) for line in result.stdout.splitlines()]


def error(result: Result) -> str:
    """Return the one sentence on standard error."""
    (line,) = result.stderr.splitlines()
    assert line.isprintable()
    return line


# What a board prints of that game, without notices.
CONCLUSIONS = [
    line for line in feed(script(STEPS)).lines if line.startswith(("> stroke ", "> game "))
]


# What it prints


def test_json_is_that_of_the_contract() -> None:
    result = play(
        f"{HEADER}\n{script('0 new; 1.283 hit 0; 1.4 fall 0,3; 4 stand 0,3; 9 end')}\n", "--json"
    )
    assert result.exit_code == 0
    assert result.stderr == ""
    assert rows(result) == [
        {
            "game": 1, "stroke": 1, "player": "a", "t_us": 1283000, "pins": [0, 3],
            "verdict": "legal", "certain": False, "award": {"a": 5, "b": 0}, "clauses": ["R2.2"],
            "score": {"a": 5, "b": 0}, "turn": "a", "flags": [],
        },
        {
            "game": 1, "state": "ready", "winner": None, "result": "playing",
            "score": {"a": 5, "b": 0}, "strokes": 1, "turn": "a", "by_hand": False, "lost": 0,
            "errors": 0,
        },
    ]  # fmt: skip


def test_json_has_all_strokes_of_all_games_and_then_the_games() -> None:
    steps = (
        "0 new a.target=5; 1 stroke 0; 10 next; 11 stroke; 20 new; 21 stroke 4; 22 lost 3; 40 end"
    )
    found = rows(play(f"{HEADER}\n{script(steps)}\n", "--json"))
    assert [(row["game"], row.get("stroke")) for row in found] == [
        (1, 1), (2, 1), (3, 1), (1, None), (2, None), (3, None)
    ]  # fmt: skip
    assert [row["state"] for row in found[3:]] == ["over", "over", "ready"]
    assert [row["result"] for row in found[3:]] == ["won", "playing", "playing"]
    assert [row["winner"] for row in found[3:]] == ["a", None, None]
    assert [row["lost"] for row in found[3:]] == [0, 0, 3]


def test_json_of_strokes_as_they_finally_stand() -> None:
    """No gap where a stroke was undone, no line for one that runs, who plays after the end."""
    found = rows(play(GAME, "--json"))
    strokes, game = found[:-1], found[-1]
    assert [row["stroke"] for row in strokes] == [1, 2, 3, 4]
    assert [row["t_us"] for row in strokes] == [1_283_000, 10_000_000, 30_000_000, 42_000_000]
    assert [row["verdict"] for row in strokes] == ["legal", "none", "cue", "legal"]
    assert strokes[2]["flags"] == ["judged"]
    assert (game["result"], game["winner"], game["turn"]) == ("won", "a", "a")
    running = rows(play(GAME + "60000000 cmd next\n61000000 hit 0\n", "--json"))
    assert [(row["game"], row.get("state")) for row in running][-1] == (2, "running")
    assert len(running) == len(found) + 1


def test_text_shows_each_stroke_and_the_score() -> None:
    result = play(GAME)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    for clause, score in (("R2.2", "5:0"), ("R2.8", "5:0"), ("R4.1", "7:0"), ("R2.5", "37:0")):
        assert [line for line in lines if clause in line and score in line], clause
    assert "a won" in lines[-1]
    assert "37:0" in lines[-1]


def test_no_game_is_no_line() -> None:
    assert play(HEADER + "\n", "--json").stdout == ""
    assert play(HEADER + "\n1000 hit 0\n9000000 end\n", "--json").stdout == ""
    assert play(HEADER + "\n").exit_code == 0


# Comparing with what the log says


def with_conclusions(lines: list[str], place: int | None = None) -> str:
    """Return the game with these lines in it, at its end or after so many of its lines."""
    texts = GAME.splitlines()
    place = len(texts) if place is None else place
    return "\n".join([*texts[:place], *lines, *texts[place:], ""])


@pytest.mark.parametrize("place", [None, 1, 5])
def test_a_log_that_says_the_same_agrees(place: int | None) -> None:
    """Conclusions are compared as a sequence, wherever they stand."""
    result = play(with_conclusions(CONCLUSIONS, place))
    assert (result.exit_code, result.stderr) == (0, "")


def test_notices_are_never_compared() -> None:
    lines: list[str] = []
    for line in CONCLUSIONS:
        lines += ["> refused 'x': y", line, ">", "> gamecock", "> strokes game=1 n=1", ">game n=1"]
    assert play(with_conclusions(lines)).exit_code == 0


CHANGED = [
    # what differs, the conclusions in the log
    ("another word", [line.replace("award=5:0", "award=0:5") for line in CONCLUSIONS]),
    ("one more", [*CONCLUSIONS, CONCLUSIONS[-1]]),
    ("one less", CONCLUSIONS[:-1]),
    ("the first is missing", CONCLUSIONS[1:]),
    ("another order", [*CONCLUSIONS[1::-1], *CONCLUSIONS[2:]]),
    ("only one", CONCLUSIONS[2:3]),
    ("none of them", ["> stroke ", "> game "]),
]


@pytest.mark.parametrize("options", [(), ("--json",), ("--lenient",)])
@pytest.mark.parametrize("lines", [row[1] for row in CHANGED], ids=[row[0] for row in CHANGED])
def test_a_log_that_says_something_else(lines: list[str], options: tuple[str, ...]) -> None:
    """Status 1, the first difference as a diff, and standard output as ever."""
    result = play(with_conclusions(lines), *options)
    assert result.exit_code == 1
    assert result.stdout == play(GAME, *options).stdout
    shown = result.stderr.splitlines()
    assert len([line for line in shown if line.startswith("@@")]) == 1
    marked = [line for line in shown if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    first = next(
        n for n in range(len(CONCLUSIONS) + 1) if lines[n : n + 1] != CONCLUSIONS[n : n + 1]
    )
    assert marked[0][1:] in (*lines[first : first + 1], *CONCLUSIONS[first : first + 1])


def test_only_the_first_difference_is_shown() -> None:
    lines = [CONCLUSIONS[0] + "x", *CONCLUSIONS[1:-1], CONCLUSIONS[-1] + "y"]
    shown = play(with_conclusions(lines)).stderr
    assert CONCLUSIONS[0] + "x" in shown
    assert CONCLUSIONS[-1] + "y" not in shown


# Other thresholds


def test_settings_go_before_those_of_the_header() -> None:
    log = f"{HEADER} quiet_ms=3000\n{script('0 new; 1 hit 0; 5 hit 0; 30 end')}\n"
    assert len(rows(play(log, "--json"))) == 3
    assert len(rows(play(log, "--json", "--set", "quiet_ms=4001"))) == 2
    assert len(rows(play(log, "--json", "--set", "quiet_ms=4001", "--set", "quiet_ms=4000"))) == 3
    several = ("--set", "quiet_ms=5000", "--set", "fall_hold_ms=1", "--set", "bounce_ms=0")
    assert len(rows(play(log, "--json", *several))) == 2


def test_a_difference_that_settings_make_is_shown_and_is_no_failure() -> None:
    result = play(with_conclusions(CONCLUSIONS), "--set", "quiet_ms=60000")
    assert result.exit_code == 0
    assert "@@" in result.stderr
    same = play(with_conclusions(CONCLUSIONS), "--set", "quiet_ms=6000")
    assert (same.exit_code, same.stderr) == (0, "")


@pytest.mark.parametrize(
    "pair", ["", "quiet_ms", "quiet_ms=", "quiet_ms=x", "quiet_ms=-1", "quiet=1", "=1", "fine=2",
             "quiet_ms=1.5", "quiet_ms=99999999999999999999", "sensors=zone"]
)  # fmt: skip
def test_bad_settings_are_one_sentence(pair: str) -> None:
    result = play(GAME, "--set", pair)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1].startswith("Error: Invalid value for --set: ")


# Lines that are no good

BAD = [
    # a line that stands fifth, what is said of it
    ("5000000 pin 7 1", "7 is more than 4"),
    ("5000000 pin 1", "wrong number of arguments"),
    ("nonsense", "needs a time and a kind"),
    ("5000000 frobnicate", "no kind 'frobnicate'"),
    ("5000000 hit x", "not a whole number"),
    ("5000000 end now", "wrong number of arguments"),
    ("5000000 cmd", "wrong number of arguments"),
    ("5000000 cmd \xe9", "not ASCII"),
    ("5000000 hit \xb2", "not a whole number"),
    ("1 hit 0", "1 is more than 20 ms behind 1400000"),
    ("\x00\x01\xff", "needs a time and a kind"),
    ("5000000 " + "x" * 1_000_000, "no kind 'xxx"),
    ("9" * 1_000_000 + " end", "not a whole number"),
]


def spoiled(line: str) -> str:
    """Return the game with this line before its fifth."""
    texts = GAME.split("\n")
    return "\n".join([*texts[:4], line, *texts[4:]])


@pytest.mark.parametrize("json_option", [(), ("--json",)])
@pytest.mark.parametrize(("line", "reason"), BAD, ids=[row[1] for row in BAD])
def test_a_bad_line_stops_the_replay(line: str, reason: str, json_option: tuple[str, ...]) -> None:
    """Status 2, a sentence with number, text and reason, and what the lines before it say."""
    result = play(spoiled(line), *json_option)
    assert result.exit_code == 2
    before = "\n".join([*GAME.split("\n")[:4], ""])
    assert result.stdout == play(before, *json_option).stdout
    assert error(result).startswith("Error: line 5: '")
    assert "".join(c if " " <= c <= "~" else "?" for c in line[:10]) in error(result)
    assert reason in error(result)
    assert len(error(result)) < 250


@pytest.mark.parametrize("line", [row[0] for row in BAD], ids=[row[1] for row in BAD])
def test_lenient_skips_and_counts(line: str) -> None:
    result = play(spoiled(line), "--lenient", "--json")
    assert result.exit_code == 0
    whole = rows(play(GAME, "--json"))
    whole[-1]["errors"] = 1
    assert rows(result) == whole
    assert "1" in error(result)


def test_lenient_counts_each_line_in_its_game() -> None:
    """Before the first game nobody counts; refused commands count as well."""
    steps = [
        "x",
        "0 cmd new",
        "y",
        "1000 cmd done",
        "-1 end",
        "2000 cmd new",
        "z",
        "0 hit",
        "3000 end",
    ]
    result = play("\n".join([HEADER, *steps, ""]), "--lenient", "--json")
    assert [row["errors"] for row in rows(result)] == [3, 2]
    assert "5 lines" in error(result)


def test_a_bad_line_goes_before_a_difference() -> None:
    """Status 2 also where what was concluded before it differs."""
    log = with_conclusions(["> stroke wrong"], 2) + "nonsense\n"
    assert play(log).exit_code == 2
    assert play(log, "--lenient").exit_code == 1
    assert play("nonsense\n".join([HEADER + "\n", "> stroke wrong\n"])).exit_code == 2


def test_the_number_of_a_bad_line_counts_all_lines() -> None:
    log = f"{HEADER}\n\n# comment\n> notice\n0 cmd new\r\n\r\nbad\n"
    assert "line 7: 'bad'" in error(play(log))


# Lines and their ends


def test_a_last_line_without_its_end_is_reported_and_not_used() -> None:
    """The power failed while it was written: it may be half of a number."""
    whole = play(GAME, "--json")
    for rest in ("50000001 end", "60000000 cmd new", "9", "nonsense", "\xff", "> stroke x", "# c"):
        result = play(GAME + rest, "--json")
        assert (result.exit_code, result.stdout) == (0, whole.stdout), rest
        assert rest.encode("ascii", "replace").decode() in error(result)


def test_cr_lf_is_accepted() -> None:
    log = with_conclusions(CONCLUSIONS, 3)
    result = play(log.replace("\n", "\r\n"), "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == play(log, "--json").stdout


COMMENTS = [
    *(b"#" + bytes([byte]) * 3 for byte in range(256) if byte != 10),
    "# Анна начинает \u2028 \u0085".encode(),
    b"#" + b"x" * 1_000_000,
    b"> " + b"\xff" * 1_000_000,
    b">",
    b"",
    b"\r",
]


def test_comments_may_hold_any_bytes() -> None:
    """And none of them ends a line but LF."""
    lines = GAME.encode().split(b"\n")
    log = b"\n".join([lines[0], *COMMENTS, *lines[1:-1], *COMMENTS, b"nonsense", b""])
    result = play(log, "--json")
    assert result.stdout == play(GAME, "--json").stdout
    assert f"line {len(lines) - 1 + 2 * len(COMMENTS) + 1}: 'nonsense'" in error(result)


def test_a_command_of_any_length_parses() -> None:
    """It is refused as a command, which is counted."""
    log = GAME + "60000000 cmd " + "x " * 500_000 + "\n"
    result = play(log, "--json")
    assert result.exit_code == 0
    assert rows(result)[-1]["errors"] == 1


# Headers and files

HEADERS = [
    "",
    "\n",
    "\n" + HEADER + "\n",
    "0 cmd new\n",
    "# kegli-log\n",
    "# kegli-log 2\n",
    "# kegli-log 2" + HEADER[13:] + "\n",
    "#kegli-log 1\n",
    HEADER,
    HEADER[:5],
    "# kegli-log 1 quiet_ms=x\n",
    "\xef\xbb\xbf" + HEADER + "\n",
    "x" * 1_000_000 + "\n",
    "x" * 1_000_000,
]


@pytest.mark.parametrize(
    "options", [(), ("--json",), ("--lenient",), ("--set", "quiet_ms=1"), ("--json", "--lenient")]
)
@pytest.mark.parametrize("header", HEADERS, ids=range(len(HEADERS)))
def test_without_its_first_line_a_log_is_none(header: str, options: tuple[str, ...]) -> None:
    """An error in every mode, also before a difference."""
    tail = "" if not header.endswith("\n") else script(STEPS) + "\n> stroke wrong\n"
    result = play(header + tail, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert error(result).startswith("Error: ")
    assert len(error(result)) < 200


def test_a_file_or_standard_input(tmp_path: Path) -> None:
    path = tmp_path / "партия 1.log"
    path.write_text(GAME, encoding="ascii")
    assert run(path).stdout == play(GAME).stdout
    assert play(GAME).exit_code == run(path).exit_code == 0


@pytest.mark.parametrize("name", ["missing.log", "folder", "missing/g.log", "\x00", "\udcff.log"])
def test_what_is_no_file_is_one_sentence(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    result = run(f"{tmp_path}/{name}")
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ")
    assert len(line) > len("Error: ") + 10


def test_a_file_that_must_not_be_read(tmp_path: Path) -> None:
    """The superuser may read it all the same."""
    path = tmp_path / "secret.log"
    path.write_text(GAME, encoding="ascii")
    path.chmod(0)
    result = run(path)
    if os.access(path, os.R_OK):
        assert result.exit_code == 0
    else:
        assert result.exit_code == 2
        assert str(path) in error(result)


# Any bytes

WORDS = (
    b"0 ",
    b"1000 ",
    b"2000000 ",
    b"cmd ",
    b"new",
    b"hit 0",
    b"pin 1 1",
    b"mark carom",
    b"undo",
)


@pytest.mark.parametrize("options", [(), ("--json",), ("--lenient",)])
@given(
    st.booleans(),
    st.lists(
        st.one_of(st.binary(max_size=12), st.sampled_from(WORDS), st.just(b"\n")), max_size=20
    ),
)
@example(True, [b"0 cmd new\n", b"\xff\xfe\n"])
@settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_bytes(options: tuple[str, ...], has_header: bool, parts: list[bytes]) -> None:
    """A status, and no more than sentences on standard error: `run` raises anything else."""
    data = (HEADER.encode() + b"\n" if has_header else b"") + b"".join(parts)
    result = play(data, *options)
    assert result.exit_code in (0, 1, 2)
    assert "Traceback" not in result.output
    if result.exit_code == 2:
        assert result.stderr.splitlines()[-1].startswith("Error: ")
    if "--json" in options:
        rows(result)


# As a program


def program(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run it as people do."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "firmware")])
    return subprocess.run(
        [sys.executable, "-m", "host_tools", "replay", *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "ascii"},
    )


@pytest.mark.parametrize(
    ("stdin", "status"),
    [
        (GAME.encode(), 0),
        (with_conclusions(["> stroke wrong"]).encode(), 1),
        (b"", 2),
        (GAME.encode() + b"\xff\n", 2),
    ],
)
def test_the_program(stdin: bytes, status: int) -> None:
    finished = program("-", "--json", stdin=stdin)
    assert finished.returncode == status
    assert finished.stdout.decode().splitlines() == play(stdin, "--json").stdout.splitlines()
    assert b"Traceback" not in finished.stderr


def test_the_program_names_a_file_whose_name_is_no_text() -> None:
    finished = program("\udcff\u0416.log")
    assert finished.returncode == 2
    assert b"Traceback" not in finished.stderr
    assert finished.stderr.startswith(b"Error: ")
    assert finished.stderr.count(b"\n") == 1


FIRST = b"# kegli-log 1 sensors=pins,cushions\n"
OTHER = b"# kegli-log 1 sensors=pins,cushions quiet_ms=2000\n"


@pytest.mark.parametrize(
    ("data", "parts"),
    [
        (FIRST + b"5 hit 1\n", 1),
        (FIRST + b"5 hit 1\n" + FIRST + b"9 match empty\n", 1),  # where a file of it begins
        (FIRST + b"90000 hit 1\n" + FIRST + b"0 match empty\n", 2),  # the power was cut
        (FIRST + b"90000 hit 1\n" + FIRST + b"> notice\n" + b"0 hit 1\n", 2),
        (FIRST + b"0 match empty\n" + FIRST + b"0 match empty\n", 1),  # it replaces nothing
        (FIRST + b"0 match empty\n" + OTHER + b"0 match empty\n", 2),
        (FIRST + b"90000 hit 1\n" + OTHER + b"90001 hit 1\n", 1),  # a comment, as any
        (FIRST + b"# kegli-log 2\n90000 hit 1\n", 1),
        (FIRST + b"90000 hit 1\n0 hit 1\n", 1),  # an error of one log
        (FIRST + FIRST + FIRST, 1),
        (b"", 1),
    ],
)
def test_a_recording_may_hold_several_logs(data: bytes, parts: int) -> None:
    found = replay.logs(data)
    assert len(found) == parts
    assert b"".join(found) == data
