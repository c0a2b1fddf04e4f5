"""arch_validate and `clew arch`: planted violations in many languages, every kind of rule, contracts of other tools."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from clew.engine import Engine
from clew.surfaces.cli import cli
from clew.surfaces.cli.state import State
from tests.conftest import DAY_1, Repository
from tests.tools.asking import asking

# By language, two files; the second, which is lower, uses the first where `PLANTED` is.
PLANTED = {
    "python": {
        "python/high/app.py": "def run():\n    return 1\n",
        "python/low/store.py": "from python.high.app import run\n\n\ndef load():\n    return run()\n",
    },
    "typescript": {
        "ts/high/app.ts": "export function run(): number {\n  return 1\n}\n",
        "ts/low/store.ts": "import { run } from '../high/app'\n\nexport const load = () => run()\n",
    },
    "javascript": {
        "js/high/app.js": "exports.run = function () { return 1 }\n",
        "js/low/store.js": "const { run } = require('../high/app')\n\nexports.load = () => run()\n",
    },
    "go": {
        "go/high/app.go": "package high\n\nfunc Run() int {\n\treturn 1\n}\n",
        "go/low/store.go": (
            'package low\n\nimport "example.org/shop/go/high"\n\nfunc Load() int {\n\treturn high.Run()\n}\n'
        ),
    },
    "rust": {
        "rust/src/lib.rs": "pub mod high;\npub mod low;\n",
        "rust/src/high.rs": "pub fn run() -> i32 {\n    1\n}\n",
        "rust/src/low.rs": "use crate::high::run;\n\npub fn load() -> i32 {\n    run()\n}\n",
    },
    "java": {
        "java/src/main/java/shop/high/App.java": (
            "package shop.high;\n\npublic class App {\n    public static int run() { return 1; }\n}\n"
        ),
        "java/src/main/java/shop/low/Store.java": (
            "package shop.low;\n\nimport shop.high.App;\n\npublic class Store {\n"
            "    int load() { return App.run(); }\n}\n"
        ),
    },
    "kotlin": {
        "kt/high/App.kt": "package kt.high\n\nfun run(): Int = 1\n",
        "kt/low/Store.kt": "package kt.low\n\nimport kt.high.run\n\nfun load(): Int = run()\n",
    },
    "csharp": {
        "cs/High/App.cs": "namespace Shop.High;\n\npublic static class App { public static int Run() => 1; }\n",
        "cs/Low/Store.cs": (
            "using Shop.High;\n\nnamespace Shop.Low;\n\npublic class Store { public int Load() => App.Run(); }\n"
        ),
    },
    "c": {
        "c/high/app.h": "int run(void);\n",
        "c/low/store.c": '#include "../high/app.h"\n\nint load(void) {\n    return run();\n}\n',
    },
    "ruby": {
        "ruby/high/app.rb": "class App\n  def self.run\n    1\n  end\nend\n",
        "ruby/low/store.rb": "require_relative '../high/app'\n\nclass Store\n  def load\n    App.run\n  end\nend\n",
    },
    "php": {
        "php/High/App.php": (
            "<?php\nnamespace Shop\\High;\n\nclass App\n{\n    public static function run() { return 1; }\n}\n"
        ),
        "php/Low/Store.php": (
            "<?php\nnamespace Shop\\Low;\n\nuse Shop\\High\\App;\n\nclass Store\n{\n"
            "    public function load() { return App::run(); }\n}\n"
        ),
    },
    "scala": {
        "scala/high/App.scala": "package scala2.high\n\nobject App {\n  def run(): Int = 1\n}\n",
        "scala/low/Store.scala": (
            "package scala2.low\n\nimport scala2.high.App\n\nobject Store {\n  def load(): Int = App.run()\n}\n"
        ),
    },
    "swift": {
        "swift/High/App.swift": "public func runTheApp() -> Int {\n    return 1\n}\n",
        "swift/Low/Store.swift": "public func load() -> Int {\n    return runTheApp()\n}\n",
    },
}
PARTS = {name: sorted(path for path in files if "lib.rs" not in path) for name, files in PLANTED.items()}
FILES = {
    "pay/__init__.py": "",
    "pay/api.py": "from pay import inner\n\n\ndef pay():\n    return inner.debit()\n",
    "pay/inner.py": "import requests\n\n\ndef debit():\n    return requests.post('x')\n",
    "web/page.py": "from pay.inner import debit\nfrom web import menu\n\n\ndef page():\n    return debit, menu\n",
    "web/menu.py": "from web import page\n\nMENU = [page]\n",
    "jobs/night.py": "from jobs.helper import assist\n\n\ndef night():\n    return assist()\n",
    "jobs/helper.py": "from pay.api import pay\n\n\ndef assist():\n    return pay()\n",
    "js/tool.js": "const { expect } = require('chai')\nconst pad = require('left-pad')\nconst fs = require('fs')\n",
    "js/alone.js": "const answer = 42\n",
    "package.json": '{"devDependencies": {"chai": "4"}}\n',
    "go.mod": "module example.org/shop\n",
    "rust/Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
    **{path: text for files in PLANTED.values() for path, text in files.items()},
}


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


@pytest.fixture(autouse=True)
def no_rules(shop: Repository) -> Iterator[None]:
    yield
    for name in ("context.toml", ".importlinter", ".dependency-cruiser.json", "architecture-baseline.json"):
        (shop.root / name).unlink(missing_ok=True)


def checked(shop: Repository, *rules: dict[str, Any], **arguments: Any) -> dict[str, Any]:
    rows = []
    for rule in rules:
        rows += ["[[architecture.rules]]", *(f"{name} = {json.dumps(value)}" for name, value in rule.items())]
    shop.write("context.toml", "\n".join(rows))
    with asking(shop.root) as ask:
        return ask("arch_validate", **arguments)


def edges(envelope: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["source"], one["target"]) for one in envelope["data"]["violations"]]


def layers(files: list[str]) -> list[str]:
    high, low = sorted(files)
    return [high, low] if high.endswith((".rs", ".h")) else [high.rpartition("/")[0], low.rpartition("/")[0]]


def test_planted_violations_are_found_in_every_language_and_no_others(shop: Repository) -> None:
    rules = [
        {
            "name": f"{language} {way}",
            "kind": "layers",
            "layers": layers(files) if way == "down" else layers(files)[::-1],
        }
        for language, files in PARTS.items()
        for way in ("down", "up")
    ]
    found = checked(shop, *rules)["data"]

    assert {one["rule"] for one in found["violations"]} == {f"{language} down" for language in PLANTED}
    lines = {one["rule"]: one["chain"][0]["line"] for one in found["violations"]}
    assert all(lines.values()), lines
    assert lines["python down"] == 1
    assert lines["go down"] == 3


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"kind": "forbidden", "from": ["web"], "to": ["pay"]}, [("web/page.py", "pay/inner.py")]),
        ({"kind": "forbidden", "from": ["jobs/night.py"], "to": ["pay"]}, [("jobs/night.py", "pay/api.py")]),
        ({"kind": "forbidden", "from": ["jobs/night.py"], "to": ["pay"], "direct": True}, []),
        ({"kind": "forbidden", "from": ["pay"], "to": ["external:requests"]}, [("pay/inner.py", "external:requests")]),
        ({"kind": "allowed", "from": ["web"], "to": ["pay/api.py"]}, [("web/page.py", "pay/inner.py")]),
        ({"kind": "required", "from": ["jobs"], "to": ["pay"]}, [("jobs/night.py", "jobs/night.py")]),
        ({"kind": "independence", "modules": ["web", "jobs"]}, []),
        ({"kind": "independence", "modules": ["web", "pay"]}, [("web/page.py", "pay/inner.py")]),
        ({"kind": "acyclic", "modules": ["web"]}, [("web/menu.py", "web/page.py")]),
        ({"kind": "acyclic", "modules": ["pay"]}, []),
        ({"kind": "acyclic_siblings", "modules": ["web", "pay"]}, [("web/menu.py", "web/page.py")]),
        ({"kind": "acyclic_siblings", "modules": ["pay"]}, []),
        ({"kind": "orphan", "from": ["pay", "web", "jobs"]}, []),
        ({"kind": "surface", "modules": ["pay"], "surface": ["pay/api.py"]}, [("web/page.py", "pay/inner.py")]),
        (
            {"kind": "layers", "layers": ["pay", "web | jobs"]},
            [("jobs/helper.py", "pay/api.py"), ("web/page.py", "pay/inner.py")],
        ),
    ],
    ids=lambda one: one["kind"] if isinstance(one, dict) else "",
)
def test_each_kind_of_rule_finds_what_breaks_it(
    shop: Repository, rule: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    found = checked(shop, {"name": "a rule", "message": "Ask the payment team.", **rule})

    assert [one for one in edges(found) if one[0].startswith(("pay", "web", "jobs"))] == expected
    assert all(one["message"] == "Ask the payment team." for one in found["data"]["violations"])


def test_a_violation_comes_with_its_chain_and_lines(shop: Repository) -> None:
    found = checked(shop, {"name": "jobs", "kind": "forbidden", "from": ["jobs/night.py"], "to": ["pay"]})

    [violation] = found["data"]["violations"]
    assert violation["chain"] == [
        {"source": "jobs/night.py", "target": "jobs/helper.py", "line": 1},
        {"source": "jobs/helper.py", "target": "pay/api.py", "line": 1},
    ]


def test_ignored_violations_are_counted(shop: Repository) -> None:
    rule = {"name": "web", "kind": "forbidden", "from": ["web"], "to": ["pay"], "ignore": ["web.page -> pay.inner"]}
    found = checked(shop, rule)

    outside = {"name": "lean", "kind": "forbidden", "from": ["pay"], "to": ["external:requests"]}
    allowed = checked(shop, {**outside, "ignore": ["pay.inner -> external:requests"]})

    assert edges(found) == []
    assert found["data"]["ignored"] == 1
    assert "1 ignored" in found["summary"]
    assert (edges(allowed), allowed["data"]["ignored"]) == ([], 1)


def test_communities_and_packages_are_selected_by_name(shop: Repository) -> None:
    found = checked(shop, {"name": "crate", "kind": "forbidden", "from": ["package:rust"], "to": ["package:nowhere"]})

    assert "'package:nowhere' names no file" in " ".join(found["data"]["problems"])
    assert not any("package:rust" in one for one in found["data"]["problems"])


def test_a_wrong_rule_is_an_error_that_names_it(shop: Repository) -> None:
    wrong = checked(shop, {"name": "mine", "kind": "layers"})
    strange = checked(shop, {"name": "mine", "kind": "layers", "layers": ["a"], "colour": "red"})

    assert (wrong["errorCode"], strange["errorCode"]) == ("CLEW_E_CONFIG", "CLEW_E_CONFIG")
    assert "'mine' has no `layers`" in wrong["summary"]
    assert "colour" in strange["summary"]


def test_without_rules_some_are_proposed_that_can_be_pasted(shop: Repository) -> None:
    with asking(shop.root) as ask:
        envelope = ask("arch_validate")
    proposed = envelope["data"].get("proposed", [])

    assert envelope["summary"].startswith("No architecture rules are configured.")
    for one in proposed:
        shop.write("context.toml", one["toml"])
        with asking(shop.root) as ask:
            assert len(ask("arch_validate")["data"]["violations"]) == one["violations"]


def test_contracts_of_import_linter_are_read(shop: Repository) -> None:
    shop.write(
        ".importlinter",
        "[importlinter]\nroot_packages =\n    web\n    pay\n\n[importlinter:contract:1]\nname = Layers\ntype = layers\n"
        "layers =\n    pay\n    web\n\n[importlinter:contract:2]\nname = No requests\ntype = forbidden\n"
        "source_modules =\n    pay\nforbidden_modules =\n    requests\n\n"
        "[importlinter:contract:3]\nname = Odd\ntype = mine\n\n"
        "[importlinter:contract:4]\nname = Siblings\ntype = acyclic_siblings\nancestors =\n    web\n    p*\n",
    )
    with asking(shop.root) as ask:
        found = ask("arch_validate")

    assert {(one["rule"], one["source"]) for one in found["data"]["violations"]} == {
        ("Layers", "web/page.py"),
        ("No requests", "pay/inner.py"),
        ("Siblings", "web/menu.py"),
    }
    assert "contracts of type 'mine' are not checked" in found["data"]["problems"][0]


def test_contracts_of_dependency_cruiser_are_read(shop: Repository) -> None:
    rules = [
        {"name": "no-up", "severity": "warn", "from": {"path": "^(ts|js)/low"}, "to": {"path": "^$1/high"}},
        {"name": "no-cycles", "severity": "error", "from": {}, "to": {"circular": True}},
        {"name": "no-dev", "from": {"pathNot": "spec"}, "to": {"dependencyTypes": ["npm-dev"]}},
        {"name": "no-undeclared", "from": {}, "to": {"dependencyTypes": ["npm-no-pkg", "deprecated"]}},
        {"name": "no-orphans", "from": {"orphan": True, "path": "^(js|ts)/", "pathNot": "lib"}, "to": {}},
        {"name": "no-license", "from": {}, "to": {"license": "MIT"}},
    ]
    permits = [{"from": {"path": "^(ts|js)/"}, "to": {"path": "^$1/"}}, {"from": {"pathNot": "^jobs/"}, "to": {}}]
    shop.write(".dependency-cruiser.json", json.dumps({"forbidden": rules, "allowed": permits}))
    with asking(shop.root) as ask:
        found = ask("arch_validate")["data"]

    assert {(one["rule"], one["source"], one.get("severity", "error")) for one in found["violations"]} == {
        ("no-up", "ts/low/store.ts", "warning"),
        ("no-up", "js/low/store.js", "warning"),
        ("no-cycles", "web/menu.py", "error"),
        ("no-dev", "js/tool.js", "warning"),
        ("no-undeclared", "js/tool.js", "warning"),
        ("no-orphans", "js/alone.js", "warning"),
        ("not-in-allowed", "jobs/helper.py", "warning"),
        ("not-in-allowed", "jobs/night.py", "warning"),
    }
    external = {(one["rule"], one["target"]) for one in found["violations"] if one["source"] == "js/tool.js"}
    assert external == {("no-dev", "external:chai"), ("no-undeclared", "external:left-pad")}
    assert "dependencies of type deprecated are not known" in found["problems"][0]
    assert "no-license is not checked: it depends on license" in found["problems"][1]


def run(root: Path, *arguments: str) -> tuple[int, str]:
    runner = CliRunner()
    done = runner.invoke(cli, ["-C", str(root), *arguments], standalone_mode=False, obj=State(str(root)))
    if done.exception is not None:
        raise done.exception
    return int(done.return_value or 0), done.stdout


def test_the_command_fails_a_build_and_a_baseline_only_shrinks(shop: Repository) -> None:
    rule = '[[architecture.rules]]\nname = "web"\nkind = "forbidden"\nfrom = ["web"]\nto = ["pay"]\n'
    shop.write("context.toml", rule)
    assert run(shop.root, "arch", "check")[0] == 7
    assert run(shop.root, "arch", "check", "--update-baseline")[0] == 0
    baseline = shop.root / "architecture-baseline.json"
    accepted = json.loads(baseline.read_text("utf-8"))
    assert accepted == [{"rule": "web", "source": "web/page.py", "target": "pay/inner.py"}]
    assert run(shop.root, "arch", "check")[0] == 0
    assert run(shop.root, "arch", "check", "--no-baseline")[0] == 7

    shop.write("context.toml", rule.replace('from = ["web"]', 'from = ["jobs"]'))
    run(shop.root, "arch", "check", "--update-baseline")
    assert json.loads(baseline.read_text("utf-8")) == []
    assert run(shop.root, "arch", "check")[0] == 7


def test_the_report_for_code_scanning_names_rule_and_line(shop: Repository) -> None:
    shop.write(
        "context.toml", '[[architecture.rules]]\nname = "web"\nkind = "forbidden"\nfrom = ["web"]\nto = ["pay"]\n'
    )
    code, out = run(shop.root, "arch", "check", "--format", "sarif")

    assert code == 7
    [result] = json.loads(out)["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (result["ruleId"], place["artifactLocation"]["uri"], place["region"]["startLine"]) == (
        "web",
        "web/page.py",
        1,
    )


def test_layers_are_drawn_with_references_that_lead_upwards_in_red(shop: Repository) -> None:
    shop.write("context.toml", '[[architecture.rules]]\nname = "l"\nkind = "layers"\nlayers = ["pay", "web"]\n')
    _, drawn = run(shop.root, "arch", "draw")

    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert drawn.count('stroke="#c0392b"') == 1
    assert "web → pay" in drawn
