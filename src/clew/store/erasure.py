"""Removal of named rows for good: memory, files, and the derived state of working trees that are gone."""

from collections.abc import Sequence

from msgspec import json

from clew.model.knowledge import KnowledgeBody
from clew.store import export_file, knowledge, moving
from clew.store.database import Database, Where
from clew.store.vectors import DIGEST_BYTES

FORGOTTEN = "[forgotten]"  # stands in place of an episode, whose number others count on


class Erasure:
    """Erasure within one project. Call within a transaction."""

    def __init__(self, db: Database, project: int) -> None:
        self._db = db
        self._project = project

    def forget_memory(self, id: str) -> dict[str, int]:
        """An episode with all learnings that rest on it, a learning, or a note with its past; rows by table."""
        done = {"episode": 0, "learning": 0, "note": 0, "knowledge": 0}
        for row in list(self._db.query("episode_by_id", project=self._project, id=id)):
            self._db.execute("forget_episode", project=self._project, episode=row["episode"], content=FORGOTTEN)
            self._db.execute("forget_episode_entities", project=self._project, episode=row["episode"])
            done["episode"] += 1
        for learning, name, evidence in self._learnings():
            if name == id or id in evidence:
                self._db.execute("forget_learning", project=self._project, learning=learning)
                self._db.execute("forget_learning_entities", project=self._project, learning=learning)
                done["learning"] += 1
        done["note"] = len(list(self._db.query("note_history", project=self._project, id=id)))
        self._db.execute("forget_note", project=self._project, id=id)
        done["knowledge"] = self._forget_knowledge(id)
        return {table: count for table, count in done.items() if count}

    def _forget_knowledge(self, id: str) -> int:
        """A record of knowledge with all its rows and links. A last row lets readers begin anew."""
        rows = list(self._db.query("knowledge_by_id", project=self._project, id=id))
        last = next(iter(self._db.query("knowledge_last", project=self._project)))["number"]
        gone = {id: len(rows)} if rows else {}
        for _, page in moving.pages(self._db, self._project, ("knowledge",)):
            for row in page:
                body = json.decode(row["body"], type=KnowledgeBody)
                if id in (body.source, body.target, body.origin.episode):
                    gone[row["id"]] = gone.get(row["id"], 0) + 1
        for one in gone:
            self._db.execute("forget_knowledge", project=self._project, id=one)
        if gone:
            mark = knowledge.to_row(knowledge.purge_mark(last))
            self._db.execute("knowledge_put", project=self._project, **mark)
        return sum(gone.values())

    def files(self) -> dict[str, list[tuple[Where, int]]]:
        """Every path that is recorded, with its numbers in each checkout."""
        found: dict[str, list[tuple[Where, int]]] = {}
        for where in self.checkouts().values():
            for row in self._db.query("file_paths", **where._asdict()):
                found.setdefault(row["path"], []).append((where, row["file"]))
        return found

    def forget_files(self, files: Sequence[tuple[Where, int]], stamp: str) -> None:
        """All versions of files, and all that was derived from them; what is left is linked again by the next run."""
        for where, file in files:
            for table in (*moving.BY_FILE, "link_input"):
                self._db.execute(f"forget_{table}", file=file, **where._asdict())
        for where in {where for where, _ in files}:
            self._db.execute("clear_history", **where._asdict())
            self._db.execute("clear_settled", **where._asdict())
            self._db.execute("forget_relink", stamp=stamp, files=len(files), **where._asdict())
        self.drop_unused()

    def drop_unused(self) -> int:
        """Texts and vectors that no version has any more; returns how many vectors."""
        self._db.execute("compact_blobs", project=self._project)
        used = {
            row["digests"][at : at + DIGEST_BYTES]
            for row in self._db.query("erasure_digests", project=self._project)
            for at in range(0, len(row["digests"]), DIGEST_BYTES)
        }
        unused = [row["digest"] for row in self._db.query("erasure_vectors", project=self._project)]
        unused = [digest for digest in unused if bytes(digest) not in used]
        self._db.execute_many("forget_vector", [{"project": self._project, "digest": digest} for digest in unused])
        return len(unused)

    def episodes_about(self, path: str) -> list[str]:
        """Ids of episodes that name a file or a symbol of it."""
        symbols = f"{path}::"
        rows = self._db.query(
            "erasure_nodes", project=self._project, path=path, low=symbols, high=f"{path}:;"
        )  # `;` follows `:`
        numbers = json.encode([row["episode"] for row in rows]).decode()
        return [row["id"] for row in self._db.query("episode_some", project=self._project, numbers=numbers)]

    def checkouts(self) -> dict[str, Where]:
        """By name."""
        rows = self._db.query("move_checkouts", project=self._project)
        return {row["name"]: Where(self._project, row["checkout"]) for row in rows}

    def drop_checkout(self, where: Where) -> None:
        """All that was derived in a working tree. Its runs stay on the record; they belong to no tree."""
        export_file.clear(self._db, where.project, where.checkout)
        self._db.execute("gc_transactions", **where._asdict())
        self._db.execute("gc_leases", **where._asdict())

    def _learnings(self) -> list[tuple[int, str, list[str]]]:
        return [
            (row["learning"], row["id"], json.decode(row["evidence"], type=list[str]))
            for _, rows in moving.pages(self._db, self._project, ("learning",))
            for row in rows
        ]
