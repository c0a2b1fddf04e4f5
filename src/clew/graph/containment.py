"""Containment as given by the ids: read file by file, when a walk first reaches a file, and kept."""

import threading

import numpy as np

from clew.graph.algorithms.push import ranges
from clew.graph.full_graph import parent
from clew.graph.numbering import Numbering
from clew.model.code import split_id
from clew.store.adjacency import Array

NOWHERE = -1  # where a file stands


class Within:
    """Containment among existing nodes. A symbol in a class without edges belongs to its file."""

    def __init__(self, numbering: Numbering) -> None:
        self._numbering = numbering
        size = numbering.size
        self._read = np.zeros(size, np.bool_)
        self._outer = np.full(size, NOWHERE, np.int64)
        self._is_file = np.zeros(size, np.bool_)
        self._inner: Array = np.zeros(size, np.int64)  # nodes, those of one outer side by side
        self._first = np.zeros(size, np.int64)
        self._count = np.zeros(size, np.int64)
        self._used = 0
        self._lock = threading.Lock()

    def outer(self, nodes: Array) -> Array:
        """The container of each; `NOWHERE` for a file, or for a symbol in a file without edges."""
        self._see_to(nodes)
        return self._outer[nodes]

    def inner(self, nodes: Array) -> tuple[Array, Array]:
        """How many stand directly in each, and these, one after the other."""
        self._see_to(nodes)
        counts = self._count[nodes]
        return counts, self._inner[ranges(self._first[nodes], counts)]

    def are_files(self, nodes: Array) -> Array:
        self._see_to(nodes)
        return self._is_file[nodes]

    def _see_to(self, nodes: Array) -> None:
        if self._read[nodes].all():
            return
        with self._lock:
            unread = nodes[~self._read[nodes]].tolist()
            self._read_files({split_id(self._numbering.id(node))[0] for node in unread})

    def _read_files(self, paths: set[str]) -> None:
        """Many at once: the cost is per call, not per file."""
        numbering = self._numbering
        files = {path: place for path in paths if (place := numbering.place(path)) >= 0}
        held = files | {one: number for path in paths for number, one in numbering.inside(path)}
        every = np.array(list(held.values()), np.int64)
        there = zip(held.items(), numbering.is_there(every).tolist(), strict=True)
        numbers = {one: number for (one, number), is_there in there if is_there}
        outers = [numbers[outer] if (outer := parent(one, numbers)) else NOWHERE for one in numbers]
        self._keep(np.array(list(numbers.values()), np.int64), np.array(outers, np.int64))
        self._is_file[list(files.values())] = True
        self._read[every] = True

    def _keep(self, nodes: Array, outers: Array) -> None:
        self._outer[nodes] = outers
        order = np.argsort(outers, kind="stable")
        order = order[outers[order] != NOWHERE]
        owners, starts, counts = np.unique(outers[order], return_index=True, return_counts=True)
        self._first[owners] = self._used + starts
        self._inner[self._used : self._used + len(order)] = nodes[order]
        self._used += len(order)
        self._count[owners] = counts
