"""The thresholds of the front ends: what DAC and PWM are told, on chips with and without DAC."""

from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.test_buzzer import load

FULL_MV = 3300


class Dac:
    """A machine.DAC."""

    def __init__(self, pin: int) -> None:
        self.pin = pin
        self.values: list[int] = []  # of 255

    def write(self, value: int) -> None:
        """Be told what to put out."""
        self.values.append(value)


class Pwm:
    """A machine.PWM."""

    def __init__(self, pin: int, freq: int, duty_u16: int) -> None:
        self.pin = pin
        self.values: list[int] = []  # of 65,535
        self.init(freq, duty_u16)

    def init(self, freq: int, duty_u16: int) -> None:
        """Be told what to put out."""
        assert freq == 80_000_000 // 1024  # the chip's clock by 10 bits
        self.values.append(duty_u16)


def firmware(**of_machine: object) -> Any:
    """Return the firmware's module, on a chip that has so much."""
    machine = ModuleType("machine")
    machine.__dict__.update(of_machine, Pin=lambda gpio: gpio, PWM=Pwm)
    return load("threshold", machine=machine)


CHIPS = [pytest.param(firmware(DAC=Dac), id="esp32"), pytest.param(firmware(), id="esp32s3")]


# The DAC makes 3,300 mV in 255 steps of 12.9 mV.
@pytest.mark.parametrize(("mv", "value"), [(0, 0), (13, 1), (200, 15), (1650, 127), (3300, 255)])
def test_a_chip_with_a_dac_puts_it_out_by_that(mv: int, value: int) -> None:
    module = firmware(DAC=Dac)
    threshold = module.take(25)
    dac = threshold[0]
    assert (type(dac), dac.pin, dac.values) == (Dac, 25, [])
    module.set_mv(threshold, mv)
    assert dac.values == [value]


@pytest.mark.parametrize(
    ("mv", "duty"), [(0, 0), (1, 19), (200, 3971), (1650, 32767), (3300, 65535)]
)
def test_a_chip_without_one_puts_it_out_by_pwm(mv: int, duty: int) -> None:
    module = firmware()
    threshold = module.take(1)
    pwm = threshold[0]
    assert (type(pwm), pwm.pin, pwm.values) == (Pwm, 1, [0])
    module.set_mv(threshold, mv)
    assert pwm.values == [0, duty]


@pytest.mark.parametrize("module", CHIPS)
def test_what_it_was_set_to_is_remembered(module: Any) -> None:
    threshold = module.take(25)
    assert threshold[1] == 0
    for mv in (200, 3300, 20, 0):
        module.set_mv(threshold, mv)
        assert threshold[1] == mv


@pytest.mark.parametrize("module", CHIPS)
def test_two_thresholds_are_set_apart(module: Any) -> None:
    cushions, click = module.take(25), module.take(26)
    module.set_mv(cushions, 3300)
    module.set_mv(click, 200)
    assert (cushions[1], click[1]) == (3300, 200)
    assert cushions[0].values[-1] > click[0].values[-1]


@pytest.mark.parametrize(("module", "steps"), [(firmware(DAC=Dac), 255), (firmware(), 65535)])
@settings(deadline=None)
@given(mv=st.integers(0, FULL_MV))
def test_it_is_never_above_what_was_asked_and_less_than_a_step_below(
    module: Any, steps: int, mv: int
) -> None:
    threshold = module.take(25)
    module.set_mv(threshold, mv)
    value = threshold[0].values[-1]
    assert value * FULL_MV <= mv * steps < (value + 1) * FULL_MV


@pytest.mark.parametrize("module", CHIPS)
def test_a_greater_threshold_is_never_put_out_as_less(module: Any) -> None:
    threshold = module.take(25)
    for mv in range(FULL_MV + 1):
        module.set_mv(threshold, mv)
    assert threshold[0].values == sorted(threshold[0].values)


def test_a_dac_that_the_chip_does_not_give_out_is_an_error() -> None:
    """As after a soft reset; a start tells it."""

    def refuse(_pin: int) -> Dac:
        raise OSError("not given out")

    with pytest.raises(OSError, match="not given out"):
        firmware(DAC=refuse).take(25)
