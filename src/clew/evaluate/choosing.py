"""Chooses the commits that become cases, and the base before them. Pure, except for reads of the history."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from clew.evaluate import functions
from clew.evaluate.history import Commit, History
from clew.evaluate.report import Case, QuerySource, Request
from clew.evaluate.world import SourceFiles, World
from clew.languages.detection import LanguageTable
from clew.model.errors import NotFound
from clew.text.encodings import as_utf8
from clew.text.terms import UNSPACED

# The query in a commit's message, or the reason that the commit is no task. Pure.

LEAST_WORDS = 2  # of a query; one word is no task


class CommitExclusion(StrEnum):
    """Why a commit makes no case."""

    MERGE = "merge"
    RELEASE = "release"
    BUMP = "version bump"
    REVERT = "revert"
    SWEEP = "typo or format sweep"
    DOCS = "about documentation"
    TESTS = "about tests"
    BUILD = "about the build"
    WORDLESS = "no words to ask by"
    NO_SOURCE = "changes no source file"
    MANY = "changes more than 5 source files"
    MOVED = "adds, removes or moves a source file"
    ABSENT = "changes a source file that the base does not have"
    REPEATED = "same message as another case"
    BEYOND = "more than were asked for"


LONGEST_SUBJECT = 500  # characters: it is matched in more than linear time
_NUMBER = r"v?\d+\.\d+[\w.+-]*"
_RELEASE = re.compile(
    r"^(?:(?:chore|build|docs?)(?:\([^)]*\))?: )?"
    r"(?:prepar\w+|prep|begin|start|cut|tag|make|new)?(?: for)?(?: the)?(?: next)? ?"
    r"release(?: candidate| prep\w*| version| notes|:|$)"
    rf"|^{_NUMBER}$|^(?:start |begin |new )?version {_NUMBER}|^(?:start|begin) (?:development|work).*{_NUMBER}"
    r"|^(?:update|add|set) (?:the )?(?:changelog|change log|release notes)\b"
    r"|^(?:update|set) (?:the )?version(?: number| to\b|$)"
    rf"|\b{_NUMBER} release$|\brelease (?:of )?(?:version )?{_NUMBER}",
    re.IGNORECASE,
)
_BUMP = re.compile(
    r"\bbump(?:s|ed|ing)?\b|\b(?:build|chore|fix|deps)\(deps[^)]*\)|^deps:"
    r"|\b(?:update|upgrade|pin) (?:\w+ )?(?:dependenc\w+|requirements|dev deps|deps)\b|^update dependency\b",
    re.IGNORECASE,
)
_REVERT = re.compile(r"^revert\b", re.IGNORECASE)
_REVERTS = re.compile(r"^This reverts commit\b", re.MULTILINE)
_SWEEP = re.compile(
    r"\b(?:typos?|spelling|misspell\w*|(?:trailing|remov\w+|fix\w*) whitespaces?|grammar|copyright|reformat\w*|gofmt"
    r"|rustfmt|isort|prettier|eslint|flake8|pyupgrade|lint(?:s|ed|er|ing)?|pre-commit)\b|^style(?:\([^)]*\))?:"
    r"|^(?:auto-?)?format(?:ting|ted)?(?: (?:code|with|files|all|source|sources|imports?)\b|:?$)"
    r"|\b(?:apply|run|use) black\b",
    re.IGNORECASE,
)
_DOCS = re.compile(
    r"^docs?(?:\([^)]*\))?!?:"
    r"|^(?:add|fix|improve|update|correct|clarify|polish)(?:e?s|e?d)? (?:the |some |missing |more )?"
    r"(?:docs?|documentation|docstrings?|javadocs?|readme|comments?)\b|^documentation\b",
    re.IGNORECASE,
)
_TESTS = re.compile(
    r"^tests?(?:\([^)]*\))?!?:"
    r"|^(?:add|improve|update)(?:e?s|e?d)? (?:the |some |missing |more )?(?:unit |integration )?"
    r"tests?(?: cases?)?(?: for| of| to|$)",
    re.IGNORECASE,
)
_BUILD = re.compile(r"^(?:build|ci)(?:\([^)]*\))?!?:", re.IGNORECASE)
_BY_SUBJECT = {
    CommitExclusion.REVERT: _REVERT,
    CommitExclusion.BUMP: _BUMP,
    CommitExclusion.RELEASE: _RELEASE,
    CommitExclusion.SWEEP: _SWEEP,
    CommitExclusion.DOCS: _DOCS,
    CommitExclusion.TESTS: _TESTS,
    CommitExclusion.BUILD: _BUILD,
}

_TRAILER = re.compile(r"^(?:[\w-]+-by|Change-Id|git-svn-id|Cc|PR-URL):.*$", re.MULTILINE | re.IGNORECASE)
_URL = re.compile(r"<?\bhttps?://[^\s>)\]]+>?")
_REFERENCE = re.compile(
    r"\(?(?:\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|refs?|see|issues?|pull request|pr|gh)[ :-]*)?"
    r"(?:\bGH-|(?:\b[\w.-]+/[\w.-]+)?#)\d+\)?",
    re.IGNORECASE,
)
_WORD = re.compile(rf"[{UNSPACED}]{{2}}|[^\W\d_{UNSPACED}]{{2,}}")


def reason_against(message: str) -> CommitExclusion | None:
    """Why a message is no task, if it is none; by its first line, mostly."""
    subject = _REFERENCE.sub("", subject_of(message)).strip()
    for reason, pattern in _BY_SUBJECT.items():
        if pattern.search(subject):
            return reason
    return CommitExclusion.REVERT if _REVERTS.search(message) else None


def query_of(text: str) -> str:
    """A message without text for tools: trailers, numbers of issues, addresses; empty if little is left."""
    bare = _REFERENCE.sub(" ", _URL.sub(" ", _TRAILER.sub("", text)))
    lines = [" ".join(line.split()) for line in bare.splitlines()]
    query = "\n".join(line for line in lines if _WORD.search(line))
    return query if len(_WORD.findall(query)) >= LEAST_WORDS else ""


def subject_of(message: str) -> str:
    return message.strip().partition("\n")[0].strip()[:LONGEST_SUBJECT]


MOST_FILES = 5  # that a case's commit changes; more is a sweep
SAMPLES = 24  # places in a short history where a base is tried

MODIFIED = "M"


class DrawnCommit(NamedTuple):
    """A commit that may be a case: the query, and the source files that it changed."""

    commit: Commit
    query: str
    files: tuple[str, ...]


class Chosen(NamedTuple):
    """`drawn` in order of time; `left_out` counts the other commits behind the base by reason."""

    base: str
    drawn: tuple[DrawnCommit, ...]
    left_out: Mapping[str, int]


def choose(history: History, request: Request, sources: SourceFiles) -> Chosen:
    """The cases behind the base that is named, nearest first; else the newest, and a base just before them."""
    tip = history.resolve("HEAD")
    chooser = _Chooser(history, tip, request.asked, sources)
    if request.base:
        base = history.resolve(request.base)
        drawn, left_out = chooser.behind(base)
        kept = drawn[: request.cases]
    else:
        base = chooser.base_for(request.cases)
        drawn, left_out = chooser.behind(base)
        kept = drawn[-request.cases :]
    if not kept:
        told = ", ".join(f"{count} {reason}" for reason, count in left_out.items()) or "there are none"
        raise NotFound(
            f"no commit after {base[:12]} makes a case: {told}", "Name an earlier --base, or a longer history."
        )
    left_out[CommitExclusion.BEYOND] += len(drawn) - len(kept)
    left_out[CommitExclusion.MERGE] += history.merges(base, tip)
    return Chosen(base, tuple(kept), {str(reason): left_out[reason] for reason in CommitExclusion if left_out[reason]})


class _Chooser:
    def __init__(self, history: History, tip: str, asked: QuerySource, sources: SourceFiles) -> None:
        self._history = history
        self._tip = tip
        self._asked = asked
        self._sources = sources

    def behind(self, base: str) -> tuple[list[DrawnCommit], Counter[CommitExclusion]]:
        return draw(self._history.commits(base, self._tip), self._history.paths(base), self._sources, self._asked)

    def base_for(self, wanted: int) -> str:
        """The newest commit that enough cases follow; if there is none, the one that most do.

        Going back gains cases, and loses those of files that did not exist yet: so there may be no such commit.
        """
        line = self._history.line(self._tip)
        last = len(line) - 1
        low, high = 0, min(wanted, last)
        while self._count(line[high]) < wanted:
            if high == last:
                return self._best(line)
            low, high = high, min(2 * high + 1, last)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._count(line[middle]) >= wanted else (middle, high)
        return line[high]

    def _best(self, line: Sequence[str]) -> str:
        """The best base commit; without any cases the oldest, so that all exclusions are reported."""
        places = sorted({round(i * (len(line) - 1) / SAMPLES) for i in range(SAMPLES + 1)})
        counted = {line[place]: self._count(line[place]) for place in places}
        return max(counted, key=counted.__getitem__) if any(counted.values()) else line[-1]

    def _count(self, base: str) -> int:
        return len(self.behind(base)[0])


def draw(
    commits: Iterable[Commit], present: Container[str], sources: SourceFiles, asked: QuerySource
) -> tuple[list[DrawnCommit], Counter[CommitExclusion]]:
    """Select the commits that are cases, in order of time; count the others by reason."""
    found: dict[str, DrawnCommit] = {}
    left_out: Counter[CommitExclusion] = Counter()
    for commit in commits:
        made = _draw(commit, present, sources, asked)
        if isinstance(made, CommitExclusion):
            left_out[made] += 1
        elif made.query in found:
            left_out[CommitExclusion.REPEATED] += 1
        else:
            found[made.query] = made
    return list(found.values()), left_out


def _draw(
    commit: Commit, present: Container[str], sources: SourceFiles, asked: QuerySource
) -> DrawnCommit | CommitExclusion:
    changes = [change for change in commit.changes if change.path in sources]
    files = tuple(change.path for change in changes)
    if reason := reason_against(commit.message) or _reason_against(changes, present):
        return reason
    query = query_of(subject_of(commit.message) if asked is QuerySource.SUBJECT else commit.message)
    return DrawnCommit(commit, query, files) if query else CommitExclusion.WORDLESS


def _reason_against(changes: Sequence[tuple[str, str]], present: Container[str]) -> CommitExclusion | None:
    if not changes:
        return CommitExclusion.NO_SOURCE
    if len(changes) > MOST_FILES:
        return CommitExclusion.MANY
    if any(status != MODIFIED for status, _ in changes):
        return CommitExclusion.MOVED
    return CommitExclusion.ABSENT if any(path not in present for _, path in changes) else None


# The first task: a commit's message finds the files and the functions that the commit changed.


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
