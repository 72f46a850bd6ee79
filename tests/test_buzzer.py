"""The buzzer: what is heard and when, on a clock that a test holds in its hands."""

import importlib.util
import re
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import micropython  # noqa: F401 (so that loading a module of the firmware imports nothing)
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kegli

FIRMWARE = Path(kegli.__file__).parent
WRAP = 2**30  # at which ticks begin again
SILENT, HALF = 0, 32768  # duties

# What is to be heard: Hz (0: a pause) and ms in turn.
PENALTY = [(600, 120), (300, 240)]
PRESS = [(2400, 40)]
REFUSED = [(300, 60), (0, 40), (300, 60)]


def load(name: str, **fakes: ModuleType) -> Any:
    """Return a module of the firmware over *fakes*, which nobody else gets to see."""
    path = FIRMWARE / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"_{name}_over_fakes", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patched:
        for fake, what in fakes.items():
            patched.setitem(sys.modules, fake, what)
        spec.loader.exec_module(module)
    return module


class Bench:
    """A buzzer, its clock and what it was told: the time in ms, Hz, and the duty."""

    def __init__(self, start_ms: int = 0, gpio: int = 23) -> None:
        self._start_ms = start_ms
        self.ms = 0  # since then
        self.told: list[tuple[int, int, int]] = []
        self.gpios: list[int] = []
        machine: Any = ModuleType("machine")
        machine.Pin = self._pin
        machine.PWM = self._pwm
        clock: Any = ModuleType("time")
        clock.__dict__.update(vars(time))
        clock.ticks_ms = lambda: (self._start_ms + self.ms) % WRAP
        clock.ticks_diff = self._ticks_diff
        self.module = load("buzzer", machine=machine, time=clock)
        self.buzzer = self.module.Buzzer(gpio)

    @staticmethod
    def _ticks_diff(later: int, earlier: int) -> int:
        assert 0 <= later < WRAP  # MicroPython promises nothing of other numbers
        assert 0 <= earlier < WRAP
        return (later - earlier + WRAP // 2) % WRAP - WRAP // 2

    def _pin(self, gpio: int) -> int:
        self.gpios.append(gpio)
        return gpio

    def _pwm(self, _pin: int, freq: int, duty_u16: int) -> "Bench":
        self.init(freq, duty_u16)
        return self

    def init(self, freq: int, duty_u16: int) -> None:
        """Be told what to put out."""
        assert 1 <= freq <= 40_000_000  # or MicroPython refuses it
        assert 0 <= duty_u16 <= 65535
        self.told.append((self.ms, freq, duty_u16))

    def wait(self, ms: int, step_ms: int = 1) -> None:
        """Let time pass; the buzzer goes on every *step_ms*."""
        for _ in range(0, ms, step_ms):
            self.buzzer.go_on()
            self.ms += step_ms
        self.buzzer.go_on()

    def heard(self) -> list[tuple[int, int]]:
        """Return when what was to be heard: ms and Hz, 0 for silence."""
        assert all(duty in (SILENT, HALF) for _, _, duty in self.told)
        return [(ms, hz if duty else 0) for ms, hz, duty in self.told]


def at_its_times(tune: list[tuple[int, int]], begin_ms: int = 0) -> list[tuple[int, int]]:
    """Return when each note of a tune begins, and silence after it."""
    notes = []
    for hz, ms in tune:
        notes.append((begin_ms, hz))
        begin_ms += ms
    return [*notes, (begin_ms, 0)]


def tunes() -> dict[str, list[tuple[int, int]]]:
    """Return the table's tunes, a note with its length each."""
    table = Bench().module._TUNES
    return {name: list(zip(table[name][::2], table[name][1::2], strict=True)) for name in table}


def test_the_fakes_are_seen_by_the_buzzer_alone() -> None:
    before = dict(sys.modules)
    Bench()
    assert sys.modules == before
    assert not hasattr(time, "ticks_ms")


def test_nothing_is_heard_before_the_first_tune() -> None:
    bench = Bench(gpio=42)
    bench.wait(5000)
    assert bench.gpios == [42]
    assert bench.heard() == [(0, 0)]


@pytest.mark.parametrize(
    ("name", "tune"), [("penalty", PENALTY), ("press", PRESS), ("refused", REFUSED)]
)
def test_a_tune_plays_its_notes_at_their_times(name: str, tune: list[tuple[int, int]]) -> None:
    assert tunes()[name] == tune
    bench = Bench()
    bench.wait(700)
    bench.buzzer.play(name)
    bench.wait(2000)
    assert bench.heard()[1:] == at_its_times(tune, 700)


@pytest.mark.parametrize("step_ms", [1, 10])
@pytest.mark.parametrize("name", [name for name in tunes() if name])
def test_every_tune_is_heard_and_ends_in_silence(name: str, step_ms: int) -> None:
    tune = tunes()[name]
    assert all(ms > 0 for _, ms in tune)
    assert sum(ms for hz, ms in tune if hz) >= 40  # or nobody hears it
    bench = Bench()
    bench.buzzer.play(name)
    bench.wait(5000, step_ms)
    heard = bench.heard()[1:]
    expected = at_its_times(tune)
    assert [hz for _, hz in heard] == [hz for _, hz in expected]
    for n in range(len(heard)):
        # Each note may last up to a step too long.
        assert 0 <= heard[n][0] - expected[n][0] <= n * (step_ms - 1)
    assert bench.told[-1][2] == SILENT
    assert len(bench.told) == 1 + len(tune) + 1  # and it stays so without being told again


@pytest.mark.parametrize("after_ms", [0, 50, 359, 2000])
def test_silence_is_there_at_once(after_ms: int) -> None:
    bench = Bench()
    bench.buzzer.play("penalty")
    bench.wait(after_ms)
    bench.buzzer.play("")
    bench.buzzer.go_on()
    assert bench.told[-1][2] == SILENT


@pytest.mark.parametrize("after_ms", [0, 1, 50, 120, 359])
def test_a_tune_replaces_another(after_ms: int) -> None:
    bench = Bench()
    bench.buzzer.play("penalty")
    bench.wait(after_ms)
    before = [note for note in at_its_times(PENALTY) if note[0] <= after_ms]
    assert bench.heard()[1:] == before
    bench.buzzer.play("press")
    bench.wait(2000)
    assert bench.heard()[1:] == before + at_its_times(PRESS, after_ms)


def test_of_tunes_at_one_moment_the_last_is_heard() -> None:
    bench = Bench()
    bench.buzzer.play("win")
    bench.buzzer.play("press")
    bench.wait(2000)
    assert bench.heard()[1:] == at_its_times(PRESS)


def test_a_tune_can_be_played_again() -> None:
    bench = Bench()
    for _ in range(3):
        bench.buzzer.play("press")
        bench.wait(1000)
    assert bench.heard()[1:] == [
        note for begin_ms in (0, 1000, 2000) for note in at_its_times(PRESS, begin_ms)
    ]


@settings(deadline=None)
@given(before_ms=st.integers(0, 400))
def test_ticks_begin_again_within_a_tune(before_ms: int) -> None:
    bench = Bench(WRAP - before_ms)
    bench.buzzer.play("penalty")
    bench.wait(2000)
    assert bench.heard()[1:] == at_its_times(PENALTY)


@pytest.mark.parametrize("quiet_ms", [WRAP // 2 - 1, WRAP // 2, WRAP - 1, 3 * WRAP + 7])
def test_days_of_silence_delay_no_tune(quiet_ms: int) -> None:
    """Ticks are compared as if they were less than 6 days apart."""
    bench = Bench()
    bench.buzzer.play("press")
    bench.wait(100)
    bench.ms += quiet_ms
    bench.wait(100)
    begin_ms = bench.ms
    bench.buzzer.play("press")
    bench.wait(100)
    assert bench.heard()[1:] == at_its_times(PRESS) + at_its_times(PRESS, begin_ms)


def test_a_loop_that_was_busy_goes_on_with_the_next_note() -> None:
    bench = Bench()
    bench.buzzer.play("penalty")
    bench.wait(50)
    bench.ms += 1000
    bench.wait(1000)
    assert bench.heard()[1:] == [(0, 600), (1050, 300), (1290, 0)]


def test_all_that_the_loop_plays_is_in_the_table_and_nothing_else() -> None:
    loop = (FIRMWARE / "app.py").read_text("utf-8")
    played = set(re.findall(r'(?:_sound\(|\.play\(|\bsound = )"(\w+)"', loop))
    assert len(played) >= 5
    assert played == set(tunes()) - {""}
    # Nor is there a name that this test does not see, or another who plays.
    calls = set(re.findall(r"(?:_sound|\.play)\(([^)]*)\)", loop))
    assert {call for call in calls if '"' not in call} == {"self, name: str", "name", "sound"}
    for path in FIRMWARE.glob("*.py"):
        if path.stem not in ("app", "buzzer", "start"):  # which silences it
            assert not re.search(r"\._sound\(|buzzer\.play\(", path.read_text("utf-8")), path


def test_a_tune_that_is_not_in_the_table_is_an_error() -> None:
    with pytest.raises(KeyError):
        Bench().buzzer.play("fanfare")
