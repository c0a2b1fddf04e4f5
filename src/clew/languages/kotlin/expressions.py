"""Kotlin: expressions in common notation, and its library's functions that pass something to a lambda."""

import re

from clew.index.syntax.chains import closing_bracket

# What a function of one parameter is given by these: what they are called on, or its elements.
ITSELF = frozenset("let also takeIf takeUnless".split())
ELEMENTS = frozenset(
    "forEach onEach map mapNotNull mapTo flatMap filter filterNot filterTo any all none find findLast first "
    "firstOrNull last lastOrNull single singleOrNull count sumBy sumOf maxBy minBy maxByOrNull minByOrNull sortBy "
    "sortedBy sortByDescending sortedByDescending groupBy associate associateBy associateWith partition takeWhile "
    "dropWhile distinctBy indexOfFirst indexOfLast joinToString removeIf removeAll retainAll".split()
)
RECEIVING = frozenset("apply run with buildString buildList buildMap buildSet".split())  # what is given as `this` alone
# What gives nothing for `this` to what it is given.
LENDING_NOTHING = (
    ITSELF
    | ELEMENTS
    | frozenset(
        "lazy use repeat require check requireNotNull checkNotNull synchronized forEachIndexed mapIndexed "
        "mapValues mapKeys filterKeys filterValues getOrPut getOrElse fold reduce "
        "assertFailsWith assertThrows runCatching thread".split()
    )
)
_SAME = re.compile(r"(?:^|[?!]*\.\s*)(?:apply|also|takeIf|takeUnless)\s*(?=\{)")
_LEAVING = re.compile(r"(?:throw|return|continue|break|null|error|TODO)\b")
_CLASS_OF = re.compile(r"[\w.]+(?:<[^()]*>)?::class(\.java\b)?")
_ELSE = "?:"
_MAKES = re.compile(
    r"(?:(?P<which>mutable|array|linked|hash|sorted)?(?P<kind>[Ll]ist|[Ss]et|[Mm]ap|sequence)Of(?:NotNull)?"
    r"|empty(?P<empty>List|Set|Map|Sequence)|(?P<type>[A-Z]\w*(?:List|Set|Map|Deque|Queue)))(?:<(?P<held>[^()]*)>)?\("
)
_MADE = re.compile(r"\s*(?:[\w.\"]+ to )?([A-Z]\w*[a-z]\w*)\(")


def normalise_expression(text: str) -> str:
    """Without scope functions: `card.apply { … }` is the card; and the value of `Card::class`."""
    if "::class" in text and (found := _CLASS_OF.match(text)):
        text = ("java.lang.Class()" if found[1] else "kotlin.reflect.KClass()") + text[found.end() :]
    at = 0
    while "{" in text and (found := _SAME.search(text, at)):
        end = closing_bracket(text, found.end())
        if end < 0:
            return text
        start = text[: found.start()] or "this"
        text, at = start + text[end + 1 :], len(start)
    return text


def branch_expressions(text: str) -> list[str]:
    """Both sides of `a ?: b`, but for one that leaves."""
    if _ELSE not in text:
        return []
    parts, start, at = [], 0, 0
    while at < len(text):
        if text[at] in "([{":
            at = closing_bracket(text, at)
            if at < 0:
                return []
        elif text.startswith(_ELSE, at):
            parts.append(text[start:at].strip())
            start = at + len(_ELSE)
        at += 1
    parts.append(text[start:].strip())
    return [part for part in parts if part and not _LEAVING.match(part)] if len(parts) > 1 else []


def literal_type(text: str) -> str:
    """The type of a factory function's result: `mutableListOf<Card>()`."""
    found = _MAKES.match(text) if text.endswith(")") else None
    if (
        found is None
        or closing_bracket(text, found.end() - 1) != len(text) - 1
        or (found["type"] and not found["held"])
    ):
        return ""
    held = found["held"] or _made_in(text[found.end() : -1])
    name = found["type"] or f"{'Mutable' if found['which'] else ''}{(found['kind'] or found['empty']).capitalize()}"
    return f"{name}<{held}>" if held else name


def _made_in(given: str) -> str:
    """The type of the first element, if constructed there: Card of `Card(1), Card(2)`, and of `"a" to Card(1)`."""
    made = _MADE.match(given)
    return made[1] if made else ""
