"""The tilt switches: touches of pins become edges that alternate."""

from collections.abc import Sequence

from host_tools.virtual_table.effects import Draws
from host_tools.virtual_table.strokes import Event

PINS = 5

# What stands a gap of one ball from each pin.
_NEIGHBOURS: tuple[tuple[int, ...], ...] = ((1, 2, 3, 4), (0,), (0,), (0,), (0,))


def moved(
    draws: Draws, standing: Sequence[bool], events: Sequence[Event], start_us: int
) -> list[list[int]]:
    """Return the times of each pin's edges in one stroke, in order.

    The levels alternate and begin with 1. An odd number: the pin fell.
    """
    events = [event for event in events if event.kind != "pin" or standing[event.which]]
    falls: list[list[int]] = [[] for _ in range(PINS)]
    for event in events:
        if event.kind == "pin":
            falls[event.which] = _fall(draws, start_us + event.t_us, event.speed)
    rocks: list[list[int]] = [[] for _ in range(PINS)]
    for event in events:
        for pin, after in _shaken(draws, event):
            rock = _rock(draws, start_us + event.t_us + after)
            # A pin that moves already, or lies, does not rock as well. One that rocked right
            # before its fall seems to have begun to fall then, as on a real table.
            is_free = not rocks[pin] or rocks[pin][-1] < rock[0]
            is_up = standing[pin] and (not falls[pin] or rock[-1] < falls[pin][0])
            if is_free and is_up:
                rocks[pin] += rock
    return [_sensed(draws, rocks[pin] + falls[pin]) for pin in range(PINS)]


def lifted(draws: Draws, t_us: int) -> list[int]:
    """Return the times of the edges of a pin set upright; they alternate and begin with 0."""
    flips = 2 * draws.whole("wobble_pulses")
    return _sensed(draws, _movement(draws, "wobble", t_us, flips))


def _shaken(draws: Draws, event: Event) -> list[tuple[int, int]]:
    """Return (pin, us until it rocks) for the pins that an event shakes.

    The strokes tell of a ball that only brushes by if it is the cue ball: it enters the zone.
    """
    if event.kind == "pin":
        pins, chance, after = _NEIGHBOURS[event.which], "rock_by_fall", "rock_fall_after"
    elif event.kind == "zone" and event.which:
        pins, chance, after = tuple(range(PINS)), "rock_by_brush", "rock_brush_after"
    else:
        return []
    return [(pin, draws.whole(after)) for pin in pins if draws.happens(chance)]


def _fall(draws: Draws, touch_us: int, speed: float) -> list[int]:
    flips = 2 * draws.whole("chatter_pulses")
    return _movement(draws, "chatter", touch_us + _lag_us(draws, speed), flips)


def _rock(draws: Draws, t_us: int) -> list[int]:
    return _movement(draws, "rock", t_us, 2 * draws.whole("rock_pulses") - 1)


def _lag_us(draws: Draws, speed: float) -> int:
    """Return the time from the touch of a ball to the first edge, µs; speed in m/s."""
    turn = draws.amount("lag_per_speed") * speed + draws.amount("lag_own")
    if not turn:  # the effect is off
        return 0
    tip_s = draws.amount("lag_spread") * draws.amount("lag_angle") / turn
    return draws.whole("lag_offset") + int(1e6 * tip_s)


def _movement(draws: Draws, lasts: str, first_us: int, flips: int) -> list[int]:
    """Return the times of a first edge and of `flips` more, the last of them after `lasts`."""
    if not flips:
        return [first_us]
    span = draws.whole(lasts)
    between: set[int] = set()
    while len(between) < flips - 1:
        between.add(1 + int((span - 1) * draws.fraction(lasts)))
    return [first_us, *(first_us + t for t in sorted(between)), first_us + span]


def _sensed(draws: Draws, times_us: list[int]) -> list[int]:
    """Return the times with jitter, which never turns two edges of one pin around."""
    sensed: list[int] = []
    for t_us in times_us:
        late_us = t_us + draws.whole("pin_jitter")
        sensed.append(max(late_us, sensed[-1] + 1) if sensed else late_us)
    return sensed
