"""Between an interrupt and the loop nothing is allocated, on MicroPython of 64 and of 32 bits."""

from pathlib import Path

import pytest

from host_tools.interpreters import BITS32, UNIX, compile_firmware, run

SCRIPT = Path(__file__).parent / "on_micropython" / "no_alloc.py"


@pytest.mark.parametrize("interpreter", [UNIX, BITS32])
def test_the_way_of_an_edge_allocates_nothing(interpreter: str, tmp_path: Path) -> None:
    compile_firmware(tmp_path)
    # 8 rounds; in each 10 inputs give two edges and 5 one-shots give one. The zone is polled, and
    # comes and goes between two scans.
    expected = f"inputs 64 {8 * 25 - 64} captured"
    assert run(interpreter, SCRIPT, tmp_path) == ["ring 64 136", expected]


@pytest.mark.parametrize("interpreter", [UNIX, BITS32])
def test_an_allocation_there_would_be_found(interpreter: str, tmp_path: Path) -> None:
    compile_firmware(tmp_path)
    text = SCRIPT.read_text()
    guilty = tmp_path / "guilty.py"
    guilty.write_text(text.replace("inputs.work()", "inputs.seen = [inputs]"))
    assert guilty.read_text() != text
    with pytest.raises(RuntimeError, match="MemoryError"):
        run(interpreter, guilty, tmp_path)
