"""The table of the stroke: it is total, and nothing else sets the state."""

import ast
import re
from itertools import product
from pathlib import Path

import pytest

from host_tools.diagram import EVENTS, ROWS, STATES
from tests.play import play, script

FIRMWARE = Path(__file__).parents[1] / "firmware"
RULES = (FIRMWARE / "RULES.md").read_text(encoding="utf-8")
PAIRS = list(product(range(len(STATES)), range(len(EVENTS))))


def test_each_state_and_event_has_one_row_in_the_order_of_the_lookup() -> None:
    assert [(row[0], row[1]) for row in ROWS] == PAIRS


def test_rows_lead_to_states_by_functions() -> None:
    for _state, _event, action, next_state, _clause in ROWS:
        assert callable(action)
        assert next_state in range(len(STATES))


def test_every_state_is_reached_and_left() -> None:
    moves = {(row[0], row[3]) for row in ROWS if row[0] != row[3]}
    reached = {STATES.index("idle")}
    while new := {after for before, after in moves if before in reached} - reached:
        reached |= new
    assert reached == set(range(len(STATES)))
    assert {before for before, _after in moves} == reached


def test_clauses_of_the_table_exist() -> None:
    clauses = {row[4] for row in ROWS} - {""}
    assert clauses
    assert clauses <= set(re.findall(r"^(R\d+\.\d+)\b", RULES, re.MULTILINE))


def test_what_changes_the_state_has_a_clause() -> None:
    """But no clause speaks of a restart of the board."""
    for state, event, _action, next_state, clause in ROWS:
        if EVENTS[event] != "boot":
            assert state == next_state or clause, (STATES[state], EVENTS[event])


def assignments_of_state(path: Path) -> list[str]:
    """Return where a file assigns an attribute `state`, as class and function."""
    found: list[str] = []

    def visit(node: ast.AST, where: str) -> None:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            where = f"{where}.{node.name}".lstrip(".")
        if (
            isinstance(node, ast.Attribute)
            and node.attr == "state"
            and not isinstance(node.ctx, ast.Load)
        ):
            found.append(where)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("setattr", "delattr"):
            found.append(f"{where}: {ast.unparse(node)}")
        for child in ast.iter_child_nodes(node):
            visit(child, where)

    visit(ast.parse(path.read_text(encoding="utf-8")), "")
    return found


def test_only_the_lookup_sets_the_state() -> None:
    found = {
        (path.name, where)
        for path in FIRMWARE.rglob("*.py")
        for where in assignments_of_state(path)
    }
    assert found == {("stroke.py", "Strokes.__init__"), ("stroke.py", "Strokes._handle")}


@pytest.mark.parametrize(
    ("steps", "state"),
    [
        ("0 new", "ready"),
        ("0 new; 1 hit 0", "running"),
        ("0 new; 1 hit 0; 1.2 fall 0; 2 done", "review"),
        ("0 new; 1 stroke; 9 fall 3; 9.5 end", "review"),
        ("0 new a.target=5; 1 stroke 0; 20 end", "over"),
    ],
)
def test_states_that_people_see(steps: str, state: str) -> None:
    assert [game["state"] for game in play(script(steps)).games] == [state]
