"""The answers of `symbol_history` and `symbol_blame`: commits that changed a symbol, their authors, and memories
about it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from clew.engine import Engine
from clew.history.definitions import SymbolVersion
from clew.history.lifelines import Life, Lifelines, SymbolChange
from clew.history.trees import Reader
from clew.index.history import git, objects
from clew.index.history.objects import CommitInfo
from clew.languages.plugins import load_languages, offered_languages
from clew.model.code import SCOPE, split_id, symbol_id, touch, without_numbers
from clew.model.errors import ClewError, InvalidInput, NotFound
from clew.model.time import NOW, AsOf
from clew.runtime.paths import from_root
from clew.text.secrets import Scrubber
from clew.tools.budget import Priority, Shape, grow_lists, only
from clew.tools.drift import viewpoint
from clew.tools.freshness import count_of

MOST_NAMED = 200  # files with a name, that are parsed to find what it means
MOST_CHOICES = 5
MOST_MEMORIES = 20
MOST_EPISODES = 2_000  # the newest, that are looked through
MOST_PARTNERS = 5
_LINE = re.compile(r"(?P<path>[^:]+):(?P<line>\d+)(?:[:-]\d+)?")
_SHORT = only("commit", "time", "kinds", "from_symbol", "subject")


class CommitChange(Struct, frozen=True, omit_defaults=True):
    """A commit that changed the symbol. `time` is UTC microseconds, `subject` the first line of its message.

    `from_path` and `from_symbol` name what it was before, if that was elsewhere or called otherwise; of an extracted
    function, the one that its code came from.
    """

    commit: str
    time: int
    kinds: tuple[str, ...]
    path: str
    symbol: str
    from_path: str = ""
    from_symbol: str = ""
    author: str = ""
    subject: str = ""
    confidence: float = 1.0
    first_line: int = 0
    last_line: int = 0


class AuthorShare(Struct, frozen=True):
    """Somebody who changed it: in how many commits, and when last."""

    author: str
    changes: int
    last: int


class Remembered(Struct, frozen=True):
    """A decision, learning or other episode about the symbol."""

    type: str
    id: str
    content: str
    time: int


class Partner(Struct, frozen=True):
    """A file that changed in `share` of the commits that changed this one."""

    path: str
    share: float
    commits: int


class SymbolHistory(Struct, frozen=True, omit_defaults=True):
    """`changes` come newest first, back to where the symbol was added; `per_year` is how many there were a year.

    `oldest` is the commit of the earliest known change, also where fewer are listed; `added` is whether it is the one
    that added the symbol.
    """

    id: str
    at: str
    changes_total: int
    changes: tuple[CommitChange, ...]
    authors: tuple[AuthorShare, ...] = ()
    per_year: float = 0.0
    changes_together: tuple[Partner, ...] = ()
    memories: tuple[Remembered, ...] = ()
    uncommitted: bool = False
    cut: bool = False
    notes: tuple[str, ...] = ()
    oldest: str = ""
    added: bool = False

    def summary(self) -> str:
        if not self.changes:
            return " ".join([f"No commit up to {self.at[:10]} changed {self.id}.", *self.notes])
        newest = self.changes[0]
        begun = "added in" if self.added else "first seen in"
        people = count_of(len(self.authors), "author", "authors")
        said = f"{self.id}: {count_of(self.changes_total, 'change', 'changes')} by {people}, {begun} {self.oldest[:10]}"
        said += f", last changed in {newest.commit[:10]} ({', '.join(newest.kinds)}): {newest.subject}."
        said += " It has uncommitted edits." if self.uncommitted else ""
        said += " Older changes were not looked for." if self.cut else ""
        return " ".join([said, *self.notes])


class BlamedLine(Struct, frozen=True, omit_defaults=True):
    """A line with the commit that it came with."""

    line: int
    commit: str
    author: str
    time: int
    text: str
    subject: str = ""


class SymbolBlame(Struct, frozen=True, omit_defaults=True):
    """Each line of a symbol with the commit that it came with, also where it was moved or renamed since."""

    id: str
    at: str
    lines: tuple[BlamedLine, ...]
    notes: tuple[str, ...] = ()

    def summary(self) -> str:
        shares = Counter(one.author for one in self.lines)
        said = ", ".join(f"{name} {count_of(n, 'line', 'lines')}" for name, n in shares.most_common(3))
        return " ".join(
            [f"{self.id}, {count_of(len(self.lines), 'line', 'lines')} as of {self.at[:10]}: {said}.", *self.notes]
        )


HISTORY_SHAPE = Shape(
    {
        "authors": Priority.MEDIUM,
        "per_year": Priority.MEDIUM,
        "changes_together": Priority.LOW,
        "memories": Priority.MEDIUM,
        "notes": Priority.LOW,
    },
    grow_lists("changes", forms={"changes": (_SHORT,)}),
    pages=("changes",),
)
BLAME_SHAPE = Shape(
    {"notes": Priority.LOW}, grow_lists("lines", forms={"lines": (only("line", "commit", "text"),)}), pages=("lines",)
)


class Start(Struct, frozen=True):
    """The commit from which a history is read, as a revision; empty is HEAD. `at` is the time of what is remembered."""

    revision: str = ""
    at: AsOf = NOW

    @classmethod
    def of(cls, engine: Engine, at: str, as_of: str) -> "Start":
        """At a commit that is named, or at the one that HEAD's line stood at then; memories are those of that time."""
        if not as_of:
            return cls(at)
        tip = engine.past_states.commit_of(as_of)
        return cls(at or ("" if tip == "HEAD" else tip), viewpoint(engine, as_of, ""))


