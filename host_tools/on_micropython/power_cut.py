"""Plays a game, then cuts the power at each program and erase of it, and starts again.

In its folder: task.json with the keys blocks, log_kb, part (this process tries the cuts whose
number leaves that rest), parts and firmware; game.log. Prints an object a line: the costs of the
game, what went wrong with a cut, and last the counts.
"""

import gc

import fakes  # type: ignore[import-not-found]  # beside this file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TALLIES = ("cuts", "last", "before", "older", "mixed", "failed", "undo_right", "undo_unavailable",
            "undo_wrong", "not_writable")  # fmt: skip
_WAIT_US = 100_000  # for a command to take effect
_MOST_TOLD = 20  # of what went wrong


class Step:
    """A step of the game when it was finished.

    *operations* of the flash had been done, the log had the lines up to *said*, and undo reached
    back to *steps* steps.
    """

    def __init__(self, operations: int, standing: str, said: int, steps: int) -> None:
        self.operations = operations
        self.steps = steps
        self.standing = standing
        self.said = said  # lines of the log
        self.undone = ""  # what stands after an undo; "" while nobody asked


class Game:
    """The game on a sound flash: its steps, the journal of its flash, and what writing cost."""

    def __init__(self) -> None:
        with open("game.log") as file:
            self.header, *lines = file.read().split("\n")[:-1]
        self.log_kb = fakes.task["log_kb"]
        self.steps = [Step(0, "nothing", 1, 0)]
        self.costs: "list[tuple[str, int, int]]" = []
        self.levels: "list[bytearray]" = []  # at each operation of the flash
        self.flash = fakes.Flash(fakes.task["blocks"])
        fakes.mount(self.flash, True)
        self.flash.programs = self.flash.erases = 0
        self.empty = {n: bytearray(block) for n, block in self.flash.changed.items()}
        self.flash.journal = []
        self.world = fakes.World([line for line in lines if fakes.happens(line)])
        self.app, _ = fakes.power_up(self.world, self.header, self.log_kb)
        self._watch("store", "commit", "score")
        self._watch("journal", "flush", "log")
        self._watch("journal", "begin", "log")
        self._keep = self.app.store.keep
        self.app.store.keep = self._kept
        self.world.rest = self._follow
        fakes.run(self.app)
        self._follow()

    def _kept(self, match: "Any", aside: int) -> bool:
        changed = bool(self._keep(match, aside))
        if changed:
            standing = fakes.stands(self.app.referee)
            steps = match.running if match.running >= 0 else len(match.steps)
            if match.games:
                steps -= match.games[0].place + 1  # a start takes this game for begun
            said = len(self.world.said)
            self.steps.append(Step(self.flash.operations, standing, said, steps))
        return changed

    def _follow(self) -> None:
        missing = len(self.flash.journal) - len(self.levels)
        if missing:
            self.levels += [bytearray(self.world.levels)] * missing

    def _watch(self, of: str, what: str, name: str) -> None:
        """Note what each call of a method costs."""
        owner = getattr(self.app, of)
        method = getattr(owner, what)

        def watched(*arguments: object) -> None:
            before = self.flash.programs, self.flash.erases
            method(*arguments)
            cost = name, self.flash.programs - before[0], self.flash.erases - before[1]
            if cost[1:] != (0, 0):
                self.costs.append(cost)

        setattr(owner, what, watched)

    def undone(self, number: int) -> str:
        """Return what an undo leaves of step *number*: from the log, not from what is stored."""
        step = self.steps[number]
        if not step.undone:
            referee = fakes.firmware("referee").Referee(self.header)
            for line in self.world.said[: step.said]:
                if line[0] not in "#>":
                    referee.feed(line)
            referee.feed("%d boot software" % referee._latest_us)  # what runs is dropped
            referee.feed("%d cmd undo" % referee._latest_us)
            referee.finish()
            step.undone = fakes.stands(referee)
        return step.undone

    def tell(self) -> None:
        """Print what writing cost."""
        for kind in ("score", "log"):
            costs = [(programs, erases) for name, programs, erases in self.costs if name == kind]
            fakes.tell(
                cost=kind,
                calls=len(costs),
                programs=sum([programs for programs, _ in costs]),
                erases=sum([erases for _, erases in costs]),
                # That with the most erases blocks longest, whatever the model says of them.
                dearest=max([(erases, programs) for programs, erases in costs] or [(0, 0)]),
            )
        fakes.tell(
            strokes=len([line for line in self.world.said if line.startswith("> stroke ")]),
            steps=len(self.steps) - 1,
            operations=self.flash.operations,
            faults=self.app.faults,
            stands=fakes.stands(self.app.referee),
        )


