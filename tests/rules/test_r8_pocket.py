"""RULES.md chapter R8: play on a table with pockets."""

import pytest

from tests.play import Row, row

POCKETS = [
    row(
        "R8.1",
        "pins count the same",
        "0 new table=pocket; 1 stroke 0,1,2,3,4; 20 end",
        "@1 a 0,1,2,3,4 legal? 30:0 R2.5 = 30:0 a",
    ),
    row(
        "R8.1",
        "a carom counts the same",
        "0 new table=pocket; 1 stroke; 3 mark carom; 20 end",
        "@1 a - none? 3:0 R2.6 = 3:0 b judged",
    ),
    row(
        "R8.1",
        "a penalty is the same",
        "0 new table=pocket; 1 fall 3; 20 end",
        "@1 a 3 doubt? 0:2 R2.1,R4.3 = 0:2 b",
    ),
    row(
        "R8.1",
        "no pockets on a carom table",
        "0 new; 1 stroke; 3 mark pocket-white; 4 mark pocket-cue; 20 end",
        "@1 a - none? 0:0 R2.8 = 0:0 b",
        "ready playing - 0:0 b 1 errors=2",
    ),
    row(
        "R8.2",
        "a white alone",
        "0 new table=pocket; 1 stroke; 3 mark pocket-white; 20 end",
        "@1 a - none? 2:0 R8.2 = 2:0 a judged",
    ),
    row(
        "R8.2",
        "a white with pins",
        "0 new table=pocket; 1 stroke 0; 3 mark pocket-white; 20 end",
        "@1 a 0 legal? 7:0 R2.2,R8.2 = 7:0 a judged",
    ),
    row(
        "R8.2",
        "a white after a carom keeps the turn",
        "0 new table=pocket; 1 stroke; 3 mark carom; 4 mark pocket-white; 20 end",
        "@1 a - none? 5:0 R2.6,R8.2 = 5:0 a judged",
    ),
    row(
        "R8.2",
        "both whites count once",
        "0 new table=pocket; 1 stroke; 3 mark pocket-white; 4 mark pocket-white; 20 end",
        "@1 a - none? 2:0 R8.2 = 2:0 a judged",
        "ready playing - 2:0 a 1 errors=1",
    ),
    row(
        "R8.2",
        "as agreed",
        "0 new table=pocket pocket_white=10; 1 stroke; 3 mark pocket-white; 20 end",
        "@1 a - none? 10:0 R8.2 = 10:0 a judged",
    ),
    row(
        "R8.2",
        "not in single stroke",
        "0 new table=pocket a.mode=single; 1 stroke; 3 mark pocket-white; 20 end",
        "@1 a - none? 2:0 R8.2 = 2:0 b judged",
    ),
    row(
        "R8.2",
        "on a penalty it is the partner's",
        "0 new table=pocket; 1 stroke 0; 3 mark cue; 4 mark pocket-white; 20 end",
        "@1 a 0 cue? 0:7 R2.2,R4.1,R8.2 = 0:7 b judged",
    ),
    row(
        "R8.2",
        "by hand",
        "0 new table=pocket; 3 mark pocket-white; 20 end",
        "@3 a - none? 2:0 R8.2 = 2:0 a by-hand judged",
    ),
    row(
        "R8.2",
        "wins",
        "0 new table=pocket a.target=2; 3 mark pocket-white; 20 end",
        "@3 a - none? 2:0 R8.2 = 2:0 a by-hand judged",
        "over won a 2:0 a 1",
    ),
    row(
        "R8.3",
        "the cue ball alone",
        "0 new table=pocket; 1 stroke; 3 mark pocket-cue; 20 end",
        "@1 a - none? 0:2 R8.3 = 0:2 b judged",
    ),
    row(
        "R8.3",
        "the cue ball after pins",
        "0 new table=pocket; 1 stroke 0; 3 mark pocket-cue; 20 end",
        "@1 a 0 legal? 0:7 R2.2,R8.3 = 0:7 b judged",
    ),
    row(
        "R8.3",
        "with the fine agreed",
        "0 new table=pocket fine=5; 1 stroke; 3 mark pocket-cue; 20 end",
        "@1 a - none? 0:5 R8.3 = 0:5 b judged",
    ),
    row(
        "R8.3",
        "with a white",
        "0 new table=pocket; 1 stroke; 3 mark pocket-white; 4 mark pocket-cue; 20 end",
        "@1 a - none? 0:4 R8.2,R8.3 = 0:4 b judged",
    ),
    row(
        "R8.3",
        "with another fault one fine",
        "0 new table=pocket; 1 stroke; 3 mark touch; 4 mark pocket-cue; 20 end",
        "@1 a - none? 0:2 R4.6,R8.3 = 0:2 b judged",
    ),
    row(
        "R8.3",
        "valid takes it back and leaves the white",
        "0 new table=pocket; 1 stroke; 3 mark pocket-cue; 4 mark pocket-white; 5 mark valid; "
        "20 end",
        "@1 a - none? 2:0 R8.2 = 2:0 a judged",
    ),
]


@pytest.mark.parametrize("case", POCKETS)
def test_pockets(case: Row) -> None:
    assert case.outcome() == case.expected()
