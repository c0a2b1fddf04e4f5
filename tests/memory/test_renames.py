"""Which of the new symbols an old one is."""

from hypothesis import given
from hypothesis import strategies as st

from clew.memory.renames import Piece, home, successors
from clew.model.words import Kind

BODY = "def {0}(a):\n    return a.x + a.y * {1} - a.z"


def a_piece(path: str, scope: str, text: str, kind: Kind = Kind.FUNCTION) -> Piece:
    name = scope.rpartition("::")[2]
    return Piece((path, scope), name, kind, text.format(name, 1), text.format(name, 1))


def test_two_that_are_the_same_go_to_two_places_the_nearest_first() -> None:
    old = [a_piece("a.py", "f", BODY), a_piece("b.py", "f", BODY)]
    new = [a_piece("b.py", "g", BODY), a_piece("a.py", "g", BODY)]

    assert successors(old, new) == {("a.py", "f"): ("a.py", "g"), ("b.py", "f"): ("b.py", "g")}


def test_a_class_does_not_become_a_function() -> None:
    assert successors([a_piece("a.py", "f", BODY, Kind.CLASS)], [a_piece("a.py", "g", BODY)]) == {}


def test_a_file_went_where_half_of_it_went() -> None:
    ids = [("a.py", "f"), ("a.py", "g"), ("a.py", "h")]

    assert home(ids, {ids[0]: ("b.py", "f"), ids[1]: ("b.py", "g")}) == "b.py"
    assert home(ids, {ids[0]: ("b.py", "f")}) == ""


names = st.sampled_from(["f", "g", "h", "C::f", "C::g"])
pieces = st.lists(st.tuples(st.sampled_from(["a.py", "b.py"]), names, st.integers(0, 3)), unique_by=lambda one: one[:2])


@given(pieces, pieces)
def test_whatever_changed_nothing_goes_to_two_places_nor_two_things_to_one(
    before: list[tuple[str, str, int]], after: list[tuple[str, str, int]]
) -> None:
    old, new = (
        [a_piece(path, scope, BODY.replace("{1}", f"{n} + " * n + "1")) for path, scope, n in side]
        for side in (before, after)
    )

    found = successors(old, new)

    assert len(set(found.values())) == len(found)
    assert set(found) <= {one.id for one in old} and set(found.values()) <= {one.id for one in new}
    assert successors(old[::-1], new[::-1]) == found
