"""By meaning: only the best of the others, only with a model, and if that fails, without it."""

from pathlib import Path

import numpy as np
import pytest

from clew.engine import Engine
from clew.model.search import Query, Scope
from clew.retrieve.retriever import ChunkPlace
from clew.retrieve.retrievers.semantic import GIST, NEAREST, gist, worth, worth_to_plain
from clew.retrieve.search import RERANKED_BY_OWN
from tests.embedders import BROKEN, ENTRIES, FILES
from tests.packages import install
from tests.retrieve.retrievers.asking import ask, named, seen
from tests.retrieve.retrievers.conftest import Made

WORLD = {
    "pay.py": 'def charge(card):\n    """Charge a credit card."""\n\n\ndef refund(card): ...\n',
    "login.py": "def login(user): ...\n",
}
MODEL = {"context.toml": '[embedding]\nmodel = "words"\n'}


def every_place(engine: Engine) -> tuple[ChunkPlace, ...]:
    parts = ask(engine, "card").corpus.parts
    return tuple(ChunkPlace(i, chunk) for i, part in enumerate(parts) for chunk in range(part.postings.chunks))


def test_without_a_model_it_says_nothing(made: Made) -> None:
    engine = made({**WORLD, "context.toml": '[embedding]\nmodel = "none"\n'})

    assert seen(engine, "semantic", "charge a card", every_place(engine)) == {}


def test_candidates_are_scored_by_nearness_and_nothing_else_is(made: Made, site: Path) -> None:
    install(site, "clew-words", ENTRIES, FILES, group="clew.embedders")
    engine = made({**WORLD, **MODEL})
    places = every_place(engine)
    some = tuple(place for place in places if named(engine, ask(engine, ""), place) != "pay.py::refund")

    found = seen(engine, "semantic", "charge a credit card", some)

    assert next(iter(found)) == "pay.py::charge"
    assert "pay.py::refund" not in found
    assert found["pay.py::charge"].detail.startswith("near in meaning (0.")
    assert seen(engine, "semantic", "charge a credit card") == {}


def test_what_counts_for_the_nearest_of_its_file_is_told_so(made: Made, site: Path) -> None:
    install(site, "clew-words", ENTRIES, FILES, group="clew.embedders")
    engine = made({**MODEL, "pay.py": "def charge(card): ...\n\n\ndef zebra(): ...\n"})

    found = seen(engine, "semantic", "charge card", every_place(engine))

    nearest = found["pay.py::charge"].detail.removeprefix("near in meaning ")
    assert found["pay.py::zebra"].detail == f"its file is near in meaning {nearest}"
    assert 0 < found["pay.py::zebra"].score < found["pay.py::charge"].score


def test_of_a_long_report_the_beginning_counts_without_what_templates_say() -> None:
    report = f"<!-- Thank you! -->charge a credit card\n{'at 12:03 nothing happened ' * 100}"

    assert gist(report).startswith("charge a credit card")
    assert len(gist(report)) == GIST
    assert gist("<!-- all of it -->") == "<!-- all of it -->"


def test_what_follows_the_beginning_of_a_report_moves_nothing(made: Made, site: Path) -> None:
    install(site, "clew-words", ENTRIES, FILES, group="clew.embedders")
    engine = made({**WORLD, **MODEL})
    begun = f"charge a credit card {'so it goes ' * 60}"

    assert seen(engine, "semantic", begun + "login user " * 200, every_place(engine)) == seen(
        engine, "semantic", begun, every_place(engine)
    )


def test_half_of_what_a_candidate_is_worth_is_the_nearest_of_its_file() -> None:
    near, far, strange = 0.55, 0.1, -0.4
    found = worth(np.array([far, near, strange, far]), ["a.py", "a.py", "b.py", "c.py"])

    assert found.tolist() == pytest.approx([0.25, 0.5, 0.0, 0.0])


def test_to_a_plain_question_the_nearest_is_worth_as_much_as_any() -> None:
    found = worth_to_plain(np.array([0.5, 0.3, 0.1]), ["a.py", "b.py", "c.py"])

    assert found.tolist() == pytest.approx([NEAREST, NEAREST / 2, 0.0])
    assert worth_to_plain(np.array([0.2]), ["a.py"])[0] == pytest.approx(NEAREST / 3)  # near to nothing
    assert worth_to_plain(np.zeros(0), []).tolist() == []


