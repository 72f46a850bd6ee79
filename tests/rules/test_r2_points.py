"""RULES.md chapter R2: what the pins of a stroke, and a carom, are worth."""

import pytest

from tests.play import Row, play, row, script, stroke_text

KING = 0
PIN_SETS = [[pin for pin in range(5) if mask >> pin & 1] for mask in range(32)]


def points(pins: list[int]) -> int:
    """Return the closed form of chapter R2, written another way than its table."""
    side_pins = len(pins) - (KING in pins)
    if KING not in pins:
        return 2 * side_pins
    return 30 if side_pins == 4 else 5 + 2 * max(0, side_pins - 1)


def clause(pins: list[int]) -> str:
    """Return the clause that values these pins."""
    if not pins:
        return "R2.8"
    return "R2.1" if KING not in pins else ("R2.2", "R2.2", "R2.3", "R2.4", "R2.5")[len(pins) - 1]


@pytest.mark.parametrize(
    "pins", PIN_SETS, ids=lambda pins: f"{clause(pins)}-pins_{''.join(map(str, pins)) or 'none'}"
)
def test_every_set_of_pins(pins: list[int]) -> None:
    """Fell each set of pins after a cushion hit: its value and, with a pin, the turn stay."""
    felled = ",".join(map(str, pins))
    (stroke,) = play(script(f"0 new; 1 stroke {felled}; 20 end")).strokes
    value, turn = points(pins), "a" if pins else "b"
    verdict = "legal?" if pins else "none?"
    expected = f"@1 a {felled or '-'} {verdict} {value}:0 {clause(pins)} = {value}:0 {turn}"
    assert stroke_text(stroke) == expected


@pytest.mark.parametrize(
    "pins",
    PIN_SETS[1:],
    ids=lambda pins: f"{clause(pins)}-partner_gets_{''.join(map(str, pins))}",
)
def test_every_set_of_pins_for_the_partner(pins: list[int]) -> None:
    """Let each set of pins fall with no cushion hit: its value goes to the partner (R4.3)."""
    felled = ",".join(map(str, pins))
    (stroke,) = play(script(f"0 new; 1 fall {felled}; 20 end")).strokes
    value = points(pins)
    expected = f"@1 a {felled} doubt? 0:{value} {clause(pins)},R4.3 = 0:{value} b"
    assert stroke_text(stroke) == expected


