"""RULES.md chapter R5: pins that lean, fall late, rock, or are missing."""

import pytest

from tests.play import Row, play, row, script

KING_1 = "@1 a 0 legal? 5:0 R2.2 = 5:0 a"
NOTHING_1 = "@1 a - none? 0:0 R2.8 = 0:0 b"

# A stroke that fells the king and ends at 7.2 s, the king still down; one that fells nothing and
# ends at 7 s.
KING = "0 new; 1 hit 0; 1.2 fall 0; "
NOTHING = "0 new; 1 hit 0; "
KING_LATE = "@1 a 0,3 legal? 5:0 R2.2,R5.1 = 5:0 a late-fall"
NOTHING_LATE = "@1 a 3 legal? 2:0 R2.1,R5.1 = 2:0 a late-fall"
NEW_STROKE = NOTHING_1 + "; @10 b 3 doubt? 2:0 R2.1,R4.3 = 2:0 a"

LATE = [
    row(
        "R5.1",
        "added to the stroke just played",
        KING + "8 fall 3; 30 end",
        KING_LATE,
        "review playing - 5:0 a 1",
    ),
    row(
        "R5.1",
        "after an empty stroke",
        NOTHING + "10 fall 3; 30 end",
        NOTHING_LATE,
        "review playing - 2:0 a 1",
    ),
    row(
        "R5.1",
        "completes the five",
        "0 new; 1 hit 0; 1.2 fall 0,1,2,3; 8 fall 4; 30 end",
        "@1 a 0,1,2,3,4 legal? 30:0 R2.5,R5.1 = 30:0 a late-fall",
    ),
    row(
        "R5.1",
        "wins the game",
        "0 new a.target=7; 1 hit 0; 1.2 fall 0,1; 8 fall 2; 30 end",
        "@1 a 0,1,2 legal? 7:0 R2.3,R5.1 = 7:0 a late-fall",
        "over won a 7:0 a 1",
    ),
    row(
        "R5.1",
        "after the winning stroke",
        "0 new a.target=5; 1 hit 0; 1.2 fall 0,1; 8 fall 2; 30 end",
        "@1 a 0,1,2 legal? 7:0 R2.3,R5.1 = 7:0 a late-fall",
        "over won a 7:0 a 1",
    ),
    row("R5.1", "after the stroke was accepted", KING + "7.5 ok; 8 fall 3; 30 end", KING_LATE),
    row("R5.1", "after done", KING + "2 done; 3 fall 3; 30 end", KING_LATE),
    row(
        "R5.1",
        "after a penalty it goes to the partner",
        "0 new; 1 fall 1,2; 8 fall 0; 30 end",
        "@1 a 0,1,2 doubt? 0:7 R2.3,R4.3,R5.1 = 0:7 b late-fall",
    ),
    row(
        "R5.1",
        "after a stroke that nobody heard",
        "0 new; 1 pass; 10 fall 3; 30 end",
        "@1 a 3 doubt? 0:2 R2.1,R4.3,R5.1 = 0:2 b late-fall by-hand",
    ),
    row(
        "R5.1",
        "after a stroke by hand",
        "0 new; 1 mark off; 10 fall 3; 30 end",
        "@1 a 3 doubt? 0:4 R2.1,R4.3,R4.5,R5.1 = 0:4 b late-fall by-hand judged",
    ),
    row(
        "R5.1",
        "a verdict said before waits for it",
        "0 new; 1 hit 0; 3 mark cue; 10 fall 3; 30 end",
        "@1 a 3 cue? 0:2 R2.1,R4.1,R5.1 = 0:2 b late-fall judged",
    ),
    row(
        "R5.1",
        "it may lower an award",
        "0 new a.mode=single; 1 hit 0; 3 mark carom; 10 fall 3; 30 end",
        "@1 a 3 legal? 2:0 R2.1,R2.7,R5.1 = 2:0 b late-fall judged",
    ),
    row(
        "R5.1",
        "not yet decided",
        NOTHING + "10 fall 3; 15.999999 end",
        NOTHING_1,
        "review playing - 0:0 b 1",
    ),
    row("R5.1", "decided after the quiet time", NOTHING + "10 fall 3; 16 end", NOTHING_LATE),
    row(
        "R5.1",
        "a hit just within the quiet time",
        NOTHING + "10 fall 3; 15.999999 hit 1; 30 end",
        NEW_STROKE,
    ),
    row("R5.1", "a hit at the quiet time", NOTHING + "10 fall 3; 16 hit 1; 30 end", NOTHING_LATE),
    row(
        "R5.1",
        "a hit after the quiet time",
        NOTHING + "10 fall 3; 16.000001 hit 1; 30 end",
        NOTHING_LATE,
    ),
    row(
        "R5.1",
        "another fall within the quiet time",
        NOTHING + "10 fall 3; 15.5 fall 4; 30 end",
        NOTHING_1 + "; @10 b 3,4 doubt? 4:0 R2.1,R4.3 = 4:0 a",
    ),
    row(
        "R5.1",
        "another fall after the quiet time",
        NOTHING + "10 fall 3; 16.5 fall 4; 30 end",
        "@1 a 3,4 legal? 4:0 R2.1,R5.1 = 4:0 a late-fall",
    ),
    row(
        "R5.1",
        "a hit while the table is not ready",
        KING + "8 fall 3; 10 hit 1; 30 end",
        KING_1,
        "review playing - 5:0 a 1",
    ),
    row("R5.1", "a hit since the end of the stroke", KING + "8 hit 1; 9 fall 3; 30 end", KING_1),
    row(
        "R5.1",
        "two falls while the table is not ready",
        KING + "8 fall 3; 9 fall 4; 30 end",
        KING_1,
    ),
    row(
        "R5.1",
        "decided when a pin is lifted",
        KING + "8 fall 3; 9 stand 0; 10 hit 1; 30 end",
        KING_LATE,
    ),
    row(
        "R5.1",
        "a pin was lifted before",
        KING + "8 stand 0; 20 fall 3; 40 end",
        KING_1 + "; @20 a 3 doubt? 0:2 R2.1,R4.3 = 5:2 b",
    ),
    row(
        "R5.1",
        "no stroke in this game yet",
        "0 new a.target=5; 1 stroke 0; 6 next; 7 fall 3; 30 end",
        KING_1 + "; @7 b 3 doubt? 2:0 R2.1,R4.3 = 2:0 a",
    ),
    row(
        "R5.1",
        "a click since the end of the stroke",
        "0 new; 1 click; 1.1 click; 1.2 hit 0; 9 click; 10 fall 3; 30 end",
        "@1.2 a - none 0:0 R2.8 = 0:0 b; @10 b 3 cue 2:0 R2.1,R4.1 = 2:0 a",
        sensors="click",
    ),
    row(
        "R5.1",
        "a click before it is decided",
        "0 new; 1 click; 1.1 click; 1.2 hit 0; 10 fall 3; 12 click; 30 end",
        "@1.2 a - none 0:0 R2.8 = 0:0 b; @10 b 3 doubt? 2:0 R2.1,R4.3 = 2:0 a",
        sensors="click",
    ),
    row(
        "R5.1",
        "a restart before it is decided",
        NOTHING + "10 fall 3; 11 boot watchdog; 30 end",
        NOTHING_1,
    ),
    row(
        "R5.1",
        "a restart since the end of the stroke",
        NOTHING + "8 boot watchdog; 10 fall 3; 30 end",
        NEW_STROKE,
    ),
    row(
        "R5.1",
        "ok and then a mark before it is decided",
        NOTHING + "10 fall 3; 11 ok; 12 mark touch; 30 end",
        "@1 a 3 legal? 0:4 R2.1,R4.6,R5.1 = 0:4 b late-fall judged",
    ),
    row("R5.1", "done makes it a stroke", NOTHING + "10 fall 3; 11 done; 30 end", NEW_STROKE),
    row(
        "R5.1",
        "the button ok makes it a stroke",
        NOTHING + "10 fall 3; 11 press ok 0.1; 30 end",
        NEW_STROKE,
    ),
    row(
        "R5.1",
        "done on a table that was not ready",
        KING + "8 fall 3; 9 done; 30 end",
        KING_LATE,
        "review playing - 5:0 a 1 errors=1",
    ),
    row(
        "R5.1",
        "the turn by hand settles it",
        NOTHING + "10 fall 3; 11 turn b; 30 end",
        NOTHING_LATE,
        "review playing - 2:0 b 1 by-hand",
    ),
    row(
        "R5.1",
        "a pass settles it",
        NOTHING + "10 fall 3; 11 pass; 30 end",
        NOTHING_LATE + "; @11 a - none? 0:0 R2.8 = 2:0 b by-hand",
    ),
    row(
        "R5.1",
        "undo settles it and takes the stroke back",
        NOTHING + "10 fall 3; 11 undo; 30 end",
        "",
        "review playing - 0:0 a 0",
    ),
    row(
        "R5.1",
        "redo brings it back with the stroke",
        NOTHING + "10 fall 3; 11 undo; 12 redo; 30 end",
        NOTHING_LATE,
    ),
    row(
        "R5.1",
        "a mark meanwhile goes to the last stroke",
        "0 new a.mode=single; 1 hit 0; 10 fall 3; 11 mark touch; 30 end",
        "@1 a 3 legal? 0:4 R2.1,R4.6,R5.1 = 0:4 b late-fall judged",
    ),
    row("R5.7", "gives the turn back", NOTHING + "10 fall 3; 30 end", NOTHING_LATE),
    row(
        "R5.7",
        "and the striker plays on",
        NOTHING + "10 fall 3; 17 stand 3; 18 stroke 4; 30 end",
        NOTHING_LATE + "; @18 a 4 legal? 2:0 R2.1 = 4:0 a",
    ),
    row(
        "R5.7",
        "not if so agreed",
        "0 new late_keeps_turn=0; 1 hit 0; 10 fall 3; 30 end",
        "@1 a 3 legal? 2:0 R2.1,R5.1 = 2:0 b late-fall",
    ),
    row(
        "R5.7",
        "a stroke with pins keeps the turn all the same",
        "0 new late_keeps_turn=0; 1 hit 0; 1.2 fall 0; 8 fall 3; 30 end",
        KING_LATE,
    ),
    row(
        "R5.7",
        "not in single stroke",
        "0 new a.mode=single; 1 hit 0; 10 fall 3; 30 end",
        "@1 a 3 legal? 2:0 R2.1,R5.1 = 2:0 b late-fall",
    ),
    row(
        "R5.7",
        "not on a penalty",
        "0 new; 1 hit 0; 3 mark cue; 10 fall 3; 30 end",
        "@1 a 3 cue? 0:2 R2.1,R4.1,R5.1 = 0:2 b late-fall judged",
    ),
]

