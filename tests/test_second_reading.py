"""The core against a second reading of the contract, on random logs.

A difference is shown with the seed, the first rows that differ and the shortest log that the
shrinker finds for it. More seeds than the test's own: `python -m tests.test_second_reading
LEVEL FIRST COUNT`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from host_tools.replay import game_rows, play, stroke_rows
from tests.random_logs import random_log
from tests.second_reading import read

Row = dict[str, Any]

# Level of the logs, whether bad lines are skipped, settings that go before the header's, seeds.
READINGS: list[tuple[int, bool, dict[str, int], int]] = [
    (0, False, {}, 120),
    (1, False, {}, 300),
    (1, False, {"quiet_ms": 1500, "bounce_ms": 40}, 30),
    (2, True, {}, 80),
    (2, False, {}, 20),
]


def core_rows(text: str, lenient: bool, settings: dict[str, int]) -> list[Row]:
    """Return the rows of the core: strokes, then games."""
    referee = play(text.encode(), lenient=lenient, settings=settings).referee
    rows = stroke_rows(referee)
    for row in rows:
        # "`check` (unlikely: look at it; when, is the project's own)"
        row["flags"] = [flag for flag in row["flags"] if flag != "check"]
    return rows + game_rows(referee)


def second_rows(text: str, lenient: bool, settings: dict[str, int]) -> list[Row]:
    """Return the rows of the second reading: strokes, then games."""
    strokes, games = read(text, lenient, settings)
    return strokes + games


def first_difference(text: str, lenient: bool, settings: dict[str, int]) -> str:
    """Return the first rows that differ, "" if none do. An exception is a difference too."""
    expected = second_rows(text, lenient, settings)
    try:
        rows = core_rows(text, lenient, settings)
    except Exception as error:
        return f"core:   {type(error).__name__}: {error}\n"
    for n in range(max(len(rows), len(expected))):
        row = rows[n] if n < len(rows) else None
        other = expected[n] if n < len(expected) else None
        if row != other:
            return f"core:   {row}\nsecond: {other}\n"
    return ""


def shrink(text: str, fails: Callable[[str], bool]) -> str:
    """Return the log without the lines that it does not need to fail."""
    header, *lines = text.split("\n")[:-1]

    def joined(some: list[str]) -> str:
        return "\n".join([header, *some, ""])

    size = len(lines)
    while size:
        place = 0
        while place < len(lines):
            fewer = lines[:place] + lines[place + size :]
            if fails(joined(fewer)):
                lines = fewer
            else:
                place += size
        size //= 2
    return joined(lines)


def explain(seed: int, level: int, lenient: bool, settings: dict[str, int]) -> str:
    """Return "" if the two readings agree on a log, else all that is needed to see why not."""
    text = random_log(seed, level)
    if not first_difference(text, lenient, settings):
        return ""
    short = shrink(text, lambda shorter: bool(first_difference(shorter, lenient, settings)))
    return f"seed {seed}, level {level}\n{first_difference(short, lenient, settings)}{short}"


@pytest.mark.parametrize(("level", "lenient", "settings", "seeds"), READINGS)
def test_the_core_reads_random_logs_as_the_second_reading_does(
    level: int, lenient: bool, settings: dict[str, int], seeds: int
) -> None:
    for seed in range(seeds):
        difference = explain(seed, level, lenient, settings)
        assert not difference, difference


def test_the_shrinker_keeps_only_what_the_failure_needs() -> None:
    log = "".join(f"{line}\n" for line in ("# header", "1 a", "2 b", "3 a", "4 c", "5 d"))
    short = shrink(log, lambda text: "2 b" in text and "5 d" in text)
    assert short == "# header\n2 b\n5 d\n"


def main() -> None:
    """Compare on more seeds."""
    level, first, count = (int(word) for word in sys.argv[1:])
    for seed in range(first, first + count):
        difference = explain(seed, level, level > 1, {})
        if difference:
            print(difference)


if __name__ == "__main__":
    main()
