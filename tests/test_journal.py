"""The log on flash: files that each replay, the oldest dropped first, nothing lost silently."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import chdir, closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import chip as _chip  # isort: skip  # noqa: F401  # before the firmware
from host_tools import replay
from kegli import app as app_module
from kegli import journal as journal_module
from kegli.journal import FOLDER, Journal
from tests.test_app import Bench

S_US = 1_000_000
SETTLED_US = 40 * S_US  # after which all that waits is on the flash


@pytest.fixture(autouse=True)
def flash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give each test a flash of its own, as the current folder."""
    # CPython's collector takes most of the time of these long games, and is not the chip's.
    monkeypatch.setattr(app_module, "gc", SimpleNamespace(collect=lambda: None))
    with chdir(tmp_path):
        yield tmp_path


def agrees(data: bytes) -> bool:
    """Say whether a log, or some one after the other, replay to what they say."""
    played = [replay.play(part) for part in replay.logs(data)]
    assert all(one.recorded for one in played)
    return all(not one.fault and not one.truncated and one.agrees for one in played)


def play(bench: Bench, until_us: int) -> list[str]:
    """Let the loop run, in steps as long as it makes them when nothing happens."""
    return bench.play(until_us, 100)


def stroke(bench: Bench, n: int) -> None:
    """Play a stroke, of 20 s: hits without end, and pins that chatter and are set up again."""
    start_us = bench.now_us
    for hit in range(30):
        bench.edge(f"hit {hit % 4}", 1, start_us + 100_000 * hit)
    bench.edge(f"pin {n % 5}", 1, start_us + 3_100_000)
    bench.edge(f"pin {n % 5}", 0, start_us + 8_000_000)
    if n % 7 == 3:
        bench.type(b"undo\n")
    elif n % 7 == 5:
        bench.type(b"judge 1 cue\n")


def game(bench: Bench, strokes: int) -> list[str]:
    """Play a long game, and wait until all of it is stored. Return what was printed."""
    bench.start()
    bench.type(b"new a.target=999 b.target=999\n")
    printed = play(bench, S_US)
    for n in range(strokes):
        stroke(bench, n)
        printed += play(bench, bench.now_us + 20 * S_US)
    return printed + play(bench, bench.now_us + SETTLED_US)


def stored() -> list[bytes]:
    """Return the files of the log, the oldest first."""
    return [path.read_bytes() for path in sorted(Path(FOLDER).glob("*.log"))]


def test_the_files_hold_what_was_printed_and_each_replays() -> None:
    with closing(Bench()) as bench:
        printed = game(bench, 130)
        files = stored()
        notices = "".join(f"{line}\n" for line in printed if line.startswith("> E"))
        assert notices == ""
        # Notices of the start and answers of the console are no part of the log.
        said = [line for line in printed if not line.startswith("> Started")]
        assert b"".join(files).decode().splitlines() == said
    assert len(files) >= 3
    for data in files:
        assert data.startswith(b"# kegli-log 1 ")
        assert agrees(data)
    assert all(32_000 < len(data) < 48_000 for data in files[:-1])
    assert agrees(b"".join(files))
    for first in range(1, len(files)):
        assert agrees(b"".join(files[first:])), "the oldest are lost"


def test_the_oldest_go_first_within_the_limit() -> None:
    with closing(Bench(log_kb=80)) as bench:
        game(bench, 250)
        names = sorted(os.listdir(FOLDER))
        files = stored()
        left_out = bench.app.journal.left_out
    assert left_out == 0
    assert names[0] > "000002.log"
    assert names == [f"{n:06}.log" for n in range(int(names[0][:-4]), int(names[-1][:-4]) + 1)]
    assert sum(map(len, files)) <= 80 * 1024 + 8192
    assert agrees(b"".join(files))


