"""Tools for the computer beside the table.

They import the firmware's pure modules, which import `micropython`: CPython finds a
small one in shims/, last on the path, so that a real one would go first.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).with_name("shims")))
