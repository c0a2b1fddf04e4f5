"""The service graph of an indexed project: read from stored texts, and kept until the files are others.
The findings of each file are kept by its content: after an edit only changed files are read.

Other repositories that the user names belong to the same system; their paths and ids begin with `@name/`.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from clew.graph.full_graph import Columns, FullGraph, ImportEdge
from clew.model.code import EXTERNAL, SCOPE
from clew.model.services import ServiceEdge, Sighting
from clew.runtime.plain import open_own, read_own
from clew.services.assembly import Assembled, ProjectFiles, assemble
from clew.services.builds import GraphBuilds
from clew.services.discovery import DeclaredService
from clew.services.findings import FileFindings, is_generated, read_file
from clew.services.joining import RepositoryFiles, SourceFile
from clew.services.knowledge_graph import SHARED_FOLDERS
from clew.services.supplied import SuppliedFacts, SuppliedInputs
from clew.store.files import Content, Files
from clew.text.paths import is_test_path

VERSION = 7  # of findings: raised when they are read in another way


class SourceContents(Struct, frozen=True):
    """The files of one state of a repository, and the digest of their paths and texts."""

    files: tuple[Content, ...]
    stamp: str


class SourceReader:
    """Reads the files of one repository; findings are kept in a file in `folder`, if there is one."""

    def __init__(self, files: Files, folder: Path | None, state: Callable[[], str]) -> None:
        """`state` is the stamp of the checkout's contents, which changes with them; empty if it is not known."""
        self.files = files
        self.folder = folder
        self._state = state
        self._kept: tuple[str, SourceContents] = ("", SourceContents((), ""))

    def contents(self) -> "SourceContents":
        """The files of the current view, without tests."""
        state = self._state()
        if not state or self._kept[0] != state:
            found = tuple(one for one in self.files.contents() if not is_test_path(one.path))
            self._kept = state, SourceContents(found, stamp(found))
        return self._kept[1]

    def text(self, content: Content) -> str:
        return self.files.text(content.text).decode("utf-8", "replace")

    def findings(self, contents: Sequence[Content], text: Callable[[Content], str]) -> dict[str, FileFindings]:
        kept = self._load()
        keys = {one.path: f"{one.path}\n{one.text.hex()}" for one in contents}
        findings, fresh = {}, False
        for one in contents:
            known = kept.get(keys[one.path])
            if known is None:
                known = read_file(one.path, text(one), one.language, self.files.symbols_in(one.file, one.version))
                fresh = True
            findings[one.path] = known
        if fresh or len(kept) > len(keys) * 2:
            self._save({keys[path]: one for path, one in findings.items()})
        return findings

    @property
    def _path(self) -> Path | None:
        return self.folder / f"services-{VERSION}.msgpack" if self.folder is not None else None

    def _load(self) -> dict[str, FileFindings]:
        if self._path is None:
            return {}
        with suppress(OSError, msgspec.MsgspecError):
            data = read_own(self._path)
            if sha256(data[32:]).digest() == data[:32]:
                return msgspec.msgpack.decode(data[32:], type=dict[str, FileFindings])
        return {}

    def _save(self, findings: Mapping[str, FileFindings]) -> None:
        """Where it cannot be written, the next process reads the files again."""
        if self._path is None:
            return
        data = msgspec.msgpack.encode(findings)
        waiting = self._path.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with open_own(waiting, "wb") as file:
                file.write(sha256(data).digest() + data)
            waiting.replace(self._path)


class Repository(Struct, frozen=True):
    """Another repository of the system. Its paths begin with `prefix` where the system is put together."""

    name: str
    root: Path
    sources: SourceReader
    graph: Callable[[], FullGraph]
    imports: Callable[[], list[ImportEdge]]

    @property
    def prefix(self) -> str:
        return f"{MARK}{self.name}"


class Repositories(Struct, frozen=True):
    """The repositories that can be read now, and why others cannot."""

    own: Path
    others: tuple[Repository, ...] = ()
    problems: tuple[str, ...] = ()


MARK = "@"


def is_elsewhere(path: str) -> bool:
    """Whether a path of the service graph lies in another repository."""
    return path.startswith(MARK)