STRANGERS = {
    "entry.py": "def login(user, password):\n    verify_credentials(user, password)\n",
    **{f"shop{i}.py": f"def paint_{i}(canvas):\n    return canvas.draw(brush, colour={i})\n" for i in range(30)},
}


def test_a_plain_question_finds_what_means_the_same_in_other_words(made: Made) -> None:
    engine = made({**STRANGERS, "README.md": "# Shops\n\nFor people.\n"})
    asked, told = "where do people authenticate themselves first", "people authenticate themselves first"

    assert "entry.py::login" in [hit.symbol for hit in engine.search(Query(asked, 3)).hits]
    assert {hit.path for hit in engine.search(Query(told, 3)).hits} == {"README.md"}
    assert not engine.search(Query("where did umbrellas hibernate yesterday evening", 3)).hits  # no word of it is there


def test_vectors_look_no_further_than_the_scope(made: Made) -> None:
    question = "where do people authenticate themselves first"
    hits = made(STRANGERS).search(Query(question, 3, Scope(exclude=("entry.py",)))).hits

    assert "entry.py" not in {hit.path for hit in hits}


def test_of_the_model_in_the_package_more_candidates_are_looked_at(made: Made) -> None:
    shops = {f"shop{i}.py": f"def charge_cards_{i}(shop):\n    return charge(shop.cards, {i})\n" for i in range(60)}
    hits = made(shops).search(Query("charge cards", 60)).hits

    assert len(hits) == 60
    assert sum(any(reason.retriever == "semantic" for reason in hit.reasons) for hit in hits) == RERANKED_BY_OWN


def test_it_is_a_reason_among_others(made: Made, site: Path) -> None:
    install(site, "clew-words", ENTRIES, FILES, group="clew.embedders")
    best = made({**WORLD, **MODEL}).search(Query("charge a credit card", 3)).hits[0]

    assert best.symbol == "pay.py::charge"
    assert "semantic" in [reason.retriever for reason in best.reasons]
    assert best.score == pytest.approx(sum(reason.share for reason in best.reasons), abs=1e-3)


def test_a_model_that_fails_is_told_and_words_answer(made: Made, site: Path) -> None:
    install(site, "clew-words", ENTRIES, BROKEN, group="clew.embedders")
    results = made({**WORLD, **MODEL}).search(Query("charge a credit card", 3))

    assert results.hits[0].symbol == "pay.py::charge"
    assert [(one.retriever, one.reason) for one in results.failed] == [("semantic", "OSError: no line")]


def test_a_model_that_is_not_there_is_told_too(made: Made) -> None:
    results = made({**WORLD, **MODEL}).search(Query("charge a credit card", 3))

    assert results.hits
    assert [one.retriever for one in results.failed] == ["semantic"]


def test_with_a_model_what_means_the_same_waits(made: Made, site: Path) -> None:
    """By a fake that takes `pay` and `charge` for the same word, the second of two such functions comes last."""
    same = FILES["clew_words.py"].replace(
        "return Words()",
        "words = Words(); embed = words.embed\n"
        "    words.embed = lambda texts: embed([text.replace('pay', 'charge') for text in texts])\n    return words",
    )
    install(site, "clew-words", ENTRIES, {"clew_words.py": same}, group="clew.embedders")
    world = {
        "one/a.py": "def charge_card(card, amount):\n    charge(card)\n    charge(amount)\n    charge(card, amount)\n",
        "two/b.py": "def pay_card(card, amount):\n    pay(card)\n    pay(amount)\n    pay(card, amount)\n",
        "three/c.py": "def list_card(folder):\n    open(folder)\n    read(folder)\n    close(folder)\n",
    }
    engine = made({**world, "context.toml": '[embedding]\nmodel = "words"\n[query]\nmmr_lambda = 0.3\n'})
    near = engine.searcher._similarities(engine.corpus(), list(every_place(engine)))

    assert len(near) == len(near[0]) == len(every_place(engine))
    assert all(row[i] == pytest.approx(1.0) for i, row in enumerate(near))
    found = [hit.label for hit in engine.search(Query("charge and pay and list a card", 3)).hits]
    assert {found[0], found[2]} == {"charge_card", "pay_card"}
