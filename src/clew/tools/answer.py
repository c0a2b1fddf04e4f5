"""One call, answered: the same envelope on every surface."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from clew.engine import Engine, new_id, now
from clew.index.rules import is_taken_over
from clew.model.agents import Identity
from clew.model.errors import BudgetExceeded, ClewError, Denied, InvalidInput, StoreCorrupt, StoreNewer
from clew.model.run import Mode
from clew.model.time import to_iso
from clew.store.opening import note_memory
from clew.store.usage import Use
from clew.text.escaping import line
from clew.text.tokens import estimate
from clew.tools.budget import LIMITS, Budget, Form, fit, render
from clew.tools.deliveries import Deliveries
from clew.tools.registry import COMMON, DATED, AnswerLimits, Beside, Summarized, Tool, find
from clew.workspaces import Workspaces

# The files that this process was loaded from: an upgrade may put others in their place while it runs.

_PACKAGE = Path(__file__).parent.parent
_FILES = (_PACKAGE / "__init__.py", _PACKAGE / "index" / "rules.py")


def _marks() -> list[tuple[int, int]]:
    try:
        return [(stat.st_ino, stat.st_mtime_ns) for stat in (file.stat() for file in _FILES)]
    except OSError:  # gone, or in an archive
        return []


_LOADED = _marks()


def is_replaced() -> bool:
    """Whether the installed package changed since the start: modules loaded from now on may not fit."""
    return _marks() != _LOADED


log = logging.getLogger(__name__)

_STAND_IN = "tools_call"
_ROOM = "max_tokens"  # the smaller counts, where a call and what it calls both say one
_FRESHNESS, _TIMES = "freshness", ("sweep_ms", "refresh_ms")


Rooms = Callable[[Tool, Any, Engine | None], AnswerLimits]


class Reply(Struct, frozen=True):
    """An envelope, and what surfaces report beside it."""

    body: bytes
    ok: bool
    status: int
    exit_code: int


class Caller(Struct, frozen=True):
    """Who calls: the projects they may reach, whether they may write, who they are unless they say otherwise, which
    tools are in their list, if they have one, and what their connection was already sent, if it is one."""

    workspaces: Workspaces
    read_only: bool = False
    identity: Identity = Identity()
    listed: frozenset[str] = frozenset()
    deliveries: Deliveries | None = None


class Done(Struct, frozen=True):
    """A tool that ran: with which arguments, on which project unless on none, and what it returned."""

    tool: Tool
    params: Any
    engine: Engine | None
    result: Summarized
    said: str

    @property
    def wrote(self) -> bool:
        return self.tool.writes(self.params)


def answer(caller: Caller, name: str, arguments: Mapping[str, object], *, typed: bool = False) -> Reply:
    """Run a tool and wrap what it returns, or why it could not. Never raises but for what ends the process.

    `typed`: the whole value as the library returns it, cut only if the caller named a budget.
    """
    try:
        return Reply((_value if typed else _run)(caller, name, arguments), True, 200, 0)
    except ClewError as error:
        return failure(error)
    except Exception as error:
        log.exception("tool %s failed", name)
        hint = "Clew was upgraded while this process ran: restart it." if is_replaced() else ""
        return failure(ClewError(f"{name} failed: {type(error).__name__}", hint))


def perform(caller: Caller, name: str, arguments: Mapping[str, object], room: "Rooms | None" = None) -> Done:
    """Find the tool, check its arguments and run it; raises what every surface reports."""
    tool, arguments = resolve(name, arguments)
    params: Any = tool.parse(arguments)
    if caller.read_only and tool.writes(params):
        instead = f", or leave out {', '.join(tool.writes_if.split())}" if tool.writes_if else ""
        hint = f"Open or serve it without read-only{instead}."
        raise Denied(f"{tool.name} writes, and only reading is allowed here", hint)
    try:
        return _run_tool(caller, tool, params, room or _own)
    except StoreCorrupt:
        if getattr(params, "mode", None) is not Mode.FULL:  # who has everything made anew has it mended, too
            raise
    from clew.projects import mend  # seldom needed

    mend(caller.workspaces.start(params.project), in_doubt=True)
    return _run_tool(caller, tool, params, room or _own)


def _run_tool(caller: Caller, tool: Tool, params: Any, room: "Rooms") -> Done:
    engine = (
        None if tool.connection else caller.workspaces.get(params.project, create=tool.from_git or tool.writes(params))
    )
    if engine and tool.writes(params):
        engine.be_writable()
    engine, params = _of_the_past(tool, params, engine)
    beside = Beside(room(tool, params, engine), caller.identity, caller.listed)
    with _upgrades_told(engine):
        result, said = tool.invoke(engine or caller.workspaces, params, beside)
        if engine and tool.writes(params):
            note_memory(engine.place, engine.db)
    return Done(tool, params, engine, result, said)


def _of_the_past(tool: Tool, params: Any, engine: Engine | None) -> tuple[Engine | None, Any]:
    """The engine for the time that the call names; a tool that reads the history itself keeps its engine."""
    as_of, known = getattr(params, "as_of", ""), getattr(params, "known_as_of", "")
    if engine is None or not (as_of or known):
        return engine, params
    if tool.writes(params):
        raise InvalidInput(f"{tool.name} cannot write into the past", "Leave as_of and known_as_of out.")
    if not tool.apart:
        return engine, params
    state = engine.past_states.find(as_of, known)
    if state is None and "as_of" not in tool.apart and "-" in as_of:  # a time to come, which the record answers of
        return engine, params
    if state and state.is_recorded and "as_of" not in tool.apart:
        return engine, msgspec.structs.replace(params, as_of=to_iso(state.at.valid))
    now_asked = {name: "" for name in ("as_of", "known_as_of") if hasattr(params, name)}
    return (engine.past_engine(state) if state else engine), msgspec.structs.replace(params, **now_asked)


@contextmanager
def _upgrades_told(engine: Engine | None) -> Iterator[None]:
    """Report an upgrade of the store by a newer Clew as such, instead of as damage."""
    try:
        yield
    except Exception as error:
        strange = isinstance(error, StoreCorrupt) or not isinstance(error, ClewError)
        if strange and engine and is_taken_over(engine.checkouts.state(engine.where)):
            raise StoreNewer("a newer Clew has taken over the index since this process began") from error
        raise


def fit_result(done: Done) -> Summarized:
    """What a tool returned, its lists cut to the budget if the caller named one."""
    budget = done.tool.budget_of_caller(done.params)
    if budget is None or done.tool.fits_itself:
        return done.result
    envelope = _envelope(done, budget, done.engine)
    kept = msgspec.json.decode(fit(envelope, done.tool.shape, budget, wrote=done.wrote))["data"]
    return msgspec.convert({**envelope["data"], **kept}, type(done.result))


def _own(tool: Tool, params: Any, _: Engine | None) -> AnswerLimits:
    """Of a value that is not sent: as much as was asked for."""
    asked = tool.budget_of_caller(params)
    return AnswerLimits(asked.limit if asked else None)


def failure(error: ClewError) -> Reply:
    envelope = {"ok": False, "summary": line(error.message), "profile": "compact", "_tokenEstimate": 0}
    body, _ = render({**envelope, "errorCode": error.code, "hint": line(error.hint)})
    return Reply(body, False, error.status, error.exit_code)


def resolve(name: str, arguments: Mapping[str, object]) -> tuple[Tool, Mapping[str, object]]:
    """The tool to run: `tools_call` stands for the one that it names."""
    tool = find(name)
    if name != _STAND_IN:
        return tool, arguments
    params: Any = tool.parse(arguments)
    if params.name == _STAND_IN:
        raise InvalidInput("tools_call cannot call itself", "Name the tool itself.")
    common = {name: value for name in COMMON if (value := getattr(params, name))}
    both = {**common, **params.arguments}
    room = [one[_ROOM] for one in (common, params.arguments) if isinstance(one.get(_ROOM), int)]
    return find(params.name), {**both, _ROOM: min(room)} if len(room) > 1 else both


def _value(caller: Caller, name: str, arguments: Mapping[str, object]) -> bytes:
    result = fit_result(perform(caller, name, arguments))
    head = {"ok": True, "summary": line(result.summary()), "profile": "typed", "_tokenEstimate": 0}
    body, _ = render({**head, "type": type(result).__name__, "data": result})
    return body


def _run(caller: Caller, name: str, arguments: Mapping[str, object]) -> bytes:
    started = time.perf_counter()

    def limits_of_answer(tool: Tool, params: Any, engine: Engine | None) -> AnswerLimits:
        budget = _budget(tool, params, engine)
        return AnswerLimits(
            budget.limit,
            lambda result: render(
                _envelope(
                    Done(tool, params, engine, result, result.summary()), budget, engine, _concise(tool, params, budget)
                )
            )[1],
            budget.profile == "debug",
        )

    done = perform(caller, name, arguments, limits_of_answer)
    tool, engine = done.tool, done.engine
    budget = _budget(tool, done.params, engine)
    concise = _concise(tool, done.params, budget)
    try:
        body = fit(_envelope(done, budget, engine, concise), tool.shape, budget, wrote=done.wrote)
    except BudgetExceeded:
        if tool.budget_of_caller(done.params) or budget.profile != "compact":
            raise
        budget = Budget("balanced", LIMITS["balanced"])  # who named no budget wants an answer
        body = fit(_envelope(done, budget, engine, concise), tool.shape, budget, wrote=done.wrote)
    spared = 0
    if caller.deliveries and engine and not done.params.repeat:
        body, spared = caller.deliveries.refer(body, tool.name, caller.identity, engine.place)
    elif caller.deliveries and engine:
        caller.deliveries.note(body, tool.name, caller.identity, engine.place)
    if engine and engine.writable and engine.config.metrics.enabled and not caller.read_only:
        latency = int((time.perf_counter() - started) * 1_000_000) - _apart(done.result)
        tokens = estimate(body.decode())
        hits = len(getattr(done.result, "hits", ()))
        try:
            counts, who = engine.take_search_counts(), caller.identity.agent_id
            engine.usage_log.add(Use(new_id(), now(), tool.name, who, latency, tokens, hits, counts, spared))
        except ClewError as error:  # how often a question was asked is not worth failing its answer
            log.warning("usage was not recorded: %s", error.message)
    return body


def _budget(tool: Tool, params: Any, engine: Engine | None) -> Budget:
    return tool.budget(params, engine.config.budget.default_max_tokens if engine else LIMITS["balanced"] or 0)


def _apart(result: Summarized) -> int:
    """Microseconds that went into a fresh index, which is not the question's own time."""
    fresh = getattr(result, _FRESHNESS, None)
    return int(sum(getattr(fresh, name, None) or 0 for name in _TIMES) * 1000)


