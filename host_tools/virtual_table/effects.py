"""What the sensors add to the truth: every effect, its size, and where the size comes from."""

from dataclasses import dataclass, fields
from random import Random
from typing import NamedTuple, Self


@dataclass(frozen=True)
class Effects:
    """Say which effects are on: all, unless told otherwise."""

    tilt_lag: bool = True  # a slow ball tips a pin over later than a fast one
    bounce: bool = True  # the switch in a falling pin chatters
    rocks: bool = True  # a pin tilts and stands again
    soft_unheard: bool = True  # a cushion does not hear a soft hit
    dead_time: bool = True  # a cushion is deaf after a hit
    retrigger: bool = True  # a cushion fires a second time for one hit
    crosstalk: bool = True  # a cushion hears its neighbour's hit
    jitter: bool = True  # edges come a little late, each by another amount
    wobble: bool = True  # a pin wobbles when a hand lets go of it

    @classmethod
    def none(cls) -> Self:
        """Return a table whose sensors say exactly what happened."""
        return cls(**{field.name: False for field in fields(cls)})


class Size(NamedTuple):
    """One magnitude, drawn evenly from `low` to `high`.

    `effect` is the field of Effects that switches it, or "" for what is no effect of a sensor.
    """

    name: str
    effect: str
    low: float
    high: float
    unit: str
    source: str


_GUESS = "estimate, to be measured"

# The only place where a magnitude stands. physics.md, with its section, is the project's notes
# on the table and its sensors: computed or estimated there, nothing measured on a table.
# fmt: off
TABLE = (
    # Tilt lag = offset + spread * angle / (per_speed * v + own).
    Size("lag_offset",        "tilt_lag",     2_000,     2_000,     "us",     "physics.md 2"),
    Size("lag_angle",         "tilt_lag",     0.5,       0.5,       "rad",    "physics.md 2"),
    Size("lag_per_speed",     "tilt_lag",     40.0,      40.0,      "rad/m",  "physics.md 2"),
    Size("lag_own",           "tilt_lag",     5.0,       5.0,       "rad/s",  "physics.md 2"),
    Size("lag_spread",        "tilt_lag",     0.6,       1.5,       "1",      "physics.md 2"),
    Size("chatter",           "bounce",       5_000,     50_000,    "us",     "physics.md 3"),
    Size("chatter_pulses",    "bounce",       1,         15,        "1",      _GUESS),
    Size("rock_by_fall",      "rocks",        0.08,      0.08,      "chance", _GUESS),
    Size("rock_fall_after",   "rocks",        40_000,    120_000,   "us",     "physics.md 3"),
    Size("rock_by_brush",     "rocks",        0.04,      0.04,      "chance", _GUESS),
    # The cue ball stays at the cross for 0.15 s, median of the strokes choose.py chose from.
    Size("rock_brush_after",  "rocks",        0,         150_000,   "us",     _GUESS),
    # Physics.md 3: a trip shorter than 150 ms is a rock.
    Size("rock",              "rocks",        10_000,    140_000,   "us",     _GUESS),
    Size("rock_pulses",       "rocks",        1,         3,         "1",      _GUESS),
    # Heard with the chance v^n / (v^n + hearing^n), n = 2^squarings: a logistic in log v.
    Size("hearing",           "soft_unheard", 0.06,      0.06,      "m/s",    "physics.md 2"),
    Size("hearing_squarings", "soft_unheard", 3,         3,         "1",      _GUESS),
    Size("dead_time",         "dead_time",    60_000,    60_000,    "us",     "physics.md 2"),
    # At drive 1, taken for 1 m/s, the pulse lasts 103 ms: longer than the dead time.
    Size("retrigger_from",    "retrigger",    1.0,       1.0,       "m/s",    "physics.md 4"),
    Size("retrigger",         "retrigger",    0.05,      0.05,      "chance", _GUESS),
    Size("retrigger_after",   "retrigger",    60_000,    80_000,    "us",     _GUESS),
    Size("crosstalk_from",    "crosstalk",    1.0,       1.0,       "m/s",    _GUESS),
    Size("crosstalk",         "crosstalk",    0.02,      0.02,      "chance", _GUESS),
    Size("crosstalk_after",   "crosstalk",    500,       4_000,     "us",     "physics.md 3"),
    # A soft hit crosses a fixed threshold later: by walk / v, up to the limit (at 0.06 m/s).
    Size("walk",              "jitter",       120,       120,       "us*m/s", "physics.md 3"),
    Size("walk_limit",        "jitter",       2_000,     2_000,     "us",     "physics.md 3"),
    # Evenly spread over these, the standard deviations are physics.md's 0.3 and 0.2 ms.
    Size("hit_jitter",        "jitter",       0,         1_040,     "us",     "physics.md 2"),
    Size("click_jitter",      "jitter",       0,         690,       "us",     "physics.md 2"),
    Size("pin_jitter",        "jitter",       0,         690,       "us",     _GUESS),
    Size("zone_jitter",       "jitter",       0,         690,       "us",     _GUESS),
    Size("wobble",            "wobble",       20_000,    140_000,   "us",     _GUESS),
    Size("wobble_pulses",     "wobble",       1,         4,         "1",      _GUESS),
    # How long people take; no effect of a sensor.
    Size("hands_come",        "",             2_000_000, 4_000_000, "us",     _GUESS),
    Size("hands_lift",        "",             1_000_000, 2_500_000, "us",     _GUESS),
)
# fmt: on

_SIZES = {size.name: size for size in TABLE}


class Draws:
    """Random amounts in the sizes of TABLE, each size with a stream of its own.

    So an effect of one sensor can be switched off and the other sensors say the same. Only
    `Random.random` is drawn, whose sequence Python promises to keep, and only + - * / is done
    with it: the same seed gives the same edges on every machine.
    """

    def __init__(self, seed: int, effects: Effects) -> None:
        self._effects = effects
        root = Random(seed)
        self._streams = {size.name: Random(int(root.random() * 2**53)) for size in TABLE}

    def fraction(self, name: str) -> float:
        """Return the next of a size's own random numbers, 0 <= x < 1."""
        return self._streams[name].random()

    def amount(self, name: str) -> float:
        """Return an amount of a size, in its unit; 0 if its effect is off."""
        size = _SIZES[name]
        if not self._is_on(size):
            return 0.0
        return size.low + (size.high - size.low) * self.fraction(name)

    def whole(self, name: str) -> int:
        """Return a whole number from low to high, both included; 0 if the effect is off."""
        size = _SIZES[name]
        if not self._is_on(size):
            return 0
        return int(size.low) + int((size.high - size.low + 1) * self.fraction(name))

    def happens(self, name: str) -> bool:
        """Say whether the chance of that name comes true; never if its effect is off."""
        return self.fraction(name) < self.amount(name)

    def _is_on(self, size: Size) -> bool:
        return not size.effect or bool(getattr(self._effects, size.effect))
