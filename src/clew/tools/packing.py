"""Packs and slices: the context of a task in one call, a reproducible pack, the lines of a symbol."""

import re
from typing import TYPE_CHECKING, Annotated

from msgspec import UNSET, Meta, structs

from clew.engine import Engine, now
from clew.graph.elements import Elements
from clew.model.agents import Identity
from clew.model.errors import BudgetExceeded, Unavailable
from clew.model.time import to_iso
from clew.model.words import Kind
from clew.pack.artifact import ContextPack, LeanPack
from clew.pack.items import FromMemory
from clew.pack.render import Format
from clew.pack.request import (
    LEAN_BELOW,
    BudgetOptions,
    ExpansionOptions,
    FocusOptions,
    FormOption,
    Intent,
    Options,
    OrderingOptions,
    SeedMode,
    SeedProvider,
    Strictness,
    normalise,
)
from clew.pack.slicing import Context
from clew.text.tokens import estimate
from clew.tools.briefing import RenderOptions, brief, claim_entry_point
from clew.tools.briefing_views import Briefing
from clew.tools.freshness import freshly
from clew.tools.lookup import LookupRequest
from clew.tools.naming import one_meant, split_by_meaning, symbols_for_text
from clew.tools.params import MOST_TEXT, AgentId, Offset, SessionId
from clew.tools.registry import ANY_ROOM, AnswerLimits, Effect, tool
from clew.tools.slicing import SLICE_SHAPE, SemanticSlice, SliceSubject, find_slice, fit_slice

if TYPE_CHECKING:
    from clew.pack.packer import Made


# Creates, writes and reads context packs, for the tools of that name.

ENVELOPE = 250  # tokens that an answer takes around a pack: the summary, times, warnings
LEAN_ENVELOPE = 45  # likewise, around one in the lean form, which counts its summary
WARNED_FROM = 600  # tokens of a lean pack, of which some are kept for warnings
_UID = re.compile(r".+#\d+@[0-9a-f]+")


def bounded_options(options: Options, limit: int | None) -> Options:
    """What the caller allows for the answer bounds the pack, as a part of the request: its id is made of that."""
    if limit is None:
        return options
    is_lean = options.form == "lean" or (options.form == "auto" and limit - ENVELOPE < LEAN_BELOW)
    most = max(limit - (LEAN_ENVELOPE if is_lean else ENVELOPE), 1)
    if is_lean and most >= WARNED_FROM:
        most -= sum(estimate(one) for one in normalise(options).warnings)
    tokens = min(most, options.budgets.max_total_tokens or most)
    return structs.replace(options, budgets=structs.replace(options.budgets, max_total_tokens=tokens))


def create_context_pack(engine: Engine, options: Options, room: AnswerLimits, *, write: bool) -> ContextPack | LeanPack:
    """The room is of the whole answer, in tokens, and so is what is said if nothing fits it."""
    from clew.pack.assembly import TooSmall  # numpy is heavy, and most tools do not need it

    try:
        return _create_pack(engine, bounded_options(options, room.limit), room, write=write)
    except TooSmall as error:
        if room.limit is None or (options.budgets.max_total_tokens or room.limit) < room.limit - ENVELOPE:
            raise
        around = ENVELOPE if error.is_full else LEAN_ENVELOPE
        hint = f"With an item it takes max_tokens={error.tokens + around}{error.smaller}"
        raise BudgetExceeded(f"no pack fits {room.limit} tokens", hint) from error


def _create_pack(engine: Engine, options: Options, room: AnswerLimits, *, write: bool) -> ContextPack | LeanPack:
    engine.require_index()
    engine.read_new_commits()
    wanted = normalise(structs.replace(options, focus=normalize_focus(engine, options.focus)))
    made, fresh = freshly(engine, lambda: engine.packer.make(wanted.request), _quoted_files)
    if write and made.failed:
        hint = "Make it work again, or ask without write."
        raise Unavailable(f"{made.failed[0].retriever} could not answer, so this is not the pack of its id", hint)
    failed = (f"{one.retriever} could not answer: {one.reason}" for one in made.failed)
    warnings = (*wanted.warnings, *failed, *filter(None, [fresh.unseen()]))
    stats = structs.replace(made.pack.stats, warnings=warnings or UNSET)
    pack = structs.replace(made.pack, stats=stats, created_at=to_iso(now()))
    if write:
        engine.keep_pack(pack)
        pack = structs.replace(pack, written=True)
    return _lean(pack, room) if wanted.request.form == "lean" else pack


