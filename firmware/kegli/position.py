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
_STROKE = const(0)
_FLAGS = const(1)
_ANNUL = const(2)
_LEAN = const(4)
_ABSENT = const(5)
_TURN = const(7)
_SCORE = const(8)
_NEXT = const(10)
_DRAW = const(11)
_RESIGN = const(12)
_ENDED = const(16)
_OWN_MARKS = const(19)
_ANNULLED = const(21)
_MARKS = const(22)
_LEANED = const(64)
_NOWHERE = const(0xFFFF)

_STROKE_BYTES = const(24)  # that are stored; none if there is no last stroke
# Number of the game, starter, equal terms, absent pins, games won by a, by b, drawn.
_HEAD = const("<HBBBHHH")
_HEAD_BYTES = const(11)
_BASE_BYTES = const(12)
_SAID_BYTES = const(7)  # scores (2 each), turn, end of the game, leaning pins
_TERMS_BYTES = const(20)
_SUM_BYTES = const(4)
_NONE = const(0xFF)
_HOLDS = const(4)  # the game ended so, whatever the last stroke says
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
    won = [0, 0, 0]
    if match.steps[game.place][0] == _NEXT:
        won = match.tally(match.games[:-1])
    data = struct.pack(
        _HEAD,
        game.number,
        game.starter,
        game.equal,
        match.absent,
        won[0],
        won[1],
        won[2],
    )
    data += fold.base() + _said_since(match.steps[end:], game) + pack_terms(game.terms)
    if last:
        stroke = match.steps[last.place][:_STROKE_BYTES]
        stroke[_OWN_MARKS:_ANNULLED] = stroke[_MARKS:]  # all of them, whoever said them
        data += stroke
    data += struct.pack("<I", crc32(data))
    return _text(game, data)


def _text(game: Game, data: bytes) -> str:
    text = b2a_base64(data).decode()[:-1]
    return "%d:%d %s %s" % (game.score[0], game.score[1], PLAYER_NAMES[game.turn], text)


def _said_since(steps: list[bytearray], game: Game) -> bytearray:
    """Return what people said after the last stroke: of each kind the last word."""
    said = bytearray((_NONE, _NONE, _NONE, _NONE, _NONE, _NONE, game.leaning))
    for step in steps:
        if step[0] == _SCORE:
            said[:4] = step[1:5]
        elif step[0] == _TURN:
            said[4] = step[1]
        elif step[0] == _DRAW:
            said[5] = _DRAWN
        elif step[0] == _RESIGN:
            said[5] = step[1]
    if said[5] != _NONE and game.fixed == (game.result, game.winner):
        said[5] |= _HOLDS
    return said


def parse_match(words: list[str]) -> "tuple[Game, list[bytearray], list[int]]":
    """Return (game, steps, games won before it) for Match.begin_at. Raise ValueError."""
    said_at = _HEAD_BYTES + _BASE_BYTES
    terms_at = said_at + _SAID_BYTES
    stroke_at = terms_at + _TERMS_BYTES
    try:
        data = a2b_base64(words[-1])
    except ValueError:
        data = b""
    end = len(data) - _SUM_BYTES
    if end not in (stroke_at, stroke_at + _STROKE_BYTES):
        raise ValueError("the match is damaged")
    if data[end:] != struct.pack("<I", crc32(data[:end])):
        raise ValueError("the match is damaged")
    number, starter, equal, absent, a, b, drawn = struct.unpack_from(_HEAD, data, 0)
    terms = unpack_terms(data[terms_at:stroke_at])
    steps = [record.small(_NEXT), bytearray(data[_HEAD_BYTES:said_at])]
    steps += [record.small(_ABSENT, pin) for pin in range(5) if absent >> pin & 1]
    if end > stroke_at:
        steps += _stroke_steps(data[stroke_at:end], len(steps))
    steps += _said_steps(data[said_at:terms_at])
    game = Game(number, 0, terms, starter, bool(equal))
    fold = game.again()
    turn = data[said_at + 4]
    if max(starter, 0 if turn == _NONE else turn) > 1:
        raise ValueError("the match is damaged")
    try:
        # What has the right checksum and still makes no sense shows in playing it.
        for step in steps:
            outcome = fold.play(step, 0)
            if outcome:
                outcome.line()
        if " ".join(words) != _text(fold, data):
            raise ValueError
    except (IndexError, ValueError):
        raise ValueError("the match is damaged")
    return game, steps, [a, b, drawn]


def _stroke_steps(data: bytes, place: int) -> list[bytearray]:
    """Return the last stroke, which stands at *place*, and what was said of it."""
    step = record.new_stroke(0, 0, 0, 0, 0)
    step[:_STROKE_BYTES] = data
    if step[0] != _STROKE or not step[_FLAGS] & _ENDED:
        raise ValueError("the match is damaged")
    steps = [step]
    steps += [record.small(_ANNUL, place, pin) for pin in range(5) if step[_ANNULLED] >> pin & 1]
    if step[_FLAGS] & _LEANED:
        steps.append(record.small(_LEAN, place))
    return steps


def _said_steps(said: bytes) -> list[bytearray]:
    """Return what was said since the last stroke."""
    steps = []
    if said[5] != _NONE:
        end = said[5] & ~_HOLDS
        holds = said[5] & _HOLDS
        if end > _DRAWN:
            raise ValueError("the match is damaged")
        steps.append(record.small(_DRAW if end == _DRAWN else _RESIGN, end, holds))
    if said[0] & said[1] != _NONE:
        steps.append(bytearray((_SCORE, said[0], said[1], said[2], said[3], 0)))
    if said[4] != _NONE:
        steps.append(record.small(_TURN, said[4]))
    for pin in range(5):
        if said[6] >> pin & 1:
            steps.append(record.small(_LEAN, _NOWHERE, pin))
    return steps
