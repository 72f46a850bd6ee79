"""The self-test: what the board finds by itself and, guided, what hands show it.

Imported on demand.
"""

import gc

from micropython import const

from . import display, settings
from .journal import free
from .pause import Pause
from .sensors import code, look, name

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    from .app import App

_LAMP_MS = const(700)
_ANSWER_MS = const(20_000)  # for hands
_ECHO_MS = const(100)  # in which others hear a tap too
_CALM_MS = const(1_000)
_SHOWN_MS = const(1_500)  # a fault, at the end
_SLICE_MS = const(10)


def report(app: "App") -> None:
    """Light every lamp, look at what there is, and say it; edges go into the log meanwhile."""
    say = app.console.say
    inputs = app.inputs
    before = list(inputs.edges)
    say("> lamps: all red, all green, all white")
    for colour in (display.RED, display.GREEN, display.WHITE):
        lights = display.boot(colour)
        for ms in range(0, _LAMP_MS, _SLICE_MS):
            app.leds.show(lights, app.now_us // 1000 + ms)
            app.sleep()
    inputs.work()
    stirring = 0
    for source in range(len(inputs.rows)):
        edges = inputs.edges[source] - before[source]
        if edges or inputs.levels[source]:
            stirring += 1
            say("> %s: at %d, %d edges" % (inputs.rows[source][0], inputs.levels[source], edges))
    say("> inputs: %d of %d at rest" % (len(inputs.rows) - stirring, len(inputs.rows)))
    inputs.anchor()
    look(app)
    how = inputs.wrong or "hits in hardware time"
    say("> capture: %s, to %d us" % (how, inputs.error_us()))
    gc.collect()
    heap = gc.mem_free() if hasattr(gc, "mem_free") else 0  # CPython has none
    say("> heap: %d bytes free, flash: %d bytes free" % (heap, free()))
    _say_faults(app)


def _say_faults(app: "App") -> None:
    app.console.say("> faults: %s" % (" ".join(sorted(app.faults)) or "none"))


def guided(app: "App") -> None:
    """Let hands tip each pin and tap each cushion; find broken ones and swapped wires."""
    say = app.console.say
    say("> Do what the board asks for, within 20 s. Any word, or button ok, skips it.")
    app.faults.clear()
    pause = Pause(app)
    values, _wrong = settings.read()
    is_new = False
    for kind, key, prompt in (
        ("pin", "pins", "Tip pin %d, and set it up again."),
        ("hit", "cushions", "Tap cushion %d."),
    ):
        sources = [n for n in range(len(app.inputs.rows)) if app.inputs.rows[n][0][:3] == kind]
        wiring = _wiring([_ask(app, pause, sources, n, prompt) for n in range(len(sources))])
        if not wiring:
            say("> Two of them cannot be told apart: look at their wires.")
        elif wiring != values[key]:
            say("> The wiring is %s = %s, not %s." % (key, wiring, values[key]))
            values[key] = wiring
            is_new = True
    for fault in sorted(app.faults):
        pause.wait(_SHOWN_MS, display.fault(fault))
    _say_faults(app)
    if is_new:
        pause.offer(values)


def _ask(app: "App", pause: Pause, sources: "list[int]", number: int, prompt: str) -> int:
    """Ask for one sensor; return which of *sources* answers, in their order, or -1."""
    rows = app.inputs.rows
    wanted = next(n for n in sources if rows[n][0][4:] == "%d" % number)
    say = app.console.say
    pause.wait(_CALM_MS)
    pause.forget()
    say("> " + prompt % number)
    lights = display.fault(code(rows[wanted][0]), "")
    pause.wait(_ANSWER_MS, lights, sources)
    answers = [n for n in pause.heard if n in sources]
    if not answers:
        if pause.said is not None:
            say("> Skipped: it was not tested.")
            return sources.index(wanted)
        name(app, wanted, "says nothing: it is stuck, or its wire is broken")
        return -1
    answer = answers[0]
    say("> Right." if answer == wanted else "> The wire of %s answers." % rows[answer][0])
    pause.wait(_ECHO_MS)
    for n in sources:
        if n in pause.heard and n != answer:
            name(app, n, "hears the one beside it")
    while app.inputs.levels[answer] and pause.said is None:  # until the pin stands again
        pause.wait(_CALM_MS)
    return sources.index(answer)


def _wiring(order: "list[int]") -> str:
    """Return the setting by which input order[n] is number n; "" if two cannot be told apart."""
    numbers = [-1] * len(order)
    for n in range(len(order)):
        if order[n] >= 0:
            if numbers[order[n]] >= 0:
                return ""
            numbers[order[n]] = n
    left = [n for n in range(len(order)) if n not in numbers]
    return ",".join(["%d" % (left.pop(0) if n < 0 else n) for n in numbers])
