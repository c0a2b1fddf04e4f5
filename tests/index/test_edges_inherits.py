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


GO_STORE = """package store

import (
    "context"
    "net/http"
)

type Card struct{}
type Store interface {
    Get(ctx context.Context, id string) (*Card, error)
    Put(one Card) error
}
type Titled interface { Title(n int) string }
type Shown interface { String() string }
type Repo[T any] interface {
    Load(id string) (T, error)
    Save(one T) error
}
type counted interface { count() int }
type Writer interface {
    http.ResponseWriter
    Status() int
}
"""
GO_DISK = """package disk

import (
    c "context"
    "net/http"

    "shop/store"
)

type Disk struct{ root string }

func (d *Disk) Get(x c.Context, id string) (found *store.Card, err error) { return nil, nil }
func (d *Disk) Put(store.Card) error { return nil }
func (d *Disk) Title(int) string { return "" }
func (d *Disk) String() string { return "" }
func (d *Disk) count() int { return 1 }

type Numbered struct{}

func (n Numbered) Get(x c.Context, id int) (*store.Card, error) { return nil, nil }
func (n Numbered) Put(one store.Card) error { return nil }
func (n Numbered) Title(a, b int) string { return "" }
func (n Numbered) Load(id string) (store.Card, error) { return nil, nil }
func (n Numbered) Save(one store.Card) error { return nil }

type Cached struct{ *Disk }
type recorder struct{ http.ResponseWriter }

func (r recorder) Status() int { return 200 }

type bare struct{}

func (b bare) Status() int { return 200 }
"""


def test_a_go_type_implements_interfaces_by_all_of_their_methods_and_signatures() -> None:
    sources = {"go.mod": "module shop\n", "store/store.go": GO_STORE, "disk/disk.go": GO_DISK}

    assert edges(EdgeKind.IMPLEMENTS, sources, "disk/disk.go") == [
        "Disk:10 -> store/store.go::Store (span 1)",
        "Disk:10 -> store/store.go::Titled (span 1)",
        "Numbered:18 -> store/store.go::Repo (span 1)",
        "recorder:27 -> store/store.go::Writer (span 1)",
    ]


def test_an_interface_of_one_common_method_is_implemented_by_types_of_its_own_package() -> None:
    shown = "package store\n\ntype Shown interface { String() string }\n"
    named = "type Name string\n\nfunc (n Name) String() string { return string(n) }\n"
    sources = {
        "store/a.go": shown,
        "store/b.go": f"package store\n\n{named}",
        "other/c.go": f"package other\n\n{named}",
    }

    assert edges(EdgeKind.IMPLEMENTS, sources, "store/b.go") == ["Name:3 -> store/a.go::Shown (span 1)"]
    assert edges(EdgeKind.IMPLEMENTS, sources, "other/c.go") == []
