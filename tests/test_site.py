"""The documentation site under axe-core, on a desk and on a phone, with menus opened by keyboard.

Needs `crfclean[browser,docs]`, Chromium and its driver, and axe-core (see `axe`).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("furo", reason="needs crfclean[docs]")
pytest.importorskip("selenium.webdriver", reason="needs crfclean[browser]")
from axe import WITHOUT_AXE, faults
from browser import NEEDED
from checkout import ROOT
from selenium.webdriver import Keys
from servetab import Tab

pytestmark = [*NEEDED, WITHOUT_AXE]
PHONE = 320
MENUS = {"__navigation": ".sidebar-drawer", "__toc": ".toc-drawer"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "sphinx", "-q", "-c", ROOT / "docs", ROOT, out]
    subprocess.run(list(map(str, words)), check=True, cwd=ROOT)
    return out / "docs"


@pytest.fixture(scope="module")
def tab(driver: Any) -> Tab:
    driver.set_script_timeout(300)
    return Tab(driver)


@pytest.mark.parametrize("name", ["index", "clean", "gallery", "benchmarks"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, PHONE])
def test_page(tab: Tab, site: Path, width: int, scheme: str, name: str) -> None:
    tab.colours(scheme)
    tab.driver.get((site / f"{name}.html").as_uri())
    tab.size(width)
    assert faults(tab) == []
    assert tab.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("menu", MENUS)
def test_the_keyboard_opens_a_menu(tab: Tab, site: Path, menu: str, scheme: str) -> None:
    tab.colours(scheme)
    tab.driver.get((site / "clean.html").as_uri())
    tab.size(PHONE)
    drawer = tab.at(MENUS[menu])
    tab.wait(lambda: not drawer.is_displayed())  # the theme moves it
    for _ in range(2 if menu == "__toc" else 1):
        tab.press(Keys.TAB)
    assert tab.run("return document.activeElement.id") == menu
    tab.press(Keys.SPACE)
    tab.wait(lambda: drawer.is_displayed() and 0 <= drawer.rect["x"] < PHONE)
    assert faults(tab) == []
