"""The answer of `context_pack`: a task's briefing as text, and the same as fields."""

import logging
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, structs

from clew.engine import Engine
from clew.graph.elements import Elements
from clew.graph.parts import LogicalSymbol, Things
from clew.model.agents import Identity
from clew.model.code import Edge, touch
from clew.model.errors import BudgetExceeded
from clew.model.search import Coverage
from clew.model.words import CLASSES, NAMELESS, Kind
from clew.pack.fitting import BYTES_PER_TOKEN, LINE, MOST, Cut, Measure, fit_steps, least
from clew.pack.items import FromMemory, Item, Noted, Section, ShownItem
from clew.pack.render import BARE, RENDERINGS, Format, render_pack
from clew.pack.slicing import CodeSlice, Sources, lines_in, slices
from clew.pack.slicing import SliceRequest as WantedSlice
from clew.pack.tasks import PackTask, Snippet, TaskContext, calculate_budget
from clew.store.links import is_unsure
from clew.text.tokens import estimate
from clew.tools.briefing_views import Briefing, CoreSymbol, DepEdge, DepItems, LeftOut, NextItem, PackItem
from clew.tools.freshness import MOST_ROUNDS, NOTHING_YET, FreshnessState, begun_by, changed_among, to_state
from clew.tools.memory_views import ClaimOutcome, claim_outcome, memory_fields, memory_view
from clew.tools.registry import AnswerLimits
from clew.tools.retrieval import describe_failures, passed_over
from clew.tools.service_lines import service_lines
from clew.tools.unindexed_files import ALL_READ, find_unindexed_files
from clew.tools.unknown_terms import MOST_UNKNOWN, describe_unknown_terms, find_unknown_terms

if TYPE_CHECKING:
    from clew.pack.briefing import BriefingRequest
    from clew.pack.plan import Plan
    from clew.store.corpus import Corpus

log = logging.getLogger(__name__)

MOST_CALLS = 2  # of a core symbol, each way, that a pack names; semantic_slice names more
_NUMBER = 999  # as long as that of any item
_AS_LONG_AS_ANY = 999_999  # stands in an answer of fields alone until its size is known
LONGEST_INTENT = 200  # characters of a task that become the intent of a claim
MOST_NEXT = 5  # items that are left out, which an explained pack names
MOST_PLACES = 3  # where else a thing is written


class RenderOptions(Struct, frozen=True):
    """What was asked for, beside the task: how to render it, and whether to tell everything that speaks for an item.

    `claim` is what the caller holds of it by now, if it asked for that; `others` are what the focus may mean as well.
    """

    format: Format
    explain: bool
    room: AnswerLimits
    claim: ClaimOutcome | None = None
    others: tuple[str, ...] = ()
    history: tuple[str, ...] = ()  # what git says to the task, if it asks for the past
    services: tuple[str, ...] = ()  # the service map, if it asks for that


def brief(engine: Engine, request: "BriefingRequest", options: RenderOptions) -> Briefing:
    """Plan, write, fit into the budget; once more if files that it quotes have changed since the last scan."""
    fresh, stale = engine.refresh(), frozenset[str]()
    coverage = engine.require_index()
    history = _history(engine, request.task, options.room.limit)
    services = service_lines(engine, request.task, options.room.limit)
    options = structs.replace(options, history=history, services=services)
    for _ in range(1 + MOST_ROUNDS):
        plan = engine.briefer.plan(request)
        writer = _Writer(engine, plan, request.task, options)
        start = writer.start(to_state(fresh, len(stale), begun_by(engine, fresh), stale_files=stale), coverage)
        done = writer.fit(start)
        changed = changed_among(engine, done.quoted)
        if changed <= stale:
            break
        late = engine.refresh_again(changed)
        fresh, coverage = fresh.and_then(late), engine.coverage()
        stale = frozenset() if late.refreshed else changed
    return done.briefing


def _history(engine: Engine, task: str, limit: int | None) -> tuple[str, ...]:
    """Facts of history where the task asks for them, in no more than a quarter of the room."""
    from clew.tools.past_answers import as_text, facts  # most tasks ask for none

    found = facts(engine, task)
    lines = as_text(found) if found else []
    while lines and limit is not None and estimate("\n".join(lines)) > limit // 4:
        lines.pop()
    return tuple(lines)


