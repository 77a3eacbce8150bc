"""Tests of `systems/coherent.py`.

Every rule on small pages, and the rules together on a portal.
"""

from __future__ import annotations

import numpy as np
import pytest
from markup import tree_of

from crfclean.systems.coherent import (
    LinkParams,
    LinkTree,
    coherent_by_links,
    cover,
    large_text_keeps_its_links,
    link_is_a_text,
    link_with_its_summary,
    rest_is_a_text,
)
from crfclean.types import Bools

LONG = "The lake froze over in January and the ferry stayed in its harbour for three weeks. " * 2


def named(page: LinkTree, found: Bools) -> list[str]:
    """Paths of nodes, short."""
    tree = page.tree
    paths = [tree.xpath(node) for node in np.flatnonzero(found).tolist()]
    return [
        path.removeprefix("/html[1]/body[1]").replace("[normalize-space()]", "").replace("[1]", "")
        for path in paths
    ]


def page_of(html: str, **params: float) -> LinkTree:
    return LinkTree(tree_of(html), LinkParams(**params))  # type: ignore[arg-type]


def texts(html: str, **params: float) -> list[str]:
    tree = tree_of(html)
    found = []
    for node in cover(tree, coherent_by_links(tree, LinkParams(**params))):  # type: ignore[arg-type]
        first, last = tree.bounds(node)
        found.append(" ".join("".join(tree.texts[first:last]).split()))
    return found


# large_text_keeps_its_links


def test_link_in_a_large_paragraph_belongs_to_it() -> None:
    page = page_of(f"<p>{LONG} see <a href=x>the harbour</a> too</p><p>No <a href=y>news</a></p>")
    assert named(page, large_text_keeps_its_links(page)) == ["/p/a"]
    assert named(page, page.free) == ["/p[2]/a"]


def test_paragraph_of_links_mostly_keeps_none() -> None:
    page = page_of(f"<p>{'word ' * 30}<a href=x>{LONG}</a></p>", large_chars=60)
    assert named(page, page.free) == ["/p/a"]


# link_is_a_text


def test_runs_of_links_are_a_text_each() -> None:
    menu = (
        "<ul><li><a href=1>Home</a></li><li><a href=2>Polish cinema is not that bad</a></li></ul>"
    )
    page = page_of(menu)
    assert named(page, link_is_a_text(page)) == ["/ul/li/a", "/ul/li[2]/a"]
    assert texts(menu) == ["Home", "Polish cinema is not that bad"]


# rest_is_a_text


def test_rest_is_the_largest_node_without_links() -> None:
    html = "<div><div><p>one</p><p>two</p></div><a href=1>x</a><a href=2>y</a><a href=3>z</a></div>"
    assert texts(html, summary_chars=0) == ["onetwo", "x", "y", "z"]
    page = page_of(html)
    assert "/div/div" in named(page, rest_is_a_text(page) & page.tree.has_text)


# links_above_bound_a_large_text


@pytest.mark.parametrize(("share", "count"), [(0.05, 1), (0.0, 4)])
def test_stray_links_do_not(share: float, count: int) -> None:
    html = f"<div><p>{LONG}</p><p><a href=1>More</a></p><p>{LONG}</p><p>End</p></div>"
    assert len(texts(html, stray_share=share, summary_chars=0, frame_texts=0)) == count


# paragraphs_of_a_frame_are_one

MORE = "<p><a href=1>Read on elsewhere</a></p><p><a href=2>And what happened then</a></p>"


@pytest.mark.parametrize(
    ("inside", "count"),
    [
        (f"<p>{LONG}</p>{MORE}<p>{LONG}</p>", 1),
        (f"{LONG}<br><br><a href=1>Read on elsewhere</a><br><br>{LONG}", 1),
        (f"<blockquote>{LONG}</blockquote>{MORE}<p>{LONG}</p>", 1),
        (f"<p>{LONG}</p>{MORE}", 3),
        (f"<section><p>{LONG}</p></section>{MORE}<section><p>{LONG}</p></section>", 4),
        (f"<div>{LONG}</div>{MORE}<div>{LONG}</div>", 4),
        (f"<p>{LONG}</p><p>{LONG}</p>" + f"<p><a href=x>{LONG}</a></p>" * 3, 5),
    ],
)
def test_paragraphs_of_a_frame(inside: str, count: int) -> None:
    assert len(texts(f"<div>{inside}</div>", stray_share=0.0)) == count


# link_with_its_summary


TEASERS = "".join(
    f"<div><h3><a href={n}>Title {n}</a></h3><p>Summary of {n}</p></div>" for n in range(4)
)


def test_summary_needs_a_larger_structure_of_links() -> None:
    page = page_of(TEASERS, structure_links=5)
    assert not link_with_its_summary(page).any()
    page = page_of(TEASERS, structure_links=4)
    assert named(page, link_with_its_summary(page)) == ["/div", "/div[2]", "/div[3]", "/div[4]"]


# together


def test_portal_of_the_paper() -> None:
    """Parts of figure 1: a bar, a title with its summary, titles alone, an advertisement."""
    html = """<div id=bar><a href=1>WWW</a> <a href=2>Katalog</a> <a href=3>Zdjęcia</a></div>
    <div id=top><div><a href=4>Polskie kino nie jest złe</a><p>W ciągu ostatniego roku młodzi
    polscy filmowcy wielokrotnie pozytywnie zaskakiwali widzów »</p></div><ul>
    <li><a href=5>Biskupi walczą z rządem</a></li><li><a href=6>Moda na Bałtyk!</a></li>
    <li><b><a href=7>Poznaj sekret doskonałej skóry</a></b> REKLAMA</li></ul></div>
    <p>Jutro pogoda: Warszawa temp. 5 °C</p>"""
    assert texts(html) == [
        "WWW",
        "Katalog",
        "Zdjęcia",
        "Polskie kino nie jest złe W ciągu ostatniego roku młodzi polscy filmowcy wielokrotnie "
        "pozytywnie zaskakiwali widzów »".replace("złe W", "złeW"),
        "Biskupi walczą z rządem",
        "Moda na Bałtyk!",
        "Poznaj sekret doskonałej skóry REKLAMA",
        "Jutro pogoda: Warszawa temp. 5 °C",
    ]


def test_hostile_pages() -> None:
    assert len(texts("<a href=x>y</a>" * 20_000)) == 20_000
    assert texts("<div>" * 2_000 + "<a href=x>deep</a>") == ["deep"]
    assert texts("<a href=1>a<a href=2>b<a href=3>c") == ["a", "b", "c"]
