"""Resolves names to ids: an id, `file:line`, a path, a name, or a dotted name."""

import posixpath
import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import cached_property, partial
from itertools import chain
from typing import NamedTuple

from clew.graph.elements import Elements
from clew.model.code import SCOPE, split_id, symbol_id, without_numbers
from clew.model.errors import NotFound
from clew.model.time import NOW
from clew.model.words import CLASSES, NAMELESS, Kind
from clew.store.files import Files
from clew.store.graph import Nodes
from clew.text.paths import Among, lies_among

PREFIXES = ("symbol::", "file::")  # how other systems spell ids
MOST_NAMED = 1000
MOST_NEAR = 5
LEAST_PARTS = 3  # of a name that begins with unknown ones: fewer are others' as well
_SHORTLIST = 60  # names that share letters with the one asked for, of which the nearest are looked for
_ALIKE = 3  # of one name that are suggested
_NEAR = 0.6  # how alike a name must be to be suggested

LINE = re.compile(r"(?P<path>.+?)(?::|#L|,? lines? )(?P<line>\d{1,9})(?:[-:C]L?\d+)*", re.DOTALL)  # also as in a link
INSIDE = re.compile(r"(?P<path>[^\s:#]+\.\w+)(?:::|:|#)(?P<name>[^\W\d].*)")  # `pay/card.py::Card.charge`
_FILE = re.compile(r".*\.\w+(?::\d+)?")
_BETWEEN = re.compile(r"::|->|#(?!\d)|[./\\]")  # `#2` is a second one of a name, `Card#charge` a method
_PACKAGES = frozenset({"__init__", "index", "mod"})  # files that stand for their folder
_QUOTES = "`'\"\u201c\u201d\u2018\u2019 "
_AROUND = f"{_QUOTES}&*@,;:"  # what people write around a name
_INTRODUCING = re.compile(r"(?:(?:class|def|enum|fn|func|function|interface|struct|trait) +)+(?=\S+$)")
_FILLED_IN = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")  # `Router<S>`, `List[int]`
_RECEIVER = re.compile(r"\(\*?(\w+)\)(?=\.)")  # `(*Card).Charge`, as Go writes it in traces
_PACKAGE = re.compile(rb"^\s*package\s+([\w.]+)", re.MULTILINE)
_NESTED = re.compile(r"(?<=\w)\$(?=\w)")  # `Option$Some`
_HERE = frozenset({"crate", "self", "super", "this"})


