"""Tests of the columns of `native/columns.c`."""

from __future__ import annotations

import numpy as np
import pytest
from htmlpages import column

from crfclean.lexicon import lexicon

PHRASES = lexicon().block_phrases


# Columns

TEXT = "word " * 19 + "end."  # 20 words of running text
LONG = f"<p>{TEXT}</p>"
PAGE = f"<p>a</p>{LONG}<p><a>b</a></p><p>c</p>{LONG}<p>d</p>"  # running: blocks 1 and 4
MANY = LONG + "<p>a</p>" * 20
LINKS = "<p>a</p><p><a>b</a></p><p><a>c</a></p><p>d</p><p><a>e</a></p><p>f</p>"
HEADED = "<p>a</p><h2>Related</h2><p>b</p><h1>c</h1><p>d</p><h6><i>Comments</i></h6><p>e</p>"
SAID = "<p>{0}x</p><h4>{0}x</h4><p>b</p><h3>zz</h3><p>c</p>"
LOG1, LOG20 = np.log(2), np.log(21)


def logs(*others: int) -> list[float]:
    """Mean logarithm of the running text and so many blocks of one word; of those alone at last."""
    near = [(LOG20 + other * LOG1) / (other + 1) for other in others]
    return near + [LOG1] * (21 - len(near))


CASES = [
    ("words_around2", "<p>a</p>" * 3, [LOG1] * 3),
    ("words_around2", MANY, logs(2, 3, 4)),
    ("words_around5", MANY, logs(5, 6, 7, 8, 9, 10)),
    ("words_around12", MANY, logs(12, 13, 14, 15, 16, 17, 18, 19, 20, 20, 20, 20, 20)),
    ("links_around2", PAGE, [1 / 3, 1 / 4, 1 / 5, 1 / 5, 1 / 4, 0]),
    ("links_around5", PAGE, [1 / 6] * 6),
    ("links_around12", PAGE, [1 / 6] * 6),
    ("long_around2", PAGE, [1 / 3, 1 / 4, 2 / 5, 2 / 5, 1 / 4, 1 / 3]),
    ("long_around5", MANY, [1 / (n + 1) for n in range(5, 11)] + [0] * 15),
    ("long_around12", PAGE, [2 / 6] * 6),
    ("ends_around2", PAGE, [1 / 3, 1 / 4, 2 / 5, 2 / 5, 1 / 4, 1 / 3]),
    ("ends_around5", MANY, [1 / (n + 1) for n in range(5, 11)] + [0] * 15),
    ("ends_around12", PAGE, [2 / 6] * 6),
    ("since_long", PAGE, [100, 0, 1, 2, 0, 1]),
    ("until_long", PAGE, [1, 0, 2, 1, 0, 100]),
    ("long_before", PAGE, [0, 0, 0.5, 0.5, 0.5, 1]),
    ("long_before", "<p>a</p>", [0]),
    ("long_left", PAGE, [1, 0.5, 0.5, 0.5, 0, 0]),
    ("heading_level", HEADED, [0, 2, 2, 1, 1, 6, 6]),
    ("heading_level", "<h3>a<h5>b</h5></h3><p>c</p>", [3, 3, 3]),
    ("since_heading", HEADED, [100, 0, 1, 0, 1, 0, 1]),
    ("heading_title", "<title>b c</title><p>b c</p><h2>c b</h2><p>x</p>", [0, 1, 1]),
    ("since_heading", "<h2>a</h2><p>b</p>", [0, 1]),
    ("heading_level", "<h2>a</h2><p>b</p>", [2, 2]),
    ("h1_above", HEADED, [0, 0, 0, 1, 1, 1, 1]),
    ("h1_above", "<h1>a</h1><p>b</p>", [1, 1]),
    ("link_run", LINKS, [0, 2, 2, 0, 1, 0]),
    ("since_related", "<p>a</p><p>Related</p><p>b</p>", [100, 0, 1]),
    ("since_comments", "<p>Comments</p><p>b</p><p>c</p>", [0, 1, 2]),
    ("since_byline", "<p>By me</p><p>b</p>", [0, 1]),
    ("since_legal", "<p>a</p><p>© 2020</p><p>b</p>", [100, 0, 1]),
    *(
        (f"heading_says_{group}", SAID.format(phrases.partition("|")[0]), [0, 1, 1, 0, 0])
        for group, phrases in PHRASES.items()
    ),
]


@pytest.mark.parametrize(("name", "html", "expected"), CASES)
def test_columns(name: str, html: str, expected: list[float]) -> None:
    assert column(name, html) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p><a>a</a></p><p><a>b</a></p><p>c</p>", [2, 2, 0]),
        ("<p>a</p><p><a>b</a></p>", [0, 1]),
        ("<p>a</p>" + "<p><a>b</a></p>" * 150 + "<p>c</p>", [0] + [150] * 150 + [0]),
    ],
)
def test_link_runs_at_the_ends_of_the_page_and_long_ones(html: str, expected: list[float]) -> None:
    assert column("link_run", html) == expected
