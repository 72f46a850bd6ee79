"""Handicaps by their letters: the words of `new` that they stand for (R7.4 to R7.8)."""

from contextlib import closing

import pytest

from kegli.handicap import new_words
from kegli.terms import parse_terms
from tests.test_app import Bench

CASES = [
    ("R7.4", "a a", "always=a"),
    ("R7.4", "a b", "always=b"),
    ("R7.5", "b a 20", "a.target=80"),
    ("R7.5", "b b 20", "b.target=80"),
    ("R7.5", "b a 99", "a.target=1"),
    ("R7.6", "c a 20", "always=a a.start=20"),
    ("R7.6", "c b 20", "always=b b.start=20"),
    ("R7.6", "c b 99", "always=b b.start=99"),
    ("R7.7", "d a", "always=a a.mode=series b.mode=single"),
    ("R7.7", "d b", "always=b b.mode=series a.mode=single"),
    ("R7.8", "e a 20", "always=a a.start=20 a.mode=series b.mode=single"),
    ("R7.8", "e b 20", "always=b b.start=20 b.mode=series a.mode=single"),
    ("R7.9", "d b pair=1 fine=3", "always=b b.mode=series a.mode=single pair=1 fine=3"),
    ("R7.9", "c a 0 pair=1", "always=a a.start=0 pair=1"),
]


@pytest.mark.parametrize(
    ("words", "expected"),
    [case[1:] for case in CASES],
    ids=[f"{case[0]}-{case[1].replace(' ', '_')}" for case in CASES],
)
def test_a_handicap_is_a_new_game_on_these_terms(words: str, expected: str) -> None:
    command, *terms = new_words(words.split())
    assert command == "new"
    assert sorted(terms) == sorted(expected.split())  # in any order
    parse_terms(terms)  # all keys exist, and the values are allowed


SAY = "say: handicap a, b, c, d or e, the receiver a or b, and the points"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("", SAY),
        ("c", SAY),
        ("f a 20", SAY),
        ("a c", SAY),
        ("c 20 b", SAY),
        ("b a", "handicap b needs points"),
        ("c b", "handicap c needs points"),
        ("e a pair=1", "handicap e needs points"),
        ("c b many", "'many' is not a whole number"),
        ("c b -1", "'-1' is not a whole number"),
        ("b b 100", "100 is more than 99"),
    ],
)
def test_a_handicap_that_says_nothing_is_refused(words: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=r"\S") as error:
        new_words(words.split())
    assert str(error.value) == sentence


def typed(text: bytes) -> list[str]:
    """Return what the firmware prints when *text* is typed, after its header."""
    with closing(Bench()) as bench:
        bench.start()
        bench.lines()
        bench.type(text)
        return bench.play(200_000)


def test_the_log_has_the_new_and_no_handicap() -> None:
    printed = typed(b"handicap c b 20\n")
    assert printed[0] == "0 cmd new always=b b.start=20"
    assert "> game n=1 result=playing winner= score=0:20 turn=b strokes=0" in printed
    assert not any("handicap" in line for line in printed)


@pytest.mark.parametrize("text", [b"handicap\n", b"handicap c b\n", b"handicap b a 100\n"])
def test_a_refused_handicap_is_one_sentence_and_no_input(text: bytes) -> None:
    printed = typed(text)
    assert len(printed) == 1
    assert printed[0].startswith("> refused 'handicap")
