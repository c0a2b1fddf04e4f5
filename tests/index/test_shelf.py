"""The calls of a file lie packed: all are opened together, or only the one that is asked for."""

from clew.index.facts import CallFact, Facts, UnboundName
from clew.index.facts_cache import MOST_OPEN, OpenCalls, pack_facts, unpack_facts

CALLS = tuple(CallFact("run", line, f"f{line}", (UnboundName(f"f{line}"),)) for line in range(5))


def test_one_call_is_the_same_before_and_after_all_are_opened() -> None:
    facts = unpack_facts(pack_facts(Facts(calls=CALLS)))
    assert len(facts.calls) == len(CALLS)
    assert (facts.calls[3], facts.calls[-1]) == (CALLS[3], CALLS[-1])
    assert tuple(facts.calls) == CALLS
    assert facts.calls[3] is facts.calls[3] and facts.calls[3] == CALLS[3]
    assert facts.calls[1:3] == CALLS[1:3]


def test_only_so_many_files_are_open_at_once() -> None:
    open_ones: OpenCalls = {}
    files = [unpack_facts(pack_facts(Facts(calls=CALLS)), open_ones) for _ in range(MOST_OPEN + 3)]
    for i, facts in enumerate(files):
        assert facts.calls[0] == CALLS[0] if i % 2 else tuple(facts.calls) == CALLS
    assert len(open_ones) == MOST_OPEN
    assert all(tuple(facts.calls) == CALLS for facts in files)
