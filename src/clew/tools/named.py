"""Where the name of an element stands that nothing is known to lead to: so that a zero can be believed, or not."""

from msgspec import Struct

from clew.engine import Engine
from clew.graph.elements import Element
from clew.text.paths import is_test_path

MOST = 10  # lines that are told; all are counted


class Named(Struct, frozen=True, omit_defaults=True):
    """Lines that have an element's name, outside of it; `unread` files may have more."""

    count: int
    places: tuple[str, ...]
    unread: int = 0

    def __str__(self) -> str:
        many = f"{'at least ' * bool(self.unread)}{self.count}" if self.count else "no"
        where = " that was looked at" if self.unread and not self.count else ""
        return f"its name stands in {many} other line{'s' * (self.count > 1)}{where}"


def where_named(engine: Engine, element: Element, name: str) -> Named | None:
    """Code of the same language comes first, and what is told to be a member; None if the name cannot be looked up."""
    from clew.retrieve.naming import standing  # numpy is heavy, and most tools do not need it

    found = standing(engine.corpus(), name, engine.files.text)
    if found is None:
        return None
    own = range(element.first_line, element.last_line + 1)
    others = [one for one in found.spots if one.path != element.path or one.line not in own]
    ending = element.path.rpartition(".")[2]
    others.sort(key=lambda one: (not one.path.endswith(ending), not one.is_member, is_test_path(one.path), one))
    return Named(len(others), tuple(f"{one.path}:{one.line}" for one in others[:MOST]), found.unread)
