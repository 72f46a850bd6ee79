"""The same logs say the same on CPython and on MicroPython of 64 and of 32 bits."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from host_tools.interpreters import BITS32, CPYTHON, INTERPRETERS, UNIX, compile_firmware, run
from host_tools.replay import CONCLUSIONS
from tests.random_logs import random_log

HERE = Path(__file__).parent
CONCLUDE = HERE / "on_micropython/conclude.py"
GOLDEN = {path.name: path.read_bytes() for path in sorted((HERE / "golden").glob("*.log"))}
RANDOM = {
    f"random-{level}-{seed}": random_log(seed, level).encode("latin-1")
    for level in (0, 1, 2)
    for seed in range(1000, 1040)
}

Said = dict[str, list[str]]  # what was said of each log, by its name


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Said]]:
    """Return what each interpreter says of all logs: all run at once, each once."""
    folder = tmp_path_factory.mktemp("logs")
    logs = GOLDEN | RANDOM
    for name, data in logs.items():
        (folder / name).write_bytes(data)
    (folder / "logs.txt").write_text("".join(f"{name}\n" for name in logs))
    compile_firmware(folder)
    with ThreadPoolExecutor() as pool:
        printed = pool.map(lambda interpreter: run(interpreter, CONCLUDE, folder), INTERPRETERS)
        yield dict(zip(INTERPRETERS, map(by_log, printed), strict=True))


def by_log(lines: list[str]) -> Said:
    """Return the lines under each log's name; "" has those before the first."""
    said: Said = {"": []}
    under = said[""]
    for line in lines:
        if line.startswith("# "):
            under = said[line[2:]] = []
        else:
            under.append(line)
    return said


def test_these_are_three_interpreters(said: dict[str, Said]) -> None:
    assert said[CPYTHON][""] == [f"cpython {sys.maxsize}"]
    assert said[UNIX][""] == [f"micropython {2**63 - 1}"]
    assert said[BITS32][""] == [f"micropython {2**31 - 1}"]


def test_there_are_golden_logs() -> None:
    assert GOLDEN


@pytest.mark.parametrize("name", GOLDEN)
def test_a_golden_log_gives_the_conclusions_that_it_holds(
    said: dict[str, Said], name: str
) -> None:
    lines = GOLDEN[name].decode("latin-1").splitlines()
    held = [line for line in lines if line.startswith(CONCLUSIONS)]
    concluded = [line for line in said[CPYTHON][name] if line.startswith((*CONCLUSIONS, "!"))]
    assert concluded == held


@pytest.mark.parametrize("interpreter", [UNIX, BITS32])
def test_every_log_says_the_same_as_on_cpython(said: dict[str, Said], interpreter: str) -> None:
    assert list(said[interpreter]) == ["", *GOLDEN, *RANDOM]
    for name in GOLDEN | RANDOM:
        assert said[interpreter][name] == said[CPYTHON][name], name


def test_the_random_logs_say_much_and_are_refused_at_times(said: dict[str, Said]) -> None:
    lines = [line for name in RANDOM for line in said[CPYTHON][name]]
    for start, least in (("> stroke ", 500), ("> game ", 100), ("> refused ", 100), ("! ", 20)):
        assert sum(line.startswith(start) for line in lines) > least, start


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_a_script_that_fails_is_not_lost(interpreter: str, tmp_path: Path) -> None:
    script = tmp_path / "fails.py"
    script.write_text("print('said')\nraise KeyError('this')\n")
    with pytest.raises(RuntimeError, match=f"{interpreter} ended with status 1: (?s:.*)KeyError"):
        run(interpreter, script, tmp_path)
