"""The board: which signal is at which GPIO, and what is known of its times.

For an ESP32-DevKitC-32E. Nothing here was tried on one yet.
"""

from micropython import const

NAME = "esp32"

SENSORS = ("pins", "cushions", "click", "zone")  # in the order of the log's first line
FITTED = ("pins", "cushions")  # always there

# fmt: off
INPUTS = (
    # log       GPIO  GPIO level    pull-up  sensor        one-shot: only
    #                 for "1"                ("": always)  its beginning is an edge
    # A pin's switch is closed to ground while the pin stands: a torn wire is a pin that is down.
    ("pin 0",     16,  1,            1,      "pins",       0),
    ("pin 1",     17,  1,            1,      "pins",       0),
    ("pin 2",     19,  1,            1,      "pins",       0),
    ("pin 3",     21,  1,            1,      "pins",       0),
    ("pin 4",     22,  1,            1,      "pins",       0),
    # GPIO 34 to 39 have no pull-up inside. Interrupts of 39 may be ghosts; they do no harm,
    # because levels decide.
    ("hit 0",     34,  1,            0,      "cushions",   1),
    ("hit 1",     33,  1,            0,      "cushions",   1),
    ("hit 2",     35,  1,            0,      "cushions",   1),
    ("hit 3",     32,  1,            0,      "cushions",   1),
    ("click",     27,  1,            0,      "click",      1),
    ("zone",      39,  1,            0,      "zone",       0),
    # Buttons close to ground. GPIO 5 is a strap: held at power-up it changes SDIO timing only.
    ("btn ok",      13,  0,          1,      "",           0),
    ("btn penalty", 14,  0,          1,      "",           0),
    ("btn carom",   18,  0,          1,      "",           0),
    ("btn fine",     4,  0,          1,      "",           0),
    ("btn undo",     5,  0,          1,      "",           0),
)
# fmt: on

LED_GPIO = const(23)
CUSHION_DAC = const(25)  # thresholds of the front ends
CLICK_DAC = const(26)

RING_EDGES = const(256)  # 64 may come within 5 ms, and the loop may be busy for 20 ms

# Estimates; not measured on hardware.
INTERRUPT_ERROR_US = const(200)  # from the edge to the handler's look at the clock
SCAN_MS = const(2)  # the scan finds what an interrupt lost, at most this late
SCAN_ERROR_US = const(2200)