def test_room_is_left_to_the_score(monkeypatch: pytest.MonkeyPatch) -> None:
    """A flash that others have filled keeps 64 KB free, at the cost of the oldest log."""
    capacity = 200 * 1024

    def left(_path: str) -> tuple[int, ...]:
        used = sum(map(len, stored())) if os.path.isdir(FOLDER) else 0
        return (1, 1, 0, max(0, capacity - used))

    fake = SimpleNamespace(listdir=os.listdir, mkdir=os.mkdir, stat=os.stat, remove=os.remove)
    fake.statvfs = left
    monkeypatch.setattr(journal_module, "os", fake)
    with closing(Bench(log_kb=1500)) as bench:
        game(bench, 250)
        files = stored()
    assert 60_000 < sum(map(len, files)) <= capacity - 64 * 1024 + 8192
    assert agrees(b"".join(files))


def test_the_limit_is_at_least_two_files() -> None:
    assert [Journal(kb).limit for kb in (0, 1, 64, 100)] == [0, 65536, 65536, 102400]


def test_no_log_is_kept_when_none_is_wanted() -> None:
    with closing(Bench(log_kb=0)) as bench:
        printed = game(bench, 10)
        assert not os.path.isdir(FOLDER)
        assert bench.app.journal.left_out == 0
        assert sum(line.startswith("# kegli-log") for line in printed) == 1


def test_a_power_cut_leaves_files_that_replay() -> None:
    """Whenever it comes: what is on the flash then ends between two strokes."""
    with closing(Bench()) as bench:
        bench.start()
        bench.type(b"new a.target=999 b.target=999\n")
        play(bench, S_US)
        seen = set()
        for n in range(60):
            stroke(bench, n)
            end_us = bench.now_us + 20 * S_US
            while bench.now_us < end_us:
                play(bench, bench.now_us + 700_000)
                data = b"".join(stored()) if os.path.isdir(FOLDER) else b""
                if data and data not in seen:
                    seen.add(data)
                    assert agrees(data)
        assert len(seen) > 5


def test_it_waits_in_memory_while_a_stroke_runs_and_is_left_out_with_a_hole() -> None:
    """A stroke that has no end makes more lines than there is room for: told, and a new file."""
    with closing(Bench()) as bench:
        game(bench, 3)
        bench.lines()
        before = b"".join(stored())
        start_us = bench.now_us
        for n in range(2000):
            bench.edge(f"hit {n % 4}", 1, start_us + 50_000 * n)
        play(bench, start_us + 100 * S_US)
        assert b"".join(stored()) == before
        printed = play(bench, bench.now_us + SETTLED_US)
        left_out = bench.app.journal.left_out
        stroke(bench, 1)
        printed += play(bench, bench.now_us + 20 * S_US) + play(bench, bench.now_us + SETTLED_US)
        files = stored()
    assert left_out > 100
    assert f"> {left_out} lines of the log found no room and are not stored." in printed
    assert len(files) == 2
    assert all(map(agrees, files))
    assert agrees(b"".join(files))


def test_numbers_go_on_after_a_restart() -> None:
    Journal(512)
    os.mkdir(FOLDER)
    for name in ("000007.log", "000099.log", "notes.txt", "x.log"):
        Path(FOLDER, name).write_bytes(b"x")
    log = Journal(512)
    log.begin()
    log.take("# kegli-log 1")
    log.flush()
    assert Path(FOLDER, "000100.log").read_bytes() == b"# kegli-log 1\n"
    assert [name for name, _size in log.files()] == ["000007.log", "000099.log", "000100.log"]


def test_what_waits_is_kept_when_a_write_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Journal(512)
    log.begin()
    log.take("one")

    def fail(*_args: object) -> None:
        raise OSError(28, "ENOSPC")

    with monkeypatch.context() as broken:
        broken.setattr("builtins.open", fail)
        with pytest.raises(OSError, match="ENOSPC"):
            log.flush()
    log.take("two")
    log.flush()
    assert stored() == [b"one\ntwo\n"]
