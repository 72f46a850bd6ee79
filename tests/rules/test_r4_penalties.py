"""RULES.md chapter R4: penalties and fines."""

from itertools import combinations

import pytest

from tests.play import Row, play, row, script, stroke_text

# The marks of one fault each, and their clauses. `fine` does not change R4.7.
FAULTS = [
    ("R4.4", "miss"),
    ("R4.5", "off"),
    ("R4.6", "touch"),
    ("R4.7", "side"),
    ("R4.7", "butt"),
    ("R4.8", "white-off"),
]
VERDICTS = [("R4.1", "cue"), ("R4.2", "direct"), ("R4.3", "doubt")]


@pytest.mark.parametrize(("clause", "mark"), FAULTS)
@pytest.mark.parametrize(
    "said_at", ["1", "3", "9"], ids=["at_once", "while_it_runs", "after_the_end"]
)
def test_fault_alone(clause: str, mark: str, said_at: str) -> None:
    (stroke,) = play(script(f"0 new; 1 stroke; {said_at} mark {mark}; 20 end")).strokes
    assert stroke_text(stroke) == f"@1 a - none? 0:2 {clause} = 0:2 b judged"


@pytest.mark.parametrize(("clause", "mark"), FAULTS)
def test_fault_with_pins(clause: str, mark: str) -> None:
    """Fell the king and two, legally: 7 and the fine go to the partner, the verdict stays."""
    (stroke,) = play(script(f"0 new; 1 stroke 0,1,4; 3 mark {mark}; 20 end")).strokes
    assert stroke_text(stroke) == f"@1 a 0,1,4 legal? 0:9 R2.3,{clause} = 0:9 b judged"


@pytest.mark.parametrize(("clause", "mark"), FAULTS)
def test_fault_with_a_carom(clause: str, mark: str) -> None:
    (stroke,) = play(script(f"0 new; 1 stroke; 3 mark carom; 4 mark {mark}; 20 end")).strokes
    assert stroke_text(stroke) == f"@1 a - none? 0:5 R2.6,{clause} = 0:5 b judged"


@pytest.mark.parametrize(("clause", "mark"), FAULTS)
@pytest.mark.parametrize("fine", [0, 1, 5, 10])
def test_fine_as_agreed(clause: str, mark: str, fine: int) -> None:
    """Agree on a fine: for all faults but R4.7. A fine of 0 is a penalty too (R4.10)."""
    (stroke,) = play(script(f"0 new fine={fine}; 1 stroke 0; 3 mark {mark}; 20 end")).strokes
    total = 5 + (2 if clause == "R4.7" else fine)
    assert stroke_text(stroke) == f"@1 a 0 legal? 0:{total} R2.2,{clause} = 0:{total} b judged"


@pytest.mark.parametrize(
    "faults",
    list(combinations(FAULTS, 2)),
    ids=lambda faults: "R4.9-" + "_and_".join(mark for _, mark in faults),
)
@pytest.mark.parametrize("fine", [0, 2, 5])
def test_two_faults_bring_one_fine(faults: list[tuple[str, str]], fine: int) -> None:
    """Mark two faults: the larger fine, once (R4.9, reading 5); each clause is cited, once."""
    said = "; ".join(f"{3 + place} mark {mark}" for place, (_, mark) in enumerate(faults))
    (stroke,) = play(script(f"0 new fine={fine}; 1 stroke; {said}; 20 end")).strokes
    clauses = ",".join(sorted({clause for clause, _ in faults}))
    total = max(2 if clause == "R4.7" else fine for clause, _ in faults)
    assert stroke_text(stroke) == f"@1 a - none? 0:{total} {clauses} = 0:{total} b judged"


@pytest.mark.parametrize(("clause", "mark"), VERDICTS)
def test_verdict_by_a_person(clause: str, mark: str) -> None:
    (stroke,) = play(script(f"0 new; 1 stroke 0,1,4; 3 mark {mark}; 20 end")).strokes
    assert stroke_text(stroke) == f"@1 a 0,1,4 {mark}? 0:7 R2.3,{clause} = 0:7 b judged"


@pytest.mark.parametrize(("clause", "mark"), VERDICTS)
def test_verdict_by_a_person_without_pins(clause: str, mark: str) -> None:
    """Say which ball it was though no pin fell: nothing yet, it waits for a late fall."""
    (stroke,) = play(script(f"0 new; 1 stroke; 3 mark {mark}; 20 end")).strokes
    assert clause not in stroke["clauses"]
    assert stroke_text(stroke) == "@1 a - none? 0:0 R2.8 = 0:0 b judged"


@pytest.mark.parametrize(("clause", "mark"), VERDICTS)
@pytest.mark.parametrize("pin_fine", [0, 3, 10])
def test_fine_for_pins_if_so_agreed(clause: str, mark: str, pin_fine: int) -> None:
    (stroke,) = play(
        script(f"0 new pin_fine={pin_fine}; 1 stroke 0; 3 mark {mark}; 20 end")
    ).strokes
    total = 5 + pin_fine
    assert stroke_text(stroke) == f"@1 a 0 {mark}? 0:{total} R2.2,{clause} = 0:{total} b judged"


