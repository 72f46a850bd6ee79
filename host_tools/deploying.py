"""Brings the firmware to a board, whole or not at all: `kegli deploy`.

What differs is copied to a folder beside it and compared there; then one rename decides, and
boot.py does the rest at the next start, however often that is cut off. Settings, score and logs
are not touched.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from host_tools.firmware_files import PACKAGE, PROGRAMS, compiled, march, sources
from host_tools.link import STATUS_ENDS, LinkError, RefusedError, opened
from host_tools.remote import Remote, at_prompt
from kegli.board import chip

COMPILED = "compiled"  # the form of a firmware
_COMING = "update"  # the folder that boot.py knows
_BLOCK = 4096  # of the flash
_SPARE = 65536  # that the score wants
_START_S = 30.0
_ASK_S = 2.0
_LOOK_S = 0.2

# What a board prints of itself: a word, then what it is.
_FACTS = f"""
import binascii, hashlib, os, sys
def tell(path):
    digest = hashlib.sha256()
    chunk = bytearray(1024)
    with open(path, "rb") as file:
        while True:
            n = file.readinto(chunk)
            if not n:
                break
            digest.update(memoryview(chunk)[:n])
    print("file", binascii.hexlify(digest.digest()).decode(), path)
for folder in ("", "{PACKAGE}/", "{_COMING}/", "{_COMING}/{PACKAGE}/"):
    try:
        names = os.listdir(folder[:-1] or ".")
    except OSError:
        continue
    for name in sorted(names):
        is_folder = os.stat(folder + name)[0] & 0x4000
        if not is_folder and (folder or name in {PROGRAMS!r}):
            tell(folder + name)
for name in {PROGRAMS!r}:
    try:
        with open(name) as file:
            lines = [line.strip() for line in file.read().split("\\n")]
        if not [line for line in lines if line and line[0] != "#"]:
            print("empty", name)
    except OSError:
        pass
facts = os.statvfs(".")
print("free", facts[0] * facts[3])
print("mpy", getattr(sys.implementation, "_mpy", 0))
print("machine", getattr(sys.implementation, "_machine", "unknown"))
print("micropython", ".".join(str(n) for n in sys.implementation.version[:3]))
try:
    import {PACKAGE}
    print("version", {PACKAGE}.__version__)
except (ImportError, AttributeError):
    pass
"""
_FOLDERS = f"""
import os
for folder in ("{PACKAGE}", "{_COMING}", "{_COMING}/{PACKAGE}"):
    try:
        os.mkdir(folder)
    except OSError:
        pass
"""
_CLEAR = """
import os
for path in %r:
    os.remove(path)
"""
# From the first rename on it is the new firmware; boot.py goes first, since it does the rest.
_COMMIT = f"""
import os
os.rename("{_COMING}/todo.new", "{_COMING}/todo")
try:
    os.rename("{_COMING}/boot.py", "boot.py")
except OSError:
    pass
"""


@dataclass
class Facts:
    """What a board told of itself."""

    files: dict[str, str] = field(default_factory=dict)  # path to SHA-256
    empty: set[str] = field(default_factory=set)  # those of comments alone, as MicroPython's own
    free: int = 0  # bytes
    mpy: int = 0
    machine: str = ""
    micropython: str = ""
    version: str = ""  # of its firmware; "" if there is none

    def described(self) -> str:
        """Return it as a sentence's part."""
        firmware = f"firmware {self.version}, {self.form}" if self.version else "no firmware"
        return (
            f"{firmware}; MicroPython {self.micropython} on {self.machine};"
            f" {self.free // 1024:,} KB free"
        )

    @property
    def form(self) -> str:
        """Say in which form its firmware is."""
        is_compiled = any(path.endswith(".mpy") for path in self.files)
        return COMPILED if is_compiled else "sources"


def facts(remote: Remote, *before: list[str]) -> Facts:
    """Ask a board, after the steps *before*, what it is and has. Raise LinkError."""
    found = Facts()
    for line in remote.run(*before, ["exec", _FACTS]):
        word, _, rest = line.partition(" ")
        if word == "file":
            digest, _, path = rest.partition(" ")
            found.files[path] = digest
        elif word == "empty":
            found.empty.add(rest)
        elif word in ("free", "mpy") and rest.isdecimal():
            setattr(found, word, int(rest))
        elif word in ("machine", "micropython", "version"):
            setattr(found, word, rest)
    return found


