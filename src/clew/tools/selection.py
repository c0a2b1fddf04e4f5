"""The answer of `test_select`: tests by probability, the reason for each, and the blind spots of the selection."""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from clew.engine import Engine
from clew.graph.elements import Element, Elements
from clew.index.languages import BUILT_IN
from clew.model.code import split_id
from clew.model.words import Kind
from clew.text.paths import is_test_path
from clew.tools.budget import Priority, Shape, listing
from clew.tools.changed_code import Changed, ChangeSelection, changed
from clew.tools.coverage_data import CoverageData
from clew.tools.freshness import NOTHING_TO_TELL, FreshnessState, counted, paths_of
from clew.tools.impact import seeds_in, unresolved_calls, unresolved_said
from clew.tools.test_commands import Runner, commands

if TYPE_CHECKING:
    from clew.graph.test_selection import Suite

Level = Literal["safe", "balanced", "fast"]

# The least score of a selected test by level.
LEAST: dict[str, float] = {"safe": 0.01, "balanced": 0.06, "fast": 0.2}
BY_NAME = 0.6  # a test whose text names a changed file that is no code
BY_COVERAGE = 0.9  # a test that ran a changed symbol, by recorded coverage
BY_FOLDER = 0.3  # a test below the folder of a changed data file, where no test names the file
MOST_READ = 5_000  # files of tests that are searched for names of data files
DIGITS = 3


class SelectedTest(Struct, frozen=True):
    """A test function, a class of tests, or a file of tests. `why` is the shortest path from the changed code."""

    path: str
    id: str
    score: float
    why: str


class TestSelect(Struct, frozen=True, omit_defaults=True):
    """`selected` of `suite` tests would run. `blind_spots` are changed files whose effect on tests cannot be derived
    from code, and changed files that import by computed names or read the environment; more tests are selected for
    them. `coverage` counts tests that recorded coverage data name for the change."""

    tests: tuple[SelectedTest, ...]
    level: str
    selected: int
    suite: int
    tests_total: int = 0
    changed: tuple[str, ...] = ()
    blind_spots: tuple[str, ...] = ()
    coverage: int = 0
    unresolved_calls: int = 0
    commands: tuple[str, ...] = ()
    origin: str = ""
    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        if not self.suite:
            return f"No tests are known in this project. {self.freshness.unseen()}".rstrip()
        share = 100 * self.selected / self.suite
        chosen = counted(self.selected, "test", "tests")
        said = f"{chosen} of {self.suite} ({share:.0f} %) for {self.origin}, level {self.level}."
        if self.tests_total > len(self.tests):
            said += f" The first {len(self.tests)} of {self.tests_total} entries are listed."
        if self.blind_spots:
            more = " …" if len(self.blind_spots) > 3 else ""
            said += f" Not derivable from code: {', '.join(self.blind_spots[:3])}{more}."
        if self.unresolved_calls:
            said += f" {unresolved_said(self.unresolved_calls)} may hide tests."
        return f"{said} {self.freshness.unseen()}".rstrip()

    def quoted(self) -> Iterable[str]:
        """Files that the answer names symbols of."""
        return paths_of(one.id for one in self.tests)


TEST_SELECT_SHAPE = Shape(
    {
        "changed": Priority.MEDIUM,
        "blind_spots": Priority.HIGH,
        "commands": Priority.MEDIUM,
        "coverage": Priority.LOW,
        "unresolved_calls": Priority.HIGH,
        "origin": Priority.LOW,
        "freshness": Priority.LOW,
    },
    listing("tests"),
    pages=("tests",),
)


