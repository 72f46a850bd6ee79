"""The firmware type-checks against stubs of MicroPython on the ESP32, the library's and all.

Plain `mypy` takes machine and neopixel from the virtual board, and the rest from CPython.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import files
from pathlib import Path

FIRMWARE = Path(__file__).parents[1] / "firmware"

PACKAGES = ("micropython-esp32-stubs", "micropython-stdlib-stubs")
# Where the stubs say less than MicroPython takes or gives.
CORRECTIONS = (
    # None is no pull, as the text under it says.
    ("machine.pyi", "pull: int = -1", "pull: int | None = -1"),
    # Opaque there, so that no one subtracts them; clock.py does, modulo 2**30.
    ("time.pyi", "def ticks_us() -> _TicksUs:", "def ticks_us() -> int:"),
    ("time.pyi", "def ticks_ms() -> _TicksMs:", "def ticks_ms() -> int:"),
)
# What stubs return is often not known; errors in the stubs themselves do not matter.
CONFIG = """\
[mypy]
strict = True
always_true = _TYPING
warn_return_any = False
follow_imports = silent
follow_imports_for_stubs = True
explicit_package_bases = True
mypy_path = firmware, stubs
custom_typeshed_dir = stubs
no_site_packages = True
cache_dir = cache
color_output = False
error_summary = False
"""
# One error a line, but for the first.
WRONG = """\
import errno, gc, machine, neopixel, os, select, sys, time
machine.Pin(4, machine.Pin.INN)
machine.Pin(4, pull="up")
machine.WDT(timeout="x")
machine.Timer(0).init(period="2")
machine.reset_reason()
neopixel.NeoPixel(machine.Pin(4), 1).show()
time.sleep_us("1")
time.perf_counter()
gc.get_count()
select.poll().ipol(0)
sys.print_exception("x")
errno.ENOSPC
os.path.join("a", "b")
"""


def complaints(folder: Path, checked: str) -> str:
    """Return what mypy says of *checked*, a path in *folder*, against the stubs."""
    for package in PACKAGES:
        for file in files(package) or ():
            if file.suffix == ".pyi" or file.name == "VERSIONS":
                text = file.read_text("utf-8")
                for name, stub, true in CORRECTIONS:
                    if str(file) == name:
                        assert stub in text
                        text = text.replace(stub, true)
                copy = folder / "stubs" / file
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(text, "utf-8")
    (folder / "mypy.ini").write_text(CONFIG)
    mypy = [sys.executable, "-m", "mypy", checked]
    said = subprocess.run(mypy, cwd=folder, capture_output=True, text=True, check=False)
    return said.stdout + said.stderr


def test_the_firmware_agrees_with_micropythons_stubs(tmp_path: Path) -> None:
    for path in FIRMWARE.rglob("*.py"):
        copy = tmp_path / "firmware" / path.relative_to(FIRMWARE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        # What is to be ignored is that CPython's modules are other ones.
        copy.write_text(re.sub(r"  # type: ignore\[.*", "", path.read_text("utf-8")), "utf-8")
    found = complaints(tmp_path, "firmware")
    assert not found, found


def test_what_the_stubs_do_not_have_is_found(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(WRONG)
    found = re.findall(r"^wrong.py:(\d+): error", complaints(tmp_path, "wrong.py"), re.MULTILINE)
    assert list(map(int, found)) == list(range(2, WRONG.count("\n") + 1))
