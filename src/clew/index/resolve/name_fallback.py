"""Fallback for calls without a resolved value: candidates by name alone, or the reason for none. For all languages
but Python."""

import re
from collections.abc import Mapping

from clew.index.facts import (
    Attr,
    Call,
    CallFact,
    ImportedName,
    ScopedName,
    Subscript,
    TypeArgumentCall,
    UnboundName,
    Value,
    Values,
)
from clew.index.import_edges import outside
from clew.index.resolve import value_kinds
from clew.index.resolve.candidate_selection import select_values
from clew.index.resolve.evaluator import Evaluator
from clew.index.resolve.global_summary import namesake
from clew.index.resolve.program import Program
from clew.index.resolve.resolved_call import CERTAIN, GUESSED, Targets, UnresolvedReason
from clew.languages.member_names import spelled_name
from clew.model.code import split_id, symbol_id

Methods = Mapping[str, tuple[str, ...]]

_MEMBER = re.compile(r"(?:^|[\w)\]}\"'…]\s*)(?:\.|->|\?\.|&\.|!\.)([\w$]+)$")
# Methods that containers, texts, streams and promises have everywhere: by such a name, nothing is known of a receiver.
EVERYWHERE = frozenset(
    """
    add addAll addEventListener all any anyMatch append appendChild apply as_bytes as_mut as_ref as_str at await bind
    borrow build call catch chars charAt clear clone close cloned collect compare compareTo concat contains containsKey
    copied copy count create default delete deref description dispatchEvent done drain each emit empty end endsWith
    ends_with entries entry enumerate equals error every exec execute exists expect extend fetch filter filter_map
    finally find findFirst first flat_map flatMap flush fmt fold forEach for_each format from get getClass getName
    getOrDefault getValue has hasNext hash hashCode id indexOf info init insert into into_iter invoke is isEmpty
    isPresent is_empty is_none is_some items iter iter_mut iterator join key keys last lastIndexOf len length limit
    lines list load lock log main map map_err match matches max message min name new next nth of ok on once open
    or_else orElse or_insert parse path peek pop position post poll print printf println push push_str put putAll
    querySelector read reduce release remove removeAll removeEventListener replace request reset resolve reverse run
    save search select send set shift size skip slice some sort sorted splice split start startsWith starts_with status
    stop stream string sub subscribe substring sum swap take tap test text then to_owned to_string to_vec toArray
    toList toLowerCase toString toUpperCase trim type unwrap unwrap_or update use value valueOf values visit wait warn
    with write write_all write_str zip Add Any Close Contains Count Dispose Equals Error First Get Len Next Read Remove
    Reset Run Select Set String ToList ToString Unlock Lock Where Write
    """.split()
)


def resolve_by_name(
    calling: Evaluator, methods: Methods, path: str, call: CallFact
) -> tuple[Targets, UnresolvedReason]:
    tree = calling.tree
    values = select_values(tree, path, call.callee)
    value = values[-1] if values else None
    if isinstance(value, Attr):
        if found := _path_outside(tree, path, call, value):
            return found, UnresolvedReason.RECEIVER
        known = [thing for one in values if isinstance(one, Attr) for thing in calling.sets.value(path, one.of).things]
        is_known = any(thing.kind != value_kinds.SUPPLIED for thing in known)
        if is_known and _is_there(calling, path, values):
            return (), UnresolvedReason.DYNAMIC  # something is there, but nothing that is known to be called
        if is_known and not tree.rules(path).untyped:
            return (), UnresolvedReason.MEMBER
        others = int(_is_given_outside(tree, path, value.of))
        return _namesakes(tree, methods, path, call, spelled_name(value.name), others), (
            UnresolvedReason.MEMBER if is_known else UnresolvedReason.RECEIVER
        )
    if isinstance(value, UnboundName):
        if call.written.startswith("$") and not value.name.startswith("$"):  # a variable
            return (), UnresolvedReason.DYNAMIC
        return _bare_name(tree, methods, path, call, value.name), UnresolvedReason.NAME
    if value is None and (member := _MEMBER.search(call.written)):
        return _namesakes(tree, methods, path, call, member[1]), UnresolvedReason.RECEIVER
    return (), _unresolved_reason(tree, path, value)


