"""A spaCy component that turns HTML into the text of a page, with its blocks (extra `spacy`).

spaCy finds the component by its name once crfclean is installed: `nlp.add_pipe("crfclean")`. What
it sets can be saved with the `Doc`: texts, numbers, and nothing of crfclean's own.
"""

from __future__ import annotations

from dataclasses import fields

from spacy.language import Language
from spacy.tokens import Doc, Span

from crfclean.citations import Citation, blocks
from crfclean.products.adapters.adapter import Cleaner, facts, text_of
from crfclean.types import CommentMode, Convention, Document

__all__ = ["BLOCKS", "create_cleaner", "make_doc"]

BLOCKS = "blocks"
"""The key of `doc.spans` that has the kept blocks."""

EXTENSION = "crfclean"
"""The attribute of documents and of spans, as in `doc._.crfclean`."""

for _kind in (Doc, Span):
    if not _kind.has_extension(EXTENSION):
        _kind.set_extension(EXTENSION, default=None)


_Words = list[str] | str | None
"""Kinds of blocks in a configuration: pydantic would read `Kinds` as an iterator."""


class _Component:
    """The step of a pipeline: HTML as a `Doc` -> the text of its page as a `Doc`."""

    def __init__(self, nlp: Language, cleaner: Cleaner) -> None:
        self._nlp, self._cleaner = nlp, cleaner

    def __call__(self, doc: Doc) -> Doc:
        return make_doc(self._nlp, self._cleaner.clean(doc.text))


def create_cleaner(  # noqa: PLR0913 - spaCy reads the options from the signature
    nlp: Language,
    name: str,  # noqa: ARG001 - as spaCy calls it
    *,
    model: str,
    as_: Convention,
    keep: _Words,
    also: _Words,
    without: _Words,
    precision: float | None,
    threshold: float | None,
    within: str | None,
    drop: str | None,
    comments: CommentMode | None,
) -> _Component:
    """Return the component; put it first in a pipeline.

    Raises `CrfcleanError` for wrong parameters, `ModelError` for a bad model.
    """
    cleaner = Cleaner(
        model,
        as_=as_,
        keep=keep,
        also=also,
        without=without,
        precision=precision,
        threshold=threshold,
        within=within,
        drop=drop,
        comments=comments,
    )
    _ = cleaner.tagger  # a wrong name is refused here, not at the first page
    return _Component(nlp, cleaner)


Language.factory(
    "crfclean",
    default_config={each.name: each.default for each in fields(Cleaner)},
    assigns=["doc.spans"],
    func=create_cleaner,
)


def make_doc(nlp: Language, document: Document) -> Doc:
    """Return a cleaned page as a `Doc` that no component has seen yet; `nlp(doc)` goes on.

    `doc.spans["blocks"]` are the kept blocks; a label is a kind, such as "TITLE", an id an XPath.
    No sentence crosses the border of a block. `doc._.crfclean` has the address, status and score
    of the page, `span._.crfclean` the label and probability of the block.
    """
    doc = nlp.make_doc(text_of(document))
    doc._.set(EXTENSION, {"url": document.url, **facts(document)})
    doc.spans[BLOCKS] = [_span(doc, document, place) for place in blocks(document)]
    return doc


def _span(doc: Doc, document: Document, place: Citation) -> Span:
    """Return the span of a block, with the facts about it."""
    block = place.blocks[0]
    kind, tag = document.kinds[block.index].name, document.tags[block.index]
    span: Span = doc.char_span(
        place.start, place.end, kind, span_id=block.xpath, alignment_mode="expand"
    )
    doc[span.start].is_sent_start = True
    label = {"label": tag.label.name, "probability": round(tag.probability, 4)}
    span._.set(EXTENSION, label)
    return span
