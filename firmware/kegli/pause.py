"""Time for tests, in which nothing is scored. Imported on demand.

Edges then do not go into the log. So the board has to start again afterwards: what it began with
is what counts then, and not what hands did meanwhile.
"""

from micropython import const

from . import settings

_TYPING = const(False)  # mypy takes it for true (pyproject); the compiler drops what it guards
if _TYPING:
    from .app import App
    from .display import Lights

_SLICE_MS = const(10)
_ANSWER_MS = const(30_000)


class Pause:
    """Time that passes before *app*; `heard` has the sources that went to 1, as they came.

    `said` is the console's last line, or "ok" for a press of that button, None for nothing yet.
    """

    def __init__(self, app: "App") -> None:
        self.heard: "list[int]" = []
        self.said: "str | None" = None
        self._app = app

    def wait(
        self, ms: int, lights: "Lights | None" = None, wanted: "list[int] | None" = None
    ) -> None:
        """Let *ms* pass, with *lights*. *wanted*: less, once one of these is heard, or a word."""
        app = self._app
        for _ in range(ms // _SLICE_MS):
            app.now_us += _SLICE_MS * 1000  # as good as the clock, for lamps
            if lights:
                app.leds.show(lights, app.now_us // 1000)
            app.sleep()
            app.live(app.now_us)
            edge = app.inputs.ring.get()
            while edge:
                if edge[1]:
                    self.heard.append(edge[0])
                    if app.inputs.rows[edge[0]][0] == "btn ok":
                        self.said = "ok"
                edge = app.inputs.ring.get()
            for line in app.console.lines():
                self.said = line.strip().lower()
            if wanted is not None and self.said is not None:
                return
            if [n for n in wanted or () if n in self.heard]:
                return

    def forget(self) -> None:
        """Forget what was heard and said."""
        del self.heard[:]
        self.said = None

    def offer(self, values: "settings.Values") -> None:
        """Ask whether settings are to be stored; half a minute is left for the answer."""
        say = self._app.console.say
        say("> Say yes, or press ok, to store it: within 30 s.")
        self.forget()
        self.wait(_ANSWER_MS, wanted=[])
        if self.said not in ("yes", "ok"):
            say("> Not stored.")
            return
        try:
            settings.write(values)
            say("> Stored.")
        except OSError as error:
            say("> It could not be stored: %s" % error)
