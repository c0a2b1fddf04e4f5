from pathlib import Path

from clew.evaluate import world
from clew.evaluate.rankers import DEPTH, FIRST, MOST, Clew, Unskipped
from clew.evaluate.world import World
from clew.languages import BUILT_IN
from clew.model.search import Coverage, Hit, Results
from clew.model.words import Kind

from .conftest import CARD, INVOICE


def hit(symbol: str, kind: Kind = Kind.FUNCTION) -> Hit:
    path = symbol.partition("::")[0]
    return Hit("", path, symbol, "", kind, "", 1, 1, 0, 0, 0.5, "", "", "", (), stale=False, redacted=False)


class Searching:
    """Answers every query with the same hits, and remembers how many were asked for."""

    def __init__(self, *hits: Hit) -> None:
        self.hits = hits
        self.limits: list[int] = []

    def __call__(self, text: str, limit: int) -> Results:
        self.limits.append(limit)
        return Results(text, self.hits[:limit], len(self.hits), 0, (), Coverage(1, 1, indexing=False))


def small_world(root: Path) -> World:
    for name, text in (("card.py", CARD), ("invoice.py", INVOICE), ("test_card.py", "def test_charge(): ...\n")):
        (root / name).write_text(text, "utf-8")
    return world.read(root, ["card.py", "invoice.py", "test_card.py", "gone.py"], BUILT_IN, lambda done: None)


HITS = (
    hit("test_card.py::test_charge"),
    hit("invoice.py::render::one"),
    hit("card.py::Card", Kind.CLASS),
    hit("invoice.py::render"),
    hit("card.py::Card::charge", Kind.METHOD),
)


def test_files_and_functions_rank_by_their_first_hit_without_what_is_not_ranked(tmp_path: Path) -> None:
    got = Clew(Searching(*HITS), small_world(tmp_path)).rank("charge")

    assert got.files == ["invoice.py", "card.py"]
    assert got.functions == ["invoice.py::render", "card.py::Card::charge"]


def test_what_users_see_has_every_file(tmp_path: Path) -> None:
    clew = Clew(Searching(*HITS), small_world(tmp_path))
    got = Unskipped(clew).rank("charge")

    assert got.files == ["test_card.py", "invoice.py", "card.py"]
    assert got.functions == ["test_card.py::test_charge", "invoice.py::render", "card.py::Card::charge"]


def test_both_are_made_of_one_search(tmp_path: Path) -> None:
    search = Searching(*HITS)
    clew = Clew(search, small_world(tmp_path))
    clew.rank("charge")
    Unskipped(clew).rank("charge")
    clew.rank("refund")

    assert search.limits == [FIRST, FIRST]


def test_it_looks_deeper_until_there_are_enough_files(tmp_path: Path) -> None:
    seen = small_world(tmp_path)
    search = Searching(*[hit("card.py::Card::charge")] * MOST)
    wide = Searching(*[hit(f"m{number}.py::f") for number in range(MOST)])
    Clew(search, seen).rank("charge")
    Clew(wide, World(tmp_path, {f"m{number}.py": b"" for number in range(4 * DEPTH)}, {}, {})).rank("charge")

    assert search.limits == [FIRST, MOST]
    assert wide.limits == [FIRST]
