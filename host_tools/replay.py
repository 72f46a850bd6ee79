"""What a log says, played through the firmware's own core: `kegli replay`."""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kegli.header import setting
from kegli.lines import TARDY_US, printable
from kegli.match import PLAYER_NAMES, Game
from kegli.referee import Referee

_FIRST = b"# kegli-log "
_MOST_DIGITS = 18
CONCLUSIONS = ("> stroke ", "> game ")


@dataclass
class Replay:
    """A log as the core played it."""

    referee: Referee
    recorded: list[str] = field(default_factory=list)  # conclusions that the log holds
    now: list[str] = field(default_factory=list)  # what the core concludes
    notices: list[str] = field(default_factory=list)
    skipped: int = 0
    fault: str = ""  # why reading stopped
    truncated: str = ""  # what was left of a last line without its LF

    @property
    def agrees(self) -> bool:
        """Say whether the log holds no conclusions, or just those that the core draws."""
        return not self.recorded or self.recorded == self.now

    def difference(self) -> list[str]:
        """Return the first difference as the lines of a unified diff."""
        lines = difflib.unified_diff(self.recorded, self.now, "log", "core now", lineterm="", n=1)
        shown: list[str] = []
        for line in lines:
            if line.startswith("@@") and any(shown_line.startswith("@@") for shown_line in shown):
                break
            shown.append(line)
        return shown


def read(name: str) -> bytes:
    """Return the bytes of the file *name*, `-` for standard input. Raise ValueError."""
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise ValueError(f"{name}: {error.strerror or error}") from error


def logs(data: bytes) -> list[bytes]:
    """Return the logs in *data*, one after the other.

    A recording that goes on when the power was cut, or the settings changed, holds another log
    from there on: a first line behind which time starts again, or another one behind which it
    is 0. Other first lines in it are comments.
    """
    if b"\n" + _FIRST not in data:
        return [data]
    found = [b""]
    latest_us = 0
    first = data[: data.find(b"\n")]
    waiting = b""  # a first line, with what follows up to the next time
    for line in data.splitlines(keepends=True):
        if line.startswith(_FIRST) and (found[-1] or waiting):
            found[-1] += waiting
            waiting = line
            continue
        word = line.split(b" ")[0]
        if word.isdigit():
            t_us = int(word[:_MOST_DIGITS])
            header = waiting.split(b"\n")[0]
            if waiting and (t_us + TARDY_US < latest_us or (t_us == 0 and header != first)):
                found.append(b"")
                latest_us = 0
                first = header
            latest_us = max(latest_us, t_us)
            found[-1] += waiting + line
            waiting = b""
        elif waiting:
            waiting += line
        else:
            found[-1] += line
    found[-1] += waiting
    return found


def play(data: bytes, *, lenient: bool = False, settings: dict[str, int] | None = None) -> Replay:
    """Play the bytes of a kegli-log 1. Raise ValueError if its first line is not one.

    Reading stops at the first bad line (`fault`), or skips and counts it if *lenient*.
    *settings* overrides times of kegli.header.SETTINGS, in milliseconds.
    """
    # One character a byte: comments may hold any, and the core refuses the others.
    lines = data.decode("latin-1").split("\n")
    truncated = lines.pop()
    if not lines:
        raise ValueError("the log has no first line" + (" that is whole" if truncated else ""))
    replay = Replay(Referee(lines[0].removesuffix("\r"), settings), truncated=truncated)
    feed = replay.referee.feed
    for number, line in enumerate(lines[1:], 2):
        try:
            feed(line)
        except ValueError as error:
            if not lenient:
                replay.fault = f"line {number}: '{printable(line)}': {error}"
                break
            replay.skipped += 1
            replay.referee.skip()
        if line.startswith(CONCLUSIONS):
            replay.recorded.append(line.removesuffix("\r"))
    replay.referee.finish()
    for line in replay.referee.take():
        (replay.now if line.startswith(CONCLUSIONS) else replay.notices).append(line)
    return replay


