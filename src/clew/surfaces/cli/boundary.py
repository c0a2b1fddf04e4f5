"""Which files belong to the project, before anything is indexed."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import click

from clew.index.disk import boundary_record
from clew.index.disk.boundary import RefusalReason
from clew.index.disk.scan import Scan, SkippedPath, content_refusal, explain_path, scan
from clew.languages import language_in
from clew.languages.detection import LanguageTable
from clew.languages.plugins import load_languages, offered_languages
from clew.model.errors import Denied
from clew.runtime.place import ProjectPaths, find_place, part_of
from clew.runtime.plain import open_plain
from clew.runtime.settings import Config, Indexing
from clew.surfaces.cli.output import print_json, warn
from clew.surfaces.cli.state import State, common
from clew.text.encodings import as_utf8
from clew.text.escaping import line

TICK, CROSS = "✓", "✗"


@click.command()
@click.option("--changes", "with_changes", is_flag=True, help="Show when the boundary changed, and what changed.")
@common
@click.pass_obj
def validate_config(state: State, with_changes: bool, as_json: bool, quiet: bool) -> None:
    """Check the configuration, and show what it would index: files by watched path, what is left out, and security."""
    place, found = _scan(state)
    projects = {name: len(_scan_place(part_of(place, name)).files) for name in place.settings.config.projects}
    warnings = (*place.warnings, *found.warnings)
    reasons, watched = _reasons(found), _by_watched_path(place, found)
    security = _security(place, found)
    changes = boundary_record.read(place.folder, place.named_tree) if with_changes else []
    if as_json:
        report = {"valid": True, "root": str(place.root), "indexable": len(found.files), "skipped": reasons}
        more = {"paths": dict(watched), "security": [one._asdict() for one in security], "warnings": warnings}
        recorded: dict[str, object] = {"changes": changes} if with_changes else {}
        recorded |= {"projects": projects} if projects else {}
        print_json({**report, "watch_paths": place.settings.config.watcher.watch_paths, **more, **recorded})
        return
    click.echo(f"{TICK} Configuration valid")
    click.echo(f"{TICK} Root: {line(str(place.root))}")
    click.echo(f"{TICK} {len(found.files)} indexable files detected")
    for reason, count in reasons.items():
        click.echo(f"{TICK} {count} files or folders left out: {line(reason)}")
    _table("paths", watched, len(found.files))
    if projects:
        _table("projects", Counter(projects), len(found.files))
    click.echo("\nsecurity:")
    for one in security:
        click.echo(f"  {TICK if one.safe else CROSS} {line(one.finding)}")
    for change in changes:
        click.echo(f"\n{change.at}:")
        for name, value in change.changed.items():
            click.echo(f"  {name} = {line(value)}")
    if not quiet:
        for warning in warnings:
            warn(warning)


class SecurityFinding(NamedTuple):
    safe: bool
    finding: str


def _by_watched_path(place: ProjectPaths, found: Scan) -> Counter[str]:
    """Files below each watched path; where everything is watched, below each top folder."""
    paths = [path.strip("/") for path in place.settings.config.watcher.watch_paths if path != "auto"]
    counts: Counter[str] = Counter({f"{path}/": 0 for path in paths})
    for file in found.files:
        above = next((path for path in paths if file.path == path or file.path.startswith(f"{path}/")), "")
        top = f"{file.path.partition('/')[0]}/" if "/" in file.path else "."
        counts[f"{above}/" if above else top] += 1
    return counts


def _security(place: ProjectPaths, found: Scan) -> list[SecurityFinding]:
    """Settings and files by which text could leave the project, or enter it from outside."""
    config = place.settings.config
    escaping = [one.path for one in found.skipped if one.reason is RefusalReason.SYMLINK_ESCAPE]
    links = f"; {len(escaping)} links lead outside and are left out" if escaping else ""
    secrets, encrypted = config.security.scrub_secrets, config.security.encrypt_db
    beyond = [name for name, url in _addresses(config) if url]
    return [
        SecurityFinding(secrets, "secrets are replaced" if secrets else "secrets are stored as they are"),
        SecurityFinding(True, f"files outside of the root are never read{links}"),
        SecurityFinding(not config.indexing.follow_symlinks, _about_links(follow=config.indexing.follow_symlinks)),
        SecurityFinding(not beyond, f"text may be sent: {', '.join(beyond)}" if beyond else "nothing is sent anywhere"),
        SecurityFinding(True, f"the files of Clew are {'encrypted' if encrypted else 'not encrypted (encrypt_db)'}"),
        SecurityFinding(not place.notices, _about_trust(place)),
    ]


def _addresses(config: Config) -> list[tuple[str, str]]:
    return [
        ("embedding.base_url", config.embedding.base_url if config.embedding.model == "openai" else ""),
        ("summaries.base_url", config.summaries.base_url),
        ("jobs.webhook_url", config.jobs.webhook_url),
        ("storage.url", config.storage.url),
    ]


def _about_links(*, follow: bool) -> str:
    return "symbolic links are followed inside of the project" if follow else "symbolic links are not followed"


def _about_trust(place: ProjectPaths) -> str:
    count = len(place.notices)
    return f"{count} settings of the repository are ignored: clew trust" if count else "no setting waits for trust"


@click.command()
@click.option("--limit", type=click.IntRange(0), default=0, help="List at most this many; 0 lists all.")
@click.option("--skipped", is_flag=True, help="List what is left out instead, with the reasons.")
@click.option(
    "--reason", type=click.Choice([r.value for r in RefusalReason]), help="Only what is left out for this reason."
)
@common
@click.pass_obj
def list_indexable(state: State, limit: int, skipped: bool, reason: str | None, as_json: bool, quiet: bool) -> None:
    """List every file that would be indexed; a folder that is left out whole ends in a slash."""
    _, found = _scan(state)
    if skipped or reason:
        chosen = [one for one in found.skipped if reason is None or one.reason == reason]
        lines = [f"{one.path}  {one.reason}{f': {one.detail}' if one.detail else ''}" for one in chosen]
        _list([one._asdict() for one in chosen], lines, limit, as_json, quiet)
    else:
        files = [file.path for file in found.files]
        _list(files, files, limit, as_json, quiet)


@click.command()
@click.argument("file")
@common
@click.pass_obj
def check_file(state: State, file: str, as_json: bool, quiet: bool) -> int:
    """Say whether FILE would be indexed, check by check. Exits with 0 if it would, with 3 if not."""
    place = find_place(state.start, os.environ)
    config = place.settings.config
    path = _from_here(state, place, file)
    decision = explain_path(place.root, path, config.watcher, config.indexing, config.storage.db_path)
    if as_json:
        print_json(decision)
    else:
        for step in decision.checks if not quiet else ():
            detail = f": {line(step.detail)}" if step.detail else ""
            click.echo(f"{TICK if step.passed else CROSS} {step.check}{detail}")
        verdict = "would be indexed" if decision.indexed else f"is left out: {decision.reason} ({decision.detail})"
        click.echo(line(f"{decision.path} {verdict}"))
    return 0 if decision.indexed else 3


@click.command()
@common
@click.pass_obj
def project_stats(state: State, as_json: bool, quiet: bool) -> None:
    """Count files by top folder, by language, and by why they are left out."""
    place, found = _scan(state)
    folders = Counter(f"{file.path.partition('/')[0]}/" if "/" in file.path else "." for file in found.files)
    known = load_languages(offered_languages()).known
    languages = Counter(_language(place.root, file.path, known) for file in found.files)
    size = sum(file.size for file in found.files)
    if as_json:
        counts = {"files": len(found.files), "bytes": size, "folders": folders, "languages": languages}
        print_json({"root": str(place.root), **counts, "skipped": _reasons(found)})
        return
    click.echo(f"{len(found.files)} files, {size / 1e6:.1f} MB in {line(str(place.root))}")
    _table("folders", folders, len(found.files))
    _table("languages", languages, len(found.files))
    _table("left out", Counter(_reasons(found)), 0)


def _language(root: Path, path: str, known: LanguageTable) -> str:
    """As an index run sees it: of a header or a script, the content tells."""
    try:
        with open_plain(root / path) as opened:
            return language_in(path, as_utf8(opened.read()), known)
    except OSError:  # gone or unreadable by now
        return known.language_of(path)


def _scan(state: State) -> tuple[ProjectPaths, Scan]:
    place = find_place(state.start, os.environ)
    return place, _scan_place(place)


def _scan_place(place: ProjectPaths) -> Scan:
    config = place.settings.config
    found = scan(place.root, config.watcher, config.indexing, config.storage.db_path)
    binary = _binary(place.root, found, config.indexing)
    files = tuple(file for file in found.files if file.path not in binary)
    return replace(found, files=files, skipped=tuple(sorted([*found.skipped, *binary.values()])))


def _binary(root: Path, found: Scan, indexing: Indexing) -> dict[str, SkippedPath]:
    """Files skipped because of their first bytes, read as an index run reads them."""
    refusals = ((file.path, content_refusal(root / file.path, indexing)) for file in found.files)
    return {path: SkippedPath(path, *refusal) for path, refusal in refusals if refusal}


def _from_here(state: State, place: ProjectPaths, file: str) -> str:
    """A path as the user sees it, from where they stand, or as Clew shows it, from the root; links stay links."""
    top = place.root.resolve()
    here = Path(os.path.normpath(state.start.resolve() / file))
    path = here if os.path.lexists(here) else Path(os.path.normpath(top / file))
    if not path.is_relative_to(top):
        raise Denied(f"{path} lies outside of {top}", "Name a path inside the project.")
    return path.relative_to(top).as_posix()


def _list(values: Sequence[object], lines: list[str], limit: int, as_json: bool, quiet: bool) -> None:
    end = limit or len(lines)
    if as_json:
        print_json({"total": len(values), "items": values[:end]})
        return
    for one in lines[:end]:
        click.echo(line(one))
    if not lines and not quiet:
        click.echo("none", err=True)
    if len(lines) > end and not quiet:
        click.echo(f"… {len(lines) - end} more", err=True)


def _reasons(found: Scan) -> dict[str, int]:
    return dict(sorted(Counter(one.reason.value for one in found.skipped).items()))


def _table(title: str, counts: Counter[str], total: int) -> None:
    click.echo(f"\n{title}:{'' if counts else ' nothing'}")
    for name, count in counts.most_common():
        share = f"  ({100 * count / total:.0f}%)" if total else ""
        click.echo(f"  {line(name):<20} {count:>7}{share}")
