"""The public rule tests of gitleaks and trufflehog, read in place from their checkouts.

Both keep their examples as Go expressions: this evaluates those made of literals, variables, `fmt.Sprintf`,
concatenation, and gitleaks' own generators. An example that needs more than that is counted as unread.
"""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from re import _parser as regular  # type: ignore[attr-defined]  # the only public parser of expressions is compile

_TOKEN = re.compile(
    r"""\s+|//[^\n]*|/\*.*?\*/|(?P<raw>`[^`]*`)|(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<rune>'(?:[^'\\\n]|\\.)*')
    |(?P<name>[A-Za-z_][\w.]*)|(?P<number>\d+)|(?P<mark>:=|\.\.\.|[-+(){}\[\],:=*&<>|!;./%^])""",
    re.VERBOSE | re.DOTALL,
)
_FUNCTION = re.compile(r"^func (\w+)\([^\n]*\n(.*?)^}", re.MULTILINE | re.DOTALL)


class UnreadExpressionError(Exception):
    """An expression that this cannot evaluate."""


@dataclass(frozen=True, slots=True)
class RuleExample:
    """A text of one rule's tests, its secrets (empty if unknown), and whether there is one at all."""

    kind: str
    text: str
    secrets: tuple[str, ...]
    positive: bool
    path: str = ""


@dataclass(slots=True)
class RuleTests:
    examples: list[RuleExample] = field(default_factory=list)
    unread: int = 0


Tokens = list[tuple[str, str]]
Scope = dict[str, object]
Functions = dict[str, Callable[..., object]]


def tokens_of(source: str) -> Tokens:
    found = []
    at = 0
    while at < len(source):
        match = _TOKEN.match(source, at)
        if not match:
            at += 1
            continue
        if match.lastgroup:
            found.append((match.lastgroup, match[0]))
        at = match.end()
    return found


def unquoted(kind: str, text: str) -> str:
    if kind == "raw":
        return text[1:-1].replace("\r", "")
    known = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}

    def escape(match: re.Match[str]) -> str:
        what = match[1]
        return chr(int(what[1:], 16)) if what[0] in "xuU" else known.get(what, what)

    return re.sub(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", escape, text[1:-1], flags=re.DOTALL)


class Reader:
    """Evaluates one expression after the other from a list of tokens."""

    def __init__(self, tokens: Tokens, scope: Scope, functions: Functions) -> None:
        self.tokens, self.scope, self.functions = tokens, scope, functions
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead][1] if self.at + ahead < len(self.tokens) else ""

    def take(self, wanted: str = "") -> tuple[str, str]:
        if self.at >= len(self.tokens) or (wanted and self.peek() != wanted):
            raise UnreadExpressionError(f"{wanted} is not {self.peek()}")
        self.at += 1
        return self.tokens[self.at - 1]

    def expression(self) -> object:
        value = self.term()
        while self.peek() == "+":
            self.take()
            more = self.term()
            if not isinstance(value, str) or not isinstance(more, str):
                raise UnreadExpressionError("+")
            value += more
        return value

    def term(self) -> object:
        kind, text = self.take()
        if kind in ("raw", "text"):
            return unquoted(kind, text)
        if kind == "number":
            return int(text)
        if text == "(":
            value = self.expression()
            self.take(")")
            return value
        if text in ("[", "map"):
            return self.collection()
        if kind != "name":
            raise UnreadExpressionError(text)
        if text == "nil":
            return None
        if self.peek() == "(":
            return self.call(text)
        if text in self.scope:
            return self.scope[text]
        raise UnreadExpressionError(text)

    def call(self, name: str) -> object:
        self.take("(")
        arguments = list(self.listed(")"))
        if name == "string" or name not in self.functions:
            if name in ("string", "[]byte"):
                return arguments[0]
            raise UnreadExpressionError(name)
        return self.functions[name](*arguments)

    def listed(self, end: str) -> Iterator[object]:
        while self.peek() != end:
            value = self.expression()
            if self.peek() == ":":
                self.take()
                value = (value, self.expression())
            if self.peek() == "...":
                self.take()
                yield from value if isinstance(value, list) else [value]
            else:
                yield value
            if self.peek() == ",":
                self.take()
        self.take(end)

    def collection(self) -> object:
        while self.peek() != "{":
            self.take()
        self.take()
        return list(self.listed("}"))


