"""Parses expressions as chains: a name, then members, calls and elements. Languages write these alike.

`this.repo?.find(id)[0].save` is the name `this`, the members `repo` and `find`, a call, an element, the member
`save`. Other expressions (an operator, a literal, a condition) have no value.
"""

import re
from collections.abc import Callable, Iterator

from clew.index.facts import (
    Attr,
    Call,
    Subscript,
    TypeArgumentCall,
    Value,
)
from clew.languages.member_names import member_name

LONGEST = 400  # characters; a longer expression is data, or a program of its own
LONGEST_TOLD = 160  # of a call
LONGEST_KEPT = 80  # of what the first call of a chain is given, where the chain is longer than that
MOST_STEPS = 24

_BEFORE = re.compile(
    r"(?:\s|[&*!(]|::|\b(?:await|yield|new|try|mut|ref|unsafe|typeof|co_await|go|defer|throw|return|clone)\b[!?]?(?=\s))*"
)
_BEGINS = re.compile(r"(?<!\w)\w")
_NAME = re.compile(r"[@$]{0,2}\\?[^\W\d][\w$]*(?:\\[^\W\d]\w*)*(?:[!?](?![.=!?:-])|(?<=this)@\w+)?|\$+(?!\w)|\$\d")
_MEMBER = re.compile(
    r"\s*(?:\?\.|!!?\.|&\.|\?->|->|\.|::)\s*(?:<[^<>()]*>\s*|template\s+)?"
    r"#?(\$*[^\W\d][\w$]*(?:[!?](?![.=!?:-]))?|(?<=\.)\d+\b)"  # a number: a field of a tuple
)
_TYPE_ARGUMENTS = re.compile(r"\s*(?:::)?<[^<>]*(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>[^<>]*)*>(?=\s*(?:[({]|::|\.|$))")
_DOTTED = re.compile(r"[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*")
_ARROW = re.compile(r"(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*=>")
_PATH = re.compile(r"(?:new\s+)?(?:::|\\|[^\W\d]\w*\s*(?:<[^()]*>)?(?:::|\\))")
_LITERAL_KEY = re.compile(r"""^\s*(?:["'`]([^"'`]*)["'`]|:(\w+)|(\d+))\s*$""")
_OPENS = {"(": ")", "[": "]", "{": "}"}
_BRACKET_OR_STRING = re.compile(r"""[()\[\]{}]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`""", re.DOTALL)
_SHALLOW = re.compile(r"""\([^()\[\]{}"'`]*\)|\[[^()\[\]{}"'`]*\]|\{[^()\[\]{}"'`]*\}""")  # brackets with none inside
_COMMA_BRACKET_OR_STRING = re.compile(r"""[,(\[{]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`""", re.DOTALL)
_STRING_OR_CALL = re.compile(r""""(?:\\.|[^"\\])*"|[\w>!?)\]]\s*[({]""", re.DOTALL)
_KEY = re.compile(
    r"""(?:(\$*[^\W\d][\w$]*)\s*:(?!:)|([^\W\d]\w*)\s*=(?![=>~])|(?:["']([^"'\n]*)["']|:(\w+))\s*(?::(?!:)|=>))\s*"""
)
_ATTRIBUTE = re.compile(r"([^\W\d][\w-]*)=\{")
STRING = re.compile(r'''"""(?:[^"]|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"''')
_NO_NAMES = frozenset("null nil true false undefined".split())
_SEEN = ("this", "super")
_NO_STARTS = _NO_NAMES | frozenset("function class if switch case for while else".split())
_QUALIFIED = re.compile(r"<\s*&?\s*(?:(?:mut|dyn)\s+)*([\w:]+)[^()]*?>(?=::)")  # `<Card as Gate>::charge`
_CAST_BEFORE = re.compile(  # `(Card) found`
    r"\(\s*([^\W\d][\w.]*)(?:<[^()]*>)?\s*\)\s*[^\W\d][\w.]*(?:\((?:[^()]|\([^()]*\))*\))?\s*"
)
_CAST_OF = re.compile(r"(?:static|dynamic|const|reinterpret)_cast\s*<\s*(?:const\s+)?(?:\w+::)*(\w+)[^()]*>\s*(?=\()")
_WRAPS = re.compile(r"(?:(?:Box|Rc|Arc|Cell|RefCell|Mutex|RwLock|OnceCell|Pin)::(?:new|pin|from)|Some|Ok)\(")
_CAST = re.compile(r"\bas[?!]?\s+(typeof\s+)?([^\W\d][\w.]*)")
_NO_CASTS = frozenset({"const", "any", "unknown", "never", "object"})
_AFTER = re.compile(r"[\s)!?;]*(?:\b(?:as|satisfies)\b[?!]?[\s\w.<>\[\]|,]*\??)?\)*")
_CLAIMED = re.compile(r"[\s)]*(?:(?:as|satisfies)\s.*)?\Z", re.DOTALL)
_WORD_BYTES = bytes(i for i in range(256) if i >= 128 or chr(i).isalnum() or i == ord("_"))

