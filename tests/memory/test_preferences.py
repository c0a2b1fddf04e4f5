"""Preferences go from one store to another and back: nothing is lost, and doing it again changes nothing."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit, urlunsplit
from uuid import uuid4

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from clew import projects
from clew.engine import Engine
from clew.memory.notes import Notebook
from clew.memory.preferences import Taken
from clew.model.agents import Identity
from clew.model.errors import InvalidInput, NotFound, StoreDenied
from clew.model.memory import AgentNote, NoteScope
from clew.store.notes import Notes
from tests.cluster import HAS_POSTGRESQL, Cluster
from tests.conftest import DAY_1, DAY_2, DAY_3, PROJECT, Repository, clew

pytestmark = pytest.mark.needs(postgresql=HAS_POSTGRESQL)

ANN = Identity("ann", "1")
FILE = {"CLEW_PROJECT_ID": PROJECT, "CLEW_MEMORY_USER": "ann"}


@pytest.fixture
def on_file(repository: Repository, tmp_path: Path) -> Iterator[Engine]:
    with Engine.open(repository.root, environ={**FILE, "XDG_DATA_HOME": str(tmp_path / "data")}) as engine:
        yield engine


@pytest.fixture
def on_server(repository: Repository, tmp_path: Path, database_url: str) -> Iterator[Engine]:
    with Engine.open(repository.root, environ=_server(tmp_path, database_url)) as engine:
        yield engine


@pytest.fixture
def environ(tmp_path: Path, database_url: str) -> dict[str, str]:
    """Of a project on the server, from which preferences go both ways."""
    return _server(tmp_path, database_url)


def _server(tmp_path: Path, url: str) -> dict[str, str]:
    return {**FILE, "XDG_DATA_HOME": str(tmp_path / "data"), "CLEW_STORAGE_URL": url}


def prefer(engine: Engine, content: str, name: str = "", at: int = DAY_1) -> AgentNote:
    return _book(engine).keep(AgentNote("", NoteScope.USER, ANN, content, name, origin="here"), at).note


def held(engine: Engine) -> set[str]:
    return {one.content for one in _book(engine).readable(ANN, [NoteScope.USER])}


def past(engine: Engine) -> set[tuple[object, ...]]:
    """Every revision, but for its number in the store."""
    notes = engine.memory._kept.books.personal.notes()
    return {(one.id, one.revision, one.content, one.known_from, one.known_to, one.became) for one in _every(notes)}


def _every(notes: Notes | None) -> list[AgentNote]:
    return list(notes.every(NoteScope.USER)) if notes else []


def _book(engine: Engine) -> Notebook:
    return engine.memory.notebook


def part_ways(on_file: Engine, on_server: Engine, environ: dict[str, str], database_url: str) -> None:
    """Two preferences go to the server; there one changes, and the other ends."""
    prefer(on_file, "answer in German", "language")
    prefer(on_file, "be brief", "length")
    projects.move_preferences(on_file.place.root, database_url, environ)
    prefer(on_server, "answer in English", "language", DAY_2)
    _book(on_server).end("length", NoteScope.USER, ANN, DAY_3)


def test_preferences_go_to_the_server_with_their_past_and_stay_in_the_file(
    on_file: Engine, on_server: Engine, environ: dict[str, str], database_url: str
) -> None:
    prefer(on_file, "answer in French", "language")
    prefer(on_file, "answer in German", "language", DAY_2)
    _book(on_file).end(prefer(on_file, "be brief").id, NoteScope.USER, ANN, DAY_3)

    taken = projects.move_preferences(on_file.place.root, database_url, environ)

    assert taken == Taken(added=3)
    assert past(on_server) == past(on_file)
    assert held(on_server) == held(on_file) == {"answer in German"}


def test_doing_it_again_changes_nothing_nor_brings_back_what_has_ended_there(
    on_file: Engine, on_server: Engine, environ: dict[str, str], database_url: str
) -> None:
    part_ways(on_file, on_server, environ, database_url)
    before = past(on_server)

    taken = projects.move_preferences(on_file.place.root, database_url, environ)

    assert taken == Taken(known=2)
    assert past(on_server) == before
    assert held(on_server) == {"answer in English"}


def test_they_come_back_with_what_changed_and_ended_meanwhile(
    on_file: Engine, on_server: Engine, environ: dict[str, str], database_url: str
) -> None:
    part_ways(on_file, on_server, environ, database_url)

    taken = projects.move_preferences(on_file.place.root, "sqlite", environ)

    assert taken == Taken(added=1, known=2, ended=2)
    assert past(on_file) == past(on_server)
    assert held(on_file) == {"answer in English"}


@pytest.mark.parametrize(("here", "there", "holds"), [(DAY_1, DAY_2, "there"), (DAY_2, DAY_1, "here")])
def test_of_two_under_one_name_the_later_holds_and_the_other_stays_on_record(
    on_file: Engine, on_server: Engine, environ: dict[str, str], here: int, there: int, holds: str
) -> None:
    prefer(on_file, "here", "language", here)
    prefer(on_server, "there", "language", there)
    prefer(on_server, "unnamed, there")

    projects.move_preferences(on_file.place.root, environ["CLEW_STORAGE_URL"], environ)

    assert held(on_server) == {holds, "unnamed, there"}
    assert {content for _, _, content, *_ in past(on_server)} == {"here", "there", "unnamed, there"}


def test_where_both_sides_changed_one_preference_the_later_holds_on_both_in_the_end(
    on_file: Engine, on_server: Engine, environ: dict[str, str], database_url: str
) -> None:
    prefer(on_file, "answer in German", "language")
    projects.move_preferences(on_file.place.root, database_url, environ)
    prefer(on_server, "answer in English", "language", DAY_2)
    prefer(on_file, "answer in French", "language", DAY_3)

    for to in (database_url, "sqlite", database_url):
        projects.move_preferences(on_file.place.root, to, environ)

    assert held(on_server) == held(on_file) == {"answer in French"}
    told = {content for _, _, content, *_ in past(on_server)}
    assert told == {f"answer in {language}" for language in ("German", "English", "French")}
    assert len(past(on_server)) == len(past(on_file)) == len(told)


def test_preferences_of_others_on_the_server_are_left_alone(
    on_file: Engine, on_server: Engine, environ: dict[str, str], database_url: str
) -> None:
    prefer(on_file, "answer in German", "language")
    prefer(on_server, "be brief")

    projects.move_preferences(on_file.place.root, database_url, {**environ, "CLEW_MEMORY_USER": "ben"})

    assert held(on_server) == {"be brief"}


def test_what_cannot_be_moved_is_said(on_file: Engine, environ: dict[str, str], cluster: Cluster) -> None:
    root = on_file.place.root
    with pytest.raises(InvalidInput):
        projects.move_preferences(root, "sqlite", FILE)
    with pytest.raises(NotFound, match="no preferences"):
        projects.move_preferences(root, environ["CLEW_STORAGE_URL"], environ)
    cluster.sql("DROP ROLE IF EXISTS guest")
    cluster.create_role("guest", "pw")
    with pytest.raises(StoreDenied):
        projects.move_preferences(root, cluster.url("postgres", "guest", "pw"), environ)


def test_the_command_says_what_came_along(
    repository: Repository, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clew("index", root=repository.root)
    clew("memory", "prefer", "answer in German", "--name", "language", root=repository.root)
    monkeypatch.setenv("CLEW_PROJECT_ID", PROJECT)

    moved, again = (clew("migrate", "--to", database_url, "--preferences", root=repository.root) for _ in range(2))

    assert moved.stdout.strip() == "preferences, with their past: 1 came along, 0 were there already", moved.stderr
    assert again.stdout.strip() == "preferences, with their past: 0 came along, 1 were there already"
    monkeypatch.setenv("CLEW_STORAGE_URL", database_url)
    clew("index", root=repository.root)
    assert "answer in German" in clew("memory", "prefer", root=repository.root).stdout


def test_a_user_is_who_the_database_lets_in_and_not_who_one_says_one_is(
    cluster: Cluster, on_server: Engine, environ: dict[str, str], database_url: str
) -> None:
    prefer(on_server, "answer in German")
    other = f"other_{uuid4().hex[:8]}"
    cluster.create_role(other, "secret")
    schema = parse_qs(urlsplit(database_url).query).get("options", [""])[0].rpartition("=")[2] or "public"
    with psycopg.connect(database_url) as owner:
        owner.execute(SQL("GRANT USAGE ON SCHEMA {} TO {}").format(Identifier(schema), Identifier(other)))
        owner.execute(SQL("GRANT ALL ON ALL TABLES IN SCHEMA {} TO {}").format(Identifier(schema), Identifier(other)))
        owner.execute(
            SQL("GRANT ALL ON ALL SEQUENCES IN SCHEMA {} TO {}").format(Identifier(schema), Identifier(other))
        )
        (role,) = owner.execute("SELECT session_user::text").fetchone() or ("",)
    parts = urlsplit(database_url)
    theirs = urlunsplit(parts._replace(netloc=f"{other}:secret@{parts.netloc.rpartition('@')[2]}"))
    with Engine.open(on_server.place.root, environ={**environ, "CLEW_STORAGE_URL": theirs}) as engine:
        assert held(engine) == set(), "the same name, by another role"
        prefer(engine, "answer in French")
    with psycopg.connect(theirs) as forged:
        forged.execute("SELECT set_config('clew.project', %s, false)", (f"user:{role}/ann",))
        assert forged.execute("SELECT id FROM project").fetchall() == []

    assert held(on_server) == {"answer in German"}


def test_users_of_tokens_have_stores_of_their_own_on_the_server_too(
    repository: Repository, environ: dict[str, str]
) -> None:
    with Engine.open(repository.root, environ={**environ, "CLEW_MEMORY_USER": "cara"}) as engine:
        for name in ("", "ann", "ben"):
            speaking = Identity("agent", "1", user=name)
            draft = AgentNote("", NoteScope.USER, speaking, f"of {name or 'the owner'}", "style")
            _book(engine).keep(draft, DAY_1)
        seen = {
            name: [one.content for one in _book(engine).readable(Identity("agent", "1", user=name), [NoteScope.USER])]
            for name in ("", "ann", "ben", "cara", "dan")
        }

    assert seen == {"": ["of the owner"], "ann": ["of ann"], "ben": ["of ben"], "cara": ["of the owner"], "dan": []}
