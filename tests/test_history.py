"""The record with its steps as `match` lines: a log that begins in mid-game goes on as before."""

from __future__ import annotations

import random
from binascii import a2b_base64, b2a_base64, crc32
from functools import cache

import pytest

from host_tools.replay import game_rows, stroke_rows
from kegli.history import oldest, read, texts
from kegli.match import Match
from kegli.position import format_match
from kegli.referee import Referee
from tests.play import HEADER, script
from tests.random_logs import random_log

SEEDS = range(3000, 3060)
MOST_TEXT = 255


def feed(referee: Referee, lines: list[str]) -> None:
    """Feed lines, counting those that cannot be read as a board does."""
    for line in lines:
        try:
            referee.feed(line)
        except ValueError:
            referee.skip()


def time_of(line: str) -> int:
    """Return the time of an input line, -1 if it has none."""
    word = line.split(" ", maxsplit=1)[0]
    return int(word) if word.isascii() and word.isdigit() else -1


def head(referee: Referee, t_us: int) -> list[str]:
    """Return what a board says where a log begins: what lies, how the match stands, the zone."""
    lines = [f"{t_us} pin {pin.number} 1" for pin in referee._strokes.pins if pin.level]
    lines += [f"{t_us} match {text}" for text in texts(referee.match, referee.pins_aside)]
    visits = referee._strokes._visits
    return lines + [f"{t_us} zone 1" for _ in visits[-1:] if visits[-1][3] == 1 << 62]


@cache
def broken(seed: int) -> list[tuple[str, list[str], list[str], list[str]]]:
    """Return a random log cut where the table is at rest: header, before, head, after."""
    header, *lines = random_log(seed, 1).splitlines()
    lines = [line for line in lines if line and line[0] not in "#>" and "boot" not in line]
    cuts = []
    live = Referee(header)
    for place, line in enumerate(lines):
        feed(live, [line])
        following = lines[place + 1 : place + 2]
        gap_us = time_of(following[0]) - live._latest_us if following else 0
        if gap_us < 100_000 or live._latest_us > 10**17:
            continue
        t_us = live._latest_us + 50_000  # the board has taken up all that came until then
        live.advance(t_us)
        if live.is_at_rest:
            cuts.append(
                (header, lines[: place + 1], head(live, t_us - 20_000), lines[place + 1 :])
            )
    chooser = random.Random(seed)
    return chooser.sample(cuts, min(4, len(cuts)))


def outcome(referee: Referee) -> tuple[object, object]:
    """Return how all stands, without what was counted before a log began."""
    games = [
        {k: v for k, v in row.items() if k not in ("lost", "errors")} for row in game_rows(referee)
    ]
    return stroke_rows(referee), games


@pytest.mark.parametrize("seed", SEEDS)
def test_a_log_that_begins_at_rest_goes_on_as_the_old_one_does(seed: int) -> None:
    """The old log gets the same head, and both say the same from there on: undo included."""
    for header, before, start, after in broken(seed):
        old = Referee(header)
        feed(old, before)
        old.advance(time_of(start[0]) + 20_000)
        standing = outcome(old)
        old.take()
        new = Referee(header)
        for referee in (old, new):
            feed(referee, start)
            referee.advance(time_of(start[0]) + 20_000)
            assert [line for line in referee.take() if not line.startswith("> suppressed")] == []
        kept = len(new.match.games)
        assert outcome(old) == outcome(new)
        # The record is what it was, as far as it goes back.
        strokes, games = standing
        assert isinstance(strokes, list)
        assert isinstance(games, list)
        assert outcome(new) == (
            [row for row in strokes if not games or row["game"] > games[-1]["game"] - kept],
            games[len(games) - kept :],
        )
        for line in after:
            feed(old, [line])
            feed(new, [line])
            said = old.take()
            assert said == new.take(), line
        undoing = [
            f"{10**18 - 10**9 + 1_000_000 * n} cmd {word}"
            for n, word in enumerate(["undo"] * 30 + ["redo"] * 30)
        ]
        if max(map(time_of, after), default=0) < 10**17:
            feed(old, undoing)
            feed(new, undoing)
        old.finish()
        new.finish()
        assert old.take() == new.take()
        assert outcome(old) == outcome(new)


def test_the_cut_logs_hold_what_this_is_about() -> None:
    cuts = [cut for seed in SEEDS for cut in broken(seed)]
    heads = [line for _, _, start, _ in cuts for line in start]
    assert len(cuts) > 100
    for words in (" pin ", " zone 1", " match empty", " match + ", " match - "):
        assert sum(words in line for line in heads) >= 3, words


def played(text: str) -> Referee:
    """Return a referee after a log in the notation of tests/play.py."""
    referee = Referee(HEADER)
    feed(referee, script(text).splitlines())
    referee.finish()
    return referee


GAME = (
    "0 new a.target=20 pair=1; 1 stroke 0,3; 6 annul 0; 9 mark touch; 10 turn a; 11 lean 2;"
    " 12 undo"
)


def test_texts_are_short_lines_of_ascii() -> None:
    steps = "0 new a.target=999 b.target=999"
    for n in range(60):
        steps += f"; {10 + 10 * n} stroke 0; {15 + 10 * n} mark carom"
    found = texts(played(steps).match, 0)
    assert len(found) > 8
    assert all(text.isascii() and len(text) <= MOST_TEXT for text in found)


