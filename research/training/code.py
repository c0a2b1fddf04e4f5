"""What a function's writer says of it: its documentation, its name, its errors, its comments."""

import re
from collections.abc import Iterator

from blake3 import blake3

from clew.evaluate import functions
from clew.evaluate.functions import Function
from clew.evaluate.rankers import without
from clew.index.syntax.parse import doc_text
from clew.languages.detection import LanguageTable
from clew.model.code import split_id
from clew.text.terms import Lexicon
from research.training.bags import Pair

LONGEST = 2000  # characters
LEAST_WORDS = 4
NAMES = 3  # of so many functions, one is asked for by its name
COMMENTS = 2  # of one function, at most

_SENTENCE = re.compile(r"(.+?[.!?])(?=\s|$)", re.DOTALL)
_FIELD = re.compile(r"^\s*(?:@\w|:\w+|\\\w+|[-=~]{3,}|>>>|```).*", re.MULTILINE | re.DOTALL)
_WORD = re.compile(r"[^\W\d_]{2,}")
_COMMENT = re.compile(r"^[ \t]*(?://+|#)[ \t]+(.+)$", re.MULTILINE)
_RAISED = re.compile(
    r"(?:raise|throw|panic|bail|Errorf?|Exception|errors?\.New|expect|fatal|fail)\W[^\n\"'`]{0,60}[\"'`]([^\"'`\n]{12,200})"
)


def read(path: str, source: bytes, known: LanguageTable) -> Iterator[Pair]:
    """Of a file's functions, tests aside."""
    for function in functions.read(path, source, known):
        yield from _said(path, source, function)


def _said(path: str, source: bytes, function: Function) -> Iterator[Pair]:
    doc = function.doc
    body = (without(source, [doc]) if doc else source)[slice(*function.span)].decode("utf-8", "replace")
    comments = [one for one in _COMMENT.findall(body) if len(_WORD.findall(one)) >= LEAST_WORDS + 1]
    bare = _COMMENT.sub("", body)
    scope = split_id(function.id)[1]
    text = f"{scope.replace('::', ' ')}\n{path}\n{bare[:LONGEST]}"
    if doc:
        yield from _documented(function, doc_text(source, doc), text)
    if _chosen(function.id, NAMES) and len(_parts(function.name)) > 1:
        yield Pair("name", function.id, " ".join(_parts(function.name)), text, hides=True)
    for comment in comments[:COMMENTS]:
        yield Pair("comment", function.id, comment, text)
    for error in _RAISED.findall(bare)[:COMMENTS]:
        if len(_WORD.findall(error)) >= LEAST_WORDS:
            yield Pair("error", function.id, error, text, hides=True)


def _documented(function: Function, doc: str, text: str) -> Iterator[Pair]:
    """By the first sentence and, if there is more, by the whole first paragraph."""
    paragraph = _FIELD.sub("", doc).strip().partition("\n\n")[0]
    found = _SENTENCE.match(paragraph)
    sentence = " ".join((found[1] if found else paragraph).split())
    first, _, rest = sentence.partition(" ")
    sentence = rest if first.strip("`*():,") == function.name else sentence
    if len(_WORD.findall(sentence)) >= LEAST_WORDS:
        yield Pair("doc", function.id, sentence[:400], text)


def _chosen(name: str, one_of: int) -> bool:
    return blake3(name.encode()).digest()[0] % one_of == 0


_LEXICON = Lexicon()


def _parts(name: str) -> tuple[str, ...]:
    return _LEXICON.terms(name)[:-1]