ANNUL = [
    row(
        "R5.2",
        "one of two pins",
        "0 new; 1 stroke 0,3; 6 annul 3; 20 end",
        "@1 a 0 legal? 5:0 R2.2,R5.2 = 5:0 a judged",
    ),
    row(
        "R5.2",
        "while the stroke runs",
        "0 new; 1 hit 0; 1.2 fall 0,3; 2 annul 3; 20 end",
        "@1 a 0 legal? 5:0 R2.2,R5.2 = 5:0 a judged",
    ),
    row(
        "R5.2",
        "both pins",
        "0 new; 1 stroke 0,3; 6 annul 3; 7 annul 0; 20 end",
        "@1 a - none? 0:0 R2.8,R5.2 = 0:0 b judged",
    ),
    row(
        "R5.2",
        "once",
        "0 new; 1 stroke 0,3; 6 annul 3; 7 annul 3; 20 end",
        "@1 a 0 legal? 5:0 R2.2,R5.2 = 5:0 a judged",
        "ready playing - 5:0 a 1 errors=1",
    ),
    row(
        "R5.2",
        "a pin that did not fall",
        "0 new; 1 stroke 0; 6 annul 3; 20 end",
        KING_1,
        "ready playing - 5:0 a 1 errors=1",
    ),
    row(
        "R5.2",
        "not after ok",
        "0 new; 1 stroke 0,3; 6 ok; 7 annul 3; 20 end",
        "@1 a 0,3 legal? 5:0 R2.2 = 5:0 a",
    ),
    row(
        "R5.2",
        "a late fall",
        NOTHING + "10 fall 3; 20 annul 3; 30 end",
        "@1 a - none? 0:0 R2.8,R5.2 = 0:0 b judged",
    ),
    row(
        "R5.2",
        "with the penalty of the others",
        "0 new; 1 fall 1,2,3; 6 annul 3; 20 end",
        "@1 a 1,2 doubt? 0:4 R2.1,R4.3,R5.2 = 0:4 b judged",
    ),
    # The cushion came with the annulled pin, and surely before the other.
    row(
        "R5.2",
        "out of the evidence of cushions",
        "0 new; 1 hit 0; 1 fall 3; 1.5 fall 0; 6 annul 3; 20 end",
        "@1 a 0 legal? 5:0 R2.2,R5.2 = 5:0 a judged",
    ),
    row(
        "R5.2",
        "out of the evidence of the zone",
        "0 new; 1 hit 0; 1.1 zone 1; 1.2 fall 3; 1.3 zone 0; 2 fall 0; 6 annul 3; 20 end",
        "@1 a 0 legal? 5:0 R2.2,R5.2 = 5:0 a judged",
        sensors="zone",
    ),
]

