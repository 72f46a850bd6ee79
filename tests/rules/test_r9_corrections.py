"""RULES.md chapter R9: undo, redo, judging again, score and turn by hand."""

import pytest

from tests.play import Row, play, row, script

KING_1 = "@1 a 0 legal? 5:0 R2.2 = 5:0 a"
NOTHING_1 = "@1 a - none? 0:0 R2.8 = 0:0 b"

# One step each, after a game with a stroke. Undo takes it back, redo brings it back.
GAME = "0 new a.target=10 b.target=7; 1 stroke 0; 19 ok; "
STEPS = {
    "a stroke": "20 stroke 3",
    "a stroke that passed the turn": "20 stroke",
    "a mark": "20 mark cue",
    "a stroke by hand": "20 mark carom",
    "a stroke that nobody heard": "20 pass",
    "the turn": "20 turn b",
    "a new game": "20 new a.mode=single",
    "the winning stroke": "20 stroke 0",
    "an earlier stroke judged again": "20 judge 1 cue",
    "a score by hand": "20 score a=1 b=1",
    "a draw": "20 draw",
    "giving up": "20 resign a",
}


@pytest.mark.parametrize(
    "step", STEPS.values(), ids=[f"R9.1-{what.replace(' ', '_')}" for what in STEPS]
)
def test_undo_and_redo(step: str) -> None:
    """Undo each kind of step once: the record is as before. Redo: it is as after."""
    before, after = play(script(GAME + "90 end")), play(script(GAME + step + "; 90 end"))
    undone = play(script(GAME + step + "; 40 undo; 90 end"))
    redone = play(script(GAME + step + "; 40 undo; 41 redo; 90 end"))
    assert (before.strokes, before.games) != (after.strokes, after.games)
    assert (redone.strokes, redone.games) == (after.strokes, after.games)
    assert (undone.strokes, undone.games) == (before.strokes, before.games)


