"""Tests of `systems/coherent.py`.

What a coherent text carries, and that together they are the page.
"""

from __future__ import annotations

import re

import pytest

from crfclean.page.blocks import split
from crfclean.systems.coherent import (
    METHODS,
    EnergyParams,
    LinkParams,
    SegmentParams,
    segments,
)
from crfclean.systems.crf import CrfTagger
from crfclean.teach.gold import GoldPage
from crfclean.types import Label, Page

HTML = """<ul><li><a href=1>Home</a></li><li><a href=2>News</a></li></ul>
<div><h1>Ferry</h1><p>One <b>two</b></p><p>three <a href=3>four</a></p></div>"""


def solid(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("method", METHODS)
def test_segments_are_the_page(method: str, demo_gold: list[GoldPage]) -> None:
    for gold in demo_gold[::3]:
        blocks = split(gold.page)
        found = segments(gold.page, method)
        lines: dict[int, str] = {}
        for one in found:
            for block, line in zip(one.blocks, one.text.split("\n"), strict=True):
                lines[block] = lines.get(block, "") + solid(line)
        assert [lines[block] for block in sorted(lines)] == list(map(solid, blocks.texts)), gold.id
        assert sum(one.size for one in found) == len(solid("".join(blocks.texts)))
        paths = [one.xpath for one in found]
        assert len(set(paths)) == len(paths)
        nested = [part for whole in paths for part in found if part.xpath.startswith(whole + "/")]
        dated = [part for part in nested if re.search(r"\d\.\d|\d{4}", part.text)]
        assert not nested or method == "links"
        assert all(part in dated or part.link_share >= 0.5 for part in nested)


def comments(*lines: str) -> str:
    return "".join(f"<div class='comment c{at}'>{line}</div>" for at, line in enumerate(lines))


SAYS = "<p>ann, 3 May 2021</p><p>The ferry has not left its harbour for three weeks.</p>"


@pytest.mark.parametrize(
    ("records", "apart"),
    [
        (comments(SAYS, SAYS, "<p>ben, 4 May 2021</p><p>Me too</p>"), 3),
        (comments(SAYS, SAYS + comments(SAYS, SAYS)), 4),  # answers inside what they answer
        (comments(SAYS), 0),
        (comments(SAYS, SAYS).replace("3 May 2021", "says"), 0),
        (comments(SAYS, SAYS, SAYS.replace("3 May 2021", "")), 0),  # most have a date, not all
        (f"<div class=a>{SAYS}</div><div class=b>{SAYS}</div>", 0),
        (f"<blockquote>{SAYS}</blockquote>" * 2, 0),
        (comments("On 3 May 2021 the ferry lay in its harbour for three weeks.") * 2, 0),
    ],
)
def test_dated_records_are_apart(records: str, apart: int) -> None:
    words = "<p>The lake froze over in January and the ferry stayed in its harbour.</p>" * 2
    html = f"<div id=all>{words}{records}<p>Write to us</p></div>"
    whole, *others = segments(html)
    assert len(others) == apart
    assert whole.text.endswith("Write to us")
    size = len(solid("".join(split(Page(html)).texts)))
    assert sum(one.size for one in [whole, *others]) == size
    without = SegmentParams(links=LinkParams(frame_texts=0))
    assert not any("/div[1]/div" in one.xpath for one in segments(html, params=without))


def teaser(at: int, summary: str = "The ferry has not left its harbour.") -> str:
    """A card with a link to its section, one to its own page, and a summary outside links."""
    section = '<p><a href="/ferries">Ferries</a></p>'
    return f'{section}<p><a href="/{at}">The lake froze over, part {at}</a></p><p>{summary}</p>'


def menu(at: int) -> str:
    return "".join(f'<p><a href="/{at}/{item}">Harbour {at}, {item}</a></p>' for item in range(4))


@pytest.mark.parametrize(
    ("cards", "whole"),
    [
        ([teaser(at) for at in range(3)], 3),
        ([teaser(at) for at in range(2)], 0),  # two links beside each other are no listing
        ([teaser(1) for at in range(3)], 0),  # one address for all
        ([teaser(at).replace('"/', '"#') for at in range(3)], 0),  # links inside the page
        ([teaser(at, "A long word. " * 60) for at in range(3)], 0),  # sections of a text
        ([menu(at) + "<p>All harbours</p>" for at in range(3)], 0),
    ],
)
def test_cards_are_whole(cards: list[str], whole: int) -> None:
    html = "".join(f"<div class='card n{at}'>{card}</div>" for at, card in enumerate(cards))
    texts = segments(f"<main>{html}</main>")
    assert sum(one.link_share > 0 and "\n" in one.text for one in texts) == whole


def test_cards_inside_a_longer_text_are_apart() -> None:
    sentence = "The lake froze over in January and the ferry stayed in its harbour. "
    words = f"<p>{sentence * 3}</p>" * 20
    cards = "".join(f"<div>{teaser(at)}</div>" for at in range(3))
    whole, *others = segments(f"<article>{words}{cards}</article>")
    assert [one.text.count("part") for one in others] == [1, 1, 1]
    assert "part" not in whole.text
    sections = "".join(f"<div>{teaser(at, sentence * 3)}</div>" for at in range(3))
    assert len(segments(f"<article>{words}{sections}</article>")) == 1


def test_a_segment_by_hand() -> None:
    params = SegmentParams(energy=EnergyParams(dissipation=2.0))  # k = 5: q = 0.4
    *_, article = segments(HTML, "links", params)
    assert article.xpath == "/html[1]/body[1]/div[1]"
    assert article.text == "Ferry\nOne two\nthree four"
    assert article.blocks == (2, 3, 4)
    assert article.size == 20
    assert article.energy == pytest.approx(
        0.4 * (0.4 * 5 + 0.4 * (3 + 0.4 * 3) + 0.4 * (5 + 0.4 * 4))
    )
    assert article.link_share == 4 / 20
    assert article.labels == ()


def test_block_in_two_segments() -> None:
    html = "<ul>" + "<li>by <a href=1>one</a> to <a href=2>two</a></li></ul>"
    found = segments(html, "links")
    assert [(one.text, one.blocks) for one in found] == [
        ("by", (0,)),
        ("one", (0,)),
        ("to", (0,)),
        ("two", (0,)),
    ]


def test_labels_come_from_a_tagger(tagger: CrfTagger, demo_gold: list[GoldPage]) -> None:
    page = demo_gold[0].page
    labels = tagger.tag(split(page)).labels
    for one in segments(page, tagger=tagger):
        assert one.labels == tuple(Label(labels[block]) for block in one.blocks)
    assert all(one.labels == () for one in segments(page))
