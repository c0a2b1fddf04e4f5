"""Swift modules are folders."""

import pytest

from clew.index.modules import SourceTree, files_of

WORLD = SourceTree.of({
    "Package.swift", "Sources/Pay/Card.swift", "Sources/Pay/Net/Gate.swift", "Sources/Pay/notes.md",
    "Sources/Money/Money.swift", "Tests/PayTests/CardTests.swift", "App/View.swift", "App/Deep/Model.swift",
})  # fmt: skip

PAY = ["Sources/Pay/Card.swift", "Sources/Pay/Net/Gate.swift"]


@pytest.mark.parametrize(
    ("path", "module", "expected"),
    [
        ("Tests/PayTests/CardTests.swift", "Pay", PAY),
        ("Sources/Pay/Card.swift", "Money", ["Sources/Money/Money.swift"]),
        ("Sources/Pay/Card.swift", "Money.Cents", ["Sources/Money/Money.swift"]),
        ("Sources/Pay/Card.swift", "", PAY),
        ("App/View.swift", "", ["App/Deep/Model.swift", "App/View.swift"]),
        ("Package.swift", "", ["Package.swift"]),
        ("Sources/Pay/Card.swift", "Foundation", []),
    ],
)
def test_a_module_is_the_files_of_its_folder(path: str, module: str, expected: list[str]) -> None:
    assert files_of(WORLD, "swift", path, module) == expected


def test_the_only_source_folder_is_a_module_of_its_own() -> None:
    world = SourceTree.of({"Source/Core/Session.swift", "Source/AF.swift", "Tests/SessionTests.swift"})

    assert files_of(world, "swift", "Source/AF.swift", "") == ["Source/AF.swift", "Source/Core/Session.swift"]


def test_a_package_says_where_its_targets_lie() -> None:
    said = {"target Pay": "Sources", "target PayTests": "Tests", "target Web": "./Web/Code"}
    files = {"Sources/Card.swift", "Sources/Net/Gate.swift", "Tests/CardTests.swift", "Web/Code/Page.swift"}
    world = SourceTree.of(files, settings={"Package.swift": said})
    pay = ["Sources/Card.swift", "Sources/Net/Gate.swift"]

    assert files_of(world, "swift", "Sources/Card.swift", "") == pay
    assert files_of(world, "swift", "Tests/CardTests.swift", "Pay") == pay
    assert files_of(world, "swift", "Tests/CardTests.swift", "") == ["Tests/CardTests.swift"]
    assert files_of(world, "swift", "Sources/Card.swift", "Web") == ["Web/Code/Page.swift"]


def test_a_target_may_be_called_like_the_folder_of_its_package() -> None:
    world = SourceTree.of({"Packages/Pay/Package.swift", "Packages/Pay/Sources/Pay/Card.swift", "App/View.swift"})

    assert files_of(world, "swift", "App/View.swift", "Pay") == ["Packages/Pay/Sources/Pay/Card.swift"]
