"""Parses a question: its terms and their weights, the names of code in it, the places that it points at.

A question is anything that an agent or a person writes: a sentence, a task, a commit message, an error with its stack
trace. Pure, and knows nothing of the project.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from clew.model.search import MOST_READ
from clew.text.messages import Message, read
from clew.text.terms import FILLERS, Lexicon

# Programmers' abbreviations: questions have one form, code the other.

# Groups of words that mean the same in code. General usage; nothing was fitted.
_GROUPS = """
addr address; admin administration administrator; alloc allocate allocation; app application; arg argument args;
async asynchronous; attr attribute; auth authentication authenticate authorization authorize; bool boolean;
buf buffer; calc calculate calculation; cert certificate; char character; cmd command; conf config configuration
configure cfg; conn connection connect; ctx context; cred credential; cur current; db database; decl declaration;
def definition define; del delete remove; dep dependency; dest destination dst; dir directory folder; doc
documentation document; elem element; env environment; err error; eval evaluate evaluation; exec execute execution;
expr expression; ext extension; fmt format formatting; fn func function; gen generate generator; id identifier; idx
index; impl implementation implement; info information; init initialize initialise initialization; int integer; iter
iterator iterate; lang language; len length; lib library; max maximum; mem memory; min minimum; msg message; num
number; obj object; op operation operator; param parameter; perm permission; pkg package; pref preference; prev
previous; proc process; prop property; pwd password; ref reference; regex regexp; repo repository; req request; res
resp response; ret return; sig signature; spec specification; src source; stmt statement; str string; sub
subscription subscribe; sync synchronize synchronous; sys system; temp temporary tmp; util utility; val value; var
variable; ver version; ws websocket
"""


@lru_cache(maxsize=1)
def _by_word() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for group in _GROUPS.split(";"):
        words = group.split()
        for word in words:
            found[word] = (*found.get(word, ()), *(other for other in words if other != word))
    return found


def alternatives(word: str, terms: Callable[[str], tuple[str, ...]]) -> list[str]:
    """The terms of a word's other forms."""
    others = _by_word().get(word.lower()) or _by_word().get(word.lower().removesuffix("s"), ())
    return list(dict.fromkeys(term for other in others for term in terms(other)))


_AT_ITS_END = 5_000  # characters of a very long one that are read there: a log says at last what failed

# How much a word counts by where it stands, and if it only says what is to be done. Fitted: docs/fitted.md.
HEADLINE, PART, BODY = 2.0, 3.0, 1.0
BODY_TERMS = 20  # behind the headline that count in full; more of them, a report with its logs, count as much together
TASK_WORDS_SHARE = 0.5
OTHER_SHARE = 0.5  # of what a word counts: `auth` where the question says authentication
_TASK_WORDS = frozenset(
    "add added adds allow allows also avoid avoids bug change changed changes clean cleanup correct corrected drop "
    "dropped enable ensure ensures feature fix fixed fixes handle handles implement implemented improve improved "
    "instead introduce introduced issue made make makes move moved new now prevent refactor refactored refactoring "
    "remove removed removes rename renamed should simplified simplify support supports update updated updates use "
    "used uses using when".split()
)

# What asks for a thing by its name, and says nothing more of it: "where is X defined?", "class X", "how does X work?".
_DEFINING = frozenset(
    "class classes constant declaration declared def defined definition definitions enum func function functions "
    "interface method methods object property protocol signature struct symbol trait type variable".split()
)
_ASKING = _DEFINING | frozenset(
    "affect affected affects body break breaks called caller callers calls change changed changes changing code "
    "delete deleted deleting depend dependencies dependency dependent dependents depends describe does exactly "
    "explain file find give happen happens impact impacted impacts implementation implemented implements invoked "
    "locate located look looks mean means modify modifying need please purpose reference referenced references relies "
    "rely remove removed removing rename renamed renaming s safe see show source tell understand usage usages used "
    "uses want work works".split()
)
MOST_ASKING = 12  # words of a question that is about one name; longer ones say more than that
MOST_SUBJECTS = 3  # names that one question is about
LEAST_PLAIN = 6  # words of a question that tells in plain words what it is about; fewer may well be names
ASKED = re.compile(r"\s*(?:how|what|why|where|when|which|who|can|does|do|is|are|explain|describe)\b", re.IGNORECASE)
_ASKED_AT_ITS_END = re.compile(r"\?\s*\Z")
_FIRST_PERSON = re.compile(r"(?<![^\s(\"\u201c])(?:I|[Mm]y|me)(?=[\s,.;:!?)'\u2019]|\Z)")
_HOW = re.compile(r"\s*(?:how|where|why|when)\b[^\n]*\s*\Z", re.IGNORECASE)

_NAME = re.compile(
    r"`(?P<quoted>[^`\n]+)`"
    r"|(?P<dotted>\b[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)+)"
    r"|(?P<joined>\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w+_\w+|_\w+)\b)"
    r"|(?P<called>\b[A-Za-z_]\w*)\(\)"
)
WORD = re.compile(r"[^\W\d]\w*")  # of a name
_SAID = re.compile(r"`[^`\n]+`|[^\W\d][\w$]*(?:(?:\.|::|#|->)[^\W\d][\w$]*)*")
_SHORTEST_NAME, _SHORTEST_MEMBER = 2, 3
_LONGEST_PATH = 260
_DRIVE = re.compile(r"\A[A-Za-z]:")

