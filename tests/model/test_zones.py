"""Tests of `model/zones.py`: zones, standfirsts and coarse kinds."""

from __future__ import annotations

import pytest
from htmlpages import measures_of

from crfclean.lexicon.markup import KIND_MARKUP
from crfclean.model.block_kinds import _MAX_LEAD_WORDS, _MIN_LEAD_WORDS, kinds_of
from crfclean.model.coarse_kinds import (
    MAX_BYLINE_WORDS,
    coarse_kinds,
    is_byline,
    is_caption,
    is_comment,
)
from crfclean.model.zones import zones
from crfclean.types import CoarseKind, Kind

MOST_WORDS = {"teaser": 8, "promo": 25, "notice": 45, "legal": 60}  # of a phrase of a kind


def zone_names(html: str) -> list[str]:
    """The zones of a page's blocks, "" for none."""
    return [Kind(kind).name.lower() if kind else "" for kind in zones(measures_of(html)).tolist()]


# zones by class, heading and first words

LINKS = "<ul><li><a href=a>A colder river</a><li><a href=b>Ice on the lake</a></ul>"
TEXT = "<p>" + "The river rose again this morning, and nobody slept. " * 5 + "</p>"
HEAD = f"<title>The river rose</title><h1>The river rose</h1>{TEXT}"


def names(html: str) -> list[str]:
    """The zones of the blocks after the first two."""
    return zone_names(HEAD + html)[2:]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<div><h3>Related articles</h3>{LINKS}</div>", ["teaser"] * 3),
        (f"<div><h3>Similar</h3>{LINKS}<p>Monday</p></div>", ["teaser"] * 4),
        (f"<div><h3>What helped</h3>{LINKS}</div>", [""] * 3),
        (f"<section><p>What helped.</p><h3>Read more</h3>{LINKS}<p>Sand.</p></section>",
         ["", "teaser", "teaser", "teaser", ""]),
        ("<p>Lesen Sie auch:</p><p><a href=a>Ein kalter Fluss</a></p>", ["teaser", "teaser"]),
        ("<p>Read also: <a href=a>A colder river than any before</a></p>", ["teaser"]),
        ("<h3>Read more</h3><p>Sand, pumps and patience helped.</p>", ["", ""]),
        (f"<div><h3>Related work</h3>{TEXT}</div>{TEXT}", ["", "", ""]),
    ],
)  # fmt: skip
def test_a_teaser_is_a_heading_with_links(html: str, expected: list[str]) -> None:
    assert names(html) == expected


NO_ZONES = {"for_card", "for_consent", "for_site", "for_note", "for_review", "for_hidden"}
"""Groups whose words alone make no zone: notes are part of the text."""


@pytest.mark.parametrize("group", sorted(set(KIND_MARKUP) - NO_ZONES))
def test_words_of_each_group_say_what_an_element_is_for(group: str) -> None:
    kind = Kind[group.removeprefix("for_").upper()]
    for word in KIND_MARKUP[group].split():
        expected = "" if kind in (Kind.LEAD, Kind.BYLINE) else kind.name.lower()
        assert names(f"<div class='x-{word}'><p>Sand.</p></div>") == [expected], word


CARD = "<div class=x-{}><a href=a>The bridge was closed</a> <p>Nobody crossed it.</p></div>"


@pytest.mark.parametrize("word", KIND_MARKUP["for_card"].split())
def test_cards_link_to_what_they_are_about(word: str) -> None:
    assert names(f"{CARD.format(word)}{TEXT}") == ["teaser", "teaser", ""]
    assert names(f"<div class=x-{word}><p>Nobody crossed it.</p></div>{TEXT}") == ["", ""]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<div><h3>Sign up for our letter</h3><p>Once a week.</p><p>Address</p></div>", "promo"),
        ("<div><p>Subscribe to continue</p><ul><li>All articles<li>No ads</ul></div>", "notice"),
        ("<div><p>Empfohlener redaktioneller Inhalt</p><p>Mit Ihrer Wahl.</p></div>", "notice"),
    ],
)
def test_the_first_words_of_a_small_box_say_what_it_is(html: str, expected: str) -> None:
    kinds = names(html + TEXT)
    assert kinds == [expected] * (len(kinds) - 1) + [""]


def test_a_large_box_is_no_appeal() -> None:
    box = f"<div><p>Sign up for our letter</p>{'<p>Once a week, sand and pumps.</p>' * 12}</div>"
    assert names(box + TEXT) == ["promo", *[""] * 13]


@pytest.mark.parametrize("tag", ["div class=cookie-info", "div role=dialog", "dialog open"])
def test_long_texts_in_overlays_are_content(tag: str) -> None:
    end = tag.split(maxsplit=1)[0]
    assert names(f"<{tag}><p>Sand.</p></{end}>{TEXT}") == ["notice", ""]
    assert names(f"<{tag}>{TEXT * 40}</{end}>{TEXT * 45}") == [""] * 85


# boxes of links

