"""Words of Indonesian."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, Language

INDONESIAN = Language(
    code="id",
    function_words="yang dan di ini dengan untuk dari itu dalam tidak pada akan juga ke adalah ada",
    comments="komentar",
    bylines=BylineWords(
        by="oleh|penulis|ditulis oleh",
        labels="oleh|penulis",
        joins_capitals="dan",
        roles="wartawan|jurnalis",
        nobody="redaksi",
    ),
)
