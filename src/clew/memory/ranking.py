"""How well episodes answer a question. Pure: the same archive and question give the same scores, to the bit.

What speaks for an episode: its own words (BM25); those of the two before and after it in its session, since an answer
rarely repeats the question's words; those of its session as a whole; and that the one who is asked about says it.
"""

import math
import re
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from clew.memory.archive import Archive
from clew.store.arrays import Array

SATURATION, LENGTH_DISCOUNT = 1.0, 0.4  # BM25's k1 and b, of episodes
SESSION_SATURATION, SESSION_DISCOUNT = 1.2, 0.5  # of sessions

# Rounded from a fit on LoCoMo, one conversation left out at a time: docs/memory.md.
BEFORE, AFTER = 0.4, 0.2  # how much the words of a neighbour count
TWO_BEFORE, TWO_AFTER = 0.35, 0.1
SESSION = 0.4
SPEAKER = 0.2
NEARNESS = 1.5  # of a cosine, where there is an embedder

DAY = 86_400_000_000  # microseconds
DECAY = 0.05  # per day: half after two weeks


class Weights(Struct, frozen=True):
    similarity: float
    recency: float
    proximity: float


FORMULA = Weights(0.5, 0.3, 0.2)  # as the seed document has it
MEASURED = Weights(0.78, 0.02, 0.2)  # what finds more of the evidence: docs/memory.md


class Asked(Struct, frozen=True):
    """A question taken apart: its terms, the agent that it names, if it names one, and its text without names."""

    terms: tuple[str, ...]
    agent: int
    text: str


def asked(archive: Archive, question: str) -> Asked:
    """Names of agents are no words to look for: who speaks rarely says the own name.

    Only what is written as a name is one: an agent called `cursor` is not meant by every cursor.
    """
    words = archive.question(question)
    written = set(words.values())
    named = [name for name in archive.agents if name[:1].isupper() and set(name.split()) <= written]
    parts = {part for name in named for part in name.split()}
    telling = tuple(term for term, word in words.items() if word not in parts)
    agent = archive.agents.find(named[0]) if len(named) == 1 else -1
    text = " ".join(word for word in question.split() if not parts & {*re.findall(r"\w+", word)})
    return Asked(telling or tuple(words), agent, text or question)


def evidence(archive: Archive, question: Asked, seen: Array) -> Array:
    """What speaks for each episode, from 0 on; what is not `seen` neither has a say nor gets one."""
    own, of_session = _by_words(archive, question.terms)
    own[~seen] = 0.0
    before, after = archive.before.all, archive.after.all
    one_back, one_on = _at(own, before), _at(own, after)
    total = own + BEFORE * one_back + AFTER * one_on
    total += TWO_BEFORE * _at(one_back, before) + TWO_AFTER * _at(one_on, after)
    total += SESSION * of_session[archive.session.all]
    speaks = (archive.agent.all == question.agent) & (total > 0)
    return np.where(seen, total + SPEAKER * speaks, 0.0)


def similarity(evidence: Array) -> Array:
    """From 0 to 1, in the same order."""
    return 1.0 - np.exp(-np.maximum(evidence, 0.0))


def recency(archive: Archive, now: int) -> Array:
    days: Array = np.maximum(now - archive.occurred.all, 0) / DAY
    recent: Array = np.exp(-DECAY * days)
    return recent


def proximity(archive: Archive, entities: Sequence[str]) -> Array:
    """Jaccard's: what question and episode share of all that either is about; a file shares all that is in it."""
    found = np.zeros(len(archive))
    wanted = set(entities)
    met = [node for node in archive.involved() if any(_meet(node, one) for one in wanted)]
    rows = {row for node in met for row in archive.involving(node)}
    for row in rows:
        own = set(archive.entities[row])
        shared = {node for node in own if any(_meet(node, one) for one in wanted)}
        answered = {one for one in wanted if any(_meet(node, one) for node in own)}
        found[row] = len(shared) / len(own | (wanted - answered))
    return found


def best(scores: Array, eligible: Array, limit: int) -> Array:
    """The rows of the highest scores; of equal ones, the earlier."""
    rows = np.flatnonzero(eligible)
    if len(rows) > limit:
        least = np.partition(scores[rows], -limit)[-limit]
        rows = rows[scores[rows] >= least]
    return rows[np.argsort(-scores[rows], kind="stable")][:limit]


def _by_words(archive: Archive, terms: Sequence[str]) -> tuple[Array, Array]:
    """BM25 of episodes and of sessions, as shares of all that the question says."""
    own, sessions = np.zeros(len(archive)), np.zeros(len(archive.sessions))
    lengths, session = archive.length.all, archive.session.all
    norm = SATURATION * _discounted(lengths, LENGTH_DISCOUNT)
    of_sessions = np.bincount(session, lengths, len(sessions))
    session_norm = SESSION_SATURATION * _discounted(of_sessions, SESSION_DISCOUNT)
    possible = possible_session = 0.0
    for term in terms:
        rows, frequency = archive.posting(term)
        if not len(rows):
            continue
        rarity = _rarity(len(archive), len(rows))
        own[rows] += rarity * (SATURATION + 1) * frequency / (frequency + norm[rows])
        by_session = np.bincount(session[rows], frequency, len(sessions))
        held = np.flatnonzero(by_session)
        session_rarity = _rarity(len(sessions), len(held))
        weight = by_session[held]
        sessions[held] += session_rarity * (SESSION_SATURATION + 1) * weight / (weight + session_norm[held])
        possible += rarity
        possible_session += session_rarity
    return own / (possible or 1.0), sessions / (possible_session or 1.0)


def _rarity(all: int, holding: int) -> float:
    return math.log(1 + (all - holding + 0.5) / (holding + 0.5))


def _discounted(lengths: Array, discount: float) -> Array:
    average = lengths.mean() if len(lengths) else 1.0
    return 1 - discount + discount * lengths / (average or 1.0)


def _at(values: Array, rows: Array) -> Array:
    """The value of another row; none where there is no such row."""
    return np.where(rows >= 0, values[rows], 0.0)


def _meet(one: str, other: str) -> bool:
    """Whether one id is the other, or contains it, by whole parts: a folder its files, a file its symbols."""
    if one == other:
        return True
    inner, outer = (one, other) if len(one) > len(other) else (other, one)
    return inner.startswith((f"{outer}::", f"{outer}/"))
