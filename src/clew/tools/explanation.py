"""The answer of `code_explain`: one element with its surroundings, or the candidates for a name."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any

from msgspec import Struct

from clew.graph.elements import Element, Elements
from clew.graph.parts import LogicalSymbol, SymbolPart
from clew.graph.surroundings import Relation, Surroundings, Unresolved
from clew.languages.detection import UNPARSED
from clew.model.code import EXTERNAL, split_id, without_numbers
from clew.model.time import FOREVER, Period
from clew.model.words import NAMELESS, EdgeKind
from clew.text.paths import Among, lies_among
from clew.text.tokens import estimate
from clew.tools.budget import OMITTED, Priority, Shape, grow_lists, only
from clew.tools.caller_hints import CallerHints, NameConstruction, NameMentions
from clew.tools.freshness import FreshnessState, paths_of, places_of

MOST = 1000  # of each list, whatever the budget
ONE_BY_ONE = 50  # that lists grow by one at a time; beyond, by a tenth
MOST_SLICED = 10  # of each list, that come with their signatures
USERS, USED = "dependents", "dependencies"
FEWEST = 3  # callers, and callees, that even a small answer names where they exist
MOST_NAMED = 6  # of each, by name alone
LONGEST_DOC = 90  # characters of the line that says what it does, in the summary
FEW = 3  # places of calls that lead nowhere, as long as details and slices wait
SCORE_DIGITS = 6
LONG_ID = 80  # characters
TEXT_UP_TO = 200  # tokens; a longer text comes after slices, a shorter one may fit where they do not
MOST_DECLARED = 3  # places that a sentence has
GENERATED = "A program wrote the file: change what it was made from."
PLAIN = "It is kept as text: who uses what is in it, and what that uses, is not known."
_GROWING = ("parts", "dependents", "dependencies", "also")
_DETAILS = ("decorators", "doc", "valid_from", "valid_to", "freshness", "text")  # come after the first of the lists
_BESIDE_NAMES = ("named", "signature", "declared")  # come after the names of callers and callees
_COUNTED = ("unresolved", "candidates", "named", "put_together", "unresolved_calls")


class UnresolvedCall(Struct, frozen=True):
    """Where a call stands that could not be resolved, and in what."""

    id: str
    path: str
    line: int
    written: str


class UnresolvedCalls(Struct, frozen=True):
    count: int
    places: tuple[UnresolvedCall, ...]


class Candidates(Struct, frozen=True):
    count: int
    places: tuple[Relation, ...]


class RelatedSlice(Struct, frozen=True, omit_defaults=True):
    """A dependent or dependency by its signature; `ppr_score` is how much of a walk from the element ends there."""

    id: str
    summary_line: str
    file: str
    start_line: int
    end_line: int
    signature: str = ""
    ppr_score: float | None = None


class CodeExplain(Struct, frozen=True, omit_defaults=True):
    """Relations are grouped by what they are with, the surest first. Times are UTC microseconds.

    `unsure_callers` of the callers are as likely to call something else: a call is told by its name alone, or leads to
    one of two. `unresolved` are calls by this name that nobody knows the target of, `candidates` edges less sure still.
    If nothing at all is known to lead here, `named` is where its name stands, `put_together` where it may be made of
    pieces, and `outside` why somebody may call it who is not in the tree. `unresolved_calls` are those made here.
    `parts` are all places that it is written in, if there are several: the answer is of them all, or with `one_part` of
    the one that was asked for. `declared` is where else it is declared: what is changed in one place, is to be
    changed in all.
    `generated`: its file says that a program wrote it; `plain`: it is kept as text. `also` are other answers to a
    question. `slices` are of dependents and dependencies in turn, from the surest on.
    """

    id: str
    type: str
    summary_line: str
    callers: int
    dependents_total: int
    dependencies_total: int
    dependents: tuple[Relation, ...]
    dependencies: tuple[Relation, ...]
    unresolved: UnresolvedCalls
    unsure_callers: int = 0
    parts_total: int = 0
    parts: tuple[SymbolPart, ...] = ()
    one_part: bool = False
    candidates: Candidates | None = None
    named: NameMentions | None = None
    put_together: NameConstruction | None = None
    outside: tuple[str, ...] = ()
    unresolved_calls: UnresolvedCalls | None = None
    signature: str = ""
    decorators: tuple[str, ...] = ()
    doc: str = ""
    file_path: str = ""
    first_line: int = 0
    last_line: int = 0
    exported: bool | None = None
    declared: tuple[str, ...] = ()
    generated: bool = False
    plain: bool = False
    also: tuple[str, ...] = ()
    stale: bool = False
    valid_from: int | None = None
    valid_to: int | None = None
    freshness: FreshnessState = FreshnessState()
    slices: tuple[RelatedSlice, ...] = ()
    text: str = ""

    def summary(self) -> str:
        lines = f", lines {self.first_line}-{self.last_line}{self._in_parts()}" if self.last_line else ""
        lines = lines or ", empty" * bool(self.first_line)
        made = f" {GENERATED}" if self.generated else f" {PLAIN}" if self.plain else ""
        made = f" Also declared in {', '.join(self.declared[:MOST_DECLARED])}.{made}" if self.declared else made
        more = f" and {len(self.also) - MOST_DECLARED} more" if len(self.also) > MOST_DECLARED else ""
        also = f" May also be {', '.join(self.also[:MOST_DECLARED])}{more}." if self.also else ""
        subject = f"{self.type} {short_id(self.id)}{lines}"
        said = f"{subject}: {in_short(self.summary_line)} {self._describe_users()}.{made}{also}"
        return f"{said} {self.freshness.unseen()}".rstrip()

    def quoted_files(self) -> Iterable[str]:
        """The files that it tells lines of."""
        named = [one for one in (self.named, self.put_together) if one]
        lines = chain(self.declared, *(one.places for one in named))
        unresolved = [one for one in (self.unresolved, self.unresolved_calls) if one]
        return chain(
            [self.file_path],
            places_of(chain(self.dependents, self.dependencies, self.candidates.places if self.candidates else ())),
            (one.path for calls in unresolved for one in calls.places),
            paths_of(chain((one.id for one in self.parts), self.also)),
            (one.rpartition(":")[0] for one in lines),
        )

    def _in_parts(self) -> str:
        """That there are others; or where they are, if the answer is of all of them."""
        if not self.parts_total:
            return ""
        if self.one_part:
            return f", one of {self.parts_total} parts; its name alone asks about all of them"
        others = [one.place for one in self.parts[1 : 1 + MOST_DECLARED]]
        left = self.parts_total - 1 - len(others)
        more = f" and {left} more" if left else ""
        return f" and {', '.join(others)}{more} ({self.parts_total} parts, of all of which this tells)"

    def _describe_users(self) -> str:
        """Its known callers and dependents: never a bare zero if there may be more."""
        others = self.dependents_total - self.callers
        has_callers = self.callers or self.type not in NAMELESS
        used = [of_them_unsure(self.callers, "caller", self.unsure_callers)] if has_callers else []
        if others or not used:
            used.append(as_found(others, "other dependent" if used else "dependent"))
        if self.unresolved.count:
            used.append(f"{as_found(self.unresolved.count, 'call')} by this name unresolved")
        if self.candidates:
            used.append(f"{self.candidates.count} more may lead here")
        used += CallerHints(self.named, self.put_together, self.outside).sentence_parts()
        made = [as_found(self.dependencies_total, "dependency", "dependencies")]
        if self.unresolved_calls:
            made.append(as_found(self.unresolved_calls.count, "unresolved call"))
        text = f"{', '.join(used)}; {', '.join(made)}"
        return f"{text[:1].upper()}{text[1:]}"


class Choice(Struct, frozen=True, omit_defaults=True):
    """Overloads come with their signatures: nothing else tells them apart."""

    id: str
    type: str
    summary_line: str
    first_line: int
    signature: str = ""


class Choices(Struct, frozen=True, omit_defaults=True):
    """What a name may mean; nothing is chosen for whoever asks."""

    element: str
    type: str
    choices_total: int
    choices: tuple[Choice, ...]
    freshness: FreshnessState = FreshnessState()

    def summary(self) -> str:
        said = f"{self.element!r} may be any of {self.choices_total}. Ask again with the id of the one you mean."
        return f"{said} {self.freshness.unseen(edges=False)}".rstrip()

    def quoted_files(self) -> Iterable[str]:
        """The files that it tells lines of."""
        return paths_of(one.id for one in self.choices)


def _steps(data: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """Ever longer answers: first the names of callers and callees alone; then lists grow together from their best
    ends; then details, slices, all of the lists, long text.

    Without slices in it, no more of the lists is told than what slices would be of: with more room, they come first. So
    do they before many places of calls that lead nowhere: those made here, and if callers are known, those by its name.
    """
    if "choices_total" in data:
        return grow_lists("choices", forms={"choices": (only("id", "first_line"),)})(data)
    long = ("text",) if estimate(data.get("text", "")) > TEXT_UP_TO else ()
    details = tuple(name for name in _DETAILS if name not in long)
    slices, longest = data.get("slices", []), max((len(some) for some in _lists(data)), default=0)
    is_lean = OMITTED in data  # there was no room for other fields, and slices are one of them
    near = min(longest, MOST_SLICED) if slices or is_lean else longest
    named = [*_names_alone(data)]
    fewest = min(MOST_NAMED, near)
    brief = [_cut(_hide_fields(data, (*details, "slices", *long)), n, FEW) for n in _lengths(near) if n >= fewest]
    brief = [*named, *brief]
    if is_lean:
        return brief
    told = _cut(_hide_fields(data, ("slices", *long)), near, FEW)
    sliced = [{**_cut(_hide_fields(data, long), near, FEW), "slices": slices[:n]} for n in range(1, len(slices) + 1)]
    rest = [_cut(_hide_fields(data, long), max(n, near), n) for n in _lengths(longest) if n > FEW]
    steps = [*brief, told, *sliced, *rest, _cut(data, longest)]
    return [step for before, step in zip([None, *steps], steps, strict=False) if step != before]


def _names_alone(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Users and used elements, beside the summary: by place and last name, then by id and line."""
    bare = {name: data[name] for name in ("stale", OMITTED) if name in data}
    if "dependents" not in data:  # nor is anything else that grows
        yield bare
        return
    users, used = data[USERS], data[USED]
    most = min(MOST_NAMED, max(len(users), len(used)))
    yield bare
    for n in range(1, min(FEWEST, most) + 1):
        yield {**bare, **_name_relations(users[:n], used[:n], short=True)}
    for n in range(min(FEWEST, most), most + 1):
        told = {"id": data["id"], **bare, **_name_relations(users[:n], used[:n], short=False)}
        yield told
    for name in _BESIDE_NAMES:
        if name in data:
            told[name] = data[name]
            yield {**told}


