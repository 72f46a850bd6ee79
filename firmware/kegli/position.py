"""The match as one short line: the text of a `match` line. history.py reads it.

Three words. Score and turn are for people; the third is the match itself, packed and in base 64:
how the game stood before its last stroke, what people said since, the terms, the last stroke,
and a checksum. The line says how things stand, not how they came about: undo does not reach
behind it.
"""

import struct
from binascii import b2a_base64

from micropython import const

from . import record
from .match import PLAYER_NAMES, Game, Match, pack_terms

# As in record.py, folded in by the compiler.
_FLAGS = const(1)
_LEAN = const(4)
_TURN = const(7)
_SCORE = const(8)
_NEXT = const(10)
_DRAW = const(11)
_RESIGN = const(12)
_OWN_MARKS = const(19)
_ANNULLED = const(21)
_MARKS = const(22)

_LAST_BYTES = const(24)  # that are stored; none if there is no last stroke
# Number of the game, starter, equal terms (bit 0) with the pins that an `ok` set aside (bits 1
# to 5), absent pins, games won by a, by b, drawn.
_HEAD = const("<HBBBHHH")
_HEAD_BYTES = const(11)
_BASE_BYTES = const(12)
_SAID_BYTES = const(7)  # scores (2 each), turn, end of the game, leaning pins
_TERMS_BYTES = const(20)
_NONE = const(0xFF)
_HOLDS = const(4)  # the game ended so, whatever the last stroke says
_DRAWN = const(2)  # as the end of a game; else the player who resigned


def format_match(match: Match, aside: int = 0, flags: int = 0xFF) -> str:
    """Return the text of a `match` line, at most 122 characters; "" before the first game.

    *aside*: the pins that an `ok` set aside, as a set. *flags*: those that the last stroke may
    keep. A stroke that runs is left out.
    """
    game = match.game
    if not game:
        return ""
    last = game.last
    end = last.place if last else game.place + 1
    base = game.before_last if last else game.again().base()
    won = [0, 0, 0]
    if match.steps[game.place][0] == _NEXT:
        won = match.tally(match.games[:-1])
    data = struct.pack(
        _HEAD,
        game.number,
        game.starter,
        game.equal | aside << 1,
        match.absent,
        won[0],
        won[1],
        won[2],
    )
    data += base + _said_since(match, end) + pack_terms(game.terms)
    if last:
        stroke = match.steps[last.place][:_LAST_BYTES]
        stroke[_FLAGS] &= flags
        stroke[_OWN_MARKS:_ANNULLED] = stroke[_MARKS:]  # all of them, whoever said them
        data += stroke
    return text_of(game, record.sealed(data))


def text_of(game: Game, data: bytes) -> str:
    """Return the text for *data*, whose last stroke leaves *game* as it stands."""
    text = b2a_base64(data).decode()[:-1]
    return "%d:%d %s %s" % (game.score[0], game.score[1], PLAYER_NAMES[game.turn], text)


def _said_since(match: Match, place: int) -> bytearray:
    """Return what people said from *place* on: of each kind the last word."""
    game = match.games[-1]
    said = bytearray((_NONE, _NONE, _NONE, _NONE, _NONE, _NONE, game.leaning))
    for step in match.steps[place:]:
        if step[0] == _SCORE:
            said[:4] = step[1:5]
        elif step[0] == _TURN:
            said[4] = step[1]
        elif step[0] == _DRAW:
            said[5] = _DRAWN
        elif step[0] == _RESIGN:
            said[5] = step[1]
        elif step[0] == _LEAN and not step[5] and record.word(step, 1) == match.running:
            said[6] |= 1 << step[3]  # the stroke goes, a pin that leans stays
    if said[5] != _NONE and game.fixed == (game.result, game.winner):
        said[5] |= _HOLDS
    return said
