"""The world around the virtual chip: its time, its levels, its interrupts, and the host.

It runs in the firmware's own process, on MicroPython or CPython. Time passes only while the
firmware sleeps or writes to the LEDs: code itself takes none, and neither does printing, so
that a handler sees an edge in the microsecond in which it happens. On no chip is that so.

A sleep jumps to the next edge or timer, or to its own end, so that an hour of play takes
seconds. When nothing has happened for a minute, sleeps that nothing ends are a hundred times as
long as the firmware asked for: what is sensed, and when, stays the same, but lamps blink
irregularly, and a time-out longer than that minute is noticed up to 10 s late. So an idle week
takes seconds too.

The host sends a line for each of these, and closes the pipe to switch the board off:

    start T TICKS CAUSE WATCHDOG MOMENTS LEVELS
                        first of all: it is T; ticks_us said TICKS when T was 0, perhaps less than
                        0; why the chip starts; when the watchdog expires, 0 for none; as `die`, 0
                        for never; the level of GPIO n is bit n of LEVELS
    run T N             go on to T microseconds; N edges follow, in order, none after T. Answered
                        by `at T` when the firmware has nothing left to do but to sleep beyond T
    free                go on for ever, in real time; edges may come at any time
    edge T GPIO LEVEL   at T, or now if that is past, GPIO goes to LEVEL, 0 or 1
    interrupts 0|1      lose every interrupt from now on, or none
    timer 0             call the timer no more
    die N               the chip dies at the Nth moment from now: see World.moment
    pixels              answered by `pixels HEX`: the last frame written, three bytes an LED
    outputs             answered by `outputs GPIO=HZ:DUTY...`: what was put out last, the duty of
                        65,535; 0 Hz is an analogue output
    count MHZ           the capture units count so fast from now on
    noise GPIO OUTPUT MV
                        20 times a second a noise of so many mV is at that input, and is heard as
                        a one-shot while the threshold, at OUTPUT, is lower

Where the chip stops it answers, in place of all else, and then the host has to kill it:

    CAUSE T EDGES MOMENTS WATCHDOG HEX
                        CAUSE is `software`, `soft`, `watchdog` (resets) or `dead`; EDGES of the
                        `run` have not happened yet; the others as above, as they are now

Running free it also says `expires T` when the time at which the watchdog expires has moved by
more than half a second: while no code asks for the time, only the host can see that it expires.
"""

import select
import sys
import time as _real  # this module is loaded before its name means the virtual one

from registers import Registers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, BinaryIO

    Handler = Callable[[Any], None]

_TICKS = 0x3FFFFFFF  # as on the chip: ticks count in 30 bits
_HALF = 0x20000000
_NEVER = 1 << 60
_GPIOS = 40
_STILL_US = 60_000_000  # without edge or command, before sleeps are stretched
_STRETCH = 100  # so many times
_QUEUE = 8  # calls that the chip's scheduler holds; it loses the others
_BEAT_US = 1_000_000  # the timer is called at least so often
_TELL_US = 500_000  # the host need not know better when the watchdog expires
_LENGTH_BYTES = 2  # of what the RTC memory holds; the first in its file
_NOISE_US = 25_000  # from the beginning of a noise to its end, and to the next
_FULL_MV = 3300
_MOST_DUTY = 65535


def _real_us() -> int:
    if sys.implementation.name == "cpython":
        return _real.monotonic_ns() // 1000
    return int(_real.ticks_us())  # type: ignore[attr-defined]  # MicroPython's own, of 62 bits


