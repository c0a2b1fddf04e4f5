"""What one file says about its names, before anything outside of it is known: the ground on which calls are resolved.

A *value* is what an expression may be, told by names. It is resolved later, against the facts of all files:

- ``Def("Card::charge")``     a definition of this file
- ``Name("Card", "total")``   what is bound to a name in a scope of this file; "" is the file itself
- ``Free("helper")``          a name that nothing in this file binds: of the package, of a wildcard, or built in
- ``Free('Card"pay')``        the class that a text names, as "pay.Card": what it is passed to may make such a thing
- ``Ref("pay.card", "Card")`` what an import brings in; without a name, the module itself
- ``Attr(value, "charge")``   a member of something
- ``Made(value)``             what calling it gives: an object of a class, or what a function returns
- ``Item(value, "key")``      an element; "" where the key is not known
- ``Box("<box1>")``           a container that this file makes; its elements are the names of the scope
- ``This("Card")``            an object of a class of this file, seen from inside
- ``Super("Card")``           the same object, seen as what the class inherits
- ``Param("run", "task")``    whatever callers pass for a parameter
- ``Target(type, value)``    what objects of a type stand for, or give, if it is put into it: `Mono<Card>`
- ``Asked(value, class)``     a function that a class is handed to, whose object it may give: `find(Card.class)`
- ``Narrowed(value, kinds)``  as much of it as is of one of these classes: behind `isinstance(x, Card)`
- ``Result(3)``               what the call of that number in `calls` gives: as `Made`, but it knows what was passed

A box is a scope too: its names are keys. A key that is a number is written as one, a text of digits with a quote
before it, an unknown one as ""; ``Item(value, "*")`` is what going through it gives, ``Item(value, "2:")`` the rest
from there.
A name that is bound more than once may have bindings of its own as ``name@2``, and ``name@`` for all of them.

A type that is written down is the value of the thing it names, made: ``card: Card`` binds card to
``Made(Free("Card"))``. What cannot be told is left out.
"""

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct

from clew.languages.member_names import MemberName
from clew.model.code import Import

METHOD = "()"  # behind the name of a method that is referred to, where a field may have the same one
AWAITED = "await$"  # the member of something that is what it gives once it is there: `load().await`
QUOTE = '"'  # behind the name of a class that a text gives, before what stands there in front of it
DELEGATE = "<delegate>"  # the name in a class of Python of what its `__getattr__` takes members of
ALIASED = "<alias>"  # the name in a type of TypeScript of what it is another name for: `type Payer = Card | Gate`
MANY = "..."  # behind the last parameter of a function that takes any number
CODE, ROLE, LINK, QUALIFIED, HEADING, TITLE, DIRECTIVE = range(7)  # how prose gives a name: see `Mention`


class Def(Struct, frozen=True, array_like=True, tag=0, gc=False):
    scope: str


class ScopedName(Struct, frozen=True, array_like=True, tag=1, gc=False):
    scope: str
    name: str


class UnboundName(Struct, frozen=True, array_like=True, tag=2, gc=False):
    name: str


class ImportedName(Struct, frozen=True, array_like=True, tag=3, gc=False):
    module: str
    name: str = ""


class Attr(Struct, frozen=True, array_like=True, tag=4, gc=False):
    of: "Value"
    name: MemberName


class Call(Struct, frozen=True, array_like=True, tag=5, gc=False):
    by: "Value"


class Subscript(Struct, frozen=True, array_like=True, tag=6, gc=False):
    of: "Value"
    key: str = ""


class Container(Struct, frozen=True, array_like=True, tag=7, gc=False):
    scope: str


class This(Struct, frozen=True, array_like=True, tag=8, gc=False):
    scope: str


class Super(Struct, frozen=True, array_like=True, tag=9, gc=False):
    scope: str


class Param(Struct, frozen=True, array_like=True, tag=10, gc=False):
    scope: str
    name: str


class CallResult(Struct, frozen=True, array_like=True, tag=11, gc=False):
    call: int


class WrappedType(Struct, frozen=True, array_like=True, tag=12, gc=False):
    of: "Value"
    given: "Value"


class NarrowedValue(Struct, frozen=True, array_like=True, tag=13, gc=False):
    of: "Value"
    to: "tuple[Value, ...]"


class TypeArgumentCall(Struct, frozen=True, array_like=True, tag=14, gc=False):
    of: "Value"
    kind: "Value"