UNDO = [
    row("R9.1", "a stroke", "0 new; 1 stroke 0; 6 undo; 20 end", "", "ready playing - 0:0 a 0"),
    row(
        "R9.1",
        "a stroke and redo",
        "0 new; 1 stroke 0; 6 undo; 7 redo; 20 end",
        KING_1,
        "ready playing - 5:0 a 1",
    ),
    row("R9.1", "the game", "0 new; 1 stroke 0; 6 undo; 7 undo; 20 end", "", ""),
    row(
        "R9.1",
        "the game and redo all",
        "0 new; 1 stroke 0; 6 undo; 7 undo; 8 redo; 9 redo; 20 end",
        KING_1,
        "ready playing - 5:0 a 1",
    ),
    row(
        "R9.1",
        "nothing left",
        "0 new; 1 stroke 0; 6 undo; 7 undo; 8 undo; 9 redo; 10 redo; 20 end",
        KING_1,
    ),
    row(
        "R9.1",
        "nothing to redo",
        "0 new; 1 stroke 0; 6 redo; 20 end",
        KING_1,
        "ready playing - 5:0 a 1 errors=1",
    ),
    row(
        "R9.1",
        "strokes leave no gap",
        "0 new; 1 stroke 0; 10 stroke 3; 20 undo; 21 stroke 4; 30 end",
        KING_1 + "; @21 a 4 legal? 2:0 R2.1 = 7:0 a",
        "ready playing - 7:0 a 2",
    ),
    row(
        "R9.1",
        "the turn comes back",
        "0 new; 1 stroke; 10 undo; 11 stroke 0; 20 end",
        "@11 a 0 legal? 5:0 R2.2 = 5:0 a",
    ),
    row(
        "R9.1",
        "ok and done are no steps",
        "0 new; 1 hit 0; 2 done; 3 ok; 4 undo; 20 end",
        "",
        "ready playing - 0:0 a 0",
    ),
    row(
        "R9.1",
        "marks one by one",
        "0 new; 1 stroke 0; 6 mark cue; 7 mark touch; 8 mark carom; 9 undo; 10 undo; 20 end",
        "@1 a 0 cue? 0:5 R2.2,R4.1 = 0:5 b judged",
    ),
    row(
        "R9.1",
        "the last mark of a stroke",
        "0 new; 1 stroke 0; 6 mark cue; 7 undo; 20 end",
        KING_1,
    ),
    row(
        "R9.1",
        "marks given while it ran go before it",
        "0 new; 1 hit 0; 2 mark carom; 9 undo; 20 end",
        NOTHING_1,
    ),
    row(
        "R9.1",
        "a stroke by hand goes with its mark",
        "0 new; 1 mark carom; 2 undo; 20 end",
        "",
        "ready playing - 0:0 a 0",
    ),
    row(
        "R9.1",
        "a stroke by hand keeps its first mark",
        "0 new; 1 mark carom; 2 mark off; 3 undo; 20 end",
        "@1 a - none? 3:0 R2.6 = 3:0 b by-hand judged",
    ),
    row(
        "R9.1",
        "what a pass accepted stays accepted",
        "0 new; 1 stroke; 8 pass; 9 undo; 10 mark touch; 20 end",
        NOTHING_1 + "; @10 b - none? 2:0 R4.6 = 2:0 a by-hand judged",
    ),
    row(
        "R9.1",
        "while a stroke runs",
        "0 new; 1 hit 0; 1.2 fall 0; 2 undo; 4 stand 0; 5 stroke 3; 20 end",
        "@5 a 3 legal? 2:0 R2.1 = 2:0 a",
    ),
    row(
        "R9.1",
        "while a stroke runs and redo",
        "0 new; 1 hit 0; 1.2 fall 0; 2 undo; 3 redo; 4 stand 0; 20 end",
        KING_1,
    ),
    row(
        "R9.1",
        "redo while a stroke runs",
        "0 new; 1 hit 0; 2 redo; 3 hit 1; 20 end",
        NOTHING_1,
        "ready playing - 0:0 b 1 errors=1",
    ),
    row(
        "R9.1",
        "a new stroke empties the steps to redo",
        "0 new; 1 stroke 0; 6 undo; 7 stroke 3; 15 redo; 20 end",
        "@7 a 3 legal? 2:0 R2.1 = 2:0 a",
        "ready playing - 2:0 a 1 errors=1",
    ),
    row(
        "R9.1",
        "a command empties the steps to redo",
        "0 new; 1 stroke 0; 6 undo; 7 turn b; 8 redo; 20 end",
        "",
        "ready playing - 0:0 b 0 by-hand errors=1",
    ),
    row(
        "R9.1",
        "a refused command does not",
        "0 new; 1 stroke 0; 6 undo; 7 turn a; 8 redo; 20 end",
        KING_1,
        "ready playing - 5:0 a 1 errors=1",
    ),
    row(
        "R9.1",
        "ok does not",
        "0 new; 1 stroke 0; 6 stroke 3; 11 undo; 12 ok; 13 redo; 20 end",
        KING_1 + "; @6 a 3 legal? 2:0 R2.1 = 7:0 a",
    ),
    row(
        "R9.1",
        "the winning stroke",
        "0 new a.target=5; 1 stroke 0; 6 undo; 20 end",
        "",
        "ready playing - 0:0 a 0",
    ),
    row(
        "R9.1",
        "the winning stroke and play on",
        "0 new a.target=5; 1 stroke 0; 6 undo; 7 stroke; 20 end",
        "@7 a - none? 0:0 R2.8 = 0:0 b",
        "ready playing - 0:0 b 1",
    ),
    row(
        "R9.1",
        "the winning stroke and redo",
        "0 new a.target=5; 1 stroke 0; 6 undo; 7 redo; 20 end",
        KING_1,
        "over won a 5:0 a 1",
    ),
    row(
        "R9.1",
        "the next game",
        "0 new a.target=5; 1 stroke 0; 6 next; 7 undo; 20 end",
        KING_1,
        "over won a 5:0 a 1",
    ),
    row(
        "R9.1",
        "the next game and the winning stroke",
        "0 new a.target=5; 1 stroke 0; 6 next; 7 undo; 8 undo; 9 stroke 3; 20 end",
        "@9 a 3 legal? 2:0 R2.1 = 2:0 a",
        "ready playing - 2:0 a 1",
    ),
    row(
        "R9.1",
        "a stroke of the next game, it, and the winning stroke, and redo all",
        "0 new a.target=5; 1 stroke 0; 6 next; 7 stroke 3; 15 undo; 16 undo; 17 undo; 18 redo; "
        "19 redo; 20 redo; 30 end",
        KING_1 + "; @7 b 3 legal? 0:2 R2.1 = 0:2 b",
        "over won a 5:0 a 1; ready playing - 0:2 b 1",
    ),
    row(
        "R9.1",
        "a new game brings the unfinished one back",
        "0 new; 1 stroke 0; 6 new; 7 undo; 8 stroke 3; 20 end",
        KING_1 + "; @8 a 3 legal? 2:0 R2.1 = 7:0 a",
        "ready playing - 7:0 a 2",
    ),
]