def claim_entry_point(engine: Engine, wanted: "BriefingRequest") -> ClaimOutcome | None:
    """Where to start becomes the caller's, unless another has it; None if there is nothing to start at."""
    from clew.coordinate.claims import Wish  # few callers claim

    engine.refresh()
    plan, asked = engine.briefer.plan(wanted), wanted.memory
    if not plan.best:
        return None
    wish = Wish(plan.best, wanted.task[:LONGEST_INTENT], plan.task or asked.task_id)
    return claim_outcome(engine.fleet.desk.claim(asked.who, wish))


def task_context(engine: Engine, task: PackTask, who: Identity) -> TaskContext:
    """C §5.1: a task's context inside of the budget that such a task has."""
    from clew.pack.briefing import BriefingRequest  # numpy is heavy, and most tools do not need it

    if not engine.config.enabled:
        return TaskContext.empty(task.id)
    budget = calculate_budget(task, engine.config.budget)
    if budget.is_large:
        log.warning("task %s: its context may take %d tokens of its prompt", task.id, budget.max_tokens)
    wanted = BriefingRequest(task.query, scope=task.scope, memory=FromMemory(who, task.id))
    pack = brief(engine, wanted, RenderOptions("xml", explain=True, room=AnswerLimits(budget.max_tokens)))
    snippets = tuple(_to_snippet(item) for item in pack.items)
    providers: dict[str, tuple[str, ...]] = {}
    for item in pack.items:
        for reason in item.reasons:
            providers[reason.retriever] = (*providers.get(reason.retriever, ()), item.chunk_id)
    return TaskContext(task.id, snippets, pack.token_estimate, providers, pack.text)


def _to_snippet(item: PackItem) -> Snippet:
    return Snippet(
        chunk_id=item.chunk_id,
        symbol=item.symbol,
        path=item.path,
        first_line=item.first_line,
        last_line=item.last_line,
        label=item.label,
        kind=item.kind,
        score=item.score,
        reason=item.reason,
        text=item.code or item.signature,
    )


class _Fitted(Struct, frozen=True):
    """A briefing inside of its budget, the files that it tells lines of, and whether it has code of where to start."""

    briefing: Briefing
    quoted: frozenset[str]
    shows_start: bool


