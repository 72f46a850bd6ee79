"""The words of the console and the buttons, as they change the record.

A command either takes effect whole or is refused whole: a ValueError with one sentence.
"""

from micropython import const

from . import record, rules
from .debounce import LONG
from .lines import number, printable
from .match import PLAYER_NAMES, POCKET_TABLE, Game, Match, pack_terms
from .stroke import Strokes

# As in record.py, folded in by the compiler.
_MARK = const(1)
_FLAGS = const(1)
_ANNUL = const(2)
_JUDGE = const(3)
_LEAN = const(4)
_ACCEPTED = const(4)
_ABSENT = const(5)
_PRESENT = const(6)
_TURN = const(7)
_SCORE = const(8)
_NEXT = const(10)
_DRAW = const(11)
_LATE = const(11)
_RESIGN = const(12)
_MARKS = const(22)
_NOWHERE = const(0xFFFF)

# As in rules.py, folded in by the compiler.
_MARKED_VERDICT = const(7)
_POCKET_WHITE = const(0x0400)
_POCKET_CUE = const(0x0800)

# As in stroke.py, folded in by the compiler.
_IDLE = const(0)
_RUNNING = const(1)
_LONE = const(2)
_DONE = const(11)
_SETTLE = const(12)

# Words that a command takes: none, if it stands in none of these.
_ONE_WORD = const(("mark", "annul", "lean", "absent", "present", "turn", "resign"))
_TWO_WORDS = const(("judge", "score"))
_MORE_WORDS = const(("new", "judge"))  # these take any number more

_MOST_SCORE = const(999)
_MOST_STEPS = const(0xFFF0)  # a place has two bytes
_POCKET_MARKS = const(_POCKET_WHITE | _POCKET_CUE)


def _player(word: str) -> int:
    if word not in PLAYER_NAMES:
        raise ValueError("the player is a or b")
    return PLAYER_NAMES.index(word)


def _mark(word: str, game: "Game | None") -> int:
    if word not in rules.MARKS:
        raise ValueError("there is no mark '%s'" % printable(word))
    mark = rules.MARKS[word]
    if mark & _POCKET_MARKS and game and not game.terms[POCKET_TABLE]:
        raise ValueError("this table has no pockets")
    return mark


