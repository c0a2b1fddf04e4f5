"""Includes lead to files: beside, below an include folder, or wherever only one file ends with the path."""

import pytest

from clew.index.modules import SourceTree, files_of
from clew.languages.c.imports import sources_of

WORLD = SourceTree.of({
    "src/main.c", "src/card.c", "src/card.h", "src/net/gate.c", "src/net/gate.h", "include/pay/money.h",
    "include/pay/detail/round.hpp", "lib/zip/include/zip.h", "lib/zip/zip.c", "lib/one/util.h", "lib/two/util.h",
    "compat/time.h", "deps/lua/lua.h", "deps/lua/src/lua.c",
})  # fmt: skip


@pytest.mark.parametrize(
    ("path", "include", "expected"),
    [
        ("src/main.c", "card.h", ["src/card.h"]),
        ("src/main.c", "net/gate.h", ["src/net/gate.h"]),
        ("src/net/gate.c", "../card.h", ["src/card.h"]),
        ("src/net/gate.c", "card.h", ["src/card.h"]),
        ("src/main.c", "pay/money.h", ["include/pay/money.h"]),
        ("include/pay/money.h", "pay/detail/round.hpp", ["include/pay/detail/round.hpp"]),
        ("lib/zip/zip.c", "zip.h", ["lib/zip/include/zip.h"]),
        ("src/main.c", "lua/lua.h", ["deps/lua/lua.h"]),
        ("src/main.c", "lua.h", ["deps/lua/lua.h"]),
        ("src/main.c", "util.h", []),
        ("src/main.c", "stdio.h", []),
        ("src/main.c", "time.h", []),
        ("compat/other.c", "time.h", ["compat/time.h"]),
    ],
)
def test_an_include_leads_to_a_file(path: str, include: str, expected: list[str]) -> None:
    assert files_of(WORLD, "c", path, include) == expected
    assert files_of(WORLD, "cpp", path, include) == expected


@pytest.mark.parametrize(
    ("header", "sources"),
    [("src/card.h", ["src/card.c"]), ("deps/lua/lua.h", ["deps/lua/src/lua.c"]), ("include/pay/money.h", [])],
)
def test_a_header_is_defined_by_the_file_of_its_stem(header: str, sources: list[str]) -> None:
    assert sources_of(WORLD, header) == sources
