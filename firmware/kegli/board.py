"""The board: which signal is at which GPIO of which chip, and what is known of its times.

For an ESP32-DevKitC-32E, without SPIRAM, and an ESP32-S3-DevKitC-1; not tried on one yet.
Imported on demand: a start alone asks it, and hands on what it says.
"""

import sys

from micropython import const

# fmt: off
_INPUTS = (
    # log         GPIO level  pull-up  sensor        one-shot: only
    #             for "1"              ("": always)  its beginning is an edge
    # A pin's switch is closed to ground while the pin stands: a torn wire is a pin that is down.
    ("pin 0",       1,          1,     "pins",       0),
    ("pin 1",       1,          1,     "pins",       0),
    ("pin 2",       1,          1,     "pins",       0),
    ("pin 3",       1,          1,     "pins",       0),
    ("pin 4",       1,          1,     "pins",       0),
    # Comparators drive these.
    ("hit 0",       1,          0,     "cushions",   1),
    ("hit 1",       1,          0,     "cushions",   1),
    ("hit 2",       1,          0,     "cushions",   1),
    ("hit 3",       1,          0,     "cushions",   1),
    ("click",       1,          0,     "click",      1),
    ("zone",        1,          0,     "zone",       0),
    # Buttons close to ground.
    ("btn ok",      0,          1,     "",           0),
    ("btn penalty", 0,          1,     "",           0),
    ("btn carom",   0,          1,     "",           0),
    ("btn fine",    0,          1,     "",           0),
    ("btn undo",    0,          1,     "",           0),
)
# By chip: the GPIO of each input; of LEDs, thresholds of cushions and click, buzzer.
_GPIOS = {
    # 2, 5: straps. 2 has to be low for flashing: a transistor with a pull-down. 5, held at
    # power-up, changes SDIO timing only. 34 to 39 have no pull-up inside.
    "esp32": (
        (16, 17, 19, 21, 22, 34, 33, 35, 32, 27, 39, 13, 14, 18, 4, 5),
        (23, 25, 26, 2),
    ),
    # Not 0, 3, 45, 46 (straps), 19, 20 (USB), 26 to 37 (flash and PSRAM), 43, 44 (console), 47,
    # 48 (1.8 V on some).
    "esp32s3": (
        (4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 21),
        (41, 1, 2, 42),
    ),
}
# fmt: on
POLLED = const((36, 39))  # interrupts of these may be ghosts (esp-idf issue 1096)

RING_EDGES = const(256)  # 64 may come within 5 ms, and the loop may be busy for 20 ms

# What no input makes in a second, or in eight on average: it is broken then. A pin that falls and
# rocks makes 37 edges in a second, a cushion 5, a click 6 (the most in 120,000 computed strokes);
# mains hum makes 100.
MOST_EDGES = const(80)
MOST_SHOTS = const(12)  # of a one-shot

# Estimates; not measured on hardware.
INTERRUPT_ERROR_US = const(200)  # from the edge to the handler's look at the clock
SCAN_MS = const(2)  # the scan finds what an interrupt lost, at most this late
SCAN_ERROR_US = const(2200)
# A soft hit crosses a threshold later than a hard one: by 1.8 ms at 0.07 m/s, computed for a rail
# that rises in 4 ms; the softest are not heard.
FRONT_END_ERROR_US = const(2000)


def chip(machine: str) -> str:
    """Return the chip that ends `sys.implementation._machine`, "" if it is no known one."""
    name = machine.rpartition(" with ")[2].lower().replace("-", "")
    if name.startswith("esp32s3") and not name[7:8].isdigit():
        return "esp32s3"
    # Modules with SPIRAM, and other packages, have memory at GPIO 16 and 17.
    is_plain = name in ("esp32", "esp32unicore") and "SPIRAM" not in machine
    return "esp32" if is_plain else ""


NAME = chip(getattr(sys.implementation, "_machine", "ESP32"))  # CPython has no board


def inputs(name: str = NAME) -> "list[tuple[str, int, int, int, str, int]]":
    """Return a row for each input of a chip: log, GPIO, and on as above."""
    return [
        (row[0], gpio, row[1], row[2], row[3], row[4])
        for row, gpio in zip(_INPUTS, _GPIOS[name][0])  # noqa: B905 (MicroPython has no strict)
    ]


def outputs(name: str = NAME) -> "tuple[int, int, int, int]":
    """Return the GPIOs of the LEDs, of the thresholds of cushions and click, of the buzzer."""
    return _GPIOS[name][1]
