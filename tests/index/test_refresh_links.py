"""Links that are put where files stood: a question reads what the boundary allows, and nothing else."""

from pathlib import Path

import pytest

from clew.engine import Engine
from clew.model.search import Query
from tests.conftest import Repository

FOLLOWING, NOT_FOLLOWING = {"CLEW_INDEXING_FOLLOW_SYMLINKS": "true"}, {"CLEW_INDEXING_FOLLOW_SYMLINKS": "false"}
both = pytest.mark.parametrize("environ", [FOLLOWING, NOT_FOLLOWING])


def asked(root: Path, environ: dict[str, str], text: str) -> list[str]:
    with Engine.open(root, environ={**environ, "CLEW_QUERY_REFRESH_BUDGET_MS": "60000"}) as engine:
        return sorted(hit.path for hit in engine.search(Query(text, 20)).hits)


def paths(root: Path, environ: dict[str, str], *, indexed: bool) -> list[str]:
    with Engine.open(root, environ=environ) as engine:
        if indexed:
            engine.index()
        return sorted(engine.files.current())


@pytest.fixture
def tree(repository: Repository) -> Repository:
    repository.write("pkg/one.py", "def okapi(): pass\n")
    repository.write("pkg/two.py", "def tapir(): pass\n")
    repository.write("rest/two.py", "def zebra(): pass\n")
    return repository


@both
def test_a_link_to_what_lies_outside_is_not_read(tree: Repository, tmp_path: Path, environ: dict[str, str]) -> None:
    paths(tree.root, environ, indexed=True)
    outside = tmp_path / "outside.py"
    outside.write_text("def gnu(): pass\n", "utf-8")
    (tree.root / "pkg" / "one.py").unlink()
    (tree.root / "pkg" / "one.py").symlink_to(outside)

    assert asked(tree.root, environ, "gnu okapi") == []
    assert paths(tree.root, environ, indexed=False) == paths(tree.root, environ, indexed=True)


@both
def test_nor_is_what_a_folder_leads_to_that_is_a_link_now(
    tree: Repository, tmp_path: Path, environ: dict[str, str]
) -> None:
    paths(tree.root, environ, indexed=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "two.py").write_text("def gnu(): pass\n", "utf-8")
    (tree.root / "rest" / "two.py").unlink()
    (tree.root / "rest").rmdir()
    (tree.root / "rest").symlink_to(tmp_path / "elsewhere")

    assert asked(tree.root, environ, "gnu zebra") == []
    assert paths(tree.root, environ, indexed=False) == paths(tree.root, environ, indexed=True)


@both
def test_a_link_inside_is_read_only_if_links_are_followed(tree: Repository, environ: dict[str, str]) -> None:
    paths(tree.root, environ, indexed=True)
    tree.write("pkg/new.py", "def gnu(): pass\n")
    (tree.root / "pkg" / "one.py").unlink()
    (tree.root / "pkg" / "one.py").symlink_to("new.py")

    assert asked(tree.root, environ, "gnu") == ["pkg/new.py", *(["pkg/one.py"] if environ == FOLLOWING else [])]
    assert paths(tree.root, environ, indexed=False) == paths(tree.root, environ, indexed=True)


def test_what_a_link_led_to_may_become_a_folder(tree: Repository) -> None:
    (tree.root / "pkg" / "link.py").symlink_to("one.py")
    paths(tree.root, FOLLOWING, indexed=True)
    (tree.root / "pkg" / "one.py").unlink()
    tree.write("pkg/one.py/inner.py", "def gnu(): pass\n")

    assert asked(tree.root, FOLLOWING, "gnu") == ["pkg/link.py/inner.py", "pkg/one.py/inner.py"]
    assert paths(tree.root, FOLLOWING, indexed=False) == paths(tree.root, FOLLOWING, indexed=True)


@both
def test_beside_a_link_that_leads_nowhere_new_files_are_seen(tree: Repository, environ: dict[str, str]) -> None:
    paths(tree.root, environ, indexed=True)
    (tree.root / "pkg" / "one.py").unlink()
    (tree.root / "pkg" / "one.py").symlink_to("nowhere")
    assert asked(tree.root, environ, "okapi") == []
    tree.write("pkg/new.py", "def gnu(): pass\n")

    assert asked(tree.root, environ, "gnu") == ["pkg/new.py"]
