"""For scripts on MicroPython unix: the firmware's loop over a table, clock and flash in memory.

The file system is the real one, littlefs with the chip's block size, on a `Flash` that keeps
count, can keep a journal and can fail. Import this before the firmware: it brings `machine`.
"""

import json
import os
import sys

import vfs  # type: ignore[import-not-found]  # MicroPython's own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BLOCK = 4096  # bytes
_ERASED = bytes(b"\xff" * BLOCK)
_COUNT = 4  # what littlefs asks a device for
_SIZE = 5
_ERASE = 6
_EIO = 5
_TICKS = 0x3FFFFFFF
_MOUNT = "/flash"
_REST_US = 100_000_000  # after the last line: what failed is tried again by then
_ERROR_US = 200  # of an edge that a log gives without one, such as a button's

PROGRAM = 0
ERASED = 1


class Flash:
    """A block device of *blocks* blocks. Those of *below* show through where none was changed.

    `programs` and `erases` count. From operation number `fails_from` to before `fails_until` each
    of them fails with the error `errno`. `journal` takes (kind, block, offset, bytes) if it is a
    list.
    """

    def __init__(self, blocks: int, below: "dict[int, bytearray] | None" = None) -> None:
        self.blocks = blocks
        self.changed: "dict[int, bytearray]" = {}
        self.below = below or {}
        self.programs = 0
        self.erases = 0
        self.fails_from = self.fails_until = -1
        self.errno = _EIO
        self.journal: "list[tuple[int, int, int, bytes]] | None" = None

    @property
    def operations(self) -> int:
        """How many programs and erases there were, those that failed included."""
        return self.programs + self.erases

    def readblocks(self, block: int, buffer: bytearray, offset: int = 0) -> int:
        """Read."""
        data = self.changed.get(block) or self.below.get(block) or _ERASED
        buffer[:] = data[offset : offset + len(buffer)]
        return 0

    def writeblocks(self, block: int, buffer: bytearray, offset: int = 0) -> int:
        """Program, which only clears bits."""
        fails = self._fails()
        self.programs += 1
        if fails:
            return -self.errno
        if self.journal is not None:
            self.journal.append((PROGRAM, block, offset, bytes(buffer)))
        self.program(block, offset, buffer)
        return 0

    def ioctl(self, what: int, argument: int) -> int:
        """Tell the geometry, or erase."""
        if what == _COUNT:
            return self.blocks
        if what == _SIZE:
            return BLOCK
        if what == _ERASE:
            fails = self._fails()
            self.erases += 1
            if fails:
                return -self.errno
            if self.journal is not None:
                self.journal.append((ERASED, argument, 0, b""))
            self.changed[argument] = bytearray(_ERASED)
        return 0

    def _fails(self) -> bool:
        return self.fails_from <= self.operations < self.fails_until

    def program(self, block: int, offset: int, data: "bytes | bytearray") -> None:
        """Clear bits, without counting."""
        if block not in self.changed:
            self.changed[block] = bytearray(self.below.get(block) or _ERASED)
        into = self.changed[block]
        end = offset + len(data)
        if into[offset:end] == _ERASED[: len(data)]:
            into[offset:end] = data
        else:
            for n in range(len(data)):
                into[offset + n] &= data[n]

    def apply(self, entry: "tuple[int, int, int, bytes]") -> None:
        """Do what the journal of another flash says."""
        kind, block, offset, data = entry
        if kind == ERASED:
            self.changed[block] = bytearray(_ERASED)
        else:
            self.program(block, offset, data)

    def tear(self, entry: "tuple[int, int, int, bytes]") -> None:
        """Do half of it: half of the bytes, or a block with garbage in it."""
        kind, block, offset, data = entry
        if kind == ERASED:
            old = self.changed.get(block) or self.below.get(block) or _ERASED
            self.changed[block] = garbage = bytearray(old)
            for n in range(0, BLOCK, 7):
                garbage[n] = 0x5A
        else:
            self.program(block, offset, data[: len(data) // 2])


def mount(flash: Flash, is_new: bool = False) -> None:
    """Let *flash* be the current folder, in place of the one before."""
    os.chdir("/")
    if _MOUNT[1:] in os.listdir():
        vfs.umount(_MOUNT)
    if is_new:
        vfs.VfsLfs2.mkfs(flash)
    vfs.mount(vfs.VfsLfs2(flash), _MOUNT)
    os.chdir(_MOUNT)


class Machine:
    """What the firmware takes from the module machine."""

    memory = b""

    class RTC:
        """The memory that a reset leaves alone."""

        def memory(self, data: "bytes | None" = None) -> "bytes | None":
            """Return it, or set it."""
            if data is None:
                return Machine.memory
            Machine.memory = bytes(data)
            return None

    class WDT:
        """A watchdog that does not bite."""

        def __init__(self, timeout: int) -> None:
            pass

        def feed(self) -> None:
            """Feed it."""

    @staticmethod
    def reset() -> None:
        """Do not come here: nothing in the games that are played asks for it."""
        raise SystemExit


def happens(line: str) -> bool:
    """Say whether a line of a log tells what happened: it is no conclusion, and not time alone."""
    return line[0] not in "#>" and not line.endswith(" end")


class Over(Exception):  # noqa: N818 (it is none)
    """The last line of a game has been played."""


class World:
    """Inputs, console, LEDs and time of a board, in one.

    *lines*: a log's input lines that are to happen. *levels*: those at power-up. `said` is
    what it prints.
    """

    def __init__(self, lines: "list[str]", levels: "bytearray | None" = None) -> None:
        self.rows = firmware("board").inputs("esp32")
        self.ring = firmware("ring").Ring(firmware("board").RING_EDGES)
        self.levels = bytearray(levels or len(self.rows))
        self.left = b"\x50" * len(self.rows)  # none is muted
        self.edges = [0] * len(self.rows)
        self.one_shots = b""  # that could be stuck
        self.wrong = ""  # the capture units work
        self.start_ticks = self.scans = self.now_us = 0
        self.said: "list[str]" = []
        self._sources = {row[0]: n for n, row in enumerate(self.rows)}
        self._lines = lines
        self._next = 0
        self._next_us = self._time()
        self._typed: "list[str]" = []

    def type(self, words: str) -> None:
        """Type a line on the console."""
        self._typed.append(words)

    # Inputs

    def close(self) -> None:
        """Take up no more edges."""

    def work(self) -> None:
        """Be told that the loop works."""

    def rest(self) -> None:
        """Be told that it sleeps."""

    def anchor(self) -> None:
        """Be asked to compare capture units and clock, of which there are none."""

    # Console

    def say(self, text: str) -> None:
        """Print."""
        self.said += text.split("\n")

    def ready(self) -> bool:
        """Say whether something was typed."""
        return bool(self._typed)

    def lines(self) -> "list[str]":
        """Return what was typed."""
        typed = self._typed
        self._typed = []
        return typed

    # LEDs

    def show(self, lights: object, ms: int) -> bool:
        """Show nothing."""
        return True

    # Time

    def ticks_us(self) -> int:
        """Return the chip's microseconds."""
        return self.now_us & _TICKS

    def time_ns(self) -> int:
        """Return the time of a clock that goes on."""
        return self.now_us * 1000

    def sleep_ms(self, ms: int) -> None:
        """Let time pass, and what is to happen by then."""
        self.scans += 1
        self.now_us += ms * 1000
        while self._next_us <= self.now_us:
            if self._next == len(self._lines):
                raise Over
            self._happen(self._lines[self._next])
            self._next += 1
            self._next_us = self._time()

    def _time(self) -> int:
        if self._next < len(self._lines):
            return int(self._lines[self._next].split(" ")[0])
        return (int(self._lines[-1].split(" ")[0]) if self._lines else 0) + _REST_US

    def _happen(self, line: str) -> None:
        time, kind, words = line.split(" ", 2)
        if kind == "cmd":
            self.type(words)
            return
        numbers = words.split(" ")
        one_shot = kind in ("hit", "click")
        name = kind if kind in ("click", "zone") else kind + " " + numbers.pop(0)
        level = 1 if one_shot else int(numbers.pop(0))
        error_us = int(numbers[0]) if numbers else _ERROR_US
        source = self._sources[name]
        if not one_shot:
            self.levels[source] = level
        self.ring.put(source, level, int(time) & _TICKS, error_us)


# Nothing of the firmware is imported when this is: machine comes before it, and it may be another
# one than the usual.
sys.modules["machine"] = Machine  # type: ignore[assignment]  # good enough
with open("task.json") as _file:
    task: "dict[str, Any]" = json.load(_file)
if task.get("firmware"):
    sys.path.insert(0, task["firmware"])


def firmware(module: str) -> "Any":
    """Return a module of the firmware."""
    __import__("kegli." + module)
    return sys.modules["kegli." + module]


def power_up(world: World, header: str, log_kb: int) -> "tuple[Any, Any]":
    """Return (app, found): the loop after a loss of power, started, and what it goes on from."""
    # The modules of the firmware that is played are imported here, once `machine` is in its place.
    Machine.memory = b""
    store = firmware("store").Store()
    recovery = firmware("recovery")
    found = recovery.look(store.image)
    recovery.recover(store, found)
    journal = firmware("journal").Journal(log_kb)
    app = firmware("app").App(
        header, world, world, world, world, store, journal, None, {}, new=[], start_us=0
    )
    app.start("", found.evaluated_us, found.texts)
    return app, found


def run(app: "Any") -> None:
    """Play until the lines of the world are over."""
    try:
        app.run()
    except Over:
        return


def stands(referee: "Any") -> str:
    """Return what stands, as a text that says all that people see of it."""
    game = referee.game
    if not game:
        return "nothing"
    last = referee.last
    tally = "won=%s absent=%d" % (referee.tally, referee.match.absent)
    return " ".join([game.line()[2:], tally, last.line()[2:] if last else ""])


def tell(**facts: object) -> None:
    """Print facts for the host."""
    print(json.dumps(facts))
