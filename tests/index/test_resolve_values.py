"""Ways in which Python code comes by an object of a class: each ends in a call that leads to its method, for certain.

There is a second class with a method of that name, so that none of them is found by the name alone.
"""

import pytest

from tests.index.test_resolve import call_of, calls, leads

ITEM = """\
import asyncio, collections, functools, itertools, random, typing
from typing import NamedTuple, cast
class Item:
    def go(self): ...
class Other:
    def go(self): ...
def make() -> list[Item]:
    return [Item()]
async def later() -> Item:
    return Item()
"""

PAIR = "class P(NamedTuple):\n    text: str\n    item: Item\n"

WAYS = {
    "the largest of several": "max(make(), key=id).go()",
    "the larger of two": "x, y = Item(), Item()\nmin(x, y).go()",
    "with its place": "for i, x in enumerate(make()):\n    x.go()",
    "beside another": "for x, y in zip(make(), [1]):\n    x.go()",
    "what is left": "for x in filter(None, make()):\n    x.go()",
    "made of each": "for x in map(lambda one: Item(), [1, 2]):\n    x.go()",
    "by a cast": "def f(z): cast(Item, z).go()",
    "by a cast of the module": "def f(z): typing.cast(Item, z).go()",
    "by a cast to a name in quotes": "def f(z): cast('Item', z).go()",
    "a cast of it": "cast(typing.Any, Item()).go()",
    "by another name for one type or more": "Named = typing.Optional[Item]\ndef f(x: Named): x.go()",
    "by another name with a bar": "Named = Item | None\ndef f(x: Named): x.go()",
    "by another name in quotes": "Named: typing.TypeAlias = 'Item'\ndef f(x: Named): x.go()",
    "by a type statement": "type Named = Item | None\ndef f(x: Named): x.go()",
    "by a type statement that takes another": "type Named[T] = Item | None\ndef f(x: Named[int]): x.go()",
    "by a type variable that is bound in quotes": "T = typing.TypeVar('T', bound='Item')\ndef f(x: T): x.go()",
    "of what a generator yields": "def f(xs: typing.Generator[Item, int, str]):\n    for x in xs: x.go()",
    "one by chance": "def f(xs: list[Item]): random.choice(xs).go()",
    "of a chain": "def f(xs: list[Item]):\n    for x in itertools.chain([], xs): x.go()",
    "in a guard": "def f(x):\n    match x:\n        case int() if Item().go():\n            pass",
    "run": "asyncio.run(later()).go()",
    "waited for": "async def f(): (await asyncio.wait_for(later(), 3)).go()",
    "as a task": "async def f():\n    task = asyncio.create_task(later())\n    (await task).go()",
    "gathered": "async def f():\n    a, b = await asyncio.gather(later(), later())\n    b.go()",
    "by a type in quotes, or nothing": "def f(x: 'Item | None'): x.go()",
    "by a type in quotes, optional": "def f(x: 'typing.Optional[Item]'): x.go()",
    "of a list in quotes": "def f(xs: 'list[Item]'): xs[0].go()",
    "of a mapping in quotes": "def f(xs: 'dict[str, Item]'): xs['a'].go()",
    "the class by a type in quotes": "def f(x: 'type[Item]'): x().go()",
    "each of many arguments": "def f(*items: Item):\n    for item in items:\n        item.go()",
    "each of those by name": "def f(**items: Item):\n    for item in items.values():\n        item.go()",
    "of a static method that is made so": "class C:\n    make = staticmethod(Item)\nC().make().go()",
    "of what is kept": "make = functools.lru_cache(3)(Item)\nmake().go()",
    "all others are gone": "def f(x):\n    if not isinstance(x, Item):\n        return\n    x.go()",
    "by an assertion": "def f(x):\n    assert isinstance(x, Item), 'none'\n    x.go()",
    "by one of two tests": "def f(x, y):\n    if y and isinstance(x, Item):\n        x.go()",
    "by a case": "def f(x):\n    match x:\n        case Item():\n            x.go()",
    "by a case with a name": "def f(x):\n    match x:\n        case Item() as one:\n            one.go()",
    "by the bound of a type": "T = typing.TypeVar('T', bound=Item)\ndef f(x: T): x.go()",
    "by a type of another name": "Thing = typing.NewType('Thing', Item)\ndef f(x: Thing): x.go()",
    "of a named tuple, unpacked": f"{PAIR}def f(p: P):\n    t, i = p\n    i.go()",
    "of a named tuple, by its place": f"{PAIR}def f(p: P): p[1].go()",
    "handed back": "def same(x): return x\nsame(Item()).go()\nsame(Other())",
    "handed back by another": "def same(x): return x\ndef as_is(y): return same(y)\nas_is(Item()).go()\nas_is(Other())",
    "by name": "def same(x): return x\ndef as_is(y): return same(x=y)\nas_is(y=Item()).go()\nas_is(Other())",
    "or made": "def of(x): return x\ndef f(y): return of(y or Item())\nf(Item()).go()\nf(1)",
}


@pytest.mark.parametrize("text", WAYS.values(), ids=WAYS.keys())
def test_what_an_object_is_of(text: str) -> None:
    (called,) = (call for call in calls({"main.py": f"{ITEM}{text}\n"}, "main.py") if call.written.endswith(".go"))

    assert called.targets == (("main.py::Item::go", 1.0),)


