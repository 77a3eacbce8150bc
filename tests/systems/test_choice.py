"""Tests of the choice between the text that a page shows and its hidden text."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from crfclean.document.json import to_dict
from crfclean.page.blocks import SplitParams
from crfclean.pipeline import clean
from crfclean.systems.carried import RULES, is_better
from crfclean.types import Document

LINES = [
    "The miller of Holm opened the sluice in the early morning, as his father had done before.",
    "Nobody in the village could remember a spring in which the brook had carried so little water.",
    "By noon the wheel stood still, and the farmers who had brought their grain went home again.",
    "The council met in the evening and spoke for three hours about a new channel from the lake.",
    "In the end it was decided to ask the engineers of the district for a plan and for its price.",
    "Until then the mill will work on two days of the week, when the water has been held back.",
    "The miller says that he can live with that for a year, but that his customers may not wait.",
    "Rain is not expected before the middle of next month, according to the service in the city.",
]
ARTICLE = "".join(f"<p>{line}</p>" for line in LINES)
TEXT = "\n".join(LINES)
MENU = "<nav><ul><li><a href=/a>News</a><li><a href=/b>Sports</a></ul></nav>"


def page(body: str, head: str = "") -> str:
    return f"<html><head><title>Mill of Holm</title>{head}</head><body>{MENU}{body}</body></html>"


def json_ld(**value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


HIDDEN = page(f"<p>Loading…</p><div style='display: none'><h1>The mill</h1>{ARTICLE}</div>")


def kept(document: Document) -> list[str]:
    return [document.blocks.texts[index] for index in document.kept]


def test_a_shell_has_the_text_that_it_hides() -> None:
    document = clean(HIDDEN)
    assert document.blocks.source == "hidden"
    assert document.status == "ok"
    assert [text for text in kept(document) if text in LINES] == LINES
    assert document.presence
    assert document.presence.where == "hidden"
    assert document.shown is not None
    assert not set(LINES) & set(document.shown.texts)


def test_blocks_of_hidden_elements_have_their_place() -> None:
    rows = to_dict(clean(HIDDEN))["blocks"]
    block = next(row for row in rows if row["text"] == LINES[0])
    assert block["xpath"] == "/html[1]/body[1]/div[1]/p[1]"
    assert block["place"] == [{"path": ".", "start": 0, "end": len("".join(LINES[0].split()))}]


def test_a_page_that_shows_its_text_keeps_it() -> None:
    html = page(f"<main><h1>The mill</h1>{ARTICLE}</main>")
    document = clean(html)
    assert document == replace(document, shown=None)
    assert document.blocks.source == ""
    assert document.presence
    assert document.presence.where == "visible"


def test_text_that_the_page_shows_is_not_taken_from_hidden_elements() -> None:
    listed = "".join(f"<li><a href='/{at}'>{line}</a></li>" for at, line in enumerate(LINES))
    html = page(f"<div hidden>{ARTICLE}</div><footer><ul>{listed}</ul></footer>")
    assert clean(html).blocks.source == ""


def test_limits_hold_for_hidden_text() -> None:
    assert clean(HIDDEN, max_blocks=6).blocks.source == ""


def test_elements_of_the_tagger_hold_for_carried_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crfclean.pipeline.split_params", lambda _: SplitParams(elements=("p",)))
    document = clean(HIDDEN)
    assert "The mill" not in document.blocks.texts
    assert set(LINES) <= set(document.blocks.texts)


def test_rules() -> None:
    rule = RULES[0]  # the one for pages of which least is kept
    assert is_better(0, 0, rule.least)
    assert not is_better(0, 0, rule.least - 1)
    assert not is_better(RULES[-1].most + 1, 0, 1e9)
    assert not is_better(rule.most, 0, rule.most * rule.times - 1)
    least = max(rule.least, 1_000 * rule.times_all)
    assert is_better(0, 1_000, least)
    assert not is_better(0, 1_000, least - 1)


def test_hidden_text_replaces_more_where_it_is_most_of_the_page() -> None:
    assert is_better(195, 251, 558)  # decisions of a court, and their search form
    assert not is_better(120, 797, 365)  # an article, and a menu of news
    assert not is_better(168, 168, 300)


@pytest.mark.parametrize(
    "html",
    [
        "<div hidden>" * 10_000 + "<p>a b c",
        "<div style='display:none'><p>" + "word " * 300_000,
        json_ld(articleBody="<p>A word. " * 100_000),
        '<script type="application/ld+json">' + '{"articleBody":' * 60_000,
        "<template shadowrootmode=open>" * 10_000 + "<p>a",
        json_ld(articleBody="\ud800 \u0000 <p>" * 500),
    ],
)
def test_hostile_pages(html: str) -> None:
    assert clean(html).presence
