"""The languages Clew reads: a line here and a query file beside this module each."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar

PLAIN = "text"
_TYPED = ("javascript", "typescript")
_PLAIN_ECMA = ("javascript", "javascript_only")


@dataclass(frozen=True, slots=True)
class Language:
    """`wrappers` are nodes that belong to the definition inside them; `exports` those that export it.

    `doc_before` are the comments that document what follows them. The rest tells how names are looked up.
    """

    name: str
    extensions: tuple[str, ...]
    grammar: str
    entry: str = "language"
    queries: tuple[str, ...] = ()
    wrappers: frozenset[str] = frozenset()
    exports: frozenset[str] = frozenset()
    doc_before: frozenset[str] = frozenset()
    private_prefix: str = ""
    separator: str = "."  # between the parts of a module's name
    imports_things: bool = False  # `import a.b.C` brings the thing C of a.b, and not a module of that name
    members_in_scope: bool = False  # inside of a class, its members go by their bare names
    this_words: frozenset[str] = frozenset({"this", "self", "$this", "@", "Self", "static"})
    super_words: frozenset[str] = frozenset({"super", "parent", "base"})  # names of variables, where they are not words
    preprocessed: bool = False  # by C's preprocessor
    declarators: bool = False  # names stand inside of what they are declared as: `*names[3]`, `Card::charge(int x)`

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
        "c",
        (".c", ".h"),
        "tree_sitter_c",
        queries=("c", "c_only"),
        wrappers=frozenset({"declaration", "type_definition"}),
        doc_before=frozenset({"comment"}),
        separator="/",
        preprocessed=True,
        declarators=True,
        this_words=frozenset(),
        super_words=frozenset(),
    ),
    Language(
        "cpp",
        (".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".ipp"),
        "tree_sitter_cpp",
        queries=("c", "cpp"),
        wrappers=frozenset(
            {"declaration", "type_definition", "template_declaration", "field_declaration", "friend_declaration"}
        ),
        doc_before=frozenset({"comment"}),
        separator="/",
        preprocessed=True,
        members_in_scope=True,
        declarators=True,
        this_words=frozenset({"this"}),
        super_words=frozenset(),
    ),
    Language(
        "swift",
        (".swift",),
        "tree_sitter_swift",
        queries=("swift",),
        doc_before=frozenset({"comment", "multiline_comment"}),
        members_in_scope=True,
        this_words=frozenset({"self", "Self"}),
        super_words=frozenset({"super"}),
    ),
    Language(
        "php",
        (".php",),
        "tree_sitter_php",
        "language_php",
        queries=("php",),
        wrappers=frozenset({"expression_statement"}),
        doc_before=frozenset({"comment"}),
        separator="\\",
        imports_things=True,
        this_words=frozenset({"$this", "self", "static"}),
        super_words=frozenset({"parent"}),
    ),
    Language("markdown", (".md", ".markdown", ".mdx"), "tree_sitter_markdown", queries=("markdown",)),
)

# Names of text files that have no parser yet, so that filters and statistics can tell them apart.
_NAMED: Mapping[str, str] = {
    ".rst": "restructuredtext", ".txt": PLAIN, ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".json": "json",
    ".sql": "sql", ".html": "html", ".css": "css", ".sh": "bash", ".go": "go", ".rs": "rust", ".java": "java",
    ".kt": "kotlin", ".c": "c", ".h": "c", ".cpp": "cpp", ".hpp": "cpp", ".cs": "csharp", ".rb": "ruby",
    ".php": "php", ".scala": "scala", ".swift": "swift", ".xml": "xml", ".po": "gettext",
}  # fmt: skip

_CPP_SIGNS = re.compile(
    rb"^[ \t]*(?:namespace\s+\w|template\s*<|class\s+\w[^;]*?[{:]|using\s+\w|(?:public|private|protected):)|\bstd::\w",
    re.MULTILINE,
)
_BY_EXTENSION = {extension: language for language in LANGUAGES for extension in language.extensions}
_BY_NAME = {language.name: language for language in LANGUAGES}
NAMES = frozenset({PLAIN, *_BY_NAME, *_NAMED.values()})


def language_of(path: str) -> str:
    """The language's name, by the file's extension."""
    extension = _extension(path)
    known = _BY_EXTENSION.get(extension)
    return known.name if known else _NAMED.get(extension, PLAIN)


def language_in(path: str, content: bytes) -> str:
    """The language's name, by the extension and, where two languages share one, by the content: `.h` may be C++."""
    name = language_of(path)
    return "cpp" if name == "c" and _extension(path) == ".h" and _CPP_SIGNS.search(content) else name


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
