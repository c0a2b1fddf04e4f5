"""A file or a class by its declarations: each in its own lines, and marks that count the lines between them."""

from collections.abc import Iterator, Mapping, Sequence

from clew.model.code import SCOPE, Symbol
from clew.model.words import Kind
from clew.pack.quoting import undecorated
from clew.retrieve.excerpt import mark

_LOCAL = (Kind.FUNCTION, Kind.METHOD)  # what stands in them is nobody else's affair


def outlines(source: bytes, symbols: Mapping[str, Symbol], scope: str = "", *, deep: bool = True) -> Iterator[str]:
    """Ever longer: what stands directly in a scope; if `deep`, then what stands in that, then its variables too.

    Of each first the line with its name, from the top down, then all of its lines.

    Of what has nothing to declare there are none. No scope is the whole file.
    """
    inner = {one.scope.removeprefix(f"{scope}{SCOPE}"): one for one in symbols.values() if _is_inside(one, scope)}
    outer = {name for name in inner if SCOPE not in name}
    declared = {name for name, one in inner.items() if one.kind is not Kind.VARIABLE and not _is_local(name, inner)}
    own = symbols.get(scope)
    if not inner or (own and own.kind in _LOCAL):
        return
    lines = source.decode("utf-8", "replace").split("\n")
    shown = set(_opening(source, own)) if own else set[int]()
    told = ""
    stages = [(outer & declared, _naming), (outer & declared, _opening)]
    stages += [(declared, _naming), (declared, _opening), (outer | declared, _opening)] if deep else []
    for wanted, opening in stages:
        for some in _ever_more(sorted((inner[name] for name in wanted), key=lambda one: one.span)):
            shown |= {line for one in some for line in opening(source, one)}
            text = _joined(lines, own, shown)
            if len(text) > len(told):
                yield text
                told = text


def _ever_more(symbols: Sequence[Symbol]) -> Iterator[Sequence[Symbol]]:
    """One after the other, of many ever more at once."""
    start = 0
    while start < max(len(symbols), 1):
        end = start + max(start // 4, 1)
        yield symbols[start:end]
        start = end


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


def _naming(source: bytes, symbol: Symbol) -> range:
    """The line with its name."""
    opening = _opening(source, symbol)
    text = source[symbol.span.start : max(symbol.body, symbol.span.start)].decode("utf-8", "replace").rstrip()
    before = text.removesuffix(undecorated(text, symbol.name)).count("\n")
    return opening[before : before + 1]


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