def selection(engine: Engine, asked: ChangeSelection, level: Level, limit: int, runner: Runner = "") -> TestSelect:
    from clew.graph.impact import spread  # numpy is heavy, and most tools do not need it
    from clew.graph.test_selection import Selected, suite_of

    engine.require_index()
    what = changed(engine, asked)
    graph = engine.graph()
    suite = suite_of(graph)
    found = {one.id: one for one in suite.select(spread(graph, seeds_in(graph, what.seeds)))}
    blind = _blind(engine, what)
    for path in blind:
        for node_id, score in _by_text(engine, path, suite.files):
            if node_id not in found or found[node_id].score < score:
                found[node_id] = Selected(node_id, score, (path, node_id))
    covered = _by_coverage(engine, what, suite)
    for node_id, seed in covered.items():
        if node_id not in found or found[node_id].score < BY_COVERAGE:
            found[node_id] = Selected(node_id, BY_COVERAGE, (seed, node_id))
    ranked = sorted(found.values(), key=lambda one: (-one.score, len(one.path), one.id))
    chosen = [one for one in ranked if one.score >= LEAST[level]]
    return TestSelect(
        tests=tuple(
            SelectedTest(
                split_id(one.id)[0], one.id, round(one.score, DIGITS), _why(one.path, is_recorded=one.id in covered)
            )
            for one in chosen[:limit]
        ),
        level=level,
        selected=suite.count_tests(one.id for one in chosen),
        suite=suite.size,
        tests_total=len(chosen),
        changed=tuple(dict.fromkeys(seed.id for seed in what.seeds)),
        blind_spots=blind,
        coverage=len(covered),
        unresolved_calls=unresolved_calls(engine, what.seeds),
        commands=commands((one.id for one in chosen[:limit]), runner),
        origin=what.origin,
    )


def _why(path: Sequence[str], *, is_recorded: bool = False) -> str:
    if len(path) < 2:
        return "changed itself"
    return f"{' → '.join(path)}{' (ran it, by coverage data)' if is_recorded else ''}"


def _blind(engine: Engine, what: Changed) -> tuple[str, ...]:
    """Changed files with uses that cannot be read from code: data, settings, templates, unindexed files, and code that
    imports by computed names or reads the environment.
    """
    elements = Elements(engine.files)
    pages = [page for path in what.paths if (page := elements.page(path))]
    plain = {
        page.version.path
        for page in pages
        if not is_code(page.version.language)
        or (not is_test_path(page.version.path) and _DYNAMIC.search(elements.text(page)))
    }
    return tuple(sorted(plain | set(what.unindexed)))


# Imports by a computed name, and reads of the environment: what they lead to is known only when the program runs.
_DYNAMIC = re.compile(
    rb"\b(?:importlib\.import_module|__import__)\(\s*[^\"'\s)]|\bos\.environ\b|\bos\.getenv\(|\bprocess\.env\b"
    rb"|\b(?:require|import)\(\s*[^\"'`\s)]|\bClass\.forName\(|\bSystem\.getenv\(|\bos\.Getenv\(|\bstd::env::var\b"
)


def _by_coverage(engine: Engine, what: Changed, suite: "Suite") -> dict[str, str]:
    """Tests that ran a changed symbol by recorded coverage data, each with that symbol."""
    data = CoverageData(engine.place.root, (test for tests in suite.test_ids().values() for test in tests))
    if engine.as_of or not data.is_there():
        return {}
    elements, found = Elements(engine.files), dict[str, str]()
    for path in dict.fromkeys(split_id(seed.id)[0] for seed in what.seeds):
        lines = data.of(path)
        for seed in what.seeds:
            if split_id(seed.id)[0] != path or not (element := elements.get(seed.id)):
                continue
            # A file's own lines run when it is imported, for whichever test happens to be first.
            span = {seed.line} if element.kind == Kind.FILE else _body(element)
            for test, ran in lines.items():
                if test not in found and not ran.isdisjoint(span):
                    found[test] = seed.id
    return dict(sorted(found.items()))


def _body(element: Element) -> range:
    """Its lines behind the first, which runs when the definition is read."""
    return range(element.first_line + (element.last_line > element.first_line), element.last_line + 1)


def is_code(language: str) -> bool:
    found = BUILT_IN.by_name.get(language)
    return found is not None and found.is_code


def _by_text(engine: Engine, path: str, files: Iterable[str]) -> Iterable[tuple[str, float]]:
    """Tests that mention the name of a file; if none does, those below the same folder."""
    name = path.rpartition("/")[2].encode()
    elements = Elements(engine.files)
    named = []
    for test in sorted(files)[:MOST_READ]:
        page = elements.page(test)
        if page is not None and name in elements.text(page):
            named.append((test, BY_NAME))
    if named:
        return named
    folder = path.rpartition("/")[0]
    if not is_test_path(path):
        return []
    return [(test, BY_FOLDER) for test in sorted(files) if test.startswith(f"{folder}/" if folder else "")]
