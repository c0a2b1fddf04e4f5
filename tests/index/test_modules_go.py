"""Packages of Go are folders, found by the modules that they are in."""

import pytest

from clew.index.modules import SourceTree, files_of
from clew.index.settings_files import settings_of

GO_MOD = """
module example.org/shop // the shop

go 1.22

require example.org/gate v1.2.0

replace example.org/gate v1.2.0 => ../gate
replace (
	example.org/tools => ./tools // local
	example.org/far => example.org/fork v1.0.0
)
"""

WORLD = SourceTree.of(
    {
        "shop/go.mod", "shop/main.go", "shop/main_test.go", "shop/pay/card.go", "shop/pay/gate.go",
        "shop/pay/card_test.go", "shop/pay/export_test.go", "shop/pay/README.md", "shop/vendor/example.org/lib/lib.go",
        "shop/nested/go.mod", "shop/nested/deep/deep.go", "shop/tools/tool.go", "gate/go.mod", "gate/gate.go",
        "loose/x.go",
    },
    settings={
        "shop/go.mod": settings_of("shop/go.mod", GO_MOD),
        "shop/nested/go.mod": {"module": "example.org/shop/nested"},
        "gate/go.mod": {"module": "example.org/gate/v2"},
    },
)  # fmt: skip


@pytest.mark.parametrize(
    ("path", "module", "expected"),
    [
        ("shop/main.go", "example.org/shop/pay", ["shop/pay/card.go", "shop/pay/gate.go"]),
        ("shop/main.go", "example.org/shop/nested/deep", ["shop/nested/deep/deep.go"]),
        ("shop/pay/card_test.go", "example.org/shop/pay",
         ["shop/pay/card.go", "shop/pay/export_test.go", "shop/pay/gate.go"]),
        ("shop/main_test.go", "example.org/shop/pay", ["shop/pay/card.go", "shop/pay/gate.go"]),
        ("shop/pay/card.go", "example.org/shop", ["shop/main.go"]),
        ("shop/main.go", "example.org/lib", ["shop/vendor/example.org/lib/lib.go"]),
        ("gate/gate.go", "example.org/lib", []),
        ("shop/main.go", "example.org/gate", ["gate/gate.go"]),
        ("gate/gate.go", "example.org/gate", []),
        ("shop/main.go", "example.org/gate/v2", ["gate/gate.go"]),
        ("shop/nested/deep/deep.go", "example.org/shop/pay", ["shop/pay/card.go", "shop/pay/gate.go"]),
        ("shop/main.go", "example.org/tools", ["shop/tools/tool.go"]),
        ("shop/main.go", "example.org/far", []),
        ("shop/main.go", "example.org/shopping", []),
        ("shop/main.go", "fmt", []),
        ("shop/main.go", "C", []),
        ("shop/main.go", "./pay", ["shop/pay/card.go", "shop/pay/gate.go"]),
        ("loose/x.go", "example.org/shop/missing", []),
    ],
)  # fmt: skip
def test_an_import_leads_to_the_files_of_a_package(path: str, module: str, expected: list[str]) -> None:
    assert files_of(WORLD, "go", path, module) == expected


def test_a_module_says_its_name_and_what_stands_for_others() -> None:
    assert settings_of("go.mod", GO_MOD) == {
        "module": "example.org/shop",
        "replace example.org/gate": "../gate",
        "replace example.org/tools": "./tools",
    }
    assert settings_of("go.mod", "") == settings_of("main.go", GO_MOD) == {}
