"""The verdict when nobody has said anything, against a second formulation of the contract."""

from itertools import product

import pytest

from kegli import judge
from kegli.judge import VERDICT_NAMES
from tests.play import play

NO, POSSIBLY, SURELY = range(3)
CLICKS, ZONES = 1, 2  # the mask of optional sensors
LEGAL, CUE, DIRECT, DOUBT = map(VERDICT_NAMES.index, ("legal", "cue", "direct", "doubt"))

HEADERS = {
    sensors: "# kegli-log 1 sensors=pins,cushions"
    + (",click" if sensors & CLICKS else "")
    + (",zone" if sensors & ZONES else "")
    for sensors in range(4)
}


def cases() -> list[tuple[int, int, int, int, int]]:
    """Return sensors, zone, hit, contacts before, and contacts before or at the same time."""
    return [
        (sensors, zone, hit, contacts, perhaps)
        for sensors, zone, hit, contacts, perhaps in product(
            range(4), (NO, POSSIBLY, SURELY), (NO, POSSIBLY, SURELY), range(5), range(5)
        )
        if contacts <= perhaps and (sensors & ZONES or zone == NO)
    ]


def by_zone(zone: int) -> tuple[int, bool] | None:
    """Return the verdict if the zone settles it."""
    return {NO: None, POSSIBLY: (DOUBT, False), SURELY: (CUE, True)}[zone]


def by_clicks(hit: int, contacts: int, perhaps: int) -> tuple[int, bool] | None:
    """Return the verdict if the contacts settle it, a simultaneous event deciding nothing."""
    if perhaps == 0:
        return CUE, True  # no white was in play
    if contacts == 0:
        return DOUBT, False  # was a white in play?
    if contacts >= 2 or hit == SURELY:
        return None  # there was a legal way
    if hit == POSSIBLY or perhaps >= 2:
        return DOUBT, False  # was there one?
    return DIRECT, True


def expected(sensors: int, zone: int, hit: int, contacts: int, perhaps: int) -> tuple[int, bool]:
    """Say it sensor by sensor, where judge.TABLE says it row by row."""
    found = by_zone(zone) if sensors & ZONES else None
    if found is None and sensors & CLICKS:
        found = by_clicks(hit, contacts, perhaps)
    if found is not None:
        return found
    if sensors & ZONES and sensors & CLICKS:
        return LEGAL, True
    if hit == SURELY:
        return LEGAL, bool(sensors & ZONES)
    return DOUBT, False


def test_every_verdict() -> None:
    wrong = [case for case in cases() if judge.verdict(*case) != expected(*case)]
    assert wrong == []


def test_doubt_is_never_certain_and_legal_needs_evidence() -> None:
    for sensors, zone, hit, contacts, perhaps in cases():
        verdict, certain = judge.verdict(sensors, zone, hit, contacts, perhaps)
        assert verdict in (LEGAL, CUE, DIRECT, DOUBT)
        assert not (certain and verdict == DOUBT)
        assert not (certain and not sensors)
        if verdict == LEGAL:
            assert hit == SURELY or contacts > 0


@pytest.mark.parametrize(
    ("contacts", "expected_miss", "expected_certain"),
    [(0, True, True), (1, False, True), (2, False, False), (3, False, False), (60, False, False)],
)
def test_contacts_without_pins(contacts: int, expected_miss: bool, expected_certain: bool) -> None:
    clicks = [f"{2_000_000 + 10_000 * n} click" for n in range(contacts + 1)]
    log = ["0 cmd new", *clicks, "3500000 hit 0", "20000000 end"]
    (stroke,) = play("\n".join(log), "# kegli-log 1 sensors=pins,cushions,click").strokes
    assert (stroke["clauses"] == ["R4.4"], stroke["certain"]) == (expected_miss, expected_certain)


# The same through a log: what the times of its lines make of a stroke.

FALL = "3000000 pin 3 1 1000"
ZONE = {
    NO: ["1500000 zone 1", "2000000 zone 0"],
    POSSIBLY: ["3000900 zone 1", "3500000 zone 0"],
    SURELY: ["2500000 zone 1", "3500000 zone 0"],
}
HIT = {
    NO: ["3100000 hit 1"],
    POSSIBLY: ["2999100 hit 1"],
    SURELY: ["2900000 hit 1", "3000000 hit 2"],
}
CUE_CLICK = "2000000 click"
EARLIER = ["2100000 click", "2200000 click"]
AT_ONCE = ["3000000 click", "3000500 click"]
LATER = "3300000 click"


