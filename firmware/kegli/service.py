"""What the console does besides the log: status, settings, restart. Imported on demand.

Answers are notices: the log stays a log.
"""

import errno
import gc
import io
import os
import sys

import machine
from micropython import const

from . import __version__, settings
from .debounce import SHORT, Button
from .journal import FOLDER as LOGS
from .journal import free
from .lines import printable
from .store import FOLDER as SCORE
from .store import PLANNED

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    from collections.abc import Callable

    from .app import App
    from .store import Store

FAULT_FILE = "fault.txt"  # the last exception that was survived, with its traceback
_MS = const(1000)
_S = const(1_000_000)
_SIXTY = const(60)

_TEXTS = "help.txt"  # beside this file: texts that need no place in memory
_SETTING = const("setting ")  # begins the lines about a setting


def serve(app: "App", words: "list[str]") -> "list[str]":
    """Carry out a line of the console; return the words of the command that it stands for."""
    if words[0] not in _SERVED:
        return words  # the referee says that there is no such word
    try:
        return _SERVED[words[0]](app, words[1:]) or []
    except ValueError as error:
        app.console.say("> refused '%s': %s" % (printable(" ".join(words)), error))
    except OSError as error:
        app.console.say("> The flash failed: %s" % why(error))
    return []


def why(error: OSError) -> str:
    """Return the name of an error of the flash."""
    return errno.errorcode.get(error.errno or 0, "%s" % error)


def _say(app: "App", text: str) -> None:
    app.console.say("> " + text)


def _new(app: "App", words: "list[str]") -> "list[str]":
    """Put what `new` means here before what is said: what is said goes before it."""
    said = [word.partition("=")[0] for word in words]
    return ["new"] + [word for word in app.new if word.partition("=")[0] not in said] + words


def _handicap(app: "App", words: "list[str]") -> "list[str]":
    from .handicap import new_words  # noqa: PLC0415 (on demand: it is rare)

    return _new(app, new_words(words)[1:])


def _log(app: "App", words: "list[str]") -> None:
    _no_more(words)
    app.wants_log = True
    if not app.referee.is_at_rest or app.referee.state == "running":
        _say(app, "The log begins here as soon as the table is at rest.")


def _restart(app: "App", words: "list[str]") -> None:
    _no_more(words)
    _say(app, "Restarting.")
    app.leaves(PLANNED)
    store_all(app)
    machine.reset()


def _watch(app: "App", words: "list[str]") -> None:
    from .watch import Watch  # noqa: PLC0415 (on demand: it is rare)

    _no_more(words)
    if app.watch:
        app.watch = None
        _say(app, "watch: off")
    else:
        app.watch = Watch(app)


def _selftest(app: "App", words: "list[str]") -> None:
    from . import selftest  # noqa: PLC0415 (on demand: it is rare)

    is_guided = words == ["guided"]
    if not is_guided:
        _no_more(words)
    _at_rest(app)
    if is_guided:
        selftest.guided(app)
        _restart(app, [])
    selftest.report(app)


def _calibrate(app: "App", words: "list[str]") -> None:
    from .calibrate import calibrate  # noqa: PLC0415 (on demand: it is rare)

    _no_more(words)
    _at_rest(app)
    calibrate(app)
    _restart(app, [])


def _at_rest(app: "App") -> None:
    if not app.referee.is_at_rest or app.referee.state == "running":
        raise ValueError("the table is not at rest: say it again when nothing moves")


def _factory(app: "App", words: "list[str]") -> None:
    if words != ["reset"]:
        raise ValueError("say 'factory reset': it forgets settings, score and logs")
    wrong = forget_all(app.store) or ["Settings, score and logs are forgotten."]
    for sentence in wrong:
        _say(app, sentence)
    machine.reset()


def _help(app: "App", words: "list[str]") -> None:
    _no_more(words)
    for line in _texts():
        if line[: len(_SETTING)] != _SETTING:
            _say(app, line)


def _texts() -> "list[str]":
    folder = __file__.rpartition("/")[0]
    with open((folder + "/" if folder else "") + _TEXTS) as file:
        return file.read().split("\n")[:-1]


def _no_more(words: "list[str]") -> None:
    if words:
        raise ValueError("'%s' is one word too many" % printable(words[0]))


def press_of_ok(app: "App", button: Button, t_us: int, level: int) -> None:
    """Let the log have what a press of `ok` before the first game means on this board."""
    from .header import parse_header  # noqa: PLC0415 (on demand: it is rare)

    press = button.edge(t_us, level, parse_header(app.header)[1]["button_hold_ms"] * _MS)
    if press and not app.referee.game:
        app.command(t_us, ["ok"] if press == SHORT else _new(app, []))


# Settings


def _settings(app: "App", words: "list[str]") -> None:
    values, wrong = settings.read()
    for sentence in wrong:
        _say(app, sentence)
    verb = words[0] if words else "list"
    rest = words[1:]
    if verb == "list" and not rest:
        for row in settings.TABLE:
            _say(app, _row(row, values))
    elif verb == "get" and len(rest) == 1:
        row = settings.row_of(rest[0])
        _say(app, _row(row, values))
        for line in _texts():
            if line.startswith(_SETTING + row[0] + ":"):
                _say(app, line.partition(": ")[2])
    elif verb == "set" and len(rest) > 1:
        values[rest[0]] = settings.parse(rest[0], " ".join(rest[1:]))
        _change(app, values, rest[0])
    elif verb == "reset" and not rest:
        _change(app, settings.usual(), "")
    elif verb == "reset" and len(rest) == 1:
        values[rest[0]] = settings.row_of(rest[0])[3]
        _change(app, values, rest[0])
    else:
        raise ValueError(
            "say settings, settings get KEY, settings set KEY VALUE, settings reset [KEY]"
        )