# Where a line of a stack trace points: Python; Go and Rust, whose names stand in the line before; C#; JavaScript; the
# Java platform; Ruby, PHP, Swift and compilers.
# None looks further than a path is long, nor begins within one: what is pasted may be long, and have no blanks.
# Compiled only for a question that has a digit, as every such line has: that takes as long as to answer.
_FRAMES = (
    r'File "(?P<path>[^"\n]+)", line (?P<line>\d+)(?:, in (?P<name>[\w<>.]+))?',
    (
        r"(?m)^(?P<name>[^\s()]{1,260}?(?:\(\*?\w{1,100}(?:\[\.{3}\])?\)[^\s()]{1,160}?)?)(?:\.func\d[\d.]{0,20})?"
        r"\([^\n]{0,500}\)\n[ \t]{1,20}(?P<path>[^\s:]{1,260}\.go):(?P<line>\d+)"
    ),
    (
        r"(?m)^[ \t]{0,20}\d{1,4}: (?P<name>[^\n]{1,260}?)(?:::\{\{closure\}\}){0,9}(?:::h[0-9a-f]{16})?"
        r"\n[ \t]{1,40}at (?P<path>[^\s:]{1,260}\.rs):(?P<line>\d+)"
    ),
    (
        r"\bat (?P<name>[^\s()]{1,260})\([^()\n]{0,500}\) in "
        r"(?P<path>(?:[A-Za-z]:)?[^:\n]{1,260}):line (?P<line>\d+)"
    ),
    (
        r"\bat (?:async )?(?:(?P<name>[\w$.<>\[\] ]{1,120}?) )?"
        r"\(?(?P<path>[^\s():]{1,260}\.\w{1,10}):(?P<line>\d+)(?::\d+)?\)?"
    ),
    r"\bat (?P<name>[\w$.<>/]{1,260})\((?P<path>[\w$-]{1,260}\.\w{1,10}):(?P<line>\d+)\)",
    (
        r"(?<![\w@./\\-])(?P<path>[\w@./\\-]{1,260}\.[A-Za-z]\w{0,5})"
        r"(?::(?: ?line )?|,? (?:on )?line |\((?=\d+(?:,\d+)?\) ?:))(?P<line>\d+)(?::\d+)?"
        r"(?::in [`'](?P<name>[^'\n]{1,120})')?"
    ),
)
# How hosts of code link to a file, and to lines of it. Compiled where a question has an address.
_LINK = (
    r"://[^\s/]{1,260}/[^\s/]{1,260}/[^\s/]{1,260}/(?:-/)?(?:blame|blob|raw|src)/[^\s/]{1,260}/"
    r"(?P<path>[^\s#?:()]{1,260}\.\w{1,10})(?![\w/])(?:(?:\?[^\s#]{0,260})?#(?:L|lines-)(?P<line>\d{1,7}))?"
)
_PATH = re.compile(r"(?<![\w/.@-])(?P<path>(?:[\w@.-]++/)*+\.?[\w@-][\w@.-]*\.[A-Za-z]\w{0,5})(?![\w/])")
# Blanks stand outside of what is quoted, and an apostrophe inside of a word: what lies between two quotes is no third.
_STRING = re.compile(r"\"(?=\S)([^\"\n]{8,200})(?<=\S)\"|(?<!\w)'(?=\S)([^'\n]{8,200})(?<=\S)'(?!\w)|“([^”\n]{8,200})”")
# Escapes of terminals, and signs that only say which way text runs, or nothing at all.
_UNSEEN = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,500}(?:\x07|\x1b\\))|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)


class Frame(NamedTuple):
    """A place that a stack trace or a compiler names; no line is 0."""

    path: str
    line: int
    name: str


class Word(NamedTuple):
    """A word of a question, as written, and how much it counts; or another way to write it, which is a bonus."""

    text: str
    weight: float
    is_other: bool = False


class Question(NamedTuple):
    """`terms` are in a fixed order; `names` are names of code, as written, the outer before the inner.

    `subjects` are the names that the question is about, if it says nothing else; there may be nothing that has them.
    One that `is_plain` asks in a person's own words, and says no name, place or part of the project. So `asks_how` a
    shorter one, too; but none that says a single word, which may well be a name. One that `is_report` says much behind
    its first line, as a description of a fault with its logs does.
    """

    text: str
    terms: Mapping[str, Word]
    names: tuple[tuple[str, ...], ...]
    frames: tuple[Frame, ...]
    strings: tuple[str, ...]
    subjects: tuple[tuple[str, ...], ...] = ()
    is_plain: bool = False
    asks_how: bool = False
    is_report: bool = False


def as_read(text: str) -> str:
    """A question without invisible characters such as terminal colours, and shortened in the middle if it is very
    long."""
    text = _UNSEEN.sub("", text)
    return text if len(text) <= MOST_READ else f"{text[: MOST_READ - _AT_ITS_END]}\n{text[-_AT_ITS_END:]}"


