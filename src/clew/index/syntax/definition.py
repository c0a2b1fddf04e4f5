"""A definition while its file is being read."""

from msgspec import Struct

from clew.index.syntax.ranges import Range
from clew.model.words import Kind

_BLOCK = Kind.BLOCK  # looked up once: see `units`


class Definition(Struct, gc=False):
    """A definition while its file is being read. `start` takes in its decorators and leading comments."""

    kind: Kind
    name: str
    start: int
    end: int
    first: int
    last: int
    head: Range  # the signature
    exported: bool
    named: int = -1  # where its name stands
    bodied: bool = False  # else a prototype, an overload, what is abstract; or a plain value
    is_object: bool = False  # a variable that is a scope, with members
    member: bool = False  # an entry of an object: no name of its own in the scope around
    lexical: bool = False  # its `this` is that of what is around
    level: int = 0  # of a heading, from 1: what it opens goes on behind it
    doc: Range | None = None
    into: str = ""  # the scope that its contents belong to, if it is not its own: `impl Card`
    receiver: str = ""  # the scope that it belongs to itself: `func (c *Card) Charge()`
    namespace: bool = False  # its contents are named by it, and not its members
    label: str = ""  # what lists show, if it is not the name
    is_scope: bool = True  # else what stands inside belongs to the scope around: a cell of a notebook
    signature: str = ""  # if it is not the head as it stands in the source

    @property
    def is_data(self) -> bool:
        """Whether it is a block that is no more than its contents: a key of a file of settings, and not a namespace."""
        return self.kind is _BLOCK and not self.into and not self.namespace
