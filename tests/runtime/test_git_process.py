"""Git on a repository that was built to attack whoever looks at it: nothing of it runs, nothing hangs."""

import os
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from hashlib import sha1
from pathlib import Path
from typing import TypeVar

import pytest

from clew.index.history import git
from clew.index.history.head_commit import read_tip
from clew.runtime import git_process, lent_objects
from tests.conftest import Repository

T = TypeVar("T")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the programs are shell scripts")

SIGNED = """tree {tree}
author T <t@example.org> 1767225600 +0000
committer T <t@example.org> 1767225600 +0000
gpgsig -----BEGIN PGP SIGNATURE-----
 Version: 1
 aaaa
 -----END PGP SIGNATURE-----

signed
"""


@pytest.fixture
def spy(tmp_path: Path) -> Path:
    """A program that leaves a mark beside itself when it runs."""
    program = tmp_path / "spy"
    program.write_text(f'#!/bin/sh\necho "$0 $@" >> {tmp_path}/was-here\ncat\n', "utf-8")
    program.chmod(0o755)
    return program


def everything(root: Path) -> None:
    """All that Clew ever asks git."""
    head = git.head(root)
    git.tracked_paths(root)
    git.shallow_boundary(root)
    git.dirty_paths(root)
    git.altered_files(root)
    git.excludes(root)
    git.changes(root, 100)
    git.refusal_by_git(root)
    commit = git.resolve(root, "HEAD~1") or (head.sha if head else "HEAD")
    git.paths_that_differ(root, commit)
    git.text_of(root, commit, "a.py")
    git.paths_brought_by_git(root, commit, head.sha if head else commit, ["a.py"])


@pytest.fixture
def hostile(repository: Repository, spy: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """Two commits, the newer one signed; every program that git knows of is the spy."""
    repository.write("a.py", "first")
    repository.commit()
    repository.write(".gitattributes", "*.py filter=evil diff=evil merge=evil\n")
    repository.write("a.py", "second")
    repository.commit()
    tree = repository.git("rev-parse", "HEAD^{tree}")
    text = SIGNED.format(tree=tree).replace("author T", f"parent {repository.git('rev-parse', 'HEAD')}\nauthor T")
    made = subprocess.run(
        ["git", "-C", str(repository.root), "hash-object", "-t", "commit", "-w", "--stdin"],
        input=text, capture_output=True, text=True, check=True,
    )  # fmt: skip
    repository.git("update-ref", "HEAD", made.stdout.strip())
    for hook in ("post-index-change", "reference-transaction", "pre-auto-gc", "post-checkout"):
        (repository.root / ".git" / "hooks" / hook).write_bytes(spy.read_bytes())
        (repository.root / ".git" / "hooks" / hook).chmod(0o755)
    for key, value in {
        "log.showSignature": "true", "gpg.program": spy, "gpg.ssh.program": spy, "core.fsmonitor": spy,
        "core.pager": spy, "pager.log": spy, "pager.diff": spy, "core.editor": spy, "core.askPass": spy,
        "core.sshCommand": spy, "credential.helper": spy, "diff.external": spy, "diff.evil.command": spy,
        "diff.evil.textconv": spy, "filter.evil.clean": spy, "filter.evil.smudge": spy, "filter.evil.required": "true",
        "core.hooksPath": repository.root / ".git" / "hooks", "core.alternateRefsCommand": spy,
    }.items():  # fmt: skip
        repository.git("config", key, str(value))
    for name in ("GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_PAGER", "GIT_ASKPASS", "GIT_EDITOR", "GIT_PROXY_COMMAND"):
        monkeypatch.setenv(name, str(spy))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "filter.evil.process")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(spy))
    os.utime(repository.root / "a.py", (1, 1))  # so that git must compare its content
    repository.write("b.py", "untracked")
    return repository


def test_no_program_of_a_repository_runs(hostile: Repository, spy: Path) -> None:
    everything(hostile.root)

    assert not (spy.parent / "was-here").exists()


