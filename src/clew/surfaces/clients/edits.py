"""Changes to one configuration file, as pure functions of its text: install ours, or remove it.

A part that a person changed by hand is recognised and left alone, in both directions.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from enum import StrEnum
from hashlib import sha256
from typing import Any, Protocol

from msgspec import Struct

from clew.surfaces.clients import jsonc

Json = Mapping[str, Any]


class EditState(StrEnum):
    """Effect of an edit. `KEPT`: somebody changed the part by hand. `BROKEN`: the file cannot be parsed."""

    ADDED = "added"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    REMOVED = "removed"
    KEPT = "kept"
    BROKEN = "broken"


class Edited(Struct, frozen=True):
    """The new text; None: no file."""

    text: str | None
    state: EditState
    why: str = ""


class ConfigEdit(Protocol):
    def install(self, text: str | None) -> Edited: ...
    def remove(self, text: str | None) -> Edited: ...


class JsonServer(Struct, frozen=True):
    """An MCP server in a JSON file: `entry` under the name `clew` in the object at `path`."""

    path: jsonc.Path
    entry: dict[str, Any]

    @property
    def _where(self) -> jsonc.Path:
        return (*self.path, "clew")

    def install(self, text: str | None) -> Edited:
        try:
            present = value_at(jsonc.read(text or ""), self._where)
            if present == self.entry:
                return Edited(text, EditState.UNCHANGED)
            if present is not None and not is_our_server(present):
                return Edited(text, EditState.KEPT, f"{'.'.join(self._where)} was changed by hand")
            state = EditState.ADDED if present is None else EditState.UPDATED
            return Edited(jsonc.put(text or "", self._where, self.entry), state)
        except jsonc.JsonBroken as error:
            return Edited(text, EditState.BROKEN, f"it is not JSON: {error}")

    def remove(self, text: str | None) -> Edited:
        try:
            present = value_at(jsonc.read(text or ""), self._where)
            if text is None or present is None:
                return Edited(text, EditState.UNCHANGED)
            if not is_our_server(present):
                return Edited(text, EditState.KEPT, f"{'.'.join(self._where)} was changed by hand")
            return Edited(_none_if_empty(jsonc.remove(text, self._where, with_empty=len(self.path))), EditState.REMOVED)
        except jsonc.JsonBroken as error:
            return Edited(text, EditState.BROKEN, f"it is not JSON: {error}")


_SERVER_COMMAND = re.compile(
    r"(?:\S.*/)?(?:clew(?:\.exe)?|uvx clew|python[\d.]*(?:\.exe)?(?: -P)? -m clew)(?: -C \S+)? mcp"
)
_OUR_KEYS = {"type", "command", "args", "tools", "enabled", "source"}


def is_our_server(entry: object) -> bool:
    """Whether an entry is one that some version of Clew wrote: `clew mcp`, with nothing added by hand."""
    if not isinstance(entry, dict) or not entry.keys() <= _OUR_KEYS:
        return False
    command = entry.get("command")
    words = command if isinstance(command, list) else [command, *entry.get("args", ())]
    if not all(isinstance(word, str) for word in words) or entry.get("enabled", True) is not True:
        return False
    said = " ".join(words).replace("\\", "/")
    return bool(
        re.fullmatch(
            r"(?:\S.*/)?(?:clew(?:\.exe)?|uvx clew|python[\d.]*(?:\.exe)?(?: -P)? -m clew)(?: -C \S+)? mcp", said
        )
    )


class JsonHooks(Struct, frozen=True):
    """Hooks in a JSON file: an entry per event in the lists under `hooks`; `head` are fields that the file needs."""

    events: Mapping[str, Json]
    head: Json = {}

    def install(self, text: str | None) -> Edited:
        try:
            return self._install_hooks(text or "")
        except jsonc.JsonBroken as error:
            return Edited(text, EditState.BROKEN, f"it is not JSON: {error}")

    def _install_hooks(self, text: str) -> Edited:
        before, kept, was_there = text, list[str](), False
        for name, value in self.head.items():
            if name not in jsonc.read(text):
                text = jsonc.put(text, (name,), value)
        for event, entry in self.events.items():
            ours, changed = _our_hooks(jsonc.read(text), event)
            was_there |= bool(ours)
            if changed:
                kept.append(event)
            if changed or (len(ours) == 1 and _items(jsonc.read(text), event)[ours[0]] == entry):
                continue
            for number in reversed(ours):
                text = jsonc.remove(text, ("hooks", event, number))
            text = jsonc.append(text, ("hooks", event), dict(entry))
        if kept:
            return Edited(text, EditState.KEPT, f"the hook of {', '.join(kept)} was changed by hand")
        if text == before:
            return Edited(text, EditState.UNCHANGED)
        return Edited(text, EditState.UPDATED if was_there else EditState.ADDED)

    def remove(self, text: str | None) -> Edited:
        try:
            return self._remove_hooks(text)
        except jsonc.JsonBroken as error:
            return Edited(text, EditState.BROKEN, f"it is not JSON: {error}")

    def _remove_hooks(self, text: str | None) -> Edited:
        if text is None:
            return Edited(None, EditState.UNCHANGED)
        before, kept = text, list[str]()
        hooks = jsonc.read(text)
        for event in list(hooks.get("hooks", ()) if isinstance(hooks, dict) else ()):
            ours, changed = _our_hooks(jsonc.read(text), event)
            kept += [event] if changed else []
            for number in reversed(ours):
                text = jsonc.remove(text, ("hooks", event, number), with_empty=2)
        left = jsonc.read(text)
        if text != before and left == dict(self.head):
            return Edited(None, EditState.REMOVED)
        state = EditState.KEPT if kept else EditState.UNCHANGED if text == before else EditState.REMOVED
        why = f"the hook of {', '.join(kept)} was changed by hand" if kept else ""
        return Edited(_none_if_empty(text) if text != before else text, state, why)


GUARD = "command -v clew >/dev/null 2>&1"
_HOOK = re.compile(rf"{re.escape(GUARD)} && clew hook [\w-]+ --client [\w-]+ \|\| true")


def hook_command(event: str, client: str) -> str:
    """A shell command that succeeds and prints nothing if there is no Clew, and whatever Clew's exit code is."""
    return f"{GUARD} && clew hook {event} --client {client} || true"


