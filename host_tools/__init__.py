"""Tools for the computer beside the table.

They import the firmware's pure modules, which import `micropython`: CPython finds a
small one in shims/, first on the path, since other packages bring one too (Blinka).
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).with_name("shims")))