def evidence_log(zone: int, hit: int, clicks: list[str]) -> str:
    """Return a game with one stroke in which a side pin falls, with this evidence."""
    lines = [FALL, *ZONE[zone], *HIT[hit], *clicks, LATER, "30000000 end"]
    return "\n".join(["0 cmd new", *sorted(lines, key=lambda line: int(line.split()[0]))])


@pytest.mark.parametrize("sensors", range(4))
def test_every_verdict_of_a_log(sensors: int) -> None:
    """The lines of sensors that are not fitted are there, and have no effect."""
    for zone, hit, contacts, more in product(ZONE, HIT, range(3), range(3)):
        clicks = [CUE_CLICK, *EARLIER[:contacts], *AT_ONCE[:more]]
        (stroke,) = play(evidence_log(zone, hit, clicks), HEADERS[sensors]).strokes
        verdict = VERDICT_NAMES.index(stroke["verdict"]), stroke["certain"]
        assert verdict == expected(
            sensors, zone if sensors & ZONES else NO, hit, contacts, contacts + more
        ), (zone, hit, contacts, more)


# The edges of "surely before": t+U of the one is less than t-U of the other. The fall is at
# 3 s, give or take 1 ms. What is one microsecond beyond the edge is sure.
# fmt: off
EDGES = [
    # sensors, lines, verdict, certain
    (0,              ["2998999 hit 0"],                             LEGAL,  False),
    (0,              ["2999000 hit 0"],                             DOUBT,  False),
    (0,              ["2997999 hit 0 1000"],                        LEGAL,  False),
    (0,              ["2998000 hit 0 1000"],                        DOUBT,  False),
    (0,              ["3000000 hit 0"],                             DOUBT,  False),
    # The first hit that was surely before counts, whatever others there are.
    (0,              ["2990000 hit 0 50000", "2998000 hit 1 999"],  LEGAL,  False),
    (CLICKS,         ["3001001 click"],                             CUE,    True),
    (CLICKS,         ["3001000 click"],                             DOUBT,  False),
    (CLICKS,         ["3002001 click 1000"],                        CUE,    True),
    (CLICKS,         ["3002000 click 1000"],                        DOUBT,  False),
    (CLICKS,         ["2999000 click"],                             DOUBT,  False),
    (CLICKS,         ["2998999 click"],                             DIRECT, True),
    (CLICKS,         ["2998999 click", "2999000 hit 0"],            DOUBT,  False),
    (CLICKS,         ["2998999 click", "2998999 hit 0"],            LEGAL,  False),
    (CLICKS,         ["2998999 click", "3001001 hit 0"],            DIRECT, True),
    (CLICKS,         ["2998998 click", "2999000 click"],            DOUBT,  False),
    (CLICKS | ZONES, ["2998998 click", "2998999 click"],            LEGAL,  True),
    (ZONES,          ["2998999 zone 1"],                            CUE,    True),
    (ZONES,          ["2999000 zone 1"],                            DOUBT,  False),
    (ZONES,          ["3001000 zone 1"],                            DOUBT,  False),
    (ZONES,          ["2000000 hit 0", "3001001 zone 1"],           LEGAL,  True),
    (ZONES,          ["2000000 hit 0", "3001000 zone 1"],           DOUBT,  False),
    # It counts at a fall and up to 120 ms before.
    (ZONES,          ["2500000 zone 1", "2881001 zone 0"],          CUE,    True),
    (ZONES,          ["2500000 zone 1", "2881000 zone 0"],          DOUBT,  False),
    (ZONES,          ["2000000 hit 0", "2500000 zone 1", "2879000 zone 0"], DOUBT, False),
    (ZONES,          ["2000000 hit 0", "2500000 zone 1", "2878999 zone 0"], LEGAL, True),
    (ZONES,          ["2500000 zone 1", "2882001 zone 0 1000"],     CUE,    True),
    (ZONES,          ["2500000 zone 1", "2882000 zone 0 1000"],     DOUBT,  False),
    # A stay that is over does not hide one that is surely there.
    (ZONES,          ["2500000 zone 1", "2878000 zone 0", "2900000 zone 1"], CUE, True),
    (ZONES,          ["2900000 zone 1", "2910000 zone 0", "3000000 zone 1"], CUE, True),
]
# fmt: on


