"""The first line of a kegli-log: sensors, times, names. Imported on demand: it is read once."""

from micropython import const

from .lines import number, printable

_CLICKS = const(1)  # optional sensors of a board, as a mask
_ZONES = const(2)

SETTINGS = (
    # name              default_ms
    ("bounce_ms", 60),
    ("fall_hold_ms", 150),
    ("button_hold_ms", 20),
    ("quiet_ms", 6000),
    ("ready_ms", 1000),
)
_MOST_MS = const(3_600_000)


def setting(settings: dict[str, int], key: str, value: str) -> None:
    """Put the time *key* of SETTINGS, in milliseconds, into *settings*."""
    if key not in dict(SETTINGS):
        raise ValueError("there is no setting '%s'" % printable(key))
    try:
        settings[key] = number(value, _MOST_MS)
    except ValueError as error:
        raise ValueError("setting %s: %s" % (key, error))


def parse_header(text: str) -> "tuple[int, dict[str, int], dict[str, str]]":
    """Return (sensors, settings, other pairs) of a log's first line without its LF.

    `sensors` is a mask: 1 click, 2 zone, `settings` has every name of SETTINGS in
    milliseconds. Raise ValueError if it is not the first line of a kegli-log 1.
    """
    words = text.split(" ")
    if words[:2] != ["#", "kegli-log"]:
        raise ValueError("the first line is not '# kegli-log 1 ...'")
    if words[2:3] != ["1"]:
        raise ValueError(
            "this is kegli-log %s; only version 1 is known"
            % (printable(" ".join(words[2:3])) or "without a version")
        )
    sensors = 0
    settings = dict(SETTINGS)
    others: dict[str, str] = {}
    for word in words[3:]:
        key, equals, value = word.partition("=")
        if key in settings:
            setting(settings, key, value)
        elif key == "sensors":
            names = value.split(",")
            sensors = ("click" in names) * _CLICKS | ("zone" in names) * _ZONES
        elif equals:
            others[key] = value
    return sensors, settings, others
