"""Weights fitted to real histories: by the earlier cases alone, told on the later ones, kept in .clew."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from clew import engine, projects
from clew.evaluate.report import EvaluationStep, Request, Tuning
from clew.evaluate.tuning import LEAST_CASES, knobs_of
from clew.model.errors import InvalidInput, NotFound
from clew.model.search import Query
from clew.runtime import tuned
from clew.runtime.config import load
from tests.trusting import copied, own

from .pasts import CASES, make, misleading, truthful

BASE = "main~64"  # after what leads astray


def tune(root: Path, base: str = "", environ: Mapping[str, str] | None = None) -> Tuning:
    return projects.tune(Request(root, base=base, cases=CASES), lambda step: None, environ or {})


@pytest.fixture(scope="module")
def tuned_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Tuning]:
    """A project whose past leads astray, and what was made of it."""
    root = make(tmp_path_factory.mktemp("pasts") / "misled", misleading())
    return root, tune(root, BASE)


@pytest.fixture
def misled(tuned_once: tuple[Path, Tuning], tmp_path: Path) -> Path:
    """The same, as it is once tuned, to be changed."""
    return copied(tuned_once[0], tmp_path / "misled")


def weights_after(result: Tuning) -> dict[str, float]:
    return {one.retriever: one.after for one in result.weights}


def test_a_retriever_that_misleads_weighs_less_and_the_later_cases_gain(tuned_once: tuple[Path, Tuning]) -> None:
    _, result = tuned_once

    assert weights_after(result)["git_history"] < 0.65
    assert result.objective_after > result.objective_before
    assert result.held_out.low > 0
    assert result.gain is not None
    assert result.gain.files.mrr.low > 0
    assert result.after is not None
    assert result.after.files.mrr.mean > result.before.files.mrr.mean


def test_cases_are_split_by_time_and_none_is_fitted_and_reported(tuned_once: tuple[Path, Tuning]) -> None:
    _, result = tuned_once

    assert (result.fitted.cases, result.reported.cases) == (round(0.6 * CASES), CASES - round(0.6 * CASES))
    assert result.fitted.first < result.fitted.last < result.reported.first < result.reported.last
    assert result.before.files.cases == result.reported.cases


def test_what_was_fitted_is_stored_with_what_it_was_fitted_on(tuned_once: tuple[Path, Tuning]) -> None:
    root, result = tuned_once
    stored = msgspec.json.decode((root / ".clew" / "weights.json").read_bytes(), type=tuned.Tuned)

    assert result.stored == str(root / ".clew" / "weights.json")
    assert stored.weights == {one.retriever: one.after for one in result.weights if one.after != one.before}
    assert (stored.fitted.base, stored.fitted.cases) == (result.base, result.fitted.cases)
    assert stored.fitted.newest.startswith("2026-")
    assert stored.fitted.held_out.mean == result.held_out.mean
    assert sorted(path.name for path in (root / ".clew").iterdir()) == [".gitignore", "owner", "weights.json"]


def test_what_is_stored_counts_in_questions(misled: Path) -> None:
    subprocess.run(["git", "-C", str(misled), "reset", "-q", "--hard", BASE], check=True)
    question = Query("Now water the alder in the garden", 3)
    answers = []
    for _ in range(2):
        with engine.Engine.open(misled) as opened:
            opened.index()
            answers.append(opened.search(question).hits[0].path)
        tuned.remove(misled / ".clew")

    assert answers == ["src/part_0.py", "src/part_1.py"]


def test_the_same_history_gives_the_same_weights_whatever_was_tuned_before(
    tuned_once: tuple[Path, Tuning], misled: Path
) -> None:
    before = (misled / ".clew" / "weights.json").read_bytes()
    again = tune(misled, BASE)

    assert again.weights == tuned_once[1].weights
    assert (misled / ".clew" / "weights.json").read_bytes() == before


def test_a_history_that_leads_to_its_files_leaves_the_defaults(misled: Path, tmp_path: Path) -> None:
    root = make(tmp_path / "truthful", truthful())
    shutil.copytree(misled / ".clew", root / ".clew")
    own(root)
    result = tune(root, BASE)

    assert not result.is_changed
    assert (result.after, result.gain, result.stored) == (None, None, "")
    assert all(one.after == one.before for one in result.weights)
    assert result.removed  # what was tuned before no longer holds
    assert load(root, {}).config.providers == load(tmp_path, {}).config.providers


def test_too_few_cases_change_nothing_and_say_how_many_are_needed(tmp_path: Path) -> None:
    root = make(tmp_path / "young", truthful(cases=LEAST_CASES - 1))

    with pytest.raises(NotFound, match=rf"only {LEAST_CASES - 1} commits .* {LEAST_CASES} are needed"):
        tune(root)
    assert not (root / ".clew").exists()


def test_a_weight_that_somebody_set_is_not_fitted(misled: Path) -> None:
    (misled / "context.toml").write_text("[providers.git_history]\nweight = 0.65\n", "utf-8")
    result = tune(misled, BASE, {"CLEW_PROVIDERS_PATH_WEIGHT": "0.4"})
    by_name = {one.retriever: one for one in result.weights}

    assert by_name["git_history"].fixed_by == "context.toml"
    assert (by_name["path"].after, by_name["path"].fixed_by) == (0.4, "environment CLEW_PROVIDERS_PATH_WEIGHT")
    assert by_name["git_history"].after == 0.65


def test_words_are_what_the_others_are_weighed_against(tmp_path: Path) -> None:
    """Else tuned scores would mean less, and thresholds leave answers out."""
    knobs = knobs_of(load(tmp_path, {}))
    choices = dict(zip(knobs.names, knobs.room.choices, strict=True))

    assert choices["full_text"] == (1.0,)
    assert {0.0, 0.5, 0.65, 1.0} <= set(choices["git_history"])


def test_what_takes_no_part_is_not_fitted_and_nothing_to_fit_is_an_error(tmp_path: Path) -> None:
    environ = {"CLEW_PROVIDERS_SYMBOL_ENABLED": "false"}
    names = knobs_of(load(tmp_path, environ)).names

    assert "symbol" not in names
    assert "semantic" in names
    assert "semantic" not in knobs_of(load(tmp_path, {"CLEW_EMBEDDING_MODEL": "none"})).names
    with pytest.raises(InvalidInput, match="no weight"):
        knobs_of(load(tmp_path, {"CLEW_ENABLED": "false"}))


def test_a_linked_worktree_is_tuned_for_all(misled: Path, tmp_path: Path) -> None:
    tuned.remove(misled / ".clew")
    linked = tmp_path / "linked"
    subprocess.run(["git", "-C", str(misled), "worktree", "add", "-q", str(linked), "-b", "other"], check=True)
    result = tune(linked, BASE)

    assert result.stored == str(misled / ".clew" / "weights.json")
    assert not (linked / ".clew").exists()
    assert load(linked, {}).config == load(misled, {}).config
    assert tuned.remove(misled / ".clew")
    assert not (misled / ".clew" / "weights.json").exists()


def test_a_bare_repository_has_no_project_to_tune(misled: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "-q", "--bare", str(misled), str(tmp_path / "bare.git")], check=True)

    with pytest.raises(InvalidInput, match="no working tree"):
        tune(tmp_path / "bare.git")


def test_every_stage_is_told(misled: Path) -> None:
    steps: list[EvaluationStep] = []
    projects.tune(Request(misled, base=BASE, cases=LEAST_CASES), steps.append, {})

    assert list(dict.fromkeys(step.doing for step in steps)) == [
        "choosing", "indexing", "reading", "asking the earlier cases", "fitting", "asking the later cases",
    ]  # fmt: skip
