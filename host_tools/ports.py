"""Serial ports: which of them are boards, and which one a command is for."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import click
from serial.tools import list_ports

# USB bridges of ESP32 boards, and the chips' own USB, by vendor and product: from the tables of
# the makers of bridges, and ESP-IDF's usb_serial_jtag and tinyusb defaults. An FT232H is none: it
# is the pin adapter of `kegli hil`.
_BOARDS = {
    (0x10C4, 0xEA60): "CP210x",
    (0x1A86, 0x7523): "CH340",
    (0x1A86, 0x55D3): "CH343",
    (0x1A86, 0x55D4): "CH9102",
    (0x0403, 0x6001): "FT232R",
    (0x0403, 0x6010): "FT2232H",
    (0x0403, 0x6015): "FT230X",
    (0x303A, 0x1001): "ESP32-S3, USB JTAG/serial",
    (0x303A, 0x4001): "ESP32-S3, MicroPython's USB",
}


@dataclass(frozen=True)
class Port:
    """A port with a board behind it, as far as its USB bridge tells."""

    path: str
    what: str
    serial: str  # number of the bridge; many have none

    def __str__(self) -> str:
        """Return what a person tells it from others by."""
        return f"{self.path} ({self.what}{', ' + self.serial if self.serial else ''})"


def boards() -> list[Port]:
    """Return the ports that are boards, in order of their paths."""
    found = []
    for port in list_ports.comports():
        what = _BOARDS.get((port.vid, port.pid)) if port.vid and port.pid else None
        if what:
            found.append(Port(port.device, what, port.serial_number or ""))
    return sorted(found, key=lambda port: port.path)


def chosen(path: str | None) -> str:
    """Return *path*, or else that of the only board; ask where there are several.

    Raise click.ClickException with one sentence if there is none, and if there are several and
    nobody to ask.
    """
    if path:
        return path
    found = boards()
    if not found:
        raise click.ClickException(
            "There is no board: plug its USB cable in, or name its port with --port."
        )
    if len(found) == 1:
        return found[0].path
    listed = "; ".join(map(str, found))
    if not sys.stdin.isatty():
        raise click.ClickException(
            f"There are {len(found)} boards: {listed}. Name one with --port."
        )
    for number, port in enumerate(found, 1):
        click.echo(f"{number}  {port}", err=True)
    number = click.prompt("Which one?", type=click.IntRange(1, len(found)), err=True)
    return found[number - 1].path
