"""The graph for other programs: valid whatever names hold."""

import shutil
import subprocess
from xml.etree import ElementTree

import pytest

from clew.graph.record import dot, graphml
from clew.graph.view import EdgeEvidence, EdgeLine, NodeLine, UnresolvedLine, View

XML = "{http://graphml.graphdrawing.org/xmlns}"
ODD = 'a<b>&"c"\\\n\t\r\x00\x1f\ufffe🔐.py'
HAS_DOT = shutil.which("dot") is not None

FOUND = View(
    [NodeLine(ODD, "file", ODD, 1, 9, "00"), NodeLine("b.py::run", "function", "b.py", 1, 2, "01")],
    [EdgeLine("b.py::run", "CALLS", ODD, EdgeEvidence("b.py", 2, "callsite"), 0.75)],
    [UnresolvedLine("b.py::run", 'x["<go>"]', EdgeEvidence("b.py", 2, "callsite"), "receiver")],
)


def test_graphml_is_xml_with_every_node_and_edge() -> None:
    root = ElementTree.fromstring("".join(graphml(FOUND)))

    keys = {key.get("id") for key in root.iter(f"{XML}key")}
    nodes = [node.get("id") for node in root.iter(f"{XML}node")]
    edges = list(root.iter(f"{XML}edge"))
    assert nodes[1:] == ["b.py::run", 'unresolved::x["<go>"]']
    assert (nodes[0] or "").startswith('a<b>&"c"\\\n\t\r\ufffd')
    assert {data.get("key") for data in root.iter(f"{XML}data")} <= keys
    assert {edge.get(end) for edge in edges for end in ("source", "target")} <= set(nodes)
    told = {data.get("key"): data.text for data in edges[0].iter(f"{XML}data")}
    assert (told["relation"], told["confidence"], told["evidence_line"]) == ("CALLS", "0.75", "2")


def test_dot_quotes_what_would_end_a_name() -> None:
    text = "".join(dot(FOUND))

    assert text.startswith("digraph clew {")
    assert '"b.py::run" -> "a<b>&\\"c\\"\\\\\\n\t\r\ufffd' in text
    assert text.count("->") == 2


@pytest.mark.skipif(not HAS_DOT, reason="Graphviz is not installed")
def test_graphviz_reads_dot() -> None:
    done = subprocess.run(["dot", "-Tsvg"], input="".join(dot(FOUND)).encode(), capture_output=True)

    assert done.returncode == 0, done.stderr


def test_an_empty_graph_is_valid_too() -> None:
    empty = View([], [], [])

    assert list(ElementTree.fromstring("".join(graphml(empty))).iter(f"{XML}node")) == []
    assert "".join(dot(empty)).endswith("}\n")
