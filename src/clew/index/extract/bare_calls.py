"""Names that stand alone, and call a method of the same file that takes nothing: `size`, in Scala."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from clew.index.extract.scope_map import FUNCTIONS
from clew.index.languages.language import Language
from clew.index.syntax.lines import LineIndex
from clew.index.syntax.parse import Callsite, Outline
from clew.index.syntax.sites import is_read
from clew.index.syntax.units import OutlineUnit

if TYPE_CHECKING:
    from tree_sitter import Node

# What follows the name of a method that is called without brackets: types, and at most what is passed unseen.
_TAKES_NOTHING = re.compile(rb"\s*(?:\[[^\n]*?\])?\s*(?:[:={\n]|$|\(\s*(?:implicit|using)\s)")
_NAMING = frozenset(  # nodes in which a name is no expression
    "function_definition function_declaration class_definition object_definition trait_definition parameter binding "
    "class_parameter import_declaration namespace_selectors arrow_renamed_identifier type_definition annotation "
    "case_class_pattern tuple_pattern typed_pattern alternative_pattern stable_identifier package_identifier "
    "identifiers type_parameters self_type capture_pattern val_declaration var_declaration".split()
)
_NAMED = {
    "val_definition": "pattern",
    "var_definition": "pattern",
    "field_expression": "field",
    "infix_expression": "operator",
    "case_clause": "pattern",
    "interpolated_string_expression": "interpolator",
}


def bare_reads(language: Language, units: list[OutlineUnit], outline: Outline, source: bytes) -> Iterator[Callsite]:
    """In a language that has such names, which only the file itself can tell from values."""
    root = outline.root
    if not language.companions or root is None:
        return
    names = {unit.definition.name.encode() for unit in units if _takes_nothing(unit, source)}
    if not names:
        return
    lines = LineIndex(source)
    for found in re.finditer(rb"(?<![\w.])(?:%b)(?![\w$])" % b"|".join(map(re.escape, sorted(names))), source):
        node = root.descendant_for_byte_range(found.start(), found.end())
        if node is not None and node.type == "identifier" and _is_expression(node):
            yield Callsite(found.start(), lines.at(found.start()), found.group().decode(), reads=True)


def _takes_nothing(unit: OutlineUnit, source: bytes) -> bool:
    one = unit.definition
    after = one.named + len(one.name.encode())
    return one.kind in FUNCTIONS and one.name.isidentifier() and _TAKES_NOTHING.match(source, after) is not None


def _is_expression(node: "Node") -> bool:
    around = node.parent
    if around is None or not is_read(node):
        return False
    named = _NAMED.get(around.type)
    if named is not None:
        return around.child_by_field_name(named) != node
    if around.type in ("function_definition", "function_declaration"):
        return around.child_by_field_name("body") == node
    return around.type not in _NAMING