def test_what_a_decorator_hands_back_is_what_it_decorates_however_deep() -> None:
    """Not one of all classes that it ever decorated: `auto` hands on what it is given to a function inside of it."""
    text = (
        "def auto(cls=None):\n    def mark(cls):\n        return cls\n    return mark if cls is None else mark(cls)\n"
        "@auto\nclass A: ...\n@auto\nclass B: ...\n@auto()\nclass C: ...\nA()\nB()\nC()\n"
    )

    assert [target for name in "ABC" for target, _ in call_of(name, text).targets] == [
        "main.py::A",
        "main.py::auto::mark",  # had it been given nothing
        "main.py::B",
        "main.py::auto::mark",
        "main.py::C",
    ]


def test_functions_that_hand_things_to_each_other_and_back() -> None:
    text = (
        "class A:\n    def go(self): ...\nclass B:\n    def go(self): ...\n"
        "def f(x, n): return x if n else g(x, n)\ndef g(x, n): return f(x, n)\nf(A(), 1).go()\ng(B(), 2).go()\n"
    )

    assert call_of("f(A(), 1).go", text).targets == (("main.py::A::go", 1.0),)
    assert call_of("g(B(), 2).go", text).targets == (("main.py::B::go", 1.0),)


def test_further_than_is_looked_what_is_handed_back_is_not_lost() -> None:
    chain = "".join(f"def f{i}(x): return f{i - 1}(x)\n" for i in range(1, 7))
    text = f"class A:\n    def go(self): ...\ndef f0(x): return x\n{chain}f6(A()).go()\n"

    assert call_of("f6(A()).go", text).targets == (("main.py::A::go", 1.0),)


def test_functions_that_are_handed_to_built_in_ones_are_called() -> None:
    text = "class A:\n    def go(self): ...\ndef each(x): x.go()\ndef size(x): return x.go()\n"
    text += "map(each, [A()])\nsorted([A()], key=size)\n"

    assert leads(text)["map"] == ["each"]
    assert leads(text)["sorted"] == ["size"]
    assert leads(text)["x.go"] == ["A::go"]


def test_a_decorator_of_the_tree_is_called_even_if_it_has_the_name_of_a_known_one() -> None:
    text = "class cached_property:\n    def __init__(self, get): ...\n"
    text += "class A:\n    @cached_property\n    def b(self): ...\n"

    assert leads(text) == {"cached_property": ["cached_property", "cached_property::__init__"]}


def test_a_class_is_made_by_its_new_too() -> None:
    text = "class A:\n    def __new__(cls): return object.__new__(cls)\n    def __init__(self): ...\nA()\n"

    assert leads(text)["A"] == ["A", "A::__init__", "A::__new__"]


def test_a_class_is_made_by_its_new_beside_what_is_decorated() -> None:
    text = "def mark(f): return f\nclass A:\n    def __new__(cls): return object.__new__(cls)\n"
    text += "    @mark\n    def __init__(self): ...\nA()\n"

    assert leads(text)["A"] == ["A", "A::__init__", "A::__new__"]


def test_what_is_known_to_lack_a_member_is_not_said_to_have_it() -> None:
    text = (
        "import collections\nfrom typing import NamedTuple\nclass P(NamedTuple):\n    text: str\n"
        "def f(p: P): p.shout()\nrepr(1).shout()\ncollections.deque().shout()\nrepr(1).strip()\n"
    )

    for written in ("p.shout", "repr(1).shout", "collections.deque().shout"):
        assert call_of(written, text).targets == ()
    assert call_of("repr(1).strip", text).targets == (("external::builtins.str.strip", 1.0),)


def test_what_only_ends_like_a_cast_is_none() -> None:
    text = "import weather\nclass Card:\n    def pay(self): ...\nweather.forecast('Card', 2).pay()\n"

    assert call_of("weather.forecast('Card', 2).pay", text).targets == (("external::weather.forecast.pay", 1.0),)


def test_what_there_is_if_there_is_nothing() -> None:
    text = f"{ITEM}def f(xs: list[Item]):\n    max(xs, default=Other()).go()\n    next(iter(xs), Other()).go()\n"

    for written in ("max(xs, default=Other()).go", "next(iter(xs), Other()).go"):
        assert call_of(written, text).targets == (("main.py::Item::go", 0.5), ("main.py::Other::go", 0.5))


@pytest.mark.parametrize(("name", "expected"), [("burnish", 1.0), ("read", 0.5)])
def test_what_the_tree_has_is_likelier_meant_than_what_something_outside_may_have(name: str, expected: float) -> None:
    """Of a name that files and texts have, too, either may be meant; of another, the one that is known to have it."""
    text = (
        f"import tool\nclass A:\n    def {name}(self): ...\n"
        f"def f(n):\n    x = A() if n else tool.some()\n    y = x if n else tool.more()\n    y.{name}()\n"
    )
    told = dict(call_of(f"y.{name}", text).targets)

    assert told["main.py::A::" + name] == expected
    assert sum(told.values()) == pytest.approx(1.0)
