"""Tests of `papers/expert.py` and `segments_picture.py`: table 2 of the paper, a drawing."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from lxml import etree
from markup import tree_of

from crfclean.metadata import heading as headings
from crfclean.metadata.heading import agrees, find_best_header
from crfclean.page.blocks import split
from crfclean.page.data_tables import find_text_tables, outermost
from crfclean.page.elements import Elements, elements
from crfclean.pipeline import run
from crfclean.products.papers import expert
from crfclean.products.papers.article import ArticleParams, Candidates, find_max_text
from crfclean.products.papers.article_parts import Inside, find_pictures
from crfclean.products.papers.coherent import METHODS, coherent_nodes, segments
from crfclean.products.papers.comments import (
    find_comment_heading,
)
from crfclean.products.papers.expert import ExpertTagger, Roles, find_roles
from crfclean.products.papers.headline import find_headline
from crfclean.products.papers.main_text import MainParams, running_text, tag_main_text
from crfclean.products.papers.segment_params import SegmentParams
from crfclean.products.papers.segments_picture import to_picture
from crfclean.products.teach.gold import GoldPage
from crfclean.systems.load import named
from crfclean.types import Label, Page, TextEnd

LONG = "The lake froze over in January, and the ferry stayed in its harbour for three weeks. "
NAV = "<ul>" + "".join(f"<li><a href={n}>News of the week {n}</a></li>" for n in range(6)) + "</ul>"
CELLS = "<tr><td>Boat</td><td>Tons</td></tr><tr><td>Lene</td><td>120</td></tr>"
DATA = f"<table>{CELLS}</table>"


def page_of(html: str) -> Elements:
    return elements(split(Page(html)))


def roles_of(html: str) -> Roles:
    return find_roles(split(Page(html)))


def kept(html: str) -> list[str]:
    roles = roles_of(html)
    return [text for text, keep in zip(roles.page.blocks.texts, roles.kept, strict=True) if keep]


def names(page: Elements, nodes: object) -> list[str]:
    """Short paths of elements."""
    return [
        page.blocks.xpath(node).removeprefix("/html[1]/body[1]").replace("[1]", "")
        for node in nodes  # type: ignore[attr-defined]
    ]


def candidates(html: str, comments: int = -1) -> Candidates:
    page = page_of(html)
    tables = tuple(outermost(page, find_text_tables(page).candidates))
    return Candidates(page, comments, tables, ArticleParams())


# systems


def best(html: str) -> str:
    page = page_of(html)
    found = find_best_header(page.blocks)
    assert len(found.candidates) <= 1
    return page.text(found.first) if found.candidates else ""


# headings


@pytest.mark.parametrize(
    ("title", "logo"),
    [("Ferry in the ice", "Harbour News"), ("Ferry in the deep ice - Harbour", "Harbour")],
)
def test_a_logo_of_a_higher_rank_does_not_win(title: str, logo: str) -> None:
    headline = title.split(" - ", maxsplit=1)[0]
    html = f"<title>{title}</title><h1>{logo}</h1><h3>{headline}</h3><h2>Read on</h2>"
    assert best(html) == headline


def test_the_title_is_searched_for_comments_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A title may be as long as the page, and a page may have thousands of headings."""
    searched: list[str] = []

    def mentions(text: str) -> bool:
        searched.append(text)
        return "x" in text

    monkeypatch.setattr(headings, "mentions_comments", mentions)
    find_best_header(page_of("<title>Ferry</title>" + "<h2>The lake</h2>" * 9).blocks)
    assert searched.count("Ferry") == 1


# the headline that is no heading element

TITLE = "<title>Ferry in the deep ice - Harbour News</title>"
HEADLINE = "Ferry in the deep ice"


def main_heading(html: str) -> str:
    roles = roles_of(html)
    return " ".join(roles.page.blocks.texts[block] for block in roles.heading.blocks)


def test_block_above_the_article_is_the_main_heading() -> None:
    html = f"{TITLE}<table><tr><td>{NAV}<td><b>{HEADLINE}</b><br><br>by N. N.<p>{LONG * 2}</table>"
    assert main_heading(html) == HEADLINE
    assert kept(html)[0] == HEADLINE
    tags = ExpertTagger().tag(split(Page(html)))
    assert [Label(label).name for label in tags.labels if label != Label.OTHER] == [
        "HEADER",
        "TEXT",
    ]


HEADLINES = {
    "unlike the title": "<div>Harbour</div>",
    "nearest": f"<div>{HEADLINE}</div>",
}


@pytest.mark.parametrize("rule", HEADLINES)
def test_headlines(rule: str) -> None:
    after = f"<div>{HEADLINE}</div>" if rule == "nearest" else ""
    page = page_of(f"{TITLE}{HEADLINES[rule]}{after}<p>{LONG}</p>")
    headline = find_headline(page, len(page.blocks) - 1)
    assert headline.candidates == ((1,) if after else ())
    assert rule in [step.rule for step in headline.steps]