def _concise(tool: Tool, params: Any, budget: Budget) -> Form | None:
    """The tool's form without rarely needed fields; None if the caller asked for everything."""
    return None if budget.profile == "debug" or getattr(params, "explain", False) else tool.shape.concise


def _time_of(done: Done, engine: Engine | None) -> str:
    """The past time that is answered about, as people read it; empty: the present."""
    times = [getattr(done.params, name, "") for name in DATED]
    if engine is None or engine.as_of or done.tool.apart or not any(times):
        return engine.as_of if engine else ""
    state = engine.past_states.find(*times)
    return state.label if state else ""


def _envelope(done: Done, budget: Budget, engine: Engine | None, concise: Form | None = None) -> dict[str, Any]:
    """Answer first: large parts come last. Figures about the run, which differ each time, are for debugging.

    `notices` are present only if there are any: settings of the repository that are ignored, as they are not trusted.
    """
    head: dict[str, Any] = {
        "ok": True,
        "summary": line(done.said),
        "profile": budget.profile,
        "_tokenEstimate": 0,
    }
    if as_of := _time_of(done, engine):
        head["as_of"] = as_of
    if engine and engine.place.notices:
        head["notices"] = [line(one) for one in engine.place.notices]
    data = msgspec.to_builtins(done.result)
    if _FRESHNESS in data and budget.profile != "debug":
        fresh = {name: value for name, value in data.pop(_FRESHNESS).items() if name not in _TIMES}
        data |= {_FRESHNESS: fresh} if fresh else {}
    return {**head, "data": concise(data) if concise else data}
