"""community_list and graph_query in modes global and hybrid, on a repository of two parts."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.engine import Engine
from clew.graph.community_keeper import Communities
from clew.model.run import Mode
from tests.conftest import DAY_1, Repository
from tests.tools.asking import Ask, asking


def part(folder: str, names: list[str], doc: str) -> dict[str, str]:
    """Files of which each uses all others."""
    return {
        f"{folder}/{name}.py": "".join(f"from {folder}.{other} import {other}\n" for other in names if other != name)
        + f'\n\ndef {name}():\n    """{doc}"""\n    return {", ".join(other for other in names if other != name)}\n'
        for name in names
    }


FILES = {
    **part("billing", ["invoice", "payment", "refund", "tariff"], "Money that customers owe."),
    **part("catalog", ["article", "picture", "shelf", "stock"], "Goods that are for sale."),
    "shop.py": "from billing.invoice import invoice\nfrom catalog.article import article\n\n\ndef sell():\n"
    "    return invoice(), article()\n",
    "notes.txt": "nothing\n",
}


def write(root: Path) -> Repository:
    made = Repository(root)
    made.git("init", "-q", "-b", "main")
    for path, text in FILES.items():
        made.write(path, text)
    made.commit(DAY_1)
    with Engine.open(made.root, environ={}) as engine:
        engine.index()
    return made


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return write(tmp_path_factory.mktemp("shop"))


@pytest.fixture(scope="module")
def ask(shop: Repository) -> Iterator[Ask]:
    with asking(shop.root) as asked:
        yield asked


def labels(envelope: dict[str, Any]) -> list[str]:
    return [one["label"] for one in envelope["data"]["communities"]]


def test_files_that_use_each_other_are_one_community(ask: Ask) -> None:
    data = ask("community_list")["data"]
    billing, catalog = sorted(data["communities"], key=lambda one: one["folder"] != "billing")[:2]

    assert {billing["label"], catalog["label"]} == {"billing", "catalog"}
    assert data["total"] == 2
    assert data["untied"] == 1
    assert data["modularity"] > 0.3
    assert "billing/invoice.py::invoice" in billing["central"]
    assert "Money that customers owe" in billing["summary"]


def test_the_communities_of_one_file_are_listed(ask: Ask) -> None:
    assert labels(ask("community_list", file="catalog/shelf.py")) == ["catalog"]
    assert ask("community_list", file="notes.txt")["errorCode"] == "CLEW_E_NOT_FOUND"


def test_an_open_question_is_answered_by_the_main_parts(ask: Ask) -> None:
    envelope = ask("graph_query", query="what are the main parts, and how do they work together?", mode="global")

    assert set(labels(envelope)) == {"billing", "catalog"}
    assert envelope["summary"].startswith("2 main parts:")
    assert envelope["data"]["results"] == []


def test_a_narrow_question_is_answered_by_the_part_it_is_about(ask: Ask) -> None:
    assert labels(ask("graph_query", query="how are refunds paid", mode="global"))[0] == "billing"


def test_hybrid_joins_nodes_and_parts(ask: Ask) -> None:
    data = ask("graph_query", query="stock of articles", mode="hybrid")["data"]

    assert data["results"]
    assert data["communities"][0]["label"] == "catalog"


def found(root: Path, *, mode: Mode | None = None) -> Communities:
    with Engine.open(root, environ={}) as engine:
        if mode:
            engine.index(mode)
        return engine.communities()


def test_an_edit_moves_only_files_whose_ties_changed(tmp_path: Path) -> None:
    made = write(tmp_path)
    before = found(made.root).membership
    made.write("billing/fee.py", "from billing.invoice import invoice\n\n\ndef fee():\n    return invoice()\n")
    after = found(made.root, mode=Mode.INCREMENTAL).membership

    assert {path: after.of[path] for path in before.of} == before.of
    assert after.of["billing/fee.py"] == before.of["billing/invoice.py"]
    assert after.made_by == before.made_by
    assert found(made.root, mode=Mode.FULL).membership.made_by != before.made_by


def test_communities_depend_on_the_files_and_the_last_rebuild_alone(tmp_path: Path) -> None:
    """Not on the states that were asked about in between; and an answer that a rebuild may change says so."""
    folders = tmp_path / "one", tmp_path / "other"
    for folder in folders:
        folder.mkdir()
    made, other = map(write, folders)
    first = found(made.root).membership
    edits = {
        "fee": "from catalog.stock import stock\nfrom billing.invoice import invoice\n\nFEE = stock, invoice\n",
        "refund": FILES["billing/refund.py"].replace("invoice", "fee"),
    }
    found(other.root)
    for name, text in edits.items():
        made.write(f"billing/{name}.py", text)
        found(made.root, mode=Mode.INCREMENTAL)  # each state is asked about
        other.write(f"billing/{name}.py", text)
    step, jump = (found(one.root, mode=Mode.INCREMENTAL) for one in (made, other))
    with asking(made.root) as ask:
        listed, page, parts = (
            ask("community_list"),
            ask("project_map"),
            ask("graph_query", query="main parts", mode="global"),
        )

    assert step.membership.refreshed > 0
    assert (step.membership.of, step.all) == (jump.membership.of, jump.all)
    assert listed["data"]["refreshed"] == page["data"]["refreshed"] == step.membership.refreshed
    assert all("`clew rebuild` finds them anew" in one["summary"] for one in (listed, page, parts))
    made.write("billing/refund.py", FILES["billing/refund.py"])
    (made.root / "billing/fee.py").unlink()
    assert found(made.root, mode=Mode.INCREMENTAL).membership == first


def test_the_same_files_give_the_same_communities(shop: Repository, tmp_path: Path) -> None:
    one, other = found(shop.root), found(write(tmp_path).root)

    assert one.membership.of == other.membership.of
    assert [c.label for c in one.all] == [c.label for c in other.all]
