"""`kegli flash`, with the real esptool at a chip that esp32-mock-bootloader pretends to be."""

from __future__ import annotations

import hashlib
import re
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools import flashing, images, link, ports
from host_tools.cli import main
from host_tools.deploying import started
from host_tools.link import RefusedError
from kegli import __version__ as kegli_version
from tests.host.at_port import board, kegli, score_of
from tests.host.mock_chip import MockChip, mock_chip

ESP32, S2, C3, S3 = 0, 2, 5, 9
OFFSET = {ESP32: 0x1000, S2: 0x1000, C3: 0, S3: 0}
FILES_AT = 0x200000  # behind the last partition, as on MicroPython's boards of 4 MB
MICROPYTHON = b"3.4.0; MicroPython v1.29.0 on 2026-08-24\0"
LATEST_S = 10


def program(chip: int, text: bytes) -> bytes:
    """Return an image of one segment, by ESP-IDF's esp_image_format.h."""
    segment = text + b"\0" * (-len(text) % 4)
    header = struct.pack("<BBBBI", 0xE9, 1, 2, 0x20, 0x40080000)
    header += struct.pack("<BBBBHBHHIB", 0xEE, 0, 0, 0, chip, 0, 0, 0xFFFF, 0, 1)
    data = header + struct.pack("<II", 0x3F400020, len(segment)) + segment
    sum_ = 0xEF
    for byte in segment:
        sum_ ^= byte
    data += b"\0" * (15 - len(data) % 16) + bytes([sum_])
    return data + hashlib.sha256(data).digest()


def table(*more: tuple[bytes, int, int]) -> bytes:
    """Return the partitions of MicroPython 1.26 and later, with *more*: name, offset, size."""
    rows = [(b"nvs", 0x9000, 0x6000), (b"phy_init", 0xF000, 0x1000)]
    rows += [(b"factory", 0x10000, 0x1F0000), *more]
    return b"".join(
        struct.pack("<2sBBLL16sL", b"\xaa\x50", 0, 0, offset, size, name, 0)
        for name, offset, size in rows
    )


