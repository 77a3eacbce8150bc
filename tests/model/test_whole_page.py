"""Tests of the columns of `native/columns.c`."""

from __future__ import annotations

import pytest
from htmlpages import measures_of

from crfclean.lexicon import lexicon
from crfclean.lexicon.markup import MARKUP
from crfclean.model.columns import GROUPS
from crfclean.model.inputs import SCHEMA_TYPES

PHRASES = lexicon().block_phrases
WHOLE = GROUPS["whole"]


def figure(name: str, html: str) -> float:
    """The figure of a page, the same for all its blocks."""
    values = set(WHOLE[f"page_{name}"](measures_of(html)).tolist())
    assert len(values) == 1
    return float(values.pop())


def json_ld(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script><p>a</p>'


TEXT = "word " * 15
CARD = "<h3><a>word</a></h3><p>word word word</p>"
CARDS = f"<ul><li>{CARD}</li><li>{CARD}</li><li>{CARD}</li></ul><p>{TEXT}word</p>"  # 28 words
PLAIN = "<p>a</p>"

CASES = [
    ("links", "<p>a b</p><p><a>c</a> d</p>", 1 / 4),
    ("links", "<p>!</p>", 0),
    ("running", f"<p>{TEXT}</p><p>a b c d e</p>", 15 / 20),
    ("running_blocks", f"<p>{TEXT}</p><p>a</p><p>{TEXT}</p>", 2),
    ("mean_running", f"<p>{TEXT}</p><p>a</p><p>{TEXT}a</p>", 15.5),
    ("mean_running", PLAIN, 0),
    ("best", f"<div><p>{TEXT},</p><p>x</p></div><div><p>{TEXT}</p><p>y</p></div>", 1 / 2),
    ("best", PLAIN, 0),
    ("largest_block", f"<p>a b</p><p>{TEXT}</p>", 15),
    ("largest_block", "<p>!</p>", 0),
    ("cards", CARDS, 6 / 7),
    ("cards", PLAIN, 0),
    ("largest_cards", CARDS, 12 / 28),
    ("largest_cards", PLAIN, 0),
    ("card_count", CARDS, 3),
    ("card_count", PLAIN, 0),
    ("paths", CARDS, 3 / 7),
    ("paths", PLAIN, 1),
    ("h1", "<h1>a</h1><h1>b</h1>", 2),
    ("h2", "<h2>a</h2><h3>b</h3><h4>c</h4>", 2),
    ("articles", "<article>a</article><article></article>", 2),
    ("forms", "<form>a</form>", 1),
    ("inputs", "<input><button>a</button>b", 2),
    ("tables", "<table><tr><td>a<td>b</table>", 1),
    ("cells", "<table><tr><td>a<td>b</table>", 2),
    ("code", "<pre><code>a</code></pre>", 2),
    ("images", "<img>a<img><svg></svg>", 2),
    ("dated", "<p>1.2.2003</p><p>a</p><p>b</p><p>5 May 2020</p>", 1 / 2),
    ("depth", "<p>a</p><div><p>b</p></div>", 5 / 2),
    ("ideographs", "<p>中文 ab</p>", 1 / 2),
    ("ideographs", "<p>1</p>", 0),
    ("cased", "<p>中 aB</p>", 2 / 3),
    ("cased", "<p>سلام</p>", 0),
    *(
        (f"is_{name}", json_ld(f'{{"@type": "{SCHEMA_TYPES[name][-1].upper()}"}}'), 1)
        for name in SCHEMA_TYPES
    ),
    *((f"is_{name}", json_ld('{"@type": "Thing"}'), 0) for name in SCHEMA_TYPES),
    ("is_news", "<meta property=og:type content=Article><p>a", 1),
    *(
        (f"marked_{group}", f"<div class='{MARKUP[group].split()[0]}'><p>a</p></div>", 1 / 4)
        for group in "comment post product list hero code faq user article".split()
    ),
    *(
        (f"body_{group}", f"<body class='{MARKUP[group].split()[0]}'><p>a</p>", 1)
        for group in "article post product list code hero tag content".split()
    ),
    *(
        (f"said_{group}", f"<p>{PHRASES[group].partition('|')[0]}</p><p>a</p>", 1 / 2)
        for group in "comments related ad share".split()
    ),
]


@pytest.mark.parametrize(("name", "html", "expected"), CASES)
def test_figures(name: str, html: str, expected: float) -> None:
    assert figure(name, html) == pytest.approx(expected)


def test_the_largest_list_is_that_of_most_words() -> None:
    small = "<p>a</p>" * 5
    big = f"<li>{CARD}</li>" * 3 + "<td>" * 0
    html = f"<div>{''.join(f'<dl>{small}</dl>' for _ in range(4))}</div><ul>{big}</ul>"
    assert figure("card_count", html) == 4
    assert figure("largest_cards", html) == pytest.approx(20 / 32)
