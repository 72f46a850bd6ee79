"""A second, literal reading of the log format, the oracle of the differential tests.

Written from the text of the contract alone, never from the core: two readings that agree are
unlikely to be wrong in the same place. Nothing here is incremental. The whole log is read and
sorted, time-outs are looked for one by one, and each question about a game is answered by going
through all its steps again. Slow, and meant to be. Quotations in the comments are sentences of
the log format; a clause number is one of RULES.md. `match` lines have no effect here: their text
is each implementation's own.

Where the text leaves room, this is the reading taken (3, 6, 7, 12, 14 and the end of 17 only after
a comparison with the core had shown that the text allows two):

 1. A pin stands again max(bounce_ms, fall_hold_ms) after the last edge of its movement: before
    that it is not known that the movement is over.
 2. A repeated level is no edge, but it is a `pin` line for the quiet time and for stillness.
 3. A stroke "ran at that time" from the instant of its first event, not from when it was found
    out, to its end; before and after its end is told by the order of the lines.
 4. At one instant, in this order: falls are confirmed, pins lifted, lone falls decided, strokes
    end, pins that an `ok` made absent return and the table gets ready.
 5. A fall is judged by whether its pin is absent when it is confirmed.
 6. "Within quiet_ms" of a fall excludes exactly quiet_ms, as the time-outs do; clicks "up to
    quiet_ms before" a stroke include it.
 7. The stroke of a late fall is the last one with a line: strokes without a line "count for
    nothing", and consume no `lean`.
 8. Commands refused leave a running stroke running and an undecided fall undecided.
 9. A mark, `judge` or the like "would change nothing" if the verdict that holds, the other marks
    that hold and whether a `valid` is among them stay the same.
10. While a fall is undecided no mark opens a stroke, whether `ok` came before it or after;
    `annul` stays refused after `ok`.
11. An annulled fall still gives the stroke its t_us, and still has to stand again for its end.
12. A pin made absent while its stroke runs neither ends that stroke early nor keeps the others
    from doing so.
13. The table gets ready again after a stroke by hand as after any other.
14. What an `ok` made absent is outside the record: `absent` for such a pin is a step of its own,
    `present` ends both. A pin that comes back by `undo` or `redo`, and is down, makes the table
    not ready as `present` does.
15. At `boot` a pin whose movement is forgotten is what its level says.
16. R5.3 makes the verdict `cue` and so shows R4.1 too, but its own cue brings no `pin_fine`. A
    mark goes before it.
17. A stroke's clicks reach back from its earliest event of any kind; the zone is a level that
    lasts until a line changes it, however old that line is, but who left it before the previous
    stroke's end is no evidence.
18. With several falls of different U "its first fall" is each of them: the first click must be
    surely before all.
19. A contact or hit decides if counting it and not counting it give different answers.
20. `score` after the end leaves strokes without a line without one; a `draw` or `resign` under a
    win by points holds once that win is taken away.
21. `errors` and `lost` of a game go from its start to the start of the next game that stands.
    A line skipped stands at the latest time seen before it.
22. A game that is over is `over` also while its table is not ready or a fall is undecided.
23. In a pair the second game is started by the other player even with `always`.
24. A pocketed white is something scored, also at `pocket_white=0`: no R2.8.
25. `lean` for a pin that is down or absent is taken: people see what the sensors do not.
26. A repeated level of a button is no edge, as for pins.
27. An `ok` makes absent the pins down whatever their own last line; each returns by itself.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

Row = dict[str, Any]
Timed = tuple[int, int, int]  # time in us, its uncertainty in us, position in the log

SETTINGS = {
    "bounce_ms": 60,
    "fall_hold_ms": 150,
    "button_hold_ms": 20,
    "quiet_ms": 6000,
    "ready_ms": 1000,
}
BEHIND_US = 20_000
ZONE_BEFORE_US = 120_000
LONG_PRESS_US = 800_000
FOREVER = 1 << 62

KING = 0
PINS = range(5)
BUTTONS = ("ok", "penalty", "carom", "fine", "undo")
VERDICT_MARKS = ("valid", "cue", "direct", "doubt")
POCKET_MARKS = ("pocket-white", "pocket-cue")
FAULT_OF_MARK = {
    "miss": "R4.4",
    "off": "R4.5",
    "touch": "R4.6",
    "side": "R4.7",
    "butt": "R4.7",
    "white-off": "R4.8",
    "pocket-cue": "R8.3",
}
FAULT_OF_VERDICT = {"cue": "R4.1", "direct": "R4.2", "doubt": "R4.3"}
MARKS = (*VERDICT_MARKS, *FAULT_OF_MARK, "carom", "pocket-white", "repeat")


class Refused(Exception):  # noqa: N818 - no error: a command that makes no sense now
    """A command that makes no sense now; nothing of it takes effect."""


# --- the text ------------------------------------------------------------------------------


@dataclass
class Line:
    """One input line, or one that was skipped (kind `skipped`)."""

    t_us: int
    words: list[str]


def _number(word: str, limit: int | None = None) -> int:
    """Return the number a word says, "of digits 0-9 only", below limit. Raise ValueError."""
    if not word or any(c not in "0123456789" for c in word):
        raise ValueError(f"{word!r} is not a number")
    value = int(word)
    if limit is not None and value >= limit:
        raise ValueError(f"{word} is out of range")
    return value


# The ranges of the arguments of each kind, and whether a U may follow.
SENSOR_LINES = {
    "pin": ((5, 2), True),
    "hit": ((4,), True),
    "click": ((), True),
    "zone": ((2,), True),
    "lost": ((None,), False),
    "end": ((), False),
}


def _check_arguments(kind: str, arguments: list[str]) -> None:
    """Raise ValueError if a line of this kind cannot have these arguments."""
    if kind in SENSOR_LINES:
        limits, may_have_u = SENSOR_LINES[kind]
        allowed = (len(limits), len(limits) + may_have_u)
        if len(arguments) not in allowed:
            raise ValueError("number of arguments")
        for word, limit in zip(arguments, (*limits, None), strict=False):
            _number(word, limit)
    elif kind == "btn":
        name, level = arguments
        _number(level, 2)
        if name not in BUTTONS:
            raise ValueError("no such button")
    elif kind == "boot":
        if arguments not in (["watchdog"], ["software"]):
            raise ValueError("no such cause")
    elif kind in {"cmd", "match"}:
        # "A `cmd` line with at least one word always parses."
        if not arguments:
            raise ValueError("number of arguments")
    else:
        raise ValueError("no such kind")


def parse_line(text: str) -> Line:
    """Read one input line. Raise ValueError if it does not parse."""
    if not text.isascii():
        raise ValueError("not ASCII")
    # "words separated by one space (more are accepted)"
    words = [word for word in text.split(" ") if word]
    if len(words) < 2:
        raise ValueError("number of words")
    t_us = _number(words[0])
    _check_arguments(words[1], words[2:])
    return Line(t_us, words[1:])


def sorted_lines(lines: list[str], lenient: bool) -> list[Line]:
    """Return the input lines in the order in which they take effect.

    "The result is that of the lines sorted by time (stable: equal times keep the order of
    lines), whatever their kind. A line may stand up to 20 ms (inclusive) behind the latest time
    already seen; more is an error". An error ends the log, or is skipped: "With `--lenient` it
    counts and skips", "A skipped line moves no time."
    """
    found: list[Line] = []
    latest = 0
    for text in lines:
        # "blank lines and lines that begin with `#` are comments (any bytes), lines that begin
        # with `>` are what the board concluded"
        if not text.strip() or text[0] in "#>":
            continue
        try:
            line = parse_line(text)
            if line.t_us < latest - BEHIND_US:
                raise ValueError("too late")
        except ValueError:
            if not lenient:
                break
            found.append(Line(latest, ["skipped"]))
            continue
        latest = max(latest, line.t_us)
        found.append(line)
    return sorted(found, key=lambda line: line.t_us)


def header(text: str, settings: dict[str, int] | None) -> tuple[dict[str, int], set[str]]:
    """Return the settings in us and the sensors fitted. Raise ValueError if it is no header."""
    words = text.split(" ")
    # "a missing or different first line, or another version, is an error in every mode"
    if words[:3] != ["#", "kegli-log", "1"]:
        raise ValueError("the first line is not that of a kegli-log 1")
    pairs = dict(word.split("=", 1) for word in words[3:] if "=" in word)
    fitted = {"pins", "cushions", *pairs.get("sensors", "").split(",")}
    values = dict(SETTINGS)
    values.update({key: _number(pairs[key]) for key in SETTINGS if key in pairs})
    # "Settings of 'When things happen' may stand there too; `--set` goes before them."
    values.update(settings or {})
    return {key.replace("_ms", "_us"): 1000 * value for key, value in values.items()}, fitted


# --- what is known of a game ------------------------------------------------------------------


@dataclass
class Terms:
    """What `new` says of a game."""

    a_mode: str = "series"
    b_mode: str = "series"
    a_target: int = 100
    b_target: int = 100
    a_start: int = 0
    b_start: int = 0
    first: str = "a"
    always: str = "none"
    pair: int = 0
    table: str = "carom"
    carom_adds: int = 0
    fine: int = 2
    pin_fine: int = 0
    late_keeps_turn: int = 1
    pocket_white: int = 2


CHOICES: dict[str, Iterable[str]] = {
    "a.mode": ("series", "single"),
    "b.mode": ("series", "single"),
    "a.target": map(str, range(1, 1000)),
    "b.target": map(str, range(1, 1000)),
    "a.start": map(str, range(999)),
    "b.start": map(str, range(999)),
    "first": ("a", "b"),
    "always": ("a", "b", "none"),
    "pair": ("0", "1"),
    "table": ("carom", "pocket"),
    "carom_adds": ("0", "3"),
    "fine": map(str, range(11)),
    "pin_fine": map(str, range(11)),
    "late_keeps_turn": ("0", "1"),
    "pocket_white": map(str, range(11)),
}
CHOICES = {key: frozenset(values) for key, values in CHOICES.items()}


@dataclass(eq=False)
class Game:
    """One game: its terms, who starts it, and where in the log it began."""

    terms: Terms
    starter: str
    begun_at: int
    pair_terms: Terms | None = None  # in the second game of a pair: what holds after it

    def mode(self, player: str) -> str:
        """Return `series` or `single`."""
        return self.terms.a_mode if player == "a" else self.terms.b_mode

    def target(self, player: str) -> int:
        """Return the points that win."""
        return self.terms.a_target if player == "a" else self.terms.b_target


@dataclass(eq=False)
class Fall:
    """A fall, as its movement's first edge dates it."""

    pin: int
    t_us: int
    u_us: int
    at: int
    was_ready: bool
    in_stroke: bool = False


