"""find_pattern, arch_suggest and project_map, on a repository with one of each."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from clew.engine import Engine
from clew.surfaces.cli import cli
from clew.surfaces.cli.state import State
from tests.conftest import DAY_1, Repository
from tests.tools.asking import Ask, asking

BODY = (
    "    total = 0\n    for item in {items}:\n        if item.{price} > 10 and item.{count} > 0:\n"
    "            total = total + item.{price} * item.{count}\n        elif item.{price} < 0:\n"
    "            raise ValueError('negative')\n    return total if total > 0 else None\n"
)
FILES = {
    "README.md": "# The shop\n\nSells things.\n",
    "pyproject.toml": "[project]\nname = 'shop'\n[project.scripts]\nshop-orders = 'shop.orders:place'\n",
    "src/shop/__main__.py": "from shop.orders import place\n\n\ndef main():\n    place([])\n\n\nmain()\n",
    "src/shop/orders.py": (
        "from shop.mail import send\n\n\ndef place(lines):\n    send(amount(lines))\n\n\n"
        "def amount(lines):\n" + BODY.format(items="lines", price="price", count="count") + "\n\n"
        "def _forgotten(order):\n    return order\n\n\n"
        "def _converter(text):\n    return text\n\n\nCONVERTERS = [_converter]\n"
    ),
    "src/shop/stock.py": (
        "def worth(goods):\n" + BODY.format(items="goods", price="value", count="amount")
        + "\n\ndef unused(goods):\n    return 1\n"
    ),
    "src/shop/mail.py": "from shop import orders\n\n\ndef send(text):\n    return orders, text\n",
    "src/shop/large.py": "def small():\n    return 1\n\n\ndef large():\n" + "    x = 1\n" * 90 + "    return x\n"
    + "".join(f"\n\ndef helper_{n}():\n    return {n}\n" for n in range(12)),
    "tests/test_orders.py": "from shop.orders import place\n\n\ndef test_place():\n    assert place([]) is None\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    made = Repository(tmp_path_factory.mktemp("shop"))
    made.git("init", "-q", "-b", "main")
    for path, text in FILES.items():
        made.write(path, text)
    made.commit(DAY_1)
    made.write("src/shop/orders.py", FILES["src/shop/orders.py"] + "# more\n")
    made.commit(DAY_1)
    with Engine.open(made.root, environ={}) as engine:
        engine.index()
    return made


@pytest.fixture(scope="module")
def ask(shop: Repository) -> Iterator[Ask]:
    with asking(shop.root) as asked:
        yield asked


def found(ask: Ask, pattern: str, **more: Any) -> list[list[str]]:
    return [one["members"] for one in ask("find_pattern", pattern=pattern, **more)["data"]["found"]]


def test_files_that_import_each_other_are_a_cycle_with_a_fix(ask: Ask) -> None:
    [cycle] = ask("find_pattern", pattern="cycles")["data"]["found"]

    assert sorted(cycle["members"]) == ["src/shop/mail.py", "src/shop/orders.py"]
    assert cycle["fix"].startswith("Remove the import of")


def test_dead_code_is_what_nothing_calls_or_names(ask: Ask) -> None:
    answer = ask("find_pattern", pattern="dead_code")

    assert [one["members"] for one in answer["data"]["found"]] == [["src/shop/orders.py::_forgotten"]]
    assert "reflection" in answer["data"]["note"]


def test_renamed_copies_of_logic_are_duplicates(ask: Ask) -> None:
    assert found(ask, "duplicates") == [["src/shop/orders.py::amount", "src/shop/stock.py::worth"]]
    assert found(ask, "similar", like="stock.worth")[0] == ["src/shop/orders.py::amount"]
    assert ask("find_pattern", pattern="similar")["errorCode"] == "CLEW_E_INVALID_INPUT"


def test_exports_that_no_other_file_uses_are_found(ask: Ask) -> None:
    names = [one[0] for one in found(ask, "unused_exports")]

    assert "src/shop/stock.py::unused" in names
    assert "src/shop/orders.py::place" not in names


def test_functions_far_longer_than_the_others_are_found(ask: Ask) -> None:
    assert found(ask, "god_functions") == [["src/shop/large.py::large"]]


def test_files_that_change_often_and_branch_are_hotspots(ask: Ask) -> None:
    assert found(ask, "hotspots")[0] == ["src/shop/orders.py"]


def test_all_patterns_are_grouped_and_can_be_limited_to_a_folder(ask: Ask) -> None:
    kinds = [one["pattern"] for one in ask("find_pattern")["data"]["found"]]

    assert kinds == sorted(kinds, key=kinds.index)
    assert {"cycles", "dead_code", "duplicates"} <= set(kinds)
    assert found(ask, "dead_code", path="src/shop/stock.py") == []


def test_a_place_is_suggested_with_reasons(ask: Ask) -> None:
    answer = ask("arch_suggest", description="send a mail to a customer when an order was placed")
    best = answer["data"]["places"][0]

    assert best["folder"] == "src/shop"
    assert best["tests"] == "tests"
    assert best["reasons"]


def test_the_map_shows_parts_entry_points_and_how_to_run_the_tests(ask: Ask) -> None:
    data = ask("project_map")["data"]

    assert data["start"][0] == {"id": "README.md", "said": "The shop"}
    assert data["entry_points"] == [
        {"id": "src/shop/orders.py::place", "said": "command `shop-orders`"},
        {"id": "src/shop/__main__.py::main", "said": "Main"},
    ]
    assert data["tests"] == ["pytest"]
    assert data["parts"]
    assert data["hotspots"][0]["id"] == "src/shop/orders.py"
    again = ask("project_map")["data"]
    assert {**again, "freshness": None} == {**data, "freshness": None}


def run(root: Path, *arguments: str) -> str:
    runner = CliRunner()
    done = runner.invoke(cli, ["-C", str(root), *arguments], standalone_mode=False, obj=State(str(root)))
    if done.exception is not None:
        raise done.exception
    return done.stdout


def test_the_map_is_printed_in_a_budget_and_drawn(shop: Repository) -> None:
    short, long = run(shop.root, "map", "--max-tokens", "250"), run(shop.root, "map")

    assert short.startswith("# shop")
    assert len(short) < len(long)
    assert "## Run the tests\n- `pytest`" in long
    assert ElementTree.fromstring(run(shop.root, "map", "--svg")).tag.endswith("svg")
