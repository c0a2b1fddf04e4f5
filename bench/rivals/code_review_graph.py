"""code-review-graph: its command builds the graph, its search tool answers with nodes; no embeddings (they need torch
or a service)."""

import os
import subprocess
import sys
from pathlib import Path

from bench.rivals.talk import Found, Ready, serve


def prepare(root: Path, scratch: Path) -> Ready:
    data = scratch / "graph"
    os.environ["CRG_DATA_DIR"] = str(data)
    program = Path(sys.executable).with_name("code-review-graph")
    command: list[str | Path] = [
        program,
        "build",
        "--repo",
        root,
        "--data-dir",
        data,
        "-q",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"build failed: {done.stderr.strip()[-300:]}")
    from code_review_graph.tools import semantic_search_nodes

    def ask(query: str, limit: int) -> list[Found]:
        answer = semantic_search_nodes(query, limit=limit, repo_root=str(root))
        return [_found(root, node) for node in answer["results"]]

    return Ready(ask, (data,), "full text of names and signatures, no embeddings")


def _found(root: Path, node: dict[str, object]) -> Found:
    path = Path(str(node["file_path"]))
    name = path.relative_to(root) if path.is_absolute() else path
    is_file = node["kind"] == "File"
    return Found(name.as_posix(), *(0, 0) if is_file else (int(str(node["line_start"])), int(str(node["line_end"]))))


if __name__ == "__main__":
    serve(prepare)
