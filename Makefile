# The two commands: `make start` to use the workbench, `make test` to check it. Both set everything up first.
# Needs git, make and a Python 3.12 or 3.13 somewhere (tools/find-python looks in many places).

unexport PYTHONPATH VIRTUAL_ENV
UV_SYSTEM_CERTS ?= 1
export UV_SYSTEM_CERTS
BIN = .venv/bin
# More than cores: half of the time a test waits for an engine, a terminal or a browser.
JOBS ?= 4
# What tests and benchmarks build and store: never in the user's own WORKBENCH_HOME.
CACHE_HOME = $(CURDIR)/.cache/home

.NOTPARALLEL:
.PHONY: start test setup setup-test lint kernels pytest other-python bench soak corpus lessons wheel lock clean

start: setup
	@$(BIN)/python -m workbench.cli start

test: setup-test lint kernels pytest

setup:
	@tools/setup start

setup-test:
	@tools/setup test

lint: setup-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

kernels: setup-test
	@WORKBENCH_HOME=$(CACHE_HOME) $(BIN)/python -m workbench.cli kernels install all

pytest: setup-test kernels
	$(BIN)/pytest -n $(JOBS) --dist worksteal

# The tests that look at Python itself, again on the other supported version; skipped where there is only one.
other-python: setup-test
	@tools/other-python -n $(JOBS) --dist worksteal

bench: setup-test kernels
	@$(BIN)/python -m tests.bench $(ONLY)

soak: setup-test kernels
	$(BIN)/pytest -n $(JOBS) -m soak --timeout=3600

# How many real exports run, and why the others do not: `make corpus FOLDER=... KERNEL=graphon-0.7`.
corpus: setup-test
	@WORKBENCH_HOME=$(CACHE_HOME) $(BIN)/python tools/corpus.py $(FOLDER) $(if $(KERNEL),--kernel $(KERNEL))

# Run every lesson and write its outputs into the notebook.
lessons: setup-test kernels
	@WORKBENCH_HOME=$(CACHE_HOME) $(BIN)/python tools/lessons.py

wheel: setup-test
	$(BIN)/uv build --wheel --quiet --out-dir dist

lock:
	tools/setup test
	$(BIN)/uv lock

clean:
	rm -rf .venv .cache dist build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
