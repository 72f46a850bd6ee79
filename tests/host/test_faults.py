"""One sensor of the virtual board is broken: it is named, it scores nothing, the rest goes on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

import pytest
from click.testing import CliRunner

from host_tools.cli import main
from host_tools.console_views import guide
from host_tools.session import Judged, Session, order
from host_tools.virtual_board import VirtualBoard
from host_tools.virtual_table import Edge, Table, faults, packaged
from kegli import display, settings
from kegli.leds import Leds

FELLED = [stroke for stroke in packaged() if stroke.pins]
STROKES = 8
AFTER = 3  # strokes before it breaks
SHOWN_US = 250_000  # between two looks at the LEDs
NAMED_US = 12_000_000  # within so long
ANSWER_US = 4_000_000


def asis(edges: Iterable[Edge]) -> list[Edge]:
    return list(edges)


class Chain(list[tuple[int, int, int]]):
    """LEDs to look at."""

    def __init__(self) -> None:
        super().__init__([(0, 0, 0)] * display.LEDS)

    def write(self) -> None:
        """Show them."""


def screens(code: str) -> list[list[tuple[int, int, int]]]:
    """Return what the LEDs are while a fault is shown, in both phases of what blinks."""
    usual = settings.usual()
    found = []
    for ms in (0, 500):
        chain = Chain()
        Leds(chain, int(usual["brightness"]), int(usual["limit_ma"])).show(display.fault(code), ms)
        found.append(list(chain))
    return found


class Broken:
    """A board whose sensors are changed by a fault; `printed` has all that it says."""

    def __init__(self, board: VirtualBoard, fault: faults.Fault = asis) -> None:
        self.board = board
        self.fault = fault
        self.printed: list[str] = []

    @property
    def now_us(self) -> int:
        """The time of the log."""
        return self.board.now_us

    def inject(self, edges: Iterable[Edge]) -> None:
        """Let edges happen, as the fault leaves them."""
        self.board.inject(self.fault(edges))

    def write(self, text: str) -> None:
        """Type on the console."""
        self.board.write(text)

    def run_until(self, t_us: int) -> None:
        """Let time pass."""
        self.board.run_until(t_us)

    def lines(self) -> list[str]:
        """Return what the board has printed since the last call."""
        lines = self.board.lines()
        self.printed += lines
        return lines

    def shows(self, code: str) -> bool:
        """Let time pass until the LEDs show a fault; say whether they do."""
        wanted = screens(code)
        for _ in range(NAMED_US // SHOWN_US):
            if self.board.pixels() in wanted:
                return True
            self.run_until(self.now_us + SHOWN_US)
        return False

    def says(self, code: str) -> bool:
        """Say whether the console named a fault."""
        self.lines()
        return any(line.startswith(f"> {code}: ") for line in self.printed)


def played(board: Broken, strokes: int = STROKES) -> Iterator[Judged]:
    """Yield strokes, as the board judged them."""
    table = Table(7)
    session = Session(board, table, "a.target=999 b.target=999", limit=strokes)
    yield from session.play(order(FELLED, "player", 5))


def pins_said(judged: Judged) -> set[int]:
    return {int(pin) for pin in judged.said.get("pins", "").split(",") if pin}


def test_the_strokes_fell_every_pin_before_and_after_something_breaks() -> None:
    with VirtualBoard() as board:
        games = list(played(Broken(board)))
    assert all(pins_said(judged) == set(judged.stroke.pins) for judged in games)
    felled = [set(judged.stroke.pins) for judged in games[AFTER:]]
    assert set().union(*felled) == set(range(5))


def break_now(board: Broken, how: str, pin: int) -> None:
    """Let a pin break while the table is at rest, and let people set it aside."""
    at_us = board.now_us + 2_000_000
    edges = faults.torn(pin, at_us) if how == "torn" else faults.chatter(pin, at_us, 5_000_000)
    board.inject(edges)
    board.fault = faults.silent("pin", pin)
    board.run_until(at_us)
    assert board.shows(f"P{pin}")
    if how == "torn":  # it reads as down: OK accepts the last stroke, and again sets it aside
        board.write("ok\nok\n")
    board.run_until(board.now_us + 5_000_000)


@pytest.mark.parametrize("pin", range(5))
@pytest.mark.parametrize("how", ["torn", "chatter"])
def test_a_pin_that_breaks_at_rest_is_named_and_the_others_score(how: str, pin: int) -> None:
    with VirtualBoard() as virtual:
        board = Broken(virtual)
        scores = []
        for n, judged in enumerate(played(board)):
            is_broken = n >= AFTER
            expected = set(judged.stroke.pins) - ({pin} if is_broken else set())
            assert pins_said(judged) == expected, (n, judged)
            scores.append(judged.said.get("score"))
            if n == AFTER - 1:
                before = len([line for line in board.printed if line.startswith("> stroke")])
                break_now(board, how, pin)
                assert board.says(f"P{pin}")
                after = [line for line in board.printed if line.startswith("> stroke")][before:]
                assert not after or after[-1].endswith("withdrawn"), after
    assert len(scores) == STROKES


@pytest.mark.parametrize("pin", range(5))
def test_a_pin_that_is_stuck_down_at_the_start_is_named_and_set_aside(pin: int) -> None:
    with VirtualBoard(at_power_up=faults.torn(pin, 0)) as virtual:
        board = Broken(virtual, faults.silent("pin", pin))
        assert board.shows(f"P{pin}")
        assert board.says(f"P{pin}")
        board.run_until(10_000_000)
        board.write("ok\n")
        board.run_until(12_000_000)
        for judged in played(board):
            assert pins_said(judged) == set(judged.stroke.pins) - {pin}
    assert not [line for line in board.printed if line.startswith("> refused")]


# -- By hand


GUIDED = [
    *((f"P{pin}", faults.silent("pin", pin)) for pin in range(5)),
    *((f"C{cushion}", faults.silent("hit", cushion)) for cushion in range(4)),
    *(
        (f"C{(cushion + 1) % 4}", faults.crosstalk(cushion, (cushion + 1) % 4))
        for cushion in range(4)
    ),
]


@pytest.mark.parametrize(("code", "fault"), GUIDED)
def test_hands_find_what_says_nothing_and_what_hears_its_neighbour(
    code: str, fault: faults.Fault
) -> None:
    with VirtualBoard() as virtual:
        board = Broken(virtual, fault)
        board.printed += guide(board, "no")
        assert board.says(code)
        assert f"> faults: {code}" in board.printed
        # It is a part of no game: what hands did scores nothing, and the rest goes on.
        kind, number = ("pin", int(code[1])) if code[0] == "P" else ("hit", -1)
        for judged in played(board, 4):
            assert pins_said(judged) == set(judged.stroke.pins) - (
                {number} if kind == "pin" else set()
            )


@pytest.mark.parametrize("pair", [(0, 1), (1, 2), (3, 4), (0, 4)])
@pytest.mark.parametrize("kind", ["pin", "hit"])
def test_hands_find_swapped_wires_and_the_wiring_is_mended(
    kind: str, pair: tuple[int, int]
) -> None:
    one, other = pair if kind == "pin" else (pair[0] % 4, pair[1] % 4 or 2)
    order_said = list(range(5 if kind == "pin" else 4))
    order_said[one], order_said[other] = other, one
    key = "pins" if kind == "pin" else "cushions"
    with VirtualBoard() as virtual:
        board = Broken(virtual, faults.swapped(kind, one, other))
        board.printed += guide(board, "yes")
        assert f"> The wiring is {key} = {','.join(map(str, order_said))}" in "\n".join(
            board.printed
        )
        assert "> faults: none" in board.printed
        for judged in played(board, 5):
            assert pins_said(judged) == set(judged.stroke.pins)
        board.write(f"settings get {key}\n")
        board.run_until(board.now_us + ANSWER_US)
        board.lines()
    assert any(
        line.startswith(f"> {key} = {','.join(map(str, order_said))}") for line in board.printed
    )


# -- Cushions, buttons and capture


@pytest.mark.parametrize("button", range(5))
def test_a_button_that_chatters_is_named_and_presses_nothing(button: int) -> None:
    with VirtualBoard() as virtual:
        board = Broken(virtual)
        for n, judged in enumerate(played(board)):
            assert pins_said(judged) == set(judged.stroke.pins)
            if n == AFTER - 1:
                before = len(board.printed)
                at_us = board.now_us + 1_000_000
                bad = faults.chatter(0, at_us, 5_000_000)
                board.inject([edge._replace(kind="btn", which=button) for edge in bad])
                assert board.shows(f"b{button}")
                assert board.says(f"b{button}")
                said = [line for line in board.printed[before:] if line[0] == ">"]
                assert len(said) == 1, said  # and nobody marked or undid anything


@pytest.mark.parametrize("cushion", range(4))
def test_a_noisy_cushion_is_named_and_takes_no_turn(cushion: int) -> None:
    with VirtualBoard() as virtual:
        board = Broken(virtual)
        turns = []
        for n, judged in enumerate(played(board)):
            assert pins_said(judged) == set(judged.stroke.pins)
            turns.append(judged.said.get("turn"))
            if n == AFTER - 1:
                board.board.make_noise("hit", cushion, 400)  # the threshold is 200
                assert board.shows(f"C{cushion}")
                assert board.says(f"C{cushion}")
                board.run_until(board.now_us + 10_000_000)
                board.lines()
                stroke = [line for line in board.printed if line.startswith("> stroke")][-1]
                assert stroke.endswith("withdrawn")
    assert len(turns) == STROKES


@pytest.mark.parametrize("mhz", [0, 40, 79])
def test_capture_units_that_disagree_with_the_clock_are_not_used(mhz: int) -> None:
    with VirtualBoard() as virtual:
        virtual.count_at(mhz)
        board = Broken(virtual)
        assert board.shows("E7")
        assert board.says("E7")
        for judged in played(board, 4):
            assert pins_said(judged) == set(judged.stroke.pins)
        hits = [line.split() for line in board.printed if " hit " in line and line[0].isdigit()]
    assert hits
    assert {int(words[3]) >= 2_200 for words in hits} == {True}


# -- What happens beside it


def fall(pin: int, t_us: int) -> list[Edge]:
    return [Edge(t_us + 2_000 * n, "pin", pin, 1 - n % 2) for n in range(3)]


def noise(cushion: int, t_us: int, hits: int = 16, apart_us: int = 60_000) -> list[Edge]:
    return [Edge(t_us + apart_us * n, "hit", cushion, 1) for n in range(hits)]


def told(edges: list[Edge], until_us: int, words: dict[int, str], sensors: str = "") -> list[str]:
    """Return what a board says of edges, in a game, and of words that are typed at their times.

    What it says replays.
    """
    fitted = frozenset({"pins", "cushions", *sensors.split()})
    with VirtualBoard(sensors=fitted) as board:
        board.write("new\n")
        board.run_until(1_000_000)
        board.inject(edges)
        for t_us in sorted(words):
            board.run_until(t_us)
            board.write(words[t_us] + "\n")
        board.run_until(until_us)
        lines = board.lines()
    text = "".join(f"{line}\n" for line in lines)
    assert CliRunner().invoke(main, ["replay", "-"], input=text).exit_code == 0
    return lines


def score_and_turn(lines: list[str]) -> tuple[str, str]:
    """Return what a replay says at last: "a:b" and who plays next."""
    text = "".join(f"{line}\n" for line in lines)
    out = CliRunner().invoke(main, ["replay", "--json", "-"], input=text).stdout
    game = json.loads(out.splitlines()[-1])
    return f"{game['score']['a']}:{game['score']['b']}", game["turn"]


def names(lines: list[str]) -> list[str]:
    return [line[2:].partition(":")[0] for line in lines if re.match(r"> [A-Zb]\w: ", line)]


def test_a_torn_wire_that_makes_contact_again_and_again_is_left_out() -> None:
    contacts = [Edge(13_000_000 + 5_000 * n, "pin", 3, n % 2) for n in range(4_000)]
    stroke = [Edge(40_000_000, "hit", 0, 1), *fall(1, 40_500_000)]
    said = told([*faults.torn(3, 2_000_000), *contacts, *stroke], 55_000_000, {})
    assert names(said) == ["P3", "P3"]  # torn, left out; it ends open, and is not well
    assert sum(" lost " in line for line in said) < 50
    assert score_and_turn(said) == ("2:0", "a")


def test_a_torn_wire_scores_nothing_when_the_last_stroke_was_accepted() -> None:
    edges = [Edge(2_000_000, "hit", 1, 1), *faults.torn(0, 13_000_000)]
    said = told(edges, 25_000_000, {9_500_000: "ok"})
    assert names(said) == ["P0"]
    assert score_and_turn(said) == ("0:0", "b")


def test_a_pin_that_had_counted_before_its_wire_broke_keeps_its_points() -> None:
    edges = [
        *(Edge(2_000_000, "hit", 1, 1), *fall(1, 2_500_000)),
        *fall(2, 11_000_000),  # late
        Edge(18_500_000, "pin", 1, 0),
        *faults.torn(1, 20_000_000),
    ]
    said = told(edges, 35_000_000, {})
    assert names(said) == ["P1"]
    assert score_and_turn(said) == ("4:0", "a")


@pytest.mark.parametrize("words", ["log", "status", "selftest"])
def test_what_people_ask_meanwhile_does_not_hide_a_torn_wire(words: str) -> None:
    said = told(faults.torn(3, 2_000_000), 20_000_000, {8_100_000: words})
    assert names(said)[0] == "P3"
    with VirtualBoard() as board:  # a log that begins in it cannot be replayed before
        board.write("new\n")
        board.inject(faults.torn(3, 2_000_000))
        board.run_until(20_000_000)
        assert any(line.endswith("withdrawn") for line in board.lines())


def test_a_torn_wire_is_named_also_if_a_person_has_judged_the_stroke() -> None:
    said = told(faults.torn(3, 2_000_000), 20_000_000, {5_000_000: "mark valid"})
    assert names(said) == ["P3"]
    assert not [line for line in said if " cmd undo" in line]


def test_a_pin_that_is_absent_may_lie() -> None:
    said = told(faults.torn(3, 4_000_000), 20_000_000, {2_000_000: "absent 3"})
    assert names(said) == []


def test_noise_that_begins_while_hands_set_up_takes_no_turn() -> None:
    edges = [
        *(Edge(2_000_000, "hit", 1, 1), *fall(1, 2_500_000), Edge(10_200_000, "pin", 1, 0)),
        *noise(2, 10_900_000, apart_us=90_000),
    ]
    said = told(edges, 40_000_000, {})
    assert names(said)[0] == "C2"
    assert score_and_turn(said) == ("2:0", "a")


@pytest.mark.parametrize(
    "other",
    [
        [Edge(2_700_000, "click", 0, 1)],  # the cue
        [Edge(3_100_000, "hit", 1, 1)],
        fall(2, 3_050_000),
        [Edge(2_900_000, "zone", 0, 1)],
    ],
)
def test_noise_in_a_stroke_of_a_person_undoes_nothing(other: list[Edge]) -> None:
    said = told([*other, *noise(0, 3_000_000)], 30_000_000, {}, "click zone")
    assert "C0" in names(said)
    assert not [line for line in said if " cmd undo" in line]


def test_no_healthy_cushion_is_called_stuck_whatever_the_board_does_just_then() -> None:
    # A pin lies and its lamp blinks: the LEDs are written twice a second.
    hits = [Edge(15_000_000 + 2_500_331 * n, "hit", n % 4, 1) for n in range(600)]
    end_us = hits[-1].t_us + 2_000_000
    said = told([Edge(2_000_000, "hit", 1, 1), *fall(1, 2_500_000), *hits], end_us, {})
    assert sum(" hit " in line for line in said if line[0] != ">") == 601
    assert names(said) == []


def test_no_stroke_is_certain_while_a_sensor_is_left_out() -> None:
    # Every 5 ms, since it is polled.
    chatter = [Edge(2_000_000 + 5_000 * n, "zone", 0, 1 - n % 2) for n in range(400)]
    edges = [*chatter, Edge(8_000_000, "hit", 0, 1), *fall(3, 8_400_000)]
    said = told(edges, 16_000_000, {}, "zone")
    assert names(said)[0] == "Zo"
    (stroke,) = [line for line in said if line.startswith("> stroke")]
    assert "pins=3 verdict=legal certain=no " in stroke
    assert stroke.endswith("flags=lost-edges")


@pytest.mark.parametrize("button", range(5))
def test_a_button_that_is_left_out_taints_no_stroke(button: int) -> None:
    bad = [
        edge._replace(kind="btn", which=button) for edge in faults.chatter(0, 2_000_000, 1_000_000)
    ]
    edges = [*bad, Edge(8_000_000, "hit", 0, 1), *fall(3, 8_400_000)]
    (stroke,) = [line for line in told(edges, 16_000_000, {}) if line.startswith("> stroke")]
    assert stroke.endswith("flags=")


def test_a_bump_elsewhere_is_no_answer_to_what_the_board_asks_for() -> None:
    with VirtualBoard(sensors=frozenset({"pins", "cushions", "click"})) as board:
        board.run_until(1_000_000)
        board.write("selftest guided\n")
        board.run_until(3_000_000)
        board.inject([Edge(3_200_000, "hit", 0, 1), Edge(3_300_000, "click", 0, 1)])
        board.inject([Edge(3_400_000, "pin", 4, 1), Edge(3_500_000, "pin", 4, 0)])
        board.run_until(3_350_000)
        assert not [line for line in board.lines() if "says nothing" in line]
        board.run_until(6_000_000)
        assert "> The wire of pin 4 answers." in board.lines()
