"""Tests of CSS selectors: the elements that they name, their errors, and the blocks left out."""

from __future__ import annotations

import pytest

from crfclean.page.blocks import SplitParams, split
from crfclean.page.selectors import chosen, matches, parsed
from crfclean.types import CrfcleanError, Page

PAGE = """<!doctype html><html><body><nav id=top><a href=/>Home</a></nav>
<main class="post wide"><h1>Ice <b class=edit>[edit]</b></h1><p>One</p>
<p class=ad>Two <i>three</i></p>
<p></p><ul><li>Four<li>Five<li data-x="a b">Six</ul></main>
<div><p"q>Odd</p"q></div><div><o:p>Word</o:p></div></body></html>"""


@pytest.mark.parametrize(
    ("selector", "texts"),
    [
        ("p", "One|Two three|"),
        ("MAIN > p, #top", "One|Two three||Home"),
        (".post.wide .ad i", "three"),
        ("li:nth-child(2n+1)", "Four|Six"),
        ("li:nth-last-child(1), li:first-child", "Six|Four"),
        ("h1 + p", "One"),
        ("h1 ~ .ad", "Two three"),
        ("[data-x~=b]", "Six"),
        ("[href^='/']", "Home"),
        ("p:not(.ad)", "One|"),
        ("p:has(> i)", "Two three"),
        ("li:contains('Fiv')", "Five"),
        ("p:empty", ""),
        (r"o\:p", "Word"),
        (":root > body > nav", "Home"),
        ("a:hover, .none", None),
    ],
)
def test_selectors_name_elements(selector: str, texts: str | None) -> None:
    page = split(Page(PAGE))
    words: list[str] = []
    for mask in matches(page, selector)[0].values():
        for node in mask.nonzero()[0].tolist():
            inside = [
                text
                for text, at in zip(page.table.run_texts, page.table.run_node.tolist(), strict=True)
                if node <= at < page.table.end[node]
            ]
            words.append(" ".join("".join(inside).split()))
    assert words == ([] if texts is None else texts.split("|"))


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        ("p..post", "expected ident, got '.'\n  p..post\n    ^"),
        ("nav, .a >", "expected selector, got the end\n  nav, .a >\n           ^"),
        ("p:foo", "the pseudo-class :foo is unknown\n  p:foo"),
        ("p::before", "pseudo-elements are not supported."),
        ("a[href", "operator expected, got the end\n  a[href\n        ^"),
    ],
)
def test_a_wrong_selector_is_shown(selector: str, message: str) -> None:
    with pytest.raises(CrfcleanError) as raised:
        parsed(selector)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("within", "drop", "left", "unmatched"),
    [
        ("main", "", "Ice [edit]|One|Two three|Four|Five|Six", ()),
        ("", "main", "Home|Odd|Word", ()),
        ("main", ".ad, li, h2, #none", "Ice [edit]|One", ("h2", "#none")),
        ("i", "i", "Two three", ()),  # the block is partly in both
        (".none", "", "", (".none",)),
        ("", ".none", "Home|Ice [edit]|One|Two three|Four|Five|Six|Odd|Word", (".none",)),
    ],
)
def test_selectors_leave_out_blocks(
    within: str, drop: str, left: str, unmatched: tuple[str, ...]
) -> None:
    page = split(Page(PAGE))
    choice = chosen(page, within, drop)
    texts = [text for text, out in zip(page.texts, choice.outside, strict=True) if not out]
    assert ("|".join(texts), choice.unmatched) == (left, unmatched)


@pytest.mark.parametrize(
    ("drop", "text"),
    [(".edit, .ad", "Ice"), ("i", "Two"), ("h1, p", "Ice [edit]")],
)
def test_parts_of_a_line_are_cut_out(drop: str, text: str) -> None:
    """Only parts: blocks that are left out as a whole stay, with their rule."""
    assert text in split(Page(PAGE), SplitParams(drop=drop)).texts


def test_many_siblings() -> None:
    """By XPath, "li ~ li" takes minutes for 5,000 siblings."""
    page = split(Page("<ul>" + "<li>x" * 20_000 + "</ul>"))
    assert int(chosen(page, "", "li ~ li").outside.sum()) == 19_999
    assert int(chosen(page, "li:nth-child(2n)", "").outside.sum()) == 10_000


@pytest.mark.parametrize("page", ["", "<p a\x01b='\x02' ä=ö>x\x00y</p>", "<div>" * 3000 + "x"])
def test_hostile_pages(page: str) -> None:
    assert len(chosen(split(Page(page)), "p", "b").outside) <= 1
