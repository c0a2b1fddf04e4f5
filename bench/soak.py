"""Ten minutes of a hard life, then the verdict: `python -m bench.soak [--seconds 600] [--postgres]`.

One working tree is edited, renamed, committed, rebased and switched between branches while two watchers, a server, a
client that asks and one that writes work on it. In turn each process is killed, all of them are, the disk is full, and
the disk is read-only; on PostgreSQL the server crashes, too. In the end the index must equal one made from nothing, and
each acknowledged write must be there. Disks can only be filled by root, who may mount one in memory.
"""

import argparse
import itertools
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.cluster import Cluster, temporary_cluster

import clew
from bench import views, worlds
from bench.hosts import Hosts
from bench.measure import percentile
from bench.worlds import World
from clew.engine import Engine
from clew.model.errors import ClewError
from clew.model.search import Query
from clew.surfaces.library import Workspace

SIZE_MB = 900  # of the disk in memory
FILES = 240
QUESTIONS = 20
FAULT_SECONDS = 8.0  # that a disk is full or read-only
BETWEEN = 6.0  # seconds from one fault to the next
SETTLE = 120.0  # seconds that processes have to end, or to make something whole
OTHERS = 0.3  # of the files differ between the two branches
MARK = "CLEW_SOAK"  # the variable that all processes of this run have, however they were started
NAMESPACE = "CLEW_SOAK_MOUNTED"
MOST_SHOWN = 25


@dataclass(slots=True)
class Report:
    edits: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    said: Counter[str] = field(default_factory=Counter)
    acknowledged: int = 0
    seconds: dict[str, list[float]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)


class Processes:
    """The clients of the tree, started again whenever they are gone."""

    def __init__(self, root: Path, logs: Path, environ: Mapping[str, str], report: Report) -> None:
        self._root, self._logs, self._report = root, logs, report
        self._environ = environ
        clew_here = [sys.executable, "-m", "clew", "-C", str(root)]
        role = [sys.executable, "-m", "bench.soak", "--root", str(root), "--logs", str(logs), "--role"]
        self._commands = {
            "watcher 1": [*clew_here, "watch"],
            "watcher 2": [*clew_here, "watch"],
            "server": [*clew_here, "serve", "--port", "0", "--quiet"],
            "asker": [*role, "ask"],
            "writer": [*role, "write"],
        }
        self._alive: dict[str, subprocess.Popen[bytes]] = {}
        self._unlucky: set[str] = set()  # those that were started while the disk or the server failed
        self.names = tuple(self._commands)

    def supervise(self, *, calm: bool = True) -> None:
        """Start what is gone; while the disk is as it should be, nothing may end by itself that was started then."""
        for name, command in self._commands.items():
            known = self._alive.get(name)
            if known is not None and known.poll() is None:
                continue
            if known is not None and calm and name not in self._unlucky:
                self._report.wrong.append(f"{name} ended by itself with {known.returncode}: {self._tail(name)}")
            (self._unlucky.discard if calm else self._unlucky.add)(name)
            with (self._logs / f"{name}.err").open("ab") as said:
                self._alive[name] = subprocess.Popen(
                    command, env=self._environ, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said
                )

    def kill(self, name: str) -> None:
        if process := self._alive.pop(name, None):
            process.kill()
            process.wait()

    def kill_all(self) -> None:
        """Also workers and what runs in the background."""
        while found := list(self._family()):
            for process in found:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            for known in self._alive.values():
                known.wait()
            self._alive.clear()
            time.sleep(0.05)

    def stop(self) -> None:
        """As a user does; each ends by itself, and in time."""
        for process in self._alive.values():
            process.terminate()
        for name, process in self._alive.items():
            try:
                process.wait(SETTLE)
            except subprocess.TimeoutExpired:
                self._report.wrong.append(f"{name} does not end when it is asked to")
        self._alive.clear()
        deadline = time.monotonic() + SETTLE
        while list(self._family()) and time.monotonic() < deadline:
            time.sleep(0.2)
        if left := list(self._family()):
            self._report.wrong.append(f"{len(left)} processes go on in the background")
        self.kill_all()

    def tracebacks(self) -> Iterator[str]:
        for file in sorted(self._logs.glob("*.err")):
            said = file.read_text("utf-8", "replace")
            if "Traceback" in said:
                lines = [line for line in said.splitlines() if line and not line.startswith(" ")]
                at = next(n for n, line in enumerate(lines) if "Traceback" in line)
                first = " / ".join(lines[at : at + 4])
                yield f"{file.stem}: {said.count('Traceback')} tracebacks, the first one: {first}"

    def _tail(self, name: str) -> str:
        return (self._logs / f"{name}.err").read_text("utf-8", "replace")[-400:]

    def _family(self) -> Iterator[int]:
        """Processes that have the variable of this run in their environment; this one has not."""
        mine = f"{MARK}={self._environ[MARK]}\0".encode()
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mine in (folder / "environ").read_bytes() and b") Z " not in (folder / "stat").read_bytes():
                    yield int(folder.name)


