"""`match` lines read, and the record with all its steps written and read.

Imported on demand. The first text is where the record begins, in the form of position.py: undo
does not reach behind it. Then come the steps from there on, and those that wait to be redone:

    + DATA    steps that go on from what stands
    - DATA    steps that were undone, the one to be redone first last
    empty     an empty record: before the first game this is where the steps begin

DATA is packed steps and a checksum, in base 64. A stroke has its first 21 bytes, without what the
steps after it make of it; any other step is whole.
"""

import struct
from binascii import a2b_base64, b2a_base64

from micropython import const

from . import record, rules
from .match import Game, Match, unpack_terms
from .position import format_match, text_of
from .terms import check

# As in judge.py, folded in by the compiler.
_DOUBT = const(4)

# As in rules.py, folded in by the compiler.
_MARKED_VERDICT = const(7)

# As in record.py, folded in by the compiler.
_STROKE = const(0)
_MARK = const(1)
_FLAGS = const(1)
_ANNUL = const(2)
_JUDGE = const(3)
_LEAN = const(4)
_ABSENT = const(5)
_PRESENT = const(6)
_NO_CUE = const(6)
_TURN = const(7)
_SCORE = const(8)
_NEW = const(9)
_NEXT = const(10)
_FELL = const(10)
_DRAW = const(11)
_ABSENT_THEN = const(12)
_RESIGN = const(12)
_EVIDENCE = const(13)
_ENDED = const(16)
_CONTACTS = const(18)
_OWN_MARKS = const(19)
_ANNULLED = const(21)
_MARKS = const(22)
_LEANED = const(64)
_NOWHERE = const(0xFFFF)

# As in position.py, folded in by the compiler.
_LAST_BYTES = const(24)
_HEAD = const("<HBBBHHH")
_HEAD_BYTES = const(11)
_BASE_BYTES = const(12)
_SAID_BYTES = const(7)
_TERMS_BYTES = const(20)
_NONE = const(0xFF)
_HOLDS = const(4)
_DRAWN = const(2)

_STROKE_BYTES = const(21)
_NEW_BYTES = const(20)
_SMALL_BYTES = const(6)
_SIZE = const(30)  # of a stroke in memory
_NOTHING = const(3)  # of hits and zone there is 0, 1, 2
_MOST_PIN = const(4)
_MOST_SET = const(31)  # of pins
_GOES_ON = const(("+", "-", "empty"))  # what begins other texts than those of position.py
_MOST_BYTES = const(180)  # of steps in a text: 252 characters, which a console takes as one line
_MANY_STEPS = const(150)  # games before the last two go when the record has more
_MOST_STEPS = const(240)  # and those that have more: a start must find room for them
_MOST = const(0xFFF0)  # strokes of a game, and games


def pack(step: bytearray) -> bytes:
    """Return a step as it is stored: 21 bytes of a stroke, else all."""
    return bytes(step[:_STROKE_BYTES] if step[0] == _STROKE else step)


def unpack(data: bytes) -> bytearray:
    """Return the step that *data* begins with. Raise ValueError if that is none."""
    kind = data[0]
    size = _SMALL_BYTES
    if kind == _STROKE:
        size = _STROKE_BYTES
    elif kind == _NEW:
        size = _NEW_BYTES
    if kind > _RESIGN or len(data) < size or not _is_sound(data):
        raise ValueError("the steps are damaged")
    step = bytearray(data[:size])
    if kind == _NEW:
        check(unpack_terms(step))
    elif kind == _STROKE:
        step[_FLAGS] &= ~_LEANED  # a `lean` behind it says so again
        step += bytearray(_SIZE - _STROKE_BYTES)
        record.set_word(step, _MARKS, record.word(step, _OWN_MARKS))
    return step


def _is_sound(data: bytes) -> bool:
    """Say whether all that a step names exists, but for the stroke that it is about."""
    kind = data[0]
    if kind == _STROKE:
        evidence = data[_EVIDENCE:_CONTACTS]
        return (
            bool(data[_FLAGS] & _ENDED)
            and max(data[_FELL : _ABSENT_THEN + 1]) <= _MOST_SET
            and _NOTHING not in [e >> bit & 3 for e in evidence for bit in (0, 2)]
            and max(evidence) >> 4 <= _NO_CUE
            and data[_OWN_MARKS] & _MARKED_VERDICT <= _DOUBT
        )
    if kind in (_MARK, _JUDGE):
        return data[3] & _MARKED_VERDICT <= _DOUBT
    if kind in (_ANNUL, _LEAN):
        return data[3] <= _MOST_PIN
    if kind in (_ABSENT, _PRESENT):
        return data[1] <= _MOST_PIN
    return kind not in (_TURN, _RESIGN) or data[1] <= 1


# The record as texts


