"""Settings: one table of what can be set, for the console, the file and the documentation.

Imported on demand. The file settings.json holds what differs from the usual, and the version of
its form. A file or a value that cannot be used is told and kept aside, and the usual value holds.
"""

import json
import os

from micropython import const

from .header import SETTINGS
from .lines import number, printable
from .terms import parse_terms

SENSORS = ("pins", "cushions", "click", "zone")  # in the order of the log's first line
FITTED = ("pins", "cushions")  # always there

FILE = "settings.json"
ASIDE = "settings.bad"  # a copy of a file that had something wrong
TEMPORARY = "settings.new"
_VERSION = const("kegli-settings")  # a key of the file
_FORM = const(1)  # its value; firmware 0.1.0 wrote none, and knew `sensors` alone
_MOST_BYTES = const(4096)
_MOST_NAME = const(60)
_PER_CENT = const(3)  # characters of %D0

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    Row = tuple[str, str, str | tuple[int, int], int | str]
    Values = dict[str, int | str]

_MS = dict(SETTINGS)

# fmt: off
TABLE: "tuple[Row, ...]" = (
    # key, unit, what it may be, usual; help.txt says why
    ("sensors", "", "sensors", "pins,cushions"),
    ("bounce_ms", "ms", (5, 500), _MS["bounce_ms"]),
    ("fall_hold_ms", "ms", (20, 2000), _MS["fall_hold_ms"]),
    ("button_hold_ms", "ms", (5, 500), _MS["button_hold_ms"]),
    ("quiet_ms", "ms", (1000, 60000), _MS["quiet_ms"]),
    ("ready_ms", "ms", (100, 10000), _MS["ready_ms"]),
    ("cushion_mv", "mV", (20, 3300), 200),
    ("click_mv", "mV", (20, 3300), 200),
    ("pins", "", "order 5", "0,1,2,3,4"),
    ("cushions", "", "order 4", "0,1,2,3"),
    ("brightness", "", (1, 255), 80),
    ("limit_ma", "mA", (200, 4000), 2500),
    ("buzzer", "", (0, 1), 1),
    ("new", "", "terms", ""),
    ("a.name", "", "name", ""),
    ("b.name", "", "name", ""),
    ("log_kb", "KB", (0, 1500), 512),
)
# fmt: on


def row_of(key: str) -> "Row":
    """Return the row of a setting. Raise ValueError if there is none."""
    for row in TABLE:
        if row[0] == key:
            return row
    raise ValueError("there is no setting '%s'" % printable(key))


def usual() -> "Values":
    """Return the usual value of every setting."""
    return {row[0]: row[3] for row in TABLE}


def span(row: "Row") -> str:
    """Return in words what a setting may be."""
    kind = row[2]
    if not isinstance(kind, str):
        return "%d to %d" % kind
    if kind == "sensors":
        return "of " + ",".join(SENSORS)
    if kind == "terms":
        return "words of new"
    return "at most %d characters" % _MOST_NAME if kind == "name" else "each number once"


def parse(key: str, text: str) -> "int | str":
    """Return the value that *text* gives the setting *key*. Raise ValueError with one sentence."""
    kind = row_of(key)[2]
    try:
        if not isinstance(kind, str):
            return _number(text, kind)
        return _PARSERS[kind.split(" ")[0]](text, kind)
    except ValueError as error:
        raise ValueError("%s: %s" % (key, error))


def _number(text: str, span: "tuple[int, int]") -> int:
    n = number(text, span[1])
    if n < span[0]:
        raise ValueError("%d is less than %d" % (n, span[0]))
    return n


def _sensors(text: str, _kind: str) -> str:
    named = text.split(",") if text else []
    for name in named:
        if name not in SENSORS:
            raise ValueError("there is no sensor '%s'" % printable(name))
    return ",".join([name for name in SENSORS if name in named or name in FITTED])


def _order(text: str, kind: str) -> str:
    numbers = text.split(",")
    if sorted(numbers) != [str(n) for n in range(int(kind.split(" ")[1]))]:
        raise ValueError("'%s' does not have each number once" % printable(text))
    return text


def _terms(text: str, _kind: str) -> str:
    words = text.split()
    parse_terms(words)
    return " ".join(words)


def _name(text: str, _kind: str) -> str:
    if len(text) > _MOST_NAME or " " in text or text != printable(text):
        raise ValueError("a name has at most 60 characters, without blanks, percent-encoded")
    for code in text.split("%")[1:]:
        digits = code[: _PER_CENT - 1]
        if len(digits) < _PER_CENT - 1 or [c for c in digits if c not in "0123456789abcdefABCDEF"]:
            raise ValueError("behind a %% come two digits of 0-9 and A-F, not '%s'" % digits)
    return text


_PARSERS = {"sensors": _sensors, "order": _order, "terms": _terms, "name": _name}


def read() -> "tuple[Values, list[str]]":
    """Return the values from the file, the usual ones for what it lacks, and what is wrong."""
    values = usual()
    wrong: "list[str]" = []
    try:
        with open(FILE, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError:  # none: most boards
        return values, wrong
    try:
        if len(data) > _MOST_BYTES:
            raise ValueError
        said = json.loads(str(data, "utf-8"))
        form = said.pop(_VERSION, 0)
        if [key for key in said if not isinstance(key, str)]:
            raise ValueError  # MicroPython takes other keys
    except (ValueError, AttributeError, TypeError, RuntimeError):  # the last: too deep
        wrong.append("%s cannot be read: the usual settings hold." % FILE)
        said = {}
        form = _FORM
    if form not in (0, _FORM) or isinstance(form, bool):
        wrong.append(
            "%s is of another firmware, form %s; only form %d is known: the usual settings hold."
            % (FILE, _shown(form), _FORM)
        )
        said = {}
    for key in sorted(said):
        value = said[key]
        try:
            if isinstance(value, bool) or not isinstance(value, (int, str)):
                raise ValueError("%s: '%s' is no value" % (printable(key), _shown(value)))
            values[key] = parse(key, str(value))
        except ValueError as error:
            wrong.append("%s: %s: its usual value holds." % (FILE, error))
    if wrong:
        _keep_aside(data, wrong)
    return values, wrong


def _shown(value: object) -> str:
    """Return a value of a file as a sentence shows it."""
    return "..." if isinstance(value, (dict, list)) else printable(str(value))


def _keep_aside(data: bytes, wrong: "list[str]") -> None:
    try:
        with open(ASIDE, "wb") as file:
            file.write(data)
        wrong.append("What it was is kept as %s." % ASIDE)
    except OSError:
        wrong.append("It could not be copied to %s." % ASIDE)


def write(values: "Values") -> None:
    """Write what differs from the usual, whole or not at all. Raise OSError."""
    said: "Values" = {_VERSION: _FORM}
    for row in TABLE:
        if values[row[0]] != row[3]:
            said[row[0]] = values[row[0]]
    with open(TEMPORARY, "w") as file:
        file.write(json.dumps(said) + "\n")
    os.rename(TEMPORARY, FILE)
