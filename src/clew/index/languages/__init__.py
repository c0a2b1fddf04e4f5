"""The languages Clew reads: a line here and a query file beside this module each."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from typing import TYPE_CHECKING

from clew.model.words import Kind

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar

PLAIN = "text"
_TYPED = ("javascript", "typescript")
_PLAIN_ECMA = ("javascript", "javascript_only")


@dataclass(frozen=True, slots=True)
class Language:
    """`wrappers` are nodes that belong to the definition inside them; `exports` those that export it.

    `doc_before` are the comments that document what follows them. The rest tells how names are looked up.
    A format without a fitting grammar names the module of its `splitter` (see clew.index.splitters).
    """

    name: str
    extensions: tuple[str, ...]
    grammar: str = ""
    entry: str = "language"
    queries: tuple[str, ...] = ()
    wrappers: frozenset[str] = frozenset()
    exports: frozenset[str] = frozenset()
    doc_before: frozenset[str] = frozenset()
    private_prefix: str = ""
    separator: str = "."  # between the parts of a module's name
    imports_things: bool = False  # `import a.b.C` brings the thing C of a.b, and not a module of that name
    members_in_scope: bool = False  # inside of a class, its members go by their bare names
    filenames: tuple[str, ...] = ()  # in lower case, for files known by their name: `Dockerfile`, `Dockerfile.dev`
    splitter: str = ""
    rest: Kind = Kind.MODULE  # what stands outside of every unit; of prose and data, not a module

    def path_of(self, module: str) -> list[str]:
        """The parts of a module's name."""
        return module.split(self.separator)


def _ecma(name: str, extensions: tuple[str, ...], grammar: str, entry: str, *queries: str) -> Language:
    return Language(
        name,
        extensions,
        grammar,
        entry,
        queries,
        wrappers=frozenset({"export_statement", "lexical_declaration", "variable_declaration", "expression_statement"}),
        exports=frozenset({"export_statement"}),
        doc_before=frozenset({"comment"}),
    )


_SPLITTERS = "clew.index.splitters"

# Prose and data: units of their own kinds, and no calls.
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

LANGUAGES = (
    Language(
        "python",
        (".py", ".pyi"),
        "tree_sitter_python",
        queries=("python",),
        wrappers=frozenset({"decorated_definition"}),
        private_prefix="_",
    ),
    _ecma("javascript", (".js", ".mjs", ".cjs", ".jsx"), "tree_sitter_javascript", "language", *_PLAIN_ECMA),
    _ecma("typescript", (".ts", ".mts", ".cts"), "tree_sitter_typescript", "language_typescript", *_TYPED),
    _ecma("tsx", (".tsx",), "tree_sitter_typescript", "language_tsx", *_TYPED),
    *FORMATS,
)

# Names of text files that have no parser yet, so that filters and statistics can tell them apart.
_NAMED: Mapping[str, str] = {
    ".txt": PLAIN, ".css": "css", ".sh": "bash", ".go": "go", ".rs": "rust", ".java": "java",
    ".kt": "kotlin", ".c": "c", ".h": "c", ".cpp": "cpp", ".hpp": "cpp", ".cs": "csharp", ".rb": "ruby",
    ".php": "php", ".scala": "scala", ".swift": "swift", ".xml": "xml", ".po": "gettext",
}  # fmt: skip

_BY_EXTENSION = {extension: language for language in LANGUAGES for extension in language.extensions}
_BY_NAME = {language.name: language for language in LANGUAGES}
_BY_FILENAME = {name: language for language in LANGUAGES for name in language.filenames}
NAMES = frozenset({PLAIN, *_BY_NAME, *_NAMED.values()})


def language_of(path: str) -> str:
    """The language's name, by the file's name or its extension."""
    name, extension = path.rpartition("/")[2].lower(), _extension(path)
    known = _BY_FILENAME.get(name) or _BY_EXTENSION.get(extension)
    if known is None and extension not in _NAMED:
        known = _BY_FILENAME.get(name.partition(".")[0])
    return known.name if known else _NAMED.get(extension, PLAIN)


def parsed(name: str) -> Language | None:
    """The language's way of being parsed, if it has one."""
    return _BY_NAME.get(name)


@cache
def grammar(language: Language) -> "Grammar":
    from tree_sitter import Language as Grammar  # native code, needed only where files are parsed

    return Grammar(getattr(import_module(language.grammar), language.entry)())


def query_text(language: Language) -> str:
    here = resources.files(__name__)
    return "\n".join(here.joinpath(f"{query}.scm").read_text(encoding="utf-8") for query in language.queries)


def _extension(path: str) -> str:
    name = path.rpartition("/")[2]
    _, dot, extension = name.rpartition(".")
    return f".{extension.lower()}" if dot else ""
