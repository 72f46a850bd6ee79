"""Power-up of the virtual board: its modules take the place of the chip's, then boot.py runs.

Arguments: the file descriptors from and to the host, the speed (0 for as fast as it goes), the
chip ("esp32" or "esp32s3"), the file of the RTC memory, the folder of the small `micropython`
module for CPython, and the programs to run. The current folder is the board's flash.
"""

import sys

import memory
import world

_, _commands, _answers, _speed, _chip, _rtc_file, _shims, *_programs = sys.argv
# As MicroPython tells its board and chip; "esp32s3" is "ESP32S3" there.
_machine = "Virtual module with " + _chip.upper()

sys.path.insert(0, "")
if sys.implementation.name == "cpython":
    import io
    import time
    import traceback

    # Other modules go on using this one: but for time_ns, which none of them needs, it only gets
    # names that are MicroPython's own.
    for _name in ("ticks_us", "ticks_ms", "ticks_add", "ticks_diff", "sleep_ms", "sleep_us"):
        setattr(time, _name, getattr(world, _name))
    setattr(time, "time_ns", world.time_ns)  # noqa: B010  # mypy takes it for a mistake
    sys.print_exception = lambda error, file=sys.stdout: (  # type: ignore[attr-defined]  # same
        traceback.print_exception(error, file=file)
    )
    sys.path.insert(1, _shims)  # before others of that name
    setattr(sys.implementation, "_machine", _machine)  # noqa: B010  # mypy takes it for a mistake
    # Unbuffered, as on the board: what poll() does not see must not wait in a buffer.
    sys.stdin = io.TextIOWrapper(open(0, "rb", 0))  # noqa: SIM115  # while the board runs
    _interpreter = "CPython"
else:
    sys.modules["time"] = world
    sys.modules["uctypes"] = memory

    class _Implementation:
        """sys.implementation, but for the chip."""

        _machine = _machine

        def __getattr__(self, name: str) -> object:
            return getattr(_implementation, name)

    class _Sys:
        """The module sys, but for the chip."""

        implementation = _Implementation()

        def __getattr__(self, name: str) -> object:
            return getattr(_sys, name)

    _sys = sys
    _implementation = sys.implementation
    sys.modules["sys"] = _Sys()  # type: ignore[assignment]  # all that the firmware asks it for
    _interpreter = "MicroPython"

_from_host = open(int(_commands), "rb", 0)  # noqa: SIM115  # while the board runs
_to_host = open(int(_answers), "wb", 0)  # noqa: SIM115  # while the board runs
_rtc = open(_rtc_file, "r+b", 0)  # noqa: SIM115  # while the board runs
_major, _minor, _micro, _stage = sys.implementation.version[:4]
_version = "%d.%d.%d" % (_major, _minor, _micro)
if _stage not in ("", "final"):
    _version += "-" + _stage
world.begin(world.World(_from_host, _to_host, _rtc, float(_speed), _chip))
_to_host.write(("%s %s\n" % (_interpreter, _version)).encode())  # from now on it can be stopped
world.current().power_up()

for _program in _programs:
    try:
        with open(_program) as _file:
            _text = _file.read()
    except OSError:  # a flash may lack it
        continue
    try:
        exec(_text)
    except SystemExit:
        if world.current().is_soft_reset:
            world.current().end("soft")
        raise
    except Exception as _error:  # told, as the chip does; then comes the next
        sys.print_exception(_error)  # type: ignore[attr-defined]  # MicroPython's own
