"""Firmware of a carom table that keeps the score of кегли."""

import sys

__version__ = "0.1.0"

# Modules that are imported where they are needed, and go when they have done their work.
ON_DEMAND = [
    "anchor",
    "board",
    "calibrate",
    "handicap",
    "head",
    "header",
    "history",
    "pause",
    "recovery",
    "selftest",
    "sensors",
    "service",
    "settings",
    "start",
    "terms",
    "threshold",
    "watch",
]


def let_go() -> None:
    """Let the modules that were imported on demand go."""
    for name in ON_DEMAND:
        sys.modules.pop("kegli." + name, None)
        globals().pop(name, None)
