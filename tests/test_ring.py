"""The ring between interrupts and loop: nothing changes order, and nothing is lost uncounted."""

from collections import deque

from hypothesis import given
from hypothesis import strategies as st

from kegli.ring import Ring


def test_edges_come_out_as_they_went_in() -> None:
    ring = Ring(4)
    ring.put(15, 1, 2**30 - 1, 200)
    ring.put(0, 0, 0, 2200)
    assert ring.get() == (15, 1, 2**30 - 1, 200)
    assert ring.get() == (0, 0, 0, 2200)
    assert ring.get() is None
    assert ring.dropped == 0


def test_a_full_ring_keeps_the_oldest_and_counts_the_rest() -> None:
    ring = Ring(3)
    for source in range(5):
        ring.put(source, 1, source, 200)
    assert ring.dropped == 2
    assert [ring.get(), ring.get(), ring.get(), ring.get()] == [
        (0, 1, 0, 200),
        (1, 1, 1, 200),
        (2, 1, 2, 200),
        None,
    ]


@given(size=st.integers(1, 9), puts=st.lists(st.booleans(), max_size=60))
def test_it_is_a_queue_of_its_size(size: int, puts: list[bool]) -> None:
    ring = Ring(size)
    queue: deque[tuple[int, int, int, int]] = deque()
    dropped = 0
    for ticks, is_put in enumerate(puts):
        if not is_put:
            assert ring.get() == (queue.popleft() if queue else None)
        elif len(queue) == size:
            dropped += 1
            ring.put(1, 0, ticks, 200)
        else:
            queue.append((1, 0, ticks, 200))
            ring.put(1, 0, ticks, 200)
        assert ring.any() == bool(queue)
        assert ring.dropped == dropped
