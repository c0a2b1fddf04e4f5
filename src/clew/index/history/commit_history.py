"""Git history of the files: co-changes, and commit messages."""

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from blake3 import blake3

from clew.index.history import git
from clew.index.history.cochange import MOST_COMMITS, MOST_FILES, co_changes
from clew.index.rules import FORMAT
from clew.model.errors import StoreCorrupt
from clew.runtime.settings import Config
from clew.store.histories import Histories
from clew.text.secrets import Scrubber


class CommitHistory:
    def __init__(self, root: Path, histories: Histories, config: Config) -> None:
        self._root = root
        self._histories = histories
        self._most = config.providers.git_history.max_commits
        self._left_out = f"{FORMAT} {config.security}"
        self._scrubber = Scrubber.configured(config.security)

    def remember(self, head: str, paths: frozenset[str], writing: Callable[[], AbstractContextManager[None]]) -> None:
        """Of the commits up to a head; together change only files that are there."""
        grounds = self._grounds()
        with suppress(StoreCorrupt):  # then it is made again
            if self._histories.is_of(_made_for(head, grounds, paths.intersection(self._histories.changed_files()))):
                return
        from clew.store.commits import pack_commits  # numpy is heavy, and mostly the head is as it was

        changes = git.changes(self._root, max(self._most, MOST_COMMITS))
        together = co_changes((change.paths for change in changes[:MOST_COMMITS]), paths)
        said = pack_commits(
            ((self._scrub_message(message), changed) for message, changed in changes[: self._most]), MOST_FILES
        )
        named = frozenset(path for change in changes for path in change.paths if _is_text(path))
        with writing():
            self._histories.put(_made_for(head, grounds, paths & named), together, said, sorted(named))

    def _grounds(self) -> str:
        """The inputs of a history beside its commit and the present files: its end, and its exclusions."""
        return f"{git.shallow_boundary(self._root)} {self._most} {self._left_out}"

    def _scrub_message(self, message: str) -> str:
        return self._scrubber.scrub(message, "")[0]


def _is_text(path: str) -> bool:
    """Whether a path is valid text; other paths are not indexed."""
    return path.isascii() or path == path.encode("utf-8", "ignore").decode()


def _made_for(head: str, grounds: str, there: frozenset[str]) -> str:
    told = "\0".join([grounds, *sorted(there)])
    return f"{head} {blake3(told.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"
