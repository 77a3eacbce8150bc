"""Draw the drift of a site, and where its rules apply, for the documentation.

Run `python -m eval.documents.site_pictures` (needs Chromium, chromedriver, and the extras `browser`
and `plots`).

The site that falls is generated (`eval.lib.site_pages`: texts of the demo): two pages on each of 30
days, its rules learned from the first ten, and another template from day 21 on. The rules that are
shown are those of a site of the demo.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from crfclean.evaluate.drift import SitePage, falls_of_sites, sites_in_time
from crfclean.evaluate.drift_page import EXCERPT_CHARS, drift_html
from crfclean.page.decode import decode
from crfclean.pipeline import run
from crfclean.site_rules.apply import KnownSiteTagger
from crfclean.site_rules.known import KnownSite, Sites, site_fit
from crfclean.site_rules.learn import learn, page_notes
from crfclean.site_rules.values import SiteRules
from crfclean.taggers.load import by_name
from crfclean.types import Page, Tagger
from crfclean.view.overlay_file import view_html
from crfclean.view.rule_overlay import rules_view
from eval.documents.overlay_pictures import PICTURES, browser, click_in_page, save
from eval.lib.corpora import DEMO
from eval.lib.site_pages import paragraphs, site_page, template

DAYS, PAGES_A_DAY, LEARNED, CHANGE = 30, 2, 10, 20
FIRST = date(2026, 3, 1)
SITE, SHOWN = "hafen.example", "kurjer-nadwislanski"


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


def site_rows(
    later: list[tuple[str, Page]], rules: SiteRules, tagger: Tagger
) -> Iterator[SitePage]:
    """What a run of `clean --sites` says of pages."""
    sites = Sites({SITE: KnownSite(rules)})
    for day, page in later:
        document = run(page, KnownSiteTagger(tagger, sites, page.url))
        measures = {"score": document.score, "fit": site_fit(document, sites).fit}
        excerpt = document.text[:EXCERPT_CHARS]
        yield SitePage(SITE, day, page.url or "", measures, page.url or "", excerpt)


def draw(html: str, target: Path, width: int, height: int, *, choose: str = "") -> None:
    """A file as the browser shows it, a block of the page in it chosen."""
    with tempfile.TemporaryDirectory() as folder, browser(width, height) as driver:
        (file := Path(folder, "page.html")).write_text(html, "utf-8")
        driver.get(file.as_uri())
        if choose:
            click_in_page(driver, choose)
        save(driver, target)


def main() -> None:
    """Draw both pictures."""
    tagger, every = by_name("default"), pages()
    first, later = every[: LEARNED * PAGES_A_DAY], every[LEARNED * PAGES_A_DAY :]
    rules = learn(SITE, [page_notes(run(page, tagger), SITE) for _, page in first])
    by_site = sites_in_time(site_rows(later, rules, tagger))
    draw(drift_html(falls_of_sites(by_site), by_site), PICTURES / "drift.png", 1_000, 760)
    shown = [decode(path.read_bytes()) for path in sorted((DEMO / SHOWN).glob("*.html"))]
    rules = learn(SHOWN, [page_notes(run(page, tagger), SHOWN) for page in shown])
    view = view_html(rules_view(shown[0], run(shown[0], tagger), rules))
    draw(view, PICTURES / "rules.png", 1_130, 620, choose="[data-crf-kind=title]")


if __name__ == "__main__":
    main()
