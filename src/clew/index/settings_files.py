"""Configuration files that affect module lookup: `tsconfig.json`, `go.mod` and the like."""

import json
import re
from collections.abc import Callable, Iterator, Mapping

Said = dict[str, str]

_VARIANT = re.compile(r"^(tsconfig|jsconfig)\.[\w.-]+\.json$")  # `tsconfig.base.json`
# Compiled by whoever needs them, which most runs do not.
_STRING_OR_COMMENT = r'(?s)"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/'
_STRING_OR_LAST_COMMA = r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])'
_COMMENT = r"//.*"
_STRING_OR_BRACKET = r'(?s)"(?:\\.|[^"\\])*"|[^"()\[\]{}]+|.'
_TARGET = r'\.\w*[tT]arget\s*\(\s*name\s*:\s*"([^"]+)"'  # also `.testTarget`
_PATH = r'\bpath\s*:\s*"([^"]*)"'
_MODULE = r'(?m)^\s*module\s+"?([^\s"]+)'
_REPLACE = r'(?m)^\s*(?:replace\s+)?"?([^\s"(]+)"?(?:\s+v\S+)?\s+=>\s+"?(\.{0,2}/[^\s"]*|\.{1,2})'


def settings_of(path: str, text: str) -> Said:
    """The lookup settings of a file; empty, for most. It never fails."""
    reader = reader_of(path)
    return reader(text) if reader else {}


def reader_of(path: str) -> Callable[[str], Said] | None:
    """The reader of a file of this name, if it has one."""
    name = path.rpartition("/")[2]
    return SETTINGS_FILES.get(_VARIANT.sub(r"\1.json", name) if name.endswith(".json") else name)


def _go_mod(text: str) -> Said:
    """The `module`, and under `replace …` the folder that stands for another."""
    text = re.sub(_COMMENT, "", text)
    module = re.search(_MODULE, text)
    said = {"module": module[1]} if module else {}
    return said | {f"replace {found[1]}": found[2] for found in re.finditer(_REPLACE, text)}


def _cargo(text: str) -> Said:
    """The `package`, its `lib`, `bins` and `tests` (files, one a line; of tests, if no others are crates), and under
    `crate …` a dependency's own name.
    """
    import tomllib  # few files need it

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}
    lib, package = _table(data, "lib"), _table(data, "package")
    said = {
        "package": package.get("name"),
        "lib": lib.get("name"),
        "lib path": lib.get("path"),
        "bins": "\n".join(_paths(data, "bin")),
        "tests": "" if package.get("autotests", True) else "\n".join(_paths(data, "test")),
    }
    for name, wanted in _dependencies(data):
        said[f"crate {name}"] = wanted.get("package")
    return {key: value for key, value in said.items() if isinstance(value, str) and value}


def _paths(data: Mapping[str, object], kind: str) -> list[str]:
    targets = data.get(kind)
    paths = [one.get("path") for one in targets if isinstance(one, dict)] if isinstance(targets, list) else []
    return [path for path in paths if isinstance(path, str)]


def _dependencies(data: Mapping[str, object]) -> list[tuple[str, dict[str, object]]]:
    kinds = ("dependencies", "dev-dependencies", "build-dependencies")
    tables = [_table(data, kind) for kind in kinds] + [_table(_table(data, "workspace"), "dependencies")]
    return [(name, wanted) for table in tables for name, wanted in table.items() if isinstance(wanted, dict)]


def _table(data: Mapping[str, object], key: str) -> dict[str, object]:
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def _tsconfig(text: str) -> Said:
    """`extends`, `baseUrl`, and `paths <pattern>` with a line for each place."""
    config = _json(text)
    options = config.get("compilerOptions")
    options = options if isinstance(options, dict) else {}
    found = {
        "extends": _lines(config.get("extends")),
        "baseUrl": _lines(options.get("baseUrl")),
    }
    paths = options.get("paths")
    for pattern, places in paths.items() if isinstance(paths, dict) else ():
        found[f"paths {pattern}"] = _lines(places)
    return {key: value for key, value in found.items() if value}


def _package(text: str) -> Said:
    """`name`, the fields that name its entry, and `exports <path>` and `imports <name>` with a line for each target."""
    config = _json(text)
    found = {key: _lines(config.get(key)) for key in ("name", "source", "types", "typings", "module", "main")}
    exports = config.get("exports")
    by_path = isinstance(exports, dict) and any(key.startswith(".") for key in exports)
    for path, target in exports.items() if isinstance(exports, dict) and by_path else ((".", exports),):
        found[f"exports {path}"] = _lines(target)
    imports = config.get("imports")
    for name, target in imports.items() if isinstance(imports, dict) else ():
        found[f"imports {name}"] = _lines(target)
    return {key: value for key, value in found.items() if value}


def _swift_package(text: str) -> Said:
    """Under `target …` the folder of each target that says where it lies."""
    text = re.sub(_STRING_OR_COMMENT, lambda found: found[0] if found[0].startswith('"') else " ", text)
    found = ((one[1], re.search(_PATH, _outermost(text, one.start(1)))) for one in re.finditer(_TARGET, text))
    return {f"target {name}": path[1] for name, path in found if path}


def _outermost(text: str, start: int) -> str:
    """The text up to the closing bracket, without nested brackets."""
    depth, kept = 0, []
    for found in re.finditer(_STRING_OR_BRACKET, text[start - 1 :]):
        depth += (found[0] in "([{") - (found[0] in ")]}")
        if depth < 0:
            break
        kept += [found[0]] if not depth else []
    return "".join(kept)


def _lines(value: object) -> str:
    return "\n".join(_strings(value))


def _strings(value: object) -> Iterator[str]:
    """All strings in it, regardless of their conditions."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _json(text: str) -> dict[str, object]:
    """JSON, with comments and with commas after the last of a list, as these files are written."""
    text = re.sub(_STRING_OR_COMMENT, lambda found: found[0] if found[0].startswith('"') else " ", text)
    text = re.sub(_STRING_OR_LAST_COMMA, lambda found: found[0] if found[0].startswith('"') else "", text)
    try:
        value = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


# By file name: what the text says, as words.
SETTINGS_FILES: Mapping[str, Callable[[str], Said]] = {
    "go.mod": _go_mod,
    "Cargo.toml": _cargo,
    "tsconfig.json": _tsconfig,
    "jsconfig.json": _tsconfig,
    "package.json": _package,
    "Package.swift": _swift_package,
}
