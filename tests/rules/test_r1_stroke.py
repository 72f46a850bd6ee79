"""RULES.md chapter R1: when a stroke begins and ends, and what is suppressed between strokes."""

from itertools import permutations

import pytest

from tests.play import Row, play, row, script, stroke_text

NOTHING_1 = "@1 a - none? 0:0 R2.8 = 0:0 b"
KING_1 = "@1 a 0 legal? 5:0 R2.2 = 5:0 a"
ALONE_1 = "@1 a 0 doubt? 0:5 R2.2,R4.3 = 0:5 b"

BEGINNING = [
    row(
        "R1.1", "begins with a hit", "0 new; 1 hit 0; 8 end", NOTHING_1, "ready playing - 0:0 b 1"
    ),
    row(
        "R1.1", "begins with a fall", "0 new; 1 fall 0; 8 end", ALONE_1, "review playing - 0:5 b 1"
    ),
    row("R1.1", "needs a game", "1 hit 0; 8 end", "", ""),
    row("R1.1", "game on but nothing sensed", "0 new; 60 end", "", "ready playing - 0:0 a 0"),
    row(
        "R1.1",
        "a lost edge begins none",
        "0 new; 1 lost 2; 8 end",
        "",
        "ready playing - 0:0 a 0 lost=2",
    ),
    row("R1.1", "a rock begins none", "0 new; 1 rock 3 0.1; 8 end", "", "ready playing - 0:0 a 0"),
    row(
        "R1.1",
        "time is that of the first hit",
        "0 new; 1 hit 0; 2 hit 1; 2.5 fall 0; 9 end",
        KING_1,
    ),
    # The fall began before the hit that began the stroke.
    row(
        "R1.1", "time is that of a fall known later", "0 new; 1 fall 0; 1.05 hit 0; 9 end", ALONE_1
    ),
    row("R1.1", "one click begins none", "0 new; 1 click; 9 end", "", sensors="click"),
    row(
        "R1.1",
        "second click begins",
        "0 new; 1 click; 1.3 click; 9 end",
        "@1.3 a - none 0:0 R2.8 = 0:0 b",
        sensors="click",
    ),
    row("R1.1", "clicks without their sensor", "0 new; 1 click; 1.3 click; 9 end", ""),
    row(
        "R1.1",
        "second click just within the quiet time",
        "0 new; 1 click; 6.999999 click; 15 end",
        "@6.999999 a - none 0:0 R2.8 = 0:0 b",
        sensors="click",
    ),
    row(
        "R1.1",
        "second click at the quiet time",
        "0 new; 1 click; 7 click; 15 end",
        "",
        sensors="click",
    ),
    row(
        "R1.1",
        "third click pairs with the second",
        "0 new; 1 click; 7.5 click; 8 click; 15 end",
        "@8 a - none 0:0 R2.8 = 0:0 b",
        sensors="click",
    ),
    row(
        "R1.1",
        "a hit gives the time after a click began",
        "0 new; 1 click; 1.3 click; 1.8 hit 0; 9 end",
        "@1.8 a - none 0:0 R2.8 = 0:0 b",
        sensors="click",
    ),
    row(
        "R1.1",
        "a click of the last stroke does not pair",
        "0 new; 1 click; 1.3 click; 2 done; 2.2 click; 9 end",
        "@1.3 a - none 0:0 R2.8 = 0:0 b",
        sensors="click",
    ),
    row(
        "R1.1",
        "two clicks after the last stroke pair",
        "0 new; 1 click; 1.3 click; 2 done; 2.2 click; 2.4 click; 9 end",
        "@1.3 a - none 0:0 R2.8 = 0:0 b; @2.4 b - none 0:0 R2.8 = 0:0 a",
        sensors="click",
    ),
]

NOTHING_2 = "; @%s b - none? 0:0 R2.8 = 0:0 a"

