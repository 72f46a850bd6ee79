"""The virtual table: strokes with known truth become sensor edges."""

import gzip
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.virtual_table import TABLE, Edge, Effects, Event, Stroke, Table, packaged, read
from host_tools.virtual_table.choose import choose, main, slim, write
from host_tools.virtual_table.strokes import PACKAGED
from host_tools.virtual_table.truth import truth_award
from kegli.rules import pin_points

BOUNCE_US = 60_000  # the defaults of the log's settings
FALL_HOLD_US = 150_000
EVERY_SENSOR = frozenset({"pins", "cushions", "click", "zone"})
EVERY_EFFECT = [field.name for field in fields(Effects)]
STROKES = packaged()
SEEDS = (1, 2, 3)


def only(effect: str) -> Effects:
    return replace(Effects.none(), **{effect: True})


def made(*events: Event, roll_us: int = 3_000_000) -> Stroke:
    """Make a stroke of these events, after which the balls roll on; its verdict does not count."""
    every = (Event(0, "strike", 0, 0.0), *sorted(events, key=lambda event: event.t_us))
    pins = tuple(event.which for event in every if event.kind == "pin")
    return Stroke("player", every, every[-1].t_us + roll_us, "none", pins, False, False, 0)


def game(
    table: Table, strokes: Iterable[Stroke], start_us: int = 0
) -> list[tuple[Stroke, int, list[Edge], list[Edge]]]:
    """Play strokes; return each with its start, its edges and those of the hands after it."""
    played = []
    for stroke in strokes:
        edges, end_us = table.play(stroke, start_us)
        hands, still_us = table.set_up(end_us, stroke.pins)
        played.append((stroke, start_us, edges, hands))
        start_us = still_us
    return played


def of_pin(edges: Iterable[Edge], pin: int) -> list[Edge]:
    return [edge for edge in edges if edge.kind == "pin" and edge.which == pin]


def falls(edges: Sequence[Edge]) -> set[int]:
    """Return the pins that fell: tilted for the hold time after an edge, as the log says."""
    fell = set()
    for pin in range(5):
        mine = of_pin(edges, pin)
        for edge, after in zip(mine, [*mine, None][1:], strict=True):
            if edge.level and (after is None or after.t_us - edge.t_us >= FALL_HOLD_US):
                fell.add(pin)
    return fell


def exact(stroke: Stroke, start_us: int) -> list[Edge]:
    """Return what perfect sensors say, the ball taken out of the zone afterwards."""
    kinds = {"strike": "click", "contact": "click", "cushion": "hit", "pin": "pin", "zone": "zone"}
    edges = [
        Edge(
            start_us + event.t_us,
            kinds[event.kind],
            event.which if event.kind in ("cushion", "pin") else 0,
            event.which if event.kind == "zone" else 1,
        )
        for event in stroke.events
    ]
    if sum(event.kind == "zone" for event in stroke.events) % 2:
        edges.append(Edge(start_us + stroke.end_us, "zone", 0, 0))
    return sorted(edges)


# The strokes of the package.


def test_the_package_has_about_200_strokes_of_a_player_and_100_random_ones() -> None:
    modes = [stroke.mode for stroke in STROKES]
    assert 190 <= modes.count("player") <= 210
    assert 95 <= modes.count("random") <= 105
    assert len(modes) == modes.count("player") + modes.count("random")
    assert PACKAGED.stat().st_size < 100_000


def test_every_number_of_pins_and_every_verdict_is_in_the_package() -> None:
    assert {len(stroke.pins) for stroke in STROKES} == {0, 1, 2, 3, 4, 5}
    for mode in ("player", "random"):
        mine = [stroke for stroke in STROKES if stroke.mode == mode]
        assert {s.verdict for s in mine} == {"legal", "cue", "direct", "none"}
        without = [s for s in mine if not s.pins]
        assert {(s.miss, s.carom) for s in without} == {(True, False), (False, True), (False,) * 2}


