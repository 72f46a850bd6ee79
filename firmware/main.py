"""Keeps the score from power-up on."""

from kegli import app

app.main()
