"""A file or a class by its declarations: each in its own lines, and marks that count the lines between them."""

from collections.abc import Iterator, Mapping

from clew.model.code import SCOPE, Symbol
from clew.model.words import Kind
from clew.retrieve.excerpt import mark

_LOCAL = (Kind.FUNCTION, Kind.METHOD)  # what stands in them is nobody else's affair


def outlines(source: bytes, symbols: Mapping[str, Symbol], scope: str = "") -> Iterator[str]:
    """Ever longer: what stands directly in a scope, then what stands in that, then its variables too.

    Of what has nothing to declare there are none. No scope is the whole file.
    """
    inner = {one.scope.removeprefix(f"{scope}{SCOPE}"): one for one in symbols.values() if _is_inside(one, scope)}
    outer = {name for name in inner if SCOPE not in name}
    declared = {name for name, one in inner.items() if one.kind is not Kind.VARIABLE and not _is_local(name, inner)}
    own = symbols.get(scope)
    if not inner or (own and own.kind in _LOCAL):
        return
    lines = source.decode("utf-8", "replace").split("\n")
    told = ""
    for wanted in (outer & declared, declared, outer | declared):
        opened = [*([own] if own else []), *(inner[name] for name in wanted)]
        text = _joined(lines, own, {line for one in opened for line in _opening(source, one)})
        if len(text) > len(told):
            yield text
            told = text


def _is_inside(symbol: Symbol, scope: str) -> bool:
    return symbol.scope.startswith(f"{scope}{SCOPE}") if scope else True


def _is_local(name: str, inner: Mapping[str, Symbol]) -> bool:
    """Whether it stands in a function."""
    while name := name.rpartition(SCOPE)[0]:
        if name in inner and inner[name].kind in _LOCAL:
            return True
    return False


def _opening(source: bytes, symbol: Symbol) -> range:
    """The lines up to where its body begins."""
    first, start = symbol.span.first, symbol.span.start
    opening = source[start : max(symbol.body, start)].rstrip()
    return range(first, first + opening.count(b"\n") + 1)


def _joined(lines: list[str], within: Symbol | None, shown: set[int]) -> str:
    """The lines that are shown; what is left out between them is counted, unless it is shorter than its mark."""
    first, last = (within.span.first, within.span.last) if within else (1, len(lines))
    parts: list[str] = []
    gap: list[str] = []
    for number, line in enumerate(lines[first - 1 : last], first):
        if number in shown:
            parts += [*_told(gap), line]
            gap = []
        else:
            gap.append(line)
    while gap and not gap[-1].strip():
        gap.pop()
    return "\n".join([*parts, *_told(gap)])


def _told(gap: list[str]) -> list[str]:
    counted = mark("", len(gap))
    return [counted] if len("".join(gap).strip()) > len(counted) else gap
