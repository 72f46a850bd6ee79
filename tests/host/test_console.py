"""`kegli console`: piped, at a terminal, and through whatever happens to its port."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.input.base import PipeInput
from prompt_toolkit.output import DummyOutput

from host_tools import console, link
from host_tools.console import OWN, WORDS, Console, help_line, printable
from host_tools.firmware_files import FIRMWARE
from host_tools.link import LastingLink
from host_tools.ports import Port
from kegli.commands import COMMANDS
from kegli.rules import MARKS
from tests.host.at_port import RUBBISH, Board, Cable, board, kegli, score_of, sentence

LATEST_S = 30


@pytest.fixture
def cable() -> Iterator[Cable]:
    with closing(Cable()) as made:
        yield made


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    with board(tmp_path_factory.mktemp("played"), speed=20) as made:
        yield made


class Shown(list[str]):
    """What a console showed."""

    def has(self, what: str) -> bool:
        """Say whether a line with that was shown."""
        return any(what in line for line in self)


@contextmanager
def talking(path: str, pattern: str = "") -> Iterator[tuple[Console, Shown, list[str]]]:
    """Yield a console, what it shows, and what is told of its port."""
    shown = Shown()
    told: list[str] = []
    with LastingLink(path, told.append, lambda _link: None) as lasting:
        yield Console(lasting, shown.append, None, pattern), shown, told


def look_until(talk: Console, shown: Shown, what: str) -> None:
    until_s = time.monotonic() + LATEST_S
    while not shown.has(what):
        assert time.monotonic() < until_s, shown
        talk.look(0.05)


# -- Piped


def test_what_is_piped_is_typed_and_answered_plainly(played: Board) -> None:
    done = kegli("console", "--port", played.path, typed="settings get quiet_ms\nfoo\n")
    assert done.exit_code == 0
    assert "> quiet_ms = 6000 ms (1000 to 60000)\n" in done.output
    assert "> refused 'foo': there is no command 'foo'\n" in done.output
    assert "\x1b" not in done.output


def test_a_filter_shows_what_matches_and_all_is_saved(played: Board, tmp_path: Path) -> None:
    saved = tmp_path / "said.txt"
    words = ("--filter", "quiet|ready", "--save", str(saved))
    done = kegli("console", "--port", played.path, *words, typed="settings\n")
    lines = [line.split()[1] for line in done.output.splitlines()]
    assert lines == ["quiet_ms", "ready_ms"]
    assert saved.read_text().count(" = ") == 17
    again = kegli("console", "--port", played.path, *words, typed="")
    assert "File exists" in sentence(again)


def test_lines_are_typed_one_after_the_other(cable: Cable) -> None:
    came: list[tuple[float, bytes]] = []

    def board() -> None:
        for _ in range(3):
            data = os.read(cable.fd, 1000)
            came.append((time.monotonic(), data))
            os.write(cable.fd, b"> yes\n")

    thread = threading.Thread(target=board)
    thread.start()
    kegli("console", "--port", cable.path, typed="a\nb\nc\n")
    thread.join()
    assert [data for _s, data in came] == [b"a\n", b"b\n", b"c\n"]


def test_a_history_that_cannot_be_kept_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("click.get_app_dir", lambda _name: str(tmp_path))
    assert console.history_file() == tmp_path / "console-history"
    (tmp_path / "console-history").unlink()
    (tmp_path / "console-history").mkdir()
    assert console.history_file() is None


def test_input_that_breaks_off_ends_it() -> None:
    def broken() -> Iterator[str]:
        yield "a\n"
        raise ValueError("not this thread's")

    typed = console.Typed(broken())
    until_s = time.monotonic() + LATEST_S
    while not typed.has_ended:
        assert time.monotonic() < until_s
        typed.line()


def test_a_filter_that_is_none_is_no_use() -> None:
    done = kegli("console", "--filter", "(")
    assert done.exit_code == 2
    assert "is no regular expression" in done.output


def test_its_own_words_do_not_go_to_the_board(cable: Cable) -> None:
    with talking(cable.path) as (talk, shown, _told):
        assert talk.take("/help")
        assert talk.take("/filter [")
        assert talk.take("/nothing")
        assert talk.take("Аня")
        assert talk.take("")
        assert not talk.take("/quit")
        assert shown[-3:] == [
            "That is no regular expression: unterminated character set at position 0.",
            "There is no /nothing: /help tells what there is.",
            "Not sent: the board's console takes printable ASCII.",
        ]
        assert len(shown) == 3 + len(WORDS) + len(OWN)
        talk.take("next")
        assert os.read(cable.fd, 100) == b"next\n"


def test_a_board_at_the_prompt_is_told_and_started(tmp_path: Path) -> None:
    with board(tmp_path) as made, talking(made.path) as (talk, shown, _told):
        talk._link.type(b"\x03")
        look_until(talk, shown, "is at MicroPython's prompt: /start starts its firmware.")
        talk.take("/start")
        look_until(talk, shown, "> Started by soft reset")


# -- Whatever comes


def test_bytes_that_are_no_text_do_no_harm(cable: Cable) -> None:
    """They crashed terminals or locked them up: micropython#15228 and #18887, PR 13586."""
    with talking(cable.path) as (talk, shown, told):
        os.write(cable.fd, b"\x1b[2J\x9b\x07\xff\xd0 \xd0\xba\x00\r\n" + RUBBISH + b"\nafter\n")
        look_until(talk, shown, "after")
        assert shown[0] == "\\x1b[2J\ufffd\\x07\ufffd\ufffd к\\x00"
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "".join(shown))
        assert told == []


