"""The LED board drawn as text: small for tests, large for a terminal, and as an SVG picture."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.table import Table
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from kegli.display import (
    AMBER,
    AWARD,
    CHECK,
    CONFIRM,
    ELEMENTS,
    FIRST_LED,
    GREEN,
    OWNER,
    PENALTY,
    PIN,
    RED,
    SCORE_A,
    SCORE_B,
    SEGMENTS,
    SERIES,
    TURN,
    WHITE,
)

if TYPE_CHECKING:
    from kegli.display import Lights

# Where the pins are on the cross seen from the foot cushion: columns and rows from the king.
_CROSS = ((0, 0), (-1, 0), (1, 0), (0, 1), (0, -1))

# --- Small ---------------------------------------------------------------------------------

# Column of each digit, and of each segment a to g within it: row, column, steady, blinking.
_ASCII_DIGITS = {
    **{SCORE_A + SEGMENTS * digit: 4 * digit for digit in range(3)},
    **{AWARD + SEGMENTS * digit: 15 + 4 * digit for digit in range(2)},
    **{SCORE_B + SEGMENTS * digit: 26 + 4 * digit for digit in range(3)},
}
_ASCII_SEGMENTS = (
    (0, 1, "_."),
    (1, 2, "|:"),
    (2, 2, "|:"),
    (2, 1, "_."),
    (2, 0, "|:"),
    (1, 0, "|:"),
    (1, 1, "_."),
)
_ASCII_LAMPS = """
turn    {turn[0]}         {pin[4]}         {turn[1]} turn
series  {series[0]}       {pin[1]} {pin[0]} {pin[2]}       {series[1]} series
award   {owner[0]}         {pin[3]}         {owner[1]} award
penalty {penalty[0]}  confirm? {confirm[0]} check {check[0]}"""
_COLOUR_LETTERS = {RED: "R", GREEN: "G", AMBER: "A", WHITE: "W"}


def ascii_board(lights: Lights) -> str:
    """Return the board as eight lines of ASCII, without spaces at their ends.

    Digits are three lines, of `_ |` if steady and of `. :` if they blink; below each number
    stand the colours of its segments. A lamp is the letter of its colour, or `.` if dark.
    R red, G green, A amber, W white; lower case blinks.
    """
    letters = {
        element: _COLOUR_LETTERS[colour].lower() if blink else _COLOUR_LETTERS[colour]
        for element, colour, blink in lights
    }
    rows = [[" "] * 37 for _ in range(4)]
    for first, column in _ASCII_DIGITS.items():
        for segment, (row, offset, looks) in enumerate(_ASCII_SEGMENTS):
            letter = letters.get(first + segment)
            if letter:
                rows[row][column + offset] = looks[letter.islower()]
    for first, digits, column in ((SCORE_A, 3, 5), (AWARD, 2, 18), (SCORE_B, 3, 31)):
        segments = range(first, first + digits * SEGMENTS)
        used = sorted({letters[element] for element in segments if element in letters})
        rows[3][column : column + len(used)] = used

    def lamps(first: int, count: int) -> list[str]:
        return [letters.get(element, ".") for element in range(first, first + count)]

    below = _ASCII_LAMPS.format(
        turn=lamps(TURN, 2),
        series=lamps(SERIES, 2),
        owner=lamps(OWNER, 2),
        pin=lamps(PIN, 5),
        penalty=lamps(PENALTY, 1),
        confirm=lamps(CONFIRM, 1),
        check=lamps(CHECK, 1),
    )
    return "\n".join("".join(row).rstrip() for row in rows) + below


# --- Large ---------------------------------------------------------------------------------

_WIDTH = 80
_HEIGHT = 15

_HEAD = "#1f242c"
_GROUND = "#0b0d10"
_DARK = "#22272e"
_QUIET = "#78808c"  # words that are not lit
_BRIGHT = "#f2f2f2"
_COLOURS = {RED: "#ff4133", GREEN: "#2fdc5a", AMBER: "#ffb020", WHITE: _BRIGHT}

_Shape = tuple[tuple[int, int, int, int], ...]
# Segments a to g within a digit: column, row, columns, rows. The award's share their corners.
_LARGE: _Shape = (
    (2, 0, 4, 1),
    (6, 1, 2, 2),
    (6, 4, 2, 2),
    (2, 6, 4, 1),
    (0, 4, 2, 2),
    (0, 1, 2, 2),
    (2, 3, 4, 1),
)
_SMALL: _Shape = (
    (0, 0, 6, 1),
    (4, 0, 2, 3),
    (4, 2, 2, 3),
    (0, 4, 6, 1),
    (0, 2, 2, 3),
    (0, 0, 2, 3),
    (0, 2, 6, 1),
)
# Numbers: first element, digits, column of the first, columns to the next, shape.
_NUMBERS = (
    (SCORE_A, 3, 2, 10, _LARGE),
    (AWARD, 2, 33, 8, _SMALL),
    (SCORE_B, 3, 50, 10, _LARGE),
)
_NUMBERS_ROW = 2
_KING = (39, 11)  # column and row of the lamp
_PIN_STEP = (5, 2)  # to the next lamp
# Lamps that are a sign and a word: element, column, row, text.
_LAMPS = (
    (OWNER, 33, 7, "\u25c4\u2501\u2501\u2501\u2501\u2501"),
    (OWNER + 1, 41, 7, "\u2501\u2501\u2501\u2501\u2501\u25ba"),
    (SERIES, 2, 11, "\u25cf SERIES"),
    (SERIES + 1, 70, 11, "SERIES \u25cf"),
    (PENALTY, 2, 13, "\u25cf PENALTY"),
    (CONFIRM, 50, 13, "\u25cf CONFIRM?"),
    (CHECK, 71, 13, "CHECK \u25cf"),
)
_NAME_COLUMNS = (2, 78)  # where a's begins and b's ends
_NAME_WIDTH = 24


def render(lights: Lights, blink_on: bool, names: tuple[str, str] = ("a", "b")) -> RenderableType:
    """Return the board, 80 columns by 15 rows, while blinking lights are lit or dark."""
    shown = {element: colour for element, colour, blink in lights if blink_on or not blink}
    canvas = _Canvas()
    for first, digits, column, step, shape in _NUMBERS:
        for digit in range(digits):
            colours = [
                shown.get(first + digit * SEGMENTS + segment) for segment in range(SEGMENTS)
            ]
            canvas.digit(column + digit * step, shape, colours)
    for pin, (across, down) in enumerate(_CROSS):
        column, row = _KING[0] + across * _PIN_STEP[0], _KING[1] + down * _PIN_STEP[1]
        canvas.put(column, row, "  ", _led_style(shown.get(PIN + pin)))
    for element, column, row, text in _LAMPS:
        canvas.put(column, row, text, _word_style(shown.get(element)))
    left, right = (_fitted(name, _NAME_WIDTH) for name in names)
    right = f"{right} \u25c4"
    canvas.put(_NAME_COLUMNS[0], 0, f"\u25ba {left}", _word_style(shown.get(TURN)))
    canvas.put(34, 0, "LAST STROKE", Style(color=_QUIET))
    canvas.put(_NAME_COLUMNS[1] - cell_len(right), 0, right, _word_style(shown.get(TURN + 1)))
    return canvas.text()


def lights_of(pixels: Sequence[tuple[int, int, int]]) -> Lights:
    """Return the lights that are lit in a frame of the LEDs: red, green and blue of each."""
    lights: Lights = []
    for element in range(ELEMENTS):
        red, green, blue = pixels[FIRST_LED[element]] if pixels else (0, 0, 0)
        if blue:
            lights.append((element, WHITE, False))
        elif red:
            lights.append((element, AMBER if green else RED, False))
        elif green:
            lights.append((element, GREEN, False))
    return lights


class _Canvas:
    """Character cells that are written one by one and become a rich Text."""

    def __init__(self) -> None:
        self._cells = [[(" ", Style())] * _WIDTH for _ in range(_HEIGHT)]

    def put(self, column: int, row: int, text: str, style: Style) -> None:
        """Write *text*; a wide character takes two cells, an accent joins the cell before it."""
        cells = self._cells[row]
        for character in text:
            width = cell_len(character)
            if width:
                cells[column : column + width] = [(character, style), ("", style)][:width]
            else:
                cells[column - 1] = (cells[column - 1][0] + character, style)
            column += width

    def digit(self, left: int, shape: _Shape, colours: list[int | None]) -> None:
        """Draw the segments, the dark ones first: where two meet, a lit one is seen."""
        segments = zip(shape, colours, strict=True)
        for cells, colour in sorted(segments, key=lambda segment: segment[1] is not None):
            column, row, columns, rows = cells
            for down in range(rows):
                at = _NUMBERS_ROW + row + down
                self.put(left + column, at, " " * columns, _led_style(colour))

    def text(self) -> Text:
        """Return the rows as one text."""
        lines = []
        for row, cells in enumerate(self._cells):
            line = Text(style=f"on {_GROUND if row else _HEAD}")
            for style, run in groupby(cells, key=lambda cell: cell[1]):
                line.append("".join(character for character, _ in run), style)
            lines.append(line)
        return Text("\n", no_wrap=True, overflow="crop").join(lines)


def _led_style(colour: int | None) -> Style:
    """Return the style of a space that is an LED; a lit one can be told without colours too."""
    return Style(bgcolor=_DARK) if colour is None else Style(color=_COLOURS[colour], reverse=True)


def _word_style(colour: int | None) -> Style:
    return Style(color=_QUIET) if colour is None else Style(color=_COLOURS[colour], bold=True)


def _fitted(name: str, columns: int) -> str:
    """Return *name* cut to *columns*, with nothing in it that a terminal would obey."""
    name = "".join(c if c.isprintable() else "?" for c in name)
    return name if cell_len(name) <= columns else set_cell_size(name, columns - 1) + "\u2026"


# --- With the strokes ----------------------------------------------------------------------

_STROKES = 6  # shown at a time: board, heading, strokes and footer are 23 rows
_VERDICTS = {
    "legal": "legal",
    "cue": "cue ball",
    "direct": "white direct",
    "doubt": "in doubt",
    "none": "no pin",
}
_PIN_SIGNS = ((1, "\u25c4"), (3, "\u25bc"), (0, "\u25cf"), (4, "\u25b2"), (2, "\u25ba"))


@dataclass(frozen=True)
class StrokeLine:
    """A stroke for the table below the board.

    player: 0, 1. pins: mask of those that counted. award: to a, to b. agrees: whether the
    all-seeing referee says the same, None if there is none.
    """

    number: int
    player: int
    pins: int
    verdict: str
    certain: bool
    award: tuple[int, int]
    clauses: tuple[str, ...]
    agrees: bool | None


def demo_layout(
    board: RenderableType,
    strokes: Sequence[StrokeLine],
    footer: RenderableType,
    names: tuple[str, str] = ("a", "b"),
) -> RenderableType:
    """Return the board above the last strokes, 80 columns by 22 rows, and below them *footer*."""
    table = Table(box=None, width=_WIDTH, padding=(0, 1), header_style=f"not bold {_QUIET}")
    table.add_column("stroke", justify="right", width=6)
    table.add_column("player", width=14, no_wrap=True)
    table.add_column("pins", width=9)
    table.add_column("verdict", width=14)
    table.add_column("award", width=6)
    table.add_column("clauses", width=11, no_wrap=True)
    table.add_column("agrees", width=6)
    last = strokes[-_STROKES:]
    for stroke in last:
        table.add_row(*_stroke_cells(stroke, names))
    for _ in range(_STROKES - len(last)):
        table.add_row("")
    return Group(board, table, Padding(footer, (0, 1)))


def _stroke_cells(stroke: StrokeLine, names: tuple[str, str]) -> tuple[Text, ...]:
    pins = Text(" ").join(
        Text(sign, "bold") if stroke.pins >> pin & 1 else Text("\u00b7", _QUIET)
        for pin, sign in _PIN_SIGNS
    )
    verdict = Text(_VERDICTS[stroke.verdict])
    if not stroke.certain:
        verdict.append(" ?", _COLOURS[AMBER])
    a, b = stroke.award
    if a:
        award = Text(f"\u25c4 {a:2}  ", f"bold {_COLOURS[RED]}")
    elif b:
        award = Text(f"  {b:2} \u25ba", f"bold {_COLOURS[GREEN]}")
    else:
        award = Text("   0  ", _QUIET)
    agrees = {
        None: Text(""),
        True: Text("yes", _QUIET),
        False: Text("no", f"bold {_COLOURS[AMBER]}"),
    }[stroke.agrees]
    return (
        Text(str(stroke.number), _QUIET),
        Text(_fitted(names[stroke.player], 14), _COLOURS[stroke.player]),
        pins,
        verdict,
        award,
        Text(" ".join(stroke.clauses)),
        agrees,
    )


# --- As a picture --------------------------------------------------------------------------

_THEME = TerminalTheme((22, 25, 30), (201, 205, 212), [(0, 0, 0)] * 8)
_ASPECT = 0.602  # of the fonts below
# Only fonts of the reader's machine: the picture asks for nothing from elsewhere.
_SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">
<style>
.{unique_id}-matrix {{
font: {char_height}px/{line_height}px "DejaVu Sans Mono", Menlo, Consolas, monospace;
}}
.{unique_id}-title {{
font: bold 18px "DejaVu Sans", Helvetica, Arial, sans-serif;
}}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def svg(renderable: RenderableType, title: str) -> str:
    """Return *renderable* as an SVG of a terminal of 80 columns; the same for the same input."""
    console = Console(
        file=io.StringIO(), record=True, width=_WIDTH, height=24, legacy_windows=False
    )
    console.print(renderable)
    return console.export_svg(
        title=title,
        theme=_THEME,
        code_format=_SVG,
        font_aspect_ratio=_ASPECT,
        unique_id="kegli",
    )
