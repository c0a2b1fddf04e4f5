"""What ranking and linking read of each file's current version: its words, imports and calls."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import Struct

from clew.model.code import Call, Import, Reading
from clew.store.database import Database, Row, Where
from clew.store.files import Content
from clew.store.packing import pack, unpack

FILES_AT_ONCE = 500


class Importing(Struct, frozen=True):
    """A file, and what it imports as written."""

    file: int
    path: str
    version: int
    language: str
    imports: tuple[Import, ...]


class Extracts:
    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._where = where._asdict()

    def put(self, file: int, reading: Reading) -> None:
        imports = pack(reading.imports)
        self._db.execute(
            "extract_put", file=file, words=reading.words, imports=imports, calls=reading.calls, **self._where
        )

    def holds(self, file: int, reading: Reading) -> bool:
        """Whether a reading brings nothing new."""
        new = {"words": reading.words, "imports": pack(reading.imports), "calls": reading.calls}
        rows = self._db.query("extract_get", file=file, **self._where)
        return any(all(row[column] == data for column, data in new.items()) for row in rows)

    def drop(self, file: int) -> None:
        self._db.execute("extract_drop", file=file, **self._where)

    def words(self, file: int) -> bytes:
        return next((row["words"] for row in self._db.query("extract_words", file=file, **self._where)), b"")

    def all_words(self, files: Sequence[int]) -> Iterator[bytes]:
        """Of many files, in the order given, some at a time."""
        for start in range(0, len(files), FILES_AT_ONCE):
            some = files[start : start + FILES_AT_ONCE]
            numbers = msgspec.json.encode(some).decode()
            found = {
                row["file"]: row["words"] for row in self._db.query("extract_words_of", numbers=numbers, **self._where)
            }
            yield from (found[file] for file in some)

    def imports(self, contents: Iterable[Content]) -> Iterator[Importing]:
        """Of every file of the current view."""
        packed = {row["file"]: row["imports"] for row in self._db.query("extract_imports", **self._where)}
        for one in contents:
            imports = unpack(packed[one.file], tuple[Import, ...])
            yield Importing(one.file, one.path, one.version, one.language, imports)

    def imports_of(self, paths: Iterable[str]) -> Iterator[Importing]:
        for path in sorted(paths):
            yield from map(_to_importing, self._db.query("extract_imports_of", path=path, **self._where))

    def calls(self, path: str) -> tuple[Call, ...]:
        for row in self._db.query("extract_calls", path=path, **self._where):
            return unpack(row["calls"], tuple[Call, ...])
        return ()


def _to_importing(row: Row) -> Importing:
    imports = unpack(row["imports"], tuple[Import, ...])
    return Importing(row["file"], row["path"], row["version"], row["language"], imports)
