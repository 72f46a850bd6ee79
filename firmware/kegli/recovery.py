"""Start-up: the newest record that is whole, from RTC memory and flash. Imported on demand.

A piece with a wrong checksum is as if it were not there: a write was cut, or it belongs to what
was before. A piece in a form that this firmware does not know is told, kept, and not used.
"""

import os
import struct
from binascii import b2a_base64

from micropython import const

from . import store as at
from .history import (
    begin_at,
    beginning,
    go_on,
    oldest,
    parse_match,
    texts,
    unpack,
)
from .match import Match
from .position import format_match
from .record import opened

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    from .store import Store


# As in record.py, folded in by the compiler.
_STROKE = const(0)
_FLAGS = const(1)
_ACCEPTED = const(4)


class Found:
    """What was stored: the number of the state, and what it says."""

    def __init__(self, place: str, state: bytes) -> None:
        self.place = place  # for people: where it was
        facts = struct.unpack(at.STATE, state[: at.STATE_BYTES])
        _form, self.region, self.number, self.done, self.total, self.absent, self.undone = facts
        self.text = expanded(state[at.STATE_BYTES :])
        self.base = b""
        self.has_base = False
        self.first = self.total  # of the steps that RTC memory has
        self.steps: "dict[int, bytes]" = {}  # those that RTC memory has


class Recovered:
    """What the game goes on from.

    `texts` are those of `match` lines. `notices` are sentences for the console.
    """

    def __init__(self) -> None:
        self.texts = ["empty"]
        self.notices: "list[str]" = []
        self.is_damaged = False
        # Of the log: evaluated up to, and the time and the clock that goes on (ns) when that
        # was written; all 0 if the power was cut.
        self.evaluated_us = self.now_us = self.now_ns = 0
        self.crashes = 0  # in a row
        self.is_known = False  # RTC memory says something of these
        self.left = at.RUNS
        self.header = 0  # checksum of the log's header


def expanded(data: bytes) -> str:
    """Return the text of a `match` line from its compact form."""
    if not data:
        return ""
    end = data.find(b" ", data.find(b" ") + 1)
    return data[: end + 1].decode() + b2a_base64(data[end + 1 :]).decode()[:-1]


def look(image: bytearray) -> Recovered:
    """Return what RTC memory says of the log, of crashes, and of how the board was left."""
    result = Recovered()
    newest = -1
    for n in (0, 1):
        data = opened(image[n * at.CLOCK_BYTES : (n + 1) * at.CLOCK_BYTES])
        if data and data[0] == at.FORM and len(data) == struct.calcsize(at.CLOCK):
            facts = struct.unpack(at.CLOCK, data)
            if facts[1] > newest:
                newest = facts[1]
                result.is_known = True
                result.evaluated_us, result.now_us, result.now_ns = facts[2:5]
                result.crashes, result.left, result.header = facts[5:]
    return result


def recover(store: "Store", result: Recovered) -> None:
    """Add to *result* the record to go on from, and let *store* go on from there."""
    states = _slots(store.image) + _files(result)
    while states:
        newest = states[0]
        for found in states:
            if found.number > newest.number:
                newest = found
        states.remove(newest)
        if _takes(store, result, newest):
            return


def _takes(store: "Store", result: Recovered, found: Found) -> bool:
    """Go on from *found*; return False, and say so, if it makes no sense."""
    whence = "State %d came from %s" % (found.number, found.place)
    match = _rebuilt(found)
    aside = 0
    if match:
        if found.text:
            aside = parse_match(found.text.split(" "))[0]
        is_on_flash = not found.has_base
        store.adopt(found.number, found.region, match, found.text, found.first, is_on_flash)
        whence += "; steps that undo reaches: %d." % _reach(match)
    else:
        match = Match([])
        try:
            aside, game, begun, won = parse_match(found.text.split(" "))
        except ValueError:
            result.is_damaged = True
            result.notices.append(whence + " and makes no sense: it is not used.")
            return False
        begin_at(match, game, begun, won)
        store.number = found.number
        store.region = found.region
        whence += "; its steps are not whole, so undo reaches no further back."
    result.notices.append(whence)
    result.texts = texts(match, aside)
    game_on = match.game
    if game_on:
        a, b = game_on.score
        result.notices.append("Game %d goes on at %d:%d." % (game_on.number, a, b))
    return True


def _reach(match: Match) -> int:
    """Return how many steps undo will reach back: the texts of *match* begin with a game."""
    place = 0
    if match.games:
        first = oldest(match)
        place = beginning(match, first)[1] if first >= 0 else len(match.steps)
    return len(match.steps) - place


