"""Words for ranking: identifiers split and whole, lower-cased, stemmed. The same for texts and for questions."""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache

import Stemmer

# Part of a snapshot's name: other terms make other rankings.
VERSION = f"terms-2 {Stemmer.version()}"

LONGEST_WORD = 64  # longer runs are data (hashes, base64), which nobody asks for by name
FEW_WORDS = 12  # of a name or a signature: most likely no two are the same, which is told faster than counted

# Every byte that cannot be part of a word becomes a space. Bytes beyond ASCII stay: what they are, terms tell.
_SPACED = bytes(code if code >= 0x80 or chr(code).isalnum() or code == ord("_") else 0x20 for code in range(256))
# What English questions are held together by.
FILLERS = frozenset(
    "a about again all also am an and any are as at be because been being between both but by can could "
    "did do does doing done each every for from had has have having he her here his how i if in into is it "
    "its just like may me might more most much must my of on only or other our out over own same she "
    "should so some such than that the their them then there these they this those through to too up us "
    "very was way we were what when where which while who whom why will with would you your".split()
)
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"  # what is written without spaces


def split_words(text: bytes) -> list[bytes]:
    """The words of a text in UTF-8, as written and as often."""
    return text.translate(_SPACED).split()


def count_words(text: bytes) -> Mapping[bytes, int]:
    """How often each word stands in a text in UTF-8, as written."""
    words = text.translate(_SPACED).split()  # as `split_words` does, without a call for every name
    if len(words) <= FEW_WORDS and len(once := dict.fromkeys(words, 1)) == len(words):
        return once
    return Counter(words)


def distinct_words(text: bytes) -> frozenset[bytes]:
    """The same words, not counted."""
    return frozenset(split_words(text))


class _Stems(dict[str, str]):
    """The stems of parts of words, which are met again and again: `get`, `test`, `name`."""

    def __init__(self, stem: Callable[[str], str]) -> None:
        self._stem = stem

    def __missing__(self, part: str) -> str:
        found = self[part] = self._stem(part.lower())
        return found


class Lexicon:
    """From words as written to terms."""

    def __init__(self) -> None:
        self._stem = Stemmer.Stemmer("english", 0).stemWord  # without its cache, which costs more than it saves
        self._stems = _Stems(self._stem)

    def terms(self, word: str) -> tuple[str, ...]:
        """The terms of a word: its stemmed parts and, if there are several, the whole."""
        if len(word) > LONGEST_WORD:
            return ()
        if word.isascii() and word.isalpha() and word[1:].islower():  # most words: no parts to find
            return (self._stem(word.lower()),)
        found = _PART.findall(word) if word.isascii() else [part for run in _runs()(word) for part in _wide(run)]
        stems = self._stems
        parts = [stems[part] for part in found if len(part) > 1]
        whole = word.strip("_").lower()
        if not whole.isidentifier():  # beyond ASCII, dashes and quotes may have joined words
            return tuple(dict.fromkeys(parts))
        if len(parts) == 1 and parts[0] == self._stem(whole):
            return (parts[0],)
        return tuple(dict.fromkeys([*parts, whole] if len(whole) > 1 else parts))

    def part(self, word: str, term: str) -> str:
        """The part of a word that it is found by, by this term; most often all of it."""
        parts = _PART.findall(word) if word.isascii() else ()
        return next((part for part in parts if self._stems[part] == term), word)

    def question(self, text: str) -> dict[str, str]:
        """The terms of a question, in order, each with the word it comes from.

        Words that every question has say nothing about this one, unless it has no others.
        """
        words = [word.decode() for word in count_words(text.encode("utf-8", "replace"))]
        telling = [word for word in words if word.lower() not in FILLERS] or words
        found = {term: word for word in reversed(telling) for term in self.terms(word)}
        return dict(sorted(found.items()))


@cache
def _runs() -> Callable[[str], list[str]]:
    """Made when a word needs it, as below: that takes as long as all else that a question loads of this package."""
    return re.compile(rf"[{UNSPACED}]+|[^\W\d_{UNSPACED}]+|\d+").findall


@cache
def _unspaced_scripts() -> re.Pattern[str]:
    return re.compile(f"[{UNSPACED}]")


def _wide(run: str) -> list[str]:
    """The parts of a run of letters beyond ASCII: pairs of characters that are written without spaces, camelCase."""
    if _unspaced_scripts().match(run):
        return [run[i : i + 2] for i in range(len(run) - 1)]
    if run[1:].islower():  # as most are
        return [run]
    humps = [i for i in range(1, len(run)) if run[i].isupper() and run[i - 1].islower()]
    return [run[start:end] for start, end in itertools.pairwise([0, *humps, len(run)])]
