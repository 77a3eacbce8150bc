"""Tests of `papers/coherent.py`: the tree, energies, rules on links, and whole pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import etree
from markup import tree_of

from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.products.papers.coherent import METHODS, segments
from crfclean.products.papers.link_rules import (
    LinkTree,
    coherent_by_links,
    large_text_keeps_its_links,
    link_is_a_text,
    link_with_its_summary,
    rest_is_a_text,
)
from crfclean.products.papers.node_energy import energies
from crfclean.products.papers.segment_params import EnergyParams, LinkParams, SegmentParams
from crfclean.products.papers.text_tree import TextTree, cover
from crfclean.products.teach.gold import GoldPage
from crfclean.systems.crf import CrfTagger
from crfclean.types import Bools, Label, Page

HTML = """<ul><li><a href=1>Home</a></li><li><a href=2>News</a></li></ul>
<div><h1>Ferry</h1><p>One <b>two</b></p><p>three <a href=3>four</a></p></div>"""


def solid(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("method", METHODS)
def test_segments_are_the_page(method: str, demo_gold: list[GoldPage]) -> None:
    for gold in demo_gold[::3]:
        blocks = split(gold.page)
        found = segments(gold.page, method)
        lines: dict[int, str] = {}
        for one in found:
            for block, line in zip(one.blocks, one.text.split("\n"), strict=True):
                lines[block] = lines.get(block, "") + solid(line)
        assert [lines[block] for block in sorted(lines)] == list(map(solid, blocks.texts)), gold.id
        assert sum(one.size for one in found) == len(solid("".join(blocks.texts)))
        paths = [one.xpath for one in found]
        assert len(set(paths)) == len(paths)
        nested = [part for whole in paths for part in found if part.xpath.startswith(whole + "/")]
        dated = [part for part in nested if re.search(r"\d\.\d|\d{4}", part.text)]
        assert not nested or method == "links"
        assert all(part in dated or part.link_share >= 0.5 for part in nested)


def comments(*lines: str) -> str:
    return "".join(f"<div class='comment c{at}'>{line}</div>" for at, line in enumerate(lines))


SAYS = "<p>ann, 3 May 2021</p><p>The ferry has not left its harbour for three weeks.</p>"


@pytest.mark.parametrize(
    ("records", "apart"),
    [
        (comments(SAYS, SAYS, "<p>ben, 4 May 2021</p><p>Me too</p>"), 3),
        (comments(SAYS, SAYS + comments(SAYS, SAYS)), 4),  # answers inside what they answer
        (comments(SAYS), 0),
        (comments(SAYS, SAYS).replace("3 May 2021", "says"), 0),
        (comments(SAYS, SAYS, SAYS.replace("3 May 2021", "")), 0),  # most have a date, not all
        (f"<div class=a>{SAYS}</div><div class=b>{SAYS}</div>", 0),
        (f"<blockquote>{SAYS}</blockquote>" * 2, 0),
        (comments("On 3 May 2021 the ferry lay in its harbour for three weeks.") * 2, 0),
    ],
)
def test_dated_records_are_apart(records: str, apart: int) -> None:
    words = "<p>The lake froze over in January and the ferry stayed in its harbour.</p>" * 2
    html = f"<div id=all>{words}{records}<p>Write to us</p></div>"
    whole, *others = segments(html)
    assert len(others) == apart
    assert whole.text.endswith("Write to us")
    size = len(solid("".join(split(Page(html)).texts)))
    assert sum(one.size for one in [whole, *others]) == size
    without = SegmentParams(links=LinkParams(frame_texts=0))
    assert not any("/div[1]/div" in one.xpath for one in segments(html, params=without))


def teaser(at: int, summary: str = "The ferry has not left its harbour.") -> str:
    """A card with a link to its section, one to its own page, and a summary outside links."""
    section = '<p><a href="/ferries">Ferries</a></p>'
    return f'{section}<p><a href="/{at}">The lake froze over, part {at}</a></p><p>{summary}</p>'


def menu(at: int) -> str:
    return "".join(f'<p><a href="/{at}/{item}">Harbour {at}, {item}</a></p>' for item in range(4))


@pytest.mark.parametrize(
    ("cards", "whole"),
    [
        ([teaser(at) for at in range(3)], 3),
        ([teaser(at) for at in range(2)], 0),  # two links beside each other are no listing
        ([teaser(1) for at in range(3)], 0),  # one address for all
        ([teaser(at).replace('"/', '"#') for at in range(3)], 0),  # links inside the page
        ([teaser(at, "A long word. " * 60) for at in range(3)], 0),  # sections of a text
        ([menu(at) + "<p>All harbours</p>" for at in range(3)], 0),
    ],
)
def test_cards_are_whole(cards: list[str], whole: int) -> None:
    html = "".join(f"<div class='card n{at}'>{card}</div>" for at, card in enumerate(cards))
    texts = segments(f"<main>{html}</main>")
    assert sum(one.link_share > 0 and "\n" in one.text for one in texts) == whole


def test_cards_inside_a_longer_text_are_apart() -> None:
    sentence = "The lake froze over in January and the ferry stayed in its harbour. "
    words = f"<p>{sentence * 3}</p>" * 20
    cards = "".join(f"<div>{teaser(at)}</div>" for at in range(3))
    whole, *others = segments(f"<article>{words}{cards}</article>")
    assert [one.text.count("part") for one in others] == [1, 1, 1]
    assert "part" not in whole.text
    sections = "".join(f"<div>{teaser(at, sentence * 3)}</div>" for at in range(3))
    assert len(segments(f"<article>{words}{sections}</article>")) == 1


def test_a_segment_by_hand() -> None:
    params = SegmentParams(energy=EnergyParams(dissipation=2.0))  # k = 5: q = 0.4
    *_, article = segments(HTML, "links", params)
    assert article.xpath == "/html[1]/body[1]/div[1]"
    assert article.text == "Ferry\nOne two\nthree four"
    assert article.blocks == (2, 3, 4)
    assert article.size == 20
    assert article.energy == pytest.approx(
        0.4 * (0.4 * 5 + 0.4 * (3 + 0.4 * 3) + 0.4 * (5 + 0.4 * 4))
    )
    assert article.link_share == 4 / 20
    assert article.labels == ()


def test_block_in_two_segments() -> None:
    html = "<ul>" + "<li>by <a href=1>one</a> to <a href=2>two</a></li></ul>"
    found = segments(html, "links")
    assert [(one.text, one.blocks) for one in found] == [
        ("by", (0,)),
        ("one", (0,)),
        ("to", (0,)),
        ("two", (0,)),
    ]


def test_labels_come_from_a_tagger(tagger: CrfTagger, demo_gold: list[GoldPage]) -> None:
    page = demo_gold[0].page
    labels = tagger.tag(split(page)).labels
    for one in segments(page, tagger=tagger):
        assert one.labels == tuple(Label(labels[block]) for block in one.blocks)
    assert all(one.labels == () for one in segments(page))


# elements and text nodes as one tree, beside lxml's own


def path(tree: TextTree, node: int) -> str:
    return tree.xpath(node).replace("[normalize-space()]", "")


def test_xpaths_lead_to_the_text_nodes(demo_gold: list[GoldPage]) -> None:
    """Every path finds, in lxml's tree, one text node (or element) that holds our text."""
    for gold in demo_gold[::5]:
        root: Any = etree.HTML(gold.page.html.encode(), etree.HTMLParser(encoding="utf-8"))
        tree = tree_of(gold.page.html)
        for node in tree.leaves.tolist():
            (found,) = root.xpath(tree.xpath(node))
            assert str(found).split() == tree.texts[tree.leaf[node]].split()


