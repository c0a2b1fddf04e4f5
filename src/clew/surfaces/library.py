"""The library: every tool is a method of the same name, which returns typed values and raises."""

import logging
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from msgspec import structs

from clew.engine import Engine, new_id
from clew.model.errors import ClewError, InvalidInput
from clew.model.run import Mode, Progress, RunReport
from clew.model.search import Hit, Query, Scope
from clew.pack.tasks import PackTask, TaskContext
from clew.runtime.paths import parse_path
from clew.surfaces import identity
from clew.tools import TOOLS, Tool
from clew.tools.answer import Caller, fit_result, perform
from clew.tools.briefing import task_context
from clew.tools.registry import ALIASES, find
from clew.workspaces import Workspaces

log = logging.getLogger(__name__)

DEFAULT_LIMIT = 10


class Workspace:
    """One project, opened. Use it as a context manager, or close it."""

    def __init__(self, workspaces: Workspaces, *, read_only: bool) -> None:
        self._workspaces = workspaces
        self._caller = Caller(workspaces, read_only, identity.of_process(os.environ, "library", new_id()))

    @classmethod
    def open(cls, path: str | Path = ".", *, read_only: bool = False) -> "Workspace":
        workspaces = Workspaces(parse_path(str(path)), read_only=read_only)
        engine = workspaces.get()  # a project that cannot be opened is reported now
        for notice in engine.place.notices:
            log.warning("%s", notice)
        return cls(workspaces, read_only=read_only)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """The tool of this name, as a method."""
        if name not in TOOLS and name not in ALIASES:
            raise AttributeError(f"a workspace has no attribute or tool {name!r}")
        return partial(self._call, find(name))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *TOOLS]

    @property
    def engine(self) -> Engine:
        return self._workspaces.get()

    @property
    def root(self) -> Path:
        return self.engine.place.root

    @property
    def notices(self) -> tuple[str, ...]:
        """The parts of the repository that are ignored because the user does not trust it; empty in most projects."""
        return self.engine.place.notices

    def index(self, *, full: bool = False, report: Callable[[Progress], None] | None = None) -> RunReport:
        """Bring the index up to date; `full` reads every file again. The first time, everything is read."""
        mode = Mode.FULL if full else Mode.INCREMENTAL
        return self.engine.index(mode, report) if report else self.engine.index(mode)

    def search(self, query: str, *, limit: int = DEFAULT_LIMIT, scope: Scope | None = None) -> list[Hit]:
        """`query_context` for people: the best hits, without a budget or a threshold."""
        if limit < 1:
            raise InvalidInput(f"limit is {limit}, and must be at least 1")
        return list(self.engine.search(Query(query, limit, scope or Scope())).hits)

    def get_task_context(self, task: PackTask) -> TaskContext:
        """What Clew knows about a task; where it fails and `fallback_enabled` is set, the caller goes on without."""
        try:
            return task_context(self.engine, task, self._caller.identity)
        except ClewError as error:
            if not self.engine.config.fallback_enabled:
                raise
            log.warning("task %s goes on without context: %s", task.id, error.message)
            return TaskContext.empty(task.id)

    def close(self) -> None:
        self._workspaces.close()

    def _call(self, tool: Tool, *positional: Any, **arguments: Any) -> Any:
        """Positional arguments are the tool's own, in the order of its signature."""
        names = [field.name for field in structs.fields(tool.params)]
        given = dict(zip(names, positional, strict=False))
        if len(positional) > len(names) or given.keys() & arguments.keys():
            raise InvalidInput(f"{tool.name} takes {', '.join(names)}, each once")
        return fit_result(perform(self._caller, tool.name, {**given, **arguments}))
