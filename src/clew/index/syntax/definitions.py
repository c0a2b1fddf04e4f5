"""Definitions from a query's captures: their names, extents and visibility."""

import re
from typing import TYPE_CHECKING, NamedTuple

from clew.index.syntax.definition import Definition, extend_sections
from clew.index.syntax.ranges import LineIndex, Range, begins_line
from clew.index.syntax.types import type_name
from clew.languages.profile import Language
from clew.model.code import SCOPE
from clew.model.words import Kind

if TYPE_CHECKING:
    from tree_sitter import Node


# Names in C declarators: `*names[3]` is names, `Card<T>::at(int i)` is Card::at.

_ARGUMENTS = r"(?:\s*<[^<>]*(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>[^<>]*)*>)?"
_OPERATOR = r"operator(?:\s*\(\s*\)|\s*\[\s*\]|\s*\"\"\s*\w+|\s*[^\s\w(\[]+|\s+[^(]+)"
_PART = rf"(?:{_OPERATOR}|~?\s*[^\W\d]\w*{_ARGUMENTS})"
_NAME = re.compile(
    r"(?:[\s*&^(]|\.\.\.|::|\b(?:const|volatile|restrict|__\w+(?=[\s*&]+\w)|_Nonnull|_Nullable)\b)*"
    rf"(?P<name>{_PART}(?:\s*(?:::|\.)\s*(?:template\s+)?{_PART})*)"
)
_IN_PATH = re.compile(rf"{_OPERATOR}|~?[^\W\d]\w*|{_ARGUMENTS[3:-2]}")


class Declarator(NamedTuple):
    """The path of the declared name, and whether it takes parameters."""

    path: tuple[str, ...]
    takes: bool

    @property
    def name(self) -> str:
        return self.path[-1] if self.path else ""


def parse_declarator(text: str) -> Declarator:
    if text.isidentifier():
        return Declarator((text,), takes=False)
    found = _NAME.match(text)
    if found is None:
        return Declarator((), takes=False)
    parts = [" ".join(part.split()) for part in _IN_PATH.findall(found["name"]) if not part.lstrip().startswith("<")]
    return Declarator(tuple(part for part in parts if part != "template"), text[found.end() :].lstrip()[:1] == "(")


LONGEST_NAME = 120
_LIBRARIES = frozenset({"std", "core", "alloc"})  # of Rust's own
_COMPANION = "Companion"
NAMING_WORDS = 4  # of a statement that has no name

# In order of preference, where two patterns see the same definition.
KINDS = {
    "class": Kind.CLASS,
    "interface": Kind.INTERFACE,
    "method": Kind.METHOD,
    "function": Kind.FUNCTION,
    "section": Kind.SECTION,
    "heading": Kind.SECTION,
    "block": Kind.BLOCK,
    "fence": Kind.BLOCK,
    "statement": Kind.STATEMENT,
    "impl": Kind.BLOCK,
    "namespace": Kind.BLOCK,
    "variable": Kind.VARIABLE,
    "object": Kind.VARIABLE,
    "entry": Kind.VARIABLE,
}
NAMES = ("name", "name.after", "name.whole")
RANK = {kind: rank for rank, kind in enumerate(dict.fromkeys(KINDS.values()))}

_SECTIONS = frozenset({"section", "document"})  # around a heading that no quote and no list holds
_DECLARATOR = "variable_declarator"
_MACROS = re.compile(rb"[ \t]*((?:[A-Za-z_]\w*(?:\([^()\n]*\))?[ \t]+)+)")
_PARAMETERS = frozenset({"type_parameters", "type_constraints", "type_parameter_list"})
_CONSTRAINTS = "type_parameter_constraints_clause"  # `where T : Card`
_NO_BOUNDS = frozenset({"class", "struct", "new()", "notnull", "unmanaged"})
_BODY = "body_statement"  # of Ruby: without the comments that stand above the first thing in it
_FIRST_PARTS = 4  # of a statement, comments among them, where a second declarator is looked for
_ALL_SIGNATURE = (Kind.CLASS, Kind.METHOD, Kind.FUNCTION)  # where there is no body
_CALLED = (Kind.METHOD, Kind.FUNCTION)
_INSIDE_CLASSES = frozenset({_BODY, "call", "argument_list"})  # of Ruby, around a method: `private def make`


class _DefinitionName(NamedTuple):
    """The name of a definition, its owner, and the owner of its contents."""

    name: str
    receiver: str = ""
    into: str = ""


