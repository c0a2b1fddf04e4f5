"""PHP names lead to the files that declare their namespace."""

import pytest

from clew.index.modules import SourceTree, files_of

PATHS = {
    "src/Card.php": "Pay", "src/Gate.php": "Pay", "src/functions.php": "Pay", "src/Net/Http.php": "Pay\\Net",
    "src/Net/Ftp.php": "Pay\\Net", "lib/boot.php": "", "index.php": "",
}  # fmt: skip
WORLD = SourceTree.of(PATHS, [("php", package, path) for path, package in PATHS.items()])


@pytest.mark.parametrize(
    ("path", "module", "expected"),
    [
        ("index.php", "Pay\\Card", ["src/Card.php"]),
        ("index.php", "\\Pay\\Net\\Http", ["src/Net/Http.php"]),
        ("index.php", "Pay\\Net", ["src/Net/Ftp.php", "src/Net/Http.php"]),
        ("index.php", "Pay", ["src/Card.php", "src/Gate.php", "src/functions.php"]),
        ("index.php", "Pay\\round_up", ["src/functions.php"]),
        ("index.php", "Psr\\Log", []),
        ("index.php", "Pay\\Missing", []),
        ("index.php", "Exception", []),
        ("index.php", "lib/boot.php", ["lib/boot.php"]),
        ("src/Card.php", "/../lib/boot.php", ["lib/boot.php"]),
        ("src/Card.php", "boot.php", ["lib/boot.php"]),
        ("src/Card.php", "missing.php", []),
    ],
)
def test_a_name_leads_to_files(path: str, module: str, expected: list[str]) -> None:
    assert files_of(WORLD, "php", path, module) == expected