TURN = [
    row(
        "R9.4",
        "set",
        "0 new; 1 turn b; 2 stroke 3; 20 end",
        "@2 b 3 legal? 0:2 R2.1 = 0:2 b",
        "ready playing - 0:2 b 1 by-hand",
    ),
    row(
        "R9.4",
        "set to whose it is",
        "0 new; 1 turn a; 2 stroke 3; 20 end",
        "@2 a 3 legal? 2:0 R2.1 = 2:0 a",
        "ready playing - 2:0 a 1 errors=1",
    ),
    row(
        "R9.4",
        "set and set back",
        "0 new; 1 turn b; 2 turn a; 20 end",
        "",
        "ready playing - 0:0 a 0 by-hand",
    ),
    row(
        "R9.4",
        "after a stroke",
        "0 new; 1 stroke 0; 6 turn b; 7 stroke 3; 20 end",
        KING_1 + "; @7 b 3 legal? 0:2 R2.1 = 5:2 b",
        "ready playing - 5:2 b 2 by-hand",
    ),
    row(
        "R9.4",
        "who played is a fact",
        "0 new; 1 stroke 0; 6 turn b; 7 mark cue; 20 end",
        "@1 a 0 cue? 0:5 R2.2,R4.1 = 0:5 b judged",
        "ready playing - 0:5 b 1 by-hand",
    ),
    row(
        "R9.4",
        "goes before the turn of the stroke before it",
        "0 new; 1 stroke; 8 turn a; 9 mark carom; 20 end",
        "@1 a - none? 3:0 R2.6 = 3:0 b judged",
        "ready playing - 3:0 a 1 by-hand",
    ),
    row(
        "R9.4",
        "the next stroke decides again",
        "0 new; 1 turn b; 2 stroke; 20 end",
        "@2 b - none? 0:0 R2.8 = 0:0 a",
        "ready playing - 0:0 a 1 by-hand",
    ),
    row("R9.4", "undone", "0 new; 1 turn b; 2 undo; 20 end", "", "ready playing - 0:0 a 0"),
    # The stroke that runs is ended first, and the command is judged as if it had ended.
    row(
        "R9.4",
        "while a stroke runs",
        "0 new; 1 hit 0; 2 turn a; 3 hit 1; 20 end",
        NOTHING_1 + "; @3 a - none? 0:0 R2.8 = 0:0 b",
        "ready playing - 0:0 b 2 by-hand",
    ),
    row(
        "R9.4",
        "while a stroke runs and of no use",
        "0 new; 1 hit 0; 2 turn b; 3 hit 1; 20 end",
        NOTHING_1,
        "ready playing - 0:0 b 1 errors=1",
    ),
    row("R9.4", "needs a game", "0 turn a; 1 turn b; 20 end", "", ""),
]


