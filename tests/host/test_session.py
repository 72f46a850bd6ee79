"""A session at the virtual table, and `kegli simulate`: reproducible, as long as asked."""

from __future__ import annotations

from itertools import islice, pairwise
from typing import Any

import pytest
from click.testing import CliRunner

from host_tools import replay
from host_tools.cli import main
from host_tools.session import Judged, Session, order
from host_tools.simulate import CoreBoard
from host_tools.virtual_table import Stroke, Table, packaged
from kegli.referee import Referee

ALL_SENSORS = "pins,cushions,click,zone"


def simulate(*options: str) -> str:
    """Return the log that `kegli simulate` prints."""
    result = CliRunner().invoke(main, ["simulate", *options], catch_exceptions=False)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def replayed(log: str) -> replay.Replay:
    """Replay a log."""
    return replay.play(log.encode())


def truths(log: str) -> list[dict[str, str]]:
    """Return what the comments say of each stroke."""
    return [
        dict(word.split("=") for word in line.split()[2:])
        for line in log.splitlines()
        if line.startswith("# truth ")
    ]


@pytest.mark.parametrize("sensors", ["pins,cushions", "click", "zone,pins", ALL_SENSORS])
@pytest.mark.parametrize("players", ["player", "random"])
def test_a_simulated_log_is_reproducible_and_replays(sensors: str, players: str) -> None:
    options = ("--sensors", sensors, "--players", players, "--strokes", "12", "--seed", "3")
    log = simulate(*options)
    assert log == simulate(*options)
    assert log.isascii()
    played = replayed(log)
    assert played.recorded
    assert played.agrees
    assert (played.fault, played.truncated, played.skipped) == ("", "", 0)
    assert len(truths(log)) == 12
    fitted = log.splitlines()[0].partition("sensors=")[2].split()[0].split(",")
    assert set(fitted) == set(sensors.split(",")) | {"pins", "cushions"}


def test_seeds_and_players_and_sensors_make_another_log() -> None:
    options = [(), ("--seed", "2"), ("--players", "random"), ("--sensors", ALL_SENSORS)]
    logs = {simulate("--strokes", "5", *more) for more in options}
    assert len(logs) == len(options)


@pytest.mark.parametrize("count", [1, 2, 25])
@pytest.mark.parametrize("target", [1, 5, 999])
def test_so_many_strokes_over_several_games(count: int, target: int) -> None:
    """Each stroke is played, each game but the last is over, and nothing is left open."""
    log = simulate("--strokes", str(count), "--target", str(target))
    assert len(truths(log)) == count
    played = replayed(log)
    games = replay.game_rows(played.referee)
    assert sum(game["strokes"] for game in games) <= count
    assert all(game["result"] == "won" for game in games[:-1])
    assert games[-1]["state"] in ("ready", "over")
    if count == 25:
        assert (len(games) > 1) == (target < 999)
    # Who starts alternates.
    strokes = replay.stroke_rows(played.referee)
    for game in games:
        first = [row["player"] for row in strokes if row["game"] == game["game"]][:1]
        assert first in ([], ["ab"[1 - game["game"] % 2]])


@pytest.mark.parametrize("target", [5, 30])
def test_without_a_number_it_is_one_game(target: int) -> None:
    log = simulate("--target", str(target))
    (game,) = replay.game_rows(replayed(log).referee)
    assert (game["state"], game["result"]) == ("over", "won")
    assert max(game["score"].values()) >= target
    assert len(truths(log)) >= game["strokes"]


def test_comments_tell_the_truth() -> None:
    """They are those of the strokes in the order in which they were played."""
    log = simulate("--strokes", "20", "--seed", "9")
    for truth, stroke in zip(truths(log), order(packaged(), "player", 9), strict=False):
        assert truth == {
            "verdict": stroke.verdict,
            "pins": ",".join(str(pin) for pin in stroke.pins),
            "carom": str(int(stroke.carom)),
            "miss": str(int(stroke.miss)),
            "points": str(stroke.points),
        }


def test_pins_of_the_truth_fall_in_the_log() -> None:
    """With hands that set them up, each stroke that fells pins is found with just those."""
    log = simulate("--strokes", "30", "--seed", "4", "--target", "999")
    told = [truth["pins"] for truth in truths(log) if truth["pins"]]
    found = [row["pins"] for row in replay.stroke_rows(replayed(log).referee) if row["pins"]]
    assert len(told) > 3
    assert found == [sorted(int(pin) for pin in pins.split(",")) for pins in told]


# Session, order, Judged


def play_some(count: int, seed: int = 1) -> tuple[list[Judged], list[str], Session]:
    """Play strokes on the core alone."""
    lines: list[str] = []
    sensors = frozenset(("pins", "cushions"))
    session = Session(CoreBoard(sensors), Table(seed, sensors), "", limit=count, each=lines.extend)
    judged = list(session.play(order(packaged(), "player", seed)))
    return judged, lines, session


