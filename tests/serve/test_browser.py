"""`crfclean serve` in a real browser: Chromium without a window, driven by selenium.

Needs `crfclean[browser]`, Chromium and its driver (`chromium` and `chromium-driver` in Debian).
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs crfclean[web]")
pytest.importorskip("urllib3", reason="needs crfclean[fetch]")
pytest.importorskip("selenium.webdriver", reason="needs crfclean[browser]")
from browser import NEEDED, started
from contrast import CONTRAST
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from servetab import Tab

from crfclean.serve.schemas import SWITCHES
from crfclean.writers.formats import WRITERS

pytestmark = NEEDED
HERE = "127.0.0.2"  # where the pages to fetch are; 127.0.0.1 stays refused
SERVER = f"""
import sys
from functools import partial
from crfclean.serve.app import serve
from crfclean.fetch.fetch import FetchParams
from crfclean.serve.params import ServeParams, WorkParams
models = tuple(sys.argv[2:])
fetching = FetchParams(networks=("{HERE}/32",)) if sys.argv[1] == "fetch" else None
work = WorkParams(max_seconds=20.0)
serve(ServeParams(port=0, models=models, fetching=fetching, work=work), partial(print, flush=True))
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


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory, downloads: Path) -> Iterator[Any]:
    browser = started(tmp_path_factory.mktemp("profile"))
    allowed = {"behavior": "allow", "downloadPath": str(downloads)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", allowed)
    yield browser
    browser.quit()


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
def start(root: Path, model: Path) -> Iterator[Callable[..., str]]:
    """Start a server; its address."""
    started: list[subprocess.Popen[str]] = []

    def run(fetching: str = "fetch", *models: str) -> str:
        process = subprocess.Popen(
            [sys.executable, "-c", SERVER, fetching, *(models or (str(model), "default"))],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(root)},
        )
        started.append(process)
        assert process.stdout is not None
        return process.stdout.readline().strip()

    yield run
    for process in started:
        process.kill()
        process.communicate()


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


def test_only_the_good_ones(pasted: Tab) -> None:
    everything = pasted.labels()
    pasted.at("[name=show][value=kept]").click()
    assert pasted.labels() == everything.replace("O", "")
    words = [row.find_element(By.CSS_SELECTOR, ".words").text for row in pasted.rows()]
    assert len(words) == len(pasted.text().splitlines())
    pasted.at("[name=show][value=all]").click()
    assert pasted.labels() == everything


def test_the_slider(pasted: Tab) -> None:
    own = pasted.labels()
    pasted.slide("a", 0)
    assert "O" not in pasted.labels()
    assert pasted.at("[data-side=a] output").text == "0.00"
    assert len(pasted.text().splitlines()) >= len(own)  # a block may have several
    pasted.slide("a", 1)
    assert set(pasted.labels()) == {"O"}
    assert (pasted.text(), "nothing-kept" in pasted.status()) == ("", True)
    pasted.at("[data-side=a] .own").click()
    pasted.settle()
    assert pasted.labels() == own


def test_the_post_analysis(pasted: Tab) -> None:
    pasted.slide("a", 0.75)
    before = pasted.labels()
    pasted.at("[data-side=a] .post").click()
    pasted.settle()
    after = pasted.labels()
    assert after != before
    changed = [
        place for place, pair in enumerate(zip(before, after, strict=True)) if len({*pair}) > 1
    ]
    notes = [pasted.rows()[place].find_element(By.CSS_SELECTOR, ".note").text for place in changed]
    assert set(notes) <= {"kept by post-analysis", "dropped by post-analysis"}
    row = pasted.rows()[changed[0]]
    row.find_element(By.CSS_SELECTOR, "summary").click()
    pasted.wait(lambda: row.find_elements(By.CSS_SELECTOR, ".why table"))
    assert "post-analysis, " in row.find_element(By.CSS_SELECTOR, ".why li").text


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


