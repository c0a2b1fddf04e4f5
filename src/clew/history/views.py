"""Past states of a project as trees of their own, from which every reading tool answers: a commit's, or the record's.

A view is a folder below the database's: the files of that state, a git folder that borrows the project's objects and
stands at the commit, and an index. Nothing of the repository is executed or written.
"""

import os
import shutil
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import msgspec
from blake3 import blake3
from msgspec import Struct, structs

from clew.history.moments import Moment, Moments
from clew.history.trees import CommitTree, RecordTree
from clew.index.history import git, objects
from clew.index.rules import is_current, rules_of
from clew.model.errors import ClewError, NotFound, NotSupported, Unavailable
from clew.model.time import NOW, AsOf, to_iso
from clew.runtime import git_process, lent_objects
from clew.runtime.encryption import cipher_of
from clew.runtime.place import DATABASE, MAIN, ProjectPaths
from clew.runtime.plain import read_plain
from clew.runtime.settings import NO_MODEL, OWN, Embedding, Storage, Watcher
from clew.store import heads
from clew.store.files import Files
from clew.store.sqlite import copy_derived, date_all
from clew.store.transactions import Transactions

FOLDER = "views"
TREE, INDEX, READY = "tree", "index", "ready.json"
IN_USE_SECONDS = 900.0  # a view that was asked so recently is not removed
_COMMIT = "commit-"  # begins the name of a view of a commit
_HIDDEN = frozenset({"", ".", "..", ".git", ".clew"})
_MICROSECONDS = 1_000_000


class PastState(Struct, frozen=True):
    """The state that a caller's `as_of` and `known_as_of` name: a commit, or the record of an instant.

    `at` is its viewpoint: of a commit, the time of the commit with what is known today.
    """

    label: str
    at: AsOf
    commit: str = ""
    is_recorded: bool = False  # a transaction or a time since the first run, with no other knowledge asked for


class ReadyView(Struct, frozen=True):
    """The mark of a complete view: its commit, and the rules by which it was indexed."""

    rules: bytes
    commit: str


