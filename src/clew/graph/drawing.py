"""A neighbourhood as a picture: one self-contained SVG.

Nodes stand in columns by distance: predecessors of the centre on the left, successors on the right.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from clew.graph.neighborhood import Neighbor, Neighborhood
from clew.model.code import EXTERNAL, SCOPE, Edge
from clew.model.words import EdgeKind, Kind
from clew.text.escaping import escape

LONGEST_LABEL = 32
HEIGHT, ABOVE = 24, 10  # of a box, and between two of one column
LETTER = 7.0  # the width of a letter, about
PADDING = 20
BETWEEN = 110  # two columns
BULGE = 36  # of an edge between two boxes of one column
LEGEND_LINE = 18

_FILLS = {
    Kind.FILE: "#e8eef7", Kind.MODULE: "#e8eef7", Kind.CLASS: "#fdebd0", Kind.INTERFACE: "#fcf3cf",
    Kind.FUNCTION: "#d5f5e3", Kind.METHOD: "#d1f2eb", Kind.VARIABLE: "#f2e6f7", Kind.EXTERNAL: "#eaecee",
}  # fmt: skip
# Kinds that are seldom shown together may be alike; what is drawn later covers what comes before, so calls come last.
_STROKES = {
    EdgeKind.CONTAINS: "#c3c9ce", EdgeKind.DEFINES: "#9fb3c8", EdgeKind.EXPORTS: "#7b8794",
    EdgeKind.CO_CHANGES: "#d98880", EdgeKind.MENTIONS: "#af7ac5", EdgeKind.DOCUMENTS: "#5dade2",
    EdgeKind.DATAFLOW: "#17a2b8", EdgeKind.USES: "#7d5a3c", EdgeKind.TESTS: "#8e44ad", EdgeKind.IMPORTS: "#2e5c9a",
    EdgeKind.INHERITS: "#b9770e", EdgeKind.IMPLEMENTS: "#c0392b", EdgeKind.CALLS: "#1e8449",
}  # fmt: skip
_OTHER_FILL, _OTHER_STROKE = "#ffffff", "#707b7c"


class Box(NamedTuple):
    """A node in its place: its column, the middle, and half of its width."""

    near: Neighbor
    column: int
    x: float
    y: float
    half: float


def svg(found: Neighborhood) -> str:
    """The same neighbourhood gives the same picture."""
    labels = _labels(found.nodes)
    boxes = _place_boxes(found, labels)
    kinds = sorted({edge.kind for edge in found.edges})
    left = min(box.x - box.half for box in boxes.values()) - PADDING - BULGE
    top = min(box.y for box in boxes.values()) - HEIGHT - PADDING
    width = max(box.x + box.half for box in boxes.values()) + PADDING + BULGE - left
    drawn = max(box.y for box in boxes.values()) + HEIGHT + PADDING - top
    height = drawn + LEGEND_LINE * (len(kinds) + 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.1f} {top:.1f} {width:.1f} {height:.1f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="ui-sans-serif, system-ui, sans-serif" font-size="12">',
        f"<title>{escape(f'The neighbourhood of {found.nodes[0].id}')}</title>",
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" fill="#ffffff"/>',
        *(_marker(kind) for kind in kinds),
        *(_arrow(edge, boxes[edge.source], boxes[edge.target]) for edge in sorted(found.edges, key=_layer)),
        *(_box(box, labels[box.near.id]) for box in boxes.values()),
        *_legend(found, kinds, left + PADDING, top + drawn),
    ]
    return "\n".join([*parts, "</svg>", ""])


def _place_boxes(found: Neighborhood, labels: Mapping[str, str]) -> dict[str, Box]:
    columns: dict[int, list[Neighbor]] = {}
    for near, column in _columns(found):
        columns.setdefault(column, []).append(near)
    widths = {column: max(_half(labels[near.id]) for near in some) * 2 for column, some in columns.items()}
    boxes: dict[str, Box] = {}
    x = 0.0
    for column in sorted(columns):
        x += widths[column] / 2
        top = -(len(columns[column]) - 1) * (HEIGHT + ABOVE) / 2
        for i, near in enumerate(columns[column]):
            boxes[near.id] = Box(near, column, x, top + i * (HEIGHT + ABOVE), _half(labels[near.id]))
        x += widths[column] / 2 + BETWEEN
    return boxes


def _columns(found: Neighborhood) -> list[tuple[Neighbor, int]]:
    """Each node with its column, from top to bottom: near to the node from which it was reached."""
    leads: dict[str, set[str]] = {}
    comes: dict[str, set[str]] = {}
    for edge in found.edges:
        leads.setdefault(edge.source, set()).add(edge.target)
        comes.setdefault(edge.target, set()).add(edge.source)
    order = {found.nodes[0].id: (0, 0)}  # by id: the side, and the place among those of its distance
    placed = [(found.nodes[0], 0)]
    for distance in sorted({near.distance for near in found.nodes[1:]}):
        some = [near for near in found.nodes[1:] if near.distance == distance]
        ranked = sorted((_first_neighbor(near, order, leads, comes), near.id, near) for near in some)
        for place, ((_, side), _, near) in enumerate(ranked):
            placed.append((near, side * distance))
            order[near.id] = side, place
    return placed


def _first_neighbor(
    near: Neighbor, order: Mapping[str, tuple[int, int]], leads: Mapping[str, set[str]], comes: Mapping[str, set[str]]
) -> tuple[int, int]:
    """The place of the first node that this was reached from, and its side: right of the centre if it is led to."""
    led_to = [(order[one][1], order[one][0] or 1) for one in comes.get(near.id, ()) if one in order]
    leading = [(order[one][1], order[one][0] or -1) for one in leads.get(near.id, ()) if one in order]
    return min(led_to or leading, default=(len(order), 1))


def _box(box: Box, label: str) -> str:
    fill = _FILLS.get(Kind(box.near.kind), _OTHER_FILL)
    centre = box.near.distance == 0
    stroke = 'stroke="#17202a" stroke-width="2"' if centre else 'stroke="#85929e"'
    weight = ' font-weight="bold"' if centre else ""
    return (
        f"<g><title>{escape(f'{box.near.id} ({box.near.kind})')}</title>"
        f'<rect x="{box.x - box.half:.1f}" y="{box.y - HEIGHT / 2:.1f}" width="{2 * box.half:.1f}" height="{HEIGHT}" '
        f'rx="6" fill="{fill}" {stroke}/>'
        f'<text x="{box.x:.1f}" y="{box.y + 4:.1f}" text-anchor="middle"{weight}>{escape(label)}</text></g>'
    )


def _arrow(edge: Edge, source: Box, target: Box) -> str:
    """From one box's side to the other's; within a column, around it."""
    title = f"{edge.source} {edge.kind} {edge.target} ({edge.path}:{edge.line}, {edge.confidence:g})"
    dashed = ' stroke-dasharray="5 4"' if edge.confidence < 1 else ""
    style = f'fill="none" stroke="{_stroke(edge.kind)}"{dashed} marker-end="url(#to-{edge.kind})"'
    way = (target.column > source.column) - (target.column < source.column)
    side = way or (-1 if source.column < 0 else 1)
    x1, x2 = source.x + side * source.half, target.x + (-side if way else side) * target.half
    y1, y2 = source.y, target.y + (0 if source is not target else HEIGHT / 3)
    if way:
        middle = (x1 + x2) / 2
        path = f"M {x1:.1f} {y1:.1f} C {middle:.1f} {y1:.1f} {middle:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
    else:
        out = side * max(side * x1, side * x2) + side * BULGE
        path = f"M {x1:.1f} {y1:.1f} C {out:.1f} {y1:.1f} {out:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
    return f'<path d="{path}" {style}><title>{escape(title)}</title></path>'


def _marker(kind: EdgeKind) -> str:
    return (
        f'<marker id="to-{kind}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        f'orient="auto-start-reverse"><path d="M 0 0 L 10 5 L 0 10 z" fill="{_stroke(kind)}"/></marker>'
    )


def _legend(found: Neighborhood, kinds: Sequence[EdgeKind], x: float, y: float) -> list[str]:
    left = found.total - len(found.nodes)
    said = [f'<text x="{x:.1f}" y="{y:.1f}" fill="#566573">{left} more nodes are not shown</text>'] if left else []
    for i, kind in enumerate(kinds, 1):
        at = y + LEGEND_LINE * i
        line = (
            f'<path d="M {x:.1f} {at - 4:.1f} h 34" fill="none" stroke="{_stroke(kind)}" marker-end="url(#to-{kind})"/>'
        )
        said.append(f'{line}<text x="{x + 42:.1f}" y="{at:.1f}" fill="#566573">{kind}</text>')
    return said


def _stroke(kind: EdgeKind) -> str:
    return _STROKES.get(kind, _OTHER_STROKE)


def _layer(edge: Edge) -> int:
    order = [*_STROKES]
    return order.index(edge.kind) if edge.kind in _STROKES else -1


def _half(label: str) -> float:
    return len(label) * LETTER / 2 + 10


def _labels(nodes: Sequence[Neighbor]) -> dict[str, str]:
    """The last names of ids; where two are the same, with the last part of the path that tells them apart."""
    found = {near.id: _last_names(near.id) for near in nodes}
    times = Counter(found.values())
    return {one: _shorten(_with_file(one, name) if times[name] > 1 else name) for one, name in found.items()}


def _last_names(id: str) -> str:
    """A file's with its folder."""
    path, *scopes = id.removeprefix(EXTERNAL).split(SCOPE)
    return ".".join(scopes[-2:]) if scopes else "/".join(path.split("/")[-2:])


def _with_file(id: str, name: str) -> str:
    path, *scopes = id.removeprefix(EXTERNAL).split(SCOPE)
    return f"{path.rpartition('/')[2]} {'.'.join(scopes)}" if scopes else path


def _shorten(name: str) -> str:
    return name if len(name) <= LONGEST_LABEL else f"…{name[1 - LONGEST_LABEL :]}"
