"""Write `crfclean/model/fingerprints.json`: what each feature gives on built-in pages.

Run `python -m eval.models.fingerprints` after a change of features, then train the models whose
fingerprints differ. A model folder quotes the fingerprints of its features, and crfclean refuses it
if its own are others.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from crfclean.io import canonical, read_toml, write_atomically
from crfclean.metadata.gathering import gather_candidates
from crfclean.metadata.ranking import STRONG_SOURCES, features_of_none, value_features
from crfclean.model.block_kinds import kinds_of
from crfclean.model.columns import FEATURES, filled, matrix
from crfclean.model.feature_prints import FINGERPRINTS
from crfclean.model.first_pass import FIRST_PASS_NAMES, first_pass_columns
from crfclean.model.inputs import TEXTTRACTOR
from crfclean.model.page_features import figure_names, page_row
from crfclean.page.blocks import split
from crfclean.products.forum.body_features import BODY_FEATURES, body_groups, feature_rows
from crfclean.products.forum.evidence import EVIDENCE, evidence
from crfclean.products.forum.fields import FIELD_LABELS, fields
from crfclean.products.forum.outline import outline
from crfclean.products.forum.records import records
from crfclean.types import Blocks, Page

if TYPE_CHECKING:
    from crfclean.types import Floats

_PAGES = read_toml(Path(__file__).with_name("probe.toml"))
_PROBE, _FORUM, _HEAD = (_PAGES[name] for name in ("article", "thread", "metadata"))
"""Built-in pages: for models of blocks, for the forum's features, for metadata and page types."""

_MARKS = "<p>Maps | <img src='m.png'> &lt;North&gt; | ICE AND SNOW</p>"
"""Bars, angle brackets and capitals, which the perceptron needs and `_PROBE` lacks."""

_TEASERS = (
    '<div class="more"><h4><a href="/t/3">Skating by night on the lower lake</a></h4><p>There is '
    'no moon this week, but…</p><h4><a href="/t/4">Woollen or waxed laces?</a></h4><p>Both freeze.'
    "</p></div>"
)
"""Teasers for the thread, which has none: page types depend on the bytes of that page."""

_ADDRESSES = (
    "https://docs.example.org/blog/2024/05/ice-on-the-lake-4711?page=2",
    "https://ice.example.org/",
    "https://forum.docs.shop.news.example.org/threads/product/categories/tag/docs/services/login/",
)
"""Addresses of a page: one with a date, a home page, one with many words."""

_BODIES = ("section", "article")
"""Elements of the thread that hold the body of a post, or the whole post."""

_PARTS = ("field's text", "field's place", "field's elements")
"""Names of the three parts of a field's attributes."""


def fingerprints() -> dict[str, dict[str, str]]:
    """Kind of model -> feature -> twelve hexadecimal digits, as crfclean knows them."""
    return {
        "blocks": {**_of_texttractor(), **_of_columns()},
        "kinds": {"kinds by evidence": _of_column(kinds_of(_page()).astype(np.float32))},
        "pagetype": _of_figures(),
        "forum": _of_forum(),
        "metadata": _of_metadata(),
    }


def _page(html: str = _PROBE) -> Blocks:
    return split(Page(html))


def _of_texttractor() -> dict[str, str]:
    columns = matrix(_page(_PROBE + _MARKS), TEXTTRACTOR)
    return dict(zip(TEXTTRACTOR, map(_of_column, columns.T), strict=True))


def _of_columns() -> dict[str, str]:
    page = _page()
    steps = np.arange(len(page)) * 5 % 7 / 7.0
    first_pass = np.column_stack([steps / 4, steps / 2, 1 - steps * 3 / 4])  # made-up marginals
    columns = [*matrix(page).T, *first_pass_columns(filled(page), first_pass).T]
    return dict(zip((*FEATURES, *FIRST_PASS_NAMES), map(_of_column, columns), strict=True))


def _of_figures() -> dict[str, str]:
    pages = ((_PROBE, _ADDRESSES[0]), (_FORUM, None), (_HEAD, _ADDRESSES[2]))
    columns = np.array([page_row(_page(html), address) for html, address in pages]).T
    return dict(zip(figure_names(), map(_of_column, columns), strict=True))


def _of_forum() -> dict[str, str]:
    """Fingerprints of the features of groups, of their evidence, and of fields by part."""
    page = outline(_page(_FORUM.replace("<footer>", f"{_TEASERS}<footer>")))
    tags = np.array(page.page.table.tags)
    groups = [fields(records(page, np.flatnonzero(tags == tag))) for tag in _BODIES]
    signs = np.array([evidence(each, _probabilities(len(each))) for each in groups])
    columns = dict(zip(BODY_FEATURES, feature_rows(body_groups(page)).T, strict=True))
    columns |= dict(zip(EVIDENCE, signs.T, strict=True))
    prints = {name: _of_column(column) for name, column in columns.items()}
    for part, name in enumerate(_PARTS):
        prints[name] = _of_text(canonical([[one[part] for one in each.parts] for each in groups]))
    return prints


def _probabilities(count: int) -> Floats:
    """Made-up probabilities of fields, shape (n, labels), whose rows differ."""
    steps = np.add.outer(np.arange(count) * 5, np.arange(len(FIELD_LABELS)) * 3) % 7 + 0.1
    shares: Floats = steps / steps.sum(axis=1, keepdims=True)
    return shares


def _of_metadata() -> dict[str, str]:
    """Fingerprints of the features of candidates; these weights quote none."""
    rows: dict[str, list[Any]] = {kind: [] for kind in STRONG_SOURCES}
    for html, address in ((_HEAD, _ADDRESSES[0]), (_HEAD, _ADDRESSES[1]), (_FORUM, "")):
        page = gather_candidates(_page(html), address)
        stated = {"title": page.titles, "author": page.authors, "date": page.dates}
        for kind, values in stated.items():
            sets = [
                *value_features(kind, values, page.context),
                features_of_none(values, page.context),
            ]
            rows[kind] += map(sorted, sets)
    return {kind: _of_text(canonical(sets)) for kind, sets in rows.items()}


def _of_column(values: Floats) -> str:
    """Fingerprint of a column, whose values are rounded to six decimals."""
    return _of_text(" ".join(f"{value:.6f}" for value in values.tolist()))


def _of_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def main() -> None:
    write_atomically(FINGERPRINTS, (json.dumps(fingerprints(), indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
