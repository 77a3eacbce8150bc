"""Look in Chromium whether text fragments highlight the spans that they cite.

Run `python -m eval.documents.text_fragments --data DIR`; `--sets` without names needs no other data
than the demo pages. Pages are served on loopback without their scripts and the files that they
load. A span counts as highlighted if the browser marks text inside the element of the span and
none outside, as seen on a picture of its window. `--sentences` are drawn on each page, and beside
each of them a span of two to four paragraphs.
"""

from __future__ import annotations

import io
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import numpy as np

from crfclean.citations import Citation, blocks, cite, sentences
from crfclean.page.decode import decode
from crfclean.pipeline import open_model, run
from crfclean.types import Document, Page
from eval.lib.corpora import DEMO, SKIPPED, corpus, data_parser, drawn
from eval.lib.record import environment, record

try:
    from PIL import Image
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
except ImportError:
    sys.stderr.write('skipped: pip install -e ".[browser,plots]"\n')
    sys.exit(SKIPPED)

CHROMIUM, DRIVER = shutil.which("chromium") or "", shutil.which("chromedriver") or ""
FLAGS = """--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run
    --disable-background-networking --disable-component-update --disable-sync
    --window-size=1280,800""".split()
STYLE = (
    "<style>::target-text{background:#ff00ff!important;color:#ff00ff!important}"
    "html{scroll-behavior:auto!important}</style>"
)
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
# the rectangles in the window of the elements with some texts (XPath, text without white space):
# the one at the XPath, else the innermost with the text, as the browser's tree may differ
RECTANGLES = r"""const holds = (element, text) =>
  element.textContent.replace(/\s+/g, "").includes(text);
return arguments[0].flatMap(([path, text]) => {
  const element = document.evaluate(path, document, null, 9, null).singleNodeValue;
  let elements = element && holds(element, text) ? [element] : [];
  if (!elements.length) {
    const holders = [...document.body.querySelectorAll("*")].filter(each => holds(each, text));
    elements = holders.filter(each => ![...each.children].some(child => holds(child, text)));
  }
  return elements.map(each => each.getBoundingClientRect())
    .map(box => [box.left, box.top, box.right, box.bottom]);
})"""
SLACK = 12  # pixels around an element, where its text may hang over


class Served(BaseHTTPRequestHandler):
    """Answers with the page of the server."""

    def do_GET(self) -> None:
        """Send the page, whatever the path."""
        body: bytes = self.server.page  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Be silent."""


@contextmanager
def served() -> Iterator[Any]:
    """A server on loopback; its `page` is what it sends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Served)
    Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


@contextmanager
def started() -> Iterator[Any]:
    """A browser without a window."""
    with tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for flag in [*FLAGS, f"--user-data-dir={profile}"]:
            options.add_argument(flag)
        driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        yield driver
        driver.quit()


def spans_of(document: Document, count: int, chance: random.Random) -> list[tuple[str, Citation]]:
    """Citations of a document: sentences, and spans of several paragraphs."""
    each_sentence, each_block = sentences(document), blocks(document)
    chosen = chance.sample(each_sentence, min(count, len(each_sentence)))
    pairs = [("sentence", citation) for citation in chosen]
    for _ in range(min(count, len(each_block) - 1)):
        first = chance.randrange(len(each_block) - 1)
        last = min(len(each_block) - 1, first + chance.randint(1, 3))
        start, end = each_block[first].start, each_block[last].end
        assert start is not None
        assert end is not None
        pairs.append(("paragraphs", cite(document, start, end)))
    return pairs


def outcome(driver: Any, address: str, citation: Citation) -> str:
    """What the browser does with a fragment."""
    if not citation.url:
        return "no fragment"
    driver.get("about:blank")
    driver.get(address + citation.url)
    texts = citation.text.split("\n")
    expected = [
        (block.xpath, "".join(text.split()))
        for block, text in zip(citation.blocks, texts, strict=True)
    ]
    boxes = driver.execute_script(RECTANGLES, expected)
    pixels = np.asarray(Image.open(io.BytesIO(driver.get_screenshot_as_png())).convert("RGB"))
    marked = (pixels[:, :, 0] > 240) & (pixels[:, :, 1] < 15) & (pixels[:, :, 2] > 240)
    if not marked.any():
        return "nothing marked"
    inside = np.zeros_like(marked)
    for box in boxes:
        left, top, right, bottom = (max(0, int(side)) for side in box)
        inside[max(0, top - SLACK) : bottom + SLACK, max(0, left - SLACK) : right + SLACK] = 1
    if (marked & ~inside).any() and len(citation.blocks) == 1:
        return "something else marked" if not (marked & inside).any() else "more marked"
    return "marked" if (marked & inside).any() else "something else marked"


def pages_of(name: str, data: str, count: int) -> list[Page]:
    if name == "demo":
        return [decode(path.read_bytes()) for path in sorted(DEMO.rglob("*.html"))][:count]
    return [gold.page for gold in drawn(corpus(name, data), count)]


def measured(
    driver: Any, server: Any, pages: list[Page], count: int, *, shown: bool
) -> Mapping[str, Counter[str]]:
    """The outcomes of each kind of span."""
    counts: dict[str, Counter[str]] = {}
    tagger, chance = open_model("default"), random.Random(0)  # noqa: S311
    address = f"http://127.0.0.1:{server.server_port}/page"
    for page in pages:
        document = run(Page(page.html), tagger)
        server.page = with_style(page.html)
        for kind, citation in spans_of(document, count, chance):
            result = outcome(driver, address, citation)
            unique = "" if citation.is_unique else ", not unique"
            counts.setdefault(kind, Counter())[result + unique] += 1
            if shown and result != "marked":
                print(f"  {result}{unique}: {citation.text[:90]!r} {citation.url[:200]}")
    return counts


def with_style(html: str) -> bytes:
    """A page with the style at the end of its head, without what reloads it."""
    html = html.replace("http-equiv", "data-was")
    head = re.search("</head>", html, re.IGNORECASE)
    at = head.start() if head else len(html)
    return (html[:at] + STYLE + html[at:]).encode("utf-8", "replace")


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--sets", nargs="*", default=["fundus-dev", "wcxb-dev"])
    parser.add_argument("--pages", type=int, default=40, help="pages of each set")
    parser.add_argument("--sentences", type=int, default=5, help="sentences of each page")
    parser.add_argument("--failures", action="store_true", help="print what is not marked")
    args = parser.parse_args()
    if not (CHROMIUM and DRIVER):
        sys.stderr.write("skipped: Chromium or its driver is missing\n")
        sys.exit(SKIPPED)
    results = {}
    with served() as server, started() as driver:
        measure = partial(measured, driver, server, shown=args.failures)
        for name in ["demo", *args.sets]:
            counts = measure(pages_of(name, args.data, args.pages), args.sentences)
            results[name] = {kind: dict(counts[kind]) for kind in sorted(counts)}
            print(name, results[name], flush=True)
        version = driver.capabilities["browserVersion"]
    facts = {"browser": version, "pages": args.pages, "sentences": args.sentences}
    record("documents/text_fragments", facts | {"results": results} | environment())


if __name__ == "__main__":
    main()
