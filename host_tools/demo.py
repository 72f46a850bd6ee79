"""A game that plays itself on the virtual board: `kegli demo`."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO, cast

from rich.console import Console
from rich.live import Live
from rich.text import Text

from host_tools.board_view import StrokeLine, demo_layout, lights_of, render
from host_tools.replay import stroke_text
from host_tools.session import Judged, Session
from host_tools.virtual_board import VirtualBoard
from host_tools.virtual_table import Stroke, Table
from host_tools.virtual_table.truth import truth_award
from kegli.match import PLAYER_NAMES

_FRAME_US = 200_000  # of real time, between two pictures
_STEP_US = 5_000_000  # of the log's time, where time goes as fast as it can
_COLUMNS = 80  # of the picture
_NO_MICROPYTHON = ": MicroPython is not installed here"


@dataclass
class Tally:
    """How often the board was right with nobody touching a button."""

    strokes: int = 0
    right: int = 0
    lines: list[StrokeLine] = field(default_factory=list)

    def add(self, judged: Judged) -> None:
        """Count a stroke."""
        self.strokes += 1
        self.right += judged.agrees
        self.lines.append(stroke_line(self.strokes, judged))

    def text(self) -> str:
        """Return the share that was right, and how often a button would have been needed."""
        if not self.strokes:
            return "No stroke was played."
        wrong = self.strokes - self.right
        return (
            f"Judged right with nobody touching a button: {self.right} of {self.strokes} strokes"
            f" ({100 * self.right / self.strokes:.0f} %).\n"
            f"A button would have been needed {wrong} time{'' if wrong == 1 else 's'}."
        )


def stroke_line(number: int, judged: Judged) -> StrokeLine:
    """Return a stroke as the picture shows it."""
    said = judged.said
    if not said:
        return StrokeLine(number, 0, 0, "none", False, (0, 0), ("not heard",), judged.agrees)
    a, b = (int(points) for points in said["award"].split(":"))
    return StrokeLine(
        number,
        PLAYER_NAMES.index(said["player"]),
        sum(1 << int(pin) for pin in said["pins"].split(",") if pin),
        said["verdict"],
        said["certain"] == "yes",
        (a, b),
        tuple(said["clauses"].split(",")),
        judged.agrees,
    )


def plain_line(number: int, judged: Judged) -> str:
    """Return a stroke on one line, with the truth where the board is wrong."""
    said = judged.said
    if said:
        row = {
            "stroke": number,
            "player": said["player"],
            "pins": [pin for pin in said["pins"].split(",") if pin],
            "verdict": said["verdict"],
            "certain": said["certain"] == "yes",
            "award": dict(zip(PLAYER_NAMES, map(int, said["award"].split(":")), strict=True)),
            "clauses": said["clauses"].split(","),
            "score": dict(zip(PLAYER_NAMES, map(int, said["score"].split(":")), strict=True)),
            "turn": said["turn"],
            "flags": [flag for flag in said["flags"].split(",") if flag],
        }
        line = stroke_text(row)
    else:
        line = f"{number:3} -  nothing was heard: a person would say what it was"
    if judged.agrees:
        return f"{line}  right"
    striker, partner, _is_penalty = truth_award(judged.stroke)
    verdict = "miss" if judged.stroke.miss else judged.stroke.verdict
    verdict = "carom" if verdict == "none" and judged.stroke.carom else verdict
    return f"{line}  WRONG: {verdict}, {striker} to the striker, {partner} to the partner"


@contextmanager
def recorded(name: str | None) -> Iterator[tuple[TextIO, Path]]:
    """Open the log *name*, or one among the temporary files."""
    if name:
        with Path(name).open("w", encoding="utf-8", newline="\n") as file:
            yield file, Path(name)
    else:
        with tempfile.NamedTemporaryFile(
            "w", prefix="kegli-demo-", suffix=".log", delete=False, encoding="utf-8", newline="\n"
        ) as file:
            yield cast(TextIO, file.file), Path(file.name)


class Screen:
    """The demo in a terminal: the LED board as its pixels are, and the last strokes."""

    def __init__(self, board: VirtualBoard, tally: Tally, live: Live) -> None:
        self._board = board
        self._tally = tally
        self._live = live

    def draw(self, _lines: list[str]) -> None:
        """Show what the LEDs show now."""
        tally = self._tally
        share = f"{tally.right} of {tally.strokes} right" if tally.strokes else ""
        footer = Text(f"{self._board.interpreter}   {share}   Ctrl-C ends", "grey58")
        # The pixels are as the firmware wrote them: what blinks has been lit or dark by it.
        picture = render(lights_of(self._board.pixels()), True)
        self._live.update(demo_layout(picture, tally.lines, footer), refresh=True)


def run(  # noqa: PLR0913 (the options of the command)
    console: Console,
    *,
    sensors: frozenset[str],
    strokes: Iterator[Stroke],
    limit: int | None,
    seed: int,
    speed: float | None,
    log: str | None,
    target: int,
) -> Tally:
    """Play the demo on *console*, and write the board's log. Raise OSError for a bad log file.

    *limit*: so many strokes, over several games if need be; None plays one game. Ctrl-C ends
    it, in the middle of a stroke too.
    """
    tally = Tally()
    pictured = (
        console.is_terminal
        and not console.is_dumb_terminal
        and not console.options.ascii_only
        and console.width >= _COLUMNS
    )
    with (
        recorded(log) as (file, path),
        VirtualBoard(sensors=sensors, speed=speed) as board,
    ):
        live = Live(console=console, auto_refresh=False) if pictured else None
        screen = Screen(board, tally, live) if live else None

        def each(lines: list[str]) -> None:
            file.writelines(line + "\n" for line in lines)
            if screen:
                screen.draw(lines)

        session = Session(
            board,
            Table(seed, sensors),
            f"a.target={target} b.target={target}",
            limit=limit,
            each=each,
            step_us=int(_FRAME_US * speed) if speed else _STEP_US,
        )
        with suppress(KeyboardInterrupt), live or nullcontext():
            note = "" if board.interpreter.startswith("MicroPython") else _NO_MICROPYTHON
            console.print(f"The firmware runs on {board.interpreter}{note}.")
            for judged in session.play(strokes):
                tally.add(judged)
                if screen:
                    screen.draw([])
                else:
                    console.print(plain_line(tally.strokes, judged), soft_wrap=True)
        file.writelines(line + "\n" for line in board.lines())
    for line in last_words(session, tally, path):
        console.print(line, soft_wrap=True)
    return tally


def last_words(session: Session, tally: Tally, log: Path) -> list[str]:
    """Return what the demo ends with."""
    a, b = session.score
    game = f"Game {session.games}" if session.games > 1 else "The game"
    how = "goes on" if session.result == "playing" else "is over"
    return [
        f"{game} {how} at a {a} : {b} b.",
        tally.text(),
        f"The log: {log}",
        f"Play it again: kegli replay {shlex.quote(str(log))}",
    ]
