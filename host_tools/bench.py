"""What the firmware and its replay cost, against the budgets: `kegli bench`."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import kegli
from host_tools import replay
from host_tools.firmware_files import FIRMWARE
from host_tools.interpreters import BITS32, UNIX, compile_firmware, modules, run
from host_tools.session import Session, order
from host_tools.simulate import CoreBoard
from host_tools.virtual_table import Table, packaged
from kegli.settings import SENSORS

_SCRIPTS = Path(__file__).parent / "on_micropython"

_HEAP_STROKES = 60
_ALLOCATION_STROKES = 30
_SPEED_STROKES = 300
_RUNS = 7

_AT_START = frozenset(("board", "recovery", "start"))  # of kegli.ON_DEMAND

_RARE = ("lost 1", "btn ok 1", "boot software", "end")  # lines that a log of strokes lacks
_WRAP_US = 1 << 30  # times above are heap objects on 32 bits
_DAY_US = 86_400_000_000


@dataclass(frozen=True)
class Budget:
    """What a number may be: at most *limit* or, where more is better, at least."""

    what: str
    limit: int
    unit: str
    at_least: bool = False

    def allows(self, value: int) -> bool:
        """Say whether *value* is within the budget."""
        return value >= self.limit if self.at_least else value <= self.limit


BUDGETS = {
    "heap": Budget(
        f"all modules and a game of {_HEAP_STROKES} strokes, 32 bit", 60 * 1024, "bytes"
    ),
    "play": Budget(".mpy of what play loads", 40 * 1024, "bytes"),
    "demand": Budget(".mpy of what is imported on demand", 24 * 1024, "bytes"),
    "start": Budget(".mpy of what a start alone loads", 9 * 1024, "bytes"),
    "allocation": Budget("the dearest line that ends no stroke, 32 bit", 512, "bytes"),
    "cpython": Budget("replay, CPython", 200_000, "lines/s", at_least=True),
    "unix": Budget("replay, MicroPython unix", 50_000, "lines/s", at_least=True),
}


@dataclass(frozen=True)
class Measured:
    """A number beside its budget, and what it is made of."""

    name: str
    value: int
    parts: dict[str, int]

    @property
    def budget(self) -> Budget:
        """What it may be."""
        return BUDGETS[self.name]

    @property
    def ok(self) -> bool:
        """Say whether it is within the budget."""
        return self.budget.allows(self.value)


def game_log(strokes: int, sensors: Collection[str] = ("pins", "cushions")) -> list[str]:
    """Return the lines of a log of *strokes* computed strokes, one game, always the same."""
    fitted = frozenset(sensors)
    lines: list[str] = []
    session = Session(
        CoreBoard(fitted),
        Table(7, fitted),
        "a.target=999 b.target=999",
        limit=strokes,
        each=lines.extend,
    )
    for _judged in session.play(order(packaged(), "player", 7)):
        pass
    return lines


def _inputs(log: list[str]) -> list[str]:
    return [line for line in log if line[0] not in "#>"]


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines))


def _later(line: str, by_us: int) -> str:
    time_us, _, said = line.partition(" ")
    return f"{int(time_us) + by_us} {said}"


def _stays(module: str) -> bool:
    """Say whether a module is there throughout, and can be on an interpreter without pins."""
    return module not in kegli.ON_DEMAND and not re.search(
        r"^(from|import) (machine|uctypes)\b", _source(module), re.M
    )


def _is_native(module: str) -> bool:
    """Say whether a module has native code, which no other chip runs."""
    return "@micropython.viper" in _source(module)


def _source(module: str) -> str:
    return (FIRMWARE / f"{module}.py").read_text(encoding="utf-8")


def _heap(folder: Path) -> Measured:
    there = [name for name in modules() if _stays(name)]
    _write(folder / "modules.txt", there)
    others = set(modules()).difference(kegli.ON_DEMAND, there)
    _write(folder / "on_the_chip.txt", sorted(m for m in others if not _is_native(m)))
    _write(folder / "game.log", game_log(_HEAP_STROKES))
    rows = (line.split() for line in run(BITS32, _SCRIPTS / "heap.py", folder))
    parts = {part: int(size) for part, size in rows}
    # What wants a chip does not import there, and is told beside.
    return Measured("heap", parts["modules"] + parts["game"], parts)


def _play(folder: Path) -> Measured:
    return _sizes("play", set(modules()).difference(kegli.ON_DEMAND), folder)


def _demand(folder: Path) -> Measured:
    return _sizes("demand", _AT_START.symmetric_difference(kegli.ON_DEMAND), folder)


def _start(folder: Path) -> Measured:
    return _sizes("start", _AT_START, folder)


def _sizes(name: str, of: Collection[str], folder: Path) -> Measured:
    files = {module: folder / "kegli" / f"{module}.mpy" for module in sorted(of)}
    parts = {module: file.stat().st_size for module, file in files.items()}
    return Measured(name, sum(parts.values()), parts)


def _allocation(folder: Path) -> Measured:
    header, *log = game_log(_ALLOCATION_STROKES, SENSORS)
    inputs = _inputs(log)
    end_us = inputs[-1].split()[0]
    inputs += [f"{end_us} {said}" for said in _RARE]
    logs = {"at-start": 0, "past-2^30-us": _WRAP_US, "after-a-day": _DAY_US}
    for name, by_us in logs.items():
        _write(folder / name, [header, *(_later(line, by_us) for line in inputs)])
    _write(folder / "logs.txt", list(logs))
    rows = (line.split() for line in run(BITS32, _SCRIPTS / "allocation.py", folder))
    parts = {f"{kind} {name}": int(size) for name, kind, size in rows}
    return Measured("allocation", max(parts.values()), parts)


def _cpython(_folder: Path) -> Measured:
    game = game_log(_SPEED_STROKES)
    data = "".join(f"{line}\n" for line in game).encode()
    best_s = float("inf")
    for _ in range(_RUNS):
        began_s = time.process_time()
        replay.play(data)
        best_s = min(best_s, time.process_time() - began_s)
    return Measured("cpython", int(len(_inputs(game)) / best_s), {})


def _unix(folder: Path) -> Measured:
    game = game_log(_SPEED_STROKES)
    _write(folder / "game.log", game)
    runs_us = [int(line) for line in run(UNIX, _SCRIPTS / "speed.py", folder)]
    return Measured("unix", len(_inputs(game)) * 1_000_000 // min(runs_us), {})


_MEASURE: dict[str, Callable[[Path], Measured]] = {
    "heap": _heap,
    "play": _play,
    "demand": _demand,
    "start": _start,
    "allocation": _allocation,
    "cpython": _cpython,
    "unix": _unix,
}


def measure(names: Collection[str] = ()) -> Iterator[Measured]:
    """Measure what is named of BUDGETS, everything if nothing is.

    Raise RuntimeError with one sentence if an interpreter or mpy-cross is missing.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        compile_firmware(folder)
        for budget in BUDGETS:
            if not names or budget in names:
                yield _MEASURE[budget](folder)


def json_line(measured: Measured) -> str:
    """Return one JSON object: name, measured, budget, unit, ok, and the parts."""
    budget = measured.budget
    return json.dumps(
        {
            "name": measured.name,
            "measured": measured.value,
            "budget": budget.limit,
            "unit": budget.unit,
            "ok": measured.ok,
            "parts": measured.parts,
        }
    )


def text_line(measured: Measured) -> str:
    """Return what a person reads: name, what it is, number, budget, ok or OVER."""
    budget = measured.budget
    return (
        f"{measured.name:11} {budget.what:44} {measured.value:9,} {budget.unit:7}"
        f" {'at least' if budget.at_least else 'at most':8} {budget.limit:7,}"
        f"  {'ok' if measured.ok else 'OVER'}"
    )


NOTE = (
    f"Replay is the best of {_RUNS} runs of a game of {_SPEED_STROKES} strokes, in processor"
    " time. It depends on\nthe machine, and on what else it does; the other numbers do not."
)
