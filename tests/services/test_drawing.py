"""The drawn service map: everything lies inside the picture, and kinds can be told apart."""

import math
import re
from itertools import combinations
from xml.etree import ElementTree

import pytest

from clew.model.services import Service, ServiceEdge, Sighting, System
from clew.services.drawing import svg

SVG = "{http://www.w3.org/2000/svg}"
SEEN = Sighting("compose.yaml", 1)
KINDS = (
    *("configuration", "database", "discovery", "event", "graphql", "grpc", "http", "identity", "import"),
    *("messaging", "monitoring"),
)
ROLES = ("broker", "configuration", "database", "discovery", "gateway", "identity", "monitoring", "service")


def drawn(services: dict[str, str], edges: list[tuple[str, str, str]]) -> ElementTree.Element:
    system = System(
        services=tuple(Service(name, name, role, (), SEEN) for name, role in services.items()),
        edges=tuple(ServiceEdge(source, target, kind, kind, SEEN, 1.0) for source, target, kind in edges),
    )
    return ElementTree.fromstring(svg(system, everything=True))


@pytest.mark.parametrize("edges", [[("web", "cart", "http"), ("web", "user", "http"), ("cart", "user", "event")], []])
def test_arrows_and_legend_lie_inside_the_picture(edges: list[tuple[str, str, str]]) -> None:
    root = drawn({"web": "service", "cart": "configuration", "user": "service"}, edges)
    width = int(root.attrib["width"])
    arrows = [path.attrib["d"] for path in root.iter(f"{SVG}path") if path.find(f"{SVG}title") is not None]
    legend = [text for text in root.iter(f"{SVG}text") if text.text in ROLES and "text-anchor" not in text.attrib]

    assert len(arrows) == len(edges)
    assert all(0 <= int(x) <= width for arrow in arrows for x in re.findall(r"(-?\d+) -?\d+", arrow))
    assert len(legend) == 2
    assert all(int(text.attrib["x"]) + 9 * len(text.text or "") <= width for text in legend)


def test_colors_are_distinct_and_the_legend_shows_dashes() -> None:
    root = drawn(
        {f"s{at}": ROLES[at % len(ROLES)] for at in range(len(KINDS) + 1)},
        [(f"s{at}", f"s{at + 1}", kind) for at, kind in enumerate(KINDS)],
    )
    lines = list(root.iter(f"{SVG}line"))
    fills = [box.attrib["fill"] for box in root.iter(f"{SVG}rect") if box.attrib.get("width") == "24"]

    assert (len(lines), len(fills)) == (len(KINDS), len(ROLES))
    assert closest([line.attrib["stroke"] for line in lines]) > 60
    assert closest(fills) > 25
    assert [kind for kind, line in zip(KINDS, lines, strict=True) if "stroke-dasharray" in line.attrib] == [
        "event",
        "messaging",
    ]


def closest(colors: list[str]) -> float:
    """The smallest distance between two colors."""
    values = [tuple(bytes.fromhex(color[1:])) for color in colors]
    return min(math.dist(*pair) for pair in combinations(values, 2))
