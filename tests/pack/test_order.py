"""One order for every budget: sections take turns by what they may take."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from clew.pack.order import interleave

SHARES = {"code": 0.4, "around": 0.2, "memory": 0.1}


def merged(**queues: list[int]) -> list[int]:
    return list(interleave({name: iter(queue) for name, queue in queues.items()}, SHARES, lambda cost: cost))


def test_a_section_with_twice_the_share_gets_twice_as_much() -> None:
    assert merged(code=[10] * 4, around=[11] * 2) == [10, 10, 11, 10, 10, 11]


def test_a_long_item_makes_its_section_wait() -> None:
    assert merged(code=[1, 100], around=[2, 3, 4]) == [1, 2, 3, 4, 100]


def test_the_first_section_begins_however_long_its_item_is() -> None:
    assert merged(code=[100, 1], around=[2, 3, 4]) == [100, 2, 3, 4, 1]


def test_an_empty_section_costs_nothing() -> None:
    assert merged(code=[], around=[5, 6], memory=[]) == [5, 6]


def test_a_section_that_has_nothing_now_is_asked_again_once_another_gave_something() -> None:
    taken: list[int] = []

    def late() -> Iterator[int | None]:
        while len(taken) < 3:
            yield None
        yield 7

    queues: dict[str, Iterator[int | None]] = {"code": iter([1, 2, 3, 4]), "memory": late()}
    for item in interleave(queues, SHARES, lambda cost: cost):
        taken += [item]

    assert taken == [1, 2, 3, 4, 7]


@given(st.lists(st.integers(1, 50)), st.lists(st.integers(1, 50)), st.lists(st.integers(1, 50)))
def test_nothing_is_lost_and_sections_keep_their_order(code: list[int], around: list[int], memory: list[int]) -> None:
    queues = {"code": code, "around": around, "memory": memory}
    told = {name: iter([(name, i, cost) for i, cost in enumerate(queue)]) for name, queue in queues.items()}

    order = list(interleave(told, SHARES, lambda one: one[2]))

    for name, queue in queues.items():
        assert [cost for own, _, cost in order if own == name] == queue
