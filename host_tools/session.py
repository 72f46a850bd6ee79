"""A session at the virtual table: strokes are played, hands set up, a board keeps the score."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Protocol

from host_tools.virtual_table import Edge, Stroke, Table
from host_tools.virtual_table.truth import truth_award
from kegli.header import SETTINGS
from kegli.match import PLAYER_NAMES

_TIMES_MS = dict(SETTINGS)
_QUIET_US = _TIMES_MS["quiet_ms"] * 1000
_READY_US = _TIMES_MS["ready_ms"] * 1000
_LATER_US = 300_000  # a board may be this late with what time alone brings about
_THINK_US = 4_000_000  # from the table being ready to the next stroke
_FIRST_US = 3_000_000  # the first stroke, after power-up


class Board(Protocol):
    """What a session needs of a board: VirtualBoard has it, and so has simulate.CoreBoard."""

    @property
    def now_us(self) -> int:
        """The time of the log."""

    def inject(self, edges: Iterable[Edge]) -> None:
        """Let edges happen."""

    def write(self, text: str) -> None:
        """Type on the console."""

    def run_until(self, t_us: int) -> None:
        """Let time pass."""

    def lines(self) -> list[str]:
        """Return what the board has printed since the last call."""


@dataclass(frozen=True)
class Judged:
    """A stroke as the board judged it, beside the truth.

    `said` are the pairs of its conclusion line, empty if the board heard no stroke.
    """

    stroke: Stroke
    said: dict[str, str]

    @property
    def award(self) -> tuple[int, int]:
        """Points that the board gave to the striker and to his partner."""
        if not self.said:
            return 0, 0
        a, b = (int(points) for points in self.said["award"].split(":"))
        return (a, b) if self.said["player"] == PLAYER_NAMES[0] else (b, a)

    @property
    def agrees(self) -> bool:
        """Say whether an all-seeing referee says the same: points, and who plays on."""
        striker, partner, is_penalty = truth_award(self.stroke)
        if not self.said or self.award != (striker, partner):
            return False
        pins = [int(pin) for pin in self.said["pins"].split(",") if pin]
        faults = [c for c in self.said["clauses"].split(",") if c.startswith("R4.")]
        return pins == sorted(self.stroke.pins) and is_penalty == bool(faults)


def pairs(line: str) -> dict[str, str]:
    """Return the `key=value` words of a conclusion line."""
    return dict(word.split("=", 1) for word in line.split() if "=" in word)


def order(strokes: Sequence[Stroke], players: str, seed: int) -> Iterator[Stroke]:
    """Yield the strokes of *players* ("player", "random"), shuffled, again and again."""
    chosen = [stroke for stroke in strokes if stroke.mode == players]
    if not chosen:
        raise ValueError(f"there are no strokes of a {players} among them")
    shuffler = random.Random(seed)
    while True:
        shuffler.shuffle(chosen)
        yield from chosen


class Session:
    """Strokes on a virtual table before a board.

    *terms*: the words of the `new` that begins. *limit*: how many strokes, over several games
    if need be; None plays one game. *each* is called with what the board prints, as it comes,
    at least every *step_us* of the log's time.
    """

    def __init__(  # noqa: PLR0913 (a session has so many sides)
        self,
        board: Board,
        table: Table,
        terms: str,
        *,
        limit: int | None = None,
        each: Callable[[list[str]], None] = lambda lines: None,
        step_us: int = 60_000_000,
    ) -> None:
        self.games = 0
        self.score = (0, 0)
        self.result = "playing"
        self._board = board
        self._table = table
        self._terms = terms
        self._limit = limit
        self._each = each
        self._step_us = step_us
        self._said: dict[str, str] = {}

    def play(self, strokes: Iterator[Stroke]) -> Iterator[Judged]:
        """Play *strokes*, and yield each as the board judged it."""
        self._board.write(f"new {self._terms}".strip() + "\n")
        self._run(_FIRST_US)
        for number in count():
            if number == self._limit or (self._limit is None and self.result != "playing"):
                return
            if self.result != "playing":
                self._board.write("next\n")
                self._run(self._board.now_us + _LATER_US)
            yield self._play(next(strokes))

    def _play(self, stroke: Stroke) -> Judged:
        self._said = {}
        played = self._table.play(stroke, self._board.now_us + _THINK_US)
        lifts, stands_us = self._table.set_up(played.end_us, self._table.down)
        self._board.inject(played.edges)
        self._board.inject(lifts)
        ends_us = stands_us + _READY_US
        if played.edges and not lifts:
            ends_us = max(ends_us, played.edges[-1].t_us + _QUIET_US)
        self._run(ends_us + _LATER_US)
        return Judged(stroke, self._said)

    def _run(self, t_us: int) -> None:
        while self._board.now_us < t_us:
            self._board.run_until(min(t_us, self._board.now_us + self._step_us))
            lines = self._board.lines()
            for line in lines:
                self._follow(line)
            self._each(lines)

    def _follow(self, line: str) -> None:
        if line.startswith("> stroke ") and "award=" in line:
            self._said = pairs(line)
            a, b = self._said["score"].split(":")
            self.score = (int(a), int(b))
        elif line.startswith("> game ") and "result=" in line:
            said = pairs(line)
            self.games = int(said["n"])
            self.result = said["result"]
            a, b = said["score"].split(":")
            self.score = (int(a), int(b))