TOLD = """<html lang="en-GB"><head><title>Ferry in the ice | Lake News</title>
<meta property="og:site_name" content="Lake News"><meta property="og:type" content="article">
<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Ferry in the ice"}</script>
</head><body><p>Home</p><article><h1>Ferry in the ice</h1><p class="byline">By <a rel="author"
href="/a">Anna Probe</a></p><p>On Monday morning the ferry stayed in its harbour for the first time
since 1987, because ice covers the whole upper lake, and nobody remembers such a frost.</p>
<ol start="3"><li>Mail from the town on the other shore comes every morning, by sledge.</ol>
<table><tr><th>Winter<th>Ice<tr><td>1963<td>62</table><pre><code class="language-python">ice = 40
</code></pre><p>Walking is safe until April, the harbour master says, but not beside the reeds,
where warm springs come up from the ground.</p></article></body></html>"""


def told(tab: Tab) -> dict[str, list[str]]:
    """Name -> the values that are told of the page."""
    script = """const told = {}; let name = "";
    for (const one of document.querySelectorAll("#told > *")) {
      if (one.tagName === "DT") name = one.textContent;
      else told[name] = [...one.querySelectorAll(".what-it-is")].map((one) => one.textContent);
    }
    return told"""
    return dict(tab.run(script))


def test_what_the_page_says_of_itself(tab: Tab) -> None:
    tab.paste(TOLD)
    found = told(tab)
    assert found["Title"] == ["Ferry in the ice"]
    assert found["Site"] == ["Lake News"]
    assert found["Language"] == ["en-GB"]
    assert found["Type"] == ["article"]
    chances = [float(one.text) for one in tab.all("#told .chance")]
    assert len(chances) == sum(map(len, found.values()))
    assert all(0 < one <= 1 for one in chances)


def test_a_value_leads_to_its_block(tab: Tab) -> None:
    tab.paste(TOLD)
    tab.slide("a", 1)
    tab.at("[name=show][value=kept]").click()
    assert not tab.rows()
    tab.at("#told .jump").click()
    tab.settle()
    opened = tab.all("#blocks details[open] .words")
    assert [one.text for one in opened] == ["Ferry in the ice"]
    assert tab.run("return document.activeElement.closest('li').innerText").count("Ferry")


def test_blocks_tell_what_they_became(tab: Tab) -> None:
    tab.choose("[data-side=a] .name", "default")
    tab.paste(TOLD)
    tab.slide("a", 0)
    kinds = [one.text for one in tab.all("#blocks .kind")]
    wanted = ["heading 1", "item 3", "header 1, 1", "header 1, 2", "cell 2, 1", "cell 2, 2"]
    assert [one for one in kinds if one != "paragraph"] == [*wanted, "code python"]
    row = next(one for one in tab.rows() if "Mail from" in one.text)
    row.find_element(By.CSS_SELECTOR, "summary").click()
    tab.wait(lambda: row.find_elements(By.CSS_SELECTOR, ".why *"))
    why = row.find_element(By.CSS_SELECTOR, ".why").text
    assert "Became: item" in why or "Became: paragraph" in why
    assert "number 3" in why
    assert "Characters: . 0–" in why
    assert re.search(r"Kind: \w+ \d+ %(, rather \w+ \d+ %)?\.", why)


def test_switches_change_the_text(tab: Tab) -> None:
    tab.paste(TOLD)
    tab.slide("a", 0)
    tab.choose("#format", "md")
    assert "# Ferry in the ice" in tab.text()
    tab.at("#shown summary").click()
    names = [one.get_attribute("name") for one in tab.all("#switches input")]
    assert names == list(SWITCHES)
    for name in ("headings", "front_matter", "metadata"):
        tab.at(f"#switches [name={name}]").click()
        tab.settle()
    assert "# Ferry in the ice" not in tab.text()
    assert tab.text().startswith('---\ntitle: "Ferry in the ice"\n')
    assert not tab.at("#told-part").is_displayed()