Named = Callable[[str], Value | None]
Kind = Callable[[str, str], str]  # of type arguments and what is passed, what a call is handed: a class, or one of it


def read_chain(text: str, named: Named, string: str = "", kind: Kind | None = None) -> Value | None:
    """The value of an expression; `named` resolves its first name, and `string` is the type of string literals."""
    if text.isidentifier():  # even one that is a word of another language: `new(card)`
        return named(text) if text not in _NO_NAMES else None
    if len(text) > LONGEST or text[:1] in "0123456789/":
        return None
    if _DOTTED.fullmatch(text):
        return _dotted_chain(text, named)
    if text[0] in "\"'`":
        literal = STRING.match(text) if string else None
        return _follow(text, literal.end(), _instance(string, named), named, kind) if literal else None
    if "=>" in text and _ARROW.match(text):
        return None
    if text[0] == "(" and (cast := _CAST_BEFORE.fullmatch(text)):
        return _instance(cast[1], named)
    text = _QUALIFIED.sub(r"\1", text, count=1) if text[0] == "<" else text
    if "_cast" in text and (cast := _CAST_OF.match(text)):
        return _follow(text, closing_bracket(text, cast.end()) + 1, _instance(cast[1], named), named, kind)
    opening = _BEFORE.match(text)
    start = opening.end() if opening else 0
    before = text[:start]
    if "(" in before and not _closes_all(text, before.index("(")):
        return _read_group(text, before.index("("), named, string, kind)
    name = _NAME.match(text, start)
    value = named(name.group()) if name and name.group() not in _NO_STARTS else None
    if name is None or value is None:
        return None
    return _follow(text, name.end(), value, named, kind, makes="new" in before.split())


def _dotted_chain(text: str, named: Named) -> Value | None:
    first, *members = text.split(".")
    value = named(first) if first not in _NO_STARTS else None
    if value is None:
        return None
    for member in members:
        value = Call(value) if member in _SEEN else Attr(value, member_name(member))  # `Outer.this`, `Payer.super`
    return value


def _follow(
    text: str, at: int, value: Value | None, named: Named, asked: Kind | None, *, makes: bool = False
) -> Value | None:
    """The value behind the steps of a chain, from `at` on."""
    before = ""
    if value is None:
        return None
    for step, (kind, detail, end) in enumerate(_steps(text, at)):
        if step > MOST_STEPS:
            return None
        types, at = text[at:end] if kind in ("types", "item") else "", end
        if kind == "member":
            value = Call(value) if detail == "this" else Attr(value, member_name(detail))
        elif kind == "item":
            value = Subscript(value, detail)
        elif kind == "call":
            called = value if makes else _typed_by_token(value, asked and asked(before, detail), named)
            value, makes = Call(called), False
        elif kind == "more" and isinstance(value, Call) and not isinstance(value.by, TypeArgumentCall):
            value = Call(_typed_by_token(value.by, asked and asked("", detail), named))
        before = types
    if at < len(text):
        rest = _AFTER.match(text, at)
        if rest is not None and rest.end() < len(text):
            return None
        if (casts := _CAST.findall(text, at)) and casts[-1][1] not in _NO_CASTS:  # `found as unknown as Card`
            return read_chain(casts[-1][1], named) if casts[-1][0] else _instance(casts[-1][1], named)
    return Call(value) if makes else value


