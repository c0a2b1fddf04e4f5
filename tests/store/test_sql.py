"""The named queries: each is valid on today's schema, and none reaches beyond its project."""

import re

import pytest

from clew.store import sql
from clew.store.database import Database
from clew.store.sqlite import SQLite

QUERIES = sql.load("sqlite")
WITHOUT_PROJECT = {"project_get", "project_put", "schema_exists", "schema_version", "schema_version_put"}
WITHOUT_CHECKOUT = {  # what belongs to the project whichever tree an agent works in
    "blob_get", "blob_put", "checkout_get", "checkout_put", "tx_end", "tx_files", "tx_get", "tx_last_start",
    "usage_latest", "usage_put", "usage_summary",
}  # fmt: skip

every_query = pytest.mark.parametrize("name", QUERIES)


@every_query
def test_every_query_can_be_prepared(db: Database, name: str) -> None:
    assert isinstance(db, SQLite)
    parameters = dict.fromkeys(re.findall(r":([a-z_]+)", QUERIES[name]), 1)

    plan = db._connection().raw.execute(f"EXPLAIN {QUERIES[name]}", parameters).fetchall()

    assert plan, "the waist runs named queries only, so the plan is asked of its connection"


@every_query
def test_every_query_is_bound_to_its_project(name: str) -> None:
    assert ("project = :project" in QUERIES[name] or ":project," in QUERIES[name]) == (name not in WITHOUT_PROJECT)


@every_query
def test_every_query_of_derived_state_is_bound_to_its_checkout(name: str) -> None:
    bound = "checkout = :checkout" in QUERIES[name] or ":checkout," in QUERIES[name]

    assert bound == (name not in WITHOUT_PROJECT | WITHOUT_CHECKOUT)


@every_query
def test_no_query_holds_a_mark_that_was_not_replaced(name: str) -> None:
    assert not re.search(r"\{[a-z_]+\}", QUERIES[name])


def test_a_query_written_for_another_dialect_is_left_out() -> None:
    assert "schema_exists" not in sql.load("postgres")
    assert sql.load("postgres").keys() < QUERIES.keys()
