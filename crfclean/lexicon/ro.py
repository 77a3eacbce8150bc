"""Words of Romanian."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, Language

ROMANIAN = Language(
    code="ro",
    function_words="și de în la a cu pe că nu din o este un pentru mai care sunt se fi prin",
    bylines=BylineWords(
        by="scris de|autori",
        labels="scris de",
        end_words="publicat|actualizat",
        joins_capitals="și|şi",
        roles="redactor|jurnalist",
        agencies="Agerpres",
    ),
    comments="comentariu comentarii",
)
