"""How likely a text answers a question: by what it says, by meaning, and by the kind of answer that is asked for.

Pure. The weights are of a logistic regression over notes with questions, about other things than those of the tests
(docs/memory.md): evidence is a probability, and an answer ends where it does.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from clew.knowledge import names
from clew.knowledge.extraction import find_names
from clew.text.terms import FILLERS, Lexicon

DERIVED, LONGEST_ENDING = 5, 3  # letters of a stem and of the ending that makes another word of it
ENOUGH = 0.3  # evidence of an answer
NEAR_MISS = 0.05  # evidence of what is shown apart
NEAR_BEST = 0.6  # share of the best evidence that further items need

# Of the regression: what is said, meaning, the kind of answer, names that are lacking, another thing of that kind.
BIAS, SAID, MEANT, FITTING, LACKING, OTHER_KIND = -5.95, 5.1, 3.3, 0.85, -0.8, -0.8
LIGHT, ASKED_NOUN = 0.25, 0.5  # weights of words that most questions have, and of the noun after `which`
UNMEANT = 0.6  # of what is said, in place of a cosine where there is no model

# Words of questions that ask for everything about a thing, or name a kind of answer, and so need not be said in it.
ASKING = frozenset(
    "tell know known knew happen happened happening anything everything something overview summary summarize explain "
    "describe detail details information info relate related about reason cause caused rationale why because person "
    "people team date time day year month currently current now today latest recent please remember recall "
    "long often kind type sort name called new still ever happens story history previously formerly before "
    "original originally used past earlier exactly actually usually"
    .split()
)  # fmt: skip

# Verbs and measures that say little of what is asked.
_LIGHT = frozenset(
    "take care get make go put give use need want come many much large big small high low fast slow far old item way "
    "number amount thing let set see show work run find look mean must can allow least most first last today already "
    "keep place offer become happen start end per total max maximum minimum".split()
)

# Words that questions and notes use for one another; each line is of one meaning.
_ALIKE = (
    "own owner owns maintain maintainer responsible charge",
    "lead led leads head run runs manage manager boss chief",
    "live lives reside based locate located home address",
    "work works job employ employer employed",
    "use used uses depend rely need",
    "fail failed failure outage down crash crashed broke break error incident",
    "fix fixed repair resolve solve",
    "buy purchase bought",
    "like love favourite favorite prefer enjoy",
    "begin began start started begun",
    "make made create created build built wrote write written author develop",
    "choose chose chosen decide decided decision pick picked adopt",
    "change changed replace replaced switch switched migrate migrated move moved",
    "release released ship shipped deploy deployed launch publish",
    "marry married spouse wife husband partner",
    "study studied school university college",
    "old age birthday born turns",
    "deadline due",
    "cost price fee pay paid worth",
    "keep kept store stored retain save",
    "send sent deliver delivered mail",
    "hold held meet met meeting",
    "sell sold", "lose lost", "win won", "teach taught", "spend spent budget", "speak spoke spoken talk",
    "drive drove driven",
    "ride rode ridden", "eat eaten ate", "give gave given", "take took taken", "leave left", "grow grew grown",
    "know knew known", "tell told", "say said", "find found", "get got", "go went gone", "see saw seen",
    "think thought",
    "bring brought", "catch caught", "feel felt", "stand stood", "wear wore worn", "fly flew flown", "hear heard",
    "limit maximum most",
    "host hosted run runs deploy deployed located",
    "phone call telephone",
    "car vehicle", "picture image photo", "doctor physician", "company firm employer", "error bug defect",
    "delete remove erase deleted removed", "finish finished complete completed end", "buy order ordered",
)  # fmt: skip


class AnswerKind(StrEnum):
    """The kind of answer that a question asks for."""

    ANY = ""
    NUMBER = "number"
    TIME = "time"
    PERSON = "person"
    PLACE = "place"
    REASON = "reason"


_NUMBERS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|"
    "hundred|thousand|million|half|once|twice"
)
_TIMES = (
    "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|"
    "november|december|daily|weekly|monthly|yearly|every|years?|months?|weeks?|quarters?|nights?|mornings?|noon|evenings?|"
    "after|before|tomorrow|yesterday|spring|summer|autumn|winter"
)
# By kind: how it is asked for, and how an answer has it.
_KINDS: tuple[tuple[AnswerKind, re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (kind, re.compile(asked, re.IGNORECASE), re.compile(had, 0 if kind is AnswerKind.PERSON else re.IGNORECASE))
    for kind, asked, had in (
        (
            AnswerKind.NUMBER,
            r"\bhow (?:many|much|large|big|high|long|far|fast|quickly|often|tall|heavy|wide|deep|small|low|short|old|"
            r"expensive)\b|\bwhat (?:is the )?(?:percentage|share|limit|size|price|cost|budget|timeout|port|version|"
            r"number|amount|rate)\b",
            rf"\d|\b(?:{_NUMBERS}|every|daily|weekly|monthly|hourly|yearly|hours?|minutes?)\b",
        ),
        (
            AnswerKind.TIME,
            r"\bwhen\b|\b(?:what|which) (?:time|date|day|month|year|week)\b",
            rf"\d|\b(?:{_TIMES})\b",
        ),
        (
            AnswerKind.PERSON,
            r"\bwho(?:m|se)?\b|\b(?:which|what) (?:person|team|company|firm|vendor|people|engineer|colleague)\b",
            r"(?<!^)(?<![.!?] )\b[A-Z][a-z]+|^[A-Z]\w+ [A-Z]\w+|\b(?:team|firm|company|finance|legal)\b",
        ),
        (
            AnswerKind.PLACE,
            r"\bwhere\b|\b(?:which|what) (?:city|country|region|place|room|address)\b|\bthe address of\b",
            r"\b(?:at|in|on|to|under|by|into|from|with|through|using|behind|near)\b",
        ),
        (
            AnswerKind.REASON,
            r"\bwhy\b|\bhow come\b|\bwhat (?:caused|led to|made)\b|\breasons?\b",
            r"\b(?:because|since|due to|so|to avoid|caused?|after|as|therefore|thanks to|why|reasons?|led to)\b|:",
        ),
    )
)  # fmt: skip


# Names that set the time of what is asked, or are excepted from it: an answer need not say them.
_APART = re.compile(r"\b(?:before|prior to|instead of|other than|besides|except|apart from)\s+(?:[A-Z][\w'-]*\s*)+")


class NamedThing(NamedTuple):
    """Something that a question names: the terms of each of its names. A text that says one of them is about it."""

    spelt: tuple[frozenset[str], ...]

    def is_said_in(self, own: frozenset[str] | set[str]) -> bool:
        return any(terms <= own for terms in self.spelt)


class _AskedWord(NamedTuple):
    terms: tuple[str, ...]
    weight: float


class QuestionEvidence:
    """One question, read once. `frequency` says in how many of `count` texts a term is."""

    def __init__(
        self,
        text: str,
        lexicon: Lexicon,
        frequency: Callable[[str], int],
        count: int,
        things: Mapping[str, NamedThing] | None = None,
    ) -> None:
        self.text = apart = _APART.sub(" ", text)
        self._lexicon = lexicon
        known = {one: thing for one, thing in (things or {}).items() if _is_asked(lexicon, thing, apart)}
        self.things = known | self._unknown_names(apart, known)
        self._kind = next((one for one in _KINDS if one[1].search(text)), None)
        self._words = self._asked_words(frequency, count)
        self._pairs = tuple(self._compounds())

    @property
    def asks_for_all(self) -> bool:
        """Whether nothing is asked but about the things that are named."""
        return not self._words

    def of(self, text: str, cosine: float | None, linked: frozenset[str] = frozenset()) -> float:
        """The probability that a text answers; `linked` are keys of things that it is known to be about."""
        own = self.terms_of(text)
        lacking = [key for key, thing in self.things.items() if key not in linked and not thing.is_said_in(own)]
        said = self._share_said(own, lacking)
        fits = 0.0 if self._kind is None else 1.0 if self._kind[2].search(text) else -1.0
        meant = UNMEANT * said if cosine is None else float(cosine)
        lack = len(lacking) / len(self.things) if self.things else 0.0
        other = float(self._is_other_kind(text, own))
        z = BIAS + SAID * said + MEANT * meant + FITTING * fits + LACKING * lack + OTHER_KIND * other
        if self.things and len(lacking) == len(self.things):
            z -= 1.0  # it is about something else
        return round(1 / (1 + math.exp(-z)), 6)

    def _is_other_kind(self, text: str, own: set[str]) -> bool:
        """Whether the text speaks of another kind of what is asked about: of a platform team, for the design team."""
        asked = [(first, head) for first, head in self._pairs if head in own and not self._has(own, first)]
        if not asked:
            return False
        said = split_words(text)
        before: dict[str, str] = {}
        for first, head in pairwise(said):
            before.update((term, first) for term in self._lexicon.terms(head)[:1])
        return any(before.get(head, "1").isalpha() and before[head].lower() not in FILLERS for _, head in asked)

    def terms_of(self, text: str) -> set[str]:
        """The terms of a text, and those that two neighboring words make together: `time out` is a timeout."""
        each = [self._lexicon.terms(word) for word in split_words(text)]
        own = {term for terms in each for term in terms}
        own |= {f"{a[0]}{b[0]}" for a, b in pairwise(each) if len(a) == len(b) == 1}
        return own

    def _share_said(self, own: set[str], lacking: Sequence[str]) -> float:
        """The share of the question that a text says; a thing that the question names weighs as much as a rare word."""
        rare = self._rarest
        total = sum(one.weight for one in self._words) + rare * len(self.things)
        if not total:
            return 0.0
        found = rare * (len(self.things) - len(lacking))
        for one in self._words:
            share = sum(self._has(own, term) for term in one.terms) / len(one.terms)
            found += one.weight * share
        return found / total

    def _has(self, own: set[str], term: str) -> bool:
        """Whether a term, one that means the same, or one derived from it, is there: `supervise` has a supervisor."""
        if term in own or _vocabulary().alike.get(term, frozenset()) & own:
            return True
        return len(term) >= DERIVED and any(
            one.startswith(term) or (len(one) >= DERIVED and term.startswith(one))
            for one in own
            if abs(len(one) - len(term)) <= LONGEST_ENDING
        )

    def _asked_words(self, frequency: Callable[[str], int], count: int) -> tuple[_AskedWord, ...]:
        in_names = {term for thing in self.things.values() for terms in thing.spelt for term in terms}
        _, asking, light = _vocabulary()
        kind = re.search(r"\b(?:which|what) (\w+)", self.text.lower())
        noun = set(self._lexicon.terms(kind[1])) if kind else set()
        self._rarest = math.log(1 + max(count - 0.5, 0.5) / 1.5)
        found: dict[tuple[str, ...], float] = {}
        for word in split_words(self.text):
            terms = tuple(term for term in self._lexicon.terms(word) if term not in in_names)
            if not terms or word.lower() in FILLERS or set(terms) <= asking:
                continue
            held = min(frequency(term) for term in terms)
            rarity = min(self._rarest, math.log(1 + (count - held + 0.5) / (held + 0.5)))
            share = LIGHT if set(terms) <= light else ASKED_NOUN if set(terms) & noun else 1.0
            found[terms] = max(found.get(terms, 0.0), rarity * share)
        return tuple(_AskedWord(terms, weight) for terms, weight in found.items())

    def _compounds(self) -> Iterable[tuple[str, str]]:
        """Neighboring words of the question: what it says of the `design team` a `platform team` does not answer."""
        plain = _vocabulary().asking | _vocabulary().light
        words = split_words(self.text)
        for first, head in pairwise(words):
            if first.lower() in FILLERS or head.lower() in FILLERS:
                continue
            a, b = self._lexicon.terms(first)[:1], self._lexicon.terms(head)[:1]
            if a and b and a[0] not in plain and b[0] not in plain:
                yield a[0], b[0]

    def _unknown_names(self, text: str, known: Mapping[str, NamedThing]) -> dict[str, NamedThing]:
        """Names in a question that nothing known has: a text that does not say them is about something else."""
        covered = {term for thing in known.values() for terms in thing.spelt for term in terms}
        asking = _vocabulary().asking
        found: dict[str, NamedThing] = {}
        for name in find_names(text):
            terms = frozenset(term for word in split_words(name) for term in self._lexicon.terms(word))
            first = text.lstrip("\"'( ").startswith(name) and " " not in name
            if terms and not terms & (covered | asking) and not first:
                found[f"name {name}"] = NamedThing((terms,))
        return found


def _is_asked(lexicon: Lexicon, thing: NamedThing, text: str) -> bool:
    return thing.is_said_in({term for word in split_words(text) for term in lexicon.terms(word)})


def thing_named(lexicon: Lexicon, spelt: Iterable[str]) -> NamedThing:
    """A thing by all its names."""
    found = (frozenset(term for word in split_words(name) for term in lexicon.terms(word)) for name in spelt)
    return NamedThing(tuple(dict.fromkeys(terms for terms in found if terms)))


def split_words(text: str) -> list[str]:
    return [word for part in text.split() for word in names.WORD.findall(part)]


class _Vocabulary(NamedTuple):
    """The lists of words of this module as terms."""

    alike: Mapping[str, frozenset[str]]
    asking: frozenset[str]
    light: frozenset[str]


@cache
def _vocabulary() -> _Vocabulary:
    lexicon = Lexicon()
    alike: dict[str, frozenset[str]] = {}
    for line in _ALIKE:
        terms = _terms_of(lexicon, line.split())
        for term in terms:
            alike[term] = alike.get(term, frozenset()) | terms
    return _Vocabulary(alike, _terms_of(lexicon, ASKING), _terms_of(lexicon, _LIGHT))


def _terms_of(lexicon: Lexicon, words: Iterable[str]) -> frozenset[str]:
    return frozenset(term for word in words for term in lexicon.terms(word))