def image(chip: int, text: bytes = MICROPYTHON, *more: tuple[bytes, int, int]) -> bytes:
    """Return an image as MicroPython's makeimg.py puts it together: some 150 KB."""
    start = OFFSET[chip]
    data = program(chip, b"boot loader").ljust(0x8000 - start, b"\xff")
    data = (data + table(*more)).ljust(0x10000 - start, b"\xff")
    noise = b"".join(hashlib.sha256(bytes([n % 251, n // 251])).digest() for n in range(2_500))
    return data + program(chip, text + noise)


def flash(chip: MockChip | str, *words: str) -> Result:
    path = chip if isinstance(chip, str) else chip.path
    return CliRunner().invoke(main, ["flash", "--port", path, *words])


def sentence(result: Result) -> str:
    """Return the one sentence with which it failed, whatever it had said before."""
    assert result.exit_code == 1, result.output
    said = result.output.splitlines()[-1]
    assert said.startswith("Error: "), result.output
    return said.removeprefix("Error: ")


@pytest.fixture(autouse=True)
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "_PROMPT_S", 0.1)  # for firmware, of which there is none


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "esp32.bin"
    path.write_bytes(image(ESP32))
    return path


def is_written(chip: MockChip, data: bytes) -> bool:
    at = OFFSET[ESP32] if data[12] == ESP32 else OFFSET[S3]
    return bytes(chip.flash.data[at : at + len(data)]) == data


def hold(chip: MockChip, what: bytes, at: int = FILES_AT) -> None:
    chip.flash.data[at + 8 : at + 8 + len(what)] = what


# -- What is written


@pytest.mark.parametrize(("name", "number"), [("esp32", ESP32), ("esp32s3", S3)])
def test_an_image_is_written_where_its_chip_wants_it(
    name: str, number: int, tmp_path: Path
) -> None:
    path = tmp_path / "micropython.bin"
    path.write_bytes(image(number))
    with mock_chip(name) as chip:
        done = flash(chip, str(path))
        assert done.exit_code == 0, done.output
        assert is_written(chip, image(number))
    assert re.search(r"ESP32\S*, 4 MB of flash; MicroPython 1.29.0 for ESP32", done.output)
    assert "it has no files" in done.output
    assert done.output.splitlines()[-1] == f"The firmware is next: kegli deploy --port {chip.path}"


@pytest.mark.parametrize("more", [(), ((b"vfs", 0x180000, 0x80000),)])
def test_the_boards_files_stay(more: tuple[tuple[bytes, int, int], ...], tmp_path: Path) -> None:
    path = tmp_path / "esp32.bin"
    path.write_bytes(image(ESP32, MICROPYTHON, *more))
    files_at = more[0][1] if more else FILES_AT
    with mock_chip() as chip:
        hold(chip, b"littlefs", files_at)
        done = flash(chip, str(path))
        assert "its files stay" in done.output
        assert done.exit_code == 0
        assert bytes(chip.flash.data[files_at + 8 : files_at + 16]) == b"littlefs"


def test_what_is_not_micropythons_has_to_be_erased_by_name(file: Path) -> None:
    with mock_chip() as chip:
        hold(chip, b"arduino!")
        said = sentence(flash(chip, str(file)))
        assert said.endswith("holds something else than MicroPython's files: --erase forgets it.")
        assert not is_written(chip, image(ESP32))
        done = flash(chip, "--erase", str(file))
        assert done.exit_code == 0, done.output
        assert is_written(chip, image(ESP32))
        assert bytes(chip.flash.data[FILES_AT + 8 : FILES_AT + 16]) == b"\xff" * 8


# -- What is not: mpflash #53 and #28 flashed the wrong image, and all boards


@pytest.mark.parametrize(
    ("name", "number", "said"),
    [
        ("esp32s3", ESP32, "The image is for ESP32, and the chip is ESP32-S3."),
        ("esp32", S3, "The image is for ESP32-S3, and the chip is ESP32-D0WDQ6."),
        ("esp32c3", ESP32, "The firmware runs on ESP32 and ESP32-S3, not on ESP32-C3."),
        ("esp32s2", S3, "The firmware runs on ESP32 and ESP32-S3, not on ESP32-S2."),
    ],
)
def test_chip_and_image_are_compared_before_anything_is_erased(
    name: str, number: int, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "micropython.bin"
    path.write_bytes(image(number))
    with mock_chip(name) as chip:
        before = bytes(chip.flash.data)
        assert sentence(flash(chip, "--erase", str(path))) == said
        assert bytes(chip.flash.data) == before


def damaged(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is no image for an ESP32 chip."),
        (b"PK\x03\x04" + bytes(100), "is no image for an ESP32 chip."),
        (image(C3), "is for ESP32-C3: the firmware runs on ESP32 and ESP32-S3."),
        (image(S2), "is for ESP32-S2: the firmware runs on ESP32 and ESP32-S3."),
        (image(ESP32)[0xF000:], "has no table of partitions: take the .bin for a new board."),
        (image(ESP32)[:-1], "is not whole, or damaged: fetch it again."),
        (image(ESP32)[:0xF010], "is not whole, or damaged: fetch it again."),
        (damaged(image(ESP32), 0x20), "is not whole, or damaged: fetch it again."),
        (damaged(image(ESP32), 0x12000), "is not whole, or damaged: fetch it again."),
        (image(ESP32, b"another program"), "is not MicroPython's."),
    ],
)
def test_an_image_that_is_no_good_is_refused_before_the_port_is_opened(
    data: bytes, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "image.bin"
    path.write_bytes(data)
    assert sentence(flash("/dev/none", str(path))) == f"{path} {said}"


@settings(max_examples=40)
@given(st.integers(0, 0x70), st.integers(0, 255))
def test_whatever_is_in_a_header_an_image_is_read_or_refused(at: int, byte: int) -> None:
    data = image(ESP32)
    for place in (at, 0xF000 + at):
        with suppress(ValueError):
            images.read(data[:place] + bytes([byte]) + data[place + 1 :])


@pytest.mark.parametrize("features", ["Wi-Fi, BT, Embedded Flash", "Embedded PSRAM"])
def test_a_chip_with_memory_at_the_pins_is_refused(features: str) -> None:
    chip = flashing.Chip("ESP32", "ESP32-PICO-D4", features, 4)
    with pytest.raises(RefusedError, match="has memory at GPIO 16 and 17"):
        flashing.check(chip, None)


def test_of_two_boards_none_is_flashed(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    two = [ports.Port("/dev/one", "CP210x", "0001"), ports.Port("/dev/two", "CH340", "")]
    monkeypatch.setattr(ports, "boards", lambda: two)
    done = CliRunner().invoke(main, ["flash", str(file)])
    assert sentence(done).startswith("There are 2 boards: ")


# -- Troubles on the way


def test_a_board_that_fails_at_a_high_rate_is_written_at_a_low_one(file: Path) -> None:
    """460800 baud fails on cheap boards: esphome/issues#814 and #897."""
    with mock_chip(most_baud=115_200) as chip:
        done = flash(chip, str(file))
        assert done.exit_code == 0, done.output
        assert is_written(chip, image(ESP32))
        assert chip.bauds == [460_800]  # a rate of 115200 needs no change
    assert "Again at 115200 baud." in done.output
    assert "troubleshooting" not in done.output


def test_a_rate_can_be_named(file: Path) -> None:
    with mock_chip() as chip:
        assert flash(chip, "--baud", "230400", str(file)).exit_code == 0
        assert chip.bauds == [230_400]


def timed(act: Callable[[], Result]) -> Result:
    begins_s = time.monotonic()
    result = act()
    assert time.monotonic() - begins_s < LATEST_S
    return result


def test_a_cable_that_is_pulled_while_it_writes(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()  # in real time
    with mock_chip(cut_after=50_000) as chip:
        assert sentence(timed(lambda: flash(chip, str(file)))) == f"{chip.path} is gone."


def test_a_chip_that_hangs_while_it_is_written(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flashing, "_SILENCE_S", 3.0)
    with mock_chip(silent_after=50_000) as chip:
        said = sentence(flash(chip, "--baud", "115200", str(file)))
    assert "stopped answering" in said or "No more data to read" in said


def test_the_pinned_image_is_fetched_compared_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = image(S3)
    served = tmp_path / "served.bin"
    served.write_bytes(data)
    pinned = (served.as_uri(), hashlib.sha256(data).hexdigest())
    monkeypatch.setitem(flashing.PINNED, "ESP32-S3", pinned)
    folder = tmp_path / "images"
    assert flashing.fetched("ESP32-S3", folder) == data
    served.unlink()
    assert flashing.fetched("ESP32-S3", folder) == data  # from the folder
    (folder / "served.bin").write_bytes(damaged(data, 100))
    with pytest.raises(RefusedError, match="could not be fetched"):
        flashing.fetched("ESP32-S3", folder)  # what is damaged is not used
    served.write_bytes(damaged(data, 100))
    with pytest.raises(RefusedError, match="is not the image that is pinned"):
        flashing.fetched("ESP32-S3", folder)


def test_every_chip_of_the_firmware_has_a_pinned_image() -> None:
    assert set(flashing.PINNED) == {name for name, _offset in images._CHIPS.values()}
    for chip, (url, digest) in flashing.PINNED.items():
        name = "ESP32_GENERIC" + chip.removeprefix("ESP32").replace("-", "_")
        assert re.fullmatch(rf"https://\S+/{name}-\d{{8}}-v{flashing.VERSION}\.bin", url)
        assert re.fullmatch(r"[0-9a-f]{64}", digest)


def test_a_board_whose_chip_does_not_answer_goes_on_with_its_game(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()  # there is firmware
    with board(tmp_path) as made:  # which has no boot loader
        kegli("console", "--port", made.path, typed="new a.start=7\npass\n")
        said = sentence(flash(made.path, str(file)))
        assert "does not enter its boot loader: hold its BOOT button" in said
        assert started(made.path) == kegli_version
        assert score_of(made.path) == "7:0"
