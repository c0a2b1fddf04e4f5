"""The profile of a language: plain data about it, and the functions that read what only it has.

Functions of built-in languages are named by module (`lazy`), so that a profile costs nothing to read.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from clew.model.code import Import
from clew.model.words import Kind

if TYPE_CHECKING:
    from tree_sitter import Node

    from clew.languages.member_names import MemberName, PassedValue


def lazy(place: str) -> Callable[..., Any]:
    """A function by its `module:name`, loaded when it is first called."""
    found: list[Callable[..., Any]] = []

    def call(*given: Any) -> Any:
        if not found:
            module, _, name = place.partition(":")
            found.append(getattr(import_module(module), name))
        return found[0](*given)

    return call


# Visibility of a definition by the modifiers before its name and the enclosing nodes.

_WORD = re.compile(rb"\b\w+\b(?!\()")  # Swift's `private(set)` hides nothing


@dataclass(frozen=True, slots=True)
class Visibility:
    """Which definitions others see, by the words before a name and by the nodes that it stands in."""

    public: frozenset[bytes] = frozenset()  # words that show a name; where there are none, all names are shown
    private: frozenset[bytes] = frozenset()  # words that hide it
    open: frozenset[str] = frozenset()  # nodes that are shown unless they are hidden
    holders: frozenset[str] = frozenset()  # nodes whose members are
    closed: frozenset[str] = frozenset()  # nodes whose members are hidden

    def shows(self, node: "Node", before: bytes, name: str) -> bool:
        """Whether a definition is visible to others; `before` is the text before its name."""
        parent = node.parent
        holder = parent.parent if parent else None
        around = {one.type for one in (parent, holder) if one}
        words = set(_WORD.findall(before))
        if words & self.private or (parent and parent.type in self.closed):
            return False
        return not self.public or bool(words & self.public or node.type in self.open or around & self.holders)


THERE = 0  # seen from where the name stands on


class PatternBinding(NamedTuple):
    """A binding: its kind and place, the expression of its value, and a path of members; visible behind `end`.

    The value extends to the end of `last`, if there is one.
    """

    kind: str
    name: "Node"
    end: int
    value: "Node | None" = None
    members: "tuple[MemberName, ...]" = ()
    last: "Node | None" = None


class DocType(NamedTuple):
    """A type in a comment: of a `field`, of a name (`typed`) or of the `result` of a function."""

    kind: str
    at: int  # a place inside of what it belongs to
    name: str
    type: str


class HeadedBlock(NamedTuple):
    """A function as its lines show it, in bytes."""

    start: int
    doc: tuple[int, int] | None
    name_start: int
    name_end: int
    head_end: int
    end: int


TYPE_PATH = r"([^\W\d]\w*(?:\.[^\W\d]\w*)*)"  # of `ClassTokens`: the name of a class, with those around it


class ClassTokens(NamedTuple):
    """How a call is given the class of its result: `beans.getBean(Card.class)`, `useMemo(() => new Card())`.

    The forms are regular expressions with the class as their first group.
    """

    token: str = ""  # an argument that names it: `Card.class`
    bracket: str = ""  # that opens type arguments
    factory: str = ""  # the start of an expression that makes an object of it, up to its bracket
    bare: bool = False  # a class may be passed by its mere name
    blocks: bool = False  # the last expression of a block of code may make it


@dataclass(frozen=True, slots=True)
class Language:
    """`wrappers` are nodes that belong to the definition inside them; `exports` those that export it.

    `doc_before` are the comments that document the next definition, `leading` its attributes. The rest controls name
    lookup. A format without a fitting grammar names the module of its `splitter` (see clew.index.splitters). A query
    is the name of a built-in language, or `package:name` for the file `name.scm` of a package.
    """

    name: str
    extensions: tuple[str, ...]
    grammar: str = ""
    entry: str = "language"
    queries: tuple[str, ...] = ()
    wrappers: frozenset[str] = frozenset()
    exports: frozenset[str] = frozenset()
    doc_before: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset()
    leading_text: re.Pattern[bytes] | None = None  # how such nodes begin, if not all of a type lead
    private_prefix: str = ""
    filenames: tuple[str, ...] = ()  # in lower case, for files known by their name: `Rakefile`, `Dockerfile.dev`
    interpreters: tuple[str, ...] = ()  # programs of other names that run its scripts: `sh`, `node`
    by_content: Callable[[str, bytes], str] | None = None  # another language that a file is in, by its path and content
    splitter: str = ""
    walker: str = ""  # a module that sees in a tree without errors what the query sees, at less cost
    lists_formatting: bool = True  # whether the history of a symbol lists commits that only laid it out anew
    rest: Kind = Kind.MODULE  # what stands outside of every unit; of prose and data, not a module
    annotations: frozenset[str] = frozenset()  # nodes at the start of a definition that its signature leaves out
    is_exported: "Callable[[Node, bytes, str], bool] | None" = None  # by its node, what is before its name, and that
    imports_of: "Callable[[Node, int], list[Import]] | None" = None  # what a node that imports, and its line, bring in
    separator: str = "."  # between the parts of a module's name; where there is none, importing one binds no name
    imports_as_context: bool = False  # what a chunk uses of its file's imports is ranked with it
    submodules: str = ""  # between a module and a name taken from it that may be a module itself
    namespaces: bool = False  # a module is a namespace of many files, of which none stands for the others
    imports_things: bool = False  # `import a.b.C` brings the thing C of a.b, and not a module of that name
    members_in_scope: bool = False  # inside of a class, its members go by their bare names
    companions: bool = False  # a class and an object of one name are two
    large_members: bool = False  # members begin with a large letter, as types do
    this_words: frozenset[str] = frozenset({"this", "self", "$this", "@", "Self", "static"})
    super_words: frozenset[str] = frozenset({"super", "parent", "base"})  # names of variables, where they are not words
    super_calls: bool = False  # `super(…)` is the same method of what is above, and not its constructor
    lexical: frozenset[str] = frozenset()  # functions that have no `this` of their own
    block_scoped: bool = False  # names are bound in blocks and in functions without a name, and unknown outside
    rebinds: bool = False  # a name may be bound anew in the same block, to something else
    whole_names: bool = False  # a name is a word, whatever is in it: `log::info`, `set-up`
    bodiless: bool = False  # a function without a body is whole all the same, and not a declaration
    redeclares: bool = False  # a function may be declared, even several times, before it is defined
    loads: frozenset[str] = frozenset()  # functions that give the module they are called with
    maker: str = ""  # the member of a class that makes an object: `Card.new`
    callers: tuple[str, ...] = ()  # how what calls a function that it is a member of ends: `run.call(this)`
    copiers: tuple[str, ...] = ()  # functions that give back what they are given, or a copy of it
    handing: frozenset[str] = frozenset()  # functions from elsewhere that give back what they are given first
    silent: str = ""  # a character that says nothing of what an expression is: TypeScript's `card!`
    literals: frozenset[str] = frozenset()  # brackets that make a container of what is in them
    parted_overloads: bool = False  # definitions of a name that stand in several files or classes are told apart, too
    typed_overloads: bool = False  # which definition of a name is meant, the types of arguments tell
    constructor: str = ""  # the method that sets up a new object, if it is not called so
    implicit: frozenset[str] = frozenset()  # names that it binds by itself, to what cannot be told: `it`
    every_type: str = ""  # that everything is of, where what is added to a type parameter is added to its bound
    string: str = ""  # the type of a literal text, where that has methods
    module_roots: frozenset[str] = frozenset()  # names that a module's path may start with: `crate`, `super`
    preprocessed: bool = False  # by C's preprocessor
    readable: Callable[[bytes], Iterable[bytes]] | None = None  # the same text, byte by byte, as more of it is read
    functions_in_lines: "Callable[[bytes], Iterable[HeadedBlock]] | None" = None  # where the grammar rejects something
    declarators: bool = False  # names stand inside of what they are declared as: `*names[3]`, `Card::charge(int x)`
    nested_paths: bool = False  # the path of a type tells the types that it stands in, and not modules: `Outer.Inner`
    dollars: bool = False  # a dollar is a letter of a name, and no mark before it
    bound_as: Callable[[str], str] | None = None  # what an import of a module is called, if not by its last part
    spelled: Callable[[str], str] | None = None  # an expression in words that all languages share; "" if there are none
    asserted_type: Callable[[str], str] | None = None  # of a value that is there to assert what its type implements
    either: Callable[[str], list[str]] | None = None  # the values that an expression may have, if more than one
    bindings_of: "Callable[[Node], Iterable[PatternBinding]] | None" = None  # of the captures `@binding`
    callbacks_of: "Callable[[Node], Iterable[tuple[PassedValue, Node]]] | None" = (
        None  # of `@callback`: what functions pass
    )
    own_fields_of: "Callable[[Node], Iterable[tuple[str, Node]]] | None" = (
        None  # of `@fields`: members with their types
    )
    callee_of: "Callable[[Node, bytes], bytes] | None" = None  # of `@call.dotted`: the whole callee of a call
    facts_of: Callable[..., Any] | None = None  # facts of a file, where they are not extracted by its query
    signatures_of: Callable[..., dict[str, str]] | None = None  # of methods, to be compared across files
    takes_of: Callable[..., dict[str, tuple[str, ...]]] | None = None  # parameters that tell overloads apart
    typing_of: Callable[..., Any] | None = None  # reads types of arguments, if not as most languages write them
    narrowings_of: Callable[..., Any] | None = None  # of expressions, if not by `@narrowed` alone
    named_callables: bytes = b""  # a method that a text or a symbol names: a pattern with the groups `of` and `name`
    shares_names: bool = False  # files see names of other files without importing them
    large_names: bool = False  # of these, only those that begin with a large letter
    member_arrows: bool = False  # members stand behind `->`, too
    bare_members: bool = True  # a member of something unknown may be referred to by its chain alone
    at_types: bool = False  # `@Card` refers to a type
    bare_colons: bool = False  # `::charge` refers to something
    method_values: bool = False  # the bare name of a method is a value
    colon_methods: bool = False  # `card::charge` refers to a method
    pointer_methods: bool = False  # `(*Card).charge` refers to a method
    located_types: bool = False  # what a type implements is told by its line, and by nothing that is written there
    nests_comments: bool = False
    shown_by_word: bool = False  # nothing is visible to others without a word that says so
    shown_by_case: bool = False  # names that begin with a large letter are visible to others
    class_bodies_of_self: bool = False  # methods in `class << self` are the class's own
    inner_receivers: bool = False  # an extension may be of a nested type, by its path
    holder_modules: tuple[str, ...] = ()  # modules of the language's own that `holders` are in
    imported_holders: bool = False  # `holders` are known only where they are imported
    merges_clauses: bool = False  # definitions of one name that follow each other are clauses of one function
    heads_like_calls: bool = False  # the head of a definition is written like a call of it
    own_holders: frozenset[str] = frozenset()  # of `holders`, those that are known without an import
    declared_apart: bool = False  # a function is declared in one file and defined in another
    reopens_classes: bool = False  # a class may be written in many files
    shape_only: bool = False  # nothing says what a type implements: having the methods is enough
    unchecked_types: bool = False  # anything may be passed anywhere
    named_tests: bool = True  # test runners address functions by their names, and not only files
    own_calls: str = ""  # names by which the language calls things itself: a regular expression
    trait_mark: str = ""  # how a method begins that no trait asks for: a regular expression
    opening_words: frozenset[str] = frozenset()  # words of a class that is written in several parts
    marks_methods: bool = False  # `Card#charge` is a method of objects, `Card.make` one of the class
    opens_classes: bool = False  # any file may open any class again, which is the same in the whole project
    docs_by_part: bool = False  # the documentation of a part of a class describes only that part
    varying_attributes: bool = False  # an attribute of a class may hold another object in each of its objects
    class_bodies_run: bool = False  # the body of a class may call functions
    sees_all_names: bool = False  # its reader sees everything that may hide a name
    all_in_units: bool = False  # text outside of units says nothing
    part_queries: tuple[str, ...] = ()  # further queries for a part of a file, if its walker needs a whole one
    inline_tests: bytes = b""  # a pattern of the marks of tests that lie in the files that they test
    side: str = ""  # the same for languages whose symbols are told apart alike
    types_first: bool = False  # `String token`, rather than `token: String`
    destructures: bool = False  # a parameter may be a pattern: `{ card, bank }`
    bare_types: bool = False  # parameters may be types alone
    bodies_define: bool = False  # a function without a body is one that is only declared
    functions_apart: bool = False  # functions stand outside of their types
    may_be_minified: bool = False
    literal_type: Callable[[str], str] | None = None  # of a literal that says it, and what it holds
    macro_result: Callable[[str], str] | None = None  # the last expression of a macro's body
    results_of: Callable[[str], list[str]] | None = None  # the types of several results, as they are written together
    alternatives: Callable[[str], list[str]] | None = None  # all that a written type may be: `Card|Gate`
    made_results: bool = False  # what is made in every `return` says more than the type of the result
    remarks_of: Callable[[bytes], Iterable[DocType]] | None = None  # what the comments of a file tell of types
    fields_of: Callable[[str], list[tuple[str, str]]] | None = None  # names and types of what a nameless type holds
    constructors: bool = True  # a member that is called like its class makes its objects
    containers: frozenset[str] = frozenset()  # types of which the last argument is what they hold
    holders: frozenset[str] = frozenset()  # the same of types that stay what they are, with members of their own
    held_by: Callable[[str, list[str]], str] | None = None  # what a holder holds, if not its last argument
    pointed: Callable[[str], str] | None = None  # the type of what an iterator's type points into, if it is one
    hands_on: bool = False  # to bring in all of a module is to offer it to others
    transparent: frozenset[str] = frozenset()  # types and methods that stand for what they wrap: `Box<T>`, `unwrap()`
    standing: frozenset[str] = frozenset()  # types that are asked for to get at what they name: `impl AsRef<Card>`
    own_types: frozenset[str] = frozenset()  # of the language's own library that hold nothing: `std::string`
    class_tokens: ClassTokens | None = None  # how a call is handed the class of what it gives
    target: str = ""  # the member of a type that is what its objects stand for: `Deref::Target`
    giving: frozenset[str] = frozenset()  # types that stand for what calling a thing gives: `ReturnType<typeof load>`
    builtins: frozenset[str] = frozenset()  # names that it brings along
    module_files: "Callable[[Any, str, str], list[str]] | None" = None  # files of a module, seen from a path of a tree
    manifests: tuple[str, ...] = ()  # files, or their endings, that state the dependencies of its projects
    services: str = ""  # the forms of its services, `module:name`; without, none are read
    rules: str = ""  # the class of its rules of resolution, `module:name`, if not the default ones
    plugin: str = ""  # the package that brings it, and its version

    def __hash__(self) -> int:
        return hash(self.name)  # and not of all that it says: it is asked for with every file

    @property
    def is_code(self) -> bool:
        """And neither prose nor data."""
        return self.rest is Kind.MODULE and not self.splitter

    def bare(self, name: str) -> str:
        """A name without the marks that stand before it."""
        return name.lstrip("#" if self.dollars else "#$")

    def path_of(self, module: str) -> list[str]:
        """The parts of a module's name."""
        return module.split(self.separator) if self.separator else []
