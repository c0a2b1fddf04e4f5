"""Moves a project from one database to another, of either engine: all of it or nothing, verified before it counts.

Leases are not moved: they belong to the processes that work there.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import pairwise

from msgspec import Struct

from clew.model.errors import Conflict, IndexMissing, Unavailable
from clew.store.checkouts import refuse_reserved
from clew.store.database import Database, Row, Where

BY_FILE = ("file", "file_version", "layout", "redaction", "node", "link", "extract", "embedded")
BY_KEY: Mapping[str, tuple[str, object]] = {  # its column that pages go by, and what every value is greater than
    "checkout": ("checkout", 0),
    "history": ("checkout", 0),
    "settled": ("checkout", 0),
    "graph_tx": ("tx", 0),
    "blob": ("digest", b""),
    "vector": ("digest", b""),
    "usage": ("id", ""),
    "claim": ("fence", 0),
    "agent_session": ("number", 0),
    "task": ("id", ""),
    "task_change": ("number", 0),
    "feature": ("id", ""),
    "episode": ("episode", 0),
    "episode_entity": ("link", 0),
    "learning": ("learning", 0),
    "learning_entity": ("link", 0),
    "note": ("note", 0),
    "knowledge": ("number", 0),
    "job": ("id", ""),
}
ALL = (*BY_KEY, *BY_FILE)
ROWS_AT_ONCE = 500
FILES_AT_ONCE = 250

Counts = dict[str, int]
Report = Callable[[int, int], None]
Fingerprint = Callable[[Database, Where], str]


class Moved(Struct, frozen=True):
    """The content of the target: rows by table, and the graph's hash by checkout."""

    project: str
    rows: Counts
    graphs: dict[str, str]


class Move:
    """One project, from a database to another."""

    def __init__(self, source: Database, target: Database, project: int, rename: Mapping[str, str]) -> None:
        """`rename` gives checkouts the names that they go by in the new place."""
        self._source = source
        self._target = target
        self._project = project
        self._rename = rename

    def run(self, id: str, now: int, fingerprint: Fingerprint, report: Report) -> Moved:
        """Copy in one transaction; `report` is told how many rows of how many are there."""
        with self._target.transaction():
            with self._source.view():
                before = self._state()
                there = self._make(id, now)
                rows = counts(self._source, self._project)
                self._copy(there, sum(rows.values()), report)
                moved = Moved(id, rows, self._verify(there, rows, fingerprint))
            if self._state() != before:
                raise Conflict("the project was written to meanwhile; nothing was moved", "Stop who writes, try again.")
        return moved

    def _state(self) -> list[tuple[object, ...]]:
        rows = counts(self._source, self._project).items()
        stamps = self._source.query("move_checkouts", project=self._project)
        ended = self._source.query("move_ended", project=self._project)  # of claims and notes, which no count tells
        return [*rows, *((row["name"], row["stamp"]) for row in stamps), *((row["n"],) for row in ended)]

    def _make(self, id: str, now: int) -> int:
        refuse_reserved(id)
        if any(self._target.query("project_get", id=id)):
            raise Conflict(
                f"the target has a project {id!r} already",
                "Move into an empty database, or move the target's file aside first.",
            )
        self._target.execute("project_put", id=id, created_at=now)
        return int(next(iter(self._target.query("project_get", id=id)))["project"])

    def _copy(self, there: int, total: int, report: Report) -> None:
        done = 0
        for table, rows in pages(self._source, self._project):
            self._target.execute_many(f"move_in_{table}", [self._to_target(table, row, there) for row in rows])
            done += len(rows)
            report(done, total)

    def _to_target(self, table: str, row: Row, there: int) -> dict[str, object]:
        values = {**dict(row), "project": there}  # type: ignore[call-overload]  # both engines' rows are mappings
        for name, value in values.items():
            if isinstance(value, str) and "\0" in value:  # of an agent's, kept before tools replaced it
                values[name] = value.replace("\0", "\ufffd")  # PostgreSQL cannot hold it
                for digest in ("digest", "end_digest"):  # of what was written, which this is not
                    if isinstance(values.get(digest), str):
                        values[digest] = ""
        if table == "checkout":
            values["name"] = self._rename.get(values["name"], values["name"])
        return values

    def _verify(self, there: int, rows: Counts, fingerprint: Fingerprint) -> dict[str, str]:
        if (found := counts(self._target, there)) != rows:
            wrong = ", ".join(f"{name}: {rows[name]}, not {found[name]}" for name in rows if rows[name] != found[name])
            raise Unavailable(f"the copy is not whole ({wrong})", "Nothing was moved. Try again.")
        graphs = {}
        for row in self._target.query("move_checkouts", project=there):
            old, new = (Where(project, row["checkout"]) for project in (self._project, there))
            graphs[str(row["name"])] = fingerprint(self._target, new)
            if graphs[str(row["name"])] != fingerprint(self._source, old):
                raise Unavailable(f"the graph of {row['name']} differs in the copy", "Nothing was moved. Try again.")
        return graphs


def pages(db: Database, project: int, tables: Collection[str] = ALL) -> Iterator[tuple[str, list[Row]]]:
    """All rows of a project, table by table and in a fixed order, some hundred at a time."""
    for table, (key, after) in BY_KEY.items():
        while table in tables and (
            page := list(db.query(f"move_out_{table}", project=project, after=after, limit=ROWS_AT_ONCE))
        ):
            yield table, page
            after = page[-1][key]
    by_file = [table for table in BY_FILE if table in tables]
    for row in list(db.query("move_checkouts", project=project)) if by_file else ():
        where = Where(project, row["checkout"])
        last = next(iter(db.query("move_last_file", **where._asdict())))["file"]
        for after, upto in pairwise([*range(0, last, FILES_AT_ONCE), last]):
            for table in by_file:
                here = {"after": after, "upto": upto, **where._asdict()}
                yield table, list(db.query(f"move_out_{table}", **here))


def find_project(db: Database, configured: str) -> tuple[int, str]:
    """A project's number, and the name it shall have; one that was configured only now had another until today."""
    for name in (configured, ""):
        for row in db.query("project_get", id=name):
            return row["project"], configured or row["id"]
    raise IndexMissing("there is no project to move")


def checkout_names(db: Database, project: int) -> list[str]:
    """In the order in which they were made."""
    return [str(row["name"]) for row in db.query("move_checkouts", project=project)]


def counts(db: Database, project: int) -> Counts:
    return {row["name"]: row["n"] for row in db.query("move_counts", project=project)}
