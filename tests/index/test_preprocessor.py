"""What the preprocessor would have removed is blanked, in place, and only where it breaks a statement."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.syntax.preprocessor import readable

PIECES = [
    "#if A\n",
    "#ifdef B\n",
    "#else\n",
    "#elif C\n",
    "#endif\n",
    "{",
    "}",
    "(",
    ")",
    "f();\n",
    "/* { */",
    '"{"',
    "\n",
    "x",
]


def shown(source: str) -> str:
    """The readable source, without its blank lines."""
    return "\n".join(line.rstrip() for line in readable(source.encode()).decode().splitlines() if line.strip())


@given(st.lists(st.sampled_from(PIECES)))
def test_every_place_stays_where_it_is(pieces: list[str]) -> None:
    source = "".join(pieces).encode()
    result = readable(source)

    assert len(result) == len(source)
    assert all(now in (was, ord(" ")) for now, was in zip(result, source, strict=True))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("#ifdef A\nif (a) {\n#else\nif (b) {\n#endif\n}", "if (a) {\n}"),
        ('#ifdef __cplusplus\nextern "C" {\n#endif\nint f();\n#ifdef __cplusplus\n}\n#endif', "int f();"),
        ("f(a,\n#ifdef A\nb,\n#else\nc,\n#endif\nd);", "f(a,\nb,\nd);"),
        ("#ifdef _WIN32\nint wmain() {\n#else\nint main() {\n#endif\n}", "int main() {\n}"),
        ("#if 0\nif (a) {\n#else\nif (b) {\n#endif\n}", "if (b) {\n}"),
        ("static int f\n#ifdef A\n(a)\n#else\n(b)\n#endif\n{}", "static int f\n(a)\n{}"),
        ("class PAY_API Card : Base {};", "class         Card : Base {};"),
        ("PAY_API void f();", "        void f();"),
        ("BEGIN_NAMESPACE\nint x;", "int x;"),
        (
            "struct Card { PAY_CONSTEXPR Card(int x) : x(x) {} };",
            "struct Card {               Card(int x) : x(x) {} };",
        ),
        ("void f() PAY_LOCKS(mutex);", "void f()                 ;"),
        ("void f() const override PAY_LOCKS(mutex);", "void f() const override                 ;"),
        ("Card(int x) PAY_LOCKS(x)\n: x_(x) {}", "Card(int x)\n: x_(x) {}"),
        ("int f() const PAY_NOEXCEPT override;", "int f() const              override;"),
        ("PAY_INLINE Card::Card(int x) {}", "           Card::Card(int x) {}"),
        ("void PAY_INLINE pay::List<T>::fill() {}", "void            pay::List<T>::fill() {}"),
        ("PAY_API Card* Bank::open();", "        Card* Bank::open();"),
        ("class PAY_API Card;", "class         Card;"),
        ("void f() {\nPAY_TRY { g(); }\n}", "void f() {\n        { g(); }\n}"),
        ("void f(const Card& card = {});", "void f(const Card& card     );"),
        ("#define F(a) do { /* none */; } while (0)", "#define F(a) do {           ; } while (0)"),
        ('int a[] = {\n{1},\n#include "b.inc"\n#define N(x) {x},\nN(1)\n#undef N\n};', "int a[] = {\n{1},\nN(1)\n};"),
        ("Card* const card_ GUARDED_BY(mutex_) = 0;", "Card* const card_                    = 0;"),
        ("Card(int x)\n:\n#if A\nx_(x),\n#endif\ny_(x) {}", "Card(int x)\n:\nx_(x),\ny_(x) {}"),
    ],
)
def test_what_cuts_a_statement_is_blanked(source: str, expected: str) -> None:
    assert shown(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "#ifdef A\nint f() { return 1; }\n#else\nint f() { return 2; }\n#endif\n",
        "#ifndef H\n#define H\nint f();\n#endif\n",
        "MY_TYPE x = MY_MACRO(1);\n",
        "#if MY_FLAG\nint x;\n#endif\n",
        "static Card MAX_CARD(int a);\n",
        "struct PAY_CARD card;\n",
        "#define MOST 3 /* cards */\n",
        "struct Card {\n#define MOST 3\nint a[MOST];\n};\nvoid f() {\n#undef MOST\n}\n",
        "// of the bank\nTEST_F(CardTest, Opens) {}\n",
        "PAY_CARD open(int a);\n",
        "else return MAX_CARD(a);\n",
        "case MAX_OF(3):\n#if A\nf();\n#endif\n",
    ],
)
def test_what_can_be_read_stays(source: str) -> None:
    assert readable(source.encode()) == source.encode()


def test_what_reads_well_but_as_something_else_is_blanked_all_the_same() -> None:
    source = b"LAST_ONE\nstruct PAY_API Card { Bank* bank GUARDED_BY(mutex); };"

    assert readable(source, is_broken=False) == b"LAST_ONE\nstruct         Card { Bank* bank                  ; };"


@pytest.mark.parametrize("part", ["a<x>::", "int a PAY_BY(x); ", "PAY_BY ", "={,", "PAY_BY a<"])
def test_the_time_it_takes_grows_with_the_text(part: str) -> None:
    """Each of them, so often, took seconds to minutes where a pattern could match in several ways."""
    start = time.process_time()
    readable(b"PAY_BY " + part.encode() * 3000)

    assert time.process_time() - start < 2