@pytest.mark.parametrize("url", ["ext::{spy}", "ssh://host/x", "{spy}-repository", "evil::x"])
def test_nothing_that_a_repository_lacks_is_fetched(repository: Repository, spy: Path, url: str) -> None:
    """A partial clone asks its remote for what is missing, by whatever program the configuration names."""
    repository.write("a.py", "first")
    repository.commit()
    repository.write("a.py", "second")
    repository.commit()
    blob = repository.git("rev-parse", "HEAD~1:a.py")
    (repository.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    for key, value in {
        "core.repositoryformatversion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true",
        "remote.origin.url": url.format(spy=spy), "remote.origin.uploadpack": spy, "protocol.allow": "always",
        "protocol.ext.allow": "always", "core.sshCommand": spy, "remote.origin.vcs": "ext" if "ext" in url else "",
    }.items():  # fmt: skip
        if value:
            repository.git("config", key, str(value))
    (spy.parent / "spy-repository").mkdir()

    assert git.text_of(repository.root, "HEAD~1", "a.py") is None
    assert git.paths_that_differ(repository.root, "HEAD~1") == ["a.py"]
    assert not (spy.parent / "was-here").exists()


def test_a_git_in_the_repository_is_not_taken_for_git(
    repository: Repository, spy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write("a.py", "first")
    repository.commit()
    (repository.root / "git").write_bytes(spy.read_bytes())
    (repository.root / "git").chmod(0o755)
    monkeypatch.chdir(repository.root)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.environ['PATH']}")

    assert git.tracked_paths(repository.root) == frozenset({"a.py"})
    assert not (spy.parent / "was-here").exists()


@pytest.mark.parametrize(
    "name", ["HEAD", "config", "index", "packed-refs", "info/exclude", "refs/heads/main", "logs/HEAD"]
)
@pytest.mark.parametrize("kind", ["pipe", "endless"])
def test_a_pipe_or_device_in_place_of_a_file_of_git_is_refused(repository: Repository, name: str, kind: str) -> None:
    repository.write("a.py", "first")
    repository.commit()
    file = repository.root / ".git" / name
    file.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(file)
    else:
        file.symlink_to("/dev/zero")

    with pytest.raises(git_process.Refused, match="not a regular file"):
        git_process.run(repository.root, "rev-parse", "HEAD")
    assert git.tracked_paths(repository.root) is None
    assert "regular file" in git.refusal_by_git(repository.root)
    assert read_tip(repository.root) == "" or name not in ("HEAD", "refs/heads/main")


def test_what_unpacks_to_more_than_memory_holds_is_refused(repository: Repository) -> None:
    repository.write("a.py", "first")
    repository.commit()
    size = 100 * 1024 * 1024
    head = b"blob %d\0" % size
    digest = sha1(head, usedforsecurity=False)
    packer = zlib.compressobj(9)
    packed = [packer.compress(head)]
    for _ in range(size // 2**20):
        digest.update(bytes(2**20))
        packed.append(packer.compress(bytes(2**20)))
    name = digest.hexdigest()
    file = repository.root / ".git" / "objects" / name[:2] / name[2:]
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b"".join([*packed, packer.flush()]))
    repository.git("update-index", "--add", "--cacheinfo", f"100644,{name},bomb.txt")
    repository.git("commit", "-qm", "bomb", "--allow-empty")

    assert file.stat().st_size < size // 500
    assert git.text_of(repository.root, "HEAD", "bomb.txt") is None
    assert git.text_of(repository.root, "HEAD", "a.py") == b"first"


HANGING = """
import sys
from pathlib import Path
from clew.runtime import git_process, lent_objects
print("ready", flush=True)
git_process.run(Path(sys.argv[1]), "cat-file", "--batch", "--buffer", "--batch-all-objects", timeout=None)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_git_ends_with_clew_however_clew_ends(repository: Repository, end: int) -> None:
    """An object that is a pipe makes git wait; it does so no longer than Clew lives."""
    repository.write("a.py", "first")
    repository.commit()
    blob = repository.git("rev-parse", "HEAD:a.py")
    file = repository.root / ".git" / "objects" / blob[:2] / blob[2:]
    file.unlink()
    os.mkfifo(file)
    process = subprocess.Popen([sys.executable, "-c", HANGING, str(repository.root)], stdout=subprocess.PIPE)
    with process:
        assert process.stdout and process.stdout.readline() == b"ready\n"
        children = until(lambda: [pid for pid in children_of(process.pid) if "cat-file" in command_of(pid)])
        process.send_signal(end)
        process.wait(10)

    assert until(lambda: not any("cat-file" in command_of(pid) for pid in children))


def children_of(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(one) for one in listed.read_text("ascii").split()] if listed.exists() else []


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text("utf-8")
    except OSError:
        return ""


def until(found: Callable[[], T]) -> T:
    deadline = time.monotonic() + 10
    while not (value := found()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return value


def test_a_safe_directory_of_the_environment_counts_and_no_other_setting(
    repository: Repository, spy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write("a.py", "first")
    repository.commit()
    pairs = {"core.fsmonitor": str(spy), "safe.directory": "/somewhere"}
    monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(pairs)))
    for number, (key, value) in enumerate(pairs.items()):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)

    done = git_process.run(repository.root, "config", "--get-all", "safe.directory")

    assert done.stdout == b"/somewhere\n"
    assert git_process.run(repository.root, "config", "--get-all", "core.fsmonitor").stdout == b"false\n"


@pytest.fixture
def private(repository: Repository, tmp_path: Path) -> Path:
    """Another project of the user, with its own past."""
    other = tmp_path / "private"
    other.mkdir()
    (other / "secret.py").write_text("word = 'only the user may read this'\n")
    repository.git("init", "-q", "-b", "main", str(other))
    repository.git("-C", str(other), "add", "-A")
    repository.git("-C", str(other), "commit", "-qm", "private plans")
    repository.write("a.py", "first")
    repository.commit()
    return other


@pytest.mark.parametrize(
    "name", ["HEAD", "objects", "refs", "refs/heads", "refs/heads/main", "logs", "index", "config", "packed-refs"]
)
def test_a_link_inside_of_the_git_folder_that_leads_out_is_refused(
    repository: Repository, private: Path, name: str
) -> None:
    repository.git("-C", str(private), "pack-refs", "--all", "--no-prune")
    own = repository.root / ".git" / name
    if own.is_dir():
        own.rename(repository.root / "aside")
    else:
        own.unlink(missing_ok=True)
    own.symlink_to(private / ".git" / name)
    if name == "packed-refs":
        (repository.root / ".git" / "refs" / "heads" / "main").unlink()

    with pytest.raises(git_process.Refused, match="leads out of the repository"):
        git_process.run(repository.root, "log", "--format=%s")
    assert "leads out" in git.refusal_by_git(repository.root)
    if not name.startswith(("objects", "logs", "index", "config")):
        assert read_tip(repository.root) == ""


def test_a_link_that_stays_in_the_git_folder_is_none_of_these(repository: Repository) -> None:
    repository.write("a.py", "first")
    repository.commit()
    folder = repository.root / ".git"
    (folder / "refs").rename(folder / "refs-of-old")
    (folder / "refs").symlink_to("refs-of-old")

    assert git_process.run(repository.root, "ls-files").stdout == b"a.py\n"
    assert len(read_tip(repository.root)) == 40


@pytest.mark.parametrize("kind", ["absolute", "relative", "conditional", "quoted", "through another", "in a tree"])
def test_a_configuration_from_elsewhere_is_refused(repository: Repository, private: Path, kind: str) -> None:
    secret = private / "secret.py"
    written = {
        "absolute": f"[include]\npath = {secret}\n",
        "relative": "[Include]\n\tPATH=../../private/secret.py\n",
        "conditional": f'[includeIf "gitdir:/"]\npath = {secret}\n',
        "quoted": f'[include] path = "{str(secret)[:5]}\\\n{str(secret)[5:]}" # x\n',
        "through another": "[include]\npath = inner\n",
        "in a tree": "[include]\npath = ../shared.gitconfig\n",
    }[kind]
    (repository.root / ".git" / "inner").write_text(f"[include]\npath = {secret}\n")
    repository.write("shared.gitconfig", f"[core]\nabbrev = 12\n[include]\npath = {secret}\n")
    with (repository.root / ".git" / "config").open("a") as config:
        config.write(written)

    with pytest.raises(git_process.Refused, match="lies outside"):
        git_process.run(repository.root, "log")


def test_configurations_of_the_tree_and_of_the_user_may_be_included(repository: Repository, private: Path) -> None:
    (Path.home() / ".gitconfig-work").write_text("[user]\nname = Ann\n")
    repository.write("shared.gitconfig", "[core]\nabbrev = 12\n")
    with (repository.root / ".git" / "config").open("a") as config:
        config.write("[include]\npath = ~/.gitconfig-work\npath = ../shared.gitconfig\npath = missing\n")

    assert git_process.run(repository.root, "config", "user.name").stdout == b"Ann\n"


def test_objects_of_another_repository_are_read_only_with_the_users_consent(
    repository: Repository, private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hash of a commit is no secret: a branch that names it would show another project's history."""
    own = repository.root / ".git"
    alternates = own / "objects" / "info" / "alternates"
    alternates.write_text(f"{private}/.git/objects\n")
    shown = subprocess.run(["git", "-C", str(private), "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    (own / "refs" / "heads" / "stolen").write_text(shown.stdout)
    monkeypatch.setenv("XDG_DATA_HOME", str(repository.root.parent / "data"))

    def asked() -> bytes:
        git_process._problem.cache_clear()
        return git_process.run(repository.root, "log", "--format=%s", "stolen").stdout

    with pytest.raises(git_process.Refused, match="clew trust"):
        asked()
    lent_objects.permit(own)
    assert asked() == b"private plans\n"
    alternates.write_text(f"{private}/.git/objects\n/elsewhere\n")
    with pytest.raises(git_process.Refused, match="and 1 more"):
        asked()


def test_links_anywhere_among_gits_files_must_stay_in_the_repository(repository: Repository, private: Path) -> None:
    loose = next((private / ".git" / "objects").glob("??/*"))
    for place in (f"objects/{loose.parent.name}/{loose.name}", "sharedindex.1", "refs/heads/deep/down"):
        link = repository.root / ".git" / place
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(loose)
        git_process._problem.cache_clear()
        with pytest.raises(git_process.Refused, match="leads out"):
            git_process.run(repository.root, "log")
        link.unlink()


def test_no_file_that_a_repository_names_orders_its_differences(repository: Repository) -> None:
    """A pipe in its place would be waited for."""
    os.mkfifo(repository.root / "pipe")
    repository.git("config", "diff.orderFile", "pipe")
    repository.write("a.py", "second")
    repository.git("add", "a.py")

    done = git_process.run(repository.root, "diff", "--cached", "--name-only", timeout=5)
    assert done.stdout == b"a.py\n"


def test_a_submodule_and_a_linked_worktree_are_known_to_their_repository(
    repository: Repository, tmp_path: Path
) -> None:
    repository.write("a.py", "first")
    repository.commit()
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"))
    repository.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repository.root), "inner")

    for top in (repository.root, tmp_path / "linked", repository.root / "inner"):
        own = git_process.own_repository(top)
        assert (own / "HEAD").is_file() and (git_process.shared_repository(own) / "objects").is_dir()
        assert git.tracked_paths(top), top


def test_a_git_folder_elsewhere_counts_once_it_names_the_working_tree(repository: Repository, tmp_path: Path) -> None:
    apart, top = tmp_path / "apart", tmp_path / "top"
    repository.git("init", "-q", f"--separate-git-dir={apart}", str(top))
    with pytest.raises(git_process.Refused, match=r"core\.worktree"):
        git_process.own_repository(top)
    repository.git("config", "--file", str(apart / "config"), "core.worktree", str(top))

    assert git_process.own_repository(top).samefile(apart)


def test_a_working_tree_that_a_repository_puts_elsewhere_does_not_count(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "theirs.py").touch()
    repository.write("ours.py", "x")
    repository.git("config", "core.worktree", str(tmp_path / "elsewhere"))

    assert git_process.run(repository.root, "ls-files", "--others").stdout == b"ours.py\n"


def test_an_empty_git_folder_inside_of_a_repository_is_passed_over(repository: Repository) -> None:
    repository.write("inner/a.py", "x")
    repository.commit()
    (repository.root / "inner" / ".git").mkdir()

    assert git_process.run(repository.root / "inner", "ls-files").stdout == b"a.py\n"


def test_a_bare_repository_inside_of_a_working_tree_answers_for_itself(repository: Repository) -> None:
    bare = repository.root / "inner.git"
    repository.git("init", "-q", "--bare", str(bare))

    assert git_process.run(bare, "rev-parse", "--is-bare-repository").stdout.strip() == b"true"
