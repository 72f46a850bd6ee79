"""RULES.md chapter R7: start, target, draw and handicap."""

import pytest

from tests.play import Row, row

# Games to 5, which one fall of the king wins.
TO_5 = "0 new a.target=5 b.target=5"
WON_1 = "@1 a 0 legal? 5:0 R2.2 = 5:0 a"
OVER_1 = "over won a 5:0 a 1"

START = [
    row("R7.1", "a by default", "0 new; 1 end", "", "ready playing - 0:0 a 0"),
    row("R7.1", "a by lot", "0 new first=a; 1 end", "", "ready playing - 0:0 a 0"),
    row("R7.1", "b by lot", "0 new first=b; 1 end", "", "ready playing - 0:0 b 0"),
    row(
        "R7.1",
        "the next game starts with the other",
        TO_5 + "; 1 stroke 0; 10 next; 20 end",
        WON_1,
        OVER_1 + "; ready playing - 0:0 b 0",
    ),
    row(
        "R7.1",
        "whoever won",
        TO_5 + "; 1 stroke; 10 stroke 0; 20 next; 30 end",
        "@1 a - none? 0:0 R2.8 = 0:0 b; @10 b 0 legal? 0:5 R2.2 = 0:5 b",
        "over won b 0:5 b 2; ready playing - 0:0 b 0",
    ),
    row(
        "R7.1",
        "the third game starts with the first",
        TO_5 + "; 1 stroke 0; 10 next; 11 stroke 0; 20 next; 30 end",
        WON_1 + "; @11 b 0 legal? 0:5 R2.2 = 0:5 b",
        OVER_1 + "; over won b 0:5 b 1; ready playing - 0:0 a 0",
    ),
    row(
        "R7.1",
        "after a start by b",
        TO_5 + " first=b; 1 stroke 0; 10 next; 20 end",
        "@1 b 0 legal? 0:5 R2.2 = 0:5 b",
        "over won b 0:5 b 1; ready playing - 0:0 a 0",
    ),
    row(
        "R7.1",
        "the next game keeps the terms",
        "0 new a.target=5 b.target=7 a.mode=single fine=4; 1 stroke 0; 10 next; 11 stroke; "
        "13 mark off; "
        "20 stroke 0; 30 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:0 b; @11 b - none? 4:0 R4.5 = 4:0 a judged; "
        "@20 a 0 legal? 5:0 R2.2 = 9:0 b",
        "over won a 5:0 b 1; over won a 9:0 b 2",
    ),
    row(
        "R7.1",
        "a new game does not",
        "0 new first=b a.target=5 b.target=5; 1 stroke 0; 10 new; 11 stroke 0; 20 end",
        "@1 b 0 legal? 0:5 R2.2 = 0:5 b; @11 a 0 legal? 5:0 R2.2 = 5:0 a",
        "over won b 0:5 b 1; ready playing - 5:0 a 1",
    ),
    row(
        "R7.1",
        "next needs a game that is over",
        "0 new; 1 stroke 0; 10 next; 20 end",
        WON_1,
        "ready playing - 5:0 a 1 errors=1",
    ),
    row(
        "R7.1",
        "next while the winning stroke runs",
        TO_5 + "; 1 hit 0; 1.2 fall 0; 2 next; 4 stand 0; 9 end",
        WON_1,
        OVER_1 + "; ready playing - 0:0 b 0",
    ),
    row(
        "R7.1",
        "a new game leaves the old one unfinished",
        "0 new; 1 stroke 0; 10 new first=b; 20 end",
        WON_1,
        "over playing - 5:0 a 1; ready playing - 0:0 b 0",
    ),
    row(
        "R7.1",
        "a new game ends the stroke that runs",
        "0 new; 1 hit 0; 1.2 fall 0; 2 new; 4 stand 0; 9 end",
        WON_1,
        "over playing - 5:0 a 1; ready playing - 0:0 a 0",
    ),
]

