"""Tests of `forum/records.py`: which fields mean the same, and what follows for labels."""

from __future__ import annotations

import numpy as np

from crfclean.page.blocks import split
from crfclean.products.forum.choose import LabelledGroup, corrected_by_template
from crfclean.products.forum.fields import COMM, DATES, NICK, NORM, ForumFields, fields
from crfclean.products.forum.outline import outline
from crfclean.products.forum.picking import in_most_records, pick
from crfclean.products.forum.records import records
from crfclean.types import Floats, Page

WORDS = ("Nothing but tea since Monday.", "Coffee in the morning.", "Water, thank you.")


def page_fields(*heads: str, group: str = "div.body") -> ForumFields:
    """Fields of a thread, of posts given by the HTML above their words."""
    parts = zip(heads, WORDS, strict=False)
    posts = (
        f'<div class="post">{head}<div class="body">{text}</div></div>' for head, text in parts
    )
    html = f"<html><title>Tea or coffee</title><body><h1>Tea or coffee</h1>{''.join(posts)}"
    page = outline(split(Page(html)))
    return fields(records(page, np.array(page.groups[group])))


def texts_of(found: ForumFields) -> list[str]:
    return [found.records.page.page.table.run_texts[run].strip() for run in found.runs.tolist()]


def likely(found: ForumFields, labels: dict[str, int], probability: float = 0.7) -> LabelledGroup:
    """The fields with a probable label each, by their texts; NORM where nothing is said."""
    rows = np.full((len(found), 4), (1 - probability) / 3)
    for field, text in enumerate(texts_of(found)):
        rows[field, labels.get(text, COMM if text in WORDS else NORM)] = probability
    return LabelledGroup("div.body", found, rows, 0.0)


def picked(group: LabelledGroup, label: int, authors: tuple[str, ...] = ()) -> list[str]:
    places = pick(group, corrected_by_template([group])[0], label, authors)
    return ["" if place < 0 else texts_of(group.fields)[place] for place in places]


def argmax(rows: Floats, found: ForumFields, text: str) -> int:
    return int(rows[texts_of(found).index(text)].argmax())


def test_two_text_nodes_of_one_element() -> None:
    """`ann <br> 5 May 2020`: a name and a date, though their element is one."""
    found = page_fields(*(f"<p>{name}<br>5 May 202{at}</p>" for at, name in enumerate("xyz")))
    name, date = found.addresses[:2]
    assert date == f"{name}/text()[2]"
    assert found.addresses.count(name) == found.addresses.count(date) == 3
    labels = {"x": NICK, "y": NICK, "z": NICK} | {f"5 May 202{at}": DATES for at in range(3)}
    corrected = corrected_by_template([likely(found, labels)])[0]
    assert argmax(corrected, found, "y") == NICK
    assert argmax(corrected, found, "5 May 2021") == DATES


def test_dates_of_quoted_posts_are_no_dates_of_posts() -> None:
    """The second post shows no date but that of the post it quotes."""
    body = (
        '<div class="body">{}<blockquote><div>4 June 2020</div> So it is.</blockquote> Yes.</div>'
    )
    posts = ('<p class="date">5 June 2020</p>' + body.format("Well."), body.format("Oh."))
    page = outline(split(Page("".join(f"<div class=post>{post}</div>" for post in posts))))
    found = fields(records(page, np.array(page.groups["div.body"])))
    labels = dict.fromkeys(["4 June 2020", "5 June 2020"], DATES)
    assert picked(likely(found, labels, 0.9), DATES) == ["5 June 2020", ""]


def test_the_same_text_in_three_records_says_little() -> None:
    """In four it is a label of the page; three friends may bear one name."""
    rows = {count: ["<b>ann</b>"] * count for count in (3, 4)}
    words = tuple(f"{text} {at}" for at, text in enumerate((*WORDS, WORDS[0])))
    common = {}
    for count, heads in rows.items():
        parts = zip(heads, words, strict=False)
        posts = (f'<div class="post">{a}<div class="body">{b}</div></div>' for a, b in parts)
        page = outline(split(Page(f"<body><h1>Tea</h1>{''.join(posts)}")))
        post_fields = fields(records(page, np.array(page.groups["div.body"])))
        most = np.full(len(post_fields), 0.5)
        common[count] = {
            text
            for text, mark in zip(
                texts_of(post_fields), in_most_records(post_fields, most), strict=True
            )
            if mark
        }
    assert common == {3: set(), 4: {"ann"}}
