"""Calls as class files have them: `python -m research.rulers.oracles.jvm --repo CHECKOUT --classes FOLDER… > CALLS`.

The folders are what javac or kotlinc made of sources of the checkout (with lines: `javac -g`). Each `invoke` has a
line, an owner, a name and a descriptor; it counts if a call by that name is written there, or in a line soon behind it,
so that accessors, operators and what compilers add are left out, and so is what they inline: its lines lie behind a
file's end. That a function of Kotlin was inlined is told by the map of lines beside it. `to` is where sources define
what is called; what is defined nowhere (`copy` of a data class) is left out. The output is read by
`research.rulers.compared`.
"""

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from research.rulers.oracles import classfile, jvm_sources
from research.rulers.oracles.classfile import BRIDGE, ClassFile, Invoke, Method
from research.rulers.oracles.jvm_sources import Definition, Source

_PARAMETER = re.compile(r"\[*(?:L[^;]+;|[BCDFIJSZ])")
_RANGE = re.compile(r"(\d+)#(\d+)(?:,(\d+))?:(\d+)")
_DEFAULT, _ACCESS, _DEFAULTS = "$default", "access$", "$DefaultImpls"
_NUMBERED = re.compile(r"\$\d+$")

To = tuple[str, int, str]


class Said(NamedTuple):
    """What a class file says is called in a line."""

    source: Source
    line: int
    name: str
    to: tuple[To, ...]


class Program:
    def __init__(self, classes: Iterable[ClassFile], sources: Iterable[Source]) -> None:
        self.classes = {one.name: one for one in classes}
        self._named: dict[tuple[str, str], list[Source]] = defaultdict(list)
        self._expected: dict[tuple[object, ...], list[To]] = defaultdict(list)
        for source in sources:
            self._named[source.package.replace(".", "/"), Path(source.path).name].append(source)
            for each in source.definitions:
                if each.is_expected:
                    self._expected[_key(source, each)].append((source.path, each.line, each.name))
        self._sources = {one.name: self._source(one) for one in self.classes.values()}
        self._facades: dict[str, list[ClassFile]] = defaultdict(list)  # parts of what files share
        for one in self.classes.values():
            if "__" in one.name:
                self._facades[one.name.partition("__")[0]].append(one)

    def calls(self) -> set[tuple[str, int, str, tuple[To, ...]]]:
        """Those that are written in the line they are said to be in; and of others, those soon behind it."""
        said = list(self._said())
        exact = [one for one in said if one.line in one.source.written.get(one.name, ())]
        found = {(one.source.path, one.line, one.name, one.to) for one in exact}
        places = {(one.source.path, one.line, one.name) for one in exact}
        for one in said:
            at = one.source.called(one.name, one.line)
            if at is not None and (one.source.path, at, one.name) not in places:
                found.add((one.source.path, at, one.name, one.to))
        return found

    def _said(self) -> Iterator[Said]:
        for one in self.classes.values():
            source = self._sources[one.name]
            if source is None:
                continue
            for method in one.methods:
                for invoke in () if method.flags & BRIDGE else method.invokes:
                    if not _is_own(method, invoke):
                        yield from self._call(source, invoke)
            for line, definition in self._inlined(one, source):
                yield Said(source, line, definition[1].name, self._to(*definition))

    def _call(self, source: Source, invoke: Invoke) -> Iterator[Said]:
        if not 0 < invoke.line <= source.end:
            return
        is_inside = invoke.owner in self.classes
        found = self._found(invoke) if is_inside else None
        name = found[1].name if found is not None else self._outside_name(invoke)
        if is_inside and found is None and self._is_known(invoke):
            return
        to = self._to(*found) if found is not None else ()
        yield Said(source, invoke.line, name, to)

    def _outside_name(self, invoke: Invoke) -> str:
        if invoke.name == "<init>":
            return re.split(r"[/$]", invoke.owner)[-1]
        return invoke.name.removesuffix(_DEFAULT)

    def _to(self, source: Source, one: Definition) -> tuple[To, ...]:
        """Where it is defined, and where common code expects it, of its class or of one above."""
        package, chain = source.package, one.chain
        own = "/".join([*package.split("."), "$".join(chain)]) if chain and not one.is_class else ""
        above = [each.name.rpartition("/") for each in self._above(own)] if own else []
        keys = [(path.replace("/", "."), (*name.split("$"),), one.name, one.takes, False) for path, _, name in above]
        expected = [to for key in (_key(source, one), *keys) for to in self._expected.get(key, ())]
        return tuple(sorted({(source.path, one.line, one.name), *expected}))

    def _source(self, one: ClassFile) -> Source | None:
        """The file that a class was made of; of several with one name, that which has its methods."""
        package, _, own = one.name.rpartition("/")
        found = self._named.get((package, one.source), [])
        if len(found) < 2:
            return found[0] if found else None
        return max(found, key=lambda source: (_agreement(source, one), bool(source.classed((own.split("$")[0],)))))

    def _is_known(self, invoke: Invoke) -> bool:
        """Whether a class of the tree has the method, if nobody wrote it."""
        return any(method.name == invoke.name for one in self._above(invoke.owner) for method in one.methods)

    def _above(self, name: str) -> Iterator[ClassFile]:
        todo, seen = [name], {name}
        while todo:
            if (one := self.classes.get(todo.pop(0))) is None:
                continue
            yield one
            new = [above for above in one.above if above not in seen]
            todo += new
            seen |= set(new)

    def _found(self, invoke: Invoke) -> tuple[Source, Definition] | None:
        if invoke.name == "<init>":
            return self._made(invoke.owner)
        name = invoke.name.removeprefix(_ACCESS).removesuffix(_DEFAULT)
        owner = invoke.owner.removesuffix(_DEFAULTS)
        for one in self._above(owner):
            for method, holder in self._methods(one, name, invoke, owner):
                if (found := self._defined(one, holder, method, name)) is not None:
                    return found
        return None

    def _methods(self, one: ClassFile, name: str, invoke: Invoke, owner: str) -> Iterator[tuple[Method, ClassFile]]:
        wanted = _parameters(invoke.descriptor)
        beside = self.classes.get(one.name + _DEFAULTS)
        for holder in (one, *((beside,) if beside else ()), *self._facades.get(one.name, ())):
            for method in holder.methods:
                if method.name == name and not method.flags & BRIDGE:
                    own = _parameters(method.descriptor)
                    is_own = own[1:] == wanted or (own == wanted[1:] and wanted[0] == f"L{owner};")
                    is_default = invoke.name.endswith(_DEFAULT) and _is_default_of(own, wanted)
                    if own == wanted or is_own or is_default:
                        yield method, holder

    def _defined(
        self, one: ClassFile, holder: ClassFile, method: Method, name: str
    ) -> tuple[Source, Definition] | None:
        source = self._sources[holder.name]
        if source is None:
            return None
        lines = [line for line in method.lines if line <= source.end]
        around = source.around(lines[0]) if lines else None
        if around is not None and (
            around.name in (name, name.partition("$")[0]) or (name == "invoke" and around.is_local)
        ):
            return source, around
        chain = tuple(one.name.rpartition("/")[2].split("$"))
        declared = source.declared(chain, name, len(_parameters(method.descriptor)))
        return (source, declared) if declared is not None and not lines else None

    def _made(self, name: str) -> tuple[Source, Definition] | None:
        one = self.classes[name]
        if _NUMBERED.search(name):
            return self._made(one.above[0]) if one.above[0] in self.classes else None
        source = self._sources[name]
        found = source.classed(tuple(name.rpartition("/")[2].split("$"))) if source is not None else None
        if source is not None and found is None:
            last = name.rpartition("$")[2]
            lines = [line for method in one.methods if method.name == "<init>" for line in method.lines]
            found = next(
                (
                    it
                    for it in source.definitions
                    if it.is_class and it.name == last and any(it.first <= line <= it.last for line in lines)
                ),
                None,
            )
        return (source, found) if source is not None and found is not None else None

    def _inlined(self, one: ClassFile, source: Source) -> Iterator[tuple[int, tuple[Source, Definition]]]:
        """The lines in which functions of the tree were inlined, and which."""
        kotlin, _, debug = one.inlined.partition("*S KotlinDebug")
        files = dict(re.findall(r"\+ (\d+) .*\n(.*)", kotlin))
        calls = [(int(to), int(count or 1), int(line)) for line, _, count, to in _RANGE.findall(debug)]
        for line, file, count, to in _RANGE.findall(kotlin.partition("*L")[2]):
            begin, end = int(to), int(to) + int(count or 1)
            if begin <= source.end or (there := self._sources.get(files.get(file, ""))) is None:
                continue
            if (definition := there.around(int(line))) is not None:
                for at, many, written in calls:
                    if at < end and begin < at + many:
                        yield written, (there, definition)


