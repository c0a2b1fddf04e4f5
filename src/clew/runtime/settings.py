"""The settings, one frozen value per section; each key carries its rule, its description and its reach.

A setting marked `INSIDE` only affects the inside of the project: a repository's context.toml may set it. Every other
setting reaches outside (a server, another file, an environment variable, installed code, the network), and a repository
may set it only once the user has accepted the value with `clew trust`. A new setting without a mark reaches outside.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated

from msgspec import Struct

from clew.model.errors import Unavailable
from clew.runtime.values import (
    EXTENSIONS,
    INSIDE,
    REGEXES,
    REPOSITORIES,
    STRINGS,
    USER_TOKENS,
    Flag,
    Inside,
    IntegerRange,
    Name,
    OneOf,
    ProjectName,
    Real,
    Secret,
    Tables,
    Text,
    Url,
)

FLAG = Flag()
MEGABYTES = Real(0.001, 1024)
FILE_MEGABYTES = Real(0.001, 256)  # a value in the store may unpack to no more than twice as much
TOKENS = IntegerRange(1, 1_000_000)
NO_MODEL = "none"  # nothing is embedded
OWN = "clew"  # the model in the package
OWN_NAME = "clew-3"  # beside its vectors; another table has another

PRIORITY = (".kt", ".py", ".ts", ".java", ".md")
IGNORED = (
    *(".git", ".hg", ".svn", ".clew", ".idea", ".vscode"),
    *("node_modules", "target", "build", "dist", ".venv", ".tox", "__pycache__"),
    *(".mypy_cache", ".pytest_cache", ".ruff_cache"),
    *("*.class", "*.pyc", "*.min.js", "*.js.map"),
)


class Project(Struct, frozen=True):
    id: Annotated[
        str,
        ProjectName(),
        "Project id in the store; empty: generated once in .clew/. Required on PostgreSQL.",
    ] = ""
    checkout: Annotated[
        str, Name(), "Name of this working tree on PostgreSQL; empty: derived from host, path and a marker in .clew/."
    ] = ""
    part: Annotated[
        str, Name(), "The project of [projects.NAME] to answer about, by default; empty: the whole workspace."
    ] = ""


class EngineSettings(Struct, frozen=True):
    host: Annotated[str, Text(1), "Address that `clew serve` binds."] = "127.0.0.1"
    port: Annotated[int, IntegerRange(0, 65535), "Port that `clew serve` binds; 0: any free one."] = 9090
    timeout_ms: Annotated[int, IntegerRange(1, 600_000), "Time-out of one request of `clew.connect()`."] = 30_000
    retry_attempts: Annotated[
        int, IntegerRange(0, 20), "Number of retries of a request of `clew.connect()` that failed temporarily."
    ] = 3


@dataclass(frozen=True, slots=True)
class Storage:
    db_path: Annotated[
        str, Text(), "Database file; empty: .clew/clew.db under the root.", Inside(within_project=True)
    ] = ""
    url: Annotated[
        str,
        Url(schemes=("postgresql", "postgres")),
        "Shared PostgreSQL database, as postgresql://user@host/name; empty: the local database file.",
    ] = field(default="", repr=False)
    trust_index: Annotated[
        bool, FLAG, "Use an index in .clew/ that another user or machine made, as a cache of a build server."
    ] = False
    backup_enabled: Annotated[bool, FLAG, "Make backups of all ground state while Clew runs.", INSIDE] = False
    backup_interval_hours: Annotated[float, Real(0.1, 8760), "Hours between two such backups.", INSIDE] = 24.0
    backup_keep: Annotated[int, IntegerRange(1, 1000), "Number of backups that are kept in .clew/backups.", INSIDE] = 7
    pool_size: Annotated[int, IntegerRange(1, 1000), "Maximum number of PostgreSQL connections per process."] = 8
    pool_timeout_seconds: Annotated[float, Real(0.1, 3600), "How long to wait for a free connection, in seconds."] = (
        30.0
    )


class Watcher(Struct, frozen=True):
    enabled: Annotated[bool, FLAG, "Keep the index current while `clew serve` runs, by watching the files.", INSIDE] = (
        True
    )
    in_mcp: Annotated[bool, FLAG, "Also watch while `clew mcp` runs.", INSIDE] = False
    debounce_ms: Annotated[
        int, IntegerRange(10, 60_000), "Milliseconds without a change before changed files are indexed.", INSIDE
    ] = 500
    polling: Annotated[bool, FLAG, "Sweep the tree periodically instead of watching it.", INSIDE] = False
    watch_paths: Annotated[
        tuple[str, ...], STRINGS, 'Directories that belong to the project; "auto": the whole root.', INSIDE
    ] = ("auto",)
    ignore_patterns: Annotated[
        tuple[str, ...], STRINGS, "Names and globs to exclude; the defaults never hide a file that git tracks.", INSIDE
    ] = IGNORED
    use_gitignore: Annotated[bool, FLAG, "Apply .gitignore files.", INSIDE] = True
    use_contextignore: Annotated[bool, FLAG, "Apply the .contextignore file.", INSIDE] = True
    use_dockerignore: Annotated[bool, FLAG, "Apply the .dockerignore file.", INSIDE] = False
    case_sensitive: Annotated[bool, FLAG, "Whether ignore patterns are case-sensitive.", INSIDE] = False


class Indexing(Struct, frozen=True):
    allowed_extensions: Annotated[
        tuple[str, ...], EXTENSIONS, "Index only these extensions; empty: every text file.", INSIDE
    ] = ()
    blocked_extensions: Annotated[tuple[str, ...], EXTENSIONS, "Never index these extensions.", INSIDE] = ()
    max_file_size_mb: Annotated[float, FILE_MEGABYTES, "Skip files larger than this.", INSIDE] = 5.0
    warn_file_size_mb: Annotated[float, FILE_MEGABYTES, "Warn about files larger than this.", INSIDE] = 2.0
    size_exceptions: Annotated[tuple[str, ...], STRINGS, "Files to index regardless of their size.", INSIDE] = ()
    follow_symlinks: Annotated[bool, FLAG, "Follow symbolic links that stay inside the project.", INSIDE] = False
    max_symlink_depth: Annotated[int, IntegerRange(1, 40), "Maximum length of a chain of symbolic links.", INSIDE] = 3
    binary_detection: Annotated[
        str, OneOf(("extension", "mime", "content", "all")), "How binary files are detected.", INSIDE
    ] = "all"
    binary_threshold: Annotated[
        int,
        IntegerRange(0, 100),
        "Percentage of non-ASCII bytes that makes a file binary; valid UTF-8 and UTF-16 never are.",
        INSIDE,
    ] = 30


class ChunkRules(Struct, frozen=True):
    max_tokens: Annotated[
        int,
        TOKENS,
        "Tokens of a chunk: short units are grouped up to this, longer ones are ranked by passages.",
        INSIDE,
    ] = 400


class Embedding(Struct, frozen=True):
    model: Annotated[
        str,
        Name(),
        "Embedding model: clew, minilm, openai, none, or the name of a plug-in's embedder.",
        Inside((OWN, NO_MODEL)),
    ] = OWN
    dimension: Annotated[
        int, IntegerRange(0, 65_536), "Dimension of the vectors, if the model supports several; 0: the model's default."
    ] = 0
    batch_size: Annotated[
        int, IntegerRange(1, 10_000), "Number of texts embedded together, or sent in one request."
    ] = 128
    cache_enabled: Annotated[bool, FLAG, "Keep vectors in the store, and fill it in the background.", INSIDE] = True
    base_url: Annotated[
        str, Url(schemes=("http", "https")), "Server for model openai, as https://host/v1; empty: none."
    ] = ""
    remote_model: Annotated[str, Name(), "Model name to request from that server."] = "text-embedding-3-small"
    api_key_variable: Annotated[str, Name(), "Environment variable with the API key; empty: send no key."] = (
        "OPENAI_API_KEY"
    )
    timeout_ms: Annotated[int, IntegerRange(1, 600_000), "Time-out of one request."] = 30_000
    retry_attempts: Annotated[int, IntegerRange(0, 20), "Number of retries of a request that failed temporarily."] = 5
    requests_per_minute: Annotated[
        int, IntegerRange(0, 1_000_000), "Maximum number of requests per minute; 0: unlimited."
    ] = 0


@dataclass(frozen=True, slots=True)
class Chunking(Mapping[str, ChunkRules]):
    """Rules by language, sorted; pairs and not a dict, so that a Config has a hash and travels to workers."""

    languages: tuple[tuple[str, ChunkRules], ...] = (
        ("javascript", ChunkRules(600)),
        ("jupyter", ChunkRules(600)),
        ("markdown", ChunkRules(400)),
        ("other", ChunkRules(400)),
        ("python", ChunkRules(600)),
        ("tsx", ChunkRules(600)),
        ("typescript", ChunkRules(600)),
    )

    def __getitem__(self, language: str) -> ChunkRules:
        return dict(self.languages)[language]

    def __iter__(self) -> Iterator[str]:
        return (language for language, _ in self.languages)

    def __len__(self) -> int:
        return len(self.languages)

    def of(self, language: str) -> ChunkRules:
        """The language's own rules, or those of `other`."""
        return self.get(language, self["other"])

    def with_rules(self, language: str, rules: ChunkRules) -> "Chunking":
        return Chunking(tuple(sorted({**self, language: rules}.items())))


