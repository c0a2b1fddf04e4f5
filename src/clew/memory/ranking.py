"""Ranks episodes for a question. Pure: the same archive and question give the same scores, to the bit.

An episode scores by its own words (BM25); by those of the two before and after it in its session, since an answer
rarely repeats the question's words; by those of its session as a whole; and if the agent named in the question wrote
it.
"""

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from clew.memory.archive import Archive, outside
from clew.store.arrays import Array

SATURATION, LENGTH_DISCOUNT = 1.0, 0.4  # BM25's k1 and b, of episodes
SESSION_SATURATION, SESSION_DISCOUNT = 1.2, 0.5  # of sessions

NEARNESS = 1.2  # of a cosine, where there is an embedder
SESSION_NEARNESS = 1.0  # of the best cosine in its session

FAINTNESS = 0.5  # of a cosine of the bundled model: evidence only for an episode that has less of it otherwise
LEAST_COSINE = 0.25  # of the bundled model; unrelated texts are rarely as near (docs/memory.md)
MOST_FAINT = 3  # episodes that are found by the bundled model alone

AUTOMATIC = 0.5  # how much an episode that Clew recorded by itself counts, beside one that an agent wrote

CONTAINING = 0.5  # how much an episode about a file or folder is about what lies in it

SURENESS, SURE_AT = 6.9, 5.2  # fitted on LoCoMo, with questions about other conversations as negatives

DAY = 86_400_000_000  # microseconds
DECAY = 0.05  # per day: half after two weeks


class EpisodeSignals(NamedTuple):
    """The separate scores of each episode, so that they can be weighed anew."""

    own: Array
    one_before: Array
    one_after: Array
    two_before: Array
    two_after: Array
    session: Array
    speaker: Array


# How much each counts: rounded from a fit on LoCoMo, one conversation left out at a time (docs/memory.md). Two before,
# the same one spoke.
WORTH = (1.0, 0.4, 0.2, 0.35, 0.1, 0.4, 0.2)


class MemoryWeights(Struct, frozen=True):
    similarity: float
    recency: float
    proximity: float


FORMULA = MemoryWeights(0.5, 0.3, 0.2)  # as the seed document has it
MEASURED = MemoryWeights(0.795, 0.005, 0.2)  # what finds more of the evidence: docs/memory.md


class MemoryQuestion(Struct, frozen=True):
    """A question taken apart: its terms, the agent that it names, if it names one, and its text without names."""

    terms: tuple[str, ...]
    agent: int
    text: str


def parse(archive: Archive, question: str) -> MemoryQuestion:
    """Names of agents are no search terms: agents rarely write their own names.

    Only capitalised words count as names: not every cursor means an agent called `cursor`.
    """
    words = archive.question(question)
    written = set(words.values())
    named = [name for name in archive.agents if name[:1].isupper() and set(name.split()) <= written]
    parts = {part for name in named for part in name.split()}
    telling = tuple(term for term, word in words.items() if word not in parts)
    agent = archive.agents.find(named[0]) if len(named) == 1 else -1
    text = " ".join(word for word in question.split() if not parts & {*re.findall(r"\w+", word)})
    return MemoryQuestion(telling or tuple(words), agent, text or question)


def signals(archive: Archive, question: MemoryQuestion, seen: Array) -> EpisodeSignals:
    """Rows outside of `seen` have no influence: neither by their words nor by the frequency of these."""
    own, of_session = _by_words(archive, question.terms, seen)
    before, after = archive.before.all, archive.after.all
    one_before, one_after = _at(own, before), _at(own, after)
    two_before, two_after = _at(one_before, before), _at(one_after, after)
    speaker = (archive.agent.all == question.agent).astype(np.float64)
    return EpisodeSignals(own, one_before, one_after, two_before, two_after, of_session[archive.session.all], speaker)


def evidence(archive: Archive, question: MemoryQuestion, seen: Array) -> Array:
    """The evidence for each episode, from 0 on; the speaker counts only beside other evidence."""
    *said, speaker = signals(archive, question, seen)
    total: Array = sum((worth * one for worth, one in zip(WORTH, said, strict=False)), np.zeros(len(archive)))
    total += WORTH[-1] * speaker * (total > 0)
    total[~seen] = 0.0
    return total


def nearness(cosines: Array, sessions: Sequence[str]) -> Array:
    """The contribution of an embedder to the evidence for some episodes of these sessions."""
    near = np.maximum(cosines, 0.0)
    _, of = np.unique(np.array(sessions, np.str_), return_inverse=True)
    best = np.zeros(of.max() + 1)
    np.maximum.at(best, of, near)
    total: Array = NEARNESS * near + SESSION_NEARNESS * best[of]
    return total


