"""The LED board drawn as text: screens, lamps, digits, what blinks; and the chain of LEDs."""

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, cast

import pytest

from host_tools.board_view import ascii_board
from kegli import display
from kegli.referee import Referee

if TYPE_CHECKING:
    from kegli.display import Lights


@dataclass
class Game:
    """What the board reads of a game."""

    score: list[int] = field(default_factory=lambda: [0, 0])
    turn: int = 0
    modes: list[str] = field(default_factory=lambda: ["series", "series"])
    winner: int | None = None
    result: str = "playing"


@dataclass
class Stroke:
    """What the board reads of the last stroke: five certain points of a."""

    pins: int = 0b00001
    award: tuple[int, int] = (5, 0)
    certain: bool = True
    accepted: bool = False
    penalty: bool = False
    flags: tuple[str, ...] = ()


@dataclass
class View:
    """What the board reads of the referee."""

    state: str = "ready"
    game: Game | None = field(default_factory=Game)
    last: Stroke | None = None
    pins_down: int = 0
    pins_felled: int = 0
    pins_absent: int = 0
    tally: list[int] = field(default_factory=lambda: [0, 0, 0])


def lit(view: View, faulty: bool = False) -> "Lights":
    return display.lit(cast(Referee, view), faulty)


def rows(lights: "Lights") -> list[str]:
    return ascii_board(lights).split("\n")


