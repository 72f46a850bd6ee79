"""The store: the score in RTC memory and on flash, so that no reset and no power cut loses it.

    place                what                                        written
    RTC memory           a clock; the state with the newest steps,   at once after every step
                         in two slots in turn
    score/0, score/1     the state, in turn                          then, if no stroke runs
    score/a0, a1, ...    the steps, five in a file                   with it
    score/a              where those steps begin                     with it

A record that begins anew (a `match` line) writes b, b0, b1 and so on, and then a again. Every
piece ends with a checksum. The state says how the match stands by itself; the steps add what undo
and `judge` need, and recovery.py takes them only if they come to just that state.
A file of at most 128 bytes costs littlefs no block of its own, and is written whole or not at all.
"""

import os
import struct
from array import array
from binascii import a2b_base64, crc32

from machine import RTC
from micropython import const

from . import record
from .position import format_match

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    from .match import Match


# As in record.py, folded in by the compiler.
_STROKE = const(0)
_FLAGS = const(1)
_MARK = const(1)
_ANNUL = const(2)
_LEAN = const(4)
_NOWHERE = const(0xFFFF)

FORM = const(1)  # of all that is stored; a firmware reads only what it knows
FOLDER = "score"
FLAGS = const(127)  # of a stroke, that are stored: after a start none waits for a late fall
_STEP_FLAGS = const(63)  # and a `lean` behind it says again that a pin leaned
# Form, region, number of the state, steps done, steps in all, absent pins, checksum of the steps
# that were undone; then the match.
STATE = const("<BHIHHBI")
STATE_BYTES = const(16)
# Region, number of the file; then steps.
STEPS = const("<HH")
STEP_BYTES = const(21)  # of a step in a file or slot
STEPS_IN_FILE = const(5)
# Form, number, evaluated up to (us), then (us) and by the clock that goes on (ns), crashes in a
# row, whether the board still runs, checksum of the log's header. Two of them, written in turn.
CLOCK = const("<BIQQQBBI")
CLOCK_BYTES = const(39)  # sealed
RUNS = const(0)  # a reset that finds this is one that nobody wanted
PLANNED = const(1)
TOLD = const(2)  # an exception, counted and stored
SLOTS_AT = const(78)
SLOT_BYTES = const(985)  # at most: its length, then the state and steps, sealed
_MEMORY_BYTES = const(2048)
_SUM_BYTES = const(4)  # of what is sealed


def compact(text: str) -> bytes:
    """Return the text of a `match` line in fewer bytes; at most 97."""
    words = text.split(" ")
    return (" ".join(words[:2]) + " ").encode() + a2b_base64(words[2]) if text else b""


def packed(step: bytearray) -> bytes:
    """Return a step as it is stored, in 21 bytes."""
    data = bytearray(STEP_BYTES)
    data[: len(step)] = step[:STEP_BYTES]
    if not step[0]:  # a stroke
        data[_FLAGS] &= _STEP_FLAGS
    return bytes(data)


def standing(match: "Match") -> "tuple[list[bytearray], int]":
    """Return the steps above the floor, done and then undone, and how many are done.

    Of a stroke that runs there is only what stays when a restart drops it.
    """
    end = match.running if match.running >= 0 else len(match.steps)
    steps = match.steps[match.floor : end]
    for step in match.steps[end:]:
        if step[0] not in (_STROKE, _MARK, _ANNUL):
            if step[0] == _LEAN:
                step = bytearray(step)  # noqa: PLW2901 (the copy goes, the step stays)
                record.set_word(step, 1, _NOWHERE)
            steps.append(step)
    done = len(steps)
    for n in range(len(match.undone) - 1, -1, -1):
        steps.append(match.undone[n][0])
    return steps, done


def undone_sum(steps: "list[bytearray]", done: int) -> int:
    """Return the checksum of the steps behind the first *done*."""
    total = 0
    for n in range(done, len(steps)):
        total = crc32(packed(steps[n]), total)
    return total


