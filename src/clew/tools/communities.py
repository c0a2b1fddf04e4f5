"""The answer of `community_list`: communities with their central members and relations, in words."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from blake3 import blake3
from msgspec import Struct

from clew.engine import Engine
from clew.graph.elements import Elements, summary_key
from clew.model.code import split_id
from clew.model.errors import NotFound
from clew.model.words import CLASSES, Kind
from clew.text.paths import Among, lies_among
from clew.tools.budget import Priority, Shape, grow_lists, only
from clew.tools.freshness import NOTHING_TO_TELL, FreshnessState, count_of
from clew.tools.naming import spelt_here

if TYPE_CHECKING:
    from clew.graph.communities import Community
    from clew.graph.community_keeper import Communities

MOST_CENTRAL = 5
MOST_RELATED = 5
_NAMED = (*CLASSES, Kind.FUNCTION, Kind.METHOD)


class CommunityView(Struct, frozen=True, omit_defaults=True):
    """`central` are the symbols that most others lead to. `uses` and `used_by` name communities of the same level, the
    strongest first; `parts` are labels of the communities inside of it."""

    id: str
    label: str
    files: int
    summary: str
    level: int = 0
    parent: str = ""
    folder: str = ""
    central: tuple[str, ...] = ()
    central_files: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    used_by: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    score: float = 0.0


class CommunityList(Struct, frozen=True, omit_defaults=True):
    """`modularity` says how much more the files of a community are tied to each other than by chance. `untied` files
    use none and are used by none; they belong to no community. `refreshed` is how many files have other ties than
    after the last full rebuild: only these may have moved since."""

    communities: tuple[CommunityView, ...]
    total: int = 0
    modularity: float = 0.0
    untied: int = 0
    refreshed: int = 0
    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        if not self.communities:
            return f"No files use each other here. {self.freshness.unseen()}".rstrip()
        names = ", ".join(f"{one.label} ({one.files})" for one in self.communities[:5])
        more = " …" if self.total > 5 else ""
        said = f"{count_of(self.total, 'community', 'communities')} of files: {names}{more}."
        return " ".join(filter(None, [said, refreshed_said(self.refreshed), self.freshness.unseen()]))

    def quoted_files(self) -> Iterable[str]:
        """Files that the answer tells of."""
        return (split_id(name)[0] for one in self.communities for name in one.central)


COMMUNITIES_SHAPE = Shape(
    {
        "total": Priority.HIGH,
        "modularity": Priority.LOW,
        "untied": Priority.LOW,
        "refreshed": Priority.LOW,
        "freshness": Priority.LOW,
    },
    grow_lists("communities", forms={"communities": (only("label", "files"), only("id", "label", "files", "summary"))}),
    pages=("communities",),
)


def communities(engine: Engine, level: int, file: str, limit: int) -> CommunityList:
    from clew.graph.communities import modularity  # numpy is heavy

    engine.require_index()
    found = engine.communities()
    chosen = [one for one in found.all if level in (-1, one.level)]
    if file:
        path = spelt_here(engine, file)
        if found.of(path) is None:
            raise NotFound(f"{path} belongs to no community", "Name a file that others use or that uses others.")
        chosen = [one for one in found.all if one.number in found.membership.of[path]]
    outer = {path: numbers[0] for path, numbers in found.membership.of.items()}
    views = Views(engine, found)
    return CommunityList(
        tuple(views.view(one) for one in chosen[:limit]),
        len(chosen),
        round(modularity(found.graph, outer), 3),
        len(found.graph.paths) - len(outer),
        found.membership.refreshed,
    )


def refreshed_said(count: int) -> str:
    """Tells communities that were refreshed from those that a full rebuild would find."""
    files = count_of(count, "file has", "files have")
    return (
        f"Refreshed: {files} other ties than after the last full rebuild; `clew rebuild` finds them anew."
        if count
        else ""
    )


class Views:
    """Communities in words, with the symbols that are central in them."""

    def __init__(self, engine: Engine, found: "Communities") -> None:
        self._found = found
        self._elements = Elements(engine.files)
        self._written = engine.files.summaries()
        self._central = _central_symbols(engine, found)

    def view(self, one: "Community", score: float = 0.0) -> CommunityView:
        central = self._central.get(one.number, ())
        labels = {number: other.label for number, other in self._found.by_number.items()}
        uses, used = (tuple(labels[number] for number in list(some)[:MOST_RELATED]) for some in (one.uses, one.used_by))
        return CommunityView(
            id=f"community::{one.number}",
            label=one.label,
            files=len(one.files),
            summary=self._summary(one, central, uses),
            level=one.level,
            parent=f"community::{one.parent}" if one.parent >= 0 else "",
            folder=one.folder,
            central=tuple(central),
            central_files=one.central,
            uses=uses,
            used_by=used,
            parts=tuple(other.label for other in self._found.all if other.parent == one.number),
            score=score,
        )

    def _summary(self, one: "Community", central: Sequence[str], uses: Sequence[str]) -> str:
        if written := self._written.get(community_key(one)):
            needs = f" Uses {', '.join(uses[:3])}." if uses else ""
            return f"{count_of(len(one.files), 'file', 'files')}: {written}.{needs}"
        where = f" mostly below {one.folder}" if one.folder else ""
        about = [f"{element.name}: {element.summary}" for name in central[:2] if (element := self._elements.get(name))]
        terms = f" about {', '.join(one.terms[:4])}" if one.terms else ""
        core = f" Central: {'; '.join(about)}." if about else ""
        needs = f" Uses {', '.join(uses[:3])}." if uses else ""
        return f"{count_of(len(one.files), 'file', 'files')}{where}{terms}.{core}{needs}"


def community_key(community: "Community") -> str:
    """The key of a written summary: of a community with exactly these files."""
    files = blake3("\n".join(community.files).encode()).digest(length=16)
    return summary_key(f"community::{community.label}", files)


def _central_symbols(engine: Engine, found: "Communities") -> Mapping[int, Sequence[str]]:
    """By community, the classes and functions of its code with the highest PageRank."""
    whole = engine.graph()
    rank, best = whole.pagerank, defaultdict[int, list[tuple[float, str]]](list)
    numbers = found.membership.of
    is_code = {path: lies_among(path) is Among.CODE for path in numbers}
    for place, (node_id, kind) in enumerate(zip(whole.ids, whole.kinds, strict=True)):
        if kind in _NAMED:
            path = split_id(node_id)[0]
            if is_code.get(path):
                for number in numbers[path]:
                    best[number].append((-round(float(rank[place]), 12), node_id))
    return {number: [node_id for _, node_id in sorted(some)[:MOST_CENTRAL]] for number, some in best.items()}
