"""graph_query in Cypher and SQL: rows of the graph, refusals with the place, limits of time and rows, other times."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.engine import Engine
from clew.graph import cypher
from clew.graph.sql import Replica
from clew.model.errors import InvalidInput, TimedOut
from tests.conftest import DAY_1, Repository
from tests.tools.asking import Ask, asking

FILES = {
    "card.py": (
        'class Card:\n    """A card, "gold" or not."""\n\n    def charge(self, n):\n        return check(n)\n\n\n'
        "def check(n):\n    return n\n"
    ),
    "shop.py": "from card import Card\n\n\ndef sell():\n    return Card().charge(1)\n",
}
CALLS = "MATCH (a:Function)-[r:CALLS]->(b:Function {name: 'check'}) RETURN a.id, r.line"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    made = Repository(tmp_path_factory.mktemp("shop"))
    made.git("init", "-q", "-b", "main")
    for path, text in FILES.items():
        made.write(path, text)
    made.commit(DAY_1)
    with Engine.open(made.root, environ={}) as engine:
        engine.index()
    return made


@pytest.fixture(scope="module")
def ask(shop: Repository) -> Iterator[Ask]:
    with asking(shop.root) as asked:
        yield asked


def test_cypher_reads_nodes_and_edges(ask: Ask) -> None:
    data = ask("graph_query", query=CALLS, language="cypher")["data"]

    assert data["columns"] == ["a.id", "r.line"]
    assert data["rows"] == [["card.py::Card::charge", 5]]
    doc = ask("graph_query", query="MATCH (c:Class) RETURN c.name, c.doc", language="cypher")["data"]["rows"]
    assert doc[0][0] == "Card"
    assert '"gold"' in doc[0][1]


def test_cypher_answers_about_the_files_as_they_are_and_as_they_were(shop: Repository) -> None:
    shop.write("more.py", "from card import check\n\n\ndef more():\n    return check(2)\n")
    with asking(shop.root) as ask:
        now = ask("graph_query", query=CALLS, language="cypher")["data"]["rows"]
        then = ask("graph_query", query=CALLS, language="cypher", as_of="HEAD")["data"]["rows"]
    shop.delete("more.py")

    assert sorted(row[0] for row in now) == ["card.py::Card::charge", "more.py::more"]
    assert [row[0] for row in then] == ["card.py::Card::charge"]


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("COPY Function TO '/tmp/x.csv'", "not with COPY"),
        ("LOAD FROM '/etc/passwd' RETURN *", "not with LOAD"),
        ("MATCH (n)\nLOAD FROM '/etc/passwd' RETURN *", "LOAD at line 2, column 1"),
        ("MATCH (n) SET n.name = 'x'", "SET at line 1, column 11"),
        ("MATCH (n) /* c */ DETACH DELETE n", "DETACH at"),
        ("CALL show_tables() RETURN *", "not with CALL"),
        ("RETURN 1; COPY Function TO 'x'", "a second begins at line 1, column 9"),
        ("INSTALL httpfs", "not with INSTALL"),
        ("", "not with nothing"),
    ],
)
def test_statements_that_do_more_than_read_are_refused_with_their_place(query: str, place: str) -> None:
    with pytest.raises(InvalidInput, match=place.replace("(", r"\(")):
        cypher.read_only_query(query)


def test_words_inside_of_texts_and_names_are_no_statements() -> None:
    query = "MATCH (n {name: 'COPY x; DROP'}) WHERE n.set = 1 // LOAD\nRETURN n.copy, `create`;"

    assert cypher.read_only_query(query) == query[:-1]


def test_a_wrong_query_names_the_place(ask: Ask) -> None:
    wrong = ask("graph_query", query="MATCH (n:Function RETURN n", language="cypher")

    assert wrong["errorCode"] == "CLEW_E_INVALID_INPUT"
    assert "line: 1" in wrong["summary"]


def test_sql_reads_views_and_nothing_else(ask: Ask) -> None:
    rows = ask("graph_query", query="SELECT path, lines FROM files ORDER BY path", language="sql")["data"]["rows"]
    edges = ask(
        "graph_query", query="SELECT source FROM edges WHERE kind = 'CALLS' AND target LIKE '%::check'", language="sql"
    )["data"]["rows"]

    assert rows == [["card.py", 9], ["shop.py", 5]]
    assert edges == [["card.py::Card::charge"]]
    for query in (
        "DELETE FROM nodes",
        "ATTACH '/tmp/x.db' AS x",
        "PRAGMA query_only = OFF",
        "SELECT load_extension('x')",
    ):
        assert ask("graph_query", query=query, language="sql")["errorCode"] == "CLEW_E_INVALID_INPUT"


def test_rows_beyond_the_limit_are_reported(ask: Ask) -> None:
    answer = ask("graph_query", query="SELECT id FROM nodes", language="sql", limit=2)

    assert len(answer["data"]["rows"]) == 2
    assert answer["data"]["cut"]
    assert "and there are more: raise `limit`" in answer["summary"]


def test_a_query_ends_with_its_time(shop: Repository) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with Engine.open(shop.root, environ={}) as engine:
        replica = Replica(engine.graph(), engine.files)
        with pytest.raises(TimedOut):
            replica.run(endless, 1, 0.05)


def test_the_replica_is_one_file_in_the_projects_folder(shop: Repository, ask: Ask) -> None:
    ask("graph_query", query=CALLS, language="cypher")
    made = [path for path in (shop.root / ".clew" / "snapshots").rglob("cypher-*") if path.is_file()]

    assert len(made) == 1
    assert Path(made[0]).suffix == ".lbug"
