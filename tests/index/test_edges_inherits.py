"""What is extended or implemented, and the line that says so."""

import pytest

from clew.model.words import EdgeKind
from tests.index.edges import edges

RUST = {
    "src/lib.rs": "pub mod pay;\npub mod card;\n",
    "src/pay.rs": "pub trait Pay {}\npub trait Show {}\n",
    "src/card.rs": "use crate::pay::{Pay, Show};\n\npub struct Card;\n\nimpl Pay for Card {}\n\nimpl Show for Card {}\n"
    "\nimpl Pay for String {}\n",
}
GO = {
    "store.go": "package shop\n\ntype Store interface {\n\tGet() string\n}\n",
    "disk.go": 'package shop\n\ntype disk struct{}\n\nfunc (d *disk) Get() string { return "" }\n\n'
    "var _ Store = (*disk)(nil)\n",
}
RUBY = {
    "pay.rb": "module Pay\nend\n\nclass Base\nend\n",
    "card.rb": "class Card < Base\n  X = 1\n\n  include Pay\nend\n",
}


@pytest.mark.parametrize(
    ("sources", "path", "kind", "found"),
    [
        (
            RUST,
            "src/card.rs",
            EdgeKind.IMPLEMENTS,
            [
                "Card:5 -> src/pay.rs::Pay (identifier 1)",
                "Card:7 -> src/pay.rs::Show (identifier 1)",
                "String:9 -> src/pay.rs::Pay (identifier 1)",
            ],
        ),
        (GO, "disk.go", EdgeKind.IMPLEMENTS, ["disk:7 -> store.go::Store (identifier 1)"]),
        (
            RUBY,
            "card.rb",
            EdgeKind.INHERITS,
            ["Card:1 -> pay.rb::Base (identifier 1)", "Card:4 -> pay.rb::Pay (identifier 1)"],
        ),
    ],
)
def test_the_line_is_that_which_says_so(sources: dict[str, str], path: str, kind: EdgeKind, found: list[str]) -> None:
    assert edges(kind, sources, path) == found


def test_in_rust_nothing_is_implemented_but_traits() -> None:
    sources = {
        "src/kinds.rs": "pub enum Kind { Pay }\n",
        "src/pay.rs": "pub trait Pay {}\n",
        "src/card.rs": "use crate::kinds::Kind::Pay;\nuse crate::pay::Pay;\n\nstruct Card;\n\nimpl Pay for Card {}\n",
    }

    assert edges(EdgeKind.IMPLEMENTS, sources, "src/card.rs") == ["Card:6 -> src/pay.rs::Pay (identifier 1)"]
