"""What a log begins with, wherever it begins. Imported on demand."""

from micropython import const

from .history import oldest, texts

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    from .app import App

# As in app.py, folded in by the compiler.
_MANY_STEPS = const(200)

# As in history.py, folded in by the compiler.
_MOST_STEPS = const(240)

_MORE_STEPS = const(40)  # before it is asked again whether old games can go


def begin_anew(app: "App", is_wanted: bool) -> None:
    """Begin a log in mid-game if *is_wanted*, or if old games can go."""
    match = app.referee.match
    if is_wanted or oldest(match):
        app.wants_log = False
        # Nothing that comes yet can come before it.
        evaluated_us = app.referee.evaluated_us
        app.begin_log(evaluated_us, texts(match, app.referee.pins_aside), False)
    app.cut_at = min(max(_MANY_STEPS, len(match.steps) + _MORE_STEPS), _MOST_STEPS)


def say_head(app: "App", t_us: int, texts: "list[str]", every: bool) -> None:
    """Say header, pins, *texts* as `match` lines, and zone. *every*: also of what stands.

    The pins come before the `match` lines, which make them lie or stand there: alone they would
    fall. The zone comes after them, which forget who was there.
    """
    match = app.referee.match
    if match.games and oldest(match):
        app.console.say("> The record is long: old steps go, and undo reaches them no more.")
    app.console.say(app.header)
    journal = app.journal
    if journal.needs_file and "E3" not in app.faults:
        app.flash(journal.begin, "E3")
    if journal.left_out > app.left_out:
        app.left_out = journal.left_out
        app.console.say(
            "> %d lines of the log found no room and are not stored." % journal.left_out
        )
    journal.take(app.header)
    _say_levels(app, t_us, "pins", every)
    for text in texts:
        app.enter(t_us, "match " + text)
    _say_levels(app, t_us, "zone", every)


def _say_levels(app: "App", t_us: int, sensor: str, every: bool) -> None:
    for source, row in enumerate(app.inputs.rows):
        if row[4] == sensor and (every or app.said[source]):
            app.enter(t_us, "%s %d" % (row[0], app.said[source]))