# the energy of nodes


def coherent_texts(html: str, **params: object) -> list[str]:
    tree = tree_of(html)
    found = energies(tree, EnergyParams(**params))  # type: ignore[arg-type]
    texts = []
    for node in cover(tree, found.coherent):
        first, last = tree.bounds(node)
        texts.append(" ".join("".join(tree.texts[first:last]).split()))
    return texts


# the formula


def test_energy_by_hand() -> None:
    tree = tree_of("<div><p>12345</p><p>123</p></div>")  # html body div p text: k = 4
    assert tree.height == 4
    logs = energies(tree, EnergyParams(dissipation=2.0)).logs
    assert np.exp(logs).tolist() == pytest.approx([0.5, 1.0, 2.0, 2.5, 5.0, 1.5, 3.0])


# metrics


@pytest.mark.parametrize(("metric", "total"), [("chars", 17), ("words", 4), ("dictionary", 2)])
def test_metrics(metric: str, total: float) -> None:
    tree = tree_of("<p>The ferry sails</p><p>1906</p>")
    params = EnergyParams(metric, dictionary=frozenset(["ferry", "sails"]))
    leaves = energies(tree, params).logs[tree.leaves]
    assert np.exp(leaves).sum() == pytest.approx(total)


# the edge cases of the docstring


