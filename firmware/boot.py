"""Runs first, also before a program that the raw REPL brings: nothing here may take long."""

import errno
import os

import micropython

if hasattr(micropython, "alloc_emergency_exception_buf"):  # the unix port has none
    micropython.alloc_emergency_exception_buf(100)  # exceptions in handlers keep their text


def update() -> None:
    """Put the firmware in place that `kegli deploy` has brought to the folder `update`.

    Its file `todo`, which comes last and whole, has a line for each file: `+ PATH` takes the
    place of PATH, `- PATH` goes. Wherever the power is cut, the next start does the rest.
    """
    try:  # noqa: SIM105 (MicroPython has no contextlib)
        # A move that a power cut left half done hides what lies beside it, from reading alone:
        # littlefs ends it before it looks for what is to go.
        os.remove("update/none")
    except OSError:  # there is none, as always
        pass
    try:
        with open("update/todo") as file:
            lines = file.read().split("\n")[:-1]
    except OSError:  # there is nothing to do
        return
    for line in lines:
        path = line[2:]
        try:
            if line[0] == "+":
                os.rename("update/" + path, path)
            else:
                os.remove(path)
        except OSError as error:
            if error.errno != errno.ENOENT:  # else it was done before the power was cut
                raise
    os.remove("update/todo")


update()