JUDGE = [
    row(
        "R9.2",
        "an earlier stroke",
        "0 new; 1 stroke 0; 10 stroke 3; 20 judge 1 cue; 30 end",
        "@1 a 0 cue? 0:5 R2.2,R4.1 = 0:5 b judged; @10 a 3 legal? 2:0 R2.1 = 2:5 a",
        "ready playing - 2:5 a 2",
    ),
    row(
        "R9.2",
        "the last stroke",
        "0 new; 1 stroke 0; 10 judge 1 direct; 30 end",
        "@1 a 0 direct? 0:5 R2.2,R4.2 = 0:5 b judged",
        "ready playing - 0:5 b 1",
    ),
    row(
        "R9.2",
        "several marks",
        "0 new; 1 stroke 0; 10 stroke 3; 20 judge 1 cue touch carom; 30 end",
        "@1 a 0 cue? 0:7 R2.2,R2.7,R4.1,R4.6 = 0:7 b judged; @10 a 3 legal? 2:0 R2.1 = 2:7 a",
    ),
    row(
        "R9.2",
        "in their order",
        "0 new; 1 stroke 0; 10 judge 1 cue touch valid; 30 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:0 a judged",
    ),
    row(
        "R9.2",
        "instead of its own",
        "0 new; 1 stroke 0; 6 mark cue; 7 mark touch; 10 judge 1 carom; 30 end",
        "@1 a 0 legal? 5:0 R2.2,R2.7 = 5:0 a judged",
    ),
    row(
        "R9.2",
        "annulled pins stay annulled",
        "0 new; 1 stroke 0,3; 6 annul 0; 10 judge 1 cue; 30 end",
        "@1 a 3 cue? 0:2 R2.1,R4.1,R5.2 = 0:2 b judged",
    ),
    row(
        "R9.2",
        "never certain",
        "0 new; 1 hit 0; 1.2 fall 0; 10 judge 1 valid; 30 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:0 a judged",
        sensors="zone",
    ),
    row(
        "R9.2",
        "a fault leaves the verdict",
        "0 new; 1 fall 0; 10 judge 1 touch; 30 end",
        "@1 a 0 doubt? 0:7 R2.2,R4.3,R4.6 = 0:7 b judged",
    ),
    row(
        "R9.2",
        "while a stroke runs",
        "0 new; 1 stroke 0; 10 hit 0; 11 judge 1 cue; 12 hit 1; 30 end",
        "@1 a 0 cue? 0:5 R2.2,R4.1 = 0:5 b judged; @10 a - none? 0:0 R2.8 = 0:5 b; "
        "@12 b - none? 0:0 R2.8 = 0:5 a",
    ),
    row(
        "R9.2",
        "an accepted one",
        "0 new; 1 stroke 0; 6 ok; 10 judge 1 touch; 30 end",
        "@1 a 0 legal? 0:7 R2.2,R4.6 = 0:7 b judged",
    ),
    row(
        "R9.2",
        "who played stays a fact",
        "0 new; 1 stroke; 10 stroke 3; 20 judge 1 carom; 30 stroke 4; 40 end",
        "@1 a - none? 3:0 R2.6 = 3:0 b judged; @10 b 3 legal? 0:2 R2.1 = 3:2 b; "
        "@30 b 4 legal? 0:2 R2.1 = 3:4 b",
    ),
    row(
        "R9.2",
        "ends the game earlier",
        "0 new a.target=5; 1 fall 0; 3 stand 0; 10 stroke 3; 20 judge 1 valid; 30 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:0 a judged",
        "over won a 5:0 a 1",
    ),
    row(
        "R9.2",
        "ends the game earlier and undone",
        "0 new a.target=5; 1 fall 0; 3 stand 0; 10 stroke 3; 20 judge 1 valid; 21 undo; 30 end",
        "@1 a 0 doubt? 0:5 R2.2,R4.3 = 0:5 b; @10 b 3 legal? 0:2 R2.1 = 0:7 b",
        "ready playing - 0:7 b 2",
    ),
    row(
        "R9.2",
        "lets the game go on",
        "0 new a.target=5; 1 stroke 0; 6 judge 1 cue; 10 stroke 3; 30 end",
        "@1 a 0 cue? 0:5 R2.2,R4.1 = 0:5 b judged; @10 b 3 legal? 0:2 R2.1 = 0:7 b",
        "ready playing - 0:7 b 2",
    ),
    row(
        "R9.2",
        "no such stroke",
        "0 new; 1 stroke 0; 6 judge 2 cue; 30 end",
        KING_1,
        "ready playing - 5:0 a 1 errors=1",
    ),
    row(
        "R9.2",
        "no such mark",
        "0 new; 1 stroke 0; 6 judge 1 king; 30 end",
        KING_1,
        "ready playing - 5:0 a 1 errors=1",
    ),
    row(
        "R9.2",
        "one bad mark spoils all",
        "0 new; 1 stroke 0; 6 judge 1 cue king; 30 end",
        KING_1,
        "ready playing - 5:0 a 1 errors=1",
    ),
    row(
        "R9.2",
        "the same again",
        "0 new; 1 stroke 0; 6 judge 1 cue; 7 judge 1 cue; 30 end",
        "@1 a 0 cue? 0:5 R2.2,R4.1 = 0:5 b judged",
        "ready playing - 0:5 b 1 errors=1",
    ),
    row(
        "R9.2",
        "no pockets on a carom table",
        "0 new; 1 stroke 0; 6 judge 1 pocket-cue; 30 end",
        KING_1,
        "ready playing - 5:0 a 1 errors=1",
    ),
]

