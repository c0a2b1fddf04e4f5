"""The answer of `arch_suggest`: folders and files where a new piece of code belongs, with reasons."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec import Struct

from clew.engine import Engine
from clew.model.code import split_id
from clew.model.search import Query
from clew.text.paths import Among, is_test_path, lies_among
from clew.tools.architecture import configured_rules, groups_of
from clew.tools.budget import Priority, Shape, listing, only
from clew.tools.freshness import NOTHING_TO_TELL, FreshnessState, counted

HITS = 60
FALL = 0.9  # what each further hit counts, relative to the one before
MOST_EXAMPLES = 3


class SuggestedPlace(Struct, frozen=True, omit_defaults=True):
    """`examples` are the code there that fits best; `beside` the file that a small addition could go into; `tests` the
    folder of tests that reach it; `layer` the layer of an architecture rule that it belongs to."""

    folder: str
    score: float
    reasons: tuple[str, ...]
    examples: tuple[str, ...] = ()
    beside: str = ""
    community: str = ""
    layer: str = ""
    tests: str = ""


class ArchSuggest(Struct, frozen=True, omit_defaults=True):
    places: tuple[SuggestedPlace, ...]
    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        if not self.places:
            return f"Nothing here is like this. {self.freshness.unseen()}".rstrip()
        best = self.places[0]
        said = f"Best place: {best.folder or 'the root'} ({best.reasons[0]})."
        return f"{said} {self.freshness.unseen()}".rstrip()

    def quoted(self) -> Iterable[str]:
        """Files that the answer tells of."""
        return dict.fromkeys(split_id(name)[0] for one in self.places for name in one.examples)


SUGGEST_SHAPE = Shape(
    {"freshness": Priority.LOW},
    listing("places", forms={"places": (only("folder", "score"), only("folder", "score", "reasons", "beside"))}),
    pages=("places",),
)


def suggest(engine: Engine, text: str, limit: int) -> ArchSuggest:
    """From what a search finds for a description: folders by the weight of their hits, with what the graph knows of
    them."""
    engine.require_index()
    results = engine.search(Query(text, HITS))
    weights, hits = defaultdict[str, float](float), defaultdict[str, list[str]](list)
    files = defaultdict[str, float](float)
    weight = 1.0
    for hit in results.hits:
        if lies_among(hit.path) is not Among.CODE:
            continue
        folder = hit.path.rpartition("/")[0]
        weights[folder] += weight * hit.score
        files[hit.path] += weight * hit.score
        if hit.symbol not in hits[folder]:
            hits[folder].append(hit.symbol)
        weight *= FALL
    total = sum(weights.values())
    order = sorted(weights, key=lambda one: (-round(weights[one], 9), one))[:limit]
    around = _Around(engine)
    return ArchSuggest(
        tuple(around.place(folder, weights[folder] / total, hits[folder], _best(folder, files)) for folder in order)
    )


def _best(folder: str, files: dict[str, float]) -> str:
    own = [path for path in files if path.rpartition("/")[0] == folder]
    return max(own, key=lambda path: (files[path], path))


class _Around:
    """Communities, layers and tests of places."""

    def __init__(self, engine: Engine) -> None:
        from clew.graph.architecture import Selectors  # numpy is heavy
        from clew.graph.file_graph import file_graph_of

        self._communities = engine.communities()
        self._graph = file_graph_of(engine.graph())
        rules = [one for one in configured_rules(engine)[0] if one.kind == "layers"]
        select = Selectors(self._graph.paths, groups_of(engine, rules))
        self._layers = {
            layer: select.find(f"{container}{layer}")
            for rule in rules
            for container in [f"{one}{'/' if '/' in one else '.'}" for one in rule.containers] or [""]
            for text in rule.layers
            for layer in [part.strip("() ") for part in text.replace(" : ", "|").split("|") if part.strip("() ")]
            if select.matches(f"{container}{layer}")
        }

    def place(self, folder: str, share: float, examples: Sequence[str], beside: str) -> SuggestedPlace:
        found = self._communities.of(beside, level=8)
        label = found.label if found else ""
        layer = next((name for name, files in self._layers.items() if self._graph.places.get(beside) in files), "")
        tests = self._tests(beside)
        reasons = [
            f"{counted(len(examples), 'similar piece', 'similar pieces')} of code here, first {examples[0]}",
            f"part of the community {label}" if label else "",
            f"layer {layer}" if layer else "",
            f"tested in {tests}" if tests else "",
        ]
        return SuggestedPlace(
            folder,
            round(share, 3),
            tuple(filter(None, reasons)),
            tuple(examples[:MOST_EXAMPLES]),
            beside,
            label,
            layer,
            tests,
        )

    def _tests(self, path: str) -> str:
        place = self._graph.places.get(path, -1)
        users = [self._graph.paths[other] for other in self._graph.neighbors.get(place, ())]
        folders = sorted(one.rpartition("/")[0] for one in users if is_test_path(one))
        return max(folders, key=lambda one: (folders.count(one), one), default="")