def _typed_by_token(called: Value, wanted: str | None, named: Named) -> Value:
    """A callee with the class argument that determines its result."""
    one = read_chain(wanted, named) if wanted else None
    return TypeArgumentCall(called, one) if one is not None else called


def _read_group(text: str, at: int, named: Named, string: str, kind: Kind | None) -> Value | None:
    """`(await load()).first`: the text in brackets, and the steps behind them."""
    end = closing_bracket(text, at)
    if end < 0:
        return None
    inner = text[at + 1 : end]
    cast = _CAST_BEFORE.fullmatch(inner)
    value = _instance(cast[1], named) if cast else read_chain(inner, named, string, kind)
    return _follow(text, end + 1, value, named, kind)


def _closes_all(text: str, at: int) -> bool:
    """Whether a bracket holds all the rest, so that it says nothing."""
    end = closing_bracket(text, at)
    return end < 0 or not text[end + 1 :].strip(" \t\n;)")


def _instance(type_: str, named: Named) -> Value | None:
    """An object of a type that is written with dots."""
    value = _dotted_chain(type_, named)
    return Call(value) if value is not None else None


def is_name(text: str) -> bool:
    """Whether it is one name; a dollar may be a letter of it."""
    return text.isidentifier() or ("$" in text and text.replace("$", "_").isidentifier())


def is_word(text: str) -> bool:
    """Whether it looks like a name and is none."""
    return text in _NO_NAMES


def is_path(text: str) -> bool:
    """Whether an expression begins with a type or a namespace: `pay::Card`."""
    return ("::" in text or "\\" in text) and _PATH.match(text) is not None


def bracketed_text(text: str) -> str:
    """A text in brackets, as far as it goes, without a type assertion: `{ a } as const`."""
    end = closing_bracket(text, 0)
    if end < 0 or end == len(text) - 1:
        return text
    return text[: end + 1] if _CLAIMED.match(text, end + 1) else ""


def elements(text: str) -> list[tuple[str, str]]:
    """The parts of a list, a table or an argument list, between its brackets, each with its key; "" where it has none.

    `{ pay, refund: undo }` are pay under its own name and undo under refund; of `<Card onPay={pay} />`, its attributes.
    """
    if text.startswith("<"):
        return _attributes(text)
    found: list[tuple[str, str]] = []
    for part in _parts(text):
        key = _KEY.match(part)
        if key:
            found.append((key[1] or key[2] or key[3] or key[4], part[key.end() :].strip()))
        else:
            alone = text.startswith("{") and is_name(part)
            found.append((part if alone else "", part))
    return found


def _attributes(text: str) -> list[tuple[str, str]]:
    found, at = [], 0
    while attribute := _ATTRIBUTE.search(text, at):
        end = closing_bracket(text, attribute.end() - 1)
        if end < 0:
            break
        found.append((attribute[1], text[attribute.end() : end].strip()))
        at = end
    return found


def _parts(text: str) -> Iterator[str]:
    """The parts between the commas of a bracketed text; of a truncated one, the complete parts."""
    start = at = 1
    while found := _COMMA_BRACKET_OR_STRING.search(text, at):
        at = found.end()
        if found.group() == ",":
            yield text[start : found.start()].strip()
            start = at
        elif found.group() in _OPENS:
            at = closing_bracket(text, found.start()) + 1
            if not at:
                return
    if last := text[start:-1].strip():
        yield last


def with_start(value: Value, first: Value) -> Value:
    """The chain with another start."""
    match value:
        case Attr(of, name):
            return Attr(with_start(of, first), name)
        case Call(by):
            return Call(with_start(by, first))
        case Subscript(of, key):
            return Subscript(with_start(of, first), key)
        case TypeArgumentCall(of, kind):
            return TypeArgumentCall(with_start(of, first), kind)
    return first


def start(value: Value) -> Value:
    """The first value of a chain."""
    while True:
        match value:
            case Attr(of, _) | Subscript(of, _) | TypeArgumentCall(of, _):
                value = of
            case Call(by):
                value = by
            case _:
                return value


