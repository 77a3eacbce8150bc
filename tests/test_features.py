"""Tests of `features.py`."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfclean import features as module
from crfclean.blocks import split
from crfclean.features import FEATURES, HEADINGS, Feature, matrix
from crfclean.measures import Measures
from crfclean.types import Page


def measure(html: str) -> Measures:
    return Measures(split(Page(html)))


def column(name: str, html: str) -> list[float]:
    return FEATURES[name](measure(html)).tolist()


def docstring(feature: Feature) -> str:
    """The docstring of a feature, or of the factory that made it."""
    maker = feature.__qualname__.partition(".")[0]
    return getattr(module, maker).__doc__ or ""


# One case at least for every feature

FORM = "<form><p>a</p><button>b</button></form><fieldset>c</fieldset>d"
HEADED = "<h1>a</h1><h2>b</h2><h4><span>c</span></h4><p>d</p>"
LISTS = "<ul><li>a</li></ul><dl><dt>b</dt><dd>c</dd></dl><ol><li><p>d</p></li></ol><p>e</p>"
TABLE = "<table><tr><th>a</th><td>b</td><td><p>c</p></td></tr></table>d"
GROUPS = (
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
    ("letter_share", "<p>ab1.</p><p>漢é</p><p>$ 1</p>", [0.5, 1, 0]),
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
    ("div_group", GROUPS, [0.3, 0.2, 0.1, 0.2, 0, 0, 0, 0]),
    ("td_group", GROUPS, [0, 0, 0, 0, 0.2, 0.2, 0.1, 0]),
    ("largest_div_group", GROUPS, [0.3] * 8),
    ("largest_div_group", "<p>a</p>", [0]),
    ("largest_td_group", GROUPS, [0.2] * 8),
    ("largest_td_group", "<p>a</p>", [0]),
    ("div_group_rank", GROUPS, [1, 2 / 3, 1 / 3, 2 / 3, 0, 0, 0, 0]),
    ("div_group_rank", "<p>a</p>", [0]),
]
CASES = MARKUP_CASES + CONTENT_CASES + DOCUMENT_CASES


@pytest.mark.parametrize(("name", "html", "expected"), CASES)
def test_feature(name: str, html: str, expected: list[float]) -> None:
    assert column(name, html) == pytest.approx(expected)


def test_every_feature_has_a_case() -> None:
    assert {name for name, _, _ in CASES} == set(FEATURES)


@pytest.mark.parametrize("name", FEATURES)
def test_every_feature_takes_two_values_at_least(name: str) -> None:
    values = {value for case, _, expected in CASES if case == name for value in expected}
    page_wide = name in ("page_words", "page_sentences", "page_blocks")
    assert len(values) > 1 or page_wide


@pytest.mark.parametrize("name", FEATURES)
def test_every_feature_is_documented(name: str) -> None:
    assert docstring(FEATURES[name]).endswith(".")
    assert name == name.lower()
    assert name.replace("_", "").isalnum()  # "=", "[" and ":" part the names of attributes


def test_headings_are_all_six() -> None:
    html = "".join(f"<h{level}>a</h{level}>" for level in range(1, 7))
    assert column("container_heading", html) == [1] * len(HEADINGS)


# The matrix

DEMO = f"<title>t</title>{LISTS}{FORM}{TABLE}{GROUPS}{HEADED}"


def test_matrix_is_the_columns_side_by_side() -> None:
    measures = measure(DEMO)
    table = matrix(measures)
    assert table.shape == (len(measures), len(FEATURES))
    for place, feature in enumerate(FEATURES.values()):
        assert table[:, place].tolist() == feature(measures).tolist()


def test_matrix_of_some_features_in_any_order() -> None:
    measures = measure("<p>a b</p><p>c</p>")
    assert matrix(measures, ["words", "chars", "words"]).tolist() == [[2, 2, 2], [1, 1, 1]]


@pytest.mark.parametrize("html", ["", "<img>", "<p hidden>a</p>", "<script>a</script>"])
def test_page_without_blocks_has_an_empty_matrix(html: str) -> None:
    assert matrix(measure(html)).shape == (0, len(FEATURES))
    assert matrix(measure(html), ["words"]).shape == (0, 1)


@pytest.mark.parametrize("name", FEATURES)
def test_page_without_blocks_has_an_empty_column(name: str) -> None:
    assert FEATURES[name](measure("<a><img></a>")).shape == (0,)


def test_unknown_feature_is_an_error() -> None:
    with pytest.raises(KeyError, match="wordz"):
        matrix(measure("<p>a"), ["wordz"])


def test_matrix_is_the_same_each_time() -> None:
    assert np.array_equal(matrix(measure(DEMO)), matrix(measure(DEMO)))


# Any page

TAGS = (
    "html body title p div span a b br hr img ul li table tr td th h1 h2 form script svg article "
    "section blockquote pre i u picture em my-box"
).split()
TEXTS = [
    *("a", "Two words. ", "é", "你好。", " ", "\n", "3.14 12:30 ", "5 May", "2020", "http://x.y "),
    *("\u200b", "\x1c", "\x1f", "\x00", "\x85", "&nbsp;", "&lt;", "- ", "•", '"', "😀", "ไทย"),
]
SOUP = st.lists(
    st.one_of(
        st.builds("<{}>".format, st.sampled_from(TAGS)),
        st.builds("</{}>".format, st.sampled_from(TAGS)),
        st.sampled_from(TEXTS),
    ),
    max_size=40,
).map("".join)
SOUP_SETTINGS = settings(max_examples=200, deadline=None, database=None, derandomize=True)
SHARES = [name for name in FEATURES if "(0..1)" in docstring(FEATURES[name])]
FLAGS = [name for name in FEATURES if "(0 or 1)" in docstring(FEATURES[name])]
COUNTS = [
    *("links", "images", "alpha_tokens", "numeric_tokens", "mixed_tokens", "other_tokens", "chars"),
    *("sentences", "duplicates", "page_sentences", "page_blocks"),
]


def test_most_features_say_their_bounds() -> None:
    free = {"links_per_word", "white_share", "words", "sentence_length", "page_words"}
    assert {*SHARES, *FLAGS, *COUNTS, *free} == set(FEATURES)
    assert not {*SHARES} & {*FLAGS}


@SOUP_SETTINGS
@given(SOUP)
def test_columns_have_their_shape_and_bounds(html: str) -> None:
    measures = measure(html)
    for name, feature in FEATURES.items():
        values = feature(measures)
        assert values.shape == (len(measures),), name
        assert values.dtype == np.float64, name
        assert np.isfinite(values).all(), name
        assert (values >= 0).all(), name
    for name in SHARES:
        assert FEATURES[name](measures).max(initial=0.0) <= 1 + 1e-12, name
    for name in FLAGS:
        assert set(column(name, html)) <= {0.0, 1.0}, name
    for name in COUNTS:
        assert np.array_equal(FEATURES[name](measures) % 1, np.zeros(len(measures))), name


@SOUP_SETTINGS
@given(SOUP)
def test_shares_of_a_block_add_up(html: str) -> None:
    measures = measure(html)
    tokens = [name for name in FEATURES if name.endswith("_token_share")]
    chars = ["letter_share", "digit_share", "punct_share", "other_share"]
    assert matrix(measures, tokens).sum(1) == pytest.approx(np.ones(len(measures)))
    assert matrix(measures, chars).sum(1) == pytest.approx(np.ones(len(measures)))
    assert FEATURES["page_share"](measures).sum() == pytest.approx(float(measures.words.any()))


@SOUP_SETTINGS
@given(SOUP, SOUP)
def test_blocks_own_features_do_not_see_their_neighbours(first: str, second: str) -> None:
    names = [name for name, *_ in CONTENT_CASES if name not in ("is_repeat", "duplicates")]
    texts = [*measure(first).page.texts, *measure(second).page.texts]
    escaped = [text.replace("&", "&amp;").replace("<", "&lt;") for text in texts]
    pages = [f"<p>{text}</p>" for text in escaped]
    together = matrix(measure("".join(pages)), names)
    alone = [matrix(measure(page), names)[0].tolist() for page in pages]
    assert together.tolist() == alone


# Against a plain reference, block by block

REFERENCE_TEXTS = st.lists(
    st.lists(
        st.sampled_from(["Word", "two", "3", "4th", "-", "End.", "漢字", "é", "$5", "(A)", "…"]),
        min_size=1,
        max_size=6,
    ).map(" ".join),
    min_size=1,
    max_size=6,
)


def words(text: str) -> float:
    spaced = "".join("" if "CJK" in unicodedata.name(char) else char for char in text)
    tokens = [token for token in spaced.split() if any(map(str.isalnum, token))]
    return len(tokens) + (len(text) - len(spaced)) / 2


def reference(texts: list[str], name: str) -> list[float]:
    """The values of a feature, computed block by block."""
    total = sum(map(words, texts))
    solid = ["".join(text.split()) for text in texts]
    made = {
        "chars": map(len, solid),
        "words": map(words, texts),
        "letter_share": [sum(map(str.isalpha, text)) / len(text) for text in solid],
        "upper_share": [sum(map(str.isupper, text)) / len(text) for text in solid],
        "digit_share": [sum(map(str.isdigit, text)) / len(text) for text in solid],
        "capitalised_share": [
            sum(token[0].isupper() for token in text.split()) / len(text.split()) for text in texts
        ],
        "sentences": [sum(token[-1] in ".…" for token in text.split()) for text in texts],
        "duplicates": [texts.count(text) - 1 for text in texts],
        "is_repeat": [text in texts[:place] for place, text in enumerate(texts)],
        "page_words": [total] * len(texts),
        "page_share": [words(text) / max(total, 0.5) for text in texts],
        "word_position": [
            sum(map(words, texts[:place])) / max(total, 0.5) for place in range(len(texts))
        ],
    }
    return [float(value) for value in made[name]]


REFERENCE_NAMES = [
    *("chars", "words", "letter_share", "upper_share", "digit_share", "capitalised_share"),
    *("sentences", "duplicates", "is_repeat", "page_words", "page_share", "word_position"),
]


@SOUP_SETTINGS
@given(REFERENCE_TEXTS)
def test_features_are_those_of_the_reference(texts: list[str]) -> None:
    html = "".join(f"<p>{text}</p>" for text in texts)
    for name in REFERENCE_NAMES:
        assert column(name, html) == pytest.approx(reference(texts, name)), name
