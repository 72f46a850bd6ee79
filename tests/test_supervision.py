"""The loop guarded: watchdog, faults of flash and code, a log on request, what `new` means."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.chip import ResetError, chip  # isort: skip  # before the firmware, whose hardware it is
from host_tools import replay
from kegli import app as app_module
from kegli import display
from kegli import journal as journal_module
from kegli import store as store_module
from kegli.display import AMBER, CHECK
from kegli.service import FAULT_FILE
from tests.test_app import Bench

S_US = 1_000_000
BLINKING = (CHECK, AMBER, True)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be collected: CPython takes long for it, and its collector is not the chip's."""
    monkeypatch.setattr(app_module, "gc", SimpleNamespace(collect=lambda: None))


@pytest.fixture
def bench() -> Iterator[Bench]:
    with closing(Bench()) as bench:
        bench.start()
        bench.lines()
        yield bench


def replays(lines: list[str]) -> bool:
    """Say whether lines that were printed are a log that replays to what it says."""
    played = replay.play("".join(f"{line}\n" for line in lines).encode())
    return not played.fault and played.agrees


# -- The watchdog


def test_tools_get_in_before_the_watchdog_runs(bench: Bench) -> None:
    bench.play(9_900_000)
    assert (chip.watchdog_ms, bench.app.is_guarded) == (0, False)
    bench.play(10_200_000)
    assert (chip.watchdog_ms, bench.app.is_guarded) == (8_000, True)


def test_it_is_fed_while_the_scan_lives_and_not_else(bench: Bench) -> None:
    bench.play(20 * S_US)
    feeds = chip.feeds
    bench.play(30 * S_US)
    assert chip.feeds > feeds + 500
    scans = bench.inputs.scans
    for _ in range(1000):
        bench.app.step()
        bench.sleep_ms(10)
        bench.inputs.scans = scans
    feeds = chip.feeds
    bench.app.step()
    assert chip.feeds == feeds
    bench.play(bench.now_us + S_US)
    assert chip.feeds > feeds


# -- A flash that fails


def fail(*_arguments: object) -> None:
    """Fail as a flash does that cannot be written."""
    raise OSError(errno.EROFS, "EROFS")


