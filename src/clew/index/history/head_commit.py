"""The commit that HEAD names, by git's own files: a question cannot wait for a process to say so."""

from pathlib import Path

from clew.runtime import git_process
from clew.runtime.plain import read_plain

MOST_BYTES = 64 * 1024  # of a file that names one commit or another file
MOST_PACKED = 64 * 1024 * 1024  # of the file that names all branches and tags


def read_tip(root: Path) -> str:
    """Its hash; empty where there is none yet, or the files do not tell."""
    try:
        folder = _folder(root)
        return _resolve_ref(folder, read_plain(folder / "HEAD", MOST_BYTES).strip()) if folder else ""
    except (OSError, git_process.Refused):
        return ""


def _folder(root: Path) -> Path | None:
    """Git's own folder of this working tree."""
    for above in (root, *root.parents):
        if (above / ".git").exists():
            return git_process.own_repository(above)
    return None


def _resolve_ref(folder: Path, head: bytes) -> str:
    if not head.startswith(b"ref:"):
        return head.decode("ascii", "replace")
    name = head.removeprefix(b"ref:").strip()
    if not name.startswith(b"refs/") or b".." in name.split(b"/"):
        return ""  # it would lead out of the repository
    shared = git_process.shared_repository(folder)
    for place in (folder, shared):
        loose = place / name.decode("utf-8", "surrogateescape")
        if loose.is_file():
            return read_plain(loose, MOST_BYTES).decode("ascii", "replace").strip()
    packed = shared / "packed-refs"
    if packed.is_file():
        for line in read_plain(packed, MOST_PACKED).splitlines():
            sha, _, of = line.partition(b" ")
            if of == name:
                return sha.decode("ascii", "replace")
    return ""