SCORE = [
    row(
        "R9.3",
        "set",
        "0 new; 1 stroke 0; 6 score a=50 b=20; 7 stroke 3; 20 end",
        KING_1 + "; @7 a 3 legal? 2:0 R2.1 = 52:20 a",
        "ready playing - 52:20 a 2 by-hand",
    ),
    row(
        "R9.3",
        "before any stroke",
        "0 new; 1 score a=0 b=7; 20 end",
        "",
        "ready playing - 0:7 a 0 by-hand",
    ),
    row(
        "R9.3",
        "the turn stays",
        "0 new; 1 stroke; 8 score a=5 b=5; 20 end",
        NOTHING_1,
        "ready playing - 5:5 b 1 by-hand",
    ),
    row(
        "R9.3",
        "one below the target",
        "0 new; 1 score a=99 b=99; 20 end",
        "",
        "ready playing - 99:99 a 0 by-hand",
    ),
    row("R9.3", "wins", "0 new; 1 score a=100 b=99; 20 end", "", "over won a 100:99 a 0 by-hand"),
    row(
        "R9.3",
        "wins for b",
        "0 new; 1 score a=99 b=999; 20 end",
        "",
        "over won b 99:999 a 0 by-hand",
    ),
    row(
        "R9.3",
        "both cannot win",
        "0 new; 1 score a=100 b=100; 20 end",
        "",
        "ready playing - 0:0 a 0 errors=1",
    ),
    row(
        "R9.3",
        "too much",
        "0 new; 1 score a=1000 b=0; 20 end",
        "",
        "ready playing - 0:0 a 0 errors=1",
    ),
    row(
        "R9.3",
        "negative",
        "0 new; 1 score a=-1 b=0; 20 end",
        "",
        "ready playing - 0:0 a 0 errors=1",
    ),
    row("R9.3", "only one", "0 new; 1 score a=10; 20 end", "", "ready playing - 0:0 a 0 errors=1"),
    row(
        "R9.3",
        "as it was",
        "0 new; 1 stroke 0; 6 score a=5 b=0; 20 end",
        KING_1,
        "ready playing - 5:0 a 1 errors=1",
    ),
    row(
        "R9.3",
        "undone",
        "0 new; 1 stroke 0; 6 score a=50 b=20; 7 undo; 20 end",
        KING_1,
        "ready playing - 5:0 a 1",
    ),
    row(
        "R9.3",
        "lets the game go on",
        "0 new a.target=5; 1 stroke 0; 6 score a=3 b=0; 7 stroke 3; 20 end",
        KING_1 + "; @7 a 3 legal? 2:0 R2.1 = 5:0 a",
        "over won a 5:0 a 2 by-hand",
    ),
    row(
        "R9.3",
        "gives the win to the other",
        "0 new a.target=5 b.target=5; 1 stroke 0; 6 score a=0 b=5; 20 end",
        KING_1,
        "over won b 0:5 a 1 by-hand",
    ),
    row(
        "R9.3",
        "holds when an earlier stroke is judged again",
        "0 new; 1 stroke 0; 6 score a=50 b=20; 7 judge 1 cue; 20 end",
        "@1 a 0 cue? 0:5 R2.2,R4.1 = 0:5 b judged",
        "ready playing - 50:20 b 1 by-hand",
    ),
    row(
        "R9.3",
        "while a stroke runs",
        "0 new; 1 hit 0; 1.2 fall 0; 2 score a=50 b=20; 4 stand 0; 20 end",
        KING_1,
        "ready playing - 50:20 a 1 by-hand",
    ),
    row(
        "R9.3",
        "a drawn game stays drawn",
        "0 new; 1 draw; 2 score a=5 b=0; 20 end",
        "",
        "over drawn - 5:0 a 0 by-hand",
    ),
]


@pytest.mark.parametrize("case", JUDGE)
def test_judged_again(case: Row) -> None:
    assert case.outcome() == case.expected()


@pytest.mark.parametrize("case", SCORE)
def test_score_by_hand(case: Row) -> None:
    assert case.outcome() == case.expected()


@pytest.mark.parametrize("case", UNDO)
def test_undo(case: Row) -> None:
    assert case.outcome() == case.expected()


@pytest.mark.parametrize("case", TURN)
def test_turn_by_hand(case: Row) -> None:
    assert case.outcome() == case.expected()
