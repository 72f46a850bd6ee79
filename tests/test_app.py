"""The loop, over hardware that a test holds in its hands."""

import io
import os
from array import array
from collections.abc import Iterator
from contextlib import ExitStack, chdir, closing
from itertools import pairwise
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chip import chip  # isort: skip  # before the firmware, whose hardware it is
from kegli import app as app_module
from kegli import board, display
from kegli.app import App
from kegli.console import Console
from kegli.journal import Journal
from kegli.referee import Referee
from kegli.ring import Ring
from kegli.store import Store

if TYPE_CHECKING:
    from kegli.display import Lights

_TICKS = 0x3FFFFFFF
SOURCES = {row[0]: source for source, row in enumerate(board.inputs())}


class Inputs:
    """Inputs whose edges a test makes; all sensors are fitted."""

    def __init__(self, ring: Ring, start_ticks: int) -> None:
        self.rows = board.inputs()
        self.ring = ring
        self.levels = bytearray(len(self.rows))
        self.start_ticks = start_ticks
        self.scans = 0
        self.left = bytearray([80] * len(self.rows))
        self.edges = array("I", [0] * len(self.rows))
        self.one_shots = bytes([n for n, row in enumerate(self.rows) if row[5]])
        self.wrong = ""
        self.anchors = 0

    def anchor(self) -> None:
        """Compare capture and clock."""
        self.anchors += 1

    def error_us(self) -> int:
        """Return what is declared of hits."""
        return 1001

    def mute(self, source: int) -> None:
        """Count its edges no more."""
        self.left[source] = 0

    def unmute(self, source: int) -> None:
        """Take up edges of a source again."""
        self.left[source] = 80

    def close(self) -> None:
        """Take up no more edges."""

    def work(self) -> None:
        """Be told that the loop works."""

    def rest(self) -> None:
        """Be told that it sleeps."""


class Leds:
    """LEDs that remember what they were to show, and that can be broken."""

    def __init__(self) -> None:
        self.shown: "list[tuple[int, Lights]]" = []
        self.is_broken = False

    def show(self, lights: "Lights", ms: int) -> bool:
        """Show *lights*."""
        if self.is_broken:
            raise RuntimeError("no LEDs")
        self.shown.append((ms, lights))
        return True


class Buzzer:
    """A buzzer that remembers what it was to play."""

    def __init__(self) -> None:
        self.played: list[str] = []

    def play(self, name: str) -> None:
        """Play a tune."""
        self.played.append(name)

    def go_on(self) -> None:
        """Go on with it."""


HEADERS = {
    False: "# kegli-log 1 board=esp32 firmware=0.1.0 sensors=pins,cushions",
    True: "# kegli-log 1 board=esp32 firmware=0.1.0 sensors=pins,cushions,click",
}