TARGET = [
    row("R7.2", "below", "0 new a.target=6; 1 stroke 0; 20 end", WON_1, "ready playing - 5:0 a 1"),
    row("R7.2", "on it", "0 new a.target=5; 1 stroke 0; 20 end", WON_1, OVER_1),
    row("R7.2", "beyond it", "0 new a.target=4; 1 stroke 0; 20 end", WON_1, OVER_1),
    row(
        "R7.2",
        "a target of 1",
        "0 new a.target=1; 1 stroke 3; 20 end",
        "@1 a 3 legal? 2:0 R2.1 = 2:0 a",
        "over won a 2:0 a 1",
    ),
    row(
        "R7.2",
        "100 by default",
        "0 new; 1 stroke 0,1,2,3,4; 10 stroke 0,1,2,3,4; 20 stroke 0,1,2,3,4; "
        "30 stroke 0,1,2,3; 40 end",
        "@1 a 0,1,2,3,4 legal? 30:0 R2.5 = 30:0 a; @10 a 0,1,2,3,4 legal? 30:0 R2.5 = 60:0 a; "
        "@20 a 0,1,2,3,4 legal? 30:0 R2.5 = 90:0 a; @30 a 0,1,2,3 legal? 9:0 R2.4 = 99:0 a",
        "ready playing - 99:0 a 4",
    ),
    row(
        "R7.2",
        "100 reached",
        "0 new; 1 stroke 0,1,2,3,4; 10 stroke 0,1,2,3,4; 20 stroke 0,1,2,3,4; "
        "30 stroke 1,2,3,4; 40 stroke 3; 50 end",
        "@1 a 0,1,2,3,4 legal? 30:0 R2.5 = 30:0 a; @10 a 0,1,2,3,4 legal? 30:0 R2.5 = 60:0 a; "
        "@20 a 0,1,2,3,4 legal? 30:0 R2.5 = 90:0 a; @30 a 1,2,3,4 legal? 8:0 R2.1 = 98:0 a; "
        "@40 a 3 legal? 2:0 R2.1 = 100:0 a",
        "over won a 100:0 a 5",
    ),
    row(
        "R7.2",
        "each has his own",
        "0 new b.target=5; 1 stroke 0; 20 end",
        WON_1,
        "ready playing - 5:0 a 1",
    ),
    row(
        "R7.2",
        "on the partner's penalty",
        "0 new b.target=5; 1 fall 0; 20 end",
        "@1 a 0 doubt? 0:5 R2.2,R4.3 = 0:5 b",
        "over won b 0:5 b 1",
    ),
    row(
        "R7.2",
        "on the partner's fine",
        "0 new b.target=2; 1 stroke; 3 mark miss; 20 end",
        "@1 a - none? 0:2 R4.4 = 0:2 b judged",
        "over won b 0:2 b 1",
    ),
    row(
        "R7.2",
        "on a carom",
        "0 new a.target=3; 1 stroke; 3 mark carom; 20 end",
        "@1 a - none? 3:0 R2.6 = 3:0 b judged",
        "over won a 3:0 b 1",
    ),
    row(
        "R7.2",
        "not before the stroke is over",
        "0 new a.target=5; 1 hit 0; 1.2 fall 0; 3 fall 1,2; 20 end",
        "@1 a 0,1,2 legal? 7:0 R2.3 = 7:0 a",
        "over won a 7:0 a 1",
    ),
    row(
        "R7.2",
        "no stroke after the end",
        "0 new a.target=5; 1 stroke 0; 10 stroke 0; 20 pass; 30 end",
        WON_1,
        "over won a 5:0 a 1 errors=1",
    ),
    row(
        "R7.2",
        "a mark on the winning stroke gives the win to the other",
        "0 new a.target=5 b.target=5; 1 stroke 0; 10 mark cue; 20 end",
        "@1 a 0 cue? 0:5 R2.2,R4.1 = 0:5 b judged",
        "over won b 0:5 b 1",
    ),
    row(
        "R7.2",
        "no fault by hand once the winning stroke is accepted",
        "0 new a.target=5; 1 stroke 0; 10 ok; 11 mark touch; 20 end",
        WON_1,
        "over won a 5:0 a 1 errors=1",
    ),
]