def merge_clauses(definitions: list[Definition]) -> list[Definition]:
    """Functions of one name that follow each other are one; `definitions` are in the order of the source."""
    found: list[Definition] = []
    before: Definition | None = None  # the one that ended last
    around: list[Definition] = []
    for one in definitions:
        while around and around[-1].end <= one.start:
            before = around.pop()
        if before is not None and before.kind is one.kind is not Kind.CLASS and before.name == one.name:
            before.end, before.last = one.end, one.last
            around.append(before)
            continue
        found.append(one)
        around.append(one)
    return found


class Definitions:
    """Those of one file. Two patterns may see the same one, and one statement may define two: each has its name."""

    def __init__(self, language: Language, source: bytes, lines: LineIndex) -> None:
        self._language = language
        self._source = source
        self._lines = lines
        self._found: dict[Range, tuple[tuple[int, int], Definition]] = {}

    def add(self, captures: "dict[str, list[Node]]") -> None:
        """Add a match; of two matches of one definition, the one with more captures wins, or the preferred kind."""
        capture = next((capture for capture in KINDS if capture in captures), None)
        if capture is None:
            return
        name = next((captures[name][0] for name in NAMES if name in captures), None)
        definition = self._definition(capture, name, captures)
        if definition is None:
            return
        place = name.start_byte if name else definition.start, definition.end
        order = -len(captures), RANK[definition.kind]
        known = self._found.get(place)
        if known is None or order < known[0]:
            self._found[place] = order, definition

    def in_source_order(self) -> list[Definition]:
        definitions = [definition for _, definition in self._found.values()]
        sections = [definition for definition in definitions if definition.kind is Kind.SECTION and definition.level]
        extend_sections(sorted(sections, key=lambda d: (d.start, d.level)), self._lines, len(self._source))
        found = in_order(definitions)
        return merge_clauses(found) if self._language.merges_clauses else found

    def _definition(
        self, capture: str, name_node: "Node | None", captures: "dict[str, list[Node]]"
    ) -> Definition | None:
        language, source, kind, node = self._language, self._source, KINDS[capture], captures[capture][0]
        written = _written_name(language, name_node, source) if name_node else _name_of_statement(capture, node, source)
        called = self._definition_name(capture, written, node, captures)
        if called is None:
            return None
        outer, exported = _with_wrappers(language, node)
        is_shared = _is_one_of_several(language, node)
        opening, doc = leading_doc(language, node if is_shared and not _is_first(node) else outer, source)
        if about := captures.get("about"):
            doc = about[0].start_byte, about[0].end_byte
        end = node.end_byte if is_shared else outer.end_byte
        if "body" in captures:  # which may stand behind the rest of the definition
            end = max(end, captures["body"][-1].end_byte)
        bodies, is_named = captures.get("body"), "name.after" not in captures
        start = _head_start(language, node) if is_named or name_node is None else name_node.start_byte
        named = name_node.start_byte if name_node else start
        head = start, _body_start(language, bodies[0]) if bodies else _head_end(node, kind, named, source)
        if language.is_exported:
            exported = is_named and language.is_exported(node, source[start:named], written)
        elif not language.exports:
            exported = not written.startswith(language.private_prefix or "\0")
        return Definition(
            kind=kind,
            name=_display_name(
                source[slice(*head)].decode("utf-8", "replace") if capture == "impl" else called.name, kind
            ),
            start=opening,
            end=end,
            first=self._lines.at(opening),
            last=self._lines.at(max(end - 1, outer.start_byte)),
            head=head,
            exported=exported,
            named=named,
            bodied=bodies is not None and not _is_empty(bodies[0], source),
            is_object=capture in ("object", "entry"),
            member=capture == "entry",
            lexical=bodies is not None and _is_lexical(language, bodies[0]),
            level=_level(node, captures, source) if kind is Kind.SECTION else 0,
            doc=doc,
            into=called.into,
            receiver=called.receiver,
            namespace=capture == "namespace",
            label=f"{written} code" if capture == "fence" and name_node else "",
            signature=self._of_class_itself(node, head, named) if kind in _CALLED else "",
        )

    def _of_class_itself(self, node: "Node", head: Range, named: int) -> str:
        """The signature of a method in Ruby's `class << self`, with its implied receiver: `def self.make`."""
        around = node.parent if self._language.class_bodies_of_self and node.type != "singleton_method" else None
        while around is not None and around.type in _INSIDE_CLASSES:
            around = around.parent
        if around is None or around.type != "singleton_class":
            return ""
        before, name = self._source[head[0] : named], self._source[named : head[1]].removeprefix(b":")
        return b"".join((before, b"self.", name)).decode("utf-8", "replace")

    def _definition_name(
        self, capture: str, name: str, node: "Node", captures: "dict[str, list[Node]]"
    ) -> _DefinitionName | None:
        """The name of a definition; None for a declarator without a name, or for a function without parameters."""
        if capture in ("namespace", "impl"):
            into = SCOPE.join(parse_declarator(name).path) if self._language.nested_paths else _last_name(name)
            opens = capture == "impl" and self._language.module_roots
            return _DefinitionName(f"{capture} {name}", into=_opened_name(name, opens) if opens else into)
        if self._language.declarators and "name" in captures:
            inside = parse_declarator(name)
            if not inside.path or (KINDS[capture] is Kind.FUNCTION and not inside.takes):
                return None
            *path, name = inside.path
            return _DefinitionName(name, receiver=SCOPE.join(path))
        if "name.after" in captures:
            return _DefinitionName(f"<{_last_name(name)}>")
        receivers = captures.get("receiver")
        written = _text(receivers[0], self._source) if receivers else ""
        receiver = _last_name(written) or (self._language.every_type if written else "")
        if written.endswith("[]"):
            receiver = "Array"
        elif written and self._language.inner_receivers:
            receiver = _inner_name(written)
        if receiver and self._language.every_type:
            receiver = self._extended_type(receiver, node)
        return _DefinitionName(f"{name}!" if "macro" in captures else name, receiver)

    def _extended_type(self, receiver: str, node: "Node") -> str:
        """The receiver type of an extension: for a type parameter, `fun <T : Card> T.pay()`, its bound."""
        parts = [child for child in node.children if child.type in _PARAMETERS]
        if not parts:
            return receiver
        bounds: dict[str, str] = {}
        apart = [child for child in node.children if child.type == _CONSTRAINTS]
        for one in [*(one for part in parts for one in part.named_children), *apart]:
            written, _, bound = _text(one, self._source).partition(":")
            bound = next((each for each in bound.split(",") if each.strip() not in _NO_BOUNDS), "")
            name = "".join(written.split()[-1:])
            if bounds.get(name, "") in ("", self._language.every_type):
                bounds[name] = _last_name(bound)
        for _ in range(len(bounds)):
            receiver = bounds.get(receiver, receiver) or self._language.every_type
        return receiver


