"""Questions about a change: what it affects, which tests to run for it, what kind they are, and running them."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct, structs

from clew.engine import Engine
from clew.graph.elements import Elements, Page
from clew.graph.test_categories import CATEGORIES, CaseFacts, Categorization, Category, categorize
from clew.model.agents import Identity
from clew.model.code import SCOPE, split_id
from clew.model.errors import NotFound
from clew.model.search import Query
from clew.model.words import EdgeKind
from clew.store.links import KINDS
from clew.text.paths import Among, is_test_path, lies_among
from clew.tools.architecture import ARCH_SHAPE, ArchValidate, configured_rules, groups_of, validate
from clew.tools.budget import Priority, Shape, grow_lists, only
from clew.tools.changed_code import ChangeSelection
from clew.tools.freshness import NOTHING_TO_TELL, FreshnessState, count_of, freshly
from clew.tools.impact import IMPACT_SHAPE, ImpactAnalyze, impact
from clew.tools.naming import spelt_here
from clew.tools.patterns import PATTERN_SHAPE, FindPattern, PatternKind, find
from clew.tools.registry import Effect, tool
from clew.tools.selection import TEST_SELECT_SHAPE, Level, TestSelect, is_code, selection
from clew.tools.test_commands import Runner
from clew.tools.test_run import TEST_RUN_SHAPE, TestRequest, TestRun, run

if TYPE_CHECKING:
    from clew.graph.full_graph import FullGraph
    from clew.graph.test_selection import Suite


HITS = 60
FALL = 0.9  # what each further hit counts, relative to the one before
MOST_EXAMPLES = 3


class SuggestedPlace(Struct, frozen=True, omit_defaults=True):
    """`examples` are the code there that fits best; `beside` the file that a small addition could go into; `tests` the
    folder of tests that reach it; `layer` the layer of an architecture rule that it belongs to."""

    folder: str
    score: float
    reasons: tuple[str, ...]
    examples: tuple[str, ...] = ()
    beside: str = ""
    community: str = ""
    layer: str = ""
    tests: str = ""


class ArchSuggest(Struct, frozen=True, omit_defaults=True):
    places: tuple[SuggestedPlace, ...]
    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        if not self.places:
            return f"No similar code was found. {self.freshness.unseen()}".rstrip()
        best = self.places[0]
        said = f"Best place: {best.folder or 'the root'} ({best.reasons[0]})."
        return f"{said} {self.freshness.unseen()}".rstrip()

    def quoted_files(self) -> Iterable[str]:
        """Files that the answer tells of."""
        return dict.fromkeys(split_id(name)[0] for one in self.places for name in one.examples)


SUGGEST_SHAPE = Shape(
    {"freshness": Priority.LOW},
    grow_lists("places", forms={"places": (only("folder", "score"), only("folder", "score", "reasons", "beside"))}),
    pages=("places",),
)


def suggest(engine: Engine, text: str, limit: int) -> ArchSuggest:
    """From what a search finds for a description: folders by the weight of their hits, with what the graph knows of
    them."""
    engine.require_index()
    results = engine.search(Query(text, HITS))
    weights, hits = defaultdict[str, float](float), defaultdict[str, list[str]](list)
    files = defaultdict[str, float](float)
    weight = 1.0
    for hit in results.hits:
        if lies_among(hit.path) is not Among.CODE:
            continue
        folder = hit.path.rpartition("/")[0]
        weights[folder] += weight * hit.score
        files[hit.path] += weight * hit.score
        if hit.symbol not in hits[folder]:
            hits[folder].append(hit.symbol)
        weight *= FALL
    total = sum(weights.values())
    order = sorted(weights, key=lambda one: (-round(weights[one], 9), one))[:limit]
    around = _Around(engine)
    return ArchSuggest(
        tuple(around.place(folder, weights[folder] / total, hits[folder], _best(folder, files)) for folder in order)
    )


def _best(folder: str, files: dict[str, float]) -> str:
    own = [path for path in files if path.rpartition("/")[0] == folder]
    return max(own, key=lambda path: (files[path], path))


class _Around:
    """Communities, layers and tests of places."""

    def __init__(self, engine: Engine) -> None:
        from clew.graph.architecture import Selectors  # numpy is heavy
        from clew.graph.file_graph import file_graph_of

        self._communities = engine.communities()
        self._graph = file_graph_of(engine.graph())
        rules = [one for one in configured_rules(engine)[0] if one.kind == "layers"]
        select = Selectors(self._graph.paths, groups_of(engine, rules))
        self._layers = {
            layer: select.find(f"{container}{layer}")
            for rule in rules
            for container in [f"{one}{'/' if '/' in one else '.'}" for one in rule.containers] or [""]
            for text in rule.layers
            for layer in [part.strip("() ") for part in text.replace(" : ", "|").split("|") if part.strip("() ")]
            if select.matches(f"{container}{layer}")
        }

    def place(self, folder: str, share: float, examples: Sequence[str], beside: str) -> SuggestedPlace:
        found = self._communities.of(beside, level=8)
        label = found.label if found else ""
        layer = next((name for name, files in self._layers.items() if self._graph.places.get(beside) in files), "")
        tests = self._tests(beside)
        reasons = [
            f"{count_of(len(examples), 'similar piece', 'similar pieces')} of code here, first {examples[0]}",
            f"part of the community {label}" if label else "",
            f"layer {layer}" if layer else "",
            f"tested in {tests}" if tests else "",
        ]
        return SuggestedPlace(
            folder,
            round(share, 3),
            tuple(filter(None, reasons)),
            tuple(examples[:MOST_EXAMPLES]),
            beside,
            label,
            layer,
            tests,
        )

    def _tests(self, path: str) -> str:
        place = self._graph.places.get(path, -1)
        users = [self._graph.paths[other] for other in self._graph.neighbors.get(place, ())]
        folders = sorted(one.rpartition("/")[0] for one in users if is_test_path(one))
        return max(folders, key=lambda one: (folders.count(one), one), default="")


MOST_REASONS = 3
MOST_TEXT = 200_000  # bytes of a file that are looked at


class CategorizedTest(Struct, frozen=True, omit_defaults=True):
    """A file of tests with `tests` in it, or a test of another category than its file."""

    id: str
    category: Category
    reasons: tuple[str, ...]
    tests: int = 0


class TestCategories(Struct, frozen=True, omit_defaults=True):
    """`counts` is by category, of tests; a file without addressable tests counts as one."""

    tests: tuple[CategorizedTest, ...]
    counts: dict[str, int]
    total: int = 0
    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        if not self.counts:
            return f"No tests are known here. {self.freshness.unseen()}".rstrip()
        said = ", ".join(f"{self.counts[one]} {one}" for one in CATEGORIES if one in self.counts)
        return f"{said}. {self.freshness.unseen()}".rstrip()

    def quoted_files(self) -> Iterable[str]:
        """Files that the answer tells of."""
        return (split_id(one.id)[0] for one in self.tests)


CATEGORIES_SHAPE = Shape(
    {"counts": Priority.HIGH, "total": Priority.LOW, "freshness": Priority.LOW},
    grow_lists("tests", forms={"tests": (only("id", "category"),)}),
    pages=("tests",),
)


def categories(engine: Engine, files: Sequence[str], wanted: Category | None, limit: int) -> TestCategories:
    from clew.graph.test_selection import suite_of  # numpy is heavy, and most tools do not need it

    engine.require_index()
    graph = engine.graph()
    suite, elements = suite_of(graph), Elements(engine.files)
    held, known = suite.files, _files(engine, suite)
    named = [spelt_here(engine, one) for one in files]
    for one in named:
        if one not in known and not any(path.startswith(f"{one.rstrip('/')}/") for path in known):
            raise NotFound(f"no tests are known in {one!r}", "Name a file of tests or a folder of them.")
    chosen = [
        path
        for path in known
        if not named or any(path == one or path.startswith(f"{one.rstrip('/')}/") for one in named)
    ]
    imports = _imports(graph, chosen)
    counts: Counter[str] = Counter()
    rows = list[CategorizedTest]()
    for path in chosen:
        tests = known[path]
        page = elements.page(path)
        if page is None:
            continue
        text = elements.text(page)[:MOST_TEXT].decode("utf-8", "replace")
        whole = categorize(CaseFacts(path, imports=imports.get(path, ()), text=text, has_tests=path in held))
        own = list(_tests_of_other_categories(page, tests, whole))
        rest = max(1, len(tests)) - sum(one.category != "fixture" for one in own)
        if not rest and path in held:  # all tests of the file are of one other kind
            other = next(one for one in own if one.category != "fixture")
            whole = whole._replace(category=other.category, reasons=other.reasons)
        counts[whole.category] += rest
        counts.update(one.category for one in own)
        rows.append(CategorizedTest(path, whole.category, whole.reasons[:MOST_REASONS], len(tests)))
        rows += own
    shown = [one for one in rows if wanted is None or one.category == wanted]
    return TestCategories(tuple(shown[:limit]), {name: n for name, n in sorted(counts.items()) if n > 0}, len(shown))


def _files(engine: Engine, suite: "Suite") -> dict[str, tuple[str, ...]]:
    """Files of tests with the ids of their tests, and the code beside them that helps them."""
    tests = suite.test_ids()
    return {
        one.path: tuple(test for test in tests.get(one.path, ()) if test != one.path)
        for one in sorted(engine.files.contents(), key=lambda one: one.path)
        if is_code(one.language)
        and (one.path in tests or (is_test_path(one.path) and one.path not in suite.used_by_code))
    }


def _imports(graph: "FullGraph", paths: Iterable[str]) -> dict[str, list[str]]:
    import numpy as np

    wanted = {place: path for path in paths if (place := graph.find(path)) >= 0}
    edges = graph.edges
    rows = np.flatnonzero((edges.kind == KINDS.index(EdgeKind.IMPORTS)) & np.isin(edges.source, list(wanted)))
    found: dict[str, list[str]] = {}
    for source, target in zip(edges.source[rows].tolist(), edges.target[rows].tolist(), strict=True):
        found.setdefault(wanted[source], []).append(graph.ids[target])
    return found


def _tests_of_other_categories(page: Page, tests: Sequence[str], whole: Categorization) -> Iterator[CategorizedTest]:
    """Fixtures, and tests with markers, fixtures or names that indicate another category than their file's."""
    path = page.version.path
    inside = {split_id(test)[1] for test in tests}
    for scope, symbol in page.symbols.items():
        if scope not in inside and not symbol.decorators:
            continue
        holder = page.symbols.get(scope.rpartition(SCOPE)[0])
        marks = (*symbol.decorators, *(holder.decorators if holder else ()))
        own = CaseFacts("", symbol.name, marks, (), _parameters(symbol.signature), has_tests=True)
        verdict = categorize(own)
        if scope not in inside and verdict.category != "fixture":
            continue
        if verdict.category not in ("unit", whole.category):
            yield CategorizedTest(f"{path}{SCOPE}{scope}", verdict.category, verdict.reasons[:MOST_REASONS])


