"""Programs of others, mpremote and esptool: run, their lines as they come, given up if silent."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping

# These would colour what is read here, or change what is done.
_NOT_FOR_THEM = ("FORCE_COLOR", "TTY_COMPATIBLE", "ESPTOOL_")


class SilentError(Exception):
    """The program has said nothing for too long, and was ended."""


def run(
    module: str,
    *words: str,
    silence_s: float,
    each: Callable[[str], None] | None = None,
    environment: Mapping[str, str] | None = None,
) -> tuple[int, list[str]]:
    """Run a Python program by its *module*; return its status and the lines that it printed.

    *each* gets a line as soon as it comes. Raise SilentError after *silence_s* without one.
    """
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(_NOT_FOR_THEM)}
    lines: queue.Queue[str | None] = queue.Queue()
    with subprocess.Popen(
        # -P: what lies in the current folder is none of its modules.
        [sys.executable, "-P", "-m", module, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        env={**inherited, "PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1", **(environment or {})},
    ) as program:

        def read() -> None:
            for line in program.stdout or ():
                lines.put(line.rstrip("\r\n"))
            lines.put(None)

        reader = threading.Thread(target=read)
        reader.start()
        try:
            said = _taken(lines, silence_s, each)
            return program.wait(), said
        finally:
            program.kill()
            reader.join()  # before its stream is closed


def _taken(
    lines: queue.Queue[str | None], silence_s: float, each: Callable[[str], None] | None
) -> list[str]:
    said: list[str] = []
    while True:
        try:
            line = lines.get(timeout=silence_s)
        except queue.Empty:
            raise SilentError from None
        if line is None:
            return said
        said.append(line)
        if each:
            each(line)
