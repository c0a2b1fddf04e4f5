"""Recording knowledge by its tools, on both engines."""

from pathlib import Path

import msgspec

from clew import erasure, ground_state
from clew.store.ground import NOTHING
from clew.text.secrets import REDACTED
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces
from tests.knowledge.conftest import BEN, Said


def test_names_resolve_to_the_same_entity_and_code_is_found(said: Said) -> None:
    first = said("add_entity", name="Payment Service", aliases=["PS"], type="service")["data"]
    event = said("add_event", description="outage", occurred_at="2026-01-02", entities=["ps", "charge_card"])["data"]
    again = said("add_entity", who=BEN, name="payment-service", description="takes money")["data"]
    code = said("add_entity", name="charge_card")["data"]

    assert event["entities"][0] == {"name": "ps", "id": first["id"], "evidence": "an alias"}
    assert event["entities"][1]["created"]
    assert (again["id"], again["created"]) == (first["id"], False)
    assert (code["id"], code["code"]) == (event["entities"][1]["id"], "pay.py::charge_card")


def test_a_fact_ends_the_one_before_and_forgetting_it_reopens_that(said: Said, workspaces: Workspaces) -> None:
    red = said("add_fact", subject="billing", predicate="owned by", object="red", valid_from="2026-01-01")["data"]
    blue = said("add_fact", subject="Billing", predicate="isOwnedBy", object="blue", valid_from="2026-03-01")["data"]
    late = said("add_fact", subject="billing", predicate="owned by", object="green", valid_from="2026-02-01")["data"]
    other = said("add_fact", who=BEN, subject="billing", predicate="owned by", object="grey", valid_from="2026-03-01")[
        "data"
    ]
    twice = said("add_fact", subject="billing", predicate="owned by", object="Blue", valid_from="2026-03-01")["data"]

    assert blue["ended"] == [red["id"]]
    assert (late["ended"], late["ended_by"]) == ([red["id"]], blue["id"])
    assert late["valid_to"].startswith("2026-03-01")
    assert other["conflicts"] == [blue["id"]]
    assert (twice["id"], twice["created"]) == (blue["id"], False)
    rows = workspaces.get().knowledge.read(lambda catalog: catalog.rows(red["id"]))
    assert len(rows) == 3, "two earlier beliefs stay on record"


def test_causes_name_the_step_that_fails(said: Said) -> None:
    event = said("add_event", description="the gateway failed", occurred_at="2026-01-01T10:00:00Z")["data"]
    link = said(
        "add_causal_link", cause="timeouts", effect="three retries", entities=["gateway"],
        events=[event["id"], "The gateway failed"],
    )["data"]  # fmt: skip
    same = said("add_causal_link", cause="Timeouts", effect="three retries")["data"]
    refused = said("add_causal_link", cause="a", effect="b", events=["nothing known"])
    alone = said("add_causal_link", cause="a", effect="A")
    itself = said("link_entities", source="gateway", target="Gateway", relation="knows")
    when = said("add_event", description="x", occurred_at="yesterday-ish")

    assert len(link["related_ids"]) == 2
    assert (same["id"], same["created"]) == (link["id"], False)
    assert not refused["ok"]
    assert "events: no event has the id or description 'nothing known'" in refused["summary"]
    assert "cause and effect are the same" in alone["summary"]
    assert "the same entity" in itself["summary"]
    assert "occurred_at" in when["summary"]


def test_private_names_are_not_joined_and_not_changed_by_others(said: Said) -> None:
    private = said("add_entity", name="Atlas", scope="agent")["data"]
    public = said("add_entity", who=BEN, name="Atlas")["data"]
    fact = {"subject": "Atlas", "predicate": "status", "valid_from": "2026-01-01"}
    hidden = said("add_fact", **fact, object="red", scope="agent")["data"]
    shown = said("add_fact", who=BEN, **fact, object="green")["data"]

    assert private["id"] != public["id"]
    assert hidden["entities"][0]["id"] == private["id"]
    assert shown["entities"][0]["id"] == public["id"]
    assert "conflicts" not in shown


def test_the_same_key_adds_nothing_and_secrets_are_replaced(said: Said) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    first = said("add_concept", name="tokens", description=f"we use {secret}", key="k1")["data"]
    again = said("add_concept", name="other words", key="k1")["data"]

    assert first["scrubbed"] == 1
    assert again["id"] == first["id"]
    assert not again["created"]


def test_knowledge_is_exported_restored_and_erased(said: Said, workspaces: Workspaces, tmp_path: Path) -> None:
    engine = workspaces.get()
    assert engine.ground.marks().knowledge == NOTHING.knowledge
    entity = said("add_entity", name="Zebra quagga")["data"]["id"]
    said("add_event", description="the zebra was seen", occurred_at="2026-01-01", entities=["Zebra quagga"])
    before = engine.ground.marks()
    file = tmp_path / "out.jsonl"
    with file.open("wb") as out:
        assert ground_state.export(tmp_path, out).rows["knowledge"] == 3
    assert ground_state.verify(file).rows["knowledge"] == 3

    receipt = erasure.forget(tmp_path, [entity])

    assert receipt.memory == {"knowledge": 2}
    assert engine.knowledge.read(lambda catalog: entity in catalog.current) is False
    assert engine.ground.marks() != before
    ground_state.import_file(tmp_path, file, replace=True)
    assert REDACTED not in file.read_text("utf-8")


def test_another_process_sees_what_was_written(said: Said, workspaces: Workspaces, tmp_path: Path) -> None:
    said("add_entity", name="Ann")
    other = Workspaces(tmp_path)
    try:
        body = answer(Caller(other, identity=BEN), "link_entities",
                      {"source": "ann", "target": "Ben", "relation": "knows", "profile": "debug"}).body  # fmt: skip
        made = msgspec.json.decode(body)["data"]["entities"]
    finally:
        other.close()
    back = said("add_entity", name="Ben")["data"]

    assert [one.get("created", False) for one in made] == [False, True]
    assert back["id"] == made[1]["id"]
