"""`kegli hil`: logs at a virtual board's inputs, through Blinka's board that needs no hardware."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from host_tools import hil
from host_tools.hil import Event, comparable, script, wires
from host_tools.link import RefusedError
from tests.host.at_port import Board, board, forget_blinka, kegli, sentence, wired

HEADER = "# kegli-log 1 sensors=pins,cushions\n"
# A fall that rocks, a stroke of none, a button that turns it over, and a mark.
LOG = HEADER + (
    "1000000 cmd new\n4000000 hit 1 200\n4400000 pin 3 1 200\n4402000 pin 3 0 200\n"
    "4405000 pin 3 1 200\n12000000 pin 3 0\n14000000 btn penalty 1\n14100000 btn penalty 0\n"
    "16000000 cmd ok\n18000000 hit 0 200\n18300000 hit 1 200\n26000000 cmd mark carom\n"
    "27000000 end\n"
)
# Wires to outputs of Blinka's OS-agnostic board.
WIRES = {
    "pin 3": "DOTSTAR_CLK",
    "hit 0": "Dx_OUTPUT",
    "hit 1": "NEOPIXEL",
    "btn penalty": "DOTSTAR_DATA",
}
SPEED = 8  # times as fast as life


def options() -> list[str]:
    return [word for name, pin in WIRES.items() for word in ("--wire", f"{name}={pin}")]


@pytest.fixture
def agnostic(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let Blinka find its OS-agnostic board: it looks once, where it is imported first."""
    for name in (*hil.ADAPTERS.values(), "BLINKA_FORCEBOARD", "BLINKA_FORCECHIP"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BLINKA_OS_AGNOSTIC", "1")
    forget_blinka()
    yield
    forget_blinka()


@pytest.fixture
def bench(tmp_path: Path, agnostic: None) -> Iterator[Board]:
    """Yield a board whose inputs are the outputs of Blinka's board, by WIRES."""
    pipe = tmp_path / "inputs"
    with board(tmp_path, "--inputs", str(pipe), speed=SPEED) as made:
        kegli("status", "--port", made.path)  # it has started
        with wired(pipe, WIRES):
            yield made


def play(made: Board, folder: Path, log: str, *more: str) -> str:
    file = folder / "game.log"
    file.write_text(log)
    words = ("hil", "--port", made.path, "--speed", str(SPEED), *options(), *more, str(file))
    done = kegli(*words)
    assert done.exit_code in (0, 1), done.output
    return done.output


def test_a_board_concludes_what_the_log_says(bench: Board, tmp_path: Path) -> None:
    said = play(bench, tmp_path, LOG)
    lines = said.splitlines()
    assert lines[0] == (
        "pin 3 at DOTSTAR_CLK, hit 0 at Dx_OUTPUT, hit 1 at NEOPIXEL, btn penalty at DOTSTAR_DATA."
    )
    assert lines[1].startswith("15 events, at most ")
    assert lines[2] == "The board concludes what the log says: 5 lines."
    # A game that it keeps is left only if somebody says so; its number then is another.
    again = play(bench, tmp_path, LOG)
    assert again == "Error: The board keeps a game: --yes leaves it.\n"
    # A log that says something else than what happens is found out.
    other = LOG.replace("27000000 end\n", "27000000 end\n> stroke game=1 n=1 player=a t=4000000\n")
    said = play(bench, tmp_path, other, "--yes")
    assert "+> stroke game=1 n=1 player=a pins=3 verdict=legal" in said
    assert said.endswith("Error: The board concludes something else than the log.\n")


def test_a_board_with_other_times_is_told(bench: Board, tmp_path: Path) -> None:
    said = play(bench, tmp_path, LOG.replace("cushions\n", "cushions quiet_ms=5000\n", 1))
    assert said == (
        "Error: The log was made with quiet_ms=5000, and the board has 6000:"
        " kegli settings set quiet_ms 5000\n"
    )
    said = play(bench, tmp_path, LOG.replace("cushions\n", "cushions,zone\n", 1))
    assert said == "Error: The log was made with other sensors than the board has.\n"


# -- Scripts


def test_a_log_becomes_events() -> None:
    made = script((HEADER + "5 cmd new\n1000 hit 1 200\n2000 pin 0 1\n3000 btn ok 0\n").encode())
    assert made.events == [
        Event(5, words="new"),
        Event(1000, "hit 1", True),
        Event(2000, "pin 0", True),
        Event(3000, "btn ok", False),
        Event(21_000, "hit 1", False),
    ]
    assert made.sources == ["pin 0", "hit 1", "btn ok"]
    assert made.end_us == 3000


def test_a_one_shot_ends_before_the_next_begins() -> None:
    log = "1 cmd new\n1000 hit 1\n9000 hit 1\n9500 hit 2\n"
    ends = [event for event in script((HEADER + log).encode()).events if not event.level][1:]
    assert [(event.source, event.t_us) for event in ends] == [
        ("hit 1", 8_000),
        ("hit 1", 29_000),
        ("hit 2", 29_500),
    ]


def test_a_comment_may_hold_any_text() -> None:
    log = HEADER + "# Михаил бьёт\n1 cmd new\n1000 hit 1\n"
    assert len(script(log.encode()).events) == 3


def test_a_simulated_game_can_be_played(tmp_path: Path) -> None:
    log = kegli("simulate", "--strokes", "5", "--seed", "7").output
    made = script(log.encode())
    assert len(made.expected) == 6
    assert [event.t_us for event in made.events] == sorted(e.t_us for e in made.events)


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("1 end\n", "Nothing happens in this log."),
        ("1 cmd new\n2 boot watchdog\n", "Line 3 is 'boot', which no bench can make."),
        ("1 cmd new\n2 lost 5\n", "Line 3 is 'lost', which no bench can make."),
        ("1 cmd new\n2 nonsense\n", "The log cannot be read: line 3: '2 nonsense'"),
        ("90000 cmd new\n" + HEADER + "0 cmd new\n", "The file holds several logs: a bench plays"),
    ],
)
def test_a_log_that_no_bench_can_make_is_refused(log: str, said: str) -> None:
    with pytest.raises(RefusedError) as error:
        script((HEADER + log).encode())
    assert str(error.value).startswith(said)
    with pytest.raises(RefusedError, match=r"The log cannot be read: the first line"):
        script(b"rubbish\n")


