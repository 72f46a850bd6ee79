"""How many tests run at once: many of them wait for a board or a program, and not for a core."""

import os

import pytest

_LEAST = 6


@pytest.hookimpl
def pytest_xdist_auto_num_workers() -> int:
    """Return what `-nauto` means."""
    return max(_LEAST, os.cpu_count() or 1)
