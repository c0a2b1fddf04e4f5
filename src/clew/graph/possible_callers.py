"""Possible callers of a function beside the known ones: calls resolved to another target that may still reach it.

This keeps answers from stating that a function has no callers when it has some. A method call may run any override,
or another method of the same name beside it; a declaration is called in place of its definition; and a call taken to
be external may reach this function if it has its name.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from operator import eq
from typing import Protocol

from msgspec.structs import replace

from clew.graph.elements import Element, Elements, side_of
from clew.graph.surroundings import Touching
from clew.languages.plugins import profile_of
from clew.model.code import EXTERNAL, SCOPE, Edge, split_id, without_numbers
from clew.model.words import CLASSES, INHERITING, EdgeKind, Kind
from clew.store.links import LIKELY
from clew.text.paths import is_test_path

INSTEAD = 0.25  # how sure it is that what is called by way of another is this one
BY_NAME = 0.1  # and that what is told to be outside is
DEEPEST = 8  # steps of inheritance
MOST_ABOVE = 100  # classes that are looked at
MOST_MAKERS = 20  # of what is outside, likewise

_CALLED = (Kind.FUNCTION, Kind.METHOD)
_BUILT_IN = f"{EXTERNAL}builtins."
_LIKE_ANY = (f"{_BUILT_IN}box.", f"{_BUILT_IN}require.")  # what a container holds, or a computed name loads


class Look(Protocol):
    """The edges of the graph, now or at some time."""

    def out(self, id: str) -> Sequence[Edge]: ...

    def into(self, id: str) -> Sequence[Edge]: ...

    def with_prefix(self, start: str) -> Sequence[str]:
        """The ids of the graph that begin so."""
        ...

    def with_suffix(self, end: str) -> Sequence[str]: ...


def add_possible_callers(look: Look, elements: Elements, ids: Sequence[str], found: Touching) -> Touching:
    """Add candidates: calls of the methods that it overrides, or on external values; without any, all calls by its
    name. `ids` are all of its definitions."""
    for one in ids:
        found = _add_for_one(look, elements, one, ids, found)
    return found


def _add_for_one(look: Look, elements: Elements, id: str, own: Sequence[str], found: Touching) -> Touching:
    path, scope = split_id(id)
    page = elements.page(path) if scope else None
    symbol = page.symbols.get(scope) if page else None
    if symbol is None or symbol.kind not in _CALLED:
        return found
    name = symbol.name.rpartition(".")[2]
    language = page.version.language if page else ""
    profile = profile_of(language)
    classes = above(look, id.rpartition(SCOPE)[0])
    others = [*_beside(look, id), *_members(look, classes, name)]
    if profile.reopens_classes:
        others += _in_parts(look, classes, name)
    is_declared = symbol.body >= symbol.span.end - 1  # by nothing, or a semicolon
    if is_declared or profile.declared_apart:
        others += _same(look, id)
    if is_declared:
        others += _below(look, id, name)
    if profile.shape_only and symbol.kind is Kind.METHOD:
        others += [one for one in look.with_suffix(f"{SCOPE}{name}") if _is_promised(elements, one)]
    side = side_of(language, symbol)
    others = [one for one in others if one not in own and _has_side(elements, language, one, side)]
    known = {(edge.source, edge.path, edge.line) for edge in _calls(found.into, id)}
    edges = _as_candidates(look, id, others, INSTEAD)
    if not (edges or known or found.by_name):
        edges = _as_candidates(look, id, _outside(look, name), BY_NAME)
    elif symbol.kind is Kind.METHOD and profile.unchecked_types:
        edges += _doubtful(look, elements if profile.varying_attributes else None, id, name)
    new = [e for e in edges if (e.source, e.path, e.line) not in known and e.source not in own]
    return found._replace(into=[*found.into, *new])


def _has_side(elements: Elements, language: str, id: str, side: str) -> bool:
    """Whether a method may be called where another is: in some languages, not one of a class for one of its objects."""
    symbol = elements.symbol(id) if side else None
    return symbol is None or side_of(language, symbol) in ("", side)


def _as_candidates(look: Look, id: str, others: Iterable[str], share: float) -> list[Edge]:
    """The calls of others, as candidates of this one."""
    edges = [edge for one in dict.fromkeys(others) for edge in _calls(look.into(one), id)]
    return [replace(edge, target=id, confidence=edge.confidence * share) for edge in edges]


def _doubtful(look: Look, elements: Elements | None, id: str, name: str) -> list[Edge]:
    """Calls by its name on a value from an external call, which may be anything, or on an uncertain one.

    With `elements`, attributes of classes may also stand for something else.
    """
    outside = _outside(look, name)
    given = {one for one in outside if _is_given(look, one) or (elements and _stands_for(look, elements, one))}
    edges = [edge for one in outside for edge in _calls(look.into(one), id) if one in given or edge.confidence < 1]
    return [replace(edge, target=id, confidence=edge.confidence * BY_NAME) for edge in edges]


def _is_given(look: Look, id: str) -> bool:
    """Whether it is a member of a call's result, as in `random.choice.pay`; a class returns its own instances."""
    parts = id.removeprefix(EXTERNAL).split(".")[:-1]
    prefixes = [".".join(parts[:count]) for count in range(2, len(parts) + 1) if parts[count - 1][:1].islower()]
    return any(any(_calls(look.into(f"{EXTERNAL}{one}"), id)) for one in prefixes)