def stamp(contents: Sequence[Content]) -> str:
    digest = sha256()
    for one in contents:
        digest.update(one.path.encode("utf-8", "surrogateescape"))
        digest.update(one.text)
    return digest.hexdigest()


T = TypeVar("T")


class Owned(Assembled, frozen=True):
    """An assembled system, and the state of the files that it was made of."""

    stamp: str


class ReaderSettings(Struct, frozen=True):
    """How a project is read. `project` names a service with the whole project as its source."""

    project: str
    declared: tuple[DeclaredService, ...] = ()
    literal_asyncapi: bool = False


class _Part(Struct, frozen=True):
    """The files of one repository; `prefix` is empty for the project's own."""

    name: str
    prefix: str
    root: Path
    sources: SourceReader
    known: SourceContents

    @property
    def contents(self) -> tuple[Content, ...]:
        return self.known.files

    def path(self, path: str) -> str:
        return f"{self.prefix}/{path}" if self.prefix else path


class ServiceReader:
    """Reads the service graph of one checkout. Any thread may ask it."""

    def __init__(
        self,
        sources: SourceReader,
        settings: ReaderSettings,
        repositories: Callable[[], Repositories],
        supplied: SuppliedInputs,
        imports: Callable[[], list[ImportEdge]],
    ) -> None:
        self._sources = sources
        self._settings = settings
        self._repositories = repositories
        self.supplied = supplied
        self._imports = imports
        self.builds = GraphBuilds(sources.folder)
        self._lock = Lock()
        self._kept: Owned | None = None
        self._whole: tuple[tuple[FullGraph, ...], FullGraph] | None = None
        self._joined: tuple[Owned, FullGraph, Any] | None = None

    def forget(self) -> None:
        """Put the system together again at the next question."""
        with self._lock:
            self._kept = self._joined = self._whole = None

    def join_with_code(self, owned: Owned, whole: FullGraph, make: Callable[[], T]) -> T:
        """A value made of a system and a code graph, cached until one of them changes."""
        with self._lock:
            if self._joined is None or self._joined[0] is not owned or self._joined[1] is not whole:
                self._joined = owned, whole, make()
            made: T = self._joined[2]
            return made

    def current(self) -> Owned:
        """The services of the files as they are indexed."""
        known, facts = self._repositories(), self.supplied.facts()
        parts = [_Part("", "", known.own, self._sources, self._sources.contents())]
        parts += [_Part(one.name, one.prefix, one.root, one.sources, one.sources.contents()) for one in known.others]
        seen = "\n".join((*(f"{one.prefix} {one.known.stamp}" for one in parts), *known.problems, facts.stamp))
        with self._lock:
            if self._kept is None or self._kept.stamp != seen:
                read = self._read(parts, facts, (*known.problems, *facts.problems), seen)
                sources = {one.path for one in read.system.services if one.path}
                self._kept = _with_imports(read, self._all_imports(known.others)) if len(sources) > 1 else read
            return self._kept

    def _all_imports(self, others: Sequence[Repository]) -> list[ImportEdge]:
        found = self._imports()
        for one in others:
            found = found + [
                ImportEdge(_below(one.prefix, source), _below(one.prefix, target), line)
                for source, target, line in one.imports()
            ]
        return found

    def whole(self, graph: Callable[[], FullGraph]) -> FullGraph:
        """The code graph of all repositories of the system."""
        others = self._repositories().others
        with self._lock:
            return self._whole_graph(graph, others)

    def _whole_graph(self, graph: Callable[[], FullGraph], others: Sequence[Repository]) -> FullGraph:
        own = graph()
        if not others:
            return own
        graphs = (own, *(one.graph() for one in others))
        if self._whole is None or any(a is not b for a, b in zip(self._whole[0], graphs, strict=False)):
            self._whole = graphs, _union(graphs, ["", *(one.prefix for one in others)])
        return self._whole[1]

    def lines(self, symbol: str) -> tuple[int, int]:
        """The first and last line of a symbol, given by its id; (0, -1) where nothing is known of it."""
        path, _, scope = symbol.partition(SCOPE)
        files = self._sources.files
        for one in self._repositories().others:
            if path.startswith(f"{one.prefix}/"):
                files, path = one.sources.files, path.removeprefix(f"{one.prefix}/")
        sheet = files.sheet(path)
        found = next((one for one in sheet.layout.symbols if one.scope == scope), None) if sheet else None
        return (found.span.first, found.span.last) if found else (0, -1)

    def _read(self, parts: Sequence[_Part], facts: SuppliedFacts, problems: tuple[str, ...], seen: str) -> Owned:
        places = {part.path(one.path): (part, one) for part in parts for one in part.contents}
        texts: dict[str, str] = {}

        def text(path: str) -> str:
            if path not in texts:
                part, content = places.get(path, (None, None))
                texts[path] = part.sources.text(content) if part and content else ""
            return texts[path]

        findings: dict[str, FileFindings] = {}
        for part in parts:
            read = part.sources.findings(part.contents, partial(_text_of, text, part))
            findings.update({part.path(path): one for path, one in read.items()} if part.prefix else read)
        repositories = [
            RepositoryFiles(
                part.name or self._settings.project,
                part.prefix,
                part.root.as_posix(),
                [SourceFile(part.path(one.path), one.language) for one in part.contents],
            )
            for part in parts
        ]
        settings = self._settings
        assembled = assemble(
            ProjectFiles(repositories, text, findings, settings.declared, settings.literal_asyncapi, facts)
        )
        system = replace(assembled.system, problems=(*assembled.system.problems, *problems))
        return Owned(system, assembled.owner, seen)


