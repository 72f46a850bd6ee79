"""Match lines: the record as one short line, what begins from it, and what it does not reach."""

import random
from functools import cache

import pytest
from click.testing import CliRunner

from host_tools.cli import main
from host_tools.replay import game_rows, stroke_rows
from host_tools.replay import play as replay
from kegli.position import format_match
from kegli.referee import Referee
from tests.play import HEADER, game_text, script, stroke_text
from tests.random_logs import random_log

SEEDS = range(2000, 2060)
MOST = 122
STILL_US = 20_000_000  # ends whatever is under way in a random log, whose times are shorter


def fed(lines: list[str], header: str = HEADER) -> Referee:
    """Return a referee that has played *lines* to their end."""
    referee = Referee(header)
    for line in lines:
        referee.feed(line)
    referee.finish()
    return referee


def steps(text: str) -> list[str]:
    """Return the lines of a log in the notation of tests/play.py."""
    return script(text).splitlines()


def at(seconds: float, referee: Referee) -> str:
    """Return the match line of what *referee* holds."""
    return f"{int(seconds * 1_000_000)} match {format_match(referee.match)}"


def standing(referee: Referee) -> dict[str, object]:
    """Return all that a match line is to carry."""
    game = referee.game
    assert game
    return {
        "score": game.score,
        "turn": game.turn,
        "result": (game.result, game.winner),
        "strokes": game.strokes,
        "by hand": game.by_hand,
        "leaning": game.leaning,
        "number": game.number,
        "repeats": game.repeats,
        "terms": (game.terms, game.starter, game.equal, game.modes, game.targets),
        "absent": referee.match.absent,
        "tally": referee.tally,
        "last": referee.last and (referee.last.line(), referee.last.accepted),
    }


# -- There and back