def _lean(pack: ContextPack, room: AnswerLimits) -> LeanPack:
    """Warnings are counted where there is no room for them."""
    from clew.pack.lean import lean  # as above

    found = lean(pack)
    if room.limit is not None and room.price and found.warnings and room.price(found) > room.limit:
        several = f"{len(found.warnings)} warnings: ask for more tokens" if len(found.warnings) > 1 else "1 warning"
        found = structs.replace(found, warnings=(several,))
        found = found if room.price(found) <= room.limit else structs.replace(found, warnings=UNSET)
    return found


def normalize_focus(engine: Engine, focus: FocusOptions) -> FocusOptions:
    """One spelling of what is in focus, whatever the caller calls it: a name, an id, file:line, a path, a chunk's uid.

    Of overloads, the implementation.
    """
    given = [text for text in structs.astuple(focus) if text]
    if len(given) != 1 or _UID.fullmatch(given[0]):
        return FocusOptions(chunk_uid=given[0]) if len(given) == 1 else focus
    elements = Elements(engine.files)
    thing, _ = freshly(engine, lambda: one_meant(engine, elements, given[0]), lambda one: [one.element.path])
    found = elements.whole(thing.element.id)
    if thing.element.kind is Kind.FILE:
        return FocusOptions(file_rel_path=found)
    return FocusOptions(symbol_id=found)


def read_context_pack(engine: Engine, pack_id: str, form: FormOption, room: AnswerLimits) -> ContextPack | LeanPack:
    """As it was written, but for where; in the lean form, if that is asked for or the whole does not fit."""
    pack = engine.packs.read(pack_id)
    pack = structs.replace(pack, request=structs.replace(pack.request, repo_id=UNSET, index_root=UNSET))
    if form == "full" or (form == "auto" and _fits(pack, room)):
        return pack
    from clew.pack.lean import lean, shorten_pack  # as above

    whole = lean(pack)
    return whole if room.limit is None or _fits(whole, room) else shorten_pack(pack, max(room.limit - LEAN_ENVELOPE, 1))


def _fits(pack: ContextPack | LeanPack, room: AnswerLimits) -> bool:
    if room.limit is None:
        return True
    tokens = room.price(pack) if room.price else estimate(pack.canonical().decode()) + LEAN_ENVELOPE
    return tokens <= room.limit


def _quoted_files(made: "Made") -> set[str]:
    """The files that a pack tells lines of."""
    items = made.pack.items()
    return {item.file_rel_path for item in items} | {e.file_rel_path for item in items for e in item.why.evidence}


CONTEXT = "context"
Task = Annotated[str, Meta(min_length=1, max_length=MOST_TEXT, description="What is to be done, in words.")]


@tool(Effect.READ, toolset=CONTEXT, budgeted=True, writes_if="claim", also="begin plan gather overview briefing")
def context_pack(
    engine: Engine,
    task: Task,
    intent: Annotated[
        Intent, Meta(description="refactor, impact: more around; summarize, contract: signatures; debug: as answer.")
    ] = "answer",
    focus: Annotated[str, Meta(max_length=2000, description="A name, an id, file:line or path it is about.")] = "",
    format: Annotated[Format, Meta(description="How the pack's text is written.")] = "markdown",
    explain: Annotated[bool, Meta(description="Show all ranking reasons of each item.")] = False,
    task_id: Annotated[str, Meta(max_length=200, description="Its plan and past; default: your task.")] = "",
    include_decisions: Annotated[bool, Meta(description="What was decided.")] = True,
    include_episodes: Annotated[bool, Meta(description="What was done before.")] = True,
    include_learnings: Annotated[bool, Meta(description="What was learned.")] = True,
    claim: Annotated[bool, Meta(description="Claim where to start.")] = False,
    agent_id: AgentId = "",
    session_id: SessionId = "",
    room: AnswerLimits = ANY_ROOM,
    *,
    who: Identity,
) -> Briefing:
    """Brief a task in one call: where to start, code to read, decisions, plan, who is in the way."""
    from clew.pack.briefing import BriefingRequest  # numpy is heavy, and most tools do not need it

    named, *others = _in_focus(engine, focus) if focus else [""]
    speaking = who.with_ids(agent_id, session_id)
    asked = FromMemory(speaking, task_id, include_decisions, include_episodes, include_learnings)
    wanted = BriefingRequest(task, intent, named, memory=asked)
    held = claim_entry_point(engine, wanted) if claim else None
    return brief(engine, wanted, RenderOptions(format, explain, room, held, tuple(others)))


