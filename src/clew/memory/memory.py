"""All of memory, of one project seen from one checkout; each part is made when it is first asked for."""

from collections.abc import Callable
from difflib import unified_diff
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from clew.memory.episodes import Journal
from clew.memory.notes import Books, Notebook
from clew.memory.reflection import Looking
from clew.memory.subjects import Code, Drift
from clew.model.code import split_id
from clew.model.memory import Subject
from clew.runtime.settings import MemorySettings as Settings
from clew.store.episodes import Episodes
from clew.store.files import Files
from clew.store.graph import Nodes
from clew.store.learnings import Learnings
from clew.store.leases import Leases, this_process

if TYPE_CHECKING:
    from clew.memory.recall import Near, Recall
    from clew.memory.reflection import Reflector


# How the code that a memory is about differs now from its state then.

CONTEXT = 3  # lines around a change


class Differences:
    """Reads the versions that the store keeps of every file."""

    def __init__(self, files: Files, code: Code) -> None:
        self._files = files
        self._code = code

    def of(self, subject: Subject) -> str:
        """As a unified diff; nothing where nothing changed, or the old version is not known in this checkout."""
        standing = self._code.state_of(subject)
        if standing.drift in (Drift.CURRENT, Drift.UNKNOWN) or (standing.drift is Drift.MOVED and not standing.changed):
            return ""
        then = self._text(subject.id, subject.digest)
        there = standing.now or subject.id
        now = self._text(there, self._code.digest(there)) if standing.drift is not Drift.GONE else ""
        lines = unified_diff(then.splitlines(), now.splitlines(), subject.id, there, lineterm="", n=CONTEXT)
        return "\n".join(lines) if then else ""

    def _text(self, id: str, digest: bytes) -> str:
        """Text of a file or symbol in the version with this digest; secrets are replaced."""
        path, scope = split_id(id)
        if not scope:
            texts = [version.text for version in self._files.history(path) if version.digest == digest]
            return self._files.text(texts[-1]).decode("utf-8", "replace") if texts else ""
        return self._code.lineage.text(id, digest)


class MemoryStores(NamedTuple):
    """The repositories of memory, and of the code that it is about."""

    episodes: Episodes
    learnings: Learnings
    books: Books
    leases: Leases
    files: Files
    nodes: Nodes


class Means(NamedTuple):
    """Where copies of the archive lie, if they may be written, under which mark; nearness in meaning, by a model that
    ranks and by the bundled one; new ids."""

    copies: Path | None
    mark: str
    near: "Callable[[], Near | None]"
    faint: "Callable[[], Near | None]"
    new_id: Callable[[], str]
    settings: Settings


class Memory:
    def __init__(self, kept: MemoryStores, means: Means) -> None:
        self._kept = kept
        self._means = means

    @cached_property
    def code(self) -> Code:
        """The drift of the code that memories are about."""
        return Code(self._kept.files, self._kept.nodes)

    @cached_property
    def differences(self) -> Differences:
        return Differences(self._kept.files, self.code)

    @cached_property
    def journal(self) -> Journal:
        """Where agents write what they saw and did."""
        return Journal(self._kept.episodes, self._kept.learnings, self.code, self._means.new_id)

    @cached_property
    def notebook(self) -> Notebook:
        """Notes by scope."""
        return Notebook(self._kept.books, lambda: self.journal, self._means.new_id, self._means.settings.working_notes)

    @cached_property
    def recall(self) -> "Recall":
        from clew.memory.copies import Archives  # numpy is heavy, and who only writes needs none
        from clew.memory.recall import Recall

        archives = Archives(self._kept.episodes, self._means.copies, self._means.mark)
        return Recall(self._kept.episodes, archives, self._means.near, self._means.faint)

    @cached_property
    def scheduled_reflection(self) -> Looking:
        """Looking back by the clock."""
        every = int(self._means.settings.reflect_every_minutes * 60_000_000)
        holder = this_process(self._means.new_id())
        return Looking(self._kept.episodes, lambda: self.reflector, self._kept.leases, holder, every)

    @cached_property
    def reflector(self) -> "Reflector":
        from clew.memory.reflection import Reflector  # as above

        return Reflector(self._kept.episodes, self._kept.learnings, self.journal, self.code, self._means.new_id)
