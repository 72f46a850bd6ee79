"""A recorded log at the inputs of a real board, through a USB pin adapter: `kegli hil`.

Blinka drives pins that are wired to the board's inputs, in real time; what the log says of
commands is typed. What the board concludes is compared with what the log says.
"""

from __future__ import annotations

import difflib
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Protocol

from host_tools import replay
from host_tools.link import LOG_BEGINS, Link, LinkError, RefusedError, hush
from kegli import board
from kegli.header import parse_header
from kegli.lines import parse

ADAPTERS = {"ft232h": "BLINKA_FT232H", "mcp2221": "BLINKA_MCP2221"}  # and how Blinka is told

# Which pin of an adapter is wired to which input, unless somebody says otherwise.
_INPUTS = tuple(row[0] for row in board.inputs("esp32"))
_WIRES = {
    "FTDI_FT232H": (
        *("C0", "C1", "C2", "C3", "C4", "D4", "D5", "D6", "D7", "", ""),
        *("C5", "C6", "", "", "C7"),
    ),
    "MICROCHIP_MCP2221": ("G0", "", "", "G1", "", "G2", "G3"),
    "RASPBERRY_PI": (
        *("D5", "D6", "D12", "D13", "D16", "D17", "D18", "D19", "D20", "D21", "D22"),
        *("D23", "D24", "D25", "D26", "D27"),
    ),
}
_ACTIVE = {row[0]: bool(row[2]) for row in board.inputs("esp32")}  # the level that means 1
# Kinds of lines that a bench can make, and how many words behind them name the input.
_NAMED = {"pin": 1, "hit": 1, "btn": 1, "click": 0, "zone": 0, "cmd": 0}
_ONE_SHOTS = ("hit", "click")
_SHOT_US = 20_000  # so long is a one-shot of a front end, at most
_GAP_US = 1_000  # at least between two of them
_LEAD_US = 1_000_000  # before the first event
_TAIL_US = 1_000_000  # after the last line: what the board concludes later the log cannot tell
_MOST_TAIL_US = 5_000_000  # for a board that has not said yet what the log says
_IDLE_S = 0.001
_HEAD_S = 8.0  # to the head of a log: a table is at rest by then
_LATE_MS = 2.0  # of an event: told

_TIMED = re.compile(r" t=\d+")
_NUMBER = re.compile(r"(> game n=|> stroke game=)(\d+)")


class Pin(Protocol):
    """An output of an adapter, as Blinka's DigitalInOut."""

    value: bool

    def switch_to_output(self, value: bool) -> None:
        """Drive it."""

    def deinit(self) -> None:
        """Let it go."""


@dataclass(frozen=True)
class Event:
    """What happens at a time of the log: *source* goes to *level*, or else *words* are typed."""

    t_us: int
    source: str = ""
    level: bool = False
    words: str = ""


@dataclass
class Script:
    """A log as a bench plays it: `events` in order, what is `expected`."""

    header: str
    events: list[Event] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    end_us: int = 0  # the time of its last line

    @property
    def sources(self) -> list[str]:
        """The inputs that it needs, in the board's order."""
        return [name for name in _INPUTS if any(e.source == name for e in self.events)]


def script(data: bytes) -> Script:
    """Return a log as a bench plays it. Raise RefusedError if no bench can."""
    logs = replay.logs(data)
    if len(logs) > 1:
        raise RefusedError("The file holds several logs: a bench plays one.")
    try:
        played = replay.play(data)
    except ValueError as error:
        raise RefusedError(f"The log cannot be read: {error}.") from error
    if played.fault:
        raise RefusedError(f"The log cannot be read: {played.fault}.")
    # One character a byte, as replay.play reads it: comments may hold any.
    header, *lines = (line.removesuffix("\r") for line in data.decode("latin-1").split("\n"))
    made = Script(header, expected=played.recorded or played.now)
    for number, line in enumerate(lines, 2):
        words = line.split()
        parsed = parse(line)
        made.end_us = max(made.end_us, parsed[0] if parsed else 0)
        if parsed is None or words[1:] in (["end"], ["match", "empty"]):
            continue
        if words[1] not in _NAMED:
            raise RefusedError(f"Line {number} is '{words[1]}', which no bench can make.")
        made.events.append(_event(words))
    made.events = sorted([*made.events, *_ends(made.events)], key=lambda event: event.t_us)
    if not made.events or not made.expected:
        raise RefusedError("Nothing happens in this log.")
    return made


