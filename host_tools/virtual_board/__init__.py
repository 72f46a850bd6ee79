"""A board that does not exist: the firmware's own files on a virtual chip."""

from host_tools.virtual_board.lockstep import VirtualBoard
from host_tools.virtual_board.serial_port import serve

__all__ = ["VirtualBoard", "serve"]
