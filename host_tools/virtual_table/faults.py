"""What breaks at a table, one thing at a time: a change of the edges that its sensors give.

A fault is a function from edges to edges. `begins_us` is when it begins; edges before are as
they were.
"""

from collections.abc import Callable, Iterable

from host_tools.virtual_table.table import Edge

Fault = Callable[[Iterable[Edge]], list[Edge]]

_CHATTER_US = 2_000  # between two edges of a bad contact
_ECHO_US = 3_000  # from a hit to that of a rail that hears it too


def silent(kind: str, which: int, begins_us: int = 0) -> Fault:
    """Return a sensor that says nothing any more."""

    def changed(edges: Iterable[Edge]) -> list[Edge]:
        return [
            edge
            for edge in edges
            if (edge.kind, edge.which) != (kind, which) or edge.t_us < begins_us
        ]

    return changed


def swapped(kind: str, one: int, other: int) -> Fault:
    """Return two sensors of a kind with their wires swapped."""
    wires = {one: other, other: one}

    def changed(edges: Iterable[Edge]) -> list[Edge]:
        return [
            edge._replace(which=wires.get(edge.which, edge.which)) if edge.kind == kind else edge
            for edge in edges
        ]

    return changed


def crosstalk(cushion: int, there: int) -> Fault:
    """Return a cushion whose hits another one hears too."""

    def changed(edges: Iterable[Edge]) -> list[Edge]:
        heard = list(edges)
        echoes = [
            Edge(edge.t_us + _ECHO_US, "hit", there, 1)
            for edge in heard
            if (edge.kind, edge.which) == ("hit", cushion)
        ]
        return sorted(heard + echoes)

    return changed


def torn(pin: int, at_us: int) -> list[Edge]:
    """Return the edge of a wire that breaks: the pin is down, without a bounce."""
    return [Edge(at_us, "pin", pin, 1)]


def chatter(pin: int, begins_us: int, lasts_us: int) -> list[Edge]:
    """Return the edges of a bad contact in a pin that stands."""
    times = range(begins_us, begins_us + lasts_us, _CHATTER_US)
    return [Edge(t_us, "pin", pin, 1 - n % 2) for n, t_us in enumerate(times)]
