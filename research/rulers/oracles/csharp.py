"""Targets of C# calls by mono's compiler: `python -m research.rulers.oracles.csharp --repo CHECKOUT ASSEMBLY… > CALLS`.

The assemblies are built of the checkout's sources, with the places of calls: `mcs -debug -optimize- -out:… FILES`.
`csharp.cs` reads their instructions (Debian: mono-mcs, mono-devel, libmono-cecil-private-cil), and here each of these
becomes a call of the source, by its place; those that are not written there are left out, and so are calls in
statements of `async` methods, of which the compiler tells only where they begin, if it cannot be said which is which.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import tree_sitter_c_sharp
from tree_sitter import Language, Node, Parser

CECIL = "/usr/lib/mono/gac/Mono.Cecil/0.11.0.0__0738eb9f132ed756/Mono.Cecil.dll"
SYMBOLS = "Mono.CompilerServices.SymbolWriter.dll"
TAB = 8  # columns of the compiler
NEW = "new "  # before the name of a type whose constructor is called
TYPES = frozenset(
    f"{kind}_declaration" for kind in ("class", "struct", "interface", "enum", "record", "record_struct", "delegate")
)
NAMESPACES = frozenset({"namespace_declaration", "file_scoped_namespace_declaration"})
METHODS = frozenset({"method_declaration", "constructor_declaration"})
NAMES = frozenset({"identifier", "generic_name"})
MEMBERS = frozenset({"member_access_expression", "member_binding_expression", "qualified_name", "alias_qualified_name"})


class Known(NamedTuple):
    """A call as the compiler has it."""

    path: str
    row: int
    column: int
    name: str
    holder: str  # the type that has it, or nothing: it is outside
    parameters: tuple[str, ...]
    at: tuple[str, int]  # where its body begins, if that is known


class Written(NamedTuple):
    """A call as it is written: `column` is where the compiler has it."""

    row: int
    column: int
    name: str
    line: int  # of the name


class Defined(NamedTuple):
    path: str
    line: int
    last: int
    name: str
    parameters: tuple[str, ...]


@dataclass(slots=True)
class Source:
    written: list[Written] = field(default_factory=list)
    statements: list[tuple[int, int, int]] = field(default_factory=list)  # row, column, last row


@dataclass(slots=True)
class Sources:
    root: Path
    read: dict[str, Source] = field(default_factory=dict)
    types: dict[str, list[Defined]] = field(default_factory=lambda: defaultdict(list))
    members: dict[tuple[str, str], list[Defined]] = field(default_factory=lambda: defaultdict(list))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="research.rulers.oracles.csharp", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repo", type=Path, default=Path.cwd(), help="The checkout.")
    parser.add_argument("assemblies", type=Path, nargs="+", help="What was built of it; the `.mdb` lies beside each.")
    given = parser.parse_args()
    sources = sources_of(given.repo.resolve())
    known = list(instructions(sources.root, given.assemblies))
    found = {json.dumps(one) for one in calls(sources, known)}
    print(*sorted(found), sep="\n")
    print(f"{len(known):,} calls known, {len(found):,} of them found where they are written", file=sys.stderr)


def instructions(root: Path, assemblies: Iterable[Path]) -> Iterator[Known]:
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "calls.exe")
        Path(folder, "Mono.Cecil.dll").symlink_to(CECIL)
        source = Path(__file__).with_suffix(".cs")
        subprocess.run(["mcs", f"-out:{program}", f"-r:{CECIL}", f"-r:{SYMBOLS}", str(source)], check=True)
        said = subprocess.run(["mono", program, *assemblies], check=True, capture_output=True, text=True).stdout
    for line in said.splitlines():
        path, row, column, name, _, *inside = line.split("\t")
        if Path(path).is_relative_to(root):
            holder, names, other, first = inside or ("", "", "", "0")
            at = str(Path(other).relative_to(root)) if other and Path(other).is_relative_to(root) else ""
            own, known = str(Path(path).relative_to(root)), tuple(names.split(",") if names else ())
            yield Known(own, int(row), int(column), name, holder, known, (at, int(first)))


def calls(sources: Sources, known: Iterable[Known]) -> Iterator[dict[str, object]]:
    vague: dict[tuple[str, int, int, str], list[Known]] = defaultdict(list)
    exact: set[tuple[str, Written]] = set()
    for one in known:
        source = sources.read.get(one.path, Source())
        place = Written(one.row, one.column, one.name, 0)
        number = bisect_left(source.written, place)
        written = source.written[number] if number < len(source.written) else place
        if written[:3] == place[:3] and written.line:
            exact.add((one.path, written))
            yield from _line(sources, one, written)
        else:
            vague[one.path, one.row, one.column, one.name].append(one)
    for (path, row, column, name), several in vague.items():
        free = [one for one in _within(sources.read.get(path, Source()), row, column, name) if (path, one) not in exact]
        targets = {tuple(map(tuple, _defined(sources, one) or ())) for one in several}
        if len(free) == len(several) and len(targets) == 1:
            for written in free:
                yield from _line(sources, several[0], written)


def _line(sources: Sources, known: Known, written: Written) -> Iterator[dict[str, object]]:
    to = _defined(sources, known)
    if to is not None:
        name = written.name.removeprefix(NEW)
        yield {"path": known.path, "line": written.line, "name": name, "to": to}


def _within(source: Source, row: int, column: int, name: str) -> list[Written]:
    """The calls of a name that are written in the statement that begins somewhere."""
    last = max((one[2] for one in source.statements if one[:2] == (row, column)), default=row)
    return [one for one in source.written if row <= one.row <= last and one.name == name]


def _defined(sources: Sources, known: Known) -> list[list[str | int]] | None:
    """Where a method is defined, or a type; nothing if that is outside, None if it is not found."""
    if not known.holder:
        return []
    name = known.name.removeprefix(NEW)
    found = [one for one in sources.members[known.holder, name] if one.parameters == known.parameters]
    if len(found) > 1:
        found = [one for one in found if one.path == known.at[0] and one.line <= known.at[1] <= one.last] or found
    if not found and known.name.startswith(NEW) and not known.parameters:
        found = sources.types[known.holder]
    return [[one.path, one.line, one.name] for one in found] or None


def sources_of(root: Path) -> Sources:
    parser = Parser(Language(tree_sitter_c_sharp.language()))
    sources = Sources(root)
    for path in sorted(root.rglob("*.cs")):
        own = str(path.relative_to(root))
        text = path.read_bytes()
        source = sources.read[own] = Source()
        _read(parser.parse(text).root_node, (), _Reading(own, text.splitlines(keepends=True), source, sources))
        source.written.sort()
    return sources


@dataclass(slots=True)
class _Reading:
    path: str
    lines: list[bytes]
    source: Source
    sources: Sources

    def place(self, node: Node) -> tuple[int, int]:
        """As the compiler counts: columns from 1, a tab up to the next eighth, a mark at the beginning not at all."""
        row, column = node.start_point
        before = self.lines[row][:column].removeprefix(b"\xef\xbb\xbf").decode(errors="replace")
        return row + 1, len(before.expandtabs(TAB)) + 1


def _read(node: Node, around: tuple[str, ...], reading: _Reading) -> None:
    todo = [(node, around)]
    while todo:
        one, inside = todo.pop()
        if one.type in TYPES or one.type in NAMESPACES:
            inside = _scope(one, inside, reading)
        elif one.type in METHODS:
            _method(one, inside, reading)
        elif (written := _written(one, reading)) is not None:
            reading.source.written.append(written)
        if one.type.endswith("_statement"):
            reading.source.statements.append((*reading.place(one), one.end_point[0] + 1))
        if one.type == "file_scoped_namespace_declaration":
            todo += [(child, inside) for child in _after(one)]
        todo += [(child, inside) for child in one.named_children]


def _after(node: Node) -> Iterator[Node]:
    following = node.next_named_sibling
    while following is not None:
        yield following
        following = following.next_named_sibling


def _scope(node: Node, around: tuple[str, ...], reading: _Reading) -> tuple[str, ...]:
    """By the names that Cecil gives: `Shop.Cards/Box`1`."""
    name = _text(node.child_by_field_name("name"))
    if node.type in NAMESPACES:
        return (*around, *name.split("."))
    generic = next((child for child in node.named_children if child.type == "type_parameter_list"), None)
    many = sum(child.type == "type_parameter" for child in generic.named_children) if generic else 0
    own = f"{name}`{many}" if many else name
    outer = around[-1] if around and around[-1].startswith("/") else ""
    full = f"{outer}/{own}" if outer else "/" + ".".join((*around, own))
    at = node.child_by_field_name("name") or node
    defined = Defined(reading.path, at.start_point[0] + 1, node.end_point[0] + 1, name, ())
    reading.sources.types[full.removeprefix("/")].append(defined)
    return (*around, full)


