"""The service graph of an indexed project: read from stored texts, and kept until the files are others.

Findings of a file are kept by its content in a file beside the snapshots: after an edit only what changed is read again.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock

import msgspec
from msgspec import Struct

from clew.model.services import System
from clew.runtime.plain import open_own, read_own
from clew.services.assembly import SourceFile, Tree, assemble
from clew.services.discovery import Declared
from clew.services.findings import FileFindings, read_file
from clew.store.files import Content, Files
from clew.text.paths import is_test_path

VERSION = 1  # of findings: raised when they are read in another way


class Owned(Struct, frozen=True):
    """A system, the service of each file, and what it was made of."""

    system: System
    owner: Mapping[str, str]
    stamp: str


class ServiceReader:
    """Reads the service graph of one checkout. Any thread may ask it."""

    def __init__(self, files: Files, folder: Path | None, project: str, declared: Sequence[Declared] = (), literal_asyncapi: bool = False) -> None:
        self._files = files
        self._folder = folder
        self._project = project
        self._declared = tuple(declared)
        self._literal = literal_asyncapi
        self._lock = Lock()
        self._kept: Owned | None = None

    def current(self) -> Owned:
        """The services of the files as they are indexed."""
        contents = [one for one in self._files.contents() if not is_test_path(one.path)]
        stamp = _stamp(contents)
        with self._lock:
            if self._kept is None or self._kept.stamp != stamp:
                self._kept = self._read(contents, stamp)
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
        assembled = assemble(Tree(files, text, findings, self._project, self._declared, self._literal))
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


def _stamp(contents: Sequence[Content]) -> str:
    digest = sha256()
    for one in contents:
        digest.update(one.path.encode("utf-8", "surrogateescape"))
        digest.update(one.text)
    return digest.hexdigest()
