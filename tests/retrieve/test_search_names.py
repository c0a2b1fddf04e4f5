"""A question that says a name: what has it comes first, wherever it stands."""

import pytest

from clew.engine import Engine
from clew.model.search import Hit
from tests.conftest import Repository
from tests.views import search

CODE = '''class Card:
    def charge(self, amount):
        return self.bank.charge(amount)


class CardCharge:
    """The charge of a card, of a fake card too."""


def charges(card):
    """All fake charges of a card."""
    return card.charges
'''
TEST = """class FakeCard(Card):
    def charge(self, amount):
        return amount


def test_charges():
    def refuse_every_charge(amount):
        raise ValueError(amount)

    assert charges(FakeCard())
"""
FILES = {"pay/card.py": CODE, "tests/test_card.py": TEST, "docs/charge.md": "# Charge\n\nHow a charge is made.\n"}


@pytest.fixture
def shop(repository: Repository, engine: Engine) -> Engine:
    for path, text in FILES.items():
        repository.write(path, text)
    engine.index()
    return engine


def _said(hit: Hit) -> float:
    """How much of a hit's score comes of its name."""
    return sum(reason.share for reason in hit.reasons if reason.retriever == "symbol") / hit.score


def symbols(engine: Engine, question: str) -> list[str]:
    return [hit.symbol for hit in search(engine, question)]


def test_what_only_a_test_defines_comes_before_code_that_has_its_words(shop: Engine) -> None:
    assert symbols(shop, "FakeCard")[0] == "tests/test_card.py::FakeCard"


def test_a_name_of_two_letters_is_a_name_if_it_is_written_as_one(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "class Defined:\n    where = 'defined here, where op is'\n")
    repository.write("b.py", "class Op:\n    def run(self):\n        return 1\n")
    engine.index()

    assert symbols(engine, "where is `Op` defined?")[0] == "b.py::Op"


def test_what_is_too_small_to_be_a_hit_is_found_by_where_it_stands(shop: Engine) -> None:
    assert symbols(shop, "refuse_every_charge")[0] == "tests/test_card.py::test_charges"


def test_code_of_a_name_comes_before_tests_that_have_it_and_those_before_prose(shop: Engine) -> None:
    found = [name for name in symbols(shop, "charge") if name.lower().endswith("::charge")]

    assert found == ["pay/card.py::Card::charge", "tests/test_card.py::FakeCard::charge", "docs/charge.md::Charge"]


def test_a_name_comes_before_another_that_is_spelt_otherwise(shop: Engine) -> None:
    assert symbols(shop, "charges")[0] == "pay/card.py::charges"
    assert symbols(shop, "charge")[0] == "pay/card.py::Card::charge"


@pytest.mark.parametrize("question", ["where is FakeCard defined?", "fix bug in FakeCard", "FakeCard charges too much"])
def test_what_a_sentence_names_comes_first_too(shop: Engine, question: str) -> None:
    assert symbols(shop, question)[0] == "tests/test_card.py::FakeCard"


def test_a_sentence_without_a_name_still_asks_for_code_first(shop: Engine) -> None:
    assert symbols(shop, "how does a fake card charge an amount")[0].startswith("pay/")


def test_a_constant_is_found_where_it_is_defined_before_where_it_is_used(
    repository: Repository, engine: Engine
) -> None:
    used = "".join(
        f"def refund_{i}(card):\n    return REFUND_LIMIT_DAYS > card.refund_limit_days({i})\n\n\n" for i in range(4)
    )
    repository.write("pay/limits.py", "import os\n\nREFUND_LIMIT_DAYS = 30\nLAST = 3\n")
    repository.write("pay/refunds.py", f"from pay.limits import REFUND_LIMIT_DAYS\n\n\n{used}")
    engine.index()

    for question in ("REFUND_LIMIT_DAYS", "where is REFUND_LIMIT_DAYS defined?"):
        assert search(engine, question)[0].path == "pay/limits.py"


def test_a_qualified_name_finds_what_stands_in_that_very_thing(repository: Repository, engine: Engine) -> None:
    """Not what stands in something whose name has the same words, nor what says the words most often."""
    repository.write(
        "request/adapters.py",
        'class RequestAdapter:\n    def prepare(self, request):\n        """Prepare a request."""\n'
        "        return Request(request).prepare(prepare, request, Request)\n"
        '\n\ndef build(request, prepare):\n    """Prepare the Request."""\n    return Request.prepare(request)\n',
    )
    repository.write("request/models.py", "class Request:\n    def prepare(self):\n        return 1\n")
    engine.index()

    assert search(engine, "Request.prepare")[0].symbol == "request/models.py::Request::prepare"


