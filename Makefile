# Works from a fresh clone with Python 3.11 or later, make and access to a package index.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV := $(VENV)/.dev
JUDGES := .node/.ready
PEERS := .node/peers/.ready
NODE_MODULES := node_modules/.ready
MKDOCS_BIN := .site/venv/bin
MKDOCS := .site/.ready

.DEFAULT_GOAL := help
.PHONY: help up test core rest postgres check static format lint types imports docs javascript generate site bench lock release clean programs

help:  ## Show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 18

up: $(READY)  ## Install Gatepost and serve this folder's store on http://127.0.0.1:4870
	@echo "To use Gatepost in a project of your own:"
	@echo "  1. pipx install '$(CURDIR)'                 (or: uv tool install '$(CURDIR)')"
	@echo "  2. cd your-project && gatepost init         connects your agents and shows what it writes"
	@echo "  3. gatepost up --open                       the page; then ask your agent to plan something"
	@echo
	@$(BIN)/gatepost up

check: static test  ## Run everything that must pass before a change lands: format, lint, types, imports, docs, tests

# mypy needs one core for most of this time. The other core does the rest.
static: $(DEV)
	@$(MAKE) --no-print-directory -j2 types lint imports docs javascript $(JUDGES) programs

lint: $(DEV)
	$(BIN)/ruff format --check
	$(BIN)/ruff check

types: $(DEV)
	$(BIN)/mypy

imports: $(DEV)
	$(BIN)/lint-imports

docs: $(DEV)
	$(BIN)/python -m docs.check

# Node and npm are only needed to check the page, which has no build step. Without them this says so and goes on.
javascript: $(NODE_MODULES)  ## Format, lint and type-check the page
	@if [ -e $< ]; then node_modules/.bin/biome ci --error-on-warnings && node_modules/.bin/tsc --project .; \
		else echo "NOT CHECKED: the page's JavaScript. npm could not install biome and typescript."; fi

# Most tests wait more than they compute, so there is one more process than cores.
PYTEST := pytest -n 3 --dist worksteal
CORE := domain engine operations replies views wire
CORE_TESTS := $(wildcard $(addprefix tests/,$(filter-out engine,$(CORE))))
comma := ,
space := $() $()

test: core rest postgres  ## Run every test

# The layers that hold the rules. Their tests call them directly, so their coverage can be measured.
core: $(DEV)
	$(BIN)/python -m slipcover --source $(subst $(space),$(comma),$(wildcard $(addprefix src/gatepost/,$(CORE)))) \
		--json --out .coverage.json -m $(PYTEST) $(CORE_TESTS)
	$(BIN)/python -m docs.coverage .coverage.json

rest: $(DEV) $(JUDGES) programs
	$(BIN)/python -m $(PYTEST) $(addprefix --ignore=,$(CORE_TESTS))

# The task suite once more, on a real PostgreSQL server that the tests start and stop.
postgres: $(DEV) programs
	GATEPOST_TEST_STORE=postgresql $(BIN)/python -m $(PYTEST) tests/operations

format: $(DEV)  ## Format the code and fix what can be fixed automatically
	$(BIN)/ruff format
	$(BIN)/ruff check --fix
	@[ ! -e $(NODE_MODULES) ] || node_modules/.bin/biome check --write

generate: $(DEV)  ## Write the files that are generated from the registry
	$(BIN)/python -m docs.generate

site: $(MKDOCS)  ## Build the documentation site into site/; a broken link is an error
	@$(MKDOCS_BIN)/python docs/site.py

bench: $(DEV) $(PEERS)  ## Run the benchmarks; results are ratios within one run
	$(BIN)/python -m bench

# The versions and hashes of everything that `make` installs. Markers cover every supported Python and platform.
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-emit-index-url \
	--custom-compile-command 'make lock' $(UPGRADE)
