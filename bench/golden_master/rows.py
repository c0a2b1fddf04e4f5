"""Rows of JSON in files: how they are written, read, and cleared of text for people."""

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

# Sentences for people, and sizes that depend on their length.
SENTENCES = frozenset(
    "about capsMet detail hint label reason rules summary summary_line text tokens total_tokens token_estimate "
    "left_out warnings why".split()
)
# Different in every run, or derived from Clew's own version.
VOLATILE = frozenset("createdAt freshness index indexSignature packId timings valid_from valid_to".split())
LEFT_OUT = SENTENCES | VOLATILE


def rows_of(question: dict[str, Any], answer: dict[str, Any]) -> Iterator[str]:
    """A row for each element of the answer's lists, and one for the rest, so that a difference is a few rows."""
    asked = json.dumps(question, sort_keys=True)
    for place, value in _split("", _fields(answer)):
        yield f"{asked}\t{place}\t{json.dumps(value, sort_keys=True)}"


def write(file: Path, rows: Iterable[str]) -> list[str]:
    """Sorted, so that the order of work does not show; returns what was written."""
    ordered = sorted(rows)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=1, mtime=0, filename="") as packed:
        packed.writelines(f"{row}\n".encode() for row in ordered)
    return ordered


def read(file: Path) -> list[str]:
    if not file.is_file():
        return []
    return gzip.decompress(file.read_bytes()).decode().splitlines()


def digest(rows: Iterable[str]) -> str:
    found = hashlib.sha256()
    for row in rows:
        found.update(f"{row}\n".encode())
    return found.hexdigest()


def _split(place: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        plain = {name: one for name, one in value.items() if not isinstance(one, dict | list)}
        if plain:
            yield place or ".", plain
        for name in value.keys() - plain.keys():
            yield from _split(f"{place}.{name}", value[name])
    elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
        yield from ((f"{place}[{number}]", one) for number, one in enumerate(value))
    else:
        yield place, value


def _fields(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _fields(one) for name, one in value.items() if name not in LEFT_OUT}
    return [_fields(one) for one in value] if isinstance(value, list | tuple) else value