@pytest.mark.parametrize(
    # Share of strokes with pins, and of legal ones among them: 40,000 other strokes of the
    # same engine (physics.md 1.1 and 2.1).
    ("mode", "with_pins", "legal"),
    [("player", 0.29, 0.73), ("random", 0.29, 0.20)],
)
def test_the_package_is_like_the_strokes_it_was_chosen_from(
    mode: str, with_pins: float, legal: float
) -> None:
    mine = [stroke for stroke in STROKES if stroke.mode == mode]
    pins = [stroke for stroke in mine if stroke.pins]
    assert len(pins) / len(mine) == pytest.approx(with_pins, abs=0.03)
    assert sum(s.verdict == "legal" for s in pins) / len(pins) == pytest.approx(legal, abs=0.06)


def test_the_points_of_the_package_are_those_of_the_rules() -> None:
    for stroke in STROKES:
        if stroke.pins:
            assert stroke.points == pin_points(sum(1 << pin for pin in stroke.pins))[1]
        else:
            assert stroke.points == (3 if stroke.carom else 0)


@pytest.mark.parametrize(
    # verdict, pins, carom, miss: to the striker, to the partner, penalty
    ("verdict", "pins", "carom", "miss", "award"),
    [
        ("none", (), False, False, (0, 0, False)),  # R2.8
        ("none", (), True, False, (3, 0, False)),  # R2.6
        ("none", (), False, True, (0, 2, True)),  # R4.4
        ("legal", (0, 1), False, False, (5, 0, False)),  # R2.2
        ("legal", (4, 1, 3), True, False, (6, 0, False)),  # R2.7
        ("legal", (0, 1, 2, 3, 4), False, False, (30, 0, False)),  # R2.5
        ("cue", (3,), False, False, (0, 2, True)),  # R4.1
        ("cue", (0, 1, 2), False, True, (0, 9, True)),  # R4.4: 7 and one fine
        ("direct", (2, 4), True, False, (0, 4, True)),  # R4.2
    ],
)
def test_what_the_all_seeing_referee_awards(
    verdict: str, pins: tuple[int, ...], carom: bool, miss: bool, award: tuple[int, int, bool]
) -> None:
    assert truth_award(Stroke("player", (), 0, verdict, pins, carom, miss, 0)) == award


# Effects.


def test_the_table_of_effects_is_complete() -> None:
    names = [size.name for size in TABLE]
    assert len(set(names)) == len(names)
    assert {size.effect for size in TABLE} == {*EVERY_EFFECT, ""}
    assert all(size.low <= size.high and size.unit and size.source for size in TABLE)


def test_the_sizes_are_noise_that_the_limits_of_the_log_allow() -> None:
    low = {size.name: size.low for size in TABLE}
    high = {size.name: size.high for size in TABLE}
    assert high["chatter"] + high["pin_jitter"] < BOUNCE_US
    assert high["rock"] + high["pin_jitter"] < FALL_HOLD_US
    assert high["wobble"] + high["pin_jitter"] < FALL_HOLD_US
    assert low["retrigger_after"] >= high["dead_time"]


def test_without_effects_the_edges_are_the_truth() -> None:
    table = Table(1, EVERY_SENSOR, Effects.none())
    for stroke, start_us, edges, hands in game(table, STROKES):
        assert edges == exact(stroke, start_us)
        assert sorted(edge[1:] for edge in hands) == [("pin", p, 0) for p in sorted(stroke.pins)]


def test_without_effects_a_stroke_ends_when_the_balls_rest() -> None:
    stroke = made(Event(2_000_000, "pin", 3, 1.0))
    assert Table(1, effects=Effects.none()).play(stroke, 70).end_us == 70 + stroke.end_us


@pytest.mark.parametrize(
    ("effect", "kinds"),
    [
        ("tilt_lag", {"pin"}),
        ("bounce", {"pin"}),
        ("rocks", {"pin"}),
        ("soft_unheard", {"hit"}),
        ("dead_time", {"hit"}),
        ("retrigger", {"hit"}),
        ("crosstalk", {"hit"}),
        ("jitter", {"pin", "hit", "click", "zone"}),
        ("wobble", {"hands"}),
    ],
)
def test_each_effect_leaves_its_trace_and_no_other(effect: str, kinds: set[str]) -> None:
    """Each stroke on its own table, so that it starts at the same time."""
    traces: set[str] = set()
    for seed, stroke in enumerate(STROKES):
        table = Table(seed, EVERY_SENSOR, only(effect))
        edges, end_us = table.play(stroke, 0)
        clean = exact(stroke, 0)
        traces |= {edge.kind for edge in set(edges) ^ set(clean)}
        hands, _ = table.set_up(end_us, stroke.pins)
        if len(hands) > len(stroke.pins):
            traces.add("hands")
    assert traces == kinds


