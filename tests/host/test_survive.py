"""What `kegli survive` counts, and that it does count what a firmware loses."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from host_tools import survive
from host_tools.cli import main
from host_tools.firmware_files import FIRMWARE
from host_tools.replay import CONCLUSIONS
from host_tools.survive import Part, cuts_of, failures_of, game_log
from host_tools.virtual_board import VirtualBoard
from kegli.referee import Referee

# Nine strokes with it are much corrected, and the second game comes.
SEED, STROKES = 20, 9


def patched(folder: Path, *changes: tuple[str, str, str]) -> str:
    """Return a folder with another firmware: (module, what is in it once, what comes there)."""
    shutil.copytree(FIRMWARE, folder / "kegli", ignore=shutil.ignore_patterns("__pycache__"))
    for module, old, new in changes:
        file = folder / f"kegli/{module}.py"
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1, (module, old)
        file.write_text(text.replace(old, new), encoding="utf-8")
    return str(folder)


def lost(part: Part) -> dict[str, int]:
    """Return what was lost, without what was not."""
    return {name: part.counts[name] for name in part.lost if part.counts[name]}


# Cuts of the power


def test_the_log_that_is_played_has_corrections_and_a_second_game() -> None:
    lines = game_log(STROKES, SEED, target=8)
    said = {line.split(" ", 2)[2] for line in lines if " cmd " in line}
    assert {"undo", "next"} <= said
    assert len(said) >= 4
    assert any(" btn " in line for line in lines)
    assert sum(line.startswith("> stroke ") for line in lines) > STROKES


def test_no_cut_of_the_power_loses_more_than_the_last_step() -> None:
    objects = survive.cut_power(game_log(STROKES, SEED, target=8))
    part = cuts_of(objects)
    (game,) = (said for said in objects if "operations" in said)
    assert lost(part) == {}, part.told
    assert part.ok
    # Before each operation, in the middle of it, and after the last.
    assert part.counts["cuts"] == 2 * game["operations"] + 1
    assert part.counts["last"] + part.counts["before"] == part.counts["cuts"]
    assert part.counts["last"] > 100
    assert part.counts["before"] > 100
    assert part.counts["undo_right"] > 10 * part.counts["undo_unavailable"]
    assert game["faults"] == {}
    score, log = survive.costs_of(objects, STROKES)
    assert (score.kind, log.kind) == ("score", "log")
    assert score.calls >= STROKES
    assert score.programs + log.programs + score.erases + log.erases <= game["operations"]
    assert log.erases >= 1


def test_two_presses_shortly_one_after_the_other_lose_no_more_than_one_step() -> None:
    log = [
        "# kegli-log 1 board=esp32 firmware=0.1.0 sensors=pins,cushions",
        "0 cmd new",
        *(f"{n}000000 cmd pass" for n in range(2, 5)),
        *(f"6{n}00000 btn undo {1 - n % 2}" for n in range(4)),  # 0.1 s down, 0.1 s up
    ]
    part = cuts_of(survive.cut_power(log))
    assert lost(part) == {}, part.told


def test_a_share_of_the_cuts_is_a_share() -> None:
    log = game_log(3, SEED)
    whole = cuts_of(survive.cut_power(log)).counts
    halves = [cuts_of(survive.cut_power(log, part=part, parts=2)).counts for part in (0, 1)]
    assert halves[0] + halves[1] == +whole
    assert all(halves)


@pytest.mark.parametrize(
    ("changes", "kinds"),
    [
        (  # a firmware that stores nothing
            [("store", "_make_folder()\n        letter =", "return\n        letter =")],
            {"older"},
        ),
        (  # one that begins each state anew: a cut in between leaves none
            [("store", "        _write(\"%d\" % (self.number & 1), self._state())",
              '        for name in ("0", "1"):\n'
              "            if name in os.listdir(FOLDER):\n"
              '                os.remove(FOLDER + "/" + name)\n'
              '        _write("%d" % (self.number & 1), self._state())')],
            {"older"},
        ),
        (  # one that says that undo reaches back, and does not
            [("recovery", "result.texts = texts(match, aside)",
              "result.texts = [format_match(match, aside)]")],
            {"undo_wrong"},
        ),
    ],
    ids=["nothing", "no-two-slots", "undo"],
)  # fmt: skip
def test_a_firmware_that_loses_the_score_is_found_out(
    tmp_path: Path, changes: list[tuple[str, str, str]], kinds: set[str]
) -> None:
    firmware = patched(tmp_path, *changes)
    part = cuts_of(survive.cut_power(game_log(4, SEED), firmware))
    assert not part.ok
    assert lost(part).keys() & kinds, (part.counts, part.told)
    assert part.told


# A flash that fails


def test_play_goes_on_whatever_the_flash_does() -> None:
    parts = failures_of(survive.fail_flash(game_log(3, SEED), stride=3))
    assert [part.name for part in parts] == [f"flash-{way}" for way in survive.WAYS]
    for part in parts:
        counts = part.counts
        assert lost(part) == {}, part.told
        assert counts["games"] == counts["right"] == counts["told"] == counts["recovered"] > 0
    assert parts[1].counts["games"] > 8


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("app", "        except OSError as error:\n            self._again_us",
          "        except ZeroDivisionError as error:\n            self._again_us"), "OSError"),
        (("app", '        self.say("> %s: %s" % (code, sentence))', "        pass"),
         "nothing was told"),
        (("app", "self._again_us = self.now_us + _FLASH_AGAIN_US",
          "self._again_us = 1 << 60"), "not tried again"),
    ],
    ids=["crash", "silent", "gives-up"],
)  # fmt: skip
def test_a_firmware_that_a_bad_flash_upsets_is_found_out(
    tmp_path: Path, change: tuple[str, str, str], told: str
) -> None:
    firmware = patched(tmp_path, change)
    log = game_log(2, SEED)
    parts = failures_of(survive.fail_flash(log, ["broken", "hiccup"], firmware=firmware, stride=5))
    assert any(told in said for part in parts for said in part.told)
    assert any(lost(part) for part in parts)


# Resets


def test_no_reset_loses_more_than_the_last_step() -> None:
    part = survive.reset_board(40, 7)
    counts = part.counts
    assert lost(part) == {}, part.told
    assert counts["resets"] == 40
    assert counts["software"] + counts["watchdog"] + counts["power_cut"] == 40
    assert all(counts[cause] for cause in ("software", "watchdog", "power_cut"))
    # It is judged in each start that it lives through.
    assert counts["last"] + counts["before"] == 40 - counts["died_starting"]
    assert counts["last"] > counts["before"]
    assert counts["replays"] == counts["power_cut"] + 1
    assert counts["agree"] >= counts["replays"] - 1


def test_a_board_that_forgets_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    reset = VirtualBoard.reset

    def forgetful(board: VirtualBoard, cause: str) -> None:
        shutil.rmtree(board._folder / "score", ignore_errors=True)
        board._rtc.write_bytes(bytes(2050))
        reset(board, cause)

    monkeypatch.setattr(VirtualBoard, "reset", forgetful)
    part = survive.reset_board(12, 7)
    assert not part.ok
    assert lost(part).keys() & {"older", "mixed"}
    assert "it had said" in part.told[0]


def test_a_reader_of_conclusions_follows_corrections() -> None:
    log = game_log(30, SEED, target=10)
    said = survive._Said()
    referee = Referee(log[0])
    stood = set()
    for line, following in pairwise(log[1:]):
        if line.startswith(CONCLUSIONS):
            said.take(line)
            if not following.startswith(">"):  # all of them have come
                standing = survive._stands(referee)
                assert said.stands() == standing
                stood.add(standing)
        elif line[0] not in "#>":
            referee.feed(line)
            referee.finish()
    assert len(stood) > 30
    assert {standing[0] for standing in stood if standing} >= {1, 2}


# The command


def result(ok: bool) -> survive.Survival:
    """Return what a small run comes to."""
    counts = Counter(cuts=9, last=5, before=3 + ok, older=1 - ok)
    cost = survive.Cost("score", 60, 61, 290, 6, (1, 19))
    part = Part("power-cuts", survive.CUTS_LOST, counts, [] if ok else ["it was so"])
    return survive.Survival([part], [cost])


@pytest.mark.parametrize("ok", [True, False])
def test_the_command_fails_if_something_was_lost(
    monkeypatch: pytest.MonkeyPatch, ok: bool
) -> None:
    monkeypatch.setattr(survive, "jobs", lambda *_: [])
    monkeypatch.setattr(survive, "gather", lambda *_: result(ok))
    ended = CliRunner().invoke(main, ["survive"])
    assert ended.exit_code == (0 if ok else 1)
    first, second = ended.stdout.splitlines()
    assert first.endswith("  ok" if ok else "  LOST")
    # 19 programs and an erase: 58.3 ms, or 457 ms.
    assert second.endswith(
        "100 erases per 1,000 strokes; the longest of 61 blocks 58 ms, at worst 457 ms"
    )
    rows = [
        json.loads(line)
        for line in CliRunner().invoke(main, ["survive", "--json"]).stdout.splitlines()
    ]
    assert rows[0]["ok"] is ok
    assert rows[1]["longest_worst_ms"] == 457


def test_the_command_does_all_of_it() -> None:
    ended = CliRunner().invoke(main, ["survive", "--strokes", "1", "--resets", "3", "--json"])
    rows = [json.loads(line) for line in ended.stdout.splitlines()]
    names = ["power-cuts", *(f"flash-{way}" for way in survive.WAYS), "resets"]
    assert [row["name"] for row in rows] == [*names, "score-writes", "log-writes"]
    assert all(row["ok"] for row in rows[: len(names)]), rows
    assert ended.exit_code == 0


def test_nothing_tried_is_not_survived() -> None:
    assert not Part("power-cuts", survive.CUTS_LOST).ok


def test_a_missing_interpreter_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> list[str]:
        raise RuntimeError("MicroPython is not installed.")

    monkeypatch.setattr(survive, "run", missing)
    ended = CliRunner().invoke(main, ["survive", "--strokes", "1", "--resets", "0"])
    assert (ended.exit_code, ended.stderr) == (1, "Error: MicroPython is not installed.\n")
