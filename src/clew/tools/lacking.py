"""Of a member that a class or a file does not have: that it does not, and which of its own are called almost so."""

from collections.abc import Iterable, Iterator

from clew.engine import Engine
from clew.graph.elements import Elements
from clew.graph.naming import MOST_NEAR, Naming, nearest
from clew.graph.parts import Things
from clew.model.code import EXTERNAL, SCOPE, split_id, symbol_id
from clew.model.errors import NotFound
from clew.model.time import NOW
from clew.model.words import NAMELESS, Kind

_MOST_OWNERS = 20  # of one name, whose members are looked at
_MOST_NAMED = 3  # of the owners, and of what has the name elsewhere
_ENOUGH = 8  # members that are told where none is near


def lacking(engine: Engine, naming: Naming, elements: Elements, text: str, then: str) -> NotFound | None:
    """None, if a text does not say what its last name is a member of, or says something that has no members."""
    owners, name = naming.of_owner(text)
    things = Things(engine.nodes, engine.links, elements)
    found = things.each([one for one in owners if SCOPE in one or _is_file(elements, one)][:_MOST_OWNERS])
    own = [one for one in found if one.element.kind not in NAMELESS or one.element.kind is Kind.FILE]
    if not own or not name:
        return None
    above = _above(engine, elements, [id for one in own for id in one.ids])
    roots = [*(id for one in own for id in one.roots), *above]
    members = _by_name(one for root in roots for one in _members(elements, root))
    said = ", ".join(one.element.id for one in own[:_MOST_NAMED])
    more = f" and {len(own) - _MOST_NAMED} more" if len(own) > _MOST_NAMED else ""
    what = "nothing called" if all(one.element.kind is Kind.FILE for one in own) else "no member"
    outside = tuple(one.removeprefix(EXTERNAL) for one in above if one.startswith(EXTERNAL))
    hint = _hint(members, name, _elsewhere(naming, elements, name), outside)
    has = "have" if len(own) > 1 else "has"
    return NotFound(f"{said}{more} {has} {what} {name!r}{then}", hint) if hint else None


def _hint(members: dict[str, list[str]], name: str, elsewhere: list[str], outside: tuple[str, ...]) -> str:
    near = [one for like in nearest(name, members) for one in members[like]][:MOST_NEAR]
    said = []
    if suggested := list(dict.fromkeys((*near, *elsewhere))):
        said.append(f"Did you mean {', '.join(suggested)}?")
    elif members:
        left = len(members) - _ENOUGH
        said.append(f"There is {', '.join(list(members)[:_ENOUGH])}{f' and {left} more' if left > 0 else ''}.")
    if outside:
        said.append(f"What it has of {', '.join(outside[:_MOST_NAMED])}, outside of the project, is not known.")
    return " ".join(said)


def _above(engine: Engine, elements: Elements, ids: Iterable[str]) -> list[str]:
    if elements.at != NOW:
        return []
    from clew.graph.edges import Current  # numpy is heavy, and most tools do not need it
    from clew.graph.otherwise import above

    look = Current(engine.corpus())
    return list(dict.fromkeys(one for id in ids if SCOPE in id for one in above(look, id)))


def _members(elements: Elements, root: str) -> Iterator[str]:
    """What stands in a class or a file, as it is written."""
    path, scope = split_id(root)
    page = elements.page(path)
    inside = f"{scope}{SCOPE}" if scope else ""
    for one in page.symbols if page else ():
        if one.startswith(inside):
            yield symbol_id(path, one)


def _by_name(ids: Iterable[str]) -> dict[str, list[str]]:
    named: dict[str, list[str]] = {}
    for one in dict.fromkeys(ids):
        named.setdefault(one.rpartition(SCOPE)[2].partition("#")[0], []).append(one)
    return named


def _elsewhere(naming: Naming, elements: Elements, name: str) -> list[str]:
    """What has the name in something else; headings do not count."""
    found = (one for one in naming.find(name) if SCOPE in one and elements.described(one).kind not in NAMELESS)
    return [one for one, _ in zip(found, range(_MOST_NAMED), strict=False)]


def _is_file(elements: Elements, id: str) -> bool:
    return elements.page(id) is not None
