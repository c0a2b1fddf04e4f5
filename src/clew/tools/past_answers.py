"""Answers from git's history: commits with the lines that they changed, and authors by their knowledge."""

from collections.abc import Mapping
from contextlib import suppress

from msgspec import Struct, structs

from clew.engine import Engine
from clew.history.answers import (
    AuthorAnswer,
    ChangedLine,
    CommitAnswer,
    HistoryQuestion,
    PastAnswer,
    PastAnswers,
    question_of,
    topic_of,
)
from clew.history.moments import Moments
from clew.index.history import git, objects
from clew.model.errors import ClewError
from clew.model.search import Query, Scope
from clew.model.time import to_iso
from clew.text.secrets import Scrubber
from clew.tools.budget import Priority, Shape, grow_lists, only
from clew.tools.freshness import count_of

MOST_PLACES = 12  # hits whose files are looked for in commits
MOST_FACTS = 3  # commits beside an answer that is not about the past alone


class HistorySearch(Struct, frozen=True, omit_defaults=True):
    """`asked` is how the question was understood: recent, when, who or why."""

    asked: str
    topic: str
    commits: tuple[CommitAnswer, ...]
    authors: tuple[AuthorAnswer, ...]
    commits_looked_at: int
    notes: tuple[str, ...] = ()

    def summary(self) -> str:
        if self.asked == HistoryQuestion.WHO:
            first = self.authors[0] if self.authors else None
            said = (
                f"{first.author} knows it best: {count_of(first.commits, 'commit', 'commits')}, the last on "
                f"{to_iso(first.last)[:10]}."
                if first
                else "No commit is about it."
            )
        elif self.commits:
            best = self.commits[0]
            said = f"{best.commit[:10]} on {to_iso(best.time)[:10]} by {best.author}: {best.subject}"
            said = f"{count_of(len(self.commits), 'commit', 'commits')}; the best: {said.rstrip('.')}."
        else:
            said = "No commit is about it."
        return " ".join([said, *self.notes])


_FEW = only("commit", "time", "author", "subject")
SEARCH_SHAPE = Shape(
    {"notes": Priority.LOW, "commits_looked_at": Priority.LOW, "topic": Priority.LOW},
    grow_lists("commits", "authors", forms={"commits": (_FEW,), "authors": (only("author", "commits", "last"),)}),
    pages=("commits", "authors"),
    in_sequence=True,
)


class HistoryRequest(Struct, frozen=True):
    """`tip` is the commit up to which commits count."""

    query: str
    kind: str = ""
    since: str = ""
    limit: int = 10
    tip: str = "HEAD"


def search_history(engine: Engine, request: HistoryRequest, now: int) -> HistorySearch:
    """Commits or authors, as the question asks for them or as `kind` says."""
    kind, query, since = request.kind, request.query, request.since
    root = engine.place.root
    objects.require_commits(root)
    asked = HistoryQuestion(kind) if kind else question_of(query) or HistoryQuestion.WHEN
    moment = Moments(root, engine.transactions, lambda: now).find(since).time if since else 0
    found = _answer(engine, asked, request, moment)
    notes = []
    if git.shallow_boundary(root):
        notes.append("This clone is shallow: older commits are not known.")
    if odd := objects.odd_history(root):
        notes.append(odd)
    return HistorySearch(str(asked), found.topic, found.commits, found.authors, found.looked_at, tuple(notes))


def facts(engine: Engine, text: str, most: int = MOST_FACTS) -> PastAnswer | None:
    """The same beside another answer, if the question asks for the past; None if not, or without commits."""
    asked = question_of(text)
    if asked is None:
        return None
    with suppress(ClewError):
        if git.head(engine.place.root) is not None:
            found = _answer(engine, asked, HistoryRequest(text, limit=most))
            return found if found.commits or found.authors else None
    return None


def beside(engine: Engine, query: str) -> tuple[tuple[CommitAnswer, ...], tuple[AuthorAnswer, ...]]:
    """What a search shows beside its hits: commits with fewer lines, or authors where they are asked for."""
    found = facts(engine, query)
    if found is None:
        return (), ()
    if found.asked is HistoryQuestion.WHO:
        return (), found.authors
    return tuple(structs.replace(one, lines=one.lines[:2]) for one in found.commits), ()


def as_text(found: PastAnswer) -> list[str]:
    """A line for each commit and author, each with its commit, for a prompt."""
    said = []
    for one in found.commits:
        said.append(f"{one.commit[:10]} {to_iso(one.time)[:10]} {one.author}: {one.subject} ({', '.join(one.files)})")
        said += [f"  {line.sign} {line.path}: {line.text}" for line in one.lines[:2]]
    if found.asked is HistoryQuestion.WHO:
        said += [
            f"{one.author}: {one.commits} commits, last {to_iso(one.last)[:10]} ({', '.join(one.files)})"
            for one in found.authors
        ]
    return said


def _answer(engine: Engine, asked: HistoryQuestion, request: HistoryRequest, since: int = 0) -> PastAnswer:
    places = _places(engine, topic_of(request.query))
    answers = PastAnswers(engine.place.root, request.tip)
    found = answers.answer(asked, request.query, places, since=since, limit=request.limit)
    scrubber = Scrubber(engine.config.security.scrub_secrets, engine.config.security.secret_patterns)
    return structs.replace(found, commits=tuple(_scrub_answer(one, scrubber) for one in found.commits))


def _places(engine: Engine, topic: str) -> Mapping[str, float]:
    """How well each file answers, the best one 1; nothing without an index."""
    with suppress(ClewError):
        hits = engine.search(Query(topic, MOST_PLACES, Scope(), 0.0)).hits
        best = max((hit.score for hit in hits), default=0.0) or 1.0
        places: dict[str, float] = {}
        for hit in hits:
            places[hit.path] = max(places.get(hit.path, 0.0), round(hit.score / best, 4))
        return places
    return {}


def _scrub_answer(one: CommitAnswer, scrubber: Scrubber) -> CommitAnswer:
    lines = tuple(ChangedLine(line.path, line.sign, scrubber.scrub(line.text, line.path)[0]) for line in one.lines)
    return structs.replace(one, subject=scrubber.scrub(one.subject, "")[0], lines=lines)
