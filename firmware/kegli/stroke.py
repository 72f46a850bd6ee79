"""The stroke: from what the sensors say to strokes of the record, by one total table.

States: no stroke runs; one runs; a lone fall waits until it is known whether it is late or the
start of a stroke. Beside it, the table is ready for a stroke or not.
"""

from micropython import const

from . import record
from .debounce import Pin
from .match import Match

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    from typing import Any

    from .debounce import Began

# As in judge.py, folded in by the compiler.
_NO = const(0)
_POSSIBLY = const(1)
_SURELY = const(2)

# As in header.py, folded in by the compiler.
_CLICKS = const(1)
_ZONES = const(2)

# As in record.py, folded in by the compiler.
_FLAGS = const(1)
_BY_HAND = const(2)
_NO_CLICK = const(3)
_NO_CUE = const(6)
_EDGES_LOST = const(8)
_FELL = const(10)
_EVIDENCE = const(13)
_ENDED = const(16)
_CONTACTS = const(18)
_HIT_HEARD = const(32)
_FRESH = const(128)

_IDLE = const(0)
_RUNNING = const(1)
_LONE = const(2)

_HIT = const(0)  # a cushion was hit, and that can begin a stroke
_NOISE = const(1)  # a cushion was hit, and that cannot begin a stroke
_KNOCK = const(2)  # a contact was heard that can begin a stroke
_CLICK = const(3)  # a contact was heard that cannot begin a stroke
_FALL = const(4)  # a pin fell, and that can begin a stroke
_STRAY = const(5)  # a pin fell, and that neither can begin a stroke nor be late
_FOREIGN = const(6)  # a pin fell that began to fall before this game
_LONE_FALL = const(7)  # a pin fell that may be late
_LIFT = const(8)  # a pin was lifted
_QUIET = const(9)  # silence; a lone fall has waited long enough
_STAND = const(10)  # all pins that fell in the stroke stand again, and still
_DONE = const(11)  # a person says that the stroke is over
_SETTLE = const(12)  # a person does something that ends a stroke and makes a lone fall late
_BOOT = const(13)  # the board restarted
_EVENTS = const(14)
_COLUMNS = const(5)  # of the table

# Time-outs that are no events of the table; at one instant the lower number comes first.
_DOWN = const(-2)  # a movement of a pin is over, and left it down or up
_UP = const(-1)
_RETURN = const(14)  # a pin that an `ok` set aside stands again
_STILL = const(15)  # all pins stand, and still: the table is ready

_ZONE_BEFORE_US = const(120_000)  # the zone counts at a fall and this long before
_MOST_CLICKS = const(64)
_MOST_VISITS = const(8)
_MOST_STEPS = const(0xFFF0)  # of a record: a place has two bytes
_NEVER = const(-1)
_FAR_US = const(1 << 62)


