"""Whether a page shows a text that it also carries."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

MAX_TOKENS = 50_000  # of each text that are compared
MIN_COVER = 0.5  # of the runs of a text that are on the page, from which it counts as shown
_LENGTH = 4  # words in a run: shorter ones are alike in any two texts

_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")


def is_shown(carried: Iterable[str], shown: Iterable[str]) -> bool:
    """Whether most runs of words of a carried text stand in the texts that a page shows.

    >>> is_shown(["The rain came late in May."], ["News", "The rain came late in May. Then sun."])
    True
    """
    runs = _runs(carried)
    return bool(runs) and len(runs & _runs(shown)) >= MIN_COVER * len(runs)


def _runs(texts: Iterable[str]) -> set[tuple[str, ...]]:
    """The runs of words of texts, each once; an ideograph is a word."""
    found = (token[0] for text in texts for token in _TOKEN.finditer(text.lower()))
    tokens = list(islice(found, MAX_TOKENS))
    return set(zip(*(tokens[start:] for start in range(_LENGTH)), strict=False))
