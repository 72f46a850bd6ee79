"""From power-up to the loop, and what happens when the loop is left. Imported on demand."""

import gc
import os
import sys
import time
from binascii import crc32

import machine
from micropython import const
from neopixel import NeoPixel

from . import __version__, board, display, recovery, sensors, service, settings, store
from .app import App
from .buzzer import Buzzer
from .console import Console
from .header import SETTINGS
from .inputs import Inputs
from .journal import Journal, free
from .leds import Leds
from .ring import Ring
from .store import Store
from .threshold import set_mv, take

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    from .recovery import Recovered
    from .settings import Values
    from .threshold import Threshold

_TOOLS_MS = const(600_000)  # while tools are at work: it cannot be stopped
_PATIENCE_MS = const(2_000)  # between a crash and the restart: Ctrl-C stops it here
_HELD_MS = const(3_000)  # two buttons, from power-up on: factory reset
_SLICE_MS = const(10)

# Crashes in a row, after which a start leaves out more and more.
_NO_SETTINGS = const(3)
_NO_SCORE = const(6)
_NO_START = const(9)

_MOST_PASSED_US = const(86_400_000_000)  # a clock that leapt further was set by somebody

_HZ = const(240_000_000)  # of the processor; the timers and the capture units run at 80 MHz

# Of machine.reset_cause(): for people, and for the log if that goes on.
_CAUSES = {
    machine.PWRON_RESET: ("power-up", ""),
    machine.HARD_RESET: ("restart", "software"),
    machine.WDT_RESET: ("watchdog", "watchdog"),
    machine.SOFT_RESET: ("soft reset", "software"),
}
_HELD = const(("btn penalty", "btn fine"))


def begin() -> "App | None":
    """Return the loop, started; None if there is no use in starting."""
    console = Console(sys.stdin, sys.stdout)
    if not board.NAME:
        console.say(
            "> This firmware is for ESP32 without SPIRAM and for ESP32-S3, not for this chip."
        )
        return None
    machine.freq(_HZ)
    cause, log_cause = _CAUSES.get(machine.reset_cause(), ("unknown cause", "software"))
    kept = Store()
    found = recovery.look(kept.image)
    crashes = found.crashes if log_cause and found.left != store.PLANNED else 0
    if log_cause and found.is_known and found.left == store.RUNS:  # a reset that nobody wanted
        crashes += 1
    # What is counted, and that the board runs, is noted first: the start itself may be cut off.
    kept.crashes = crashes
    kept.header = found.header
    kept.tick(found.evaluated_us, found.now_us, found.now_ns)
    if crashes >= _NO_START:
        console.say("> Stopped after %d crashes in a row: switch off and on." % crashes)
        _leds(settings.usual()).show(display.fault("E5"), 0)
        return None
    if crashes >= _NO_SCORE:
        _set_score_aside(kept)
    values, wrong = settings.read()
    if crashes >= _NO_SETTINGS:
        values = settings.usual()
    inputs = Inputs(Ring(board.RING_EDGES), rows(values), board.NAME)
    leds = _leds(values)
    is_forgotten = not log_cause and _are_held(inputs, leds)
    if is_forgotten:
        wrong = service.forget_all(kept)
        values = settings.usual()
    recovery.recover(kept, found)
    first_line = header(values)
    kept.header = crc32(first_line.encode())
    passed_us = (time.time_ns() - found.now_ns) // 1000  # type: ignore[attr-defined, unused-ignore]
    # The log goes on if its clock did, and it is played by the same settings.
    goes_on = bool(log_cause and found.now_ns and found.header == kept.header)
    goes_on = goes_on and 0 <= passed_us < _MOST_PASSED_US
    start_us = max(found.now_us + passed_us, found.evaluated_us) if goes_on else 0
    thresholds = _thresholds(values, wrong)
    app = App(
        first_line,
        inputs,
        console,
        leds,
        time,  # type: ignore[arg-type]  # not CPython's
        kept,
        Journal(int(values["log_kb"])),
        Buzzer(board.outputs()[3]) if values["buzzer"] else None,
        thresholds,
        new=str(values["new"]).split(),
        start_us=start_us,
    )
    app.started = cause
    app.start(log_cause if goes_on else "", found.evaluated_us, found.texts)
    if is_forgotten:
        found.notices.append("Two buttons were held: settings, score and logs are forgotten.")
    _tell(app, found, wrong)
    sensors.begin(app, not log_cause)
    _say_room(app)
    kept.tick(found.evaluated_us if goes_on else 0, start_us, time.time_ns())
    return app


def _leds(values: "Values") -> Leds:
    chain = NeoPixel(machine.Pin(board.outputs()[0], machine.Pin.OUT), display.LEDS)
    return Leds(chain, int(values["brightness"]), int(values["limit_ma"]))


def _thresholds(values: "Values", wrong: "list[str]") -> "dict[str, Threshold]":
    """Set the thresholds of the front ends; say in *wrong* which could not be."""
    thresholds = {}
    _leds, cushions, click, _buzzer = board.outputs()
    for key, gpio in (("cushion_mv", cushions), ("click_mv", click)):
        try:
            thresholds[key] = take(gpio)
            set_mv(thresholds[key], int(values[key]))
        except OSError as error:
            # A soft reset leaves a DAC as it is, and the chip does not give it out again.
            if machine.reset_cause() == machine.SOFT_RESET:
                print("> %s is as it was before the soft reset." % key)
            else:
                wrong.append("%s could not be set: %s" % (key, error))
    return thresholds