def _event(words: list[str]) -> Event:
    t_us, kind, rest = int(words[0]), words[1], words[2:]
    if kind == "cmd":
        return Event(t_us, words=" ".join(rest))
    names = _NAMED[kind]
    level = kind in _ONE_SHOTS or rest[names] == "1"
    return Event(t_us, " ".join((kind, *rest[:names])), level)


def _ends(events: list[Event]) -> Iterator[Event]:
    """Yield the ends of one-shots, before the next on the same wire."""
    shots = [event for event in events if event.source.startswith(_ONE_SHOTS)]
    for n, event in enumerate(shots):
        later = (e.t_us for e in shots[n + 1 :] if e.source == event.source)
        yield Event(
            min(event.t_us + _SHOT_US, next(later, event.t_us + _SHOT_US * 2) - _GAP_US),
            event.source,
        )


def wires(given: Iterable[str], sources: Iterable[str], adapter: str) -> dict[str, str]:
    """Return the pin for each of *sources*: those *given* as `input=pin`, else the usual ones.

    Raise RefusedError for one that has no wire, and for what is given and makes no sense.
    """
    usual = next((pins for name, pins in _WIRES.items() if adapter.startswith(name)), ())
    given = tuple(given)
    if not usual and not given:
        raise RefusedError(
            "No pin adapter is named, and this is no Raspberry Pi: say --adapter ft232h or"
            " mcp2221."
        )
    found = {name: pin for name, pin in zip(_INPUTS, usual, strict=False) if pin}
    for word in given:
        name, equals, pin = word.partition("=")
        if name not in _INPUTS or not equals:
            raise RefusedError(
                f"'{word}' is no wire: say INPUT=PIN, INPUT one of {', '.join(_INPUTS)}."
            )
        found[name] = pin
    for name in sources:
        if name not in found:
            raise RefusedError(f"'{name}' has no wire: give it one, --wire '{name}=PIN'.")
    chosen = {name: found[name] for name in sources}
    twice = {pin for pin in chosen.values() if list(chosen.values()).count(pin) > 1}
    if twice:
        raise RefusedError(f"Two inputs are at pin {min(twice)}.")
    return chosen


def adapter_name() -> str:
    """Return the name of the adapter, as Blinka finds it. Raise RefusedError if there is none."""
    os.environ.setdefault("BLINKA_SKIP_DEPENDENCY_CHECK", "1")  # it would ask at a terminal
    try:
        return str(getattr(import_module("board"), "board_id", ""))
    except ModuleNotFoundError as error:
        if error.name == "board":
            raise RefusedError("It needs the bench extra: pip install 'kegli[bench]'") from error
        package = {"hid": "hidapi"}.get(error.name or "", error.name)
        raise RefusedError(f"Blinka needs {error.name} for it: pip install {package}") from error
    except (NotImplementedError, RuntimeError, ValueError, OSError) as error:
        said = " ".join(str(error).split())
        if "No backend" in said:  # what pyusb says
            said += ": it needs libusb, of Debian's libusb-1.0-0"
        raise RefusedError(f"There is no pin adapter: {said}.") from error


@contextmanager
def outputs(chosen: Mapping[str, str]) -> Iterator[dict[str, Pin]]:
    """Yield the pins of the adapter by their inputs, all at rest; at rest they are left."""
    pins: dict[str, Pin] = {}
    blinka, digital = import_module("board"), import_module("digitalio")
    try:
        for name, pin in chosen.items():
            try:
                made: Pin = digital.DigitalInOut(getattr(blinka, pin))
                made.switch_to_output(not _ACTIVE[name])
            except (AttributeError, TypeError, RuntimeError, OSError) as error:
                raise RefusedError(f"The adapter has no output {pin} for '{name}'.") from error
            pins[name] = made
        yield pins
    finally:
        for name, open_pin in pins.items():
            open_pin.value = not _ACTIVE[name]
            open_pin.deinit()


