"""Draw the drift of a site for the documentation.

Run `python -m eval.documents.drift_picture` (needs Chromium, chromedriver, and the extras `browser`
and `plots`).

The site is generated (`eval.lib.site_pages`: texts of the demo): two pages on each of 30 days, with
another template from day 21 on.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from crfclean.decision.names import text_places
from crfclean.page.decode import decode
from crfclean.pipeline import run
from crfclean.systems.load import by_name
from crfclean.teach.drift import SitePage, falls_of_sites, sites_in_time
from crfclean.teach.drift_page import EXCERPT_CHARS, drift_html
from crfclean.types import Page
from eval.documents.overlay_pictures import PICTURES, browser, save
from eval.lib.site_pages import paragraphs, site_page, template

DAYS, PAGES_A_DAY, CHANGE = 30, 2, 20
FIRST = date(2026, 3, 1)
SITE = "hafen.example"


def pages() -> list[tuple[str, Page]]:
    """The pages of the site, each with its day."""
    random_ = random.Random(3)  # noqa: S311 - no secret
    looks = [template(random_), template(random_)]
    pool = paragraphs("moorland-gazette")
    return [
        (
            (FIRST + timedelta(day)).isoformat(),
            decode(
                site_page(looks[day >= CHANGE], pool, random_).encode(),
                f"https://{SITE}/{day + 1}/{number + 1}.html",
            ),
        )
        for day in range(DAYS)
        for number in range(PAGES_A_DAY)
    ]


def rows() -> Iterator[SitePage]:
    """What a run with `--include site-places` says of the pages."""
    tagger = by_name("default")
    for day, page in pages():
        document, url = run(page, tagger), page.url or ""
        excerpt = document.text[:EXCERPT_CHARS]
        score, places = {"score": document.score}, text_places(document)
        yield SitePage(SITE, day, url, score, url, excerpt, places)


def main() -> None:
    """Draw the picture."""
    by_site = sites_in_time(rows())
    html = drift_html(falls_of_sites(by_site), by_site)
    with tempfile.TemporaryDirectory() as folder, browser(1_000, 760) as driver:
        (file := Path(folder, "page.html")).write_text(html, "utf-8")
        driver.get(file.as_uri())
        save(driver, PICTURES / "drift.png")


if __name__ == "__main__":
    main()