def _tell(app: App, found: "Recovered", wrong: "list[str]") -> None:
    """Say how the board started, and what was wrong."""
    app.console.say("> Started by %s, firmware %s." % (app.started, __version__))
    crashes = app.store.crashes
    if crashes:
        what = "; what it was is in %s" % service.FAULT_FILE
        sentence = "Started again after a crash (%d in a row)%s." % (
            crashes,
            what if found.left == store.TOLD else ": the chip stopped, or its watchdog did",
        )
        app.fault("E4", sentence)
    if crashes >= _NO_SETTINGS:
        without = "settings and score" if crashes >= _NO_SCORE else "settings"
        sentence = "Started without the stored %s after %d crashes in a row." % (without, crashes)
        app.fault("E5", sentence)
    for sentence in wrong:
        app.fault("E1", sentence)
    if wrong:
        app.faults["E1"] = " ".join(wrong)
    for sentence in found.notices:
        app.console.say("> " + sentence)
    if found.is_damaged:
        app.fault("E6", "What was stored could not be used.")


def _say_room(app: App) -> None:
    """Say what the self-test at power-up found; what is wrong has been told."""
    gc.collect()
    heap = gc.mem_free() if hasattr(gc, "mem_free") else 0  # CPython has none
    try:
        flash = free()
    except OSError:  # as at every write, which tells why
        flash = 0
    faults = " ".join(sorted(app.faults)) or "none"
    app.console.say(
        "> Self-test: heap %d, flash %d bytes free, faults: %s." % (heap, flash, faults)
    )


def header(values: "Values") -> str:
    """Return the first line of the log: what it needs to be played again."""
    words = [
        "# kegli-log 1 board=%s firmware=%s sensors=%s"
        % (board.NAME, __version__, values["sensors"])
    ]
    words += ["%s=%s" % (key, values[key]) for key, usual in SETTINGS if values[key] != usual]
    words += [
        "%s=%s" % (key, values[key + ".name"]) for key in ("a", "b") if values[key + ".name"]
    ]
    return " ".join(words)


def rows(values: "Values") -> "list[tuple[str, int, int, int, str, int]]":
    """Return the rows of board.inputs that are fitted, under the names that the wiring gives."""
    names = {"pin": str(values["pins"]).split(","), "hit": str(values["cushions"]).split(",")}
    fitted = str(values["sensors"]).split(",")
    found = []
    for row in board.inputs():
        kind, _space, which = row[0].partition(" ")
        if not row[4] or row[4] in fitted:
            words = "%s %s" % (kind, names[kind][int(which)]) if kind in names else row[0]
            found.append((words, row[1], row[2], row[3], row[4], row[5]))
    return found


def _are_held(inputs: Inputs, leds: Leds) -> bool:
    """Say whether two buttons are held from power-up on, long enough to mean it."""
    held = [n for n, row in enumerate(inputs.rows) if row[0] in _HELD]
    for ms in range(0, _HELD_MS, _SLICE_MS):
        if not min([inputs.levels[n] for n in held]):
            return False
        leds.show(display.boot(), ms)
        time.sleep_ms(_SLICE_MS)  # type: ignore[attr-defined]  # MicroPython's own
    return True


def _set_score_aside(kept: Store) -> None:
    """Let the stored score be, and start without it."""
    kept.image[store.SLOTS_AT :] = bytes(len(kept.image) - store.SLOTS_AT)
    try:
        if os.listdir(store.FOLDER):  # else it was set aside before
            aside = store.FOLDER + ".bad"
            while aside in os.listdir():
                aside += "+"
            os.rename(store.FOLDER, aside)
            os.mkdir(store.FOLDER)
    except OSError:
        # A flash that fails is told when the score is to be stored.
        pass


# When the loop is left


def leave(app: "App | None") -> None:
    """Leave the chip to the REPL after Ctrl-C."""
    if not app:
        _note(store.PLANNED, 0)
    else:
        if app.is_guarded:
            machine.WDT(timeout=_TOOLS_MS)
            minutes = _TOOLS_MS // 60_000
            app.console.say("> Tools have %d minutes before the watchdog." % minutes)
        app.leaves(store.PLANNED)
        app.inputs.close()
        if app.buzzer:
            app.buzzer.play("")
            app.buzzer.go_on()
        service.store_all(app)
        app.console.say("> Stopped. Ctrl-D starts again.")


def crash(app: "App | None", error: Exception) -> bool:
    """Tell a crash, and wait; return whether to start again, which Ctrl-C denies.

    *app*: None if the start itself failed; else it has counted the crash.
    """
    try:
        if app:
            service.tell(app, error)
            service.store_all(app)
        else:
            _note(store.TOLD, 1)
            sys.print_exception(error)  # type: ignore[attr-defined]  # MicroPython's own
        print("> Starting again in %d s; Ctrl-C stops it." % (_PATIENCE_MS // 1000))
        for _ in range(_PATIENCE_MS // _SLICE_MS):
            time.sleep_ms(_SLICE_MS)  # type: ignore[attr-defined]  # MicroPython's own
    except KeyboardInterrupt:
        leave(app)
        return False
    return True


def _note(left: int, crashes: int) -> None:
    """Note in RTC memory how a start ended, with so many crashes more; none is left if 0."""
    kept = Store()
    found = recovery.look(kept.image)
    kept.crashes = found.crashes + crashes if crashes else 0
    kept.left = left
    kept.header = found.header
    kept.tick(found.evaluated_us, found.now_us, found.now_ns)
