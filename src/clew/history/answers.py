"""Git as a source of answers: the commits, changed lines and authors that a question about the past is about.

Scores are shares: of the question's information in a message or in changed lines, and of how well a file answers.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from clew.index.history import objects
from clew.text.past_questions import RECENT
from clew.text.terms import Lexicon

MOST_COMMITS = 5000  # of the branch, the newest, that are looked at
MOST_READ = 80  # commits whose changed lines are read
MOST_PATHS = 100  # of a commit whose changed lines are read; larger ones say little of each
MOST_LINES = 6  # that are shown of a commit
LONGEST_LINE = 200
HALF_LIFE = 180 * 86_400_000_000  # in which a commit counts half, where what is recent is asked for
KNOWING_HALF_LIFE = 730 * 86_400_000_000  # likewise, of who knows something
LEAST = 0.12  # of a score
_PATHS_ASKED = 8


class HistoryQuestion(StrEnum):
    """A question about the past."""

    RECENT = "recent"
    WHEN = "when"
    WHO = "who"
    WHY = "why"


_ASKS = (
    (
        HistoryQuestion.WHO,
        r"\bwho\s+(?:knows?|wrote|owns?|maintains?|works?|worked|changed|added|introduced|touched|is\s+responsible)\b"
        r"|^\s*(?:the\s+|list\s+|show\s+)?(?:authors?|experts?|maintainers?|owners?)\s+(?:of|for|on|in)\b|\bwhom?\s+(?:to|should|can|do)\b.*\bask\b",
    ),
    (
        HistoryQuestion.WHEN,
        r"\bwhen\s+(?:did|was|were|has|have|is)\b.*\b(?:chang|add|introduc|remov|renam|delet|creat|becom|became|"
        r"start|stop|mov|fix|break|broke|bump|rais|lower|increas|decreas)\w*"
        r"|\b(?:which|what)\s+commits?\b|\bsince\s+when\b|\bhow\s+long\s+has\b",
    ),
    (
        HistoryQuestion.RECENT,
        RECENT,
    ),
    (
        HistoryQuestion.WHY,
        r"^\s*why\s+(?:is|are|was|were|does|do|did|has|have)\b|\bregress\w*|\b(?:broke|broken|fails?|failing|stopped\s+working)\s+since\b"
        r"|\bsince\s+(?:v?\d|the\s+(?:last|upgrade|update|release|commit|merge)|upgrading|updating|yesterday|last)\b"
        r"|\bused\s+to\s+\w+",
    ),
)
_ASKED = tuple((kind, re.compile(pattern, re.IGNORECASE | re.DOTALL)) for kind, pattern in _ASKS)
_SIGNS = (  # which lines a commit has that did what is asked: all of these signs, and of no others
    ("+-", re.compile(r"\b(?:chang|bump|rais|lower|increas|decreas|becom|became|mov|renam)\w*", re.IGNORECASE)),
    ("+", re.compile(r"\b(?:add|introduc|creat|start)\w*|\bsince\s+when\b", re.IGNORECASE)),
    ("-", re.compile(r"\b(?:remov|delet|drop|stop)\w*", re.IGNORECASE)),
)
OTHER_SIGNS = 0.6  # of what changed lines count that did something else
_LONGEST_QUESTION = 2000  # characters that are looked at for what they ask
_ASKING = frozenset(
    "about add added ago are ask author authors best change changed changes changing commit commits did do does edit "
    "edits expert experts has have history how introduce introduced is know knows last lately latest long maintain "
    "maintainer maintainers maintains most of own owner owners owns recent recently regressed regression since update "
    "updates was were what when which who whom why work works wrote".split()
)


class ChangedLine(Struct, frozen=True, omit_defaults=True):
    """A line that a commit added (+) or removed (-)."""

    path: str
    sign: str
    text: str


class CommitAnswer(Struct, frozen=True, omit_defaults=True):
    """A commit that answers; `lines` are those of its changed lines that say most of what was asked."""

    commit: str
    time: int
    author: str
    subject: str
    score: float
    files: tuple[str, ...]
    lines: tuple[ChangedLine, ...] = ()
    files_left_out: int = 0


class AuthorAnswer(Struct, frozen=True, omit_defaults=True):
    """An author of changes to the code in question: in how many commits, when last, and which files."""

    author: str
    commits: int
    last: int
    score: float
    files: tuple[str, ...]


class PastAnswer(Struct, frozen=True):
    asked: HistoryQuestion
    topic: str
    commits: tuple[CommitAnswer, ...]
    authors: tuple[AuthorAnswer, ...]
    looked_at: int


class _Scored(Struct):
    commit: objects.LoggedCommit
    message: float
    place: float
    lines: float = 0.0
    shown: tuple[ChangedLine, ...] = ()


def question_of(text: str) -> HistoryQuestion | None:
    """The question about the past in a text; None if there is none."""
    head = text[:_LONGEST_QUESTION]
    return next((kind for kind, pattern in _ASKED if pattern.search(head)), None)


def topic_of(text: str) -> str:
    """A question without the words that only ask for the past."""
    words = [word for word in re.findall(r"\S+", text) if word.strip("?.,!;:\"'").lower() not in _ASKING]
    return " ".join(words).strip("?.! ") or text


def signs_of(text: str) -> str:
    """Whether lines that came, went, or did both are asked for; empty if the text does not say."""
    return next((signs for signs, pattern in _SIGNS if pattern.search(text[:_LONGEST_QUESTION])), "")


class PastAnswers:
    """Reads the commits of the branch; `places` says, by path, how well a file answers the question, up to 1."""

    def __init__(self, root: Path, tip: str = "HEAD") -> None:
        self._root = root
        self._tip = tip
        self._lexicon = Lexicon()

    def answer(
        self, asked: HistoryQuestion, text: str, places: Mapping[str, float], *, since: int = 0, limit: int = 10
    ) -> PastAnswer:
        topic = topic_of(text)
        found = objects.log_commits(self._root, self._tip, MOST_COMMITS, since)
        terms = self._lexicon.question(topic)
        scored = self._score(found, terms, places)
        newest = max((one.time for one in found), default=0)
        if asked is HistoryQuestion.WHO:
            return PastAnswer(asked, topic, (), _authors(scored, newest, limit), len(found))
        self._read_lines(scored, terms, places, asked)
        if asked is HistoryQuestion.WHEN and (signs := signs_of(text)):
            for one in scored:
                if {line.sign for line in one.shown} != set(signs):
                    one.lines *= OTHER_SIGNS
        ranked = sorted(scored, key=lambda one: (-_total(one, asked, newest), -one.commit.time, one.commit.sha))
        best = _total(ranked[0], asked, newest) if ranked else 0.0
        kept = [one for one in ranked[:limit] if _total(one, asked, newest) >= max(LEAST, 0.35 * best)]
        return PastAnswer(
            asked,
            topic,
            tuple(_commit_answer(one, _total(one, asked, newest), places) for one in kept),
            _authors(scored, newest, 3),
            len(found),
        )

    def _score(
        self, found: Sequence[objects.LoggedCommit], terms: Mapping[str, str], places: Mapping[str, float]
    ) -> list[_Scored]:
        said = [self._terms(one.message) for one in found]
        frequency = Counter(term for one in said for term in one if term in terms)
        weight = {term: math.log(1 + len(found) / (1 + frequency[term])) for term in terms}
        whole = sum(weight.values()) or 1.0
        scored = []
        for commit, have in zip(found, said, strict=True):
            message = sum(weight[term] for term in terms if term in have) / whole
            place = max((places.get(path, 0.0) for path in commit.paths), default=0.0)
            place /= 1 + math.log(max(len(commit.paths), 1)) / 2
            if message > 0 or place > 0:
                scored.append(_Scored(commit, message, place))
        return scored

    def _terms(self, text: str) -> frozenset[str]:
        return frozenset(term for word in re.findall(r"\w+", text) for term in self._lexicon.terms(word))

    def _read_lines(
        self,
        scored: Sequence[_Scored],
        terms: Mapping[str, str],
        places: Mapping[str, float],
        asked: HistoryQuestion,
    ) -> None:
        """Changed lines of the likeliest commits, and of those that changed such lines in the likeliest files."""
        by_sha = {one.commit.sha: one for one in scored if len(one.commit.paths) <= MOST_PATHS}
        likely = sorted(by_sha.values(), key=lambda one: (-one.message - one.place, -one.commit.time, one.commit.sha))
        wanted = [one.commit.sha for one in likely[: MOST_READ // 2]]
        if asked is not HistoryQuestion.RECENT and terms:
            paths = sorted(places, key=lambda path: (-places[path], path))[:_PATHS_ASKED]
            words = sorted({re.escape(word) for word in terms.values()} | {re.escape(term) for term in terms})
            wanted += objects.touching_words(self._root, self._tip, "|".join(words), paths, MOST_READ // 2)
        shas = [sha for sha in dict.fromkeys(wanted) if sha in by_sha]
        rare: Counter[str] = Counter()
        lines: dict[str, list[tuple[ChangedLine, frozenset[str]]]] = defaultdict(list)
        for sha, changed in objects.changed_lines(self._root, shas):
            for path, sign, text in changed:
                have = self._terms(text) & terms.keys()
                if have:
                    lines[sha].append((ChangedLine(path, sign, text.strip()[:LONGEST_LINE]), have))
                    rare.update(have)
        total = sum(rare.values()) or 1
        weight = {term: math.log(1 + total / (1 + rare[term])) for term in terms}
        whole = sum(weight.values()) or 1.0
        for sha, some in lines.items():
            ranked = sorted(
                enumerate(some), key=lambda one: (-sum(weight[term] for term in one[1][1]), one[0])
            )[:MOST_LINES]  # fmt: skip
            best = sum(weight[term] for term in ranked[0][1][1]) / whole
            by_sha[sha].lines = best * max(0.4, places.get(ranked[0][1][0].path, 0.0))
            by_sha[sha].shown = tuple(one[1][0] for one in sorted(ranked))


def _total(one: _Scored, asked: HistoryQuestion, newest: int) -> float:
    if asked is HistoryQuestion.RECENT:
        score = 0.5 * one.message + 0.4 * one.place + 0.1 * one.lines
        return score * (0.4 + 0.6 * _decay(newest - one.commit.time, HALF_LIFE))
    return 0.35 * one.message + 0.15 * one.place + 0.5 * one.lines


def _decay(age: int, half_life: int) -> float:
    return float(0.5 ** (max(age, 0) / half_life))


def _authors(scored: Iterable[_Scored], newest: int, limit: int) -> tuple[AuthorAnswer, ...]:
    """By how much they changed of what answers best, later changes counting more."""
    weight: defaultdict[str, float] = defaultdict(float)
    commits: Counter[str] = Counter()
    last: dict[str, int] = {}
    files: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one in scored:
        score = one.place + 0.5 * one.message
        if score < LEAST:
            continue
        author = one.commit.author
        weight[author] += score * _decay(newest - one.commit.time, KNOWING_HALF_LIFE)
        commits[author] += 1
        last[author] = max(last.get(author, 0), one.commit.time)
        files[author].update(one.commit.paths if len(one.commit.paths) <= MOST_PATHS else ())
    whole = sum(weight.values()) or 1.0
    ranked = sorted(weight, key=lambda name: (-weight[name], -last[name], name))[:limit]
    return tuple(
        AuthorAnswer(
            name, commits[name], last[name], round(weight[name] / whole, 3),
            tuple(path for path, _ in sorted(files[name].items(), key=lambda one: (-one[1], one[0]))[:3]),
        )
        for name in ranked
    )  # fmt: skip


def _commit_answer(one: _Scored, score: float, places: Mapping[str, float]) -> CommitAnswer:
    paths = sorted(one.commit.paths, key=lambda path: (-places.get(path, 0.0), path))
    return CommitAnswer(
        one.commit.sha, one.commit.time, one.commit.author, one.commit.subject, round(score, 3), tuple(paths[:3]),
        one.shown, max(0, len(paths) - 3),
    )  # fmt: skip
