"""The commit that HEAD names, by git's own files: a question cannot wait for a process to say so."""

from pathlib import Path

from clew.runtime import git_process
from clew.runtime.plain import open_inside

MOST_BYTES = 64 * 1024  # of a file that names one commit or another file
MOST_PACKED = 64 * 1024 * 1024  # of the file that names all branches and tags


def read_tip(root: Path) -> str:
    """Its hash; empty where there is none yet, or the files do not tell."""
    try:
        folder = _folder(root)
        return _resolve_ref(folder, _read_inside(folder, "HEAD", MOST_BYTES).strip()) if folder else ""
    except (OSError, git_process.Refused):
        return ""


def _folder(root: Path) -> Path | None:
    """Git's own folder of this working tree."""
    for above in (root, *root.parents):
        if (above / ".git").exists():
            return git_process.own_repository(above)
    return None


def _read_inside(repository: Path, name: str, most: int) -> bytes:
    """A file of git; an `OSError` if a link on its way leads out of the repository."""
    with open_inside(repository, name) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(f"{name} has more than {most} bytes")
    return content


def _resolve_ref(folder: Path, head: bytes) -> str:
    if not head.startswith(b"ref:"):
        return head.decode("ascii", "replace")
    name = head.removeprefix(b"ref:").strip()
    if not name.startswith(b"refs/") or b".." in name.split(b"/"):
        return ""  # it would lead out of the repository
    shared = git_process.shared_repository(folder)
    for place in (folder, shared):
        loose = name.decode("utf-8", "surrogateescape")
        if (place / loose).is_file():
            return _read_inside(place, loose, MOST_BYTES).decode("ascii", "replace").strip()
    if (shared / "packed-refs").is_file():
        for line in _read_inside(shared, "packed-refs", MOST_PACKED).splitlines():
            sha, _, of = line.partition(b" ")
            if of == name:
                return sha.decode("ascii", "replace")
    return ""
