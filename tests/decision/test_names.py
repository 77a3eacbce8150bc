"""Tests of `decision/names.py` and `places.py`: names around blocks, and their weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from decided import decided, kept_share
from htmlpages import measures_of

from crfclean.decision.evidence import Evidence
from crfclean.decision.names import block_names, shifts
from crfclean.decision.places import (
    MAX_PLACE_STEPS,
    TextPlace,
    block_paths,
    common_path,
    is_stable,
    site_of,
    step_of,
    text_places,
)
from crfclean.decision.rules import CutParams
from crfclean.decision.verdict import RULE_PREFIX, with_rules
from crfclean.lexicon.markup import KIND_MARKUP, MARKUP
from crfclean.page.blocks import split
from crfclean.types import CrfcleanError, Document, Label, Page, Rule, Tags

PAGE = """<body><main id="story"><h1>Ferry in the ice</h1>
<div class="entry post-4711"><p>The ferry stayed in its harbour for a week.</p>
<p>The ice was as thick as a hand.</p></div>
<div class="guidelines"><p>Read our guidelines.</p></div></main></body>"""
FERRY, GUIDELINES = "The ferry stayed", "Read our guidelines"


def test_blocks_have_the_names_that_other_pages_may_have() -> None:
    names = block_names(Evidence(measures_of(PAGE)))
    assert names[1] == {
        *("#story", ".entry", "div.entry p", ":paragraph"),
        '"the ferry stayed in its harbour for a week."',
    }
    assert {"#story", "main#story h1"} <= names[0]
    assert not {".post-4711", ".entry"} & names[3]


def test_the_weights_of_all_names_of_a_block_are_added() -> None:
    evidence = Evidence(measures_of(PAGE))
    added = shifts(evidence, {".entry": 1.5, "#story": 0.25, ".elsewhere": 9.0})
    assert added.tolist() == [0.25, 1.75, 1.75, 0.25]


def test_names_take_and_add_blocks_and_leave_the_others() -> None:
    plain = decided(PAGE, {"": 0.9, "thick": 0.1})
    names = ((".guidelines", -6.0), ('"the ice was as thick as a hand."', 6.0))
    made = decided(PAGE, {"": 0.9, "thick": 0.1}, names=names)
    assert GUIDELINES in plain.text
    assert GUIDELINES not in made.text
    assert "thick" in made.text
    assert (made.rule(GUIDELINES), made.rule(FERRY)) == (Rule.NAMES, Rule.NONE)
    assert made.probability(FERRY) == plain.probability(FERRY)
    assert made.probability(GUIDELINES) == pytest.approx(1 / (1 + np.exp(6.0) / 9))


def test_what_the_user_chose_by_name_stays_out() -> None:
    made = decided(PAGE, 0.9, without=("heading", "title"), names=(("#story", 9.0),))
    assert "Ferry in the ice" not in made.text


def test_the_reason_tells_the_change() -> None:
    made = decided(PAGE, 0.9, names=((".guidelines", -6.0),))
    said = with_rules(made.tags, [[] for _ in made.page.texts])[made.place(GUIDELINES)][0]
    assert said.feature == RULE_PREFIX + "names"
    assert said.weight == pytest.approx(-6.0)


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), "high", None])
def test_weights_are_numbers(weight: object) -> None:
    with pytest.raises(CrfcleanError, match=r"names: the weight of \.entry"):
        CutParams(names=((".entry", weight),))  # type: ignore[arg-type]


# names of places that the other pages of a site have, too

CANONICAL = "<link rel=Canonical href='https://www.one.example/a'>"
SHARED = "<meta property='og:url' content='https://two.example/a'>"


@pytest.mark.parametrize(
    ("url", "head", "site"),
    [
        ("https://www.zero.example/1", CANONICAL, "zero.example"),
        (None, SHARED + CANONICAL, "one.example"),
        (None, SHARED, "two.example"),
        (None, "<link rel=canonical href='/a'>", ""),
        ("file:///a.html", "", ""),
        (None, "<body>" + CANONICAL, ""),
    ],
)
def test_a_site_is_a_host(url: str | None, head: str, site: str) -> None:
    blocks = split(Page(f"<html><head>{head}<body><p>One</p>"))
    assert site_of(url, blocks) == site


@pytest.mark.parametrize(
    "name", ["post", "entry-content", "articleBody", "col_2", "h2", "widget_recent_comments"]
)
def test_names_of_a_template(name: str) -> None:
    assert is_stable(name)


@pytest.mark.parametrize(
    "name",
    [
        *("", "post-4711", "css-1x2yz", "sc-bdVaJa", "x" * 41, "a b", "é", "page-id-12"),
        *("_3hUJq", "ng-star-1234", "jxkqwzrt"),
    ],
)
def test_names_of_a_page_or_a_build(name: str) -> None:
    assert not is_stable(name)


def test_the_body_is_no_place() -> None:
    assert step_of("body", {"class": "home"}) == ""
    assert step_of("my:tag", {"class": "home"}) == ""
    assert step_of("main", {}) == "main"


def paths(html: str) -> list[str]:
    return block_paths(split(Page(html)))


def test_a_path_has_the_names_around_a_block() -> None:
    html = "<div id=main class='wide'><div><p class='lead'>One</p><p>Two</p></div></div>"
    assert paths(html) == ["div#main.wide p.lead p", "div#main.wide p"]
    assert [common_path(path, {".wide"}) for path in paths(html)] == ["div.wide p", "div.wide p"]


def test_a_path_has_the_lowest_elements() -> None:
    html = "".join(f"<div class={name}>" for name in "abcdefghijkl") + "One"
    names = {f".{name}" for name in "abcdefghijkl"}
    path = common_path(paths(html)[0], names)
    assert path == "div.g div.h div.i div.j div.k div.l div"
    assert len(path.split(" ")) == MAX_PLACE_STEPS + 1


def test_hostile_depth_is_linear() -> None:
    html_paths = paths("<div class=a>" * 1_500 + "<p>One</p>" * 500)
    assert len(html_paths) == 500
    assert max(map(len, html_paths)) < 200


def document(html: str, kept: list[int]) -> Document:
    blocks = split(Page(html))
    labels = np.where(np.isin(np.arange(len(blocks)), kept), Label.TEXT, Label.OTHER)
    return Document(None, blocks, Tags(labels.astype(np.int32), np.eye(3)[labels], 1.0))


def test_places_have_their_words_and_those_that_are_kept() -> None:
    html = "<ul><li>a b</ul><div class=post><p>one two three<p>four five<p>six</div><main><p>7"
    assert text_places(document(html, [1, 3])) == (TextPlace("div.post p", 6, 4),)
    assert text_places(document(html, [])) == ()
    assert text_places(document("", [])) == ()


# No word in the markup of a site takes the text of its articles

WORDS = {
    **{group: words.split() for group, words in KIND_MARKUP.items()},
    **{group: MARKUP[group].split() for group in ("comment", "caption", "author", "ad", "form")},
}
"""Group -> the words of class and id that speak against the blocks inside."""

SAID = "The ferry stayed in its harbour for three weeks, since the ice was too thick. "
LIKELY = {"": 0.95, "Home": 0.02, "About": 0.02, "©": 0.02}
SITE = (
    '<html><head><title>Ferry in the ice - Lake News</title><meta property="og:type" '
    'content="article"></head><body><nav><a href="/">Home</a> <a href="/about">About</a></nav>'
    "<main>{}</main><footer>© Lake News</footer></body></html>"
)
HEADING = "<h1>Ferry in the ice</h1>"


def paragraphs(word: str = "") -> str:
    named = f' class="{word}"' if word else ""
    return "".join(f"<p{named}>{SAID * (2 + at % 2)}</p>" for at in range(6))


PLACES = {
    "all paragraphs": lambda word: f"<article>{HEADING}{paragraphs(word)}</article>",
    "around the article": lambda word: f'<div class="{word}">{HEADING}{paragraphs()}</div>',
    "below the heading": lambda word: f'{HEADING}<div class="{word}">{paragraphs()}</div>',
    "an id": lambda word: f'{HEADING}<section id="{word}">{paragraphs()}</section>',
}
RULES: dict[str, dict[str, Any]] = {
    "by default": {"convention": "auto"},
    "as page, by a threshold": {"convention": "page", "rule": "threshold"},
}


def lost(words: list[str], place: str) -> Iterator[tuple[str, str]]:
    """Each word that takes more than half of an article by some rule, with the rule."""
    for word in words:
        html = SITE.format(PLACES[place](word))
        for name, params in RULES.items():
            if kept_share(decided(html, LIKELY, **params), SAID) < 0.5:
                yield word, name


@pytest.mark.parametrize("group", WORDS)
def test_a_name_never_takes_most_of_an_article(group: str) -> None:
    assert [one for place in PLACES for one in lost(WORDS[group], place)] == []


@pytest.mark.parametrize("place", PLACES)
def test_neither_do_words_that_no_group_has_any_more(place: str) -> None:
    assert list(lost(["paywall", "premium-content", "ad-free", "comment-body"], place)) == []


def test_a_name_still_takes_what_is_little() -> None:
    """The rules are at work: the same words leave a paragraph beside the article out."""
    for word in ("related-posts", "newsletter-signup", "cookie-notice"):
        html = SITE.format(f'{HEADING}{paragraphs()}<div class="{word}"><p>Beside it.</p></div>')
        assert "Beside it." not in decided(html, LIKELY, convention="auto").text


LONG_ENOUGH = 14  # paragraphs of 40 words: a rule may take more than half if 300 words are left


def test_most_of_a_long_page_may_be_beside_the_text() -> None:
    teasers = "".join(f"<p class=related-posts>Next: {SAID * 4}</p>" for _ in range(20))
    text = f"<p>{SAID * 3}</p>" * LONG_ENOUGH
    made = decided(SITE.format(f"{HEADING}{text}{teasers}"), LIKELY, convention="auto")
    assert kept_share(made, SAID) < 0.5
    assert made.text.count(SAID.strip()) >= 3 * LONG_ENOUGH
