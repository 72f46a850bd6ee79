"""The board's settings as a table, kept in firmware/README.md.

`python -m host_tools.settings_table` writes it there; a test fails when it is old.
"""

from __future__ import annotations

import re
from pathlib import Path

import kegli
from host_tools.diagram import README, put_between
from kegli.settings import TABLE, span

_TEXTS = Path(kegli.__file__).parent / "help.txt"

_BEGIN = "<!-- written by python -m host_tools.settings_table -->\n"
_END = "<!-- end of the settings -->\n"


def table() -> str:
    """Return the table: a row for each setting."""
    texts = _TEXTS.read_text(encoding="utf-8")
    why = dict(re.findall(r"^setting (\S+): (.*)$", texts, re.M))
    lines = ["| setting | unit | may be | usual | why |", "|---|---|---|---|---|"]
    for row in TABLE:
        key, unit, _kind, usual = row
        lines.append(f"| `{key}` | {unit or '-'} | {span(row)} | {usual or '-'} | {why[key]} |")
    return "\n".join([*lines, ""])


def updated(text: str) -> str:
    """Return *text* with the table between its two marks."""
    return put_between(_BEGIN, table(), _END, text)


if __name__ == "__main__":
    README.write_text(updated(README.read_text(encoding="utf-8")), encoding="utf-8")
