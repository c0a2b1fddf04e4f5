"""Paths: the fewest steps from a seed, of these the strongest, each with its evidence."""

from collections.abc import Iterable

from hypothesis import given

from clew.graph.paths import WIDEST, Path, Ways
from clew.graph.walk_graph import Web
from clew.model.words import EdgeKind, EvidenceKind
from clew.store.links import FileEdge
from tests.graph.test_walk_graph import trees
from tests.graph.worlds import Shows, anew, laid_over, shown

CALLS, IMPORTS, USES = EdgeKind.CALLS, EdgeKind.IMPORTS, EdgeKind.USES


def paths(web: Web, seeds: list[str], ids: Iterable[str]) -> dict[str, Path]:
    ways = Ways(web, seeds)
    return {one: path for one in ids if (path := ways.to(one))}


def told(web: Web, seeds: list[str], *ids: str) -> dict[str, str]:
    return {one: str(path) for one, path in paths(web, seeds, ids).items()}


def test_a_path_names_its_edges_as_they_were_read() -> None:
    now = {
        "a.py": [shown("f", CALLS, "b.py::g", 4)],
        "b.py": [shown("g", CALLS, "c.py::h", 7, 0.8), shown("g", CALLS, "c.py::h", 9)],
        "d.py": [shown("k", USES, "c.py::h", 2)],
    }
    found = paths(Web(anew(now)), ["a.py::f"], ["d.py::k", "c.py::h", "a.py::f", "nowhere"])

    assert {one: str(path) for one, path in found.items()} == {
        "c.py::h": "a.py::f CALLS b.py::g (a.py:4); b.py::g CALLS c.py::h (b.py:9)",
        "d.py::k": "a.py::f CALLS b.py::g (a.py:4); b.py::g CALLS c.py::h (b.py:9); d.py::k USES c.py::h (d.py:2)",
        "a.py::f": "",
    }
    assert (found["d.py::k"].seed, found["d.py::k"].id) == ("a.py::f", "d.py::k")


def test_four_steps_are_too_many() -> None:
    chain = {f"{a}.py": [shown("", IMPORTS, f"{b}.py")] for a, b in zip("abcd", "bcde", strict=True)}

    assert set(told(Web(anew(chain)), ["a.py"], "d.py", "e.py")) == {"d.py"}


def test_fewer_steps_come_before_stronger_ones_and_stronger_before_the_first() -> None:
    now = {
        "a.py": [shown("", EdgeKind.MENTIONS, "z.py"), shown("", CALLS, "b.py"), shown("", CALLS, "c.py", 3, 0.6)],
        "b.py": [shown("", CALLS, "z.py"), shown("", CALLS, "y.py")],
        "c.py": [shown("", CALLS, "y.py")],
    }
    web = Web(anew(now))

    assert told(web, ["a.py"], "z.py") == {"z.py": "a.py MENTIONS z.py (a.py:1)"}
    assert told(web, ["a.py"], "y.py") == {"y.py": "a.py CALLS b.py (a.py:1); b.py CALLS y.py (b.py:1)"}
    assert told(web, ["a.py", "c.py"], "y.py") == {"y.py": "c.py CALLS y.py (c.py:1)"}


def test_what_stands_in_a_file_is_a_step_too() -> None:
    web = Web(anew({"a.py": [shown("f", CALLS, "external::x"), shown("", IMPORTS, "b.py", 2)]}))

    assert told(web, ["b.py"], "a.py::f") == {"a.py::f": "a.py IMPORTS b.py (a.py:2); a.py DEFINES a.py::f (a.py)"}


def test_history_counts_its_commits() -> None:
    outside = [shown("", IMPORTS, "external::os")]
    together = {"a.py": (FileEdge("", EdgeKind.CO_CHANGES, "b.py", 5, EvidenceKind.TOOLING, 0.5),)}
    web = Web(anew({"a.py": outside, "b.py": outside}), together)

    assert told(web, ["a.py"], "b.py") == {"b.py": "a.py CO_CHANGES b.py (a.py:5)"}


def test_a_wide_step_goes_on_from_the_strongest() -> None:
    many = [shown("", USES, f"m{i:03}.py") for i in range(WIDEST)]
    now = {"a.py": [*many, shown("", CALLS, "near.py")], "near.py": [shown("", CALLS, "z.py")]}
    last = {f"m{WIDEST - 1}.py": [shown("", CALLS, "y.py")]}

    assert set(told(Web(anew({**now, **last})), ["a.py"], "z.py", "m000.py")) == {"z.py", "m000.py"}


@given(before=trees, now=trees)
def test_laying_over_changes_no_path(before: Shows, now: Shows) -> None:
    whole, over = Web(anew(now)), Web(laid_over(before, now))
    ids = [f"{path}.py{scope}" for path in "abcde" for scope in ("", "::C", "::C::m", "::f")]

    for seed in ("a.py", "b.py::f", "c.py::C"):
        assert paths(over, [seed], ids) == paths(whole, [seed], ids)
