"""One line about a symbol: of its doc, or of what its name, kind and signature say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.model.words import Kind
from clew.text.summaries import LONGEST, Told, first_sentence, parameters, summary_line, words_of


@pytest.mark.parametrize(
    ("doc", "sentence"),
    [
        ("A card. It can be charged.", "A card"),
        ("A card.", "A card"),
        ("Reads e.g. a file. Then more.", "Reads e.g. a file"),
        ("Version 1.2 of it. More.", "Version 1.2 of it"),
        ("Whether it may pass!", "Whether it may pass"),
        ("A thing. @param x y", "A thing"),
        ("Charges. :param amount: how much", "Charges"),
        ("@param x y", ""),
        ("{@inheritDoc}", ""),
        ("/** Charges the card.\n * More of it.\n */", "Charges the card"),
        ("/// Charges it.", "Charges it"),
        ("Two\nlines of it\n\nand a paragraph", "Two lines of it"),
        ("检查令牌。然后返回。", "检查令牌"),
        ('/// <summary>\n/// Writes to an <see cref="ISink"/>.\n/// </summary>', "Writes to an ISink"),
        ("/** Makes a `Future<Value>` of it. */", "Makes a `Future<Value>` of it"),
        ("Gives <b>all</b> of {@link Card}. More.", "Gives all of Card"),
        ("The :class:`Card <pay.Card>` that\nis charged. More.", "The Card that is charged"),
        ("Calls :py:meth:`~pay.Card.charge`, once.", "Calls pay.Card.charge, once"),
        ("// https://example.org/registry#fetch-a-manifest\n// Fetches it.", "Fetches it"),
        ("/** See https://example.org/registry */", ""),
        ("Fetches https://example.org/registry", "Fetches https://example.org/registry"),
        ("----", ""),
        ("", ""),
    ],
)
def test_the_first_sentence_of_a_doc(doc: str, sentence: str) -> None:
    assert first_sentence(doc) == sentence


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("parse_header", "parse header"),
        ("parseHTTPHeader", "parse HTTP header"),
        ("HTTPServer2", "HTTP server2"),
        ("__all__", "all"),
        ("prüfeGröße", "prüfe größe"),
        ("X", "x"),
        ("_", "_"),
    ],
)
def test_identifiers_are_split_into_words(name: str, words: str) -> None:
    assert words_of(name) == words


@pytest.mark.parametrize(
    ("language", "signature", "name", "names"),
    [
        ("python", "def f(self, a: int = (1, 2), *args, b: dict[str, int], **kw) -> int", "f", "a args b kw"),
        ("python", "def f(a, /, b, *, c)", "f", "a b c"),
        ("typescript", "static of<T>(x: Map<string, T>, cb: (e: Error) => void)", "of", "x cb"),
        ("typescript", "hi = (name: string)", "hi", "name"),
        ("go", "func (c *Card) Charge(amount int, to string) error", "Charge", "amount to"),
        ("java", "public int charge(final String owner, List<Map<String, Integer>> all)", "charge", "owner all"),
        ("rust", "fn charge(&mut self, amount: u32) -> Result<(), Error>", "charge", "amount"),
        ("csharp", "void Charge(decimal amount = 3)", "Charge", "amount"),
        ("typescript", "function f({ a: x, b = 1, ...rest }: Props, [c, d]: [number, number])", "f", "x b rest c d"),
        ("javascript", "function f({ a, b } = {}, [c], {})", "f", "a b c"),
        ("javascript", "function f({ a", "f", ""),
        ("rust", "fn f(State(state): State<S>, (a, b): (u8, u8), Path { id }: Path<X>)", "f", "state a b id"),
        ("rust", "fn f(error: std::fmt::Error)", "f", "error"),
        ("go", "func f(http.ResponseWriter, *http.Request, chan int)", "f", ""),
        ("go", "func f(a, b int, options ...Option)", "f", "a b options"),
        ("cpp", "void f(std::function<void(int)> done, const char *name)", "f", "done name"),
        ("c", "int f(void (*done)(int), char **argv)", "f", "done argv"),
        ("python", "class Card", "Card", ""),
        ("c", "int run(void)", "run", ""),
    ],
)
def test_parameters_are_read_as_each_language_writes_them(language: str, signature: str, name: str, names: str) -> None:
    assert parameters(signature, name, language) == tuple(names.split())


SAID = {
    "Whether a token may pass": Told("check", Kind.FUNCTION, doc="Whether a token may pass. Or not."),
    "Class Card with charge, refund and 3 more": Told("Card", Kind.CLASS, members=("charge", "refund", "a", "b", "c")),
    "Class Card with charge, refund and a": Told("Card", Kind.CLASS, members=("charge", "refund", "a")),
    "Interface Payable with pay": Told("Payable", Kind.INTERFACE, members=("pay",)),
    "Class Card": Told("Card", Kind.CLASS),
    "File tokens.py with validate and expire": Told("tokens.py", Kind.FILE, members=("validate", "expire")),
    "Constant MOST_LINES": Told("MOST_LINES", Kind.VARIABLE),
    "Variable kept of Vault": Told("kept", Kind.VARIABLE, owner="Vault"),
    "Section 'Tokens'": Told("Tokens", Kind.SECTION),
    "Test: a card is charged": Told("test_a_card_is_charged", Kind.FUNCTION, "def test_a_card_is_charged(card)"),
    "Constructor of Card, taking number and owner": Told(
        "__init__", Kind.METHOD, 'def __init__(self, number: str, *, owner="x") -> None', owner="Card"
    ),
    "Constructor of Point": Told("Point", Kind.METHOD, "public Point()", owner="Point", language="java"),
    "Property size of Thing": Told("size", Kind.METHOD, "get size(): number", owner="Thing"),
    "Setter of property size of Thing": Told("size", Kind.METHOD, "set size(to: number)", owner="Thing"),
    "Gets the balance of Card": Told("getBalance", Kind.METHOD, "int getBalance()", owner="Card"),
    "Sets the balance of Card": Told("set_balance", Kind.METHOD, "def set_balance(self, to)", owner="Card"),
    "Whether Card is expired": Told("is_expired", Kind.METHOD, "def is_expired(self) -> bool", owner="Card"),
    "Card as text": Told("__str__", Kind.METHOD, "def __str__(self) -> str", owner="Card"),
    "Validate token; takes token and vault, returns bool": Told(
        "validate_token", Kind.FUNCTION, "def validate_token(token: str, vault: Vault) -> bool"
    ),
    "Get token; takes owner": Told("get_token", Kind.METHOD, "def get_token(self, owner)", owner="Vault"),
    "Run; returns int": Told("run", Kind.FUNCTION, "def run() -> int"),
    "Run": Told("run", Kind.FUNCTION, "def run() -> None"),
}


@pytest.mark.parametrize("line", SAID)
def test_what_has_no_doc_is_told_by_its_name(line: str) -> None:
    assert summary_line(SAID[line]) == line


any_text = st.text(max_size=300)


@given(any_text, st.sampled_from(Kind), any_text, any_text, any_text, st.lists(any_text, max_size=5))
def test_it_is_one_line_that_is_never_too_long(
    name: str, kind: Kind, signature: str, doc: str, owner: str, members: list[str]
) -> None:
    line = summary_line(Told(name, kind, signature, doc, "java", owner, tuple(members)))

    assert len(line) <= LONGEST
    assert len(line.splitlines()) <= 1


def test_a_long_sentence_is_cut_between_words() -> None:
    line = summary_line(Told("f", Kind.FUNCTION, doc="word " * 60))

    assert line.endswith("word…")
    assert LONGEST - 8 < len(line) <= LONGEST


@pytest.mark.parametrize(
    ("signature", "said"),
    [
        ("fn show(&self) -> fmt::Result", "returns fmt::Result"),
        ("fn show(&self) -> impl Iterator<Item = &str>", ""),  # rather nothing than half of it
        ("def show() -> dict[str, int]:", "returns dict[str, int]"),
        ("pub fn show(self) -> Self where L: Clone", "returns Self"),
    ],
)
def test_what_is_returned_is_told_whole_or_not_at_all(signature: str, said: str) -> None:
    line = summary_line(Told("show", Kind.FUNCTION, signature=signature))

    assert line.endswith(said)
    assert ("returns" in line) == bool(said)
