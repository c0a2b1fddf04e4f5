"""Named queries, read from the .sql files beside this module.

A query opens with `-- name`; where the dialects differ, with `-- name.sqlite` and `-- name.postgres`. `{here}` binds
a query to its project and checkout, `{current}` to the file versions of the current view, `{as_of}` to those of a
viewpoint; `{open}` is the end of an interval that has not ended. `{clock}` is the store's time in microseconds: the
server's, if there is one, and else the caller's `:now`. `{among}` is one of `:numbers`, a JSON array, `{named}` one
of `:names`, another, `{scoped}` one of `:scopes`; `{listed}` one of `:digests`, 16 bytes each, end to end. `{then}`
joins rows that are looked up for each row so far: SQLite would start with that table and read all of it.
"""

import re
from functools import cache
from pathlib import Path

from clew.model.time import FOREVER

_FRAGMENTS = {
    "{here}": "project = :project AND checkout = :checkout",
    "{current}": f"valid_to = {FOREVER} AND known_to = {FOREVER}",
    "{as_of}": "valid_from <= :valid AND :valid < valid_to AND known_from <= :known AND :known < known_to",
    "{open}": str(FOREVER),
}
_BY_DIALECT = {
    "sqlite": {
        "{clock}": ":now",
        "{then}": "CROSS JOIN",
        "{among}": "IN (SELECT value FROM json_each(:numbers))",
        "{named}": "IN (SELECT value FROM json_each(:names))",
        "{scoped}": "IN (SELECT value FROM json_each(:scopes))",
        "{listed}": "IN (WITH RECURSIVE one (at) AS ("
        "SELECT 1 UNION ALL SELECT at + 16 FROM one WHERE at + 16 < length(:digests)"
        ") SELECT substr(:digests, at, 16) FROM one)",
    },
    "postgres": {
        "{then}": "JOIN",
        "{clock}": "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)",
        "{among}": "= ANY (CAST(translate(:numbers, '[]', '{}') AS BIGINT[]))",
        "{named}": "= ANY (ARRAY(SELECT json_array_elements_text(CAST(:names AS JSON))))",
        "{scoped}": "= ANY (ARRAY(SELECT json_array_elements_text(CAST(:scopes AS JSON))))",
        "{listed}": "= ANY (ARRAY(SELECT substring(CAST(:digests AS BYTEA) FROM at FOR 16) "
        "FROM generate_series(1, length(CAST(:digests AS BYTEA)), 16) AS at))",
    },
}
_PARAMETER = re.compile(r"(?<!:):([a-z_]+)")
_HEADER = re.compile(r"^-- ([a-z_]+(?:\.(?:sqlite|postgres))?)$", re.MULTILINE)


@cache
def load(dialect: str) -> dict[str, str]:
    queries: dict[str, str] = {}
    for file in Path(__file__).parent.iterdir():
        if file.name.endswith(".sql"):
            _, *parts = _HEADER.split(file.read_text(encoding="utf-8"))
            for header, text in zip(parts[::2], parts[1::2], strict=True):
                name, _, only = header.partition(".")
                if only not in ("", dialect):
                    continue
                if name in queries:
                    raise ValueError(f"query {name!r} is defined twice for {dialect}")
                queries[name] = _complete(text.strip(), dialect)
    return {name: _to_dialect(text, dialect) for name, text in queries.items()}


def _to_dialect(text: str, dialect: str) -> str:
    """With parameters as the dialect's driver wants them: `:name` or `%(name)s`."""
    return _PARAMETER.sub(r"%(\1)s", text.replace("%", "%%")) if dialect == "postgres" else text


def _complete(text: str, dialect: str) -> str:
    for mark, fragment in (_FRAGMENTS | _BY_DIALECT[dialect]).items():
        text = text.replace(mark, fragment)
    return text
