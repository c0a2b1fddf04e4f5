"""Reading context.toml and the user's config.toml: `${NAME}` from the environment, and errors that name the key.

The user's file is trusted. A repository's is data: of its settings, those count that only affect the inside of the
project, and the others only if the user has accepted exactly these values (`runtime/trust.py`).
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from clew.model.errors import ConfigError
from clew.runtime import fixed_settings
from clew.runtime.fixed_settings import FIXED
from clew.runtime.keys import KEYS, Given, Ignored, SettingKey, SettingsLayer, find, first_match, matches, suggestion
from clew.runtime.plain import open_plain
from clew.runtime.values import Pairs

FILE_NAME = "context.toml"
TRUSTED = f"{FILE_NAME}, trusted"
USER_FILE_NAME = "config.toml"
USER = "user configuration"
PREFIX = "context"

_REFERENCE = re.compile(
    r"(?P<literal>\$\$\{)"
    r"|\$\{(?:(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<fallback>(?:(?!\$\{)[^}])*))?\})?"
)


def read(root: Path, environ: Mapping[str, str], is_accepted: Callable[[tuple[Ignored, ...]], bool]) -> SettingsLayer:
    """The settings of the project's file; none if there is no file.

    `is_accepted` says whether the user trusts the settings that reach outside of the project.
    """
    file = _File(FILE_NAME, environ)
    if os.path.lexists(root / FILE_NAME) and not _is_inside(root):
        hint = "Replace the link by a file; ~/.config/clew/config.toml has settings for all of your projects."
        raise ConfigError(f"{FILE_NAME} is a link that leads out of the project", hint)
    leaves, warnings = file.leaves(root / FILE_NAME)
    outside = tuple(one for key, value in leaves if (one := _reaching_outside(file, key, value, root)))
    trusted = bool(outside) and is_accepted(outside)
    names = {one.key.name for one in outside}
    given = [
        file.read_key(key, value, TRUSTED if key.name in names else FILE_NAME)
        for key, value in leaves
        if trusted or key.name not in names
    ]
    return SettingsLayer(tuple(given), warnings, () if trusted else outside)


def reaching_outside(root: Path, environ: Mapping[str, str]) -> tuple[Ignored, ...]:
    """The settings of the project's file that need the user's trust."""
    return read(root, environ, lambda settings: False).ignored


def read_users(folder: Path, environ: Mapping[str, str]) -> SettingsLayer:
    """The settings of the user's own file, which all projects have."""
    file = _File(str(folder / USER_FILE_NAME), environ)
    leaves, warnings = file.leaves(folder / USER_FILE_NAME)
    return SettingsLayer(tuple(file.read_key(key, value, USER) for key, value in leaves), warnings)


class _File(Struct, frozen=True):
    """`name` is how messages name the file."""

    name: str
    environ: Mapping[str, str]

    def leaves(self, path: Path) -> tuple[list[tuple[SettingKey, object]], tuple[str, ...]]:
        """The settings as they are written, and warnings about those that nothing reads yet."""
        found: dict[str, tuple[SettingKey, object]] = {}
        warnings: list[str] = []
        for name, value in _leaves(_parse(_text(path, self.name), self.name)):
            if name in found:
                raise ConfigError(f"{self.name}: {name} is set twice", f"Keep one of [{PREFIX}.…] and […].")
            if key := find(name):
                found[name] = key, value
            elif pattern := first_match(name, FIXED):
                fixed_settings.check(pattern, name, value, self.name)
            elif value != {} or not matches(name, _TABLES):
                raise _unknown(name, self.name)
        return list(found.values()), tuple(warnings)

    def read_key(self, key: SettingKey, value: object, origin: str) -> Given:
        try:
            return key.accept(self.substitute(key, value), origin)
        except ConfigError as error:
            raise ConfigError(error.message.replace(origin, self.name, 1), error.hint) from None

    def substitute(self, key: SettingKey, value: object) -> object:
        if isinstance(value, list):
            return [self._expand(key, item) if isinstance(item, str) else item for item in value]
        if isinstance(value, str) and _REFERENCE.search(value):
            return key.rule.parse(self._expand(key, value))
        return value

    def _expand(self, key: SettingKey, text: str) -> str:
        return _REFERENCE.sub(lambda match: self._replacement(key, match), text)

    def _replacement(self, key: SettingKey, match: re.Match[str]) -> str:
        literal, name, fallback = match["literal"], match["name"], match["fallback"]
        if literal:
            return "${"
        if name is None:
            hint = "Write ${NAME} or ${NAME:-fallback}; for the characters themselves, $${."
            raise ConfigError(f"{self.name}: {key.name}: ${{ does not open a variable", hint)
        if fallback is not None:
            return self.environ.get(name) or fallback  # as in a shell, an empty variable counts as unset
        if name not in self.environ:
            hint = f"Set {name}, or write ${{{name}:-fallback}}."
            raise ConfigError(f"{self.name}: {key.name}: the variable {name} is not set", hint)
        return self.environ[name]


