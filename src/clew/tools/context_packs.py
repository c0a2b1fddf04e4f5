"""Creates, writes and reads context packs, for the tools of that name."""

import re
from typing import TYPE_CHECKING

from msgspec import UNSET, structs

from clew.engine import Engine, now
from clew.graph.elements import Elements
from clew.model.errors import BudgetExceeded, Unavailable
from clew.model.time import to_iso
from clew.model.words import Kind
from clew.pack.artifact import ContextPack, LeanPack
from clew.pack.request import LEAN_BELOW, FocusOptions, FormOption, Options, normalised
from clew.text.tokens import estimate
from clew.tools.freshness import freshly
from clew.tools.naming import one_meant
from clew.tools.registry import AnswerLimits

if TYPE_CHECKING:
    from clew.pack.packer import Made

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
        most -= sum(estimate(one) for one in normalised(options).warnings)
    tokens = min(most, options.budgets.max_total_tokens or most)
    return structs.replace(options, budgets=structs.replace(options.budgets, max_total_tokens=tokens))


def create_context_pack(engine: Engine, options: Options, room: AnswerLimits, *, write: bool) -> ContextPack | LeanPack:
    """The room is of the whole answer, in tokens, and so is what is said if nothing fits it."""
    from clew.pack.assembly import TooSmall  # numpy is heavy, and most tools do not need it

    try:
        return _created(engine, bounded_options(options, room.limit), room, write=write)
    except TooSmall as error:
        if room.limit is None or (options.budgets.max_total_tokens or room.limit) < room.limit - ENVELOPE:
            raise
        around = ENVELOPE if error.is_full else LEAN_ENVELOPE
        hint = f"With an item it takes max_tokens={error.tokens + around}{error.smaller}"
        raise BudgetExceeded(f"no pack fits {room.limit} tokens", hint) from error


def _created(engine: Engine, options: Options, room: AnswerLimits, *, write: bool) -> ContextPack | LeanPack:
    engine.require_index()
    engine.read_new_commits()
    wanted = normalised(structs.replace(options, focus=focused(engine, options.focus)))
    made, fresh = freshly(engine, lambda: engine.packer.make(wanted.request), _quoted)
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


def focused(engine: Engine, focus: FocusOptions) -> FocusOptions:
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
    from clew.pack.lean import lean, shortened  # as above

    whole = lean(pack)
    return whole if room.limit is None or _fits(whole, room) else shortened(pack, max(room.limit - LEAN_ENVELOPE, 1))


def _fits(pack: ContextPack | LeanPack, room: AnswerLimits) -> bool:
    if room.limit is None:
        return True
    tokens = room.price(pack) if room.price else estimate(pack.canonical().decode()) + LEAN_ENVELOPE
    return tokens <= room.limit


def _quoted(made: "Made") -> set[str]:
    """The files that a pack tells lines of."""
    items = made.pack.items()
    return {item.file_rel_path for item in items} | {e.file_rel_path for item in items for e in item.why.evidence}
