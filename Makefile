# make serve   install what is needed, build, serve on http://127.0.0.1:8000 (never needs root)
# make test    install what the tests need, run them all
# make lint    style, types, import contract
# make eval    measure the search on the development set; fails where a figure dropped
# make bench   measure (prints ratios against peers in one run)
# make coverage  run every test under coverage; fails under 95 % of kb/ (half an hour)
# make lighthouse  judge the pages by Lighthouse (about a minute; needs Chromium and npm)
# make lock    renew the locked dependencies
# make schemas renew schemas/*.json from the models

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
HOST ?= 127.0.0.1
PORT ?= 8000

.PHONY: serve test lint eval bench coverage lighthouse lock schemas clean

serve: $(VENV)/.run
	$(BIN)/kb serve --host $(HOST) --port $(PORT)

test: $(VENV)/.dev
	scripts/test-tools
	scripts/run-tests $(BIN)/python

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

eval: $(VENV)/.dev
	$(BIN)/python -m tests.eval

bench: $(VENV)/.bench
	$(BIN)/python -m tests.bench

coverage: $(VENV)/.dev
	scripts/coverage $(BIN)/python

lighthouse: $(VENV)/.dev
	$(BIN)/python -m tests.browser.lighthouse

schemas: $(VENV)/.dev
	$(BIN)/python scripts/schemas

lock: $(VENV)/.dev
	scripts/lock $(BIN)/python

clean:
	rm -rf $(VENV)

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; set PYTHON=…"; exit 2; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "On Debian the module venv is a package of its own: apt-get install python3-venv"; exit 2; }
	@touch $@

# Everything that runs is locked with hashes; the project itself is installed as it lies here.
$(VENV)/.run: requirements.lock pyproject.toml | $(VENV)/.made
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.run
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

$(VENV)/.bench: requirements-bench.lock $(VENV)/.dev
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-bench.lock
	@touch $@
