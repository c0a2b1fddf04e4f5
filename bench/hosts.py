"""Checkouts of one project that share one PostgreSQL, as on as many hosts, and what may be wrong with them."""

import os
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tests.cluster import Cluster

from bench import views, worlds
from bench.worlds import World
from clew.engine import Engine, now
from clew.store.leases import INDEXING

NAME = "fleet"  # of the role, of its database and of the project
QUESTIONS = 20
ENDED = ("completed", "interrupted")  # as a run may: interrupted, if the server went away under it

_SEVERITY = re.compile(r"(?:ERROR|FATAL|PANIC):  (.*)")
_NUMBER = re.compile(r"\d+|\"[^\"]*\"")


@dataclass(frozen=True, slots=True)
class Hosts:
    cluster: Cluster
    trees: list[World]
    environ: Mapping[str, str]

    @classmethod
    def prepare(cls, cluster: Cluster, trees: list[World]) -> Self:
        """An empty database of an ordinary role's."""
        password = secrets.token_urlsafe()
        cluster.create_role(NAME, password)
        cluster.create_database(NAME, NAME)
        storage = {"CLEW_STORAGE_URL": cluster.url(NAME, NAME, password), "CLEW_PROJECT_ID": NAME}
        return cls(cluster, trees, {**_plain_environ(), **storage})

    def describe(self, written: list[str]) -> Iterable[str]:
        """What the server has seen of it all."""
        statuses = ", ".join(f"{count} {status}" for status, count in self._statuses().items())
        checkouts = self._count("SELECT COUNT(*) FROM checkout")
        yield f"        {checkouts} checkouts, {len(written)} writes acknowledged; index runs: {statuses}"
        for said, count in self._said().most_common():
            yield f"{count:7} times the server's log: {said}"

    def faults(self, written: list[str], runs: int, scratch: Path, seed: int) -> list[str]:
        """After the last client has ended: first as they left it, then with each tree indexed once more."""
        found = [*self._left_faults(), *self._run_faults(runs), *self._write_faults(written)]
        for number, tree in enumerate(self.trees):
            faults = self._tree_faults(tree, scratch / str(number), worlds.questions(QUESTIONS, seed))
            found += [f"{tree.root.name}: {fault}" for fault in faults]
        if held := self._count("SELECT COUNT(*) FROM lease WHERE expires_at > EXTRACT(EPOCH FROM now()) * 1000000"):
            found.append(f"{held} leases are held by nobody")
        names = [str(row[0]) for row in self.cluster.sql("SELECT name FROM checkout ORDER BY name", NAME)]
        if len(names) != len(self.trees):
            found.append(f"{len(self.trees)} trees have {len(names)} checkouts: {', '.join(names)}")
        return found

    def _left_faults(self) -> Iterator[str]:
        if sessions := self._count(f"SELECT COUNT(*) FROM pg_stat_activity WHERE usename = '{NAME}'"):
            yield f"{sessions} sessions have outlived their clients"
        for status, count in self._statuses().items():
            if status not in ENDED:
                yield f"{count} index runs are {status}"

    def _run_faults(self, runs: int) -> Iterator[str]:
        completed = self._statuses()["completed"]
        if completed != runs:
            yield f"{runs} index runs ended well, {completed} are recorded as completed"

    def _write_faults(self, written: list[str]) -> Iterator[str]:
        """All clients have ended by themselves: what they were told is what there is."""
        kept = Counter(row[0] for row in self.cluster.sql("SELECT id FROM usage", NAME))
        yield from (f"the acknowledged write {one} is there {kept[one]} times" for one in written if kept[one] != 1)
        if unknown := kept.keys() - set(written):
            yield f"{len(unknown)} writes are there that were not acknowledged"

    def _tree_faults(self, tree: World, scratch: Path, questions: list[str]) -> list[str]:
        elsewhere = {**_plain_environ(), "CLEW_STORAGE_DB_PATH": str(scratch / "clew.db")}
        with (
            Engine.open(tree.root, environ=self.environ) as engine,
            Engine.open(tree.root, environ=elsewhere) as fresh,
        ):
            faults = views.faults(engine, worlds.WORDS[0])
            engine.index()
            fresh.index()
            faults += views.faults(engine, worlds.WORDS[0])
            faults += views.differences(views.view(engine, questions), views.view(fresh, questions))
            if holder := engine.leases.holder(INDEXING, now()):
                faults.append(f"the lease is held by {holder}")
        return faults

    def _statuses(self) -> Counter[str]:
        return Counter(dict(self.cluster.sql("SELECT status, COUNT(*) FROM graph_tx GROUP BY status", NAME)))

    def _said(self) -> Counter[str]:
        """The server's errors, by kind: numbers and names left out."""
        log = (self.cluster.directory / "log").read_text(encoding="utf-8", errors="replace")
        return Counter(_NUMBER.sub("…", said) for said in _SEVERITY.findall(log))

    def _count(self, statement: str) -> int:
        return int(self.cluster.sql(statement.encode(), NAME)[0][0])


def _plain_environ() -> dict[str, str]:
    """Without any setting of Clew's that the caller may have."""
    return {name: text for name, text in os.environ.items() if not name.startswith("CLEW_")}
