"""The answer of `diff_since`: files and symbols that differ between two times, summarised first."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from clew.engine import Engine
from clew.history.differ import LISTS, Difference, SymbolDelta
from clew.history.kept_differences import KeptDifferences
from clew.history.moments import Moment, Moments
from clew.history.trees import CommitTree, DiskTree, Reader, RecordTree, Tree, compare
from clew.index.history import git, objects
from clew.index.rules import rules_of
from clew.languages.plugins import load_languages, offered_languages
from clew.model.time import NOW, AsOf
from clew.model.words import CLASSES, Kind, kinds_named
from clew.text.secrets import Scrubber
from clew.tools.budget import Priority, Shape, grow_lists, only
from clew.tools.freshness import count_of

MOST_TRANSACTIONS = 1000
_SHORT = only("id", "kind", "from", "changes", "breaking")
_MORE = only("id", "from", "kind", "changes", "breaking", "confidence", "signature", "old_signature")


class DiffSince(Struct, frozen=True):
    """`since` and `until` name the two sides. What was renamed and moved is in both lists; `from` is the id before.

    Of an added function, `from` names the one that it was extracted from. `breaking_changes` counts what others may
    depend on and that is gone, renamed, moved, or called otherwise now; these come first in each list.
    """

    since: str
    until: str
    files_changed: int
    symbols_changed: int
    breaking_changes: int
    added: tuple[SymbolDelta, ...]
    removed: tuple[SymbolDelta, ...]
    renamed: tuple[SymbolDelta, ...]
    moved: tuple[SymbolDelta, ...]
    modified: tuple[SymbolDelta, ...]
    tx_ids: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def summary(self) -> str:
        if not (self.files_changed or self.symbols_changed):
            return " ".join([f"Nothing differs between {self.since} and {self.until}.", *self.notes])
        lists = {name: [one for one in getattr(self, name) if one.kind != Kind.FILE] for name in LISTS}
        said = [f"{_kinds(some)} {name}" for name, some in lists.items() if some]
        files = count_of(self.files_changed, "file", "files")
        symbols = f": {'; '.join(said)}" if said else ""
        breaking = count_of(self.breaking_changes, "change breaks", "changes break")
        alarm = f" {breaking} what others may use." if self.breaking_changes else ""
        return " ".join([f"{files} changed from {self.since} to {self.until}{symbols}.{alarm}", *self.notes])


_ORDER = ("removed", "renamed", "moved", "added", "modified")
DIFF_SHAPE = Shape(
    {"tx_ids": Priority.LOW, "notes": Priority.LOW},
    grow_lists(*_ORDER, forms=dict.fromkeys(LISTS, (_SHORT, _MORE))),
    pages=_ORDER,
    in_sequence=True,
)


class DiffRequest(Struct, frozen=True):
    since: str
    until: str = ""
    types: tuple[str, ...] = ()


def diff(engine: Engine, request: DiffRequest, now: int) -> DiffSince:
    """The difference between two times; without an end, up to the files as they are."""
    moments = Moments(engine.place.root, engine.transactions, lambda: now)
    since = moments.find(request.since, agents=True) if request.since else _head(engine)
    until = moments.find(request.until, agents=True) if request.until else None
    old, new = _sides(engine, since, until)
    found = _compare_trees(engine, old, new)
    wanted = {kind for word in request.types for kind in kinds_named(word)}
    lists = {name: _of_kinds(getattr(found, name), wanted) for name in LISTS}
    kept = Difference(**lists)
    everything = list(kept.all())
    end = until.time if until else now
    transactions = engine.transactions.between(since.time, end + 1, MOST_TRANSACTIONS)
    return DiffSince(
        since=_name_state(request.since, since),
        until=_name_state(request.until, until) if until else new.label,
        files_changed=sum(one.kind == Kind.FILE for one in everything),
        symbols_changed=sum(one.kind != Kind.FILE for one in everything),
        breaking_changes=sum(bool(one.breaking) for one in everything),
        tx_ids=tuple(one.id for one in transactions),
        notes=tuple(_notes(engine, old, new)),
        **lists,
    )


def _compare_trees(engine: Engine, old: Tree, new: Tree) -> Difference:
    """Of two commits, computed once."""
    if isinstance(new, DiskTree) and (tip := _clean_head(engine)):
        new = CommitTree(engine.place.root, tip)
    if not (isinstance(old, CommitTree) and isinstance(new, CommitTree)):
        return compare(old, new, reader_of(engine))
    kept = KeptDifferences(engine.place.database.parent, rules_of(engine.config), writable=engine.writable)
    found = kept.get(old, new)
    if found is None:
        found = compare(old, new, reader_of(engine))
        kept.put(old, new, found)
    return found


def _clean_head(engine: Engine) -> str:
    """The commit that the working tree is, to the byte; empty if it differs from it."""
    root = engine.place.root
    return (git.resolve(root, "HEAD") or "") if git.dirty_paths(root) == frozenset() else ""


def reader_of(engine: Engine) -> Reader:
    """Reads by the languages and the secret patterns of a project."""
    security = engine.config.security
    return Reader(load_languages(offered_languages()).known, Scrubber.from_settings(security))


def _head(engine: Engine) -> Moment:
    commit = objects.commit_named(engine.place.root, "HEAD")
    return Moment(objects.infos(engine.place.root, [commit])[commit].time, commit=commit)


def _sides(engine: Engine, since: Moment, until: Moment | None) -> tuple[Tree, Tree]:
    """Both trees: of commits where commits are named or the index reaches back less far, else of the index's record."""
    root = engine.place.root
    is_recorded = [one is None or _is_recorded(engine, one) for one in (since, until)]
    is_named = [one is not None and bool(one.commit) and not one.transaction for one in (since, until)]
    if all(is_recorded) and not any(is_named):
        return _record(engine, since), _record(engine, until)
    old = _tree(engine, since)
    return old, (
        _tree(engine, until) if until else DiskTree(root) if git.is_repository(root) else _record(engine, None)
    )


