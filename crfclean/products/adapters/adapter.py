"""Clean the pages of other libraries' pipelines, in any process."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from crfclean.decision.rules import CutChoice
from crfclean.document.lines import page_lines
from crfclean.page.decode import decode
from crfclean.pipeline import open_model, run
from crfclean.systems.capabilities import with_choice
from crfclean.types import Document, Page, Tagger
from crfclean.types.choices import AUTO, Convention

__all__ = ["Cleaner", "facts", "text_of"]


@dataclass(frozen=True)
class Cleaner:
    """Cleans the pages of a pipeline; only the names below are pickled.

    `model` is a folder or the name of a shipped model. `keep` are the kinds of blocks that belong
    to the text (see `CutParams`; empty: the model decides); `as_` is a convention in their place.
    """

    model: str | Path = "default"
    keep: tuple[str, ...] = field(default=())
    as_: Convention = AUTO

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model, "keep": self.keep, "as_": self.as_}

    @cached_property
    def tagger(self) -> Tagger:
        """The model, opened on first use; raises `ModelError`.

        Raises `CrfcleanError` for unknown kinds or conventions, and for both at once.
        """
        return with_choice(open_model(self.model), CutChoice(self.as_, self.keep or None))

    @property
    def name(self) -> str:
        """The model's name without its directory."""
        return Path(self.model).name

    def clean(self, value: object, url: object = None) -> Document:
        """Clean any value as a page; a bad one gives an empty document, as in `pipeline.run`."""
        return run(page_of_value(value, url), self.tagger)


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
