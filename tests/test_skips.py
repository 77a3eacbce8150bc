"""Tests of what `make test-extras` and `make test-oldest` run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from checkout import ROOT

MAKEFILE = (ROOT / "Makefile").read_text("utf-8")

OF_EXTRAS = """
    datasets datatrove justext langchain_core magic matplotlib
    mcp pandas ray readability resiliparse ruamel.yaml selenium
    selenium.webdriver sklearn sklearn.metrics scrapy trafilatura warcio
    zyte_common_items
""".split()
"""Modules that `make test` does not install."""


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