class Naming:
    def __init__(self, files: Files, nodes: Nodes, elements: Elements) -> None:
        self._files = files
        self._nodes = nodes
        self._elements = elements

    def find(self, text: str) -> list[str]:
        """The ids that a text may mean, sorted; one, if it is clear. None if it names nothing."""
        text = plain(text)
        if self._elements.get(text):
            return [text]
        text = normalize_id(text)
        if place := LINE.fullmatch(text):
            return self._at(place["path"], int(place["line"]))
        return self._in_file(text) or self._paths(text) or self._by_name(text) or self._modules(text)

    def loosely(self, text: str) -> list[str]:
        """Ids for a name that matches nothing as written: quoted, without some folders, or in other letter case."""
        said = _bare(text)
        found = self.find(said) if said != plain(text) else []
        macro = f"{said}!"  # as Rust's are called
        along = self._along(_parts(said)) or self._further_in(said)
        parts = _parts(said)
        return found or self._by_name(macro) or along or self._in_package(parts) or self._in_other_letters(parts)

    def _in_package(self, parts: list[str]) -> list[str]:
        """Symbols that `package.Type.method` names, in files that declare the package."""
        for count in range(1, len(parts)):
            package, ids = ".".join(parts[:count]), self._by_name(SCOPE.join(parts[count:]))
            if found := [one for one in ids if self._declares(split_id(one)[0], package)]:
                return found
        return []

    def _declares(self, path: str, package: str) -> bool:
        page = self._elements.page(path)
        said = _PACKAGE.search(self._files.text(page.version.text)) if page else None
        return said is not None and f".{said[1].decode()}".endswith(f".{package}")

    def of_owner(self, text: str) -> tuple[list[str], str]:
        """The ids of the owner in a text such as `Owner.name`, and the last name."""
        text = _bare(text)
        if said := INSIDE.fullmatch(normalize_id(text)):
            *owner, name = _parts(said["name"]) or [""]
            return self.find(SCOPE.join((said["path"], *owner))), name
        *owner, name = _parts(text) or [""]
        return (self.find(SCOPE.join(owner)) or self._along(owner) if owner else []), name

    def inside(self, path: str, text: str) -> list[str]:
        """The same within one file."""
        page, parts = self._elements.page(path), _parts(plain(text))
        ids = [symbol_id(path, scope) for scope in page.symbols] if page else []
        return sorted(one for one in ids if _ends(_parts_of(one), parts))

    def once(self, text: str) -> list[str]:
        """The ids of deleted symbols and files that a text may name: a file by its path, a symbol by its name."""
        text = normalize_id(_bare(text))
        said = INSIDE.fullmatch(text)
        parts = _parts(said["name"] if said else text)
        name = parts[-1].partition("#")[0] if parts else ""
        ids = [one for one in self._nodes.ever_named(name) if _ends(_parts_of(one), parts)] if name else []
        if said:
            ids = [one for one in ids if f"/{split_id(one)[0]}".endswith(f"/{said['path']}")]
        files = [text] if self._files.history(text) else []
        return [one for one in (*files, *ids) if not self._elements.get(one)]

    def folder(self, text: str) -> tuple[str, list[str]]:
        """The folder that a text names, with a slash, and the files below it, code first; of a package, too."""
        said = normalize_id(_bare(text)).strip("/")
        paths = self._files.versions_at(self._elements.at) if said else ()
        for name in dict.fromkeys((said, said.replace(".", "/").replace(SCOPE, "/"))):
            tops = {path[: at + len(name)] for path in paths if (at := f"/{path}".find(f"/{name}/")) >= 0}
            if tops:
                top = f"{min(tops, key=lambda one: (len(one), one))}/"
                inside = [path for path in paths if path.startswith(top)]
                return top, sorted(inside, key=lambda path: (lies_among(path) is not Among.CODE, path))
        return "", []

    def stands_for(self, text: str, ids: Sequence[str]) -> list[str]:
        """Ids that a folder's path can mean: its own file, or a file of the same name beside it."""
        parts, paths = text.removeprefix("./").split("/"), {one: split_id(one)[0] for one in ids}
        said = [one for one, path in paths.items() if (page := self._elements.page(path)) and page.version.lines]
        return [one for one in said if parts in (_parts_of(one), _parts_of(paths[one]))]

    def near(self, text: str) -> list[str]:
        """Ids with similar names, the nearest first; a text that looks like a file name matches files alone."""
        stem, suffix = posixpath.splitext(plain(text).rpartition("/")[2])
        if suffix and any(path.endswith(suffix) for path in self._files.versions_at(self._elements.at)):
            files = ([one for one in self._all[name] if SCOPE not in one] for name in nearest(stem, self._all))
            ordered = (sorted(some, key=lambda path: (-_alike(text, path), path)) for some in files)
            return list(chain.from_iterable(ordered))[:MOST_NEAR]
        owner, name = ["", "", *_parts(plain(text))][-2:]
        alike, above = nearest(name, self._all), owner
        if not alike:
            alike, above = nearest(owner, self._all), ""
        order = partial(_aside, above.lower())
        return [one for name in alike for one in sorted(self._all[name], key=order)[:_ALIKE]][:MOST_NEAR]

    def alike(self, word: str, least: float) -> list[str]:
        """Similar names, regardless of their symbols."""
        own = (name for name in self._all if _may_be_alike(len(word), len(name), least))
        return nearest(word, own, least)

    @cached_property
    def _all(self) -> dict[str, list[str]]:
        """All current ids, by name."""
        paths = {one.file: one.path for one in self._files.contents()}
        called: dict[str, list[str]] = {}
        for node in self._nodes.all():
            called.setdefault(node.name, []).append(symbol_id(paths.get(node.file, ""), node.scope))
        for path in paths.values():
            called.setdefault(_stem(path), []).append(path)
        return called

    def _at(self, path: str, line: int) -> list[str]:
        paths = [path] if self._elements.page(path) else self._paths(path)
        pages = {one: page for one in paths if (page := self._elements.page(one))}
        found = [symbol_id(one, p.at(line)) for one, p in pages.items() if 1 <= line <= max(p.version.lines, 1)]
        if pages and not found:
            longest = max(pages, key=lambda one: pages[one].version.lines)
            raise NotFound(f"{longest} has {pages[longest].version.lines} lines", "Name a line that the file has.")
        return found

    def _in_file(self, text: str) -> list[str]:
        """Symbols of a file, by the last of their names or all of them."""
        said = INSIDE.fullmatch(text)
        if not said:
            return []
        paths = [said["path"]] if self._elements.page(said["path"]) else self._paths(said["path"])
        return self._but_makers([one for path in paths for one in self.inside(path, said["name"])])

    def _paths(self, text: str) -> list[str]:
        """Files with a path that ends so."""
        if "." not in text and "/" not in text:
            return []
        end = f"/{text.removeprefix('./')}"
        return sorted(path for path in self._files.versions_at(self._elements.at) if f"/{path}".endswith(end))

    def _by_name(self, text: str) -> list[str]:
        parts = _parts(text)
        return self._but_makers([one for one in self._by_last_name(parts) if _ends(_parts_of(one), parts)])

    def _by_last_name(self, parts: list[str]) -> list[str]:
        """The ids of all that have the last of some names."""
        name = parts[-1].partition("#")[0] if parts else ""
        if not name:
            return []
        if self._elements.at == NOW:
            return [one for one, _ in self._nodes.find_named(name, MOST_NAMED)]
        return [one for one in self._nodes.ever_named(name) if self._elements.get(one)]

    def _along(self, parts: list[str]) -> list[str]:
        """Symbols that have the last name, within the other names in their order: `flask.Flask`."""
        return self._but_makers([one for one in self._by_last_name(parts) if _has_in_order(_parts_of(one), parts)])

    def _further_in(self, said: str) -> list[str]:
        """As above, for a name that begins with parts without a path, such as a package or a .NET namespace."""
        parts = _parts(said) if "." in said.rpartition("/")[2] else []
        tries = (self._along(parts[first:]) for first in range(1, len(parts) - LEAST_PARTS + 1))
        return next(filter(None, tries), [])

    def _but_makers(self, ids: list[str]) -> list[str]:
        """Sorted, without the constructors of a class that is among them and has their name."""
        holders = {one.rpartition(SCOPE)[0] for one in ids}.intersection(ids)  # few are, and each is looked up
        classes = {one for one in holders if (found := self._elements.get(one)) and found.kind in CLASSES}
        return sorted(one for one in ids if one.rpartition(SCOPE)[0] not in classes)

    def _modules(self, text: str) -> list[str]:
        """Files; of one that is there for a class of its name, as Java's are, that."""
        parts = _parts(text)
        paths = self._files.versions_at(self._elements.at) if parts else ()
        return sorted(self._main(path) for path in paths if _ends(_parts_of(path), parts))

    def _main(self, path: str) -> str:
        page = self._elements.page(path)
        symbol = page.symbols.get(_stem(path)) if page else None
        return symbol_id(path, symbol.scope) if symbol and symbol.kind in CLASSES else path

    def _in_other_letters(self, parts: list[str]) -> list[str]:
        """Symbols of the name in other letter case."""
        wanted = [part.lower() for part in parts]
        if not wanted or self._elements.at != NOW:
            return []
        ids = [one for name, some in self._all.items() if name.lower() == wanted[-1] for one in some]
        found = sorted(one for one in ids if _has_in_order([part.lower() for part in _parts_of(one)], wanted))
        return [one for one in found if SCOPE in one] or found


