"""The loop: edges and words become log lines, log lines become conclusions and lights.

It holds no rule. What it prints is the log of the game.
"""

import gc
import io
import json
import sys

from micropython import const

from kegli import __version__, board, display
from kegli.clock import Clock
from kegli.console import Console
from kegli.leds import Leds
from kegli.lines import printable
from kegli.referee import Referee
from kegli.ring import Ring

TYPE_CHECKING = const(False)  # mypy takes it for true; mpy-cross leaves out what it guards
if TYPE_CHECKING:
    from typing import Protocol

    from kegli.display import Lights

    class Edges(Protocol):
        """What is needed of inputs.Inputs."""

        rows: list[tuple[str, int, int, int, str, int]]
        ring: Ring
        levels: bytearray
        start_ticks: int

        def work(self) -> None:
            """See there."""

        def rest(self) -> None:
            """See there."""

    class Time(Protocol):
        """What is needed of MicroPython's module time."""

        def ticks_us(self) -> int:
            """Return microseconds, modulo 2**30."""

        def sleep_ms(self, ms: int) -> None:
            """Sleep."""

    class Lamps(Protocol):
        """What is needed of leds.Leds."""

        def show(self, lights: Lights, ms: int) -> bool:
            """See there."""


_SLICE_MS = const(10)  # the loop looks into the ring at least this often
_IDLE_SLICES = const(10)  # and does the rest at least after so many of them
_DRAW_US = const(100_000)  # between two looks at what the LEDs should show
_BOOT_US = const(1_000_000)  # how long they show that they all work
_SETTLED_US = const(200_000)  # a line has shown its effect by then: 20 ms, and a look
_DRAW_AGAIN_US = const(10_000_000)  # after drawing failed
_STILL_US = const(1_000_000)  # without an edge, before garbage is collected
_COLLECT_US = const(10_000_000)  # between two collections