def in_order(definitions: list[Definition]) -> list[Definition]:
    return sorted(definitions, key=lambda d: (d.start, -d.end, RANK[d.kind]))


def _display_name(name: str, kind: Kind) -> str:
    """Without quotes around it and, but for a title, without the colon of a symbol."""
    plain = name.replace("\0", "")
    plain = _unquote(plain if kind is Kind.SECTION else plain.lstrip(":"))
    return " ".join(plain.split())[:LONGEST_NAME] or "untitled"


def _written_name(language: Language, name: "Node", source: bytes) -> str:
    """A name; of a declarator, as it was read: `* EXPORT open(int card)` has a macro that was blanked out."""
    return (name.text or b"").decode("utf-8", "replace") if language.declarators else _text(name, source)


def _unquote(name: str) -> str:
    quoted = len(name) > 1 and name[0] in "\"'`" and name[-1] == name[0]
    return name[1:-1] if quoted else name


def _name_of_statement(capture: str, node: "Node", source: bytes) -> str:
    """The label of unnamed code: for a statement, its first words."""
    if capture != "statement":
        return "code"
    head = source[node.start_byte : min(node.end_byte, node.start_byte + LONGEST_NAME)].partition(b"\n")[0]
    return b" ".join(head.strip(b" \\").split()[:NAMING_WORDS]).decode("utf-8", "replace")


def _level(node: "Node", captures: "dict[str, list[Node]]", source: bytes) -> int:
    """Of a heading, 1 to 6, by its marks or its underline; 0 if it ends with the quote or list item around it."""
    if "level" not in captures:
        return 1
    mark = _text(captures["level"][0], source)
    while (parent := node.parent) is not None and parent.type in _SECTIONS:
        node = parent
    if parent is not None:
        return 0
    return len(mark) if mark.startswith("#") else 2 if mark.startswith("-") else 1


def leading_doc(language: Language, node: "Node", source: bytes) -> tuple[int, Range | None]:
    """Where the comments and attributes start that stand right above a node, and the range of the comments."""
    start, upper = _with_macros(language, node.start_byte, source), _above(node)
    comments: list[Node] = []
    while language.doc_before and upper is not None and _leads(language, upper, start, source):
        if upper.type in language.doc_before:
            comments.append(upper)
        start, upper = upper.start_byte, upper.prev_sibling
    return start, (comments[-1].start_byte, _text_end(comments[0], source)) if comments else None


def _above(node: "Node") -> "Node | None":
    """The node before a node; before the first one of a body, a node that the grammar leaves outside."""
    body = node.parent
    is_first = body is not None and body.start_byte == node.start_byte and body.type == _BODY
    return body.prev_sibling if body is not None and is_first else node.prev_sibling


