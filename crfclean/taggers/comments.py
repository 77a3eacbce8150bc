"""`Document` + a mode -> the document with readers' comments in its text, beside it or gone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crfclean.features.kinds import is_comment
from crfclean.page.measures import measured
from crfclean.taggers.capabilities import MarksComments, capability
from crfclean.taggers.decision import expected_f1
from crfclean.types import Bools, CrfcleanError, Document, Label, Tagger
from crfclean.types.choices import COMMENT_MODES as MODES


def comment_blocks(document: Document, tagger: Tagger) -> Bools:
    """Which blocks are text of readers' comments, shape (n,).

    A tagger that marks comments says so; of others' kept blocks it is those that stand in
    elements marked as comments.
    """
    marks = capability(tagger, MarksComments)
    if marks is not None:
        return marks.comments(document.blocks)
    if not len(document.blocks):
        return np.zeros(0, np.bool_)
    marked: Bools = is_comment(measured(document.blocks)) & document.tags.kept
    return marked


def with_comments(document: Document, tagger: Tagger, mode: str) -> Document:
    """The document with its comments in the text ("keep"), beside it ("separate") or gone ("drop").

    Raises `CrfcleanError` for another mode.
    """
    if mode not in MODES:
        raise CrfcleanError(f"no mode {mode!r} of comments; there are {', '.join(MODES)}")
    tags, found = document.tags, comment_blocks(document, tagger)
    inside = np.where(tags.kept, tags.labels, Label.TEXT) if mode == "keep" else Label.OTHER
    labels = np.where(found, inside, tags.labels).astype(np.int32)
    words = measured(document.blocks).words if len(found) else np.zeros(0)
    score = expected_f1(tags.probabilities, words, labels != Label.OTHER)
    beside = found if mode == "separate" else None
    status = document.status
    if status in ("ok", "nothing-kept"):
        status = "ok" if (labels != Label.OTHER).any() else "nothing-kept"
    changed = replace(tags, labels=labels, score=score, comments=beside)
    return replace(document, tags=changed, status=status)
