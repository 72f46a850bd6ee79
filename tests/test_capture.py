"""The capture units: what is written to them; each edge is handed over, once, with its time."""

from __future__ import annotations

import sys
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from random import Random
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.firmware_files import FIRMWARE
from host_tools.interpreters import UNIX, run

SCRIPT = Path(__file__).parent / "on_micropython" / "captures.py"
MANY = settings(deadline=None, derandomize=True, max_examples=300)

MHZ, WRAP, TICKS = 80, 2**32, 2**30
S_US = 1_000_000
PACE = 5 * MHZ  # counts from one look of the firmware at the chip to the next

Changes = tuple[tuple[str, str], ...]  # of capture.py: old, new
Drains = list[tuple[int, list[tuple[int, int]]]]  # us before each; channels and points of edges

# What a start writes: address on an ESP32, on an ESP32-S3, value, register, lines of its source.
# Source: ESP-IDF v5.5.2, components/soc/CHIP/register/soc; _sig: gpio_sig_map.h in include/soc,
# whose numbers are those of FUNC. mcpwm_reg.h is the same for both; a unit is at PWMn_BASE.
CHIPS = ["esp32", "esp32s3"]
UNITS = [(0x3FF5E000, 0x3FF6C000), (0x6001E000, 0x6002C000)]  # reg_base.h 42, 56; S3 33, 46
GPIOS = [4, 5, 13, 14, 18, 21]
REST = 0xF9C1E06F  # clocks as an ESP32 starts (dport_reg.h 935); MicroPython reads a negative one
# PWMn_CLK_EN (dport_reg.h 952, 948; system_reg.h 192, 174), PWMn_RST (987, 983; 454, 436).
PWM = 1 << 17 | 1 << 20
PIN = 1 << 7  # GPIO_SIGn_IN_SEL: from a pin (gpio_reg.h 1693/2672)
ON = 1  # MCPWM_CAPn_EN (mcpwm_reg.h 2682), MCPWM_CAP_TIMER_EN (2634)
RISING = ON | 2 << 1  # MCPWM_CAPn_MODE (2691): its bit 1 (mcpwm_struct.h 742)
SOFTWARE = 1 << 12  # MCPWM_CAPn_SW (2713)
FLAGS = 7 << 27  # MCPWM_CAPn_INT_RAW (3348), MCPWM_CAPn_INT_CLR (3784)
TABLE = [
    (0x3FF000C0, 0x600C0018, REST | PWM, "PERIP_CLK_EN(0)", "dport_reg.h 934, system_reg.h 105"),
    (0x3FF000C4, 0x600C0020, REST | PWM, "PERIP_RST_EN(0)", "dport_reg.h 970, system_reg.h 367"),
    (0x3FF000C4, 0x600C0020, REST, "PERIP_RST_EN(0)", "the same"),
    (0x3FF442E4, 0x600043EC, PIN | 4, "FUNC109/166_IN_SEL", "gpio_reg 3978/5989, _sig 228/299"),
    (0x3FF5E0F0, 0x6001E0F0, RISING, "MCPWM_CAP_CH0_CFG", "mcpwm_reg.h 2678"),
    (0x3FF442E8, 0x600043F0, PIN | 5, "FUNC110/167_IN_SEL", "gpio_reg 3999/6009, _sig 230/301"),
    (0x3FF5E0F4, 0x6001E0F4, RISING, "MCPWM_CAP_CH1_CFG", "mcpwm_reg.h 2721"),
    (0x3FF442EC, 0x600043F4, PIN | 13, "FUNC111/168_IN_SEL", "gpio_reg 4020/6029, _sig 232/303"),
    (0x3FF5E0F8, 0x6001E0F8, RISING, "MCPWM_CAP_CH2_CFG", "mcpwm_reg.h 2764"),
    (0x3FF442F0, 0x60004410, PIN | 14, "FUNC112/175_IN_SEL", "gpio_reg 4041/6169, _sig 234/317"),
    (0x3FF6C0F0, 0x6002C0F0, RISING, "MCPWM_CAP_CH0_CFG", "mcpwm_reg.h 2678"),
    (0x3FF442F4, 0x60004414, PIN | 18, "FUNC113/176_IN_SEL", "gpio_reg 4062/6189, _sig 236/319"),
    (0x3FF6C0F4, 0x6002C0F4, RISING, "MCPWM_CAP_CH1_CFG", "mcpwm_reg.h 2721"),
    (0x3FF442F8, 0x60004418, PIN | 21, "FUNC114/177_IN_SEL", "gpio_reg 4083/6209, _sig 238/321"),
    (0x3FF6C0F8, 0x6002C0F8, RISING, "MCPWM_CAP_CH2_CFG", "mcpwm_reg.h 2764"),
    (0x3FF5E0E8, 0x6001E0E8, ON, "MCPWM_CAP_TIMER_CFG", "mcpwm_reg.h 2630"),
    (0x3FF5E11C, 0x6001E11C, FLAGS, "MCPWM_INT_CLR", "mcpwm_reg.h 3588"),
    (0x3FF6C0E8, 0x6002C0E8, ON, "MCPWM_CAP_TIMER_CFG", "mcpwm_reg.h 2630"),
    (0x3FF6C11C, 0x6002C11C, FLAGS, "MCPWM_INT_CLR", "mcpwm_reg.h 3588"),
]
# In a unit, of what native code works on: mcpwm_reg.h 3152, 3588; MCPWM_CAP_CHn 2807, 2819, 2831.
RAW, CLEAR, COUNT = 0x114, 0x11C, (0xFC, 0x100, 0x104)


