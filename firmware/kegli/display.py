"""What the LED board shows: the match as a list of lit elements, and the LEDs of each element.

An element is a number: a segment of a digit or a lamp. A light is (element, colour, blink).
A board is a list of lights, by rising element; the empty list is the blank board.
"""

from micropython import const

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    from kegli.match import Outcome
    from kegli.referee import Referee

    Lights = list[tuple[int, int, bool]]

# The colours; a player's colour has the player's number.
RED = const(0)  # player a
GREEN = const(1)  # player b
AMBER = const(2)
WHITE = const(3)

SEGMENTS = const(7)  # a top, b and c right, d bottom, e and f left, g middle: a to g clockwise

# First element of each block. A digit is seven elements, digits stand from left to right.
SCORE_A = const(0)
AWARD = const(21)  # of the last stroke
SCORE_B = const(35)
PIN = const(56)  # + pin
TURN = const(61)  # + player: who plays next
SERIES = const(63)  # + player: lit for series, dark for single stroke
OWNER = const(65)  # + player: arrow from the award to who got it
PENALTY = const(67)
CONFIRM = const(68)
CHECK = const(69)
ELEMENTS = const(70)

# The chain of LEDs, in the order in which the data passes through it.
# fmt: off
BLOCKS = (
    # element  elements  LEDs each
    (SCORE_A,  21,       2),
    (AWARD,    14,       2),
    (SCORE_B,  21,       2),
    (PIN,       5,       1),
    (TURN,      2,       1),
    (SERIES,    2,       1),
    (OWNER,     2,       1),
    (PENALTY,   1,       1),
    (CONFIRM,   1,       1),
    (CHECK,     1,       1),
)
# fmt: on


def _first_leds() -> bytes:
    """Return the number of each element's first LED, and at last the number of LEDs."""
    leds = bytearray(1)
    for _, elements, leds_each in BLOCKS:
        for _ in range(elements):
            leds.append(leds[-1] + leds_each)
    return bytes(leds)


FIRST_LED = _first_leds()  # element e has the LEDs FIRST_LED[e] to FIRST_LED[e + 1] - 1
LEDS = FIRST_LED[ELEMENTS]

# What a digit can show; bit 0 is segment a. Three bars stand for any other character.
_CHARACTERS = const("0123456789 -PCErLZbo")
_GLYPHS = const(
    b"\x3f\x06\x5b\x4f\x66\x6d\x7d\x07\x7f\x6f\x00\x40\x73\x39\x79\x50\x38\x5b\x7c\x5c"
)
_UNKNOWN = const(0x49)

_PINS = const(5)
_HIGHEST = const(999)  # that three digits can show
_BLINK_MS = const(500)


def blink_on(ms: int) -> bool:
    """Return whether blinking lights are lit at *ms* milliseconds."""
    return ms // _BLINK_MS % 2 == 0


def boot(colour: int = WHITE) -> "Lights":
    """Return the board at power-up: everything white, so that a dead LED or channel is seen."""
    return [(element, colour, False) for element in range(ELEMENTS)]


def fault(sensor: str, word: str = "Err") -> "Lights":
    """Return the board that names what is broken.

    *sensor*: at most three characters: "P" and a pin, "C" and a cushion, "CL" for click, "Zo" for
    the zone, "b" and a button, or "E" and the number of a fault of the board itself. A pin's lamp
    blinks. *word*: what stands before it; nothing where hands are asked to do something.
    """
    lights: "Lights" = []
    _write(lights, SCORE_A, word, RED, False)
    _write(lights, SCORE_B, "%3s" % sensor[:3], RED, False)
    for pin in range(_PINS):
        if sensor == "P%d" % pin:
            lights.append((PIN + pin, RED, True))
    lights.append((CHECK, AMBER, False))
    return lights


