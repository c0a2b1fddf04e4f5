"""Reading context.toml: C's table prefix, `${NAME}` from the environment, and errors that name the key."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from clew.model.errors import ConfigError
from clew.runtime.keys import KEYS, NOT_YET, Given, Key, Layer, find, matches, suggestion
from clew.runtime.plain import open_plain

FILE_NAME = "context.toml"
PREFIX = "context"

_REFERENCE = re.compile(
    r"(?P<literal>\$\$\{)"
    r"|\$\{(?:(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<fallback>(?:(?!\$\{)[^}])*))?\})?"
)


def read(root: Path, environ: Mapping[str, str]) -> Layer:
    """What the project's file says; nothing if there is none."""
    given: dict[str, Given] = {}
    warnings: list[str] = []
    for name, value in _leaves(_parsed(_text(root / FILE_NAME))):
        if name in given:
            raise ConfigError(f"{FILE_NAME}: {name} is set twice", f"Keep one of [{PREFIX}.…] and […].")
        if key := find(name):
            given[name] = key.given(_substituted(key, value, environ), FILE_NAME)
        elif matches(name, NOT_YET):
            warnings.append(f"{FILE_NAME}: {name} has no effect in this version")
        elif value != {} or not matches(name, _TABLES):
            raise _unknown(name)
    return Layer(tuple(given.values()), tuple(warnings))


def _text(path: Path) -> str:
    try:
        with open_plain(path) as file:
            return file.read().decode("utf-8-sig")  # some editors write a byte order mark
    except FileNotFoundError:
        return ""
    except OSError as error:
        hint = f"Make {FILE_NAME} a file that this user may read, or remove it."
        raise ConfigError(f"{FILE_NAME} cannot be read: {error.strerror}", hint) from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{FILE_NAME}: line {line} is not UTF-8", f"Save {FILE_NAME} as UTF-8.") from error


def _parsed(text: str) -> dict[str, Any]:
    if not text:
        return {}
    import tomllib  # most projects have no such file

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: the syntax, or a number too long to read
        hint = "Correct the line; strings are quoted, tables are [section], lists are [a, b]."
        raise ConfigError(f"{FILE_NAME}: {error}", hint) from error


def _leaves(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Dotted keys without C's prefix; an empty table counts as a value."""
    for name, value in table.items():
        path = f"{prefix}{name}"
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{path}.")
        else:
            yield path.removeprefix(f"{PREFIX}."), value


def _substituted(key: Key, value: object, environ: Mapping[str, str]) -> object:
    if isinstance(value, list):
        return [_expanded(key, item, environ) if isinstance(item, str) else item for item in value]
    if isinstance(value, str) and _REFERENCE.search(value):
        return key.rule.parse(_expanded(key, value, environ))
    return value


def _expanded(key: Key, text: str, environ: Mapping[str, str]) -> str:
    return _REFERENCE.sub(lambda match: _replacement(key, match, environ), text)


def _replacement(key: Key, match: re.Match[str], environ: Mapping[str, str]) -> str:
    literal, name, fallback = match["literal"], match["name"], match["fallback"]
    if literal:
        return "${"
    if name is None:
        hint = "Write ${NAME} or ${NAME:-fallback}; for the characters themselves, $${."
        raise ConfigError(f"{FILE_NAME}: {key.name}: ${{ does not open a variable", hint)
    if fallback is not None:
        return environ.get(name) or fallback  # as in a shell, an empty variable counts as unset
    if name not in environ:
        hint = f"Set {name}, or write ${{{name}:-fallback}}."
        raise ConfigError(f"{FILE_NAME}: {key.name}: the variable {name} is not set", hint)
    return environ[name]


def _unknown(name: str) -> ConfigError:
    parent, _, last = name.rpartition(".")
    if below := [key for key in KEYS if key.startswith(f"{parent}.") and key.endswith(f".{last}") and parent]:
        hint = f"Write, for example, [{below[0].rpartition('.')[0]}] and {last} below."
        return ConfigError(f"{FILE_NAME}: {name} is told for each part of {parent} by itself", hint)
    if matches(name, _TABLES):
        return ConfigError(f"{FILE_NAME}: {name} is a section, not a key", f"Write [{name}] and its keys below.")
    hint = "Correct or remove the key; `clew config` lists every key."
    return ConfigError(f"{FILE_NAME}: unknown key {name!r}{suggestion(name, KEYS)}", hint)


def _parents(name: str) -> Iterator[str]:
    while name := name.rpartition(".")[0]:
        yield name


_TABLES = {PREFIX, *(parent for name in (*KEYS, *NOT_YET) for parent in _parents(name))}