@pytest.mark.parametrize("effect", EVERY_EFFECT)
def test_an_effect_switched_off_is_missing_from_the_others(effect: str) -> None:
    without = replace(Effects(), **{effect: False})
    every_game = [game(Table(5, EVERY_SENSOR, e), STROKES) for e in (Effects(), without)]
    assert every_game[0] != every_game[1]


@pytest.mark.parametrize(
    ("effect", "kinds"),
    [
        ("tilt_lag", ("hit", "click", "zone")),
        ("bounce", ("hit", "click", "zone")),
        ("rocks", ("hit", "click", "zone")),
        ("soft_unheard", ("pin", "click", "zone")),
        ("dead_time", ("pin", "click", "zone")),
        ("retrigger", ("pin", "click", "zone")),
        ("crosstalk", ("pin", "click", "zone")),
        ("wobble", ("hit", "click", "zone")),
    ],
)
def test_an_effect_of_one_sensor_switched_off_leaves_the_other_sensors_as_they_were(
    effect: str, kinds: tuple[str, ...]
) -> None:
    tables = [
        Table(5, EVERY_SENSOR, effects)
        for effects in (Effects(), replace(Effects(), **{effect: False}))
    ]
    for n, stroke in enumerate(STROKES[:100]):
        with_it, without_it = (
            [e for e in table.play(stroke, n * 60_000_000).edges if e.kind in kinds]
            for table in tables
        )
        assert with_it == without_it
        for table in tables:
            table.set_up(n * 60_000_000, stroke.pins)


@pytest.mark.parametrize(
    # 2 ms + 0.5 rad / (1.2 v / 30 mm + 5 per s), the second term by 0.6 to 1.5 (physics.md 2)
    ("speed", "least_ms", "most_ms"),
    [(0.05, 44.8, 109.2), (0.2, 25.0, 59.8), (1.0, 8.6, 18.7), (3.0, 4.3, 8.1)],
)
def test_a_slow_ball_tips_a_pin_over_later(speed: float, least_ms: float, most_ms: float) -> None:
    table = Table(1, effects=only("tilt_lag"))
    stroke = made(Event(1_000_000, "pin", 2, speed))
    lags = []
    for played, start_us, edges, _ in game(table, [stroke] * 200):
        assert len(edges) == len(played.pins)
        lags.append(edges[0].t_us - start_us - 1_000_000)
    assert least_ms * 1000 <= min(lags) < max(lags) <= most_ms * 1000
    assert max(lags) - min(lags) > (most_ms - least_ms) * 1000 * 0.9


def test_a_falling_pin_chatters_for_5_to_50_ms_and_stays_tilted() -> None:
    stroke = made(Event(1_000_000, "pin", 2, 1.0))
    spans, counts = [], set()
    for _, start_us, edges, _ in game(Table(1, effects=only("bounce")), [stroke] * 300):
        assert edges[0] == Edge(start_us + 1_000_000, "pin", 2, 1)
        assert [edge.level for edge in edges] == [1 - n % 2 for n in range(len(edges))]
        assert edges[-1].level == 1
        spans.append(edges[-1].t_us - edges[0].t_us)
        counts.add(len(edges))
    assert 5_000 <= min(spans) < 7_000
    assert 48_000 < max(spans) <= 50_000
    assert counts == set(range(3, 32, 2))


