"""TESTS: the tested symbols, with the evidence: a call, an import of the file, or a common name.

Tests are recognised by general conventions: names of folders, files and functions, and annotations. An edge leads
from the test around a call, or from the file, to a symbol that is no test itself.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from clew.index.edges.flows import LEAST
from clew.index.facts import Facts
from clew.index.modules import SourceTree
from clew.index.resolve.resolved_call import ResolvedCall, Targets
from clew.model.code import EXTERNAL, SCOPE, split_id
from clew.model.words import EdgeKind, EvidenceKind, Kind
from clew.store.links import FileEdge
from clew.text.paths import is_test_file, is_test_path
from clew.text.test_names import (
    Words,
    is_marked,
    is_test_name,
    is_test_scope,
    stem_of,
    subject,
    without_test_mark,
    words,
)

# Of a call, times its own confidence. They are in the order in which the reasons convince.
CONFIDENCE = {
    EvidenceKind.NAMED_CALL: 0.95,
    EvidenceKind.CALLSITE: 0.8,
    EvidenceKind.NAMED_IMPORT: 0.7,
    EvidenceKind.IMPORT: 0.4,
    EvidenceKind.NAME: 0.3,
}
MOST_KNOWN = 4_000  # targets that are kept taken apart
MOST_FILES = 3  # of one import; more are a package, most of which a test has nothing to do with
_BY_NAME, _BY_CALL = EvidenceKind.NAMED_CALL, EvidenceKind.CALLSITE
_FUNCTIONS = frozenset({Kind.FUNCTION.value, Kind.METHOD.value})
_DESCRIBING = frozenset({"describe", "it", "test", "suite", "context"})  # functions that are given tests


class TestSubject(NamedTuple):
    """A possible test subject: its id, the confidence of the call, and the words of its name, containers and file."""

    id: str
    confidence: float
    own: Words
    holders: frozenset[Words]
    file: Words


class TestEdges:
    """Most calls lead to the same few targets, so their names are split once."""

    def __init__(self, world: SourceTree) -> None:
        self._world = world
        self._known: dict[Targets, list[TestSubject]] = {}

    def of(
        self, path: str, facts: Facts, calls: Sequence[ResolvedCall], imports: Iterable[FileEdge]
    ) -> Iterator[FileEdge]:
        file = _TestFile(path, facts)
        if file.is_test or file.marked:
            yield from self._by_call(file, calls)
        if file.is_test:
            yield from self._by_file(file, imports)

    def _by_call(self, file: "_TestFile", calls: Iterable[ResolvedCall]) -> Iterator[FileEdge]:
        best: dict[tuple[str, str], tuple[float, int, EvidenceKind]] = {}
        for call in calls:
            targets = call.targets + call.behind if call.behind else call.targets
            if not targets:
                continue
            subjects = self._known.get(targets)
            if subjects is None:
                if len(self._known) > MOST_KNOWN:
                    self._known.clear()
                subjects = self._known[targets] = _subjects(targets)
            if not subjects or (test := file.test(call.scope)) is None:
                continue
            for one in subjects:
                known = best.get((test, one.id))
                if known is None:
                    best[test, one.id] = one.confidence, call.line, file.reason(test, one)
                elif known[0] < one.confidence or known[1] > call.line:
                    best[test, one.id] = max(one.confidence, known[0]), min(call.line, known[1]), known[2]
        kind = EdgeKind.TESTS
        for (test, target), (confidence, line, reason) in best.items():
            yield FileEdge(test, kind, target, line, reason, round(CONFIDENCE[reason] * confidence, 3))

    def _by_file(self, file: "_TestFile", imports: Iterable[FileEdge]) -> Iterator[FileEdge]:
        """The files that are imported; if none is called like the test, the one that is, if there is but one."""
        named = False
        inside = [one for one in imports if one.target in self._world.paths and not is_test_path(one.target)]
        files = Counter(one.line for one in inside)
        for one in sorted(inside):
            if files[one.line] <= MOST_FILES or file.subject == words(stem_of(one.target)):
                same = file.subject == words(stem_of(one.target))
                named = named or same
                reason = EvidenceKind.NAMED_IMPORT if same else EvidenceKind.IMPORT
                yield FileEdge("", EdgeKind.TESTS, one.target, one.line, reason, CONFIDENCE[reason])
        if not named and (namesake := self._namesake(file.path)):
            yield FileEdge("", EdgeKind.TESTS, namesake, 1, EvidenceKind.NAME, CONFIDENCE[EvidenceKind.NAME])

    def _namesake(self, path: str) -> str:
        stem, _, extension = path.rpartition("/")[2].rpartition(".")
        bare = without_test_mark(stem)
        if bare == stem:
            return ""
        found = [one for one in self._world.files_named(f"{bare}.{extension}") if not is_test_path(one)]
        return found[0] if len(found) == 1 else ""


class _TestFile:
    """A file that may have tests in it: any definition of one that is a test by its path belongs to them."""

    def __init__(self, path: str, facts: Facts) -> None:
        is_among = is_test_path(path)
        kinds = facts.kinds.items() if is_among else ()
        self.path = path
        self.marked = {scope for scope, marks in facts.decorators.items() if is_marked(marks)}
        self.subject = subject(stem_of(path)) if is_among or self.marked else ()
        self._tested = {scope for scope, kind in kinds if kind in _FUNCTIONS and _is_named(scope)}
        self._holders = {holder for scope in self._tested for holder in _around(scope)[:-1]}
        self.is_test = is_among and (is_test_file(path) or bool(self._tested) or _describes(facts))
        self._tests: dict[str, str | None] = {}
        self._names: dict[str, tuple[Words, set[Words]]] = {}

    def test(self, scope: str) -> str | None:
        """The test that a scope belongs to; of other code in a file of tests, the file; None if there is none."""
        if scope not in self._tests:
            self._tests[scope] = self._find(scope)
        return self._tests[scope]

    def _find(self, scope: str) -> str | None:
        around = _around(scope)
        if own := next((one for one in around if one in self.marked or (self.is_test and one in self._tested)), ""):
            return own
        return next((one for one in around if one in self._holders), "") if self.is_test else None

    def reason(self, test: str, target: TestSubject) -> EvidenceKind:
        """A test is called like its subject if its name starts with it, its class bears it, or its file does."""
        if test not in self._names:
            parts = [subject(name) for name in test.split(SCOPE)]
            self._names[test] = parts[-1], {one for one in parts if one}
        name, classes = self._names[test]
        same = (
            (target.own and name[: len(target.own)] == target.own)
            or not classes.isdisjoint(target.holders)
            or (self.subject and self.subject == target.file and not target.id.startswith(f"{self.path}{SCOPE}"))
        )
        return _BY_NAME if same else _BY_CALL


def _subjects(targets: Targets) -> list[TestSubject]:
    """Targets that are no tests; without initialisers beside their classes."""
    inside = [one for one in targets if one[1] >= LEAST and not one[0].startswith(EXTERNAL) and not _is_test(one[0])]
    ids = {target for target, _ in inside}
    return [_subject(*one) for one in inside if one[0].rpartition(SCOPE)[0] not in ids]


def _subject(target: str, confidence: float) -> TestSubject:
    path, scope = split_id(target)
    parts = [words(part) for part in scope.split(SCOPE)]
    return TestSubject(target, confidence, parts[-1], frozenset(filter(None, parts)), words(stem_of(path)))


def _around(scope: str) -> list[str]:
    """A scope with those that it stands in, the outermost first."""
    parts = scope.split(SCOPE) if scope else []
    return [SCOPE.join(parts[:end]) for end in range(1, len(parts) + 1)]


def _is_named(scope: str) -> bool:
    return is_test_name(scope.rpartition(SCOPE)[2])


def _describes(facts: Facts) -> bool:
    return any(call.written in _DESCRIBING for call in facts.calls)


def _is_test(target: str) -> bool:
    path, scope = split_id(target)
    return is_test_path(path) or is_test_scope(scope)
