"""Keeps the score from power-up on; Ctrl-C leaves the chip to the REPL."""

import time

import machine

app = None
restarts = False
try:
    from kegli import start

    app = start.begin()
    del start  # what is needed once does not stay in memory
    if app:
        app.run()
except KeyboardInterrupt:
    from kegli.start import leave

    leave(app)
except Exception as error:
    restarts = True
    try:
        if app:  # it is counted first: all else may fail
            app.store.crashes += 1
            app.leaves(2)  # store.TOLD

        from kegli.start import crash

        restarts = crash(app, error)
    except Exception:
        # Not even that can be had: a firmware that is not whole. Ctrl-C stops it here.
        restarts = False
        time.sleep_ms(2000)  # type: ignore[attr-defined]  # MicroPython's own
        restarts = True
    except KeyboardInterrupt:
        restarts = False
    finally:
        if restarts:
            machine.reset()
