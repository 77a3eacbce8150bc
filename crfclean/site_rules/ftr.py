"""Write a site's rules as a site config of Full-Text RSS, which FiveFilters and wallabag read.

A line is `directive: value`; `body`, `strip`, `title` and `author` are XPath, and of several `body`
lines the first that fits a page counts
(https://help.fivefilters.org/full-text-rss/site-patterns.html).
"""

from __future__ import annotations

from crfclean.site_rules.values import Region, SiteRules

FTR_ENDING = ".txt"


def to_ftr(rules: SiteRules) -> str:
    """The site config of a site; without `body` where the site's text has no place of its own."""
    lines = [
        f"# {_one_line(rules.site)}: learned by crfclean {rules.version} from {rules.pages} pages",
        *(f"# model {rules.model}" for _ in range(bool(rules.model))),
    ]
    for region in rules.text:
        lines += [_evidence(region), f"body: {region.xpath}"]
    lines += [f"strip: {region.xpath}" for region in rules.strip]
    lines += [f"{place.field}: {place.xpath}" for place in rules.fields]
    lines += ["prune: no"]
    return "\n".join(
        [*lines, *(f"test_url: {url}" for url in [_one_line(rules.example)] if url), ""]
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _evidence(region: Region) -> str:
    """What speaks for a line, as a comment."""
    return (
        f"# {region.pages} pages, expected precision {region.precision:.2f}, "
        f"recall {region.recall:.2f}"
    )
