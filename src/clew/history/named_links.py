"""Call and import edges of past contents, by names alone: approximate, and marked so by evidence and confidence."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from posixpath import dirname, splitext

from clew.index.named_calls import CallReach, NamedCall, unpack_named_calls
from clew.model.code import SCOPE, split_id, symbol_id, without_numbers
from clew.model.words import EdgeKind, EvidenceKind
from clew.store.links import FileEdge, Linked, pack_links, strongest

BY_NAME = 0.4  # the confidence of such an edge: a candidate, never followed as a sure one
MOST_TARGETS = 3  # of one name in an imported module
_FOLDER_FILES = frozenset({"__init__", "index", "mod", "lib", "main", "init", "package"})  # stand for their folder
_ROOTS = 2  # folders above a module that is named by one word: src/, lib/
_SEPARATORS = re.compile(r"[./\\:]+")
_NOT_NAMES = frozenset({"crate", "self", "super"})


class NamedLinks:
    """Links contents of the past to ids that ever existed; `ids` are those of all symbols, by their last name."""

    def __init__(self, paths: Iterable[str], ids: Mapping[str, Collection[str]]) -> None:
        self._modules = ModulePaths(paths)
        self._ids = ids

    def link(self, path: str, named: bytes) -> bytes:
        """The packed edges of a content at a path; empty if there are none."""
        found = unpack_named_calls(named)
        edges = []
        for line, module in found.imports:
            targets = [one for one in self._modules.find(path, module) if one != path]
            if len(targets) == 1:
                edges.append(_edge("", EdgeKind.IMPORTS, targets[0], line, EvidenceKind.NAMED_IMPORT))
        for call in found.calls:
            edges += [
                _edge(call.scope, EdgeKind.CALLS, target, call.line, EvidenceKind.NAMED_CALL)
                for target in self._targets(path, call)
            ]
        return pack_links(Linked(strongest(edges))) if edges else b""

    def _targets(self, path: str, call: NamedCall) -> Sequence[str]:
        if call.reach == CallReach.OWN:
            return [symbol_id(path, call.name)]
        if call.reach == CallReach.PACKAGE:
            return self._files_named(self._modules.beside(path), call.name)
        for module, name in _readings(call.module, call.name):
            paths = self._modules.find(path, module)
            if paths and (targets := self._files_named(paths, name)):
                return targets
        return ()

    def _files_named(self, paths: Iterable[str], name: str) -> Sequence[str]:
        among = set(paths)
        ids = sorted(one for one in self._ids.get(last_name(name), ()) if split_id(one)[0] in among)
        scopes = {one: without_numbers(split_id(one)[1]) for one in ids}
        exact = [one for one in ids if scopes[one] == name]
        return (exact or [one for one in ids if scopes[one].endswith(f"{SCOPE}{name}")])[:MOST_TARGETS]


def last_name(scope: str) -> str:
    """The name by which a symbol is looked up."""
    return without_numbers(scope.rpartition(SCOPE)[2])


class ModulePaths:
    """Which files a module's name may stand for, by the ends of their paths."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_last: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        self._folders: dict[str, list[str]] = {}
        for path in sorted(set(paths)):
            folder = dirname(path)
            self._folders.setdefault(folder, []).append(path)
            parts = (*filter(None, folder.split("/")), path.rpartition("/")[2].partition(".")[0])
            self._add(parts, path)
            if parts[-1] in _FOLDER_FILES and len(parts) > 1:
                self._add(parts[:-1], path)
        self._by_folder: dict[str, list[str]] = {}
        for folder in self._folders:
            self._by_folder.setdefault(folder.rpartition("/")[2], []).append(folder)
        self._found: dict[tuple[str, str], tuple[str, ...]] = {}

    def beside(self, path: str) -> Sequence[str]:
        """The files of the same folder."""
        return self._folders.get(dirname(path), ())

    def find(self, importer: str, module: str) -> tuple[str, ...]:
        """Files, or all files of a folder; none, if several are as likely."""
        key = dirname(importer), module
        if key not in self._found:
            self._found[key] = tuple(self._find(*key))
        return self._found[key]

    def _add(self, parts: tuple[str, ...], path: str) -> None:
        self._by_last.setdefault(parts[-1], []).append((parts, path))

    def _find(self, folder: str, module: str) -> Sequence[str]:
        base, parts = _from(folder, module)
        if not parts:
            return self._folders.get("/".join(base), ()) if base is not None else ()
        if base is not None:
            whole = (*base, *parts)
            exact = [path for other, path in self._by_last.get(whole[-1], ()) if other == whole]
            return exact or self._folders.get("/".join(whole), ())
        scored = [(_common_tail(other, parts), path) for other, path in self._by_last.get(parts[-1], ())]
        best = max((score for score, _ in scored), default=0)
        found = [path for score, path in scored if score == best] if best else []
        if found:
            return found if len(found) == 1 else [one for one in found if _top(one) == _top(f"{folder}/")][:1]
        folders = [one for one in self._by_folder.get(parts[-1], ()) if _common_tail(tuple(one.split("/")), parts)]
        return self._folders[folders[0]] if len(folders) == 1 else ()


def _readings(module: str, name: str) -> list[tuple[str, str]]:
    """The ways in which a module and a name in it may be meant: what is imported may be a module itself."""
    first, _, rest = name.partition(SCOPE)
    parts = _SEPARATORS.split(module.strip("./"))
    ways = [(module, name)] if name else []
    if rest:
        ways.append((f"{module}{_separator(module)}{first}", rest))
    ways.append((module, SCOPE.join(filter(None, (parts[-1], name)))))  # `import a.b.Card`
    if len(parts) > 1:
        ways.append((module[: -len(parts[-1]) - 1], SCOPE.join(filter(None, (parts[-1], name)))))
    return ways


def _separator(module: str) -> str:
    if module.endswith("."):
        return ""
    return next((one for one in ("/", "::", "\\") if one in module), ".")


def _from(folder: str, module: str) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """The folder that a relative module starts from, else None; and the names that lead on."""
    here = tuple(filter(None, folder.split("/")))
    if "/" in module:
        steps = [one for one in splitext(module)[0].split("/") if one]
        if steps and steps[0] in (".", ".."):
            up = steps.count("..")
            return here[: len(here) - up], tuple(one for one in steps if one not in (".", ".."))
        return None, tuple(steps)
    if module.startswith("."):
        up = len(module) - len(module.lstrip(".")) - 1
        return here[: len(here) - up], tuple(filter(None, module.split(".")))
    return None, tuple(one for one in _SEPARATORS.split(module) if one and one not in _NOT_NAMES)


def _common_tail(path: tuple[str, ...], module: tuple[str, ...]) -> int:
    """How many names a path and a module have in common at their ends, if one of them ends with the other."""
    length = min(len(path), len(module))
    if path[-length:] != module[-length:] or (length < 2 and len(path) > length + _ROOTS):
        return 0
    return length


def _top(path: str) -> str:
    return path.partition("/")[0]


def _edge(scope: str, kind: EdgeKind, target: str, line: int, evidence: EvidenceKind) -> FileEdge:
    return FileEdge(scope, kind, target, line, evidence, BY_NAME)
