"""The last stage of a run: all files or the changed ones are linked, and their edges stored."""

import gc
from collections.abc import Callable, Mapping, Set
from contextlib import AbstractContextManager
from functools import partial
from typing import NamedTuple

from clew.index import linker
from clew.index.affected_files import VisibleChange, affected_files, drop_missing_targets
from clew.index.facts import Facts
from clew.index.facts_cache import FactsCache
from clew.index.linker import Linker
from clew.index.modules import SourceTree
from clew.index.resolve import without_gc
from clew.model.code import EXTERNAL
from clew.store.database import Database
from clew.store.extracts import Extracts
from clew.store.files import Content
from clew.store.links import Joined, Links, digest_of, pack_links
from clew.store.packing import pack, unpack
from clew.store.together import together

LINKS_AT_ONCE = 200  # files whose links are written in one transaction
TOO_MUCH = "too much is passed from call to call to be followed: what calls of parameters lead to is not told"
MOST_NEAR = 60  # files that are linked with those that changed, while the rest is still to come


class TreeLinkState(Joined, frozen=True, array_like=True):
    """The global state of linking: it is valid as long as no interface changes, and no path is added or deleted."""

    packages: list[tuple[str, str, str]]
    settings: dict[str, dict[str, str]]
    linked: linker.GlobalFacts


class LinkStage:
    """`derived` opens a transaction of the run; `change` counts files with changed links.

    Results are written at the end, but for many files in batches before.
    """

    def __init__(
        self,
        db: Database,
        extracts: Extracts,
        links: Links,
        derived: Callable[[], AbstractContextManager[None]],
        change: Callable[[int], None],
    ) -> None:
        self._db = db
        self._extracts = extracts
        self._links = links
        self._derived = derived
        self._change = change
        self.warnings: tuple[str, ...] = ()
        self._found: TreeLinkState | None = None
        self._waiting: list[Callable[[], None]] = []

    def finish(self, last: Callable[[], None]) -> None:
        """Write the remaining results, then `last`: all of it or nothing."""
        with self._derived():
            self._write()
            if self._found is not None:
                self._links.settle(pack(self._found))
            last()

    def link_all(self, contents: list[Content], changed: set[str], known: int, *, unless_alike: bool = False) -> None:
        """Link every file, regardless of the stored state; or, if `unless_alike` and the global state is the same,
        only the changed ones.

        The visible names of files must then be unchanged.
        """
        with without_gc():
            self._link_all(contents, changed, known, unless_alike=unless_alike)
        if len(contents) > LINKS_AT_ONCE:  # a few leave little behind, and the search goes through all of the process
            gc.collect()  # for the room that Python keeps for more of what is gone; the snapshot needs it

    def _link_all(self, contents: list[Content], changed: set[str], known: int, *, unless_alike: bool) -> None:
        linker, agreed = _find_global_facts(contents, self._facts_cache(contents, filled=True))
        self._warn(agreed)
        if unless_alike and agreed == self._load_state():
            todo, was = [one for one in contents if one.path in changed], self._links.current()
        else:
            todo, damaged, self._found = contents, self._links.find_damaged([one.file for one in contents]), agreed
            self._waiting.append(partial(self._links.forget, damaged, known))
            was = {file: digest for file, digest in self._links.current().items() if file not in damaged}
        self._link(todo, changed, was, known, lambda one: pack_links(linker.link(one.path)))
        linker.end()

    def link_changed(self, contents: list[Content], changed: set[str], known: int) -> None:
        """Link the changed files while their interfaces are unchanged."""
        todo, shelf = [one for one in contents if one.path in changed], self._facts_cache(contents)
        settled, was, _ = together(
            self._db,
            self._links.settled_later,
            self._links.current_later,
            partial(shelf.take_later, [one.path for one in todo]),
        )
        if not settled:
            self.link_all(contents, changed, known)
            return
        agreed = unpack(settled, TreeLinkState)
        self._warn(agreed)
        with without_gc():
            linker = _linker(contents, shelf, agreed)
            self._link(todo, changed, was, known, lambda one: pack_links(linker.link(one.path)))
            linker.end()

    def link_affected(self, contents: list[Content], change: VisibleChange, known: int) -> bool:
        """Link the changed and the most affected files; returns whether there was a state to start from.

        The global state stays as it was before the change, so that some links may be corrected later.
        """
        agreed = self._load_state()
        if agreed is None:
            return False
        shelf = self._facts_cache(contents)
        numbers = [one.file for one in contents if one.path not in change.read]
        near = frozenset(affected_files(self._links.of(numbers), change, shelf, MOST_NEAR))
        todo = [one for one in contents if one.path in change.read or one.file in near]
        amended = _amend_state(agreed, contents, change, shelf)
        if not _same_lookup(agreed, amended):  # the next change goes on from here
            self._found = amended
        with without_gc():
            linker, paths = _linker(contents, shelf, amended), {one.path for one in contents}
            was = self._links.current()
            self._link(
                todo,
                change.paths,
                was,
                known,
                lambda one: pack_links(drop_missing_targets(linker.link(one.path), paths, shelf)),
            )
            linker.end()
        return True

    def link_ahead(
        self, contents: list[Content], goes_on: Callable[[], bool], *, unless_alike: bool = False
    ) -> "LinkedAhead | None":
        """The results of `link_all` without storing them; None as soon as it must stop."""
        with without_gc():
            linker, agreed = _find_global_facts(contents, self._facts_cache(contents, filled=True))
            todo = [] if unless_alike and agreed == self._load_state() else contents
            was, found = self._links.current(), []
            for start in range(0, len(todo), LINKS_AT_ONCE):
                if not goes_on():
                    break
                packed = [(one, pack_links(linker.link(one.path))) for one in todo[start : start + LINKS_AT_ONCE]]
                found += [(one, data) for one, data in packed if digest_of(data) != was.get(one.file)]
            linker.end()
        return LinkedAhead(agreed, found) if goes_on() else None

    def store_ahead(self, ahead: "LinkedAhead", known: int) -> None:
        self._found, packed = ahead.agreed, {one.file: data for one, data in ahead.links}
        was = self._links.current()
        self._link([one for one, _ in ahead.links], frozenset(), was, known, lambda one: packed[one.file])

    def _facts_cache(self, contents: list[Content], *, filled: bool = False) -> FactsCache:
        shelf = FactsCache(self._extracts, {one.path: one.file for one in contents})
        if filled:
            shelf.fill()
        return shelf

    def _warn(self, agreed: TreeLinkState) -> None:
        if agreed.linked.settled.is_cut:
            self.warnings = (TOO_MUCH,)

    def _load_state(self) -> TreeLinkState | None:
        packed = self._links.global_summary()
        return unpack(packed, TreeLinkState) if packed else None

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        for write in waiting:
            write()

    def _link(
        self,
        todo: list[Content],
        changed: Set[str],
        was: Mapping[int, bytes],
        known: int,
        packed: Callable[[Content], bytes],
    ) -> None:
        for start in range(0, len(todo), LINKS_AT_ONCE):
            if start and self._waiting:
                with self._derived():
                    self._write()
            some = [(one, packed(one)) for one in todo[start : start + LINKS_AT_ONCE]]
            other = [(one, data) for one, data in some if digest_of(data) != was.get(one.file)]
            if other:
                self._waiting.append(partial(self._store, other, changed, was, known))

    def _store(
        self, other: list[tuple[Content, bytes]], changed: Set[str], was: Mapping[int, bytes], known: int
    ) -> None:
        for one, data in other:
            write = self._links.show if one.path in changed else self._links.relink
            write(one.file, one.version, data, was.get(one.file), known)
        self._change(len({one.path for one, _ in other} - changed))