def chain_start(source: bytes, at: int) -> int:
    """The start of the chain with its last name at `at`: for charge in `f(a.b(2).charge(1))`, the place of a."""
    first = max(0, at - LONGEST)
    before = source[first:at].rstrip()
    while before.endswith((b".", b"::")) and not before.endswith(b".."):
        held = before.removesuffix(b".").removesuffix(b"::").rstrip()
        while held.endswith((b")", b"]")) and (opens := _opening_bracket(held)) >= 0:
            held = held[:opens]
        outer = held.rstrip(_WORD_BYTES)
        if outer == held:  # no name, but a literal or an operator
            return first + len(before.rstrip(b".:"))
        at, before = first + len(outer), outer.rstrip()
    return at


def without_arguments(text: str) -> str:
    """A chain without the arguments of its calls; short ones of the first call are kept, which may need them."""
    kept, at = "", 0
    while opens := _STRING_OR_CALL.search(text, at):
        end = closing_bracket(text, opens.end() - 1) if opens.group()[-1] in _OPENS else opens.end()
        if end < 0:
            break
        is_kept = opens.group()[-1] not in _OPENS or (not kept and end - opens.end() <= LONGEST_KEPT)
        kept += text[at : end if is_kept else opens.end()]
        at = end
    return kept + text[at:]


def _opening_bracket(before: bytes) -> int:
    """Where the bracket is opened that closes at the end; -1 if it is not."""
    depth = 0
    for i in range(len(before) - 1, -1, -1):
        if before[i] in b")]}":
            depth += 1
        elif before[i] in b"([{":
            depth -= 1
            if not depth:
                return i
    return -1


def _steps(text: str, at: int) -> Iterator[tuple[str, str, int]]:
    called = False
    while at < len(text):
        if generic := _TYPE_ARGUMENTS.match(text, at):
            at = generic.end()
            yield "types", "", at
            continue
        if member := _MEMBER.match(text, at):
            at, called = member.end(), False
            yield "member", member.group(1), at
            continue
        while at < len(text) and text[at] in " \t\n!?" and not text.startswith("?.", at):
            at += 1
        if at >= len(text) or text[at] not in _OPENS:
            return
        end = closing_bracket(text, at)
        if end < 0:
            return
        inside, opens, at = text[at + 1 : end], text[at], end + 1
        if opens == "[":
            key = _LITERAL_KEY.match(inside)
            yield "item", (key[1] or key[2] or key[3] or "") if key else "", at
        elif opens == "{" and called:  # what stands behind the arguments belongs to the call
            yield "more", f"{{{inside}}}", at
        else:  # a literal of a struct makes one, as a call does
            yield "call", inside if opens == "(" else f"{{{inside}}}", at
        called = opens == "("


def closing_bracket(text: str, at: int) -> int:
    """Where the bracket at `at` is closed; -1 if it is not."""
    if shallow := _SHALLOW.match(text, at):
        return shallow.end() - 1
    wanted: list[str] = []
    for found in _BRACKET_OR_STRING.finditer(text, at):
        char = found.group()
        if char in _OPENS:
            wanted.append(_OPENS[char])
        elif wanted and char == wanted[-1]:
            wanted.pop()
            if not wanted:
                return found.start()
    return -1


def copied_arguments(text: str, copiers: tuple[str, ...]) -> list[str]:
    """The arguments of a function that returns them or a copy."""
    opens = text.find("(")
    if opens < 0 or text[:opens] not in copiers or closing_bracket(text, opens) != len(text) - 1:
        return []
    return [part for _, part in elements(text[opens:])]


def unwrap(text: str) -> str:
    """The argument of `Box::new(…)`, `Some(…)` and the like: it stands for them."""
    while (wraps := _WRAPS.match(text)) and closing_bracket(text, wraps.end() - 1) == len(text) - 1:
        text = text[wraps.end() : -1].strip()
    return text


def end_of(callee: str) -> str:
    """The callee for display: all of it, or the end of a long one, from the start of a name."""
    if len(callee) <= LONGEST_TOLD:
        return callee
    start = len(callee) - LONGEST_TOLD
    begins = _BEGINS.search(callee, start)
    return callee[begins.start() if begins else start :]