class Strokes:
    """All that the sensors have said, and the strokes that it makes in *match*.

    `settings` holds the times of header.SETTINGS in milliseconds, `sensors` is that
    of header.parse_header.
    """

    def __init__(
        self, match: Match, sensors: int, settings: dict[str, int], out: list[str]
    ) -> None:
        self.match = match
        self._out = out
        self._sensors = sensors
        self._bounce_us = settings["bounce_ms"] * 1000
        self._hold_us = max(settings["bounce_ms"], settings["fall_hold_ms"]) * 1000
        self._quiet_us = settings["quiet_ms"] * 1000
        self._ready_us = settings["ready_ms"] * 1000
        self.soon_us = min(self._hold_us, self._ready_us)  # no sooner does an edge count
        self.pins = tuple([Pin(number) for number in range(5)])
        self.state = _IDLE
        self.is_ready = True
        self.aside = 0  # pins that an `ok` made absent
        self._heard_us = 0
        self._now_us = 0
        self._due_us = _FAR_US  # the next time-out
        self._due_event = 0
        self._due_pin = 0
        self._lone: "Began" = (0, 0, 0, 0, False)  # the fall that is undecided
        # Contacts (t_us, u) and visits to the zone [entered between two times, left between two
        # times], in order: of the stroke that runs, and what may turn out to belong to it.
        self._clicks: "list[tuple[int, int]]" = []
        self._visits: "list[list[int]]" = []
        self._lost_us = _NEVER
        self._stray_us = _FAR_US  # last fall outside a stroke
        self._lift_at = _NEVER  # Match.count when a pin was lifted last
        self._fresh: list[bytearray] = []  # strokes that may get a late fall
        # Of the stroke that runs, or ran last.
        self.step = bytearray(0)
        self._from_us = 0  # its first event, a contact included
        self._from_at = 0  # Match.count then
        self._falls: "list[Began]" = []
        self._hit_low_us = _FAR_US  # the earliest a cushion can have been hit
        self._hit_high_us = _FAR_US  # the earliest by which one surely was

    # What the sensors say

    def pin(self, number: int, t_us: int, level: int, u: int) -> None:
        """Take a line of a pin's tilt input."""
        self._heard_us = t_us
        pin = self.pins[number]
        if pin.edge(t_us, level, self._bounce_us):
            pin.began = (number, t_us, u, self.match.count, self.is_ready)
            pin.began_in = None
            if self.state == _RUNNING:
                pin.began_in = self.step
                if not self.step[_FELL] >> number & 1:
                    self.step[_EVIDENCE + number] = 0  # of a movement that was a rock

    def hit(self, t_us: int, u: int) -> None:
        """Take a line of a cushion sensor."""
        self._heard_us = t_us
        self._grow_stale()
        self.handle(_HIT if self.can_begin() else _NOISE, t_us, u)

    def click(self, t_us: int, u: int) -> None:
        """Take a line of the contact sensor: of no effect if it is not fitted."""
        if self._sensors & _CLICKS:
            self._heard_us = t_us
            clicks = self._clicks
            second = clicks and t_us - clicks[-1][0] < self._quiet_us
            starts = (second or self.state == _LONE) and self.can_begin()
            self._grow_stale()
            self.handle(_KNOCK if starts else _CLICK, t_us, u)

    def zone(self, t_us: int, level: int, u: int) -> None:
        """Take a line of the zone sensor: of no effect if it is not fitted."""
        if self._sensors & _ZONES:
            self._heard_us = t_us
            visits = self._visits
            is_in = bool(visits) and visits[-1][3] == _FAR_US
            if level and not is_in:
                visits.append([t_us - u, t_us + u, _FAR_US, _FAR_US])
                if len(visits) > _MOST_VISITS:
                    if self.state == _RUNNING:
                        self.weigh()  # what the oldest says of a fall is kept
                    visits.pop(0)
            elif is_in and not level:
                visits[-1][2] = t_us - u
                visits[-1][3] = t_us + u

    def lost(self, t_us: int) -> None:
        """Note that edges were lost: a stroke that runs is no longer certain."""
        self._heard_us = t_us
        self._lost_us = t_us
        if self.state == _RUNNING:
            self.step[_FLAGS] |= _EDGES_LOST

    def boot(self, t_us: int) -> None:
        """Take a restart of the board: what was under way is forgotten."""
        self.handle(_BOOT, t_us)
        for pin in self.pins:
            pin.settle()  # it is what its level says
        self._clicks.clear()
        self._grow_stale()
        self.bring_back(0)

    def begin_again(self, t_us: int) -> None:
        """Forget all but the levels of the pins: a `match` line follows."""
        self.boot(t_us)
        self._visits.clear()
        self._stray_us = _FAR_US
        self.is_ready = False

    def is_at_rest(self, t_us: int) -> bool:
        """Say whether no stroke runs, no fall waits, all pins lie or have stood still.

        And the table is ready just if they stand: a fall may have come so late that it is not so.
        """
        lying = self.match.absent
        for pin in self.pins:
            if pin.is_down and not pin.is_moving:
                lying |= 1 << pin.number
        stands = not self.down() & ~self.absent()
        still = self._still_us(~lying) <= t_us
        return self.state == _IDLE and still and self.is_ready == stands

    def keep_fresh(self, step: bytearray) -> None:
        """Remember a stroke that may get a late fall, if it is one."""
        if step[_FLAGS] & _FRESH:
            self._fresh.append(step)

    def _grow_stale(self) -> None:
        for step in self._fresh:
            step[_FLAGS] &= ~_FRESH
        self._fresh.clear()

    # Time

    def next_due(self) -> int:
        """Find the next time-out, and return when it is; far away if there is none.

        At one instant falls are confirmed first, then pins are lifted, then strokes end, then
        the table gets ready.
        """
        self._due_us = _FAR_US
        first = None
        for pin in self.pins:
            if pin.is_moving and (
                not first
                or pin.edge_us < first.edge_us
                or (
                    # Falls go before lifts, and first those that can begin a stroke.
                    pin.edge_us == first.edge_us
                    and (pin.level, pin.began[4]) > (first.level, first.began[4])
                )
            ):
                first = pin
        if first:
            event = _DOWN if first.level else _UP
            self._propose(first.edge_us + self._hold_us, event, first.number)
        if self.state == _RUNNING:
            self._propose(self._heard_us + self._quiet_us, _QUIET, 0)
            fell = self.step[_FELL] & ~self.absent()
            if fell:
                self._propose(self._still_us(fell), _STAND, 0)
        else:
            if self.state == _LONE:
                self._propose(self._lone[1] + self._quiet_us, _QUIET, 0)
            for pin in self.pins:
                if self.aside >> pin.number & 1:
                    self._propose(self._still_us(1 << pin.number), _RETURN, pin.number)
            if not self.is_ready:
                self._propose(self._still_us(~self.absent()), _STILL, 0)
        return self._due_us

    def _propose(self, due_us: int, event: int, number: int) -> None:
        due_us = max(due_us, self._now_us)
        sooner = due_us < self._due_us
        if sooner or (due_us == self._due_us and event < self._due_event):
            self._due_us = due_us
            self._due_event = event
            self._due_pin = number

    def _still_us(self, pins: int) -> int:
        """Return when *pins* will have been up and still for long enough, if nothing moves."""
        line_us = -_FAR_US
        for pin in self.pins:
            if pins >> pin.number & 1:
                if pin.is_down or pin.level:
                    return _FAR_US
                line_us = max(line_us, pin.line_us)
        return line_us + self._ready_us

    def time_out(self) -> None:
        """Let what next_due found happen."""
        t_us = self._due_us
        event = self._due_event
        pin = self.pins[self._due_pin]
        self.at(t_us)
        if event == _STILL:
            self.is_ready = True
        elif event == _RETURN:
            self.aside &= ~(1 << pin.number)
        elif event >= 0:
            self.handle(event, t_us)
        elif pin.settle():
            if pin.is_down:
                self._fell(pin)
            else:
                self.handle(_LIFT, t_us)
                self._lift_at = self.match.count
                self._grow_stale()

    def at(self, t_us: int) -> None:
        """Begin what happens at *t_us*."""
        self._now_us = t_us
        self.match.count += 1

    # Pins

    def absent(self) -> int:
        """Return the set of absent pins (R5.5)."""
        return self.match.absent | self.aside

    def down(self) -> int:
        """Return the set of pins that are down now; one that leans or rocks is not (R5.6)."""
        pins = 0
        for pin in self.pins:
            if pin.is_down:
                pins |= 1 << pin.number
        return pins

    def set_aside(self, t_us: int) -> bool:
        """Make the pins that are down absent until they stand again (R5.5).

        Return False, and do nothing, unless they alone keep the table from being ready.
        """
        absent = self.absent()
        down = self.down() & ~absent
        if self.is_ready or not down or self._still_us(~(down | absent)) > t_us:
            return False
        self.aside |= down
        return True

    def bring_back(self, pins: int) -> None:
        """Let those of *pins* come back that an `ok` set aside; see whether one is down."""
        self.aside &= ~pins
        if self.down() & ~self.absent():
            self.is_ready = False

    # Falls

    def can_begin(self) -> bool:
        """Say whether a stroke can begin now: with an undecided lone fall, if one waits."""
        game = self.match.game
        if not game or game.is_over or len(self.match.steps) >= _MOST_STEPS:
            return False
        return self._lone[4] if self.state == _LONE else self.is_ready

    def _fell(self, pin: Pin) -> None:
        if self.absent() >> pin.number & 1:
            return
        step = pin.began_in
        if step is not None and (step is not self.step or self.state != _RUNNING):
            # That stroke has ended meanwhile, with the evidence of this fall.
            self._take_fall(step, pin.began)
            self.match.revalue(step)
            return
        self._handle(self._kind_of_fall(pin.began), pin.began)
        if self.state != _RUNNING:
            self.is_ready = False

    def _kind_of_fall(self, began: "Began") -> int:
        game = self.match.game
        if self.state == _LONE and not self.can_begin():
            return _STRAY
        if not game or began[3] < game.began_at:
            return _FOREIGN
        if self.state != _IDLE:
            return _FALL
        last = game.last
        alone = abs(began[1] - self._stray_us) >= self._quiet_us
        if last and alone and self.match.steps[last.place][_FLAGS] & _FRESH:
            return _LONE_FALL
        # What was ready when the pin began to move was ready for its fall.
        closed = game.is_over or len(self.match.steps) >= _MOST_STEPS
        return _FALL if began[4] and not closed else _STRAY

    def _take_fall(self, step: bytearray, began: "Began") -> bool:
        """Take a fall into a stroke, in which a pin counts once, and its time with it."""
        bit = 1 << began[0]
        if step[_FELL] & bit:
            return False
        no_first = not step[_FELL] and not step[_FLAGS] & _HIT_HEARD
        step[_FELL] |= bit
        if no_first or began[1] < record.t_us(step):
            record.set_t_us(step, began[1])
        return True

    def weigh(self) -> None:
        """Write the evidence of the running stroke into the record."""
        clicks = []
        if self._sensors & _CLICKS:
            first_us = self._from_us - self._quiet_us
            clicks = [click for click in self._clicks if click[0] >= first_us]
        heard = min(len(clicks) - 1, 2) if clicks else _NO_CLICK
        self.step[_CONTACTS] = heard | self._sensors << 2
        for began in self._falls:
            self._weigh_fall(began, clicks)
        for pin in self.pins:
            # The stroke may end before it is known whether a pin that moves has fallen.
            fell = self.step[_FELL] >> pin.number & 1
            if pin.is_moving and pin.began_in is self.step and not fell:
                self._weigh_fall(pin.began, clicks)

    def _weigh_fall(self, began: "Began", clicks: "list[tuple[int, int]]") -> None:
        """Write what was known when a pin fell: a hit, the zone, contacts after the cue's own."""
        low_us = began[1] - began[2]
        high_us = began[1] + began[2]
        hit = _POSSIBLY if self._hit_low_us <= high_us else _NO
        if self._hit_high_us < low_us:
            hit = _SURELY
        zone = self.step[_EVIDENCE + began[0]] >> 2 & 3
        for came_low, came_high, left_low, left_high in self._visits:
            if came_low <= high_us and left_high >= low_us - _ZONE_BEFORE_US:
                surely = came_high < low_us and left_low > high_us - _ZONE_BEFORE_US
                zone = max(zone, _SURELY if surely else _POSSIBLY)
        pair = _NO_CUE
        if clicks and clicks[0][0] + clicks[0][1] < low_us:
            surely_before = at_most = 0
            for t_us, u in clicks[1:]:
                surely_before += t_us + u < low_us
                at_most += t_us - u <= high_us
            pair = record.PAIRS.index((min(surely_before, 2), min(at_most, 2)))
        self.step[_EVIDENCE + began[0]] = hit | zone << 2 | pair << 4

    # What people say

    def lone(self) -> int:
        """Return the pin whose lone fall is undecided, as a set; empty if there is none."""
        return 1 << self._lone[0] if self.state == _LONE else 0

    def by_hand(self, t_us: int, marks: int) -> None:
        """Put a stroke by hand, begun and ended at *t_us*, into the record."""
        game = self.match.game
        if game:
            flags = _BY_HAND | _ENDED | _FRESH
            step = record.new_stroke(t_us, game.turn, self.absent(), flags, marks)
            self.match.add(step)
            self.keep_fresh(step)
            self._leave_behind()

    # The table. An action gets what happened: pin, time, uncertainty, and when it began, as
    # Match.count, with whether the table was ready then.

    def handle(self, event: int, t_us: int, u: int = 0) -> None:
        """Let an event happen that no pin made."""
        self._handle(event, (_NEVER, t_us, u, self.match.count, self.is_ready))

    def _handle(self, event: int, what: "Began") -> None:
        state = self.state
        row = (state * _EVENTS + event) * _COLUMNS
        self.state = TRANSITIONS[row + 3]
        TRANSITIONS[row + 2](self, what)
        if state != self.state:
            # What changes the state happens once more, in the state that it leads to.
            self._handle(event, what)

    def _nothing(self, what: "Began") -> None:
        pass

    def _suppress(self, what: "Began") -> None:
        name = "hit"
        if what[0] >= 0:
            name = "pin %d" % what[0]
            self._stray_us = what[1]
        game = self.match.game
        if game and not game.is_over:
            self._out.append("> suppressed %s t=%d (R1.3)" % (name, what[1]))

    def _click(self, what: "Began") -> None:
        clicks = self._clicks
        if self.state != _RUNNING:
            # A stroke reaches back by the quiet time, and may be found out later by as much.
            while clicks and what[1] - clicks[0][0] > 3 * self._quiet_us:
                clicks.pop(0)
        if len(clicks) < _MOST_CLICKS:  # the first are those that tell
            clicks.append((what[1], what[2]))

    def _begin(self, what: "Began") -> None:
        match = self.match
        t_us = what[1]
        self.step = record.new_stroke(t_us, match.games[-1].turn, self.absent(), 0, 0)
        self._from_us = t_us
        self._from_at = what[3]
        self._hit_low_us = self._hit_high_us = _FAR_US
        self._falls.clear()
        match.running = match.add(self.step)
        self._adopt()

    def _adopt(self) -> None:
        """Give the stroke, found out later, what has happened since its first event."""
        if self._lost_us >= self._from_us:
            self.step[_FLAGS] |= _EDGES_LOST
        game_at = self.match.games[-1].began_at
        for pin in self.pins:
            began = pin.began
            if pin.is_moving and began[1] >= self._from_us and began[3] >= game_at:
                pin.began_in = self.step

    def _hit(self, what: "Began") -> None:
        t_us = what[1]
        self._hit_low_us = min(self._hit_low_us, t_us - what[2])
        self._hit_high_us = min(self._hit_high_us, t_us + what[2])
        step = self.step
        if not step[_FELL] and not step[_FLAGS] & _HIT_HEARD:
            record.set_t_us(step, t_us)
        step[_FLAGS] |= _HIT_HEARD

    def _fall(self, what: "Began") -> None:
        if self._take_fall(self.step, what):
            self._falls.append(what)
            self._from_us = min(self._from_us, what[1])
            self._from_at = min(self._from_at, what[3])
            self._adopt()

    def _end(self, what: "Began") -> None:
        self.weigh()
        if self._lift_at < self._from_at:
            self.step[_FLAGS] |= _FRESH
            self.keep_fresh(self.step)
        self.match.end_stroke()
        self._leave_behind()

    def _leave_behind(self) -> None:
        """Leave what was heard to the stroke that has ended."""
        self.is_ready = False
        self._clicks.clear()
        while len(self._visits) > 1 or (self._visits and self._visits[0][3] != _FAR_US):
            self._visits.pop(0)

    def _drop(self, what: "Began") -> None:
        self.is_ready = False
        self.match.drop_stroke()
        self._out.append("> the stroke that ran was dropped")

    def _wait(self, what: "Began") -> None:
        self._lone = what

    def _begin_lone(self, what: "Began") -> None:
        self._begin(self._lone)
        self._fall(self._lone)

    def _waste(self, what: "Began") -> None:
        self._suppress(self._lone)

    def _late(self, what: "Began") -> None:
        self._stray_us = self._lone[1]
        self.match.fall_late(self._lone[0])


