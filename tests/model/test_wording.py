"""Tests of `model/markup.py`."""

from __future__ import annotations

import pytest
from htmlpages import column, measures_of

from crfclean.lexicon import lexicon
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.model.markup import with_markup

PHRASES = lexicon().block_phrases
HREFS = ("fragment", "action", "absolute", "tag", "share")


def said_by(text: str) -> str:
    """The group of the phrase that a block opens with, "" for none."""
    group = with_markup(measures_of(f"<p>{text}</p>")).phrase[0]
    return PHRASE_GROUPS[group] if group >= 0 else ""


# Phrases

PHRASED = [
    ("Read more: a story", "related"),
    ("Czytaj także", "related"),
    ("相关阅读", "related"),
    ("مقالات", "related"),
    ("3 Comments", ""),
    ("(Comments 3)", "comments"),
    ("Diskuse", "comments"),
    ("Share this", "share"),
    ("Copyright 2020", "legal"),
    ("© 2020", "legal"),
    ("-- © --", "legal"),
    ("Zoo © 2020", ""),
    ("© Share", "share"),  # what follows the marks comes first
    ("Sign up", "subscribe"),
    ("By Jane", "byline"),
    ("By", ""),
    ("Bygone", ""),
    ("fot. Jan", "byline"),
    ("fota", ""),
    ("来源：新华", "byline"),
    ("・广告", "ad"),  # Python 3.14 takes the middle dot for a letter
    ("Page 7", "navigate"),
    ("Page x", ""),
    ("» HOME «", "navigate"),
    ("Advertisement", "ad"),
    ("Tags: a", "tags"),
    ("The tags", ""),
    ("x", ""),
    ("...", ""),
    ("ไทย", ""),
]


@pytest.mark.parametrize(("text", "group"), PHRASED)
def test_phrases(text: str, group: str) -> None:
    assert said_by(text) == group


@pytest.mark.parametrize("group", PHRASES)
def test_first_phrase_of_each_group(group: str) -> None:
    phrase = PHRASES[group].partition("|")[0]
    assert column(f"says_{group}", f"<p>{phrase}x</p><p>zz</p>") == [1, 0]
    assert any(found == group for _, found in PHRASED)


# Links

KINDS = [
    ("#top", {"fragment"}),
    (" #tags ", {"fragment", "tag"}),
    ("javascript:void(0)", {"action"}),
    ("MAILTO:a@b.c", {"action"}),
    ("tel:1", {"action"}),
    ("http://x.y/z", {"absolute"}),
    ("//x.y/z", {"absolute"}),
    ("/go?to=http://x.y", set()),
    ("/a/b", set()),
    ("", set()),
    ("/tag/news", {"tag"}),
    ("/author/jane", {"tag"}),
    ("/tagged", set()),
    ("https://www.facebook.com/share", {"absolute", "share"}),
    ("/x" * 100 + "/tag", set()),
]


@pytest.mark.parametrize(("href", "kinds"), KINDS)
def test_where_links_lead(href: str, kinds: set[str]) -> None:
    html = f"<p><a href='{href}'>a</a></p>"
    assert {kind for kind in HREFS if column(f"href_{kind}", html) == [1]} == kinds
    assert all(column(f"href_{kind}", html) == [0] for kind in HREFS if kind not in kinds)


def test_links_of_many_addresses() -> None:
    html = "".join(f"<p><a href='/{number}'>a</a>" for number in range(300))
    told = column("href_tag", html + f"<p><a href='{'x' * 1_000_000}'>a</a><p><a href='/tag'>b</a>")
    assert told == [0] * 301 + [1]


# Other columns

CASES = [
    *((f"says_{group}", f"<p>{text}</p><p>zz</p>", [1, 0]) for text, group in PHRASED if group),
    *((f"href_{kind}", "<p><a href='#'>a</a></p>", [float(kind == "fragment")]) for kind in HREFS),
    ("commas_per_word", "<p>a, b; c、 d</p><p>a</p><p>,</p>", [3 / 4, 0, 0]),
    ("clauses", "<p>A, b. C!</p><p>a</p>", [3, 0]),
    ("quotes_per_word", "<p>“a” b</p><p>«a „b\" c d</p><p>'a'</p>", [1, 3 / 4, 0]),
    ("questions_per_word", "<p>a? b c？ d؟</p><p>a!</p>", [3 / 4, 0]),
    ("bars_per_word", "<p>a | b · c</p><p>a</p><p>a/b</p>", [2 / 3, 0, 1]),
    ("money", "<p>€5 $6</p><p>5 %</p><p>5</p>", [1, 1, 0]),
    ("copyright", "<p>© a</p><p>a™ b®</p><p>a</p>", [1, 1, 0]),
    ("ends_ellipsis", "<p>a…</p><p>a »</p><p>a →</p><p>a...</p>", [1, 1, 1, 1]),
    ("ends_question", "<p>a?</p><p>“a?”</p><p>a؟</p><p>a? b</p>", [1, 1, 1, 0]),
    ("begins_bracket", "<p>(a)</p><p>[1]</p><p>【a】</p><p>a (b)</p>", [1, 1, 1, 0]),
    ("word_length", "<p>ab cdef</p><p>-</p><p>漢字</p><p>1 a</p>", [3, 0, 2, 0.5]),
    ("is_whole_link", "<p><a>abcdefghij</a>k</p><p><a>abcdefghi</a>j</p>", [1, 0]),
    ("is_whole_link", "<p>a</p>", [0]),
    ("text_words", "<p>a b <a>c d</a></p><p><a>e</a></p><p>f</p>", [2, 0, 1]),
]


@pytest.mark.parametrize(("name", "html", "expected"), CASES)
def test_columns(name: str, html: str, expected: list[float]) -> None:
    assert column(name, html) == pytest.approx(expected)


def test_an_address_that_was_cut_off_is_no_first_page() -> None:
    links = f"<p><a href='{' ' * 150}/{' ' * 99}'>a</a><p><a href='{' ' * 150}/'>b</a>"
    assert [bits & 64 > 0 for bits in with_markup(measures_of(links)).link_bits] == [False, True]
