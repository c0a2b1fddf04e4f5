"""Resolves what a caller wants to claim: a path or id as written, or the one symbol with that name."""

import os.path
import re

from msgspec import Struct

from clew.engine import Engine
from clew.graph.elements import Elements
from clew.graph.name_resolution import first_meant
from clew.graph.naming import LINE, Naming, normalize_id, unquote
from clew.model.code import SCOPE, split_id, symbol_id
from clew.model.errors import InvalidInput
from clew.model.fleet import ClaimKind
from clew.runtime.paths import from_root

MOST_NAMED = 5
_APART = (ClaimKind.TASK, ClaimKind.FEATURE)
_DOTTED = re.compile(r"[\w$]+(?:\.[\w$]+)+")


class ClaimTarget(Struct, frozen=True):
    """`named` is what was written, if it stands for the target; `missing`: nothing is there, but perhaps `near` it."""

    target: str
    named: str = ""
    missing: bool = False
    near: tuple[str, ...] = ()


def resolve_claim_target(engine: Engine, text: str, kind: ClaimKind | None = None) -> ClaimTarget:
    """A path or an id is taken as it is written, whether it is there or not; a name alone is the symbol that has it."""
    if kind in _APART or text.strip().startswith(tuple(f"{apart}:" for apart in _APART)):
        return ClaimTarget(text)
    text = from_root(engine.place.root, unquote(text))
    wanted = text.replace("\\", "/")
    path, scope = split_id(wanted)
    there = _is_there(engine, path)
    if there and not scope:
        return ClaimTarget(text)
    if "*" in path and not there and ("/" in path or "." in path):
        raise InvalidInput(f"{text!r} is a pattern, which nobody can hold", "Claim a folder, or each file of its own.")
    place = LINE.fullmatch(wanted)
    at_line = bool(place and _is_there(engine, place["path"]))
    if not (there or at_line) and "/" in path:
        return ClaimTarget(_scoped(wanted), missing=True)
    return _looked_up(engine, text, wanted, kind, is_place=there) if engine.coverage().indexed else ClaimTarget(text)


def _is_there(engine: Engine, path: str) -> bool:
    return os.path.exists(engine.place.root / path)  # noqa: PTH110 - a name may be too long for a path


def _scoped(id: str) -> str:
    """An id whose scopes may be written with dots, as ids have them: else two could hold one thing by two spellings."""
    path, scope = split_id(id)
    return symbol_id(path, scope.replace(".", SCOPE)) if _DOTTED.fullmatch(scope) else id


def _looked_up(engine: Engine, text: str, wanted: str, kind: ClaimKind | None, *, is_place: bool) -> ClaimTarget:
    engine.refresh()
    elements = Elements(engine.files)
    naming = Naming(engine.files, engine.nodes, elements)
    if elements.get(wanted):
        return ClaimTarget(text)
    if is_place:
        spelled = _scoped(normalize_id(wanted))
        if elements.get(spelled):
            return ClaimTarget(spelled, named="" if spelled == normalize_id(wanted) else text)
        return ClaimTarget(spelled, missing=True, near=tuple(naming.inside(*split_id(spelled))[:MOST_NAMED]))
    found = naming.find(wanted)
    meant = found if LINE.fullmatch(wanted) else [one for one in found if split_id(one)[1]]
    meant = first_meant(elements, wanted, meant)
    if not meant or kind is ClaimKind.FILE:
        return ClaimTarget(text, missing=True, near=tuple((found or naming.near(wanted))[:MOST_NAMED]))
    if len(meant) > 1:
        more = f" and {len(meant) - MOST_NAMED} more" if len(meant) > MOST_NAMED else ""
        raise InvalidInput(
            f"{text!r} may be {len(meant)} things",
            f"Name one: {', '.join(meant[:MOST_NAMED])}{more}; or ./{wanted} for a file of that name.",
        )
    return ClaimTarget(meant[0], named=text)
