"""Resolves the names that callers give to elements, for every tool that takes one."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice

from clew.engine import Engine
from clew.graph.elements import Element, Elements, outside
from clew.graph.naming import INSIDE, LINE, MOST_NEAR, Naming, first_meant, nearest, normalize_id, plain, unquote
from clew.graph.parts import LogicalSymbol, Things
from clew.graph.possible_callers import inherited_members
from clew.model.code import EXTERNAL, SCOPE, split_id, symbol_id, without_numbers
from clew.model.errors import Denied, InvalidInput, NotFound
from clew.model.search import Query
from clew.model.time import FOREVER, NOW, AsOf, from_iso, to_iso
from clew.model.words import CLASSES, NAMELESS, Kind
from clew.runtime.paths import from_root
from clew.text.paths import Among, lies_among
from clew.tools.unindexed_files import find_unindexed_files

# The error for a member that is not found in a class or file, with similarly named members.

_MOST_OWNERS = 20  # of one name, whose members are looked at
_MOST_NAMED = 3  # of the owners, and of what has the name elsewhere
_ENOUGH = 8  # members that are told where none is near
_OWNING = (*CLASSES, Kind.MODULE, Kind.FILE)


def missing_member(engine: Engine, naming: Naming, elements: Elements, text: str, then: str) -> NotFound | None:
    """None, if a text does not say what its last name is a member of, or nothing can be said of that."""
    owners, name = naming.of_owner(text)
    things = Things(engine.nodes, engine.links, elements).each(owners[:_MOST_OWNERS]) if name else []
    own = _owners(things, elements)
    roots = [root for one in own for root in one.roots]
    above = _above(engine, elements, roots)
    said = [
        *_find_creation(elements, roots, name),
        *_suggest_members(naming, elements, [*roots, *above], name),
        *_outside_member(one.removeprefix(EXTERNAL) for one in above if one.startswith(EXTERNAL)),
    ]
    if not said:
        return None
    more = f" and {len(own) - _MOST_NAMED} more" if len(own) > _MOST_NAMED else ""
    where = f"{', '.join(one.element.id for one in own[:_MOST_NAMED])}{more}"
    what = "nothing called" if all(one.element.kind is Kind.FILE for one in own) else "no member"
    return NotFound(f"{what} {name!r} is found in {where}{then}", " ".join(said))


def _owners(things: list[LogicalSymbol], elements: Elements) -> list[LogicalSymbol]:
    """Classes and files; else elements with members, such as objects of JavaScript."""
    found = [one for one in things if one.element.kind in _OWNING]
    others = [one for one in things if one.element.kind not in NAMELESS]
    return found or [one for one in others if any(True for root in one.roots for _ in _members(elements, root))]


def _find_creation(elements: Elements, roots: Iterable[str], name: str) -> Iterator[str]:
    """Where its name stands inside: in many languages, members are made by calls."""
    word = re.compile(rb"(?<!\w)%b(?!\w)" % re.escape(name.encode()))
    for root in roots:
        path, scope = split_id(root)
        page, symbol = elements.page(path), elements.symbol(root)
        if page is None or (scope and symbol is None):
            continue
        text = elements.text(page)
        start, end = (symbol.span.start, symbol.span.end) if symbol else (0, len(text))
        if found := word.search(text, start, end):
            line = text.count(b"\n", 0, found.start()) + 1
            yield f"Its name stands at {path}:{line}, where it may be made."
            return


def _suggest_members(naming: Naming, elements: Elements, roots: list[str], name: str) -> Iterator[str]:
    members = _by_name(elements, (one for root in roots for one in _members(elements, root)))
    near = [one for like in nearest(name, members) for one in members[like]][:MOST_NEAR]
    if suggested := list(dict.fromkeys((*near, *(_elsewhere(naming, elements, name) if roots else ())))):
        yield f"Did you mean {', '.join(suggested)}?"
    elif members:
        left = len(members) - _ENOUGH
        yield f"There is {', '.join(list(members)[:_ENOUGH])}{f' and {left} more' if left > 0 else ''}."


def _outside_member(names: Iterable[str]) -> Iterator[str]:
    if told := list(islice(names, _MOST_NAMED)):
        yield f"What it has of {', '.join(told)}, outside of the project, is not known."


def _above(engine: Engine, elements: Elements, ids: Iterable[str]) -> list[str]:
    if elements.at != NOW:
        return []
    from clew.graph.edges import Current  # numpy is heavy, and most tools do not need it
    from clew.graph.possible_callers import above

    look = Current(engine.corpus())
    return list(dict.fromkeys(one for root in ids if SCOPE in root for one in above(look, root)))


def _members(elements: Elements, root: str) -> Iterator[str]:
    """Members of a class or a file, in source order."""
    path, scope = split_id(root)
    page = elements.page(path)
    inside = f"{scope}{SCOPE}" if scope else ""
    return (symbol_id(path, one) for one in (page.symbols if page else ()) if one.startswith(inside))


def _by_name(elements: Elements, ids: Iterable[str]) -> dict[str, list[str]]:
    """Ids by their last name, variables last, without mere declarations."""
    named: dict[str, list[str]] = {}
    for one in sorted(dict.fromkeys(ids), key=lambda one: elements.describe(one).kind is Kind.VARIABLE):
        named.setdefault(one.rpartition(SCOPE)[2].partition("#")[0], []).append(one)
    return {name: elements.definitions(some) for name, some in named.items()}


def _elsewhere(naming: Naming, elements: Elements, name: str) -> Iterator[str]:
    """Members of other elements with this name, except headings."""
    found = (one for one in naming.find(name) if SCOPE in one and elements.describe(one).kind not in NAMELESS)
    return islice(found, _MOST_NAMED)


# Deleted symbols: where they were moved, or the last time at which they can still be shown.

MOST_FOLLOWED = 3  # of several that had a name; each is followed through the record


def describe_removed(engine: Engine, ids: Sequence[str]) -> str:
    """A sentence about things that are there no more: those that went elsewhere, else until when one was there."""
    lineage = engine.memory.code.lineage
    became = {one: now for one in ids[:MOST_FOLLOWED] if (now := lineage.now(one))}
    if became:
        return f"{'; '.join(f'{one} is now {now}' for one, now in became.items())}."
    seen = _time_of_existence(engine, ids[0])
    return f"{ids[0]} is gone{f'; code_explain with as_of={seen} shows it as it was' if seen else ''}."


def _time_of_existence(engine: Engine, id: str) -> str:
    """A time at which it was there, and known to be; empty if there is none."""
    path, scope = split_id(id)
    versions = engine.files.history(path)
    if scope:
        died = max((one.died for one in engine.nodes.versions(path, scope)), default=0)
        versions = [one for one in versions if one.version < died]
    times = [(max(one.valid_from, one.known_from), min(one.valid_to, one.known_to)) for one in versions]
    return next((to_iso(begins) for begins, ends in reversed(times) if begins < ends), "")


MOST_ANSWERS = 5  # to a question: the best is meant, the others are named
_NAME = re.compile(r"[\w$?!]*[^\W\d][\w$?!-]*")
_MOST_PATHS = 3
_MOST_READ = 50  # files with a name that is no symbol's
_ADVICE = "Find it with query_context, or name a line as file:line."


def viewpoint(engine: Engine, as_of: str) -> AsOf:
    """What was true and known at a time, or by a run; nothing is the present."""
    if not as_of:
        return NOW
    if engine.transactions.has(as_of):
        moment = engine.transactions.get(as_of).started_at
        return AsOf(moment, moment)
    try:
        moment = from_iso(as_of)
    except (ValueError, OverflowError):
        hint = "Write it as 2026-01-31 or 2026-01-31T12:00:00Z, or name a transaction's id."
        raise InvalidInput(f"as_of: {as_of!r} is no time", hint) from None
    if not 0 <= moment < FOREVER:
        raise InvalidInput(f"as_of: {as_of!r} is out of range", "Name a time between 1970 and 9999.")
    return AsOf(moment, moment)


def symbols_for_text(engine: Engine, elements: Elements, text: str) -> list[LogicalSymbol]:
    """What a text may mean: one if it is clear, several if it is not; raises with near ones if it is nothing.

    A name means all parts of what has it, an id or a line the part that it names.
    """
    engine.require_index()
    text = from_root(engine.place.root, plain(text))
    naming = Naming(engine.files, engine.nodes, elements)
    names = ids_for_text(naming, text)
    if not names and (external := _outside(engine, text)):
        return [LogicalSymbol(outside(external), (external,))]
    names = names or loosely(engine, naming, elements, text)
    things = Things(engine.nodes, engine.links, elements)
    if is_exact(elements, text):
        is_numbered = without_numbers(text) != text  # else one overload is meant, and no other
        found = [one for name in names if (one := things.one(name if is_numbered else elements.whole(name)))]
    else:
        defining = elements.definitions(list(dict.fromkeys(map(elements.whole, names))))
        found = things.each(things.select_side(text, defining), whole=not INSIDE.fullmatch(text))
    if not found:
        raise unknown(engine, naming, elements, text)
    return found


def split_by_meaning(
    elements: Elements, text: str, things: list[LogicalSymbol]
) -> tuple[list[LogicalSymbol], tuple[str, ...]]:
    """One thing if a name is clear, else those that it may be; and the ids of the others of that name."""
    first = frozenset(first_meant(elements, text, [one.element.id for one in things]))
    others = tuple(one.element.id for one in things if one.element.id not in first and one.element.kind not in NAMELESS)
    return [one for one in things if one.element.id in first], others


def one_meant(engine: Engine, elements: Elements, text: str) -> LogicalSymbol:
    """Likewise, for a tool that needs one; raises if several are equally likely."""
    things, _ = split_by_meaning(elements, text, symbols_for_text(engine, elements, text))
    if len(things) > 1:
        ids = ", ".join(one.element.id for one in things[:MOST_ANSWERS])
        more = f" and {len(things) - MOST_ANSWERS} more" if len(things) > MOST_ANSWERS else ""
        raise InvalidInput(f"{text!r} may be any of {len(things)} symbols", f"Name one by its id: {ids}{more}.")
    return things[0]


def ids_for_text(naming: Naming, text: str) -> list[str]:
    """The ids that a text may mean as it is written; raises if it is a folder that nothing is written for.

    What only ends like a folder's path is not meant by it: `packages/core` is no file `packages/core/types/core.ts`.
    """
    found, said = naming.find(text), unquote(text)
    if said.endswith("/") and (folder := in_folder(naming, said)):
        raise folder
    if "/" not in said.removeprefix("./") or naming.folder(said)[0] != f"{said.removeprefix('./')}/":
        return found
    standing = naming.stands_for(said, found)
    if not standing and (folder := in_folder(naming, said)):
        raise folder
    return standing


def is_exact(elements: Elements, text: str) -> bool:
    """Whether it is an id or a line, and so means what stands in one place."""
    return bool(elements.get(text) or without_numbers(text) != text or LINE.fullmatch(normalize_id(text)))


def loosely(engine: Engine, naming: Naming, elements: Elements, text: str) -> list[str]:
    """What a text means that as it is written names nothing; first, what a class has of one above it."""
    owners, name = naming.of_owner(text)
    return _inherited_members(engine, elements, owners, name) or naming.loosely(text)


def _inherited_members(engine: Engine, elements: Elements, owners: list[str], name: str) -> list[str]:
    if not owners or elements.at != NOW:
        return []
    from clew.graph.edges import Current  # numpy is heavy, and most tools do not need it

    return inherited_members(Current(engine.corpus()), elements, owners, name)


def ids_of(engine: Engine, names: Sequence[str]) -> tuple[str, ...]:
    """Names as ids, where they mean one thing alone; what is not known, or means several, is kept as it is written."""
    if not names or not engine.coverage().indexed:
        return tuple(names)
    engine.refresh()
    elements = Elements(engine.files)
    naming = Naming(engine.files, engine.nodes, elements)
    return tuple(dict.fromkeys(_id_of(engine, naming, elements, name) for name in names))


def spelt_here(engine: Engine, name: str) -> str:
    """A path or an id as it is spelled in this project; any other name without quotes."""
    return normalize_id(from_root(engine.place.root, unquote(name)))


def _id_of(engine: Engine, naming: Naming, elements: Elements, name: str) -> str:
    wanted = spelt_here(engine, name)
    if elements.get(wanted):
        return wanted
    place = LINE.fullmatch(wanted)
    path = place["path"] if place else split_id(wanted)[0]
    if "/" in path and not elements.page(path):  # a path or an id that is not there
        return wanted
    with suppress(NotFound):  # a line that its file does not have
        found = Things(engine.nodes, engine.links, elements).each(elements.definitions(naming.find(wanted)))
        if len(first := first_meant(elements, wanted, [one.element.id for one in found])) == 1:
            return first[0]
    return wanted if "/" in path else name


def elements_for_question(engine: Engine, elements: Elements, question: str) -> list[Element]:
    """The elements that answer a question, the best first; at a time when they were there."""
    hits = engine.search(Query(question, MOST_ANSWERS)).hits
    return [one for name in dict.fromkeys(hit.symbol for hit in hits) if (one := elements.get(name))]


def unknown(engine: Engine, naming: Naming, elements: Elements, text: str) -> NotFound:
    """That nothing is called so, and what is called almost so."""
    then = "" if elements.at == NOW else " at that time, as far as was known"
    advice = _became(engine, naming, elements, text)
    lacks = None if advice else in_folder(naming, text) or left_out(engine, text)
    lacks = lacks or (None if advice else missing_member(engine, naming, elements, text, then))
    found = lacks or (None if advice else _stands(engine, elements, text))
    found = found or NotFound(f"nothing here is called {text!r}{then}", advice or _near(naming, text))
    if elements.at != NOW:
        return found
    return NotFound(found.message, f"{found.hint} {find_unindexed_files(engine)}".rstrip())


def _stands(engine: Engine, elements: Elements, text: str) -> NotFound | None:
    """Where a name stands that is no symbol's: that of a field, an option, something that is made by a call."""
    if elements.at != NOW or not _NAME.fullmatch(text):
        return None
    from clew.retrieve.naming import find_mentions  # numpy is heavy, and most tools do not need it

    found = find_mentions(engine.corpus(), text, engine.files.text, _MOST_READ)
    spots = sorted(found.spots, key=lambda one: (lies_among(one.path) is not Among.CODE, one)) if found else []
    if not found or not spots:
        return None
    many = f"{'at least ' * bool(found.unread)}{len(spots)} line{'s' * (len(spots) > 1)}"
    some = ", ".join(f"{one.path}:{one.line}" for one in spots[:_MOST_PATHS])
    hint = f"The name stands in {many}: {some}{' …' * (len(spots) > _MOST_PATHS)}. Ask about one of them as file:line."
    return NotFound(f"no symbol or file is called {text!r}", hint)


