# Needs Python 3.11 or later, make and the package registry; everything else goes into .venv.
# `make demo` and `make test` install the versions that requirements/*.txt lock, and check their hashes.
# An installation is repeated when pyproject.toml or the lock has changed, and only then.

PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
# Benchmarks bring other programs, and the lowest versions exclude newer ones: each has an environment of its own.
BENCH := $(VENV)-bench
LOWEST := $(VENV)-lowest
NEWEST := $(VENV)-newest
LOCKER := $(VENV)-lock
# The versions that adjudge.metrics.patch_sklearn() takes.
SCIKIT_LEARNS := $(shell sed -n 's/^TESTED = //p' src/adjudge/metrics/patching.py | tr -d '(",)')
PIP := -m pip install --quiet --disable-pip-version-check
BENCHMARKS := $(addprefix benchmarks/,$(addsuffix .py,peers labels internal embeddings metrics chance choose_k))
# Tests of values, and settings under which they see what other processors compute: without AVX-512, without AVX2, and
# without any vector instructions but the oldest.
VALUES := $(addprefix tests/,$(addsuffix .py,inference/test_values_stay inference/test_influence \
	indices/test_external_golden indices/test_internal_reference indices/test_classes_golden \
	indices/test_probabilities_golden indices/test_information))
OLDER := ADJUDGE_KERNELS=v2
TESTS_LOWEST := $(addprefix tests/,$(addsuffix .py,given/test_labels given/test_points files/test_files \
	statistics/test_contingency statistics/test_pair_counts indices/test_matching indices/test_information \
	indices/test_catalog_generated indices/test_external_golden engines/test_internal_engine engines/test_internal_twins \
	indices/test_internal_reference verbs/test_evaluate verbs/test_compare verbs/test_prayatul results/test_results \
	verbs/test_scoring cli/test_cli))

# What Python compiles is kept, whatever the environment says: hundreds of processes import the package.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-quick test-rest test-full test-processors test-browser test-release test-newest test-lowest test-peers test-deep test-kills mutation lint types \
	kernels wheels sanitize plant-errors lock bench docs clean help

help:
	@echo "make demo    judge models of real data, and write adjudge-report.html"
	@echo "make test    lint, types, and the tests and doctests that take five minutes"
	@echo "make test-rest"
	@echo "             the tests that make test leaves out: other programs, slow cases, simulations"
	@echo "make test-full"
	@echo "             all that, the kernels watched, values on other processors, the report in a browser, the wheel, and long commands killed"
	@echo "make test-processors"
	@echo "             test values as processors without AVX-512, without AVX2 and without both compute them"
	@echo "make test-browser"
	@echo "             install a browser where there is none, and test the report in it"
	@echo "make test-release"
	@echo "             build the wheel and the sdist, install the wheel in an empty environment, and run it"
	@echo "make test-newest"
	@echo "             test with the newest releases of everything"
	@echo "make test-lowest"
	@echo "             test with the lowest versions of the dependencies, which needs Python 3.11"
	@echo "make mutation"
	@echo "             test the tests: change the indices and inference, and see the tests fail"
	@echo "make test-peers"
	@echo "             compare every index with other programs on thousands of random cases, and run scikit-learn's tests"
	@echo "make test-scikit-learn-1.8"
	@echo "             run scikit-learn's own tests of that version on adjudge.metrics"
	@echo "make test-kills"
	@echo "             kill long commands at random a hundred times, and see that nothing is left and digits stay"
	@echo "make test-deep"
	@echo "             try properties on twenty times as many cases, and on others each time"
	@echo "make kernels"
	@echo "             compile the C++ of src/kernels beside the Python sources"
	@echo "make wheels  build the wheels for Linux on x86-64 and ARM in dist, whatever this machine has"
	@echo "make sanitize"
	@echo "             run the kernels with AddressSanitizer and UndefinedBehaviorSanitizer, and their threads with ThreadSanitizer"
	@echo "make plant-errors"
	@echo "             change the C++ of the kernels, one place in each subject at a time, and see the tests fail"
	@echo "make lock    lock the newest versions that work together, and their hashes, for make demo and make test"
	@echo "make bench   measure speed beside other programs"
	@echo "make docs    build the documentation in docs/_build/html; a warning is an error"
	@echo "make clean   remove the environment and everything that was built"

demo: $(VENV)/.kernels-demo
	$(BIN)/adjudge demo

