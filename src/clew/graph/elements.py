"""Nodes with the facts of their files: kind, place, signature, doc, and a line in plain words."""

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct, structs

from clew.languages.plugins import profile_of
from clew.model.code import EXTERNAL, SCOPE, FileVersion, Symbol, split_id, symbol_id, without_numbers
from clew.model.time import NOW, AsOf
from clew.model.words import CLASSES, Kind
from clew.store.files import Files
from clew.text.summaries import Told, summary_line

TYPINGS = (".d.ts", ".d.mts", ".d.cts", ".pyi")  # how files end that only declare
MOST_ALIKE = 50  # ids of one name that are looked at for declarations
_OF_CLASS = re.compile(r"(?:\w+ )?(?:self|[A-Z]\w*)\.")  # in Ruby, the signature of a class's own method
_STATIC = re.compile(r"(?:\w+ )*?static\b[^(]*\(")


class Element(Struct, frozen=True):
    """For an external id, only the name is known."""

    id: str
    kind: Kind
    name: str
    summary: str
    path: str = ""
    first_line: int = 0
    last_line: int = 0
    signature: str = ""
    doc: str = ""
    exported: bool | None = None  # of a symbol: whether others are meant to use it
    language: str = ""
    decorators: tuple[str, ...] = ()


class Page(Struct, frozen=True):
    """A file as it was at some time; its symbols by scope."""

    version: FileVersion
    symbols: dict[str, Symbol]

    def at(self, line: int) -> str:
        """The scope of the innermost symbol that a line stands in; of none, the file's own."""
        spans = ((span, s.scope) for s in self.symbols.values() for span in (s.span, *s.reassigned))
        around = [one for one in spans if one[0].first <= line <= one[0].last]
        return min(around, key=lambda one: (one[0].last - one[0].first, -one[0].start))[1] if around else ""


class Elements:
    """The elements at a time. Files are read once and kept in `pages`: make a new object for each question."""

    def __init__(self, files: Files, at: AsOf = NOW, pages: Iterable[Page] = ()) -> None:
        self._files = files
        self._summaries = files.summaries()
        self.at = at
        self._pages: dict[str, Page | None] = {page.version.path: page for page in pages}

    def page(self, path: str) -> Page | None:
        if path not in self._pages:
            version = self._files.get(path, self.at)
            self._pages[path] = self._read(version) if version else None
        return self._pages[path]

    def text(self, page: Page) -> bytes:
        return self._files.text(page.version.text)

    def get(self, id: str) -> Element | None:
        """The element of an id of the tree."""
        path, scope = split_id(id)
        page = self.page(path)
        if page is None:
            return None
        if not scope:
            return self._better(_file(page), page.version.text)
        symbol = page.symbols.get(scope)
        return self._better(_symbol(page, symbol), symbol.digest) if symbol else None

    def _better(self, element: Element, digest: bytes) -> Element:
        """With the summary that a model wrote for exactly this content, if there is one."""
        summary = self._summaries.get(summary_key(element.id, digest))
        return structs.replace(element, summary=summary) if summary else element

    def merge_parts(self, element: Element, roots: Sequence[str]) -> Element:
        """A class with the members of all its parts, and the first doc that there is."""
        page, own = self.page(element.path), self.symbol(element.id)
        if page is None or own is None or own.kind not in CLASSES or len(roots) < 2:
            return element
        held = [(there, scope) for path, scope in map(split_id, roots) if (there := self.page(path))]
        names = [name for there, scope in held for name in _members(there, scope)]
        told = () if profile_of(page.version.language).docs_by_part else roots
        doc = next((one.doc for root in told if (one := self.symbol(root)) and one.doc), "")
        names += [one.name for root in roots if (one := self.symbol(root)) and one.kind not in CLASSES]
        return _symbol(page, own._replace(doc=own.doc or doc), tuple(dict.fromkeys(names)))

    def describe(self, id: str) -> Element:
        """The same, or a bare element for an id that is external or missing."""
        return self.get(id) or outside(id)

    def whole(self, id: str) -> str:
        """The implementation of an overload that is only declared; any other id is returned unchanged."""
        path, scope = split_id(id)
        page = self.page(path)
        symbol = page.symbols.get(scope) if page else None
        if page is None or symbol is None or not declares(symbol):
            return id
        whole = [
            one for one in page.symbols.values() if _overload_key(one) == _overload_key(symbol) and not declares(one)
        ]
        return symbol_id(path, whole[0].scope) if len(whole) == 1 else id

    def definitions(self, ids: Sequence[str]) -> list[str]:
        """The ids without declarations of symbols that another of them defines."""
        bare = {one for one in ids if self.only_declares(one)} if len(ids) > 1 else set()
        defined = [one for one in ids if one not in bare] if bare else []
        return [one for one in ids if one not in bare or not any(self.are_one(one, other) for other in defined)]

    def are_one(self, declared: str, defined: str) -> bool:
        """Whether one id declares the other's definition, by their names: a macro may open a namespace."""
        one, other = self.symbol(declared), self.symbol(defined)
        if one is None or other is None or (one.kind in CLASSES) != (other.kind in CLASSES):
            return False
        if without_numbers(declared) == without_numbers(defined):
            return True
        family = self._family(declared)
        return family != "" and family == self._family(defined) and end_alike(declared, defined)

    def declarations(self, id: str, named: Iterable[str]) -> list[str]:
        """The declarations of an id among symbols of its name; none if there are too many candidates."""
        alike = [one for one in named if one != id and end_alike(one, id)]
        if len(alike) > MOST_ALIKE or self.only_declares(id):
            return []
        return [one for one in alike if self.only_declares(one) and self.are_one(one, id)]

    def only_declares(self, id: str) -> bool:
        symbol = self.symbol(id)
        is_typing = split_id(id)[0].endswith(TYPINGS)
        return symbol is not None and (is_typing or (symbol.kind not in CLASSES and declares(symbol)))

    def symbol(self, id: str) -> Symbol | None:
        path, scope = split_id(id)
        page = self.page(path) if scope else None
        return page.symbols.get(scope) if page else None

    def _family(self, id: str) -> str:
        page = self.page(split_id(id)[0])
        return profile_of(page.version.language).side if page else ""

    def inside(self, *ids: str) -> list[str]:
        """Some ids, and those of all that they hold."""
        return list(dict.fromkeys(one for own in ids for one in (own, *self._inner_ids(own))))

    def _inner_ids(self, id: str) -> list[str]:
        path, scope = split_id(id)
        page = self.page(path)
        start = f"{scope}{SCOPE}" if scope else ""
        return [symbol_id(path, one) for one in page.symbols if one.startswith(start)] if page else []

    def lent(self, id: str) -> list[str]:
        """Symbols written in a class that are members of another: extension methods of C#."""
        page, own = self.page(split_id(id)[0]), self.symbol(id)
        if page is None or own is None or own.kind not in CLASSES:
            return []
        inside = f"{own.scope}{SCOPE}"
        within = [s for s in page.symbols.values() if own.span.start < s.span.start and s.span.end <= own.span.end]
        return [symbol_id(page.version.path, one.scope) for one in within if not one.scope.startswith(inside)]

    def _read(self, version: FileVersion) -> Page:
        symbols = self._files.symbols_in(version.file, version.version)
        return Page(version, {symbol.scope: symbol for symbol in symbols})


