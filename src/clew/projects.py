"""Operations on whole projects: moving one to another database, evaluation, tuning to its own past."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from clew.engine import Engine, new_id, now
from clew.graph.view import graph_hash
from clew.model.errors import InvalidInput, NotFound
from clew.runtime.place import find_place
from clew.store import migrations, moving
from clew.store.opening import connect, postgres, refuse_other_file
from clew.store.personal import DATABASE as PERSONAL
from clew.store.personal import USER, Personal
from clew.store.rescue import faults, rescue
from clew.store.sqlite import SQLite, which

if TYPE_CHECKING:
    from clew.evaluate.report import Evaluation, EvaluationStep, Request, Tuning
    from clew.evaluate.stage import Opener
    from clew.memory.preferences import Taken

SQLITE = "sqlite"  # the project's own database file, as a place to move to


def move(start: Path, to: str, report: moving.Report, environ: Mapping[str, str] = os.environ) -> moving.Moved:
    """Move the project that holds `start` into another database: a server's URL, or `sqlite` for the file."""
    place = find_place(start, environ)
    config, names = place.settings.config, place.names_on_a_server()
    if to in (place.url or SQLITE, place.url):
        raise InvalidInput(
            "the project is already stored there", "Name another location: a postgresql:// URL, or sqlite."
        )
    with closing(connect(place)) as source:
        migrations.migrate(source, migrations.all_migrations(), now())
        project, name = moving.find_project(source, config.project.id)
        if to == SQLITE:
            refuse_other_file(place)
        place.prepare()
        with closing(SQLite(place.database) if to == SQLITE else postgres(config, to, name)) as target:
            migrations.migrate(target, migrations.all_migrations(), now())
            rename = names if not place.url else {}
            if to == SQLITE:
                rename = _names_in_file(names, moving.checkout_names(source, project))
            return moving.Move(source, target, project, rename).run(name, now(), graph_hash, report)


def mend(start: Path, environ: Mapping[str, str] = os.environ, *, in_doubt: bool = False) -> list[str]:
    """Replace damaged database files by new ones with all readable data; returns a description of each repair.

    `in_doubt`: the project's own database counts as damaged in any case.
    """
    place = find_place(start, environ)
    own = place.user_data / PERSONAL
    files = {own: USER} if place.url else {place.database: place.settings.config.project.id or new_id(), own: USER}
    if not place.url:
        refuse_other_file(place)
    done = []
    for file, project in files.items():
        looked_at = which(file)
        if not file.is_file() or not ((in_doubt and file == place.database) or faults(file)):
            continue
        if rescued := rescue(file, project, now(), looked_at):
            if file == place.database and not rescued.rows.keys() & {"episode", "task", "note", "knowledge", "claim"}:
                place.memory_note.unlink(missing_ok=True)  # what is lost was just reported
            kept = ", ".join(f"{count} of {table}" for table, count in rescued.rows.items()) or "none"
            done.append(f"{file} was damaged, and lies in {rescued.aside} now; rows that were kept: {kept}")
    return done


def count_written(database: Path) -> int:
    """How many entries agents have written into a database file; 0, if there is none."""
    if not database.is_file():
        return 0
    with SQLite(database, read_only=True) as db:
        return int(next(iter(db.query("written_count")))["written"])


def _names_in_file(names: Mapping[str, str], there: Sequence[str]) -> dict[str, str]:
    """The local names of a server's checkouts; a tree without its mark takes the newest of its place."""
    found = {}
    for tree, name in names.items():
        place, marked, _ = name.rpartition("#")
        alike = [one for one in there if marked and one.rpartition("#")[0] == place]
        for known in [name] if name in there else alike[-1:]:
            found[known] = tree
    return found


def move_preferences(start: Path, to: str, environ: Mapping[str, str] = os.environ) -> "Taken":
    """Take the user's preferences to a server's URL, or to `sqlite`, their file: from where the project is configured
    to lie or, if that is the place to move to, from the file."""
    from clew.memory.preferences import take  # only here

    place = find_place(start, environ)
    there = "" if to == SQLITE else to
    here = place.url if place.url != there else ""
    if here == there:
        raise InvalidInput(
            "they are already stored there", "Name a server's URL; to bring them back, leave storage.url set."
        )
    for url in filter(None, (here, there)):
        with closing(postgres(place.settings.config, url, "")) as server:
            migrations.migrate(server, migrations.all_migrations(), now())
    with closing(Personal(place, here, now, writable=True)) as source:
        found = source.notes()
        if found is None:
            raise NotFound("there are no preferences to move", "`clew memory prefer` keeps one.")
        with closing(Personal(place, there, now, writable=True)) as target:
            return take(found, target.writable_notes())


def evaluate(
    request: "Request", report: "Callable[[EvaluationStep], None]", environ: Mapping[str, str] = os.environ
) -> "Evaluation":
    """Measure how well questions find code, on a repository's own history."""
    from clew.evaluate import run  # parsers and numpy are heavy

    return run.evaluate(request, _opener(environ), report)


def tune(
    request: "Request", report: "Callable[[EvaluationStep], None]", environ: Mapping[str, str] = os.environ
) -> "Tuning":
    """Fit the weights of retrievers to a project's own history, and keep them in it."""
    from clew.evaluate import tuning  # as above

    return tuning.tune(request, environ, _opener(environ), report)


def _opener(environ: Mapping[str, str]) -> "Opener":
    return lambda root, settings: Engine.open(root, environ={**environ, **settings})
