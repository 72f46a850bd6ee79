"""The virtual chip's resets, its losses of power and its sudden deaths, and what outlives them."""

import tempfile
import time
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from host_tools.virtual_board import VirtualBoard
from host_tools.virtual_table import Edge
from tests.host.test_virtual_board import Client, mpremote, served

INTERPRETERS = ("micropython", "python")
both = pytest.mark.parametrize("interpreter", INTERPRETERS)

EXECUTE = "exec(sys.stdin.buffer.readline().decode())"
# Says how it started, and then executes a line when it is typed, every 10 ms at most.
SHELL = f"""
import select, sys, time
import machine
from machine import Pin
from neopixel import NeoPixel

rtc, wdt = machine.RTC(), None
print("start", machine.reset_cause(), time.ticks_us(), time.time_ns(), rtc.memory())
poll = select.poll()
poll.register(sys.stdin, select.POLLIN)
while True:
    time.sleep_ms(10)
    if wdt:
        wdt.feed()
    if poll.poll(0):
        {EXECUTE}
"""
# Says what it hears of pins 0 and 1, and resets at each edge of pins 3 and 4.
LISTENER = """
import sys, time
import machine
from machine import Pin

def hear(pin):
    print(time.time_ns() // 1000, number[pin], pin.value())

def reset(pin):
    hear(pin)
    machine.reset()

def soft_reset(pin):
    hear(pin)
    machine.soft_reset()

print("start", time.time_ns() // 1000)
number = {}
for n, gpio in enumerate((16, 17, 19, 21, 22)):
    pin = Pin(gpio, Pin.IN, Pin.PULL_UP)
    number[pin] = n
    if n != 2:
        handler = (hear, hear, None, reset, soft_reset)[n]
        pin.irq(handler=handler, trigger=Pin.IRQ_RISING | Pin.IRQ_FALLING)
while True:
    time.sleep_ms(10)
"""


def flash(folder: Path, main: str) -> Path:
    """Return a board's flash with that program in a new folder."""
    made = Path(tempfile.mkdtemp(dir=folder))
    (made / "boot.py").write_text("")
    (made / "main.py").write_text(main)
    return made


def shell(folder: Path, interpreter: str, start_ticks: int = 0) -> VirtualBoard:
    return VirtualBoard(
        flash=flash(folder, SHELL), interpreter=interpreter, start_ticks=start_ticks
    )


def typed(board: VirtualBoard, line: str, us: int = 20_000) -> list[str]:
    """Let the shell execute a line; return what the board prints until so much time is over."""
    board.write(line + "\n")
    board.run_until(board.now_us + us)
    return board.lines()


# The RTC memory.


@both
def test_rtc_memory_outlives_every_reset_but_no_loss_of_power(
    tmp_path: Path, interpreter: str
) -> None:
    with shell(tmp_path, interpreter) as board:
        assert board.lines() == ["start 1 0 0 b''"]
        assert typed(board, "rtc.memory(b'held'); print(rtc.memory())") == ["b'held'"]
        kept = []
        for way in ("machine.reset()", "machine.soft_reset()"):
            kept += typed(board, way)
        typed(board, "wdt = machine.WDT(timeout=50); time.sleep_ms(50)", 60_000)
        board.reset()
        board.reset("watchdog")
        board.die_after(0)
        board.reset()
        kept += board.lines()
        assert board.resets == [
            *("software", "soft", "watchdog"),
            *("software", "watchdog", "software"),
        ]
        assert len(kept) == 5
        assert all(line.endswith(" b'held'") for line in kept)
        board.power_cut()
        assert board.lines() == ["start 1 0 0 b''"]


@both
def test_rtc_memory_takes_2048_bytes_and_forgets_the_longer_for_the_shorter(
    tmp_path: Path, interpreter: str
) -> None:
    with shell(tmp_path, interpreter) as board:
        board.lines()
        line = "rtc.memory(bytes(range(256)) * 8); print(rtc.memory() == bytes(range(256)) * 8)"
        assert typed(board, line) == ["True"]
        assert typed(board, "rtc.memory(bytearray(b'ab')); print(rtc.memory())") == ["b'ab'"]
        assert typed(board, "rtc.memory(b''); print(rtc.memory())") == ["b''"]
        with pytest.raises(RuntimeError, match="ValueError: buffer too long"):
            typed(board, "rtc.memory(bytes(2049))")


