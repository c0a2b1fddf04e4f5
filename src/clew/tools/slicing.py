"""The answer of `semantic_slice`: a slice, how it was found, and as much of it as there is room for."""

from collections.abc import Iterable, Iterator
from itertools import chain, takewhile

import msgspec
from msgspec import structs

from clew.engine import Engine
from clew.graph.parts import LogicalSymbol
from clew.model.code import touch
from clew.model.errors import BudgetExceeded, NotFound
from clew.model.words import NAMELESS
from clew.pack.items import CURRENT, Note
from clew.pack.slicing import CodeSlice, Context, Sliced, SliceRequest, Sources, lines_in, slices
from clew.text.tokens import estimate
from clew.tools.budget import Row, Shape
from clew.tools.caller_hints import CallerHints, find_caller_hints
from clew.tools.explanation import as_found, of_them_unsure
from clew.tools.freshness import NOTHING_TO_TELL, FreshnessState, count_of, paths_of
from clew.tools.lookup import LookupRequest, Meant, look_up
from clew.tools.registry import AnswerLimits

_MEMORY = ("memories", "relevant_decisions", "relevant_learnings")  # come after code and calls, where there is room
_DETAILS = ("language", "signature", "summary_line", "valid_from", "freshness")  # come last
MOST_PARTS = 20  # other places that are named
MOST_MEMORIES = 3  # decisions that are told, and as many learnings


