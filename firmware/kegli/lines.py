"""Lines of a kegli-log behind the header: one input a line.

Text is one character a byte; a character above 127 is not ASCII. Every refusal is a
ValueError with one sentence.
"""

from micropython import const

TARDY_US = const(20_000)  # a line may stand this far behind the latest time seen

_PIN = const(0)
_HIT = const(1)
_CLICK = const(2)
_ZONE = const(3)
_BTN = const(4)
_CMD = const(5)
_LOST = const(6)
_BOOT = const(7)
_MATCH = const(8)
_END = const(9)
_BAD = const(10)  # a line that was skipped: it has no text form
_KIND = const(15)  # the bits of the kind in a code

BUTTONS = ("ok", "penalty", "carom", "fine", "undo")
_CAUSES = const(("watchdog", "software"))

_MOST_SHOWN = const(60)  # characters of a bad line in a sentence
_MOST_DIGITS = const(18)  # of a number: 10**18 us is 31,000 years

_KINDS = {
    # word: kind, numbers it takes (-1: names or words), the largest (-1: any), U may follow
    "pin": (_PIN, 2, 4, 1, True),
    "hit": (_HIT, 1, 3, 0, True),
    "click": (_CLICK, 0, 0, 0, True),
    "zone": (_ZONE, 1, 1, 0, True),
    "lost": (_LOST, 1, -1, 0, False),
    "end": (_END, 0, 0, 0, False),
    "btn": (_BTN, -1, 0, 0, False),
    "boot": (_BOOT, -1, 0, 0, False),
    "cmd": (_CMD, -1, 0, 0, False),
    "match": (_MATCH, -1, 0, 0, False),
}


def printable(text: str) -> str:
    """Return *text* cut to 60 characters, with what is not printable ASCII as `?`."""
    short = text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 3] + "..."
    return "".join([c if " " <= c <= "~" else "?" for c in short])


def number(word: str, most: int) -> int:
    """Return *word*, digits only, as an integer from 0 to *most* (any size if negative)."""
    # There are digits above 9 in Latin 1, and int() may not take them.
    if not word.isdigit() or max(word) > "9" or len(word.lstrip("0")) > _MOST_DIGITS:
        raise ValueError("'%s' is not a whole number" % printable(word))
    n = int(word)
    if 0 <= most < n:
        raise ValueError("%d is more than %d" % (n, most))
    return n


def _name(word: str, names: tuple[str, ...]) -> int:
    if word not in names:
        raise ValueError("'%s' is none of: %s" % (printable(word), " ".join(names)))
    return names.index(word)


def parse(text: str) -> "tuple[int, int] | tuple[int, int, list[str]] | None":
    """Return (t_us, code) of an input line without its LF, None if it is blank or a comment.

    A code packs what the line says: its kind in bits 0 to 3; in bits 4 to 7 the pin, the
    cushion, the level of the zone, the button (an index of BUTTONS) or the cause (of _CAUSES);
    in bit 8 the level of a pin or button; above them the uncertainty in microseconds, or N of
    a `lost`. A `cmd` or `match` adds its words. Raise ValueError if the line is bad.
    """
    if text.endswith("\r"):
        text = text[:-1]
    words = text.split(" ")
    if "" in words:
        words = [word for word in words if word]
    if not words or text[0] in "#>":
        return None
    if len(words) == 1:
        raise ValueError("a line needs a time and a kind")
    t_us = number(words[0], -1)
    if words[1] not in _KINDS:
        raise ValueError("there is no kind '%s'" % printable(words[1]))
    kind, count, first_most, second_most, takes_u = _KINDS[words[1]]
    n = len(words) - 2
    if count < 0:
        code = kind | _parse_names(kind, words[1:])
        return (t_us, code, words[2:]) if kind in (_CMD, _MATCH) else (t_us, code)
    if n != count and not (takes_u and n == count + 1):
        raise ValueError("'%s' has the wrong number of arguments" % words[1])
    first = number(words[2], first_most) if count else 0
    second = number(words[3], second_most) if count > 1 else 0
    u = number(words[-1], -1) if n > count else 0
    return t_us, kind | first << (9 if kind == _LOST else 4) | second << 8 | u << 9


def _parse_names(kind: int, words: list[str]) -> int:
    """Return the bits of a line whose arguments, behind its kind, are not all numbers."""
    n = len(words) - 1
    if n != (2 if kind == _BTN else 1) and not (kind in (_CMD, _MATCH) and n):
        raise ValueError("'%s' has the wrong number of arguments" % words[0])
    if kind == _BTN:
        return _name(words[1], BUTTONS) << 4 | number(words[2], 1) << 8
    if kind == _BOOT:
        return _name(words[1], _CAUSES) << 4
    if max([max(word) for word in words]) > "\x7f":
        raise ValueError("it is not ASCII")
    return 0
