"""Tests of the table of features, of those of Victor, and of all of them on any page."""

from __future__ import annotations

import json
import sys
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from htmlpages import column, measures_of

from crfclean.model.coarse_kinds import coarse_kinds
from crfclean.model.columns import (
    FEATURES,
    matrix,
    single_rows,
)
from crfclean.page.blocks import split
from crfclean.types import CrfcleanError, Page

# One case at least for every feature

FORM = "<form><p>a</p><button>b</button></form><fieldset>c</fieldset>d"
PAGE_FORM = "<form class=form>" + 10 * "<a href=x>a</a> " + "<p>b</p>{}</form><p>c d</p>"
HEADED = "<h1>a</h1><h2>b</h2><h4><span>c</span></h4><p>d</p>"
LISTS = "<ul><li>a</li></ul><dl><dt>b</dt><dd>c</dd></dl><ol><li><p>d</p></li></ol><p>e</p>"
TABLE = "<table><tr><th>a</th><td>b</td><td><p>c</p></td></tr></table>d"
PARTED = (
    "<div>one two three</div><div><p>four</p><div>five</div>six</div>"
    "<table><tr><td>seven<p>eight</p></td><td>nine</td></tr></table>ten"
)

MARKUP_CASES = [
    ("container_p", "<p>a<b>b</b></p><div>c</div><p><span>d</span></p>", [1, 0, 1]),
    ("container_div", "<div>a</div><section>b</section><main>c<p>d</p></main>", [1, 1, 1, 0]),
    ("container_div", "<article>a</article><aside>b</aside>c", [1, 0, 0]),
    ("container_li", LISTS, [1, 1, 1, 0, 0]),
    ("container_td", TABLE, [1, 1, 0, 0]),
    ("container_h1", HEADED, [1, 0, 0, 0]),
    ("container_h2", HEADED, [0, 1, 0, 0]),
    ("container_heading", HEADED, [1, 1, 1, 0]),
    ("container_quote", "<blockquote>a<p>b</p></blockquote><pre>c</pre>", [1, 0, 1]),
    ("in_list", LISTS, [1, 1, 1, 1, 0]),
    ("in_table", TABLE, [1, 1, 1, 0]),
    ("in_form", FORM, [1, 1, 1, 0]),
    ("in_form", PAGE_FORM.format("<fieldset>e</fieldset>"), [0, 0, 1, 0]),  # around the page
    ("in_form", PAGE_FORM.replace("c d", 13 * "c ").format(""), [1, 1, 0]),
    ("in_heading", "<h2>a<div>b</div></h2><div>c</div>", [1, 1, 0]),
    ("bold_share", "<p>ab<b>c</b><strong>d</strong></p><h3>e</h3>f", [0.5, 1, 0]),
    ("bold_share", "<b>a <strong>b</strong></b> c d", [0.5]),
    ("italic_share", "<p>ab <i>cd</i></p><em>e<cite>f</cite></em>ghij", [0.5, 1 / 3]),
    ("underlined_share", "<u>a</u><ins>b</ins>cd<p>e</p>", [0.5, 0]),
    ("link_density", "<p>ab <a href=x>c <b>d</b></a></p><p><a>e f</a></p><p>g</p>", [0.5, 1, 0]),
    ("link_density", "<a href=x><p>a</p>b</a><p>c</p>", [1, 1, 0]),
    ("links", "<p><a>a</a> <a>b</a></p><p>c</p><a name=x></a><p><a>d</a></p>", [2, 0, 2]),
    ("links_per_word", "<p><a>a</a> b c d</p><p>e</p><p>!<a>?</a></p>", [0.25, 0, 0]),
    ("images", "<img><p>a<img>b</p><svg></svg><p>c</p><p>d</p><img>", [2, 1, 0]),
    ("images", "<picture><source><img></picture><p>a</p>", [1]),
    ("split_p", "a<p>b</p><div>c</div><div>d</div>", [0, 1, 1, 0]),
    ("split_br", "<p>a<br><br>b<br>c</p><br>d", [0, 1, 1]),
    ("split_hr", "a<hr>b<p>c</p>", [0, 1, 0]),
    ("split_heading", "<h1>a</h1>b<p>c</p>", [1, 1, 0]),
    ("split_list", "a<ul><li>b</li></ul>c<p>d</p>", [0, 1, 1, 0]),
    ("split_cell", "<table><tr><td>a</td><td>b</td></tr></table>c<p>d</p>", [1, 1, 1, 0]),
    ("split_block", "a<div>b</div>c<p>d</p>", [0, 1, 1, 0]),
]

