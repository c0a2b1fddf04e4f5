"""The configuration of one project: the environment over context.toml over tuned weights over the defaults.

Read once.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct

from clew.runtime import context_file, environment, tuned
from clew.runtime.keys import replaced, walk
from clew.runtime.settings import Config
from clew.runtime.values import Value, shown

DEFAULT = "default"


class Resolved(Struct, frozen=True):
    """The configuration, and where each key's value comes from."""

    config: Config
    origins: Mapping[str, str]
    warnings: tuple[str, ...]


class Entry(Struct, frozen=True):
    """One key as `clew config` shows it; secrets are masked."""

    key: str
    value: Value
    origin: str
    about: str


def load(root: Path, environ: Mapping[str, str]) -> Resolved:
    """Read the configuration of the project at `root`; ConfigError names what is wrong and where."""
    layers = (tuned.read(root), context_file.read(root, environ), environment.read(environ))
    given = {one.key.name: one for layer in layers for one in layer.given}
    config = Config()
    for name, one in given.items():
        config = replaced(config, name.split("."), one.value)
    origins = {key.name: given[key.name].origin if key.name in given else DEFAULT for key, _ in walk(config)}
    warnings = tuple(warning for layer in layers for warning in layer.warnings)
    return Resolved(config, MappingProxyType(origins), warnings)


def describe(resolved: Resolved) -> list[Entry]:
    """Every key in the order of declaration, with its value and its origin."""
    return [
        Entry(key.name, key.masked(value), resolved.origins[key.name], key.about)
        for key, value in walk(resolved.config)
    ]


def reference() -> str:
    """Every key as a Markdown table."""
    rows = [
        f"| `{key.name}` | {key.rule.allowed} | `{shown(default)}` | `{key.variable}` | {key.about} |"
        for key, default in walk(Config())
    ]
    return "\n".join(["| Key | Allowed | Default | Variable | Meaning |", "|---|---|---|---|---|", *rows, ""])
