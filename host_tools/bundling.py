"""Everything that a report of a fault needs, in one zip: `kegli bundle`."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

from host_tools import doctor
from host_tools.deploying import facts
from host_tools.link import Link, LinkError, ask
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
    troubles: list[str] = []

    def asked(words: str) -> str:
        try:
            with Link(path) as link:
                return "".join(f"{line.removeprefix('> ')}\n" for line in ask(link, words))
        except LinkError as error:
            troubles.append(str(error))
            return f"{error}\n"

    with zipfile.ZipFile(file, "x", zipfile.ZIP_DEFLATED) as packed:
        status = asked("status")
        packed.writestr("status.txt", status)
        packed.writestr("settings.txt", status if troubles else asked("settings"))
        packed.writestr("doctor.txt", doctor.text(path))
        try:
            with at_prompt(path) as remote:
                files = fetch(remote, _FILES)
                there = facts(remote)
        except LinkError as error:
            troubles.append(str(error))
        else:
            for name, data in files.items():
                packed.writestr(f"board/{name}", data)
            logs = {name: data for name, data in files.items() if name.startswith("log/")}
            packed.writestr("game.log", joined(logs))
            listed = "".join(f"{digest}  {name}\n" for name, digest in there.files.items())
            packed.writestr("firmware.txt", f"{there.described()}\n{listed}")
        packed.writestr("troubles.txt", "".join(f"{trouble}\n" for trouble in troubles))
        names = packed.namelist()
    tell(f"{file}: {', '.join(names)}.")
    tell("The settings and logs in it hold the names of the players, if the board was told them.")
    if troubles:
        raise LinkError(f"{troubles[0]} {file} has what could be had.")
