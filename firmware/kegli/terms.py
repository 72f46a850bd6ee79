"""The terms of a game: what can be said with `new`, and what it may be. Imported on demand."""

from micropython import const

from .lines import number, printable
from .match import PLAYER_NAMES

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    from typing import Any

_A_TARGET = const(2)
_A_START = const(4)
_NOBODY = const(2)

# fmt: off
_TERMS: "tuple[Any, ...]" = const((
    # key             default  words (the term is the place of one), or least and most
    "a.mode",          0,       ("series", "single"),        # R6.3, R7.7
    "b.mode",          0,       ("series", "single"),
    "a.target",        100,     (1, 999),                    # R7.2, R7.5
    "b.target",        100,     (1, 999),
    "a.start",         0,       (0, 998),                    # R7.6, R7.8
    "b.start",         0,       (0, 998),
    "first",           0,       ("a", "b"),                  # R7.1
    "always",          _NOBODY, ("a", "b", "none"),          # R7.4
    "pair",            0,       (0, 1),                      # R7.9
    "table",           0,       ("carom", "pocket"),         # R8.1
    "carom_adds",      0,       ("0", "3"),                  # R2.7
    "fine",            2,       (0, 10),                     # R4.9
    "pin_fine",        0,       (0, 10),                     # R4.9
    "late_keeps_turn", 1,       (0, 1),                      # R5.7
    "pocket_white",    2,       (0, 10),                     # R8.2
))
# fmt: on
_COLUMNS = const(3)  # of these


def parse_terms(words: list[str]) -> list[int]:
    """Return the terms of a game from `key=value` words, as numbers in the order of _TERMS."""
    terms = [_TERMS[i] for i in range(1, len(_TERMS), _COLUMNS)]
    for pair in words:
        key, _equals, value = pair.partition("=")
        if key not in _TERMS:
            raise ValueError("there is no setting '%s'" % printable(key))
        place = _TERMS.index(key)
        values = _TERMS[place + 2]
        if value in values:
            n = values.index(value)
        elif isinstance(values[0], int):
            n = number(value, values[1])
            if n < values[0]:
                raise ValueError("%s is at least %d" % (key, values[0]))
        else:
            raise ValueError("%s is one of: %s" % (key, " ".join(values)))
        terms[place // _COLUMNS] = n
    for player in (0, 1):
        if terms[_A_START + player] >= terms[_A_TARGET + player]:
            name = PLAYER_NAMES[player]
            raise ValueError("%s.start must be below %s.target" % (name, name))
    return terms


def check(terms: list[int]) -> None:
    """Raise ValueError if a term of a stored game is out of its range."""
    for i, term in enumerate(terms):
        values = _TERMS[i * _COLUMNS + 2]
        if term > (values[1] if isinstance(values[0], int) else len(values) - 1):
            raise ValueError("the terms make no sense")
