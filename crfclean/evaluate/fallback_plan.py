"""What to expect of sending the pages with the lowest scores to another extractor.

A page's score is the expected F1 of its text: so the mean score of the pages that are sent is the
F1 that the other extractor has to beat on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SHARES = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
"""Shares of pages of which a plan tells."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The pages with scores below `below`: their `share`, and how many they are.

    `sent` is the expected F1 of the model's texts of these pages, `kept` that of all others, and
    `at_most` that of all pages if the other extractor were perfect; all in 0..1.
    """

    below: float
    share: float
    pages: int
    sent: float
    kept: float
    at_most: float


def plan(scores: Sequence[float]) -> list[Cut]:
    """A cut for each of `SHARES` that differs from the one before, and leaves some pages.

    >>> [(cut.pages, round(cut.at_most, 3)) for cut in plan([0.2, 0.8, 0.9, 1.0])]
    [(1, 0.925), (2, 0.975)]
    """
    ordered = np.sort(np.array(scores, np.float64))
    cuts: list[Cut] = []
    for share in SHARES:
        count = int(np.ceil(round(share * len(ordered), 9)))
        if count < len(ordered) and (not cuts or count > cuts[-1].pages):
            cuts.append(_cut(ordered, count))
    return cuts


def _cut(ordered: np.ndarray[tuple[int], np.dtype[np.float64]], count: int) -> Cut:
    """The cut that sends so many pages, not all."""
    sent, kept = ordered[:count], ordered[count:]
    return Cut(
        below=float(kept[0]),
        share=count / len(ordered),
        pages=count,
        sent=float(sent.mean()),
        kept=float(kept.mean()),
        at_most=float((count + kept.sum()) / len(ordered)),
    )


def as_table(scores: Sequence[float]) -> str:
    """A plan as text, with what its columns mean."""
    if not scores:
        return "no page could be read: nothing to plan\n"
    mean = float(np.mean(np.array(scores, np.float64)))
    lines = [
        f"{len(scores)} pages, expected F1 {mean:.3f}",
        "--fallback-below  pages  share  F1 to beat on them  F1 of the others  all, if perfect",
    ]
    lines += [
        f"{cut.below:16.4f} {cut.pages:6} {cut.share:6.3f} {cut.sent:19.3f} {cut.kept:17.3f} "
        f"{cut.at_most:16.3f}"
        for cut in plan(scores)
    ]
    return "\n".join(lines) + "\n"