@cache
def parts(seed: int) -> tuple[str, list[list[str]]]:
    """Return the header of a random log, and the first quarter, half and all of its lines."""
    header, *lines = random_log(seed, 1).splitlines()
    return header, [lines[: len(lines) * quarters // 4] for quarters in (1, 2, 4)]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_match_line_carries_the_record(seed: int) -> None:
    header, beginnings = parts(seed)
    for lines in beginnings:
        played = fed(lines, header)
        text = format_match(played.match)
        if not played.game:
            assert text == ""
            continue
        assert text.isascii()
        assert 0 < len(text) <= MOST
        read = fed([f"0 match {text}"], header)
        assert read.take() == []
        if played.state == "running":  # the stroke is left out, as a restart would drop it
            played.feed(f"{played.evaluated_us} boot software")
            played.finish()
        assert standing(read) == standing(played)
        assert format_match(read.match) == text


def test_the_random_logs_hold_what_a_match_line_is_for() -> None:
    games = [
        referee.game
        for seed in SEEDS
        for referee in (fed(lines, parts(seed)[0]) for lines in parts(seed)[1])
        if referee.game
    ]
    assert len(games) > len(SEEDS)
    assert {game.result for game in games} == {"playing", "won", "drawn"}
    for count in (
        sum(game.number > 1 for game in games),
        sum(game.by_hand for game in games),
        sum(bool(game.leaning) for game in games),
        sum(max(game.repeats) > 0 for game in games),
        sum(game.equal for game in games),
        sum(game.last is None for game in games),
    ):
        assert count > 0


def test_there_is_no_match_line_before_the_first_game() -> None:
    assert format_match(fed(steps("0 absent 2; 1 stroke 3; 9 end")).match) == ""


def test_the_longest_match_line() -> None:
    played = fed(
        steps(
            "0 new table=pocket pocket_white=10 fine=10 a.target=999 b.target=999; "
            "1 score a=998 b=998; 2 stroke 0,1,2,3,4; 8 mark pocket-white; 9 end"
        )
    )
    assert len(format_match(played.match)) <= MOST


@pytest.mark.parametrize(
    "again",
    ["{} resign b; {} next", "{} pass; {} mark repeat; {} turn a"],
    ids=["games won", "repeats of one player"],
)
def test_more_than_a_byte_holds(again: str) -> None:
    played = fed(
        [
            "0 cmd new",
            *(line for n in range(1, 301) for line in steps(again.replace("{}", str(n)))),
        ]
    )
    text = format_match(played.match)
    assert len(text) <= MOST
    read = fed([f"0 match {text}"])
    assert read.take() == []
    assert (read.tally, read.game and read.game.strokes) == (
        played.tally,
        played.game and played.game.strokes,
    )


# -- Games that begin from a match line

SITUATIONS = {
    "R7.2 a step from the target": (
        "0 new; 1 score a=98 b=97; 2 end",
        "10 stroke 3; 20 end",
        "@10 a 3 legal? 2:0 R2.1 = 100:97 a",
        "over won a 100:97 a 1 by-hand",
    ),
    "R7.5 a lower target": (
        "0 new b.target=40; 1 score a=50 b=38; 2 turn b; 3 end",
        "10 stroke 3; 20 end",
        "@10 b 3 legal? 0:2 R2.1 = 50:40 b",
        "over won b 50:40 b 1 by-hand",
    ),
    "R6.3 series against single stroke": (
        "0 new b.mode=single first=b; 1 stroke 3; 9 end",
        "10 stroke 3; 20 stroke 3; 30 stroke; 40 stroke 4; 50 end",
        "@1 b 3 legal? 0:2 R2.1 = 0:2 a; @10 a 3 legal? 2:0 R2.1 = 2:2 a; "
        "@20 a 3 legal? 2:0 R2.1 = 4:2 a; @30 a - none? 0:0 R2.8 = 4:2 b; "
        "@40 b 4 legal? 0:2 R2.1 = 4:4 a",
        "ready playing - 4:4 a 5",
    ),
    "R7.7 handicap d goes on in the next game": (
        "0 new always=b a.mode=single b.target=5; 1 stroke 0; 9 end",
        "10 next; 11 stroke 3; 20 stroke; 27 stroke 3; 35 end",
        "@1 b 0 legal? 0:5 R2.2 = 0:5 b; @11 b 3 legal? 0:2 R2.1 = 0:2 b; "
        "@20 b - none? 0:0 R2.8 = 0:2 a; @27 a 3 legal? 2:0 R2.1 = 2:2 b",
        "over won b 0:5 b 1; ready playing - 2:2 b 3",
    ),
    "R7.6 points in advance again in the next game": (
        "0 new always=b b.start=3 b.target=5; 1 stroke 3; 9 end",
        "10 next; 20 end",
        "@1 b 3 legal? 0:2 R2.1 = 0:5 b",
        "over won b 0:5 b 1; ready playing - 0:3 b 0",
    ),
    "R7.1 the start alternates": (
        "0 new a.target=5 first=b; 1 resign b; 2 end",
        "10 next; 11 stroke 0; 20 end",
        "@11 a 0 legal? 5:0 R2.2 = 5:0 a",
        "over won a 0:0 b 0; over won a 5:0 a 1",
    ),
    "R7.9 the second game of a pair": (
        "0 new pair=1 a.mode=single a.target=5 b.target=50 b.start=48; 1 stroke 0; 6 next; 7 end",
        "10 stroke 0; 20 next; 30 end",
        "@10 b 0 legal? 0:5 R2.2 = 0:5 a",
        "over won b 0:5 a 1; ready playing - 0:48 a 0",
    ),
    "R7.9 the second game comes": (
        "0 new pair=1 a.mode=single a.target=5 b.target=50 b.start=48; 1 stroke 0; 9 end",
        "10 next; 11 stroke 0; 20 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:48 b; @11 b 0 legal? 0:5 R2.2 = 0:5 a",
        "over won a 5:48 b 1; over won b 0:5 a 1",
    ),
    "R7.3 two repeats each": (
        "0 new; 1 stroke; 8 mark repeat; 9 stroke; 16 mark repeat; 17 stroke; 24 mark repeat; "
        "25 stroke; 32 mark repeat; 33 end",
        "40 stroke; 47 mark repeat; 48 stroke; 55 mark repeat; 60 end",
        "@25 b - none? 0:0 R2.8 = 0:0 a judged; @40 a - none? 0:0 R2.8 = 0:0 b judged; "
        "@48 b - none? 0:0 R2.8 = 0:0 a judged",
        "over drawn - 0:0 a 6",
    ),
    "R5.3 a pin leans": (
        "0 new; 1 stroke; 8 lean 3; 9 end",
        "10 stroke 1; 20 stroke 1; 30 end",
        "@1 a - none? 0:0 R2.8 = 0:0 b; @10 b 1 cue? 2:0 R2.1,R4.1,R5.3 = 2:0 a judged; "
        "@20 a 1 legal? 2:0 R2.1 = 4:0 a",
        "ready playing - 4:0 a 3",
    ),
    "R5.3 before the first stroke": (
        "0 new; 1 lean 3; 2 end",
        "10 stroke; 20 end",
        "@10 a - none? 0:0 R5.3 = 0:0 b judged",
        "ready playing - 0:0 b 1",
    ),
    "R5.5 a pin is absent": (
        "0 new; 1 absent 2; 2 end",
        "10 stroke 2,3; 20 present 2; 30 stroke 2; 40 end",
        "@10 a 3 legal? 2:0 R2.1 = 2:0 a absent-pin; @30 a 2 legal? 2:0 R2.1 = 4:0 a",
        "ready playing - 4:0 a 2",
    ),
    "R9.3 the score set by hand after a stroke": (
        "0 new; 1 stroke 3; 6 score a=20 b=30; 7 end",
        "10 stroke 3; 20 end",
        "@1 a 3 legal? 2:0 R2.1 = 2:0 a; @10 a 3 legal? 2:0 R2.1 = 22:30 a",
        "ready playing - 22:30 a 2 by-hand",
    ),
    "R9.3 and before one": (
        "0 new; 1 score a=20 b=30; 2 stroke 3; 9 end",
        "10 judge 1 cue; 20 end",
        "@2 a 3 cue? 0:2 R2.1,R4.1 = 20:32 b judged",
        "ready playing - 20:32 b 1 by-hand",
    ),
    "R9.4 the turn set by hand": (
        "0 new; 1 stroke 3; 6 turn b; 7 end",
        "10 stroke 3; 20 end",
        "@1 a 3 legal? 2:0 R2.1 = 2:0 a; @10 b 3 legal? 0:2 R2.1 = 2:2 b",
        "ready playing - 2:2 b 2 by-hand",
    ),
    "R7.3 drawn": (
        "0 new; 1 draw; 2 end",
        "10 stroke 3; 20 next; 30 end",
        "",
        "over drawn - 0:0 a 0; ready playing - 0:0 b 0",
    ),
    "R9.3 a score does not un-end a draw": (
        "0 new; 1 draw; 2 end",
        "10 score a=7 b=0; 20 end",
        "",
        "over drawn - 7:0 a 0 by-hand",
    ),
    "R9.3 resigned, then a score that would win": (
        "0 new; 1 resign a; 2 score a=100 b=0; 3 end",
        "20 end",
        "",
        "over won b 100:0 a 0 by-hand",
    ),
    "R9.3 un-ended by a score, then resigned, then another score": (
        "0 new a.target=5; 1 stroke 0; 6 score a=4 b=0; 7 resign b; 8 score a=3 b=0; 9 end",
        "20 end",
        "@1 a 0 legal? 5:0 R2.2 = 5:0 a",
        "over won a 3:0 a 1 by-hand",
    ),
    "R9.2 a win that judging takes back": (
        "0 new a.target=5; 1 stroke 0; 9 end",
        "10 mark cue; 20 stroke 3; 30 end",
        "@1 a 0 cue? 0:5 R2.2,R4.1 = 0:5 b judged; @20 b 3 legal? 0:2 R2.1 = 0:7 b",
        "ready playing - 0:7 b 2",
    ),
    "R8.2 a pocket table": (
        "0 new table=pocket pocket_white=5; 1 end",
        "10 stroke; 17 mark pocket-white; 20 end",
        "@10 a - none? 5:0 R8.2 = 5:0 a judged",
        "ready playing - 5:0 a 1",
    ),
    "R4.9 the fines agreed": (
        "0 new fine=4 pin_fine=3; 1 end",
        "10 stroke; 17 mark off; 20 stroke 3; 26 mark cue; 30 end",
        "@10 a - none? 0:4 R4.5 = 0:4 b judged; @20 b 3 cue? 5:0 R2.1,R4.1 = 5:4 a judged",
        "ready playing - 5:4 a 2",
    ),
    "R4.5 a mark is added to those of the last stroke": (
        "0 new; 1 stroke; 8 mark off; 9 end",
        "10 mark carom; 20 end",
        "@1 a - none? 0:5 R2.6,R4.5 = 0:5 b judged",
        "ready playing - 0:5 b 1",
    ),
    "R5.2 what was annulled stays so when a mark comes": (
        "0 new; 1 stroke 0,3; 6 annul 0; 7 end",
        "10 mark off; 20 end",
        "@1 a 3 legal? 0:4 R2.1,R4.5,R5.2 = 0:4 b judged",
        "ready playing - 0:4 b 1",
    ),
    "R5.3 a pin leaned while the last stroke ran": (
        "0 new; 1 stroke 3; 1.5 lean 2; 9 end",
        "10 mark carom; 20 end",
        "@1 a 3 cue? 0:2 R2.1,R2.7,R4.1,R5.3 = 0:2 b judged",
        "ready playing - 0:2 b 1",
    ),
    "R2.6 a mark is added to a stroke by hand": (
        "0 new; 1 mark carom; 2 end",
        "10 mark off; 20 end",
        "@1 a - none? 0:5 R2.6,R4.5 = 0:5 b by-hand judged",
        "ready playing - 0:5 b 1",
    ),
    "R9.2 the last stroke is judged again": (
        "0 new; 1 stroke; 8 stroke 3; 13 mark off; 14 end",
        "20 judge 2 valid; 30 end",
        "@8 b 3 legal? 0:2 R2.1 = 0:2 b judged",
        "ready playing - 0:2 b 2",
    ),
    "R9.1 a mark after the line is undone and redone": (
        "0 new; 1 stroke 3; 6 mark off; 9 end",
        "10 mark doubt; 11 undo; 12 redo; 13 undo; 20 end",
        "@1 a 3 legal? 0:4 R2.1,R4.5 = 0:4 b judged",
        "ready playing - 0:4 b 1",
    ),
    "R9.1 undo does not reach behind the line": (
        "0 new; 1 stroke 3; 9 end",
        "10 undo; 20 end",
        "@1 a 3 legal? 2:0 R2.1 = 2:0 a",
        "ready playing - 2:0 a 1 errors=1",
    ),
    "R9.1 nor do as many as there are steps": (
        "0 new; 1 absent 2; 2 turn b; 3 stroke 3; 8 lean 3; 9 score a=1 b=1; 9.5 end",
        "10 pass; 11 undo; 12 undo; 13 redo; 14 undo; 15 undo; 20 end",
        "@3 b 3 legal? 0:2 R2.1 = 0:2 b absent-pin",
        "ready playing - 1:1 b 1 by-hand errors=2",
    ),
    "R9.2 an earlier stroke is out of reach": (
        "0 new; 1 stroke; 8 stroke 3; 14 end",
        "20 judge 1 carom; 30 end",
        "@8 b 3 legal? 0:2 R2.1 = 0:2 b",
        "ready playing - 0:2 b 2 errors=1",
    ),
    "R5.1 a late fall": (
        "0 new; 1 stroke; 9 end",
        "10 fall 3; 17 end",
        "@1 a 3 legal? 2:0 R2.1,R5.1 = 2:0 a late-fall",
        "review playing - 2:0 a 1",
    ),
    "R5.1 a late fall of a leaning pin": (
        "0 new; 1 stroke; 8 lean 3; 9 end",
        "10 fall 3; 17 stand 3; 20 stroke 4; 30 end",
        "@1 a 3 legal? 2:0 R2.1,R5.1 = 2:0 a late-fall; @20 a 4 legal? 2:0 R2.1 = 4:0 a",
        "ready playing - 4:0 a 2",
    ),
    "R5.1 a late fall that wins": (
        "0 new a.target=2; 1 stroke; 9 end",
        "10 fall 3; 17 end",
        "@1 a 3 legal? 2:0 R2.1,R5.1 = 2:0 a late-fall",
        "over won a 2:0 a 1",
    ),
    "R5.1 no late fall after a pin was lifted": (
        "0 new; 1 stroke 4; 9 end",
        "10 fall 3; 13 stand 3; 20 end",
        "@1 a 4 legal? 2:0 R2.1 = 2:0 a; @10 a 3 doubt? 0:2 R2.1,R4.3 = 2:2 b",
        "ready playing - 2:2 b 2",
    ),
    "R5.1 no late fall after a boot": (
        "0 new; 1 stroke; 8 boot watchdog; 9 end",
        "10 fall 3; 13 stand 3; 20 end",
        "@1 a - none? 0:0 R2.8 = 0:0 b; @10 b 3 doubt? 2:0 R2.1,R4.3 = 2:0 a",
        "ready playing - 2:0 a 2",
    ),
    "R2.8 accepted": (
        "0 new; 1 stroke; 8 ok; 9 end",
        "10 mark carom; 20 end",
        "@1 a - none? 0:0 R2.8 = 0:0 b; @10 b - none? 0:3 R2.6 = 0:3 a by-hand judged",
        "ready playing - 0:3 a 2",
    ),
    "R7.1 a new game": (
        "0 new; 1 stroke 3; 9 end",
        "10 new a.target=2; 11 stroke 3; 20 end",
        "@1 a 3 legal? 2:0 R2.1 = 2:0 a; @11 a 3 legal? 2:0 R2.1 = 2:0 a",
        "over playing - 2:0 a 1; over won a 2:0 a 1",
    ),
}


@pytest.mark.parametrize("case", SITUATIONS.values(), ids=SITUATIONS)
def test_a_game_begins_from_a_match_line(case: tuple[str, str, str, str]) -> None:
    before, after, strokes, games = case
    # The clock may have gone on or, after a loss of power, begun again: ten seconds are both.
    begun = fed([at(9.9, fed(steps(before))), *steps(after)])
    assert [stroke_text(row) for row in stroke_rows(begun)] == [
        text for text in strokes.split("; ") if text
    ]
    assert [game_text(row) for row in game_rows(begun)] == games.split("; ")


@pytest.mark.parametrize(
    ("before", "after", "tally"),
    [
        ("0 new a.target=5; 1 stroke 0; 6 next; 7 resign b; 8 end", "10 next; 11 draw", [2, 0, 1]),
        ("0 new; 1 resign a; 2 new; 3 end", "10 resign b", [1, 0, 0]),
        ("0 new; 1 resign a; 2 next; 3 end", "10 undo; 11 new; 12 draw", [0, 0, 1]),
        ("0 new; 1 resign a; 2 end", "10 next; 11 resign b; 12 undo", [0, 1, 0]),
        ("0 new; 1 stroke 3; 6 new; 7 end", "10 end", [0, 0, 0]),  # an unfinished game
    ],
)
def test_the_tally_goes_on(before: str, after: str, tally: list[int]) -> None:
    played = fed(steps(before))
    assert fed([at(9.9, played), *steps(after)]).tally == tally


# -- To go on from the line is to go on

SAYINGS = (
    *("pass", "mark repeat", "mark off", "mark carom", "mark doubt", "mark valid", "ok"),
    *("score a=3 b=4", "turn a", "turn b", "lean 3", "absent 1", "present 1", "annul 3"),
    *("next", "next", "draw", "resign b", "new pair=1 a.target=5 b.start=4"),
)


def continuation(seed: int, t_us: int) -> list[str]:
    """Return lines of some strokes and commands, each over before the next, from *t_us* on."""
    choice = random.Random(seed).choice
    lines = []
    for n in range(14):
        step = choice((*SAYINGS, *("stroke", "stroke 3", "stroke 0,1", "stroke 0,1,2,3,4") * 3))
        for line in steps(f"0 {step}"):
            after_us, _, said = line.partition(" ")
            lines.append(f"{t_us + n * STILL_US + int(after_us)} {said}")
    return [*lines, f"{t_us + 14 * STILL_US} end"]


def rows_from(referee: Referee, game: int, stroke: int) -> tuple[list[object], list[object]]:
    """Return the rows of the strokes from *stroke* of *game* on, and those of the games."""
    strokes = [
        row for row in stroke_rows(referee) if (row["game"], row["stroke"]) >= (game, stroke)
    ]
    games = [row for row in game_rows(referee) if row["game"] >= game]
    for row in games:
        del row["lost"], row["errors"]  # what came before the line is not counted
    return [*strokes], [*games]


@pytest.mark.parametrize("seed", SEEDS)
def test_to_go_on_from_the_line_is_to_go_on(seed: int) -> None:
    header, beginnings = parts(seed)
    for lines in beginnings:
        t_us = max([int(line.split()[0]) for line in lines], default=0) + STILL_US
        quiet = [f"{t_us} pin {pin} 0" for pin in range(5)]
        quiet += [f"{t_us} zone 0", f"{t_us + STILL_US} end"]
        played = fed([*lines, *quiet], header)
        if not played.game:
            continue
        last = played.last
        place = last.place if last else played.game.place
        if any(step[0] == 0 for step in played.match.steps[place + 1 :]):
            continue  # strokes that do not count for now: a match line does not carry them
        line = f"{t_us + STILL_US} match {format_match(played.match)}"
        more = continuation(seed, t_us + 2 * STILL_US)
        read = fed([line, *more], header)
        for text in more:
            played.feed(text)
        played.finish()
        here = (read.match.games[0].number, last.number if last else 1)
        assert rows_from(read, *here) == rows_from(played, *here)
        assert read.tally == played.tally


# -- Damage

PLAYED = fed(steps("0 new; 1 stroke 0,3; 6 mark off; 7 stroke; 14 score a=3 b=8; 15 end"))
TEXT = format_match(PLAYED.match)
OTHER = "~!=+/9aB"  # outside base 64, its padding, and inside


def refusal(referee: Referee, line: str) -> str:
    with pytest.raises(ValueError, match=r"\S") as error:
        referee.feed(line)
    return str(error.value)


def damaged() -> list[str]:
    """Return the text with each of its characters changed, removed and doubled."""
    texts = []
    for n, character in enumerate(TEXT):
        before, after = TEXT[:n], TEXT[n + 1 :]
        texts += [before + other + after for other in OTHER if other != character]
        texts += [before + after]
        if character != " ":  # words may be separated by more
            texts += [before + character * 2 + after]
    return texts


def test_any_damage_is_an_error_and_changes_nothing() -> None:
    assert len(damaged()) > 8 * len(TEXT)
    referee = fed(steps("0 new b.start=7; 1 stroke 3; 9 end"))
    referee.take()
    before = standing(referee)
    for text in damaged():
        assert refusal(referee, f"10000000 match {text}") == "the match is damaged"
    referee.finish()
    assert referee.take() == []
    assert standing(referee) == before
    referee.feed("11000000 cmd undo")
    referee.finish()
    assert referee.take() == ["> stroke game=1 n=1 withdrawn"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "=",
        "AAAA",
        "0:0 a",
        TEXT + " x",
        TEXT + "=",
        TEXT + "AAAA",
        TEXT[:-4],
        "0:0 b \xff",
    ],
)
def test_what_is_no_match_is_refused(text: str) -> None:
    assert refusal(Referee(HEADER), f"0 match {text}")


# -- In the middle of a log


@pytest.mark.parametrize(
    "before",
    [
        "0 new a.target=30; 1 stroke 0; 9 end",
        "0 new a.target=30; 1 stroke 0; 9 hit 0",  # a stroke runs
        "0 new a.target=30; 1 stroke 0; 9 hit 0; 9.5 fall 1",
        "0 new a.target=30; 1 stroke; 8 fall 2",  # a lone fall is undecided
        "0 absent 4",
        "",
    ],
)
def test_a_match_line_replaces_the_record(before: str) -> None:
    referee = Referee(HEADER)
    for line in (*steps(before), f"10000000 match {TEXT}", "10000000 end"):
        referee.feed(line)
    referee.finish()
    assert standing(referee) == standing(PLAYED)
    assert [row["stroke"] for row in stroke_rows(referee)] == [2]
    assert len(game_rows(referee)) == 1
    for line in steps("11 stand 0,1,2,3,4; 20 stroke 3; 30 end"):
        referee.feed(line)
    referee.finish()
    assert stroke_text(stroke_rows(referee)[-1]) == "@20 a 3 legal? 2:0 R2.1 = 5:8 a"


def test_lines_within_twenty_milliseconds_keep_their_order() -> None:
    """The record is replaced at the line's time, not when the line comes."""
    lines = [*steps("0 new; 1 end"), f"2000000 match {TEXT}", "1990000 cmd turn b", "3000000 end"]
    assert standing(fed(lines)) == standing(PLAYED)


def test_a_log_that_begins_with_a_match_line_replays() -> None:
    log = "\n".join([HEADER, f"0 match {TEXT}", *steps("1 stroke 3; 9 end"), ""])
    told = replay(log.encode()).now
    assert [line.split()[1:4] for line in told] == [["stroke", "game=1", "n=3"]]
    status = CliRunner().invoke(main, ["replay", "-"], input=log + told[0] + "\n").exit_code
    assert status == 0
