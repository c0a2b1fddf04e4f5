"""Answers to questions from all that is remembered: knowledge and episodes together."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct, structs

from clew.engine import Engine
from clew.graph.elements import Elements
from clew.knowledge.catalog import KnowledgeCatalog, KnowledgeReader
from clew.knowledge.evidence import ENOUGH, NEAR_BEST
from clew.knowledge.intent import Intent, QuestionPlan, plan
from clew.model.agents import Identity
from clew.model.errors import ClewError
from clew.model.knowledge import KnowledgeKind, KnowledgeRecord, KnowledgeSource
from clew.model.search import Hit, Query
from clew.model.time import FIRST, FOREVER, NOW, AsOf, to_iso
from clew.text.escaping import line, quote
from clew.tools.knowledge_answers import (
    RECALL_ANSWER_SHAPE,
    KnowledgeConflict,
    KnowledgeRow,
    RecallAnswer,
    ViewReport,
    item_row,
)
from clew.tools.knowledge_search import knowledge_at, near_of
from clew.tools.knowledge_views import Sensitive, chat_model, conflicts_of, moment_of, reader_of
from clew.tools.params import AgentId, KnownMoment, Limit, Moment, SessionId, Text
from clew.tools.registry import Effect, tool

if TYPE_CHECKING:
    from clew.knowledge.passages import PassageHit
    from clew.knowledge.recall import KnowledgeItem, KnowledgeQuestion, RecallFindings

Since = Annotated[str, Meta(max_length=60, description="ISO 8601: nothing that happened before.")]
Before = Annotated[str, Meta(max_length=60, description="ISO 8601: nothing that happened from then on.")]
IncludePast = Annotated[bool, Meta(description="Also facts that have ended.")]


FILES_LOOKED_AT = 10  # hits of a search, whose files are read for reasons
MOST_REASONS = 3
LINES_ABOVE = 7  # a comment is about the code that it stands above
_TOLD = frozenset({KnowledgeKind.FACT, KnowledgeKind.EVENT})  # what a text states
_REASONED = (Intent.WHY, Intent.WHAT)


class RecallRequest(Struct, frozen=True):
    """A question with its bounds; `cut` is whether the answer ends where the evidence does."""

    query: str
    limit: int
    since: str = ""
    until: str = ""
    past: bool = False
    sensitive: bool = False
    as_of: str = ""
    known_as_of: str = ""
    cut: bool = True


@tool(
    Effect.READ,
    toolset="knowledge",
    shape=RECALL_ANSWER_SHAPE,
    budgeted=True,
    also="why when who what remember know known answer question memory explain because",
)
def recall(
    engine: Engine,
    query: Text,
    limit: Limit = 10,
    since: Since = "",
    until: Before = "",
    include_past: IncludePast = False,
    include_sensitive: Sensitive = False,
    as_of: Moment = "",
    known_as_of: KnownMoment = "",
    agent_id: AgentId = "",
    session_id: SessionId = "",
    *,
    who: Identity,
) -> RecallAnswer:
    """Answer why, when, who or what from all that is remembered, with sources; or: nothing is known."""
    request = RecallRequest(query, limit, since, until, include_past, include_sensitive, as_of, known_as_of)
    return answer_question(engine, who.with_ids(agent_id, session_id), request)


@tool(Effect.READ, toolset="knowledge", shape=RECALL_ANSWER_SHAPE, budgeted=True, also="ranked candidates uncut raw")
def recall_raw(
    engine: Engine,
    query: Text,
    limit: Limit = 25,
    since: Since = "",
    until: Before = "",
    include_past: IncludePast = False,
    include_sensitive: Sensitive = False,
    as_of: Moment = "",
    known_as_of: KnownMoment = "",
    agent_id: AgentId = "",
    session_id: SessionId = "",
    *,
    who: Identity,
) -> RecallAnswer:
    """Rank all that may answer a question, without the cut and without a written answer."""
    request = RecallRequest(query, limit, since, until, include_past, include_sensitive, as_of, known_as_of, cut=False)
    return answer_question(engine, who.with_ids(agent_id, session_id), request)


def answer_question(engine: Engine, who: Identity, request: RecallRequest) -> RecallAnswer:
    from clew.knowledge.recall import KnowledgeQuestion, RecallSettings  # numpy is heavy, and most tools need none

    settings = engine.config.magma
    reader = reader_of(engine, who, sensitive=request.sensitive)
    at, view = knowledge_at(engine, request.as_of, request.known_as_of)
    planned, problem = _plan(engine, request)
    question = KnowledgeQuestion(
        request.query, planned, reader, at, moment_of(request.since, "since", FIRST),
        moment_of(request.until, "until", FOREVER), request.past,
    )  # fmt: skip
    bounds = RecallSettings(
        max(settings.semantic_top_k, request.limit), settings.min_semantic_score, settings.min_nodes_per_view,
        settings.max_nodes_per_view, settings.multi_view_boost,
    )  # fmt: skip

    def find(catalog: KnowledgeCatalog) -> RecallAnswer:
        from clew.knowledge.passages import PassageSources, find_passages

        past, near = catalog.at(view), near_of(engine)
        sources = PassageSources(engine.memory.recall, engine.knowledge.passage_names, engine.episodes, near)
        asked = engine.knowledge.recall.read_question(past, question, sources.counter(question, view))
        found = engine.knowledge.recall.find(past, question, bounds, near, asked)
        others = engine.knowledge.recall.other_names(past, question)
        passages = find_passages(sources, asked, past, question, others, view, request.limit, cut=request.cut)
        passages = [one for one in passages if question.since <= one.episode.occurred_at < question.until]
        return _answer(engine, past, question, found, passages, request, view)

    found = engine.knowledge.read(find)
    if question.plan.intent in _REASONED and view == NOW:
        found = _with_reasons(engine, question, found, cut=request.cut)
    if problem:
        found = structs.replace(found, problems=(problem, *found.problems))
    return _write(engine, request, found)


def _with_reasons(engine: Engine, question: "KnowledgeQuestion", found: RecallAnswer, *, cut: bool) -> RecallAnswer:
    """Reasons that stand in files that the question finds: WHY comments and decision records, with their places."""
    from clew.knowledge.code_notes import find_reasons  # few questions need it

    if not engine.coverage().indexed or not engine.config.retrievers():
        return found
    elements, clean = Elements(engine.files), engine.new_scrubbing()
    hits = engine.search(Query(question.text, FILES_LOOKED_AT)).hits
    asked = engine.knowledge.read(lambda catalog: engine.knowledge.recall.read_question(catalog, question))
    near = near_of(engine)
    rows: list[KnowledgeRow] = []
    for path in dict.fromkeys(hit.path for hit in hits if not hit.stale):
        page = elements.page(path)
        text = elements.text(page).decode("utf-8", "replace") if page else ""
        for one in find_reasons(path, text):
            said = clean.text(f"{one.title}: {one.text}" if one.kind.startswith("decision") else one.text)
            evidence = asked.of(
                f"{said} {one.title} {path}", None if near is None else float(near(question.text, [said])[0])
            )
            if evidence >= ENOUGH or not cut:
                source = KnowledgeSource(path=path, line=one.line, note=one.kind)
                symbol = next((hit.symbol for hit in hits if _holds(hit, path, one.line)), "") or path
                rows.append(KnowledgeRow(
                    f"{path}:{one.line}", "fact", said, evidence=evidence, why=one.kind, code=symbol, source=source
                ))  # fmt: skip
    best = max([one.evidence for one in (*rows, *found.items)], default=0.0)
    kept = [one for one in rows if one.evidence >= NEAR_BEST * best or not cut][:MOST_REASONS]
    if not kept:
        return found
    items = tuple(sorted((*found.items, *kept), key=lambda one: -round(one.evidence, 2)))
    quoted = " ".join(f"{quote(one.text)} [{line(one.id)}, {one.why}]." for one in kept) if cut else ""
    answer = " ".join(filter(None, (found.answer if found.items else "", quoted))) if cut else found.answer
    return structs.replace(found, items=items, answer=answer, confidence=round(best, 3))


def _holds(hit: Hit, path: str, at: int) -> bool:
    """Whether a line lies in a hit, or just above it."""
    return hit.path == path and hit.first_line - LINES_ABOVE <= at <= hit.last_line


def _plan(engine: Engine, request: RecallRequest) -> tuple[QuestionPlan, str]:
    """The plan of the configured model, or of rules; and why the model did not plan."""
    model = chat_model(engine)
    if model is None:
        return plan(request.query), ""
    from clew.knowledge.model_steps import plan_by_model  # few configure one

    try:
        return plan_by_model(model, request.query), ""
    except ClewError as error:
        return plan(request.query), f"Rules planned: {error.message}."


def _write(engine: Engine, request: RecallRequest, found: RecallAnswer) -> RecallAnswer:
    """Let the configured model write the answer from the items; if it fails, the extracts stay."""
    model = chat_model(engine)
    if model is None or not (request.cut and found.items):
        return found
    from clew.knowledge.model_steps import write_by_model  # as above

    items = [
        (one.id, " ".join(filter(None, (one.text, one.description, one.occurred_at, one.valid_from))))
        for one in found.items
    ]
    try:
        text = write_by_model(model, request.query, items)
    except ClewError as error:
        return structs.replace(found, problems=(*found.problems, f"Extracts answer: {error.message}."))
    return structs.replace(found, answer=line(text), written_by=f"model {model.model}")


def _answer(
    engine: Engine,
    catalog: KnowledgeCatalog,
    question: "KnowledgeQuestion",
    found: "RecallFindings",
    passages: "Sequence[PassageHit]",
    request: RecallRequest,
    view: AsOf,
) -> RecallAnswer:
    from clew.knowledge.answering import NOTHING, write_answer
    from clew.knowledge.passages import cut_passages

    reader, kept, missed = question.reader, list(found.items), list(found.misses)
    if request.cut and not (question.past or question.plan.asks_past):
        kept, missed = _without_replaced(engine, kept, missed, passages)
    shown, near = cut_passages(passages, kept)
    if not request.cut:
        kept, missed, shown, near = [*kept, *missed], [], list(passages[: request.limit]), []
    best = max([one.evidence for one in kept] + [one.evidence for one in shown], default=0.0)
    if request.cut:
        kept = [one for one in kept if one.evidence >= NEAR_BEST * best]
    facts = [one.record for one in kept if not one.superseded]
    conflicts = conflicts_of(engine, facts)
    against = _contradictions(conflicts)
    rows = [(one.evidence, item_row(catalog, reader, one, against.get(one.record.id, ()))) for one in kept]
    rows += [(one.evidence, _passage_row(one)) for one in shown]
    rows += [(0.9 * one.evidence, row) for one in kept for row in _code_rows(catalog, reader, one, question.plan)]
    if request.cut:
        rows.sort(key=lambda one: -round(one[0], 2))
    items = tuple({row.id: row for _, row in reversed(rows)}.values())[::-1][: request.limit]
    misses = [item_row(catalog, reader, one) for one in missed] + [_passage_row(one) for one in near]
    written = write_answer(kept, question.plan.intent) if request.cut and kept else ""
    quoted = " ".join(_quote_passage(one) for one in shown[:3]) if request.cut else ""
    text = " ".join(filter(None, (written, quoted))) or (NOTHING if request.cut else "")
    return RecallAnswer(
        answer=text,
        confidence=round(best, 3) if items else 0.0,
        intent=str(question.plan.intent),
        items=items,
        nearest_misses=tuple(misses[:3]),
        conflicts=tuple(_conflict(one) for one in conflicts),
        views=tuple(ViewReport(str(one.name), len(one.nodes), one.skipped, one.stopped) for one in found.views),
        weights={str(name): weight for name, weight in question.plan.weights.items()},
        seeds=found.seeds,
        planned_by=question.plan.planned_by,
        reason=question.plan.reason,
        fallback=found.fallback,
    )


def _without_replaced(
    engine: Engine,
    kept: "Sequence[KnowledgeItem]",
    missed: "Sequence[KnowledgeItem]",
    passages: "Sequence[PassageHit]",
) -> "tuple[list[KnowledgeItem], list[KnowledgeItem]]":
    """Knowledge without what was taken from a text that a later text of the same readers replaces."""
    from clew.knowledge.passages import inherit

    texts: dict[tuple[str, str], tuple[str, int]] = {}
    for hit in passages:
        texts["", hit.episode.id] = hit.episode.draft.content, hit.episode.occurred_at
    for item in (*kept, *missed):
        origin = item.record.body.origin
        if origin.quote:
            at = item.record.valid_from or item.record.known_from
            texts.setdefault((item.record.owner, origin.quote), (origin.quote, at))
        elif origin.episode and ("", origin.episode) not in texts and (episode := engine.episodes.get(origin.episode)):
            texts["", origin.episode] = episode.draft.content, episode.occurred_at
    gone: set[tuple[str, str]] = set()
    rated: dict[tuple[str, str], float] = {}
    for owner in dict.fromkeys(owner for owner, _ in texts):
        own = [one for one in texts if one[0] == owner]
        best = [max((item.evidence for item in (*kept, *missed) if _text_key(item) == one), default=0.0) for one in own]
        passed, replaced = inherit([texts[one] for one in own], best)
        gone.update(own[place] for place in replaced)
        rated |= dict(zip(own, passed, strict=True))
    items = [one for one in (*kept, *missed) if _text_key(one) not in gone]
    raised = [
        structs.replace(one, evidence=max(one.evidence, rated.get(_text_key(one), 0.0)))
        if one.record.kind in _TOLD
        else one
        for one in items
    ]
    chosen = {one.record.id for one in kept}
    least = max(ENOUGH, NEAR_BEST * max((one.evidence for one in raised), default=0.0))
    shown = [one for one in raised if one.record.id in chosen or (one.record.kind in _TOLD and one.evidence >= least)]
    ids = {one.record.id for one in shown}
    return shown, [one for one in raised if one.record.id not in ids]


def _text_key(item: "KnowledgeItem") -> tuple[str, str]:
    """The text that an item was taken from, with its owner."""
    origin = item.record.body.origin
    return (item.record.owner, origin.quote) if origin.quote else ("", origin.episode)


def _code_rows(
    catalog: KnowledgeCatalog, reader: KnowledgeReader, item: "KnowledgeItem", asked: QuestionPlan
) -> list[KnowledgeRow]:
    """The code that causes in an answer affect."""
    if item.record.kind is not KnowledgeKind.CAUSE:
        return []
    linked = catalog.links(item.record.id, reader, (KnowledgeKind.AFFECTS,))
    found = [catalog.get(other, reader) for _, other in linked]
    return [
        structs.replace(
            _row(one), why=f"affected by {quote(item.record.title)}", evidence=round(0.9 * item.evidence, 6)
        )
        for one in found
        if one is not None and one.body.code
    ]


def _row(record: KnowledgeRecord) -> KnowledgeRow:
    from clew.tools.knowledge_answers import row_of

    return row_of(record)


def _passage_row(hit: "PassageHit") -> KnowledgeRow:
    episode = hit.episode
    why = f"says {', '.join(hit.words)}" if hit.words else "stands beside what says it"
    return KnowledgeRow(
        id=episode.id,
        kind="episode",
        text=episode.draft.content,
        score=hit.score,
        evidence=hit.evidence,
        occurred_at=to_iso(episode.occurred_at),
        superseded=hit.superseded,
        path=f"led to by the name {quote(hit.name)}" if hit.name else "",
        why=f"an error about the code of decision {hit.behind}" if hit.behind else why,
        agent_id=episode.who.agent_id,
        recorded_at=to_iso(episode.recorded_at),
        source=KnowledgeSource(episode=episode.id, note=str(episode.draft.type)),
        code=next((one.id for one in episode.subjects), ""),
    )


def _quote_passage(hit: "PassageHit") -> str:
    episode = hit.episode
    lead = "Because: " if hit.behind else ""
    day = to_iso(episode.occurred_at)[:10]
    return f"{lead}{quote(episode.draft.content)} ({day}) [{quote(episode.who.agent_id)}, episode {episode.id}]."


def _contradictions(pairs: Sequence[tuple[KnowledgeRecord, KnowledgeRecord]]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for one, other in pairs:
        found[one.id] = (*found.get(one.id, ()), other.id)
        found[other.id] = (*found.get(other.id, ()), one.id)
    return found


def _conflict(pair: tuple[KnowledgeRecord, KnowledgeRecord]) -> KnowledgeConflict:
    """The better confirmed one first, then the more confident, then the later recorded."""
    first, second = sorted(pair, key=lambda one: (-one.body.strength, -one.body.confidence, -one.known_from, one.id))
    if first.body.strength != second.body.strength:
        because = f"it was confirmed {first.body.strength} times"
    elif first.body.confidence != second.body.confidence:
        because = "its source is more confident"
    else:
        because = "it was recorded later"
    texts = tuple(f"{quote(one.title)} by {one.who.agent_id}" for one in (first, second))
    return KnowledgeConflict((first.id, second.id), texts, because)
