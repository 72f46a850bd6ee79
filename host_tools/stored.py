"""What a board keeps on its flash, fetched as it is: `kegli pull`, and parts of `kegli bundle`."""

from __future__ import annotations

import binascii
import hashlib
from collections.abc import Callable

from host_tools.link import LinkError
from host_tools.remote import Remote, at_prompt

_LOGS = "log"
# It prints each file as base64 between its name and its sum: nothing on the way changes that.
_SEND = """
import binascii, hashlib, os
def send(path):
    try:
        size = os.stat(path)[6]
        file = open(path, "rb")
    except OSError:
        return
    print("file", size, path)
    digest = hashlib.sha256()
    while True:
        chunk = file.read(384)
        if not chunk:
            break
        digest.update(chunk)
        print("data", binascii.b2a_base64(chunk).decode().strip())
    file.close()
    print("end", binascii.hexlify(digest.digest()).decode())
def names(folder):
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
"""
_LOG_NAMES = f"""
paths = ["{_LOGS}/" + name for name in names("{_LOGS}") if name.endswith(".log")]
"""
_SEND_ALL = """
print("total", sum([os.stat(path)[6] for path in paths]))
for path in paths:
    send(path)
"""


def logs(path: str, total: Callable[[int], None], step: Callable[[int], None]) -> dict[str, bytes]:
    """Return the files of the log of the board at *path*, by name, the oldest first.

    *total* gets their bytes, *step* those that have come. Raise LinkError, also if there are none.
    """
    with at_prompt(path) as remote:
        found = fetch(remote, _LOG_NAMES, total, step)
    if not found:
        raise LinkError(
            f"The board at {path} keeps no log: `kegli settings get log_kb` tells why."
        )
    return found


def fetch(
    remote: Remote,
    choose: str,
    total: Callable[[int], None] = lambda _size: None,
    step: Callable[[int], None] = lambda _size: None,
) -> dict[str, bytes]:
    """Return files of a board by their paths: *choose* is code that makes a list `paths`.

    Raise LinkError, also for one that came damaged.
    """
    found: dict[str, bytes] = {}
    open_path = ""
    parts: list[bytes] = []

    def take(line: str) -> None:
        nonlocal open_path
        word, _, rest = line.partition(" ")
        if word == "total":
            total(int(rest))
        elif word == "file":
            open_path = rest.partition(" ")[2]
            parts.clear()
        elif word == "data":
            try:
                parts.append(binascii.a2b_base64(rest))
            except binascii.Error:  # the sum will show it
                return
            step(len(parts[-1]))
        elif word == "end":
            data = b"".join(parts)
            if hashlib.sha256(data).hexdigest() != rest:
                raise LinkError(f"{open_path} came damaged from {remote.path}: say it again.")
            found[open_path] = data

    remote.run(["exec", _SEND + choose + _SEND_ALL], each=take)
    return found


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
