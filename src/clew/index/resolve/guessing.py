"""A call that no value leads anywhere: what its name alone may mean, or why it leads nowhere. For all but Python."""

import re
from collections.abc import Mapping

from clew.index.facts import Asked, Attr, Called, Free, Item, Made, Name, Ref, Value, Values
from clew.index.link import outside
from clew.index.resolve import sorts
from clew.index.resolve.answers import CERTAIN, GUESSED, Reason, Targets
from clew.index.resolve.calling import Calling
from clew.index.resolve.choosing import chosen, may_mean
from clew.index.resolve.families import APART, UNTYPED
from clew.index.resolve.settled import namesake
from clew.index.resolve.standard import is_standard
from clew.index.resolve.tree import Tree
from clew.model.code import split_id, symbol_id

Methods = Mapping[str, tuple[str, ...]]

LIKELY = 0.75
_OF_RUBY = (outside("Kernel."), outside("Object."), outside("builtins."))
_MEMBER = re.compile(r"(?:^|[\w)\]}\"'…]\s*)(?:\.|->|\?\.|&\.|!\.)([\w$]+)$")
# Methods that containers, texts, streams and promises have everywhere: by such a name, nothing is known of a receiver.
_EVERYWHERE = frozenset(
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
# The same of the containers, texts, pointers and atoms of C++.
_IN_CPP = frozenset(
    """
    assign back begin c_str capacity cbegin cend data emplace emplace_back emplace_front erase exchange fetch_add
    fetch_sub fill front notify_all notify_one pop_back pop_front push_back push_front rbegin rend reserve resize store
    str substr unlock use_count what
    """.split()
)


def guess(calling: Calling, methods: Methods, path: str, call: Called) -> tuple[Targets, Reason]:
    tree = calling.tree
    values = chosen(tree, path, call.callee)
    value = values[-1] if values else None
    if isinstance(value, Attr):
        if found := _path_outside(tree, path, call, value):
            return found, Reason.RECEIVER
        known = [thing for one in values if isinstance(one, Attr) for thing in calling.value(path, one.of).things]
        is_known = any(thing.sort != sorts.SUPPLIED for thing in known)
        if is_known and _is_there(calling, path, values):
            return (), Reason.DYNAMIC  # something is there, but nothing that is known to be called
        if is_known and tree.language(path) not in UNTYPED:
            return (), Reason.MEMBER
        others = int(_is_given_outside(tree, path, value.of))
        return _namesakes(tree, methods, path, call, value.name, others), (
            Reason.MEMBER if is_known else Reason.RECEIVER
        )
    if isinstance(value, Free):
        if call.written.startswith("$") and not value.name.startswith("$"):  # a variable
            return (), Reason.DYNAMIC
        return _bare(tree, methods, path, call, value.name), Reason.NAME
    if value is None and (member := _MEMBER.search(call.written)):
        return _namesakes(tree, methods, path, call, member[1]), Reason.RECEIVER
    return (), _why(tree, path, value)


def as_outside(calling: Calling, methods: Methods, path: str, call: Called, targets: Targets) -> Targets:
    """What is told to be called outside, as far as that is sure; nothing, if something of the tree has the name.

    A class of Ruby has a base outside, or something outside gave what it is called on: nobody knows what is mixed in,
    or defined while it runs. A constant is what it is, and so is what the language makes.
    """
    tree = calling.tree
    if tree.language(path) != "ruby":
        return targets
    values = [one for one in chosen(tree, path, call.callee) if isinstance(one, Attr)]
    things = [thing for one in values for thing in calling.value(path, one.of).things]
    if all(thing.sort == sorts.OUTSIDE and not thing.view and _is_constant(thing.path) for thing in things):
        return targets
    names = {one.name for one in values} - _EVERYWHERE
    if any(f"ruby {name}" in methods and not is_standard("ruby", name) for name in names):
        return ()
    sure = CERTAIN if all(one.startswith(_OF_RUBY) for one, _ in targets) else LIKELY
    return tuple((one, share * sure) for one, share in targets)


def _is_constant(path: str) -> bool:
    return path.rpartition(".")[2][:1].isupper()


def _is_there(calling: Calling, path: str, values: Values) -> bool:
    """Whether what a call is told to be of has something by that name, by what the files say.

    Where what is called is looked for apart, what is not has flowed only if somebody else asked for it: nobody may.
    """
    if calling.tree.family(path) not in APART:
        return any(calling.value(path, one).things for one in values)
    homes = [
        (thing if thing.sort == sorts.CLASS else calling.tree.home(thing.path, thing.scope), one.name)
        for one in values
        if isinstance(one, Attr)
        for thing in calling.value(path, one.of).things
        if thing.sort in (sorts.OBJECT, sorts.PARENT, sorts.CLASS)
    ]
    return any(home.sort == sorts.CLASS and calling.tree.members(home, name) for home, name in homes)


def _is_given_outside(tree: Tree, path: str, value: Value) -> bool:
    """`response()->json()` of PHP: what a function gives that no file has is not likely to be the tree's."""
    while isinstance(value, Attr | Item | Asked) or (isinstance(value, Made) and not isinstance(value.by, Free)):
        value = value.by if isinstance(value, Made) else value.of
    return isinstance(value, Made) and tree.language(path) == "php" and not tree.static(path, value.by)


def _namesakes(tree: Tree, methods: Methods, path: str, call: Called, name: str, outside: int = 0) -> Targets:
    """What is outside may as well be meant, where the language's own types have such a method.

    A method that calls one of its name on something unknown hands the call on: it does not call itself.
    """
    if name in _EVERYWHERE or (tree.language(path) == "cpp" and name in _IN_CPP):
        return ()
    others = outside + is_standard(tree.family(path), name)
    own = symbol_id(path, call.scope)
    known = [one for one in methods.get(namesake(tree.family(path), name), ()) if one != own]
    return _shared(tuple(one for one in known if may_mean(tree, path, *split_id(one))), others)


def _path_outside(tree: Tree, path: str, call: Called, value: Value) -> Targets:
    """`log::warn!` starts from a crate or a namespace; where no file has it, that is outside."""
    start = value
    while isinstance(start, Attr | Made | Item | Asked):
        start = start.by if isinstance(start, Made) else start.of
    is_path = isinstance(start, Free) and call.written.startswith(f"{start.name}::") and "(" not in call.written
    if not is_path or tree.family(path) not in ("rust", "c"):
        return ()
    return ((outside(call.written), CERTAIN),)


def _why(tree: Tree, path: str, value: Value | None) -> Reason:
    if isinstance(value, Name) and not tree.bound(path, value.scope).get(value.name):
        return Reason.NAME
    if isinstance(value, Ref):
        return Reason.MEMBER  # of a module that is known
    return Reason.RECEIVER if isinstance(value, Item) and not isinstance(value.of, Name) else Reason.DYNAMIC


def _bare(tree: Tree, methods: Methods, path: str, call: Called, name: str) -> Targets:
    """A name that no file of the tree gives to this one: one that the tree has elsewhere is not known to be outside."""
    family = tree.family(path)
    namesakes = tree.elsewhere.common.get(f"{family} {name}()")
    if family == "bash" and namesakes is not None:
        namesakes = _in_shell(tree, path, name, namesakes)
    if namesakes:
        return _shared(namesakes, others=int(family == "csharp"))  # where what is outside may as well be meant
    if family in ("php", "bash", "ecma"):  # all that these files could bind was seen
        return ((outside(f"builtins.{name}"), CERTAIN),) if namesakes is None else ()
    if (called := namesake(family, name)) in methods and family != "rust":  # where methods have a receiver
        return _namesakes(tree, methods, path, call, name) if methods[called] else ()
    files = [path, *tree.taken(path)] if family == "c" else [path]
    unknown = {star for file in files for star in tree.elsewhere.unknown(file)}
    if not unknown or family in ("go", "jvm"):
        return ()
    if family == "c" and (inner := tree.elsewhere.common.get(f"c *{name}()")) is not None:
        return _shared(inner, others=1)
    return ((outside(f"{min(unknown)}.{name}" if len(unknown) == 1 else name), CERTAIN),)


def _in_shell(tree: Tree, path: str, name: str, ids: tuple[str, ...]) -> tuple[str, ...] | None:
    """What a script may call of others, which need not be sourced here; None of a command that is there anyway.

    What only tests define stays unknown.
    """
    if is_standard("bash", name):
        return None
    return tuple(one for one in ids if tree.is_test(path) or not tree.is_test(split_id(one)[0]))


def _shared(ids: tuple[str, ...], others: int = 0) -> Targets:
    return tuple((one, GUESSED / (len(ids) + others)) for one in ids)