LEAN = [
    row(
        "R5.3",
        "nothing falls",
        "0 new; 1 lean 3; 2 stroke; 20 end",
        "@2 a - none? 0:0 R5.3 = 0:0 b judged",
    ),
    row(
        "R5.3",
        "a carom goes to the partner",
        "0 new; 1 lean 3; 2 stroke; 4 mark carom; 20 end",
        "@2 a - none? 0:3 R2.6,R5.3 = 0:3 b judged",
    ),
    row(
        "R5.3",
        "a stroke by hand",
        "0 new; 1 lean 3; 2 pass; 20 end",
        "@2 a - none? 0:0 R5.3 = 0:0 b by-hand judged",
    ),
    row(
        "R5.3",
        "only the next stroke",
        "0 new; 1 lean 3; 2 stroke; 10 stroke 3; 20 end",
        "@2 a - none? 0:0 R5.3 = 0:0 b judged; @10 b 3 legal? 0:2 R2.1 = 0:2 b",
    ),
    row(
        "R5.3",
        "valid takes it back",
        "0 new; 1 lean 3; 2 stroke 3; 6 mark valid; 20 end",
        "@2 a 3 legal? 2:0 R2.1 = 2:0 a judged",
    ),
    row(
        "R5.3",
        "undone",
        "0 new; 1 lean 3; 2 undo; 3 stroke 3; 20 end",
        "@3 a 3 legal? 2:0 R2.1 = 2:0 a",
    ),
    row(
        "R5.3",
        "said twice",
        "0 new; 1 lean 3; 2 lean 3; 3 stroke; 20 end",
        "@3 a - none? 0:0 R5.3 = 0:0 b judged",
        "ready playing - 0:0 b 1 errors=1",
    ),
    row(
        "R5.3",
        "ends with its game",
        "0 new; 1 lean 3; 2 new; 3 stroke 3; 20 end",
        "@3 a 3 legal? 2:0 R2.1 = 2:0 a",
    ),
    row(
        "R5.3",
        "ends when the pin falls late",
        NOTHING + "8 lean 3; 10 fall 3; 17 stand 3; 20 stroke 4; 30 end",
        NOTHING_LATE + "; @20 a 4 legal? 2:0 R2.1 = 4:0 a",
    ),
    row(
        "R5.3",
        "one of two leaning pins falls late",
        NOTHING + "8 lean 3; 8.5 lean 4; 10 fall 3; 17 stand 3; 20 stroke; 30 end",
        NOTHING_LATE + "; @20 a - none? 0:0 R5.3 = 2:0 b judged",
    ),
    row(
        "R5.3",
        "a pin that was absent",
        "0 new; 1 absent 3; 2 present 3; 3 lean 3; 4 stroke; 20 end",
        "@4 a - none? 0:0 R5.3 = 0:0 b judged",
    ),
    row(
        "R5.3",
        "not in a game that is over",
        "0 new a.target=5; 1 stroke 0; 6 lean 3; 20 end",
        KING_1,
        "over won a 5:0 a 1 errors=1",
    ),
]