@dataclass
class Edge:
    """An edge that landed; it should be handed over by drain `due` (from 0 on)."""

    channel: int
    ticks: int
    due: int
    ended: int  # drains before it
    is_delivered: bool = False


class Unit:
    """The registers of a capture unit, as words for native code."""

    def __init__(self, chip: Chip) -> None:
        self.chip = chip
        self.counts = dict.fromkeys(COUNT, 0)
        self.flags = 0

    def __getitem__(self, n: int) -> int:
        """Return a count, or all flags: those of the unit's other parts are on."""
        self.chip.look()
        return self.flags | WRAP - 1 - FLAGS if 4 * n == RAW else self.counts[4 * n]

    def __setitem__(self, n: int, value: int) -> None:
        """Clear flags."""
        self.chip.look()
        assert (4 * n, value & ~FLAGS) == (CLEAR, 0)
        self.flags &= ~value

    def latch(self, channel: int) -> None:
        """Capture the count."""
        self.counts[COUNT[channel]] = self.chip.count()
        self.flags |= 1 << 27 + channel


class Chip:
    """What the firmware sees: two units, pins, `mem32`, and a clock of the same crystal.

    Time goes on at each look, by the next of *paces*; edges of `planned` land before the look of
    that number. `mhz`: how fast the units count; `dead`: where software captures nothing.
    """

    def __init__(self, count: int = 0, paces: tuple[int, ...] = (PACE,)) -> None:
        self.now = self.start = 123 * MHZ * TICKS - count % 997  # in counts of 80 MHz
        self.start_count, self.paces = count, paces
        self.mhz, self.dead = MHZ, 0
        self.looks = self.begun = self.ended = 0
        self.units: dict[int, Unit] = {}
        self.words = defaultdict[int, int](lambda: REST)
        self.written: list[tuple[int, int]] = []
        self.planned = defaultdict[int, list[int]](list)
        self.up = [False] * 6
        self.pins = [SimpleNamespace(value=partial(self.level, n)) for n in range(6)]
        self.edges: list[Edge] = []
        self.error_us = 1  # how far ticks may be off
        self.wrong: list[str] = []
        self.irqs = 1

    def look(self) -> None:
        """Let time pass, and land what is planned for now."""
        self.now += self.paces[self.looks % len(self.paces)]
        for channel in self.planned.pop(self.looks, ()):
            self.edge(channel)
        self.looks += 1

    def edge(self, channel: int) -> None:
        """Let an edge of a channel land; the next one is later."""
        self.edges.append(Edge(channel, self.ticks(), self.begun, self.ended))
        self.up[channel] = True
        list(self.units.values())[channel // 3].latch(channel % 3)
        self.now += PACE

    def level(self, channel: int) -> bool:
        """Return the level of a channel's pin."""
        self.look()
        return self.up[channel]

    def ticks(self) -> int:
        """Return what `ticks_us` does, in no time."""
        return self.now // MHZ % TICKS

    def ticks_us(self) -> int:
        """Return the time."""
        self.look()
        return self.ticks()

    def count(self) -> int:
        """Return what the units count."""
        return ((self.now - self.start) * self.mhz // MHZ + self.start_count) % WRAP

    def bytearray_at(self, address: int, size: int) -> Unit:
        """Return a unit."""
        assert size > CLEAR
        return self.units.setdefault(address, Unit(self))

    def switch_irqs(self, irqs: int = 0) -> int:
        """Turn interrupts on or off; return what they were."""
        self.irqs, before = irqs, self.irqs
        return before

    def __getitem__(self, address: int) -> int:
        """Return a word, as mem32 does: with a sign."""
        self.look()
        return signed(self.words[address], WRAP)

    def __setitem__(self, address: int, value: int) -> None:
        """Write a word, as mem32 does."""
        self.look()
        self.written.append((address, value % WRAP))
        self.words[address] = value % WRAP & ~SOFTWARE
        unit, offset = address & ~0xFFF, address & 0xFFF
        if offset in (0xF0, 0xF4, 0xF8) and value & SOFTWARE and unit != self.dead:
            assert not self.irqs
            assert value & ON
            self.units[unit].latch((offset - 0xF0) // 4)

    def put(self, channel: int, ticks: int) -> None:
        """Find the edge that is handed over."""
        for edge in reversed(self.edges):
            is_near = abs(signed(edge.ticks - ticks, TICKS)) <= self.error_us
            if is_near and edge.channel == channel and not edge.is_delivered:
                edge.is_delivered = True
                if self.begun > edge.due + 1:
                    self.wrong.append(f"the edge of channel {channel} at {edge.ticks} comes late")
                return
        self.wrong.append(f"channel {channel} has no edge at {ticks}")

    def play(self, capture: Any, drains: Drains) -> list[str]:
        """Return what went wrong, after some drains and two more that find nothing new."""
        for us, edges in [*drains, (2000, []), (2000, [])]:
            self.now += us * MHZ
            for channel, point in edges:
                if point:
                    self.planned[self.looks + point - 1].append(channel)
                else:
                    self.edge(channel)
            self.begun += 1
            capture.take(self.ticks())
            self.ended += 1
            for look in sorted(self.planned):  # behind the last look
                for channel in self.planned.pop(look):
                    self.edge(channel)
        return self.wrong + self.lost()

    def lost(self) -> list[str]:
        """Return what was never handed over, though the next edge left time for a whole drain."""
        lost = []
        for channel in range(6):
            edges = [edge for edge in self.edges if edge.channel == channel]
            for edge, after in pairwise([*edges, Edge(channel, 0, 0, self.ended)]):
                if not edge.is_delivered and after.ended > edge.due:
                    lost.append(f"channel {channel} lost the edge at {edge.ticks}")
        return lost


def signed(number: int, modulus: int) -> int:
    return (number + modulus // 2) % modulus - modulus // 2


def changed(changes: Changes) -> str:
    """Return capture.py with some changes."""
    text = (FIRMWARE / "capture.py").read_text()
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


@cache
def code(name: str, changes: Changes = ()) -> CodeType:
    file = FIRMWARE / f"{name}.py"
    return compile(changed(changes) if changes else file.read_text(), file, "exec")


def firmware(chip: Chip, changes: Changes = (), **names: Any) -> tuple[Any, Any]:
    """Return capture.py and anchor.py on a chip, as modules that no other test sees.

    capture.py has some changes, and *names* of its own.
    """
    irqs = {"disable_irq": chip.switch_irqs, "enable_irq": chip.switch_irqs}
    fakes: dict[str, Any] = {
        "machine": SimpleNamespace(mem32=chip, **irqs),
        "time": SimpleNamespace(
            ticks_us=chip.ticks_us, ticks_diff=lambda end, start: signed(end - start, TICKS)
        ),
        "uctypes": SimpleNamespace(bytearray_at=chip.bytearray_at),
        "kegli.capture": ModuleType("capture"),
    }
    capture, anchor = fakes["kegli.capture"], ModuleType("anchor")
    capture.__dict__.update(names)
    anchor.__package__ = "kegli"
    with patch.dict(sys.modules, fakes):
        exec(code("capture", changes), capture.__dict__)
        exec(code("anchor"), anchor.__dict__)
    return capture, anchor


def start(chip: Chip, n: int = 0, inputs: int = 6) -> tuple[Any, Callable[[], str]]:
    """Return the units of a chip, set up, and what anchors them."""
    anchor = firmware(chip)[1]
    capture = anchor.set_up(CHIPS[n], GPIOS[:inputs], chip.put)
    return capture, lambda: str(anchor.anchor(capture, chip.pins[:inputs]))


# -- What is written


@pytest.mark.parametrize("n", [0, 1], ids=CHIPS)
def test_a_start_writes_what_the_table_says(n: int) -> None:
    chip = Chip()
    table = [(row[n], row[2]) for row in TABLE]
    start(chip, n)
    assert tuple(chip.units) == UNITS[n]
    assert chip.written == table
    start(chip, n)  # after a soft reset, which leaves registers as they are
    assert chip.written == table * 2


@pytest.mark.parametrize("n", [0, 1], ids=CHIPS)
def test_a_channel_without_an_input_is_captured_by_software_alone(n: int) -> None:
    chip = Chip()
    _capture, anchor = start(chip, n, 4)
    table = [(row[n], row[2]) for row in TABLE]
    free = [(TABLE[12][n], ON), (TABLE[14][n], ON)]
    assert chip.written == table[:11] + free + table[15:]
    chip.written.clear()
    chip.up[2] = True
    assert anchor() == ""
    assert set(chip.written) == {(TABLE[6][n], RISING | SOFTWARE), (TABLE[14][n], ON | SOFTWARE)}


# -- The drain

POINTS = range(8)  # of a drain of both units: before it, before each look, behind it
MUTANTS: dict[str, Changes] = {
    "reads counts before it clears": (
        ("    unit[_CLEAR >> 2] = flags << _CAP0_BIT\n", ""),
        ("    return n\n", "    unit[_CLEAR >> 2] = flags << _CAP0_BIT\n    return n\n"),
    ),
    "clears what it did not see": (("= flags << _CAP0_BIT", "= 7 << _CAP0_BIT"),),
    "hands over what comes again": (("count == int(state[_LAST + channel])", "False"),),
    "drops an equal count whenever": (("int(state[_AGAIN + channel]) and ", ""),),
    "moves an anchor's ticks alone": (("+ _MHZ * _MOVE_US", ""),),
}


def exact(count: int, changes: Changes = ()) -> tuple[Chip, Any]:
    """Return units with exact anchors, and their chip, which starts at *count*."""
    chip = Chip(count)
    capture = firmware(chip, changes)[0].Capture(UNITS[0], chip.put)
    for state in capture.states:
        state[0], state[1] = chip.ticks(), count
    capture.widths[:] = [1, 1]  # of a bracket without any width
    return chip, capture


def meetings() -> Iterator[Drains]:
    """Yield an edge at each point, alone, behind one of its channel, beside one of another."""
    for channel in range(6):
        for waiting in ([], [(channel, 0)], [((channel + 1) % 6, 0)]):
            for point in POINTS:
                yield [(2000, [*waiting, (channel, point)]), (2000, []), (2000, [(channel, 0)])]


def same_count_again(chip: Chip, capture: Any) -> list[str]:
    """Return what goes wrong with edges a wrap of the counter apart, and drains in between."""
    chip.edge(2)
    chip.play(capture, [(9 * S_US, [])] * 5)
    chip.now = chip.start + WRAP
    chip.edge(2)
    return chip.play(capture, [])


def faults(changes: Changes = ()) -> list[str]:
    """Return what goes wrong where edges meet drains, and counts wrap or change their sign."""
    found = same_count_again(*exact(7, changes))
    for wrap in (WRAP, WRAP // 2):
        for drains in meetings():
            chip, capture = exact(wrap - 2000 * MHZ - 3 * PACE, changes)
            found += chip.play(capture, drains)
    return found


def test_an_edge_at_any_point_of_a_drain_is_handed_over_once() -> None:
    assert faults() == []


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_drain_that_is_wrong_is_found_out(mutant: str) -> None:
    assert faults(MUTANTS[mutant])


EDGES = st.lists(st.tuples(st.integers(0, 5), st.sampled_from(POINTS)), max_size=5)


@MANY
@given(st.integers(0, WRAP - 1), st.lists(st.tuples(st.integers(0, 9 * S_US), EDGES), max_size=12))
def test_edges_and_drains_come_in_any_order(count: int, drains: Drains) -> None:
    chip, capture = exact(count)
    assert chip.play(capture, drains) == []


@pytest.mark.parametrize("age_us", [-36_000_000, -1, 0, 1, 16_000_000, 2**24])
@pytest.mark.parametrize("count", [0, 80 * 10_000_000, WRAP // 2, WRAP - 1])
def test_an_edge_is_older_than_the_anchor_or_newer(count: int, age_us: int) -> None:
    chip, capture = exact(count)
    chip.now = chip.start - age_us * MHZ
    chip.edge(3)
    chip.now = max(chip.now, chip.start)
    assert chip.play(capture, []) == []


@pytest.mark.parametrize("seed", [1, 2])
def test_an_anchor_moves_for_hours_and_does_not_drift(seed: int) -> None:
    random = Random(seed)
    chip, capture = exact(seed)
    drains = [(random.randrange(9 * S_US), [(n % 6, n % 8)]) for n in range(5000)]
    assert chip.play(capture, drains) == []
    assert chip.now - chip.start > 6 * 3600 * S_US * MHZ
    assert all((chip.ticks() - state[0]) % TICKS < 20 * S_US for state in capture.states)


class Word(int):
    """A number of viper's on the chip: whatever is done to it leaves 32 bits, with a sign."""


def wrapping(name: str) -> Callable[..., Word]:
    return lambda *numbers: Word(signed(getattr(int, name)(*numbers), WRAP))


for operation in ("add", "sub", "mul", "lshift", "rshift", "and", "floordiv", "mod"):
    setattr(Word, f"__{operation}__", wrapping(f"__{operation}__"))


class Words(dict[int, Word]):
    """Memory as such words."""

    def __init__(self, words: array[int]) -> None:
        for n, word in enumerate(words):
            self[n] = word

    def __setitem__(self, n: int, value: int) -> None:
        """Write a word."""
        super().__setitem__(n, Word(signed(int(value), WRAP)))


SOME = [0, 1, TICKS, WRAP // 2 - 1, WRAP // 2, WRAP // 2 + 1, WRAP - 1]
WORD = st.integers(0, WRAP - 1) | st.sampled_from(SOME)
TIME = st.integers(0, TICKS - 1)


@MANY
@given(st.tuples(TIME, WORD), st.tuples(WORD, WORD, WORD), st.integers(0, 7), WORD, TIME)
def test_words_of_32_bits_and_of_64_give_the_same(
    anchor: tuple[int, int], counts: tuple[int, int, int], again: int, raw: int, now: int
) -> None:
    unit, found = array("I", bytes(0x120)), array("I", bytes(24))
    unit[COUNT[0] // 4 : COUNT[2] // 4 + 1], unit[RAW // 4] = array("I", counts), raw
    state = array("I", [*anchor, *counts, again & 1, again & 2, again & 4])
    short = Words(unit), Words(state), Words(found)
    n = firmware(Chip(), int=lambda word: word)[0].drain(*short, Word(now))
    assert firmware(Chip())[0].drain(unit, state, found, now) == n
    for words, memory in zip(short, (unit, state, found), strict=True):
        assert [word % WRAP for word in map(int, words.values())] == list(memory)
    for at in range(0, n, 2):
        since = signed(counts[found[at]] - state[1], WRAP)
        since += WRAP * (since < -MHZ * 2**24) - WRAP * (since >= WRAP - MHZ * 2**24)
        assert found[at + 1] == (state[0] + since // MHZ) % TICKS


# -- The anchor


@MANY
@given(
    st.integers(0, WRAP - 1),
    st.lists(st.integers(1, 40 * MHZ), min_size=1, max_size=9).map(tuple),
    st.lists(st.integers(0, 9 * S_US), max_size=9),
)
def test_times_are_as_right_as_anchors_say(
    count: int, paces: tuple[int, ...], waits: list[int]
) -> None:
    chip = Chip(count, paces)
    capture, anchor = start(chip)
    assert anchor() == ""
    brackets = [width - 1 for width in capture.widths]
    assert capture.error_us == (max(brackets) + 1) // 2 + 1
    chip.error_us = capture.error_us
    assert chip.play(capture, [(us, [(us % 6, 0)]) for us in waits]) == []
    chip.up = [False] * 6
    assert anchor() == ""  # it holds


def anchor_anew(up: tuple[int, ...], channel: int, look: int) -> tuple[Chip, bool, int]:
    """Let an edge land before a look of anchoring anew, while some channels are up.

    Return the chip, whether the unit keeps its old anchor, and the number of looks.
    """
    chip = Chip(WRAP - 3 * S_US * MHZ)
    capture, anchor = start(chip)
    anchor()
    chip.now += 3 * S_US * MHZ
    chip.error_us = capture.error_us
    for n in up:
        chip.up[n] = True
    before, begin = capture.states[channel // 3][:2], chip.looks
    chip.planned[begin + look].append(channel)
    assert anchor() == ""
    is_old, looks = capture.states[channel // 3][:2] == before, chip.looks - begin
    chip.play(capture, [])
    return chip, is_old, looks


@pytest.mark.parametrize(
    ("up", "channel", "is_ours"),
    [((), 0, 0), ((), 1, 0), ((), 2, 1), ((), 5, 1), ((2,), 0, 0), ((2,), 1, 1), ((1, 2), 0, 1)],
)
def test_an_edge_at_any_point_of_anchoring_is_handed_over_or_left_to_its_level(
    up: tuple[int, ...], channel: int, is_ours: int
) -> None:
    left = 0
    for look in range(anchor_anew(up, channel, 10_000)[2] + 1):
        chip, is_old, _looks = anchor_anew(up, channel, look)
        assert chip.wrong == []
        assert is_old or not chip.lost()
        left += len(chip.lost())
    assert bool(left) == is_ours  # software captures on this channel


@pytest.mark.parametrize("channel", range(6))
def test_the_first_anchoring_hands_nothing_over_and_an_edge_in_it_does_no_harm(
    channel: int,
) -> None:
    for look in range(200):
        chip = Chip(WRAP - S_US * MHZ)
        capture, anchor = start(chip)
        chip.planned[chip.looks + look].append(channel)
        assert anchor() == ""
        assert min(capture.widths) > 0
        chip.error_us = capture.error_us
        chip.play(capture, [])
        # One that came before its unit had an anchor has no time, and is left to its level.
        assert chip.wrong == []


@pytest.mark.parametrize("mhz", [80, 79, 40, 160, 0])
def test_a_unit_with_another_clock_is_told(mhz: int) -> None:
    chip = Chip()
    chip.mhz = mhz
    capture, anchor = start(chip)
    assert anchor() == ""
    chip.play(capture, [(46_000, [])])
    assert ("us off the clock" in anchor()) == (mhz != 80)


@pytest.mark.parametrize("unit", [0, 1])
def test_what_brackets_and_roundings_leave_open_is_not_told(unit: int) -> None:
    capture, anchor = start(Chip())
    anchor()
    assert capture.widths == [11, 11]  # and one more
    for off_us, said in ((12, ""), (13, f"capture unit {unit} is 13 us off the clock")):
        capture.states[unit][0] += off_us
        assert anchor() == said


@pytest.mark.parametrize("unit", [0, 1])
def test_a_dead_unit_is_told(unit: int) -> None:
    chip = Chip()
    chip.dead = UNITS[0][unit]
    assert start(chip)[1]() == f"capture unit {unit} does not count"


@pytest.mark.parametrize("unit", [0, 1])
def test_a_unit_with_no_quiet_moment_keeps_its_anchor_or_is_told(unit: int) -> None:
    chip = Chip()
    capture, anchor = start(chip)
    quiet, noise = [False] * 6, [n // 3 == unit for n in range(6)]
    chip.up = noise
    assert anchor() == f"capture unit {unit} finds no quiet moment"
    chip.up = quiet
    assert anchor() == ""
    before = capture.states[unit][:2]
    chip.up = noise
    assert anchor() == ""
    assert capture.states[unit][:2] == before


# -- Native code


def captures(folder: Path, changes: Changes) -> list[str]:
    """Return what MicroPython says of 100,000 captures by a capture.py with changes."""
    (folder / "kegli").mkdir()
    (folder / "kegli" / "__init__.py").touch()
    (folder / "kegli" / "capture.py").write_text(changed(changes))
    script = folder / SCRIPT.name
    script.write_text(SCRIPT.read_text())
    return run(UNIX, script, folder)


def test_native_code_hands_over_each_of_100000_captures_once(tmp_path: Path) -> None:
    assert run(UNIX, SCRIPT, tmp_path) == [
        "100000 delivered, 0 lost, 0 doubled, worst error 1 us",
        "24 wraps of ticks, 481 of the counter",
    ]


def test_native_code_that_is_wrong_is_found_out(tmp_path: Path) -> None:
    said = captures(tmp_path, MUTANTS["hands over what comes again"])[0]
    assert said.startswith("100000 delivered, 0 lost, ")
    assert " 0 doubled, " not in said


def test_an_allocation_on_the_way_is_found_out(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="MemoryError"):
        captures(tmp_path, (("found -= 2", "found = [found][0] - 2"),))
