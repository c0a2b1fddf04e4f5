"""Prose and data: units of their own kinds, and no calls. Profiles like those of any other language."""

from clew.languages.profile import Language, lazy
from clew.languages.python.profile import PYTHON
from clew.model.words import Kind

_SPLITTERS = "clew.index.splitters"
_BY_PATH = lazy("clew.index.modules.source_tree:files_of")

FORMATS = (
    Language(
        "markdown",
        (".md", ".markdown", ".mdx"),
        "tree_sitter_markdown",
        queries=("clew.languages.formats:markdown",),
        rest=Kind.SECTION,
    ),
    Language("restructuredtext", (".rst",), splitter=f"{_SPLITTERS}.rst", rest=Kind.SECTION),
    Language("html", (".html", ".htm", ".xhtml"), splitter=f"{_SPLITTERS}.html", rest=Kind.SECTION),
    Language("yaml", (".yaml", ".yml"), splitter=f"{_SPLITTERS}.yaml", rest=Kind.BLOCK),
    Language("toml", (".toml",), filenames=("pipfile",), splitter=f"{_SPLITTERS}.toml", rest=Kind.BLOCK),
    Language(
        "json",
        (".json", ".jsonc"),
        "tree_sitter_json",
        queries=("clew.languages.formats:json",),
        filenames=("pipfile.lock", "composer.lock"),
        rest=Kind.BLOCK,
    ),
    Language("sql", (".sql",), splitter=f"{_SPLITTERS}.sql", rest=Kind.BLOCK),
    Language("protobuf", (".proto",), splitter=f"{_SPLITTERS}.proto", rest=Kind.BLOCK, module_files=_BY_PATH),
    Language("graphql", (".graphql", ".gql", ".graphqls"), splitter=f"{_SPLITTERS}.graphql", rest=Kind.BLOCK),
    Language(
        "dockerfile",
        (".dockerfile", ".containerfile"),
        "tree_sitter_containerfile",
        queries=("clew.languages.formats:dockerfile",),
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
        module_files=_BY_PATH,
        rest=Kind.BLOCK,
    ),
    Language(
        "jupyter",
        (".ipynb",),
        splitter=f"{_SPLITTERS}.notebook",
        private_prefix="_",
        module_files=PYTHON.module_files,
        rules=PYTHON.rules,
        all_in_units=True,
        submodules=".",
    ),
)
