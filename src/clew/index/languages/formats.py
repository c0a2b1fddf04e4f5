"""Prose and data: units of their own kinds, and no calls. Lines of the table of languages like any other."""

from clew.index.languages.language import Language
from clew.model.words import Kind

_SPLITTERS = "clew.index.splitters"

FORMATS = (
    Language(
        "markdown", (".md", ".markdown", ".mdx"), "tree_sitter_markdown", queries=("markdown",), rest=Kind.SECTION
    ),
    Language("restructuredtext", (".rst",), splitter=f"{_SPLITTERS}.rst", rest=Kind.SECTION),
    Language("html", (".html", ".htm", ".xhtml"), splitter=f"{_SPLITTERS}.html", rest=Kind.SECTION),
    Language("yaml", (".yaml", ".yml"), splitter=f"{_SPLITTERS}.yaml", rest=Kind.BLOCK),
    Language("toml", (".toml",), filenames=("pipfile",), splitter=f"{_SPLITTERS}.toml", rest=Kind.BLOCK),
    Language(
        "json",
        (".json", ".jsonc"),
        "tree_sitter_json",
        queries=("json",),
        filenames=("pipfile.lock", "composer.lock"),
        rest=Kind.BLOCK,
    ),
    Language("sql", (".sql",), splitter=f"{_SPLITTERS}.sql", rest=Kind.BLOCK),
    Language("protobuf", (".proto",), splitter=f"{_SPLITTERS}.proto", rest=Kind.BLOCK),
    Language("graphql", (".graphql", ".gql", ".graphqls"), splitter=f"{_SPLITTERS}.graphql", rest=Kind.BLOCK),
    Language(
        "dockerfile",
        (".dockerfile", ".containerfile"),
        "tree_sitter_containerfile",
        queries=("dockerfile",),
        doc_before=frozenset({"comment"}),
        filenames=("dockerfile", "containerfile"),
        splitter=f"{_SPLITTERS}.dockerfile",
        rest=Kind.BLOCK,
    ),
    Language(
        "makefile",
        (".mk", ".mak"),
        filenames=("makefile", "gnumakefile"),
        splitter=f"{_SPLITTERS}.make",
        rest=Kind.BLOCK,
    ),
    Language("jupyter", (".ipynb",), splitter=f"{_SPLITTERS}.notebook", private_prefix="_"),
)