ENDING = [
    row("R1.1", "runs before the quiet time", "0 new; 1 hit 0; 6.999999 end", ""),
    row(
        "R1.1",
        "over at the quiet time",
        "0 new; 1 hit 0; 7 end",
        NOTHING_1,
        "ready playing - 0:0 b 1",
    ),
    row("R1.1", "hit before the quiet time", "0 new; 1 hit 0; 6.999999 hit 1; 20 end", NOTHING_1),
    row(
        "R1.1",
        "hit at the quiet time",
        "0 new; 1 hit 0; 7 hit 1; 20 end",
        NOTHING_1 + NOTHING_2 % "7",
    ),
    row(
        "R1.1",
        "hit after the quiet time",
        "0 new; 1 hit 0; 7.000001 hit 1; 20 end",
        NOTHING_1 + NOTHING_2 % "7.000001",
    ),
    row(
        "R1.1",
        "each hit prolongs",
        "0 new; 1 hit 0; 5 hit 1; 10.9 hit 2; 16.899999 hit 3; 30 end",
        NOTHING_1,
    ),
    row("R1.1", "fall before the quiet time", "0 new; 1 hit 0; 6.999999 fall 0; 20 end", KING_1),
    row(
        "R1.1",
        "a rock prolongs",
        "0 new; 1 hit 0; 5 rock 3 0.1; 11.099999 hit 1; 30 end",
        NOTHING_1,
    ),
    row(
        "R1.1",
        "a rock prolongs no further",
        "0 new; 1 hit 0; 5 rock 3 0.1; 11.1 hit 1; 30 end",
        NOTHING_1 + NOTHING_2 % "11.1",
    ),
    row(
        "R1.1",
        "a bounce prolongs",
        "0 new; 1 hit 0; 5 rock 3 0.001; 11.000999 hit 1; 30 end",
        NOTHING_1,
    ),
    row(
        "R1.1",
        "a lost edge prolongs",
        "0 new; 1 hit 0; 5 lost 2; 10.999999 hit 1; 30 end",
        NOTHING_1 + " lost-edges",
        "ready playing - 0:0 b 1 lost=2",
    ),
    row(
        "R1.1",
        "a lost edge prolongs no further",
        "0 new; 1 hit 0; 5 lost 2; 11 hit 1; 30 end",
        NOTHING_1 + " lost-edges" + NOTHING_2 % "11",
    ),
    # Edges lost between a stroke's first event and the moment it is known are lost in it.
    row(
        "R1.1",
        "an edge lost while its first fall is not yet known",
        "0 new; 1 fall 0; 1.05 lost 1; 9 end",
        ALONE_1 + " lost-edges",
    ),
    row(
        "R1.1",
        "an edge lost while its lone fall is undecided",
        "0 new; 1 hit 0; 10 fall 3; 11 lost 1; 12 hit 1; 30 end",
        NOTHING_1 + "; @10 b 3 doubt? 2:0 R2.1,R4.3 = 2:0 a lost-edges",
    ),
    row(
        "R1.1",
        "an edge lost before it",
        "0 new; 0.9 lost 1; 1 fall 0; 9 end",
        ALONE_1,
    ),
    row(
        "R1.1",
        "sensors not fitted prolong nothing",
        "0 new; 1 hit 0; 5 click; 5 zone 1; 7 hit 1; 20 end",
        NOTHING_1 + NOTHING_2 % "7",
    ),
    row(
        "R1.1",
        "a zone line prolongs",
        "0 new; 1 hit 0; 5 zone 1; 10.999999 hit 1; 30 end",
        NOTHING_1,
        sensors="zone",
    ),
    row(
        "R1.1",
        "buttons and commands prolong nothing",
        "0 new; 1 hit 0; 5 press carom 0.1; 6 mark off; 7 hit 1; 20 end",
        "@1 a - none? 0:5 R2.6,R4.5 = 0:5 b judged; @7 b - none? 0:0 R2.8 = 0:5 a",
    ),
    row(
        "R1.1",
        "a hit before the pins are still belongs to it",
        "0 new; 1 hit 0; 1.2 fall 0; 3 stand 0; 3.999999 hit 1; 20 end",
        KING_1,
    ),
    row(
        "R1.1",
        "over when the pins are still",
        "0 new; 1 hit 0; 1.2 fall 0; 3 stand 0; 4 hit 1; 20 end",
        KING_1 + "; @4 a - none? 0:0 R2.8 = 5:0 b",
    ),
    row(
        "R1.1",
        "one of two pins still down",
        "0 new; 1 hit 0; 1.2 fall 0,3; 3 stand 0; 8.999999 hit 1; 30 end",
        "@1 a 0,3 legal? 5:0 R2.2 = 5:0 a",
    ),
    row(
        "R1.1",
        "a rocking pin is not still",
        "0 new; 1 hit 0; 1.2 fall 0; 3 stand 0; 3.5 rock 0 0.1; 4.599999 hit 1; 20 end",
        KING_1,
    ),
    row(
        "R1.1",
        "ended by done",
        "0 new; 1 hit 0; 2 done; 2.1 hit 1; 20 end",
        NOTHING_1 + NOTHING_2 % "2.1",
    ),
    row(
        "R1.1",
        "ended by ok",
        "0 new; 1 hit 0; 2 ok; 2.1 hit 1; 20 end",
        NOTHING_1 + NOTHING_2 % "2.1",
    ),
    row(
        "R1.1",
        "a longer quiet time",
        "0 new; 1 hit 0; 8.999999 hit 1; 30 end",
        NOTHING_1,
        settings="quiet_ms=8000",
    ),
    row(
        "R1.1",
        "a longer quiet time reached",
        "0 new; 1 hit 0; 9 hit 1; 30 end",
        NOTHING_1 + NOTHING_2 % "9",
        settings="quiet_ms=8000",
    ),
    row(
        "R1.1",
        "a longer time to be still",
        "0 new; 1 hit 0; 1.2 fall 0; 3 stand 0; 4.999999 hit 1; 20 end",
        KING_1,
        settings="ready_ms=2000",
    ),
    row(
        "R1.1",
        "a longer time to be still reached",
        "0 new; 1 hit 0; 1.2 fall 0; 3 stand 0; 5 hit 1; 20 end",
        KING_1 + "; @5 a - none? 0:0 R2.8 = 5:0 b",
        settings="ready_ms=2000",
    ),
]

