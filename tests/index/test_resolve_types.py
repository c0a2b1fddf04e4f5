"""What written types of Python say: text and numbers have Python's methods; fields hold what a class is called with."""

import pytest

from clew.index.resolve import ResolvedCall
from clew.index.syntax.types import element
from tests.index.test_resolve import calls, leads


def told(text: str) -> dict[str, list[str]]:
    """Where each call leads, built-ins too, and why it leads nowhere."""

    def ends(call: ResolvedCall) -> list[str]:
        return sorted(target.removeprefix("external::builtins.") for target, _ in call.targets) or [f"{call.reason}"]

    return {call.written: ends(call) for call in calls({"main.py": text}, "main.py")}


@pytest.mark.parametrize(
    ("kind", "method", "target"),
    [
        ("str", "x.upper", "str.upper"),
        ("'str'", "x.upper", "str.upper"),
        ("str | None", "x.upper", "str.upper"),
        ("Optional[bytes]", "x.decode", "bytes.decode"),
        ("Annotated[str, 'a name']", "x.upper", "str.upper"),
        ("int", "x.bit_length", "int.bit_length"),
        ("list[str]", "x.append", "list.append"),
        ("dict[str, Any]", "x.get", "dict.get"),
        ("Dict", "x.get", "dict.get"),
        ("list[str]", "x[0].upper", "str.upper"),
        ("str", "x[1:].upper", "str.upper"),
        ("tuple[str, ...]", "x[0].upper", "str.upper"),
    ],
)
def test_text_numbers_and_containers_have_the_methods_of_python(kind: str, method: str, target: str) -> None:
    assert told(f"def f(x: {kind}):\n    {method}()\n")[method] == [target]
    assert told(f"def g() -> {kind}: ...\ndef f():\n    x = g()\n    {method}()\n")[method] == [target]
    assert told(f"class A:\n    x: {kind}\n    def f(self):\n        x = self.x\n        {method}()\n")[method] == [
        target
    ]


def test_what_is_passed_for_text_does_not_make_it_anything_else() -> None:
    text = "class Card:\n    def upper(self): ...\ndef f(x: str):\n    x.upper()\nf(Card())\n"

    assert told(text)["x.upper"] == ["str.upper"]


def test_where_text_is_one_of_several_the_others_are_told() -> None:
    text = (
        "class Card:\n    def upper(self): ...\ndef f(x: 'str | Card', y: 'str | Any'):\n    x.upper()\n    y.upper()\n"
    )

    assert told(text)["x.upper"] == ["main.py::Card::upper"]
    assert "str.upper" not in told(text)["y.upper"]


TWO = "from typing import *\nfrom dataclasses import dataclass, field\ndef work(): ...\ndef rest(): ...\n"
GO = "    def go(self):\n        self.run()\n"
JOB = f"class Job:\n    run: Callable\n    name: str = ''\n    after: Callable = rest\n{GO}"


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        (f"@dataclass\n{JOB}Job(work)\n", ["work"]),
        (f"@dataclass\n{JOB}Job(run=work)\nJob(rest, 'a')\n", ["rest", "work"]),
        (f"{JOB.replace('Job', 'Job(NamedTuple)')}Job(work)\n", ["work"]),
        (f"{JOB.replace('Job', 'Job(BaseModel)')}Job(run=work)\n", ["work"]),
        (f"@dataclass\n{JOB}@dataclass\nclass Sub(Job):\n    more: Callable\nSub(work)\n", ["work"]),
        (f"@dataclass\nclass Top:\n    top: int\n@dataclass\n{JOB.replace('Job', 'Job(Top)')}Job(1, work)\n", ["work"]),
    ],
)
def test_a_class_that_says_nothing_takes_its_fields(text: str, ends: list[str]) -> None:
    assert leads(f"{TWO}{text}")["self.run"] == ends


@pytest.mark.parametrize(
    "text",
    [
        f"{JOB}    def __init__(self, other): ...\nJob(work)\n",  # it says itself what it takes
        f"class Job(Thread):\n    run: Callable\n{GO}Job(work)\n",  # nobody says that it takes it by place
        f"@dataclass\nclass Job:\n    run: ClassVar[Callable]\n{GO}Job(work)\n",
        f"@dataclass\nclass Job:\n    run: Callable = field(init=False)\n{GO}Job(work)\n",
    ],
)
def test_other_classes_and_fields_are_not_filled_so(text: str) -> None:
    assert "work" not in leads(f"{TWO}{text}").get("self.run", [])


@pytest.mark.parametrize(
    ("written", "held"),
    [
        ("Iterator<Item = Card>", "Card"),
        ("Array<() => void>", "() => void"),
        ("Array<(card: Card) => Bank>", "(card: Card) => Bank"),
        ("Map<string, Card>", "Card"),
    ],
)
def test_what_a_type_holds_is_told_whole(written: str, held: str) -> None:
    assert element(written, frozenset({"Iterator", "Array", "Map"})) == held
