"""Words of Hebrew."""

from __future__ import annotations

from crfclean.lexicon.language import Language

HEBREW = Language(
    code="he",
    function_words="של את על לא הוא היא זה עם גם כי או אני יש",
)