@both
def test_a_store_of_rtc_memory_can_be_torn(tmp_path: Path, interpreter: str) -> None:
    with shell(tmp_path, interpreter) as board:
        for old, new, torn in (
            (b"old, older", b"new, yes", b"new,older"[:4] + b" older"),
            (b"ab", b"uvwxyz", b"uv"),  # as on the chip, the length comes last
            (b"", b"uvwxyz", b""),
        ):
            for moments, left in ((1, old), (2, torn), (3, new)):
                typed(board, f"rtc.memory({old!r})")
                # The shell sleeps, so that this store is the first thing it asks for.
                board.die_after(moments)
                typed(board, f"rtc.memory({new!r})", 10_000)
                board.run_until(board.now_us + 1)
                assert board.is_dead
                board.reset()
                assert board.lines()[-1].endswith(f" {left!r}")


# Causes, time, and what runs at a reset.


@both
def test_the_cause_of_a_start_is_told(tmp_path: Path, interpreter: str) -> None:
    with shell(tmp_path, interpreter) as board:
        names = "PWRON_RESET HARD_RESET WDT_RESET DEEPSLEEP_RESET SOFT_RESET"
        numbers = ", ".join(f"machine.{name}" for name in names.split())
        said = board.lines() + typed(board, f"print({numbers})")
        said += typed(board, "machine.soft_reset()") + typed(board, "machine.reset()")
        said += typed(board, "machine.WDT(timeout=20)", 40_000)
        board.reset()
        board.reset("watchdog")
        board.power_cut()
        said += board.lines()
        assert said.pop(1) == "1 2 3 4 5"
        assert [line.split()[1] for line in said] == ["1", "5", "2", "3", "2", "3", "1"]
        assert board.resets == ["soft", "software", "watchdog", "software", "watchdog"]
        with pytest.raises(ValueError, match="no reset by 'magic'"):
            board.reset("magic")


@both
def test_ticks_begin_at_0_after_a_reset_and_the_time_goes_on(
    tmp_path: Path, interpreter: str
) -> None:
    look = "print(time.ticks_us(), time.ticks_ms(), time.time_ns())"
    with shell(tmp_path, interpreter, start_ticks=2**30 - 5_000) as board:
        assert board.lines() == [f"start 1 {2**30 - 5_000} 0 b''"]
        board.run_until(1_000_003)
        assert typed(board, "machine.soft_reset()", 10_000) == ["start 5 1005003 1010003000 b''"]
        assert typed(board, "machine.reset()", 10_000) == ["start 2 0 1020003000 b''"]
        assert typed(board, look, 10_000) == ["10000 10 1030003000"]
        board.run_until(2_000_000_000)
        board.reset()
        assert board.now_us == 2_000_000_000
        assert board.lines() == ["start 2 0 2000000000000 b''"]
        board.reset("watchdog")
        assert board.lines() == ["start 3 0 2000000000000 b''"]
        assert typed(board, look, 10_000) == ["10000 10 2000010000000"]
        wraps_us = 2_000_000_000 + 2**30
        board.run_until(wraps_us - 9_999)
        (said,) = typed(board, look, 10_000)
        assert said == f"1 {(2**30 + 1) // 1000} {wraps_us + 1}000"
        board.power_cut()
        assert (board.now_us, board.lines()) == (0, ["start 1 0 0 b''"])


@both
def test_only_a_soft_reset_lets_the_program_tidy_up(tmp_path: Path, interpreter: str) -> None:
    tidy = f"try:\n            {EXECUTE}\n        finally:\n            print('tidy')"
    program = SHELL.replace(EXECUTE, tidy)
    hang = "while True: time.sleep_us(700)"
    with VirtualBoard(flash=flash(tmp_path, program), interpreter=interpreter) as board:
        board.lines()
        tidied, started = typed(board, "machine.soft_reset()")
        assert (tidied, started[:7]) == ("tidy", "start 5")
        (started,) = typed(board, "machine.reset()")
        assert started.startswith("start 2")
        (started,) = typed(board, "machine.WDT(timeout=20); time.sleep_ms(1000)", 60_000)
        assert started.startswith("start 3")
        typed(board, hang)
        board.reset()
        (started,) = board.lines()
        assert started.startswith("start 2")
        board.die_after(3)
        assert typed(board, hang) == []
        assert board.is_dead
        board.power_cut()
        (started,) = board.lines()
        assert started.startswith("start 1")