# fmt: off
# One flat tuple, since a tuple for each row would cost the heap 0.7 KB more.
TRANSITIONS: "tuple[Any, ...]" = (
    # state   event       action               next      clause
    _IDLE,    _HIT,       Strokes._begin,      _RUNNING, "R1.1",
    _IDLE,    _NOISE,     Strokes._suppress,   _IDLE,    "R1.3",
    _IDLE,    _KNOCK,     Strokes._begin,      _RUNNING, "R1.1",
    _IDLE,    _CLICK,     Strokes._click,      _IDLE,    "",
    _IDLE,    _FALL,      Strokes._begin,      _RUNNING, "R1.1",
    _IDLE,    _STRAY,     Strokes._suppress,   _IDLE,    "R1.3",
    _IDLE,    _FOREIGN,   Strokes._suppress,   _IDLE,    "R1.3",
    _IDLE,    _LONE_FALL, Strokes._wait,       _LONE,    "R5.1",
    _IDLE,    _LIFT,      Strokes._nothing,    _IDLE,    "",
    _IDLE,    _QUIET,     Strokes._nothing,    _IDLE,    "",
    _IDLE,    _STAND,     Strokes._nothing,    _IDLE,    "",
    _IDLE,    _DONE,      Strokes._nothing,    _IDLE,    "",
    _IDLE,    _SETTLE,    Strokes._nothing,    _IDLE,    "",
    _IDLE,    _BOOT,      Strokes._nothing,    _IDLE,    "",

    _RUNNING, _HIT,       Strokes._hit,        _RUNNING, "R1.1",
    _RUNNING, _NOISE,     Strokes._hit,        _RUNNING, "R1.1",
    _RUNNING, _KNOCK,     Strokes._click,      _RUNNING, "R1.1",
    _RUNNING, _CLICK,     Strokes._click,      _RUNNING, "R1.1",
    _RUNNING, _FALL,      Strokes._fall,       _RUNNING, "R1.2",
    _RUNNING, _STRAY,     Strokes._fall,       _RUNNING, "R1.2",
    _RUNNING, _FOREIGN,   Strokes._suppress,   _RUNNING, "R1.3",
    _RUNNING, _LONE_FALL, Strokes._fall,       _RUNNING, "R1.2",
    _RUNNING, _LIFT,      Strokes._nothing,    _RUNNING, "",
    _RUNNING, _QUIET,     Strokes._end,        _IDLE,    "R1.1",
    _RUNNING, _STAND,     Strokes._end,        _IDLE,    "R1.1",
    _RUNNING, _DONE,      Strokes._end,        _IDLE,    "R1.1",
    _RUNNING, _SETTLE,    Strokes._end,        _IDLE,    "R1.1",
    _RUNNING, _BOOT,      Strokes._drop,       _IDLE,    "R1.1",

    _LONE,    _HIT,       Strokes._begin_lone, _RUNNING, "R5.1",
    _LONE,    _NOISE,     Strokes._waste,      _IDLE,    "R1.3",
    _LONE,    _KNOCK,     Strokes._begin_lone, _RUNNING, "R5.1",
    _LONE,    _CLICK,     Strokes._waste,      _IDLE,    "R1.3",
    _LONE,    _FALL,      Strokes._begin_lone, _RUNNING, "R5.1",
    _LONE,    _STRAY,     Strokes._waste,      _IDLE,    "R1.3",
    _LONE,    _FOREIGN,   Strokes._begin_lone, _RUNNING, "R5.1",
    _LONE,    _LONE_FALL, Strokes._nothing,    _LONE,    "",  # the one that waits
    _LONE,    _LIFT,      Strokes._late,       _IDLE,    "R5.1",
    _LONE,    _QUIET,     Strokes._late,       _IDLE,    "R5.1",
    _LONE,    _STAND,     Strokes._nothing,    _LONE,    "",
    _LONE,    _DONE,      Strokes._begin_lone, _RUNNING, "R5.1",
    _LONE,    _SETTLE,    Strokes._late,       _IDLE,    "R5.1",
    _LONE,    _BOOT,      Strokes._waste,      _IDLE,    "R5.1",
)
# fmt: on