def _with_macros(language: Language, start: int, source: bytes) -> int:
    """Where a definition starts with the macros before it, which were blanked to read it: `PAY_API int open(…)`."""
    if not language.preprocessed:
        return start
    line = source.rfind(b"\n", 0, start) + 1
    words = _MACROS.fullmatch(source, line, start)
    return words.start(1) if words else start


def _leads(language: Language, upper: "Node", start: int, source: bytes) -> bool:
    """Whether a node belongs to the one below it; a comment does on lines of its own, with no empty line between.

    Behind `/** … */`, which documents the next definition, an empty line is allowed.
    """
    between = source[_text_end(upper, source) : start]
    if upper.type not in language.doc_before:
        if upper.type not in language.leading or between.strip():
            return False
        own = language.leading_text
        return own is None or bool(own.match(source, upper.start_byte, upper.end_byte))
    mark = source[upper.start_byte : upper.start_byte + 3]
    if mark in (b"//!", b"/*!"):  # of what is around, in Rust
        return False
    near = between.count(b"\n") <= (2 if mark == b"/**" else 1)
    return near and not between.strip() and begins_line(source, upper.start_byte)


def _text_end(node: "Node", source: bytes) -> int:
    """Without the end of the line, which some grammars count to a comment."""
    return node.end_byte - source.endswith(b"\n", node.start_byte, node.end_byte)


def _with_wrappers(language: Language, node: "Node") -> "tuple[Node, bool]":
    """The node with its wrappers (decorators, `export`), and whether it is exported."""
    exported = node.type in language.exports
    while (parent := node.parent) is not None and parent.type in language.wrappers:
        exported = exported or parent.type in language.exports
        node = parent
    return node, exported


def _is_one_of_several(language: Language, node: "Node") -> bool:
    """Whether others are declared by the same statement, which then belongs to none of them: `var a = …, b = …`."""
    parent = node.parent
    if node.type != _DECLARATOR or parent is None or parent.type not in language.wrappers:
        return False
    first = [parent.named_child(i) for i in range(min(parent.named_child_count, _FIRST_PARTS))]
    return sum(child is not None and child.type == _DECLARATOR for child in first) > 1


def _is_first(node: "Node") -> bool:
    parent = node.parent
    return parent is not None and parent.named_child(0) == node


def _head_start(language: Language, node: "Node") -> int:
    """Where the signature starts: behind the annotations that stand inside of a definition."""
    if language.annotations:
        for child in node.children:
            for part in child.children if child.type == "modifiers" else (child,):
                if part.type not in language.annotations:
                    return part.start_byte
    return node.start_byte


def _body_start(language: Language, body: "Node") -> int:
    """Where a signature ends: before the comments that stand above the body, where a grammar leaves them out of it."""
    while (upper := body.prev_sibling) is not None and upper.type in language.doc_before:
        body = upper
    return body.start_byte


def _is_empty(body: "Node", source: bytes) -> bool:
    return body.end_byte - body.start_byte == 1 and source.startswith(b";", body.start_byte)


def _is_lexical(language: Language, body: "Node") -> bool:
    return bool(language.lexical) and body.parent is not None and body.parent.type in language.lexical


def _head_end(node: "Node", kind: Kind, named: int, source: bytes) -> int:
    """Of a definition without a body: most are all signature, of another the line of its name says enough."""
    if kind in _ALL_SIGNATURE:
        last = node.child(node.child_count - 1) if node.child_count else None
        return last.start_byte if last is not None and last.type == "end" else node.end_byte  # `def make; end`
    end = source.find(b"\n", named, node.end_byte)
    return node.end_byte if end < 0 else end


def _last_name(text: str) -> str:
    """`*pay.Card[T]` is Card: the scope that a type's methods belong to."""
    parts = type_name(text)
    return parts[-1] if parts else ""


def _opened_name(text: str, roots: frozenset[str]) -> str:
    """`impl engine::Call` is of another Call than `impl ast::Call`; a path from a root goes by its last name."""
    parts = type_name(text)
    return SCOPE.join(parts[-1:] if not parts or parts[0] in roots or parts[0] in _LIBRARIES else parts)


def _inner_name(text: str) -> str:
    """`pay.Card.Builder` is the Builder of Card; members of a companion belong to its class."""
    parts = type_name(text)
    inner = [part for part in parts if part[:1].isupper()]
    if len(inner) > 1 and inner[-1] == _COMPANION:
        inner.pop()
    return SCOPE.join(inner or parts[-1:])


def _text(node: "Node", source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")
