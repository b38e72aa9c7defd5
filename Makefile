# Needs Python 3.11 or later, make and the package registry; everything else goes into .venv.
# An installation is repeated when pyproject.toml has changed, and only then.

PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
BENCHMARKS = $(filter-out benchmarks/harness.py,$(wildcard benchmarks/*.py))

.PHONY: demo test test-browser lint types bench docs clean help

help:
	@echo "make demo    judge models of real data, and write adjudge-report.html"
	@echo "make test    lint, types, tests and doctests"
	@echo "make test-browser"
	@echo "             install a browser where there is none, and test the report in it"
	@echo "make bench   measure speed beside other programs"
	@echo "make docs    build the documentation in docs/_build/html; a warning is an error"
	@echo "make clean   remove the environment and everything that was built"

demo: $(VENV)/.installed-demo
	$(BIN)/adjudge demo

test: lint types
	$(BIN)/python -m pytest

test-browser: $(VENV)/.installed-test
	tests/browser/install.sh
	$(BIN)/python -m pytest -rs tests/browser

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-test
	$(BIN)/mypy

bench: $(VENV)/.installed-bench
	@set -e; for script in $(BENCHMARKS); do echo $$script; $(BIN)/python $$script; done

docs: $(VENV)/.installed-docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -b html docs docs/_build/html

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or later was found: install one, or say make PYTHON=..."; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed-%: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	@touch $@

clean:
	rm -rf $(VENV) build dist docs/_build docs/indices .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests benchmarks -name __pycache__ -prune -exec rm -rf {} +
