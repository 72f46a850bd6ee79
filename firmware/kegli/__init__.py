"""Firmware of a carom table that keeps the score of кегли."""

__version__ = "0.1.0"
