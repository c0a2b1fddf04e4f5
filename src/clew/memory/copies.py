"""The archive in a file, so that a new process need not read all episodes again; one that is lost costs time only."""

import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from hashlib import sha256
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_STORED, BadZipFile

import msgspec
import numpy as np

from clew.memory.archive import COLUMNS, NAMES, Archive, Column, Names, TermPostings
from clew.runtime.asking import once
from clew.runtime.plain import open_own
from clew.store.arrays import Array
from clew.store.episodes import Episodes
from clew.text.terms import VERSION as TERMS

if TYPE_CHECKING:
    from numpy.lib.npyio import NpzFile

FEWEST = 2000  # episodes since the last copy that make a new one worth its while,
SHARE = 0.1  # or this part of all, whichever is more
MANY = 500  # episodes since the last question that are rather taken together

_MADE = sha256(f"memory-4 {TERMS}".encode()).hexdigest()[:8]  # another format or other terms make another copy

log = logging.getLogger(__name__)


class Archives:
    """The archive of a project, up to date whenever it is asked for. One thread at a time has it."""

    def __init__(self, episodes: Episodes, folder: Path | None, mark: str) -> None:
        """Copies lie in the folder, if there is one, under the project's mark."""
        self._episodes = episodes
        self._folder = folder
        self._mark = mark
        self._archive: Archive | None = None
        self.lock = threading.Lock()

    def current(self) -> Archive:
        """As of the question at hand. Call with the lock held."""
        if self._archive is None:
            self._archive = self._read() or Archive()
        return once((id(self), id(self._archive)), partial(self._bring, self._archive))

    def _bring(self, archive: Archive) -> Archive:
        new = self._episodes.after(len(archive))
        few = list(islice(new, MANY))
        if len(few) == MANY:
            self._archive = None  # until all are taken: one that is half-way there is of no use
            archive.take_many(chain(few, new))
            self._archive = archive
        else:
            for episode in few:
                archive.take(episode)
        if archive.laid_over > max(FEWEST, SHARE * len(archive)):
            self._write(archive)
        return archive

    def _read(self) -> Archive | None:
        """The newest copy, if it is of these episodes: a database that was brought back may have had others."""
        for path in sorted(self._copies(), key=_count, reverse=True):
            with suppress(OSError, ValueError, KeyError, BadZipFile, MemoryError, msgspec.DecodeError):
                with open_own(path) as file, _refuse_compressed(np.load(file, allow_pickle=False)) as held:
                    archive = unpack(held.__getitem__)
                last = self._episodes.some([len(archive)])
                if last and _plain(last[0].id) == path.stem.rpartition("-")[2]:
                    return archive
        return None

    def _write(self, archive: Archive) -> None:
        """Beside the old copies, which go then; another process may still be reading one."""
        if self._folder is None:
            return
        last = self._episodes.some([len(archive)])[0].id
        path = self._folder / f"{self._prefix()}{len(archive)}-{_plain(last)}.npz"
        waiting = path.with_suffix(f".{os.getpid()}")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with open_own(waiting, "wb") as file:
                arrays: dict[str, Any] = pack(archive)
                np.savez(file, **arrays)
            old = list(self._copies())
            waiting.replace(path)
        except OSError as error:  # a full or read-only disk: the next process reads the episodes
            log.info("no copy of memory was written: %s", error)
            return
        archive.laid_over = 0
        for one in old:
            with suppress(OSError):
                one.unlink()

    def _copies(self) -> list[Path]:
        return list(self._folder.glob(f"{self._prefix()}*.npz")) if self._folder else []

    def _prefix(self) -> str:
        return f"memory-{_MADE}-{self._mark}-"


def _refuse_compressed(held: "NpzFile") -> "NpzFile":
    """Refuse compressed data: Clew writes none, so no part of a copy is larger than the file."""
    if held.zip is None or any(part.compress_type != ZIP_STORED for part in held.zip.infolist()):
        raise ValueError("not a copy that Clew wrote")
    return held


def pack(archive: Archive) -> dict[str, Array]:
    """As arrays."""
    words = archive.words()
    entities = {str(row): nodes for row, nodes in enumerate(archive.entities) if nodes}
    names = [list(getattr(archive, name)) for name in NAMES]
    texts = {"names": names, "terms": list(words.numbers), "entities": entities}
    columns = {name: getattr(archive, name).all for name in COLUMNS}
    text = np.frombuffer(msgspec.json.encode(texts), np.uint8)
    return {"text": text, "at": words.at, "rows": words.rows, "frequencies": words.frequencies, **columns}


def unpack(held: Callable[[str], Array]) -> Archive:
    texts = msgspec.json.decode(held("text").tobytes())
    archive = Archive()
    for name, kind in COLUMNS.items():
        setattr(archive, name, Column(kind, held(name)))
    for name, all_of_them in zip(NAMES, texts["names"], strict=True):
        setattr(archive, name, Names(all_of_them))
    numbers = {term: number for number, term in enumerate(texts["terms"])}
    entities = [()] * len(archive.length.all)
    for row, nodes in texts["entities"].items():
        entities[int(row)] = tuple(nodes)
    archive.begin(TermPostings(numbers, held("at"), held("rows"), held("frequencies")), entities)
    return archive


def _plain(id: str) -> str:
    """An id as a part of a file's name."""
    return sha256(id.encode()).hexdigest()[:16]


def _count(path: Path) -> int:
    count = path.stem.split("-")[-2]
    return int(count) if count.isdigit() else 0
