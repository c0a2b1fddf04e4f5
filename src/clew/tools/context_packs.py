"""Creates, writes and reads context packs, for the tools of that name."""

from typing import TYPE_CHECKING

from msgspec import UNSET, structs

from clew.engine import Engine, now
from clew.model.errors import BudgetExceeded, Unavailable
from clew.model.time import to_iso
from clew.pack.artifact import ContextPack
from clew.pack.request import Options, PackRequest, normalised
from clew.tools.freshness import freshly

if TYPE_CHECKING:
    from clew.pack.packer import Made

ENVELOPE = 250  # tokens that an answer takes around a pack: the summary, times, warnings


def bounded_options(options: Options, limit: int | None) -> Options:
    """What the caller allows for the answer bounds the pack, as a part of the request: its id is made of that."""
    if limit is None:
        return options
    most = max(limit - ENVELOPE, 1)
    tokens = min(most, options.budgets.max_total_tokens or most)
    return structs.replace(options, budgets=structs.replace(options.budgets, max_total_tokens=tokens))


def create_context_pack(engine: Engine, options: Options, limit: int | None, *, write: bool) -> ContextPack:
    """`limit` is of the whole answer, in tokens, and so is what is said if nothing fits it."""
    from clew.pack.assembly import TooSmall  # numpy is heavy, and most tools do not need it

    try:
        return _created(engine, bounded_options(options, limit), write=write)
    except TooSmall as error:
        if limit is None or (options.budgets.max_total_tokens or limit) < limit - ENVELOPE:
            raise
        hint = f"With an item it takes max_tokens={error.tokens + ENVELOPE}{error.smaller}"
        raise BudgetExceeded(f"no pack fits {limit} tokens", hint) from error


def _created(engine: Engine, options: Options, *, write: bool) -> ContextPack:
    wanted = normalised(options)
    made, fresh = freshly(
        engine,
        lambda: _made(engine, wanted.request),
        _quoted,
    )
    if write and made.failed:
        hint = "Make it work again, or ask without write."
        raise Unavailable(f"{made.failed[0].retriever} could not answer, so this is not the pack of its id", hint)
    failed = (f"{one.retriever} could not answer: {one.reason}" for one in made.failed)
    warnings = (*wanted.warnings, *failed, *filter(None, [fresh.unseen()]))
    stats = structs.replace(made.pack.stats, warnings=warnings or UNSET)
    pack = structs.replace(made.pack, stats=stats, created_at=to_iso(now()))
    if write:
        engine.keep_pack(pack)
        return structs.replace(pack, written=True)
    return pack


def _made(engine: Engine, request: PackRequest) -> "Made":
    engine.indexed()
    return engine.packer.make(request)


def read_context_pack(engine: Engine, pack_id: str) -> ContextPack:
    """As it was written, but for where."""
    pack = engine.packs.read(pack_id)
    return structs.replace(pack, request=structs.replace(pack.request, repo_id=UNSET, index_root=UNSET))


def _quoted(made: "Made") -> set[str]:
    """The files that a pack tells lines of."""
    items = made.pack.items()
    return {item.file_rel_path for item in items} | {e.file_rel_path for item in items for e in item.why.evidence}
