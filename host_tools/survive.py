"""What is lost when the power is cut, the flash fails or the board resets: `kegli survive`."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from host_tools import replay
from host_tools.interpreters import UNIX, run
from host_tools.replay import CONCLUSIONS
from host_tools.session import Board, Session, order, pairs
from host_tools.simulate import CoreBoard
from host_tools.virtual_board import VirtualBoard
from host_tools.virtual_table import Edge, Table, packaged
from kegli.lines import BUTTONS
from kegli.referee import Referee

_SCRIPTS = Path(__file__).parent / "on_micropython"
_SENSORS = frozenset(("pins", "cushions"))

# What flash of the chip takes, typical and worst, in ms. Estimates; not measured on hardware.
_PROGRAM_MS = (0.7, 3.0)
_ERASE_MS = (45.0, 400.0)

_BLOCKS = 64  # of the file system: 256 KB
_LOG_KB = 40  # so little that old files have to go
_TARGET = 30  # points that win a game
_FAILING_STROKES = 6  # of the game that each failure of the flash gets
_CUT_STROKES = 15  # more of them are shared by more processes
WAYS = ("full", "broken", "read-only", "hiccup")

_RESETS = 20  # of one board, before a new one comes
_EVERY_US = 24_000_000  # between two deaths, at most
_MOMENTS = 300  # within which it dies then
_COMMAND_MOMENTS = 40  # the same if a command has just been typed
_START_MOMENTS = 150  # the same if it dies while it starts
_START_US = 300_000  # until it has said how the match stands
_STARTS = 10  # in a row, at most, in which it dies
_POWER_CUTS = 0.15  # of all resets
_WATCHDOG = 0.3
_CRASHES = 2  # in a row; from 3 on the firmware leaves settings out, from 6 on the score
_WAIT_US = 500_000  # between two things that people say
_CLICK_US = 120_000  # of a button: it is down for so long, and up again

# What people say after a stroke: the lines that they type, the buttons that they press.
_SAID = (
    ("mark doubt",),
    ("mark carom",),
    ("mark valid",),
    ("ok",),
    ("pass",),
    ("judge 1 miss",),
    ("undo",),
    ("undo", "redo"),
    ("undo", "undo", "redo"),
    ("undo", "pass", "undo", "undo"),
    ("absent 3", "undo"),
)
_PRESSED = (("penalty",), ("ok",), ("undo",), ("undo", "undo"), ("fine", "undo"))
_SHARE_SAID = 0.4  # of the strokes
_SHARE_PRESSED = 0.2


def people(board: Board, rng: Random) -> None:
    """Say something of the last stroke, as people do now and then."""
    chance = rng.random()
    if chance < _SHARE_SAID:
        for words in rng.choice(_SAID):
            board.write(words + "\n")
            board.run_until(board.now_us + _WAIT_US)
    elif chance < _SHARE_SAID + _SHARE_PRESSED:
        for button in rng.choice(_PRESSED):
            board.inject(_press(BUTTONS.index(button), board.now_us))
            board.run_until(board.now_us + 2 * _CLICK_US)
        board.run_until(board.now_us + _WAIT_US)


def _press(button: int, t_us: int) -> list[Edge]:
    return [Edge(t_us, "btn", button, 1), Edge(t_us + _CLICK_US, "btn", button, 0)]


def game_log(strokes: int, seed: int, target: int = _TARGET) -> list[str]:
    """Return the lines of a log of *strokes* strokes and of what people said of them."""
    board = CoreBoard(_SENSORS)
    lines: list[str] = []
    terms = f"a.target={target} b.target={target}"
    session = Session(board, Table(seed, _SENSORS), terms, limit=strokes, each=lines.extend)
    rng = Random(seed)
    for _judged in session.play(order(packaged(), "player", seed)):
        people(board, rng)
    return lines + board.lines()


@dataclass
class Part:
    """What was counted of one kind: *lost* names the counts that must be 0."""

    name: str
    lost: tuple[str, ...]
    counts: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)  # of what went wrong

    @property
    def ok(self) -> bool:
        """Say whether nothing was lost, and something was tried."""
        return bool(self.counts) and not any(self.counts[name] for name in self.lost)


# The scripts on MicroPython


def _on_micropython(
    script: str, log: list[str], task: Mapping[str, object]
) -> list[dict[str, Any]]:
    """Run a script of on_micropython/ in a folder with *log* and *task*; return its objects."""
    with TemporaryDirectory(prefix="kegli-survive-") as name:
        folder = Path(name)
        (folder / "game.log").write_text("".join(f"{line}\n" for line in log))
        (folder / "task.json").write_text(json.dumps(task))
        return [json.loads(line) for line in run(UNIX, _SCRIPTS / script, folder)]


def cut_power(
    log: list[str], firmware: str = "", part: int = 0, parts: int = 1
) -> list[dict[str, Any]]:
    """Cut the power at each operation of the flash in a game.

    *firmware*: a folder with another `kegli` than the usual one. *part* of *parts*: which share
    of the cuts. Return what power_cut.py prints.
    """
    task = _task(firmware, part, parts)
    return _on_micropython("power_cut.py", log, task)


def fail_flash(  # noqa: PLR0913 (one for each key of the task)
    log: list[str],
    ways: Iterable[str] = WAYS,
    *,
    firmware: str = "",
    stride: int = 1,
    part: int = 0,
    parts: int = 1,
) -> list[dict[str, Any]]:
    """Play a game on a flash that fails in these *ways*, from each *stride*th operation on."""
    task = _task(firmware, part, parts) | {"ways": [*ways], "stride": stride}
    return _on_micropython("failing_flash.py", log, task)


def _task(firmware: str, part: int, parts: int) -> dict[str, object]:
    return {
        "blocks": _BLOCKS,
        "log_kb": _LOG_KB,
        "firmware": firmware,
        "part": part,
        "parts": parts,
    }


CUTS_LOST = ("older", "mixed", "failed", "undo_wrong", "not_writable")
FLASH_LOST = ("wrong",)
RESETS_LOST = ("older", "mixed", "failed", "unreadable")


def cuts_of(objects: Iterable[dict[str, Any]]) -> Part:
    """Return what the objects of power_cut.py count."""
    part = Part("power-cuts", CUTS_LOST)
    for said in objects:
        if "cuts" in said:
            part.counts.update(said)
        elif "why" in said:
            part.told.append(
                f"{'torn' if said['torn'] else 'clean'} cut at {said['cut']}: {said['why']}"
            )
    return part


def failures_of(objects: Iterable[dict[str, Any]]) -> list[Part]:
    """Return what the objects of failing_flash.py count, one part for each way."""
    parts: dict[str, Part] = {}
    for said in objects:
        if "way" in said:
            name = said.pop("way")
            part = parts.setdefault(name, Part(f"flash-{name}", FLASH_LOST))
            if "why" in said:
                part.told.append(f"{name} at {said['at']}: {said['why']}")
            else:
                part.counts.update(said)
    return [*parts.values()]


@dataclass(frozen=True)
class Cost:
    """What writing to the flash cost in a game: of one *kind*, "score" or "log"."""

    kind: str
    strokes: int
    calls: int
    programs: int
    erases: int
    dearest: tuple[int, int]  # erases, programs of the longest call

    @property
    def erases_per_1000(self) -> int:
        """Erases for 1000 strokes."""
        return round(1000 * self.erases / self.strokes) if self.strokes else 0

    def blocks_ms(self) -> tuple[int, int]:
        """Return for how long the longest call blocks, typically and at worst, in ms."""
        erases, programs = self.dearest
        typical, worst = (
            round(programs * program + erases * erase)
            for program, erase in zip(_PROGRAM_MS, _ERASE_MS, strict=True)
        )
        return typical, worst


def costs_of(objects: Iterable[dict[str, Any]], strokes: int) -> list[Cost]:
    """Return the costs of a game of *strokes* strokes from the objects of power_cut.py."""
    return [
        Cost(
            said["cost"],
            strokes,
            said["calls"],
            said["programs"],
            said["erases"],
            (said["dearest"][0], said["dearest"][1]),
        )
        for said in objects
        if "cost" in said
    ]


# Resets

_Stands = tuple[int, int, str, str, str] | None  # game, strokes, score, turn, result


class _Said:
    """What a board's conclusions come to: the fold of a reader who knows no rule."""

    def __init__(self) -> None:
        self._games: dict[int, dict[str, str]] = {}
        self._strokes: dict[int, dict[int, dict[str, str]]] = {}

    def take(self, line: str) -> None:
        """Take a conclusion line."""
        said = pairs(line)
        if line.startswith("> game "):
            games, number = self._games, int(said["n"])
        else:
            games, number = self._strokes.setdefault(int(said["game"]), {}), int(said["n"])
        if "score" in said:
            games[number] = said
        else:  # withdrawn
            games.pop(number, None)

    def stands(self) -> _Stands:
        """Return how the match stands."""
        if not self._games:
            return None
        number = max(self._games)
        game = self._games[number]
        strokes = self._strokes.get(number, {})
        last = strokes[max(strokes)] if strokes else game
        return number, max(strokes, default=0), last["score"], last["turn"], game["result"]