@both
@pytest.mark.parametrize("end", ["sys.exit()", "sys.exit(2)", "1 / 0", "raise SystemExit"])
def test_a_program_that_merely_ends_is_no_reset(
    tmp_path: Path, interpreter: str, end: str
) -> None:
    with shell(tmp_path, interpreter) as board:
        with pytest.raises(RuntimeError, match="The board's program ended"):
            typed(board, end)
        assert board.resets == []


def test_a_board_that_does_nothing_but_reset_is_told(tmp_path: Path) -> None:
    program = "import machine\nprint('once more')\nmachine.reset()"
    with (
        pytest.raises(RuntimeError, match=r"(?s)nothing but reset: .*once more"),
        VirtualBoard(flash=flash(tmp_path, program)),
    ):
        pass


# The watchdog.


@both
def test_the_watchdog_expires_on_time_and_not_when_fed(tmp_path: Path, interpreter: str) -> None:
    with shell(tmp_path, interpreter) as board:
        typed(board, "wdt = machine.WDT(timeout=700)")
        board.run_until(400_000_000)  # fed all the while
        assert board.resets == []
        (fed,) = typed(board, "wdt.feed(); wdt = None; print(time.time_ns() // 1000)")
        board.run_until(int(fed) + 699_999)
        assert board.resets == []
        board.run_until(int(fed) + 700_000)
        assert board.resets == ["watchdog"]
        assert board.lines() == [f"start 3 0 {board.now_us}000 b''"]
        board.run_until(board.now_us + 10_000_000)  # it does not run any more
        assert board.resets == ["watchdog"]


@both
def test_the_watchdog_expires_within_a_sleep_and_a_frame(tmp_path: Path, interpreter: str) -> None:
    with shell(tmp_path, interpreter) as board:
        (_, started) = typed(board, "machine.WDT(timeout=300); time.sleep_ms(1000)", 5_000_000)
        assert started == "start 3 0 310000000 b''"
        line = "leds = NeoPixel(Pin(23), 100); machine.WDT(timeout=1); leds.write()"  # in 3 ms
        (started,) = typed(board, line)
        assert started == "start 3 0 5011000000 b''"
        assert board.pixels() == []


@both
def test_the_watchdog_made_again_has_another_time_out(tmp_path: Path, interpreter: str) -> None:
    with shell(tmp_path, interpreter) as board:
        typed(board, "machine.WDT(timeout=5000)")
        typed(board, "machine.WDT(timeout=100)", 200_000)
        assert board.resets == ["watchdog"]
        typed(board, "machine.WDT(timeout=100)")
        typed(board, "machine.WDT(timeout=5000)", 4_980_000)
        assert board.resets == ["watchdog"]
        board.run_until(board.now_us + 30_000)
        assert board.resets == ["watchdog"] * 2
        with pytest.raises(RuntimeError, match="ValueError"):
            typed(board, "machine.WDT(timeout=0)")


@both
def test_the_watchdog_outlives_a_soft_reset_only(tmp_path: Path, interpreter: str) -> None:
    with shell(tmp_path, interpreter) as board:
        (made,) = typed(board, "machine.WDT(timeout=500); print(time.time_ns() // 1000)")[1:]
        typed(board, "machine.soft_reset()")
        board.run_until(int(made) + 499_999)
        assert board.resets == ["soft"]
        board.run_until(int(made) + 500_000)
        assert board.resets == ["soft", "watchdog"]
        for way in ("machine.reset()", "board.reset()", "board.power_cut()"):
            typed(board, "machine.WDT(timeout=500)")
            if way == "machine.reset()":
                typed(board, way)
            elif way == "board.reset()":
                board.reset()
            else:
                board.power_cut()
            board.run_until(board.now_us + 3_000_000)
        assert board.resets == ["soft", "watchdog", "software", "software"]