def test_a_flash_that_cannot_keep_the_score_is_told_and_play_goes_on(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.type(b"new\n")
    with monkeypatch.context() as broken:
        broken.setattr(store_module, "_write", fail)
        printed = bench.play(2 * S_US)
        for n in range(8):
            bench.edge("hit 1", 1, bench.now_us + 100_000)
            printed += bench.play(bench.now_us + 10 * S_US)
            assert bench.app.store.behind == n + 2
    told = "> E2: The score could not be written to flash: EROFS"
    assert printed.count(told) == 1
    assert len([line for line in printed if line.startswith("> stroke")]) == 8
    assert BLINKING in bench.leds.shown[-1][1]
    assert BLINKING not in bench.leds.shown[0][1]
    assert bench.app.store.behind == 9
    # A minute after the last try it is tried again, and what is wrong no more is not shown.
    bench.play(bench.now_us + 61 * S_US)
    assert bench.app.store.behind == 0
    assert bench.app.faults == {}
    assert BLINKING not in bench.leds.shown[-1][1]
    assert chip.stores > 8


def test_a_flash_that_cannot_keep_the_log_keeps_the_score(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.type(b"new a.target=999 b.target=999\n")
    with monkeypatch.context() as broken:
        broken.setattr(journal_module.Journal, "flush", fail)
        printed = bench.play(2 * S_US)
        for _ in range(60):
            bench.edge("hit 1", 1, bench.now_us + 100_000)
            printed += bench.play(bench.now_us + 10 * S_US)
            assert bench.app.store.behind == 0
    assert printed.count("> E3: The log could not be written to flash: EROFS") == 1
    assert bench.app.journal.left_out > 0
    printed += bench.play(bench.now_us + 100 * S_US)
    assert bench.app.faults == {}
    assert (
        sum("lines of the log found no room and are not stored." in line for line in printed) == 1
    )
    assert replays(["# kegli-log 1", *printed])
    for path in sorted(Path("log").glob("*.log")):
        assert replays(path.read_text().splitlines())


def test_a_flash_that_stays_full_is_told_once_and_the_head_of_a_log_is_not_said_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the head is: what is written is tried with something shorter first."""
    bench.type(b"new a.target=999 b.target=999\n")
    bench.play(S_US)
    for _ in range(24):
        bench.type(b"pass\n" * 10)
        bench.play(bench.now_us + S_US)
    bench.play(bench.now_us + 40 * S_US)
    bench.lines()
    monkeypatch.setattr("builtins.open", fail)
    bench.type(b"pass\n" * 10 + b"log\n")
    printed = bench.play(bench.now_us + 1200 * S_US, 100)
    assert sum(line.startswith("# kegli-log") for line in printed) == 1
    assert sum(line.startswith("> E3") for line in printed) == 1
    assert sum(line.startswith("> E2") for line in printed) == 1


def test_a_log_without_a_folder_is_kept_once_it_can_be_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with closing(Bench()) as bench, monkeypatch.context() as broken:
        broken.setattr("os.mkdir", fail)
        bench.start()
        bench.type(b"new\n")
        printed = bench.play(2 * S_US)
        assert "> E3: The log could not be written to flash: EROFS" in printed
        broken.undo()
        bench.play(140 * S_US, 100)
        assert bench.app.faults == {}
        assert replays(Path("log/000001.log").read_text().splitlines())


def test_the_steps_never_get_more_than_a_start_takes(bench: Bench) -> None:
    bench.type(b"new a.target=999 b.target=999\n")
    bench.play(S_US)
    most = 0
    for n in range(60):
        bench.type(b"pass\n" * 5 + (b"log\n" if n % 7 == 3 else b""))
        bench.play(bench.now_us + 3 * S_US, 50)
        most = max(most, len(bench.app.referee.match.steps))
    assert 200 < most <= 246


# -- Exceptions


def test_an_exception_in_drawing_is_stored_shown_and_survived(bench: Bench) -> None:
    bench.type(b"new\n")
    bench.play(2 * S_US)
    bench.leds.is_broken = True
    bench.edge("hit 1", 1, 2_500_000)
    printed = bench.play(5 * S_US)
    assert "> E4: An exception was survived, kept in fault.txt: RuntimeError: no LEDs" in printed
    text = Path(FAULT_FILE).read_text()
    assert text.startswith("2")
    assert "firmware 0.1.0" in text.splitlines()[0]
    assert text.rstrip().endswith("RuntimeError: no LEDs")
    bench.leds.is_broken = False
    printed = bench.play(20 * S_US)
    assert any(line.startswith("> stroke") for line in printed)
    assert BLINKING in bench.leds.shown[-1][1]


def test_an_exception_that_cannot_be_stored_is_told_all_the_same(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.play(2 * S_US)
    bench.leds.is_broken = True
    bench.type(b"new\n")
    with monkeypatch.context() as broken:
        broken.setattr("builtins.open", fail)
        printed = bench.play(4 * S_US)
    assert (
        "> E4: An exception was survived, it could not be stored: EROFS:"
        " RuntimeError: no LEDs" in printed
    )


def test_faults_at_the_start_are_shown_for_a_while() -> None:
    with closing(Bench()) as bench:
        bench.start()
        bench.app.fault("E5", "crashes")
        bench.app.fault("E1", "settings")
        bench.play(5 * S_US)
        shown = [lights for _ms, lights in bench.leds.shown]
    assert shown[0] == display.boot()
    assert shown[1] == display.fault("E1")
    assert shown[-1] == display.lit(bench.app.referee, True)


# -- A log on request


def test_a_console_that_attaches_gets_a_log_that_replays(bench: Bench) -> None:
    bench.type(b"new a.target=999 b.target=999\n")
    bench.play(S_US)
    for n in range(5):
        bench.edge("hit 1", 1, bench.now_us + 100_000)
        bench.edge(f"pin {n}", 1, bench.now_us + 300_000)
        if n < 4:
            bench.edge(f"pin {n}", 0, bench.now_us + 4 * S_US)
        bench.play(bench.now_us + 12 * S_US)
    bench.type(b"log\n")
    recorded = bench.play(bench.now_us + 2 * S_US)
    assert recorded[0].startswith("# kegli-log 1 ")
    assert [line.split(" ")[1] for line in recorded[1:3]] == ["pin", "match"]  # pin 4 lies
    bench.type(b"undo\nundo\nredo\nturn b\njudge 1 cue\n")
    bench.edge("pin 4", 0, bench.now_us + S_US)
    bench.edge("hit 1", 1, bench.now_us + 5 * S_US)
    recorded += bench.play(bench.now_us + 15 * S_US)
    assert sum(line.startswith("> stroke") for line in recorded) > 4
    assert sum("refused" in line for line in recorded) == 0
    assert replays(recorded)


def test_it_waits_until_the_table_is_at_rest(bench: Bench) -> None:
    bench.type(b"new\n")
    bench.play(2 * S_US)
    bench.edge("hit 1", 1, bench.now_us + 10_000)
    bench.play(bench.now_us + S_US)
    bench.type(b"log\n")
    printed = bench.play(bench.now_us + 4 * S_US)
    assert printed == ["> The log begins here as soon as the table is at rest."]
    printed = bench.play(bench.now_us + 4 * S_US)
    assert sum(line.startswith("# kegli-log") for line in printed) == 1
    begins = next(n for n, line in enumerate(printed) if line.startswith("# kegli-log"))
    assert any(line.startswith("> stroke") for line in printed[:begins])


def test_attaching_takes_no_undo_away(bench: Bench) -> None:
    bench.type(b"new\n" + b"pass\n" * 20)
    bench.play(S_US)
    for _ in range(3):
        bench.type(b"log\n")
        bench.play(bench.now_us + 2 * S_US)
    bench.type(b"undo\n" * 21)
    printed = bench.play(bench.now_us + 2 * S_US)
    assert sum("withdrawn" in line for line in printed) == 20
    assert printed[-1] == "> refused 'undo': undo reaches no further back"


def test_old_games_go_and_undo_reaches_two_games_back(bench: Bench) -> None:
    bench.type(b"new a.target=999 b.target=999\n")
    bench.play(S_US)
    for _ in range(6):
        for _ in range(9):
            bench.type(b"pass\n" * 10)
            bench.play(bench.now_us + 2 * S_US)
        bench.type(b"resign a\nnext\n")
        bench.play(bench.now_us + 2 * S_US)
        assert len(bench.app.referee.match.steps) <= 246
    games = bench.app.referee.match.games
    assert [game.number for game in games][-2:] == [6, 7]
    assert games[0].number > 1
    assert bench.app.referee.tally == [0, 6, 0]


# -- What `new` means on this board


@pytest.fixture
def handy() -> Iterator[Bench]:
    with closing(Bench(new="a.target=60 b.start=20")) as bench:
        bench.start()
        bench.lines()
        yield bench


def press(bench: Bench, ms: int) -> list[str]:
    """Press `ok` so long, and return what is printed."""
    bench.edge("btn ok", 1, bench.now_us + 100_000)
    bench.edge("btn ok", 0, bench.now_us + 100_000 + 1000 * ms)
    return [line.split(" ", 1)[1] for line in bench.play(bench.now_us + 3 * S_US)]


def test_a_long_press_is_the_new_that_it_means(handy: Bench) -> None:
    printed = press(handy, 900)
    assert printed[0] == "cmd new a.target=60 b.start=20"
    assert "game n=1 result=playing winner= score=0:20 turn=a strokes=0" in printed
    assert not any("btn" in line for line in printed)
    # From here on the button is as it comes.
    assert press(handy, 900)[:2] == ["btn ok 1", "btn ok 0"]


def test_a_press_that_outlives_the_game_is_not_taken_over(handy: Bench) -> None:
    handy.type(b"new\n")
    handy.play(S_US)
    handy.edge("btn ok", 1, handy.now_us + 100_000)
    handy.play(handy.now_us + S_US)
    handy.type(b"undo\n")
    handy.play(handy.now_us + S_US)
    handy.edge("btn ok", 0, handy.now_us + 100_000)
    # It is a long press now, with no game: a `new`; the next press is a short one.
    assert handy.play(handy.now_us + S_US)[0].endswith(" btn ok 0")
    assert press(handy, 100)[:2] == ["btn ok 1", "btn ok 0"]
    assert handy.app.referee.last is None


def test_a_button_that_is_stuck_keeps_no_log_away(bench: Bench) -> None:
    bench.type(b"new\n")
    bench.edge("btn carom", 1, S_US)
    bench.play(5 * S_US)
    bench.type(b"log\n")
    assert any(line.startswith("# kegli-log") for line in bench.play(bench.now_us + S_US))
    bench.play(bench.now_us + 40 * S_US)
    assert bench.app.journal.waiting == 0


def test_other_presses_before_the_first_game(handy: Bench) -> None:
    assert press(handy, 10) == []  # a bounce
    assert press(handy, 100)[0] == "cmd ok"
    assert handy.app.referee.game is None


def test_what_new_says_goes_before_what_it_means(handy: Bench) -> None:
    handy.type(b"new a.target=40\nhandicap b a 10\n")
    printed = [line.split(" ", 1)[1] for line in handy.play(S_US)]
    assert printed[:2] == ["cmd new b.start=20 a.target=40", "cmd new b.start=20 a.target=90"]


def test_a_board_with_usual_games_writes_the_press(bench: Bench) -> None:
    assert press(bench, 900)[:2] == ["btn ok 1", "btn ok 0"]
    assert bench.app.referee.game is not None


# -- Status, restart, factory reset


def test_status_tells_what_a_maintainer_asks(bench: Bench) -> None:
    bench.type(b"new\n")
    bench.play(3_700 * S_US, 1000)
    bench.app.faults["E2"] = "no flash"
    bench.type(b"status\n")
    printed = bench.play(bench.now_us + S_US)
    keys = [line.split(" ")[1].rstrip(":") for line in printed]
    assert keys == [
        *("firmware", "up", "heap", "loop", "edges", "hits", "score", "record", "log", "flash"),
        *("E2", "faults"),
    ]
    assert "> up 1:01:40, started by " in printed[1]
    assert printed[-2:] == ["> E2: no flash", "> faults: 1"]


def test_help_names_every_word_of_the_console(bench: Bench) -> None:
    bench.type(b"help\n")
    printed = "\n".join(bench.play(S_US))
    for word in ("status", "log", "settings", "handicap", "restart", "factory reset"):
        assert f"> {word}" in printed


def test_a_factory_reset_that_fails_says_so_and_restarts(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.type(b"new\nsettings set quiet_ms 5000\n")
    bench.play(S_US)
    monkeypatch.setattr("os.remove", fail)
    bench.type(b"factory reset\n")
    with pytest.raises(ResetError):
        bench.play(bench.now_us + S_US)
    assert "> settings.json could not be forgotten: EROFS" in bench.lines()
    assert set(chip.rtc) == {0}


def test_restart_stores_all_and_resets(bench: Bench) -> None:
    bench.type(b"new\npass\nrestart\n")
    with pytest.raises(ResetError):
        bench.play(S_US)
    bench.type(b"restart\n")
    with pytest.raises(ResetError):
        bench.play(bench.now_us + S_US)
    assert bench.app.store.behind == 0


def test_factory_reset_forgets_settings_score_and_logs(bench: Bench) -> None:
    bench.type(b"new\npass\nsettings set quiet_ms 5000\n")
    bench.play(60 * S_US)
    Path(FAULT_FILE).write_text("x")
    assert {"settings.json", "score", "log", "fault.txt"} <= {
        path.name for path in Path().iterdir()
    }
    bench.type(b"factory reset\n")
    with pytest.raises(ResetError):
        bench.play(bench.now_us + S_US)
    assert {path.name for path in Path().rglob("*")} == {"score", "log"}
    assert set(chip.rtc) == {0}
