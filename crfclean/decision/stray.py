"""Find doubtful parts of a page that stand far from the text of its article."""

from __future__ import annotations

import numpy as np

from crfclean.types import Bools, Floats

_SURE, _LEAST = 0.8, 40.0  # mean probability and expected words of a run that surely is the text
_DOUBT = 0.7  # mean probability: a likelier run is no stray one
_NEAR = 8  # blocks between a run and a sure one


def stray_runs(kept: Bools, probability: Floats, words: Floats) -> Bools:
    """Mark the kept blocks (n,) of doubtful runs with more than eight blocks up to a sure run.

    Runs are kept blocks in a row; their probability is the mean by words. Below an article of 200
    words, readers' comments without a class had .43 to .75, and four notices .41 to .51.
    """
    edges = np.flatnonzero(np.diff(kept, prepend=False, append=False))
    starts, ends = edges[::2], edges[1::2]
    stray = np.zeros_like(kept)
    if len(starts) < 2:
        return stray
    weights = words + 0.1
    sums = np.concatenate([[0.0], np.cumsum(weights * probability)])
    expected = sums[ends] - sums[starts]
    total = np.concatenate([[0.0], np.cumsum(weights)])
    mean = expected / (total[ends] - total[starts])
    sure = np.flatnonzero((mean >= _SURE) & (expected >= _LEAST))
    if not len(sure):
        return stray
    for run in np.flatnonzero(mean < _DOUBT).tolist():
        between = np.maximum(starts[run] - ends[sure], starts[sure] - ends[run])
        if between.min() > _NEAR:
            stray[starts[run] : ends[run]] = True
    return stray
