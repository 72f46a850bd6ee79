"""RULES.md chapter R3: which ball may fell a pin, and what the board proposes by itself."""

from itertools import permutations

import pytest

from tests.play import HEADER, Row, play, row, script, stroke_text

# The four columns: what the board has beside pins and cushions.
SENSORS = ("", "click", "zone", "click zone")

# The king falls at 1.5 s, and at 1.8 s where a second fall matters. Clicks and zone lines have no
# effect in a column without their sensor. U is 0 unless it stands in the line: 1.5 with U 200
# reaches from 1.4998 to 1.5002.
EVIDENCE = [
    # what, log; the proposal with: pins and cushions, + click, + zone, + click and zone
    # Nothing but the falls and the cushions.
    ("a cushion", "1.2 hit 0; 1.5 fall 0", "legal? legal? legal legal"),
    ("nothing", "1.5 fall 0", "doubt? doubt? doubt? doubt?"),
    ("a cushion after", "1.5 fall 0; 1.8 hit 0", "doubt? doubt? doubt? doubt?"),
    ("a cushion long before", "1.2 hit 3; 7.1 fall 0", "legal? legal? legal legal"),
    (
        "a cushion between the falls",
        "1.5 fall 3; 1.6 hit 0; 1.8 fall 0",
        "doubt? doubt? doubt? doubt?",
    ),
    (
        "a cushion before both falls",
        "1.2 hit 0; 1.5 fall 3; 1.8 fall 0",
        "legal? legal? legal legal",
    ),
    # A cushion hit, by its uncertainty.
    ("a cushion surely before", "1.499599 hit 0 200; 1.5 fall 0 200", "legal? legal? legal legal"),
    ("a cushion with the fall", "1.4996 hit 0 200; 1.5 fall 0 200", "doubt? doubt? doubt? doubt?"),
    ("a cushion at the instant", "1.5 hit 0; 1.5 fall 0", "doubt? doubt? doubt? doubt?"),
    ("a cushion 1 us before", "1.499999 hit 0; 1.5 fall 0", "legal? legal? legal legal"),
    (
        "a cushion with the first fall",
        "1.5 hit 0; 1.5 fall 3; 1.8 fall 0",
        "doubt? doubt? doubt? doubt?",
    ),
    (
        "a cushion before, another with it",
        "1.2 hit 0; 1.5 hit 1; 1.5 fall 0",
        "legal? legal? legal legal",
    ),
    # Contacts. The first click is the cue's own.
    ("no contact", "1 click; 1.5 fall 0", "doubt? cue doubt? cue"),
    ("no contact, a cushion", "1 click; 1.2 hit 0; 1.5 fall 0", "legal? cue legal cue"),
    ("a contact after", "1 click; 1.2 hit 0; 1.5 fall 0; 1.8 click", "legal? cue legal cue"),
    ("one contact", "1 click; 1.1 click; 1.5 fall 0", "doubt? direct doubt? direct"),
    (
        "one contact, a cushion",
        "1 click; 1.1 click; 1.2 hit 0; 1.5 fall 0",
        "legal? legal? legal legal",
    ),
    (
        "a cushion, one contact",
        "1 click; 1.2 hit 0; 1.3 click; 1.5 fall 0",
        "legal? legal? legal legal",
    ),
    (
        "one contact, a cushion after",
        "1 click; 1.1 click; 1.5 fall 0; 1.8 hit 0",
        "doubt? direct doubt? direct",
    ),
    ("two contacts", "1 click; 1.1 click; 1.3 click; 1.5 fall 0", "doubt? doubt? doubt? legal"),
    (
        "three contacts",
        "1 click; 1.1 click; 1.3 click; 1.4 click; 1.5 fall 0",
        "doubt? doubt? doubt? legal",
    ),
    (
        "two contacts, a cushion",
        "1 click; 1.1 click; 1.2 hit 0; 1.3 click; 1.5 fall 0",
        "legal? legal? legal legal",
    ),
    (
        "the second contact after",
        "1 click; 1.1 click; 1.5 fall 0; 1.8 click",
        "doubt? direct doubt? direct",
    ),
    (
        "a contact between the falls",
        "1 click; 1.2 hit 0; 1.5 fall 3; 1.6 click; 1.8 fall 0",
        "legal? cue legal cue",
    ),
    # Contacts, by their uncertainty. Simultaneous ones support neither `legal` nor certainty.
    (
        "contact surely before, a cushion",
        "1 click; 1.2 hit 0; 1.499599 click 200; 1.5 fall 0 200",
        "legal? legal? legal legal",
    ),
    (
        "contact with the fall, a cushion",
        "1 click; 1.2 hit 0; 1.4996 click 200; 1.5 fall 0 200",
        "legal? doubt? legal doubt?",
    ),
    (
        "contact still with the fall, a cushion",
        "1 click; 1.2 hit 0; 1.5 fall 0 200; 1.5004 click 200",
        "legal? doubt? legal doubt?",
    ),
    (
        "contact surely after, a cushion",
        "1 click; 1.2 hit 0; 1.5 fall 0 200; 1.500401 click 200",
        "legal? cue legal cue",
    ),
    (
        "contact surely before",
        "1 click; 1.499599 click 200; 1.5 fall 0 200",
        "doubt? direct doubt? direct",
    ),
    (
        "contact with the fall",
        "1 click; 1.4996 click 200; 1.5 fall 0 200",
        "doubt? doubt? doubt? doubt?",
    ),
    (
        "contact surely after",
        "1 click; 1.5 fall 0 200; 1.500401 click 200",
        "doubt? cue doubt? cue",
    ),
    (
        "second contact with the fall",
        "1 click; 1.1 click; 1.5 click; 1.5 fall 0",
        "doubt? doubt? doubt? doubt?",
    ),
    (
        "second contact with the fall, a cushion",
        "1 click; 1.1 click; 1.2 hit 0; 1.5 click; 1.5 fall 0",
        "legal? legal? legal legal",
    ),
    (
        "one contact, a cushion with the fall",
        "1 click; 1.1 click; 1.5 hit 0; 1.5 fall 0",
        "doubt? doubt? doubt? doubt?",
    ),
    (
        "two contacts, a cushion with the fall",
        "1 click; 1.1 click; 1.3 click; 1.5 hit 0; 1.5 fall 0",
        "doubt? doubt? doubt? legal",
    ),
    # No white was in play, wherever the cushion belongs.
    (
        "no contact, a cushion with the fall",
        "1 click; 1.5 hit 0; 1.5 fall 0",
        "doubt? cue doubt? cue",
    ),
    # The cue's own click is not surely before the first fall: judged as if click were not fitted.
    (
        "first click with the fall, a cushion",
        "1.2 hit 0; 1.5 click; 1.5 fall 0",
        "legal? legal? legal legal",
    ),
    (
        "first click after the fall, a cushion",
        "1.2 hit 0; 1.5 fall 0; 1.8 click",
        "legal? legal? legal legal",
    ),
    ("first click after the fall", "1.5 fall 0; 1.8 click", "doubt? doubt? doubt? doubt?"),
    (
        "first click with the first fall, by its uncertainty",
        "1.2 hit 0; 1.4996 click 200; 1.5 fall 0 200",
        "legal? legal? legal legal",
    ),
    (
        "first click surely before the first fall",
        "1.2 hit 0; 1.499599 click 200; 1.5 fall 0 200",
        "legal? cue legal cue",
    ),
    (
        "first click between the falls",
        "1.2 hit 0; 1.5 fall 3; 1.6 click; 1.8 fall 0",
        "legal? legal? legal legal",
    ),
    # The cue ball at the cross.
    ("zone", "1.2 hit 0; 1.4 zone 1; 1.5 fall 0", "legal? legal? cue cue"),
    ("zone without a cushion", "1.4 zone 1; 1.5 fall 0", "doubt? doubt? cue cue"),
    (
        "zone although two contacts",
        "1 click; 1.1 click; 1.3 click; 1.4 zone 1; 1.5 fall 0",
        "doubt? doubt? cue cue",
    ),
    (
        "zone left 0.1 s before",
        "1.2 hit 0; 1.3 zone 1; 1.4 zone 0; 1.5 fall 0",
        "legal? legal? cue cue",
    ),
    (
        "zone left 0.2 s before",
        "1.2 hit 0; 1.25 zone 1; 1.3 zone 0; 1.5 fall 0",
        "legal? legal? legal legal",
    ),
    ("zone left after", "1.2 hit 0; 1.4 zone 1; 1.5 fall 0; 1.6 zone 0", "legal? legal? cue cue"),
    ("zone entered after", "1.2 hit 0; 1.5 fall 0; 1.6 zone 1", "legal? legal? legal legal"),
    (
        "zone at the second fall",
        "1.2 hit 0; 1.5 fall 3; 1.7 zone 1; 1.8 fall 0",
        "legal? legal? cue cue",
    ),
    ("zone before the stroke", "1 zone 1; 1.2 hit 0; 1.5 fall 0", "legal? legal? cue cue"),
    (
        "zone entered again",
        "1 zone 1; 1.1 zone 0; 1.2 hit 0; 1.45 zone 1; 1.5 fall 0",
        "legal? legal? cue cue",
    ),
    (
        "zone entered surely before",
        "1.2 hit 0; 1.499599 zone 1 200; 1.5 fall 0 200",
        "legal? legal? cue cue",
    ),
    (
        "zone entered with the fall",
        "1.2 hit 0; 1.4996 zone 1 200; 1.5 fall 0 200",
        "legal? legal? doubt? doubt?",
    ),
    (
        "zone still entered with the fall",
        "1.2 hit 0; 1.5 fall 0 200; 1.5004 zone 1 200",
        "legal? legal? doubt? doubt?",
    ),
    (
        "zone entered surely after",
        "1.2 hit 0; 1.5 fall 0 200; 1.500401 zone 1 200",
        "legal? legal? legal legal",
    ),
    (
        "zone left surely within 120 ms",
        "1.2 hit 0; 1.3 zone 1; 1.3806 zone 0 200; 1.5 fall 0 200",
        "legal? legal? cue cue",
    ),
    (
        "zone left perhaps within 120 ms",
        "1.2 hit 0; 1.3 zone 1; 1.3801 zone 0 200; 1.5 fall 0 200",
        "legal? legal? doubt? doubt?",
    ),
    (
        "zone left surely more than 120 ms before",
        "1.2 hit 0; 1.3 zone 1; 1.3794 zone 0 200; 1.5 fall 0 200",
        "legal? legal? legal legal",
    ),
    ("zone perhaps, no contact", "1 click; 1.5 zone 1; 1.5 fall 0", "doubt? cue doubt? doubt?"),
    (
        "zone perhaps, then surely",
        "1.2 hit 0; 1.5 zone 1; 1.5 fall 3; 1.8 fall 0",
        "legal? legal? cue cue",
    ),
    # A lost edge: never certain.
    ("a cushion, an edge lost", "1.2 hit 0; 1.5 fall 0; 2 lost 1", "legal? legal? legal? legal?"),
    (
        "no contact, an edge lost",
        "1 click; 1.2 hit 0; 1.5 fall 0; 2 lost 1",
        "legal? cue? legal? cue?",
    ),
    (
        "one contact, an edge lost",
        "1 click; 1.1 click; 1.5 fall 0; 2 lost 1",
        "doubt? direct? doubt? direct?",
    ),
    (
        "zone, an edge lost",
        "1.2 hit 0; 1.4 zone 1; 1.5 fall 0; 2 lost 1",
        "legal? legal? cue? cue?",
    ),
    ("an edge lost long before", "0.5 lost 1; 1.2 hit 0; 1.5 fall 0", "legal? legal? legal legal"),
]

