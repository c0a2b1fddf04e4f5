"""Links: what a file shows keeps its row while it stays the same; what is believed otherwise is a row of its own."""

import random
import zlib

import pytest

from clew.model.words import EdgeKind, EvidenceKind
from clew.store.database import Database, Where
from clew.store.links import FileEdge, Joined, Linked, Links, Loose, digest_of, pack_links, unpack_links
from clew.store.packing import pack, unpack_text
from tests.conftest import DAY_1, DAY_2, DAY_3

FILE = 1


def shown(target: str, line: int = 1, confidence: float = 1.0) -> FileEdge:
    return FileEdge("run", EdgeKind.CALLS, target, line, EvidenceKind.CALLSITE, confidence)


def packed(*targets: str) -> bytes:
    return pack_links(Linked(tuple(shown(target) for target in targets)))


@pytest.fixture
def links(db: Database, where: Where) -> Links:
    return Links(db, where)


def targets(links: Links) -> list[str]:
    return [edge.target for held in links.of([FILE]) for edge in unpack_links(held.data).edges]


def at(links: Links, version: int, known: int) -> list[str]:
    return [edge.target for _, linked in links.each_as_of({FILE: version}, known) for edge in linked.edges]


def test_links_come_back_as_they_went_in() -> None:
    linked = Linked((shown("a", 3, 0.125), shown("b")), (Loose("run", 9, "x.unknown", "receiver"),))

    assert unpack_links(pack_links(linked)) == linked


def test_a_digest_is_of_what_is_packed_and_not_of_how() -> None:
    again = zlib.compress(unpack_text(packed("a")), 9)

    assert digest_of(again) == digest_of(packed("a")) != digest_of(packed("b"))


def test_the_same_links_pack_alike_in_any_order() -> None:
    edges = [shown(f"t{i % 7}", i) for i in range(40)]
    mixed = random.Random(1).sample(edges, len(edges))

    assert pack_links(Linked(tuple(edges))) == pack_links(Linked((*mixed, mixed[0])))


def test_a_new_version_supersedes_and_the_past_can_be_read(links: Links) -> None:
    assert links.show(FILE, 1, packed("a"), None, DAY_1)
    assert links.show(FILE, 2, packed("b"), digest_of(packed("a")), DAY_2)

    assert targets(links) == ["b"]
    assert (at(links, 1, DAY_3), at(links, 2, DAY_3)) == (["a"], ["b"])


def test_what_did_not_change_keeps_its_row(links: Links) -> None:
    links.show(FILE, 1, packed("a"), None, DAY_1)

    assert not links.show(FILE, 2, packed("a"), links.current()[FILE], DAY_2)
    assert not links.relink(FILE, 2, packed("a"), links.current()[FILE], DAY_2)
    assert at(links, 2, DAY_3) == ["a"]


def test_a_belief_that_changed_holds_from_now_on_and_for_this_version_only(links: Links) -> None:
    links.show(FILE, 1, packed("external::lib"), None, DAY_1)
    links.relink(FILE, 3, packed("lib.py"), links.current()[FILE], DAY_2)  # since version 3 exists, in between it held

    assert targets(links) == ["lib.py"]
    assert at(links, 3, DAY_3) == ["lib.py"]
    assert at(links, 2, DAY_3) == ["external::lib"]
    assert at(links, 3, DAY_2 - 1) == ["external::lib"], "so we believed then"


def test_believing_again_what_was_believed_before_is_a_belief_of_its_own(links: Links) -> None:
    for target, known in (("a", DAY_1), ("b", DAY_2), ("a", DAY_3)):
        links.relink(FILE, 1, packed(target), links.current().get(FILE), known)

    assert targets(links) == ["a"]
    assert [at(links, 1, known)[0] for known in (DAY_1, DAY_2, DAY_3)] == ["a", "b", "a"]


def test_the_links_of_a_file_end_with_it(links: Links) -> None:
    links.show(FILE, 1, packed("a"), None, DAY_1)
    links.end(FILE, 2)

    assert links.current() == {}
    assert at(links, 1, DAY_3) == ["a"]


def test_what_is_joined_is_unpacked_once_for_as_long_as_it_is_the_same(links: Links) -> None:
    first, second = (Joined({"a.go::Card": (("b.go", scope),)}) for scope in ("Card", "Other"))

    links.settle(pack(first))
    known = links.added_members()
    assert (known, links.added_members() is known) == (first.joined, True)

    links.settle(pack(second))
    assert links.added_members() == second.joined
