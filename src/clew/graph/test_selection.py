"""Tests worth running for a change, each with the shortest path from the changed code to the test. Pure."""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from clew.graph.file_graph import file_graph_of
from clew.graph.full_graph import FullGraph
from clew.graph.impact import POSSIBLE, WEIGHTS, AffectedNode, Impact, path_of
from clew.languages import BUILT_IN, language_of
from clew.model.code import SCOPE, split_id
from clew.model.words import CLASSES, EdgeKind, Kind
from clew.store.links import KINDS, SURE
from clew.text.paths import is_test_file, is_test_path
from clew.text.test_names import is_helper_path, is_test_name

_SET_UP = re.compile(
    r"(?i)(?:async_?)?(?:set_?up|tear_?down|before|after)_?(?:class|method|module|function|each|all|test_?data)?"
)
_CALLABLE = (Kind.FUNCTION, Kind.METHOD)
_RUNNING = frozenset(map(KINDS.index, (EdgeKind.CALLS, EdgeKind.INHERITS)))
_IMPORTS = KINDS.index(EdgeKind.IMPORTS)
IMPORTED = 0.35  # a file of tests, by affected code that it imports: users of that are reached themselves
UNRESOLVED = "over a use that could not be resolved"
HELPER = 0.3  # a file of tests, by a change of code in it that is no test: its users are reached themselves


class Selected(NamedTuple):
    """A test, a class of tests, or a file of tests; `path` leads from the changed node to it. `note` says what is
    uncertain about that."""

    id: str
    score: float
    path: tuple[str, ...]
    note: str = ""


_SUITES: "WeakKeyDictionary[FullGraph, Suite]" = WeakKeyDictionary()


def suite_of(graph: FullGraph) -> "Suite":
    """Made once for each graph, and dropped with it."""
    found = _SUITES.get(graph)
    if found is None:
        found = _SUITES[graph] = Suite(graph)
    return found


