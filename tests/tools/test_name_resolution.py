"""One rule decides which of several symbols of one name is meant, in every tool that takes a name."""

from collections.abc import Iterator

import pytest

from clew.engine import Engine
from tests.tools.asking import Ask, asking

FILES = {
    "src/console.py": "def echo(text):\n    print(text)\n\n\nLIMIT = 3\n",
    "src/other.py": "def outer():\n    def echo(text):\n        return text\n\n    return echo\n\n\nLIMIT = 4\n",
    "tests/test_console.py": "def test_it():\n    def echo(text): ...\n\n    echo('a')\n",
    "pay/card.go": "package shop\n\ntype Card struct{}\n\nfunc (c *Card) Charge() int { return 1 }\n",
    "guide.md": "# Guide\n\n## echo\n\nPrints a text.\n",
}
ECHO = "src/console.py::echo"


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    root = tmp_path_factory.mktemp("names")
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, "utf-8")
    with Engine.open(root, environ={}) as engine:
        engine.index()
    with asking(root) as asked:
        yield asked


def test_a_function_of_the_code_comes_before_local_ones_and_tests(ask: Ask) -> None:
    explained = ask("code_explain", element="echo")

    assert explained["data"]["id"] == ECHO
    assert explained["data"]["also"] == ["src/other.py::outer::echo", "tests/test_console.py::test_it::echo"]


def test_every_tool_that_takes_a_name_means_the_same(ask: Ask) -> None:
    assert ask("query_graph_neighborhood", node_id="echo")["data"]["center_node"]["id"] == f"symbol::{ECHO}"
    assert ask("semantic_slice", symbol="echo")["data"]["id"] == ECHO
    assert ask("impact_analyze", symbols=["echo"])["data"]["changed"] == [ECHO]
    assert ask("context_pack", task="change how text is written", focus="echo")["data"]["entry_point"] == ECHO
    assert ask("agent_claim", target_id="echo", intent="quote")["data"]["target"] == ECHO
    ask("episode_add", type="OBSERVATION", content="It prints.", entities=["echo"])
    assert [one["id"] for one in ask("episode_recall", query="prints")["data"]["episodes"][0]["entities"]] == [ECHO]


def test_symbols_of_equal_precedence_remain_a_choice(ask: Ask) -> None:
    choices = ask("code_explain", element="LIMIT")["data"]["choices"]

    assert [one["id"] for one in choices] == ["src/console.py::LIMIT", "src/other.py::LIMIT"]


def test_a_package_may_stand_before_a_type_and_its_method(ask: Ask) -> None:
    assert ask("code_explain", element="shop.Card.Charge")["data"]["id"] == "pay/card.go::Card::Charge"