class Store:
    """Keeps the record of a match in RTC memory and in files.

    `behind` counts the changes that the files lack. `crashes` counts those in a row, `left` is
    RUNS, PLANNED or TOLD, `header` the checksum of the log's header: a tick stores them. `image`
    is what RTC memory holds.
    """

    def __init__(self) -> None:
        self.crashes = 0  # in a row
        self.left = RUNS
        self.header = 0
        self.behind = 0
        self.memory = RTC()
        self.image = bytearray(_MEMORY_BYTES)
        before = self.memory.memory() or b""
        self.image[: len(before)] = before
        try:  # noqa: SIM105 (MicroPython has no contextlib)
            _make_folder()
        except OSError:  # a flash that fails is told when the score is to be stored
            pass
        self._ticks = 0  # number of the clock last written, which goes on through a reset
        for at in (0, CLOCK_BYTES):
            data = record.opened(self.image[at : at + CLOCK_BYTES])
            if data and data[0] == FORM:
                self._ticks = max(self._ticks, struct.unpack(CLOCK, data)[1])
        # What is stored: a number that grows, and what it is the number of.
        self.number = 0
        self.region = 0
        self._text = ""
        self._absent = 0
        self._done = 0
        self._undone = 0  # checksum of the steps that were undone
        self._sums = array("I")  # of the steps, done and undone
        self._begins = b""  # the steps up to the floor
        self._base = b""  # the same as the text of a `match` line, compact
        self._list: "list[bytearray]" = []  # the record's list of steps: a new one is a new record
        # What the files lack.
        self._from = 0  # the first step
        self._lacks_base = True
        self._lacks_cleaning = False

    def adopt(  # noqa: PLR0913, PLR0917 (all that was found)
        self,
        number: int,
        region: int,
        match: "Match",
        text: str,
        first: int,
        is_on_flash: bool,
    ) -> None:
        """Go on from what recovery found: *match* is what is stored, whole, as *region*.

        *text*: that of the state. *first*: the first step that may be in RTC memory alone.
        """
        self.number = number
        self.region = region
        steps, self._done = standing(match)
        self._undone = undone_sum(steps, self._done)
        self._sums = array("I", [crc32(packed(step)) for step in steps])
        self._begins = _joined(match)
        self._base = _base(match)
        self._text = text
        self._absent = match.absent
        self._fill_slot(steps)
        self._from = first
        self._lacks_base = not is_on_flash
        self.behind = int(not is_on_flash)

    def tick(self, evaluated_us: int, now_us: int, now_ns: int) -> None:
        """Remember how far the log has come, and what time it is.

        *evaluated_us*: what happened up to there has been said. *now_us*: in the log's time;
        *now_ns*: by a clock that goes on through a reset.
        """
        self._ticks += 1
        data = struct.pack(
            CLOCK,
            FORM,
            self._ticks,
            max(0, evaluated_us),
            now_us,
            now_ns,
            min(self.crashes, 255),
            self.left,
            self.header,
        )
        at = (self._ticks & 1) * CLOCK_BYTES
        self.image[at : at + CLOCK_BYTES] = record.sealed(data)
        self.memory.memory(self.image)

    def keep(self, match: "Match", aside: int) -> bool:
        """Store the record in RTC memory if it has changed; return whether it has.

        *aside*: the pins that an `ok` set aside.
        """
        text = format_match(match, aside, FLAGS)
        steps, done = standing(match)
        begins = _joined(match)
        if begins != self._begins:
            if match.steps is not self._list:
                self.region = (self.region + 1) & _NOWHERE
                self._sums = array("I")
                self._from = 0
                self._lacks_cleaning = True
            self._begins = begins
            self._base = _base(match)
            self._lacks_base = True
        self._list = match.steps
        first = self._first_change(steps)
        if (
            first == len(steps) == len(self._sums)
            and done == self._done
            and text == self._text
            and match.absent == self._absent
        ):
            return False
        self._sums = array(
            "I", list(self._sums[:first]) + [crc32(packed(step)) for step in steps[first:]]
        )
        self._from = min(self._from, first)
        self._done = done
        self._text = text
        self._absent = match.absent
        self._undone = undone_sum(steps, done)
        self.number += 1
        self.behind += 1
        self._fill_slot(steps)
        return True

    def _first_change(self, steps: "list[bytearray]") -> int:
        """Return the first step that differs from what is stored."""
        sums = self._sums
        for n in range(min(len(steps), len(sums))):
            if crc32(packed(steps[n])) != sums[n]:
                return n
        return min(len(steps), len(sums))

    def _state(self) -> bytes:
        total = len(self._sums)
        head = struct.pack(
            STATE,
            FORM,
            self.region,
            self.number,
            self._done,
            total,
            self._absent,
            self._undone,
        )
        return head + compact(self._text)

    def _fill_slot(self, steps: "list[bytearray]") -> None:
        """Write the state, where the steps begin, and as many of the newest as have room."""
        state = self._state()
        data = bytearray((len(state), len(self._base)))
        data += state
        data += self._base
        room = (SLOT_BYTES - 2 - len(data) - 2 - _SUM_BYTES) // STEP_BYTES
        first = max(0, len(steps) - room)
        data += struct.pack("<H", first)
        for step in steps[first:]:
            data += packed(step)
        slot = record.sealed(data)
        at = SLOTS_AT + (self.number & 1) * SLOT_BYTES
        self.image[at : at + 2] = struct.pack("<H", len(slot))
        self.image[at + 2 : at + 2 + len(slot)] = slot
        self.memory.memory(self.image)

    def commit(self, match: "Match") -> None:
        """Write to files what they lack: what the last `keep` stored. Raise OSError."""
        _make_folder()
        letter = "ab"[self.region & 1]
        if self._lacks_base:
            _write(letter, struct.pack("<H", self.region) + self._base)
            self._lacks_base = False
        steps = standing(match)[0]
        for n in range(self._from // STEPS_IN_FILE, -(-len(steps) // STEPS_IN_FILE)):
            data = struct.pack(STEPS, self.region, n)
            for step in steps[n * STEPS_IN_FILE : (n + 1) * STEPS_IN_FILE]:
                data += packed(step)
            _write("%s%d" % (letter, n), data)
        _write("%d" % (self.number & 1), self._state())
        self._from = len(steps)
        self.behind = 0
        if self._lacks_cleaning:  # the files of the record before
            for name in os.listdir(FOLDER):
                if name[0] in "ab" and name[0] != letter:
                    os.remove(FOLDER + "/" + name)
            self._lacks_cleaning = False


def _joined(match: "Match") -> bytes:
    return b"".join([packed(step) for step in match.steps[: match.floor]])


def _base(match: "Match") -> bytes:
    """Return where the steps begin, as a compact text; b"" for an empty record."""
    if not match.floor:
        return b""
    from .history import beginning  # noqa: PLC0415 (on demand: it is rare)

    return compact(format_match(beginning(match, 0)[0], 0, FLAGS))


def _make_folder() -> None:
    if FOLDER not in os.listdir():
        os.mkdir(FOLDER)


def _write(name: str, data: bytes) -> None:
    with open(FOLDER + "/" + name, "wb") as file:
        file.write(record.sealed(data))
