"""Names are found inside of what they are declared as."""

import pytest

from clew.index.syntax.definitions import parse_declarator


@pytest.mark.parametrize(
    ("text", "path", "takes"),
    [
        ("name", "name", False),
        ("*names[3]", "names", False),
        ("**matrix(void)", "matrix", True),
        ("(*hook)(int x)", "hook", False),
        ("*const pointer", "pointer", False),
        ("*__restrict pointer", "pointer", False),
        ("__hidden(int x)", "__hidden", True),
        ("&&moved", "moved", False),
        ("...rest", "rest", False),
        ("Card<T>::at(int i)", "Card::at", True),
        ("Outer<A<int>>::Inner<B>::f(x)", "Outer::Inner::f", True),
        ("pay::Card::~Card()", "pay::Card::~Card", True),
        ("operator==(const Card& other)", "operator==", True),
        ("Card::operator()(int x)", "Card::operator()", True),
        ("operator[](int i)", "operator[]", True),
        ("operator bool() const", "operator bool", True),
        ('operator""_cents(long amount)', 'operator""_cents', True),
        ("operator_name", "operator_name", False),
        ("Outer.Inner", "Outer::Inner", False),
        ("*", "", False),
    ],
)
def test_a_declarator_has_a_name(text: str, path: str, takes: bool) -> None:
    found = parse_declarator(text)

    assert ("::".join(found.path), found.takes) == (path, takes)
