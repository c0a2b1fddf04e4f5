"""One line about a symbol: the first sentence of its doc, or a sentence from its name, kind and signature.

Nothing is guessed: facts that these do not show are left out.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from clew.languages.plugins import profile_of
from clew.model.words import Kind

LONGEST = 120
MOST_NAMES = 2  # members that are named before the rest is counted
MOST_PARAMETERS = 4

_SENTENCE = re.compile(r"(?<=[^\s.])[.!?](?=\s|$)|[。！？]|\n\s*\n")  # noqa: RUF001 - these end sentences elsewhere
_NOT_AN_END = re.compile(r"(?:\b(?:e\.g|i\.e|etc|cf|vs|resp|approx|Mr|Dr|No)|\b[A-Z])$")
_TAG = re.compile(r"\s*(?:@\w+|:(?:param|returns?|raises?|type|rtype)\b|\\(?:param|return|brief)\b|(?<!\w)<\w+[ />])")
# What stands for its content inside of a sentence: `<see cref="Card"/>`, `<b>now</b>`, `{@link Card}`, and
# :class:`Card <pay.Card>`.
_MARKUP = re.compile(
    r"""<(?:see|seealso|paramref|typeparamref)\s+\w+\s*=\s*"(?:\w:)?([^"]*)"\s*/?>"""
    r"""|</?(?:summary|c|b|i|em|strong|code|tt|para|see)\s*/?>|\{@(?:link|linkplain|code|value)\s+([^}]*)\}"""
    r"""|:[\w:+.-]+:`[~!]?([^`<>]+?)(?:\s+<[^`<>]*>)?`"""
)
_COMMENT = re.compile(r"^\s*(?:/\*+|\*+/|\*|//[/!]*|#+!?|--+|;+|\"\"\"|''')\s?|\s*\*/\s*$", re.MULTILINE)
_LINK = re.compile(
    r"^\s*(?:see:?\s+)?<?https?://\S+\s*$", re.MULTILINE | re.IGNORECASE
)  # a line that says nothing itself
_WORD = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[^\W\dA-Z_]+\d*|\d+")
_NAME = re.compile(r"[^\W\d]\w*")
_APART = re.compile(r"(?:[A-Z]\w*\s*)?[{(\[]")  # `{ a, b }: Props`, `State(state): State<S>`
_RENAMED = re.compile(r"^[\w$'\"]+\s*:(?!:)\s*")
_NAMED_IN_GO = re.compile(r"\s*(?!(?:chan|func|interface|map|struct)\b)\w+\s+\S")
_POINTER = re.compile(r"\(\s*[*^&]\s*(\w+)\s*\)\s*\(")  # to a function: `void (*done)(int)`
_COLON = re.compile(r"(?<!:):(?!:)")
_NO_PARAMETERS = frozenset({"self", "cls", "this", "void", "mut"})
_CONSTRUCTORS = frozenset({"__init__", "constructor", "__construct", "initialize", "init"})
_SPECIAL = {
    "__str__": "{owner} as text",
    "__repr__": "{owner} as text for debugging",
    "__len__": "The length of {owner}",
    "__iter__": "Iterates over {owner}",
    "__eq__": "Whether {owner} equals another",
    "__hash__": "The hash of {owner}",
    "__contains__": "Whether something is in {owner}",
    "__getitem__": "An item of {owner}",
    "__setitem__": "Sets an item of {owner}",
    "__call__": "What happens when {owner} is called",
    "__enter__": "Enters {owner} as a context",
    "__exit__": "Leaves {owner} as a context",
    "__del__": "What happens when {owner} is destroyed",
    "__new__": "Makes {owner}",
}


class Told(Struct, frozen=True):
    """The known facts of a symbol; `members` are the names of its members, `owner` is its container."""

    name: str
    kind: Kind
    signature: str = ""
    doc: str = ""
    language: str = ""
    owner: str = ""
    members: tuple[str, ...] = ()


def summary_line(told: Told) -> str:
    """At most `LONGEST` characters, on one line, without a full stop."""
    return _shorten(first_sentence(told.doc) or _in_plain_words(told))


def first_sentence(doc: str) -> str:
    """First sentence of a doc comment; empty if it has none."""
    text = _LINK.sub("", _MARKUP.sub(r"\1\2\3", _COMMENT.sub("", doc.strip()))).lstrip()
    if tag := _TAG.search(text):
        text = text[: tag.start()]
    end = next((m for m in _SENTENCE.finditer(text) if not _NOT_AN_END.search(text[: m.start()])), None)
    sentence = " ".join((text[: end.start()] if end else text).split()).rstrip(" .:;,")
    return sentence if any(letter.isalpha() for letter in sentence) else ""


def words_of(name: str) -> str:
    """An identifier, split into words: `parseHTTPHeader` is "parse HTTP header"."""
    found = _WORD.findall(name)
    return " ".join(word if len(word) > 1 and word.isupper() else word.lower() for word in found) or name


def parameters(signature: str, name: str, language: str) -> tuple[str, ...]:
    """The names of a function's parameters, without the receiver."""
    parts = _split(_parameter_list(signature, name))
    if profile_of(language).bare_types and not any(_NAMED_IN_GO.match(part) for part in parts):  # types alone
        return ()
    found = (one for part in parts for one in _names_in(part.strip(), language))
    return tuple(one for one in found if one and one not in _NO_PARAMETERS)