CONTENT_CASES = [
    ("letter_share", "<p>ab1.</p><p>漢éب</p><p>$ 1</p>", [0.5, 1, 0]),
    ("upper_share", "<p>aBCd</p><p>ÉЖ</p><p>漢1</p>", [0.5, 1, 0]),
    ("digit_share", "<p>a 1 2 b</p><p>2020</p><p>x</p>", [0.5, 1, 0]),
    ("punct_share", "<p>a, b.</p><p>...</p><p>$</p>", [0.5, 1, 0]),
    ("other_share", "<p>5 € 1 +</p><p>😀</p><p>a</p>", [0.5, 1, 0]),
    ("white_share", "<p>abc</p><p>a b c</p><p>a</p>", [1 / 4, 3 / 6, 1 / 2]),
    ("alpha_tokens", "<p>one two, 3 4th -</p><p>漢字</p><p>5</p>", [2, 1, 0]),
    ("numeric_tokens", "<p>one 2 3.5 4th -</p><p>$5</p><p>a</p>", [2, 1, 0]),
    ("mixed_tokens", "<p>a1 2nd b -</p><p>a-1</p><p>a</p>", [2, 1, 0]),
    ("other_tokens", "<p>a - * 1</p><p>…</p><p>a</p>", [2, 1, 0]),
    ("alpha_token_share", "<p>one two 3 -</p><p>a</p><p>1</p>", [0.5, 1, 0]),
    ("numeric_token_share", "<p>one 2 3.5 -</p><p>1</p><p>a</p>", [0.5, 1, 0]),
    ("mixed_token_share", "<p>a1 2nd x -</p><p>1a</p><p>a</p>", [0.5, 1, 0]),
    ("other_token_share", "<p>a - * 1</p><p>!</p><p>a</p>", [0.5, 1, 0]),
    ("capitalised_share", "<p>One two Three 4</p><p>É</p><p>one</p>", [0.5, 1, 0]),
    ("chars", "<p>ab c</p><p> 😀 </p>", [3, 1]),
    ("words", "<p>one - two 3</p><p>...</p><p>x漢字</p>", [3, 0, 2]),
    ("sentences", "<p>One. Two!</p><p>Wait...</p><p>e.g.this</p>", [2, 1, 0]),
    ("sentence_length", "<p>One two. Three four five six.</p><p>a b c</p><p>!</p>", [3, 3, 0]),
    ("begins_sentence", "<p>One</p><p>one</p><p>1</p><p>- a</p><p>“A”</p>", [1, 0, 1, 0, 1]),
    ("begins_sentence", "<p>漢字</p><p>$</p><p>«a»</p><p>(a)</p>", [1, 0, 1, 0]),
    ("ends_sentence", "<p>a.</p><p>a</p><p>“a?”</p><p>a。</p><p>a:</p>", [1, 0, 1, 1, 0]),
    ("ends_with_colon", "<p>a:</p><p>a</p><p>a：</p><p>a: b</p>", [1, 0, 1, 0]),
    ("is_repeat", "<p>a</p><p>b</p><p>a</p><div> a </div>", [0, 0, 1, 1]),
    ("duplicates", "<p>a</p><p>b</p><p>a</p><div> a </div>", [2, 0, 2, 2]),
    ("has_url", "<p>see http://x.org</p><p>a@b.org</p><p>http</p>", [1, 1, 0]),
    ("has_date", "<p>5 May 2020</p><p>1.2.2003 and 4.5.2006</p><p>2020</p>", [1, 1, 0]),
    ("has_time", "<p>at 9:30</p><p>10:11:12</p><p>9</p>", [1, 1, 0]),
    ("has_bullet", "<p>• a</p><p>- a</p><p>a •</p>", [1, 1, 0]),
]

DOCUMENT_CASES = [
    ("position", "<p>a</p><p>b</p><p>c</p>", [0, 0.5, 1]),
    ("position", "<p>a</p>", [0]),
    ("word_position", "<p>a b</p><p>c</p><p>d</p>", [0, 0.5, 0.75]),
    ("word_position", "<p>!</p><p>?</p>", [0, 0]),
    ("page_words", "<p>a b</p><p>c</p>", [3, 3]),
    ("page_sentences", "<p>A. B!</p><p>c</p><p>D?</p>", [3, 3, 3]),
    ("page_blocks", "<p>a</p><p>b</p>", [2, 2]),
    ("page_share", "<p>a b c</p><p>d</p><p>!</p>", [0.75, 0.25, 0]),
    ("page_share", "<p>!</p>", [0]),
    ("div_group", PARTED, [0.3, 0.2, 0.1, 0.2, 0, 0, 0, 0]),
    ("td_group", PARTED, [0, 0, 0, 0, 0.2, 0.2, 0.1, 0]),
    ("largest_div_group", PARTED, [0.3] * 8),
    ("largest_div_group", "<p>a</p>", [0]),
    ("largest_td_group", PARTED, [0.2] * 8),
    ("largest_td_group", "<p>a</p>", [0]),
    ("div_group_rank", PARTED, [1, 2 / 3, 1 / 3, 2 / 3, 0, 0, 0, 0]),
    ("div_group_rank", "<p>a</p>", [0]),
]
CASES = MARKUP_CASES + CONTENT_CASES + DOCUMENT_CASES