@dataclass
class Plan:
    """What a deployment does: *wanted* has all files, by their paths on a board."""

    wanted: dict[str, bytes]
    there: dict[str, str]

    @property
    def different(self) -> list[str]:
        """The paths whose files are not what they should be."""
        return [path for path in self.wanted if self.there.get(path) != self._digest(path)]

    @property
    def stale(self) -> list[str]:
        """The paths of files that the firmware has no more."""
        return [p for p in self.there if p.startswith(f"{PACKAGE}/") and p not in self.wanted]

    @property
    def to_copy(self) -> list[str]:
        """The paths that have not come yet: what was cut off goes on."""
        coming = {path: self.there.get(f"{_COMING}/{path}") for path in self.different}
        return [path for path, digest in coming.items() if digest != self._digest(path)]

    @property
    def litter(self) -> list[str]:
        """What another deployment has left where this one copies to."""
        keep = {f"{_COMING}/{path}" for path in self.different}
        return [p for p in self.there if p.startswith(f"{_COMING}/") and p not in keep]

    @property
    def todo(self) -> bytes:
        """What boot.py is to do, which goes first itself."""
        lines = sorted((f"+ {p}" for p in self.different), key=lambda line: line != "+ boot.py")
        lines += [f"- {path}" for path in self.stale]
        return "".join(f"{line}\n" for line in lines).encode()

    @property
    def bytes_needed(self) -> int:
        """Bytes of flash that what is to be copied takes."""
        blocks = sum(-(-len(self.wanted[path]) // _BLOCK) for path in self.to_copy)
        return (blocks + 1) * _BLOCK

    def arrived(self, files: dict[str, str]) -> bool:
        """Say whether all that is to be put in place is there, and is right."""
        digests = {**{p: self._digest(p) for p in self.different}, "todo.new": _sum(self.todo)}
        return all(files.get(f"{_COMING}/{path}") == digest for path, digest in digests.items())

    def _digest(self, path: str) -> str:
        return _sum(self.wanted[path])


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def check(found: Facts, plan: Plan, replace: bool) -> None:
    """Raise RefusedError if the firmware is not for this board, or has no room there."""
    if not chip(found.machine):
        raise RefusedError(
            "This firmware is for ESP32 without SPIRAM and for ESP32-S3, not for"
            f" '{found.machine}'."
        )
    is_ours = any(path.startswith(f"{PACKAGE}/") for path in found.files)
    others = [name for name in PROGRAMS if name in found.files and name not in found.empty]
    if others and not is_ours and not replace:
        raise RefusedError(
            f"The board holds another program, {' and '.join(others)}: --replace overwrites it."
        )
    if plan.bytes_needed + _SPARE > found.free:
        raise RefusedError(
            f"The flash has {found.free:,} bytes free, and {plan.bytes_needed + _SPARE:,} are"
            " needed: keep the logs by `kegli pull`, and let the board keep fewer by"
            " `kegli settings set log_kb 64`."
        )


def deploy(  # noqa: PLR0913 (what is wanted, and who is told)
    path: str,
    *,
    mpy: bool | None,
    replace: bool,
    tell: Callable[[str], None],
    total: Callable[[int], None],
    step: Callable[[int], None],
) -> None:
    """Bring the firmware to the board at *path*, and start it.

    *mpy*: compiled for its chip, or not; None for the form that it has. *tell* gets what happens,
    *total* the bytes that are to be copied, *step* those of each file that is next. Raise
    LinkError, and RefusedError if nothing can be done.
    """
    with at_prompt(path) as remote:
        before = facts(remote, ["soft-reset"])  # which ends what another deployment has begun
        tell(f"{path}: {before.described()}")
        try:
            is_compiled = before.form == COMPILED if mpy is None else mpy
            wanted = compiled(march(before.mpy)) if is_compiled else sources()
        except (ValueError, RuntimeError) as error:
            raise RefusedError(str(error)) from error
        plan = Plan(wanted, before.files)
        if plan.litter:
            remote.run(["exec", _CLEAR % (plan.litter,)])
            before = facts(remote)
            plan = Plan(wanted, before.files)
        check(before, plan, replace)
        if plan.different or plan.stale:
            tell(
                f"{len(plan.different)} of {len(wanted)} files differ,"
                f" {len(plan.to_copy)} are to be copied."
            )
            total(sum(len(plan.wanted[path]) for path in plan.to_copy))
            _copy(remote, plan, step)
            remote.run(["exec", _COMMIT])
        else:
            tell("The firmware is the same, file by file.")
    after = started(path)
    tell(f"Firmware {before.version or 'none'} -> {after}: it runs.")


def _copy(remote: Remote, plan: Plan, step: Callable[[int], None]) -> None:
    """Copy what has not come yet, and make sure that all of it is right."""
    with TemporaryDirectory(prefix="kegli-deploy-") as folder:
        here = Path(folder)
        (here / PACKAGE).mkdir()
        sizes = {}
        for path in plan.to_copy:
            (here / path).write_bytes(plan.wanted[path])
            sizes[str(here / path)] = len(plan.wanted[path])
        (here / "todo.new").write_bytes(plan.todo)
        steps = [["exec", _FOLDERS]]
        for target in (f"{_COMING}/{PACKAGE}", _COMING):
            inside = here / target.removeprefix(_COMING).lstrip("/")
            files = sorted(str(file) for file in inside.iterdir() if file.is_file())
            steps += [["cp", *files, f":{target}/"]] if files else []

        def each(line: str) -> None:
            word, _, rest = line.partition(" ")
            if word == "cp":
                step(sizes.get(rest.rpartition(" ")[0], 0))

        remote.run(*steps, largest=max(sizes.values(), default=0), each=each)
    if not plan.arrived(facts(remote).files):
        raise LinkError("What has come is not what was sent: say it again.")


def started(path: str) -> str:
    """Wait until the firmware of the board at *path* runs, and return its version.

    Raise LinkError if it does not within 30 s.
    """
    until_s = time.monotonic() + _START_S
    version = ""
    with opened(path, _START_S) as link:
        asked_s = 0.0
        while time.monotonic() < until_s:
            if time.monotonic() >= asked_s:
                link.say("status")
                asked_s = time.monotonic() + _ASK_S
            for line in link.lines(_LOOK_S):
                if line.startswith("> firmware "):
                    version = line.split()[2].rstrip(",")
                if version and line.startswith(STATUS_ENDS):
                    return version
    raise LinkError(f"The firmware at {path} does not start: see what it says by `kegli console`.")
