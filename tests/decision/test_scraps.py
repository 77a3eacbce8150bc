"""Tests of `decision/scraps.py`: texts that never are the content of a page."""

from __future__ import annotations

from typing import Any

import pytest
from decided import ARTICLE, decided, is_kept

from crfclean.types import Rule

PROSE = "The ferry stayed in its harbour, and nobody on the island could buy bread for a week. "
SETTINGS = f"<h2>Your settings</h2><p>Cookies of partners count visits. {PROSE * 9}</p>"
SURE = {"": 0.95}


def page(between: str = "", after: str = "") -> str:
    """Return an article with something between its paragraphs, or after them."""
    first, last = f"<p>First. {PROSE}</p>", f"<p>Last. {PROSE}</p>"
    return f"<article><h1>Bread</h1>{first}{between}{last}</article>{after}"


CONSENT = (
    "id=onetrust-consent-sdk",
    "id=ot-sdk-container class=ot-hide",
    "class=otPcCenter",
    "id=CybotCookiebotDialog",
    "id=didomi-host",
    "class=qc-cmp2-container",
    "id=usercentrics-root",
    "id=truste-consent-track",
    "id=BorlabsCookieBox",
    "class=cmplz-cookiebanner",
    "id=iubenda-cs-banner",
    "class=cky-consent-container",
)


@pytest.mark.parametrize("names", CONSENT)
def test_boxes_of_consent_are_dropped(names: str) -> None:
    made = decided(page(after=f"<div {names}>{SETTINGS}</div>"), SURE, ARTICLE, convention="auto")
    assert is_kept(made, "Last.")
    assert not is_kept(made, "Cookies of partners")
    assert made.rule("Cookies of partners") == Rule.SCRAP


def test_a_box_of_consent_is_dropped_however_improbable() -> None:
    """On a page of a track, which kept blocks from .09 on, 291 words of consent were left."""
    likely = {"Cookies": 0.05, "": 0.9}
    html = page(after=f"<div {CONSENT[0]}>{SETTINGS}</div>")
    made = decided(html, likely, ARTICLE, convention="auto")
    assert made.rule("Cookies of partners") == Rule.SCRAP


@pytest.mark.parametrize(
    ("html", "params"),
    [
        (page(after=f"<section id=onetrust>{SETTINGS}</section>"), {}),  # of a manual
        (f"<body class=didomi-popup-open>{page(SETTINGS)}</body>", {}),
        (f"<div id=didomi-host>{SETTINGS}</div>", {}),  # the page has nothing else
        (page(after=f"<div id=didomi-host>{SETTINGS}</div>"), {"also": ("notice",)}),
    ],
)
def test_other_texts_about_consent_are_kept(html: str, params: dict[str, Any]) -> None:
    made = decided(
        html, SURE, {"types": {"article": 0.0, "forum": 0.0}}, convention="auto", **params
    )
    assert is_kept(made, "Cookies of partners")


LINES = {
    "<p>Loading</p>": "Loading",
    "<div>Loading comments...</div>": "Loading",
    "<p>Wird geladen …</p>": "Wird",
    "<p>加载中…</p>": "加载中",
    "<p>Gift this article to a friend</p>": "Gift",
    "<p>因平台规则调整，请关注我们。</p>": "因平台",
}


@pytest.mark.parametrize("line", LINES)
def test_lines_that_stand_for_something_else_are_dropped(line: str) -> None:
    made = decided(page(line), SURE, ARTICLE, convention="auto")
    assert not is_kept(made, LINES[line])


@pytest.mark.parametrize("line", ["<h2>Loading</h2>", "<p>Loading docks were closed.</p>"])
def test_other_lines_about_loading_are_kept(line: str) -> None:
    assert is_kept(decided(page(line), SURE, ARTICLE, convention="auto"), "Loading")


MAILING = "<p>You are receiving this because you signed up. <a href=/u>Unsubscribe</a></p>"


def test_the_last_line_of_a_mailing_is_dropped() -> None:
    made = decided(page(after=MAILING), SURE, ARTICLE, convention="auto")
    assert not is_kept(made, "You are receiving")


@pytest.mark.parametrize(
    "html", [page(MAILING), page(after="<p>How to unsubscribe from the ferry's letter.</p>")]
)
def test_texts_about_mailings_are_kept(html: str) -> None:
    made = decided(html, SURE, ARTICLE, convention="auto")
    assert is_kept(made, "ou are receiving" if MAILING in html else "How to unsubscribe")
