"""Go: what a query cannot tell."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_VERSION = re.compile(r"v\d+")
_VERSION_BEHIND = re.compile(r"\.v\d+$")
_OF_THE_LANGUAGE = re.compile(r"^go[-.]|[-.]go$")


def is_exported(node: "Node", name: str) -> bool:
    return name[:1].isupper()


def package_name(module: str) -> str:
    """What a package is most likely called: `gopkg.in/yaml.v3` is yaml, `github.com/mattn/go-isatty/v2` is isatty."""
    parts = module.split("/")
    last = parts[-2] if len(parts) > 1 and _VERSION.fullmatch(parts[-1]) else parts[-1]
    return _OF_THE_LANGUAGE.sub("", _VERSION_BEHIND.sub("", last)).replace("-", "_")