class Bench:
    """An App with everything around it; `now_us` is the time of its log.

    Its flash is a temporary folder, the current one as long as the bench is there.
    """

    def __init__(
        self,
        *,
        start_ticks: int = 0,
        ring_edges: int = 256,
        click: bool = False,
        new: str = "",
        log_kb: int = 512,
    ) -> None:
        self._stack = ExitStack()
        self._stack.enter_context(chdir(self._stack.enter_context(TemporaryDirectory())))
        chip.power_up()
        self.now_us = 0
        self.start_ticks = start_ticks
        self.inputs = Inputs(Ring(ring_edges), start_ticks)
        self.leds = Leds()
        self.buzzer = Buzzer()
        self._edges: list[tuple[int, int, int, int]] = []
        self._out = io.StringIO()
        self._typed, self._keyboard = os.pipe()
        os.set_blocking(self._keyboard, False)
        self._reader = io.TextIOWrapper(io.FileIO(self._typed, "rb"))
        console = Console(self._reader, self._out)
        self.app = App(
            HEADERS[click],
            self.inputs,
            console,
            self.leds,
            self,
            Store(),
            Journal(log_kb),
            self.buzzer,
            {},
            new=new.split(),
            start_us=0,
        )

    def start(self) -> None:
        """Power up."""
        self.app.start("", 0, [])

    def close(self) -> None:
        """Pull the plug."""
        self._reader.close()
        os.close(self._keyboard)
        self._stack.close()

    def ticks_us(self) -> int:
        """Return the chip's microseconds."""
        return (self.start_ticks + self.now_us) & _TICKS

    def time_ns(self) -> int:
        """Return the time of a clock that goes on."""
        return 1000 * self.now_us

    def fall(self, name: str, t_us: int) -> None:
        """Let a pin fall: its switch chatters."""
        for n in range(3):
            self.edge(name, 1 - n % 2, t_us + 2_000 * n)

    def sleep_ms(self, ms: int) -> None:
        """Sleep."""
        self.inputs.scans += 1
        self.now_us += 1000 * ms
        while self._edges and self._edges[0][0] <= self.now_us:
            t_us, source, level, error_us = self._edges.pop(0)
            if not self.inputs.rows[source][5]:  # a one-shot is over at once
                self.inputs.levels[source] = level
            self.inputs.edges[source] += 1
            self.inputs.ring.put(source, level, (self.start_ticks + t_us) & _TICKS, error_us)

    def edge(self, words: str, level: int, t_us: int, error_us: int = 200) -> None:
        """Let an edge come, behind those that are to come already."""
        self._edges.append((t_us, SOURCES[words], level, error_us))

    def type(self, data: bytes) -> None:
        """Type on the console."""
        os.write(self._keyboard, data)

    def play(self, until_us: int, slice_ms: int = 10) -> list[str]:
        """Let the loop run, and return what it printed."""
        while self.now_us < until_us:
            self.app.step()
            self.sleep_ms(slice_ms)
        return self.lines()

    def lines(self) -> list[str]:
        """Return what was printed since the last call."""
        lines = self._out.getvalue().splitlines()
        self._out.seek(0)
        self._out.truncate()
        return lines


@pytest.fixture
def bench() -> Iterator[Bench]:
    with closing(Bench()) as bench:
        bench.start()
        assert bench.lines() == ["# kegli-log 1 board=esp32 firmware=0.1.0 sensors=pins,cushions"]
        yield bench


def concluded(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith(("> stroke", "> game"))]


def test_edges_become_lines_of_the_log(bench: Bench) -> None:
    bench.edge("pin 3", 1, 1_000_123)
    bench.edge("hit 2", 1, 1_000_124, 2200)
    bench.edge("click", 1, 1_000_200)
    bench.edge("zone", 1, 1_000_300)
    bench.edge("pin 3", 0, 1_000_400)
    bench.edge("btn undo", 1, 1_000_500)
    assert bench.play(1_040_000) == [
        "1000123 pin 3 1 200",
        "1000124 hit 2 2200",
        "1000200 click 200",
        "1000300 zone 1 200",
        "1000400 pin 3 0 200",
        "1000500 btn undo 1",
    ]


def test_what_is_down_or_occupied_at_the_start_is_said() -> None:
    with closing(Bench()) as bench:
        for words in ("pin 0", "pin 4", "zone", "hit 1", "btn ok"):
            bench.inputs.levels[SOURCES[words]] = 1
        bench.start()
        assert bench.play(40_000)[1:] == ["0 pin 0 1", "0 pin 4 1", "0 zone 1"]


def test_a_stroke_over_the_wrap_of_the_ticks_has_the_right_times() -> None:
    with closing(Bench(start_ticks=2**30 - 2_000_000)) as bench:
        bench.start()
        bench.type(b"new\n")
        bench.play(1_900_000)
        bench.edge("hit 0", 1, 1_999_999)
        bench.edge("pin 2", 1, 2_000_001)
        printed = bench.play(9_000_000)
        assert printed[:2] == ["1999999 hit 0 200", "2000001 pin 2 1 200"]
        assert "t=1999999 pins=2 verdict=doubt" in concluded(printed)[0]  # within their error


