"""Go: method signatures in one notation, so that methods of different files and packages can be compared.

Parameter and result names are dropped, a type is named with its package (`pay.Card`, also inside of `pay`), and a type
parameter is `$`. Packages count by their names: two packages of one name are not told apart.
"""

import re
from collections.abc import Iterable, Mapping, Set
from typing import NamedTuple

from clew.index.syntax.chains import closing_bracket
from clew.index.syntax.units import OutlineUnit
from clew.languages.go.expressions import package_name, parts_of, results_of
from clew.model.code import Import
from clew.model.words import Kind

WILD = "$"  # a type parameter
LONGEST = 600  # characters of a signature that is kept

_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_TOKEN = re.compile(r"func\s*\(|[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)?|<-|\.\.\.|\S")
_PREDECLARED = frozenset(
    "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint"
    " uint8 uint16 uint32 uint64 uintptr chan func interface map struct".split()
)
_ALIASES = {"byte": "uint8", "rune": "int32"}
_TYPE_PARAMETERS = re.compile(r"\[([^\[\]]*)\]")


class _File(NamedTuple):
    package: str
    imported: Mapping[str, str]  # by the local name of an import, the likely name of its package
    generic: Set[str] = frozenset()  # the type parameters that are in scope


def method_signatures(
    units: Iterable[OutlineUnit], package: str, imports: Iterable[Import], source: bytes
) -> dict[str, str]:
    """The signature of each method, also of those that an interface declares, by its scope."""
    renamed = {alias: package_name(one.module) for one in imports if not one.names for alias in one.aliases}
    file, found = _File(package, renamed), dict[str, str]()
    for unit in units:
        one = unit.definition
        if one.kind is Kind.METHOD:
            written = source[one.named : one.head[1]].decode("utf-8", "replace").removeprefix(one.name)
            inside = file._replace(generic=_type_parameters(unit, source))
            if (signature := _signature(_COMMENT.sub(" ", written), inside)) and len(signature) <= LONGEST:
                found[unit.scope] = signature
    return found


def are_compatible(one: str, other: str) -> bool:
    """Whether a method with one signature can stand for the other; a type parameter is compatible with every type."""
    if one == other or WILD not in one + other:
        return one == other
    sides = zip(one.split(">"), other.split(">"), strict=True)
    return all(_fit(few.split(";"), others.split(";")) for few, others in sides)


def _fit(types: list[str], others: list[str]) -> bool:
    return len(types) == len(others) and all(a == b or WILD in a + b for a, b in zip(types, others, strict=True))


def _type_parameters(unit: OutlineUnit, source: bytes) -> frozenset[str]:
    """Of a method's receiver, or of the interface around it."""
    one, parent = unit.definition, unit.parent
    if one.receiver or parent is None:
        head = source[one.start : one.named].decode("utf-8", "replace")
        found = _TYPE_PARAMETERS.search(head, head.rfind("func"))
        return frozenset(part.strip() for part in found[1].split(",")) if found else frozenset()
    name = parent.definition
    head = source[name.named : name.end].decode("utf-8", "replace").removeprefix(name.name)
    if not head.startswith("[") or (end := closing_bracket(head, 0)) < 0:
        return frozenset()
    return frozenset(part.split()[0] for part in parts_of(head[1:end]) if part)


def _signature(written: str, file: _File) -> str:
    written = written.lstrip()
    if not written.startswith("(") or (end := closing_bracket(written, 0)) < 0:
        return ""
    given = _list(written[: end + 1], file)
    results = written[end + 1 :].strip()
    if results.startswith("("):
        end = closing_bracket(results, 0)
        return f"{given}>{_list(results[: end + 1], file)}" if end > 0 else ""
    return f"{given}>{_type(results.partition(chr(10))[0], file)}"


def _list(written: str, file: _File) -> str:
    return ";".join(_type(one, file) for one in results_of(written))


def _type(written: str, file: _File) -> str:
    found: list[str] = []
    at = 0
    while token := _TOKEN.search(written, at):
        text, at = token[0], token.end()
        if text.startswith("func") and text.endswith("("):
            end = closing_bracket(written, at - 1)
            if end < 0:
                return ""
            found.append(f"func({_list(written[at - 1 : end + 1], file).replace(';', ',')})")
            rest = written[end + 1 :].lstrip()
            if rest.startswith("(") and (last := closing_bracket(rest, 0)) > 0:
                found.append(f"({_list(rest[: last + 1], file).replace(';', ',')})")
                rest = rest[last + 1 :]
            written, at = rest, 0
        else:
            found.append(_full_type(text, file) if text[0].isalpha() or text[0] == "_" else text.replace(";", ","))
    return "".join(found).replace("interface{}", "any")


def _full_type(text: str, file: _File) -> str:
    package, dot, name = (part.strip() for part in text.partition("."))
    if dot:
        return f"{file.imported.get(package, package)}.{name}"
    if text in file.generic:
        return WILD
    return _ALIASES.get(text, text) if text in _PREDECLARED else f"{file.package}.{text}"
