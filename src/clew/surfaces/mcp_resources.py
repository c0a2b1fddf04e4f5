"""MCP resources: the map of a project, its files, symbols and packs by address, with completion."""

from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import mcp_types as types
import msgspec

from clew.engine import Engine
from clew.model.errors import ClewError, NotFound
from clew.text.escaping import block
from clew.tools import resources
from clew.tools.answer import Caller, answer
from clew.tools.resources import MOST_COMPLETIONS

MAP = "clew://map"
_SCHEME = "clew://"
_MAP_TOKENS = 1500
_JSON, _TEXT, _MARKDOWN = "application/json", "text/plain", "text/markdown"


class ResourceKind(NamedTuple):
    """A template: what it stands for, the kind of its content, and how its variable is completed."""

    variable: str
    title: str
    about: str
    mime: str
    complete: Callable[[Engine, str], list[str]]


KINDS = {
    "symbol": ResourceKind(
        "id",
        "Symbol",
        "The exact lines of a symbol with its callers and callees, as semantic_slice answers.",
        _JSON,
        resources.complete_symbol,
    ),
    "file": ResourceKind(
        "path", "File", "A file as it is indexed; secrets are replaced.", _TEXT, resources.complete_path
    ),
    "pack": ResourceKind(
        "id", "Context pack", "A stored context pack, as context_pack_get answers.", _JSON, resources.complete_pack
    ),
}


def list_all() -> types.ListResourcesResult:
    about = "The project on one page: where to start, main parts, entry points, central code, how its tests are run."
    page = types.Resource(uri=MAP, name="map", title="Project map", description=about, mime_type=_MARKDOWN)
    return types.ListResourcesResult(resources=[page])


def list_templates() -> types.ListResourceTemplatesResult:
    return types.ListResourceTemplatesResult(
        resource_templates=[
            types.ResourceTemplate(
                uri_template=f"{_SCHEME}{name}/{{+{kind.variable}}}",
                name=name,
                title=kind.title,
                description=kind.about,
                mime_type=kind.mime,
            )
            for name, kind in KINDS.items()
        ]
    )


def read(caller: Caller, uri: str, project: str = "") -> types.ReadResourceResult:
    """The content of an address; raises what every surface reports."""
    mime, text = _content(caller, uri, project)
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=mime, text=text)])


def _content(caller: Caller, uri: str, project: str) -> tuple[str, str]:
    kind, _, encoded = uri.removeprefix(_SCHEME).partition("/")
    name = unquote(encoded)
    named = {"project": project} if project else {}
    if uri == MAP:
        from clew.surfaces.cli.overview import text as map_page  # few read it

        return _MARKDOWN, map_page(_data(caller, "project_map", {"max_tokens": _MAP_TOKENS, **named}))
    if not uri.startswith(_SCHEME) or kind not in KINDS or not name:
        raise NotFound(f"no resource {uri!r}", f"Resources: {MAP}, {', '.join(f'clew://{one}/…' for one in KINDS)}.")
    if kind == "file":
        return _TEXT, block(resources.file_text(caller.workspaces.get(project), name))
    if kind == "symbol":
        return _JSON, _body(caller, "semantic_slice", {"symbol": name, "profile": "balanced", **named})
    return _JSON, _body(caller, "context_pack_get", {"pack_id": name, "profile": "debug", **named})


def _data(caller: Caller, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return dict(msgspec.json.decode(_body(caller, tool, arguments))["data"])


def _body(caller: Caller, tool: str, arguments: dict[str, Any]) -> str:
    reply = answer(caller, tool, arguments)
    if not reply.ok:
        told = msgspec.json.decode(reply.body)
        raise NotFound(told["summary"], told["hint"])
    return reply.body.decode()


def complete(caller: Caller, ref: object, argument: str, prefix: str, project: str = "") -> types.Completion:
    """The values that a variable of a template, or an argument of a prompt, may take."""
    kind = _kind_of(ref, argument)
    if kind is None:
        return types.Completion(values=[], total=0, has_more=False)
    try:
        found = kind.complete(caller.workspaces.get(project), unquote(prefix))
    except ClewError:  # a project that cannot be opened completes nothing
        found = []
    is_uri = isinstance(ref, types.ResourceTemplateReference)
    values = [quote(one, safe="/:#<>@ ") if is_uri else one for one in found]
    return types.Completion(values=values[:MOST_COMPLETIONS], has_more=len(values) >= MOST_COMPLETIONS)


def _kind_of(ref: object, argument: str) -> ResourceKind | None:
    if isinstance(ref, types.ResourceTemplateReference):
        kind = KINDS.get(ref.uri.removeprefix(_SCHEME).partition("/")[0])
        return kind if kind and kind.variable == argument else None
    return KINDS.get({"symbol": "symbol", "path": "file"}.get(argument, ""))