def parse_settings(pairs: Iterable[str]) -> dict[str, int]:
    """Return settings from `key=value` words. Raise ValueError."""
    settings: dict[str, int] = {}
    for pair in pairs:
        key, _equals, value = pair.partition("=")
        setting(settings, key, value)
    return settings


def _pair(values: Iterable[int]) -> dict[str, int]:
    return dict(zip(PLAYER_NAMES, values, strict=True))


def stroke_rows(referee: Referee) -> list[dict[str, Any]]:
    """Return one row for each stroke of all games as it finally stands, in order."""
    return [
        {
            "game": game.number,
            "stroke": outcome.number,
            "player": PLAYER_NAMES[outcome.player],
            "t_us": outcome.t_us,
            "pins": [pin for pin in range(5) if outcome.pins >> pin & 1],
            "verdict": outcome.verdict,
            "certain": outcome.certain,
            "award": _pair(outcome.award),
            "clauses": list(outcome.clauses),
            "score": _pair(outcome.score),
            "turn": PLAYER_NAMES[outcome.turn],
            "flags": list(outcome.flags),
        }
        for game in referee.match.games
        for outcome in referee.match.outcomes(game)[1]
    ]


def game_rows(referee: Referee) -> list[dict[str, Any]]:
    """Return one row for each game, in order."""
    return [_game_row(referee, game) for game in referee.match.games]


def _counts(referee: Referee, game: Game) -> tuple[int, int]:
    """Return (edges lost, lines refused or skipped) from the start of *game* to the next."""
    match = referee.match
    following = match.games.index(game) + 1
    lost, errors = match.lost, match.errors
    if following < len(match.games):
        lost, errors = match.games[following].before
    return lost - game.before[0], errors - game.before[1]


def _game_row(referee: Referee, game: Game) -> dict[str, Any]:
    lost, errors = _counts(referee, game)
    return {
        "game": game.number,
        "state": referee.state if game is referee.game else "over",
        "winner": None if game.winner is None else PLAYER_NAMES[game.winner],
        "result": game.result,
        "score": _pair(game.score),
        "strokes": game.strokes,
        "turn": PLAYER_NAMES[game.turn],
        "by_hand": game.by_hand,
        "lost": lost,
        "errors": errors,
    }


def json_lines(referee: Referee) -> Iterator[str]:
    """Yield the rows as JSON, one object a line: strokes, then games."""
    for row in stroke_rows(referee) + game_rows(referee):
        yield json.dumps(row)


def text_lines(referee: Referee) -> Iterator[str]:
    """Yield what a person reads: each stroke on a line, each game under its strokes."""
    strokes = stroke_rows(referee)
    for game in game_rows(referee):
        yield f"game {game['game']}"
        while strokes and strokes[0]["game"] == game["game"]:
            yield "  " + stroke_text(strokes.pop(0))
        yield "  " + game_text(game)


def stroke_text(row: dict[str, Any]) -> str:
    """Return a stroke on one line: number, player, pins, verdict, award, clauses, score."""
    pins = ",".join(map(str, row["pins"])) or "-"
    verdict = row["verdict"] + ("" if row["certain"] else "?")
    award = " ".join(f"{name}+{n}" for name, n in row["award"].items() if n) or "0"
    line = (
        f"{row['stroke']:3} {row['player']}  pins {pins:9}  {verdict:7} {award:5}"
        f" {' '.join(row['clauses']):15} {row['score']['a']:3}:{row['score']['b']:<3}"
        f" next {row['turn']}  {' '.join(row['flags'])}"
    )
    return line.rstrip()


def game_text(row: dict[str, Any]) -> str:
    """Return a game on one line: how it stands, the score, what was lost or refused."""
    how = f"{row['winner']} won" if row["winner"] else row["result"]
    line = f"{how}, {row['score']['a']}:{row['score']['b']} after {row['strokes']} strokes"
    if row["result"] == "playing":
        line += f", {row['state']}, next {row['turn']}"
    for key, text in (("lost", "edges lost"), ("errors", "lines refused or skipped")):
        if row[key]:
            line += f", {row[key]} {text}"
    return line + (", corrected by hand" if row["by_hand"] else "")
