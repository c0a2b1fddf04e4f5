"""Packs and slices: the context of a task in one call, a reproducible pack, the lines of a symbol."""

from typing import Annotated

from msgspec import Meta

from clew.engine import Engine
from clew.graph.elements import Elements
from clew.model.agents import Identity
from clew.pack.artifact import ContextPack, LeanPack
from clew.pack.remembered import FromMemory
from clew.pack.render import Format
from clew.pack.request import (
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
)
from clew.pack.slicing import Context
from clew.tools.briefing import RenderOptions, brief, claim_entry_point
from clew.tools.briefing_views import Briefing
from clew.tools.context_packs import create_context_pack, read_context_pack
from clew.tools.freshness import freshly
from clew.tools.lookup import LookupRequest
from clew.tools.naming import meant, resolved
from clew.tools.params import MOST_TEXT, AgentId, Offset, SessionId
from clew.tools.registry import ANY_ROOM, AnswerLimits, Effect, tool
from clew.tools.slicing import SLICE_SHAPE, SemanticSlice, SliceSubject, find_slice, fitted

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
        lambda: resolved(elements, focus, meant(engine, elements, focus)),
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
    found, fresh = freshly(engine, lambda: find_slice(engine, asked, context, ppr_score), SliceSubject.quoted)
    return fitted(found, fresh, room, offset)


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
