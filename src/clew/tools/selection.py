"""The answer of `test_select`: tests by probability, the reason for each, and the blind spots of the selection.

Coverage data of the project, if there is any, comes first.
"""

import re
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from clew.engine import Engine
from clew.graph.changes import Seed
from clew.graph.elements import Element, Elements
from clew.languages import BUILT_IN
from clew.model.code import SCOPE, split_id, symbol_id
from clew.model.words import Kind
from clew.runtime.plain import read_own
from clew.text.paths import is_locked, is_test_path
from clew.text.test_names import is_helper_path
from clew.tools.budget import Priority, Shape, grow_lists
from clew.tools.changed_code import Changed, ChangeSelection, find_changed
from clew.tools.freshness import NOTHING_TO_TELL, FreshnessState, count_of, paths_of
from clew.tools.impact import seeds_in, unresolved_calls, unresolved_said
from clew.tools.related_tests import related_tests
from clew.tools.test_commands import Runner, RunnerProjects, commands

if TYPE_CHECKING:
    from clew.graph.full_graph import FullGraph
    from clew.graph.test_selection import Selected, Suite


COVERAGE_PY = ".coverage"
LCOV = ("lcov.info", "coverage/lcov.info")
MOST_BYTES = 512 * 1024 * 1024
MOST_STEPS = 200_000_000  # of SQLite's machine, for one file of coverage data
_STEPS_AT_ONCE = 1_000_000

Lines = Mapping[str, frozenset[int]]  # by test, the lines that it ran


class CoverageData:
    """By the path of a source file and the id of a test, the lines that the test ran."""

    def __init__(self, root: Path, tests: Iterable[str]) -> None:
        self._root = root
        self._names = _Names(tests)

    def of(self, path: str) -> Lines:
        """Tests that ran lines of one file; none without usable data."""
        found: dict[str, set[int]] = {}
        for context, lines in (*self._contexts(path), *self._lcov(path)):
            for test in self._names.find(context):
                found.setdefault(test, set()).update(lines)
        return {test: frozenset(lines) for test, lines in found.items()}

    def is_there(self) -> bool:
        return any(_is_plain(self._root / name) for name in (COVERAGE_PY, *LCOV))

    def _contexts(self, path: str) -> list[tuple[str, set[int]]]:
        file = self._root / COVERAGE_PY
        if not _is_plain(file):
            return []
        try:
            with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro&immutable=1", uri=True)) as db:
                return list(self._rows(db, path))
        except sqlite3.Error:  # no data of coverage.py, or of another version of it
            return []

    def _rows(self, db: sqlite3.Connection, path: str) -> Iterator[tuple[str, set[int]]]:
        left = MOST_STEPS // _STEPS_AT_ONCE

        def count() -> int:
            nonlocal left
            left -= 1
            return left < 0

        db.set_progress_handler(count, _STEPS_AT_ONCE)
        db.execute("PRAGMA trusted_schema = OFF")
        wanted = [number for number, name in db.execute("SELECT id, path FROM file") if self._is_meant(str(name), path)]
        contexts = dict(db.execute("SELECT id, context FROM context"))
        for number in wanted:
            query = "SELECT context_id, numbits FROM line_bits WHERE file_id = ?"
            for context, bits in db.execute(query, (number,)):
                yield str(contexts.get(context, "")), _lines(bytes(bits))
            query = "SELECT context_id, fromno, tono FROM arc WHERE file_id = ?"  # with branch coverage
            arcs: dict[int, set[int]] = {}
            for context, first, last in db.execute(query, (number,)):
                arcs.setdefault(context, set()).update(line for line in (first, last) if line > 0)
            yield from ((str(contexts.get(context, "")), lines) for context, lines in arcs.items())

    def _is_meant(self, name: str, path: str) -> bool:
        name = name.replace("\\", "/")
        return name == path or name == f"{self._root.as_posix()}/{path}"

    def _lcov(self, path: str) -> Iterator[tuple[str, set[int]]]:
        for name in LCOV:
            file = self._root / name
            if not _is_plain(file):
                continue
            try:
                text = read_own(file, MOST_BYTES).decode("utf-8", "replace")
            except OSError:
                continue
            yield from self._records(text, path)

    def _records(self, text: str, path: str) -> Iterator[tuple[str, set[int]]]:
        test, inside, lines = "", False, set[int]()
        for row in text.splitlines():
            word, _, rest = row.partition(":")
            if word == "TN":
                test = rest.partition(",")[0]
            elif word == "SF":
                inside, lines = self._is_meant(rest, path), set()
            elif word == "DA" and inside:
                line, _, hits = rest.partition(",")
                if line.isdigit() and hits.partition(",")[0] not in ("", "0"):
                    lines.add(int(line))
            elif row == "end_of_record" and inside and test and lines:
                yield test, lines