class Commands:
    """What people say, applied to *match* and *strokes*."""

    def __init__(self, match: Match, strokes: Strokes) -> None:
        self._match = match
        self._strokes = strokes

    def run(self, words: "list[str]", t_us: int) -> None:
        """Carry out a command, at least one word. Raise ValueError if it is refused."""
        if words[0] not in COMMANDS:
            raise ValueError("there is no command '%s'" % printable(words[0]))
        least = 2 if words[0] in _TWO_WORDS else int(words[0] in _ONE_WORD)
        count = len(words) - 1
        if count < least or (count > least and words[0] not in _MORE_WORDS):
            raise ValueError("'%s' has the wrong number of words" % words[0])
        if len(self._match.steps) >= _MOST_STEPS and words[0] not in ("undo", "done", "ok"):
            raise ValueError("the record is full")
        COMMANDS[words[0]](self, words[1:], t_us)

    def press(self, button: str, length: int) -> "list[str]":
        """Return the words of a command that a press stands for, SHORT or LONG."""
        is_long = length == LONG
        game = self._match.game
        if button == "ok":
            if not is_long:
                return ["ok" if self._strokes.state == _IDLE else "done"]
            if not game:
                return ["new"]
            return ["next" if game.is_over else "pass"]
        if button == "penalty":
            if is_long:
                return ["turn", PLAYER_NAMES[1 - self._fold().turn]]
            running = self._strokes.state == _RUNNING
            outcome = self._fold().last if running else game.last if game else None
            return ["mark", "valid" if outcome and outcome.penalty else "doubt"]
        words = _PRESSES[button][is_long]
        if not words:
            raise ValueError("a long press means nothing")
        return words.split(" ")

    # What would be if the stroke that runs had ended, and a lone fall were late

    def _fold(self) -> Game:
        game = self._match.game
        if not game:
            raise ValueError("no game has begun")
        if self._strokes.state == _RUNNING:
            self._strokes.weigh()
            return self._match.outcomes(game, True)[0]
        lone = self._strokes.lone()
        if lone and game.last:
            step = self._match.steps[game.last.place]
            before = step[_LATE]
            step[_LATE] = before | lone
            fold = self._match.outcomes(game)[0]
            step[_LATE] = before
            return fold
        return game

    def _fold_of_game_on(self) -> Game:
        fold = self._fold()
        if fold.is_over:
            raise ValueError("the game is over")
        return fold

    def _settle(self, t_us: int) -> None:
        """End the stroke that runs; make an undecided lone fall late."""
        self._strokes.handle(_SETTLE, t_us)

    # Games

    def new(self, words: "list[str]", t_us: int) -> None:
        """Start a game on the terms of *words* (R7)."""
        from .terms import parse_terms  # noqa: PLC0415 (on demand: it is rare)

        step = pack_terms(parse_terms(words))
        self._settle(t_us)
        self._match.add(step)

    def next(self, words: "list[str]", t_us: int) -> None:
        """Start the next game on the same terms (R7.1)."""
        if not self._fold().is_over:
            raise ValueError("the game is not over; 'new' starts another all the same")
        self._settle(t_us)
        self._match.add(record.small(_NEXT))

    def draw(self, words: "list[str]", t_us: int) -> None:
        """Draw the game: the strokes were repeated (R7.3)."""
        self._fold_of_game_on()
        self._settle(t_us)
        self._match.add(record.small(_DRAW))

    def resign(self, words: "list[str]", t_us: int) -> None:
        """Let a player give the game up."""
        player = _player(words[0])
        self._fold_of_game_on()
        self._settle(t_us)
        self._match.add(record.small(_RESIGN, player))

    # Strokes

    def done(self, words: "list[str]", t_us: int) -> None:
        """End the stroke: no need to wait for the quiet time (R1.1)."""
        if self._strokes.state == _LONE:
            if not self._strokes.can_begin():
                raise ValueError("the fall cannot begin a stroke: the table was not ready")
        elif self._strokes.state != _RUNNING:
            raise ValueError("no stroke runs")
        self._strokes.handle(_DONE, t_us)

    def ok(self, words: "list[str]", t_us: int) -> None:
        """End the stroke and accept it, or accept the last one, or set pins aside (R5.5)."""
        game = self._match.game
        place = self._match.running
        if place >= 0:
            self._strokes.handle(_DONE, t_us)
            self._match.steps[place][_FLAGS] |= _ACCEPTED
        elif game and game.last and not game.last.accepted:
            self._match.steps[game.last.place][_FLAGS] |= _ACCEPTED
        elif not self._strokes.set_aside(t_us):
            raise ValueError("there is nothing to accept")

    def pass_(self, words: "list[str]", t_us: int) -> None:
        """Add a stroke in which nothing happened (R2.8)."""
        self._fold_of_game_on()
        self._settle(t_us)
        game = self._match.game
        if game and game.last:
            self._match.steps[game.last.place][_FLAGS] |= _ACCEPTED
        self._strokes.by_hand(t_us, 0)

    def mark(self, words: "list[str]", t_us: int) -> None:
        """Say something of a stroke (R3, R4)."""
        game = self._match.game
        if not game:
            raise ValueError("no game has begun")
        mark = _mark(words[0], game)
        place = self._match.running
        if place < 0:
            last = game.last
            if last and (not last.accepted or mark <= _MARKED_VERDICT or self._strokes.lone()):
                place = last.place
            elif mark <= _MARKED_VERDICT:
                raise ValueError("there is no stroke to judge")
            elif game.is_over:
                raise ValueError("the game is over")
            else:
                self._strokes.by_hand(t_us, rules.add_mark(0, mark))
                return
        before = record.word(self._match.steps[place], _MARKS)
        if rules.add_mark(before, mark) == before:
            raise ValueError("the stroke is marked so already")
        self._match.add(record.small(_MARK, place, mark))

    def annul(self, words: "list[str]", t_us: int) -> None:
        """Take a pin out of a stroke: it fell by itself (R5.2)."""
        pin = number(words[0], 4)
        game = self._match.game
        place = self._match.running
        if place < 0:
            if not game or not game.last:
                raise ValueError("there is no stroke to annul a pin of")
            if game.last.accepted:
                raise ValueError("the stroke has been accepted")
            place = game.last.place
        own, late = record.pins(self._match.steps[place])
        if not (own | late) >> pin & 1:
            raise ValueError("pin %d does not count in that stroke" % pin)
        self._match.add(record.small(_ANNUL, place, pin))

    def judge(self, words: "list[str]", t_us: int) -> None:
        """Judge a stroke of this game again, by the marks in *words* (R9.2)."""
        self._fold()
        game = self._match.game
        n = number(words[0], -1)
        marks = 0
        for word in words[1:]:
            marks = rules.add_mark(marks, _mark(word, game))
        if game:
            place = -1
            for outcome in self._match.outcomes(game, True)[1]:
                if outcome.number == n:
                    place = outcome.place
            if place < 0:
                raise ValueError("this game has no stroke %d to judge" % n)
            if record.word(self._match.steps[place], _MARKS) == marks:
                raise ValueError("the stroke is judged so already")
            self._settle(t_us)
            self._match.add(record.small(_JUDGE, place, marks))

    # Pins

    def lean(self, words: "list[str]", t_us: int) -> None:
        """Say that a pin leans on the cue ball (R5.3)."""
        pin = number(words[0], 4)
        game = self._match.game
        if not game or game.is_over:
            raise ValueError("no game is on")
        running = self._match.running
        place = _NOWHERE if running < 0 else running
        said = game.leaning >> pin & 1
        for step in self._match.steps[running:] if running >= 0 else ():
            if step[0] == _LEAN and step[3] == pin:
                said = 1
        if said:
            raise ValueError("pin %d leans already" % pin)
        self._match.add(record.small(_LEAN, place, pin))

    def absent(self, words: "list[str]", t_us: int) -> None:
        """Say that a pin stays off (R5.5)."""
        pin = number(words[0], 4)
        if self._match.absent >> pin & 1:
            raise ValueError("pin %d is absent already" % pin)
        self._match.add(record.small(_ABSENT, pin))

    def present(self, words: "list[str]", t_us: int) -> None:
        """Say that a pin is back (R5.5)."""
        pin = number(words[0], 4)
        if not self._strokes.absent() >> pin & 1:
            raise ValueError("pin %d is not absent" % pin)
        self._match.add(record.small(_PRESENT, pin))
        self._strokes.bring_back(1 << pin)

    # Corrections

    def undo(self, words: "list[str]", t_us: int) -> None:
        """Take the last step back (R9.1)."""
        if len(self._match.steps) <= self._match.floor:
            raise ValueError("undo reaches no further back")
        self._settle(t_us)
        self._match.undo()
        self._strokes.bring_back(0)

    def redo(self, words: "list[str]", t_us: int) -> None:
        """Do again what was undone last (R9.1)."""
        if not self._match.undone:
            raise ValueError("there is nothing to redo")
        self._settle(t_us)
        self._match.redo()
        self._strokes.bring_back(0)

    def score(self, words: "list[str]", t_us: int) -> None:
        """Set both scores by hand (R9.3)."""
        scores = [-1, -1]
        for word in words:
            key, _equals, value = word.partition("=")
            scores[_player(key)] = number(value, _MOST_SCORE)
        if min(scores) < 0:
            raise ValueError("say both: score a=N b=N")
        fold = self._fold()
        if fold.score == scores:
            raise ValueError("that is the score already")
        if scores[0] >= fold.targets[0] and scores[1] >= fold.targets[1]:
            raise ValueError("both players would have their target")
        self._settle(t_us)
        self._match.add(record.small(_SCORE, scores[0], scores[1]))

    def turn(self, words: "list[str]", t_us: int) -> None:
        """Say who plays next (R9.4)."""
        player = _player(words[0])
        if self._fold().turn == player:
            raise ValueError("it is %s's turn already" % words[0])
        self._settle(t_us)
        self._match.add(record.small(_TURN, player))


COMMANDS = {
    "new": Commands.new,
    "next": Commands.next,
    "mark": Commands.mark,
    "pass": Commands.pass_,
    "annul": Commands.annul,
    "lean": Commands.lean,
    "absent": Commands.absent,
    "present": Commands.present,
    "done": Commands.done,
    "ok": Commands.ok,
    "undo": Commands.undo,
    "redo": Commands.redo,
    "judge": Commands.judge,
    "score": Commands.score,
    "turn": Commands.turn,
    "draw": Commands.draw,
    "resign": Commands.resign,
}

_PRESSES = {
    # button: short, long
    "carom": ("mark carom", ""),
    "fine": ("mark miss", "mark touch"),
    "undo": ("undo", "redo"),
}
