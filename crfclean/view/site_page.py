"""Write what is known of sites as HTML pages that load nothing and run no script."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import TypeVar

from crfclean.site_rules.values import FieldPlace, Place, Region, RepeatedText, SiteRules
from crfclean.view.index_page import listing, shortened_name

MAX_ROWS = 30
"""Places and repeated texts of a site that are shown; the site's file has all."""

_Row = TypeVar("_Row")


def sites_html(rules: Sequence[SiteRules], files: Sequence[str], sites: int, note: str) -> str:
    """The index of the sites that have a file; `sites` is the number of all that were learned."""
    which = "" if len(rules) == sites else f"The least sure {len(rules)} of {sites:,} sites. "
    subtitle = f"{which}The element with the text of each, the least sure first. {note}"
    rows = "".join(map(_site_row, rules, files))
    title = "What is known of sites"
    return listing(title, title, subtitle, f'<ul class="rules">{rows}</ul>', "site.css")


def _site_row(rules: SiteRules, file: str) -> str:
    name = escape(shortened_name(rules.site))
    head = f'<b><a href="{escape(file)}">{name}</a></b>'
    if not rules.text:
        nothing = '<span class="wide">no element holds the text</span>'
        return f"<li>{head}{nothing}{_pages(rules.pages)}</li>"
    region = rules.text[0]
    return (
        f"<li>{head}<code>{escape(region.css)}</code>{_shares(region.precision, region.recall)}"
        f"{_pages(rules.pages)}</li>"
    )


def site_html(rules: SiteRules, pages: Sequence[tuple[str, str]]) -> str:
    """What is known of a site, with some of its pages: their names and files, "" for none."""
    learned = f", learned on {rules.learned}" if rules.learned else ""
    subtitle = (
        f"{rules.pages} pages{learned}: mean expected F1 {rules.score:.3f}, "
        f"{rules.fit:.0%} of the text at known places. Shares are by the model's probabilities."
    )
    links = "".join(_page_row(name, file) for name, file in pages)
    body = "".join(
        [
            _section("Where the rules apply, on pages that they were learned from", links),
            _part("Elements that hold the text, the best first", rules.text, _region_row),
            _part("Elements in them that are left out", rules.strip, _region_row),
            _part("Fields", rules.fields, _field_row),
            _part("Places, those with most words first", rules.places, _place_row),
            _part("Texts that repeat, those on most pages first", rules.repeated, _text_row),
        ]
    )
    title = f"What is known of {shortened_name(rules.site)}"
    return listing(title, title, subtitle, body, "site.css")


def _page_row(name: str, file: str) -> str:
    shown = escape(shortened_name(name))
    if not file:
        return f"<li>{shown}<span>cannot be shown</span></li>"
    return f'<li><a href="{escape(file)}">{shown}</a></li>'


def _part(title: str, rows: Sequence[_Row], row: Callable[[_Row], str]) -> str:
    """A section of rows, which says how many there are if not all are shown."""
    count = f" ({MAX_ROWS} of {len(rows):,})" if len(rows) > MAX_ROWS else f" ({len(rows)})"
    return _section(title + count, "".join(map(row, rows[:MAX_ROWS])))


def _section(title: str, rows: str) -> str:
    content = f'<ul class="rules">{rows}</ul>' if rows else "<p>None.</p>"
    return f"<section><h2>{title}</h2>{content}</section>"


def _region_row(region: Region) -> str:
    return (
        f"<li>{_selectors(region.css, region.xpath)}{_shares(region.precision, region.recall)}"
        f"{_pages(region.pages)}</li>"
    )


def _field_row(place: FieldPlace) -> str:
    return (
        f"<li><b>{escape(place.field)}</b>{_selectors(place.css, place.xpath)}"
        f"{_shares(place.precision, place.recall)}{_pages(place.pages)}</li>"
    )


def _place_row(place: Place) -> str:
    return (
        f"<li><code>{escape(place.path)}</code>{_meter('kept', place.kept)}"
        f"<span>{place.words:,} words</span>{_pages(place.pages)}</li>"
    )


def _text_row(text: RepeatedText) -> str:
    return f'<li><span class="wide" dir="auto">{escape(text.text)}</span>{_pages(text.pages)}</li>'


def _selectors(css: str, xpath: str) -> str:
    return f'<code>{escape(css)}</code><code class="xpath">{escape(xpath)}</code>'


def _shares(precision: float, recall: float) -> str:
    return _meter("precision", precision) + _meter("recall", recall)


def _meter(name: str, share: float) -> str:
    return (
        f"<span>{name} {share:.2f}"
        f'<meter value="{share:.2f}" aria-label="expected {name}"></meter></span>'
    )


def _pages(pages: int) -> str:
    return f"<span>{pages:,} pages</span>"