def _parameters(signature: str) -> list[str]:
    inside = signature.partition("(")[2]
    return [name for part in inside.split(",") if (name := re.split(r"[:=)]", part)[0].strip()).isidentifier()]


Files = Annotated[tuple[str, ...], Meta(max_length=1000, description="Changed files, relative to the root.")]
Symbols = Annotated[tuple[str, ...], Meta(max_length=200, description="Changed symbols, by id or name.")]
Diff = Annotated[str, Meta(max_length=10_000_000, description="A unified diff, whether already applied or not.")]
Since = Annotated[str, Meta(max_length=200, description="Everything that changed since this commit, tag or branch.")]


@tool(Effect.READ, shape=IMPACT_SHAPE, also="blast radius dependents breaks breaking affected risk review change")
def impact_analyze(
    engine: Engine,
    files: Files = (),
    symbols: Symbols = (),
    diff: Diff = "",
    since: Since = "",
    limit: Annotated[int, Meta(ge=1, le=1000, description="Maximum number of affected symbols.")] = 50,
) -> ImpactAnalyze:
    """Show what a change affects: dependents, tests, others' claims. Default: uncommitted edits."""
    asked = ChangeSelection(files, symbols, diff, since)
    found, fresh = freshly(engine, lambda: impact(engine, asked, limit), lambda one: one.quoted_files())
    return structs.replace(found, freshness=fresh)