def in_folder(naming: Naming, text: str) -> NotFound | None:
    """That a folder is meant, if it is: an answer is about a file, or about what stands in one."""
    top, paths = naming.folder(text)
    if not paths:
        return None
    files = f"a folder of {len(paths)} files" if len(paths) > 1 else "a folder of one file"
    some = ", ".join(paths[:_MOST_PATHS])
    hint = f"Name a file in it, as {some}; query_context with scope.paths [{top!r}] looks in all."
    return NotFound(f"{top} is {files}, and no file or symbol", hint)


def left_out(engine: Engine, text: str) -> NotFound | None:
    """Why a file or folder is not indexed that is there, if one is meant."""
    said = LINE.fullmatch(normalize_id(unquote(text)))
    path = said["path"] if said else split_id(normalize_id(unquote(text)))[0].rstrip("/")
    root, config = engine.place.root, engine.config
    if not ("/" in path or "." in path) or ".." in path.split("/") or not (root / path).exists():
        return None
    from clew.index.disk.scan import explain_path  # asks git, and few need it

    with suppress(NotFound, Denied, InvalidInput):
        decided = explain_path(root, path, config.watcher, config.indexing, config.storage.db_path)
        if not decided.indexed:
            why = f"{decided.reason}: {decided.detail}" if decided.detail else str(decided.reason)
            return NotFound(f"{path} is left out of the index ({why})", f"`clew check-file {path}` shows each check.")
    return None


def _outside(engine: Engine, text: str) -> str:
    from clew.graph.edges import edges_to  # numpy is heavy, and most tools do not need it

    external = f"{EXTERNAL}{plain(text).removeprefix(EXTERNAL)}"
    return external if edges_to(engine.corpus(), external) else ""


def is_imported(engine: Engine, name: str) -> bool:
    """Whether something here leads to what has that name outside of the project."""
    return bool(_outside(engine, name))


def _became(engine: Engine, naming: Naming, elements: Elements, text: str) -> str:
    """Where it is today, or was before."""
    if elements.at != NOW and (now := Naming(engine.files, engine.nodes, Elements(engine.files)).find(text)):
        return f"There is {now[0]} today; leave as_of out, or name a later time."
    if elements.at == NOW and (once := naming.once(text)):
        return describe_removed(engine, once)
    return ""


def _near(naming: Naming, text: str) -> str:
    near = naming.near(text)
    return f"Did you mean {', '.join(near)}?" if near else _ADVICE
