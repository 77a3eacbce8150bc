"""Signs that a group of elements holds teasers of other threads."""

from __future__ import annotations

import re

import numpy as np

from crfclean.forum.outline import Outline
from crfclean.types import Ints

_LEAST_WORDS = 3  # of a linked text that may be a title
_REACH = 8  # runs before an element, searched for its title
_CUT = re.compile(r"(?:…|\.{3})[\W_]{0,4}$")


def teasing(page: Outline, nodes: Ints) -> dict[str, float]:
    """Shares of the elements with a linked title of their own above, and of those cut off."""
    titles = [_title(page, int(page.first[node])) for node in nodes.tolist()]
    cut = [_is_cut(page, int(page.last[node]) - 1) for node in nodes.tolist()]
    distinct = {title for title in titles if title}
    return {
        "titled": len(distinct) / len(nodes) if len(nodes) > 1 else 0.0,
        "cut": float(np.mean(cut)),
    }


def _title(page: Outline, first: int) -> str:
    """The last linked text that may be a title among the runs before an element."""
    start = max(0, first - _REACH)
    counts = np.diff(page.words[start : first + 1])
    near = np.flatnonzero(page.linked[start:first] & (counts >= _LEAST_WORDS))
    return page.masks[start + int(near[-1])] if len(near) else ""


def _is_cut(page: Outline, last: int) -> bool:
    """Whether a run, or the one before a link `Read more`, ends in an ellipsis."""
    texts = page.masks[max(0, last - int(page.linked[last])) : last + 1]
    return any(_CUT.search(text[-20:]) for text in texts)
