"""Where a project begins, what is refused as one, and what leads out of it."""

import subprocess
import sys
from pathlib import Path, PureWindowsPath

import pytest

from clew.model.errors import Denied, InvalidInput, NotFound
from clew.runtime import paths
from clew.runtime.paths import find_root, guard, inside, worktree_home


def made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *identity, "-C", str(root), *arguments], check=True, capture_output=True)


@pytest.mark.parametrize("mark", [".git/", ".git", ".clew/", "context.toml", "package.json", "go.mod", "README.md"])
def test_a_root_is_found_from_below(tmp_path: Path, mark: str) -> None:
    here = made(tmp_path / "src" / "deep")
    made(tmp_path / mark) if mark.endswith("/") else (tmp_path / mark).touch()

    assert find_root(here) == tmp_path


def test_a_repository_counts_more_than_a_nearer_package(tmp_path: Path) -> None:
    made(tmp_path / ".git")
    here = made(tmp_path / "packages" / "web")
    (here / "package.json").touch()

    assert find_root(here) == tmp_path


def test_a_package_counts_more_than_a_nearer_readme(tmp_path: Path) -> None:
    (tmp_path / "Cargo.toml").touch()
    here = made(tmp_path / "docs")
    (here / "README.md").touch()

    assert find_root(here) == tmp_path


def test_a_configured_part_of_a_repository_is_a_root(tmp_path: Path) -> None:
    made(tmp_path / ".git")
    here = made(tmp_path / "packages" / "web" / "src")
    (here.parent / "context.toml").touch()

    assert find_root(here) == here.parent


def test_sources_beside_tests_look_like_a_project(tmp_path: Path) -> None:
    here = made(tmp_path / "src" / "app")
    assert find_root(here) == here

    made(tmp_path / "tests")
    assert find_root(here) == tmp_path


def test_a_file_stands_for_its_folder(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()

    assert find_root(tmp_path / "a.py") == tmp_path


def test_a_start_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        find_root(tmp_path / "missing")

    assert caught.value.hint


def test_a_mark_in_the_home_directory_says_nothing_of_the_projects_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    made(tmp_path / ".git")
    here = made(tmp_path / "scratch")

    assert find_root(here) == here
    assert find_root(tmp_path) == tmp_path


@pytest.mark.skipif(sys.platform == "win32", reason="paths of other systems")
@pytest.mark.parametrize(
    "path",
    ["/", "/usr", "/var", "/etc", "/etc/ssh", "/proc", "/sys/class", "/dev", "/boot", "/usr/lib/python3", "/lib64"],
)
def test_system_directories_are_refused(path: str) -> None:
    with pytest.raises(Denied) as caught:
        guard(Path(path), named=True)

    assert caught.value.hint


@pytest.mark.skipif(sys.platform == "win32", reason="paths of other systems")
@pytest.mark.parametrize(
    "path", ["/usr/local/src/x", "/usr/src/linux", "/var/www", "/var/lib/x", "/tmp/x", "/opt/x", "/srv"]
)
def test_places_where_projects_live_pass(path: str) -> None:
    assert guard(Path(path)) == ""


@pytest.mark.parametrize("path", ["C:\\", "D:\\", "C:\\Windows\\System32", "C:\\Program Files\\x", "c:\\windows"])
def test_windows_has_system_directories_too(path: str) -> None:
    assert paths._is_system(PureWindowsPath(path))
    assert not paths._is_system(PureWindowsPath("C:\\work\\windows"))


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_to_a_system_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc")

    with pytest.raises(Denied):
        guard(tmp_path / "link")


def test_the_home_directory_must_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))

    with pytest.raises(Denied, match="home"):
        guard(tmp_path)
    assert "home directory" in guard(tmp_path, named=True)
    assert guard(tmp_path / "project") == ""


def test_a_path_inside_comes_back_canonical(tmp_path: Path) -> None:
    top = tmp_path.resolve()

    assert inside(tmp_path, "src/../a.py") == top / "a.py"
    assert inside(tmp_path, tmp_path / "b.py") == top / "b.py"
    assert inside(tmp_path, ".") == top
    assert inside(tmp_path, "not/yet/there.py") == top / "not/yet/there.py"


@pytest.mark.parametrize("path", ["..", "../x", "src/../../x", "/etc/passwd"])
def test_a_path_that_leads_out_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(Denied):
        inside(tmp_path, path)


def test_a_neighbour_with_a_longer_name_is_outside(tmp_path: Path) -> None:
    made(tmp_path / "app")

    with pytest.raises(Denied):
        inside(tmp_path / "app", "../app-secrets/x")


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    root = made(tmp_path / "root")
    made(tmp_path / "other")
    (root / "out").symlink_to("../other")
    (root / "loop").symlink_to("loop")
    made(root / "real")
    (root / "in").symlink_to("real")

    with pytest.raises(Denied):
        inside(root, "out/x")
    assert inside(root, "in/x") == root.resolve() / "real" / "x"
    assert inside(root, "loop") == root.resolve() / "loop"


def test_what_is_no_path_is_invalid(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        inside(tmp_path, "a\0b")


def test_a_linked_worktree_knows_its_home(tmp_path: Path) -> None:
    main = made(tmp_path / "main")
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "first")
    git(main, "worktree", "add", "-q", str(tmp_path / "feature"))

    assert worktree_home(tmp_path / "feature") == (main, "feature")
    assert worktree_home(main) == (main, "")
    assert find_root(tmp_path / "feature") == tmp_path / "feature"


def test_a_submodule_is_its_own_home(tmp_path: Path) -> None:
    library, main = made(tmp_path / "library"), made(tmp_path / "main")
    for repository in (library, main):
        git(repository, "init", "-q")
        git(repository, "commit", "-q", "--allow-empty", "-m", "first")
    git(main, "submodule", "add", "-q", str(library), "vendored")

    assert worktree_home(main / "vendored") == (main / "vendored", "")
    assert find_root(main / "vendored") == main / "vendored"


def test_a_worktree_of_a_bare_repository_is_its_own_home(tmp_path: Path) -> None:
    seed, bare = made(tmp_path / "seed"), tmp_path / "bare.git"
    git(seed, "init", "-q")
    git(seed, "commit", "-q", "--allow-empty", "-m", "first")
    git(tmp_path, "clone", "-q", "--bare", str(seed), str(bare))
    git(bare, "worktree", "add", "-q", str(tmp_path / "tree"))

    assert worktree_home(tmp_path / "tree") == (tmp_path / "tree", "")


def test_a_folder_without_git_is_its_own_home(tmp_path: Path) -> None:
    assert worktree_home(tmp_path) == (tmp_path, "")
