"""A pack as text: Markdown, XML by C §7.1, plain text, or JSON. A pack is its pieces, one after the other.

Headings and marks are Clew's alone: names are escaped, and what files and agents wrote is fenced, quoted or indented,
so that none of it starts a line that a reader could take for a part of the frame.
"""

import re
from collections.abc import Container, Mapping, Sequence
from typing import Literal, Protocol

from clew.model.time import to_iso
from clew.model.words import chunk_word
from clew.pack.items import CURRENT, Note, Noted, Section, ShownItem
from clew.text.escaping import block, code_span, escape, fence, inert, json_text, line, printable, quote

TITLES: Mapping[Section, str] = {
    Section.BLOCKERS: "In the way",
    Section.PLAN: "Plan",
    Section.CORE: "Code",
    Section.RELATED: "Also matches",
    Section.DEPENDENCIES: "Around it",
    Section.TESTS: "Tests",
    Section.DOCUMENTS: "Documents and settings",
    Section.DECISIONS: "Decisions",
    Section.LEARNINGS: "Learned",
    Section.EPISODES: "Before this",
}
_CODE = (Section.CORE, Section.RELATED, Section.DEPENDENCIES, Section.TESTS, Section.DOCUMENTS)
Format = Literal["markdown", "xml", "json", "text"]

LONGEST_TITLE = 160  # characters of a signature in a line


class Rendering(Protocol):
    """The text before, between and after the items. Adjacent pieces are joined without a separator."""

    opening: str
    closing: str

    def render_summary(self, summary: str) -> str: ...

    def heading(self, section: Section) -> str: ...

    def item(self, shown: ShownItem) -> str: ...

    def note(self, noted: Noted) -> str: ...

    def past(self, facts: Sequence[str]) -> str: ...

    def services(self, rows: Sequence[str]) -> str: ...

    def left_out(self, note: str) -> str: ...


class Markdown:
    opening, closing = "", ""

    def render_summary(self, summary: str) -> str:
        return f"{inert(summary)}\n"

    def heading(self, section: Section) -> str:
        return f"\n## {TITLES[section]}\n"

    def item(self, shown: ShownItem) -> str:
        if not shown.code:
            return f"- {code_span(shown.item.place)} {_in_line(shown)} — {inert(shown.item.reason)}\n"
        mark = fence(shown.code)
        head = f"\n**{inert(shown.item.place)}** {_element_name(shown)}— {inert(shown.item.reason)}\n"
        return f"{head}{mark}{shown.item.language}\n{shown.code}\n{mark}\n"

    def note(self, noted: Noted) -> str:
        return f"- {render_note(noted)}\n" + "".join(f"  > {one}".rstrip() + "\n" for one in _lines(noted))

    def past(self, facts: Sequence[str]) -> str:
        said = "\n".join(map(line, facts))
        return f"\n## History\n\n{fence(said)}\n{said}\n{fence(said)}\n"

    def services(self, rows: Sequence[str]) -> str:
        said = "\n".join(map(line, rows))
        return f"\n## Services\n\n{fence(said)}\n{said}\n{fence(said)}\n"

    def left_out(self, note: str) -> str:
        return f"\n{line(note)}\n"


class PlainText(Markdown):
    """Without marks: quoted text is indented."""

    def heading(self, section: Section) -> str:
        return f"\n{TITLES[section].upper()}\n"

    def item(self, shown: ShownItem) -> str:
        name = _element_name(shown) if shown.code else _in_line(shown)
        head = f"{line(shown.item.place)}  {name}  ({line(shown.item.reason)})\n"
        code = "".join(f"    {one}".rstrip() + "\n" for one in shown.code.splitlines())
        return f"\n{head}{code}" if code else head

    def note(self, noted: Noted) -> str:
        return f"{render_note(noted)}\n" + "".join(f"    {one}".rstrip() + "\n" for one in _lines(noted))

    def past(self, facts: Sequence[str]) -> str:
        return "\nHISTORY\n" + "".join(f"    {line(one)}\n" for one in facts)

    def services(self, rows: Sequence[str]) -> str:
        return "\nSERVICES\n" + "".join(f"    {line(one)}\n" for one in rows)