def prepare(link: Link, made: Script, *, leave: bool) -> None:
    """Make sure that the board is as the log wants it: its sensors and times, and no game.

    *leave* a game that it keeps. Raise RefusedError, and LinkError if it does not answer.
    """
    header, match = _head(link)
    sensors, times, _ = parse_header(made.header)
    try:
        theirs, their_times, _ = parse_header(header)
    except ValueError as error:
        raise LinkError(f"The log of the board at {link.path} begins damaged: {error}.") from error
    if sensors != theirs:
        raise RefusedError("The log was made with other sensors than the board has.")
    for key, value in times.items():
        if their_times[key] != value:
            raise RefusedError(
                f"The log was made with {key}={value}, and the board has {their_times[key]}:"
                f" kegli settings set {key} {value}"
            )
    if match != "empty" and not leave:
        raise RefusedError("The board keeps a game: --yes leaves it.")


def _head(link: Link) -> tuple[str, str]:
    """Return the first line of a log that the board begins, and a word on how its match stands."""
    hush(link)
    link.say("log")
    header = ""
    until_s = time.monotonic() + _HEAD_S
    while time.monotonic() < until_s:
        for line in link.lines(_IDLE_S):
            words = line.split(" ")
            if line.startswith(LOG_BEGINS):
                header = line
            elif header and words[1:2] == ["match"] and words[2:]:
                return header, words[2]
    raise LinkError(f"The board at {link.path} begins no log: is its table at rest?")


@dataclass
class Played:
    """How it went: what the board `concluded`, and how late each event was, in milliseconds."""

    expected: list[str]
    concluded: list[str] = field(default_factory=list)
    late_ms: list[float] = field(default_factory=list)

    @property
    def difference(self) -> list[str]:
        """The difference between log and board, as lines of a diff; none if they agree.

        Times differ, and so may the numbers of the games.
        """
        log, theirs = comparable(self.expected), comparable(self.concluded)
        return list(difflib.unified_diff(log, theirs, "log", "board", lineterm="", n=1))

    @property
    def late(self) -> str:
        """How late events were, in words."""
        many = sum(ms > _LATE_MS for ms in self.late_ms)
        return (
            f"{len(self.late_ms)} events, at most {max(self.late_ms):.1f} ms late,"
            f" {many} by more than {_LATE_MS:g} ms"
        )


def comparable(lines: Iterable[str]) -> list[str]:
    """Return conclusions without times, their games counted from 1."""
    numbers: list[str] = []
    found = []
    for line in lines:
        number = _NUMBER.match(line)
        if number and number[2] not in numbers:
            numbers.append(number[2])
        counted = _NUMBER.sub(lambda m: f"{m[1]}{numbers.index(m[2]) + 1}", line)
        found.append(_TIMED.sub("", counted))
    return found


def play(
    link: Link,
    made: Script,
    pins: Mapping[str, Pin],
    *,
    speed: float,
    step: Callable[[float], None],
) -> Played:
    """Let the log happen at *pins*, *speed* times as fast as life; *step* gets seconds of it.

    Raise LinkError.
    """
    played = Played(made.expected)
    began_us = made.events[0].t_us - _LEAD_US
    began_s = time.monotonic()

    def now_us() -> float:
        return began_us + (time.monotonic() - began_s) * speed * 1_000_000

    def listen() -> None:
        played.concluded += [x for x in link.lines(0.0) if x.startswith(replay.CONCLUSIONS)]
        step((now_us() - began_us) / 1_000_000)

    for event in made.events:
        while now_us() < event.t_us:
            listen()
            time.sleep(min(_IDLE_S, max(0.0, event.t_us - now_us()) / speed / 1_000_000))
        if event.source:
            pins[event.source].value = event.level == _ACTIVE[event.source]
        else:
            link.say(event.words)
        played.late_ms.append((now_us() - event.t_us) / 1000)
    while now_us() < made.end_us + _TAIL_US or (
        now_us() < made.end_us + _MOST_TAIL_US and len(played.concluded) < len(played.expected)
    ):
        listen()
        time.sleep(_IDLE_S)
    return played