@dataclass(eq=False)
class Movement:
    """Edges of one pin closer together than bounce_ms."""

    first: Fall
    last_us: int


@dataclass(eq=False)
class Stroke:
    """One stroke, as it was sensed; what people said of it stands in the steps."""

    game: Game
    player: str
    by_hand: bool
    begun: tuple[int, int]  # time and position: the command's, the second click's, or nothing yet
    after: int  # where the stroke before it ended
    clicks_since: int  # where the board restarted
    pin_absent: bool
    opened_by: list[str] = field(default_factory=list)
    falls: list[Fall] = field(default_factory=list)
    hits: list[Timed] = field(default_factory=list)
    late: list[tuple[int, int]] = field(default_factory=list)  # pin, position
    end: int = FOREVER
    accepted: bool = False

    def events(self) -> list[tuple[int, int]]:
        """Return time and position of the hits and falls."""
        return [(t, at) for t, _, at in self.hits] + [(f.t_us, f.at) for f in self.falls]

    def first_event(self) -> tuple[int, int]:
        """Return time and position of the earliest event, a second click too."""
        return min([*self.events(), self.begun])

    def t_us(self) -> int:
        """Return "its first hit or fall (a late one is none), else that second click"."""
        return min(self.events() or [self.begun])[0]

    def ran_at(self, t_us: int, at: int) -> bool:
        """Tell whether it ran at this time and position."""
        began = self.first_event()[0] <= t_us and self.game.begun_at < at
        return not self.by_hand and began and at < self.end


@dataclass(eq=False)
class Step:
    """One step: a stroke, "or one thing a person said that changed something"."""

    kind: str
    at: int
    game: Game | None = None
    stroke: Stroke | None = None
    value: Any = None


@dataclass
class Said:
    """What holds of the marks of a stroke."""

    verdict: str | None
    others: frozenset[str]
    valid: bool


@dataclass
class Outcome:
    """What a stroke is worth."""

    pins: list[int]
    verdict: str
    certain: bool
    award: dict[str, int]
    clauses: list[str]
    flags: list[str]
    faults: set[str]
    keeps_turn: bool
    repeat: bool


@dataclass
class Standing:
    """A game after some of its steps."""

    score: dict[str, int]
    turn: str
    result: str = "playing"
    winner: str | None = None
    by_points: bool = False
    by_person: tuple[str, str | None] | None = None
    by_hand: bool = False
    repeats: dict[str, int] = field(default_factory=lambda: {"a": 0, "b": 0})
    lines: list[tuple[Stroke, Outcome, dict[str, int], str]] = field(default_factory=list)

    def strokes(self) -> list[Stroke]:
        """Return the strokes that have a line."""
        return [line[0] for line in self.lines]

    def end(self, result: str, winner: str | None, by_points: bool) -> None:
        """End the game."""
        self.result, self.winner, self.by_points = result, winner, by_points


def other(player: str) -> str:
    """Return the partner."""
    return "b" if player == "a" else "a"


def said(marks: list[str]) -> Said:
    """Work out which marks hold.

    "Of `valid` `cue` `direct` `doubt` the last holds and replaces the sensors' verdict; `valid`
    also takes back every fault marked before it … All others add up, once each".
    """
    verdict: str | None = None
    others: set[str] = set()
    for mark in marks:
        if mark in VERDICT_MARKS:
            verdict = mark
        else:
            others.add(mark)
        if mark == "valid":
            others -= set(FAULT_OF_MARK)
    return Said(verdict, frozenset(others), "valid" in marks)


def pin_points(pins: list[int]) -> tuple[str, int]:
    """Return clause and points, R2.1 to R2.5."""
    side_pins = len([pin for pin in pins if pin != KING])
    if KING not in pins:
        return "R2.1", 2 * side_pins
    return [("R2.2", 5), ("R2.2", 5), ("R2.3", 7), ("R2.4", 9), ("R2.5", 30)][side_pins]