# Linting and types run beside the tests. Threads that BLAS and OpenMP start besides would spend processor time on waiting.
test: $(VENV)/.kernels-test
	@$(MAKE) --no-print-directory --jobs lint types test-quick

test-quick test-rest: export OPENBLAS_NUM_THREADS = 1
test-quick test-rest: export OMP_NUM_THREADS = 1
test-quick: $(VENV)/.kernels-test
	$(BIN)/python -m pytest --numprocesses logical --dist loadgroup --part quick

test-rest: $(VENV)/.kernels-test
	$(BIN)/python -m pytest --numprocesses logical --dist loadgroup --part rest

test-full: test test-rest sanitize test-processors test-browser test-release test-kills

test-processors: export OPENBLAS_NUM_THREADS = 1
test-processors: $(VENV)/.kernels-test
	OPENBLAS_CORETYPE=Haswell NPY_DISABLE_CPU_FEATURES=X86_V4 $(BIN)/python -m pytest $(VALUES)
	OPENBLAS_CORETYPE=Nehalem NPY_DISABLE_CPU_FEATURES=X86_V3 $(OLDER) $(BIN)/python -m pytest $(VALUES)
	OPENBLAS_CORETYPE=Prescott NPY_DISABLE_CPU_FEATURES='X86_V4 X86_V3' $(OLDER) $(BIN)/python -m pytest $(VALUES)

test-browser: $(VENV)/.kernels-test
	tests/browser/install.sh
	$(BIN)/python -m pytest -rs tests/browser

test-release: $(VENV)/.kernels-test
	ADJUDGE_TEST_RELEASE=1 $(BIN)/python -m pytest -rs tests/project/test_release.py

# Each time an installation of its own, because newest is not what was newest last time.
test-newest:
	rm -rf $(NEWEST)
	$(PYTHON) -m venv $(NEWEST)
	$(NEWEST)/bin/python $(PIP) --editable '.[test]' --editable packages/adjudge-papers --requirement requirements/build.in
	@touch $(NEWEST)/.installed-test
	@$(MAKE) --no-print-directory VENV=$(NEWEST) test

test-lowest: $(LOWEST)/.installed
	$(LOWEST)/bin/python -m pytest -p no:cacheprovider $(TESTS_LOWEST)

# Other programs are compared on thousands of random cases, where they are installed: R's, too.
test-peers: $(BENCH)/.installed
	$(BENCH)/bin/python -m pytest -p no:cacheprovider -rs --hypothesis-profile=deep tests/indices/test_differential.py
	$(BENCH)/bin/python -m pytest -p no:cacheprovider -rs tests/given/test_arrays_of_other_libraries.py
	@$(MAKE) --no-print-directory --keep-going $(SCIKIT_LEARNS:%=test-scikit-learn-%)

# scikit-learn's own tests of each version that adjudge.metrics.patch_sklearn() takes, or of one.
test-scikit-learn-%: $(VENV)-scikit-learn-%/.installed
	ADJUDGE_TEST_PEERS=1 SCIPY_ARRAY_API=1 $(<D)/bin/python -m pytest -p no:cacheprovider -rs \
		tests/metrics/test_scikit_learns_own_tests.py tests/metrics/test_patching.py

