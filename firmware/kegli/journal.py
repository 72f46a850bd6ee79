"""The event log on flash: files of at most 32 KB, the oldest dropped first.

Each file is a log by itself: it begins with a header and how the match stood. Lines wait in
memory until the table is at rest, so that no file ever ends in the middle of a stroke: whatever a
power cut takes, the files that are there replay.
"""

import os

from micropython import const

FOLDER = "log"
_BUFFER = const(6144)
_FILE_BYTES = const(32768)  # a file that has grown to this is followed by another
_LEAST_KB = const(64)  # two files: less could not hold a long record's head
_FREE_BYTES = const(65536)  # of the flash, which are left to the score
_PROBE_BYTES = const(4096)
_DIGITS = const("%06d.log")


class Journal:
    """Keeps the lines of the log, in files of *limit_kb* KB in all, at least 64; 0 keeps none.

    `waiting` is how many bytes wait, `needs_file` whether a new file has to begin with a header.
    Whatever writes raises OSError if the flash fails; what waits is kept then.
    """

    def __init__(self, limit_kb: int) -> None:
        self.limit = max(limit_kb, _LEAST_KB) * 1024 if limit_kb else 0
        self.waiting = 0
        self.needs_file = limit_kb > 0
        self.left_out = 0  # lines, for want of room
        self._buffer = bytearray(_BUFFER if limit_kb else 0)
        self._number = 0  # of the file; 0 before the first
        self._size = 0  # of it

    def take(self, text: str) -> None:
        """Take lines of the log, without the last LF.

        If there is no room, all that waits is left out, and a new file has to begin: one with
        a hole would not replay.
        """
        if not self.limit:
            return
        data = text.encode() + b"\n"
        end = self.waiting + len(data)
        if self._number and not self.needs_file and end <= _BUFFER:
            self._buffer[self.waiting : end] = data
            self.waiting = end
        else:
            self.left_out += 1 + bytes(self._buffer[: self.waiting]).count(b"\n")
            self.waiting = 0
            self.needs_file = True

    def begin(self) -> None:
        """Begin a new file; its header comes next."""
        if self.limit:
            files = self.files()
            self._number = max(self._number, int(files[-1][0][:-4]) if files else 0) + 1
            self._size = 0
            self.waiting = 0
            self.needs_file = False

    def flush(self) -> None:
        """Write what waits."""
        if self.waiting:
            self._make_room()
            with open(FOLDER + "/" + _DIGITS % self._number, "ab") as file:
                file.write(memoryview(self._buffer)[: self.waiting])
            self._size += self.waiting
            self.waiting = 0
            self.needs_file = self._size >= _FILE_BYTES

    def probe(self) -> None:
        """See whether so much can be written as a flush would write."""
        self.files()  # which makes the folder
        path = FOLDER + "/probe"
        with open(path, "wb") as file:
            file.write(bytes(_PROBE_BYTES))
        os.remove(path)

    def files(self) -> "list[tuple[str, int]]":
        """Return (name, bytes) of each file, the oldest first."""
        try:
            names = sorted([name for name in os.listdir(FOLDER) if _is_ours(name)])
        except OSError:  # no folder
            os.mkdir(FOLDER)
            names = []
        return [(name, os.stat(FOLDER + "/" + name)[6]) for name in names]

    def _make_room(self) -> None:
        """Drop the oldest files until what waits has room, within the limit and on the flash."""
        files = self.files()
        used = sum([size for _name, size in files]) + self.waiting
        for name, size in files[:-1] if self._size else files:
            if used <= self.limit and free() >= _FREE_BYTES + self.waiting:
                return
            os.remove(FOLDER + "/" + name)
            used -= size


def _is_ours(name: str) -> bool:
    return name.endswith(".log") and name[:-4].isdigit()


def free() -> int:
    """Return how many bytes of the flash are free."""
    facts = os.statvfs(".")
    return facts[0] * facts[3]
