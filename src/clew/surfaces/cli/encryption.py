"""Keys, and encrypting a project that was not."""

import os
import secrets
from pathlib import Path

import click

from clew.model.errors import Conflict
from clew.runtime.encryption import put_into_keyring
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.state import State, common


@click.command()
@click.option("--file", "file", type=click.Path(path_type=Path), help="Write the key to this new file, mode 600.")
@click.option("--keyring", is_flag=True, help="Store the key in the system's keyring.")
@common
@click.pass_obj
def key(state: State, file: Path | None, keyring: bool, as_json: bool, quiet: bool) -> None:
    """Create a key for security.encrypt_db, and print it or store it in a file or the keyring.

    Without the key, everything that agents recorded is lost: keep a copy elsewhere.
    """
    made = secrets.token_hex(32)
    if keyring:
        put_into_keyring(made)
    if file:
        try:
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
                out.write(f"{made}\n")
        except FileExistsError:
            raise Conflict(f"{file} is there already", "Name a new file.") from None
    kept = [*(["keyring"] if keyring else []), *([str(file)] if file else [])]
    if as_json:
        print_json({"kept": kept} if kept else {"key": made})
    elif kept and not quiet:
        click.echo(f"kept in {' and '.join(kept)}")
    elif not kept:
        click.echo(made)


@click.command()
@click.option("--off", is_flag=True, help="Decrypt instead; afterwards remove encrypt_db from the configuration.")
@common
@click.pass_obj
def encrypt(state: State, off: bool, as_json: bool, quiet: bool) -> None:
    """Encrypt the database and all files of an existing .clew/, as security.encrypt_db requires.

    Stop all processes that use the project first. Snapshots are rebuilt. The old files are overwritten before they
    are removed, but some disks and file systems keep the old content anyway.
    """
    from clew import conversion  # seldom needed

    done = conversion.decrypt(state.start) if off else conversion.encrypt(state.start)
    if as_json:
        print_json(done)
    elif not quiet:
        click.echo(f"{'decrypted' if off else 'encrypted'}: the database and {done.files} files")
