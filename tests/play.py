"""Plays a short log through the core, and the notation in which the tests write such logs.

A test of the rules is a row: a clause, what happens, a log, and the strokes and games that the
rules make of it. Logs are written in a notation of steps, separated by ";":

    <seconds> <kind> [argument ...]     a line of the log: "1.2 pin 3 1 200", "6 end"
    <seconds> <command> [argument ...]  the same with `cmd`: "3 mark carom"
    <seconds> fall 0,3 [U]              these pins tilt
    <seconds> stand 0,3                 these pins come upright
    <seconds> rock 3 0.1                pin 3 tilts for 0.1 s
    <seconds> press ok 0.1              a button is held for 0.1 s
    <seconds> stroke [0,3]              a cushion is hit, the pins fall 0.2 s later and stand again
                                        after 3 s: over after 4 s, without pins after 6 s

and outcomes as one line for each stroke and game:

    @1 a 0,3 legal? 5:0 R2.2 = 5:0 a late-fall judged
        t_us in seconds, player, pins, verdict (? not certain), award, clauses
        = score and turn after it, flags
    over won a 5:0 a 1 by-hand lost=2 errors=1
        state, result, winner, score, turn, strokes, and what is not zero
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from host_tools.replay import game_rows, stroke_rows
from kegli.referee import Referee

HEADER = "# kegli-log 1 board=test sensors=pins,cushions"

_KINDS = frozenset(("pin", "hit", "click", "zone", "btn", "cmd", "lost", "boot", "match", "end"))


@dataclass(frozen=True)
class Played:
    """What the core says of a log: objects as `kegli replay --json` prints, and `>` lines."""

    strokes: list[dict[str, Any]]
    games: list[dict[str, Any]]
    lines: list[str]


def play(lines: str, header: str = HEADER) -> Played:
    """Feed the lines of a log, without its header, to a new referee and let it finish."""
    referee = Referee(header)
    for line in lines.splitlines():
        referee.feed(line)
    referee.finish()
    return Played(stroke_rows(referee), game_rows(referee), referee.take())


def strokes_told(lines: list[str]) -> list[dict[str, Any]]:
    """Return the strokes that `> stroke` lines, read in order, leave standing."""
    standing: dict[tuple[int, int], dict[str, Any]] = {}
    for word in _conclusions(lines, "stroke"):
        key = int(word["game"]), int(word["n"])
        if "player" not in word:  # the stroke is no more
            del standing[key]
            continue
        standing[key] = {
            "player": word["player"],
            "t_us": int(word["t"]),
            "pins": [int(pin) for pin in _list(word["pins"])],
            "verdict": word["verdict"],
            "certain": {"yes": True, "no": False}[word["certain"]],
            "award": dict(zip("ab", word["award"].split(":"), strict=True)),
            "clauses": _list(word["clauses"]),
            "score": dict(zip("ab", word["score"].split(":"), strict=True)),
            "turn": word["turn"],
            "flags": _list(word["flags"]),
        }
    return [standing[key] for key in sorted(standing)]


def results_told(lines: list[str]) -> list[str]:
    """Return what `> game` lines, read in order, leave standing: result, winner, final score."""
    standing: dict[int, str] = {}
    for word in _conclusions(lines, "game"):
        if "result" not in word:  # the game is no more
            del standing[int(word["n"])]
        else:
            standing[int(word["n"])] = _result(word["result"], word["winner"], word["score"])
    return [standing[n] for n in sorted(standing)]


def _conclusions(lines: list[str], kind: str) -> Iterator[dict[str, str]]:
    for line in lines:
        if line.startswith(f"> {kind} "):
            pairs = (word.partition("=") for word in line.split()[2:])
            yield {key: value for key, _, value in pairs}


def _list(words: str) -> list[str]:
    return words.split(",") if words else []


def _result(result: str, winner: str, score: str) -> str:
    return f"{result} {winner or '-'} {score}" if result != "playing" else result


def script(steps: str) -> str:
    """Expand the notation above into lines of a log, by time; equal times keep their order."""
    lines = [line for step in steps.split(";") if step.strip() for line in _expand(step.split())]
    return "\n".join("%d %s" % line for line in sorted(lines, key=lambda line: line[0]))


def microseconds(seconds: str) -> int:
    """Return a time written in seconds, exactly."""
    return int(Decimal(seconds) * 1_000_000)


def _expand(words: list[str]) -> Iterator[tuple[int, str]]:
    t_us, kind, arguments = microseconds(words[0]), words[1], words[2:]
    if kind in ("fall", "stand"):
        level = int(kind == "fall")
        for pin in arguments[0].split(","):
            yield t_us, " ".join(["pin", pin, str(level), *arguments[1:]])
    elif kind == "rock":
        yield t_us, f"pin {arguments[0]} 1"
        yield t_us + microseconds(arguments[1]), f"pin {arguments[0]} 0"
    elif kind == "press":
        yield t_us, f"btn {arguments[0]} 1"
        yield t_us + microseconds(arguments[1]), f"btn {arguments[0]} 0"
    elif kind == "stroke":
        yield t_us, "hit 0"
        for pin in arguments[0].split(",") if arguments else ():
            yield t_us + 200_000, f"pin {pin} 1"
            yield t_us + 3_000_000, f"pin {pin} 0"
    else:
        yield t_us, " ".join([kind, *arguments] if kind in _KINDS else ["cmd", kind, *arguments])


def stroke_text(stroke: dict[str, Any]) -> str:
    """Write a stroke in the notation above; not its flag `check`, which no rule settles."""
    time = format(Decimal(stroke["t_us"]) / 1_000_000, "f")
    words = [
        "@" + (time.rstrip("0").rstrip(".") if "." in time else time),
        stroke["player"],
        ",".join(str(pin) for pin in stroke["pins"]) or "-",
        stroke["verdict"] + ("" if stroke["certain"] else "?"),
        _both(stroke["award"]),
        ",".join(stroke["clauses"]) or "-",
        "=",
        _both(stroke["score"]),
        stroke["turn"],
        *(flag for flag in stroke["flags"] if flag != "check"),
    ]
    return " ".join(words)


def game_text(game: dict[str, Any]) -> str:
    """Write a game in the notation above."""
    words = [
        game["state"],
        game["result"],
        game["winner"] or "-",
        _both(game["score"]),
        game["turn"],
        str(game["strokes"]),
        *(["by-hand"] if game["by_hand"] else []),
        *(f"{key}={game[key]}" for key in ("lost", "errors") if game[key]),
    ]
    return " ".join(words)


def _both(points: dict[str, Any]) -> str:
    return f"{points['a']}:{points['b']}"


@dataclass(frozen=True)
class Row:
    """One row of a table of tests: a log and what the rules make of it."""

    steps: str
    strokes: list[str]
    games: list[str] | None
    header: str

    def outcome(self) -> dict[str, list[str] | None]:
        """Play the log; return what came of it and, from its `>` lines, what the board told."""
        played = play(script(self.steps), self.header)
        results = [
            _result(game["result"], game["winner"], _both(game["score"])) for game in played.games
        ]
        told = results_told(played.lines)
        return {
            "strokes": [stroke_text(stroke) for stroke in played.strokes],
            "strokes told": [stroke_text(stroke) for stroke in strokes_told(played.lines)],
            "results told wrong": [] if told == results else told,
            "games": None if self.games is None else [game_text(game) for game in played.games],
        }

    def expected(self) -> dict[str, list[str] | None]:
        """Return the outcome as the rules have it, told as it is."""
        return {
            "strokes": self.strokes,
            "strokes told": self.strokes,
            "results told wrong": [],
            "games": self.games,
        }


def row(  # noqa: PLR0913  (the columns of a table)
    clause: str,
    what: str,
    steps: str,
    strokes: str,
    games: str | None = None,
    *,
    sensors: str = "",
    settings: str = "",
) -> Any:
    """Make a parameter of a test. Its id begins with the clause: `pytest -k R2.3` finds it.

    Strokes and games are separated by ";"; games is None where the row does not speak of them.
    """
    header = HEADER + "".join("," + sensor for sensor in sensors.split())
    header += " " + settings if settings else ""
    games_expected = None if games is None else _split(games)
    return pytest.param(
        Row(steps, _split(strokes), games_expected, header),
        id=f"{clause}-{what.replace(' ', '_')}",
    )


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(";") if part.strip()]