class _Names:
    """Ids of tests by the names that test runners give them."""

    def __init__(self, tests: Iterable[str]) -> None:
        self._ids = frozenset(tests)
        self._dotted: dict[str, list[str]] = {}
        for test in sorted(self._ids):
            path, scope = split_id(test)
            module = path.rpartition(".")[0].replace("/", ".")
            dotted = f"{module}.{scope.replace(SCOPE, '.')}"
            last = scope.rpartition(SCOPE)[2]
            for name in {dotted, last}:
                self._dotted.setdefault(name, []).append(test)

    def find(self, context: str) -> tuple[str, ...]:
        """`tests/test_a.py::test_b[1]|run` (pytest-cov), `tests.test_a.test_b` (coverage.py), or a bare name (lcov)."""
        name = re.sub(r"\[.*\]", "", context.partition("|")[0].strip())
        if name in self._ids:
            return (name,)
        named = self._dotted.get(name, [])
        return tuple(named) if len(named) == 1 else ()


def _lines(bits: bytes) -> set[int]:
    """The line numbers of coverage.py's bit sets."""
    return {8 * place + bit for place, byte in enumerate(bits) for bit in range(8) if byte >> bit & 1}


def _is_plain(file: Path) -> bool:
    try:
        found = file.lstat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= MOST_BYTES


Level = Literal["safe", "balanced", "fast"]