@pytest.mark.parametrize(
    ("event", "pins"),
    [
        (Event(1_000_000, "pin", 0, 1.0), {1, 2, 3, 4}),  # the king falls
        (Event(1_000_000, "pin", 3, 1.0), {0}),  # a side pin falls
        (Event(1_000_000, "zone", 1, 0.0), {0, 1, 2, 3, 4}),  # the cue ball brushes by
    ],
)
def test_pins_rock_and_stand_again(event: Event, pins: set[int]) -> None:
    rocked = set()
    table = Table(1, effects=only("rocks"))
    for stroke, start_us, edges, _ in game(table, [made(event)] * 500):
        for pin in set(range(5)) - set(stroke.pins):
            mine = of_pin(edges, pin)
            if mine:
                rocked.add(pin)
                assert mine[0].t_us >= start_us + 1_000_000
                assert mine[-1].t_us - mine[0].t_us < FALL_HOLD_US
                assert [edge.level for edge in mine] == [1, 0] * (len(mine) // 2)
        assert table.down == ()
    assert rocked == pins


def test_a_rock_is_over_before_its_pin_falls() -> None:
    king, side = Event(1_000_000, "pin", 0, 1.0), Event(1_150_000, "pin", 3, 1.0)
    rocks = 0
    for _, start_us, edges, _ in game(Table(1, effects=only("rocks")), [made(king, side)] * 500):
        mine = of_pin(edges, 3)
        assert mine[-1] == Edge(start_us + 1_150_000, "pin", 3, 1)
        rocks += len(mine) > 1
    assert rocks


def test_a_pin_that_rocks_is_not_made_to_rock_as_well() -> None:
    sides = [Event(1_000_000 + 1_000 * pin, "pin", pin, 1.0) for pin in (1, 2, 3, 4)]
    shaken = 0
    for _, _, edges, _ in game(Table(1, effects=only("rocks")), [made(*sides)] * 1_000):
        times = [edge.t_us for edge in of_pin(edges, 0)]
        # Overlapping rocks would be pressed into steps of 1 us by what keeps edges in order.
        assert all(after - before > 1 for before, after in pairwise(times))
        shaken += bool(times)
    assert shaken > 200


@pytest.mark.parametrize(
    ("speed", "least", "most"),
    [(0.0, 0, 0), (0.02, 0, 2), (0.06, 170, 230), (0.2, 398, 400), (2.0, 400, 400)],
)
def test_a_soft_hit_is_not_heard(speed: float, least: int, most: int) -> None:
    strokes = [made(Event(1_000_000, "cushion", 1, speed))] * 400
    for effects, bounds in ((only("soft_unheard"), (least, most)), (Effects.none(), (400, 400))):
        heard = sum(len(edges) for _, _, edges, _ in game(Table(1, effects=effects), strokes))
        assert bounds[0] <= heard <= bounds[1]


@pytest.mark.parametrize(
    ("cushion", "after_us", "hits"), [(2, 59_999, 1), (2, 60_000, 2), (3, 59_999, 2)]
)
def test_a_cushion_is_deaf_after_a_hit(cushion: int, after_us: int, hits: int) -> None:
    second = Event(1_000_000 + after_us, "cushion", cushion, 1.0)
    stroke = made(Event(1_000_000, "cushion", 2, 1.0), second)
    assert len(Table(1, effects=only("dead_time")).play(stroke, 0).edges) == hits
    assert len(Table(1, effects=Effects.none()).play(stroke, 0).edges) == 2


def extra_hits(effect: str, speed: float) -> list[tuple[int, int]]:
    """Return (µs after the hit, cushion) of what is heard beside 2,000 hits of cushion 3."""
    stroke = made(Event(1_000_000, "cushion", 3, speed))
    extras = []
    for _, start_us, edges, _ in game(Table(1, effects=only(effect)), [stroke] * 2_000):
        hit_us = start_us + 1_000_000
        assert edges[0] == Edge(hit_us, "hit", 3, 1)
        extras += [(edge.t_us - hit_us, edge.which) for edge in edges[1:]]
    return extras


def test_a_hard_hit_sometimes_fires_its_cushion_twice() -> None:
    extras = extra_hits("retrigger", 1.0)
    assert 60 < len(extras) < 140  # 5 %
    assert all(60_000 <= after_us <= 80_000 and cushion == 3 for after_us, cushion in extras)
    assert extra_hits("retrigger", 0.99) == []


def test_a_hard_hit_is_sometimes_heard_by_a_neighbour() -> None:
    extras = extra_hits("crosstalk", 1.0)
    assert 15 < len(extras) < 70  # 2 %
    assert {cushion for _, cushion in extras} == {0, 2}
    assert all(500 <= after_us <= 4_000 for after_us, _ in extras)
    assert extra_hits("crosstalk", 0.99) == []


@pytest.mark.parametrize(
    ("event", "most_us"),
    [
        (Event(1_000_000, "cushion", 0, 3.0), 40 + 1_040),  # time walk 0.12 ms at 1 m/s
        (Event(1_000_000, "cushion", 0, 0.1), 1_200 + 1_040),
        (Event(1_000_000, "cushion", 0, 0.0), 2_000 + 1_040),
        (Event(1_000_000, "pin", 0, 1.0), 690),
        (Event(1_000_000, "contact", 0, 0.0), 690),
        (Event(1_000_000, "zone", 1, 0.0), 690),
    ],
)
def test_edges_come_a_little_late(event: Event, most_us: int) -> None:
    late = []
    for _, start_us, edges, _ in game(Table(1, EVERY_SENSOR, only("jitter")), [made(event)] * 300):
        edge = next(edge for edge in edges if edge.t_us >= start_us + event.t_us)
        late.append(edge.t_us - start_us - event.t_us)
    assert 0 <= min(late) < max(late) <= most_us
    assert max(late) - min(late) > 600


def test_a_pin_wobbles_when_a_hand_lets_go_of_it() -> None:
    table = Table(1, effects=only("wobble"))
    for _, _, _, hands in game(table, [made(Event(1_000_000, "pin", 2, 1.0))] * 100):
        assert [edge.level for edge in hands] == [n % 2 for n in range(len(hands))]
        assert len(hands) in (3, 5, 7, 9)
        assert 20_000 <= hands[-1].t_us - hands[0].t_us <= 140_000


@pytest.mark.parametrize("seed", SEEDS)
def test_the_noise_neither_fells_a_pin_nor_hides_a_fall(seed: int) -> None:
    for stroke, _, edges, hands in game(Table(seed), STROKES):
        assert falls(edges) == set(stroke.pins)
        assert falls(hands) == set()
        assert all(of_pin(hands, pin)[-1].level == 0 for pin in stroke.pins)


# The table.


def test_a_pin_that_lies_cannot_fall_again() -> None:
    table = Table(1, effects=Effects.none())
    stroke = made(Event(1_000_000, "pin", 2, 1.0), Event(1_100_000, "pin", 4, 1.0))
    _, end_us = table.play(stroke, 0)
    assert list(table.down) == [2, 4]
    hands, still_us = table.set_up(end_us, [4, 0])
    assert [(edge.which, edge.level) for edge in hands] == [(4, 0)]
    assert list(table.down) == [2]
    edges, _ = table.play(stroke, still_us)
    assert [(edge.which, edge.level) for edge in edges] == [(4, 1)]


def test_hands_lift_one_pin_after_the_other_in_human_time() -> None:
    table = Table(1)
    five = made(*(Event(1_000_000 + pin, "pin", pin, 1.0) for pin in range(5)))
    end_us = table.play(five, 0).end_us
    hands, still_us = table.set_up(0, range(5))  # they wait until the table rests
    lifts = [of_pin(hands, pin)[0].t_us for pin in range(5)]
    assert 2_000_000 <= lifts[0] - end_us <= 4_001_000
    gaps = [after - before for before, after in pairwise(lifts)]
    assert all(1_000_000 <= gap <= 2_700_000 for gap in gaps)
    assert still_us == hands[-1].t_us


def test_with_no_pin_to_lift_no_hand_comes() -> None:
    edges, still_us = Table(1).set_up(123, [0, 1])
    assert (edges, still_us) == ([], 123)


def test_a_stroke_cannot_begin_while_anything_moves() -> None:
    table = Table(1)
    end_us = table.play(STROKES[0], 1_000).end_us
    with pytest.raises(ValueError, match="the table rests from"):
        table.play(STROKES[0], end_us - 1)
    table.play(STROKES[0], end_us)


def test_what_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="no such sensor: radar"):
        Table(1, frozenset({"pins", "radar"}))
    with pytest.raises(ValueError, match="no such pin"):
        Table(1).set_up(0, [5])


