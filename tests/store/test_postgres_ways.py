"""The ways to a server: a certificate that is checked, sockets, IPv6, passwords from elsewhere. No password is told."""

import subprocess
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from clew.model.errors import ClewError, ConfigError, StoreDenied, StoreLost
from clew.store.postgres import Postgres
from tests.cluster import HAS_POSTGRESQL, Cluster, _hand_over, temporary_cluster
from tests.conftest import PROJECT

pytestmark = pytest.mark.needs(postgresql=HAS_POSTGRESQL)

ODD = "a b@:/?#[]%&='\"\\ü$" + "-s3cr3t"
ENCODED = quote(ODD, safe="")


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    """With a certificate for `localhost`, a socket, and both kinds of addresses."""
    with temporary_cluster() as cluster, tempfile.TemporaryDirectory() as sockets:
        home = cluster.directory
        own = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
        for name in ("server", "stranger"):
            files = ["-keyout", f"{name}.key", "-out", f"{name}.crt", "-addext", "subjectAltName=DNS:localhost"]
            subprocess.run(["openssl", *own, *files], cwd=home, check=True, capture_output=True)
            for file in (home / f"{name}.key", home / f"{name}.crt"):
                file.chmod(0o600)
                _hand_over(file)
        Path(sockets).chmod(0o777)
        (home / "sockets").write_text(sockets)
        with (home / "data" / "postgresql.conf").open("a") as settings:
            settings.write(f"ssl = on\nssl_cert_file = '{home}/server.crt'\nssl_key_file = '{home}/server.key'\n")
            settings.write(f"unix_socket_directories = '{sockets}'\nlisten_addresses = '127.0.0.1,::1'\n")
        cluster.restart()
        cluster.create_role("tester", ODD)
        cluster.create_database("books", "tester")
        yield cluster


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.store.postgres.OPENING_PATIENCE", 0.2)


def opens(url: str) -> bool:
    with Postgres(url, PROJECT) as db:
        return any(db.query("store_clock"))


def refusal(url: str) -> ClewError:
    with pytest.raises(ClewError) as caught:
        Postgres(url, PROJECT).close()
    error = caught.value
    told = "".join([*traceback.format_exception(error), repr(error), error.hint])
    assert "s3cr3t" not in told
    return error


def test_a_server_is_found_by_address_name_and_socket_with_a_password_of_any_characters(server: Cluster) -> None:
    sockets = (server.directory / "sockets").read_text()
    for place in (
        f"127.0.0.1:{server.port}/books",
        f"[::1]:{server.port}/books",
        f"127.0.0.1:1,localhost:{server.port}/books",
        f"{quote(sockets, safe='')}:{server.port}/books",
        f"/books?host={sockets}&port={server.port}",
    ):
        assert opens(f"postgresql://tester:{ENCODED}@{place}"), place


def test_a_password_comes_from_a_file_a_service_or_the_environment(
    server: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"postgresql://tester@127.0.0.1:{server.port}/books"
    passwords, services = tmp_path / "passwords", tmp_path / "services"
    escaped = ODD.replace("\\", "\\\\").replace(":", "\\:")
    passwords.write_text(f"127.0.0.1:*:books:tester:{escaped}\n")
    passwords.chmod(0o600)
    services.write_text(f"[shop]\nhost=127.0.0.1\nport={server.port}\ndbname=books\nuser=tester\n")

    assert opens(f"{url}?passfile={passwords}")
    with monkeypatch.context() as environ:
        environ.setenv("PGPASSFILE", str(passwords))
        environ.setenv("PGSERVICEFILE", str(services))
        assert opens(url)
        assert opens("postgresql:///?service=shop")
        unknown = refusal("postgresql:///?service=shoes")
    monkeypatch.setenv("PGPASSWORD", ODD)
    assert opens(url)

    assert type(unknown) is ConfigError
    assert "service=shoes" in unknown.message


def test_no_password_is_told_as_that(server: Cluster, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    error = refusal(f"postgresql://tester@127.0.0.1:{server.port}/books?passfile={tmp_path / 'none'}")

    assert type(error) is StoreDenied
    assert "PGPASSFILE" in error.hint


def test_a_certificate_is_checked_if_that_is_wanted(server: Cluster) -> None:
    home, user = server.directory, f"postgresql://tester:{ENCODED}"
    checked = f"/books?sslmode=verify-full&sslrootcert={home}"

    assert opens(f"{user}@localhost:{server.port}{checked}/server.crt")
    another_name = refusal(f"{user}@127.0.0.1:{server.port}{checked}/server.crt")
    another = refusal(f"{user}@localhost:{server.port}{checked}/stranger.crt")
    missing = refusal(f"{user}@localhost:{server.port}{checked}/nothing.crt")
    misspelt = refusal(f"{user}@localhost:{server.port}/books?sslmode=verify-ful")

    assert [type(one) for one in (another_name, another)] == [StoreDenied, StoreDenied]
    assert "sslrootcert" in another_name.hint
    assert [type(one) for one in (missing, misspelt)] == [ConfigError, ConfigError]


def test_a_server_without_certificates_is_refused_if_one_is_wanted(cluster: Cluster) -> None:
    error = refusal(f"{cluster.url('postgres', password='s3cr3t-w0rd')}?sslmode=require")

    assert type(error) is StoreDenied
    assert "SSL" in error.message


def test_a_socket_that_is_not_there_is_told(tmp_path: Path) -> None:
    error = refusal(f"postgresql://tester:{ENCODED}@/books?host={tmp_path}")

    assert type(error) is StoreLost
    assert str(tmp_path) in error.message
