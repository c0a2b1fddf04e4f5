"""Questions in plain words: what does something comes before what only declares it, and before settings and logs."""

import pytest

from clew.engine import Engine
from clew.model.search import Query
from clew.retrieve.file_role import SHARES, FileRole, shares
from clew.retrieve.question import understand
from clew.retrieve.search import RERANKED_BY_OWN, RERANKED_FOR_PLAIN
from tests.conftest import Repository
from tests.views import search

DECLARED = {
    "kept.go": "package kept\n\ntype Snapshot string\n",
    "kept.rs": "pub struct Snapshot(u8);\n",
    "kept.ts": "export interface Snapshot {\n  old: boolean;\n}\n",
    "kept.py": "def snapshot(tree): ...\n",
}
DONE = {
    "go": "package kept\n\nfunc forget(all []Name) {\n\tfor _, snapshot := range all {\n\t\tdrop(snapshot)\n\t}\n}\n",
    "rs": "fn forget(all: Vec<Name>) {\n    for snapshot in all {\n        drop(snapshot);\n    }\n}\n",
    "ts": "export function forget(all) {\n  for (const snapshot of all) {\n    drop(snapshot);\n  }\n}\n",
    "py": "def forget(all):\n    for snapshot in all:\n        drop(snapshot, by=age)\n",
}
ASKED = "how does it come that a snapshot is no longer there"


def kept(engine: Engine, question: str) -> dict[str, float]:
    """Of each file, the most that any of its chunks keeps of its score."""
    corpus = engine._corpora.current()
    (found,), (part,) = shares(corpus, understand(question)), corpus.parts
    most: dict[str, float] = {}
    for file, share in zip(part.postings.file_of.tolist(), found[:].tolist(), strict=True):
        path = part.postings.paths[file]
        most[path] = max(share, most.get(path, 0.0))
    return most


@pytest.mark.parametrize("path", DECLARED)
def test_what_only_declares_keeps_less_of_its_score(repository: Repository, engine: Engine, path: str) -> None:
    done = f"done.{path[-2:]}"
    repository.write(path, DECLARED[path])
    repository.write(done, DONE[path[-2:]])
    engine.index()

    assert kept(engine, ASKED) == {path: SHARES[FileRole.DECLARED], done: 1.0}
    assert kept(engine, "snapshot is no longer there") == {path: 1.0, done: 1.0}


def test_settings_and_logs_of_changes_come_behind_code(repository: Repository, engine: Engine) -> None:
    repository.write("settings.toml", "[config]\nfile = 'changes'\nnoticed = true\n")
    repository.write("CHANGELOG.md", "# Changes\n\n## 1.0\n\n- Changes of the config file are noticed.\n")
    repository.write("watch.py", "def changes(config):\n    while noticed(config.file):\n        reload(config.file)\n")
    engine.index()

    assert search(engine, "how are changes of the config file noticed")[0].path == "watch.py"
    assert search(engine, "config file changes changelog")[0].path != "watch.py"


def test_vectors_look_at_more_of_what_has_a_word_of_it(repository: Repository, engine: Engine) -> None:
    for number in range(RERANKED_FOR_PLAIN + 40):
        repository.write(
            f"shop{number}.py", f"def charge_{number}(shop):\n    return take(shop.cards, shop, {number})\n"
        )
    engine.index()

    def compared(question: str) -> int:
        hits = engine.search(Query(question, 300)).hits
        return sum(any(reason.retriever == "semantic" for reason in hit.reasons) for hit in hits)

    assert compared("shop cards are charged") == RERANKED_BY_OWN
    assert compared("how is it that shop cards are charged") >= RERANKED_FOR_PLAIN