# Read a picture as ascii_board says: `. :` and small letters blink.
SCREENS = {
    "blank": (
        [],
        [
            "",
            "",
            "",
            "",
            "turn    .         .         . turn",
            "series  .       . . .       . series",
            "award   .         .         . award",
            "penalty .  confirm? . check .",
        ],
    ),
    "boot: all of it, white": (
        display.boot(),
        [
            " _   _   _      _   _      _   _   _",
            "|_| |_| |_|    |_| |_|    |_| |_| |_|",
            "|_| |_| |_|    |_| |_|    |_| |_| |_|",
            "     W            W            W",
            "turn    W         W         W turn",
            "series  W       W W W       W series",
            "award   W         W         W award",
            "penalty W  confirm? W check W",
        ],
    ),
    "a pin's sensor is broken": (
        display.fault("P3"),
        [
            " _                             _   _",
            "|_   _   _                    |_|  _|",
            "|_  |   |                     |    _|",
            "     R                         R",
            "turn    .         .         . turn",
            "series  .       . . .       . series",
            "award   .         r         . award",
            "penalty .  confirm? . check A",
        ],
    ),
    "a cushion's sensor is broken": (
        display.fault("C2"),
        [
            " _                             _   _",
            "|_   _   _                    |    _|",
            "|_  |   |                     |_  |_",
            "     R                         R",
            "turn    .         .         . turn",
            "series  .       . . .       . series",
            "award   .         .         . award",
            "penalty .  confirm? . check A",
        ],
    ),
    "a fault that the digits cannot spell": (
        display.fault("Wire"),
        [
            " _                         _   _",
            "|_   _   _                 _   _   _",
            "|_  |   |                  _   _  |",
            "     R                         R",
            "turn    .         .         . turn",
            "series  .       . . .       . series",
            "award   .         .         . award",
            "penalty .  confirm? . check A",
        ],
    ),
    "no game yet": (
        lit(View(state="", game=None)),
        [
            "",
            " _   _   _                 _   _   _",
            "",
            "     R                         G",
            "turn    .         .         . turn",
            "series  .       . . .       . series",
            "award   .         .         . award",
            "penalty .  confirm? . check .",
        ],
    ),
    "no game yet, a pin lies": (
        lit(View(state="", game=None, pins_down=0b00100)),
        [
            "",
            " _   _   _                 _   _   _",
            "",
            "     R                         G",
            "turn    .         .         . turn",
            "series  .       . . a       . series",
            "award   .         .         . award",
            "penalty .  confirm? . check .",
        ],
    ),
    "a game begins": (
        lit(View(game=Game(turn=1, modes=["single", "series"]))),
        [
            "         _                         _",
            "        | |                       | |",
            "        |_|                       |_|",
            "     R                         G",
            "turn    .         .         G turn",
            "series  .       . . .       G series",
            "award   .         .         . award",
            "penalty .  confirm? . check .",
        ],
    ),
    "a certain award; two of its pins lie, one stands again": (
        lit(View("review", Game([78, 64]), Stroke(0b01011, (7, 0)), pins_down=0b01001)),
        [
            "     _   _          _          _",
            "      | |_|          |        |_  |_|",
            "      | |_|          |        |_|   |",
            "     R            R            G",
            "turn    R         .         . turn",
            "series  R       W A .       G series",
            "award   R         A         . award",
            "penalty .  confirm? . check .",
        ],
    ),
    "a proposal: the penalty may not be one": (
        lit(
            View(
                game=Game([9, 104], turn=1),
                last=Stroke(0b10110, (0, 6), certain=False, penalty=True),
            )
        ),
        [
            "         _          .          _",
            "        |_|        :.       | | | |_|",
            "         _|        :.:      | |_|   |",
            "     R            g            G",
            "turn    .         W         G turn",
            "series  R       W . W       G series",
            "award   .         .         g award",
            "penalty a  confirm? A check .",
        ],
    ),
    "nothing fell, which the sensors cannot be sure of": (
        lit(View(last=Stroke(0, (0, 0), certain=False))),
        [
            "         _          .              _",
            "        | |        : :            | |",
            "        |_|        :.:            |_|",
            "     R            w            G",
            "turn    R         .         . turn",
            "series  R       . . .       G series",
            "award   .         .         . award",
            "penalty .  confirm? A check .",
        ],
    ),
    "a stroke runs: one pin lies, one was set up, another's fall was suppressed": (
        lit(
            View(
                "running",
                Game([30, 0]),
                Stroke(0b11111, (30, 0), certain=False, flags=("check",)),
                pins_down=0b10010,
                pins_felled=0b00011,
            )
        ),
        [
            "     _   _                         _",
            "     _| | |     _   _             | |",
            "     _| |_|                       |_|",
            "     R            W            G",
            "turn    R         .         . turn",
            "series  R       A W .       G series",
            "award   .         .         . award",
            "penalty .  confirm? . check .",
        ],
    ),
    "a won, by a proposal": (
        lit(
            View(
                "over",
                Game([101, 98], winner=0, result="won"),
                Stroke(0b00001, (5, 0), certain=False),
            )
        ),
        [
            "     .              .          _   _",
            "  : : :   :        :.         |_| |_|",
            "  : :.:   :         .:         _| |_|",
            "     r            r            G",
            "turn    .         .         . turn",
            "series  R       . W .       G series",
            "award   r         .         . award",
            "penalty .  confirm? A check .",
        ],
    ),
    "b won with points of a penalty": (
        lit(
            View(
                "over",
                Game([7, 102], winner=1, result="won"),
                Stroke(0, (0, 2), penalty=True),
            )
        ),
        [
            "         _          _          .   .",
            "          |         _|      : : :  .:",
            "          |        |_       : :.: :.",
            "     R            G            g",
            "turn    .         .         . turn",
            "series  R       . . .       G series",
            "award   .         .         G award",
            "penalty A  confirm? . check .",
        ],
    ),
    "drawn": (
        lit(View("over", Game([45, 45], result="drawn"), Stroke(0, (0, 0)))),
        [
            "         .          _              .",
            "    :.: :.         | |        :.: :.",
            "      :  .:        |_|          :  .:",
            "     r            W            g",
            "turn    .         .         . turn",
            "series  R       . . .       G series",
            "award   .         .         . award",
            "penalty .  confirm? . check .",
        ],
    ),
    "a score that three digits cannot show, and the games won": (
        lit(View("over", Game([998, 1003], winner=1, result="won"), tally=[2, 1, 0])),
        [
            " _   _   _      _          .   .   .",
            "|_| |_| |_|     _|   |    :.: :.: :.:",
            " _|  _| |_|    |_    |     .:  .:  .:",
            "     R            GR           g",
            "turn    .         .         . turn",
            "series  R       . . .       G series",
            "award   .         .         . award",
            "penalty .  confirm? . check A",
        ],
    ),
    "the last stroke was accepted: the games won, nine at most": (
        lit(
            View(
                "over",
                Game([12, 30], winner=1, result="won"),
                Stroke(0b00001, (0, 5), certain=False, accepted=True),
                tally=[12, 1, 0],
            )
        ),
        [
            "         _      _              .   .",
            "      |  _|    |_|   |         .: : :",
            "      | |_      _|   |         .: :.:",
            "     R            GR           g",
            "turn    .         .         . turn",
            "series  R       . . .       G series",
            "award   .         .         . award",
            "penalty .  confirm? . check .",
        ],
    ),
}


