"""`crfclean serve` in a real browser: Chromium without a window, driven by selenium.

Needs `crfclean[browser]`, Chromium and its driver (`chromium` and `chromium-driver` in Debian).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs crfclean[web]")
pytest.importorskip("urllib3", reason="needs crfclean[fetch]")
pytest.importorskip("selenium.webdriver", reason="needs crfclean[browser]")
from browser import NEEDED
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from servetab import Tab
from serving import Running

pytestmark = NEEDED
HERE = "127.0.0.2"  # where the pages to fetch are; 127.0.0.1 stays refused
SERVER = f"""
import sys
from crfclean.products.web.app import serve
from crfclean.products.corpus.fetch import FetchParams
from crfclean.products.web.inspection import ServeParams, WorkParams
models = tuple(sys.argv[2:])
fetching = FetchParams(networks=("{HERE}/32",)) if sys.argv[1] == "fetch" else None
work = WorkParams(max_seconds=20.0)
serve(ServeParams(port=0, models=models, fetching=fetching, work=work))
"""
ATTACK = (
    "<title><img src=x onerror=alert(1)></title><p id=blocks onclick=alert(2)>&lt;script&gt;"
    "alert(3)&lt;/script&gt; and &lt;b&gt;bold&lt;/b&gt; words"
    "<style>body{display:none}</style><script>alert(4)</script><p>Other words."
)


class Pages(BaseHTTPRequestHandler):
    """Serves one page, wherever it is looked for, and notes the paths."""

    html = b""
    seen: list[str]

    def do_GET(self) -> None:
        """Answer with the page, or lead to loopback."""
        self.seen.append(self.path)
        away = self.path.startswith("/away")
        self.send_response(302 if away else 200)
        if away:
            self.send_header("Location", "http://127.0.0.1/")
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(b"" if away else self.html)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="module", autouse=True)
def downloading(driver: Any, downloads: Path) -> None:
    allowed = {"behavior": "allow", "downloadPath": str(downloads)}
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", allowed)


@pytest.fixture(scope="module")
def html(demo: Path) -> str:
    return (demo / "hafenblick" / "elektrofaehre-wattlerche.html").read_text("utf-8")


@pytest.fixture(scope="module")
def pages(html: str) -> Iterator[tuple[str, list[str]]]:
    """The address of a server of pages, and the paths that it was asked for."""
    seen: list[str] = []
    handler = type("Here", (Pages,), {"html": html.encode(), "seen": seen})
    server = ThreadingHTTPServer((HERE, 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://{HERE}:{server.server_port}", seen
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def start(model: Path) -> Iterator[Callable[..., str]]:
    """Start a server; its address."""
    with ExitStack() as stack:

        def run(fetching: str = "fetch", *models: str) -> str:
            words = (fetching, *(models or (str(model), "default")))
            return stack.enter_context(closing(Running("-c", SERVER, *words))).address

        yield run


@pytest.fixture(scope="module")
def address(start: Callable[..., str]) -> str:
    return start()


@pytest.fixture
def tab(driver: Any, address: str) -> Iterator[Tab]:
    opened = Tab(driver)
    opened.size(1280, 800)
    opened.colours("light")
    driver.get_log("browser")
    opened.open(address)
    yield opened
    assert not driver.get_log("browser"), "nothing is refused by the policy, and nothing fails"


@pytest.fixture
def pasted(tab: Tab, html: str) -> Tab:
    tab.paste(html)
    assert not tab.error()
    return tab


# the page as it opens


def test_it_opens_with_the_example_cleaned(driver: Any, address: str) -> None:
    tab = Tab(driver)
    for width, form in ((1280, True), (390, False)):
        tab.size(width)
        tab.driver.get(address)
        tab.wait(lambda: tab.status().startswith("Example: “Lighthouse"))
        assert "When the light was automated in 1964" in tab.text()
        assert tab.at("#ask").is_displayed() == form
        controls = tab.all("input, select, textarea, #ask-part button, #text-part button")
        shown = [one.get_attribute("id") for one in controls if one.is_displayed()]
        assert shown == ["url", "html", "clean"] * form + ["format", "copy", "download"]
        assert tab.at("#text").rect["y"] < 300


# one tagger


def test_a_page_that_is_pasted(pasted: Tab) -> None:
    assert len(pasted.rows()) == len(pasted.labels()) > 50
    kept = pasted.labels().count("T") + pasted.labels().count("H")
    assert f"{kept} of {len(pasted.rows())} blocks kept, score 0." in pasted.status()
    assert len(pasted.text().splitlines()) == kept > 5
    assert "token" not in pasted.driver.current_url
    row = pasted.rows()[0]
    assert row.find_element(By.CSS_SELECTOR, ".tag").text.startswith("<")
    assert 0 <= float(row.find_element(By.CSS_SELECTOR, ".score").text) <= 1


def test_why_a_block_was_kept_or_dropped(pasted: Tab) -> None:
    place = pasted.labels().index("T")
    row = pasted.rows()[place]
    row.find_element(By.CSS_SELECTOR, "summary").click()
    pasted.wait(lambda: row.find_elements(By.CSS_SELECTOR, ".why table"))
    why = row.find_element(By.CSS_SELECTOR, ".why").text
    assert "kept as TEXT, probability 0." in why
    assert "by the tagger’s own rule" in why
    assert "/html[1]/body[1]/" in why
    lines = row.find_elements(By.CSS_SELECTOR, ".why tr")
    assert len(lines) == 7
    assert all(line.text.endswith((" for", " against")) for line in lines[1:])
    pasted.slide("a", 1)
    why = row.find_element(By.CSS_SELECTOR, ".why").text
    assert "dropped as OTHER" in why
    assert "threshold 1.00" in why


# where pages come from


def test_a_url_is_fetched_once(tab: Tab, pages: tuple[str, list[str]]) -> None:
    base, seen = pages
    tab.at("#url").send_keys(f"{base}/news/ice.html?a=b", Keys.ENTER)
    tab.settle()
    assert not tab.error()
    assert len(tab.rows()) > 50
    for value in (0.2, 0.4):
        tab.slide("a", value)
    tab.at("#compare").click()
    tab.settle()
    tab.rows()[0].find_element(By.CSS_SELECTOR, "summary").click()
    tab.settle()
    assert seen.count("/news/ice.html?a=b") == 1
    tab.choose("#format", "json")
    assert json.loads(tab.text())["url"] == f"{base}/news/ice.html?a=b"


# the example, and the page with what was kept


@contextmanager
def inside_view(tab: Tab) -> Iterator[None]:
    """Look into the view of the page."""
    tab.driver.switch_to.frame(tab.at("#view"))
    try:
        tab.wait(lambda: "blocks kept" in tab.at("#summary").text)
        yield
    finally:
        tab.driver.switch_to.default_content()


def test_the_view_shows_what_was_kept(pasted: Tab) -> None:
    kept = pasted.labels().count("T") + pasted.labels().count("H")
    with inside_view(pasted):
        assert (
            f"{kept} of {pasted.at('#summary').text.split(' of ')[1]}" in pasted.at("#summary").text
        )
        pasted.at("#after").click()
        assert pasted.at("#verdict").text.startswith("Kept · title")
        assert pasted.all("#because li")
        frame = pasted.at("iframe")
        assert frame.get_attribute("sandbox") == "allow-scripts"


# trouble


def test_hostile_text_stays_text(tab: Tab) -> None:
    tab.slide("a", 0)
    tab.paste(ATTACK)
    assert [one.text for one in tab.all(".words")] == [
        "<script>alert(3)</script> and <b>bold</b> words",
        "Other words.",
    ]
    assert "<img src=x onerror=alert(1)>" in tab.status()
    assert not tab.all("#result script, #result img, #result b.bold, #status img")
    tab.rows()[0].find_element(By.CSS_SELECTOR, "summary").click()
    tab.settle()
    assert tab.run("return document.querySelectorAll('#blocks').length") == 1


# for everybody


def test_all_by_keyboard(tab: Tab) -> None:
    tab.run("document.body.focus()")
    tab.press(Keys.TAB)
    assert tab.run("return document.activeElement.id") == "url"
    tab.press(Keys.TAB, "<h1>Some words</h1><p>Others, too.", Keys.TAB, Keys.ENTER)
    assert len(tab.rows()) == 2
    tab.press(*[Keys.TAB] * 5)  # Advanced, file, tagger, threshold, slider
    tab.press(*[Keys.ARROW_RIGHT] * 3)
    assert tab.at("[data-side=a] output").text == "0.53"
    assert tab.at("[data-side=a] .own").is_selected()
    for _ in range(40):
        if tab.run("return Boolean(document.activeElement.closest('#blocks'))"):
            break
        tab.press(Keys.TAB)
    tab.press(Keys.ARROW_DOWN, Keys.ENTER)
    assert [bool(one.get_attribute("open")) for one in tab.all("#blocks details")] == [False, True]
    tab.press(Keys.ARROW_UP)
    assert tab.run("return document.activeElement.textContent").endswith("Some words")
