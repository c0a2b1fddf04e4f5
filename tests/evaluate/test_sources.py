import pytest

from clew.evaluate.world import SourceFiles
from clew.languages import BUILT_IN

SOURCES = SourceFiles(BUILT_IN)


@pytest.mark.parametrize("path", ["src/pay/card.py", "lib/card.js", "card.go", "src/lib.rs", "src/testing.py"])
def test_code_counts(path: str) -> None:
    assert path in SOURCES


@pytest.mark.parametrize(
    "path",
    [
        *("tests/test_card.py", "card_test.go", "src/__tests__/card.js", "src/CardTest.java"),
        *("README.md", "docs/conf.py", "docs/guide.rst", "notes.ipynb"),
        *(
            "setup.py",
            "vite.config.ts",
            "app/build.gradle.kts",
            ".eslintrc.js",
            "pyproject.toml",
            "schema.sql",
            "Dockerfile",
            "LICENSE",
        ),
    ],
)
def test_tests_documents_and_settings_do_not(path: str) -> None:
    assert path not in SOURCES
