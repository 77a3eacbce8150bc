"""Count the texts of each site of a corpus, before its pages are cleaned.

A worker counts a part, and writes the keys of its pages' texts beside it. Of a site, the titles
with the lowest digests are counted: the same ones however the corpus is cut, and in whatever order.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np

from crfclean.io import digest, write_atomically
from crfclean.page.site import repeated_keys
from crfclean.products.corpus.inputs import RangeReader
from crfclean.products.corpus.jobs import Operation
from crfclean.products.corpus.parts import (
    CorpusPart,
    as_write_error,
    open_spool,
    pairs,
    part_records,
)
from crfclean.products.corpus.records import Record
from crfclean.products.corpus.tasks import start_clock
from crfclean.types import CrfcleanError

SAMPLED = 64
"""Titles of a site that are counted: they tell a share of 0.3 within 0.12, in 25 kB."""

_Pages: TypeAlias = "dict[str, dict[str, str]]"
"""Site -> digest of a title, or of a page without one -> keys of the texts, in hexadecimal."""


def count_part(part: CorpusPart, operation: Operation) -> None:
    """Count the texts of a part, after the pages that a worker which died has left in the spool.

    Raises `WriteError`, and `OSError` for input that cannot be read.
    """
    sites: _Pages = {}
    reader = part.range and RangeReader(part.range, operation.limits.max_bytes)
    with open_spool(part) as spool:
        done = [head for head, _ in pairs(spool)]
        for number, record in enumerate(part_records(part, reader)):
            line = done[number] if number < len(done) else b""
            if not line:
                start_clock(1)
                is_lost = number == part.at and part.tries > 1
                row = [] if is_lost else _counted(record, operation)
                line = json.dumps(row).encode() + b"\n"
                with as_write_error(part.spool):
                    spool.write(line + b"\n")
                    spool.flush()
            _add(sites, *json.loads(line))
    write_counts(part, sites)
    with as_write_error(part.spool):
        part.spool.unlink()


def write_counts(part: CorpusPart, sites: _Pages) -> None:
    """Write the counts of a part; raises `WriteError`."""
    with as_write_error(part.counts):
        write_atomically(part.counts, json.dumps({"key": part.key, "sites": sites}).encode())


def read_counts(part: CorpusPart) -> _Pages | None:
    """Read the counts of a part; None if they are missing, or of other input or options."""
    try:
        counts = json.loads(part.counts.read_bytes())
        sites: _Pages = counts["sites"]
        return sites if counts["key"] == part.key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def repeated_texts(parts: Iterable[_Pages | None]) -> dict[str, frozenset[int]] | None:
    """Return the keys of the texts that many pages of a site have, from the counts of all parts.

    None if the counts of a part are missing.
    """
    sites: _Pages = {}
    for counts in parts:
        if counts is None:
            return None
        for site, pages in counts.items():
            for name, keys in pages.items():
                _add(sites, site, name, keys)
    repeated = {
        site: repeated_keys([(name, _keys(keys)) for name, keys in sites.pop(site).items()])
        for site in [*sites]
    }
    return {site: keys for site, keys in repeated.items() if keys}


def _counted(record: Record, operation: Operation) -> list[str]:
    """Return the site, digest and keys of a page; [] for anything that cannot be counted."""
    record = record.opened
    if record.problem or record.left_out or not record.site:
        return []
    try:
        title, texts = operation.site_texts(record)
    except (MemoryError, CrfcleanError):
        raise
    except Exception:  # noqa: BLE001 (cleaning reports it)
        return []
    keys = np.array(sorted(set(texts)), "<u4")
    return [record.site, digest(title or record.data), keys.tobytes().hex()]


def _add(sites: _Pages, site: str = "", name: str = "", keys: str = "") -> None:
    if site:
        pages = sites.setdefault(site, {})
        pages[name] = min(keys, pages.get(name, keys))  # of several with a title, always the same
        if len(pages) > SAMPLED:
            del pages[max(pages)]


def _keys(text: str) -> list[int]:
    keys: list[int] = np.frombuffer(bytes.fromhex(text), "<u4").tolist()
    return keys


def sites_within(
    counts: Mapping[str, object], repeated: Mapping[str, frozenset[int]]
) -> dict[str, frozenset[int]]:
    """Return the repeated texts of the sites of a part."""
    return {site: repeated[site] for site in sorted(counts) if site in repeated}
