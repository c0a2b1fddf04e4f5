"""A pack as text: Markdown, XML by C §7.1, plain text, or JSON. A pack is its pieces, one after the other."""

import html
import re
from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

import msgspec

from clew.model.words import chunk_word
from clew.pack.items import Section, Shown

TITLES: Mapping[Section, str] = {
    Section.CORE: "Code",
    Section.RELATED: "Also matches",
    Section.DEPENDENCIES: "Around it",
}
Format = Literal["markdown", "xml", "json", "text"]

LONGEST_TITLE = 160  # characters of a signature in a line


class Rendering(Protocol):
    """What stands before, between and behind the items. Pieces that stand side by side are put together as they are."""

    opening: str
    closing: str

    def said(self, summary: str) -> str: ...

    def heading(self, section: Section) -> str: ...

    def item(self, shown: Shown) -> str: ...

    def left_out(self, note: str) -> str: ...


class Markdown:
    opening, closing = "", ""

    def said(self, summary: str) -> str:
        return f"{summary}\n"

    def heading(self, section: Section) -> str:
        return f"\n## {TITLES[section]}\n"

    def item(self, shown: Shown) -> str:
        if not shown.code:
            return f"- `{shown.item.place}` {_in_line(shown)} — {shown.item.reason}\n"
        fence = "`" * max(3, _longest_run(shown.code) + 1)
        head = f"\n**{shown.item.place}** {_named(shown)}— {shown.item.reason}\n"
        return f"{head}{fence}{shown.item.language}\n{shown.code}\n{fence}\n"

    def left_out(self, note: str) -> str:
        return f"\n{note}\n"


class PlainText:
    opening, closing = "", ""

    def said(self, summary: str) -> str:
        return f"{summary}\n"

    def heading(self, section: Section) -> str:
        return f"\n{TITLES[section].upper()}\n"

    def item(self, shown: Shown) -> str:
        head = f"{shown.item.place}  {_in_line(shown) if not shown.code else _named(shown)}  ({shown.item.reason})\n"
        return f"\n{head}{shown.code}\n" if shown.code else head

    def left_out(self, note: str) -> str:
        return f"\n{note}\n"


class Xml:
    """C §7.1's block; the text of an element is the code, as it is."""

    opening, closing = "<project_context>\n", "</project_context>\n"

    def said(self, summary: str) -> str:
        return f"<summary>{_escaped(summary)}</summary>\n"

    def heading(self, section: Section) -> str:
        return ""

    def item(self, shown: Shown) -> str:
        item = shown.item
        attributes = {
            "path": item.path,
            "lines": f"{item.first_line}-{item.last_line}",
            "label": item.label,
            "kind": chunk_word(item.kind, item.language),
            "score": f"{item.score:.2f}",
            "why": item.reason,
        }
        named = " ".join(f'{name}="{_escaped(value)}"' for name, value in attributes.items())
        return f"<snippet {named}>\n{_character_data(shown.code or shown.title)}\n</snippet>\n"

    def left_out(self, note: str) -> str:
        return f"<left_out>{_escaped(note)}</left_out>\n"


class Json:
    """One object a line, so that a reader can begin with the first."""

    opening, closing = "", ""

    def said(self, summary: str) -> str:
        return _line({"summary": summary})

    def heading(self, section: Section) -> str:
        return ""

    def item(self, shown: Shown) -> str:
        item = shown.item
        row = {
            "symbol": item.id,
            "path": item.path,
            "first_line": item.first_line,
            "last_line": item.last_line,
            "section": item.section,
            "reason": item.reason,
            "score": item.score,
            **({"code": shown.code, "elided": shown.elided} if shown.code else {"signature": shown.title}),
        }
        return _line(row)

    def left_out(self, note: str) -> str:
        return _line({"left_out": note})


RENDERINGS: Mapping[Format, Rendering] = {"markdown": Markdown(), "xml": Xml(), "json": Json(), "text": PlainText()}


def rendered(rendering: Rendering, summary: str, shown: Sequence[Shown], note: str) -> str:
    """Section by section, each in its order; in XML file by file, in the order of their first items."""
    pieces = [rendering.opening, rendering.said(summary) if summary else ""]
    if isinstance(rendering, Xml):
        files = {path: i for i, path in reversed([*enumerate(one.item.path for one in shown)])}
        pieces += [rendering.item(one) for one in sorted(shown, key=lambda one: files[one.item.path])]
    else:
        for section in Section:
            own = [rendering.item(one) for one in shown if one.item.section is section]
            pieces += [rendering.heading(section), *own] if own else []
    return "".join([*pieces, rendering.left_out(note) if note else "", rendering.closing])


def _named(shown: Shown) -> str:
    """What the code alone may not say: to what it belongs, and that it has changed on disk."""
    return f"`{_short(shown.item.id)}` {'(changed on disk) ' if shown.stale else ''}"


def _in_line(shown: Shown) -> str:
    title = shown.title or shown.item.label
    short = title if len(title) <= LONGEST_TITLE else f"{title[:LONGEST_TITLE].rsplit(' ', 1)[0]} …"
    return f"`{short}`{' (changed on disk)' if shown.stale else ''}"


def _short(id: str) -> str:
    path, *scopes = id.split("::")
    return ".".join(scopes) or path.rpartition("/")[2]


def _longest_run(code: str) -> int:
    return max((len(run) for run in re.findall(r"`{3,}", code)), default=0)


_UNPRINTABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what XML 1.0 cannot hold


def _printable(text: str) -> str:
    return _UNPRINTABLE.sub("\ufffd", text)


def _escaped(text: str) -> str:
    return html.escape(_printable(text))


def _character_data(code: str) -> str:
    """As it stands, where that is well-formed; an end of the data inside of it is taken apart."""
    text = _printable(code)
    return f"<![CDATA[{text.replace(']]>', ']]]]><![CDATA[>')}]]>" if re.search("[&<]|]]>", text) else text


def _line(row: Mapping[str, object]) -> str:
    return msgspec.json.encode(row).decode() + "\n"
