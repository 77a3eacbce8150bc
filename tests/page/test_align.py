"""Tests of `page/align.py`: which blocks of a page a text holds."""

from __future__ import annotations

import pytest

from crfclean.page import align as align_module
from crfclean.page.align import align, tokens
from crfclean.page.blocks import split
from crfclean.types import Page

LETTERS = "HTO"  # HEADER, TEXT, OTHER
LEAD = "The bridge over the river was opened to all traffic on Monday."
SECOND = "Two years of work had cost the town more than nine million crowns."
THIRD = "Fishermen say that the trout have already come back to the pool."
ARTICLE = f"<h1>Bridge opens at last</h1><p>{LEAD}</p><p>{SECOND}</p><p>{THIRD}</p>"
MENU = "<div><a>Home</a> <a>News</a> <a>Sport</a></div>"
HAN = "春天来了，河水涨了起来，渔夫们都很高兴。"
HAN_2 = "昨天晚上城里的人们在桥上看烟火。"
THAI = "สะพานเปิดให้รถวิ่งแล้ว"


def labels_of(html: str, text: str) -> str:
    """One letter a block: the alignment's labels of a page."""
    return "".join(LETTERS[label] for label in align(split(Page(html)), text))


def lines(*parts: str) -> str:
    return "\n".join(parts)


ALIGNMENTS = {
    "line for line": (ARTICLE, lines("Bridge opens at last", LEAD, SECOND, THIRD), "HTTT"),
    "menu left out": (MENU + ARTICLE, lines("Bridge opens at last", LEAD, SECOND, THIRD), "OHTTT"),
    "one paragraph left out": (ARTICLE, lines("Bridge opens at last", LEAD, THIRD), "HTOT"),
    "heading left out": (ARTICLE, lines(LEAD, SECOND, THIRD), "OTTT"),
    "re-flowed lines": (ARTICLE, lines(LEAD, SECOND).replace(" ", "\n"), "OTTO"),
    "paragraphs joined": (ARTICLE, f"{LEAD} {SECOND} {THIRD}", "OTTT"),
    "words glued to marks": (ARTICLE, LEAD.replace(" on", ",on") + SECOND, "OTTO"),
    "case ignored": (ARTICLE, lines(LEAD.upper(), SECOND.title()), "OTTO"),
    "dashes before items": (
        "<ul><li>bread and butter</li><li>milk</li></ul><p>Advertisement</p>",
        lines("- bread and butter", "- milk"),
        "TTO",
    ),
    "numbers before items": (
        "<ol><li>wash the rice</li><li>boil it</li><li>eat</li></ol><p>Print this page</p>",
        lines("1. wash the rice", "2. boil it", "3. eat"),
        "TTTO",
    ),
    "curly quotes": (
        "<p>“We’ve waited,” she said, “for ‘ages’ – truly.”</p><p>Share</p>",
        '"We\'ve waited," she said, "for \'ages\' - truly."',
        "TO",
    ),
    "no-break spaces": ("<p>12&nbsp;500 people came to&#160;town</p>", "12 500 people came", "T"),
    "moved paragraph": (ARTICLE, lines("Bridge opens at last", SECOND, THIRD, LEAD), "HTTT"),
    "teaser after the article": (ARTICLE + MENU + f"<p>{LEAD}</p>", lines(LEAD, SECOND), "OTTOOO"),
    "text twice in the gold": (f"<p>{LEAD}</p><hr><p>{LEAD}</p>", lines(LEAD, LEAD), "TT"),
    "short block in the gold": ("<p>Yes.</p><p>No.</p>", "Yes.", "TO"),
    "short word inside a block": (f"<p>{LEAD}</p>", "river", "O"),
    "scattered words": (
        "<p>News of the day in the town</p>",
        "some of these and the others in all but the rest",
        "O",
    ),
    "less than half matched": (f"<p>{LEAD}</p>", "The bridge over the river", "O"),
    "more than half matched": (f"<p>{LEAD}</p>", "The bridge over the river was opened", "T"),
    "no gold": (ARTICLE, "", "OOOO"),
    "gold of marks alone": (ARTICLE, "* * * – …", "OOOO"),
    "gold longer than the page": (f"<p>{LEAD}</p>", lines(THIRD, LEAD, SECOND, SECOND), "T"),
    "gold of another page": (f"<p>{LEAD}</p>", "Wholly unrelated prose about ducks", "O"),
    "block of marks alone": (
        f"<p>{LEAD}</p><p>* * *</p><p>{SECOND}</p>",
        lines(LEAD, SECOND),
        "TOT",
    ),
    "Chinese": (f"<h2>春天</h2><p>{HAN}</p><p>{HAN_2}</p>", lines("春天", HAN), "HTO"),
    "Chinese across line breaks": (f"<p>{HAN}</p><p>首页</p>", lines(HAN[:9], HAN[9:]), "TO"),
    "Thai": (f"<p>{THAI}</p><p>หน้าแรก</p>", THAI, "TO"),
    "Russian": ("<p>Мост открыт для движения.</p><p>Погода</p>", "МОСТ ОТКРЫТ для движения", "TO"),
    "each level of heading": (
        "".join(f"<h{level}>Part number {level}</h{level}>" for level in range(1, 7)),
        lines(*(f"Part number {level}" for level in range(1, 7))),
        "HHHHHH",
    ),
    "div inside a heading": (
        f"<h2><div>Bridge opens</div></h2><p>{LEAD}</p>",
        "Bridge opens",
        "HO",
    ),
    "link inside a heading": ("<h3><a href='/x'>Bridge <b>opens</b></a></h3>", "Bridge opens", "H"),
    "bold is no heading": ("<p><b>Bridge opens now</b></p>", "Bridge opens now", "T"),
    "page without blocks": ("<p></p>", LEAD, ""),
}


