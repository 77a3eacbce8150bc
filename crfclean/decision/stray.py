"""Find doubtful parts of a page that stand far from the text of its article."""

from __future__ import annotations

import numpy as np

from crfclean.types import Bools, Floats, Ints

_SURE, _LEAST = 0.8, 100.0  # mean probability and expected words of a run that surely is the text
_DOUBT = 0.65  # mean probability: a likelier run is no stray one
_NEAR = 8  # blocks between a run and the last sure one
_MOST = 0.3  # share of the page's expected words
_ALIKE = 0.5  # share of a run's words in elements like those of the sure text: it is text


def stray_runs(kept: Bools, probability: Floats, words: Floats, path: Ints) -> Bools:
    """Mark the kept blocks (n,) of doubtful runs more than eight blocks behind the last sure run.

    Runs are kept blocks in a row; their probability is the mean by words. A run is no stray one if
    half of it has a `path` (n,) of the sure runs, as chapters of a novel; and none is, if together
    they have 30 % of the text: they are its second part, or the cards below an introduction. Below
    an article of 200 words, readers' comments without a class had .43 to .75, and four notices .41
    to .51. Doubtful runs above an article are often its lead.
    """
    stray = np.zeros_like(kept)
    edges = np.flatnonzero(np.diff(kept, prepend=False, append=False))
    starts, ends = edges[::2], edges[1::2]
    if len(starts) < 2:
        return stray
    weights = words + 0.1
    total, expected = (
        np.add.reduceat(values * kept, starts) for values in (weights, weights * probability)
    )
    mean = expected / total
    sure = np.flatnonzero((mean >= _SURE) & (expected >= _LEAST))
    if len(sure):
        last = int(ends[sure[-1]])
        is_stray = (mean < _DOUBT) & (starts > last + _NEAR)
        places = np.concatenate([np.arange(starts[run], ends[run]) for run in sure.tolist()])
        alike = np.add.reduceat(weights * kept * np.isin(path, path[places]), starts)
        is_stray &= alike < _ALIKE * total
        if expected[is_stray].sum() >= _MOST * expected.sum():
            return stray
        for run in np.flatnonzero(is_stray).tolist():
            stray[starts[run] : ends[run]] = True
    return stray
