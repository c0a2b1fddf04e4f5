"""aider's repository map: the order of its ranked tags for what a question mentions, words and files by name."""

import os
import re
import subprocess
from pathlib import Path

from aider.io import InputOutput
from aider.repomap import RepoMap

from bench.rivals.talk import Found, Ready, serve

SHORTEST_STEM = 5  # of a file that a word alone mentions: shorter ones are words of every sentence


def prepare(root: Path, scratch: Path) -> Ready:
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True, check=True).stdout
    names = [name for name in listed.split("\0") if name and (root / name).is_file()]
    everything = [str(root / name) for name in names]
    os.chdir(scratch)
    repo_map = RepoMap(root=str(root), io=InputOutput(yes=True, pretty=False))

    def ask(query: str, limit: int) -> list[Found]:
        words = {*re.split(r"\W+", query)}
        return _found(repo_map.get_ranked_tags([], everything, _mentioned(names, query, words), words))

    ask("", 0)  # reads the tags of all files
    note = "ranked tags, no chat files; the whole map, before any budget"
    return Ready(ask, (root / repo_map.TAGS_CACHE_DIR,), note, limited=False)


def _mentioned(names: list[str], query: str, words: set[str]) -> set[str]:
    written = {*re.findall(r"[\w./-]+", query)}
    stems = {word.lower() for word in words if len(word) >= SHORTEST_STEM}
    return {name for name in names if name in written or Path(name).name in written or Path(name).stem.lower() in stems}


def _found(tags: list[tuple[str, str, int, str, str]] | list[tuple[str]]) -> list[Found]:
    """Lines of tags count from 0; a tag has only the first line of what it names."""
    places = [Found(tag[0], tag[2] + 1, tag[2] + 1) if len(tag) > 1 else Found(tag[0]) for tag in tags]
    return list(dict.fromkeys(places))


if __name__ == "__main__":
    serve(prepare)
