"""Commands that run selected tests, by the conventions of each language's test runners."""

import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from clew.model.code import SCOPE, split_id

Runner = Literal[
    "", "pytest", "go", "cargo", "jest", "vitest", "gradle", "maven", "rspec", "phpunit", "dotnet", "xctest"
]

_BY_ENDING = {
    "py": "pytest",
    "go": "go",
    "rs": "cargo",
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"), "jest"),
    **dict.fromkeys(("java", "kt", "scala", "groovy"), "gradle"),
    "rb": "rspec",
    "php": "phpunit",
    "cs": "dotnet",
    "swift": "xctest",
}
_SOURCES = re.compile(r"(?:^|.*/)(?:src/)?[\w-]*[tT]est[\w-]*/(?:java|kotlin|scala|groovy)/")


def runner_of(path: str) -> str:
    """The usual runner of a test file's language; empty if none is known."""
    return _BY_ENDING.get(path.rpartition(".")[2], "")


def commands(ids: Iterable[str], runner: Runner = "") -> tuple[str, ...]:
    """Shell commands that run tests by their ids; without a runner, each language's usual one."""
    groups: dict[str, list[str]] = defaultdict(list)
    for test in ids:
        found = runner or _BY_ENDING.get(split_id(test)[0].rpartition(".")[2], "")
        if found:
            groups[found].append(test)
    return tuple(command for name in sorted(groups) for command in _COMMANDS[name](groups[name]))


def addresses(ids: Sequence[str], runner: str = "") -> list[str]:
    """Tests as arguments for a configured command: as the runner addresses them; of an unknown one, as ids or files."""
    if not ids:
        return []
    if runner in ("", "pytest"):
        return [re.sub(r"#\d+", "", test) for test in ids]
    if runner == "go":
        return sorted({f"./{split_id(test)[0].rpartition('/')[0]}" for test in ids})
    words = [word for command in _COMMANDS[runner](ids) for word in shlex.split(command)]
    return words[_LEADING[runner] :]


def _pytest(ids: Sequence[str]) -> list[str]:
    return [shlex.join(["pytest", *(re.sub(r"#\d+", "", test) for test in ids)])]


def _go(ids: Sequence[str]) -> list[str]:
    packages: dict[str, set[str]] = defaultdict(set)
    for test in ids:
        path, scope = split_id(test)
        packages[path.rpartition("/")[0]].add(_last(scope) if scope else "")
    found = []
    for folder, names in sorted(packages.items()):
        only = [] if "" in names else ["-run", f"^({'|'.join(sorted(names))})$"]
        found.append(shlex.join(["go", "test", f"./{folder}", *only]))
    return found


def _cargo(ids: Sequence[str]) -> list[str]:
    named = sorted({scope for test in ids if (scope := split_id(test)[1])})
    whole = sorted({split_id(test)[0] for test in ids if not split_id(test)[1]})
    targets = [shlex.join(["cargo", "test", "--test", _stem(path)]) for path in whole if "tests/" in f"/{path}"]
    return [*targets, *([shlex.join(["cargo", "test", "--", *named])] if named else [])]


def _files(*command: str) -> Callable[[Sequence[str]], list[str]]:
    """Runners that take files: their tests have no names outside of the running program."""
    return lambda ids: [shlex.join([*command, *sorted({split_id(test)[0] for test in ids})])]


def _gradle(ids: Sequence[str]) -> list[str]:
    named = sorted({_qualified(test) for test in ids})
    return [shlex.join(["gradle", "test", *(part for name in named for part in ("--tests", name))])]


def _maven(ids: Sequence[str]) -> list[str]:
    classes: dict[str, set[str]] = defaultdict(set)
    for test in ids:
        path, scope = split_id(test)
        parts = scope.split(SCOPE) if scope else [_stem(path)]
        classes[parts[0]].add(_last(scope) if len(parts) > 1 else "")
    named = [name if "" in some else f"{name}#{'+'.join(sorted(some))}" for name, some in sorted(classes.items())]
    return [shlex.join(["mvn", "test", f"-Dtest={','.join(named)}"])]


def _phpunit(ids: Sequence[str]) -> list[str]:
    classes = sorted({_stem(split_id(test)[0]) for test in ids if not split_id(test)[1]})
    tests = sorted({"::".join(split_id(test)[1].split(SCOPE)[-2:]) for test in ids if split_id(test)[1]})
    return [shlex.join(["phpunit", "--filter", f"({'|'.join(map(re.escape, [*classes, *tests]))})"])]


def _dotnet(ids: Sequence[str]) -> list[str]:
    named = sorted({".".join(split_id(test)[1].split(SCOPE)[-2:]) or _stem(split_id(test)[0]) for test in ids})
    return [shlex.join(["dotnet", "test", "--filter", "|".join(f"FullyQualifiedName~{name}" for name in named)])]


def _xctest(ids: Sequence[str]) -> list[str]:
    named = sorted({"/".join(split_id(test)[1].split(SCOPE)[-2:]) or _stem(split_id(test)[0]) for test in ids})
    return [shlex.join(["swift", "test", *(part for name in named for part in ("--filter", name))])]


_COMMANDS: dict[str, Callable[[Sequence[str]], list[str]]] = {
    "pytest": _pytest,
    "go": _go,
    "cargo": _cargo,
    "jest": _files("npx", "jest"),
    "vitest": _files("npx", "vitest", "run"),
    "gradle": _gradle,
    "maven": _maven,
    "rspec": _files("bundle", "exec", "rspec"),
    "phpunit": _phpunit,
    "dotnet": _dotnet,
    "xctest": _xctest,
}


# Runners by the names of their programs.
PROGRAMS = {
    **{name: name for name in _COMMANDS}, "py.test": "pytest", "mvn": "maven", "mvnw": "maven", "gradlew": "gradle",
    "swift": "xctest",
}  # fmt: skip
# The words of a runner's own command, before those that name tests.
_LEADING = {
    "cargo": 2, "jest": 2, "vitest": 3, "gradle": 2, "maven": 2, "rspec": 3, "phpunit": 1, "dotnet": 2, "xctest": 2,
}  # fmt: skip


def _qualified(test: str) -> str:
    """The name of a JVM class or method, with its package where the folder shows it."""
    path, scope = split_id(test)
    package = _SOURCES.sub("", path.rpartition("/")[0] + "/").strip("/").replace("/", ".")
    name = (scope or _stem(path)).replace(SCOPE, ".")
    return f"{package}.{name}" if package and _SOURCES.match(f"{path.rpartition('/')[0]}/") else f"*{name}"


def _last(scope: str) -> str:
    return scope.rpartition(SCOPE)[2].partition("#")[0]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]
