"""Buttons: a press, a long press, a bounce, and what each says of a stroke or the game."""

import pytest

from tests.play import Row, row

NOTHING_1 = "@1 a - none? 0:0 R2.8 = 0:0 b"
KING_1 = "@1 a 0 legal? 5:0 R2.2 = 5:0 a"
CAROM_1 = "@1 a - none? 3:0 R2.6 = 3:0 b judged"
ONE = "ready playing - 0:0 b 1"
ERROR = "ready playing - 0:0 b 1 errors=1"

PRESSES = [
    row(
        "R2.6",
        "shorter than 20 ms",
        "0 new; 1 stroke; 3 press carom 0.019999; 20 end",
        NOTHING_1,
        ONE,
    ),
    row("R2.6", "20 ms", "0 new; 1 stroke; 3 press carom 0.02; 20 end", CAROM_1),
    row("R2.6", "longer than 20 ms", "0 new; 1 stroke; 3 press carom 0.020001; 20 end", CAROM_1),
    row("R2.6", "just short of long", "0 new; 1 stroke; 3 press carom 0.799999; 20 end", CAROM_1),
    row("R2.6", "long is refused", "0 new; 1 stroke; 3 press carom 0.8; 20 end", NOTHING_1, ERROR),
    row("R2.6", "long hold", "0 new; 1 stroke; 3 press carom 5; 20 end", NOTHING_1, ERROR),
    row(
        "R2.6",
        "held at the end of the log",
        "0 new; 1 stroke; 3 btn carom 1; 20 end",
        NOTHING_1,
        ONE,
    ),
    row(
        "R2.6",
        "released without a press",
        "0 new; 1 stroke; 3 btn carom 0; 20 end",
        NOTHING_1,
        ONE,
    ),
    # It acts when it is released: the stroke has ended meanwhile, and the mark still reaches it.
    row("R2.6", "acts at its release", "0 new; 1 stroke; 6.9 press carom 0.3; 20 end", CAROM_1),
    row(
        "R2.6",
        "bounces at both ends",
        "0 new; 1 stroke; 3 btn carom 1; 3.002 btn carom 0; 3.005 btn carom 1; "
        "3.3 btn carom 0; 3.302 btn carom 1; 3.306 btn carom 0; 20 end",
        CAROM_1,
        "ready playing - 3:0 b 1",
    ),
    row(
        "R2.6",
        "longer hold set",
        "0 new; 1 stroke; 3 press carom 0.049999; 20 end",
        NOTHING_1,
        settings="button_hold_ms=50",
    ),
    row(
        "R2.6",
        "longer hold reached",
        "0 new; 1 stroke; 3 press carom 0.05; 20 end",
        CAROM_1,
        settings="button_hold_ms=50",
    ),
    row(
        "R2.6",
        "two buttons at once",
        "0 new; 1 stroke; 3 press carom 0.1; 3 press fine 0.1; 20 end",
        "@1 a - none? 0:5 R2.6,R4.4 = 0:5 b judged",
    ),
]

OK = [
    row(
        "R1.1",
        "ok ends a stroke",
        "0 new; 1 hit 0; 2 press ok 0.1; 3 hit 1; 20 end",
        NOTHING_1 + "; @3 b - none? 0:0 R2.8 = 0:0 a",
    ),
    row(
        "R1.1",
        "ok that ends a stroke does not accept it",
        "0 new; 1 hit 0; 2 press ok 0.1; 3 press fine 0.1; 20 end",
        "@1 a - none? 0:2 R4.4 = 0:2 b judged",
    ),
    row(
        "R1.1",
        "ok accepts a stroke that has ended",
        "0 new; 1 stroke; 8 press ok 0.1; 9 press fine 0.1; 20 end",
        NOTHING_1 + "; @9.1 b - none? 2:0 R4.4 = 2:0 a by-hand judged",
    ),
    row(
        "R1.1",
        "ok with nothing to accept",
        "0 new; 1 stroke; 8 ok; 9 press ok 0.1; 20 end",
        NOTHING_1,
        ERROR,
    ),
    row(
        "R7.1",
        "ok long starts a game",
        "0 press ok 0.8; 2 hit 0; 20 end",
        "@2 a - none? 0:0 R2.8 = 0:0 b",
        ONE,
    ),
    row("R7.1", "ok short starts none", "0 press ok 0.799999; 2 hit 0; 20 end", "", ""),
    row(
        "R7.1",
        "ok long after the end starts the next",
        "0 new a.target=5; 1 stroke 0; 6 press ok 0.8; 20 end",
        KING_1,
        "over won a 5:0 a 1; ready playing - 0:0 b 0",
    ),
    row(
        "R2.8",
        "ok long in a game is a pass",
        "0 new; 2 press ok 0.8; 20 end",
        "@2.8 a - none? 0:0 R2.8 = 0:0 b by-hand",
    ),
]