CLAUSES = {"legal": "R3.1", "cue": "R4.1", "direct": "R4.2", "doubt": "R4.3"}

PROPOSALS = [
    pytest.param(
        steps,
        sensors,
        proposal,
        id="-".join([CLAUSES[proposal.rstrip("?")], sensors or "plain", what]).replace(" ", "_"),
    )
    for what, steps, proposals in EVIDENCE
    for sensors, proposal in zip(SENSORS, proposals.split(), strict=True)
]


@pytest.mark.parametrize(("steps", "sensors", "proposal"), PROPOSALS)
def test_the_verdict_when_nobody_has_said_anything(
    steps: str, sensors: str, proposal: str
) -> None:
    """Judge the evidence: only a legal fall is the striker's; a penalty cites its clause."""
    header = HEADER + "".join("," + sensor for sensor in sensors.split())
    (stroke,) = play(script(f"0 new; {steps}; 30 end"), header).strokes
    verdict = proposal.rstrip("?")
    assert (stroke["verdict"], stroke["certain"]) == (verdict, not proposal.endswith("?"))
    assert stroke["award"] == ({"a": 5, "b": 0} if verdict == "legal" else {"a": 0, "b": 5})
    assert stroke["clauses"] == (["R2.2"] if verdict == "legal" else ["R2.2", CLAUSES[verdict]])