def _stands(referee: Referee) -> _Stands:
    game = referee.game
    if not game:
        return None
    score = f"{game.score[0]}:{game.score[1]}"
    return game.number, game.strokes, score, "ab"[game.turn], game.result


class _EnoughError(Exception):
    """The board was reset as often as it was to be."""


class Mortal:
    """A virtual board that dies at random and comes back, for a Session that sees one board.

    Its time goes on when that of the board begins anew, and its edges come all the same.
    """

    def __init__(self, board: VirtualBoard, rng: Random, resets: int) -> None:
        self.part = Part("resets", RESETS_LOST)
        self._board = board
        self._rng = rng
        self._left = resets
        self._shift_us = 0  # from the board's time to that of the session
        self._edges: list[Edge] = []  # those to come
        self._lines: list[str] = []
        self._stretch: list[str] = []  # what was printed since the power came
        self._said = [_Said()]  # after each group of conclusions, and the one that grows
        self._is_group = False
        self._crashes = 0  # since the power came
        self._new = ""
        self._dies_us = _EVERY_US

    @property
    def now_us(self) -> int:
        """The time of the session."""
        return self._shift_us + self._board.now_us

    def inject(self, edges: Iterable[Edge]) -> None:
        """Let edges happen."""
        for edge in edges:
            self._edges.append(edge)
            self._board.inject([edge._replace(t_us=edge.t_us - self._shift_us)])

    def write(self, text: str) -> None:
        """Type on the console."""
        if text.startswith("new"):
            self._new = text
        self._board.write(text)

    def lines(self) -> list[str]:
        """Return what was printed since the last call."""
        lines, self._lines = self._lines, []
        return lines

    def run_until(self, t_us: int) -> None:
        """Let time pass, and the board die if its time has come."""
        while self.now_us < t_us:
            self._run(min(t_us, self._dies_us))
            if self._board.is_dead:
                self._rise()
            elif self.now_us >= self._dies_us:
                self._doom()

    def _run(self, t_us: int) -> None:
        self._board.run_until(max(t_us, self.now_us) - self._shift_us)
        self._edges = [edge for edge in self._edges if edge.t_us > self.now_us]
        self._take()

    def _take(self) -> list[str]:
        """Take up what the board printed."""
        lines = self._board.lines()
        self._lines += lines
        self._stretch += lines
        for line in lines:
            if line.startswith(CONCLUSIONS):
                if not self._is_group:
                    self._said.append(deepcopy(self._said[-1]))
                self._said[-1].take(line)
                self._is_group = True
            elif not line.startswith(">"):
                self._is_group = False
        return lines

    def _doom(self) -> None:
        """Let the chip die soon: every other time in what a command brings about."""
        moments = self._rng.randrange(_MOMENTS)
        if self._rng.random() < 1 / 2:
            self.write(self._rng.choice(_SAID)[0] + "\n")
            moments = self._rng.randrange(_COMMAND_MOMENTS)
        self._board.die_after(moments)
        self._dies_us = 1 << 62
        if self._board.is_dead:
            self._rise()

    def _rise(self) -> None:
        """Start again until it lives, and see what it goes on with."""
        self._take()
        for _ in range(_STARTS):
            self._start()
            if not self._board.is_dead:
                break
            self.part.counts["died_starting"] += 1
        self._dies_us = self.now_us + self._rng.randrange(_EVERY_US)

    def _start(self) -> None:
        if not self._left:
            raise _EnoughError
        self._left -= 1
        self.part.counts["resets"] += 1
        self._is_group = False
        if self._rng.random() < 1 / 5:
            self._board.die_after(self._rng.randrange(1, _START_MOMENTS))
        chance = self._rng.random()
        self._crashes += 1
        if chance < _POWER_CUTS or self._crashes > _CRASHES:
            self._cut_power()
        elif chance < _POWER_CUTS + _WATCHDOG:
            self.part.counts["watchdog"] += 1
            self._board.reset("watchdog")
        else:
            self.part.counts["software"] += 1
            self._board.reset("software")
        printed = self._take()
        if not self._board.is_dead:
            self._board.run_until(self._board.now_us + _START_US)
            printed += self._take()
        if not self._board.is_dead:
            self._judge(printed)

    def _cut_power(self) -> None:
        self.part.counts["power_cut"] += 1
        self.end()
        self._crashes = 0
        now_us = self.now_us
        self._board.power_cut()
        self._shift_us = now_us
        edges = [edge for edge in self._edges if edge.t_us > now_us]
        self._edges = []
        self.inject(edges)

    def _judge(self, printed: list[str]) -> None:
        """Compare what it goes on with to what it had said."""
        counts = self.part.counts
        if not any(line.startswith("> Started by ") for line in printed):
            counts["failed"] += 1
            self.part.told.append(f"it did not start: {printed[-3:]}")
            return
        first = next(n for n, line in enumerate(printed) if line.startswith("# kegli-log "))
        referee = Referee(printed[first])
        for line in printed[first + 1 :]:
            if line[0] not in "#>":
                referee.feed(line)
        referee.finish()
        standing = _stands(referee)
        outcome = self._found(standing)
        counts[outcome] += 1
        if outcome in RESETS_LOST:
            said = self._said[-1].stands()
            self.part.told.append(f"{outcome}: it had said {said}, it goes on with {standing}")
        if standing is None and self._new:
            self._board.write(self._new)

    def _found(self, standing: _Stands) -> str:
        """Return in one word which of what was said stands, and go on from there."""
        for n, name in ((-1, "last"), (-2, "before")):
            if len(self._said) >= -n and self._said[n].stands() == standing:
                del self._said[len(self._said) + n + 1 :]
                return name
        known = [said.stands() for said in self._said]
        return "older" if standing in known else "mixed"

    def end(self) -> None:
        """Play again what was printed since the power came."""
        data = "".join(f"{line}\n" for line in self._stretch).encode()
        self._stretch = []
        if not data:
            return
        counts = self.part.counts
        counts["replays"] += 1
        try:
            played = replay.play(data)
        except ValueError as error:
            counts["unreadable"] += 1
            self.part.told.append(f"a log cannot be read: {error}")
            return
        counts["unreadable"] += bool(played.fault)
        counts["agree"] += played.agrees and not played.fault
        if played.fault:
            self.part.told.append(f"a log cannot be read: {played.fault}")
        elif not played.agrees:
            self.part.told.append("replay differs: " + " / ".join(played.difference()))