# tables


def text_tables(html: str) -> list[str]:
    page = page_of(html)
    return names(page, find_text_tables(page).candidates)


@pytest.mark.parametrize(
    "table",
    [
        DATA,
        f"<table><caption>Boats</caption>{CELLS}</table>",
        f"<table><thead><tr><th>a<th>b</thead><tbody>{CELLS}</table>",
        f"<table><tr><th>a<th>b<tr><td>{LONG * 6}<td>b</table>",
    ],
)
def test_text_tables(table: str) -> None:
    assert text_tables(table + f"<p>{LONG * 20}</p>") == ["/table"]


LAYOUTS = {
    "role": f"<table role=presentation>{CELLS}</table>",
    "no text": "<table><tr><td><td><tr><td><td></table>",
    "one cell a row": "<table><tr><td>a<tr><td>b<tr><td>c</table>",
    "headings and parts of pages": "<table><tr><td><h1>a</h1><td>b<tr><td>c<td>d</table>",
    "large cell": f"<table><tr><td>{LONG * 8}<td>b<tr><td>c<td>d</table>",
    "tables inside": f"<table><tr><td>{DATA}<td>b<tr><td>c<td>d</table>",
    "most of the page": f"<table><tr><td>{LONG * 4}<td>b<tr><td>{LONG * 4}<td>d</table>",
}


@pytest.mark.parametrize("rule", LAYOUTS)
def test_layout_tables(rule: str) -> None:
    rest = "" if rule == "most of the page" else f"<p>{LONG * 30}</p>"
    page = page_of(LAYOUTS[rule] + rest)
    found = find_text_tables(page)
    assert "/table" not in names(page, found.candidates)
    assert [step.rule for step in found.steps] == [rule]


def test_nested_text_tables() -> None:
    inner = f"<table><tr><th>x<th>y{CELLS}</table>"
    html = f"<p>{LONG * 9}</p><table><tr><th>a<th>b<tr><td>{inner}<td>d</table>"
    assert len(text_tables(html)) == 2
    page = page_of(html)
    assert names(page, outermost(page, find_text_tables(page).candidates)) == ["/table"]


# comments


def comment_heading(html: str) -> str:
    page = page_of(html)
    found = find_comment_heading(page, find_best_header(page.blocks).first)
    return page.blocks.texts[found.first] if found.candidates else ""


ARTICLE = f"<h1>Ferry</h1><p>{LONG * 2}</p>"
HEADINGS_OF_COMMENTS = {
    "word alone": ("<h3>Comments on the ferry</h3><div>Comments (3)</div>", "Comments (3)"),
    "rank": ("<div>Comments</div><h3>12 comments</h3>", "12 comments"),
    "header": ("<div>Comments</div><header>Comments!</header>", "Comments!"),
    "order": ("<h3>Comments</h3><p>x</p><h3>Comments:</h3>", "Comments"),
    "no link": ("<p><a href=x>Comments</a></p><h4>Komentáře</h4>", "Komentáře"),
    "no sentence": ("<p>The comments of the mayor were clear.</p>", ""),
    "no long text": ("<p>What the comments of the mayor meant to us</p>", ""),
    "none": ("<p>Nothing</p>", ""),
    "no label": (
        "<h2>5 comments on it</h2><form><label>Comment</label></form>",
        "5 comments on it",
    ),
    "counted": ("<h2>19 thoughts on “Ferry”</h2>", "19 thoughts on “Ferry”"),
    "thoughts alone": ("<h2>Final thoughts</h2>", ""),
    "with the title": ("<h2>Комментарии по теме: Ferry</h2>", "Комментарии по теме: Ferry"),
}


@pytest.mark.parametrize("case", HEADINGS_OF_COMMENTS)
def test_comment_heading(case: str) -> None:
    html, expected = HEADINGS_OF_COMMENTS[case]
    assert comment_heading(ARTICLE + html) == expected


# the article


def article(html: str, **known: int) -> str:
    page = candidates(html, **known)
    found = find_max_text(page)
    assert len(found.candidates) <= 1
    return names(page.elements, found.candidates)[0] if found.candidates else ""


def test_element_around_with_much_more_text() -> None:
    part = f"<section><p>{LONG}</p><p>{LONG}</p></section>"
    assert article(f"<div>{part}{part}{part}</div><p>end</p>") == "/div"
    assert article(f"<div>{part * 1}<section><p>short end of it</p></section></div>") == (
        "/div/section"
    )


# its parts