def texts(match: Match, aside: int) -> "list[str]":
    """Return the texts that bring the record to where it stands.

    They go back to where undo reaches; when that is long, to the start of the game before last.
    *aside*: the pins that an `ok` set aside. No stroke runs.
    """
    undone = [step for step, _game in match.undone]
    begins = "empty"
    place = shift = 0
    if match.games:
        first = oldest(match)
        if first < 0:
            return [format_match(match, aside)]
        begin, place = beginning(match, first)
        begins = format_match(begin, aside)
        shift = len(begin.steps) - place
    return [begins] + _packed("+ ", match.steps[place:], shift) + _packed("- ", undone, shift)


def oldest(match: Match) -> int:
    """Return the first game that texts go back to, as an index; -1 for none of them."""
    steps = len(match.steps)
    places = [game.place for game in match.games]
    first = max(len(places) - 2, 0)
    while first > 0 and steps - places[first - 1] <= _MANY_STEPS:
        first -= 1
    while first < len(places) and steps - places[first] > _MOST_STEPS:
        first += 1
    return first if first < len(places) else -1


def beginning(match: Match, first: int) -> "tuple[Match, int]":
    """Return the record at the start of game *first*, and the place of the step after that.

    For the first game of a record that a `match` line began, it is what that line said.
    """
    game = match.games[first]
    begin = Match([])
    if not first and match.floor:
        steps = [bytearray(step) for step in match.steps[: match.floor]]
        begin_at(begin, game.again(), steps, match.won_before[:])
        return begin, match.floor
    place = game.place + 1
    won = [0, 0, 0]
    if match.steps[game.place][0] == _NEXT:
        won = match.tally(match.games[:first])
    absent = 0
    for step in match.steps[:place]:
        if step[0] == _ABSENT:
            absent |= 1 << step[1]
        elif step[0] == _PRESENT:
            absent &= ~(1 << step[1])
    steps = [record.small(_NEXT), bytearray(game.again().base())]
    steps += [record.small(_ABSENT, pin) for pin in range(5) if absent >> pin & 1]
    begin_at(begin, Game(game.number, 0, game.terms, game.starter, game.equal), steps, won)
    return begin, place


def _packed(sign: str, steps: "list[bytearray]", shift: int) -> "list[str]":
    """Return texts with *steps*, whose places are moved by *shift*."""
    found = []
    data = b""
    for step in steps:
        packed = bytearray(pack(step))
        if step[0] in (_MARK, _ANNUL, _JUDGE, _LEAN) and record.word(step, 1) != _NOWHERE:
            record.set_word(packed, 1, record.word(step, 1) + shift)
        if len(data) + len(packed) > _MOST_BYTES:
            found.append(sign + _sealed(data))
            data = b""
        data += packed
    if data:
        found.append(sign + _sealed(data))
    return found


def _sealed(data: bytes) -> str:
    return b2a_base64(record.sealed(data)).decode()[:-1]


# And back


def steps_of(words: "list[str]") -> "list[bytearray]":
    """Return the steps in the words of a text, if it is not where they begin. Raise ValueError."""
    if words == ["empty"]:
        return []
    data = _opened(words[1:])
    if not data:
        raise ValueError("the steps are damaged")
    steps = []
    while data:
        steps.append(unpack(data))
        data = data[len(pack(steps[-1])) :]
    return steps


def _opened(words: "list[str]") -> bytes:
    """Return what is sealed in the one word that there is; b"" if it is damaged."""
    try:
        return record.opened(a2b_base64(words[0])) if len(words) == 1 else b""
    except ValueError:
        return b""


def read(words: "list[str]") -> None:
    """Raise ValueError if *words* are not the text of a `match` line."""
    if words[0] in _GOES_ON:
        steps_of(words)
    else:
        parse_match(words)


def take_over(match: Match, words: "list[str]", aside: int) -> int:
    """Let *match* begin anew or go on by the text of a `match` line, and say nothing.

    Return the pins set aside; *aside* are those before. Raise ValueError if it cannot be.
    """
    if words[0] not in _GOES_ON:
        aside, game, steps, won = parse_match(words)
        begin_at(match, game, steps, won)
        return aside
    steps = steps_of(words)
    if words[0] == "-":
        undone = [step for step, _game in match.undone] + steps
        _check(match, [undone[n] for n in range(len(undone) - 1, -1, -1)])
        match.undone += [(step, None) for step in steps]
    elif steps:
        go_on(match, steps)
    else:  # empty
        match.steps = []
        match.games = []
        match.undone.clear()
        match.won_before = [0, 0, 0]
        match.running = -1
        match.floor = match.absent = 0
        return 0
    return aside


def go_on(match: Match, steps: "list[bytearray]") -> None:
    """Append steps that undo reaches, and say nothing. Raise ValueError if one makes no sense.

    Each game is folded once: a record of hundreds of steps must not keep the watchdog waiting.
    """
    _check(match, steps)
    at = first = len(match.steps)
    for step in steps:
        place = len(match.steps)
        match.steps.append(step)
        if step[0] in (_NEW, _NEXT):
            match.games.append(match.new_game(step, place))
        else:
            first = min(first, _apply(match, step))
    match.count_absent()
    fold(match, at if first == at else 0)


