"""Tests of `teach/tune.py`: pages of an old and of a new layout."""

from __future__ import annotations

import pytest

from crfclean import Page
from crfclean.systems.load import load
from crfclean.teach.gold import GoldPage
from crfclean.teach.tune import layouts_of
from crfclean.teach.tuning import tune_tagger

OLD, NOTE = "div#main div.story", "div#main"
NEW, THIRD = "main.content article.entry", "div#list"
NEWS, SPORT = "article.post.news", "article.post.sport"


@pytest.mark.parametrize(
    ("places", "others", "said"),
    [
        ([OLD] * 4 + [NEW] * 2, {4, 5}, "commonest one, on 4 pages, and not from p4, p5"),
        ([OLD] * 4 + [NEW] * 2 + [THIRD], {4, 5, 6}, "on 4 pages, and not from p4, p5, p6"),
        ([OLD] * 9 + [NEW] * 4, {9, 10, 11, 12}, "not from p9, p10, p11 and 1 more"),
        ([OLD] * 2 + [NEW] * 2, set(), "none of them on most pages: learned from all"),
        ([OLD] * 4 + [NEW], set(), ""),  # one page is no layout
        ([OLD] * 3 + [NOTE] * 3, set(), ""),  # within the other
        ([NEWS] * 3 + [SPORT] * 2, set(), ""),  # categories of one layout
        ([""] * 3 + [""] * 2, set(), ""),  # without names
    ],
)
def test_layouts_of_a_site(places: list[str], others: set[int], said: str) -> None:
    pages = [{f"{place} p".lstrip(): 100.0, "div#foot p": 20.0} for place in places]
    names = [f"p{number}" for number in range(len(places))]
    layouts = layouts_of(["s"] * len(places), pages, names)
    assert layouts.others == others
    assert (said in "".join(layouts.lines)) if said else layouts.lines == ()


def gold(number: int, *, is_new: bool) -> GoldPage:
    """A page with a note that is no text; the new layout has other names, and states an address."""
    words = [f"river{number * 31 + word}" for word in range(240)]
    lines = [" ".join(words[start : start + 40]).capitalize() + "." for start in range(0, 200, 40)]
    text, note = "".join(f"<p>{line}</p>" for line in lines), f"<p>{' '.join(words[200:])}.</p>"
    html = f"<body><div id=main class=story>{text}<div class=note>{note}</div></div>"
    if is_new:
        head = "<head><link rel=canonical href=https://new.example/1></head>"
        html = f"{head}<body><main class=new><section class=body>{text}<aside>{note}</aside>"
    return GoldPage(f"p{number}", Page(html), "\n".join(lines), "hafen", "hafen")


def test_tune_learns_from_the_commonest_layout() -> None:
    pages = [gold(number, is_new=number > 3) for number in range(6)]
    tuned = tune_tagger(pages, load())
    assert tuned.understood[0].startswith("hafen has several layouts: ")
    assert (tuned.settings.pages, tuned.others, tuned.left_out) == (4, 2, 0)
    assert tuned.understood[1:] == tune_tagger(pages[:4], load()).understood
