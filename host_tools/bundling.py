"""Everything that a report of a fault needs, in one zip: `kegli bundle`."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

from host_tools import doctor
from host_tools.deploying import facts
from host_tools.link import STATUS_ENDS, ForeignError, Link, LinkError, ask
from host_tools.remote import at_prompt
from host_tools.stored import LOG_NAMES, Fetched, fetch, joined
from kegli.settings import ASIDE, FILE

# On the board: what is stored, and the last exception.
_FILES = (
    LOG_NAMES
    + f"""
paths += [name for name in ("fault.txt", "{FILE}", "{ASIDE}") if name in names(".")]
"""
)


def bundle(path: str, file: Path, tell: Callable[[str], None]) -> None:
    """Write what can be told of the board at *path* into *file*; *tell* gets what is in it.

    What fails is in it too. Raise LinkError with the first of that, when the rest is written.
    """
    troubles: list[LinkError] = []
    with zipfile.ZipFile(file, "x", zipfile.ZIP_DEFLATED) as packed:
        try:
            _pack(path, packed, troubles)
        except BaseException:  # Ctrl-C: half a zip is none
            packed.close()
            file.unlink()
            raise
        names = packed.namelist()
    tell(f"{file}: {', '.join(names)}.")
    tell("The settings and logs in it hold the names of the players, if the board was told them.")
    if troubles:
        raise LinkError(f"{troubles[0]} {file} has what could be had.")


def _pack(path: str, packed: zipfile.ZipFile, troubles: list[LinkError]) -> None:
    """Pack what can be had; what fails goes into *troubles* too."""
    packed.writestr("computer.txt", _text(map(str, doctor.computer())))
    try:
        with Link(path) as link:
            for words, last in (("status", STATUS_ENDS), ("settings", "")):
                said = (line.removeprefix("> ") for line in ask(link, words, last))
                packed.writestr(f"{words}.txt", _text(said))
    except LinkError as error:
        troubles.append(error)
    fetched = Fetched()
    if not any(isinstance(trouble, ForeignError) for trouble in troubles):
        try:
            with at_prompt(path) as remote:
                fetch(remote, _FILES, fetched)
                there = facts(remote)
            sums = (f"{digest}  {name}" for name, digest in there.files.items())
            packed.writestr("firmware.txt", _text([there.described(), *sums]))
        except LinkError as error:
            troubles.append(error)
    for name, data in fetched.files.items():
        packed.writestr(f"board/{name}", data)
    logs = {name: data for name, data in fetched.files.items() if name.startswith("log/")}
    if logs:
        packed.writestr("game.log", joined(logs))
    troubles += [LinkError(f"The board could not read {name}.") for name in fetched.failed]
    packed.writestr("troubles.txt", _text(map(str, troubles)))


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
