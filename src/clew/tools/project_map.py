"""The answer of `project_map`: a repository on one page: its parts, entry points, central code, and where to start."""

import json
import posixpath
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence

from msgspec import Struct

from clew.engine import Engine
from clew.graph.elements import Elements
from clew.model.code import SCOPE, split_id
from clew.model.words import CLASSES, Kind
from clew.text.paths import Among, is_test_path, lies_among
from clew.tools.budget import Priority, Shape, grow_lists, only
from clew.tools.communities import CommunityView, Views, refreshed_said
from clew.tools.freshness import NOTHING_TO_TELL, FreshnessState, count_of
from clew.tools.patterns import hottest
from clew.tools.selection import runner_projects
from clew.tools.service_lines import map_lines

MOST_PARTS, MOST_ENTRIES, MOST_CENTRAL, MOST_HOT, MOST_START = 30, 10, 15, 8, 6
MOST_ENTRIES_OF_A_FOLDER = 2  # before those of other folders
DEEPEST_MANIFEST = 2  # folders above it
_START = re.compile(
    r"(?:readme|architecture|contributing|getting[-_]?started|overview|index)\.(?:md|rst|txt|adoc)$", re.I
)
_ENTRY_FILES = re.compile(
    r"(?:^|/)(?:__main__\.py|manage\.py|wsgi\.py|asgi\.py|main\.(?:go|rs|py|ts|js|c|cpp|swift|kt)|Program\.cs|artisan|config\.ru"
    r"|(?:src|cmd)/(?:index|main|server|app)\.(?:ts|js|tsx))$"
)
_WHOLE_SUITE = {
    "pytest": "pytest", "go": "go test ./...", "cargo": "cargo test", "gradle": "gradle test", "maven": "mvn test",
    **dict.fromkeys(("jest", "vitest", "mocha"), "npm test"), "rspec": "bundle exec rspec",
    "minitest": "bundle exec rake test", "phpunit": "phpunit", "dotnet": "dotnet test", "xctest": "swift test",
}  # fmt: skip


class MapEntry(Struct, frozen=True, omit_defaults=True):
    """A symbol or file, and a line about it."""

    id: str
    said: str = ""


class LanguageShare(Struct, frozen=True):
    language: str
    files: int
    lines: int


class ProjectMap(Struct, frozen=True, omit_defaults=True):
    """`start` are documents to read first; `central` the symbols that most others lead to; `hotspots` files that change
    often and are complex; `refreshed` is that of `community_list`; `tests` how the tests are run; `services` the
    services of a system, and what each uses."""

    project: str
    parts: tuple[CommunityView, ...]
    start: tuple[MapEntry, ...] = ()
    entry_points: tuple[MapEntry, ...] = ()
    central: tuple[MapEntry, ...] = ()
    tests: tuple[str, ...] = ()
    languages: tuple[LanguageShare, ...] = ()
    hotspots: tuple[MapEntry, ...] = ()
    services: tuple[str, ...] = ()
    files: int = 0
    lines: int = 0
    refreshed: int = 0
    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        languages = ", ".join(one.language for one in self.languages[:3])
        size = f"{count_of(self.files, 'file', 'files')}, {self.lines:,} lines"
        parts = count_of(len(self.parts), "main part", "main parts")
        said = f"{self.project}: {size}{f' of {languages}' if languages else ''}, in {parts}."
        start = f" Start at {self.start[0].id}." if self.start else ""
        return " ".join(filter(None, [f"{said}{start}", refreshed_said(self.refreshed), self.freshness.unseen()]))

    def quoted_files(self) -> Iterable[str]:
        """Files that the answer tells of."""
        return dict.fromkeys(split_id(one.id)[0] for one in (*self.central, *self.entry_points))


