"""The graph of a checkout as arrays: edges in both directions, and unresolved calls.

Part of a snapshot. An edge belongs to the file that contains it: an overlay replaces the edges of its files and keeps
the rest.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np

from clew.model.code import symbol_id
from clew.store.arrays import Array as Array
from clew.store.arrays import narrow, section
from clew.store.links import KINDS, PackedLinks, bare_name
from clew.store.strings import SortedStrings, strings

_COLUMNS = ("from", "to", "kind", "line", "evidence", "confidence", "file")
_TYPES = (np.uint32, np.uint32, np.uint8, np.uint32, np.uint8, np.uint16, np.uint32)


class Adjacency:
    """`out_at` and `in_at` are where the edges of each node begin; `in_order` lists edges by where they lead."""

    target = section("edge_to")
    kind = section("edge_kind")
    line = section("edge_line")
    evidence = section("edge_evidence")
    confidence = section("edge_confidence")
    file = section("edge_file")
    out_at = section("out_at")
    in_at = section("in_at")
    in_order = section("in_order")
    loose_at = section("loose_at")
    loose = section("loose")  # node, line, text and file of each, by name

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self.arrays = arrays

    @cached_property
    def ids(self) -> SortedStrings:
        return SortedStrings(self.arrays["ids"], self.arrays["id_at"])

    @cached_property
    def loose_names(self) -> SortedStrings:
        return SortedStrings(self.arrays["loose_names"], self.arrays["loose_name_at"])

    @cached_property
    def loose_texts(self) -> SortedStrings:
        return SortedStrings(self.arrays["loose_texts"], self.arrays["loose_text_at"])

    @cached_property
    def source(self) -> Array:
        """Source of each edge; edges are sorted by it."""
        return np.repeat(np.arange(len(self.out_at) - 1, dtype=np.uint32), np.diff(self.out_at))

    def out(self, id: str) -> Array:
        """The numbers of the edges that lead from an id."""
        node = self.ids.find(id)
        return np.arange(int(self.out_at[node]), int(self.out_at[node + 1])) if node >= 0 else _NONE

    def into(self, id: str) -> Array:
        node = self.ids.find(id)
        return self.in_order[int(self.in_at[node]) : int(self.in_at[node + 1])] if node >= 0 else _NONE

    def loose_called(self, name: str) -> Array:
        """The rows of the calls by this bare name that could not be resolved."""
        number = self.loose_names.find(name)
        return (
            self.loose[int(self.loose_at[number]) : int(self.loose_at[number + 1])] if number >= 0 else self.loose[:0]
        )


_NONE = np.zeros(0, np.int64)


def adjacency(files: Iterable[tuple[str, PackedLinks]]) -> dict[str, Array]:
    """The arrays of `Adjacency`, from paths and their links, in path order."""
    numbers: dict[str, int] = {}
    columns: list[list[Array]] = [[] for _ in _COLUMNS]
    loose: list[tuple[str, int, int, str, int]] = []
    for file, (path, links) in enumerate(files):
        if not links.kinds and not links.loose:
            continue
        scopes = [numbers.setdefault(symbol_id(path, name), len(numbers)) for name in links.scope_names]
        targets = [numbers.setdefault(name, len(numbers)) for name in links.target_names]
        found: tuple[Array, ...] = (
            np.array(scopes, np.uint32)[links.scopes], np.array(targets, np.uint32)[links.targets],
            np.frombuffer(links.kinds, np.uint8), np.array(links.lines, np.uint32),
            np.frombuffer(links.evidence, np.uint8), np.array(links.confidence, np.uint16),
            np.full(len(links.kinds), file, np.uint32),
        )  # fmt: skip
        for column, values in zip(columns, found, strict=True):
            column.append(values)
        loose += [(bare_name(text), scopes[scope], line, text, file) for scope, line, text, _ in links.loose]
    return _arrays(list(numbers), columns, loose)


def kinds_of(edges: Adjacency, live: Array) -> dict[str, int]:
    counts = np.bincount(edges.kind[live[edges.file]] if len(edges.file) else edges.kind, minlength=len(KINDS))
    return {KINDS[i].value: int(n) for i, n in enumerate(counts) if n}


def _arrays(
    ids: list[str], columns: list[list[Array]], loose: list[tuple[str, int, int, str, int]]
) -> dict[str, Array]:
    order = sorted(range(len(ids)), key=ids.__getitem__)  # code points sort as their UTF-8 bytes do
    rank = np.zeros(len(ids), np.uint32)
    rank[order] = np.arange(len(ids), dtype=np.uint32)
    edges = [
        np.concatenate(column).astype(kind, copy=False) if column else np.zeros(0, kind)
        for column, kind in zip(columns, _TYPES, strict=True)
    ]
    edges[0], edges[1] = rank[edges[0]], rank[edges[1]]
    by_source = np.lexsort((edges[3], edges[1], edges[2], edges[0]))
    edges = [column[by_source] for column in edges]
    in_order = np.lexsort((edges[3], edges[0], edges[2], edges[1])).astype(np.uint32)
    return {
        **strings("ids", "id_at", [ids[i] for i in order]),
        **{f"edge_{name}": column for name, column in zip(_COLUMNS[1:], edges[1:], strict=True)},
        **{f"edge_{name}": narrow(edges[_COLUMNS.index(name)]) for name in ("line", "file")},
        "out_at": _starts(edges[0], len(ids)),
        "in_at": _starts(edges[1], len(ids)),
        "in_order": in_order,
        **_loose_arrays(loose, rank),
    }


def _loose_arrays(loose: list[tuple[str, int, int, str, int]], rank: Array) -> dict[str, Array]:
    rows = sorted((name, int(rank[node]), line, text, file) for name, node, line, text, file in loose)
    names = sorted({row[0] for row in rows})
    texts = sorted({row[3] for row in rows})
    name_of, text_of = ({word: i for i, word in enumerate(words)} for words in (names, texts))
    numbers = np.array([name_of[row[0]] for row in rows], np.uint32)
    table = np.array([(node, line, text_of[text], file) for _, node, line, text, file in rows], np.uint32)
    return {
        **strings("loose_names", "loose_name_at", names),
        **strings("loose_texts", "loose_text_at", texts),
        "loose_at": _starts(numbers, len(names)),
        "loose": table.reshape(-1, 4),
    }


def _starts(sorted_or_not: Array, count: int) -> Array:
    per = np.bincount(sorted_or_not.astype(np.int64), minlength=count) if count else np.zeros(0, np.int64)
    return narrow(np.concatenate(([0], np.cumsum(per))))