def test_edges_that_found_no_place_are_counted_and_what_is_left_is_said() -> None:
    with closing(Bench(ring_edges=16)) as bench:
        bench.start()
        bench.lines()
        for n in range(64):
            bench.edge(f"pin {n % 4}", 1 - n // 4 % 2, 1_000_100 + n * 80)
        bench.edge("pin 4", 1, 1_005_250)
        bench.edge("hit 3", 1, 1_005_300)
        printed = bench.play(1_040_000)
        assert [line for line in printed if " pin " in line][:16] == [
            f"{1_000_100 + n * 80} pin {n % 4} {1 - n // 4 % 2} 200" for n in range(16)
        ]
        # Pins 0 to 3 are as last logged, pin 4 is not; a hit is no level.
        assert printed[16:] == ["1010000 lost 50", "1010000 pin 4 1 2200"]


def test_a_stroke_that_lost_edges_is_not_certain() -> None:
    certain = {}
    for bounces in (4, 40):
        with closing(Bench(ring_edges=32, click=True)) as bench:
            bench.start()
            bench.type(b"new\n")
            bench.play(1_000_000)
            bench.edge("click", 1, 1_000_000)  # the cue's own; then the cue ball fells a pin: R4.1
            bench.edge("pin 0", 1, 1_300_000)
            for n in range(bounces):
                bench.edge("pin 3", 1 - n % 2, 1_300_100 + n * 80)
            (said,) = [line for line in bench.play(9_000_000) if line.startswith("> stroke")]
            certain[bounces] = "certain=yes" in said, "lost-edges" in said
    assert certain == {4: (True, False), 40: (False, True)}


def test_time_alone_is_said_before_what_it_brings_about(bench: Bench) -> None:
    bench.type(b"new\n")
    bench.edge("hit 1", 1, 1_500_000)
    printed = bench.play(9_000_000)
    at = next(n for n, line in enumerate(printed) if line.startswith("> stroke"))
    evaluated_us = int(printed[at - 1].split()[0])
    assert printed[at - 1] == f"{evaluated_us} end"
    assert 7_500_000 <= evaluated_us <= 7_600_000


def test_what_it_prints_is_a_log_that_replays(bench: Bench) -> None:
    bench.type(b"new a.mode=single\n")
    printed = bench.play(2_000_000)
    for n in range(4):
        start_us = bench.now_us
        bench.edge("hit 1", 1, start_us)
        bench.edge("pin 0", 1, start_us + 250_000)
        bench.type(b"mark cue\n" if n % 2 else b"gibberish \xff\nmark\n")
        printed += bench.play(start_us + 3_000_000)
        bench.edge("pin 0", 0, start_us + 3_000_001)
        printed += bench.play(start_us + 12_000_000)
    replayed = Referee("# kegli-log 1 sensors=pins,cushions")
    for line in printed:
        if not line.startswith(">"):
            replayed.feed(line)
    replayed.finish()
    assert concluded(printed) == concluded(replayed.take())
    assert len(concluded(printed)) >= 5


def test_words_are_commands_and_refusals_are_notices(bench: Bench) -> None:
    bench.type(b"  new   a.target=30\r\n\r\nfly\n")
    printed = bench.play(200_000)
    assert printed[:2] == ["0 cmd new a.target=30", "0 cmd fly"]
    assert sum(line.startswith("> game ") for line in printed) == 1
    assert any(line.startswith("> ") and "fly" in line for line in printed)


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        (b"mark \xd0\xba\n", "> A line with bytes that are not printable ASCII was ignored."),
        (b"\x04new\n", "> A line with bytes that are not printable ASCII was ignored."),
        (b"x" * 257 + b"\n", "> A line of more than 256 bytes was ignored."),
    ],
)
def test_what_cannot_be_a_command_is_answered_by_one_sentence(
    bench: Bench, typed: bytes, answer: str
) -> None:
    bench.type(typed + b"new\n")
    printed = bench.play(100_000)
    assert printed[0] == answer
    assert [line.split(" ", 1)[1] for line in printed if " cmd " in line] == ["cmd new"]


def test_the_longest_line_is_taken(bench: Bench) -> None:
    bench.type(b"x" * 256 + b"\n")
    assert bench.play(100_000)[0].endswith(" cmd " + "x" * 256)


def test_a_flood_of_words_leaves_time_for_edges(bench: Bench) -> None:
    bench.type(b"next\n" * 5000)
    bench.edge("pin 3", 1, 5_000)
    printed = bench.play(40_000)
    assert "5000 pin 3 1 200" in printed
    assert len([line for line in printed if "cmd next" in line]) < 4 * 26