PENALTY = [
    row(
        "R4.3",
        "penalty on a legal stroke is doubt",
        "0 new; 1 stroke 0; 6 press penalty 0.1; 20 end",
        "@1 a 0 doubt? 0:5 R2.2,R4.3 = 0:5 b judged",
    ),
    row(
        "R4.3",
        "penalty on a doubtful stroke is valid",
        "0 new; 1 fall 0; 6 press penalty 0.1; 20 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:0 a judged",
    ),
    row(
        "R4.1",
        "penalty on the cue ball's stroke is valid",
        "0 new; 1 hit 0; 1.1 zone 1; 1.2 fall 0; 6 press penalty 0.1; 20 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:0 a judged",
        sensors="zone",
    ),
    row(
        "R4.3",
        "penalty twice",
        "0 new; 1 stroke 0; 6 press penalty 0.1; 7 press penalty 0.1; 20 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:0 a judged",
    ),
    row(
        "R4.6",
        "penalty on a fault is valid",
        "0 new; 1 stroke 0; 6 mark touch; 7 press penalty 0.1; 20 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:0 a judged",
    ),
    # Judged as if it ended now: a fall with no cushion before it is a penalty.
    row(
        "R4.3",
        "penalty while a doubtful stroke runs",
        "0 new; 1 fall 0; 2 press penalty 0.1; 20 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:0 a judged",
    ),
    row(
        "R4.3",
        "penalty while a legal stroke runs",
        "0 new; 1 hit 0; 1.2 fall 0; 2 press penalty 0.1; 20 end",
        "@1 a 0 doubt? 0:5 R2.2,R4.3 = 0:5 b judged",
    ),
    row(
        "R4.3",
        "penalty before any stroke",
        "0 new; 2 press penalty 0.1; 20 end",
        "",
        "ready playing - 0:0 a 0 errors=1",
    ),
    row(
        "R4.3",
        "penalty after ok reaches the last stroke",
        "0 new; 1 stroke 0; 6 ok; 7 press penalty 0.1; 20 end",
        "@1 a 0 doubt? 0:5 R2.2,R4.3 = 0:5 b judged",
    ),
    row(
        "R9.4",
        "penalty long turns",
        "0 new; 2 press penalty 0.8; 3 stroke; 20 end",
        "@3 b - none? 0:0 R2.8 = 0:0 a",
    ),
    row(
        "R9.4",
        "penalty long turns back",
        "0 new; 2 press penalty 0.8; 4 press penalty 0.8; 6 stroke; 20 end",
        "@6 a - none? 0:0 R2.8 = 0:0 b",
    ),
    # Taken as ended, the stroke leaves the turn with b: the other is a.
    row(
        "R9.4",
        "penalty long while a stroke runs",
        "0 new; 1 hit 0; 2 press penalty 0.8; 4 hit 1; 20 end",
        NOTHING_1 + "; @4 a - none? 0:0 R2.8 = 0:0 b",
    ),
]

FINE_AND_UNDO = [
    row(
        "R4.4",
        "fine is a miss",
        "0 new; 1 stroke; 3 press fine 0.1; 20 end",
        "@1 a - none? 0:2 R4.4 = 0:2 b judged",
    ),
    row(
        "R4.6",
        "fine long is a touch",
        "0 new; 1 stroke; 3 press fine 0.8; 20 end",
        "@1 a - none? 0:2 R4.6 = 0:2 b judged",
    ),
    row(
        "R9.1",
        "undo",
        "0 new; 1 stroke 0; 6 press undo 0.1; 20 end",
        "",
        "ready playing - 0:0 a 0",
    ),
    row(
        "R9.1",
        "undo long is redo",
        "0 new; 1 stroke 0; 6 press undo 0.1; 7 press undo 0.8; 20 end",
        KING_1,
    ),
    row(
        "R9.1",
        "undo of a button",
        "0 new; 1 stroke; 3 press carom 0.1; 9 press undo 0.1; 20 end",
        NOTHING_1,
    ),
]


@pytest.mark.parametrize("case", PRESSES + OK + PENALTY + FINE_AND_UNDO)
def test_buttons(case: Row) -> None:
    assert case.outcome() == case.expected()
