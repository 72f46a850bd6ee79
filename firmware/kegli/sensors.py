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

_UNNAMED_US = const(-1)  # of an input that is up, and may be stuck
_ALONE_US = const(1_000_000)  # before it: a stroke has others
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
    if app.lone and app.referee.state != "running":
        _take_back(app)
    for source in range(len(inputs.rows)):
        edges = inputs.edges[source]
        if inputs.left[source] == _MUTED:
            inputs.mute(source)
            name(
                app,
                source,
                "makes more edges than any can, and is left out" + _undone(app, source),
            )
        elif source not in app.ill:
            if inputs.rows[source][5] and inputs.levels[source]:
                app.ill[source] = edges, _UNNAMED_US
        else:
            _look_again(app, source, edges)


def _look_again(app: "App", source: int, edges: int) -> None:
    """Look at an input that was amiss before."""
    edges_then, since_us = app.ill[source]
    is_up = app.inputs.levels[source]
    if since_us == _UNNAMED_US:
        # A one-shot that was up a second ago, without an edge since, is none.
        if edges == edges_then and is_up:
            name(app, source, _STUCK["hit"])
        else:
            app.ill.pop(source)
    elif edges != edges_then or is_up:
        app.ill[source] = edges, app.now_us
    elif app.now_us - since_us >= _WELL_US:
        app.ill.pop(source)
        app.inputs.unmute(source)
        words = app.inputs.rows[source][0]
        app.faults.pop(code(words), None)
        app.say("> %s: well again." % code(words))


def _undone(app: "App", source: int) -> str:
    """Undo the stroke that runs if a muted one-shot alone began it; return what to say of that."""
    referee = app.referee
    if referee.state != "running" or not app.inputs.rows[source][5] or referee.pins_felled:
        return ""
    for other in range(len(app.inputs.rows)):
        sensor = app.inputs.rows[other][4]
        # Clicks and the zone belong to a stroke from before it began.
        early_us = 0 if sensor in ("pins", "cushions") else referee.quiet_us
        if sensor and other != source and app.last_us[other] >= referee.began_us - early_us:
            return ""
    app.command(app.now_us, ["undo"])
    return "; the stroke that it began is undone"


def _take_back(app: "App") -> None:
    """Name a pin that went down alone and without a bounce, and take back what it scored.

    A tilt switch chatters when a pin falls; a wire that breaks does not. It is taken back by what
    a person would say, so that a person can say otherwise.
    """
    source, t_us, before = app.lone or (0, 0, None)
    app.lone = None
    rows = app.inputs.rows
    for other in range(len(rows)):
        if rows[other][4] and other != source and app.last_us[other] > t_us - _ALONE_US:
            return
    pin = int(rows[source][0].split(" ")[1])
    referee = app.referee
    last = referee.last
    if referee.pins_absent >> pin & 1:
        return
    what = _STUCK["pin"]
    if last and app.seen_us < t_us and last.pins >> pin & 1:
        if last.t_us == t_us:
            app.command(app.now_us, ["undo"])
            what += "; its fall is taken back: redo, if it was one"
        elif before and before.number == last.number and not before.pins >> pin & 1:
            what += "; its fall is taken back: undo, if it was one"
            if not last.accepted:
                app.command(app.now_us, ["annul", "%d" % pin])
            else:  # a stroke that was accepted stays; the score does not
                app.command(
                    app.now_us, ["score", "a=%d" % before.score[0], "b=%d" % before.score[1]]
                )
                if before.turn != last.turn:
                    app.command(app.now_us, ["turn", "ab"[before.turn]])
    name(app, source, what)
