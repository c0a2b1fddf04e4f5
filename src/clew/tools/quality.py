"""Questions about a change: what it affects, which tests to run for it, what kind they are, and running them."""

from typing import Annotated

from msgspec import Meta, structs

from clew.engine import Engine
from clew.graph.test_categories import Category
from clew.model.agents import Identity
from clew.tools.architecture import ARCH_SHAPE, ArchValidate, validate
from clew.tools.categories import CATEGORIES_SHAPE, TestCategories, categories
from clew.tools.changed_code import ChangeSelection
from clew.tools.freshness import freshly
from clew.tools.impact import IMPACT_SHAPE, ImpactAnalyze, impact
from clew.tools.patterns import PATTERN_SHAPE, FindPattern, PatternKind, find
from clew.tools.registry import Effect, tool
from clew.tools.selection import TEST_SELECT_SHAPE, Level, TestSelect, selection
from clew.tools.suggestion import SUGGEST_SHAPE, ArchSuggest, suggest
from clew.tools.test_commands import Runner
from clew.tools.test_run import TEST_RUN_SHAPE, TestRequest, TestRun, run

Files = Annotated[tuple[str, ...], Meta(max_length=1000, description="Changed files, relative to the root.")]
Symbols = Annotated[tuple[str, ...], Meta(max_length=200, description="Changed symbols, by id or name.")]
Diff = Annotated[str, Meta(max_length=10_000_000, description="A unified diff, applied to the files or not yet.")]
Since = Annotated[str, Meta(max_length=200, description="Everything that differs from this commit, tag or branch.")]


@tool(Effect.READ, shape=IMPACT_SHAPE, also="blast radius dependents breaks breaking affected risk review change")
def impact_analyze(
    engine: Engine,
    files: Files = (),
    symbols: Symbols = (),
    diff: Diff = "",
    since: Since = "",
    limit: Annotated[int, Meta(ge=1, le=1000, description="At most this many affected symbols.")] = 50,
) -> ImpactAnalyze:
    """Show what a change affects: dependents and why, tests, claims of others. Default: uncommitted edits."""
    asked = ChangeSelection(files, symbols, diff, since)
    found, fresh = freshly(engine, lambda: impact(engine, asked, limit), lambda one: one.quoted())
    return structs.replace(found, freshness=fresh)


@tool(Effect.READ, shape=TEST_SELECT_SHAPE, also="tests affected run change coverage regression ci")
def test_select(
    engine: Engine,
    files: Files = (),
    symbols: Symbols = (),
    diff: Diff = "",
    since: Since = "",
    level: Annotated[
        Level, Meta(description="safe: nearly every affected test; balanced; fast: the most probable.")
    ] = "balanced",
    runner: Annotated[Runner, Meta(description="For `commands`, if not the usual one of the language.")] = "",
    limit: Annotated[int, Meta(ge=1, le=10_000, description="At most this many tests, classes or files.")] = 1000,
) -> TestSelect:
    """Choose the tests to run for a change, best first, each with its reason. Default: uncommitted edits."""
    asked = ChangeSelection(files, symbols, diff, since)
    found, fresh = freshly(engine, lambda: selection(engine, asked, level, limit, runner), lambda one: one.quoted())
    return structs.replace(found, freshness=fresh)


@tool(Effect.READ, shape=CATEGORIES_SHAPE, also="unit integration e2e end-to-end benchmark fixture kind of tests")
def test_categorize(
    engine: Engine,
    files: Annotated[
        tuple[str, ...], Meta(max_length=1000, description="Files or folders of tests; default: all.")
    ] = (),
    category: Annotated[Category | None, Meta(description="List only this one.")] = None,
    limit: Annotated[int, Meta(ge=1, le=10_000, description="At most this many files and tests.")] = 200,
) -> TestCategories:
    """Say which tests are unit, integration, end-to-end, benchmarks or fixtures, each with reasons."""
    found, fresh = freshly(engine, lambda: categories(engine, files, category, limit), lambda one: one.quoted())
    return structs.replace(found, freshness=fresh)


@tool(Effect.WRITE, shape=TEST_RUN_SHAPE, also="execute pytest jest suite verify failures results", dated=False)
def test_run(
    engine: Engine,
    tests: Annotated[tuple[str, ...], Meta(max_length=10_000, description="Ids of tests, classes or files.")] = (),
    affected: Annotated[bool, Meta(description="Run the tests that uncommitted changes need.")] = False,
    since: Since = "",
    level: Annotated[Level, Meta(description="Of the selection, with `affected` or `since`.")] = "balanced",
    task_id: Annotated[str, Meta(max_length=200, description="Remember the result for this task.")] = "",
    *,
    who: Identity,
) -> TestRun:
    """Run the configured test command; failures first, with their code. Off unless configured."""
    change = ChangeSelection(since=since) if affected or since else None
    return run(engine, TestRequest(tests, change, level, task_id), who)


@tool(Effect.READ, shape=ARCH_SHAPE, also="architecture layers rules violations boundaries cycles forbidden import")
def arch_validate(
    engine: Engine,
    rules: Annotated[tuple[str, ...], Meta(max_length=200, description="Only these rules, by name.")] = (),
    baseline: Annotated[bool, Meta(description="Leave out violations that the baseline accepts.")] = True,
) -> ArchValidate:
    """Check the architecture rules: violations with their import chains; without rules, propose some."""
    found, fresh = freshly(engine, lambda: validate(engine, rules, baseline=baseline), lambda one: one.quoted())
    return structs.replace(found, freshness=fresh)


@tool(Effect.READ, shape=SUGGEST_SHAPE, also="where put place new code belongs folder layer structure")
def arch_suggest(
    engine: Engine,
    description: Annotated[str, Meta(min_length=1, max_length=20_000, description="What the new code is to do.")],
    limit: Annotated[int, Meta(ge=1, le=100, description="At most this many places.")] = 5,
) -> ArchSuggest:
    """Suggest where a new piece of code belongs, with reasons from search, graph and layers."""
    found, fresh = freshly(engine, lambda: suggest(engine, description, limit), lambda one: one.quoted())
    return structs.replace(found, freshness=fresh)


@tool(
    Effect.READ, shape=PATTERN_SHAPE, also="smell cycle circular dead unused duplicate clone god large hotspot similar"
)
def find_pattern(
    engine: Engine,
    pattern: Annotated[PatternKind | None, Meta(description="Which; default: some of each.")] = None,
    path: Annotated[str, Meta(max_length=2000, description="Only below this folder or file.")] = "",
    like: Annotated[str, Meta(max_length=100_000, description="With similar: a symbol, or a piece of code.")] = "",
    limit: Annotated[int, Meta(ge=1, le=1000, description="At most this many.")] = 40,
) -> FindPattern:
    """Find cycles, oversized, dead or duplicate code, unused exports, hotspots, or similar code."""
    found, fresh = freshly(engine, lambda: find(engine, pattern, path, like, limit), lambda one: one.quoted())
    return structs.replace(found, freshness=fresh)
