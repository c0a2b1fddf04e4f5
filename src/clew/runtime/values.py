"""Rules for the values of settings: each is data that parses a text, checks a value and describes the allowed ones."""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]  # typeshed lacks it
from re import _parser  # type: ignore[attr-defined]  # typeshed lacks it
from typing import Any, NamedTuple, Protocol

from msgspec import Struct

# Which regular expressions of a configuration take time in proportion to the text.

MOST_TRIED = 10_000  # ways through the undecided repetitions of one attempt
_UNBOUNDED = 4096  # how long a repetition without a bound is taken to be
_OTHERS = 128  # stands for every character beyond ASCII
_ALL = frozenset(range(_OTHERS + 1))
_ASCII = {
    "DIGIT": frozenset(map(ord, "0123456789")) | {_OTHERS},
    "SPACE": frozenset(map(ord, " \t\n\r\f\v\x1c\x1d\x1e\x1f")) | {_OTHERS},
    "WORD": frozenset(n for n in range(128) if chr(n).isalnum() or n == ord("_")) | {_OTHERS},
}


class Slow(Exception):
    """The expression may take long; the message says where."""


class _Part(NamedTuple):
    """The first characters of a part of an expression, whether it may be empty, and whether its length may vary."""

    first: frozenset[int]
    empty: bool
    varies: bool


def slow_part(pattern: str) -> str:
    """Why an expression could take long; empty if it cannot. The expression is valid."""
    parsed = _parser.parse(pattern)
    try:
        tried = _Check(bool(parsed.state.flags & re.IGNORECASE)).sequence(list(parsed), frozenset())[1]
    except Slow as slow:
        return str(slow)
    return "" if tried <= MOST_TRIED else "several repetitions in a row may share the same characters"


