"""Golden logs: what a board would have printed, its conclusions worked out by hand from RULES.md.

The second line of a golden tells its origin and its story, the file name is the story in short.
A golden that names a clause is selected by it: `pytest -k R5.1-` runs all that tell of R5.1.
"""

import re
from pathlib import Path

import pytest

from host_tools.replay import CONCLUSIONS, play

TESTS = Path(__file__).parent
RULES = (TESTS.parent / "firmware/RULES.md").read_text(encoding="utf-8")
GOLDENS = sorted((TESTS / "golden").glob("*.log"))

# Clauses that no log can show, each with its reason.
NOT_TO_BE_SHOWN: dict[str, str] = {}

ORIGIN = re.compile(
    r"# Origin: (?:written by hand from|printed on the virtual board, read against)"
    r" (?P<sources>R.+?)\.(?: .*)?"
)
CLAUSE = re.compile(r"\bR\d+\.\d+\b")


def sources(golden: Path) -> str:
    """Return what the origin line says a golden was written from, "" if it does not say."""
    lines = golden.read_text(encoding="ascii", errors="replace").splitlines()
    origin = ORIGIN.fullmatch(lines[1]) if len(lines) > 1 else None
    return origin["sources"] if origin else ""


# The id of a golden is its clauses, then its file's name.
each_golden = pytest.mark.parametrize(
    "golden",
    [
        pytest.param(golden, id="-".join([*CLAUSE.findall(sources(golden)), golden.stem]))
        for golden in GOLDENS
    ],
)


@each_golden
def test_golden_says_where_it_comes_from(golden: Path) -> None:
    assert CLAUSE.match(sources(golden))


@each_golden
def test_golden_is_plain_text(golden: Path) -> None:
    data = golden.read_bytes()
    assert data.isascii()
    assert data.endswith(b"\n")
    assert b"\r" not in data
    said = [line for line in data.decode("ascii").splitlines() if line.startswith(">")]
    assert [line for line in said if not line.startswith(CONCLUSIONS)] == []


@each_golden
def test_golden_replays(golden: Path) -> None:
    replay = play(golden.read_bytes())
    assert replay.fault == ""
    assert replay.now
    assert replay.recorded == replay.now


@each_golden
def test_conclusions_stand_where_they_come_about(golden: Path) -> None:
    """Cut the log before each input line: what it holds by then is what the core says of it."""
    lines = golden.read_bytes().splitlines(keepends=True)
    for n, line in enumerate(lines):
        if line[:1].isdigit():
            replay = play(b"".join(lines[:n]))
            assert replay.recorded == replay.now, f"before line {n + 1}"


def test_every_clause_has_a_golden() -> None:
    clauses = re.findall(r"^(R\d+\.\d+) \[(?:auto|judge|mark)\]", RULES, re.MULTILINE)
    assert clauses
    shown = {clause for golden in GOLDENS for clause in CLAUSE.findall(sources(golden))}
    assert set(clauses) - shown == set(NOT_TO_BE_SHOWN)


def test_every_settled_reading_has_a_golden() -> None:
    section = RULES.partition("\n## Settled readings\n")[2].partition("\n## ")[0]
    readings = re.findall(r"^(\d+)\. ", section, re.MULTILINE)
    assert readings
    shown = {n for golden in GOLDENS for n in re.findall(r"\breading (\d+)\b", sources(golden))}
    assert set(readings) == shown
