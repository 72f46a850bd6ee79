"""Chooses the strokes that travel with the package.

    python -m host_tools.virtual_table.choose PLAYER.jsonl.gz RANDOM.jsonl.gz

Each file is divided by the referee's verdict and the number of pins. Each part gives its share
of 200 (player) or 100 (random) strokes, rounded, but at least one: so everything that occurs
there occurs here, in nearly the same proportions. Which strokes of a part: those with the
smallest of random numbers with a fixed seed. They keep their order, and lose the keys that
strokes.py does not read.
"""

import gzip
import json
import sys
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any

from host_tools.virtual_table.strokes import FORMS, PACKAGED, read

_SEED = 1
_SHARES = (200, 100)  # of the player's strokes, of the random ones


def choose(strokes: list[dict[str, Any]], share: int, seed: int) -> list[dict[str, Any]]:
    """Return about `share` of the strokes, every verdict and number of pins among them."""
    rng = Random(seed)
    parts: dict[tuple[str, int], list[tuple[float, int]]] = defaultdict(list)
    for index, stroke in enumerate(strokes):
        truth = stroke["v"]
        parts[truth["kind"], len(truth["pins"])].append((rng.random(), index))
    chosen: list[int] = []
    for part in parts.values():
        size = max(1, round(share * len(part) / len(strokes)))
        chosen += [index for _, index in sorted(part)[:size]]
    return [strokes[index] for index in sorted(chosen)]


def slim(stroke: dict[str, Any]) -> dict[str, Any]:
    """Return a stroke with nothing but what strokes.py reads; speeds to 1 mm/s."""
    return {
        "mode": stroke["mode"],
        "ev": [_slim_event(event) for event in stroke["ev"]],
        "v": {key: stroke["v"][key] for key in ("kind", "pts", "pins", "carom")},
        "t_end": stroke["t_end"],
    }


def _slim_event(event: dict[str, Any]) -> dict[str, Any]:
    form = FORMS[event["k"]]
    slimmed = {key: event[key] for key in ("t", "k", form.key) if key}
    if form.has_speed:
        slimmed["v"] = round(event["v"], 3)
    return slimmed


def write(strokes: list[dict[str, Any]], path: Path) -> None:
    """Write strokes, one a line; the same strokes give the same bytes, whatever the time."""
    lines = [json.dumps(stroke, separators=(",", ":")) + "\n" for stroke in strokes]
    path.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))


def main(arguments: list[str]) -> int:
    """Write the strokes of the package. Return the exit status."""
    if len(arguments) != len(_SHARES):
        print("Name two files: PLAYER.jsonl.gz RANDOM.jsonl.gz.", file=sys.stderr)
        return 2
    chosen: list[dict[str, Any]] = []
    for path, share in zip(arguments, _SHARES, strict=True):
        try:
            read(path)  # whatever is wrong with it is said here
        except ValueError as error:
            print(error, file=sys.stderr)
            return 1
        with gzip.open(path, "rt", encoding="utf-8") as file:
            strokes = [json.loads(line) for line in file if line.strip()]
        chosen += [slim(stroke) for stroke in choose(strokes, share, _SEED)]
    write(chosen, PACKAGED)
    print(f"{len(chosen)} strokes, {PACKAGED.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
