"""A definition while its file is being read."""

from msgspec import Struct

from clew.index.syntax.ranges import LineIndex, Range
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


# How definitions lie in each other: how far headings reach, and that none cross.


def extend_sections(openings: list[Definition], lines: LineIndex, length: int) -> None:
    """Let each heading reach to the next one that is not below it, or to the end of the section it stands in.

    All sections, in order; one without a level ends where it ends, and ends the headings before it.
    """
    around: list[int] = [length]
    limits = {}
    for one in openings:
        while around[-1] <= one.start and len(around) > 1:
            around.pop()
        limits[id(one)] = around[-1]
        if not one.level:
            around.append(one.end)
    following: list[Definition] = []
    for one in reversed(openings):
        while one.level and following and following[-1].level > one.level:
            following.pop()
        if one.level:
            one.end = min(limits[id(one)], following[-1].start) if following else limits[id(one)]
            one.last = lines.at(max(one.end - 1, one.start))
        following.append(one)


def clip_overlaps(definitions: list[Definition], lines: LineIndex) -> None:
    """Where one begins inside of another and ends behind it, end the other there: a comment above the next table."""
    open_: list[Definition] = []
    for one in definitions:
        while open_ and open_[-1].end < one.end:
            outer = open_.pop()
            if outer.end > one.start:
                outer.end, outer.last = one.start, lines.at(max(one.start - 1, outer.start))
                outer.head = outer.head[0], min(outer.head[1], outer.end)
        open_.append(one)
