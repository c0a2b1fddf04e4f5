"""Memory in a task's briefing: what surfaces, beside which code, how it stands, and that no budget is broken."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import clew
from clew.pack.render import Format
from clew.pack.tasks import PackTask
from clew.store.ground import Marks
from clew.surfaces.library import Workspace
from clew.text.tokens import estimate
from clew.tools.answer import Caller, answer
from clew.tools.briefing_views import Briefing
from clew.workspaces import Workspaces
from tests.conftest import Repository
from tests.pack import shop
from tests.pack.conftest import write

TASK = "reject a bearer token that is expired"
CHARGE = "charge the card with the total"
HARD = "令牌 token 🔐 ]]> & <b> ``` expired\n\n````\nbearer " * 40

on_one_index = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)
formats = st.sampled_from(get_args(Format))
tasks = st.sampled_from([TASK, "audit", "令牌 token 🔐", "zeppelin", "load from a file"])


def decide(workspace: Workspace, title: str, *entities: str, **more: Any) -> str:
    told = {"title": title, "rationale": "it was measured", "tradeoffs": ["slower"], "affected_files": list(entities)}
    added = workspace.episode_add(
        type="DECISION", content=f"{title}.", metadata=told, **{"entities": entities, **more}
    )  # fmt: skip
    return str(added.episode_id)


def edit(workspace: Workspace, file: str, times: int) -> None:
    """So often that it becomes a learning."""
    for n in range(times):
        told = {"file": file, "diff_summary": "d", "lines_before": 1, "lines_after": 2, "reason": "r"}
        workspace.episode_add(type="EDIT", content=f"edit {n} of a token", metadata=told)
    workspace.reflect()


def remember(workspace: Workspace) -> None:
    """Something of every kind, some of it hard to measure."""
    decide(workspace, "A token that is expired is rejected", "tokens.py::is_expired")
    decide(workspace, "Bearer tokens are text", "tokens.py::validate_token", task_id="T-1")
    decide(workspace, HARD, "store.py")
    workspace.episode_add(type="OBSERVATION", content=HARD * 9, entities=["tokens.py"])
    workspace.episode_add(type="OBSERVATION", content="expired tokens begin with a word", task_id="T-1")
    workspace.episode_add(type="OBSERVATION", content="the bearer token is hunter2", sensitive=True)
    edit(workspace, "tokens.py", 4)
    plan = ["read validate_token", "reject what is expired 🔐", "test it"]
    workspace.task_update(task_id="T-1", title="Reject expired tokens", status="in_progress", plan=plan)
    workspace.agent_claim(target_id="tokens.py", intent="rewriting 令牌", agent_id="bob", session_id="b1")


@pytest.fixture(scope="session")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("remembering")
    write(root)
    with clew.open(root) as workspace:
        workspace.index()
        remember(workspace)
    return root


@pytest.fixture(scope="session")
def remembering(full: Path) -> Iterator[Workspace]:
    with clew.open(full) as workspace:
        yield workspace


@pytest.fixture
def shopping(repository: Repository, backend: str) -> Iterator[Workspace]:
    shop.build(repository)
    with clew.open(repository.root) as workspace:
        workspace.index()
        yield workspace


def packed(workspace: Workspace, task: str = TASK, **asked: object) -> Briefing:
    pack: Briefing = workspace.context_pack(task=task, **asked)
    return pack


def noted(pack: Briefing) -> list[list[str]]:
    """All notes of a pack by their ids, list by list."""
    lists = [[one.id for one in some] for some in (pack.decisions, pack.learnings, pack.episodes)]
    plan = [pack.plan.task_id] if pack.plan else []
    return [*lists, plan, [one.claim_id for one in pack.active_blockers]]


@on_one_index
@given(tasks, st.integers(50, 100_000), formats)
def test_no_pack_exceeds_its_budget(remembering: Workspace, task: str, budget: int, format: Format) -> None:
    pack = packed(remembering, task, max_tokens=budget, format=format, task_id="T-1")

    assert estimate(pack.text) == pack.token_estimate <= budget


@on_one_index
@given(tasks, st.integers(50, 6000), st.integers(0, 6000), formats)
def test_a_larger_budget_loses_neither_code_nor_memory(
    remembering: Workspace, task: str, budget: int, more: int, format: Format
) -> None:
    small = packed(remembering, task, max_tokens=budget, format=format)
    large = packed(remembering, task, max_tokens=budget + more, format=format)

    assert [one.symbol for one in large.items[: len(small.items)]] == [one.symbol for one in small.items]
    for few, many in zip(noted(small), noted(large), strict=True):
        assert many[: len(few)] == few


@on_one_index
@given(tasks, st.integers(100, 20_000), formats)
def test_what_is_sent_fits_and_never_holds_what_is_sensitive(
    full: Path, task: str, budget: int, format: Format
) -> None:
    workspaces = Workspaces(full)
    try:
        reply = answer(
            Caller(workspaces),
            "context_pack",
            {"task": task, "max_tokens": budget, "format": format, "task_id": "T-1"},
        )
    finally:
        workspaces.close()

    assert b"hunter2" not in reply.body
    if reply.ok:
        assert estimate(reply.body.decode()) <= budget
    else:
        assert (json.loads(reply.body)["errorCode"], budget < 400) == ("CLEW_E_BUDGET_EXCEEDED", True)


@pytest.mark.parametrize("format", get_args(Format))
def test_every_rendering_shows_every_kind(remembering: Workspace, format: Format) -> None:
    pack = packed(remembering, max_tokens=50_000, format=format, task_id="T-1")

    assert pack.left_out.items == 0
    for said in ("it was measured", "hotspot", "reject what is expired", "expired tokens begin", "bob", "rewriting"):
        assert said in pack.text
    if format == "xml":
        tags = {one.tag for one in ElementTree.fromstring(pack.text)}
        assert tags >= {"decision", "learning", "plan", "episode", "blocker", "snippet"}
    if format == "json":
        assert all(json.loads(line) for line in pack.text.splitlines())


def test_what_is_left_out_is_counted_with_its_price(remembering: Workspace) -> None:
    small, everything = packed(remembering, max_tokens=400), packed(remembering, max_tokens=1_000_000)
    all_of_it = len(everything.items) + sum(map(len, noted(everything)))

    assert small.left_out.items + len(small.items) + sum(map(len, noted(small))) == all_of_it
    assert small.left_out.tokens > estimate(HARD) * 9


def test_the_same_bytes_in_another_process(full: Path) -> None:
    command = [sys.executable, "-P", "-m", "clew", "-C", str(full), "pack", TASK, "--task-id", "T-1", "--max-tokens"]
    outputs = {
        subprocess.run([*command, "1500"], capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed})
        .stdout
        for seed in ("1", "2")
    }  # fmt: skip

    assert len(outputs) == 1
    assert b"## Decisions" in outputs.pop()


def test_what_is_not_wanted_is_left_out(remembering: Workspace) -> None:
    pack = packed(
        remembering, max_tokens=20_000, include_decisions=False, include_episodes=False, include_learnings=False
    )

    assert noted(pack)[:3] == [[], [], []]


def test_memory_comes_with_what_became_of_its_code_and_falls_behind_if_that_changed(
    shopping: Workspace, repository: Repository
) -> None:
    kept = decide(shopping, "Charge the card once", "shop/payment.py::charge")
    changed = decide(shopping, "Charge the card with the total of all prices", "shop/pricing.py::price")
    gone = decide(shopping, "Charge the total to the card", "shop/cart.py::Cart::total")
    assert [one.state for one in packed(shopping, CHARGE, max_tokens=4000).decisions] == ["current"] * 3

    repository.write("shop/pricing.py", shop.FILES["shop/pricing.py"].replace("item.net + tax", "2 * item.net + tax"))
    cart = shop.FILES["shop/cart.py"]
    start, end = cart.index("    def total"), cart.index("    def checkout")
    repository.write("shop/cart.py", cart[:start] + cart[end:])
    shopping.index()
    pack = packed(shopping, CHARGE, max_tokens=4000)
    states = {one.id: one for one in pack.decisions}

    assert states[kept].state == "current"
    assert states[changed].state.startswith("price changed since")
    assert states[gone].state.startswith("Cart.total is gone")
    assert pack.decisions[0].id == kept
    assert "Cart.total is gone" in pack.text
    assert {one.id: one.state for one in states[gone].entities}["shop/cart.py::Cart::total"] == "gone"


def test_a_learning_stands_beside_its_code_and_follows_it(shopping: Workspace, repository: Repository) -> None:
    edit(shopping, "shop/payment.py", 3)
    before = packed(shopping, CHARGE, max_tokens=4000)
    assert before.learnings[0].about.startswith("shop/payment.py")
    (its,) = (one for one in before.items if one.symbol == before.learnings[0].about)
    code = before.text.index(f"{its.path}:{its.first_line}-{its.last_line}")
    assert code < before.text.index("was edited 3 times") < before.text.index("\n\n", code)

    repository.git("mv", "shop/payment.py", "shop/paying.py")
    shopping.index()
    after = packed(shopping, CHARGE, max_tokens=4000)

    assert after.learnings[0].about.startswith("shop/paying.py")
    assert "moved to shop/paying.py" in after.learnings[0].state


def test_what_an_agent_learned_is_in_the_pack_once_and_before_what_is_about_the_file(shopping: Workspace) -> None:
    about = ["shop/payment.py::charge", "shop/payment.py"]
    shopping.episode_add(type="LEARNING", content="charge takes cents, not euros", entities=about)
    decide(shopping, "Keep payments apart", "shop/payment.py")
    for number in range(4):
        shopping.episode_add(type="LEARNING", content=f"payments are slow {number}", entities=["shop/payment.py"])
    pack = packed(shopping, CHARGE, max_tokens=6000)

    learned = [one.content for one in pack.learnings]
    assert learned.count("charge takes cents, not euros") == 1
    assert len(learned) == len(set(learned))
    assert "charge takes cents" in pack.text
    parts = [(packed(shopping, CHARGE, max_tokens=tokens), tokens) for tokens in range(100, 3000, 50)]
    first_learning = next(tokens for one, tokens in parts if one.learnings)
    first_decision = next(tokens for one, tokens in parts if one.decisions)
    assert first_learning <= first_decision
    known = shopping.semantic_slice(symbol="shop/payment.py::charge", context="full")
    assert known.memories[1].content.startswith("charge takes cents")


@pytest.mark.parametrize("format", ["markdown", "json"])
def test_a_core_symbol_names_the_decisions_and_learnings_about_it(shopping: Workspace, format: str) -> None:
    about_it = decide(shopping, "Charge the card once", "shop/cart.py::Cart::checkout")
    decide(shopping, "Charge the card with cents", "shop/pricing.py")
    edit(shopping, "shop/cart.py", 3)
    workspaces = Workspaces(shopping.root)
    try:
        asked = {"task": CHARGE, "format": format, "max_tokens": 6000}
        reply = answer(Caller(workspaces), "context_pack", asked)
    finally:
        workspaces.close()
    data = json.loads(reply.body)["data"]
    best = data["core_symbols"][0]
    ids = [one["id"] for one in data["decisions"]]

    assert best["relevant_decisions"] == ([about_it] if format == "json" else [ids.index(about_it)])
    assert best["relevant_learnings"] == ([data["learnings"][0]["id"]] if format == "json" else [0])


def test_an_unsure_learning_does_not_surface(shopping: Workspace) -> None:
    for failed in (1, 0):
        told = {"passed": 1, "failed": failed, "test_files": ["shop/payment.py"]}
        shopping.episode_add(type="TEST_RESULT", content="ran", metadata=told)
    assert [one.confidence for one in shopping.reflect().patterns] == [0.6]

    assert packed(shopping, CHARGE, max_tokens=4000).learnings == ()


def test_a_memory_says_which_words_of_the_task_it_has_and_nothing_twice(shopping: Workspace) -> None:
    decide(shopping, "Charge the card once")
    shopping.task_update(task_id="T-1", title="Charge twice", dependencies=["T-0"], plan=["look"])
    text = packed(shopping, CHARGE, max_tokens=4000, task_id="T-1").text

    assert "- decided (" in text, "what is quoted below needs no title"
    assert "; matches charge" in text or "— matches charge" in text
    assert text.count("Waits for T-0.") == 1


def test_the_plan_is_of_the_named_task_or_of_the_one_the_caller_works_on(shopping: Workspace) -> None:
    shopping.task_update(task_id="T-1", title="Charge once", plan=["look", "change"], steps={"1": "done"})
    shopping.task_update(task_id="T-2", title="Another", status="in_progress", agent_id="ann", session_id="a")

    assert packed(shopping, CHARGE, max_tokens=2000).plan is None
    named = packed(shopping, CHARGE, max_tokens=2000, task_id="T-1")
    assert named.plan is not None
    assert (named.plan.next_step, [one.state for one in named.plan.steps]) == ("change", ["done", "pending"])
    assert '"T-1: Charge once" — pending, 1 of 2 steps done; next: change' in named.text
    own = packed(shopping, CHARGE, max_tokens=2000, agent_id="ann", session_id="another window")
    assert own.plan is not None and own.plan.task_id == "T-2"


def test_what_another_holds_is_in_the_way_and_what_is_ones_own_is_not(shopping: Workspace) -> None:
    shopping.agent_claim(target_id="shop/payment.py", intent="rewriting", agent_id="bob", session_id="b")
    shopping.agent_claim(target_id="shop/cart.py::Cart::checkout", agent_id="ann", session_id="a")
    shopping.agent_claim(target_id="docs/nowhere.md", agent_id="bob", session_id="b")

    def held(agent: str) -> set[str]:
        pack = packed(shopping, CHARGE, max_tokens=4000, agent_id=agent, session_id=agent[0])
        return {one.target for one in pack.active_blockers}

    assert held("ann") == {"shop/payment.py"}
    assert held("bob") == {"shop/cart.py::Cart::checkout"}
    assert held("eve") == {"shop/payment.py", "shop/cart.py::Cart::checkout"}


def test_a_claim_of_who_said_good_bye_can_be_taken_over_and_says_so(shopping: Workspace) -> None:
    with clew.open(shopping.root) as another:
        another.agent_claim(target_id="shop/payment.py", intent="rewriting")
        (there,) = packed(shopping, CHARGE, max_tokens=4000).active_blockers
        before = shopping.engine.ground.marks()
    pack = packed(shopping, CHARGE, max_tokens=4000)

    assert (there.standing, pack.active_blockers[0].standing) == ("", "abandoned")
    assert '(abandoned: it can be taken over): "rewriting"' in pack.text
    assert shopping.engine.ground.marks() != before


def test_code_never_comes_without_the_claim_that_is_in_its_way(shopping: Workspace) -> None:
    shopping.agent_claim(target_id="shop/cart.py", intent="rewriting it all", agent_id="bob", session_id="b")

    for budget in range(60, 400, 20):
        pack = packed(shopping, CHARGE, max_tokens=budget)
        assert pack.active_blockers or not any(one.path == "shop/cart.py" for one in pack.items)


def test_a_claim_is_made_of_where_to_start_and_a_conflict_is_a_result(shopping: Workspace) -> None:
    ann = packed(shopping, CHARGE, max_tokens=2000, claim=True, agent_id="ann", session_id="a")
    assert ann.claim is not None
    assert (ann.claim.status, ann.claim.target, ann.active_blockers) == ("ok", ann.entry_point, ())
    again = packed(shopping, CHARGE, max_tokens=2000, claim=True, agent_id="ann", session_id="a")
    assert again.claim == ann.claim

    bob = packed(shopping, CHARGE, max_tokens=2000, claim=True, agent_id="bob", session_id="b")
    assert bob.claim is not None and bob.claim.status == "CONFLICT"
    assert [(one.target, one.holder.agent_id) for one in bob.active_blockers] == [(ann.entry_point, "ann")]
    assert f"`{ann.entry_point}` is held by ann" in bob.text
    assert packed(shopping, "zeppelin", claim=True).claim is None
    shopping.task_update(task_id="T-1", title="Cents", status="in_progress", agent_id="eve", session_id="e")
    asked = {"claim": True, "agent_id": "eve", "session_id": "e", "focus": "shop/pricing.py::tax"}
    assert packed(shopping, CHARGE, max_tokens=2000, **asked).claim is not None
    ended = shopping.task_update(task_id="T-1", status="completed", agent_id="eve", session_id="e").released
    assert "shop/pricing.py::tax" in ended


@pytest.mark.parametrize("tokens", [20, 90, 150])
def test_a_claim_is_told_with_where_to_start_in_any_budget(shopping: Workspace, tokens: int) -> None:
    workspaces = Workspaces(shopping.root)
    try:
        asked = {"task": CHARGE, "claim": True, "max_tokens": tokens}
        envelope = json.loads(answer(Caller(workspaces), "context_pack", asked).body)
    finally:
        workspaces.close()

    assert envelope["ok"], envelope
    assert envelope["data"]["entry_point"] == envelope["data"]["claim"]["target"]


def test_a_task_of_an_orchestrator_gets_its_memory_too(shopping: Workspace) -> None:
    shopping.task_update(task_id="T-9", title="Charge once", plan=["look at checkout"])
    decide(shopping, "Charge the card once", "shop/payment.py::charge")

    context = shopping.get_task_context(PackTask("T-9", CHARGE))

    assert "<plan " in context.text and "<decision " in context.text
    assert [one.path for one in context.snippets]


def test_the_signature_of_memory_changes_with_what_a_pack_can_see_and_only_then(shopping: Workspace) -> None:
    def marks() -> Marks:
        return shopping.engine.ground.marks()

    seen = [marks()]
    decide(shopping, "Charge the card once", "shop/payment.py::charge")
    seen.append(marks())
    edit(shopping, "shop/payment.py", 3)
    seen.append(marks())
    claimed = shopping.agent_claim(target_id="shop/payment.py", agent_id="bob", session_id="b")
    seen.append(marks())
    shopping.task_update(task_id="T-1", title="Charge once")
    seen.append(marks())
    assert len(set(seen)) == len(seen)

    shopping.index(full=True)
    packed(shopping, CHARGE)
    shopping.agent_claim(target_id="shop/payment.py", agent_id="bob", session_id="b")
    assert marks() == seen[-1]
    shopping.agent_release(claim_id=claimed.claim_id, agent_id="bob", session_id="b")
    assert marks() not in seen


def test_a_context_pack_keeps_its_id_when_agents_write(shopping: Workspace) -> None:
    before = shopping.context_pack_create(query=CHARGE)

    decide(shopping, "Charge the card once", "shop/payment.py::charge")

    assert shopping.context_pack_create(query=CHARGE).canonical() == before.canonical()