@pytest.mark.parametrize(
    ("sensors", "lines", "verdict", "certain"), EDGES, ids=[", ".join(row[1]) for row in EDGES]
)
def test_what_is_surely_before(
    sensors: int, lines: list[str], verdict: int, certain: bool
) -> None:
    log = ["0 cmd new", *(["1000000 click"] if sensors & CLICKS else []), *lines, FALL]
    log.sort(key=lambda line: int(line.split()[0]))
    (stroke,) = play("\n".join([*log, "30000000 end"]), HEADERS[sensors]).strokes
    assert (stroke["verdict"], stroke["certain"]) == (VERDICT_NAMES[verdict], certain)


# "Before" is before every fall that counts; the zone counts at any of them.
# fmt: off
SEVERAL = [
    # sensors, lines, verdict, certain: pin 3 falls at 3 s, pin 4 at 4 s
    (0,      ["3500000 hit 0"],                                   DOUBT,  False),
    (0,      ["2500000 hit 0"],                                   LEGAL,  False),
    (CLICKS, ["3500000 click", "3600000 click"],                  CUE,    True),
    (CLICKS, ["2500000 click", "3500000 click"],                  DIRECT, True),
    (CLICKS, ["2500000 click", "3500000 hit 0"],                  DIRECT, True),
    (CLICKS, ["2500000 click", "3000000 click"],                  DOUBT,  False),
    (ZONES,  ["2500000 hit 0", "3500000 zone 1", "3800000 zone 0"], LEGAL, True),
    (ZONES,  ["2500000 hit 0", "3500000 zone 1", "3900000 zone 0"], CUE,   True),
    (ZONES,  ["2500000 hit 0", "2700000 zone 1", "2900000 zone 0"], CUE,   True),
    (ZONES,  ["2500000 hit 0", "4000000 zone 1"],                   DOUBT, False),
]
# fmt: on


@pytest.mark.parametrize(
    ("sensors", "lines", "verdict", "certain"), SEVERAL, ids=[", ".join(row[1]) for row in SEVERAL]
)
def test_several_falls(sensors: int, lines: list[str], verdict: int, certain: bool) -> None:
    log = ["0 cmd new", *(["1000000 click"] if sensors & CLICKS else []), *lines]
    log = sorted([*log, FALL, "4000000 pin 4 1 1000"], key=lambda line: int(line.split()[0]))
    (stroke,) = play("\n".join([*log, "30000000 end"]), HEADERS[sensors]).strokes
    assert stroke["pins"] == [3, 4]
    assert (stroke["verdict"], stroke["certain"]) == (VERDICT_NAMES[verdict], certain)


@pytest.mark.parametrize("sensors", [CLICKS, CLICKS | ZONES])
@pytest.mark.parametrize("clicks", [[], ["3000500 click"], ["3200000 click"]])
def test_without_the_click_of_the_cue_the_sensor_is_as_if_not_fitted(
    sensors: int, clicks: list[str]
) -> None:
    """No click at all, the first not surely before the fall, the first after it."""
    for zone, hit in product(ZONE, HIT):
        log = evidence_log(zone, hit, clicks)
        if not clicks:
            log = log.replace(LATER + "\n", "")
        (stroke,) = play(log, HEADERS[sensors]).strokes
        (other,) = play(log, HEADERS[sensors & ~CLICKS]).strokes
        assert stroke == other, (zone, hit)


@pytest.mark.parametrize("sensors", range(4))
@pytest.mark.parametrize(
    ("lost_us", "is_in_it"),
    [
        (1_000_000, False),
        (2_900_000, True),
        (3_050_000, True),
        (8_999_999, True),
        (20_000_000, False),
    ],
)
def test_after_a_loss_nothing_is_certain(sensors: int, lost_us: int, is_in_it: bool) -> None:
    """From the first event, a hit, until the quiet time is over."""
    for zone in ZONE:
        log = evidence_log(zone, SURELY, [CUE_CLICK])
        lines = [*log.split("\n"), f"{lost_us} lost 1"]
        lines.sort(key=lambda line: int(line.split()[0]))
        (whole,) = play(log, HEADERS[sensors]).strokes
        (stroke,) = play("\n".join(lines), HEADERS[sensors]).strokes
        assert stroke["verdict"] == whole["verdict"]
        assert stroke["certain"] == (whole["certain"] and not is_in_it)
        assert stroke["flags"] == (["lost-edges"] if is_in_it else [])