def test_a_task_about_a_qualified_name_finds_that_before_what_has_more_of_its_words(
    repository: Repository, engine: Engine
) -> None:
    for name in ("Gate", "Desk", "Card", "Bank"):
        repository.write(f"pay/{name.lower()}.py", f"class {name}:\n    def close(self):\n        return self.lock\n")
    repository.write("pay/shop.py", "def shop(gate, option):\n    gate.add(option.timeout)\n    return gate.close()\n")
    engine.index()

    best = search(engine, "add a timeout option to Gate.close")[0]
    report = search(engine, "the shop hangs: Gate.close, Desk.close, Card.close, Bank.close all wait")
    in_report = next(hit for hit in report if hit.symbol == best.symbol)
    assert best.symbol == "pay/gate.py::Gate::close"
    assert _said(best) > 1.5 * _said(in_report), "of many names, few are meant"


def test_a_class_comes_before_its_constructors_unless_they_are_asked_for(
    repository: Repository, engine: Engine
) -> None:
    makers = "".join(
        f"    /** Makes a gate keeper of {i}. */\n    public GateKeeper(int a{i}) {{\n        super(a{i});\n    }}\n"
        for i in range(3)
    )
    repository.write("pay/GateKeeper.java", f"public class GateKeeper extends Base {{\n{makers}}}\n")
    repository.write("pay/Shop.java", "class Shop {\n    GateKeeper keeper = new GateKeeper(1);\n}\n")
    engine.index()

    for question in ("GateKeeper", "where is GateKeeper defined?"):
        assert symbols(engine, question)[0] == "pay/GateKeeper.java::GateKeeper"
    assert symbols(engine, "GateKeeper constructor")[0].startswith("pay/GateKeeper.java::GateKeeper::GateKeeper")


@pytest.mark.parametrize("asked", ["Card.refund", "add `Card.refund`", "where is Card#refund defined?"])
def test_what_is_to_be_written_is_looked_for_where_it_belongs(shop: Engine, repository: Repository, asked: str) -> None:
    for number in range(5):
        repository.write(
            f"other/bank{number}.py", f"class Bank{number}:\n    def refund(self):\n        return {number}\n"
        )
    shop.index()
    found = [hit.symbol for hit in search(shop, asked)]
    assert found.index("pay/card.py::Card") < 2


def test_a_file_that_is_named_is_no_member(shop: Engine, repository: Repository) -> None:
    repository.write("pay/limits.py", "def card():\n    return 1\n")
    repository.write("pay/card.yaml", "limit: 1\n")
    shop.index()
    named = [reason.detail for hit in search(shop, "the limit in card.yaml is wrong") for reason in hit.reasons]
    assert "named card" not in named


def test_a_file_name_that_many_have_means_none_of_them(repository: Repository, engine: Engine) -> None:
    for number in range(20):
        fields = f'{{\n  "name": "part{number}",\n  "version": "1.{number}.0",\n  "private": true\n}}\n'
        repository.write(f"packages/part{number}/package.json", fields)
    read = 'import { readFileSync } from "fs";\n\n'
    body = (
        '  const read = JSON.parse(readFileSync("package.json", "utf8"));\n  if (!read.name) console.warn("no name");\n'
    )
    repository.write("src/manifest.ts", f"{read}export function readPackageJson() {{\n{body}  return read;\n}}\n")
    engine.index()

    found = [hit.path for hit in search(engine, "print a warning when the version in package.json is missing")]
    assert found[0] == "src/manifest.ts"
    assert search(engine, "package.json")[0].path.endswith("/package.json")
    named = search(engine, "the version in packages/part3/package.json is wrong")
    assert named[0].path == "packages/part3/package.json"


