"""The settings as flat keys: their dotted names, their environment variables, and the rule for their values."""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, get_type_hints

from msgspec import Struct

from clew.model.errors import ConfigError
from clew.runtime.settings import Chunking, ChunkRules, Config, PartRules, ProjectParts
from clew.runtime.values import Inside, Rule, Secret, Url, UserTokens, Value, to_literal

# Lower case only: [chunking.Python] would be a language that no file has.
_CHUNKING = re.compile(r"chunking\.[^.A-Z]+\.\w+")
_PARTS = re.compile(r"projects\.[\w-]+\.\w+")


class SettingKey(Struct, frozen=True):
    """`inside` names the values that a repository may set by itself; without it, none."""

    name: str
    rule: Rule
    about: str
    inside: Inside | None = None

    @property
    def variable(self) -> str:
        return variable(self.name)

    def mask(self, value: Value) -> Value:
        if isinstance(self.rule, Url):
            return self.rule.mask(str(value))
        if isinstance(self.rule, UserTokens):
            return self.rule.mask(value)
        return "[set]" if value and isinstance(self.rule, Secret) else value

    def is_inside(self, value: Value, root: Path) -> bool:
        """Whether this value affects nothing outside of the project at `root`."""
        return self.inside is not None and self.inside.admits(value, root)

    def accept(self, value: object, origin: str) -> "Given":
        """The value under this key, once its rule has accepted it."""
        try:
            return Given(self, self.rule.check(value), origin)
        except ValueError as error:
            what = "[hidden]" if isinstance(self.rule, Secret | Url | UserTokens) else to_literal(value)
            detail = f" ({error})" if str(error) else ""
            raise ConfigError(f"{origin}: {self.name} = {what}: must be {self.rule.requirement}{detail}") from None


class Given(Struct, frozen=True):
    """An accepted value, and where it was written."""

    key: SettingKey
    value: Value
    origin: str


class SettingsLayer(Struct, frozen=True):
    """All settings of one source. `ignored` are those of an untrusted repository: they apply nowhere."""

    given: tuple[Given, ...]
    warnings: tuple[str, ...]
    ignored: "tuple[Ignored, ...]" = ()


class Ignored(Struct, frozen=True):
    """A value of an untrusted repository, as it is written there; `fits` is the value, if no variable is in it."""

    key: SettingKey
    written: object
    fits: Value | None = None

    @property
    def display(self) -> str:
        """The value for a person to judge; secrets are hidden."""
        if isinstance(self.written, str | int | float | bool | tuple):
            return to_literal(self.key.mask(self.written))
        return to_literal(self.written)


def walk(section: object, prefix: str = "") -> Iterator[tuple[SettingKey, Value]]:
    """Every key under a section with its value, in the order of declaration."""
    if isinstance(section, Chunking | ProjectParts):
        for part, rules in section.items():
            yield from walk(rules, f"{prefix}{part}.")
        return
    for name, hint in get_type_hints(type(section), include_extras=True).items():
        value = getattr(section, name)
        if hasattr(hint, "__metadata__"):
            yield SettingKey(prefix + name, *hint.__metadata__), value
        else:
            yield from walk(value, f"{prefix}{name}.")


KEYS = {key.name: key for key, _ in walk(Config())}


def find(name: str) -> SettingKey | None:
    rules = ChunkRules() if _CHUNKING.fullmatch(name) else PartRules() if _PARTS.fullmatch(name) else None
    if rules is None:
        return KEYS.get(name)
    parent = name.rpartition(".")[0]
    return next((key for key, _ in walk(rules, f"{parent}.") if key.name == name), None)


def replace_at(section: Any, path: Sequence[str], value: Value) -> Any:
    """The section with the value at the path; all else as it was."""
    name, *rest = path
    if isinstance(section, Chunking):
        return section.with_rules(name, replace_at(section.of(name), rest, value))
    if isinstance(section, ProjectParts):
        return section.with_rules(name, replace_at(section.of(name), rest, value))
    inner = replace_at(getattr(section, name), rest, value) if rest else value
    given = {key: getattr(section, key) for key in get_type_hints(type(section))}
    return type(section)(**{**given, name: inner})


def variable(name: str) -> str:
    return f"CLEW_{name.replace('.', '_').upper()}"


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether the name fits a pattern; a star stays inside its part of the name."""
    return bool(first_match(name, patterns))


def first_match(name: str, patterns: Iterable[str]) -> str:
    """The first pattern that the name fits; empty if there is none."""
    depth = name.count(".")
    return next((one for one in patterns if depth == one.count(".") and fnmatchcase(name, one)), "")


def suggestion(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, known, n=2)
    return f"; did you mean {' or '.join(near)}?" if near else ""
