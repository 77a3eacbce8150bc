"""Draw a bundled page as its readers see it, and with what crfclean keeps, for the README.

Run `python -m eval.documents.page_picture` (needs Chromium, chromedriver, and the extras `browser`
and `plots`).

Kept blocks are green, all others are grey; the stronger the colour, the surer the model.
"""

from __future__ import annotations

import html
import tempfile
from pathlib import Path
from typing import Any

from lxml import etree

import crfclean
from eval.documents.overlay_pictures import browser
from eval.lib.corpora import DEMO, ROOT

PAGE = DEMO / "moorland-gazette" / "sunday-bus-reprieve.html"
PICTURE = ROOT / "docs" / "pictures" / "page.png"
WIDTH, HEIGHT, PAGE_WIDTH = 1_240, 900, 900  # pixels: of the picture; of the page in a browser
STYLE = """<style>body { font: 18px/1.45 Georgia, serif; margin: 24px 40px; color: #111 }
nav ul, header ul { display: flex; flex-wrap: wrap; gap: 4px 16px; list-style: none; padding: 0 }
a { color: #15589c } img { width: 100%; height: 110px;
content: url("data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>"); background: #d5dde3 }
h1 { font-size: 34px; line-height: 1.15 } p { margin: 10px 0 }
[data-kept="0"], [data-kept="0"] * { color: #bdbdbd !important }
[data-kept="1"], [data-kept="1"] * { color: #111 !important }</style>"""
"""The page has no style sheet of its own."""
FRAME = """<style>body {{ margin: 0; font: 600 17px system-ui, sans-serif; display: flex; gap: 16px;
padding: 14px; background: #fff; color: #222 }} div {{ flex: 1; min-width: 0; overflow: hidden }}
iframe {{ width: {page}px; height: {high}px; border: 1px solid #bbb; transform: scale({scale});
transform-origin: 0 0; margin-top: 8px }}</style>
<div>A page<br><iframe srcdoc="{before}"></iframe></div>
<div>What crfclean keeps of it<br><iframe srcdoc="{after}"></iframe></div>"""


def coloured(source: str) -> str:
    """The page with its blocks coloured by decision and probability."""
    document = crfclean.clean(source)
    tree: Any = etree.fromstring(source, etree.HTMLParser(encoding="utf-8")).getroottree()
    for block, tag in zip(document.blocks, document.tags, strict=True):
        (element,) = tree.xpath(block.xpath)
        kept = tag.label != crfclean.Label.OTHER
        element.set("data-kept", str(int(kept)))
        if kept:
            colour = f"background: rgba(0, 150, 70, {0.3 * tag.probability:.2f})"
            element.set("style", f"{element.get('style', '')};{colour}")
    return str(etree.tostring(tree, encoding="unicode", method="html"))


def draw(target: Path) -> None:
    """Write the picture."""
    source = PAGE.read_text("utf-8")
    scale = (WIDTH / 2 - 30) / PAGE_WIDTH
    pages = {"before": html.escape(STYLE + source), "after": html.escape(STYLE + coloured(source))}
    frame = FRAME.format(page=PAGE_WIDTH, high=int((HEIGHT - 60) / scale), scale=scale, **pages)
    with tempfile.TemporaryDirectory() as folder, browser(WIDTH, HEIGHT) as driver:
        (page := Path(folder, "page.html")).write_text(f"<meta charset=utf-8>{frame}", "utf-8")
        driver.get(page.as_uri())
        driver.save_screenshot(str(target))


def main() -> None:
    """Draw the README's picture."""
    draw(PICTURE)


if __name__ == "__main__":
    main()