def history(engine: Engine, element: str, begin: Start, limit: int, *, formatting: bool = False) -> SymbolHistory:
    """All changes of a symbol or file up to a commit."""
    at = begin.revision
    commit, lifelines, start = _find_version(engine, element, at)
    life = lifelines.follow(commit, start, formatting=formatting)
    infos = objects.infos(engine.place.root, [one.commit for one in life.changes])
    changes = tuple(_to_change(engine, one, infos[one.commit]) for one in life.changes)
    node_id = symbol_id(*start.key)
    return SymbolHistory(
        id=node_id,
        at=commit,
        changes_total=len(changes),
        changes=changes[:limit],
        authors=_authors(changes),
        per_year=_per_year(changes),
        changes_together=_together(engine, start.path),
        memories=_memories(engine, {node_id, *(one.from_symbol for one in changes if one.from_symbol)}, begin.at),
        uncommitted=not at and _is_edited(engine, start),
        cut=life.cut,
        notes=_notes(engine, life),
        oldest=changes[-1].commit if changes else "",
        added=bool(changes) and "added" in changes[-1].kinds,
    )


def blame(engine: Engine, element: str, begin: Start) -> SymbolBlame:
    """Who wrote each line of a symbol, and why."""
    commit, lifelines, start = _find_version(engine, element, begin.revision)
    life = lifelines.follow(commit, start)
    infos = objects.infos(engine.place.root, sorted({one.commit for one in life.lines if one.commit}))
    scrubbed = _scrubber(engine).scrub
    lines = tuple(
        BlamedLine(
            line=one.number,
            commit=one.commit,
            author=infos[one.commit].author if one.commit else "",
            time=infos[one.commit].time if one.commit else 0,
            text=scrubbed(one.text, start.path)[0],
            subject=scrubbed(infos[one.commit].subject, "")[0] if one.commit else "",
        )
        for one in life.lines
    )
    return SymbolBlame(symbol_id(*start.key), commit, lines, _notes(engine, life))


def _find_version(engine: Engine, element: str, at: str) -> tuple[str, Lifelines, SymbolVersion]:
    root = engine.place.root
    commit = objects.commit_named(root, at or "HEAD")
    lifelines = Lifelines(root, Reader(load_languages(offered_languages()).known, Scrubber(False, ())))
    text = from_root(root, element.strip().strip("`'\""))
    found = _in_commit(root, lifelines, commit, text)
    if not found and not at:
        found = _by_index(engine, lifelines, commit, element)
    if not found:
        raise NotFound(
            f"nothing is called {element!r} in {commit[:10]}",
            "Name it by its id, as path::Outer::name, or as file:line.",
        )
    if len(found) > 1:
        ids = ", ".join(symbol_id(*one.key) for one in found[:MOST_CHOICES])
        more = f" and {len(found) - MOST_CHOICES} more" if len(found) > MOST_CHOICES else ""
        raise InvalidInput(f"{element!r} may be any of {len(found)} symbols", f"Name one by its id: {ids}{more}.")
    return commit, lifelines, found[0]


def _in_commit(root: Path, lifelines: Lifelines, commit: str, text: str) -> list[SymbolVersion]:
    """By id, by line, by path, or by a name that a file of the commit defines."""
    path, scope = split_id(text)
    if (file := lifelines.definitions(commit, path)) is not None:
        if not scope:
            return [file.whole]
        exact = file.by_scope.get(scope)
        return [exact] if exact else _best(file.find(scope))
    if match := _LINE.fullmatch(text):
        file = lifelines.definitions(commit, match["path"])
        line = int(match["line"])
        if file is not None:
            return [file.at(line) or file.whole]
    name = without_numbers(text).replace("#", SCOPE).rpartition(SCOPE)[2].rpartition(".")[2].removesuffix("()")
    if not name.replace("_", "a").replace("$", "a").isalnum():
        return []
    found = []
    for holding in objects.grep(root, commit, name, MOST_NAMED):
        file = lifelines.definitions(commit, holding)
        found += file.find(text.removesuffix("()")) if file else []
    return _best(found)


