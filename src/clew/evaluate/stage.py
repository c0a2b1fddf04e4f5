"""The set-up of an evaluation: the base checked out and indexed, and the ranked files."""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from clew.evaluate import world
from clew.evaluate.history import History
from clew.evaluate.rankers import Search
from clew.evaluate.report import EvaluationStep
from clew.evaluate.world import World
from clew.languages.detection import LanguageTable
from clew.model.errors import InvalidInput, Unavailable
from clew.model.run import Progress, RunReport
from clew.model.search import Query, Results
from clew.retrieve.search import Searcher
from clew.retrieve.signals import Signaller
from clew.runtime import git_process, lent_objects
from clew.store.corpus import Corpus
from clew.store.files import Files

# The base, checked out: a repository of its own that borrows the objects and knows nothing of the future.

MARK = "clew-eval"  # in the .git of a checkout that is ours: what it borrows from
ATTEMPTS, PAUSE = 50, 0.1  # seconds

_AS_COMMITTED = ("-c", "core.autocrlf=false")  # files as they are in the repository


@contextmanager
def checkout(history: History, base: str, keep: Path | None) -> Iterator[Path]:
    """The tree of the base; removed at the end in any case, unless it is to be kept. A kept one is used again."""
    if keep is not None:
        root = keep.absolute()
        _adopt(root, history)
        _fill(root, base)
        yield root
        return
    root = Path(tempfile.mkdtemp(prefix="clew-eval-")).resolve()
    try:
        _borrow(root, history)
        _fill(root, base)
        yield root
    finally:
        _remove(root)


def _remove(root: Path) -> None:
    """More than once if need be: a git that Ctrl-C has just ended may still write its last file."""
    for _ in range(ATTEMPTS):
        shutil.rmtree(root, ignore_errors=True)
        if not root.exists():
            return
        time.sleep(PAUSE)


def _adopt(root: Path, history: History) -> None:
    mark = root / ".git" / MARK
    if mark.is_file():
        if mark.read_text("utf-8") != str(history.shared):
            raise InvalidInput(f"{root} was kept of another repository", "Name another directory with --keep.")
    elif root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise InvalidInput(f"{root} is not empty, and no evaluation made it", "Name another directory with --keep.")
    else:
        root.mkdir(parents=True, exist_ok=True)
        _borrow(root, history)


def _borrow(root: Path, history: History) -> None:
    """As `git clone --shared` does, but without a branch or a tag: later commits have no name here."""
    _git(root, "init", "--quiet", "--template=", f"--object-format={history.object_format}")
    own = root / ".git"
    (own / "objects" / "info").mkdir(parents=True, exist_ok=True)
    (own / "objects" / "info" / "alternates").write_text(f"{history.shared / 'objects'}\n", "utf-8")
    lent_objects.permit_own(own)
    (own / MARK).write_text(str(history.shared), "utf-8")


def _fill(root: Path, base: str) -> None:
    _git(root, "checkout", "--quiet", "--force", "--detach", base)


def _git(root: Path, *arguments: str) -> None:
    # Alone: the tree names filters by its attributes, and the configuration of this new repository defines none.
    done = git_process.run(root, *_AS_COMMITTED, *arguments, timeout=None, alone=True)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise Unavailable(f"the base cannot be checked out: {said}", "Free some space, or run `git fsck` there.")


# A checkout that is measured lies in a file of its own, whatever the project says, and nothing runs beside questions.
APART = {
    "CLEW_STORAGE_URL": "",
    "CLEW_STORAGE_DB_PATH": "",
    "CLEW_QUERY_REFRESH": "false",
    "CLEW_BOOTSTRAP_ENABLED": "false",
}


class OpenedCheckout(Protocol):
    """A checkout with Clew on it."""

    def index(self, *, report: Callable[[Progress], None]) -> RunReport: ...

    def search(self, query: Query) -> Results: ...

    def corpus(self) -> Corpus: ...

    @property
    def searcher(self) -> Searcher: ...

    @property
    def files(self) -> Files: ...


Opener = Callable[
    [Path, Mapping[str, str]], AbstractContextManager[OpenedCheckout]
]  # a root, and settings as variables
Report = Callable[[EvaluationStep], None]


class Scenery(NamedTuple):
    """The base of a history to check out."""

    history: History
    base: str
    keep: Path | None
    known: LanguageTable


@dataclass(frozen=True, slots=True)
class Stage:
    root: Path
    opened: OpenedCheckout
    indexed: RunReport
    seen: World


@contextmanager
def laid_out(scenery: Scenery, opener: Opener, settings: Mapping[str, str], report: Report) -> Iterator[Stage]:
    """Checked out, indexed and read; gone at the end, unless it is to be kept."""
    history, base, keep, known = scenery
    with checkout(history, base, keep) as root, opener(root, settings) as opened:
        indexed = index(opened, report)
        seen = world.read(root, history.paths(base), known, lambda done: report(EvaluationStep("reading", done, 0)))
        yield Stage(root, opened, indexed, seen)


def index(opened: OpenedCheckout, report: Report) -> RunReport:
    return opened.index(report=lambda progress: report(EvaluationStep("indexing", progress.done, progress.total)))


def search_function(opened: OpenedCheckout) -> Search:
    return lambda text, limit: opened.search(Query(text, limit))


def signaller(opened: OpenedCheckout) -> Signaller:
    return Signaller(opened.searcher, opened.corpus, opened.files)
