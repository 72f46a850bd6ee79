"""The loop: edges and words become log lines, log lines become conclusions and lights.

It holds no rule. What it prints is the log of the game.
"""

import gc

from machine import WDT
from micropython import const

import kegli
from kegli import display
from kegli.clock import Clock
from kegli.commands import COMMANDS
from kegli.console import Console
from kegli.debounce import Button
from kegli.lines import printable
from kegli.referee import Referee
from kegli.ring import Ring

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    from array import array
    from collections.abc import Callable
    from typing import Protocol

    from kegli.display import Lights
    from kegli.journal import Journal
    from kegli.match import Outcome
    from kegli.store import Store
    from kegli.threshold import Threshold
    from kegli.watch import Watch

    class Edges(Protocol):
        """What is needed of inputs.Inputs."""

        rows: list[tuple[str, int, int, int, str, int]]
        ring: Ring
        levels: bytearray
        start_ticks: int
        scans: int
        left: bytearray
        edges: array[int]
        one_shots: bytes
        wrong: str

        def anchor(self) -> None:
            """See there."""

        def error_us(self) -> int:
            """See there."""

        def mute(self, source: int) -> None:
            """See there."""

        def unmute(self, source: int) -> None:
            """See there."""

        def close(self) -> None:
            """See there."""

        def work(self) -> None:
            """See there."""

        def rest(self) -> None:
            """See there."""

    class Time(Protocol):
        """What is needed of MicroPython's module time."""

        def ticks_us(self) -> int:
            """Return microseconds, modulo 2**30."""

        def time_ns(self) -> int:
            """Return nanoseconds by a clock that goes on through a reset."""

        def sleep_ms(self, ms: int) -> None:
            """Sleep."""

    class Lamps(Protocol):
        """What is needed of leds.Leds."""

        def show(self, lights: Lights, ms: int) -> bool:
            """See there."""

    class Tunes(Protocol):
        """What is needed of buzzer.Buzzer."""

        def play(self, name: str) -> None:
            """See there."""

        def go_on(self) -> None:
            """See there."""


# As in inputs.py, folded in by the compiler.
_MUTED = const(1)

# As in board.py, folded in by the compiler.
_RING_EDGES = const(256)
_SCAN_ERROR_US = const(2200)

_BUTTONS = const(5)  # the last rows of the inputs
_SLICE_MS = const(10)  # the loop looks into the ring at least this often
_IDLE_SLICES = const(10)  # and does the rest at least after so many of them
_WAITING_SLICES = const(3)  # or of so many, while lines wait to be said
_DRAW_US = const(100_000)  # between two looks at what the LEDs should show
_BOOT_US = const(1_000_000)  # how long they show that they all work
_FAULT_US = const(3_000_000)  # and then what is wrong with the board
_SETTLED_US = const(200_000)  # a line has shown its effect by then: 20 ms, and a look
_LONG_US = const(1_000_000)  # without an edge of a sensor: what comes then comes alone
_LOOK_US = const(1_000_000)  # between two looks at broken inputs
_CHECK_US = const(50_000)  # from the start to the first comparison of capture and clock
_ANCHOR_US = const(300_000_000)  # and to the next
_DRAW_AGAIN_US = const(10_000_000)  # after drawing failed
_STILL_US = const(1_000_000)  # without an edge, before garbage is collected
_COLLECT_US = const(10_000_000)  # between two collections
_WATCHDOG_MS = const(8_000)  # it restarts a board that does not live
_GUARD_US = const(10_000_000)  # from the start to the watchdog: tools get in before
_LOG_US = const(2_000_000)  # without an edge, before the log goes there
_LOG_BYTES = const(4096)  # once so much waits
_LOG_ALL_US = const(30_000_000)  # without an edge, before all that waits goes
_FLASH_AGAIN_US = const(60_000_000)  # after the flash failed
_SOUND_US = const(300_000_000)  # without a crash, before earlier ones are forgotten
_MANY_STEPS = const(200)
_CONCLUDED = const(("> stro", "> game"))  # how conclusions begin; other notices change nothing


