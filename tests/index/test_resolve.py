"""Calls of small trees, and where they lead."""

from collections.abc import Mapping
from types import MappingProxyType

import pytest

from clew.index.facts import Attr, CallFact, Def, Facts, ImportedName, ScopedName, This, UnboundName
from clew.index.resolve import ResolvedCall, Resolver, UnresolvedReason
from clew.model.code import EXTERNAL
from tests.index.worlds import facts_of, resolver_of, tree_of


def calls(sources: Mapping[str, str], path: str) -> list[ResolvedCall]:
    facts = {name: facts_of(name, text) for name, text in sources.items()}
    return dict(resolver_of(facts).calls([path]))[path]


def leads(text: str, others: Mapping[str, str] = MappingProxyType({})) -> dict[str, list[str]]:
    """Where the calls of a file lead, by how they are written; built-ins are left out, and `main.py::` too."""
    told: dict[str, list[str]] = {}
    for call in calls({"main.py": text, **others}, "main.py"):
        targets = [target for target, _ in call.targets if not target.startswith(f"{EXTERNAL}builtins.")]
        told.setdefault(call.written, []).extend(target.removeprefix("main.py::") for target in targets)
    return {written: sorted(set(targets)) for written, targets in told.items() if targets}


def call_of(written: str, text: str) -> ResolvedCall:
    (call,) = (call for call in calls({"main.py": text}, "main.py") if call.written == written)
    return call


