"""Finds the noise of cushions and click, and thresholds above it. Imported on demand."""

from micropython import const

from . import settings
from .pause import Pause
from .sensors import code, name
from .threshold import set_mv

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    from .app import App

_LOWEST_MV = const(20)
_HIGHEST_MV = const(3300)
_SETTLE_MS = const(200)
_LISTEN_MS = const(1_000)
_QUIET_STEPS = const(3)  # in a row, at which nothing is heard any more
_MARGIN = const(2)  # times the noise: 6 dB
_LEAST_MV = const(60)  # offsets of a comparator, and 13 mV steps of a DAC


def calibrate(app: "App") -> None:
    """Step the thresholds up until nothing is heard; offer what is well above.

    Raise ValueError if there are no thresholds to step.
    """
    if not app.thresholds:
        raise ValueError("after a soft reset the thresholds are not to be had: say restart")
    say = app.console.say
    say("> Hands off the table, with its usual noise: half a minute at most.")
    inputs = app.inputs
    pause = Pause(app)
    sources = inputs.one_shots
    before_mv = {key: app.thresholds[key][1] for key in app.thresholds}
    try:
        noise_mv = _noise_mv(app, pause, sources)
    finally:  # also if somebody interrupts it
        for key, mv in before_mv.items():
            set_mv(app.thresholds[key], mv)
    floors = ["%s %d mV" % (code(inputs.rows[n][0]), noise_mv[n]) for n in sources]
    say("> noise is heard up to: " + ", ".join(floors))
    values, _wrong = settings.read()
    for key in sorted(app.thresholds):
        mine = [n for n in sources if (inputs.rows[n][0] == "click") == (key == "click_mv")]
        if not mine:  # not fitted
            continue
        loudest_mv = max([noise_mv[n] for n in mine])
        mv = max(_MARGIN * loudest_mv, _LEAST_MV)
        values[key] = mv
        for n in mine:
            if _MARGIN * noise_mv[n] > _HIGHEST_MV:
                name(app, n, "hears noise of %d mV: too much for any threshold" % noise_mv[n])
                return
        say("> %s = %d would be well above it" % (key, mv))
    pause.offer(values)


def _noise_mv(app: "App", pause: Pause, sources: bytes) -> "list[int]":
    """Return up to which threshold each input hears something though nothing happens."""
    say = app.console.say
    inputs = app.inputs
    noise_mv = [0] * len(inputs.rows)
    mv = _LOWEST_MV
    quiet = 0
    while quiet < _QUIET_STEPS and mv <= _HIGHEST_MV:
        for key in app.thresholds:
            set_mv(app.thresholds[key], mv)
        pause.wait(_SETTLE_MS)
        before = list(inputs.edges)
        pause.wait(_LISTEN_MS)
        heard = [n for n in sources if inputs.edges[n] != before[n]]
        for n in heard:
            noise_mv[n] = mv
        marks = ["%s %d" % (code(inputs.rows[n][0]), inputs.edges[n] - before[n]) for n in heard]
        say("> %d mV: %s" % (mv, ", ".join(marks) or "nothing"))
        quiet = 0 if heard else quiet + 1
        mv += max(mv // 5, 13)
    return noise_mv
