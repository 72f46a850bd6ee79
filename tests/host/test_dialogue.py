"""`kegli selftest`, `calibrate` and `watch`, at the virtual board's port."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from rich.console import Console

from host_tools import dialogue
from host_tools.deploying import started
from host_tools.dialogue import Watched
from host_tools.link import Link, LinkError
from kegli import board as pin_map
from tests.host.at_port import Board, Cable, board, kegli, play, score_of, sentence

GPIOS = {row[0]: row[1] for row in pin_map.inputs("esp32")}
PATIENCE_S = 60


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Board]:
    """Yield a board with a game, whose inputs a test can move."""
    with board(tmp_path, "--inputs", str(tmp_path / "inputs"), speed=10) as made:
        started(made.path)
        play(made.path, "new")
        yield made


def move(made: Board, *words: str) -> None:
    """Let inputs go to levels: `pin 3 1` is a pin that is down."""
    with (made.flash.parent / "inputs").open("w") as pipe:
        for word in words:
            name, _, level = word.rpartition(" ")
            pipe.write(f"{GPIOS[name]} {level}\n")


def test_a_board_that_is_well(played: Board) -> None:
    done = kegli("selftest", "--port", played.path)
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[0] == "lamps: all red, all green, all white"
    assert "inputs: 14 of 14 at rest" in lines
    assert lines[-1] == "faults: none"


def test_a_fault_makes_a_status_of_1(played: Board) -> None:
    played.cut()
    (played.flash / "settings.json").write_text('{"kegli-settings": 1, "quiet_ms": 5}')
    played.start()
    done = kegli("selftest", "--port", played.path)
    assert done.exit_code == 1
    assert done.output.splitlines()[-1] == "faults: E1"


def test_the_guided_part_asks_a_person_and_takes_each_word_for_one_question(
    played: Board,
) -> None:
    done = kegli("selftest", "--guided", "--port", played.path, typed="skip\n" * 9)
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    asked = [line for line in lines if line.startswith(("Tip", "Tap"))]
    assert len(asked) == 9
    assert lines.count("Skipped: it was not tested.") == 9
    assert lines[-1].startswith("Self-test: ")
    assert score_of(played.path) == "0:0"


@pytest.mark.parametrize(("answer", "said"), [("yes", "Stored."), ("no", "Not stored.")])
def test_thresholds_are_stored_if_a_person_wants_them(
    played: Board, answer: str, said: str
) -> None:
    done = kegli("calibrate", "--port", played.path, typed=f"{answer}\n")
    assert done.exit_code == 0, done.output
    assert said in done.output.splitlines()
    stored = kegli("settings", "--port", played.path, "get", "cushion_mv").output
    assert stored.startswith("cushion_mv = 60 mV" if answer == "yes" else "cushion_mv = 200 mV")


@pytest.mark.parametrize("words", [("selftest",), ("selftest", "--guided"), ("calibrate",)])
def test_a_stroke_is_not_disturbed(tmp_path: Path, words: tuple[str, ...]) -> None:
    with board(tmp_path, "--inputs", str(tmp_path / "inputs"), speed=2) as made:
        kegli("console", "--port", made.path, typed="new\n")
        move(made, "hit 1 1", "hit 1 0")
        said = sentence(kegli(*words, "--port", made.path))
    assert said.startswith("refused '")
    assert said.endswith("the table is not at rest: say it again when nothing moves")


def test_ctrl_c_ends_a_dialogue_at_the_board_too(
    played: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(line: str) -> None:
        if line.startswith("Tip"):
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("click.echo", stop)
        kegli("selftest", "--guided", "--port", played.path)
    assert started(played.path)
    assert kegli("status", "--port", played.path).output.startswith("firmware ")
    assert score_of(played.path) == "0:0"


# -- Watch


def watched(made: Board, *, is_terminal: bool, until: str) -> str:
    """Watch until something is shown; pin 3 falls as soon as it is shown at all."""
    out = io.StringIO()
    lines = Link.lines
    latest_s = time.monotonic() + PATIENCE_S
    has_moved = False

    def looked(self: Link, for_s: float) -> list[str]:
        nonlocal has_moved
        if "pin 3" in out.getvalue() and not has_moved:
            has_moved = True
            move(made, "pin 3 1")
        if until in out.getvalue() or time.monotonic() > latest_s:
            raise KeyboardInterrupt
        return lines(self, for_s)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Link, "lines", looked)
        with Link(made.path) as link, pytest.raises(KeyboardInterrupt):
            dialogue.watch(link, Console(file=out, force_terminal=is_terminal, width=100))
    return out.getvalue()


def test_every_input_is_shown_and_what_changes(played: Board) -> None:
    shown = watched(played, is_terminal=False, until="down    1 edges")
    rows = [line for line in shown.splitlines() if " GPIO " in line]
    assert len(rows) == 14 + 1
    assert rows[-1].startswith(f"pin 3       GPIO {GPIOS['pin 3']}  down ")
    played.until(b"> watch: off")


def test_in_a_terminal_it_is_a_table(played: Board) -> None:
    shown = watched(played, is_terminal=True, until="down")
    assert "cushion_mv 200; lost: 0 edges" in shown
    assert "│ pin 3" in shown


def test_a_board_that_goes_silent_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialogue, "_FIRST_S", 0.6)
    with closing(Cable()) as cable:
        cable.answers({b"h": b"> watch: cushion_mv 200\n"})  # of "watch", and no more
        with Link(cable.path) as link, pytest.raises(LinkError, match="does not answer"):
            dialogue.watch(link, Console(file=io.StringIO()))


def test_a_board_that_is_silent_for_good_reason_is_asked_and_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dialogue, "_FIRST_S", 0.6)
    with closing(Cable()) as cable:
        cable.answers({b"h": b"> watch: cushion_mv 200\n", b"?": b"> refused 'log ?': no\n"})
        with Link(cable.path) as link, closing(dialogue._watching(link)) as lines:
            until_s = time.monotonic() + 2.0
            while time.monotonic() < until_s:
                next(lines)


def test_a_selftest_that_stops_in_the_middle_is_told_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialogue, "_NEXT_S", 0.3)
    with closing(Cable()) as cable:
        cable.answers({b"f": b"> lamps: all red\n"})
        assert kegli("selftest", "--port", cable.path).output == (
            f"lamps: all red\nError: The board at {cable.path} stopped answering.\n"
        )


def test_what_is_told_becomes_a_table() -> None:
    told = Watched()
    assert told.take("> watch: click_mv 200, cushion_mv 60", 10.0)
    assert told.take("> pin 3       GPIO 21  down    7 edges, the last 0.5 s ago", 10.0)
    assert told.take("> click       GPIO 27  quiet   0 edges, none yet, left out", 12.0)
    assert told.take("> lost: 3 edges", 12.0)
    assert not told.take("> stroke game=1", 12.0)
    assert not told.take("1000 pin 3 1", 12.0)
    assert told.inputs["pin 3"].last_s == 9.5
    out = io.StringIO()
    Console(file=out, width=80).print(told.table(14.0, 0.0))
    rows = [line.split() for line in out.getvalue().splitlines()]
    assert rows[0] == ["click_mv", "200,", "cushion_mv", "60;", "lost:", "3", "edges"]
    cells = [[word for word in row if word != "│"] for row in rows]
    assert ["pin", "3", "21", "down", "7", "4.5", "s", "ago"] in cells
    assert ["click", "27", "quiet,", "left", "out", "0", "-"] in cells
