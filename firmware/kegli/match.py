"""The record of all games: a list of steps, and what they come to.

Nothing is patched: score, turn and result are a fold over the steps of a game, so undo is a
shorter fold, and a late fall or a second judgement the same fold over a changed step.
"""

import struct
from binascii import crc32

from micropython import const

from . import record, rules
from .judge import VERDICT_NAMES, verdict

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    pass

# As in judge.py, folded in by the compiler.
_NONE = const(0)
_LEGAL = const(1)
_CUE = const(2)
_DOUBT = const(4)

# As in header.py, folded in by the compiler.
_CLICKS = const(1)

# As in record.py, folded in by the compiler.
_STROKE = const(0)
_FLAGS = const(1)
_PLAYER = const(1)
_MARK = const(1)
_ANNUL = const(2)
_BY_HAND = const(2)
_JUDGE = const(3)
_NO_CLICK = const(3)
_ACCEPTED = const(4)
_LEAN = const(4)
_ABSENT = const(5)
_PRESENT = const(6)
_NO_CUE = const(6)
_TURN = const(7)
_EDGES_LOST = const(8)
_SCORE = const(8)
_NEW = const(9)
_NEXT = const(10)
_DRAW = const(11)
_LATE = const(11)
_ABSENT_THEN = const(12)
_RESIGN = const(12)
_BASE = const(13)
_EVIDENCE = const(13)
_ENDED = const(16)
_CONTACTS = const(18)
_OWN_MARKS = const(19)
_ANNULLED = const(21)
_MARKS = const(22)
_NUMBER = const(24)
_HIT_HEARD = const(32)
_LEANED = const(64)
_NOWHERE = const(0xFFFF)

# As in rules.py, folded in by the compiler.
_MARKED_VERDICT = const(7)
_CAROM = const(0x0008)
_MISS = const(0x0010)
_POCKET_WHITE = const(0x0400)
_REPEAT = const(0x1000)
_LEAN_OFF = const(0x2000)

PLAYER_NAMES = ("a", "b")
_MODES = const(("series", "single"))

FLAG_NAMES = ("late-fall", "by-hand", "lost-edges", "absent-pin", "judged")

_A_MODE = const(0)
_A_TARGET = const(2)
_A_START = const(4)
_FIRST = const(6)
_ALWAYS = const(7)
_PAIR = const(8)
POCKET_TABLE = const(9)
_CAROM_ADDS = const(10)
_FINE = const(11)
_PIN_FINE = const(12)
_LATE_KEEPS_TURN = const(13)
_WHITE_POINTS = const(14)

_NOBODY = const(2)
_REPEATS = const(3)  # R7.3: each player may repeat three times

_TERMS_FORM = const("<BBBHHHHBBBBBBBBB")
_BASE_FORM = const("<BHHHBBBBB")


def _sensed(step: bytearray, own: int) -> tuple[int, bool]:
    """Return (verdict, certain) by the sensors for the fallen pins *own*, not empty."""
    sensors = step[_CONTACTS] >> 2
    hit = 2
    zone = 0
    contacts = perhaps = 2
    for pin in range(5):
        if own >> pin & 1:
            evidence = step[_EVIDENCE + pin]
            hit = min(hit, evidence & 3)
            zone = max(zone, evidence >> 2 & 3)
            pair = evidence >> 4
            if pair == _NO_CUE:
                sensors &= ~_CLICKS
            else:
                contacts = min(contacts, record.PAIRS[pair][0])
                perhaps = min(perhaps, record.PAIRS[pair][1])
    return verdict(sensors, zone, hit, contacts, perhaps)


