"""Usage and its cost: per tool, agent and day, with the languages of the index.

The saving is an estimate: each hit of a question counts as one file of average size that was not read as a whole.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from clew.engine import Engine, now
from clew.model.time import to_iso
from clew.store.usage import Use

DAY = 86_400_000_000  # microseconds
TOKENS_PER_LINE = 10  # of code, on average


class UsageLine(Struct, frozen=True):
    """Calls of one tool, agent or day; times in milliseconds."""

    name: str
    calls: int
    tokens: int
    hits: int
    mean_ms: float
    p95_ms: float


class LanguageLine(Struct, frozen=True):
    name: str
    files: int
    chunks: int


class UsageReport(Struct, frozen=True):
    since: str
    until: str
    total: UsageLine
    tools: tuple[UsageLine, ...]
    agents: tuple[UsageLine, ...]
    days: tuple[UsageLine, ...]
    languages: tuple[LanguageLine, ...]
    tokens_per_file: int
    tokens_of_whole_files: int  # of the hits, had each been read as a whole
    tokens_saved: int
    tokens_not_repeated: int = 0  # of code that sessions had been sent before


def report(engine: Engine, days: float) -> UsageReport:
    """The uses of the last days, and the languages of the index as it is."""
    engine.usage_log.flush()
    until = now()
    since = until - int(days * DAY)
    if engine.writable:
        engine.usage.forget(until - engine.config.metrics.keep_days * DAY)
    uses = engine.usage.since(since)
    totals = engine.files.totals()
    per_file = totals.lines * TOKENS_PER_LINE // max(totals.files, 1)
    asked = [use for use in uses if use.hits]
    whole = per_file * sum(use.hits for use in asked)
    return UsageReport(
        since=to_iso(since),
        until=to_iso(until),
        total=_line("all", uses),
        tools=_group((use.op, use) for use in uses),
        agents=_group((use.agent or "unknown", use) for use in uses),
        days=tuple(sorted(_group((to_iso(use.at)[:10], use) for use in uses), key=lambda one: one.name)),
        languages=tuple(LanguageLine(name, *counts) for name, counts in engine.files.languages().items()),
        tokens_per_file=per_file,
        tokens_of_whole_files=whole,
        tokens_saved=max(0, whole - sum(use.tokens for use in asked)),
        tokens_not_repeated=sum(use.spared for use in uses),
    )


def _group(named: Iterable[tuple[str, Use]]) -> tuple[UsageLine, ...]:
    """By name; the most calls first."""
    groups: dict[str, list[Use]] = {}
    for name, use in named:
        groups.setdefault(name, []).append(use)
    return tuple(sorted((_line(name, uses) for name, uses in groups.items()), key=lambda one: (-one.calls, one.name)))


def _line(name: str, uses: Sequence[Use]) -> UsageLine:
    times = sorted(use.latency / 1000 for use in uses)
    return UsageLine(
        name=name,
        calls=len(uses),
        tokens=sum(use.tokens for use in uses),
        hits=sum(use.hits for use in uses),
        mean_ms=round(sum(times) / len(times), 2) if times else 0.0,
        p95_ms=round(times[(95 * (len(times) - 1) + 99) // 100], 2) if times else 0.0,
    )
