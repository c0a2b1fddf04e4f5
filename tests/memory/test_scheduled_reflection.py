"""Looking back by the clock: when it is time, and one at a time."""

import threading
from pathlib import Path

from clew.engine import Engine
from clew.memory.reflection import CLOCK, Looking
from clew.model.agents import Identity
from clew.model.memory import EpisodeType
from clew.store.database import Where
from clew.store.leases import REFLECTING, Leases, this_process
from tests.conftest import DAY_1, Repository
from tests.surfaces.processes import clew, mcp_on_pipes, serving

from .telling import a_draft

WHO = Identity("ann", "s1")
HOUR = 3_600_000_000
EDITS = 3


def edit(engine: Engine, times: int = EDITS) -> None:
    for n in range(times):
        engine.memory.journal.add(a_draft(f"edit {n}", EpisodeType.EDIT), WHO, DAY_1)


def looking(engine: Engine, name: str = "one", every: int = HOUR) -> Looking:
    leases = Leases(engine.db, Where(engine.where.project, 0))
    return Looking(engine.episodes, lambda: engine.memory.reflector, leases, this_process(name), every)


def reflections(engine: Engine) -> list[str]:
    return [one.draft.content for one in engine.episodes.latest(100, agent=CLOCK.agent_id)]


def test_it_is_time_when_something_came_and_the_last_time_is_long_ago(engine: Engine) -> None:
    look = looking(engine).look

    assert look(DAY_1) is None, "there is nothing to look back on"
    edit(engine)
    first = look(DAY_1)
    assert first is not None and [one.kind for one in first.patterns] == ["hotspot"]
    assert look(DAY_1 + 2 * HOUR) is None, "nothing came since"
    edit(engine, 1)
    assert look(DAY_1 + HOUR // 2) is None, "too early"
    assert look(DAY_1 + 2 * HOUR) is not None
    assert len(reflections(engine)) == 2
    assert [one.strength for one in engine.learnings.current(9)] == [2]


def test_who_comes_while_another_looks_back_leaves_it(engine: Engine) -> None:
    edit(engine)
    leases = Leases(engine.db, Where(engine.where.project, 0))
    held = leases.acquire(REFLECTING, this_process("other"), DAY_1)
    assert held is not None

    assert looking(engine).look(DAY_1) is None
    leases.release(held, DAY_1)
    assert looking(engine).look(DAY_1) is not None


def test_many_at_once_reflect_once(engine: Engine) -> None:
    edit(engine)
    lookers = [looking(engine, f"{n}") for n in range(6)]
    threads = [threading.Thread(target=one.look, args=(DAY_1,)) for one in lookers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(reflections(engine)) == 1
    assert [one.strength for one in engine.learnings.current(9)] == [1]


def test_servers_look_back_by_the_clock_and_commands_do_not(
    repository: Repository, backend: str, tmp_path: Path
) -> None:
    repository.write("a.py", "x = 1\n")
    repository.configure("[memory]\nreflect_every_minutes = 0.005\n")
    with Engine.open(repository.root) as engine:
        engine.index()
        edit(engine)
        clew("memory", "list", cwd=repository.root)
        assert reflections(engine) == []

        with (
            serving(repository.root, tmp_path / "serve.log") as server,
            mcp_on_pipes(repository.root, tmp_path / "mcp.log") as pipes,
        ):
            pipes.greet()
            pipes.call("graph_health")
            server.post("graph_health", {})
            for _ in range(200):
                if reflections(engine):
                    break
                threading.Event().wait(0.05)

        assert len(reflections(engine)) == 1, "two servers, one reflection"