@pytest.mark.parametrize("fitted", [set(), {"pins"}, {"cushions", "zone"}, {"click"}])
def test_a_sensor_makes_the_same_edges_whatever_else_is_fitted(fitted: set[str]) -> None:
    sensor = {"pin": "pins", "hit": "cushions", "click": "click", "zone": "zone"}
    every = game(Table(4, EVERY_SENSOR), STROKES[:60])
    some = game(Table(4, frozenset(fitted)), STROKES[:60])
    for (_, start_us, all_edges, all_hands), (_, also_us, edges, hands) in zip(
        every, some, strict=True
    ):
        assert start_us == also_us
        assert edges == [edge for edge in all_edges if sensor[edge.kind] in fitted]
        assert hands == (all_hands if "pins" in fitted else [])


def test_the_zone_is_empty_after_a_stroke_that_ends_in_it() -> None:
    table = Table(1, frozenset({"zone"}), Effects.none())
    stroke = made(Event(1_000_000, "zone", 1, 0.0))
    levels = [edge.level for _, _, edges, _ in game(table, [stroke] * 2) for edge in edges]
    assert levels == [1, 0, 1, 0]


def test_same_seed_same_edges() -> None:
    assert game(Table(7), STROKES) == game(Table(7), STROKES)
    assert game(Table(7), STROKES) != game(Table(8), STROKES)


