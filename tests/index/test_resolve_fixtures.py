"""What pytest hands to tests by the names of their parameters."""

from collections.abc import Mapping

import pytest

from tests.index.test_resolve import calls

CODE = "class App:\n    def run(self): ...\nclass Other:\n    def run(self): ...\n"
IMPORTS = "import pytest\nfrom app import App, Other\n"
APP = "@pytest.fixture\ndef app():\n    return App()\n"
TEST = "def test_it(app):\n    app.run()\n"

TREES: dict[str, dict[str, str]] = {
    "of the same file": {"test_a.py": f"{IMPORTS}{APP}{TEST}"},
    "of the folder": {"conftest.py": f"{IMPORTS}{APP}", "test_a.py": TEST},
    "of a folder above": {"conftest.py": f"{IMPORTS}{APP}", "deep/down/test_a.py": TEST},
    "the nearer of two": {
        "conftest.py": f"{IMPORTS}@pytest.fixture\ndef app(): return Other()\n",
        "deep/conftest.py": f"{IMPORTS}{APP}",
        "deep/test_a.py": TEST,
    },
    "that is yielded": {"test_a.py": f"{IMPORTS}@pytest.fixture\ndef app():\n    yield App()\n{TEST}"},
    "by a name of its own": {
        "test_a.py": f"{IMPORTS}@pytest.fixture(scope='module', name='app')\ndef made(): return App()\n{TEST}"
    },
    "with parameters that have a name": {
        "test_a.py": f"{IMPORTS}@pytest.fixture(params=[dict(name='x')])\ndef app(): return App()\n{TEST}"
    },
    "of another fixture": {
        "conftest.py": f"{IMPORTS}@pytest.fixture\ndef base(): return App()\n",
        "test_a.py": f"{IMPORTS}@pytest.fixture\ndef app(base): return base\n{TEST}",
    },
    "of the one that it stands before": {
        "conftest.py": f"{IMPORTS}{APP}",
        "test_a.py": f"{IMPORTS}@pytest.fixture\ndef app(app): return app\n{TEST}",
    },
    "that is imported": {"fixtures.py": f"{IMPORTS}{APP}", "test_a.py": f"from fixtures import app\n{TEST}"},
    "of the class": {
        "test_a.py": f"{IMPORTS}class TestIt:\n    @pytest.fixture\n    def app(self): return App()\n"
        "    def test_it(self, app):\n        app.run()\n"
    },
    "of a class that it extends": {
        "test_a.py": f"{IMPORTS}class Base:\n    @pytest.fixture\n    def app(self): return App()\n"
        "class TestIt(Base):\n    def test_it(self, app):\n        app.run()\n"
    },
}


def _called(sources: Mapping[str, str]) -> object:
    path = next(path for path in sources if path.endswith("test_a.py"))
    (call,) = (call for call in calls({"app.py": CODE, **sources}, path) if call.written == "app.run")
    return call.targets


@pytest.mark.parametrize("sources", TREES.values(), ids=TREES.keys())
def test_a_test_is_handed_what_a_fixture_gives(sources: Mapping[str, str]) -> None:
    assert _called(sources) == (("app.py::App::run", 1.0),)


@pytest.mark.parametrize(
    "text",
    [
        f"{IMPORTS}{APP}def helper(app):\n    app.run()\n",
        f"{IMPORTS}def app():\n    return App()\n{TEST}",
        f"{IMPORTS}{APP}@pytest.mark.parametrize('n, app', [(1, other())])\n{TEST}",
        f"{IMPORTS}{APP}def around():\n    def test_inner(app):\n        app.run()\n    test_inner(other())\n",
    ],
    ids=["what is no test", "what is no fixture", "what it is given", "what is inside of another"],
)
def test_nobody_else_is(text: str) -> None:
    assert _called({"test_a.py": text}) == ()
