"""What documentation says under a heading: the heading asks, the section answers; a paragraph asks for its section."""

import re
from collections.abc import Iterator

from research.training.bags import Pair

LEAST_WORDS = 12  # of a section
LONGEST = 1500  # characters

_MARKDOWN = re.compile(r"^#{1,4}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_UNDERLINED = re.compile(r"^([^\n]{3,80})\n([=\-~^\"'*+#])\2{2,}[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"```.*?```|^\.\. code.*?(?=^\S)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)|<?https?://\S+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_NO_PROSE = re.compile(r"change|history|news|release|licen|author|contribut", re.IGNORECASE)


def is_prose(path: str) -> bool:
    return path.lower().endswith((".md", ".rst")) and not _NO_PROSE.search(path)


def read(path: str, source: str) -> Iterator[Pair]:
    plain = _LINK.sub(r"\1", _UNDERLINED.sub(r"# \1", source))
    parts = _MARKDOWN.split(plain)
    for number, (heading, body) in enumerate(zip(parts[1::2], parts[2::2], strict=True)):
        yield from _section(f"{path}#{number}", heading, body)


def _section(group: str, heading: str, body: str) -> Iterator[Pair]:
    paragraphs = [one for one in re.split(r"\n\s*\n", _FENCE.sub("", body)) if len(_WORD.findall(one)) >= LEAST_WORDS]
    if len(_WORD.findall(heading)) >= 2 and paragraphs:
        yield Pair("prose", group, heading, "\n".join(paragraphs)[:LONGEST])
    if len(paragraphs) >= 2:
        yield Pair("prose", group, paragraphs[0][:300], "\n".join(paragraphs[1:])[:LONGEST])