# Strokes that fell nothing, 10 s apart, the players alternating; some are marked `repeat`.
def repeats(strokes: int, marked: str) -> str:
    """Return the log of such strokes, the first at 1 s."""
    steps = (
        f"{10 * n - 9} stroke; {10 * n - 7} mark repeat"
        if str(n) in marked
        else f"{10 * n - 9} stroke"
        for n in range(1, strokes + 1)
    )
    return "0 new a.mode=single b.mode=single; " + "; ".join(steps) + f"; {10 * strokes + 5} end"


def alternating(strokes: int, marked: str) -> str:
    """Return the outcome of such strokes."""
    return "; ".join(
        f"@{10 * n - 9} {'ba'[n % 2]} - none? 0:0 R2.8 = 0:0 {'ab'[n % 2]}"
        + (" judged" if str(n) in marked else "")
        for n in range(1, strokes + 1)
    )


DRAW = [
    row(
        "R7.3",
        "three repeats each",
        repeats(6, "123456"),
        alternating(6, "123456"),
        "over drawn - 0:0 a 6",
    ),
    row(
        "R7.3",
        "five repeats",
        repeats(5, "12345"),
        alternating(5, "12345"),
        "ready playing - 0:0 b 5",
    ),
    row(
        "R7.3",
        "six strokes, the first no repeat",
        repeats(6, "23456"),
        alternating(6, "23456"),
        "ready playing - 0:0 a 6",
    ),
    row(
        "R7.3",
        "seven strokes, the first no repeat",
        repeats(7, "234567"),
        alternating(7, "234567"),
        "over drawn - 0:0 b 7",
    ),
    row(
        "R7.3",
        "the run is broken",
        repeats(8, "1245678"),
        alternating(8, "1245678"),
        "ready playing - 0:0 a 8",
    ),
    row(
        "R7.3",
        "the run begins again",
        repeats(9, "12456789"),
        alternating(9, "12456789"),
        "over drawn - 0:0 b 9",
    ),
    row(
        "R7.3",
        "each three, in series",
        "0 new; 1 stroke 3; 3 mark repeat; 11 stroke 3; 13 mark repeat; 21 stroke; "
        "23 mark repeat; "
        "31 stroke 4; 33 mark repeat; 41 stroke 4; 43 mark repeat; 51 stroke; 53 mark repeat; "
        "70 end",
        "@1 a 3 legal? 2:0 R2.1 = 2:0 a judged; @11 a 3 legal? 2:0 R2.1 = 4:0 a judged; "
        "@21 a - none? 0:0 R2.8 = 4:0 b judged; @31 b 4 legal? 0:2 R2.1 = 4:2 b judged; "
        "@41 b 4 legal? 0:2 R2.1 = 4:4 b judged; @51 b - none? 0:0 R2.8 = 4:4 a judged",
        "over drawn - 4:4 a 6",
    ),
    row(
        "R7.3",
        "a win goes first",
        repeats(6, "123456")
        .replace("b.mode=single", "b.mode=single b.target=2")
        .replace("51 stroke", "51 stroke 3"),
        alternating(5, "12345") + "; @51 b 3 legal? 0:2 R2.1 = 0:2 a judged",
        "over won b 0:2 a 6",
    ),
    row(
        "R7.3",
        "undone",
        repeats(6, "123456").replace("; 65 end", "; 60 undo; 65 end"),
        alternating(6, "12345"),
        "ready playing - 0:0 a 6",
    ),
    row(
        "R7.3",
        "said by a person",
        "0 new; 1 stroke 0; 6 draw; 20 end",
        WON_1,
        "over drawn - 5:0 a 1",
    ),
    row(
        "R7.3",
        "said and undone",
        "0 new; 1 stroke 0; 6 draw; 7 undo; 20 end",
        WON_1,
        "ready playing - 5:0 a 1",
    ),
    row(
        "R7.3",
        "no draw after the end",
        TO_5 + "; 1 stroke 0; 6 draw; 20 end",
        WON_1,
        OVER_1 + " errors=1",
    ),
    row("R7.3", "no equalising stroke", TO_5 + "; 1 stroke 0; 6 stroke 0; 20 end", WON_1, OVER_1),
    row(
        "R7.3",
        "a player gives up",
        "0 new; 1 stroke 0; 6 resign a; 20 end",
        WON_1,
        "over won b 5:0 a 1",
    ),
    row(
        "R7.3",
        "the other gives up",
        "0 new; 1 stroke 0; 6 resign b; 20 end",
        WON_1,
        "over won a 5:0 a 1",
    ),
    row(
        "R7.3",
        "a player gives up while a stroke runs",
        "0 new; 1 hit 0; 1.2 fall 0; 2 resign b; 4 stand 0; 20 end",
        WON_1,
        "over won a 5:0 a 1",
    ),
]

