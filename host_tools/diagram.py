"""The stroke's transition table as a Mermaid diagram, kept in firmware/README.md.

`python -m host_tools.diagram` writes it there; a test fails when it is old.
"""

from __future__ import annotations

from pathlib import Path

import kegli
from kegli.stroke import TRANSITIONS

# In the order of the constants in kegli/stroke.py, which would cost the board heap.
STATES = ("idle", "running", "lone")
EVENTS = (
    "hit", "noise", "knock", "click", "fall", "stray", "foreign", "lone-fall",
    "lift", "quiet", "stand", "done", "settle", "boot",
)  # fmt: skip

COLUMNS = 5
ROWS = [TRANSITIONS[place : place + COLUMNS] for place in range(0, len(TRANSITIONS), COLUMNS)]

README = Path(kegli.__file__).parent.parent / "README.md"
_BEGIN = "<!-- drawn by python -m host_tools.diagram -->\n"
_END = "<!-- end of the drawing -->\n"


def mermaid() -> str:
    """Return the diagram: an arrow for each pair of states, with its events and clauses."""
    arrows: dict[tuple[int, int], list[str]] = {}
    for state, event, action, following, clause in ROWS:
        if state != following or action.__name__ != "_nothing":
            label = EVENTS[event] + (f" ({clause})" if clause else "")
            arrows.setdefault((state, following), []).append(label)
    lines = ["```mermaid", "stateDiagram-v2", f"    [*] --> {STATES[0]}"]
    for (state, following), labels in arrows.items():
        lines.append(f"    {STATES[state]} --> {STATES[following]}: {', '.join(labels)}")
    return "\n".join([*lines, "```", ""])


def put_between(begin: str, new: str, end: str, text: str) -> str:
    """Return *text* with *new* between two marks that it has once."""
    before, rest = text.split(begin)
    _old, after = rest.split(end)
    return f"{before}{begin}{new}{end}{after}"


def updated(text: str) -> str:
    """Return *text* with the diagram between its two marks."""
    return put_between(_BEGIN, mermaid(), _END, text)


if __name__ == "__main__":
    README.write_text(updated(README.read_text(encoding="utf-8")), encoding="utf-8")