def _is_there(calling: Evaluator, path: str, values: Values) -> bool:
    """Whether the receiver of a call has a member of the name, according to the files.

    In languages with a separate member lookup, missing values flow only on request.
    """
    if not calling.tree.rules(path).methods_apart:
        return any(calling.sets.value(path, one).things for one in values)
    homes = [
        (thing if thing.kind == value_kinds.CLASS else calling.tree.home(thing.path, thing.scope), one.name)
        for one in values
        if isinstance(one, Attr) and isinstance(one.name, str)
        for thing in calling.sets.value(path, one.of).things
        if thing.kind in (value_kinds.OBJECT, value_kinds.PARENT, value_kinds.CLASS)
    ]
    return any(home.kind == value_kinds.CLASS and calling.tree.members(home, name) for home, name in homes)


def _is_given_outside(tree: Program, path: str, value: Value) -> bool:
    """`response()->json()`: where an unknown function is likely outside, so is its result."""
    if not tree.rules(path).doubts_unknown_results:
        return False
    while isinstance(value, Attr | Subscript | TypeArgumentCall) or (
        isinstance(value, Call) and not isinstance(value.by, UnboundName)
    ):
        value = value.by if isinstance(value, Call) else value.of
    return isinstance(value, Call) and not tree.static(path, value.by)


def _namesakes(tree: Program, methods: Methods, path: str, call: CallFact, name: str, outside: int = 0) -> Targets:
    """An external method may as well be called, if the language's own types have such a name.

    A method that calls its own name on an unknown receiver delegates: it does not call itself.
    """
    library = tree.rules(path).library
    if name in EVERYWHERE or name in library.common_members:
        return ()
    others = outside + library.has_method(name)
    own = symbol_id(path, call.scope)
    known = [one for one in methods.get(namesake(tree.family(path), name), ()) if one != own]
    return _share_confidence(tuple(one for one in known if _may_mean(tree, path, one)), others)


def _path_outside(tree: Program, path: str, call: CallFact, value: Value) -> Targets:
    """`log::warn!` starts from a crate or a namespace; where no file has it, that is outside."""
    start = value
    while isinstance(start, Attr | Call | Subscript | TypeArgumentCall):
        start = start.by if isinstance(start, Call) else start.of
    is_path = isinstance(start, UnboundName) and call.written.startswith(f"{start.name}::") and "(" not in call.written
    if not is_path or not tree.rules(path).colon_paths:
        return ()
    return ((outside(call.written), CERTAIN),)


def _unresolved_reason(tree: Program, path: str, value: Value | None) -> UnresolvedReason:
    if isinstance(value, ScopedName) and not tree.scope_bindings(path, value.scope).get(value.name):
        return UnresolvedReason.NAME
    if isinstance(value, ImportedName):
        return UnresolvedReason.MEMBER  # of a module that is known
    return (
        UnresolvedReason.RECEIVER
        if isinstance(value, Subscript) and not isinstance(value.of, ScopedName)
        else UnresolvedReason.DYNAMIC
    )


def _bare_name(tree: Program, methods: Methods, path: str, call: CallFact, name: str) -> Targets:
    """A name that no file of the tree gives to this one: one that the tree has elsewhere is not known to be outside."""
    family, rules = tree.family(path), tree.rules(path)
    namesakes = tree.elsewhere.common.get(f"{family} {name}()")
    if namesakes is not None:
        namesakes = rules.namesakes(tree, path, name, namesakes)
    if namesakes:
        return _share_confidence(namesakes, others=int(rules.doubts_bare_calls))
    if rules.builtin_calls:  # all that these files could bind was seen
        return ((outside(f"builtins.{name}"), CERTAIN),) if namesakes is None else ()
    if not rules.needs_receivers and (called := namesake(family, name)) in methods:
        return _namesakes(tree, methods, path, call, name) if methods[called] else ()
    files = [path, *tree.included_files(path)] if rules.includes_files else [path]
    unknown = {star for file in files for star in tree.elsewhere.unknown(file)}
    if not unknown or rules.no_bare_outside:
        return ()
    if rules.reopens_namespaces and (inner := tree.elsewhere.common.get(f"{family} *{name}()")) is not None:
        return _share_confidence(inner, others=1)
    return ((outside(f"{min(unknown)}.{name}" if len(unknown) == 1 else name), CERTAIN),)


def _may_mean(tree: Program, path: str, id: str) -> bool:
    file, scope = split_id(id)
    return tree.rules(file).may_be_meant(tree, path, file, scope)


def _share_confidence(ids: tuple[str, ...], others: int = 0) -> Targets:
    return tuple((one, GUESSED / (len(ids) + others)) for one in ids)
