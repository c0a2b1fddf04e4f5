"""Rules for the values of settings: each is data that parses a text, checks a value and describes the allowed ones."""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from clew.runtime.regexes import slow_part

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