FALLS = [
    row("R1.1", "tilted for less than 150 ms", "0 new; 1 rock 0 0.149999; 9 end", ""),
    row("R1.1", "tilted for 150 ms", "0 new; 1 rock 0 0.15; 9 end", ALONE_1),
    row("R1.1", "tilted for more than 150 ms", "0 new; 1 rock 0 0.150001; 9 end", ALONE_1),
    row(
        "R1.1",
        "fall not yet confirmed",
        "0 new; 1 fall 0; 1.149999 end",
        "",
        "ready playing - 0:0 a 0",
    ),
    row(
        "R1.1",
        "an edge within 60 ms is the same movement",
        "0 new; 1 pin 0 1; 1.059999 pin 0 0; 1.119998 pin 0 1; 9 end",
        ALONE_1,
    ),
    row(
        "R1.1",
        "an edge after 60 ms is a new movement",
        "0 new; 1 pin 0 1; 1.06 pin 0 0; 1.12 pin 0 1; 9 end",
        "@1.12 a 0 doubt? 0:5 R2.2,R4.3 = 0:5 b",
    ),
    row(
        "R1.1",
        "150 ms count from the last edge",
        "0 new; 1 pin 0 1; 1.05 pin 0 0; 1.1 pin 0 1; 1.249999 pin 0 0; 9 end",
        "",
    ),
    row(
        "R1.1",
        "150 ms from the last edge reached",
        "0 new; 1 pin 0 1; 1.05 pin 0 0; 1.1 pin 0 1; 1.25 pin 0 0; 9 end",
        ALONE_1,
    ),
    row(
        "R1.1",
        "a repeated level is no edge",
        "0 new; 1 pin 0 1; 1.05 pin 0 1; 1.15 pin 0 0; 9 end",
        ALONE_1,
    ),
    row("R1.1", "longer hold", "0 new; 1 rock 0 0.199999; 9 end", "", settings="fall_hold_ms=200"),
    row(
        "R1.1",
        "longer hold reached",
        "0 new; 1 rock 0 0.2; 9 end",
        ALONE_1,
        settings="fall_hold_ms=200",
    ),
    row("R1.1", "longer bounce", "0 new; 1 rock 0 0.299999; 9 end", "", settings="bounce_ms=300"),
    row(
        "R1.1",
        "longer bounce reached",
        "0 new; 1 rock 0 0.3; 9 end",
        ALONE_1,
        settings="bounce_ms=300",
    ),
    row(
        "R1.2",
        "a fall confirmed after the end belongs to its stroke",
        "0 new; 1 hit 0; 2 fall 0; 2.05 done; 9 end",
        KING_1,
    ),
    row(
        "R1.2",
        "pins of one stroke are valued together",
        "0 new; 1 hit 0; 1.2 fall 0; 3 fall 1; 6 fall 2; 20 end",
        "@1 a 0,1,2 legal? 7:0 R2.3 = 7:0 a",
    ),
    row(
        "R1.2",
        "a pin counts once",
        "0 new; 1 hit 0; 1.2 fall 3; 3 stand 3; 3.5 fall 3; 5 stand 3; 20 end",
        "@1 a 3 legal? 2:0 R2.1 = 2:0 a",
    ),
]

