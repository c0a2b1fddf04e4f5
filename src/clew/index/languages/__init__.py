"""The languages Clew reads: a line here and a query file beside this module each."""

import re
from functools import cache
from importlib import import_module
from pkgutil import get_data  # `importlib.resources` would load three times as much
from typing import TYPE_CHECKING

from clew.index.languages import (
    bash,
    cpp,
    csharp,
    go,
    grammar_shims,
    kotlin,
    php,
    ruby,
    rust,
    rust_patterns,
    scala,
    typescript_types,
)
from clew.index.languages.detection import PLAIN, UNPARSED, LanguageTable, extension_of
from clew.index.languages.language import Language, TypeTokens, Visibility
from clew.model.words import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tree_sitter import Language as Grammar
    from tree_sitter import Query


# Prose and data: units of their own kinds, and no calls. Lines of the table of languages like any other.

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


_TYPED = ("javascript", "typescript")
_PLAIN_ECMA = ("javascript", "javascript_only", "jsx")


def _lazy_function(module: str, name: str) -> "Callable[[bytes], Iterable[bytes]]":
    """A function of a sibling module that is loaded on first use, because its expressions take long to compile."""
    return lambda source: getattr(import_module(f"{__name__}.{module}"), name)(source)


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
        annotations=frozenset({"decorator"}),
        separator="",
        imports_as_context=True,
        loads=frozenset({"require", "import"}),
        callers=(".call", ".apply"),
        copiers=("Object.assign", "Object.freeze", "Object.seal", "structuredClone"),
        silent="!",
        dollars=True,
        this_words=frozenset({"this"}),
        lexical=frozenset({"arrow_function"}),
        super_words=frozenset({"super"}),
        containers=frozenset(
            "Array ReadonlyArray Set ReadonlySet WeakSet Map ReadonlyMap WeakMap Record Iterable AsyncIterable".split()
        ),
        hands_on=True,
        transparent=frozenset(
            "Promise Awaited Readonly Partial Required NonNullable Pick Omit Extract Exclude".split()
        ),
        giving=frozenset({"ReturnType", "InstanceType"}),
        asks=TypeTokens(name).kind,
        alternatives=typescript_types.alternatives,
        fields_of=typescript_types.fields_of,
        super_calls=True,
        redeclares=True,
        block_scoped=True,
        literals=frozenset("{["),
        readable=grammar_shims.typescript if name == "typescript" else grammar_shims.javascript,
    )


# Types of Java's own whose methods give what their last argument names.
_HOLDING = frozenset(
    "Iterable Iterator ListIterator Collection List ArrayList LinkedList CopyOnWriteArrayList Vector Stack Set HashSet "
    "LinkedHashSet TreeSet SortedSet NavigableSet Queue Deque ArrayDeque PriorityQueue BlockingQueue Map HashMap "
    "LinkedHashMap TreeMap SortedMap NavigableMap ConcurrentMap ConcurrentHashMap EnumMap IdentityHashMap WeakHashMap "
    "Entry Optional Stream Supplier Callable Function BiFunction UnaryOperator BinaryOperator Future CompletableFuture "
    "AtomicReference ThreadLocal WeakReference SoftReference".split()
)

_HANDING = frozenset(
    {
        "java.util.Objects.requireNonNull",
        "Objects.requireNonNull",
        "org.mockito.Mockito.verify",
        "org.mockito.Mockito.spy",
    }
)


def _spelled_java(text: str) -> str:
    """`card.new Line` makes a member of the class of the card."""
    return text.replace(".new ", ".")


def _jvm(name: str, extensions: tuple[str, ...], annotations: set[str], seen: Visibility) -> Language:
    return Language(
        name,
        extensions,
        f"tree_sitter_{name}",
        queries=(name,),
        doc_before=frozenset({"comment", "line_comment", "block_comment"}),
        imports_things=True,
        members_in_scope=True,
        this_words=frozenset({"this"}),
        super_words=frozenset({"super"}),
        implicit=frozenset({"it", "field", "_"} if name != "java" else ()),
        is_exported=seen.shows,
        string="String",
        every_type="Any" if name == "kotlin" else "",
        typed_overloads=name in ("java", "kotlin"),
        holders=_HOLDING if name == "java" else kotlin.HOLDERS if name == "kotlin" else frozenset(),
        spelled={"java": _spelled_java, "kotlin": kotlin.normalise_expression, "scala": scala.normalise_expression}[
            name
        ],
        either=kotlin.branch_expressions if name == "kotlin" else None,
        literal_type=kotlin.literal_type if name == "kotlin" else None,
        readable={"kotlin": _lazy_function("kotlin_shims", "readable"), "java": grammar_shims.java}.get(name),
        handing=_HANDING if name == "java" else frozenset(),
        annotations=frozenset(annotations),
        companions=name == "scala",
        asks=TypeTokens(name).kind,
    )


