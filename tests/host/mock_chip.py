"""A chip in its boot loader at a pseudo-terminal, for esptool: esp32-mock-bootloader, in here."""

from __future__ import annotations

import os
import pty
import select
import struct
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryDirectory

from esp32_mock_bootloader import server  # type: ignore[import-untyped]  # it has no types

_CHANGE_BAUDRATE = b"\xc0\x00\x0f\x08\x00"  # direction, command and size; then a sum, the new rate
_RATE_AT = 9
_GARBLED = b"\x55"  # never a frame
_WAIT_MS = 50
_IDLE_S = 0.01


class MockChip:
    """A chip with its `flash`, at `path`; `bauds` are the rates that esptool asked for.

    *most_baud*: faster than that nothing is understood, as on cheap boards. *cut_after*,
    *silent_after*: so many bytes have come from one program, then the cable is pulled, or it
    hangs.
    Each program that opens the port finds it reset, as by the lines of a port.
    """

    def __init__(
        self, chip: str = "esp32", *, most_baud: int = 0, cut_after: int = 0, silent_after: int = 0
    ) -> None:
        self.most_baud = most_baud
        self.cut_after = cut_after
        self.silent_after = silent_after
        self.bauds: list[int] = []
        self.flash = server.FlashImage()  # erased
        self.fd, theirs = pty.openpty()
        tty.setraw(theirs)
        # A name of its own: the system gives that of a terminal which is gone to the next one.
        self._folder = TemporaryDirectory(prefix="kegli-chip-")
        self.path = f"{self._folder.name}/port"
        os.symlink(os.ttyname(theirs), self.path)
        os.close(theirs)
        self.stop = threading.Event()
        self._chip = chip
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self.stop.is_set():
            server.handle_client(
                _Wire(self), self.stop, self._chip, flash=self.flash, exit_on_disconnect=True
            )

    def pull(self) -> None:
        """Pull the cable."""
        self.stop.set()
        with suppress(OSError):  # it is pulled already
            os.unlink(self.path)
            os.close(self.fd)

    def close(self) -> None:
        """End it."""
        self.stop.set()
        self._thread.join()
        self.pull()
        self._folder.cleanup()


class _Wire(server.BootloaderConnection):  # type: ignore[misc]  # same
    """What one program that opens the port finds there."""

    def __init__(self, chip: MockChip) -> None:
        super().__init__(sock=None, pty=chip)
        self._mock = chip
        self._was_there = self._is_garbled = self._will_garble = False
        self._received = 0

    def set_timeout(self, timeout: float) -> None:
        """Wait as long as it wants to."""

    def recv(self, size: int) -> bytes:
        """Return what esptool has sent; raise TimeoutError if that is nothing for now."""
        mock = self._mock
        poll = select.poll()
        poll.register(mock.fd, select.POLLIN)
        events = dict(poll.poll(_WAIT_MS)).get(mock.fd, 0)
        if not events & select.POLLIN:
            if events & select.POLLHUP and self._was_there:
                return b""
            mock.stop.wait(_IDLE_S if events else 0)
            raise TimeoutError
        data = os.read(mock.fd, size)
        self._was_there = True
        self._received += len(data)
        if mock.cut_after and self._received > mock.cut_after:
            mock.pull()
            raise OSError
        if self._is_garbled or (mock.silent_after and self._received > mock.silent_after):
            return _GARBLED
        at = data.find(_CHANGE_BAUDRATE)
        if at >= 0:
            mock.bauds.append(struct.unpack_from("<I", data, at + _RATE_AT)[0])
            self._will_garble = 0 < mock.most_baud < mock.bauds[-1]
        return data

    def sendall(self, data: bytes) -> None:
        """Answer; the new rate holds from the answer on."""
        with suppress(OSError):  # nobody is there
            while data and not self._is_garbled:
                data = data[os.write(self._mock.fd, data) :]
        self._is_garbled = self._is_garbled or self._will_garble

    def abort_empty_session(self) -> bool:
        """Say that an end is one."""
        return False

    def ignore_eof_for_disconnect(self) -> bool:
        """Say that an end is one."""
        return False


@contextmanager
def mock_chip(
    chip: str = "esp32", *, most_baud: int = 0, cut_after: int = 0, silent_after: int = 0
) -> Iterator[MockChip]:
    """Run a chip, and end it."""
    made = MockChip(chip, most_baud=most_baud, cut_after=cut_after, silent_after=silent_after)
    try:
        yield made
    finally:
        made.close()