# The board restarts and its clock goes on.
RESTART = [
    row(
        "R1.1",
        "a stroke that runs is dropped",
        "0 new; 1 hit 0; 1.2 fall 0; 2 boot watchdog; 9 end",
        "",
        "review playing - 0:0 a 0",
    ),
    row(
        "R1.1",
        "with its marks",
        "0 new; 1 hit 0; 1.2 fall 0; 1.5 mark off; 2 boot watchdog; 3 stand 0; 4 hit 1; 20 end",
        "@4 a - none? 0:0 R2.8 = 0:0 b",
    ),
    row(
        "R1.3",
        "the table has to get ready again",
        "0 new; 1 hit 0; 1.2 fall 0; 2 boot software; 3 stand 0; 3.999999 hit 1; 20 end",
        "",
        "ready playing - 0:0 a 0",
    ),
    row("R1.1", "a movement is forgotten", "0 new; 1 fall 0; 1.1 boot watchdog; 9 end", ""),
    row(
        "R1.1",
        "a press is forgotten",
        "0 new; 1 stroke; 8 btn carom 1; 8.1 boot watchdog; 8.2 btn carom 0; 20 end",
        NOTHING_1,
    ),
    row(
        "R1.1",
        "a click is forgotten",
        "0 new; 1 click; 1.1 boot watchdog; 1.3 click; 20 end",
        "",
        sensors="click",
    ),
    row(
        "R1.1",
        "strokes that have ended stay",
        "0 new; 1 stroke 0; 6 boot watchdog; 20 end",
        KING_1,
    ),
]

HAND = "0 new; 1 hit 0; 1.2 fall 0; 2 done; "
NEXT = "; @%s a - none? 0:0 R2.8 = 5:0 b"

SUPPRESSED = [
    row("R1.3", "a pin is down", HAND + "4 hit 1; 20 end", KING_1, "review playing - 5:0 a 1"),
    row(
        "R1.3",
        "not yet still",
        HAND + "5 stand 0; 5.999999 hit 1; 20 end",
        KING_1,
        "ready playing - 5:0 a 1",
    ),
    row("R1.3", "still", HAND + "5 stand 0; 6 hit 1; 20 end", KING_1 + NEXT % "6"),
    row(
        "R1.3",
        "still for longer",
        HAND + "5 stand 0; 6.000001 hit 1; 20 end",
        KING_1 + NEXT % "6.000001",
    ),
    row(
        "R1.3", "a rock delays", HAND + "5 stand 0; 5.5 rock 1 0.1; 6.599999 hit 1; 20 end", KING_1
    ),
    row(
        "R1.3",
        "a rock delays no further",
        HAND + "5 stand 0; 5.5 rock 1 0.1; 6.6 hit 1; 20 end",
        KING_1 + NEXT % "6.6",
    ),
    row(
        "R1.3",
        "one of two pins is down",
        "0 new; 1 hit 0; 1.2 fall 0,3; 2 done; 5 stand 0; 9 hit 1; 20 end",
        "@1 a 0,3 legal? 5:0 R2.2 = 5:0 a",
        "review playing - 5:0 a 1",
    ),
    row(
        "R1.3",
        "a pin that did not fall rocks",
        "0 new; 1 hit 0; 1.2 fall 0; 3 stand 0; 3.5 rock 3 0.1; 4.3 hit 1; 4.6 hit 2; 20 end",
        KING_1 + NEXT % "4.6",
    ),
    row(
        "R1.3",
        "a pin knocked over while others are set up",
        HAND + "4 stand 0; 4.5 fall 3; 6 stand 3; 20 end",
        KING_1,
        "ready playing - 5:0 a 1",
    ),
    row(
        "R1.3",
        "until that one stands and is still",
        HAND + "4 stand 0; 4.5 fall 3; 6 stand 3; 6.999999 hit 0; 7 hit 1; 20 end",
        KING_1 + NEXT % "7",
    ),
    row(
        "R1.3",
        "a rock leaves a ready table ready",
        "0 new; 1 pin 3 1; 1.1 hit 0; 1.14 pin 3 0; 20 end",
        "@1.1 a - none? 0:0 R2.8 = 0:0 b",
    ),
    row(
        "R1.3",
        "down before the game",
        "0 pin 3 1; 1 new; 3 hit 0; 20 end",
        "",
        "review playing - 0:0 a 0",
    ),
    row(
        "R1.3",
        "set up after the game began",
        "0 pin 3 1; 1 new; 3 stand 3; 4 hit 0; 20 end",
        "@4 a - none? 0:0 R2.8 = 0:0 b",
    ),
    row(
        "R1.3",
        "a fall begun before its game",
        "0.9 fall 3; 1 new; 20 end",
        "",
        "review playing - 0:0 a 0",
    ),
    row(
        "R1.3",
        "clicks before it was ready count",
        "0 new; 1 hit 0; 1.2 fall 0; 2 done; 5 stand 0; 5.5 click; 5.8 click; 6.2 hit 1; 20 end",
        KING_1 + "; @6.2 a - none 0:0 R2.8 = 5:0 b",
        sensors="click",
    ),
    row(
        "R1.3",
        "noise after the end of a game",
        "0 new a.target=5; 1 stroke 0; 6 hit 1; 7 fall 3; 7.2 fall 4; 9 hit 2; 20 end",
        KING_1,
        "over won a 5:0 a 1",
    ),
]


