"""Time that does not wrap, from ticks that do."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kegli.clock import Clock

WRAP = 2**30
EIGHT_MINUTES_US = 480_000_000
DAY_US = 86_400_000_000
FAST = settings(deadline=None, derandomize=True, max_examples=200)

TICKS = st.integers(0, WRAP - 1)


@pytest.mark.parametrize("start", [0, 1, WRAP // 2 - 1, WRAP // 2, WRAP - 1])
def test_time_begins_at_nothing(start: int) -> None:
    assert Clock(start).extend(start) == 0


@pytest.mark.parametrize(
    ("start", "ticks", "expected"),
    [
        (0, 1, 1),
        (WRAP - 1, 0, 1),
        (WRAP - 1, WRAP - 1, 0),
        (WRAP - 10, 5, 15),
        (0, EIGHT_MINUTES_US, EIGHT_MINUTES_US),
        (WRAP - 1, EIGHT_MINUTES_US - 1, EIGHT_MINUTES_US),
        # Half a wrap is what can be told at all.
        (7, 7 + WRAP // 2 - 1, WRAP // 2 - 1),
    ],
)
def test_one_step(start: int, ticks: int, expected: int) -> None:
    assert Clock(start).extend(ticks) == expected


@pytest.mark.parametrize("start", [0, 12345, WRAP - 1])
def test_a_day_and_a_wrap_in_steps_of_eight_minutes(start: int) -> None:
    clock = Clock(start)
    for t_us in range(0, DAY_US + WRAP, EIGHT_MINUTES_US):
        assert clock.extend((start + t_us) % WRAP) == t_us


def test_every_microsecond_across_the_wrap() -> None:
    clock = Clock(WRAP - 500)
    assert [clock.extend((WRAP - 500 + t_us) % WRAP) for t_us in range(1000)] == list(range(1000))


@pytest.mark.parametrize("start", [0, WRAP - 30, WRAP - 10])
def test_older_ticks_are_understood_and_do_not_turn_time_back(start: int) -> None:
    """An interrupt's time is drained after the loop has looked at the clock."""
    clock = Clock(start)
    ticks = [(start + t_us) % WRAP for t_us in (40, 20, 39, 40, 41, 0)]
    assert [clock.extend(t) for t in ticks] == [40, 20, 39, 40, 41, 0]


@given(
    TICKS,
    st.lists(st.tuples(st.integers(0, EIGHT_MINUTES_US), st.integers(0, 50_000)), max_size=60),
)
@FAST
def test_any_steps_of_up_to_eight_minutes(start: int, steps: list[tuple[int, int]]) -> None:
    """Each step is followed by a reading a little older than it."""
    clock = Clock(start)
    now_us = 0
    for step_us, older_us in steps:
        now_us += step_us
        assert clock.extend((start + now_us) % WRAP) == now_us
        older = now_us - older_us
        assert clock.extend((start + older) % WRAP) == older
