"""A hot standby: questions are answered there, nothing is written, and what it cannot do is said."""

import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from clew.engine import Engine
from clew.model.errors import IndexMissing, StoreReadOnly
from tests.cluster import HAS_POSTGRESQL, Cluster, standby_of, temporary_cluster
from tests.conftest import PROJECT, Repository
from tests.views import search

pytestmark = pytest.mark.needs(postgresql=HAS_POSTGRESQL)


@pytest.fixture(scope="module")
def primary() -> Iterator[Cluster]:
    with temporary_cluster(durable=True) as cluster:
        cluster.create_role("tester", "pw")
        cluster.create_database("clew", "tester")
        yield cluster


@pytest.fixture(scope="module")
def standby(primary: Cluster) -> Iterator[Cluster]:
    with standby_of(primary) as cluster:
        yield cluster


def settings(cluster: Cluster) -> dict[str, str]:
    url = cluster.url("clew", "tester", "pw")
    return {"CLEW_STORAGE_URL": url, "CLEW_PROJECT_ID": PROJECT, "CLEW_PROJECT_CHECKOUT": "main"}


def test_a_standby_answers_and_refuses_to_write(repository: Repository, primary: Cluster, standby: Cluster) -> None:
    repository.write("a.py", "def login(): ...\n")
    with Engine.open(repository.root, environ=settings(primary)) as engine:
        engine.index()

    paths: list[str] = []
    deadline = time.monotonic() + 20
    while not paths and time.monotonic() < deadline:  # until it has replayed what the primary wrote
        with suppress(IndexMissing, StoreReadOnly), Engine.open(repository.root, environ=settings(standby)) as reader:
            paths = [hit.path for hit in search(reader, "login")]
            with pytest.raises(StoreReadOnly, match="only be read"):
                reader.index()

    assert paths == ["a.py"]


def test_a_checkout_that_the_primary_never_indexed_is_told(
    repository: Repository, primary: Cluster, standby: Cluster
) -> None:
    beside = {"CLEW_PROJECT_CHECKOUT": "never-seen"}
    with Engine.open(repository.root, environ=settings(primary)) as engine:
        engine.index()
    said = ""
    deadline = time.monotonic() + 20
    while "FOR NO KEY UPDATE" not in said and time.monotonic() < deadline:  # until it knows the project
        with pytest.raises(StoreReadOnly) as caught:
            Engine.open(repository.root, environ=settings(standby) | beside)
        said = caught.value.message

    assert f"{repository.root} has no index there" in said
    assert "project.checkout" in caught.value.hint
