"""Predict the type of a document (article, forum, product ...), with the probability of each type.

The shipped model predicts it from figures of the whole page: words, elements, repetition, class
names, the types that the page's metadata declare, and the address if it is known. A model of
other types comes from `train.train_page_type`.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from crfclean.page.measures import measured
from crfclean.pagetype.figures import page_row
from crfclean.pagetype.model import PageModel, load_page_model
from crfclean.pagetype.values import PageType
from crfclean.types import Document

PAGE_MODEL = "pagetype"
"""Name of the shipped model."""


def page_type(document: Document, model: str | Path | PageModel = PAGE_MODEL) -> PageType | None:
    """The likeliest type of a document, and the probability of each; None for an empty page.

    Raises `ModelError` for a model that cannot be read.
    """
    if not len(document.blocks):
        return None
    page_model = model if isinstance(model, PageModel) else open_page_model(model)
    inputs = page_row(measured(document.blocks), document.url)
    probabilities = page_model(inputs[None, :])[0]
    pairs = zip(page_model.types, probabilities, strict=True)
    by_type = {name: round(float(probability), 4) for name, probability in pairs}
    return PageType(page_model.types[int(probabilities.argmax())], by_type)


@lru_cache(maxsize=4)
def open_page_model(model: str | Path = PAGE_MODEL) -> PageModel:
    """Load a model of page types, once a process; raises `ModelError`."""
    return load_page_model(model)