class Cuts:
    """Cuts of the power, and how often each thing came of it."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self.counts = dict.fromkeys(_TALLIES, 0)
        self._told = 0

    def try_all(self) -> None:
        """Cut before the first operation, after the last, and at each between, clean and torn."""
        game = self._game
        journal = game.flash.journal
        before = fakes.Flash(game.flash.blocks)
        before.changed = game.empty
        number = 0  # of the last step that was finished by then
        part, parts = fakes.task["part"], fakes.task["parts"]
        for n in range(len(journal) + 1):
            while number + 1 < len(game.steps) and game.steps[number + 1].operations <= n:
                number += 1
            if n % parts == part:
                self._try(n, number, before.changed, None)
                if n < len(journal):
                    self._try(n, number, before.changed, journal[n])
            if n < len(journal):
                before.apply(journal[n])

    def _try(self, n: int, number: int, below: "dict[int, bytearray]", torn: "Any") -> None:
        flash = fakes.Flash(self._game.flash.blocks, below)
        if torn:
            flash.tear(torn)
        levels = self._game.levels[min(n, len(self._game.levels) - 1)]
        self.counts["cuts"] += 1
        outcome = "failed"
        try:
            fakes.mount(flash)
            outcome, why = self._start(number, levels)
        except Exception as error:
            why = repr(error)
        self.counts[outcome] += 1
        if why and self._told < _MOST_TOLD:
            self._told += 1
            fakes.tell(cut=n, torn=bool(torn), step=number, outcome=outcome, why=why)

    def _start(self, number: int, levels: bytearray) -> "tuple[str, str]":
        """Start, and return what stands in one word, and what is wrong in more."""
        game = self._game
        world = fakes.World([], levels)
        app, found = fakes.power_up(world, game.header, game.log_kb)
        came_from = app.store.number
        self._let(app, world)
        standing = fakes.stands(app.referee)
        outcome, why = self._judge(number, came_from, standing)
        why = why or self._again(app, world, "started again")
        if why:
            return outcome, why
        has_steps = "undo reaches no" not in " ".join(found.notices)
        if not has_steps:
            self.counts["undo_unavailable"] += 1
        elif game.steps[came_from].steps:
            why = self._undo(app, world, game.undone(came_from), standing)
            self.counts["undo_wrong" if why else "undo_right"] += 1
        return outcome, why or self._write(app, world)

    def _judge(self, number: int, came_from: int, standing: str) -> "tuple[str, str]":
        """Compare what stands, by the store step *came_from*, with the steps up to *number*."""
        steps = self._game.steps
        if came_from < len(steps) and steps[came_from].standing == standing:
            if number - 1 <= came_from <= number:
                return "last" if came_from == number else "before", ""
            return "older", "step %d stands" % came_from
        # A firmware that numbers wrongly, or a step that is none.
        return "mixed", "as step %d stands '%s'" % (came_from, standing)

    def _undo(self, app: "Any", world: "Any", expected: str, standing: str) -> str:
        """Undo and redo; return what is wrong."""
        for words, should in (("undo", expected), ("redo", standing)):
            world.type(words)
            self._let(app, world)
            if fakes.stands(app.referee) != should:
                return "%s: '%s', not '%s'" % (words, fakes.stands(app.referee), should)
        return ""

    def _write(self, app: "Any", world: "Any") -> str:
        """Go on by a stroke, and start again; return what is wrong."""
        game = app.referee.game
        world.type("pass" if game and not game.is_over else "next" if game else "new")
        return self._again(app, world, "written and started again")

    def _again(self, app: "Any", world: "Any", what: str) -> str:
        """Cut the power once more when all is on the flash, and start; return what is wrong."""
        for _ in range(5):  # the flash is written when no edge came for a while
            self._let(app, world)
        standing = fakes.stands(app.referee)
        second = fakes.World([], world.levels)
        again, _found = fakes.power_up(second, self._game.header, 0)
        self._let(again, second)
        why = ""
        if app.store.behind or app.faults:
            why = "%d steps are not stored, faults: %s" % (app.store.behind, app.faults)
        elif fakes.stands(again.referee) != standing:
            why = "'%s', not '%s'" % (fakes.stands(again.referee), standing)
        if why:
            self.counts["not_writable"] += 1
            why = "%s: %s" % (what, why)
        return why

    def _let(self, app: "Any", world: "Any") -> None:
        """Let a command take effect."""
        app.step()
        world.now_us += _WAIT_US
        app.step()


game = Game()
game.tell()
game.app = None
gc.collect()
cuts = Cuts(game)
cuts.try_all()
fakes.tell(**cuts.counts)
