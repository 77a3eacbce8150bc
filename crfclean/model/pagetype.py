"""Predict the type of a page from its figures.

`core/words.pyx` counts words of titles and texts, `zoning.pyx` elements and blocks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from crfclean.core import words
from crfclean.core.labels import Dense
from crfclean.lexicon import lexicon
from crfclean.lexicon.language import TEXT_GROUPS, TITLE_GROUPS
from crfclean.lexicon.markup import MARKUP
from crfclean.model.columns import PAGE_FIGURES, filled
from crfclean.model.folder import (
    check_features,
    find_model,
    fingerprints,
    finite,
    read_manifest,
    read_weights,
    reading,
)
from crfclean.model.zoning import COUNTED_TAGS, QUANTILES, of_names, of_tags, of_words
from crfclean.page.chars import bits_by_member
from crfclean.page.head import head_metadata
from crfclean.page.measures import once
from crfclean.types import Blocks, Bools, Document, Floats, PageType

_MAX_URL_CHARS = 2_000
_MAX_TITLE_CHARS = 2_000
NO_ADDRESS = "url_none"  # name of the figure that is 1 for pages without an address
_CURRENCIES = "$€£¥₹₽"

_LETTERS = re.compile(r"[a-z]+")
_YEAR = re.compile(r"/(?:19|20)\d\d/\d")
_NUMBER = re.compile(r"\d{4}")
_WORD_MARKS = ".,;:!?()[]\"'“”«»…"

_DECLARED_TYPES = (
    "og:article og:website og:product article newsarticle blogposting product itemlist "
    "collectionpage organization localbusiness service faqpage question qapage "
    "discussionforumposting techarticle webpage person aggregaterating offer review listitem"
).split()
"""Types of OpenGraph and schema.org that a page may declare."""

Figures = Mapping[str, float]


def of_address(url: str | None) -> Figures:
    """Figures of the words and shape of an address; without one, all but `url_none` are 0."""
    host, path, query = _parts(url)
    steps = [step for step in path.split("/") if step]
    in_path, in_host = frozenset(_LETTERS.findall(path)), frozenset(_LETTERS.findall(host))
    has_address = bool(host)
    return {
        NO_ADDRESS: float(not has_address),
        "url_steps": float(len(steps)),
        "url_words": float(steps[-1].count("-") + steps[-1].count("_")) if steps else 0.0,
        "url_number": float(bool(_NUMBER.search(path))),
        "url_date": float(bool(_YEAR.search(path))),
        "url_query": float(bool(query)),
        "url_root": float(has_address and not steps),
        **_shared("path", in_path),
        **_shared("host", in_host),
    }


def _parts(url: str | None) -> tuple[str, str, str]:
    """Host, path and query in lower case; "" for no address or a malformed one."""
    try:
        parts = urlsplit((url or "")[:_MAX_URL_CHARS].lower())
        host = parts.hostname or ""
    except ValueError:
        return "", "", ""
    return host, parts.path, parts.query


def _shared(source: str, words: frozenset[str]) -> Figures:
    """Mark each group of a source that has one of the words (0 or 1)."""
    return {
        f"{source}_{group}": float(not words.isdisjoint(listed))
        for group, listed in lexicon().page_types[source].items()
    }


def figure_names() -> tuple[str, ...]:
    """The names of all figures, in their order.

    Figures of the text: the words of each group, as counts and in percent of all words; signs of
    currencies, as counts and per block. Figures of elements: the number of elements of each tag,
    and their share of all elements.
    """
    return (
        *of_address(None),
        *(f"title_{group}" for group in TITLE_GROUPS),
        "title_words",
        *(f"{what}_{group}" for group in TEXT_GROUPS for what in ("says", "share")),
        *("prices", "price_share"),
        *(f"{what}{tag}" for what in ("tag_", "share_tag_") for tag in COUNTED_TAGS),
        *(f"page_{name}" for name in PAGE_FIGURES),
        *(f"marked_{group}" for group in MARKUP),
        *(f"is_{name}" for name in _DECLARED_TYPES),
        *(f"words_{part}" for part in QUANTILES),
        *("json_ld", "nodes", "blocks", "words"),
    )


def page_row(page: Blocks, url: str | None) -> Floats:
    """The figures of a page that is not empty, shape (figures,)."""
    of_page = row_without_address(page)
    if not url:
        return of_page
    address = _row(of_address(url))
    return np.concatenate([address, of_page[len(address) :]])


@once
def row_without_address(page: Blocks) -> Floats:
    """The figures of a page that is not empty, as if it had no address, shape (figures,)."""
    page_figures = filled(page).page_figures  # first: it needs the columns
    table, types = page.table, head_metadata(page).types
    groups: tuple[Any, ...] = (
        _no_address(),
        _vocabulary("title").of_title(page.title.lower()[:_MAX_TITLE_CHARS]),
        _vocabulary("text").of_table(table, page.all_words),
        of_tags(table),
        page_figures,
        of_names(table),
        np.array([name in types for name in _DECLARED_TYPES], np.float64),
        of_words(table),
        np.array(
            [len(page.table.json_ld), len(page.table.parent), len(page), page.all_words], np.float64
        ),
    )
    return np.frombuffer(b"".join(groups), np.float64)


def _row(values: Figures) -> Floats:
    return np.array(list(values.values()))


@cache
def _no_address() -> bytes:
    return _row(of_address(None)).tobytes()


@cache
def _vocabulary(source: str) -> words.Vocabulary:
    """The lexicon's words of a source for the core, each with a bit for each of its groups."""
    groups = lexicon().page_types[source]
    return words.Vocabulary(
        bits=bits_by_member(groups.values()),
        groups=len(groups),
        marks=_WORD_MARKS,
        counted=_CURRENCIES,
    )


