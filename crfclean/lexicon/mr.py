"""Words of Marathi."""

from __future__ import annotations

from crfclean.lexicon.language import Language

MARATHI = Language(
    code="mr",
    function_words="आहे आणि या च्या ते ही तो व हे होते केले नाही",
)
