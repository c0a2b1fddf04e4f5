"""Vectors at rest: a cache by embedder and text, and which versions of files have all of theirs.

Vectors are quantised: a scale, then an 8-bit number for each dimension (`store/quantised.py`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from blake3 import blake3

from clew.store.database import Database, Durability, Row, Where

DIGEST_BYTES = 16
AT_ONCE = 500  # digests in a query, vectors in a transaction


class Embedded(NamedTuple):
    """A version of a file in which all chunks have a vector; their digests stand end to end."""

    file: int
    version: int
    digests: bytes

    def each(self) -> Iterator[bytes]:
        return (self.digests[at : at + DIGEST_BYTES] for at in range(0, len(self.digests), DIGEST_BYTES))


class Vectors:
    """Shared by all checkouts of a project; several embedders side by side."""

    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._where = where._asdict()
        self._project = where.project

    def get(self, digests: Sequence[bytes]) -> dict[bytes, bytes]:
        """Stored vectors, quantized."""
        return {row["digest"]: row["data"] for row in self._rows("vector_get", digests)}

    def find_missing(self, digests: Sequence[bytes]) -> list[bytes]:
        """Missing ones, each once, in the given order."""
        there = {row["digest"] for row in self._rows("vector_has", digests)}
        return [digest for digest in dict.fromkeys(digests) if digest not in there]

    def put(self, model: str, vectors: Mapping[bytes, bytes]) -> None:
        """In one order everywhere, so that two writers of the same vectors never deadlock."""
        digests = sorted(vectors)
        for some in _parts(digests):
            rows = [{"project": self._project, "digest": one, "model": model, "data": vectors[one]} for one in some]
            with self._db.transaction(Durability.DERIVED):
                self._db.execute_many("vector_put", rows)

    def counts(self) -> dict[str, int]:
        """Vectors by embedder."""
        return {row["model"]: row["n"] for row in self._db.query("vector_counts", project=self._project)}

    def forget(self, model: str) -> None:
        """Drop all that an embedder made, in every checkout."""
        with self._db.transaction(Durability.DERIVED):
            for statement in ("vector_forget", "embedded_forget"):
                self._db.execute(statement, project=self._project, model=model)

    def embedded_files(self, model: str) -> dict[int, Embedded]:
        """By file; of a version that may no longer be the current one."""
        rows = self._db.query("embedded_all", model=model, **self._where)
        return {row["file"]: Embedded(row["file"], row["version"], row["digests"]) for row in rows}

    def mark(self, model: str, files: Iterable[Embedded]) -> None:
        """Say that these have all their vectors."""
        rows = [{"model": model, **one._asdict(), **self._where} for one in files]
        with self._db.transaction(Durability.DERIVED):
            self._db.execute_many("embedded_put", rows)

    def _rows(self, query: str, digests: Sequence[bytes]) -> Iterator[Row]:
        for some in _parts(list(dict.fromkeys(digests))):
            yield from self._db.query(query, digests=b"".join(some), project=self._project)


def digest_of(model: str, text: str) -> bytes:
    """The key of a vector."""
    return blake3(f"{model}\0{text}".encode("utf-8", "surrogatepass")).digest(length=DIGEST_BYTES)


def _parts(digests: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    return (digests[start : start + AT_ONCE] for start in range(0, len(digests), AT_ONCE))
