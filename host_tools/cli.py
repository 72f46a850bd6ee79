"""The command line of `kegli`: one function a command, none of them long."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress

import kegli
from host_tools import bench as benching
from host_tools import board_commands
from host_tools import replay as replaying
from host_tools.session import Session, order
from host_tools.simulate import CoreBoard, truth_comment
from host_tools.virtual_table import Stroke, Table, packaged, read
from kegli.lines import printable
from kegli.settings import SENSORS


class Unreadable(click.ClickException):
    """A log that cannot be read."""

    exit_code = 2


def _module(name: str) -> Any:
    """Return a module that needs pseudo-terminals, which not every system has."""
    try:
        return import_module(f"host_tools.{name}")
    except ImportError as error:
        raise click.ClickException(
            f"The virtual board needs Linux or a Mac: there is no {error.name} here."
        ) from error


class _Program(click.Group):
    """The commands, of which none shows a traceback for a full disk or a missing folder."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        for stream, errors in (
            (sys.stdin, "replace"),
            (sys.stdout, "backslashreplace"),
            (sys.stderr, "backslashreplace"),
        ):
            if isinstance(stream, io.TextIOWrapper):  # what it cannot say is no failure
                stream.reconfigure(errors=errors)
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # a reader that went away is no failure: click knows
            raise
        except OSError as error:
            raise click.ClickException(
                f"{error.filename or 'output'}: {error.strerror or error}"
            ) from error


