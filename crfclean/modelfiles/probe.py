"""Fingerprint features: digests of their values on the built-in pages of `probe.toml`."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from crfclean.features.columns import (
    FIRST_PASS_NAMES,
    check_names,
    first_pass_columns,
    frame,
)
from crfclean.features.table import FEATURES, matrix
from crfclean.features.texttractor import TEXTTRACTOR
from crfclean.features.zones import kinds_of
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.types import Floats, ModelError, Page

_PAGES = tomllib.loads(Path(__file__).with_name("probe.toml").read_text("utf-8"))
PROBE, FORUM_PROBE, HEAD_PROBE = (_PAGES[name] for name in ("article", "thread", "metadata"))
"""Built-in pages: for models of blocks, for the forum's features, for metadata and page types."""

_MARKS = "<p>Maps | <img src='m.png'> &lt;North&gt; | ICE AND SNOW</p>"
"""Bars, angle brackets and capitals, which the perceptron needs and `PROBE` lacks."""

ADDRESSES = (
    "https://docs.example.org/blog/2024/05/ice-on-the-lake-4711?page=2",
    "https://ice.example.org/",
    "https://forum.docs.shop.news.example.org/threads/product/categories/tag/docs/services/login/",
)
"""Addresses of a probe page: one with a date, a home page, one with many words."""


def fingerprints(names: Sequence[str]) -> dict[str, str]:
    """Return a digest of each feature on a built-in page; it changes with the feature.

    Raises `ModelError` for a feature that this version does not have.
    """
    check_names(names)
    page = probe_page()
    steps = np.arange(len(page)) * 5 % 7 / 7.0
    first_pass = np.column_stack([steps / 4, steps / 2, 1 - steps * 3 / 4])  # made-up marginals
    crf_names = [name for name in names if name not in TEXTTRACTOR]
    table_names = [name for name in crf_names if name in FEATURES]
    first = first_pass_columns(frame(page), first_pass)
    prints = dict(zip(FIRST_PASS_NAMES, column_fingerprints(first), strict=True))
    values = matrix(page, table_names)
    prints |= dict(zip(table_names, column_fingerprints(values), strict=True))
    mlp_names = [name for name in names if name in TEXTTRACTOR]
    if mlp_names:
        marked = split(Page(PROBE + _MARKS))
        values = matrix(marked, mlp_names)
        prints |= dict(zip(mlp_names, column_fingerprints(values), strict=True))
    return {name: prints[name] for name in names}


@cache
def probe_page() -> Measures:
    """Return the measures of `PROBE`, which several models need."""
    return split(Page(PROBE))


@cache
def kinds_fingerprint() -> str:
    """Return twelve hexadecimal digits of the kinds of blocks on a built-in page."""
    return column_fingerprint(kinds_of(probe_page()).astype(np.float32))


def column_fingerprint(column: Floats) -> str:
    """Return twelve hexadecimal digits of a column's values, rounded to six decimals."""
    return column_fingerprints(column[:, None])[0]


def column_fingerprints(columns: Floats) -> list[str]:
    """Return twelve hexadecimal digits of each column of an array (n, columns).

    Each distinct value is formatted once, because few values differ. Values are distinguished by
    their bits: zero and minus zero are equal, but are formatted differently.
    """
    rows = np.ascontiguousarray(columns.T)
    kind = f"i{rows.itemsize}"
    keys: list[list[int]] = rows.view(kind).tolist()
    distinct = list(set().union(*keys))
    written = [f"{value:.6f}" for value in np.array(distinct, kind).view(rows.dtype).tolist()]
    texts = dict(zip(distinct, written, strict=True))
    return [text_fingerprint(" ".join([texts[key] for key in row])) for row in keys]


def text_fingerprint(text: str) -> str:
    """Return twelve hexadecimal digits of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def check_features(where: object, expected: Mapping[str, str], present: Mapping[str, str]) -> None:
    """Compare the fingerprints in a model with those of this version's features.

    Their order counts, too. Raises `ModelError` that names changed, new and missing features.
    """
    names = dict.fromkeys([*expected, *present])
    changed = [name for name in names if expected.get(name) != present.get(name)]
    if not changed and list(expected) != list(present):
        changed = ["their order"]
    if changed:
        few = ", ".join(changed[:5])
        raise ModelError(f"{where}: made for other features ({few} changed): train it again")
