"""The service map as one SVG that needs nothing else: services in columns, to the right of those that use them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from clew.model.services import Service, ServiceEdge, System
from clew.text.escaping import escape
from clew.text.escaping import line as in_line

WIDTH, HEIGHT = 170, 40  # of a box
ACROSS, DOWN = 150, 26  # between boxes
MARGIN = 30
LOOP = 60  # how far the control points of an arrow within a column lie beside its boxes
LEGEND = 360  # its width
LONGEST = 24
MOST_LABELS = 4  # of a connection, in a text

_FILLS = {
    "service": "#dbeafe",
    "gateway": "#d8ccff",
    "database": "#fef3c7",
    "broker": "#dcfce7",
    "discovery": "#fbcfe8",
    "configuration": "#a5f3fc",
    "monitoring": "#d4d4d8",
    "identity": "#fecaca",
}
_STROKES = {
    "http": "#2563eb",
    "grpc": "#7c3aed",
    "graphql": "#e879f9",
    "event": "#16a34a",
    "messaging": "#78350f",
    "database": "#d97706",
    "discovery": "#be185d",
    "configuration": "#0891b2",
    "monitoring": "#6b7280",
    "identity": "#ef4444",
    "import": "#0f3d3e",
}
_OTHER = "#475569"
_DASHED = ("event", "messaging")


def svg(system: System, *, everything: bool = False) -> str:
    """The same system gives the same picture. Monitoring and configuration are left out unless `everything` is drawn."""
    quiet = () if everything else ("monitoring", "configuration", "discovery")
    edges = [one for one in system.edges if one.kind not in quiet]
    ends = {end for one in edges for end in (one.source, one.target)}
    services = [one for one in system.services if one.name in ends or one.role not in quiet]
    if not services:
        return '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="60"><text x="20" y="35">No services were found.</text></svg>'
    shown = {one.name for one in services}
    pairs = _pairs([one for one in edges if one.source in shown and one.target in shown])
    places = _places(services, list(pairs))
    kinds = sorted({kind for kind, _ in pairs.values()})
    roles = sorted({one.role for one in services})
    last = max(x for x, _ in places.values())
    has_loop = any(places[source][0] == places[target][0] == last for source, target in pairs)
    width = max(last + WIDTH + MARGIN + (LOOP if has_loop else 0), LEGEND)
    height = max(y for _, y in places.values()) + HEIGHT + MARGIN + 24 * max(len(kinds), len(roles)) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="ui-sans-serif, system-ui, sans-serif" font-size="12">',
        "<title>Services and how they talk</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        *(_marker(kind) for kind in kinds),
        *(_arrow(places[source], places[target], kind, labels) for (source, target), (kind, labels) in pairs.items()),
        *(_box(one, places[one.name]) for one in services),
        *_legend(kinds, roles, height),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def text_map(system: System, *, everything: bool = False) -> list[str]:
    """The same map as lines: each service, followed by those it uses."""
    quiet = () if everything else ("monitoring", "configuration", "discovery")
    edges = [one for one in system.edges if one.kind not in quiet]
    ends = {end for one in edges for end in (one.source, one.target)}
    pairs = _pairs(edges)
    lines = []
    for one in system.services:
        if one.name in ends or one.role not in quiet:
            about = ", ".join(filter(None, (one.role, *one.stack, one.path and f"in {one.path}")))
            lines.append(f"{one.name} ({about})")
            for (source, target), (kind, labels) in sorted(pairs.items()):
                if source == one.name:
                    shown = ", ".join(labels[:MOST_LABELS])
                    more = f" and {len(labels) - MOST_LABELS} more" if len(labels) > MOST_LABELS else ""
                    lines.append(f"  -> {target}: {kind} {shown}{more}".rstrip())
    return lines


def _pairs(edges: Sequence[ServiceEdge]) -> Mapping[tuple[str, str], tuple[str, tuple[str, ...]]]:
    """One arrow for each pair of services, of the kind that most of its edges have."""
    found: dict[tuple[str, str], list[ServiceEdge]] = defaultdict(list)
    for one in edges:
        found[one.source, one.target].append(one)
    result = {}
    for pair, some in sorted(found.items()):
        counts: dict[str, int] = defaultdict(int)
        for one in some:
            counts[one.kind] += 1
        kind = min(counts, key=lambda name: (-counts[name], name))
        result[pair] = kind, tuple(dict.fromkeys(one.label for one in some))
    return result


def _places(services: Sequence[Service], pairs: Sequence[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    """Columns by the distance from services that nobody uses; within a column, close to connected services."""
    uses: dict[str, set[str]] = defaultdict(set)
    users: dict[str, set[str]] = defaultdict(set)
    for source, target in pairs:
        uses[source].add(target)
        users[target].add(source)
    column: dict[str, int] = {}
    front = sorted(one.name for one in services if not users[one.name]) or [
        min(services, key=lambda one: (len(users[one.name]), one.name)).name
    ]
    depth = 0
    while front:
        for name in front:
            column.setdefault(name, depth)
        front = sorted({target for name in front for target in uses[name]} - column.keys())
        depth += 1
        if not front and (rest := sorted({one.name for one in services} - column.keys())):
            front, depth = rest[:1], 0
    rows: dict[int, list[str]] = defaultdict(list)
    for one in sorted(services, key=lambda one: (column[one.name], one.name)):
        rows[column[one.name]].append(one.name)
    order = {name: at for names in rows.values() for at, name in enumerate(names)}
    for _ in range(4):
        for number in sorted(rows):
            rows[number].sort(
                key=lambda name: (_mean([order[other] for other in users[name] | uses[name]], order[name]), name)
            )
            order.update({name: at for at, name in enumerate(rows[number])})
    tallest = max(len(names) for names in rows.values())
    places = {}
    for number, names in rows.items():
        top = MARGIN + (tallest - len(names)) * (HEIGHT + DOWN) // 2
        for at, name in enumerate(names):
            places[name] = (MARGIN + number * (WIDTH + ACROSS), top + at * (HEIGHT + DOWN))
    return places


def _mean(values: Sequence[int], otherwise: int) -> float:
    return sum(values) / len(values) if values else float(otherwise)


def _short(text: str) -> str:
    clean = in_line(text)
    return clean if len(clean) <= LONGEST else f"{clean[: LONGEST - 1]}…"


def _box(service: Service, place: tuple[int, int]) -> str:
    x, y = place
    dash = "" if service.path else ' stroke-dasharray="4 3"'
    said = f"{service.name} ({service.role}): {', '.join(service.stack) or 'unknown stack'}; {service.path or 'image only'}"
    return (
        f'<g><title>{escape(in_line(said))}</title><rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="{_FILLS.get(service.role, "#ffffff")}" stroke="#475569"{dash}/>'
        f'<text x="{x + WIDTH // 2}" y="{y + 17}" text-anchor="middle" font-weight="600">{escape(_short(service.name))}</text>'
        f'<text x="{x + WIDTH // 2}" y="{y + 32}" text-anchor="middle" font-size="10" fill="#475569">{escape(_short(", ".join(service.stack[:2]) or service.role))}</text></g>'
    )


def _arrow(source: tuple[int, int], target: tuple[int, int], kind: str, labels: tuple[str, ...]) -> str:
    (x1, y1), (x2, y2) = source, target
    forward = x2 > x1
    start = (x1 + WIDTH, y1 + HEIGHT // 2) if forward else (x1, y1 + HEIGHT // 2 + 8)
    end = (x2 - 2, y2 + HEIGHT // 2) if forward else (x2 + WIDTH + 2, y2 + HEIGHT // 2 + 8)
    if x1 == x2:
        start, end = (x1 + WIDTH, y1 + HEIGHT // 2), (x2 + WIDTH + 2, y2 + HEIGHT // 2)
    bend = LOOP if x1 == x2 else max(40, abs(end[0] - start[0]) // 2)
    first, second = (
        (start[0] + bend, end[0] + bend)
        if x1 == x2
        else (start[0] + (bend if forward else -bend), end[0] - (bend if forward else -bend))
    )
    said = "; ".join(labels[:8]) + (f"; {len(labels) - 8} more" if len(labels) > 8 else "")
    color = _STROKES.get(kind, _OTHER)
    return (
        f'<path d="M{start[0]} {start[1]} C{first} {start[1]} {second} {end[1]} {end[0]} {end[1]}" fill="none" stroke="{color}" stroke-width="1.4"{_dash(kind)} marker-end="url(#{kind})">'
        f"<title>{escape(in_line(f'{kind}: {said}'))}</title></path>"
    )


def _dash(kind: str) -> str:
    return ' stroke-dasharray="5 3"' if kind in _DASHED else ""


def _marker(kind: str) -> str:
    return f'<marker id="{kind}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" fill="{_STROKES.get(kind, _OTHER)}"/></marker>'


def _legend(kinds: Sequence[str], roles: Sequence[str], height: int) -> list[str]:
    base = height - 24 * max(len(kinds), len(roles)) - 6
    parts = []
    for at, kind in enumerate(kinds):
        y = base + 24 * at
        parts.append(
            f'<line x1="{MARGIN}" y1="{y}" x2="{MARGIN + 30}" y2="{y}" stroke="{_STROKES.get(kind, _OTHER)}" stroke-width="2"{_dash(kind)}/><text x="{MARGIN + 38}" y="{y + 4}">{kind}</text>'
        )
    for at, role in enumerate(roles):
        y = base + 24 * at
        parts.append(
            f'<rect x="{MARGIN + 150}" y="{y - 8}" width="24" height="14" rx="3" fill="{_FILLS.get(role, "#ffffff")}" stroke="#475569"/><text x="{MARGIN + 182}" y="{y + 4}">{role}</text>'
        )
    return parts
