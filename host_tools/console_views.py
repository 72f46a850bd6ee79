"""What the board's console looks like at self-test, calibration and watch, in firmware/README.md.

`python -m host_tools.console_views` runs them on the virtual board and writes it there; a test
fails when it is old. Free bytes are those of a PC, and left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from host_tools.diagram import README, put_between
from host_tools.session import Board
from host_tools.virtual_board import VirtualBoard
from host_tools.virtual_table import Edge, faults

_BEGIN = "<!-- written by python -m host_tools.console_views -->\n"
_END = "<!-- end of the views -->\n"
_STEP_US = 500_000
_MOST_STEPS = 500


def hand(board: Board, asked: str) -> None:
    """Do what the guided self-test asks for: tip a pin and set it up again, or tap a cushion."""
    words = asked.split()
    which = int(words[3].rstrip(",."))
    t_us = board.now_us + 300_000
    if words[1] == "Tip":
        edges = [Edge(t_us + 2_000 * n, "pin", which, 1 - n % 2) for n in range(3)]
        board.inject([*edges, Edge(t_us + 1_500_000, "pin", which, 0)])
    else:
        board.inject([Edge(t_us, "hit", which, 1)])


def guide(board: Board, answer: str) -> list[str]:
    """Do all that the guided self-test asks for, and answer its question; return what it said.

    Raise RuntimeError if it does not come to its end.
    """
    board.run_until(board.now_us + 2 * _STEP_US)
    board.lines()
    board.write("selftest guided\n")
    said: list[str] = []
    for _ in range(_MOST_STEPS):
        board.run_until(board.now_us + _STEP_US)
        for line in board.lines():
            said.append(line)
            if line.startswith(("> Tip ", "> Tap ")):
                hand(board, line)
            elif line.startswith("> Say "):
                board.write(answer + "\n")
        if "> Restarting." in said:
            return said[: said.index("> Restarting.") + 1]
    raise RuntimeError(f"The self-test does not end: {said[-3:]}")


class _Faulty(VirtualBoard):
    """A virtual board with two wires swapped and a dead cushion."""

    def inject(self, edges: Iterable[Edge]) -> None:
        swapped, silent = faults.swapped("pin", 1, 2), faults.silent("hit", 3)
        super().inject(swapped(silent(edges)))


def _start() -> list[str]:
    with VirtualBoard(at_power_up=faults.torn(3, 0)) as board:
        board.run_until(1_000_000)
        return [line for line in board.lines() if line.startswith("> ")]


def _selftest() -> list[str]:
    with VirtualBoard(at_power_up=faults.torn(3, 0)) as board:
        return _said(board, "selftest", 4_000_000)


def _guided() -> list[str]:
    with _Faulty() as board:
        return ["selftest guided", *guide(board, "yes")]


def _calibrate() -> list[str]:
    with VirtualBoard() as board:
        board.make_noise("hit", 1, 110)
        board.make_noise("hit", 3, 40)
        said = _said(board, "calibrate", 40_000_000)
        return [*said, *_said(board, "yes", 500_000)[:3]]


def _watch() -> list[str]:
    with VirtualBoard() as board:
        said = _said(board, "watch", 1_000_000)
        edges = [Edge(board.now_us + 500_000 + 2_000 * n, "pin", 2, 1 - n % 2) for n in range(3)]
        board.inject([Edge(board.now_us + 200_000, "hit", 0, 1), *edges])
        board.run_until(board.now_us + 1_500_000)
        return [*said, *board.lines(), *_said(board, "watch", 500_000)]


def _said(board: VirtualBoard, words: str, for_us: int) -> list[str]:
    """Return a line that is typed, and what the board says in that time."""
    if board.now_us == 0:
        board.run_until(1_000_000)
    board.lines()
    board.write(words + "\n")
    board.run_until(board.now_us + for_us)
    return [words, *board.lines()]


_VIEWS: tuple[tuple[str, Callable[[], list[str]]], ...] = (
    ("At power-up, while pin 3 is down:", _start),
    ("`selftest` then:", _selftest),
    (
        "`selftest guided`, where pins 1 and 2 have each other's wire, and cushion 3 is dead:",
        _guided,
    ),
    ("`calibrate`, with noise at two cushions:", _calibrate),
    ("`watch`, while a ball comes to cushion 0 and fells pin 2:", _watch),
)


def views() -> str:
    """Return all views, as they stand in the document."""
    text = ""
    for heading, view in _VIEWS:
        lines = [re.sub(r"\b(heap|flash):? \d+", r"\1 N", line) for line in view()]
        text += f"\n{heading}\n\n" + "".join(f"    {line}\n" for line in lines)
    return text + "\n"


def updated(text: str) -> str:
    """Return *text* with the views between their two marks."""
    return put_between(_BEGIN, views(), _END, text)


if __name__ == "__main__":
    README.write_text(updated(README.read_text(encoding="utf-8")), encoding="utf-8")
