"""Elements beside the posts that share their names: a community's description in a sidebar."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from crfclean.forum.clues import words_of
from crfclean.lexicon.markup import SIDEBAR_WORDS
from crfclean.types import Bools, Nodes

_SIDEBARS = frozenset(SIDEBAR_WORDS.split())
_MOST = 0.5  # share of a group up to which it is left out: themes wrap whole pages in sidebars


def beside(nodes: Nodes) -> Bools:
    """Whether each element is, or is inside, an aside by its tag, role, class or id; shape (m,)."""
    starts = [
        node
        for node, (tag, attributes) in enumerate(zip(nodes.tags, nodes.attributes, strict=True))
        if _is_aside(tag, attributes)
    ]
    count = len(nodes) + 1
    depth = np.bincount(starts, minlength=count) - np.bincount(nodes.end[starts], minlength=count)
    marks: Bools = np.cumsum(depth)[:-1] > 0
    return marks


def _is_aside(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether an element is an aside.

    Discourse has quotes in `aside.quote`, and these are parts of posts; `body.has-sidebar` is the
    whole page.
    """
    if tag in {"html", "body", "main"}:
        return False
    if tag == "aside" or attributes.get("role") == "complementary":
        return "quote" not in attributes.get("class", "")
    names = f"{attributes.get('class', '')} {attributes.get('id', '')}"
    return "sidebar" in names.lower() and bool(words_of(names) & _SIDEBARS)


def without_asides(members: list[int], aside: Bools) -> list[int]:
    """Elements of one name without those in asides, if these are half of them or fewer."""
    marks = aside[members]
    if not marks.any() or marks.mean() > _MOST:
        return members
    return [node for node, is_beside in zip(members, marks.tolist(), strict=True) if not is_beside]
