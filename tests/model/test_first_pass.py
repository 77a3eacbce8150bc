"""Tests of `model/columns.py`.

Every column by hand on a page of five blocks, and odd pages.
"""

from __future__ import annotations

import numpy as np
import pytest

from crfclean.core.labels import LEVELS, REACHES
from crfclean.model.first_pass import FIRST_PASS_NAMES, Frame, first_pass_columns, frame
from crfclean.page.blocks import split
from crfclean.types import Page

FAR_BLOCKS = 100.0  # the largest distance that is counted

# Five blocks: a heading of 2 words, paragraphs of 10 and 30, a rule of marks, a footer of 8.
KEPT = [0.1, 0.9, 0.8, 0.5, 0.0]
HEADING = [0.05, 0.0, 0.2, 0.5, 0.0]
WORDS = [2.0, 10.0, 30.0, 0.0, 8.0]
SPANS = [
    [[0, 2], [0, 2], [2, 4], [2, 4], [4, 5]],
    [[0, 4], [0, 4], [0, 4], [0, 4], [4, 5]],
    [[0, 5]] * 5,
    [[0, 5]] * 5,
]
KEYS = [[0, 1, 1, 2, 0], [0, 1, 2, 3, 4], [-1, 0, 0, -1, -1]]


def page(words: list[float], spans: object = None, keys: object = None) -> Frame:
    """A frame, by default of blocks in one element, unlike each other."""
    count = len(words)
    around = [[[0, count]] * count] * LEVELS
    alone = [list(range(count)), list(range(count)), [-1] * count]
    return Frame(
        np.array(words, np.float64),
        np.array(around if spans is None else spans, np.int64).ravel(),
        *np.array(alone if keys is None else keys, np.int64).reshape(3, count),
    )


def given_by(kept: list[float], heading: list[float] | None = None) -> np.ndarray:
    """Probabilities (n, 3) of blocks that are kept so surely, and are headings so surely."""
    title = np.zeros(len(kept)) if heading is None else np.array(heading)
    return np.column_stack([title, np.array(kept) - title, 1.0 - np.array(kept)])


def by_name(found: np.ndarray) -> dict[str, list[float]]:
    return dict(zip(FIRST_PASS_NAMES, found.T.tolist(), strict=True))


FIVE = by_name(first_pass_columns(page(WORDS, SPANS, KEYS), given_by(KEPT, HEADING)))


def odds(probability: float) -> float:
    """Log-odds in -1..1: 1 is 9999 to 1."""
    safe = min(max(probability, 1e-4), 1 - 1e-4)
    return float(np.log(safe / (1 - safe)) / np.log(9999))


ODDS = [odds(one) for one in KEPT]
BY_HAND = {
    "pass[-2]": [-1, -1, *ODDS[:3]],
    "pass[-1]": [-1, *ODDS[:4]],
    "pass": ODDS,
    "pass[+1]": [*ODDS[1:], -1],
    "pass[+2]": [*ODDS[2:], -1, -1],
    "pass_heading": [0.5, 0.0, 0.25, 1.0, 0.0],
    "pass_up1": [9.2 / 12, 9.2 / 12, 24 / 30, 24 / 30, 0],
    "pass_up1_share": [9.2 / 33.2, 9.2 / 33.2, 24 / 33.2, 24 / 33.2, 0],
    "pass_up2": [33.2 / 42] * 4 + [0],
    "pass_up2_share": [1.0] * 4 + [0],
    "pass_up3": [33.2 / 50] * 5,
    "pass_up3_share": [1.0] * 5,
    "pass_up4": [33.2 / 50] * 5,
    "pass_up4_share": [1.0] * 5,
    "pass_path": [0.2 / 10, 33 / 40, 33 / 40, 0, 0.2 / 10],
    "pass_path_share": [0.2 / 33.2, 33 / 33.2, 33 / 33.2, 0, 0.2 / 33.2],
    "pass_parent": [0.1, 0.9, 0.8, 0, 0],
    "pass_parent_share": [0.2 / 33.2, 9 / 33.2, 24 / 33.2, 0, 0],
    "pass_card": [-0.5, 33 / 40, 33 / 40, -0.5, -0.5],
    "pass_card_share": [0, 33 / 33.2, 33 / 33.2, 0, 0],
    "pass_around3": [33.2 / 42, 33.2 / 50, 33.2 / 50, 33.2 / 50, 33 / 48],
    "pass_around8": [33.2 / 50] * 5,
    "pass_around20": [33.2 / 50] * 5,
    "pass_before": [0, 0.2 / 33.2, 9.2 / 33.2, 1, 1],
    "pass_left": [33 / 33.2, 24 / 33.2, 0, 0, 0],
    "pass_since": [100, 0, 1, 2, 3],  # 0.8 is not sure, 0.9 of ten words is
    "pass_until": [1, 0, 100, 100, 100],
    "pass_page": [33.2 / 50] * 5,
    "pass_page_blocks": [2 / 5] * 5,  # exactly 0.5 is no half
    "pass_doubt": [(0.1 * 2 + 0.1 * 10 + 0.2 * 30) / 50] * 5,
    "pass_peak": [0.2 / 24, 9 / 24, 1, 0, 0],
}