def _method(node: Node, around: tuple[str, ...], reading: _Reading) -> None:
    at, parameters = node.child_by_field_name("name"), node.child_by_field_name("parameters")
    if at is None or parameters is None or not around:
        return
    each = [one.child_by_field_name("name") for one in parameters.named_children if one.type == "parameter"]
    rest = parameters.children_by_field_name("name")  # `params` has no node of its own
    names = tuple(_text(one).lstrip("@") for one in (*each, *rest))
    holder, name = around[-1].removeprefix("/"), _text(at)
    line, last = at.start_point[0] + 1, node.end_point[0] + 1
    reading.sources.members[holder, name].append(Defined(reading.path, line, last, name, names))


def _written(node: Node, reading: _Reading) -> Written | None:
    if node.type == "object_creation_expression":
        name = _last_name(node.child_by_field_name("type"))
        return name and Written(*reading.place(node), f"{NEW}{_plain(name)}", name.start_point[0] + 1)
    if node.type == "invocation_expression":
        name = _last_name(node.child_by_field_name("function"))
        return name and Written(*reading.place(name), _plain(name), name.start_point[0] + 1)
    return None


def _last_name(node: Node | None) -> Node | None:
    """Of what is called, or made, the part that names it."""
    while node is not None and node.type not in NAMES:
        if node.type in MEMBERS:
            node = node.child_by_field_name("name")
        elif node.type == "conditional_access_expression":
            node = node.named_children[-1]
        else:
            return None
    return node


def _plain(node: Node) -> str:
    return _text(node).partition("<")[0].strip().lstrip("@")


def _text(node: Node | None) -> str:
    return (node.text or b"").decode(errors="replace") if node is not None else ""


if __name__ == "__main__":
    main()
