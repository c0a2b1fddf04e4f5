"""Dockerfiles: by the grammar; references to another stage of the file are no imports."""

import re

from clew.index.syntax.parse import Outline, by_query
from clew.languages.profile import Language
from clew.model.words import Kind

_ALIAS = re.compile(rb"\sas\s+(\S+)\s*$", re.IGNORECASE)
_IMAGE = re.compile(r"(?!\d+$)[^\s$]+")  # neither the number of a stage nor made up of variables


def outline(language: Language, source: bytes) -> Outline:
    found = by_query(language, source)
    stages = [source[slice(*one.head)] for one in found.definitions if one.kind is Kind.SECTION]
    aliases = filter(None, map(_ALIAS.search, stages))
    inside = {"scratch", *(alias[1].decode("utf-8", "replace").lower() for alias in aliases)}
    named = [(at, one._replace(module=one.module.removeprefix("--from="))) for at, one in found.imports]
    found.imports = [
        (at, one) for at, one in named if one.module.lower() not in inside and _IMAGE.fullmatch(one.module)
    ]
    return found