def test_a_session_tells_each_stroke_beside_its_truth() -> None:
    judged, lines, session = play_some(15)
    assert len(judged) == 15
    played = replayed("\n".join([*lines, ""]))
    rows = replay.stroke_rows(played.referee)
    said = [one.said for one in judged if one.said]
    assert [int(one["n"]) for one in said] == [row["stroke"] for row in rows]
    assert [one["score"] for one in said] == [
        f"{row['score']['a']}:{row['score']['b']}" for row in rows
    ]
    assert session.score == tuple(rows[-1]["score"].values())
    assert (session.games, session.result) == (1, "playing")
    assert [one.stroke for one in judged] == list(islice(order(packaged(), "player", 1), 15))


def stroke_of(**facts: Any) -> Stroke:
    """Return a stroke with these facts: a legal king."""
    usual: dict[str, Any] = {"mode": "player", "events": (), "end_us": 1, "verdict": "legal"}
    usual |= {"pins": (0,), "carom": False, "miss": False, "points": 5}
    return Stroke(**(usual | facts))


def said(text: str) -> dict[str, str]:
    """Return the pairs of a conclusion line."""
    return dict(word.split("=", 1) for word in text.split())


LEGAL_KING = said("player=a pins=0 award=5:0 clauses=R2.2")
KING_BY_B = said("player=b pins=0 award=0:5 clauses=R2.2")
KING_OVER = said("player=a pins=0 award=0:5 clauses=R2.2,R4.1")
NOTHING = said("player=a pins= award=0:0 clauses=R2.8")


@pytest.mark.parametrize(
    ("stroke", "words", "agrees"),
    [
        (stroke_of(), LEGAL_KING, True),
        (stroke_of(), KING_BY_B, True),
        (stroke_of(), KING_OVER, False),
        (stroke_of(), NOTHING, False),
        (stroke_of(), {}, False),
        (stroke_of(verdict="cue"), KING_OVER, True),
        (stroke_of(verdict="direct"), KING_OVER, True),
        (stroke_of(verdict="cue"), LEGAL_KING, False),
        # The same points by another pin are not the same.
        (stroke_of(pins=(0, 1)), LEGAL_KING, False),
        (stroke_of(pins=(0, 1)), LEGAL_KING | {"pins": "0,1"}, True),
        (stroke_of(pins=(), verdict="none", points=0), NOTHING, True),
        (stroke_of(pins=(), verdict="none", points=0), {}, False),
        (stroke_of(pins=(), verdict="none", points=3, carom=True), NOTHING, False),
        (stroke_of(pins=(), verdict="none", points=0, miss=True), NOTHING, False),
        (
            stroke_of(pins=(), verdict="none", points=0, miss=True),
            said("player=b pins= award=2:0 clauses=R4.4"),
            True,
        ),
    ],
)
def test_agreement_is_about_points_pins_and_penalty(
    stroke: Stroke, words: dict[str, str], agrees: bool
) -> None:
    assert Judged(stroke, words).agrees == agrees


def test_awards_are_the_strikers_and_the_partners() -> None:
    assert Judged(stroke_of(), LEGAL_KING).award == (5, 0)
    assert Judged(stroke_of(), KING_BY_B).award == (5, 0)
    assert Judged(stroke_of(), KING_OVER).award == (0, 5)
    assert Judged(stroke_of(), {}).award == (0, 0)


def test_order_shuffles_all_strokes_again_and_again() -> None:
    strokes = packaged()
    for players in ("player", "random"):
        chosen = [stroke for stroke in strokes if stroke.mode == players]
        rounds = list(islice(order(strokes, players, 5), 2 * len(chosen)))
        assert rounds == list(islice(order(strokes, players, 5), 2 * len(chosen)))
        first, second = rounds[: len(chosen)], rounds[len(chosen) :]
        assert first != second
        for some in (first, second):
            assert sorted(map(repr, some)) == sorted(map(repr, chosen))
    with pytest.raises(ValueError, match="there are no strokes of a random among them"):
        next(order([stroke_of()], "random", 1))


def test_the_board_of_the_core_prints_what_a_referee_concludes() -> None:
    """Its log, fed again, gives the same lines; time alone is told by an `end` before them."""
    _judged, lines, _session = play_some(10)
    referee = Referee(lines[0])
    for line in lines[1:]:
        if not line.startswith(">"):
            referee.feed(line)
    referee.finish()
    assert referee.take() == [line for line in lines if line.startswith(">")]
    for before, line in pairwise(lines):
        if line.startswith(">") and not before.startswith(">"):
            assert before.split()[1] in ("end", "cmd", "pin", "hit")
