"""No word in the markup of a site takes the text of its articles.

`<p class="paywall">` marks the free paragraphs of some magazines: six of them once lost all text.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from decided import decided, kept_share

from crfclean.lexicon.markup import KIND_MARKUP, MARKUP

WORDS = {
    **{group: words.split() for group, words in KIND_MARKUP.items()},
    **{group: MARKUP[group].split() for group in ("comment", "caption", "author", "ad", "form")},
}
"""Group -> the words of class and id that speak against the blocks inside."""

SAID = "The ferry stayed in its harbour for three weeks, since the ice was too thick. "
LIKELY = {"": 0.95, "Home": 0.02, "About": 0.02, "©": 0.02}
PAGE = (
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
RULES = {
    "by default": {"convention": "auto"},
    "as page, by a threshold": {"convention": "page", "rule": "threshold"},
}


def lost(words: list[str], place: str) -> Iterator[tuple[str, str]]:
    """Each word that takes more than half of an article by some rule, with the rule."""
    for word in words:
        html = PAGE.format(PLACES[place](word))
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
        html = PAGE.format(f'{HEADING}{paragraphs()}<div class="{word}"><p>Beside it.</p></div>')
        assert "Beside it." not in decided(html, LIKELY, convention="auto").text


LONG_ENOUGH = 14  # paragraphs of 40 words: a rule may take more than half if 300 words are left


def test_most_of_a_long_page_may_be_beside_the_text() -> None:
    teasers = "".join(f"<p class=related-posts>Next: {SAID * 4}</p>" for _ in range(20))
    text = f"<p>{SAID * 3}</p>" * LONG_ENOUGH
    made = decided(PAGE.format(f"{HEADING}{text}{teasers}"), LIKELY, convention="auto")
    assert kept_share(made, SAID) < 0.5
    assert made.text.count(SAID.strip()) >= 3 * LONG_ENOUGH