@pytest.mark.parametrize("name", SCREENS)
def test_screen(name: str) -> None:
    lights, picture = SCREENS[name]
    assert rows(lights) == picture


@pytest.mark.parametrize(
    ("score", "picture"),
    [
        (
            [120, 345],
            [
                "     _   _                 _       _",
                "  |  _| | |                _| |_| |_",
                "  | |_  |_|                _|   |  _|",
            ],
        ),
        (
            [678, 9],
            [
                " _   _   _                         _",
                "|_    | |_|                       |_|",
                "|_|   | |_|                        _|",
            ],
        ),
        (
            [10, 999],
            [
                "         _                 _   _   _",
                "      | | |               |_| |_| |_|",
                "      | |_|                _|  _|  _|",
            ],
        ),
    ],
)
def test_digits(score: list[int], picture: list[str]) -> None:
    seen = rows(lit(View(game=Game(score))))
    assert seen[:3] == picture
    assert seen[7] == "penalty .  confirm? . check ."


@pytest.mark.parametrize(
    ("stroke", "award", "confirm", "check"),
    [
        (Stroke(0b11111, (30, 0)), "R", ".", "."),
        (Stroke(0b11111, (30, 0), certain=False), "r", "A", "."),
        (Stroke(0b11111, (30, 0), certain=False, accepted=True), "R", ".", "."),
        (Stroke(0b11111, (30, 0), certain=False, flags=("judged",)), "R", ".", "."),
        (Stroke(0, (0, 3), certain=False, flags=("by-hand", "judged")), "G", ".", "."),
        (Stroke(0, (0, 0), certain=False, flags=("by-hand",)), "W", ".", "."),
        (Stroke(0b11111, (0, 30), certain=False, flags=("late-fall",)), "g", "A", "."),
        (Stroke(0b11111, (0, 30), certain=False, flags=("absent-pin",)), "g", "A", "."),
        (Stroke(0b11111, (30, 0), certain=False, flags=("lost-edges",)), "r", "A", "A"),
        (Stroke(0b11111, (30, 0), flags=("check",)), "R", ".", "A"),
    ],
)
def test_what_blinks_and_what_is_asked(
    stroke: Stroke, award: str, confirm: str, check: str
) -> None:
    picture = rows(lit(View(last=stroke)))
    assert picture[3].split() == ["R", award, "G"]
    assert picture[7] == f"penalty .  confirm? {confirm} check {check}"


# Row and column of each pin's lamp in the picture: 1 0 2 across, 4 towards the head cushion.
LAMPS = [(5, 18), (5, 16), (5, 20), (6, 18), (4, 18)]
LOOKS = {(0, 0): ".", (0, 1): "W", (1, 0): "a", (1, 1): "A"}


@pytest.mark.parametrize("down", range(32))
def test_pin_lamps(down: int) -> None:
    """White: counted and stands again. Amber: counted and lies. Blinking: lies, not counted."""
    for counted in range(32):
        picture = rows(lit(View("review", last=Stroke(counted), pins_down=down)))
        for pin, (row, column) in enumerate(LAMPS):
            lies_and_counted = down >> pin & 1, counted >> pin & 1
            assert picture[row][column] == LOOKS[lies_and_counted]


def test_an_absent_pin_is_dark() -> None:
    for game in (None, Game()):
        assert (
            rows(lit(View(game=game, pins_down=0b00110, pins_absent=0b00100)))[5][16:21] == "a . ."
        )


