"""Tests of `features/openings.py`."""

from __future__ import annotations

import pytest

from crfclean.features.zones import _MAX_PHRASE_WORDS, zones
from crfclean.page.blocks import split
from crfclean.types import Kind, Page

KINDS = {
    "teaser": Kind.TEASER,
    "promo": Kind.PROMO,
    "notice": Kind.NOTICE,
    "legal": Kind.LEGAL,
}


def kind(html: str) -> str:
    """The kind of a page's only block, "" for none."""
    (code,) = zones(split(Page(html))).tolist()
    return Kind(code).name.lower() if code else ""


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>Subscribe to our letter.</p>", "promo"),
        ("<p>\u00bb Mehr zum Thema</p>", "teaser"),
        ("<p>\u00a9 2026 The Village Press</p>", "legal"),
        ("<p>We use cookies to count readers.</p>", "notice"),
        ("<p>Advertisement</p>", "promo"),
        ("<p>Advertisement in the village costs money.</p>", ""),
        ("<p><a href=x>Share</a></p>", "promo"),
        ("<p>Share prices fell.</p>", ""),  # no link
        ("<p><a href=x>Next</a></p>", "navigation"),
        ("<p>Next came the pumps.</p>", ""),
        ("<h2>Privacy policy</h2>", ""),  # the blocks below it are its text
        ("<h2><a href=x>Privacy policy</a></h2>", "legal"),
        (f"<p>Got a tip? {'Write to us. ' * 6}</p>", "promo"),
        (f"<p>Got a tip? {'Write to us. ' * 8}</p>", ""),  # too long
        ("<p>Disclaimer words: all rights reserved</p>", ""),
        ("<p>免责声明：" + "本文" * 50, "legal"),  # 52 words: two ideographs are one
        ("<p>免责声明：" + "本文" * 70, ""),
        ("<p>Most read books of the year were on rivers, and on ice.</p>", ""),
    ],
)
def test_short_blocks_by_their_first_words(html: str, expected: str) -> None:
    assert kind(html) == expected


def test_long_blocks_are_no_phrases() -> None:
    for group, start in {
        "promo": "Follow us",
        "notice": "We use cookies",
        "legal": "\u00a9",
    }.items():
        words = _MAX_PHRASE_WORDS[KINDS[group]]
        assert kind(f"<p>{start}{' on' * (words - 5)}</p>") == group
        assert kind(f"<p>{start}{' on' * (words + 1)}</p>") == ""
