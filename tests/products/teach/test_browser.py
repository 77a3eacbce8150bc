"""Labelling in a real browser: Chromium without a window, driven by selenium.

Needs `crfclean[browser]`, Chromium and its driver (`chromium` and `chromium-driver` in Debian).
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs crfclean[web]")
webdriver = pytest.importorskip("selenium.webdriver", reason="needs crfclean[browser]")
from browser import NEEDED  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402
from serving import Running  # noqa: E402

pytestmark = NEEDED
SERVER = """
import sys
from pathlib import Path
from crfclean.products.teach.session import open_session
from crfclean.products.teach.annotate_web import label_in_browser
from crfclean.systems.load import load
session = open_session(Path(sys.argv[1]), load(sys.argv[2]), "name")
label_in_browser(session)
"""
MENU = "<ul><li>Home</li><li>News</li><li>Sport</li></ul>"
PAGES = {
    "a.html": f"<style>h1{{color:red}}</style>{MENU}<h1>First <i>title</i></h1><p>One.</p>"
    "<div>Two <b>bold</b><p>Three.</p>Four.</div>",
    "b.html": f"{MENU}<button>Press</button><h1>Second</h1><p>Five.</p>",
    "c.html": "<p>Broken.</p>",
}
TEXTS = ["Home", "News", "Sport", "First title", "One.", "Two bold", "Three.", "Four."]


class Tab:
    """The page in the browser, as its user sees it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, address: str) -> None:
        self.driver.get(address)
        self.wait(self.loaded)

    def wait(self, condition: Callable[[], object]) -> None:
        WebDriverWait(self.driver, 60, 0.02).until(lambda _: condition())

    def all(self, selector: str) -> list[Any]:
        return list(self.driver.find_elements(By.CSS_SELECTOR, selector))

    def text(self, selector: str) -> str:
        return str(self.driver.find_element(By.CSS_SELECTOR, selector).text)

    def now(self) -> int | None:
        """The current block."""
        found = self.all("#blocks > .current")
        return int(found[0].get_attribute("id")[1:]) if found else None

    def loaded(self) -> bool:
        """Whether a page is there."""
        return self.now() is not None

    def labels(self) -> str:
        """First letters of the labels, "." where none was given."""
        letters = "[...blocks.children].map((row) => row.dataset.label[0] ?? '.')"
        return str(self.run(f"return {letters}.join('')"))

    def run(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(script, *arguments)

    def press(self, *keys: str) -> None:
        """Press keys one after the other, and wait until all is done."""
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)
        self.settle()

    def settle(self) -> None:
        """Wait until nothing is asked of the server any more."""
        self.driver.execute_async_script(
            "const done = arguments[0]; let last = -1;"
            "const look = () => { const now = performance.getEntriesByType('resource').length;"
            "if (now === last) done(); else { last = now; setTimeout(look, 120); } };"
            "setTimeout(look, 60);"
        )

    def rows(self) -> list[Any]:
        return self.all("#blocks > li")

    def marked(self) -> str:
        """The text that is marked in the frame."""
        self.driver.switch_to.frame("view")
        try:
            found = self.all(":target")
            return found[0].text if found else ""
        finally:
            self.driver.switch_to.default_content()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "pages"
    made.mkdir()
    for name, html in PAGES.items():
        (made / name).write_text(html, "utf-8")
    (made / "c.labels.tsv").write_text("TEXT\t<b>other</b> text\n", "utf-8")
    return made


@pytest.fixture
def start(folder: Path, model: Path) -> Iterator[Callable[[], Running]]:
    command = "-c", SERVER, folder, model
    with ExitStack() as stack:
        yield lambda: stack.enter_context(closing(Running(*command, OPENBLAS_NUM_THREADS="1")))


@pytest.fixture
def tab(driver: Any, start: Callable[[], Running]) -> Tab:
    opened = Tab(driver)
    size(driver, 1280, 800)
    driver.get_log("browser")
    opened.open(start().address)
    return opened


def size(driver: Any, width: int, height: int) -> None:
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def saved(folder: Path, name: str = "a") -> str:
    lines = (folder / f"{name}.labels.tsv").read_text("utf-8").splitlines()
    return "".join(line[0] for line in lines)


# labelling


def test_the_page_shows_its_blocks_and_the_list(tab: Tab) -> None:
    assert [row.text for row in tab.all("#blocks .words")] == TEXTS
    assert tab.text("#name") == "a.html"
    assert tab.text("#count") == "page 1 of 3, 0 of 8 blocks labelled"
    assert [one.text for one in tab.all("#page-list .file")] == ["a.html", "b.html", "c.html"]
    assert [one.text for one in tab.all("#page-list .state")] == ["0 of 8", "0 of 6", "problem"]
    assert all("% sure" in one.text for one in tab.all("#page-list li:not(.problem) .sure"))
    assert "guess" in tab.text("#current")
    assert "token" not in tab.driver.current_url
    assert not tab.driver.get_log("browser"), "nothing is refused or fails"


def test_labelling_by_keys(tab: Tab, folder: Path) -> None:
    tab.press("o", "o", "o")
    assert (tab.labels(), tab.now()) == ("OOO.....", 3)
    tab.press("h", "t", Keys.ARROW_DOWN, "t")
    assert (tab.labels(), tab.now()) == ("OOOHT.T.", 7)
    assert saved(folder) == "OOOHT?T?"
    tab.press("k", "k", "x")
    assert (tab.labels(), tab.now()) == ("OOOHT.T.", 5)
    tab.press("j", "x", "g")
    assert (tab.labels(), tab.now()) == ("OOOHT...", 7)
    assert tab.text("#count") == "page 1 of 3, 5 of 8 blocks labelled"


# going on


def test_a_killed_server_loses_nothing(
    tab: Tab, start: Callable[[], Running], folder: Path
) -> None:
    server = start()
    tab.open(server.address)
    tab.press("o", "h")
    server.close()
    tab.press("t")
    assert "does not answer" in tab.text("#error")
    assert tab.labels() == "OH......"
    assert saved(folder) == "OH??????"
    tab.open(start().address)
    assert (tab.labels(), tab.now()) == ("OH......", 2)
    tab.press("t")
    assert saved(folder) == "OHT?????"


# the rendered page


def test_the_frame_never_takes_the_keys(tab: Tab) -> None:
    tab.press("n")
    for _ in range(6):  # a button is among them
        tab.press("j")
        assert tab.run("return document.activeElement.id") == "blocks"
    webdriver.ActionChains(tab.driver).move_to_element(tab.all("#view")[0]).click().perform()
    tab.wait(lambda: tab.run("return document.activeElement.id") == "blocks")


# hostile pages


class Listener:
    """Whatever comes to a port of its own."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(1)
                try:
                    self.heard.append(connection.recv(2_000))
                except OSError:
                    self.heard.append(b"")


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.socket.shutdown(socket.SHUT_RDWR)
    made.socket.close()


HOSTILE = """<html><head><base href="{there}/base/"><title>{script}</title>
<meta http-equiv="refresh" content="0;url={there}/refresh">
<meta http-equiv="Content-Security-Policy" content="default-src *">
<link rel="stylesheet" href="{there}/a.css"><link rel="preload" as="image" href="{there}/p.png">
<link rel="dns-prefetch" href="{there}"><link rel="preconnect" href="{there}">
<link rel="prefetch" href="{there}/prefetch"><link rel="icon" href="{there}/icon">
<script src="{there}/a.js"></script><script>{code}</script>
<style>@import url({there}/import.css); body {{ background: url({there}/back.png) }}
@font-face {{ font-family: x; src: url({there}/font.woff) }} p {{ font-family: x;
cursor: url({there}/c.cur), auto; list-style: url({there}/l.png);
content: image-set("{there}/s.png" 1x); mask: url({there}/m.svg#a) }}
p::after {{ content: url({there}/after.png) }}</style>
<style></style><script>{code}</script></style></head>
<body onload="{code}" background="{there}/b.png" style="background:url({there}/style.png)">
<p id="crf-0" onclick="{code}" onmouseover="{code}">{script} and <b>more</b></p>
<img src="{there}/i.png" srcset="{there}/j.png 2x" onerror="{code}" loading="eager">
<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='{code}'/>">
<iframe src="{there}/frame"></iframe><iframe srcdoc="{script}"></iframe>
<object data="{there}/object"></object><embed src="{there}/embed"></embed>
<video src="{there}/v.mp4" poster="{there}/v.png" autoplay></video>
<audio src="{there}/a.mp3" autoplay></audio>
<svg onload="{code}"><image href="{there}/svg.png"/><use href="{there}/use.svg#a"/></svg>
<form action="{there}/form" method="post"><input name="a" autofocus onfocus="{code}">
<button formaction="{there}/button">Send</button></form>
<a href="{there}/link" ping="{there}/ping" target="_top">A link</a>
<a href="javascript:{code}">Another</a>
<p>{raw}<img src=x onerror={code}></p>
<table background="{there}/t.png"><tr><td background="{there}/td.png">Cell</table>
<details ontoggle="{code}" open><summary>Open</summary>Inside</details>
<marquee onstart="{code}">Moving</marquee><plaintext>The end <script>{code}</script>"""


def test_hostile_pages_run_nothing_and_reach_nobody(
    tab: Tab, folder: Path, start: Callable[[], Running], listener: Listener
) -> None:
    there = f"http://127.0.0.1:{listener.port}"
    code = f"top.ran=1;fetch('{there}/ran');new Image().src='{there}/ran'"
    script = f"&lt;script&gt;{code}&lt;/script&gt;&lt;img src={there}/x onerror={code}&gt;"
    html = HOSTILE.format(there=there, code=code, script=script, raw="<![CDATA[x]]>")
    (folder / "0<img src=x onerror=alert(1)>.html").write_text(html, "utf-8")
    tab.open(start().address)
    assert tab.text("#name").startswith("<script>top.ran=1")
    assert tab.all("#blocks .words")[0].text.startswith("<script>top.ran=1")
    for block in range(len(tab.rows())):
        tab.wait(lambda: tab.now() == block)  # noqa: B023 - called before the next block
        tab.press("j")
    tab.wait(lambda: tab.marked() != "")
    tab.driver.switch_to.frame("view")
    for link in tab.all("a, button, summary"):
        link.click()
    assert not tab.all("script, iframe, object, embed, form, link, svg, video, audio, base")
    tab.driver.switch_to.default_content()
    tab.all("#styled")[0].click()
    tab.wait(lambda: tab.marked() != "")
    time.sleep(1)
    assert listener.heard == []
    assert tab.run("return window.ran") is None
    assert not tab.all("#blocks script, #blocks img, #blocks b, #page-list img, h1 img")
    assert len(tab.driver.window_handles) == 1
    assert not tab.run("return view.contentDocument"), "its origin is not ours"
