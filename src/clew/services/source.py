"""One source file as calls, annotations and constants; expressions are read as text with references in it.

A reference stands between \\x01 and \\x02: a name to be resolved, or `env:NAME=default`. The rest of a template is
literal text. What cannot be read is the empty reference.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from clew.languages.service_forms import C_LIKE, ServiceForms, forms_of
from clew.model.code import Symbol
from clew.model.words import Kind
from clew.services.tokens import HOLE, NAME, NUMBER, STRING, Tokens, tokenize

UNKNOWN = f"\x01{HOLE}"
REFERENCE = re.compile(r"\x01([^\x01\x02]*)\x02")
MOST_TOKENS = 200_000  # of one file; generated tables are longer
_DEEPEST = 12

_ENVIRONMENT = re.compile(
    r"(^|\.|::)(\w*getenv|env|var|\w*environ(ment)?(variable)?|fetch_env!?|lookupenv|mustmapenv|\w*_env)$", re.I
)
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]+")
_FORMATS = frozenset({"Sprintf", "format", "format!", "sprintf", "formatted", "interpolate", "StringFormat"})
_PASSING = frozenset(
    "URL Url Uri URI create Parse from_str fromUriString fromHttpUrl toString to_string to_owned String str trim strip "
    "rstrip into clone as_str valueOf of_url HttpGet HttpPost requireNonNull join uri url lower encode "
    "String.valueOf NewURL newURL literal TrimSuffix TrimRight TrimSpace Some Ok from parse_uri".split()
)
_ALTERNATIVES = frozenset({"||", "??", "?:", "or"})
_DEFAULTS = frozenset(
    {"unwrap_or", "unwrap_or_else", "orElse", "getOrElse", "or_else", "orElseGet", "unwrap_or_default"}
)
_CONTINUES = frozenset("+ . ?. || ?? ? : :: -> && |> ?: <> =".split())
_OPENERS = frozenset("([{")
_CLOSERS = frozenset(")]}")
_ASSIGNS = frozenset({"=", ":="})
_DECLARES = frozenset({"val", "var", "let", "const"})
_CALLABLE = frozenset({Kind.FUNCTION, Kind.METHOD})
_PREFIXES = frozenset(
    {"new", "await", "&", "*", "return", "yield", "!", "static", "final", "const", "a", "an"} - {"a", "an"}
)
_PLACEHOLDER = re.compile(r"%[-+ 0#]*[\d.]*[a-zA-Z]|\{\d*(?::[^{}]*)?\}|" + REFERENCE.pattern)


class Argument(NamedTuple):
    """`name` of one that is given by its name; `start` and `end` are its tokens."""

    name: str
    start: int
    end: int


class CallSite(NamedTuple):
    """A call, or an annotation: `name` without its receiver, `opener` -1 if it has no parentheses."""

    name: str
    at: int
    opener: int
    closer: int
    line: int


class Constant(NamedTuple):
    """A name with its value; `scope` is the class or function that holds it."""

    scope: str
    name: str
    value: str
    line: int


_NO_FORMS = ServiceForms(C_LIKE, is_source=False)


class CodeSource:
    """A source file, read lazily. `symbols` are its definitions."""

    def __init__(self, path: str, text: str, language: str, symbols: Sequence[Symbol] = ()) -> None:
        self.path = path
        self.text = text
        self.language = language
        self.forms = forms_of(language) or _NO_FORMS
        self.symbols = symbols

    @cached_property
    def tokens(self) -> Tokens:
        found = tokenize(self.text, self.forms.syntax)
        return found if len(found.texts) <= MOST_TOKENS else Tokens([], [], [], [])

    @cached_property
    def calls(self) -> list[CallSite]:
        """Every call with parentheses, in order."""
        kinds, texts, lines, partner = self.tokens
        found = []
        for at in range(len(texts) - 1):
            if kinds[at] != NAME:
                continue
            opener = at + 1
            if texts[opener] in ("<", "::", "!", "?.", "["):
                opener = self._after_types(opener)
            if opener < len(texts) and texts[opener] == "(" and partner[opener] > 0:
                found.append(CallSite(texts[at], at, opener, partner[opener], lines[at]))
        return found

    def _after_types(self, at: int) -> int:
        """Past type arguments, a macro's `!`, or nothing."""
        texts = self.tokens.texts
        if texts[at] == "!":
            return at + 1
        if texts[at] == "[" and self.forms.bracket_types:
            end = self.tokens.partner[at]
            return end + 1 if 0 < end <= at + 6 else at
        if texts[at] == "::":
            at += 1
        if at >= len(texts) or texts[at] != "<":
            return at
        depth = 0
        for index in range(at, min(at + 24, len(texts))):
            if texts[index] == "<":
                depth += 1
            elif texts[index] == ">":
                depth -= 1
                if depth == 0:
                    return index + 1
            elif texts[index] in (";", "(", ")", "{"):
                break
        return at

    @cached_property
    def commands(self) -> list[CallSite]:
        """Calls without parentheses, as `get "/path", to: "x"` of Ruby: a name that begins a line, and then a value."""
        kinds, texts, lines, _ = self.tokens
        found = []
        for at in range(len(texts) - 1):
            begins = kinds[at] == NAME and (at == 0 or lines[at - 1] != lines[at]) and lines[at + 1] == lines[at]
            is_value = kinds[at + 1] == STRING or texts[at + 1][:1] == ":"
            if begins and (is_value or (kinds[at + 1] == NAME and texts[at + 1][:1].isupper())):
                found.append(CallSite(texts[at], at, at, self._end_of_line(at), lines[at]))
        return found

    def _end_of_line(self, at: int) -> int:
        texts, lines, partner = self.tokens.texts, self.tokens.lines, self.tokens.partner
        index = at + 1
        while index < len(texts) and texts[index] != "do":
            if lines[index] != lines[index - 1] and texts[index - 1] != ",":
                break
            if texts[index] in _CLOSERS:
                break
            index = partner[index] + 1 if texts[index] in _OPENERS and partner[index] > index else index + 1
        return index

    @cached_property
    def annotations(self) -> list[CallSite]:
        """`@Name(…)`, `[Name(…)]` of C#, `#[name(…)]` of Rust and PHP; their arguments are as a call's."""
        kinds, texts, lines, partner = self.tokens
        found = []
        for at in range(1, len(texts)):
            marked = texts[at][:1] == "@" and len(texts[at]) > 1
            if not marked and (kinds[at] != NAME or texts[at - 1] not in ("@", "[", ",")):
                continue
            before = texts[at - 1]
            if before == "@" or texts[at][:1] == "@":
                name = at
                while name + 2 < len(texts) and texts[name + 1] == "." and kinds[name + 2] == NAME:
                    name += 2
            elif before == "[" and self._begins_attribute(at - 1):
                name = at
                while name + 2 < len(texts) and texts[name + 1] in ("::", "\\") and kinds[name + 2] == NAME:
                    name += 2
            elif before == "," and self.forms.attribute_lists and self._in_attribute(at):
                name = at
            else:
                continue
            opener = name + 1 if name + 1 < len(texts) and texts[name + 1] == "(" and partner[name + 1] > 0 else -1
            closer = partner[opener] if opener > 0 else name
            found.append(CallSite(texts[name].lstrip("@"), at, opener, closer, lines[at]))
        return found

    def _begins_attribute(self, bracket: int) -> bool:
        texts, lines = self.tokens.texts, self.tokens.lines
        if bracket and texts[bracket - 1] == "#":
            return True
        return self.forms.bare_attributes and (
            bracket == 0 or lines[bracket - 1] != lines[bracket] or texts[bracket - 1] in "](,"
        )

    def _in_attribute(self, at: int) -> bool:
        texts, partner = self.tokens.texts, self.tokens.partner
        index = at - 1
        while index > 0 and at - index < 40:
            if texts[index] in _CLOSERS:
                index = partner[index]
            elif texts[index] == "[":
                return self._begins_attribute(index)
            elif texts[index] in ("(", "{", ";"):
                return False
            index -= 1
        return False

    def receiver(self, call: CallSite) -> str:
        """The receiver of a call, as written; calls in between end in `()`, as in `client.get().uri`."""
        texts, kinds, partner = self.tokens.texts, self.tokens.kinds, self.tokens.partner
        parts: list[str] = []
        at = call.at - 1
        while at > 0 and texts[at] in (".", "?.", "->", "::", "|>", "&."):
            at -= 1
            if texts[at] == "?" or texts[at] == "!":
                at -= 1
            if texts[at] in (")", "]") and partner[at] > 0:
                at = partner[at] - 1
                if at >= 0 and texts[at] == ">":
                    at = self._before_types(at)
                parts.append(f"{texts[at]}()" if at >= 0 and kinds[at] == NAME else "()")
                at -= 1
            elif kinds[at] in (NAME, STRING):
                parts.append(texts[at])
                at -= 1
            else:
                break
        return ".".join(reversed(parts))

    def _before_types(self, at: int) -> int:
        depth = 0
        for index in range(at, max(at - 24, -1), -1):
            depth += {">": 1, "<": -1}.get(self.tokens.texts[index], 0)
            if depth == 0:
                return index - 1
        return at

    def inner(self, call: CallSite, name: str) -> CallSite | None:
        """The call of that name in the receiver of a call."""
        for one in self.chain(call):
            if one.name == name:
                return one
        return None

    def chain(self, call: CallSite) -> Iterator[CallSite]:
        """The calls that a call is chained to, nearest first."""
        texts, kinds, partner = self.tokens.texts, self.tokens.kinds, self.tokens.partner
        at = call.at - 1
        while at > 0 and texts[at] in (".", "?.", "->", "::"):
            at -= 1
            if texts[at] == "?":
                at -= 1
            if texts[at] == ")" and partner[at] > 0:
                closer, opener = at, partner[at]
                at = opener - 1
                if at >= 0 and texts[at] == ">":
                    at = self._before_types(at)
                if at >= 0 and kinds[at] == NAME:
                    yield CallSite(texts[at], at, opener, closer, self.tokens.lines[at])
                at -= 1
            elif kinds[at] == NAME:
                at -= 1
            else:
                break

    def chained_call(self, call: CallSite) -> CallSite | None:
        """The call that is chained to the result of this one."""
        texts, kinds, partner = self.tokens.texts, self.tokens.kinds, self.tokens.partner
        at = call.closer + 1
        if at + 2 < len(texts) and texts[at] in (".", "?.", "->") and kinds[at + 1] == NAME:
            opener = self._after_types(at + 2) if texts[at + 2] in ("<", "::") else at + 2
            if opener < len(texts) and texts[opener] == "(" and partner[opener] > 0:
                return CallSite(texts[at + 1], at + 1, opener, partner[opener], self.tokens.lines[at + 1])
        return None

    def arguments(self, call: CallSite) -> list[Argument]:
        if call.opener < 0:
            return []
        return self.items(call.opener + 1, call.closer)

    def items(self, start: int, end: int) -> list[Argument]:
        """The parts between commas, with names as `key=`, `key:` or `"key" =>` give them."""
        texts, kinds, partner = self.tokens.texts, self.tokens.kinds, self.tokens.partner
        found: list[Argument] = []
        begin = at = start
        while at <= end:
            if at == end or texts[at] == "," or (texts[at] == ";" and kinds[at] != STRING):
                if at > begin:
                    name, value = "", begin
                    if (
                        begin + 1 < at
                        and kinds[begin] in (NAME, STRING)
                        and texts[begin + 1] in ("=", ":", "=>", ":=")
                        and kinds[begin + 1] != STRING
                    ):
                        name, value = texts[begin].lstrip(":"), begin + 2
                    elif begin + 1 < at and texts[begin].endswith(":"):
                        name, value = texts[begin][:-1], begin + 1
                    found.append(Argument(name, value, at))
                begin = at + 1
                at += 1
            elif texts[at] in _OPENERS and kinds[at] != STRING and partner[at] > at:
                at = partner[at] + 1
            else:
                at += 1
        return found

    def template(self, call: CallSite, position: int, *names: str) -> str:
        """The argument that has one of these names, else the one at a position among those without names."""
        arguments = self.arguments(call)
        for one in arguments:
            if one.name in names:
                return self.evaluate(one.start, one.end)
        plain = [one for one in arguments if not one.name]
        if 0 <= position < len(plain):
            return self.evaluate(plain[position].start, plain[position].end)
        return ""

    def templates(self, start: int, end: int) -> list[str]:
        """One value, or each one of a list in brackets."""
        texts, partner = self.tokens.texts, self.tokens.partner
        at = start
        while at < end and texts[at] in (
            "new",
            "&",
            "vec",
            "!",
            "arrayOf",
            "listOf",
            "List",
            "Arrays",
            ".",
            "of",
            "asList",
            "String",
            "Collections",
            "singletonList",
            "array",
            "string",
        ):
            if texts[at + 1 : at + 2] == ["]"]:
                break
            at += 1
        if (
            at < end and texts[at] == "[" and partner[at] == at + 1 and at + 2 < end
        ):  # Go's []string{…}, Java's String[] {…}
            at += 2
            while at < end and texts[at] != "{":
                at += 1
        if at < end and self.tokens.kinds[at] != STRING and texts[at] in _OPENERS and partner[at] >= end - 1:
            return [self.evaluate(one.start, one.end) for one in self.items(at + 1, partner[at])]
        return [self.evaluate(start, end)]

    def fields(self, start: int, end: int) -> dict[str, Argument]:
        """The fields of an object or struct literal that begins within these tokens."""
        texts, kinds, partner = self.tokens.texts, self.tokens.kinds, self.tokens.partner
        for at in range(start, min(end, start + 12)):
            if texts[at] in ("{", "[", "(") and kinds[at] != STRING and partner[at] > at:
                found = {one.name: one for one in self.items(at + 1, partner[at]) if one.name}
                if found or texts[at] == "{":
                    return found
        return {}

    # Expressions

    def evaluate(self, start: int, end: int, depth: int = 0) -> str:
        """An expression as a template."""
        if start >= end or depth > _DEEPEST:
            return UNKNOWN if depth > _DEEPEST else ""
        texts, kinds = self.tokens.texts, self.tokens.kinds
        while start < end and texts[start] in _PREFIXES and kinds[start] != STRING:
            start += 1
        parts = self._split(start, end, _ALTERNATIVES)
        if len(parts) > 1:
            return self._either([self.evaluate(*part, depth + 1) for part in parts])
        question = self._split(start, end, frozenset({"?"}))
        if len(question) == 2:
            branches = self._split(*question[1], frozenset({":"}))
            return self._either([self.evaluate(*branch, depth + 1) for branch in branches])
        parts = self._split(start, end, self.forms.joiners)
        if len(parts) > 1:
            return "".join(self.evaluate(*part, depth + 1) or UNKNOWN for part in parts)
        return self._primary(start, end, depth)

    def _split(self, start: int, end: int, operators: frozenset[str]) -> list[tuple[int, int]]:
        texts, kinds, partner = self.tokens.texts, self.tokens.kinds, self.tokens.partner
        parts, begin, at = [], start, start
        while at < end:
            if kinds[at] != STRING and texts[at] in operators:
                parts.append((begin, at))
                begin = at + 1
            elif kinds[at] != STRING and texts[at] in _OPENERS and partner[at] > at:
                at = partner[at]
            at += 1
        parts.append((begin, end))
        return [part for part in parts if part[0] < part[1]]

    @staticmethod
    def _either(values: list[str]) -> str:
        """The first that is known; a variable of the environment keeps the next as its default."""
        for index, value in enumerate(values):
            if value.startswith("\x01env:") and "=" not in value and REFERENCE.fullmatch(value):
                default = next((one for one in values[index + 1 :] if one and not REFERENCE.search(one)), "")
                return f"{value[:-1]}={default}{HOLE}" if default else value
        for value in values:
            if value and not REFERENCE.fullmatch(value):
                return value
        return next((value for value in values if value and value != UNKNOWN), "")

    def _primary(self, start: int, end: int, depth: int) -> str:
        texts, kinds, partner = self.tokens.texts, self.tokens.kinds, self.tokens.partner
        if start >= end:
            return ""
        if all(kinds[at] == STRING for at in range(start, end)):
            return "".join(self.interpolate(texts[at], depth) for at in range(start, end))
        if texts[start] == "(" and kinds[start] != STRING and partner[start] == end - 1:
            return self.evaluate(start + 1, end - 1, depth + 1)
        if kinds[start] == STRING and start + 1 < end:
            return self._on_string(start, end, depth)
        if kinds[start] == NUMBER:
            return texts[start]
        last = self._last_call(start, end)
        if last is not None:
            return self.evaluate_call(start, last, depth)
        if texts[end - 1] == "]" and partner[end - 1] > start:  # os.environ["X"], ENV['X'], Configuration["A:B"]
            opener = partner[end - 1]
            key = self.evaluate(opener + 1, end - 1, depth + 1)
            owner = self._name(start, opener)
            if re.search(r"env|config", owner, re.IGNORECASE) and key and not REFERENCE.search(key):
                return _variable(key)
            return f"\x01{owner}.{key}{HOLE}" if owner and key and not REFERENCE.search(key) else UNKNOWN
        name = self._name(start, end)
        if not name:
            return UNKNOWN
        if ".env." in f".{name}" and _VARIABLE.fullmatch(name.rpartition(".")[2]):
            return _variable(name.rpartition(".")[2])
        return f"\x01{name}{HOLE}"

    def interpolate(self, value: str, depth: int) -> str:
        """A string with its interpolations read as expressions."""
        if "\x01" not in value:
            return value

        def fill(hole: re.Match[str]) -> str:
            inside = hole[1].strip()
            if re.fullmatch(r"[\w$.]+", inside) and not inside.isdigit():
                name = inside.lstrip("$").removeprefix("this.").removeprefix("self.")
                if ".env." in f".{name}" and _VARIABLE.fullmatch(name.rpartition(".")[2]):
                    return _variable(name.rpartition(".")[2])
                return f"\x01{name}{HOLE}"
            if not inside or depth > 3:
                return UNKNOWN
            inner = CodeSource(self.path, inside, self.language)
            return inner.evaluate(0, len(inner.tokens.texts), depth + 2) or UNKNOWN

        return REFERENCE.sub(fill, value)

    def _on_string(self, start: int, end: int, depth: int) -> str:
        """A literal with a method or operator behind it: `"…".format(x)`, `"…" % x`."""
        texts, partner = self.tokens.texts, self.tokens.partner
        value = self.interpolate(texts[start], depth)
        if texts[start + 1] == "%":
            at = start + 2
            inside = (at + 1, end - 1) if at < end and texts[at] == "(" and partner[at] == end - 1 else (at, end)
            return _format_template(
                value, [self.evaluate(one.start, one.end, depth + 1) for one in self.items(*inside)]
            )
        if texts[start + 1] == "." and start + 3 < end and texts[start + 2] in _FORMATS and partner[start + 3] > 0:
            given = self.items(start + 4, partner[start + 3])
            for one in given:
                value = value.replace(f"{{{one.name}}}", self.evaluate(one.start, one.end, depth + 1) or UNKNOWN)
            plain = [one for one in given if not one.name]
            return _format_template(value, [self.evaluate(one.start, one.end, depth + 1) for one in plain])
        return value

    def _last_call(self, start: int, end: int) -> CallSite | None:
        """The outermost call of an expression that ends in one."""
        texts, kinds, partner = self.tokens.texts, self.tokens.kinds, self.tokens.partner
        closer = end - 1
        while closer > start and texts[closer] in ("?", "!"):
            closer -= 1
        if texts[closer] not in (")", "}") or kinds[closer] == STRING or partner[closer] <= start:
            return None
        opener = partner[closer]
        at = opener - 1
        if texts[at] == "!" and at > start:
            at -= 1
        if texts[at] == ">":
            at = self._before_types(at)
            at -= texts[at] == "::"
        if at < start or kinds[at] != NAME or texts[opener] == "{":
            return None
        name = texts[at] + ("!" if texts[at + 1] == "!" else "")
        return CallSite(name, at, opener, closer, self.tokens.lines[at])

    def evaluate_call(self, start: int, call: CallSite, depth: int) -> str:
        name, arguments = call.name, self.arguments(call)

        def values() -> list[str]:
            return [self.evaluate(one.start, one.end, depth + 1) for one in arguments]

        if name in _FORMATS and arguments:
            first, *others = values()
            if name == "formatted" or (name == "format" and not re.search(r"%|\{|\x01", first)):
                return self.evaluate(start, call.at - 1, depth + 1) if call.at - 1 > start else first
            return _format_template(first, others)
        if arguments and _ENVIRONMENT.search(name):
            key, *defaults = values()
            if key and not REFERENCE.search(key) and re.fullmatch(r"[\w.:-]+", key):
                return self._either([_variable(key), *defaults])
        if name in _DEFAULTS and call.at - 1 > start:
            return self._either(
                [
                    self.evaluate(start, call.at - 1, depth + 1),
                    *[self._returned_default(one, depth) for one in arguments],
                ]
            )
        if name in ("path", "resolve", "pathSegment", "appendPath", "JoinPath") and call.at - 1 > start:
            base = self.evaluate(start, call.at - 1, depth + 1)
            tail = "/".join(value.strip("/") for value in values())
            return f"{base.rstrip('/')}/{tail}" if base else tail
        if name in ("URL", "URI", "Uri", "urljoin", "join") and len(arguments) == 2:
            first, second = values()
            base, tail = (second, first) if name in ("URL",) else (first, second)
            return f"{base.rstrip('/')}/{tail.lstrip('/')}"
        if name in _PASSING:
            if arguments and (found := next((value for value in values() if value), "")):
                return found
            if call.at - 1 > start:
                return self.evaluate(start, call.at - 1, depth + 1)
        if (
            name
            in (
                "replace",
                "Replace",
                "toLowerCase",
                "build",
                "toUriString",
                "toUri",
                "get",
                "getUri",
                "trimEnd",
                "ok_or",
                "unwrap",
                "buildAndExpand",
                "queryParam",
                "map_err",
                "c_str",
                "as_ref",
                "parse",
                "expect",
                "unwrap",
                "context",
                "unwrap_or_default",
                "await",
            )
            and call.at - 1 > start
        ):
            return self.evaluate(start, call.at - 1, depth + 1)
        called = self._name(start, call.at + 1)
        return f"\x01{called}(){HOLE}" if called else UNKNOWN

    def _returned_default(self, argument: Argument, depth: int) -> str:
        """A default that may be given as a function: `|| "x"`, `|_| "x".to_string()`, `() -> "x"`."""
        texts, kinds = self.tokens.texts, self.tokens.kinds
        start = argument.start
        while start < argument.end and (
            texts[start] in ("|", "_", "||", "->", "(", ")", "=>", "move") and kinds[start] != STRING
        ):
            start += 1
        return self.evaluate(start, argument.end, depth + 1)

    def _name(self, start: int, end: int) -> str:
        """A dotted name, without `this`; empty for anything else."""
        texts, kinds = self.tokens.texts, self.tokens.kinds
        parts = []
        for at in range(start, end):
            if kinds[at] == NAME:
                parts.append(texts[at].lstrip("$@"))
            elif texts[at] not in (".", "::", "->", "?.", "&", "*", "!", "?"):
                return ""
        while len(parts) > 1 and parts[0] in ("this", "self", "Self", "cls", "base"):
            parts.pop(0)
        if parts in (["this"], ["self"], ["Self"], ["cls"]):
            return ""
        return ".".join(parts)

    # Constants

    @cached_property
    def constants(self) -> list[Constant]:
        """Names that are set to a text, and functions that return one (`name()`), with the class that holds them."""
        kinds, texts, lines, _ = self.tokens
        found: list[Constant] = []
        for at in range(1, len(texts) - 1):
            if kinds[at] == STRING:
                continue
            if texts[at] in _ASSIGNS or (texts[at] == ":" and kinds[at - 1] == NAME and kinds[at + 1] == STRING):
                found += self._read_assignment(at)
            elif texts[at] == "return" and at + 1 < len(texts) and kinds[at] == NAME:
                found += self._return(at)
            elif (
                kinds[at] == NAME
                and texts[at].isupper()
                and texts[at + 1] == "("
                and kinds[at + 2 : at + 3] == [STRING]
            ):
                found.append(Constant(self.scope_at(lines[at]), texts[at], texts[at + 2], lines[at]))
        for call in self.calls:
            if (
                _ENVIRONMENT.search(call.name) and len(arguments := self.arguments(call)) == 2
            ):  # mustMapEnv(&service.address, "ADDRESS")
                first, second = arguments
                if (
                    texts[first.start] == "&"
                    and kinds[second.start] == STRING
                    and (name := self._name(first.start, first.end))
                ):
                    found.append(
                        Constant(
                            self.scope_at(call.line), name.rpartition(".")[2], _variable(texts[second.start]), call.line
                        )
                    )
        for one in self.annotations:
            if (
                one.name == "Value"
                and (value := self.template(one, 0, "value"))
                and (name := self._annotated_name(one))
            ):
                found.append(Constant(self.scope_at(one.line), name, value, one.line))
        return found

    def _read_assignment(self, at: int) -> Iterator[Constant]:
        _kinds, _texts, lines, _ = self.tokens
        names = self._targets(at)
        if not names:
            return
        end = self.expression_end(at + 1)
        if end - at > 120:
            return
        parts = self.items(at + 1, end) if len(names) > 1 else [Argument("", at + 1, end)]
        for name, one in zip(names, parts, strict=False):
            value = self.evaluate(one.start, one.end)
            if value and value != UNKNOWN and len(value) < 500:
                yield Constant(self.scope_at(lines[at]), name, value, lines[at])

    def _targets(self, at: int) -> list[str]:
        """The names left of an assignment: the last one before a type, or all of `a, b := …`."""
        kinds, texts, lines, _partner = self.tokens
        index = at - 1
        if texts[index] == "]" and kinds[index - 1] == STRING and texts[index - 2] == "[":  # settings["key"] = …
            return [texts[index - 1]]
        if texts[at] == ":" and texts[at - 1][:1].isdigit():
            return []
        names: list[str] = []
        begin = index
        while (
            begin > 0
            and lines[begin - 1] == lines[at]
            and texts[begin - 1] not in (";", "{", "}", "(", ")")
            and at - begin < 14
        ):
            begin -= 1
        words = [(texts[k], kinds[k]) for k in range(begin, at)]
        if any(word in _DECLARES for word, _ in words):
            after = next(k for k, (word, _) in enumerate(words) if word in _DECLARES)
            names = (
                [word for word, kind in words[after + 1 :] if kind == NAME][:1] if ":" in [w for w, _ in words] else []
            )
        if (not names and texts[at] == ":=") or (self.forms.several_values and any(word == "," for word, _ in words)):
            names = [word for word, kind in words if kind == NAME]
        if not names and self.forms.colon_types and ":" in [w for w, _ in words]:
            names = [word for word, kind in words[: [w for w, _ in words].index(":")] if kind == NAME][-1:]
        if not names and self.forms.type_behind_name and len(words) >= 2 and words[-1][0] in ("string", "error"):
            names = [words[-2][0]]
        if not names and kinds[index] == NAME:
            names = [texts[index]]
        return [name.lstrip("$@:") for name in names if name not in ("const", "var", "let")]

    def expression_end(self, at: int) -> int:
        """The end of the expression that begins here."""
        kinds, texts, lines, partner = self.tokens
        begin = at
        while at < len(texts):
            if kinds[at] != STRING:
                if texts[at] in (";", ",") and (
                    texts[at] == ";" or not self.forms.several_values or at == begin or lines[at] != lines[begin]
                ):
                    return at
                if texts[at] in _CLOSERS:
                    return at
            if at > begin and lines[at] != lines[at - 1] and kinds[at] != STRING:
                if texts[at] not in _CONTINUES and (kinds[at - 1] == STRING or texts[at - 1] not in _CONTINUES):
                    return at
            elif (
                at > begin
                and lines[at] != lines[at - 1]
                and (kinds[at - 1] == STRING or texts[at - 1] not in _CONTINUES)
            ):
                return at
            at = partner[at] + 1 if kinds[at] != STRING and texts[at] in _OPENERS and partner[at] > at else at + 1
        return at

    def _return(self, at: int) -> Iterator[Constant]:
        line = self.tokens.lines[at]
        holder = self.symbol_at(line, _CALLABLE)
        if holder is None:
            return
        end = self.expression_end(at + 1)
        value = self.evaluate(at + 1, end)
        if value and value != UNKNOWN and len(value) < 500:
            yield Constant(holder.scope.rpartition("::")[0], f"{holder.name}()", value, line)

    def _annotated_name(self, annotation: CallSite) -> str:
        """The name of the field or parameter that stands behind an annotation."""
        kinds, texts, _, partner = self.tokens
        at = annotation.closer + 1
        name = ""
        while at < len(texts):
            if texts[at] in _DECLARES and kinds[at + 1] == NAME:
                return texts[at + 1]
            if texts[at] in (";", ",", ")", "=", "}") and kinds[at] != STRING:
                return name
            if texts[at] == "(" and partner[at] > at:
                at = partner[at]
            elif kinds[at] == NAME:
                name = texts[at]
            at += 1
        return ""

    # Where things stand

    @cached_property
    def _by_line(self) -> list[Symbol]:
        return sorted(
            (one for one in self.symbols if one.kind not in (Kind.VARIABLE,)),
            key=lambda one: (one.span.first, -one.span.last),
        )

    def symbol_at(self, line: int, kinds: frozenset[Kind] | None = None) -> Symbol | None:
        """The innermost definition that holds a line."""
        found = None
        for one in self._by_line:
            if one.span.first > line:
                break
            if one.span.last >= line and (kinds is None or one.kind in kinds):
                found = one
        return found

    def scope_at(self, line: int) -> str:
        holder = self.symbol_at(line)
        return holder.scope if holder else ""

    def class_at(self, line: int) -> Symbol | None:
        return self.symbol_at(line, _CLASSES)

    def in_statement(self, at: int, words: frozenset[str]) -> bool:
        """Whether one of the words begins the statement of a token."""
        lines, texts = self.tokens.lines, self.tokens.texts
        while at > 0 and lines[at - 1] == lines[at]:
            at -= 1
        return texts[at] in words


_CLASSES = frozenset({Kind.CLASS, Kind.INTERFACE})


def _variable(name: str) -> str:
    return f"\x01env:{name}{HOLE}"


def _format_template(template: str, values: Sequence[str]) -> str:
    """A format with its placeholders filled by position; those that have a name stay references."""
    left = iter(values)

    def fill(found: re.Match[str]) -> str:
        if found[0].startswith("\x01") and found[1]:
            return found[0]
        return next(left, "") or UNKNOWN

    return _PLACEHOLDER.sub(fill, template)
