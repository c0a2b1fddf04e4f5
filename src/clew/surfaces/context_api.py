"""Plain HTTP routes beside the tools: context by file and question, statistics, health and metrics."""

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from clew.engine import Engine
from clew.model.errors import ClewError, Denied, InvalidInput, NotFound
from clew.runtime.paths import from_root
from clew.runtime.plain import read_plain
from clew.runtime.settings import NO_MODEL
from clew.surfaces.metrics import RequestCounts
from clew.tools.answer import Caller, perform

_NAMESPACE = uuid.UUID("6f1d1a0c-6d0b-5f0e-9a53-1f0a1c1e0c1e")  # of the ids of files
MOST_K = 100

FilePath = Annotated[str, Meta(min_length=1, max_length=4096, description="A file of the project.")]


class AddContext(Struct, frozen=True, forbid_unknown_fields=True):
    file_path: FilePath
    lang: Annotated[str, Meta(max_length=100, description="Its language; only checked.")] = ""
    mime: Annotated[str, Meta(max_length=200, description="Accepted and not used: the content tells.")] = ""
    content: Annotated[str | None, Meta(description="Its content; must be what is on the disk.")] = None


class AddedContext(Struct, frozen=True):
    file_id: str
    chunks: int
    embeddings: int


class DeleteContext(Struct, frozen=True, forbid_unknown_fields=True):
    file_path: FilePath


class DeletedContext(Struct, frozen=True):
    """`reason` says why nothing was deleted."""

    deleted: bool
    reason: str = ""


class QueryFilters(Struct, frozen=True, forbid_unknown_fields=True):
    lang: Annotated[str, Meta(max_length=100)] = ""
    kind: Annotated[str, Meta(max_length=100)] = ""
    path_glob: Annotated[str, Meta(max_length=4096)] = ""


NO_FILTERS = QueryFilters()


class QueryBody(Struct, frozen=True, forbid_unknown_fields=True):
    q: Annotated[str, Meta(min_length=1, max_length=100_000, description="The question.")]
    k: Annotated[int, Meta(ge=1, le=MOST_K, description="Number of results.")] = 12
    model: Annotated[str, Meta(max_length=200, description="Must be the project's embedding model.")] = ""
    filters: QueryFilters = NO_FILTERS
    mmr_lambda: Annotated[Annotated[float, Meta(ge=0, le=1)] | None, Meta(description="Must be query.mmr_lambda.")] = (
        None
    )


class QueryHit(Struct, frozen=True):
    chunk_id: str
    score: float
    file_path: str
    label: str
    kind: str
    language: str
    first_line: int
    last_line: int
    snippet: str


class QueryAnswer(Struct, frozen=True):
    q_embed_model: str
    total: int
    hits: tuple[QueryHit, ...]


def add_context(caller: Caller, body: AddContext) -> AddedContext:
    """Index one file as it is on the disk."""
    engine = caller.workspaces.get()
    engine.be_writable()
    path = _path(engine, body.file_path)
    file = engine.place.root / path
    if not file.is_file():
        hint = "Write the file first: Clew indexes files, and never writes them."
        raise NotFound(f"there is no file {path!r}", hint)
    if body.content is not None and not _is_content(file, body.content.encode("utf-8", "replace")):
        hint = "Write the content to the file, then call again, with the content or without."
        raise InvalidInput(f"the content is not that of {path!r} on the disk", hint)
    engine.index() if not engine.keeps_fresh() else engine.refresh(patient=True)
    found = engine.files.sheet(path)
    if found is None:
        engine.index()
        found = engine.files.sheet(path)
    if found is None:
        raise InvalidInput(f"{path!r} does not belong to the index", f"`clew check-file {path}` says why.")
    if body.lang and body.lang != found.version.language:
        raise InvalidInput(f"{path!r} is {found.version.language}, not {body.lang}", "Leave out lang: the file tells.")
    chunks = len(found.layout.chunks)
    embedded = chunks if engine.config.embedding.model != NO_MODEL else 0
    return AddedContext(str(uuid.uuid5(_NAMESPACE, f"{engine.project_id}/{path}")), chunks, embedded)