class Outcome:
    """What a stroke stands for: its verdict, its award and the clauses behind it."""

    def __init__(self, step: bytearray, game: "Game", place: int) -> None:
        self._step = step
        self.place = place  # among the steps
        self.number = game.strokes + 1
        self.game = game.number
        flags = step[_FLAGS]
        self.player = flags & _PLAYER
        self.t_us = record.t_us(step)
        own, late = record.pins(step)
        self.pins = own | late
        marks = record.word(step, _MARKS)
        leans = game.leaning or flags & _LEANED
        self._judge(own, marks, bool(leans and not marks & _LEAN_OFF))
        self._award(own, late, marks, game)
        judged = marks or step[_ANNULLED] or leans
        by_hand = flags & _BY_HAND
        lost = flags & _EDGES_LOST
        if by_hand or lost or judged:
            self.certain = False
        up = (late, by_hand, lost, step[_ABSENT_THEN], judged)
        self.flags = tuple([FLAG_NAMES[i] for i in range(5) if up[i]])
        self.score = (0, 0)
        self.turn = 0

    def _judge(self, own: int, marks: int, leans: bool) -> None:
        step = self._step
        self._leans = leans
        self._pin_fine = True
        self._miss = False
        self.certain = False
        found = _NONE
        if own:
            found, self.certain = _sensed(step, own)
        elif self.pins:  # a late fall is no evidence (R5.1)
            found = _LEGAL if step[_FLAGS] & _HIT_HEARD else _DOUBT
        elif step[_CONTACTS] >> 2 & _CLICKS:
            contacts = step[_CONTACTS] & 3
            if contacts != _NO_CLICK:
                # None is a miss, one is nothing; more may be a carom, which only people see.
                self._miss = contacts == 0 and not marks & ~_REPEAT
                self.certain = contacts <= 1
        if self.pins and marks & _MARKED_VERDICT:
            found = marks & _MARKED_VERDICT
        elif self.pins and leans:
            found = _CUE
            self._pin_fine = False  # R5.3 is without fine
        self._verdict = found
        self.verdict = VERDICT_NAMES[found]

    def _award(self, own: int, late: int, marks: int, game: "Game") -> None:
        terms = game.terms
        clauses = []
        points = 0
        if self.pins:
            clause, points = rules.pin_points(self.pins)
            clauses.append(clause)
            if marks & _CAROM:
                clauses.append("R2.7")
                points += rules.CAROM_POINTS if terms[_CAROM_ADDS] else 0
        elif marks & _CAROM:
            clauses.append("R2.6")
            points = rules.CAROM_POINTS
        if marks & _POCKET_WHITE:
            clauses.append("R8.2")
            points += terms[_WHITE_POINTS]
        fine = self._faults(marks, terms, clauses)
        if not clauses:
            clauses.append("R2.8")
        if late:
            clauses.append("R5.1")
        if self._step[_ANNULLED]:
            clauses.append("R5.2")
        clauses.sort()
        self.clauses = tuple(clauses)
        # R4.9: all points and one fine go to the partner, R4.11: never below nothing.
        award = [0, 0]
        award[1 - self.player if self.penalty else self.player] = points + fine
        self.award = (award[0], award[1])
        felled = own | late if terms[_LATE_KEEPS_TURN] else own  # R5.7
        self.succeeds = not self.penalty and bool(felled or marks & _POCKET_WHITE)

    def _faults(self, marks: int, terms: list[int], clauses: list[str]) -> int:
        """Add the clauses of the faults that hold. Return the fine: one, the largest."""
        fines = [0]
        before = len(clauses)
        if self.pins and self._verdict >= _CUE:
            clauses.append(rules.VERDICT_CLAUSES[self._verdict])
            if self._pin_fine:
                fines.append(terms[_PIN_FINE])
        if self._miss:
            marks |= _MISS
        for mark, clause, amount in rules.PENALTIES:
            if marks & mark:
                clauses.append(clause)
                fines.append(terms[_FINE] if amount < 0 else amount)
        if self._leans:
            clauses.append("R5.3")
        self.penalty = len(clauses) > before
        return max(fines)

    @property
    def accepted(self) -> bool:
        """Say whether people have accepted the stroke (`ok`)."""
        return bool(self._step[_FLAGS] & _ACCEPTED)

    def line(self) -> str:
        """Return its conclusion line."""
        return (
            "> stroke game=%d n=%d player=%s t=%d pins=%s verdict=%s certain=%s award=%d:%d"
            " clauses=%s score=%d:%d turn=%s flags=%s"
            % (
                self.game,
                self.number,
                PLAYER_NAMES[self.player],
                self.t_us,
                ",".join([str(pin) for pin in range(5) if self.pins >> pin & 1]),
                self.verdict,
                "yes" if self.certain else "no",
                self.award[0],
                self.award[1],
                ",".join(self.clauses),
                self.score[0],
                self.score[1],
                PLAYER_NAMES[self.turn],
                ",".join(self.flags),
            )
        )


