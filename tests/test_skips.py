"""Tests of `lib/skips.py` and of what `make test-extras` and `make test-oldest` run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import LIB, ROOT
from skips import ALLOWED, MORE, VARIABLE

MAKEFILE = (ROOT / "Makefile").read_text("utf-8")

OF_EXTRAS = """
    check_jsonschema datasets datatrove furo justext krippendorff langchain_core magic matplotlib
    mcp myst_parser pandas ray readability resiliparse ruamel.yaml schemathesis selenium
    selenium.webdriver sklearn sklearn.metrics scrapy spacy sphinx trafilatura warcio
    zyte_common_items
""".split()
"""Modules that `make test` does not install."""

CONFTEST = """
import pytest
from skips import checked_report

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report():
    return (yield from checked_report())

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport():
    return (yield from checked_report())
"""

TESTS = {
    "test_a.py": """
import pytest
def test_passes(): pass
def test_missing(): pytest.importorskip("no_such_module", reason="pip install it")
@pytest.mark.skipif(True, reason="needs Chromium")
def test_marked(): pass
@pytest.mark.skipif(True, reason="root reads every file")
def test_allowed(): pass
@pytest.mark.xfail
def test_known(): assert False
""",
    "test_b.py": """
import pytest
pytest.importorskip("no_such_module", reason="needs a module")
""",
}


def outcomes(folder: Path, **variables: str) -> tuple[dict[str, int], str]:
    """How many small tests passed, failed …, in a process with these variables; its output."""
    for name, text in {**TESTS, "conftest.py": CONFTEST}.items():
        (folder / name).write_text(text, "utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "--continue-on-collection-errors",
    ]
    kept = {name: value for name, value in os.environ.items() if name not in {VARIABLE, MORE}}
    environment = kept | {"PYTHONPATH": str(LIB), "PYTEST_ADDOPTS": ""} | variables
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    counts = re.findall(
        r"(\d+) (passed|failed|skipped|xfailed|error)", done.stdout.splitlines()[-1]
    )
    return {name: int(number) for number, name in counts}, done.stdout


def test_unexpected_skips_fail(tmp_path: Path) -> None:
    counts, printed = outcomes(tmp_path, **{VARIABLE: "fail"})
    assert counts == {"passed": 1, "failed": 1, "skipped": 1, "xfailed": 1, "error": 2}
    assert "unexpected skip: pip install it" in printed
    assert "unexpected skip: needs Chromium" in printed
    assert "unexpected skip: needs a module" in printed


def test_allowed_reasons_occur() -> None:
    """A reason that no test gives any more is taken out of the list."""
    paths = [*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "tests" / "lib").glob("*.py")]
    texts = [path.read_text("utf-8") for path in paths if path.name != "skips.py"]
    for pattern in ALLOWED:
        start = re.split(r"[.*(]", pattern)[0]
        assert any(start in text for text in texts), pattern


# the lists of the Makefile


def listed(name: str) -> list[str]:
    """The words of a variable of the Makefile."""
    (words,) = re.findall(rf"^{name} = ((?:.*\\\n)*.*)$", MAKEFILE, re.MULTILINE)
    return words.replace("\\\n", " ").split()


@pytest.mark.parametrize("variable", ["EXTRA_TESTS", "OLDEST_TESTS"])
def test_listed_tests_exist(variable: str) -> None:
    paths = listed(variable)
    assert paths
    assert len(set(paths)) == len(paths)
    assert all((ROOT / path).exists() for path in paths)


def test_tests_of_extras_are_in_the_second_leg() -> None:
    pattern = rf'importorskip\(\s*"(?:{"|".join(map(re.escape, OF_EXTRAS))})"'
    users = {
        path
        for path in (ROOT / "tests").rglob("test_*.py")
        if re.search(pattern, path.read_text("utf-8"))
    }
    users |= set((ROOT / "tests").rglob("test_browser.py"))
    run = [ROOT / path for path in listed("EXTRA_TESTS")]
    users.discard(Path(__file__))
    missing = [path for path in users if not {path, *path.parents} & set(run)]
    assert len(users) > 5
    assert missing == []