ABSENT = [
    row(
        "R5.5",
        "30 is out of reach",
        "0 new; 1 absent 3; 2 stroke 0,1,2,4; 20 end",
        "@2 a 0,1,2,4 legal? 9:0 R2.4 = 9:0 a absent-pin",
    ),
    row(
        "R5.5",
        "cannot score",
        "0 new; 1 absent 3; 2 stroke 0,3; 20 end",
        "@2 a 0 legal? 5:0 R2.2 = 5:0 a absent-pin",
    ),
    row(
        "R5.5", "falls alone", "0 new; 1 absent 3; 2 fall 3; 20 end", "", "ready playing - 0:0 a 0"
    ),
    row(
        "R5.5",
        "back again",
        "0 new; 1 absent 3; 2 present 3; 3 stroke 0,3; 20 end",
        "@3 a 0,3 legal? 5:0 R2.2 = 5:0 a",
    ),
    row(
        "R5.5",
        "does not keep the table from being ready",
        "0 new; 1 hit 0; 1.2 fall 3; 7.5 absent 3; 9 hit 1; 20 end",
        "@1 a 3 legal? 2:0 R2.1 = 2:0 a; @9 a - none? 0:0 R2.8 = 2:0 b absent-pin",
    ),
    row(
        "R5.5",
        "back while it is down",
        "0 new; 1 absent 3; 2 fall 3; 5 present 3; 6 hit 0; 20 end",
        "",
        "review playing - 0:0 a 0",
    ),
    row(
        "R5.5",
        "its movements prolong a stroke",
        "0 new; 0.5 absent 3; 1 hit 0; 5 pin 3 1; 10.999999 hit 1; 30 end",
        "@1 a - none? 0:0 R2.8 = 0:0 b absent-pin",
    ),
    row(
        "R5.5",
        "its fall in the stroke that runs stays",
        "0 new; 1 hit 0; 1.2 fall 3; 2 absent 3; 20 end",
        "@1 a 3 legal? 2:0 R2.1 = 2:0 a",
    ),
    row(
        "R5.5",
        "stays absent in the next game",
        "0 new a.target=5; 1 absent 3; 2 stroke 0; 7 next; 8 stroke 4; 20 end",
        "@2 a 0 legal? 5:0 R2.2 = 5:0 a absent-pin; @8 b 4 legal? 0:2 R2.1 = 0:2 b absent-pin",
    ),
    row(
        "R5.5",
        "twice",
        "0 new; 1 absent 3; 2 absent 3; 20 end",
        "",
        "ready playing - 0:0 a 0 errors=1",
    ),
    row(
        "R5.5",
        "present though never absent",
        "0 new; 1 present 3; 20 end",
        "",
        "ready playing - 0:0 a 0 errors=1",
    ),
    row(
        "R5.5",
        "undone",
        "0 new; 1 absent 3; 2 undo; 3 stroke 3; 20 end",
        "@3 a 3 legal? 2:0 R2.1 = 2:0 a",
    ),
    row(
        "R5.5",
        "ok once more while it is down",
        "0 new; 1 hit 0; 1.2 fall 0,3; 7.5 press ok 0.1; 8 stand 0; 9.5 press ok 0.1; 10 hit 1; "
        "20 end",
        "@1 a 0,3 legal? 5:0 R2.2 = 5:0 a; @10 a - none? 0:0 R2.8 = 5:0 b absent-pin",
    ),
    row(
        "R5.5",
        "ok once more too early",
        "0 new; 1 hit 0; 1.2 fall 0,3; 7.5 press ok 0.1; 8 stand 0; 8.5 press ok 0.1; 10 hit 1; "
        "20 end",
        "@1 a 0,3 legal? 5:0 R2.2 = 5:0 a",
        "review playing - 5:0 a 1 errors=1",
    ),
    row(
        "R5.5",
        "by ok until it stands",
        "0 new; 1 hit 0; 1.2 fall 0,3; 7.5 ok; 8 stand 0; 9.5 ok; 10 stand 3; 11 stroke 3; 20 end",
        "@1 a 0,3 legal? 5:0 R2.2 = 5:0 a; @11 a 3 legal? 2:0 R2.1 = 7:0 a",
    ),
    row(
        "R5.5",
        "by ok and not yet still",
        "0 new; 1 hit 0; 1.2 fall 0,3; 7.5 ok; 8 stand 0; 9.5 ok; 10 stand 3; 10.9 stroke 0; "
        "20 end",
        "@1 a 0,3 legal? 5:0 R2.2 = 5:0 a; @10.9 a 0 legal? 5:0 R2.2 = 10:0 a absent-pin",
    ),
    row(
        "R5.5",
        "ok with a stroke to accept makes none absent",
        "0 new; 1 hit 0; 1.2 fall 0,3; 7.5 ok; 9 hit 1; 20 end",
        "@1 a 0,3 legal? 5:0 R2.2 = 5:0 a",
    ),
]