def test_a_character_in_two_pieces_arrives_whole(cable: Cable) -> None:
    with talking(cable.path) as (talk, shown, _told):
        first, second = "Аня".encode()[:3], "Аня".encode()[3:]
        os.write(cable.fd, first)
        for _ in range(5):
            talk.look(0.0)
        os.write(cable.fd, second + b"\n")
        look_until(talk, shown, "Аня")


def test_a_flood_without_line_ends_is_shown_in_pieces(cable: Cable) -> None:
    cable.prints(b"x" * 4000)
    with talking(cable.path) as (talk, shown, _told):
        look_until(talk, shown, "xxxx")


def test_control_characters_are_shown_and_not_obeyed() -> None:
    assert printable("\x1b]0;title\x07 \x85 ok \t!") == "\\x1b]0;title\\x07 \\x85 ok \t!"


# -- The port goes and comes


def plug(place: Path, cable: Cable) -> None:
    place.unlink(missing_ok=True)
    place.symlink_to(os.path.realpath(cable.path))


def test_it_waits_for_a_cable_that_is_pulled_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "_AGAIN_S", 0.02)
    place = tmp_path / "port"
    with closing(Cable()) as first, closing(Cable()) as second:
        plug(place, first)
        with talking(str(place)) as (talk, shown, told):
            os.write(first.fd, b"before\nhalf a li")
            look_until(talk, shown, "before")
            place.unlink()
            first.pull()
            talk.look(0.1)
            assert told == [f"{place} is gone. Waiting for it."]
            talk.take("new")
            assert told[1:] == [f"Nothing was sent: {place} is away."]
            for _ in range(5):
                talk.look(0.02)
            plug(place, second)
            while len(told) < 3:
                talk.look(0.02)
            os.write(second.fd, b"after\n")
            look_until(talk, shown, "after")
            assert told[2:] == [f"{place} is back."]
            assert shown == ["before", "after"]  # what was cut off is no line


def test_a_board_that_comes_back_under_another_name_is_known_by_its_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The name of the port changed in the middle of the work: mpflash#16."""
    monkeypatch.setattr(link, "_AGAIN_S", 0.0)
    with closing(Cable()) as first, closing(Cable()) as second, closing(Cable()) as other:
        # Cheap bridges all have the same number: the other is none that came back.
        found = [Port(first.path, "CP210x", "0001"), Port(other.path, "CP210x", "0001")]
        monkeypatch.setattr(link, "boards", lambda: found)
        with talking(first.path) as (talk, shown, told):
            first.pull()
            talk.look(0.1)
            found[0] = Port(second.path, "CP210x", "0001")
            while len(told) < 2:
                talk.look(0.02)
            os.write(other.fd, b"not this one\n")
            os.write(second.fd, b"this one\n")
            look_until(talk, shown, "this one")
            assert told[1:] == [f"{first.path} is back as {second.path}."]
            assert not shown.has("not")


def test_the_power_of_the_board_goes_and_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "_AGAIN_S", 0.1)
    with board(tmp_path) as made, talking(made.path) as (talk, shown, told):
        made.cut()
        while not told:
            talk.look(0.1)
        made.start()
        look_until(talk, shown, "> Started by power-up")
        assert [sentence.split(maxsplit=1)[1] for sentence in told] == [
            "is gone. Waiting for it.",
            "is back.",
        ]


