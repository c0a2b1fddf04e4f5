"""The builder: seeds by vectors alone, and what happens when a retriever cannot answer."""

from pathlib import Path
from typing import Any

import pytest

import clew
from clew.engine import Engine
from clew.model.errors import Unavailable
from clew.pack.artifact import ContextPack
from clew.pack.request import FocusOptions, Options, normalise
from tests.conftest import Repository
from tests.embedders import BROKEN, ENTRIES, FILES
from tests.pack import shop
from tests.packages import install

MODEL = '[embedding]\nmodel = "words"\n'


def make(engine: Engine, **options: Any) -> ContextPack:
    request = normalise(Options("charge the card", **options)).request
    return engine.packer.make(request).pack


def test_vectors_alone_find_seeds_once_every_chunk_has_one(repository: Repository, site: Path) -> None:
    install(site, "clew-words", ENTRIES, FILES, group="clew.embedders")
    shop.build(repository)
    with Engine.open(repository.root) as plain:
        plain.index()
        without = plain.index_signature()
    repository.configure(MODEL)
    with Engine.open(repository.root) as engine:
        engine.index()
        with pytest.raises(Unavailable, match="vector"):
            make(engine, seed_provider="ann")
        engine.embed()
        pack = make(engine, seed_provider="ann", seed_mode="code")
        assert engine.index_signature() != without

    assert {"shop/payment.py::charge", "shop/cart.py::Cart::checkout"} == {seed.symbol_id for seed in pack.seeds[:2]}
    assert all(not seed.file_rel_path.endswith(".md") for seed in pack.seeds)
    assert "similar in meaning" in str(pack.explain)


def test_a_retriever_that_fails_is_told_and_such_a_pack_is_not_written(repository: Repository, site: Path) -> None:
    install(site, "clew-words", ENTRIES, BROKEN, group="clew.embedders")
    shop.build(repository)
    repository.configure(MODEL)
    with clew.open(repository.root) as ws:
        ws.index()
        pack = ws.context_pack_create(query="charge the card")
        assert pack.seeds
        assert any("semantic could not answer" in warning for warning in pack.stats.warnings)
        with pytest.raises(Unavailable, match="semantic"):
            ws.context_pack_create(query="charge the card", write=True)


def test_both_kinds_begin_with_the_same_match_and_with_what_is_named_before_it(repository: Repository) -> None:
    shop.build(repository)
    task, focus = "charge the card with the total", "shop/cart.py::Cart"
    with clew.open(repository.root) as ws:
        ws.index()
        briefing, pack = ws.context_pack(task=task), ws.context_pack_create(query=task)
        named = ws.context_pack(task=task, focus=focus)
        focused = ws.context_pack_create(query=task, focus=FocusOptions(symbol_id=focus))

    assert briefing.entry_point == pack.seeds[0].symbol_id
    assert (named.entry_point, focused.seeds[0].symbol_id, focused.seeds[0].rule) == (focus, focus, "focus")
    assert focused.seeds[1].symbol_id == briefing.entry_point
