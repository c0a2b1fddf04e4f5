"""What is asked while an index is made leaves nothing behind that later questions wait for."""

from pathlib import Path

from clew.engine import Engine
from clew.model.run import Progress
from clew.store import heads

MANY = 300  # more than a question lays over a snapshot, and than a run leaves to it


def test_a_snapshot_that_was_made_while_files_were_read_is_made_anew_with_their_links(tmp_path: Path) -> None:
    for n in range(MANY):
        (tmp_path / f"m{n}.py").write_text(
            f"from m{(n + 1) % MANY} import g{(n + 1) % MANY}\n\n\ndef g{n}():\n    g{(n + 1) % MANY}()\n", "utf-8"
        )
    made: set[str] = set()

    def ask(progress: Progress) -> None:
        with Engine.open(tmp_path, environ={}) as other:
            if other.coverage().indexed == MANY:
                other.corpus()
                made.add(heads.read(folder).name)

    with Engine.open(tmp_path, environ={}) as engine:
        folder = heads.folder(engine.place.snapshots, engine.where)
        engine.index(report=ask)
        head, state = heads.read(folder), engine.checkouts.state(engine.where)

    assert made - {""}
    assert head.stamp == state.stamp