@both
def test_long_idle_sleeps_do_not_starve_the_watchdog(tmp_path: Path, interpreter: str) -> None:
    """Sleeps are stretched then, but no further than a watchdog allows."""
    program = """
import time, machine
wdt = machine.WDT(timeout=2000)
print("start", time.time_ns())
while time.time_ns() < 7_200_000_000_000:
    for _ in range(30):
        time.sleep_ms(10)
    wdt.feed()
fed = time.time_ns()
print(fed)
while True:
    time.sleep_ms(10)
"""
    with VirtualBoard(flash=flash(tmp_path, program), interpreter=interpreter) as board:
        board.run_until(7_190_000_000)
        assert board.resets == []
        board.run_until(7_204_300_000)
        _, fed, restarted, *_ = board.lines()
        assert int(restarted.split()[1]) == int(fed) + 2_000_000_000
        assert board.resets[0] == "watchdog"


# Edges and levels.


@both
@pytest.mark.parametrize("seed", range(3))
def test_no_edge_is_lost_or_heard_twice_across_resets(
    tmp_path: Path, interpreter: str, seed: int
) -> None:
    random = Random(seed)
    edges, expected = [], []
    level = [0] * 5
    t_us = 1_000
    while t_us < 400_000:
        t_us += random.choice((0, 0, 1, 700, 10_000))
        pin = random.choice((0, 0, 0, 1, 1, 1, 3, 4))
        level[pin] = 1 - level[pin]
        edges.append(Edge(t_us, "pin", pin, level[pin]))
        expected.append(f"{t_us} {pin} {level[pin]}")
    own = [{3: "software", 4: "soft"}[edge.which] for edge in edges if edge.which > 2]
    assert {edge.t_us for edge in edges if edge.which > 2} & {
        edge.t_us for edge in edges if edge.which < 2
    }
    with VirtualBoard(flash=flash(tmp_path, LISTENER), interpreter=interpreter) as board:
        board.inject(edges)
        by_host = 0
        while board.now_us < t_us:
            board.run_until(min(t_us, board.now_us + random.randrange(1, 50_000)))
            if random.random() < 0.5:
                board.reset("watchdog")
                by_host += 1
        lines = board.lines()
    assert [line for line in lines if not line.startswith("start")] == expected
    assert [cause for cause in board.resets if cause != "watchdog"] == own
    assert by_host > 1
    assert len(lines) - len(expected) == 1 + len(own) + by_host


@both
def test_levels_stay_and_changes_are_seen_after_a_reset(tmp_path: Path, interpreter: str) -> None:
    program = SHELL.replace("\nwhile", "\nprint(Pin(16).value(), Pin(17).value())\nwhile", 1)
    with VirtualBoard(
        flash=flash(tmp_path, program),
        interpreter=interpreter,
        at_power_up=[Edge(0, "pin", 0, 1)],
    ) as board:
        assert board.lines()[1] == "1 0"
        board.inject([Edge(5_000, "pin", 1, 1), Edge(15_000, "pin", 0, 0)])
        assert typed(board, "machine.reset()")[1] == "1 1"
        board.reset()
        assert board.lines()[1] == "0 1"
        board.inject([Edge(board.now_us + 10, "pin", 0, 1)])
        board.power_cut()
        assert board.lines()[1] == "0 1"
        assert typed(board, "print(Pin(16).value(), Pin(17).value())") == ["0 1"]  # forgotten


@both
def test_lost_interrupts_stay_lost_through_a_reset(tmp_path: Path, interpreter: str) -> None:
    with VirtualBoard(flash=flash(tmp_path, LISTENER), interpreter=interpreter) as board:
        board.lose_interrupts(True)
        board.reset()
        board.inject([Edge(1_000, "pin", 0, 1)])
        board.run_until(10_000)
        board.lose_interrupts(False)
        board.inject([Edge(11_000, "pin", 0, 0)])
        board.run_until(20_000)
        assert board.lines() == ["start 0", "start 0", "11000 0 0"]


# The loss of power.


