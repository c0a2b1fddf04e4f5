"""A picture of a neighbourhood: whole, escaped, the same each time, and nothing lies on anything else."""

from itertools import combinations
from xml.etree import ElementTree

from msgspec import structs

from clew.graph.drawing import HEIGHT, svg
from clew.graph.neighborhood import Neighbor, Neighborhood
from clew.model.code import Edge
from clew.model.words import EdgeKind, EvidenceKind

SVG = "{http://www.w3.org/2000/svg}"


def edge(source: str, target: str, confidence: float = 1.0) -> Edge:
    return Edge(source, target, EdgeKind.CALLS, "a.py", 3, EvidenceKind.CALLSITE, confidence)


def a_neighborhood() -> Neighborhood:
    nodes = [Neighbor("a.py::run", "function", 0, 0.3), Neighbor("a.py::main", "function", 1, 0.2)]
    nodes += [Neighbor(f"src/deep/b.py::Long{i}::a_name_that_is_rather_long_{i}", "method", 1, 0.1) for i in range(7)]
    nodes += [Neighbor('external::<os>&"x"', "external", 2, 0.01), Neighbor("b.md::Part", "section", 2, 0.01)]
    edges = [edge("a.py::main", "a.py::run"), edge("a.py::run", "a.py::run")]
    edges += [edge("a.py::run", node.id, 0.6) for node in nodes[2:9]]
    edges += [edge(nodes[2].id, nodes[9].id), edge(nodes[2].id, nodes[3].id)]
    return Neighborhood(tuple(nodes), tuple(edges), 14, 0)


def boxes(text: str) -> list[tuple[float, float, float]]:
    """The left side, the top and the width of each node's."""
    root = ElementTree.fromstring(text)
    found = [group.find(f"{SVG}rect") for group in root.iter(f"{SVG}g")]
    return [
        (float(box.attrib["x"]), float(box.attrib["y"]), float(box.attrib["width"])) for box in found if box is not None
    ]


def test_every_node_is_a_box_and_every_edge_an_arrow() -> None:
    root = ElementTree.fromstring(svg(a_neighborhood()))

    texts = [text.text for text in root.iter(f"{SVG}text")]
    arrows = [path for path in root.iter(f"{SVG}path") if path.find(f"{SVG}title") is not None]
    assert len(list(root.iter(f"{SVG}g"))) == 11
    assert len(arrows) == 11
    assert all(path.attrib["marker-end"] == "url(#to-CALLS)" for path in arrows)
    assert {"run", "main", '<os>&"x"', "3 more nodes are not shown", "CALLS"} <= set(texts)


def test_what_leads_here_is_left_and_what_is_led_to_is_right() -> None:
    root = ElementTree.fromstring(svg(a_neighborhood()))
    placed = {group.findtext(f"{SVG}text"): group.find(f"{SVG}text") for group in root.iter(f"{SVG}g")}
    middles = {name: float(text.attrib["x"]) for name, text in placed.items() if text is not None}

    assert middles["main"] < middles["run"] < middles['<os>&"x"']


def test_no_box_lies_on_another() -> None:
    for (x, y, width), (other_x, other_y, other_width) in combinations(boxes(svg(a_neighborhood())), 2):
        beside = x + width <= other_x or other_x + other_width <= x
        assert beside or abs(y - other_y) >= HEIGHT


def test_the_same_neighborhood_gives_the_same_picture() -> None:
    assert svg(a_neighborhood()) == svg(a_neighborhood())


def test_a_node_alone_is_a_picture_too() -> None:
    text = svg(Neighborhood((Neighbor("a.txt", "file", 0, 1.0),), (), 1, 0))

    assert len(boxes(text)) == 1
    assert "not shown" not in text


def test_every_kind_of_edge_has_a_color_of_its_own() -> None:
    nodes = (Neighbor("a.py::run", "function", 0, 0.3), Neighbor("a.py::main", "function", 1, 0.2))
    edges = tuple(structs.replace(edge("a.py::main", "a.py::run"), kind=kind) for kind in EdgeKind)
    root = ElementTree.fromstring(svg(Neighborhood(nodes, edges, 2, 0)))

    drawn = [path for path in root.iter(f"{SVG}path") if path.find(f"{SVG}title") is not None]
    assert len({path.attrib["stroke"] for path in drawn}) == len(EdgeKind)
    assert drawn[-1].attrib["marker-end"] == "url(#to-CALLS)", "calls lie on top"


def test_nodes_of_one_name_are_told_apart_by_their_files() -> None:
    nodes = (Neighbor("a/one.py::run", "function", 0, 0.3), Neighbor("b/two.py::run", "function", 1, 0.2))
    root = ElementTree.fromstring(svg(Neighborhood(nodes, (edge("a/one.py::run", "b/two.py::run"),), 2, 0)))

    assert {"one.py run", "two.py run"} <= {text.text for text in root.iter(f"{SVG}text")}
