"""Files that configure how others are found: from their text to a flat table of strings. They never fail."""

import json
import re
from collections.abc import Callable, Iterator

_VARIANT = re.compile(r"^(tsconfig|jsconfig)\.[\w.-]+\.json$")  # `tsconfig.base.json`
_STRING_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_STRING_OR_LAST_COMMA = re.compile(r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])')


def settings_of(path: str, text: str) -> dict[str, str]:
    """What a file says that others are found by; nothing, for most."""
    name = _VARIANT.sub(r"\1.json", path.rpartition("/")[2])
    reader = READERS.get(name)
    return reader(text) if reader else {}


def _tsconfig(text: str) -> dict[str, str]:
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


def _package(text: str) -> dict[str, str]:
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


def _lines(value: object) -> str:
    return "\n".join(_strings(value))


def _strings(value: object) -> Iterator[str]:
    """All the strings in it, whatever the condition that each of them is for."""
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
    text = _STRING_OR_COMMENT.sub(lambda found: found[0] if found[0].startswith('"') else " ", text)
    text = _STRING_OR_LAST_COMMA.sub(lambda found: found[0] if found[0].startswith('"') else "", text)
    try:
        value = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


# By file name: what turns its text into settings.
READERS: dict[str, Callable[[str], dict[str, str]]] = {
    "tsconfig.json": _tsconfig,
    "jsconfig.json": _tsconfig,
    "package.json": _package,
}