def plain(text: str) -> str:
    """An id as Clew spells it."""
    text = text.strip()
    prefix = next((one for one in PREFIXES if text.startswith(one)), "")
    return text.removeprefix(prefix)


def normalize_id(text: str) -> str:
    """A path, or the path of an id, in one spelling: `./src//x/../pay.py` is `src/pay.py`. A link stays as it is."""
    path, scope = split_id(text)
    if "\\" in path and _FILE.fullmatch(path):  # else it may be a name in a language that has them between names
        path = path.replace("\\", "/")
    path = posixpath.normpath(path) if "/" in path and "://" not in path else path
    return symbol_id(path, scope)


def unquote(text: str) -> str:
    """Without quotes around it; a name may begin or end with one."""
    text = plain(text)
    while len(text) > 1 and text[0] in _QUOTES and text[-1] in _QUOTES:
        text = text[1:-1]
    return text


def _bare(text: str) -> str:
    """A name without the syntax around it."""
    text = _INTRODUCING.sub("", plain(text).strip(_AROUND))
    text = _NESTED.sub(SCOPE, _FILLED_IN.sub("", _RECEIVER.sub(r"\1", text)) or text)
    first, between, rest = text.partition(".") if "." in text else text.partition(SCOPE)
    return rest if first in _HERE and between else text


def _parts(text: str) -> list[str]:
    return [part for part in _BETWEEN.split(re.sub(r"\(.*\)$", "", text)) if part]


def _parts_of(id: str) -> list[str]:
    """A file's folders and name, without its suffix, and the scopes inside of it."""
    path, scope = split_id(id)
    *folders, _ = path.split("/")
    stem = _stem(path)
    names = [] if stem in _PACKAGES and (folders or scope) else [stem]
    return [*folders, *names, *(scope.split(SCOPE) if scope else [])]


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] or name