def test_necessary_parts_stay() -> None:
    html = f"""<div><h2>Boats</h2><p>{LONG}</p><p>Short.</p><blockquote>Said he.</blockquote>
    <pre>code</pre><ul><li>one</li></ul>{DATA}</div>"""
    assert kept(html)[1:] == [
        LONG.strip(), "Short.", "Said he.", "code", "one", "Boat", "Tons", "Lene", "120",
    ]  # fmt: skip


REMOVED = {
    "beside the text": "<p>Subscribe to our newsletter.</p>",
    "apart": "<aside><p>Advertisement of some length in an aside</p></aside>",
    "links": "<p><a href=x>Read on elsewhere</a></p>",
    "list of links": "<ul><li><a href=1>One of many</a> 1</li><li><a href=2>Other</a> 2</li></ul>",
    "doubtful": "<div>Photo: N. N.</div>",
    "heading of nothing": "<h3>Related</h3>",
}


@pytest.mark.parametrize("rule", REMOVED)
def test_doubtful_parts_go(rule: str) -> None:
    html = f"<h1>Ferry</h1><div><p>{LONG * 2}</p>{REMOVED[rule]}</div>"
    assert kept(html) == ["Ferry", (LONG * 2).strip()]
    steps = [step for step in roles_of(html).steps if step.system == "parts of the article"]
    assert [step.rule for step in steps] == [rule]


def test_what_is_much_of_an_article_is_not_beside_it() -> None:
    offers = "".join(f"<p>Subscribe to our paper for {n} weeks.</p>" for n in range(9))
    html = f"<h1>Offers</h1><div><p>{LONG}</p>{offers}</div>"
    assert len(kept(html)) == 11
    assert kept(f"<div>{offers}</div>") == [
        f"Subscribe to our paper for {n} weeks." for n in range(9)
    ]


def test_comments_inside_the_article_go() -> None:
    html = f"<h1>Ferry</h1><div><p>{LONG * 2}</p><h3>Comments</h3><p>What a winter!</p></div>"
    roles = roles_of(html)
    assert kept(html) == ["Ferry", (LONG * 2).strip()]
    assert roles.comments.tolist() == [False, False, False, True]
    told = {step.rule for step in roles.steps if step.system == "parts of the article"}
    assert told == {"below the comments' heading"}


# pictures


def pictures(html: str, after: str = f"<p>{LONG}</p>") -> list[str]:
    page = candidates(f"<div><p>{LONG}</p>{html}{after}</div>")
    inside = Inside(page, find_max_text(page).first)
    kept_blocks = page.counted > 0
    found = find_pictures(inside, kept_blocks)
    return [
        page.elements.blocks.table.attributes[node].get("src") or "" for node in found.candidates
    ]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<img src=a.png>", ["a.png"]),
        ("<figure><img src=a.png width=600><figcaption>x</figcaption></figure>", ["a.png"]),
        ("<img data-src=b.png>", [""]),
        ("<img alt=x>", []),
        ("<img src=a.png width=1 height=1>", []),
        ("<img src=a.png width=100%>", ["a.png"]),
        ("<img src=a.png width=31px>", []),
        ("<div>advertisement here <img src=ad.png></div>", []),
    ],
)
def test_pictures(html: str, expected: list[str]) -> None:
    assert pictures(html) == expected


# broken pages of the kinds that the paper names


def test_deep_and_wide_pages(low_recursion: None) -> None:
    deep = "<div>" * 2_000 + f"<p>{LONG}</p><p>{LONG}</p>" + "</div>" * 2_000
    assert len(kept(deep)) == 2
    assert len(kept(f"<div>{f'<div><p>{LONG}</p></div>' * 5_000}</div>")) == 5_000
    assert kept("<table><tr><td>" * 300 + LONG) == [LONG.strip()]


# the tagger


@pytest.mark.parametrize("is_cut", [True, False])
def test_the_article_ends_where_another_section_begins(
    monkeypatch: pytest.MonkeyPatch, *, is_cut: bool
) -> None:
    end = TextEnd(2, 0.93, 15, is_cut)
    monkeypatch.setattr(expert, "text_end", lambda *_, **__: (end, np.zeros(3)))
    blocks = split(Page(f"<h1>Ferry</h1><main><p>{LONG * 4}</p><p>{LONG * 3}</p></main>"))
    assert ExpertTagger().tag(blocks).kept.tolist() == [True, True, not is_cut]
    told = "stands behind the end of the text (probability 0.93)" in ExpertTagger().trace(blocks)
    assert told == is_cut


def test_comments_of_the_tagger() -> None:
    said = "<h3>Comments</h3><p>What a winter!</p><p><a href=x>Reply</a></p>"
    blocks = split(Page(f"<h1>Ferry</h1><div><p>{LONG * 2}</p></div><div>{said}</div>"))
    found = ExpertTagger().comments(blocks)
    assert [text for text, one in zip(blocks.texts, found, strict=True) if one] == [
        "What a winter!"
    ]