_PUBLIC = frozenset({b"public"})
_HIDING = frozenset({b"private", b"protected", b"internal"})
_OPEN = frozenset({"enum_constant", "formal_parameter", "enum_member_declaration", "parameter"})
_HOLDERS = frozenset({"interface_body", "annotation_type_body", "interface_declaration"})

LANGUAGES = (
    Language(
        "python",
        (".py", ".pyi"),
        "tree_sitter_python",
        queries=("python",),
        readable=grammar_shims.python,
        walker="clew.index.python.outline",
        wrappers=frozenset({"decorated_definition"}),
        private_prefix="_",
        lists_formatting=False,  # indentation is syntax; the rest is mostly a formatter's, in all files at once
    ),
    _ecma("javascript", (".js", ".mjs", ".cjs", ".jsx"), "tree_sitter_javascript", "language", *_PLAIN_ECMA),
    _ecma("typescript", (".ts", ".mts", ".cts"), "tree_sitter_typescript", "language_typescript", *_TYPED),
    _ecma("tsx", (".tsx",), "tree_sitter_typescript", "language_tsx", *_TYPED, "jsx"),
    Language(
        "go",
        (".go",),
        "tree_sitter_go",
        queries=("go",),
        doc_before=frozenset({"comment"}),
        is_exported=go.is_exported,
        readable=grammar_shims.go,
        separator="/",
        this_words=frozenset(),
        super_words=frozenset(),
        bound_as=go.package_name,
        spelled=go.normalise_expression,
        asserted_type=go.asserted_type,
        literal_type=go.literal_type,
        results_of=go.results_of,
        asks=TypeTokens("go").kind,
        fields_of=go.fields_of,
        constructors=False,
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
        readable=rust.readable,
        separator="::",
        this_words=frozenset({"self", "Self"}),
        super_words=frozenset(),
        module_roots=frozenset({"crate", "super"}),
        rebinds=True,
        target=rust.TARGET,
        results_of=rust_patterns.results_of,
        containers=rust.CONTAINERS,
        transparent=rust.TRANSPARENT,
        standing=rust.STANDING,
        asks=TypeTokens("rust").kind,
    ),
    _jvm(
        "java",
        (".java",),
        {"annotation", "marker_annotation"},
        Visibility(_PUBLIC, _HIDING, _OPEN, _HOLDERS),
    ),
    _jvm(
        "kotlin",
        (".kt", ".kts"),
        {"annotation"},
        Visibility(private=_HIDING, closed=frozenset({"block", "lambda_literal"})),
    ),
    _jvm(
        "scala",
        (".scala", ".sc"),
        {"annotation"},
        Visibility(private=_HIDING, closed=frozenset({"block", "indented_block"})),
    ),
    Language(
        "csharp",
        (".cs",),
        "tree_sitter_c_sharp",
        queries=("csharp",),
        doc_before=frozenset({"comment"}),
        imports_things=True,
        members_in_scope=True,
        large_members=True,
        this_words=frozenset({"this"}),
        super_words=frozenset({"base"}),
        implicit=frozenset({"value", "_"}),
        is_exported=Visibility(_PUBLIC, _HIDING, _OPEN, _HOLDERS).shows,
        string="String",
        every_type="Object",
        typed_overloads=True,
        parted_overloads=True,
        holders=csharp.HOLDERS,
        asks=TypeTokens("csharp").kind,
        readable=grammar_shims.csharp,
        annotations=frozenset({"attribute_list"}),
    ),
    Language(
        "c",
        (".c", ".h"),
        "tree_sitter_c",
        queries=("c", "c_only"),
        readable=_lazy_function("c_shims", "readable"),
        wrappers=frozenset({"declaration", "type_definition"}),
        doc_before=frozenset({"comment"}),
        separator="/",
        is_exported=Visibility(private=frozenset({b"static"})).shows,
        preprocessed=True,
        redeclares=True,
        declarators=True,
        nested_paths=True,
        this_words=frozenset(),
        super_words=frozenset(),
    ),
    Language(
        "cpp",
        (".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".ipp", ".inl", ".tpp", ".cppm", ".ixx", ".ccm", ".cxxm"),
        "tree_sitter_cpp",
        queries=("c", "cpp"),
        readable=_lazy_function("c_shims", "readable_cpp"),
        wrappers=frozenset(
            {"declaration", "type_definition", "template_declaration", "field_declaration", "friend_declaration"}
        ),
        doc_before=frozenset({"comment"}),
        separator="/",
        is_exported=cpp.is_exported,
        preprocessed=True,
        redeclares=True,
        members_in_scope=True,
        large_members=True,
        typed_overloads=True,
        own_types=cpp.OWN_TYPES,
        transparent=cpp.POINTERS,
        holders=cpp.CONTAINERS,
        held_by=cpp.element_type,
        pointed=cpp.pointee_type,
        declarators=True,
        nested_paths=True,
        this_words=frozenset({"this"}),
        super_words=frozenset(),
    ),
    Language(
        "swift",
        (".swift",),
        "tree_sitter_swift",
        queries=("swift",),
        readable=grammar_shims.swift,
        doc_before=frozenset({"comment", "multiline_comment"}),
        is_exported=Visibility(private=frozenset({b"private", b"fileprivate"})).shows,
        members_in_scope=True,
        nested_paths=True,
        string="String",
        typed_overloads=True,
        constructor="init",
        asks=TypeTokens("swift").kind,
        block_scoped=True,
        this_words=frozenset({"self", "Self"}),
        super_words=frozenset({"super"}),
        annotations=frozenset({"attribute"}),
    ),
    Language(
        "php",
        (".php", ".phtml"),
        "tree_sitter_php",
        "language_php",
        queries=("php",),
        wrappers=frozenset({"expression_statement"}),
        doc_before=frozenset({"comment"}),
        separator="\\",
        is_exported=Visibility(private=frozenset({b"private", b"protected"})).shows,
        imports_things=True,
        constructor="__construct",
        asks=TypeTokens("php").kind,
        this_words=frozenset({"$this", "self", "static"}),
        super_words=frozenset({"parent"}),
        alternatives=php.alternatives,
        made_results=True,
        remarks_of=php.doc_types,
        annotations=frozenset({"attribute_list"}),
    ),
    Language(
        "ruby",
        (".rb", ".rake", ".gemspec", ".podspec", ".ru", ".jbuilder"),
        "tree_sitter_ruby",
        filenames=("rakefile", "gemfile", "guardfile", "capfile", "vagrantfile", "podfile", "fastfile"),
        queries=("ruby",),
        doc_before=frozenset({"comment"}),
        separator="",
        members_in_scope=True,
        this_words=frozenset({"self"}),
        super_words=frozenset({"super"}),
        constructor="initialize",
        maker="new",
        spelled=ruby.normalise_expression,
        either=ruby.branch_expressions,
        string="String",
        bodiless=True,
        super_calls=True,
        literals=frozenset("{["),
    ),
    Language(
        "bash",
        (".sh", ".bash", ".zsh", ".bats"),
        "tree_sitter_bash",
        filenames=(".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", ".zprofile", ".zshenv"),
        queries=("bash",),
        doc_before=frozenset({"comment"}),
        separator="",
        whole_names=True,
        functions_in_lines=bash.functions_in_lines,
    ),
    *FORMATS,
)

_CPP_SIGNS = re.compile(
    rb"^[ \t]*(?:namespace\s+\w|template\s*<|class\s+\w[^;]*?[{:]|using\s+\w|(?:public|private|protected):)|\bstd::\w",
    re.MULTILINE,
)
_FLOW = re.compile(
    rb"(?:#![^\n]*+\n)?\s*+(?:/\*(?:(?!\*/|@flow).)*+@flow\b|//[^\n]*?@flow\b)", re.DOTALL
)  # types in JavaScript
_MARKUP = re.compile(rb"\s*+<[?!]")  # translations of Qt end in `.ts`, too
_POINTER = b"version https://git-lfs.github.com/spec/"  # to a file that was not fetched
BUILT_IN = LanguageTable.of(LANGUAGES)


def language_of(path: str) -> str:
    """A built-in language's name, by the file's name or its extension."""
    return BUILT_IN.language_of(path)


def language_in(path: str, content: bytes, known: LanguageTable = BUILT_IN) -> str:
    """The language's name, by the extension and, where that leaves it open, by the content: `.h` may be C++."""
    name = PLAIN if content.startswith(_POINTER) else known.language_of(path)
    if name in UNPARSED:
        run = known.language_by_shebang(path, content)
        return name if run == PLAIN else run
    if name == "javascript" and _FLOW.match(content):
        return "tsx"
    if name == "typescript" and _MARKUP.match(content):
        return "xml"
    return "cpp" if name == "c" and extension_of(path) == ".h" and _CPP_SIGNS.search(content) else name


def language_named(name: str) -> Language | None:
    """A built-in language's way of being parsed, if it has one."""
    return BUILT_IN.by_name.get(name)


@cache
def grammar(language: Language) -> "Grammar":
    from tree_sitter import Language as Grammar  # native code, needed only where files are parsed

    return Grammar(getattr(import_module(language.grammar), language.entry)())


def query_text(language: Language) -> str:
    places = [query.rpartition(":") for query in language.queries]
    texts = [get_data(package or __name__, f"{name}.scm") or b"" for package, _, name in places]
    return "\n".join(text.decode() for text in texts)


def compile_query(language: Language, text: str) -> "Query":
    from tree_sitter import Query, QueryError

    try:
        return Query(grammar(language), text)
    except QueryError:  # which an interruption becomes, while an expression in it is compiled
        Query(grammar(language), text)
        raise KeyboardInterrupt from None  # since it can be made