Value: TypeAlias = (
    Def
    | ScopedName
    | UnboundName
    | ImportedName
    | Attr
    | Call
    | Subscript
    | Container
    | This
    | Super
    | Param
    | CallResult
    | WrappedType
    | NarrowedValue
    | TypeArgumentCall
)
Values: TypeAlias = tuple[Value, ...]
Typed: TypeAlias = (
    Value | str
)  # a type that is written, or what is told of one: see `clew.index.extract.argument_types`


WHOLE = "="  # in `Facts.uses`, before a name that has dots


class CallFact(Struct, frozen=True, array_like=True, gc=False):
    """A call: its place and text, the possible callees, and the arguments by place and by name.

    The keywords ``*`` and ``**`` are containers of passed elements. A decorator is written with its ``@``.
    """

    scope: str
    line: int
    written: str
    callee: Values
    args: tuple[Values, ...] = ()
    keywords: dict[str, Values] = {}
    implied: bool = False  # nobody wrote it: an operator, a loop, `with`; it counts only where it leads somewhere
    count: int = -1  # how many arguments are passed, where overloads are told apart by that
    types: tuple[Typed, ...] = ()  # of arguments, as far as known, where overloads are told apart by those
    makes: bool = False  # `new Card(1)`, and not `Card(1)`
    reads: bool = False  # a member without brackets: a call only if it is a method, and takes nothing


class StoreFact(Struct, frozen=True, array_like=True, gc=False):
    """A store into a member or an element of an unknown object."""

    of: Values
    name: str
    values: Values
    item: bool = False


class MemberReference(Struct, frozen=True, array_like=True, gc=False):
    """A member of something that is named and not called: handed on, kept, or read.

    With brackets behind its name it is a method, where a field may have the same one: `this::charge` of Java.
    Of nothing, it is a parameter that something may be handed to by its name.
    """

    line: int
    of: Values
    name: str


class NameMention(Struct, frozen=True, array_like=True, gc=False):
    """A name that prose gives, and how: see `clew.index.extract.mentions`. A title is a heading that is one word."""

    scope: str
    line: int
    name: str
    how: int


class Facts(Struct, frozen=True, array_like=True):
    """By scope, where not said otherwise; the file's own scope is ""."""

    package: str = ""  # what other files of the same package call it, where the language has packages
    kinds: dict[str, str] = {}  # of every definition
    names: dict[str, dict[str, Values]] = {}  # what each name of a scope may be; a definition binds its name too
    bases: dict[str, Values] = {}  # what a class extends
    implements: dict[str, Values] = {}
    params: dict[str, tuple[str, ...]] = {}  # in order, `self` and the like included; `...` behind a last one of many
    returns: dict[str, Values] = {}
    decorators: dict[str, tuple[str, ...]] = {}  # as written
    calls: Sequence[CallFact] = ()
    imports: tuple[Import, ...] = ()
    stars: tuple[str, ...] = ()  # modules whose names are all brought in; with a dot, from where the file is
    exports: tuple[str, ...] = ()  # what is offered to others, where the language says so: names; `global using`
    stores: tuple[StoreFact, ...] = ()
    settings: dict[str, str] = {}  # of a file that configures others: go.mod, tsconfig.json, Cargo.toml, package.json
    declared: tuple[str, ...] = ()  # functions without a body: prototypes, overloads, what is abstract
    lines: dict[str, tuple[int, ...]] = {}  # that name what a class extends, then what it implements; or one for all
    # Names that each refers to, `::` and the scope of a definition, or `=` and a name that has dots; lines.
    uses: dict[str, dict[str, int]] = {}
    offers: dict[str, int] = {}  # names that the file offers, and the lines that say so; `*module` for all of one
    flows: bytes = b""  # of every call, what it does with data: see `clew.index.syntax.call_dataflow`
    mentions: tuple[NameMention, ...] = ()  # names that prose gives
    takes: dict[str, tuple[Typed, ...]] = {}  # the types of parameters, of overloads
    refers: dict[str, tuple[MemberReference, ...]] = {}  # members that each names and does not call
    quoted: tuple[str, ...] = ()  # names of classes that texts give in bodies of classes: `ForeignKey("Card")`
    signatures: dict[str, str] = {}  # of methods, where a type implements an interface by having all of its methods
