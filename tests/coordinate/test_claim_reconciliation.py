"""Claims and the code under them: the holder's own edits, and changes from elsewhere; on both engines."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from clew.coordinate.claims import ClaimState, Wish
from clew.engine import Engine
from clew.model.fleet import Claim, EndReason
from clew.store.claims import Claims
from tests.conftest import DAY_2, DAY_3, Repository
from tests.store.claiming import ANN

PAY = "def charge():\n    return 1\n\n\ndef refund():\n    return 2\n"
CHARGED = PAY.replace("return 1", "return 10")
REFUNDED = PAY.replace("return 2", "return 20")


@pytest.fixture
def world(repository: Repository, backend: str) -> Iterator[tuple[Repository, Engine]]:
    repository.write("src/pay.py", PAY)
    repository.write("src/other.py", "x = 1\n")
    repository.commit()
    with Engine.open(repository.root) as engine:
        engine.index()
        yield repository, engine


def held(engine: Engine, target: str) -> Claim:
    claim = engine.fleet.desk.claim(ANN, Wish(target)).claim
    assert claim is not None
    return claim


def now(engine: Engine, claim: Claim) -> Claim:
    found = Claims(engine.db, engine.where).get(claim.id)
    assert found is not None
    return found


def test_a_claim_knows_the_version_of_its_target(world: tuple[Repository, Engine]) -> None:
    _, engine = world
    shas = {target: held(engine, target).claimed_sha for target in ("src/pay.py", "src/pay.py::charge", "new.py")}

    assert shas["src/pay.py"]
    assert shas["src/pay.py::charge"]
    assert shas["src/pay.py"] != shas["src/pay.py::charge"]
    assert shas["new.py"] == ""


@pytest.mark.parametrize("target", ["src/pay.py", "src/pay.py::charge", "src", "."])
def test_edits_in_the_holders_checkout_move_the_claim_along(world: tuple[Repository, Engine], target: str) -> None:
    repository, engine = world
    claim = held(engine, target)
    repository.write("src/pay.py", CHARGED)
    engine.index()

    moved = now(engine, claim)
    assert moved.is_open
    assert moved.version_sha != moved.claimed_sha == claim.claimed_sha
    assert engine.fleet.desk.open()[0].standing is ClaimState.ACTIVE


def test_a_commit_of_ones_own_is_an_edit_too(world: tuple[Repository, Engine]) -> None:
    repository, engine = world
    claim = held(engine, "src/pay.py")
    repository.write("src/pay.py", CHARGED)
    repository.commit(DAY_2)
    engine.index()

    assert now(engine, claim).is_open
    assert now(engine, claim).version_sha != claim.version_sha


def test_what_does_not_exist_yet_can_be_made_by_its_holder(world: tuple[Repository, Engine]) -> None:
    repository, engine = world
    claim = held(engine, "src/new.py::begin")
    repository.write("src/new.py", "def begin(): ...\n")
    engine.index()

    assert now(engine, claim).version_sha


def test_an_edit_beside_the_target_leaves_its_version(world: tuple[Repository, Engine]) -> None:
    repository, engine = world
    claim = held(engine, "src/pay.py::charge")
    repository.write("src/pay.py", REFUNDED)
    engine.index()

    assert now(engine, claim).version_sha == claim.version_sha


def switch(repository: Repository) -> None:
    """To a branch that has another version of the file, and another of the other."""
    repository.git("switch", "-qc", "work")
    repository.write("src/pay.py", CHARGED)
    repository.commit(DAY_2)
    repository.git("switch", "-q", "main")


@pytest.mark.parametrize("how", [["switch", "-q", "work"], ["merge", "-q", "work"], ["reset", "-q", "--hard", "work"]])
def test_what_git_brings_ends_the_claim(world: tuple[Repository, Engine], how: list[str]) -> None:
    repository, engine = world
    switch(repository)
    engine.index()
    claim, beside = held(engine, "src/pay.py"), held(engine, "src/other.py")
    repository.git(*how, at=DAY_3)
    engine.index()

    ended = now(engine, claim)
    assert (ended.end_reason, ended.outcome) == (
        EndReason.CODE_CHANGED, "git brought another version of src/pay.py",
    )  # fmt: skip
    assert now(engine, beside).is_open


def test_ones_own_edit_stays_ones_own_when_git_brings_other_files(world: tuple[Repository, Engine]) -> None:
    repository, engine = world
    switch(repository)
    claim = held(engine, "src/other.py")
    repository.write("src/other.py", "x = 2\n")
    repository.commit(DAY_2)
    repository.git("merge", "-q", "work", "-m", "merged", at=DAY_3)
    engine.index()

    assert now(engine, claim).is_open
    assert now(engine, claim).version_sha != claim.version_sha


@dataclass(frozen=True, slots=True)
class Linked:
    """Another working tree of the same project."""

    repository: Repository
    engine: Engine


@pytest.fixture
def linked(world: tuple[Repository, Engine], tmp_path: Path) -> Iterator[Linked]:
    repository, _ = world
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "other")
    with Engine.open(tmp_path / "linked") as engine:
        engine.index()
        yield Linked(Repository(tmp_path / "linked"), engine)


def test_a_change_in_another_checkout_ends_the_claim(world: tuple[Repository, Engine], linked: Linked) -> None:
    _, engine = world
    claim, beside = held(engine, "src/pay.py::charge"), held(engine, "src/other.py")
    linked.repository.write("src/pay.py", CHARGED)
    linked.engine.index()

    assert now(engine, claim).end_reason == EndReason.CODE_CHANGED
    assert now(engine, claim).outcome == "src/pay.py was changed in another checkout"
    assert now(engine, beside).is_open


def test_a_change_beside_a_claimed_symbol_is_none_of_it(world: tuple[Repository, Engine], linked: Linked) -> None:
    _, engine = world
    claim = held(engine, "src/pay.py::charge")
    linked.repository.write("src/pay.py", REFUNDED)
    linked.engine.index()

    assert now(engine, claim).is_open


def test_the_holders_own_work_arriving_elsewhere_ends_nothing(world: tuple[Repository, Engine], linked: Linked) -> None:
    repository, engine = world
    claim = held(engine, "src/pay.py")
    repository.write("src/pay.py", CHARGED)
    repository.commit(DAY_2)
    engine.index()
    repository.write("src/pay.py", CHARGED.replace("10", "11"))
    engine.index()
    linked.repository.git("merge", "-q", "main")
    linked.engine.index()

    assert now(engine, claim).is_open


def test_a_tree_that_is_read_for_the_first_time_changes_nothing(
    world: tuple[Repository, Engine], tmp_path: Path
) -> None:
    repository, engine = world
    switch(repository)
    claim = held(engine, "src/pay.py")
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"), "work")
    with Engine.open(tmp_path / "linked") as other:
        other.index()

    assert now(engine, claim).is_open


def test_a_question_settles_what_it_refreshes(world: tuple[Repository, Engine]) -> None:
    repository, engine = world
    claim = held(engine, "src/pay.py")
    repository.write("src/pay.py", CHARGED)
    engine.refresh()

    assert now(engine, claim).version_sha != claim.version_sha


def test_what_no_run_has_settled_is_stale_and_can_be_taken_over(
    world: tuple[Repository, Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, engine = world
    claim = held(engine, "src/pay.py")
    monkeypatch.setattr(engine.fleet, "settle_claims", lambda: None)
    repository.write("src/pay.py", CHARGED)
    engine.index()

    assert [one.standing for one in engine.fleet.desk.open()] == [ClaimState.STALE]
    taken = engine.fleet.desk.claim(ANN.with_ids("", "2"), Wish("src/pay.py", takeover=True))
    assert [one.id for one in taken.taken_over] == [claim.id]
