"""Projects, and the working trees of them that are indexed."""

from collections.abc import Hashable

from msgspec import Struct

from clew.model.errors import Denied
from clew.runtime.asking import once
from clew.runtime.values import RESERVED, is_reserved
from clew.store.database import Database, Later, Row, Where
from clew.store.outage import outlast

IN_DOUBT, LINKED, BEHIND, UNSETTLED = range(4)  # how edges stand, as it is stored


class CheckoutState(Struct, frozen=True):
    """`stamp` is new with every commit that changes contents, and never used twice."""

    rules: bytes
    files_seen: int
    linked: bool  # every edge leads where it should
    behind: bool  # those of files that changed do, and most others; all are to be linked anew
    unsettled: bool  # of what is behind: all do, unless what files pass to each other is now something else
    stamp: str
    changed: int  # files, counted once per run, since ever
    newer: bool = False  # the database has a schema that we do not know: we came before an upgrade


class CheckoutIdentity(Struct, frozen=True):
    where: Where
    project_id: str


class Checkouts:
    def __init__(self, db: Database) -> None:
        self._db = db

    def find(self, project_id: str, name: str) -> CheckoutIdentity | None:
        """The checkout, if it was opened for writing before. An empty id means the only project."""
        for project in self._db.query("project_get", id=project_id):
            for row in self._db.query("checkout_get", project=project["project"], name=name):
                return CheckoutIdentity(Where(row["project"], row["checkout"]), project["id"])
        return None

    def ensure(self, project_id: str, new_id: str, name: str, now: int) -> CheckoutIdentity:
        """The checkout, made if it is new; a project without a configured id gets `new_id`, once."""
        refuse_reserved(project_id or new_id)
        return self._ensure(project_id, new_id, name, now)

    def ensure_personal(self, project_id: str, name: str, now: int) -> CheckoutIdentity:
        """A user's own store: the only one whose id may be a reserved one."""
        return self._ensure(project_id, project_id, name, now)

    def _ensure(self, project_id: str, new_id: str, name: str, now: int) -> CheckoutIdentity:
        found = self.find(project_id, name)
        if found is not None:
            return found
        return outlast(self._db, lambda: self._make(project_id, new_id, name, now))

    def _make(self, project_id: str, new_id: str, name: str, now: int) -> CheckoutIdentity:
        """Two processes or hosts may try at once: the second finds it done."""
        with self._db.transaction():
            if not any(self._db.query("project_get", id=project_id)):
                self._db.execute("project_put", id=project_id or new_id, created_at=now)
            project = next(iter(self._db.query("project_get", id=project_id)))
            self._db.execute("project_lock", project=project["project"])
            if not any(self._db.query("checkout_get", project=project["project"], name=name)):
                self._db.execute("checkout_put", project=project["project"], name=name, rules=b"")
        found = self.find(project_id, name)
        assert found is not None
        return found

    def state(self, where: Where) -> CheckoutState:
        """Within a transaction or view as of there; else as of the question at hand."""
        return self._state(where) if self._db.within() else once(self.key(where), lambda: self._state(where))

    def key(self, where: Where) -> Hashable:
        return id(self._db), where

    def _state(self, where: Where) -> CheckoutState:
        row = next(iter(self._db.query("checkout_state", **where._asdict())))
        return _to_state(row, self._db.schema)

    def state_later(self, where: Where) -> Later[CheckoutState]:
        rows = self._db.later("checkout_state", **where._asdict())
        return lambda: _to_state(rows()[0], self._db.schema)

    def change(self, where: Where, stamp: str, files: int) -> None:
        """Say that contents are changing. Edges are in doubt until `link`, even if this run is killed before."""
        self._db.execute("checkout_change", stamp=stamp, files=files, **where._asdict())
        self._db.execute("checkout_announce", **where._asdict())

    def mark_seen(self, where: Where, files: int) -> None:
        self._db.execute("checkout_seen", files_seen=files, **where._asdict())

    def follow(self, where: Where, rules: bytes) -> None:
        """Record the rules (configuration and formats) that the index was made by."""
        self._db.execute("checkout_rules", rules=rules, **where._asdict())

    def link(self, where: Where, stands: int = LINKED) -> None:
        """Say that every edge leads where it should; or that some are behind."""
        self._db.execute("checkout_link", linked=stands, **where._asdict())

    def settle(self, where: Where) -> None:
        """After large changes: let the database engine update its statistics, so that its query plans fit."""
        self._db.execute("checkout_settle", **where._asdict())


def refuse_reserved(project_id: str) -> None:
    if is_reserved(project_id):
        raise Denied(
            f"the project id {project_id!r} begins with {RESERVED}, as only users' own stores do",
            "Choose another project.id.",
        )


def _to_state(row: Row, schema: int) -> CheckoutState:
    return CheckoutState(
        rules=row["rules"],
        files_seen=row["files_seen"],
        linked=row["linked"] == LINKED,
        behind=row["linked"] in (BEHIND, UNSETTLED),
        unsettled=row["linked"] == UNSETTLED,
        stamp=row["stamp"],
        changed=row["changed"],
        newer=0 < schema < row["schema"],
    )