def test_attached_and_detached_a_hundred_times_during_a_game(
    tmp_path: Path,
) -> None:
    """Opening or closing a port reset the board: micropython#9659, esphome/issues#1382."""
    with board(tmp_path, speed=20) as made:
        begins_s = time.monotonic()
        kegli("console", "--port", made.path, typed="new\n")
        for n in range(100):
            saved = tmp_path / f"{n}.txt"
            with (
                saved.open("w", newline="\n") as out,
                LastingLink(made.path, print, lambda _link: None) as lasting,
            ):
                shown = Shown()
                talk = Console(lasting, shown.append, out, "")
                if n % 10 == 5:
                    talk.take("mark repeat" if n == 5 else "pass")
                talk.take("log")
                look_until(talk, shown, "# kegli-log 1 ")
                while not shown[0].startswith("# kegli-log 1 "):
                    del shown[0]
                look_until(talk, shown, " match ")
            # A log begins with its first line; what had been said before it is none of it.
            log = saved.read_text().partition("# kegli-log 1 ")
            saved.write_text(log[1] + log[2], newline="\n")
            assert kegli("replay", str(saved)).exit_code == 0, saved.read_text()
        said = kegli("status", "--port", made.path).output
        assert ", started by power-up" in said
        assert "record: steps that undo reaches: 10\n" in said
        up = re.findall(r"up (\d+):(\d+):(\d+)", said)[0]
        up_s = int(up[0]) * 3600 + int(up[1]) * 60 + int(up[2])
        assert up_s > 20 / 2 * (time.monotonic() - begins_s)  # a busy machine is slower than told
        assert score_of(made.path) == "0:0"


# -- At a terminal


@contextmanager
def terminal() -> Iterator[PipeInput]:
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        yield keys


def test_it_keeps_a_history_and_leaves_by_ctrl_d(cable: Cable, tmp_path: Path) -> None:
    history = tmp_path / "history"
    for keys in ("calibrate\r", "mark touch\r", "\x1b[A\r", "\x1b[A\x1b[A\x1b[A\r"):
        with terminal() as typed, talking(cable.path) as (talk, _shown, _told):
            typed.send_text(keys + "\x04")
            console.interactive(talk, history)
    sent = os.read(cable.fd, 1000).decode().splitlines()
    assert sent == ["calibrate", "mark touch", "mark touch", "calibrate"]
    assert history.read_text().count("+mark touch") >= 1


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("cal", "calibrate"),
        ("s", "score status selftest settings"),
        ("/f", "/filter"),
        ("mark p", "pocket-white pocket-cue"),
        ("settings ", "get set reset"),
        ("settings get q", "quiet_ms"),
        ("settings set b", "bounce_ms button_hold_ms brightness buzzer b.name"),
        ("judge 3 val", "valid"),
        ("new a.t", "a.target="),
        ("new a.target=30 fi", "first= fine="),
        ("turn ", "a b"),
        ("turn a ", ""),
        ("status ", ""),
        ("nothing ", ""),
    ],
)
def test_words_are_completed(typed: str, offered: str) -> None:
    found = console._Words().get_completions(Document(typed), CompleteEvent())
    assert [completion.text for completion in found] == offered.split()


def test_what_the_board_says_is_shown_while_one_types(cable: Cable) -> None:
    class Leaving(Console):
        """A console that is left when the board has spoken."""

        def look(self, for_s: float) -> bool:
            was_heard = super().look(for_s)
            if was_heard:
                keys.send_text("\x04")
            return was_heard

    shown = Shown()
    with terminal() as keys, LastingLink(cable.path, print, lambda _link: None) as lasting:
        os.write(cable.fd, b"> stroke game=1 n=1\n")
        console.interactive(Leaving(lasting, shown.append, None, ""), None)
    assert shown == ["> stroke game=1 n=1"]


def test_what_fails_while_one_types_is_told(cable: Cable) -> None:
    class Full(Console):
        """A console whose disk is full."""

        def look(self, for_s: float) -> bool:
            raise OSError("no room")

    with (
        terminal(),
        LastingLink(cable.path, print, lambda _link: None) as lasting,
        pytest.raises(OSError, match="no room"),
    ):
        console.interactive(Full(lasting, print, None, ""), None)


def test_every_word_has_a_line_of_help() -> None:
    text = (FIRMWARE / "service.py").read_text(encoding="utf-8")  # it needs a chip
    served = re.findall(r'^    "(\w+)": _\w+,$', text.partition("\n_SERVED: ")[2], re.M)
    assert len(served) > 9
    assert set(WORDS) == set(COMMANDS) | set(served)
    for word, (said, _next) in (WORDS | OWN).items():
        assert said
        assert help_line(f" {word} x") == f"{word}: {said}"
    assert set(WORDS["mark"][1]) == set(MARKS)
    assert "Tab completes" in help_line("wor")


def test_the_terms_that_are_completed_are_those_of_new() -> None:
    keys = {term.rstrip("=") for term in WORDS["new"][1]}
    text = (Path(__file__).parents[2] / "firmware/README.md").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith("| `new [KEY=VALUE"))
    assert keys == set(re.findall(r"`([a-z_.]+)`", row.split("start a game:")[1]))
