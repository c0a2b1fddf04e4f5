"""The query in a commit's message, or the reason that the commit is no task. Pure."""

import re
from enum import StrEnum

from clew.text.terms import UNSPACED

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
    return message.strip().partition("\n")[0].strip()
