"""Words of Romanian."""

from __future__ import annotations

from crfclean.lexicon.language import Language

ROMANIAN = Language(
    code="ro",
    function_words="și de în la a cu pe că nu din o este un pentru mai care sunt se fi prin",
    comments="comentariu comentarii",
)
