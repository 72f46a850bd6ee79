"""Handicaps by their letters, as the words of the `new` that they stand for.

Imported on demand. `handicap KIND RECEIVER [POINTS] [key=value ...]`: the kinds are those of
R7.4 to R7.8 in this order; further keys are those of `new`.
"""

from .lines import number

# R is the receiver, G the giver, P the points, T a target that is lower by them.
_KINDS = {
    "a": "always=R",
    "b": "R.target=T",
    "c": "always=R R.start=P",
    "d": "always=R R.mode=series G.mode=single",
    "e": "always=R R.start=P R.mode=series G.mode=single",
}
_TARGET = 100
_LEAST_WORDS = 2


def new_words(words: list[str]) -> list[str]:
    """Return the words of a `new` from those behind `handicap`. Raise ValueError."""
    if len(words) < _LEAST_WORDS or words[0] not in _KINDS or words[1] not in ("a", "b"):
        raise ValueError("say: handicap a, b, c, d or e, the receiver a or b, and the points")
    text = _KINDS[words[0]].replace("R", words[1]).replace("G", "b" if words[1] == "a" else "a")
    rest = words[2:]
    if "P" in text or "T" in text:
        if not rest or "=" in rest[0]:
            raise ValueError("handicap %s needs points" % words[0])
        points = number(rest[0], _TARGET - 1)
        text = text.replace("P", "%d" % points).replace("T", "%d" % (_TARGET - points))
        rest = rest[1:]
    return ["new"] + text.split(" ") + rest