class Bare(PlainText):
    """As short as may be: places and code."""

    def heading(self, section: Section) -> str:
        return ""

    def item(self, shown: ShownItem) -> str:
        place = f"{line(shown.item.place)}{' (changed on disk)' if shown.stale else ''}"
        if not shown.code:
            return f"{place} {_in_line(shown)}\n"
        mark = fence(shown.code)
        return f"{place}\n{mark}\n{shown.code}\n{mark}\n"

    def left_out(self, note: str) -> str:
        return ""


class Xml:
    """C §7.1's block; the text of an element is the code, as it is."""

    opening, closing = "<project_context>\n", "</project_context>\n"

    def render_summary(self, summary: str) -> str:
        return f"<summary>{escape(summary)}</summary>\n"

    def heading(self, section: Section) -> str:
        return ""

    def item(self, shown: ShownItem) -> str:
        item = shown.item
        attributes = {
            "path": item.path,
            "lines": f"{item.first_line}-{item.last_line}",
            "label": item.label,
            "kind": chunk_word(item.kind, item.language),
            "score": f"{item.score:.2f}",
            "why": item.reason,
        }
        named = " ".join(f'{name}="{escape(value)}"' for name, value in attributes.items())
        return f"<snippet {named}>\n{_character_data(shown.code or shown.title)}\n</snippet>\n"

    def note(self, noted: Noted) -> str:
        note, name = noted.note, _ELEMENTS[noted.section]
        attributes = {
            "id": note.id,
            "kind": note.kind if note.section is Section.EPISODES else "",
            "by": _by(note),
            "at": _day(note),
            "state": note.state,
            "why": note.reason,
            "about": note.beside if note.section is Section.LEARNINGS else "",
        }
        named = " ".join(f'{name}="{escape(value)}"' for name, value in attributes.items() if value)
        return f"<{name} {named}>\n{_character_data(_whole(noted))}\n</{name}>\n"

    def past(self, facts: Sequence[str]) -> str:
        return f"<history>\n{escape(chr(10).join(map(line, facts)))}\n</history>\n"

    def services(self, rows: Sequence[str]) -> str:
        return f"<services>\n{escape(chr(10).join(map(line, rows)))}\n</services>\n"

    def left_out(self, note: str) -> str:
        return f"<left_out>{escape(note)}</left_out>\n"


class BareXml(Xml):
    def item(self, shown: ShownItem) -> str:
        item = shown.item
        place = f'path="{escape(item.path)}" lines="{item.first_line}-{item.last_line}"'
        return f"<snippet {place}>\n{_character_data(shown.code or shown.title)}\n</snippet>\n"

    def left_out(self, note: str) -> str:
        return ""


class Json:
    """One object a line, so that a reader can begin with the first."""

    opening, closing = "", ""

    def render_summary(self, summary: str) -> str:
        return _line({"summary": summary})

    def heading(self, section: Section) -> str:
        return ""

    def item(self, shown: ShownItem) -> str:
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

    def note(self, noted: Noted) -> str:
        note = noted.note
        row = {
            "id": note.id,
            "section": note.section,
            "kind": note.kind,
            "title": _title(noted),
            "text": note.text if noted.full else "",
            "by": _by(note),
            "at": _day(note),
            "outcome": note.outcome,
            "state": note.state,
            "reason": note.reason,
            "about": note.beside,
        }
        return _line({name: value for name, value in row.items() if value})

    def past(self, facts: Sequence[str]) -> str:
        return ""  # the answer has them as a field

    def services(self, rows: Sequence[str]) -> str:
        return ""  # as above

    def left_out(self, note: str) -> str:
        return _line({"left_out": note})


_ELEMENTS: Mapping[Section, str] = {
    Section.BLOCKERS: "blocker",
    Section.PLAN: "plan",
    Section.DECISIONS: "decision",
    Section.LEARNINGS: "learning",
    Section.EPISODES: "episode",
}

RENDERINGS: Mapping[Format, Rendering] = {"markdown": Markdown(), "xml": Xml(), "json": Json(), "text": PlainText()}
BARE: Mapping[Format, Rendering] = {"markdown": Bare(), "xml": BareXml(), "json": Json(), "text": Bare()}


