"""The files of one repository with the findings of each, kept by content: after an edit only changed files are read."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from clew.graph.full_graph import FullGraph, ImportEdge
from clew.runtime.plain import open_own, read_own
from clew.services.findings import FileFindings, read_file
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
