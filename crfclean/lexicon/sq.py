"""Words of Albanian."""

from __future__ import annotations

from crfclean.lexicon.language import Language

ALBANIAN = Language(
    code="sq",
    function_words="të e në dhe që për një me nga është se i më nuk si po do ka",
)
