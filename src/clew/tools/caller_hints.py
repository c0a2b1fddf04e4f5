"""For an element without known callers: where its name occurs, where it may be built at run time, and external callers.

So that the reader can judge whether the zero is real.
"""

from typing import TYPE_CHECKING

from msgspec import Struct

from clew.engine import Engine
from clew.graph.elements import Element
from clew.graph.parts import LogicalSymbol
from clew.model.code import split_id
from clew.model.words import Kind
from clew.text.paths import is_test_path
from clew.tools.unindexed_files import find_unindexed_files

if TYPE_CHECKING:
    from clew.store.corpus import Corpus

MOST = 10  # lines that are told; all are counted
MOST_PIECES = 3  # that a sentence has


class NameMentions(Struct, frozen=True, omit_defaults=True):
    """Lines that have an element's name, outside of it; `unread` files may have more."""

    count: int
    places: tuple[str, ...]
    unread: int = 0

    def __str__(self) -> str:
        many = f"{'at least ' * bool(self.unread)}{self.count}" if self.count else "no"
        where = " that was looked at" if self.unread and not self.count else ""
        return f"its name stands in {many} other line{'s' * (self.count > 1)}{where}"


class NameConstruction(Struct, frozen=True, omit_defaults=True):
    """Lines that may make an element's name of `pieces`: what they make of them, nobody can tell."""

    count: int
    places: tuple[str, ...]
    pieces: tuple[str, ...]
    unread: int = 0

    def __str__(self) -> str:
        many = f"{self.count} line{'s' * (self.count > 1)}"
        return f"{many} may put it together ({' '.join(self.pieces[:MOST_PIECES])})"


class CallerHints(Struct, frozen=True):
    """What may speak against a zero."""

    named: NameMentions | None = None
    put_together: NameConstruction | None = None
    outside: tuple[str, ...] = ()

    def sentence_parts(self) -> list[str]:
        """In parts of a sentence."""
        told = [str(one) for one in (self.named, self.put_together) if one]
        return [*told, f"may be called from outside ({', '.join(self.outside)})"] if self.outside else told


def find_caller_hints(engine: Engine, thing: LogicalSymbol, name: str) -> CallerHints:
    """Of what has no name that could be called: nothing, but for settings, which are known by their keys."""
    from clew.graph.edges import Current  # numpy is heavy, and most tools do not need it
    from clew.graph.possible_callers import RUN, reasons

    corpus, element = engine.corpus(), thing.element
    if not name:
        is_key = element.kind is Kind.BLOCK and element.name.isidentifier()
        return CallerHints(_where_named(engine, corpus, thing, element.name) if is_key else None)
    outside = reasons(Current(corpus), element)
    made = None if RUN in outside else _where_made(engine, corpus, element, name)
    return CallerHints(_where_named(engine, corpus, thing, name), made, outside)


def find_reads(engine: Engine, thing: LogicalSymbol) -> CallerHints:
    """All lines that have the name of a setting or another value: what reads it by its name is not always resolved."""
    name = thing.element.name.rpartition("::")[2].rpartition(".")[2]
    if not name.isidentifier():
        return CallerHints()
    return CallerHints(_where_named(engine, engine.corpus(), thing, name))


def _where_made(engine: Engine, corpus: "Corpus", element: Element, name: str) -> NameConstruction | None:
    from clew.retrieve.naming import put_together  # as above

    made = put_together(corpus, name, element.language, engine.files.text)
    lines = [f"{one.path}:{one.line}" for one in made.spots]
    return NameConstruction(len(lines), tuple(lines[:MOST]), made.pieces, made.unread) if lines else None


def _where_named(engine: Engine, corpus: "Corpus", thing: LogicalSymbol, name: str) -> NameMentions | None:
    """Lines that mention a name, those of the same language and likely members first; None if the lookup fails."""
    from clew.retrieve.naming import find_mentions  # as above

    found = find_mentions(corpus, name, engine.files.text)
    if found is None:
        return None
    element = thing.element
    own = [(element.path, element.first_line, element.last_line)]
    own += [(split_id(part.id)[0], part.first_line, part.last_line) for part in thing.parts]
    others = [one for one in found.spots if not any(p == one.path and a <= one.line <= b for p, a, b in own)]
    ending = element.path.rpartition(".")[2]
    others.sort(key=lambda one: (not one.path.endswith(ending), not one.is_member, is_test_path(one.path), one))
    coverage = engine.coverage()
    left = coverage.seen - coverage.indexed if coverage.partial else find_unindexed_files(engine).count
    return NameMentions(len(others), tuple(f"{one.path}:{one.line}" for one in others[:MOST]), found.unread + left)