STORY = f"<article><h1>The river rose</h1>{'<p>' + 'The river rose again. ' * 12 + '</p>'}"
HEADLINES = "".join(
    f"<li><a href={place}>The bridge at {place} was closed on Monday</a></li>" for place in "abc"
)
SECTIONS = "".join(f"<li><a href={name}>{name}</a></li>" for name in ("News", "Sport", "Arts"))


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        (f"<ul>{HEADLINES}</ul>", ["teaser"] * 3),
        (f"<div><h3>Elsewhere</h3><ul>{HEADLINES}</ul></div>", ["teaser"] * 4),
        (f"<ul>{SECTIONS}</ul>", ["navigation"] * 3),
        (f"<div><p>Pages</p><ul>{SECTIONS}</ul></div>", ["navigation"] * 4),
        (f"<ul>{SECTIONS}{HEADLINES}</ul>", ["teaser"] * 6),  # most words are headlines'
        ("<ul><li><a href=a>News</a><li><a href=b>Sport</a></ul>", ["", ""]),  # two links
        ("<p>One</p><p>Two</p><p>Three</p>", ["", "", ""]),
        ("<p><a href=a>News</a> <a href=b>Arts</a> <a href=c>Sport</a></p>", [""]),  # a block
    ],
)
def test_boxes_of_links_beside_the_content(box: str, expected: list[str]) -> None:
    assert zone_names(f"{STORY}</article><div>{box}</div>")[2:] == expected


def test_what_an_element_around_is_for_counts_first() -> None:
    box = f"<footer><div><ul>{HEADLINES}</ul></div></footer>"
    assert zone_names(f"{STORY}</article>{box}")[2:] == ["navigation"] * 3


# rows of social networks


def rows(html: str) -> list[bool]:
    """Whether each block is promotion, as rows of networks are."""
    return [name == "promo" for name in zone_names(html)]


# the first words of short blocks


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>Subscribe to our letter.</p>", "promo"),
        ("<p>\u00bb Mehr zum Thema</p>", "teaser"),
        ("<p>\u00a9 2026 The Village Press</p>", "legal"),
        ("<p>We use cookies to count readers.</p>", "notice"),
        ("<p>Advertisement</p>", "promo"),
        ("<p>Advertisement in the village costs money.</p>", ""),
        ("<p><a href=x>Share</a></p>", "promo"),
        ("<p>Share prices fell.</p>", ""),  # no link
        ("<p><a href=x>Next</a></p>", "navigation"),
        ("<p>Next came the pumps.</p>", ""),
        ("<h2>Privacy policy</h2>", ""),  # the blocks below it are its text
        ("<h2><a href=x>Privacy policy</a></h2>", "legal"),
        (f"<p>Got a tip? {'Write to us. ' * 6}</p>", "promo"),
        (f"<p>Got a tip? {'Write to us. ' * 8}</p>", ""),  # too long
        ("<p>Disclaimer words: all rights reserved</p>", ""),
        ("<p>免责声明：" + "本文" * 50, "legal"),  # 52 words: two ideographs are one
        ("<p>免责声明：" + "本文" * 70, ""),
        ("<p>Most read books of the year were on rivers, and on ice.</p>", ""),
    ],
)
def test_short_blocks_by_their_first_words(html: str, expected: str) -> None:
    assert zone_names(html) == [expected]


def test_long_blocks_are_no_phrases() -> None:
    for group, start in {
        "promo": "Follow us",
        "notice": "We use cookies",
        "legal": "\u00a9",
    }.items():
        words = MOST_WORDS[group]
        assert zone_names(f"<p>{start}{' on' * (words - 5)}</p>") == [group]
        assert zone_names(f"<p>{start}{' on' * (words + 1)}</p>") == [""]


# standfirsts

LEAD = "Nobody in the village slept well last night."
BODY = "<p>" + "The river rose again this morning, and the pumps failed. " * 4 + "</p>"
H1 = "<h1>The river rose</h1>"
META = f"<meta name=description content='{LEAD}'>"


def leads(html: str) -> list[int]:
    """The blocks that are a standfirst."""
    page = measures_of("<title>The river rose</title>" + html)
    return [index for index, kind in enumerate(kinds_of(page)) if kind == Kind.LEAD]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"{H1}<p class=standfirst>{LEAD}</p>{BODY}", [1]),
        (f"{H1}<h2 class=deck>{LEAD}</h2>{BODY}", [1]),  # a heading, too
        (f"{H1}<div class=article__lead><p>{LEAD}</p><p>{LEAD}</p></div>{BODY}", [1, 2]),
        (f"{H1}<p itemprop=description>{LEAD}</p>{BODY}", [1]),
        (f"{META}{H1}<p>{LEAD}</p>{BODY}", [1]),
        (f"{META}{H1}<p>{LEAD} And so on.</p>{BODY}", []),
        (f"{META}{H1}{BODY}<p>{LEAD}</p>{BODY}", []),  # after the first paragraph
        (f"{META}<p>{LEAD}</p>{H1}{BODY}", []),  # before the main heading
        (f"{META}{H1}<p>{LEAD}</p>", []),  # nothing follows: it is the body
        (f"{META}{H1}<ul><li>{LEAD}</ul>{BODY}", []),
        (f"{H1}<div class=summary>{BODY}</div>", []),  # all that there is
        (f"{H1}<div class=intro>{BODY * 4}</div>{BODY * 9}", []),  # too long
        (f"<div class=lead>{H1}<p>{LEAD}</p>{BODY}</div>", []),  # holds the main heading
        (f"{H1}<p><span class=lead>{LEAD}</span></p>{BODY}", []),  # inline
        (f"{H1}<p class=lead>{'so ' * (_MIN_LEAD_WORDS - 1)}</p>{BODY}", []),
        (f"{H1}<p class=lead>{'so ' * _MAX_LEAD_WORDS}</p>{BODY}", [1]),
        (f"{H1}<p class=lead>{'so ' * (_MAX_LEAD_WORDS + 1)}</p>{BODY}", []),
        (f"<p class=lead>{LEAD}</p>", []),
    ],
)
def test_standfirsts(html: str, expected: list[int]) -> None:
    assert leads(html) == expected


