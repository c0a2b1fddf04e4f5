"""The layers of a project as SVG: one row each, with the references between them; those that lead upwards are red."""

from clew.engine import Engine
from clew.graph.architecture import Selectors
from clew.graph.file_graph import FileGraph, file_graph_of
from clew.model.architecture import ArchitectureRule
from clew.model.errors import NotFound
from clew.text.escaping import escape
from clew.tools.architecture import configured_rules, groups_of, layer_order, unit_folders

WIDTH, HEIGHT, GAP, MARGIN = 560, 44, 30, 24
BEND = 26  # by how much an arrow that skips a row moves outwards
MOST_ARROWS = 200


def layers_svg(engine: Engine) -> str:
    engine.require_index()
    graph = file_graph_of(engine.graph())
    rules, _ = configured_rules(engine)
    rule = next((one for one in rules if one.kind == "layers"), None)
    rows = _rows(engine, graph, rule) if rule else _suggested_layers(graph)
    if not rows:
        raise NotFound("there are no layers to draw", "Write a rule of kind layers, or index a project with folders.")
    return _svg(graph, rows, rule.name if rule else "layers that the graph suggests")


def _rows(engine: Engine, graph: FileGraph, rule: ArchitectureRule) -> list[tuple[str, frozenset[int]]]:
    select = Selectors(graph.paths, groups_of(engine, [rule]))
    container = f"{rule.containers[0]}{'/' if '/' in rule.containers[0] else '.'}" if rule.containers else ""
    found = []
    for layer in rule.layers:
        names = [one.strip("() ") for one in layer.replace(" : ", "|").split("|") if one.strip("() ")]
        files = frozenset().union(*(select.find(f"{container}{name}") for name in names))
        found.append((" | ".join(names), files))
    return [one for one in found if one[1]]


def _suggested_layers(graph: FileGraph) -> list[tuple[str, frozenset[int]]]:
    units = unit_folders(graph)
    return [
        (unit, frozenset(place for place, path in enumerate(graph.paths) if path.startswith(f"{unit}/")))
        for unit in (layer_order(graph, units) if len(units) > 1 else [])
    ]


def _svg(graph: FileGraph, rows: list[tuple[str, frozenset[int]]], title: str) -> str:
    row_of = {place: number for number, (_, files) in enumerate(rows) for place in files}
    counts: dict[tuple[int, int], int] = {}
    for (source, target), count in graph.counts.items():
        pair = row_of.get(source, -1), row_of.get(target, -1)
        if min(pair) >= 0 and pair[0] != pair[1]:
            counts[pair] = counts.get(pair, 0) + count
    side = MARGIN + BEND * (len(rows) + 1)
    width, height = 2 * side + WIDTH, 2 * MARGIN + len(rows) * (HEIGHT + GAP)
    top = {number: MARGIN + number * (HEIGHT + GAP) for number in range(len(rows))}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="ui-sans-serif, system-ui, sans-serif" font-size="13">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        *(_marker(name, color) for name, color in (("down", "#7b8794"), ("up", "#c0392b"))),
    ]
    strongest = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:MOST_ARROWS]
    for (source, target), count in sorted(strongest):
        is_down = source < target
        color, marker = ("#7b8794", "down") if is_down else ("#c0392b", "up")
        x = side + WIDTH if is_down else side
        reach = BEND * abs(source - target) * (1 if is_down else -1)
        start, end = top[source] + HEIGHT / 2, top[target] + HEIGHT / 2
        parts.append(
            f'<path d="M {x} {start:.0f} C {x + reach} {start:.0f}, {x + reach} {end:.0f}, {x} {end:.0f}" fill="none" '
            f'stroke="{color}" stroke-width="{1 + min(4, count / 50):.1f}" marker-end="url(#{marker})">'
            f"<title>{escape(f'{rows[source][0]} → {rows[target][0]}: {count} references')}</title></path>"
        )
    for number, (name, files) in enumerate(rows):
        y = top[number]
        parts.append(
            f'<rect x="{side}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="5" fill="#e8eef7" stroke="#9fb3c8"/>'
            f'<text x="{side + 14}" y="{y + HEIGHT / 2 + 5}">{escape(name[:64])}</text>'
            f'<text x="{side + WIDTH - 14}" y="{y + HEIGHT / 2 + 5}" text-anchor="end" fill="#7b8794">'
            f"{len(files)} files</text>"
        )
    return "\n".join([*parts, "</svg>", ""])


def _marker(name: str, color: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M 0 0 L 8 4 L 0 8 z" fill="{color}"/></marker>'
    )
