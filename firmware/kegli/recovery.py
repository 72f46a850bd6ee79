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

TYPE_CHECKING = const(False)  # mypy takes it for true; mpy-cross leaves out what it guards
if TYPE_CHECKING:
    from .store import Store


# As in record.py, folded in by the compiler.
_STROKE = const(0)
_FLAGS = const(1)
_ACCEPTED = const(4)


class Found:
    """What was stored: the number of the state, and what it says."""

    def __init__(self, place: str, state: bytes) -> None:
        self.place = place  # for people: where it was
        _form, self.region, self.number, self.done, self.total, self.absent = struct.unpack(
            at.STATE, state[: at.STATE_BYTES]
        )
        self.text = expanded(state[at.STATE_BYTES :])
        self.base = b""
        self.has_base = False
        self.first = self.total  # of the steps that RTC memory has
        self.steps: "dict[int, bytes]" = {}  # those that RTC memory has


class Recovered:
    """What the game goes on from.

    `texts` are those of `match` lines, none for an empty record. `notices` are sentences.
    """

    def __init__(self) -> None:
        self.texts: "list[str]" = []
        self.notices: "list[str]" = []
        self.is_damaged = False
        # Of the log: evaluated up to, and the time and the clock that goes on (ns) when that
        # was written; all 0 if the power was cut.
        self.evaluated_us = self.now_us = self.now_ns = 0


def expanded(data: bytes) -> str:
    """Return the text of a `match` line from its compact form."""
    if not data:
        return ""
    end = data.find(b" ", data.find(b" ") + 1)
    return data[: end + 1].decode() + b2a_base64(data[end + 1 :]).decode()[:-1]


def clock(image: bytearray) -> "tuple[int, int, int, int]":
    """Return (evaluated_us, now_us, now_ns, crashes) as RTC memory has them, else zeros."""
    newest = (0, 0, 0, 0)
    number = -1
    for n in (0, 1):
        data = at.opened(image[n * at.CLOCK_BYTES : (n + 1) * at.CLOCK_BYTES])
        if data and data[0] == at.FORM:
            _form, ticks, evaluated_us, now_us, now_ns, crashes = struct.unpack(at.CLOCK, data)
            if ticks > number:
                number = ticks
                newest = (evaluated_us, now_us, now_ns, crashes)
    return newest


def recover(store: "Store") -> Recovered:
    """Return what to go on from, and let *store* go on from there."""
    result = Recovered()
    result.evaluated_us, result.now_us, result.now_ns, store.crashes = clock(store.image)
    newest: "Found | None" = None
    for found in _slots(store.image) + _files(result):
        if newest is None or found.number > newest.number:
            newest = found
    if newest is None:
        return result
    store.number = newest.number
    store.region = newest.region
    match = _rebuilt(newest)
    if match:
        store.adopt(newest.number, newest.region, match, newest.text, newest.first)
        aside = parse_match(newest.text.split(" "))[0] if newest.text else 0
        result.notices.append(
            "State %d came from %s; undo reaches %d steps back."
            % (newest.number, newest.place, _reach(match))
        )
    else:
        match = Match([])
        try:
            aside, game, begun, won = parse_match(newest.text.split(" "))
        except ValueError:
            result.is_damaged = True
            result.notices.append(
                "State %d from %s makes no sense: it is not used." % (newest.number, newest.place)
            )
            return result
        begin_at(match, game, begun, won)
        result.notices.append(
            "State %d came from %s; its steps are not whole, so undo reaches no further back."
            % (newest.number, newest.place)
        )
    result.texts = texts(match, aside)
    game_on = match.game
    if game_on:
        a, b = game_on.score
        result.notices.append("Game %d goes on at %d:%d." % (game_on.number, a, b))
    return result


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
        data = at.opened(image[start + 2 : start + 2 + min(size, at.SLOT_BYTES)])
        if not data or data[2] != at.FORM:
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
    """Return the states on flash. One in an unknown form is told, and kept under another name."""
    found = []
    for name in ("0", "1"):
        data = _read(name)
        if data and data[0] == at.FORM:
            found.append(Found("flash", data))
        elif data:
            kept = "%s/%s.form%d" % (at.FOLDER, name, data[0])
            result.is_damaged = True
            result.notices.append(
                "Another firmware stored the score in form %d; only form %d is known."
                " It is kept as %s." % (data[0], at.FORM, kept)
            )
            try:
                os.rename(at.FOLDER + "/" + name, kept)
            except OSError as error:
                result.notices.append("It could not be renamed: %s" % error)
    return found


def _read(name: str) -> bytes:
    """Return what is sealed in a file, b"" if there is none or it is damaged."""
    try:
        with open(at.FOLDER + "/" + name, "rb") as file:
            return at.opened(file.read())
    except OSError:
        return b""


def _rebuilt(found: Found) -> "Match | None":
    """Return the record whose state is *found*, None if the stored steps do not lead there."""
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
        steps.append(found.steps[n])
    match = Match([])
    try:
        if found.base:
            _aside, game, begun, won = parse_match(expanded(found.base).split(" "))
            begin_at(match, game, begun, won)
        go_on(match, [unpack(step) for step in steps[: found.done]])
        for n in range(found.total - 1, found.done - 1, -1):
            match.undone.append((unpack(steps[n]), None))
        aside = _follow(found, match)
        if format_match(match, aside, at.FLAGS) != found.text or match.absent != found.absent:
            return None
    except (ValueError, IndexError):
        return None
    return match


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