def clause_order(clause: str) -> tuple[int, ...]:
    """Return the key of "in order of number"."""
    return tuple(int(number) for number in clause[1:].split("."))


def surely_before(a: Timed, b: Timed) -> bool:
    """Tell whether a is surely before b: "t+U of A < t-U of B"."""
    return a[0] + a[1] < b[0] - b[1]


# --- the verdict when nobody has said anything ------------------------------------------------


def zone_at_falls(spans: list[tuple[Timed, Timed]], falls: list[Timed]) -> str:
    """Tell whether the zone was occupied "at a fall or within 120 ms before it".

    `no`, `possibly` or `surely`.
    """
    found = "no"
    for fall in falls:
        earliest = (fall[0] - ZONE_BEFORE_US, fall[1], fall[2])
        for entered, left in spans:
            if surely_before(entered, fall) and surely_before(earliest, left):
                return "surely"
            if not surely_before(fall, entered) and not surely_before(left, earliest):
                found = "possibly"
    return found


def verdict_row(sensors: set[str], zone: str, hit: bool, contacts: int) -> tuple[str, bool]:
    """Return verdict and certainty: "the first row that applies"."""
    rows = [
        ({"zone"}, zone == "surely", ("cue", True)),
        ({"zone"}, zone == "possibly", ("doubt", False)),
        ({"click"}, contacts == 0, ("cue", True)),
        ({"click"}, not hit and contacts < 2, ("direct", True)),
        ({"zone", "click"}, True, ("legal", True)),
        ({"zone"}, hit, ("legal", True)),
        (set(), hit, ("legal", False)),
    ]
    for needed, applies, verdict in rows:
        if needed <= sensors and applies:
            return verdict
    return "doubt", False


def count_before(events: list[Timed], falls: list[Timed]) -> tuple[int, int]:
    """Return how many are surely, and how many can be, before every fall that counts."""
    surely = [e for e in events if all(surely_before(e, fall) for fall in falls)]
    possibly = [e for e in events if not any(surely_before(fall, e) for fall in falls)]
    return len(surely), len(possibly)


def sensed_verdict(
    fitted: set[str],
    falls: list[Timed],
    hits: list[Timed],
    clicks: list[Timed],
    spans: list[tuple[Timed, Timed]],
) -> tuple[str, bool]:
    """Return verdict and certainty of a stroke with pins of its own that count."""
    sensors = fitted & {"zone", "click"}
    # "A stroke whose first click is not surely before its first fall is judged as if `click`
    # were not fitted; so is one without any click."
    if not clicks or not all(surely_before(clicks[0], fall) for fall in falls):
        sensors.discard("click")
    zone = zone_at_falls(spans, falls) if "zone" in sensors else "no"
    hits_surely, hits_possibly = count_before(hits, falls)
    # "the first click is the cue's own"
    contacts_surely, contacts_possibly = count_before(clicks[1:], falls)
    answers = {
        verdict_row(sensors, zone, hit, contacts)
        for hit in {hits_surely > 0, hits_possibly > 0}
        for contacts in range(contacts_surely, contacts_possibly + 1)
    }
    # "A contact or hit simultaneous with a fall supports neither `legal` nor a certain verdict:
    # where it would decide, `doubt`, not certain."
    return answers.pop() if len(answers) == 1 else ("doubt", False)


# --- the table and its games ------------------------------------------------------------------