class App:
    """The board's program, over hardware and storage that are handed in.

    *header*: the first line of the log. *time*: MicroPython's module. *new*: what a `new` means
    where it says nothing. *start_us*: the log's time when *inputs* began.
    `faults` are sentences by their codes, "E1" to "E7" or those of inputs; the LED board shows
    that there are some. `ill` has, by source, the edges of an input that has a fault, and since
    when they are so many. `lone` is a pin that went down while no stroke ran, if nothing was
    sensed since: its source, when, and the last stroke as it was then.
    `seen_us` is when a person last said something.
    """

    def __init__(  # noqa: PLR0913, PLR0917 (all that a board consists of)
        self,
        header: str,
        inputs: "Edges",
        console: Console,
        leds: "Lamps",
        time: "Time",
        store: "Store",
        journal: "Journal",
        buzzer: "Tunes | None",
        thresholds: "dict[str, Threshold]",
        *,
        new: "list[str]",
        start_us: int,
    ) -> None:
        self.header = header
        self.referee = Referee(header)
        self.inputs = inputs
        self.console = console
        self.leds = leds
        self.time = time
        self.store = store
        self.journal = journal
        self.buzzer = buzzer
        self.thresholds = thresholds
        self.new = new
        self.faults: dict[str, str] = {}
        self.ill: "dict[int, tuple[int, int]]" = {}
        self.lone: "tuple[int, int, Outcome | None] | None" = None
        self.seen_us = 0
        self.watch: "Watch | None" = None
        self._news = ""  # a fault that was not shown yet
        self._fault_us = 0  # until when one is
        self.started = ""  # how, for people
        self._clock = Clock(inputs.start_ticks, start_us)
        self.start_us = self.now_us = start_us  # when the last step began
        self._edge_us = 0  # when the last edge came
        self.last_us = [-_LONG_US] * len(inputs.rows)  # and that of each source
        self._tainted_us = 0  # when what a muted input may have made was last counted
        self._down_us = 0  # when a button went down
        self._look_us = 0  # when to look next at broken inputs
        self._anchor_us = start_us + _CHECK_US  # when to compare capture and clock
        self.said = bytearray(len(inputs.rows))  # the level of each source as last logged
        self._dropped = 0
        self._stirred_us = 0  # when the referee last heard or said something
        # Lines that have not taken effect yet, by their time. A line is said with what follows
        # from it, so that a log breaks off nowhere but between two instants.
        self._unsaid: "list[tuple[int, str]]" = []
        self._is_said = True  # what people say may have changed the record
        self.wants_log = False  # a log is to begin as soon as the table is at rest
        self._head_us = start_us  # the time of the lines with which the log began last
        self._has_begun = False  # they have taken effect, and been said
        self.left_out = 0  # lines of the log, as last said
        self.cut_at = _MANY_STEPS  # steps of the record: then it is asked whether old games can go
        self._again_us = 0  # not before this is a flash that failed tried again
        self._lights = display.boot()
        self._shown = ("boot", 0, 0, 0)  # what time alone can change of what they show
        self._draw_us = start_us + _BOOT_US  # when to look next at what the LEDs should show
        self._collect_us = 0  # when to collect garbage next
        self._ok = Button()  # while there is no game, and `new` means more than it says
        self.is_guarded = False  # by the watchdog
        self._watchdog: "WDT | None" = None
        self._scans = -1
        self.worst_us = 0  # of a step
        self.least_free = 0  # bytes of the heap, after a collection

    def leaves(self, left: int) -> None:
        """Note in RTC memory that the loop is left: see store.RUNS."""
        self.store.left = left
        self.store.tick(self.referee.evaluated_us, self.now_us, self.time.time_ns())

    def fault(self, code: str, sentence: str) -> None:
        """Show that something is wrong with the board, and say what."""
        self.faults[code] = sentence
        self._news = min(self._news or code, code)
        self.say("> %s: %s" % (code, sentence))
        self._sound("fault")

    def _sound(self, name: str) -> None:
        if self.buzzer:
            self.buzzer.play(name)

    def sleep(self) -> None:
        """Sleep for 10 ms, while a tune goes on."""
        self.inputs.rest()
        self.time.sleep_ms(_SLICE_MS)
        if self.buzzer:
            self.buzzer.go_on()

    def run(self) -> None:
        """Play for ever, once started."""
        while True:
            self.step()
            self._wait()

    def start(self, cause: str, evaluated_us: int, texts: "list[str]") -> None:
        """Begin the log, with what is down or occupied already and how the match stands.

        *cause*: "watchdog" or "software" if the log of before goes on, *evaluated_us* how far it
        has come. *texts*: those of the `match` lines.
        """
        self.said[:] = self.inputs.levels
        if cause:
            self.enter(evaluated_us, "boot " + cause)
        self.begin_log(self.start_us, texts, bool(cause))
        self.leds.show(self._lights, 0)

    def begin_log(self, t_us: int, texts: "list[str]", every: bool) -> None:
        """Say what a log begins with: see head.py."""
        from kegli.head import say_head  # noqa: PLC0415 (on demand: it is rare)

        self._head_us = t_us
        self._has_begun = False
        say_head(self, t_us, texts, every)

    def step(self) -> None:
        """Take up all that came, then let time pass, draw, and tidy up."""
        ticks = self.time.ticks_us()
        self.now_us = self._clock.extend(ticks)
        taken_us = self._take_edges(self.now_us)
        self._take_words(taken_us)
        self._let_pass(taken_us)
        self._draw(self.now_us)
        self._tidy(self.now_us)
        self._look_after(self.now_us)
        self.worst_us = max(self.worst_us, self._clock.extend(self.time.ticks_us()) - self.now_us)
        self.live(self.now_us)

    def live(self, now_us: int) -> None:
        """Feed the watchdog, if the scan has looked again: every part of the step has ended."""
        scans = self.inputs.scans
        if scans != self._scans and now_us - self.start_us >= _GUARD_US:
            self._scans = scans
            if not self._watchdog:
                self.is_guarded = True  # before it is so: Ctrl-C may come between
                self._watchdog = WDT(timeout=_WATCHDOG_MS)
            self._watchdog.feed()

    def _wait(self) -> None:
        """Sleep until there is something to do, in slices that keep edges from waiting."""
        for _ in range(_WAITING_SLICES if self._unsaid else _IDLE_SLICES):
            if self.inputs.ring.any():
                return
            self.sleep()
            if self.console.ready():
                return

    def _take_edges(self, now_us: int) -> int:
        """Take up edges; return the time before which there are no others.

        It takes as many as the ring holds: all that were there when it began, at *now_us*. If
        more came meanwhile they have to wait, so that the rest of the board lives on.
        """
        self.inputs.work()
        ring = self.inputs.ring
        for _ in range(_RING_EDGES):
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
            self.enter(taken_us, "lost %d" % lost)
            self._say_levels(taken_us)
        return taken_us

    def _say_levels(self, t_us: int) -> None:
        """Log the levels that the log does not know because their edges were lost."""
        for source in range(len(self.said)):
            one_shot = self.inputs.rows[source][5]
            level = self.inputs.levels[source]
            if level != self.said[source] and not one_shot and self.inputs.left[source] > _MUTED:
                self._enter_edge(t_us, source, level, _SCAN_ERROR_US)

    def _enter_edge(self, t_us: int, source: int, level: int, error_us: int) -> None:
        words, _gpio, _active, _pull_up, sensor, one_shot = self.inputs.rows[source]
        self.said[source] = level
        is_idle = self.referee.state != "running"
        if sensor:
            is_first = t_us - self.last_us[source] >= _LONG_US and is_idle
            is_lone = is_first and level and sensor == "pins"
            self.lone = (source, t_us, self.referee.last) if is_lone else None
        elif level:
            self._down_us = t_us
        elif t_us - self._down_us >= self.referee.button_hold_us:
            self.seen_us = t_us
        self.last_us[source] = t_us
        if one_shot:
            self.enter(t_us, "%s %d" % (words, error_us))
        elif sensor:
            self.enter(t_us, "%s %d %d" % (words, level, error_us))
        elif words == "btn ok" and (
            self._ok.level or (level and self.new and not self.referee.game)
        ):
            # A long press would be a `new` that says nothing: the log gets what it means here.
            from kegli.service import press_of_ok  # noqa: PLC0415 (on demand: it is rare)

            press_of_ok(self, self._ok, t_us, level)
        else:
            self.enter(t_us, "%s %d" % (words, level))
        is_old = is_idle and t_us - self._tainted_us >= _LONG_US
        if (
            is_old
            and sensor in ("pins", "cushions")
            and min(self.inputs.left[:-_BUTTONS]) <= _MUTED
        ):
            self._tainted_us = t_us
            self.enter(t_us, "lost 1")

    def _take_words(self, now_us: int) -> None:
        for line in self.console.lines():
            words = line.split()
            if words and (words[0] not in COMMANDS or (words[0] == "new" and self.new)):
                from kegli.service import serve  # noqa: PLC0415 (on demand: it is rare)

                words = serve(self, words)
            if words:
                self.seen_us = now_us
                self.command(now_us, words)

    def command(self, t_us: int, words: list[str]) -> None:
        """Let the referee have a command."""
        self.enter(t_us, "cmd " + " ".join(words))

    def enter(self, t_us: int, said: str) -> None:
        """Let the referee have an input line; it is said when it takes effect."""
        line = "%d %s" % (t_us, said)
        try:
            self.referee.feed(line)
        except ValueError as error:
            self.referee.skip()
            self.say("> refused '%s': %s" % (printable(line), error))
            return
        self._stirred_us = self.now_us
        if said[0] in "cbm":  # cmd, btn and boot, match
            self._is_said = True
        unsaid = self._unsaid
        place = len(unsaid)
        while place and unsaid[place - 1][0] > t_us:
            place -= 1
        unsaid.insert(place, (t_us, line))

    def say(self, text: str) -> None:
        """Print lines of the log, and keep them."""
        self.console.say(text)
        self.journal.take(text)
        if not self._has_begun and self.journal.waiting >= _LOG_BYTES:
            # Where a log begins there is more to say than waits in memory, and time to write it.
            self.flash(self.journal.flush, "E3")

    def _let_pass(self, now_us: int) -> None:
        """Let the referee decide what can be, and say it; then keep the record."""
        referee = self.referee
        referee.advance(now_us)
        conclusions = referee.take()
        unsaid = self._unsaid
        said = []
        last_us = 0
        while unsaid and unsaid[0][0] <= referee.evaluated_us:
            last_us, line = unsaid.pop(0)
            said.append(line)
        if not said and not conclusions:
            return
        self._stirred_us = now_us
        self.store.tick(referee.evaluated_us, self.now_us, self.time.time_ns())
        self._sound_of(said, conclusions)
        if conclusions:
            if last_us < referee.evaluated_us:
                said.append("%d end" % referee.evaluated_us)
            self.say("\n".join(said + conclusions))
        else:
            for line in said:
                self.say(line)
                self.inputs.work()  # each line is printed on its own
        self._has_begun = referee.evaluated_us >= self._head_us
        is_changed = self._is_said or max([c[:6] in _CONCLUDED for c in conclusions] or [False])
        if is_changed and self._has_begun:  # before, the record is not yet what it goes on from
            self._keep()
        self._is_said = bool(unsaid) and self._is_said

    def _sound_of(self, said: "list[str]", conclusions: "list[str]") -> None:
        """Let people hear what became of a press, and what they should look at."""
        sound = ""
        last = self.referee.last
        for line in said:
            if line.startswith("%d btn " % self.seen_us):
                sound = "press"
        for conclusion in conclusions:
            if sound and conclusion.startswith("> refused"):
                sound = "refused"
            elif conclusion.startswith("> stroke") and last and last.penalty:
                sound = "penalty"
            elif " result=won " in conclusion:
                sound = "win"
        if sound:
            self._sound(sound)

    def _keep(self) -> None:
        """Store what the record has become."""
        kept = self.store.keep(self.referee.match, self.referee.pins_aside)
        if kept and self.referee.state != "running":
            # At once: else a cut while the next step is written could take two.
            self._commit()

    def _draw(self, now_us: int) -> None:
        """Show the match. A fault in drawing is told, and scoring goes on."""
        if now_us < self._draw_us:
            return
        self._draw_us = now_us + _DRAW_US
        self.inputs.work()
        try:
            is_running = self.referee.state == "running"
            if self._news and not is_running:
                self._lights = display.fault(self._news)
                self._news = ""
                self._shown = ("fault", 0, 0, 0)
                self._fault_us = now_us + _FAULT_US
            elif (is_running or now_us >= self._fault_us) and self._has_changed(now_us):
                lights = display.lit(self.referee, bool(self.faults))
                if lights != self._lights:
                    self._lights = lights
            self.leds.show(self._lights, now_us // 1000)
        except Exception as error:
            self._draw_us = now_us + _DRAW_AGAIN_US
            self._shown = ("fault", 0, 0, 0)
            from kegli.service import tell  # noqa: PLC0415 (on demand: it is rare)

            tell(self, error)

    def _has_changed(self, now_us: int) -> bool:
        """Return whether the lights may have: to make them costs time and garbage."""
        referee = self.referee
        shown = (referee.state, referee.pins_down, referee.pins_felled, len(self.faults))
        if shown == self._shown:
            return now_us - self._stirred_us < _SETTLED_US
        self._shown = shown
        return True

    def _tidy(self, now_us: int) -> None:
        """Store, begin a log, collect garbage: while no stroke runs and no edge came lately."""
        still_us = now_us - self._edge_us
        if self.referee.state == "running":
            return
        if self.store.behind:  # a stroke ran, or the flash failed
            self._commit()
        if still_us >= _LOG_US and self.referee.is_at_rest:
            self._tidy_log(still_us)
        if still_us < _STILL_US or now_us < self._collect_us:
            return
        self._collect_us = now_us + _COLLECT_US
        self.inputs.work()
        if self.store.crashes and now_us - self.start_us >= _SOUND_US:
            self.store.crashes = 0
            self.store.tick(self.referee.evaluated_us, now_us, self.time.time_ns())
        kegli.let_go()
        gc.collect()
        if hasattr(gc, "mem_free"):  # CPython has none
            free = gc.mem_free()
            self.least_free = min(self.least_free or free, free)

    def _look_after(self, now_us: int) -> None:
        """Have broken inputs named, and what needs time go on."""
        if self.watch:
            self.watch.go_on(self)
        lone_us = self.lone[1] if self.lone else now_us
        inputs = self.inputs
        if now_us >= self._anchor_us and self.referee.state != "running":
            self._anchor_us = now_us + _ANCHOR_US
            inputs.anchor()
        if now_us >= self._look_us and (
            self.ill
            or min(inputs.left) == _MUTED
            or max([inputs.levels[n] for n in inputs.one_shots] or [0])
            or bool(inputs.wrong) != ("E7" in self.faults)
            or now_us - lone_us >= self.referee.quiet_us + _LONG_US
        ):
            self._look_us = now_us + _LOOK_US
            from kegli.sensors import look  # noqa: PLC0415 (on demand: it is rare)

            look(self)

    def _tidy_log(self, still_us: int) -> None:
        """Bring the log to the flash, and let one begin where it is wanted."""
        journal = self.journal
        if journal.waiting >= (_LOG_BYTES if still_us < _LOG_ALL_US else 1):
            self.flash(journal.flush, "E3")
        elif journal.needs_file and "E3" in self.faults:
            self.flash(journal.probe, "E3")
        begins = journal.needs_file and "E3" not in self.faults
        if begins or self.wants_log or len(self.referee.match.steps) > self.cut_at:
            from kegli.head import begin_anew  # noqa: PLC0415 (on demand: it is rare)

            begin_anew(self, begins or self.wants_log)

    def _commit(self) -> None:
        self.flash(lambda: self.store.commit(self.referee.match), "E2")

    def flash(self, write: "Callable[[], None]", fault: str) -> None:
        """Write to the flash. If it fails that is told, and tried again a minute later."""
        if fault in self.faults and self.now_us < self._again_us:
            return
        self.inputs.work()
        try:
            write()
            self.faults.pop(fault, None)
        except OSError as error:
            self._again_us = self.now_us + _FLASH_AGAIN_US
            from kegli.service import tell_flash  # noqa: PLC0415 (on demand: it is rare)

            tell_flash(self, fault, error)