def render_pack(
    rendering: Rendering,
    summary: str,
    shown: Sequence[ShownItem | Noted],
    note: str,
    past: Sequence[str] = (),
    services: Sequence[str] = (),
) -> str:
    """Section by section, each in its order, what was learned of code beside it.

    In XML, code stands file by file, in the order of their first items.
    """
    pieces = [rendering.opening, rendering.render_summary(summary) if summary else ""]
    items = [one for one in shown if isinstance(one, ShownItem)]
    beside = _beside(shown, {one.item.id for one in items})
    told_there = [note for notes in beside.values() for note in notes]
    apart = [one for one in shown if one not in told_there]
    for section in Section:
        own: Sequence[ShownItem | Noted] = [one for one in apart if one.section is section]
        if isinstance(rendering, Xml) and section in _CODE:
            own = _by_file(items) if section is _CODE[0] else []
        pieces += [rendering.heading(section)] if own else []
        for one in own:
            notes = beside.pop(one.item.id, ()) if isinstance(one, ShownItem) else ()
            pieces.append(rendering.note(one) if isinstance(one, Noted) else rendering.item(one))
            pieces += [rendering.note(note) for note in notes]
    pieces += [rendering.past(past)] if past else []
    pieces += [rendering.services(services)] if services else []
    return "".join([*pieces, rendering.left_out(note) if note else "", rendering.closing])


def _beside(shown: Sequence[ShownItem | Noted], there: Container[str]) -> dict[str, list[Noted]]:
    """Learnings by the item that they are shown beside."""
    found: dict[str, list[Noted]] = {}
    for one in shown:
        if isinstance(one, Noted) and one.section is Section.LEARNINGS and one.note.beside in there:
            found.setdefault(one.note.beside, []).append(one)
    return found


def _by_file(items: Sequence[ShownItem]) -> list[ShownItem]:
    files = {path: i for i, path in reversed([*enumerate(one.item.path for one in items)])}
    return sorted(items, key=lambda one: files[one.item.path])


def render_note(noted: Noted) -> str:
    """A note in a line: its text, author, date, the state of its code, and the reason for it."""
    note, title = noted.note, _title(noted)
    if note.section is Section.BLOCKERS:
        why = f": {quote(note.reason)}" if note.reason else ""
        gone = f" ({note.state}: it can be taken over)" if note.state else ""
        return f"{code_span(title)} is held by {_by(note)} since {_day(note)}{gone}{why}"
    if note.section is Section.PLAN:
        return f"{quote(title)} — {line(note.reason)}"
    kind = {Section.LEARNINGS: "learned", Section.EPISODES: note.kind.lower().replace("_", " ")}.get(note.section, "")
    kind = kind if title else kind or "decided"
    who = ", ".join(filter(None, [_by(note), _day(note), note.outcome]))
    state = f"code {note.state}" if note.state == CURRENT else note.state
    words = quote(title) if title else ""
    why = line("; ".join(filter(None, [state, note.reason])))
    return f"{': '.join(filter(None, [kind, words]))} ({who}) — {why}"


def _title(noted: Noted) -> str:
    """Empty if the full text is shown and begins with the title."""
    note = noted.note
    begins = note.text.startswith(note.title.removesuffix(" …"))
    return "" if noted.full and begins else note.title


def _whole(noted: Noted) -> str:
    return "\n".join(filter(None, [_title(noted), *_lines(noted)]))


def _lines(noted: Noted) -> list[str]:
    return block(noted.note.text).split("\n") if noted.full and noted.note.text else []


def _by(note: Note) -> str:
    return line(note.agent_id)


def _day(note: Note) -> str:
    return to_iso(note.at)[:10]


def _element_name(shown: ShownItem) -> str:
    """The containing element, and whether it has changed on disk."""
    return f"{code_span(_short(shown.item.id))} {'(changed on disk) ' if shown.stale else ''}"


def _in_line(shown: ShownItem) -> str:
    title = shown.title or shown.item.label
    short = title if len(title) <= LONGEST_TITLE else f"{title[:LONGEST_TITLE].rsplit(' ', 1)[0]} …"
    return f"{code_span(short)}{' (changed on disk)' if shown.stale else ''}"


def _short(id: str) -> str:
    """The last names of an id: the path beside it says where it is."""
    path, *scopes = id.split("::")
    return ".".join(scopes[-2:]) or path.rpartition("/")[2]


def _character_data(code: str) -> str:
    """As it stands, where that is well-formed; an end of the data inside of it is taken apart."""
    text = printable(code)
    return f"<![CDATA[{text.replace(']]>', ']]]]><![CDATA[>')}]]>" if re.search("[&<]|]]>", text) else text


def _line(row: Mapping[str, object]) -> str:
    return json_text(row).decode() + "\n"
