"""The picture of README.md: `python -m host_tools.picture` draws it anew.

A picture is a real game of the demo's strokes at a fixed seed, played by the core; a test
fails when it is old.
"""

from __future__ import annotations

from pathlib import Path

from rich.text import Text

from host_tools.board_view import demo_layout, render, svg
from host_tools.demo import Tally
from host_tools.session import Session, order
from host_tools.simulate import CoreBoard
from host_tools.virtual_table import Table, packaged
from kegli import display

PICTURE = Path(__file__).parent / "pictures" / "board.svg"
_SENSORS = frozenset({"pins", "cushions"})
_SEED = 7
_STROKES = 17


def drawn() -> str:
    """Return the picture: the board after some strokes of a game, and the last of them."""
    board = CoreBoard(_SENSORS)
    tally = Tally()
    session = Session(board, Table(_SEED, _SENSORS), "a.target=30 b.target=30", limit=_STROKES)
    for judged in session.play(order(packaged(), "player", _SEED)):
        tally.add(judged)
    picture = render(display.lit(board.referee), True, ("Anna", "Boris"))
    footer = Text("kegli demo --seed 7", "grey58")
    return svg(demo_layout(picture, tally.lines, footer, ("Anna", "Boris")), "kegli demo")


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(drawn(), encoding="utf-8")
