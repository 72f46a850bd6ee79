"""Commands that need a board at a serial port: `kegli ports`, `status`, `settings`, `record`."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from host_tools.link import Link, LinkError, ask
from host_tools.ports import boards, chosen
from host_tools.recording import Recorder, pairs
from host_tools.recording import record as record_board

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
        except LinkError as error:
            raise click.ClickException(str(error)) from error


def add_to(group: click.Group) -> None:
    """Add the commands to *group*."""
    for command in (ports, status, settings, record):
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
    _tell(port, "status")


@click.command(cls=_OnBoard)
@_AT_PORT
@click.argument("words", nargs=-1, metavar="[get KEY | set KEY VALUE | reset [KEY]]")
def settings(port: str | None, words: tuple[str, ...]) -> None:
    """List the board's settings; get, set or reset one."""
    if words and words[0] not in ("list", "get", "set", "reset"):
        raise click.UsageError(f"There is no 'settings {words[0]}': take get, set or reset.")
    _tell(port, " ".join(("settings", *words)))


def _tell(port: str | None, words: str) -> None:
    """Ask the board, and print its answer; a refusal is a failure."""
    if not words.isascii() or not words.isprintable():
        raise click.UsageError("The console takes printable ASCII: percent-encode names.")
    with Link(chosen(port)) as link:
        said = ask(link, words)
    for line in said:
        if line.startswith("> refused "):
            raise click.ClickException(line.removeprefix("> "))
        click.echo(line.removeprefix("> "))


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
    tell: Callable[[str], None] = lambda sentence: click.echo(sentence, err=True)  # noqa: E731
    with file.open("x", encoding="utf-8", newline="\n") as out:
        recorder = Recorder(out, pairs(a, b, time.localtime()))
        try:
            with suppress(KeyboardInterrupt):
                record_board(path, recorder, tell)
        finally:
            if not recorder.logs:
                file.unlink()
    if not recorder.logs:
        raise click.ClickException("Nothing was recorded: the table was not at rest.")
    others = f", {recorder.others} of them no lines of a log" if recorder.others else ""
    tell(f"{file}: {recorder.lines} lines{others}. Play it again: kegli replay {file}")