_BRIEF = only("label", "files", "central_files")
MAP_SHAPE = Shape(
    {
        "parts": Priority.REQUIRED,
        "start": Priority.HIGH,
        "tests": Priority.HIGH,
        "entry_points": Priority.HIGH,
        "languages": Priority.MEDIUM,
        "services": Priority.MEDIUM,
        "files": Priority.LOW,
        "lines": Priority.LOW,
        "refreshed": Priority.LOW,
        "freshness": Priority.LOW,
    },
    grow_lists(
        "parts",
        "central",
        "entry_points",
        "hotspots",
        "start",
        forms={
            "parts": (only("label", "files"), _BRIEF, only("label", "files", "summary", "central", "uses", "parts")),
            "central": (only("id"),),
            "hotspots": (only("id"),),
        },
        in_turns=("parts", "central", "entry_points", "start"),
    ),
)


def project_map(engine: Engine) -> ProjectMap:
    engine.require_index()
    found, elements = engine.communities(), Elements(engine.files)
    contents = engine.files.contents()
    lengths = engine.files.lengths()
    languages: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for one in contents:
        if lies_among(one.path) not in (Among.LOCKED, Among.COPIED):
            languages[one.language] += 1
            lines[one.language] += lengths.get(one.file, 0)
    views = Views(engine, found)
    paths = [one.path for one in contents]
    return ProjectMap(
        project=engine.place.root.name,
        parts=tuple(views.view(one) for one in found.at(0)[:MOST_PARTS]),
        start=tuple(_documents(elements, paths)),
        entry_points=tuple(_entry_points(engine, elements, paths)),
        central=tuple(_central(engine, elements)),
        tests=_tests(engine, paths),
        languages=tuple(LanguageShare(name, languages[name], lines[name]) for name, _ in lines.most_common(8) if name),
        hotspots=tuple(MapEntry(one.members[0], one.said) for one in hottest(engine, MOST_HOT)),
        services=map_lines(engine),
        files=len(contents),
        lines=sum(lines.values()),
        refreshed=found.membership.refreshed,
    )


def _documents(elements: Elements, paths: Sequence[str]) -> Iterable[MapEntry]:
    """Documents to read first: those at the top before those further down."""
    named = [path for path in paths if _START.search(path) and path.count("/") <= 1]
    for path in sorted(named, key=lambda one: (one.count("/"), not one.lower().startswith("readme"), one))[:MOST_START]:
        page = elements.page(path)
        text = elements.text(page)[:2000].decode("utf-8", "replace") if page else ""
        lines = (line.lstrip("#= ").strip() for line in text.splitlines() if line.strip(" #=-*"))
        title = next((line for line in lines if line[0].isalnum()), "")
        yield MapEntry(path, title[:100])


def _entry_points(engine: Engine, elements: Elements, paths: Sequence[str]) -> Iterable[MapEntry]:
    """The commands that manifests declare, then main functions and files; first the first few of each folder."""
    graph = engine.graph()
    mains = [
        node_id
        for node_id, kind in zip(graph.ids, graph.kinds, strict=True)
        if kind in (Kind.FUNCTION, Kind.METHOD) and node_id.rpartition(SCOPE)[2].lower() == "main" and _is_own(node_id)
    ]
    files = [path for path in paths if _ENTRY_FILES.search(path) and _is_own(path)]
    declared = _declared_commands(elements, paths)
    named = {split_id(one)[0] for one in (*mains, *declared)}
    found = sorted([*mains, *(path for path in files if path not in named)], key=lambda one: (one.count("/"), one))
    earlier: Counter[str] = Counter()
    rank = {}
    for name in found:
        folder = split_id(name)[0].rpartition("/")[0]
        rank[name] = earlier[folder] // MOST_ENTRIES_OF_A_FOLDER
        earlier[folder] += 1
    others = sorted((name for name in found if name not in declared), key=rank.__getitem__)
    for name in [*declared, *others][:MOST_ENTRIES]:
        element = elements.get(name)
        yield MapEntry(name, declared.get(name) or (element.summary if element else ""))


