"""Corpora by hand: files and the edges that they show, as one snapshot or laid over another."""

from collections.abc import Mapping, Sequence

import numpy as np

from clew.graph.elements import outside
from clew.graph.parts import LogicalSymbol
from clew.model.words import EdgeKind, EvidenceKind
from clew.store import snapshot
from clew.store.corpus import Corpus, CorpusPart
from clew.store.links import FileEdge, Linked, digest_of, pack_links
from clew.store.postings import Field, pack_words

Shows = Mapping[str, Sequence[FileEdge]]


def shown(scope: str, kind: EdgeKind, target: str, line: int = 1, confidence: float = 1.0) -> FileEdge:
    return FileEdge(scope, kind, target, line, EvidenceKind.CALLSITE, confidence)


def a_part(files: Shows, gone: frozenset[str] = frozenset()) -> CorpusPart:
    """The files named as gone do not hold any more."""
    links = {path: pack_links(Linked(tuple(files[path]))) for path in sorted(files)}
    postings = snapshot.Postings(
        snapshot.invert(
            snapshot.Source(path, bytes(snapshot.DIGEST_BYTES), "python", pack_words(b"", []), data, digest_of(data))
            for path, data in links.items()
        )
    )
    holds = np.array([path not in gone for path in links], np.bool_)
    return CorpusPart(postings, holds[postings.file_of], holds)


def thing(id: str, *others: str) -> LogicalSymbol:
    """One that is written there, and in other places."""
    return LogicalSymbol(outside(id), (id, *others))


def a_corpus(*parts: CorpusPart) -> Corpus:
    return Corpus("a-stamp", parts, 0, np.ones(len(Field)))


def laid_over(before: Shows, now: Shows) -> Corpus:
    """What is now, as a snapshot of what was before and what changed since."""
    gone = frozenset(path for path in before if before[path] != now.get(path))
    fresh = {path: edges for path, edges in now.items() if edges != before.get(path)}
    return a_corpus(a_part(before, gone), a_part(fresh))


def anew(now: Shows) -> Corpus:
    return a_corpus(a_part(now))
