"""Tests of the columns of `native/columns.c`."""

from __future__ import annotations

import pytest
from htmlpages import column, measures_of

from crfclean.core.table import Table
from crfclean.model.columns import single_rows

MIN_SIBLINGS = 3  # of one kind under one parent make a list


RUNNING = "<p>" + "word " * 20 + "</p>"
CARD = "<h3><a>word</a></h3><p>word word word</p>"
CARDS = f"<ul><li>{CARD}</li><li>{CARD}</li><li>{CARD}</li></ul>{RUNNING}"  # 32 words
MARKED = f"<ul><li class=x>{CARD}</li><li>{CARD}</li><li>{CARD}</li></ul>{RUNNING}"
LISTS = "<div><ul><li>a</li><li>b b</li></ul></div><section><ul><li>c</li><li>d</li></ul></section>"
ITEMS = "<ul><li>a</li><li>a a</li><li>a a <a>a</a></li></ul>b b"  # 8 words
SPREAD = (2 / 3) ** 0.5 / 2  # of 1, 2 and 3 words, by their mean

CASES = [
    # blocks with the same path
    ("path_count", CARDS, [3, 3, 3, 3, 3, 3, 1]),
    ("path_words", CARDS, [3 / 32, 9 / 32] * 3 + [20 / 32]),
    ("path_mean", CARDS, [1, 3] * 3 + [20]),
    ("path_links", CARDS, [1, 0] * 3 + [0]),
    ("path_running", CARDS, [0, 0] * 3 + [1]),
    ("path_count", MARKED, [1, 1, 2, 2, 2, 2, 1]),
    ("path_words", MARKED, [1 / 32, 3 / 32] + [2 / 32, 6 / 32] * 2 + [20 / 32]),
    ("path_count", LISTS, [2, 2, 2, 2]),
    ("path_mean", LISTS, [1.5, 1.5, 1, 1]),
    # of the same tags alone
    ("tag_path_count", MARKED, [3, 3, 3, 3, 3, 3, 1]),
    ("tag_path_count", "<p>a</p><p>b</p><div><p>c</p></div><div><p>d</p></div>", [2, 2, 2, 2]),
    ("tag_path_words", MARKED, [3 / 32, 9 / 32] * 3 + [20 / 32]),
    ("tag_path_mean", MARKED, [1, 3] * 3 + [20]),
    ("tag_path_links", MARKED, [1, 0] * 3 + [0]),
    ("tag_path_running", MARKED, [0, 0] * 3 + [1]),
    ("tag_path_count", "<ul><li>a</li></ul><ol><li>b</li></ol>", [1, 1]),
    # in like containers, anywhere
    ("parent_count", LISTS, [4, 4, 4, 4]),
    ("parent_words", LISTS, [1, 1, 1, 1]),
    ("parent_mean", LISTS, [1.25] * 4),
    ("parent_count", MARKED, [1, 1, 2, 2, 2, 2, 1]),
    ("parent_links", MARKED, [1, 0] * 3 + [0]),
    ("parent_running", MARKED, [0, 0] * 3 + [1]),
    # the nearest repeated element
    ("cell_count", ITEMS, [3, 3, 3, 0]),
    ("cell_words", ITEMS, [6 / 8] * 3 + [0]),
    ("cell_mean", ITEMS, [2, 2, 2, 0]),
    ("cell_links", ITEMS, [1 / 6] * 3 + [0]),
    ("cell_running", ITEMS, [0] * 4),
    ("cell_running", f"<div>{RUNNING}<p>a</p>{RUNNING}</div>", [40 / 41] * 3),
    ("cell_blocks", ITEMS, [1, 1, 1, 0]),
    ("cell_blocks", CARDS, [2] * 6 + [0]),
    ("cell_spread", ITEMS, [SPREAD] * 3 + [0]),
    ("cell_spread", CARDS, [0] * 7),
    ("cell_place_in", CARDS, [0, 0.5] * 3 + [0]),
    ("cell_place_in", ITEMS, [0] * 4),
    # and of two blocks or more
    ("card_count", ITEMS, [0] * 4),
    ("card_count", CARDS, [3] * 6 + [0]),
    ("card_words", CARDS, [12 / 32] * 6 + [0]),
    ("card_mean", CARDS, [4] * 6 + [0]),
    ("card_links", CARDS, [3 / 12] * 6 + [0]),
    ("card_running", CARDS, [0] * 7),
    ("card_running", f"<div>{CARD}{RUNNING}</div>" * 3, [20 / 24] * 9),
    ("card_blocks", CARDS, [2] * 6 + [0]),
    ("card_spread", f"<li>{CARD}</li><li>{CARD}</li><li><p>a</p><p>b</p></li>", [0.28284271] * 6),
    ("card_place_in", CARDS, [0, 0.5] * 3 + [0]),
]


@pytest.mark.parametrize(("name", "html", "expected"), CASES)
def test_columns(name: str, html: str, expected: list[float]) -> None:
    assert column(name, html) == pytest.approx(expected)


@pytest.mark.parametrize("count", [1, MIN_SIBLINGS - 1, MIN_SIBLINGS, MIN_SIBLINGS + 1])
def test_few_siblings_make_no_list(count: int) -> None:
    listed = count if count >= MIN_SIBLINGS else 0
    assert column("cell_count", "<p>a</p>" * count) == [listed] * count


def test_the_nearest_list_counts_and_the_widest_card() -> None:
    html = "<div>" + "<ul><li>a</li><li>b</li><li>c</li></ul>" * 4 + "</div>"
    assert column("cell_count", html) == [3] * 12
    assert column("card_count", html) == [4] * 12


# Keys


def columns_of(html: str) -> Table:
    page = measures_of(html)
    single_rows(page)
    return page.table


def test_keys_of_cards() -> None:
    keys = columns_of(CARDS).card_keys.tolist()
    assert keys[6] == -1
    assert len(set(keys[:6])) == 1
    assert keys[0] >= 0
    two = columns_of(f"<div>{CARDS}</div><div>{CARDS}</div>").card_keys.tolist()
    assert len({*two}) == 3
    assert two[0] != two[7]