def _declared_commands(elements: Elements, paths: Sequence[str]) -> dict[str, str]:
    """Files and functions that `pyproject.toml` and `package.json` declare as commands, with the commands' names."""
    known = set(paths)
    found: dict[str, list[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        reader = _MANIFESTS.get(name)
        is_near = path.count("/") <= DEEPEST_MANIFEST and _is_own(posixpath.join(folder, "main"))
        page = elements.page(path) if reader and is_near else None
        if reader is None or page is None:
            continue
        for command, target in reader(elements.text(page).decode("utf-8", "replace")):
            place = _place_of_command(folder, target, known, elements)
            if place is not None:
                found.setdefault(place, []).append(command)
    return {place: f"command {', '.join(f'`{one}`' for one in commands)}" for place, commands in found.items()}


def _place_of_command(folder: str, target: str, known: Container[str], elements: Elements) -> str | None:
    """The function or file of `package.module:function`, or of a path; the file where the function is not its own."""
    module, _, function = target.partition(":")
    stem = module.replace(".", "/") if function else ""
    ways = [f"{stem}.py", f"{stem}/__init__.py"] if function else [posixpath.normpath(target)]
    tops = [folder, posixpath.join(folder, "src"), posixpath.join(folder, "lib")] if function else [folder]
    for file in (posixpath.join(top, way) for top in tops for way in ways):
        if file in known:
            symbol = f"{file}{SCOPE}{function.replace('.', SCOPE)}"
            return symbol if function and elements.get(symbol) else file
    return None


def _python_commands(text: str) -> Iterable[tuple[str, str]]:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    project, tool = data.get("project"), data.get("tool")
    poetry = tool.get("poetry") if isinstance(tool, dict) else None
    for table in (project, poetry):
        for key in ("scripts", "gui-scripts"):
            scripts = table.get(key) if isinstance(table, dict) else None
            for command, target in scripts.items() if isinstance(scripts, dict) else ():
                if isinstance(target, str) and ":" in target:
                    yield command, target.split("[")[0].strip()


def _node_commands(text: str) -> Iterable[tuple[str, str]]:
    try:
        data = json.loads(text)
    except ValueError:
        return
    scripts, name = (data.get("bin"), data.get("name")) if isinstance(data, dict) else (None, None)
    if isinstance(scripts, str):
        scripts = {name if isinstance(name, str) else "": scripts}
    for command, target in scripts.items() if isinstance(scripts, dict) else ():
        if isinstance(target, str):
            yield command, target


_MANIFESTS: Mapping[str, Callable[[str], Iterable[tuple[str, str]]]] = {
    "pyproject.toml": _python_commands,
    "package.json": _node_commands,
}


def _is_own(node_id: str) -> bool:
    return lies_among(split_id(node_id)[0]) is Among.CODE


def _central(engine: Engine, elements: Elements) -> Iterable[MapEntry]:
    graph = engine.graph()
    own = [
        (-round(float(rank), 12), node_id)
        for node_id, kind, rank in zip(graph.ids, graph.kinds, graph.pagerank.tolist(), strict=True)
        if kind in (*CLASSES, Kind.FUNCTION) and _is_own(node_id)
    ]
    for _, name in sorted(own)[:MOST_CENTRAL]:
        element = elements.get(name)
        yield MapEntry(name, element.summary if element else "")


def _tests(engine: Engine, paths: Sequence[str]) -> tuple[str, ...]:
    """The configured command, or the usual ones of the languages that tests are written in."""
    if engine.config.tests.command:
        return (engine.config.tests.command.replace(" {tests}", "").replace(" {files}", ""),)
    projects = runner_projects(engine)
    runners = Counter(name for path in paths if is_test_path(path) and (name := projects.of(path).runner))
    return tuple(dict.fromkeys(_WHOLE_SUITE[name] for name, _ in runners.most_common(3) if name in _WHOLE_SUITE))
