"""Read the text that headless Chromium shows of pages, and what each text of a page stands in.

Pages come from a server on loopback with a content security policy that allows inline styles
alone: no script runs and nothing is loaded, yet `noscript` stays hidden, as with scripts.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

from eval.lib.corpora import SKIPPED

try:
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.chrome.service import Service
except ImportError:
    sys.stderr.write('skipped: selenium is missing: pip install -e ".[browser]"\n')
    sys.exit(SKIPPED)

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
FLAGS = """--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run
    --disable-background-networking --disable-component-update --disable-sync
    --window-size=1280,800""".split()
MAX_SECONDS = 60  # a page
_REFRESH = re.compile(r"""http-equiv\s*=\s*["']?\s*refresh""", re.IGNORECASE)

READ = """
const never = new Set(['SCRIPT', 'STYLE', 'TITLE', 'TEMPLATE', 'HEAD']);
const named = 'select,datalist,textarea,button,svg,noscript,rt,rp,object,iframe,video,audio,'
  + 'canvas,math,details:not([open]),dialog:not([open]),marquee,frameset,noframes,noembed';
const style = (element) => getComputedStyle(element);
function hiding(element) {
  for (let at = element; at; at = at.parentElement) {
    if (style(at).display !== 'none') continue;
    if (at.hasAttribute('hidden')) return 'hidden by attribute';
    return /none/i.test(at.style.display) ? 'hidden by own style' : 'hidden by style sheet';
  }
  return element.closest('[style*=visibility]') ? 'hidden by own style' : 'hidden by style sheet';
}
function box(element) {
  for (let at = element; at; at = at.parentElement) {
    const display = style(at).display;
    if (display !== 'inline' && display !== 'contents') return at.localName + ' ' + display;
  }
  return '';
}
const parts = [];
const walker = document.createTreeWalker(document.documentElement, 5);
for (let node; (node = walker.nextNode());) {
  if (node.localName === 'br') parts.push(['br', '', '']);
  const element = node.parentElement;
  if (node.nodeType !== 3 || never.has(element.tagName) || !node.data.trim()) continue;
  const around = element.closest(named);
  const shown = element.checkVisibility({visibilityProperty: true});
  const cause = around ? around.localName : shown ? 'shown' : hiding(element);
  const pre = style(element).whiteSpaceCollapse.startsWith('preserve');
  parts.push([cause, node.data, pre ? 'pre' : box(element)]);
}
return {text: document.body ? document.body.innerText : '', parts};
"""


class Part(NamedTuple):
    """A text node: what it stands in or what hides it, its text, the box that its line is in.

    A `br` is one, too: its text is empty.
    """

    cause: str
    text: str
    box: str


@dataclass(frozen=True)
class BrowserText:
    """A page's `innerText` and its text nodes."""

    text: str
    parts: tuple[Part, ...]


class _Pages(BaseHTTPRequestHandler):
    """Serves the page that is set."""

    html = b""

    def do_GET(self) -> None:
        """Answer with the page, whatever the path."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(self.html)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Browser:
    """Chromium and the server of its pages; answers are kept in a folder."""

    def __init__(self, driver: Any, server: ThreadingHTTPServer, cache: Path) -> None:
        self.driver = driver
        self.address = f"http://127.0.0.1:{server.server_port}/"
        self.cache = cache

    def read(self, html: str) -> BrowserText | None:
        """The texts of a page, or None if the browser gives none in time."""
        source = _REFRESH.sub("data-x=refresh", html).encode("utf-8", "replace")
        digest = hashlib.sha256(source + READ.encode()).hexdigest()[:24]
        path = self.cache / f"{digest}.json"
        if not path.is_file():
            _Pages.html = source
            try:
                self.driver.get(f"{self.address}{digest}")
                while self.driver.execute_script("return document.readyState") != "complete":
                    time.sleep(0.1)
                answer = self.driver.execute_script(READ)
            except WebDriverException as error:
                sys.stderr.write(f"no text: {error.msg}\n")
                return None
            path.write_text(json.dumps(answer), "utf-8")
        answer = json.loads(path.read_text("utf-8"))
        return BrowserText(answer["text"], tuple(Part(*part) for part in answer["parts"]))

    def version(self) -> str:
        """The version of Chromium."""
        return str(self.driver.capabilities["browserVersion"])


@contextmanager
def open_browser(cache: str) -> Iterator[Browser]:
    """A started browser; ends the script with 77 where there is none."""
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not program or not driver:
        sys.stderr.write("skipped: no chromium and chromedriver\n")
        sys.exit(SKIPPED)
    Path(cache).mkdir(parents=True, exist_ok=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
    Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = program
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        chromium = webdriver.Chrome(options=options, service=Service(driver))
        try:
            chromium.set_page_load_timeout(MAX_SECONDS)
            yield Browser(chromium, server, Path(cache))
        finally:
            chromium.quit()
            server.shutdown()