def _is_own(method: Method, invoke: Invoke) -> bool:
    """What `pay$default` does with `pay`, and `access$pay`: nobody wrote it."""
    return method.name in (invoke.name + _DEFAULT, _ACCESS + invoke.name)


def _key(source: Source, one: Definition) -> tuple[object, ...]:
    return source.package, one.chain, one.name, one.takes, one.is_class


def _agreement(source: Source, one: ClassFile) -> int:
    return sum(
        (around := source.around(method.lines[0])) is not None and around.name == method.name
        for method in one.methods
        if method.lines
    )


def _parameters(descriptor: str) -> list[str]:
    return _PARAMETER.findall(descriptor[1 : descriptor.index(")")])


def _is_default_of(own: list[str], wanted: list[str]) -> bool:
    """Whether these are the same with masks of what is left out, and a marker."""
    masks = max(1, -(-len(own) // 32))
    cut = wanted[: len(wanted) - masks - 1]
    return own in (cut, cut[1:]) or own[1:] == cut[1:]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="research.rulers.oracles.jvm", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repo", type=Path, default=Path.cwd(), help="The checkout that paths are told from.")
    parser.add_argument("--classes", type=Path, nargs="+", required=True)
    parser.add_argument("--sources", type=Path, nargs="*", help="Folders of the sources; else all of the checkout.")
    given = parser.parse_args()
    root = given.repo.resolve()
    paths = {
        path
        for folder in given.sources or [root]
        for path in folder.resolve().rglob("*")
        if path.suffix in (".kt", ".java") and path.is_file()
    }
    classes = (
        classfile.read(path.read_bytes()) for folder in given.classes for path in sorted(folder.rglob("*.class"))
    )
    program = Program(classes, [jvm_sources.read(root, path) for path in sorted(paths)])
    for path, line, name, to in sorted(program.calls()):
        print(json.dumps({"path": path, "line": line, "name": name, "to": to}))


if __name__ == "__main__":
    main()
