"""Puts MicroPython on a board, by esptool: `kegli flash`."""

from __future__ import annotations

import hashlib
import re
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from host_tools import images, programs
from host_tools.images import Image
from host_tools.link import (
    GoneError,
    Link,
    LinkError,
    NotAtRestError,
    RefusedError,
    interrupt,
    is_gone,
)
from host_tools.remote import Remote

_SILENCE_S = 9.0  # of esptool, before it is given up
_ERASE_S = 120.0  # of a whole flash, without a word: esptool's own limit
_FETCH_S = 9.0
_FETCH_BYTES = 4 << 20  # no image is longer
_SAFE_BAUD = 115_200
# Cheap boards fail at high rates; a pulled cable is told after 5 s rather than 10.
_CONFIG = "[esptool]\nconnect_attempts = 3\nwrite_block_attempts = 2\n"

_CONNECTED = re.compile(r"Connected to (\S+) on ")
_TYPE = re.compile(r"Chip type:\s+(\S+)")
_FEATURES = re.compile(r"Features:\s+(.*)")
_SIZE = re.compile(r"Detected flash size:\s+(\d+)MB")
_PERCENT = re.compile(r"Writing at .* (\d+\.\d)%")
_ERROR = re.compile(
    r"ERROR: (?:A fatal error occurred: |A serial exception error occurred: )?(.*)"
)

_ELSEWHERE = (
    " This can have many causes, for troubleshooting steps visit:"
    " https://docs.espressif.com/projects/esptool/en/latest/troubleshooting.html"
)

_BLOCK = 4096  # of the board's files; the first two begin with a mark
_FILES_MARK = b"littlefs"
_BLANK = b"\xff"

# MicroPython 1.29.0, by chip: where it is, and its SHA-256. micropython.org publishes no sums;
# these are what several people wrote down who fetched the files, and were not compared here.
VERSION = "1.29.0"
PINNED = {
    "ESP32": (
        "https://micropython.org/resources/firmware/ESP32_GENERIC-20260824-v1.29.0.bin",
        "e67ad6015a0a504c1fec9aa9bbf589d0432ed28e62546f4f8dd8a147f8bd95f6",
    ),
    "ESP32-S3": (
        "https://micropython.org/resources/firmware/ESP32_GENERIC_S3-20260824-v1.29.0.bin",
        "1dd9dcd27ba2d6a1cb7f7b49a063f46d3d807d68b0151161233920228285e300",
    ),
}


@dataclass(frozen=True)
class Chip:
    """A chip, as esptool told: *family* as images.Image.chip, *kind* with its package."""

    family: str
    kind: str
    features: str
    megabytes: int  # of its flash; 0 if that is not known

    def __str__(self) -> str:
        """Return what a person knows it by."""
        return f"{self.kind}, {self.megabytes} MB of flash" if self.megabytes else self.kind


