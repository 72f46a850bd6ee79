"""Everything that a report of a fault needs, in one zip: `kegli bundle`."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

from host_tools import doctor
from host_tools.deploying import facts
from host_tools.link import STATUS_ENDS, ForeignError, Link, LinkError, ask
from host_tools.remote import at_prompt
from host_tools.stored import fetch, joined

# On the board: what is stored, and the last exception.
_FILES = """
paths = ["log/" + name for name in names("log") if name.endswith(".log")]
paths += [name for name in ("fault.txt", "settings.json", "settings.bad") if name in names(".")]
"""


def bundle(path: str, file: Path, tell: Callable[[str], None]) -> None:
    """Write what can be told of the board at *path* into *file*; *tell* gets what is in it.

    What fails is in it too. Raise LinkError with the first of that, when the rest is written.
    """
    troubles: list[LinkError] = []
    with zipfile.ZipFile(file, "x", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("computer.txt", _text(map(str, doctor.computer())))
        try:
            with Link(path) as link:
                for words, last in (("status", STATUS_ENDS), ("settings", "")):
                    said = (line.removeprefix("> ") for line in ask(link, words, last))
                    packed.writestr(f"{words}.txt", _text(said))
        except LinkError as error:
            troubles.append(error)
        if not any(isinstance(trouble, ForeignError) for trouble in troubles):
            try:
                _files(path, packed)
            except LinkError as error:
                troubles.append(error)
        packed.writestr("troubles.txt", _text(map(str, troubles)))
        names = packed.namelist()
    tell(f"{file}: {', '.join(names)}.")
    tell("The settings and logs in it hold the names of the players, if the board was told them.")
    if troubles:
        raise LinkError(f"{troubles[0]} {file} has what could be had.")


def _files(path: str, packed: zipfile.ZipFile) -> None:
    """Add what is on the board's flash."""
    with at_prompt(path) as remote:
        files = fetch(remote, _FILES)
        there = facts(remote)
    for name, data in files.items():
        packed.writestr(f"board/{name}", data)
    logs = {name: data for name, data in files.items() if name.startswith("log/")}
    packed.writestr("game.log", joined(logs))
    sums = (f"{digest}  {name}" for name, digest in there.files.items())
    packed.writestr("firmware.txt", _text([there.described(), *sums]))


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
