"""Games won since the last `new`, and the result of a pair (R7.9): what is told, and the tally."""

import pytest

from kegli.referee import Referee
from tests.play import HEADER, script

TO_5 = "0 new a.target=5 b.target=5"
PAIR = TO_5 + " pair=1"

# A log, the notices that it brings about in order, and the tally at its end.
CASES: dict[str, tuple[str, list[str], list[int]]] = {
    "nobody has won": ("0 new; 1 stroke 3; 9 end", [], [0, 0, 0]),
    "before the first game": ("0 stroke 3; 9 end", [], [0, 0, 0]),
    "a wins": (TO_5 + "; 1 stroke 0", ["games won: a 1, b 0, drawn 0"], [1, 0, 0]),
    "b wins by the penalty of a": (
        TO_5 + "; 1 stroke 0; 5.5 mark cue",
        ["games won: a 1, b 0, drawn 0", "games won: a 0, b 1, drawn 0"],
        [0, 1, 0],
    ),
    "a win each": (
        TO_5 + "; 1 stroke 0; 10 next; 11 stroke 0",
        ["games won: a 1, b 0, drawn 0", "games won: a 1, b 1, drawn 0"],
        [1, 1, 0],
    ),
    "drawn and resigned": (
        "0 new; 1 draw; 2 next; 3 resign a; 4 next; 5 resign b; 6 next; 7 draw",
        [
            "games won: a 0, b 0, drawn 1",
            "games won: a 0, b 1, drawn 1",
            "games won: a 1, b 1, drawn 1",
            "games won: a 1, b 1, drawn 2",
        ],
        [1, 1, 2],
    ),
    "new starts again": ("0 new; 1 resign a; 2 new", ["games won: a 0, b 1, drawn 0"], [0, 0, 0]),
    "and counts from there": (
        "0 new; 1 resign a; 2 new; 3 resign b",
        ["games won: a 0, b 1, drawn 0", "games won: a 1, b 0, drawn 0"],
        [1, 0, 0],
    ),
    "undo of that new": (
        "0 new; 1 resign a; 2 new; 3 undo",
        ["games won: a 0, b 1, drawn 0"],
        [0, 1, 0],
    ),
    "next alone changes nothing": (
        "0 new; 1 resign a; 2 next",
        ["games won: a 0, b 1, drawn 0"],
        [0, 1, 0],
    ),
    "undo of a win": (
        TO_5 + "; 1 stroke 0; 9 undo",
        ["games won: a 1, b 0, drawn 0"],
        [0, 0, 0],
    ),
    "and the win again": (
        TO_5 + "; 1 stroke 0; 9 undo; 10 redo",
        ["games won: a 1, b 0, drawn 0"] * 2,
        [1, 0, 0],
    ),
    "an unfinished game counts for nobody": ("0 new; 1 stroke 3; 9 new; 10 end", [], [0, 0, 0]),
    "a score that wins and one that does not": (
        "0 new; 1 score a=100 b=0; 2 score a=99 b=0",
        ["games won: a 1, b 0, drawn 0"],
        [0, 0, 0],
    ),
    "R7.9 a pair, one each": (
        PAIR + "; 1 stroke 0; 10 next; 11 stroke 0",
        [
            "games won: a 1, b 0, drawn 0",
            "games won: a 1, b 1, drawn 0",
            "games of the pair won: a 1, b 1",
        ],
        [1, 1, 0],
    ),
    "R7.9 a pair, one of it drawn": (
        PAIR + "; 1 draw; 2 next; 3 resign a",
        [
            "games won: a 0, b 0, drawn 1",
            "games won: a 0, b 1, drawn 1",
            "games of the pair won: a 0, b 1",
        ],
        [0, 1, 1],
    ),
    "R7.9 the second pair begins at nothing": (
        PAIR + "; 1 resign b; 2 next; 3 resign b; 4 next; 5 resign a; 6 next; 7 resign b",
        [
            "games won: a 1, b 0, drawn 0",
            "games won: a 2, b 0, drawn 0",
            "games of the pair won: a 2, b 0",
            "games won: a 2, b 1, drawn 0",
            "games won: a 3, b 1, drawn 0",
            "games of the pair won: a 1, b 1",
        ],
        [3, 1, 0],
    ),
    "R7.9 the first game of a pair alone": (
        PAIR + "; 1 resign b; 2 new pair=1; 3 resign b",
        ["games won: a 1, b 0, drawn 0"] * 2,
        [1, 0, 0],
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_is_told_of_games_won(case: tuple[str, list[str], list[int]]) -> None:
    steps, notices, tally = case
    referee = Referee(HEADER)
    for line in script(steps + "; 90 end").splitlines():
        referee.feed(line)
    referee.finish()
    told = [line for line in referee.take() if line.startswith("> games ")]
    assert [line.removesuffix(" (R7.9)")[2:] for line in told] == notices
    assert referee.tally == tally
