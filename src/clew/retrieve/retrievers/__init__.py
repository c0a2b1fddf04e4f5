"""The retrievers that come with Clew, and those that installed packages bring (entry points `clew.retrievers`)."""

from importlib import import_module

from clew.model.errors import InvalidInput
from clew.retrieve.retriever import Factory, Retriever, RetrieverSources
from clew.runtime.plugins import RETRIEVERS, find_offers, load

# In the order in which reasons are told. Loaded when used.
BUILT_IN = {
    "full_text": "clew.retrieve.retrievers.full_text:FullTextRetriever",
    "symbol": "clew.retrieve.retrievers.symbol:SymbolRetriever",
    "path": "clew.retrieve.retrievers.path:PathRetriever",
    "git_history": "clew.retrieve.retrievers.git_history:GitHistoryRetriever",
    "graph": "clew.retrieve.retrievers.graph:GraphRetriever",
    "semantic": "clew.retrieve.retrievers.semantic:SemanticRetriever",
    "summary": "clew.retrieve.retrievers.summary:SummaryRetriever",
}


def make(name: str, sources: RetrieverSources) -> Retriever:
    """A built-in retriever has precedence over a plug-in of its name; among packages, the first by name."""
    factory: Factory
    if where := BUILT_IN.get(name):
        module, _, attribute = where.partition(":")
        factory = getattr(import_module(module), attribute)
        return factory(sources)
    for offer in find_offers(RETRIEVERS):
        if offer.name == name:
            factory = load(RETRIEVERS, offer)
            return factory(sources)
    raise InvalidInput(f"no retriever is called {name!r}", f"Name one of {', '.join(names())} under [providers].")


def names() -> list[str]:
    return [*BUILT_IN, *sorted({offer.name for offer in find_offers(RETRIEVERS)} - BUILT_IN.keys())]