class Suite:
    """The tests of a project: test functions, and classes and files that share set-up or helpers."""

    def __init__(self, graph: FullGraph) -> None:
        self._ids, self._kinds = graph.ids, graph.kinds
        self._find = graph.find
        edges = graph.edges
        self._edge_kinds = edges.kind
        of_tests = np.flatnonzero(edges.kind == KINDS.index(EdgeKind.TESTS))
        self._sources = edges.source[of_tests].tolist()
        self._targets = edges.target[of_tests].tolist()
        imports = np.flatnonzero(edges.kind == _IMPORTS)
        self._imports = list(zip(edges.source[imports].tolist(), edges.target[imports].tolist(), strict=True))
        self._weights = (edges.confidence[of_tests] / SURE * WEIGHTS[EdgeKind.TESTS]).tolist()

    @cached_property
    def tests(self) -> frozenset[int]:
        """Functions that are tests."""
        known = {node for node in self._sources if self._kinds[node] in _CALLABLE}
        named = {
            node
            for node, (node_id, kind) in enumerate(zip(self._ids, self._kinds, strict=True))
            if kind in _CALLABLE and _is_named(node_id)
        }
        return frozenset(node for node in known | named if _has_named_tests(split_id(self._ids[node])[0]))

    @cached_property
    def files(self) -> Mapping[str, tuple[int, ...]]:
        """Files of tests, with the tests in each; some have none that can be addressed."""
        found: dict[str, list[int]] = {
            node_id: []
            for node_id, kind in zip(self._ids, self._kinds, strict=True)
            if kind == Kind.FILE and is_test_path(node_id) and is_test_file(node_id)
        }
        found |= {self._ids[node]: [] for node in self._sources if self._kinds[node] == Kind.FILE}
        for test in sorted(self.tests):
            found.setdefault(split_id(self._ids[test])[0], []).append(test)
        return {
            path: tuple(tests)
            for path, tests in found.items()
            if tests or not (is_helper_path(path) or path in self.used_by_code)
        }

    @cached_property
    def used_by_code(self) -> frozenset[str]:
        """Files that code imports which is no test. One without a test in it is but named like a file of tests."""
        ids = self._ids
        used = {ids[target] for source, target in self._imports if not is_test_path(split_id(ids[source])[0])}
        return frozenset(path for path in used if _has_named_tests(path))

    @cached_property
    def _holders_of_tests(self) -> frozenset[str]:
        """Ids of classes and files with tests in them."""
        return frozenset(outer for test in self.tests for outer in _outer(self._ids[test]))

    @cached_property
    def size(self) -> int:
        """Tests in all; a file without any that can be addressed counts as one."""
        return sum(max(1, len(tests)) for tests in self.files.values())

    @cached_property
    def test_or_file_ids(self) -> frozenset[str]:
        """Ids of tests, and of files without tests that can be addressed."""
        return frozenset(test for tests in self.test_ids().values() for test in tests)

    def test_ids(self) -> dict[str, tuple[str, ...]]:
        """The tests of each file by their ids; a file without any that can be addressed stands for itself."""
        return {path: tuple(self._ids[test] for test in tests) or (path,) for path, tests in self.files.items()}

    def tests_in(self, node_id: str) -> tuple[str, ...]:
        """The tests of a file or class; of anything else, itself."""
        tests = (self._ids[test] for test in self.files.get(split_id(node_id)[0], ()))
        start = f"{node_id}{SCOPE}"
        return tuple(test for test in tests if test == node_id or test.startswith(start)) or (node_id,)

    def count_tests(self, selected: Iterable[str]) -> int:
        """How many tests a selection runs."""
        ids = set(selected)
        total = 0
        for path, tests in self.files.items():
            if path in ids:
                total += max(1, len(tests))
            else:
                total += sum(1 for test in tests if _around(self._ids[test], ids))
        return total

    def select(self, impact: Impact) -> list[Selected]:
        """Affected tests, the most probable first. A test that a selected class or file includes with at least the
        same score is not listed again."""
        found: dict[int, tuple[float, tuple[int, ...]]] = {}
        for test in self.tests & impact.reached.keys():
            found[test] = impact.reached[test].probability, tuple(path_of(impact, test))
        for node, weight in self._holders(impact):
            probability = impact.reached[node.target].probability * weight
            if node.holder not in found or found[node.holder][0] < probability:
                found[node.holder] = probability, (*path_of(impact, node.target), node.holder)
        ids = self._ids
        by_id = {ids[node]: score for node, (score, _) in found.items()}
        listed = [
            Selected(
                ids[node],
                round(score, 4),
                tuple(ids[one] for one in path),
                UNRESOLVED
                if any(one in impact.reached and impact.reached[one].edge == POSSIBLE for one in path)
                else "",
            )
            for node, (score, path) in found.items()
            if not any(by_id.get(outer, 0.0) >= score for outer in _outer(ids[node]))
        ]
        return sorted(listed, key=lambda one: (-one.score, len(one.path), one.id))

    def _holders(self, impact: Impact) -> Iterable[tuple["_Held", float]]:
        """Classes and files that test an affected symbol as a whole, and those with affected set-up."""
        kinds = self._kinds
        for source, target, weight in zip(self._sources, self._targets, self._weights, strict=True):
            if kinds[source] not in _CALLABLE and target in impact.reached:
                yield _Held(source, target), weight
        for node in impact.reached:
            node_id = self._ids[node]
            if (
                kinds[node] in _CALLABLE
                and _SET_UP.fullmatch(node_id.rpartition(SCOPE)[2])
                and is_test_path(split_id(node_id)[0])
            ):
                holder = self._find(node_id.rpartition(SCOPE)[0])
                if holder >= 0:
                    yield _Held(holder, node), WEIGHTS[EdgeKind.CALLS]
        for node, reached in impact.reached.items():
            path = split_id(self._ids[node])[0]
            if path not in self.files:
                continue
            if (
                kinds[node] in CLASSES and self._ids[node] not in self._holders_of_tests
            ):  # it helps tests: its users count
                if not self.files[path]:
                    yield _Held(self._find(path), node), 1.0 if self._is_run(reached) else IMPORTED
            elif kinds[node] in (Kind.FILE, *CLASSES):
                if self._is_run(reached) or (kinds[node] == Kind.FILE and not self.files[path]):
                    yield _Held(node, node), 1.0
                elif reached.edge >= 0 and int(self._edge_kinds[reached.edge]) == _IMPORTS:
                    yield _Held(node, node), IMPORTED
            elif not self.files[path]:  # its tests cannot be addressed, and any of them may use the node
                yield _Held(self._find(path), node), 1.0 if reached.via < 0 else WEIGHTS[EdgeKind.CALLS]
            elif reached.via < 0 and node not in self.tests:  # changed code of a file of tests, but no test
                yield _Held(self._find(path), node), HELPER

    def _is_run(self, reached: AffectedNode) -> bool:
        """Whether a file or class of tests changed itself, or runs affected code itself."""
        return (reached.via < 0 and reached.probability >= 0.5) or self._runs(reached.edge)

    def _runs(self, edge: int) -> bool:
        """Whether an edge says that a file or class of tests runs affected code itself."""
        return edge == POSSIBLE or (edge >= 0 and int(self._edge_kinds[edge]) in _RUNNING)


def unlinked_tests(graph: FullGraph, suite: Suite) -> list[str]:
    """Files of tests from which no reference leads to code that is no test, directly or through others: they run a
    program, or get the code to test from their runner."""
    files = file_graph_of(graph)
    users: dict[int, list[int]] = {}
    for source, targets in files.dependencies.items():
        for target in targets:
            users.setdefault(target, []).append(source)
    queue = [place for place in files.modules if not is_test_path(files.paths[place])]
    linked = set(queue)
    while queue:
        more = set(users.get(queue.pop(), ())) - linked
        linked |= more
        queue += more
    return sorted(path for path in suite.files if files.places.get(path, -1) not in linked)


class _Held(NamedTuple):
    holder: int
    target: int


@lru_cache(maxsize=1 << 14)
def _has_named_tests(path: str) -> bool:
    """Whether a runner can address the functions of a file."""
    found = BUILT_IN.by_name.get(language_of(path))
    return found is None or found.named_tests


def _is_named(node_id: str) -> bool:
    path, scope = split_id(node_id)
    return is_test_path(path) and is_test_name(scope.rpartition(SCOPE)[2])


def _outer(node_id: str) -> Iterable[str]:
    while SCOPE in node_id:
        node_id = node_id.rpartition(SCOPE)[0]
        yield node_id


def _around(node_id: str, ids: set[str]) -> bool:
    return node_id in ids or any(one in ids for one in _outer(node_id))
