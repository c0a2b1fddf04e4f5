"""A server that is far away: what is asked of it costs a way there and back each time, and is not asked twice."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces
from tests.cluster import HAS_POSTGRESQL
from tests.conftest import PROJECT, Repository
from tests.way import Way, way_to

pytestmark = pytest.mark.needs(postgresql=HAS_POSTGRESQL)


class World:
    def __init__(self, way: Way, root: Path) -> None:
        self.way = way
        self.spaces = Workspaces(root)

    def trips(self, tool: str, **arguments: object) -> int:
        """How often the server is waited for."""
        before = self.way.trips
        told = json.loads(answer(Caller(self.spaces), tool, arguments).body)
        assert told["ok"], told
        return self.way.trips - before


@pytest.fixture
def world(repository: Repository, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    for number in range(12):
        repository.write(f"shop/card_{number}.py", f"def charge_{number}(card):\n    return card.charge({number})\n")
    repository.commit()
    with way_to(database_url) as (way, url):
        monkeypatch.setenv("CLEW_STORAGE_URL", url)
        monkeypatch.setenv("CLEW_PROJECT_ID", PROJECT)
        monkeypatch.setenv("CLEW_BOOTSTRAP_ENABLED", "false")
        found = World(way, repository.root)
        found.spaces.get().index()
        yield found
        found.spaces.close()


def test_a_question_waits_for_what_it_needs_once(world: World) -> None:
    world.trips("query_context", query="zebra")
    time.sleep(2.1)  # until then, what was just written is looked at again
    world.trips("query_context", query="giraffe")

    counts = [world.trips("query_context", query="charge a card") for _ in range(2)]
    assert (counts[0] <= 4, counts[1] <= 2) == (True, True), counts
    assert world.trips("context_pack", task="how a card is charged") <= 14


def test_a_question_after_an_edit_waits_a_few_times_however_many_files_changed(
    world: World, repository: Repository
) -> None:
    world.trips("query_context", query="zebra")
    counts = {}
    repository.write("shop/card_1.py", "def charge_1(card):\n    return card.charge(11)\n")
    counts["body"] = world.trips("query_context", query="charge a card")
    for number in range(2, 8):
        repository.write(f"shop/card_{number}.py", f"def charge_it_{number}(card):\n    return card.charge()\n")
    counts["interfaces"] = world.trips("query_context", query="charge a card")
    repository.write("shop/refund.py", "def refund(card):\n    return card.refund()\n")
    counts["a new file"] = world.trips("query_context", query="refund a card")
    repository.delete("shop/refund.py")
    counts["a file that went"] = world.trips("query_context", query="charge a card")

    assert {what: count for what, count in counts.items() if count > 30} == {}, counts


def test_what_agents_write_waits_a_few_times(world: World) -> None:
    """Before a claim, the open claims are checked against the working tree, which takes half of its trips."""
    world.trips("agent_claim", target_id="shop/card_1.py", agent_id="a")

    assert world.trips("agent_claim", target_id="shop/card_2.py", agent_id="a") <= 10
    assert world.trips("episode_add", type="OBSERVATION", content="cents are rounded") <= 3


def test_a_first_index_waits_no_longer_for_more_files(world: World, repository: Repository) -> None:
    """Up to as many as are read together."""
    for number in range(40):
        repository.write(f"more/page_{number}.py", f"def page_{number}():\n    return {number}\n")
    before = world.way.trips
    world.spaces.get().index()

    assert world.way.trips - before <= 32


def test_a_question_after_an_edit_sees_it_though_it_asked_before(world: World, repository: Repository) -> None:
    engine = world.spaces.get()
    world.trips("query_context", query="refund")
    repository.write("shop/refund.py", "def refund(card):\n    return card.refund()\n")
    told = json.loads(answer(Caller(world.spaces), "query_context", {"query": "refund"}).body)

    (hit, *_) = told["data"]["hits"]
    assert (hit["file_path"], hit["label"]) == ("shop/refund.py", "refund")
    assert engine.checkouts.state(engine.where).linked


def test_a_new_file_is_seen_though_the_server_takes_longer_than_a_look_may(
    world: World, repository: Repository
) -> None:
    world.trips("query_context", query="zebra")
    world.way.delay = 0.3
    repository.write("shop/refund.py", "def refund(card):\n    return card.refund()\n")
    told = json.loads(answer(Caller(world.spaces), "query_context", {"query": "refund"}).body)

    (hit, *_) = told["data"]["hits"]
    assert (hit["file_path"], hit["label"]) == ("shop/refund.py", "refund")


def test_connections_that_were_cut_while_nobody_asked_are_made_anew(world: World) -> None:
    world.trips("query_context", query="charge")
    for tool, asked in (
        ("query_context", {"query": "charge a card"}),
        ("agent_claim", {"target_id": "shop/card_1.py", "agent_id": "a"}),
        ("episode_add", {"type": "OBSERVATION", "content": "cents are rounded"}),
    ):
        world.way.cut()
        world.trips(tool, **asked)
    world.way.cut()
    recalled = answer(Caller(world.spaces), "episode_recall", {"query": "cents"}).body
    held = answer(Caller(world.spaces), "coordination_overview", {}).body

    assert b"cents are rounded" in recalled
    assert b"shop/card_1.py" in held
