"""`Document` -> its type (article, forum, product, ...), with the probability of each.

The shipped model's guess from the whole page: words, elements, repetition, class names, types in
the page's metadata, the address where it is known. A model of one's own types comes from
`train.train_page_type`.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from crfclean.metadata.pagetype import model as pagemodel
from crfclean.metadata.pagetype.figures import figures, row
from crfclean.metadata.pagetype.model import PageModel
from crfclean.metadata.values import PageType
from crfclean.page.measures import measured
from crfclean.types import Document


def page_type(document: Document, model: str | Path | PageModel = "pagetype") -> PageType | None:
    """The likeliest type of a document, and the probability of each; None for an empty page.

    Raises `ModelError` for a model that is none.
    """
    if not len(document.blocks):
        return None
    opened = model if isinstance(model, PageModel) else open_model(model)
    found = opened(row(figures(measured(document.blocks), document.url))[None, :])[0]
    told = {name: round(float(share), 4) for name, share in zip(opened.types, found, strict=True)}
    return PageType(opened.types[int(found.argmax())], told)


@lru_cache(maxsize=4)
def open_model(model: str | Path = "pagetype") -> PageModel:
    """A model of page types, read once; raises `ModelError`."""
    return pagemodel.load(model)
