"""Java, Kotlin and Scala find each other's files by package; without packages, by their places."""

import pytest

from clew.index.modules import SourceTree, files_of

PACKAGES = [
    ("java", "pay", "core/src/main/java/pay/Card.java"),
    ("java", "pay", "core/src/main/java/pay/Gate.java"),
    ("kotlin", "pay", "app/src/main/kotlin/pay/Fees.kt"),
    ("kotlin", "pay.web", "app/src/main/kotlin/web/Routes.kt"),
    ("scala", "pay.deep", "deep/src/pay/deep/package.scala"),
    ("scala", "pay.deep.log", "deep/src/pay/deep/log/Log.scala"),
]
WORLD = SourceTree.of([path for _, _, path in PACKAGES], PACKAGES)


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("pay.Card", ["core/src/main/java/pay/Card.java"]),
        ("pay.Card.Kind", ["core/src/main/java/pay/Card.java"]),  # an inner type, or a static member
        ("pay.fee", ["app/src/main/kotlin/pay/Fees.kt"]),  # a function at the top of some Kotlin file
        ("pay.web.Routes", ["app/src/main/kotlin/web/Routes.kt"]),  # a package need not be a folder
        ("pay.deep", ["deep/src/pay/deep/package.scala"]),
        ("java.util.List", []),
        ("payment.Card", []),
        ("pay.other.Card", []),  # a package that is elsewhere
    ],
)
def test_a_name_leads_to_files(module: str, expected: list[str]) -> None:
    assert files_of(WORLD, "java", "core/src/main/java/pay/Use.java", module) == expected


def test_a_package_is_all_its_files_in_every_language() -> None:
    assert files_of(WORLD, "kotlin", "app/Main.kt", "pay") == [
        "app/src/main/kotlin/pay/Fees.kt",
        "core/src/main/java/pay/Card.java",
        "core/src/main/java/pay/Gate.java",
    ]


def test_scala_looks_in_the_packages_around() -> None:
    assert files_of(WORLD, "scala", "deep/src/pay/deep/Use.scala", "log.Log") == ["deep/src/pay/deep/log/Log.scala"]
    assert files_of(WORLD, "java", "deep/src/pay/deep/Use.java", "log.Log") == []


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("pay.Card", ["core/src/main/java/pay/Card.java"]),
        ("pay.Card.charge", ["core/src/main/java/pay/Card.java"]),
        ("pay", ["core/src/main/java/pay/Card.java", "core/src/main/java/pay/Gate.java"]),
        ("other.Card", []),
    ],
)
def test_without_packages_places_tell(module: str, expected: list[str]) -> None:
    world = SourceTree.of(path for language, _, path in PACKAGES if language == "java")

    assert files_of(world, "java", "core/src/test/java/pay/CardTest.java", module) == expected
