"""What linking finds once, however often it is asked for."""

from collections.abc import Mapping

from clew.index.facts import Facts
from clew.index.resolve import Resolver
from tests.index.worlds import facts_of, resolver_of

FILES = 12


def read(sources: Mapping[str, str]) -> dict[str, Facts]:
    return {path: facts_of(path, text) for path, text in sources.items()}


def linked(resolver: Resolver, facts: Mapping[str, Facts]) -> dict[str, list[tuple[str, ...]]]:
    return {
        path: [tuple(target for target, _ in call.targets) for call in calls] for path, calls in resolver.calls(facts)
    }


def test_the_files_of_a_package_are_listed_once() -> None:
    facts = read({f"pay/C{i}.kt": f"package pay\nclass C{i} {{ fun run() = C{i - 1}() }}\n" for i in range(1, FILES)})
    resolver = resolver_of(facts)
    linked(resolver, facts)

    seen = [files for path in facts for _, files in resolver.tree.elsewhere.visible(path)]
    assert len(seen) == len(facts)
    assert len({id(files) for files in seen}) == 1


def test_types_of_overloads_are_told_once_for_all_calls() -> None:
    own = "package pay;\nclass Till { static void pay(Card c) {} static void pay(Bank b) {} }\n"
    calls = "".join(f"void f{i}(Card card) {{ Till.pay(card); }}\n" for i in range(FILES))
    facts = read(
        {
            "pay/Till.java": own,
            "pay/Card.java": "package pay;\nclass Card {}\n",
            "pay/Bank.java": "package pay;\nclass Bank {}\n",
            "pay/Shop.java": f"package pay;\nclass Shop {{\n{calls}}}\n",
        }
    )
    resolver = resolver_of(facts)

    assert set(linked(resolver, facts)["pay/Shop.java"]) == {("pay/Till.java::Till::pay",)}
    assert 0 < len(resolver.tree.typed) < FILES