class _Check:
    def __init__(self, ignore_case: bool) -> None:
        self._ignore_case = ignore_case

    def sequence(self, nodes: Sequence[Any], follows: frozenset[int]) -> tuple[_Part, int]:
        """The summary of a sequence of nodes before `follows`, and the number of ways that a match may try."""
        first: frozenset[int] = frozenset()
        empty, varies, tried = True, False, 1
        after = follows
        for node in reversed(nodes):
            part, ways = self._node(node, after)
            tried *= ways
            varies |= part.varies
            empty &= part.empty
            first = part.first | first if part.empty else part.first
            after = part.first | after if part.empty else part.first
        return _Part(first, empty, varies), tried

    def _node(self, node: Any, follows: frozenset[int]) -> tuple[_Part, int]:
        kind, value = node
        if kind in (sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY):
            return _Part(self._characters(kind, value), empty=False, varies=False), 1
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            least, most, body = value
            return self._repeat(least, most, body, follows)
        if kind is getattr(sre, "POSSESSIVE_REPEAT", None):
            body, ways = self.sequence(list(value[2]), frozenset())
            return _Part(body.first, body.empty or not value[0], varies=False), ways
        if kind is getattr(sre, "ATOMIC_GROUP", None):
            body, ways = self.sequence(list(value), frozenset())
            return body._replace(varies=False), ways
        if kind is sre.SUBPATTERN:
            return self.sequence(list(value[3]), follows)
        if kind is sre.BRANCH:
            return self._branches(value[1], follows)
        if kind in (sre.ASSERT, sre.ASSERT_NOT):
            _, ways = self.sequence(list(value[1]), frozenset())
            return _Part(frozenset(), empty=True, varies=False), ways
        if kind is sre.AT:
            return _Part(frozenset(), empty=True, varies=False), 1
        raise Slow("it refers back to what it has matched")

    def _repeat(self, least: int, most: Any, body: Iterable[Any], follows: frozenset[int]) -> tuple[_Part, int]:
        part, ways = self.sequence(list(body), _ALL if most != 1 else follows)
        most = _UNBOUNDED if most is sre.MAXREPEAT else int(most)
        if most > 1 and (part.varies or ways > 1 or part.empty):
            raise Slow("a repetition stands inside of another")
        undecided = least != most and bool(part.first & follows)
        return _Part(part.first, part.empty or not least, varies=least != most or part.varies), (
            ways * (most - least + 1) if undecided else ways
        )

    def _branches(self, branches: Iterable[Iterable[Any]], follows: frozenset[int]) -> tuple[_Part, int]:
        first: frozenset[int] = frozenset()
        empty, varies, total, decided = False, False, 0, True
        for branch in branches:
            part, ways = self.sequence(list(branch), follows)
            decided &= not (part.first & first) and not part.empty
            first |= part.first
            empty |= part.empty
            varies |= part.varies
            total += ways
        return _Part(first, empty, varies or not decided), max(1, total if not decided else total // 2)

    def _characters(self, kind: Any, value: Any) -> frozenset[int]:
        if kind is sre.ANY:
            return _ALL
        if kind is sre.NOT_LITERAL:
            return _ALL if value >= _OTHERS else _ALL - {value}
        if kind is sre.LITERAL:
            return self._with_cases({min(value, _OTHERS)})
        members: set[int] = set()
        negated = False
        for what, which in value:
            if what is sre.NEGATE:
                negated = True
            elif what is sre.RANGE:
                members |= {min(one, _OTHERS) for one in range(which[0], min(which[1], _OTHERS) + 1)}
                members |= {_OTHERS} if which[1] >= _OTHERS else set()
            elif what is sre.CATEGORY:
                members |= _category(str(which))
            else:
                members.add(min(which, _OTHERS))
        return _ALL - (members - {_OTHERS}) if negated else self._with_cases(members)

    def _with_cases(self, members: Iterable[int]) -> frozenset[int]:
        both = {ord(case) for one in members if self._ignore_case for case in (chr(one).lower(), chr(one).upper())}
        return frozenset(members) | {min(one, _OTHERS) for one in both}


def _category(name: str) -> frozenset[int]:
    """`CATEGORY_DIGIT`, `CATEGORY_NOT_SPACE` and the like."""
    word = name.rpartition("_")[2]
    return _ALL - (_ASCII[word] - {_OTHERS}) if "_NOT_" in name else _ASCII[word]


LONGEST_NAME = 200
MOST_REGEX = 1000  # characters of an expression
RESERVED = "user:"  # begins the names of users' own stores on a server

Value = bool | int | float | str | tuple[str, ...]

_SWITCHES = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
_PASSWORD = re.compile(r"(//[^:@/]*:).*(?=@)|(?i:(password=))[^&\s]*")  # to the last @: it may hold anything
_REPOSITORY = re.compile(r"[A-Za-z0-9_-][\w.-]*=\S.*")
_EXTENSION = re.compile(r"\.[^\s/\\*?]+")


class Inside(Struct, frozen=True):
    """The values of a setting that only affect the inside of a project: all of them, unless this names some.

    `within_project`: paths that stay inside of the project. `adds`: a repository's list is added to the user's own.
    """

    values: tuple[Value, ...] = ()
    within_project: bool = False
    adds: bool = False

    def admits(self, value: Value, root: Path) -> bool:
        if self.within_project:
            return value == "" or _stays_inside(root, str(value))
        return not self.values or value in self.values


INSIDE = Inside()


class Rule(Protocol):
    @property
    def requirement(self) -> str:
        """The allowed values, in words that follow "must be"."""
        ...

    def parse(self, text: str) -> object:
        """The value of a text; an unparsable text is returned as it is, for `check` to refuse."""
        ...

    def check(self, value: object) -> Value:
        """The value in stored form; ValueError, with further details, if it is not allowed."""
        ...


class Flag(Struct, frozen=True):
    @property
    def requirement(self) -> str:
        return "true or false"

    def parse(self, text: str) -> object:
        return _SWITCHES.get(text.strip().lower(), text)

    def check(self, value: object) -> Value:
        if isinstance(value, bool):
            return value
        raise ValueError


class IntegerRange(Struct, frozen=True):
    least: int
    most: int

    @property
    def requirement(self) -> str:
        return f"an integer from {self.least} to {self.most}"

    def parse(self, text: str) -> object:
        try:
            return int(text)
        except ValueError:
            return text

    def check(self, value: object) -> Value:
        if isinstance(value, int) and not isinstance(value, bool) and self.least <= value <= self.most:
            return value
        raise ValueError


class Real(Struct, frozen=True):
    least: float
    most: float

    @property
    def requirement(self) -> str:
        return f"a number from {self.least:g} to {self.most:g}"

    def parse(self, text: str) -> object:
        try:
            return float(text)
        except ValueError:
            return text

    def check(self, value: object) -> Value:
        if isinstance(value, int | float) and not isinstance(value, bool) and self.least <= value <= self.most:
            return float(value)
        raise ValueError


class OneOf(Struct, frozen=True):
    options: tuple[str, ...]

    @property
    def requirement(self) -> str:
        return "one of " + ", ".join(map(to_literal, self.options))

    def parse(self, text: str) -> object:
        return text

    def check(self, value: object) -> Value:
        if isinstance(value, str) and value in self.options:
            return value
        raise ValueError


class Text(Struct, frozen=True):
    shortest: int = 0

    @property
    def requirement(self) -> str:
        return "a string that is not empty" if self.shortest else "a string"

    def parse(self, text: str) -> object:
        return text

    def check(self, value: object) -> Value:
        if isinstance(value, str) and len(value) >= self.shortest:
            return value
        raise ValueError


class Name(Text, frozen=True):
    """A name: one line that any store can hold and any list can show."""

    @property
    def requirement(self) -> str:
        return f"a string of up to {LONGEST_NAME} printable characters"

    def check(self, value: object) -> Value:
        if isinstance(value, str) and value.isprintable() and len(value) <= LONGEST_NAME:
            return value
        raise ValueError


class ProjectName(Name, frozen=True):
    """A name that no user's own store has: see `store/personal.py`."""

    @property
    def requirement(self) -> str:
        return f"{super().requirement} and not begin with {RESERVED}"

    def check(self, value: object) -> Value:
        if isinstance(value, str) and is_reserved(value):
            raise ValueError
        return super().check(value)


def is_reserved(project_id: str) -> bool:
    """Whether only a user's own store may have this id."""
    return project_id.strip().casefold().startswith(RESERVED)


class Secret(Text, frozen=True):
    """A text that is never shown."""


class Url(Text, frozen=True):
    """Where a server is, by one of these schemes; shown without its password."""

    schemes: tuple[str, ...] = ()

    @property
    def requirement(self) -> str:
        return f"empty, or a URL that begins with {' or '.join(f'{scheme}://' for scheme in self.schemes)}"

    def check(self, value: object) -> Value:
        if isinstance(value, str) and (not value or value.partition("://")[0] in self.schemes):
            return value
        raise ValueError

    def mask(self, value: str) -> str:
        return _PASSWORD.sub(lambda found: f"{found[1] or found[2]}[password]", value)


class StringList(Struct, frozen=True):
    """A list of strings; `problem` describes the problem of one of them, or is empty."""

    things: str
    problem: Callable[[str], str]

    @property
    def requirement(self) -> str:
        return f"a list of {self.things}"

    def parse(self, text: str) -> object:
        """A JSON array, or items between commas: a glob may start with a bracket too."""
        import json  # as below

        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, list):
            return value
        return [item for part in text.split(",") if (item := part.strip())]

    def check(self, value: object) -> Value:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ValueError
        for item in value:
            if problem := self.problem(item):
                raise ValueError(f"{to_literal(item)}: {problem}")
        return tuple(value)


