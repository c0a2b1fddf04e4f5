"""Dependents of the best match, if a task asks for them: its callers, or the tests that cover it; else one test."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from clew.graph.edges import edges_to
from clew.graph.elements import Elements
from clew.model.code import SCOPE, Edge, split_id, without_numbers
from clew.model.words import EdgeKind
from clew.pack.request import Intent
from clew.retrieve.question import understand
from clew.store.links import LIKELY, is_unsure
from clew.text.paths import is_test_path

if TYPE_CHECKING:
    from clew.store.corpus import Corpus

_KINDS = (EdgeKind.CALLS, EdgeKind.INHERITS, EdgeKind.IMPLEMENTS, EdgeKind.USES, EdgeKind.TESTS)  # the best first
_OF_TESTS = re.compile(r"\btests\s+(?:\w+\s+)?(?:call|check|cover|exercise|for|of|use)\b", re.IGNORECASE)
_OF_CALLERS = re.compile(
    r"\b(?:who|what) (?:breaks|calls|depends on|relies on|uses)\b|\b(?:callers|dependents|usages) of\b|\A\W*impact of\b"
    r"|\bwhat (?:happens if|is affected|would be affected)\b|\bis \S+ safe to\b",
    re.IGNORECASE,
)


def is_asked(task: str, intent: Intent) -> bool:
    return intent == "impact" or _OF_CALLERS.search(task) is not None or _OF_TESTS.search(task) is not None


class About(NamedTuple):
    """The symbol that a task asks about, and others of the same name; empty if it asks about none."""

    id: str = ""
    others: tuple[str, ...] = ()


def asked_about(seeds: Sequence[str], named: Callable[[str], Sequence[str]], task: str, intent: Intent) -> About:
    """The symbol that the task names (of several, the best match), else the best match that is no test."""
    if not is_asked(task, intent):
        return About()
    names = understand(task).names
    clear = [name for name in names if len(name) > 1 or len(names) == 1]
    found = [one for name in clear[:1] for one in _but_tests(_marked(named, task, name) or named(SCOPE.join(name)))]
    best = _but_tests(seeds)
    meant = found[0] if len(found) == 1 else next(iter([*(one for one in best if one in found), *best]), "")
    others = [one for one in found if without_numbers(one) != without_numbers(meant)]
    return About(meant, tuple(others) if meant in found else ())


def _marked(named: Callable[[str], Sequence[str]], task: str, name: tuple[str, ...]) -> Sequence[str]:
    """Symbols with the mark that follows the name, as in Ruby's `Card.charge!`; else it only ends a sentence."""
    mark = re.search(rf"\b{re.escape(name[-1])}([!?])", task)
    return named(f"{SCOPE.join(name)}{mark[1]}") if mark else ()


def _but_tests(ids: Sequence[str]) -> list[str]:
    return [one for one in ids if not is_test_path(split_id(one)[0])]


def covering(corpus: "Corpus", seeds: Sequence[str]) -> dict[str, Edge]:
    """Of each of some ids that are no tests, one test that surely calls it, with the edge: the one most like it."""
    found: dict[str, Edge] = {}
    for one in _but_tests(seeds):
        edges = edges_to(corpus, one, (EdgeKind.CALLS, EdgeKind.TESTS))
        tests = [edge for edge in edges if edge.confidence > LIKELY and is_test_path(edge.path)]
        if tests:
            best = min(tests, key=lambda edge: (*_unlike(one, edge.source), edge.source, edge.line))
            found.setdefault(best.source, best)
    return found


def _unlike(id: str, test: str) -> tuple[bool, bool, int]:
    """Whether its file is called otherwise, whether it is itself, and how far it lies from the id's file."""
    (path, scope), (its, own) = split_id(id), split_id(test)
    stem, name = path.rpartition("/")[2].partition(".")[0], scope.rpartition(SCOPE)[2]
    here, there = path.split("/")[:-1], its.split("/")[:-1]
    return (
        _bare(stem) not in _bare(its.rpartition("/")[2]),
        _bare(name) not in _bare(own.rpartition(SCOPE)[2]),
        -len(set(here) & set(there)),
    )


def _bare(name: str) -> str:
    return without_numbers(name).replace("_", "").replace("-", "").lower()


def dependents(corpus: "Corpus", elements: Elements, of: Sequence[str], task: str) -> dict[str, Edge]:
    """By id, with the edge that tells it, the unsure behind the others; none of nothing. Tests come last, or alone if
    asked for."""
    tests = _OF_TESTS.search(task) is not None
    inside = dict.fromkeys(elements.inside(*of))
    edges = [edge for one in inside for edge in edges_to(corpus, one, _KINDS)]
    found = [one for one in edges if one.confidence >= LIKELY and one.source not in inside]
    testing = {one.source for one in found if one.kind is EdgeKind.TESTS or is_test_path(one.path)}
    asked = [one for one in found if not tests or one.source in testing]
    best: dict[str, Edge] = {}
    for one in sorted(
        asked,
        key=lambda e: (e.source in testing, is_unsure(e), _KINDS.index(e.kind), -e.confidence, e.source, e.line),
    ):
        best.setdefault(one.source, one)
    return best
