"""What must hold of resolving whatever the tree: no order matters, and an interface that stays changes nothing."""

import random
from collections.abc import Mapping

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from clew.index.facts import Facts
from clew.index.resolve import ResolvedCall, Resolver, face, global_summary, interface
from clew.index.resolve.abstract_values import AbstractValues
from clew.index.resolve.evaluator import Evaluator
from clew.index.resolve.program import Program
from tests.index.worlds import facts_of, resolver_of, tree_of

FILES = ("a.py", "b.py", "c.py")
LINES = (
    "def f(x, y=None): x(); return x",
    "def g(*p, **k): return f(p[0], k)",
    "def h(x): return lambda: x()",
    "class A:\n    def m(self, x): self.v = x; return self.n()\n    def n(self): return self.v",
    "class B(A):\n    def n(self): return super().n()",
    "from a import *",
    "from b import f, A",
    "import c",
    "from c import g as k",
    "f(g, h)",
    "x = f(h)",
    "x = x.m",
    "o = A()\no.m(f)",
    "o.v()",
    "c.f(B().m)",
    "d = {'k': f}\nd['k'] = g",
    "d['k'](h)",
    "for i in [f, g]: i(i)",
    "x(o)",
    "@f\ndef w(): ...",
    "w()",
)
INSIDE = ("f()", "u = 1", "u = f", "u = g", "u()", "f(u)", "# nothing", "p()", "o.v = u", "return u", "return p", "g()")
PASSING = ("use(u)", "use([u])", "use([g, p])", "use({'k': u})", "use(lambda: u())", "u = [f]", "o.v = [u]", "use(o)")
CHANGING = "def f(x): x(); return x\ndef g(): ...\nclass A:\n    def m(self): self.v()\no = A()\n"
USING = "from b import changing, f, g, o\ndef own(): ...\nchanging(own)()\no.v()\nf(g)()\no.m()\n"
TAKING = "def use(x):\n    x()\n    x[0]()\n    x['k']()\n    x.v[0]()\n"

bodies = st.lists(st.sampled_from(LINES), max_size=8).map("\n".join)
trees = st.fixed_dictionaries(dict.fromkeys(FILES, bodies))
insides = st.lists(st.sampled_from(INSIDE), max_size=4)
passings = st.lists(st.sampled_from(INSIDE + PASSING), max_size=5)
slowly = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def read(sources: Mapping[str, str]) -> dict[str, Facts]:
    return {path: facts_of(path, text + "\n") for path, text in sources.items()}


def answers(resolver: Resolver, facts: Mapping[str, Facts]) -> dict[str, list[ResolvedCall]]:
    return dict(resolver.calls(facts))


@slowly
@given(sources=trees, seed=st.integers(0, 99))
def test_no_order_matters(sources: Mapping[str, str], seed: int) -> None:
    facts = read(sources)
    expected = resolver_of(facts)
    shuffled = list(facts)
    random.Random(seed).shuffle(shuffled)
    found = resolver_of({path: facts[path] for path in shuffled})

    assert found.settled == expected.settled
    assert answers(found, {path: facts[path] for path in reversed(shuffled)}) == answers(expected, facts)


@slowly
@given(sources=trees, seed=st.integers(0, 99), many=st.integers(0, 40))
def test_what_is_passed_does_not_depend_on_which_file_is_connected_first(
    sources: Mapping[str, str], seed: int, many: int
) -> None:
    crowd = "".join(f"\ndef f{i}(): ...\nf(f{i})\nh(f{i // 2})\n@h\ndef w{i}(): ...\nw{i}(f{i})" for i in range(many))
    facts = read({**sources, "d.py": f"from a import *\nfrom b import *{crowd}"})

    assert _passed(facts, sorted(facts)) == _passed(facts, random.Random(seed).sample(sorted(facts), len(facts)))