def test_nothing_is_lost_and_the_page_is_one_text() -> None:
    assert coherent_texts("<p>one</p><p>two</p><div>three</div>", dissipation=100.0) == [
        "onetwothree"
    ]


def test_largest_child_decides() -> None:
    html = "<div><p>{0}</p><p>567</p><p>890</p></div>"  # q = 1/2: is half in the largest?
    assert coherent_texts(html.format("123456"), dissipation=2.0) == ["123456567890"]
    assert coherent_texts(html.format("1234567"), dissipation=2.0) == ["1234567", "567", "890"]


def test_descents_are_parallel() -> None:
    many = "".join(f"<p>{letter * 9}</p>" for letter in "abcd")
    html = f"<div>{many}</div><div>{'z' * 90}</div>"
    assert coherent_texts(html, dissipation=2.0) == [
        "".join(letter * 9 for letter in "abcd"),
        "z" * 90,
    ]


# hostile trees


def test_energy_of_deep_trees_does_not_vanish(low_recursion: None) -> None:
    html = "<div>" * 2_000 + "<p>one two</p><p>one two</p>" + "</div>" * 2_000 + "<p>three</p>"
    tree = tree_of(html)
    found = energies(tree, EnergyParams(dissipation=0.25))
    assert tree.height == 512
    assert np.isfinite(found.logs).all()
    assert found.logs[2] < -1_000, "far below what a float holds"
    assert len(list(cover(tree, found.coherent))) == 3


# rules on links

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


# coherent texts on whole pages: a portal has many, an article has a main one

PARTED = {"answers": 1.0, "calendar": 0.7, "cards": 1.0, "linked-cards": 1.0, "results": 0.7}
PARTED["tables"] = 1.0
"""Portal -> least share of its texts that are texts of ours, to the letter."""
WHOLE = ("kurjer-nadwislanski", "moorland-gazette", "podhorsky-denik", "vestnik-zarechya")
"""Sites of the demo whose articles stand in one frame."""


def known_texts(root: Path, name: str) -> list[str]:
    path = root / "data" / "portals" / f"{name}.texts.txt"
    return [solid(text) for text in path.read_text("utf-8").split("\n\n")]


def texts_of(root: Path, name: str) -> list[str]:
    page = decode((root / "data" / "portals" / f"{name}.html").read_bytes())
    return [solid(text.text) for text in segments(page)]


@pytest.mark.parametrize("name", PARTED)
def test_texts_of_a_portal_are_parted(root: Path, name: str) -> None:
    known, texts = known_texts(root, name), texts_of(root, name)
    assert sum(text in texts for text in known) >= PARTED[name] * len(known)
    assert max(map(len, texts)) < 0.3 * sum(map(len, texts))


def test_an_article_has_one_main_text(demo_gold: list[GoldPage]) -> None:
    for gold in demo_gold:
        if gold.site not in WHOLE and not gold.id.startswith(WHOLE):
            continue
        lines = [solid(line) for line in gold.text.splitlines()]
        texts = [solid(text.text) for text in segments(gold.page)]
        shares = sorted(
            sum(len(line) for line in lines if line in text) / sum(map(len, lines))
            for text in texts
        )
        assert shares[-1] > 0.95, gold.id
        assert shares[-2] < 0.05, gold.id
