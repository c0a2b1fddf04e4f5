"""What people call a thing, and which ids they may mean: an id, `file:line`, a path, a name, a dotted name."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

from clew.graph.elements import Elements
from clew.model.code import SCOPE, split_id, symbol_id
from clew.model.errors import NotFound
from clew.model.time import NOW
from clew.store.files import Files
from clew.store.graph import Nodes

PREFIXES = ("symbol::", "file::")  # how other systems spell ids
MOST_NAMED = 1000
MOST_NEAR = 5
_SHORTLIST = 60  # names that share letters with the one asked for, of which the nearest are looked for
_ALIKE = 3  # of one name that are suggested
_NEAR = 0.6  # how alike a name must be to be suggested

_LINE = re.compile(r"(?P<path>.+?):(?P<line>\d{1,9})(?:[-:]\d+)?")
_BETWEEN = re.compile(r"::|->|#(?!\d)|[./\\]")  # `#2` is a second one of a name, `Card#charge` a method
_PACKAGES = frozenset({"__init__", "index", "mod"})  # files that stand for their folder


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
        if place := _LINE.fullmatch(text):
            return self._at(place["path"], int(place["line"]))
        return self._paths(text) or self._named(text) or self._modules(text)

    def inside(self, path: str, text: str) -> list[str]:
        """Likewise, of what stands in one file."""
        page, parts = self._elements.page(path), _parts(plain(text))
        ids = [symbol_id(path, scope) for scope in page.symbols] if page else []
        return sorted(one for one in ids if _ends(_parts_of(one), parts))

    def near(self, text: str) -> list[str]:
        """The ids of what is called almost so, the nearest first."""
        wanted = _parts(plain(text))[-2:][::-1]  # the last name, and if nothing is near, what it is said to be in
        paths = {one.file: one.path for one in self._files.contents()}
        called: dict[str, list[str]] = {}
        for node in self._nodes.all():
            called.setdefault(node.name, []).append(symbol_id(paths.get(node.file, ""), node.scope))
        for path in paths.values():
            called.setdefault(_stem(path), []).append(path)
        nearest = next((found for part in wanted if (found := _nearest(part, called))), [])
        return [one for name in nearest for one in sorted(called[name])[:_ALIKE]][:MOST_NEAR]

    def _at(self, path: str, line: int) -> list[str]:
        found = []
        for one in [path] if self._elements.page(path) else self._paths(path):
            page = self._elements.page(one)
            if page and 1 <= line <= max(page.version.lines, 1):
                found.append(symbol_id(one, page.at(line)))
            elif page:
                raise NotFound(f"{one} has {page.version.lines} lines", "Name a line that the file has.")
        return found

    def _paths(self, text: str) -> list[str]:
        """Files whose path ends so."""
        if "." not in text and "/" not in text:
            return []
        end = f"/{text.removeprefix('./')}"
        return sorted(path for path in self._files.versions_at(self._elements.at) if f"/{path}".endswith(end))

    def _named(self, text: str) -> list[str]:
        parts = _parts(text)
        name = parts[-1].partition("#")[0] if parts else ""
        if not name:
            return []
        if self._elements.at == NOW:
            ids = [one for one, _ in self._nodes.named(name, MOST_NAMED)]
        else:
            ids = [one for one in self._nodes.ever_named(name) if self._elements.get(one)]
        return sorted(one for one in ids if _ends(_parts_of(one), parts))

    def _modules(self, text: str) -> list[str]:
        parts = _parts(text)
        paths = self._files.versions_at(self._elements.at) if parts else ()
        return sorted(path for path in paths if _ends(_parts_of(path), parts))


def plain(text: str) -> str:
    """An id as Clew spells it."""
    text = text.strip()
    prefix = next((one for one in PREFIXES if text.startswith(one)), "")
    return text.removeprefix(prefix)


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


def _nearest(wanted: str, names: Iterable[str]) -> list[str]:
    """First by the pairs of letters that they share, which is quick; the best of those by a closer look."""
    pairs = _pairs(wanted)
    shared = [(2 * len(pairs & has) / (len(pairs) + len(has)), name) for name in names if (has := _pairs(name))]
    shortlist = sorted((one for one in shared if one[0]), key=lambda one: (-one[0], one[1]))[:_SHORTLIST]
    alike = [(_alike(wanted.lower(), name.lower()), _alike(wanted, name), name) for _, name in shortlist]
    return [name for score, _, name in sorted(alike, key=lambda one: (-one[0], -one[1], one[2])) if score >= _NEAR]


def _alike(wanted: str, name: str) -> float:
    """A name inside of another is near."""
    ratio = SequenceMatcher(None, wanted, name, autojunk=False).ratio()
    inside = min(len(wanted), len(name)) >= 4 and (wanted in name or name in wanted)
    return max(ratio, _NEAR) if inside else ratio


def _pairs(name: str) -> set[str]:
    """Letters count too: in a short name, two that changed places leave no pair."""
    name = name.lower()
    return {*name, *(name[i : i + 2] for i in range(len(name) - 1))}