HANDICAP = [
    row(
        "R7.4",
        "the receiver always starts",
        TO_5 + " always=b; 1 stroke 0; 6 next; 7 stroke 0; 12 next; 20 end",
        "@1 b 0 legal? 0:5 R2.2 = 0:5 b; @7 b 0 legal? 0:5 R2.2 = 0:5 b",
        "over won b 0:5 b 1; over won b 0:5 b 1; ready playing - 0:0 b 0",
    ),
    row(
        "R7.4",
        "goes before the lot",
        "0 new first=a always=b; 1 end",
        "",
        "ready playing - 0:0 b 0",
    ),
    row("R7.4", "none", "0 new first=b always=none; 1 end", "", "ready playing - 0:0 b 0"),
    row(
        "R7.5",
        "the receiver has a lower target",
        "0 new b.target=5; 1 stroke; 10 stroke 0; 20 end",
        "@1 a - none? 0:0 R2.8 = 0:0 b; @10 b 0 legal? 0:5 R2.2 = 0:5 b",
        "over won b 0:5 b 2",
    ),
    row(
        "R7.5",
        "the giver has a higher one",
        "0 new a.target=10 b.target=5; 1 stroke 0; 10 stroke; 20 stroke 0; 30 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:0 a; @10 a - none? 0:0 R2.8 = 5:0 b; "
        "@20 b 0 legal? 0:5 R2.2 = 5:5 b",
        "over won b 5:5 b 3",
    ),
    row(
        "R7.6",
        "points in advance",
        "0 new always=b b.start=20; 1 end",
        "",
        "ready playing - 0:20 b 0",
    ),
    row(
        "R7.6",
        "they count",
        "0 new always=b b.start=20 b.target=25; 1 stroke 0; 20 end",
        "@1 b 0 legal? 0:5 R2.2 = 0:25 b",
        "over won b 0:25 b 1",
    ),
    row(
        "R7.6",
        "in the next game too",
        "0 new always=b b.start=20 b.target=25; 1 stroke 0; 6 next; 20 end",
        "@1 b 0 legal? 0:5 R2.2 = 0:25 b",
        "over won b 0:25 b 1; ready playing - 0:20 b 0",
    ),
    row(
        "R7.7",
        "the receiver starts in series",
        "0 new always=b a.mode=single b.mode=series; 1 stroke 3; 10 stroke; 20 stroke 3; 30 end",
        "@1 b 3 legal? 0:2 R2.1 = 0:2 b; @10 b - none? 0:0 R2.8 = 0:2 a; "
        "@20 a 3 legal? 2:0 R2.1 = 2:2 b",
        "ready playing - 2:2 b 3",
    ),
    row(
        "R7.8",
        "with points in advance",
        "0 new always=b b.start=10 a.mode=single b.mode=series; 1 stroke 3; 10 stroke; "
        "20 stroke 3; 30 end",
        "@1 b 3 legal? 0:2 R2.1 = 0:12 b; @10 b - none? 0:0 R2.8 = 0:12 a; "
        "@20 a 3 legal? 2:0 R2.1 = 2:12 b",
        "ready playing - 2:12 b 3",
    ),
    # The second game: both with a's mode and target, nothing in advance, the other starting.
    row(
        "R7.9",
        "the second game is on equal terms",
        "0 new pair=1 a.mode=single a.target=5 b.target=50 b.start=48; 1 stroke 0; 6 next; "
        "7 stroke 0; 12 next; 20 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:48 b; @7 b 0 legal? 0:5 R2.2 = 0:5 a",
        "over won a 5:48 b 1; over won b 0:5 a 1; ready playing - 0:48 a 0",
    ),
    row(
        "R7.9",
        "and the other player starts it",
        TO_5 + " pair=1 always=b b.start=3; 1 stroke 3; 6 next; 7 stroke 0; 12 next; 20 end",
        "@1 b 3 legal? 0:2 R2.1 = 0:5 b; @7 a 0 legal? 5:0 R2.2 = 5:0 a",
        "over won b 0:5 b 1; over won a 5:0 a 1; ready playing - 0:3 b 0",
    ),
]


