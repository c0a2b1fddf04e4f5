"""From declarations to implementations: from interfaces and abstract classes to their implementers.

An agent that is shown an interface needs an implementation too, even if the query shares no word with it.
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from msgspec import Struct

from clew.graph.edges import edges_of, edges_to, has_any_to
from clew.graph.elements import Elements
from clew.model.code import SCOPE, Edge, Symbol, split_id
from clew.model.words import CLASSES, INHERITING, EdgeKind, Kind
from clew.store.corpus import Corpus
from clew.store.links import LIKELY

MOST_OF_ONE = 5  # implementations of one id: what a question needs is an example, not all of them
MOST = 20
DEEPEST = 4  # an interface that extends one, which a class implements
MOST_LOOKED_AT = 200  # subclasses, of one id

_ABSTRACT_BASES = frozenset(
    {f"external::{name}" for name in ("abc.ABC", "typing.Protocol", "typing_extensions.Protocol")}
)
_ABSTRACT = ("abstractmethod", "abstractproperty", "abstractclassmethod", "abstractstaticmethod")


class Added(Struct, frozen=True):
    """An implementation of `of`, and the edge that shows it: for a method, the edge between the classes."""

    id: str
    of: str
    edge: Edge

    @property
    def reason(self) -> str:
        words = "implements" if self.edge.kind is EdgeKind.IMPLEMENTS else "inherits from"
        return f"{words} {self.of} ({self.edge.path}:{self.edge.line})"


def expand(corpus: Corpus, elements: Elements, ids: Sequence[str]) -> list[Added]:
    """Implementations of the ids that are only declared, in their order, without ids that are already included."""
    found: dict[str, Added] = {}
    for one in ids:
        for added in _implementations(corpus, elements, one):
            if added.id not in ids and len(found) < MOST:
                found.setdefault(added.id, added)
    return list(found.values())


def is_declared(corpus: Corpus, elements: Elements, id: str) -> bool:
    """Whether an id stands for an interface, an abstract class, or a method without a body of its own."""
    symbol, owner = _symbol(elements, id), _symbol(elements, _owner(id))
    if symbol is None:
        return False
    if symbol.kind in CLASSES:
        return _is_open(corpus, elements, id, symbol)
    within = owner is not None and owner.kind in CLASSES and _promises(corpus, _owner(id), owner)
    return within or _says_abstract(symbol) or (symbol.kind is Kind.METHOD and symbol.body >= symbol.span.end)


def _is_open(corpus: Corpus, elements: Elements, id: str, symbol: Symbol) -> bool:
    page = elements.page(split_id(id)[0])
    inside = f"{symbol.scope}{SCOPE}"
    members = [one for one in page.symbols.values() if one.scope.startswith(inside)] if page else []
    return _promises(corpus, id, symbol) or _says_abstract(symbol) or any(map(_says_abstract, members))


def _promises(corpus: Corpus, id: str, symbol: Symbol) -> bool:
    """Whether it is there for others to implement, all of it."""
    if symbol.kind is Kind.INTERFACE:
        return True
    return any(e.target in _ABSTRACT_BASES for e in edges_of(corpus, id, (EdgeKind.INHERITS,)))


def _says_abstract(symbol: Symbol) -> bool:
    decorated = any(one.partition("(")[0].endswith(_ABSTRACT) for one in symbol.decorators)
    return decorated or "abstract" in symbol.signature.partition("(")[0].split()


def _implementations(corpus: Corpus, elements: Elements, id: str) -> list[Added]:
    """The nearest first: by steps of inheritance, then by how much of the path they share."""
    below = any(has_any_to(corpus, one, INHERITING) for one in (id, _owner(id)))  # mostly not, and then nothing is read
    if not below or not is_declared(corpus, elements, id):
        return []
    symbol = _symbol(elements, id)
    member = symbol is not None and symbol.kind not in CLASSES
    held = _owner(id) if member else id
    found: list[tuple[int, int, str, Edge]] = []
    for depth, edge in _below(corpus, held):
        one = edge.source + id.removeprefix(held)
        if not member or _symbol(elements, one):
            found.append((depth, -_count_shared_folders(id, one), one, edge))
    return [Added(one, id, edge) for *_, one, edge in sorted(found, key=lambda row: row[:3])[:MOST_OF_ONE]]


def _below(corpus: Corpus, id: str) -> Iterator[tuple[int, Edge]]:
    """Implementations and subclasses, level by level."""
    seen, level = {id}, [id]
    for depth in range(DEEPEST):
        edges = [e for one in level for e in edges_to(corpus, one, INHERITING) if e.confidence >= LIKELY]
        level = []
        for edge in edges:
            if edge.source not in seen and len(seen) <= MOST_LOOKED_AT:
                seen.add(edge.source)
                level.append(edge.source)
                yield depth, edge


def _count_shared_folders(one: str, other: str) -> int:
    """How many folders two ids have in common."""
    pairs = zip(split_id(one)[0].split("/"), split_id(other)[0].split("/"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _owner(id: str) -> str:
    return id.rpartition(SCOPE)[0]


def _symbol(elements: Elements, id: str) -> Symbol | None:
    path, scope = split_id(id)
    page = elements.page(path) if scope else None
    return page.symbols.get(scope) if page else None
