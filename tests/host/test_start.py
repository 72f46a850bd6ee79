"""Power-up on the virtual chip: the game goes on, whatever stopped the board before."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from host_tools import replay
from host_tools.cli import main
from host_tools.virtual_board import VirtualBoard
from host_tools.virtual_board.process import fill_flash
from host_tools.virtual_table import Edge
from kegli import display
from kegli.referee import Referee
from kegli.settings import SENSORS
from tests.host.test_virtual_board import Client

S_US = 1_000_000
both = pytest.mark.parametrize("interpreter", ["micropython", "python"])
BUTTONS = {"ok": 0, "penalty": 1, "carom": 2, "fine": 3, "undo": 4}


class Table:
    """A virtual board, all that it has printed, and hands."""

    def __init__(self, board: VirtualBoard) -> None:
        self.board = board
        self.printed: list[str] = []
        self.go_on(0)

    def go_on(self, us: int) -> list[str]:
        """Let time pass, and return what was printed meanwhile."""
        self.board.run_until(self.board.now_us + us)
        lines = self.board.lines()
        self.printed += lines
        return lines

    def say(self, *lines: str) -> list[str]:
        """Type lines, and return what was printed up to half a second later."""
        self.board.write("".join(f"{line}\n" for line in lines))
        return self.go_on(500_000)

    def stroke(self, *pins: int) -> list[str]:
        """Play a stroke after which the pins are set up again."""
        now_us = self.board.now_us
        self.board.inject([Edge(now_us + 100_000, "hit", 1, 1)])
        self.board.inject(Edge(now_us + 400_000 + pin, "pin", pin, 1) for pin in pins)
        self.board.inject(Edge(now_us + 4_000_000 + pin, "pin", pin, 0) for pin in pins)
        return self.go_on(8 * S_US)


@contextmanager
def table(
    flash: Path | None = None,
    interpreter: str | None = None,
    sensors: str = "pins,cushions",
    at_power_up: tuple[Edge, ...] = (),
) -> Iterator[Table]:
    """Yield a board with hands."""
    with VirtualBoard(
        sensors=frozenset(sensors.split(",")),
        interpreter=interpreter,
        flash=flash,
        at_power_up=at_power_up,
    ) as board:
        yield Table(board)


def conclusions(lines: list[str]) -> list[str]:
    """Return the conclusions among lines."""
    return [line for line in lines if line.startswith(("> stroke", "> game"))]


def without_times(lines: list[str]) -> list[str]:
    """Return conclusions without what depends on when the log began."""
    return [
        " ".join(w for w in line.split() if not w.startswith("t=")) for line in conclusions(lines)
    ]


def replays(lines: list[str]) -> bool:
    """Say whether a recording, of one log or several, replays to what it says."""
    data = "".join(f"{line}\n" for line in lines).encode()
    played = [replay.play(part) for part in replay.logs(data)]
    return all(not one.fault and one.agrees for one in played)


def stop(table: Table, way: str) -> list[str]:
    """Stop the board and let it start; return what it prints then."""
    if way == "power cut":
        table.board.power_cut()
    elif way == "restart":
        table.board.write("restart\n")
    else:
        table.board.reset(way)
    return table.go_on(S_US)


WAYS = ["watchdog", "software", "restart", "power cut"]
CAUSES = {
    "watchdog": "watchdog",
    "software": "restart",
    "restart": "restart",
    "power cut": "power-up",
}


# -- The game goes on


@both
@pytest.mark.parametrize("way", WAYS)
def test_undo_and_judge_give_what_they_would_have_given(way: str, interpreter: str) -> None:
    said = []
    for stops in (False, True):
        with table(interpreter=interpreter) as here:
            here.say("new a.target=40 b.target=40 pair=1")
            for pins in ((0,), (1, 2), (), (0, 3), (4,)):
                here.stroke(*pins)
            here.say("mark carom", "turn b", "undo")
            here.go_on(3 * S_US)
            if stops:
                started = stop(here, way)
                assert f"> Started by {CAUSES[way]}, firmware 0.1.0." in started
                assert "> Game 1 goes on at 9:7." in started
                assert not conclusions(started)
            said.append(
                without_times(here.say("judge 1 cue", "undo", "undo", "undo", "redo", "redo"))
            )
            said[-1] += without_times(here.say("redo", "undo", "undo", "judge 2 valid", "annul 0"))
            said[-1] += without_times(here.stroke(0, 1, 2, 3, 4))
            assert replays(here.printed)
    assert said[0] == said[1]
    assert len(said[0]) > 10


@both
def test_beyond_what_is_stored_undo_and_judge_say_so(interpreter: str, tmp_path: Path) -> None:
    with table(tmp_path, interpreter) as here:
        here.say("new")
        for pins in ((0,), (1,), (2,)):
            here.stroke(*pins)
        here.go_on(3 * S_US)
        for path in (tmp_path / "score").iterdir():
            if path.name[0] in "ab":
                path.unlink()
        started = stop(here, "power cut")
        assert any(
            "its steps are not whole, so undo reaches no further back." in line for line in started
        )
        assert "> Game 1 goes on at 9:0." in started
        assert "> refused 'undo': undo reaches no further back" in here.say("undo")
        assert "> refused 'judge 1 cue': this game has no stroke 1 to judge" in here.say(
            "judge 1 cue"
        )
        assert conclusions(here.say("judge 3 cue"))[0].startswith("> stroke game=1 n=3 ")
        assert replays(here.printed)


@both
@pytest.mark.parametrize("way", WAYS)
def test_a_stroke_under_way_is_dropped_and_the_next_counts(way: str, interpreter: str) -> None:
    with table(interpreter=interpreter, sensors=",".join(SENSORS)) as here:
        here.say("new a.target=40 b.target=40", "absent 4")
        here.stroke(0)
        now_us = here.board.now_us
        here.board.inject(
            [Edge(now_us + 10_000, "click", 0, 1), Edge(now_us + 100_000, "hit", 0, 1)]
        )
        here.board.inject(
            [Edge(now_us + 200_000, "pin", 1, 1), Edge(now_us + 250_000, "zone", 0, 1)]
        )
        here.go_on(S_US)
        here.say("lean 2")
        here.go_on(2 * S_US)
        started = stop(here, way)
        assert not conclusions(started)
        assert any(" pin 1 1" in line for line in started)
        assert any(line.endswith(" zone 1") for line in started)
        if way != "power cut":
            # The end of what was said before, and what is at each pin.
            assert sum(" pin " in line for line in started) == 5
            assert any(
                f" boot {'watchdog' if way == 'watchdog' else 'software'}" in line
                for line in started
            )
        now_us = here.board.now_us
        here.board.inject(
            [Edge(now_us + 10_000, "pin", 1, 0), Edge(now_us + 20_000, "zone", 0, 0)]
        )
        here.go_on(3 * S_US)
        (stroke, *_) = conclusions(here.stroke(0, 3))
        assert " n=2 player=a " in stroke
        # The flash is not written while a stroke runs, RTC memory is.
        assert ("R5.3" in stroke) == (way != "power cut")
        assert "absent-pin" in stroke
        assert replays(here.printed)


@both
def test_what_was_said_before_the_first_game_stays(interpreter: str) -> None:
    for way in WAYS:
        with table(interpreter=interpreter) as here:
            here.say("absent 3")
            here.go_on(2 * S_US)
            stop(here, way)
            assert "> refused 'absent 3': pin 3 is absent already" in here.say("absent 3")
            assert replays(here.printed)


def test_a_game_goes_on_over_many_stops_and_its_recording_replays() -> None:
    with table() as here:
        here.say("new a.target=999 b.target=999")
        for n in range(24):
            here.stroke(n % 5)
            if n % 3 == 2:
                here.say("undo" if n % 2 else "mark carom")
            if n % 2:
                here.go_on(n * 100_000)
                stop(here, WAYS[n // 2 % 4])
        assert replays(here.printed)
        text = "".join(f"{line}\n" for line in here.printed)
        games = here.board.resets
    assert len(games) == 9
    result = CliRunner().invoke(main, ["replay", "-"], input=text)
    assert result.exit_code == 0
    assert "The log begins anew here: log 2 of 4." in result.stderr


def test_a_log_that_was_cut_in_the_middle_of_a_line_replays_as_far_as_it_goes() -> None:
    with table() as here:
        here.say("new")
        here.stroke(0)
        lines = here.printed
    whole = "".join(f"{line}\n" for line in lines)
    for length in range(len(lines[0]) + 1, len(whole)):
        played = replay.play(whole[:length].encode())
        assert not played.fault
        # A conclusion that was cut is the only thing that can be missing.
        assert played.agrees or played.now[: len(played.recorded)] == played.recorded


# -- The log on flash


def test_files_of_the_log_replay_together_over_stops_and_with_the_oldest_lost(
    tmp_path: Path,
) -> None:
    with table(tmp_path) as here:
        here.say("new a.target=999 b.target=999")
        for n in range(12):
            here.stroke(n % 5)
            if n % 4 == 3:
                here.go_on(40 * S_US)
                stop(here, WAYS[n // 4])
        here.go_on(40 * S_US)
        files = [
            path.read_text().splitlines() for path in sorted((tmp_path / "log").glob("*.log"))
        ]
    assert len(files) == 4
    for first in range(len(files)):
        joined = [line for lines in files[first:] for line in lines]
        assert replays(joined)
        assert len(conclusions(joined)) >= 3 * (3 - first)
    assert conclusions([line for lines in files for line in lines]) == conclusions(here.printed)


# -- Settings


def set_up(flash: Path, **values: object) -> Path:
    """Fill a flash, with settings."""
    fill_flash(flash, ())
    said = {key.replace("__", "."): value for key, value in values.items()}
    (flash / "settings.json").write_text(json.dumps({"kegli-settings": 1, **said}))
    return flash


@both
def test_settings_are_what_the_log_says_and_what_holds(tmp_path: Path, interpreter: str) -> None:
    flash = set_up(
        tmp_path,
        sensors="pins,cushions,click",
        quiet_ms=3000,
        a__name="%D0%90",
        new="a.target=7",
        cushion_mv=660,
        click_mv=3300,
        pins="0,2,1,3,4",
        cushions="3,0,1,2",
    )
    with table(flash, interpreter) as here:
        assert here.printed[0] == (
            "# kegli-log 1 board=esp32 firmware=0.1.0 sensors=pins,cushions,click quiet_ms=3000"
            " a=%D0%90"
        )
        assert here.board.outputs() == {2: (1000, 0), 25: (0, 51 * 257), 26: (0, 255 * 257)}
        assert any(line.endswith(" cmd new a.target=7") for line in here.say("new"))
        now_us = here.board.now_us
        here.board.inject(
            [Edge(now_us + 100_000, "hit", 1, 1), Edge(now_us + 300_000, "pin", 1, 1)]
        )
        printed = here.go_on(3_300_000)
        # Input 1 is pin 2 here, and the second cushion input is cushion 0.
        assert f"{now_us + 100_000} hit 0 2001" in printed
        assert f"{now_us + 300_000} pin 2 1 200" in printed
        (stroke,) = conclusions(here.go_on(500_000))  # 3 s after the last that was sensed
        assert " pins=2 " in stroke
        assert replays(here.printed)


@both
def test_a_settings_file_cut_anywhere_never_stops_the_board(
    tmp_path: Path, interpreter: str
) -> None:
    flash = set_up(tmp_path, quiet_ms=3000, sensors="pins,cushions,zone")
    whole = (flash / "settings.json").read_bytes()
    for length in range(0, len(whole), 9):
        (flash / "settings.json").write_bytes(whole[:length])
        with table(flash, interpreter) as here:
            assert here.printed[0].endswith("sensors=pins,cushions")
            assert "> E1: settings.json cannot be read: the usual settings hold." in here.printed
            assert conclusions(here.say("new"))
            here.go_on(3 * S_US)
            assert here.board.pixels()[display.FIRST_LED[display.CHECK]] != (0, 0, 0)
        assert (flash / "settings.bad").read_bytes() == whole[:length]


def test_a_setting_holds_after_a_restart_and_the_game_goes_on() -> None:
    with table() as here:
        here.say("new")
        here.stroke(0)
        here.say("settings set quiet_ms 5000", "settings set a.name Anna")
        here.go_on(2 * S_US)
        started = stop(here, "restart")
        assert any(line.endswith(" quiet_ms=5000 a=Anna") for line in started)
        assert "> Game 1 goes on at 5:0." in started
        assert [line for line in here.printed if line.startswith("> E")] == []
        # By other settings the log of before would not replay: a new one has begun.
        assert not any(" boot " in line for line in started)
        now_us = here.board.now_us
        here.board.inject(
            [Edge(now_us + 100_000, "hit", 1, 1), Edge(now_us + 5_600_000, "hit", 1, 1)]
        )
        assert len(conclusions(here.go_on(12 * S_US))) == 2
        assert replays(here.printed)


# -- Factory reset


@both
def test_two_buttons_held_at_power_up_forget_everything(tmp_path: Path, interpreter: str) -> None:
    flash = set_up(tmp_path, quiet_ms=3000)
    with table(flash, interpreter) as here:
        here.say("new")
        here.stroke(0)
        here.go_on(40 * S_US)
    held = tuple(Edge(0, "btn", BUTTONS[name], 1) for name in ("penalty", "fine"))
    with table(flash, interpreter, at_power_up=held) as here:
        here.go_on(4 * S_US)
        assert here.printed[0].endswith("sensors=pins,cushions")
        assert "> Two buttons were held: settings, score and logs are forgotten." in here.printed
        assert here.board.pixels()
        assert "> refused 'undo': undo reaches no further back" in here.say("undo")
    assert not (flash / "settings.json").exists()


@both
def test_buttons_let_go_or_one_alone_forget_nothing(tmp_path: Path, interpreter: str) -> None:
    flash = set_up(tmp_path, quiet_ms=3000)
    with table(flash, interpreter) as here:
        here.say("new")
        here.stroke(0)
        here.go_on(3 * S_US)
    both_held = tuple(Edge(0, "btn", BUTTONS[name], 1) for name in ("penalty", "fine"))
    for held, let_go in ((both_held[:1], ()), (both_held, (Edge(2_900_000, "btn", 1, 0),))):
        with table(flash, interpreter, at_power_up=held) as here:
            here.board.inject(let_go)
            here.go_on(5 * S_US)
            assert here.printed[0].endswith("quiet_ms=3000")
            assert "> Game 1 goes on at 5:0." in here.printed


def test_factory_reset_on_the_console(tmp_path: Path) -> None:
    flash = set_up(tmp_path, quiet_ms=3000)
    with table(flash) as here:
        here.say("new")
        here.stroke(0)
        here.go_on(40 * S_US)
        started = here.say("factory reset")
        here.go_on(S_US)
        assert any(line.startswith("# kegli-log") and "quiet_ms" not in line for line in started)
        assert not any("goes on" in line for line in started)
        here.go_on(9 * S_US)
        here.say("new")
        here.stroke(0)
        assert replays(here.printed)


def test_settings_before_the_first_game_make_a_log_of_their_own() -> None:
    with table() as here:
        here.say("settings set quiet_ms 9000")
        stop(here, "restart")
        here.say("new")
        now_us = here.board.now_us
        here.board.inject(
            [Edge(now_us + 100_000, "hit", 1, 1), Edge(now_us + 7_200_000, "hit", 1, 1)]
        )
        assert len(conclusions(here.go_on(20 * S_US))) == 1
        assert replays(here.printed)


# -- Crashes


def spoil(flash: Path, name: str, old: str, new: str) -> None:
    """Change the firmware on a flash."""
    path = flash / "kegli" / f"{name}.py"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


@both
def test_an_exception_in_the_core_restarts_the_board_and_the_game_goes_on(
    tmp_path: Path, interpreter: str
) -> None:
    fill_flash(tmp_path, ())
    spoil(
        tmp_path,
        "commands",
        "        self._fold_of_game_on()\n",
        "        raise RuntimeError('bug')\n",
    )
    with table(tmp_path, interpreter) as here:
        here.say("new")
        here.stroke(0)
        here.go_on(3 * S_US)
        printed = here.say("draw")
        assert "> Starting again in 2 s; Ctrl-C stops it." in printed
        assert any(
            line.startswith("> E4: An exception was survived, kept in fault.txt: ")
            for line in printed
        )
        started = here.go_on(3 * S_US)
        assert here.board.resets == ["software"]
        assert "> Game 1 goes on at 5:0." in started
        assert (
            "> E4: Started again after a crash (1 in a row); what it was is in fault.txt."
            in started
        )
        assert "RuntimeError: bug" in (tmp_path / "fault.txt").read_text()
        here.go_on(3 * S_US)
        assert conclusions(here.stroke(1))
        assert replays(here.printed)


@both
def test_crash_after_crash_leaves_out_more_and_more(tmp_path: Path, interpreter: str) -> None:
    set_up(tmp_path, quiet_ms=3000)
    with table(tmp_path, interpreter) as here:
        here.say("new")
        here.stroke(0)
        here.go_on(3 * S_US)
    spoil(
        tmp_path,
        "app",
        "        taken_us = self._take_edges(self.now_us)\n",
        "        raise RuntimeError('bug')\n",
    )
    with table(tmp_path, interpreter) as here:
        for crashes in range(1, 9):
            started = here.go_on(2_100_000)
            assert len(here.board.resets) == crashes
            header = next((line for line in started if line.startswith("# kegli-log")), "")
            assert ("quiet_ms=3000" in header) == (crashes < 3)
            assert any("> Game 1 goes on at 5:0." in line for line in started) == (crashes < 6)
            if 3 <= crashes < 6:
                assert (
                    f"> E5: Started without the stored settings after {crashes} crashes in a row."
                    in started
                )
            elif crashes >= 6:
                assert (
                    "> E5: Started without the stored settings and score"
                    f" after {crashes} crashes in a row." in started
                )
        with pytest.raises(
            RuntimeError, match="Stopped after 9 crashes in a row: switch off and on"
        ):
            here.go_on(3 * S_US)
    assert {path.name for path in (tmp_path / "score.bad").iterdir()} & {"0", "1"}
    assert "quiet_ms" in (tmp_path / "settings.json").read_text()


@both
def test_a_start_that_fails_is_a_crash_too(tmp_path: Path, interpreter: str) -> None:
    fill_flash(tmp_path, ())
    with table(tmp_path, interpreter) as here:
        here.say("new")
        here.stroke(0)
        here.go_on(3 * S_US)
        sound = "    values, wrong = settings.read()\n"
        spoil(tmp_path, "start", sound, "    raise MemoryError\n")
        here.board.write("restart\n")
        with pytest.raises(RuntimeError, match="Stopped after 9 crashes in a row: switch off"):
            here.go_on(60 * S_US)
        assert here.board.resets == ["software"] * 10
    spoil(tmp_path, "start", "    raise MemoryError\n", sound)
    with table(tmp_path, interpreter) as here:
        assert "> Started by power-up, firmware 0.1.0." in here.printed
        assert conclusions(here.say("new"))
    assert {path.name for path in (tmp_path / "score.bad").iterdir()} & {"0", "1"}


@both
def test_whatever_fails_in_a_crash_the_board_starts_again(
    tmp_path: Path, interpreter: str
) -> None:
    fill_flash(tmp_path, ())
    with table(tmp_path, interpreter) as here:
        here.say("new")
        here.stroke(0)
        here.go_on(3 * S_US)
        stop(here, "restart")
        spoil(
            tmp_path,
            "store",
            "        _make_folder()\n        letter =",
            "        raise MemoryError\n        letter =",
        )
        spoil(tmp_path, "service", "    out = io.StringIO()\n", "    raise MemoryError\n")
        # The score is to be written after the start: that crashes, and so does telling it.
        stop(here, "restart")
        here.go_on(15 * S_US)  # two seconds lie between two starts
        assert len(here.board.resets) >= 5
        assert here.printed.count("> Game 1 goes on at 5:0.") >= 3


@both
def test_a_firmware_that_is_not_whole_can_be_stopped(tmp_path: Path, interpreter: str) -> None:
    """What tells a crash cannot be had either: without a wait it would start again for ever."""
    fill_flash(tmp_path, ())
    (tmp_path / "kegli" / "app.py").write_text("import nothing\n")
    with VirtualBoard(interpreter=interpreter, flash=tmp_path) as board:
        board.run_until(9_000_000)
        assert 3 <= len(board.resets) <= 5  # two seconds lie between two


@both
def test_a_reset_that_nobody_wanted_is_a_crash_and_a_restart_is_none(interpreter: str) -> None:
    with table(interpreter=interpreter) as here:
        here.say("new")
        for _ in range(4):
            started = stop(here, "restart")
            assert not any(line.startswith("> E") for line in started)
        for crashes in (1, 2, 3):
            started = stop(here, "software" if crashes == 2 else "watchdog")
            assert (
                f"> E4: Started again after a crash ({crashes} in a row):"
                " the chip stopped, or its watchdog did." in started
            )
            assert any(line.startswith("> E5") for line in started) == (crashes == 3)
        # Who restarts it knows of them, and wants what is stored.
        assert not any(line.startswith("> E") for line in stop(here, "restart"))
        stop(here, "watchdog")
        # After five minutes they are forgotten.
        here.go_on(310 * S_US)
        assert not any(line.startswith("> E5") for line in stop(here, "watchdog"))


@both
def test_a_board_without_its_score_says_so_in_the_log(interpreter: str) -> None:
    with table(interpreter=interpreter) as here:
        here.say("new", "mark touch")
        for _ in range(6):
            started = stop(here, "watchdog")
        assert any("without the stored settings and score" in line for line in started)
        assert any(line.endswith(" match empty") for line in started)
        assert conclusions(here.say("new"))[0].startswith("> game n=1 ")
        here.go_on(8 * S_US)
        here.stroke(0)
        assert replays(here.printed)
        # What is played from here on is not set aside again.
        assert "> Game 1 goes on at 5:0." in stop(here, "restart")


@both
def test_a_start_that_is_cut_off_again_and_again_is_counted(interpreter: str) -> None:
    with table(interpreter=interpreter) as here:
        here.say("new")
        stop(here, "restart")
        here.board.die_after(0)
        for moments in (10, 14, 18):
            here.board.die_after(moments)  # of the next start
            here.board.reset("watchdog")
            assert here.board.is_dead
        started = stop(here, "watchdog")
        assert any(
            line.startswith("> E5: Started without the stored settings after ") for line in started
        )


def test_status_says_all_that_is_wrong_with_the_settings(tmp_path: Path) -> None:
    flash = set_up(tmp_path, quiet_ms=5, speed=3)
    with table(flash) as here:
        told = [line for line in here.printed if line.startswith("> E1: ")]
        assert len(told) == 3
        (said,) = [line for line in here.say("status") if line.startswith("> E1: ")]
        assert all(line.removeprefix("> E1: ") in said for line in told)


def test_a_scan_that_died_ends_in_a_restart_by_the_watchdog() -> None:
    with table() as here:
        here.say("new")
        here.stroke(0)
        here.go_on(12 * S_US)
        here.board.lose_timer()
        started = here.go_on(9 * S_US)
        assert here.board.resets == ["watchdog"]
        assert "> Started by watchdog, firmware 0.1.0." in started
        assert "> Game 1 goes on at 5:0." in started
        here.go_on(3 * S_US)
        assert conclusions(here.stroke(1))
        assert replays(here.printed)


def test_the_score_that_is_shown_is_the_one_that_the_log_says() -> None:
    """After each way to stop, the LED board and a replay of the log show the same digits."""
    digits = [*range(display.SCORE_A, display.AWARD), *range(display.SCORE_B, display.PIN)]
    with table() as here:
        here.say("new a.target=40 b.target=40")
        here.stroke(0, 1)
        here.go_on(3 * S_US)
        for way in WAYS:
            stop(here, way)
            here.go_on(6 * S_US)  # the lamps, and what is wrong, come first
            shown = here.board.pixels()
            start = max(n for n, line in enumerate(here.printed) if line.startswith("# kegli-log"))
            referee = Referee(here.printed[start])
            for line in here.printed[start + 1 :]:
                if not line.startswith(">"):
                    referee.feed(line)
            referee.finish()
            lit = {element for element, _colour, _blink in display.lit(referee)}
            for element in digits:
                led = display.FIRST_LED[element]
                assert (shown[led] != (0, 0, 0)) == (element in lit), (way, element)


# -- Behind a port


@contextmanager
def running(*arguments: str) -> Iterator[Client]:
    """Run `kegli board`, yield a client of its port, and cut its power."""
    process = subprocess.Popen(
        [sys.executable, "-m", "host_tools", "board", *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        try:
            path = process.stdout.readline().strip()
            process.stdout.readline()
            with closing(Client(path)) as client:
                yield client
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(10)
        assert process.returncode == 0


def said_at(client: Client, line: bytes, end: bytes) -> bytes:
    """Type a line, and return what is said before *end*."""
    client.type(line + b"\n")
    return client.read_until(end)


def test_a_board_with_a_folder_for_its_flash_goes_on_from_there(tmp_path: Path) -> None:
    folder = tmp_path / "flash"
    with running("--flash", str(folder)) as client:
        said_at(client, b"new", b"> game n=1")
        said_at(client, b"mark touch", b"> stroke")
        while b"and on flash" not in said_at(client, b"status", b"> faults"):
            pass
    with running("--flash", str(folder)) as client:
        # What it said at once went to nobody: a console asks for it.
        assert b" match 0:0 a " in said_at(client, b"log", b"match +")
        said_at(client, b"undo", b"> stroke game=1 n=1 withdrawn")
        said_at(client, b"redo", b"> stroke game=1 n=1 player=a")


def test_ctrl_c_leaves_the_chip_to_tools_though_the_watchdog_runs() -> None:
    with running("--speed", "4") as client:
        said_at(client, b"new", b"> game n=1")
        up_s = 0
        while up_s < 12:
            said = said_at(client, b"status", b"> faults")
            up_s = int(said.split(b"up 0:00:")[1][:2])
        client.type(b"\x03")
        client.read_until(b"> Tools have 10 minutes before the watchdog.")
        client.read_until(b"> Stopped. Ctrl-D starts again.")
        client.read_until(b">>> ")
        client.type(b"import time\r")
        began = seconds = 0
        while seconds < began + 12:  # the watchdog of play would have bitten by then
            client.type(b"print('at', time.time_ns() // 10**9, 'on')\r")
            client.read_until(b"\nat ")
            seconds = int(client.read_until(b" on"))
            began = began or seconds
        client.type(b"\x04")
        client.read_until(b"> Started by soft reset")
        client.read_until(b" boot software")