def test_edges_without_end_leave_time_for_words(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A wire so bad that edges come faster than they are printed: the ring never gets empty.
    take = bench.inputs.ring.get

    def refilled() -> tuple[int, int, int, int] | None:
        bench.edge("pin 3", bench.now_us // 1000 % 2, bench.now_us)
        bench.sleep_ms(1)
        return take()

    monkeypatch.setattr(bench.inputs.ring, "get", refilled)
    bench.type(b"new\n")
    bench.app.step()
    bench.app.step()
    printed = bench.lines()
    assert any(line.startswith("> game ") for line in printed)
    assert not any(line.startswith("> Refused") for line in printed)


@settings(max_examples=60, deadline=None)
@given(chunks=st.lists(st.binary(max_size=300), max_size=5))
def test_any_bytes_at_the_console(chunks: list[bytes]) -> None:
    with closing(Bench()) as bench:
        bench.start()
        for chunk in chunks:
            bench.type(chunk)
            bench.play(bench.now_us + 30_000)
        bench.type(b"\nnew\n")
        printed = bench.play(bench.now_us + 300_000)
        assert printed[-1].startswith("> game ")


def test_the_lights_follow_the_match_at_most_ten_times_a_second(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    lit = display.lit

    def counted(referee: Referee, faulty: bool) -> "Lights":
        made.append(bench.now_us)
        return lit(referee, faulty)

    monkeypatch.setattr(display, "lit", counted)
    bench.type(b"new\n")
    bench.fall("pin 3", 1_500_000)
    bench.play(20_000_000)
    times_ms = [ms for ms, _ in bench.leds.shown]
    assert all(later - ms >= 100 for ms, later in pairwise(times_ms))
    assert bench.leds.shown[0][1] == display.boot()
    assert bench.leds.shown[-1][1] == lit(bench.app.referee)
    assert len(made) < 15  # not when nothing changed: it costs time and garbage


def test_the_lights_never_stay_behind_the_match(bench: Bench) -> None:
    bench.type(b"new\n")
    bench.edge("hit 1", 1, 2_000_000)  # over after 6 s
    bench.fall("pin 3", 12_000_000)  # late: decided after another 6 s
    bench.edge("pin 3", 0, 22_000_000)
    behind = longest = 0
    for tick in range(1, 300):
        if tick == 250:
            bench.type(b"turn b\n")  # changes a lamp, and says nothing
        bench.play(tick * 100_000)
        behind = 0 if bench.leds.shown[-1][1] == display.lit(bench.app.referee) else behind + 1
        longest = max(longest, behind if tick > 10 else 0)
    assert bench.app.referee.game is not None
    assert bench.app.referee.game.score == [2, 0]
    assert longest == 1


def test_lights_that_could_not_be_made_are_made_later(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    lit = display.lit

    def fail(referee: Referee, faulty: bool) -> "Lights":
        if referee.pins_down:
            raise ValueError("no lights")
        return lit(referee, faulty)

    bench.fall("pin 3", 2_000_000)  # it stays down, and nothing else happens
    with monkeypatch.context() as broken:
        broken.setattr(display, "lit", fail)
        assert "> ValueError: no lights" in bench.play(4_000_000)
    bench.play(14_000_000)
    assert bench.leds.shown[-1][1] == display.fault("E4")
    bench.play(18_000_000)
    assert bench.leds.shown[-1][1] == display.lit(bench.app.referee, True)


def test_a_fault_in_drawing_does_not_stop_the_score(bench: Bench) -> None:
    bench.type(b"new\n")
    bench.play(1_900_000)
    bench.leds.is_broken = True
    bench.edge("hit 1", 1, 2_000_000)
    printed = bench.play(9_500_000)
    assert "> RuntimeError: no LEDs" in printed
    assert printed.count("> RuntimeError: no LEDs") == 1  # it waits before it tries again
    assert any(line.startswith("> stroke") for line in printed)
    assert all(line.startswith(">") or line[0].isdigit() for line in printed)
    bench.leds.is_broken = False
    bench.play(13_000_000)
    assert bench.leds.shown[-1][0] > 10_000  # and goes on when they are whole again


def test_garbage_is_collected_only_while_no_stroke_runs(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected: list[tuple[int, str]] = []

    def collect() -> None:
        collected.append((bench.now_us, bench.app.referee.state))

    monkeypatch.setattr(app_module, "gc", SimpleNamespace(collect=collect))
    bench.type(b"new\n")
    for second in range(2, 50, 4):  # a stroke of 50 s
        bench.edge("hit 1", 1, second * 1_000_000)
        bench.play((second + 4) * 1_000_000)
    bench.play(70_000_000)
    assert {state for _, state in collected} <= {"", "ready", "review"}
    assert not [t_us for t_us, _ in collected if 2_000_000 <= t_us < 51_000_000]
    assert [t_us for t_us, _ in collected if t_us > 51_000_000]
    assert {t_us for t_us, _ in collected if t_us < 1_000_000} == set()  # edges are expected


# -- What people hear, and broken inputs


def press(bench: Bench, name: str, t_us: int, held_us: int = 100_000) -> None:
    bench.edge(f"btn {name}", 1, t_us)
    bench.edge(f"btn {name}", 0, t_us + held_us)


def test_a_press_is_heard_and_so_is_one_that_is_refused(bench: Bench) -> None:
    bench.type(b"new\n")
    press(bench, "undo", 1_000_000, 10_000)  # a bounce
    bench.play(2_000_000)
    assert bench.buzzer.played == []
    press(bench, "undo", 2_000_000)
    bench.play(3_000_000)
    assert bench.buzzer.played == ["press"]
    press(bench, "fine", 3_000_000)  # nothing has been played
    bench.play(4_000_000)
    assert bench.buzzer.played == ["press", "refused"]


def test_a_penalty_a_game_won_and_a_fault_are_heard(bench: Bench) -> None:
    bench.type(b"new a.target=2 b.target=2\n")
    bench.play(1_000_000)
    bench.fall("pin 1", 2_000_000)  # no cushion before: doubt, to the partner, who has won
    bench.play(9_000_000)
    assert bench.buzzer.played[-1] == "win"
    bench.type(b"undo\nnew\n")
    bench.edge("pin 1", 0, 10_000_000)
    bench.fall("pin 1", 14_000_000)
    bench.play(22_000_000)
    assert bench.buzzer.played[-1] == "penalty"
    bench.app.fault("C1", "cushion 1 is stuck")
    assert bench.buzzer.played[-1] == "fault"


def test_a_fault_waits_until_the_stroke_is_over_and_gives_way_to_the_next(bench: Bench) -> None:
    bench.type(b"new\n")
    bench.edge("hit 1", 1, 2_000_000)
    bench.play(3_000_000)
    bench.app.fault("C1", "cushion 1 is stuck")
    shown = len(bench.leds.shown)
    bench.play(7_900_000)
    assert display.fault("C1") not in [lights for _, lights in bench.leds.shown[shown:]]
    bench.play(8_500_000)
    assert bench.leds.shown[-1][1] == display.fault("C1")
    bench.edge("hit 1", 1, 9_000_000)
    bench.play(9_300_000)
    assert bench.app.referee.state == "running"
    assert bench.leds.shown[-1][1] == display.lit(bench.app.referee, True)


def test_capture_and_clock_are_compared_soon_and_then_every_five_minutes(bench: Bench) -> None:
    bench.play(40_000)
    assert bench.inputs.anchors == 0
    bench.play(200_000)
    assert bench.inputs.anchors == 1
    bench.play(290_000_000)
    assert bench.inputs.anchors == 1
    bench.type(b"new\n")
    bench.edge("hit 1", 1, 295_000_000)
    bench.edge("hit 1", 1, 300_000_000)
    bench.play(305_000_000)  # a stroke runs
    assert bench.inputs.anchors == 1
    bench.play(320_000_000)
    assert bench.inputs.anchors == 2


def test_capture_units_that_are_wrong_are_told_once(bench: Bench) -> None:
    bench.inputs.wrong = "capture unit 1 does not count"
    printed = bench.play(20_000_000)
    said = [line for line in printed if line.startswith("> E7")]
    assert said == ["> E7: Cushions by interrupts, to 1001 us: capture unit 1 does not count."]


@pytest.mark.parametrize(
    ("edges", "is_taken_back"),
    [
        ([("pin 3", 1, 5_000_000)], True),
        # It bounces, so it fell.
        ([("pin 3", 1, 5_000_000), ("pin 3", 0, 5_001_000), ("pin 3", 1, 5_002_000)], False),
        # Something else was sensed: before, at the same time, or within the quiet time after.
        ([("hit 1", 1, 4_500_000), ("pin 3", 1, 5_000_000)], False),
        ([("pin 3", 1, 5_000_000), ("hit 1", 1, 5_000_000)], False),
        ([("pin 3", 1, 5_000_000), ("hit 1", 1, 10_900_000)], False),
        ([("pin 3", 1, 5_000_000), ("pin 4", 1, 10_900_000)], False),
    ],
)
def test_a_pin_that_goes_down_alone_and_without_a_bounce_scores_nothing(
    bench: Bench, edges: list[tuple[str, int, int]], is_taken_back: bool
) -> None:
    bench.type(b"new\n")
    bench.play(2_000_000)
    for name, level, t_us in edges:
        bench.edge(name, level, t_us)
    printed = bench.play(25_000_000)
    assert bench.app.referee.game
    assert any(line.startswith("> P3: ") for line in printed) == is_taken_back
    assert (bench.app.referee.game.score == [0, 0]) == is_taken_back
    assert bench.app.referee.game.turn == 0 or not is_taken_back


def test_a_late_fall_without_a_bounce_is_annulled_and_undo_brings_it_back(bench: Bench) -> None:
    bench.type(b"new\n")
    bench.edge("hit 1", 1, 2_000_000)
    bench.fall("pin 1", 2_500_000)
    bench.edge("pin 3", 1, 12_000_000)  # no pin was lifted: it would be a late fall
    bench.play(19_000_000)
    game = bench.app.referee.game
    assert game
    before = list(game.score)
    printed = bench.play(30_000_000)
    assert any(" cmd annul 3" in line for line in printed)
    assert any(line.startswith("> P3: ") for line in printed)
    game = bench.app.referee.game
    assert game
    assert game.score == [2, 0]
    bench.type(b"undo\n")
    bench.play(31_000_000)
    game = bench.app.referee.game
    assert game
    assert game.score == before != [2, 0]


def test_what_a_person_has_seen_to_is_not_taken_back(bench: Bench) -> None:
    bench.type(b"new\n")
    bench.play(2_000_000)
    bench.edge("pin 3", 1, 5_000_000)
    bench.play(8_000_000)
    bench.type(b"mark direct\n")
    printed = bench.play(25_000_000)
    assert not [line for line in printed if " cmd undo" in line]


def test_a_stuck_cushion_is_named_once_and_taken_back_when_it_is_well(bench: Bench) -> None:
    source = SOURCES["hit 2"]
    bench.play(2_000_000)
    bench.inputs.levels[source] = 1
    printed = bench.play(10_000_000)
    assert [line for line in printed if line.startswith("> C2")] == [
        "> C2: cushion 2 is stuck: it hears all the time."
    ]
    bench.inputs.levels[source] = 0
    assert "> C2: well again." in bench.play(25_000_000)
    assert bench.app.faults == {}


def test_whoever_interrupts_a_calibration_finds_the_thresholds_as_they_were(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_to: list[int] = []
    dac = SimpleNamespace(write=set_to.append)
    bench.app.thresholds["cushion_mv"] = [dac, 200]
    waits: list[int] = []

    def wait(self: object, ms: int, lights: object = None, wanted: object = None) -> None:
        waits.append(ms)
        if len(waits) == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr("kegli.pause.Pause.wait", wait)
    bench.play(1_000_000)
    bench.type(b"calibrate\n")
    with pytest.raises(KeyboardInterrupt):
        bench.play(2_000_000)
    assert set_to == [20 * 255 // 3300, 33 * 255 // 3300, 46 * 255 // 3300, 200 * 255 // 3300]
    assert bench.app.thresholds["cushion_mv"][1] == 200


def test_without_thresholds_there_is_nothing_to_calibrate(bench: Bench) -> None:
    bench.play(1_000_000)
    bench.type(b"calibrate\n")
    said = bench.play(2_000_000)
    assert len(said) == 1
    assert said[0].startswith("> refused 'calibrate': after a soft reset ")