class Editor:
    """Changes a tree as people, editors and git do."""

    def __init__(self, world: World, chance: random.Random, report: Report) -> None:
        self._world, self._chance, self._report = world, chance, report
        self._renamed = itertools.count()

    def prepare(self) -> None:
        """A second branch that differs in many files."""
        _git(self._world, "switch", "--quiet", "--create", "other")
        for number in self._chance.sample(range(self._world.size), int(OTHERS * self._world.size)):
            self._world.edit(number, self._chance)
        self._world.commit()
        _git(self._world, "switch", "--quiet", "-")
        _git(self._world, "branch", "--move", "main")

    def act(self) -> None:
        deeds: tuple[tuple[Callable[[], None], int], ...] = (
            (self._edit, 12), (self._edit_many, 2), (self._save_by_rename, 4), (self._rename, 3), (self._commit, 2),
            (self._switch, 2), (self._rebase, 1), (self._delete_folder, 1), (self._restore, 1),
        )  # fmt: skip
        deed = self._chance.choices([one for one, _ in deeds], [weight for _, weight in deeds])[0]
        try:
            deed()
        except OSError as error:  # the disk is full or read-only, or another deed removed the file
            self._report.edits[f"refused: {error.strerror}"] += 1
        else:
            self._report.edits[deed.__name__.strip("_").replace("_", " ")] += 1

    def _number(self) -> int:
        return self._chance.randrange(self._world.size)

    def _edit(self) -> None:
        self._world.edit(self._number(), self._chance)

    def _edit_many(self) -> None:
        for _ in range(self._world.size // 5):
            self._edit()

    def _save_by_rename(self) -> None:
        path = self._world.path(self._number())
        part = path.with_name(f".{path.name}.swp~")
        part.write_text(path.read_text("utf-8") + f"\n# {self._chance.random()}\n", "utf-8")
        part.replace(path)

    def _rename(self) -> None:
        path = self._world.path(self._number())
        path.rename(path.with_name(f"renamed_{next(self._renamed)}{path.suffix}"))

    def _commit(self) -> None:
        self._world.commit()

    def _switch(self) -> None:
        _git(self._world, "checkout", "--quiet", "--force", self._chance.choice(("main", "other")))

    def _rebase(self) -> None:
        self._world.commit()
        _git(self._world, "rebase", "--quiet", "-X", "theirs", "main")
        _git(self._world, "rebase", "--abort")

    def _delete_folder(self) -> None:
        folder = self._world.path(self._number()).parent
        for file in sorted(folder.iterdir()):
            file.unlink(missing_ok=True)

    def _restore(self) -> None:
        _git(self._world, "reset", "--quiet", "--hard")


@dataclass(frozen=True, slots=True)
class Soak:
    world: World
    disk: Path
    processes: Processes
    editor: Editor
    report: Report
    environ: Mapping[str, str]
    cluster: Cluster | None
    chance: random.Random
    disk_can_fail: bool

    def run(self, seconds: float) -> None:
        self.processes.supervise()
        over = time.monotonic() + seconds
        for fault in itertools.cycle(self._faults()):
            self._live(min(BETWEEN, over - time.monotonic()))
            if time.monotonic() >= over:
                return
            fault()
            self.report.faults[fault.__name__.strip("_").replace("_", " ")] += 1

    def _faults(self) -> list[Callable[[], None]]:
        faults: list[Callable[[], None]] = [self._kill(name) for name in self.processes.names]
        faults.append(self._kill_everything)
        if self.disk_can_fail:
            faults += [self._fill_the_disk, self._make_the_disk_read_only]
        if self.cluster:
            faults.append(self._crash_the_database)
        return faults

    def _live(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.editor.act()
            self.processes.supervise()
            time.sleep(self.chance.uniform(0.02, 0.6))

    def _kill(self, name: str) -> Callable[[], None]:
        def kill() -> None:
            self.processes.kill(name)

        kill.__name__ = f"kill the {name}"
        return kill

    def _kill_everything(self) -> None:
        self.processes.kill_all()

    def _fill_the_disk(self) -> None:
        ballast = self.disk / "ballast"
        with ballast.open("wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                with suppress(OSError):
                    while file.write(bytes(size)) == size:
                        pass
        self._endure()
        ballast.unlink()
        self.processes.supervise(calm=False)

    def _make_the_disk_read_only(self) -> None:
        """No process may have a file open for writing then: all are killed first."""
        self.processes.kill_all()
        _mount("-o", "remount,ro", str(self.disk))
        try:
            self._endure()
            self._ask_once()
        finally:
            self.processes.kill_all()
            _mount("-o", "remount,rw", str(self.disk))

    def _crash_the_database(self) -> None:
        assert self.cluster
        self.cluster.crash()
        time.sleep(self.chance.uniform(0, 3))
        self.cluster.start()
        self.processes.supervise(calm=False)

    def _endure(self) -> None:
        until = time.monotonic() + FAULT_SECONDS
        while time.monotonic() < until:
            self.editor.act()
            self.processes.supervise(calm=False)
            time.sleep(0.5)

    def _ask_once(self) -> None:
        """A question is answered, or refused with a reason; nothing is written in silence."""
        for arguments in (("search", "check the balance"), ("memory", "list"), ("index",)):
            done = _clew(self.world, self.environ, *arguments)
            self.report.said[f"read-only: {arguments[0]} ends with {done.returncode}"] += 1
            if done.returncode not in (0, 6) or "Traceback" in done.stderr:
                self.report.wrong.append(f"read-only: {arguments[0]} says {done.returncode} {done.stderr[-400:]}")


def main() -> None:
    options = _options()
    if options.role:
        ROLES[options.role](Path(options.root), Path(options.logs))
        return
    mounted = os.environ.get(NAMESPACE)
    if mounted is None and os.getuid() == 0:
        os.environ[NAMESPACE] = "1"
        command = ["unshare", "--mount", sys.executable, "-m", "bench.soak", *sys.argv[1:]]
        os.execvp(command[0], command)
    report = Report()
    engine = "PostgreSQL" if options.postgres else "SQLite"
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, seed {options.seed}, {engine}", flush=True)
    with tempfile.TemporaryDirectory(prefix="clew-soak-") as scratch, ExitStack() as open_parts:
        if mounted:
            open_parts.enter_context(_disk(Path(scratch) / "disk"))
        _soak(Path(scratch), options, report, open_parts)
    for title, counted in (("edits", report.edits), ("faults", report.faults), ("answers", report.said)):
        print(f"{title}: {', '.join(f'{count} {name}' for name, count in counted.most_common())}")
    for kind, taken in report.seconds.items():
        shares = [percentile(taken, share) for share in (0.5, 0.95, 1.0)]
        print(f"{kind:10} {len(taken):5}  p50 {shares[0]:.2f} s  p95 {shares[1]:.2f} s  longest {shares[2]:.2f} s")
    for fault, count in Counter(report.wrong).most_common(MOST_SHOWN):
        print(f"  wrong ({count} times): {fault}")
    verdict = f"{len(report.wrong)} faults" if report.wrong else "good"
    print(f"{report.acknowledged} acknowledged writes; verdict: {verdict}", flush=True)
    sys.exit(bool(report.wrong))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--files", type=int, default=FILES)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--postgres", action="store_true", help="A server instead of the file.")
    for hidden in ("role", "root", "logs"):
        parser.add_argument(f"--{hidden}", help=argparse.SUPPRESS)
    return parser.parse_args()


def _soak(scratch: Path, options: argparse.Namespace, report: Report, open_parts: ExitStack) -> None:
    chance = random.Random(options.seed)
    disk, logs = scratch / "disk", scratch / "logs"
    disk.mkdir(exist_ok=True)
    logs.mkdir()
    world = worlds.build(disk / "world", options.files, options.seed)
    plain = {name: value for name, value in os.environ.items() if not name.startswith("CLEW_")}
    environ = plain
    cluster = None
    if options.postgres:
        cluster = open_parts.enter_context(temporary_cluster(durable=True))
        environ = {**plain, **Hosts.prepare(cluster, [world]).environ}
    environ = {**environ, MARK: f"{os.getpid()}"}
    editor = Editor(world, chance, report)
    editor.prepare()
    processes = Processes(world.root, logs, environ, report)
    soak = Soak(
        world, disk, processes, editor, report, environ, cluster, chance, NAMESPACE in os.environ
    )  # fmt: skip
    try:
        soak.run(options.seconds)
        processes.stop()
    finally:
        processes.kill_all()
    report.wrong += processes.tracebacks()
    report.wrong += _left_faults(world, environ, plain, scratch, options.seed)
    report.wrong += _lost(world, environ, logs, report)
    _count_said(logs, report)


def _left_faults(
    world: World, environ: Mapping[str, str], plain: Mapping[str, str], scratch: Path, seed: int
) -> Iterator[str]:
    done = _clew(world, environ, "index", "--quiet")
    if done.returncode:
        yield f"the last index run says {done.returncode} {done.stderr[-600:]}"
    elsewhere = {**plain, "CLEW_STORAGE_DB_PATH": str(scratch / "fresh" / "clew.db")}
    questions = worlds.questions(QUESTIONS, seed)
    with Engine.open(world.root, environ=environ) as engine, Engine.open(world.root, environ=elsewhere) as fresh:
        fresh.index()
        yield from views.faults(engine, worlds.WORDS[0])
        yield from views.differences(views.view(engine, questions), views.view(fresh, questions))


def _lost(world: World, environ: Mapping[str, str], logs: Path, report: Report) -> Iterator[str]:
    """Everything that agents wrote is in an export, and so must each acknowledged write be."""
    log = logs / "acknowledged"
    written = [line.split() for line in log.read_text("ascii").splitlines()] if log.exists() else []
    report.acknowledged = len(written)
    target = logs / "export.jsonl"
    done = _clew(world, environ, "export", str(target))
    if done.returncode:
        yield f"export says {done.returncode} {done.stderr[-400:]}"
        return
    kept = target.read_text("utf-8")
    for kind, mark, took in written:
        report.seconds.setdefault(kind, []).append(float(took))
        if mark not in kept:
            yield f"an acknowledged {kind} is lost: {mark}"
        elif kind == "episode" and kept.count(f'"about {mark}"') != 1:
            yield f"an episode is there {kept.count(mark)} times: {mark}"


def _count_said(logs: Path, report: Report) -> None:
    answered = logs / "answered"
    for line in answered.read_text("ascii").splitlines() if answered.exists() else ():
        kind, took = line.split()
        report.seconds.setdefault(kind, []).append(float(took))
    for file in sorted(logs.glob("*.said")):
        for line in file.read_text("utf-8", "replace").splitlines():
            kind, _, text = line.partition(" ")
            if kind == "wrong":
                report.wrong.append(f"{file.stem}: {text}")
            else:
                report.said[f"{file.stem}: {line}"] += 1


def _write(root: Path, logs: Path) -> None:
    """Writes of each kind. A write is noted when it was acknowledged, on a disk that does not fail."""
    for number in itertools.count():
        mark = f"w{os.getpid()}x{time.time_ns()}"
        with _noted(logs / "writer.said"), clew.open(root) as project:
            for kind, write in _writes(project, mark, number).items():
                started = time.monotonic()
                write()
                with (logs / "acknowledged").open("a", encoding="ascii") as log:
                    log.write(f"{kind} {mark}{kind} {time.monotonic() - started:.3f}\n")
                    log.flush()
                    os.fsync(log.fileno())
        time.sleep(0.05)


def _writes(project: Workspace, mark: str, number: int) -> dict[str, Callable[[], object]]:
    target = f"new/{mark}claim.py"
    return {
        "episode": lambda: project.episode_add("OBSERVATION", f"about {mark}episode", key=f"{mark}episode"),
        "task": lambda: project.task_update(f"{mark}task", title=f"task {number}"),
        "claim": lambda: project.agent_claim(target, intent="to write it"),
        "fact": lambda: project.add_fact(f"{mark}fact", "is", "kept", valid_from="2026-01-01"),
        "release": lambda: project.agent_release(target, outcome=f"done {mark}release"),
    }


def _ask(root: Path, logs: Path) -> None:
    """Questions; an edit that was made before a question is in its answer, or the answer says that it may not be."""
    chance = random.Random(os.getpid())
    while True:
        with _noted(logs / "asker.said"), clew.open(root) as project:
            for _ in range(10):
                for question in worlds.questions(2, chance.randrange(10**9)):
                    _timed(logs, "search", partial(project.engine.search, Query(question, 10)))
                _timed(logs, "edit", partial(_look_for_an_edit, project, root, logs))
                task = "check the balance of an account"
                _timed(logs, "pack", partial(project.context_pack, task=task, max_tokens=800))
                time.sleep(0.2)


def _timed(logs: Path, kind: str, ask: Callable[[], object]) -> None:
    started = time.monotonic()
    ask()
    with (logs / "answered").open("a", encoding="ascii") as log:
        log.write(f"{kind} {time.monotonic() - started:.3f}\n")


def _look_for_an_edit(project: Workspace, root: Path, logs: Path) -> None:
    name = f"seen_{os.getpid()}_{time.time_ns()}"
    file = root / f"probe_{os.getpid()}.py"
    try:
        file.write_text(f"def {name}():\n    return 1\n", "utf-8")
    except OSError:
        return
    results = project.engine.search(Query(name, 3))
    fresh = results.freshness
    told = fresh.pending or fresh.unchecked or results.coverage.indexing or fresh.newer
    still = file.is_file() and name in file.read_text("utf-8")
    if still and not told and not any(name in hit.text for hit in results.hits):
        _say(logs / "asker.said", f"wrong an edit is not in the answer, which does not say so: {fresh}")


@contextmanager
def _noted(log: Path) -> Iterator[None]:
    """Errors of Clew are answers; anything else is a fault."""
    try:
        yield
    except ClewError as error:
        _say(log, error.code)
        time.sleep(0.3)
    except Exception:  # noqa: BLE001 - whatever it is, it is what this run looks for
        _say(log, f"wrong {' / '.join(traceback.format_exc().strip().splitlines()[-4:])}")
        time.sleep(0.3)


def _say(log: Path, line: str) -> None:
    with log.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


ROLES: dict[str, Callable[[Path, Path], None]] = {"ask": _ask, "write": _write}


@contextmanager
def _disk(place: Path) -> Iterator[None]:
    place.mkdir()
    _mount("-t", "tmpfs", "-o", f"size={SIZE_MB}m", "tmpfs", str(place))
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=False)


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True)


def _git(world: World, *arguments: str) -> None:
    """Where other processes hold its lock, or there is nothing to do, git refuses, and that is no fault."""
    subprocess.run(["git", "-C", world.root, *arguments], capture_output=True, check=False)


def _clew(world: World, environ: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "clew", "-C", str(world.root), *arguments]
    return subprocess.run(command, env={**environ}, capture_output=True, encoding="utf-8", check=False)


if __name__ == "__main__":
    main()
