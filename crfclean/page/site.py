"""Find the texts that many pages of a site have."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import chain

from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.page.sources import Source, as_page
from crfclean.types import Page

LEAST_PAGES, LEAST_SHARE = 3, 0.3
"""Pages of a site, and their share, from which a text counts as one of the site."""


def text_keys(page: Measures) -> list[int]:
    """Return a number below 2**32 for the text of each of n blocks, whatever its white space."""
    texts = (" ".join(text.split()) for text in page.plain_texts)
    return [zlib.crc32(text.encode("utf-8", "replace")) for text in texts]


def repeated_keys(pages: Sequence[Collection[int]]) -> frozenset[int]:
    """Return the keys that many pages of a site have, from those of each page.

    >>> sorted(repeated_keys([{1, 2}, {1, 3}, {1}, {2}]))
    [1]
    """
    counts = Counter(chain.from_iterable(map(set, pages)))
    least = max(LEAST_PAGES, LEAST_SHARE * len(pages))
    return frozenset(key for key, count in counts.items() if count >= least)


def of_one_site(pages: Iterable[Source]) -> list[Page]:
    """Return pages of one site, each with what many of them have: evidence against these texts.

    `extract`, `clean` and `run_many` take them. Raises as `extract` does.
    """
    read = [as_page(page) for page in pages]
    repeated = repeated_keys([text_keys(split(page)) for page in read])
    return [replace(page, repeated=repeated) for page in read]
