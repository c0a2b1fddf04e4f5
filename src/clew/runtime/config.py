"""The configuration of one project, read once into a frozen value.

From the strongest source to the weakest: options of the command line, the environment, context.toml, tuned weights,
the user's own file, the defaults. `context_file` defines which parts of context.toml apply.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct

from clew.runtime import context_file, environment, ownership, paths, trust, tuned
from clew.runtime.keys import Given, Ignored, SettingKey, SettingsLayer, replace_at, walk
from clew.runtime.ownership import OwnFolder
from clew.runtime.settings import Config
from clew.runtime.values import Value, to_literal

DEFAULT = "default"
_MOST_NAMED = 6  # settings that one line names


class Resolved(Struct, frozen=True):
    """The configuration, and where each key's value comes from.

    `ignored` are the settings of the repository that are not in force because the user has not accepted them. `folder`
    is where Clew keeps its files.
    """

    config: Config
    origins: Mapping[str, str]
    warnings: tuple[str, ...]
    folder: OwnFolder
    ignored: tuple[Ignored, ...] = ()

    @property
    def notices(self) -> tuple[str, ...]:
        """Notices for every surface: ignored settings and an ignored index, in a line each."""
        return tuple(filter(None, (_ignored_line(self.ignored) if self.ignored else "", self.folder.notice)))


class ConfigEntry(Struct, frozen=True, omit_defaults=True):
    """One key as `clew config` shows it; secrets are masked. `ignored` is the value of an untrusted repository."""

    key: str
    value: Value
    origin: str
    about: str
    ignored: str = ""


def load(root: Path, environ: Mapping[str, str], options: SettingsLayer | None = None) -> Resolved:
    """Read the configuration of the project at `root`; ConfigError names the problem and its place."""
    repository = context_file.read(root, environ, _acceptance(root, environ))
    users = context_file.read_users(paths.user_configuration(environ), environ)
    strong = (repository, environment.read(environ), *filter(None, [options]))
    trusting = _value("storage.trust_index", (users, *strong))
    folder = ownership.own_folder(paths.worktree_home(root)[0], paths.user_data(environ), trusting=bool(trusting))
    layers = (users, tuned.read(folder.path), *strong)
    given: dict[str, Given] = {}
    for one in (one for layer in layers for one in layer.given):
        given[one.key.name] = _add_repository_list(given.get(one.key.name), one)
    config = Config()
    for name, one in given.items():
        config = replace_at(config, name.split("."), one.value)
    origins = {key.name: given[key.name].origin if key.name in given else DEFAULT for key, _ in walk(config)}
    warnings = tuple(warning for layer in layers for warning in layer.warnings)
    values = {key.name: value for key, value in walk(config)}
    ignored = tuple(one for one in repository.ignored if one.fits is None or values.get(one.key.name) != one.fits)
    return Resolved(config, MappingProxyType(origins), warnings, folder, ignored)


def _value(name: str, layers: Iterable[SettingsLayer]) -> Value | None:
    """The value from the strongest of some sources."""
    given = [one.value for layer in layers for one in layer.given if one.key.name == name]
    return given[-1] if given else None


def sources(root: Path, home: Path, folder: OwnFolder, environ: Mapping[str, str]) -> tuple[Path, ...]:
    """The files that the configuration depends on, whether or not they are there; `home` is the main worktree."""
    acceptances = trust.Acceptances(paths.user_data(environ))
    return (
        root / context_file.FILE_NAME,
        folder.path / tuned.FILE_NAME,
        folder.shipped / ownership.MARKER,
        paths.user_configuration(environ) / context_file.USER_FILE_NAME,
        *dict.fromkeys(acceptances.file(directory) for directory in (root, home)),
    )


def _acceptance(root: Path, environ: Mapping[str, str]) -> Callable[[tuple[Ignored, ...]], bool]:
    """For a linked worktree, acceptances of the main one count too."""

    def is_accepted(settings: tuple[Ignored, ...]) -> bool:
        directories = dict.fromkeys((root, paths.worktree_home(root)[0]))
        return trust.Acceptances(paths.user_data(environ)).is_accepted(directories, settings)

    return is_accepted


def _add_repository_list(known: Given | None, one: Given) -> Given:
    """A repository's list beside the user's own, where it must not take anything away from it."""
    inside = one.key.inside
    if known is None or known.origin != context_file.USER or inside is None or not inside.adds:
        return one
    if one.origin not in (context_file.FILE_NAME, context_file.TRUSTED):
        return one
    assert isinstance(known.value, tuple) and isinstance(one.value, tuple)
    return Given(one.key, tuple(dict.fromkeys((*known.value, *one.value))), one.origin)


def _ignored_line(ignored: tuple[Ignored, ...]) -> str:
    names = [one.key.name if one.key.name.isascii() and one.key.name.isprintable() else "a key" for one in ignored]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return (
        f"{context_file.FILE_NAME}: ignored, because the user has not accepted it: "
        f"{', '.join(names[:_MOST_NAMED])}{more}. The user can review and accept it with `clew trust`."
    )


def describe(resolved: Resolved) -> list[ConfigEntry]:
    """Every key in the order of declaration, with its value and its origin."""
    ignored = {one.key.name: one.display for one in resolved.ignored}
    return [
        ConfigEntry(key.name, key.mask(value), resolved.origins[key.name], key.about, ignored.get(key.name, ""))
        for key, value in walk(resolved.config)
    ]


def reference() -> str:
    """Every key as a Markdown table."""
    rows = [
        f"| `{key.name}` | {key.rule.requirement} | `{to_literal(default)}` "
        f"| `{key.variable}` | {_reach(key)} | {key.about} |"
        for key, default in walk(Config())
    ]
    head = ["| Key | Allowed | Default | Variable | From a repository | Meaning |", "|---|---|---|---|---|---|"]
    return "\n".join([*head, *rows, ""])


def _reach(key: SettingKey) -> str:
    """The values that a repository may set without being trusted."""
    if key.inside is None:
        return "if trusted"
    if key.inside.within_project:
        return "a path in the project; others if trusted"
    if key.inside.values:
        return f"{' or '.join(f'`{to_literal(value)}`' for value in key.inside.values)}; others if trusted"
    return "yes, added to the user's" if key.inside.adds else "yes"