WAYS = [
    row(
        "R3.1",
        "white off a cushion",
        "0 new; 1 stroke 3; 20 end",
        "@1 a 3 legal? 2:0 R2.1 = 2:0 a",
    ),
    row(
        "R3.2",
        "white struck by the carom",
        "0 new; 1 fall 3; 3 mark carom; 4 mark valid; 20 end",
        "@1 a 3 legal? 2:0 R2.1,R2.7 = 2:0 a judged",
    ),
    row(
        "R3.3",
        "cue ball off a cushion first",
        "0 new; 1 stroke 3; 20 end",
        "@1 a 3 legal? 2:0 R2.1 = 2:0 a",
    ),
    row(
        "R3.4",
        "white struck by the other white",
        "0 new; 1 fall 3; 4 mark valid; 20 end",
        "@1 a 3 legal? 2:0 R2.1 = 2:0 a judged",
    ),
    row(
        "R3.4",
        "white struck by the other white, as the sensors hear it",
        "0 new; 1 click; 1.2 click; 1.4 click; 1.5 fall 3; 20 end",
        "@1.5 a 3 legal 2:0 R2.1 = 2:0 a",
        sensors="click zone",
    ),
    row(
        "R3.5",
        "straight, but after the carom",
        "0 new; 1 click; 1.2 click; 1.5 fall 3; 2 click; 3 mark carom; 4 mark valid; 20 end",
        "@1.5 a 3 legal? 2:0 R2.1,R2.7 = 2:0 a judged",
        sensors="click",
    ),
    row(
        "R3.5",
        "straight, and it is not clear that the carom was first",
        "0 new; 1 fall 3; 3 mark carom; 4 mark doubt; 20 end",
        "@1 a 3 doubt? 0:2 R2.1,R2.7,R4.3 = 0:2 b judged",
    ),
    row(
        "R3.6",
        "pin felled by a pin that a white moved",
        "0 new; 1 hit 0; 1.2 fall 3; 1.5 fall 0; 3 stand 0,3; 20 end",
        "@1 a 0,3 legal? 5:0 R2.2 = 5:0 a",
    ),
    row(
        "R3.6",
        "pin felled by a pin that the cue ball moved",
        "0 new; 1 hit 0; 1.2 fall 3; 1.5 fall 0; 2 mark cue; 3 stand 0,3; 20 end",
        "@1 a 0,3 cue? 0:5 R2.2,R4.1 = 0:5 b judged",
    ),
]