@pytest.mark.parametrize("name", FIRST_PASS_NAMES)
def test_columns_by_hand(name: str) -> None:
    assert FIVE[name] == pytest.approx(BY_HAND[name])


# odd pages


def test_page_without_words() -> None:
    with np.errstate(all="raise"):
        found = first_pass_columns(page([0.0, 0.0, 0.0]), given_by([0.9, 0.5, 0.1]))
    assert np.isfinite(found).all()
    named = by_name(found)
    without = [
        name
        for name in FIRST_PASS_NAMES
        if name.startswith(("pass_up", "pass_around", "pass_path"))
    ]
    for name in [*without, "pass_page", "pass_doubt", "pass_peak", "pass_before", "pass_left"]:
        assert named[name] == [0.0] * 3, name
    assert named["pass_since"] == [FAR_BLOCKS] * 3, "a block without words is not sure"
    assert named["pass_page_blocks"] == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize(("kept", "log_odds"), [(0.0, -1.0), (1.0, 1.0)])
def test_certain_probabilities(kept: float, log_odds: float) -> None:
    with np.errstate(all="raise"):
        named = by_name(first_pass_columns(page([20.0] * 4), given_by([kept] * 4)))
    assert named["pass"] == pytest.approx([log_odds] * 4)
    assert named["pass_page"] == named["pass_page_blocks"] == [kept] * 4
    assert named["pass_doubt"] == [0.0] * 4
    assert named["pass_heading"] == [0.0] * 4


def test_sure_blocks_need_words_and_certainty() -> None:
    words, kept = [9.0, 10.0, 10.0, 10.0, 9.0], [1.0, 0.8, 0.81, 0.2, 1.0]
    named = by_name(first_pass_columns(page(words), given_by(kept)))
    assert named["pass_since"] == [100, 100, 0, 1, 2]
    assert named["pass_until"] == [2, 1, 0, 100, 100]


@pytest.mark.parametrize("reach", REACHES)
def test_means_over_the_neighbourhood(reach: int) -> None:
    random = np.random.default_rng(reach)
    words, kept = random.integers(0, 20, 60).astype(float), random.random(60)
    named = by_name(first_pass_columns(page(words.tolist()), given_by(kept.tolist())))
    for place, found in enumerate(named[f"pass_around{reach}"]):
        near = slice(max(0, place - reach), place + reach + 1)
        assert found == pytest.approx((words[near] * kept[near]).sum() / words[near].sum())


# frames of pages


def test_frame_of_a_page() -> None:
    html = (
        "<h1>Some title</h1><div class='story'><p>One two three.</p><p>Four five.</p></div>"
        "<footer>Six</footer>"
    )
    made = frame(split(Page(html)))
    assert made.words.tolist() == [2, 3, 2, 1]
    spans = made.spans.reshape(LEVELS, 4, 2)
    assert spans[0].tolist() == [[0, 4], [1, 3], [1, 3], [0, 4]]
    assert spans[1].tolist() == [[0, 4]] * 4
    for key in (made.path_keys.tolist(), made.parent_keys.tolist()):
        assert key[1] == key[2]
        assert len(set(key)) == 3
    assert made.card_keys.tolist() == [-1] * 4


def test_blocks_of_cards_are_alike() -> None:
    cards = "<div class='card'><b>Title</b><p>Text</p></div>" * 3
    made = frame(split(Page(f"<h1>List</h1><section>{cards}</section>")))
    first, *cards_keys = made.card_keys.tolist()
    assert first == -1
    assert len(set(cards_keys)) == 1 <= cards_keys[0] + 1