def _apply(match: Match, step: bytearray) -> int:
    """Let a step make what it does of the stroke that it is about; return the stroke's place."""
    kind = step[0]
    place = record.word(step, 1) if kind in (_MARK, _ANNUL, _JUDGE, _LEAN) else _NOWHERE
    if place != _NOWHERE:
        stroke = match.steps[place]
        if kind == _MARK:
            marks = rules.add_mark(record.word(stroke, _MARKS), record.word(step, 3))
            record.set_word(stroke, _MARKS, marks)
        elif kind == _JUDGE:
            record.set_word(stroke, _MARKS, record.word(step, 3))
        elif kind == _ANNUL:
            stroke[_ANNULLED] |= 1 << step[3]
        else:
            stroke[_FLAGS] |= _LEANED
    return place


def fold(match: Match, first: int) -> None:
    """Fold the steps from *first* on, from 0 all games anew, and say nothing."""
    said = len(match.out)
    ends = [game.place for game in match.games[1:]] + [len(match.steps)]
    for n, game in enumerate(match.games):
        end = ends[n]
        if not first:
            game.start()
        for place in range(max(game.place + 1, first), end):
            step = match.steps[place]
            outcome = game.play(step, place)
            if step[0] == _STROKE:
                match.tell_stroke(outcome, step, game)
                del match.out[said:]
        match.tell_game(game)
        del match.out[said:]


def _check(match: Match, steps: "list[bytearray]") -> None:
    """Raise ValueError if one of *steps*, done after those of the record, is about nothing."""
    known = match.steps + steps
    game_at = match.games[-1].place if match.games else -1
    for place in range(len(match.steps), len(known)):
        step = known[place]
        kind = step[0]
        if kind in (_NEW, _NEXT):
            game_at = place
        of = record.word(step, 1)
        about = kind in (_MARK, _ANNUL, _JUDGE) or (kind == _LEAN and of != _NOWHERE)
        if (about and not (game_at < of < place and known[of][0] == _STROKE)) or (
            game_at < 0 and kind not in (_NEW, _ABSENT, _PRESENT)
        ):
            raise ValueError("the steps are about what there is not")


# The text that a record begins with


def parse_match(words: list[str]) -> "tuple[int, Game, list[bytearray], list[int]]":
    """Return the pins set aside, then (game, steps, games won before it) for begin_at.

    Raise ValueError if it is no text of a `match` line.
    """
    said_at = _HEAD_BYTES + _BASE_BYTES
    terms_at = said_at + _SAID_BYTES
    stroke_at = terms_at + _TERMS_BYTES
    data = _opened(words[-1:])
    end = len(data)
    if end not in (stroke_at, stroke_at + _LAST_BYTES):
        raise ValueError("the match is damaged")
    number, starter, equal, absent, a, b, drawn = struct.unpack_from(_HEAD, data, 0)
    terms = unpack_terms(data[terms_at:stroke_at])
    check(terms)
    steps = [record.small(_NEXT), bytearray(data[_HEAD_BYTES:said_at])]
    steps += [record.small(_ABSENT, pin) for pin in range(5) if absent >> pin & 1]
    if end > stroke_at:
        steps += _stroke_steps(data[stroke_at:end], len(steps))
    steps += _said_steps(data[said_at:terms_at])
    game = Game(number, 0, terms, starter, bool(equal & 1))
    fold = game.again()
    turn = data[said_at + 4]
    strokes = data[_HEAD_BYTES + 1] | data[_HEAD_BYTES + 2] << 8
    if max(starter, 0 if turn == _NONE else turn) > 1 or max(number, strokes) > _MOST:
        raise ValueError("the match is damaged")
    try:
        # What has the right checksum and still makes no sense shows in playing it.
        for step in steps:
            outcome = fold.play(step, 0)
            if outcome:
                outcome.line()
        if " ".join(words) != text_of(fold, record.sealed(data)):
            raise ValueError
    except (IndexError, ValueError):
        raise ValueError("the match is damaged")
    return equal >> 1 & _MOST_SET, game, steps, [a, b, drawn]


def _stroke_steps(data: bytes, place: int) -> list[bytearray]:
    """Return the last stroke, which stands at *place*, and what was said of it."""
    step = record.new_stroke(0, 0, 0, 0, 0)
    step[:_LAST_BYTES] = data
    are_marked = step[_OWN_MARKS:_ANNULLED] == step[_MARKS:_LAST_BYTES]
    if step[0] != _STROKE or not step[_FLAGS] & _ENDED or not are_marked:
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


def begin_at(match: Match, game: Game, steps: "list[bytearray]", won: "list[int]") -> None:
    """Let the record begin with *game*, and with *steps*, which undo does not reach."""
    match.steps = steps
    match.undone.clear()
    match.games = [game]
    match.running = -1
    match.won_before = won
    match.floor = len(steps)
    game.began_at = match.count
    game.before = (match.lost, match.errors)
    for place, step in enumerate(steps):
        if step[0] == _STROKE:
            match.count_marks(place)
    match.count_absent()
    fold(match, 0)
