"""Run the whole path from page to document, for one page or many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict

import numpy as np

from crfclean.decision.rules import CutChoice, Kinds
from crfclean.model.kinds import LikelyKinds, document_kinds
from crfclean.model.open_once import opened
from crfclean.page.blocks import SplitParams, bounded, split
from crfclean.page.limits import MAX_BLOCKS
from crfclean.page.sources import Source, as_page
from crfclean.parallel import in_time
from crfclean.systems.capabilities import (
    Automatic,
    Decides,
    Judges,
    capability,
    elements_of,
    with_choice,
)
from crfclean.systems.carried import kept_and_all_words, with_carried
from crfclean.systems.load import is_named, load, named
from crfclean.systems.presence import presence_of
from crfclean.types import CommentMode, Convention, Document, Label, Page, Tagger, Tags
from crfclean.types.choices import AUTO, check_comments

_MOST_EMPTIED = 100  # kept words of a form or a notice that goes: no page loses more


def split_params(tagger: Tagger) -> SplitParams:
    """Return how to split pages for a tagger: like those that it learned from, without `drop`."""
    decides = capability(tagger, Decides)
    return SplitParams(elements_of(tagger), drop=decides.cut.drop if decides else "")


def run(
    page: Page,
    tagger: Tagger,
    max_blocks: int | None = MAX_BLOCKS,
    *,
    carried: bool = True,
) -> Document:
    """Page -> blocks -> tags -> Document; never raises on any page.

    A page with more than `max_blocks` blocks (None: no limit) is not tagged: its document is empty,
    with the status "over-blocks". If a page shows far less text than it has in hidden elements or
    in its data, the hidden text is cleaned instead, unless `carried` is off.
    """
    document = tagged(page, tagger, max_blocks, carried=carried)
    kinds = document_kinds(document)
    return replace(
        document,
        kinds=kinds,
        likely_kinds=LikelyKinds(kinds),
        encoding=page.encoding,
        encoding_guessed=page.encoding_guessed,
    )


def tagged(
    page: Page,
    tagger: Tagger,
    max_blocks: int | None = MAX_BLOCKS,
    *,
    carried: bool = True,
) -> Document:
    """The document of `run`, without its kinds and encoding.

    What a page has, such as hidden text that counts, does not depend on what the caller keeps: an
    article without a table is no consent wall for `keep=table`.
    """
    deciding = capability(tagger, Automatic)
    automatic = tagger if deciding is None else deciding.automatic
    document = labelled(page, automatic, max_blocks, carried=carried)
    document = replace(document, presence=presence_of(document, page))
    if deciding is not None and automatic is not tagger:
        document = _decided(document, deciding)
    return without_notice(document, tagger)


def _decided(document: Document, tagger: Judges) -> Document:
    """Return a document with the tags of the same model with another decision rule."""
    model = document.tags.model
    if model is None or not len(model):
        return document
    tags = tagger.decide(document.blocks, model)
    return replace(document, tags=tags, status=_status("ok", tags))


def labelled(
    page: Page,
    tagger: Tagger,
    max_blocks: int | None = MAX_BLOCKS,
    *,
    carried: bool = True,
) -> Document:
    """The document of `tagged`, without its presence; notices and forms keep their labels."""
    params = split_params(tagger)
    page, blocks = bounded(page, params, max_blocks)
    tags = tagger.tag(blocks)
    document = Document(page.url, blocks, tags, _status(page.status, tags), blocks.truncated)
    if carried:
        document = with_carried(document, page, tagger, params, max_blocks)
    return document


def without_notice(document: Document, tagger: Tagger) -> Document:
    """Empty a document of a page that is only a form, a notice or a shell, unless it is asked for.

    It is asked for by a convention other than "auto", or by kinds. The text before a paywall stays,
    and any that has more than a hundred words: a presence may be wrong.
    """
    presence, decides = document.presence, capability(tagger, Decides)
    is_none = presence and presence.where == "not-in-this-html" and presence.reason != "paywall"
    if not is_none or document.status != "ok" or decides is None or not decides.cut.is_automatic:
        return document
    if kept_and_all_words(document)[0] > _MOST_EMPTIED:
        return document
    labels = np.full(len(document.tags), Label.OTHER, np.int32)
    # the rules have decided nothing here: `explain` named "title" for the two words of a form
    tags = replace(document.tags, labels=labels, rules=None)
    return replace(document, tags=tags, status="nothing-kept")


def _status(of_page: str, tags: Tags) -> str:
    if of_page != "ok":
        return of_page
    if not len(tags):
        return "no-blocks"
    return "ok" if tags.kept.any() else tags.refusal or "nothing-kept"


def lost_document(url: str | None, status: str, message: str = "") -> Document:
    """Return the empty document of a page that was lost, with the reason."""
    tags = Tags(np.zeros(0, np.int32), np.zeros((0, 3)), 0.0)
    return Document(url, split(Page("", url, status=status)), tags, status, message=message)


def over_time(url: str | None, max_seconds: float | None) -> Document:
    """Return the empty document of a page that took longer than its time."""
    return lost_document(url, "over-time", f"it took more than {max_seconds:g} s")


def open_model(model: str | Path) -> Tagger:
    """Open a model, or return it if its manifest has not changed since; raises `ModelError`."""
    return opened(model, load)


def as_tagger(tagger: Tagger | str | Path) -> Tagger:
    """Return a tagger as it is, or open a model or a name such as "expert"; raises `ModelError`."""
    if not isinstance(tagger, str | Path):
        return tagger
    return named(str(tagger)) if is_named(tagger) else open_model(tagger)


class CleanOptions(TypedDict, total=False):
    """The choices of `clean` as keywords, for callers that pass them on.

    Python derives no `TypedDict` from a signature, so a test compares the names and types.
    """

    as_: Convention
    keep: Kinds | None
    also: Kinds | None
    without: Kinds | None
    precision: float | None
    threshold: float | None
    within: str | None
    drop: str | None
    comments: CommentMode | None


@dataclass(frozen=True, slots=True)
class CleanParams:
    """What makes a document of a page: a tagger that decides as asked, and further choices."""

    tagger: Tagger
    comments: CommentMode | None = None
    max_blocks: int | None = MAX_BLOCKS

    def document(self, page: Page, make: Callable[..., Document] = run) -> Document:
        """The document of a page, made by `run` or `tagged`; never raises on any page."""
        document = make(page, self.tagger, max_blocks=self.max_blocks)
        if not self.comments:
            return document
        from crfclean.systems.comments import with_comments

        return with_comments(document, self.tagger, self.comments)


def clean_params(
    model: str | Path | Tagger,
    choice: CutChoice = CutChoice(),
    comments: CommentMode | None = None,
    max_blocks: int | None = MAX_BLOCKS,
) -> CleanParams:
    """Open a model and check all choices; raises `CrfcleanError`, and `ModelError`."""
    check_comments(comments, choice.convention)
    return CleanParams(with_choice(as_tagger(model), choice), comments, max_blocks)


def clean(  # noqa: PLR0913
    page: Source,
    url: str | None = None,
    model: str | Path | Tagger = "default",
    *,
    as_: Convention = AUTO,
    keep: Kinds | None = None,
    also: Kinds | None = None,
    without: Kinds | None = None,
    precision: float | None = None,
    threshold: float | None = None,
    within: str | None = None,
    drop: str | None = None,
    comments: CommentMode | None = None,
    max_blocks: int | None = MAX_BLOCKS,
    max_seconds: float | None = None,
) -> Document:
    """Clean one page: return all its blocks, each with its label and probability.

    `page`, `url` and `max_blocks` are as in `extract`. `model` is a tagger, the name of a shipped
    model or of a tagger without a model, such as "expert", a model folder (a `Path`, or a text such
    as "./my-model"), or a file of settings (see `crfclean tune`).

    `as_` is the convention, which says what belongs to the text:

    - "article": the title, the lead, headings, paragraphs, lists, tables, code, formulas, quotes
      and notes.
    - "body": the same without the title.
    - "page": the same as "article", with captions and bylines.
    - "thread": posts and comments.
    - "everything": the same as "page", with comments; only menus, teasers, promotion, notices and
      legal text are left out.
    - "auto", the default: whatever the model keeps, which is "article" on articles; comments only
      on discussion threads.

    These parameters change the choice further. Kinds of blocks are names in a list, or in a text
    with commas, such as "lead,caption".

    - `keep`: keep only blocks of these kinds, instead of a convention. The kinds "title",
      "headers", "captions", "bylines", "comments" and "threads" (comments on threads) are added to
      the body text; "body" keeps only that.
    - `also`: let in blocks of these kinds, too, where the model finds them likely enough.
    - `without`: leave out blocks of these kinds.
    - `precision`: drop uncertain blocks until the expected precision of the page (0..1) is reached.
    - `threshold`: keep blocks with at least this probability (0..1) of being text.
    - `within`: keep nothing outside the elements that these CSS selectors name, as in
      ".post, h1".
    - `drop`: keep nothing inside the elements that these CSS selectors name.
    - `comments`: keep readers' comments in the text ("keep"), set them apart ("separate") or leave
      them out ("drop"). By default they are kept on threads and left out on articles.

    `max_seconds` is the time for the page, by the clock, without that for opening the model. Python
    cannot end a thread: a step of compiled code, a few seconds for the largest pages, is done to
    its end in the background. `run_many` reads pages in processes, which it ends.

    A bad page, one with more than `max_blocks` blocks, or one that takes too long gives an empty
    document whose `status` says why. Raises `CrfcleanError` for an unknown word, for parameters
    that exclude each other, for a file that cannot be read, and for a path or URL in place of a
    page; `ModelError` for a bad model; `TypeError` for anything that is no page.

    >>> document = clean("<h1>Rain</h1><p>It rained in the north.</p>", as_="body")
    >>> document
    <Document ok: 1 of 2 blocks, score 0.94>
    >>> [(block.text, tag.label.name) for block, tag in zip(document.blocks, document.tags)]
    [('Rain', 'OTHER'), ('It rained in the north.', 'TEXT')]
    """
    choice = CutChoice(as_, keep, also, without, threshold, precision, within, drop)
    params = clean_params(model, choice, comments, max_blocks)
    return in_time(
        max_seconds,
        lambda: params.document(as_page(page, url)),
        lambda: over_time(url, max_seconds),
    )