def test_conclusions_are_compared_without_times_and_games_from_1() -> None:
    lines = [
        "> game n=7 result=playing winner= score=0:0 turn=a strokes=0",
        "> stroke game=7 n=1 player=a t=12345 pins=3",
        "> stroke game=7 n=1 withdrawn",
        "> game n=9 result=playing",
    ]
    assert comparable(lines) == [
        "> game n=1 result=playing winner= score=0:0 turn=a strokes=0",
        "> stroke game=1 n=1 player=a pins=3",
        "> stroke game=1 n=1 withdrawn",
        "> game n=2 result=playing",
    ]


# -- Wires and adapters


@pytest.mark.parametrize(
    ("adapter", "pins"),
    [
        # The names are those of Blinka 10: board modules ftdi_ft232h, microchip_mcp2221, and
        # raspberrypi_40pin.
        ("FTDI_FT232H", [f"C{n}" for n in range(8)] + [f"D{n}" for n in range(4, 8)]),
        ("MICROCHIP_MCP2221", [f"G{n}" for n in range(4)]),
        ("RASPBERRY_PI_4B", [f"D{n}" for n in range(28)]),
    ],
)
def test_the_usual_wires_are_pins_that_an_adapter_has(adapter: str, pins: list[str]) -> None:
    usual = next(found for name, found in hil._WIRES.items() if adapter.startswith(name))
    used = [pin for pin in usual if pin]
    assert set(used) <= set(pins)
    assert len(used) == len(set(used))
    wired = [name for name, pin in zip(hil._INPUTS, usual, strict=False) if pin]
    assert wires((), wired, adapter) == dict(zip(wired, used, strict=True))


@pytest.mark.parametrize(
    ("given", "sources", "said"),
    [
        ((), ["hit 1"], "No pin adapter is named, and this is no Raspberry Pi"),
        (("pin 0=C0",), ["hit 1"], "'hit 1' has no wire: give it one, --wire 'hit 1=PIN'."),
        (("hit 1",), ["hit 1"], "'hit 1' is no wire: say INPUT=PIN"),
        (("ball=C0",), ["hit 1"], "'ball=C0' is no wire: say INPUT=PIN"),
        (("hit 1=C0", "pin 0=C0"), ["hit 1", "pin 0"], "Two inputs are at pin C0."),
    ],
)
def test_wires_that_make_no_sense_are_refused(
    given: tuple[str, ...], sources: list[str], said: str
) -> None:
    with pytest.raises(RefusedError) as error:
        wires(given, sources, "NONE")
    assert str(error.value).startswith(said)


@pytest.mark.parametrize("adapter", ["ft232h", "mcp2221"])
def test_an_adapter_that_is_not_there_is_told(
    adapter: str, agnostic: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "game.log"
    file.write_text(LOG)
    monkeypatch.setenv(hil.ADAPTERS[adapter], "")  # and what the command sets goes again
    said = sentence(kegli("hil", "--port", "/dev/none", "--adapter", adapter, str(file)))
    assert said.startswith(
        ("There is no pin adapter: ", "Blinka needs hid for it: pip install hidapi")
    )


def test_without_blinka_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "board", None)
    with pytest.raises(RefusedError, match=r"needs the bench extra: pip install 'kegli\[bench\]'"):
        hil.adapter_name()


def test_a_pin_that_the_adapter_has_not(agnostic: None) -> None:
    for pin in ("C9", "SDA", "json"):
        with (
            pytest.raises(RefusedError, match=f"The adapter has no output {pin} for 'pin 0'"),
            hil.outputs({"pin 0": pin}),
        ):
            pass


def test_outputs_rest_before_and_after(agnostic: None, monkeypatch: pytest.MonkeyPatch) -> None:
    digital = import_module("digitalio")
    seen: list[tuple[int, int]] = []
    monkeypatch.setattr(digital.Pin, "write", lambda pin, level: seen.append((pin.id, level)))
    with hil.outputs({"pin 0": "Dx_OUTPUT", "btn ok": "NEOPIXEL"}) as pins:
        # A pin that stands is low, a button that is up is high: board.py.
        assert dict(seen) == {4: 0, 6: 1}
        pins["pin 0"].value = True
        pins["btn ok"].value = False
        assert dict(seen) == {4: 1, 6: 0}
    assert dict(seen) == {4: 0, 6: 1}
