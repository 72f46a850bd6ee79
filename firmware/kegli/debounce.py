"""From raw edges to movements of a pin and presses of a button."""

from micropython import const

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    # How a movement began: pin, first edge in us, its uncertainty, Match.count, table ready.
    Began = tuple[int, int, int, int, bool]

LONG_US = const(800_000)  # a press is long from here on
SHORT = const(1)
LONG = const(2)


class Pin:
    """The tilt input of one pin.

    A movement is a run of edges closer together than the bounce time; when it has been
    over for the hold time, the level says whether the pin is down.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.level = 0
        self.is_down = False
        self.is_moving = False
        self.edge_us = 0  # last edge of the movement
        self.line_us = -(1 << 60)  # last line, edge or not: at the start it has stood for ever
        self.began: "Began" = (number, 0, 0, 0, False)  # its last movement
        self.began_in: "bytearray | None" = None  # step of the stroke that ran then

    def edge(self, t_us: int, level: int, bounce_us: int) -> bool:
        """Take a line. Return True if it begins a movement."""
        self.line_us = t_us
        if level == self.level:
            return False
        self.level = level
        begins = not (self.is_moving and t_us - self.edge_us < bounce_us)
        self.is_moving = True
        self.edge_us = t_us
        return begins

    def settle(self) -> bool:
        """End the movement. Return True if it changed whether the pin is down."""
        self.is_moving = False
        changed = self.is_down != bool(self.level)
        self.is_down = bool(self.level)
        return changed


class Button:
    """One button: a press is a 1 and the next 0, no sooner than the hold time."""

    def __init__(self) -> None:
        self.level = 0
        self._down_us = 0

    def edge(self, t_us: int, level: int, hold_us: int) -> int:
        """Take a line. Return SHORT or LONG if it ends a press, else 0."""
        if level == self.level:
            return 0
        self.level = level
        if level:
            self._down_us = t_us
            return 0
        held_us = t_us - self._down_us
        if held_us < hold_us:
            return 0
        return LONG if held_us >= LONG_US else SHORT
