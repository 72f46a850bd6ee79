"""Points, penalties and marks of a stroke, each with the clause of RULES.md that gives it."""

from micropython import const

# As in judge.py, folded in by the compiler.
_LEGAL = const(1)
_CUE = const(2)
_DIRECT = const(3)
_DOUBT = const(4)

_KING = const(0b00001)  # bit of the king in a set of pins; bits 1 to 4 are the side pins

CAROM_POINTS = const(3)  # R2.6
_SIDE_FINE = const(2)  # R4.7: the one amount that the source states

# Marks of a stroke in one integer: the verdict that people gave in the lowest three bits
# (0: none), then one bit each.
_MARKED_VERDICT = const(7)
_CAROM = const(0x0008)
_MISS = const(0x0010)
_OFF = const(0x0020)
_TOUCH = const(0x0040)
_SIDE = const(0x0080)
_BUTT = const(0x0100)
_WHITE_OFF = const(0x0200)
_POCKET_WHITE = const(0x0400)
_POCKET_CUE = const(0x0800)
_REPEAT = const(0x1000)
_LEAN_OFF = const(0x2000)  # `valid` took R5.3 back

MARKS = {
    "valid": _LEGAL,
    "cue": _CUE,
    "direct": _DIRECT,
    "doubt": _DOUBT,
    "carom": _CAROM,
    "miss": _MISS,
    "off": _OFF,
    "touch": _TOUCH,
    "side": _SIDE,
    "butt": _BUTT,
    "white-off": _WHITE_OFF,
    "pocket-white": _POCKET_WHITE,
    "pocket-cue": _POCKET_CUE,
    "repeat": _REPEAT,
}
_FAULTS = const(0x0BF0)

# fmt: off
_PIN_POINTS = const((
    # clause, points: by the number of side pins down, without the king and with it
    (("", 0),     ("R2.1", 2), ("R2.1", 4), ("R2.1", 6), ("R2.1", 8)),
    (("R2.2", 5), ("R2.2", 5), ("R2.3", 7), ("R2.4", 9), ("R2.5", 30)),
))

VERDICT_CLAUSES = ("", "", "R4.1", "R4.2", "R4.3")  # of cue, direct, doubt, a pin felled

PENALTIES = (
    # marks         clause  fine (-1: as agreed)
    (_MISS,         "R4.4", -1),
    (_OFF,          "R4.5", -1),
    (_TOUCH,        "R4.6", -1),
    (_SIDE | _BUTT, "R4.7", _SIDE_FINE),
    (_WHITE_OFF,    "R4.8", -1),
    (_POCKET_CUE,   "R8.3", -1),
)
# fmt: on


def pin_points(pins: int) -> tuple[str, int]:
    """Return (clause, points) for the set of *pins* felled in one stroke (R1.2, R2)."""
    side_pins = bin(pins & ~_KING).count("1")
    return _PIN_POINTS[pins & _KING][side_pins]


def add_mark(marks: int, mark: int) -> int:
    """Return *marks* with one of MARKS added: the last verdict holds, the others add up."""
    if mark > _MARKED_VERDICT:
        return marks | mark
    marks = marks & ~_MARKED_VERDICT | mark
    if mark == _LEGAL:
        marks = marks & ~_FAULTS | _LEAN_OFF
    return marks
