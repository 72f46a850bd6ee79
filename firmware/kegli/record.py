"""Steps of the record, packed: a stroke, or one thing that a person said, in 24 bytes at most.

A step is a bytearray. Its first byte is its kind; the rest depends on it:

    stroke    flags, time (8 bytes), pins fallen, fallen late, absent when it began, evidence
              of five pins (5), contacts and sensors, own marks (2), and last what the steps
              after it make of it: annulled pins, marks (2)
    mark      stroke (2), mark (2)          annul    stroke (2), pin
    judge     stroke (2), marks (2)         lean     stroke that ran (2) or NOWHERE, pin, cancelled
    absent    pin                           present  pin
    turn      player                        score    scores (2 each)
    new       the terms (match.py)       next     -
    draw      -, holds                      resign   player (2), holds: also if it was over
    base      strokes (2), scores (2 each), turn, repeats of a and b, leaning pins, by hand: how a
              game stood that a `match` line began

A stroke is named by its place in the list of steps. Strokes keep the evidence of each pin,
so that an annulled or added pin is judged anew without the edges.

MicroPython folds private constants in, but not those of other modules, and a public one costs
heap. So modules that share some have copies, which tests/test_constants.py holds together.
"""

import struct
from binascii import crc32

from micropython import const

_STROKE = const(0)
_MARK = const(1)
_ANNUL = const(2)
_JUDGE = const(3)
_LEAN = const(4)
_ABSENT = const(5)
_PRESENT = const(6)
_TURN = const(7)
_SCORE = const(8)
_NEW = const(9)
_NEXT = const(10)
_DRAW = const(11)
_RESIGN = const(12)
_BASE = const(13)

_NOWHERE = const(0xFFFF)

# Flags of a stroke.
_PLAYER = const(1)  # bit of the player, 0 for a, 1 for b: who played it, never changed
_BY_HAND = const(2)
_ACCEPTED = const(4)
_EDGES_LOST = const(8)
_ENDED = const(16)
_HIT_HEARD = const(32)
_LEANED = const(64)  # a pin leaned on the cue ball, said while the stroke ran
_FRESH = const(128)  # since it began no pin was lifted, since its end nothing was heard

# Places in a stroke.
_FLAGS = const(1)
_FELL = const(10)
_LATE = const(11)
_ABSENT_THEN = const(12)
_EVIDENCE = const(13)
_CONTACTS = const(18)
_OWN_MARKS = const(19)  # a word
_ANNULLED = const(21)
_MARKS = const(22)  # a word

# What follows in memory, and is not stored: the number (0: it has no line) and the checksum
# that its line had.
_NUMBER = const(24)  # a word
_SUM = const(26)  # two words
_SIZE = const(30)

# Evidence of a pin: hit in bits 0 and 1, zone in bits 2 and 3 (judge.NO, POSSIBLY, SURELY),
# then one of these pairs of contacts after the cue's own before the fall: surely, and at most.
PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
_NO_CUE = const(6)  # the cue's own click was not surely before the fall, or not heard

_NO_CLICK = const(3)  # in the low two bits of CONTACTS: no click at all; else 0, 1, 2 (or more)


def new_stroke(t_us: int, player: int, absent: int, flags: int, marks: int) -> bytearray:
    """Return a stroke that begins at *t_us* with these *flags* and own *marks*."""
    step = bytearray(_SIZE)
    step[_FLAGS] = player | flags
    struct.pack_into("<Q", step, 2, t_us)
    step[_ABSENT_THEN] = absent
    step[_CONTACTS] = _NO_CLICK
    set_word(step, _OWN_MARKS, marks)
    set_word(step, _MARKS, marks)
    return step


def t_us(step: bytearray) -> int:
    """Return the time of a stroke in microseconds."""
    (value,) = struct.unpack_from("<Q", step, 2)
    return int(value)


def set_t_us(step: bytearray, value: int) -> None:
    """Set the time of a stroke in microseconds."""
    struct.pack_into("<Q", step, 2, value)


def word(step: bytearray, place: int) -> int:
    """Return the two bytes at *place* as a number."""
    return step[place] | step[place + 1] << 8


def set_word(step: bytearray, place: int, value: int) -> None:
    """Set the two bytes at *place*."""
    step[place] = value & 255
    step[place + 1] = value >> 8


def small(kind: int, first: int = 0, second: int = 0) -> bytearray:
    """Return a step with a word *first*, then a word *second*, then an empty byte."""
    return bytearray((kind, first & 255, first >> 8, second & 255, second >> 8, 0))


def pins(step: bytearray) -> tuple[int, int]:
    """Return the sets of pins that count: fallen in the stroke, fallen late."""
    standing = ~step[_ANNULLED]
    return step[_FELL] & standing, step[_LATE] & standing


def sealed(data: "bytes | bytearray") -> bytes:
    """Return *data* with a checksum behind it, four bytes."""
    return bytes(data) + struct.pack("<I", crc32(data))


def opened(data: "bytes | bytearray") -> bytes:
    """Return what was sealed, b"" if it is damaged."""
    inside = bytes(data[:-4])
    return inside if inside and sealed(inside) == bytes(data) else b""