def _in_focus(engine: Engine, focus: str) -> list[str]:
    elements = Elements(engine.files)
    found, _ = freshly(
        engine,
        lambda: split_by_meaning(elements, focus, symbols_for_text(engine, elements, focus)),
        lambda of: [one.element.path for one in of[0]],
    )
    first, others = found
    return [*(one.element.id for one in first), *others]


@tool(
    Effect.READ,
    toolset=CONTEXT,
    shape=SLICE_SHAPE,
    budgeted=True,
    also="read view open source code function body definition",
)
def semantic_slice(
    engine: Engine,
    symbol: Annotated[
        str,
        Meta(max_length=2000, description="An id such as src/pay.py::Card::charge, a name, Class.method, file:line."),
    ] = "",
    file: Annotated[
        str, Meta(max_length=2000, description="The file of the symbol; alone, its outline is shown.")
    ] = "",
    query: Annotated[str, Meta(max_length=MOST_TEXT, description="What it does, where the name is not known.")] = "",
    context: Annotated[
        Context, Meta(description="with-deps adds callers and callees; full also decisions and learnings.")
    ] = "body",
    ppr_score: Annotated[float | None, Meta(description="Returned as it is given.")] = None,
    offset: Offset = 0,
    room: AnswerLimits = ANY_ROOM,
) -> SemanticSlice:
    """Show the exact lines of a symbol, and if asked for, who calls it and what it calls."""
    asked = LookupRequest(file, symbol, query)
    found, fresh = freshly(engine, lambda: find_slice(engine, asked, context, ppr_score), SliceSubject.quoted_files)
    return fit_slice(found, fresh, room, offset)


@tool(Effect.READ, toolset=CONTEXT, capped=True, writes_if="write", also="bundle export artifact")
def context_pack_create(
    engine: Engine,
    query: Annotated[
        str, Meta(max_length=MOST_TEXT, description="What the pack is for; may be empty with a focus.")
    ] = "",
    intent: Annotated[
        Intent, Meta(description="impact: dependents come before further seeds; others have no effect.")
    ] = "answer",
    focus: Annotated[
        FocusOptions | str | None, Meta(description="One thing to begin at: a name, id, file:line or path.")
    ] = None,
    seed_mode: Annotated[SeedMode, Meta(description="What to begin at: code, prose, or both.")] = "mixed",
    seed_provider: Annotated[
        SeedProvider, Meta(description="sparse, fts: words alone; ann: vectors alone.")
    ] = "hybrid",
    expansion: Annotated[ExpansionOptions | None, Meta(description="Where to go on from there, and how far.")] = None,
    budgets: Annotated[BudgetOptions | None, Meta(description="How large the pack may be; hard caps hold.")] = None,
    ordering: Annotated[OrderingOptions | None, Meta(description="What comes first.")] = None,
    strictness: Annotated[Strictness, Meta(description="What to do where evidence is missing.")] = "warn",
    include_explain: Annotated[bool, Meta(description="With rules, gaps of evidence and caps met.")] = True,
    write: Annotated[bool, Meta(description="Keep the pack in .clew/context_packs.jsonl.")] = False,
    form: Annotated[
        FormOption, Meta(description="lean: items with text, place and rule; auto: lean below 4,000 tokens.")
    ] = "auto",
    *,
    room: AnswerLimits,
) -> ContextPack | LeanPack:
    """Make a bounded, reproducible pack of context from seeds and the graph around them, with evidence."""
    options = Options(
        query=query,
        seed_mode=seed_mode,
        seed_provider=seed_provider,
        intent=intent,
        focus=FocusOptions(symbol_id=focus) if isinstance(focus, str) and focus else focus or FocusOptions(),
        expansion=expansion or ExpansionOptions(),
        budgets=budgets or BudgetOptions(),
        ordering=ordering or OrderingOptions(),
        strictness=strictness,
        include_explain=include_explain,
        form=form,
    )
    return create_context_pack(engine, options, room, write=write)


@tool(Effect.READ, toolset=CONTEXT, capped=True, dated=False, also="load saved again")
def context_pack_get(
    engine: Engine,
    pack_id: Annotated[str, Meta(min_length=1, description="Its id, or the first 8 digits or more.")],
    form: Annotated[
        FormOption, Meta(description="lean: items with text, place and rule; auto: lean if the whole does not fit.")
    ] = "auto",
    *,
    room: AnswerLimits,
) -> ContextPack | LeanPack:
    """Read a stored context pack, whole or in a smaller form."""
    return read_context_pack(engine, pack_id, form, room)
