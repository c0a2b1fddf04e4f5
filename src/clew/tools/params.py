"""Parameter types that many tools share, described once."""

from typing import Annotated, Literal

from msgspec import Meta

Profile = Literal["compact", "balanced", "debug"]

MOST_TEXT = 1_000_000  # characters; of very long ones, the beginning and the end are read
Text = Annotated[str, Meta(min_length=1, max_length=MOST_TEXT, description="A question, words, or a symbol's name.")]
Limit = Annotated[int, Meta(ge=1, le=100, description="Maximum number of results.")]
Offset = Annotated[int, Meta(ge=0, le=100_000, description="Skip this many results.")]
Patterns = Annotated[
    tuple[Annotated[str, Meta(max_length=4096)], ...],
    Meta(description="Files, folders or globs, relative to the root."),
]
Score = Annotated[float, Meta(ge=0, le=1, description="Drop results with a lower score.")]
Explain = Annotated[bool, Meta(description="Also show scores, ids, offsets and all reasons.")]
Weight = Annotated[float, Meta(ge=0, le=1)]
ElementName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=2000,
        description="An id such as src/pay.py::Card::charge, a name, file:line, or a question.",
    ),
]
Moment = Annotated[
    str,
    Meta(
        max_length=200,
        description="Answer as of this ISO time, '3 days ago', commit, tag, branch, HEAD~30 or transaction.",
    ),
]
KnownMoment = Annotated[
    str, Meta(max_length=200, description="Use only what the index knew at this time (same forms).")
]
Types = Annotated[str, Meta(max_length=2000, description="Only these kinds, separated by commas.")]

Ids = Annotated[tuple[str, ...], Meta(max_length=200, description="Ids or names of its code.")]
AgentId = Annotated[str, Meta(max_length=200, description="Default: the client.")]
SessionId = Annotated[str, Meta(max_length=200, description="Default: this connection.")]

# What every tool takes besides its own parameters.
ProjectName = Annotated[str, Meta(description="Path or id of another project.")]
ProfileName = Annotated[
    Literal["compact", "balanced", "debug", "default"] | None,
    Meta(description="compact: 300 tokens, balanced: 1200, debug: no limit; default: the tool's own."),
]

Repeat = Annotated[bool, Meta(description="Also send code that this connection already received.")]
MaxTokens = Annotated[int, Meta(ge=1, le=10_000_000, description="Replaces the profile's limit.")] | None
