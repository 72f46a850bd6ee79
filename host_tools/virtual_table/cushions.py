"""The front ends of the four cushions: hits become one-shots."""

from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from host_tools.virtual_table.effects import Draws

_CUSHIONS = 4


def heard(draws: Draws, hits: Iterable[tuple[int, int, float]]) -> list[tuple[int, int]]:
    """Return (t_us, cushion) of each one-shot, in order.

    hits: (t_us, cushion, normal speed in m/s) of each ball that touched a cushion.
    """
    knocks: list[tuple[int, int, float]] = []
    for t_us, cushion, speed in hits:
        if not _is_audible(draws, speed):
            continue
        at_us = t_us + _delay_us(draws, speed)
        knocks.append((at_us, cushion, speed))
        if speed >= draws.amount("crosstalk_from") and draws.happens("crosstalk"):
            side = (1, -1)[int(2 * draws.fraction("crosstalk"))]
            there = (cushion + side) % _CUSHIONS
            knocks.append((at_us + draws.whole("crosstalk_after"), there, 0.0))
    return _one_shots(draws, knocks)


def _one_shots(draws: Draws, knocks: list[tuple[int, int, float]]) -> list[tuple[int, int]]:
    heapify(knocks)
    shots: list[tuple[int, int]] = []
    deaf_until_us = [0] * _CUSHIONS
    while knocks:
        t_us, cushion, speed = heappop(knocks)
        if t_us < deaf_until_us[cushion]:
            continue
        shots.append((t_us, cushion))
        deaf_until_us[cushion] = t_us + draws.whole("dead_time")
        if speed >= draws.amount("retrigger_from") and draws.happens("retrigger"):
            heappush(knocks, (t_us + draws.whole("retrigger_after"), cushion, 0.0))
    return shots


def _is_audible(draws: Draws, speed: float) -> bool:
    loud, limit = speed, draws.amount("hearing")
    for _ in range(draws.whole("hearing_squarings")):
        loud, limit = loud * loud, limit * limit
    return draws.fraction("hearing") * (loud + limit) <= loud


def _delay_us(draws: Draws, speed: float) -> int:
    limit = draws.amount("walk_limit")
    walk = min(draws.amount("walk") / speed, limit) if speed else limit
    return int(walk) + draws.whole("hit_jitter")
