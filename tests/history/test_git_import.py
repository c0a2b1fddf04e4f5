"""The past, imported from git: at each commit's time the record holds that commit's tree, and nothing else."""

import random
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from clew.engine import Engine, now
from clew.graph.view import graph_hash
from clew.history.git_import import ImportRequest
from clew.index.history import objects
from clew.model.errors import Unavailable
from clew.model.time import AsOf
from tests.conftest import DAY, DAY_1, Repository, seeds
from tests.history.versions import reader

FUTURE = DAY_1 * 10


def recorded(engine: Engine, moment: int) -> dict[str, tuple[bytes, tuple[str, ...]]]:
    """By path, the text and the symbols that the record has of an instant."""
    at = AsOf(moment, FUTURE)
    found = {}
    for path, (file, version) in engine.files.versions_at(at).items():
        known = engine.files.get(path, at)
        assert known is not None
        symbols = tuple(sorted(one.scope for one in engine.files.symbols_in(file, version)))
        found[path] = engine.files.text(known.text), symbols
    return found


def committed(root: Path, commit: str) -> dict[str, tuple[bytes, tuple[str, ...]]]:
    tree = objects.tree(root, commit)
    contents = dict(objects.blobs(root, tree.values()))
    read = reader()
    return {
        path: (contents[blob], tuple(sorted(read.read(path, contents[blob]).by_scope)))
        for path, blob in tree.items()
    }  # fmt: skip


def function(name: str, body: int) -> str:
    return f"def {name}(rows):\n    return [row + {body} for row in rows]\n\n\n"


