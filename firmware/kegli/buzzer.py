"""The buzzer: short tunes, which go on while the loop does other things."""

from time import ticks_diff, ticks_ms  # type: ignore[attr-defined]  # MicroPython's own

from machine import PWM, Pin
from micropython import const

_HALF = const(32768)  # of the duty
_HZ = const(1000)  # of silence
_MASK = const(0x3FFFFFFF)  # of ticks

# Hz and ms in turn; 0 Hz is a pause.
_TUNES = {
    "": (),  # silence
    "press": (2400, 40),
    "refused": (300, 60, 0, 40, 300, 60),
    "penalty": (600, 120, 300, 240),
    "win": (800, 120, 1000, 120, 1200, 120, 1600, 300),
    "fault": (200, 600),
}


class Buzzer:
    """A buzzer without electronics of its own, at *gpio*."""

    def __init__(self, gpio: int) -> None:
        self._pwm = PWM(Pin(gpio), freq=_HZ, duty_u16=0)
        self._tune: "tuple[int, ...]" = ()
        self._is_on = False
        self._next_ms = 0  # ticks at which its next note begins

    def play(self, name: str) -> None:
        """Begin a tune, in place of one that is not over."""
        self._tune = _TUNES[name]
        self._is_on = True
        self._next_ms = ticks_ms()

    def go_on(self) -> None:
        """Begin the next note, or silence, if it is time. Call it every few ms."""
        if not self._is_on or ticks_diff(ticks_ms(), self._next_ms) < 0:
            return
        hz, ms = self._tune[:2] or (0, 0)
        self._is_on = bool(self._tune)
        self._tune = self._tune[2:]
        self._pwm.init(freq=hz or _HZ, duty_u16=_HALF if hz else 0)
        self._next_ms = (ticks_ms() + ms) & _MASK
