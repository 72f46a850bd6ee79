"""What holds for every game, whatever is played and said in it."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise, permutations, product
from typing import Any, NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from host_tools.replay import game_rows, stroke_rows
from kegli.clock import Clock
from kegli.referee import Referee
from tests.play import HEADER, Played, play, script
from tests.random_logs import random_log

ALL_SENSORS = HEADER + ",click,zone"
SLOT_US = 20_000_000  # what one thing takes, until nothing of it is undecided
PINS = range(5)

Line = tuple[int, str]
Record = tuple[list[dict[str, Any]], list[dict[str, Any]]]


def examples(count: int) -> Callable[[Any], Any]:
    """Return the settings of a test: the same examples in every run."""
    return settings(max_examples=count, derandomize=True, deadline=None)


def text_of(lines: list[Line]) -> str:
    """Return lines of a log, by time; equal times keep their order."""
    return "\n".join("%d %s" % line for line in sorted(lines, key=lambda line: line[0]))


# A course of play: each thing that happens has a slot of time of its own.


class Thing(NamedTuple):
    """A stroke, or the words of a command, or a command said while a stroke runs."""

    pins: tuple[int, ...] | None  # that fall; None: no stroke
    is_heard: bool = True  # a cushion is hit before
    words: str = ""

    def lines(self, t_us: int) -> list[Line]:
        """Return its lines, from *t_us* on."""
        found: list[Line] = []
        if self.pins is not None:
            if self.is_heard:
                found.append((t_us, "hit 0"))
            found += [(t_us + 300_000, f"pin {pin} 1") for pin in self.pins]
            found += [(t_us + 9_000_000, f"pin {pin} 0") for pin in self.pins]
        if self.words:
            found.append((t_us + 1_000_000, f"cmd {self.words}"))
        return sorted(found)


MARKS = (
    *("valid", "cue", "direct", "doubt", "carom", "miss", "off", "touch", "side", "butt"),
    *("white-off", "pocket-white", "pocket-cue", "repeat"),
)
TERMS = (
    "",
    " a.target=12 b.target=9",
    " a.target=5 b.target=5 first=b",
    " a.mode=single b.mode=single",
    " a.target=20 b.target=20 table=pocket pocket_white=5",
    " a.start=7 a.target=8 always=a pair=1",
    " carom_adds=3 pin_fine=3 fine=10 late_keeps_turn=0",
)
WORDS = st.one_of(
    st.sampled_from(["new" + terms for terms in TERMS]),
    st.sampled_from(
        ["next", "pass", "ok", "done", "draw", "turn a", "turn b", "resign a", "resign b"]
    ),
    st.builds("mark {}".format, st.sampled_from(MARKS)),
    st.builds(
        "{} {}".format,
        st.sampled_from(["annul", "lean", "absent", "present"]),
        st.sampled_from(PINS),
    ),
    st.builds("judge {} {}".format, st.integers(1, 4), st.sampled_from(MARKS)),
    st.builds("score a={} b={}".format, st.integers(0, 12), st.integers(0, 12)),
)
STEPPING = st.one_of(WORDS, st.sampled_from(["undo", "redo"]))
FALLS = st.lists(st.sampled_from(PINS), unique=True, max_size=5).map(
    lambda pins: tuple(sorted(pins))
)

HEARD = FALLS.map(Thing)
SAID = WORDS.map(lambda words: Thing(None, words=words))
ANYTHING = st.one_of(
    HEARD,
    HEARD,
    st.builds(Thing, FALLS, st.booleans(), st.one_of(st.just(""), STEPPING)),
    st.builds(Thing, st.none(), st.just(True), STEPPING),
)


class Live:
    """A referee at a table at which one thing happens after another."""

    def __init__(self) -> None:
        self.referee = Referee(HEADER)
        self._t_us = 0

    def happen(self, thing: Thing) -> list[str]:
        """Let a thing happen and be decided; return what is said of it."""
        for line in thing.lines(self._t_us):
            self.referee.feed("%d %s" % line)
        self._t_us += SLOT_US
        self.referee.advance(self._t_us)
        return self.referee.take()

    def say(self, words: str) -> bool:
        """Give a command. Return False if it is refused."""
        return not any(
            line.startswith("> refused") for line in self.happen(Thing(None, words=words))
        )

    def record(self) -> Record:
        """Return strokes and games, but what is no part of the record."""
        games = game_rows(self.referee)
        # Refusals and losses are only counted, and what the sensors say of the table stays.
        for game in games:
            del game["errors"], game["lost"]
            game["state"] = game["state"] == "over"
        return stroke_rows(self.referee), games

    def undo_all(self) -> list[Record]:
        """Undo all that there is; return the record after each step back."""
        records = []
        while self.say("undo"):
            records.append(self.record())
            assert len(records) < 1000
        return records

    def redo_all(self) -> list[Record]:
        """Redo all that there is; return the record after each step forward."""
        records = []
        while self.say("redo"):
            records.append(self.record())
            assert len(records) < 1000
        return records


@given(st.sampled_from(TERMS), st.lists(ANYTHING, max_size=14))
@examples(120)
def test_undo_all_is_the_start_and_redo_all_the_end(terms: str, things: list[Thing]) -> None:
    """Also step by step: what a redo gives is what was before that undo."""
    live = Live()
    live.say("new" + terms)
    for thing in things:
        live.happen(thing)
    end = live.record()
    back = live.undo_all()
    assert not back or back[-1] == ([], [])
    forward = live.redo_all()
    if back:
        # What had been undone before the end can be redone beyond it.
        assert forward[: len(back)] == [*reversed(back[:-1]), end]
    live.undo_all()
    assert live.record() == ([], [])


@given(
    st.sampled_from(TERMS),
    st.lists(ANYTHING, max_size=6),
    st.lists(st.one_of(HEARD, SAID), max_size=8),
)
@examples(120)
def test_as_many_undos_as_steps(terms: str, before: list[Thing], things: list[Thing]) -> None:
    """A stroke is one step, and so is each command that is not refused but `ok` and `done`."""
    live = Live()
    live.say("new" + terms)
    for thing in before:
        live.happen(thing)
    start = live.record()
    steps = 0
    for thing in things:
        game = live.referee.game
        can_play = game is not None and game.result == "playing"
        said = live.happen(thing)
        if thing.pins is not None:
            steps += can_play
        elif thing.words not in ("ok", "done"):
            steps += not any(line.startswith("> refused") for line in said)
    end = live.record()
    for _ in range(steps):
        assert live.say("undo")
    assert live.record() == start
    for _ in range(steps):
        assert live.say("redo")
    assert live.record() == end


@given(st.lists(ANYTHING, max_size=5), FALLS)
@examples(60)
def test_undo_and_redo_while_a_stroke_runs(things: list[Thing], pins: tuple[int, ...]) -> None:
    """They end it first: it comes back as `done` leaves it."""
    records = []
    for words in ("done", "undo"):
        live = Live()
        live.say("new")
        for thing in things:
            live.happen(thing)
        assume(live.referee.state in ("ready", "review"))  # else no stroke runs
        live.happen(Thing(pins, words=words))
        if words == "undo":
            live.say("redo")
        records.append(live.record())
    assert records[0] == records[1]


@given(st.sampled_from(TERMS), st.lists(ANYTHING, max_size=12))
@examples(120)
def test_scores_only_grow(terms: str, things: list[Thing]) -> None:
    """No score or award is below nothing, and a new stroke takes nothing from anybody."""
    live = Live()
    live.say("new" + terms)
    for thing in things:
        game = live.referee.game
        before = (game, game.strokes, tuple(game.score)) if game else (None, 0, (0, 0))
        live.happen(thing)
        game = live.referee.game
        if game and thing.is_heard and not thing.words and game is before[0]:
            assert game.strokes - before[1] in (0, 1)
            assert game.score[0] >= before[2][0]
            assert game.score[1] >= before[2][1]
        for row in stroke_rows(live.referee) + game_rows(live.referee):
            assert min(row["score"].values()) >= 0
            # R4.11: points are written to one player or the other.
            assert min(row.get("award", {"a": 0}).values()) == 0
            assert max(row.get("award", {"a": 0}).values()) >= 0


@given(st.sampled_from(TERMS), st.lists(ANYTHING, max_size=12))
@examples(60)
def test_scores_are_the_sum_of_the_awards(terms: str, things: list[Thing]) -> None:
    live = Live()
    live.say("new" + terms)
    for thing in things:
        if "score" not in thing.words:
            live.happen(thing)
    for game in game_rows(live.referee):
        strokes = [row for row in stroke_rows(live.referee) if row["game"] == game["game"]]
        for one, two in pairwise(strokes):
            assert two["score"] == {p: one["score"][p] + two["award"][p] for p in "ab"}
        assert [row["stroke"] for row in strokes] == list(range(1, game["strokes"] + 1))
        assert not strokes or strokes[-1]["score"] == game["score"]


@given(
    st.sampled_from(["", " first=b", " a.mode=single", " b.mode=single"]),
    st.lists(st.one_of(FALLS.map(Thing), SAID), max_size=10),
    st.lists(st.sampled_from([(0,), (0, 1, 2), (0, 1, 2, 3, 4)]), min_size=5, max_size=5),
)
@examples(60)
def test_undo_of_the_winning_stroke_brings_the_game_back(
    terms: str, things: list[Thing], last: list[tuple[int, ...]]
) -> None:
    live = Live()
    live.say("new a.target=20 b.target=20" + terms)
    for thing in things:
        live.happen(thing)
    for pins in last:
        before = live.record()
        live.happen(Thing(pins))
        won = live.record()
        if won[1] != before[1] and won[1][-1]["result"] == "won":
            assert before[1][-1]["result"] == "playing"
            assert live.say("undo")
            assert live.record() == before
            assert live.say("redo")
            assert live.record() == won


# A game that is over

ENDS = {
    "pins": "0 new a.target=5; 1 stroke 0",
    "all five": "0 new a.target=30; 1 stroke 0,1,2,3,4",
    "a penalty": "0 new b.target=5; 1 stroke 0; 9 mark cue",
    "a score": "0 new; 1 stroke; 9 score a=100 b=3",
    "a draw": "0 new; 1 stroke; 9 draw",
    "giving up": "0 new; 1 stroke 3; 9 resign b",
    "pins that still lie": "0 new a.target=5; 1 hit 0; 1.2 fall 0",
}
NOISE = st.lists(
    st.tuples(
        st.one_of(
            st.sampled_from([0, 1, 20_000, 59_999, 60_000, 150_000, 1_000_000, 6_000_000]),
            st.integers(0, 9_000_000),
        ),
        st.one_of(
            st.builds("pin {} {}".format, st.sampled_from(PINS), st.integers(0, 1)),
            st.builds("hit {}".format, st.integers(0, 3)),
            st.sampled_from(["click", "zone 1", "zone 0", "lost 1", "boot watchdog", "end"]),
        ),
    ),
    max_size=30,
)


@pytest.mark.parametrize("end", ENDS)
@given(noise=NOISE)
@examples(40)
def test_a_game_that_is_over_stays_over(end: str, noise: list[tuple[int, str]]) -> None:
    """A late fall may raise the score of the last stroke; nothing else changes."""
    lines = script(ENDS[end] + "; 10 end").split("\n")
    (over,) = play("\n".join(lines), ALL_SENSORS).games
    t_us = 10_000_000
    for gap_us, what in noise:
        t_us += gap_us
        lines.append(f"{t_us} {what}")
    played = play("\n".join([*lines, f"{t_us + 10_000_000} end"]), ALL_SENSORS)
    (game,) = played.games
    for key in ("state", "result", "winner", "strokes"):
        assert game[key] == over[key]
    assert over["state"] == "over"
    assert all(game["score"][player] >= over["score"][player] for player in "ab")


# Order


def judged(played: Played) -> list[dict[str, Any]]:
    """Return strokes without their times."""
    return [{**stroke, "t_us": 0} for stroke in played.strokes]


# Instants of a stroke; 120 ms is how long before a fall the zone counts.
INSTANTS = [2_000_000, 2_120_000, 2_500_000, 2_620_000, 3_000_000]
MOST_US = 100  # apart, at one instant
WITHIN = 200  # the uncertainty of each line: all of one instant overlap


class Happening(NamedTuple):
    """Something that happens at an instant."""

    instant: int
    what: str


@st.composite
def happenings(draw: st.DrawFn) -> list[Happening]:
    """Draw what happens in one stroke."""
    instants = st.sampled_from(INSTANTS)
    found = [Happening(draw(instants), f"pin {pin} 1") for pin in draw(FALLS)]
    for what in draw(st.lists(st.sampled_from(["hit 0", "hit 1", "click"]), max_size=5)):
        found.append(Happening(draw(instants), what))
    stay = sorted(draw(st.sets(instants, max_size=2)))
    found += [
        Happening(instant, f"zone {level}") for instant, level in zip(stay, (1, 0), strict=False)
    ]
    return found


@given(
    happenings(),
    st.lists(st.integers(0, MOST_US), min_size=13, max_size=13),
    st.sampled_from(["", ",click", ",zone", ",click,zone"]),
    st.sampled_from(["0 new", "0 new; 0.5 pass", "0 new; 0.1 hit 0; 0.2 done"]),
    st.randoms(use_true_random=False),
)
@examples(250)
def test_order_within_the_uncertainty_changes_no_award(
    events: list[Happening], offsets: list[int], sensors: str, before: str, shuffler: random.Random
) -> None:
    """Let what happens at one instant come in two orders."""
    results = []
    for _ in range(2):
        offsets = shuffler.sample(offsets, len(offsets))
        lines = [
            (event.instant + offset, f"{event.what} {WITHIN}")
            for event, offset in zip(events, offsets, strict=False)
        ]
        lines += [(1_900_000, f"click {WITHIN}")]
        lines += [(6_000_000, f"pin {pin} 0") for pin in PINS]
        text = script(before) + "\n" + text_of(lines) + "\n30000000 end"
        results.append(judged(play(text, HEADER + sensors)))
    assert results[0] == results[1]


SOURCES = [
    "pin 0",
    "pin 1",
    "pin 2",
    "pin 3",
    "pin 4",
    "hit 0",
    "hit 1",
    "click",
    "zone",
    "lost 1",
]
GRID_US = 50_000  # so that bounces, falls and equal times are frequent


@given(
    st.lists(st.tuples(st.integers(0, 300), st.sampled_from(SOURCES)), max_size=30),
    st.permutations(SOURCES),
    st.permutations(SOURCES),
    st.sampled_from(["", ",click", ",zone", ",click,zone"]),
)
@examples(250)
def test_order_of_equal_times_changes_nothing(
    events: list[tuple[int, str]], one: list[str], two: list[str], sensors: str
) -> None:
    """Lines of several sensors at the same microsecond: any order gives the same record."""
    results = []
    for order in (one, two):
        levels = dict.fromkeys(SOURCES, 0)
        lines: list[Line] = [(0, "cmd new a.target=20 b.target=20")]
        for instant, source in sorted(events, key=lambda event: (event[0], order.index(event[1]))):
            levels[source] ^= 1
            has_level = source.startswith(("pin", "zone"))
            what = f"{source} {levels[source]}" if has_level else source
            lines.append((1_000_000 + instant * GRID_US, what))
        played = play(text_of([*lines, (40_000_000, "end")]), HEADER + sensors)
        results.append((played.strokes, played.games))
    assert results[0] == results[1]


@given(st.integers(0, 2**32), st.randoms(use_true_random=False))
@examples(100)
def test_delivery_within_20_ms_is_as_sorted(seed: int, shuffler: random.Random) -> None:
    """Each line is late by up to 20 ms, also by just that."""
    header, *texts = random_log(seed, 1).split("\n")[:-1]
    lines: list[Line] = []
    for text in texts:
        late_us = shuffler.choice((0, 1, 20_000, shuffler.randint(0, 20_000)))
        lines.append((int(text.split(" ", 1)[0]) + late_us, text))
    delivered = [text for _time, text in sorted(lines, key=lambda line: line[0])]
    in_order = sorted(delivered, key=lambda text: int(text.split(" ", 1)[0]))
    assert play("\n".join(delivered), header) == play("\n".join(in_order), header)


# Noise


class Noisy(NamedTuple):
    """A stroke of the clean log, and the noise put into it."""

    pins: tuple[int, ...]
    rocks: list[tuple[int, int, list[int]]]  # pin, when in us, gaps between its edges in us
    bounces: list[int]  # gaps in us: each real edge chatters


GAP = st.one_of(st.sampled_from([0, 1, 59_999]), st.integers(0, 59_999))
LONG_GAP = st.one_of(GAP, st.sampled_from([60_000, 149_999]), st.integers(0, 149_999))


@st.composite
def noisy(draw: st.DrawFn) -> Noisy:
    """Draw a stroke and its noise: a rock ends upright, and never tilts for 150 ms."""
    pins = draw(FALLS)
    standing = [pin for pin in PINS if pin not in pins]
    rocks: list[tuple[int, int, list[int]]] = []
    for pin in draw(st.lists(st.sampled_from(standing), unique=True)) if standing else ():
        gaps = draw(st.lists(LONG_GAP, min_size=1, max_size=6))
        odd = gaps if len(gaps) % 2 else gaps[1:]
        rocks.append((pin, draw(st.integers(-500_000, 3_000_000)), odd))
    gaps = draw(st.lists(GAP, max_size=30))
    return Noisy(pins, rocks, gaps[len(gaps) % 2 :])


def toggles(t_us: int, pin: int, level: int, gaps: list[int]) -> list[Line]:
    """Return edges to *level* and back, to and fro, after each of these gaps another."""
    found = [(t_us, f"pin {pin} {level}")]
    for gap_us in gaps:
        t_us += gap_us
        level = 1 - level
        found.append((t_us, f"pin {pin} {level}"))
    return found


@given(st.lists(noisy(), min_size=1, max_size=5))
@examples(100)
def test_noise_within_limits_changes_nothing(strokes: list[Noisy]) -> None:
    """Rocks of standing pins, and bounces of all edges, leave the record as it is."""
    clean: list[Line] = [(0, "cmd new a.target=40 b.target=40")]
    noise: list[Line] = []
    for number, stroke in enumerate(strokes, 1):
        t_us = number * SLOT_US
        clean.append((t_us, "hit 0"))
        for pin in stroke.pins:
            for edge_us, level in ((t_us + 300_000, 1), (t_us + 5_000_000, 0)):
                clean.append((edge_us, f"pin {pin} {level}"))
                noise += toggles(edge_us, pin, level, stroke.bounces)[1:]
        for pin, after_us, gaps in stroke.rocks:
            noise += toggles(t_us + after_us, pin, 1, gaps)
    end = ((len(strokes) + 1) * SLOT_US, "end")
    with_noise = play(text_of([*clean, *noise, end]))
    without = play(text_of([*clean, end]))
    assert with_noise.strokes == without.strokes
    assert with_noise.games == without.games


@pytest.mark.parametrize("order", list(permutations(PINS))[::7])
@pytest.mark.parametrize("gap_us", [1, 5, 1_000, 59_000])
def test_five_pins_at_once_are_five_pins_once(order: tuple[int, ...], gap_us: int) -> None:
    """They fall within 20 us, each with 30 bounces, and are lifted with as many."""
    bounces = [gap_us] * 60
    lines: list[Line] = [(0, "cmd new"), (1_000_000, "hit 0")]
    for place, pin in enumerate(order):
        lines += toggles(2_000_000 + 5 * place, pin, 1, bounces)
        lines += toggles(9_000_000 + 5 * place, pin, 0, bounces)
    played = play(text_of([*lines, (30_000_000, "end")]))
    (stroke,) = played.strokes
    assert stroke["pins"] == [0, 1, 2, 3, 4]
    assert stroke["award"] == {"a": 30, "b": 0}
    assert stroke["clauses"] == ["R2.5"]
    assert [game["state"] for game in played.games] == ["ready"]


# Time

WRAP = 2**30
DAY_US = 86_400_000_000
STROKES = script(
    "0 new; 1 hit 0; 1.2 fall 0,3; 4 stand 0,3; 10 hit 1; 10.1 click; 10.5 zone 1; 11 fall 1;"
    "11.4 zone 0; 12 mark carom; 13 stand 1; 15 press penalty 0.2; 16 fall 2; 30 stand 2; 40 end"
)


@pytest.mark.parametrize(
    "start_us",
    [
        *(WRAP - into for into in (1, 500_000, 1_000_000, 1_100_000, 1_200_000, 1_349_999)),
        *(WRAP - into for into in (3_000_000, 10_000_000, 11_000_100, 15_100_000, 22_500_000)),
        WRAP,
        2**31 - 1_100_000,
        2**32 - 11_000_050,
        DAY_US,
        DAY_US // WRAP * WRAP - 1_100_000,
        7 * DAY_US,
        2**53 - 1_100_000,
    ],
)
def test_a_stroke_at_any_time_scores_like_any_other(start_us: int) -> None:
    """Across the wrap of the ticks, a day after power-up: the same, that much later."""
    moved = []
    for line in STROKES.split("\n"):
        t_us, what = line.split(" ", 1)
        moved.append(f"{int(t_us) + start_us} {what}")
    first = play(STROKES, ALL_SENSORS)
    later = play("\n".join(moved), ALL_SENSORS)
    assert len(first.strokes) == 3
    assert later.games == first.games
    assert later.strokes == [
        {**stroke, "t_us": stroke["t_us"] + start_us} for stroke in first.strokes
    ]


@pytest.mark.parametrize("start", [0, 1, WRAP - 1_100_000, WRAP - 11_000_000])
def test_ticks_that_wrap_give_the_same_log(start: int) -> None:
    """What the chip counts in 30 bits, with nothing for eight minutes at a time, for a day."""
    clock = Clock(start)
    now_us = 0
    while now_us < DAY_US:
        assert clock.extend((start + now_us) % WRAP) == now_us
        now_us += 480_000_000
    lines = []
    for line in STROKES.split("\n"):
        t_us, what = line.split(" ", 1)
        ticks = (start + now_us + int(t_us)) % WRAP
        lines.append(f"{clock.extend(ticks)} {what}")
    first = play(STROKES, ALL_SENSORS)
    later = play("\n".join(lines), ALL_SENSORS)
    assert later.strokes == [
        {**stroke, "t_us": stroke["t_us"] + now_us} for stroke in first.strokes
    ]


# Late falls

POSSIBLE_MARKS = ["", "cue", "direct", "doubt", "valid", "carom", "touch"]


@pytest.mark.parametrize("mark", POSSIBLE_MARKS)
def test_a_late_fall_is_worth_what_it_is_in_the_stroke(mark: str) -> None:
    """Any pins, then one or two that fall late: pins, points and their owner are the same."""
    said = f"; 1.5 mark {mark}" if mark else ""
    for pins, late, count in product(range(32), PINS, (1, 2)):
        more = [late, (late + 2) % 5][:count]
        if any(pins >> pin & 1 for pin in more):
            continue
        own = [pin for pin in PINS if pins >> pin & 1]
        falls = "".join(f"; 1.2 fall {pin}" for pin in own)
        lates = "".join(f"; {10 + 8 * n} fall {pin}" for n, pin in enumerate(more))
        inside = "".join(f"; 1.3 fall {pin}" for pin in more)
        (slow,) = play(script(f"0 new; 1 hit 0{falls}{said}{lates}; 40 end")).strokes
        (quick,) = play(script(f"0 new; 1 hit 0{falls}{said}{inside}; 40 end")).strokes
        assert slow["pins"] == sorted(own + more)
        assert "late-fall" in slow["flags"]
        assert [clause for clause in slow["clauses"] if clause != "R5.1"] == quick["clauses"]
        for key in ("pins", "verdict", "award", "score", "turn", "t_us", "player"):
            assert slow[key] == quick[key], (key, own, more)
