"""Questions about external names of which the language is not known: all libraries are asked."""

from clew.languages.c.library import LIBRARY as C
from clew.languages.csharp.library import LIBRARY as CSHARP
from clew.languages.csharp.library import OF_DOTNET, OF_OBJECTS, OF_SEQUENCES, READ_OF_HOLDERS
from clew.languages.csharp.profile import HOLDERS
from clew.languages.go.library import LIBRARY as GO
from clew.languages.java.library import LIBRARY as JAVA
from clew.languages.javascript.library import LIBRARY as JAVASCRIPT
from clew.languages.kotlin.library import LIBRARY as KOTLIN
from clew.languages.kotlin.library import PREFIX as KOTLIN_PREFIX
from clew.languages.kotlin.library import supertypes as supertypes_of_kotlin
from clew.languages.python import library as python
from clew.languages.ruby import library as ruby
from clew.languages.rust import library as rust
from clew.languages.scala.library import LIBRARY as SCALA
from clew.languages.swift.library import LIBRARY as SWIFT

_ALL = (C, CSHARP, GO, JAVA, JAVASCRIPT, KOTLIN, ruby.LIBRARY, rust.LIBRARY, SCALA, SWIFT)
UNIVERSAL = frozenset(name for one in _ALL for name in one.universal)
_VAGUE = tuple(one for library in _ALL for one in library.vague_results)


# Members of external types that precede extensions by a type's last name.
OWN_MEMBERS = OF_DOTNET
# External types without any member, and functions that give a text.
MEMBERLESS, GIVING_TEXT = python.MEMBERLESS, python.GIVING_TEXT
CONTAINERS = python.CONTAINERS


def has_objects(path: str) -> bool:
    """Whether the member of an external type is an object: `DateTime.Now`."""
    return path.split(".")[-2:-1] in OF_OBJECTS


def is_holder(path: str) -> bool:
    """Whether an external type holds others, of which nothing more is known."""
    return path.startswith(KOTLIN_PREFIX) or path.rpartition(".")[2] in HOLDERS


def is_held_value(path: str, name: str) -> bool:
    """Whether a member of an external holder is what it holds."""
    return name in READ_OF_HOLDERS and path.rpartition(".")[2] in HOLDERS


def makes_objects(path: str, name: str) -> bool:
    """Whether a member of an external class makes its objects."""
    return name == "new" and path.startswith("Kernel.")


def is_of_every_object(type: str, name: str) -> bool:
    """Whether all objects have a member, in a language that has a type."""
    root = type.partition(".")[0]
    return any(one.members.get(name, "").partition(".")[0] == root for one in _ALL)


def gives_anything(path: str) -> bool:
    """Whether an external function may return a value of any type."""
    holder, _, name = path.rpartition(".")
    if any(name in methods and path.startswith(prefixes) for prefixes, methods in _VAGUE):
        return True
    return name in OF_SEQUENCES and holder.rpartition(".")[2] in HOLDERS


def supertypes(path: str) -> list[str]:
    """The supertypes of an external type, by its full name; also what it can be taken for."""
    return [rust.DEREFERENCED[path]] if path in rust.DEREFERENCED else supertypes_of_kotlin(path)


def base_lacks(base: str, name: str) -> bool:
    """Whether an external base class is known not to have a member."""
    return python.lacks(base, name)


def object_lacks(path: str, name: str) -> bool:
    """Whether an external object is known not to have a member."""
    return ruby.lacks(path, name)


def type_lacks(type: str, name: str) -> bool:
    """Whether an external type is known not to have a member, or no more than every object."""
    return type in UNIVERSAL or ruby.lacks(type, name) or rust.lacks(type, name)