class UserTokens(StringList, frozen=True):
    """Secrets of users, each written as NAME=TOKEN; only the names are shown."""

    def check(self, value: object) -> Value:
        try:
            return super().check(value)
        except ValueError as error:
            raise ValueError(str(error).rpartition(": ")[2]) from None  # without the token

    def mask(self, value: Value) -> Value:
        return tuple(f"{one.partition('=')[0]}=[set]" for one in value) if isinstance(value, tuple) else value


class Pairs(StringList, frozen=True):
    """A list of `name=value`, which a file may also write as a table."""

    @staticmethod
    def rows(table: Mapping[str, object]) -> list[object]:
        """The list that a table stands for; a value that is no text is left for `check` to refuse."""
        return [f"{name}={value}" if isinstance(value, str) else value for name, value in table.items()]


class Tables(Struct, frozen=True):
    """A list of tables, as `[[architecture.rules]]` writes one; each is kept as JSON."""

    @property
    def requirement(self) -> str:
        return "a list of tables"

    def parse(self, text: str) -> object:
        import json  # as below

        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text

    def check(self, value: object) -> Value:
        import json  # as below

        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise ValueError
        return tuple(json.dumps(item, sort_keys=True, default=str) for item in value)


def to_literal(value: object) -> str:
    """The value as TOML and JSON write it."""
    import json  # few values are shown

    return json.dumps(value, ensure_ascii=False, default=str)


def _stays_inside(root: Path, path: str) -> bool:
    """Whether a path lies in the project, links resolved, and not among the files of git."""
    top = os.path.realpath(root)
    try:
        real = os.path.realpath(os.path.join(top, path))  # noqa: PTH118 - as the loader of every command
    except ValueError:
        return False
    parts = Path(os.path.relpath(real, top)).parts
    return real != top and parts[0] != os.pardir and ".git" not in map(str.lower, parts)


def _blank(text: str) -> str:
    return "" if text.strip() else "it is empty"


def _no_repository(text: str) -> str:
    return "" if _REPOSITORY.fullmatch(text) else "write a name (letters, digits, - _ .) and a folder: orders=../orders"


def _not_an_extension(text: str) -> str:
    return "" if _EXTENSION.fullmatch(text) else "an extension is a dot and a name"


def _no_user_token(text: str) -> str:
    name, _, token = text.partition("=")
    if not token.strip():
        return "a user is written as NAME=TOKEN"
    is_name = name.strip() == name and 0 < len(name) <= LONGEST_NAME and name.isprintable() and "/" not in name
    return "" if is_name else f"a name has up to {LONGEST_NAME} printable characters, and no slash"


def _not_a_regex(text: str) -> str:
    try:
        re.compile(text)
        if len(text) > MOST_REGEX:
            return f"it has more than {MOST_REGEX} characters"
        if slow := slow_part(text):
            return f"it may take very long: {slow}. Write a++ for a+, or (?>…) around a part"
    except (re.error, OverflowError, RecursionError) as error:
        return str(error)
    return _blank(text)  # an empty expression would match everywhere


STRINGS = StringList("strings", _blank)
EXTENSIONS = StringList("extensions such as .py", _not_an_extension)
REGEXES = StringList("regular expressions", _not_a_regex)
USER_TOKENS = UserTokens("users and their tokens, each as NAME=TOKEN", _no_user_token)
REPOSITORIES = Pairs("repositories as name=folder, or a table of them", _no_repository)
