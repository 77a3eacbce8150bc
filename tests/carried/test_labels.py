"""Tests of the labels that pages carry for themselves."""

from __future__ import annotations

import json

import numpy as np
import pytest
from ferrypages import PARAGRAPHS

from crfclean.carried.bodies import MAX_TEXT_CHARS, markup
from crfclean.carried.labels import (
    MIN_TOKENS,
    CarriedLabels,
    carried_labels,
)
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.page.measures import Measures
from crfclean.types import Label, Tags

OTHERS = [
    "Our newsletter brings all the news of the lake to your desk every single Saturday morning.",
    "The mayor opened a new market hall, and hundreds of people came to see what it had to offer.",
    "Rain is expected for the whole week, with strong winds from the west and floods in the south.",
]


def measures(body: object, blocks: list[str]) -> Measures:
    data = json.dumps({"@type": "NewsArticle", "articleBody": body})
    script = f'<script type="application/ld+json">{data}</script>'
    head = f"<head><title>Ice on the lake | The Gazette</title>{script}</head>"
    return split(decode(f"<html>{head}<body>{''.join(blocks)}</body></html>"))


def article(
    body: object = "\n".join(PARAGRAPHS), before: str = "", after: str = "", between: str = ""
) -> Measures:
    first, *rest = [f"<p>{text}</p>" for text in PARAGRAPHS]
    return measures(
        body,
        [
            "<nav><a href=/>Home</a></nav><h1>Ice on the lake</h1>",
            before,
            first,
            between,
            *rest,
            after,
        ],
    )


def by_text(page: Measures, labels: CarriedLabels) -> dict[str, tuple[Label, bool]]:
    rows = zip(page.texts, labels.labels.tolist(), labels.informative.tolist(), strict=True)
    return {text: (Label(label), known) for text, label, known in rows}


def tags_of(page: Measures, kept: list[str]) -> Tags:
    labels = np.where([text in kept for text in page.texts], Label.TEXT, Label.OTHER)
    return Tags(labels.astype(np.int32), np.eye(3)[labels], (labels != Label.OTHER).astype(float))


def test_the_body_is_text_and_all_else_is_not() -> None:
    page = article(after=f"<p>{OTHERS[0]}</p>")
    result = carried_labels(page)
    assert result.reason == ""
    assert result.shown == 1.0
    found = by_text(page, result)
    assert [found[text] for text in PARAGRAPHS] == [(Label.TEXT, True)] * 5
    assert found["Home"] == found[OTHERS[0]] == (Label.OTHER, True)


def test_titles_and_headings_inside_are_headers_of_which_the_body_says_nothing() -> None:
    page = article(between="<h2>The captain</h2>", after="<h2>More news</h2>")
    found = by_text(page, carried_labels(page))
    assert found["Ice on the lake"] == found["The captain"] == (Label.HEADER, False)
    assert found["More news"] == (Label.OTHER, True)


def test_leads_before_the_body_are_text() -> None:
    lead = "Ice keeps the ferry in its harbour for a day."
    page = article(before=f"<p class=standfirst>{lead}</p>")
    assert by_text(page, carried_labels(page))[lead] == (Label.TEXT, False)


def test_bodies_may_be_html() -> None:
    body = "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
    assert carried_labels(article(body)).shown == 1.0


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("", "no-body"),
        (["a list"], "no-body"),
        (PARAGRAPHS[0], "short"),
        ("\n".join([*PARAGRAPHS, *OTHERS]), "not-shown"),
        ("word " * MIN_TOKENS, "not-shown"),
    ],
)
def test_reasons(body: object, reason: str) -> None:
    page = article(body)
    result = carried_labels(page)
    assert result.reason == reason
    assert not result.informative.any()
    assert (result.labels == Label.OTHER).all()


def test_a_teaser_of_the_article_is_told_by_what_a_tagger_keeps() -> None:
    page = article(after="".join(f"<p>{text}</p>" for text in OTHERS * 2))
    all_kept = tags_of(page, [*PARAGRAPHS, *OTHERS])
    assert carried_labels(page, all_kept).reason == "partial"
    assert carried_labels(page, tags_of(page, PARAGRAPHS)).reason == ""


# bodies as markup


def test_plain_text_has_a_paragraph_a_line() -> None:
    text = "Mlýn stojí.\r\n\r\nVoda < 2 m &amp; teče.\n<br-ne>"
    lines = "<p>Mlýn stojí.</p><p>Voda &lt; 2 m &amp; teče.</p><p>&lt;br-ne&gt;</p>"
    assert markup(text) == lines


def test_long_texts_are_cut() -> None:
    assert len(markup("a" * (MAX_TEXT_CHARS + 5))) == MAX_TEXT_CHARS + len("<p></p>")
