"""Settings of the specification whose value Clew fixes: it is accepted, and any other is refused with the reason."""

from collections.abc import Mapping

from msgspec import DecodeError, Struct, json

from clew.model.errors import ConfigError


class FixedSetting(Struct, frozen=True):
    """`values` say what Clew does; `instead` is what to write for another effect."""

    values: tuple[object, ...]
    reason: str
    instead: str


_WHOLE = "chunks are whole units: functions, classes, sections; long ones are also ranked by passages"
_REMOVE = "Remove the key."

# A star stands for a part of the name.
FIXED: Mapping[str, FixedSetting] = {
    "watcher.max_file_size_mb": FixedSetting(
        (5,), "one limit holds for every run", "Set max_file_size_mb under [indexing]."
    ),
    "embedding.normalize": FixedSetting((True,), "vectors are compared by their angle", _REMOVE),
    "chunking.*.split_by_*": FixedSetting((True,), _WHOLE, "Set max_tokens for larger or smaller chunks."),
    "chunking.*.overlap_percent": FixedSetting((0,), _WHOLE, _REMOVE),
    "chunking.*.preserve_*": FixedSetting((True,), _WHOLE, _REMOVE),
    "query.rerank_enabled": FixedSetting(
        (True,), "results are always diversified", "Set mmr_lambda = 1.0 under [query] to rank by relevance alone."
    ),
    "providers.symbol.index_ast": FixedSetting((True,), "symbols are always parsed", _REMOVE),
    "providers.hybrid.combines": FixedSetting(
        (), "all enabled retrievers are combined", "Set enabled = false for those to leave out."
    ),
    "providers.hybrid.enabled": FixedSetting(
        (True,), "all enabled retrievers are combined", "Set enabled = false for those to leave out."
    ),
    "providers.hybrid.weight": FixedSetting(
        (1,), "the weights of the retrievers count", "Set weight for each of them."
    ),
    "metrics.track_*": FixedSetting((True,), "usage is recorded as a whole or not", "Set enabled under [metrics]."),
    "metrics.export_interval_minutes": FixedSetting(
        (), "metrics are current whenever they are read", "Read /metrics of `clew serve`, or get_context_stats."
    ),
    "bootstrap.batch_size": FixedSetting(
        (128,), "files are batched by their size", "Set batch_size under [embedding] for texts."
    ),
}


def check(pattern: str, name: str, value: object, source: str) -> None:
    """Raise unless the value says what Clew does."""
    fixed = FIXED[pattern]
    if not any(type(value) in (type(one), float) and value == one for one in fixed.values):
        raise ConfigError(f"{source}: {name} = {_to_text(value)}: {fixed.reason}", fixed.instead)


def parse(text: str) -> object:
    """A value from the environment."""
    try:
        return json.decode(text.strip().lower())
    except DecodeError:
        return text.strip()


def _to_text(value: object) -> str:
    return json.encode(value, enc_hook=str).decode()
