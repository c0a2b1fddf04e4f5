"""The service graph of an indexed project: read from stored texts, and kept until the files are others.

Findings of a file are kept by its content, in a file beside the snapshots: after an edit only what changed is read.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from clew.graph.full_graph import FullGraph
from clew.model.code import SCOPE
from clew.model.services import ServiceEdge, Sighting, System
from clew.model.words import EdgeKind
from clew.runtime.plain import open_own, read_own
from clew.services.assembly import ProjectFiles, SourceFile, assemble
from clew.services.discovery import DeclaredService
from clew.services.findings import FileFindings, is_generated, read_file
from clew.services.knowledge_graph import SHARED_FOLDERS
from clew.store.files import Content, Files
from clew.store.links import KINDS
from clew.text.paths import is_test_path

T = TypeVar("T")

VERSION = 5  # of findings: raised when they are read in another way


class Owned(Struct, frozen=True):
    """A system, the service of each file, and what it was made of."""

    system: System
    owner: Mapping[str, str]
    stamp: str


class ServiceReader:
    """Reads the service graph of one checkout. Any thread may ask it."""

    def __init__(
        self,
        files: Files,
        folder: Path | None,
        project: str,
        declared: Sequence[DeclaredService] = (),
        literal_asyncapi: bool = False,
    ) -> None:
        self._files = files
        self._folder = folder
        self._project = project
        self._declared = tuple(declared)
        self._literal = literal_asyncapi
        self._lock = Lock()
        self._kept: Owned | None = None
        self._joined: tuple[Owned, FullGraph, Any] | None = None

    def forget(self) -> None:
        """Put the system together again at the next question."""
        with self._lock:
            self._kept = self._joined = None

    def joined(self, owned: Owned, whole: FullGraph, make: Callable[[], T]) -> T:
        """What was made of a system and a code graph, until one of them is another."""
        with self._lock:
            if self._joined is None or self._joined[0] is not owned or self._joined[1] is not whole:
                self._joined = owned, whole, make()
            made: T = self._joined[2]
            return made

    def current(self, graph: Callable[[], FullGraph]) -> Owned:
        """The services of the files as they are indexed. `graph` is asked for only if there are several."""
        contents = [one for one in self._files.contents() if not is_test_path(one.path)]
        stamp = _stamp(contents)
        with self._lock:
            if self._kept is None or self._kept.stamp != stamp:
                read = self._read(contents, stamp)
                sources = {one.path for one in read.system.services if one.path}
                self._kept = _with_imports(read, graph()) if len(sources) > 1 else read
            return self._kept

    def _read(self, contents: list[Content], stamp: str) -> Owned:
        by_path = {one.path: one for one in contents}
        texts: dict[str, str] = {}

        def text(path: str) -> str:
            if path not in texts:
                texts[path] = self._files.text(by_path[path].text).decode("utf-8", "replace") if path in by_path else ""
            return texts[path]

        findings = self._findings(contents, text)
        files = [SourceFile(one.path, one.language) for one in contents]
        assembled = assemble(ProjectFiles(files, text, findings, self._project, self._declared, self._literal))
        return Owned(assembled.system, assembled.owner, stamp)

    def _findings(self, contents: list[Content], text: Callable[[str], str]) -> dict[str, FileFindings]:
        kept = self._load()
        keys = {one.path: f"{one.path}\n{one.text.hex()}" for one in contents}
        findings, fresh = {}, False
        for one in contents:
            known = kept.get(keys[one.path])
            if known is None:
                known = read_file(one.path, text(one.path), one.language, self._files.symbols_in(one.file, one.version))
                fresh = True
            findings[one.path] = known
        if fresh or len(kept) > len(keys) * 2:
            self._save({keys[path]: one for path, one in findings.items()})
        return findings

    @property
    def _path(self) -> Path | None:
        return self._folder / f"services-{VERSION}.msgpack" if self._folder is not None else None

    def _load(self) -> dict[str, FileFindings]:
        if self._path is None:
            return {}
        with suppress(OSError, msgspec.MsgspecError):
            data = read_own(self._path)
            if sha256(data[32:]).digest() == data[:32]:
                return msgspec.msgpack.decode(data[32:], type=dict[str, FileFindings])
        return {}

    def _save(self, findings: dict[str, FileFindings]) -> None:
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


def _with_imports(owned: Owned, whole: FullGraph) -> Owned:
    """Adds the services that use code of each other; code in shared folders counts for nobody."""
    edges = whole.edges
    tails = {(service, "/".join(path.split("/")[-2:])) for path, service in owned.owner.items()}
    imports = [number for number, kind in enumerate(KINDS) if kind is EdgeKind.IMPORTS]
    found: dict[tuple[str, str], ServiceEdge] = {}
    for at in np.flatnonzero(np.isin(edges.kind, imports)):
        source, target = (whole.ids[int(end[at])].partition(SCOPE)[0] for end in (edges.source, edges.target))
        pair = owned.owner.get(source, ""), owned.owner.get(target, "")
        if (
            not all(pair)
            or pair[0] == pair[1]
            or any(part in f"{target}/" for part in SHARED_FOLDERS)
            or is_generated(target)
            or (pair[0], "/".join(target.split("/")[-2:])) in tails  # it has a copy of its own
        ):
            continue
        edge = ServiceEdge(pair[0], pair[1], "import", target, Sighting(source, int(edges.line[at]), "import"), 0.9)
        if pair not in found or edge.evidence < found[pair].evidence:
            found[pair] = edge
    both = sorted((*owned.system.edges, *found.values()), key=lambda one: (one.source, one.target, one.kind, one.label))
    system = replace(owned.system, edges=tuple(both))
    return replace(owned, system=system)


def _stamp(contents: Sequence[Content]) -> str:
    digest = sha256()
    for one in contents:
        digest.update(one.path.encode("utf-8", "surrogateescape"))
        digest.update(one.text)
    return digest.hexdigest()
