"""The first task: a commit's message finds the files and the functions that the commit changed."""

from collections.abc import Iterator

from clew.evaluate import functions
from clew.evaluate.choosing import Chosen, DrawnCommit
from clew.evaluate.history import History
from clew.evaluate.report import Case
from clew.evaluate.world import World
from clew.index.languages.detection import LanguageTable
from clew.text.encodings import as_utf8


def cases(chosen: Chosen, history: History, base: World, known: LanguageTable) -> list[Case]:
    """Map chosen commits to cases; only functions that exist at the base count."""
    return [_case(drawn, history, base, known) for drawn in chosen.drawn]


def _case(drawn: DrawnCommit, history: History, base: World, known: LanguageTable) -> Case:
    found = tuple(one for one in _changed_functions(drawn, history, known) if one in base.functions)
    return Case(drawn.commit.sha, drawn.query, drawn.commit.time, drawn.files, found)


def _changed_functions(drawn: DrawnCommit, history: History, known: LanguageTable) -> Iterator[str]:
    """The functions of each file before the commit, to which its hunks refer."""
    sha = drawn.commit.sha
    for path in drawn.files:
        before = functions.read(path, as_utf8(history.before(sha, path)), known)
        yield from functions.changed_functions(before, history.hunks(sha, path))
