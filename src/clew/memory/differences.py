"""How the code that a memory is about differs now from its state then."""

from difflib import unified_diff

from clew.memory.subjects import Code, Drift
from clew.model.code import split_id
from clew.model.memory import Subject
from clew.store.files import Files

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
        """Of a file or symbol, in the version that had this digest; secrets are replaced in it."""
        path, scope = split_id(id)
        if not scope:
            texts = [version.text for version in self._files.history(path) if version.digest == digest]
            return self._files.text(texts[-1]).decode("utf-8", "replace") if texts else ""
        return self._code.lineage.text(id, digest)