def _reaching_outside(file: _File, key: SettingKey, value: object, root: Path) -> Ignored | None:
    """A value that a repository may not set by itself; ConfigError if it could never be one of this key's."""
    if _names_a_variable(value):
        return Ignored(key, value)
    fits = file.read_key(key, value, FILE_NAME).value
    return None if key.is_inside(fits, root) else Ignored(key, value, fits)


def _names_a_variable(value: object) -> bool:
    """Whether the environment would be read, which an untrusted repository must not do."""
    texts = value if isinstance(value, list) else [value]
    return any(match["name"] for text in texts if isinstance(text, str) for match in _REFERENCE.finditer(text))


def _is_inside(root: Path) -> bool:
    """Whether the file is one of the project, links resolved: another is the user's, and may hold anything."""
    top = os.path.realpath(root).rstrip(os.sep)
    return os.path.realpath(root / FILE_NAME).startswith(f"{top}{os.sep}")


def _text(path: Path, name: str) -> str:
    try:
        with open_plain(path) as file:
            return file.read().decode("utf-8-sig")  # some editors write a byte order mark
    except FileNotFoundError:
        return ""
    except OSError as error:
        hint = f"Make {name} a file that this user may read, or remove it."
        raise ConfigError(f"{name} cannot be read: {error.strerror}", hint) from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{name}: line {line} is not UTF-8", f"Save {name} as UTF-8.") from error


def _parse(text: str, name: str) -> dict[str, Any]:
    if not text:
        return {}
    import tomllib  # most projects have no such file

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: the syntax, or a number too long to read
        hint = "Correct the line; strings are quoted, tables are [section], lists are [a, b]."
        raise ConfigError(f"{name}: {error}", hint) from error


def _leaves(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Dotted keys without C's prefix; an empty table counts as a value."""
    for name, value in table.items():
        path = f"{prefix}{name}"
        key = find(path.removeprefix(f"{PREFIX}.")) if isinstance(value, dict) else None
        if key is not None and isinstance(key.rule, Pairs):
            yield key.name, key.rule.rows(value)
        elif isinstance(value, dict) and value:
            yield from _leaves(value, f"{path}.")
        else:
            yield path.removeprefix(f"{PREFIX}."), value


def _unknown(name: str, file: str) -> ConfigError:
    parent, _, last = name.rpartition(".")
    if below := [key for key in KEYS if key.startswith(f"{parent}.") and key.endswith(f".{last}") and parent]:
        hint = f"Write, for example, [{below[0].rpartition('.')[0]}] and {last} below."
        return ConfigError(f"{file}: {name} is set for each part of {parent}", hint)
    if matches(name, _TABLES):
        return ConfigError(f"{file}: {name} is a section, not a key", f"Write [{name}] and its keys below.")
    hint = "Correct or remove the key; `clew config` lists every key."
    return ConfigError(f"{file}: unknown key {name!r}{suggestion(name, KEYS)}", hint)


def _parents(name: str) -> Iterator[str]:
    while name := name.rpartition(".")[0]:
        yield name


_TABLES = {PREFIX, *(parent for name in (*KEYS, *FIXED) for parent in _parents(name))}
