"""Keep, set apart or drop readers' comments in a document."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crfclean.features.kinds import is_comment
from crfclean.page.measures import measured
from crfclean.taggers.capabilities import MarksComments, capability
from crfclean.taggers.decision import BELOW_PRECISION, expected_f1
from crfclean.types import Bools, CrfcleanError, Document, Label, Tagger
from crfclean.types.choices import COMMENT_MODES


def comment_blocks(document: Document, tagger: Tagger) -> Bools:
    """Which blocks are text of readers' comments, shape (n,).

    For a tagger that does not mark comments, they are the kept blocks in elements whose class or
    id says so.
    """
    marks = capability(tagger, MarksComments)
    if marks is not None:
        return marks.comments(document.blocks)
    if not len(document.blocks):
        return np.zeros(0, np.bool_)
    marked: Bools = is_comment(measured(document.blocks)) & document.tags.kept
    return marked


def with_comments(document: Document, tagger: Tagger, mode: str) -> Document:
    """The document with comments in its text ("keep"), beside it ("separate") or not ("drop").

    Raises `CrfcleanError` for another mode.
    """
    if mode not in COMMENT_MODES:
        raise CrfcleanError(f"no mode {mode!r} of comments; there are {', '.join(COMMENT_MODES)}")
    tags, comments = document.tags, comment_blocks(document, tagger)
    inside = np.where(tags.kept, tags.labels, Label.TEXT) if mode == "keep" else Label.OTHER
    labels = np.where(comments, inside, tags.labels).astype(np.int32)
    words = measured(document.blocks).words if len(comments) else np.zeros(0)
    score = expected_f1(tags.probabilities, words, labels != Label.OTHER)
    separate = comments if mode == "separate" else None
    status = document.status
    if status in ("ok", "nothing-kept", BELOW_PRECISION):
        status = "ok" if (labels != Label.OTHER).any() else tags.refusal or "nothing-kept"
    changed = replace(tags, labels=labels, score=score, comments=separate)
    return replace(document, tags=changed, status=status)
