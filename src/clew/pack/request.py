"""What a pack is asked for, and the same with every default filled in and every hard cap held.

`Options` are what a caller may say; `PackRequest` is what a pack is made of and carries: two that mean the same have
the same bytes. Its JSON spelling is the artifact's (seed D §2).
"""

import hashlib
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from clew.model.errors import InvalidInput

SeedMode = Literal["code", "prose", "mixed"]
SeedProvider = Literal["sparse", "fts", "ann", "hybrid"]
Intent = Literal["answer", "summarize", "refactor", "debug", "impact", "contract"]
EdgeType = Literal["call", "usage", "import", "export", "dataflow"]
Way = Literal["out", "in", "both"]
EvidenceType = Literal["callsite", "identifier", "importStmt", "span", "tooling"]
Primary = Literal["seedScore", "graphDistance", "graphEvidence", "hybridScore", "ppr"]
TieBreaker = Literal["symbolId", "chunkUid", "fileRelPath", "startLine"]
Strictness = Literal["strict", "warn", "loose"]

Form = Literal["full", "lean"]
FormOption = Literal["auto", "full", "lean"]

TIE_BREAKERS: tuple[TieBreaker, ...] = ("fileRelPath", "startLine", "chunkUid", "symbolId")  # D §4.4
DEFAULT_EDGES: tuple[EdgeType, ...] = ("call", "usage", "import")
EDGE_TYPES: tuple[EdgeType, ...] = get_args(EdgeType)

# D names neither a default nor a cap for tokens. The cap leaves it to the characters to bound a pack: code and JSON are
# estimated at some three characters a token. The default is what an agent can read at once.
CHARACTERS_A_TOKEN = 2
DEFAULT_TOKENS = 16_000
LEAN_BELOW = 4_000  # tokens: with fewer, the full form would spend most of them on its frame

# D's hard caps.
CAPS = {
    "expansion.maxHops": 4,
    "budgets.maxTotalChars": 2_000_000,
    "budgets.maxTotalTokens": 2_000_000 // CHARACTERS_A_TOKEN,
    "budgets.maxItems": 250,
    "budgets.maxItemsPerSection": 80,
    "budgets.maxBytesPerItem": 64_000,
}

_Id = Annotated[str, Meta(min_length=1, max_length=4000)]
_Count = Annotated[int, Meta(ge=1)]