def test_the_edges_do_not_depend_on_the_hash_seed() -> None:
    program = (
        "from host_tools.virtual_table import Table, packaged\n"
        "table = Table(7)\n"
        "end_us = 0\n"
        "for stroke in packaged():\n"
        "    played = table.play(stroke, end_us)\n"
        "    hands, end_us = table.set_up(played.end_us, stroke.pins)\n"
        "    print(played, hands)\n"
    )
    root = str(Path(__file__).parents[2])
    outputs = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": root},
            check=True,
            capture_output=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0].count(b"\n") == len(STROKES)


def made_at_random() -> st.SearchStrategy[Stroke]:
    t_us = st.integers(0, 9_000_000)
    speed = st.floats(0, 5)
    pins = st.lists(
        st.builds(Event, t_us, st.just("pin"), st.integers(0, 4), speed),
        unique_by=lambda event: event.which,
    )
    hits = st.lists(st.builds(Event, t_us, st.just("cushion"), st.integers(0, 3), speed))
    contacts = st.lists(st.builds(Event, t_us, st.just("contact"), st.just(0), st.just(0.0)))
    zone = st.lists(t_us).map(
        lambda times: [Event(t, "zone", 1 - n % 2, 0.0) for n, t in enumerate(sorted(times))]
    )
    return st.builds(
        lambda roll_us, *lists: made(*chain(*lists), roll_us=roll_us),
        st.sampled_from([0, 3_000_000]),
        *(pins, hits, contacts, zone),
    )