def _in_plain_words(told: Told) -> str:
    if told.kind in (Kind.FUNCTION, Kind.METHOD):
        return _function(told)
    if told.kind is Kind.VARIABLE:
        word = "Constant" if told.name.isupper() else "Variable"
        return f"{word} {told.name}{f' of {told.owner}' if told.owner else ''}"
    if told.kind is Kind.SECTION:
        return f"Section {told.name!r}"
    return f"{told.kind.value.capitalize()} {told.name}{_with(told.members)}"


def _function(told: Told) -> str:
    owner = told.owner or "this"
    if told.name in _SPECIAL:
        return _SPECIAL[told.name].format(owner=owner)
    if told.owner and (told.name in _CONSTRUCTORS or told.name == told.owner):
        return f"Constructor of {told.owner}{_parameter_phrase(told, first=', taking ')}"
    words = words_of(told.name)
    first, _, rest = words.partition(" ")
    if first == "test" and rest:
        return f"Test: {rest}"
    if accessor := _accessor(told, first, rest):
        return accessor
    result = _result(told)
    returns = f"{',' if _parameter_phrase(told) else ';'} returns {result}" if result else ""
    return f"{words[:1].upper()}{words[1:]}{_parameter_phrase(told, first='; takes ')}{returns}"


def _accessor(told: Told, first: str, rest: str) -> str:
    """Properties, getters and setters; of others nothing."""
    of = f" of {told.owner}" if told.owner else ""
    takes = parameters(told.signature, told.name, told.language)
    opening = told.signature.split("(")[0].split()
    if "get" in opening[:-1] or "@property" in told.signature:
        return f"Property {told.name}{of}"
    if "set" in opening[:-1]:
        return f"Setter of property {told.name}{of}"
    if not told.owner or not rest:
        return ""
    if first == "get" and not takes:
        return f"Gets the {rest}{of}"
    if first == "set" and len(takes) == 1:
        return f"Sets the {rest}{of}"
    if first in ("is", "has") and not takes:
        return f"Whether {told.owner} {first} {rest}"
    return ""


def _parameter_phrase(told: Told, first: str = "; takes ") -> str:
    return f"{first}{_enumerate(taken, MOST_PARAMETERS)}" if (taken := _parameters(told)) else ""


def _parameters(told: Told) -> tuple[str, ...]:
    return parameters(told.signature, told.name, told.language)


def _with(members: Sequence[str]) -> str:
    return f" with {_enumerate(members, MOST_NAMES)}" if members else ""


def _enumerate(names: Sequence[str], most: int) -> str:
    """`a`, `a and b`, `a, b and 3 more`."""
    left = len(names) - most
    shown = [*names[:most], f"{left} more"] if left > 1 else list(names)
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def _result(told: Told) -> str:
    """The declared return type, if it is a name."""
    signature = re.split(r"\bwhere\b", told.signature)[0].rstrip()
    arrow = re.search(r"(?:->|\)\s*:)\s*((?:[\w.<>\[\], |?&*']|::){1,40}?)\s*(?:[{=;]|:(?!:)|$)", signature)
    found = arrow[1].strip() if arrow else ""
    is_cut = any(found.count(one) != found.count(other) for one, other in ("<>", "[]"))
    return "" if is_cut or found in ("None", "void", "Unit", "()", "") else found


def _parameter_list(signature: str, name: str) -> str:
    """The text in the parentheses after a function's name, or in the first ones."""
    named = re.search(rf"{re.escape(name)}[^(]*\(", signature)
    start = named.end() if named else signature.find("(") + 1
    return _to_closing_bracket(signature, start) if start else ""


def _to_closing_bracket(text: str, start: int) -> str:
    """Up to the bracket that closes the one before; nothing, if none does."""
    depth = 1
    for at in range(start, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if not depth:
            return text[start:at]
    return ""


def _split(text: str) -> list[str]:
    """At the commas that stand in no brackets."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "([{<") - (letter in ")]}" or (letter == ">" and text[at - 1] not in "-="))
        if letter == "," and depth <= 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def _names_in(part: str, language: str) -> Iterator[str]:
    """The names that a parameter binds: its own, or those of its destructuring pattern."""
    if profile_of(language).destructures and (opened := _APART.match(part)):
        for inner in _split(_to_closing_bracket(part, opened.end())):
            yield from _names_in(_RENAMED.sub("", inner.strip()), language)
    else:
        yield _parameter(part, language)


def _parameter(part: str, language: str) -> str:
    if pointer := _POINTER.search(part):
        return pointer[1]
    before, *said = _COLON.split(part.split("=")[0], maxsplit=1)
    names = _NAME.findall(before)
    if not names:
        return ""
    return str(names[-1] if said or profile_of(language).types_first else names[0])


def _shorten(text: str) -> str:
    """Cut between words, if it must be."""
    line = " ".join(text.split())
    if len(line) <= LONGEST:
        return line
    cut = line[: LONGEST - 1]
    return f"{cut.rpartition(' ')[0].rstrip(' ,;:') or cut}…"
