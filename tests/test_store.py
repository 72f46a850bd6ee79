"""The store and its recovery: what is kept is found again, whatever is torn, and unmixed."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from tests.chip import chip  # isort: skip  # before the firmware, whose hardware it is
from host_tools.replay import game_rows, stroke_rows
from kegli import recovery
from kegli import store as store_module
from kegli.position import format_match
from kegli.record import sealed
from kegli.recovery import Recovered, look
from kegli.referee import Referee
from kegli.store import FOLDER, Store
from tests.play import HEADER, script
from tests.random_logs import random_log

MOST_INLINE = 128  # bytes of a file that littlefs keeps in its directory


@pytest.fixture(autouse=True)
def flash(tmp_path: Path) -> Iterator[Path]:
    """Give each test a flash of its own, as the current folder, and a chip just powered up."""
    chip.power_up()
    with chdir(tmp_path):
        yield tmp_path


class Keeper:
    """A referee whose record is kept after every line, as the loop does."""

    def __init__(self, header: str = HEADER, commits: bool = True) -> None:
        self.referee = Referee(header)
        self.store = Store()
        self.commits = commits

    def feed(self, lines: list[str]) -> None:
        """Feed lines of a log, and keep what they make of the record."""
        for line in lines:
            try:
                self.referee.feed(line)
            except ValueError:
                self.referee.skip()
            self.keep()
        self.referee.finish()
        self.keep()

    def keep(self) -> None:
        """Keep the record."""
        self.store.keep(self.referee.match, self.referee.pins_aside)
        if self.commits and self.store.behind:
            self.store.commit(self.referee.match)


def facts(found: Recovered) -> tuple[int, ...]:
    """Return what RTC memory says of the log and of crashes."""
    times = found.evaluated_us, found.now_us, found.now_ns
    return (*times, found.crashes, found.left, found.header)


def lines_of(text: str) -> list[str]:
    """Return the lines of a log in the notation of tests/play.py."""
    return script(text).splitlines()


def recover(store: Store) -> Recovered:
    """Return what a start goes on from."""
    found = look(store.image)
    recovery.recover(store, found)
    return found


def started(found: Recovered) -> Referee:
    """Return a referee that goes on from what was found."""
    referee = Referee(HEADER)
    for text in found.texts:
        referee.feed(f"0 match {text}")
    referee.finish()
    assert not [line for line in referee.take() if "refused" in line]
    return referee


def standing(referee: Referee) -> object:
    """Return all that stands, without what was counted before."""
    games = [
        {k: v for k, v in row.items() if k not in ("lost", "errors", "state")}
        for row in game_rows(referee)
    ]
    return stroke_rows(referee), games, referee.match.absent


def after_restart(referee: Referee) -> object:
    """Return what stands once a restart has dropped what is under way."""
    referee.feed(f"{referee.evaluated_us} boot software")
    referee.finish()
    return standing(referee)


def say(referee: Referee, words: str) -> object:
    """Say something, and return what stands then."""
    referee.feed(f"{referee.evaluated_us + 10_000_000} cmd {words}")
    referee.finish()
    return standing(referee)


GAME = (
    "0 absent 3; 1 new a.target=30 b.target=30; 2 stroke 0,1; 9 mark carom; 12 stroke 2;"
    " 20 annul 2; 21 stroke; 30 lean 1; 31 stroke 0; 40 judge 1 doubt; 41 present 3; 42 undo;"
    " 43 turn a; 44 score a=29 b=3; 50 stroke 0; 60 next; 61 stroke 1,2,4; 70 undo; 71 stroke 0;"
    " 80 ok; 81 score a=7 b=9"
)


# -- There and back


@pytest.mark.parametrize("place", ["RTC memory", "flash"])
def test_what_is_kept_is_found_again(place: str) -> None:
    keeper = Keeper(commits=place == "flash")
    keeper.feed(lines_of(GAME))
    if place == "flash":
        chip.rtc = b""
    found = recover(Store())
    steps = len(keeper.referee.match.steps) - 2  # the pin that is absent, and the first game
    assert found.notices[0].endswith(f"came from {place}; steps that undo reaches: {steps}.")
    assert not found.is_damaged
    # The texts may begin at a later game, never lose what stands.
    again = started(found)
    assert format_match(again.match) == format_match(keeper.referee.match)
    assert standing(again) == after_restart(keeper.referee)
    while keeper.referee.match.steps:
        if len(again.match.steps) == again.match.floor:
            break
        assert say(again, "undo") == say(keeper.referee, "undo")


@pytest.mark.parametrize("seed", range(4000, 4040))
@pytest.mark.parametrize("place", ["RTC memory", "flash"])
def test_random_games_go_on_with_undo_and_judge(seed: int, place: str) -> None:
    header, *lines = random_log(seed, 1).splitlines()
    lines = [line for line in lines if line and line[0].isdigit() and len(line.split()[0]) < 17]
    for share in (3, 5, 8):
        chip.power_up()
        for name in os.listdir(FOLDER) if os.path.isdir(FOLDER) else ():
            os.remove(f"{FOLDER}/{name}")
        keeper = Keeper(header)
        end = len(lines) * share // 8
        keeper.feed(lines[: end * 9 // 10])
        keeper.commits = place == "flash"  # else the last steps are in RTC memory alone
        keeper.feed(lines[end * 9 // 10 : end])
        chip.rtc = b"" if place == "flash" else chip.rtc
        again = started(recover(Store()))
        old = keeper.referee
        if not old.match.steps and not old.match.undone:
            assert again.match.steps == []
            continue
        assert standing(again) == after_restart(old)
        for words in ("judge 1 cue", "undo", "undo", "undo", "redo", "redo", "judge 1 carom"):
            if len(again.match.steps) > again.match.floor or words[0] != "u":
                assert say(again, words) == say(old, words), words


def test_a_stroke_that_runs_is_dropped_and_what_people_said_meanwhile_stays() -> None:
    keeper = Keeper(commits=False)
    keeper.feed(lines_of("0 new; 2 stroke 0; 12 hit 1; 13 mark carom; 14 lean 2; 15 absent 4"))
    again = started(recover(Store()))
    game = again.game
    assert game
    assert (game.score, game.strokes, game.leaning, again.match.absent) == ([5, 0], 1, 4, 16)


def test_nothing_stored_is_an_empty_record() -> None:
    found = recover(Store())
    assert (found.texts, found.notices, found.is_damaged) == (["empty"], [], False)
    assert facts(look(Store().image)) == (0, 0, 0, 0, 0, 0)


def test_the_clock_is_the_one_of_the_last_tick() -> None:
    store = Store()
    for n in range(1, 6):
        store.crashes = n
        store.left = n % 3
        store.header = n * 10**8
        store.tick(n * 10**12, n * 10**13, n * 10**17)
        said = (n * 10**12, n * 10**13, n * 10**17, n, n % 3, n * 10**8)
        assert facts(look(Store().image)) == said


def test_no_change_is_no_store() -> None:
    keeper = Keeper()
    keeper.feed(lines_of(GAME))
    stores, number = chip.stores, keeper.store.number
    before = {name: os.stat(f"{FOLDER}/{name}").st_mtime_ns for name in os.listdir(FOLDER)}
    for _ in range(5):
        keeper.keep()
    assert (chip.stores, keeper.store.number) == (stores, number)
    assert before == {name: os.stat(f"{FOLDER}/{name}").st_mtime_ns for name in os.listdir(FOLDER)}


def test_files_are_small_enough_to_cost_no_block() -> None:
    keeper = Keeper()
    keeper.feed(
        lines_of(
            "0 new table=pocket pocket_white=10 fine=10 a.target=999 b.target=999;"
            " 1 score a=998 b=998"
        )
    )
    for n in range(12):
        keeper.feed(
            lines_of(
                f"{10 + 10 * n} stroke 0,1,2,3,4; {16 + 10 * n} mark pocket-white;"
                f" {17 + 10 * n} undo"
            )
        )
    sizes = {name: os.stat(f"{FOLDER}/{name}").st_size for name in os.listdir(FOLDER)}
    assert len(sizes) == 4
    assert max(sizes.values()) <= MOST_INLINE


def test_a_long_game_is_found_whole_from_files_and_memory_together() -> None:
    """The newest steps are in RTC memory, the others in files; neither has all."""
    keeper = Keeper()
    keeper.feed(lines_of("0 new a.target=999 b.target=999"))
    for n in range(70):
        keeper.feed(lines_of(f"{10 + 10 * n} stroke {n % 5}"))
    keeper.commits = False
    keeper.feed(lines_of("1000 stroke 0; 1010 stroke 1; 1020 end"))
    again = started(recover(Store()))
    assert again.game
    assert again.game.strokes == 72
    assert standing(again) == after_restart(keeper.referee)


def test_a_record_that_begins_anew_leaves_no_old_files() -> None:
    keeper = Keeper()
    keeper.feed(
        lines_of(
            "0 new; 1 stroke 0; 10 stroke 1; 20 stroke 2; 30 stroke 3; 40 stroke 4; 50 stroke 0"
        )
    )
    assert {"a", "a0", "a1"} < set(os.listdir(FOLDER)) or {"b0", "b1"} < set(os.listdir(FOLDER))
    text = format_match(keeper.referee.match)
    keeper.feed([f"60000000 match {text}", "61000000 cmd pass"])
    names = {name[0] for name in os.listdir(FOLDER)}
    assert len(names & {"a", "b"}) == 1
    chip.rtc = b""
    again = started(recover(Store()))
    assert standing(again) == after_restart(keeper.referee)


# -- What is torn


def seen(referee: Referee) -> object:
    """Return what the board shows of the game."""
    game = referee.game
    return game and (game.number, game.score, game.turn, game.strokes, game.result)


def stored() -> tuple[list[object], Referee]:
    """Store a game, and return what was seen after each of its steps, and the referee."""
    keeper = Keeper()
    stood: list[object] = []
    for line in lines_of(GAME):
        keeper.feed([line])
        stood.append(seen(keeper.referee))
    chip.rtc = b""
    return stood, keeper.referee


def test_each_file_cut_at_every_byte_leaves_the_score_or_the_one_before() -> None:
    """Whatever file is cut or spoilt, the board starts from the newest state that is whole.

    A half-written save stopped another machine from starting: mpf#1005.
    """
    stood, referee = stored()
    now = seen(referee)
    before = [what for what in stood if what != now][-1]
    cuts = fallen_back = 0
    for name in sorted(os.listdir(FOLDER)):
        path = Path(FOLDER) / name
        whole = path.read_bytes()
        for length in range(len(whole) + 1):
            for data in (whole[:length], whole[:length] + b"\xff" * (len(whole) - length)):
                path.write_bytes(data)
                what = seen(started(recover(Store())))
                assert what in (now, before), (name, length)
                fallen_back += what == before
                cuts += 1
        path.write_bytes(whole)
    assert cuts > 1000
    assert 0 < fallen_back < cuts // 2
    assert seen(started(recover(Store()))) == now


def test_both_states_spoilt_is_told_by_an_empty_record() -> None:
    stored()
    for name in ("0", "1"):
        Path(FOLDER, name).write_bytes(b"\x00" * 90)
    found = recover(Store())
    assert (found.texts, found.is_damaged) == (["empty"], True)
    assert found.notices == [
        f"The score in score/{name} is damaged. It is kept as score/{name}.bad." for name in "01"
    ]
    assert {"0.bad", "1.bad"} < set(os.listdir(FOLDER))


def test_steps_that_lead_elsewhere_are_not_taken() -> None:
    """A file of steps of another time has a right checksum: what it leads to tells."""
    _stood, referee = stored()
    now = format_match(referee.match)
    letter = next(name for name in os.listdir(FOLDER) if name.endswith("0") and len(name) > 1)
    path = Path(FOLDER) / letter
    data = bytearray(path.read_bytes()[:-4])
    data[4 + 21 + 5] ^= 1  # of the second step
    path.write_bytes(sealed(data))
    found = recover(Store())
    assert found.notices[0].endswith("its steps are not whole, so undo reaches no further back.")
    assert format_match(started(found).match) == now
    again = started(found)
    assert say(again, "undo") == standing(again)


def test_steps_to_be_redone_that_are_of_another_time_are_not_redone() -> None:
    """Cut between the file of steps and the state: a step took the place of one undone."""
    keeper = Keeper()
    keeper.feed(lines_of("0 new; 1 stroke 3; 10 undo"))
    states = {name: Path(FOLDER, name).read_bytes() for name in "01"}
    keeper.feed(lines_of("20 stroke 4; 30 end"))
    for name, data in states.items():
        Path(FOLDER, name).write_bytes(data)
    chip.rtc = b""
    again = started(recover(Store()))
    assert seen(again) == (1, [0, 0], 0, 0, "playing")
    assert say(again, "redo") == standing(again)
    assert seen(again) == (1, [0, 0], 0, 0, "playing")


@pytest.mark.parametrize("state", [b"\x01", b"\x01" * 15, b"\x01" * 17, b"\x01" * 90])
def test_a_state_with_a_right_checksum_that_is_none_is_told(state: bytes) -> None:
    Store()
    Path(FOLDER, "0").write_bytes(sealed(state))
    found = recover(Store())
    assert (found.texts, found.is_damaged) == (["empty"], True)


@pytest.mark.parametrize("at", [*range(0, 2048, 7)])
def test_a_torn_store_leaves_the_slot_before(at: int) -> None:
    keeper = Keeper(commits=False)
    keeper.feed(lines_of("0 new; 1 stroke 0"))
    before, text = chip.rtc, format_match(keeper.referee.match)
    keeper.feed(lines_of("20 stroke 1"))
    chip.rtc = chip.rtc[:at] + before[at:]
    assert format_match(started(recover(Store())).match) in (
        text,
        format_match(keeper.referee.match),
    )


def test_any_bytes_in_memory_are_no_score() -> None:
    for data in (b"", b"\x01", b"\xff" * 2048, bytes(range(256)) * 8, b"\x01" * 2048):
        chip.rtc = data
        assert recover(Store()).texts == ["empty"]


# -- Other firmware


def test_a_form_that_is_not_known_is_refused_with_a_sentence_and_kept() -> None:
    stored()
    for name in ("0", "1"):
        path = Path(FOLDER) / name
        data = bytearray(path.read_bytes()[:-4])
        data[0] = 9
        path.write_bytes(sealed(data))
    found = recover(Store())
    assert found.texts == ["empty"]
    assert found.is_damaged
    assert found.notices == [
        "Another firmware stored the score in form 9; only form 1 is known."
        f" It is kept as {FOLDER}/{name}.form9."
        for name in ("0", "1")
    ]
    assert {"0.form9", "1.form9"} < set(os.listdir(FOLDER))


def test_a_form_that_is_not_known_in_memory_is_not_read() -> None:
    keeper = Keeper(commits=False)
    keeper.feed(lines_of("0 new; 1 stroke 0"))
    image = bytearray(chip.rtc)
    for n in (0, 1):
        start = store_module.SLOTS_AT + n * store_module.SLOT_BYTES
        (size,) = struct.unpack("<H", image[start : start + 2])
        data = bytearray(image[start + 2 : start + 2 + size - 4])
        if data:
            data[2] = 9
            image[start + 2 : start + 2 + size] = sealed(data)
    chip.rtc = bytes(image)
    assert recover(Store()).texts == ["empty"]


# -- A flash that fails


def test_a_failed_commit_is_made_up_for(monkeypatch: pytest.MonkeyPatch) -> None:
    keeper = Keeper()
    keeper.feed(lines_of("0 new; 1 stroke 0"))
    written = 0

    def failing(name: str, data: bytes) -> None:
        nonlocal written
        written += 1
        raise OSError(5, "EIO")

    with monkeypatch.context() as broken:
        broken.setattr(store_module, "_write", failing)
        with pytest.raises(OSError, match="EIO"):
            keeper.feed(lines_of("20 stroke 1"))
    keeper.commits = True
    keeper.feed(lines_of("30 end"))
    assert written == 1
    assert keeper.store.behind == 0
    chip.rtc = b""
    assert standing(started(recover(Store()))) == after_restart(keeper.referee)


def test_what_rtc_memory_alone_has_goes_to_the_flash_after_a_start() -> None:
    """Also a record that has no steps: a reset came before the flash was written."""
    keeper = Keeper()
    keeper.feed(lines_of("0 new; 1 stroke 0; 10 stroke 1; 15 end"))
    text = format_match(keeper.referee.match)
    keeper.commits = False
    keeper.feed(lines_of("20 score a=9 b=8"))
    keeper.feed([f"30000000 match {text}"])
    store = Store()
    again = started(recover(store))
    assert store.behind == 1
    store.commit(again.match)
    chip.rtc = b""
    assert seen(started(recover(Store()))) == seen(again) == (1, [7, 0], 0, 2, "playing")


def test_the_folder_is_made_once(tmp_path: Path) -> None:
    Store()
    Store()
    assert (tmp_path / FOLDER).is_dir()
