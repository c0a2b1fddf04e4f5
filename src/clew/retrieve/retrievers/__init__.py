"""The retrievers that come with Clew, and those that installed packages bring (entry points `clew.retrievers`)."""

from importlib import import_module

from clew.model.errors import InvalidInput
from clew.retrieve.retriever import Factory, Retriever, Sources
from clew.runtime.plugins import RETRIEVERS, offered

# In the order in which reasons are told. Loaded when used.
BUILT_IN = {
    "full_text": "clew.retrieve.retrievers.full_text:FullText",
    "symbol": "clew.retrieve.retrievers.symbol:Symbols",
    "path": "clew.retrieve.retrievers.path:Paths",
    "git_history": "clew.retrieve.retrievers.git_history:GitHistory",
    "graph": "clew.retrieve.retrievers.graph:Graph",
    "semantic": "clew.retrieve.retrievers.semantic:Semantic",
}


def make(name: str, sources: Sources) -> Retriever:
    brought = {offer.name: offer.value for offer in offered(RETRIEVERS)}
    where = BUILT_IN.get(name) or brought.get(name)
    if where is None:
        known = ", ".join(sorted({*BUILT_IN, *brought}))
        raise InvalidInput(f"no retriever is called {name!r}", f"Name one of {known} under [providers].")
    return _loaded(where)(sources)


def known() -> list[str]:
    return [*BUILT_IN, *sorted({offer.name for offer in offered(RETRIEVERS)} - BUILT_IN.keys())]


def _loaded(where: str) -> Factory:
    module, _, name = where.partition(":")
    factory: Factory = getattr(import_module(module), name)
    return factory