@settings(max_examples=60, deadline=None)
@given(
    strokes=st.lists(st.tuples(made_at_random(), st.sets(st.integers(0, 4))), max_size=3),
    seed=st.integers(),
    effects=st.builds(Effects, *[st.booleans()] * len(EVERY_EFFECT)),
    start_us=st.integers(0, 10**12),
)
def test_edges_are_sorted_and_alternate_and_end_right(
    strokes: list[tuple[Stroke, set[int]]], seed: int, effects: Effects, start_us: int
) -> None:
    table = Table(seed, EVERY_SENSOR, effects)
    level = dict.fromkeys(range(5), 0)
    for stroke, wanted in strokes:
        lay = set(table.down)
        played = table.play(stroke, start_us)
        assert set(table.down) == lay | set(stroke.pins)
        hands, still_us = table.set_up(played.end_us, wanted)
        assert set(table.down) == (lay | set(stroke.pins)) - wanted
        for edges, from_us, to_us in (
            (played.edges, start_us, played.end_us),
            (hands, played.end_us, still_us),
        ):
            assert edges == sorted(edges)
            assert all(type(edge.t_us) is int and from_us <= edge.t_us <= to_us for edge in edges)
        for pin in range(5):
            mine = of_pin(played.edges + hands, pin)
            times = [edge.t_us for edge in mine]
            assert times == sorted(set(times))
            for edge in mine:
                assert edge.level == 1 - level[pin]
                level[pin] = edge.level
            assert level[pin] == (pin in table.down)
        zone = [edge.level for edge in played.edges if edge.kind == "zone"]
        assert zone == [1, 0] * (len(zone) // 2)
        start_us = still_us


# The files.

GOOD: dict[str, Any] = {
    "mode": "random",
    "ev": [
        {"t": 0.0, "k": "strike"},
        {"t": 0.5, "k": "bb"},
        {"t": 0.7, "k": "cush", "side": "S", "v": 0.8},
        {"t": 0.9, "k": "zone", "inside": 1},
        {"t": 1.000001, "k": "pin", "pin": 4, "v": 1},
    ],
    "v": {"kind": "FOUL_CUE", "pts": 2, "pins": [4], "carom": False},
    "t_end": 3,
}


def changed(change: Callable[[dict[str, Any]], object]) -> bytes:
    item = json.loads(json.dumps(GOOD))
    change(item)
    return json.dumps(item).encode()


@pytest.mark.parametrize("name", ["strokes.jsonl", "strokes.jsonl.gz"])
def test_a_file_is_read(tmp_path: Path, name: str) -> None:
    text = json.dumps(GOOD).encode() + b"\r\n\n"
    path = tmp_path / name
    path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    expected = Stroke(
        mode="random",
        events=(
            Event(0, "strike", 0, 0.0),
            Event(500_000, "contact", 0, 0.0),
            Event(700_000, "cushion", 2, 0.8),
            Event(900_000, "zone", 1, 0.0),
            Event(1_000_001, "pin", 4, 1.0),
        ),
        end_us=3_000_000,
        verdict="cue",
        pins=(4,),
        carom=False,
        miss=False,
        points=2,
    )
    assert read(path) == read(str(path)) == [expected]
    assert expected.t_end == 3.0


# fmt: off
BAD = [
    (b"\xff\xfe", "not UTF-8 text"),
    (b"{", "not JSON (Expecting property name enclosed in double quotes, column 2)"),
    (b"[" * 100_000, "JSON nested too deep"),
    (b"1" * 5_000, "JSON with a number too long to read"),
    (b"[]", "the line is no JSON object"),
    (b"{}", "v is no JSON object"),
    (changed(lambda s: s.update(mode="expert")), "mode is none of player, random"),
    (changed(lambda s: s.update(mode=["player"])), "mode is none of player, random"),
    (changed(lambda s: s.update(ev={})), "ev is no list"),
    (changed(lambda s: s["ev"].append(1)), "an event is no JSON object"),
    (changed(lambda s: s["ev"].pop(0)), "ev does not begin with the strike"),
    (changed(lambda s: s["ev"].clear()), "v.pins are not the pins of ev, once each"),
    (changed(lambda s: s["ev"][1].update(k="jump")),
     "k is none of strike, bb, cush, pin, zone"),
    (changed(lambda s: s["ev"][2].update(side="X")), "side is none of N, E, S, W"),
    (changed(lambda s: s["ev"][2].pop("v")), "v is no number from 0 to 100"),
    (changed(lambda s: s["ev"][2].update(v=float("nan"))), "v is no number from 0 to 100"),
    (changed(lambda s: s["ev"][2].update(v=True)), "v is no number from 0 to 100"),
    (changed(lambda s: s["ev"][3].update(inside=2)), "inside is none of 0, 1"),
    (changed(lambda s: s["ev"][3].update(inside=0)), "zone is not entered and left in turn"),
    (changed(lambda s: s["ev"][4].update(pin=5)), "pin is none of 0, 1, 2, 3, 4"),
    (changed(lambda s: s["ev"][4].update(t=-1)), "t is no number from 0 to 60"),
    (changed(lambda s: s["ev"][4].update(t="1")), "t is no number from 0 to 60"),
    (changed(lambda s: s["ev"][4].update(t=0.6)),
     "ev is not in order of time, or goes on after t_end"),
    (changed(lambda s: s.update(t_end=1)), "ev is not in order of time, or goes on after t_end"),
    (changed(lambda s: s.update(t_end=10**400)), "t_end is no number from 0 to 60"),
    (changed(lambda s: s.pop("t_end")), "t_end is no number from 0 to 60"),
    (changed(lambda s: s["ev"].append(s["ev"][4])), "v.pins are not the pins of ev, once each"),
    (changed(lambda s: s["v"].update(pins=[3])), "v.pins are not the pins of ev, once each"),
    (changed(lambda s: s["v"].update(pins=4)), "pins is no list"),
    (changed(lambda s: s["v"].update(kind="GOOD")),
     "kind is none of LEGAL, FOUL_CUE, FOUL_DIRECT, MISS, CAROM, ZERO"),
    (changed(lambda s: s["v"].update(kind="ZERO")), "v.kind ZERO does not fit ev and v.carom"),
    (changed(lambda s: (s["ev"].pop(), s["v"].update(pins=[]))),
     "v.kind FOUL_CUE does not fit ev and v.carom"),
    (changed(lambda s: s["v"].update(pts=31)), "pts is no number from 0 to 30"),
    (changed(lambda s: s["v"].update(carom=None)), "carom is none of False, True"),
]
# fmt: on


@pytest.mark.parametrize(("line", "reason"), BAD, ids=[str(n) for n in range(len(BAD))])
def test_a_bad_line_is_named(tmp_path: Path, line: bytes, reason: str) -> None:
    path = tmp_path / "strokes.jsonl"
    path.write_bytes(json.dumps(GOOD).encode() + b"\n\n" + line + b"\n")
    with pytest.raises(ValueError) as caught:  # noqa: PT011  # the text is compared below
        read(path)
    assert str(caught.value) == f"{path}, line 3: {reason}."


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    whole = gzip.compress(json.dumps(GOOD).encode() + b"\n")
    cases = {
        "missing.jsonl": (None, " cannot be read: No such file or directory."),
        "empty.jsonl": (b"", " has no stroke in it."),
        "blank.jsonl.gz": (gzip.compress(b"\n\n"), " has no stroke in it."),
        "plain.jsonl.gz": (b"{}\n", ": the compressed data is broken after line 0."),
        "cut.jsonl.gz": (whole[:30], ": the compressed data is broken after line 0."),
        "sum.jsonl.gz": (whole[:-8] + bytes(8), ": the compressed data is broken after line 1."),
        "code.jsonl.gz": (
            whole[:10] + b"\xff" * 9,
            ": the compressed data is broken after line 0.",
        ),
    }
    for name, (content, reason) in cases.items():
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(ValueError) as caught:  # noqa: PT011  # the text is compared below
            read(path)
        assert str(caught.value) == f"{path}{reason}"
    with pytest.raises(ValueError, match=r"^\S+ cannot be read: Is a directory\.$"):
        read(tmp_path)


# The choice.


def of_kind(kind: str, pins: int, number: int) -> list[dict[str, Any]]:
    return [{"v": {"kind": kind, "pins": list(range(pins))}, "n": n} for n in range(number)]


def test_the_choice_keeps_proportions_and_leaves_nothing_out() -> None:
    strokes = of_kind("ZERO", 0, 700) + of_kind("LEGAL", 1, 299) + of_kind("LEGAL", 5, 1)
    chosen = choose(strokes, 100, seed=3)
    counts = {(s["v"]["kind"], len(s["v"]["pins"])): 0 for s in strokes}
    for stroke in chosen:
        counts[stroke["v"]["kind"], len(stroke["v"]["pins"])] += 1
    assert counts == {("ZERO", 0): 70, ("LEGAL", 1): 30, ("LEGAL", 5): 1}
    assert chosen == sorted(chosen, key=strokes.index)
    assert chosen == choose(strokes, 100, seed=3)
    assert chosen != choose(strokes, 100, seed=4)


def test_what_is_written_is_read_again_and_bears_no_date(tmp_path: Path) -> None:
    rich = json.loads(json.dumps(GOOD))
    rich["pos"] = [[0.1, 0.2]] * 3
    rich["ev"][1].update(balls=["c", "w1"], v=2.5)
    rich["ev"][2]["v"] = 0.80049
    path = tmp_path / "strokes.jsonl.gz"
    write([slim(rich)], path)
    with gzip.open(path) as file:
        item = json.loads(file.read())
    assert item == GOOD
    assert read(path)[0].pins == (4,)
    for data in (path.read_bytes(), PACKAGED.read_bytes()):
        assert data[4:8] == bytes(4)


def test_the_choice_says_what_it_needs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    before = PACKAGED.read_bytes()
    assert main([]) == 2
    assert capsys.readouterr().err == "Name two files: PLAYER.jsonl.gz RANDOM.jsonl.gz.\n"
    missing = str(tmp_path / "player.jsonl.gz")
    assert main([missing, missing]) == 1
    assert capsys.readouterr().err == f"{missing} cannot be read: No such file or directory.\n"
    assert PACKAGED.read_bytes() == before
