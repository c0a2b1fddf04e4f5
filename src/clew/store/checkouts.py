"""Projects, and the working trees of them that are indexed."""

from msgspec import Struct

from clew.store.database import Database, Row, Where


class CheckoutState(Struct, frozen=True):
    """`generation` counts changes; the snapshot that was made at it needs nothing laid over."""

    rules: bytes
    generation: int
    files_seen: int
    linked: bool
    snapshot: str
    snapshot_generation: int
    laid_over: int  # files that changed since the snapshot, counted once per run


class Identity(Struct, frozen=True):
    where: Where
    project_id: str


class Checkouts:
    def __init__(self, db: Database) -> None:
        self._db = db

    def find(self, project_id: str, name: str) -> Identity | None:
        """The checkout, if it was opened for writing before. An empty id means the only project."""
        for project in self._db.query("project_get", id=project_id):
            for row in self._db.query("checkout_get", project=project["project"], name=name):
                return Identity(Where(row["project"], row["checkout"]), project["id"])
        return None

    def ensure(self, project_id: str, new_id: str, name: str, now: int) -> Identity:
        """The checkout, made if it is new; a project without a configured id gets `new_id`, once."""
        found = self.find(project_id, name)
        if found is not None:
            return found
        with self._db.transaction():
            if not any(self._db.query("project_get", id=project_id)):
                self._db.execute("project_put", id=project_id or new_id, created_at=now)
            project = next(iter(self._db.query("project_get", id=project_id)))
            if not any(self._db.query("checkout_get", project=project["project"], name=name)):
                self._db.execute("checkout_put", project=project["project"], name=name, rules=b"")
        found = self.find(project_id, name)
        assert found is not None
        return found

    def state(self, where: Where) -> CheckoutState:
        row = next(iter(self._db.query("checkout_state", **where._asdict())))
        return _to_state(row)

    def change(self, where: Where, files: int) -> None:
        """Say that contents are changing. Edges are in doubt until `link`, even if this run is killed before."""
        self._db.execute("checkout_change", files=files, **where._asdict())

    def seen(self, where: Where, files: int) -> None:
        self._db.execute("checkout_seen", files_seen=files, **where._asdict())

    def follow(self, where: Where, rules: bytes) -> None:
        """Record the rules (configuration and formats) that the index was made by."""
        self._db.execute("checkout_rules", rules=rules, **where._asdict())

    def link(self, where: Where) -> None:
        """Say that every edge leads where it should."""
        self._db.execute("checkout_link", **where._asdict())

    def covered(self, where: Where, snapshot: str, generation: int) -> None:
        self._db.execute("checkout_snapshot", snapshot=snapshot, generation=generation, **where._asdict())


def _to_state(row: Row) -> CheckoutState:
    return CheckoutState(
        rules=row["rules"],
        generation=row["generation"],
        files_seen=row["files_seen"],
        linked=bool(row["linked"]),
        snapshot=row["snapshot"],
        snapshot_generation=row["snapshot_generation"],
        laid_over=row["laid_over"],
    )
