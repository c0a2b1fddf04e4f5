"""Chunks by hand, where only their place and name matter."""

from typing import Any

from clew.model.code import Chunk, Edge, Span, chunk_uid, symbol_id
from clew.model.words import EdgeKind, EvidenceKind, Kind
from clew.pack.artifact import Scores
from clew.pack.gather import Candidate, RouteStep
from clew.pack.request import Options, PackRequest, normalise
from clew.pack.scoring import Lead, graph_scores, seed_scores
from clew.pack.shelf import Standing
from clew.retrieve.source_cache import CachedFile
from clew.store.files import Content, IndexedFile, Known


def a_request(**options: Any) -> PackRequest:
    return normalise(Options(**{"query": "login", **options})).request


def a_standing(path: str, scope: str = "f", line: int = 1) -> Standing:
    chunk = Chunk(scope, scope, Kind.FUNCTION, Span(0, 9, line, line + 1), 3, scope.encode().ljust(8))
    content = Content(path, 1, 1, b"", b"", "python")
    held = IndexedFile(content, Known(1, 1, 9, 0, 0, b"", False, 0), (chunk,), (), b"")
    symbol = symbol_id(path, scope) if scope else ""
    return Standing(chunk_uid(path, 0, chunk.digest), path, symbol, 0, "python", CachedFile(held), chunk)


def a_step(
    kind: EdgeKind = EdgeKind.CALLS,
    ends: tuple[str, str] = ("a.py::f", "b.py::g"),
    *,
    forward: bool = True,
    evidence: EvidenceKind = EvidenceKind.CALLSITE,
) -> RouteStep:
    return RouteStep(Edge(*ends, kind, ends[0].partition("::")[0], 3, evidence, 1.0), forward)


def a_candidate(id: str, *steps: RouteStep, strength: float = 1.0) -> Candidate:
    return Candidate(id, "a.py::f", steps or (a_step(ends=("a.py::f", id)),), strength)


def a_lead(id: str, section: str = "callees", score: float = 0.0, **scores: Any) -> Lead:
    candidate = a_candidate(id)
    made = graph_scores(candidate, score)
    given: dict[str, Any] = {name: scores.get(name, getattr(made, name)) for name in Scores.__struct_fields__}
    return Lead(id, Scores(**given), section, "call-neighbor", candidate=candidate)


def a_seed_lead(id: str, score: float) -> Lead:
    path, _, scope = id.partition("::")
    return Lead(id, seed_scores(score), "seeds", "seed", a_standing(path, scope))