class PartRules(Struct, frozen=True):
    watch_paths: Annotated[tuple[str, ...], STRINGS, "Directories of the workspace that belong to it.", INSIDE] = ()
    ignore_patterns: Annotated[
        tuple[str, ...], STRINGS, "Names and globs to exclude, beside those of [watcher].", INSIDE
    ] = ()


@dataclass(frozen=True, slots=True)
class ProjectParts(Mapping[str, PartRules]):
    """The projects of a workspace by name, sorted; pairs, as above."""

    parts: tuple[tuple[str, PartRules], ...] = ()

    def __getitem__(self, name: str) -> PartRules:
        return dict(self.parts)[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def of(self, name: str) -> PartRules:
        return self.get(name, PartRules())

    def with_rules(self, name: str, rules: PartRules) -> "ProjectParts":
        return ProjectParts(tuple(sorted({**self, name: rules}.items())))


class QuerySettings(Struct, frozen=True):
    default_k: Annotated[int, IntegerRange(1, 100), "Number of results if the search sets no limit.", INSIDE] = 12
    min_score_threshold: Annotated[float, Real(0, 1), "Drop results with a lower score.", INSIDE] = 0.3
    mmr_lambda: Annotated[float, Real(0, 1), "Trade-off between relevance (1) and diversity (0).", INSIDE] = 0.9
    refresh: Annotated[bool, FLAG, "Check for changed files before each question, and index them first.", INSIDE] = True
    refresh_budget_ms: Annotated[
        int,
        IntegerRange(1, 60_000),
        "Time limit for checking files before an answer; the rest is checked in the background.",
        INSIDE,
    ] = 150
    link_at_once: Annotated[
        int,
        IntegerRange(0, 1_000_000),
        "Trees up to this many files are fully linked before an answer, larger ones in the background.",
        INSIDE,
    ] = 300


class BudgetSettings(Struct, frozen=True):
    default_max_tokens: Annotated[int, TOKENS, "Token budget of an answer if the call sets none.", INSIDE] = 1500
    reserve_for_prompt: Annotated[
        int, IntegerRange(0, 1_000_000), "Tokens of a task's prompt reserved for other text.", INSIDE
    ] = 500
    warn_threshold_percent: Annotated[
        int, IntegerRange(1, 100), "Percentage of a task's prompt above which its context causes a warning.", INSIDE
    ] = 80


class Provider(Struct, frozen=True):
    enabled: Annotated[bool, FLAG, "Whether this retriever is used.", INSIDE] = True
    weight: Annotated[float, Real(0, 100), "Weight relative to the other retrievers.", INSIDE] = 1.0


class FullTextSettings(Struct, frozen=True):
    enabled: Annotated[bool, FLAG, "Whether this retriever is used.", INSIDE] = True
    weight: Annotated[float, Real(0, 100), "Weight relative to the other retrievers.", INSIDE] = 1.0
    delta: Annotated[
        float,
        Real(0, 10),
        "Lower bound of a term's contribution regardless of text length: 0 is BM25, 0.25 is BM25+.",
        INSIDE,
    ] = 0.0


class GitHistorySettings(Struct, frozen=True):
    enabled: Annotated[bool, FLAG, "Whether this retriever is used.", INSIDE] = True
    weight: Annotated[float, Real(0, 100), "Weight relative to the other retrievers.", INSIDE] = 0.65
    max_commits: Annotated[
        int, IntegerRange(0, 100_000), "Number of recent commits whose messages are used.", INSIDE
    ] = 4000


class Hybrid(Struct, frozen=True):
    fusion_strategy: Annotated[
        str,
        OneOf(("evidence", "rrf", "weighted_average", "cascade")),
        "How the scores of all retrievers are combined.",
        INSIDE,
    ] = "evidence"


RETRIEVERS = ("full_text", "symbol", "path", "git_history", "graph", "semantic", "summary")


class Providers(Struct, frozen=True):
    """Weights were fitted: docs/fitted.md. In the order in which reasons are told."""

    full_text: FullTextSettings = FullTextSettings()
    symbol: Provider = Provider()
    path: Provider = Provider()
    git_history: GitHistorySettings = GitHistorySettings()
    graph: Provider = Provider(enabled=False, weight=0.2)
    semantic: Provider = Provider(weight=0.7)
    summary: Provider = Provider(weight=0.6)
    hybrid: Hybrid = Hybrid()
    plugins: Annotated[
        tuple[str, ...], STRINGS, "Retrievers of installed plug-ins to use: a name, or name=weight."
    ] = ()

    def weights(self) -> dict[str, float]:
        """Of those that are enabled."""
        own = {name: getattr(self, name) for name in RETRIEVERS}
        brought = (one.partition("=") for one in self.plugins)
        return {
            **{name: one.weight for name, one in own.items() if one.enabled and one.weight},
            **{name: float(weight or 1) for name, _, weight in brought},
        }


class Metrics(Struct, frozen=True):
    enabled: Annotated[bool, FLAG, "Record usage, on this machine only.", INSIDE] = True
    keep_days: Annotated[int, IntegerRange(1, 36_500), "Days for which usage is kept.", INSIDE] = 365


class Bootstrap(Struct, frozen=True):
    enabled: Annotated[bool, FLAG, "Index in the background while an MCP client is served.", INSIDE] = True
    parallel_workers: Annotated[int, IntegerRange(0, 256), "Number of parsing processes; 0: one per core."] = 0
    priority_extensions: Annotated[tuple[str, ...], EXTENSIONS, "Extensions to index first.", INSIDE] = PRIORITY
    max_initial_files: Annotated[int, IntegerRange(0, 10_000_000), "Index at most this many files; 0: all.", INSIDE] = 0
    fail_fast: Annotated[bool, FLAG, "Stop at the first file that cannot be indexed.", INSIDE] = False
    show_progress: Annotated[bool, FLAG, "Report progress.", INSIDE] = True
    progress_interval_seconds: Annotated[int, IntegerRange(1, 3600), "Seconds between progress messages.", INSIDE] = 30


class JobSettings(Struct, frozen=True):
    scan_every_hours: Annotated[
        float, Real(0, 8760), "Hours after which a running server scans the tree without being asked; 0: never.", INSIDE
    ] = 0.0
    webhook_url: Annotated[
        str, Url(schemes=("http", "https")), "Address that is sent a JSON message when a job ends; empty: none."
    ] = ""


@dataclass(frozen=True, slots=True)
class Security:
    scrub_secrets: Annotated[bool, FLAG, "Replace secrets before anything is stored.", Inside((True,))] = True
    secret_patterns: Annotated[tuple[str, ...], REGEXES, "Additional patterns of secrets.", Inside(adds=True)] = ()
    secret_allow: Annotated[
        tuple[str, ...],
        REGEXES,
        "Values that are no secrets: patterns, or `digest:` with what `clew secrets` shows.",
    ] = ()
    encrypt_db: Annotated[
        bool, FLAG, "Encrypt the database and all other files of .clew/; the key is required.", Inside((True,))
    ] = False
    encryption_key: Annotated[
        str, Secret(), "Key of 64 hexadecimal digits, as `clew key` makes one; best given by its variable."
    ] = field(default="", repr=False)
    encryption_key_file: Annotated[
        str, Text(), "File with the key, which only its owner may read; empty: the system's keyring."
    ] = ""

    @property
    def scrub_rules(self) -> dict[str, object]:
        """What decides which texts are stored."""
        return {
            "scrub_secrets": self.scrub_secrets,
            "secret_patterns": self.secret_patterns,
            "secret_allow": self.secret_allow,
        }


@dataclass(frozen=True, slots=True)
class Server:
    token: Annotated[str, Secret(), "Bearer token required of clients; empty: none."] = field(default="", repr=False)
    user_tokens: Annotated[
        tuple[str, ...],
        USER_TOKENS,
        "Bearer tokens of users, each as NAME=TOKEN: preferences belong to the user of the token.",
    ] = field(default=(), repr=False)
    tokens: Annotated[
        tuple[str, ...],
        STRINGS,
        "Tokens with a scope, stored as digests, each as NAME:SCOPE:SHA256; `clew token` makes one.",
    ] = ()
    requests_per_minute: Annotated[
        int, IntegerRange(0, 10_000_000), "Maximum number of requests per minute and client; 0: unlimited."
    ] = 0
    max_body_mb: Annotated[float, MEGABYTES, "Refuse requests larger than this."] = 8.0
    allowed_roots: Annotated[
        tuple[str, ...],
        STRINGS,
        "Directories whose projects `clew mcp` and `clew serve` may open besides their own.",
    ] = ()
    allowed_hosts: Annotated[tuple[str, ...], STRINGS, "Host names to accept in addition to the local ones."] = ()
    allowed_origins: Annotated[
        tuple[str, ...], STRINGS, "Origins of web pages that may call the server, as https://host:port."
    ] = ()
    request_seconds: Annotated[float, Real(0.1, 86_400), "Time limit of a request over HTTP or MCP, in seconds."] = 300
    agent_card_key: Annotated[
        str, Text(), "PEM file with a private key of the curve P-256, which signs the A2A agent card."
    ] = ""


class ToolsSettings(Struct, frozen=True):
    toolsets: Annotated[tuple[str, ...], STRINGS, "Toolsets offered to agents."] = ("core",)
    read_only: Annotated[bool, FLAG, "Remove all tools that write.", Inside((True,))] = False


class FleetSettings(Struct, frozen=True):
    heartbeat_seconds: Annotated[
        float,
        Real(0, 31_536_000),
        "After how many seconds of silence a claim holder counts as gone; 0: never.",
        INSIDE,
    ] = 0.0


@dataclass(frozen=True, slots=True)
class MemorySettings:
    working_notes: Annotated[
        int, IntegerRange(1, 1000), "Working notes kept per agent session; the oldest become episodes.", INSIDE
    ] = 12
    reflect_every_minutes: Annotated[
        float,
        Real(0, 525_600),
        "Interval at which a running `clew mcp` or `clew serve` reflects on new episodes; 0: never.",
    ] = 0.0
    agent_key: Annotated[
        str, Secret(), "Key of this agent, as `clew key` makes one: only it can read its sensitive episodes."
    ] = field(default="", repr=False)
    user: Annotated[
        str, Name(), "Name among those who share a PostgreSQL role, for preferences; empty: the login name."
    ] = ""


class MagmaSettings(Struct, frozen=True):
    semantic_top_k: Annotated[int, IntegerRange(1, 100), "Nodes that a search of knowledge starts from.", INSIDE] = 10
    min_semantic_score: Annotated[
        float,
        Real(0, 1),
        "Least score of such a node, which is its share of the information in the question.",
        INSIDE,
    ] = 0.5
    entity_depth: Annotated[
        int, IntegerRange(0, 10), "Steps along relations of entities, unless the intent gives others.", INSIDE
    ] = 2
    temporal_depth: Annotated[
        int, IntegerRange(0, 10), "Steps from entity to event to entity, unless the intent gives others.", INSIDE
    ] = 2
    causal_depth: Annotated[
        int, IntegerRange(0, 10), "Steps along causes and effects, unless the intent gives others.", INSIDE
    ] = 3
    min_nodes_per_view: Annotated[
        int, IntegerRange(0, 1000), "If every view has fewer nodes, only the search's own nodes are answered.", INSIDE
    ] = 3
    max_nodes_per_view: Annotated[int, IntegerRange(1, 1000), "Nodes at which a view stops to grow.", INSIDE] = 50
    multi_view_boost: Annotated[float, Real(1, 10), "Factor of the score of nodes in several views.", INSIDE] = 1.5
    single_valued: Annotated[
        tuple[str, ...], STRINGS, "Further predicates with one object at a time, as `deployed to`.", INSIDE
    ] = ()
    multi_valued: Annotated[
        tuple[str, ...], STRINGS, "Predicates that may have several objects at a time, as `owner`.", INSIDE
    ] = ()
    base_url: Annotated[
        str,
        Url(schemes=("http", "https")),
        "Server that plans, extracts and writes for `recall` and `remember`, as https://host/v1; empty: none.",
    ] = ""
    model: Annotated[str, Name(), "Model name to request from that server."] = "gpt-4o-mini"
    api_key_variable: Annotated[str, Name(), "Environment variable with the API key; empty: send no key."] = (
        "OPENAI_API_KEY"
    )
    timeout_ms: Annotated[int, IntegerRange(1, 600_000), "Time-out of one request."] = 20_000


class HistorySettings(Struct, frozen=True):
    import_commits: Annotated[
        int,
        IntegerRange(0, 10_000_000),
        "Newest commits that are imported in the background after an index run; 0: none.",
        INSIDE,
    ] = 0
    import_seconds: Annotated[
        float, Real(0, 86_400), "Time limit of an import in seconds, unless the command names one; 0: none.", INSIDE
    ] = 0.0
    import_megabytes: Annotated[
        float,
        Real(0, 1_000_000),
        "By how many megabytes an import may let the database grow, unless the command names it; 0: no limit.",
        INSIDE,
    ] = 2000.0
    views: Annotated[
        int,
        IntegerRange(1, 100),
        "Past states of the tree that are kept indexed for `as_of`; the least used goes.",
        INSIDE,
    ] = 2


class ServicesSettings(Struct, frozen=True):
    enabled: Annotated[bool, FLAG, "Whether services and their connections are read from the files.", INSIDE] = True
    folders: Annotated[
        tuple[str, ...], STRINGS, "Services that no deployment or manifest tells, as name=folder.", INSIDE
    ] = ()
    repositories: Annotated[
        tuple[str, ...],
        REPOSITORIES,
        "Other repositories of the system, as name=folder: indexed projects, joined into one service graph.",
    ] = ()
    asyncapi: Annotated[
        str,
        OneOf(("specification", "literal")),
        "How AsyncAPI 2 is read: by the specification (clients publish), or literally (the service does).",
        INSIDE,
    ] = "specification"


class ArchitectureSettings(Struct, frozen=True):
    rules: Annotated[
        tuple[str, ...], Tables(), "Rules about dependencies, each a table [[architecture.rules]].", INSIDE
    ] = ()
    contracts: Annotated[bool, FLAG, "Check contracts of import-linter and dependency-cruiser, too.", INSIDE] = True
    baseline: Annotated[
        str, Text(1), "File with violations that are accepted for now.", Inside(within_project=True)
    ] = "architecture-baseline.json"


class SummarySettings(Struct, frozen=True):
    base_url: Annotated[
        str, Url(schemes=("http", "https")), "Server that writes summaries, as https://host/v1; empty: none."
    ] = ""
    model: Annotated[str, Name(), "Model name to request from that server."] = "gpt-4o-mini"
    api_key_variable: Annotated[str, Name(), "Environment variable with the API key; empty: send no key."] = (
        "OPENAI_API_KEY"
    )
    batch_size: Annotated[int, IntegerRange(1, 200), "Number of summaries in one request."] = 20
    timeout_ms: Annotated[int, IntegerRange(1, 600_000), "Time-out of one request."] = 60_000
    retry_attempts: Annotated[int, IntegerRange(0, 20), "Number of retries of a request that failed temporarily."] = 5
    requests_per_minute: Annotated[
        int, IntegerRange(0, 1_000_000), "Maximum number of requests per minute; 0: unlimited."
    ] = 0
    price_per_million_tokens: Annotated[
        float, Real(0, 10_000), "Price of a million tokens, for the cost that is shown first; 0: unknown.", INSIDE
    ] = 0.0


class TestRunSettings(Struct, frozen=True):
    command: Annotated[
        str,
        Text(),
        "Command of `test_run`, as `pytest -q {tests}` (or {files}), without a shell; empty: off.",
    ] = ""
    report: Annotated[
        str, Text(), "JUnit XML file that the command writes; empty: its output is read.", Inside(within_project=True)
    ] = ""
    timeout_seconds: Annotated[float, Real(1, 86_400), "Time limit of a test run, in seconds.", INSIDE] = 600.0
    max_output_kb: Annotated[
        int, IntegerRange(1, 1_000_000), "Kilobytes of the output of a test run that are read, from its end.", INSIDE
    ] = 1024


class Log(Struct, frozen=True):
    level: Annotated[
        str, OneOf(("debug", "info", "warning", "error")), "Minimum severity of logged messages.", INSIDE
    ] = "warning"
    format: Annotated[str, OneOf(("text", "json")), "Format of log lines.", INSIDE] = "text"


class Config(Struct, frozen=True):
    enabled: Annotated[bool, FLAG, "Master switch.", INSIDE] = True
    mode: Annotated[
        str,
        OneOf(("embedded", "standalone", "hybrid")),
        "Where `clew.connect()` works: in this process, on the server of [engine], or there if not here.",
    ] = "embedded"
    fallback_enabled: Annotated[bool, FLAG, "Whether a task continues without context if Clew fails.", INSIDE] = True
    project: Project = Project()
    projects: ProjectParts = ProjectParts()
    engine: EngineSettings = EngineSettings()
    storage: Storage = Storage()
    watcher: Watcher = Watcher()
    indexing: Indexing = Indexing()
    embedding: Embedding = Embedding()
    chunking: Chunking = Chunking()
    query: QuerySettings = QuerySettings()
    budget: BudgetSettings = BudgetSettings()
    providers: Providers = Providers()
    metrics: Metrics = Metrics()
    bootstrap: Bootstrap = Bootstrap()
    jobs: JobSettings = JobSettings()
    security: Security = Security()
    server: Server = Server()
    tools: ToolsSettings = ToolsSettings()
    fleet: FleetSettings = FleetSettings()
    memory: MemorySettings = MemorySettings()
    magma: MagmaSettings = MagmaSettings()
    history: HistorySettings = HistorySettings()
    services: ServicesSettings = ServicesSettings()
    architecture: ArchitectureSettings = ArchitectureSettings()
    summaries: SummarySettings = SummarySettings()
    tests: TestRunSettings = TestRunSettings()
    log: Log = Log()

    def retrievers(self) -> dict[str, float]:
        """The retrievers of a search, and their weights. Without a model, the semantic one is left out; without a
        server of summaries, the one that reads them.

        The graph alone finds nothing: it only reranks the findings of others.
        """
        weights = self.providers.weights() if self.enabled else {}
        without = {"semantic": self.embedding.model == NO_MODEL, "summary": not self.summaries.base_url}
        kept = {name: one for name, one in weights.items() if not without.get(name)}
        return kept if kept.keys() - {"graph"} else {}

    def require_search(self) -> None:
        """Raises if no retriever takes part in a search; the error names the setting that caused it."""
        if self.retrievers():
            return
        if not self.enabled:
            cause, hint = "enabled is false", "Set enabled to true."
        elif "semantic" in self.providers.weights():
            cause = "only providers.semantic is enabled, and embedding.model is none"
            hint = "Set embedding.model to clew, or enable another provider, for example providers.full_text."
        elif "graph" in self.providers.weights():
            cause = "only providers.graph is enabled, which ranks what other providers find"
            hint = "Set providers.full_text.enabled to true."
        else:
            on = {name for name in RETRIEVERS if getattr(self.providers, name).enabled}
            cause = "every provider is disabled" if not on - {"summary"} else "no enabled provider has a weight"
            hint = "Set providers.full_text.enabled to true, and its weight above 0."
        raise Unavailable(f"searching is switched off: {cause}", f"{hint} `clew config` shows where it was set.")