# the heading that agrees with a title


@pytest.mark.parametrize(
    ("title", "text", "agreed"),
    [
        ("Ferry in the ice | Harbour News", "Ferry in the ice", True),
        ("Ferry in the ice | Harbour", "Harbour", False),
        ("“Ferry” in the ice", '"Ferry" in the ice', True),
        ("Ferry in the ice", "", False),
        ("", "Ferry", False),
        ("", "", False),
        ("   ", "Ferry", False),
    ],
)
def test_agreement(title: str, text: str, agreed: bool) -> None:  # noqa: FBT001
    assert agrees(title, text) is agreed


# coherent texts: the main one, and how a page of them is drawn

RUNNING = (
    "That winter the lake froze over in January, and the ferry stayed in its own harbour "
    "for three long weeks of frost. "
)
BLOCKS = SegmentParams("blocks")


def picked(html: str, segments: SegmentParams = BLOCKS, **params: float) -> list[str]:
    blocks = split(Page(html))
    tags = tag_main_text(blocks, segments, MainParams(**params))  # type: ignore[arg-type]
    return [text for text, wanted in zip(blocks.texts, tags.kept, strict=True) if wanted]


def test_running_text_is_long_and_outside_links() -> None:
    tree = tree_of(
        f"<p>{RUNNING}</p><p>short</p><p>{RUNNING}<a href=x>{RUNNING * 2}</a></p><p>{RUNNING}</p>"
    )
    solid = len("".join(RUNNING.split()))
    assert running_text(tree, 60)[0] == 2 * solid
    assert running_text(tree, 1)[0] == 2 * solid + 5
    assert running_text(tree, solid + 1)[0] == 0


def test_without_running_text_most_text_outside_links() -> None:
    html = "<p><a href=x>A link of some words</a></p><p>More than</p><p>this</p>"
    assert picked(html) == ["More than"]


def test_labels_and_probabilities() -> None:
    menu = "<ul><li><a href=1>News of the harbour</a></li></ul>"
    html = f"{menu}<div><h1>Ferry</h1><p>{RUNNING * 3}</p></div>"
    tags = tag_main_text(split(Page(html)), SegmentParams("links"), MainParams(kept=0.7, left=0.2))
    assert tags.labels.tolist() == [Label.OTHER, Label.HEADER, Label.TEXT]
    assert tags.probabilities.tolist() == pytest.approx([0.2, 0.7, 0.7])
    assert tags.marginals[1].tolist() == pytest.approx([0.7, 0.0, 0.3])
    assert 0.7 < tags.score < 1


def test_block_with_half_of_its_text_inside_is_kept() -> None:
    html = f"<div>{RUNNING}<a href=1>x</a></div>"
    tree = tree_of(html)
    assert len(coherent_nodes(tree, SegmentParams("blocks"))) == 1
    menu = "<li><a href={0}>Twelve chars</a> four</li>".format
    html = f"<ul>{menu(1)}{menu(2)}</ul><p>four and more</p>"
    assert picked(html, SegmentParams("links")) == ["four and more"]


# the drawing: what it shows, that it is well-formed and runs nothing

VOID = {"meta"}


def picture(page: Page, method: str = "links") -> str:
    return to_picture(run(page, named("links")), SegmentParams(method))


class Nesting(HTMLParser):
    """Holds the elements to being closed in the order in which they were opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: Counter[str] = Counter()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] += 1
        assert {name for name, _ in attrs} <= set(
            "lang charset name content http-equiv style id class href aria-label".split()
        )
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def checked(html: str) -> Nesting:
    reader = Nesting()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


@pytest.mark.parametrize("method", METHODS)
def test_every_text_is_drawn(method: str, demo_gold: list[GoldPage]) -> None:
    for gold in demo_gold[::6]:
        html = picture(gold.page, method)
        checked(html)
        root: Any = etree.HTML(html)
        found = segments(gold.page, method)
        drawn = root.xpath("//div[@class='s']")
        assert ["\n".join(one.xpath("p//text()")) for one in drawn] == [one.text for one in found]
        paths = [one.xpath("string(small)").split(" · ")[0] for one in drawn]
        assert paths == [one.xpath for one in found]
        assert f"{len(found)} coherent texts by {method}, tree of" in html


BAD = (
    "<p>&lt;script&gt;alert(1)&lt;/script&gt;",
    '<p id="&quot;&gt;&lt;img onerror=x&gt;">one<p>two',
    "<title>&lt;/title&gt;&lt;script&gt;x</title><p>one",
    "<p class='</style><script>'>a<p>b",
)


@pytest.mark.parametrize("bad", BAD)
def test_nothing_of_the_page_runs(bad: str) -> None:
    reader = checked(picture(Page(bad)))
    assert not {"script", "img", "iframe", "link"} & set(reader.seen)
