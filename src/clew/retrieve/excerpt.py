"""A unit of code as text: whole, or shortened by whole inner parts with a mark that counts the lines left out."""

from clew.model.code import Chunk, Layout, Redaction


def whole(source: bytes, chunk: Chunk) -> str:
    return source[chunk.span.start : chunk.span.end].decode("utf-8", "replace")


def outline(source: bytes, chunk: Chunk, layout: Layout) -> str:
    """The unit with its inner units folded; one that has none is folded to its signature."""
    inner = [other for other in layout.chunks if _inside(other, chunk)]
    outermost = [one for one in inner if not any(_inside(one, other) for other in inner)]
    if not outermost:
        return _opening(source, chunk, layout)
    parts: list[str] = []
    at = chunk.span.start
    for one in outermost:
        parts.append(_text(source, at, one.span.start))
        parts.append(_mark(one.label, one.span.last - one.span.first + 1))
        at = one.span.end
    parts.append(_text(source, at, chunk.span.end))
    return "".join(parts)


def in_file(offset: int, redactions: tuple[Redaction, ...]) -> int:
    """Where an offset of the stored text lies in the file itself."""
    shift = 0
    for redaction in redactions:
        stored = redaction.start + shift
        if offset <= stored:
            break
        if offset < stored + redaction.stand_in:  # inside the stand-in: the secret's own start
            return redaction.start
        shift += redaction.stand_in - (redaction.end - redaction.start)
    return offset - shift


def _opening(source: bytes, chunk: Chunk, layout: Layout) -> str:
    symbol = next((symbol for symbol in layout.symbols if symbol.scope == chunk.scope and chunk.scope), None)
    body = symbol.body if symbol else _line_end(source, chunk.span.start)
    body = min(max(body, chunk.span.start), chunk.span.end)
    left = source.count(b"\n", body, chunk.span.end)
    opening = _text(source, chunk.span.start, body).rstrip()
    return f"{opening}\n{_mark('', left)}" if left else whole(source, chunk)


def _inside(inner: Chunk, outer: Chunk) -> bool:
    a, b = inner.span, outer.span
    return b.start <= a.start and a.end <= b.end and (a.start, a.end) != (b.start, b.end)


def _mark(name: str, lines: int) -> str:
    return f"… {f'{name}, ' if name else ''}{lines} line{'s' if lines != 1 else ''}"


def _text(source: bytes, start: int, end: int) -> str:
    return source[start:end].decode("utf-8", "replace")


def _line_end(source: bytes, start: int) -> int:
    end = source.find(b"\n", start)
    return len(source) if end < 0 else end
