"""The one entry to the core: a line in, conclusions out.

A function of its lines: no pin, no clock, no file. The result is that of the lines sorted by
time, so nothing is decided about an instant until no line can come before it any more.
"""

from micropython import const

from . import lines, record
from .commands import Commands
from .debounce import Button
from .lines import TARDY_US, parse, printable
from .match import Game, Match, Outcome
from .stroke import Strokes

# As in lines.py, folded in by the compiler.
_PIN = const(0)
_HIT = const(1)
_CLICK = const(2)
_ZONE = const(3)
_BTN = const(4)
_CMD = const(5)
_LOST = const(6)
_BOOT = const(7)
_MATCH = const(8)
_END = const(9)
_BAD = const(10)
_KIND = const(15)
_MOST_DIGITS = const(18)

# As in stroke.py, folded in by the compiler.
_RUNNING = const(1)

_NEVER_US = const(1 << 62)
_PLAIN = const(2)  # length of a line without words
_MOST_CODES = const(16)


def _words(item: "tuple[int, int] | tuple[int, int, list[str]]") -> "list[str]":
    return item[2] if len(item) == 3 else []  # noqa: PLR2004 (a name would not narrow the type)


class Referee:
    """Plays a log, or a live board. Make it with the first line of a kegli-log 1.

    *settings* overrides times of header.SETTINGS, in milliseconds. Raise ValueError with one
    sentence if the header is not one.
    """

    def __init__(self, header: str, settings: "dict[str, int] | None" = None) -> None:
        from .header import parse_header  # noqa: PLC0415 (on demand: it is read once)

        sensors, times, self.header = parse_header(header)
        times.update(settings or {})
        self._out: list[str] = []
        self.match = Match(self._out)
        self._strokes = Strokes(self.match, sensors, times, self._out)
        self._commands = Commands(self.match, self._strokes)
        self._buttons = tuple([Button() for _name in lines.BUTTONS])
        self.quiet_us = times["quiet_ms"] * 1000
        self.button_hold_us = times["button_hold_ms"] * 1000
        self._codes: dict[str, int] = {}  # of what lines have said behind their time
        self._queue: "list[tuple[int, int] | tuple[int, int, list[str]]]" = []
        self._latest_us = 0
        self._due_us = _NEVER_US  # no time-out comes before this
        self.evaluated_us = -1  # nothing yet, not even what happens at 0

    # Lines and time

    def feed(self, text: str) -> None:
        """Take a line without its LF. Raise ValueError, and change nothing, if it is bad."""
        # Most lines repeat what they say behind their time, which then is read but once.
        space = text.find(" ")
        time = text[:space]
        said = text[space + 1 :]
        is_timed = time.isdigit() and max(time) <= "9" and space <= _MOST_DIGITS
        if is_timed and said in self._codes:
            self._enter((int(time), self._codes[said]))
            return
        item = parse(text)
        if not item:
            return
        if item[1] & _KIND == _MATCH:
            from .history import read  # noqa: PLC0415 (on demand: it is rare)

            read(_words(item))  # bad ones are an error now
        self._enter(item)
        if is_timed and len(item) == _PLAIN:
            if len(self._codes) >= _MOST_CODES:
                self._codes.clear()
            self._codes[said] = item[1]

    def skip(self) -> None:
        """Count a line that could not be read; it moves no time."""
        self._enter((self._latest_us, _BAD))

    def advance(self, t_us: int) -> None:
        """Let time pass up to *t_us*: nothing else happened, as an `end` line says."""
        self._latest_us = max(self._latest_us, t_us)
        self._work(self._latest_us - lines.TARDY_US)

    def finish(self) -> None:
        """Decide everything up to the greatest time seen: the log ends here."""
        self._work(self._latest_us)

    def take(self) -> list[str]:
        """Return the conclusions and notices since the last call."""
        taken = self._out[:]
        self._out.clear()
        return taken

    def _enter(self, item: "tuple[int, int] | tuple[int, int, list[str]]") -> None:
        t_us = item[0]
        queue = self._queue
        if t_us >= self._latest_us:
            self._latest_us = t_us
            queue.append(item)
            horizon_us = t_us - TARDY_US
            if queue[0][0] <= horizon_us or self._due_us <= horizon_us:
                self._work(horizon_us)
            return
        if self._latest_us - t_us > TARDY_US:
            raise ValueError(
                "%d is more than 20 ms behind %d, which was seen before" % (t_us, self._latest_us)
            )
        place = len(queue)
        while place and queue[place - 1][0] > t_us:
            place -= 1
        queue.insert(place, item)

    def _work(self, horizon_us: int) -> None:
        """Take up the lines and the time-outs up to *horizon_us*."""
        queue = self._queue
        n = 0
        for item in queue:
            if item[0] > horizon_us:
                break
            if self._due_us <= item[0]:
                self._expire(item[0])
            self._apply(item)
            n += 1
        if n == 1:
            queue.pop(0)
        elif n:
            del queue[:n]
        if self._due_us <= horizon_us:
            self._expire(horizon_us)
        self.evaluated_us = max(self.evaluated_us, horizon_us)

    def _expire(self, limit_us: int) -> None:
        """Let the time-outs up to *limit_us* happen, in order."""
        strokes = self._strokes
        due_us = strokes.next_due()
        while due_us <= limit_us:
            strokes.time_out()
            due_us = strokes.next_due()
        self._due_us = due_us

    def _apply(self, item: "tuple[int, int] | tuple[int, int, list[str]]") -> None:
        t_us = item[0]
        code = item[1]
        strokes = self._strokes
        strokes.at(t_us)
        if code & _KIND == _PIN:
            strokes.pin(code >> 4 & 15, t_us, code >> 8 & 1, code >> 9)
            self._due_us = min(self._due_us, t_us + strokes.soon_us)
        elif code & _KIND == _HIT:
            before = strokes.state
            strokes.hit(t_us, code >> 9)
            if before != _RUNNING:
                self._due_us = t_us
        elif code & _KIND != _END:
            if code & _KIND == _CMD:
                self._command(_words(item), t_us)
            elif code & _KIND == _MATCH:
                self._begin_at(_words(item), t_us)
            elif code & _KIND == _BTN:
                self._button(code >> 4 & 15, t_us, code >> 8 & 1)
            else:
                self._apply_rare(t_us, code)
            self._due_us = t_us

    def _apply_rare(self, t_us: int, code: int) -> None:
        strokes = self._strokes
        kind = code & _KIND
        if kind == _CLICK:
            strokes.click(t_us, code >> 9)
        elif kind == _ZONE:
            strokes.zone(t_us, code >> 4 & 15, code >> 9)
        elif kind == _LOST:
            strokes.lost(t_us)
            self.match.lost += code >> 9
        elif kind == _BOOT:
            strokes.boot(t_us)
            self._forget_presses()
        else:  # BAD
            self.match.errors += 1

    def _begin_at(self, words: "list[str]", t_us: int) -> None:
        """Replace the record by that of a `match` line, or go on with it by its steps.

        What is under way is dropped. So the record and the levels of pins and zone are all
        that matters from here on.
        """
        from .history import take_over  # noqa: PLC0415 (on demand: it is rare)

        self._strokes.begin_again(t_us)
        self._forget_presses()
        try:
            self._strokes.aside = take_over(self.match, words, self._strokes.aside)
        except ValueError as error:
            self._refuse("match", error)
        if self.last:
            self._strokes.keep_fresh(self.match.steps[self.last.place])

    def _forget_presses(self) -> None:
        for button in self._buttons:
            button.level = 0

    # People

    def _button(self, number: int, t_us: int, level: int) -> None:
        press = self._buttons[number].edge(t_us, level, self.button_hold_us)
        if not press:
            return
        name = lines.BUTTONS[number]
        try:
            words = self._commands.press(name, press)
        except ValueError as error:
            self._refuse("button " + name, error)
        else:
            self._command(words, t_us)

    def _command(self, words: "list[str]", t_us: int) -> None:
        try:
            self._commands.run(words, t_us)
        except ValueError as error:
            self._refuse(printable(" ".join(words)), error)

    def _refuse(self, what: str, error: ValueError) -> None:
        self._out.append("> refused '%s': %s" % (what, error))
        self.match.errors += 1

    # What there is to see

    @property
    def state(self) -> str:
        """Return "" before the first game, else "ready", "running", "review" or "over"."""
        game = self.match.game
        if not game:
            return ""
        if game.is_over:
            return "over"
        if self._strokes.state == _RUNNING:
            return "running"
        return "review" if self._strokes.lone() or not self._strokes.is_ready else "ready"

    @property
    def is_at_rest(self) -> bool:
        """Say whether nothing is under way: what comes depends on record and levels alone."""
        return not self._queue and self._strokes.is_at_rest(self._latest_us)

    @property
    def pins_aside(self) -> int:
        """Return the set of pins that an `ok` set aside."""
        return self._strokes.aside

    @property
    def pins_down(self) -> int:
        """Return the set of pins that are down now."""
        return self._strokes.down()

    @property
    def pins_felled(self) -> int:
        """Return the set of pins that fell in the stroke that runs, or else in the last one."""
        if self._strokes.state == _RUNNING:
            return sum(record.pins(self._strokes.step))
        return self.last.pins if self.last else 0

    @property
    def began_us(self) -> int:
        """Return when the stroke that runs began."""
        return record.t_us(self._strokes.step)

    @property
    def pins_absent(self) -> int:
        """Return the set of absent pins."""
        return self._strokes.absent()

    @property
    def game(self) -> "Game | None":
        """Return the current game, None before the first."""
        return self.match.game

    @property
    def last(self) -> "Outcome | None":
        """Return the last stroke of the current game that stands and has a line, or None."""
        game = self.match.game
        return game.last if game else None

    @property
    def tally(self) -> list[int]:
        """Return how many games since the last `new` a won, b won, and were drawn."""
        return self.match.tally(self.match.games)
