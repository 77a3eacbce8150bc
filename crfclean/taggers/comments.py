"""Keep, set apart or drop readers' comments in a document."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crfclean.features.kinds import is_comment
from crfclean.page.latest import measured
from crfclean.taggers.capabilities import MarksComments, capability
from crfclean.taggers.decision import BELOW_PRECISION, expected_f1
from crfclean.types import Bools, CrfcleanError, Document, Label, Tagger, Tags
from crfclean.types.choices import COMMENT_MODES


def comment_blocks(document: Document, tagger: Tagger) -> Bools:
    """Which blocks are text of readers' comments, shape (n,).

    For a tagger that does not mark comments, they are the blocks in elements whose class or id says
    so that it keeps, or would keep if the page were a thread.
    """
    marks = capability(tagger, MarksComments)
    if marks is not None:
        return marks.comments(document.blocks)
    if not len(document.blocks):
        return np.zeros(0, np.bool_)
    left_out = document.tags.comments_left_out
    kept = document.tags.kept if left_out is None else document.tags.kept | left_out.kept
    marked: Bools = is_comment(measured(document.blocks)) & kept
    return marked


def with_comments(document: Document, tagger: Tagger, mode: str) -> Document:
    """The document with comments in its text ("keep"), beside it ("separate") or not ("drop").

    Raises `CrfcleanError` for another mode.
    """
    if mode not in COMMENT_MODES:
        raise CrfcleanError(f"no mode {mode!r} of comments; there are {', '.join(COMMENT_MODES)}")
    tags, comments = document.tags, comment_blocks(document, tagger)
    reopened = tags if mode == "drop" else _reopened(tags)
    basis = reopened if mode == "keep" else tags
    inside = np.where(tags.kept, tags.labels, Label.TEXT) if mode == "keep" else Label.OTHER
    labels = np.where(comments, inside, tags.labels).astype(np.int32)
    words = measured(document.blocks).words if len(comments) else np.zeros(0)
    score = expected_f1(basis.probabilities, words, labels != Label.OTHER)
    separate = comments if mode == "separate" else None
    status = document.status
    if status in ("ok", "nothing-kept", BELOW_PRECISION):
        status = "ok" if (labels != Label.OTHER).any() else tags.refusal or "nothing-kept"
    changed = replace(
        reopened, labels=labels, score=score, comments=separate, comments_left_out=None
    )
    return replace(document, tags=changed, status=status)


def _reopened(tags: Tags) -> Tags:
    """The tags with the model's marginals of comments that the tagger left out."""
    left_out = tags.comments_left_out
    if left_out is None:
        return tags
    marginals = np.where(left_out.inside[:, None], left_out.marginals, tags.marginals)
    return replace(tags, marginals=marginals)
