"""test_run and test_categorize on a small repository: a real pytest, in a process of its own."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.engine import Engine
from tests.conftest import DAY_1, Repository
from tests.tools.asking import Ask, asking

PYTEST = f"{sys.executable} -m pytest -p no:schemathesis -p no:cacheprovider -q"
FILES = {
    "pay.py": "import test_kinds\n\n\ndef charge(n):\n    if n > 1:\n        raise ValueError(n)\n    return n\n",
    "test_kinds.py": "def kind_of(test):\n    return test\n",  # named like a test, and used by code
    "tests/conftest.py": "import sys\nsys.path.insert(0, '.')\n",
    "tests/test_pay.py": (
        "from pay import charge\n\n\ndef test_one():\n    assert charge(1)\n\n\ndef test_two():\n    assert charge(2)\n"
    ),
    "tests/integration/test_all.py": "import subprocess\n\n\ndef test_all():\n    assert subprocess\n",
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


@pytest.fixture
def ask(shop: Repository) -> Iterator[Ask]:
    with asking(shop.root) as asked:
        yield asked


def configured(shop: Repository, text: str) -> None:
    shop.configure(f"[tests]\n{text}\n")


def test_running_is_off_unless_a_command_is_configured_and_trusted(shop: Repository, ask: Ask, tmp_path: Path) -> None:
    (shop.root / "context.toml").unlink(missing_ok=True)
    assert ask("test_run")["errorCode"] == "CLEW_E_NOT_SUPPORTED"
    mark = tmp_path / "ran"
    shop.write("context.toml", f"[tests]\ncommand = 'touch {mark}'\n")
    with asking(shop.root) as asked:
        refused = asked("test_run", affected=True)

    assert refused["errorCode"] == "CLEW_E_NOT_SUPPORTED"
    assert not mark.exists()


def test_failures_come_first_with_the_code_they_point_at(shop: Repository) -> None:
    (shop.root / "build").mkdir(exist_ok=True)
    configured(shop, f"command = '{PYTEST} --junitxml=build/junit.xml {{tests}}'\nreport = 'build/junit.xml'")
    with asking(shop.root) as ask:
        answer = ask("test_run", tests=["tests/test_pay.py"])
        recalled = ask("episode_recall", query="tests failed", types=["TEST_RESULT"])
    data = answer["data"]

    assert (data["status"], data["passed"], data["failed"]) == ("failed", 1, 1)
    [failure] = data["failures"]
    assert failure["test"] == "tests/test_pay.py::test_two"
    assert (failure["at"], failure["symbol"]) == ("pay.py:6", "pay.py::charge")
    assert answer["summary"].startswith("1 test failed, 1 passed.")
    assert recalled["data"]["episodes"][0]["metadata"]["failed"] == 1
    assert data["episode_id"] in [one["id"] for one in recalled["data"]["episodes"]]


def test_only_known_tests_are_passed_to_the_command(shop: Repository) -> None:
    configured(shop, f"command = '{PYTEST} {{tests}}'")
    with asking(shop.root) as ask:
        passed = ask("test_run", tests=["tests/test_pay.py::test_one"])["data"]
        strange = ask("test_run", tests=["--rootdir=/", "tests/test_pay.py"])

    assert (passed["status"], passed["passed"]) == ("passed", 1)
    assert strange["errorCode"] == "CLEW_E_NOT_FOUND"


def test_a_run_ends_with_its_time_and_its_children(shop: Repository) -> None:
    configured(shop, "command = 'sh -c \"echo begun; sleep 100\"'\ntimeout_seconds = 1")
    with asking(shop.root) as ask:
        data = ask("test_run")["data"]

    assert data["status"] == "timeout"
    assert "begun" in data["output_tail"]


def test_a_command_that_fails_without_a_test_is_an_error_with_its_output(shop: Repository) -> None:
    configured(shop, "command = 'sh -c \"echo no such module; exit 3\"'")
    with asking(shop.root) as ask:
        data = ask("test_run", tests=["tests/test_pay.py"])["data"]

    assert (data["status"], data["exit_code"], data["whole_suite"]) == ("error", 3, True)
    assert "no such module" in data["output_tail"]


def test_tests_are_categorized_with_reasons(ask: Ask) -> None:
    data = ask("test_categorize")["data"]
    rows = {one["id"]: one for one in data["tests"]}

    assert data["counts"] == {"fixture": 1, "integration": 1, "unit": 2}
    assert rows["tests/integration/test_all.py"]["reasons"] == ["below integration/", "imports subprocess"]
    assert rows["tests/conftest.py"]["category"] == "fixture"
    assert [one["id"] for one in ask("test_categorize", category="unit")["data"]["tests"]] == ["tests/test_pay.py"]
    assert ask("test_categorize", files=["pay.py"])["errorCode"] == "CLEW_E_NOT_FOUND"
