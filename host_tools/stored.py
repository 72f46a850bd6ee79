"""What a board keeps on its flash, fetched as it is: `kegli pull`, and parts of `kegli bundle`."""

from __future__ import annotations

import binascii
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from host_tools.link import LinkError
from host_tools.remote import Remote, at_prompt

_LOGS = "log"
# It prints each file as base64 between its name and its sum: nothing on the way changes that.
_SEND = """
import binascii, hashlib, os
def send(path):
    print("file", path)
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while True:
                chunk = file.read(384)
                if not chunk:
                    break
                digest.update(chunk)
                print("data", binascii.b2a_base64(chunk).decode().strip())
    except OSError:  # one that is damaged does not keep the others from coming
        print("failed", path)
        return
    print("end", binascii.hexlify(digest.digest()).decode())
def names(folder):
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
"""
LOG_NAMES = f"""
paths = ["{_LOGS}/" + name for name in names("{_LOGS}") if name.endswith(".log")]
"""
_SEND_ALL = """
print("total", sum([os.stat(path)[6] for path in paths]))
for path in paths:
    send(path)
print("all", len(paths))
"""


@dataclass
class Fetched:
    """What came from a board: `files` by their paths, and the paths that it `failed` to read."""

    files: dict[str, bytes] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)


def logs(path: str, total: Callable[[int], None], step: Callable[[int], None]) -> Fetched:
    """Return the files of the log of the board at *path*, the oldest first.

    *total* gets their bytes, *step* those that have come. Raise LinkError, also if there are none.
    """
    fetched = Fetched()
    with at_prompt(path) as remote:
        fetch(remote, LOG_NAMES, fetched, total, step)
    if not fetched.files and not fetched.failed:
        raise LinkError(
            f"The board at {path} keeps no log: `kegli settings get log_kb` tells why."
        )
    return fetched


def fetch(
    remote: Remote,
    choose: str,
    into: Fetched,
    total: Callable[[int], None] = lambda _size: None,
    step: Callable[[int], None] = lambda _size: None,
) -> None:
    """Fetch files of a board *into* that: *choose* is code that makes a list `paths`.

    Raise LinkError, also if one comes damaged; what came before it is there.
    """
    receiver = _Receiver(into, total, step)
    try:
        remote.run(["exec", _SEND + choose + _SEND_ALL], each=receiver.take)
    except ValueError as error:  # binascii.Error is one
        what = receiver.path or "What comes"
        raise LinkError(f"{what} came damaged from {remote.path}: say it again.") from error
    if not receiver.is_all:
        raise LinkError(f"Not all has come from {remote.path}: say it again.")


class _Receiver:
    """Takes the lines of a board that sends files. Raises ValueError for what is damaged."""

    def __init__(
        self, into: Fetched, total: Callable[[int], None], step: Callable[[int], None]
    ) -> None:
        self.path = ""
        self.is_all = False
        self._into = into
        self._total = total
        self._step = step
        self._parts: list[bytes] = []

    def take(self, line: str) -> None:
        """Take a line; what is none of its words is let go."""
        word, _, rest = line.partition(" ")
        if word in ("total", "file", "data", "failed", "end", "all"):
            getattr(self, f"_take_{word}")(rest)

    def _take_total(self, rest: str) -> None:
        self._total(int(rest))

    def _take_file(self, rest: str) -> None:
        self.path = rest
        self._parts.clear()

    def _take_data(self, rest: str) -> None:
        self._parts.append(binascii.a2b_base64(rest))
        self._step(len(self._parts[-1]))

    def _take_failed(self, rest: str) -> None:
        self._into.failed.append(rest)

    def _take_end(self, rest: str) -> None:
        data = b"".join(self._parts)
        if not self.path or hashlib.sha256(data).hexdigest() != rest:
            raise ValueError(rest)
        self._into.files[self.path] = data
        self.path = ""

    def _take_all(self, rest: str) -> None:
        self.is_all = int(rest) == len(self._into.files) + len(self._into.failed)


def joined(logs: dict[str, bytes]) -> bytes:
    """Return the files of a log as one.

    Each begins with a first line and how the match stood, so what is lost between two of them
    spoils neither. A line that a power cut has left half written is given an end as a comment.
    """
    parts = []
    for data in logs.values():
        whole, newline, rest = data.rpartition(b"\n")
        parts.append(whole + newline + (b"# cut off: " + rest + b"\n" if rest else b""))
    return b"".join(parts)