def test_the_text_in_every_format(pasted: Tab, downloads: Path) -> None:
    for name in WRITERS:
        pasted.choose("#format", name)
        shown = pasted.text()
        pasted.at("#download").click()
        target = downloads / f"page.{name}"
        pasted.wait(lambda target=target: target.is_file())
        assert target.read_bytes().decode("utf-8") == shown
        assert f"Downloaded page.{name}" in pasted.status()
        target.unlink()
        if name.startswith("json"):
            assert json.loads(shown)["status"] == "ok"


def test_copying(pasted: Tab) -> None:
    origin = pasted.run("return location.origin")
    granted = {"origin": origin, "permissions": ["clipboardReadWrite"]}
    pasted.driver.execute_cdp_cmd("Browser.grantPermissions", granted)
    pasted.at("#copy").click()
    pasted.wait(lambda: pasted.status() == "Copied.")
    script = "const done = arguments[0]; navigator.clipboard.readText().then(done)"
    assert pasted.driver.execute_async_script(script).strip() == pasted.text().strip()


def test_another_tagger(pasted: Tab) -> None:
    scores = [row.text for row in pasted.all(".score")]
    pasted.choose("[data-side=a] .name", "default")
    assert [row.text for row in pasted.all(".score")] != scores
    assert len(pasted.rows()) == len(scores)


# two taggers


def test_two_taggers_side_by_side(pasted: Tab) -> None:
    assert not pasted.at("[data-side=b]").is_displayed()
    pasted.at("#compare").click()
    pasted.settle()
    assert pasted.at("[data-side=b] .name").get_attribute("value") == "default"
    ours, theirs = pasted.labels(0), pasted.labels(1)
    assert len(ours) == len(theirs)
    assert "A: " in pasted.status()
    different = sum(a != b for a, b in zip(ours, theirs, strict=True))
    assert f"; {different} different" in pasted.status()
    pasted.at("[name=show][value=different]").click()
    assert len(pasted.rows()) == different
    assert all(a != b for a, b in zip(pasted.labels(0), pasted.labels(1), strict=True))


def test_thresholds_of_two_taggers(pasted: Tab) -> None:
    pasted.at("#compare").click()
    pasted.settle()
    own = pasted.labels(0)
    pasted.slide("b", 0)
    assert pasted.labels(0) == own
    assert "O" not in pasted.labels(1)
    text = pasted.text()
    pasted.choose("#side", "b")
    lines = len(pasted.text().splitlines())  # a block may have several
    assert lines >= len(own) > len(text.splitlines())
    pasted.at("#compare").click()
    pasted.settle()
    assert pasted.text() == text


def test_why_of_two_taggers(pasted: Tab) -> None:
    pasted.at("#compare").click()
    pasted.settle()
    row = pasted.rows()[0]
    row.find_element(By.CSS_SELECTOR, "summary").click()
    pasted.wait(lambda: len(row.find_elements(By.CSS_SELECTOR, ".why table")) == 2)
    heads = [head.text for head in row.find_elements(By.CSS_SELECTOR, ".why h3")]
    assert [head[:3] for head in heads] == ["A: ", "B: "]


def test_taggers_that_see_other_blocks(
    driver: Any, start: Callable[..., str], demo_gold: Any, html: str, tmp_path: Path
) -> None:
    from crfclean.modelfiles.folder import save_bundle
    from crfclean.train.crf import train
    from crfclean.train.params import TrainParams

    folder = tmp_path / "few"
    save_bundle(train(demo_gold[::3], TrainParams(iterations=10, elements=("h1", "p"))), folder)
    tab = Tab(driver)
    tab.open(start("none", "default", str(folder)))
    tab.paste(html)
    alone = [one.text for one in tab.all(".words")]
    tab.at("#compare").click()
    tab.settle()
    words = [one.text for one in tab.all(".words")]
    assert [one for one in words if one in set(alone)] == alone
    assert "n" in tab.labels(1)  # no block
    assert set(tab.labels(1)) & {"T", "H", "O"}
    assert not driver.get_log("browser")


# where pages come from


