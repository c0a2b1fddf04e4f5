"""Questions that lead back to themselves have one answer each, whatever was asked before."""

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from clew.index.resolve.source_index import CycleSafeMemo, EvaluationPath, PathMemo

COUNT = 6
numbers = st.integers(0, COUNT - 1)
graphs = st.fixed_dictionaries(dict.fromkeys(range(COUNT), st.lists(numbers, max_size=4)))
orders = st.permutations(range(COUNT))


def _answers(leads: Mapping[int, Sequence[int]]) -> CycleSafeMemo[int, tuple[int, ...]]:
    """What others say; only where they say nothing, a node speaks for itself. So what was cut may show."""

    def find(one: int) -> tuple[int, ...]:
        return tuple(dict.fromkeys(said for other in leads[one] for said in answers[other])) or (one,)

    answers: CycleSafeMemo[int, tuple[int, ...]] = CycleSafeMemo(EvaluationPath(), find, lambda _: ())
    return answers


@given(leads=graphs, first=orders, second=orders)
def test_no_order_matters(leads: Mapping[int, Sequence[int]], first: Sequence[int], second: Sequence[int]) -> None:
    one, two = _answers(leads), _answers(leads)

    assert {number: one[number] for number in first} == {number: two[number] for number in second}


@given(leads=graphs, order=orders)
def test_an_answer_stays_when_asked_again(leads: Mapping[int, Sequence[int]], order: Sequence[int]) -> None:
    answers = _answers(leads)

    assert [answers[number] for number in order] == [answers[number] for number in order]


def test_what_all_lead_to_is_found_without_going_every_way() -> None:
    many = 40
    answers = _answers({number: [other for other in range(many) if other != number] for number in range(many)})

    assert all(answers[number] for number in range(many))


def test_what_was_cleared_is_found_anew() -> None:
    leads = {0: [1], 1: [0], 2: []}
    answers = _answers(leads)
    before = [answers[number] for number in leads]
    leads[1] = [2]
    answers.clear()

    assert before == [(1,), (0,), (2,)]
    assert [answers[number] for number in leads] == [(2,), (2,), (2,)]


@given(leads=graphs, order=orders)
def test_what_was_kept_on_the_way_has_no_say(leads: Mapping[int, Sequence[int]], order: Sequence[int]) -> None:
    plain, keeping = _answers(leads), _keeping(leads, [])

    assert [keeping[number] for number in order] == [plain[number] for number in order]


def test_what_leads_nowhere_back_is_found_once_on_all_ways() -> None:
    found: list[int] = []
    answers = _keeping({0: [2], 1: [2], 2: [3, 4], 3: [], 4: [4]}, found)

    assert (answers[0], answers[1]) == ((3, 4), (3, 4))
    assert (found.count(3), found.count(4)) == (1, 4)  # what leads back to itself is found anew, on every way twice


def _keeping(leads: Mapping[int, Sequence[int]], found: list[int]) -> CycleSafeMemo[int, tuple[int, ...]]:
    """As `_answers`, but what each of the others says is kept beside; notes when it is found out."""

    def find(one: int) -> tuple[int, ...]:
        return tuple(dict.fromkeys(said for other in leads[one] for said in kept[other])) or (one,)

    def ask(one: int) -> tuple[int, ...]:
        found.append(one)
        return answers[one]

    asking = EvaluationPath()
    answers: CycleSafeMemo[int, tuple[int, ...]] = CycleSafeMemo(asking, find, lambda _: ())
    kept: PathMemo[int, tuple[int, ...]] = PathMemo(asking, ask)
    return answers
