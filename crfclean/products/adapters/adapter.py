"""Clean the pages of other libraries' pipelines, in any process."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from crfclean.decision.rules import CutChoice, Kinds
from crfclean.document.lines import page_lines
from crfclean.page.decode import decode
from crfclean.pipeline import CleanParams, clean_params
from crfclean.types import CommentMode, Document, Page, Tagger
from crfclean.types.choices import AUTO, Convention

__all__ = ["Cleaner", "facts", "text_of"]


@dataclass(frozen=True)
class Cleaner:
    """Cleans the pages of a pipeline; the parameters are those of `clean`, and all that is pickled.

    `model` is a folder, or the name of a shipped model or of a tagger without a model.
    """

    model: str | Path = "default"
    _: KW_ONLY
    as_: Convention = AUTO
    keep: Kinds | None = None
    also: Kinds | None = None
    without: Kinds | None = None
    precision: float | None = None
    threshold: float | None = None
    within: str | None = None
    drop: str | None = None
    comments: CommentMode | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def params(self) -> CleanParams:
        """The model with its choices, opened on first use.

        Raises `ModelError`, and `CrfcleanError` for wrong choices.
        """
        kinds = (self.as_, self.keep, self.also, self.without)
        limits = (self.threshold, self.precision, self.within, self.drop)
        return clean_params(self.model, CutChoice(*kinds, *limits), self.comments)

    @property
    def tagger(self) -> Tagger:
        """The model, as `params` opens it."""
        return self.params.tagger

    @property
    def name(self) -> str:
        """The model's name without its directory."""
        return Path(self.model).name

    def clean(self, value: object, url: object = None) -> Document:
        """Clean any value as a page; a bad one gives an empty document, as in `pipeline.run`."""
        return self.params.document(page_of_value(value, url))


def page_of_value(value: object, url: object = None) -> Page:
    """Make a page of a pipeline's value; never raises.

    >>> [page_of_value(value).status for value in (b"<p>Hello", "<p>Hello", None, 7)]
    ['ok', 'ok', 'empty', 'not-html']
    """
    address = url if isinstance(url, str) else None
    if isinstance(value, Page):
        return value
    if isinstance(value, bytearray | memoryview):
        value = bytes(value)
    if isinstance(value, bytes | str):
        return decode(value, address)
    return Page("", address, status="empty" if value is None else "not-html")


def text_of(document: Document) -> str:
    """Return a page's text; lone surrogates, which Arrow and pydantic refuse, become "?"."""
    return document.text.encode("utf-8", "replace").decode("utf-8")


def paragraphs_of(document: Document) -> list[str]:
    """Return the paragraphs of `text_of`, each of one or more lines.

    >>> paragraphs_of(Cleaner().clean("<script>1</script>"))
    []
    """
    texts = page_lines(document.blocks, document.kept)
    return [text.encode("utf-8", "replace").decode("utf-8") for text in texts]


def facts(document: Document) -> dict[str, Any]:
    """Return a page's status, score (0..1), and the limit that cut it, for metadata."""
    return {
        "status": document.status,
        "score": round(document.score, 4),
        "truncated": document.truncated,
    }