UPRIGHT = [
    row(
        "R5.6",
        "rocked for less than 150 ms",
        "0 new; 1 hit 0; 2 rock 3 0.149999; 20 end",
        NOTHING_1,
    ),
    row(
        "R5.6",
        "down for 150 ms",
        "0 new; 1 hit 0; 2 rock 3 0.15; 20 end",
        "@1 a 3 legal? 2:0 R2.1 = 2:0 a",
    ),
    row(
        "R5.6",
        "rocked again and again",
        "0 new; 1 hit 0; 2 rock 3 0.1; 2.2 rock 3 0.1; 2.4 rock 3 0.1; 20 end",
        NOTHING_1,
    ),
    row(
        "R5.6",
        "rocked beside one that fell",
        "0 new; 1 hit 0; 2 fall 0; 2 rock 3 0.1; 20 end",
        KING_1,
    ),
    row("R5.6", "rocked after the stroke", "0 new; 1 hit 0; 9 rock 3 0.1; 20 end", NOTHING_1),
]


@pytest.mark.parametrize("case", LATE)
def test_late_falls(case: Row) -> None:
    assert case.outcome() == case.expected()


@pytest.mark.parametrize("case", ANNUL)
def test_annulled_pins(case: Row) -> None:
    assert case.outcome() == case.expected()