@click.group(cls=_Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(kegli.__version__, prog_name="kegli")
def main() -> None:
    """Keep the score of a billiard table with five pins."""


board_commands.add_to(main)


@main.command()
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.option("--lenient", is_flag=True, help="Skip and count lines that cannot be read.")
@click.option(
    "--set",
    "pairs",
    multiple=True,
    metavar="KEY=VALUE",
    help="Another time, e.g. quiet_ms=5000: what would it have said? A difference is no failure.",
)
def replay(file: str, as_json: bool, lenient: bool, pairs: tuple[str, ...]) -> None:
    """Play a log and compare.

    FILE is `-` for standard input. Status 0; 1 if the log's conclusions differ from what the
    core now says; 2 if the log cannot be read.
    """
    try:
        settings = replaying.parse_settings(pairs)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--set") from error
    try:
        parts = replaying.logs(replaying.read(file))
        played = [replaying.play(part, lenient=lenient, settings=settings) for part in parts]
    except ValueError as error:
        raise Unreadable(str(error)) from error
    for number, one in enumerate(played, 1):
        if number > 1:
            click.echo(f"The log begins anew here: log {number} of {len(played)}.", err=True)
        _show(one, as_json)
    faults = [one.fault for one in played if one.fault]
    if faults:
        raise Unreadable(faults[0])
    if not settings and not all(one.agrees for one in played):
        raise click.exceptions.Exit(1)


def _show(played: replaying.Replay, as_json: bool) -> None:
    """Print a replayed log, and what is to be said of it."""
    lines = replaying.json_lines if as_json else replaying.text_lines
    for line in lines(played.referee):
        click.echo(line)
    if played.truncated:
        click.echo(
            f"The last line has no end and was not used: '{printable(played.truncated)}'",
            err=True,
        )
    if played.skipped:
        click.echo(f"{played.skipped} lines could not be read and were skipped.", err=True)
    if not played.fault and not played.agrees:
        for line in played.difference():
            click.echo(line, err=True)


_WATCHED = 10.0  # times as fast as life: a game is watched in half a minute


class _Speed(click.ParamType[float]):
    """A factor above 0, or `max`."""

    name = "factor"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return the factor, 0 for as fast as it goes."""
        if value == "max":
            return 0.0
        try:
            speed = float(value)
        except ValueError:
            speed = 0.0
        if not 0 < speed <= _FASTEST:  # not a number is neither
            self.fail(f"'{value}' is neither 'max' nor a factor from above 0 to {_FASTEST}")
        return speed


_FASTEST = 10_000


def _sensors(_context: Any, _parameter: Any, value: str) -> frozenset[str]:
    names = frozenset(name.strip() for name in value.split(","))
    unknown = sorted(names - set(SENSORS))
    if unknown:
        raise click.BadParameter(f"there is no '{unknown[0]}': take {','.join(SENSORS)}")
    return names | {"pins", "cushions"}


def _at_the_table(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a virtual table."""
    for option in (
        click.option(
            "--players",
            type=click.Choice(["player", "random"]),
            default="player",
            show_default=True,
            help="Strokes of a player who aims, or from random positions.",
        ),
        click.option(
            "--strokes-file",
            type=click.Path(path_type=Path),
            multiple=True,
            help="Take strokes from FILE (.jsonl, .jsonl.gz); may be repeated.",
        ),
        click.option(
            "--sensors",
            default="pins,cushions",
            show_default=True,
            callback=_sensors,
            help="What the table has; pins and cushions always, click and zone besides.",
        ),
        click.option("--seed", type=int, default=1, show_default=True, help="Of all chance."),
        click.option("--strokes", type=click.IntRange(1), help="Play so many, not one game."),
        click.option(
            "--target",
            type=click.IntRange(1, 999),
            default=30,
            show_default=True,
            help="Points that win a game.",
        ),
    ):
        command = option(command)
    return command


def _strokes(files: tuple[Path, ...], players: str, seed: int) -> Iterator[Stroke]:
    try:
        strokes = [stroke for file in files for stroke in read(file)] or packaged()
        chosen = order(strokes, players, seed)
        return chain([next(chosen)], chosen)
    except ValueError as error:
        raise click.ClickException(str(error)) from error


@main.command()
@_at_the_table
@click.option(
    "--speed",
    type=_Speed(),
    help=f"Times as fast as life; default {_WATCHED:g} in a terminal, else max.",
)
@click.option("--log", help="Write the log there, over what is there; default: a temporary file.")
def demo(  # noqa: PLR0913 (one for each option)
    *,
    players: str,
    strokes_file: tuple[Path, ...],
    sensors: frozenset[str],
    seed: int,
    strokes: int | None,
    target: int,
    speed: float | None,
    log: str | None,
) -> None:
    """Watch a game that plays itself.

    Computed strokes become sensor edges; the firmware, on a virtual board, judges and scores
    them; an all-seeing referee says whether it was right.
    """
    demoing = _module("demo")
    console = Console(highlight=False, markup=False)
    if speed is None:
        speed = _WATCHED if console.is_terminal else 0.0
    try:
        demoing.run(
            console,
            sensors=sensors,
            strokes=_strokes(strokes_file, players, seed),
            limit=strokes,
            seed=seed,
            speed=speed or None,
            log=log,
            target=target,
        )
    except RuntimeError as error:
        raise click.ClickException(str(error)) from error


def _print(lines: list[str]) -> None:
    for line in lines:
        click.echo(line)


@main.command()
@_at_the_table
def simulate(  # noqa: PLR0913 (one for each option)
    *,
    players: str,
    strokes_file: tuple[Path, ...],
    sensors: frozenset[str],
    seed: int,
    strokes: int | None,
    target: int,
) -> None:
    """Print computed strokes as a log, with the truth as comments."""
    board = CoreBoard(sensors)
    session = Session(
        board,
        Table(seed, sensors),
        f"a.target={target} b.target={target}",
        limit=strokes,
        each=_print,
    )

    def told(chosen: Iterator[Stroke]) -> Iterator[Stroke]:
        for stroke in chosen:
            board.comment(truth_comment(stroke))
            yield stroke

    for _judged in session.play(told(_strokes(strokes_file, players, seed))):
        pass


@main.command()
@click.option("--speed", type=_Speed(), default=1.0, show_default=True, help="Of its clock.")
@click.option(
    "--sensors", default="pins,cushions", show_default=True, callback=_sensors, help="What it has."
)
@click.option(
    "--flash",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep its files in this folder: the next start goes on from there.",
)
@click.option(
    "--chip",
    type=click.Choice(["esp32", "esp32s3"]),
    default="esp32",
    show_default=True,
    help="What it runs on.",
)
@click.option(
    "--inputs",
    type=click.Path(path_type=Path),
    help="Make this named pipe, and take levels from it: GPIO LEVEL a line.",
)
def board(
    speed: float, sensors: frozenset[str], flash: Path | None, chip: str, inputs: Path | None
) -> None:
    """Run the virtual board behind a serial port until Ctrl-C, which cuts its power."""
    if flash:
        flash.mkdir(exist_ok=True)
        if any(flash.iterdir()) and not (flash / "kegli").is_dir():
            raise click.ClickException(f"{flash} holds other files: name a new or empty folder.")
    if inputs and inputs.exists():
        raise click.ClickException(f"{inputs} is there already: name a new pipe.")
    serve = _module("virtual_board").serve
    serve(sensors=sensors, speed=speed or None, flash=flash, chip=chip, inputs=inputs)


@main.command()
@click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice([*benching.BUDGETS]))
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, with the parts.")
def bench(names: tuple[str, ...], as_json: bool) -> None:
    """Measure heap, sizes, allocation and speed against their budgets.

    A NAME is heap, play, demand, allocation, cpython or unix; without any, all are measured.
    Status 1 if a budget is over. It needs the test extra.
    """
    are_kept = True
    try:
        for measured in benching.measure(names):
            say = benching.json_line if as_json else benching.text_line
            click.echo(say(measured))
            are_kept = are_kept and measured.ok
    except RuntimeError as error:
        raise click.ClickException(str(error)) from error
    if not as_json:
        click.echo(benching.NOTE)
    if not are_kept:
        raise click.exceptions.Exit(1)


_MOST_SURVIVED = 200  # strokes: what is noted of a longer game does not fit into the heap


@main.command()
@click.option(
    "--strokes",
    type=click.IntRange(1, _MOST_SURVIVED),
    default=60,
    show_default=True,
    help="Of the game whose power is cut.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of all chance.")
@click.option(
    "--resets",
    type=click.IntRange(0),
    default=500,
    show_default=True,
    help="Of the virtual board.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, with what failed.")
def survive(strokes: int, seed: int, resets: int, as_json: bool) -> None:
    """Count what cuts of the power, a flash that fails and resets lose.

    The power is cut at every program and erase of the flash in a game; the flash fails from
    every operation on; a board is reset at random moments. Status 1 if anything was lost.
    """
    surviving = _module("survive")
    try:
        todo = surviving.jobs(strokes, seed, resets)
        console = Console(stderr=True)
        with Progress(
            console=console, transient=True, disable=not console.is_terminal
        ) as progress:
            done = progress.track(surviving.work(todo), len(todo), description="Surviving")
            survival = surviving.gather(done, strokes)
    except RuntimeError as error:
        raise click.ClickException(str(error)) from error
    lines = surviving.json_lines if as_json else surviving.text_lines
    for line in lines(survival):
        click.echo(line)
    if not survival.ok:
        raise click.exceptions.Exit(1)
