"""What is newer than a grammar, or hidden by macros, is read as what it is, and in its place."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.syntax.parse import Outline, outline
from clew.languages import LANGUAGES, language_named
from clew.languages.profile import Language

READ = {
    "python": [
        "class Name[T: int = bool, *Ts = *tuple[int, ...]]:\n    pass",
        "type Name[T = list[int]] = dict[str, T]",
        "def Name[T = int](card: T = None) -> T:\n    return card",
        "def Name(a, b):\n    return *(a), *[b]\n",
        "lazy import cards\nlazy from gates import gate\n\ndef Name():\n    pass",
    ],
    "typescript": [
        "interface Name {\n  (card: Card): Gate\n  <T>(card: T): T\n  <\n    T,\n  >(): T\n}",
        "interface Name {\n  in<T>(card: T): Gate<T>\n  in<T>(): Gate<T>\n}",
        'export type * from "./cards"\nclass Name {}',
        "import defer * as cards from './cards'\nclass Name {}",
        'export * as cards from "./cards" with { type: "json" };\nclass Name {}',
        "class Name { accessor total = 1; static accessor most = 2 }",
        "class Name { accessor!: Card; accessor(): Card { return this.accessor } }",
        "interface Name<in Key, out Value = unknown> { get(key: Key): Value }",
        "type Name = { cards?: import('./cards').Card[] }",
        "async function Name() { return load<typeof import('./cards')>() }",
    ],
    "kotlin": [
        "class Name {\n    val state: State<Card>\n        field = Changing(Card())\n}",
        "class Name {\n    fun pay() { private = 3 }\n}",
        "class Gate\nobject Name : Payer() { override fun pay() = 1 }\nclass Wall { fun pay() {} }",
    ],
    "go": [
        "package pay\n\nfunc Name() *int { return new(30) }",
        'package pay\n\nfunc Name() { pay(new("card"), new(-1), new(rate(2)), new(a + b), new(true)) }',
    ],
    "javascript": ['const Name = () => <label class="card" for={id}>{f()}</label>;'],
    "tsx": ['const Name = () => <a href="https://a.b/?x=1&y_z=2">{f()}</a>;'],
    "csharp": [
        "class Name : Base\n#if FAST\n    , IFast\n#endif\n{\n    void Pay() { }\n}",
        "#if FAST\nclass Name : Fast\n#else\nclass Name : Slow\n#endif\n{\n    void Pay() { }\n}",
        "class Name {\n  void Pay(\n#if FAST\n    Card? card)\n#else\n    Card card)\n#endif\n  { charge(); }\n}",
        "class Name { void Pay() { card?.Total = 3; card?.Sum += 1; } }",
        "class Name<T> where T : allows ref struct { }",
        "public readonly ref partial struct Name { }",
        "class Name { void Pay() { var partial = Cards(); partial.Select(x => x); } }",
    ],
    "swift": [
        "func Name() { done(.success(())) }",
        "func Name() { queue.schedule(()) { _ in pay() } }",
        "struct Name {\n#if !hasFeature(Embedded)\n  func pay() {}\n#endif\n}",
        "func Name() { pay(Swift::Never.self) }",
        "struct Name { func _$id(_ card: Int) { _$pay(card) } }",
        "func Name(_ body: (Card) async throws -> sending Gate) {}",
        'struct Name {\n  #warning("not yet")\n  func pay() {}\n}',
    ],
    "java": [
        "class Name { void pay(Card @NonNull ... cards) { charge(); } }",
        "import module java.base;\nclass Name {}",
        "class Name { int pay(Object o) { return switch (o) { case Card _, Gate _ -> 1; default -> 2; }; } }",
        "class Name { Name() { this.total = 1; super(); } }",
    ],
    "c": [
        "const char * EXPORT Name(int card) { return pay(card); }",
        "int EXPORT Name(int card) { return pay(card); }",
        "api_EXPORT result_t Name (card_t *card) { return pay(card); }",
        "UNITTEST result_t Name(card_t *card) { return pay(card); }",
        "card_t *NONNULL Name(gate_t *NONNULL gate, int FAR total) { return pay(gate); }",
        "static void Name(__unused int card, __unused struct gate *gate) { pay(); }",
        "static void printflike(3, 4)\nName(const char *text, ...) { pay(); }",
        "extern int Name(void) __THROW __nonnull((1));",
        "int Name(int card) NOTHROW;",
        "typedef long (WINAPI *opened)(int);\nint Name(void) { return 1; }",
        "struct Name {\n  CARD_HEAD(cards, card) all;\n  int total;\n};",
        "#if __has_include(<cards.h>)\nint Name(void) { return 1; }\n#endif",
        "static const size_t most = 256 KB;\nint Name(void) { return 1; }",
        "static const size_t most = 256 KB;\n#define PAY2 CARD2\n#define Name(card) \\\n  PAY2(card)\nint f();",
        "void Name(void) {\n    EACH_CARD(card, cards) {\n        pay(card);\n    }\n}",
        "typedef struct Name { int total; } FAR card_t;",
        "void Name(void *card) { pay((z_const bytes *)card); }",
        "#ifdef FAST\nint Name(int card)\n#else\nint Name(long card)\n#endif\n{\n    return pay(card);\n}",
    ],
    "cpp": [
        'PAY_WARNINGS_OFF("unused")\n\nnamespace\n{\nclass Name {\n  int total;\n};\n}',
        "class Name {\n  CARD_LIST(card) all;\n  void (CALLBACK *opened)(int);\n};",
        "class Name {\n  Q_PROPERTY(int sum READ sum)\n public slots:\n  void pay();\n signals:\n  void paid();\n};",
        "void Name() {\n  connect(this, SIGNAL(paid(const Card &, int)), SLOT(pay(QAction *)));\n  emit paid(1);\n}",
        "module;\n#include <card>\nexport module cards:one;\nimport std;\nexport import :two;\nexport class Name {};",
        "export module cards;\nexport template <class T> T Name(T card) { return card; }\nexport namespace gates {}",
        "export module cards;\nexport {\nvoid Name() { pay(); }\n}",
    ],
}
SOURCES = [(language, source) for language, sources in READ.items() for source in sources]
REWRITING = [one for one in LANGUAGES if one.readable]


def seen_in(language: str, source: str) -> Outline:
    known = language_named(language)
    assert known is not None
    return outline(known, source.encode())


@pytest.mark.parametrize(("language", "source"), SOURCES)
def test_it_is_read_without_a_problem(language: str, source: str) -> None:
    seen = seen_in(language, f"{source}\n")

    assert not seen.problems
    assert "Name" in [one.name for one in seen.definitions]


@pytest.mark.parametrize(("language", "source"), SOURCES)
def test_places_and_words_stay_as_they_are(language: str, source: str) -> None:
    known = language_named(language)
    assert known is not None and known.readable
    for text in known.readable(source.encode()):
        assert len(text) == len(source)
        assert (text.count(b"\n") == source.count("\n")) or language in ("c", "cpp")


@pytest.mark.parametrize("known", REWRITING, ids=lambda one: one.name)
@given(st.lists(st.sampled_from([" ", "\n", "(", ")", "<", ">", "{", "}", ",", ";", "T", "A_B", "import", "in", "::"])))
def test_no_text_becomes_longer_or_shorter(known: Language, pieces: list[str]) -> None:
    source = "".join(pieces).encode()

    assert known.readable is not None
    assert {len(text) for text in known.readable(source)} <= {len(source)}


@pytest.mark.parametrize("head", ["UNITTEST result_t", "PAY_API result_t", "PAY_LOCKS(3) int", "static PAY_API int"])
def test_macros_before_a_function_belong_to_it_and_so_does_its_doc(head: str) -> None:
    seen = seen_in("c", f"/* Opens it. */\n{head} pay(card_t *card) {{ return 1; }}\n")

    (pay,) = [one for one in seen.definitions if one.name == "pay"]
    assert (pay.start, pay.first, pay.doc) == (0, 1, (0, 15))


def test_whole_items_inside_of_macros_are_read_wherever_they_stand() -> None:
    inner = "    feature! {\n        #![fast]\n        /// Pays.\n        pub fn pay(&self) { charge(); }\n    }\n"
    quoted = "fn made() {\n    quote! {\n        fn #name() {}\n    }\n}\n"

    assert [one.name for one in seen_in("rust", f"impl Card {{\n{inner}}}\n").definitions][1:] == ["pay"]
    assert "pay" in [one.name for one in seen_in("rust", f"pin! {{\n    fn pay() {{}}\n}}\n{quoted}").definitions]


def test_types_that_an_implementation_names_are_defined() -> None:
    seen = seen_in("rust", "trait Pay { type Receipt: Show; }\nimpl Pay for Card { type Receipt = Paper; }\n")

    assert [one.name for one in seen.definitions].count("Receipt") == 2


def test_calls_are_told_as_they_are_written() -> None:
    seen = seen_in("swift", "func pay() { done(.success(())); queue.schedule(()) { _ in charge() } }\n")

    assert {"done", "queue.schedule", "charge"} <= {call.callee for call in seen.calls}


@pytest.mark.parametrize("part", ["a b ", "(a b ", "A_B(", "a * b ", "<in T ", "import(", ") A_B "])
@pytest.mark.parametrize("known", REWRITING, ids=lambda one: one.name)
def test_the_time_it_takes_grows_with_the_text(known: Language, part: str) -> None:
    assert known.readable is not None
    start = time.process_time()
    for _ in known.readable(part.encode() * 3000):
        pass

    assert time.process_time() - start < 2
