"""The answer of `test_categorize`: each file of tests with its category, and tests that differ from their file."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from clew.engine import Engine
from clew.graph.elements import Elements, Page
from clew.graph.test_categories import CATEGORIES, CaseFacts, Categorization, Category, categorize
from clew.model.code import SCOPE, split_id
from clew.model.errors import NotFound
from clew.model.words import EdgeKind
from clew.store.links import KINDS
from clew.text.paths import is_test_path
from clew.tools.budget import Priority, Shape, listing, only
from clew.tools.freshness import NOTHING_TO_TELL, FreshnessState
from clew.tools.naming import spelt_here
from clew.tools.selection import is_code

if TYPE_CHECKING:
    from clew.graph.full_graph import FullGraph
    from clew.graph.test_selection import Suite

MOST_REASONS = 3
MOST_TEXT = 200_000  # bytes of a file that are looked at


class CategorizedTest(Struct, frozen=True, omit_defaults=True):
    """A file of tests with `tests` in it, or a test of another category than its file."""

    id: str
    category: str
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

    def quoted(self) -> Iterable[str]:
        """Files that the answer tells of."""
        return (split_id(one.id)[0] for one in self.tests)


CATEGORIES_SHAPE = Shape(
    {"counts": Priority.HIGH, "total": Priority.LOW, "freshness": Priority.LOW},
    listing("tests", forms={"tests": (only("id", "category"),)}),
    pages=("tests",),
)


def categories(engine: Engine, files: Sequence[str], wanted: Category | None, limit: int) -> TestCategories:
    from clew.graph.test_selection import suite_of  # numpy is heavy, and most tools do not need it

    engine.require_index()
    graph = engine.graph()
    suite, elements = suite_of(graph), Elements(engine.files)
    known = _files(engine, suite)
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
        whole = categorize(CaseFacts(path, imports=imports.get(path, ()), text=text, has_tests=bool(tests)))
        own = list(_differing(page, tests, whole))
        counts[whole.category] += max(1, len(tests)) - sum(one.category != "fixture" for one in own)
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
        if is_code(one.language) and (one.path in tests or is_test_path(one.path))
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


def _differing(page: Page, tests: Sequence[str], whole: Categorization) -> Iterator[CategorizedTest]:
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
