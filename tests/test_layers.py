"""Who may import whom: pure modules only pure ones, the firmware only what MicroPython has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FIRMWARE = ROOT / "firmware"
KEGLI = FIRMWARE / "kegli"
HOST_TOOLS = ROOT / "host_tools"

# The core, and what is lit: a function of its lines, the same on every interpreter.
PURE = frozenset(
    (
        *("clock", "commands", "debounce", "display", "handicap", "header", "history", "judge"),
        *("lines", "match", "position", "record", "referee", "rules", "stroke", "terms"),
    )
)
FOR_PURE = frozenset(("micropython", "array", "binascii", "struct"))
# What else the hardware modules may import: modules of MicroPython on the chip.
ON_THE_CHIP = FOR_PURE | frozenset(
    (
        "errno",
        "esp32",
        "gc",
        "io",
        "json",
        "machine",
        "neopixel",
        "os",
        "select",
        "sys",
        "time",
        "uctypes",
    )
)
# Facts of the board that host tools need; all other modules that are not pure want hardware.
FACTS = frozenset(("board", "leds", "settings"))

MODULES = {path.stem: path for path in sorted(KEGLI.glob("*.py"))}
FILES = sorted(FIRMWARE.rglob("*.py"))


def is_for_type_checkers(node: ast.AST) -> bool:
    """Say whether this is an `if _TYPING:`, which is false when the program runs."""
    return (
        isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "_TYPING"
    )


def run_time_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes but those that only type checkers read."""
    yield node
    children = (
        node.orelse
        if isinstance(node, ast.If) and is_for_type_checkers(node)
        else ast.iter_child_nodes(node)
    )
    for child in children:
        yield from run_time_nodes(child)


def imported(nodes: Iterator[ast.AST], package: str) -> set[str]:
    """Return the modules that these nodes import, with their full names."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = f"{package}.{node.module or ''}".rstrip(".") if node.level else node.module
            assert module is not None
            assert node.level < 2
            if module in (package, "kegli"):
                names.update(f"{module}.{alias.name}" for alias in node.names)
            else:
                names.add(module)
    of_package = {"kegli.__version__", "kegli.let_go", "kegli.ON_DEMAND"}
    return {"kegli" if name in of_package else name for name in names}


def imports(path: Path, package: str = "kegli") -> set[str]:
    """Return what a file imports when it runs."""
    return imported(run_time_nodes(ast.parse(path.read_text(encoding="utf-8"))), package)


def imports_for_types(path: Path) -> set[str]:
    """Return what a file imports for type checkers only."""
    blocks = [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if is_for_type_checkers(node)
    ]
    return {name for block in blocks for name in imported(ast.walk(block), "kegli")}


def of_kegli(names: set[str]) -> set[str]:
    """Return the modules of the firmware among names, without the package's."""
    return {name.partition(".")[2] for name in names if name.startswith("kegli.")}


def others(names: set[str]) -> set[str]:
    """Return the names that are not of the firmware."""
    return {name for name in names if name.partition(".")[0] != "kegli"}


def test_the_reader_of_imports_sees_them() -> None:
    text = (
        "import a\nfrom . import b\nfrom .c import d\nfrom kegli import e, __version__\n"
        "def f():\n    import kegli.g\n"
        "if _TYPING:\n    from typing import Protocol\nelse:\n    import h\n"
        "if other:\n    from i.j import k\n"
    )
    tree = ast.parse(text)
    assert imported(run_time_nodes(tree), "kegli") == {
        "a", "kegli.b", "kegli.c", "kegli.e", "kegli", "kegli.g", "h", "i.j"
    }  # fmt: skip
    assert imported(ast.walk(tree), "kegli") >= {"typing"}


@pytest.mark.parametrize("name", sorted(PURE))
def test_pure_modules_import_only_pure_modules(name: str) -> None:
    names = imports(MODULES[name])
    assert of_kegli(names) <= PURE
    assert others(names) <= FOR_PURE
    # Nor do their types depend on hardware.
    assert of_kegli(imports_for_types(MODULES[name])) <= PURE


def test_the_core_needs_nothing_but_itself() -> None:
    """What the referee imports is the core: neither what is lit nor the chip's ticks are in it."""
    found: set[str] = set()
    new = {"referee"}
    while new:
        found |= new
        new = {name for module in new for name in of_kegli(imports(MODULES[module]))} - found
    assert found == PURE - {"clock", "display", "handicap"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FIRMWARE)))
def test_the_firmware_imports_what_micropython_has(path: Path) -> None:
    names = imports(path)
    assert others(names) <= ON_THE_CHIP
    assert of_kegli(names) <= set(MODULES)


def test_modules_import_downwards() -> None:
    """Modules can be put in a row in which each imports only those before it."""
    left = {name: of_kegli(imports(path)) for name, path in MODULES.items()}
    while left:
        lowest = {name for name, names in left.items() if not names & set(left)}
        assert lowest, f"these import each other: {sorted(left)}"
        left = {name: names for name, names in left.items() if name not in lowest}


def host_files() -> list[Path]:
    """Return the files that run on the host; those in on_board/ run on the virtual chip."""
    return [path for path in sorted(HOST_TOOLS.rglob("*.py")) if "on_board" not in path.parts]


@pytest.mark.parametrize("path", host_files(), ids=lambda path: str(path.relative_to(HOST_TOOLS)))
def test_host_tools_import_no_hardware_module(path: Path) -> None:
    assert of_kegli(imports(path, "host_tools")) <= PURE | FACTS
