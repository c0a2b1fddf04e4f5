"""C# namespaces lead to files, types to those of their name."""

import pytest

from clew.index.modules import SourceTree, files_of

PACKAGES = [
    ("csharp", "Pay", "src/Card.cs"),
    ("csharp", "Pay", "src/Card.Charging.cs"),
    ("csharp", "Pay", "src/Types.cs"),
    ("csharp", "Pay.Web", "src/web/Routes.cs"),
]
WORLD = SourceTree.of([path for _, _, path in PACKAGES], PACKAGES)
ALL = ["src/Card.Charging.cs", "src/Card.cs", "src/Types.cs"]


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("Pay", ALL),
        ("Pay.Web", ["src/web/Routes.cs"]),
        ("global::Pay.Web", ["src/web/Routes.cs"]),
        ("Pay.Card", ["src/Card.Charging.cs", "src/Card.cs"]),  # a partial class
        ("Pay.Remote", []),  # a namespace of another assembly
        ("System.IO", []),
    ],
)
def test_a_using_leads_to_files(module: str, expected: list[str]) -> None:
    assert files_of(WORLD, "csharp", "src/Use.cs", module) == expected
