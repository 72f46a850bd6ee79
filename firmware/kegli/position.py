"""The match as one short line, and back: the text of a `match` line.

Three words. Score and turn are for people; the third is the match itself, packed and in base 64:
how the game stood before its last stroke, what people said since, the terms, the last stroke,
and a checksum. The line says how things stand, not how they came about: undo does not reach
behind it.
"""

import struct
from binascii import a2b_base64, b2a_base64, crc32

from micropython import const

from . import record
from .match import PLAYER_NAMES, Game, Match, pack_terms, unpack_terms

# As in record.py, folded in by the compiler.
_FLAGS = const(1)
_LEAN = const(4)
_ABSENT = const(5)
_TURN = const(7)
_SCORE = const(8)
_NEXT = const(10)
_DRAW = const(11)
_RESIGN = const(12)
_BASE = const(13)
_NOWHERE = const(0xFFFF)

_STROKE_BYTES = const(24)  # that are stored; none if there is no last stroke
_HEAD = const(
    "<HBBBBBB"
)  # number of the game, starter, equal terms, absent, games won by a, b, drawn
_HEAD_BYTES = const(8)
_BASE_BYTES = const(12)
_SAID_BYTES = const(7)  # scores (2 each), turn, end of the game, leaning pins
_TERMS_BYTES = const(20)
_SUM_BYTES = const(4)
_NONE = const(0xFF)
_DRAWN = const(2)  # as the end of a game; else the player who resigned


def format_match(match: Match) -> str:
    """Return the text of a `match` line, at most 122 characters; "" before the first game."""
    game = match.game
    if not game:
        return ""
    last = game.last
    end = last.place if last else game.place + 1
    fold = game.again()
    for place in range(game.place + 1, end):
        fold.play(match.steps[place], place)
    won = match.tally(match.games[:-1])
    data = struct.pack(
        _HEAD, game.number, game.starter, game.equal, match.absent, won[0], won[1], won[2]
    )
    data += fold.base() + _said_since(match.steps[end:], game.leaning) + pack_terms(game.terms)
    if last:
        data += match.steps[last.place][:_STROKE_BYTES]
    data += struct.pack("<I", crc32(data))
    text = b2a_base64(data).decode()
    return "%d:%d %s %s" % (game.score[0], game.score[1], PLAYER_NAMES[game.turn], text[:-1])


def _said_since(steps: list[bytearray], leaning: int) -> bytearray:
    """Return what people said after the last stroke: of each kind the last word."""
    said = bytearray((_NONE, _NONE, _NONE, _NONE, _NONE, _NONE, leaning))
    for step in steps:
        if step[0] == _SCORE:
            said[:4] = step[1:5]
        elif step[0] == _TURN:
            said[4] = step[1]
        elif step[0] == _DRAW:
            said[5] = _DRAWN
        elif step[0] == _RESIGN:
            said[5] = step[1]
    return said


def parse_match(words: list[str]) -> "tuple[Game, list[bytearray], list[int]]":
    """Return (game, steps, games won before it) for Match.begin_at. Raise ValueError."""
    data = a2b_base64(words[-1])
    said = _HEAD_BYTES + _BASE_BYTES
    terms = said + _SAID_BYTES
    stroke = terms + _TERMS_BYTES
    end = len(data) - _SUM_BYTES
    if end not in (stroke, stroke + _STROKE_BYTES) or data[end:] != struct.pack(
        "<I", crc32(data[:end])
    ):
        raise ValueError("the match is damaged")
    number, starter, equal, absent, a, b, drawn = struct.unpack_from(_HEAD, data, 0)
    game = Game(number, 0, unpack_terms(data[terms:stroke]), starter, equal)
    steps = [record.small(_NEXT), bytearray(data[_HEAD_BYTES:said])]
    for pin in range(5):
        if absent >> pin & 1:
            steps.append(record.small(_ABSENT, pin))
    if end > stroke:
        step = record.new_stroke(0, 0, 0, 0, 0)
        step[:_STROKE_BYTES] = data[stroke:end]
        steps.append(step)
    if data[said] & data[said + 1] != _NONE:
        steps.append(bytearray((_SCORE,)) + data[said : said + 4])
    if data[said + 4] != _NONE:
        steps.append(record.small(_TURN, data[said + 4]))
    if data[said + 5] != _NONE:
        drawn_now = data[said + 5] == _DRAWN
        steps.append(record.small(_DRAW if drawn_now else _RESIGN, data[said + 5]))
    for pin in range(5):
        if data[said + 6] >> pin & 1:
            steps.append(record.small(_LEAN, _NOWHERE, pin))
    return game, steps, [a, b, drawn]
