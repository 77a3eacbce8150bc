"""What Chromium makes of text fragments; needs `crfclean[browser]`, Chromium and its driver."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from doubles import KeepAll

pytest.importorskip("selenium.webdriver", reason="needs crfclean[browser]")
from browser import NEEDED, started

from crfclean.citations import sentences
from crfclean.pipeline import run
from crfclean.types import Page

pytestmark = NEEDED

TALL = "<div style='height:3000px'></div>"
HTML = f"""<!DOCTYPE html><meta charset=utf-8><body><p>The ferry sails.</p>{TALL}
<h2>Bus</h2><p>The bus runs. It isn’t late, at 10.40 – R&amp;D, well-known.</p>{TALL}
<h2>Boat</h2><p>The bus runs. The <b>small</b> boat<br>sails twice <img alt=x> a day.</p>{TALL}
<p>今天下雨，船不开。明天晴。</p>{TALL}<p>{"A long word " * 40} ends here.</p></body>"""


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    chromium = started(tmp_path_factory.mktemp("profile"))
    yield chromium
    chromium.quit()


def test_the_browser_scrolls_to_each_sentence(driver: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(HTML, "utf-8")
    citations = sentences(run(Page(HTML, page.as_uri()), KeepAll()))
    assert len(citations) == 10
    for citation in citations:
        driver.get("about:blank")
        driver.get(citation.url)
        shown = driver.execute_script(
            """const element = document.evaluate(
                 arguments[0], document, null, 9, null).singleNodeValue;
               const box = element.getBoundingClientRect();
               return [scrollY, box.top >= 0 && box.top < innerHeight]""",
            citation.blocks[0].xpath,
        )
        assert shown[1], citation.url
        assert shown[0] > 0 or citation.text == "The ferry sails."