@pytest.mark.parametrize(("html", "text", "labels"), ALIGNMENTS.values(), ids=ALIGNMENTS)
def test_alignment(html: str, text: str, labels: str) -> None:
    assert labels_of(html, text) == labels


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_repeated_teaser_is_not_paid_twice(*, before: bool) -> None:
    teaser = f"<div><p>{LEAD}</p></div>"
    html = teaser + MENU + ARTICLE if before else ARTICLE + MENU + teaser
    assert labels_of(html, lines(LEAD, SECOND, THIRD)).count("T") == 3


@pytest.mark.parametrize(("claimed", "labels"), [(0, "TT"), (2, "TT"), (3, "TO"), (10, "TO")])
def test_moved_block_needs_four_fifths_of_its_words_unclaimed(claimed: int, labels: str) -> None:
    moved = [f"moved{number}" for number in range(10)]
    kept = [f"kept{number}" for number in range(12)]
    html = f"<p>{' '.join(kept + moved[:claimed])}</p><p>{' '.join(moved)}</p>"
    assert labels_of(html, lines(" ".join(moved), " ".join(kept))) == labels


SMALL_MATRIX = {
    "line for line": (ARTICLE, lines("Bridge opens at last", LEAD, SECOND, THIRD), "HTTT"),
    "menu left out": (MENU + ARTICLE, lines("Bridge opens at last", LEAD, SECOND), "OHTTO"),
    "moved": (ARTICLE, lines(THIRD, SECOND, LEAD), "OTTT"),
    "repeat unpaid": (ARTICLE + f"<p>{LEAD}</p>", lines(LEAD, SECOND), "OTTOO"),
    "other words": (f"<p>{LEAD}</p>", "Wholly unrelated prose about ducks", "O"),
    "Chinese": (f"<p>{HAN}</p><p>{HAN_2}</p>", HAN, "TO"),
}


@pytest.mark.parametrize(("html", "text", "labels"), SMALL_MATRIX.values(), ids=SMALL_MATRIX)
def test_pages_too_large_for_the_matrix_are_matched_by_ngrams(
    monkeypatch: pytest.MonkeyPatch, html: str, text: str, labels: str
) -> None:
    monkeypatch.setattr(align_module, "MAX_CELLS", 1)
    assert labels_of(html, text) == labels


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The CAT sat.", ["the", "cat", "sat"]),
        ("3,5 km!", ["3", "5", "km"]),
        ("中文abc字", ["中", "文", "abc", "字"]),
        ("ひカ", ["ひ", "カ"]),
        ("snake_case", ["snake_case"]),
        ("– … “”", []),
        ("", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected
