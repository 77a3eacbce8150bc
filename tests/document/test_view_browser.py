"""The page with what was kept in a real browser: Chromium without a window, driven by selenium.

Needs `crfclean[browser]`, Chromium and its driver (`chromium` and `chromium-driver` in Debian).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("selenium.webdriver", reason="needs crfclean[browser]")
from browser import NEEDED
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from servetab import Tab

from crfclean.document.overlay import overlay_html
from crfclean.page.decode import decode
from crfclean.systems.load import by_name

pytestmark = NEEDED


class View(Tab):
    """A file with the view of a page, as its reader sees it."""

    def show(self, path: Path) -> None:
        self.driver.get(path.as_uri())
        self.wait(lambda: self.at("#summary").text)
        with self.page():
            self.wait(lambda: self.run("return document.readyState === 'complete'"))

    @contextmanager
    def page(self) -> Iterator[None]:
        """Look into the frame."""
        self.driver.switch_to.frame(self.at("iframe"))
        try:
            yield
        finally:
            self.driver.switch_to.default_content()

    def keys(self, *keys: str) -> None:
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def current(self) -> list[str]:
        """The texts of the block that is marked in the page."""
        with self.page():
            return [mark.text for mark in self.all("[data-crf-current]")]


@pytest.fixture
def view(driver: Any) -> Iterator[View]:
    opened = View(driver)
    opened.size(1280, 800)
    opened.colours("light")
    driver.get_log("browser")
    yield opened
    assert not driver.get_log("browser"), "nothing is refused by the policy, and nothing fails"


def write(folder: Path, html: str | bytes) -> Path:
    target = folder / "view.html"
    target.write_text(overlay_html(decode(html), by_name("default")), "utf-8", "replace")
    return target


@pytest.fixture(scope="module")
def example(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    page = root / "crfclean" / "web" / "static" / "example.html"
    return write(tmp_path_factory.mktemp("example"), page.read_bytes())


# by pointer and by keyboard


def test_a_click_tells_why(view: View, example: Path) -> None:
    view.show(example)
    assert not view.at("#why").is_displayed()
    with view.page():
        view.at("nav li").click()
    view.wait(lambda: view.at("#why").is_displayed())
    assert view.at("#verdict").text.startswith("Dropped · navigation (")
    assert "inside a menu" in [item.text for item in view.all("#because li")]
    assert view.at("#size").text == "<li>, 1 word, all inside links."
    assert view.at("#words").text == "News"
    assert view.current() == ["News"]
    view.at("#figures-part summary").click()
    assert len(view.all("#figures tr")) > 3
    assert "in_nav" in view.at("#figures").text
    assert view.at("#xpath").text.endswith("/li[1]")
    with view.page():
        view.at("h1").click()
    view.wait(lambda: view.at("#verdict").text.startswith("Kept · title ("))


def test_all_by_keyboard(view: View, example: Path) -> None:
    view.show(example)
    view.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert not view.at("#why").is_displayed()
    view.wait(lambda: view.current() == ["Harbour"])
    view.keys(Keys.ENTER)
    view.wait(lambda: view.at("#words").text == "Harbour")
    view.keys(Keys.ARROW_UP)
    view.wait(lambda: view.at("#words").text == "News")
    view.keys(Keys.END)
    view.wait(lambda: "All rights reserved" in view.at("#words").text)
    view.keys(Keys.HOME, Keys.ESCAPE)
    view.wait(lambda: not view.at("#why").is_displayed())
    view.wait(lambda: view.current() == ["The Skerry Post"])


def test_it_begins_with_the_text_below_a_long_menu(view: View, root: Path, tmp_path: Path) -> None:
    menu = "".join(f"<li><a href='/{number}'>Section {number}</a></li>" for number in range(90))
    page = (root / "crfclean" / "web" / "static" / "example.html").read_text("utf-8")
    view.show(write(tmp_path, page.replace("<body>", f"<body><nav><ul>{menu}</ul></nav>")))
    with view.page():
        view.wait(lambda: view.run("return scrollY > 500"))
        assert 0 < view.run("return document.querySelector('h1').getBoundingClientRect().top") < 700
    view.keys(Keys.ARROW_DOWN, Keys.ENTER)
    view.wait(lambda: view.at("#verdict").text.startswith("Kept · title ("))
    view.keys(Keys.ARROW_UP)
    view.wait(lambda: view.at("#words").text.startswith("Home"))


# pages that attack, and pages that are large


class Noted(BaseHTTPRequestHandler):
    """Notes the paths that it is asked for."""

    seen: list[str]

    def do_GET(self) -> None:
        """Answer with nothing."""
        self.seen.append(self.path)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def elsewhere() -> Iterator[tuple[str, list[str]]]:
    """The address of a server that a page may want to reach, and what it was asked for."""
    seen: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Here", (Noted,), {"seen": seen}))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", seen
    server.shutdown()
    server.server_close()


HOSTILE = """<!doctype html><title></script><script>top.document.title = 'taken'</script></title>
<style>@import "HOST/a.css"; @font-face { font-family: f; src: url(HOST/f.woff) }
body { font-family: f; background: url(HOST/b.png) } [data-crf-paint] { display: none }
p::before { content: url(HOST/c.png) } </style><link rel=stylesheet href="HOST/d.css">
<link rel=prefetch href="HOST/e"><meta http-equiv=refresh content="0;url=HOST/f"><base href="HOST/">
<body onload="top.document.title = 'taken'" background="HOST/g.png"><script>alert(1)</script>
<p onclick="alert(2)">First words.</p><img src="HOST/h.png" srcset="HOST/i.png 1x" onerror=alert(3)>
<p style="background: url(HOST/j.png)">]]&gt; &lt;/script&gt;&lt;script&gt;alert(4)&lt;/script&gt;
</p><iframe src="HOST/k" srcdoc="<script>alert(5)</script>"></iframe><video src="HOST/l" autoplay>
</video><object data="HOST/m"></object><svg onload=alert(6)><image href="HOST/n.png"/></svg>
<form action="HOST/o"><button>Send this form</button></form>
<a href="HOST/p" ping="HOST/q">A link</a>
<div id="crf-0" data-crf="1" data-crf-paint="k9">A false mark</div><p>Last words."""


def test_hostile_pages(view: View, tmp_path: Path, elsewhere: tuple[str, list[str]]) -> None:
    address, seen = elsewhere
    view.show(write(tmp_path, HOSTILE.replace("HOST", address)))
    for number in range(len(view.run("return JSON.parse(data.textContent).blocks"))):
        view.keys(Keys.ARROW_DOWN, Keys.ENTER)
        assert view.at("#words").text, number
    with view.page():
        for mark in view.all("button, a, p"):
            view.run("arguments[0].click()", mark)
        assert view.run("return document.scripts.length") == 1
        assert view.run("return origin") == "null"
    assert view.driver.title.endswith("– what crfclean keeps")
    assert "alert(4)" in view.run("return data.textContent")
    assert seen == []
    log = [entry["message"] for entry in view.driver.get_log("browser")]
    assert all("Content Security Policy" in message for message in log), log
