"""The board in a terminal: every element is seen, it fits, names do no harm; the SVG is stable."""

import io
import re
from xml.etree import ElementTree

import pytest
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.segment import Segment

from host_tools.board_view import StrokeLine, ascii_board, demo_layout, render, svg
from kegli import display

NAMES = ("Anna", "Boris")
STROKE = StrokeLine(
    number=12,
    player=0,
    pins=0b01011,
    verdict="doubt",
    certain=False,
    award=(0, 7),
    clauses=("R2.3", "R4.3"),
    agrees=False,
)


def text_of(renderable: RenderableType, no_color: bool = False) -> str:
    """Return what an 80 by 24 terminal is sent."""
    file = io.StringIO()
    console = Console(
        file=file,
        width=80,
        height=24,
        force_terminal=True,
        color_system="truecolor",
        no_color=no_color,
        legacy_windows=False,
    )
    console.print(renderable)
    return file.getvalue()


def lines_of(renderable: RenderableType) -> list[str]:
    """Return the lines without their styles."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text_of(renderable)).split("\n")
    assert lines.pop() == ""
    return lines


def lit_cells(renderable: RenderableType) -> list[str]:
    """Return the lines with "#" for each cell that is a lit LED."""
    console = Console(width=80, height=24, file=io.StringIO(), legacy_windows=False)
    rows = Segment.split_lines(console.render(renderable))
    return [
        "".join(
            ("#" if segment.style and segment.style.reverse else " ") * len(segment.text)
            for segment in row
        ).rstrip()
        for row in rows
    ]


@pytest.mark.parametrize("colour", [display.RED, display.GREEN, display.AMBER, display.WHITE])
def test_every_element_has_its_own_look(colour: int) -> None:
    lights = [[(element, colour, False)] for element in range(display.ELEMENTS)]
    assert len({ascii_board(one) for one in lights}) == display.ELEMENTS
    assert len({text_of(render(one, blink_on=True)) for one in lights}) == display.ELEMENTS


def test_every_colour_has_its_own_look() -> None:
    lights = [[(display.CHECK, colour, False)] for colour in range(4)]
    assert [ascii_board(one)[-1] for one in lights] == ["R", "G", "A", "W"]
    assert len({text_of(render(one, blink_on=True)) for one in lights}) == 4


@pytest.mark.parametrize("no_color", [False, True])
def test_a_blinking_light_is_lit_or_dark(no_color: bool) -> None:
    """Lit can be told from dark in a terminal without colours too."""
    dark = text_of(render([], blink_on=True), no_color)
    for element in range(display.ELEMENTS):
        light = [(element, display.RED, True)]
        assert text_of(render(light, blink_on=False), no_color) == dark
        assert text_of(render(light, blink_on=True), no_color) != dark
        assert ascii_board(light) != ascii_board([(element, display.RED, False)])


def test_numbers_and_pins_as_they_are_drawn() -> None:
    lights = display.fault("P41")  # P, 4 and 1 in the digits of b
    lights.append((display.PIN, display.WHITE, False))
    assert lit_cells(render(lights, blink_on=True)) == [
        "",
        "",
        "    ####                                            ####",
        "  ##                                              ##    ##  ##    ##        ##",
        "  ##                                              ##    ##  ##    ##        ##",
        "    ####      ####      ####                        ####      ####",
        "  ##        ##        ##                          ##              ##        ##",
        "  ##        ##        ##                          ##              ##        ##",
        "    ####",
        "",
        "",
        "                                       ##",
        "",
        "",
        "",
    ]


def test_a_lit_segment_of_the_award_hides_the_corner_of_a_dark_one() -> None:
    tens = [(display.AWARD + segment, display.RED, False) for segment in (1, 2, 5, 6)]  # 4
    ones = [(display.AWARD + 7 + segment, display.RED, False) for segment in (0, 1, 2)]  # 7
    assert [line[33:] for line in lit_cells(render(tens + ones, blink_on=True))[2:8]] == [
        "##  ##  ######",
        "##  ##      ##",
        "######      ##",
        "    ##      ##",
        "    ##      ##",
        "",
    ]


@pytest.mark.parametrize(
    ("pin", "row", "column"), [(0, 11, 39), (1, 11, 34), (2, 11, 44), (3, 13, 39), (4, 9, 39)]
)
def test_the_cross(pin: int, row: int, column: int) -> None:
    """Pins 1 and 2 across, 4 towards the head cushion: above, as seen from the foot."""
    cells = lit_cells(render([(display.PIN + pin, display.WHITE, False)], blink_on=True))
    assert [(at, line) for at, line in enumerate(cells) if line] == [(row, " " * column + "##")]


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Anna",
        "Борис",
        "x" * 24,
        "x" * 25,
        "玉突きの名人" * 10,
        "玉" * 11 + "xyz",
        "Zoe\u0308",
        "\x1b[2J\x1b]0;title\x07\n\r\t\u202e",
        "[bold]not markup[/bold]",
    ],
)
def test_any_name_fits(name: str) -> None:
    board = render(display.boot(), True, (name, name))
    strokes = [STROKE, StrokeLine(13, 1, 0, "none", True, (0, 0), ("R2.8",), None)]
    lines = lines_of(demo_layout(board, strokes, "footer", (name, name)))
    assert len(lines) == 23
    assert [cell_len(line) for line in lines[:15]] == [80] * 15
    assert max(cell_len(line) for line in lines) == 80
    assert all(character.isprintable() for line in lines for character in line)


def test_a_narrow_terminal_crops_the_board() -> None:
    console = Console(width=40, file=io.StringIO(), legacy_windows=False)
    lines = console.render_lines(render(display.boot(), True, NAMES))
    assert [Segment.get_line_length(line) for line in lines] == [40] * 15


def test_names_are_shown() -> None:
    head = lines_of(render([], True, ("Zoe\u0308", "[i]玉")))[0]
    assert head.startswith("  ► Zoe\u0308 ")
    assert head.endswith(" [i]玉 ◄  ")


def test_a_long_name_ends_with_an_ellipsis() -> None:
    assert "► " + "x" * 23 + "… " in lines_of(render([], True, ("x" * 25, "b")))[0]


@pytest.mark.parametrize("count", [0, 1, 6, 7, 400])
def test_the_last_strokes_stand_below_the_board(count: int) -> None:
    strokes = [StrokeLine(n, n % 2, 0, "none", True, (0, 0), (), True) for n in range(count)]
    lines = lines_of(demo_layout(render(display.boot(), True), strokes, "at the foot", NAMES))
    assert len(lines) == 23
    numbers = [int(line.split()[0]) for line in lines[16:22] if line.strip()]
    assert numbers == list(range(count))[-6:]
    assert lines[22].strip() == "at the foot"


@pytest.mark.parametrize(
    ("stroke", "cells"),
    [
        (STROKE, "12 Anna ◄ ▼ ● · · in doubt ? 7 ► R2.3 R4.3 no"),
        (
            StrokeLine(1, 1, 0b10100, "legal", True, (0, 4), ("R2.1",), True),
            "1 Boris · · · ▲ ► legal 4 ► R2.1 yes",
        ),
        (
            StrokeLine(2, 1, 0b11111, "cue", True, (30, 0), ("R2.5", "R4.1"), None),
            "2 Boris ◄ ▼ ● ▲ ► cue ball ◄ 30 R2.5 R4.1",
        ),
        (
            StrokeLine(3, 0, 0b00001, "direct", True, (0, 5), ("R2.2", "R4.2"), True),
            "3 Anna · · ● · · white direct 5 ► R2.2 R4.2 yes",
        ),
        (
            StrokeLine(999, 0, 0, "none", False, (0, 0), ("R2.8",), True),
            "999 Anna · · · · · no pin ? 0 R2.8 yes",
        ),
    ],
)
def test_a_stroke_in_the_table(stroke: StrokeLine, cells: str) -> None:
    lines = lines_of(demo_layout(render([], True), [stroke], "", NAMES))
    assert " ".join(lines[16].split()) == cells


def test_svg_is_the_same_in_any_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    layout = demo_layout(render(display.boot(), True, NAMES), [STROKE], "foot", NAMES)
    first = svg(layout, "kegli demo")
    for name, value in [("NO_COLOR", "1"), ("COLUMNS", "40"), ("TERM", "dumb"), ("LINES", "5")]:
        monkeypatch.setenv(name, value)
    assert svg(layout, "kegli demo") == first


def test_svg_is_whole_and_asks_for_nothing_from_elsewhere() -> None:
    layout = demo_layout(render(display.boot(), True, ("A & B", "<b>")), [STROKE], "foot", NAMES)
    picture = svg(layout, "a < b")
    texts = [element.text or "" for element in ElementTree.fromstring(picture).iter()]
    assert any("A\N{NO-BREAK SPACE}&\N{NO-BREAK SPACE}B" in text for text in texts)
    assert re.findall(r"https?://[^\"]*", picture) == ["http://www.w3.org/2000/svg"]
    assert set(re.findall(r"url\((.)", picture)) == {"#"}
    assert "@import" not in picture
