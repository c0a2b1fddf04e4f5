"""MENTIONS and DOCUMENTS: from sections of prose to the symbols that they name.

A name counts by how few things of the tree it may be: qualified ones lead through modules and classes, bare ones only
where few definitions are called so. A heading or a directive that names one thing documents it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

from clew.index.edges.symbols import SymbolPlace, SymbolTable
from clew.index.extract.scope_map import inside
from clew.index.facts import CODE, DIRECTIVE, HEADING, LINK, QUALIFIED, ROLE, TITLE, Facts, NameMention
from clew.index.modules import SourceTree
from clew.index.modules.source_tree import folder_of, join_path
from clew.index.resolve.common_methods import COMMON
from clew.languages import LANGUAGES
from clew.model.code import SCOPE, split_id, symbol_id
from clew.model.words import EdgeKind, EvidenceKind, Kind
from clew.store.links import FileEdge
from clew.text.paths import is_test_path

MOST_NAMESAKES = 5  # definitions of one name that are kept; what else is said of it has to tell them apart
MOST_MEANT = 2  # that a bare name may mean
CONFIDENCE = {CODE: 0.8, ROLE: 0.9, LINK: 0.95, QUALIFIED: 0.9, HEADING: 0.9, TITLE: 0.6, DIRECTIVE: 0.95}
BY_PATH = 0.95  # a name that leads through modules
BY_SUFFIX = 0.9  # one whose last parts only one symbol has
A_WORD = 0.5  # of small letters, without anything that makes it a name

_MADE = ".min."  # in the name of what was made from other sources
LANGUAGE_OF_MODULES = "python"  # as prose names them
AT_ROOT = "_"  # any file there
_DOCUMENTS = (HEADING, TITLE, DIRECTIVE)
_CLASSES = frozenset({Kind.CLASS.value, Kind.INTERFACE.value})
_CALLABLE = _CLASSES | {Kind.FUNCTION.value}
_DEFINITIONS = _CLASSES | {Kind.FUNCTION.value, Kind.METHOD.value, Kind.VARIABLE.value}
_WORDS = COMMON.union(*(language.builtins for language in LANGUAGES))

Named = Mapping[str, tuple[str, ...]]
Found = list[tuple[str, float]]


def definitions_by_name(files: Iterable[tuple[str, Facts]]) -> dict[str, tuple[str, ...]]:
    """The definitions of each name that few have; tests aside, which prose does not tell about."""
    found: dict[str, list[str]] = defaultdict(list)
    for path, facts in files:
        if is_test_path(path) or _MADE in path:
            continue
        for scope, kind in facts.kinds.items():
            if kind in _DEFINITIONS and "<" not in scope and "#" not in scope:
                found[scope.rpartition(SCOPE)[2]].append(symbol_id(path, scope))
    return {name: tuple(sorted(ids)) for name, ids in sorted(found.items()) if len(ids) <= MOST_NAMESAKES}


class ProseEdges:
    """`find_module` finds the file of a module, as seen from the root; "" if there is none."""

    def __init__(
        self,
        world: SourceTree,
        facts: Callable[[str], Facts],
        named: Named,
        symbols: SymbolTable,
        find_module: Callable[[str], str],
    ) -> None:
        self._world = world
        self._find_module = find_module
        self._facts = facts
        self._named = named
        self._symbols = symbols
        self._known: dict[tuple[str, int], Found] = {}
        self._modules: dict[str, str] = {}

    def of(self, path: str, mentions: Iterable[NameMention]) -> Iterator[FileEdge]:
        best: dict[tuple[str, str], tuple[bool, float, int]] = {}
        for one in mentions:
            documents = one.how in _DOCUMENTS
            for target, confidence in self._resolve_mention(path, one.name, one.how):
                said = documents, confidence, -one.line
                if target != path and said > best.get((one.scope, target), (False, 0.0, 0)):
                    best[one.scope, target] = said
        for (scope, target), (documents, confidence, line) in best.items():
            kind = EdgeKind.DOCUMENTS if documents else EdgeKind.MENTIONS
            yield FileEdge(scope, kind, target, -line, EvidenceKind.IDENTIFIER, round(confidence, 3))

    def _resolve_mention(self, path: str, name: str, how: int) -> Found:
        if "/" in name or how == LINK:
            return self._file(path, name)
        found = self._known.get((name, how))
        if found is None:
            found = self._known[name, how] = self._name(name, how)
        return found

    def _file(self, path: str, name: str) -> Found:
        for folder in (folder_of(path), ""):
            if (file := join_path(folder, name)) in self._world.paths:
                return [(file, CONFIDENCE[LINK])]
        tail = f"/{name.lstrip('./')}"
        same = [file for file in self._world.files_named(name.rpartition("/")[2]) if file.endswith(tail)]
        return [(same[0], CONFIDENCE[LINK])] if len(same) == 1 and "/" in tail[1:] else []

    def _name(self, name: str, how: int) -> Found:
        called, name = name.endswith("()"), name.removesuffix("()")
        module, _, bare = name.rpartition(":")
        parts = bare.split(".")
        sure = CONFIDENCE[how]
        if module and (target := self._through_modules([*module.split("."), *parts])):
            return [(target, sure)]
        if len(parts) > 1 or how == QUALIFIED:
            if target := self._through_modules(parts):
                return [(target, max(sure, BY_PATH))]
            return self._share(list(self._by_suffix(parts)), BY_SUFFIX, how)
        if how == DIRECTIVE and (file := self._module(parts)):
            return [(file, sure)]
        is_word = how == CODE and not called and _is_word(bare)
        return self._share(self._resolve_bare_name(bare, how, is_word=is_word), A_WORD if is_word else sure, how)

    def _share(self, ids: list[str], sure: float, how: int) -> Found:
        """Shared among the candidates; documentation has a single subject."""
        if how in _DOCUMENTS and len(ids) != 1:
            return []
        return [(one, sure / len(ids)) for one in ids]

    def _resolve_bare_name(self, name: str, how: int, *, is_word: bool) -> list[str]:
        """The symbols of a bare name; a plain word only stands for a class or a function, and only if it is unique."""
        ids = list(self._named.get(name, ()))
        if len(ids) > MOST_MEANT or (is_word and (name in _WORDS or len(ids) > 1)):
            return []
        wanted = _CLASSES if how == TITLE else _CALLABLE if is_word else _DEFINITIONS
        return [one for one in ids if self._kind(one) in wanted]

    def _kind(self, id: str) -> str:
        path, scope = split_id(id)
        return self._facts(path).kinds.get(scope, "")

    def _through_modules(self, parts: list[str]) -> str:
        """`pay.card.Card.charge`: the longest start that is a module, and members from there."""
        for end in range(len(parts), 0, -1):
            if file := self._module(parts[:end]):
                return self._members(SymbolPlace(file, ""), parts[end:])
        return ""

    def _module(self, parts: list[str]) -> str:
        """The file of a module, as seen from the root."""
        name = ".".join(parts)
        if name not in self._modules:
            self._modules[name] = self._find_module(name)
        return self._modules[name]

    def _members(self, place: SymbolPlace, names: list[str]) -> str:
        for name in names:
            found = [one for one in self._symbols.member(place, name) if isinstance(one, SymbolPlace)]
            if len(found) != 1:
                return ""
            place = found[0]
        return symbol_id(place.path, place.scope)

    def _by_suffix(self, parts: list[str]) -> Iterator[str]:
        """Ids with a path and scope that end with the parts; for a frequent name, by its class."""
        *holders, name = parts
        tail = "." + ".".join(parts)
        if name in self._named:
            yield from (one for one in self._named[name] if f".{_dotted_name(one)}".endswith(tail))
            return
        for holder in self._named.get(holders[-1], ()) if holders else ():
            path, scope = split_id(holder)
            own = inside(scope, name)
            if f".{_dotted_name(holder)}".endswith("." + ".".join(holders)) and own in self._facts(path).kinds:
                yield symbol_id(path, own)


def _is_word(name: str) -> bool:
    return name.isalpha() and (name.islower() or name.isupper() or name.istitle())


def _dotted_name(id: str) -> str:
    """`src/pay/card.py::Card::charge` as `src.pay.card.Card.charge`."""
    path, scope = split_id(id)
    stem = path.rpartition(".")[0] if "." in path.rpartition("/")[2] else path
    return f"{stem.replace('/', '.')}.{scope.replace(SCOPE, '.')}"
