"""The last stage of a run: files are linked, all of them or those that changed, and what they show is stored."""

import gc
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

from msgspec import Struct

from clew.index import linking
from clew.index.linking import Linker
from clew.index.modules import World
from clew.index.resolve import interface, undisturbed
from clew.index.shelf import Shelf, opened
from clew.store.extracts import Extracts
from clew.store.files import Content
from clew.store.links import Links, pack_links
from clew.store.packing import pack, unpack

LINKS_AT_ONCE = 200  # files whose links are written in one transaction


class Agreed(Struct, frozen=True, array_like=True):
    """What all files together told: it holds as long as no interface changes, and no path comes or goes."""

    packages: list[tuple[str, str, str]]
    settings: dict[str, dict[str, str]]
    linked: linking.Agreed


class Linkage:
    """`derived` opens a transaction of the run; `change` says how many files are shown otherwise than before."""

    def __init__(
        self,
        extracts: Extracts,
        links: Links,
        derived: Callable[[], AbstractContextManager[None]],
        change: Callable[[int], None],
    ) -> None:
        self._extracts = extracts
        self._links = links
        self._derived = derived
        self._change = change

    def run(self, contents: list[Content], changed: set[str], known: int, *, everything: bool) -> None:
        with undisturbed():
            self._run(contents, changed, known, everything=everything)
        if everything:
            gc.collect()  # for the room that Python keeps for more of what is gone; the snapshot needs it

    def _run(self, contents: list[Content], changed: set[str], known: int, *, everything: bool) -> None:
        shelf = Shelf(self._extracts, {one.path: one.file for one in contents})
        packed = b"" if everything else self._links.settled()
        if packed:
            linker = _linker(contents, shelf, unpack(packed, Agreed))
        else:
            everything = True
            shelf.fill()
            linker, agreed = _agree(contents, shelf)
            with self._derived():
                self._links.settle(pack(agreed))
        todo = [one for one in contents if everything or one.path in changed]
        was = self._links.current()
        for start in range(0, len(todo), LINKS_AT_ONCE):
            self._store(todo[start : start + LINKS_AT_ONCE], linker, changed, was, known)
        linker.end()

    def _store(
        self, some: list[Content], linker: Linker, changed: set[str], was: Mapping[int, bytes], known: int
    ) -> None:
        packed = [pack_links(linker.link(one.path)) for one in some]
        with self._derived():
            shown = set()
            for one, data in zip(some, packed, strict=True):
                write = self._links.show if one.path in changed else self._links.relink
                if write(one.file, one.version, data, was.get(one.file), known):
                    shown.add(one.path)
            if shown:
                self._change(len(shown - changed))


def shows_otherwise(before: bytes, after: bytes) -> bool:
    """Whether other files may depend on what changed from some packed facts to others."""
    return before != after and interface(opened(before)) != interface(opened(after))


def _languages(contents: list[Content]) -> dict[str, str]:
    return {one.path: one.language for one in contents}


def _linker(contents: list[Content], shelf: Shelf, agreed: Agreed) -> Linker:
    world = World.of([one.path for one in contents], agreed.packages, agreed.settings)
    return Linker(world, shelf.__getitem__, _languages(contents), agreed.linked)


def _agree(contents: list[Content], shelf: Shelf) -> tuple[Linker, Agreed]:
    facts = [(one, shelf[one.path]) for one in contents]
    packages = [(one.language, said.package, one.path) for one, said in facts if said.package]
    settings = {one.path: said.settings for one, said in facts if said.settings}
    world = World.of([one.path for one in contents], packages, settings)
    linker = Linker(world, shelf.__getitem__, _languages(contents), None)
    return linker, Agreed(packages, settings, linker.agreed)
