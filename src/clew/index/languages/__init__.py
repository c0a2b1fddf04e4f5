"""The languages Clew reads: a line here and a query file beside this module each."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar

PLAIN = "text"
_TYPED = ("javascript", "typescript")
_PLAIN_ECMA = ("javascript", "javascript_only", "jsx")


@dataclass(frozen=True, slots=True)
class Language:
    """`wrappers` are nodes that belong to the definition inside them; `exports` those that export it.

    `doc_before` are the comments that document what follows them, `leading` what else stands before a definition and
    belongs to it. The rest tells how names are looked up.
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
    filenames: tuple[str, ...] = ()  # in lower case, for files known by their name: `Rakefile`
    separator: str = "."  # between the parts of a module's name; where there is none, importing one binds no name
    imports_things: bool = False  # `import a.b.C` brings the thing C of a.b, and not a module of that name
    members_in_scope: bool = False  # inside of a class, its members go by their bare names
    this_words: frozenset[str] = frozenset({"this", "self", "$this", "@", "Self", "static"})
    super_words: frozenset[str] = frozenset({"super", "parent", "base"})  # names of variables, where they are not words
    lexical: frozenset[str] = frozenset()  # functions that have no `this` of their own
    containers: frozenset[str] = frozenset()  # types of which the last argument is what they hold
    transparent: frozenset[str] = frozenset()  # types that stand for what they wrap: `Promise<T>`
    whole_names: bool = False  # a name is a word, whatever is in it: `log::info`, `set-up`
    loads: frozenset[str] = frozenset()  # functions that give the module they are called with
    constructor: str = ""  # the method that sets up a new object, if it is not called so
    maker: str = ""  # the member of a class that makes an object: `Card.new`
    silent: str = ""  # a character that says nothing of what an expression is: TypeScript's `card!`

    def path_of(self, module: str) -> list[str]:
        """The parts of a module's name."""
        return module.split(self.separator) if self.separator else []


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
        leading=frozenset({"decorator"}),
        separator="",
        loads=frozenset({"require", "import"}),
        silent="!",
        this_words=frozenset({"this"}),
        lexical=frozenset({"arrow_function"}),
        super_words=frozenset({"super"}),
        containers=frozenset(
            {"Array", "ReadonlyArray", "Set", "ReadonlySet", "Map", "ReadonlyMap", "Record", "Iterable"}
        ),
        transparent=frozenset("Promise Awaited Readonly Partial Required NonNullable".split()),
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
    _ecma("tsx", (".tsx",), "tree_sitter_typescript", "language_tsx", *_TYPED, "jsx"),
    Language(
        "ruby",
        (".rb", ".rake", ".gemspec", ".ru"),
        "tree_sitter_ruby",
        filenames=("rakefile", "gemfile", "guardfile", "capfile", "vagrantfile"),
        queries=("ruby",),
        doc_before=frozenset({"comment"}),
        separator="",
        members_in_scope=True,
        this_words=frozenset({"self"}),
        super_words=frozenset({"super"}),
        constructor="initialize",
        maker="new",
    ),
    Language(
        "bash",
        (".sh", ".bash"),
        "tree_sitter_bash",
        filenames=(".bashrc", ".bash_profile", ".bash_aliases", ".profile"),
        queries=("bash",),
        doc_before=frozenset({"comment"}),
        separator="",
        whole_names=True,
    ),
    Language("markdown", (".md", ".markdown", ".mdx"), "tree_sitter_markdown", queries=("markdown",)),
)

# Names of text files that have no parser yet, so that filters and statistics can tell them apart.
_NAMED: Mapping[str, str] = {
    ".rst": "restructuredtext", ".txt": PLAIN, ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".json": "json",
    ".sql": "sql", ".html": "html", ".css": "css", ".go": "go", ".rs": "rust", ".java": "java",
    ".kt": "kotlin", ".c": "c", ".h": "c", ".cpp": "cpp", ".hpp": "cpp", ".cs": "csharp",
    ".php": "php", ".scala": "scala", ".swift": "swift", ".xml": "xml", ".po": "gettext",
}  # fmt: skip

_BY_EXTENSION = {extension: language for language in LANGUAGES for extension in language.extensions}
_BY_FILENAME = {name: language for language in LANGUAGES for name in language.filenames}
_BY_NAME = {language.name: language for language in LANGUAGES}
NAMES = frozenset({PLAIN, *_BY_NAME, *_NAMED.values()})


def language_of(path: str) -> str:
    """The language's name, by the file's name or its extension."""
    name, extension = path.rpartition("/")[2].lower(), _extension(path)
    known = _BY_FILENAME.get(name) or _BY_EXTENSION.get(extension)
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
