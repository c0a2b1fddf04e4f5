"""The named queries: each is valid on today's schema of its engine, and none reaches beyond its project."""

import re
import sqlite3
from contextlib import closing

import psycopg
import pytest

from clew.store import sql
from clew.store.database import Database
from tests.store.engines import ENGINE_ERRORS

DIALECTS = ("sqlite", "postgres")
ONLY_POSTGRES = {
    "session_role",
    "store_faults",
    "store_size",
}  # asked by that backend itself; SQLite has pragmas and files
ONLY_SQLITE = {  # a server looks after its own files, and nobody ships one
    "rescue_columns", "rescue_homeless", "foreign_entities", "foreign_episodes", "foreign_learnings", "foreign_tables",
    "written_any", "written_count",
}  # fmt: skip
WITHOUT_PROJECT = {  # what is about projects, or about the database as a whole
    "project_get", "project_put", "schema_exists", "schema_guard", "schema_lock", "schema_version",
    "schema_version_put", "session_role", "store_clock", "store_faults", "store_size", *ONLY_SQLITE,
}  # fmt: skip
WITHOUT_CHECKOUT = {
    "seed_sources",  # what belongs to the project whichever tree an agent works in
    "usage_rankings", "usage_retrievers",
    "episode_after", "episode_recorded_by", "learning_held", "episode_by_id", "episode_by_key",
    "episode_entities_between", "episode_entities_some",
    "episode_entity_put", "episode_last", "episode_latest", "episode_next", "episode_put", "episode_some",
    "learning_about", "learning_current", "learning_end", "learning_entities_some", "learning_entity_put",
    "learning_history", "learning_last", "learning_put",
    "memory_claims", "memory_newest", "move_in_episode", "move_in_episode_entity", "move_in_learning",
    "move_in_learning_entity", "move_out_episode", "move_out_episode_entity", "move_out_learning",
    "move_out_learning_entity",
    "note_end", "note_every", "note_held", "note_history", "note_holders", "note_named", "note_of_task", "note_open",
    "note_put", "move_in_note", "move_out_note",
    "clear_knowledge", "clear_knowledge_view", "forget_knowledge", "knowledge_after", "knowledge_by_id",
    "knowledge_by_key", "knowledge_last", "knowledge_put", "knowledge_view_expire", "knowledge_view_get",
    "knowledge_view_put", "move_in_knowledge", "move_out_knowledge",
    "blob_get", "blob_put", "checkout_get", "checkout_put", "compact_blobs", "move_checkouts", "move_counts",
    "move_in_blob", "embedded_forget",
    "erasure_digests", "erasure_nodes", "erasure_vectors", "forget_episode", "forget_episode_entities",
    "forget_learning", "forget_learning_entities", "forget_note", "forget_vector",
    "clear_job", "job_cancel", "job_change", "job_get", "job_progress", "move_out_job",
    "clear_agent_session", "clear_blob", "clear_claim", "clear_episode", "clear_episode_entity", "clear_feature",
    "clear_graph_tx", "clear_learning", "clear_learning_entity", "clear_note", "clear_project",
    "clear_task", "clear_task_change", "clear_usage", "clear_vector",
    "move_in_usage", "move_in_vector", "move_out_blob", "move_out_checkout", "move_out_graph_tx", "move_out_history",
    "move_out_settled", "move_out_usage", "move_out_vector",
    "project_lock", "move_in_project",
    "tx_end", "tx_get", "tx_last_by", "usage_forget", "usage_latest", "usage_put", "usage_since", "usage_summary",
    "vector_counts", "vector_forget", "vector_get", "vector_has", "vector_put",
    "change_latest", "claim_all_open", "claim_around", "claim_counts", "claim_end", "claim_fence", "claim_get",
    "claim_held", "task_changes_until",
    "claim_latest", "claim_move", "claim_of_agent", "claim_of_task", "feature_all", "feature_get", "feature_put",
    "session_all", "session_end", "session_get", "session_seen", "task_all", "task_change_put",
    "task_changes", "task_get", "task_put", "move_ended", "move_in_agent_session", "move_in_feature", "move_in_task",
    "move_in_task_change", "move_out_agent_session", "move_out_claim", "move_out_feature", "move_out_task",
    "move_out_task_change",
}  # fmt: skip
ABOUT_TABLES = {("postgres", "checkout_settle")}  # not about anyone's rows; it has no plan
TWO_WIDTHS = {"version"}  # meets columns of both: the backend sends every whole number as eight bytes

every_query = pytest.mark.parametrize(
    ("dialect", "name"), [(dialect, name) for dialect in DIALECTS for name in sql.load(dialect)]
)


def parameters(text: str) -> dict[str, int | None]:
    """Every parameter of a query, as nothing where it can be: that fits any type."""
    names = re.findall(r"(?:%\(|(?<!:):)([a-z_]+)", text)
    return {name: 1 if name in TWO_WIDTHS else None for name in names}


def as_written(dialect: str, name: str) -> str:
    """The query with its parameters in the files' own spelling."""
    return re.sub(r"%\(([a-z_]+)\)s", r":\1", sql.load(dialect)[name])


def explain(address: str, dialect: str) -> dict[str, str]:
    """Ask the engine for the plan of every query; what it does not understand."""
    faults = {}
    raw = psycopg.connect(address, autocommit=True) if dialect == "postgres" else sqlite3.connect(address)
    with closing(raw):
        for name, text in sql.load(dialect).items():
            planned = text if (dialect, name) in ABOUT_TABLES else f"EXPLAIN {text}"
            try:
                raw.cursor().execute(planned, parameters(text))
            except ENGINE_ERRORS as error:
                faults[name] = str(error)
    return faults


def test_every_query_can_be_planned_on_its_engine(db: Database, address: str) -> None:
    assert explain(address, db.dialect) == {}


@every_query
def test_every_query_is_bound_to_its_project(dialect: str, name: str) -> None:
    text = as_written(dialect, name)

    unbound = name in WITHOUT_PROJECT or (dialect, name) in ABOUT_TABLES
    assert ("project = :project" in text or ":project," in text) != unbound


@every_query
def test_every_query_of_derived_state_is_bound_to_its_checkout(dialect: str, name: str) -> None:
    text = as_written(dialect, name)
    bound = "checkout = :checkout" in text or ":checkout," in text

    assert bound == (name not in WITHOUT_PROJECT | WITHOUT_CHECKOUT and (dialect, name) not in ABOUT_TABLES)


@every_query
def test_no_query_holds_a_mark_that_was_not_replaced(dialect: str, name: str) -> None:
    assert not re.search(r"\{[a-z_]+\}", sql.load(dialect)[name])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_parameters_are_spelt_as_the_driver_wants_them(dialect: str) -> None:
    foreign = r"(?<!:):[a-z_]+" if dialect == "postgres" else r"%\("

    assert [name for name, text in sql.load(dialect).items() if re.search(foreign, text)] == []


def test_the_dialects_have_the_same_queries() -> None:
    assert sql.load("postgres").keys() - sql.load("sqlite").keys() == ONLY_POSTGRES
    assert sql.load("sqlite").keys() - sql.load("postgres").keys() == ONLY_SQLITE