class Focus(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """One of the three."""

    symbol_id: str | UnsetType = UNSET
    chunk_uid: str | UnsetType = UNSET
    file_rel_path: str | UnsetType = UNSET


class Expansion(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    max_hops: int
    edge_types: tuple[EdgeType, ...]
    direction: Way
    include_same_file_neighbors: bool
    include_imports: bool
    include_exports: bool
    include_dataflow: bool
    require_evidence: bool
    evidence_kinds: tuple[EvidenceType, ...]


class Budgets(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    max_total_chars: int
    max_total_tokens: int
    max_items: int
    max_items_per_section: int
    max_bytes_per_item: int


class Ordering(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    primary: Primary
    stable_tie_breakers: tuple[TieBreaker, ...]


class PackRequest(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """Normalised. `repo_id` and `index_root` stand in written records only, and are no part of what a pack depends on.

    `index_signature` is filled in by who makes the pack.
    """

    index_signature: str
    query: str
    seed_mode: SeedMode
    seed_provider: SeedProvider
    intent: Intent
    focus: Focus
    expansion: Expansion
    budgets: Budgets
    ordering: Ordering
    strictness: Strictness
    include_explain: bool
    form: Form = "full"  # of the answer that the budgets hold for; stored records are always full
    repo_id: str | UnsetType = UNSET
    index_root: str | UnsetType = UNSET


class FocusOptions(Struct, frozen=True, forbid_unknown_fields=True):
    symbol_id: Annotated[_Id, Meta(description="A symbol, by its id.")] | None = None
    chunk_uid: Annotated[_Id, Meta(description="A chunk, by its uid.")] | None = None
    file_rel_path: Annotated[_Id, Meta(description="A file, by its path from the root.")] | None = None


class ExpansionOptions(Struct, frozen=True, forbid_unknown_fields=True):
    max_hops: Annotated[_Count, Meta(description="Steps from a seed; 2, at most 4.")] | None = None
    edge_types: (
        Annotated[tuple[EdgeType, ...], Meta(description="call, usage and import, if none are named.")] | None
    ) = None
    direction: Annotated[Way, Meta(description="Of calls, out leads to callees.")] = "both"
    include_same_file_neighbors: Annotated[bool, Meta(description="Also what stands in the same class or file.")] = (
        False
    )
    include_imports: Annotated[bool, Meta(description="Adds or removes the edge type import.")] | None = None
    include_exports: Annotated[bool, Meta(description="Likewise, export.")] | None = None
    include_dataflow: Annotated[bool, Meta(description="Likewise, dataflow.")] | None = None
    require_evidence: Annotated[bool, Meta(description="What lacks evidence is dropped if strict, told if warn.")] = (
        True
    )
    evidence_kinds: Annotated[
        tuple[EvidenceType, ...], Meta(description="What counts as evidence; all by default.")
    ] = ()


class BudgetOptions(Struct, frozen=True, forbid_unknown_fields=True):
    max_total_chars: Annotated[_Count, Meta(description="Of the pack as JSON; 200,000, at most 2,000,000.")] | None = (
        None
    )
    max_total_tokens: Annotated[_Count, Meta(description="Likewise; 16,000, or half of max_total_chars.")] | None = None
    max_items: Annotated[_Count, Meta(description="80, at most 250.")] | None = None
    max_items_per_section: Annotated[_Count, Meta(description="25, at most 80.")] | None = None
    max_bytes_per_item: Annotated[_Count, Meta(description="Of an excerpt; 4,096, at most 64,000.")] | None = None


class OrderingOptions(Struct, frozen=True, forbid_unknown_fields=True):
    primary: Annotated[Primary, Meta(description="Primary sort key of the items.")] = "hybridScore"
    stable_tie_breakers: Annotated[tuple[TieBreaker, ...], Meta(description="What equals are ordered by.")] = ()


class Options(Struct, frozen=True):
    """The options of a caller; omitted ones take their default."""

    query: str = ""
    seed_mode: SeedMode = "mixed"
    seed_provider: SeedProvider = "hybrid"
    intent: Intent = "answer"
    focus: FocusOptions = FocusOptions()
    expansion: ExpansionOptions = ExpansionOptions()
    budgets: BudgetOptions = BudgetOptions()
    ordering: OrderingOptions = OrderingOptions()
    strictness: Strictness = "warn"
    include_explain: bool = True
    form: FormOption = "auto"


class Normalised(Struct, frozen=True):
    """A request, and the options that a hard cap changed, in words.

    The words are not part of the request: two requests with the same values are equal.
    """

    request: PackRequest
    warnings: tuple[str, ...]


def normalise(options: Options) -> Normalised:
    """With defaults, within the caps, in one spelling; InvalidInput names the field that cannot be."""
    held = _Caps()
    query = _readable(options.query).strip()
    focus = _focus(options.focus)
    if not query and focus == Focus():
        raise InvalidInput("query: there is nothing to look for", "Give a query, or a focus.")
    budgets = _budgets(options.budgets, held)
    request = PackRequest(
        index_signature="",
        query=query,
        seed_mode=options.seed_mode,
        seed_provider=options.seed_provider,
        intent=options.intent,
        focus=focus,
        expansion=_expansion(options.expansion, held),
        budgets=budgets,
        ordering=_to_ordering(options.ordering),
        strictness=options.strictness,
        include_explain=options.include_explain,
        form=_form(options.form, budgets),
    )
    return Normalised(request, tuple(held.warnings))


def _form(wanted: FormOption, budgets: Budgets) -> Form:
    if wanted != "auto":
        return wanted
    tokens = min(budgets.max_total_tokens, budgets.max_total_chars // CHARACTERS_A_TOKEN)
    return "lean" if tokens < LEAN_BELOW else "full"


def canonical(value: object) -> bytes:
    """As JSON with sorted keys and no space that means nothing: the same value gives the same bytes."""
    return msgspec.json.encode(value, order="sorted")


def pack_id(index_signature: str, request: PackRequest) -> str:
    """SHA-256 of all that a pack depends on (seed D §5.2). No pack quotes memory, so memory is no part of it."""
    own = msgspec.structs.replace(request, index_signature=index_signature, repo_id=UNSET, index_root=UNSET)
    return hashlib.sha256(index_signature.encode() + b"\n" + canonical(own)).hexdigest()


def _readable(text: str) -> str:
    """Lone surrogates, which no JSON can hold, are replaced."""
    return text.encode("utf-8", "replace").decode()


class _Caps:
    def __init__(self) -> None:
        self.warnings: list[str] = []

    def hold(self, field: str, asked: int | None, default: int) -> int:
        if asked is not None and asked < 1:
            raise InvalidInput(f"{field}: {asked} is less than 1", "Give a whole number from 1 on.")
        wanted, most = default if asked is None else asked, CAPS[field]
        if asked is not None and wanted > most:
            self.warnings.append(f"{field}: {wanted} is above the hard cap, so {most} holds")
        return min(wanted, most)


def _focus(options: FocusOptions) -> Focus:
    given = {name: _readable(value) for name, value in msgspec.structs.asdict(options).items() if value is not None}
    if len(given) > 1:
        raise InvalidInput(f"focus: {' and '.join(given)} are given", "Name one thing to look at.")
    return Focus(**given)


def _expansion(options: ExpansionOptions, caps: _Caps) -> Expansion:
    edges = set(DEFAULT_EDGES if options.edge_types is None else options.edge_types)
    wanted: dict[EdgeType, bool | None] = {
        "import": options.include_imports,
        "export": options.include_exports,
        "dataflow": options.include_dataflow,
    }
    edges |= {name for name, include in wanted.items() if include}
    edges -= {name for name, include in wanted.items() if include is False}
    return Expansion(
        max_hops=caps.hold("expansion.maxHops", options.max_hops, 2),
        edge_types=tuple(sorted(edges)),
        direction=options.direction,
        include_same_file_neighbors=options.include_same_file_neighbors,
        include_imports="import" in edges,
        include_exports="export" in edges,
        include_dataflow="dataflow" in edges,
        require_evidence=options.require_evidence,
        evidence_kinds=tuple(sorted(set(options.evidence_kinds or get_args(EvidenceType)))),
    )


def _budgets(options: BudgetOptions, caps: _Caps) -> Budgets:
    chars = caps.hold("budgets.maxTotalChars", options.max_total_chars, 200_000)
    tokens = DEFAULT_TOKENS if options.max_total_chars is None else max(chars // CHARACTERS_A_TOKEN, 1)
    return Budgets(
        max_total_chars=chars,
        max_total_tokens=caps.hold("budgets.maxTotalTokens", options.max_total_tokens, tokens),
        max_items=caps.hold("budgets.maxItems", options.max_items, 80),
        max_items_per_section=caps.hold("budgets.maxItemsPerSection", options.max_items_per_section, 25),
        max_bytes_per_item=caps.hold("budgets.maxBytesPerItem", options.max_bytes_per_item, 4096),
    )


def _to_ordering(options: OrderingOptions) -> Ordering:
    """Tie-breakers that are not named come behind those that are: an order is total."""
    named = dict.fromkeys((*options.stable_tie_breakers, *TIE_BREAKERS))
    return Ordering(options.primary, tuple(named))
