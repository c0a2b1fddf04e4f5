"""Memory from the command line: episodes listed, added, recalled and shown; learnings."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click
import msgspec

from clew.engine import Engine
from clew.memory.contracts import describe_contracts
from clew.model.errors import InvalidInput, NotFound
from clew.model.memory import Episode, EpisodeType, Outcome
from clew.model.time import NOW, AsOf, to_iso
from clew.surfaces.cli.calling import caller_of, finish
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.state import State, common, from_root, readable, time_options, times
from clew.text.escaping import block, indent, line
from clew.tools.answer import answer
from clew.tools.drift import states, viewpoint
from clew.workspaces import Workspaces

# Notes from the command line: shared notes of a project, and the user's preferences for every project.

SCOPES = ("working", "shared", "user")


@click.command()
@click.argument("text", nargs=-1)
@click.option("--name", default="", help="Noting under the same name again replaces it.")
@click.option("--scope", type=click.Choice(SCOPES), help="Whose: of this terminal, the project, the user.")
@click.option("--task", "task_id", default="", help="The task that a working note is for.")
@click.option("--entity", "entities", multiple=True, help="The id of code it is about; may be given again.")
@click.option("--end", default="", help="Be rid of the note of this name or id.")
@click.option("--page-out", is_flag=True, help="Make episodes of the working notes of this terminal.")
@time_options
@common
@click.pass_obj
def notes(state: State, /, text: tuple[str, ...], end: str, page_out: bool, **options: Any) -> int:
    """List the notes that can be read here; with TEXT, keep one, which all agents of the project share."""
    if page_out:
        return _note_answer(state, {**options, "change": "page_out"})
    return _write_note(state, text, end, {**options, "scope": options["scope"] or ("shared" if text else None)})


@click.command()
@click.argument("text", nargs=-1)
@click.option("--name", default="", help="Preferring under the same name again replaces it.")
@click.option("--end", default="", help="Be rid of the preference of this name or id.")
@common
@click.pass_obj
def prefer(state: State, /, text: tuple[str, ...], end: str, **options: Any) -> int:
    """List your preferences; with TEXT, keep one. They are seen by your agents in all of your projects."""
    return _write_note(state, text, end, {**options, "scope": "user"})


def _write_note(state: State, text: tuple[str, ...], end: str, options: dict[str, Any]) -> int:
    if end:
        return _note_answer(state, {**options, "change": "end", "name": end})
    if text:
        return _note_answer(state, {**options, "change": "keep", "content": readable(" ".join(text))})
    return _note_answer(state, options)


def _note_answer(state: State, options: dict[str, Any]) -> int:
    as_json, quiet = options.pop("as_json"), options.pop("quiet")
    given = {name: readable(value) if isinstance(value, str) else value for name, value in options.items() if value}
    workspaces = Workspaces(state.start, create=False)
    try:
        reply = answer(caller_of(workspaces), "notes", {**given, **({} if as_json else {"profile": "debug"})})
    finally:
        workspaces.close()
    return finish(reply, _show_notes, as_json=as_json, quiet=quiet)


def _show_notes(envelope: dict[str, Any], quiet: bool) -> None:
    show_notes(envelope["data"]["notes"])
    if not quiet:
        click.echo(envelope["summary"])


def show_notes(notes: Iterable[dict[str, Any]]) -> None:
    for one in notes:
        head = "  ".join(filter(None, [f"{one['scope']:7s}", one.get("name"), one["noted_at"][:16], one["agent_id"]]))
        click.echo(f"{click.style(head, fg='green')}  {one['id']}\n    {indent(one['content'])}")
        show_entities(one)


def show_entities(memory: dict[str, Any]) -> None:
    """The drift of the code that a memory is about."""
    for one in memory.get("entities", ()):
        state = " ".join(filter(None, [one["state"], one.get("now", "")]))
        click.echo(f"    {one['id']}: {state}{', changed' if one.get('changed') else ''}")


TYPES = [one.value for one in EpisodeType]
LONGEST_TITLE = 200  # characters of what was decided


@click.group()
def memory() -> None:
    """What agents saw, decided and did in this project: list, add, recall, show; and what was learned of it."""


memory.add_command(notes)
memory.add_command(prefer)


@memory.command()
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="At most so many.")
@click.option("--task", default="", help="Only of this task.")
@click.option("--agent", default="", help="Only of this agent.")
@click.option("--sensitive", is_flag=True, help="Also what is left out by default.")
@time_options
@common
@click.pass_obj
def list(  # noqa: A001 - its name
    state: State, /, limit: int, task: str, agent: str, sensitive: bool, as_json: bool, quiet: bool, **options: str
) -> None:
    """List the newest episodes, oldest first."""
    with _open_engine(state) as engine:
        at = _viewpoint(engine, options)
        found = engine.episodes.latest(limit, task=readable(task), agent=readable(agent), sensitive=sensitive, at=at)
        if as_json:
            print_json({"episodes": [_as_row(engine, one, at) for one in found]})
            return
    for one in found:
        click.echo(_line(one))
    if not found and not quiet:
        some = [f"of task {task}" if task else "", f"by {agent}" if agent else ""]
        told = " ".join(filter(None, some))
        click.echo(f"Nothing {told} is remembered." if told else "Nothing is remembered yet.", err=True)


@memory.command()
@click.argument("type", type=click.Choice(TYPES, case_sensitive=False))
@click.argument("content")
@click.option("--entity", "entities", multiple=True, help="The id or name of code it is about; may be given again.")
@click.option("--task", "task_id", default="", help="The task that it belongs to.")
@click.option("--outcome", type=click.Choice([one.value for one in Outcome if one]), help="How it ended.")
@click.option("--metadata", default="{}", help=f"As a JSON object. Required: {describe_contracts()}.")
@click.option("--why", default="", help="The rationale of a DECISION; its title is CONTENT, unless --metadata has one.")
@click.option("--file", "files", multiple=True, help="A file that a DECISION affects; may be given again.")
@click.option("--sensitive", is_flag=True, help="Leave it out of default queries.")
@click.option("--occurred-at", default="", help="When it happened, as ISO 8601; by default now.")
@click.option("--key", default="", help="Adding the same key again adds nothing.")
@common
@click.pass_obj
def add(state: State, /, as_json: bool, quiet: bool, **options: Any) -> int:
    """Remember an episode of TYPE. DECISION, EDIT, TEST_RESULT and ERROR ask for --metadata of their own.

    \b
    clew memory add decision "use tls.Version names" --why "numbers say nothing" --file tls/config.go
    clew memory add observation "the cache is never cleared" --entity cache.py::Cache
    """
    why, files = options.pop("why"), [from_root(state, one) for one in options.pop("files")]
    if (why or files) and options["type"].upper() != EpisodeType.DECISION:
        raise InvalidInput("--why and --file are of a DECISION", "Name files and symbols with --entity.")
    given = {name: readable(value) if isinstance(value, str) else value for name, value in options.items() if value}
    metadata = _object(given.pop("metadata", "{}"))
    if why or files:
        title = options["content"].strip().partition("\n")[0][:LONGEST_TITLE]
        short = {"title": title, "tradeoffs": [], "affected_files": files, **({"rationale": why} if why else {})}
        metadata = {**short, **metadata}
    return _answer_call(state, "episode_add", {**given, "metadata": metadata}, as_json=as_json, quiet=quiet)


@memory.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 100), default=5, show_default=True, help="At most so many.")
@click.option(
    "--type",
    "types",
    multiple=True,
    type=click.Choice(TYPES, case_sensitive=False),
    help="Only of this type; may be given again.",
)
@click.option("--entity", "entities", multiple=True, help="The id or name of code that it should be about.")
@click.option("--task", "task_id", default="", help="Only of this task.")
@click.option("--agent", "agent_id", default="", help="Only of this agent.")
@click.option("--since", default="", help="Nothing older than this ISO 8601 time.")
@time_options
@common
@click.pass_obj
def recall(state: State, /, query: tuple[str, ...], as_json: bool, quiet: bool, **options: Any) -> int:
    """Find what was remembered that answers QUERY, best first."""
    given = {name: readable(value) if isinstance(value, str) else value for name, value in options.items() if value}
    arguments = {"query": readable(" ".join(query)), **({} if as_json else {"profile": "debug"}), **given}
    return _answer_call(state, "episode_recall", arguments, as_json=as_json, quiet=quiet)


@memory.command()
@click.argument("id")
@common
@click.pass_obj
def show(state: State, id: str, as_json: bool, quiet: bool) -> None:
    """Show all of one episode, and what became of the code that it is about."""
    with _open_engine(state) as engine:
        found = engine.episodes.get(readable(id))
        if found is None:
            raise NotFound(f"no episode {id!r}", "`clew memory list` shows the newest.")
        told = _as_row(engine, found)
        told["differences"] = [diff for one in found.subjects if (diff := engine.memory.differences.of(one))]
    if as_json:
        print_json(told)
        return
    differences = told.pop("differences")
    for name, value in told.items():
        if value not in ("", [], {}, False):
            click.echo(f"{click.style(name, fg='cyan')}: {indent(value if isinstance(value, str) else _json(value))}")
    for difference in differences:
        click.echo(block(difference))


@memory.command()
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="At most so many.")
@time_options
@common
@click.pass_obj
def learnings(state: State, /, limit: int, as_json: bool, quiet: bool, **options: str) -> None:
    """List what was learned of episodes and still holds, newest first."""
    with _open_engine(state) as engine:
        at = _viewpoint(engine, options)
        found = engine.learnings.current_at(limit, at)
        told = [
            {"id": one.id, "content": one.content, "confidence": one.confidence, "strength": one.strength,
             "evidence": one.evidence, "applies_to": states(engine, one.subjects, at)}
            for one in found
        ]  # fmt: skip
    if as_json:
        print_json({"learnings": told})
        return
    for one in found:
        click.echo(f"{one.confidence:.2f}  {indent(one.content)}")
    if not found and not quiet:
        click.echo("Nothing is learned yet: `reflect`, or a task that is completed, looks back on episodes.", err=True)


def _viewpoint(engine: Engine, options: Mapping[str, str]) -> AsOf:
    given = times(options)
    return viewpoint(engine, given.get("as_of", ""), given.get("known_as_of", ""))


@contextmanager
def _open_engine(state: State) -> Iterator[Engine]:
    workspaces = Workspaces(state.start, create=False)
    try:
        yield workspaces.get()
    finally:
        workspaces.close()


def _answer_call(state: State, tool: str, arguments: dict[str, Any], *, as_json: bool, quiet: bool) -> int:
    workspaces = Workspaces(state.start, create=False)
    try:
        reply = answer(caller_of(workspaces), tool, arguments)
    finally:
        workspaces.close()
    return finish(reply, _show, as_json=as_json, quiet=quiet)


def _show(envelope: dict[str, Any], quiet: bool) -> None:
    for one in envelope["data"].get("episodes", ()):
        head = f"{one['score']:.3f}  {one['type']}  {one['occurred_at'][:16]}  {one['agent_id']}"
        click.echo(f"{click.style(head, fg='green')}  {one['id']}\n    {indent(one['content'])}")
        if not quiet and one.get("why"):
            click.echo(f"    why: {one['why']}")
        if one.get("superseded_by"):
            click.echo(f"    superseded by {one['superseded_by']}")
        show_entities(one)
    show_notes(envelope["data"].get("notes", ()))
    if not quiet:
        click.echo(envelope["summary"])


def _line(one: Episode) -> str:
    first = one.draft.content.splitlines()[0]
    told = f"{one.draft.type:12s} {line(one.who.agent_id):16s} {line(first)}"
    return f"{to_iso(one.occurred_at)[:16]}  {told}  {one.id}"


def _as_row(engine: Engine, one: Episode, at: AsOf = NOW) -> dict[str, Any]:
    return {
        "id": one.id,
        "type": one.draft.type,
        "content": one.draft.content,
        "agent_id": one.who.agent_id,
        "session_id": one.who.session_id,
        "task_id": one.draft.task_id,
        "outcome": one.draft.outcome,
        "occurred_at": to_iso(one.occurred_at),
        "recorded_at": to_iso(one.recorded_at),
        "sensitive": one.draft.sensitive,
        "entities": [msgspec.to_builtins(entity) for entity in states(engine, one.subjects, at)],
        "metadata": one.draft.metadata,
    }


def _object(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise InvalidInput(f"--metadata is no JSON object: {error}", "Quote the JSON for your shell.") from error


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
