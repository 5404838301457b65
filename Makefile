# The commands of the README. The first use makes .venv and installs the pinned dependencies.
#   make demo    one experiment on a made-up corpus, from the text to the report
#   make test    the tests
#   make test-slurm    the tests on a real Slurm, which they start (as root, from Debian's packages)
#   make test-all    both, with all cases instead of a sample, and the tests that take minutes
#   make lint    the checks that run no test
#   make lock    pin the dependencies anew (needs a network)
# Another Python: make demo PYTHON=python3.12

PYTHON ?= python3
# Without a hash: the same version exists as a CPU and as a CUDA build.
TORCH := torch==2.13.0

VENV := .venv
PIP := $(VENV)/bin/python -m pip --disable-pip-version-check
RUN := PATH="$(CURDIR)/$(VENV)/bin:$$PATH"
COMPILE := $(VENV)/bin/uv pip compile --universal --generate-hashes --python-version 3.11 \
	--custom-compile-command "make lock" --quiet

.PHONY: demo test test-slurm test-all lint lock
.DEFAULT_GOAL := demo

demo: $(VENV)/installed
	@$(RUN) python scripts/unlock.py
	$(RUN) snakemake choi2017 --profile local --config preset=demo
	@echo "The page is results/demo/report/choi2017/index.html. For other commands: . $(VENV)/bin/activate"

test: $(VENV)/installed-dev
	$(RUN) python -m pytest -n 2 --no-loadscope-reorder --durations 40 --ignore tests/slurm $(MORE)

test-slurm: $(VENV)/installed-dev
	$(RUN) python -m pytest -n 3 --no-loadscope-reorder tests/slurm $(MORE)

test-all:
	$(MAKE) test test-slurm MORE=--thorough

lint: $(VENV)/installed-dev
	$(RUN) ruff check
	$(RUN) ruff format --check
	$(RUN) mypy
	$(RUN) snakefmt --check Snakefile workflow
	$(RUN) snakemake --lint
	$(RUN) mkdocs build --quiet

lock: $(VENV)/installed
	$(PIP) install --quiet uv
	$(COMPILE) requirements.in --output-file requirements.lock
	$(COMPILE) requirements-dev.in --output-file requirements-dev.lock
	{ sed '/- pip:$$/q' envs/contextnmt.yaml; echo '      - $(TORCH)'; \
		sed -n 's/^\(jieba==.*[^ ]\) \\$$/      - \1/p' requirements-dev.lock; \
		sed -n 's/^\([a-z].*[^ ]\) \\$$/      - \1/p' requirements.lock; } > envs/new.yaml
	mv envs/new.yaml envs/contextnmt.yaml

# The lock comes first: with it, everything that torch needs is there already, and pinned.
$(VENV)/installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo 'Python 3.11 or newer is needed, and "$(PYTHON)" is not: name one that is,' \
			'as in: make $(MAKECMDGOALS) PYTHON=python3.11' >&2; exit 1; }
	@$(VENV)/bin/python -m pip --version > /dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	$(PIP) install --quiet --require-hashes -r requirements.lock
	$(PIP) install --quiet $(TORCH)
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed requirements-dev.lock
	$(PIP) install --quiet --require-hashes -r requirements-dev.lock
	@touch $@