def test_a_file(tab: Tab, html: str, tmp_path: Path) -> None:
    (tmp_path / "ice.html").write_text(html, "utf-8")
    old = html.replace('charset="utf-8"', 'charset="windows-1252"').encode("cp1252", "replace")
    (tmp_path / "old ice.htm.gz").write_bytes(gzip.compress(old))
    tab.at("[name=source][value=file]").click()
    texts = []
    for name in ("ice.html", "old ice.htm.gz"):
        tab.at("#file").send_keys(str(tmp_path / name))
        tab.clean()
        assert not tab.error()
        texts.append(tab.text())
    assert texts[0] == texts[1]
    assert "ä" in texts[0]


def test_downloads_have_the_name_of_the_page(tab: Tab, tmp_path: Path, downloads: Path) -> None:
    (tmp_path / "über eis.html").write_text("<p>Some words, and others.", "utf-8")
    tab.at("[name=source][value=file]").click()
    tab.at("#file").send_keys(str(tmp_path / "über eis.html"))
    tab.slide("a", 0)
    tab.clean()
    tab.at("#download").click()
    target = downloads / "über-eis.txt"
    tab.wait(target.is_file)
    assert target.read_text("utf-8") == "Some words, and others.\n"


def test_a_url_is_fetched_once(tab: Tab, pages: tuple[str, list[str]]) -> None:
    base, seen = pages
    tab.at("[name=source][value=url]").click()
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


@pytest.mark.parametrize("path", ["/away", "http://127.0.0.1/", "http://[::1]/", "ftp://a.b/"])
def test_urls_that_are_refused(tab: Tab, pages: tuple[str, list[str]], path: str) -> None:
    tab.at("[name=source][value=url]").click()
    tab.at("#url").send_keys(pages[0] + path if path.startswith("/") else path, Keys.ENTER)
    tab.settle()
    assert "loopback" in tab.error() or "only http" in tab.error()
    assert not tab.at("#result").is_displayed()
    (log,) = tab.driver.get_log("browser")
    assert "403" in log["message"]


def test_without_leave_there_is_no_url(driver: Any, start: Callable[..., str]) -> None:
    tab = Tab(driver)
    tab.open(start("none"))
    tab.at("[name=source][value=url]").click()
    assert not tab.at("#url").is_enabled()
    assert "--allow-fetch" in tab.at("#url-hint").text
    tab.clean()
    assert "fetches no pages" in tab.error()


def test_with_leave_it_is_said_what_is_fetched(tab: Tab) -> None:
    tab.at("[name=source][value=url]").click()
    assert tab.at("#url").is_enabled()
    assert "public addresses only" in tab.at("#url-hint").text


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


def test_the_example(tab: Tab) -> None:
    assert tab.at("#example").is_displayed()
    tab.choose("[data-side=a] .name", "default")
    tab.at("#example").click()
    tab.settle()
    tab.wait(tab.rows)
    assert tab.text().startswith("Lighthouse keeper")
    assert "newsletter" not in tab.text()
    assert not tab.at("#start").is_displayed()
    tops = [tab.at(f"#{part}-part").rect["y"] for part in ("text", "told", "blocks")]
    assert tops[0] < tops[1] == tops[2]


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


def test_the_view_follows_the_settings(pasted: Tab) -> None:
    pasted.slide("a", 0)
    with inside_view(pasted):
        pasted.wait(
            lambda: pasted.run(
                "return document.getElementById('summary').textContent.match(/(\\d+) of \\1 /)"
            )
        )
    pasted.at("#compare").click()
    pasted.settle()
    pasted.choose("#side", "b")
    with inside_view(pasted):
        pasted.wait(
            lambda: (
                not pasted.run(
                    "return document.getElementById('summary').textContent.match(/(\\d+) of \\1 /)"
                )
            )
        )


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