class LinkedAhead(NamedTuple):
    """The result of linking all files: those with links that differ from the stored ones."""

    agreed: TreeLinkState
    links: list[tuple[Content, bytes]]


def _languages(contents: list[Content]) -> dict[str, str]:
    return {one.path: one.language for one in contents}


def _linker(contents: list[Content], shelf: FactsCache, agreed: TreeLinkState) -> Linker:
    world = SourceTree.of([one.path for one in contents], agreed.packages, agreed.settings)
    return Linker(world, shelf.__getitem__, _languages(contents), agreed.linked)


def _find_global_facts(contents: list[Content], shelf: FactsCache) -> tuple[Linker, TreeLinkState]:
    facts = [(one, shelf[one.path]) for one in contents]
    packages, settings = _packages(facts), _settings(facts)
    world = SourceTree.of([one.path for one in contents], packages, settings)
    linker = Linker(world, shelf.__getitem__, _languages(contents), None)
    return linker, TreeLinkState(_type_parts(linker.agreed, shelf), packages, settings, linker.agreed)


def _type_parts(agreed: linker.GlobalFacts, shelf: FactsCache) -> dict[str, tuple[tuple[str, str], ...]]:
    """For the tree's own classes, the scopes that add members to them and are no classes themselves."""
    own = {one: parts for one, parts in agreed.settled.parts.items() if not one.startswith(EXTERNAL)}
    added = {one: tuple(p for p in parts if p[1] not in shelf[p[0]].kinds) for one, parts in own.items()}
    return {one: parts for one, parts in added.items() if parts}


def _amend_state(
    agreed: TreeLinkState, contents: list[Content], change: VisibleChange, shelf: FactsCache
) -> TreeLinkState:
    """The module declarations of files, without those from before a change."""
    read = [(one, shelf[one.path]) for one in contents if one.path in change.read]
    packages = [one for one in agreed.packages if one[2] not in change.paths]
    settings = {path: said for path, said in agreed.settings.items() if path not in change.paths}
    return TreeLinkState(agreed.joined, packages + _packages(read), settings | _settings(read), agreed.linked)


def _same_lookup(one: TreeLinkState, other: TreeLinkState) -> bool:
    return sorted(one.packages) == sorted(other.packages) and one.settings == other.settings


def _packages(read: list[tuple[Content, Facts]]) -> list[tuple[str, str, str]]:
    return [(one.language, said.package, one.path) for one, said in read if said.package]


def _settings(read: list[tuple[Content, Facts]]) -> dict[str, dict[str, str]]:
    return {one.path: said.settings for one, said in read if said.settings}
