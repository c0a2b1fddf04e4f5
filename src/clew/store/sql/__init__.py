"""Named queries, read from the .sql files beside this module.

A query opens with `-- name`; where the dialects part, with `-- name.sqlite` and `-- name.postgres`.
`{here}` binds a query to its project and checkout, `{current}` to the file versions that hold now,
`{as_of}` to those that held at a viewpoint; `{open}` is the end that has not come.
"""

import re
from functools import cache
from importlib import resources

from clew.model.time import FOREVER

_FRAGMENTS = {
    "{here}": "project = :project AND checkout = :checkout",
    "{current}": f"valid_to = {FOREVER} AND known_to = {FOREVER}",
    "{as_of}": "valid_from <= :valid AND :valid < valid_to AND known_from <= :known AND :known < known_to",
    "{open}": str(FOREVER),
}
_HEADER = re.compile(r"^-- ([a-z_]+(?:\.(?:sqlite|postgres))?)$", re.MULTILINE)


@cache
def load(dialect: str) -> dict[str, str]:
    queries: dict[str, str] = {}
    for file in resources.files(__name__).iterdir():
        if file.name.endswith(".sql"):
            _, *parts = _HEADER.split(file.read_text(encoding="utf-8"))
            for header, text in zip(parts[::2], parts[1::2], strict=True):
                name, _, only = header.partition(".")
                if only not in ("", dialect):
                    continue
                if name in queries:
                    raise ValueError(f"query {name!r} is defined twice for {dialect}")
                queries[name] = _complete(text.strip())
    return queries


def _complete(text: str) -> str:
    for mark, fragment in _FRAGMENTS.items():
        text = text.replace(mark, fragment)
    return text
