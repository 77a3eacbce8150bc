"""Tests of `forum/choose.py`: the inner one of two groups that are level."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crfclean.forum.bodies import body_groups
from crfclean.forum.choose import LabelledGroup, _inner_first, label_group
from crfclean.forum.model import ForumModel
from crfclean.forum.outline import outline
from crfclean.page.blocks import split
from crfclean.types import Page

POSTS = ("The pump ran dry in May and nobody noticed.", "Mine did so twice, in the first year.")


def groups_of(below: str, model: ForumModel) -> dict[str, LabelledGroup]:
    """The groups of cells and of the words in them, with equal scores; `below` each post."""
    rows = "".join(
        f"<tr><td class=head>ann{n} 5 May 2020</td></tr><tr><td class=cell><div class=words>{text}"
        f"</div><p>{below}</p></td></tr>"
        for n, text in enumerate(POSTS)
    )
    page = outline(split(Page(f"<table>{rows}</table>")))
    return {
        group.name: LabelledGroup(group.name, *label_group(page, group, model), 3.0)
        for group in body_groups(page)
        if group.name in ("td.cell", "div.words")
    }


@pytest.mark.parametrize(
    ("below", "behind", "first"),
    [
        ("36 Likes 8 Shares", 0.0, "div.words"),
        ("36 Likes 8 Shares", 0.4, "div.words"),
        ("36 Likes 8 Shares", 0.6, "td.cell"),
        ("and then, when the rain came at last, it was too late for the beans", 0.0, "td.cell"),
    ],
)
def test_of_level_groups_the_inner_one(
    forum_model: ForumModel, below: str, behind: float, first: str
) -> None:
    groups = groups_of(below, forum_model)
    inner = replace(groups["div.words"], score=3.0 - behind)
    names = [group.name for group in _inner_first([groups["td.cell"], inner])]
    assert names[0] == first
    assert sorted(names) == ["div.words", "td.cell"]