class SliceMemory(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a decision or learning says, and what became of its code, unless that is as it was."""

    content: str
    state: str = ""


class SemanticSlice(CodeSlice, frozen=True, omit_defaults=True, kw_only=True):
    """`also` are others that may be meant, `parts` other places that the same is written in; `fields_left_out` counts
    the fields that there was no room for.

    `unseen` is why there may be callers where none was found. `memories` say what the relevant decisions, then the
    relevant learnings say, in their order.
    """

    context: Context
    found_by: str
    unseen: str = ""
    memories: tuple[SliceMemory, ...] = ()
    parts: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    also_total: int = 0
    fields_left_out: int = 0
    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        lines = f"lines {self.start_line}-{self.end_line}" if self.end_line else "empty"
        said = f"{self.kind} {self.id}, {lines}"
        about = f": {self.summary_line}." if self.summary_line else "."
        return " ".join(
            filter(None, [f"{said}{about}", self._calls(), self._describe_memories(), self._else(), self._unsure()])
        )

    def _describe_memories(self) -> str:
        told = count_of(len(self.memories), "decision or learning", "decisions and learnings")
        return f"{told} about it." if self.memories else ""

    def _calls(self) -> str:
        """As far as anybody knows: never a bare zero where there may be more."""
        if self.callers_total is None or self.calls_total is None:
            return ""
        callers = [of_them_unsure(self.callers_total, "caller", self.unsure_callers)]
        if self.unresolved:
            callers.append(f"{as_found(self.unresolved, 'call')} by this name unresolved")
        if self.candidates:
            callers.append(f"{self.candidates} more may lead here")
        if self.unseen:
            callers.append(self.unseen)
        called = [of_them_unsure(self.calls_total, "call", self.unsure_calls)]
        if self.unresolved_calls:
            called.append(as_found(self.unresolved_calls, "unresolved call"))
        text = f"{', '.join(callers)}; {', '.join(called)}"
        return f"{text[:1].upper()}{text[1:]}."

    def _else(self) -> str:
        if self.parts:
            return f"{count_of(len(self.parts), 'other part', 'other parts')} of it elsewhere."
        if not self.also_total:
            return ""
        what = ("other answer", "other answers") if self.found_by == "query" else ("other", "others")
        return f"{count_of(self.also_total, *what)} may be meant."

    def _unsure(self) -> str:
        gone = "This no longer stands in its file. " if self.stale and not self.code else ""
        return f"{gone}{self.freshness.unseen()}"


def _concise(data: Row) -> Row:
    """A path and a name once: an id begins with the one and ends with the other."""
    kept = {name: value for name, value in data.items() if name not in _REPEATED}
    if kept.get("found_by") == "name":
        del kept["found_by"]
    refs = {name: [_concise_ref(one) for one in data[name]] for name in _REFS if name in data}
    return {**kept, **refs}


def _concise_ref(ref: Row) -> Row:
    dropped = {"name"} if "file" in ref else set()
    dropped |= {"file"} if ref["id"].startswith(ref.get("file", "")) else set()
    return {name: value for name, value in ref.items() if name not in dropped}


# Said by the id, or by the summary.
_REPEATED = (
    "kind",
    "candidates",
    "unsure_calls",
    "unsure_callers",
    "fields_left_out",
    "file",
    "symbol_name",
    "summary_line",
    "valid_from",
    "context",
)
_REFS = ("incoming_callers", "outgoing_calls")
SLICE_SHAPE = Shape(concise=_concise, pages=_REFS)


class SliceSubject(msgspec.Struct, frozen=True, eq=False):
    """What is meant, sliced."""

    sliced: Sliced
    context: Context
    meant: Meant
    unseen: str = ""
    decisions: tuple[Note, ...] = ()
    learnings: tuple[Note, ...] = ()

    def quoted_files(self) -> Iterable[str]:
        """The files that it tells lines of."""
        parts = self.meant.thing.parts if self.meant.thing else ()
        return chain(lines_in(self.sliced.slice), paths_of((*(one.id for one in parts), *self.meant.also)))


def find_slice(engine: Engine, asked: LookupRequest, context: Context, ppr_score: float | None) -> SliceSubject:
    meant = look_up(engine, asked)
    sources = Sources(engine.place.root, engine.files, engine.nodes, engine.corpus)
    found = slices(sources, [SliceRequest(meant.id, ppr_score, meant.passage, meant.thing)], context)
    if not found:  # it went while it was looked for
        raise NotFound(f"{meant.id} is not in the index any more", "Ask again.")
    told = ", ".join(_unseen(engine, found[0].slice, meant.thing).sentence_parts())
    return SliceSubject(
        found[0], context, meant, told, *(_memories_about(engine, meant.id) if context == "full" else ())
    )


def _unseen(engine: Engine, slice: CodeSlice, thing: LogicalSymbol | None) -> CallerHints:
    """Hints about possible callers if none was found."""
    is_zero = slice.callers_total == 0 and not (slice.unresolved or slice.candidates)
    if thing is None or thing.element.kind in NAMELESS or not is_zero:
        return CallerHints()
    return find_caller_hints(engine, thing, thing.element.name.rpartition(".")[2])


def _memories_about(engine: Engine, id: str) -> tuple[tuple[Note, ...], tuple[Note, ...]]:
    """Decisions and learnings about it, its container and its members; the best first."""
    known = engine.briefer.about(id)
    about = [one for one in known.decisions if any(touch(fate.now or fate.id, id) for fate in one.fates)]
    return tuple(about[:MOST_MEMORIES]), tuple(known.code.about(id)[:MOST_MEMORIES])


def fit_slice(found: SliceSubject, fresh: FreshnessState, room: AnswerLimits, offset: int = 0) -> SemanticSlice:
    """The fullest version that there is room for, without the first callers and callees; more room never shows less."""
    whole = _whole(found, fresh)
    whole = structs.replace(whole, **{name: getattr(whole, name)[offset:] for name in _REFS})
    if room.limit is None or _cost(whole, room) <= room.limit:
        return whole
    limit = room.limit
    fitting = list(takewhile(lambda one: _cost(one, room) <= limit, _versions(found, whole)))
    if not fitting:
        raise BudgetExceeded.of("this answer", limit, _cost(next(_versions(found, whole)), room))
    return fitting[-1]


def _cost(slice: SemanticSlice, room: AnswerLimits) -> int:
    return room.price(slice) if room.price else estimate(msgspec.json.encode(slice).decode())


def _whole(found: SliceSubject, fresh: FreshnessState) -> SemanticSlice:
    own = structs.replace(
        found.sliced.slice,
        relevant_decisions=tuple(one.id for one in found.decisions),
        relevant_learnings=tuple(one.id for one in found.learnings),
    )
    return SemanticSlice(
        **structs.asdict(own),
        memories=tuple(_to_memory(one) for one in (*found.decisions, *found.learnings)),
        context=found.context,
        found_by=found.meant.found_by,
        unseen=found.unseen,
        parts=_elsewhere(found.sliced.slice, found.meant.thing),
        also=found.meant.also,
        also_total=found.meant.others,
        freshness=fresh,
    )


def _elsewhere(slice: CodeSlice, thing: LogicalSymbol | None) -> tuple[str, ...]:
    places = [one.place for one in thing.parts] if thing else []
    return tuple(one for one in places if one != f"{slice.file}:{slice.start_line}-{slice.end_line}")[:MOST_PARTS]


def _to_memory(note: Note) -> SliceMemory:
    text = "\n".join(filter(None, [note.title, note.text]))
    return SliceMemory(text, "" if note.state == CURRENT else note.state)


def _without(whole: SemanticSlice, fields: tuple[str, ...]) -> SemanticSlice:
    names = {field.name: field.default for field in structs.fields(SemanticSlice)}
    gone = tuple(name for name in fields if getattr(whole, name) != names[name])
    return structs.replace(whole, fields_left_out=len(gone), **{name: names[name] for name in gone})


def _versions(found: SliceSubject, whole: SemanticSlice) -> Iterator[SemanticSlice]:
    """Ever fuller: the place; the best caller and callee; the opening; longer code; more calls; memory; details."""
    lean = _without(whole, ("unseen", *_MEMORY, *_DETAILS))
    place = structs.replace(lean, code="", elided=True)
    yield _with_refs(place, 0)
    yield _with_refs(place, 1)
    for text in found.sliced.forms():
        shown = found.sliced.shown_as(text)
        yield _with_refs(structs.replace(lean, code=shown.code, elided=shown.elided), 1)
    for count in range(1, max(len(whole.incoming_callers), len(whole.outgoing_calls), 1) + 1):
        yield _with_refs(lean, count)
    yield _without(whole, (*_MEMORY, *_DETAILS))
    yield _without(whole, _DETAILS)
    yield whole


def _with_refs(slice: SemanticSlice, count: int) -> SemanticSlice:
    """With the first of each list; others that may be meant come with the first, since they may be it."""
    return structs.replace(
        slice,
        incoming_callers=slice.incoming_callers[:count],
        outgoing_calls=slice.outgoing_calls[:count],
        also=slice.also if count else (),
        parts=slice.parts if count else (),
    )