def reset_board(resets: int, seed: int) -> Part:
    """Reset a virtual board at *resets* random moments of a game."""
    rng = Random(seed)
    with VirtualBoard(sensors=_SENSORS) as board:
        mortal = Mortal(board, rng, resets)
        terms = f"a.target={_TARGET} b.target={_TARGET}"
        session = Session(mortal, Table(seed, _SENSORS), terms, limit=1 << 30)
        try:
            for _judged in session.play(order(packaged(), "player", seed)):
                people(mortal, rng)
        except _EnoughError:
            pass
        mortal.end()
    return mortal.part


# All of it

Job = tuple[str, Callable[[], Any]]


def jobs(strokes: int, seed: int, resets: int) -> list[Job]:
    """Return what is to be done, as (kind, function), in parts that run side by side."""
    log = game_log(strokes, seed)
    short = game_log(min(strokes, _FAILING_STROKES), seed, target=6)
    found: list[Job] = []
    parts = max(os.cpu_count() or 1, -(-strokes // _CUT_STROKES))

    def cut(part: int) -> Job:
        return "cuts", lambda: cut_power(log, part=part, parts=parts)

    def fail(way: str, part: int) -> Job:
        return "flash", lambda: fail_flash(short, [way], part=part, parts=2)

    def reset(first: int, last: int) -> Job:
        return "resets", lambda: reset_board(last - first, seed * 1_000_003 + first)

    found += [cut(part) for part in range(parts)]
    found += [fail(way, part) for way in WAYS for part in range(1 if way == "full" else 2)]
    found += [reset(a, b) for a, b in pairwise([*range(0, resets, _RESETS), resets]) if b > a]
    return found


def work(todo: list[Job]) -> Iterator[tuple[str, Any]]:
    """Do jobs side by side, and yield each kind with its result, as they end."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        kinds: dict[Future[Any], str] = {pool.submit(job): kind for kind, job in todo}
        try:
            for done in as_completed(kinds):
                yield kinds[done], done.result()
        finally:
            pool.shutdown(cancel_futures=True)


@dataclass
class Survival:
    """All that was counted."""

    parts: list[Part]
    costs: list[Cost]

    @property
    def ok(self) -> bool:
        """Say whether nothing was lost."""
        return all(part.ok for part in self.parts)


def gather(results: Iterable[tuple[str, Any]], strokes: int) -> Survival:
    """Put the results of all jobs together."""
    by_kind: dict[str, list[Any]] = {"cuts": [], "flash": [], "resets": []}
    for kind, result in results:
        by_kind[kind].append(result)
    cuts = [said for objects in by_kind["cuts"] for said in objects]
    parts = [cuts_of(cuts), *failures_of(said for objects in by_kind["flash"] for said in objects)]
    resets = Part("resets", RESETS_LOST)
    for part in by_kind["resets"]:
        resets.counts.update(part.counts)
        resets.told += part.told
    if by_kind["resets"]:
        parts.append(resets)
    # Each process plays the same game: the costs of one are those of all.
    return Survival(parts, costs_of(by_kind["cuts"][0], strokes) if cuts else [])


def json_lines(survival: Survival) -> Iterator[str]:
    """Yield one JSON object for each part, then one for each cost."""
    for part in survival.parts:
        counts = dict(sorted(part.counts.items()))
        yield json.dumps({"name": part.name, "ok": part.ok, **counts, "told": part.told})
    for cost in survival.costs:
        typical_ms, worst_ms = cost.blocks_ms()
        yield json.dumps(
            {
                "name": f"{cost.kind}-writes",
                "strokes": cost.strokes,
                "calls": cost.calls,
                "programs": cost.programs,
                "erases": cost.erases,
                "erases_per_1000_strokes": cost.erases_per_1000,
                "longest_ms": typical_ms,
                "longest_worst_ms": worst_ms,
            }
        )


_SENTENCES = {
    "power-cuts": "{cuts:,} cuts: {last:,} the last step, {before:,} the one before, {lost} lost;"
    " undo {undo_right:,}, none {undo_unavailable:,}",
    "resets": "{resets:,} resets: {last:,} the last step, {before:,} the one before,"
    " {died_starting:,} again in the start, {lost} lost;"
    " {agree:,} of {replays:,} logs replay",
    "flash": "games {games:,}: right {right:,}, told {told:,}, recovered {recovered:,}",
}


def text_lines(survival: Survival) -> Iterator[str]:
    """Yield what a person reads."""
    for part in survival.parts:
        form = _SENTENCES[part.name if part.name in _SENTENCES else "flash"]
        counts = Counter(part.counts)
        lost = sum(counts[name] for name in part.lost)
        said = form.format_map(_Zeros(counts, lost=lost))
        yield f"{part.name:15} {said}  {'ok' if part.ok else 'LOST'}"
    for cost in survival.costs:
        typical_ms, worst_ms = cost.blocks_ms()
        yield (
            f"{cost.kind + '-writes':15} {cost.erases_per_1000:,} erases per 1,000 strokes;"
            f" the longest of {cost.calls:,} blocks {typical_ms} ms, at worst {worst_ms} ms"
        )


class _Zeros(dict[str, int]):
    """Counts, of which those that are not there are 0."""

    def __missing__(self, key: str) -> int:
        return 0