class Game:
    """One game: its terms, and the fold over its steps."""

    def __init__(self, number: int, place: int, terms: list[int], starter: int, equal: bool):
        self.number = number
        self.place = place  # of the step that began it
        self.terms = terms
        self.starter = starter
        self.equal = equal  # R7.9: the game of a pair on equal terms
        self.began_at = 0  # Match.count then
        self.before = (0, 0)  # edges lost, and lines refused or skipped, before it began
        self.said = ""  # of its end
        modes = [_MODES[terms[_A_MODE]], _MODES[terms[_A_MODE + 1]]]
        self.targets = [terms[_A_TARGET], terms[_A_TARGET + 1]]
        self._starts = [terms[_A_START], terms[_A_START + 1]]
        if equal:
            modes[1] = modes[0]
            self.targets[1] = self.targets[0]
            self._starts = [0, 0]
        self.modes = modes
        self.start()

    def start(self) -> None:
        """Begin the fold."""
        self.score = [self._starts[0], self._starts[1]]
        self.turn = self.starter
        self.result = "playing"
        self.winner: "int | None" = None
        self.strokes = 0
        self.last: "Outcome | None" = None
        self.before_last = b""  # how it stood, as `base` has it
        self.leaning = 0
        self.by_hand = False
        self.repeats = [0, 0]
        self.fixed: "tuple[str, int | None] | None" = (
            None  # drawn or resigned: no score changes it
        )

    @property
    def is_over(self) -> bool:
        """Say whether the game has been won or drawn."""
        return self.result != "playing"

    def again(self) -> "Game":
        """Return the same game before its first step."""
        return Game(self.number, self.place, self.terms, self.starter, self.equal)

    def play(self, step: bytearray, place: int) -> "Outcome | None":
        """Fold the next step in. Return the outcome of a stroke that counts, else None."""
        kind = step[0]
        if kind == _STROKE:
            return self._stroke(step, place)
        if kind == _TURN:  # R9.4
            self.turn = step[1]
            self.by_hand = True
        elif kind == _SCORE:  # R9.3
            self.score = [record.word(step, 1), record.word(step, 3)]
            self.by_hand = True
            self._decide()
            if self.fixed:
                self.result, self.winner = self.fixed
        elif kind == _LEAN:
            if record.word(step, 1) == _NOWHERE and not step[5]:
                self.leaning |= 1 << step[3]
        elif kind in (_DRAW, _RESIGN):
            self.fixed = ("drawn", None) if kind == _DRAW else ("won", 1 - step[1])
            if step[3] or not self.is_over:
                self.result, self.winner = self.fixed
        elif kind == _BASE:
            _kind, self.strokes, a, b, self.turn, *self.repeats, self.leaning, hand = (
                struct.unpack(_BASE_FORM, step)
            )
            self.score = [a, b]
            self.by_hand = bool(hand)
        return None

    def base(self) -> bytes:
        """Return the step with which a game begins that stands as this one does."""
        return struct.pack(
            _BASE_FORM,
            _BASE,
            self.strokes,
            self.score[0],
            self.score[1],
            self.turn,
            min(self.repeats[0], _REPEATS),
            min(self.repeats[1], _REPEATS),
            self.leaning,
            self.by_hand,
        )

    def _stroke(self, step: bytearray, place: int) -> "Outcome | None":
        if self.is_over:
            return None
        self.before_last = self.base()
        outcome = Outcome(step, self, place)
        self.leaning = 0
        self.strokes += 1
        player = outcome.player
        self.score = [self.score[0] + outcome.award[0], self.score[1] + outcome.award[1]]
        series = self.modes[player] == "series"
        # R6.1, R6.2, R4.10: only in series, and only without penalty, does he go on.
        self.turn = player if series and outcome.succeeds else 1 - player
        if record.word(step, _MARKS) & _REPEAT:  # R7.3
            self.repeats[player] += 1
        else:
            self.repeats = [0, 0]
        self._decide()
        if not self.is_over and min(self.repeats) >= _REPEATS:
            self.fixed = ("drawn", None)
            self.result = "drawn"
        outcome.score = (self.score[0], self.score[1])
        outcome.turn = self.turn
        self.last = outcome
        return outcome

    def _decide(self) -> None:
        """See whether somebody has his target (R7.2)."""
        self.result = "playing"
        self.winner = None
        for player in (0, 1):
            if self.score[player] >= self.targets[player]:
                self.result = "won"
                self.winner = player

    def line(self) -> str:
        """Return its conclusion line."""
        return "> game n=%d result=%s winner=%s score=%d:%d turn=%s strokes=%d" % (
            self.number,
            self.result,
            "" if self.winner is None else PLAYER_NAMES[self.winner],
            self.score[0],
            self.score[1],
            PLAYER_NAMES[self.turn],
            self.strokes,
        )


