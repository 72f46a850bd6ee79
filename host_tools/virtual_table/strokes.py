"""Strokes with known truth, and the files they come from.

A file has one JSON object a line; the keys that count here, times in seconds from the cue's
impact, speeds in m/s:

    mode    "player" or "random"
    ev      events in order, each with t and k: strike; bb (two balls touch); cush (side N E S
            W, v normal speed); pin (pin 0-4 touched for the first time, v of the ball); zone
            (the cue ball's centre comes within 130 mm of the king: inside 1, or leaves: 0)
    v       the all-seeing referee: kind LEGAL FOUL_CUE FOUL_DIRECT MISS CAROM ZERO, pts (value
            of the pins, 3 for a carom without), pins in order of fall, carom
    t_end   when the last ball stopped
"""

import gzip
import json
import zlib
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar, cast

_T = TypeVar("_T")

PACKAGED = Path(__file__).with_name("strokes.jsonl.gz")

_LONGEST_S = 60
_FASTEST = 100  # m/s
_MOST_POINTS = 30


class Event(NamedTuple):
    """One thing that happened on the table."""

    t_us: int  # since the cue's impact
    kind: str  # "strike" "contact" "cushion" "pin" "zone"
    which: int  # cushion 0-3, pin 0-4, zone 1 entered or 0 left; else 0
    speed: float  # of cushion and pin, m/s; else 0


@dataclass(frozen=True)
class Stroke:
    """What happened in a stroke, and what an all-seeing referee says of it."""

    mode: str  # who played: "player" "random"
    events: tuple[Event, ...]
    end_us: int  # the last ball stops, since the cue's impact
    verdict: str  # "legal" "cue" "direct"; "none" if no pin fell
    pins: tuple[int, ...]  # in order of fall
    carom: bool  # the cue ball touched both whites
    miss: bool  # the cue ball touched no white
    points: int  # value of the pins; 3 for a carom without

    @property
    def t_end(self) -> float:
        """When the last ball stops, in seconds since the cue's impact."""
        return self.end_us / 1e6


class Form(NamedTuple):
    """How the file tells of one kind of event."""

    kind: str
    key: str  # of what becomes `which`; "" if there is none
    values: dict[str | int, int]
    has_speed: bool


FORMS = {
    "strike": Form("strike", "", {}, False),
    "bb": Form("contact", "", {}, False),
    "cush": Form("cushion", "side", {"N": 0, "E": 1, "S": 2, "W": 3}, True),
    "pin": Form("pin", "pin", {0: 0, 1: 1, 2: 2, 3: 3, 4: 4}, True),
    "zone": Form("zone", "inside", {0: 0, 1: 1}, False),
}

_VERDICTS = {
    "LEGAL": "legal",
    "FOUL_CUE": "cue",
    "FOUL_DIRECT": "direct",
    "MISS": "none",
    "CAROM": "none",
    "ZERO": "none",
}


def packaged() -> list[Stroke]:
    """Return the strokes that travel with the package."""
    return read(PACKAGED)


def read(path: str | PathLike[str]) -> list[Stroke]:
    """Return the strokes of a .jsonl or .jsonl.gz file; blank lines are skipped.

    Raise ValueError, one sentence with file, line and reason, for what cannot be read.
    """
    name = fspath(path)
    strokes: list[Stroke] = []
    number = 0
    try:
        with _open(name) as file:
            for number, line in enumerate(file, 1):  # noqa: B007  # the errors below tell it
                if line.strip():
                    strokes.append(parse(line.rstrip()))
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise ValueError(f"{name}: the compressed data is broken after line {number}.") from None
    except OSError as error:
        raise ValueError(f"{name} cannot be read: {error.strerror or error}.") from None
    except ValueError as error:
        raise ValueError(f"{name}, line {number}: {error}.") from None
    if not strokes:
        raise ValueError(f"{name} has no stroke in it.")
    return strokes


def parse(line: bytes) -> Stroke:
    """Return the stroke of one line; raise ValueError with the reason if it is none."""
    item = _object(_json(line), "the line")
    truth = _object(item.get("v"), "v")
    events = tuple(_event(event) for event in _list(item, "ev"))
    stroke = Stroke(
        mode=_one_of(item, "mode", {"player": "player", "random": "random"}),
        events=events,
        end_us=_time_us(item, "t_end"),
        verdict=_one_of(truth, "kind", _VERDICTS),
        pins=tuple(event.which for event in events if event.kind == "pin"),
        carom=_one_of(truth, "carom", {False: False, True: True}),
        miss=not any(event.kind == "contact" for event in events),
        points=int(_number(truth, "pts", _MOST_POINTS)),
    )
    if _list(truth, "pins") != list(stroke.pins) or len(set(stroke.pins)) < len(stroke.pins):
        raise ValueError("v.pins are not the pins of ev, once each")
    _check(stroke, truth["kind"])
    return stroke


def _check(stroke: Stroke, kind: str) -> None:
    """Raise ValueError if a stroke contradicts itself."""
    times = [event.t_us for event in stroke.events]
    if not times or stroke.events[0].kind != "strike":
        raise ValueError("ev does not begin with the strike")
    if times != sorted(times) or times[-1] > stroke.end_us:
        raise ValueError("ev is not in order of time, or goes on after t_end")
    zone = [event.which for event in stroke.events if event.kind == "zone"]
    if zone != [1 - n % 2 for n in range(len(zone))]:
        raise ValueError("zone is not entered and left in turn")
    without = "MISS" if stroke.miss else "CAROM" if stroke.carom else "ZERO"
    fits = stroke.verdict != "none" if stroke.pins else kind == without
    if not fits:
        raise ValueError(f"v.kind {kind} does not fit ev and v.carom")


def _json(line: bytes) -> object:
    try:
        return cast(object, json.loads(line.decode()))
    except UnicodeDecodeError:
        raise ValueError("not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error.msg}, column {error.colno})") from None
    except RecursionError:
        raise ValueError("JSON nested too deep") from None
    except ValueError:
        raise ValueError("JSON with a number too long to read") from None


def _open(name: str) -> IO[bytes]:
    if name.endswith(".gz"):
        return cast(IO[bytes], gzip.open(name, "rb"))
    return open(name, "rb")


def _event(value: object) -> Event:
    event = _object(value, "an event")
    form = _one_of(event, "k", FORMS)
    which = _one_of(event, form.key, form.values) if form.key else 0
    speed = _number(event, "v", _FASTEST) if form.has_speed else 0.0
    return Event(_time_us(event, "t"), form.kind, which, speed)


def _object(value: object, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{name} is no JSON object")
    return value


def _list(item: dict[str, Any], key: str) -> list[Any]:
    value = item.get(key)
    if not isinstance(value, list):
        raise ValueError(f"{key} is no list")
    return value


def _one_of(item: dict[str, Any], key: str, values: dict[Any, _T]) -> _T:
    value = item.get(key)
    if not isinstance(value, str | int) or value not in values:
        raise ValueError(f"{key} is none of {', '.join(map(str, values))}")
    return values[value]


def _number(item: dict[str, Any], key: str, most: int) -> float:
    value = item.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise ValueError(f"{key} is no number from 0 to {most}")
    return float(value)


def _time_us(item: dict[str, Any], key: str) -> int:
    return round(1e6 * _number(item, key, _LONGEST_S))