class App:
    """The board's program, over hardware that is handed in.

    *sensors*: names from `board.SENSORS`, in that order. *time*: MicroPython's module.
    """

    def __init__(
        self,
        sensors: "tuple[str, ...]",
        inputs: "Edges",
        console: Console,
        leds: "Lamps",
        time: "Time",
    ) -> None:
        self._header = "# kegli-log 1 board=%s firmware=%s sensors=%s" % (
            board.NAME,
            __version__,
            ",".join(sensors),
        )
        self.referee = Referee(self._header)
        self._inputs = inputs
        self._console = console
        self._leds = leds
        self._time = time
        self._clock = Clock(inputs.start_ticks)
        self._now_us = 0  # when the last step began
        self._edge_us = 0  # when the last edge came
        self._said = bytearray(len(inputs.rows))  # the level of each source as last logged
        self._dropped = 0
        self._stirred_us = 0  # when the referee last heard or said something
        self._lights = display.boot()
        self._shown = ("boot", 0, 0)  # what time alone can change of what they show
        self._draw_us = _BOOT_US  # when to look next at what the LEDs should show
        self._collect_us = 0  # when to collect garbage next

    def run(self) -> None:
        """Play for ever, once started."""
        while True:
            self.step()
            self._wait()

    def start(self) -> None:
        """Begin the log: its first line, then what is down or occupied already."""
        self._console.say(self._header)
        for source in range(len(self._inputs.rows)):
            row = self._inputs.rows[source]
            if self._inputs.levels[source] and (row[4] == "pins" or row[4] == "zone"):
                self._said[source] = 1
                self._enter("0 %s 1" % row[0])
        self._leds.show(self._lights, 0)

    def step(self) -> None:
        """Take up all that came, then let time pass, draw, and tidy up."""
        self._now_us = self._clock.extend(self._time.ticks_us())
        taken_us = self._take_edges(self._now_us)
        self._take_words(taken_us)
        self._let_pass(taken_us)
        self._draw(self._now_us)
        self._tidy(self._now_us)

    def _wait(self) -> None:
        """Sleep until there is something to do, in slices that keep edges from waiting."""
        self._inputs.rest()
        for _ in range(_IDLE_SLICES):
            if self._inputs.ring.any():
                return
            self._time.sleep_ms(_SLICE_MS)
            if self._console.ready():
                return

    def _take_edges(self, now_us: int) -> int:
        """Take up edges; return the time before which there are no others.

        It takes as many as the ring holds: all that were there when it began, at *now_us*. If
        more came meanwhile they have to wait, so that the rest of the board lives on.
        """
        self._inputs.work()
        ring = self._inputs.ring
        for _ in range(board.RING_EDGES):
            edge = ring.get()
            if edge is None:
                break
            source, level, ticks, error_us = edge
            self._edge_us = self._clock.extend(ticks)
            self._enter_edge(self._edge_us, source, level, error_us)
        taken_us = max(now_us, self._edge_us)
        lost = ring.dropped - self._dropped
        if lost:
            self._dropped += lost
            self._enter("%d lost %d" % (taken_us, lost))
            self._say_levels(taken_us)
        return taken_us

    def _say_levels(self, t_us: int) -> None:
        """Log the levels that the log does not know because their edges were lost."""
        for source in range(len(self._said)):
            one_shot = self._inputs.rows[source][5]
            level = self._inputs.levels[source]
            if level != self._said[source] and not one_shot:
                self._enter_edge(t_us, source, level, board.SCAN_ERROR_US)

    def _enter_edge(self, t_us: int, source: int, level: int, error_us: int) -> None:
        words, _gpio, _active, _pull_up, sensor, one_shot = self._inputs.rows[source]
        self._said[source] = level
        if not sensor:
            line = "%d %s %d" % (t_us, words, level)
        elif one_shot:
            line = "%d %s %d" % (t_us, words, error_us)
        else:
            line = "%d %s %d %d" % (t_us, words, level, error_us)
        self._enter(line)
        self._inputs.work()  # each line is printed on its own

    def _take_words(self, now_us: int) -> None:
        for line in self._console.lines():
            words = line.split()
            if words and words[0] == "handicap":
                words = self._handicap(words)
            if words:
                self._enter("%d cmd %s" % (now_us, " ".join(words)))

    def _handicap(self, words: list[str]) -> list[str]:
        """Return the words of the `new` that a handicap stands for, none if it is none."""
        from kegli.handicap import new_words  # noqa: PLC0415 (on demand: it is rare)

        try:
            return new_words(words[1:])
        except ValueError as error:
            self._console.say("> refused: %s" % error)
            return []

    def _enter(self, line: str) -> None:
        """Let the referee have an input line, and print it with what follows from it."""
        try:
            self.referee.feed(line)
        except ValueError as error:
            self.referee.skip()
            self._console.say("> refused '%s': %s" % (printable(line), error))
            return
        self._stirred_us = self._now_us
        self._console.say(line)
        for conclusion in self.referee.take():
            self._console.say(conclusion)

    def _let_pass(self, now_us: int) -> None:
        self.referee.advance(now_us)
        conclusions = self.referee.take()
        if conclusions:
            self._stirred_us = now_us
            self._console.say("%d end" % self.referee.evaluated_us)
            for conclusion in conclusions:
                self._console.say(conclusion)

    def _draw(self, now_us: int) -> None:
        """Show the match. A fault in drawing is told, and scoring goes on."""
        if now_us < self._draw_us:
            return
        self._draw_us = now_us + _DRAW_US
        self._inputs.work()
        try:
            if self._has_changed(now_us):
                lights = display.lit(self.referee)
                if lights != self._lights:
                    self._lights = lights
            self._leds.show(self._lights, now_us // 1000)
        except Exception as error:
            self._draw_us = now_us + _DRAW_AGAIN_US
            self._shown = ("fault", 0, 0)
            self._tell(error)

    def _has_changed(self, now_us: int) -> bool:
        """Return whether the lights may have: to make them costs time and garbage."""
        shown = self.referee.state, self.referee.pins_down, self.referee.pins_felled
        if shown == self._shown:
            return now_us - self._stirred_us < _SETTLED_US
        self._shown = shown
        return True

    def _tell(self, error: Exception) -> None:
        """Print a traceback as notices: the log stays a log."""
        text = io.StringIO()
        sys.print_exception(error, text)  # type: ignore[attr-defined]  # MicroPython's own
        for line in text.getvalue().split("\n"):
            if line:
                self._console.say("> %s" % line)

    def _tidy(self, now_us: int) -> None:
        """Collect garbage while no stroke runs and no edge came lately."""
        if self.referee.state == "running" or now_us - self._edge_us < _STILL_US:
            return
        if now_us < self._collect_us:
            return
        self._collect_us = now_us + _COLLECT_US
        self._inputs.work()
        gc.collect()


def fitted() -> "tuple[tuple[str, ...], str]":
    """Return the sensors that settings.json names, and a notice if something is wrong with it.

    It stands beside main.py, for example {"sensors": "pins,cushions,click"}.
    """
    try:
        with open("settings.json") as file:
            named = json.load(file)["sensors"].split(",")
    except OSError:  # most boards have none
        return board.FITTED, ""
    except (ValueError, KeyError, TypeError, AttributeError):
        return board.FITTED, "settings.json has no list of sensors: the usual ones are used."
    sensors = tuple([s for s in board.SENSORS if s in named or s in board.FITTED])
    unknown = [name for name in named if name not in board.SENSORS]
    return sensors, "settings.json: there is no sensor '%s'." % unknown[0] if unknown else ""


def main() -> None:
    """Play on this chip until Ctrl-C, which leaves it to the REPL."""
    # The hardware is imported here: the loop itself can be used where there is none.
    import time  # noqa: PLC0415  # see above

    from machine import Pin  # noqa: PLC0415  # see above
    from neopixel import NeoPixel  # noqa: PLC0415  # see above

    from kegli.inputs import Inputs  # noqa: PLC0415  # see above

    console = Console(sys.stdin, sys.stdout)
    sensors, notice = fitted()
    chain = NeoPixel(Pin(board.LED_GPIO, Pin.OUT), display.LEDS)
    leds = Leds(chain, board.LED_BRIGHTNESS, board.LED_LIMIT_MA)
    inputs = Inputs(Ring(board.RING_EDGES), sensors)
    app = App(sensors, inputs, console, leds, time)  # type: ignore[arg-type]  # not CPython's
    try:
        app.start()
        if notice:
            console.say("> %s" % notice)
        app.run()
    except KeyboardInterrupt:
        console.say("> Stopped. Ctrl-D starts again.")
    finally:
        inputs.close()
