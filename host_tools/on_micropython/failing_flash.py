"""Plays a game on a flash that fails, again and again, and looks whether play goes on.

In its folder: task.json with the keys blocks, log_kb, ways, stride (between two operations from
which on the flash fails), part and parts (as for power_cut.py) and firmware; game.log. A way is

    full        other files leave no room but for a few files of the log
    broken      from one operation on each fails with EIO
    read-only   from one operation on each fails with EROFS
    hiccup      one operation fails with EIO, and those after it do not

Prints an object a line: what went wrong, and for each way the counts.
"""

import gc
import os

import fakes  # type: ignore[import-not-found]  # beside this file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ERRNO = {"broken": 5, "read-only": 30, "hiccup": 5}
_FOREVER = 1 << 30
_BLOCKS = 20  # of a flash that gets full
_ROOM = 2  # blocks that are left of it
_WAIT_US = 100_000
_MOST_TOLD = 5  # of what went wrong in one way


class Run:
    """A game from power-up to its end on *flash*; what each step left is in `steps`."""

    def __init__(self, flash: "Any", header: str, lines: "list[str]") -> None:
        self.flash = flash
        self.header = header
        self.world = fakes.World(lines)
        self.steps = ["nothing"]
        self.stored = 0  # the last step that has been written without a complaint
        self.raised = ""
        self.stands = "nothing"
        self.faults: "dict[str, str]" = {}
        try:
            self._play()
        except Exception as error:
            self.raised = repr(error)

    def _play(self) -> None:
        self.app, _ = fakes.power_up(self.world, self.header, fakes.task["log_kb"])
        store = self.app.store
        self._keep = store.keep
        self._commit = store.commit
        store.keep = self._kept
        store.commit = self._committed
        fakes.run(self.app)
        self.stands = fakes.stands(self.app.referee)
        self.faults = self.app.faults

    def _kept(self, match: "Any", aside: int) -> bool:
        changed = bool(self._keep(match, aside))
        if changed:
            self.steps.append(fakes.stands(self.app.referee))
        return changed

    def _committed(self, match: "Any") -> None:
        self._commit(match)
        self.stored = self.app.store.number

    def told(self) -> bool:
        """Say whether the console was told of each fault that there is."""
        said = "\n" + "\n".join(self.world.said)
        return bool(self.faults) and all("\n> %s:" % code in said for code in self.faults)

    def again(self) -> "tuple[int, str]":
        """Start again, on the flash as it is; return the number and text of what stands."""
        fakes.mount(self.flash)
        world = fakes.World([], self.world.levels)
        app, _ = fakes.power_up(world, self.header, 0)
        number = app.store.number
        world.now_us += _WAIT_US
        app.step()
        return number, fakes.stands(app.referee)


class Trial:
    """Games on a flash that fails in one *way*."""

    def __init__(self, way: str, header: str, lines: "list[str]") -> None:
        self.way = way
        self._header = header
        self._lines = lines
        self._told = 0
        self.counts = {"games": 0, "right": 0, "told": 0, "recovered": 0, "wrong": 0}

    def _sound(self, blocks: int) -> "Any":
        flash = fakes.Flash(blocks)
        fakes.mount(flash, True)
        flash.programs = flash.erases = 0
        return flash

    def measure(self) -> "tuple[int, str]":
        """Return how many operations a game takes on a sound flash, and what stands then."""
        run = Run(self._sound(fakes.task["blocks"]), self._header, self._lines)
        return run.flash.operations, run.stands

    def run(self, operations: int, expected: str) -> None:
        """Play them all."""
        if self.way == "full":
            flash = self._sound(_BLOCKS)
            room = _ROOM
            with open("other", "wb") as file:
                while os.statvfs(".")[3] > room:
                    file.write(bytes(fakes.BLOCK))
                    file.flush()
            flash.programs = flash.erases = 0
            self._judge(Run(flash, self._header, self._lines), 0, expected)
            return
        part, parts = fakes.task["part"], fakes.task["parts"]
        for n, at in enumerate(range(0, operations, fakes.task["stride"])):
            if n % parts == part:
                flash = self._sound(fakes.task["blocks"])
                flash.errno = _ERRNO[self.way]
                flash.fails_from = at
                flash.fails_until = at + 1 if self.way == "hiccup" else _FOREVER
                self._judge(Run(flash, self._header, self._lines), at, expected)
                gc.collect()

    def _judge(self, run: Run, at: int, expected: str) -> None:
        counts = self.counts
        counts["games"] += 1
        why = run.raised
        if not why and run.stands == expected:
            counts["right"] += 1
        elif not why:
            why = "'%s' stands, not '%s'" % (run.stands, expected)
        if run.told() or (self.way == "hiccup" and not run.faults):
            counts["told"] += 1
        else:
            why = why or "nothing was told: %s" % run.faults
        why = why or self._recover(run)
        if why:
            counts["wrong"] += 1
            if self._told < _MOST_TOLD:
                self._told += 1
                fakes.tell(way=self.way, at=at, why=why)

    def _recover(self, run: Run) -> str:
        """Start twice, while the flash still fails and once it does no more."""
        last = len(run.steps) - 1
        first = 0  # the step from which it went on at first
        stood = ""
        for _ in range(2):
            try:
                number, standing = run.again()
            except Exception as error:
                return "it does not start again: %r" % error
            if stood and number > last:  # a start stores where its own record begins
                if standing != stood:
                    return "'%s' stands after the second start, not '%s'" % (standing, stood)
                continue
            first = first or number
            stood = standing
            if not run.stored <= number <= last or run.steps[number] != standing:
                return "step %d of %d was stored, as %d stands '%s'" % (
                    run.stored, last, number, standing
                )  # fmt: skip
            run.flash.fails_until = -1
        if self.way == "hiccup" and first != last:
            return "step %d is stored, not %d: it was not tried again" % (first, last)
        self.counts["recovered"] += 1
        return ""


with open("game.log") as file:
    header, *lines = file.read().split("\n")[:-1]
lines = [line for line in lines if fakes.happens(line)]
operations, expected = Trial("", header, lines).measure()
fakes.tell(operations=operations, stands=expected)
for way in fakes.task["ways"]:
    trial = Trial(way, header, lines)
    trial.run(operations, expected)
    trial.counts["way"] = way
    fakes.tell(**trial.counts)
