"""The languages Clew reads: a line here and a query file beside this module each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from typing import TYPE_CHECKING

from clew.index.languages import go, rust
from clew.model.code import Import

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import Node

PLAIN = "text"
_TYPED = ("javascript", "typescript")
_PLAIN_ECMA = ("javascript", "javascript_only")


@dataclass(frozen=True, slots=True)
class Language:
    """`wrappers` are nodes that belong to the definition inside them; `exports` those that export it.

    `doc_before` are the comments that document what follows them, `leading` what else belongs to it: attributes.
    The rest tells how names are looked up.
    """

    name: str
    extensions: tuple[str, ...]
    grammar: str
    entry: str = "language"
    queries: tuple[str, ...] = ()
    wrappers: frozenset[str] = frozenset()
    exports: frozenset[str] = frozenset()
    doc_before: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset()
    private_prefix: str = ""
    is_exported: "Callable[[Node, str], bool] | None" = None  # by a definition's node and name, where that tells
    imports_of: "Callable[[Node, int], list[Import]] | None" = None  # what a node that imports, and its line, bring in
    separator: str = "."  # between the parts of a module's name
    imports_things: bool = False  # `import a.b.C` brings the thing C of a.b, and not a module of that name
    members_in_scope: bool = False  # inside of a class, its members go by their bare names
    this_words: frozenset[str] = frozenset({"this", "self", "$this", "@", "Self", "static"})
    super_words: frozenset[str] = frozenset({"super", "parent", "base"})  # names of variables, where they are not words
    module_roots: frozenset[str] = frozenset()  # names that a module's path may start with: `crate`, `super`
    bound_as: Callable[[str], str] | None = None  # what an import of a module is called, if not by its last part
    containers: frozenset[str] = frozenset()  # types of which the last argument is what they hold
    transparent: frozenset[str] = frozenset()  # types and methods that stand for what they wrap: `Box<T>`, `unwrap()`

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
    Language(
        "go",
        (".go",),
        "tree_sitter_go",
        queries=("go",),
        doc_before=frozenset({"comment"}),
        is_exported=go.is_exported,
        separator="/",
        this_words=frozenset(),
        super_words=frozenset(),
        bound_as=go.package_name,
    ),
    Language(
        "rust",
        (".rs",),
        "tree_sitter_rust",
        queries=("rust",),
        doc_before=frozenset({"line_comment", "block_comment"}),
        leading=frozenset({"attribute_item"}),
        is_exported=rust.is_exported,
        imports_of=rust.imports_of,
        separator="::",
        this_words=frozenset({"self", "Self"}),
        super_words=frozenset(),
        module_roots=frozenset({"crate", "super"}),
        containers=rust.CONTAINERS,
        transparent=rust.TRANSPARENT,
    ),
    Language("markdown", (".md", ".markdown", ".mdx"), "tree_sitter_markdown", queries=("markdown",)),
)

# Names of text files that have no parser yet, so that filters and statistics can tell them apart.
_NAMED: Mapping[str, str] = {
    ".rst": "restructuredtext", ".txt": PLAIN, ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".json": "json",
    ".sql": "sql", ".html": "html", ".css": "css", ".sh": "bash", ".java": "java",
    ".kt": "kotlin", ".c": "c", ".h": "c", ".cpp": "cpp", ".hpp": "cpp", ".cs": "csharp", ".rb": "ruby",
    ".php": "php", ".scala": "scala", ".swift": "swift", ".xml": "xml", ".po": "gettext",
}  # fmt: skip

_BY_EXTENSION = {extension: language for language in LANGUAGES for extension in language.extensions}
_BY_NAME = {language.name: language for language in LANGUAGES}
NAMES = frozenset({PLAIN, *_BY_NAME, *_NAMED.values()})


def language_of(path: str) -> str:
    """The language's name, by the file's extension."""
    extension = _extension(path)
    known = _BY_EXTENSION.get(extension)
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
