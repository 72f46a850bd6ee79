"""Commands that need a board at a serial port."""

from __future__ import annotations

import os
import re
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress

from host_tools import bundling, deploying, dialogue, flashing, stored
from host_tools import console as consoles
from host_tools import doctor as examining
from host_tools import hil as bench
from host_tools.console import printable
from host_tools.link import STATUS_ENDS, LastingLink, Link, LinkError, RefusedError, ask
from host_tools.ports import boards, chosen
from host_tools.recording import Recorder, names
from host_tools.recording import record as record_board
from host_tools.remote import at_prompt

_AT_PORT = click.option(
    "--port",
    envvar="KEGLI_PORT",
    metavar="PATH",
    help="The serial port; else the only board that is plugged in.",
)


class _OnBoard(click.Command):
    """A command that tells the troubles of a link in one sentence, with status 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run it."""
        try:
            return super().invoke(ctx)
        except (LinkError, RefusedError) as error:
            raise click.ClickException(printable(str(error))) from error


def add_to(group: click.Group) -> None:
    """Add the commands to *group*."""
    for command in (
        *(ports, flash, deploy, console, record, pull, settings, status),
        *(selftest, calibrate, watch, doctor, bundle, hil),
    ):
        group.add_command(command)


@click.command()
def ports() -> None:
    """List the serial ports that are boards."""
    found = boards()
    if not found:
        raise click.ClickException("There is no board: plug its USB cable in.")
    for port in found:
        click.echo(str(port))


@click.command(cls=_OnBoard)
@_AT_PORT
def status(port: str | None) -> None:
    """Say how the board is: versions, uptime, memory, sensing, what is stored, faults."""
    _tell(port, "status", STATUS_ENDS)


@click.command(cls=_OnBoard)
@_AT_PORT
@click.argument("words", nargs=-1, metavar="[get KEY | set KEY VALUE | reset [KEY]]")
def settings(port: str | None, words: tuple[str, ...]) -> None:
    """List the board's settings; get, set or reset one."""
    if words and words[0] not in ("list", "get", "set", "reset"):
        raise click.UsageError(f"There is no 'settings {words[0]}': take get, set or reset.")
    _tell(port, " ".join(("settings", *words)))


def _tell(port: str | None, words: str, last: str = "") -> None:
    """Ask the board, and print its answer; a refusal is a failure."""
    if not words.isascii() or not words.isprintable():
        raise click.UsageError("The console takes printable ASCII: percent-encode names.")
    with Link(chosen(port)) as link:
        said = ask(link, words, last)
    for line in said:
        if line.startswith("> refused "):
            raise click.ClickException(printable(line.removeprefix("> ")))
        click.echo(printable(line.removeprefix("> ")))


def _tell_person(sentence: str) -> None:
    click.echo(sentence, err=True)


@click.command(cls=_OnBoard)
@_AT_PORT
@click.argument(
    "file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--erase", is_flag=True, help="Forget all that the board holds, the score too.")
@click.option(
    "--baud",
    type=click.IntRange(9600),
    default=460_800,
    show_default=True,
    help="To write by; where that fails, 115200.",
)
def flash(port: str | None, file: Path | None, erase: bool, baud: int) -> None:
    """Put MicroPython on the board: an image FILE, else the version that is pinned, fetched.

    The image has to be whole and for this chip, or nothing is written. The board's files,
    settings and score among them, stay unless --erase. Afterwards it offers to deploy.
    """
    path = chosen(port)
    image = flashing.read(str(file), file.read_bytes()) if file else None
    is_asked = consoles.is_terminal()
    with flashing.entered(path) as (loader, chip):
        flashing.check(chip, image)
        if not image:
            data = flashing.fetched(chip.family, Path(click.get_app_dir("kegli")) / "images")
            image = flashing.read("The pinned image", data)
        stay = not erase and flashing.holds_files(loader, image)
        if erase and is_asked:
            click.confirm(f"Forget all that the board at {path} holds?", abort=True)
        kept = "all that it holds goes" if erase else "its files stay"
        with _progress() as progress:
            tell = progress.console.print
            tell(
                f"{path}: {chip}; MicroPython {image.version or 'of unknown version'}"
                f" for {image.chip}; {kept if erase or stay else 'it has no files'}."
            )
            writing = progress.add_task("Writing", total=100)
            flashing.write(
                loader,
                image,
                erase=erase,
                baud=baud,
                tell=tell,
                step=lambda percent: progress.update(writing, completed=percent),
            )
            tell("MicroPython is written, and was compared.")
    if is_asked and click.confirm("Deploy the firmware now?", default=True):
        _deploy(path, None, replace=False)
    else:
        click.echo(f"The firmware is next: kegli deploy --port {path}")