def _is_recorded(engine: Engine, moment: Moment) -> bool:
    first = engine.transactions.first()
    return bool(moment.transaction) or bool(first and first.started_at <= moment.time)


def _record(engine: Engine, moment: Moment | None) -> Tree:
    if moment is None:
        engine.refresh()
        return RecordTree(engine.files, NOW, "now")
    return RecordTree(engine.files, AsOf(moment.time, moment.time), moment.transaction)


def _tree(engine: Engine, moment: Moment) -> Tree:
    root = engine.place.root
    if moment.transaction and not moment.commit:
        return _record(engine, moment)
    commit = moment.commit or objects.commit_at(root, moment.time)
    return CommitTree(root, commit) if commit else _record(engine, moment)


def _of_kinds(some: Iterable[SymbolDelta], kinds: set[Kind]) -> tuple[SymbolDelta, ...]:
    return tuple(one for one in some if not kinds or one.kind in kinds)


def _notes(engine: Engine, old: Tree, new: Tree) -> Iterable[str]:
    root = engine.place.root
    if git.shallow_boundary(root):
        yield "This clone is shallow: commits before its end are not known."
    if odd := objects.odd_history(root):
        yield odd
    commits = [one.commit for one in (old, new) if isinstance(one, CommitTree)]
    if commits and objects.submodules(root, commits[-1]):
        yield "What is inside of submodules is not compared."


def _name_state(text: str, moment: Moment) -> str:
    short = moment.commit[:10]
    if not text:
        return short or "HEAD"
    return f"{text} ({short})" if short and not moment.commit.startswith(text) else text


def _kinds(some: list[SymbolDelta]) -> str:
    names = Counter("class" if one.kind in CLASSES else str(one.kind) for one in some)
    parts = [count_of(n, name, "classes" if name == "class" else f"{name}s") for name, n in sorted(names.items())]
    return ", ".join(parts)