# coarse kinds

PLAIN, TITLE, HEADERS = CoarseKind.BODY, CoarseKind.TITLE, CoarseKind.HEADERS
CAPTIONS, BYLINES, COMMENTS = CoarseKind.CAPTIONS, CoarseKind.BYLINES, CoarseKind.COMMENTS


CASES = [
    ("<p>a</p>", [PLAIN]),
    ("<h1>a</h1><h2>b</h2><p>c</p>", [TITLE, HEADERS, PLAIN]),
    ("<title>x y</title><p>x y</p><h2>b</h2>", [TITLE, HEADERS]),
    ("<h3><span>a</span></h3><header>b</header>", [HEADERS, PLAIN]),
    ("<figure><img><figcaption>a</figcaption></figure><p>b</p>", [CAPTIONS, PLAIN]),
    ("<p class=caption>a</p><div class=caption><p>b</p></div>", [CAPTIONS, CAPTIONS]),
    ("<div class=caption><div><p>a</p></div></div>", [PLAIN]),  # two steps up: too far
    ("<p>By Jane</p><p>Bye</p>", [BYLINES, PLAIN]),
    ("<p class=author>a</p><p id=date>b</p><p><time>c</time></p>", [BYLINES] * 3),
    ("<address>a</address>", [BYLINES]),
    ("<div class=author><p>a</p></div>", [BYLINES]),
    ("<div class=author><div><p>a</p></div></div>", [PLAIN]),
    ("<p class=author>" + "a " * (MAX_BYLINE_WORDS - 1) + "</p>", [BYLINES]),
    ("<p class=author>" + "a " * MAX_BYLINE_WORDS + "</p>", [PLAIN]),
    ("<div class=comments><ul><li><p>a</p></li></ul></div><p>b</p>", [COMMENTS, PLAIN]),
    ("<div itemprop=comment><div><div><p>a</p></div></div></div>", [COMMENTS]),
    (
        "<ol class=comments><li class=comment><p>a</p><ol><li class=comment><p>b</p></ol></ol><p>c",
        [COMMENTS, COMMENTS, PLAIN],
    ),
    ("<body class='no-comments comments-open'><p>a</p><p>b</p></body>", [PLAIN, PLAIN]),
    ("<main class=with-comments><p>a</p><p>b</p></main>", [PLAIN, PLAIN]),
    ("<article class=has-comments><h1>a</h1><p>b</p></article><p>c</p>", [TITLE, PLAIN, PLAIN]),
    ("<p>a <span class=comment-count>3 comments</span></p><p>b</p>", [PLAIN, PLAIN]),
    ("<p><a class=comments-link href=x>3 comments</a></p><p>b</p>", [PLAIN, PLAIN]),
    (
        "<h1>a</h1><div id=comments><article><h2>b</h2><p>c</p></article></div>",
        [TITLE, HEADERS, COMMENTS],
    ),
    ("<div class=comments><p class=author>a</p><h4>b</h4></div>", [BYLINES, HEADERS]),
    ("<figure class=author><figcaption>a</figcaption></figure>", [CAPTIONS]),
    ("<h2 class=author>By me</h2>", [HEADERS]),
    ("<figcaption><h1>a</h1></figcaption>", [TITLE]),
    ("", []),
]


@pytest.mark.parametrize(("html", "expected"), CASES)
def test_coarse_kinds(html: str, expected: list[CoarseKind]) -> None:
    assert [CoarseKind(kind) for kind in coarse_kinds(measures_of(html))] == expected


def test_a_heading_is_no_byline_but_may_be_a_caption_or_comment() -> None:
    html = "<h1>a</h1><div class='author caption comments'><h2>By me</h2></div>"
    measures = measures_of(html)
    assert is_byline(measures).tolist() == [False, False]
    assert is_caption(measures).tolist() == [False, True]
    assert is_comment(measures).tolist() == [False, True]


def test_deeply_nested_comments_are_marked() -> None:
    depth = 300
    html = "<h1>a</h1>" + "<div class=comment><p>b</p>" * depth
    assert is_comment(measures_of(html)).tolist() == [False] + [True] * depth