def _ends(parts: list[str], wanted: list[str]) -> bool:
    """Whether an id's parts end as wanted; a number behind a name may be left out."""
    last = parts[-len(wanted) :] if wanted else []
    same = (has == want or has.partition("#")[0] == want for has, want in zip(last, wanted, strict=False))
    return len(last) == len(wanted) > 0 and all(same)


def _has_in_order(parts: list[str], wanted: list[str]) -> bool:
    """Whether the last names are equal, and the other wanted names stand before in this order, possibly with others
    in between; a crate's dash may be an underscore."""
    names = iter([part.replace("-", "_") for part in reversed(parts)])
    above = [part.replace("-", "_") for part in reversed(wanted)]
    return _ends(parts, wanted[-1:]) and next(names) != "" and all(one in names for one in above[1:])


def _aside(owner: str, id: str) -> tuple[float, bool, str]:
    """A sort key: distance between an id's container and the named owner; code comes before tests."""
    above = _parts_of(id)[-2:-1]
    nearness = _alike(owner, above[0].lower()) if owner and above else 0.0
    return -nearness, lies_among(split_id(id)[0]) is not Among.CODE, id


def _may_be_alike(one: int, other: int, least: float) -> bool:
    """Whether names of such lengths can be similar: the surplus of the longer one counts as difference."""
    return 2 * min(one, other) >= least * (one + other)


def nearest(wanted: str, names: Iterable[str], least: float = _NEAR) -> list[str]:
    """First by the pairs of letters that they share, which is quick; the best of those by a closer look."""
    pairs = _pairs(wanted)
    shared = [(2 * len(pairs & has) / (len(pairs) + len(has)), name) for name in names if (has := _pairs(name))]
    shortlist = sorted((one for one in shared if one[0]), key=lambda one: (-one[0], one[1]))[:_SHORTLIST]
    alike = [(_alike(wanted.lower(), name.lower()), _alike(wanted, name), name) for _, name in shortlist]
    return [name for score, _, name in sorted(alike, key=lambda one: (-one[0], -one[1], one[2])) if score >= least]


def _alike(wanted: str, name: str) -> float:
    """A name inside of another is near."""
    ratio = SequenceMatcher(None, wanted, name, autojunk=False).ratio()
    inside = min(len(wanted), len(name)) >= 4 and (wanted in name or name in wanted)
    return max(ratio, _NEAR) if inside else ratio


def _pairs(name: str) -> set[str]:
    """Letters count too: in a short name, two that changed places leave no pair."""
    name = name.lower()
    return {*name, *(name[i : i + 2] for i in range(len(name) - 1))}


# Which of several symbols of one name is meant: the one rule of all tools that take a name. Pure.

_FUNCTIONS = frozenset({Kind.FUNCTION, Kind.METHOD})
_SEPARATOR = re.compile(r"::|->|#(?!\d)|[./\\]")


class Precedence(NamedTuple):
    """Lower comes first. Symbols of equal precedence are ambiguous."""

    is_prose: bool
    outside_code: bool  # in tests, examples or other files that are not the project's own code
    is_variable: bool
    is_local: bool  # defined inside of a function
    is_part: bool  # no class whose qualified name is given in full


def precedence(elements: Elements, text: str, id: str) -> Precedence:
    path, scope = split_id(id)
    one = elements.describe(id)
    names = scope.split(SCOPE) if scope else []
    outer = (symbol_id(path, SCOPE.join(names[:count])) for count in range(1, len(names)))
    return Precedence(
        is_prose=one.kind in NAMELESS and bool(scope),
        outside_code=lies_among(path) is not Among.CODE,
        is_variable=one.kind is Kind.VARIABLE,
        is_local=any((holder := elements.symbol(each)) and holder.kind in _FUNCTIONS for each in outer),
        is_part=not (one.kind in CLASSES and _says_all(text, without_numbers(scope))),
    )


def first_meant(elements: Elements, text: str, ids: Iterable[str]) -> list[str]:
    """The ids of the best precedence, in their order: one, if the name is clear."""
    ranked = [(precedence(elements, text, one), one) for one in ids]
    best = min((rank for rank, _ in ranked), default=None)
    return [one for rank, one in ranked if rank == best]


def _says_all(text: str, scope: str) -> bool:
    """Whether a text gives the whole qualified name."""
    said, whole = _names(re.sub(r"\(.*\)$", "", text)), _names(scope)
    return said[-len(whole) :] == whole if whole else True


def _names(text: str) -> Sequence[str]:
    return [name for name in _SEPARATOR.split(text) if name]
