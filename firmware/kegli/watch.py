"""Shows the inputs live: level, edges, when the last one came. Imported on demand."""

from micropython import const

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    from .app import App

_EVERY_US = const(500_000)
_S = const(1_000_000)
_TENTH = const(100_000)
_LEVELS = {
    "pin": ("stands", "down"),
    "hit": ("quiet", "high"),
    "click": ("quiet", "high"),
    "zone": ("empty", "taken"),
    "btn": ("up", "down"),
}


class Watch:
    """Says at first each input, and then what changed, twice a second at most."""

    def __init__(self, app: "App") -> None:
        self._edges = [-1] * len(app.inputs.rows)
        self._next_us = 0
        self._lost = -1
        marks = ["%s %d" % (key, app.thresholds[key][1]) for key in sorted(app.thresholds)]
        app.console.say(
            "> watch: %s" % (", ".join(marks) or "thresholds as before the soft reset")
        )

    def go_on(self, app: "App") -> None:
        """Say what changed, if it is time."""
        if app.now_us < self._next_us:
            return
        self._next_us = app.now_us + _EVERY_US
        inputs = app.inputs
        if self._lost != inputs.ring.dropped:
            self._lost = inputs.ring.dropped
            app.console.say("> lost: %d edges" % self._lost)
        for source in range(len(inputs.rows)):
            edges = inputs.edges[source]
            if edges != self._edges[source]:
                self._edges[source] = edges
                app.console.say("> " + _row(app, source))


def _row(app: "App", source: int) -> str:
    inputs = app.inputs
    words, gpio = inputs.rows[source][:2]
    level = _LEVELS[words.split(" ")[0]][inputs.levels[source]]
    last = "none yet"
    if inputs.edges[source]:
        ago_us = max(0, app.now_us - app.last_us[source])
        last = "the last %d.%d s ago" % (ago_us // _S, ago_us % _S // _TENTH)
    muted = "" if inputs.left[source] > 1 else ", left out"
    return "%-11s GPIO %2d  %-6s  %d edges, %s%s" % (
        words,
        gpio,
        level,
        inputs.edges[source],
        last,
        muted,
    )
