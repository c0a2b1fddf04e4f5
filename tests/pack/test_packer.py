"""Context packs of a small repository whose graph is known: what is in them, why, and the same bytes every time."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

import clew
from clew.engine import Engine
from clew.model.errors import BudgetExceeded, IndexMissing, NotFound, NotSupported
from clew.pack.artifact import ContextItem, ContextPack
from clew.pack.lean import lean
from clew.pack.request import (
    BudgetOptions,
    ExpansionOptions,
    FocusOptions,
    Options,
    OrderingOptions,
    canonical,
    normalise,
    pack_id,
)
from clew.retrieve.search import FILE
from clew.text.tokens import estimate
from clew.tools.packing import create_context_pack
from clew.tools.registry import ANY_ROOM
from tests.conftest import Repository
from tests.pack import shop

REWRITE = bool(os.environ.get("CLEW_REWRITE"))
GOLDEN = Path(__file__).parents[1] / "golden" / "context_pack_v1.json"
QUERY = "charge the card with the total"


@pytest.fixture
def indexed(repository: Repository, engine: Engine) -> Engine:
    shop.build(repository)
    engine.index()
    return engine


@pytest.fixture
def embedded(repository: Repository) -> Iterator[Engine]:
    """On one backend: for what does not depend on it."""
    shop.build(repository)
    with Engine.open(repository.root) as engine:
        engine.index()
        yield engine


def make(engine: Engine, query: str = QUERY, **options: Any) -> ContextPack:
    engine.refresh()
    return engine.packer.make(normalise(Options(query, **options)).request).pack


def section(pack: ContextPack, name: str) -> dict[str, ContextItem]:
    (found,) = [section for section in pack.sections if section.type == name]
    return {item.symbol_id or item.file_rel_path: item for item in found.items}


CHECKOUT, CHARGE = "shop/cart.py::Cart::checkout", "shop/payment.py::charge"
FROM_CHECKOUT = FocusOptions(symbol_id=CHECKOUT)


def test_what_is_in_focus_leads_to_its_callers_and_callees(indexed: Engine) -> None:
    pack = make(indexed, "", focus=FROM_CHECKOUT)

    assert list(section(pack, "seeds")) == [CHECKOUT]
    assert set(section(pack, "callees")) >= {CHARGE, "shop/cart.py::Cart::total"}
    assert section(pack, "callees")["shop/payment.py::receipt"].scores.graph_distance == 2
    assert "tests/test_cart.py::test_checkout_charges_the_total" in section(pack, "tests")
    assert any(name.startswith("docs/cart.md") for name in section(pack, "docs"))
    assert set(section(pack, "imports")) >= {"shop/payment.py", "shop/pricing.py"}


def test_every_item_says_why_with_its_evidence(indexed: Engine) -> None:
    item = section(make(indexed, "", focus=FROM_CHECKOUT), "callees")[CHARGE]

    assert item.why.rule == "call-neighbor"
    (step,), (evidence,) = item.why.path, item.why.evidence
    assert (step.edge_type, step.source, step.target) == ("call", CHECKOUT, CHARGE)
    assert (evidence.kind, evidence.file_rel_path, evidence.line) == ("callsite", "shop/cart.py", 19)
    assert evidence.evidence_id == step.evidence_id == "shop/cart.py:19:callsite"


def test_items_are_what_their_document_says(indexed: Engine) -> None:
    pack = make(indexed)
    files = {path: text.encode("utf-16-le") for path, text in shop.FILES.items()}

    assert [section.type for section in pack.sections] == [
        "seeds", "callers", "callees", "imports", "exports", "usages", "dataflow", "tests", "docs", "related",
    ]  # fmt: skip
    for item in pack.items():
        assert item.chunk_uid.startswith(f"{item.file_rel_path}#")
        assert (item.kind == "symbol") == isinstance(item.symbol_id, str)
        cut = files[item.file_rel_path][2 * item.range.start : 2 * item.range.end].decode("utf-16-le")
        assert item.excerpt.truncated or item.excerpt.text == cut
    uids = [item.chunk_uid for item in pack.items()]
    assert len(uids) == len(set(uids))
    told = msgspec.to_builtins(pack)
    assert (told["formatVersion"], told["schema"], told["schemaVersion"]) == (1, "ContextPack", "1.0.0")
    assert told["stats"]["sections"] == {section["type"]: len(section["items"]) for section in told["sections"]}


def test_seeds_come_with_the_retrievals_reasons(indexed: Engine) -> None:
    pack = make(indexed)

    assert pack.seeds[0].symbol_id == CHECKOUT
    explained = msgspec.to_builtins(pack)["explain"]
    assert explained["seeds"][0]["chunkUid"] == pack.seeds[0].chunk_uid
    assert explained["seeds"][0]["reasons"][0]["retriever"] == "full_text"
    assert explained["rules"]["seed"]
    assert "explain" not in msgspec.to_builtins(make(indexed, include_explain=False))


def test_direction_and_edges_decide_where_it_goes(indexed: Engine) -> None:
    inward = make(indexed, "", focus=FROM_CHECKOUT, expansion=ExpansionOptions(direction="in"))
    assert not section(inward, "callees")

    calls = make(indexed, "", focus=FROM_CHECKOUT, expansion=ExpansionOptions(edge_types=("call",), max_hops=1))
    assert not section(calls, "imports")
    assert set(section(calls, "callees")) == {CHARGE, "shop/cart.py::Cart::total"}
    assert calls.stats.max_hop == 1
    flow = make(indexed, "", focus=FROM_CHECKOUT, expansion=ExpansionOptions(edge_types=("dataflow",)))
    assert CHARGE in section(flow, "dataflow")
    of_cart = FocusOptions(symbol_id="shop/cart.py::Cart")
    offered = make(indexed, "", focus=of_cart, expansion=ExpansionOptions(edge_types=("export",)))
    assert "shop/__init__.py" in section(offered, "exports")


def test_a_file_and_a_chunk_can_be_in_focus(indexed: Engine) -> None:
    whole = make(indexed, "", focus=FocusOptions(file_rel_path="shop/pricing.py"))
    assert "shop/cart.py::Cart::total" in section(whole, "callers")

    uid = make(indexed).seeds[0].chunk_uid
    assert list(section(make(indexed, "", focus=FocusOptions(chunk_uid=uid)), "seeds")) == [CHECKOUT]
    with pytest.raises(NotFound, match="symbol_id"):
        make(indexed, focus=FocusOptions(symbol_id="shop/cart.py::nothing"))


def test_strict_drops_warn_tells_and_loose_does_not_look(indexed: Engine) -> None:
    narrow = ExpansionOptions(evidence_kinds=("importStmt",))
    packs = {
        how: make(indexed, "", focus=FROM_CHECKOUT, expansion=narrow, strictness=how)
        for how in ("strict", "warn", "loose")
    }
    gaps = {how: [*msgspec.to_builtins(pack)["explain"]["evidenceGaps"]] for how, pack in packs.items()}

    assert not section(packs["strict"], "callees")
    assert packs["strict"].stats.dropped["noEvidence"] > 0
    assert gaps["strict"] == []
    assert CHARGE in section(packs["warn"], "callees")
    assert {"edgeType": "call", "from": CHECKOUT, "to": CHARGE} in [
        {name: gap[name] for name in ("edgeType", "from", "to")} for gap in gaps["warn"]
    ]
    assert section(packs["loose"], "callees").keys() == section(packs["warn"], "callees").keys()
    assert (gaps["loose"], packs["loose"].stats.dropped["noEvidence"]) == ([], 0)


def test_a_pack_fits_its_budgets_as_it_is_written_and_a_larger_one_never_loses_an_item(embedded: Engine) -> None:
    whole = make(embedded)
    size = len(whole.canonical().decode())
    shown: list[set[str]] = []
    for chars in (*range(size - 6000, size + 1, 400), size):
        pack = make(embedded, budgets=BudgetOptions(max_total_chars=chars, max_total_tokens=100_000))
        assert len(pack.canonical().decode()) <= chars
        assert pack.stats.dropped["budget"] == len(whole.items()) - len(pack.items())
        shown.append({item.chunk_uid for item in pack.items()})
    assert all(less <= more for less, more in pairwise(shown))
    assert len(shown[0]) < len(shown[-1])


def test_the_last_character_decides(embedded: Engine) -> None:
    roomy = make(embedded, budgets=BudgetOptions(max_total_chars=90_000))
    exact = len(roomy.canonical().decode())
    assert 10_000 <= exact < 90_000  # a bound of as many digits, so that saying it takes as much room

    full = make(embedded, budgets=BudgetOptions(max_total_chars=exact, max_total_tokens=45_000))
    less = make(embedded, budgets=BudgetOptions(max_total_chars=exact - 1, max_total_tokens=45_000))
    assert len(full.canonical().decode()) == exact
    assert len(less.canonical().decode()) < exact
    shown, fewer = ({item.chunk_uid: item.excerpt.text for item in pack.items()} for pack in (full, less))
    assert fewer.keys() <= shown.keys() == {item.chunk_uid for item in roomy.items()}
    assert fewer != shown


def test_tokens_bound_it_too_and_what_fits_nothing_is_refused(embedded: Engine) -> None:
    pack = make(embedded, budgets=BudgetOptions(max_total_tokens=4000))
    assert estimate(pack.canonical().decode()) <= 4000
    assert 0 < len(pack.items()) < len(make(embedded).items())

    with pytest.raises(BudgetExceeded) as caught:
        make(embedded, budgets=BudgetOptions(max_total_chars=100))
    tokens, characters = map(int, re.findall(r"\d+", caught.value.hint))
    assert len(make(embedded, budgets=BudgetOptions(characters, tokens)).items()) == 1


@pytest.mark.parametrize("tokens", range(250, 4000, 250))
def test_a_small_budget_gets_the_lean_form_with_code_and_neighbors(embedded: Engine, tokens: int) -> None:
    pack = make(embedded, budgets=BudgetOptions(max_total_tokens=tokens))
    small = lean(pack)

    assert pack.request.form == "lean"
    assert estimate(small.canonical().decode()) + estimate(small.summary()) <= tokens
    assert [item.chunk_uid for item in small.items()] == [item.chunk_uid for item in pack.items()]
    assert small.items()[0].symbol_id == CHECKOUT
    assert "charge(card" in small.items()[0].excerpt.text or tokens < 500
    assert len(small.sections) > 2 or tokens < 1000


def test_graph_sections_have_items_before_all_seeds_are_shown(embedded: Engine) -> None:
    pack = make(embedded, budgets=BudgetOptions(max_items=6))

    assert len(section(pack, "seeds")) < len(pack.seeds)
    assert len([name for name, count in pack.stats.sections.items() if count]) >= 4


def test_impact_shows_dependents_before_further_seeds(embedded: Engine) -> None:
    few = BudgetOptions(max_items=8)
    usual = make(embedded, "price tax rates item", budgets=few)
    impact = make(embedded, "price tax rates item", intent="impact", budgets=few)

    def dependents(pack: ContextPack) -> int:
        return sum(pack.stats.sections[name] for name in ("callers", "usages", "tests", "exports"))

    assert dependents(impact) > dependents(usual)
    assert impact.items()[0].chunk_uid == usual.items()[0].chunk_uid


def test_flows_of_data_have_a_section_of_their_own(embedded: Engine) -> None:
    usual = make(embedded, "", focus=FROM_CHECKOUT)
    flows = make(embedded, "", focus=FROM_CHECKOUT, expansion=ExpansionOptions(include_dataflow=True))

    assert not section(usual, "dataflow")
    item = section(flows, "dataflow")[CHARGE]
    assert (item.why.rule, item.why.path[0].edge_type) == ("dataflow-neighbor", "dataflow")


def test_an_excerpt_keeps_to_its_bytes_at_whole_lines(embedded: Engine) -> None:
    whole = section(make(embedded, "", focus=FocusOptions(symbol_id="shop/cart.py::Cart")), "seeds")[
        "shop/cart.py::Cart"
    ]
    size = len(whole.excerpt.text.encode())
    assert not whole.excerpt.truncated

    for limit in (size, size - 1, 120):
        options = BudgetOptions(max_bytes_per_item=limit)
        cut = section(make(embedded, "", focus=FocusOptions(symbol_id="shop/cart.py::Cart"), budgets=options), "seeds")
        excerpt = cut["shop/cart.py::Cart"].excerpt
        assert len(excerpt.text.encode()) <= limit
        assert excerpt.truncated is (limit < size)
        if excerpt.truncated:
            assert msgspec.to_builtins(excerpt)["truncation"] == {"maxBytes": limit, "reason": "maxBytesPerItem"}
            lines = set(whole.excerpt.text.splitlines())
            assert all(line in lines or "…" in line for line in excerpt.text.splitlines())


@pytest.mark.parametrize("primary", ["seedScore", "graphDistance", "graphEvidence", "hybridScore", "ppr"])
def test_any_order_gives_the_same_items_when_all_fit(embedded: Engine, primary: Any) -> None:
    pack = make(embedded, ordering=OrderingOptions(primary))

    assert {item.chunk_uid for item in pack.items()} == {item.chunk_uid for item in make(embedded).items()}
    assert ("ppr" in canonical(pack.sections[0]).decode()) is (primary == "ppr")


@pytest.mark.parametrize("provider", ["sparse", "fts", "hybrid"])
def test_providers_find_seeds(embedded: Engine, provider: Any) -> None:
    pack = make(embedded, "Cart.checkout", seed_provider=provider)
    seeds = msgspec.to_builtins(pack)["explain"]["seeds"]

    assert pack.seeds
    retrievers = {reason["retriever"] for seed in seeds for reason in seed["reasons"]}
    retrievers -= {FILE}  # which is none: other hits beside a hit
    assert (retrievers == {"full_text"}) is (provider != "hybrid")


def test_vectors_alone_need_a_model(embedded: Engine) -> None:
    without = Engine.open(embedded.place.root, environ={"CLEW_EMBEDDING_MODEL": "none"})
    with without as engine, pytest.raises(NotSupported) as caught:
        make(engine, seed_provider="ann")
    assert caught.value.code == "CLEW_E_NOT_SUPPORTED"


def test_seed_modes_begin_at_code_or_at_prose(embedded: Engine) -> None:
    prose, code = make(embedded, seed_mode="prose"), make(embedded, seed_mode="code")

    assert {seed.file_rel_path for seed in prose.seeds} == {"docs/cart.md"}
    assert "docs/cart.md" not in {seed.file_rel_path for seed in code.seeds}
    assert not section(code, "docs")


def test_nothing_that_matches_is_a_pack_without_items(embedded: Engine) -> None:
    pack = make(embedded, "zyzzyva quagga")

    assert (pack.items(), pack.stats.items, pack.seeds) == ([], 0, ())


def test_what_was_never_indexed_says_so(repository: Repository) -> None:
    with Engine.open(repository.root) as engine, pytest.raises(IndexMissing):
        create_context_pack(engine, Options("login"), ANY_ROOM, write=False)


def in_a_process(root: Path, seed: str) -> bytes:
    """A pack as another process makes it, in its canonical form."""
    command = [sys.executable, "-m", "clew", "context-pack", "--repo", str(root), "--query", QUERY, "--json"]
    done = subprocess.run(command, capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed})
    return msgspec.json.decode(done.stdout, type=ContextPack).canonical()


def test_two_processes_and_two_places_give_the_same_bytes(repository: Repository, tmp_path: Path) -> None:
    shop.build(repository)
    copy = tmp_path / "elsewhere" / "copy"
    shutil.copytree(repository.root, copy)
    for root in (repository.root, copy):
        with Engine.open(root) as engine:
            engine.index()

    found = {in_a_process(repository.root, "1"), in_a_process(repository.root, "2"), in_a_process(copy, "3")}
    assert len(found) == 1
    assert str(tmp_path).encode() not in found.pop()


def test_laid_over_or_indexed_anew_it_is_the_same(repository: Repository, indexed: Engine, tmp_path: Path) -> None:
    repository.write(
        "shop/refund.py", "from shop.payment import charge\n\n\ndef refund(card):\n    return charge(card, -1)\n"
    )
    laid_over = make(indexed)
    copy = tmp_path / "copy"
    shutil.copytree(repository.root, copy, ignore=shutil.ignore_patterns(".clew"))
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("CLEW_STORAGE_URL", raising=False)
        with Engine.open(copy) as engine:
            engine.index()
            assert make(engine).canonical() == laid_over.canonical()


def test_a_change_gives_another_signature_another_id_and_another_pack(repository: Repository, indexed: Engine) -> None:
    before, signature = make(indexed), indexed.index_signature()
    assert make(indexed).canonical() == before.canonical()
    repository.write("shop/payment.py", shop.FILES["shop/payment.py"].replace("not card.valid", "card.expired"))
    indexed.index()
    after = make(indexed)

    assert indexed.index_signature() == after.index_signature != signature
    assert after.pack_id != before.pack_id
    assert after.canonical() != before.canonical()
    assert "card.expired" in canonical(after).decode()
    repository.write("shop/payment.py", shop.FILES["shop/payment.py"])
    indexed.index()
    assert make(indexed).canonical() == before.canonical()


def test_a_new_commit_is_in_the_signature_at_the_next_question(repository: Repository) -> None:
    shop.build(repository)
    with clew.open(repository.root) as ws:
        ws.index()
        before = ws.context_pack_create(query=QUERY)
        head = repository.commit(message="Charge in cents")
        after = ws.context_pack_create(query=QUERY)
        tip = ws.engine.histories.tip()

    assert after.index_signature != before.index_signature
    assert tip.startswith(head)
    assert not isinstance(after.stats.warnings, tuple)


def test_settings_that_answers_depend_on_are_part_of_the_signature(repository: Repository) -> None:
    shop.build(repository)
    found = []
    for settings in ({}, {"CLEW_PROVIDERS_PATH_WEIGHT": "0.5"}, {"CLEW_SERVER_MAX_BODY_MB": "2"}):
        with Engine.open(repository.root, environ={**os.environ, **settings}) as engine:
            engine.index()
            found.append(engine.index_signature())

    assert found[0] != found[1]
    assert found[0] == found[2]


def test_an_id_is_of_signature_and_request_alone(embedded: Engine) -> None:
    pack = make(embedded)
    request = normalise(Options(QUERY)).request

    assert pack.pack_id == pack_id(embedded.index_signature(), request)
    assert pack.request.index_signature == pack.index_signature


def test_vectors_of_the_bundled_model_find_seeds_without_being_computed(embedded: Engine) -> None:
    pack = make(embedded, "take money from a credit card", seed_provider="ann", seed_mode="code")

    assert CHARGE in {seed.symbol_id for seed in pack.seeds[:3]}
    assert "similar in meaning" in canonical(pack).decode()


def test_the_golden_pack_has_all_ten_sections_and_is_as_it_was(repository: Repository) -> None:
    """Rewritten on purpose only: CLEW_REWRITE=1, and the reason in the commit's message."""
    shop.build(repository, shop.FILES | shop.NIGHTLY)
    with Engine.open(repository.root) as engine:
        engine.index()
        expansion = ExpansionOptions(
            edge_types=("call", "usage", "import", "export", "dataflow"), include_same_file_neighbors=True
        )
        pack = make(engine, "", focus=FocusOptions(symbol_id="shop/jobs.py::nightly"), expansion=expansion)
    assert [name for name, count in pack.stats.sections.items() if not count] == []
    text = pack.canonical().decode()
    for name, value in (("<indexSignature>", pack.index_signature), ("<packId>", pack.pack_id)):
        text = text.replace(value, name)  # these change with every format that an index is made by
    text = json.dumps(json.loads(text), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    if REWRITE:
        GOLDEN.write_text(text, encoding="utf-8")

    assert text == GOLDEN.read_text(encoding="utf-8")


def test_the_best_match_is_shown_whole_in_a_small_pack(tmp_path: Path) -> None:
    lines = "".join(f"    total = add_tax(total, rates[{n}])\n" for n in range(30))
    (tmp_path / "tax.py").write_text(f"def sum_of_taxes(rates):\n    total = 0\n{lines}    return total\n", "utf-8")
    callers = "".join(f"def bill_{n}(order):\n    return sum_of_taxes(order.rates)\n\n\n" for n in range(20))
    (tmp_path / "bills.py").write_text(f"from tax import sum_of_taxes\n\n\n{callers}", "utf-8")
    with clew.open(tmp_path) as workspace:
        workspace.index()
        pack = make(workspace.engine, "sum of taxes", budgets=BudgetOptions(max_total_tokens=1500))
    first = pack.items()[0]

    assert first.symbol_id == "tax.py::sum_of_taxes"
    assert not first.excerpt.truncated
    assert len(pack.items()) > 3