@pytest.mark.parametrize("case", LEAN)
def test_pins_on_the_cue_ball(case: Row) -> None:
    assert case.outcome() == case.expected()


@pytest.mark.parametrize("case", ABSENT)
def test_absent_pins(case: Row) -> None:
    assert case.outcome() == case.expected()


@pytest.mark.parametrize("case", UPRIGHT)
def test_pins_that_stay_upright(case: Row) -> None:
    assert case.outcome() == case.expected()


@pytest.mark.parametrize(
    ("steps", "award"),
    [
        ("0 new; 1 lean 3; 2 stroke 3; 20 end", 2),
        ("0 new; 1 lean 3; 2 stroke 0,1,3; 20 end", 7),
        ("0 new fine=5; 1 lean 3; 2 stroke 3; 20 end", 2),  # no fine
        ("0 new; 1 lean 3; 2 stroke 3; 4 mark touch; 20 end", 4),  # but that of a fault beside it
    ],
    ids=["R5.3-the_pin_falls", "R5.3-with_others", "R5.3-without_fine", "R5.3-with_a_fault"],
)
def test_pin_on_the_cue_ball_falls(steps: str, award: int) -> None:
    (stroke,) = play(script(steps)).strokes
    assert stroke["verdict"] == "cue"
    assert not stroke["certain"]
    assert stroke["award"] == {"a": 0, "b": award}
    assert "R5.3" in stroke["clauses"]
    assert stroke["turn"] == "b"
    assert "judged" in stroke["flags"]