def _name_relations(users: list[dict[str, Any]], used: list[dict[str, Any]], *, short: bool) -> dict[str, list[str]]:
    """Each with its line; in short form, a user by its place, and a used element by its name in its file."""
    of_users, of_used = (_place, _name) if short else (_id_and_line, _id_and_line)
    lists = {"used_by": [*map(of_users, users)], "uses": [*map(of_used, used)]}
    return {name: some for name, some in lists.items() if some}


def _place(relation: dict[str, Any]) -> str:
    """It may be asked about as it is."""
    last = relation["id"].rpartition("::")[2]
    return f"{relation['path']}:{relation['line']} {last}" if relation["path"] else _id_and_line(relation)


def _name(relation: dict[str, Any]) -> str:
    name = split_id(relation["id"])[1].replace("::", ".")
    return f"{name}:{relation['line']}" if name else _id_and_line(relation)


def _id_and_line(relation: dict[str, Any]) -> str:
    return f"{relation['id']}:{relation['line']}"


def _calls_first(relations: Sequence[Relation]) -> tuple[Relation, ...]:
    """Within the project before outside, calls before other relations, code before tests and examples."""

    def rank(one: Relation) -> tuple[bool, bool, bool]:
        is_code = lies_among(split_id(one.id)[0]) is Among.CODE
        return one.id.startswith(EXTERNAL), one.relation != EdgeKind.CALLS, not is_code

    return tuple(sorted(relations, key=rank))