def summary_key(id: str, digest: bytes) -> str:
    """The key of a summary: what it is about, and its content."""
    return f"{id}\n{digest.hex()}"


def end_alike(one: str, other: str) -> bool:
    """Whether two ids have the same last name, in scopes of the same name if both have one."""
    first, second = (without_numbers(split_id(name)[1]).split(SCOPE)[-2:] for name in (one, other))
    short = -min(len(first), len(second))
    return first[short:] == second[short:]


def _overload_key(symbol: Symbol) -> tuple[str, str, Kind]:
    """The key that all overloads of one function share."""
    holder, _, name = symbol.scope.rpartition(SCOPE)
    return holder, name.partition("#")[0], symbol.kind


def declares(symbol: Symbol) -> bool:
    """Whether it has no body, or one that says nothing."""
    return symbol.body >= symbol.span.end - 1 or any("overload" in mark for mark in symbol.decorators)


def side_of(language: str, symbol: Symbol) -> str:
    """Tells instance methods from class methods, which may share a name:
    `Card#charge`, `Card.make`."""
    if symbol.kind is not Kind.METHOD:
        return ""
    if profile_of(language).marks_methods:
        return "." if _OF_CLASS.match(symbol.signature) else "#"
    return "." if profile_of(language).side == "js" and _STATIC.match(symbol.signature) else ""


def outside(id: str) -> Element:
    name = id.removeprefix(EXTERNAL)
    return Element(id, Kind.EXTERNAL, name, f"{name}, which is not part of this project")


def _file(page: Page) -> Element:
    version = page.version
    name = version.path.rpartition("/")[2]
    told = Told(name, Kind.FILE, language=version.language, members=_members(page, ""))
    return Element(
        version.path, Kind.FILE, name, summary_line(told), version.path, 1, version.lines, language=version.language
    )


def _symbol(page: Page, symbol: Symbol, members: tuple[str, ...] = ()) -> Element:
    version = page.version
    owner = page.symbols.get(symbol.scope.rpartition(SCOPE)[0])
    told = Told(
        name=symbol.name,
        kind=symbol.kind,
        signature=symbol.signature,
        doc=symbol.doc,
        language=version.language,
        owner=owner.name if owner and owner.kind in CLASSES else "",
        members=members or (_members(page, symbol.scope) if symbol.kind in CLASSES else ()),
    )
    return Element(
        id=symbol_id(version.path, symbol.scope),
        kind=symbol.kind,
        name=symbol.name,
        summary=summary_line(told),
        path=version.path,
        first_line=symbol.span.first,
        last_line=symbol.span.last,
        signature=symbol.signature,
        doc=symbol.doc,
        exported=symbol.exported,
        language=version.language,
        decorators=symbol.decorators,
    )


def _members(page: Page, scope: str) -> tuple[str, ...]:
    """The names of a scope's direct members, exported ones first."""
    held = [s for s in page.symbols.values() if s.scope.rpartition(SCOPE)[0] == scope]
    shown = [s for s in held if s.kind is not Kind.VARIABLE] or held
    return tuple(dict.fromkeys(s.name for s in sorted(shown, key=lambda s: (not s.exported, s.span.start))))
