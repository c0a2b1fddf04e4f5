"""The error for a member that is not found in a class or file, with similarly named members."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from clew.engine import Engine
from clew.graph.elements import Elements
from clew.graph.naming import MOST_NEAR, Naming, nearest
from clew.graph.parts import LogicalSymbol, Things
from clew.model.code import EXTERNAL, SCOPE, split_id, symbol_id
from clew.model.errors import NotFound
from clew.model.time import NOW
from clew.model.words import CLASSES, NAMELESS, Kind

_MOST_OWNERS = 20  # of one name, whose members are looked at
_MOST_NAMED = 3  # of the owners, and of what has the name elsewhere
_ENOUGH = 8  # members that are told where none is near
_OWNING = (*CLASSES, Kind.MODULE, Kind.FILE)


def missing_member(engine: Engine, naming: Naming, elements: Elements, text: str, then: str) -> NotFound | None:
    """None, if a text does not say what its last name is a member of, or nothing can be said of that."""
    owners, name = naming.of_owner(text)
    things = Things(engine.nodes, engine.links, elements).each(owners[:_MOST_OWNERS]) if name else []
    own = _owning(things, elements)
    roots = [root for one in own for root in one.roots]
    above = _above(engine, elements, roots)
    said = [
        *_made(elements, roots, name),
        *_suggested(naming, elements, [*roots, *above], name),
        *_outside(one.removeprefix(EXTERNAL) for one in above if one.startswith(EXTERNAL)),
    ]
    if not said:
        return None
    more = f" and {len(own) - _MOST_NAMED} more" if len(own) > _MOST_NAMED else ""
    where = f"{', '.join(one.element.id for one in own[:_MOST_NAMED])}{more}"
    what = "nothing called" if all(one.element.kind is Kind.FILE for one in own) else "no member"
    return NotFound(f"{what} {name!r} is found in {where}{then}", " ".join(said))


def _owning(things: list[LogicalSymbol], elements: Elements) -> list[LogicalSymbol]:
    """Classes and files; else what holds something, as an object of JavaScript does."""
    found = [one for one in things if one.element.kind in _OWNING]
    others = [one for one in things if one.element.kind not in NAMELESS]
    return found or [one for one in others if any(True for root in one.roots for _ in _members(elements, root))]


def _made(elements: Elements, roots: Iterable[str], name: str) -> Iterator[str]:
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


def _suggested(naming: Naming, elements: Elements, roots: list[str], name: str) -> Iterator[str]:
    members = _by_name(elements, (one for root in roots for one in _members(elements, root)))
    near = [one for like in nearest(name, members) for one in members[like]][:MOST_NEAR]
    if suggested := list(dict.fromkeys((*near, *(_elsewhere(naming, elements, name) if roots else ())))):
        yield f"Did you mean {', '.join(suggested)}?"
    elif members:
        left = len(members) - _ENOUGH
        yield f"There is {', '.join(list(members)[:_ENOUGH])}{f' and {left} more' if left > 0 else ''}."


def _outside(names: Iterable[str]) -> Iterator[str]:
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
    """What stands in a class or a file, as it is written."""
    path, scope = split_id(root)
    page = elements.page(path)
    inside = f"{scope}{SCOPE}" if scope else ""
    return (symbol_id(path, one) for one in (page.symbols if page else ()) if one.startswith(inside))


def _by_name(elements: Elements, ids: Iterable[str]) -> dict[str, list[str]]:
    """What is called first, without what only declares."""
    named: dict[str, list[str]] = {}
    for one in sorted(dict.fromkeys(ids), key=lambda one: elements.describe(one).kind is Kind.VARIABLE):
        named.setdefault(one.rpartition(SCOPE)[2].partition("#")[0], []).append(one)
    return {name: elements.definitions(some) for name, some in named.items()}


def _elsewhere(naming: Naming, elements: Elements, name: str) -> Iterator[str]:
    """What has the name in something else; headings do not count."""
    found = (one for one in naming.find(name) if SCOPE in one and elements.describe(one).kind not in NAMELESS)
    return islice(found, _MOST_NAMED)
