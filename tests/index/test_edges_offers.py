"""What files offer to others."""

from clew.model.words import EdgeKind
from tests.index.edges import edges, leads


def test_python_lists_what_it_offers() -> None:
    sources = {
        "pay/__init__.py": "from .card import Card, _own\nfrom . import gate\n"
        "__all__ = ['Card', 'gate']\n__all__ += ['top']\n"
        "def top(): ...\n",
        "pay/card.py": "class Card: ...\ndef _own(): ...\n",
        "pay/gate.py": "",
    }

    assert edges(EdgeKind.EXPORTS, sources, "pay/__init__.py") == [
        ":4 -> pay/__init__.py::top (identifier 1)",
        ":3 -> pay/card.py::Card (identifier 1)",
        ":3 -> pay/gate.py (identifier 1)",
    ]


def test_a_package_offers_what_it_takes_from_its_modules() -> None:
    sources = {
        "pay/__init__.py": "import os\nfrom .card import Card, _own\nfrom .gate import *\nfrom other import thing\n",
        "pay/card.py": "class Card: ...\ndef _own(): ...\n",
        "pay/gate.py": "def enter(): ...\n",
        "other.py": "def thing(): ...\n",
    }

    assert leads(EdgeKind.EXPORTS, sources, "pay/__init__.py") == [" -> pay/card.py::Card", " -> pay/gate.py"]
    assert leads(EdgeKind.EXPORTS, sources, "pay/card.py") == []


def test_a_package_that_lists_offers_nothing_else() -> None:
    sources = {
        "pay/__init__.py": "from .card import Card, Other\n__all__ = ['Card']\n",
        "pay/card.py": "class Card: ...\nclass Other: ...\n",
    }

    assert leads(EdgeKind.EXPORTS, sources, "pay/__init__.py") == [" -> pay/card.py::Card"]


def test_typescript_exports_and_hands_on() -> None:
    sources = {
        "index.ts": "export { Card as Paper } from './card'\nexport * from './gate'\nfunction own() {}\n"
        "function hidden() {}\n"
        "export default own\nexport const LIMIT = 3\n",
        "card.ts": "export class Card {}\n",
        "gate.ts": "export function enter() {}\n",
    }

    assert leads(EdgeKind.EXPORTS, sources, "index.ts") == [
        " -> card.ts::Card",
        " -> gate.ts",
        " -> index.ts::LIMIT",
        " -> index.ts::own",
    ]


def test_rust_hands_on_what_it_uses_in_public() -> None:
    sources = {
        "Cargo.toml": '[package]\nname = "pay"\n',
        "src/lib.rs": "mod card;\nmod gate;\npub use card::Card;\nuse card::Other;\npub use gate::*;\n",
        "src/card.rs": "pub struct Card;\npub struct Other;\n",
        "src/gate.rs": "pub fn enter() {}\n",
    }

    assert leads(EdgeKind.EXPORTS, sources, "src/lib.rs") == [" -> src/card.rs::Card", " -> src/gate.rs"]
