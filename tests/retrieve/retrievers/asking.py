"""One retriever of a small index, asked alone."""

from typing import NamedTuple

from clew.engine import Engine
from clew.model.search import Scope
from clew.retrieve import retrievers
from clew.retrieve.question import understand
from clew.retrieve.retriever import Ask, ChunkPlace, Retrieved, RetrieverSources, file_at
from clew.retrieve.scope import masks
from clew.retrieve.source_cache import Holder


class Seen(NamedTuple):
    score: float
    detail: str


def sources(engine: Engine) -> RetrieverSources:
    held = Holder(engine.files)
    return RetrieverSources(
        engine.place.root, engine.config, engine.files, held, engine.histories, lambda: engine.meaning
    )


def ask(engine: Engine, question: str, candidates: tuple[ChunkPlace, ...] = ()) -> Ask:
    corpus = engine.corpus()
    return Ask(understand(question), corpus, tuple(masks(corpus, Scope())), candidates)


def named(engine: Engine, asked: Ask, place: ChunkPlace) -> str:
    """The id of a chunk's symbol."""
    number, path = file_at(asked.corpus, place)
    postings = asked.corpus.parts[place.part].postings
    held = engine.files.find_text(path, postings.digest(number))
    chunk = held.chunks[place.chunk - int(postings.first_of[number])]
    return f"{path}::{chunk.scope}" if chunk.scope else path


def seen(engine: Engine, name: str, question: str, candidates: tuple[ChunkPlace, ...] = ()) -> dict[str, Seen]:
    """What a retriever has to say, by symbol, the most first; dead chunks aside."""
    asked = ask(engine, question, candidates)
    found: Retrieved = retrievers.make(name, sources(engine)).retrieve(asked)
    told = {}
    for part, scores in enumerate(one[:] for one in found.scores):
        assert len(found.scores[part]) == len(scores) == asked.corpus.parts[part].postings.chunks
        assert ((scores >= 0) & (scores <= 1)).all()
        for chunk in (scores * asked.allowed[part]).nonzero()[0].tolist():
            place = ChunkPlace(part, chunk)
            told[named(engine, asked, place)] = Seen(float(scores[chunk]), found.explain(place))
    return dict(sorted(told.items(), key=lambda one: -one[1].score))
