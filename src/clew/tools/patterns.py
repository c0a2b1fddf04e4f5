"""The answer of `find_pattern`: cycles, oversized, dead and duplicate code, unused exports and hotspots, with fixes."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from msgspec import Struct

from clew.engine import Engine
from clew.graph.elements import TYPINGS, Elements
from clew.model.code import SCOPE, Symbol, split_id, symbol_id
from clew.model.errors import InvalidInput
from clew.model.words import CLASSES, EdgeKind, Kind
from clew.store.links import KINDS
from clew.text.made import is_made
from clew.text.paths import Among, is_foreign_path, is_test_path, lies_among
from clew.tools.budget import Priority, Shape, grow_lists, only
from clew.tools.freshness import NOTHING_TO_TELL, FreshnessState, count_of
from clew.tools.naming import one_meant, spelt_here
from clew.tools.selection import is_code

if TYPE_CHECKING:
    from clew.graph.duplicates import Fingerprints
    from clew.graph.full_graph import FullGraph

PatternKind = Literal[
    "cycles", "god_files", "god_functions", "dead_code", "duplicates", "unused_exports", "similar", "hotspots"
]
PATTERNS = get_args(PatternKind)
MOST_COMMITS = 2000
LEAST_LINES, LEAST_FILE = 60, 400  # below these, code is never called oversized
LONGEST = 2000  # lines of a function that is compared
_BRANCH = re.compile(rb"\b(?:if|elif|for|while|case|catch|except|when|match|unless|rescue)\b|&&|\|\||\?[^.?:]")
_USING = (
    EdgeKind.CALLS, EdgeKind.USES, EdgeKind.INHERITS, EdgeKind.IMPLEMENTS, EdgeKind.IMPORTS, EdgeKind.TESTS,
    EdgeKind.EXPORTS,
)  # fmt: skip
_FUNCTIONS = (Kind.FUNCTION, Kind.METHOD)
_BUNDLES = re.compile(r"(?:^|/)dist/")  # folders of built packages


class FoundPattern(Struct, frozen=True, omit_defaults=True):
    """`members` are ids or paths, the main one first; `said` the evidence, `fix` a suggestion."""

    pattern: str
    members: tuple[str, ...]
    said: str
    fix: str
    score: float = 0.0
    lines: tuple[int, int] = (0, 0)


class FindPattern(Struct, frozen=True, omit_defaults=True):
    """`note` says what such a search cannot see."""

    found: tuple[FoundPattern, ...]
    total: int
    note: str = ""
    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        kinds = Counter(one.pattern for one in self.found)
        said = (
            ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in kinds.items())
            or "Nothing of this kind was found"
        )
        first = f"; first: {self.found[0].members[0]} ({self.found[0].said})" if self.found else ""
        return f"{said}{first}. {self.note} {self.freshness.unseen()}".replace("  ", " ").rstrip()

    def quoted_files(self) -> Iterable[str]:
        """Files that the answer tells of."""
        return dict.fromkeys(split_id(name)[0] for one in self.found for name in one.members)


PATTERN_SHAPE = Shape(
    {"total": Priority.HIGH, "note": Priority.HIGH, "freshness": Priority.LOW},
    grow_lists("found", forms={"found": (only("pattern", "members"), only("pattern", "members", "said"))}),
    pages=("found",),
)


class _Code(NamedTuple):
    """A symbol of the project's own code, with the text of its file."""

    id: str
    symbol: Symbol
    text: bytes

    @property
    def lines(self) -> int:
        return self.symbol.span.last - self.symbol.span.first + 1

    @property
    def source(self) -> bytes:
        return self.text[self.symbol.span.start : self.symbol.span.end]