# The least score of a selected test by level, relative to the best one; and the share of the suite that is selected at
# most, the best first.
RELATIVE: dict[str, float] = {"safe": 0.05, "balanced": 0.2, "fast": 0.2}
MOST_SHARE: dict[str, float] = {"balanced": 0.5, "fast": 0.1}
FEWEST = 10  # tests that a share never cuts off
LEAST: dict[str, float] = {"safe": 0.01, "balanced": 0.06, "fast": 0.1}  # probability, before words are compared
BY_PATH = 0.3  # share of its probability that a test keeps if its words have nothing in common with the change
IN_FILE = 0.7  # what the words of a test's file count, relative to its own
BY_WORDS = 0.25  # a test that nothing leads to, by words that it has in common with the change, if it has many
MANY_WORDS = 0.4
ONLY_WORDS = "nothing leads to it, but it names what changed"
BY_NO_LINK = 0.05  # a file of tests that uses no code of the project that can be seen: only at level safe
NO_LINK = "it uses no code of the project that can be seen"
BY_NAME = 0.6  # a test whose text names a changed file that is no code
BY_COVERAGE = 0.9  # a test that ran a changed symbol, by recorded coverage
BY_CALL = 0.3  # a caller by a name that could not be resolved, if one definition has it; of several, a share of that
BY_REMOVAL = 0.8  # a caller, unresolved now, of a name whose definition was removed
BY_NAME_OF_MODULE = 0.4  # code with the name of a changed module in a string
BY_FILE = 0.5  # users of a file, by a change of a definition in it that nothing is known to use
PROBABLE = 0.06  # a test; where no one is, any may be affected
BY_NOTHING = 0.02  # any test, if nothing probable leads from the changed code to one
NO_PATH = "nothing probable leads from the change to a test"
MOST_MODULES, MOST_MENTIONS = 20, 50  # changed modules whose names are looked for, and files that are read for one
MOST_NAMES, MOST_ALIKE = 200, 50  # changed names that are looked up, and definitions or calls by one
BY_MANIFEST = 0.06  # any test, by a change of what the project depends on or how it is built
BY_FOLDER = 0.3  # a test below the folder of a changed data file, where no test names the file, or of a changed helper
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
    them. `unlinked` counts files of tests that use no code of the project that can be seen; level safe selects them.
    `coverage` counts tests that recorded coverage data name for the change."""

    tests: tuple[SelectedTest, ...]
    level: str
    selected: int
    suite: int
    tests_total: int = 0
    changed: tuple[str, ...] = ()
    blind_spots: tuple[str, ...] = ()
    coverage: int = 0
    unresolved_calls: int = 0
    unlinked: int = 0
    commands: tuple[str, ...] = ()
    origin: str = ""
    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        if not self.suite:
            return f"No tests are known in this project. {self.freshness.unseen()}".rstrip()
        share = 100 * self.selected / self.suite
        chosen = count_of(self.selected, "test", "tests")
        said = f"{chosen} of {self.suite} ({share:.0f} %) for {self.origin}, level {self.level}."
        if self.tests_total > len(self.tests):
            said += f" The first {len(self.tests)} of {self.tests_total} entries are listed."
        if self.blind_spots:
            more = " …" if len(self.blind_spots) > 3 else ""
            said += f" Not derivable from code: {', '.join(self.blind_spots[:3])}{more}."
        if self.unresolved_calls:
            said += f" {unresolved_said(self.unresolved_calls)} may hide tests."
        if self.unlinked and self.level != "safe":
            files = count_of(self.unlinked, "file of tests uses", "files of tests use")
            said += f" {files} no code that can be seen; level safe selects them."
        return f"{said} {self.freshness.unseen()}".rstrip()

    def quoted_files(self) -> Iterable[str]:
        """Files that the answer names symbols of."""
        return paths_of(one.id for one in self.tests)


TEST_SELECT_SHAPE = Shape(
    {
        "changed": Priority.MEDIUM,
        "blind_spots": Priority.HIGH,
        "commands": Priority.MEDIUM,
        "coverage": Priority.LOW,
        "unresolved_calls": Priority.HIGH,
        "unlinked": Priority.HIGH,
        "origin": Priority.LOW,
        "freshness": Priority.LOW,
    },
    grow_lists("tests"),
    pages=("tests",),
)


def selection(engine: Engine, asked: ChangeSelection, level: Level, limit: int, runner: Runner = "") -> TestSelect:
    from clew.graph.impact import spread, unused_definitions  # numpy is heavy, and most tools do not need it
    from clew.graph.test_selection import Selected, suite_of, unlinked_tests

    engine.require_index()
    what = find_changed(engine, asked)
    graph = engine.graph()
    suite = suite_of(graph)
    code = _code_in(engine, what.paths)
    further = (*_callers_of_removed(engine, what.removed), *_named_by_text(engine, code[:MOST_MODULES]))
    seeds = seeds_in(graph, [*what.seeds, *further])
    possible = _possible_callers(engine, graph, what.seeds)
    covered = _by_coverage(engine, what, suite)
    sources = {node: score for node, score in seeds.items() if not is_test_path(split_id(graph.ids[node])[0])}
    for node, holder in () if covered else unused_definitions(graph, sources):
        possible.setdefault(node, {})[holder] = BY_FILE
    found = {one.id: one for one in suite.select(spread(graph, seeds, possible))}
    blind = _blind(engine, what)
    for path, node_id, score in _by_text(engine, blind, suite.files):
        if node_id not in found or found[node_id].score < score:
            found[node_id] = Selected(node_id, score, (path, node_id))
    for one in _by_helper(graph, seeds, suite):
        if one.id not in found or found[one.id].score < one.score:
            found[one.id] = one
    for node_id, seed in covered.items():
        if node_id not in found or found[node_id].score < BY_COVERAGE:
            found[node_id] = Selected(node_id, BY_COVERAGE, (seed, node_id))
    reached = (one.score for one in found.values() if len(one.path) > 1 and not is_test_path(one.path[0]))
    if code and max(reached, default=0.0) < PROBABLE:
        rest = (Selected(path, BY_NOTHING, (code[0], path), NO_PATH) for path in sorted(suite.files))
        found = {one.id: one for one in rest} | found
    unlinked = unlinked_tests(graph, suite) if code and not covered else []
    for path in unlinked:
        found.setdefault(path, Selected(path, BY_NO_LINK, (code[0], path), NO_LINK))
    related = related_tests(engine, [seed.id for seed in what.seeds], what.lines, suite.files)
    for test, common in related.items() if code and not covered else ():
        if common >= MANY_WORDS and test in suite.test_or_file_ids:
            known = found.get(test, Selected(test, 0.0, (code[0], test), ONLY_WORDS))
            found[test] = known._replace(score=max(known.score, BY_WORDS * common))
    chosen = _best([one for one in found.values() if one.score >= LEAST[level]], suite, related, level)
    return TestSelect(
        tests=tuple(
            SelectedTest(
                split_id(one.id)[0], one.id, round(one.score, DIGITS), _why(one, is_recorded=one.id in covered)
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
        unlinked=len(unlinked),
        commands=commands((one.id for one in chosen[:limit]), runner_projects(engine), runner),
        origin=what.origin,
    )


def _rank_tests(tests: Iterable["Selected"], related: Mapping[str, float]) -> list["Selected"]:
    """By probability, of which the words in common with the change decide a part."""
    fused = (one._replace(score=round(one.score * _weight(one, related), 6)) for one in tests)
    return sorted(fused, key=lambda one: (-one.score, len(one.path), one.id))


def _weight(test: "Selected", related: Mapping[str, float]) -> float:
    if len(test.path) < 2:  # it changed itself
        return 1.0
    common = max(related.get(test.id, 0.0), IN_FILE * related.get(split_id(test.id)[0], 0.0))
    return BY_PATH + (1 - BY_PATH) * common


def _best(tests: Sequence["Selected"], suite: "Suite", related: Mapping[str, float], level: Level) -> list["Selected"]:
    """The tests that a level selects. Where it selects no more than a share of the suite, and that cuts some off,
    classes and files are taken apart into their tests."""
    from clew.graph.test_selection import Selected  # numpy is heavy

    ranked = _probable(_rank_tests(tests, related), level)
    most = max(FEWEST, int(MOST_SHARE.get(level, 1.0) * suite.size))
    if level not in MOST_SHARE or suite.count_tests(one.id for one in ranked) <= most:
        return ranked
    single: dict[str, Selected] = {}
    for one in tests:
        for test in suite.tests_in(one.id):
            if test not in single or single[test].score < one.score:
                single[test] = Selected(test, one.score, one.path if len(one.path) < 2 else (*one.path, test), one.note)
    return _probable(_rank_tests(single.values(), related), level)[:most]


def _probable(ranked: list["Selected"], level: Level) -> list["Selected"]:
    return [one for one in ranked if one.score >= RELATIVE[level] * ranked[0].score]


def runner_projects(engine: Engine) -> RunnerProjects:
    """The test runners of a project, by the manifests in it."""
    elements, graph = Elements(engine.files), engine.graph()

    def text_of(path: str) -> str | None:
        page = elements.page(path) if graph.find(path) >= 0 else None
        return elements.text(page).decode("utf-8", "replace") if page else None

    return RunnerProjects(text_of)


def _why(test: "Selected", *, is_recorded: bool = False) -> str:
    path = tuple(dict.fromkeys(test.path))
    if len(path) < 2:
        return "changed itself"
    note = "ran it, by coverage data" if is_recorded else test.note
    return f"{' → '.join(path)}{f' ({note})' if note else ''}"


def _possible_callers(engine: Engine, graph: "FullGraph", seeds: Iterable[Seed]) -> dict[int, dict[int, float]]:
    """By changed node, code with calls by its name that lead nowhere known. The more definitions share the name, the
    less probably a call means this one."""
    from clew.graph.edges import unresolved_calls  # numpy is heavy
    from clew.graph.surroundings import by_its_own, spellings

    corpus, found = engine.corpus(), dict[int, dict[int, float]]()
    for seed in seeds:
        node, name = graph.find(seed.id), split_id(seed.id)[1].rpartition("::")[2].partition("#")[0]
        if node < 0 or not name or seed.probability < 0.5 or len(found) >= MOST_NAMES:
            continue
        calls = [call for one in spellings([seed.id], name) for call in unresolved_calls(corpus, one)]
        sources = {graph.find(call.source) for call in by_its_own([seed.id], calls)} - {-1, node}
        if sources:
            alike = max(1, len(engine.nodes.find_named(name, MOST_ALIKE)))
            found[node] = dict.fromkeys(sorted(sources), BY_CALL / alike)
    return found


def _named_by_text(engine: Engine, paths: Iterable[str]) -> Iterable[Seed]:
    """Code with the name of a changed module in a string: plug-ins and settings are loaded by names."""
    from clew.retrieve.naming import find_mentions  # numpy is heavy

    elements, corpus = Elements(engine.files), engine.corpus()
    for path in paths:
        parts = module_parts(path)
        if len(parts) < 2 or not (found := find_mentions(corpus, parts[-1], engine.files.text, MOST_MENTIONS)):
            continue
        names = [f"{quote}{sign.join(parts)}".encode() for sign in _SIGNS for quote in _QUOTES]
        for spot in found.spots:
            page = elements.page(spot.path) if spot.path != path else None
            if page is None or not is_code(page.version.language):
                continue
            line = elements.text(page).splitlines()[spot.line - 1 : spot.line]
            if line and any(name in line[0] for name in names):
                yield Seed(symbol_id(spot.path, page.at(spot.line)), BY_NAME_OF_MODULE, spot.line)


def _code_in(engine: Engine, paths: Iterable[str]) -> list[str]:
    """The indexed files of code among some, without tests."""
    elements = Elements(engine.files)
    pages = (page for path in paths if not is_test_path(path) and (page := elements.page(path)))
    return [page.version.path for page in pages if is_code(page.version.language)]


_SIGNS, _QUOTES = (".", "/", "\\\\", "::"), ("'", '"', "`")


def module_parts(path: str) -> list[str]:
    """The parts of a module's name, without the folder that all sources lie in."""
    outer = ("src", "lib", "__init__", "index", "mod")
    return [one for one in path.rpartition(".")[0].split("/") if one not in outer]