def _our_hooks(whole: Any, event: str) -> tuple[list[int], bool]:
    """The numbers of our entries in the list of an event; and whether one with our command was changed by hand."""
    ours, changed = list[int](), False
    for number, entry in enumerate(_items(whole, event)):
        commands = _commands(entry)
        if any("clew hook " in one for one in commands):
            if all(_HOOK.fullmatch(one) for one in commands):
                ours.append(number)
            else:
                changed = True
    return ours, changed


def _items(whole: Any, event: str) -> list[Any]:
    found = value_at(whole, ("hooks", event))
    return found if isinstance(found, list) else []


def _commands(entry: object) -> list[str]:
    if not isinstance(entry, dict):
        return []
    inner = [one for hook in entry.get("hooks", ()) for one in _commands(hook)] if "hooks" in entry else []
    return [*inner, *(str(entry[name]) for name in ("command", "bash") if name in entry)]


class TomlServer(Struct, frozen=True):
    """A table of a TOML file, between two comments."""

    table: str
    body: str

    @property
    def _block(self) -> str:
        return f"{_TOML_BEGIN} {_digest(self.body)}\n{self.body}{_TOML_END}\n"

    def install(self, text: str | None) -> Edited:
        try:
            present = value_at(tomllib.loads(text or ""), tuple(self.table.split(".")))
        except tomllib.TOMLDecodeError as error:
            return Edited(text, EditState.BROKEN, f"it is not TOML: {error}")
        found = _find_block(_TOML_BLOCK, text, _TOML_END)
        if text is None or (present is None and not found):
            gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
            return Edited(f"{text or ''}{gap}{self._block}", EditState.ADDED)
        if not found or _digest(found["body"]) != found["digest"]:
            return Edited(text, EditState.KEPT, f"[{self.table}] was written or changed by hand")
        if found[0] == self._block:
            return Edited(text, EditState.UNCHANGED)
        return Edited(text[: found.start()] + self._block + text[found.end() :], EditState.UPDATED)

    def remove(self, text: str | None) -> Edited:
        found = _find_block(_TOML_BLOCK, text, _TOML_END)
        if text is None or not found:
            return Edited(text, EditState.UNCHANGED)
        if _digest(found["body"]) != found["digest"]:
            return Edited(text, EditState.KEPT, f"[{self.table}] was changed by hand")
        return Edited(_cut_block(text, found), EditState.REMOVED)


_TOML_BEGIN, _TOML_END = "# clew:begin", "# clew:end"
_TOML_BLOCK = re.compile(r"^# clew:begin (?P<digest>\w+)\n(?P<body>.*?)^# clew:end\n?", re.DOTALL | re.MULTILINE)
_MARKDOWN_BLOCK = re.compile(
    r"^<!-- clew:begin (?P<digest>\w+) -->\n(?P<body>.*?)^<!-- clew:end -->\n?", re.DOTALL | re.MULTILINE
)


_MARKDOWN_END = "<!-- clew:end -->"


def _find_block(block: "re.Pattern[str]", text: str | None, end: str) -> "re.Match[str] | None":
    """The first block, in linear time: markers that begin one behind the last end begin nothing."""
    last = (text or "").rfind(end)
    return block.search(text or "", 0, last + len(end) + 1) if last >= 0 else None


