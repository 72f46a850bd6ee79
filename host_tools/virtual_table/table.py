"""The virtual table: plays strokes, lets hands set the pins up, tells what the sensors say."""

from collections.abc import Iterable
from typing import NamedTuple

from host_tools.virtual_table.cushions import heard
from host_tools.virtual_table.effects import Draws, Effects
from host_tools.virtual_table.pins import PINS, lifted, moved
from host_tools.virtual_table.strokes import Stroke

_ALL = Effects()

# Kind of edge: the sensor that makes it.
_SENSORS = {"pin": "pins", "hit": "cushions", "click": "click", "zone": "zone"}


class Edge(NamedTuple):
    """One transition at a sensor; tuples of it sort by time, then by a total order."""

    t_us: int
    kind: str  # "pin" "hit" "click" "zone"
    which: int  # pin 0-4 or cushion 0-3; 0 for click and zone
    level: int  # pin: 1 tilted, 0 upright; zone: 1 occupied; 1 for hit and click


class Played(NamedTuple):
    """The edges of one stroke, sorted, and when balls and pins are at rest."""

    edges: list[Edge]
    end_us: int


class Table:
    """A table with sensors, on which all pins stand.

    sensors: of "pins" "cushions" "click" "zone"; the others make no edge. Which are fitted
    changes nothing in the edges of the rest. Clicks and zone are ideal but for their jitter.
    """

    def __init__(
        self,
        seed: int,
        sensors: frozenset[str] = frozenset({"pins", "cushions"}),
        effects: Effects = _ALL,
    ) -> None:
        unknown = sorted(sensors - set(_SENSORS.values()))
        if unknown:
            raise ValueError(f"no such sensor: {', '.join(unknown)}")
        self._draws = Draws(seed, effects)
        self._sensors = sensors
        self._standing = [True] * PINS
        self._rest_us = 0

    @property
    def down(self) -> tuple[int, ...]:
        """The pins that lie, in order of their numbers."""
        return tuple(pin for pin in range(PINS) if not self._standing[pin])

    def play(self, stroke: Stroke, start_us: int) -> Played:
        """Play a stroke whose cue strikes at `start_us`; pins that lie cannot fall.

        Raise ValueError if balls, pins or hands still move then.
        """
        if start_us < self._rest_us:
            raise ValueError(f"a stroke at {start_us}, the table rests from {self._rest_us} on")
        edges = [
            *self._pins(stroke, start_us),
            *self._cushions(stroke, start_us),
            *self._clicks(stroke, start_us),
        ]
        zone = self._zone(stroke, start_us)
        rest_us = max([start_us + stroke.end_us, *(edge.t_us for edge in edges + zone)])
        if zone and zone[-1].level:
            # The next stroke begins elsewhere: the ball is taken away where it came to rest.
            rest_us = max(rest_us, zone[-1].t_us + 1)
            zone.append(Edge(rest_us, "zone", 0, 0))
        self._rest_us = rest_us
        return Played(self._fitted(edges + zone), rest_us)

    def set_up(self, from_us: int, down: Iterable[int]) -> tuple[list[Edge], int]:
        """Let hands lift those of the pins `down` that lie, one after the other.

        They come once the table rests. Return the edges, and when the last pin stands still.
        Raise ValueError for a pin that does not exist.
        """
        wanted = set(down)
        if not wanted <= set(range(PINS)):
            raise ValueError(f"no such pin: {sorted(wanted - set(range(PINS)))}")
        t_us = max(from_us, self._rest_us)
        edges: list[Edge] = []
        for pin in self.down:
            if pin not in wanted:
                continue
            t_us += self._draws.whole("hands_lift" if edges else "hands_come")
            times = lifted(self._draws, t_us)
            edges += [Edge(t, "pin", pin, n % 2) for n, t in enumerate(times)]
            t_us = times[-1]
            self._standing[pin] = True
        self._rest_us = t_us
        return self._fitted(edges), t_us

    def _pins(self, stroke: Stroke, start_us: int) -> list[Edge]:
        edges: list[Edge] = []
        times_of = moved(self._draws, self._standing, stroke.events, start_us)
        for pin, times in enumerate(times_of):
            edges += [Edge(t, "pin", pin, 1 - n % 2) for n, t in enumerate(times)]
            if len(times) % 2:
                self._standing[pin] = False
        return edges

    def _cushions(self, stroke: Stroke, start_us: int) -> list[Edge]:
        hits = (
            (start_us + e.t_us, e.which, e.speed) for e in stroke.events if e.kind == "cushion"
        )
        return [Edge(t, "hit", cushion, 1) for t, cushion in heard(self._draws, hits)]

    def _clicks(self, stroke: Stroke, start_us: int) -> list[Edge]:
        return [
            Edge(start_us + e.t_us + self._draws.whole("click_jitter"), "click", 0, 1)
            for e in stroke.events
            if e.kind in ("strike", "contact")
        ]

    def _zone(self, stroke: Stroke, start_us: int) -> list[Edge]:
        edges: list[Edge] = []
        for event in stroke.events:
            if event.kind == "zone":
                t_us = start_us + event.t_us + self._draws.whole("zone_jitter")
                after = edges[-1].t_us + 1 if edges else t_us
                edges.append(Edge(max(t_us, after), "zone", 0, event.which))
        return edges

    def _fitted(self, edges: list[Edge]) -> list[Edge]:
        return sorted(edge for edge in edges if _SENSORS[edge.kind] in self._sensors)
