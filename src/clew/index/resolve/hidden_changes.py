"""Changes of what files show that no other file can notice, so that nothing else needs to be linked again.

Two kinds are recognised, in Python only. In a *sealed* file, which no other file looks into, nearly everything may
change. In any file, definitions may come, go or change if no other file refers to anything by their names. Whatever is
not certain counts as noticed.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec import structs

from clew.index.facts import (
    QUOTE,
    Attr,
    Call,
    Def,
    Facts,
    ImportedName,
    NarrowedValue,
    ScopedName,
    Subscript,
    TypeArgumentCall,
    UnboundName,
    Value,
    WrappedType,
)
from clew.index.resolve import global_summary, value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.global_summary import MOST_HEIRS, GlobalSummary
from clew.index.resolve.interface import Entry, face, visible_entries
from clew.index.resolve.members import is_property
from clew.index.resolve.program import Program
from clew.index.resolve.source_index import CLASSES
from clew.languages.member_names import spelled_name
from clew.model.code import SCOPE, without_numbers
from clew.model.words import Kind

_WORD = re.compile(r"\w+")
_ALIAS = re.compile(r"\bname\s*=")  # of a fixture
_KEYED = frozenset({"kind", "params", "decorators", "takes", "signatures", "returns", "name"})
_PLAIN = frozenset({Kind.FUNCTION.value, Kind.METHOD.value, Kind.VARIABLE.value})


class FactsChange(NamedTuple):
    """The facts of a file before and after. `is_sealed`: no other file looks into it."""

    path: str
    old: Facts
    new: Facts
    is_sealed: bool


class _Names(NamedTuple):
    """The names whose meaning changed: those that nobody may refer to; those that may only be counted elsewhere."""

    unmentioned: set[str]
    counted: set[str]


Holding = Callable[[Collection[str]], Mapping[str, Facts] | None]  # the files with any of some names; None: too many


def summary_after(
    changes: list[FactsChange], settled: GlobalSummary, before: Program, after: Program, holding: Holding
) -> tuple[GlobalSummary, Mapping[str, tuple[str, ...]]] | None:
    """The summary after a change that nobody notices, and by changed name the files with it; None if it may be noticed.

    That the constraints have no effect is to be found out as well.
    """
    names, here = _Names(set(), set()), frozenset(change.path for change in changes)
    heirs, many = dict(settled.heirs), dict(settled.many_heirs)
    for change in changes:
        found: _Names | None = _Names(set(), set())
        if not after.rules(change.path).may_be_sealed:
            if face(change.old) != face(change.new):
                return None
        elif change.is_sealed and _keeps_heirs(change, before, after, heirs, many):
            found = _names_of_sealed(change, settled)
        else:
            found = _changed_names(change, settled)
        if found is None:
            return None
        names.unmentioned.update(found.unmentioned)
        names.counted.update(found.counted)
    names.counted.update(*(_stored_names(one.old) ^ _stored_names(one.new) for one in changes))
    every = names.unmentioned | names.counted
    if not every:
        return structs.replace(settled, heirs=heirs, many_heirs=many), {}
    others = holding(every) if _is_readable(every) else None
    if others is None:
        return None
    others = {path: facts for path, facts in others.items() if path not in here}
    if any(not names.unmentioned.isdisjoint(referenced_names(facts)) for facts in others.values()):
        return None
    if any(_are_referenced_here(change, names.unmentioned, changes) for change in changes):
        return None
    stored = _stored_after(every, others, changes, settled)
    if stored is None:
        return None
    paths = sorted({*others, *here})
    declared = {scope.rpartition(SCOPE)[2] for path in paths for scope in after.facts(path).declared}
    if not declared.isdisjoint(every):
        return None
    families = {after.family(one) for one in here if after.rules(one).may_be_sealed}
    methods = global_summary.methods_by_name(after, [one for one in paths if after.rules(one).may_be_sealed], {})
    data = set(global_summary.data_members(after, paths))
    amended = structs.replace(
        settled,
        heirs=heirs,
        many_heirs=many,
        stored=stored,
        methods=_replace_names(settled.methods, methods, {key for name in every for key in _keys(families, name)}),
        members=tuple(sorted({one for one in settled.members if one not in every} | (data & every))),
    )
    differing = {
        name
        for name in names.counted - names.unmentioned
        if any(settled.methods.get(key) != amended.methods.get(key) for key in _keys(families, name))
        or (name in settled.members) != (name in data)
    }
    mentioned = names.counted - names.unmentioned
    for facts in others.values():
        prose = {word for one in facts.mentions for word in _WORD.findall(one.name)} | set(facts.quoted)
        if not mentioned.isdisjoint(prose) or (differing and not differing.isdisjoint(referenced_names(facts))):
            return None
    return amended, dict.fromkeys(every, tuple(paths))


def _keys(families: Iterable[str], name: str) -> list[str]:
    """The keys of the methods of a name among those of the whole tree."""
    return [global_summary.namesake(family, name) for family in families]


def _replace_names(
    known: Mapping[str, tuple[str, ...]], found: Mapping[str, tuple[str, ...]], names: Collection[str]
) -> dict[str, tuple[str, ...]]:
    return {name: ids for name, ids in known.items() if name not in names} | {
        name: found[name] for name in names if name in found
    }


def _is_readable(names: Collection[str]) -> bool:
    """Whether each is a name that can be found in packed facts as it is."""
    return all(name.isascii() and name.isidentifier() for name in names)


def _stored_names(facts: Facts) -> set[str]:
    return {one.name for one in facts.stores if not one.item}


def _stored_after(
    names: Collection[str], others: Mapping[str, Facts], changes: list[FactsChange], settled: GlobalSummary
) -> tuple[str, ...] | None:
    """The names of stored members; None if one of them came or went, which any file may notice."""
    changed = set[str]().union(*(_stored_names(one.old) ^ _stored_names(one.new) for one in changes))
    there = set[str]().union(*map(_stored_names, others.values()), *(_stored_names(one.new) for one in changes))
    known = set(settled.stored)
    return settled.stored if all((name in there) == (name in known) for name in changed) else None


# Any file: definitions that nobody refers to by name.


def _changed_names(change: FactsChange, settled: GlobalSummary) -> _Names | None:
    old, new = visible_entries(change.old), visible_entries(change.new)
    names: set[str] = set()
    for entry in old.keys() | new.keys():
        if old.get(entry) == new.get(entry):
            continue
        name = _name_of(entry)
        if entry[0] not in _KEYED or not name or (name.startswith("__") and name.endswith("__")):
            return None
        if not _is_plain(change, entry) or (entry in old and entry in new and _escapes(change, entry[1], settled)):
            return None
        names.add(name)
    return _Names(names, names)


def _name_of(entry: Entry) -> str:
    """The name by which others would refer to a part; empty if they might by another."""
    sort, scope, name = entry
    name = name.lstrip(".").partition("@")[0] if sort == "name" else without_numbers(scope).rpartition(SCOPE)[2]
    return name if name.isidentifier() else ""


def _is_plain(change: FactsChange, entry: Entry) -> bool:
    """Whether a part is of a function, method or variable, and a decorator gives it no other name."""
    sort, scope, name = entry
    if sort == "name":
        inner = f"{scope}{SCOPE}{name}" if scope else name
        scope = inner if inner in change.old.kinds or inner in change.new.kinds else ""
    for facts in (change.old, change.new):
        if scope and facts.kinds.get(scope, Kind.VARIABLE.value) not in _PLAIN:
            return False
        if scope and any(_ALIAS.search(mark) for mark in facts.decorators.get(scope, ())):
            return False
    return True


def _escapes(change: FactsChange, scope: str, settled: GlobalSummary) -> bool:
    """Whether a function that was there before may be held by others without its name."""
    if scope not in change.old.kinds or scope not in change.new.kinds:
        return False
    if change.old.decorators.get(scope) or change.new.decorators.get(scope):
        return True
    return change.path in settled.escaped


def _are_referenced_here(change: FactsChange, names: Collection[str], changes: list[FactsChange]) -> bool:
    """Whether parts of the changed files that stay the same may mean other things by the changed names."""
    was = {name for one in changes for name in _defined_names(one.old)} & set(names)
    is_there = {name for one in changes for name in _defined_names(one.new)} & set(names)
    before, after = referenced_names(change.old), referenced_names(change.new)
    if not (set(names) - was).isdisjoint(before) or not (set(names) - is_there).isdisjoint(after):
        return True
    both = was & is_there
    return not both.isdisjoint(before) or not both.isdisjoint(after)


def _defined_names(facts: Facts) -> Iterator[str]:
    for scope in facts.kinds:
        yield without_numbers(scope).rpartition(SCOPE)[2]
    for bound in facts.names.values():
        yield from (name.lstrip(".").partition("@")[0] for name in bound)


# Sealed files: nobody looks into them.


def _names_of_sealed(change: FactsChange, settled: GlobalSummary) -> _Names | None:
    old, new = change.old, change.new
    if (old.package, old.settings, sorted(old.declared)) != (new.package, new.settings, sorted(new.declared)):
        return None
    if not {f"{QUOTE}{name}" for name in new.quoted if name not in old.quoted} <= settled.common.keys():
        return None
    changed = set(_counted_definitions(old)) ^ set(_counted_definitions(new))
    names = {without_numbers(scope).rpartition(SCOPE)[2].lstrip("#") for scope, _, _ in changed}
    return _Names(set(), names) if all(name.isidentifier() for name in names) else None


def _counted_definitions(facts: Facts) -> Iterator[tuple[str, str, bool]]:
    """All that the summary of the whole tree says of definitions by their names."""
    for scope, kind in facts.kinds.items():
        yield scope, kind, is_property(facts.decorators.get(scope, ()))


def _keeps_heirs(
    change: FactsChange,
    before: Program,
    after: Program,
    heirs: dict[str, tuple[str, ...]],
    many: dict[str, int],
) -> bool:
    """Whether base classes in other files have too many subclasses to be listed, before and after; counts them."""
    own = f"{change.path}{SCOPE}"
    counts = dict(many)
    inside: dict[str, set[str]] = {}
    for tree, facts, step in ((before, change.old, -1), (after, change.new, 1)):
        for scope, kind in facts.kinds.items():
            for upper in _upper_classes(tree, change.path, scope) if kind in CLASSES else ():
                if upper.path != change.path and upper.id not in counts:
                    return False
                if upper.path != change.path:
                    counts[upper.id] += step
                elif step > 0:
                    inside.setdefault(upper.id, set()).add(f"{own}{scope}")
    if any(count <= MOST_HEIRS for count in counts.values()) or any(len(ids) > MOST_HEIRS for ids in inside.values()):
        return False
    if any(one.startswith(own) for one in many):
        return False
    many.update(counts)
    for one in [one for one in heirs if one.startswith(own)]:
        del heirs[one]
    heirs.update({one: tuple(sorted(ids)) for one, ids in inside.items()})
    return True


def _upper_classes(tree: Program, path: str, scope: str) -> list[AbstractValue]:
    return [one for one in tree.order(tree.home(path, scope))[1:] if one.kind == value_kinds.CLASS]


# The names that a file refers to.


def referenced_names(facts: Facts) -> set[str]:
    """All names that a file may look up anywhere but among its own local ones; definitions are none."""
    found: set[str] = set()
    values: list[Value] = []
    for scope, bound in facts.names.items():
        if scope not in facts.kinds:
            found.update(_WORD.findall(scope))  # a class that is written elsewhere
        for name, some in bound.items():
            values += (one for one in some if not (isinstance(one, Def) and one.scope.rpartition(SCOPE)[2] == name))
    for table in (facts.returns, facts.bases, facts.implements):
        values += (one for some in table.values() for one in some)
    for call in facts.calls:
        values += call.callee
        for some in (*call.args, *call.keywords.values()):
            values += some
        found.update(call.keywords, _WORD.findall(call.written))
        values += (one for one in call.types if not isinstance(one, str))
    for store in facts.stores:
        values += (*store.of, *store.values)
        found.add(store.name)
    for refs in facts.refers.values():
        for ref in refs:
            values += ref.of
            found.update(_WORD.findall(ref.name))
    for types in facts.takes.values():
        values += (one for one in types if not isinstance(one, str))
    texts: list[str] = [*facts.stars, *facts.exports, *facts.offers, *facts.quoted, *facts.settings.values()]
    texts += (text for one in facts.imports for text in (one.module, *one.names, *one.aliases))
    texts += (name for used in facts.uses.values() for name in used)
    texts += (mark for marks in facts.decorators.values() for mark in marks)
    texts += (name for names in facts.params.values() for name in names)
    texts += (one.name for one in facts.mentions)
    texts += (scope.rpartition(SCOPE)[2] for scope in facts.declared)
    for text in texts:
        found.update(_WORD.findall(text))
    _add_names(values, found)
    return found


def _add_names(values: list[Value], found: set[str]) -> None:
    while values:
        value = values.pop()
        if isinstance(value, Attr):
            found.add(spelled_name(value.name))
            values.append(value.of)
        elif isinstance(value, ScopedName):
            found.add(value.name.partition("@")[0])
        elif isinstance(value, UnboundName):
            found.update(_WORD.findall(value.name))
        elif isinstance(value, ImportedName):
            found.update(_WORD.findall(value.module))
            found.add(value.name)
        elif isinstance(value, Def):
            found.add(without_numbers(value.scope).rpartition(SCOPE)[2])
        elif isinstance(value, Call):
            values.append(value.by)
        elif isinstance(value, Subscript):
            found.update(_WORD.findall(value.key))
            values.append(value.of)
        elif isinstance(value, WrappedType):
            values += (value.of, value.given)
        elif isinstance(value, NarrowedValue):
            values += (value.of, *value.to)
        elif isinstance(value, TypeArgumentCall):
            values += (value.of, value.kind)