def _stands_for(look: Look, elements: Elements, id: str) -> bool:
    """Whether it is a member of an object made in a class body; instances may have another object there."""
    makers = dict.fromkeys(e.source for e in look.into(id.rpartition(".")[0]) if e.kind is EdgeKind.CALLS)
    found = map(elements.symbol, list(makers)[:MOST_MAKERS])
    return any(one.kind is Kind.CLASS for one in found if one)


def _calls(edges: Iterable[Edge], id: str) -> Iterator[Edge]:
    """Calls from outside the symbol itself."""
    inside = f"{id}{SCOPE}"
    return (e for e in edges if e.kind is EdgeKind.CALLS and e.source != id and not e.source.startswith(inside))


def _beside(look: Look, id: str) -> list[str]:
    """Others of its name in the same scope, or in a scope of the same name: overloads and redeclarations."""
    scope, _, last = id.rpartition(SCOPE)
    firsts = dict.fromkeys(f"{one}{SCOPE}{last.partition('#')[0]}" for one in (scope, without_numbers(scope)))
    numbered = [
        one for first in firsts for one in look.with_prefix(f"{first}#") if SCOPE not in one.removeprefix(first)
    ]
    return [one for one in (*firsts, *numbered) if one != id]


def above(look: Look, id: str) -> list[str]:
    """The base classes of a class."""
    seen: dict[str, None] = {}
    level = [id, without_numbers(id)]
    for _ in range(DEEPEST):
        edges = [
            edge for one in level for edge in look.out(one) if edge.kind in INHERITING and edge.confidence >= LIKELY
        ]
        level = [one for one in dict.fromkeys(edge.target for edge in edges) if one not in seen][:MOST_ABOVE]
        seen |= dict.fromkeys(level)
    return list(seen)


def inherited_members(look: Look, elements: Elements, classes: Iterable[str], name: str) -> list[str]:
    """The nearest member of a name that each of some classes has of those above it."""
    members = [[f"{one}{SCOPE}{name}" for one in above(look, below)] for below in classes]
    return sorted({one for some in members if (one := next(filter(elements.get, some), ""))})


def _members(look: Look, classes: list[str], name: str) -> Iterator[str]:
    """Members of this name in the base classes."""
    for one in classes:
        if one.startswith(EXTERNAL):
            yield f"{one}.{name}"
        else:
            yield f"{one}{SCOPE}{name}"
            yield from _beside(look, f"{one}{SCOPE}{name}")


def _in_parts(look: Look, classes: list[str], name: str) -> list[str]:
    """The same, where it is written in another part of a class."""
    scopes = {split_id(one)[1] for one in classes if not one.startswith(EXTERNAL)}
    members = look.with_suffix(f"{SCOPE}{name}") if scopes else ()
    return [one for one in members if split_id(one)[1].rpartition(SCOPE)[0] in scopes]


def _same(look: Look, id: str) -> list[str]:
    """Symbols of the same name in a scope of the same name, such as declarations in a header: a macro may open a
    namespace."""
    parts = split_id(id)[1].split(SCOPE)[-2:]
    others = look.with_suffix(f"{SCOPE}{parts[-1]}")
    return [one for one in others if one != id and all(map(eq, parts[::-1], split_id(one)[1].split(SCOPE)[::-1]))]


