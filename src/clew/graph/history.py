"""Since when a thing has been as it is, and until when."""

from clew.graph.elements import Page
from clew.model.time import FOREVER, AsOf, Period
from clew.store.files import Files
from clew.store.graph import Nodes


def period(files: Files, nodes: Nodes, page: Page, scope: str, at: AsOf) -> Period:
    """Interval in which a symbol was valid as it was at a viewpoint, as known there; without a scope, its file's."""
    version = page.version
    if not scope:
        return Period(version.valid_from, version.valid_to)
    held = [one for one in nodes.versions(version.path, scope) if one.born <= version.version < one.died]
    born, died = (held[0].born, held[0].died) if held else (version.version, version.version + 1)
    believed = {one.version: one for one in files.history(version.path) if one.known_from <= at.known < one.known_to}
    during = [one for number, one in believed.items() if born <= number < died]
    start = min((one.valid_from for one in during), default=version.valid_from)
    return Period(start, max((one.valid_to for one in during), default=FOREVER))
