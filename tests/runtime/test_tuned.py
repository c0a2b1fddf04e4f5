"""Weights that were fitted: a layer between the defaults and context.toml."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from clew.model.errors import StoreReadOnly
from clew.runtime import tuned
from clew.runtime.config import describe, load
from clew.runtime.place import find_place
from clew.runtime.settings import Config
from clew.runtime.tuned import Fitted, Gain, Tuned
from tests.trusting import own

GAIN = Gain(0.1, 0.05, 0.15)
KEY = "providers.git_history.weight"


def keep(root: Path, **weights: float) -> Path:
    fitted = Fitted("0123abcd", 120, "2026-01-01T00:00:00Z", GAIN, 80, GAIN, None)
    return tuned.write(find_place(root, {}).prepare_home(), Tuned(tuned.FORMAT, weights, fitted))


def test_they_win_over_the_default_and_lose_to_the_file_and_the_environment(tmp_path: Path) -> None:
    keep(tmp_path, git_history=0.2, path=0.3, symbol=0.4)
    (tmp_path / "context.toml").write_text("[providers.path]\nweight = 0.8\n", "utf-8")
    resolved = load(tmp_path, {"CLEW_PROVIDERS_SYMBOL_WEIGHT": "0.9"})
    providers, origins = resolved.config.providers, resolved.origins

    assert (providers.git_history.weight, origins[KEY]) == (0.2, "tuned weights")
    assert (providers.path.weight, origins["providers.path.weight"]) == (0.8, "context.toml")
    assert providers.symbol.weight == 0.9
    assert (providers.full_text.weight, origins["providers.full_text.weight"]) == (1.0, "default")
    assert resolved.warnings == ()


def test_they_are_part_of_the_configuration_and_of_its_hash(tmp_path: Path) -> None:
    keep(tmp_path, git_history=0.2)
    resolved = load(tmp_path, {})
    (shown,) = [entry for entry in describe(resolved) if entry.key == KEY]

    assert hash(resolved.config) != hash(Config())
    assert (shown.value, shown.origin) == (0.2, "tuned weights")


def test_a_weight_of_nothing_takes_its_retriever_out(tmp_path: Path) -> None:
    keep(tmp_path, git_history=0.0)

    assert "git_history" not in load(tmp_path, {}).config.retrievers()


def test_they_are_removed_once(tmp_path: Path) -> None:
    keep(tmp_path, path=0.1)

    assert [tuned.remove(tmp_path / ".clew") for _ in range(2)] == [True, False]
    assert load(tmp_path, {}).config == Config()


def test_the_file_can_be_read_by_people_and_nothing_else_is_left(tmp_path: Path) -> None:
    file = keep(tmp_path, path=0.1)
    keep(tmp_path, path=0.2)

    assert '  "weights": {\n    "path": 0.2\n  },' in file.read_text("utf-8")
    assert sorted(one.name for one in (tmp_path / ".clew").iterdir()) == [".gitignore", "owner", "weights.json"]


def good(**changes: object) -> bytes:
    fitted = Fitted("0123abcd", 120, "2026-01-01T00:00:00Z", GAIN, 80, GAIN, None)
    return msgspec.json.encode({**msgspec.to_builtins(Tuned(tuned.FORMAT, {"path": 0.2}, fitted)), **changes})


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not what"),
        (b"{", "not what"),
        (b"[1, 2]", "not what"),
        (b'{"weights": {"path": 0.2}}', "not what"),
        (good()[:-9], "not what"),
        (b"\xff\xfe", "not what"),
        (b"[" * 100_000, "not what"),
        (good(more=1), "not what"),
        (good(weights={"path": "much"}), "not what"),
        (good(format=2), "its format is 2"),
        (good(weights={"path": -1}), "must be a number"),
        (good(weights={"oracle": 0.5}), "'oracle', which is no retriever"),
    ],
)
def test_a_file_that_is_not_ours_is_a_warning_and_the_defaults_are_used(
    tmp_path: Path, content: bytes, why: str
) -> None:
    own(tmp_path)
    (tmp_path / ".clew" / "weights.json").write_bytes(content)
    resolved = load(tmp_path, {})
    (warning,) = resolved.warnings

    assert resolved.config == Config()
    assert warning.startswith(".clew/weights.json is left out")
    assert why in warning
    assert "clew eval --untune" in warning
    assert tuned.remove(tmp_path / ".clew")


def test_a_folder_in_its_place_is_a_warning_and_cannot_be_removed(tmp_path: Path) -> None:
    (own(tmp_path) / ".clew" / "weights.json").mkdir()
    (warning,) = load(tmp_path, {}).warnings

    assert "is left out" in warning
    with pytest.raises(StoreReadOnly, match=r"weights\.json"):
        tuned.remove(tmp_path / ".clew")


def test_a_file_in_place_of_the_folder_is_no_weights(tmp_path: Path) -> None:
    (tmp_path / ".clew").write_text("", "utf-8")

    assert load(tmp_path, {}).warnings == ()
    assert not tuned.remove(tmp_path / ".clew")


def test_what_cannot_be_written_leaves_what_was_there(tmp_path: Path) -> None:
    (own(tmp_path) / ".clew" / "weights.json").mkdir()

    with pytest.raises(StoreReadOnly):
        keep(tmp_path, path=0.1)
    assert sorted(one.name for one in (tmp_path / ".clew").iterdir()) == [".gitignore", "owner", "weights.json"]


@pytest.fixture
def worktrees(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    main, linked = tmp_path / "main", tmp_path / "linked"
    main.mkdir()
    git = ["git", "-c", "user.name=T", "-c", "user.email=t@example.org", "-C", str(main)]
    for arguments in (("init", "-q"), ("commit", "-qm", "1", "--allow-empty"), ("worktree", "add", "-q", str(linked))):
        subprocess.run([*git, *arguments], check=True, capture_output=True)
    yield main, linked


def test_linked_worktrees_have_those_of_the_main_one(worktrees: tuple[Path, Path]) -> None:
    main, linked = worktrees
    keep(linked, path=0.1)

    assert (main / ".clew" / "weights.json").is_file()
    assert not (linked / ".clew").exists()
    assert load(linked, {}).config.providers.path.weight == load(main, {}).config.providers.path.weight == 0.1


def test_they_lie_in_clew_wherever_the_database_does(tmp_path: Path) -> None:
    place = find_place(tmp_path, {"CLEW_STORAGE_DB_PATH": "elsewhere/it.db"})

    assert place.prepare_home() == tmp_path / ".clew"
    assert (tmp_path / ".clew" / ".gitignore").read_text("utf-8") == "*\n"