class Match:
    """The steps of all games, done and undone, and the games they make."""

    def __init__(self, out: list[str]) -> None:
        self.out = out
        self.steps: list[bytearray] = []
        self.undone: "list[tuple[bytearray, Game | None]]" = []
        self.games: list[Game] = []
        self.won_before = [0, 0, 0]  # games, as tally counts them, before the first of these
        self.floor = 0  # steps that undo does not reach
        self.count = 0  # of what has happened, to tell what came since
        self.lost = 0  # edges, in all
        self.errors = 0  # refused commands and skipped lines, in all
        self.running = -1  # place of the stroke that runs
        self.absent = 0

    @property
    def game(self) -> "Game | None":
        """Return the current game."""
        return self.games[-1] if self.games else None

    def add(self, step: bytearray) -> int:
        """Append a step. Return its place. What was undone can no longer be redone."""
        self.undone.clear()
        return self.append(step)

    def append(self, step: bytearray, game: "Game | None" = None) -> int:
        """Append a step, of a game if that is known from before, and say what it changes."""
        place = len(self.steps)
        self.steps.append(step)
        kind = step[0]
        if kind in (_NEW, _NEXT):
            self.games.append(game or self.new_game(step, place))
            self.tell_game(self.games[-1])
        elif kind in (_MARK, _ANNUL, _JUDGE, _LEAN):
            self._changed(step, place)
        elif kind in (_ABSENT, _PRESENT):
            self.count_absent()
        elif kind != _STROKE:
            self.games[-1].play(step, place)
            self.tell_game(self.games[-1])
        elif step[_FLAGS] & _ENDED:
            self.tell_stroke(self.games[-1].play(step, place), step, self.games[-1])
            self.tell_game(self.games[-1])
        return place

    def new_game(self, step: bytearray, place: int) -> Game:
        """Return the game that the step at *place* begins."""
        if step[0] == _NEW:
            terms = unpack_terms(step)
            starter = terms[_FIRST]
            equal = False
        else:
            before = self.games[-1]
            terms = before.terms
            starter = 1 - before.starter  # R7.1
            equal = bool(terms[_PAIR]) and not before.equal
        if terms[_ALWAYS] != _NOBODY and not equal:
            starter = terms[_ALWAYS]
        number = self.games[-1].number + 1 if self.games else 1
        game = Game(number, place, terms, starter, equal)
        game.began_at = self.count
        game.before = (self.lost, self.errors)
        return game

    def tally(self, games: list[Game]) -> list[int]:
        """Return how many of *games* since the last `new` a won, b won, and were drawn."""
        won = self.won_before[:]
        for game in games:
            if self.steps[game.place][0] == _NEW:
                won = [0, 0, 0]
            if game.is_over:
                won[2 if game.winner is None else game.winner] += 1
        return won

    def end_stroke(self) -> None:
        """End the stroke that runs."""
        place = self.running
        step = self.steps[place]
        game = self.games[-1]
        self.running = -1
        step[_FLAGS] |= _ENDED
        self.tell_stroke(game.play(step, place), step, game)
        self.tell_game(game)
        # Room for the next step is made now, not when the first hit of a stroke comes.
        self.steps.append(step)
        self.steps.pop()

    def drop_stroke(self) -> None:
        """Forget the stroke that runs, and its marks (`boot`)."""
        dropped = self.running
        self.running = -1
        kept = []
        for step in self.steps[dropped:]:
            if step[0] == _LEAN:
                record.set_word(step, 1, _NOWHERE)
            if step[0] not in (_STROKE, _MARK, _ANNUL):
                kept.append(step)
        self.steps[dropped:] = kept
        self._refold(dropped)

    def fall_late(self, pin: int) -> None:
        """Add a late fall to the last stroke (R5.1); the pin leans on no ball then."""
        last = self.games[-1].last
        if last:
            self.steps[last.place][_LATE] |= 1 << pin
            undone = [step for step, _game in self.undone]
            for step in self.steps[last.place + 1 :] + undone:
                if step[0] == _LEAN and step[3] == pin:
                    step[5] = 1
            self._refold(last.place)

    def undo(self) -> None:
        """Take the last step back (R9.1)."""
        place = len(self.steps) - 1
        step = self.steps.pop()
        game = None
        if step[0] in (_NEW, _NEXT):
            game = self.games.pop()
            game.said = ""
            self.out.append("> game n=%d withdrawn" % game.number)
        elif step[0] == _STROKE:
            self.tell_stroke(None, step, self.games[-1])
        self.undone.append((step, game))
        if step[0] in (_ABSENT, _PRESENT):
            self.count_absent()
        elif game is None:
            self._changed(step, place)

    def redo(self) -> None:
        """Do the step that was undone last again."""
        self.append(*self.undone.pop())

    def _changed(self, step: bytearray, place: int) -> None:
        """Follow what a step, new or undone, changes: a stroke before it, or all from *place*."""
        if step[0] in (_MARK, _ANNUL, _JUDGE, _LEAN):
            stroke = record.word(step, 1)
            if stroke != _NOWHERE:
                place = stroke
                self.count_marks(place)
        if place != self.running:
            self._refold(place)

    def count_marks(self, place: int) -> None:
        """Set what the steps after it make of the stroke at *place*."""
        stroke = self.steps[place]
        marks = record.word(stroke, _OWN_MARKS)
        annulled = 0
        stroke[_FLAGS] &= ~_LEANED
        for step in self.steps[place + 1 :]:
            kind = step[0]
            if kind not in (_MARK, _ANNUL, _JUDGE, _LEAN):
                continue
            if record.word(step, 1) != place:
                continue
            if kind == _MARK:
                marks = rules.add_mark(marks, record.word(step, 3))
            elif kind == _JUDGE:
                marks = record.word(step, 3)
            elif kind == _ANNUL:
                annulled |= 1 << step[3]
            else:
                stroke[_FLAGS] |= _LEANED
        record.set_word(stroke, _MARKS, marks)
        stroke[_ANNULLED] = annulled

    def count_absent(self) -> None:
        """Find out which pins are absent."""
        self.absent = 0
        for step in self.steps:
            if step[0] == _ABSENT:
                self.absent |= 1 << step[1]
            elif step[0] == _PRESENT:
                self.absent &= ~(1 << step[1])

    def _end_of(self, game: Game) -> int:
        """Return the place behind the last step of *game*."""
        following = self.games.index(game) + 1
        return self.games[following].place if following < len(self.games) else len(self.steps)

    def revalue(self, changed: bytearray) -> None:
        """Fold the game of the step *changed* anew, if it stands, and say what is different."""
        for place, step in enumerate(self.steps):
            if step is changed:
                self._refold(place)

    def _refold(self, changed: int) -> None:
        """Fold the game of the place *changed* anew, and say what is different from there on."""
        at = len(self.games) - 1
        while self.games[at].place > changed:
            at -= 1
        game = self.games[at]
        game.start()
        for place in range(game.place + 1, self._end_of(game)):
            if place != self.running:
                step = self.steps[place]
                outcome = game.play(step, place)
                if place >= changed and step[0] == _STROKE:
                    self.tell_stroke(outcome, step, game)
        self.tell_game(game)

    def outcomes(self, game: Game, as_if: bool = False) -> "tuple[Game, list[Outcome]]":
        """Return the fold of *game* and the outcomes of its strokes in order.

        With *as_if*, a stroke that runs counts as if it had ended.
        """
        fold = game.again()
        found = []
        for place in range(game.place + 1, self._end_of(game)):
            if place != self.running or as_if:
                outcome = fold.play(self.steps[place], place)
                if outcome:
                    found.append(outcome)
        return fold, found

    def tell_stroke(self, outcome: "Outcome | None", step: bytearray, game: Game) -> None:
        """Say what is different in the line of a stroke, or that it has none any more."""
        said = record.word(step, _NUMBER)
        if outcome:
            line = outcome.line()
            told = struct.pack("<HI", outcome.number, crc32(line.encode()))
            if told != step[_NUMBER:]:
                step[_NUMBER:] = told
                self.out.append(line)
        elif said:
            record.set_word(step, _NUMBER, 0)
            self.out.append("> stroke game=%d n=%d withdrawn" % (game.number, said))

    def tell_game(self, game: Game) -> None:
        """Say that *game* starts, ends, or goes on after all."""
        said = game.line() if game.is_over else "playing"
        if said != game.said:
            game.said = said
            self.out.append(game.line())
            if game.is_over:
                won = self.tally(self.games)
                self.out.append("> games won: a %d, b %d, drawn %d" % (won[0], won[1], won[2]))
                second = self.games.index(game)
                if game.equal and second:
                    winners = [other.winner for other in self.games[second - 1 : second + 1]]
                    pair = (winners.count(0), winners.count(1))
                    self.out.append("> games of the pair won: a %d, b %d (R7.9)" % pair)


def pack_terms(terms: list[int]) -> bytearray:
    """Return the step of a game on new *terms*."""
    return bytearray(struct.pack(_TERMS_FORM, _NEW, *terms))


def unpack_terms(step: "bytes | bytearray") -> list[int]:
    """Return the terms of a game from its step, in the order of terms.py."""
    return list(struct.unpack(_TERMS_FORM, step))[1:]
