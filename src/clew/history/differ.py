"""The difference between two trees, file by file and symbol by symbol. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from posixpath import basename, dirname, splitext

from msgspec import Struct
from msgspec.structs import replace

from clew.history.definitions import FileDefinitions, SymbolVersion
from clew.history.matching import DefinitionMatch, Extraction, Matching, match
from clew.model.code import SCOPE, symbol_id, without_numbers
from clew.model.words import CLASSES, NAMELESS, Kind
from clew.text.paths import is_test_path

MOST_CALLS = 20  # names of calls that are listed of one symbol

# What of a symbol can change, in the order in which changes are listed.
ORDER = (
    "added", "removed", "extracted", "renamed", "moved", "kind", "signature", "bases", "decorators", "body", "members",
    "documentation", "comments", "formatting", "path",
)  # fmt: skip
_KINDS = (Kind.CLASS, Kind.INTERFACE, Kind.FUNCTION, Kind.METHOD, Kind.VARIABLE, Kind.FILE)
_OPENING, _CLOSING = "([{<", ")]}>"


class SymbolDelta(Struct, frozen=True, omit_defaults=True, rename={"origin": "from"}):
    """A file or symbol that differs. `origin` is the id it had before, or of the function it was extracted from.

    `changes` lists the differences; `breaking` says why code that uses it may fail. `calls_added` and `calls_removed`
    are names that its body calls, or no longer calls; `callers_added` and `callers_removed` are ids of changed code
    that calls a symbol of its name now, or did before. `also_from` are further functions that the code was extracted
    from.
    """

    id: str
    kind: str
    path: str
    origin: str = ""
    changes: tuple[str, ...] = ()
    confidence: float = 1.0
    breaking: str = ""
    first_line: int = 0
    last_line: int = 0
    signature: str = ""
    old_signature: str = ""
    calls_added: tuple[str, ...] = ()
    calls_removed: tuple[str, ...] = ()
    callers_added: tuple[str, ...] = ()
    callers_removed: tuple[str, ...] = ()
    also_from: tuple[str, ...] = ()


class FilePair(Struct, frozen=True):
    """A file on both sides of a change; a path is empty on the side that has no such file."""

    old_path: str
    new_path: str
    alike: float = 1.0
    same: bool = False  # to the byte


class Difference(Struct, frozen=True):
    """All differences, breaking changes first. Symbols that were renamed and moved are in both lists."""

    added: tuple[SymbolDelta, ...] = ()
    removed: tuple[SymbolDelta, ...] = ()
    modified: tuple[SymbolDelta, ...] = ()
    renamed: tuple[SymbolDelta, ...] = ()
    moved: tuple[SymbolDelta, ...] = ()

    def all(self) -> Iterable[SymbolDelta]:
        """Each once."""
        yield from {(one.id, one.origin): one for name in LISTS for one in getattr(self, name)}.values()


LISTS = ("added", "removed", "modified", "renamed", "moved")


def difference(
    pairs: Sequence[FilePair], old_files: Mapping[str, FileDefinitions], new_files: Mapping[str, FileDefinitions]
) -> Difference:
    """Compare all files that changed; definitions are given by path for each side."""
    moved = {pair.new_path: pair.old_path for pair in pairs if pair.old_path and pair.new_path != pair.old_path}
    found = match(old_files.values(), new_files.values(), {new: old for new, old in moved.items() if new})
    return _Differ(pairs, old_files, new_files, found).run()


def changes_between(old: SymbolVersion, new: SymbolVersion) -> tuple[str, ...]:
    """The differences of the definition itself, regardless of its place."""
    found = set()
    if old.name != new.name:
        found.add("renamed")
    if old.kind != new.kind:
        found.add("kind")
    if not old.is_same(new):
        found |= _parts(old, new)
    return in_order(found)


def in_order(changes: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(changes), key=ORDER.index))


def _parts(old: SymbolVersion, new: SymbolVersion) -> set[str]:
    found = set()
    if _head(old) != _head(new):
        found.add("bases" if old.bases != new.bases else "signature")
    if old.symbol.decorators != new.symbol.decorators:
        found.add("decorators")
    if old.documentation != new.documentation:
        found.add("documentation")
    if old.commented_tokens != new.commented_tokens:
        found.add("comments" if old.body_tokens == new.body_tokens else "body")
    if not found and (old.name == new.name or old.behind_head != new.behind_head):
        found.add("formatting")
    return found


def _head(one: SymbolVersion) -> str:
    """The signature without the name."""
    return re.sub(rf"\b{re.escape(one.name)}\b", "\0", one.symbol.signature)


class _Differ:
    def __init__(
        self,
        pairs: Sequence[FilePair],
        old_files: Mapping[str, FileDefinitions],
        new_files: Mapping[str, FileDefinitions],
        found: Matching,
    ) -> None:
        self._pairs = pairs
        self._old_files = old_files
        self._new_files = new_files
        self._found = found
        self._forward = {one.old.key: one for one in found.matches}
        self._file_now = {pair.old_path: pair.new_path for pair in pairs if pair.old_path and pair.new_path}
        self._lists: dict[str, list[SymbolDelta]] = {name: [] for name in LISTS}

    def run(self) -> Difference:
        for pair in self._pairs:
            self._add_file(pair)
        matched_old = {one.old.key for one in (*self._found.matches, *self._found.again)}
        matched_new = {one.new.key for one in (*self._found.matches, *self._found.again)}
        extracted: dict[tuple[str, str], list[Extraction]] = {}
        for each in self._found.extracted:
            extracted.setdefault(each.new.key, []).append(each)
        callers = self._callers()
        for one in self._found.matches:
            self._add_match(one, callers)
        for one in self._found.again:
            self._add("moved", one.new, one.old, ("moved", *changes_between(one.old, one.new)), one.confidence)
        for file in self._new_files.values():
            for new in file.definitions:
                if new.key not in matched_new:
                    self._add_new(new, extracted.get(new.key, ()))
        for file in self._old_files.values():
            for old in file.definitions:
                if old.key not in matched_old:
                    self._add("removed", old, None, ("removed",), 1.0)
        return Difference(**{name: tuple(sorted(some, key=_rank)) for name, some in self._lists.items()})

    def _add_file(self, pair: FilePair) -> None:
        old, new = pair.old_path, pair.new_path
        if not old or not new:
            name, path = ("added", new) if new else ("removed", old)
            self._lists[name].append(SymbolDelta(path, Kind.FILE, path, changes=(name,)))
            return
        changes: tuple[str, ...] = () if pair.same else ("body",)
        if old == new:
            self._lists["modified"].append(SymbolDelta(new, Kind.FILE, new, changes=changes))
            return
        names = [("renamed", basename(old) != basename(new)), ("moved", dirname(old) != dirname(new))]
        changes = in_order([*(name for name, is_so in names if is_so), *changes])
        for name, is_so in names:
            if is_so:
                self._lists[name].append(SymbolDelta(new, Kind.FILE, new, old, changes, pair.alike))

    def _add_new(self, new: SymbolVersion, origins: Sequence[Extraction]) -> None:
        if not origins:
            self._add("added", new, None, ("added",), 1.0)
            return
        first, *others = origins
        self._add("added", new, first.origin, ("added", "extracted"), first.confidence)
        added = self._lists["added"]
        added[-1] = replace(added[-1], also_from=tuple(symbol_id(*one.origin.key) for one in others))

    def _add_match(self, one: DefinitionMatch, callers: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]) -> None:
        old, new = one.old, one.new
        changes = list(changes_between(old, new))
        if old.kind in CLASSES and "body" not in changes and self._members(old) != self._members(new):
            changes.append("members")
        if self._is_moved(old, new):
            changes.append("moved")
        elif old.path != new.path or without_numbers(old.container) != without_numbers(new.container):
            changes.append("path")
        if not changes:
            return
        for name in ("renamed", "moved"):
            if name in changes:
                self._add(name, new, old, in_order(changes), one.confidence, callers)
        if not {"renamed", "moved"} & set(changes):
            self._add(
                "modified", new, old if old.key != new.key else None, in_order(changes), one.confidence, callers, old
            )

    def _members(self, one: SymbolVersion) -> set[str]:
        files = (
            self._old_files
            if self._old_files.get(one.path) and one in self._old_files[one.path].definitions
            else self._new_files
        )
        return {member.name for member in files[one.path].children.get(one.scope, ())}

    def _is_moved(self, old: SymbolVersion, new: SymbolVersion) -> bool:
        """Whether it is elsewhere; a symbol that moved with its container does not count, unless it is a type of a
        moved file. One that keeps its id has not moved, whatever became of the rest of its file."""
        if old.path == new.path and without_numbers(old.container) == without_numbers(new.container):
            return False
        outer = self._forward.get((old.path, old.container)) if old.container else None
        if outer:
            place = outer.new.path, without_numbers(outer.new.scope)
        else:
            place = self._file_now.get(old.path, old.path), without_numbers(old.container)
        if place != (new.path, without_numbers(new.container)):
            return True
        if old.path == new.path or new.container or new.kind not in CLASSES:
            return False
        same_folder = dirname(old.path) == dirname(new.path)
        return not (same_folder and _stem(old.path) == old.name and _stem(new.path) == new.name)

    def _add(
        self,
        name: str,
        one: SymbolVersion,
        origin: SymbolVersion | None,
        changes: tuple[str, ...],
        confidence: float,
        callers: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] | None = None,
        before: SymbolVersion | None = None,
    ) -> None:
        was = before or (origin if name != "added" else None)
        gained, lost = (callers or {}).get(one.name, ((), ()))
        is_own = symbol_id(*one.key)
        self._lists[name].append(
            SymbolDelta(
                id=is_own,
                kind=one.kind,
                path=one.path,
                origin=symbol_id(*origin.key) if origin else "",
                changes=in_order(changes),
                confidence=float(confidence),
                breaking=self._why_breaking(name, one, was, changes),
                first_line=one.symbol.span.first,
                last_line=one.symbol.span.last,
                signature=one.symbol.signature,
                old_signature=was.symbol.signature if was and was.symbol.signature != one.symbol.signature else "",
                calls_added=tuple(sorted(one.calls - was.calls)[:MOST_CALLS]) if was else (),
                calls_removed=tuple(sorted(was.calls - one.calls)[:MOST_CALLS]) if was else (),
                callers_added=gained[:MOST_CALLS] if one.kind not in NAMELESS else (),
                callers_removed=lost[:MOST_CALLS] if one.kind not in NAMELESS else (),
            )
        )

    def _callers(self) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        """By name: the ids of changed code that calls it now and did not before, and the other way round."""
        gained: dict[str, set[str]] = {}
        lost: dict[str, set[str]] = {}
        for one in self._found.matches:
            if one.old.is_same(one.new):  # then it calls the same, and need not be read any closer
                continue
            for called in one.new.calls - one.old.calls:
                gained.setdefault(called, set()).add(symbol_id(*one.new.key))
            for called in one.old.calls - one.new.calls:
                lost.setdefault(called, set()).add(symbol_id(*one.new.key))
        return {
            name: (tuple(sorted(gained.get(name, ()))), tuple(sorted(lost.get(name, ())))) for name in gained | lost
        }

    def _why_breaking(self, name: str, one: SymbolVersion, was: SymbolVersion | None, changes: Sequence[str]) -> str:
        """Why code elsewhere that uses it may fail; empty if none should."""
        shown = was or one
        files = self._old_files if name != "added" else self._new_files
        if name == "added" or not _is_exported(shown, files.get(shown.path)) or is_test_path(shown.path):
            return ""
        if name == "removed":
            return "removed"
        if "renamed" in changes or "moved" in changes:
            return f"{' and '.join(c for c in changes if c in ('renamed', 'moved'))}"
        if was and "signature" in changes and one.kind not in NAMELESS:
            return breaking_signature(was.symbol.signature, one.symbol.signature)
        return ""


def breaking_signature(old: str, new: str) -> str:
    """Why callers of the old signature may fail with the new one; empty if none should."""
    before, after = _parameters(old), _parameters(new)
    if before is None or after is None:
        return "signature changed"
    kept = after[: len(before)]
    if kept != before:
        gone = [one for one in before if _name_of(one) not in {_name_of(other) for other in after}]
        return f"parameter {_name_of(gone[0])} removed or renamed" if gone else "parameters changed"
    needed = [one for one in after[len(before) :] if not _is_optional(one)]
    return f"parameter {_name_of(needed[0])} added" if needed else ""


def _parameters(signature: str) -> list[str] | None:
    """The parameters of a signature as written; None if it has no brackets."""
    start = signature.find("(")
    if start < 0:
        return None
    found, depth, begun = [], 0, start + 1
    for place in range(start, len(signature)):
        sign = signature[place]
        if sign in _OPENING:
            depth += 1
        elif sign in _CLOSING and signature[place - 1] not in "-=":
            depth -= 1
        if (sign == "," and depth == 1) or (sign == ")" and depth == 0):
            found.append(" ".join(signature[begun:place].split()))
            begun = place + 1
        if depth == 0:
            break
    return [one for one in found if one]


def _is_optional(parameter: str) -> bool:
    return "=" in parameter or parameter.startswith(("*", "...")) or "?" in parameter or "..." in parameter


def _name_of(parameter: str) -> str:
    return parameter.partition("=")[0].partition(":")[0].strip().rpartition(" ")[2]


def _is_exported(one: SymbolVersion, file: FileDefinitions | None) -> bool:
    scopes = file.by_scope if file else {}
    scope = one.scope
    while scope:
        around = scopes.get(scope)
        if around is not None and not around.symbol.exported:
            return False
        scope = scope.rpartition(SCOPE)[0]
    return one.kind not in NAMELESS


def _stem(path: str) -> str:
    return splitext(basename(path))[0]


def _rank(one: SymbolDelta) -> tuple[bool, bool, int, str, str]:
    kinds = [str(kind) for kind in _KINDS]
    is_small = set(one.changes) <= {"comments", "formatting", "path"}
    return not one.breaking, is_small, kinds.index(one.kind) if one.kind in kinds else len(kinds), one.id, one.origin
