"""impact_analyze and test_select, on a small repository with a base commit and tests in several languages."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from clew.engine import Engine
from tests.conftest import DAY_1, Repository
from tests.tools.asking import Ask, asking

FILES = {
    "pay/card.py": (
        "from pay.rules import allowed\n\n\nclass Card:\n    def charge(self, amount):\n"
        "        return allowed(amount)\n\n    def name(self):\n        return 'card'\n"
    ),
    "pay/rules.py": (
        "LIMIT = 100\n\n\ndef allowed(amount):\n    return amount < LIMIT\n\n\ndef unrelated():\n    return 1\n"
    ),
    "pay/shop.py": "from pay.card import Card\n\n\ndef sell(price):\n    return Card().charge(price)\n",
    "tests/test_card.py": (
        "from pay.card import Card\n\n\ndef test_charge():\n    assert Card().charge(1)\n\n\n"
        "def test_name():\n    assert Card().name()\n"
    ),
    "tests/test_shop.py": (
        "from pay.shop import sell\n\n\nclass TestShop:\n    def setUp(self):\n        self.sold = sell(3)\n\n"
        "    def test_sold(self):\n        assert self.sold\n\n\ndef test_other():\n    assert 1\n"
    ),
    "tests/test_data.py": "def test_rates():\n    assert open('tests/rates.json').read()\n",
    "tests/conftest.py": (
        "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef _clean():\n    yield\n\n\n"
        "@pytest.fixture\ndef card():\n    return 1\n"
    ),
    "tests/test_fixture.py": "def test_fixture(card):\n    assert card\n",
    "tests/rates.json": '{"eur": 1}\n',
    "api/handler.go": (
        "package api\n\nfunc Handle(id int) int {\n\treturn find(id)\n}\n\nfunc find(id int) int {\n\treturn id\n}\n"
    ),
    "api/handler_test.go": (
        'package api\n\nimport "testing"\n\nfunc TestHandle(t *testing.T) {\n'
        "\tif Handle(1) != 1 {\n\t\tt.Fatal()\n\t}\n}\n"
    ),
    "pay/alone.py": "def answer():\n    return 42\n",
    "pay/plugin.py": "def extend():\n    return 1\n",
    "pay/plugins.py": "import importlib\n\n\ndef load():\n    return importlib.import_module('pay.plugin')\n",
    "tests/test_plugins.py": "from pay.plugins import load\n\n\ndef test_plugins():\n    assert load()\n",
    "go.mod": "module example.org/shop\n",
    "web/send.js": "exports.dispatchParcel = function (parcel) {\n  return parcel\n}\n",
    "web/test/send.test.js": (
        "describe('sending', function () {\n  it('works', function (done) {\n    make(function (res) {\n"
        "      res.dispatchParcel(1)\n      done()\n    })\n  })\n})\n"
    ),
}
EDIT = FILES["pay/rules.py"].replace("amount < LIMIT", "amount <= LIMIT")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    made = Repository(tmp_path_factory.mktemp("shop"))
    made.git("init", "-q", "-b", "main")
    for path, text in FILES.items():
        made.write(path, text)
    made.commit(DAY_1)
    with Engine.open(made.root, environ={}) as engine:
        engine.index()
    return made


@pytest.fixture(scope="module")
def ask(shop: Repository) -> Iterator[Ask]:
    with asking(shop.root) as asked:
        yield asked


@pytest.fixture
def edited(shop: Repository) -> Iterator[Repository]:
    shop.write("pay/rules.py", EDIT)
    yield shop
    shop.write("pay/rules.py", FILES["pay/rules.py"])


def ids(tests: list[dict[str, Any]]) -> list[str]:
    return [one["id"] for one in tests]


def test_impact_lists_dependents_with_their_shortest_path(ask: Ask) -> None:
    data = ask("impact_analyze", symbols=["pay/rules.py::allowed"])["data"]

    found = {one["symbol"]: one for one in data["impacted"]}
    assert found["pay/card.py::Card::charge"]["distance"] == 1
    assert found["pay/card.py::Card::charge"]["why"] == "allowed ← called by Card.charge"
    assert found["pay/shop.py::sell"]["distance"] == 2
    assert found["pay/shop.py::sell"]["confidence"] < found["pay/card.py::Card::charge"]["confidence"]
    assert [(one["relation"], one["line"]) for one in found["pay/shop.py::sell"]["steps"]] == [
        ("called by", 6),
        ("called by", 5),
    ]
    assert not {"pay/rules.py::unrelated", "pay/rules.py::allowed", "api/handler.go::Handle"} & found.keys()
    charged = ask("impact_analyze", symbols=["pay/card.py::Card::charge"])["data"]["impacted"]
    assert "pay/card.py::Card" not in {one["symbol"] for one in charged}  # it changed, and depends on nothing new


def test_impact_counts_tests_apart(ask: Ask) -> None:
    data = ask("impact_analyze", symbols=["pay/card.py::Card::charge"])["data"]

    assert data["direct_tests"] == ["tests/test_card.py::test_charge"]
    assert "tests/test_shop.py::TestShop" in data["transitive_tests"]
    assert not any(one["path"].startswith("tests/") for one in data["impacted"])


def test_uncommitted_changes_are_the_default(ask: Ask, edited: Repository) -> None:
    envelope = ask("impact_analyze")

    assert envelope["data"]["changed"] == ["pay/rules.py::allowed"]
    assert "uncommitted changes" in envelope["summary"]


def test_since_a_commit_means_what_differs_from_it_now(ask: Ask, edited: Repository) -> None:
    assert ask("impact_analyze", since="HEAD")["data"]["changed"] == ["pay/rules.py::allowed"]
    assert ask("impact_analyze", since="nowhere")["errorCode"] == "CLEW_E_NOT_FOUND"


def test_nothing_changed_is_said_plainly(ask: Ask) -> None:
    envelope = ask("impact_analyze")

    assert envelope["ok"]
    assert envelope["data"]["risk"] == "none"
    assert envelope["summary"].startswith("No indexed code changed")


def test_an_unapplied_diff_and_an_applied_one_mean_the_same(ask: Ask, edited: Repository) -> None:
    diff = edited.git("diff")
    applied = ask("test_select", diff=diff)["data"]["tests"]
    edited.write("pay/rules.py", FILES["pay/rules.py"])

    assert ask("test_select", diff=diff)["data"]["tests"] == applied
    assert "tests/test_card.py::test_charge" in ids(applied)


def test_selected_tests_come_with_the_path_from_the_change(ask: Ask) -> None:
    data = ask("test_select", symbols=["pay/rules.py::allowed"], level="safe")["data"]

    first = data["tests"][0]
    assert (first["path"], first["id"]) == ("tests/test_card.py", "tests/test_card.py::test_charge")
    assert first["why"] == ("pay/rules.py::allowed → pay/card.py::Card::charge → tests/test_card.py::test_charge")
    assert "tests/test_data.py::test_rates" not in ids(data["tests"])


def test_a_class_is_selected_if_its_set_up_is_affected(ask: Ask) -> None:
    found = ids(ask("test_select", symbols=["pay/shop.py::sell"])["data"]["tests"])

    assert "tests/test_shop.py::TestShop" in found
    assert "tests/test_shop.py::test_other" not in found


def test_levels_are_nested(ask: Ask) -> None:
    safe, balanced, fast = (
        set(ids(ask("test_select", files=["pay/rules.py"], level=level)["data"]["tests"]))
        for level in ("safe", "balanced", "fast")
    )

    assert fast <= balanced <= safe
    assert fast


def test_tests_that_name_a_changed_data_file_are_selected(ask: Ask) -> None:
    data = ask("test_select", files=["tests/rates.json"])["data"]

    assert "tests/test_data.py" in ids(data["tests"])
    assert data["blind_spots"] == ["tests/rates.json"]


def test_a_call_by_name_that_is_not_resolved_selects_its_test_and_says_so(ask: Ask) -> None:
    [test] = ask("test_select", symbols=["web/send.js::dispatchParcel"])["data"]["tests"]

    assert test["id"] == "web/test/send.test.js"
    assert test["why"].endswith("web/test/send.test.js (over a use that could not be resolved)")


def test_a_change_that_leads_to_no_test_selects_all_at_level_safe(ask: Ask) -> None:
    safe = ask("test_select", symbols=["pay/alone.py::answer"], level="safe")["data"]

    assert safe["selected"] == safe["suite"]
    assert safe["tests"][0]["why"].endswith("(nothing probable leads from the change to a test)")
    assert not ask("test_select", symbols=["pay/alone.py::answer"])["data"]["tests"]


def test_a_module_that_is_loaded_by_its_name_leads_to_the_tests_of_what_loads_it(ask: Ask) -> None:
    tests = ask("test_select", symbols=["pay/plugin.py::extend"], level="safe")["data"]["tests"]

    assert tests[0]["id"] == "tests/test_plugins.py::test_plugins"


def test_a_changed_file_of_tests_is_selected_whatever_of_it_changed(ask: Ask) -> None:
    diff = (
        "--- a/web/test/send.test.js\n+++ b/web/test/send.test.js\n@@ -4,1 +4,1 @@\n"
        "-      res.dispatchParcel(1)\n+      res.dispatchParcel(2)\n"
    )
    assert ids(ask("test_select", diff=diff, level="fast")["data"]["tests"]) == ["web/test/send.test.js"]


def test_all_tests_may_depend_on_a_manifest(ask: Ask) -> None:
    data = ask("test_select", files=["go.mod"])["data"]

    assert data["selected"] == data["suite"]
    assert {one["why"] for one in data["tests"]} >= {"go.mod → api/handler_test.go"}
    assert not ask("test_select", files=["go.mod"], level="fast")["data"]["tests"]


def test_a_helper_that_runs_for_all_tests_selects_those_below_its_folder(ask: Ask) -> None:
    every = ids(ask("test_select", symbols=["tests/conftest.py::_clean"])["data"]["tests"])
    named = ids(ask("test_select", symbols=["tests/conftest.py::card"])["data"]["tests"])

    assert {"tests/test_data.py", "tests/test_card.py"} <= set(every)
    assert "tests/conftest.py" not in every  # it has no tests
    assert named == ["tests/test_fixture.py::test_fixture"]


def test_tests_that_use_a_removed_definition_are_selected(ask: Ask, shop: Repository) -> None:
    shop.write("api/handler.go", FILES["api/handler.go"].partition("func find")[0])
    found = ids(ask("test_select", level="fast")["data"]["tests"])
    shop.write("api/handler.go", FILES["api/handler.go"])

    assert "api/handler_test.go::TestHandle" in found


def test_other_languages_have_tests_and_commands(ask: Ask) -> None:
    data = ask("test_select", symbols=["api/handler.go::find"])["data"]

    assert ids(data["tests"])[0] == "api/handler_test.go::TestHandle"
    assert "go test ./api -run '^(TestHandle)$'" in data["commands"]


def test_a_compact_answer_keeps_the_best_test_and_fits(ask: Ask) -> None:
    envelope = ask("test_select", files=["pay/rules.py"], profile="compact")

    assert envelope["_tokenEstimate"] <= 300
    assert envelope["data"]["tests"]


def test_files_outside_of_the_index_are_reported(ask: Ask) -> None:
    data = ask("impact_analyze", files=["nowhere.py", "pay/rules.py"])["data"]

    assert data["not_indexed"] == ["nowhere.py"]


def test_claims_of_others_on_affected_code_are_listed(ask: Ask) -> None:
    claimed = ask("agent_claim", target_id="pay/shop.py::sell", agent_id="ada", session_id="1", intent="discounts")
    data = ask("impact_analyze", symbols=["pay/rules.py::allowed"])["data"]
    ask("agent_release", claim_id="pay/shop.py::sell", agent_id="ada", session_id="1")

    assert claimed["ok"], claimed
    assert [one["target"] for one in data["claims"]] == ["pay/shop.py::sell"]


@pytest.mark.parametrize("arguments", [{"diff": "no diff"}, {"symbols": ["no_such_symbol"]}])
def test_bad_input_is_refused_with_a_hint(ask: Ask, arguments: dict[str, Any]) -> None:
    for tool in ("impact_analyze", "test_select"):
        envelope = ask(tool, **arguments)
        assert not envelope["ok"]
        assert envelope["hint"]


def test_impact_fails_a_build_from_a_risk_on(shop: Repository) -> None:
    from tests.surfaces.processes import clew

    done = clew("impact", "allowed", "--format", "markdown", "--fail-on", "low", cwd=shop.root)
    assert (done.code, done.out.partition("\n")[0]) == (7, "<!-- clew impact -->")

    report = clew("impact", "allowed", "--format", "sarif", cwd=shop.root)
    assert report.code == 0
    assert {one["ruleId"] for one in report.json["runs"][0]["results"]} == {"affected"}


def test_selected_tests_can_be_passed_to_a_runner(shop: Repository, tmp_path: Path) -> None:
    from tests.surfaces.processes import clew

    names = clew("tests", "allowed", "--quiet", "--level", "fast", cwd=shop.root)
    assert "tests/test_card.py::test_charge" in names.out.split()

    diff = tmp_path / "change.diff"
    diff.write_text(
        "--- a/pay/rules.py\n+++ b/pay/rules.py\n@@ -5 +5 @@\n-    return amount < LIMIT\n+    return True\n"
    )
    commands = clew("tests", "--diff", str(diff), "--commands", cwd=shop.root)
    assert commands.out.startswith("pytest tests/test_card.py::test_charge")


def test_a_changed_signature_is_breaking_and_a_changed_body_is_not(ask: Ask, shop: Repository) -> None:
    shop.write("pay/rules.py", FILES["pay/rules.py"].replace("allowed(amount)", "allowed(amount, currency)"))
    changed = ask("impact_analyze")["data"]["breaking"]
    diff = shop.git("diff")
    shop.write("pay/rules.py", EDIT)
    body = ask("impact_analyze")["data"]
    shop.write("pay/rules.py", FILES["pay/rules.py"])

    assert [(one["symbol"], one["reason"]) for one in changed] == [
        ("pay/rules.py::allowed", "parameter currency added")
    ]
    assert "breaking" not in body
    assert ask("impact_analyze", diff=diff)["data"]["breaking"] == changed


def test_a_removed_export_is_breaking(ask: Ask, shop: Repository) -> None:
    shop.write("pay/rules.py", FILES["pay/rules.py"].partition("\n\n\ndef unrelated")[0] + "\n")
    found = ask("impact_analyze")
    shop.write("pay/rules.py", FILES["pay/rules.py"])

    assert [(one["symbol"], one["reason"]) for one in found["data"]["breaking"]] == [
        ("pay/rules.py::unrelated", "removed")
    ]
    assert "1 change breaks" in found["summary"]


def test_recorded_coverage_selects_tests_that_the_graph_does_not_reach(ask: Ask, shop: Repository) -> None:
    lines = {1, 2, 3, 4, 8, 9}
    bits = bytes(sum(1 << (n % 8) for n in lines if n // 8 == place) for place in range(2))
    with closing(sqlite3.connect(shop.root / ".coverage")) as db:
        db.executescript(
            "CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT);"
            "CREATE TABLE context (id INTEGER PRIMARY KEY, context TEXT);"
            "CREATE TABLE line_bits (file_id INTEGER, context_id INTEGER, numbits BLOB);"
            "CREATE TABLE arc (file_id INTEGER, context_id INTEGER, fromno INTEGER, tono INTEGER);"
            "INSERT INTO context VALUES (1, 'tests/test_shop.py::test_other|run');"
        )
        db.execute("INSERT INTO file VALUES (1, ?)", (f"{shop.root.as_posix()}/pay/rules.py",))
        db.execute("INSERT INTO line_bits VALUES (1, 1, ?)", (bits,))
        db.commit()
    ran = ask("test_select", symbols=["pay/rules.py::unrelated"])["data"]
    not_run = ask("test_select", symbols=["pay/rules.py::allowed"])["data"]
    (shop.root / ".coverage").unlink()
    (shop.root / "lcov.info").write_text(
        f"TN:test_name\nSF:{shop.root.as_posix()}/pay/rules.py\nDA:9,1\nDA:5,0\nend_of_record\n", "utf-8"
    )
    by_lcov = ask("test_select", symbols=["pay/rules.py::unrelated"])["data"]
    (shop.root / "lcov.info").unlink()

    assert ids(ran["tests"]) == ["tests/test_shop.py::test_other"]
    assert "coverage data" in ran["tests"][0]["why"]
    assert "tests/test_shop.py::test_other" not in ids(not_run["tests"])
    assert ids(by_lcov["tests"]) == ["tests/test_card.py::test_name"]
    without = ids(ask("test_select", symbols=["pay/rules.py::unrelated"])["data"]["tests"])
    assert without == ["tests/test_card.py"]  # nothing is known to use it: users of its file