class _Search(NamedTuple):
    engine: Engine
    graph: "FullGraph"
    elements: Elements
    folder: str
    like: str

    def paths(self) -> list[str]:
        """Files of the project's own code below the folder: no data, no generated or copied code, no bundles."""
        return [
            one.path
            for one in sorted(self.engine.files.contents(), key=lambda one: one.path)
            if self._is_inside(one.path)
            and is_code(one.language)
            and lies_among(one.path) is Among.CODE
            and not is_foreign_path(one.path)
            and not _BUNDLES.search(one.path)
            and not one.path.endswith(TYPINGS)
        ]

    def _is_inside(self, path: str) -> bool:
        return not self.folder or path == self.folder or path.startswith(f"{self.folder}/")

    def code(self, *kinds: Kind) -> Iterator[_Code]:
        for path in self.paths():
            page = self.elements.page(path)
            if page is None or not any(one.kind in kinds for one in page.symbols.values()):
                continue
            text = self.elements.text(page)
            if is_made(text):
                continue
            for scope, symbol in page.symbols.items():
                if symbol.kind in kinds:
                    yield _Code(symbol_id(path, scope), symbol, text)


def find(engine: Engine, pattern: PatternKind | None, path: str, like: str, limit: int) -> FindPattern:
    """All patterns, or one. `like` is the code that similar code is looked for."""
    engine.require_index()
    if pattern == "similar" and not like:
        raise InvalidInput("pattern similar needs `like`", "Give the id of a symbol, or a piece of code.")
    folder = spelt_here(engine, path).rstrip("/") if path else ""
    search = _Search(engine, engine.graph(), Elements(engine.files), folder, like)
    wanted = [pattern] if pattern else [one for one in PATTERNS if one != "similar"]
    found = [
        one
        for kind in wanted
        for one in list(_SEARCHES[kind](search))[: limit if pattern else max(1, limit // len(wanted))]
    ]
    notes = [_NOTES[kind] for kind in wanted if kind in _NOTES]
    return FindPattern(tuple(found[:limit]), len(found), notes[0] if notes else "")


_NOTES: Mapping[str, str] = {
    "dead_code": "Calls by computed names, reflection and other programs are not seen: check before you delete.",
    "unused_exports": "Users outside of this project are not seen.",
}


def _cycles(search: _Search) -> Iterator[FoundPattern]:
    from clew.graph.architecture import IMPORTS, components, shortest_cycle  # numpy is heavy
    from clew.graph.file_graph import file_graph_of

    graph = file_graph_of(search.graph)
    inside = {graph.places[path] for path in search.paths() if path in graph.places}
    uses: dict[int, list[int]] = defaultdict(list)
    for source, target in graph.pairs(IMPORTS):
        if source in inside and target in inside:
            uses[source].append(target)
    for group in sorted((one for one in components(uses) if len(one) > 1), key=len):
        cycle = [graph.paths[place] for place in shortest_cycle(uses, group)]
        weakest = min(
            pairwise(cycle),
            key=lambda pair: (graph.counts.get((graph.places[pair[0]], graph.places[pair[1]]), 0), pair),
        )
        said = f"{count_of(len(group), 'file imports', 'files import')} each other: {' → '.join(cycle)}"
        fix = f"Remove the import of {weakest[1]} in {weakest[0]}: move what both need to a third file, or pass it in."
        yield FoundPattern("cycles", tuple(dict.fromkeys(cycle)), said, fix, float(len(group)))


def _god_files(search: _Search) -> Iterator[FoundPattern]:
    from clew.graph.duplicates import outliers
    from clew.graph.file_graph import file_graph_of

    graph = file_graph_of(search.graph)
    lengths, users = dict[str, float](), Counter[str]()
    for _, target in graph.counts:
        users[graph.paths[target]] += 1
    for path in search.paths():
        page = search.elements.page(path)
        if page is not None and page.symbols:
            lengths[path] = page.version.lines
    for path in outliers(lengths, LEAST_FILE):
        page = search.elements.page(path)
        if page is None or is_made(search.elements.text(page)):
            continue
        parts = sum(SCOPE not in scope for scope in page.symbols)
        said = f"{lengths[path]:.0f} lines, {parts} outermost definitions, used by {users[path]} files"
        yield FoundPattern(
            "god_files",
            (path,),
            said,
            "Split it by subject: definitions that use each other stay together.",
            lengths[path],
        )


def _god_functions(search: _Search) -> Iterator[FoundPattern]:
    from clew.graph.duplicates import outliers

    sizes = {one.id: one for one in search.code(*_FUNCTIONS)}
    for name in outliers({name: one.lines for name, one in sizes.items()}, LEAST_LINES):
        one = sizes[name]
        branches = len(_BRANCH.findall(one.source))
        said = f"{one.lines} lines, {branches} branches"
        span = one.symbol.span
        yield FoundPattern(
            "god_functions",
            (name,),
            said,
            "Extract its stages into functions of their own.",
            one.lines,
            (span.first, span.last),
        )


def _dead_code(search: _Search) -> Iterator[FoundPattern]:
    from clew.graph.edges import Current, unresolved_calls
    from clew.graph.possible_callers import reasons

    corpus = search.engine.corpus()
    look, used = Current(corpus), _used(search.graph, lambda source, target: True)
    candidates = dict[str, _Code]()
    for one in search.code(*_FUNCTIONS, *CLASSES):
        if f"{SCOPE}<" in one.id:  # an anonymous class or function lives where it stands
            continue
        if one.id in used or any(inner in used for inner in _inside(search.graph, one.id)):
            continue
        element = search.elements.get(one.id)
        if element is None or reasons(look, element) or unresolved_calls(corpus, one.symbol.name):
            continue
        if one.id.rpartition(SCOPE)[0] not in candidates:  # else its class is reported
            candidates[one.id] = one
    mentioned = _mentions(search, {one.symbol.name.encode() for one in candidates.values()})
    for name, one in candidates.items():
        own = len(re.findall(rb"\b" + re.escape(one.symbol.name.encode()) + rb"\b", one.source))
        if mentioned[one.symbol.name.encode()] > own:
            continue  # it may be passed on as a value, or named in a text
        span = one.symbol.span
        said = "nothing calls, uses, imports or names it, and it is not exported"
        fix = "Delete it, if nothing calls it by name at run time."
        yield FoundPattern("dead_code", (name,), said, fix, one.lines, (span.first, span.last))


def _mentions(search: _Search, names: set[bytes]) -> Counter[bytes]:
    """How often names stand in the texts of all files."""
    found: Counter[bytes] = Counter()
    for one in search.engine.files.contents() if names else ():
        page = search.elements.page(one.path)
        if page is not None:
            found.update(name for name in re.findall(rb"[^\W\d]\w*", search.elements.text(page)) if name in names)
    return found


def _unused_exports(search: _Search) -> Iterator[FoundPattern]:
    from clew.graph.edges import unresolved_calls

    corpus = search.engine.corpus()
    elsewhere = _used(search.graph, lambda source, target: split_id(source)[0] != split_id(target)[0])
    at_all = _used(search.graph, lambda source, target: True)
    for one in search.code(Kind.FUNCTION, *CLASSES):
        if (
            not one.symbol.exported
            or SCOPE in split_id(one.id)[1]
            or one.symbol.decorators
            or one.symbol.name == "main"
        ):
            continue
        if one.id in elsewhere or any(inner in elsewhere for inner in _inside(search.graph, one.id)):
            continue
        own = one.id in at_all
        if unresolved_calls(corpus, one.symbol.name):
            continue  # any of them may be a use
        said = "exported, and only its own file uses it" if own else "exported, and nothing here uses it"
        fix = "Make it private." if own else "Delete it, or make it private, unless it is part of a public interface."
        yield FoundPattern("unused_exports", (one.id,), said, fix, lines=(one.symbol.span.first, one.symbol.span.last))


def _used(graph: "FullGraph", counts: Callable[[str, str], bool]) -> set[str]:
    """Ids that are used by elements other than themselves and their members."""
    wanted = {KINDS.index(kind) for kind in _USING}
    edges, ids, found = graph.edges, graph.ids, set[str]()
    for source, target, kind in zip(edges.source.tolist(), edges.target.tolist(), edges.kind.tolist(), strict=True):
        if kind in wanted and target != source:
            one, other = ids[source], ids[target]
            if not one.startswith(f"{other}{SCOPE}") and counts(one, other):
                found.add(other)
    return found


def _inside(graph: "FullGraph", node_id: str) -> Iterator[str]:
    return (name for _, name in graph.inside(node_id))


def _pieces(search: _Search) -> "dict[str, Fingerprints]":
    from clew.graph.duplicates import fingerprints

    return {one.id: fingerprints(one.source) for one in search.code(*_FUNCTIONS) if one.lines <= LONGEST}


def _duplicates(search: _Search) -> Iterator[FoundPattern]:
    from clew.graph.duplicates import groups, near_duplicates

    for members, share in groups(near_duplicates(_pieces(search))):
        shared = "the same logic" if share >= 1 else f"at least {100 * share:.0f} % of their logic"
        said = f"{len(members)} functions share {shared}"
        yield FoundPattern("duplicates", members, said, "Keep one, and pass in what differs.", share)


def _similar(search: _Search) -> Iterator[FoundPattern]:
    from clew.graph.duplicates import fingerprints, most_like

    source, own = _wanted_code(search)
    for name, share in most_like(fingerprints(source), _pieces(search)):
        if name != own:
            yield FoundPattern(
                "similar", (name,), f"shares {100 * share:.0f} % of its logic", "Reuse it, if it does the same.", share
            )


def _wanted_code(search: _Search) -> tuple[bytes, str]:
    """The code that is looked for, and its id if it is a symbol."""
    if "\n" not in search.like and "(" not in search.like:
        name = one_meant(search.engine, search.elements, search.like).ids[0]
        symbol, page = search.elements.symbol(name), search.elements.page(split_id(name)[0])
        if symbol and page:
            return search.elements.text(page)[symbol.span.start : symbol.span.end], name
    return search.like.encode(), ""


def _hotspots(search: _Search) -> Iterator[FoundPattern]:
    from clew.index.history import git, objects

    root = search.engine.place.root
    if not git.is_repository(root) or git.head(root) is None:
        return
    churn, authors = Counter[str](), defaultdict[str, set[str]](set)
    for commit in objects.log_commits(root, "HEAD", MOST_COMMITS):
        for path in commit.paths:
            churn[path] += 1
            authors[path].add(commit.author)
    rows = []
    for path in search.paths():
        if not churn[path] or is_test_path(path) or (page := search.elements.page(path)) is None or not page.symbols:
            continue
        text = search.elements.text(page)
        if is_made(text):
            continue
        complexity = 1 + len(_BRANCH.findall(text))
        people = len(authors[path])
        score = churn[path] * complexity * (1 + people) ** 0.5
        rows.append((score, path, f"{churn[path]} commits by {people} authors, {complexity} branches"))
    most = max((score for score, _, _ in rows), default=1.0)
    for score, path, said in sorted(rows, key=lambda one: (-one[0], one[1])):
        fix = "Split what changes often from what does not, and cover it with tests first."
        yield FoundPattern("hotspots", (path,), said, fix, round(score / most, 3))


_SEARCHES: Mapping[str, Callable[[_Search], Iterator[FoundPattern]]] = {
    "cycles": _cycles,
    "god_files": _god_files,
    "god_functions": _god_functions,
    "dead_code": _dead_code,
    "duplicates": _duplicates,
    "unused_exports": _unused_exports,
    "similar": _similar,
    "hotspots": _hotspots,
}


def hottest(engine: Engine, limit: int) -> Sequence[FoundPattern]:
    """The first hotspots of the project."""
    return find(engine, "hotspots", "", "", limit).found