lock: $(DEV)  ## Lock the dependencies again, after a change to pyproject.toml; UPGRADE=--upgrade takes newer versions
	$(COMPILE) pyproject.toml --output-file requirements/runtime.txt
	$(COMPILE) pyproject.toml --group dev --constraint requirements/runtime.txt --output-file requirements/dev.txt
	$(COMPILE) --group site --output-file requirements/site.txt
	echo uv | $(COMPILE) - --output-file requirements/installer.txt

release: $(DEV)  ## Build the wheel, the source archive and the list of components, and say how to publish them
	$(BIN)/python -m docs.release

clean:  ## Remove everything that was built or installed
	rm -rf $(VENV) .node .site site node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage.json dist

# uv installs a locked environment several times faster than pip. Where uv or its index cannot be used, pip installs
# the same files, checked against the same hashes.
define install
$(BIN)/uv pip install --python $(BIN)/python --quiet $(1) \
	|| $(BIN)/python -m pip install --quiet --disable-pip-version-check $(1)
endef

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Gatepost needs Python 3.11 or later. Choose one with: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(READY): $(VENV)/bin/python pyproject.toml requirements/runtime.txt requirements/installer.txt
	-@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/installer.txt
	@$(call install,--require-hashes -r requirements/runtime.txt)
	@$(call install,--no-deps -e .)
	@touch $@

$(DEV): $(READY) requirements/dev.txt
	@$(call install,--require-hashes -r requirements/dev.txt)
	@touch $@

# MkDocs has an environment of its own: nothing else needs it, and it shares no versions with the project.
$(MKDOCS): requirements/site.txt
	@$(PYTHON) -m venv $(@D)/venv
	@$(MKDOCS_BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

# The official MCP test tools, which run on Node.
$(JUDGES): tests/conformance/package.json tests/conformance/package-lock.json
	@mkdir -p $(@D) && cp $^ $(@D)
	@npm ci --prefix $(@D) --ignore-scripts --prefer-offline --fetch-retries=1 --no-audit --no-fund --loglevel=error && touch $@ \
		|| echo "npm could not install the official MCP test tools. The test run lists the tests that were skipped."

# The task managers that the benchmarks compare Gatepost with; more than a gigabyte. Not `npm ci`: it wants the lock to
# name their programs for every platform, and not every registry has them.
$(PEERS): bench/peers/package.json bench/peers/package-lock.json
	@mkdir -p $(@D) && cp $^ $(@D)
	@npm install --prefix $(@D) --ignore-scripts --prefer-offline --fetch-retries=1 --no-audit --no-fund --loglevel=error && touch $@ \
		|| echo "npm could not install other task managers. The benchmark runs without them."

# What checks the page's JavaScript.
$(NODE_MODULES): package.json package-lock.json
	@npm ci --ignore-scripts --prefer-offline --fetch-retries=1 --no-audit --no-fund --loglevel=error && touch $@ || true

# The programs that tests drive: a browser, a terminal, shells and a database server. Where PostgreSQL cannot be
# installed as a package, a wheel carries it.
PROGRAMS := chromium tmux zsh fish
POSTGRES := command -v pg_ctl >/dev/null || ls /usr/lib/postgresql/*/bin/pg_ctl >/dev/null 2>&1
programs: $(VENV)/bin/python
	@missing=; for name in $(PROGRAMS); do command -v $$name >/dev/null || missing="$$missing $$name"; done; \
		{ $(POSTGRES); } || missing="$$missing postgresql"; \
		[ -z "$$missing" ] && exit 0; \
		[ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && export DEBIAN_FRONTEND=noninteractive \
			&& apt-get update --quiet=2 && apt-get install --quiet=2 --yes --no-install-recommends $$missing >/dev/null \
		|| echo "Not installed:$$missing. The test run lists the tests that were skipped."
	@{ $(POSTGRES); } || $(BIN)/python -m pip install --quiet --disable-pip-version-check pgserver || true
