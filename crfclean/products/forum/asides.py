"""Elements in asides that share the names of posts, such as the description of a community."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from crfclean.core.table import Table
from crfclean.lexicon.markup import SIDEBAR_WORDS
from crfclean.page.chars import around
from crfclean.products.forum.patterns import name_words
from crfclean.types import Bools

_ASIDES_MOST = 0.5  # share of a group in asides; with more, a theme wraps whole pages in one


def beside(table: Table) -> Bools:
    """Mark each element that is an aside or inside one, shape (m,)."""
    asides = np.fromiter(map(_is_aside, table.tags, table.attributes), np.bool_, len(table.parent))
    return around(asides, table.end) > 0


def _is_aside(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether an element is an aside by its tag, role, class or id.

    Discourse's `aside.quote` is a part of a post, and `body.has-sidebar` is the whole page.
    """
    if tag in {"html", "body", "main"}:
        return False
    if tag == "aside" or attributes.get("role") == "complementary":
        return "quote" not in attributes.get("class", "")
    names = f"{attributes.get('class', '')} {attributes.get('id', '')}"
    return "sidebar" in names.lower() and bool(name_words(names) & SIDEBAR_WORDS)


def without_asides(members: list[int], aside: Bools) -> list[int]:
    """Return the elements of a name outside asides, unless most of them are in asides."""
    marks = aside[members]
    if not marks.any() or marks.mean() > _ASIDES_MOST:
        return members
    return [node for node, is_beside in zip(members, marks.tolist(), strict=True) if not is_beside]
