"""RULES.md chapter R6: whose turn it is."""

import pytest

from tests.play import Row, row

SERIES_1 = "@1 a 3 legal? 2:0 R2.1 = 2:0 a"

TURNS = [
    row(
        "R6.1",
        "goes on while pins fall",
        "0 new; 1 stroke 3; 10 stroke 4; 20 stroke 1,2; 30 end",
        SERIES_1 + "; @10 a 4 legal? 2:0 R2.1 = 4:0 a; @20 a 1,2 legal? 4:0 R2.1 = 8:0 a",
        "ready playing - 8:0 a 3",
    ),
    row(
        "R6.1",
        "passes when no pin falls",
        "0 new; 1 stroke 3; 10 stroke; 20 stroke 4; 30 end",
        SERIES_1 + "; @10 a - none? 0:0 R2.8 = 2:0 b; @20 b 4 legal? 0:2 R2.1 = 2:2 b",
    ),
    row(
        "R6.1",
        "passes on a penalty with pins",
        "0 new; 1 stroke 3; 3 mark cue; 10 stroke 4; 20 end",
        "@1 a 3 cue? 0:2 R2.1,R4.1 = 0:2 b judged; @10 b 4 legal? 0:2 R2.1 = 0:4 b",
    ),
    row(
        "R6.1",
        "passes on a legal pin with a fault",
        "0 new; 1 stroke 3; 3 mark touch; 20 end",
        "@1 a 3 legal? 0:4 R2.1,R4.6 = 0:4 b judged",
    ),
    row(
        "R6.1",
        "goes on with a carom and a pin",
        "0 new; 1 stroke 3; 3 mark carom; 20 end",
        "@1 a 3 legal? 2:0 R2.1,R2.7 = 2:0 a judged",
    ),
    row(
        "R6.1",
        "passes with a carom alone",
        "0 new; 1 stroke; 3 mark carom; 10 stroke 3; 20 end",
        "@1 a - none? 3:0 R2.6 = 3:0 b judged; @10 b 3 legal? 0:2 R2.1 = 3:2 b",
    ),
    row(
        "R6.1",
        "passes when its only pin is annulled",
        "0 new; 1 stroke 3; 6 annul 3; 20 end",
        "@1 a - none? 0:0 R2.8,R5.2 = 0:0 b judged",
    ),
    row(
        "R6.1",
        "both players",
        "0 new first=b; 1 stroke 3; 10 stroke 4; 20 stroke; 30 stroke 0; 40 end",
        "@1 b 3 legal? 0:2 R2.1 = 0:2 b; @10 b 4 legal? 0:2 R2.1 = 0:4 b; "
        "@20 b - none? 0:0 R2.8 = 0:4 a; @30 a 0 legal? 5:0 R2.2 = 5:4 a",
    ),
    row(
        "R6.2",
        "alternates although pins fall",
        "0 new a.mode=single b.mode=single; 1 stroke 3; 10 stroke 4; 20 stroke 1; 30 end",
        "@1 a 3 legal? 2:0 R2.1 = 2:0 b; @10 b 4 legal? 0:2 R2.1 = 2:2 a; "
        "@20 a 1 legal? 2:0 R2.1 = 4:2 b",
    ),
    row(
        "R6.2",
        "alternates on nothing and on penalties",
        "0 new a.mode=single b.mode=single; 1 stroke; 10 stroke 4; 12 mark doubt; 20 stroke; "
        "30 end",
        "@1 a - none? 0:0 R2.8 = 0:0 b; @10 b 4 doubt? 2:0 R2.1,R4.3 = 2:0 a judged; "
        "@20 a - none? 0:0 R2.8 = 2:0 b",
    ),
    row(
        "R6.3",
        "a series b single",
        "0 new b.mode=single; 1 stroke 3; 10 stroke; 20 stroke 4; 30 stroke 1; 40 end",
        SERIES_1 + "; @10 a - none? 0:0 R2.8 = 2:0 b; @20 b 4 legal? 0:2 R2.1 = 2:2 a; "
        "@30 a 1 legal? 2:0 R2.1 = 4:2 a",
    ),
    row(
        "R6.3",
        "a single b series",
        "0 new a.mode=single b.mode=series; 1 stroke 3; 10 stroke 4; 20 stroke 1; 30 stroke; "
        "40 end",
        "@1 a 3 legal? 2:0 R2.1 = 2:0 b; @10 b 4 legal? 0:2 R2.1 = 2:2 b; "
        "@20 b 1 legal? 0:2 R2.1 = 2:4 b; "
        "@30 b - none? 0:0 R2.8 = 2:4 a",
    ),
]


@pytest.mark.parametrize("case", TURNS)
def test_turn(case: Row) -> None:
    assert case.outcome() == case.expected()