@both
def test_a_power_cut_leaves_the_flash_only(tmp_path: Path, interpreter: str) -> None:
    with shell(tmp_path, interpreter) as board:
        typed(board, "file = open('kept', 'w'); file.write('by flash'); file.close()")
        typed(board, "leds = NeoPixel(Pin(23), 2); leds[1] = (1, 2, 3); leds.write()")
        typed(board, "dac = machine.DAC(Pin(25)); dac.write(77)")
        board.inject([Edge(90_000_000, "pin", 0, 1)])
        assert (board.pixels(), board.outputs()) == ([(0, 0, 0), (1, 2, 3)], {25: (0, 77 * 257)})
        board.reset()  # the LEDs hold what they got, the converter does not
        assert (board.pixels(), board.outputs()) == ([(0, 0, 0), (1, 2, 3)], {})
        board.lines()
        board.power_cut()
        assert (board.now_us, board.pixels(), board.outputs()) == (0, [], {})
        assert board.lines() == ["start 1 0 0 b''"]
        assert typed(board, "print(open('kept').read())") == ["by flash"]
        with pytest.raises(RuntimeError, match="ValueError: invalid Pin for DAC"):
            typed(board, "machine.DAC(Pin(16))")


@both
def test_what_is_typed_and_not_read_survives_a_soft_reset_only(
    tmp_path: Path, interpreter: str
) -> None:
    with shell(tmp_path, interpreter) as board:
        board.lines()
        board.write("print('heard')\n")
        board.reset()
        assert len(typed(board, "")) == 1
        board.write("machine.soft_reset()\nprint('heard')\n")
        board.run_until(100_000)
        assert board.lines()[1:] == ["heard"]


# Death.


DOER = """
import time, machine
from machine import Pin
from neopixel import NeoPixel

rtc, wdt, leds = machine.RTC(), machine.WDT(timeout=9000), NeoPixel(Pin(23), 3)
try:
    for n in range(1000):
        print(n, rtc.memory(), time.ticks_us(), time.ticks_ms())
        rtc.memory(b"%d%d%d" % (n, n, n))
        print("stored")
        leds[n % 3] = n, n, n
        leds.write()
        with open("flash", "w") as file:
            file.write(str(n))
        wdt.feed()
        if n == 3:
            machine.soft_reset()
        time.sleep_ms(7)
finally:
    print("tidy")
"""


@both
def test_the_same_number_of_moments_gives_the_same_death(tmp_path: Path, interpreter: str) -> None:
    def die(moments: int) -> tuple[object, ...]:
        folder = flash(tmp_path, DOER)
        with VirtualBoard(flash=folder, interpreter=interpreter) as board:
            board.die_after(moments)
            board.inject([Edge(3_000, "pin", 0, 1), Edge(60_000, "pin", 0, 0)])
            board.run_until(70_000)
            assert board.is_dead
            lines, at_us, resets = board.lines(), board.now_us, list(board.resets)
            held = (folder / "flash").read_text()
            pixels = board.pixels()
            board.reset()
            return lines, at_us, resets, held, pixels, board.lines()[0]

    deaths = [die(moments) for moments in range(1, 46)]
    assert deaths[::5] == [die(moments) for moments in range(1, 46, 5)]
    assert len(set(map(str, deaths))) > 20
    longest = deaths[-1][0]
    assert isinstance(longest, list)
    assert "tidy" in longest  # of the soft reset
    for (lines, at_us, resets, *_), (_, later_us, *_) in pairwise(deaths):
        assert isinstance(lines, list)
        assert lines == longest[: len(lines)]
        assert isinstance(resets, list)
        assert lines.count("tidy") == len(resets)  # death itself tidies nothing up
        assert isinstance(at_us, int)
        assert isinstance(later_us, int)
        assert at_us <= later_us


@both
def test_a_dead_board_does_nothing_until_it_is_brought_back(
    tmp_path: Path, interpreter: str
) -> None:
    with shell(tmp_path, interpreter) as board:
        typed(board, "leds = NeoPixel(Pin(23), 1); leds[0] = (4, 5, 6); leds.write()")
        board.inject([Edge(90_000, "pin", 0, 1)])
        board.lines()
        board.die_after(4)
        board.run_until(80_000)
        died_us = board.now_us
        assert board.is_dead
        assert died_us < 80_000
        board.run_until(90_000)
        board.write("print('heard')\n")
        board.lose_timer()
        assert (board.now_us, board.lines(), board.outputs()) == (died_us, [], {})
        assert board.pixels() == [(4, 5, 6)]
        board.reset()
        assert not board.is_dead
        assert board.lines() == [f"start 2 0 {died_us}000 b''"]
        board.run_until(100_000)
        assert typed(board, "print(Pin(16).value())") == ["1"]
        board.die_after(0)
        assert board.is_dead
        board.power_cut()
        assert board.lines() == ["start 1 0 0 b''"]
        with pytest.raises(ValueError, match="does not die"):
            board.die_after(-1)


