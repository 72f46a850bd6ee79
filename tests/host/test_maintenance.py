"""Calibration, self-test and the live view on the virtual board, as a maintainer uses them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from click.testing import CliRunner

from host_tools.cli import main
from host_tools.console_views import guide
from host_tools.virtual_board import VirtualBoard
from host_tools.virtual_table import Edge, faults
from kegli.lines import BUTTONS

FULL_MV = 3300
STEP_MV = 13  # of a DAC
CHIPS = ["esp32", "esp32s3"]
THRESHOLDS = {"esp32": (25, 26), "esp32s3": (1, 2)}  # cushions, click


def typed(board: VirtualBoard, words: str, for_us: int) -> list[str]:
    """Type a line, and return what the board says in that time."""
    board.lines()
    board.write(words + "\n")
    board.run_until(board.now_us + for_us)
    return board.lines()


def offered(board: VirtualBoard) -> str:
    """Calibrate until the board offers what it found; return all that it said."""
    said = typed(board, "calibrate", 1_000_000)
    for _ in range(60):
        if any("Say yes" in line for line in said):
            break
        board.run_until(board.now_us + 1_000_000)
        said += board.lines()
    return "\n".join(said)


def threshold_mv(board: VirtualBoard, gpio: int) -> int:
    return board.outputs()[gpio][1] * FULL_MV // 65535


def press_ok(board: VirtualBoard) -> None:
    t_us = board.now_us + 100_000
    ok = BUTTONS.index("ok")
    board.inject([Edge(t_us, "btn", ok, 1), Edge(t_us + 100_000, "btn", ok, 0)])


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("noise_mv", [0, 25, 110, 500, 1400])
def test_a_threshold_is_found_well_above_the_noise(chip: str, noise_mv: int) -> None:
    cushions, click = THRESHOLDS[chip]
    with VirtualBoard(chip=chip, sensors=frozenset({"pins", "cushions", "click"})) as board:
        board.run_until(1_000_000)
        board.make_noise("hit", 2, noise_mv)
        board.make_noise("click", 0, noise_mv // 2)
        said = offered(board)
        found = {key: int(mv) for key, mv in re.findall(r"> (\w+_mv) = (\d+) would", said)}
        floor_mv = int(re.findall(r"noise is heard up to: .*C2 (\d+) mV", said)[0])
        # Steps are a fifth of the threshold, or 13 mV as those of a DAC: so far is the floor off.
        assert noise_mv - max(noise_mv // 5, 13) - STEP_MV <= floor_mv <= noise_mv + STEP_MV
        assert found["cushion_mv"] == max(2 * floor_mv, 60)
        assert found["cushion_mv"] >= noise_mv * 3 // 2
        assert 60 <= found["click_mv"] <= max(noise_mv + 2 * STEP_MV, 60)
        assert typed(board, "  YES ", 1_000_000)[:2] == ["> Stored.", "> Restarting."]
        # A DAC has steps of 13 mV, and a start takes the one below.
        for gpio, key in ((cushions, "cushion_mv"), (click, "click_mv")):
            assert 0 <= found[key] - threshold_mv(board, gpio) <= STEP_MV


@pytest.mark.parametrize("chip", CHIPS)
def test_what_nobody_wants_is_not_stored(chip: str) -> None:
    with VirtualBoard(chip=chip) as board:
        board.run_until(1_000_000)
        before = board.outputs()
        board.make_noise("hit", 0, 100)
        assert "> Say yes, or press ok, to store it: within 30 s." in typed(
            board, "calibrate", 20_000_000
        )
        assert typed(board, "no", 1_000_000)[:2] == ["> Not stored.", "> Restarting."]
        after = board.outputs()
        assert {gpio: after[gpio] for gpio in THRESHOLDS[chip]} == {
            gpio: before[gpio] for gpio in THRESHOLDS[chip]
        }


def test_a_button_stores_it_too_and_half_a_minute_is_enough_to_think() -> None:
    for presses in (True, False):
        with VirtualBoard() as board:
            board.run_until(1_000_000)
            board.make_noise("hit", 0, 300)
            typed(board, "calibrate", 20_000_000)
            if presses:
                press_ok(board)
            board.run_until(board.now_us + 35_000_000)
            said = board.lines()
            assert ("> Stored." in said) == presses
            assert "> Restarting." in said


def test_noise_that_no_threshold_keeps_out_is_named() -> None:
    with VirtualBoard() as board:
        board.run_until(1_000_000)
        board.make_noise("hit", 3, 2_500)
        said = typed(board, "calibrate", 60_000_000)
    assert any(line.startswith("> C3: cushion 3 hears noise of ") for line in said)
    assert not [line for line in said if "Say yes" in line]


@pytest.mark.parametrize("words", ["selftest", "selftest guided", "calibrate"])
def test_a_stroke_is_not_disturbed(words: str) -> None:
    with VirtualBoard() as board:
        board.write("new\n")
        board.inject([Edge(2_000_000, "hit", 1, 1)])
        board.run_until(3_000_000)
        said = typed(board, words, 2_000_000)
        assert said == [
            f"> refused '{words}': the table is not at rest: say it again when nothing moves"
        ]


@pytest.mark.parametrize(
    "words", ["selftest now", "calibrate 5", "watch off", "selftest guided x"]
)
def test_a_word_too_many_is_refused(words: str) -> None:
    with VirtualBoard() as board:
        board.run_until(1_000_000)
        said = typed(board, words, 3_000_000)
    assert len(said) == 1
    assert said[0].startswith(f"> refused '{words}': ")


def test_what_comes_during_the_report_is_in_the_log(tmp_path: Path) -> None:
    with VirtualBoard() as board:
        board.write("new\n")
        board.run_until(1_000_000)
        log = board.lines()
        board.inject([Edge(2_000_000, "hit", 1, 1), Edge(2_500_123, "pin", 3, 1)])
        log += typed(board, "selftest", 12_000_000)
    assert "2000000 hit 1 2001" in log
    assert any(line.startswith("> hit 1: at 0, 1 edges") for line in log)
    (tmp_path / "log").write_text("".join(f"{line}\n" for line in log))
    assert CliRunner().invoke(main, ["replay", str(tmp_path / "log")]).exit_code == 0


def test_the_score_survives_the_guided_part(tmp_path: Path) -> None:
    with VirtualBoard(flash=tmp_path) as board:
        board.write("new\n")
        board.inject([Edge(2_000_000, "hit", 1, 1), Edge(2_500_000, "pin", 3, 1)])
        board.inject([Edge(9_000_000, "pin", 3, 0)])
        board.run_until(12_000_000)
        log = board.lines()
        board.write("selftest guided\n")
        for n in range(9):  # skip them all
            board.run_until(board.now_us + 3_000_000)
            board.write(f"skip{n}\n")
        board.run_until(board.now_us + 12_000_000)
        log += board.lines()
    assert log.count("> Skipped: it was not tested.") == 9
    assert "> Game 1 goes on at 2:0." in log
    (tmp_path / "log.txt").write_text("".join(f"{line}\n" for line in log))
    done = CliRunner().invoke(main, ["replay", "--json", str(tmp_path / "log.txt")])
    assert done.exit_code == 0
    assert json.loads(done.stdout.splitlines()[-1])["score"] == {"a": 2, "b": 0}


def test_watch_shows_what_changes_and_disturbs_nothing(tmp_path: Path) -> None:
    edges = [
        Edge(6_000_000, "hit", 1, 1),
        Edge(6_500_000, "pin", 3, 1),
        Edge(13_000_000, "pin", 3, 0),
    ]
    logs = []
    for is_watched in (False, True):
        with VirtualBoard() as board:
            board.write("new\n")
            board.run_until(2_000_000)
            log = board.lines()
            if is_watched:
                shown = typed(board, "watch", 1_000_000)
                assert len([line for line in shown if "GPIO" in line]) == 14
                assert shown[0] == "> watch: click_mv 200, cushion_mv 200"
                assert shown[1] == "> lost: 0 edges"
            board.inject(edges)
            board.run_until(20_000_000)
            log += board.lines()
            if is_watched:
                assert typed(board, "watch", 1_000_000) == ["> watch: off"]
        logs.append([line for line in log if "GPIO" not in line])
        seen = [line for line in log if "GPIO" in line]
        assert [line.split()[1:3] for line in seen] == (
            [["hit", "1"], ["pin", "3"], ["pin", "3"]] if is_watched else []
        )
    free = re.compile(r"heap \d+, flash \d+")
    assert [free.sub("", line) for line in logs[0]] == [free.sub("", line) for line in logs[1]]


class Swapped(VirtualBoard):
    """A board with two wires swapped."""

    def inject(self, edges: Iterable[Edge]) -> None:
        """Let edges happen."""
        super().inject(faults.swapped("pin", 1, 2)(edges))


@pytest.mark.parametrize("words", ["calibrate", "selftest guided"])
def test_what_cannot_be_stored_is_told_and_the_board_starts_again(
    words: str, tmp_path: Path
) -> None:
    flash = tmp_path / "flash"
    flash.mkdir()
    with Swapped(flash=flash) as board:
        board.run_until(1_000_000)
        (flash / "settings.new").mkdir()  # where it is to be written
        before = board.outputs()[25]
        if words == "calibrate":
            board.make_noise("hit", 0, 300)
            offered(board)
            said = typed(board, "yes", 2_000_000)
        else:
            said = guide(board, "yes")
        assert any(line.startswith("> It could not be stored: ") for line in said)
        assert "> Restarting." in said
        board.run_until(board.now_us + 1_000_000)
        assert board.outputs()[25] == before
        assert "software" in board.resets


def test_a_stroke_during_the_report_is_timed_as_ever() -> None:
    with VirtualBoard() as board:
        board.write("new\n")
        board.run_until(4_000_000)
        board.inject([Edge(4_500_000, "hit", 0, 1)])
        board.inject([Edge(5_200_000 + 2_000 * n, "pin", 2, 1 - n % 2) for n in range(3)])
        said = typed(board, "selftest", 9_000_000)
    assert "5200000 pin 2 1 200" in said
    assert any(" pins=2 verdict=legal " in line for line in said)


def test_silence_is_a_setting() -> None:
    with VirtualBoard() as board:
        board.run_until(1_000_000)
        assert 2 in board.outputs()
        typed(board, "settings set buzzer 0", 500_000)
        typed(board, "restart", 500_000)
        assert 2 not in board.outputs()