def test_nothing_to_clean(tab: Tab) -> None:
    for source, told in (("html", "Paste"), ("file", "Choose"), ("url", "Give")):
        tab.at(f"[name=source][value={source}]").click()
        tab.clean()
        assert told in tab.error()
    tab.paste("no markup at all")
    assert "not-html" in tab.status()
    assert (tab.error(), tab.rows()) == ("", [])
    assert tab.at("#none").is_displayed()


def test_a_page_that_is_too_large(tab: Tab, tmp_path: Path) -> None:
    (tmp_path / "large.html").write_bytes(b"<p>" + b"a" * 13_000_000)
    tab.at("[name=source][value=file]").click()
    tab.at("#file").send_keys(str(tmp_path / "large.html"))
    tab.clean()
    assert "too many" in tab.error()


def test_many_blocks(tab: Tab) -> None:
    tab.paste("<p>Some words." * 6_000)
    assert "1000 blocks not shown" in tab.status()
    assert len(tab.rows()) == 5_000


def test_the_server_goes_away(driver: Any, start: Callable[..., str], html: str) -> None:
    tab = Tab(driver)
    tab.open(start("none"))
    tab.driver.execute_cdp_cmd("Network.enable", {})
    gone = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
    tab.driver.execute_cdp_cmd("Network.emulateNetworkConditions", gone)
    try:
        tab.paste(html)
        assert "does not answer" in tab.error()
    finally:
        there = {**gone, "offline": False, "downloadThroughput": -1, "uploadThroughput": -1}
        tab.driver.execute_cdp_cmd("Network.emulateNetworkConditions", there)
    tab.clean()
    assert (tab.error(), bool(tab.rows())) == ("", True)
    driver.get_log("browser")


def test_reloading_keeps_the_token(tab: Tab) -> None:
    tab.driver.refresh()
    tab.wait(lambda: tab.all("#format option"))
    tab.paste("<p>Some words.")
    assert not tab.error()


# for everybody


def test_all_by_keyboard(tab: Tab) -> None:
    tab.run("document.body.focus()")
    tab.press(Keys.TAB)  # the kind of source
    assert tab.run("return document.activeElement.name") == "source"
    tab.press(Keys.TAB, "<h1>Some words</h1><p>Others, too.", Keys.TAB, Keys.ENTER)
    assert len(tab.rows()) == 2
    tab.press(Keys.TAB, Keys.TAB, Keys.TAB, Keys.TAB)  # tagger, post-analysis, threshold, slider
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


def test_everything_has_a_name(pasted: Tab) -> None:
    pasted.at("#compare").click()
    pasted.settle()
    controls = pasted.all("input, select, textarea, button, pre, summary")
    shown = [one for one in controls if one.is_displayed()]
    assert len(shown) > 20
    assert not [one.get_attribute("outerHTML")[:80] for one in shown if not one.accessible_name]


@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("compare", [False, True])
def test_nothing_is_wider_than_the_screen(pasted: Tab, width: int, compare: bool) -> None:  # noqa: FBT001
    pasted.size(width)
    if compare:
        pasted.at("#compare").click()
        pasted.settle()
    pasted.rows()[0].find_element(By.CSS_SELECTOR, "summary").click()
    pasted.settle()
    assert pasted.run("return document.documentElement.scrollWidth <= innerWidth")
    wide = "(one) => one.getBoundingClientRect().right > innerWidth + 1"
    found = f"[...document.querySelectorAll('main *')].filter({wide})"
    assert pasted.run(f"return {found}.map((one) => one.outerHTML.slice(0, 80))") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out(pasted: Tab, scheme: str) -> None:
    """The contrast of WCAG 2.1, 1.4.3: at least 4.5."""
    pasted.colours(scheme)
    pasted.at("#compare").click()
    pasted.settle()
    for row in pasted.rows()[:2]:
        row.find_element(By.CSS_SELECTOR, "summary").click()
    pasted.settle()
    back = pasted.run("return getComputedStyle(document.body).backgroundColor")
    assert (back == "rgb(30, 34, 39)") == (scheme == "dark")
    assert pasted.run(CONTRAST) == {}
