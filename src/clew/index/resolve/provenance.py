"""How an abstract value came about, or by which way it is reached; equal values at one place differ by it.

Origins are plain integers, as `value_kinds` are, and provenances are values that can be stored.
"""

from typing import NamedTuple

_PLAIN, _BEHIND, _BELOW, _SUPPLIED, _SEEN_BY, _LENT, _MADE, _MADE_MEMBER, _MADE_BY, _SEEN_FROM = range(10)
_HOLDING, _MAPPED, _VALUES, _ITEMS, _PAIR, _REST, _METHOD = range(10, 17)


class Provenance(NamedTuple):
    origin: int = _PLAIN
    of: str = ""  # an id, a path or a name, as the origin needs it
    start: int = 0  # elements of a container that are left out
    view: int = _PLAIN  # of the container that a method is of

    @property
    def is_rest(self) -> bool:
        return self.origin == _REST

    @property
    def is_made_by(self) -> bool:
        """Whether an external function in `of` made it."""
        return self.origin == _MADE_BY

    @property
    def interface(self) -> str:
        """The id of the interface by which a method is seen, or of the trait that lends it."""
        return self.of if self.origin in (_SEEN_BY, _LENT) else ""

    @property
    def file(self) -> str:
        """The file from which an external name is seen, if that may be a folder of the tree."""
        return self.of if self.origin == _SEEN_FROM else ""

    @property
    def container(self) -> "Provenance":
        """Of a method, that of its container."""
        return Provenance(self.view, start=self.start)


PLAIN = Provenance()
# Of functions.
BEHIND = Provenance(_BEHIND)  # hidden by a decorator: a call of its name calls a wrapper, which calls it
BELOW = Provenance(_BELOW)  # only a subclass of the receiver's class has it
SUPPLIED = Provenance(_SUPPLIED)  # a member of an object that external code is taken to have made
# Of what is outside.
MADE = Provenance(_MADE)  # the result of a call
MADE_MEMBER = Provenance(_MADE_MEMBER)  # a member of such a result
# Of what external code gives for a class.
HOLDING = Provenance(_HOLDING)  # it holds an instance
MAPPED = Provenance(_MAPPED)  # something else, made of it by a method
# Of containers.
VALUES, ITEMS, PAIR = Provenance(_VALUES), Provenance(_ITEMS), Provenance(_PAIR)


def seen_by(interface: str) -> Provenance:
    """A method of an embedded interface, as the outer one has it."""
    return Provenance(_SEEN_BY, interface)


def lent_by(trait: str) -> Provenance:
    """A method that a trait lends to a type."""
    return Provenance(_LENT, trait)


def seen_from(path: str) -> Provenance:
    """An external name that may be a folder of the tree, as a file sees it."""
    return Provenance(_SEEN_FROM, path) if path else PLAIN


def made_by(function: str) -> Provenance:
    """The result of an external function."""
    return Provenance(_MADE_BY, function)


def rest_from(start: int) -> Provenance:
    """A container without its first elements."""
    return Provenance(_REST, start=start)


def method_of(name: str, container: Provenance) -> Provenance:
    """A method of a container."""
    return Provenance(_METHOD, name, container.start, container.origin)