@slowly
@given(sources=trees, many=st.integers(0, 40))
def test_going_on_from_what_was_settled_is_the_same(sources: Mapping[str, str], many: int) -> None:
    crowd = "".join(f"\n@h\ndef w{i}(x): x()\nw{i}(w{i // 2})" for i in range(many))
    facts = read({**sources, "d.py": f"from a import *\nfrom b import *{crowd}"})
    whole = resolver_of(facts)
    world, languages = tree_of(facts)

    for path in facts:
        later = Resolver.after(world, facts.__getitem__, languages, whole.settled)
        assert dict(later.calls([path])) == dict(whole.calls([path]))


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(other=bodies, before=insides, after=insides)
def test_an_interface_that_stays_changes_no_other_file(other: str, before: list[str], after: list[str]) -> None:
    old = read({"a.py": USING, "b.py": _changing(before), "c.py": other})
    new = {**old, "b.py": facts_of("b.py", _changing(after))}
    assume(old["b.py"] != new["b.py"] and interface(old["b.py"]) == interface(new["b.py"]))
    was, now = resolver_of(old), resolver_of(new)

    assert now.settled == was.settled
    for path in ("a.py", "c.py"):
        assert dict(now.calls([path])) == dict(was.calls([path]))


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(other=bodies, before=passings, after=passings)
def test_a_face_that_stays_changes_no_other_file_if_the_same_is_settled(
    other: str, before: list[str], after: list[str]
) -> None:
    taken = "from a import use\n"
    old = read({"a.py": USING + TAKING, "b.py": f"{taken}{_changing(before)}", "c.py": other})
    new = {**old, "b.py": facts_of("b.py", f"{taken}{_changing(after)}")}
    assume(old["b.py"] != new["b.py"] and face(old["b.py"]) == face(new["b.py"]))
    was, now = resolver_of(old), resolver_of(new)
    assume(now.settled == was.settled)

    for path in ("a.py", "c.py"):
        assert dict(now.calls([path])) == dict(was.calls([path]))


def test_what_is_passed_is_no_part_of_a_face_but_what_lies_in_it_is() -> None:
    text = "from b import run\ndef f(y):\n    run({})\ndef g(z):\n    pass\n"
    faces = {said: face(facts_of("a.py", text.format(said))) for said in ("", "f", "g", "[f]", "[g]")}

    assert faces[""] == faces["f"] == faces["g"]
    assert len({faces["f"], faces["[f]"], faces["[g]"]}) == 3


def test_an_interface_is_what_others_see() -> None:
    text = "class A:\n    def m(self, x):\n        {}\ndef f(y):\n    {}\n    return y\n"
    same = [("pass", "pass"), ("self.m", "pass"), ("g()", "'text'"), ("pass", "z = 1"), ("pass", "# note\n    h()")]
    other = [("self.v = x", "pass"), ("pass", "return 1"), ("pass", "f(f)"), ("pass", "y.v = f")]

    assert len({interface(facts_of("a.py", text.format(*parts))) for parts in same}) == 1
    digests = [interface(facts_of("a.py", text.format(*parts))) for parts in (same[0], *other)]
    assert len(set(digests)) == len(digests)


def test_what_is_handed_on_belongs_to_an_interface() -> None:
    handed, kept = (facts_of("stack.rs", f"{mark}use crate::ast::Call;\n") for mark in ("pub ", ""))

    assert interface(handed) != interface(kept)


def _changing(inside: list[str]) -> str:
    """A file with a function whose body is what may change."""
    body = "\n    ".join(["pass", *inside])
    return f"{CHANGING}def changing(p):\n    {body}\n"


def _passed(facts: Mapping[str, Facts], order: list[str]) -> object:
    world, languages = tree_of(facts)
    tree = Program(world, facts.__getitem__, languages, AbstractValues())
    calling = Evaluator(
        tree,
        global_summary.with_few_subclasses(global_summary.subclasses(tree, order)),
        frozenset(global_summary.stored_members(tree, order)),
    )
    for path in order:
        calling.calls.connect(path)
    calling.calls.solve()
    return global_summary.passed_values(calling), global_summary.crowded_slots(calling)
