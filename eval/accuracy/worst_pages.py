"""The worst pages of a set by out-of-fold predictions, and what went wrong on them most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from crfclean.taggers.params import CutParams
from crfclean.types import Bools, CoarseKind, Floats, Label
from eval.lib.predictions import Predicted

WORST = 50
EMPTY_WORDS = 5  # a gold of fewer says nothing
CUT_BELOW = 0.8  # F1 of a perfect labelling from which the blocks are not to blame


def cause(page: Predicted, cut: CutParams) -> str:
    """What costs most words on a page: its blocks, text that was lost, or text kept, and where."""
    gold = page.page.example.labels != Label.OTHER
    words = page.page.example.frame.words
    if len(page.page.gold.text.split()) < EMPTY_WORDS:
        return "gold is empty"
    if page.page.f1(gold) < CUT_BELOW:
        return "gold is not on the page, or not in its blocks"
    kept = page.tags(cut).kept
    wrong, lost = words * (kept & ~gold), words * (~kept & gold)
    if lost.sum() > wrong.sum():
        return "lost: all of the text" if not (kept & gold).any() else "lost: parts of the text"
    return "kept: " + _where(page, wrong, gold)


def _where(page: Predicted, wrong: Floats, gold: Bools) -> str:
    """Where most of the wrong words stand."""
    comments = wrong[page.page.kinds == CoarseKind.COMMENTS].sum()
    if comments > 0.5 * wrong.sum():
        return "comments"
    first, last = np.flatnonzero(gold)[[0, -1]].tolist()
    parts = {
        "before the text": wrong[:first].sum(),
        "between the text": wrong[first : last + 1].sum(),
        "after the text": wrong[last + 1 :].sum(),
    }
    return max(parts, key=lambda name: parts[name])


def worst(predicted: Sequence[Predicted], cut: CutParams) -> dict[str, Any]:
    """Causes of the worst pages, how often each, with their ids; and of what kind they are."""
    f1 = [page.page.f1(page.tags(cut).kept) for page in predicted]
    places = np.argsort(f1, kind="stable")[:WORST].tolist()
    rows = [
        {
            "page": predicted[at].page.gold.id,
            "kind": predicted[at].page.gold.kind,
            "f1": round(f1[at], 3),
            "cause": cause(predicted[at], cut),
        }
        for at in places
    ]
    causes, kinds = Counter(str(row["cause"]) for row in rows), Counter(row["kind"] for row in rows)
    return {"causes": dict(causes.most_common()), "kinds": dict(kinds.most_common()), "pages": rows}
