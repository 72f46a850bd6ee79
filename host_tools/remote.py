"""mpremote, run as a program at a board that is at MicroPython's prompt."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory

from host_tools import programs
from host_tools.link import GoneError, Link, LinkError, interrupt, is_gone

_SILENCE_S = 8.0  # of mpremote, before it is given up
_BYTES_PER_S = 8192  # it says nothing while it copies a file
# Tools at work do not feed a watchdog; it cannot be stopped, but its time-out can be changed.
_WATCHDOG = "import machine; machine.WDT(timeout=600000)"
_AGAIN = "Its watchdog starts it again within 10 minutes, its reset button at once."


class StuckError(LinkError):
    """The board does not answer any more."""


class Remote:
    """A board at MicroPython's prompt."""

    def __init__(self, path: str) -> None:
        self.path = path

    def run(
        self, *steps: Sequence[str], largest: int = 0, each: Callable[[str], None] | None = None
    ) -> list[str]:
        """Carry out mpremote's commands *steps* in one connection; return the lines printed.

        Before them the watchdog is stopped. *largest*: bytes of the largest file that is copied.
        *each* gets a line as soon as it comes. Raise LinkError with what went wrong.
        """
        # It knows what kind of port it is by its own name, not by that of a link to it.
        path = os.path.realpath(self.path) if self.path.startswith("/") else self.path
        words = ["connect", path, "resume", "exec", _WATCHDOG]
        for step in steps:
            words += ["+", *step]
        silence_s = _SILENCE_S + largest / _BYTES_PER_S
        try:
            with TemporaryDirectory(prefix="kegli-mpremote-") as none:
                status, said = programs.run(
                    "mpremote",
                    *words,
                    silence_s=silence_s,
                    each=each,
                    environment={"XDG_CONFIG_HOME": none},  # words of one's own change its
                )
        except programs.SilentError:
            raise StuckError(f"The board at {self.path} stopped answering. {_AGAIN}") from None
        if status:
            raise self._trouble(said)
        return said

    def _trouble(self, said: list[str]) -> LinkError:
        """Return what mpremote failed by, in one sentence."""
        if is_gone(self.path):
            return GoneError(f"{self.path} is gone.")
        last = next((line for line in reversed(said) if line.strip()), "mpremote said nothing")
        return LinkError(
            f"mpremote failed at {self.path}: {last.removeprefix('mpremote: ').rstrip('.')}."
        )


@contextmanager
def at_prompt(path: str) -> Iterator[Remote]:
    """Stop the firmware of the board at *path*, and start it again at the end.

    It stops when its table is at rest, and stores all. Whatever happens here it is started
    again, but where the port is gone, or nothing answers there any more. Raise LinkError.
    """
    with Link(path) as link:
        interrupt(link)
    remote = Remote(path)
    try:
        yield remote
    except (GoneError, StuckError):
        raise
    except BaseException as error:  # Ctrl-C too
        if not _started(remote) and isinstance(error, LinkError):
            raise LinkError(f"{error} {_AGAIN}") from error
        raise
    try:
        remote.run(["reset"])
    except KeyboardInterrupt:
        _started(remote)
        raise


def _started(remote: Remote) -> bool:
    """Start the board, and say whether it could be told to."""
    try:
        remote.run(["reset"])
    except LinkError:
        return False
    return True
