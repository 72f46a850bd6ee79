"""A table with sensors that does not exist: strokes with known truth in, sensor edges out.

The strokes that travel with the package (strokes.jsonl.gz) were computed by the billiards
engine pooltool 0.6.0 (a tool under Apache-2.0; no part of it is here) for a table of
2.84 x 1.42 m: about 200 of a player who aims at legal strokes, about 100 from random positions.
Pins are without mass there: a touch fells them and bends no path. choose.py chose them.

What the sensors make of a stroke is a model with the sizes of effects.TABLE, not a
measurement. Nothing of it was measured on a real table.
"""

from host_tools.virtual_table.effects import TABLE, Effects
from host_tools.virtual_table.strokes import Event, Stroke, packaged, read
from host_tools.virtual_table.table import Edge, Played, Table

__all__ = ["TABLE", "Edge", "Effects", "Event", "Played", "Stroke", "Table", "packaged", "read"]