def _by_helper(graph: "FullGraph", seeds: Mapping[int, float], suite: "Suite") -> Iterable["Selected"]:
    """Tests below the folder of a changed helper, if the change is in something that runs for all of them: code outside
    of functions, hooks, and fixtures that no test names."""
    from clew.graph.impact import unused_definitions  # numpy is heavy
    from clew.graph.test_selection import Selected

    helpers = {node: score for node, score in seeds.items() if is_helper_path(split_id(graph.ids[node])[0])}
    unused = {node for node, _ in unused_definitions(graph, helpers)}
    for node, score in sorted(helpers.items()):
        if node in unused or graph.kinds[node] == Kind.FILE:
            folder = split_id(graph.ids[node])[0].rpartition("/")[0]
            inside = (test for test in sorted(suite.files) if test.startswith(f"{folder}/" if folder else ""))
            yield from (Selected(test, BY_FOLDER * score, (graph.ids[node], test)) for test in inside)


def _callers_of_removed(engine: Engine, names: Iterable[str]) -> Iterable[Seed]:
    """Code that still calls what a change took away."""
    from clew.graph.edges import unresolved_calls  # numpy is heavy

    corpus = engine.corpus()
    for name in list(names)[:MOST_NAMES]:
        for call in unresolved_calls(corpus, name)[:MOST_ALIKE]:
            yield Seed(call.source, BY_REMOVAL, call.line)


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


