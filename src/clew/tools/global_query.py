"""`graph_query` in mode global: the communities that a question is about; of an open question, the main parts."""

from collections.abc import Mapping

from clew.engine import Engine
from clew.graph.community_keeper import Communities
from clew.model.search import Query
from clew.text.terms import Lexicon
from clew.tools.communities import Views, refreshed_said
from clew.tools.freshness import count_of
from clew.tools.querying import GraphQuery

HITS = 60  # of a search, by which communities are ranked
BY_WORDS, BY_HITS = 0.5, 0.5
# Words of questions about a whole; a question with no others is answered by its main parts.
_OPEN = (
    "main part parts overview architecture structure component components module modules work works together "
    "codebase project repository repo system whole organized organised layout concern concerns area areas piece "
    "pieces high level "
    "architectural subsystem subsystems explain describe summary summarize code how what fit fits consist consists"
)


def parts_of(engine: Engine, question: str, limit: int) -> GraphQuery:
    """The communities that answer a question, the best first, and how they use each other."""
    engine.require_index()
    found = engine.communities()
    top = found.at(0)
    lexicon = Lexicon()
    open_terms = {term for word in _OPEN.split() for term in lexicon.terms(word)}
    terms = {term for term in lexicon.question(question) if term not in open_terms}
    views = Views(engine, found)
    if not terms:
        chosen = [views.view(one) for one in top[:limit]]
        answered = f"{count_of(len(top), 'main part', 'main parts')}"
    else:
        scores = _scores(engine, found, question, terms, lexicon)
        order = sorted(
            (one for one in top if scores.get(one.number)), key=lambda one: (-scores[one.number], one.number)
        )
        chosen = [views.view(one, round(scores[one.number], 3)) for one in order[:limit]]
        answered = f"{count_of(len(order), 'part answers', 'parts answer')} this"
    names = ", ".join(f"{one.label} ({one.files} files)" for one in chosen[:5])
    said = f"{answered}: {names}." if names else f"{answered}."
    notes = (refreshed_said(found.membership.refreshed),) if found.membership.refreshed else ()
    return GraphQuery((), len(chosen), len(top), notes, answered=said, communities=tuple(chosen))


def _scores(
    engine: Engine, found: Communities, question: str, terms: set[str], lexicon: Lexicon
) -> Mapping[int, float]:
    """By the outermost communities: the share of the question's terms in their labels and words, and of the best hits
    of a search in their files."""
    scores: dict[int, float] = {}
    for one in found.at(0):
        inner = [other for other in found.all if other.number == one.number or other.parent == one.number]
        said = {
            term for other in inner for word in (*other.terms, *other.folder.split("/")) for term in lexicon.terms(word)
        }
        scores[one.number] = BY_WORDS * len(terms & said) / len(terms)
    hits = engine.search(Query(question, HITS)).hits
    weights: dict[int, float] = {}
    for hit in hits:
        if (community := found.of(hit.path)) is not None:
            weights[community.number] = weights.get(community.number, 0.0) + hit.score
    most = max(weights.values(), default=1.0)
    for number, weight in weights.items():
        scores[number] = scores.get(number, 0.0) + BY_HITS * weight / most
    return scores