CAROMS = [
    row(
        "R2.6",
        "passes the turn in series",
        "0 new; 1 stroke; 3 mark carom; 20 end",
        "@1 a - none? 3:0 R2.6 = 3:0 b judged",
    ),
    row(
        "R2.6",
        "passes the turn in single stroke",
        "0 new a.mode=single; 1 stroke; 3 mark carom; 20 end",
        "@1 a - none? 3:0 R2.6 = 3:0 b judged",
    ),
    row(
        "R2.6",
        "marked after the stroke",
        "0 new; 1 stroke; 9 mark carom; 20 end",
        "@1 a - none? 3:0 R2.6 = 3:0 b judged",
    ),
    row(
        "R2.6",
        "for player b",
        "0 new first=b; 1 stroke; 3 mark carom; 20 end",
        "@1 b - none? 0:3 R2.6 = 0:3 a judged",
    ),
    row(
        "R2.6",
        "once however often it is said",
        "0 new; 1 stroke; 3 mark carom; 4 mark carom; 20 end",
        "@1 a - none? 3:0 R2.6 = 3:0 b judged",
        "ready playing - 3:0 b 1 errors=1",
    ),
    row(
        "R2.6",
        "not changed by carom_adds",
        "0 new carom_adds=3; 1 stroke; 3 mark carom; 20 end",
        "@1 a - none? 3:0 R2.6 = 3:0 b judged",
    ),
    row(
        "R2.6",
        "by hand for a stroke that nobody heard",
        "0 new; 3 mark carom; 20 end",
        "@3 a - none? 3:0 R2.6 = 3:0 b by-hand judged",
    ),
    # The pin is taken out again, so that the carom is one without pins.
    row(
        "R2.6",
        "the only pin was annulled",
        "0 new; 1 hit 0; 1.2 fall 3; 2 mark carom; 2.5 annul 3; 4 stand 3; 20 end",
        "@1 a - none? 3:0 R2.6,R5.2 = 3:0 b judged",
    ),
    row(
        "R2.7",
        "adds nothing to a side pin",
        "0 new; 1 stroke 3; 3 mark carom; 20 end",
        "@1 a 3 legal? 2:0 R2.1,R2.7 = 2:0 a judged",
    ),
    row(
        "R2.7",
        "adds nothing to the king",
        "0 new; 1 stroke 0; 3 mark carom; 20 end",
        "@1 a 0 legal? 5:0 R2.2,R2.7 = 5:0 a judged",
    ),
    row(
        "R2.7",
        "adds 3 if so agreed",
        "0 new carom_adds=3; 1 stroke 0; 3 mark carom; 20 end",
        "@1 a 0 legal? 8:0 R2.2,R2.7 = 8:0 a judged",
    ),
    row(
        "R2.7",
        "adds 3 for the partner in a penalty",
        "0 new carom_adds=3; 1 stroke 0; 3 mark carom; 3.5 mark cue; 20 end",
        "@1 a 0 cue? 0:8 R2.2,R2.7,R4.1 = 0:8 b judged",
    ),
    row(
        "R2.7",
        "the agreement ends with the game",
        "0 new carom_adds=3; 1 new; 2 stroke 0; 4 mark carom; 20 end",
        "@2 a 0 legal? 5:0 R2.2,R2.7 = 5:0 a judged",
    ),
    row("R2.8", "nothing", "0 new; 1 stroke; 20 end", "@1 a - none? 0:0 R2.8 = 0:0 b"),
    row(
        "R2.8",
        "nothing in single stroke",
        "0 new a.mode=single; 1 stroke; 20 end",
        "@1 a - none? 0:0 R2.8 = 0:0 b",
    ),
    row(
        "R2.8",
        "a stroke that nobody heard",
        "0 new; 3 pass; 20 end",
        "@3 a - none? 0:0 R2.8 = 0:0 b by-hand",
        "ready playing - 0:0 b 1",
    ),
    row(
        "R2.8",
        "passed twice",
        "0 new; 3 pass; 4 pass; 20 end",
        "@3 a - none? 0:0 R2.8 = 0:0 b by-hand; @4 b - none? 0:0 R2.8 = 0:0 a by-hand",
    ),
    row(
        "R2.8",
        "passed while a stroke runs",
        "0 new; 1 hit 0; 2 pass; 20 end",
        "@1 a - none? 0:0 R2.8 = 0:0 b; @2 b - none? 0:0 R2.8 = 0:0 a by-hand",
    ),
    row(
        "R2.8",
        "the only pin was annulled",
        "0 new; 1 hit 0; 1.2 fall 3; 2.5 annul 3; 4 stand 3; 20 end",
        "@1 a - none? 0:0 R2.8,R5.2 = 0:0 b judged",
    ),
    row(
        "R2.8",
        "one contact heard",
        "0 new; 1 click; 1.2 click; 1.5 hit 0; 20 end",
        "@1.5 a - none 0:0 R2.8 = 0:0 b",
        sensors="click",
    ),
    row(
        "R2.8",
        "two contacts heard may be a carom",
        "0 new; 1 click; 1.2 click; 1.4 click; 1.5 hit 0; 20 end",
        "@1.5 a - none? 0:0 R2.8 = 0:0 b",
        sensors="click",
    ),
    row(
        "R2.8",
        "no click heard at all",
        "0 new; 1.5 hit 0; 20 end",
        "@1.5 a - none? 0:0 R2.8 = 0:0 b",
        sensors="click",
    ),
    row(
        "R2.8",
        "the zone says nothing of a stroke without pins",
        "0 new; 1 zone 1; 1.5 hit 0; 20 end",
        "@1.5 a - none? 0:0 R2.8 = 0:0 b",
        sensors="zone",
    ),
    row(
        "R2.8",
        "one contact heard but an edge lost",
        "0 new; 1 click; 1.2 click; 1.5 hit 0; 2 lost 1; 20 end",
        "@1.5 a - none? 0:0 R2.8 = 0:0 b lost-edges",
        "ready playing - 0:0 b 1 lost=1",
        sensors="click",
    ),
    # Clicks of what went before do not belong to this stroke.
    row(
        "R2.8",
        "an old click is not this stroke's",
        "0 new; 1 click; 7.5 click; 7.7 click; 8 hit 0; 20 end",
        "@8 a - none 0:0 R2.8 = 0:0 b",
        sensors="click",
    ),
]


@pytest.mark.parametrize("case", CAROMS)
def test_carom_and_nothing(case: Row) -> None:
    assert case.outcome() == case.expected()