@both
def test_a_reset_by_the_host_calls_a_death_off_and_others_do_not(
    tmp_path: Path, interpreter: str
) -> None:
    with shell(tmp_path, interpreter) as board:
        for call_off in (board.reset, board.power_cut):
            board.die_after(5)
            call_off()
            board.run_until(board.now_us + 1_000_000)
            assert not board.is_dead
        board.die_after(100)
        typed(board, "machine.soft_reset()")
        typed(board, "machine.reset()")
        assert not board.is_dead
        board.run_until(board.now_us + 2_000_000)
        assert board.is_dead


@both
def test_a_board_can_die_while_it_starts(tmp_path: Path, interpreter: str) -> None:
    with shell(tmp_path, interpreter) as board:
        board.lines()
        said = []
        for moments in range(1, 6):  # ticks_us, time_ns, memory; then the first sleep
            board.die_after(0)
            board.die_after(moments)
            board.reset()
            said.append((board.is_dead, len(board.lines())))
        assert said == [(True, 0), (True, 0), (True, 0), (True, 1), (False, 1)]
        board.power_cut()
        board.run_until(1_000_000)
        assert not board.is_dead


# The timer.


TICKER = """
import sys, time
from machine import Pin, Timer
calls = []
def call(timer):
    calls.append(time.time_ns() // 1000)
timer = Timer(0)
timer.init(period=2, mode=Timer.PERIODIC, callback=call)
seen = 0
while True:
    time.sleep_ms(10)
    for call_us in calls[seen:]:
        print(call_us)
    seen = len(calls)
"""


@both
def test_the_timer_is_called_once_a_second_at_least(tmp_path: Path, interpreter: str) -> None:
    with VirtualBoard(flash=flash(tmp_path, TICKER), interpreter=interpreter) as board:
        board.inject([Edge(3_300_001, "pin", 0, 1), Edge(3_300_003, "pin", 0, 0)])
        board.run_until(200_000_000)
        calls = [int(line) for line in board.lines()]
        assert calls[:6] == [2_000, 1_002_000, 2_002_000, 3_002_000, 3_302_000, 4_302_000]
        assert {later - call for call, later in pairwise(calls[5:])} == {1_000_000}


@both
def test_a_timer_that_is_lost_comes_back_with_a_reset(tmp_path: Path, interpreter: str) -> None:
    with VirtualBoard(flash=flash(tmp_path, TICKER), interpreter=interpreter) as board:
        board.run_until(1_500_000)
        board.lose_timer()
        board.inject([Edge(2_000_000, "pin", 0, 1)])
        board.run_until(9_000_000)
        assert board.lines() == ["2000", "1002000"]
        board.reset()
        board.run_until(10_500_000)
        assert board.lines() == ["9002000", "10002000"]


@both
def test_a_lost_timer_cannot_be_made_again(tmp_path: Path, interpreter: str) -> None:
    with shell(tmp_path, interpreter) as board:
        board.lines()
        board.lose_timer()
        line = "timer = machine.Timer(0); timer.init(5, 1, lambda _: print('called'))"
        assert typed(board, line, 3_000_000) == []
        typed(board, "machine.soft_reset()")
        assert typed(board, line) == ["called"]


def test_the_temporary_files_go_with_the_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = flash(tmp_path, SHELL)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    with VirtualBoard(flash=own) as board:
        board.reset()
        board.die_after(0)
        assert len(list((tmp_path / "temporary").iterdir())) == 1
    assert list((tmp_path / "temporary").iterdir()) == []
    assert sorted(path.name for path in own.iterdir()) == ["boot.py", "main.py"]


# Behind the serial port.


class Port(Client):
    """A client of a board that runs SHELL."""

    def start(self) -> tuple[int, int, int, str]:
        """Wait for a start; return cause, ticks, nanoseconds and RTC memory."""
        self.read_until(b"start ")
        words = self.read_until(b"\n").decode().split()
        return int(words[0]), int(words[1]), int(words[2]), words[3]

    def said_in(self, seconds: int) -> bytes:
        """Return what the board prints while so many seconds of its time pass."""
        said = b""
        times: list[int] = []
        while not times or times[-1] < times[0] + seconds:
            self.type(b"print('at', time.time_ns() // 10**9, 'on')\n")
            said += self.read_until(b" on")
            times.append(int(said.split()[-1]))
        return said

    def prompt(self) -> None:
        """Interrupt the program, once it runs."""
        self.said_in(0)
        self.type(b"\x03")
        self.read_until(b">>> ")


