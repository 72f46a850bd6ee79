"""Seeded random logs, plausible and nasty, for the differential tests.

A plausible course of play (strokes, pins set up again, marks, the next game) is disturbed: times
exactly at the time-outs and one microsecond beside them, equal times, lines up to 20 ms out of
order, commands at every moment. Level 0 knows pins, cushions and the commands of plain play;
level 1 everything but `match`; level 2 is level 1 in an untidy file: lines that are no good, to
be read leniently, comments, and the last line cut off.
"""

from __future__ import annotations

import random
from collections.abc import Callable

HEADERS = (
    "sensors=pins,cushions",
    "sensors=pins,cushions,click",
    "sensors=pins,cushions,zone",
    "sensors=pins,cushions,click,zone",
)
SETTINGS: dict[str, tuple[int, ...]] = {
    "bounce_ms": (60, 60, 60, 30, 0, 100, 200),
    "fall_hold_ms": (150, 150, 150, 80, 250),
    "button_hold_ms": (20, 20, 50),
    "quiet_ms": (6000, 6000, 6000, 3000, 2000, 800, 120),
    "ready_ms": (1000, 1000, 1000, 500, 300, 2500, 0),
}
PLAIN_MARKS = ("valid", "cue", "direct", "doubt", "carom", "miss", "off", "touch", "side", "butt")
ALL_MARKS = (*PLAIN_MARKS, "white-off", "pocket-white", "pocket-cue", "repeat", "repeat", "repeat")
NONSENSE = (
    "nonsense",
    "mark",
    "mark nothing",
    "mark cue carom",
    "judge",
    "judge 1",
    "judge 0 valid",
    "judge 99 valid",
    "judge 1 nothing",
    "judge x valid",
    "annul",
    "annul 5",
    "absent 5",
    "lean x",
    "turn",
    "turn c",
    "score a=1",
    "score a=1 b=1000",
    "score a=999 b=999",
    "score 1 2",
    "resign",
    "draw x",
    "undo 2",
    "ok ok",
    "new a.mode=both",
    "new a.target=0",
    "new a.target=10 a.start=10",
    "new unknown=1",
    "new pair",
    "next pair=1",
)
BEHIND_US = 20_000
BAD_LINES = (
    "%d pin 5 0",
    "%d pin 1",
    "%d pin 1 2",
    "%d hit 4",
    "%d btn no 1",
    "%d",
    "x pin 1 1",
    "%d boot no",
    "%d cmd",
    "%d click x",
    "%d lost",
    "%d end 1",
    "-%d end",
    "%d knock",
    "%d cmd p\u00e4ss",
    "0 end",
    "0 cmd undo",
)
TIDY_LINES = (
    "",
    "# caf\u00e9",
    "# 0 cmd undo",
    "> stroke game=1 n=1 undone",
    "> nothing to say",
    "%d  pin 1   0",
    "00%d end",
    "%d cmd turn a\r",
    "\r",
)


