"""What ranking and linking read of each file's current version: its words and its facts, packed."""

from collections.abc import Iterator, Sequence

import msgspec

from clew.model.code import Reading
from clew.store.database import Database, Where

FILES_AT_ONCE = 500


class Extracts:
    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._where = where._asdict()

    def put(self, file: int, reading: Reading) -> None:
        self._db.execute("extract_put", file=file, words=reading.words, facts=reading.facts, **self._where)

    def holds(self, file: int, reading: Reading) -> bool:
        """Whether a reading brings nothing new."""
        rows = self._db.query("extract_get", file=file, **self._where)
        return any((row["words"], row["facts"]) == (reading.words, reading.facts) for row in rows)

    def drop(self, file: int) -> None:
        self._db.execute("extract_drop", file=file, **self._where)

    def words(self, file: int) -> bytes:
        return next((row["words"] for row in self._db.query("extract_words", file=file, **self._where)), b"")

    def all_words(self, files: Sequence[int]) -> Iterator[bytes]:
        """Of many files, in the order given, some at a time."""
        return self._each("extract_words_of", "words", files)

    def facts(self, files: Sequence[int]) -> Iterator[bytes]:
        """Packed, of many files, in the order given."""
        return self._each("extract_facts_of", "facts", files)

    def _each(self, query: str, column: str, files: Sequence[int]) -> Iterator[bytes]:
        for start in range(0, len(files), FILES_AT_ONCE):
            some = files[start : start + FILES_AT_ONCE]
            rows = self._db.query(query, numbers=msgspec.json.encode(some).decode(), **self._where)
            found = {row["file"]: row[column] for row in rows}
            yield from (found[file] for file in some)