@pytest.mark.parametrize("case", WAYS)
def test_ways_to_fell_a_pin(case: Row) -> None:
    assert case.outcome() == case.expected()


@pytest.mark.parametrize("sensors", SENSORS, ids=lambda sensors: f"R4.3-{sensors or 'plain'}")
@pytest.mark.parametrize(
    "instant",
    [
        ("hit 0", "pin 0 1", "pin 3 1"),
        ("click", "pin 0 1", "zone 1"),
        ("click", "hit 2", "pin 4 1"),
        ("zone 0", "pin 1 1", "pin 2 1"),
    ],
    ids="-".join,
)
def test_order_within_an_instant_never_changes_an_award(
    instant: tuple[str, ...], sensors: str
) -> None:
    """Write the lines of one instant in every order: the strokes are the same."""
    header = HEADER + "".join("," + sensor for sensor in sensors.split())
    before = ["0 new", "1 click", "1.1 click", "1.3 zone 1"]
    outcomes = [
        [
            stroke_text(stroke)
            for stroke in play(
                script("; ".join([*before, *(f"1.5 {line}" for line in order), "30 end"])), header
            ).strokes
        ]
        for order in permutations(instant)
    ]
    assert len(outcomes[0]) == 1
    assert all(outcome == outcomes[0] for outcome in outcomes)
