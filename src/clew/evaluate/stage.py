"""The set-up of an evaluation: the base checked out and indexed, and the ranked files."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from clew.evaluate import world
from clew.evaluate.checkout import checkout
from clew.evaluate.history import History
from clew.evaluate.rankers import Search
from clew.evaluate.report import EvaluationStep
from clew.evaluate.world import World
from clew.index.languages.detection import LanguageTable
from clew.model.run import Progress, RunReport
from clew.model.search import Query, Results
from clew.retrieve.search import Searcher
from clew.retrieve.signals import Signaller
from clew.store.corpus import Corpus
from clew.store.files import Files

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
