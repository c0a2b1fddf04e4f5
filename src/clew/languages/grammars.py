"""Grammars and queries of languages."""

from functools import cache
from importlib import import_module
from pkgutil import get_data  # `importlib.resources` would load three times as much
from typing import TYPE_CHECKING

from clew.languages.profile import Language

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import Query

_BUILT_IN = "clew.languages"


@cache
def grammar(language: Language) -> "Grammar":
    from tree_sitter import Language as Grammar  # native code, needed only where files are parsed

    return Grammar(getattr(import_module(language.grammar), language.entry)())


def query_text(language: Language) -> str:
    places = [query.rpartition(":") for query in language.queries]
    files = [(package or f"{_BUILT_IN}.{name}", name if package else "query") for package, _, name in places]
    texts = [get_data(package, f"{name}.scm") or b"" for package, name in files]
    return "\n".join(text.decode() for text in texts)


def compile_query(language: Language, text: str) -> "Query":
    from tree_sitter import Query, QueryError

    try:
        return Query(grammar(language), text)
    except QueryError:  # which an interruption becomes, while an expression in it is compiled
        Query(grammar(language), text)
        raise KeyboardInterrupt from None  # since it can be made