class PastStates:
    """Resolves a caller's viewpoint to a state, and makes its files."""

    def __init__(self, place: ProjectPaths, files: Files, transactions: Transactions, now: Callable[[], int]) -> None:
        self._place = place
        self._files = files
        self._transactions = transactions
        self._now = now

    def find(self, as_of: str, known_as_of: str = "") -> PastState | None:
        """None means the present."""
        now = self._now()
        moments = Moments(self._place.root, self._transactions, lambda: now)
        moment = moments.find(as_of) if as_of else Moment(now)
        if known_as_of:
            known = moments.find(known_as_of)
            valid = moment.time if as_of else known.time
            return PastState(f"{_iso(valid)}, as known at {_iso(known.time)}", AsOf(valid, known.time))
        if moment.transaction:
            label = f"transaction {moment.transaction} ({_iso(moment.time)})"
            return PastState(label, AsOf(moment.time, moment.time), is_recorded=True)
        if moment.commit:
            return _of_commit(moment.commit, moment.time)
        if moment.time >= now:
            return None
        first = self._transactions.first()
        if first and first.started_at <= moment.time:
            return PastState(_iso(moment.time), AsOf(moment.time, moment.time), is_recorded=True)
        commit = objects.commit_at(self._place.root, moment.time) if git.head(self._place.root) else ""
        if commit:
            return _of_commit(commit, objects.infos(self._place.root, [commit])[commit].time)
        return PastState(_iso(moment.time), AsOf(moment.time, now), is_recorded=True)

    def commit_of(self, as_of: str) -> str:
        """The commit that HEAD's line stood at then; HEAD for the present."""
        root = self._place.root
        state = self.find(as_of) if as_of else None
        if state is None:
            return "HEAD"
        commit = state.commit or (objects.commit_at(root, state.at.valid) if git.head(root) else "")
        if not commit:
            objects.require_commits(root)
            raise NotFound(f"there was no commit at {state.label}", "Name a later time, or a commit.")
        return commit

    def key(self, state: PastState) -> str:
        """Names the folder of a state's view: the same content has the same one."""
        if state.commit:
            return f"{_COMMIT}{state.commit[:20]}"
        versions = self._files.versions_at(state.at)
        if not versions:
            raise NotFound(f"nothing was known of {state.label}", _range_hint(self._transactions))
        return f"record-{blake3(msgspec.json.encode(sorted(versions.items()))).hexdigest()[:20]}"

    def place(self, key: str) -> ProjectPaths:
        """Where a view lies, and how it is read: by the project's settings, from a file, and never anew."""
        folder = self._folder(key)
        tree = folder / TREE
        config = self._place.settings.config
        reading = structs.replace(
            config,
            project=structs.replace(config.project, id=""),
            storage=Storage(),
            query=structs.replace(config.query, refresh=False),
            metrics=structs.replace(config.metrics, enabled=False),
            embedding=_local(config.embedding),
            bootstrap=structs.replace(config.bootstrap, max_initial_files=0),
            watcher=config.watcher if key.startswith(_COMMIT) else _without_filters(config.watcher),
        )
        return structs.replace(
            self._place,
            root=tree / _prefix(self._place.root) if key.startswith(_COMMIT) else tree,
            home=tree,
            tree=MAIN,
            database=folder / INDEX / DATABASE,
            settings=structs.replace(self._place.settings, config=reading),
            warnings=(),
        )

    def is_ready(self, key: str) -> bool:
        ready = self._read(key)
        return ready is not None and is_current(ready.rules, self._place.settings.config)

    def used(self, key: str) -> None:
        """Keep it: it was asked."""
        with suppress(OSError):
            os.utime(self._folder(key) / READY)

    def renew_refs(self, key: str) -> None:
        """Branches may have moved since the view was made."""
        if key.startswith(_COMMIT):
            with suppress(OSError):
                self._copy_refs(self._folder(key) / TREE)

    def write(self, state: PastState, key: str) -> ProjectPaths:
        """Make the files of a view anew; its index is begun from a similar one, if there is one."""
        folder = self._folder(key)
        if cipher_of(folder):
            hint = "Name a transaction or a time that Clew recorded, or use diff_since, which reads git's objects."
            raise NotSupported("a past state is read from a copy of its files, and encrypt_db is set", hint)
        shutil.rmtree(folder, ignore_errors=True)
        place = self.place(key)
        place.root.mkdir(parents=True)
        place.database.parent.mkdir(parents=True)
        if state.commit:
            self._stand_at(folder / TREE, state.commit)
            tree = CommitTree(self._place.root, state.commit)
            moment = objects.infos(self._place.root, [state.commit])[state.commit].time
            _write_files(place.root, tree.contents(tree.paths()), moment)
            self._begin_index(state.commit, place)
        else:
            record = RecordTree(self._files, state.at, state.label)
            _write_files(place.root, record.contents(record.paths()), state.at.valid)
        return place

    def finish(self, state: PastState, key: str) -> None:
        """Its index is whole; views that were not asked for longest go."""
        place = self.place(key)
        if state.commit:
            moment = objects.infos(self._place.root, [state.commit])[state.commit].time
            date_all(place.database, moment)
        ready = ReadyView(rules_of(self._place.settings.config), state.commit)
        (self._folder(key) / READY).write_bytes(msgspec.json.encode(ready))
        for old in self._by_use()[self._place.settings.config.history.views :]:
            if old.name != key and time.time() - _used(old) > IN_USE_SECONDS:
                shutil.rmtree(old, ignore_errors=True)

    def drop(self, key: str) -> None:
        shutil.rmtree(self._folder(key), ignore_errors=True)

    def _folder(self, key: str) -> Path:
        return self._place.database.parent / FOLDER / key

    def _read(self, key: str) -> ReadyView | None:
        try:
            return msgspec.json.decode((self._folder(key) / READY).read_bytes(), type=ReadyView)
        except (OSError, msgspec.MsgspecError):
            return None

    def _by_use(self) -> list[Path]:
        """The folders of views, the last used first."""
        above = self._place.database.parent / FOLDER
        try:
            return sorted((one for one in above.iterdir() if one.is_dir()), key=lambda one: (-_used(one), one.name))
        except OSError:
            return []

    def _stand_at(self, tree: Path, commit: str) -> None:
        """A git folder that shares the project's objects, with nothing of its configuration, standing at a commit."""
        root = self._place.root
        names = ("objects", "shallow", "info/grafts")
        asked = (part for name in names for part in ("--git-path", name))
        shared = _git(root, "rev-parse", "--path-format=absolute", *asked)
        store, shallow, grafts = (Path(os.fsdecode(line)) for line in shared.split(b"\n")[:3])
        form = _git(root, "rev-parse", "--show-object-format").decode("ascii").strip()
        own = tree / ".git"
        for name in ("objects/info", "objects/pack", "refs/heads", "info"):
            (own / name).mkdir(parents=True, exist_ok=True)
        extension = "" if form == "sha1" else f"[extensions]\n\tobjectFormat = {form}\n"
        version = 1 if extension else 0
        config = f"[core]\n\trepositoryformatversion = {version}\n\tbare = false\n{extension}"
        (own / "config").write_text(config, encoding="ascii")
        (own / "objects" / "info" / "alternates").write_bytes(os.fsencode(store) + b"\n")
        lent_objects.permit_own(own)
        for source, name in ((shallow, "shallow"), (grafts, "info/grafts")):
            with suppress(OSError):
                (own / name).write_bytes(read_plain(source))
        (own / "HEAD").write_text(f"{commit}\n", encoding="ascii")
        self._copy_refs(tree)
        _git(tree, "read-tree", commit)

    def _copy_refs(self, tree: Path) -> None:
        """Branches and tags as the project has them now, so that `since` may name them; replaced commits, too."""
        listing = _git(self._place.root, "for-each-ref", "--format=%(objectname) %(refname)")
        (tree / ".git" / "packed-refs").write_bytes(b"# pack-refs with: sorted \n" + listing)

    def _begin_index(self, commit: str, place: ProjectPaths) -> None:
        """Copy the most similar index: the run that follows reads only the differences."""
        choices = []
        for folder in self._by_use():
            ready = self._read(folder.name)
            if ready and ready.commit and ready.rules == rules_of(self._place.settings.config):
                choices.append((self._distance(ready.commit, commit), self.place(folder.name), MAIN))
        if not self._place.url and (head := git.resolve(self._place.root, "HEAD")):
            choices.append((self._distance(head, commit), self._place, self._place.tree))
        if choices:
            _, source, tree = min(choices, key=lambda one: one[0])
            if where := copy_derived(source.database, place.database, tree):
                heads.share(heads.folder(source.snapshots, where), heads.folder(place.snapshots, where))

    def _distance(self, old: str, new: str) -> int:
        try:
            return len(objects.tree_changes(self._place.root, old, new))
        except ClewError:
            return 1_000_000_000


