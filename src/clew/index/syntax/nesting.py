"""How definitions lie in each other: how far headings reach, and that none cross."""

from clew.index.syntax.definition import Definition
from clew.index.syntax.lines import LineIndex


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
