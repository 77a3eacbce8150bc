"""Words of Korean."""

from __future__ import annotations

from crfclean.lexicon.language import Language

KOREAN = Language(
    code="ko",
    names="korean",
    spaced=False,  # particles follow words without white space
    comments="댓글",
)
