"""Every command and every button at every state: it takes effect, or it is refused and is nothing.

One table says which: a row for each thing that people can say, a column for each situation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from host_tools.replay import game_rows, stroke_rows
from kegli.referee import Referee
from tests.play import HEADER, script

NOW = 20  # seconds: when it is said

SITUATIONS = {
    # letter: name, what has happened before
    "n": ("no game", ""),
    "r": ("ready", "0 new"),
    "u": ("running", "0 new; 5 stroke 0; 19 hit 0; 19.2 fall 3"),
    "v": ("review", "0 new; 5 hit 0; 5.2 fall 0"),
    "l": ("lone fall", "0 new; 5 stroke; 19 fall 3"),
    "o": ("over", "0 new a.target=5; 5 stroke 0"),
    "a": ("accepted", "0 new; 5 stroke 0; 18 ok"),
    "h": ("by hand", "0 new; 18 mark carom"),
    "z": ("undone", "0 new; 5 stroke 0; 18 undo"),
    "p": ("over and accepted", "0 new a.target=5; 5 stroke 0; 18 ok"),
    "d": ("accepted with a pin down", "0 new; 5 hit 0; 5.2 fall 0; 18 ok"),
    "k": ("pocket table", "0 new table=pocket; 5 stroke 0"),
    "m": ("lone fall beside a pin down", "0 new; 5 hit 0; 5.2 fall 0; 19 fall 3"),
    "w": ("lone fall after the end", "0 new a.target=5; 5 hit 0; 5.2 fall 0; 19 fall 3"),
    "x": ("absent pin", "0 new; 18 absent 1"),
}

# The letter where it takes effect, "-" where it is refused.
# fmt: off
TABLE = """
new                                nruvloahzpdkmwx
new a.mode=single b.start=7        nruvloahzpdkmwx
next                               -----o---p---w-
mark valid                         --uvloah-pdkmw-
mark cue                           --uvloah-pdkmw-
mark direct                        --uvloah-pdkmw-
mark doubt                         --uvloah-pdkmw-
mark carom                         -ruvloa-z-dkmwx
mark miss                          -ruvloahz-dkmwx
mark off                           -ruvloahz-dkmwx
mark touch                         -ruvloahz-dkmwx
mark side                          -ruvloahz-dkmwx
mark butt                          -ruvloahz-dkmwx
mark white-off                     -ruvloahz-dkmwx
mark repeat                        -ruvloahz-dkmwx
mark pocket-white                  -----------k---
mark pocket-cue                    -----------k---
pass                               -ruvl-ahz-dkm-x
annul 0                            ---v-o-----kmw-
annul 3                            --u------------
lean 2                             -ruvl-ahz-dkm-x
absent 2                           nruvloahzpdkmwx
absent 1                           nruvloahzpdkmw-
present 1                          --------------x
done                               --u-l----------
ok                                 --uvlo-h--dkmw-
undo                               -ruvloahzpdkmwx
redo                               --------z------
judge 1 cue                        --uvloah-pdkmw-
judge 1 valid carom touch          --uvloah-pdkmw-
judge 2 cue                        --u------------
score a=1 b=2                      -ruvloahzpdkmwx
score a=0 b=0                      --uvloah-pdkmw-
turn a                             -------h-------
turn b                             -ruvloa-zpdkmwx
draw                               -ruvl-ahz-dkm-x
resign a                           -ruvl-ahz-dkm-x
resign b                           -ruvl-ahz-dkm-x
[ok]                               --uvlo-h--dk---
[ok long]                          nruvloahzpdkmwx
[penalty]                          --uvloah-pdkmw-
[penalty long]                     -ruvloahzpdkmwx
[carom]                            -ruvloa-z-dkmwx
[carom long]                       ---------------
[fine]                             -ruvloahz-dkmwx
[fine long]                        -ruvloahz-dkmwx
[undo]                             -ruvloahzpdkmwx
[undo long]                        --------z------
"""
# fmt: on

NONSENSE = (
    "frobnicate",
    "cmd",
    "NEW",
    "new frobnicate=1",
    "new first",
    "new first=c",
    "new a.mode=both",
    "new a.target=0",
    "new a.target=1000",
    "new a.target=5 a.start=5",
    "new carom_adds=1",
    "new fine=11",
    "new quiet_ms=1",
    "next pair=1",
    "mark",
    "mark frobnicate",
    "mark cue direct",
    "pass 1",
    "annul",
    "annul 5",
    "annul king",
    "annul 0 3",
    "lean",
    "lean 5",
    "absent",
    "absent 5",
    "absent -1",
    "present",
    "present 5",
    "done now",
    "ok 1",
    "undo 2",
    "redo 2",
    "judge",
    "judge 1",
    "judge 0 cue",
    "judge 99 cue",
    "judge x cue",
    "judge 1 frobnicate",
    "judge 1 cue frobnicate",
    "score",
    "score a=1",
    "score a=1 a=2",
    "score a=1 b=1000",
    "score a=1 b=-1",
    "score a=1 c=1",
    "score 1 2",
    "score a=999 b=999",
    "turn",
    "turn c",
    "turn a b",
    "draw now",
    "resign",
    "resign c",
)

# These are no steps: they cannot be undone.
NO_STEPS = ("ok", "done", "[ok]")


def rows_of_the_table() -> dict[str, str]:
    """Return the letters of each row of the table, and of what nobody could mean."""
    rows = {}
    for line in TABLE.strip().splitlines():
        said, letters = line.rsplit(maxsplit=1)
        assert len(letters) == len(SITUATIONS), line
        for letter, expected in zip(letters, SITUATIONS, strict=True):
            assert letter in ("-", expected), line
        rows[said] = letters
    return rows | dict.fromkeys(NONSENSE, "-" * len(SITUATIONS))


ROWS = rows_of_the_table()


def steps_of(said: str) -> str:
    """Return a command or press in the notation of tests.play: it acts at NOW."""
    if not said.startswith("["):
        return f"{NOW} cmd {said}"
    name, _, length = said.strip("[]").partition(" ")
    held = 0.9 if length else 0.05
    return f"{NOW - held:.2f} press {name} {held}"


class Seen(NamedTuple):
    """All that can be seen of a referee at one moment."""

    strokes: list[dict[str, Any]]
    games: list[dict[str, Any]]  # without `errors`
    errors: list[int]
    conclusions: list[str]
    refusals: list[str]
    lamps: tuple[Any, ...]


def look(referee: Referee) -> Seen:
    """Return what can be seen now."""
    games = game_rows(referee)
    lines = referee.take()
    last = referee.last
    return Seen(
        stroke_rows(referee),
        [{**game, "errors": 0} for game in games],
        [game["errors"] for game in games],
        [line for line in lines if not line.startswith("> refused ")],
        [line for line in lines if line.startswith("> refused ")],
        (
            referee.state,
            referee.pins_down,
            referee.pins_felled,
            referee.pins_absent,
            last and (last.number, last.accepted, last.penalty),
            referee.evaluated_us,
        ),
    )


# What both boards see afterwards: pins are set up, play goes on, at last in a new game.
LATER = (
    "20.5 mark touch; 21 stand 0,3; 24 hit 1; 24.3 fall 4; 26 stand 4; 40 stroke;"
    "50 new; 51 stroke 0,1; 70 end"
)


def count_steps(referee: Referee, t_us: int) -> int:
    """Return how many steps there are to undo, by undoing them."""
    for count in range(100):
        referee.feed(f"{t_us + count} cmd undo")
        referee.advance(t_us + count + 20_000)
        if look(referee).refusals:
            return count
    raise AssertionError("undo never ends")


def watch(situation: str, said: str, later: str) -> tuple[Seen, Seen, int]:
    """Return what is seen just after NOW and at the end, and how many steps there are then."""
    referee = Referee(HEADER)
    for line in script(f"{SITUATIONS[situation][1]}; {said}").splitlines():
        referee.feed(line)
    referee.advance((NOW * 1000 + 20) * 1000)
    now = look(referee)
    for line in script(later).splitlines():
        referee.feed(line)
    referee.finish()
    return now, look(referee), count_steps(referee, 100_000_000)


ALL = [
    pytest.param(
        said, situation, letter != "-", id=f"{said}-{SITUATIONS[situation][0]}".replace(" ", "_")
    )
    for said, letters in ROWS.items()
    for situation, letter in zip(SITUATIONS, letters, strict=True)
]


@pytest.mark.parametrize(("said", "situation", "is_accepted"), ALL)
def test_it_takes_effect_or_is_refused(said: str, situation: str, is_accepted: bool) -> None:
    """Compare with a board on which it was not said, now and after the same later play."""
    with_it = watch(situation, steps_of(said), LATER)
    without = watch(situation, "", LATER)
    assert without[0].refusals == []
    if is_accepted:
        assert with_it[0].refusals == []
        assert sum(with_it[0].errors) == 0
        assert with_it != without
        return
    # One sentence says why, one error is counted, and all else is as if nothing had been said.
    assert len(with_it[0].refusals) == 1
    reason = with_it[0].refusals[0]
    assert reason.isascii()
    assert "': " in reason
    errors = [1] * len(without[0].errors)
    assert with_it[0] == without[0]._replace(errors=errors, refusals=[reason])
    later_errors = [
        count + (1 if number == 0 and errors else 0)
        for number, count in enumerate(without[1].errors)
    ]
    assert with_it[1] == without[1]._replace(errors=later_errors)
    assert with_it[2] == without[2]


STEPS = [
    pytest.param(said, situation, id=f"{said}-{SITUATIONS[situation][0]}".replace(" ", "_"))
    for said, letters in ROWS.items()
    for situation in letters.replace("-", "")
    if said not in NO_STEPS
]


@pytest.mark.parametrize(("said", "situation"), STEPS)
def test_what_took_effect_is_one_step(said: str, situation: str) -> None:
    """Undo takes it back, what it ended stays ended; redo takes back an undo."""
    back = "redo" if said in ("undo", "[undo]") else "undo"
    later = f"20.5 {back}; 60 end"
    _now, undone, count = watch(situation, steps_of(said), later)
    _now, without, count_without = watch(situation, "", "60 end")
    assert count == count_without
    assert undone.refusals == []
    assert undone.strokes == without.strokes
    assert undone.games == without.games