def _best(found: Sequence[SymbolVersion]) -> list[SymbolVersion]:
    """Definitions whose scope is no longer than that of the others; of overloads, the first."""
    outer = [one for one in found if one.scope.count(SCOPE) == min(other.scope.count(SCOPE) for other in found)]
    firsts: dict[tuple[str, str], SymbolVersion] = {}
    for one in outer:
        firsts.setdefault((one.path, without_numbers(one.scope)), one)
    return list(firsts.values())


def _by_index(engine: Engine, lifelines: Lifelines, commit: str, element: str) -> list[SymbolVersion]:
    """Versions of the elements that other tools resolve the name to."""
    from clew.graph.elements import Elements  # the index is only asked where git does not tell
    from clew.tools.naming import one_meant

    with suppress(NotFound):
        path, scope = split_id(one_meant(engine, Elements(engine.files), element).element.id)
        file = lifelines.definitions(commit, path)
        if file is not None and (not scope or scope in file.by_scope):
            return [file.by_scope[scope] if scope else file.whole]
    return []


def _to_change(engine: Engine, change: SymbolChange, info: CommitInfo) -> CommitChange:
    return CommitChange(
        commit=change.commit,
        time=info.time,
        kinds=change.kinds,
        path=change.path,
        symbol=change.symbol,
        from_path=change.from_path,
        from_symbol=change.from_symbol,
        author=info.author,
        subject=_scrubber(engine).scrub(info.subject, "")[0],
        confidence=change.confidence,
        first_line=change.first_line,
        last_line=change.last_line,
    )


def _scrubber(engine: Engine) -> Scrubber:
    return Scrubber.from_settings(engine.config.security)


def _authors(changes: Iterable[CommitChange]) -> tuple[AuthorShare, ...]:
    counts: Counter[str] = Counter()
    last: dict[str, int] = {}
    for one in changes:
        counts[one.author] += 1
        last[one.author] = max(last.get(one.author, 0), one.time)
    ranked = sorted(counts, key=lambda name: (-counts[name], -last[name], name))
    return tuple(AuthorShare(name, counts[name], last[name]) for name in ranked)


def _per_year(changes: Sequence[CommitChange]) -> float:
    if not changes:
        return 0.0
    years = (max(one.time for one in changes) - min(one.time for one in changes)) / 31_556_952_000_000
    return round(len(changes) / max(years, 1.0), 2)


def _together(engine: Engine, path: str) -> tuple[Partner, ...]:
    edges = engine.histories.together().get(path, ())
    return tuple(Partner(one.target, round(one.confidence, 3), one.line) for one in edges[:MOST_PARTNERS])


def _memories(engine: Engine, ids: set[str], at: AsOf) -> tuple[Remembered, ...]:
    """Memories about the symbol under any of its names, the newest first."""

    def is_about(subjects: Iterable[str]) -> bool:
        return any(touch(one, mine) for one in subjects for mine in ids)

    found = [
        Remembered(one.draft.type, one.id, one.draft.content, one.occurred_at)
        for one in engine.episodes.latest(MOST_EPISODES, at=at)
        if is_about(subject.id for subject in one.subjects)
    ]
    found += [
        Remembered("LEARNING", one.id, one.content, one.known_from)
        for one in engine.learnings.current_at(MOST_EPISODES, at)
        if is_about(subject.id for subject in one.subjects)
    ]
    newest = {one.content: one for one in sorted(found, key=lambda one: (one.time, one.id))}  # a learning is an episode
    return tuple(sorted(newest.values(), key=lambda one: (-one.time, one.id))[:MOST_MEMORIES])


def _is_edited(engine: Engine, start: SymbolVersion) -> bool:
    from clew.history.trees import DiskTree

    reader = Reader(load_languages(offered_languages()).known, Scrubber(False, ()))
    for path, content in DiskTree(engine.place.root).contents([start.path]):
        now = reader.read(path, content)
        there = now.by_scope.get(start.scope) if start.scope else now.whole
        return there is None or there.text != start.text
    return True


def _notes(engine: Engine, life: Life) -> tuple[str, ...]:
    notes = []
    with suppress(ClewError):
        if git.shallow_boundary(engine.place.root):
            notes.append("This clone is shallow: older commits are not known.")
        if odd := objects.odd_history(engine.place.root):
            notes.append(odd)
    if left := life.formatting_left_out:
        commits = count_of(left, "commit", "commits")
        notes.append(f"{commits} changed only formatting or comments: formatting=true lists them.")
    if life.changes and life.changes[-1].confidence < 1:
        notes.append("Some steps were matched by their code alone.")
    return tuple(notes)