class World:
    """All that is around one chip.

    *commands*, *answers*: pipes from and to the host, unbuffered. *rtc*: the file of the RTC
    memory, unbuffered. *speed*: how many times faster than real, 0 for as fast as it goes.
    *chip*: "esp32" or "esp32s3".
    """

    def __init__(  # all that is around a chip
        self, commands: "BinaryIO", answers: "BinaryIO", rtc: "BinaryIO", speed: float, chip: str
    ) -> None:
        self.chip = chip
        self.registers = Registers(chip)
        self.now_us = 0
        self.levels = [0] * _GPIOS
        self.pixels = b""
        self.ticks_at_0 = 0  # what ticks_us said when now_us was 0
        self.cause = 0  # why the chip started
        self.is_soft_reset = False  # the program ends for one
        self._outputs: "dict[int, tuple[int, int]]" = {}
        self._noises: "list[tuple[int, int, int]]" = []  # input, output, mV
        self._noise_us = _NEVER  # when they begin or end
        self._is_noisy = False
        self._commands = commands
        self._answers = answers
        self._rtc = rtc
        self._speed = speed
        self._poll = select.poll()
        self._poll.register(commands, select.POLLIN)
        self._limit_us = 0  # time does not pass it
        self._stirred_us = 0  # when a level changed last, or the host gave a command
        self._answer_due = False
        self._free = False
        self._moving = False  # time passes now: what a handler asks must not move it again
        self._real_us = 0  # real time of _real_now_us
        self._real_now_us = 0
        self._edge: "tuple[int, int, int] | None" = None  # the next one: (t_us, gpio, level)
        self._edges_to_come = 0  # after it, from the pipe: the host has room for them
        self._next_us = _NEVER  # the next edge or call of the timer
        self._irqs: "dict[int, tuple[Handler, int, object]]" = {}
        self._interrupts = True
        self._timer: "tuple[int, int, Handler, object] | None" = None  # start and period first
        self._timer_us = _NEVER  # its next call that matters
        self._timer_lost = False
        self._watchdog_us = _NEVER  # when it expires
        self._timeout_us = 0  # its
        self._stretch_us = _NEVER  # no sleep is stretched beyond: the watchdog is not for those
        self._told_us = _NEVER  # what the host knows of _watchdog_us
        self._moments = 0  # until the chip dies; 0 or less: it does not
        self._queue: "list[tuple[Handler, object]] | None" = None  # calls held up by an LED write

    # What the firmware asks for.

    def moment(self) -> None:
        """Count a moment. The chip dies at that which the host named.

        Each call of this class by the firmware begins with one; the store of the RTC memory has
        a second, half way. What else the firmware does between two moments, files on its flash
        for example, is done as a whole or not at all. Reading a level is none.
        """
        self._moments -= 1
        if not self._moments:
            self.end("dead")
        self.registers.settle()

    def end(self, cause: str) -> None:
        """Stop the chip at this instant: the host is told, and nothing runs any more."""
        edges = self._edges_to_come + (1 if self._edge else 0)
        watchdog_us = 0 if self._watchdog_us == _NEVER else self._watchdog_us
        words = (cause, self.now_us, edges, max(0, self._moments), watchdog_us)
        self._answers.write(("%s %d %d %d %d " % words + self.pixels.hex() + "\n").encode())
        while True:
            try:
                if not self._commands.readline():
                    sys.exit(0)  # the host has gone, without killing it
            except KeyboardInterrupt:  # too late
                pass

    def ticks_us(self) -> int:
        """Return the chip's 30-bit microseconds."""
        self.moment()
        if self._free:
            self._catch_up()
        return (self.ticks_at_0 + self.now_us) & _TICKS

    def time_ns(self) -> int:
        """Return nanoseconds since power-up: of the clock that no reset stops."""
        self.moment()
        if self._free:
            self._catch_up()
        return self.now_us * 1000

    def sleep_us(self, us: int) -> None:
        """Let time pass. Where the host's `run` ends it waits for the next."""
        self.moment()
        if self._free:
            self._catch_up()
        while self.now_us >= self._limit_us:
            if self._answer_due:
                self._answer_due = False
                self._answers.write(b"at %d\n" % self.now_us)
            self._obey()
        until_us = self.now_us + us
        if not self._speed and self.now_us - self._stirred_us > _STILL_US:
            stretched_us = min(self.now_us + _STRETCH * us, self._next_us, self._stretch_us)
            until_us = max(until_us, stretched_us)
        self._pass(min(until_us, self._limit_us))

    def power_up(self) -> None:
        """Wait until the host lets time begin."""
        while not self._answer_due and not self._free:
            self._obey()

    def block_us(self, us: int) -> None:
        """Let time pass as a long call of the chip does: handlers wait until it returns.

        It is cut short where the host's `run` ends, so that time stands exactly there.
        """
        self.moment()
        queue: "list[tuple[Handler, object]]" = []
        self._queue = queue
        try:
            self._pass(min(self.now_us + us, self._limit_us))
        finally:
            self._queue = None
        for handler, argument in queue:
            handler(argument)

    def watch(self, gpio: int, handler: "Handler | None", trigger: int, argument: object) -> None:
        """Call *handler* at each edge: *trigger* has 1 for rising and 2 for falling ones."""
        self.moment()
        self._irqs.pop(gpio, None)
        if handler:
            self._irqs[gpio] = (handler, trigger, argument)

    def start_timer(self, period_us: int, handler: "Handler", argument: object) -> None:
        """Call *handler* every *period_us*, as far as that can make a difference.

        It is called at the first end of a period after an edge, and then once a second at least.
        That is exact for a handler that only compares levels with what it knows of them, and
        says that it lives: where no level changed since its last call, it would find nothing.
        The firmware has one timer.
        """
        self.moment()
        if not self._timer_lost:
            self._timer = (self.now_us, period_us, handler, argument)
            self._expect_timer(self.now_us)

    def stop_timer(self) -> None:
        """Call it no more."""
        self.moment()
        self._forget_timer()

    def start_watchdog(self, timeout_us: int) -> None:
        """Reset the chip when the watchdog was not fed for *timeout_us*."""
        self._timeout_us = timeout_us
        self.feed_watchdog()

    def feed_watchdog(self) -> None:
        """Let the time-out begin anew, if the watchdog runs."""
        self.moment()
        if self._free:
            self._catch_up()
        if self._timeout_us:
            self._expect_watchdog(self.now_us + self._timeout_us)

    def load(self) -> bytes:
        """Return what the RTC memory holds."""
        self.moment()
        self._rtc.seek(0)
        length = int.from_bytes(self._rtc.read(_LENGTH_BYTES), "little")
        return self._rtc.read(length)

    def store(self, data: bytes) -> None:
        """Let the RTC memory hold *data*: one half, the other, and the length, as on the chip."""
        self.moment()
        half = len(data) // 2
        self._rtc.seek(_LENGTH_BYTES)
        self._rtc.write(data[:half])
        self.moment()
        self._rtc.write(data[half:])
        self._rtc.seek(0)
        self._rtc.write(len(data).to_bytes(_LENGTH_BYTES, "little"))

    def drive(self, gpio: int, hz: int, duty: int) -> None:
        """Put out a square wave, or a voltage if *hz* is 0."""
        self.moment()
        self._outputs[gpio] = hz, duty

    # What happens.

    def _expect_timer(self, after_us: int) -> None:
        """Expect a call of the timer at the first end of a period after that time."""
        if self._timer:
            start_us, period_us, _, _ = self._timer
            periods = (after_us - start_us) // period_us + 1
            self._timer_us = min(self._timer_us, start_us + periods * period_us)
            self._plan()

    def _forget_timer(self) -> None:
        self._timer = None
        self._timer_us = _NEVER
        self._plan()

    def _expect_watchdog(self, t_us: int) -> None:
        """Let the watchdog expire at that time.

        Sleeps are stretched while most of its time-out is left, and after that they are as long
        as the firmware asks for, so that one which feeds it often enough always comes to it.
        """
        self._watchdog_us = t_us
        self._stretch_us = t_us - self._timeout_us // 4
        self._plan()
        if self._free and not 0 <= t_us - self._told_us <= _TELL_US:
            self._told_us = t_us
            self._answers.write(b"expires %d\n" % t_us)

    def _catch_up(self) -> None:
        if not self._moving:
            self._pass(max(self.now_us, self._paced_us()))

    def _paced_us(self) -> int:
        """Return the virtual time that real time has come to."""
        return self._real_now_us + int((_real_us() - self._real_us) * self._speed)

    def _pass(self, until_us: int) -> None:
        """Let time pass up to *until_us*, with all that happens until then."""
        self._moving = True
        try:
            while True:
                t_us = min(self._next_us, until_us)
                if (self._speed or self._free) and self._is_disturbed(t_us):
                    continue
                self.now_us = max(self.now_us, t_us)
                if self._next_us > until_us:
                    return
                self._happen()
        finally:
            self._moving = False

    def _is_disturbed(self, t_us: int) -> bool:
        """Wait in real time for *t_us*. Return True if the host sent a command, now obeyed."""
        if self._free and not self._edge:
            for _ in self._poll.poll(self._ahead_us(t_us) // 1000):
                self._obey()
                return True
        ahead_us = self._ahead_us(t_us)
        if ahead_us:
            _real.sleep(ahead_us / 1_000_000)
        return False

    def _ahead_us(self, t_us: int) -> int:
        """Return how long it really takes until *t_us*."""
        if not self._speed:
            return 0
        return max(0, int((t_us - self._paced_us()) / self._speed))

    def _happen(self) -> None:
        """Let one thing happen that is due: an edge, or else the timer, or else the watchdog."""
        if self._edge and self._edge[0] <= self.now_us:
            _, gpio, level = self._edge
            self._edge = None
            if self._edges_to_come:
                self._edges_to_come -= 1
                self._obey()
            self._drive(gpio, level)
        elif self._timer and self._timer_us <= self.now_us:
            _, period_us, handler, argument = self._timer
            self._timer_us = _NEVER
            self._expect_timer(self.now_us + max(0, _BEAT_US - period_us))
            self._call(handler, argument)
        elif self._watchdog_us <= self.now_us:
            self.end("watchdog")
        elif self._noise_us <= self.now_us:
            self._noise_us += _NOISE_US
            self._is_noisy = not self._is_noisy
            for gpio, output, mv in self._noises:
                threshold_mv = self._outputs.get(output, (0, 0))[1] * _FULL_MV // _MOST_DUTY
                self._drive(gpio, 1 if self._is_noisy and mv > threshold_mv else 0)
        self._plan()

    def _plan(self) -> None:
        self._next_us = min(self._timer_us, self._watchdog_us, self._noise_us)
        if self._edge and self._edge[0] < self._next_us:
            self._next_us = self._edge[0]

    def _drive(self, gpio: int, level: int) -> None:
        if self.levels[gpio] == level:
            return
        self.levels[gpio] = level
        self.registers.edge(gpio, level, self.now_us)
        self._stirred_us = self.now_us
        self._expect_timer(self.now_us)
        if self._interrupts and gpio in self._irqs:
            handler, trigger, argument = self._irqs[gpio]
            if trigger & (1 if level else 2):
                self._call(handler, argument)

    def _call(self, handler: "Handler", argument: object) -> None:
        if self._queue is None:
            handler(argument)
        elif len(self._queue) < _QUEUE:
            self._queue.append((handler, argument))

    # What the host says.

    def _obey(self) -> None:
        words = self._commands.readline().split()
        if not words:
            sys.exit(0)  # switched off
        self._stirred_us = self.now_us
        getattr(self, "_do_" + words[0].decode())(*[int(word) for word in words[1:]])

    def _do_start(  # noqa: PLR0913, PLR0917  # the words of a line
        self, now_us: int, ticks: int, cause: int, watchdog_us: int, moments: int, levels: int
    ) -> None:
        self.now_us = self._stirred_us = now_us
        self.ticks_at_0 = ticks
        self.cause = cause
        self._moments = moments
        self.levels[:] = [levels >> gpio & 1 for gpio in range(_GPIOS)]
        if watchdog_us:
            self._told_us = watchdog_us
            self._expect_watchdog(watchdog_us)

    def _do_run(self, limit_us: int, edges: int) -> None:
        self._limit_us = limit_us
        self._edges_to_come = edges
        self._answer_due = True
        self._start_pace()
        if self._edges_to_come:
            self._edges_to_come -= 1
            self._obey()

    def _do_free(self) -> None:
        self._limit_us = _NEVER
        self._free = True
        self._start_pace()

    def _do_edge(self, t_us: int, gpio: int, level: int) -> None:
        self._edge = t_us, gpio, level
        self._plan()

    def _do_interrupts(self, come: int) -> None:
        self._interrupts = bool(come)

    def _do_timer(self, _: int) -> None:
        self._timer_lost = True
        self._forget_timer()

    def _do_die(self, moments: int) -> None:
        self._moments = moments

    def _do_pixels(self) -> None:
        self._answers.write(b"pixels %s\n" % self.pixels.hex().encode())

    def _do_outputs(self) -> None:
        outputs = [
            "%d=%d:%d" % ((gpio,) + self._outputs[gpio]) for gpio in sorted(self._outputs)
        ]  # MicroPython has no (a, *b)
        self._answers.write(b"outputs %s\n" % " ".join(outputs).encode())

    def _do_count(self, mhz: int) -> None:
        self.registers.mhz = mhz

    def _do_noise(self, gpio: int, output: int, mv: int) -> None:
        self._noises.append((gpio, output, mv))
        self._noise_us = self.now_us + _NOISE_US
        self._plan()

    def _start_pace(self) -> None:
        self._real_us = _real_us()
        self._real_now_us = self.now_us


# The one world of this process, and the part of `time` that the firmware uses. start.py makes it.
_worlds: "list[World]" = []


def begin(world: World) -> None:
    """Make *world* the one that machine, neopixel and time are about."""
    _worlds.append(world)


def current() -> World:
    """Return the world that began."""
    return _worlds[-1]


def ticks_us() -> int:
    """Return microseconds, modulo 2**30."""
    return current().ticks_us()


def ticks_ms() -> int:
    """Return milliseconds, modulo 2**30."""
    world = current()
    world.ticks_us()
    return (world.ticks_at_0 + world.now_us) // 1000 & _TICKS


def time_ns() -> int:
    """Return nanoseconds since power-up."""
    return current().time_ns()


def ticks_add(ticks: int, delta: int) -> int:
    """Return *ticks* moved by *delta*."""
    return (ticks + delta) & _TICKS


def ticks_diff(end: int, start: int) -> int:
    """Return end - start, from -2**29 to 2**29 - 1."""
    return ((end - start + _HALF) & _TICKS) - _HALF


def sleep_us(us: int) -> None:
    """Sleep in virtual time."""
    current().sleep_us(us)


def sleep_ms(ms: int) -> None:
    """Sleep in virtual time."""
    current().sleep_us(ms * 1000)


def sleep(s: float) -> None:
    """Sleep in virtual time."""
    current().sleep_us(int(s * 1_000_000))
