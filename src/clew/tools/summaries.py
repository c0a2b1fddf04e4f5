"""Summaries of code by the model of the client that calls."""

from typing import Annotated

from msgspec import Meta, Struct

from clew.engine import Engine
from clew.model.errors import InvalidInput
from clew.runtime.sampling import find_sample
from clew.tools.freshness import count_of
from clew.tools.registry import Effect, tool


class SummariesWritten(Struct, frozen=True):
    """How many summaries were written; `missing` have none yet and keep those that are derived from the code."""

    written: int
    missing: int

    def summary(self) -> str:
        rest = f" {count_of(self.missing, 'piece has', 'pieces have')} none yet." if self.missing else ""
        return f"{count_of(self.written, 'summary', 'summaries')} written.{rest}"


@tool(Effect.WRITE, toolset="context", also="summary summarize describe sentence model sampling")
def summarize_code(
    engine: Engine,
    limit: Annotated[int, Meta(ge=1, le=500, description="At most so many; the most used code first.")] = 40,
) -> SummariesWritten:
    """Let your own model summarize code that has no summary (MCP sampling); searches use the sentences."""
    from clew.text.summarizer import sampled_summaries
    from clew.tools.summarizing import find_missing, keep_summaries

    sample = find_sample()
    if sample is None:
        raise InvalidInput(
            "this client lends no model",
            "Only a client on standard streams with the capability `sampling` can; or set base_url under [summaries], "
            "and run `clew summarize`.",
        )
    engine.require_index()
    engine.refresh()
    lacking, wanted = find_missing(engine, 0)
    chosen = lacking[:limit]
    written = keep_summaries(engine, sampled_summaries(chosen, sample), wanted, lambda done: None)
    return SummariesWritten(written, len(lacking) - written)
