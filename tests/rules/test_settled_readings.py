"""The settled readings at the end of RULES.md, numbered as there."""

import pytest

from tests.play import Row, row

READINGS = [
    row(
        "R2.2",
        "reading 1 the king with each side pin is 5",
        "0 new; 1 stroke 0,1; 10 stroke 0,2; 20 stroke 0,3; 30 stroke 0,4; 40 stroke 0; 50 end",
        "@1 a 0,1 legal? 5:0 R2.2 = 5:0 a; @10 a 0,2 legal? 5:0 R2.2 = 10:0 a; "
        "@20 a 0,3 legal? 5:0 R2.2 = 15:0 a; @30 a 0,4 legal? 5:0 R2.2 = 20:0 a; "
        "@40 a 0 legal? 5:0 R2.2 = 25:0 a",
    ),
    # 1 and 2 fell to a white off a cushion, the king to the cue ball: 7, not 4 and 5.
    row(
        "R4.1",
        "reading 2 one value for a mixed stroke",
        "0 new; 1 hit 0; 1.2 fall 1,2; 2 zone 1; 2.1 fall 0; 20 end",
        "@1 a 0,1,2 cue 0:7 R2.3,R4.1 = 0:7 b",
        sensors="zone",
    ),
    row(
        "R4.1",
        "reading 2 as a person says",
        "0 new; 1 hit 0; 1.2 fall 1,2; 2.1 fall 0; 3 mark cue; 20 end",
        "@1 a 0,1,2 cue? 0:7 R2.3,R4.1 = 0:7 b judged",
    ),
    row(
        "R4.3",
        "reading 2 a cushion between the pins",
        "0 new; 1 fall 1,2; 1.05 hit 0; 2.1 fall 0; 20 end",
        "@1 a 0,1,2 doubt? 0:7 R2.3,R4.3 = 0:7 b",
    ),
    row(
        "R4.5",
        "reading 3 carom then the cue ball leaves the table",
        "0 new; 1 stroke; 2 mark carom; 3 mark off; 20 end",
        "@1 a - none? 0:5 R2.6,R4.5 = 0:5 b judged",
    ),
    row(
        "R4.4",
        "reading 4 a miss whose cue ball fells a pin",
        "0 new; 1 fall 3; 3 mark cue; 4 mark miss; 20 end",
        "@1 a 3 cue? 0:4 R2.1,R4.1,R4.4 = 0:4 b judged",
    ),
    row(
        "R4.4",
        "reading 4 in doubt",
        "0 new; 1 fall 3; 4 mark miss; 20 end",
        "@1 a 3 doubt? 0:4 R2.1,R4.3,R4.4 = 0:4 b judged",
    ),
    row(
        "R4.9",
        "reading 5 three faults one fine",
        "0 new; 1 stroke; 2 mark touch; 3 mark off; 4 mark miss; 20 end",
        "@1 a - none? 0:2 R4.4,R4.5,R4.6 = 0:2 b judged",
    ),
    row(
        "R5.1",
        "reading 6 a late fall after a penalty",
        "0 new; 1 fall 1,2; 8 fall 0; 30 end",
        "@1 a 0,1,2 doubt? 0:7 R2.3,R4.3,R5.1 = 0:7 b late-fall",
    ),
    row(
        "R6.1",
        "reading 7 points do not keep the turn",
        "0 new; 1 stroke; 2 mark carom; 20 end",
        "@1 a - none? 3:0 R2.6 = 3:0 b judged",
    ),
    row(
        "R6.1",
        "reading 7 a fallen pin keeps it",
        "0 new; 1 stroke 3; 20 end",
        "@1 a 3 legal? 2:0 R2.1 = 2:0 a",
    ),
    row(
        "R9.1",
        "reading 8 the winning award is undone",
        "0 new a.target=5; 1 stroke 0; 6 undo; 20 end",
        "",
        "ready playing - 0:0 a 0",
    ),
    row(
        "R7.2",
        "reading 8 the winning award is judged by a mark",
        "0 new a.target=5; 1 stroke 0; 6 mark cue; 7 stroke 3; 20 end",
        "@1 a 0 cue? 0:5 R2.2,R4.1 = 0:5 b judged; @7 b 3 legal? 0:2 R2.1 = 0:7 b",
        "ready playing - 0:7 b 2",
    ),
    row(
        "R4.10",
        "reading 9 a fine without pins",
        "0 new; 1 stroke; 2 mark touch; 20 end",
        "@1 a - none? 0:2 R4.6 = 0:2 b judged",
    ),
    row(
        "R4.10",
        "reading 9 a fine of 0 without pins",
        "0 new fine=0; 1 stroke; 2 mark touch; 20 end",
        "@1 a - none? 0:0 R4.6 = 0:0 b judged",
    ),
    row(
        "R2.2",
        "reading 10 pin 0 and cushion 0",
        "0 new; 1 hit 0; 1.2 fall 0; 2 annul 0; 20 end",
        "@1 a - none? 0:0 R2.8,R5.2 = 0:0 b judged",
    ),
    row(
        "R1.1",
        "reading 10 a stroke at time 0",
        "0 new; 0 fall 3; 20 end",
        "@0 a 3 doubt? 0:2 R2.1,R4.3 = 0:2 b",
    ),
    row(
        "R9.3",
        "reading 10 a score of 0 by hand",
        "0 new; 1 stroke 0; 6 score a=0 b=0; 20 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:0 a",
        "ready playing - 0:0 a 1 by-hand",
    ),
    row(
        "R9.2",
        "reading 10 there is no stroke 0",
        "0 new; 1 stroke 0; 6 judge 0 cue; 20 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:0 a",
        "ready playing - 5:0 a 1 errors=1",
    ),
]


@pytest.mark.parametrize("case", READINGS)
def test_settled_readings(case: Row) -> None:
    assert case.outcome() == case.expected()