@pytest.mark.parametrize(("clause", "mark"), FAULTS)
@pytest.mark.parametrize(("pin_clause", "verdict"), VERDICTS)
def test_fault_with_pins_felled_unlawfully(
    clause: str, mark: str, pin_clause: str, verdict: str
) -> None:
    (stroke,) = play(script(f"0 new; 1 stroke 3; 3 mark {verdict}; 4 mark {mark}; 20 end")).strokes
    assert (
        stroke_text(stroke) == f"@1 a 3 {verdict}? 0:4 R2.1,{pin_clause},{clause} = 0:4 b judged"
    )


PENALTIES = [
    row(
        "R4.1",
        "zone",
        "0 new; 1 hit 0; 1.1 zone 1; 1.2 fall 0; 20 end",
        "@1 a 0 cue 0:5 R2.2,R4.1 = 0:5 b",
        sensors="zone",
    ),
    row(
        "R4.2",
        "click",
        "0 new; 1 click; 1.1 click; 1.2 fall 0; 20 end",
        "@1.2 a 0 direct 0:5 R2.2,R4.2 = 0:5 b",
        sensors="click",
    ),
    row("R4.3", "no cushion", "0 new; 1 fall 0; 20 end", "@1 a 0 doubt? 0:5 R2.2,R4.3 = 0:5 b"),
    row(
        "R4.3",
        "overruled",
        "0 new; 1 fall 0; 3 mark valid; 20 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:0 a judged",
    ),
    row(
        "R4.1",
        "a mark goes before a sensor that is certain",
        "0 new; 1 hit 0; 1.1 zone 1; 1.2 fall 0; 2 mark valid; 20 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:0 a judged",
        sensors="zone",
    ),
    row(
        "R4.2",
        "the last of the four holds",
        "0 new; 1 stroke 0; 2 mark cue; 2.5 mark doubt; 3 mark direct; 20 end",
        "@1 a 0 direct? 0:5 R2.2,R4.2 = 0:5 b judged",
    ),
    row(
        "R4.1",
        "said after the stroke was accepted",
        "0 new; 1 stroke 0; 6 ok; 7 mark cue; 20 end",
        "@1 a 0 cue? 0:5 R2.2,R4.1 = 0:5 b judged",
    ),
    row(
        "R4.3",
        "valid said after the stroke was accepted",
        "0 new; 1 fall 0; 2 stand 0; 6 ok; 7 mark valid; 20 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:0 a judged",
    ),
    row(
        "R4.6",
        "valid takes back the faults before it",
        "0 new; 1 stroke 0; 2 mark touch; 2.5 mark off; 3 mark valid; 20 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:0 a judged",
    ),
    row(
        "R4.6",
        "valid takes back no carom",
        "0 new; 1 stroke; 2 mark carom; 2.5 mark touch; 3 mark valid; 20 end",
        "@1 a - none? 3:0 R2.6 = 3:0 b judged",
    ),
    row(
        "R4.6",
        "a fault after valid holds",
        "0 new; 1 fall 0; 2 mark valid; 2.5 mark touch; 3 stand 0; 20 end",
        "@1 a 0 legal? 0:7 R2.2,R4.6 = 0:7 b judged",
    ),
    row(
        "R4.6",
        "after the stroke was accepted it is a stroke by hand",
        "0 new; 1 stroke 0; 6 ok; 7 mark touch; 20 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:0 a; @7 a - none? 0:2 R4.6 = 5:2 b by-hand judged",
    ),
    row(
        "R4.6",
        "ok while it runs accepts it",
        "0 new; 1 hit 0; 2 ok; 7 mark touch; 20 end",
        "@1 a - none? 0:0 R2.8 = 0:0 b; @7 b - none? 2:0 R4.6 = 2:0 a by-hand judged",
    ),
    row(
        "R4.6",
        "done does not accept it",
        "0 new; 1 hit 0; 2 done; 7 mark touch; 20 end",
        "@1 a - none? 0:2 R4.6 = 0:2 b judged",
    ),
    row(
        "R4.6",
        "first of the game by hand",
        "0 new; 2 mark touch; 20 end",
        "@2 a - none? 0:2 R4.6 = 0:2 b by-hand judged",
    ),
    row(
        "R4.5",
        "later marks belong to the stroke by hand",
        "0 new; 2 mark carom; 3 mark off; 20 end",
        "@2 a - none? 0:5 R2.6,R4.5 = 0:5 b by-hand judged",
    ),
    row(
        "R4.4",
        "heard by the click sensor",
        "0 new; 1 click; 1.5 hit 0; 20 end",
        "@1.5 a - none 0:2 R4.4 = 0:2 b",
        sensors="click",
    ),
    row(
        "R4.4",
        "not heard without it",
        "0 new; 1 click; 1.5 hit 0; 20 end",
        "@1.5 a - none? 0:0 R2.8 = 0:0 b",
    ),
    row(
        "R4.4",
        "not heard by the zone sensor",
        "0 new; 1 click; 1.5 hit 0; 20 end",
        "@1.5 a - none? 0:0 R2.8 = 0:0 b",
        sensors="zone",
    ),
    row(
        "R4.4",
        "heard with the fine agreed",
        "0 new fine=5; 1 click; 1.5 hit 0; 20 end",
        "@1.5 a - none 0:5 R4.4 = 0:5 b",
        sensors="click zone",
    ),
    row(
        "R4.4",
        "one contact is no miss",
        "0 new; 1 click; 1.2 click; 1.5 hit 0; 20 end",
        "@1.5 a - none 0:0 R2.8 = 0:0 b",
        sensors="click",
    ),
    row(
        "R4.4",
        "not certain when an edge was lost",
        "0 new; 1 click; 1.5 hit 0; 2 lost 1; 20 end",
        "@1.5 a - none? 0:2 R4.4 = 0:2 b lost-edges",
        sensors="click",
    ),
    row(
        "R4.4",
        "valid takes the sensors' miss back",
        "0 new; 1 click; 1.5 hit 0; 3 mark valid; 20 end",
        "@1.5 a - none? 0:0 R2.8 = 0:0 b judged",
        sensors="click",
    ),
    row(
        "R4.4",
        "a carom takes the sensors' miss back",
        "0 new; 1 click; 1.5 hit 0; 3 mark carom; 20 end",
        "@1.5 a - none? 3:0 R2.6 = 3:0 b judged",
        sensors="click",
    ),
    row(
        "R4.4",
        "another fault takes the sensors' miss back",
        "0 new; 1 click; 1.5 hit 0; 3 mark off; 20 end",
        "@1.5 a - none? 0:2 R4.5 = 0:2 b judged",
        sensors="click",
    ),
    row(
        "R4.4",
        "a person says so too",
        "0 new; 1 click; 1.5 hit 0; 3 mark miss; 20 end",
        "@1.5 a - none? 0:2 R4.4 = 0:2 b judged",
        sensors="click",
    ),
    row(
        "R4.7",
        "side and butt are one clause",
        "0 new fine=5; 1 stroke; 3 mark side; 4 mark butt; 20 end",
        "@1 a - none? 0:2 R4.7 = 0:2 b judged",
    ),
    row(
        "R4.9",
        "the larger of fine and pin_fine",
        "0 new fine=2 pin_fine=3; 1 stroke 0; 3 mark cue; 4 mark touch; 20 end",
        "@1 a 0 cue? 0:8 R2.2,R4.1,R4.6 = 0:8 b judged",
    ),
    row(
        "R4.9",
        "the larger of pin_fine and fine",
        "0 new fine=4 pin_fine=3; 1 stroke 0; 3 mark cue; 4 mark touch; 20 end",
        "@1 a 0 cue? 0:9 R2.2,R4.1,R4.6 = 0:9 b judged",
    ),
    row(
        "R4.9",
        "no pin_fine for a legal pin",
        "0 new pin_fine=3; 1 stroke 0; 3 mark touch; 20 end",
        "@1 a 0 legal? 0:7 R2.2,R4.6 = 0:7 b judged",
    ),
    row(
        "R4.9",
        "no pin_fine without a pin",
        "0 new pin_fine=3; 1 stroke; 3 mark cue; 4 mark touch; 20 end",
        "@1 a - none? 0:2 R4.6 = 0:2 b judged",
    ),
    row(
        "R4.9",
        "a doubt of the sensors with pin_fine",
        "0 new pin_fine=3; 1 fall 0; 20 end",
        "@1 a 0 doubt? 0:8 R2.2,R4.3 = 0:8 b",
    ),
    row(
        "R4.10",
        "ends a series",
        "0 new; 1 stroke 0; 10 stroke 0; 12 mark cue; 20 stroke 3; 30 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:0 a; @10 a 0 cue? 0:5 R2.2,R4.1 = 5:5 b judged; "
        "@20 b 3 legal? 0:2 R2.1 = 5:7 b",
    ),
    row(
        "R4.10",
        "in single stroke as well",
        "0 new b.mode=single; 1 stroke; 10 stroke 0; 12 mark cue; 20 end",
        "@1 a - none? 0:0 R2.8 = 0:0 b; @10 b 0 cue? 5:0 R2.2,R4.1 = 5:0 a judged",
    ),
    row(
        "R4.11",
        "the striker has nothing to lose",
        "0 new; 1 stroke; 3 mark off; 20 end",
        "@1 a - none? 0:2 R4.5 = 0:2 b judged",
    ),
    row(
        "R4.11",
        "the striker loses nothing he has",
        "0 new; 1 stroke 0; 10 stroke; 12 mark off; 20 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:0 a; @10 a - none? 0:2 R4.5 = 5:2 b judged",
    ),
]


@pytest.mark.parametrize("case", PENALTIES)
def test_penalties(case: Row) -> None:
    assert case.outcome() == case.expected()