test-deep: $(VENV)/.kernels-test
	$(BIN)/python -m pytest --hypothesis-profile=deep --durations=10 \
		tests/*/test_hostile_*.py tests/indices/test_catalog_generated.py tests/indices/test_differential.py

test-kills: $(VENV)/.kernels-test
	ADJUDGE_TEST_KILLS=100 $(BIN)/python -m pytest -rs tests/project/test_random_kills.py

lint: $(VENV)/.kernels-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.kernels-test
	$(BIN)/mypy

kernels: $(VENV)/.kernels-test

wheels: $(VENV)/.kernels-test
	$(BIN)/python $(PIP) --require-hashes --only-binary :all: --requirement requirements/compiler.txt
	$(BIN)/python tools/build_wheels.py

# The loops with errors of memory, undefined behaviour and data races looked for, on tests that reach all of them: a
# quarter of an hour.
sanitize: $(VENV)/.kernels-test
	$(BIN)/python tools/sanitize_kernels.py

# Takes twenty minutes: a compilation and some tests each.
plant-errors: $(VENV)/.kernels-test
	$(BIN)/python tools/plant_errors.py

# Takes hours: a second of one core a mutant. Interrupted, it takes up where it stopped; MUTATION=--afresh forgets what
# was tried, MUTATION='--minutes 30' tries a random part.
# Threads of OpenMP do not survive the forks in which mutants are tried.
mutation: export OPENBLAS_NUM_THREADS = 1
mutation: export OMP_NUM_THREADS = 1
mutation: $(VENV)/.installed-mutation
	$(BIN)/python tools/mutation --page $(MUTATION)

bench: $(BENCH)/.installed
	@set -e; for script in $(BENCHMARKS); do echo $$script; $(BENCH)/bin/python $$script; done

docs: $(VENV)/.kernels-test
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -b html docs docs/_build/html

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or later was found: install one, or say make PYTHON=..."; exit 2; }
	$(PYTHON) -m venv $(VENV)

# Builders are installed first, so that nothing that is built fetches another. Where there is no C++ compiler, one comes from
# the package registry.
$(VENV)/.installed-demo $(VENV)/.installed-test: $(VENV)/.installed-%: requirements/%.txt requirements/build.txt \
		pyproject.toml packages/adjudge-papers/pyproject.toml \
		| $(VENV)/bin/python
	$(BIN)/python $(PIP) --require-hashes --only-binary :all: --requirement requirements/build.txt
	@command -v c++ > /dev/null || command -v g++ > /dev/null || command -v clang++ > /dev/null || \
		$(BIN)/python $(PIP) --require-hashes --only-binary :all: --requirement requirements/compiler.txt
	$(BIN)/python $(PIP) --require-hashes --no-build-isolation --requirement requirements/$*.txt
	$(BIN)/python $(PIP) --no-deps --no-build-isolation --editable . --editable packages/adjudge-papers
	@touch $@

# What has not changed is not compiled again.
$(VENV)/.kernels-%: $(VENV)/.installed-% CMakeLists.txt $(wildcard src/kernels/*) tools/build_kernels.py
	$(BIN)/python tools/build_kernels.py
	$(BIN)/python tools/kernel_stubs.py
	@touch $@

$(VENV)/.installed-mutation: $(VENV)/.kernels-test
	$(BIN)/python $(PIP) --editable '.[mutation]'
	@touch $@

# The newest versions for all versions of Python from 3.11 on, and any platform.
LOCK = $(LOCKER)/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock'
lock: $(LOCKER)/bin/uv
	$(LOCK) requirements/build.in --output-file requirements/build.txt
	$(LOCK) requirements/compiler.in --output-file requirements/compiler.txt
	$(LOCK) pyproject.toml --extra test --constraint requirements/build.txt --output-file requirements/test.txt
	$(LOCK) pyproject.toml --constraint requirements/test.txt --output-file requirements/demo.txt

$(LOCKER)/bin/uv:
	$(PYTHON) -m venv $(LOCKER)
	$(LOCKER)/bin/python $(PIP) 'uv>=0.9'

$(BENCH)/.installed: pyproject.toml
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python $(PIP) --editable '.[bench]' --requirement requirements/build.in
	$(BENCH)/bin/python tools/build_kernels.py
	@touch $@

.PRECIOUS: $(VENV)-scikit-learn-%/.installed
$(VENV)-scikit-learn-%/.installed: pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python $(PIP) --editable . 'scikit-learn==$*.*' 'torch>=2.4' 'array-api-compat>=1.11' \
		'array-api-strict>=2.3' 'pytest>=8.2' 'hypothesis>=6.100' --requirement requirements/build.in
	$(@D)/bin/python tools/build_kernels.py
	@touch $@

$(LOWEST)/.installed: pyproject.toml requirements/lowest.txt
	python3.11 -m venv $(LOWEST)
	$(LOWEST)/bin/python $(PIP) --editable . --requirement requirements/lowest.txt --requirement requirements/build.in \
		'pytest>=8.2' 'hypothesis>=6.100' 'mpmath>=1.3'
	$(LOWEST)/bin/python tools/build_kernels.py
	@touch $@

clean:
	rm -rf $(VENV) $(VENV)-scikit-learn-* $(BENCH) $(LOWEST) $(NEWEST) $(LOCKER) build dist docs/_build docs/indices .mutation .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -f src/adjudge/kernels/*.so src/adjudge/kernels/*.pyi
	find src tests benchmarks studies -name __pycache__ -prune -exec rm -rf {} +
