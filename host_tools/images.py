"""MicroPython images for ESP32 chips: which chip one is for, and whether it is whole."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass

from esptool.bin_image import LoadFirmwareImage  # type: ignore[import-untyped]  # it has no types
from esptool.util import FatalError  # type: ignore[import-untyped]  # same

# ESP-IDF's esp_image_header_t: magic, and the chip's number at byte 12.
_MAGIC = 0xE9
_HEADER = struct.Struct("<B11xH")
# Chips that the firmware runs on, by that number: esptool's name, and where an image begins.
_CHIPS = {0: ("ESP32", 0x1000), 9: ("ESP32-S3", 0x0)}
# Others that MicroPython has images for: esptool's IMAGE_CHIP_IDs.
_OTHERS = {2: "ESP32-S2", 5: "ESP32-C3", 12: "ESP32-C2", 13: "ESP32-C6", 18: "ESP32-P4"}
_TABLE_AT = 0x8000  # in the flash, of the partition table
_TABLE_BYTES = 0xC00
_APP_AT = 0x10000
_ROW = struct.Struct("<2sBBLL16sL")  # magic, type, subtype, offset, size, name, flags
_ROW_MAGIC = b"\xaa\x50"
_FILES = ("vfs", "ffat")  # partitions that hold files; since 1.26 they begin behind the last
_VERSION = re.compile(rb"MicroPython v([\w.-]+) on \d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class Image:
    """A whole image of MicroPython, for *chip* as esptool calls it."""

    data: bytes
    chip: str
    offset: int  # where it goes in the flash
    files_at: int  # where the board's files begin
    version: str  # of MicroPython, "" if it does not tell


def read(data: bytes) -> Image:
    """Return what an image is. Raise ValueError with one sentence if it is none, or damaged."""
    if len(data) < _HEADER.size or data[0] != _MAGIC:
        raise ValueError("is no image for an ESP32 chip")
    number = _HEADER.unpack_from(data)[1]
    if number not in _CHIPS:
        name = _OTHERS.get(number, f"chip {number}")
        raise ValueError(f"is for {name}: the firmware runs on ESP32 and ESP32-S3")
    chip, offset = _CHIPS[number]
    rows = _rows(data[_TABLE_AT - offset : _TABLE_AT - offset + _TABLE_BYTES])
    if not rows:
        raise ValueError("has no table of partitions: take the .bin for a new board")
    for part in (data, data[_APP_AT - offset :]):
        if not _is_whole(chip, part):
            raise ValueError("is not whole, or damaged: fetch it again")
    if b"MicroPython" not in data:
        raise ValueError("is not MicroPython's")
    files_at = [at for name, at, _size in rows if name in _FILES]
    version = _VERSION.search(data)
    return Image(
        data,
        chip,
        offset,
        files_at[0] if files_at else max(at + size for _name, at, size in rows),
        version[1].decode() if version else "",
    )


def _rows(table: bytes) -> list[tuple[str, int, int]]:
    """Return name, offset and size of each partition."""
    rows = []
    for at in range(0, len(table) - _ROW.size + 1, _ROW.size):
        magic, _type, _subtype, offset, size, name, _flags = _ROW.unpack_from(table, at)
        if magic != _ROW_MAGIC:
            break
        rows.append((name.rstrip(b"\0").decode("ascii", "replace"), offset, size))
    return rows


def _is_whole(chip: str, data: bytes) -> bool:
    """Say whether a bootloader or a program is what its checksums say."""
    try:
        image = LoadFirmwareImage(chip, data)
        is_right = image.checksum == image.calculate_checksum()
        if image.append_digest:
            is_right = is_right and image.stored_digest == image.calc_digest
    except (FatalError, RuntimeError, struct.error, IndexError, TypeError):
        return False
    return bool(is_right)
