"""A command that makes no sense changes nothing, says why in one line, and is counted."""

import pytest

from tests.play import play, script

# Situations, and commands that make no sense in each.
NO_GAME = "0 hit 0; 10 "
FRESH = "0 new; 10 "
RUNNING = "0 new; 9 hit 0; 9.2 fall 0; 10 "
PLAYED = "0 new; 1 stroke 0; 10 "
ACCEPTED = "0 new; 1 stroke 0; 9 ok; 10 "
DOWN = "0 new; 1 hit 0; 1.2 fall 0; 2 done; 10 "
MARKED = "0 new; 1 stroke 0; 8 mark cue; 9 mark carom; 10 "
OVER = "0 new a.target=5; 1 stroke 0; 10 "
OVER_ACCEPTED = "0 new a.target=5; 1 stroke 0; 9 ok; 10 "
UNDONE = "0 new; 1 stroke 0; 9 undo; 10 "

REFUSED = [
    # clause, situation, command
    ("R9.1", NO_GAME, "undo"),
    ("R9.1", NO_GAME, "redo"),
    ("R7.1", NO_GAME, "next"),
    ("R2.8", NO_GAME, "pass"),
    ("R1.1", NO_GAME, "done"),
    ("R4.6", NO_GAME, "mark touch"),
    ("R4.1", NO_GAME, "mark cue"),
    ("R5.2", NO_GAME, "annul 0"),
    ("R9.4", NO_GAME, "turn b"),
    ("R5.3", NO_GAME, "lean 3"),
    ("R9.2", NO_GAME, "judge 1 cue"),
    ("R9.3", NO_GAME, "score a=1 b=2"),
    ("R7.3", NO_GAME, "draw"),
    ("R7.3", NO_GAME, "resign a"),
    ("R9.1", FRESH, "redo"),
    ("R9.2", FRESH, "judge 1 cue"),
    ("R9.3", FRESH, "score a=0 b=0"),
    ("R7.1", FRESH, "next"),
    ("R1.1", FRESH, "done"),
    ("R1.1", FRESH, "ok"),
    ("R3.1", FRESH, "mark valid"),
    ("R4.1", FRESH, "mark cue"),
    ("R4.2", FRESH, "mark direct"),
    ("R4.3", FRESH, "mark doubt"),
    ("R5.2", FRESH, "annul 0"),
    ("R9.4", FRESH, "turn a"),
    ("R7.1", RUNNING, "next"),
    ("R9.1", RUNNING, "redo"),
    ("R9.4", RUNNING, "turn a"),
    ("R5.2", RUNNING, "annul 3"),
    ("R4.1", RUNNING, "mark king"),
    ("R7.1", PLAYED, "next"),
    ("R1.1", PLAYED, "done"),
    ("R9.1", PLAYED, "redo"),
    ("R9.4", PLAYED, "turn a"),
    ("R5.2", PLAYED, "annul 3"),
    ("R4.1", MARKED, "mark cue"),
    ("R2.7", MARKED, "mark carom"),
    ("R1.1", ACCEPTED, "ok"),
    ("R1.1", ACCEPTED, "done"),
    ("R5.2", ACCEPTED, "annul 0"),
    ("R1.1", DOWN, "done"),
    ("R7.2", OVER, "pass"),
    ("R1.1", OVER, "done"),
    ("R9.1", OVER, "redo"),
    ("R4.6", OVER_ACCEPTED, "mark touch"),
    ("R2.6", OVER_ACCEPTED, "mark carom"),
    ("R1.1", OVER_ACCEPTED, "ok"),
    ("R5.3", OVER, "lean 3"),
    ("R7.3", OVER, "draw"),
    ("R7.3", OVER, "resign a"),
    ("R7.1", UNDONE, "next"),
    ("R1.1", UNDONE, "done"),
    # What nobody could mean.
    ("R1.1", PLAYED, "cmd frobnicate"),
    ("R1.1", PLAYED, "mark"),
    ("R1.1", PLAYED, "mark frobnicate"),
    ("R1.1", PLAYED, "mark cue direct"),
    ("R5.2", PLAYED, "annul"),
    ("R5.2", PLAYED, "annul 5"),
    ("R5.2", PLAYED, "annul x"),
    ("R5.2", PLAYED, "annul 0 0"),
    ("R1.1", RUNNING, "done now"),
    ("R9.4", PLAYED, "turn"),
    ("R9.4", PLAYED, "turn c"),
    ("R9.4", PLAYED, "turn b b"),
    ("R9.1", PLAYED, "undo 2"),
    ("R1.1", PLAYED, "ok now"),
    ("R5.3", PLAYED, "lean"),
    ("R5.3", PLAYED, "lean 5"),
    ("R5.5", PLAYED, "absent 5"),
    ("R5.5", PLAYED, "absent 1 2"),
    ("R5.5", PLAYED, "present 3"),
    ("R9.2", PLAYED, "judge"),
    ("R9.2", PLAYED, "judge x cue"),
    ("R9.2", PLAYED, "judge 2 cue"),
    ("R9.3", PLAYED, "score"),
    ("R9.3", PLAYED, "score a=1 c=1"),
    ("R9.3", PLAYED, "score 1 2"),
    ("R7.3", PLAYED, "draw now"),
    ("R7.3", PLAYED, "resign"),
    ("R7.3", PLAYED, "resign c"),
    ("R7.1", PLAYED, "new frobnicate=1"),
    ("R7.1", PLAYED, "new first=c"),
]


@pytest.mark.parametrize(
    ("situation", "command"),
    [(situation, command) for _, situation, command in REFUSED],
    ids=[
        f"{clause}-{place}-{command.replace(' ', '_')}"
        for place, (clause, _, command) in enumerate(REFUSED)
    ],
)
def test_refused_commands(situation: str, command: str) -> None:
    """Compare the same log with and without the command, and with play going on after it."""
    rest = "; 10.5 hit 1; 12 stand 0; 15 hit 2; 15.3 fall 3; 30 end"
    quiet = play(script(situation.removesuffix("10 ").rstrip("; ") + rest))
    refused = play(script(situation + command + rest))
    assert refused.strokes == quiet.strokes
    assert [{**game, "errors": 0} for game in refused.games] == quiet.games
    assert [game["errors"] for game in refused.games] == [1] * len(quiet.games)
    concluded = [line for line in refused.lines if line.startswith(("> stroke ", "> game "))]
    assert concluded == [line for line in quiet.lines if line.startswith(("> stroke ", "> game "))]
    assert len(refused.lines) == len(quiet.lines) + 1