@lru_cache(maxsize=64)
def understand(text: str) -> Question:
    shown = as_read(text)
    frames, names = tuple(dict.fromkeys(_frames(shown))), tuple(dict.fromkeys(_names(shown)))
    subjects = _subjects(shown, names)
    is_plain = not (names or frames or subjects) and _is_asked(shown) and _is_sentence(read(shown))
    is_short = _HOW.match(shown) is not None and not (names or frames or subjects)
    asks_how = (is_plain or is_short) and len(content_words(_words(shown))) > 1
    is_report = len(lexicon().question(read(shown).body)) > BODY_TERMS
    return Question(shown, _terms(shown), names, frames, _strings(shown), subjects, is_plain, asks_how, is_report)


def _is_asked(text: str) -> bool:
    """Whether the text asks or reports in the first person; authors of commit messages hardly ever do."""
    return any(one.search(text) for one in (_ASKED_AT_ITS_END, _FIRST_PERSON)) or ASKED.match(text) is not None


def _is_sentence(message: Message) -> bool:
    return not (message.part or message.body.strip()) and len(message.headline.split()) >= LEAST_PLAIN


def _terms(text: str) -> dict[str, Word]:
    """A term that stands in several places counts as in the best of them."""
    message = read(text)
    body, headline, named = (lexicon().question(one) for one in (message.body, message.headline, message.part))
    found: dict[str, Word] = {}
    for words, weight in ((body, BODY * min(1.0, BODY_TERMS / max(len(body), 1))), (headline, HEADLINE), (named, PART)):
        for term, word in words.items():
            counts = weight * (TASK_WORDS_SHARE if word.lower() in _TASK_WORDS else 1.0)
            if term not in found or found[term].weight < counts:
                found[term] = Word(word, counts)
    return dict(sorted({**_others(found), **found}.items()))


def _others(found: Mapping[str, Word]) -> dict[str, Word]:
    """The terms of other ways to write the words."""
    return {
        other: Word(word.text, word.weight * OTHER_SHARE, is_other=True)
        for word in found.values()
        for other in alternatives(word.text, lexicon().terms)
    }


def _names(text: str) -> Iterator[tuple[str, ...]]:
    for match in _NAME.finditer(text):
        parts = tuple(WORD.findall(match[match.lastgroup or 0]))
        if parts and len(parts) <= 6 and not _is_too_short(parts):
            yield parts


def _subjects(text: str, names: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """The names that are left of a question without its asking words.

    A plain lower-case word is a name only if the question says that it is one: "function load", but not "how does
    loading work?".
    """
    said = _words(text)
    left = content_words(said)
    parts = tuple(tuple(WORD.findall(word)) for word in left)
    if len(said) > MOST_ASKING or not parts or any(not one or _is_too_short(one) for one in parts):
        return ()
    if all(one in names for one in parts):
        return parts if len(parts) <= MOST_SUBJECTS else ()
    is_written_so = left[0][0].isupper() and left[0] != said[0]
    is_said_so = not _DEFINING.isdisjoint(word.lower() for word in said)
    return parts if len(parts) == 1 and (is_written_so or is_said_so) else ()


def _is_too_short(name: tuple[str, ...]) -> bool:
    """Two letters are enough if they are all of a name; behind a dot, they are as often the ending of a file."""
    return len(name[-1]) < (_SHORTEST_NAME if len(name) == 1 else _SHORTEST_MEMBER)


def _words(text: str) -> list[str]:
    return _SAID.findall(text[: _LONGEST_PATH * MOST_ASKING])


def content_words(said: Iterable[str]) -> list[str]:
    """Words that carry content, without those that only ask."""
    return [word for word in dict.fromkeys(said) if word.lower() not in _ASKING | FILLERS]


def _frames(text: str) -> Iterator[Frame]:
    """In the order of the text; a place that several patterns find is told as by the first of them."""
    found: dict[tuple[str, int], tuple[int, Frame]] = {}
    for pattern in _FRAMES if any(map(str.isdecimal, text)) else ():
        for match in re.finditer(pattern, text):
            path, line = match["path"].replace("\\", "/"), int(match["line"])
            if len(path) <= _LONGEST_PATH:
                frame = Frame(path, line, (match["name"] or "").strip())
                found.setdefault((_DRIVE.sub("", path), line), (match.start("path"), frame))
    yield from (frame for _, frame in sorted(found.values()))
    taken = set(found)
    for match in re.finditer(_LINK, text) if "://" in text else ():
        if (place := (match["path"], int(match["line"] or 0))) not in taken:
            taken.add(place)
            yield Frame(*place, "")
    named = {path for path, _ in taken}
    for match in _PATH.finditer(text):
        if match["path"] not in named:
            yield Frame(match["path"], 0, "")


def _strings(text: str) -> tuple[str, ...]:
    """Quoted strings longer than a word: mostly messages from code."""
    found = (next(filter(None, groups)) for groups in _STRING.findall(text))
    return tuple(dict.fromkeys(one for one in found if " " in one))


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    return Lexicon()
