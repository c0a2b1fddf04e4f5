"""Targets of claims in normal form, and their overlap: by containment, in whole components."""

import posixpath
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import Generic, TypeVar

from clew.graph.naming import plain
from clew.model.code import SCOPE, split_id, symbol_id
from clew.model.errors import Denied, InvalidInput
from clew.model.fleet import ClaimKind
from clew.store.changes import Changes
from clew.store.database import Database, Where
from clew.store.files import Files
from clew.store.graph import Nodes

T = TypeVar("T")
id_of = id  # of an object; here, `id` is that of a symbol

ROOT = "."  # the whole tree
_APART = (ClaimKind.TASK, ClaimKind.FEATURE)  # `task:ID`, `feature:ID`: no part of the tree
_HINT = "Name a path from the root, an id such as src/pay.py::Card::charge, task:ID or feature:ID."


@dataclass(frozen=True, slots=True)
class Target:
    text: str
    kind: ClaimKind

    @property
    def is_code(self) -> bool:
        return self.kind not in _APART


def target(text: str, root: Path, kind: ClaimKind | None = None) -> Target:
    """Parse a target; it need not exist. `kind` is the caller's interpretation."""
    text = text.strip()
    if not text or any(unicodedata.category(one) in ("Cc", "Cs") for one in text):
        raise InvalidInput(f"{text!r} is not a target", _HINT)
    for apart in _APART:
        if kind is apart or text.startswith(f"{apart}:"):
            return _make_named(apart, text.removeprefix(f"{apart}:").strip())
    path, scope = split_id(plain(text))
    scope = SCOPE.join(filter(None, scope.split(SCOPE)))
    path = _relative(path, root)
    if (kind is ClaimKind.FUNCTION and not scope) or (scope and path == ROOT):
        raise InvalidInput(f"{text!r} does not say in which file it is", _HINT)
    return Target(symbol_id(path, scope), ClaimKind.FUNCTION if scope else ClaimKind.FILE)


def parts(text: str) -> tuple[str, ...]:
    """The components of a target: one that contains another is the beginning of it."""
    if text.startswith(tuple(f"{apart}:" for apart in _APART)):
        return (text,)
    path, scope = split_id(text)
    folders = path.split("/") if path != ROOT else []
    return ("", *folders, *(f"{SCOPE}{name}" for name in scope.split(SCOPE) if name))


def overlap(one: str, other: str) -> bool:
    shorter, longer = sorted((parts(one), parts(other)), key=len)
    return longer[: len(shorter)] == shorter


def with_containers(text: str) -> list[str]:
    """The target itself and all that contain it, by their spelling."""
    first, *rest = parts(text)
    if first:
        return [text]
    joined = accumulate(rest, lambda sofar, part: sofar + part if part.startswith(SCOPE) else f"{sofar}/{part}")
    return [ROOT, *joined]


class Meeting(Generic[T]):
    """Things by what they are about: found once by that, by what contains it, and by what it contains."""

    def __init__(self, things: Iterable[tuple[str, T]] = ()) -> None:
        self._at: defaultdict[str, list[T]] = defaultdict(list)
        self._inside: defaultdict[str, list[T]] = defaultdict(list)
        for about, thing in things:
            self._at[about].append(thing)
            for one in with_containers(about):
                self._inside[one].append(thing)

    def at(self, id: str) -> list[T]:
        if not self._at:
            return []
        outer = (thing for one in with_containers(id) if one != id for thing in self._at.get(one, ()))
        found = {id_of(thing): thing for thing in (*self._inside.get(id, ()), *outer)}
        return list(found.values())

    def is_at(self, id: str, thing: T) -> bool:
        """Whether it is about just that, and not about what contains it or lies in it."""
        return any(one is thing for one in self._at.get(id, ()))


def ranges(text: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """The text ranges of everything inside: by path, and by scope. They may include slightly more."""
    if text == ROOT:
        return ("", "\U0010ffff"), ("", "")
    return (f"{text}/", f"{text}0"), (f"{text}{SCOPE}", f"{text}:;")


def _make_named(kind: ClaimKind, name: str) -> Target:
    if not name:
        raise InvalidInput(f"{kind}: names no {kind}", _HINT)
    return Target(f"{kind}:{name}", kind)


def _relative(path: str, root: Path) -> str:
    path = path.replace("\\", "/")
    if Path(path).is_absolute():
        home = root.as_posix().rstrip("/")
        if path != home and not path.startswith(f"{home}/"):
            raise Denied(f"{path} is outside of {root}")
        path = path[len(home) :].lstrip("/")
    path = posixpath.normpath(path or ROOT)
    if path == ".." or path.startswith("../"):
        raise Denied(f"{path} is outside of {root}")
    return path


# The version of a target in a checkout, as one hash: it changes with the content, and is empty where nothing is.

LENGTH = 32  # hexadecimal digits


def version_of(db: Database, where: Where, target: Target) -> str:
    """A file's own hash; of a folder or a symbol, a hash of all that is inside."""
    if not target.is_code:
        return ""
    path, scope = split_id(target.text)
    known = Files(db, where).known_at(path)
    if known and scope:
        live = Nodes(db, where).live(known.file)
        return _hash((name, digest) for name, digest in live.items() if f"{name}{SCOPE}".startswith(f"{scope}{SCOPE}"))
    if known:
        return known.digest.hex()[:LENGTH]
    return "" if scope else _hash(Changes(db, where).inside(*ranges(target.text)[0]))


def _hash(parts: Iterable[tuple[str, bytes]]) -> str:
    lines = [f"{name}\0{digest.hex()}" for name, digest in sorted(parts)]
    return sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()[:LENGTH] if lines else ""