def _of_commit(commit: str, time: int) -> PastState:
    return PastState(f"{commit[:10]} ({_iso(time)})", AsOf(time, NOW.known), commit)


def _local(embedding: Embedding) -> Embedding:
    """The model in the package needs no other machine; another one is not asked about the past."""
    return embedding if embedding.model == OWN else structs.replace(embedding, model=NO_MODEL)


def _without_filters(watcher: Watcher) -> Watcher:
    """The record's files were filtered when they were recorded."""
    return structs.replace(
        watcher, ignore_patterns=(), use_gitignore=False, use_contextignore=False, use_dockerignore=False
    )


def _write_files(root: Path, contents: Iterable[tuple[str, bytes]], moment: int) -> None:
    made: set[Path] = set()
    seconds = max(moment // _MICROSECONDS, 0)
    for path, content in contents:
        if not _is_safe(path):
            continue
        file = root / path
        try:
            if file.parent not in made:
                file.parent.mkdir(parents=True, exist_ok=True)
                made.add(file.parent)
            file.write_bytes(content)
            os.utime(file, (seconds, seconds))
        except (NotADirectoryError, IsADirectoryError, FileExistsError, ValueError):
            continue  # a name that this file system cannot hold beside another one
        except OSError as error:
            raise Unavailable(f"{file} cannot be written: {error.strerror}", "Make room for the past state.") from error


def _is_safe(path: str) -> bool:
    """Git objects may name any path."""
    parts = path.split("/")
    return not (_HIDDEN & {part.lower() for part in parts}) and "\\" not in path and "\0" not in path


def _prefix(root: Path) -> str:
    """Where a project lies in its repository."""
    return os.fsdecode(_git(root, "rev-parse", "--show-prefix")).strip("\n").rstrip("/")


def _git(root: Path, *arguments: str) -> bytes:
    done = git_process.run(root, *arguments)
    if done.returncode:
        said = os.fsdecode(done.stderr).strip().splitlines()
        raise Unavailable(f"git {arguments[0]}: {said[0] if said else done.returncode}", "Run `git fsck`.")
    return done.stdout


def _used(folder: Path) -> float:
    try:
        return (folder / READY).stat().st_mtime
    except OSError:
        return 0.0


def _iso(moment: int) -> str:
    return to_iso(moment).replace(".000000", "")


def _range_hint(transactions: Transactions) -> str:
    first = transactions.first()
    if first is None:
        return "Run `clew index` first."
    return (
        f"The first index run was at {_iso(first.started_at)}; "
        "name a later time, or a commit. `clew history import` adds what git knows of the time before."
    )