class Loader:
    """The boot loader of the chip at *path*. Its methods raise LinkError.

    The chip stays in it until an image is written, or `leave` is called.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def chip(self) -> Chip:
        """Ask which chip it is."""
        said = "\n".join(self._run("flash-id", after="no-reset"))
        family, size = _CONNECTED.search(said), _SIZE.search(said)
        kind, features = _TYPE.search(said), _FEATURES.search(said)
        if not family:
            raise LinkError(f"esptool did not tell which chip is at {self.path}.")
        return Chip(
            family[1],
            kind[1] if kind else family[1],
            features[1] if features else "",
            int(size[1]) if size else 0,
        )

    def read(self, at: int, size: int) -> bytes:
        """Return bytes of the flash."""
        with TemporaryDirectory(prefix="kegli-flash-") as folder:
            file = Path(folder, "read.bin")
            words = ("read-flash", "--no-progress", hex(at), str(size), str(file))
            self._run(*words, after="no-reset")
            return file.read_bytes()

    def leave(self) -> None:
        """Start what is on the chip."""
        self._run("run")

    def write(
        self, image: Image, *, erase: bool, baud: int, step: Callable[[float], None]
    ) -> None:
        """Write an image, over an erased flash if *erase*; *step* gets percents."""
        with TemporaryDirectory(prefix="kegli-flash-") as folder:
            file = Path(folder, "image.bin")
            file.write_bytes(image.data)

            def each(line: str) -> None:
                found = _PERCENT.search(line)
                if found:
                    step(float(found[1]))

            words = ["write-flash", *(["--erase-all"] if erase else []), hex(image.offset)]
            self._run(
                *words,
                str(file),
                chip=image.chip,
                baud=baud,
                each=each,
                silence_s=_ERASE_S if erase else _SILENCE_S,
            )

    def _run(
        self,
        *words: str,
        chip: str = "auto",
        baud: int = _SAFE_BAUD,
        after: str = "hard-reset",
        each: Callable[[str], None] | None = None,
        silence_s: float = _SILENCE_S,
    ) -> list[str]:
        with TemporaryDirectory(prefix="kegli-flash-") as folder:
            config = Path(folder, "esptool.cfg")
            config.write_text(_CONFIG)
            try:
                status, said = programs.run(
                    "esptool",
                    *("--chip", chip.lower().replace("-", ""), "--port", self.path),
                    *("--baud", str(baud), "--after", after, *words),
                    silence_s=silence_s,
                    each=each,
                    environment={"ESPTOOL_CFGFILE": str(config)},
                )
            except programs.SilentError:
                raise LinkError(f"The chip at {self.path} stopped answering.") from None
        if status:
            raise self._trouble(said)
        return said

    def _trouble(self, said: list[str]) -> LinkError:
        """Return what esptool failed by, in one sentence."""
        if is_gone(self.path):
            return GoneError(f"{self.path} is gone.")
        error = next(
            (found[1] for line in said if (found := _ERROR.match(line))), "it said nothing"
        )
        if error.startswith("Failed to connect"):
            return LinkError(
                f"The chip at {self.path} does not enter its boot loader: hold its BOOT button,"
                " and say it again."
            )
        error = error.replace(_ELSEWHERE, "").rstrip(".")
        return LinkError(f"esptool failed at {self.path}: {error}.")


def fetched(chip: str, folder: Path) -> bytes:
    """Return the pinned image for a chip, fetched once and kept in *folder*.

    Raise RefusedError if it cannot be fetched, or is not what is pinned.
    """
    url, digest = PINNED[chip]
    kept = folder / url.rpartition("/")[2]
    if kept.exists() and hashlib.sha256(kept.read_bytes()).hexdigest() == digest:
        return kept.read_bytes()
    try:
        with urllib.request.urlopen(url, timeout=_FETCH_S) as answer:
            data = bytes(answer.read(_FETCH_BYTES))
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise RefusedError(
            f"{url} could not be fetched ({reason}): fetch it elsewhere, and name the file."
        ) from error
    if hashlib.sha256(data).hexdigest() != digest:
        raise RefusedError(f"What came from {url} is not the image that is pinned: {digest}.")
    folder.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(data)
    return data


def read(name: str, data: bytes) -> Image:
    """Return what an image is. Raise RefusedError with the *name* of what is no good."""
    try:
        return images.read(data)
    except ValueError as error:
        raise RefusedError(f"{name} {error}.") from error


@contextmanager
def entered(path: str) -> Iterator[tuple[Loader, Chip]]:
    """Yield the boot loader at *path*, and its chip.

    Firmware that runs there stores all first, and stops; it goes on if the chip does not enter
    its loader, or nothing is written. Raise LinkError if the port cannot be opened, a stroke
    runs at the table, or there is no loader.
    """
    is_stopped = False
    with Link(path) as link:
        try:
            interrupt(link)
            is_stopped = True
        except (NotAtRestError, GoneError):
            raise
        except LinkError:  # no MicroPython: that is why one flashes
            pass
    loader = Loader(path)
    try:
        chip = loader.chip()
    except LinkError:
        if is_stopped:
            with suppress(LinkError):
                Remote(path).run(["reset"])
        raise
    try:
        yield loader, chip
    except LinkError:  # it does not answer
        raise
    except BaseException:  # refused, or Ctrl-C
        with suppress(LinkError):
            loader.leave()
        raise


def check(chip: Chip, image: Image | None) -> None:
    """Raise RefusedError if the chip is not for the firmware, or the image not for the chip."""
    if chip.family not in PINNED:
        raise RefusedError(f"The firmware runs on ESP32 and ESP32-S3, not on {chip.kind}.")
    if chip.family == "ESP32" and "Embedded" in chip.features:
        raise RefusedError(
            f"{chip.kind} has memory at GPIO 16 and 17, which the firmware needs for pins."
        )
    if image and image.chip != chip.family:
        raise RefusedError(f"The image is for {image.chip}, and the chip is {chip.kind}.")


def holds_files(loader: Loader, image: Image) -> bool:
    """Say whether there are MicroPython's files where this image looks for them.

    Raise RefusedError if something else is there, with which it would not start.
    """
    first = loader.read(image.files_at, 2 * _BLOCK)
    if _FILES_MARK in first:
        return True
    if first.strip(_BLANK):
        raise RefusedError(
            f"The flash at {loader.path} holds something else than MicroPython's files:"
            " --erase forgets it."
        )
    return False


def write(  # noqa: PLR0913 (what is wanted, and who is told)
    loader: Loader,
    image: Image,
    *,
    erase: bool,
    baud: int,
    tell: Callable[[str], None],
    step: Callable[[float], None],
) -> None:
    """Write an image; if that fails at *baud*, again at 115200. Raise LinkError."""
    try:
        loader.write(image, erase=erase, baud=baud, step=step)
    except GoneError:
        raise
    except LinkError as error:
        if baud <= _SAFE_BAUD:
            raise
        tell(f"{error} Again at {_SAFE_BAUD} baud.")
        loader.write(image, erase=erase, baud=_SAFE_BAUD, step=step)
