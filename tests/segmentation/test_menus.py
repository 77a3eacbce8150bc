"""Tests of `segmentation/links.py`."""

from __future__ import annotations

import pytest
from hypothesis import given
from markup import MARKUP

from crfclean.page.blocks import split
from crfclean.segmentation.coherent import coherent_nodes, coherent_spans, segments
from crfclean.segmentation.text_tree import LinkParams, SegmentParams, text_tree
from crfclean.types import Page

FIRST = (
    "The ferry was late on Tuesday, because a seal had fallen asleep on the landing stage, and "
    "nobody on board or ashore had the heart to wake it before noon."
)
SECOND = (
    "The master said that he had seen the animal there before, and that it usually left by itself "
    "when the tide came in and the stones grew cold under it."
)
ARTICLE = f"<h1>A seal delays the ferry</h1><p>{FIRST}</p><p>{SECOND}</p><p>Tea was given.</p>"
WORDS = ("Home", "News", "Sport", "Archive", "Contact")
LINKS = [f"<a href=/{word}>{word}</a>" for word in WORDS]
MENUS = {
    "list": f"<ul>{''.join(f'<li>{link}' for link in LINKS)}</ul>",
    "line": f"<p>{' | '.join(LINKS)}</p>",
    "boxes": "".join(f"<div>{link}</div>" for link in LINKS),
    "loose": " ".join(LINKS),
}
BODY = ("A seal delays the ferry", FIRST, SECOND, "Tea was given.")


def texts_of(html: str, **params: int) -> list[str]:
    page = Page(f"<body>{html}</body>")
    links = LinkParams(**params)
    return [text.text for text in segments(page, params=SegmentParams(links=links))]


@pytest.mark.parametrize("menu", MENUS.values(), ids=MENUS)
def test_a_menu_beside_a_short_article_is_none_of_it(menu: str) -> None:
    assert "\n".join(BODY) in texts_of(menu + ARTICLE)
    assert "\n".join(BODY) in texts_of(ARTICLE + menu)
    both = texts_of(menu + ARTICLE + menu)
    assert both.count("Sport") == 2
    assert "\n".join(BODY) in both


def test_links_with_words_beside_them_are_no_menu() -> None:
    said = "".join(f"<li>{link}, as it was said on the landing stage</li>" for link in LINKS)
    (text,) = texts_of(f"{ARTICLE}<ul>{said}</ul>")
    assert "as it was said" in text


def test_shares_and_sizes_are_those_of_the_rest() -> None:
    page = Page(f"<body>{MENUS['list']}{ARTICLE}</body>")
    (article,) = [text for text in segments(page) if FIRST in text.text]
    assert article.link_share == 0.0
    assert article.size == len("".join("".join(BODY).split()))
    assert article.xpath == "/html[1]/body[1]"


@given(html=MARKUP)
def test_every_text_node_is_in_one_text(html: str) -> None:
    tree = text_tree(split(Page(html)))
    for params in (SegmentParams(), SegmentParams(links=LinkParams(large_chars=1, menu_links=1))):
        spans = coherent_spans(tree, params)
        bounds = [(span.first, span.last) for span in spans]
        assert [place for span in bounds for place in range(*span)] == list(range(len(tree.texts)))
        assert len(spans) >= len(coherent_nodes(tree, params))


def test_other_methods_have_whole_nodes() -> None:
    tree = text_tree(split(Page(f"<body>{MENUS['list']}{ARTICLE}</body>")))
    for method in ("energy", "blocks"):
        params = SegmentParams(method)
        spans = coherent_spans(tree, params)
        assert [span.node for span in spans] == coherent_nodes(tree, params)
        assert [(span.first, span.last) for span in spans] == [
            tree.bounds(span.node) for span in spans
        ]
