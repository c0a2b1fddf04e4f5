"""Files that configure others: what of them is needed to tell which files a module's name stands for."""

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

Said = dict[str, str]

_COMMENT = re.compile(r"//.*")
_MODULE = re.compile(r'^\s*module\s+"?([^\s"]+)', re.MULTILINE)
_REPLACE = re.compile(r'^\s*(?:replace\s+)?"?([^\s"(]+)"?(?:\s+v\S+)?\s+=>\s+"?(\.{0,2}/[^\s"]*|\.{1,2})', re.MULTILINE)


def settings_of(path: str, text: str) -> Said:
    reader = SETTINGS_FILES.get(PurePosixPath(path).name)
    return reader(text) if reader else {}


def _go_mod(text: str) -> Said:
    """The `module`, and under `replace …` the folder that stands for another."""
    text = _COMMENT.sub("", text)
    module = _MODULE.search(text)
    said = {"module": module[1]} if module else {}
    return said | {f"replace {found[1]}": found[2] for found in _REPLACE.finditer(text)}


def _cargo(text: str) -> Said:
    """The `package`, its `lib` and `bins` (their files, one a line), and under `crate …` a dependency's own name."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}
    lib, binaries = _table(data, "lib"), data.get("bin")
    paths = [one.get("path") for one in binaries if isinstance(one, dict)] if isinstance(binaries, list) else []
    said = {
        "package": _table(data, "package").get("name"),
        "lib": lib.get("name"),
        "lib path": lib.get("path"),
        "bins": "\n".join(path for path in paths if isinstance(path, str)),
    }
    for name, wanted in _dependencies(data):
        said[f"crate {name}"] = wanted.get("package")
    return {key: value for key, value in said.items() if isinstance(value, str) and value}


def _dependencies(data: Mapping[str, object]) -> list[tuple[str, dict[str, object]]]:
    kinds = ("dependencies", "dev-dependencies", "build-dependencies")
    tables = [_table(data, kind) for kind in kinds] + [_table(_table(data, "workspace"), "dependencies")]
    return [(name, wanted) for table in tables for name, wanted in table.items() if isinstance(wanted, dict)]


def _table(data: Mapping[str, object], key: str) -> dict[str, object]:
    value = data.get(key)
    return value if isinstance(value, dict) else {}


# By file name: what the text says, as words.
SETTINGS_FILES: Mapping[str, Callable[[str], Said]] = {
    "go.mod": _go_mod,
    "Cargo.toml": _cargo,
}
