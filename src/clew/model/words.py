"""Kinds of nodes, chunks and edges, and the documents' other words for them."""

from enum import StrEnum


class Kind(StrEnum):
    """The kind of a node or a chunk."""

    FILE = "file"
    MODULE = "module"
    CLASS = "class"
    INTERFACE = "interface"
    FUNCTION = "function"
    METHOD = "method"
    VARIABLE = "variable"
    EXTERNAL = "external"
    SECTION = "section"
    BLOCK = "block"
    PARAGRAPH = "paragraph"
    STATEMENT = "statement"


NAMELESS = (Kind.FILE, Kind.SECTION, Kind.BLOCK, Kind.PARAGRAPH)  # nobody calls them by name
CLASSES = (Kind.CLASS, Kind.INTERFACE)  # and what is like them: structs, traits


class EdgeKind(StrEnum):
    """Append at the end: places are stored."""

    CONTAINS = "CONTAINS"
    DEFINES = "DEFINES"
    IMPORTS = "IMPORTS"
    CALLS = "CALLS"
    EXPORTS = "EXPORTS"
    INHERITS = "INHERITS"
    IMPLEMENTS = "IMPLEMENTS"
    USES = "USES"
    DATAFLOW = "DATAFLOW"
    TESTS = "TESTS"
    CO_CHANGES = "CO_CHANGES"
    DOCUMENTS = "DOCUMENTS"
    MENTIONS = "MENTIONS"


INHERITING = (EdgeKind.IMPLEMENTS, EdgeKind.INHERITS)  # by either, what is above may stand for what is below


class EvidenceKind(StrEnum):
    """Append at the end: places are stored."""

    CALLSITE = "callsite"
    IMPORT = "importStmt"
    SPAN = "span"
    IDENTIFIER = "identifier"
    TOOLING = "tooling"
    ARGUMENT = "argument"  # of a flow of data: to what is called
    RESULT = "result"  # from it
    EXCHANGE = "argument+result"
    NAME = "name"  # two things are called alike
    NAMED_CALL = "callsite+name"
    NAMED_IMPORT = "importStmt+name"


# The documents' words, as filters may spell them. Case does not matter.
KIND_WORDS: dict[str, tuple[Kind, ...]] = {
    **{kind.value: (kind,) for kind in Kind},
    "code_function": (Kind.FUNCTION, Kind.METHOD),
    "code_class": (Kind.CLASS, Kind.INTERFACE),
    "code_block": (Kind.BLOCK,),
    "markdown_section": (Kind.SECTION,),
    "yaml_block": (Kind.BLOCK,),
    "sql_statement": (Kind.STATEMENT,),
    # Docs and comments are kept with what they stand in.
    **dict.fromkeys(("docstring", "comment"), (Kind.MODULE, Kind.CLASS, Kind.INTERFACE, Kind.FUNCTION, Kind.METHOD)),
    "symbol": (Kind.MODULE, Kind.CLASS, Kind.INTERFACE, Kind.FUNCTION, Kind.METHOD, Kind.VARIABLE),
}
_CHUNK_WORDS = {
    Kind.FUNCTION: "CODE_FUNCTION",
    Kind.METHOD: "CODE_FUNCTION",
    Kind.CLASS: "CODE_CLASS",
    Kind.INTERFACE: "CODE_CLASS",
    Kind.SECTION: "MARKDOWN_SECTION",
    Kind.STATEMENT: "SQL_STATEMENT",
}
EDGE_WORDS: dict[str, tuple[EdgeKind, ...]] = {
    **{kind.value.lower(): (kind,) for kind in EdgeKind},
    "contains_file": (EdgeKind.CONTAINS,),
    "defines_symbol": (EdgeKind.DEFINES, EdgeKind.CONTAINS),
    "defined_in": (EdgeKind.DEFINES, EdgeKind.CONTAINS),
    "implemented_by": (EdgeKind.IMPLEMENTS,),
    "call": (EdgeKind.CALLS,),
    # To inherit is to refer to what is inherited; such a pair has no edge that says no more than that.
    "usage": (EdgeKind.USES, EdgeKind.INHERITS, EdgeKind.IMPLEMENTS),
    "import": (EdgeKind.IMPORTS,),
    "export": (EdgeKind.EXPORTS,),
}
# Packs know five kinds of edges and of evidence (D §2); the rest goes by its own name, or is no evidence.
_PACK_EDGES = ("call", "usage", "import", "export", "dataflow")
_PACK_EDGE_OF = {kind: word for word in _PACK_EDGES for kind in EDGE_WORDS[word]}
_PACK_EVIDENCE = {
    **{kind: kind.value for kind in EvidenceKind},
    **dict.fromkeys((EvidenceKind.ARGUMENT, EvidenceKind.RESULT, EvidenceKind.EXCHANGE), EvidenceKind.CALLSITE.value),
    EvidenceKind.NAMED_CALL: EvidenceKind.CALLSITE.value,
    EvidenceKind.NAMED_IMPORT: EvidenceKind.IMPORT.value,
    EvidenceKind.NAME: "",  # that two things are called alike is read nowhere
}


def pack_edge(kind: EdgeKind) -> str:
    """A pack's word for a kind of edge."""
    return _PACK_EDGE_OF.get(kind, kind.value.lower())


def pack_evidence(kind: EvidenceKind) -> str:
    """A pack's word for a kind of evidence; empty, if it is none."""
    return _PACK_EVIDENCE[kind]


def kinds_named(word: str) -> tuple[Kind, ...]:
    """The kinds that a document's word stands for; none if the word is unknown."""
    return KIND_WORDS.get(word.lower(), ())


def chunk_word(kind: Kind, language: str) -> str:
    """A document's word for a chunk of such a kind."""
    if kind is Kind.BLOCK:
        return "YAML_BLOCK" if language == "yaml" else "CODE_BLOCK"
    return _CHUNK_WORDS.get(kind, kind.value.upper())


def edges_named(word: str) -> tuple[EdgeKind, ...]:
    """Kinds of edges for a word."""
    return EDGE_WORDS.get(word.lower(), ())