def formatted(form: object, *arguments: object) -> str:
    rest = iter(arguments)

    def value(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        one = next(rest, "")
        return f'"{one}"' if match[0] == "%q" else str(one)

    return re.sub(r"%[sdvq%]", value, str(form))


def generated(expression: object, source: random.Random) -> str:
    """A text that an expression matches."""

    def of(parsed: object) -> str:
        return "".join(one(op, argument) for op, argument in parsed)  # type: ignore[attr-defined]  # as the parser nests

    def one(op: object, argument: object) -> str:
        name = str(op)
        if name == "LITERAL":
            return chr(argument)  # type: ignore[arg-type]  # of the parser
        if name == "IN":
            return source.choice(members(argument))
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, inner = argument  # type: ignore[misc]  # of the parser
            return "".join(of(inner) for _ in range(source.randint(least, min(most, least + 10))))  # type: ignore[has-type]
        if name == "SUBPATTERN":
            return of(argument[-1])  # type: ignore[index]  # of the parser
        if name == "BRANCH":
            return of(source.choice(argument[1]))  # type: ignore[index]  # of the parser
        if name == "AT":
            return ""
        raise UnreadExpressionError(name)

    def members(parts: object) -> list[str]:
        found: list[str] = []
        for op, argument in parts:  # type: ignore[attr-defined]  # of the parser
            if str(op) == "LITERAL":
                found.append(chr(argument))
            elif str(op) == "RANGE":
                found += map(chr, range(argument[0], argument[1] + 1))
            elif str(argument) == "CATEGORY_WORD":
                found += "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
            elif str(argument) == "CATEGORY_DIGIT":
                found += "0123456789"
            else:
                raise UnreadExpressionError(str(argument))
        return found

    try:
        return of(regular.parse(str(expression)))
    except re.error as error:
        raise UnreadExpressionError(str(expression)) from error


def gitleaks_tests(checkout: Path, seed: int = 1) -> RuleTests:
    """Read the true and false positives (`tps`, `fps`) of each rule in `cmd/generate/config/rules`."""
    source = random.Random(seed)
    rules = checkout / "cmd/generate/config/rules"
    templates = _templates((checkout / "cmd/generate/config/utils/generate.go").read_text("utf-8"))
    helpers = {
        "Numeric": "[0-9]", "Hex": "[a-f0-9]", "AlphaNumeric": "[a-z0-9]", "AlphaNumericExtendedShort": "[a-z0-9_-]",
        "AlphaNumericExtended": "[a-z0-9=_-]", "AlphaNumericExtendedLong": "[a-z0-9/=_+-]",
    }  # fmt: skip
    tests = RuleTests()

    def samples(identifier: str, secret: str) -> list[object]:
        return [
            (one.replace("{i}", identifier).replace("{I}", identifier.upper()).replace("{s}", secret), secret)
            for one in templates
        ]

    def plausible(expression: str) -> str:
        while True:
            made = generated(expression, source)
            if re.search("[1-9]", made):
                return made

    functions: Functions = {
        "fmt.Sprintf": formatted,
        "secrets.NewSecret": lambda expression: generated(expression, source),
        "newPlausibleSecret": plausible,
        "utils.GenerateSampleSecrets": samples,
        "utils.GenerateSampleSecret": lambda name, secret: (f'{name}_api_token = "{secret}"', secret),
        "utils.Hex8_4_4_4_12": lambda: "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        "append": lambda first, *more: [*first, *more],
        "strings.Repeat": lambda text, times: text * times,
        **{f"utils.{name}": (lambda size, form=form: f"{form}{{{size}}}") for name, form in helpers.items()},
    }
    for file in sorted(rules.glob("*.go")):
        text = file.read_text("utf-8")
        shared = _assigned(text.partition("\nfunc ")[0], {}, functions, tests)
        for function in _FUNCTION.finditer(text):
            kind = re.search(r'RuleID:\s*"([^"]+)"', function[2])
            if kind:
                scope = _assigned(function[2], shared, functions, tests)
                for name, positive in (("tps", True), ("fps", False)):
                    by_path = f"{name} := map[" in function[2]
                    for one in scope.get(name) or ():  # type: ignore[attr-defined]  # a list, if it was read
                        tests.examples.append(_example(kind[1], one, positive, by_path=by_path))
    return tests


def _example(kind: str, one: object, positive: bool, *, by_path: bool) -> RuleExample:
    if isinstance(one, tuple):
        first, second = map(str, one)
        if by_path:
            return RuleExample(kind, second, (), positive, first)
        return RuleExample(kind, first, (second,), positive)
    return RuleExample(kind, str(one), (), positive)


def _templates(generator: str) -> list[str]:
    body = generator.partition("samples := map[string]string{")[2].partition("\n\t}")[0]
    reader = Reader([*tokens_of(body), ("mark", "}")], {}, {})
    return [str(one[1]) for one in reader.listed("}") if isinstance(one, tuple)]


_ASSIGNMENT = re.compile(r"^\s*(?:var |const )?(\w+)\s*(?:string|\[\]string)?\s*(?::=|=)\s*(?=[^=])", re.MULTILINE)


def _assigned(source: str, outer: Scope, functions: Functions, tests: RuleTests) -> Scope:
    """The final values of the variables that can be evaluated."""
    scope = dict(outer)
    for match in _ASSIGNMENT.finditer(source):
        try:
            scope[match[1]] = Reader(tokens_of(source[match.end() :]), scope, functions).expression()
        except (UnreadExpressionError, TypeError):
            if match[1] in ("tps", "fps"):
                tests.unread += 1
    return scope


_CASE = re.compile(r"\binput:\s*(?=\S)")
_WANT = re.compile(r"\bwant:\s*(?=\S)")


def trufflehog_tests(checkout: Path) -> RuleTests:
    """Read each `input` in `pkg/detectors/*/*_test.go` with its expected result."""
    tests = RuleTests()
    functions: Functions = {"fmt.Sprintf": formatted, "strings.Repeat": lambda text, times: text * times}
    detectors = checkout / "pkg/detectors"
    for file in sorted(detectors.rglob("*_test.go")):
        if file.name.endswith("integration_test.go"):
            continue
        text = file.read_text("utf-8")
        scope = _assigned(text, {}, functions, RuleTests())
        kind = file.relative_to(detectors).parts[0]
        for case in _CASE.finditer(text):
            want = _WANT.search(text, case.end(), case.end() + 20_000)
            if not want:
                continue
            try:
                given = Reader(tokens_of(text[case.end() : want.start()]), scope, functions).expression()
                wanted = Reader(tokens_of(text[want.end() : want.end() + 20_000]), scope, functions).expression()
            except (UnreadExpressionError, TypeError):
                tests.unread += 1
                continue
            if isinstance(given, str) and isinstance(wanted, list | None):
                secrets = tuple(str(one) for one in wanted or ())
                tests.examples.append(RuleExample(kind, given, secrets, bool(secrets)))
    return tests
