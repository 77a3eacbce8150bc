"""Find the texts that many pages of a site have."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import chain

from crfclean.page.blocks import split
from crfclean.page.sources import Source, as_page
from crfclean.types import Blocks, Page

LEAST_PAGES, LEAST_SHARE = 3, 0.3
"""Pages of a site, and their share, from which a text counts as one of the site."""


def text_keys(page: Blocks) -> list[int]:
    """Return a number below 2**32 for the text of each of n blocks, whatever its white space."""
    texts = (" ".join(text.split()) for text in page.table.plain_texts)
    return [zlib.crc32(text.encode("utf-8", "replace")) for text in texts]


def repeated_keys(pages: Iterable[tuple[str, Collection[int]]]) -> frozenset[int]:
    """Return the keys that many pages of a site have, from the title and keys of each page.

    Of pages with the same title one counts. Crawls have a page several times, with another time
    or address: its article would be a text of the site.

    >>> sorted(repeated_keys([("a", {1, 2}), ("b", {1, 3}), ("c", {1}), ("c", {1, 2}), ("", {2})]))
    [1]
    """
    distinct: dict[str, list[int]] = {}
    for number, (title, keys) in enumerate(pages):
        name, own = title or f"\n{number}", sorted(set(keys))
        distinct[name] = min(own, distinct.get(name, own))
    counts = Counter(chain.from_iterable(distinct.values()))
    least = max(LEAST_PAGES, LEAST_SHARE * len(distinct))
    return frozenset(key for key, count in counts.items() if count >= least)


def of_one_site(pages: Iterable[Source]) -> list[Page]:
    """Return pages of one site, each with what many of them have: evidence against these texts.

    `extract`, `clean` and `run_many` take them. Raises as `extract` does.
    """
    read = [as_page(page) for page in pages]
    cut = map(split, read)
    repeated = repeated_keys([(page.title, text_keys(page)) for page in cut])
    return [replace(page, repeated=repeated) for page in read]
