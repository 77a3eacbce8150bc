"""Keep, set apart or drop readers' comments in a document."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from crfclean.decision.choosing import BELOW_PRECISION
from crfclean.decision.evidence import Evidence
from crfclean.decision.verdict import relabelled
from crfclean.systems.capabilities import Decides, Judges, MarksComments, capability
from crfclean.types import (
    Bools,
    Document,
    Kind,
    Label,
    Tagger,
    Tags,
)
from crfclean.types.choices import check_comments

if TYPE_CHECKING:
    pass

COMMENT = Kind.COMMENT.name.lower()


def with_comments(document: Document, tagger: Tagger, mode: str) -> Document:
    """Return the document with comments kept ("keep"), set apart ("separate") or dropped ("drop").

    Raises `CrfcleanError` for another mode.
    """
    check_comments(mode, None)
    if document.lacks_content and not document.kept:
        return document
    with_all, comments = _with_all(document, tagger)
    tags = with_all if mode == "keep" else document.tags
    outside = np.where(comments, Label.OTHER, tags.labels)
    inside = np.where(comments & ~tags.kept, Label.TEXT, tags.labels)
    labels = (inside if mode == "keep" else outside).astype(np.int32)
    separate = comments if mode == "separate" else None
    status = document.status
    if status in ("ok", "nothing-kept", BELOW_PRECISION):
        status = "ok" if (labels != Label.OTHER).any() else tags.refusal or "nothing-kept"
    changed = relabelled(tags, document.blocks, labels)
    return replace(document, tags=replace(changed, comments=separate), status=status)


def _with_all(document: Document, tagger: Tagger) -> tuple[Tags, Bools]:
    """Return the tags as if all comments belonged to the text, and a mask of the comments, (n,).

    A tagger may mark comments itself. Otherwise comments are the blocks in elements for comments
    that the tagger keeps, or would keep if the page were a thread.
    """
    blocks, tags = document.blocks, document.tags
    marks = capability(tagger, MarksComments)
    if marks is not None:
        return tags, marks.comments(blocks)
    if not len(blocks):
        return tags, np.zeros(0, np.bool_)
    decides = capability(tagger, Decides)
    if decides is not None and tags.model is not None:
        without = tuple(word for word in decides.cut.without if word != COMMENT)
        asking = decides.with_cut(
            replace(decides.cut, also=(*decides.cut.also, COMMENT), without=without)
        )
        judges = capability(asking, Judges)
        tags = asking.tag(blocks) if judges is None else judges.decide(blocks, tags.model)
    comments: Bools = Evidence(blocks).comments & tags.kept
    return tags, comments