def _by_text(engine: Engine, paths: Sequence[str], files: Iterable[str]) -> Iterator[tuple[str, str, float]]:
    """Tests for changed files that are no code: those that mention the name of a file, and all below the folder of a
    manifest; if there are none, those below the folder of a file of test data. Each text is read once."""
    tests = sorted(files)
    named: dict[str, list[str]] = {path: [] for path in paths}
    elements = Elements(engine.files)
    for test in tests[:MOST_READ] if paths else ():
        page = elements.page(test)
        text = elements.text(page) if page else b""
        for path in paths:
            if path.rpartition("/")[2].encode() in text:
                named[path].append(test)
    for path in paths:
        folder = path.rpartition("/")[0]
        inside = [test for test in tests if test.startswith(f"{folder}/" if folder else "")]
        if is_manifest(path):
            yield from ((path, test, BY_MANIFEST) for test in inside)
        yield from ((path, test, BY_NAME) for test in named[path])
        if not named[path] and not is_manifest(path) and is_test_path(path):
            yield from ((path, test, BY_FOLDER) for test in inside)


_MANIFEST = re.compile(
    r"(?:pyproject\.toml|setup\.(?:py|cfg)|(?:requirements|constraints)[\w.-]*\.(?:txt|in)|Pipfile|environment\.ya?ml|tox\.ini"
    r"|pytest\.ini|package\.json|tsconfig[\w.-]*\.json|(?:jest|vitest|vite|babel|webpack|rollup)\.config\.\w+|\.babelrc"
    r"|go\.(?:mod|work)|Cargo\.toml|build\.rs|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|gradle\.properties|build\.sbt"
    r"|Gemfile|[\w.-]+\.gemspec|composer\.json|phpunit\.xml(?:\.dist)?|[\w.-]+\.(?:cs|fs|vb)proj|[\w.-]+\.sln"
    r"|Directory\.(?:Build|Packages)\.(?:props|targets)|Package\.swift|CMakeLists\.txt|libs\.versions\.toml)"
)


def is_manifest(path: str) -> bool:
    """Whether a file says what code depends on or how it is built and tested."""
    return is_locked(path) or _MANIFEST.fullmatch(path.rpartition("/")[2]) is not None
