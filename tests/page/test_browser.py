"""What the browser that is installed shows of the pages in `shown`: Chromium without a window.

Needs `crfclean[browser]`, Chromium and its driver (`chromium` and `chromium-driver` in Debian).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium.webdriver", reason="needs crfclean[browser]")
from browser import NEEDED, started

pytestmark = NEEDED
PAGES = sorted((Path(__file__).parent / "shown").glob("*.html"), key=lambda path: path.name)


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    chromium = started(tmp_path_factory.mktemp("profile"))
    yield chromium
    chromium.quit()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_text_beside_a_page_is_what_the_browser_shows(driver: Any, path: Path) -> None:
    driver.get(path.as_uri())
    text = driver.execute_script("return document.body.innerText")
    assert text + "\n" == path.with_suffix(".txt").read_bytes().decode("utf-8")
