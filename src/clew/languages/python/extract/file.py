"""The state of reading a Python file: its calls, stores and containers so far, and the binding of targets."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from clew.index.facts import (
    Attr,
    Call,
    CallFact,
    CallResult,
    Container,
    Def,
    ImportedName,
    StoreFact,
    Subscript,
    This,
    UnboundName,
    Value,
    Values,
)
from clew.index.syntax.call_dataflow import GIVES
from clew.index.syntax.ranges import LineIndex
from clew.languages.python.extract.bindings import DEEPEST
from clew.languages.python.extract.scopes import PythonScope
from clew.model.code import SCOPE, Import

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_ELEMENTS = 64  # of a container that are told apart
MOST_MEANINGS = 8  # of one expression

BUILTIN: Mapping[str, Values] = {
    name: (Call(ImportedName("builtins", name)),)
    for name in ("str", "bytes", "int", "float", "bool", "list", "dict", "set", "tuple", "generator")
}

LITERALS: Mapping[str, Values] = {
    "integer": BUILTIN["int"], "float": BUILTIN["float"], "true": BUILTIN["bool"], "false": BUILTIN["bool"], "none": (),
    "comment": (), "ellipsis": (),
}  # fmt: skip
_TEXT = BUILTIN["str"]
_FEW = 3  # nodes that are found faster one by one
_PLACES = tuple(range(count) for count in range(_FEW + 1))
_QUOTES = b"\"'"
_ELSEWHERE = frozenset({UnboundName, ImportedName})  # of which names alone tell what they have
_OWN = (This, Def)  # what members may be put into here

Handler: TypeAlias = "Callable[[PythonFile, Node, PythonScope], Values]"
Walk: TypeAlias = "Callable[[PythonFile, Node, PythonScope], bool]"


class PythonFile:
    """A file while it is read."""

    def __init__(
        self, source: bytes, ids: Mapping[int, str], handlers: Mapping[str, Handler], walks: Mapping[str, Walk]
    ) -> None:
        self.ids = ids
        self.defined = frozenset(ids.values())
        self._handlers = handlers
        self._walks = walks
        self.source = source
        self._ascii = source.decode() if source.isascii() else None  # its places are those of the bytes
        self.lines = LineIndex(source)
        self.calls: list[CallFact] = []
        self.flows = bytearray()  # what each call does with data
        self.stores: list[StoreFact] = []
        self.boxes: dict[str, dict[str, Values]] = {}
        self.scopes: dict[str, PythonScope] = {}
        self._depth = self._blocks = 0
        self.kinds: dict[str, str] = {}
        self.returns: dict[str, list[Value]] = {}
        self.overloads: dict[tuple[str, str], list[Value]] = {}  # by scope and name: what they are said to return
        self.declared: list[str] = []  # methods that others are to implement
        self.told: set[str] = set()  # functions that say that they return nothing but text or numbers
        self.params: dict[str, tuple[str, ...]] = {}
        self.bases: dict[str, Values] = {}
        self.decorators: dict[str, tuple[str, ...]] = {}
        self.imports: list[Import] = []
        self.stars: list[str] = []
        self.exports: list[str] = []
        self.offers: dict[str, int] = {}
        self.uses: dict[tuple[str, str], int] = {}  # by scope and name: where it is first referred to
        self.referred: list[tuple[str, Values, str, int]] = []  # members: in which scope, of what, by which name, where
        self.quoted: dict[str, None] = {}  # classes that texts name
        self.user = ""  # the scope whose head is being read, which names what is seen from around it

    def id_of(self, definition: "Node") -> str | None:
        """The scope that a definition opens, as its symbol has it; none if it has no symbol."""
        return self.ids.get(definition.start_byte)

    def block(self, node: "Node", scope: PythonScope) -> bool:
        """Read the statements of a block, between which semicolons may stand, which say nothing."""
        return self.statements(node.children, scope)

    def statements(self, nodes: "list[Node]", scope: PythonScope) -> bool:
        """Read statements in order; returns whether the end is reachable."""
        if self._blocks > DEEPEST:
            return True
        self._blocks += 1
        goes_on, walks = True, self._walks
        for statement in nodes:
            walk = walks.get(statement.type)
            if walk is not None:
                goes_on = walk(self, statement, scope) and goes_on
            else:
                self.value(statement, scope)
        self._blocks -= 1
        return goes_on

    def add_return(self, scope: PythonScope, values: Values) -> None:
        if scope.id in self.told:
            return
        known = self.returns.setdefault(scope.id, [])
        known += [value for value in values if value not in known]

    def close_function(self, scope: PythonScope) -> None:
        """At a function's end: its yielded values are elements of the container that it returns."""
        yielded = scope.inner("<yield>")
        if yielded in self.boxes:
            self.add_return(scope, (Container(yielded),))

    def value(self, node: "Node", scope: PythonScope) -> Values:
        kind = node.type
        if kind == "identifier":
            name = self.text(node)
            if not scope.id or (name not in scope.counts and name not in scope.inside) or name in scope.taken:
                self.refer(name, node, scope)  # as `is_outer` tells, without the call: there are so many names
            elif name in scope.held and name not in scope.inside:
                self.refer(f"{SCOPE}{scope.held[name]}", node, scope)
            return scope.lookup(name)
        if kind == "string" and self.source[node.start_byte] in _QUOTES:  # without a prefix there is nothing inside
            return _TEXT
        handler = self._handlers.get(kind)
        if handler is None:
            return LITERALS.get(kind, ())
        if self._depth > DEEPEST:
            return ()
        self._depth += 1
        found = handler(self, node, scope)
        self._depth -= 1
        return found

    def refer(self, name: str, at: "Node", scope: PythonScope) -> None:
        """Keep that a name is referred to, which is not to call it."""
        key = self.user or scope.id, name
        if key not in self.uses:
            self.uses[key] = at.start_byte

    def members(self, of: Values, name: str, at: "Node", scope: PythonScope) -> Values:
        """A member of something, which is named and not called."""
        if of and type(of[0]) not in _ELSEWHERE:
            self.referred.append((self.user or scope.id, of, name, at.start_byte))
        return (Attr(of[0], name),) if len(of) == 1 else tuple([Attr(value, name) for value in of])

    def text(self, node: "Node") -> str:
        text = self._ascii
        if text is not None:
            return text[node.start_byte : node.end_byte]
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def member(self, node: "Node", holder: "Node") -> str:
        """The name of an attribute; usually all the text behind its object and a dot."""
        start, end = holder.end_byte + 1, node.end_byte
        if self._ascii is not None and (name := self._ascii[start:end]).isidentifier():
            return name
        return self.text(node.children[-1])

    def call(
        self, at: "Node", scope: PythonScope, written: str, callee: Values, args: tuple[Values, ...] = ()
    ) -> Values:
        """A call that no one wrote as one: a decorator is reported, any other only where it leads somewhere."""
        line = self.lines.at(at.start_byte)
        self.calls.append(CallFact(scope.id, line, written, callee, args, {}, not written.startswith("@")))
        self.flows.append(0)
        return (CallResult(len(self.calls) - 1),)

    def drop_result(self) -> None:
        """The result of the last call is unused: it is a statement."""
        if self.flows:
            self.flows[-1] &= GIVES

    def implicit_call(self, at: "Node", scope: PythonScope, of: Values, method: str) -> Values:
        """A call of a special method, if there may be an object of ours to call it on."""
        receivers = [Attr(value, method) for value in of if type(value) is not UnboundName and not is_builtin(value)]
        return self.call(at, scope, method, tuple(receivers)) if receivers else ()

    def new_container(self, what: str, scope: PythonScope, elements: dict[str, Values]) -> Values:
        """A new container; one of which only plain data is known is just an object of its type."""
        where = scope.new_id(what)
        if len(elements) > MOST_ELEMENTS:
            elements = {"": union(*elements.values())}
        self.boxes[where] = {key: values for key, values in elements.items() if values}
        return (Container(where),)

    def elements(self, of: Values, key: str = "*") -> Values:
        return tuple([Subscript(value, key) for value in of if not is_builtin(value)])

    def iterate(self, node: "Node", scope: PythonScope, a: str = "") -> Values:
        """The elements of an iteration; an object is asked for its iterator, and that for its elements."""
        values = self.value(node, scope)
        if iterator := self.implicit_call(node, scope, values, f"__{a}iter__"):
            self.implicit_call(node, scope, iterator, f"__{a}next__")
        return self.elements(values)

    def assign(self, target: "Node", values: Values, scope: PythonScope) -> None:
        """Bind a left side: a name, a pattern, a member or an element."""
        kind = target.type
        if kind == "identifier":
            scope.bind(self.text(target), values)
        elif kind == "attribute":
            self._put_member(target, values, scope)
        elif kind == "subscript":
            self._put_element(target, values, scope)
        elif kind in ("list_splat_pattern", "list_splat"):
            for child in target.named_children:
                self.assign(child, values, scope)
        else:
            self._unpack([child for child in target.named_children if child.type != "comment"], values, scope)

    def _unpack(self, targets: "list[Node]", values: Values, scope: PythonScope) -> None:
        known = [self.boxes.get(value.scope, {}) for value in values if isinstance(value, Container)]
        starred = next((i for i, one in enumerate(targets) if one.type.startswith("list_splat")), len(targets))
        for i, target in enumerate(targets):
            if i < starred:
                self.assign(target, self.elements(values, str(i)), scope)
            elif i == starred:
                self.assign(target, self.elements(values, f"{i}:"), scope)
            else:  # counted from the end, which is known of a container that is written here
                size = len(known[0]) if len(known) == 1 and len(values) == 1 else 0
                self.assign(target, self.elements(values, str(size - len(targets) + i) if size else "*"), scope)

    def _put_member(self, target: "Node", values: Values, scope: PythonScope) -> None:
        holder, member = target.named_children[0], self.text(target.named_children[-1])
        elsewhere, of = [], self.value(holder, scope)
        if holder.type == "identifier" and scope.is_outer(name := self.text(holder)):
            self.refer(f"{name}.{member}", holder, scope)
        self.members(of, member, holder, scope)
        for one in of:
            if isinstance(one, _OWN) and one.scope in self.scopes and self.scopes[one.scope].kind == "class":
                self.scopes[one.scope].add(f".{member}" if isinstance(one, This) else member, values)
            elif not is_builtin(one):
                elsewhere.append(one)
        self.store(tuple(elsewhere), member, values)

    def _put_element(self, target: "Node", values: Values, scope: PythonScope) -> None:
        holder, *keys = target.named_children
        of = self.value(holder, scope)
        for key in keys:
            self.value(key, scope)
        self.implicit_call(target, scope, of, "__setitem__")
        self.store(of, self.key(keys), values, item=True)

    def store(self, of: Values, name: str, values: Values, *, item: bool = False) -> None:
        kept = passed_values(values)
        if of and kept:
            self.stores.append(StoreFact(of, name, kept, item))

    def key(self, nodes: "list[Node]") -> str:
        """An element's key as facts spell it; "" if it is no plain text or number."""
        if len(nodes) != 1:
            return ""
        text = self.text(nodes[0])
        if nodes[0].type == "integer":
            return text if text.isdecimal() else ""
        if nodes[0].type == "string" and text[:1] in "\"'":
            inner = text.strip("\"'")
            return f"'{inner}" if inner.isdecimal() or inner[:1] in "'*" or inner.endswith(":") else inner
        if nodes[0].type == "slice":
            start = text.partition(":")[0].strip()
            return f"{start or 0}:" if (start or "0").isdecimal() else "*"
        return ""


def named_children(node: "Node") -> "list[Node]":
    """As `named_children`, which makes nodes of commas and brackets too, and most often of more of them."""
    count = node.named_child_count
    if count > _FEW:
        return node.named_children
    return list(filter(None, map(node.named_child, _PLACES[count])))


def is_builtin(value: Value) -> bool:
    return type(value) is Call and type(value.by) is ImportedName and value.by.module == "builtins"


def passed_values(values: Values) -> Values:
    """The values that are worth following into a call: no plain data."""
    if len(values) == 1:
        return values if type(values[0]) is not Call or not is_builtin(values[0]) else ()
    return tuple([value for value in values if not is_builtin(value)])


def union(*several: Values) -> Values:
    return tuple(dict.fromkeys([value for values in several for value in values]))[:MOST_MEANINGS]
