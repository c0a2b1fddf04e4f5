"""Calls of small trees in each language, and where they lead: `resolve_data/*.txt`.

A case is `== what it shows`, its files as `-- path`, and behind `->` every call of them: line, as written, and targets,
each with its confidence where it is not sure, or why there are none. `CLEW_REWRITE=1 pytest
tests/index/test_resolve_languages.py` writes the expected parts anew, on purpose.
"""

import os
import random
from collections.abc import Collection, Iterator
from itertools import islice, permutations
from pathlib import Path

import pytest

from clew.index.facts import Facts
from clew.index.resolve import ResolvedCall, Resolver, call_targets
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.evaluator import Evaluator
from clew.index.resolve.overloads import PassedArguments
from clew.index.resolve.target_weights import weigh_targets
from tests.index.worlds import facts_of, resolver_of, tree_of

DATA = Path(__file__).parent / "resolve_data"
REWRITE = bool(os.environ.get("CLEW_REWRITE"))
MOST_ORDERS = 24
FEWEST = {"typescript": 12, "javascript": 4, "go": 12, "rust": 12, "java": 12}  # cases of a language; of others 4


def cases_of(text: str) -> Iterator[tuple[str, dict[str, str], str]]:
    for case in text.split("== ")[1:]:
        title, _, body = case.partition("\n")
        sources, _, expected = body.partition("->\n")
        files = {}
        for file in sources.split("-- ")[1:]:
            path, _, source = file.partition("\n")
            files[path] = source
        yield title, files, expected


def facts_of_all(files: dict[str, str]) -> dict[str, Facts]:
    return {path: facts_of(path, source) for path, source in files.items()}


def told(facts: dict[str, Facts], resolver: Resolver) -> str:
    lines = [f"{path}:{_told(call)}" for path, calls in resolver.calls(sorted(facts)) for call in calls]
    return "".join(f"{line}\n" for line in lines)


def _told(call: ResolvedCall) -> str:
    targets = [target if sure == 1 else f"{target} {sure:.2f}" for target, sure in call.targets]
    reason = f"({call.reason.value})" if call.reason else ""
    behind = "".join(f", behind it {target} {sure:.2f}" for target, sure in call.behind)
    return f"{call.line} {call.written} -> {', '.join(targets) or reason}{behind}"


ALL = [
    pytest.param(file, title, files, expected, id=f"{file.stem}: {title}")
    for file in sorted(DATA.glob("*.txt"))
    for title, files, expected in cases_of(file.read_text("utf-8"))
]


@pytest.mark.parametrize(("file", "title", "files", "expected"), ALL)
def test_calls_lead_where_they_should(file: Path, title: str, files: dict[str, str], expected: str) -> None:
    facts = facts_of_all(files)
    shown = told(facts, resolver_of(facts))
    if REWRITE:
        text = file.read_text("utf-8")
        before, _, rest = text.partition(f"== {title}\n")
        head, _, after = rest.partition("->\n")
        _, _, others = after.partition("\n== ")
        tail = f"\n== {others}" if others else ""
        file.write_text(f"{before}== {title}\n{head}->\n{shown}{tail}", "utf-8")
        return

    assert shown == expected.rstrip("\n") + "\n"


@pytest.mark.parametrize(("file", "title", "files", "expected"), ALL)
def test_no_order_of_files_matters(file: Path, title: str, files: dict[str, str], expected: str) -> None:
    facts = facts_of_all(files)
    whole = resolver_of(facts)
    shuffled = random.Random(title).sample(sorted(facts), len(facts))
    again = resolver_of({path: facts[path] for path in shuffled})

    assert again.settled == whole.settled
    assert told(facts, again) == told(facts, whole)


@pytest.mark.parametrize(("file", "title", "files", "expected"), ALL)
def test_no_order_of_things_matters(
    file: Path, title: str, files: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def in_every_order(
        calling: Evaluator, things: Collection[AbstractValue], shares: dict[str, float], passed: PassedArguments
    ) -> None:
        before, found = dict(shares), list[dict[str, float]]()
        for order in islice(permutations(things), MOST_ORDERS):
            weighed = dict(before)
            weigh_targets(calling, order, weighed, passed)
            found.append(weighed)
        assert all(one == found[0] for one in found)
        shares |= found[0] if found else {}

    monkeypatch.setattr(call_targets, "weigh_targets", in_every_order)
    facts = facts_of_all(files)
    told(facts, resolver_of(facts))


@pytest.mark.parametrize(("file", "title", "files", "expected"), ALL)
def test_what_was_settled_is_enough(file: Path, title: str, files: dict[str, str], expected: str) -> None:
    facts = facts_of_all(files)
    whole = resolver_of(facts)
    world, languages = tree_of(facts)
    after = Resolver.after(world, facts.__getitem__, languages, whole.settled)

    assert told(facts, after) == told(facts, whole)


@pytest.mark.parametrize("file", sorted(DATA.glob("*.txt")), ids=lambda file: file.stem)
def test_each_language_has_its_cases(file: Path) -> None:
    assert len(list(cases_of(file.read_text("utf-8")))) >= FEWEST.get(file.stem, 4)