def _slots(image: bytearray) -> "list[Found]":
    """Return what RTC memory holds."""
    found = []
    for n in (0, 1):
        start = at.SLOTS_AT + n * at.SLOT_BYTES
        (size,) = struct.unpack("<H", image[start : start + 2])
        data = opened(image[start + 2 : start + 2 + min(size, at.SLOT_BYTES)])
        if len(data) <= at.STATE_BYTES or data[0] < at.STATE_BYTES or data[2] != at.FORM:
            continue
        base_at = 2 + data[0]
        steps_at = base_at + data[1]
        state = Found("RTC memory", data[2:base_at])
        state.base = data[base_at:steps_at]
        state.has_base = True
        (first,) = struct.unpack("<H", data[steps_at : steps_at + 2])
        state.first = first
        for place in range(steps_at + 2, len(data), at.STEP_BYTES):
            state.steps[first] = data[place : place + at.STEP_BYTES]
            first += 1
        found.append(state)
    return found


def _files(result: Recovered) -> "list[Found]":
    """Return the states on flash. One that cannot be used is told, and kept as another file."""
    found = []
    for name in ("0", "1"):
        data = _read(name)
        if len(data) >= at.STATE_BYTES and data[0] == at.FORM:
            found.append(Found("flash", data))
        elif data and data[0] != at.FORM:
            _keep(
                result,
                name,
                ".form%d" % data[0],
                "Another firmware stored the score in form %d; only form %d is known."
                % (data[0], at.FORM),
            )
        elif _is_there(name):
            _keep(result, name, ".bad", "The score in %s/%s is damaged." % (at.FOLDER, name))
    return found


def _keep(result: Recovered, name: str, kind: str, sentence: str) -> None:
    """Say what is wrong with a file, and keep it under another name."""
    path = at.FOLDER + "/" + name
    result.is_damaged = True
    result.notices.append(sentence + " It is kept as %s." % (path + kind))
    try:
        os.rename(path, path + kind)
    except OSError as error:
        result.notices.append("It could not be renamed: %s" % error)


def _is_there(name: str) -> bool:
    try:
        return os.stat(at.FOLDER + "/" + name)[6] > 0
    except OSError:
        return False


def _read(name: str) -> bytes:
    """Return what is sealed in a file, b"" if there is none or it is damaged."""
    try:
        with open(at.FOLDER + "/" + name, "rb") as file:
            return opened(file.read())
    except OSError:
        return b""


def _rebuilt(found: Found) -> "Match | None":
    """Return the record whose state is *found*, None if the stored steps do not lead there."""
    steps = _all_steps(found)
    if steps is None:
        return None
    match = Match([])
    try:
        if found.base:
            _aside, game, begun, won = parse_match(expanded(found.base).split(" "))
            begin_at(match, game, begun, won)
        go_on(match, steps[: found.done])
        aside = _follow(found, match)
        if format_match(match, aside, at.FLAGS) != found.text or match.absent != found.absent:
            return None
    except (ValueError, IndexError):
        return None
    if at.undone_sum(steps, found.done) == found.undone:  # else they are of another time
        for n in range(found.total - 1, found.done - 1, -1):
            match.undone.append((steps[n], None))
    return match


def _all_steps(found: Found) -> "list[bytearray] | None":
    """Return the steps of *found*, done and undone; None if one is missing or makes no sense."""
    letter = "ab"[found.region & 1]
    if not found.has_base:
        data = _read(letter)
        if data[:2] != struct.pack("<H", found.region):
            return None
        found.base = data[2:]
    steps = []
    for n in range(found.total):
        if n not in found.steps:
            _read_steps(found, letter, n // at.STEPS_IN_FILE)
        if n not in found.steps:
            return None
        try:
            steps.append(unpack(found.steps.pop(n)))
        except ValueError:
            return None
    return steps


def _follow(found: Found, match: Match) -> int:
    """Let the last stroke be accepted as the state says.

    A `pass` accepts the one before, and the file of both is written before the state.
    Return the pins that are set aside.
    """
    if not found.text:
        return 0
    aside, _game, said, _won = parse_match(found.text.split(" "))
    last = match.game.last if match.game else None
    if not last:
        return aside
    stroke = match.steps[last.place]
    for step in said:
        if step[0] == _STROKE and (step[_FLAGS] ^ stroke[_FLAGS]) & _ACCEPTED:
            stroke[_FLAGS] ^= _ACCEPTED
            found.first = max(0, min(found.first, last.place - match.floor))
    return aside


def _read_steps(found: Found, letter: str, number: int) -> None:
    """Add the steps of a file to those of *found*, which go before."""
    data = _read("%s%d" % (letter, number))
    if data[:4] != struct.pack(at.STEPS, found.region, number):
        return
    first = number * at.STEPS_IN_FILE
    for place in range(4, len(data), at.STEP_BYTES):
        found.steps.setdefault(first, data[place : place + at.STEP_BYTES])
        first += 1