class Table:
    """All that happened so far."""

    def __init__(self, settings: dict[str, int], fitted: set[str]) -> None:
        self.set = settings
        self.fitted = fitted
        self.hold_us = max(settings["bounce_us"], settings["fall_hold_us"])
        self.now = 0
        self.at = 0  # position: counts lines and time-outs
        self.sensed_us = 0
        # "until a line says otherwise a pin stands, and has stood still long enough"
        self.level = [0] * 5
        self.down = [False] * 5
        self.line_us = [-FOREVER] * 5
        self.movement: list[Movement | None] = [None] * 5
        self.ready = True
        self.absent_by_ok: set[int] = set()
        self.pressed_us: dict[str, int] = {}
        self.running: Stroke | None = None
        self.waiting: Fall | None = None  # a lone fall, undecided
        self.strokes: list[Stroke] = []  # all that ever were, undone ones too
        self.ended_at = 0  # where the last stroke ended
        self.hits: list[Timed] = []
        self.clicks: list[Timed] = []
        self.clicks_since = 0  # where the board restarted
        self.zone_level = 0
        self.zones: list[tuple[Timed, int]] = []
        self.outside: list[Fall] = []  # falls outside a stroke
        self.lifts: list[int] = []
        self.boots: list[int] = []
        self.lost: list[Timed] = []
        self.errors: list[int] = []
        self.steps: list[Step] = []
        self.undone: list[Step] = []

    # -- time ------------------------------------------------------------------------------

    def pass_time(self, t_us: int) -> None:
        """Let every time-out up to t_us take effect, in order.

        "A time-out at D takes effect before any line whose time is >= D".
        """
        while True:
            # What is due in the past because it has just become possible is due now.
            due = [(max(time, self.now), *rest) for time, *rest in self.time_outs()]
            due = [time_out for time_out in due if time_out[0] <= t_us]
            if not due:
                break
            self.now, _, _, action, argument = min(due, key=lambda time_out: time_out[:3])
            self.at += 1
            action(argument)
        self.now = t_us

    def time_outs(self) -> list[tuple[int, int, int, Callable[[Any], None], Any]]:
        """Return time, rank at one instant, order within the rank, action, its argument.

        "At one instant: falls are confirmed first, then strokes end, then the table gets ready."
        """
        found: list[tuple[int, int, int, Callable[[Any], None], Any]] = []
        for pin in PINS:
            movement = self.movement[pin]
            if movement:
                # "A fall is confirmed max(`bounce_ms`, `fall_hold_ms`) after the last edge of
                # its movement". "A pin stands again (is lifted) when after a movement it stays
                # upright for `fall_hold_ms`".
                rank = 0 if self.level[pin] else 1
                time = movement.last_us + self.hold_us
                found.append((time, rank, movement.first.at, self.end_movement, pin))
        if self.waiting:
            # "It is decided when `quiet_ms` have passed or a pin is lifted"
            time = self.waiting.t_us + self.set["quiet_us"]
            found.append((time, 2, 0, self.settle_as_late, None))
        if self.running:
            found.append((self.end_time(self.running), 3, 0, self.end_stroke, None))
        else:
            for pin in self.absent_by_ok:
                # "those are absent until no stroke runs and each has stood still for `ready_ms`"
                if self.stands(pin):
                    time = self.line_us[pin] + self.set["ready_us"]
                    found.append((time, 4, pin, self.absent_by_ok.remove, pin))
        if not self.ready:
            # "Ready: no pin but absent ones is down or tilted, and none of the others had a
            # `pin` line for `ready_ms`."
            pins = [pin for pin in PINS if pin not in self.absent()]
            if all(self.stands(pin) for pin in pins):
                time = max([self.line_us[pin] for pin in pins], default=0)
                found.append((time + self.set["ready_us"], 4, 5, self.get_ready, None))
        return found

    def end_time(self, stroke: Stroke) -> int:
        """Return when the stroke ends by itself.

        "A stroke ends when nothing was sensed for `quiet_ms` …, when pins fell in it and all of
        them stand again and have been still for `ready_ms`".
        """
        time = self.sensed_us + self.set["quiet_us"]
        fallen = [fall.pin for fall in stroke.falls if fall.pin not in self.absent()]
        if fallen and all(self.stands(pin) for pin in fallen):
            still = max(self.line_us[pin] for pin in fallen) + self.set["ready_us"]
            time = min(time, still)
        return time

    def stands(self, pin: int) -> bool:
        """Tell whether a pin is neither down nor tilted."""
        return not self.down[pin] and self.level[pin] == 0

    def get_ready(self, _: None) -> None:
        """R1.3."""
        self.ready = True

    # -- lines -----------------------------------------------------------------------------

    def take(self, words: list[str]) -> None:
        """Let one line take effect."""
        self.at += 1
        kind, arguments = words[0], words[1:]
        # "Lines of a sensor that is not in `sensors=` parse and have no effect."
        if kind not in {"click", "zone"} or kind in self.fitted:
            getattr(self, "take_" + kind)(*arguments)

    def take_end(self) -> None:
        """Let time pass: "nothing else happened"."""

    def take_match(self, *_: str) -> None:
        """Not read here."""

    def take_skipped(self) -> None:
        """Count a line that was no good."""
        self.errors.append(self.at)

    def take_lost(self, number: str) -> None:
        """Take a loss of edges, a line that counts for the quiet time."""
        self.sensed_us = self.now
        self.lost.append((int(number), self.now, self.at))

    def take_pin(self, pin_word: str, level_word: str, u: str = "0") -> None:
        """Take an edge of a tilt input, or a repetition."""
        pin, level = int(pin_word), int(level_word)
        self.sensed_us = self.now
        self.line_us[pin] = self.now
        if level == self.level[pin]:
            return  # "a line that repeats the level is no edge"
        self.level[pin] = level
        movement = self.movement[pin]
        # "edges of one pin closer together than this are one movement"
        if movement and self.now - movement.last_us < self.set["bounce_us"]:
            movement.last_us = self.now
        else:
            # "what was ready at a movement's first edge was ready for that fall"
            first = Fall(pin, self.now, int(u), self.at, self.ready)
            self.movement[pin] = Movement(first, self.now)

    def take_hit(self, _: str, u: str = "0") -> None:
        """Take a cushion hit."""
        hit = (self.now, int(u), self.at)
        self.sensed_us = self.now
        self.hits.append(hit)
        # "If a hit or another fall comes before that, or a click was heard, all of it is a new
        # stroke if the table was ready, else suppressed."
        if self.waiting:
            self.end_waiting_as_stroke([])
        elif not self.running and self.ready and self.game_on():
            self.begin(hits=[hit])
            return
        if self.running:
            self.running.hits.append(hit)

    def take_click(self, u: str = "0") -> None:
        """Take a contact."""
        since = max(self.ended_at, self.clicks_since)
        before = [click for click in self.clicks if click[2] > since]
        self.clicks.append((self.now, int(u), self.at))
        self.sensed_us = self.now
        if self.waiting:
            self.end_waiting_as_stroke([])
        # "with `click` fitted also with the second of two clicks less than `quiet_ms` apart,
        # both after the previous stroke's end"
        elif (
            not self.running
            and self.ready
            and self.game_on()
            and before
            and self.now - before[-1][0] < self.set["quiet_us"]
        ):
            self.begin(begun=(self.now, self.at))

    def take_zone(self, level: str, u: str = "0") -> None:
        """Take the zone of the cross."""
        self.sensed_us = self.now
        if int(level) != self.zone_level:
            self.zone_level = int(level)
            self.zones.append(((self.now, int(u), self.at), self.zone_level))

    def take_boot(self, _: str) -> None:
        """Start again."""
        self.boots.append(self.at)
        # "a running stroke, with its marks, and an undecided fall are dropped, running
        # movements, presses and clicks forgotten"
        dropped = self.running
        self.running = self.waiting = None
        if dropped:
            dropped.end = self.at
            self.steps = [step for step in self.steps if step.stroke is not dropped]
        for pin in PINS:
            if self.movement[pin]:
                self.movement[pin] = None
                self.down[pin] = self.level[pin] == 1
        self.pressed_us.clear()
        self.clicks_since = self.at
        # "if a stroke was dropped or a pin is down, the table has to get ready again"
        if dropped or any(self.down[pin] for pin in PINS if pin not in self.absent()):
            self.ready = False

    # -- falls -----------------------------------------------------------------------------

    def end_movement(self, pin: int) -> None:
        """Decide what a movement was."""
        movement = self.movement[pin]
        assert movement
        self.movement[pin] = None
        if self.level[pin] and not self.down[pin]:
            self.down[pin] = True
            # "An absent pin's lines count for the quiet time and its lifting for late falls,
            # nothing else of it."
            if pin not in self.absent():
                self.confirm(movement.first)
        elif not self.level[pin] and self.down[pin]:
            self.down[pin] = False
            self.lifts.append(self.at)
            if self.waiting:
                self.settle_as_late(None)

    def confirm(self, fall: Fall) -> None:
        """Take a fall, now that it is known.

        It "belongs to the stroke that ran at that time, also if the stroke has ended meanwhile
        …, or, if none ran then, to the one that runs when it is confirmed".
        """
        ran = [stroke for stroke in self.strokes if stroke.ran_at(fall.t_us, fall.at)]
        if ran:
            self.add_fall(ran[-1], fall)
            return
        game = self.game()
        began_before = game is None or fall.at < game.begun_at
        # "A fall that began before its game is suppressed."
        if self.running and not began_before:
            self.add_fall(self.running, fall)
            return
        # "Once ready the table stays so until a fall is confirmed outside a stroke"
        self.ready = False
        self.outside.append(fall)
        if self.waiting:
            self.end_waiting_as_stroke([] if began_before else [fall])
        elif began_before:
            return
        elif self.may_be_late(fall):
            self.waiting = fall
        elif fall.was_ready and self.game_on():
            # "Without an earlier stroke in this game a fall on a ready table starts a stroke at
            # once." And if it cannot be late.
            self.begin(falls=[fall])

    def add_fall(self, stroke: Stroke, fall: Fall) -> None:
        """Put a fall into a stroke: "within a stroke a pin counts once"."""
        fall.in_stroke = True
        if fall.pin not in [f.pin for f in stroke.falls]:
            stroke.falls.append(fall)

    def may_be_late(self, fall: Fall) -> bool:
        """Tell whether the fall may be late, for the last stroke.

        "A fall when no stroke runs is late (R5.1) if this game has a last stroke that stands …,
        no pin was lifted since that stroke began, there was no hit since that stroke's end up to
        `quiet_ms` after the fall, no other fall outside a stroke within `quiet_ms` before or
        after it, no `boot`, and, with `click` fitted, no click since that stroke's end."
        """
        last = self.last_with_line()
        if not last:
            return False
        began, end = last.first_event()[1], last.end
        others = [f for f in self.outside if f is not fall and not f.in_stroke]
        against = (
            any(at > began for at in self.lifts),
            any(at > end for _, _, at in self.hits),
            any(abs(f.t_us - fall.t_us) < self.set["quiet_us"] for f in others),
            any(at > end for at in self.boots),
            any(at > end for _, _, at in self.clicks),
        )
        return not any(against)

    def settle_as_late(self, _: None) -> None:
        """Decide that the lone fall was late."""
        fall, last = self.waiting, self.last_with_line()
        assert fall
        assert last
        self.waiting = None
        self.at += 1
        last.late.append((fall.pin, self.at))

    def end_waiting_as_stroke(self, more: list[Fall]) -> None:
        """Decide that the lone fall was none: "a new stroke if the table was ready, else …"."""
        fall = self.waiting
        assert fall
        self.waiting = None
        if fall.was_ready and self.game_on():
            self.begin(falls=[fall, *more])

    # -- strokes ---------------------------------------------------------------------------

    def begin(
        self,
        falls: Iterable[Fall] = (),
        hits: Iterable[Timed] = (),
        begun: tuple[int, int] = (FOREVER, FOREVER),
    ) -> None:
        """Begin a stroke, of the player whose turn it is, at this place among the steps."""
        game = self.game()
        assert game
        stroke = Stroke(
            game=game,
            player=self.standing(game).turn,
            by_hand=False,
            begun=begun,
            after=self.ended_at,
            clicks_since=self.clicks_since,
            pin_absent=bool(self.absent()),
            hits=list(hits),
        )
        for fall in falls:
            self.add_fall(stroke, fall)
        self.running = stroke
        self.strokes.append(stroke)
        self.step("stroke", stroke=stroke)

    def begin_by_hand(self, opened_by: list[str]) -> None:
        """Open a stroke by hand.

        "nothing was sensed, it has ended at once, its `t_us` is the command's, later marks
        belong to it. Refused for that in a game that is over".
        """
        game = self.game()
        if not game or not self.game_on():
            raise Refused
        self.at += 1
        stroke = Stroke(
            game=game,
            player=self.standing(game).turn,
            by_hand=True,
            begun=(self.now, self.at),
            after=self.ended_at,
            clicks_since=self.clicks_since,
            pin_absent=bool(self.absent()),
            opened_by=opened_by,
            end=self.at,
        )
        self.ended_at = self.at
        self.ready = False
        self.strokes.append(stroke)
        self.step("stroke", stroke=stroke)

    def end_stroke(self, _: None) -> None:
        """End the running stroke."""
        assert self.running
        self.at += 1
        self.running.end = self.ended_at = self.at
        self.running = None
        self.ready = False  # "Once ready the table stays so until …, a stroke ends"

    def end_first(self) -> None:
        """Do what `new`, `next`, `pass` and others first do.

        They "while a stroke runs first end it as `done` does", and "first settle it as late".
        """
        if self.running:
            self.end_stroke(None)
        if self.waiting:
            self.settle_as_late(None)

    # -- the record ------------------------------------------------------------------------

    def step(
        self,
        kind: str,
        game: Game | None = None,
        stroke: Stroke | None = None,
        value: Any = None,
    ) -> None:
        """Add a step: "A new step empties the list of steps to redo."."""
        self.steps.append(Step(kind, self.at, stroke.game if stroke else game, stroke, value))
        self.undone.clear()

    def games(self) -> list[Game]:
        """Return the games that stand."""
        return [step.game for step in self.steps if step.kind in {"new", "next"} and step.game]

    def game(self) -> Game | None:
        """Return the current game."""
        games = self.games()
        return games[-1] if games else None

    def needed_game(self) -> Game:
        """Return the current game. Raise Refused without one."""
        game = self.game()
        if game is None:
            raise Refused
        return game

    def game_on(self) -> bool:
        """Tell whether there is a game that is not over."""
        game = self.game()
        return game is not None and self.standing(game).result == "playing"

    def absent(self) -> set[int]:
        """Return the pins that are absent now."""
        return self.absent_by_command() | self.absent_by_ok

    def absent_by_command(self) -> set[int]:
        """Return the pins that the record says are absent."""
        pins: set[int] = set()
        for step in self.steps:
            if step.kind == "absent":
                pins.add(step.value)
            elif step.kind == "present":
                pins.discard(step.value)
        return pins

    def strokes_of(self, game: Game) -> list[Stroke]:
        """Return the strokes that stand, with and without a line."""
        return [
            step.stroke
            for step in self.steps
            if step.kind == "stroke" and step.game is game and step.stroke
        ]

    def last_with_line(self) -> Stroke | None:
        """Return the last stroke of this game that stands and has a line."""
        game = self.game()
        strokes = self.standing(game).strokes() if game else []
        return strokes[-1] if strokes else None

    def marked_stroke(self) -> Stroke | None:
        """Return the stroke a mark is of: "the stroke that runs, or else … the last one"."""
        return self.running or self.last_with_line()

    def marks(self, stroke: Stroke) -> list[str]:
        """Return what people said of a stroke, `judge` "instead of its own"."""
        marks = list(stroke.opened_by)
        for step in self.steps:
            if step.stroke is stroke and step.kind == "mark":
                marks.append(step.value)
            elif step.stroke is stroke and step.kind == "judge":
                marks = list(step.value)
        return marks

    def annulled(self, stroke: Stroke) -> set[int]:
        """Return the annulled pins of a stroke."""
        return {s.value for s in self.steps if s.kind == "annul" and s.stroke is stroke}

    def leaning(self, game: Game, lines: list[Stroke], until: int) -> list[int]:
        """Return the pins that lean on the cue ball, at this position after these lines.

        "pin P leans on the cue ball (R5.3): the next stroke that ends, one by hand too, is a
        penalty …. A late fall of P, `new` and `next` cancel it."
        """
        pins = []
        strokes = self.strokes_of(game)
        for step in self.steps:
            if step.kind == "lean" and step.game is game and step.at < until:
                ends = [stroke.end for stroke in lines]
                falls = [at for s in strokes for pin, at in s.late if pin == step.value]
                if not any(step.at < at < until for at in ends + falls):
                    pins.append(step.value)
        return pins

    # -- awards ----------------------------------------------------------------------------

    def sensors(self, stroke: Stroke, own: list[Fall], late: set[int]) -> tuple[str, bool]:
        """Return what the sensors say of a stroke: verdict (`miss` for R4.4), certain."""
        first_us = stroke.first_event()[0]
        # "Clicks and zone lines up to `quiet_ms` before its first event and after the previous
        # stroke's end belong to it"
        after = max(stroke.after, stroke.clicks_since)
        clicks = [
            click
            for click in self.clicks
            if after < click[2] < stroke.end and click[0] >= first_us - self.set["quiet_us"]
        ]
        if own:
            falls = [(fall.t_us, fall.u_us, fall.at) for fall in own]
            spans = self.spans(stroke.after, stroke.end)
            return sensed_verdict(self.fitted, falls, stroke.hits, clicks, spans)
        if late:
            # "one that has none is judged as with pins and cushions alone (a hit: `legal`,
            # none: `doubt`), never certain"
            return ("legal" if stroke.hits else "doubt"), False
        # "With `click`: no contact but the cue's own is a miss (R4.4, certain), exactly one is
        # nothing (certain), more may be a carom: nothing, not certain." Without any click it is
        # "judged as if `click` were not fitted": "nothing, not certain".
        if len(clicks) == 1 and not stroke.by_hand:
            return "miss", True
        return "none", len(clicks) == 2

    def spans(self, after: int, until: int) -> list[tuple[Timed, Timed]]:
        """Return when the zone was occupied: entered, left after the one and until the other."""
        never = (FOREVER, 0, FOREVER)
        spans: list[tuple[Timed, Timed]] = []
        for line, level in self.zones:
            if line[2] < until:
                if level:
                    spans.append((line, never))
                else:
                    spans[-1] = (spans[-1][0], line)
        return [(entered, left) for entered, left in spans if left[2] > after]

    def outcome(self, stroke: Stroke, lines: list[Stroke], until: int) -> Outcome:
        """Judge and value a stroke after these lines, taken as ended at this position."""
        terms = stroke.game.terms
        marks = self.marks(stroke)
        holds = said(marks)
        annulled = self.annulled(stroke)
        own = [fall for fall in stroke.falls if fall.pin not in annulled]
        late = {pin for pin, _ in stroke.late} - annulled - {fall.pin for fall in own}
        pins = sorted({fall.pin for fall in own} | late)

        # "`valid` also takes back every fault marked before it, R5.3 and the sensors' miss."
        leaned = bool(self.leaning(stroke.game, lines, until)) and not holds.valid
        verdict, certain = self.sensors(stroke, own, late)
        missed = verdict == "miss" and not [mark for mark in marks if mark != "repeat"]
        if not pins:
            verdict = "none"
        elif holds.verdict:
            verdict = holds.verdict.replace("valid", "legal")
        elif leaned:
            verdict = "cue"  # "R5.3 with a pin down: `cue`."

        carom = "carom" in holds.others
        pocketed = "pocket-white" in holds.others
        faults = {FAULT_OF_MARK[mark] for mark in holds.others if mark in FAULT_OF_MARK}
        faults |= {"R4.4"} if missed else set()
        faults |= {"R5.3"} if leaned else set()
        faults |= {FAULT_OF_VERDICT[verdict]} if verdict in FAULT_OF_VERDICT else set()

        clauses, points = self.value(terms, pins, carom, pocketed)
        if not clauses and not faults:
            clauses = ["R2.8"]
        clauses += faults
        clauses += ["R5.1"] if late else []
        clauses += ["R5.2"] if annulled else []

        award = {"a": 0, "b": 0}
        if faults:
            own_cue = leaned and holds.verdict is None
            award[other(stroke.player)] = points + self.fine(terms, faults, own_cue)
        else:
            award[stroke.player] = points

        # "A stroke with a `lost` line from its first event to its end is never certain."
        first_us = stroke.first_event()[0]
        lost = any(first_us <= t and at < min(until, stroke.end) for _, t, at in self.lost)
        judged = bool(marks) or bool(annulled) or leaned
        flags = {
            "late-fall": bool(late),
            "by-hand": stroke.by_hand,
            "lost-edges": lost and not stroke.by_hand,
            "absent-pin": stroke.pin_absent,
            "judged": judged,
        }
        # R6.1, R6.2, R5.7; "`pocket-white` adds `pocket_white` once and keeps the turn in
        # series, also with a carom alone".
        success = bool(own) or (bool(late) and bool(terms.late_keeps_turn)) or pocketed
        return Outcome(
            pins=pins,
            verdict=verdict,
            # "`certain`: the sensors alone settle it. Never for a judged stroke or one by hand."
            certain=certain and not (judged or stroke.by_hand or lost),
            award=award,
            clauses=sorted(clauses, key=clause_order),
            flags=[flag for flag, holds_too in flags.items() if holds_too],
            faults=faults,
            keeps_turn=success and not faults and stroke.game.mode(stroke.player) == "series",
            repeat="repeat" in holds.others,
        )

    @staticmethod
    def value(terms: Terms, pins: list[int], carom: bool, pocketed: bool) -> tuple[list[str], int]:
        """Return the clauses that gave points, and the points."""
        clauses = []
        points = 0
        if pins:
            clause, points = pin_points(pins)
            clauses.append(clause)
            if carom:
                clauses.append("R2.7")
                points += terms.carom_adds
        elif carom:
            clauses.append("R2.6")
            points = 3
        if pocketed:
            clauses.append("R8.2")
            points += terms.pocket_white
        return clauses, points

    @staticmethod
    def fine(terms: Terms, faults: set[str], own_cue: bool) -> int:
        """Return the one fine.

        "the largest of those that apply (`fine` for R4.4-R4.6, R4.8, R8.3; 2 for R4.7;
        `pin_fine` for R4.1-R4.3 when a pin fell; none for R5.3)".
        """
        fines = {"R5.3": 0, "R4.7": 2}
        for clause in ("R4.4", "R4.5", "R4.6", "R4.8", "R8.3"):
            fines[clause] = terms.fine
        for clause in FAULT_OF_VERDICT.values():
            fines[clause] = 0 if own_cue else terms.pin_fine
        return max(fines[clause] for clause in faults)

    def standing(self, game: Game) -> Standing:
        """Go through all steps of a game: "computed anew from the steps"."""
        terms = game.terms
        now = Standing({"a": terms.a_start, "b": terms.b_start}, game.starter)
        for step in self.steps:
            if step.game is game:
                self.go_on(now, game, step)
        return now

    def go_on(self, now: Standing, game: Game, step: Step) -> None:
        """Go one step on."""
        if step.kind == "stroke":
            assert step.stroke
            # "Strokes after one that now ends the game keep their place in the record, have no
            # line and count for nothing"
            if now.result == "playing" and step.stroke is not self.running:
                self.award(now, game, step.stroke)
        elif step.kind == "score":
            now.by_hand = True
            now.score = dict(step.value)
            # "whoever then has his target has won …; also after the end, where it may un-end
            # the game (one drawn or resigned stays so until that is undone); the turn stays"
            if now.result == "playing" or now.by_points:
                now.end(*(now.by_person or ("playing", None)), by_points=False)
                self.win(now, game)
        elif step.kind == "turn":
            now.by_hand = True
            now.turn = step.value
        elif step.kind in {"draw", "resign"}:
            result = "drawn" if step.kind == "draw" else "won"
            winner = other(step.value) if step.value else None
            now.by_person = now.by_person or (result, winner)
            if now.result == "playing":
                now.end(*now.by_person, by_points=False)

    def award(self, now: Standing, game: Game, stroke: Stroke) -> None:
        """Award a stroke, pass the turn, end the game."""
        outcome = self.outcome(stroke, now.strokes(), stroke.end)
        for player, points in outcome.award.items():
            now.score[player] += points
        now.turn = stroke.player if outcome.keeps_turn else other(stroke.player)
        # "When in an unbroken run of strokes marked `repeat` each player has three, the game is
        # drawn after the last has been awarded (a win goes first)."
        if outcome.repeat:
            now.repeats[stroke.player] += 1
        else:
            now.repeats = {"a": 0, "b": 0}
        self.win(now, game)
        if now.result == "playing" and min(now.repeats.values()) >= 3:
            now.end("drawn", None, by_points=False)
        now.lines.append((stroke, outcome, dict(now.score), now.turn))

    @staticmethod
    def win(now: Standing, game: Game) -> None:
        """R7.2."""
        for player in ("a", "b"):
            if now.score[player] >= game.target(player):
                now.end("won", player, by_points=True)

    # -- commands --------------------------------------------------------------------------

    def take_cmd(self, *words: str) -> None:
        """Obey, or change nothing and count.

        "A command that makes no sense now, an unknown word, key or value, or one that would
        change nothing: nothing of it takes effect, one line says why, it is recorded and
        counted."
        """
        saved = copy.deepcopy(self.__dict__)
        absent = self.absent()
        try:
            do = COMMANDS.get(words[0])
            if do is None:
                raise Refused
            do(self, list(words[1:]))
        except Refused:
            self.__dict__ = saved
            self.errors.append(self.at)
        # "Once ready the table stays so until …, or a pin comes back (`present`) that is down"
        if any(self.down[pin] for pin in absent - self.absent()):
            self.ready = False

    def do_new(self, words: list[str]) -> None:
        """Start a game."""
        self.end_first()
        keys: dict[str, str] = {}
        for word in words:
            key, _, value = word.partition("=")
            if key not in CHOICES or value not in CHOICES[key]:
                raise Refused
            keys[key] = value
        terms = Terms()
        for key, value in keys.items():
            name = key.replace(".", "_")
            number = isinstance(getattr(terms, name), int)
            setattr(terms, name, int(value) if number else value)
        # "points written in advance, default 0, below that player's target"
        if terms.a_start >= terms.a_target or terms.b_start >= terms.b_target:
            raise Refused
        # "`always` … who starts every game, goes before `first`"
        starter = terms.first if terms.always == "none" else terms.always
        self.step("new", game=Game(terms, starter, self.at))

    def do_next(self, words: list[str]) -> None:
        """Start the "next game on the same terms, start alternates (R7.1) unless `always`"."""
        self.end_first()
        last = self.needed_game()
        # "refused unless the last game is over"
        if words or self.game_on():
            raise Refused
        terms, starter, pair_terms = last.terms, other(last.starter), None
        if terms.pair and not last.pair_terms:
            # "With `pair=1` the second game is on equal terms (both with a's mode and target,
            # nothing in advance), the other player starting; after it the pair begins again"
            pair_terms = terms
            terms = replace(
                terms, b_mode=terms.a_mode, b_target=terms.a_target, a_start=0, b_start=0
            )
        else:
            terms = last.pair_terms or terms
            starter = starter if terms.always == "none" else terms.always
        self.step("next", game=Game(terms, starter, self.at, pair_terms))

    def do_mark(self, words: list[str]) -> None:
        """Mark "the stroke that runs, or else … the last one that stands and has a line"."""
        if len(words) != 1 or words[0] not in MARKS:
            raise Refused
        mark = words[0]
        game = self.needed_game()
        # "pocket marks are refused on a carom table"
        if mark in POCKET_MARKS and game.terms.table == "carom":
            raise Refused
        stroke = self.marked_stroke()
        undecided = self.running or self.waiting
        # "`valid` `cue` `direct` `doubt` reach the last stroke also when it was accepted; any
        # other, if it was accepted (`ok`) or the game has no stroke yet, opens a stroke by hand"
        if mark not in VERDICT_MARKS and not undecided and (not stroke or stroke.accepted):
            self.begin_by_hand([mark])
            return
        if not stroke:
            raise Refused
        before = said(self.marks(stroke))
        self.step("mark", stroke=stroke, value=mark)
        if said(self.marks(stroke)) == before:
            raise Refused

    def do_pass(self, words: list[str]) -> None:
        """Open "a stroke by hand in which nothing happened …. Accepts the last stroke first"."""
        if words:
            raise Refused
        self.end_first()
        last = self.last_with_line()
        if last:
            last.accepted = True
        self.begin_by_hand([])

    def do_annul(self, words: list[str]) -> None:
        """Annul a pin of the stroke: "opens no stroke, refused after `ok`"."""
        pin = self.one_pin(words)
        stroke = self.marked_stroke()
        if not stroke or stroke.accepted:
            raise Refused
        fallen = {fall.pin for fall in stroke.falls} | {late for late, _ in stroke.late}
        if pin not in fallen - self.annulled(stroke):
            raise Refused
        self.step("annul", stroke=stroke, value=pin)

    def one_pin(self, words: list[str]) -> int:
        """Return the pin that the words name. Raise Refused."""
        if len(words) != 1 or words[0] not in [str(pin) for pin in PINS]:
            raise Refused
        return int(words[0])

    def do_lean(self, words: list[str]) -> None:
        """Let a pin lean: "Needs a game that is not over"."""
        pin = self.one_pin(words)
        game = self.needed_game()
        lines = self.standing(game).strokes()
        if not self.game_on() or pin in self.leaning(game, lines, self.at):
            raise Refused
        self.step("lean", game=game, value=pin)

    def do_absent(self, words: list[str]) -> None:
        """Take a pin off, "at any time"."""
        pin = self.one_pin(words)
        if pin in self.absent_by_command():
            raise Refused
        self.step("absent", value=pin)

    def do_present(self, words: list[str]) -> None:
        """Take a pin back."""
        pin = self.one_pin(words)
        if pin not in self.absent():
            raise Refused
        self.absent_by_ok.discard(pin)
        self.step("present", value=pin)

    def do_done(self, words: list[str]) -> None:
        """End the stroke that runs; a lone fall: "makes it a stroke, ended"."""
        if words or not (self.running or self.waiting):
            raise Refused
        if self.waiting:
            # "(refused if the table was not ready or the game is over)"
            if not self.waiting.was_ready or not self.game_on():
                raise Refused
            self.end_waiting_as_stroke([])
        self.end_stroke(None)

    def do_ok(self, words: list[str]) -> None:
        """End and accept, "else accept the last stroke", else make pins that are down absent."""
        if words:
            raise Refused
        stroke = self.running or self.last_with_line()
        if self.running:
            self.end_stroke(None)
        if stroke and not stroke.accepted:
            stroke.accepted = True
            return
        # "if there is nothing to accept and the table is not ready only because pins are down,
        # all others still for `ready_ms`: those are absent until …"
        pins = [pin for pin in PINS if pin not in self.absent()]
        down = {pin for pin in pins if self.down[pin]}
        still_since = self.now - self.set["ready_us"]
        others_still = all(
            self.stands(pin) and self.line_us[pin] <= still_since
            for pin in pins
            if pin not in down
        )
        if self.ready or not down or not others_still:
            raise Refused
        self.absent_by_ok |= down

    def do_undo(self, words: list[str]) -> None:
        """Step back."""
        self.end_first()
        if words or not self.steps:
            raise Refused
        self.undone.append(self.steps.pop())

    def do_redo(self, words: list[str]) -> None:
        """Step forward."""
        self.end_first()
        if words or not self.undone:
            raise Refused
        self.steps.append(self.undone.pop())

    def do_judge(self, words: list[str]) -> None:
        """Judge stroke N again: "these marks, in order, instead of its own"."""
        self.end_first()
        game = self.needed_game()
        strokes = self.standing(game).strokes()
        numbers = [str(n + 1) for n in range(len(strokes))]
        marks = words[1:]
        if not marks or words[0] not in numbers or not set(marks) <= set(MARKS):
            raise Refused
        if game.terms.table == "carom" and set(marks) & set(POCKET_MARKS):
            raise Refused
        stroke = strokes[int(words[0]) - 1]
        if said(marks) == said(self.marks(stroke)):
            raise Refused
        self.step("judge", stroke=stroke, value=marks)

    def do_score(self, words: list[str]) -> None:
        """Set both scores "at this point of the record (R9.3)"."""
        self.end_first()
        game = self.needed_game()
        keys = dict(word.partition("=")[::2] for word in words)
        numbers = [str(n) for n in range(1000)]
        if len(words) != 2 or set(keys) != {"a", "b"}:
            raise Refused
        if not set(keys.values()) <= set(numbers):
            raise Refused
        score = {player: int(keys[player]) for player in ("a", "b")}
        # "whoever then has his target has won, both: refused"
        if all(score[player] >= game.target(player) for player in score):
            raise Refused
        if score == self.standing(game).score:
            raise Refused
        self.step("score", game=game, value=score)

    def do_turn(self, words: list[str]) -> None:
        """Say who plays next: "needs a game"."""
        self.end_first()
        game = self.needed_game()
        if words not in (["a"], ["b"]) or words[0] == self.standing(game).turn:
            raise Refused
        self.step("turn", game=game, value=words[0])

    def do_draw(self, words: list[str]) -> None:
        """Draw the game, R7.3."""
        self.end_first()
        if words or not self.game_on():
            raise Refused
        self.step("draw", game=self.game())

    def do_resign(self, words: list[str]) -> None:
        """Resign: "the other has won"."""
        self.end_first()
        if words not in (["a"], ["b"]) or not self.game_on():
            raise Refused
        self.step("resign", game=self.game(), value=words[0])

    # -- buttons ---------------------------------------------------------------------------

    def take_btn(self, name: str, level: str) -> None:
        """Take an edge of a button.

        "A press is a 1 and the next 0 at least `button_hold_ms` later; it acts at the 0; it is
        long from 800 ms on."
        """
        if level == "1":
            self.pressed_us.setdefault(name, self.now)
        elif name in self.pressed_us:
            held_us = self.now - self.pressed_us.pop(name)
            if held_us >= self.set["button_hold_us"]:
                self.take_cmd(*self.meaning(name, held_us >= LONG_PRESS_US).split(" "))

    def meaning(self, name: str, is_long: bool) -> str:
        """Return the command that a press means."""
        if name == "ok":
            return self.ok_means(is_long)
        if name == "penalty":
            return self.long_penalty_means() if is_long else self.short_penalty_means()
        meanings = {
            ("carom", False): "mark carom",
            ("fine", False): "mark miss",
            ("fine", True): "mark touch",
            ("undo", False): "undo",
            ("undo", True): "redo",
        }
        # "Any other long press is refused."
        return meanings.get((name, is_long), "refused")

    def ok_means(self, is_long: bool) -> str:
        """Return what `ok` means: "short = `done` while a stroke runs or a lone fall is …"."""
        if not is_long:
            return "done" if self.running or self.waiting else "ok"
        if not self.game():
            return "new"
        return "pass" if self.game_on() else "next"

    def short_penalty_means(self) -> str:
        """Look whether the stroke that the mark would go to, taken as ended, is a penalty."""
        stroke = self.marked_stroke()
        if stroke:
            lines = self.standing(stroke.game).strokes()
            before = [line for line in lines if line.end < stroke.end]
            if self.outcome(stroke, before, min(stroke.end, self.at)).faults:
                return "mark valid"
        return "mark doubt"

    def long_penalty_means(self) -> str:
        """Return "`turn` to the player whose turn it would not be"."""
        if not self.game():
            return "refused"
        then = copy.deepcopy(self)
        then.end_first()
        return "turn " + other(then.standing(then.needed_game()).turn)

    # -- rows ------------------------------------------------------------------------------

    def stroke_rows(self) -> list[Row]:
        """Return "a line for each stroke of all games as it finally stands, in order"."""
        rows = []
        for number, game in enumerate(self.games(), 1):
            lines = self.standing(game).lines
            for n, (stroke, outcome, score, turn) in enumerate(lines, 1):
                rows.append(
                    {
                        "game": number,
                        "stroke": n,
                        "player": stroke.player,
                        "t_us": stroke.t_us(),
                        "pins": outcome.pins,
                        "verdict": outcome.verdict,
                        "certain": outcome.certain,
                        "award": outcome.award,
                        "clauses": outcome.clauses,
                        "score": score,
                        "turn": turn,
                        "flags": outcome.flags,
                    }
                )
        return rows

    def game_rows(self) -> list[Row]:
        """Return "a line for each game"."""
        rows = []
        games = self.games()
        begins = [game.begun_at for game in games] + [FOREVER]
        for number, game in enumerate(games, 1):
            standing = self.standing(game)
            since, until = begins[number - 1], begins[number]
            rows.append(
                {
                    "game": number,
                    "state": self.state(game, standing),
                    "winner": standing.winner,
                    "result": standing.result,
                    "score": standing.score,
                    "strokes": len(standing.lines),
                    "turn": standing.turn,
                    "by_hand": standing.by_hand,
                    "lost": sum(n for n, _, at in self.lost if since < at < until),
                    "errors": len([at for at in self.errors if since < at < until]),
                }
            )
        return rows

    def state(self, game: Game, standing: Standing) -> str:
        """Return the state of a game.

        "`review` (no stroke runs, and the table is not ready or a lone fall is undecided)". An
        unfinished game that another followed: "(`state` `over`, `result` `playing`, no winner)".
        """
        if game is not self.game() or standing.result != "playing":
            return "over"
        if self.running:
            return "running"
        return "ready" if self.ready and not self.waiting else "review"


