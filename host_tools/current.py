"""What the LED board draws on each screen as a table, kept in firmware/README.md.

`python -m host_tools.current` writes it there; a test fails when it is old. These are the
estimates of kegli/leds.py, added up over the chain of LEDs of kegli/display.py: not measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from host_tools.diagram import README, put_between
from kegli import display, rules
from kegli.leds import Leds
from kegli.settings import usual

if TYPE_CHECKING:
    from kegli.display import Lights
    from kegli.referee import Referee

_BEGIN = "<!-- written by python -m host_tools.current -->\n"
_END = "<!-- end of the currents -->\n"

FULL = 255  # the greatest brightness
NO_LIMIT_MA = 100_000  # more than all LEDs draw together

# What can be broken, as sensors.py and the table of faults have it.
CODES = (
    *(f"P{pin}" for pin in range(5)),
    *(f"C{cushion}" for cushion in range(4)),
    *("CL", "Zo"),
    *(f"b{button}" for button in range(5)),
    *(f"E{fault}" for fault in range(1, 8)),
)

_ALL_PINS = 0b11111
_SIDE_PINS = (0b00000, 0b00010, 0b00110, 0b01110, 0b11110)  # none to four
_PIN_SETS = _SIDE_PINS + tuple(pins | 1 for pins in _SIDE_PINS)  # and the king with as many
_MOST_ADDED = rules.CAROM_POINTS + 10 + 10  # a carom, a pocketed white (R8.2) and a fine (R4.9)
_EIGHTS = 888  # no digit has more segments
_MOST_WON = 8  # the same for games won, of which nine at most are shown


class _Chain:
    """A neopixel.NeoPixel that lights nothing."""

    def __setitem__(self, led: int, colour: tuple[int, int, int]) -> None:
        """Take the colour of an LED."""

    def write(self) -> None:
        """Take the frame."""


def drawn_ma(lights: Lights, brightness: int, limit_ma: int, ms: int = 0) -> int:
    """Return what *lights* draw at *ms* milliseconds, in mA, rounded up.

    *brightness*: 1 to 255. *limit_ma*: more than what the dark board draws. At 0 ms what blinks
    is lit.
    """
    leds = Leds(_Chain(), brightness, limit_ma)
    leds.show(lights, ms)
    return leds.current_ma


def _brightest(boards: Iterable[Lights]) -> Lights:
    return max(boards, key=lambda lights: drawn_ma(lights, FULL, NO_LIMIT_MA))


def _lit(state: str, last: SimpleNamespace | None, down: int, felled: int = 0) -> Lights:
    """Return what display.lit gives: all that may be lit is, whatever the stroke was.

    Scores have all their segments, both players play series, it is somebody's turn or all is
    over, and the board itself has a fault. *down* and *felled*: sets of pins.
    """
    game = SimpleNamespace(
        score=[_EIGHTS, _EIGHTS],
        turn=0,
        modes=["series", "series"],
        winner=0 if state == "over" else None,
        result="won" if state == "over" else "playing",
    )
    view = SimpleNamespace(
        state=state,
        game=game if state else None,
        last=last,
        pins_down=down,
        pins_felled=felled,
        pins_absent=0,
        tally=[_MOST_WON, _MOST_WON, 0],
    )
    return display.lit(cast("Referee", view), True)


def _after_strokes(state: str) -> Iterator[Lights]:
    """Yield boards among which is the brightest that display.lit gives after a stroke.

    The lamps for penalty, confirm? and check are only ever added, so all are: the stroke is a
    penalty, a proposal and doubtful. A pin is brightest if it counts and stands again; else it
    lies, which is the same whether it counts or not. What is left is a choice: pins that count
    make points, and points are a number in one player's colour with his arrow, while only
    nothing is white. So all points that pins and what people add to them can make are tried.
    Some of these strokes no rule gives: the brightest is a bound.
    """
    for pins in _PIN_SETS:
        for points in range(
            rules.pin_points(pins)[1], rules.pin_points(pins)[1] + _MOST_ADDED + 1
        ):
            for award in ((points, 0), (0, points)):
                last = SimpleNamespace(
                    pins=pins,
                    award=award,
                    certain=False,
                    accepted=False,
                    penalty=True,
                    flags=("lost-edges",),
                )
                yield _lit(state, last, _ALL_PINS & ~pins)


def screens() -> dict[str, Lights]:
    """Return the brightest board of each kind, by what it is."""
    return {
        "blank": [],
        "power-up: all white, as in the self-test": display.boot(),
        "self-test: all red": display.boot(display.RED),
        "self-test: all green": display.boot(display.GREEN),
        "a fault: `Err` and its code": _brightest(display.fault(code) for code in CODES),
        "self-test by hands: a code alone": _brightest(display.fault(code, "") for code in CODES),
        "before the first game, all pins lie": _lit("", None, _ALL_PINS),
        "a game after a stroke": _brightest(_after_strokes("ready")),
        "a stroke runs": _brightest(
            # A pin that fell and stands again, or that lies.
            _lit("running", None, down, _ALL_PINS)
            for down in (0, _ALL_PINS)
        ),
        "a game is won": _brightest(
            # The games won are shown once the last stroke is accepted.
            [*_after_strokes("over"), _lit("over", None, _ALL_PINS)]
        ),
    }


def table() -> str:
    """Return the table: a row for each screen."""
    values = usual()
    brightness, limit_ma = int(values["brightness"]), int(values["limit_ma"])
    lines = [
        f"| screen | `brightness` {brightness}, `limit_ma` {limit_ma}"
        f" | {FULL}, {limit_ma} | {FULL}, no limit |",
        "|---|---|---|---|",
    ]
    for name, lights in screens().items():
        drawn = [
            drawn_ma(lights, brightness, limit_ma),
            drawn_ma(lights, FULL, limit_ma),
            drawn_ma(lights, FULL, NO_LIMIT_MA),
        ]
        lines.append(f"| {name} | {' | '.join(map(str, drawn))} |")
    return "\n".join([*lines, ""])


def updated(text: str) -> str:
    """Return *text* with the table between its two marks."""
    return put_between(_BEGIN, table(), _END, text)


if __name__ == "__main__":
    README.write_text(updated(README.read_text(encoding="utf-8")), encoding="utf-8")
