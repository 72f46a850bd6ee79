"""Thresholds of the front ends: by a DAC, or by filtered PWM where the chip has none.

Imported on demand.
"""

import machine
from micropython import const

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    from typing import Any

    Threshold = list[Any]  # the DAC or PWM, and what it is set to, in mV

_FULL_MV = const(3300)
_BYTE = const(255)
_WORD = const(65535)
_HZ = const(78_125)  # the fastest with 10 bits; 10 kOhm and 1 uF leave 1 mV of it


def take(gpio: int) -> "Threshold":
    """Return the threshold at *gpio*, not yet set. OSError if the chip does not give it out."""
    pin = machine.Pin(gpio)
    if hasattr(machine, "DAC"):
        return [machine.DAC(pin), 0]
    return [machine.PWM(pin, freq=_HZ, duty_u16=0), 0]


def set_mv(threshold: "Threshold", mv: int) -> None:
    """Set it to *mv*, 0 to 3300. By PWM it is there 50 ms later."""
    output = threshold[0]
    threshold[1] = mv
    if hasattr(output, "write"):
        output.write(mv * _BYTE // _FULL_MV)
    else:
        output.init(freq=_HZ, duty_u16=mv * _WORD // _FULL_MV)
