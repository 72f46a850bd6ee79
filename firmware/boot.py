"""Runs first, also before a program that the raw REPL brings: nothing here may take long."""

import micropython

if hasattr(micropython, "alloc_emergency_exception_buf"):  # the unix port has none
    micropython.alloc_emergency_exception_buf(100)  # exceptions in handlers keep their text