@tool(Effect.READ, shape=TEST_SELECT_SHAPE, also="tests affected run change coverage regression ci")
def test_select(
    engine: Engine,
    files: Files = (),
    symbols: Symbols = (),
    diff: Diff = "",
    since: Since = "",
    level: Annotated[
        Level, Meta(description="safe: nearly every affected test; balanced; fast: the most probable.")
    ] = "balanced",
    runner: Annotated[Runner, Meta(description="For `commands`; default: the language's usual runner.")] = "",
    limit: Annotated[int, Meta(ge=1, le=10_000, description="Maximum number of tests, classes or files.")] = 1000,
) -> TestSelect:
    """Choose the tests to run for a change, best first, each with its reason. Default: uncommitted edits."""
    asked = ChangeSelection(files, symbols, diff, since)
    found, fresh = freshly(
        engine, lambda: selection(engine, asked, level, limit, runner), lambda one: one.quoted_files()
    )
    return structs.replace(found, freshness=fresh)


@tool(Effect.READ, shape=CATEGORIES_SHAPE, also="unit integration e2e end-to-end benchmark fixture kind of tests")
def test_categorize(
    engine: Engine,
    files: Annotated[
        tuple[str, ...], Meta(max_length=1000, description="Files or folders of tests; default: all.")
    ] = (),
    category: Annotated[Category | None, Meta(description="List only this one.")] = None,
    limit: Annotated[int, Meta(ge=1, le=10_000, description="Maximum number of files and tests.")] = 200,
) -> TestCategories:
    """Classify tests as unit, integration, end-to-end, benchmark or fixture, each with reasons."""
    found, fresh = freshly(engine, lambda: categories(engine, files, category, limit), lambda one: one.quoted_files())
    return structs.replace(found, freshness=fresh)


