"""Tests of the 26 columns of the perceptron system: by hand, and on any page."""

from __future__ import annotations

import numpy as np
import pytest

from crfclean.model.inputs import TEXTTRACTOR, with_neighbours
from crfclean.page.blocks import split
from crfclean.types import Page


def columns(html: str) -> dict[str, list[float]]:
    page = split(Page(html))
    return {name: column(page).tolist() for name, column in TEXTTRACTOR.items()}


# the columns by hand


BY_HAND = {
    "letters_rel": ("<p>abcd 1!</p><p>ab</p><p>...</p>", [1.0, 0.5, 0.0]),
    "words_rel": ("<p>a b c d</p><p>a 1</p><p>...</p>", [1.0, 0.5, 0.0]),
    "capitals_rel": ("<p>Aa Bb</p><p>Aa bb</p><p>aa</p>", [1.0, 0.5, 0.0]),
    "all_caps_rel": ("<p>AB CD.</p><p>AB1 Cd A</p><p>Ab I</p>", [1.0, 0.5, 0.0]),
    "sentences_rel": ("<p>One. Two! Three? Four.</p><p>One</p><p>--</p>", [1.0, 0.25, 0.0]),
    "digit_density": ("<p>a1 b2</p><p>12</p><p>ab</p>", [0.5, 1.0, 0.0]),
    "space_density": ("<p>ab cd ef gh</p><p>abcd</p>", [3 / 11, 0.0]),
    "links_rel": ("<p><a>a</a> <a>b</a></p><p><a>a</a></p><p>a</p>", [1.0, 0.5, 0.0]),
    "bars_rel": ("<p>a | b | c</p><p>a|b</p><p>a</p>", [1.0, 0.5, 0.0]),
    "images_rel": ("<p>a<img><img></p><p><img>b</p><p>c</p>", [1.0, 0.5, 0.0]),
    "good_inline_rel": ("<p><i>a</i><code>b</code></p><p><cite>a</cite></p><p>c</p>", [1, 0.5, 0]),
    "has_copyright": ("<p>© 2024 us</p><p>us</p>", [1.0, 0.0]),
    "has_angle": ("<p>a &gt; b</p><p>a &lt; b</p><p>ab</p>", [1.0, 1.0, 0.0]),
    "word_length_rel": ("<p>abcd abcd.</p><p>ab</p><p>!</p>", [1.0, 0.5, 0.0]),
    "sentence_length_rel": ("<p>a b c d. a b c d.</p><p>a b</p><p>!</p>", [1.0, 0.5, 0.0]),
    "image_density": ("<p>a b<img></p><p>...</p><p>a</p>", [0.5, 1.0, 0.0]),
    "bar_density": ("<p>a|bc</p><p>||</p><p>a</p>", [0.25, 1.0, 0.0]),
    "link_word_density": ("<p><a>a b</a></p><p>...</p><p><a>a</a><a>!</a></p>", [0.5, 1, 1]),
    "all_caps_density": ("<p>AB Cd</p><p>ABC!</p><p>...</p>", [0.5, 1.0, 1.0]),
    "long_word_density": ("<p>a b cdefg hi</p><p>aa bb</p><p>...</p>", [0.25, 0.0, 1.0]),
    "short_word_density": ("<p>a b cdefg hi</p><p>aa bb ...</p><p>...</p>", [0.75, 0.0, 1.0]),
    "good_parent": (
        "<body class=post><div id=main-content><p>a</p></div><div class=nav>b</div>",
        [1.0, 0.0],
    ),
    "is_heading": ("<h2><b>a</b></h2><h4>b</h4><p>c</p>", [1.0, 1.0, 0.0]),
    "is_paragraph": ("<p><b>a</b></p><div>b</div>", [1.0, 0.0]),
    "is_item": ("<ul><li>a</li></ul><dl><dt>b<dd>c</dl><p>d</p>", [1.0, 1.0, 1.0, 0.0]),
    "place": ("<p>a</p><p>b</p><p>c</p><p>d</p>", [0.0, 0.25, 0.5, 0.75]),
}


@pytest.mark.parametrize("name", TEXTTRACTOR)
def test_by_hand(name: str) -> None:
    html, expected = BY_HAND[name]
    assert columns(html)[name] == pytest.approx(expected)


def test_good_parents_are_above_at_any_height_but_not_the_body() -> None:
    deep = "<div class=article>" + "<div>" * 40 + "<p>a</p>" + "</div>" * 41 + "<p>b</p>"
    assert columns(deep)["good_parent"][1] == 0.0
    assert columns("<html class=article><body id=content><p>a</p>")["good_parent"] == [0.0]
    near = "<div class=article><section><div><p>a</p></div></section></div><p>b</p>"
    assert columns(near)["good_parent"] == [1.0, 0.0]


# neighbours


def test_neighbours_stand_before_and_behind() -> None:
    own = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert with_neighbours(own).tolist() == [
        [0, 0, 1, 2, 3, 4],
        [1, 2, 3, 4, 5, 6],
        [3, 4, 5, 6, 0, 0],
    ]
    assert with_neighbours(own, (0,)).tolist() == own.tolist()
    assert with_neighbours(own[:1]).tolist() == [[0, 0, 1, 2, 0, 0]]
    assert with_neighbours(own, (-5, 5)).tolist() == np.zeros((3, 4)).tolist()
    assert with_neighbours(own[:0]).shape == (0, 6)
    assert with_neighbours(own.astype(np.float32)).dtype == np.float32
