"""Where resolving has a bound: what is known to have no member, and trees that pass too much around."""

from pathlib import Path

import pytest

from clew.engine import Engine
from clew.index.link_stage import TOO_MUCH
from clew.index.resolve import Resolver, solver
from clew.model.run import Mode
from tests.index.test_resolve import call_of
from tests.index.worlds import facts_of, resolver_of, tree_of


def test_containers_and_constants_have_their_own_members_only() -> None:
    text = "def f(x):\n    x.append(1)\n    x.simplify()\ndef g():\n    return NotImplemented\nf([])\ng().simplify()\n"

    assert call_of("x.append", text).targets == (("external::builtins.list.append", 1.0),)
    assert call_of("x.simplify", text).targets == ()
    assert call_of("g().simplify", text).targets == ()


def test_what_has_a_star_is_a_tuple_and_what_has_two_a_dictionary() -> None:
    text = "def f(*some, **more):\n    some.index(1)\n    more.get('a')\n"

    assert call_of("some.index", text).targets == (("external::builtins.tuple.index", 1.0),)
    assert call_of("more.get", text).targets == (("external::builtins.dict.get", 1.0),)


def test_a_tree_that_passes_too_much_is_resolved_without_what_is_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same after it was settled, as for one file that changed."""
    text = "def a(): ...\ndef run(x): x()\ndef hand(y): run(y)\na()\nhand(a)\n"
    facts = {"main.py": facts_of("main.py", text)}
    monkeypatch.setattr(solver, "MOST_HELD", 0)
    whole = resolver_of(facts)
    world, languages = tree_of(facts)
    again = Resolver.after(world, facts.__getitem__, languages, whole.settled)

    for resolver in (whole, again):
        found = {call.written: call.targets for call in dict(resolver.calls(["main.py"]))["main.py"]}
        assert (found["x"], found["a"]) == ((), (("main.py::a", 1.0),))


def test_where_much_is_passed_what_few_are_passed_for_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = "".join(f"def g{i}(x): g{i + 1}(x)\n" for i in range(40))
    several = "".join(f"def f{i}(): ...\ng0(f{i})\n" for i in range(10))
    text = f"def a(): ...\ndef run(y): y()\nrun(a)\n{chain}def g40(x): x()\n{several}"
    facts = {"main.py": facts_of("main.py", text)}
    monkeypatch.setattr(solver, "MOST_HELD", 200)
    whole = resolver_of(facts)
    found = {call.written: call.targets for call in dict(whole.calls(["main.py"]))["main.py"]}

    assert not whole.settled.is_cut
    assert (found["y"], found["x"]) == ((("main.py::a", 1.0),), ())


def test_a_run_says_that_what_is_passed_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "main.py").write_text("def a(): ...\ndef run(x): x()\ndef hand(y): run(y)\nhand(a)\n")
    (tmp_path / ".clew").mkdir()
    with Engine.open(tmp_path) as engine:
        assert TOO_MUCH not in engine.index().warnings
        monkeypatch.setattr(solver, "MOST_HELD", 0)
        assert TOO_MUCH in engine.index(Mode.FULL).warnings
        with (tmp_path / "main.py").open("a") as file:
            file.write("# nothing that others see\n")
        assert TOO_MUCH in engine.index().warnings


def test_what_was_cut_short_in_one_file_says_nothing_in_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    lib = "class A:\n    def go(self): return B()\nclass B:\n    def go(self): return A()\n"
    lib += "def made():\n    if x: return A()\n    return B()\ndef f0(): return made().go()\n"
    lib += "".join(f"def f{i}(): return f{i - 1}().go()\n" for i in range(1, 8))
    lib += "".join(f"def g{i}():\n    if x: return A()\n    return B()\n" for i in range(60))
    sources = {
        "lib.py": lib,
        "a.py": "from lib import *\nf7().go()\n" + "".join(f"g{i}().go().go()\n" for i in range(60)),
        "b.py": "from lib import *\nf7().go()\n",
    }
    facts = {path: facts_of(path, text) for path, text in sources.items()}
    alone, after = resolver_of(facts), resolver_of(facts)
    monkeypatch.setattr(solver, "MOST_HELD", 50)

    assert dict(after.calls(["a.py", "b.py"]))["b.py"] == dict(alone.calls(["b.py"]))["b.py"]


def test_what_is_built_of_a_file_is_another_for_the_file_itself() -> None:
    sources = {
        "package.json": '{"name": "p", "main": "dist/index.js"}',
        "src/a.ts": 'import x from "../dist/a";\nexport default 1;\n',
        "src/b.ts": 'import x from "../dist/a";\n',
    }
    tree = resolver_of({path: facts_of(path, text) for path, text in sources.items()}).tree

    assert (tree.files("src/a.ts", "../dist/a"), tree.files("src/b.ts", "../dist/a")) == ((), ("src/a.ts",))


def test_names_between_underlines_are_any_objects() -> None:
    text = "class D(dict):\n    def __setattr__(self, name, value): super().__setattr__(name, value)\n"

    assert call_of("super().__setattr__", text).targets == (("external::builtins.dict.__setattr__", 1.0),)
