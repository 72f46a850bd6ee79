"""The verdict of a stroke when nobody has said anything: one table for all sensor sets.

Legal are R3.1, R3.2, R3.3, R3.4 and R3.5, which no sensor tells apart. A pin felled by a pin
(R3.6) falls like any other: what moved the first has moved it.
"""

from micropython import const

# As in header.py, folded in by the compiler.
_CLICKS = const(1)
_ZONES = const(2)

_NONE = const(0)  # no pin is down
_LEGAL = const(1)
_CUE = const(2)
_DIRECT = const(3)
_DOUBT = const(4)
VERDICT_NAMES = ("none", "legal", "cue", "direct", "doubt")

_NO = const(0)  # how sure it is that something was so
_POSSIBLY = const(1)  # its time and the fall's overlap within their uncertainties
_SURELY = const(2)

_ANY = const(-1)

# fmt: off
TABLE = (
    # The first row that applies holds: the sensors it needs are fitted, the zone was occupied
    # as it says, a cushion was hit as it says, and fewer contacts than it says came before.
    # sensors          zone       hit      contacts<  verdict   certain
    (_ZONES,           _SURELY,   _ANY,    _ANY,      _CUE,     True),   # R4.1
    (_ZONES,           _POSSIBLY, _ANY,    _ANY,      _DOUBT,   False),  # R4.3
    (_CLICKS,          _ANY,      _ANY,    1,         _CUE,     True),   # R4.1: no white in play
    (_CLICKS,          _ANY,      _NO,     2,         _DIRECT,  True),   # R4.2: no legal way left
    (_ZONES | _CLICKS, _ANY,      _ANY,    _ANY,      _LEGAL,   True),   # R3.1 to R3.5
    (_ZONES,           _ANY,      _SURELY, _ANY,      _LEGAL,   True),   # R3.1
    (0,                _ANY,      _SURELY, _ANY,      _LEGAL,   False),  # R3.1
    (0,                _ANY,      _ANY,    _ANY,      _DOUBT,   False),  # R4.3
)
# fmt: on


def _row(sensors: int, zone: int, hit: int, contacts: int) -> tuple[int, bool]:
    for needed, row_zone, row_hit, below, verdict, certain in TABLE:
        if (
            needed & ~sensors == 0
            and row_zone in (_ANY, zone)
            and row_hit in (_ANY, hit)
            and (below == _ANY or contacts < below)
        ):
            return verdict, certain
    raise ValueError("the last row applies to everything")


def verdict(sensors: int, zone: int, hit: int, contacts: int, perhaps: int) -> tuple[int, bool]:
    """Return (verdict, certain) of a stroke with pins down.

    `zone` and `hit` are _NO, _POSSIBLY or _SURELY; `contacts` came surely before every fall,
    `perhaps` (not less) counts those as well that were simultaneous with one. What is
    simultaneous supports nothing: where counting it or not would change the row, it is
    doubt, and not certain.
    """
    found = _row(sensors, zone, _SURELY if hit == _SURELY else _NO, contacts)
    for other in range(contacts, perhaps + 1):
        for other_hit in (_NO, _SURELY):
            is_open = hit in (_POSSIBLY, other_hit)
            if is_open and _row(sensors, zone, other_hit, other) != found:
                return _DOUBT, False
    return found