@click.command(cls=_OnBoard)
@_AT_PORT
@click.option(
    "--mpy/--sources",
    default=None,
    help="Compiled for the board's chip, which starts in less memory, or not; else as it is now.",
)
@click.option("--replace", is_flag=True, help="Overwrite a main.py that is not kegli's.")
def deploy(port: str | None, mpy: bool | None, replace: bool) -> None:
    """Bring this firmware to the board, and start it; the game goes on.

    Only what differs is copied. It is safe to cut at any moment: the board has the old firmware
    or the new one. Settings, score and logs stay.
    """
    _deploy(chosen(port), mpy, replace=replace)


def _deploy(path: str, mpy: bool | None, *, replace: bool) -> None:
    with _progress() as progress:
        copying = progress.add_task("Copying", total=None)
        deploying.deploy(
            path,
            mpy=mpy,
            replace=replace,
            tell=progress.console.print,
            total=lambda size: progress.update(copying, total=size),
            step=lambda size: progress.advance(copying, size),
        )


def _progress() -> Progress:
    """Return a progress bar in a terminal, nothing elsewhere; sentences go to standard output."""
    console = Console(highlight=False, markup=False, soft_wrap=True)
    return Progress(console=console, transient=True, disable=not console.is_terminal)


@click.command(cls=_OnBoard)
@_AT_PORT
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def pull(port: str | None, file: Path) -> None:
    """Fetch the log that the board keeps, as one FILE, which replays.

    The board stops for that when its table is at rest, and starts again; the game goes on.
    """
    path = chosen(port)
    file.open("xb").close()
    try:
        with _progress() as progress:
            fetching = progress.add_task("Fetching", total=None)
            fetched = stored.logs(
                path,
                lambda size: progress.update(fetching, total=size),
                lambda size: progress.advance(fetching, size),
            )
        file.write_bytes(stored.joined(fetched.files))
    except BaseException:
        file.unlink()
        raise
    size = sum(map(len, fetched.files.values()))
    click.echo(
        f"{file}: {size:,} bytes of {len(fetched.files)} files. Play it again: kegli replay {file}"
    )
    if fetched.failed:
        raise LinkError(f"The board could not read {', '.join(fetched.failed)}.")


@click.command(cls=_OnBoard)
@_AT_PORT
@click.option("--guided", is_flag=True, help="Ask for each pin and cushion, by hand.")
def selftest(port: str | None, guided: bool) -> None:
    """Let the board look at every part of itself; status 1 if it finds a fault.

    Guided, it asks a person to tip each pin and tap each cushion, and finds broken ones and
    swapped wires; any word skips one. Then it starts again; the game goes on.
    """
    _converse(port, "selftest guided" if guided else "selftest")


@click.command(cls=_OnBoard)
@_AT_PORT
def calibrate(port: str | None) -> None:
    """Find the noise of cushions and click, and thresholds above it.

    The board asks before it stores them, and then starts again; the game goes on.
    """
    _converse(port, "calibrate")


def _converse(port: str | None, words: str) -> None:
    path = chosen(port)
    try:
        with Link(path) as link:
            is_well = dialogue.converse(link, words, click.echo)
    except KeyboardInterrupt:
        if words != "selftest":  # which ends by itself; the others wait for hands: it starts anew
            with at_prompt(path):
                pass
        raise
    if not is_well:
        raise click.exceptions.Exit(1)


@click.command(cls=_OnBoard)
@_AT_PORT
def watch(port: str | None) -> None:
    """Show every input live until Ctrl-C, while the game goes on."""
    with Link(chosen(port)) as link, suppress(KeyboardInterrupt):
        dialogue.watch(link, Console(highlight=False, markup=False))


def _pattern(_context: Any, _parameter: Any, value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise click.BadParameter(f"'{value}' is no regular expression: {error}") from error
    return value


@click.command(name="console", cls=_OnBoard)
@_AT_PORT
@click.option(
    "--filter",
    "pattern",
    default="",
    callback=_pattern,
    metavar="REGEX",
    help="Show only lines of the board that match.",
)
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep all that the board says in FILE.",
)
def console(port: str | None, pattern: str, save: Path | None) -> None:
    """See what the board says, and type to it, until Ctrl-D.

    The board is not reset. A pulled cable is told and waited for. In a terminal there are
    history, completion and help; else each line of standard input is typed, and at its end the
    answer is waited for.
    """
    path = chosen(port)
    is_terminal = consoles.is_terminal()
    with ExitStack() as stack:
        out = None
        if save:
            out = stack.enter_context(save.open("x", encoding="utf-8", newline="\n"))
        show = consoles.show_styled if is_terminal else click.echo
        link = stack.enter_context(LastingLink(path, _tell_person, lambda _link: None))
        talk = consoles.Console(link, show, out, pattern)
        with suppress(KeyboardInterrupt):
            if is_terminal:
                consoles.interactive(talk, consoles.history_file())
            else:
                consoles.plain(talk, sys.stdin)