COMMANDS: dict[str, Callable[[Table, list[str]], None]] = {
    "new": Table.do_new,
    "next": Table.do_next,
    "mark": Table.do_mark,
    "pass": Table.do_pass,
    "annul": Table.do_annul,
    "lean": Table.do_lean,
    "absent": Table.do_absent,
    "present": Table.do_present,
    "done": Table.do_done,
    "ok": Table.do_ok,
    "undo": Table.do_undo,
    "redo": Table.do_redo,
    "judge": Table.do_judge,
    "score": Table.do_score,
    "turn": Table.do_turn,
    "draw": Table.do_draw,
    "resign": Table.do_resign,
}


def read(
    text: str, lenient: bool = False, settings: dict[str, int] | None = None
) -> tuple[list[Row], list[Row]]:
    """Return the stroke objects and the game objects of `kegli replay --json`.

    Without lenient, a bad line ends the log: the rows are those up to it. The settings go before
    those of the header. Raise ValueError if the first line is no header.
    """
    # "A last line without LF (power failed) is reported and never used." "CR LF is accepted".
    lines = [line.removesuffix("\r") for line in text.split("\n")[:-1]]
    table = Table(*header(lines[0] if lines else "", settings))
    for line in sorted_lines(lines[1:], lenient):
        table.pass_time(line.t_us)
        table.take(line.words)
    table.pass_time(table.now)
    return table.stroke_rows(), table.game_rows()