@tool(Effect.WRITE, shape=TEST_RUN_SHAPE, also="execute pytest jest suite verify failures results", dated=False)
def test_run(
    engine: Engine,
    tests: Annotated[tuple[str, ...], Meta(max_length=10_000, description="Ids of tests, classes or files.")] = (),
    affected: Annotated[bool, Meta(description="Run the tests affected by uncommitted changes.")] = False,
    since: Since = "",
    level: Annotated[Level, Meta(description="Level of the selection, with `affected` or `since`.")] = "balanced",
    task_id: Annotated[str, Meta(max_length=200, description="Record the result for this task.")] = "",
    *,
    who: Identity,
) -> TestRun:
    """Run the configured test command; failures first, with their code. Off unless configured."""
    change = ChangeSelection(since=since) if affected or since else None
    return run(engine, TestRequest(tests, change, level, task_id), who)


@tool(Effect.READ, shape=ARCH_SHAPE, also="architecture layers rules violations boundaries cycles forbidden import")
def arch_validate(
    engine: Engine,
    rules: Annotated[tuple[str, ...], Meta(max_length=200, description="Only these rules, by name.")] = (),
    baseline: Annotated[bool, Meta(description="Hide violations that the baseline accepts.")] = True,
) -> ArchValidate:
    """Check the architecture rules: violations with import chains. Without rules, proposes some."""
    found, fresh = freshly(engine, lambda: validate(engine, rules, baseline=baseline), lambda one: one.quoted_files())
    return structs.replace(found, freshness=fresh)


@tool(Effect.READ, shape=SUGGEST_SHAPE, also="where put place new code belongs folder layer structure")
def arch_suggest(
    engine: Engine,
    description: Annotated[str, Meta(min_length=1, max_length=20_000, description="Purpose of the new code.")],
    limit: Annotated[int, Meta(ge=1, le=100, description="Maximum number of places.")] = 5,
) -> ArchSuggest:
    """Suggest where a new piece of code belongs, with reasons from search, graph and layers."""
    found, fresh = freshly(engine, lambda: suggest(engine, description, limit), lambda one: one.quoted_files())
    return structs.replace(found, freshness=fresh)


@tool(
    Effect.READ, shape=PATTERN_SHAPE, also="smell cycle circular dead unused duplicate clone god large hotspot similar"
)
def find_pattern(
    engine: Engine,
    pattern: Annotated[PatternKind | None, Meta(description="Default: examples of each.")] = None,
    path: Annotated[str, Meta(max_length=2000, description="Only below this folder or file.")] = "",
    like: Annotated[str, Meta(max_length=100_000, description="With similar: a symbol, or a piece of code.")] = "",
    limit: Annotated[int, Meta(ge=1, le=1000, description="At most this many.")] = 40,
) -> FindPattern:
    """Find cycles, oversized, dead or duplicate code, unused exports, hotspots, or similar code."""
    found, fresh = freshly(engine, lambda: find(engine, pattern, path, like, limit), lambda one: one.quoted_files())
    return structs.replace(found, freshness=fresh)