# the model of page types, and the type it gives a document

# the model of page types, and its file format
#
# A folder has `manifest.json` and `weights.json`; the manifest has the weights' length and
# SHA-256, and fingerprints of the figures. Numbers are written with four decimals, so that equal
# models have equal bytes.

PAGE_MODEL = "pagetype"
"""Name of the shipped model, and the kind in its manifest."""

_CLIP = 4.0  # largest distance from the mean, in standard deviations


@dataclass(frozen=True, repr=False, eq=False)
class PageModel:
    """Two multinomial logistic regressions over standardised figures.

    The first is for pages without an address, the second for pages with one: `weights`
    (2, figures, types) and `bias` (2, types). `log`, `mean` and `deviation` (figures,) turn figures
    into inputs. `about` has further entries of the manifest.
    """

    names: tuple[str, ...]
    types: tuple[str, ...]
    log: Bools
    mean: Floats
    deviation: Floats
    weights: Floats
    bias: Floats
    about: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def compiled(self) -> tuple[Dense, Dense]:
        """The regressions for pages without and with an address."""
        without, others = (
            Dense(
                is_count=self.log,
                mean=self.mean,
                deviation=self.deviation,
                clip=_CLIP,
                members=[[(*pair, "linear", 1.0)]],
            )
            for pair in zip(self.weights, self.bias, strict=True)
        )
        return without, others

    def __call__(self, rows: Floats) -> Floats:
        """Figures (n, figures) -> probabilities (n, types)."""
        without, others = self.compiled
        has_address = rows[:, self.names.index(NO_ADDRESS), None] == 0.0
        if not has_address.any():
            return without(rows)
        return np.where(has_address, others(rows), without(rows))

    def inputs(self, rows: Floats) -> Floats:
        """Figures (n, figures) -> inputs of the same shape: logs of counts, mean 0, deviation 1."""
        values = logs(rows, self.log)
        values = (values - self.mean) / self.deviation
        inputs: Floats = np.minimum(np.maximum(values, -_CLIP), _CLIP)  # faster than `clip`
        return inputs


def logs(rows: Floats, log: Bools) -> Floats:
    """Replace counts x among figures (n, figures) by log(1 + x)."""
    return np.where(log, np.log1p(np.maximum(rows, 0.0)), rows)


def load_page_model(name: str | Path = PAGE_MODEL) -> PageModel:
    """Open a model of page types: a folder, or the name of a shipped one. Raises `ModelError`."""
    folder = find_model(name)
    with reading(folder):
        manifest = read_manifest(folder, PAGE_MODEL, "page types")
        check_features(folder, manifest["features"], fingerprints(PAGE_MODEL))
        weights = read_weights(folder, manifest)
        about = {key: manifest[key] for key in ("parameters", "sets", "scores") if key in manifest}
        return _model(tuple(manifest["features"]), tuple(manifest["types"]), weights, about)


def _model(
    names: tuple[str, ...], types: tuple[str, ...], weights: Mapping[str, Any], about: Any
) -> PageModel:
    """Raises `ValueError` for weights that do not fit names and types or are not finite."""
    if not types or len(set(types)) < len(types):
        raise ValueError("no types, or one of them twice")
    shapes = {
        **dict.fromkeys(("log", "mean", "deviation"), (len(names),)),
        "weights": (2, len(names), len(types)),
        "bias": (2, len(types)),
    }
    arrays = {name: finite(weights[name], shape) for name, shape in shapes.items()}
    if NO_ADDRESS not in names or (arrays["deviation"] <= 0).any():
        raise ValueError("no figure of the address, or a deviation that is not above 0")
    log = arrays.pop("log") > 0
    return PageModel(names, types, log=log, about=about, **arrays)


# predict the type of a document (article, forum, product ...), with the probability of each type
#
# The shipped model predicts it from figures of the whole page: words, elements, repetition, class
# names, the types that the page's metadata declare, and the address if it is known. A model of
# other types comes from `eval/models/page_types.py`.


def page_type(document: Document, model: str | Path | PageModel = PAGE_MODEL) -> PageType | None:
    """The likeliest type of a document, and the probability of each; None for an empty page.

    Raises `ModelError` for a model that cannot be read.
    """
    if not len(document.blocks):
        return None
    page_model = model if isinstance(model, PageModel) else open_page_model(model)
    inputs = page_row(document.blocks, document.url)
    probabilities = page_model(inputs[None, :])[0]
    pairs = zip(page_model.types, probabilities, strict=True)
    by_type = {name: round(float(probability), 4) for name, probability in pairs}
    return PageType(page_model.types[int(probabilities.argmax())], by_type)


@lru_cache(maxsize=4)
def open_page_model(model: str | Path = PAGE_MODEL) -> PageModel:
    """Load a model of page types, once a process; raises `ModelError`."""
    return load_page_model(model)
