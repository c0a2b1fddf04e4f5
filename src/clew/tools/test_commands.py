"""Commands that run selected tests, by the conventions of each language's test runners."""

import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from clew.model.code import SCOPE, split_id, without_numbers

Runner = Literal[
    "",
    "pytest",
    "go",
    "cargo",
    "jest",
    "vitest",
    "mocha",
    "gradle",
    "maven",
    "rspec",
    "minitest",
    "phpunit",
    "dotnet",
    "xctest",
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
_MINITEST = re.compile(r"(?:_test\.rb|(?:^|/)test_[^/]*\.rb)$")
_OTHER_ENTRIES = ("Benchmark",)  # functions of Go that `-run` does not run


class _Manifest(NamedTuple):
    """A file that shows the runner of the tests below its folder; `text` must stand in it. `inner`: the command runs
    in the innermost such folder, otherwise in the outermost."""

    name: str
    runner: str
    text: str = ""
    inner: bool = False


# By a language's usual runner, the manifests that show which one a project has; the first that is there decides.
_MANIFESTS: dict[str, tuple[_Manifest, ...]] = {
    "jest": (
        _Manifest("package.json", "vitest", '"vitest'),
        _Manifest("package.json", "jest", '"jest'),
        _Manifest("package.json", "mocha", '"mocha'),
    ),
    "gradle": (
        _Manifest("pom.xml", "maven"),
        _Manifest("settings.gradle", "gradle"),
        _Manifest("settings.gradle.kts", "gradle"),
        _Manifest("build.gradle", "gradle"),
        _Manifest("build.gradle.kts", "gradle"),
    ),
    "go": (_Manifest("go.mod", "go", inner=True),),
    "cargo": (_Manifest("Cargo.toml", "cargo", "[workspace]"), _Manifest("Cargo.toml", "cargo", inner=True)),
    "rspec": (_Manifest("Gemfile", "rspec", inner=True),),
    "phpunit": (_Manifest("composer.json", "phpunit", inner=True),),
    "xctest": (_Manifest("Package.swift", "xctest", inner=True),),
}


class RunnerProject(NamedTuple):
    """How some tests are run, and the folder that their command runs in."""

    runner: str
    folder: str = ""


class RunnerProjects:
    """Finds the runner and the folder of a test by the manifests around it. `text_of` gives the text of a file of the
    project, None if there is none."""

    def __init__(self, text_of: Callable[[str], str | None]) -> None:
        self._text_of = text_of
        self._kept: dict[tuple[str, str], RunnerProject] = {}
        self._texts: dict[str, str | None] = {}

    def of(self, path: str, runner: str = "") -> RunnerProject:
        """With a `runner`, only the folder is looked for."""
        usual = runner_of(path)
        folder = path.rpartition("/")[0]
        key = folder, f"{usual} {runner}"
        if key not in self._kept:
            self._kept[key] = self._find(folder, usual, runner)
        found = self._kept[key]
        is_minitest = found.runner == "rspec" and not runner and _MINITEST.search(path)
        return found._replace(runner="minitest") if is_minitest else found

    def _find(self, folder: str, usual: str, runner: str) -> RunnerProject:
        for manifest in _MANIFESTS.get(usual, ()):
            if runner in ("", manifest.runner):
                outward = list(_outward(folder))
                for one in outward if manifest.inner else reversed(outward):
                    text = self._text(f"{one}/{manifest.name}" if one else manifest.name)
                    if text is not None and manifest.text in text:
                        return RunnerProject(manifest.runner, one)
        return RunnerProject(runner or usual)

    def _text(self, path: str) -> str | None:
        if path not in self._texts:
            self._texts[path] = self._text_of(path)
        return self._texts[path]


def runner_of(path: str) -> str:
    """The usual runner of a test file's language; empty if none is known."""
    return _BY_ENDING.get(path.rpartition(".")[2], "")


def commands(ids: Iterable[str], projects: RunnerProjects, runner: Runner = "") -> tuple[str, ...]:
    """Shell commands that run tests by their ids, from the root of the project; without a runner, by each test's
    own."""
    groups: dict[RunnerProject, list[str]] = defaultdict(list)
    for test in ids:
        project = projects.of(split_id(test)[0], runner)
        if project.runner:
            groups[project].append(without_numbers(test))
    return tuple(dict.fromkeys(one for project in sorted(groups) for one in _commands(project, groups[project])))


def _commands(project: RunnerProject, ids: Sequence[str]) -> Iterator[str]:
    inside = [test.removeprefix(f"{project.folder}/") for test in ids] if project.folder else ids
    for command in _COMMANDS[project.runner](inside):
        yield f"(cd {shlex.quote(project.folder)} && {command})" if project.folder else command


def _outward(folder: str) -> Iterator[str]:
    """A folder and those around it, the root last."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def addresses(ids: Sequence[str], runner: str = "") -> list[str]:
    """Tests as arguments for a configured command: as the runner addresses them; of an unknown one, as ids or files."""
    if not ids:
        return []
    plain = [without_numbers(test) for test in ids]
    if runner in ("", "pytest"):
        return list(dict.fromkeys(plain))
    if runner == "go":
        return _go_arguments(plain)
    if runner == "cargo":
        targets, names = _cargo_parts(plain)  # with both, one command can only run all
        return [] if targets and names else [*(word for one in targets for word in ("--test", one)), *_filters(names)]
    if runner in _BY_FILE:
        return sorted({split_id(test)[0] for test in plain})
    return shlex.split(_COMMANDS[runner](plain)[0])[_LEADING[runner] :]


def _pytest(ids: Sequence[str]) -> list[str]:
    return [shlex.join(["pytest", *dict.fromkeys(ids)])]


def _go(ids: Sequence[str]) -> list[str]:
    """One command for each package: names are unique in one only."""
    packages: dict[str, list[str]] = defaultdict(list)
    for test in ids:
        packages[split_id(test)[0].rpartition("/")[0]].append(test)
    return [shlex.join(["go", "test", *_go_arguments(some)]) for _, some in sorted(packages.items())]


def _go_arguments(ids: Sequence[str]) -> list[str]:
    """Packages, and the functions of them to run. Files, and methods of suites, have no names that `go test` knows: of
    their packages all is run."""
    packages = sorted({f"./{split_id(test)[0].rpartition('/')[0]}" for test in ids})
    names = sorted({split_id(test)[1] for test in ids})
    if any(not name or SCOPE in name for name in names):
        return packages
    timed = [name for name in names if name.startswith(_OTHER_ENTRIES)]
    tests = [name for name in names if name not in timed]
    return [*packages, "-run", f"^({'|'.join(tests)})$", *(("-bench", f"^({'|'.join(timed)})$") if timed else ())]


def _cargo(ids: Sequence[str]) -> list[str]:
    targets, names = _cargo_parts(ids)
    found = [["--test", target] for target in targets]
    return [
        shlex.join(["cargo", "test", "--workspace", *one]) for one in (*found, *([_filters(names)] if names else ()))
    ]


def _cargo_parts(ids: Sequence[str]) -> tuple[list[str], list[str]]:
    """Targets that are run as a whole, and parts of the names of other tests: of a file inside of the sources, its
    module; of the outermost one, every name."""
    names, targets = {scope for test in ids if (scope := split_id(test)[1])}, set()
    for path in (split_id(test)[0] for test in ids if not split_id(test)[1]):
        before, inside, after = f"/{path}".rpartition("/tests/")
        if inside and not before.endswith("/src"):
            targets.add(after.partition("/")[0].removesuffix(".rs"))
        else:
            stem = _stem(path)
            module = path.split("/")[-2] if stem == "mod" and "/" in path else stem
            names.add("" if module in ("lib", "main") else f"{module}::")
    return sorted(targets), sorted(names)


def _filters(names: Sequence[str]) -> list[str]:
    return ["--", *names] if names and "" not in names else []


def _files(*command: str) -> Callable[[Sequence[str]], list[str]]:
    """Runners that take files: their tests have no names outside of the running program."""
    return lambda ids: [shlex.join([*command, *sorted({split_id(test)[0] for test in ids})])]


def _gradle(ids: Sequence[str]) -> list[str]:
    named = sorted({_qualified_name(test) for test in ids})
    return [shlex.join(["gradle", "test", *(part for name in named for part in ("--tests", name))])]


def _maven(ids: Sequence[str]) -> list[str]:
    """Modules without any of these tests must not fail for that."""
    classes: dict[str, set[str]] = defaultdict(set)
    for test in ids:
        path, scope = split_id(test)
        holder, method = _class_and_method(scope.split(SCOPE) if scope else [_stem(path)])
        classes[holder].add(method)
    named = [name if "" in some else f"{name}#{'+'.join(sorted(some))}" for name, some in sorted(classes.items())]
    return [shlex.join(["mvn", "test", f"-Dtest={','.join(named)}", "-Dsurefire.failIfNoSpecifiedTests=false"])]


def _minitest(ids: Sequence[str]) -> list[str]:
    return [
        shlex.join(["bundle", "exec", "ruby", "-Itest", "-Ilib", path])
        for path in sorted({split_id(test)[0] for test in ids})
    ]


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
    "mocha": _files("npx", "mocha"),
    "gradle": _gradle,
    "maven": _maven,
    "rspec": _files("bundle", "exec", "rspec"),
    "minitest": _minitest,
    "phpunit": _phpunit,
    "dotnet": _dotnet,
    "xctest": _xctest,
}


# Runners by the names of their programs.
PROGRAMS = {
    **{name: name for name in _COMMANDS}, "py.test": "pytest", "mvn": "maven", "mvnw": "maven", "gradlew": "gradle",
    "gotestsum": "go", "swift": "xctest",
}  # fmt: skip
# The words of a runner's own command, before those that name tests.
_LEADING = {
    "gradle": 2, "maven": 2, "phpunit": 1, "dotnet": 2, "xctest": 2
}  # fmt: skip
_BY_FILE = frozenset({"jest", "vitest", "mocha", "rspec", "minitest"})


def _qualified_name(test: str) -> str:
    """The name of a JVM class or method, with its package where the folder shows it."""
    path, scope = split_id(test)
    package = _SOURCES.sub("", path.rpartition("/")[0] + "/").strip("/").replace("/", ".")
    holder, method = _class_and_method(scope.split(SCOPE) if scope else [_stem(path)])
    name = f"{holder}.{method}" if method else holder
    return f"{package}.{name}" if package and _SOURCES.match(f"{path.rpartition('/')[0]}/") else f"*{name}"


def _class_and_method(parts: Sequence[str]) -> tuple[str, str]:
    """A class of the JVM with those around it, and the method; by their letters, classes have large ones."""
    is_class = len(parts) == 1 or parts[-1][:1].isupper()
    return "$".join(parts if is_class else parts[:-1]), "" if is_class else parts[-1]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]