def _row(row: "settings.Row", values: "dict[str, int | str]") -> str:
    key, unit, _kind, usual = row
    value = "%s" % values[key] + (" " + unit if unit else "") or "nothing"
    changed = "" if values[key] == usual else "; usual: %s" % (usual if usual != "" else "nothing")
    return "%s = %s (%s%s)" % (key, value, settings.span(row), changed)


def _change(app: "App", values: "dict[str, int | str]", key: str) -> None:
    settings.write(values)
    said = _row(settings.row_of(key), values) if key else "All settings are the usual ones."
    _say(app, said)
    _say(app, "It holds from the next start: say restart.")


# Status


def _status(app: "App", words: "list[str]") -> None:
    _no_more(words)
    for line in status(app):
        _say(app, line)


def status(app: "App") -> "list[str]":
    """Return how the board is, in sentences."""
    version = sys.implementation.version
    lines = [
        "firmware %s, %s %d.%d.%d, %s"
        % (
            __version__,
            sys.implementation.name,
            version[0],
            version[1],
            version[2],
            app.header.split(" ")[3],
        ),
        "up %s, started by %s" % (_time((app.now_us - app.start_us) // _S), app.started),
    ]
    if hasattr(gc, "mem_free"):  # CPython has none
        gc.collect()
        lines.append(
            "heap: %d bytes free, %d at the least"
            % (gc.mem_free(), min(gc.mem_free(), app.least_free))
        )
    else:
        lines.append("heap: not known on %s" % sys.implementation.name)
    lines.append("loop: %d ms at the worst" % (app.worst_us // _MS))
    lines.append("edges: %d lost" % app.inputs.ring.dropped)
    how = "by interrupts" if app.inputs.wrong else "in hardware time"
    lines.append("hits: %s, to %d us" % (how, app.inputs.error_us()))
    kept = app.store
    where = "RTC memory and on flash" if not kept.behind else "RTC memory, not yet on flash"
    lines.append("score: state %d in %s" % (kept.number, where) if kept.number else "score: none")
    steps = len(app.referee.match.steps) - app.referee.match.floor
    lines.append("record: steps that undo reaches: %d" % steps)
    try:
        files = app.journal.files()
        lines.append(
            "log: %d bytes in %d files in %s/, at most %d; %d bytes wait, %d lines left out"
            % (
                sum([size for _name, size in files]),
                len(files),
                LOGS,
                app.journal.limit,
                app.journal.waiting,
                app.journal.left_out,
            )
        )
        lines.append("flash: %d bytes free" % free())
    except OSError as error:
        lines.append("flash: cannot be read: %s" % why(error))
    for code in sorted(app.faults):
        lines.append("%s: %s" % (code, app.faults[code]))
    lines.append("faults: %d" % len(app.faults))
    return lines


def _time(seconds: int) -> str:
    minutes = seconds // _SIXTY
    return "%d:%02d:%02d" % (minutes // _SIXTY, minutes % _SIXTY, seconds % _SIXTY)


# What went wrong


def tell_flash(app: "App", code: str, error: OSError) -> None:
    """Say once that the flash could not be written."""
    if code not in app.faults:
        what = "score" if code == "E2" else "log"
        app.fault(code, "The %s could not be written to flash: %s" % (what, why(error)))


def tell(app: "App", error: BaseException) -> None:
    """Print an exception as notices, and store it; once, if it comes again and again."""
    name = "%s: %s" % (type(error).__name__, error)
    if app.faults.get("E4", "").endswith(name):
        return  # told already
    out = io.StringIO()
    sys.print_exception(error, out)  # type: ignore[attr-defined]  # MicroPython's own
    text = out.getvalue()
    for line in text.split("\n"):
        if line:
            _say(app, line)
    kept = "kept in %s" % FAULT_FILE
    try:
        with open(FAULT_FILE, "w") as file:
            file.write("%d us, firmware %s\n%s" % (app.now_us, __version__, text))
    except OSError as failure:
        kept = "it could not be stored: %s" % why(failure)
    app.fault("E4", "An exception was survived, %s: %s" % (kept, name))


# What is forgotten


def forget_all(kept: "Store") -> "list[str]":
    """Forget settings, score and logs; return a sentence if the flash could not be written."""
    wrong = []
    for name in os.listdir():
        try:
            if name in (settings.FILE, settings.ASIDE, settings.TEMPORARY, FAULT_FILE):
                os.remove(name)
            elif name == LOGS or name[: len(SCORE)] == SCORE:
                empty(name)
        except OSError as error:
            wrong.append("%s could not be forgotten: %s" % (name, why(error)))
    kept.image[:] = bytes(len(kept.image))
    kept.memory.memory(kept.image)
    return wrong


def empty(folder: str) -> None:
    """Remove the files of a folder. Raise OSError."""
    for name in os.listdir(folder):
        os.remove(folder + "/" + name)


def store_all(app: "App") -> None:
    """Bring to the flash what it lacks, as far as it can be written."""
    try:
        if app.store.behind:
            app.store.commit(app.referee.match)
        if app.referee.is_at_rest:
            app.journal.flush()
    except Exception as error:  # whatever it is, what follows has to be done
        app.console.say("> The flash could not be written: %s" % error)


_SERVED: "dict[str, Callable[[App, list[str]], list[str] | None]]" = {
    "new": _new,
    "handicap": _handicap,
    "settings": _settings,
    "status": _status,
    "log": _log,
    "restart": _restart,
    "selftest": _selftest,
    "calibrate": _calibrate,
    "watch": _watch,
    "factory": _factory,
    "help": _help,
}