@pytest.mark.parametrize("case", BEGINNING)
def test_a_stroke_begins(case: Row) -> None:
    assert case.outcome() == case.expected()


@pytest.mark.parametrize("case", ENDING)
def test_a_stroke_ends(case: Row) -> None:
    assert case.outcome() == case.expected()


@pytest.mark.parametrize("case", FALLS)
def test_a_pin_falls(case: Row) -> None:
    assert case.outcome() == case.expected()


@pytest.mark.parametrize("case", RESTART)
def test_a_restart(case: Row) -> None:
    assert case.outcome() == case.expected()


@pytest.mark.parametrize("case", SUPPRESSED)
def test_what_is_suppressed(case: Row) -> None:
    assert case.outcome() == case.expected()


STATES = [
    ("R1.1", "0 hit 0; 1 end", []),
    ("R1.1", "0 new; 1 end", ["ready"]),
    ("R1.1", "0 new; 1 hit 0; 2 end", ["running"]),
    ("R1.1", "0 new; 1 hit 0; 1.2 fall 0; 3 stand 0; 3.999999 end", ["running"]),
    ("R1.1", "0 new; 1 hit 0; 1.2 fall 0; 3 stand 0; 4 end", ["ready"]),
    ("R1.3", "0 new; 1 hit 0; 1.2 fall 0; 2 done; 5 stand 0; 5.999999 end", ["review"]),
    ("R1.3", "0 new; 1 hit 0; 1.2 fall 0; 2 done; 5 stand 0; 6 end", ["ready"]),
    ("R1.3", "0 new a.target=5; 1 stroke 0; 9 end", ["over"]),
]


@pytest.mark.parametrize(("clause", "steps", "states"), STATES)
def test_state_of_the_game(clause: str, steps: str, states: list[str]) -> None:
    assert [game["state"] for game in play(script(steps)).games] == states


# R1.2: five pins within 20 us, each with 30 bounces, in any order: all five, down once.
@pytest.mark.parametrize(
    "order", list(permutations(range(5))), ids=lambda order: "R1.2-" + "".join(map(str, order))
)
def test_five_pins_at_once(order: tuple[int, ...]) -> None:
    bounces = [
        (1_200_000 + 1_000 * edge + 4 * place, f"pin {pin} {1 - edge % 2}")
        for edge in range(61)
        for place, pin in enumerate(order)
    ]
    lines = ["0 cmd new", "1000000 hit 0", *("%d %s" % line for line in bounces), "9000000 end"]
    (stroke,) = play("\n".join(lines)).strokes
    assert stroke_text(stroke) == "@1 a 0,1,2,3,4 legal? 30:0 R2.5 = 30:0 a"