def test_settings_that_say_a_name_come_before_code_that_has_some_of_its_words(
    repository: Repository, engine: Engine
) -> None:
    repository.write("run.py", "def environment():\n    return read_environment(shop)\n")
    repository.write("compose.yml", "services:\n  shop:\n    environment:\n      - SHOP_ENVIRONMENT=live\n")
    repository.write("tests/test_run.py", "def test_run():\n    assert os.environ['SHOP_ENVIRONMENT']\n")
    engine.index()

    first, *_ = search(engine, "SHOP_ENVIRONMENT")

    assert first.path == "compose.yml"
    assert "contains SHOP_ENVIRONMENT" in [reason.detail for reason in first.reasons]
    assert search(engine, "where is SHOP_ENVIRONMENT used?")[0].path == "compose.yml"


def test_where_only_tests_say_a_name_they_are_meant(repository: Repository, engine: Engine) -> None:
    repository.write("run.py", "def environment():\n    return read_environment(shop)\n")
    repository.write("tests/test_run.py", "def test_run():\n    assert os.environ['SHOP_ENVIRONMENT']\n")
    engine.index()

    assert search(engine, "SHOP_ENVIRONMENT")[0].path == "tests/test_run.py"


def test_what_has_the_very_name_comes_before_folders_and_files_of_it(repository: Repository, engine: Engine) -> None:
    repository.write("router/walk.py", "def ping():\n    return pong()\n\n\ndef pong():\n    return 'walk'\n")
    repository.write("routes.py", "def routes():\n    return []\n")
    repository.write("core.py", "class Router:\n    def add(self, pattern):\n        self.all.append(pattern)\n")
    engine.index()

    assert symbols(engine, "Router")[0] == "core.py::Router"


def test_a_type_comes_before_many_methods_that_differ_by_its_capital(repository: Repository, engine: Engine) -> None:
    for number in range(60):
        method = f"    def settle(self, books):\n        return settle(books, {number})\n"
        repository.write(f"kinds/kind{number}.py", f"class Kind{number}:\n{method}")
    repository.write("rest.py", "class Settle:\n    def begin(self, all_books):\n        self.all_books = all_books\n")
    engine.index()

    assert symbols(engine, "Settle")[0] == "rest.py::Settle"


def test_of_a_class_in_several_files_the_one_called_like_it_comes_first(repository: Repository, engine: Engine) -> None:
    more = "".join(
        f"    public int Page{number}(string text{number}) => Inner.Count{number}(text{number});\n"
        for number in range(40)
    )
    said = "/// <summary>A printer: the printer prints what a printer can print.</summary>\n"
    for name, doc, body in (("Printer.Json", said, ""), ("Printer", "", more)):
        repository.write(f"{name}.cs", f"namespace Shop;\n\n{doc}public partial class Printer\n{{\n{body}}}\n")
    engine.index()

    assert next(hit.path for hit in search(engine, "Printer")) == "Printer.cs"


def test_all_that_has_a_name_comes_before_what_only_says_it(repository: Repository, engine: Engine) -> None:
    """However much two of them are alike."""
    body = (
        "    titles = [one.title for one in options]\n    return Info(default, titles, alias, strict, frozen, limit)\n"
    )
    for path in ("fields.py", "old/fields.py"):
        repository.write(path, f"def Field(default, options, alias, strict, frozen, limit):\n{body}")
    repository.write("info.py", "def field_of_a_field(field, Field):\n    return Field(field.fields, field)\n")
    engine.index()

    assert symbols(engine, "Field")[:2] == ["fields.py::Field", "old/fields.py::Field"]


@pytest.mark.parametrize("place", ["deploy/card.yml:2", "docs/charge.md:3", "views/card.html.erb:1"])
def test_what_a_question_points_at_comes_before_code_that_has_its_words(shop: Engine, place: str) -> None:
    path, _, line = place.partition(":")
    files = {"deploy/card.yml": "limits:\n  - sum: 3\n", "views/card.html.erb": "<%= sum %>\n"}
    for name, text in files.items():
        (shop.place.root / name).parent.mkdir(exist_ok=True)
        (shop.place.root / name).write_text(text, "utf-8")
    shop.index()
    best = search(shop, f"undefined method `charge' of a card, {place}")[0]

    assert best.path == path
    assert best.first_line <= int(line) <= best.last_line


def test_a_file_of_settings_that_a_question_names_comes_before_code_that_has_its_words(shop: Engine) -> None:
    (shop.place.root / "cards.yml").write_text("limits:\n  - sum: 3\n", "utf-8")
    shop.index()

    assert search(shop, "a limit for each charge of a card in cards.yml")[0].path == "cards.yml"