class Writer:
    """Writes one log: a clock, what the pins do, and the lines so far."""

    def __init__(self, seed: int, level: int) -> None:
        self.random = random.Random(f"{seed} {level}")
        self.level = level
        self.settings = {key: values[0] for key, values in SETTINGS.items()}
        self.lines: list[tuple[int, str]] = []
        self.t_us = self.random.choice((0, 0, 5_000_000, 1_073_000_000, 86_400_000_000))
        self.down: set[int] = set()
        self.header = "# kegli-log 1 " + (self.random.choice(HEADERS) if level else HEADERS[0])
        if level and self.chance(0.4):
            for key in self.random.sample(sorted(SETTINGS), self.random.randint(1, 5)):
                self.settings[key] = self.random.choice(SETTINGS[key])
                self.header += f" {key}={self.settings[key]}"

    # -- chance ----------------------------------------------------------------------------

    def chance(self, share: float) -> bool:
        """Say yes in this share of the cases."""
        return self.random.random() < share

    def edge_of_a_time_out_us(self) -> int:
        """Return a time-out, or one microsecond beside it."""
        names = ("bounce_ms", "fall_hold_ms", "quiet_ms", "ready_ms", "button_hold_ms")
        times_ms = [self.settings[name] for name in names] + [120, 800]
        return max(0, 1000 * self.random.choice(times_ms) + self.random.choice((-1, 0, 0, 1)))

    def gap_us(self) -> int:
        """Return a gap of any size that means something."""
        kind = self.random.randrange(10)
        if kind == 0:
            return self.random.choice((0, 0, 1, 19_999, 20_000))
        if kind < 4:
            return self.edge_of_a_time_out_us()
        return int(10 ** self.random.uniform(3, 7))

    def short_gap_us(self) -> int:
        """Return a gap as between the events of one stroke."""
        if self.level and self.chance(0.15):
            return self.gap_us()
        return self.random.choice((0, 1, 200, self.random.randrange(1_000_000)))

    def u(self) -> str:
        """Return an uncertainty as it stands at the end of a line."""
        if not self.level or self.chance(0.6):
            return ""
        return self.random.choice((" 0", " 1", " 200", " 5000", " 60000"))

    # -- lines -----------------------------------------------------------------------------

    def write(self, text: str, after_us: int = 0) -> None:
        """Let time pass and write a line."""
        self.t_us += after_us
        self.lines.append((self.t_us, text))

    def wait(self, ms: int, spread_ms: int = 0) -> None:
        """Let time pass."""
        self.t_us += 1000 * (ms + self.random.randint(0, spread_ms))

    def pin(self, pin: int, to: int) -> None:
        """Let a pin go to a level, with bounces that do not move the clock far."""
        t_us, levels = self.t_us, [to]
        if self.chance(0.4):
            levels += [1 - to, to] * self.random.randint(1, 2)
        if self.level and self.chance(0.05):
            levels += [to]  # a repetition
        for level in levels:
            self.lines.append((t_us, f"pin {pin} {level}{self.u()}"))
            t_us += self.bounce_gap_us()

    def bounce_gap_us(self) -> int:
        """Return a gap between two bounces, mostly shorter than bounce_ms."""
        if self.level and self.chance(0.1):
            return self.edge_of_a_time_out_us() % 400_000
        return self.random.choice((0, 100, 5_000, 20_000, 59_999 if self.level else 40_000))

    def fall(self, pin: int) -> None:
        """Let a pin fall."""
        self.pin(pin, 1)
        self.down.add(pin)

    def lift(self, pin: int) -> None:
        """Set a pin up."""
        self.pin(pin, 0)
        self.down.discard(pin)

    def set_up(self, share: float = 1.0) -> None:
        """Set the pins up again, perhaps not all."""
        for pin in sorted(self.down):
            if self.chance(share):
                self.wait(0, 700)
                self.lift(pin)

    # -- what happens ----------------------------------------------------------------------

    def stroke(self) -> None:
        """Play a stroke: contacts, cushions, pins, the zone."""
        standing = [pin for pin in range(5) if pin not in self.down]
        count = self.random.choice((0, 0, 1, 1, 1, 2, 2, 3, 4, 5))
        falls = self.random.sample(standing, min(count, len(standing)))
        if self.level and self.chance(0.7):
            self.write("click" + self.u(), 0)
        if not self.level or self.chance(0.7):
            self.write(f"hit {self.random.randrange(4)}{self.u()}", self.short_gap_us())
        events: list[Callable[[], None]] = [lambda pin=pin: self.fall(pin) for pin in falls]  # type: ignore[misc]  # a default is no argument here
        if self.level:
            events += [self.contact] * self.random.choice((0, 0, 1, 2, 3))
            events += [self.zone] * self.random.choice((0, 0, 0, 1, 2))
        events += [self.cushion] * self.random.choice((0, 0, 1, 2))
        events += [self.rock] * self.random.choice((0, 0, 0, 1))
        self.random.shuffle(events)
        for event in events:
            self.t_us += self.short_gap_us()
            event()

    def contact(self) -> None:
        """Let two balls meet."""
        self.write("click" + self.u())

    def cushion(self) -> None:
        """Let a ball hit a cushion."""
        self.write(f"hit {self.random.randrange(4)}{self.u()}")

    def zone(self) -> None:
        """Let the cue ball enter or leave the zone, mostly both."""
        self.write(f"zone {self.random.choice((1, 1, 1, 0))}{self.u()}")
        if self.chance(0.8):
            t_us = self.t_us + self.random.choice((1_000, 50_000, 120_000, 300_000, 4_000_000))
            self.lines.append((t_us, "zone 0" + self.u()))

    def rock(self) -> None:
        """Let a pin rock without falling."""
        pin = self.random.randrange(5)
        if pin not in self.down:
            self.lines.append((self.t_us, f"pin {pin} 1"))
            held_us = self.random.choice((1_000, 30_000, 100_000))
            self.lines.append((self.t_us + held_us, f"pin {pin} 0"))

    def end_stroke(self) -> None:
        """Let the stroke end, in one of the ways, with marks before or after."""
        ways: list[Callable[[], None]] = [
            self.end_by_set_up,
            self.end_by_set_up,
            self.end_by_quiet,
        ]
        ways += [lambda: self.command(self.random.choice(("done", "ok", "ok"))), self.mark]
        if self.level:
            ways += [lambda: self.press("ok"), lambda: None]
        self.random.choice(ways)()
        if self.chance(0.3):
            self.wait(0, 900)
            self.mark()
        if self.level and self.chance(0.25):
            self.late_fall()
        self.wait(200, 1500)
        self.set_up(0.97 if self.level else 1.0)
        self.wait(self.settings["ready_ms"] + 200, 1500)
        if self.level and self.chance(0.1):
            self.t_us += self.gap_us()

    def end_by_set_up(self) -> None:
        """Set the pins up and wait until they are still."""
        self.wait(500, 2000)
        self.set_up()
        self.wait(self.settings["ready_ms"] + 200)

    def end_by_quiet(self) -> None:
        """Wait for the quiet time."""
        self.wait(self.settings["quiet_ms"], 1000)
        if self.level and self.chance(0.3):
            self.t_us += self.random.choice((-1, 0, 1))

    def late_fall(self) -> None:
        """Let a pin fall that nobody hit, and what may come while it is undecided."""
        standing = [pin for pin in range(5) if pin not in self.down]
        if not standing:
            return
        self.wait(0, 2500)
        self.fall(self.random.choice(standing))
        for _ in range(self.random.choice((0, 1, 1, 2))):
            self.t_us += self.short_gap_us()
            events = [self.cushion, self.contact, self.any_command, self.any_command, self.mark]
            events += [self.any_command, self.fall_again, lambda: self.press("ok")]
            self.random.choice(events)()
        if self.chance(0.5):
            self.end_by_quiet()

    def fall_again(self) -> None:
        """Let one more pin fall."""
        pin = self.random.randrange(5)
        if pin not in self.down:
            self.fall(pin)

    # -- what people do --------------------------------------------------------------------

    def command(self, text: str) -> None:
        """Give a command."""
        self.write("cmd " + text)

    def mark(self) -> None:
        """Mark the stroke, by command or button."""
        if self.level and self.chance(0.3):
            self.press(self.random.choice(("penalty", "carom", "fine")))
        else:
            marks = ALL_MARKS if self.level else PLAIN_MARKS
            self.command("mark " + self.random.choice(marks))

    def press(self, name: str) -> None:
        """Press a button, with bounces."""
        held_us = self.random.choice((100_000, 100_000, 300_000, 900_000, 800_000, 799_999))
        if self.chance(0.2):
            hold_us = 1000 * self.settings["button_hold_ms"]
            held_us = self.random.choice((hold_us, hold_us - 1, 5_000))
        if self.chance(0.2):
            self.write(f"btn {name} 1")
            self.write(f"btn {name} 0", 3_000)
            self.t_us += 2_000
        self.write(f"btn {name} 1")
        self.write(f"btn {name} 0", held_us)
        if self.chance(0.2):
            self.write(f"btn {name} 1", 2_000)
            self.write(f"btn {name} 0", 3_000)

    def terms(self) -> str:
        """Return the keys of a `new`."""
        pick = self.random.choice
        target = str(self.random.choice((6, 10, 15, 25, 40, 60, 100)))
        keys = {"a.target": target, "b.target": pick((target, str(self.random.randint(4, 70))))}
        choices: dict[str, tuple[str, ...]]
        choices = {"a.mode": ("series", "single"), "b.mode": ("series", "single")}
        choices["first"] = ("a", "b")
        if self.level:
            choices |= {"always": ("a", "b", "none"), "pair": ("0", "1")}
            choices |= {"table": ("carom", "pocket"), "carom_adds": ("0", "3")}
            choices |= {"a.start": ("0", "2", "3"), "b.start": ("0", "1", "3")}
            choices |= {"fine": ("0", "1", "2", "5"), "pin_fine": ("0", "1", "3")}
            choices |= {"late_keeps_turn": ("0", "1"), "pocket_white": ("0", "2", "5")}
        for key, values in choices.items():
            if self.chance(0.35):
                keys[key] = pick(values)
        if self.chance(0.03):
            keys.clear()
        return "".join(f" {key}={value}" for key, value in keys.items())

    def any_command(self) -> None:
        """Give some command, sensible or not."""
        pick = self.random.choice
        plain = ["pass", "pass", "ok", "done", "undo", "undo", "redo", "redo", "next"]
        plain += [f"turn {pick('ab')}", f"mark {pick(PLAIN_MARKS)}"]
        if self.chance(0.05):
            plain += ["new" + self.terms()]
        if self.level:
            pin = self.random.randrange(5)
            marks = " ".join(pick((*ALL_MARKS, "valid")) for _ in range(pick((1, 1, 2, 3))))
            plain += [f"annul {pin}", f"annul {pin}", f"lean {pin}", f"lean {pin}"]
            plain += [f"absent {pin}", f"present {pin}", f"mark {pick(ALL_MARKS)}"]
            plain += [f"judge {pick((1, 1, 2, 3, 5))} {marks}"]
            plain += [f"score a={self.random.randint(0, 12)} b={self.random.randint(0, 12)}"]
            if self.chance(0.25):
                plain += ["draw", f"resign {pick('ab')}", pick(NONSENSE)]
        self.command(pick(plain))

    # -- corners -------------------------------------------------------------------------

    def about(self, *names_ms: str) -> int:
        """Return a sum of settings in us, or one microsecond beside it."""
        times_ms = [self.settings[name] for name in names_ms]
        return max(0, 1000 * sum(times_ms) + self.random.choice((-1, 0, 0, 0, 1)))

    def pair_of_falls(self) -> None:
        """Let two pins fall as far apart as makes them one stroke, or not."""
        pins = self.random.sample(range(5), 2)
        if not self.down.isdisjoint(pins):
            return
        self.write(f"pin {pins[0]} 1")
        fallen_us = self.t_us
        hold_us = 0
        if self.chance(0.6):  # then the first is settled as late before the second
            self.wait(self.settings["fall_hold_ms"], 100)
            self.command(
                self.random.choice(("score a=1 b=1", "score a=1 b=2", "turn a", "turn b"))
            )
        else:
            hold_us = self.about("fall_hold_ms")
        self.t_us = max(self.t_us, fallen_us + self.about("quiet_ms") - hold_us)
        self.write(f"pin {pins[1]} 1")
        self.down |= set(pins)

    def pair_of_clicks(self) -> None:
        """Let two contacts, or a contact and a hit, be as far apart as makes a stroke, or not."""
        self.contact()
        self.t_us += self.about("quiet_ms")
        self.random.choice((self.contact, self.contact, self.cushion))()
        if self.chance(0.3):
            self.wait(0, 500)
            self.command("mark repeat")

    def repeats(self) -> None:
        """Let both repeat, until the game is drawn or nearly."""
        for _ in range(self.random.choice((5, 6, 7, 8))):
            self.random.choice((self.cushion, self.cushion, lambda: self.command("pass")))()
            self.wait(0, 300)
            if self.chance(0.95):
                self.command("mark repeat")
            self.end_by_quiet()

    def forgotten_king(self) -> None:
        """Press ok as soon as the other pins are still, or just before."""
        self.fall_again()
        self.wait(400, 300)
        self.command(self.random.choice(("done", "ok")))
        self.command("ok")
        self.rock()
        self.t_us = max(t_us for t_us, _ in self.lines) + self.about("ready_ms")
        self.command("ok")

    def lost_edge(self) -> None:
        """Lose an edge at the first event of a stroke or beside it."""
        self.write("lost 1")
        self.write("hit 0", self.random.choice((0, 0, 1)))
        if self.chance(0.5):
            self.command("done")
            self.write("lost 1", self.random.choice((0, 1)))

    def white_after_cue_ball(self) -> None:
        """Let the cue ball leave the zone about 120 ms before a fall."""
        self.zone_visit_us(self.random.choice((5_000, 300_000)))
        self.t_us += 120_000 + self.random.choice((-1, 0, 1))
        self.fall_again()

    def zone_visit_us(self, for_us: int) -> None:
        """Let the cue ball visit the zone."""
        self.write("zone 1")
        self.write("zone 0" + self.u(), for_us)

    def leaning_pin(self) -> None:
        """Say that a pin leans, and perhaps let it fall."""
        pin = self.random.randrange(5)
        self.command(f"lean {pin}")
        self.wait(self.settings["ready_ms"], 2000)
        if pin not in self.down and self.chance(0.7):
            self.fall(pin)
            self.end_by_quiet()
        self.command("pass")

    def hurry(self) -> None:
        """Open a stroke by hand as a pin rocks, and play before it is still."""
        self.rock()
        self.t_us += self.random.choice((0, 10_000, 100_000))
        self.command(self.random.choice(("pass", "mark carom")))
        self.wait(0, self.settings["ready_ms"] + 300)
        self.cushion()

    def taken_off(self) -> None:
        """Take a pin off in the stroke that felled it, and set the others up."""
        self.cushion()
        self.fall_again()
        self.fall_again()
        self.wait(300, 300)
        for pin in sorted(self.down)[:1]:
            self.command(f"absent {pin}")
        self.wait(100, 300)
        self.set_up(0.8)
        self.wait(self.settings["ready_ms"], 500)
        self.command(f"present {self.random.randrange(5)}")

    def judged_again(self) -> None:
        """Judge the first of some strokes again, so that whose turn it was changes."""
        for _ in range(self.random.randint(2, 3)):
            self.cushion()
            self.t_us += 100_000
            self.fall_again()
            self.wait(500, 500)
            self.set_up()
            self.wait(self.settings["ready_ms"] + 300)
        n = self.random.randint(1, 4)
        self.command(f"judge {n} {self.random.choice(ALL_MARKS)}")

    def restart(self) -> None:
        """Restart the board in a stroke, and play on before the pins are still."""
        self.cushion()
        self.rock()
        self.wait(100, 300)
        self.write("boot watchdog")
        self.wait(0, self.settings["ready_ms"])
        self.cushion()

    def corner(self) -> None:
        """Let happen what seldom comes about by itself."""
        corners = [self.pair_of_falls, self.pair_of_clicks, self.repeats, self.forgotten_king]
        corners += [self.lost_edge, self.white_after_cue_ball, self.leaning_pin, self.hurry]
        corners += [self.taken_off, self.judged_again, self.restart, self.pair_of_falls]
        corners += [self.pair_of_clicks]
        self.random.choice(corners)()
        self.wait(200, 1000)
        self.set_up(0.9)
        self.wait(self.settings["ready_ms"], 1500)

    # -- the whole -------------------------------------------------------------------------

    def soup(self) -> None:
        """Let anything at all happen, at any time."""
        lines: list[Callable[[], None]] = [self.cushion, self.any_edge, self.any_edge]
        lines += [self.any_edge, self.any_command]
        if self.level:
            lines += [self.contact, self.zone, self.disturb, self.any_command]
            lines += [lambda: self.press(self.random.choice(BUTTONS))]
        self.random.choice(lines)()
        self.t_us += self.gap_us()

    def any_edge(self) -> None:
        """Let one pin's input change once."""
        pin = self.random.randrange(5)
        to = 0 if pin in self.down else 1
        self.write(f"pin {pin} {to}{self.u()}")
        self.down ^= {pin}

    def talk(self) -> None:
        """Let people say much and the balls do little."""
        if self.chance(0.25):
            self.cushion()
            if self.chance(0.5):
                self.fall_again()
            self.wait(200, 900)
            self.set_up()
            self.wait(self.settings["ready_ms"] + 200, 300)
        for _ in range(self.random.randint(1, 5)):
            self.any_command()
            self.wait(0, 900)
        if self.chance(0.2):
            self.command("next")

    def episode(self) -> None:
        """Let one thing happen, mostly a stroke."""
        if self.level and self.chance(0.2):
            self.corner()
            return
        if self.chance(0.75):
            self.stroke()
            self.end_stroke()
            return
        things: list[Callable[[], None]] = [self.any_command, self.any_command, self.mark]
        if self.level:
            things += [lambda: self.press(self.random.choice(BUTTONS)), self.late_fall]
            things += [self.disturb, self.forgotten_pin]
        self.random.choice(things)()
        self.wait(0, 1500)

    def disturb(self) -> None:
        """Restart the board, lose edges, or let time be reported."""
        texts = ("boot watchdog", "boot software", "lost 1", "lost 3", "end", "end")
        self.write(self.random.choice(texts), self.short_gap_us())

    def forgotten_pin(self) -> None:
        """Leave a pin down, or take it off, and go on."""
        pin = self.random.randrange(5)
        if pin not in self.down:
            self.fall(pin)
        self.wait(self.settings["ready_ms"], 3000)
        for text in self.random.sample(("ok", "ok", "ok", f"absent {pin}", f"present {pin}"), 3):
            self.command(text)
            self.wait(0, 1200)

    def sprinkle(self) -> None:
        """Give commands at moments at which nobody would."""
        times = [t_us for t_us, _ in self.lines]
        for _ in range(self.random.choice((0, 0, 1, 2, 4, 8))):
            self.t_us = self.random.choice(times) + self.random.choice(
                (0, 0, 1, 1_000, self.edge_of_a_time_out_us(), self.gap_us())
            )
            if self.level and self.chance(0.25):
                self.disturb()
            else:
                self.any_command()

    def shuffled(self) -> list[tuple[int, str]]:
        """Return the lines in order, those of one instant and up to 20 ms in any order."""
        late_us = self.random.choice((0, 0, 0, 100, 20_000)) if self.level else 0
        keys = [t_us + self.random.randint(0, late_us) for t_us, _ in self.lines]
        order = sorted(range(len(keys)), key=lambda n: (keys[n], n))
        return [self.lines[n] for n in order]

    def log(self) -> str:
        """Write the log."""
        if self.level and self.chance(0.2):
            self.episode()
        self.command("new" + self.terms())
        lines = self.random.choice((20, 40, 60, 100, 150, 280))
        happen = self.random.choice((self.episode, self.episode, self.soup, self.talk))
        while len(self.lines) < lines:
            happen()
            if self.chance(0.3):
                self.command("next")
        last_us = self.t_us
        self.sprinkle()
        self.t_us = max([last_us, *(t_us for t_us, _ in self.lines)])
        if self.chance(0.8):
            self.write("end", self.random.choice((self.gap_us(), 10_000_000)))
        texts = [f"{t_us} {text}" for t_us, text in self.shuffled()]
        end = ""
        if self.level > 1:
            for _ in range(self.random.randint(1, 6)):
                self.spoil(texts)
            end = self.random.choice(("", "", texts[-1][:-1], texts[-1]))
        return "\n".join([self.header, *texts, end])

    def spoil(self, texts: list[str]) -> None:
        """Put a line between the others that is no good, or none at all."""
        place = self.random.randrange(len(texts) + 1)
        times = [word for text in texts[:place] for word in text.split()[:1] if word.isdecimal()]
        text = self.random.choice(self.random.choice((BAD_LINES, BAD_LINES, TIDY_LINES)))
        t_us = max([int(time) for time in times], default=0)
        if t_us > BEHIND_US and self.chance(0.4):
            t_us -= BEHIND_US + self.random.choice((0, 1))
            text = self.random.choice(("%d end", "%d cmd pass", "%d hit 0"))
        texts.insert(place, text.replace("%d", str(t_us)))


BUTTONS = ("ok", "penalty", "carom", "fine", "undo")


def random_log(seed: int, level: int) -> str:
    """Return the log of this seed: level 0 plain, 1 everything, 2 with lines that are no good."""
    return Writer(seed, level).log()
