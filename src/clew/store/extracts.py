"""The extracts of each file's current version for ranking and linking: its words and its facts, packed."""

from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from clew.model.code import Reading
from clew.store.database import Database, Later, Where
from clew.store.together import together

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

    def words_later(self, files: Sequence[int]) -> Later[list[bytes]]:
        """Words of some files, in the given order."""
        return self._some("extract_words_of", "words", files)

    def facts_later(self, files: Sequence[int]) -> Later[list[bytes]]:
        """Packed, of some files, in the order given."""
        return self._some("extract_facts_of", "facts", files)

    def facts_if_stored_later(self, files: Sequence[int]) -> Later[dict[int, bytes]]:
        """Packed, by file; an imported version has none until it is read again."""
        rows = self._db.later("extract_facts_of", numbers=msgspec.json.encode(files).decode(), **self._where)
        return lambda: {row["file"]: row["facts"] for row in rows()}

    def facts(self, files: Sequence[int]) -> Iterator[bytes]:
        """Packed, of many files, in the order given, some at a time."""
        for start in range(0, len(files), FILES_AT_ONCE):
            some = files[start : start + FILES_AT_ONCE]
            yield from together(self._db, partial(self.facts_later, some))[0]

    def _some(self, query: str, column: str, files: Sequence[int]) -> Later[list[bytes]]:
        rows = self._db.later(query, numbers=msgspec.json.encode(files).decode(), **self._where)

        def read() -> list[bytes]:
            by_file = {row["file"]: row[column] for row in rows()}
            return [by_file[file] for file in files]

        return read