def lit(referee: "Referee", faulty: bool = False) -> "Lights":
    """Return the board that shows what *referee* knows.

    *faulty*: something is wrong with the board itself; the "check" lamp is lit, and blinks while
    no stroke runs.

    No game: dashes for scores. Over: the winner's score blinks, both if the game is drawn; once
    the last stroke is accepted, the award's digits are the games won by a and b.
    A proposal blinks, with its owner and penalty lamp, and "confirm?" is lit.
    While a stroke runs the award is two dashes and nothing blinks: each change is one more
    write to the LEDs, and a write delays what else the board has to do.
    A score above 999, which only a last award makes, is 999 with the "check" lamp.
    """
    lights: "Lights" = []
    game = referee.game
    if game is None:
        _write(lights, SCORE_A, "---", RED, False)
        _write(lights, SCORE_B, "---", GREEN, False)
        _pins(lights, referee.pins_down & ~referee.pins_absent, 0)
        if faulty:
            lights.append((CHECK, AMBER, True))
        return lights

    running = referee.state == "running"
    last = None if running else referee.last
    proposal = last is not None and _is_proposal(last)

    _score(lights, SCORE_A, game.score[0], RED, game.winner == 0 or game.result == "drawn")
    ended = game.result != "playing" and (last is None or last.accepted)
    if ended:
        last = None
    _award(lights, referee, last, proposal)
    _score(lights, SCORE_B, game.score[1], GREEN, game.winner == 1 or game.result == "drawn")
    if running:
        _pins(lights, referee.pins_down & referee.pins_felled, referee.pins_felled)
    else:
        _pins(lights, referee.pins_down & ~referee.pins_absent, last.pins if last else 0)
    if game.result == "playing":
        lights.append((TURN + game.turn, game.turn, False))
    for player in (0, 1):
        if game.modes[player] == "series":
            lights.append((SERIES + player, player, False))
    if last is not None:
        _lamps_of(lights, last, proposal)
    if faulty or max(game.score) > _HIGHEST or (last is not None and _is_doubtful(last)):
        lights.append((CHECK, AMBER, faulty and not running))
    return lights


def _is_proposal(last: "Outcome") -> bool:
    """Return whether nobody, sensors or people, has settled the stroke."""
    by_people = last.accepted or "judged" in last.flags or "by-hand" in last.flags
    return not last.certain and not by_people


def _is_doubtful(last: "Outcome") -> bool:
    """Return whether people should look at the stroke: it is unlikely, or edges were lost."""
    return "check" in last.flags or "lost-edges" in last.flags


def _award(lights: "Lights", referee: "Referee", last: "Outcome | None", proposal: bool) -> None:
    """Add the last award in the colour of who got it (R4.11: one player), white if nobody."""
    if last is not None:
        a, b = last.award
        colour = WHITE if a == b else (RED if a > b else GREEN)
        _write(lights, AWARD, "%2d" % max(a, b), colour, proposal)
    elif referee.state == "running":
        _write(lights, AWARD, "--", WHITE, False)
    elif referee.state == "over":
        won = referee.tally
        _write(lights, AWARD, "%d" % min(won[0], 9), RED, False)
        _write(lights, AWARD + SEGMENTS, "%d" % min(won[1], 9), GREEN, False)


def _lamps_of(lights: "Lights", last: "Outcome", proposal: bool) -> None:
    for player in (0, 1):
        if last.award[player]:
            lights.append((OWNER + player, player, proposal))
    if last.penalty:
        lights.append((PENALTY, AMBER, proposal))
    if proposal:
        lights.append((CONFIRM, AMBER, False))


def _pins(lights: "Lights", down: int, counted: int) -> None:
    """Add the cross: what the award counts, and what lies now.

    Anybody sees at the table which pins lie; what the board counted can be seen only here, and
    is asked for when the pins stand again. So a counted pin stays lit until the next stroke:
    amber while it lies, then white. A pin that is down and not counted blinks amber: it fell
    late, or its sensor is broken, and the table is not ready. An absent pin (R5.5) is dark.
    """
    for pin in range(_PINS):
        if down >> pin & 1:
            lights.append((PIN + pin, AMBER, not counted >> pin & 1))
        elif counted >> pin & 1:
            lights.append((PIN + pin, WHITE, False))


def _score(lights: "Lights", first: int, score: int, colour: int, blink: bool) -> None:
    _write(lights, first, "%3d" % min(score, _HIGHEST), colour, blink)


def _write(lights: "Lights", first: int, text: str, colour: int, blink: bool) -> None:
    """Add *text*, a character for a digit; *first* is the first digit's first element."""
    for character in text:
        known = _CHARACTERS.find(character)
        glyph = _UNKNOWN if known < 0 else _GLYPHS[known]
        for segment in range(SEGMENTS):
            if glyph >> segment & 1:
                lights.append((first + segment, colour, blink))
        first += SEGMENTS