def delete_context(caller: Caller, body: DeleteContext) -> DeletedContext:
    """Take a file that is gone out of the index; one that is still there stays, with the reason."""
    engine = caller.workspaces.get()
    engine.be_writable()
    path = _path(engine, body.file_path)
    if (engine.place.root / path).exists():
        return DeletedContext(False, "the file is still in the tree; delete it, or name it in .contextignore")
    known = bool(engine.files.history(path))
    engine.refresh(patient=True)
    if path in engine.files.current():
        engine.index()
    if not known:
        return DeletedContext(False, "the file was never indexed")
    return DeletedContext(path not in engine.files.current())


def query_context(caller: Caller, body: QueryBody) -> QueryAnswer:
    """The best places for a question, as the tool of this name ranks them."""
    engine = caller.workspaces.get()
    settings = engine.config
    model = settings.embedding.model
    if body.model and body.model != model:
        raise InvalidInput(f"this project is embedded by {model!r}", "Leave out model, or set embedding.model.")
    if body.mmr_lambda is not None and body.mmr_lambda != settings.query.mmr_lambda:
        hint = "Leave out mmr_lambda, or set query.mmr_lambda in the configuration."
        raise InvalidInput(f"mmr_lambda is {settings.query.mmr_lambda} in this project", hint)
    scope = {
        "languages": [body.filters.lang] if body.filters.lang else [],
        "kinds": [body.filters.kind] if body.filters.kind else [],
        "paths": [body.filters.path_glob] if body.filters.path_glob else [],
    }
    wanted = {"query": body.q, "k": body.k, "scope": scope, "explain": True, "max_tokens": 1_000_000}
    result: Any = perform(caller, "query_context", wanted).result
    hits = tuple(
        QueryHit(
            one.chunk_id, round(one.score, 4), one.file_path, one.label, one.kind, one.language, one.first_line,
            one.last_line, one.snippet,
        )
        for one in result.hits
    )  # fmt: skip
    return QueryAnswer("" if model == NO_MODEL else model, result.total, hits)


def stats(caller: Caller) -> object:
    """The answer of `get_context_stats`."""
    return perform(caller, "get_context_stats", {}).result


def readiness(caller: Caller) -> tuple[bool, str]:
    """Whether questions can be answered, and else why not."""
    try:
        engine = caller.workspaces.get(create=False)
        coverage = engine.coverage()
    except ClewError as error:
        return False, error.code
    return (True, "ready") if coverage.indexed else (False, "indexing" if coverage.indexing else "empty")


def metrics(caller: Caller, counted: RequestCounts) -> str:
    """In Prometheus' text format."""
    engine = caller.workspaces.get()
    coverage, watched = engine.coverage(), engine.watch_status()
    gauges = {
        "clew_index_files": coverage.indexed,
        "clew_index_files_seen": coverage.seen,
        "clew_index_runs": engine.transactions.count(),
        "clew_index_errors": len(engine.file_errors.all()),
        "clew_index_linked": int(engine.checkouts.state(engine.where).linked),
        "clew_database_bytes": engine.db.size(),
        "clew_watcher_active": int(watched.state != "not_started"),
        "clew_watcher_pending_changes": watched.pending,
        "clew_jobs_active": len(engine.jobs.active()),
    }
    lines = [line for name, value in gauges.items() for line in (f"# TYPE {name} gauge", f"{name} {value}")]
    return "\n".join([*lines, *counted.lines(), ""])


Route = tuple[type[Struct], Callable[[Caller, Any], object], type[Struct]]
ROUTES: dict[str, Route] = {
    "/add_context": (AddContext, add_context, AddedContext),
    "/delete_context": (DeleteContext, delete_context, DeletedContext),
    "/query_context": (QueryBody, query_context, QueryAnswer),
}
WRITING = frozenset({"/add_context", "/delete_context"})


def _is_content(file: Path, content: bytes) -> bool:
    try:
        return read_plain(file, len(content)) == content
    except OSError:  # it is longer, or cannot be read
        return False


def _path(engine: Engine, given: str) -> str:
    """Relative to the root; raises if it leads out of the project."""
    root, path = engine.place.root, from_root(engine.place.root, given)
    if not (root / path).resolve().is_relative_to(root.resolve()):
        raise Denied(f"{given!r} leads out of the project", "Name a file of the project.")
    return path