class _Writer:
    """Writes the items of a plan into a briefing, as text or as fields, and knows the price of each."""

    def __init__(self, engine: Engine, plan: "Plan", task: str, options: RenderOptions) -> None:
        self._engine = engine
        self._task = task
        self._options = options
        self._rendering = RENDERINGS[options.format]
        self._sent = options.room.price is not None
        self._is_json = options.format == "json"
        self._in_fields = self._sent and self._is_json  # the answer is JSON already
        self._beside_text = self._sent and not self._is_json
        self._debug = self._sent and options.room.debug
        self._is_lean = False
        self._slices: dict[str, CodeSlice] = {}
        self._plan = plan
        about = Elements(engine.files).get(self._plan.around.about.id)
        self._is_text = about is not None and about.kind in NAMELESS and about.kind is not Kind.FILE  # has no edges

    def fit(self, start: Briefing) -> "_Fitted":
        """In full; where there is no room for the code to start at, lean: that code in place of everything else."""
        limit = self._options.room.limit or MOST
        made = self._fit_within(start, limit)
        if self._sent and start.entry_point and (made is None or not made.shows_start):
            self._be_lean()
            lean = self._fit_within(start, limit)
            made = lean if lean is not None and (made is None or lean.shows_start) else made
        if made is None:
            enough = least(self._plan.entries, _BriefingMeasure(self, start, limit))
            made = self._fit_within(start, enough) if self._options.claim else None  # the claim is reported anyway
            if made is None:
                raise BudgetExceeded.of("a pack", limit, enough)
        return made

    def _be_lean(self) -> None:
        self._is_lean = True
        self._rendering = BARE[self._options.format]

    def _fit_within(self, start: Briefing, limit: int) -> "_Fitted | None":
        """None if not even an empty pack fits."""
        steps = self._plan.start_steps() if self._is_lean else self._plan.steps()
        cut = fit_steps(self._plan.entries, steps, _BriefingMeasure(self, start, limit))
        if cut is None:
            return None
        made = self.write(cut, start)
        quoted = frozenset(self._quoted_files(cut.shown, made))
        if self._in_fields and not self._is_lean:
            made = structs.replace(made, token_estimate=self.price(made))
        best = next((one for one in cut.shown if isinstance(one, ShownItem)), None)
        return _Fitted(made, quoted, best is not None and bool(best.code))

    def _quoted_files(self, shown: Sequence[ShownItem | Noted], made: Briefing) -> Iterator[str]:
        items = [one.item for one in shown if isinstance(one, ShownItem)]
        yield from (one.path for one in items)
        yield from (one.edge.path for one in items if one.edge)
        for one in made.core_symbols:
            yield from lines_in(one) if isinstance(one, CodeSlice) else ()

    def write(self, cut: Cut[ShownItem | Noted], start: Briefing) -> Briefing:
        start = self._count_dependents(start, cut.shown)
        said = start.summary() if cut.said and not self._sent else ""
        text = "" if self._in_fields else self._render(said, cut)
        items = [one for one in cut.shown if isinstance(one, ShownItem)]
        notes = [one for one in cut.shown if isinstance(one, Noted)]
        return structs.replace(
            start,
            items=tuple(self._row(one) for one in items),
            left_out=LeftOut(cut.left_items, cut.left_tokens, self._next(items)),
            about="" if self._is_lean else start.about,
            token_estimate=0 if self._is_lean else _AS_LONG_AS_ANY if self._in_fields else estimate(text),
            text=text,
            ppr_scores={one.item.id: one.item.ppr_score for one in items} if self._debug else {},
            **self._graph(items, notes),
            **memory_fields(notes, beside_text=self._beside_text),
        )

    def _render(self, said: str, cut: Cut[ShownItem | Noted]) -> str:
        beside = self._options.history, self._options.services
        return render_pack(self._rendering, said, cut.shown, cut.note(), *beside)

    def _next(self, items: Sequence[ShownItem]) -> tuple[NextItem, ...]:
        """The best of the omitted items."""
        from clew.pack.plan import Entry  # numpy is heavy, and most tools do not need it

        if not self._options.explain:
            return ()
        shown = {one.item.id for one in items}
        left = (one for one in self._plan.entries if isinstance(one, Entry) and one.id not in shown)
        return tuple(NextItem(one.id, (LINE + one.size) // BYTES_PER_TOKEN) for one in islice(left, MOST_NEXT))

    def _count_dependents(self, start: Briefing, shown: Sequence[ShownItem | Noted]) -> Briefing:
        """With the number of dependents that the task asks for, and how many of them are shown."""
        asked = self._plan.around.asked
        about = self._plan.around.about
        if not about.id:
            return start
        there = {one.item.id for one in shown if isinstance(one, ShownItem)} & asked.keys()
        unsure = sum(map(is_unsure, asked.values()))
        counts = f"Dependents known: {len(asked)}, {f'{unsure} of them unsure, ' if unsure else ''}here {len(there)}."
        counts = counts if asked or not self._is_text else "Who reads it is found by its words alone."
        others = "" if self._plan.context.named else _namesakes(about.others)
        return structs.replace(start, notes=" ".join(filter(None, [start.notes, counts, others])))

    def _graph(self, items: Sequence[ShownItem], notes: Sequence[Noted]) -> dict[str, Any]:
        """A §5.2's `core_symbols` and `dependencies`; without them where there is no room."""
        if self._is_lean:
            return {}
        numbers = {one.item.id: i for i, one in reversed([*enumerate(items)])}
        edges = [one.item.edge for one in items if one.item.edge]
        if self._is_json:
            slices = tuple(self._with_notes(one, notes) for one in items if _is_core(one))
            return {"core_symbols": slices, "dependencies": tuple(map(_to_edge, edges))}
        core = [(i, one) for i, one in enumerate(items) if _is_core(one)]
        return {
            "core_symbols": tuple(self._number_symbol(i, one, notes) for i, one in core),
            "dependencies": tuple(DepItems(e.kind, numbers.get(e.source), numbers.get(e.target)) for e in edges),
        }

    def _number_symbol(self, number: int, shown: ShownItem, notes: Sequence[Noted]) -> CoreSymbol:
        since = self._slice(shown).valid_from if self._debug else None
        return CoreSymbol(number, **_about(shown, notes, number=True), valid_from=since)

    def _with_notes(self, shown: ShownItem, notes: Sequence[Noted]) -> CodeSlice:
        return structs.replace(self._slice(shown), **_about(shown, notes, number=False))

    def _slice(self, shown: ShownItem) -> CodeSlice:
        """With the nearest of its callers and calls."""
        item = shown.item
        if item.chunk_id not in self._slices:
            sources = Sources(self._engine.place.root, self._engine.files, self._engine.nodes, self._corpus)
            wanted = [WantedSlice(item.id, item.ppr_score)]
            made = slices(sources, wanted, "with-deps")
            self._slices[item.chunk_id] = made[0].slice if made else _bare(item)
        whole = self._slices[item.chunk_id]
        return structs.replace(
            whole,
            file=item.path,
            start_line=item.first_line,
            end_line=item.last_line,
            code=shown.code or shown.title,
            elided=shown.elided,
            signature="",
            summary_line="",
            valid_from=None if self._in_fields and not self._debug else whole.valid_from,
            incoming_callers=whole.incoming_callers[:MOST_CALLS],
            outgoing_calls=whole.outgoing_calls[:MOST_CALLS],
        )

    def _corpus(self) -> "Corpus":
        return self._plan.context.web.corpus

    def _row(self, shown: ShownItem) -> PackItem:
        """In full where nobody counts; beside a text, only what that does not say in a form that programs read."""
        item = shown.item
        row = PackItem(
            item.id, "" if self._beside_text else item.path, item.first_line, item.last_line, stale=shown.stale
        )
        if self._is_lean:
            row = structs.replace(row, path="", code=shown.code if self._in_fields else "")
        elif self._in_fields:
            told = {} if _is_core(shown) else {"code": shown.code} if shown.code else {"signature": shown.title}
            row = structs.replace(row, section=item.section.value, reason=item.reason, **told)
        elif not self._sent:
            row = structs.replace(
                row,
                chunk_id=item.chunk_id,
                kind=item.kind.value,
                label=item.label,
                signature=shown.title,
                section=item.section.value,
                form=("elided" if shown.elided else "whole") if shown.code else "line",
                reason=item.reason,
                score=item.score,
                ppr_score=item.ppr_score,
                code=shown.code,
            )
        return structs.replace(row, reasons=item.reasons) if self._options.explain else row

    def price(self, pack: Briefing) -> int:
        """As it is sent; of a value in this process, its text."""
        price = self._options.room.price
        return price(pack) if price else estimate(pack.text)

    def price_item(self, shown: ShownItem | Noted) -> int:
        if isinstance(shown, Noted):
            return self._price_note(shown)
        if not self._sent:
            return estimate(self._rendering.item(shown))
        if self._is_lean:
            return _json_price(self._row(shown)) + (0 if self._in_fields else _json_price(self._rendering.item(shown)))
        edge, row = shown.item.edge, _json_price(self._row(shown))
        if self._in_fields:
            row += _json_price(self._slice(shown)) if _is_core(shown) else 0
            return row + (_json_price(_to_edge(edge)) if edge else 0)
        row += _json_price(CoreSymbol(_NUMBER)) if _is_core(shown) else 0
        row += _json_price(DepItems(edge.kind, _NUMBER, _NUMBER)) if edge else 0
        return row + _json_price(self._rendering.item(shown))

    def _price_note(self, noted: Noted) -> int:
        if not self._sent:
            return estimate(self._rendering.note(noted))
        row = _json_price(memory_view(noted, beside_text=self._beside_text))
        return row if self._in_fields else row + _json_price(self._rendering.note(noted))

    def price_heading(self, section: Section) -> int:
        return self._price_text(self._rendering.heading(section))

    def price_summary(self, start: Briefing) -> int:
        """Nothing where the summary stands beside the text."""
        return (
            0
            if self._sent
            else self._price_text(self._rendering.render_summary(self._count_dependents(start, ()).summary()))
        )

    def _price_text(self, text: str) -> int:
        return _json_price(text) if self._sent else estimate(text)

    def start(self, fresh: FreshnessState, coverage: Coverage) -> Briefing:
        """An empty briefing: the code to start at, and the limits of the index."""
        best = self._plan.best
        elements = Elements(self._engine.files)
        known = Things(self._engine.nodes, self._engine.links, elements).one(best) if best else None
        context = self._plan.context
        nothing = coverage.partial and not coverage.indexed
        in_all = not (coverage.partial or fresh.pending or fresh.unchecked)
        left = find_unindexed_files(self._engine) if context.unknown else ALL_READ
        few = find_unknown_terms(self._engine, self._task, context.unknown)
        lost = describe_unknown_terms(context.unknown, few, found=bool(best), in_all=in_all, left=left)
        if self._plan.around.about.id:  # the graph answers the question: its other words are not looked for
            lost = ""
        told = lost, passed_over(self._task), describe_failures(context.failed), fresh.unseen()
        notes = [_or_else(self._options.others), _elsewhere(known), *((NOTHING_YET,) if nothing else told)]
        return Briefing(
            entry_point=best,
            about=known.element.summary if known else "the best match",
            items=(),
            left_out=LeftOut(0, 0),
            token_estimate=0,
            notes=" ".join(filter(None, notes)),
            unknown_words=context.unknown[:MOST_UNKNOWN],
            near=few.near,
            failed=context.failed,
            claim=self._options.claim,
            history=() if self._beside_text else self._options.history,
            services=() if self._beside_text else self._options.services,
        )


class _BriefingMeasure(Measure[ShownItem | Noted]):
    """The prices of a briefing within a limit."""

    def __init__(self, writer: _Writer, start: Briefing, limit: int) -> None:
        self._writer = writer
        self._start = start
        self.limit = limit
        self.summary = writer.price_summary(start)

    def whole(self, cut: Cut[ShownItem | Noted]) -> int:
        return self._writer.price(self._writer.write(cut, self._start))

    def item(self, shown: ShownItem | Noted) -> int:
        return self._writer.price_item(shown)

    def heading(self, section: Section) -> int:
        return self._writer.price_heading(section)


def _or_else(others: Sequence[str]) -> str:
    """The sentence about an ambiguous focus; the pack begins with the chosen one."""
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    return f"The focus may also be {others[0]}{more}." if others else ""


def _namesakes(others: Sequence[str]) -> str:
    """A rename may concern another element of that name: its dependents are not in this pack."""
    more = f" and {len(others) - MOST_PLACES} more" if len(others) > MOST_PLACES else ""
    has = "has" if len(others) == 1 else "have"
    named = f"{', '.join(others[:MOST_PLACES])}{more} {has} that name too"
    return f"{named}: as focus, it is asked about instead." if others else ""


def _elsewhere(thing: LogicalSymbol | None) -> str:
    """Where else the class is written that the pack begins with."""
    is_class = thing is not None and thing.element.kind in CLASSES
    places = [one.place for one in thing.parts if one.id not in thing.roots] if thing and is_class else []
    more = f" and {len(places) - MOST_PLACES} more places" if len(places) > MOST_PLACES else ""
    return f"It goes on in {', '.join(places[:MOST_PLACES])}{more}." if places else ""


def _is_core(shown: ShownItem) -> bool:
    return shown.item.section is Section.CORE


def _to_edge(edge: Edge) -> DepEdge:
    return DepEdge(edge.source, edge.target, edge.kind, edge.path, edge.line, edge.confidence)


def _about(shown: ShownItem, notes: Sequence[Noted], *, number: bool) -> dict[str, Any]:
    """The decisions and learnings of the pack that are about an item, by number or by id."""
    found = {}
    for name, section in (("relevant_decisions", Section.DECISIONS), ("relevant_learnings", Section.LEARNINGS)):
        own = [one.note for one in notes if one.section is section]
        about = [i for i, one in enumerate(own) if any(touch(f.now or f.id, shown.item.id) for f in one.fates)]
        found[name] = tuple(about) if number else tuple(own[i].id for i in about)
    return found


def _bare(item: Item) -> CodeSlice:
    """For an item without a symbol: prose, or code outside of all symbols."""
    return CodeSlice(
        id=item.id,
        file=item.path,
        start_line=item.first_line,
        end_line=item.last_line,
        symbol_name=item.label,
        kind=item.kind,
        code="",
        language=item.language,
        ppr_score=item.ppr_score,
    )


def _json_price(value: object) -> int:
    return estimate(msgspec.json.encode(value).decode()) + 1