class ShellBlock(Struct, frozen=True):
    """Lines of a shell script, between two comments, right behind its first line: what follows may end the script."""

    body: str

    @property
    def _block(self) -> str:
        return f"{_TOML_BEGIN} {_digest(self.body)}\n{self.body}{_TOML_END}\n"

    def install(self, text: str | None) -> Edited:
        if text is None:
            return Edited(f"#!/bin/sh\n{self._block}", EditState.ADDED)
        found = _find_block(_TOML_BLOCK, text, _TOML_END)
        if found and _digest(found["body"]) != found["digest"]:
            return Edited(text, EditState.KEPT, "its block was changed by hand")
        if found:
            state = EditState.UNCHANGED if found[0] == self._block else EditState.UPDATED
            return Edited(text[: found.start()] + self._block + text[found.end() :], state)
        first, _, rest = text.partition("\n")
        if not re.match(r"#!.*\b(?:ba|da|z|k)?sh\b", first):
            return Edited(text, EditState.KEPT, "it is not a shell script")
        return Edited(f"{first}\n{self._block}{rest}", EditState.ADDED)

    def remove(self, text: str | None) -> Edited:
        found = _find_block(_TOML_BLOCK, text, _TOML_END)
        if text is None or not found:
            return Edited(text, EditState.UNCHANGED)
        if _digest(found["body"]) != found["digest"]:
            return Edited(text, EditState.KEPT, "its block was changed by hand")
        left = text[: found.start()] + text[found.end() :]
        return Edited(None if left == "#!/bin/sh\n" else left, EditState.REMOVED)


class MarkdownBlock(Struct, frozen=True):
    """Some lines of a Markdown file, between two markers; the first holds a digest of them."""

    body: str

    @property
    def _block(self) -> str:
        return f"<!-- clew:begin {_digest(self.body)} -->\n{self.body}<!-- clew:end -->\n"

    def install(self, text: str | None) -> Edited:
        plain = (text or "").replace("\r\n", "\n")
        found = _find_block(_MARKDOWN_BLOCK, plain, _MARKDOWN_END)
        if not found and "<!-- clew:begin" in plain:
            return Edited(text, EditState.KEPT, "its block lacks the closing marker")
        if not found:
            gap = "" if not plain else "\n" if plain.endswith("\n") else "\n\n"
            return Edited((text or "") + _match_line_ends(text, gap + self._block), EditState.ADDED)
        if _digest(found["body"]) != found["digest"]:
            return Edited(text, EditState.KEPT, "its block was changed by hand")
        if found[0] == self._block:
            return Edited(text, EditState.UNCHANGED)
        return Edited(
            _match_line_ends(text, plain[: found.start()] + self._block + plain[found.end() :]), EditState.UPDATED
        )

    def remove(self, text: str | None) -> Edited:
        plain = (text or "").replace("\r\n", "\n")
        found = _find_block(_MARKDOWN_BLOCK, plain, _MARKDOWN_END)
        if text is None or (not found and "<!-- clew:begin" not in plain):
            return Edited(text, EditState.UNCHANGED)
        if not found or _digest(found["body"]) != found["digest"]:
            return Edited(text, EditState.KEPT, "its block was changed by hand")
        left = _cut_block(plain, found)
        return Edited(None if left is None else _match_line_ends(text, left), EditState.REMOVED)


class OwnFile(Struct, frozen=True):
    """A file that is Clew's alone. `mark` makes a digest part of it, by which a change by hand is noticed."""

    body: str
    mark: Callable[[str], str]

    @property
    def _whole(self) -> str:
        return f"{self.body}{self.mark(_digest(self.body))}"

    def install(self, text: str | None) -> Edited:
        if text is None:
            return Edited(self._whole, EditState.ADDED)
        if text == self._whole:
            return Edited(text, EditState.UNCHANGED)
        if self._is_ours(text):
            return Edited(self._whole, EditState.UPDATED)
        return Edited(text, EditState.KEPT, "it was written or changed by hand")

    def remove(self, text: str | None) -> Edited:
        if text is None:
            return Edited(None, EditState.UNCHANGED)
        return (
            Edited(None, EditState.REMOVED)
            if self._is_ours(text)
            else Edited(text, EditState.KEPT, "it was changed by hand")
        )

    def _is_ours(self, text: str) -> bool:
        shape = re.escape(self.mark("\x00")).replace("\x00", r"(\w+)")
        found = re.search(f"{shape}$", text)
        return bool(found and _digest(text[: found.start()]) == found[1])


def _digest(body: str) -> str:
    return sha256(body.encode()).hexdigest()[:12]


def value_at(value: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _none_if_empty(text: str) -> str | None:
    """A file that holds nothing any more was made by an installation, or says nothing."""
    return None if jsonc.read(text) == {} and "//" not in text and "/*" not in text else text


def _cut_block(text: str, found: "re.Match[str]") -> str | None:
    before, after = text[: found.start()], text[found.end() :]
    before = before[:-1] if before.endswith("\n\n") or before == "\n" else before
    left = before + after
    return left if left.strip() else None


def _match_line_ends(text: str | None, written: str) -> str:
    """With the line ends of the file."""
    return written.replace("\n", "\r\n") if text and "\r\n" in text else written
