"""Every web page and report under axe-core, light and dark, on a desk and on a phone.

Needs `crfclean[browser]`, Chromium and its driver, and axe-core (see `axe`).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs crfclean[web]")
pytest.importorskip("selenium.webdriver", reason="needs crfclean[browser]")
from axe import WITHOUT_AXE, faults
from browser import NEEDED
from checkout import ROOT
from servetab import Tab
from serving import Running

pytestmark = [*NEEDED, WITHOUT_AXE]
DEMO = ROOT / "data" / "demo"
PAGE = DEMO / "moorland-gazette" / "storm-chapel-roof.html"
PORTAL = ROOT / "data" / "portals" / "blog.html"


@pytest.fixture(scope="module")
def tab(driver: Any) -> Tab:
    driver.set_script_timeout(300)  # axe-core reads every element, also on a loaded machine
    return Tab(driver)


@pytest.fixture
def served() -> Iterator[Callable[..., str]]:
    """Start a command that serves a page; its address."""
    with ExitStack() as stack:
        yield lambda *words: stack.enter_context(closing(Running("-m", "crfclean", *words))).address


def violations(tab: Tab, address: str, ready: str) -> list[Any]:
    """The serious and critical violations of a page, with all that is folded open."""
    found = []
    for width in (1280, 390):
        for scheme in ("light", "dark"):
            tab.colours(scheme)
            tab.driver.get(address)
            tab.size(width)
            tab.wait(lambda: any(one.is_displayed() for one in tab.all(ready)))
            tab.run("for (const one of document.querySelectorAll('details')) one.open = true")
            found += [(width, scheme, one) for one in faults(tab)]
    return found


def test_axe_finds_a_fault(tab: Tab, tmp_path: Path) -> None:
    page = tmp_path / "x.html"
    page.write_text(
        "<html lang=en><title>x</title><p style='color:#999;background:#fff'>Faint", "utf-8"
    )
    assert len(violations(tab, page.as_uri(), "p")) == 4


def test_serve(tab: Tab, served: Callable[..., str]) -> None:
    assert violations(tab, served("serve", "--port", "0"), "#result") == []


def test_annotate(tab: Tab, served: Callable[..., str], tmp_path: Path) -> None:
    shutil.copy(PAGE, tmp_path / "a.html")
    assert violations(tab, served("annotate", tmp_path, "--web"), "#blocks > .current") == []


REPORTS: dict[str, Callable[[Path], list[object]]] = {
    "explain": lambda out: ["explain", PAGE, "--html", out / "x.html"],
    "eval": lambda out: ["eval", DEMO / "hafenblick", "--html", out / "x.html"],
    "segment": lambda out: ["segment", PORTAL, out / "x.html", "--html"],
}


@pytest.mark.parametrize("name", REPORTS)
def test_reports(tab: Tab, tmp_path: Path, name: str) -> None:
    words = [sys.executable, "-m", "crfclean", *map(str, REPORTS[name](tmp_path))]
    subprocess.run(words, cwd=ROOT, check=False, capture_output=True)
    assert violations(tab, (tmp_path / "x.html").as_uri(), "main") == []