def test_before_the_first_game_the_record_is_its_steps() -> None:
    assert texts(played("0 end").match, 0) == ["empty"]
    referee = played("0 absent 3; 1 new; 2 undo")
    again = Referee(HEADER)
    feed(again, [f"0 match {text}" for text in texts(referee.match, 0)])
    again.finish()
    assert again.match.absent == 8
    feed(again, ["1 cmd redo", "2 cmd undo", "3 cmd undo", "4 cmd undo"])
    again.finish()
    assert [line for line in again.take() if "refused" in line] == [
        "> refused 'undo': undo reaches no further back"
    ]
    assert again.match.absent == 0


def test_pins_set_aside_stay_so() -> None:
    referee = played("0 new; 1 stroke; 10 pin 2 1; 20 ok; 21 ok; 22 end")
    assert referee.pins_aside == 4
    again = Referee(HEADER)
    feed(again, head(referee, 0))
    again.finish()
    assert (again.pins_aside, again.state) == (4, "ready")
    feed(again, ["5000000 pin 2 0", "7000000 end"])
    again.finish()
    assert again.pins_aside == 0


@pytest.mark.parametrize(
    ("games", "strokes", "first"), [(5, 10, 0), (4, 60, 2), (3, 100, 1), (3, 140, 2), (2, 241, -1)]
)
def test_old_games_go_when_there_are_many_steps(games: int, strokes: int, first: int) -> None:
    """The last two games stay; games of more than 240 steps keep none."""
    referee = Referee(HEADER)
    t_us = 0
    for game in range(games):
        words = ["next" if game else "new a.target=999 b.target=999", *["pass"] * (strokes - 1)]
        for word in (*words, *(["resign a"] if game < games - 1 else [])):
            feed(referee, [f"{t_us} cmd {word}"])
            t_us += 1000
    referee.finish()
    assert oldest(referee.match) == first
    again = Referee(HEADER)
    feed(again, [f"0 match {text}" for text in texts(referee.match, 0)])
    again.finish()
    assert len(again.match.games) == (games - first if first >= 0 else 1)
    assert format_match(again.match) == format_match(referee.match)


def test_texts_that_are_damaged_are_refused_and_change_nothing() -> None:
    good = texts(played(GAME).match, 0)
    assert len(good) == 3
    for text in good:
        sign, _, packed = text.rpartition(" ")
        for place in range(len(packed)):
            bad = packed[:place] + ("A" if packed[place] != "A" else "B") + packed[place + 1 :]
            with pytest.raises(ValueError, match="damaged"):
                read(f"{sign} {bad}".split())
            with pytest.raises(ValueError, match="damaged"):
                read(f"{sign} {packed[:place]}".split())
    for text in ("+", "-", "+ AA== AA==", "empty AA==", "+ " + "é" * 3):
        with pytest.raises(ValueError, match=r"damaged|no"):
            read(text.split())


def forged(text: str, place: int, value: int) -> str:
    """Return a text with one byte changed and a checksum that fits."""
    sign, packed = text.split(" ")
    data = bytearray(a2b_base64(packed))[:-4]
    data[place] = value
    return f"{sign} " + b2a_base64(data + crc32(data).to_bytes(4, "little")).decode()[:-1]


def test_steps_that_make_no_sense_are_refused_or_harmless() -> None:
    base, steps, undone = texts(played(GAME).match, 0)
    refused = 0
    for text in (steps, undone):
        size = len(a2b_base64(text.split(" ")[1])) - 4
        for place in range(size):
            for value in (0, 1, 2, 3, 4, 5, 7, 10, 12, 13, 31, 32, 64, 127, 255):
                referee = Referee(HEADER)
                lines = [f"0 match {base}"]
                lines += [
                    f"0 match {forged(t, place, value) if t is text else t}"
                    for t in (steps, undone)
                ]
                feed(referee, lines)
                feed(
                    referee,
                    script("20 stroke 1; 30 undo; 31 redo; 32 redo; 40 judge 1 miss").splitlines(),
                )
                referee.finish()
                stroke_rows(referee)
                game_rows(referee)
                texts(referee.match, 0)
                refused += game_rows(referee)[0]["errors"] > 0
    assert refused > 50


def test_a_match_of_more_strokes_than_there_can_be_is_refused() -> None:
    text = texts(played("0 new; 1 pass; 2 pass").match, 0)[0]
    words = text.split(" ")
    data = bytearray(a2b_base64(words[2]))[:-4]
    for place in (0, 12):  # the game's number, and its strokes
        forged = data[:]
        forged[place : place + 2] = b"\xff\xff"
        words[2] = b2a_base64(forged + crc32(forged).to_bytes(4, "little")).decode()[:-1]
        with pytest.raises(ValueError, match="damaged"):
            read(words)


def test_steps_alone_have_nothing_to_go_on_from() -> None:
    _base, steps, _undone = texts(played(GAME).match, 0)
    referee = Referee(HEADER)
    feed(referee, [f"0 match {steps}"])
    referee.finish()
    assert [line for line in referee.take() if "refused" in line] == [
        "> refused 'match': the steps are about what there is not"
    ]
    assert texts(Match([]), 0) == ["empty"]