@pytest.mark.parametrize("case", DRAW)
def test_draw(case: Row) -> None:
    assert case.outcome() == case.expected()


@pytest.mark.parametrize("case", HANDICAP)
def test_handicap(case: Row) -> None:
    assert case.outcome() == case.expected()


@pytest.mark.parametrize("case", START)
def test_start(case: Row) -> None:
    assert case.outcome() == case.expected()


@pytest.mark.parametrize("case", TARGET)
def test_target(case: Row) -> None:
    assert case.outcome() == case.expected()


# Terms that make no sense start no game: the old one goes on, and one command was refused.
REFUSED_TERMS = [
    row(
        clause,
        f"refused {terms}",
        f"0 new; 1 stroke 0; 10 new {terms}; 20 end",
        WON_1,
        "ready playing - 5:0 a 1 errors=1",
    )
    for clause, terms in (
        ("R7.2", "a.target=0"),
        ("R7.2", "a.target=1000"),
        ("R7.2", "b.target=-5"),
        ("R7.2", "b.target=x"),
        ("R7.2", "target=60"),
        ("R7.1", "first=c"),
        ("R7.1", "first"),
        ("R6.3", "a.mode=both"),
        ("R2.7", "carom_adds=2"),
        ("R4.9", "fine=11"),
        ("R4.9", "pin_fine=11"),
        ("R7.4", "always=both"),
        ("R7.6", "a.start=100"),
        ("R7.6", "a.target=20 a.start=20"),
        ("R7.9", "pair=2"),
        ("R8.1", "table=snooker"),
        ("R8.2", "pocket_white=11"),
        ("R5.7", "late_keeps_turn=2"),
    )
]

TERMS_AT_THEIR_LIMITS = [
    row("R7.2", "a target of 1", "0 new a.target=1; 1 end", "", "ready playing - 0:0 a 0"),
    row("R7.2", "a target of 999", "0 new b.target=999; 1 end", "", "ready playing - 0:0 a 0"),
    row("R4.9", "fines of 10", "0 new fine=10 pin_fine=10; 1 end", "", "ready playing - 0:0 a 0"),
    row(
        "R7.6",
        "one below the target",
        "0 new a.target=20 a.start=19; 1 end",
        "",
        "ready playing - 19:0 a 0",
    ),
]


@pytest.mark.parametrize("case", REFUSED_TERMS + TERMS_AT_THEIR_LIMITS)
def test_terms(case: Row) -> None:
    assert case.outcome() == case.expected()
