"""Words of Indonesian."""

from __future__ import annotations

from crfclean.lexicon.language import Language

INDONESIAN = Language(
    code="id",
    function_words="yang dan di ini dengan untuk dari itu dalam tidak pada akan juga ke adalah ada",
    comments="komentar",
)
