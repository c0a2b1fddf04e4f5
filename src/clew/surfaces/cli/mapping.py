"""The repository on one page, from the command line: as Markdown in a token budget, or as SVG."""

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import msgspec

from clew.model.errors import Unavailable
from clew.surfaces.cli.calling import finish
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.state import State, common, time_options, times
from clew.surfaces.cli.whole import ask
from clew.text.escaping import block, escape

SIZE, RING = 900, 320  # of the picture, and the radius on which communities stand
LEAST, MOST = 16, 70  # radius of a community
MOST_LETTERS = 26
_FILLS = ("#d5f5e3", "#fdebd0", "#e8eef7", "#f2e6f7", "#fcf3cf", "#d1f2eb", "#fadbd8", "#eaecee")


@click.command("map")
@click.option("--max-tokens", type=click.IntRange(100), default=1500, help="Token budget of the answer.")
@click.option("--svg", "as_svg", is_flag=True, help="Draw the main parts and how they use each other, as SVG.")
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="A file; otherwise standard output."
)
@time_options
@common
@click.pass_obj
def map_(state: State, /, as_json: bool, quiet: bool, **options: Any) -> int:
    """Show the repository on one page: where to start, main parts, entry points, central code, hotspots, its tests. The
    same files and commits give the same page.

    \b
    clew map --max-tokens 800
    clew map --svg -o map.svg
    """
    as_svg: bool = options["as_svg"]
    budget = {"profile": "debug"} if as_svg else {"max_tokens": options["max_tokens"], "profile": None}
    reply = ask(state, "project_map", {**budget, **times(options)})
    if as_json and not as_svg:
        return finish(reply, lambda *_: None, as_json=True, quiet=quiet)
    output: Path | None = options["output"]

    def show(envelope: dict[str, Any], quiet: bool) -> None:
        page = svg(envelope["data"]) if as_svg else block(text(envelope["data"]))
        if output is None:
            print_json({"svg": page}) if as_json else click.echo(page, nl=False)
            return
        try:
            output.write_text(page, "utf-8")
        except OSError as error:
            raise Unavailable(f"{output} cannot be written: {error.strerror}", "Name another file.") from error
        if not quiet:
            click.echo(f"Written to {output}.")

    if as_json and not reply.ok:
        return finish(reply, show, as_json=True, quiet=quiet)
    if as_svg and reply.ok:
        show(msgspec.json.decode(reply.body), quiet)
        return 0
    return finish(reply, show, as_json=False, quiet=quiet)


def text(data: Mapping[str, Any]) -> str:
    """The page as Markdown."""
    return "\n".join(_rows(data)).rstrip() + "\n"


def _rows(data: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"# {data['project']}", "")
    sections: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
        ("Where to start", "start", _entry),
        ("Main parts", "parts", _part),
        ("Entry points", "entry_points", _entry),
        ("Central code", "central", _entry),
        ("Hotspots", "hotspots", _entry),
        ("Services", "services", str),
        ("Run the tests", "tests", lambda one: f"- `{one}`"),
        ("Languages", "languages", lambda one: f"- {one['language']}: {one['files']} files, {one['lines']} lines"),
    )
    for title, name, line in sections:
        if some := data.get(name):
            yield f"## {title}"
            yield from map(line, some)
            if left := data.get(f"{name}_left_out"):
                yield f"- … {left} more"
            yield ""


def _entry(one: Mapping[str, Any]) -> str:
    said = f": {one['said']}" if one.get("said") else ""
    return f"- `{one['id']}`{said}"


def _part(one: Mapping[str, Any]) -> str:
    said = f": {one['summary']}" if one.get("summary") else f" ({one['files']} files)"
    return f"- **{one['label']}**{said}"


def svg(data: Mapping[str, Any]) -> str:
    """Communities on a ring, larger with more files; lines lead to the communities that they use most."""
    parts = data["parts"]
    largest = max((one["files"] for one in parts), default=1)
    places = {}
    for number, one in enumerate(parts):
        angle = 2 * math.pi * number / max(1, len(parts)) - math.pi / 2
        x, y = SIZE / 2 + RING * math.cos(angle), SIZE / 2 + RING * math.sin(angle)
        places[one["label"]] = x, y, LEAST + (MOST - LEAST) * math.sqrt(one["files"] / largest)
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" height="{SIZE}" '
        'font-family="ui-sans-serif, system-ui, sans-serif" font-size="12">',
        f"<title>{escape(data['project'])}</title>",
        f'<rect width="{SIZE}" height="{SIZE}" fill="#ffffff"/>',
    ]
    for one in parts:
        x, y, _ = places[one["label"]]
        for rank, other in enumerate(one.get("uses", ())):
            if other in places:
                to_x, to_y, _ = places[other]
                rows.append(
                    f'<path d="M {x:.0f} {y:.0f} Q {SIZE / 2} {SIZE / 2}, {to_x:.0f} {to_y:.0f}" fill="none" '
                    f'stroke="#9fb3c8" stroke-width="{max(0.5, 2.5 - 0.5 * rank):.1f}"/>'
                )
    for number, one in enumerate(parts):
        x, y, radius = places[one["label"]]
        label = one["label"] if len(one["label"]) <= MOST_LETTERS else f"{one['label'][: MOST_LETTERS - 1]}…"
        rows.append(
            f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{radius:.0f}" stroke="#7b8794" '
            f'fill="{_FILLS[number % len(_FILLS)]}">'
            f"<title>{escape(one.get('summary', one['label']))}</title></circle>"
            f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="middle">{escape(label)}</text>'
            f'<text x="{x:.0f}" y="{y + 15:.0f}" text-anchor="middle" fill="#7b8794">{one["files"]} files</text>'
        )
    return "\n".join([*rows, "</svg>", ""])
