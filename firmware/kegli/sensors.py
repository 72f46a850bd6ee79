"""What is wrong with inputs: it is found, named, and taken back when it is well again.

Imported on demand, when something is amiss.
"""

from micropython import const

from .lines import BUTTONS

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    from .app import App

# As in inputs.py, folded in by the compiler.
_MUTED = const(1)

_STUCK_US = const(1_000_000)  # no one-shot lasts as long
_WELL_US = const(10_000_000)  # quiet for so long, an input is well again
_NAMES = {"hit": "cushion", "btn": "button"}
# What it is to be 1 for long.
_STUCK = {
    "pin": "does not stand, or its wire is broken",
    "hit": "is stuck: it hears all the time",
    "click": "is stuck: it hears all the time",
    "btn": "is held down, or stuck",
}


def code(words: str) -> str:
    """Return the code of an input, of two characters, by its words in the log."""
    kind, _space, which = words.partition(" ")
    if kind == "btn":
        return "b%d" % BUTTONS.index(which)
    return {"click": "CL", "zone": "Zo"}.get(kind) or kind.replace("hit", "C")[0].upper() + which


def begin(app: "App", every: bool) -> None:
    """Name what is stuck at the start. *every*: also pins that are down."""
    for source in range(len(app.inputs.rows)):
        kind = app.inputs.rows[source][0].split(" ")[0]
        if app.inputs.levels[source] and kind in _STUCK and (every or kind != "pin"):
            name(app, source, _STUCK[kind])


def name(app: "App", source: int, what: str) -> None:
    """Tell what is wrong with an input, on board and console, until it is well again."""
    words = app.inputs.rows[source][0]
    kind = words.split(" ")[0]
    app.ill[source] = app.inputs.edges[source], app.now_us
    app.fault(code(words), "%s %s." % (words.replace(kind, _NAMES.get(kind, kind)), what))


def look(app: "App") -> None:
    """Name what has become broken, and take back what is well again."""
    inputs = app.inputs
    if inputs.wrong and "E7" not in app.faults:
        sentence = "Cushions by interrupts, to %d us: %s." % (inputs.error_us(), inputs.wrong)
        app.fault("E7", sentence)
    if app.lone:
        _take_back(app)
    for source in range(len(inputs.rows)):
        one_shot = inputs.rows[source][5]
        edges = inputs.edges[source]
        if source not in app.ill:
            if inputs.left[source] == _MUTED:
                inputs.mute(source)
                what = "makes more edges than any can, and is left out"
                if app.heard == 1 << source and app.referee.state == "running":
                    app.command(app.now_us, ["undo"])
                    what += "; the stroke that it began is taken back"
                name(app, source, what)
            elif (
                one_shot and inputs.levels[source] and app.now_us - app.last_us[source] > _STUCK_US
            ):
                name(app, source, _STUCK["hit"])
        elif edges != app.ill[source][0] or inputs.levels[source]:
            app.ill[source] = edges, app.now_us
        elif app.now_us - app.ill[source][1] >= _WELL_US:
            app.ill.pop(source)
            inputs.unmute(source)
            words = inputs.rows[source][0]
            app.faults.pop(code(words), None)
            app.say("> %s: well again." % code(words))


def _take_back(app: "App") -> None:
    """Name a pin that went down alone and without a bounce, while nothing else was sensed.

    A tilt switch chatters when a pin falls; a wire that breaks does not. What it scored is taken
    back by what a person would say, so that a person can say otherwise: `redo`, or `undo`.
    """
    source, t_us = app.lone or (0, 0)
    app.lone = None
    pin = int(app.inputs.rows[source][0].split(" ")[1])
    last = app.referee.last
    what = _STUCK["pin"]
    if last and last.pins >> pin & 1 and not last.accepted:
        if last.t_us == t_us:
            app.command(app.now_us, ["undo"])
            what += "; its fall is taken back: redo, if it was one"
        elif "late-fall" in last.flags:
            app.command(app.now_us, ["annul", "%d" % pin])
            what += "; its fall is taken back: undo, if it was one"
    name(app, source, what)