@click.command(cls=_OnBoard)
@_AT_PORT
@click.option("--a", metavar="NAME", help="Of player a, for the log.")
@click.option("--b", metavar="NAME", help="Of player b.")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def record(port: str | None, a: str | None, b: str | None, file: Path) -> None:
    """Record the board's log into FILE until Ctrl-C; it replays.

    It begins once the table is at rest. A pulled cable, a reset or a prompt is told, and the
    recording goes on when the board does. The board is not reset.
    """
    path = chosen(port)
    try:
        players = names(a, b)
    except UnicodeEncodeError as error:
        raise click.UsageError("A name is no text.") from error
    with file.open("x", encoding="utf-8", newline="\n") as out:
        recorder = Recorder(out, players)
        try:
            with suppress(KeyboardInterrupt):
                record_board(path, recorder, _tell_person)
        finally:
            out.close()
            if not recorder.logs:
                file.unlink()
    if not recorder.logs:
        raise click.ClickException("Nothing was recorded: no log has begun.")
    others = f", {recorder.others} of them no lines of a log" if recorder.others else ""
    _tell_person(f"{file}: {recorder.lines} lines{others}. Play it again: kegli replay {file}")


@click.command(cls=_OnBoard)
@_AT_PORT
def doctor(port: str | None) -> None:
    """Say what is well and what is not, with what mends it; status 1 if something is not.

    It looks at versions, ports, permissions, and the board's status.
    """
    if not examining.tell(port, click.echo):
        raise click.exceptions.Exit(1)


@click.command(cls=_OnBoard)
@_AT_PORT
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def bundle(port: str | None, file: Path) -> None:
    """Put all that a report of a fault needs into FILE, a zip.

    Versions, status, settings, logs, the last exception, the files of the firmware with their
    sums. The board stops for that when its table is at rest, and starts again; the game goes on.
    """
    bundling.bundle(chosen(port), file, click.echo)


@click.command(cls=_OnBoard)
@_AT_PORT
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--adapter",
    type=click.Choice([*bench.ADAPTERS]),
    help="Of the pins, at USB; else those of this computer, a Raspberry Pi.",
)
@click.option(
    "--wire",
    "wires",
    multiple=True,
    metavar="INPUT=PIN",
    help="Which pin is at which input, e.g. 'pin 3=C3'; may be repeated.",
)
@click.option("--yes", is_flag=True, help="Leave a game that the board keeps.")
@click.option(
    "--speed",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    help="Times as fast as life: for a virtual board.",
)
def hil(  # noqa: PLR0913 (one for each option)
    *,
    port: str | None,
    file: Path,
    adapter: str | None,
    wires: tuple[str, ...],
    yes: bool,
    speed: float,
) -> None:
    """Let the log FILE happen at a real board's inputs, and compare what it concludes.

    Pins of an adapter are wired to the inputs of a board on the bench, ground to ground. Status
    1 if the board concludes something else than the log says. It needs the bench extra.
    """
    path = chosen(port)
    made = bench.script(file.read_bytes())
    if adapter:
        os.environ[bench.ADAPTERS[adapter]] = "1"
    chosen_wires = bench.wires(wires, made.sources, bench.adapter_name())
    with Link(path) as link, bench.outputs(chosen_wires) as pins, _progress() as progress:
        bench.prepare(link, made, leave=yes)
        seconds = (made.events[-1].t_us - made.events[0].t_us) / 1_000_000
        playing = progress.add_task("Playing", total=seconds)
        played = bench.play(
            link, made, pins, speed=speed, step=lambda s: progress.update(playing, completed=s)
        )
    click.echo(f"{', '.join(f'{name} at {pin}' for name, pin in chosen_wires.items())}.")
    click.echo(f"{played.late}.")
    if played.difference:
        for line in played.difference:
            click.echo(line)
        raise click.ClickException("The board concludes something else than the log.")
    click.echo(f"The board concludes what the log says: {len(played.expected)} lines.")