def _below(look: Look, id: str, name: str) -> list[str]:
    """Direct implementations."""
    edges = look.into(id.rpartition(SCOPE)[0])
    return [f"{e.source}{SCOPE}{name}" for e in edges if e.kind in INHERITING and e.confidence >= LIKELY][:MOST_ABOVE]


def _is_promised(elements: Elements, id: str) -> bool:
    """Whether it is a method of an interface, which anything with such a method may implement."""
    path, scope = split_id(id)
    page = elements.page(path)
    holder = page.symbols.get(scope.rpartition(SCOPE)[0]) if page else None
    return holder is not None and holder.kind is Kind.INTERFACE


def _outside(look: Look, name: str) -> list[str]:
    """External targets of this name, except those of the language's own library."""
    found = [one for sign in (".", SCOPE) for one in look.with_suffix(f"{sign}{name}") if one.startswith(EXTERNAL)]
    return [one for one in found if not one.startswith(_BUILT_IN) or one.startswith(_LIKE_ANY)]


# Entry points: why external code may call a symbol without callers: a framework, a test runner, the language.

MOST = 3  # of each reason, that are told
RUN = "a test, which a runner calls"

_DECORATOR = re.compile(r"[\w.:]+")
# What only marks or wraps a thing, and gives it to nobody who would call it by another way than its name.
_MARKS = frozenset(
    "staticmethod classmethod property setter getter deleter cached_property abstractmethod overload final "
    "wraps contextmanager asynccontextmanager lru_cache cache dataclass total_ordering no_type_check deprecated "
    "suppresswarnings safevarargs functionalinterface nullable nonnull notnull visiblefortesting checkreturnvalue "
    "canignorereturnvalue jvmstatic jvmoverloads jvmfield jvmname suppress publishedapi throws optin tailrec nowarn "
    "obsolete methodimpl conditional debuggerstepthrough compilergenerated pure returntypewillchange "
    "discardableresult available inlinable usablefrominline mainactor "
    "inline must_use allow warn deny expect cfg cfg_attr doc derive cold track_caller non_exhaustive repr".split()
)
_OVERRIDING = re.compile(r"override", re.IGNORECASE)
_HIDDEN = re.compile(r"\bprivate\b|(?<!\w)#\w")
_TEST = re.compile(r"(?:test|Test|Benchmark|Fuzz|Example)(?![a-z])")


def reasons(look: Look, element: Element) -> tuple[str, ...]:
    """In plain words, the surest first; none if nothing speaks for it."""
    found = (*_by_decorators(element), *_called_so(element), *_by_override(element), *_by_base_classes(look, element))
    return found or (("it is exported",) if element.exported else ())


def _by_decorators(element: Element) -> list[str]:
    names = [one.group() for text in element.decorators if (one := _DECORATOR.search(text))]
    given = [one for one in names if re.split("[.:]", one)[-1].lower() not in _MARKS and not _OVERRIDING.fullmatch(one)]
    return [f"decorated with {one}" for one in given[:MOST]]


def _called_so(element: Element) -> list[str]:
    """By its name."""
    name = element.name.rpartition(".")[2]
    own = profile_of(element.language).own_calls
    if name == "main" or (own and (re.fullmatch(own, name) or re.fullmatch(own, element.name))):
        return ["the language calls it by this name"]
    is_test = _TEST.match(name) and is_test_path(element.path)
    return [RUN] if is_test else []


def _by_override(element: Element) -> list[str]:
    marks = (*element.decorators, *(word for word in element.signature.partition("(")[0].split()))
    return ["it overrides something"] if any(_OVERRIDING.fullmatch(one) for one in marks) else []


def _by_base_classes(look: Look, element: Element) -> list[str]:
    """External base classes of its class or of itself."""
    if element.kind is Kind.METHOD:
        holder = element.id.rpartition(SCOPE)[0]
        profile = profile_of(element.language)
        public = profile.trait_mark
        if _HIDDEN.search(element.signature) or (public and re.match(public, element.signature)):
            return []
        if profile.shape_only:
            return ["an interface may ask for it"] * bool(element.exported)
    elif element.kind in CLASSES:
        holder = element.id
    else:
        return []
    outer = [one.removeprefix(EXTERNAL) for one in above(look, holder) if one.startswith(EXTERNAL)]
    strange = [one for one in outer if not one.startswith("builtins.")]
    name = split_id(holder)[1].rpartition(SCOPE)[2]
    return [f"{name} extends {' and '.join(strange[:MOST])}"] if strange else []
