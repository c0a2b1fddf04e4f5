"""The second task: the first sentence of a function's documentation finds it, once that is removed. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from blake3 import blake3

from clew.evaluate.functions import Function
from clew.evaluate.report import Case
from clew.evaluate.world import World
from clew.index.syntax.parse import doc_text
from clew.index.syntax.ranges import Range
from clew.model.code import split_id
from clew.text.terms import UNSPACED

LEAST_WORDS = 4  # of a sentence; less is a title


class FunctionExclusion(StrEnum):
    """Why a function makes no case."""

    UNDOCUMENTED = "not documented"
    FEW_WORDS = "first sentence of fewer than 4 words"
    SHARED = "same first sentence as another function"
    BEYOND = "more than were asked for"


class DocstringCases(NamedTuple):
    """`docs` are the places to remove, by path."""

    cases: list[Case]
    docs: Mapping[str, list[Range]]
    left_out: Mapping[str, int]


_SENTENCE = re.compile(r"(.+?(?:[.!?](?=\s|$)|[。！？]))", re.DOTALL)  # noqa: RUF001 - these end sentences elsewhere
_FIELD = re.compile(
    r"^\s*(?:@\w|:\w+|\\\w+|[-=~]{3,}|>>>|```).*", re.MULTILINE | re.DOTALL
)  # of parameters and the like
_WORD = re.compile(rf"[{UNSPACED}]{{2}}|[^\W{UNSPACED}]*[^\W\d_{UNSPACED}]{{2}}[^\W{UNSPACED}]*")
_QUOTED = re.compile(rb"([A-Za-z]*)(\"\"\"|'''|\"|')(.*)(\2)", re.DOTALL)
_NOT_LINE_END = re.compile(rb"[^\r\n]")


def draw(world: World, wanted: int) -> DocstringCases:
    """A sample of the documented functions, the same for the same tree: by the hash of their ids."""
    said = {one.id: _sentence(one, world) for one in world.functions.values() if one.doc}
    asked = {name: query for name, query in said.items() if len(_WORD.findall(query)) >= LEAST_WORDS}
    often = Counter(asked.values())
    alone = [name for name in asked if often[asked[name]] == 1]
    chosen = sorted(alone, key=lambda name: blake3(name.encode()).digest())[:wanted]
    left_out = {
        FunctionExclusion.UNDOCUMENTED: len(world.functions) - len(said),
        FunctionExclusion.FEW_WORDS: len(said) - len(asked),
        FunctionExclusion.SHARED: len(asked) - len(alone),
        FunctionExclusion.BEYOND: len(alone) - len(chosen),
    }
    cases = [Case(name, asked[name], 0, (split_id(name)[0],), (name,)) for name in chosen]
    return DocstringCases(
        cases, _docs(world, chosen), {str(reason): count for reason, count in left_out.items() if count}
    )


def without(text: bytes, docs: Iterable[Range]) -> bytes:
    """A text with some places blanked, so that all else stays where it is; a string stays one, and becomes empty."""
    for start, end in docs:
        text = text[:start] + _blank(text[start:end]) + text[end:]
    return text


def _blank(doc: bytes) -> bytes:
    if quoted := _QUOTED.fullmatch(doc):
        prefix, opening, inside, closing = quoted.groups()
        return b"".join([prefix, opening, _NOT_LINE_END.sub(b" ", inside), closing])
    return _NOT_LINE_END.sub(b" ", doc)


def _docs(world: World, names: Iterable[str]) -> dict[str, list[Range]]:
    docs: dict[str, list[Range]] = {}
    for name in names:
        if doc := world.functions[name].doc:
            docs.setdefault(split_id(name)[0], []).append(doc)
    return docs


def _sentence(function: Function, world: World) -> str:
    """Without the function's own name, if it opens with that, as Go's habit is."""
    assert function.doc
    doc = doc_text(world.files[split_id(function.id)[0]], function.doc)
    paragraph = _FIELD.sub("", doc).strip().partition("\n\n")[0]
    found = _SENTENCE.match(paragraph)
    sentence = " ".join((found[1] if found else paragraph).split())
    first, _, rest = sentence.partition(" ")
    return rest if first.strip("`*():,") == function.name else sentence
