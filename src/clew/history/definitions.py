"""The definitions of one version of a file, as comparing versions needs them: texts, parts and digests."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from textwrap import dedent

from blake3 import blake3

from clew.index.disk import binary
from clew.index.extract.decorators import decorators_of
from clew.index.syntax.definition import Definition as Parsed
from clew.index.syntax.parse import Outline, comment_ranges, comments_in, outline
from clew.index.syntax.ranges import Range, subtract
from clew.index.syntax.units import OutlineUnit, nest_definitions, symbols
from clew.languages import language_in
from clew.languages.detection import LanguageTable
from clew.languages.profile import Language
from clew.model.code import SCOPE, Span, Symbol, without_numbers
from clew.model.words import CLASSES, Kind
from clew.text.encodings import in_utf8
from clew.text.paths import is_locked

_NO_CALLS = frozenset(
    "if for while switch catch return and or not in is assert elif except with yield await lambda typeof sizeof "
    "match when unless until throw raise new del print super function fn def".split()
)
_TOKEN = re.compile(r"\w+|[^\w\s]")
KEPT_SURELY = 0.9  # of the bytes of two texts, the same at their ends: no closer look can find them unlike
ITSELF = "\0"  # stands for a definition's own name among its tokens
_BASES = re.compile(r"\(([^()]*)\)|\b(?:extends|implements|with)\b(.*)|(?<!:):(?!:)(.*)|<(.*)")


class _Comments:
    """The comments of a source, found when they are first asked for."""

    def __init__(self, language: Language | None, source: bytes, known: list[Range] | None = None) -> None:
        self._language = language
        self._source = source
        if known is not None:
            self.ranges = known

    @cached_property
    def ranges(self) -> list[Range]:
        try:
            return comment_ranges(self._language, self._source) if self._language else []
        except ValueError:  # a grammar that refuses its own kinds
            return []


class SymbolVersion:
    """A symbol of one version of a file. `own` texts exclude its inner definitions."""

    def __init__(self, path: str, symbol: Symbol, unit: OutlineUnit, source: bytes, comments: _Comments) -> None:
        self.path = path
        self._comments = comments
        self.symbol = symbol
        self._unit = unit
        self._source = source

    def __repr__(self) -> str:
        return f"{self.path}::{self.scope}"

    @property
    def scope(self) -> str:
        return self.symbol.scope

    @property
    def name(self) -> str:
        return self.symbol.name

    @property
    def kind(self) -> Kind:
        return self.symbol.kind

    @property
    def key(self) -> tuple[str, str]:
        return self.path, self.scope

    @property
    def container(self) -> str:
        """The scope around it."""
        return self.scope.rpartition(SCOPE)[0]

    @cached_property
    def text(self) -> bytes:
        """All of it, with decorators and leading comments."""
        return self._source[slice(*self._unit.range)]

    @cached_property
    def own(self) -> bytes:
        holes = [inner.range for inner in self._unit.inner]
        return b"".join(self._source[start:end] for start, end in subtract(self._unit.range, holes))

    def is_same(self, other: "SymbolVersion") -> bool:
        """Whether its own text is the same to the byte."""
        return self.symbol.digest == other.symbol.digest or self.own == other.own

    def shares_most(self, other: "SymbolVersion") -> bool:
        """Whether nearly all of both texts is the same at their ends: a cheap proof that they are alike."""
        return shared_ends(self.text, other.text) * 2 >= KEPT_SURELY * (len(self.text) + len(other.text))

    @property
    def behind_head(self) -> bytes:
        """Its own text behind the signature."""
        holes = [(self._unit.range[0], self._unit.definition.head[1]), *(inner.range for inner in self._unit.inner)]
        return b"".join(self._source[start:end] for start, end in subtract(self._unit.range, sorted(holes)))

    @cached_property
    def documentation(self) -> str:
        doc = self._unit.definition.doc
        return " ".join(self._source[slice(*doc)].decode("utf-8", "replace").split()) if doc else ""

    @cached_property
    def head(self) -> str:
        """The signature as written, with blanks and decorators left out."""
        return "".join(self._source[slice(*self._unit.definition.head)].decode("utf-8", "replace").split())

    @cached_property
    def bases(self) -> str:
        if self.kind not in (Kind.CLASS, Kind.INTERFACE):
            return ""
        match = _BASES.search(self.symbol.signature)
        return "".join(next(filter(None, match.groups()), "").split()) if match else ""

    @cached_property
    def body_tokens(self) -> tuple[str, ...]:
        """The tokens of its own code, without the signature, the documentation, decorators and comments."""
        return self._tokens([*self._parts_aside, self._unit.definition.head, *self._comments.ranges])

    @cached_property
    def commented_tokens(self) -> tuple[str, ...]:
        """The same with comments."""
        return self._tokens([*self._parts_aside, self._unit.definition.head])

    @property
    def _parts_aside(self) -> list[Range]:
        """Inner definitions, the documentation, and the text before the signature."""
        d = self._unit.definition
        inner = [one.range for one in self._unit.inner]
        return [*inner, *filter(None, (d.doc,)), (d.start, max(d.head[0], d.start))]

    def _tokens(self, holes: list[Range]) -> tuple[str, ...]:
        ranges = subtract(self._unit.range, sorted(holes))
        code = b"\n".join(self._source[start:end] for start, end in ranges)
        return tuple(_TOKEN.findall(code.decode("utf-8", "replace")))

    @cached_property
    def calls(self) -> frozenset[str]:
        """Names that its code calls, as far as that shows without resolving them: those before a bracket."""
        named = zip(self.body_tokens, self.body_tokens[1:], strict=False)
        return frozenset(one for one, sign in named if sign == "(" and one.isidentifier() and one not in _NO_CALLS)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of its own code without decorators and documentation; a mark stands in place of its name."""
        return tuple(ITSELF if token == self.name else token for token in self._tokens(self._parts_aside))

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(self.tokens)

    @cached_property
    def whole_counts(self) -> Counter[str]:
        """For all its code, including inner definitions."""
        tokens = _TOKEN.findall(self.text.decode("utf-8", "replace"))
        return Counter(ITSELF if token == self.name else token for token in tokens)

    @cached_property
    def weights(self) -> dict[str, float]:
        """Tokens with their weights: a sign says less than a word. Of a type, those of its members too."""
        counts = self.whole_counts if self.kind in CLASSES else self.counts
        return {
            token: n * (1.0 if token[0].isalnum() or token[0] in f"_{ITSELF}" else 0.2) for token, n in counts.items()
        }

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Its own lines without indentation, those that say something."""
        found = (line.strip() for line in dedent(self.own.decode("utf-8", "replace")).splitlines())
        return tuple(line for line in found if line)

    @cached_property
    def fingerprint(self) -> bytes:
        """The digest of its own text, to the byte."""
        return blake3(self.own).digest(length=8)


class FileDefinitions:
    """All definitions of one version of a file, in the order of the file; `language` is empty without a parser."""

    def __init__(
        self,
        path: str,
        language: str,
        source: bytes,
        found: Sequence[SymbolVersion] = (),
        comments: _Comments | None = None,
    ) -> None:
        self.path = path
        self._comments = comments or _Comments(None, source)
        self.language = language
        self.source = source
        self.definitions = tuple(found)

    @cached_property
    def by_scope(self) -> dict[str, SymbolVersion]:
        return {one.scope: one for one in self.definitions}

    @cached_property
    def whole(self) -> SymbolVersion:
        """The file itself, as a definition without a scope."""
        name, size = self.path.rpartition("/")[2], len(self.source)
        lines = self.source.count(b"\n") + (not self.source.endswith(b"\n") and size > 0)
        unit = OutlineUnit(Parsed(Kind.FILE, name, 0, size, 1, lines, (0, 0), exported=True), None, "")
        symbol = Symbol("", name, Kind.FILE, Span(0, size, 1, lines), "", "", True, 0, b"")
        return SymbolVersion(self.path, symbol, unit, self.source, self._comments)

    @cached_property
    def children(self) -> dict[str, list[SymbolVersion]]:
        """By the scope around them."""
        found: dict[str, list[SymbolVersion]] = {}
        for one in self.definitions:
            found.setdefault(one.container, []).append(one)
        return found

    def at(self, line: int) -> SymbolVersion | None:
        """The innermost one that a line lies in."""
        around = [one for one in self.definitions if one.symbol.span.first <= line <= one.symbol.span.last]
        return min(around, key=lambda one: one.symbol.span.last - one.symbol.span.first, default=None)

    def find(self, name: str) -> list[SymbolVersion]:
        """Definitions with this scope, or one that ends with it at a boundary; dots stand for `::`."""
        wanted = name.replace(".", SCOPE)
        return [
            one
            for one in self.definitions
            if without_numbers(one.scope) == wanted
            or without_numbers(one.scope).endswith(f"{SCOPE}{wanted}")
            or one.name == name
        ]


def shared_ends(old: bytes, new: bytes) -> int:
    """The bytes that two contents have in common at their beginning and at their end."""
    most = min(len(old), len(new))
    first = _longest(most, lambda size: old[:size] == new[:size])
    return first + _longest(most - first, lambda size: old[len(old) - size :] == new[len(new) - size :])


def _longest(most: int, holds: Callable[[int], bool]) -> int:
    """The largest size for which something holds that holds for all smaller ones, too."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _comments_of(language: Language, seen: Outline) -> list[Range] | None:
    """While the tree is there; None if there is none, or a grammar refuses its own kinds."""
    try:
        return comments_in(language, seen.root) if seen.root is not None else None
    except ValueError:
        return None


def read_definitions(path: str, content: bytes, known: LanguageTable) -> FileDefinitions:
    """Parse a file's content. It never fails: an unparsable file has no definitions."""
    source, _ = in_utf8(content)
    name = language_in(path, source, known)
    language = known.by_name.get(name)
    if language is None or is_locked(path) or (language.may_be_minified and binary.is_minified(source)):
        return FileDefinitions(path, "", source)
    try:
        seen = outline(language, source)
        if seen.unread:
            return FileDefinitions(path, name, source)
        units, source = nest_definitions(seen), seen.readable or source
        found = symbols(units, [], source, decorators_of(units, seen.marks))
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - a file that cannot be parsed is compared as a whole
        return FileDefinitions(path, name, source)
    own = [unit for unit in units if not unit.definition.into]
    comments = _Comments(language, source, _comments_of(language, seen))
    definitions = [SymbolVersion(path, symbol, unit, source, comments) for symbol, unit in zip(found, own, strict=True)]
    return FileDefinitions(path, name, source, definitions, comments)