class Walk:
    """A random history: files come, change, move and go, on a mainline and on branches that are merged."""

    def __init__(self, repository: Repository, seed: int) -> None:
        self.repository = repository
        self.random = random.Random(seed)
        self.files: dict[str, list[tuple[str, int]]] = {}
        self.commits: list[tuple[str, int]] = []
        self.day = 0

    def step(self) -> None:
        chance = self.random.random()
        path = f"pkg/{self.random.choice('abcd')}.py"
        if path in self.files and chance < 0.2:
            del self.files[path]
            self.repository.delete(path)
        elif path in self.files and chance < 0.35:
            self.repository.git("mv", path, to := f"pkg/{self.random.choice('efgh')}{self.day}.py")
            self.files[to] = self.files.pop(path)
        else:
            body = self.files.setdefault(path, [])
            body[:] = [one for one in body if self.random.random() < 0.8]
            body.append((f"f{self.random.randrange(6)}_{len(body)}", self.random.randrange(3)))
            self.repository.write(path, "".join(function(*one) for one in body))

    def commit(self) -> None:
        self.day += 1
        at = DAY_1 + self.day * DAY
        self.commits.append((self.repository.commit(at, f"day {self.day}"), at))

    def merge(self) -> None:
        """A branch with a commit of its own, merged: its own commit is no state of the mainline."""
        self.repository.git("switch", "-qc", f"side{self.day}")
        self.repository.write("side.py", function(f"side{self.day}", 1))
        self.repository.commit(DAY_1 + self.day * DAY + DAY // 2, "beside")
        self.repository.git("switch", "-q", "main")
        self.day += 1
        at = DAY_1 + self.day * DAY
        self.repository.git("merge", "-q", "--no-ff", "-m", "merge", f"side{self.day - 1}", at=at)
        self.commits.append((self.repository.git("rev-parse", "HEAD"), at))


def walked(repository: Repository, seed: int, steps: int = 14) -> Walk:
    walk = Walk(repository, seed)
    for number in range(steps):
        walk.step()
        walk.commit()
        if number % 5 == 4:
            walk.merge()
    return walk


@seeds(4)
def test_the_record_of_each_commit_is_its_tree(engine: Engine, seed: int) -> None:
    repository = Repository(engine.place.root)
    walk = walked(repository, seed)
    engine.index()
    before = graph_hash(engine.db, engine.where)
    engine.import_history(ImportRequest(commits=6))  # and then the rest: what is there already is not added twice
    done = engine.import_history(ImportRequest())

    assert graph_hash(engine.db, engine.where) == before
    assert done.oldest_time == walk.commits[0][1]
    for commit, at in walk.commits:
        assert recorded(engine, at) == committed(repository.root, commit), commit
        assert recorded(engine, at + 1) == recorded(engine, at)
    again = engine.import_history(ImportRequest())
    assert again.versions == 0


@seeds(2)
def test_no_two_versions_hold_at_one_instant_and_symbols_hold_with_their_versions(engine: Engine, seed: int) -> None:
    walk = walked(Repository(engine.place.root), seed + 10)
    engine.index()
    engine.import_history(ImportRequest())

    paths = {path for _, at in walk.commits for path in recorded(engine, at)}
    for path in paths:
        believed = [one for one in engine.files.history(path) if one.known_to > FUTURE]
        periods = sorted((one.valid_from, one.valid_to) for one in believed)
        assert all(start < end for start, end in periods)
        assert all(end <= start for (_, end), (start, _) in pairwise(periods))
        for one in believed:
            for symbol in engine.files.symbols_in(one.file, one.version):
                held = engine.nodes.versions(path, symbol.scope)
                now = [node for node in held if node.born <= one.version < node.died]
                assert [node.digest for node in now] == [symbol.digest], (path, symbol.scope, one.version)


@seeds(2)
def test_later_runs_and_imports_never_change_what_was_known(engine: Engine, seed: int) -> None:
    """The clocks do not mix: what an instant held, as known at a time, is the same whenever it is asked."""
    walk = Walk(Repository(engine.place.root), seed + 30)
    instants = [DAY_1 + day * DAY // 2 for day in range(30)]
    told: dict[int, list[dict[str, tuple[int, int]]]] = {}

    def believed(known: int) -> list[dict[str, tuple[int, int]]]:
        return [dict(engine.files.versions_at(AsOf(instant, known))) for instant in instants]

    for number in range(9):
        walk.step()
        walk.commit()
        if number % 3 == 2:
            engine.index()
            told[now()] = believed(now())
        if number == 5:
            engine.import_history(ImportRequest(commits=2))
            told[now()] = believed(now())
    engine.import_history(ImportRequest())
    assert len({str(one) for one in told.values()}) > 1  # the runs did learn something
    for known, before in told.items():
        assert believed(known) == before
    for path in {path for one in believed(FUTURE) for path in one}:
        file = next(iter(engine.files.history(path))).file
        rows = list(engine.links.record(file))
        for one, other in combinations(rows, 2):
            same_versions = one.born < other.died and other.born < one.died
            assert not (same_versions and one.known_from < other.known_to and other.known_from < one.known_to)


def test_before_the_import_the_record_says_what_was_known_then(engine: Engine) -> None:
    repository = Repository(engine.place.root)
    repository.write("pay.py", function("debit", 1))
    repository.commit(DAY_1)
    repository.write("pay.py", function("charge", 1))
    repository.commit(DAY_1 + DAY)
    engine.index()
    known = engine.transactions.latest(1)[0].started_at
    engine.import_history(ImportRequest())

    assert engine.files.get("pay.py", AsOf(DAY_1, known)) is None
    assert engine.files.get("pay.py", AsOf(DAY_1, FUTURE)) is not None


def test_an_import_ends_at_its_bound_and_goes_on_later(engine: Engine) -> None:
    repository = Repository(engine.place.root)
    walk = walked(repository, 7)
    engine.index()
    few = engine.import_history(ImportRequest(since=walk.commits[-4][1]))
    assert few.commits == 4
    assert recorded(engine, walk.commits[-5][1]) == committed(repository.root, walk.commits[-5][0])
    cut = engine.import_history(ImportRequest(megabytes=0.000001))
    assert "limit" in cut.stopped or not cut.stopped
    engine.import_history(ImportRequest())
    assert recorded(engine, walk.commits[0][1]) == committed(repository.root, walk.commits[0][0])


def test_what_was_edited_before_the_first_run_has_its_committed_past(engine: Engine) -> None:
    repository = Repository(engine.place.root)
    repository.write("pay.py", function("debit", 1))
    repository.write("other.py", function("other", 1))
    first = repository.commit(DAY_1)
    repository.write("pay.py", function("debit", 2))
    second = repository.commit(DAY_1 + DAY)
    for path in ("pay.py", "other.py"):
        repository.write(path, function("edited", 5), mtime_ns=(DAY_1 + 5 * DAY) * 1000)
    engine.index()
    engine.import_history(ImportRequest())
    assert recorded(engine, DAY_1) == committed(repository.root, first)
    assert recorded(engine, DAY_1 + DAY) == committed(repository.root, second)


def test_without_commits_there_is_nothing_to_import(engine: Engine) -> None:
    Repository(engine.place.root).write("pay.py", function("debit", 1))
    engine.index()
    with pytest.raises(Unavailable, match="no commits"):
        engine.import_history(ImportRequest())