def faint_evidence(cosines: Array) -> Array:
    """The evidence of the bundled model for some episodes: none, except for the nearest few."""
    found = np.zeros(len(cosines))
    nearest = np.argsort(-cosines, kind="stable")[:MOST_FAINT]
    near = nearest[cosines[nearest] >= LEAST_COSINE]
    found[near] = FAINTNESS * cosines[near]
    return found


def similarity(evidence: Array) -> Array:
    """From 0 to 1, in the same order."""
    return 1.0 - np.exp(-np.maximum(evidence, 0.0))


def confidence(similarity: float) -> float:
    """How likely the evidence is among the first five episodes, by the similarity of the best: docs/memory.md."""
    return round(1 / (1 + math.exp(SURE_AT - SURENESS * similarity)), 3)


def recency(archive: Archive, now: int) -> Array:
    days: Array = np.maximum(now - archive.occurred.all, 0) / DAY
    recent: Array = np.exp(-DECAY * days)
    return recent


def proximity(archive: Archive, entities: Sequence[str]) -> Array:
    """Jaccard's: what question and episode share of all that either is about.

    A question about a file shares all that is in it. An episode about a file is less about one symbol in it.
    """
    found = np.zeros(len(archive))
    wanted = set(entities)
    for row in {row for one in wanted for row in archive.rows_about(one)}:
        own = set(archive.entities[row])
        shared = sum(max((_overlap(node, one) for one in wanted), default=0.0) for node in own)
        answered = {one for one in wanted if any(_overlap(node, one) for node in own)}
        found[row] = shared / len(own | (wanted - answered))
    return found


def best(scores: Array, eligible: Array, limit: int) -> Array:
    """The rows of the highest scores; of equal ones, the earlier."""
    rows = np.flatnonzero(eligible)
    if len(rows) > limit:
        least = np.partition(scores[rows], -limit)[-limit]
        rows = rows[scores[rows] >= least]
    return rows[np.argsort(-scores[rows], kind="stable")][:limit]


def bm25(rare: float, frequency: Array, norm: Array) -> Array:
    """BM25 of one term, for episodes of these norms."""
    found: Array = rare * (SATURATION + 1) * frequency / (frequency + norm)
    return found


def norms(archive: Archive, seen: Array) -> Array:
    """How often a term must stand in each episode to count half: in long ones, more often."""
    return SATURATION * _length_norm(archive.length.all, LENGTH_DISCOUNT, seen)


def _by_words(archive: Archive, terms: Sequence[str], seen: Array) -> tuple[Array, Array]:
    """BM25 of episodes and of sessions, as shares of all that the question says."""
    own, sessions = np.zeros(len(archive)), np.zeros(len(archive.sessions))
    session = archive.session.all
    norm = norms(archive, seen)
    whole = seen.all()
    known = np.ones(len(sessions), np.bool_) if whole else np.bincount(session[seen], minlength=len(sessions)) > 0
    of_sessions = np.bincount(session, archive.length.all if whole else archive.length.all * seen, len(sessions))
    session_norm = SESSION_SATURATION * _length_norm(of_sessions, SESSION_DISCOUNT, known)
    episodes, all_sessions = int(seen.sum()), int(known.sum())
    possible = possible_session = 0.0
    for term in terms:
        rows, frequency = archive.seen_in(term, seen)
        if not len(rows):
            continue
        rare = rarity(episodes, len(rows))
        own[rows] += bm25(rare, frequency, norm[rows])
        by_session = np.bincount(session[rows], frequency, len(sessions))
        held = np.flatnonzero(by_session)
        session_rare = rarity(all_sessions, len(held))
        weight = by_session[held]
        sessions[held] += session_rare * (SESSION_SATURATION + 1) * weight / (weight + session_norm[held])
        possible += rare
        possible_session += session_rare
    return own / (possible or 1.0), sessions / (possible_session or 1.0)


def rarity(all: int, holding: int) -> float:
    return math.log(1 + (all - holding + 0.5) / (holding + 0.5))


def _length_norm(lengths: Array, discount: float, counted: Array) -> Array:
    known = lengths if counted.all() else lengths[counted]
    average = known.mean() if len(known) else 1.0
    return 1 - discount + discount * lengths / (average or 1.0)


def _at(values: Array, rows: Array) -> Array:
    """The value of another row; where there is none, -1 leads to the 0 at the end."""
    found: Array = np.append(values, 0.0)[rows]
    return found


def _overlap(node: str, wanted: str) -> float:
    """Whether an id is the other or lies in it, by whole parts; less, if it contains the other."""
    if node == wanted or wanted in _outer(node):
        return 1.0
    return CONTAINING if node in _outer(wanted) else 0.0


@lru_cache(maxsize=1 << 15)
def _outer(id: str) -> frozenset[str]:
    return frozenset(outside(id))
