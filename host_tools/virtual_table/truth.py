"""What an all-seeing referee awards for a stroke, by the default settings."""

from host_tools.virtual_table.strokes import Stroke
from kegli.rules import CAROM_POINTS, pin_points

_FINE = 2  # R4.9


def truth_award(stroke: Stroke) -> tuple[int, int, bool]:
    """Return (points to the striker, points to the partner, is it a penalty)."""
    points = pin_points(sum(1 << pin for pin in stroke.pins))[1]
    if stroke.carom and not stroke.pins:
        points = CAROM_POINTS  # R2.6
    if stroke.miss:  # R4.4; its cue ball may have felled pins
        return 0, points + _FINE, True
    if stroke.verdict in ("cue", "direct"):  # R4.1, R4.2
        return 0, points, True
    return points, 0, False
