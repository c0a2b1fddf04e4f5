"""The lines of a long unit that say most of a task, and that a small pack shows them of its best match."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import clew
from clew.pack.elision import Unit, windows
from clew.surfaces.library import Workspace
from tests.retrieve.test_excerpt import chunks, long_chunk

STEPS = "\n".join(f"    total = add_step(total, {n})" for n in range(60))
LEDGER = f'''def settle_ledger(ledger):
    """Bring it into balance."""
    total = 0
{STEPS}
    if ledger.frozen:
        raise FrozenLedger(ledger)
    return total
'''
OTHERS = "\n\n".join(f"def ledger_{n}(ledger):\n    return ledger.rows[{n}]" for n in range(30))


def shown(root: Path, said: str, first: tuple[int, ...] = ()) -> list[str]:
    layout, by_scope = chunks(root, LEDGER)
    unit = Unit(LEDGER.encode(), layout.chunks, layout.chunks.index(by_scope["settle_ledger"]))
    return list(windows(unit, lambda line: float(said in line), first))


def test_lines_that_say_it_come_first_with_those_next_to_them(tmp_path: Path) -> None:
    first = shown(tmp_path, "frozen")[0]

    assert first == (
        "def settle_ledger(ledger):\n… 60 lines\n    total = add_step(total, 58)\n    total = add_step(total, 59)\n"
        "    if ledger.frozen:\n        raise FrozenLedger(ledger)\n    return total"
    )


def test_each_form_has_all_lines_of_the_one_before_and_the_last_has_all(tmp_path: Path) -> None:
    texts = shown(tmp_path, "frozen")
    lines = {*LEDGER.splitlines()}

    assert [len(text) for text in texts] == sorted({len(text) for text in texts})
    assert len(texts) > 5
    assert texts[-1] == LEDGER.rstrip()
    for text, longer in pairwise(texts):
        assert {line for line in text.splitlines() if not line.startswith("… ")} <= {*longer.splitlines()}
    assert all(line in lines or line.startswith("… ") for text in texts for line in text.splitlines())
    for text in texts:
        marks = [int(line.split()[1]) for line in text.splitlines() if line.startswith("… ")]
        assert sum(marks) + len(text.splitlines()) - len(marks) == len(LEDGER.splitlines())


def test_where_no_line_says_anything_the_first_ones_are_shown(tmp_path: Path) -> None:
    assert shown(tmp_path, "nowhere")[0].startswith('def settle_ledger(ledger):\n    """Bring it into balance."""')


def test_a_long_remark_before_the_signature_is_left_out(tmp_path: Path) -> None:
    remark = "".join(f"// Remark {n} on what a ledger is, and who keeps it.\n" for n in range(9))
    steps = "".join(f"  total = addStep(total, {n});\n" for n in range(40))
    source = f"{remark}export function settle(ledger: Ledger) {{\n{steps}  if (ledger.frozen) fail();\n}}\n"
    unit = Unit(source.encode(), [long_chunk(tmp_path, source, "ledger.ts")], 0)
    first = next(windows(unit, lambda line: float("frozen" in line)))

    assert first.startswith("… 9 lines\nexport function settle(ledger: Ledger) {\n")
    assert first.endswith("  if (ledger.frozen) fail();\n}")
    assert len(first.encode()) <= 400


@pytest.fixture(scope="module")
def ledgers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root: Path = tmp_path_factory.mktemp("ledgers")
    (root / "ledger.py").write_text(LEDGER, "utf-8")
    (root / "rows.py").write_text(OTHERS + "\n", "utf-8")
    with clew.open(root) as workspace:
        workspace.index()
        yield workspace


@pytest.mark.parametrize("budget", [400, 600, 800])
def test_a_small_pack_shows_the_lines_of_its_best_match_that_say_most(ledgers: Workspace, budget: int) -> None:
    pack = ledgers.context_pack(task="settle_ledger fails if the ledger is frozen", max_tokens=budget)

    assert pack.entry_point == "ledger.py::settle_ledger"
    assert pack.items[0].form == "elided"
    assert "    if ledger.frozen:\n        raise FrozenLedger(ledger)" in pack.items[0].code
    assert pack.token_estimate <= budget


def test_all_of_it_stands_in_a_larger_one(ledgers: Workspace) -> None:
    pack = ledgers.context_pack(task="settle_ledger fails if the ledger is frozen", max_tokens=2500)

    assert pack.items[0].form == "whole"


def test_what_is_left_goes_to_more_lines_of_matches(ledgers: Workspace) -> None:
    def lines(budget: int) -> int:
        pack = ledgers.context_pack(task="settle_ledger fails if the ledger is frozen", max_tokens=budget)
        return len(pack.items[0].code.splitlines())

    assert lines(700) > lines(400)


def test_a_line_that_is_asked_for_comes_before_those_that_say_most(tmp_path: Path) -> None:
    assert "total = add_step(total, 30)" in shown(tmp_path, "frozen", (34,))[0]
    assert "frozen" not in shown(tmp_path, "frozen", (34,))[0]


TRACE = """Traceback (most recent call last):
  File "/srv/app/{path}", line {line}, in settle_ledger
    total = add_step(total, 47)
OverflowError: frozen"""


@pytest.mark.parametrize(("path", "line"), [("ledger.py", 51), ("old/ledger.py", 20), ("ledger.py", 900)])
def test_a_small_pack_shows_the_line_that_a_trace_points_at_wherever_it_moved(
    tmp_path: Path, path: str, line: int
) -> None:
    (tmp_path / "ledger.py").write_text(f"{LEDGER}\n\n{OTHERS}", "utf-8")
    with clew.open(tmp_path) as workspace:
        workspace.index()
        trace = TRACE.format(path=path, line=line)
        smallest, small = (workspace.context_pack(task=trace, max_tokens=most) for most in (110, 600))

    assert "the task points at line 51: `total = add_step(total, 47)`" in smallest.text
    assert smallest.items[0].form == "line"
    assert "    total = add_step(total, 46)\n    total = add_step(total, 47)\n" in small.text
    assert str(line) not in small.unknown_words


BLOCKS = f"""def read_rates(source):
    total = 0
{STEPS}
    for row in source:
        kind = row.kind
        name = row.name
        rate = row.exchange
        unit = row.unit
        date = row.date
        total += rate
    return total
"""


def test_the_block_of_a_line_that_says_it_is_shown_whole(tmp_path: Path) -> None:
    layout, by_scope = chunks(tmp_path, BLOCKS)
    unit = Unit(BLOCKS.encode(), layout.chunks, layout.chunks.index(by_scope["read_rates"]))
    first = next(windows(unit, lambda line: float("kind" in line)))

    assert first.index("for row in source:") < first.index("        total += rate")
    assert first.count("row.") == 5
    assert first.startswith("def read_rates(source):\n… 60 lines\n")