def _text_of(read: Callable[[str], str], part: _Part, content: Content) -> str:
    return read(part.path(content.path))


def _union(graphs: Sequence[FullGraph], prefixes: Sequence[str]) -> FullGraph:
    """One graph of several. Ids begin with the prefix of their repository; external nodes are shared."""
    named = [
        [_below(prefix, one) if prefix else one for one in graph.ids]
        for graph, prefix in zip(graphs, prefixes, strict=True)
    ]
    kinds: dict[str, str] = {}
    for graph, some in zip(graphs, named, strict=True):
        kinds.update(zip(some, graph.kinds, strict=True))
    ids = sorted(kinds)
    places = {one: at for at, one in enumerate(ids)}
    moved = [np.array([places[one] for one in some], np.int64) for some in named]
    columns = [
        np.concatenate(
            [
                moved[at][getattr(graph.edges, name)] if name in ("source", "target") else getattr(graph.edges, name)
                for at, graph in enumerate(graphs)
            ]
        )
        for name in Columns._fields
    ]
    order = np.lexsort([columns[at] for at in (5, 4, 3, 1, 2, 0)])
    return FullGraph(ids, [kinds[one] for one in ids], Columns(*(column[order] for column in columns)))


def _below(prefix: str, identifier: str) -> str:
    return identifier if identifier.startswith(EXTERNAL) else f"{prefix}/{identifier}"


def _with_imports(owned: Owned, imports: Sequence[ImportEdge]) -> Owned:
    """Adds the services that use code of each other; code in shared folders counts for nobody."""
    tails = {(service, "/".join(path.split("/")[-2:])) for path, service in owned.owner.items()}
    found: dict[tuple[str, str], ServiceEdge] = {}
    for one in imports:
        source, target = one.source.partition(SCOPE)[0], one.target.partition(SCOPE)[0]
        pair = owned.owner.get(source, ""), owned.owner.get(target, "")
        if (
            not all(pair)
            or pair[0] == pair[1]
            or any(part in f"{target}/" for part in SHARED_FOLDERS)
            or is_generated(target)
            or (pair[0], "/".join(target.split("/")[-2:])) in tails  # it has a copy of its own
        ):
            continue
        edge = ServiceEdge(pair[0], pair[1], "import", target, Sighting(source, one.line, "import"), 0.9)
        if pair not in found or edge.evidence < found[pair].evidence:
            found[pair] = edge
    both = sorted((*owned.system.edges, *found.values()), key=lambda one: (one.source, one.target, one.kind, one.label))
    system = replace(owned.system, edges=tuple(both))
    return replace(owned, system=system)
