"""Ranking: pure, bounded, and in an order that can be told in advance."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clew.model.words import Kind
from clew.retrieve.fusion import best
from clew.retrieve.lexical import LENGTH_DISCOUNT, SATURATION, WEIGHTS, Term, look_up, matching_terms, range_of, score
from clew.retrieve.question import Word
from clew.retrieve.retriever import ChunkPlace
from clew.store.corpus import Corpus, CorpusPart, _corpus
from clew.store.postings import KIND_CODES, Field, pack_words
from clew.store.snapshot import FIELD_BITS, Postings, Source, invert

FILLER = "one two three four five six"
Fields = Mapping[Field, str]

vocabulary = st.sampled_from(["login", "token", "user", "card", "charg"])
texts = st.lists(vocabulary, max_size=6).map(" ".join)
worlds = st.lists(st.tuples(texts, texts), min_size=1, max_size=8)


def counts(text: str) -> dict[bytes, int]:
    words = text.encode().split()
    return {word: words.count(word) for word in words}


def corpus(*chunks: Fields) -> Corpus:
    """One chunk per file; files are a, b, c …"""
    sources = [
        Source(f"{chr(ord('a') + i)}.py", bytes(32), "python", pack_words(bytes([KIND_CODES[Kind.FUNCTION]]), [fields]))
        for i, fields in enumerate([[counts(chunk.get(field, "")) for field in Field] for chunk in chunks])
    ]
    postings = Postings(invert(sources))
    averages = np.maximum(postings.lengths.mean(axis=0), 1e-9)
    return Corpus(
        "",
        (CorpusPart(postings, np.ones(postings.chunks, np.bool_), np.ones(len(postings.paths), np.bool_)),),
        postings.chunks,
        averages,
    )


def corpus_of_long(*files: Sequence[Fields]) -> Corpus:
    """One chunk per file: what the whole holds, then what each of its passages does."""
    kind = bytes([KIND_CODES[Kind.FUNCTION]])
    sources = []
    for i, documents in enumerate(files):
        fields = [[counts(document.get(field, "")) for field in Field] for document in documents]
        words = pack_words(kind * len(fields), fields, range(1, len(fields)))
        sources.append(Source(f"{chr(ord('a') + i)}.py", bytes(32), "python", words))
    postings = Postings(invert(sources))
    return _corpus(
        "", (CorpusPart(postings, np.ones(postings.chunks, np.bool_), np.ones(len(postings.paths), np.bool_)),)
    )


class Hit(NamedTuple):
    chunk: int
    score: float
    passage: int


class Ranking(NamedTuple):
    best: tuple[Hit, ...]
    unknown: tuple[str, ...]


def looked_up(world: Corpus, *terms: str) -> list[Term]:
    return look_up(world, {term: Word(term, 1.0) for term in terms})


def ranked(world: Corpus, *terms: str, limit: int = 10) -> Ranking:
    scored = score(world, looked_up(world, *terms))
    found = best(world, scored.chunks, limit)
    return Ranking(tuple(Hit(place.chunk, one, scored.passage(place)) for place, one in found), scored.unknown)


def told(world: Corpus, chunk: int, term: str) -> float:
    """What a term weighs in a chunk, a mention at a time, in the order of fields."""
    postings, weight = world.parts[0].postings, 0.0
    at = range_of(world.parts[0], term)
    for place, frequency in zip(postings.places[at].tolist(), postings.frequencies[at].tolist(), strict=True):
        if place >> FIELD_BITS == chunk and world.parts[0].live[chunk]:
            field = place & ((1 << FIELD_BITS) - 1)
            relative = postings.lengths[chunk, field] / world.averages[field]
            discount = LENGTH_DISCOUNT[field]
            weight += WEIGHTS[field] / (1 - discount + discount * relative) * frequency
    return float(weight)


@given(
    st.lists(st.tuples(texts, texts, texts), min_size=1, max_size=8),
    st.lists(vocabulary, min_size=1, unique=True),
    st.sets(st.integers(0, 7)),
)
def test_scores_are_those_of_each_chunk_alone_to_the_bit(
    chunks: list[tuple[str, str, str]], terms: list[str], dead: set[int]
) -> None:
    whole = corpus(*({Field.NAME: a, Field.DOC: b, Field.CODE: c} for a, b, c in chunks)).parts[0]
    live = np.array([i not in dead for i in range(len(chunks))])
    world = _corpus("", (CorpusPart(whole.postings, live, live),))
    expected, possible = [0.0] * len(chunks), 0.0
    for term in terms:
        weights = [told(world, i, term) for i in range(len(chunks))]
        if frequency := sum(weight > 0 for weight in weights):
            rarity = math.log(1 + (world.chunks - frequency + 0.5) / (frequency + 0.5))
            possible += rarity
            expected = [e + rarity * (w / (w + SATURATION)) for e, w in zip(expected, weights, strict=True)]

    (got,) = score(world, looked_up(world, *terms)).chunks

    assert got.tolist() == [math.sqrt(min(one / (possible or 1.0), 1.0)) for one in expected]


def order(ranking: Ranking) -> str:
    return "".join(chr(ord("a") + hit.chunk) for hit in ranking.best)


def world_of(chunks: list[tuple[str, str]]) -> Corpus:
    return corpus(*({Field.NAME: name, Field.CODE: code} for name, code in chunks))


def test_a_name_beats_a_body() -> None:
    world = corpus({Field.CODE: f"login {FILLER}"}, {Field.NAME: "login", Field.CODE: FILLER}, {Field.CODE: FILLER})

    assert order(ranked(world, "login")) == "ba"


def test_a_rare_word_beats_a_common_one() -> None:
    world = corpus(*[{Field.CODE: f"common {FILLER}"}] * 5, {Field.CODE: f"rare {FILLER}"}, {Field.CODE: FILLER})

    assert order(ranked(world, "common", "rare"))[0] == "f"


def test_a_word_in_a_short_text_says_more_than_in_a_long_one() -> None:
    world = corpus({Field.CODE: f"login {FILLER} {FILLER}"}, {Field.CODE: "login"})

    assert order(ranked(world, "login")) == "ba"


def test_more_of_the_question_beats_more_of_one_word() -> None:
    world = corpus({Field.CODE: "login login login"}, {Field.CODE: "login user extra"}, {Field.CODE: FILLER})

    assert order(ranked(world, "login", "user")) == "ba"


def test_equals_are_told_in_path_order() -> None:
    world = corpus(*[{Field.CODE: "login"}] * 4, {Field.CODE: FILLER})

    assert order(ranked(world, "login")) == "abcd"
    assert order(ranked(world, "login", limit=2)) == "ab"


def test_words_that_stand_nowhere_are_named_and_cost_nothing() -> None:
    world = corpus({Field.CODE: "login"}, {Field.CODE: FILLER})

    without, with_unknown = ranked(world, "login"), ranked(world, "login", "zebra")

    assert with_unknown.unknown == ("zebra",)
    assert [hit.score for hit in without.best] == [hit.score for hit in with_unknown.best]


def test_a_question_of_unknown_words_has_no_answer() -> None:
    assert ranked(corpus({Field.CODE: "login"}), "zebra").best == ()


def test_a_word_that_counts_more_decides() -> None:
    world = corpus({Field.CODE: "login"}, {Field.CODE: "user"}, {Field.CODE: FILLER})
    terms = look_up(world, {"login": Word("login", 1.0), "user": Word("user", 2.0)})

    (first, high), (second, low) = best(world, score(world, terms).chunks, 10)

    assert (first.chunk, second.chunk) == (1, 0)
    assert high > low


def test_a_hit_knows_where_each_word_stands() -> None:
    world = corpus({Field.NAME: "login", Field.CODE: "login user"}, {Field.CODE: FILLER})
    (hit,) = ranked(world, "login", "user", "zebra").best

    assert matching_terms(world, looked_up(world, "login", "user", "zebra"), ChunkPlace(0, hit.chunk), hit.passage) == [
        ("login", (Field.NAME, Field.CODE)),
        ("user", (Field.CODE,)),
    ]


LONG = {Field.CODE: f"login user {FILLER} {FILLER} {FILLER}"}
CLOSE = [LONG, {Field.CODE: FILLER}, {Field.CODE: "login user"}, {Field.CODE: FILLER}]  # one passage holds both words
APART = [LONG, {Field.CODE: f"login {FILLER}"}, {Field.CODE: f"user {FILLER}"}]  # two hold one each


def test_words_that_stand_together_in_a_passage_lift_its_chunk() -> None:
    world = corpus_of_long(APART, CLOSE, [{Field.CODE: FILLER}])

    best, second = ranked(world, "login", "user").best

    assert [(best.chunk, best.passage), (second.chunk, second.passage)] == [(1, 2), (0, 0)]
    assert best.score > second.score


def test_a_chunk_with_passages_is_one_match() -> None:
    world = corpus_of_long(CLOSE, APART, [{Field.CODE: "login"}])

    assert len(ranked(world, "login").best) == 3


def test_passages_change_no_statistics_and_no_other_score() -> None:
    others: list[Sequence[Fields]] = [[{Field.CODE: "login"}], [{Field.NAME: "user", Field.CODE: FILLER}]]
    without, having = corpus_of_long([LONG], *others), corpus_of_long(CLOSE, *others)
    before, after = (
        {hit.chunk: hit.score for hit in ranked(world, "login", "user").best} for world in (without, having)
    )

    assert (without.chunks, without.averages.tolist()) == (having.chunks, having.averages.tolist())
    assert [before[chunk] for chunk in (1, 2)] == [after[chunk] for chunk in (1, 2)]
    assert after[0] > before[0]


def test_the_whole_is_best_where_no_passage_is_better() -> None:
    same = {Field.NAME: "login", Field.CODE: "user"}

    (hit,) = ranked(corpus_of_long([same, same, {Field.NAME: "login"}]), "login", "user").best

    assert hit.passage == 0


def test_a_hit_is_explained_by_its_best_passage() -> None:
    close = [{Field.CODE: f"login user card {FILLER}"}, {Field.CODE: f"card {FILLER}"}, {Field.CODE: "login user"}]
    world = corpus_of_long(close, [{Field.CODE: FILLER}])
    (hit,) = ranked(world, "login", "user").best

    assert hit.passage == 2
    words = matching_terms(world, looked_up(world, "card", "login", "user"), ChunkPlace(0, hit.chunk), hit.passage)
    assert [word for word, _ in words] == ["login", "user"]


def test_an_empty_corpus_answers_nothing() -> None:
    assert ranked(Corpus("", (), 0, np.ones(len(Field))), "login").best == ()


@given(worlds, st.sets(vocabulary))
def test_scores_lie_between_zero_and_one_best_first(chunks: list[tuple[str, str]], terms: set[str]) -> None:
    ranking = ranked(world_of(chunks), *sorted(terms), limit=100)
    scores = [hit.score for hit in ranking.best]

    assert all(0 < score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)


@given(worlds, st.sets(vocabulary, min_size=1), st.integers(1, 8))
def test_a_smaller_limit_is_the_beginning_of_a_larger_one(
    chunks: list[tuple[str, str]], terms: set[str], limit: int
) -> None:
    world = world_of(chunks)

    assert ranked(world, *sorted(terms), limit=limit).best == ranked(world, *sorted(terms), limit=99).best[:limit]


@given(worlds, st.sets(vocabulary, min_size=1))
def test_every_chunk_that_holds_a_word_is_found_and_no_other(chunks: list[tuple[str, str]], terms: set[str]) -> None:
    holding = {i for i, (name, code) in enumerate(chunks) if terms & {*name.split(), *code.split()}}

    assert {hit.chunk for hit in ranked(world_of(chunks), *sorted(terms), limit=99).best} == holding


@given(worlds, vocabulary)
def test_one_more_mention_in_the_name_never_lowers_a_chunk_below_its_twin(
    chunks: list[tuple[str, str]], term: str
) -> None:
    name, code = chunks[0]
    world = world_of([*chunks, (f"{name} {term}".strip(), code)])
    scores = {hit.chunk: hit.score for hit in ranked(world, term, limit=99).best}

    assert scores[len(chunks)] >= scores.get(0, 0.0) or len(name.split()) > 2