def _concise(data: dict[str, Any]) -> dict[str, Any]:
    """Without fields that only explain a ranking."""
    slices = [{name: value for name, value in one.items() if name != "ppr_score"} for one in data.get("slices", ())]
    return {**data, "slices": slices} if slices else data


def _lengths(longest: int) -> Iterator[int]:
    """From none to all."""
    n = 0
    while n < longest:
        yield n
        n += max(n // 10, 1) if n >= ONE_BY_ONE else 1
    yield longest


def _hide_fields(data: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Without some fields, which are counted."""
    gone = [name for name in data if name in names]
    kept = {name: value for name, value in data.items() if name not in names}
    return {**kept, OMITTED: data.get(OMITTED, 0) + len(gone)} if gone else kept


def _lists(data: dict[str, Any]) -> list[Any]:
    plain = [data[name] for name in _GROWING if name in data]
    return [*plain, *(data[name]["places"] for name in _COUNTED if name in data)]


def _cut(data: dict[str, Any], n: int, nowhere: int = MOST) -> dict[str, Any]:
    """Of each list the first `n`, of calls that lead nowhere at most so many."""
    few = {"unresolved_calls": min(n, nowhere), "unresolved": min(n, nowhere) if data.get("dependents") else n}
    cut = {name: data[name][:n] for name in _GROWING if name in data}
    shown = {name: data[name]["places"][: few.get(name, n)] for name in _COUNTED if name in data}
    cut |= {name: {**data[name], "places": places} for name, places in shown.items()}
    return {**data, **cut}


EXPLAIN_SHAPE = Shape(
    {
        "dependents": Priority.HIGH,
        "dependencies": Priority.HIGH,
        "choices": Priority.HIGH,
        "unresolved": Priority.HIGH,
        "callers": Priority.HIGH,
        "unsure_callers": Priority.HIGH,
        "parts": Priority.HIGH,
        "parts_total": Priority.HIGH,
        "one_part": Priority.HIGH,
        "dependents_total": Priority.HIGH,
        "dependencies_total": Priority.HIGH,
        "candidates": Priority.MEDIUM,
        "named": Priority.MEDIUM,
        "put_together": Priority.MEDIUM,
        "outside": Priority.MEDIUM,
        "unresolved_calls": Priority.MEDIUM,
        "signature": Priority.MEDIUM,
        "file_path": Priority.MEDIUM,
        "first_line": Priority.MEDIUM,
        "last_line": Priority.MEDIUM,
        "exported": Priority.MEDIUM,
        "declared": Priority.MEDIUM,
        "also": Priority.MEDIUM,
        "decorators": Priority.MEDIUM,
        "doc": Priority.MEDIUM,
        "valid_from": Priority.MEDIUM,
        "valid_to": Priority.MEDIUM,
        "freshness": Priority.MEDIUM,
        "slices": Priority.MEDIUM,
        "text": Priority.MEDIUM,
    },
    _steps,
    _concise,
    pages=("dependents", "dependencies", "choices"),
)


class Seen(Struct, frozen=True):
    """What else was found out about an element; of what is outside, nothing is."""

    period: Period | None = None
    text: str = ""
    stale: bool = False
    generated: bool = False
    has_symbols: bool = False  # its file, if a plug-in reads a language that else has no parser
    declared: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    slices: tuple[RelatedSlice, ...] = ()
    unseen: CallerHints = CallerHints()


def make_explanation(thing: LogicalSymbol, around: Surroundings, seen: Seen) -> CodeExplain:
    element = thing.element
    return CodeExplain(
        id=element.id,
        type=element.kind,
        summary_line=element.summary,
        callers=around.callers,
        unsure_callers=len(around.unsure),
        dependents_total=len(around.dependents),
        dependencies_total=len(around.dependencies),
        dependents=_calls_first(around.dependents[:MOST]),
        dependencies=_calls_first(around.dependencies[:MOST]),
        unresolved=_calls(around.unresolved),
        parts_total=len(thing.parts),
        parts=thing.parts[:MOST],
        one_part=thing.is_part,
        candidates=Candidates(len(unsure), unsure[:MOST]) if (unsure := around.candidates) else None,
        named=seen.unseen.named,
        put_together=seen.unseen.put_together,
        outside=seen.unseen.outside,
        unresolved_calls=_calls(around.unresolved_calls) if around.unresolved_calls else None,
        signature=element.signature,
        decorators=element.decorators,
        doc=element.doc,
        file_path=element.path,
        first_line=element.first_line,
        last_line=element.last_line,
        exported=element.exported,
        declared=seen.declared,
        generated=seen.generated,
        plain=element.language in UNPARSED and not seen.has_symbols,
        also=seen.also,
        stale=seen.stale,
        valid_from=seen.period.start if seen.period else None,
        valid_to=seen.period.end if seen.period and seen.period.end != FOREVER else None,
        slices=seen.slices,
        text=seen.text,
    )


Scores = Callable[[Iterable[str]], Mapping[str, float]]


def related_slices(around: Surroundings, elements: Elements, scored: Scores) -> tuple[RelatedSlice, ...]:
    """Of what an element is related to and is part of the project, dependents and dependencies in turn."""
    turns = zip_longest(around.dependents[:MOST_SLICED], around.dependencies[:MOST_SLICED])
    ids = dict.fromkeys(one.id for turn in turns for one in turn if one)
    found = [one for name in ids if (one := elements.get(name))]
    scores = scored(one.id for one in found)
    return tuple(_to_slice(one, scores.get(one.id)) for one in found)


def _to_slice(element: Element, score: float | None) -> RelatedSlice:
    return RelatedSlice(
        id=element.id,
        summary_line=element.summary,
        file=element.path,
        start_line=element.first_line,
        end_line=element.last_line,
        signature=element.signature,
        ppr_score=None if score is None else round(score, SCORE_DIGITS),
    )


def to_choose(text: str, things: list[LogicalSymbol]) -> Choices:
    elements = [one.element for one in things]
    named = Counter(without_numbers(one.id) for one in elements)
    ordered = sorted(
        elements, key=lambda one: (lies_among(one.path) is not Among.CODE, one.path, one.first_line, one.id)
    )
    shown = tuple(
        Choice(
            one.id, one.kind, one.summary, one.first_line, one.signature if named[without_numbers(one.id)] > 1 else ""
        )
        for one in ordered[:MOST]
    )
    return Choices(text, "ambiguous", len(elements), shown)


def _calls(found: tuple[Unresolved, ...]) -> UnresolvedCalls:
    places = tuple(UnresolvedCall(one.source, split_id(one.source)[0], one.line, one.written) for one in found[:MOST])
    return UnresolvedCalls(len(found), places)


def short_id(id: str) -> str:
    """An id in a sentence; a long one by its last name, since the fields have all of it."""
    return id if len(id) <= LONG_ID else id.rpartition("::")[2]


def in_short(line: str) -> str:
    """What a symbol does, in a sentence that no budget shortens."""
    return f"{line}." if len(line) <= LONGEST_DOC else f"{line[:LONGEST_DOC].rsplit(' ', 1)[0]} …"


def as_found(n: int, one: str, many: str = "") -> str:
    """A number of things, which may be more than were found: never a bare zero."""
    return f"{n or 'no'} {one if n == 1 else many or f'{one}s'}{'' if n else ' found'}"


def of_them_unsure(total: int, one: str, unsure: int) -> str:
    some = "unsure" if total == 1 else f"{'all' if unsure == total else unsure} of them unsure"
    return f"{as_found(total, one)}{f', {some}' if unsure else ''}"