def views() -> list[View]:
    """Return views that vary in all that the board reads."""
    return [
        View(
            state,
            Game(score, turn, modes, winner, result),
            Stroke(pins, award, certain, accepted, penalty, flags),
            pins_down,
            pins_felled=0b11001,
        )
        for state, (winner, result) in [
            ("ready", (None, "playing")),
            ("running", (None, "playing")),
            ("review", (None, "playing")),
            ("over", (1, "won")),
            ("over", (None, "drawn")),
        ]
        for score, turn, modes, award, pins, pins_down in [
            ([0, 0], 0, ["series", "single"], (0, 0), 0, 0),
            ([998, 1003], 1, ["single", "series"], (0, 53), 0b11111, 0b10101),
        ]
        for certain, accepted, penalty, flags in product(
            (False, True), (False, True), (False, True), ((), ("check",))
        )
    ]


def test_lights_are_in_order_and_each_element_is_there_once() -> None:
    boards = [lights for lights, _ in SCREENS.values()] + [lit(view) for view in views()]
    for lights in boards:
        elements = [element for element, _, _ in lights]
        assert elements == sorted(set(elements))
        assert all(0 <= element < display.ELEMENTS for element in elements)
        assert all(display.RED <= colour <= display.WHITE for _, colour, _ in lights)


def test_nothing_blinks_while_a_stroke_runs() -> None:
    running = [view for view in views() if view.state == "running"]
    assert running
    for view, faulty in product(running, (False, True)):
        assert not any(blink for _, _, blink in lit(view, faulty))


def test_the_chain_of_leds_has_no_gap_and_no_led_twice() -> None:
    assert [first for first, _, _ in display.BLOCKS] == [
        sum(count for _, count, _ in display.BLOCKS[:place])
        for place in range(len(display.BLOCKS))
    ]
    assert sum(count for _, count, _ in display.BLOCKS) == display.ELEMENTS
    leds = [
        led
        for element in range(display.ELEMENTS)
        for led in range(display.FIRST_LED[element], display.FIRST_LED[element + 1])
    ]
    assert leds == list(range(display.LEDS))


def test_how_many_leds() -> None:
    digits = (3 + 3 + 2) * 7 * 2
    lamps = 5 + 2 + 2 + 2 + 3  # pins, turn, series, owner; penalty, confirm?, check
    assert digits + lamps == display.LEDS == 126


def test_a_stroke_of_a_real_game() -> None:
    """The king and pin 3 fall after a cushion and are set up again; then people accept it."""
    referee = Referee("# kegli-log 1 board=test sensors=pins,cushions")

    def board(t_us: int, *lines: str) -> list[str]:
        for line in lines:
            referee.feed(line)
        referee.advance(t_us)
        return rows(display.lit(referee))

    assert board(0) == SCREENS["no game yet"][1]
    begun = board(900_000, "500000 cmd new first=b a.mode=single b.mode=series")
    assert begun == SCREENS["a game begins"][1]
    falls = ("1000000 hit 0", "1200000 pin 0 1 200", "1230000 pin 3 1 200")
    assert board(1_500_000, *falls) == [
        "         _                         _",
        "        | |     _   _             | |",
        "        |_|                       |_|",
        "     R            W            G",
        "turn    .         .         G turn",
        "series  .       . A .       G series",
        "award   .         A         . award",
        "penalty .  confirm? . check .",
    ]
    assert board(3_400_000, "3000000 pin 0 0 200", "3100000 pin 3 0 200")[4:7] == [
        "turn    .         .         G turn",
        "series  .       . W .       G series",
        "award   .         W         . award",
    ]
    assert board(4_200_000) == [
        "         _          .              _",
        "        | |        :.             |_",
        "        |_|         .:             _|",
        "     R            g            G",
        "turn    .         .         G turn",
        "series  .       . W .       G series",
        "award   .         W         g award",
        "penalty .  confirm? A check .",
    ]
    assert board(5_100_000, "5000000 cmd ok") == [
        "         _          _              _",
        "        | |        |_             |_",
        "        |_|         _|             _|",
        "     R            G            G",
        "turn    .         .         G turn",
        "series  .       . W .       G series",
        "award   .         W         G award",
        "penalty .  confirm? . check .",
    ]
    assert board(6_100_000, "6000000 cmd undo") == begun


@pytest.mark.parametrize(
    ("ms", "on"), [(0, True), (499, True), (500, False), (999, False), (1000, True)]
)
def test_blinking(ms: int, on: bool) -> None:
    assert display.blink_on(ms) is on
