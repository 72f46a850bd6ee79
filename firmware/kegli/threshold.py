"""A threshold of the front ends: of a DAC, or of filtered PWM where the chip has none.

Imported on demand.
"""

import machine
from micropython import const

_FULL_MV = const(3300)
_BYTE = const(255)
_WORD = const(65535)
_HZ = const(78_125)  # the fastest with 10 bits; 10 kOhm and 1 uF leave 1 mV of it


class Threshold:
    """The one at *gpio*; `mv` is what it was set to.

    Raise OSError if the chip does not give it out.
    """

    def __init__(self, gpio: int) -> None:
        self.mv = 0
        self._dac = machine.DAC(machine.Pin(gpio)) if hasattr(machine, "DAC") else None
        self._pwm = None if self._dac else machine.PWM(machine.Pin(gpio), freq=_HZ, duty_u16=0)

    def set(self, mv: int) -> None:
        """Set it to *mv*, 0 to 3300. By PWM it is there 50 ms later."""
        self.mv = mv
        if self._dac:
            self._dac.write(mv * _BYTE // _FULL_MV)
        elif self._pwm:
            self._pwm.init(freq=_HZ, duty_u16=mv * _WORD // _FULL_MV)