@both
def test_resets_behind_the_port_leave_rtc_memory_and_time(
    tmp_path: Path, interpreter: str
) -> None:
    with served(interpreter, flash(tmp_path, SHELL)) as path, closing(Port(path)) as port:
        port.type(b"machine.reset()\n")
        port.read_until(b"SW_CPU_RESET")
        began_s = time.monotonic()
        cause, ticks, first_ns, memory = port.start()
        assert (cause, memory) == (2, "b''")
        assert ticks < 5_000_000
        port.type(b"rtc.memory(b'held'); machine.soft_reset()\n")
        port.read_until(b"soft reboot")
        cause, more_ticks, second_ns, memory = port.start()
        assert (cause, memory) == (5, "b'held'")
        # They go on; between the looks at the one and at the other passes a moment.
        assert abs(more_ticks - ticks - (second_ns - first_ns) // 1000) < 2_000_000
        port.type(b"machine.WDT(timeout=300); print('made', time.time_ns())\n")
        port.read_until(b"made ")
        made_ns = int(port.read_until(b"\n"))
        port.read_until(b"TG1WDT_SYS_RESET")
        cause, ticks, third_ns, memory = port.start()
        assert (cause, memory) == (3, "b'held'")
        assert ticks < 5_000_000
        assert third_ns - made_ns >= 300_000_000
        took_ns = (time.monotonic() - began_s) * 1e9
        assert third_ns - first_ns <= took_ns + 1e9


def test_the_watchdog_expires_at_the_prompt_and_in_a_loop_that_asks_nothing(
    tmp_path: Path,
) -> None:
    with (
        served("micropython", flash(tmp_path, SHELL), 4.0) as path,
        closing(Port(path)) as port,
    ):
        port.prompt()
        port.type(b"import machine, time; print('ti' 'me', time.time_ns())\r")
        port.read_until(b"time ")
        port.type(b"wdt = machine.WDT(timeout=3000); print('ma' 'de', time.time_ns())\r")
        port.read_until(b"made ")
        made_ns = int(port.read_until(b"\n"))
        cause, _, now_ns, _ = port.start()  # main.py runs again
        assert cause == 3
        assert now_ns - made_ns >= 3_000_000_000
        port.type(b"machine.WDT(timeout=1000); exec('while True: pass')\n")
        assert port.start()[0] == 3
        assert b"start 3" not in port.said_in(4)  # it does not run any more


def test_the_watchdog_outlives_a_soft_reset_at_the_prompt(tmp_path: Path) -> None:
    with served("micropython", flash(tmp_path, SHELL)) as path, closing(Port(path)) as port:
        port.prompt()
        port.type(b"import machine; wdt = machine.WDT(timeout=2500)\r")
        port.read_until(b">>> ")
        port.type(b"\x04")
        # On a busy machine the soft reset may take longer than the watchdog waits.
        while (cause := port.start()[0]) == 5:
            pass
        assert cause == 3


def test_a_fed_watchdog_lets_the_board_live_behind_the_port(tmp_path: Path) -> None:
    program = SHELL.replace("None", "machine.WDT(timeout=1500)", 1)
    with served("micropython", flash(tmp_path, program), 5.0) as path, closing(Port(path)) as port:
        assert b"start 3" not in port.said_in(10)


def test_mpremote_sees_what_a_reset_leaves(tmp_path: Path) -> None:
    with served("micropython", flash(tmp_path, SHELL)) as path:
        store = "import machine; machine.RTC().memory(b'held'); print(machine.reset_cause())"
        assert mpremote(path, "resume", "exec", store) == "1\n"
        look = "import machine; print(machine.reset_cause(), machine.RTC().memory())"
        assert mpremote(path, "exec", look) == "5 b'held'\n"
        with closing(Port(path)) as port:
            port.type(b"\r\x02")
            port.read_until(b">>> ")
            port.type(b"import machine; machine.reset()\r")
            assert port.start()[0] == 2
        assert mpremote(path, "resume", "exec", look) == "2 b'held'\n"
