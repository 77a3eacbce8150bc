"""Draw ten kinds of pages with what crfclean keeps of them, and the coherent texts of one.

The pictures are those of `docs/gallery.md` and `docs/trees.md`.

Run `python -m eval.documents.gallery_pictures` (needs Chromium, chromedriver, and the extras
`browser` and `plots`).
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from selenium.webdriver.common.by import By

from crfclean.document.overlay import overlay_html
from crfclean.page.decode import decode
from crfclean.pipeline import run
from crfclean.products.papers.segment_params import SegmentParams
from crfclean.products.papers.segments_picture import to_picture
from crfclean.systems.load import load, named
from eval.documents.overlay_pictures import EXAMPLE, PICTURES, browser, save, wait
from eval.lib.corpora import ROOT

GALLERY = ROOT / "data" / "gallery"
PAGES = {
    "article": EXAMPLE,
    "forum": ROOT / "data" / "forum" / "chess-cafe" / "1.html",
    **{path.stem: path for path in sorted(GALLERY.glob("*.html"))},
}
"""Name of a picture -> the page that it shows."""
WIDTH, HEIGHT = 760, 860  # CSS pixels


def main() -> None:
    """Draw a picture of each page, and of the texts of the listing."""
    tagger = load("default")
    with tempfile.TemporaryDirectory() as folder, browser(WIDTH, HEIGHT) as driver:
        for name, path in PAGES.items():
            view = Path(folder, f"{name}.html")
            view.write_text(overlay_html(decode(path.read_bytes()), tagger), "utf-8")
            driver.get(view.as_uri())
            wait(driver, lambda: driver.find_elements(By.TAG_NAME, "iframe"))
            driver.switch_to.frame(driver.find_element(By.TAG_NAME, "iframe"))
            wait(driver, lambda: driver.find_elements(By.TAG_NAME, "h1"))
            driver.switch_to.default_content()
            save(driver, PICTURES / "gallery" / f"{name}.png")
        document = run(decode((GALLERY / "listing.html").read_bytes()), named("links"))
        view.write_text(to_picture(document, SegmentParams()), "utf-8")
        driver.get(view.as_uri())
        save(driver, PICTURES / "segments.png")


if __name__ == "__main__":
    main()
