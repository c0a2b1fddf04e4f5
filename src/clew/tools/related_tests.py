"""How much the words of tests have in common with a change: a second kind of evidence beside the paths of the graph.

Words do not show that a test runs changed code. They rank tests: where nearly all reach a change, those that name its
subject are more probably affected than the others.
"""

from collections.abc import Collection, Iterable

from clew.engine import Engine
from clew.model.code import split_id, symbol_id

MOST_FILES = 150  # files of tests whose single tests are told apart
MOST_WORDS = 300  # of a change


def related_tests(
    engine: Engine, names: Iterable[str], lines: Iterable[str], files: Collection[str]
) -> dict[str, float]:
    """By the id of a test or its file, from 0 to 1 for the one with the most in common. `names` are ids of changed
    code, `lines` its changed lines, `files` those of tests."""
    import numpy as np  # heavy, and most tools do not need it

    from clew.retrieve import lexical
    from clew.retrieve.question import Word, lexicon

    corpus = engine.corpus()
    terms: dict[str, Word] = {}
    for text in (*(_words_of(name) for name in names), *lines):
        for term, word in lexicon().question(text).items():
            terms.setdefault(term, Word(word, 1.0))
        if len(terms) > MOST_WORDS:
            break
    if not terms:
        return {}
    scored = lexical.score(corpus, lexical.look_up(corpus, dict(sorted(terms.items()))))
    best: dict[str, tuple[float, bytes]] = {}
    chunks: dict[str, list[float]] = {}
    for part, scores in zip(corpus.parts, scored.chunks, strict=True):
        postings = part.postings
        for number, path in enumerate(postings.paths):
            if path in files and part.files[number]:
                first, end = (int(postings.first_of[number + one]) for one in (0, 1))
                own = scores[first:end]
                if len(own) and float(own.max()) > 0:
                    best[path] = float(np.max(own)), postings.digest(number)
                    chunks[path] = own.tolist()
    found: dict[str, float] = {}
    for path in sorted(best, key=lambda one: (-round(best[one][0], 9), one)):
        found[path] = best[path][0]
        if len(chunks) and len(found) <= MOST_FILES:
            held = engine.files.find_text(path, best[path][1]).chunks
            for chunk, score in zip(held, chunks[path], strict=True):
                if chunk.scope:
                    node_id = symbol_id(path, chunk.scope)
                    found[node_id] = max(found.get(node_id, 0.0), score)
    most = max(found.values(), default=1.0)
    return {node_id: round(score / most, 6) for node_id, score in found.items()}


def _words_of(node_id: str) -> str:
    path, scope = split_id(node_id)
    return f"{path.rpartition('/')[2].partition('.')[0]} {scope.replace('::', ' ')}"