@pytest.mark.parametrize(("name", "html", "expected"), CASES)
def test_feature(name: str, html: str, expected: list[float]) -> None:
    assert column(name, html) == pytest.approx(expected)


# The table and the matrix


@pytest.mark.parametrize("html", ["", "<img>", "<p hidden>a</p>", "<script>a</script>"])
def test_page_without_blocks_has_an_empty_matrix(html: str) -> None:
    assert matrix(measures_of(html)).shape == (0, len(FEATURES))
    assert matrix(measures_of(html), ["words"]).shape == (0, 1)


def test_unknown_feature_is_an_error() -> None:
    with pytest.raises(CrfcleanError, match="no feature 'wordz'"):
        matrix(measures_of("<p>a"), ["wordz"])


# Hostile pages

LD = '<script type="application/ld+json">{}</script><p>a b c</p>'
HOSTILE = {
    "nested": "<div class=post><p>" * 5_000 + "a",
    "nested spans": "<p>" + "<span id=x>" * 5_000 + "a b" + "</span> c" * 5_000,
    "nested headings": "<h1>" * 400 + "a" + "<h2>" * 400 + "b",
    "broken json": LD.format('{"headline": "x", '),
    "scalar json": LD.format("null") + LD.format("1e999") + LD.format('"x"'),
    "deep json": LD.format("[" * 100_000 + "]" * 100_000),
    "large json": LD.format(json.dumps({"articleBody": "word " * 2_000_000})),
    "json of one megabyte": LD.format(json.dumps({"articleBody": "a b c " * 160_000})),
    "long class": f"<div class='{'nav ' * 250_000}'><p id='{'x' * 1_000_000}'>a</p></div>",
    "long word": f"<p>{'x' * 1_000_000}</p><p>{'-' * 1_000_000}</p>",
    "long href": f"<p><a href='{'/x' * 500_000}'>a</a></p>",
    "long title": f"<title>{'a ' * 500_000}</title><p>a a</p>",
    "no values": "<p class id role itemprop itemtype rel><a href>a</a><meta name content>b",
    "chinese": "<title>新闻 标题</title><h1>新闻标题</h1><p>这是第一句。第二句！</p><p>更多</p>",
    "arabic": "<h2>الأخبار</h2><p>هل هذا؟ نعم، هذا.</p><a href=#>اقرأ المزيد</a>",
    "thai": "<h1>ข่าววันนี้</h1><p>สวัสดีชาวโลก</p><li>หน้าแรก</li>",
    "surrogates": "<title>\ud800 a</title><p>\udfff a \ud800</p><p>😀𝟏</p>",
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_pages(case: str) -> None:
    measures = measures_of(HOSTILE[case])
    table = matrix(measures)
    assert table.shape == (len(measures), len(FEATURES))
    assert len(measures) > 0
    assert np.isfinite(table).all()
    assert coarse_kinds(measures).shape == (len(measures),)


ITEM = "<li class='c{0}' id=x{0}><a href='/p/{0}'>one two three {0}</a></li>"
MANY: dict[str, Callable[[int], str]] = {
    "items": lambda count: "".join(map(ITEM.format, range(count))),
    "paragraphs": lambda count: "<h2>One two</h2><p>Three, four. 1.2.2003</p>" * (count // 2),
    "marks": lambda count: f"<p>{'-_' * 40}x</p>" * count,
}


def cost(html: str) -> tuple[int, int]:
    """Calls that are made for a page, and the most bytes held at once."""
    page, calls = split(Page(html)), [0]

    def count(_frame: object, event: str, _about: object) -> None:
        calls[0] += event in {"call", "c_call"}

    tracemalloc.start()
    sys.setprofile(count)
    try:
        matrix(page)
        coarse_kinds(page)
    finally:
        sys.setprofile(None)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return calls[0], peak


@pytest.mark.parametrize("case", MANY)
def test_cost_grows_with_the_page(case: str) -> None:
    head = "<title>One two three | site</title><meta name=description content='one two three four'>"
    few, many = (cost(head + MANY[case](count)) for count in (2_000, 8_000))
    assert many[0] / few[0] < 4.5  # quadratic cost would give 16
    assert many[1] / few[1] < 4.5


def test_bytes_of_a_block_with_its_columns() -> None:
    """Not twice the columns, and not all families of columns at once."""
    page = measures_of(f"<html><body>{'<p>a word</p>' * 5_000}</body></html>")
    single_rows(measures_of("<p>a"))  # tables that are made once
    tracemalloc.start()
    try:
        single_rows(page)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak / len(page) < 2_500
