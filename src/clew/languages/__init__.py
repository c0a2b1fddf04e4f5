"""The languages that Clew reads: a folder with a profile and a query each, and all that only the language needs."""

from clew.languages.bash.profile import BASH
from clew.languages.c.profile import CPP, C
from clew.languages.csharp.profile import CSHARP
from clew.languages.dart.profile import DART
from clew.languages.detection import PLAIN, UNPARSED, LanguageTable
from clew.languages.elixir.profile import ELIXIR
from clew.languages.formats import FORMATS
from clew.languages.go.profile import GO
from clew.languages.haskell.profile import HASKELL
from clew.languages.java.profile import JAVA
from clew.languages.javascript.profile import JAVASCRIPT
from clew.languages.julia.profile import JULIA
from clew.languages.kotlin.profile import KOTLIN
from clew.languages.lua.profile import LUA
from clew.languages.php.profile import PHP
from clew.languages.profile import Language
from clew.languages.python.profile import PYTHON
from clew.languages.ruby.profile import RUBY
from clew.languages.rust.profile import RUST
from clew.languages.scala.profile import SCALA
from clew.languages.swift.profile import SWIFT
from clew.languages.terraform.profile import TERRAFORM
from clew.languages.typescript.profile import TSX, TYPESCRIPT
from clew.languages.vue.profile import SVELTE, VUE
from clew.languages.zig.profile import ZIG

LANGUAGES = (
    PYTHON, JAVASCRIPT, TYPESCRIPT, TSX, GO, RUST, JAVA, KOTLIN, SCALA, CSHARP, C, CPP, SWIFT, PHP, RUBY, BASH,
    LUA, ELIXIR, HASKELL, ZIG, DART, JULIA, TERRAFORM, VUE, SVELTE, *FORMATS,
)  # fmt: skip
BUILT_IN = LanguageTable.of(LANGUAGES)
_POINTER = b"version https://git-lfs.github.com/spec/"  # to a file that was not fetched


def language_of(path: str) -> str:
    """A built-in language's name, by the file's name or its extension."""
    return BUILT_IN.language_of(path)


def language_in(path: str, content: bytes, known: LanguageTable = BUILT_IN) -> str:
    """The language's name, by the extension and, where that leaves it open, by the content: `.h` may be C++."""
    name = PLAIN if content.startswith(_POINTER) else known.language_of(path)
    if name in UNPARSED:
        run = known.language_by_shebang(path, content)
        return name if run == PLAIN else run
    language = known.by_name.get(name)
    return (language.by_content(path, content) if language and language.by_content else "") or name


def language_named(name: str) -> Language | None:
    """A built-in language's way of being parsed, if it has one."""
    return BUILT_IN.by_name.get(name)
