# Everything from a fresh clone: Python 3.11 or later, make, and a package index.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV := $(VENV)/.dev
JUDGES := .node/.ready

.DEFAULT_GOAL := help
.PHONY: help up test check format lint types imports docs generate bench clean grounds

help:  ## Say what there is
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 18

up: $(READY)  ## Install, then serve this folder's store on http://127.0.0.1:4870
	@$(BIN)/gatepost up

test: $(DEV) $(JUDGES) grounds  ## Run every test
	$(BIN)/python -m pytest -n 2 --dist worksteal

check: lint types imports docs test  ## Format, lint, types, imports, docs, then the tests

lint: $(DEV)
	$(BIN)/ruff format --check
	$(BIN)/ruff check

types: $(DEV)
	$(BIN)/mypy

imports: $(DEV)
	$(BIN)/lint-imports

docs: $(DEV)
	$(BIN)/python -m docs.check

format: $(DEV)  ## Format the code and mend what can be mended
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

generate: $(DEV)  ## Write anew what is made from the registry
	$(BIN)/python -m docs.generate

bench: $(DEV)  ## Measure, as ratios within one run
	$(BIN)/python -m bench

clean:  ## Remove what was built
	rm -rf $(VENV) .node .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Gatepost needs Python 3.11 or later; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(READY): $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(DEV): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev
	@touch $@

# What judges our MCP server and runs on Node. Without npm, the run ends with the names of what was not tested.
$(JUDGES): tests/conformance/package.json tests/conformance/package-lock.json
	@mkdir -p $(@D) && cp $^ $(@D)
	@npm ci --prefix $(@D) --ignore-scripts --prefer-offline --fetch-retries=1 --no-audit --no-fund --loglevel=error && touch $@ \
		|| echo "The official MCP judges could not be had through npm: their tests are named at the end of the run."

# What the page and the terminal are tested in: a browser, shells, a terminal that can be driven. Whatever cannot be
# had, the run ends with the names of what was not tested.
TRIED := chromium tmux zsh fish
grounds:
	@missing=; for name in $(TRIED); do command -v $$name >/dev/null || missing="$$missing $$name"; done; \
		[ -z "$$missing" ] && exit 0; \
		[ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && export DEBIAN_FRONTEND=noninteractive \
			&& apt-get update --quiet=2 && apt-get install --quiet=2 --yes --no-install-recommends $$missing >/dev/null \
		|| echo "Not to be had:$$missing. What they would test is named at the end of the run."
