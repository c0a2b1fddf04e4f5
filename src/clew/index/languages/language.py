"""The profile of a language: the fields of its line in the table."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from clew.index.syntax.chains import closing_bracket, elements
from clew.model.code import Import
from clew.model.words import Kind

if TYPE_CHECKING:
    from tree_sitter import Node


# Names that a language brings along. Written down, so that the result does not depend on the Python that runs.

_PYTHON = """
ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError
BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError
ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception ExceptionGroup
False FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError
ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError
MemoryError ModuleNotFoundError NameError None NotADirectoryError NotImplemented NotImplementedError OSError
OverflowError PendingDeprecationWarning PermissionError ProcessLookupError RecursionError ReferenceError
ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError
SystemExit TabError TimeoutError True TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError
UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError __build_class__ __debug__
__doc__ __import__ __loader__ __name__ __package__ __spec__ __file__ __path__ abs aiter all anext any ascii bin bool
breakpoint bytearray bytes callable chr classmethod compile complex copyright credits delattr dict dir divmod
enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input int isinstance
issubclass iter len license list locals map max memoryview min next object oct open ord pow print property quit range
repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip
basestring unicode long unichr xrange raw_input reduce cmp file execfile reload
"""

BUILTINS: Mapping[str, frozenset[str]] = {"python": frozenset(_PYTHON.split())}

# Methods that plain containers, texts and files have: by such a name alone, nothing is known of the receiver.
COMMON = frozenset(
    """
    add all any append as_view capitalize clear close copy count create decode delete discard encode endswith exists
    extend filter find first flush format get group index insert intersection is_valid isdigit items join keys last
    list load loads log lower lstrip match next open order_by pop popitem read readline remove replace reset reverse
    rfind rsplit rstrip run save search seek send set setdefault sort split splitlines start startswith stop strip sub
    test title union update upper values wait warning write error debug info warn exception call groups groupdict span
    end cursor execute fetchone fetchall commit rollback add_argument parse_args
    """.split()
)


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


@dataclass(frozen=True, slots=True)
class Language:
    """`wrappers` are nodes that belong to the definition inside them; `exports` those that export it.

    `doc_before` are the comments that document the next definition, `leading` its attributes. The rest controls name
    lookup. A format without a fitting grammar names the module of its `splitter` (see clew.index.splitters). A query
    is the name of a file beside this one without its `.scm`, or `package:name`.
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
    private_prefix: str = ""
    filenames: tuple[str, ...] = ()  # in lower case, for files known by their name: `Rakefile`, `Dockerfile.dev`
    splitter: str = ""
    walker: str = ""  # a module that sees in a tree without errors what the query sees, at less cost
    lists_formatting: bool = True  # whether the history of a symbol lists commits that only laid it out anew
    rest: Kind = Kind.MODULE  # what stands outside of every unit; of prose and data, not a module
    annotations: frozenset[str] = frozenset()  # nodes at the start of a definition that its signature leaves out
    is_exported: "Callable[[Node, bytes, str], bool] | None" = None  # by its node, what is before its name, and that
    imports_of: "Callable[[Node, int], list[Import]] | None" = None  # what a node that imports, and its line, bring in
    separator: str = "."  # between the parts of a module's name; where there is none, importing one binds no name
    imports_as_context: bool = False  # what a chunk uses of its file's imports is ranked with it
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
    literal_type: Callable[[str], str] | None = None  # of a literal that says it, and what it holds
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
    asks: Callable[[str, str], str] | None = None  # the class that a call is handed by type arguments or what is passed
    target: str = ""  # the member of a type that is what its objects stand for: `Deref::Target`
    giving: frozenset[str] = frozenset()  # types that stand for what calling a thing gives: `ReturnType<typeof load>`

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


# Calls that return an instance of a class argument: `beans.getBean(Card.class)`, `useMemo(() => new Card())`.

_NAME = r"([^\W\d]\w*(?:\.[^\W\d]\w*)*)"
_LARGE = re.compile(r"(?<![\w.])[A-Z]\w*[a-z]\w*")  # no constant is written so
_PASSED = {
    "java": rf"{_NAME}\.class",
    "scala": rf"{_NAME}\.class",
    "kotlin": rf"{_NAME}::class(?:\.java\w*)?",
    "csharp": rf"typeof\(\s*{_NAME}\s*\)",
    "swift": rf"{_NAME}\.self",
    "php": r"([^\W\d][\w\\]*)::class",
}
_TYPED = {"csharp": "<", "kotlin": "<", "typescript": "<", "tsx": "<", "rust": "<", "go": "["}
_MAKES = {
    **dict.fromkeys(
        ("javascript", "typescript", "tsx"),
        re.compile(rf"(?:(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*=>\s*)?(new\s+{_NAME})\s*(?:<[^()]*>\s*)?(?=\()"),
    ),
    "kotlin": re.compile(r"((?:[A-Z]\w*\.)*[A-Z]\w*[a-z]\w*)\s*(?:<[^()]*>\s*)?(?=\()"),
}
_TAKES = re.compile(r"\s*(?:\w+\s*(?:,\s*\w+\s*)*->)?")  # what a block of Kotlin's begins with
_CALLS = re.compile(r"[a-z]\w*\s*(?:<[^()]*>\s*)?(?=[({])")
_ONE_TYPE = re.compile(r"(?:::)?[<\[]\s*[*&]?\s*([^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*)\s*\??\s*[>\]]")


class TypeTokens:
    """The notation of such class arguments and factories in one language."""

    def __init__(self, language: str) -> None:
        self._passed = re.compile(_PASSED[language]) if language in _PASSED else None
        self._makes = _MAKES.get(language)
        self._is_bare = language in ("javascript", "typescript", "tsx")
        self.opens = _TYPED.get(language, "")  # the bracket of type arguments

    def kind(self, types: str, given: str) -> str:
        """The class in type arguments and arguments; "" if there is none. A block stands in its own brackets."""
        if types and self.opens and (one := _ONE_TYPE.fullmatch(types.strip())):
            return one[1]
        if given.startswith("{"):
            return self._last(given[1:-1]) if self._makes and not self._is_bare else ""
        if self._is_bare and not _LARGE.search(given):
            return ""
        parts = [part for _, part in elements(f"({given})")] if self._is_token(given) else []
        return next((kind for part in parts if (kind := self._class_token(part) or self._constructed_class(part))), "")

    def _is_token(self, given: str) -> bool:
        return self._makes is not None or (self._passed is not None and bool(self._passed.search(given)))

    def _class_token(self, part: str) -> str:
        if self._is_bare:
            return part if _LARGE.fullmatch(part) else ""
        named = self._passed.fullmatch(part) if self._passed else None
        return named[1] if named else ""

    def _constructed_class(self, part: str) -> str:
        """`new Card(1)`, `() => new Card(1)`: an object of it."""
        made = self._makes.match(part) if self._makes else None
        return f"{made[1]}()" if made and closing_bracket(part, made.end()) == len(part) - 1 else ""

    def _last(self, block: str) -> str:
        """The result of a Kotlin block, or of a wrapper around it: `remember { mutableStateOf(Card()) }`."""
        begun = _TAKES.match(block)
        last = block[begun.end() if begun else 0 :].strip().rpartition("\n")[2].rpartition(";")[2].strip()
        if made := self._constructed_class(last):
            return made
        called = _CALLS.match(last)
        if called is None or closing_bracket(last, called.end()) != len(last) - 1:
            return ""
        inner = last[called.end() :]
        return self.kind("", inner if inner.startswith("{") else inner[1:-1])
