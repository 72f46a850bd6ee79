"""Ring of edges between the interrupts, which fill it, and the loop, which empties it."""

from array import array


class Ring:
    """Hold up to *size* edges: for each a source, a level, its ticks and their error.

    One writer and one reader: on the chip, handlers and timer callbacks never interrupt each
    other, and the loop alone reads. `dropped` counts the edges for which there was no place.
    """

    def __init__(self, size: int) -> None:
        self._size = size + 1  # one place stays empty, so that full and empty differ
        self._source = bytearray(self._size)
        self._level = bytearray(self._size)
        self._ticks = array("I", [0] * self._size)
        self._error_us = array("I", [0] * self._size)
        self._head = 0
        self._tail = 0
        self.dropped = 0

    def put(self, source: int, level: int, ticks: int, error_us: int) -> None:
        """Store an edge, or count it if there is no place for it.

        *source*: 0 to 255. *ticks*: as `time.ticks_us` gives them. *error_us*: the edge was at
        most this far from *ticks*. Allocates nothing.
        """
        head = self._head
        after = head + 1
        if after == self._size:
            after = 0
        if after == self._tail:
            self.dropped += 1
            return
        self._source[head] = source
        self._level[head] = level
        self._ticks[head] = ticks
        self._error_us[head] = error_us
        self._head = after  # last: the reader sees a whole edge or none

    def get(self) -> "tuple[int, int, int, int] | None":
        """Take out the oldest edge: (source, level, ticks, error_us), or None if there is none."""
        tail = self._tail
        if tail == self._head:
            return None
        edge = self._source[tail], self._level[tail], self._ticks[tail], self._error_us[tail]
        self._tail = 0 if tail + 1 == self._size else tail + 1
        return edge

    def any(self) -> bool:
        """Return whether an edge waits."""
        return self._tail != self._head
