"""Private constants that modules of the firmware share by name have one value."""

import re
from pathlib import Path

FIRMWARE = Path(__file__).parents[1] / "firmware/kegli"
SHARED = re.compile(
    r"^# As in (\w+)\.py, folded in by the compiler\.\n((?:_\w+ = const\(.*\)\n)+)", re.M
)
CONSTANT = re.compile(r"^(\w+) = const\((.+?)\)(?:  #.*)?$", re.M)


def constants(text: str) -> dict[str, str]:
    """Return the constants of a module and what they are; public ones as if they were private."""
    return {f"_{name.lstrip('_')}": value for name, value in CONSTANT.findall(text)}


def copies() -> list[tuple[str, str, str, str]]:
    """Return (module, the module it copies from, name, value) of each copy."""
    return [
        (path.stem, origin, name, value)
        for path in sorted(FIRMWARE.glob("*.py"))
        for origin, block in SHARED.findall(path.read_text(encoding="utf-8"))
        for name, value in constants(block).items()
    ]


def test_copies_agree_with_their_origin() -> None:
    origins = {path.stem: constants(path.read_text("utf-8")) for path in FIRMWARE.glob("*.py")}
    assert len(copies()) > 50
    for module, origin, name, value in copies():
        assert origins[origin].get(name) == value, f"{module}.{name} is not as in {origin}.py"
