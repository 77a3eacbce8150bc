"""Run the whole path from page to document, for one page or many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from crfclean.carried.choice import with_carried
from crfclean.carried.evidence import presence_of
from crfclean.kinds.of_blocks import LikelyKinds, document_kinds
from crfclean.modelfiles.settings import opened
from crfclean.page.blocks import SplitParams, bounded
from crfclean.page.decode import decode
from crfclean.page.elements import MAX_BLOCKS
from crfclean.taggers.capabilities import elements_of, with_convention
from crfclean.taggers.load import NAMED, load, named
from crfclean.types import Document, Page, Tagger, Tags
from crfclean.types.choices import AUTO


def split_params(tagger: Tagger) -> SplitParams:
    """How to split pages for a tagger: as those that it was trained on."""
    return SplitParams(elements_of(tagger))


def run(
    page: Page,
    tagger: Tagger,
    params: SplitParams | None = None,
    max_blocks: int | None = MAX_BLOCKS,
    *,
    carried: bool = True,
) -> Document:
    """Page -> blocks -> tags -> Document; never raises on any page.

    A page with more than `max_blocks` blocks (None: however many) is not tagged: its document is
    empty, with the status "over-blocks". If a page shows far less text than it carries in hidden
    elements or as data, that is its text, unless `carried` is off.
    """
    document = tagged(page, tagger, params, max_blocks, carried=carried)
    presence, kinds = presence_of(document, page), document_kinds(document)
    return replace(
        document,
        presence=presence,
        kinds=kinds,
        likely_kinds=LikelyKinds(kinds),
        encoding=page.encoding,
        encoding_guessed=page.encoding_guessed,
    )


def tagged(
    page: Page,
    tagger: Tagger,
    params: SplitParams | None = None,
    max_blocks: int | None = MAX_BLOCKS,
    *,
    carried: bool = True,
) -> Document:
    """The document of `run`, without its presence, kinds and encoding."""
    params = split_params(tagger) if params is None else params
    page, blocks = bounded(page, params, max_blocks)
    tags = tagger.tag(blocks)
    document = Document(page.url, blocks, tags, _status(page, tags), blocks.truncated)
    if carried:
        document = with_carried(document, page, tagger, params, max_blocks)
    return document


def _status(page: Page, tags: Tags) -> str:
    if page.status != "ok":
        return page.status
    if not len(tags):
        return "no-blocks"
    return "ok" if tags.kept.any() else tags.refusal or "nothing-kept"


def run_many(
    pages: Iterable[Page | bytes | str],
    tagger: Tagger | str | Path = "default",
    workers: int = 1,
    max_blocks: int | None = MAX_BLOCKS,
) -> Iterator[Document]:
    """`run` over many pages, in order, in `workers` processes; lazy, in bounded memory.

    `tagger` may be a name or folder, as in `clean`.
    """
    from crfclean.page.decode import as_pages
    from crfclean.parallel import map_in_order

    decoded = as_pages(pages)
    return map_in_order(partial(run, max_blocks=max_blocks), decoded, as_tagger(tagger), workers)


def open_model(model: str | Path) -> Tagger:
    """Open a model, once as long as its manifest file stays the same; raises `ModelError`."""
    return opened(model, load)


def as_tagger(tagger: Tagger | str | Path) -> Tagger:
    """A tagger as it is, or that of a model or of a name such as "expert"; raises `ModelError`."""
    if not isinstance(tagger, str | Path):
        return tagger
    return named(str(tagger)) if tagger in NAMED else open_model(tagger)


def clean(
    html: bytes | str,
    url: str | None = None,
    model: str | Path | Tagger = "default",
    *,
    as_: str = AUTO,
    max_blocks: int | None = MAX_BLOCKS,
) -> Document:
    """Clean one page, given as bytes (plain, gzipped, or a web archive as MHTML) or text.

    `model` is a tagger, a model folder, a file of settings (see `tune`), or the name of a shipped
    model or of a tagger without one;
    `as_` is the convention of what belongs to the text, of `choices.CONVENTIONS`. A bad page, or
    one with more than `max_blocks` blocks (None: however many), gives an empty document whose
    `status` says why; a bad model raises `ModelError`, an unknown convention `CrfcleanError`,
    anything but bytes and text `TypeError`.
    """
    tagger = with_convention(as_tagger(model), as_)
    return run(decode(html, url), tagger, max_blocks=max_blocks)
