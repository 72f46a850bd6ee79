"""Keeps the score from power-up on; Ctrl-C leaves the chip to the REPL."""

from kegli import start

app = start.begin()
del start  # what is needed once does not stay in memory
if app:
    try:
        app.run()
    except BaseException as error:
        from kegli.start import leave

        leave(app, error)
