"""Go: the interfaces of the tree that a type implements by having their methods, without saying so.

All methods of the interface must be there, by name and signature. A method that is not exported counts only inside of
its package. A method that very many types have, as `String() string`, says little alone: an interface of one such
method is implemented by types of its own package only.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from clew.index.facts import Def
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.program import Program
from clew.languages.go.signatures import are_compatible
from clew.model.words import Kind

MOST_OF_ONE_METHOD = 40  # types in other packages with the one method of an interface; with more, the method is common

# The methods of interfaces that interfaces and structs of a project embed.
LIBRARY: Mapping[str, Mapping[str, str]] = {
    "builtins.error": {"Error": ">string"},
    "fmt.Stringer": {"String": ">string"},
    "io.Reader": {"Read": "[]uint8>int;error"},
    "io.Writer": {"Write": "[]uint8>int;error"},
    "io.Closer": {"Close": ">error"},
    "io.Seeker": {"Seek": "int64;int>int64;error"},
    "io.ReaderAt": {"ReadAt": "[]uint8;int64>int;error"},
    "io.WriterAt": {"WriteAt": "[]uint8;int64>int;error"},
    "io.ReaderFrom": {"ReadFrom": "io.Reader>int64;error"},
    "io.WriterTo": {"WriteTo": "io.Writer>int64;error"},
    "io.StringWriter": {"WriteString": "string>int;error"},
    "io.ReadWriter": {"Read": "[]uint8>int;error", "Write": "[]uint8>int;error"},
    "io.ReadCloser": {"Read": "[]uint8>int;error", "Close": ">error"},
    "io.WriteCloser": {"Write": "[]uint8>int;error", "Close": ">error"},
    "io.ReadWriteCloser": {"Read": "[]uint8>int;error", "Write": "[]uint8>int;error", "Close": ">error"},
    "io.ReadSeeker": {"Read": "[]uint8>int;error", "Seek": "int64;int>int64;error"},
    "sort.Interface": {"Len": ">int", "Less": "int;int>bool", "Swap": "int;int>"},
    "encoding/json.Marshaler": {"MarshalJSON": ">[]uint8;error"},
    "encoding/json.Unmarshaler": {"UnmarshalJSON": "[]uint8>error"},
    "net/http.Handler": {"ServeHTTP": "http.ResponseWriter;*http.Request>"},
    "net/http.RoundTripper": {"RoundTrip": "*http.Request>*http.Response;error"},
    "net/http.ResponseWriter": {"Header": ">http.Header", "Write": "[]uint8>int;error", "WriteHeader": "int>"},
    "net/http.Flusher": {"Flush": ">"},
    "net/http.Hijacker": {"Hijack": ">net.Conn;*bufio.ReadWriter;error"},
    "net/http.CloseNotifier": {"CloseNotify": "><-chanbool"},
    "context.Context": {
        "Deadline": ">time.Time;bool",
        "Done": "><-chanstruct{}",
        "Err": ">error",
        "Value": "any>any",
    },
}
_COMMON = frozenset(method for methods in LIBRARY.values() if len(methods) == 1 for method in methods.items()) | {
    ("Len", ">int"), ("Unwrap", ">error"), ("Name", ">string"), ("Reset", ">"), ("Start", ">"), ("Stop", ">"),
}  # fmt: skip


class _Methods(NamedTuple):
    """A type's methods by name, with their signatures; `opaque` are embedded types whose methods are unknown."""

    by_name: Mapping[str, frozenset[str]]
    opaque: frozenset[str]


def implicit_interfaces(tree: Program, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """By the id of a type, the ids of interfaces; an embedded type's interfaces are not repeated."""
    types: dict[AbstractValue, _Methods] = {}
    interfaces: dict[AbstractValue, _Methods] = {}
    having: dict[str, set[AbstractValue]] = defaultdict(set)
    for path in paths:
        for scope, kind in tree.facts(path).kinds.items():
            one = tree.things.thing(value_kinds.CLASS, path, scope)
            if kind == Kind.INTERFACE.value:
                interfaces[one] = _methods(tree, one)
            elif kind == Kind.CLASS.value and (methods := _methods(tree, one)).by_name:
                types[one] = methods
                for name in methods.by_name:
                    having[name].add(one)
    found: dict[str, list[str]] = defaultdict(list)
    for interface, wanted in interfaces.items():
        for one in _find_implementations(tree, interface, wanted, types, having):
            found[one.id].append(interface.id)
    return {one: tuple(sorted(ids)) for one, ids in sorted(found.items())}


def _find_implementations(
    tree: Program,
    interface: AbstractValue,
    wanted: _Methods,
    types: Mapping[AbstractValue, _Methods],
    having: Mapping[str, set[AbstractValue]],
) -> set[AbstractValue]:
    if not wanted.by_name:
        return set()
    candidates = set.intersection(*(having.get(name, set()) for name in wanted.by_name))
    fitting = {one for one in candidates if _has_all(interface, wanted, one, types[one])}
    own = {one for one in fitting if not any(upper in fitting for upper in tree.order(one)[1:])}
    if len(wanted.by_name) == 1 and not wanted.opaque:
        ((name, signatures),) = wanted.by_name.items()
        near = {one for one in own if _folder(one) == _folder(interface)}
        is_common = any((name, signature) in _COMMON for signature in signatures)
        return near if is_common or len(own) - len(near) > MOST_OF_ONE_METHOD else own
    return own


def _has_all(interface: AbstractValue, wanted: _Methods, one: AbstractValue, methods: _Methods) -> bool:
    if not wanted.opaque <= methods.opaque:
        return False
    if _folder(interface) != _folder(one) and not all(name[:1].isupper() for name in wanted.by_name):
        return False
    return all(
        any(are_compatible(a, b) for a in signatures for b in methods.by_name[name])
        for name, signatures in wanted.by_name.items()
    )


def _methods(tree: Program, one: AbstractValue) -> _Methods:
    """Also those of embedded types; a method hides those of its name that are embedded."""
    found: dict[str, frozenset[str]] = {}
    opaque: set[str] = set()
    for upper in tree.order(one):
        if upper.kind == value_kinds.CLASS:
            for name, signatures in _own_methods(tree, upper).items():
                found.setdefault(name, frozenset(signatures))
        elif upper.path in LIBRARY:
            for name, signature in LIBRARY[upper.path].items():
                found.setdefault(name, frozenset((signature,)))
        else:
            opaque.add(upper.path)
    return _Methods(found, frozenset(opaque))


def _own_methods(tree: Program, one: AbstractValue) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for path, scope in tree.parts(one):
        signatures = tree.facts(path).signatures
        for name, values in tree.scope_bindings(path, scope).items():
            for value in values:
                if isinstance(value, Def) and value.scope in signatures:
                    found[name].add(signatures[value.scope])
    return found


def _folder(one: AbstractValue) -> str:
    return one.path.rpartition("/")[0]