PYTHON = {
    "a class with type arguments is the class": (
        "import typing\nT = typing.TypeVar('T')\nclass Box(typing.Generic[T]):\n    def put(self): ...\n"
        "Box[int]().put()\n",
        {
            "typing.TypeVar": ["external::typing.TypeVar"],
            "Box[int]": ["Box", "external::typing.Generic.__init__"],
            "Box[int]().put": ["Box::put"],
        },
    ),
    "a name is what was bound to it last": (
        "def a(): ...\ndef b(): ...\nx = a\nx = b\nx()\n",
        {"x": ["b"]},
    ),
    "behind a branch it is what either way leaves": (
        "def a(): ...\ndef b(): ...\nif n:\n    x = a\nelse:\n    x = b\nx()\n",
        {"x": ["a", "b"]},
    ),
    "a way that does not go on leaves nothing": (
        "def a(): ...\ndef b(): ...\ndef f(n):\n    x = a\n    if n:\n        x = b\n        return\n    x()\n",
        {"x": ["a"]},
    ),
    "in a loop it may be what the last round left": (
        "def a(): ...\ndef b(): ...\ndef f():\n    x = a\n    for i in y:\n        x()\n        x = b\n",
        {"x": ["a", "b"]},
    ),
    "a closure sees all that its function binds": (
        "def a(): ...\ndef f():\n    def g():\n        x()\n    x = a\n    g()\n",
        {"x": ["a"], "g": ["f::g"]},
    ),
    "global and nonlocal bind elsewhere": (
        "def a(): ...\ndef b(): ...\nx = y = None\ndef f():\n    global x\n    x = a\n"
        "def g():\n    z = None\n    def h():\n        nonlocal z\n        z = b\n    z()\ndef k():\n    x()\n",
        {"x": ["a"], "z": ["b"]},
    ),
    "a walrus binds": ("def a(): ...\nif (x := a):\n    x()\n", {"x": ["a"]}),
    "patterns take apart": (
        "def a(): ...\ndef b(): ...\ndef c(): ...\nx, (y, *z) = a, (b, c, a)\nx()\ny()\nz[0]()\n",
        {"x": ["a"], "y": ["b"], "z[0]": ["c"]},
    ),
    "what is passed is what a parameter is": (
        "def a(): ...\ndef f(x, *, y): x(); y()\nf(a, y=f)\n",
        {"x": ["a"], "y": ["f"], "f": ["f"]},
    ),
    "a default is passed too": ("def a(): ...\ndef f(x=a): x()\nf()\n", {"x": ["a"], "f": ["f"]}),
    "stars pass elements by place and name": (
        "def a(): ...\ndef b(): ...\ndef f(x, y): x(); y()\nf(*[a], **{'y': b})\n",
        {"x": ["a"], "y": ["b"], "f": ["f"]},
    ),
    "stars take what is left": (
        "def a(): ...\ndef b(): ...\ndef f(*p, **k): p[1](); k['z']()\nf(0, a, z=b)\n",
        {"p[1]": ["a"], "k['z']": ["b"], "f": ["f"]},
    ),
    "stars are handed on": (
        "def a(): ...\ndef g(x): x()\ndef f(*p): g(*p)\nf(a)\n",
        {"x": ["a"], "g": ["g"], "f": ["f"]},
    ),
    "what a function hands back is what its caller passed": (
        "def a(): ...\ndef b(): ...\ndef same(x): return x\nsame(a)()\ny = same(b)\ny()\n",
        {"same": ["same"], "same(a)": ["a"], "y": ["b"]},
    ),
    "a member of self comes from the class": (
        "class A:\n    def f(self): self.g()\n    def g(self): ...\n",
        {"self.g": ["A::g"]},
    ),
    "what a constructor assigns is a member": (
        "class B:\n    def go(self): ...\n"
        "class A:\n    def __init__(self): self.b = B()\n    def f(self): self.b.go()\n",
        {"B": ["B"], "self.b.go": ["B::go"]},
    ),
    "what others put into an object is a member": (
        "def a(): ...\nclass A:\n    def f(self): self.hook()\nx = A()\ndef put(o): o.hook = a\nput(x)\n",
        {"A": ["A"], "self.hook": ["a"], "put": ["put"]},
    ),
    "members are looked up in order": (
        "class A:\n    def f(self): ...\nclass B(A): ...\nclass C(A):\n    def f(self): ...\n"
        "class D(B, C): ...\nD().f()\n",
        {"D": ["D"], "D().f": ["C::f"]},
    ),
    "an order that cannot be is from left to right": (
        "class A:\n    def f(self): ...\nclass B(A):\n    def f(self): ...\nclass C(A, B): ...\nC().f()\n",
        {"C": ["C"], "C().f": ["A::f"]},
    ),
    "a class that inherits from itself ends": (
        "class A(B): ...\nclass B(A):\n    def f(self): ...\nA().f()\n",
        {"A": ["A"], "A().f": ["B::f"]},
    ),
    "super is the next in order": (
        "class A:\n    def f(self): ...\n"
        "class B(A):\n    def f(self):\n        super().f()\n        super(B, self).f()\n",
        {"super().f": ["A::f"], "super(B, self).f": ["A::f"]},
    ),
    "what a class lacks its heirs may have": (
        "class A:\n    def f(self): self.g()\nclass B(A):\n    def g(self): ...\n",
        {"self.g": ["B::g"]},
    ),
    "class and static methods": (
        "class A:\n    @classmethod\n    def make(cls): return cls()\n    @staticmethod\n    def s(x): x()\n"
        "    def f(self): ...\ndef a(): ...\nA.make().f()\nA.s(a)\nA().s(a)\n",
        {"A.make": ["A::make"], "cls": ["A"], "A.make().f": ["A::f"], "A.s": ["A::s"], "x": ["a"], "A": ["A"],
         "A().s": ["A::s"]},
    ),
    "a property is what it returns": (
        "class B:\n    def go(self): ...\nclass A:\n    @property\n    def b(self): return B()\nA().b.go()\n",
        {"B": ["B"], "A": ["A"], "A().b.go": ["B::go"]},
    ),
    "an object is called by its method": (
        "class A:\n    def __call__(self, x): x()\ndef a(): ...\nA()(a)\n",
        {"A": ["A"], "A()": ["A::__call__"], "x": ["a"]},
    ),
    "operators, loops and with call what they stand for": (
        "class A:\n    def __add__(self, o): return self\n    def __enter__(self): return self\n"
        "    def __exit__(self, *e): ...\n    def __getitem__(self, k): return self\n    def f(self): ...\n"
        "a = A()\n(a + 1).f()\nwith a as b: b.f()\na[0].f()\n",
        {"A": ["A"], "__add__": ["A::__add__"], "(a + 1).f": ["A::f"], "__enter__": ["A::__enter__"],
         "__exit__": ["A::__exit__"], "b.f": ["A::f"], "__getitem__": ["A::__getitem__"], "a[0].f": ["A::f"]},
    ),
    "a generator gives what it yields": (
        "def a(): ...\ndef g():\n    yield a\ndef h():\n    yield from g()\nfor x in h(): x()\nnext(g())()\n",
        {"h": ["h"], "g": ["g"], "x": ["a"], "next(g())": ["a"]},
    ),
    "a context manager gives what it yields": (
        "from contextlib import contextmanager\nclass A:\n    def f(self): ...\n"
        "@contextmanager\ndef g():\n    yield A()\n"
        "with g() as x: x.f()\n",
        {"@contextmanager": ["external::contextlib.contextmanager"], "A": ["A"], "g": ["g"], "x.f": ["A::f"]},
    ),
    "containers hold what is put in": (
        "def a(): ...\ndef b(): ...\nl = [a]\nl.append(b)\nl[0]()\nfor x in l: x()\n"
        "d = {'k': a, 1: b}\nd['k']()\nd[1]()\nd.get('k')()\nfor v in d.values(): v()\nfor k, w in d.items(): w()\n",
        {"l[0]": ["a", "b"], "x": ["a", "b"], "d['k']": ["a"], "d[1]": ["b"], "d.get('k')": ["a", "b"],
         "v": ["a", "b"], "w": ["a", "b"]},
    ),
    "comprehensions have names of their own": (
        "def a(): ...\ndef x(): ...\n[x() for x in [a]]\nx()\n",
        {"x": ["a", "x"]},
    ),
    "a decorated name is what its decorator returns": (
        "def dec(f):\n    def inner(): f()\n    return inner\n@dec\ndef g(): ...\ng()\n",
        {"@dec": ["dec"], "f": ["g"], "g": ["dec::inner"]},
    ),
    "wraps does not lose the function": (
        "from functools import wraps\ndef dec(f):\n    @wraps(f)\n    def inner(): ...\n    return inner\n"
        "@dec\ndef g(): ...\ng()\n",
        {"wraps": ["external::functools.wraps"], "@wraps": ["external::functools.wraps"], "@dec": ["dec"],
         "g": ["dec::inner", "g"]},
    ),
    "a decorator from outside leaves what it decorates": (
        "import lib\n@lib.task(1)\ndef g(): ...\ng()\n",
        {"lib.task": ["external::lib.task"], "@lib.task": ["external::lib.task"], "g": ["g"]},
    ),
    "partial is its function": (
        "from functools import partial\ndef a(): ...\npartial(a, 1)()\n",
        {"partial": ["external::functools.partial"], "partial(a, 1)": ["a"]},
    ),
    "written types count": (
        "class A:\n    def f(self): ...\n"
        "def g(x: A, y: 'A | None', z: list[A]) -> A:\n    x.f()\n    for i in z: i.f()\n"
        "g().f()\nn: A = load()\nn.f()\n",
        {"x.f": ["A::f"], "i.f": ["A::f"], "g": ["g"], "g().f": ["A::f"], "n.f": ["A::f"]},
    ),
    "isinstance tells": (
        "class A:\n    def f(self): ...\ndef g(x):\n    if isinstance(x, A): x.f()\n",
        {"x.f": ["A::f"]},
    ),
    "lambdas are numbered by scope": (
        "def f(): return lambda: g()\ndef g(): ...\nf()()\nh = lambda x: x()\nh(g)\n",
        {"f": ["f"], "f()": ["f::<lambda1>"], "g": ["g"], "h": ["<lambda1>"], "x": ["g"]},
    ),
    "getattr with a plain name is a member": (
        "class A:\n    def f(self): ...\ngetattr(A(), 'f')()\n",
        {"A": ["A"], "getattr(A(), 'f')": ["A::f"]},
    ),
    "a class that is raised is made": (
        "class E(Exception):\n    def __init__(self): ...\nraise E\n",
        {"E": ["E", "E::__init__"]},
    ),
    "what is outside stays outside": (
        "import requests\nfrom os import path as p\nr = requests.get('x')\nr.json()\np.join()\n",
        {"requests.get": ["external::requests.get"], "r.json": ["external::requests.get.json"],
         "p.join": ["external::os.path.join"]},
    ),
    "a base from outside has what the class lacks": (
        "from lib import Base\nclass A(Base):\n    def f(self): self.g()\n",
        {"self.g": ["external::lib.Base.g"]},
    ),
    "a base that brings nothing has nothing to say": (
        "from abc import ABC\nclass A(ABC):\n    def f(self): self.g()\nclass B(A):\n    def g(self): ...\nB().f()\n",
        {"B": ["B", "external::abc.ABC.__init__"], "B().f": ["A::f"], "self.g": ["B::g"]},
    ),
    "a chain that never ends, ends": (
        "from lib import x\nwhile x: x = x.next()\n",
        {"x.next": ["external::lib.x.next", "external::lib.x.next.next"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", PYTHON, ids=str)
def test_python(case: str) -> None:
    text, expected = PYTHON[case]

    assert leads(text) == expected


def test_imports_lead_through_packages() -> None:
    others = {
        "pkg/__init__.py": "from .deep import *\nfrom . import sub\nfrom .sub import thing as other\n",
        "pkg/deep.py": "__all__ = ['shown']\ndef shown(): ...\ndef hidden(): ...\n",
        "pkg/sub.py": "def thing(): ...\n",
    }
    text = "import pkg\nfrom pkg import *\nimport pkg.sub as s\n"
    text += "pkg.shown()\nshown()\nhidden()\nother()\ns.thing()\npkg.sub.thing()\n"

    assert leads(text, others) == {
        "pkg.shown": ["pkg/deep.py::shown"],
        "shown": ["pkg/deep.py::shown"],
        "other": ["pkg/sub.py::thing"],
        "s.thing": ["pkg/sub.py::thing"],
        "pkg.sub.thing": ["pkg/sub.py::thing"],
    }


def test_files_that_import_each_other_end() -> None:
    assert leads("from other import f\nf()\n", {"other.py": "from main import f\n"}) == {}
    others = {"other.py": "from main import *\ndef f(): ...\n"}
    assert leads("from other import *\nf()\n", others) == {"f": ["other.py::f"]}


def test_a_package_without_init_is_one() -> None:
    others = {"pkg/mod.py": "def f(): ...\n"}

    assert leads("import pkg.mod\npkg.mod.f()\n", others) == {"pkg.mod.f": ["pkg/mod.py::f"]}


def test_what_one_file_passes_another_calls() -> None:
    sources = {"main.py": "from lib import run\ndef a(): ...\nrun(a)\n", "lib.py": "def run(f): f()\n"}

    assert [call.targets for call in calls(sources, "lib.py")] == [(("main.py::a", 1.0),)]


def test_several_targets_share_the_confidence() -> None:
    call = call_of("x", "def a(): ...\ndef b(): ...\ndef f(x): x()\nf(a)\nf(b)\n")

    assert call.targets == (("main.py::a", 0.5), ("main.py::b", 0.5))


def test_a_class_and_its_constructor_are_one_target() -> None:
    call = call_of("A", "class A:\n    def __init__(self): ...\nA()\n")

    assert call.targets == (("main.py::A", 1.0), ("main.py::A::__init__", 1.0))


def test_by_name_alone_a_method_is_guessed() -> None:
    text = "class A:\n    def charge(self): ...\ndef f(x): x.charge()\n"

    assert call_of("x.charge", text).targets == (("main.py::A::charge", 0.5),)


def test_a_common_name_is_never_guessed() -> None:
    call = call_of("x.get", "class A:\n    def get(self): ...\ndef f(x): x.get()\n")

    assert (call.targets, call.reason) == ((), UnresolvedReason.RECEIVER)


@pytest.mark.parametrize(
    ("written", "text", "reason"),
    [
        ("nothing", "nothing()\n", UnresolvedReason.NAME),
        ("x.go", "def f(x): x.go()\n", UnresolvedReason.RECEIVER),
        ("A().go", "class A: ...\nA().go()\n", UnresolvedReason.MEMBER),
        (
            "run",
            "from typing import Callable\nRun = Callable[[], None]\ndef f(run: Run): run()\n",
            UnresolvedReason.NAME,
        ),
        ("d[k]", "d = load()\nd[k]()\n", UnresolvedReason.DYNAMIC),
    ],
)
def test_a_call_that_leads_nowhere_is_told_with_its_reason(written: str, text: str, reason: UnresolvedReason) -> None:
    call = call_of(written, text)

    assert (call.targets, call.reason) == ((), reason)


def test_every_call_that_is_written_is_reported() -> None:
    text = "f(g(1))\n[h() for x in y()]\n(lambda: k())()\nu()()[0].v(w=z())\n"
    written = [call.written for call in calls({"main.py": text}, "main.py")]

    assert sorted(written) == sorted(["g", "f", "y", "h", "k", "(lambda: k())", "u", "u()", "z", "u()()[0].v"])


def test_what_takes_too_much_says_nothing() -> None:
    """A parameter over the bound is unknown, and so is what it is passed on to; others are as they were."""
    many = "".join(f"def f{i}(): ...\nrun(f{i})\n" for i in range(40))
    text = f"def a(): ...\ndef run(x): hand(x)\ndef hand(y): y()\ndef few(z): z()\nfew(a)\n{many}"

    assert call_of("y", text).targets == ()
    assert call_of("z", text).targets == (("main.py::a", 1.0),)


@pytest.mark.parametrize(
    ("many", "expected"),
    [
        (12, ["main.py::dec::inner"]),
        (13, ["main.py::dec::inner", "main.py::f7"]),
        (40, ["main.py::dec::inner", "main.py::f7"]),
    ],
)
def test_a_decorator_that_stands_for_many_hides_none_of_them(many: int, expected: list[str]) -> None:
    """Its wrapper could be told to call each of a few; of more, who calls them by their names is told."""
    decorated = "".join(f"@dec\ndef f{i}(): ...\n" for i in range(many))
    text = f"def dec(f):\n    def inner(): f()\n    return inner\n{decorated}f7()\n"
    facts = {"main.py": facts_of("main.py", text)}
    whole, (world, languages) = resolver_of(facts), tree_of(facts)
    later = Resolver.after(world, facts.__getitem__, languages, whole.settled)

    for resolver in (whole, later):
        (called,) = (call for call in dict(resolver.calls(facts))["main.py"] if call.written == "f7")
        assert [target for target, _ in called.targets] == expected


def test_a_decorator_made_by_another_hides_none_of_many_either() -> None:
    """What it stands for comes by way of a parameter that holds all of them: the name tells which."""
    make = "def make(func):\n @wraps(func)\n def wrapper(): func()\n return wrapper\n"
    text = f"from functools import wraps\n{make}def dec(func): return make(func)\n"
    text += "".join(f"@dec\ndef f{i}(): ...\n" for i in range(20))

    assert call_of("f3", f"{text}f3()\n").targets == (("main.py::f3", 0.5), ("main.py::make::wrapper", 0.5))


def test_names_of_a_package_are_seen_in_all_of_its_files() -> None:
    """Facts of other languages: what is not bound in a Go file may be in another of its folder."""
    facts = {
        "pay/a.go": Facts(calls=(CallFact("", 1, "help", (UnboundName("help"),)),)),
        "pay/b.go": Facts(kinds={"help": "function"}, names={"": {"help": (Def("help"),)}}),
        "other/c.go": Facts(kinds={"help": "function"}, names={"": {"help": (Def("help"),)}}),
    }
    languages = dict.fromkeys(facts, "go")
    resolver = Resolver.settle(tree_of(facts)[0], facts.__getitem__, languages, facts)

    assert dict(resolver.calls(facts))["pay/a.go"][0].targets == (("pay/b.go::help", 1.0),)


def test_members_that_captures_tell_are_members() -> None:
    """As facts are gathered for most languages: members of `this` bound by the class, no calls with arguments."""
    facts = {
        "a.ts": Facts(
            kinds={"Card": "class", "Card::charge": "method", "Gate": "class", "Gate::send": "method"},
            names={
                "": {"Card": (Def("Card"),), "Gate": (Def("Gate"),), "fs": (ImportedName("fs"),)},
                "Card": {"charge": (Def("Card::charge"),), "gate": (Attr(This("Card"), "other"),)},
                "Gate": {"send": (Def("Gate::send"),)},
            },
            bases={"Card": (ScopedName("", "Gate"),)},
            calls=(
                CallFact("Card::charge", 3, "this.send", (Attr(This("Card"), "send"),)),
                CallFact("Card::charge", 4, "fs.read", (Attr(ScopedName("", "fs"), "read"),)),
            ),
        )
    }
    found = dict(resolver_of(facts).calls(["a.ts"]))["a.ts"]

    assert [call.targets for call in found] == [(("a.ts::Gate::send", 1.0),), (("external::fs.read", 1.0),)]
