"""Everything that crfclean does with one page, as calls of a page's HTML or of its document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial

from crfclean.document.formats import WRITERS, to_explanation
from crfclean.metadata.read import read
from crfclean.model.folder import find_model
from crfclean.page.align import align
from crfclean.page.blocks import bounded
from crfclean.page.decode import decode
from crfclean.pipeline import run
from crfclean.products.forum.posts import posts
from crfclean.products.forum.tagger import ForumTagger
from crfclean.products.forum.thread_writers import thread_to_csv, thread_to_jsonl, thread_to_text
from crfclean.products.papers.coherent import segments_of
from crfclean.products.papers.segment_params import SegmentParams
from crfclean.systems.load import load
from crfclean.types import Document, Label, Page, Tagger


@cache
def tagger(name: str) -> Tagger:
    """A tagger of the table, made once."""
    return TAGGERS[name]()


TAGGERS: Mapping[str, Callable[[], Tagger]] = {
    "crf": lambda: load("default"),
    "mlp": lambda: load("mlp"),
    "expert": lambda: load("expert"),
    "energy": lambda: load("energy"),
    "links": lambda: load("links"),
    "forum": lambda: ForumTagger(find_model("forum")),
}
"""Name -> how the tagger is made."""


def page_of(html: bytes | str) -> Page:
    """A page with an address."""
    return decode(html, "https://news.example.org/2024/05/lake")


def document_of(page: Page) -> Document:
    """A document that keeps every block, whatever a tagger thinks of the attack."""
    _, blocks = bounded(page, max_blocks=None)
    tags = tagger("links").tag(blocks)
    return Document(page.url, blocks, replace(tags, labels=tags.labels * 0 + Label.TEXT))


def _explain(page: Page) -> str:
    document = run(page, tagger("crf"), max_blocks=None)
    explains = tagger("crf").explain  # type: ignore[attr-defined]
    return to_explanation(document, explains(document.blocks))


def _align(document: Document) -> int:
    """The gold is the page's text, from its middle on and then from its start."""
    texts = document.blocks.texts
    half = len(texts) // 2
    return len(align(document.blocks, "\n".join([*texts[half:], *texts[:half]])))


def _threads(page: Page) -> int:
    threads = posts([page], max_blocks=None)
    forms = (thread_to_jsonl, thread_to_text, thread_to_csv)
    return sum(len(form(thread)) for thread in threads for form in forms)


def _segments(document: Document, method: str) -> int:
    return len(segments_of(document.blocks, SegmentParams(method)))


OF_PAGES: Mapping[str, Callable[[Page], object]] = {
    **{
        f"tag {name}": lambda page, name=name: run(page, tagger(name), max_blocks=None)  # type: ignore[misc]
        for name in TAGGERS
    },
    "posts": _threads,
    "explain": _explain,
}
"""Operation -> its call of a page."""

OF_DOCUMENTS: Mapping[str, Callable[[Document], object]] = {
    **{f"write {form}": written for form, written in WRITERS.items()},
    "metadata": read,
    "segments energy": partial(_segments, method="energy"),
    "segments links": partial(_segments, method="links"),
    "align": _align,
}
"""Operation -> its call of a document that keeps everything."""

OPERATIONS: Mapping[str, Callable[[bytes | str], object]] = {
    **{f"{name}": lambda html, call=call: call(page_of(html)) for name, call in OF_PAGES.items()},  # type: ignore[misc]
    **{
        f"{name}": lambda html, call=call: call(document_of(page_of(html)))  # type: ignore[misc]
        for name, call in OF_DOCUMENTS.items()
    },
}
"""Operation -> its call of bytes or text."""
