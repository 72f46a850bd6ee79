"""From strokes with known truth to a kegli-log, by the core alone: `kegli simulate`."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush

import kegli
from host_tools.virtual_table import Edge, Stroke
from kegli.board import FRONT_END_ERROR_US, INTERRUPT_ERROR_US, NAME
from kegli.lines import BUTTONS
from kegli.referee import Referee
from kegli.settings import SENSORS

_SHOT_ERROR_US = FRONT_END_ERROR_US + 1  # what the capture units leave open


def edge_line(edge: Edge) -> str:
    """Return the log line of an edge, with the uncertainty that the firmware declares."""
    words = {
        "pin": f"{edge.which} {edge.level} {INTERRUPT_ERROR_US}",
        "hit": f"{edge.which} {_SHOT_ERROR_US}",
        "click": f"{_SHOT_ERROR_US}",
        "zone": f"{edge.level} {INTERRUPT_ERROR_US}",
    }.get(edge.kind) or f"{BUTTONS[edge.which]} {edge.level}"
    return f"{edge.t_us} {edge.kind} {words}"


class CoreBoard:
    """The core as a board, without firmware around it: the same lines, in the same order."""

    def __init__(self, sensors: frozenset[str]) -> None:
        fitted = ",".join(name for name in SENSORS if name in sensors)
        header = f"# kegli-log 1 board={NAME} firmware={kegli.__version__} sensors={fitted}"
        self.now_us = 0
        self.referee = Referee(header)
        self._edges: list[Edge] = []
        self._lines = [header]

    def inject(self, edges: Iterable[Edge]) -> None:
        """Let edges happen at their times."""
        for edge in edges:
            heappush(self._edges, edge)

    def write(self, text: str) -> None:
        """Say commands, one a line, now."""
        for words in text.splitlines():
            self._enter(f"{self.now_us} cmd {words}")

    def run_until(self, t_us: int) -> None:
        """Let time pass up to *t_us*."""
        while self._edges and self._edges[0].t_us <= t_us:
            edge = heappop(self._edges)
            self._pass(edge.t_us)
            self._enter(edge_line(edge))
        self._pass(t_us)

    def lines(self) -> list[str]:
        """Return the log's lines since the last call."""
        lines, self._lines = self._lines, []
        return lines

    def comment(self, text: str) -> None:
        """Put a comment into the log."""
        self._lines.append(f"# {text}")

    def _pass(self, t_us: int) -> None:
        self.now_us = t_us
        self.referee.advance(t_us)
        conclusions = self.referee.take()
        if conclusions:
            self._lines += [f"{self.referee.evaluated_us} end", *conclusions]

    def _enter(self, line: str) -> None:
        self.referee.feed(line)
        self._lines += [line, *self.referee.take()]


def truth_comment(stroke: Stroke) -> str:
    """Return what an all-seeing referee says of a stroke."""
    pins = ",".join(map(str, stroke.pins))
    return (
        f"truth verdict={stroke.verdict} pins={pins} carom={int(stroke.carom)}"
        f" miss={int(stroke.miss)} points={stroke.points}"
    )
